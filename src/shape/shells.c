// shells.c -- the connected pieces of a closed surface: which of them bound a solid, and which a
// cavity in another.
//
// Triangles that share an edge belong to one shell. A shell whose volume is negative bounds a
// cavity where it lies inside another one, else a solid that was drawn inside out. Whether it lies
// inside is told by the winding number along a ray [Woop13]: an edge that two triangles share
// passes the ray on the same side for both, to the last bit.
//
// SPDX-License-Identifier: MIT
#include "shape/kinds.h"

#include <string.h>

enum {
    MOST_TESTS = 1000000000
};  // triangles against shells: beyond, every negative shell counts as a cavity

// --- Which triangle belongs where ----------------------------------------------------------------

static int32_t root(int32_t *parent, int32_t i) {
    while (parent[i] != i) {
        i = parent[i] = parent[parent[i]];
    }
    return i;
}

typedef struct Halves {
    int32_t *tail, *head, *order, *spare, *start;
} Halves;

static bool take_halves(Halves *h, Pool *scratch, size_t count, int vertices) {
    h->tail = POOL_TAKE(scratch, int32_t, count);
    h->head = POOL_TAKE(scratch, int32_t, count);
    h->order = POOL_TAKE(scratch, int32_t, count);
    h->spare = POOL_TAKE(scratch, int32_t, count);
    h->start = POOL_TAKE(scratch, int32_t, (size_t)vertices + 1);
    return h->tail && h->head && h->order && h->spare && h->start;
}

static bool same_ends(const Halves *h, int32_t a, int32_t b) {
    if (h->tail[a] == h->tail[b]) return h->head[a] == h->head[b];
    return h->tail[a] == h->head[b] && h->head[a] == h->tail[b];
}

// parent of every triangle, slivers included
static bool join(const Surface *s, int32_t *parent, Pool *scratch) {
    int triangles = s->triangle_count + s->sliver_count;
    int count = 3 * triangles;
    int vertices = s->vertex_count + s->sliver_vertices;
    Halves h;
    if (!take_halves(&h, scratch, (size_t)count, vertices)) return false;
    for (int i = 0; i < count; i++) {
        h.tail[i] = s->triangle[i];
        h.head[i] = s->triangle[i % 3 == 2 ? i - 2 : i + 1];
    }
    shape_sort_edges(h.tail, h.head, count, vertices, h.order, h.spare, h.start);
    for (int i = 0; i < triangles; i++) {
        parent[i] = i;
    }
    for (int k = 1; k < count; k++) {
        if (!same_ends(&h, h.order[k - 1], h.order[k])) continue;
        parent[root(parent, h.order[k] / 3)] = root(parent, h.order[k - 1] / 3);
    }
    return true;
}

// --- What a shell is -----------------------------------------------------------------------------

static impVec3 corner_of(const Surface *s, int triangle, int k) {
    return s->vertex[s->triangle[3 * (size_t)triangle + (size_t)k]];
}

static void add_triangle(Shell *shell, const Surface *s, int triangle) {
    impVec3 origin = corner_of(s, shell->first, 0);
    impVec3 c[3];
    for (int k = 0; k < 3; k++) {
        impVec3 p = corner_of(s, triangle, k);
        bool first = shell->triangles == 0 && k == 0;
        shell->low = first ? p : lower(shell->low, p);
        shell->high = first ? p : upper(shell->high, p);
        c[k] = sub(p, origin);
    }
    shell->volume += dot(c[0], cross(c[1], c[2])) / 6;
    shell->triangles++;
}

static bool holds_box(const Shell *a, const Shell *b) {
    return a->low.x <= b->low.x && a->low.y <= b->low.y && a->low.z <= b->low.z &&
           b->high.x <= a->high.x && b->high.y <= a->high.y && b->high.z <= a->high.z;
}

// On which side of the ray from the origin along d the edge from a to b passes. The other way round
// is the other sign.
static bool passes_left(impVec3 d, impVec3 a, impVec3 b, bool upward) {
    double side = dot(d, cross(a, b));
    return side > 0 || (side == 0 && upward);
}

// How often the ray from p leaves the surface through this triangle: 1, -1 where it enters, or 0.
static int crossing(const Surface *s, int triangle, impVec3 p, impVec3 d) {
    const int32_t *t = s->triangle + 3 * (size_t)triangle;
    impVec3 a = sub(s->vertex[t[0]], p);
    impVec3 b = sub(s->vertex[t[1]], p);
    impVec3 c = sub(s->vertex[t[2]], p);
    bool ab = passes_left(d, a, b, t[0] < t[1]);
    bool bc = passes_left(d, b, c, t[1] < t[2]);
    bool ca = passes_left(d, c, a, t[2] < t[0]);
    if (ab != bc || bc != ca) return 0;
    impVec3 n = cross(sub(b, a), sub(c, a));
    double along = dot(d, n);
    if (along == 0 || dot(a, n) / along <= 0) return 0;
    return along > 0 ? 1 : -1;
}

static bool lies_inside(const Surface *s, const Shell *shell, const int32_t *number,
                        const Shell *test) {
    impVec3 sum = add(add(corner_of(s, test->first, 0), corner_of(s, test->first, 1)),
                      corner_of(s, test->first, 2));
    // parallel to nothing drawn
    impVec3 middle = scale(1.0 / 3, sum);
    impVec3 d = vec(0.31415926, 0.27182818, 0.90690169);
    int winding = 0;
    for (int i = 0; i < s->triangle_count; i++) {
        const Shell *other = &shell[number[i]];
        if (other->volume > 0 && holds_box(other, test)) {
            winding += crossing(s, i, middle, d);
        }
    }
    return winding != 0;
}

static void judge(const Surface *s, Shell *shell, int count, const int32_t *number) {
    double tests = 0;
    for (int i = 0; i < count; i++) {
        if (shell[i].volume >= 0) continue;
        tests += s->triangle_count;
        shell[i].cavity = tests > MOST_TESTS || lies_inside(s, shell, number, &shell[i]);
    }
}

// --- All of it -----------------------------------------------------------------------------------

static bool list_shells(const Surface *s, Pool *pool, Pool *scratch, Shell **out, int *count) {
    int triangles = s->triangle_count + s->sliver_count;
    int32_t *parent = POOL_TAKE(scratch, int32_t, triangles);
    int32_t *number = POOL_TAKE(scratch, int32_t, s->triangle_count);
    int32_t *of_root = POOL_TAKE(scratch, int32_t, triangles);
    Shell *shell = POOL_TAKE(pool, Shell, s->shells);
    if (!parent || !number || !of_root || !shell || !join(s, parent, scratch)) return false;
    for (int i = 0; i < triangles; i++) {
        of_root[i] = -1;
    }
    int known = 0;
    for (int i = 0; i < s->triangle_count; i++) {
        int32_t top = root(parent, i);
        if (of_root[top] < 0) {
            of_root[top] = known;
            shell[known++] = (Shell){ .first = i };
        }
        number[i] = of_root[top];
        add_triangle(&shell[number[i]], s, i);
    }
    judge(s, shell, known, number);
    *out = shell;
    *count = known;
    return true;
}

bool shape_shells(const Surface *s, Pool *pool, Shell **out, int *count, impError *err) {
    Pool scratch = { 0 };
    *out = NULL;
    *count = 0;
    bool done = !s->closed || list_shells(s, pool, &scratch, out, count);
    pool_free(&scratch);
    return done || fail_memory(err);
}
