// bodies.c -- bodies as unions of pieces: every pair of pieces that is near, and the nearest of all.
//
// physics.md B.3, "Non-convex". Pairs of pieces whose boxes are farther apart than asked are left out; boxes are those
// of the shapes in their own frames, turned. Answers go into a list of fixed room: when it is full the farthest gives
// way, so that what is kept does not depend on the order in which answers come. Assumed: at most a few dozen pieces a
// body (a tree over pieces is left out); meshes have theirs.
//
// SPDX-License-Identifier: MIT
#include "collide/near.h"

// --- the list --------------------------------------------------------------------------------------------------------
static int order_of(const Near *a, const Near *b) {
    int d[4] = { a->shape_a - b->shape_a, a->shape_b - b->shape_b, a->triangle_a - b->triangle_a,
                 a->triangle_b - b->triangle_b };
    for (int i = 0; i < 4; i++)
        if (d[i]) return d[i];
    return 0;
}

static bool nearer(const Near *a, const Near *b) {
    return a->c.distance != b->c.distance ? a->c.distance < b->c.distance : order_of(a, b) < 0;
}

static bool comes_first(const Near *a, const Near *b) { return order_of(a, b) < 0; }

// A heap with the last on top (Williams 1964): by distance, for what gives way in a full list; by pieces, to sort.
typedef bool (*Before)(const Near *a, const Near *b);

static void sift_up(Near *heap, int i, Before before) {
    for (int up = (i - 1) / 2; i > 0 && before(&heap[up], &heap[i]); i = up, up = (i - 1) / 2) {
        Near swap = heap[i];
        heap[i] = heap[up], heap[up] = swap;
    }
}

static void sift_down(Near *heap, int count, Before before) {
    for (int i = 0, child = 1; child < count; child = 2 * i + 1) {
        if (child + 1 < count && before(&heap[child], &heap[child + 1])) child++;
        if (!before(&heap[i], &heap[child])) return;
        Near swap = heap[i];
        heap[i] = heap[child], heap[child] = swap;
        i = child;
    }
}

static void sort_list(NearList *list) {
    Near *near = list->near;
    for (int i = 1; i < list->count; i++) sift_up(near, i, comes_first);
    for (int last = list->count - 1; last > 0; last--) {
        Near swap = near[0];
        near[0] = near[last], near[last] = swap;
        sift_down(near, last, comes_first);
    }
}

static void keep(NearList *list, const Near *n) {
    if (list->count < list->room) {
        list->near[list->count++] = *n;
        sift_up(list->near, list->count - 1, nearer);
        return;
    }
    list->cut = true;
    if (list->room == 0 || !nearer(n, &list->near[0])) return;
    list->near[0] = *n;
    sift_down(list->near, list->count, nearer);
}

static Closest turned_round(const Closest *c) {
    Closest m = *c;
    m.normal = neg(c->normal);
    m.on_a = c->on_b, m.on_b = c->on_a;
    m.feature_a = c->feature_b, m.feature_b = c->feature_a;
    return m;
}

void near_put(Sink *sink, const Closest *c, int triangle, bool inner, Feature local) {
    Near n = { sink->shape_a,
               sink->shape_b,
               sink->flip ? triangle : sink->triangle_a,
               sink->flip ? sink->triangle_a : triangle,
               inner,
               local,
               sink->flip ? turned_round(c) : *c };
    if (!(c->distance <= sink->limit)) return;
    if (!inner && nearer(&n, &sink->list->nearest)) sink->list->nearest = n;
    if (sink->shrink && !inner) sink->limit = c->distance;
    if (!sink->shrink) keep(sink->list, &n);
}

// --- boxes -----------------------------------------------------------------------------------------------------------
static double apart(double low, double high, double low2, double high2) {
    return max2(0, max2(low2 - high, low - high2));
}

double near_gap(impVec3 low, impVec3 high, impVec3 low2, impVec3 high2) {
    return norm(vec(apart(low.x, high.x, low2.x, high2.x), apart(low.y, high.y, low2.y, high2.y),
                    apart(low.z, high.z, low2.z, high2.z)));
}

