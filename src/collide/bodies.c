// bodies.c -- bodies as unions of pieces: every pair of pieces that is near, and the nearest of
// all.
//
// docs/theory/collision-detection.md, section 7. Pairs of pieces whose boxes are farther apart than
// asked are left out; boxes are those of the shapes in their own frames, turned. Answers go into a
// list of fixed room: when it is full the farthest gives way, so that what is kept does not depend
// on the order in which answers come; nor does the nearest, since of equally near ones the first by
// number counts.
//
// Bodies of many pieces have a tree of boxes over them (shape/tree.c), and pairs of nodes that are
// too far apart are left out as a whole. Of the two the larger node is opened, its nearer child
// first, so that a search for the nearest soon knows what is too far. Only a search for the nearest
// among meshes goes pair by pair, for what a mesh says of a shape inside it may depend on how far
// it was asked to look.
//
// SPDX-License-Identifier: MIT
#include "collide/near.h"

// --- the list ------------------------------------------------------------------------------------
static int order_of(const Near *a, const Near *b) {
    // one triangle may be both crossed and beside another
    int d[5] = { a->shape_a - b->shape_a, a->shape_b - b->shape_b, a->triangle_a - b->triangle_a,
                 a->triangle_b - b->triangle_b, a->inner - b->inner };
    for (int i = 0; i < COUNT(d); i++) {
        if (d[i]) return d[i];
    }
    return 0;
}

static bool nearer(const Near *a, const Near *b) {
    return a->c.distance != b->c.distance ? a->c.distance < b->c.distance : order_of(a, b) < 0;
}

static bool comes_first(const Near *a, const Near *b) { return order_of(a, b) < 0; }

// A heap with the last on top (Williams 1964): by distance, for what gives way in a full list; by
// pieces, to sort.
typedef bool (*Before)(const Near *a, const Near *b);

static void sift_up(Near *heap, int i, Before before) {
    for (int up = (i - 1) / 2; i > 0 && before(&heap[up], &heap[i]); i = up, up = (i - 1) / 2) {
        Near swap = heap[i];
        heap[i] = heap[up];
        heap[up] = swap;
    }
}

static void sift_down(Near *heap, int count, Before before) {
    for (int i = 0, child = 1; child < count; child = 2 * i + 1) {
        if (child + 1 < count && before(&heap[child], &heap[child + 1])) {
            child++;
        }
        if (!before(&heap[i], &heap[child])) return;
        Near swap = heap[i];
        heap[i] = heap[child];
        heap[child] = swap;
        i = child;
    }
}

