// overlap.c -- how deep two shapes overlap: the shortest way that parts them.
//
// The signed distance is the greatest over all unit n of (least of A along n) - (most of B along n). For polytopes the
// greatest is at a face normal or at the cross product of two edges that meet on the Gauss map, where the normals of
// one body cross the reversed normals of the other; so all of them are looked at [Gottschalk, Lin, Manocha 1996; the
// pruning by arcs is that of Minkowski sums, Fogel and Halperin 2007]. Few edges: all pairs. Many: the arc of each edge
// of A is followed across the regions of B's vertices. Smooth shapes: A - B is filled by a polytope that grows at its
// face nearest to the origin (expanding polytope, van den Bergen 2001), coarsely; polish.c makes the best few of its
// faces exact.
//
// Points and segments have a rim of radius; their cores overlap when they cross, with depth 0 and any normal square to
// both. Loops are bounded. Ties are decided by the order of faces and edges, a's faces first, faces before edges.
//
// SPDX-License-Identifier: MIT
#include "collide/convex.h"

enum { ALL_PAIRS = 4096 };   // of edges: below, every pair is looked at
#define TIE 0x1p-46          // of the size: an edge must beat a face by this

typedef struct Axis {
    impVec3 n;
    double d;
    int steps;
} Axis;   // best so far

static void offer(Axis *best, impVec3 n, double d, double by) {
    best->steps++;
    if (d > best->d + by) best->d = d, best->n = n;
}

// --- faces -----------------------------------------------------------------------------------------------------------
static void look_at_faces(const Couple *k, int side, Axis *best) {
    const Convex *c = &k->side[side], *other = &k->side[1 - side];
    int piece = 0;
    for (int f = 0; f < c->p.face_count; f++) {
        impVec3 m = mul(c->turn, c->p.face[f].normal);
        double top = c->p.face[f].offset + dot(m, c->at), low = dot(m, convex_support(other, neg(m), &piece));
        offer(best, side ? m : neg(m), low - top, TIE * k->size);
    }
}

// --- pairs of edges --------------------------------------------------------------------------------------------------
typedef struct Arc {
    impVec3 along, left, right, out, at;
} Arc;   // direction, the normals beside it, one between them, one end; common frame

static Arc arc_of(const Convex *c, int e) {
    const Edge *edge = &c->p.edge[e];
    Arc a = { .along = mul(c->turn, edge->direction), .at = add(mul(c->turn, c->p.vertex[edge->tail]), c->at) };
    if (edge->left >= 0) a.left = mul(c->turn, c->p.face[edge->left].normal);
    if (edge->right >= 0) a.right = mul(c->turn, c->p.face[edge->right].normal);
    a.out = add(a.left, a.right);
    if (edge->left >= 0 && c->p.face_count == 2) a.out = mul(c->turn, edge->out_left);   // flat: they are opposite
    return a;
}

// Do the arcs of a and of -b cross?
static bool arcs_cross(const Arc *a, const Arc *b) {
    double bl = -dot(b->left, a->along), br = -dot(b->right, a->along);
    double al = dot(a->left, b->along), ar = dot(a->right, b->along);
    return bl * br < 0 && al * ar < 0 && bl * ar > 0;
}

static void offer_edges(const Couple *k, const Arc *a, const Arc *b, impVec3 outward, Axis *best) {
    impVec3 n = cross(a->along, b->along);
    double length = norm(n);
    double out = dot(n, outward);
    if (!(length > 1e-10) || !(fabs(out) > 1e-10 * length)) return;   // parallel, or flat: a face has that normal
    n = scale((out > 0 ? -1 : 1) / length, n);                        // from b to a: against a's own normals
    offer(best, n, dot(n, sub(a->at, b->at)), TIE * k->size);
}

