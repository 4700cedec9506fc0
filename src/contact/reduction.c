// reduction.c -- contact reduction: points of one plane that the others make redundant, and the
// place of an impact of several points.
//
// docs/theory/collision-detection.md, section 6, and docs/theory/frictional-impact.md, section 8.
// Over a floor of many triangles or pieces a block has a contact point wherever an edge of one
// crosses an edge of the other. Gaps of points of one plane are linear in the plane, so the
// corners of their hull stand for all; with the others friction would depend on the triangles. The
// same holds for a floor of several fixed bodies.
//
// Points of one pair that approach equally fast along one normal are one impact at the place of
// least n.K(x) n within their hull (20).
//
// SPDX-License-Identifier: MIT
#include "contact/contact.h"

// n.K(x) n as a quadratic function of the place: gradient and second derivatives at the first
// point.
typedef struct InverseMass {
    double x, y, xx, xy, yy;
} InverseMass;

static InverseMass inverse_mass_along(const Actor *a, const ContactPoint *t) {
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
    double curvature = dx * (k->xx * dx + 2 * k->xy * dy) + dy * k->yy * dy;
    double slope = dx * (k->x + k->xx * a.x + k->xy * a.y) +
                   dy * (k->y + k->xy * a.x + k->yy * a.y);
    double part = curvature > 0 ? max2(0, min2(1, -slope / curvature)) : 0.5;
    return (Vec2){ a.x + part * dx, a.y + part * dy };
}

// The place within the hull where n.K(x) n is least.
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
    InverseMass a = inverse_mass_along(&actors[t->a], t);
    InverseMass b = inverse_mass_along(&actors[t->b], t);
    InverseMass k = { a.x + b.x, a.y + b.y, a.xx + b.xx, a.xy + b.xy, a.yy + b.yy };
    Vec2 p = least_within(&k, hull, hull_of(spot, count, hull));
    return madd(madd(t->at, p.x, t->t1), p.y, t->t2);
}

// --- redundant points ----------------------------------------------------------------------------

// 1, of the band: gaps of one plane, half of the event tolerance. Held by no test.
#define IN_PLANE 5e-7
// rad: normals of one plane, as pieces and triangles have them. Test:
// tests/method/impulse_reduction.c
#define SAME_NORMAL_ANGLE 1e-9
// 1, of the size of the plane: points that are nearer are one. Test:
// tests/method/impulse_reduction.c
#define SAME_PLACE 1e-9

static bool goes_with_body(const ContactPoint *t) { return t->motion.kind < ROLLS_ON_A; }
// The lowest place of a smooth surface is the only one.
static bool may_be_redundant(const ContactPoint *t) {
    return t->motion.kind != ROLLS_ON_A && t->motion.kind != ROLLS_ON_B;
}

static bool of_one_plane(const ContactPoint *t, const ContactPoint *of) {
    bool alike = t->motion.kind == of->motion.kind || (goes_with_body(t) && goes_with_body(of));
    return contact_same_pair(t, of) && t->law == of->law && alike &&
           t->on_flat_rim == of->on_flat_rim && norm(sub(t->n, of->n)) <= SAME_NORMAL_ANGLE;
}

// The gap at p, linear in the gaps of three corners, or of two where all are in a line.
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

// Points of one plane.
typedef struct PlanePoints {
    Vec2 spot[IMPACT_POINTS];
    double gap[IMPACT_POINTS];
    int of[IMPACT_POINTS], count;
} PlanePoints;

// The points of the plane of the first one.
static PlanePoints points_of_plane(const ContactPoint *t, int count, int first) {
    PlanePoints p;
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

// Index of the first point at this place.
static int index_of(const PlanePoints *p, Vec2 s) {
    int i = 0;
    while (p->spot[i].x != s.x || p->spot[i].y != s.y) {
        i++;
    }
    return i;
}

static double apart(Vec2 a, Vec2 b) { return fabs(a.x - b.x) + fabs(a.y - b.y); }

// The ends of points in a line: the first, which is leftmost, and the farthest from it.
static int ends_of_line(Vec2 *hull, int count) {
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

// Drops corners whose angle is rounding; all of them may be in one line. 0: rounding decides
// everything.
static int sharp_corners(Vec2 *hull, int count, double size) {
    double area = 0;
    for (int i = 2; i < count; i++) {
        area += area2(hull[0], hull[i - 1], hull[i]);
    }
    if (area <= SAME_PLACE * size * size) return ends_of_line(hull, count);
    int kept = 0;
    for (int i = 0; i < count; i++) {
        Vec2 last = kept ? hull[kept - 1] : hull[count - 1];
        Vec2 next = hull[(i + 1) % count];
        if (apart(last, hull[i]) <= SAME_PLACE * size ||
            area2(last, hull[i], next) <= SAME_PLACE * size * size)
            continue;
        hull[kept++] = hull[i];
    }
    return kept > 2 ? kept : 0;
}

// The gaps of all points are linear in the gaps of three corners far apart.
static bool is_plane(const PlanePoints *p, const Vec2 *hull, int corners, double within) {
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

// Marks the points of a plane that are no corner of their hull. Returns how many.
static int mark_inner(ContactPoint *t, const PlanePoints *p, double within) {
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

// Marks redundant points: law NULL.
static void mark_redundant(ContactPoint *t, int count, double within) {
    for (int first = 0; first + 2 < count; first++) {
        if (!t[first].law || !may_be_redundant(&t[first])) continue;
        bool done = false;
        for (int i = 0; i < first && !done; i++) {
            done = t[i].law && of_one_plane(&t[first], &t[i]);
        }
        if (done) continue;
        for (;;) {
            PlanePoints p = points_of_plane(t, count, first);
            if (p.count < 3 || mark_inner(t, &p, within) == 0 || !t[first].law ||
                p.count < IMPACT_POINTS)
                break;
        }
    }
}

// Removes the marked points, in order. Returns how many are left.
static int remove_marked(ContactPoint *t, int32_t *slot, int count) {
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
    mark_redundant(t, count, within);
    return remove_marked(t, NULL, count);
}

int contact_reduce_floor(ContactPoint *t, int32_t *slot, int count, double within) {
    int first = 0;
    int other;
    while (first < count && !t[first].b_is_fixed) {
        first++;
    }
    for (other = first + 1; other < count && !(t[other].b_is_fixed && t[other].b != t[first].b);
         other++) {}
    // floors of one body are reduced already
    if (other >= count) return count;
    mark_redundant(t, count, within);
    return remove_marked(t, slot, count);
}
