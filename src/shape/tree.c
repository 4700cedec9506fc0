// tree.c -- a tree of boxes over the triangles of a mesh, or over the pieces of a body, and which
// triangle lies beyond each side of a triangle.
//
// Built top down: the centres of a range of triangles are counted into 16 slices along their
// longest axis, and the range is cut where the sum of area times number is least (the surface-area
// heuristic in bins, Wald 2007, after Goldsmith & Salmon 1987). Below DEEP levels, or where all
// centres coincide, a range is just halved, so that the depth is bounded by DEEP + 31. Nothing is
// recursive: the ranges that wait are a short list, and a finished tree is walked by skip links
// (Smits 1998). Equal input gives an equal tree; which triangles a walk finds does not depend on
// the tree at all.
//
// SPDX-License-Identifier: MIT
#include "shape/kinds.h"

#include <string.h>

enum { LEAF = 4, SLICES = 16, DEEP = 40, WAITING = DEEP + 33 };

typedef struct Item {
    impVec3 low, high;
    int32_t triangle;
} Item;
typedef struct Bounds {
    impVec3 low, high;
} Bounds;
// parent: the node of which it is the second child; -1: none
typedef struct Range {
    int first, count, depth, parent;
} Range;
typedef struct Build {
    Item *item;
    TreeNode *node;
    int count;  // of nodes
    Range waiting[WAITING];
    int waiting_count;
} Build;

static Bounds nothing(void) {
    impVec3 most = vec(HUGE_VAL, HUGE_VAL, HUGE_VAL);
    return (Bounds){ most, neg(most) };
}
static Bounds joined(Bounds a, impVec3 low, impVec3 high) {
    return (Bounds){ lower(a.low, low), upper(a.high, high) };
}
// twice the centre: enough to compare
static impVec3 center(const Item *t) { return add(t->low, t->high); }

static double half_area(Bounds b) {
    impVec3 d = sub(b.high, b.low);
    return b.low.x > b.high.x ? 0 : d.x * d.y + d.y * d.z + d.z * d.x;
}

// --- cutting a range -----------------------------------------------------------------------------
// items of slices below `slice` go first
typedef struct Cut {
    int axis, slice;
    double start, scale;
} Cut;

static int slice_of(const Cut *c, const Item *t) {
    int k = (int)((component(center(t), c->axis) - c->start) * c->scale);
    return k < SLICES ? k : SLICES - 1;
}

// False: all centres are as good as one point.
static bool lay_slices(const Item *item, int count, Cut *out) {
    Bounds b = nothing();
    for (int i = 0; i < count; i++) {
        b = joined(b, center(&item[i]), center(&item[i]));
    }
    impVec3 d = sub(b.high, b.low);
    out->axis = d.x >= d.y && d.x >= d.z ? 0 : d.y >= d.z ? 1 : 2;
    double length = component(d, out->axis);
    out->start = component(b.low, out->axis);
    out->scale = SLICES / length;
    return length > 0 && isfinite(out->scale);
}

static bool choose_cut(const Item *item, int count, Cut *out) {
    Bounds box[SLICES];
    Bounds right = nothing();
    Bounds left = nothing();
    int in[SLICES] = { 0 };
    int after = 0;
    int before = 0;
    double cost[SLICES];
    double least = HUGE_VAL;
    if (!lay_slices(item, count, out)) return false;
    for (int k = 0; k < SLICES; k++) {
        box[k] = nothing();
    }
    for (int i = 0; i < count; i++) {
        int k = slice_of(out, &item[i]);
        box[k] = joined(box[k], item[i].low, item[i].high);
        in[k]++;
    }
    for (int k = SLICES - 1; k > 0; k--) {
        right = joined(right, box[k].low, box[k].high);
        after += in[k];
        cost[k] = after ? half_area(right) * after : HUGE_VAL;
    }
    for (int k = 1; k < SLICES; k++) {
        left = joined(left, box[k - 1].low, box[k - 1].high);
        before += in[k - 1];
        if (before == 0 || before == count) continue;
        double sum = half_area(left) * before + cost[k];
        if (sum < least) {
            least = sum;
            out->slice = k;
        }
    }
    return least < HUGE_VAL;
}

