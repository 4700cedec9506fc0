// surface.c -- a heap of triangles, as a file has it, made into a surface that knows its vertices
// and its edges.
//
// Corners are welded when all their bits agree (-0 and +0 count as one), in the order of their
// first appearance: a tolerance would have to guess. Triangles with a repeated corner are dropped,
// and so are those without area, whose height is below 1e-14 of their longest side: rounding alone
// makes such heights. The latter may still count as neighbours: where leaving them out leaves holes
// that they would fill, they did. A surface is closed when every edge is used once in each sense
// and it holds a volume; it is turned as a whole when that volume is negative. Shells inside shells
// are holes, and overlapping ones count twice: the volume is the signed sum.
//
// Every pass is linear in the number of triangles. The order in which memory is touched decides the
// speed: see weld().
//
// SPDX-License-Identifier: MIT
#include "shape/kinds.h"

#include <limits.h>
#include <string.h>

// what becomes of a triangle, from good to bad
enum { WHOLE, FLAT, REPEATED };
static const double flat_height = 1e-14;  // of the longest side
// of area times length: the rounding of the volume is 1e-16 of it
static const double flat_volume = 1e-12;

typedef struct Weld {      // scratch of one call
    const double *corner;  // as given
    int count;             // of triangles
    int32_t *id;           // welded vertex of each corner
    int32_t *from;         // corner at which a vertex appeared first
    int vertices;
    char *fate;                   // WHOLE, REPEATED or FLAT, of each triangle
    int32_t *tail, *head, *half;  // half edges of the triangles that count; half: 3 triangle + side
    int halves;
} Weld;

typedef struct Edges {
    int open, crowded, shells, bad[2];
    bool mixed;
} Edges;

// --- Welding -------------------------------------------------------------------------------------

// the finaliser of MurmurHash3 (Appleby): every bit of h reaches all
static uint64_t mixed_bits(uint64_t h) {
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdu;
    h ^= h >> 33;
    h *= 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 33;
}

static uint64_t hash_corner(const double *c) {
    // -0 + 0 is +0
    double plus[3] = { c[0] + 0.0, c[1] + 0.0, c[2] + 0.0 };
    uint64_t bits[3];
    memcpy(bits, plus, sizeof bits);
    return mixed_bits(bits[0] * 0x9e3779b97f4a7c15u +
                      mixed_bits(bits[1] + 0x7f4a7c15u * mixed_bits(bits[2])));
}

static bool same_corner(const double *a, const double *b) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// a power of two, at most three quarters full if no corner is shared
static size_t table_size(size_t corners) {
    size_t size = 16;
    while (size / 4 * 3 < corners) {
        size *= 2;
    }
    return size;
}

// A table of vertex numbers, open addressing. A vertex is remembered by the corner where it was
// first seen, so that nothing is copied until their number is known.
static bool weld(Weld *w, Pool *scratch) {
    size_t corners = 3 * (size_t)w->count;
    size_t size = table_size(corners);
    int32_t *table = POOL_TAKE(scratch, int32_t, size);
    w->id = POOL_TAKE(scratch, int32_t, corners);
    w->from = POOL_TAKE(scratch, int32_t, corners);
    if (!table || !w->id || !w->from) return false;
    for (size_t i = 0; i < corners; i++) {
        const double *c = w->corner + 3 * i;
        size_t slot = hash_corner(c) & (size - 1);
        while (table[slot] && !same_corner(c, w->corner + 3 * (size_t)w->from[table[slot] - 1])) {
            slot = (slot + 1) & (size - 1);
        }
        if (!table[slot]) {
            w->from[w->vertices] = (int32_t)i;
            table[slot] = ++w->vertices;
        }
        w->id[i] = table[slot] - 1;
    }
    return true;
}

static impVec3 corner_at(const double *c) { return vec(c[0] + 0.0, c[1] + 0.0, c[2] + 0.0); }