static void look_at_all_edges(const Couple *k, Axis *best) {
    const Convex *a = &k->side[0], *b = &k->side[1];
    for (int i = 0; i < a->p.edge_count; i++) {
        Arc ea = arc_of(a, i);
        for (int j = 0; j < b->p.edge_count; j++) {
            Arc eb = arc_of(b, j);
            if (arcs_cross(&ea, &eb)) offer_edges(k, &ea, &eb, ea.out, best);
        }
    }
}

// From the region of vertex v of b into the next one, across the arc of an edge that a's arc crosses; -1: it ends here.
static int cross_over(const Couple *k, const Arc *a, int v, int *came, Axis *best) {
    const Core *p = &k->side[1].p;
    for (int i = p->ring_first[v]; i < p->ring_first[v + 1]; i++) {
        int e = p->ring[i];
        if (e == *came) continue;
        Arc b = arc_of(&k->side[1], e);
        if (!arcs_cross(a, &b)) continue;
        offer_edges(k, a, &b, a->out, best);
        *came = e;
        return p->edge[e].tail == v ? p->edge[e].head : p->edge[e].tail;
    }
    return -1;
}

static void follow_edges(const Couple *k, Axis *best) {
    const Convex *a = &k->side[0], *b = &k->side[1];
    int start = 0;
    for (int i = 0; i < a->p.edge_count; i++) {
        Arc ea = arc_of(a, i);
        impVec3 from[2] = { ea.left, ea.right };
        for (int end = 0; end < 2; end++) {   // from both ends, in case rounding loses the way in between
            convex_support(b, neg(from[end]), &start);
            for (int v = start, came = -1, steps = 0; v >= 0 && steps < b->p.edge_count; steps++)
                v = cross_over(k, &ea, v, &came, best);
        }
    }
}

// --- cores without faces ---------------------------------------------------------------------------------------------
static bool within_arc(const Arc *e, impVec3 n) {
    return dot(cross(e->left, n), e->along) >= 0 && dot(cross(n, e->right), e->along) >= 0;
}

// A segment against the edges of a polytope: its own normals are all that are square to it.
static void look_along_segment(const Couple *k, int side, Axis *best) {
    const Convex *c = &k->side[1 - side];
    Arc s = arc_of(&k->side[side], 0);
    for (int j = 0; j < c->p.edge_count; j++) {
        Arc e = arc_of(c, j);
        impVec3 n = cross(s.along, e.along);
        double length = norm(n);
        if (!(length > 1e-10)) continue;
        n = scale((dot(n, e.out) < 0 ? -1 : 1) / length, n);   // out of the polytope
        if (!within_arc(&e, n)) continue;
        if (side == 0) offer(best, n, dot(n, sub(s.at, e.at)), TIE * k->size);
        else offer(best, neg(n), -dot(n, sub(e.at, s.at)), TIE * k->size);
    }
}

static void look_at_thin(const Couple *k, Axis *best) {
    bool sa = k->side[0].kind == CONVEX_SEGMENT, sb = k->side[1].kind == CONVEX_SEGMENT;
    impVec3 u = sa ? arc_of(&k->side[0], 0).along : vec(0, 0, 0), v = sb ? arc_of(&k->side[1], 0).along : vec(0, 0, 0);
    impVec3 n = cross(u, v), centers = sub(k->side[0].at, k->side[1].at);
    double length = norm(n);
    if (sa && sb && length > 1e-10) n = scale(1 / length, n);
    else if (sa || sb) n = perpendicular(sb ? v : u);
    else n = vec(0, 0, 1);
    if (dot(n, centers) < 0) n = neg(n);
    offer(best, n, 0, 0);
}

