// pairs.c -- which routine answers for which two kinds of shape: the TABLE of pairs.
//
// A new shape needs no row here: it is found by its support map. Cells exist where a closed form is
// faster or has more digits: balls and capsules among themselves, a ball and a brick, anything over
// a plane. Polytopes, with their radii, walk (vclip.c), and where their cores overlap the axis of
// least overlap answers.
//
// Swapping a and b mirrors the answer to the last bit: a pair is always answered in one order, by
// class, and within a class by the numbers themselves (kind, measures, pose, vertices), never by
// addresses. Two that are equal in all of these lie in the same place, and their answer is one
// whichever comes first.
//
// SPDX-License-Identifier: MIT
#include "collide/convex.h"

#include <string.h>

typedef Closest (*Cell)(const Placed *a, const Placed *b, StartFeature *start_feature);

// two planes; meshes are taken apart elsewhere
static Closest nobody(const Placed *a, const Placed *b, StartFeature *start_feature) {
    (void)start_feature;
    return (Closest){
        .distance = HUGE_VAL, .normal = vec(0, 0, 1), .on_a = a->pose.at, .on_b = b->pose.at
    };
}

// --- balls and capsules: points and segments with a radius ---------------------------------------
// p, q: from b
static Closest with_radii(const Placed *a, const Placed *b, impVec3 n, double d, impVec3 p,
                          impVec3 q) {
    double ra = a->shape->radius;
    double rb = b->shape->radius;
    return (Closest){ .distance = d - ra - rb,
                      .normal = n,
                      .on_a = add(b->pose.at, madd(p, -ra, n)),
                      .on_b = add(b->pose.at, madd(q, rb, n)),
                      .steps = 1 };
}

static Closest balls(const Placed *a, const Placed *b, StartFeature *start_feature) {
    impVec3 r = sub(a->pose.at, b->pose.at);
    double d = norm(r);
    (void)start_feature;
    return with_radii(a, b, d > 0 ? scale(1 / d, r) : vec(0, 0, 1), d, r, vec(0, 0, 0));
}

typedef struct Stick {
    impVec3 low, high, along;
    double length;
    bool inside;
    Feature feature;
} Stick;

static Stick stick_of(const Placed *p, impVec3 at) {
    double length = convex_kind(p->shape) == CONVEX_SEGMENT ? p->shape->size[1] : 0;
    impVec3 along = rotate(p->pose.rotation, vec(0, 0, 1));
    return (Stick){
        madd(at, -0.5 * length, along), madd(at, 0.5 * length, along), along, length, false, 0
    };
}

static void name_feature(Stick *s, impVec3 x) {
    double along = dot(sub(x, s->low), s->along);
    double rest = s->length - along;
    double grain = 1e-12 * s->length;
    s->inside = along > grain && rest > grain;
    s->feature = s->inside ? feature_of(FEATURE_EDGE, 0) : feature_of(FEATURE_VERTEX, along > rest);
}

// square to a unit vector
static impVec3 squared(impVec3 n, impVec3 along) { return madd(n, -dot(n, along), along); }

// Square to both, where the product of the two directions has more digits than the difference r of
// the points, and r says so but for rounding.
static bool crossing_normal(const Stick *a, const Stick *b, impVec3 r, impVec3 *out) {
    impVec3 n = cross(a->along, b->along);
    double sine = norm(n);
    double size = a->length + b->length;
    if (!(sine > 0) || !(sine * size > norm(r))) return false;
    // the product of nearly parallel ones is not
    n = squared(squared(scale(1 / sine, n), a->along), b->along);
    n = scale((dot(n, r) < 0 ? -1 : 1) / norm(n), n);
    *out = n;
    return (a->inside && b->inside) || norm(madd(r, -dot(n, r), n)) <= 0x1p-48 * size;
}

// The normal is square to every stick that holds its point inside: a difference alone would lose
// digits when they cross.
static impVec3 stick_normal(const Stick *a, const Stick *b, impVec3 r) {
    impVec3 n;
    if (crossing_normal(a, b, r, &n)) return n;
    n = scale(1 / norm(r), r);
    if (a->inside) {
        n = squared(n, a->along);
    }
    if (b->inside) {
        n = squared(n, b->along);
    }
    double length = norm(n);
    return length > 0 ? scale(1 / length, n) : scale(1 / norm(r), r);
}

static Closest sticks(const Placed *a, const Placed *b, StartFeature *start_feature) {
    Stick s = stick_of(a, sub(a->pose.at, b->pose.at));
    Stick t = stick_of(b, vec(0, 0, 0));
    impVec3 p, q;
    (void)start_feature;
    collide_segments(s.low, s.high, t.low, t.high, &p, &q);
    impVec3 r = sub(p, q);
    if (!(norm(r) > 1e-13 * (s.length + t.length + largest(s.low)))) return collide_overlap(a, b);
    name_feature(&s, p);
    name_feature(&t, q);
    impVec3 n = stick_normal(&s, &t, r);
    Closest c = with_radii(a, b, n, dot(n, r), p, q);
    c.feature_a = s.feature;
    c.feature_b = t.feature;
    return c;
}

