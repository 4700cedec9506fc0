// features.c -- the core of a shape as a polytope that can be walked over: vertices, edges, faces
// and neighbours.
//
// The boundary structure of V-Clip [Mirtich98; Lin & Canny 91]: every edge knows its ends, its two
// faces, and the two Voronoi planes it shares with them; every vertex the edges around it; every
// face its edges in order. Each plane is stored once and used with opposite sense by the two
// neighbours, so that a walk cannot be of two minds. A ball's core is one vertex, a capsule's one
// edge without faces, a rounded box's the box that is left inside. Edges are numbered by their
// lower and higher vertex: no order of input shows. Cylinder, cone, ellipsoid, plane and mesh have
// no such core.
//
// SPDX-License-Identifier: MIT
#include "shape/kinds.h"

#include <string.h>

static bool reserve_features(Geometry *g, Pool *pool, int vertices, int edges) {
    // meshes leave it behind loop
    int kept = g->loop_edge_room < g->loop_count ? g->loop_edge_room : g->loop_count;
    return shape_reserve(pool, &g->edge, &g->edge_room, g->edge_count, edges, sizeof *g->edge) &&
           shape_reserve(pool, &g->ring, &g->ring_room, g->ring_count, 2 * edges,
                         sizeof *g->ring) &&
           shape_reserve(pool, &g->ring_first, &g->ring_first_room, g->ring_first_count,
                         vertices + 1, sizeof *g->ring_first) &&
           shape_reserve(pool, &g->loop_edge, &g->loop_edge_room, kept, g->loop_count - kept,
                         sizeof *g->loop_edge);
}

// --- the cores that are not given by points ------------------------------------------------------
static void add_vertex(Geometry *g, Shape *s, impVec3 at) {
    g->vertex[g->vertex_count++] = at;
    s->vertex_count++;
}

static void add_quad(Geometry *g, Shape *s, impVec3 normal, double offset, int a, int b, int c,
                     int d) {
    int32_t corner[4] = { a, b, c, d };
    g->face[g->face_count++] = (Face){ g->loop_count, 4, normal, offset };
    memcpy(g->loop + g->loop_count, corner, sizeof corner);
    g->loop_count += 4;
    s->face_count++;
}

// vertex i: bit 2 is x, bit 1 is y, bit 0 is z
static void fill_box(Shape *s, Geometry *g) {
    double r = s->radius;
    double x = 0.5 * s->size[0] - r;
    double y = 0.5 * s->size[1] - r;
    double z = 0.5 * s->size[2] - r;
    for (int i = 0; i < 8; i++) {
        add_vertex(g, s, vec(i & 4 ? x : -x, i & 2 ? y : -y, i & 1 ? z : -z));
    }
    add_quad(g, s, vec(-1, 0, 0), x, 0, 1, 3, 2);
    add_quad(g, s, vec(0, -1, 0), y, 0, 4, 5, 1);
    add_quad(g, s, vec(0, 0, -1), z, 0, 2, 6, 4);
    add_quad(g, s, vec(0, 0, 1), z, 1, 5, 7, 3);
    add_quad(g, s, vec(0, 1, 0), y, 2, 3, 7, 6);
    add_quad(g, s, vec(1, 0, 0), x, 4, 6, 7, 5);
}

static bool fill_core(Shape *s, Geometry *g, Pool *pool) {
    const char *kind = shape_kinds[s->kind].name;
    bool ball = !strcmp(kind, "sphere");
    bool capsule = !strcmp(kind, "capsule");
    bool box = !strcmp(kind, "box");
    s->core = ball || capsule || box || !strcmp(kind, "hull");
    // a hull has its lists already
    if (!ball && !capsule && !box) return true;
    if (!shape_geometry_reserve(g, pool, 8, 24, 6)) return false;
    s->first_vertex = g->vertex_count;
    s->first_face = g->face_count;
    if (!box) {
        s->radius = s->size[0];
    }
    if (box) {
        fill_box(s, g);
    }
    if (ball) {
        add_vertex(g, s, vec(0, 0, 0));
    }
    if (capsule) {
        add_vertex(g, s, vec(0, 0, -0.5 * s->size[1]));
        add_vertex(g, s, vec(0, 0, 0.5 * s->size[1]));
    }
    return true;
}

// --- edges and rings -----------------------------------------------------------------------------
// one per corner of a face
typedef struct Halves {
    int32_t *tail, *head, *face, *place;
    int count;
} Halves;

