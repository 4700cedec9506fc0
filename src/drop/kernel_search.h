// kernel_search.h -- the first corner to land, among many: along the edges of the hull (inside
// drop/; included by kernel.h).
//
// At any one time the height of a corner is a linear function of its place, and on a convex body a
// corner that is lower than its neighbours is the lowest. So: some corner lands at t; the one that
// is lowest then is found by going down along edges; if it is below the plane, it landed earlier,
// and the question is asked again for that time. Times only fall, and a few corners are looked at
// out of thousands. Corners that touch already are neighbours of one another.
//
// SPDX-License-Identifier: MIT

enum { SEARCH_ROUNDS = 64 };

// --- one drop ------------------------------------------------------------------------------------
// heights of corners now, and how fast they rise
typedef struct Plane {
    double z, up, n[3], rate[3];
} Plane;

IN_KERNEL double gap_of(const DropTable *t, const Plane *p, int i) {
    return p->z + (p->n[0] * t->x[i] + p->n[1] * t->y[i] + p->n[2] * t->z[i]);
}

IN_KERNEL double speed_of(const DropTable *t, const Plane *p, int i) {
    return p->up + (p->rate[0] * t->x[i] + p->rate[1] * t->y[i] + p->rate[2] * t->z[i]);
}

// Of the corners within a band of the plane the one that goes down fastest, from one of them by way
// of their neighbours. Speed is a linear function of the place, so that on a flat face no other
// corner is faster than all its neighbours.
IN_KERNEL int fastest(const DropTable *t, const Plane *p, double band, int corner) {
    double speed = speed_of(t, p, corner);
    IN_TURN
    for (int from = -1; from != corner;) {
        from = corner;
        IN_TURN
        for (int i = t->spokes[from]; i < t->spokes[from + 1]; i++) {
            int other = t->spoke[i].other;
            double up = speed_of(t, p, other);
            if (!(up < speed) || !(gap_of(t, p, other) < band)) continue;
            speed = up;
            corner = other;
        }
    }
    return corner;
}

// --- many drops ----------------------------------------------------------------------------------
#if LANES > 1
// The farthest corner along d in the lanes of `who`, from `index`. All lanes take a step in turn:
// while one waits for memory, the others go on.
IN_LANES V climb_all(const DropTable *t, M who, V index, V3 d) {
    double x[LANES], y[LANES], z[LANES], best[LANES];
    int corner[LANES];
    save(x, d.x);
    save(y, d.y);
    save(z, d.z);
    for (int lane = 0; lane < LANES; lane++) {
        double along[3] = { x[lane], y[lane], z[lane] };
        corner[lane] = (int)get(&index, lane);
        best[lane] = depth_of(t, corner[lane], along);
    }
    for (unsigned open = bits(who); open != 0;) {
        for (unsigned left = open; left != 0; left &= left - 1) {
            int lane = __builtin_ctz(left);
            int from = corner[lane];
            double along[3] = { x[lane], y[lane], z[lane] };
            corner[lane] = step_along(t, from, along, &best[lane]);
            if (corner[lane] == from) {
                open &= ~(1u << lane);
            }
        }
    }
    for (int lane = 0; lane < LANES; lane++) {
        put(&index, lane, corner[lane]);
    }
    return index;
}
#else
IN_LANES V climb_all(const DropTable *t, M who, V index, V3 d) {
    double along[3];
    along[0] = d.x;
    along[1] = d.y;
    along[2] = d.z;
    return who ? climb(t, (int)index, along) : index;
}
#endif

IN_LANES V3 corner_of(const DropTable *t, V index) {
    V3 corner;
    for (int lane = 0; lane < LANES; lane++) {
        int i = (int)get(&index, lane);
        put(&corner.x, lane, t->x[i]);
        put(&corner.y, lane, t->y[i]);
        put(&corner.z, lane, t->z[i]);
    }
    return corner;
}