static Judged overlap_of_cores(const Couple *k) {
    const Convex *a = &k->side[0], *b = &k->side[1];
    Axis best = { .d = -HUGE_VAL };
    look_at_faces(k, 0, &best);
    look_at_faces(k, 1, &best);
    bool fa = a->kind == CONVEX_POLYTOPE, fb = b->kind == CONVEX_POLYTOPE;
    if (fa && fb && (double)a->p.edge_count * b->p.edge_count <= ALL_PAIRS) look_at_all_edges(k, &best);
    else if (fa && fb) follow_edges(k, &best);
    if (fa && b->kind == CONVEX_SEGMENT) look_along_segment(k, 1, &best);
    if (fb && a->kind == CONVEX_SEGMENT) look_along_segment(k, 0, &best);
    if (!fa && !fb) look_at_thin(k, &best);
    Judged j = convex_judge(k, best.n);
    if (!j.good) j = convex_settle(k, best.n, best.d);   // they just touch, and not by a face or crossing edges
    j.steps += best.steps;
    return j;
}

// --- smooth shapes: the expanding polytope ---------------------------------------------------------------------------
enum { POINTS = 118, TRIANGLES = 2 * POINTS, TRIES = 4 };
#define ENOUGH 0x1p-20   // of the size: polish.c does the rest

typedef struct Triangle {
    uint8_t at[3];
    bool live;
    impVec3 n;
    double d;
} Triangle;   // n out of the polytope
typedef struct Growth {
    const Couple *k;
    impVec3 w[POINTS];   // of B - A, so that outward is from b to a
    Triangle face[TRIANGLES];
    int count, faces, steps;
    Corner last;
} Growth;

static impVec3 grow_toward(Growth *g, impVec3 n) {   // the farthest point of B - A along n
    g->last = convex_corner_toward(g->k, n, g->last);
    g->steps++;
    return neg(g->last.w);
}

static void add_triangle(Growth *g, int a, int b, int c) {
    if (g->faces == TRIANGLES) return;
    Triangle *t = &g->face[g->faces++];
    impVec3 n = cross(sub(g->w[b], g->w[a]), sub(g->w[c], g->w[a]));
    double length = norm(n);
    *t = (Triangle){ .at = { (uint8_t)a, (uint8_t)b, (uint8_t)c }, .live = true, .n = vec(0, 0, 0), .d = HUGE_VAL };
    if (!(length > 0)) return;   // of no area: closes the surface and nothing else
    t->n = scale(1 / length, n);
    t->d = dot(t->n, g->w[a]);
}

// The farther of the farthest points along n and -n from a plane through w[0].
static impVec3 farther(Growth *g, impVec3 n) {
    impVec3 p = grow_toward(g, n), q = grow_toward(g, neg(n));
    return fabs(dot(n, sub(p, g->w[0]))) >= fabs(dot(n, sub(q, g->w[0]))) ? p : q;
}

static void begin(Growth *g) {
    impVec3 z = vec(0.48, 0.6, 0.64);   // askew to all the axes that shapes have
    g->w[0] = grow_toward(g, z), g->w[1] = grow_toward(g, neg(z));
    impVec3 d = sub(g->w[1], g->w[0]), side = perpendicular(scale(1 / norm(d), d));
    g->w[2] = farther(g, side);
    impVec3 n = cross(d, sub(g->w[2], g->w[0]));
    g->w[3] = farther(g, scale(1 / norm(n), n));
    bool up = dot(n, sub(g->w[3], g->w[0])) > 0;
    g->count = 4;
    add_triangle(g, 0, up ? 2 : 1, up ? 1 : 2);
    add_triangle(g, 0, up ? 1 : 3, up ? 3 : 1);
    add_triangle(g, 1, up ? 2 : 3, up ? 3 : 2);
    add_triangle(g, 0, up ? 3 : 2, up ? 2 : 3);
}

static int nearest_face(const Growth *g) {
    int best = -1;
    for (int i = 0; i < g->faces; i++)
        if (g->face[i].live && (best < 0 || g->face[i].d < g->face[best].d)) best = i;
    return best;
}

static bool has_edge(const Triangle *t, int a, int b) {
    for (int i = 0; i < 3; i++)
        if (t->at[i] == a && t->at[(i + 1) % 3] == b) return true;
    return false;
}

