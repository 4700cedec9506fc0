// kernel_decide.h -- is it certain where the part will come to rest? (inside drop/; included by
// kernel.h)
//
// Let h(d) be the height of the centre of mass when the part touches the plane with down d, a
// function on the sphere of directions. Since h(d) <= z <= E / (m g) and contact takes energy away,
// d never leaves its connected piece of { h <= E / (m g) }. A way down from d that never climbs
// ends in a pose of that piece; if the energy is below the pose's barrier, there is no other pose
// in it, and the part will rest there. The way: from the lowest corner straight away from it until
// a second corner is as low (an arc of an edge); along the arc, away from the edge's foot, to a
// face; and from face to face as `sink` has it.
//
// Poses that only low passes separate are a family, which is certain much earlier (rests.c). A part
// whose centre of mass stays below the pass out of a family is confined to it, for h(d) <= z,
// though it may have energy to leave: a coin that rolls upright. One that goes on like that counts
// as certain, too, when it has turned about level axes by a given angle, to and fro; how many did
// is told.
//
// SPDX-License-Identifier: MIT

IN_KERNEL double depth_of(const DropTable *t, int corner, const double d[3]) {
    return d[0] * t->x[corner] + d[1] * t->y[corner] + d[2] * t->z[corner];
}

// The neighbour of a corner that is farthest along d, if it is farther than best; else the corner.
IN_KERNEL int step_along(const DropTable *t, int corner, const double d[3], double *best) {
    int to = corner;
    IN_TURN
    for (int block = t->blocks[corner]; block < t->blocks[corner + 1]; block++) {
        int spoke = farthest(t->block + 3 * RING * block, d, best);
        if (spoke >= 0) {
            to = t->spoke[t->spokes[corner] + RING * (block - t->blocks[corner]) + spoke].other;
        }
    }
    return to;
}

// The farthest corner along d, by climbing from one that is nearly so.
IN_KERNEL int climb(const DropTable *t, int corner, const double d[3]) {
    double best = depth_of(t, corner, d);
    IN_TURN
    for (int from = -1; from != corner;) {
        from = corner;
        corner = step_along(t, from, d, &best);
    }
    return corner;
}

// The pose at the end of the way down from d, whose farthest corner is given. -1: d is at rest on
// an edge or a corner.
IN_KERNEL int descend(const DropTable *t, int corner, const double d[3]) {
    double p[3];
    double m[3];
    double low = depth_of(t, corner, d);
    double best = 0;
    double side = 0;
    p[0] = t->x[corner];
    p[1] = t->y[corner];
    p[2] = t->z[corner];
    // away from the corner, along the sphere
    for (int i = 0; i < 3; i++) {
        m[i] = low * d[i] - p[i];
    }
    const DropSpoke *over = 0;
    double there = 0;
    IN_TURN
    for (int i = t->spokes[corner]; i < t->spokes[corner + 1]; i++) {
        const DropSpoke *s = &t->spoke[i];
        double o[3];
        o[0] = p[0] - t->x[s->other];
        o[1] = p[1] - t->y[s->other];
        o[2] = p[2] - t->z[s->other];
        double ahead = -(o[0] * m[0] + o[1] * m[1] + o[2] * m[2]);
        double lead = o[0] * d[0] + o[1] * d[1] + o[2] * d[2];
        // d + tan m meets the arc at tan = lead / ahead: the smallest is the first
        // it lies on that edge, but for rounding
        if (lead < 0) {
            lead = 0;
        }
        if (ahead > 0 && (!over || lead * there < best * ahead)) {
            best = lead;
            there = ahead;
            over = s;
        }
    }
    if (!over) return -1;
    for (int i = 0; i < 3; i++) {
        side += over->way[i] * (d[i] * there + m[i] * best);
    }
    return t->sink[side >= 0 ? over->ahead : over->behind];
}

// Where a part is, and how it moves.
typedef struct Stand {
    int corner;  // of the last impact
    double z, down[3];
    double energy;  // of motion and height
    double apex;    // height that the centre of mass would reach if it flew on
    double rolled;  // rad about level axes, to and fro, since it is confined
    int home;       // the family that it is confined to; -1: none
} Stand;

typedef struct Sure {
    int family;    // in which the part will rest; -1: not certain yet, -2: a number overflowed
    int rest;      // the pose, where that is certain too; else -1
    int rolled;    // 1: certain of the family by rolling
    int near;      // the family that it is near to; -1: none
    int confined;  // the family to which it is confined for now; -1: none
    double need;   // apex below which it would have been near
} Sure;

IN_KERNEL Sure nothing_sure(int family) {
    Sure s;
    s.family = s.rest = family;
    s.rolled = 0;
    s.confined = s.near = -1;
    s.need = 1e30;
    return s;
}

IN_KERNEL Sure decide(const DropTable *t, const Stand *stand) {
    Sure s = nothing_sure(-1);
    s.need = t->gate[stand->corner];
    // cheap
    if (!(stand->apex < s.need)) return s;
    int corner = climb(t, stand->corner, stand->down);
    double level_violation = depth_of(t, corner, stand->down) - stand->z;
    double more = t->slack + (level_violation > 0 ? level_violation : 0);
    int rest = descend(t, corner, stand->down);
    if (rest < 0) return s;
    int family = t->family[rest];
    double pass = t->exit[family].pass;
    s.need = t->exit[family].near;
    if (!(stand->apex < s.need)) return s;
    s.near = family;
    s.need = pass;
    if (!(stand->apex + more < pass)) return s;
    s.confined = family;
    bool sure = stand->energy + more < pass;
    s.rolled = !sure && family == stand->home && stand->rolled > t->rolled;
    if (!sure && !s.rolled) return s;
    s.family = family;
    if (stand->energy + more < t->barrier[rest]) {
        s.rest = rest;
    }
    return s;
}