static bool is_flat(const double *c) {
    impVec3 a = corner_at(c);
    impVec3 ab = sub(corner_at(c + 3), a);
    impVec3 ac = sub(corner_at(c + 6), a);
    impVec3 bc = sub(ac, ab);
    double side = dot(ab, ab);
    side = dot(ac, ac) > side ? dot(ac, ac) : side;
    side = dot(bc, bc) > side ? dot(bc, bc) : side;
    // base times height against base squared
    return norm(cross(ab, ac)) <= flat_height * side;
}

static bool judge_triangles(Weld *w, Surface *out, Pool *scratch) {
    w->fate = POOL_TAKE(scratch, char, w->count);
    if (!w->fate) return false;
    for (int i = 0; i < w->count; i++) {
        const int32_t *t = w->id + 3 * (size_t)i;
        bool repeated = t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
        w->fate[i] = repeated ? REPEATED : is_flat(w->corner + 9 * (size_t)i) ? FLAT : WHOLE;
        if (w->fate[i] == WHOLE) continue;
        if (out->dropped < COUNT(out->first_dropped)) {
            out->first_dropped[out->dropped] = i;
        }
        out->dropped++;
    }
    return true;
}

// --- Edges ---------------------------------------------------------------------------------------

static inline int32_t low_end(const int32_t *tail, const int32_t *head, int32_t i) {
    return tail[i] < head[i] ? tail[i] : head[i];
}

static inline int32_t high_end(const int32_t *tail, const int32_t *head, int32_t i) {
    return tail[i] < head[i] ? head[i] : tail[i];
}

void shape_sort_edges(const int32_t *tail, const int32_t *head, int count, int vertex_count,
                      int32_t *order, int32_t *spare, int32_t *start) {
    // by the higher end
    memset(start, 0, sizeof *start * ((size_t)vertex_count + 1));
    for (int32_t i = 0; i < count; i++) {
        start[high_end(tail, head, i) + 1]++;
    }
    for (int v = 0; v < vertex_count; v++) {
        start[v + 1] += start[v];
    }
    for (int32_t i = 0; i < count; i++) {
        spare[start[high_end(tail, head, i)]++] = i;
    }
    // then, keeping that order, by the lower end
    memset(start, 0, sizeof *start * ((size_t)vertex_count + 1));
    for (int32_t i = 0; i < count; i++) {
        start[low_end(tail, head, i) + 1]++;
    }
    for (int v = 0; v < vertex_count; v++) {
        start[v + 1] += start[v];
    }
    for (int32_t k = 0; k < count; k++) {
        order[start[low_end(tail, head, spare[k])]++] = spare[k];
    }
}

static bool take_halves(Weld *w, Pool *scratch) {
    size_t most = 3 * (size_t)w->count;
    w->tail = POOL_TAKE(scratch, int32_t, most);
    w->head = POOL_TAKE(scratch, int32_t, most);
    w->half = POOL_TAKE(scratch, int32_t, most);
    return w->tail && w->head && w->half;
}

// of triangles whose fate is not worse
static void list_halves(Weld *w, char worst) {
    w->halves = 0;
    for (int32_t i = 0; i < w->count; i++) {
        if (w->fate[i] > worst) continue;
        const int32_t *t = w->id + 3 * (size_t)i;
        for (int side = 0; side < 3; side++) {
            w->tail[w->halves] = t[side];
            w->head[w->halves] = t[side == 2 ? 0 : side + 1];
            w->half[w->halves++] = 3 * i + side;
        }
    }
}

static int32_t root(int32_t *parent, int32_t i) {
    while (parent[i] != i) {
        i = parent[i] = parent[parent[i]];
    }
    return i;
}

// One edge: the half edges order[0 .. uses). Joins their triangles into one shell and says what is
// wrong with it.
static void judge_edge(const Weld *w, Edges *edges, const int32_t *order, int uses,
                       int32_t *parent) {
    int32_t first = root(parent, w->half[order[0]] / 3);
    for (int k = 1; k < uses; k++) {
        parent[root(parent, w->half[order[k]] / 3)] = first;
    }
    bool same_sense = uses == 2 && w->tail[order[0]] == w->tail[order[1]];
    if (uses == 2 && !same_sense) return;
    if (uses == 1) {
        edges->open++;
    } else {
        edges->crowded++;
    }
    edges->mixed |= same_sense;
    if (edges->bad[0] >= 0) return;
    edges->bad[0] = low_end(w->tail, w->head, order[0]);
    edges->bad[1] = high_end(w->tail, w->head, order[0]);
}