static Halves list_halves(const Shape *s, const Geometry *g, Pool *scratch, int count) {
    Halves h = { POOL_TAKE(scratch, int32_t, count + 1), POOL_TAKE(scratch, int32_t, count + 1),
                 POOL_TAKE(scratch, int32_t, count + 1), POOL_TAKE(scratch, int32_t, count + 1),
                 0 };
    if (!h.tail || !h.head || !h.face || !h.place) return (Halves){ .count = -1 };
    for (int f = 0; f < s->face_count; f++) {
        const Face *face = &g->face[s->first_face + f];
        for (int k = 0; k < face->count; k++, h.count++) {
            h.tail[h.count] = g->loop[face->first + k];
            h.head[h.count] = g->loop[face->first + (k + 1) % face->count];
            h.face[h.count] = f;
            h.place[h.count] = face->first + k;
        }
    }
    return h;
}

static void set_edge(const Shape *s, const Geometry *g, Edge *e) {
    const impVec3 *v = g->vertex + s->first_vertex;
    impVec3 along = sub(v[e->head], v[e->tail]);
    e->length = norm(along);
    e->direction = e->length > 0 ? scale(1 / e->length, along) : vec(0, 0, 1);
    e->out_left = e->out_right = vec(0, 0, 0);
    if (e->left >= 0) {
        e->out_left = cross(e->direction, g->face[s->first_face + e->left].normal);
    }
    if (e->right >= 0) {
        e->out_right = cross(g->face[s->first_face + e->right].normal, e->direction);
    }
}

// Two halves of opposite sense make an edge; hull.c has made sure that they come in pairs.
static void join_halves(Shape *s, Geometry *g, const Halves *h, const int32_t *order) {
    s->first_edge = g->edge_count;
    for (int k = 0; k + 1 < h->count; k += 2) {
        int a = order[k];
        int b = order[k + 1];
        bool up = h->tail[a] < h->head[a];
        int left = up ? a : b;
        int right = up ? b : a;
        int number = s->edge_count++;
        Edge *e = &g->edge[g->edge_count++];
        *e = (Edge){ .tail = h->tail[left],
                     .head = h->head[left],
                     .left = h->face[left],
                     .right = h->face[right] };
        g->loop_edge[h->place[a]] = g->loop_edge[h->place[b]] = number;
        set_edge(s, g, e);
    }
}

static void list_rings(Shape *s, Geometry *g) {
    int32_t *first = g->ring_first + g->ring_first_count;
    int32_t *ring = g->ring;
    const Edge *edge = g->edge + s->first_edge;
    s->first_ring = g->ring_first_count;
    memset(first, 0, ((size_t)s->vertex_count + 1) * sizeof *first);
    for (int e = 0; e < s->edge_count; e++) {
        first[edge[e].tail]++;
        first[edge[e].head]++;
    }
    for (int v = 0, at = g->ring_count; v <= s->vertex_count; v++) {
        int here = v < s->vertex_count ? first[v] : 0;
        first[v] = at;
        at += here;
    }
    for (int e = 0; e < s->edge_count; e++) {
        ring[first[edge[e].tail]++] = e;
        ring[first[edge[e].head]++] = e;
    }
    // the fill moved each start to the next one
    for (int v = s->vertex_count; v > 0; v--) {
        first[v] = first[v - 1];
    }
    first[0] = g->ring_count;
    g->ring_count += 2 * s->edge_count;
    g->ring_first_count += s->vertex_count + 1;
}

static bool build_edges(Shape *s, Geometry *g, Pool *pool, Pool *scratch, int corners) {
    int32_t *order = POOL_TAKE(scratch, int32_t, corners + 1);
    int32_t *spare = POOL_TAKE(scratch, int32_t, corners + 1);
    int32_t *start = POOL_TAKE(scratch, int32_t, s->vertex_count + 1);
    Halves h = list_halves(s, g, scratch, corners);
    if (!order || !spare || !start || h.count < 0) return false;
    if (!reserve_features(g, pool, s->vertex_count, corners / 2 + 1)) return false;
    shape_sort_edges(h.tail, h.head, h.count, s->vertex_count, order, spare, start);
    join_halves(s, g, &h, order);
    // a capsule's core
    if (s->face_count == 0 && s->vertex_count == 2) {
        Edge *e = &g->edge[g->edge_count++];
        *e = (Edge){ .tail = 0, .head = 1, .left = -1, .right = -1 };
        s->edge_count = 1;
        set_edge(s, g, e);
    }
    list_rings(s, g);
    return true;
}

bool shape_build_core(Shape *s, Geometry *g, Pool *pool, impError *err) {
    Pool scratch = { 0 };
    if (!fill_core(s, g, pool)) return fail_memory(err);
    if (!s->core) return true;
    int corners = 0;
    for (int f = 0; f < s->face_count; f++) {
        corners += g->face[s->first_face + f].count;
    }
    bool ok = build_edges(s, g, pool, &scratch, corners);
    pool_free(&scratch);
    return ok || fail_memory(err);
}
