// narrow_cache.c -- two bodies meet again: what the last look found spares most of the next one.
//
// Two convex pieces are at least as far apart as their extents along any direction say (the
// separating axes of physics.md B), so a direction that told them apart a moment ago still gives a
// bound today, for the cost of a few products. A look leaves the directions of all near pieces
// behind, each with what it goes with: the body whose face it is square to, two edges, or nobody.
// The next look asks them; only pieces that are within reach, or half as far apart as when they
// were last looked at, are searched for their closest points. Pieces that were too far to be in the
// list are still, less the way of both.
//
// Bounds in the place of distances make looks come earlier at most, never too late: a piece that
// touches is always searched. What is kept here lives within a step.
//
// SPDX-License-Identifier: MIT
#include "contact/contact.h"

// of a piece: more are searched as quickly
enum { FEW_VERTICES = 32 };
#define NEARLY_PARALLEL 1e-3  // rad: edges whose common normal would turn too fast
#define HALF            0.5   // of the distance of the last search: search anew
// what the other pieces must leave, of what might be gone
#define MOST_OF_THE_WAY 0.3

static bool is_plain(const Shape *s) {
    return !shape_kinds[s->kind].bounded || (s->core && s->vertex_count <= FEW_VERTICES);
}

// --- directions ----------------------------------------------------------------------------------
static SeparatingAxis sight_of(const impModel *m, const Actor *a, const Actor *b, const Near *n) {
    Placed p = contact_piece(m, a, n->shape_a);
    Placed q = contact_piece(m, b, n->shape_b);
    SeparatingAxis s = { n->shape_a, n->shape_b,    n->c.feature_a, n->c.feature_b,
                         AXIS_WORLD, n->c.distance, n->c.normal,    vec(0, 0, 0) };
    impVec3 ea, eb;
    bool over_a = !shape_kinds[p.shape->kind].bounded;
    bool over_b = !shape_kinds[q.shape->kind].bounded;
    if (over_a || (!over_b && feature_kind(s.feature_a) == FEATURE_FACE)) {
        s.frame = AXIS_OF_A;
        s.direction = unrotate(a->pose.rotation, n->c.normal);
    } else if (over_b || feature_kind(s.feature_b) == FEATURE_FACE) {
        s.frame = AXIS_OF_B;
        s.direction = unrotate(b->pose.rotation, n->c.normal);
    } else if (contact_edge(&p, s.feature_a, &ea) && contact_edge(&q, s.feature_b, &eb) &&
               norm(cross(ea, eb)) > NEARLY_PARALLEL) {
        s.frame = AXIS_OF_EDGES;
        s.direction = unrotate(a->pose.rotation,
                               dot(cross(ea, eb), n->c.normal) < 0 ? neg(ea) : ea);
        s.direction_b = unrotate(b->pose.rotation, eb);
    }
    return s;
}

static impVec3 direction_now(const SeparatingAxis *s, const Actor *a, const Actor *b) {
    if (s->frame == AXIS_OF_A) return rotate(a->pose.rotation, s->direction);
    if (s->frame == AXIS_OF_B) return rotate(b->pose.rotation, s->direction);
    if (s->frame == AXIS_WORLD) return s->direction;
    impVec3 n = cross(rotate(a->pose.rotation, s->direction),
                      rotate(b->pose.rotation, s->direction_b));
    double length = norm(n);
    return length > 0 ? scale(1 / length, n) : vec(0, 0, 1);
}

// The point that is least far along n.
static impVec3 rearmost(const Placed *p, impVec3 n) {
    const Shape *s = p->shape;
    // of the plane, to which n is square
    if (!shape_kinds[s->kind].bounded)
        return place(p->pose, shape_kinds[s->kind].support(s, p->g, n));
    const impVec3 *v = p->g->vertex + s->first_vertex;
    const impVec3 own = unrotate(p->pose.rotation, n);
    int best = 0;
    double least = dot(own, v[0]);
    for (int i = 1; i < s->vertex_count; i++) {
        double x = dot(own, v[i]);
        if (x < least) {
            least = x;
            best = i;
        }
    }
    return madd(place(p->pose, v[best]), -s->radius, n);
}

