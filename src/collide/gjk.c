// gjk.c -- the distance of two convex shapes that are known by their support maps.
//
// Gilbert, Johnson and Keerthi, "A fast procedure for computing the distance between complex
// objects in three-dimensional space", IEEE J. Robotics and Automation 4 (1988): the point of A - B
// nearest to the origin is approached by simplices of its farthest points. The nearest point of a
// simplex is found by signed volumes (Montanari, Petrinic, Barbieri, "Improving the GJK algorithm
// for faster and more reliable distance queries", ACM TOG 36, 2017). Every direction that is tried
// gives a lower bound, the simplex an upper one; they close to 1e-12 or to rounding, which is a
// fixed part of the coordinates at hand, so that no unit enters. On smooth shapes the nearest point
// is then known to the square root of that only, and where the shapes nearly touch the direction is
// not known well: polish.c makes both exact.
//
// Loops are bounded. Shapes that are not separated are handed to overlap.c.
//
// SPDX-License-Identifier: MIT
#include "collide/convex.h"

// polytopes need about ten, smooth shapes thirty
enum { STEPS = 100 };
#define CLOSED   1e-12    // of the distance: bounds that near are one
#define ROUGH    1e-3     // of the distance: from here Newton's method mostly finds it
#define ROUNDING 0x1p-50  // of the coordinates

// --- the nearest point of a simplex --------------------------------------------------------------
typedef struct Nearby {
    impVec3 v;
    double share[4];
    double square;
} Nearby;

static Nearby mixture(const Corner *c, const double *share) {
    Nearby n = { .v = vec(0, 0, 0) };
    for (int i = 0; i < 4; i++) {
        n.share[i] = share[i];
        if (share[i] > 0) {
            n.v = madd(n.v, share[i], c[i].w);
        }
    }
    n.square = dot(n.v, n.v);
    return n;
}

// i < j
static Nearby on_edge(const Corner *c, int i, int j) {
    impVec3 d = sub(c[j].w, c[i].w);
    double dd = dot(d, d);
    double t = dd > 0 ? -dot(c[i].w, d) / dd : 0;
    Nearby n = { .share = { 0 } };
    n.share[j] = t < 0 ? 0 : t > 1 ? 1 : t;
    n.share[i] = 1 - n.share[j];
    n.v = add(scale(n.share[i], c[i].w), scale(n.share[j], c[j].w));
    n.square = dot(n.v, n.v);
    return n;
}

static Nearby nearer(Nearby a, Nearby b) { return b.square < a.square ? b : a; }

// of the triangle's shadow, with its sign
static double area_along(impVec3 a, impVec3 b, impVec3 c, int axis) {
    impVec3 n = cross(sub(b, a), sub(c, a));
    return component(n, axis);
}

static Nearby on_triangle(const Corner *c, int i, int j, int k) {
    impVec3 a = c[i].w;
    impVec3 b = c[j].w;
    impVec3 d = c[k].w;
    impVec3 n = cross(sub(b, a), sub(d, a));
    double nn = dot(n, n);
    double most = largest(n);
    double share[4] = { 0 };
    int axis = fabs(n.x) == most ? 0 : fabs(n.y) == most ? 1 : 2;
    if (nn > 0) {
        impVec3 foot = scale(dot(a, n) / nn, n);
        double all = component(n, axis);
        share[i] = area_along(foot, b, d, axis) / all;
        share[j] = area_along(a, foot, d, axis) / all;
        share[k] = area_along(a, b, foot, axis) / all;
        if (share[i] > 0 && share[j] > 0 && share[k] > 0) return mixture(c, share);
    }
    // beyond one of these edges
    Nearby best = { .square = HUGE_VAL };
    if (!(nn > 0) || !(share[k] > 0)) {
        best = on_edge(c, i, j);
    }
    if (!(nn > 0) || !(share[j] > 0)) {
        best = nearer(best, on_edge(c, i, k));
    }
    if (!(nn > 0) || !(share[i] > 0)) {
        best = nearer(best, on_edge(c, j, k));
    }
    return best;
}

static double volume(impVec3 a, impVec3 b, impVec3 c, impVec3 d) {
    return dot(sub(b, a), cross(sub(c, a), sub(d, a)));
}

static Nearby in_tetrahedron(const Corner *c) {
    impVec3 a = c[0].w;
    impVec3 b = c[1].w;
    impVec3 d = c[2].w;
    impVec3 e = c[3].w;
    impVec3 o = vec(0, 0, 0);
    double all = volume(a, b, d, e);
    double part[4] = { volume(o, b, d, e), volume(a, o, d, e), volume(a, b, o, e),
                       volume(a, b, d, o) };
    if (all != 0 && part[0] / all > 0 && part[1] / all > 0 && part[2] / all > 0 &&
        part[3] / all > 0)
        return (Nearby){ .v = o,
                         .share = { part[0] / all, part[1] / all, part[2] / all, part[3] / all } };
    // beyond one of these faces
    Nearby best = { .square = HUGE_VAL };
    // then all of them
    bool flat = all == 0;
    if (flat || !(part[0] / all > 0)) {
        best = on_triangle(c, 1, 2, 3);
    }
    if (flat || !(part[1] / all > 0)) {
        best = nearer(best, on_triangle(c, 0, 2, 3));
    }
    if (flat || !(part[2] / all > 0)) {
        best = nearer(best, on_triangle(c, 0, 1, 3));
    }
    if (flat || !(part[3] / all > 0)) {
        best = nearer(best, on_triangle(c, 0, 1, 2));
    }
    return best;
}

