// meet.c -- two bodies meet: their near pieces, and a time before which no nearer ones can be.
//
// physics.md C.5 for pairs of bodies. Two convex bodies are one pair of pieces. Of compounds all pairs are looked at,
// of meshes those within a margin that grows with the distance; what is not in the list is at least `sure` apart and
// is bounded by the fastest that any of its points can go.
//
// SPDX-License-Identifier: MIT
#include "contact/contact.h"

static Placed piece(const impModel *m, const Actor *a, int i) {
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

static void meet_two(const impModel *m, Hint *hint, Meeting *out) {
    Placed p = piece(m, out->a, 0), q = piece(m, out->b, 0);
    Near n = { .triangle_a = -1, .triangle_b = -1, .c = collide_closest(&p, &q, hint) };
    out->near[0] = n;
    out->list = (NearList){ out->near, NEAR_ROOM, 1, false, n };
    out->sure = HUGE_VAL;
}

static double farthest(const NearList *list) {
    double far = 0;
    for (int i = 0; i < list->count; i++) far = max2(far, list->near[i].c.distance);
    return far;
}

void contact_meet(const impModel *m, const Actor *a, const Actor *b, double within, Hint *hint, Meeting *out) {
    out->a = a, out->b = b;
    bool mesh = has_mesh(m, a) || has_mesh(m, b);
    if (a->body->shape_count == 1 && b->body->shape_count == 1 && !mesh) {
        meet_two(m, hint, out);
        return;
    }
    double margin = HUGE_VAL;
    bool many = mesh || a->body->shape_count * b->body->shape_count > NEAR_ROOM;
    if (many) {
        double thin = min2(a->free ? a->body->thinnest : HUGE_VAL, b->free ? b->body->thinnest : HUGE_VAL);
        margin = max2(within, 0.1 * thin);
    }
    out->list = (NearList){ .near = out->near, .room = NEAR_ROOM, .nearest.c.distance = HUGE_VAL };
    collide_bodies(m, a->index, b->index, a->pose, b->pose, margin, NULL, &out->list);
    if (many && out->list.nearest.c.distance == HUGE_VAL) {       // nothing here: how far is it?
        Near first = collide_body_distance(m, a->index, b->index, a->pose, b->pose, HUGE_VAL);
        margin += 1.5 * max2(first.c.distance, 0);
        out->list = (NearList){ .near = out->near, .room = NEAR_ROOM };
        collide_bodies(m, a->index, b->index, a->pose, b->pose, margin, NULL, &out->list);
    }
    out->sure = out->list.cut ? farthest(&out->list) : margin;
}

// --- when ------------------------------------------------------------------------------------------------------------
static Mover mover_of(const impModel *m, const Actor *a, const Extent *core) {
    Flying now = { a->x, a->q, a->v, a->w };
    Mover mover = collide_mover(m, a->index, core, &now, a->t);
    if (a->asleep) mover.a = vec(0, 0, 0);
    return mover;
}

static double time_of_rest(const impModel *m, const Meeting *w, const Extent *extents, double level) {
    double least = HUGE_VAL;
    if (w->sure == HUGE_VAL) return least;
    for (int i = 0; i < w->a->body->shape_count; i++)
        for (int j = 0; j < w->b->body->shape_count; j++) {
            Mover a = mover_of(m, w->a, &extents[w->a->body->first_shape + i]);
            Mover b = mover_of(m, w->b, &extents[w->b->body->first_shape + j]);
            least = min2(least, collide_time_by_speed(&a, &b, max2(w->sure - level, 0)));
        }
    return least;
}

static impVec3 outermost(const Placed *p, impVec3 toward) {
    return place(p->pose, shape_kinds[p->shape->kind].support(p->shape, p->g, unrotate(p->pose.turn, toward)));
}

// A triangle that has a nearer neighbour now (inner) may be the next that is touched, as in a dish: it lies beyond its
// own plane, or, where the other body reaches through that, at its own distance.
static Closest beyond(const Placed *p, const Placed *q, const Closest *c, double level) {
    Closest out = *c;
    out.on_a = outermost(p, neg(c->normal)), out.on_b = outermost(q, c->normal);
    out.distance = dot(c->normal, sub(out.on_a, out.on_b));
    Hint none = { 0 };
    return out.distance > level ? out : collide_closest(p, q, &none);
}

double contact_time_bound(const impModel *m, const Meeting *w, const Extent *extents, double level) {
    double least = time_of_rest(m, w, extents, level);
    for (int k = 0; k < w->list.count; k++) {
        const Near *n = &w->list.near[k];
        Placed p = piece(m, w->a, n->shape_a), q = piece(m, w->b, n->shape_b);
        Mover a = mover_of(m, w->a, &extents[w->a->body->first_shape + n->shape_a]);
        Mover b = mover_of(m, w->b, &extents[w->b->body->first_shape + n->shape_b]);
        Facet room_a, room_b;
        if (n->triangle_a >= 0) p = collide_facet(&p, n->triangle_a, &room_a);
        if (n->triangle_b >= 0) q = collide_facet(&q, n->triangle_b, &room_b);
        Closest c = n->inner ? beyond(&p, &q, &n->c, level) : n->c;
        least = min2(least, collide_time_bound(&a, &b, &p, &q, &c, min2(level, c.distance)));
    }
    return least;
}
