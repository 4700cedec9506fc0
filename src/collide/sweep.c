// sweep.c -- boxes that hold a body while time goes on by T.
//
// The swept boxes of Mirtich & Canny 1995, section 3, by docs/theory/collision-detection.md,
// section 3. A free body's centre of mass flies a parabola: on each axis it is between the ends of
// the flight or at the apex. Around it no point is farther than the reach; nor, since a point turns
// by at most W T, farther than its box now says plus reach min(W T, 2), W the largest angular speed
// of the whole flight (C2): what stands still or turns slowly keeps a tight box, a ball always has
// its own. A prescribed body stays within the bound of its motion (C.4). All boxes are grown by the
// margin and by the rounding of positions.
//
// Assumed: T >= 0; poses and velocities are finite. Left out: bodies carried by joints.
//
// SPDX-License-Identifier: MIT
#include "collide/collide.h"

#define ROUNDING (8 * DBL_EPSILON)

typedef struct Range {
    double low, high;
} Range;

static Box box_of(Range x, Range y, Range z) {
    return (Box){ vec(x.low, y.low, z.low), vec(x.high, y.high, z.high) };
}
static Box whole_space(void) {
    return (Box){ vec(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL), vec(HUGE_VAL, HUGE_VAL, HUGE_VAL) };
}
static Box empty_box(void) { return (Box){ whole_space().high, whole_space().low }; }

static Range grown(Range r, double by) {
    by += ROUNDING * max2(fabs(r.low), fabs(r.high));
    return (Range){ r.low - by, r.high + by };
}

// x + v t + g t^2 / 2 for t in [0, T]
static Range parabola(double x, double v, double g, double T) {
    double end = x + T * (v + 0.5 * T * g);
    double rounding = ROUNDING * (fabs(T * v) + fabs(T * T * g));
    Range r = { min2(x, end), max2(x, end) };
    // the apex, at -v / g
    if ((v < 0 && g > 0 && -v < g * T) || (v > 0 && g < 0 && v < -g * T)) {
        double apex = x - 0.5 * v * v / g;
        r.low = min2(r.low, apex);
        r.high = max2(r.high, apex);
    }
    return grown(r, rounding);
}

// Extents along one axis of the world (a row of the rotation) of the body's box, about a point of
// the body.
static Range extents(const Body *b, impVec3 row, impVec3 about) {
    impVec3 middle = sub(scale(0.5, add(b->low, b->high)), about);
    impVec3 half = scale(0.5, sub(b->high, b->low));
    double at = dot(row, middle);
    double by = fabs(row.x) * half.x + fabs(row.y) * half.y + fabs(row.z) * half.z;
    return (Range){ at - by, at + by };
}

static Range within(Range r, double rotated, double bounding_radius) {
    return (Range){ max2(r.low - rotated, -bounding_radius),
                    min2(r.high + rotated, bounding_radius) };
}

static Range sum(Range a, Range b) { return (Range){ a.low + b.low, a.high + b.high }; }

static double turning(const Body *b, const Flying *now, double T) {
    impVec3 w = unrotate(qmul(now->q, b->axes), now->w);
    return b->bounding_radius * min2(motion_spin_bound(b->moments, w) * T, 2);
}

static Box box_of_round(const Body *b, const Flying *now, impVec3 g, double T, double margin) {
    Range all = { -b->bounding_radius, b->bounding_radius };
    Range x = sum(parabola(now->x.x, now->v.x, g.x, T), all);
    Range y = sum(parabola(now->x.y, now->v.y, g.y, T), all);
    Range z = sum(parabola(now->x.z, now->v.z, g.z, T), all);
    return box_of(grown(x, margin), grown(y, margin), grown(z, margin));
}

Box collide_box_free(const Body *b, const Flying *now, impVec3 g, double T, double margin) {
    if (b->shape_count == 0) return empty_box();
    if (!b->bounded) return whole_space();
    if (b->round) return box_of_round(b, now, g, T, margin + ROUNDING * b->bounding_radius);
    Mat3 r = rotation(now->q);
    double rotated = turning(b, now, T);
    Range x = sum(parabola(now->x.x, now->v.x, g.x, T),
                  within(extents(b, r.x, b->center), rotated, b->bounding_radius));
    Range y = sum(parabola(now->x.y, now->v.y, g.y, T),
                  within(extents(b, r.y, b->center), rotated, b->bounding_radius));
    Range z = sum(parabola(now->x.z, now->v.z, g.z, T),
                  within(extents(b, r.z, b->center), rotated, b->bounding_radius));
    margin += ROUNDING * b->bounding_radius;
    return box_of(grown(x, margin), grown(y, margin), grown(z, margin));
}

static double travel(const impModel *m, int body, impVec3 n, double T) {
    return m->body[body].role == IMP_KINEMATIC ? motion_travel(m, body, n, T) : 0;
}

Box collide_box_kinematic(const impModel *m, int body, impPose now, double T, double margin) {
    const Body *b = &m->body[body];
    const impVec3 origin = vec(0, 0, 0);
    if (b->shape_count == 0) return empty_box();
    if (!b->bounded) return whole_space();
    Mat3 r = rotation(now.rotation);
    Range x = sum((Range){ now.at.x, now.at.x },
                  within(extents(b, r.x, origin), 0, b->bounding_radius));
    Range y = sum((Range){ now.at.y, now.at.y },
                  within(extents(b, r.y, origin), 0, b->bounding_radius));
    Range z = sum((Range){ now.at.z, now.at.z },
                  within(extents(b, r.z, origin), 0, b->bounding_radius));
    margin += ROUNDING * (largest(now.at) + largest(b->low) + largest(b->high));
    return box_of(grown(x, margin + travel(m, body, vec(1, 0, 0), T)),
                  grown(y, margin + travel(m, body, vec(0, 1, 0), T)),
                  grown(z, margin + travel(m, body, vec(0, 0, 1), T)));
}

bool collide_half_space(const impModel *m, int body, impPose now, double T, double margin,
                        impVec3 *normal, double *offset) {
    const Body *b = &m->body[body];
    const Shape *s = &m->shape[b->first_shape];
    if (b->shape_count != 1 || b->role == IMP_DYNAMIC || shape_kinds[s->kind].bounded) return false;
    impPose p = pose_mul(now, s->pose);
    *normal = rotate(p.rotation, vec(s->size[0], s->size[1], s->size[2]));
    margin += ROUNDING * (fabs(s->size[3]) + 3 * largest(p.at));
    *offset = s->size[3] + dot(*normal, p.at) + margin + travel(m, body, *normal, T);
    return isfinite(*offset);
}
