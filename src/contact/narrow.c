// narrow.c -- narrow phase of two bodies: their near pieces, and a bound on the time of impact.
//
// docs/theory/collision-detection.md, sections 7 and 8. The caller says how far ahead in time
// pieces matter: those that cannot come near by then, at the speed of their fastest points, are
// left out by their boxes. Pieces that are not in the list are at least others_distance apart and
// bounded by that speed. Of meshes, and of very many pieces, those within a margin that grows with
// the distance are searched. The nearest pair of pieces gives the first time; the others are asked
// only whether theirs is earlier.
//
// SPDX-License-Identifier: MIT
#include "contact/contact.h"

Placed contact_piece(const impModel *m, const Actor *a, int i) {
    const Shape *s = &m->shape[a->body->first_shape + i];
    return (Placed){ s, &m->geometry, pose_mul(a->pose, s->pose) };
}

static bool has_mesh(const impModel *m, const Actor *a) {
    for (int i = 0; i < a->body->shape_count; i++) {
        const Shape *s = &m->shape[a->body->first_shape + i];
        if (shape_kinds[s->kind].points && !s->core) return true;
    }
    return false;
}

static bool is_ball(const impModel *m, const Actor *a) {
    const Shape *s = &m->shape[a->body->first_shape];
    return s->core && s->vertex_count == 1;
}

static void query_single(const impModel *m, StartFeature *start_feature, NarrowPhase *out) {
    Placed p = contact_piece(m, out->a, 0);
    Placed q = contact_piece(m, out->b, 0);
    Near n = { .triangle_a = -1, .triangle_b = -1, .c = collide_closest(&p, &q, start_feature) };
    out->near[0] = n;
    out->list = (NearList){ out->near, NEAR_ROOM, 1, false, n };
    out->others_distance = HUGE_VAL;
}

static double farthest(const NearList *list) {
    double far = 0;
    for (int i = 0; i < list->count; i++) {
        far = max2(far, list->near[i].c.distance);
    }
    return far;
}

// --- motion of the pieces ------------------------------------------------------------------------

static void set_piece_mover(Mover *mover, const impModel *m, const Actor *a, const Extent *core,
                            bool spins) {
    collide_set_mover(mover, m, a->index, core, &a->now, a->t, spins);
    if (a->free) {
        mover->a = a->asleep ? vec(0, 0, 0) : a->acceleration;
    }
}

// The extent of the fastest piece. A round piece, which its own rotation maps onto itself, counts
// only among round ones.
static const Extent *widest(const Actor *a, const Extent *extents) {
    const Extent *of = &extents[a->body->first_shape];
    const Extent *most = of;
    for (int i = 1; i < a->body->shape_count; i++) {
        if (of[i].round != most->round ? most->round
                                       : of[i].bounding_radius > most->bounding_radius) {
            most = &of[i];
        }
    }
    return most;
}

// The core of a ball is a point, which rotation leaves in place.
static bool rotation_matters(const Actor *a, const Extent *most) {
    return a->body->role == IMP_KINEMATIC || (a->free && most->bounding_radius > 0);
}

static void set_pair_movers(Mover mover[2], const impModel *m, const Actor *a, const Actor *b,
                            const Extent *extents) {
    const Extent *of_a = widest(a, extents);
    const Extent *of_b = widest(b, extents);
    bool spins = rotation_matters(a, of_a) || rotation_matters(b, of_b);
    set_piece_mover(&mover[0], m, a, of_a, spins);
    set_piece_mover(&mover[1], m, b, of_b, spins);
}

static void set_query_movers(const impModel *m, NarrowPhase *query, const Extent *extents) {
    set_pair_movers(query->mover, m, query->a, query->b, extents);
    query->movers_known = true;
}

static double travel_ahead(const impModel *m, NarrowPhase *query, const Extent *extents, double T) {
    if (!(T > 0)) return 0;
    set_query_movers(m, query, extents);
    return collide_travel_by_speed(&query->mover[0], &query->mover[1], T);
}

// The mover of another piece of the body: only for pieces that rotation maps onto themselves it
// differs by more than the extent.
static void change_piece(const impModel *m, const Actor *a, const Extent *core, Mover *mover) {
    if (core->round == mover->core.round) {
        mover->core = *core;
    } else {
        set_piece_mover(mover, m, a, core, true);
    }
}

// --- near pieces ---------------------------------------------------------------------------------

static void query_pieces(const impModel *m, NarrowPhase *out, double margin,
                         StartFeature *start_features) {
    out->list = (NearList){ .near = out->near, .room = NEAR_ROOM };
    collide_bodies(m, out->a->index, out->b->index, out->a->pose, out->b->pose, margin,
                   start_features, &out->list);
    out->others_distance = out->list.cut ? farthest(&out->list) : margin;
}

static double extent(const Actor *a) { return a->free ? a->body->extent : HUGE_VAL; }

// Many pieces, or triangles.
static void query_many(const impModel *m, NarrowPhase *out, double within, double far) {
    double margin = max2(within, 0.1 * min2(extent(out->a), extent(out->b)));
    query_pieces(m, out, margin, NULL);
    if (out->list.nearest.c.distance < HUGE_VAL || margin >= far) return;
    Near first = collide_body_distance(m, out->a->index, out->b->index, out->a->pose, out->b->pose,
                                       HUGE_VAL);
    // no piece within the margin: find the distance first
    query_pieces(m, out, margin + 1.5 * max2(first.c.distance, 0), NULL);
}

