// reduction.c -- two that touch in many points of one plane: which of them count, and where a blow
// acts that arrives at several at once.
//
// Over a floor of many triangles or pieces a block has a point wherever an edge of one crosses an
// edge of the other, and at every corner. Gaps of points in one plane over another are the same
// everywhere but for a slope: the corners of their hull hold what the others do. The others are
// dropped, or friction would follow the triangles. So it is where the floor is several bodies that
// stand side by side.
//
// Points of one pair that arrive equally fast along one normal could bear the blow in many ways;
// together they are one impulse somewhere within their hull. Without friction it is where it stops
// the approach with the least of it (Lagrange's equations for inelastic blows, or the
// complementarity problem of all points, say the same): where the bodies yield least,
//     n . K(x) n = 1/m_a + 1/m_b + sum of (r x n) . J^-1 (r x n),
// a quadratic function of the place x in the plane of the points. A body that lands flat on
// something that does not move is struck under its centre of mass, and does not turn, however many
// corners or triangles there are, and wherever.
//
// SPDX-License-Identifier: MIT
#include "contact/contact.h"

// slopes at the first point, and their slopes
typedef struct InverseMass {
    double x, y, xx, xy, yy;
} InverseMass;

static InverseMass yield_of(const Actor *a, const ContactPoint *t) {
    if (!a->free) return (InverseMass){ 0 };
    Mat3 J = contact_microstep_body(a).inertia_inverse;
    impVec3 r = cross(sub(t->at, a->x), t->n);
    impVec3 rx = cross(t->t1, t->n);
    impVec3 ry = cross(t->t2, t->n);
    impVec3 w = mul(J, r);
    return (InverseMass){ dot(rx, w), dot(ry, w), dot(rx, mul(J, rx)), dot(rx, mul(J, ry)),
                          dot(ry, mul(J, ry)) };
}

// The corners of the hull of at most IMPACT_POINTS points, along t1 and t2, counter-clockwise.
static int hull_of(const Vec2 *p, int count, Vec2 *corner) {
    int32_t of[HULL2_ROOM(IMPACT_POINTS)];
    int corners = num_hull2(p, count, of);
    for (int i = 0; i < corners; i++) {
        corner[i] = p[of[i]];
    }
    return corners;
}

static bool is_inside(const Vec2 *hull, int count, Vec2 p) {
    for (int i = 0; i < count; i++) {
        if (area2(hull[i], hull[(i + 1) % count], p) < 0) return false;
    }
    return count > 2;
}

static double value(const InverseMass *k, Vec2 p) {
    return p.x * (2 * k->x + k->xx * p.x + 2 * k->xy * p.y) + p.y * (2 * k->y + k->yy * p.y);
}

static Vec2 least_between(const InverseMass *k, Vec2 a, Vec2 b) {
    double dx = b.x - a.x;
    double dy = b.y - a.y;
    double bend = dx * (k->xx * dx + 2 * k->xy * dy) + dy * k->yy * dy;
    double slope = dx * (k->x + k->xx * a.x + k->xy * a.y) +
                   dy * (k->y + k->xy * a.x + k->yy * a.y);
    double part = bend > 0 ? max2(0, min2(1, -slope / bend)) : 0.5;
    return (Vec2){ a.x + part * dx, a.y + part * dy };
}

static Vec2 least_within(const InverseMass *k, const Vec2 *hull, int count) {
    double det = k->xx * k->yy - k->xy * k->xy;
    Vec2 best = { (k->xy * k->y - k->yy * k->x) / det, (k->xy * k->x - k->xx * k->y) / det };
    if (det > 1e-12 * k->xx * k->yy && is_inside(hull, count, best)) return best;
    best = hull[0];
    for (int i = 0; i < count; i++) {
        Vec2 p = least_between(k, hull[i], hull[(i + 1) % count]);
        if (value(k, p) < value(k, best)) {
            best = p;
        }
    }
    return best;
}