static int across(const Growth *g, int a, int b) {   // the face on the other side of edge a b; -1: none
    for (int i = 0; i < g->faces; i++)
        if (has_edge(&g->face[i], b, a)) return i;
    return -1;
}

// Marks the faces that see w, spreading from one of them so that they are one piece; a face that w lies in does not see
// it.
static int mark_seen(const Growth *g, impVec3 w, int first, bool *gone) {
    uint8_t queue[TRIANGLES];
    int count = 1, rim = 0;
    queue[0] = (uint8_t)first, gone[first] = true;
    for (int i = 0; i < count; i++)
        for (int e = 0; e < 3; e++) {
            const Triangle *t = &g->face[queue[i]];
            int o = across(g, t->at[e], t->at[(e + 1) % 3]);
            if (o < 0 || gone[o]) continue;
            if (dot(g->face[o].n, w) - g->face[o].d > FLAT * g->k->size) gone[o] = true, queue[count++] = (uint8_t)o;
        }
    for (int i = 0; i < count; i++)
        for (int e = 0; e < 3; e++) {
            const Triangle *t = &g->face[queue[i]];
            int o = across(g, t->at[e], t->at[(e + 1) % 3]);
            rim += o < 0 || !gone[o];
        }
    return rim;
}

static void sweep_dead(Growth *g) {
    int kept = 0;
    for (int i = 0; i < g->faces; i++)
        if (g->face[i].live) g->face[kept++] = g->face[i];
    g->faces = kept;
}

// Faces that see the new point go; their rim is joined to it. False: no room.
static bool insert(Growth *g, impVec3 w, int seen_by) {
    bool gone[TRIANGLES] = { false };
    int before = g->faces, rim = mark_seen(g, w, seen_by, gone);
    if (g->count == POINTS || before + rim > TRIANGLES) return false;
    g->w[g->count] = w;
    for (int i = 0; i < before; i++)
        for (int e = 0; gone[i] && e < 3; e++) {
            int a = g->face[i].at[e], b = g->face[i].at[(e + 1) % 3], o = across(g, a, b);
            if (o < 0 || o >= before || !gone[o]) add_triangle(g, a, b, g->count);
        }
    for (int i = 0; i < before; i++) g->face[i].live = !gone[i];
    g->count++;
    sweep_dead(g);
    return true;
}

static void grow(Growth *g) {
    begin(g);
    for (int i = 0; i < POINTS; i++) {
        int f = nearest_face(g);
        if (f < 0) return;
        impVec3 w = grow_toward(g, g->face[f].n);
        if (dot(g->face[f].n, w) - g->face[f].d <= ENOUGH * g->k->size || !insert(g, w, f)) return;
    }
}

// The nearest faces, each made exact; of several the shallowest.
static Judged overlap_of_smooth(const Couple *k) {
    Growth g = { .k = k };
    grow(&g);
    Judged best = { .d = -HUGE_VAL };
    for (int i = 0; i < TRIES; i++) {
        int f = nearest_face(&g);
        if (f < 0 || -g.face[f].d < best.d) break;   // all that is left is deeper
        impVec3 n = g.face[f].n;
        Judged j = convex_settle(k, n, dot(n, convex_corner_toward(k, n, g.last).w));
        if (i == 0 || (j.good && (!best.good || j.d > best.d))) best = j;
        for (int o = 0; o < g.faces; o++)
            if (dot(g.face[o].n, n) > 0.99 || dot(g.face[o].n, best.n) > 0.99) g.face[o].live = false;
    }
    best.steps += g.steps;
    return best;
}

Judged convex_overlap(const Couple *k) {
    bool smooth = k->side[0].kind >= CONVEX_CYLINDER || k->side[1].kind >= CONVEX_CYLINDER;
    return smooth ? overlap_of_smooth(k) : overlap_of_cores(k);
}

Closest collide_overlap(const Placed *a, const Placed *b) {
    Couple k = convex_couple(a, b);
    Judged j = convex_overlap(&k);
    return convex_answer(&k, &j);
}