// --- polytopes with a radius ---------------------------------------------------------------------
#define SLIM 0x1p-8  // of the size: gaps whose direction may have lost digits

// of a feature, where a climb may start
static int some_vertex(const Core *p, Feature f) {
    int i = feature_index(f);
    if (feature_kind(f) == FEATURE_VERTEX) return i;
    return feature_kind(f) == FEATURE_EDGE ? p->edge[i].tail : p->loop[p->face[i].first];
}

// Along a true normal they are as far apart as their points. Where a vertex is next to the border
// of a region a slim gap may be told a neighbour's normal; then the answer is found again from
// there. at most
static double bounding_radius_of(const Placed *p) {
    return 1.7321 * largest(upper(neg(p->shape->low), p->shape->high));
}

// false: they overlap after all
static bool mend(const Placed *a, const Placed *b, Closest *c) {
    if (c->distance > SLIM * (bounding_radius_of(a) + bounding_radius_of(b))) return true;
    Couple k = convex_couple(a, b);
    impVec3 n = unrotate(b->pose.rotation, c->normal);
    Corner start = { .a = some_vertex(&k.side[0].p, c->feature_a),
                     .b = some_vertex(&k.side[1].p, c->feature_b) };
    if (dot(n, convex_corner_toward(&k, n, start).w) >= c->distance - 4 * FLAT * k.size)
        return true;
    Judged j = convex_settle(&k, n, c->distance);
    k.side[0].radius = k.side[1].radius = 0;
    Closest mended = convex_answer(&k, &j);
    mended.steps += c->steps;
    if (j.good && j.d > 0) {
        *c = mended;
    }
    return j.d > 0;
}

// Deep inside, a walk may go round in circles. overlap.c looks at all axes, which proves the
// overlap by itself; only where it finds the cores apart has the walk failed.
static Closest polytopes(const Placed *a, const Placed *b, StartFeature *start_feature) {
    Closest c;
    if (!collide_vclip(a, b, start_feature, &c)) {
        Closest other = collide_overlap(a, b);
        double core = other.distance + a->shape->radius + b->shape->radius;
        // else they touch at least
        bool apart = core > 1e-13 * (largest(a->shape->high) + largest(b->shape->high));
        if (c.fallback && apart) {
            other = collide_gjk(a, b);
            other.fallback = true;
        }
        other.steps += c.steps;
        return other;
    }
    if (!mend(a, b, &c)) return collide_overlap(a, b);
    double nn = dot(c.normal, c.normal);
    if (fabs(nn - 1) > 4 * DBL_EPSILON) {
        c.normal = scale(1 / sqrt(nn), c.normal);
    }
    double ra = a->shape->radius;
    double rb = b->shape->radius;
    if (ra > 0 || rb > 0) {
        c.on_a = madd(c.on_a, -ra, c.normal);
        c.on_b = madd(c.on_b, rb, c.normal);
        c.distance -= ra + rb;
    }
    return c;
}

static double within(double x, double h) { return x < -h ? -h : x > h ? h : x; }

// The brick's corners and edges are numbered by the walk; the middle of a ball outside knows its
// region by itself, so only balls whose middle is inside are handed on.
static Closest ball_and_polytope(const Placed *a, const Placed *b, StartFeature *start_feature) {
    if (strcmp(shape_kinds[b->shape->kind].name, "box") != 0) return polytopes(a, b, start_feature);
    impVec3 x = unrotate(b->pose.rotation, sub(a->pose.at, b->pose.at));
    impVec3 h = b->g->vertex[b->shape->first_vertex + 7];
    // h: half lengths of the core
    impVec3 q = vec(within(x.x, h.x), within(x.y, h.y), within(x.z, h.z));
    impVec3 r = sub(x, q);
    double d = norm(r);
    int outside = (r.x != 0) + (r.y != 0) + (r.z != 0);
    if (!(d > 1e-13 * (largest(x) + largest(q)))) return collide_overlap(a, b);
    if (outside != 1) return polytopes(a, b, start_feature);
    impVec3 n = rotate(b->pose.rotation, scale(1 / d, r));
    Closest c = with_radii(a, b, n, d, rotate(b->pose.rotation, x), rotate(b->pose.rotation, q));
    c.feature_a = feature_of(FEATURE_VERTEX, 0);
    c.feature_b = feature_of(FEATURE_FACE, r.x < 0   ? 0
                                           : r.y < 0 ? 1
                                           : r.z < 0 ? 2
                                           : r.z > 0 ? 3
                                           : r.y > 0 ? 4
                                                     : 5);
    return c;
}

// --- the rest ------------------------------------------------------------------------------------
static Closest smooth(const Placed *a, const Placed *b, StartFeature *start_feature) {
    (void)start_feature;
    return collide_gjk(a, b);
}