static Closest bound_along(const SeparatingAxis *s, const Placed *p, const Placed *q, impVec3 n) {
    impVec3 on_a = rearmost(p, n);
    impVec3 on_b = rearmost(q, neg(n));
    return (Closest){ .distance = dot(n, sub(on_a, on_b)),
                      .normal = n,
                      .on_a = on_a,
                      .on_b = on_b,
                      .feature_a = s->feature_a,
                      .feature_b = s->feature_b };
}

// --- what a look leaves behind -------------------------------------------------------------------
static bool are_plain(const impModel *m, const NarrowPhase *w) {
    for (int k = 0; k < w->list.count; k++) {
        const Near *n = &w->list.near[k];
        if (!is_plain(&m->shape[w->a->body->first_shape + n->shape_a]) ||
            !is_plain(&m->shape[w->b->body->first_shape + n->shape_b]))
            return false;
    }
    return !w->list.cut;
}

void contact_cache_store(const impModel *m, const NarrowPhase *w, SeparatingAxis *axis_cache,
                         int room, NarrowCache *out) {
    bool kept = w->from_cache && out->axis_count > 0;
    int axis_count = kept ? out->axis_count : 0;
    if (!kept && w->list.count <= room && w->others_distance < HUGE_VAL && are_plain(m, w)) {
        for (; axis_count < w->list.count; axis_count++) {
            axis_cache[axis_count] = sight_of(m, w->a, w->b, &w->list.near[axis_count]);
        }
    }
    *out = (NarrowCache){ min2(w->list.nearest.c.distance, w->others_distance),
                          w->others_distance,
                          sub(w->b->x, w->a->x),
                          w->a->q,
                          w->b->q,
                          axis_count };
}

// of any point by its turn about x
static double farthest_shift(const Actor *a, impQuat then) {
    impQuat rotation = qmul(a->q, conjugate(then));
    double sine = sqrt(rotation.x * rotation.x + rotation.y * rotation.y + rotation.z * rotation.z);
    if (sine == 0) return 0;
    if (!a->body->bounded) return HUGE_VAL;
    return 2 * sine * a->body->bounding_radius;
}

static double shift_since(const NarrowCache *s, const Actor *a, const Actor *b) {
    double shift = norm(sub(sub(b->x, a->x), s->offset)) + farthest_shift(a, s->orientation_a) +
                   farthest_shift(b, s->orientation_b);
    return shift * (1 + 1e-12) + 8 * DBL_EPSILON * (largest(a->x) + largest(b->x));
}

double contact_cache_distance(const NarrowCache *s, const Actor *a, const Actor *b) {
    return s->distance - shift_since(s, a, b);
}

// --- the next look -------------------------------------------------------------------------------
bool contact_narrow_phase_cached(const impModel *m, const NarrowCache *seen,
                                 SeparatingAxis *axis_cache, double within, double way,
                                 StartFeature *start_features, NarrowPhase *out) {
    const Actor *a = out->a;
    const Actor *b = out->b;
    double sure = seen->others_distance - shift_since(seen, a, b);
    if (seen->axis_count == 0 || !(sure >= within + MOST_OF_THE_WAY * way)) return false;
    out->list =
        (NearList){ .near = out->near, .room = NEAR_ROOM, .nearest = { .c.distance = HUGE_VAL } };
    for (int k = 0; k < seen->axis_count; k++) {
        SeparatingAxis *s = &axis_cache[k];
        Placed p = contact_piece(m, a, s->shape_a);
        Placed q = contact_piece(m, b, s->shape_b);
        Near *n = &out->near[out->list.count++];
        *n = (Near){
            .shape_a = s->shape_a, .shape_b = s->shape_b, .triangle_a = -1, .triangle_b = -1
        };
        n->c = bound_along(s, &p, &q, direction_now(s, a, b));
        if (n->c.distance <= within || n->c.distance < HALF * s->distance) {
            n->c = collide_closest(
                &p, &q,
                start_features ? &start_features[s->shape_a * b->body->shape_count + s->shape_b]
                               : NULL);
            *s = sight_of(m, a, b, n);
        }
        if (n->c.distance < out->list.nearest.c.distance) {
            out->list.nearest = *n;
        }
    }
    out->others_distance = sure;
    out->from_cache = true;
    return true;
}