Box near_box(impPose p, impVec3 low, impVec3 high) {
    Mat3 r = rotation(p.turn);
    impVec3 middle = place(p, scale(0.5, add(low, high))), h = scale(0.5, sub(high, low));
    impVec3 by = vec(fabs(r.x.x) * h.x + fabs(r.x.y) * h.y + fabs(r.x.z) * h.z,
                     fabs(r.y.x) * h.x + fabs(r.y.y) * h.y + fabs(r.y.z) * h.z,
                     fabs(r.z.x) * h.x + fabs(r.z.y) * h.y + fabs(r.z.z) * h.z);
    double rounding = 16 * DBL_EPSILON * (largest(middle) + largest(by));
    by = add(by, vec(rounding, rounding, rounding));
    return (Box){ sub(middle, by), add(middle, by) };
}

static bool is_mesh(const Placed *p) { return convex_kind(p->shape) == CONVEX_NONE; }
static bool is_plane(const Placed *p) { return convex_kind(p->shape) == CONVEX_PLANE; }

static bool may_be_near(const Placed *a, const Placed *b, double limit) {
    if (is_plane(a) || is_plane(b)) return true;
    Box p = near_box(a->pose, a->shape->low, a->shape->high), q = near_box(b->pose, b->shape->low, b->shape->high);
    return near_gap(p.low, p.high, q.low, q.high) <= max2(limit, 0);
}

// --- pairs of pieces -------------------------------------------------------------------------------------------------
static void meshes(const Placed *a, const Placed *b,
                   Sink *sink) {   // neither moves freely: for the user's questions only
    for (int t = 0; t < a->shape->face_count; t++) {
        Facet room;
        Placed facet = collide_facet(a, t, &room);
        sink->triangle_a = t;
        if (may_be_near(&facet, b, sink->limit)) near_mesh(&facet, b, sink);
    }
    sink->triangle_a = -1;
}

static void pieces(const Placed *a, const Placed *b, Hint *hint, Sink *sink) {
    if (!may_be_near(a, b, sink->limit)) return;
    sink->flip = is_mesh(a) && !is_mesh(b) && !is_plane(b);
    sink->triangle_a = -1;
    if (is_mesh(a) && is_mesh(b)) meshes(a, b, sink);
    else if (is_plane(a) && is_mesh(b)) near_plane(a, b, sink);
    else if (is_mesh(a) && is_plane(b)) sink->flip = true, near_plane(b, a, sink);
    else if (is_mesh(b)) near_mesh(a, b, sink);
    else if (is_mesh(a)) near_mesh(b, a, sink);
    else {
        Closest c = collide_closest(a, b, hint);
        near_put(sink, &c, -1, false, 0);
    }
}

static Placed piece(const impModel *m, int body, int i, impPose at) {
    const Shape *s = &m->shape[m->body[body].first_shape + i];
    return (Placed){ s, &m->geometry, pose_mul(at, s->pose) };
}

static void all_pieces(const impModel *m, int a, int b, impPose at_a, impPose at_b, Hint *hints, Sink *sink) {
    int count_a = m->body[a].shape_count, count_b = m->body[b].shape_count;
    for (int i = 0; i < count_a; i++) {
        Placed p = piece(m, a, i, at_a);
        for (int j = 0; j < count_b; j++) {
            Placed q = piece(m, b, j, at_b);
            sink->shape_a = i, sink->shape_b = j;
            pieces(&p, &q, hints ? &hints[i * count_b + j] : NULL, sink);
        }
    }
}

static Near nobody(void) {
    return (Near){ .triangle_a = -1, .triangle_b = -1, .c.distance = HUGE_VAL, .c.normal = vec(0, 0, 1) };
}

void collide_bodies(const impModel *m, int a, int b, impPose at_a, impPose at_b, double margin, Hint *hints,
                    NearList *out) {
    Sink sink = { .list = out, .limit = margin };
    out->count = 0, out->cut = false, out->nearest = nobody();
    all_pieces(m, a, b, at_a, at_b, hints, &sink);
    sort_list(out);
}

Near collide_body_distance(const impModel *m, int a, int b, impPose at_a, impPose at_b, double limit) {
    NearList list = { .nearest = nobody() };
    Sink sink = { .list = &list, .limit = limit, .shrink = true };
    all_pieces(m, a, b, at_a, at_b, NULL, &sink);
    return list.nearest;
}

bool collide_body_near(const impModel *m, int body, impPose at, const Placed *shape, double margin) {
    NearList list = { .nearest = nobody() };
    Sink sink = { .list = &list, .limit = margin, .shrink = true };
    for (int i = 0; i < m->body[body].shape_count && list.nearest.c.distance > margin; i++) {
        Placed p = piece(m, body, i, at);
        pieces(&p, shape, NULL, &sink);
    }
    return list.nearest.c.distance <= margin;
}
