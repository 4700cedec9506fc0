// normal_rate.c -- how fast the normal of a contact turns: guesses that impact_time.c proves its
// times with.
//
// Any rate of n makes a safe bound there; one that keeps up with what touches makes a long one. A
// flat takes its normal along. Two lines, of which each is an edge, or the side of a cylinder or
// cone seen from its axis, keep the angles that n has with them: n'.e = -n.(w x e), two equations,
// and n'.n = 0. Else, where something smooth touches, the normal is looked up a little before and a
// little after (Montana 1988 has formulas for it, and needs curvatures that rims do not have).
//
// SPDX-License-Identifier: MIT
#include "collide/convex.h"

#define LEAST_ANGLE 1e-3  // of two lines, seen along n: nearly parallel ones touch anywhere
// of a rate that is seen
enum { BITS = 12 };
#define SAMPLE_ROTATION 1e-3  // rad: rotation of the bodies by which their normal is sampled

// What keeps its angle with n: an edge, or the axis of a side.
static bool line_of(const Placed *s, Feature f, impVec3 *e) {
    ConvexKind kind = convex_kind(s->shape);
    int i = feature_index(f);
    bool edge = s->shape->core && feature_kind(f) == FEATURE_EDGE && i < s->shape->edge_count;
    bool side = (kind == CONVEX_CYLINDER || kind == CONVEX_CONE) &&
                feature_kind(f) == FEATURE_SMOOTH && i == 0;
    if (!edge && !side) return false;
    *e = rotate(s->pose.rotation,
                edge ? s->g->edge[s->shape->first_edge + i].direction : vec(0, 0, 1));
    return true;
}

static bool rate_of_lines(const Mover *a, const Mover *b, impVec3 e, impVec3 f, impVec3 n,
                          impVec3 *rate) {
    double volume = dot(e, cross(f, n));
    double x = -dot(n, cross(a->w, e));
    double y = -dot(n, cross(b->w, f));
    if (!(fabs(volume) > LEAST_ANGLE)) return false;
    *rate = scale(1 / volume, madd(scale(x, cross(f, n)), y, cross(n, e)));
    return true;
}

static impVec3 velocity_at(const Mover *m, impVec3 at) {
    return add(origin_velocity(m), cross(m->w, sub(at, m->x)));
}

static Placed after(const Placed *s, const Mover *m, impVec3 v, double t) {
    impQuat rotation = unit(quat(1, 0.5 * t * m->w.x, 0.5 * t * m->w.y, 0.5 * t * m->w.z));
    impVec3 at = add(madd(m->x, t, v), rotate(rotation, sub(s->pose.at, m->x)));
    return (Placed){ s->shape, s->g, pose(at, qmul(rotation, s->pose.rotation)) };
}

// Rounding moves what is seen by about a millionth: bits that say nothing are dropped, or two
// scenes that are alike but for their last bits would look at their pairs at different times.
static impVec3 coarse(impVec3 x, double of) {
    int e;
    frexp(of, &e);
    return vec(ldexp(rint(ldexp(x.x, BITS - e)), e - BITS),
               ldexp(rint(ldexp(x.y, BITS - e)), e - BITS),
               ldexp(rint(ldexp(x.z, BITS - e)), e - BITS));
}

// Without what they do along n: it does not turn it, and they would overlap.
static bool sampled_rate(const Mover *a, const Mover *b, const Placed *sa, const Placed *sb,
                         const Closest *c, impVec3 *rate) {
    impVec3 n = c->normal;
    impVec3 u = sub(velocity_at(a, c->on_a), velocity_at(b, c->on_b));
    impVec3 normal[2];
    double size = max2(a->core.bounding_radius, b->core.bounding_radius);
    double fast = norm(a->w) + norm(b->w) + (size > 0 ? norm(u) / size : 0);
    double t = SAMPLE_ROTATION / fast;
    if (!(fast > 0) || !isfinite(t)) return false;
    for (int i = 0; i < 2; i++) {
        double when = i ? t : -t;
        Placed pa = after(sa, a, madd(origin_velocity(a), -dot(n, u), n), when);
        Placed pb = after(sb, b, origin_velocity(b), when);
        normal[i] = collide_closest_since(&pa, &pb, c).normal;
    }
    *rate = coarse(scale(0.5 / t, sub(normal[1], normal[0])), fast);
    *rate = madd(*rate, -dot(*rate, n), n);
    return true;
}

// The sampled rate is rounded; the direction that keeps its angle with n is known.
static impVec3 with_line(impVec3 rate, impVec3 n, impVec3 e, const Mover *m) {
    impVec3 across = madd(e, -dot(e, n), n);
    double size = dot(across, across);
    double off = -dot(n, cross(m->w, e)) - dot(rate, e);
    return size > 0.01 ? madd(rate, off / size, across) : rate;
}

int collide_normal_rates(const Mover *a, const Mover *b, const Placed *sa, const Placed *sb,
                         const Closest *c, impVec3 out[RATES]) {
    impVec3 e, f;
    int count = 0;
    bool line_a = line_of(sa, c->feature_a, &e);
    bool line_b = line_of(sb, c->feature_b, &f);
    bool lines = line_a && line_b && rate_of_lines(a, b, e, f, c->normal, &out[0]);
    bool flat = convex_is_flat(sa->shape, c->feature_a) || convex_is_flat(sb->shape, c->feature_b);
    bool smooth = !flat && (feature_kind(c->feature_a) == FEATURE_SMOOTH ||
                            feature_kind(c->feature_b) == FEATURE_SMOOTH);
    if (!lines && smooth && sampled_rate(a, b, sa, sb, c, &out[0])) {
        if (line_a) {
            out[0] = with_line(out[0], c->normal, e, a);
        }
        if (line_b) {
            out[0] = with_line(out[0], c->normal, f, b);
        }
        count = 1;
    } else if (lines) {
        count = 1;
    }
    if (lines && !smooth) return count;
    out[count++] = cross(a->w, c->normal);
    if (!zero3(sub(a->w, b->w))) {
        out[count++] = cross(b->w, c->normal);
    }
    return count;
}