static bool same_edge(const Weld *w, int32_t a, int32_t b) {
    return low_end(w->tail, w->head, a) == low_end(w->tail, w->head, b) &&
           high_end(w->tail, w->head, a) == high_end(w->tail, w->head, b);
}

typedef struct EdgeRoom {
    int32_t *order, *spare, *start, *parent;
} EdgeRoom;

static Edges count_edges(Weld *w, EdgeRoom r, char worst) {
    Edges edges = { .bad = { -1, -1 } };
    list_halves(w, worst);
    shape_sort_edges(w->tail, w->head, w->halves, w->vertices, r.order, r.spare, r.start);
    for (int32_t i = 0; i < w->count; i++) {
        r.parent[i] = i;
    }
    for (int k = 0, next; k < w->halves; k = next) {
        for (next = k + 1; next < w->halves && same_edge(w, r.order[k], r.order[next]);) {
            next++;
        }
        judge_edge(w, &edges, r.order + k, next - k, r.parent);
    }
    for (int32_t i = 0; i < w->count; i++) {
        edges.shells += w->fate[i] <= worst && r.parent[i] == i;
    }
    return edges;
}

static bool judge_edges(Weld *w, Surface *out, Pool *scratch) {
    size_t most = 3 * (size_t)w->count;
    EdgeRoom r = { POOL_TAKE(scratch, int32_t, most), POOL_TAKE(scratch, int32_t, most),
                   POOL_TAKE(scratch, int32_t, (size_t)w->vertices + 1),
                   POOL_TAKE(scratch, int32_t, w->count) };
    if (!r.order || !r.spare || !r.start || !r.parent || !take_halves(w, scratch)) return false;
    Edges edges = count_edges(w, r, WHOLE);
    if (edges.bad[0] >= 0 && out->dropped > 0) {
        Edges with_slivers = count_edges(w, r, FLAT);
        out->needs_slivers = with_slivers.bad[0] < 0;
        if (out->needs_slivers) {
            edges = with_slivers;
        }
    }
    out->open_edges = edges.open;
    out->crowded_edges = edges.crowded;
    out->shells = edges.shells;
    out->bad_edge[0] = edges.bad[0];
    out->bad_edge[1] = edges.bad[1];
    out->mixed = edges.mixed;
    return true;
}

// --- What is kept --------------------------------------------------------------------------------

// Vertices of triangles of one fate, in the order of their first use, counted on from count.
static int renumber(const Weld *w, char fate, int count, int32_t *fresh) {
    for (int i = 0; i < w->count; i++) {
        if (w->fate[i] != fate) continue;
        for (int k = 0; k < 3; k++) {
            int32_t v = w->id[3 * (size_t)i + (size_t)k];
            if (fresh[v] < 0) {
                fresh[v] = count++;
            }
        }
    }
    return count;
}

// behind them
static int32_t *list_triangles(const Weld *w, char fate, const int32_t *fresh, int32_t *t) {
    for (int i = 0; i < w->count; i++) {
        for (int k = 0; k < 3 && w->fate[i] == fate; k++) {
            *t++ = fresh[w->id[3 * (size_t)i + (size_t)k]];
        }
    }
    return t;
}

static int count_fate(const Weld *w, char fate) {
    int count = 0;
    for (int i = 0; i < w->count; i++) {
        count += w->fate[i] == fate;
    }
    return count;
}