static Nearby nearest_of(const Simplex *s) {
    const double one[4] = { 1, 0, 0, 0 };
    switch (s->count) {
    case 1: return mixture(s->c, one);
    case 2: return on_edge(s->c, 0, 1);
    case 3: return on_triangle(s->c, 0, 1, 2);
    default: return in_tetrahedron(s->c);
    }
}

static void keep_shares(Simplex *s, const Nearby *n) {
    int kept = 0;
    for (int i = 0; i < s->count; i++) {
        if (n->share[i] > 0) {
            s->share[kept] = n->share[i];
            s->c[kept++] = s->c[i];
        }
    }
    s->count = kept;
}

// --- the walk ------------------------------------------------------------------------------------
static bool known(const Simplex *s, const Corner *c) {
    for (int i = 0; i < s->count; i++) {
        impVec3 d = sub(s->c[i].w, c->w);
        if (d.x == 0 && d.y == 0 && d.z == 0) return true;
    }
    return false;
}

typedef struct Hunt {
    const Couple *k;
    impVec3 shift, v;
    double length, closed;
    Nearest best;
} Hunt;

// One farther point toward the origin. False: nothing nearer can be found.
static bool approach(Hunt *h) {
    Simplex *s = &h->best.simplex;
    impVec3 n = scale(1 / h->length, h->v);
    Corner c = convex_corner_toward(h->k, n, s->c[s->count - 1]);
    c.w = add(c.w, h->shift);
    double low = dot(n, c.w);
    if (low > h->best.low) {
        h->best.low = low;
        h->best.n = n;
    }
    if (h->length - low <= h->closed * h->length + ROUNDING * h->k->far || known(s, &c))
        return false;
    Simplex more = *s;
    more.c[more.count++] = c;
    Nearby v = nearest_of(&more);
    double length = sqrt(v.square);
    // rounding
    if (!(length < h->length)) return false;
    keep_shares(&more, &v);
    *s = more;
    h->v = v.v;
    h->length = length;
    return true;
}

static Nearest hunt(const Couple *k, impVec3 shift, double closed) {
    Hunt h = { .k = k, .shift = shift, .closed = closed, .best = { .low = -HUGE_VAL } };
    impVec3 start = add(k->side[0].at, shift);
    double away = norm(start);
    start = away > 0 ? scale(1 / away, start) : vec(0, 0, 1);
    h.best.n = start;
    Corner c = convex_corner_toward(k, start, (Corner){ .a = 0 });
    c.w = add(c.w, shift);
    h.best.simplex = (Simplex){ .c[0] = c, .share[0] = 1, .count = 1 };
    h.v = c.w;
    h.length = norm(c.w);
    while (h.length > ROUNDING * k->far && h.best.steps < STEPS) {
        h.best.steps++;
        if (!approach(&h)) break;
    }
    return h.best;
}

Nearest convex_nearest(const Couple *k, impVec3 shift) { return hunt(k, shift, CLOSED); }

// Newton's method needs less than GJK gives, and what it finds is judged by itself: only where that
// fails is the walk gone to its end.
static bool quick_answer(const Couple *k, Judged *out) {
    Nearest near = hunt(k, vec(0, 0, 0), ROUGH);
    if (!(near.low > ROUNDING * k->far)) return false;
    *out = convex_polish(k, near.n, &near.simplex);
    out->steps += near.steps;
    return out->good && out->low >= near.low;
}

// --- the door ------------------------------------------------------------------------------------
static Closest search(const Couple *k) {
    Judged quick;
    if (convex_on_flat(k, ROUNDING * k->far, &quick) || quick_answer(k, &quick))
        return convex_answer(k, &quick);
    Nearest near = convex_nearest(k, vec(0, 0, 0));
    bool apart = near.low > ROUNDING * k->far;
    Judged j = apart ? convex_polish(k, near.n, &near.simplex) : convex_overlap(k);
    if (apart && !j.good) {
        j = convex_settle(k, near.n, near.low);
    }
    j.steps += near.steps;
    return convex_answer(k, &j);
}

Closest collide_gjk(const Placed *a, const Placed *b) {
    Couple k = convex_couple(a, b);
    return search(&k);
}

Closest collide_gjk_since(const Placed *a, const Placed *b, const Closest *near) {
    Couple k = convex_couple(a, b);
    Judged j;
    bool found = near->distance > 0 && convex_follow(&k, near, &j) && j.low > ROUNDING * k.far;
    return found ? convex_answer(&k, &j) : search(&k);
}
