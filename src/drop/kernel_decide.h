// kernel_decide.h -- is it certain where the part will come to rest? (inside drop/; included by kernel.h)
//
// Let h(d) be the height of the centre of mass when the part touches the plane with down d, a function on the sphere of
// directions. Since h(d) <= z <= E / (m g) and contact takes energy away, d never leaves its connected piece of
// { h <= E / (m g) }. A way down from d that never climbs ends in a pose of that piece; if the energy is below the pose's
// barrier, there is no other pose in it, and the part will rest there. The way: from the lowest corner straight away from it
// until a second corner is as low (an arc of an edge); along the arc, away from the edge's foot, to a face; and from face to
// face as `sink` has it.
//
// SPDX-License-Identifier: MIT

IN_KERNEL double depth_of(const DropTable *t, int corner, const double d[3]) {
    return d[0] * t->x[corner] + d[1] * t->y[corner] + d[2] * t->z[corner];
}

// The farthest corner along d, by climbing from one that is nearly so.
IN_KERNEL int climb(const DropTable *t, int corner, const double d[3]) {
    double best = depth_of(t, corner, d);
    IN_TURN for (int moved = 1; moved;) {
        moved = 0;
        int from = corner;
        IN_TURN for (int i = t->spokes[from]; i < t->spokes[from + 1]; i++) {
            double depth = depth_of(t, t->spoke[i].other, d);
            if (depth > best) best = depth, corner = t->spoke[i].other, moved = 1;
        }
    }
    return corner;
}

// The pose at the end of the way down from d, whose farthest corner is given. -1: d is at rest on an edge or a corner.
IN_KERNEL int descend(const DropTable *t, int corner, const double d[3]) {
    double p[3], m[3], low = depth_of(t, corner, d), best = -1, side = 0;
    p[0] = t->x[corner], p[1] = t->y[corner], p[2] = t->z[corner];
    for (int i = 0; i < 3; i++) m[i] = low * d[i] - p[i];      // away from the corner, along the sphere
    const DropSpoke *over = 0;
    double there = 0;
    IN_TURN for (int i = t->spokes[corner]; i < t->spokes[corner + 1]; i++) {
        const DropSpoke *s = &t->spoke[i];
        double o[3];
        o[0] = p[0] - t->x[s->other], o[1] = p[1] - t->y[s->other], o[2] = p[2] - t->z[s->other];
        double ahead = -(o[0] * m[0] + o[1] * m[1] + o[2] * m[2]), lead = o[0] * d[0] + o[1] * d[1] + o[2] * d[2];
        // d + tan m meets the arc at tan = lead / ahead: the smallest is the first
        if (ahead > 0 && (best < 0 || lead * there < best * ahead)) best = lead, there = ahead, over = s;
    }
    if (!over) return -1;
    for (int i = 0; i < 3; i++) side += over->way[i] * (d[i] * there + m[i] * best);
    return t->sink[side >= 0 ? over->ahead : over->behind];
}

// The pose in which a part must end, or -1: not certain yet, and below `need` it would have been. energy: of all motion and height; state: z and n.
IN_KERNEL int decide(const DropTable *t, int corner, const double state[4], double energy, double *need) {
    double d[3];
    *need = t->gate[corner];
    if (!(energy + t->slack < *need)) return -1;               // cheap
    d[0] = -state[1], d[1] = -state[2], d[2] = -state[3];
    corner = climb(t, corner, d);
    double sunk = depth_of(t, corner, d) - state[0], top = energy + t->slack + (sunk > 0 ? sunk : 0);
    int rest = descend(t, corner, d);
    if (rest >= 0) *need = t->barrier[rest];
    return rest >= 0 && top < *need ? rest : -1;
}