// how many go first
static int part(Item *item, int count, const Cut *c) {
    int i = 0;
    int j = count;
    while (i < j) {
        if (slice_of(c, &item[i]) < c->slice) {
            i++;
            continue;
        }
        Item swap = item[--j];
        item[j] = item[i];
        item[i] = swap;
    }
    return i;
}

static int cut_range(Item *item, const Range *r) {
    Cut c;
    if (r->depth >= DEEP || !choose_cut(item, r->count, &c)) return r->count / 2;
    return part(item, r->count, &c);
}

// --- the tree ------------------------------------------------------------------------------------
// by number, whatever way they came
static void set_leaf(TreeNode *node, Item *item, const Range *r) {
    node->first = r->first;
    node->count = r->count;
    for (int i = 1; i < r->count; i++) {
        for (int k = i; k > 0 && item[k].triangle < item[k - 1].triangle; k--) {
            Item swap = item[k];
            item[k] = item[k - 1];
            item[k - 1] = swap;
        }
    }
}

static void add_node(Build *b, Range r) {
    Item *item = b->item + r.first;
    TreeNode *node = &b->node[b->count];
    Bounds box = nothing();
    for (int i = 0; i < r.count; i++) {
        box = joined(box, item[i].low, item[i].high);
    }
    *node = (TreeNode){ .low = box.low, .high = box.high };
    if (r.parent >= 0) {
        b->node[r.parent].first = b->count;
    }
    if (r.count <= LEAF) {
        set_leaf(node, item, &r);
    } else {
        int left = cut_range(item, &r);
        b->waiting[b->waiting_count++] = (Range){ r.first + left, r.count - left, r.depth + 1,
                                                  b->count };
        b->waiting[b->waiting_count++] = (Range){ r.first, left, r.depth + 1, -1 };
    }
    b->count++;
}

static void link_nodes(Build *b) {
    b->node[0].next = b->count;
    for (int i = 0; i < b->count; i++) {
        const TreeNode *n = &b->node[i];
        if (n->count > 0) continue;
        b->node[i + 1].next = n->first;
        b->node[n->first].next = n->next;
    }
}

static void fill_items(const Shape *s, const Geometry *g, Item *item) {
    for (int i = 0; i < s->face_count; i++) {
        const int32_t *t = shape_triangle(s, g, i);
        const impVec3 *v = g->vertex + s->first_vertex;
        item[i].low = lower(v[t[0]], lower(v[t[1]], v[t[2]]));
        item[i].high = upper(v[t[0]], upper(v[t[1]], v[t[2]]));
        item[i].triangle = i;
    }
}

// The tree of b's items, into g; leaf has its room already.
static bool store_nodes(Build *b, int count, Geometry *g, Pool *pool, int *first_node,
                        int *node_count) {
    b->waiting[b->waiting_count++] = (Range){ 0, count, 0, -1 };
    while (b->waiting_count > 0) {
        add_node(b, b->waiting[--b->waiting_count]);
    }
    link_nodes(b);
    if (!shape_reserve(pool, &g->node, &g->node_room, g->node_count, b->count, sizeof *g->node))
        return false;
    memcpy(g->node + g->node_count, b->node, sizeof *b->node * (size_t)b->count);
    for (int i = 0; i < count; i++) {
        g->leaf[g->leaf_count + i] = b->item[i].triangle;
    }
    *first_node = g->node_count;
    *node_count = b->count;
    g->node_count += b->count;
    return true;
}

// every cut leaves something on both sides
static Build take_build(Pool *scratch, int count) {
    return (Build){ .item = POOL_TAKE(scratch, Item, count),
                    .node = POOL_TAKE(scratch, TreeNode, 2 * (size_t)count) };
}