void contact_narrow_phase(const impModel *m, const Actor *a, const Actor *b, const Extent *extents,
                          double within, double ahead, StartFeature *start_features,
                          const NarrowCacheRef *last, NarrowPhase *out) {
    out->a = a;
    out->b = b;
    out->movers_known = out->from_cache = out->prefers_b = false;
    bool mesh = has_mesh(m, a) || has_mesh(m, b);
    int count_a = a->body->shape_count;
    int count_b = b->body->shape_count;
    if (count_a == 1 && count_b == 1 && !mesh && (is_ball(m, a) || is_ball(m, b))) {
        query_single(m, is_ball(m, a) && is_ball(m, b) ? NULL : start_features, out);
        return;
    }
    double travel = travel_ahead(m, out, extents, ahead);
    double far = within + travel;
    // the cache of the last query may answer
    if (last && contact_narrow_phase_cached(m, last->cache, last->axes, within, travel,
                                            start_features, out))
        return;
    if (mesh || count_a * count_b > FEW_PIECES) {
        query_many(m, out, within, far);
    } else {
        query_pieces(m, out, far, start_features);
    }
}

// --- time bounds without a query -----------------------------------------------------------------

double contact_time_to_approach(const impModel *m, const Actor *a, const Actor *b,
                                const Extent *extents, double d) {
    Mover mover[2];
    set_pair_movers(mover, m, a, b, extents);
    return collide_time_by_speed(&mover[0], &mover[1], d);
}

// --- time bounds of a query ----------------------------------------------------------------------

static impVec3 farthest_point(const Placed *p, impVec3 toward) {
    return place(p->pose, shape_kinds[p->shape->kind].support(p->shape, p->g,
                                                              unrotate(p->pose.rotation, toward)));
}

Closest contact_on_facets(const Near *n) {
    Closest c = n->c;
    if (n->triangle_a >= 0) {
        c.feature_a = n->local;
    }
    if (n->triangle_b >= 0) {
        c.feature_b = n->local;
    }
    return c;
}

// Closest points of a triangle with a nearer neighbour (inner): the one that touches next in a
// dish, for example. It is bounded by its own plane or, where the other body extends through that,
// by its own distance.
static Closest closest_of_inner(const Placed *p, const Placed *q, const Closest *c, double level) {
    Closest out = *c;
    out.on_a = farthest_point(p, neg(c->normal));
    out.on_b = farthest_point(q, c->normal);
    out.distance = dot(c->normal, sub(out.on_a, out.on_b));
    StartFeature none = { 0 };
    return out.distance > level ? out : collide_closest(p, q, &none);
}

// A time, s, before which a near pair of pieces does not come nearer than `level`, or than it is.
static double time_of_pieces(const impModel *m, const NarrowPhase *query, const Near *n,
                             double level, double enough) {
    Placed p = contact_piece(m, query->a, n->shape_a);
    Placed q = contact_piece(m, query->b, n->shape_b);
    Facet room_a, room_b;
    if (n->triangle_a >= 0) {
        p = collide_facet(&p, n->triangle_a, &room_a);
    }
    if (n->triangle_b >= 0) {
        q = collide_facet(&q, n->triangle_b, &room_b);
    }
    Closest c = contact_on_facets(n);
    if (n->inner) {
        c = closest_of_inner(&p, &q, &c, level);
    }
    return collide_time_until(&query->mover[0], &query->mover[1], &p, &q, &c,
                              min2(level, c.distance), enough);
}

static bool is_nearest(const Near *n, const NearList *list) {
    return n->c.distance == list->nearest.c.distance && !n->inner;
}

double contact_time_bound_flat(const impModel *m, NarrowPhase *query, const Extent *extents,
                               double level, double flat_level, double enough) {
    if (!query->movers_known) {
        set_query_movers(m, query, extents);
    }
    Mover *a = &query->mover[0];
    Mover *b = &query->mover[1];
    double least = query->others_distance == HUGE_VAL
                       ? HUGE_VAL
                       : collide_time_by_speed(a, b, max2(query->others_distance - level, 0));
    // the movers become those of other pieces
    query->movers_known = false;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < query->list.count; k++) {
            const Near *n = &query->list.near[k];
            if (is_nearest(n, &query->list) != (pass == 0)) continue;
            change_piece(m, query->a, &extents[query->a->body->first_shape + n->shape_a], a);
            change_piece(m, query->b, &extents[query->b->body->first_shape + n->shape_b], b);
            double target = flat_level < level && query->on_flat_rim[k] ? flat_level : level;
            least = min2(least, time_of_pieces(m, query, n, target, min2(least, enough)));
        }
    }
    return least;
}

double contact_time_bound(const impModel *m, NarrowPhase *query, const Extent *extents,
                          double level, double enough) {
    return contact_time_bound_flat(m, query, extents, level, level, enough);
}

double contact_time_bound_points(const impModel *m, const Actor *a, const Actor *b,
                                 const Extent *extents, const ContactPoint *t, int count,
                                 double level) {
    Mover mover[2];
    set_pair_movers(mover, m, a, b, extents);
    double least = HUGE_VAL;
    for (int i = 0; i < count; i++) {
        double left = t[i].gap - level;
        double closing = -t[i].u.z;
        double speed = norm(t[i].u);
        if (t[i].on_flat_rim) {
            least = min2(
                least, collide_time_of_point(&mover[0], &mover[1], t[i].at, left, closing, speed));
        }
    }
    return least;
}