impVec3 contact_impact_point(const Actor *actors, const ContactPoint *contact_point, const int *of,
                             int count) {
    Vec2 spot[IMPACT_POINTS], hull[IMPACT_POINTS];
    const ContactPoint *t = &contact_point[of[0]];
    if (count == 1) return t->at;
    for (int i = 0; i < count; i++) {
        impVec3 r = sub(contact_point[of[i]].at, t->at);
        spot[i] = (Vec2){ dot(t->t1, r), dot(t->t2, r) };
    }
    InverseMass a = yield_of(&actors[t->a], t);
    InverseMass b = yield_of(&actors[t->b], t);
    InverseMass k = { a.x + b.x, a.y + b.y, a.xx + b.xx, a.xy + b.xy, a.yy + b.yy };
    Vec2 p = least_within(&k, hull, hull_of(spot, count, hull));
    return madd(madd(t->at, p.x, t->t1), p.y, t->t2);
}

// --- which of them count -------------------------------------------------------------------------
#define IN_PLANE 5e-7  // of the band: half of how near an event is known
// rad: of normals of one plane, as pieces and triangles have them
#define SAME_WAY 1e-9
#define NO_PLACE 1e-9  // of the patch: points that are nearer are one

static bool goes_with_body(const ContactPoint *t) { return t->motion.kind < ROLLS_ON_A; }
// the lowest of something round is alone
static bool may_be_held(const ContactPoint *t) {
    return t->motion.kind != ROLLS_ON_A && t->motion.kind != ROLLS_ON_B;
}

static bool of_one_plane(const ContactPoint *t, const ContactPoint *of) {
    bool alike = t->motion.kind == of->motion.kind || (goes_with_body(t) && goes_with_body(of));
    return contact_same_pair(t, of) && t->law == of->law && alike &&
           t->on_flat_rim == of->on_flat_rim && norm(sub(t->n, of->n)) <= SAME_WAY;
}

// The gap at p as the corners a, b and c have it, or two of them where all are in a line.
static double gap_as(const Vec2 corner[3], const double gap[3], int count, Vec2 p) {
    double dx = corner[1].x - corner[0].x;
    double dy = corner[1].y - corner[0].y;
    if (count < 3)
        return gap[0] + (gap[1] - gap[0]) * ((p.x - corner[0].x) * dx + (p.y - corner[0].y) * dy) /
                            (dx * dx + dy * dy);
    double all = area2(corner[0], corner[1], corner[2]);
    double b = area2(corner[0], p, corner[2]) / all;
    double c = area2(corner[0], corner[1], p) / all;
    return gap[0] + b * (gap[1] - gap[0]) + c * (gap[2] - gap[0]);
}

// the points of one plane
typedef struct Flat {
    Vec2 spot[IMPACT_POINTS];
    double gap[IMPACT_POINTS];
    int of[IMPACT_POINTS], count;
} Flat;

static Flat patch_of(const ContactPoint *t, int count, int first) {
    Flat p;
    p.count = 0;
    for (int i = first; i < count && p.count < IMPACT_POINTS; i++) {
        if (!of_one_plane(&t[i], &t[first])) continue;
        impVec3 r = sub(t[i].at, t[first].at);
        p.spot[p.count] = (Vec2){ dot(t[first].t1, r), dot(t[first].t2, r) };
        p.gap[p.count] = t[i].gap;
        p.of[p.count++] = i;
    }
    return p;
}

// the first that is there
static int index_of(const Flat *p, Vec2 s) {
    int i = 0;
    while (p->spot[i].x != s.x || p->spot[i].y != s.y) {
        i++;
    }
    return i;
}

static double apart(Vec2 a, Vec2 b) { return fabs(a.x - b.x) + fabs(a.y - b.y); }

// its ends: the first, which is leftmost, and the farthest from there
static int line_of(Vec2 *hull, int count) {
    int far = 0;
    for (int i = 1; i < count; i++) {
        if (apart(hull[0], hull[i]) > apart(hull[0], hull[far])) {
            far = i;
        }
    }
    if (far == 0) return 1;
    hull[1] = hull[far];
    return 2;
}