static bool build_nodes(Shape *s, Geometry *g, Pool *pool, Pool *scratch) {
    Build b = take_build(scratch, s->face_count);
    if (!b.item || !b.node) return false;
    fill_items(s, g, b.item);
    return store_nodes(&b, s->face_count, g, pool, &s->first_node, &s->node_count);
}

// twins lie beside leaves, also where there are none
static bool reserve_leaves(Geometry *g, Pool *pool, int count) {
    return shape_reserve(pool, &g->leaf, &g->leaf_room, g->leaf_count, count, sizeof *g->leaf) &&
           shape_reserve(pool, &g->twin, &g->twin_room, 3 * g->leaf_count, 3 * count,
                         sizeof *g->twin);
}

bool shape_build_pieces(const Shape *shape, int count, Geometry *g, Pool *pool, PieceTree *out,
                        impError *err) {
    Pool scratch = { 0 };
    Build b = take_build(&scratch, count);
    bool ok = b.item && b.node && count <= INT32_MAX / 4 && reserve_leaves(g, pool, count);
    for (int i = 0; ok && i < count; i++) {
        shape_box(&shape[i], g, &b.item[i].low, &b.item[i].high);
        b.item[i].triangle = i;
    }
    out->first_leaf = g->leaf_count;
    ok = ok && store_nodes(&b, count, g, pool, &out->first_node, &out->node_count);
    if (ok) {
        g->leaf_count += count;
    }
    pool_free(&scratch);
    return ok || fail_memory(err);
}

// --- neighbours ----------------------------------------------------------------------------------
static void pair_up(const int32_t *tail, const int32_t *head, const int32_t *order, int count,
                    int32_t *twin) {
    for (int k = 0, next; k < count; k = next) {
        int32_t a = order[k];
        int32_t b = k + 1 < count ? order[k + 1] : a;
        for (next = k + 1; next < count; next++) {
            int32_t c = order[next];
            if (!(tail[a] == tail[c] && head[a] == head[c]) &&
                !(tail[a] == head[c] && head[a] == tail[c]))
                break;
        }
        bool joins = next == k + 2 && tail[a] == head[b] && head[a] == tail[b];
        if (joins) {
            twin[a] = b;
            twin[b] = a;
        } else {
            for (int i = k; i < next; i++) {
                twin[order[i]] = next == k + 1 ? TWIN_NONE : TWIN_MANY;
            }
        }
    }
}

static bool build_twins(const Shape *s, Geometry *g, Pool *scratch) {
    int count = 3 * s->face_count;
    int32_t *tail = POOL_TAKE(scratch, int32_t, count);
    int32_t *head = POOL_TAKE(scratch, int32_t, count);
    int32_t *order = POOL_TAKE(scratch, int32_t, count);
    int32_t *spare = POOL_TAKE(scratch, int32_t, count);
    int32_t *start = POOL_TAKE(scratch, int32_t, s->vertex_count + 1);
    if (!tail || !head || !order || !spare || !start) return false;
    for (int i = 0; i < count; i++) {
        const int32_t *t = shape_triangle(s, g, i / 3);
        tail[i] = t[i % 3];
        head[i] = t[(i + 1) % 3];
    }
    shape_sort_edges(tail, head, count, s->vertex_count, order, spare, start);
    pair_up(tail, head, order, count, g->twin + 3 * (size_t)g->leaf_count);
    return true;
}

static bool build_mesh(Shape *s, Geometry *g, Pool *pool) {
    Pool scratch = { 0 };
    bool ok = s->face_count <= INT32_MAX / 4 && reserve_leaves(g, pool, s->face_count) &&
              build_nodes(s, g, pool, &scratch) && build_twins(s, g, &scratch);
    pool_free(&scratch);
    s->first_leaf = g->leaf_count;
    if (ok) {
        g->leaf_count += s->face_count;
    }
    return ok;
}

static double along(const Shape *s, const Geometry *g, impVec3 u) {
    return dot(u, shape_kinds[s->kind].support(s, g, u));
}