static Closest over_plane(const Placed *a, const Placed *b, StartFeature *start_feature) {
    (void)start_feature;
    return collide_plane(a, b);
}

enum { CLASSES = CONVEX_NONE + 1 };
// clang-format off
static const Cell pairs[CLASSES][CLASSES] = {   // a's class is never after b's
    // point  segment  polytope           cylinder  cone    ellipsoid  plane       mesh
    { balls,  sticks,  ball_and_polytope, smooth,   smooth, smooth,    over_plane, nobody },   // point
    { NULL,   sticks,  polytopes,         smooth,   smooth, smooth,    over_plane, nobody },   // segment
    { NULL,   NULL,    polytopes,         smooth,   smooth, smooth,    over_plane, nobody },   // polytope
    { NULL,   NULL,    NULL,              smooth,   smooth, smooth,    over_plane, nobody },   // cylinder
    { NULL,   NULL,    NULL,              NULL,     smooth, smooth,    over_plane, nobody },   // cone
    { NULL,   NULL,    NULL,              NULL,     NULL,   smooth,    over_plane, nobody },   // ellipsoid
    { NULL,   NULL,    NULL,              NULL,     NULL,   NULL,      nobody,     nobody },   // plane
    { NULL,   NULL,    NULL,              NULL,     NULL,   NULL,      NULL,       nobody },   // mesh
};
// clang-format on

// --- one order for both --------------------------------------------------------------------------
static int compare(const double *a, const double *b, int count) {
    for (int i = 0; i < count; i++) {
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    }
    return 0;
}

static int compare_points(const Placed *a, const Placed *b) {
    int count = a->shape->vertex_count;
    int other = b->shape->vertex_count;
    if (count != other) return count < other ? -1 : 1;
    for (int i = 0; i < count; i++) {
        impVec3 p = a->g->vertex[a->shape->first_vertex + i];
        impVec3 q = b->g->vertex[b->shape->first_vertex + i];
        int c = compare((double[]){ p.x, p.y, p.z }, (double[]){ q.x, q.y, q.z }, 3);
        if (c) return c;
    }
    return 0;
}

static int compare_poses(impPose a, impPose b) {
    // nearly always
    if (a.at.x != b.at.x) return a.at.x < b.at.x ? -1 : 1;
    return compare((double[]){ a.at.x, a.at.y, a.at.z, a.rotation.w, a.rotation.x, a.rotation.y,
                               a.rotation.z },
                   (double[]){ b.at.x, b.at.y, b.at.z, b.rotation.w, b.rotation.x, b.rotation.y,
                               b.rotation.z },
                   7);
}

static bool second_first(const Placed *a, const Placed *b, int class_a, int class_b) {
    if (class_a != class_b) return class_a > class_b;
    if (a->shape->kind != b->shape->kind) return a->shape->kind > b->shape->kind;
    int c = compare(a->shape->size, b->shape->size, 4);
    if (c == 0) {
        c = compare(&a->shape->radius, &b->shape->radius, 1);
    }
    if (c == 0) {
        c = compare_poses(a->pose, b->pose);
    }
    if (c == 0) {
        c = compare_points(a, b);
    }
    return c > 0;
}

static Closest mirrored(Closest c) {
    Closest m = c;
    m.normal = neg(c.normal);
    m.on_a = c.on_b;
    m.on_b = c.on_a;
    m.feature_a = c.feature_b;
    m.feature_b = c.feature_a;
    return m;
}

static StartFeature turned_round(StartFeature h) { return (StartFeature){ h.b, h.a, h.known }; }

Closest collide_closest(const Placed *a, const Placed *b, StartFeature *start_feature) {
    int class_a = (int)convex_kind(a->shape);
    int class_b = (int)convex_kind(b->shape);
    bool swap = second_first(a, b, class_a, class_b);
    StartFeature h = start_feature ? (swap ? turned_round(*start_feature) : *start_feature)
                                   : (StartFeature){ .known = false };
    Closest c = swap ? mirrored(pairs[class_b][class_a](b, a, &h))
                     : pairs[class_a][class_b](a, b, &h);
    if (start_feature) {
        *start_feature = (StartFeature){ c.feature_a, c.feature_b, h.known };
    }
    if (start_feature && h.known) {
        *start_feature = swap ? turned_round(h) : h;
    }
    return c;
}

Closest collide_closest_since(const Placed *a, const Placed *b, const Closest *near) {
    int class_a = (int)convex_kind(a->shape);
    int class_b = (int)convex_kind(b->shape);
    bool swap = second_first(a, b, class_a, class_b);
    if ((swap ? pairs[class_b][class_a] : pairs[class_a][class_b]) != smooth)
        return collide_closest(a, b, NULL);
    if (!swap) return collide_gjk_since(a, b, near);
    Closest other = mirrored(*near);
    return mirrored(collide_gjk_since(b, a, &other));
}
