// patch.c -- where a blow acts that arrives at several points at once: a block that lands flat, an edge on a face.
//
// Points of one pair that arrive equally fast along one normal could bear the blow in many ways; together they are one impulse
// somewhere within their hull. Without friction it is where it stops the approach with the least of it (Lagrange's equations
// for inelastic blows, or the complementarity problem of all points, say the same): where the bodies yield least,
//     n . K(x) n = 1/m_a + 1/m_b + sum of (r x n) . J^-1 (r x n),
// a quadratic function of the place x in the plane of the points. A body that lands flat on something that does not move is
// struck under its centre of mass, and does not turn, however many corners or triangles there are, and wherever.
//
// SPDX-License-Identifier: MIT
#include "contact/contact.h"

typedef struct Spot { double x, y; } Spot;                         // along t1 and t2, from the first point
typedef struct Yield { double x, y, xx, xy, yy; } Yield;           // slopes at the first point, and their slopes

static Yield yield_of(const Actor *a, const Touch *t) {
    if (!a->free) return (Yield){ 0 };
    Mat3 J = contact_hop_body(a).inertia_inverse;
    impVec3 r = cross(sub(t->at, a->x), t->n), rx = cross(t->t1, t->n), ry = cross(t->t2, t->n), w = mul(J, r);
    return (Yield){ dot(rx, w), dot(ry, w), dot(rx, mul(J, rx)), dot(rx, mul(J, ry)), dot(ry, mul(J, ry)) };
}

static double turn_of(Spot a, Spot b, Spot c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }
static bool before(Spot a, Spot b) { return a.x != b.x ? a.x < b.x : a.y < b.y; }

static void sort_spots(Spot *s, int count) {                       // a few
    for (int i = 1; i < count; i++) {
        Spot x = s[i];
        int k = i;
        for (; k > 0 && before(x, s[k - 1]); k--) s[k] = s[k - 1];
        s[k] = x;
    }
}

// The corners of the hull, to the left all round, in `out`, which has room for twice as many (Andrew 1979). One corner where all are one.
static int hull_of(Spot *s, int count, Spot *out) {
    int n = 0;
    sort_spots(s, count);
    for (int i = 0, from = 0; i < 2 * count - 1; i++) {            // to the right below, and back above
        Spot next = s[i < count ? i : 2 * count - 2 - i];
        if (i == count) from = n - 1;
        while (n - from >= 2 && turn_of(out[n - 2], out[n - 1], next) <= 0) n--;
        if (n == 0 || before(out[n - 1], next) || before(next, out[n - 1])) out[n++] = next;
    }
    return n > 1 ? n - 1 : n;                                      // the last is the first
}

static bool is_inside(const Spot *hull, int count, Spot p) {
    for (int i = 0; i < count; i++)
        if (turn_of(hull[i], hull[(i + 1) % count], p) < 0) return false;
    return count > 2;
}

static double value(const Yield *k, Spot p) { return p.x * (2 * k->x + k->xx * p.x + 2 * k->xy * p.y) + p.y * (2 * k->y + k->yy * p.y); }

static Spot least_between(const Yield *k, Spot a, Spot b) {
    double dx = b.x - a.x, dy = b.y - a.y, bend = dx * (k->xx * dx + 2 * k->xy * dy) + dy * k->yy * dy;
    double slope = dx * (k->x + k->xx * a.x + k->xy * a.y) + dy * (k->y + k->xy * a.x + k->yy * a.y);
    double part = bend > 0 ? max2(0, min2(1, -slope / bend)) : 0.5;
    return (Spot){ a.x + part * dx, a.y + part * dy };
}

static Spot least_within(const Yield *k, const Spot *hull, int count) {
    double det = k->xx * k->yy - k->xy * k->xy;
    Spot best = { (k->xy * k->y - k->yy * k->x) / det, (k->xy * k->x - k->xx * k->y) / det };
    if (det > 1e-12 * k->xx * k->yy && is_inside(hull, count, best)) return best;
    best = hull[0];
    for (int i = 0; i < count; i++) {
        Spot p = least_between(k, hull[i], hull[(i + 1) % count]);
        if (value(k, p) < value(k, best)) best = p;
    }
    return best;
}

impVec3 contact_blow_at(const Actor *actors, const Touch *touch, const int *of, int count) {
    Spot spot[BLOW_POINTS], hull[2 * BLOW_POINTS];
    const Touch *t = &touch[of[0]];
    if (count == 1) return t->at;
    for (int i = 0; i < count; i++) {
        impVec3 r = sub(touch[of[i]].at, t->at);
        spot[i] = (Spot){ dot(t->t1, r), dot(t->t2, r) };
    }
    Yield a = yield_of(&actors[t->a], t), b = yield_of(&actors[t->b], t);
    Yield k = { a.x + b.x, a.y + b.y, a.xx + b.xx, a.xy + b.xy, a.yy + b.yy };
    Spot p = least_within(&k, hull, hull_of(spot, count, hull));
    return madd(madd(t->at, p.x, t->t1), p.y, t->t2);
}