static void set_box(Shape *s, const Geometry *g) {
    double most = HUGE_VAL;
    s->high = vec(most, most, most);
    s->low = neg(s->high);
    if (!shape_kinds[s->kind].bounded) return;
    s->high = vec(along(s, g, vec(1, 0, 0)), along(s, g, vec(0, 1, 0)), along(s, g, vec(0, 0, 1)));
    s->low = neg(
        vec(along(s, g, vec(-1, 0, 0)), along(s, g, vec(0, -1, 0)), along(s, g, vec(0, 0, -1))));
}

bool shape_build_tree(Shape *s, Geometry *g, Pool *pool, impError *err) {
    set_box(s, g);
    if (strcmp(shape_kinds[s->kind].name, "mesh") != 0) return true;
    return build_mesh(s, g, pool) || fail_memory(err);
}

// --- walks ---------------------------------------------------------------------------------------
static bool boxes_overlap(impVec3 a, impVec3 b, impVec3 low, impVec3 high) {
    return a.x <= high.x && b.x >= low.x && a.y <= high.y && b.y >= low.y && a.z <= high.z &&
           b.z >= low.z;
}

static bool triangle_overlaps(const Shape *s, const Geometry *g, int triangle, impVec3 low,
                              impVec3 high) {
    const int32_t *t = shape_triangle(s, g, triangle);
    const impVec3 *v = g->vertex + s->first_vertex;
    impVec3 a = v[t[0]];
    impVec3 b = v[t[1]];
    impVec3 c = v[t[2]];
    return boxes_overlap(lower(a, lower(b, c)), upper(a, upper(b, c)), low, high);
}

int shape_tree_box(const Shape *s, const Geometry *g, impVec3 low, impVec3 high, TreeCursor *at) {
    const TreeNode *node = g->node + s->first_node;
    while (at->node < s->node_count) {
        const TreeNode *n = &node[at->node];
        if (at->in_leaf == 0 && !boxes_overlap(n->low, n->high, low, high)) {
            at->node = n->next;
            continue;
        }
        while (at->in_leaf < n->count) {
            int triangle = g->leaf[s->first_leaf + n->first + at->in_leaf++];
            if (triangle_overlaps(s, g, triangle, low, high)) return triangle;
        }
        at->node++;
        at->in_leaf = 0;
    }
    return -1;
}

// The slabs of Kay & Kajiya 1986. 0 times infinity, a ray within a slab's face, is no number and
// decides nothing; the far end is pushed out by its rounding (Ize 2013).
static bool ray_hits(const TreeNode *n, const TreeRay *r) {
    double near = 0;
    double far = r->most;
    const double low[3] = { n->low.x, n->low.y, n->low.z };
    const double high[3] = { n->high.x, n->high.y, n->high.z };
    const double from[3] = { r->from.x, r->from.y, r->from.z };
    const double inverse[3] = { r->inverse.x, r->inverse.y, r->inverse.z };
    for (int i = 0; i < 3; i++) {
        double a = (low[i] - from[i]) * inverse[i];
        double b = (high[i] - from[i]) * inverse[i];
        double first = a < b ? a : b;
        double last = a < b ? b : a;
        if (isnan(a) || isnan(b)) continue;
        if (first - 8 * DBL_EPSILON * fabs(first) > near) {
            near = first - 8 * DBL_EPSILON * fabs(first);
        }
        if (last + 8 * DBL_EPSILON * fabs(last) < far) {
            far = last + 8 * DBL_EPSILON * fabs(last);
        }
    }
    return near <= far;
}

int shape_tree_ray(const Shape *s, const Geometry *g, const TreeRay *ray, TreeCursor *at) {
    const TreeNode *node = g->node + s->first_node;
    while (at->node < s->node_count) {
        const TreeNode *n = &node[at->node];
        if (at->in_leaf == 0 && !ray_hits(n, ray)) {
            at->node = n->next;
            continue;
        }
        if (at->in_leaf < n->count) return g->leaf[s->first_leaf + n->first + at->in_leaf++];
        at->node++;
        at->in_leaf = 0;
    }
    return -1;
}