// Corners that turn by less than rounding are none; all of them may be in one line. 0: rounding
// leaves nothing to tell.
static int sharp_corners(Vec2 *hull, int count, double size) {
    double area = 0;
    for (int i = 2; i < count; i++) {
        area += area2(hull[0], hull[i - 1], hull[i]);
    }
    if (area <= NO_PLACE * size * size) return line_of(hull, count);
    int kept = 0;
    for (int i = 0; i < count; i++) {
        Vec2 last = kept ? hull[kept - 1] : hull[count - 1];
        Vec2 next = hull[(i + 1) % count];
        if (apart(last, hull[i]) <= NO_PLACE * size ||
            area2(last, hull[i], next) <= NO_PLACE * size * size)
            continue;
        hull[kept++] = hull[i];
    }
    return kept > 2 ? kept : 0;
}

static bool is_plane(const Flat *p, const Vec2 *hull, int corners, double within) {
    int third = 2;
    if (corners < 2) return true;
    for (int i = 3; i < corners; i++) {
        if (area2(hull[0], hull[1], hull[i]) > area2(hull[0], hull[1], hull[third])) {
            third = i;
        }
    }
    Vec2 corner[3] = { hull[0], hull[1], hull[corners > 2 ? third : 0] };
    double gap[3] = { p->gap[index_of(p, corner[0])], p->gap[index_of(p, corner[1])],
                      p->gap[index_of(p, corner[2])] };
    for (int i = 0; i < p->count; i++) {
        if (fabs(gap_as(corner, gap, corners, p->spot[i]) - p->gap[i]) > IN_PLANE * within)
            return false;
    }
    return true;
}

// Marks those of a patch that are no corner of it. How many.
static int mark_inner(ContactPoint *t, const Flat *p, double within) {
    Vec2 sorted[IMPACT_POINTS], hull[IMPACT_POINTS];
    double size = 0;
    int marked = 0;
    for (int i = 0; i < p->count; i++) {
        sorted[i] = p->spot[i];
        size = max2(size, max2(fabs(sorted[i].x), fabs(sorted[i].y)));
    }
    int corners = sharp_corners(hull, hull_of(sorted, p->count, hull), size);
    if (corners == 0 || !is_plane(p, hull, corners, within)) return 0;
    bool keep[IMPACT_POINTS] = { false };
    for (int i = 0; i < corners; i++) {
        keep[index_of(p, hull[i])] = true;
    }
    for (int i = 0; i < p->count; i++) {
        if (!keep[i]) {
            t[p->of[i]].law = NULL;
            marked++;
        }
    }
    return marked;
}

// law NULL: the others hold it up
static void mark_held(ContactPoint *t, int count, double within) {
    for (int first = 0; first + 2 < count; first++) {
        if (!t[first].law || !may_be_held(&t[first])) continue;
        bool known = false;
        for (int i = 0; i < first && !known; i++) {
            known = t[i].law && of_one_plane(&t[first], &t[i]);
        }
        if (known) continue;
        for (;;) {
            Flat p = patch_of(t, count, first);
            if (p.count < 3 || mark_inner(t, &p, within) == 0 || !t[first].law ||
                p.count < IMPACT_POINTS)
                break;
        }
    }
}

static int keep_others(ContactPoint *t, int32_t *slot, int count) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
        if (!t[i].law) continue;
        if (kept < i) {
            t[kept] = t[i];
        }
        if (kept < i && slot) {
            slot[kept] = slot[i];
        }
        kept++;
    }
    return kept;
}

int contact_reduce(ContactPoint *t, int count, double within) {
    mark_held(t, count, within);
    return keep_others(t, NULL, count);
}

int contact_reduce_floor(ContactPoint *t, int32_t *slot, int count, double within) {
    int first = 0;
    int other;
    while (first < count && !t[first].b_is_fixed) {
        first++;
    }
    for (other = first + 1; other < count && !(t[other].b_is_fixed && t[other].b != t[first].b);
         other++) {}
    // one floor, or none
    if (other >= count) return count;
    mark_held(t, count, within);
    return keep_others(t, slot, count);
}
