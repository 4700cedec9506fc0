// narrow_cache.c -- narrow-phase cache: separating axes of the last query of a pair, kept as
// bounds on distances.
//
// docs/theory/collision-detection.md, section 7. Two convex pieces are at least as far apart as
// their extents along any direction, so the normal of the last query still gives a bound, at the
// cost of a few products. Each axis is kept in the frame with which it moves: that of the body
// whose face it is normal to, that of two edges, or the world's. Pieces within the distance asked
// for, or less than half as far apart as at their last search, are searched again. Pieces that
// were not in the list are bounded by the motion of both bodies since. A bound in place of a
// distance makes the next query earlier at most. The cache lives within a step.
//
// SPDX-License-Identifier: MIT
#include "contact/contact.h"

// vertices of a piece: with more a search is as fast. Speed only.
enum { FEW_VERTICES = 32 };
// rad: the common normal of edges that are more parallel rotates too fast. Speed only.
#define PARALLEL_EDGES 1e-3
// 1, of the distance at the last search: below, search again. Speed only.
#define SEARCH_AGAIN 0.5
// 1, of the travel asked for: distance that pieces outside the list must have left. Test:
// tests/contact/narrow.c
#define LEAST_MARGIN 0.3

static bool has_few_vertices(const Shape *s) {
    return !shape_kinds[s->kind].bounded || (s->core && s->vertex_count <= FEW_VERTICES);
}

// --- axes ----------------------------------------------------------------------------------------

// The separating axis of a near pair of pieces, in the frame with which it moves.
static SeparatingAxis separating_axis(const impModel *m, const Actor *a, const Actor *b,
                                      const Near *n) {
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
               norm(cross(ea, eb)) > PARALLEL_EDGES) {
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

// The lowest point of a piece along n.
static impVec3 lowest_point(const Placed *p, impVec3 n) {
    const Shape *s = p->shape;
    // n is normal to the plane
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
    impVec3 on_a = lowest_point(p, n);
    impVec3 on_b = lowest_point(q, neg(n));
    return (Closest){ .distance = dot(n, sub(on_a, on_b)),
                      .normal = n,
                      .on_a = on_a,
                      .on_b = on_b,
                      .feature_a = s->feature_a,
                      .feature_b = s->feature_b };
}

// --- storing -------------------------------------------------------------------------------------

static bool have_few_vertices(const impModel *m, const NarrowPhase *query) {
    for (int k = 0; k < query->list.count; k++) {
        const Near *n = &query->list.near[k];
        if (!has_few_vertices(&m->shape[query->a->body->first_shape + n->shape_a]) ||
            !has_few_vertices(&m->shape[query->b->body->first_shape + n->shape_b]))
            return false;
    }
    return !query->list.cut;
}

void contact_cache_store(const impModel *m, const NarrowPhase *query, SeparatingAxis *axis_cache,
                         int room, NarrowCache *out) {
    bool kept = query->from_cache && out->axis_count > 0;
    int axis_count = kept ? out->axis_count : 0;
    if (!kept && query->list.count <= room && query->others_distance < HUGE_VAL &&
        have_few_vertices(m, query)) {
        for (; axis_count < query->list.count; axis_count++) {
            axis_cache[axis_count] = separating_axis(m, query->a, query->b,
                                                     &query->list.near[axis_count]);
        }
    }
    *out = (NarrowCache){ min2(query->list.nearest.c.distance, query->others_distance),
                          query->others_distance,
                          sub(query->b->x, query->a->x),
                          query->a->q,
                          query->b->q,
                          axis_count };
}

// Largest displacement of a point of the body by its rotation since the query, m.
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

// --- the next query ------------------------------------------------------------------------------

bool contact_narrow_phase_cached(const impModel *m, const NarrowCache *cache,
                                 SeparatingAxis *axis_cache, double within, double travel,
                                 StartFeature *start_features, NarrowPhase *out) {
    const Actor *a = out->a;
    const Actor *b = out->b;
    double others_distance = cache->others_distance - shift_since(cache, a, b);
    if (cache->axis_count == 0 || !(others_distance >= within + LEAST_MARGIN * travel))
        return false;
    out->list =
        (NearList){ .near = out->near, .room = NEAR_ROOM, .nearest = { .c.distance = HUGE_VAL } };
    for (int k = 0; k < cache->axis_count; k++) {
        SeparatingAxis *s = &axis_cache[k];
        Placed p = contact_piece(m, a, s->shape_a);
        Placed q = contact_piece(m, b, s->shape_b);
        Near *n = &out->near[out->list.count++];
        *n = (Near){
            .shape_a = s->shape_a, .shape_b = s->shape_b, .triangle_a = -1, .triangle_b = -1
        };
        n->c = bound_along(s, &p, &q, direction_now(s, a, b));
        if (n->c.distance <= within || n->c.distance < SEARCH_AGAIN * s->distance) {
            n->c = collide_closest(
                &p, &q,
                start_features ? &start_features[s->shape_a * b->body->shape_count + s->shape_b]
                               : NULL);
            *s = separating_axis(m, a, b, n);
        }
        if (n->c.distance < out->list.nearest.c.distance) {
            out->list.nearest = *n;
        }
    }
    out->others_distance = others_distance;
    out->from_cache = true;
    return true;
}
