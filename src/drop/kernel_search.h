// kernel_search.h -- the first corner to land, among many: along the edges of the hull (inside drop/; included by kernel.h).
//
// At any one time the height of a corner is a linear function of its place, and on a convex body a corner that is lower than its
// neighbours is the lowest. So: some corner lands at t; whoever is lowest then is found by going down along edges; if it is
// below the plane, it landed earlier, and the question is asked again for that time. Times only fall, and a few corners are
// looked at out of thousands. Corners that touch already are neighbours of one another.
//
// SPDX-License-Identifier: MIT

enum { TOUCHING_MOST = 128, SEARCH_ROUNDS = 64 };

typedef struct Path { double z, up, fall, n[3], rate[3], bend[3]; } Path;   // as Paths, of one drop
typedef struct Corner { double gap, up, fall; } Corner;                     // height: gap + up t - fall t^2 / 2

IN_KERNEL Corner corner_path(const DropTable *t, const Path *p, int i) {
    Corner c;
    c.gap = p->z + (p->n[0] * t->x[i] + p->n[1] * t->y[i] + p->n[2] * t->z[i]);
    c.up = p->up + (p->rate[0] * t->x[i] + p->rate[1] * t->y[i] + p->rate[2] * t->z[i]);
    c.fall = p->fall + (p->bend[0] * t->x[i] + p->bend[1] * t->y[i] + p->bend[2] * t->z[i]);
    return c;
}

IN_KERNEL double landing(Corner c) {          // 1e9: never, as far as this parabola tells
    double gap = c.gap > 0 ? c.gap : 0, under = c.up * c.up + 2 * c.fall * gap;
    if (c.up < 0) return under >= 0 ? 2 * gap / (sqrt(under) - c.up) : 1e9;
    return c.fall > 0 ? (c.up + sqrt(under)) / c.fall : 1e9;
}

// Of the corners that touch, all of them neighbours of `corner`: the one that goes down fastest; speed 0: none does.
IN_KERNEL double fastest(const DropTable *t, const Path *p, int *corner) {
    int32_t seen[TOUCHING_MOST];
    int count = 1, found = *corner;
    double speed = 0;
    seen[0] = *corner;
    IN_TURN for (int at = 0; at < count; at++) {
        Corner c = corner_path(t, p, seen[at]);
        if (c.up < speed) speed = c.up, found = seen[at];
        IN_TURN for (int i = t->spokes[seen[at]]; i < t->spokes[seen[at] + 1] && count < TOUCHING_MOST; i++) {
            int32_t other = t->spoke[i].other;
            int known = !(corner_path(t, p, other).gap < t->touching);
            IN_TURN for (int k = 0; k < count && !known; k++) known = seen[k] == other;
            if (!known) seen[count++] = other;
        }
    }
    *corner = found;
    return speed;
}

// The key of First in kernel.h, and its corner, from the corner of the last impact.
IN_KERNEL double search(const DropTable *t, const Path *p, int *corner) {
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = -p->n[i];
    int low = climb(t, *corner, d), touching = low;
    if (corner_path(t, p, low).gap < t->touching) {
        double speed = fastest(t, p, &touching);
        if (speed < 0) {
            *corner = touching;
            return speed;
        }
    }
    double time = landing(corner_path(t, p, *corner)), other = landing(corner_path(t, p, low));
    if (other < time) time = other, *corner = low;
    IN_TURN for (int round = 0; round < SEARCH_ROUNDS; round++) {
        double at = time < 1e3 ? time : 1e3;
        for (int i = 0; i < 3; i++) d[i] = -(p->n[i] + at * (p->rate[i] - 0.5 * at * p->bend[i]));
        low = climb(t, *corner, d);
        if (low == *corner) break;
        other = landing(corner_path(t, p, low));
        if (!(other < time)) break;
        time = other, *corner = low;
    }
    return time;
}