// Slivers that close the surface follow the triangles that count, and vertices of theirs alone the
// other vertices.
static bool keep(Weld *w, Surface *out, Pool *pool, Pool *scratch) {
    int32_t *fresh = POOL_TAKE(scratch, int32_t, w->vertices);
    if (!fresh) return false;
    // a bad edge has ends that are kept: see judge_edges
    for (int v = 0; v < w->vertices; v++) {
        fresh[v] = -1;
    }
    out->vertex_count = renumber(w, WHOLE, 0, fresh);
    out->triangle_count = w->count - out->dropped;
    int vertices = out->vertex_count;
    if (out->needs_slivers) {
        vertices = renumber(w, FLAT, vertices, fresh);
        out->sliver_count = count_fate(w, FLAT);
        out->sliver_vertices = vertices - out->vertex_count;
    }
    // room, and copies
    size_t triangles = (size_t)out->triangle_count + (size_t)out->sliver_count;
    out->vertex = POOL_TAKE(pool, impVec3, vertices);
    out->triangle = POOL_TAKE(pool, int32_t, 3 * triangles);
    out->origin = POOL_TAKE(pool, int32_t, out->triangle_count);
    if (!out->vertex || !out->triangle || !out->origin) return false;
    for (int i = 0, k = 0; i < w->count; i++) {
        if (w->fate[i] == WHOLE) {
            out->origin[k++] = i;
        }
    }
    for (int v = 0; v < w->vertices; v++) {
        if (fresh[v] >= 0) {
            out->vertex[fresh[v]] = corner_at(w->corner + 3 * (size_t)w->from[v]);
        }
    }
    int32_t *behind = list_triangles(w, WHOLE, fresh, out->triangle);
    if (out->needs_slivers) {
        list_triangles(w, FLAT, fresh, behind);
    }
    for (int k = 0; k < 2 && out->bad_edge[0] >= 0; k++) {
        out->bad_edge[k] = fresh[out->bad_edge[k]];
    }
    return true;
}

static double area_of(const Surface *s) {
    double area = 0;
    for (int i = 0; i < s->triangle_count; i++) {
        const int32_t *t = s->triangle + 3 * (size_t)i;
        impVec3 a = s->vertex[t[0]];
        area += norm(cross(sub(s->vertex[t[1]], a), sub(s->vertex[t[2]], a))) / 2;
    }
    return area;
}

static double longest_extent(const Surface *s) {
    if (s->vertex_count == 0) return 0;
    impVec3 low = s->vertex[0];
    impVec3 high = low;
    for (int v = 1; v < s->vertex_count; v++) {
        low = lower(low, s->vertex[v]);
        high = upper(high, s->vertex[v]);
    }
    return largest(sub(high, low));
}

static void turn_inside_out(Surface *s) {
    for (int i = 0; i < s->triangle_count + s->sliver_count; i++) {
        int32_t *t = s->triangle + 3 * (size_t)i;
        int32_t second = t[1];
        t[1] = t[2];
        t[2] = second;
    }
    // the bits of a file that was right
    s->solid = shape_integrate(s->vertex, s->triangle, s->triangle_count);
    s->flipped = true;
}

static void measure(Surface *s) {
    s->area = area_of(s);
    if (s->open_edges > 0 || s->crowded_edges > 0 || s->triangle_count == 0) return;
    Solid solid = shape_integrate(s->vertex, s->triangle, s->triangle_count);
    if (fabs(solid.volume) <= flat_volume * s->area * longest_extent(s)) return;
    s->solid = solid;
    s->closed = true;
    if (solid.volume < 0) {
        turn_inside_out(s);
    }
}

bool shape_weld(Surface *out, Pool *pool, const double *corner, int triangle_count, impError *err) {
    *out = (Surface){ .bad_edge = { -1, -1 } };
    if (triangle_count > INT32_MAX / 3) {
        return fail_as(err, IMP_AT_LIMIT, (Where){ 0 }, "%d triangles; a surface has at most %d",
                       triangle_count, INT32_MAX / 3);
    }
    Pool scratch = { 0 };
    Weld w = { .corner = corner, .count = triangle_count };
    bool done = weld(&w, &scratch) && judge_triangles(&w, out, &scratch) &&
                judge_edges(&w, out, &scratch) && keep(&w, out, pool, &scratch);
    pool_free(&scratch);
    if (!done) return fail_memory(err);
    measure(out);
    return true;
}