static void sort_list(NearList *list) {
    Near *near = list->near;
    for (int i = 1; i < list->count; i++) {
        sift_up(near, i, comes_first);
    }
    for (int last = list->count - 1; last > 0; last--) {
        Near swap = near[0];
        near[0] = near[last];
        near[last] = swap;
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
    m.on_a = c->on_b;
    m.on_b = c->on_a;
    m.feature_a = c->feature_b;
    m.feature_b = c->feature_a;
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
    if (!inner && nearer(&n, &sink->list->nearest)) {
        sink->list->nearest = n;
    }
    if (sink->shrink && !inner) {
        sink->limit = c->distance;
    }
    if (!sink->shrink) {
        keep(sink->list, &n);
    }
}

// --- boxes ---------------------------------------------------------------------------------------
static double apart(double low, double high, double low2, double high2) {
    return max2(0, max2(low2 - high, low - high2));
}

double near_gap(impVec3 low, impVec3 high, impVec3 low2, impVec3 high2) {
    return norm(vec(apart(low.x, high.x, low2.x, high2.x), apart(low.y, high.y, low2.y, high2.y),
                    apart(low.z, high.z, low2.z, high2.z)));
}

Box near_box(impPose p, impVec3 low, impVec3 high) {
    Mat3 r = rotation(p.rotation);
    impVec3 middle = place(p, scale(0.5, add(low, high)));
    impVec3 h = scale(0.5, sub(high, low));
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
    Box p = near_box(a->pose, a->shape->low, a->shape->high);
    Box q = near_box(b->pose, b->shape->low, b->shape->high);
    return near_gap(p.low, p.high, q.low, q.high) <= max2(limit, 0);
}

// --- pairs of pieces -----------------------------------------------------------------------------
// neither moves freely: for the user's questions only
static void meshes(const Placed *a, const Placed *b, Sink *sink) {
    for (int t = 0; t < a->shape->face_count; t++) {
        Facet room;
        Placed facet = collide_facet(a, t, &room);
        sink->triangle_a = t;
        if (may_be_near(&facet, b, sink->limit)) {
            near_mesh(&facet, b, sink);
        }
    }
    sink->triangle_a = -1;
}

static void pieces(const Placed *a, const Placed *b, StartFeature *start_feature, Sink *sink) {
    if (!may_be_near(a, b, sink->limit)) return;
    sink->flip = is_mesh(a) && !is_mesh(b) && !is_plane(b);
    sink->triangle_a = -1;
    if (is_mesh(a) && is_mesh(b)) {
        meshes(a, b, sink);
    } else if (is_plane(a) && is_mesh(b)) {
        near_plane(a, b, sink);
    } else if (is_mesh(a) && is_plane(b)) {
        sink->flip = true;
        near_plane(b, a, sink);
    } else if (is_mesh(b)) {
        near_mesh(a, b, sink);
    } else if (is_mesh(a)) {
        near_mesh(b, a, sink);
    } else {
        Closest c = collide_closest(a, b, start_feature);
        near_put(sink, &c, -1, false, 0);
    }
}

static Placed piece(const impModel *m, int body, int i, impPose at) {
    const Shape *s = &m->shape[m->body[body].first_shape + i];
    return (Placed){ s, &m->geometry, pose_mul(at, s->pose) };
}

static void all_pieces(const impModel *m, int a, int b, impPose at_a, impPose at_b,
                       StartFeature *start_features, Sink *sink) {
    int count_a = m->body[a].shape_count;
    int count_b = m->body[b].shape_count;
    for (int i = 0; i < count_a; i++) {
        Placed p = piece(m, a, i, at_a);
        for (int j = 0; j < count_b; j++) {
            Placed q = piece(m, b, j, at_b);
            sink->shape_a = i;
            sink->shape_b = j;
            pieces(&p, &q, start_features ? &start_features[i * count_b + j] : NULL, sink);
        }
    }
}

// --- trees of pieces -----------------------------------------------------------------------------
typedef struct Group {  // a body, or one convex shape, as a tree
    const TreeNode *node;
    const int32_t *leaf;
    TreeNode only;  // of a body without a tree: all its pieces
    impPose at;
    Mat3 rotation;
    double slack;  // of boxes, for rounding
} Group;

static Group group_of(const impModel *m, int body, impPose at) {
    const Body *b = &m->body[body];
    Group g = { .at = at, .rotation = rotation(at.rotation) };
    impVec3 most = vec(HUGE_VAL, HUGE_VAL, HUGE_VAL);
    g.only = (TreeNode){ b->bounded ? b->low : neg(most), b->bounded ? b->high : most, 0, 0,
                         b->shape_count };
    if (b->pieces.node_count > 0) {
        g.node = m->geometry.node + b->pieces.first_node;
        g.leaf = m->geometry.leaf + b->pieces.first_leaf;
    }
    g.slack = 64 * DBL_EPSILON *
              (largest(at.at) + (b->bounded ? largest(b->low) + largest(b->high) : 0));
    return g;
}

static const TreeNode *node_of(const Group *g, int i) { return g->node ? &g->node[i] : &g->only; }
static int piece_of(const Group *g, const TreeNode *n, int k) {
    return g->leaf ? g->leaf[n->first + k] : k;
}

static double spread(impVec3 row, impVec3 h) {
    return fabs(row.x) * h.x + fabs(row.y) * h.y + fabs(row.z) * h.z;
}

static Box box_of(const Group *g, const TreeNode *n) {
    if (!isfinite(n->low.x)) return (Box){ n->low, n->high };
    impVec3 h = scale(0.5, sub(n->high, n->low));
    impVec3 s = vec(g->slack, g->slack, g->slack);
    impVec3 middle = add(mul(g->rotation, scale(0.5, add(n->low, n->high))), g->at.at);
    impVec3 by = add(
        vec(spread(g->rotation.x, h), spread(g->rotation.y, h), spread(g->rotation.z, h)), s);
    return (Box){ sub(middle, by), add(middle, by) };
}

static double gap_between(Box a, Box b) { return near_gap(a.low, a.high, b.low, b.high); }
static double size_of(Box b) { return largest(sub(b.high, b.low)); }

// a node of each
typedef struct Twosome {
    int a, b;
    double gap;
} Twosome;
// of two trees, one above the other: shape/tree.c bounds theirs by 71
enum { DEEPEST = 2 * 80 };

typedef void (*Leaves)(const void *context, int i, int j, Sink *sink);

// The children of node `open` against a box of the other, the nearer one on top.
static int push_children(Twosome *stack, int count, const Group *g, int open, Box other, Twosome t,
                         bool of_a) {
    Twosome two[2] = { t, t };
    for (int k = 0; k < 2; k++) {
        int child = k ? node_of(g, open)->first : open + 1;
        if (of_a) {
            two[k].a = child;
        } else {
            two[k].b = child;
        }
        two[k].gap = gap_between(box_of(g, node_of(g, child)), other);
    }
    bool rotated = two[1].gap < two[0].gap;
    stack[count++] = two[!rotated];
    stack[count++] = two[rotated];
    return count;
}

// All pairs of pieces that may be within the limit. stop: one answer is enough.
static void by_trees(const Group *a, const Group *b, Leaves leaves, const void *context, bool stop,
                     Sink *sink) {
    Twosome stack[DEEPEST] = {
        { 0, 0, gap_between(box_of(a, node_of(a, 0)), box_of(b, node_of(b, 0))) }
    };
    for (int count = 1; count > 0;) {
        Twosome t = stack[--count];
        const TreeNode *m = node_of(a, t.a);
        const TreeNode *n = node_of(b, t.b);
        if (!(t.gap <= max2(sink->limit, 0))) continue;
        Box p = box_of(a, m);
        Box q = box_of(b, n);
        if (m->count == 0 && (n->count > 0 || size_of(p) >= size_of(q))) {
            count = push_children(stack, count, a, t.a, q, t, true);
        } else if (n->count == 0) {
            count = push_children(stack, count, b, t.b, p, t, false);
        } else {
            for (int i = 0; i < m->count; i++) {
                for (int j = 0; j < n->count; j++) {
                    leaves(context, piece_of(a, m, i), piece_of(b, n, j), sink);
                }
            }
            if (stop && sink->list->nearest.c.distance < HUGE_VAL) return;
        }
    }
}

typedef struct Both {  // two bodies
    const impModel *m;
    int a, b;
    impPose at_a, at_b;
    StartFeature *start_features;
} Both;

static void both_pieces(const void *context, int i, int j, Sink *sink) {
    const Both *w = context;
    Placed p = piece(w->m, w->a, i, w->at_a);
    Placed q = piece(w->m, w->b, j, w->at_b);
    sink->shape_a = i;
    sink->shape_b = j;
    pieces(&p, &q,
           w->start_features ? &w->start_features[i * w->m->body[w->b].shape_count + j] : NULL,
           sink);
}

static bool has_mesh(const impModel *m, int body) {
    for (int i = 0; i < m->body[body].shape_count; i++) {
        if (convex_kind(&m->shape[m->body[body].first_shape + i]) == CONVEX_NONE) return true;
    }
    return false;
}

static void near_pieces(const impModel *m, int a, int b, impPose at_a, impPose at_b,
                        StartFeature *start_features, Sink *sink) {
    bool trees = m->body[a].pieces.node_count > 0 || m->body[b].pieces.node_count > 0;
    if (!trees || m->body[a].shape_count == 0 || m->body[b].shape_count == 0 ||
        (sink->shrink && (has_mesh(m, a) || has_mesh(m, b)))) {
        all_pieces(m, a, b, at_a, at_b, start_features, sink);
        return;
    }
    Group g = group_of(m, a, at_a);
    Group h = group_of(m, b, at_b);
    Both both = { m, a, b, at_a, at_b, start_features };
    by_trees(&g, &h, both_pieces, &both, false, sink);
}

// a body and one shape
typedef struct Lone {
    const impModel *m;
    int body;
    impPose at;
    const Placed *shape;
} Lone;

static void lone_piece(const void *context, int i, int j, Sink *sink) {
    const Lone *w = context;
    Placed p = piece(w->m, w->body, i, w->at);
    (void)j;
    if (sink->list->nearest.c.distance == HUGE_VAL) {
        pieces(&p, w->shape, NULL, sink);
    }
}

static Near nobody(void) {
    return (Near){
        .triangle_a = -1, .triangle_b = -1, .c.distance = HUGE_VAL, .c.normal = vec(0, 0, 1)
    };
}

void collide_bodies(const impModel *m, int a, int b, impPose at_a, impPose at_b, double margin,
                    StartFeature *start_features, NearList *out) {
    Sink sink = { .list = out, .limit = margin };
    out->count = 0;
    out->cut = false;
    out->nearest = nobody();
    near_pieces(m, a, b, at_a, at_b, start_features, &sink);
    sort_list(out);
}

Near collide_body_distance(const impModel *m, int a, int b, impPose at_a, impPose at_b,
                           double limit) {
    NearList list = { .nearest = nobody() };
    Sink sink = { .list = &list, .limit = limit, .shrink = true };
    near_pieces(m, a, b, at_a, at_b, NULL, &sink);
    return list.nearest;
}

bool collide_body_near(const impModel *m, int body, impPose at, const Placed *shape,
                       double margin) {
    NearList list = { .nearest = nobody() };
    Sink sink = { .list = &list, .limit = margin, .shrink = true };
    if (m->body[body].pieces.node_count > 0 && shape_kinds[shape->shape->kind].bounded &&
        !has_mesh(m, body) && !is_mesh(shape)) {
        Group g = group_of(m, body, at);
        Group h = { .at = shape->pose, .rotation = rotation(shape->pose.rotation) };
        h.only = (TreeNode){ shape->shape->low, shape->shape->high, 0, 0, 1 };
        h.slack = 64 * DBL_EPSILON *
                  (largest(h.at.at) + largest(h.only.low) + largest(h.only.high));
        by_trees(&g, &h, lone_piece, &(Lone){ m, body, at, shape }, true, &sink);
        return list.nearest.c.distance <= margin;
    }
    for (int i = 0; i < m->body[body].shape_count && list.nearest.c.distance > margin; i++) {
        Placed p = piece(m, body, i, at);
        pieces(&p, shape, NULL, &sink);
    }
    return list.nearest.c.distance <= margin;
}
