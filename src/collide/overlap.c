// overlap.c -- how deep two shapes overlap: the shortest way that parts them.
//
// The signed distance is the greatest over all unit n of (least of A along n) - (most of B along
// n). For polytopes the greatest is at a face normal or at the cross product of two edges that meet
// on the Gauss map, where the normals of one body cross the reversed normals of the other; so all
// of them are looked at [Gottschalk, Lin, Manocha 1996; the pruning by arcs is that of Minkowski
// sums, Fogel and Halperin 2007]. Few edges: all pairs. Many: the arc of each edge of A is followed
// across the regions of B's vertices. Smooth shapes: the faces of a polytope and the axes of
// symmetry are looked at, and A - B is filled by a polytope that grows at its face nearest to the
// origin (expanding polytope, van den Bergen 2001). The nearest face bounds the depth from below,
// every direction that was tried from above; when they meet to 1e-6 of the depth, polish.c makes
// the best direction exact, and then the nearest faces that may yet be less deep. About an axis of
// symmetry, where a whole ring is equally deep, the growth ends by its bound on work; an answer
// whose depth it has not proven to a part in a hundred by then says so.
//
// Points and segments have a rim of radius; their cores overlap when they cross, with depth 0 and
// any normal square to both. Loops are bounded. Ties are decided by the order of faces and edges,
// a's faces first, faces before edges.
//
// SPDX-License-Identifier: MIT
#include "collide/convex.h"

// of edges: below, every pair is looked at
enum { ALL_PAIRS = 4096 };
#define TIE   0x1p-46  // of the size: an edge must beat a face by this
#define ALONG 0x1p-26  // a sine of axes that are one

typedef struct Axis {
    impVec3 n;
    double d;
    int steps;
} Axis;  // best so far

static void offer(Axis *best, impVec3 n, double d, double by) {
    best->steps++;
    if (d > best->d + by) {
        best->d = d;
        best->n = n;
    }
}

// --- faces ---------------------------------------------------------------------------------------
static void test_faces(const Couple *k, int side, Axis *best) {
    const Convex *c = &k->side[side];
    const Convex *other = &k->side[1 - side];
    int piece = 0;
    for (int f = 0; f < c->p.face_count; f++) {
        impVec3 m = mul(c->rotation, c->p.face[f].normal);
        double top = c->p.face[f].offset + dot(m, c->at);
        double low = dot(m, convex_support(other, neg(m), &piece));
        offer(best, side ? m : neg(m), low - top, TIE * k->size);
    }
}

// --- pairs of edges ------------------------------------------------------------------------------
typedef struct Arc {
    impVec3 along, left, right, out, at;
} Arc;  // direction, the normals beside it, one between them, one end; common frame

static Arc arc_of(const Convex *c, int e) {
    const Edge *edge = &c->p.edge[e];
    Arc a = { .along = mul(c->rotation, edge->direction),
              .at = add(mul(c->rotation, c->p.vertex[edge->tail]), c->at) };
    if (edge->left >= 0) {
        a.left = mul(c->rotation, c->p.face[edge->left].normal);
    }
    if (edge->right >= 0) {
        a.right = mul(c->rotation, c->p.face[edge->right].normal);
    }
    a.out = add(a.left, a.right);
    // flat: they are opposite
    if (edge->left >= 0 && c->p.face_count == 2) {
        a.out = mul(c->rotation, edge->out_left);
    }
    return a;
}

// Do the arcs of a and of -b cross?
static bool arcs_cross(const Arc *a, const Arc *b) {
    double bl = -dot(b->left, a->along);
    double br = -dot(b->right, a->along);
    double al = dot(a->left, b->along);
    double ar = dot(a->right, b->along);
    return bl * br < 0 && al * ar < 0 && bl * ar > 0;
}

static void offer_edges(const Couple *k, const Arc *a, const Arc *b, impVec3 outward, Axis *best) {
    impVec3 n = cross(a->along, b->along);
    double length = norm(n);
    double out = dot(n, outward);
    // parallel, or flat: a face has that normal
    if (!(length > 1e-10) || !(fabs(out) > 1e-10 * length)) return;
    // from b to a: against a's own normals
    n = scale((out > 0 ? -1 : 1) / length, n);
    offer(best, n, dot(n, sub(a->at, b->at)), TIE * k->size);
}

static void test_all_edges(const Couple *k, Axis *best) {
    const Convex *a = &k->side[0];
    const Convex *b = &k->side[1];
    for (int i = 0; i < a->p.edge_count; i++) {
        Arc ea = arc_of(a, i);
        for (int j = 0; j < b->p.edge_count; j++) {
            Arc eb = arc_of(b, j);
            if (arcs_cross(&ea, &eb)) {
                offer_edges(k, &ea, &eb, ea.out, best);
            }
        }
    }
}

// From the region of vertex v of b into the next one, across the arc of an edge that a's arc
// crosses; -1: it ends here.
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
    const Convex *a = &k->side[0];
    const Convex *b = &k->side[1];
    int start = 0;
    for (int i = 0; i < a->p.edge_count; i++) {
        Arc ea = arc_of(a, i);
        impVec3 from[2] = { ea.left, ea.right };
        // from both ends, in case rounding loses the way in between
        for (int end = 0; end < 2; end++) {
            convex_support(b, neg(from[end]), &start);
            for (int v = start, came = -1, steps = 0; v >= 0 && steps < b->p.edge_count; steps++) {
                v = cross_over(k, &ea, v, &came, best);
            }
        }
    }
}

// --- cores without faces -------------------------------------------------------------------------
static bool within_arc(const Arc *e, impVec3 n) {
    return dot(cross(e->left, n), e->along) >= 0 && dot(cross(n, e->right), e->along) >= 0;
}

// A segment against the edges of a polytope: its own normals are all that are square to it.
static void test_segment(const Couple *k, int side, Axis *best) {
    const Convex *c = &k->side[1 - side];
    Arc s = arc_of(&k->side[side], 0);
    for (int j = 0; j < c->p.edge_count; j++) {
        Arc e = arc_of(c, j);
        impVec3 n = cross(s.along, e.along);
        double length = norm(n);
        if (!(length > 1e-10)) continue;
        // out of the polytope
        n = scale((dot(n, e.out) < 0 ? -1 : 1) / length, n);
        if (!within_arc(&e, n)) continue;
        if (side == 0) {
            offer(best, n, dot(n, sub(s.at, e.at)), TIE * k->size);
        } else {
            offer(best, neg(n), -dot(n, sub(e.at, s.at)), TIE * k->size);
        }
    }
}

static void test_thin(const Couple *k, Axis *best) {
    bool sa = k->side[0].kind == CONVEX_SEGMENT;
    bool sb = k->side[1].kind == CONVEX_SEGMENT;
    impVec3 u = sa ? arc_of(&k->side[0], 0).along : vec(0, 0, 0);
    impVec3 v = sb ? arc_of(&k->side[1], 0).along : vec(0, 0, 0);
    impVec3 n = cross(u, v);
    impVec3 centers = sub(k->side[0].at, k->side[1].at);
    double length = norm(n);
    // else square to one is square to both
    if (sa && sb && length > 0.25 * FLAT) {
        n = scale(1 / length, n);
        n = madd(n, -dot(n, u), u);
        n = madd(n, -dot(n, v), v);
        n = scale(1 / norm(n), n);
    } else {
        n = sa || sb ? perpendicular(sb ? v : u) : vec(0, 0, 1);
    }
    if (dot(n, centers) < 0) {
        n = neg(n);
    }
    offer(best, n, 0, 0);
}

static Judged overlap_of_cores(const Couple *k) {
    const Convex *a = &k->side[0];
    const Convex *b = &k->side[1];
    Axis best = { .d = -HUGE_VAL };
    test_faces(k, 0, &best);
    test_faces(k, 1, &best);
    bool fa = a->kind == CONVEX_POLYTOPE;
    bool fb = b->kind == CONVEX_POLYTOPE;
    if (fa && fb && (double)a->p.edge_count * b->p.edge_count <= ALL_PAIRS) {
        test_all_edges(k, &best);
    } else if (fa && fb) {
        follow_edges(k, &best);
    }
    if (fa && b->kind == CONVEX_SEGMENT) {
        test_segment(k, 1, &best);
    }
    if (fb && a->kind == CONVEX_SEGMENT) {
        test_segment(k, 0, &best);
    }
    if (!fa && !fb) {
        test_thin(k, &best);
    }
    Judged j = convex_judge(k, best.n);
    // they just touch, and not by a face or crossing edges
    if (!j.good) {
        j = convex_settle(k, best.n, best.d);
    }
    j.steps += best.steps;
    return j;
}

// --- smooth shapes: directions that need no search -----------------------------------------------
static void offer_axis(const Couple *k, impVec3 n, Axis *best) {
    offer(best, n, dot(n, convex_corner_toward(k, n, (Corner){ .a = 0 }).w), TIE * k->size);
}

// The greatest ball about a point of the axis that a smooth shape holds.
typedef struct Ball {
    impVec3 at;
    double radius;
} Ball;

static Ball ball_within(const Convex *c) {
    const double *s = c->size;
    double cone = s[0] * s[1] / (s[0] + sqrt(s[0] * s[0] + s[1] * s[1]));
    switch (c->kind) {
    case CONVEX_CYLINDER: return (Ball){ c->at, min2(s[0], 0.5 * s[1]) };
    case CONVEX_CONE: return (Ball){ madd(c->at, cone, mul(c->rotation, vec(0, 0, 1))), cone };
    default: return (Ball){ c->at, min2(s[0], min2(s[1], s[2])) };
    }
}

static void offer_face(const Couple *k, int side, int f, Axis *best) {
    const Convex *c = &k->side[side];
    const Convex *other = &k->side[1 - side];
    int piece = 0;
    impVec3 m = mul(c->rotation, c->p.face[f].normal);
    double top = c->p.face[f].offset + dot(m, c->at);
    double low = dot(m, convex_support(other, neg(m), &piece));
    offer(best, side ? m : neg(m), low - top, TIE * k->size);
}

// The other shape is at least as deep as a ball within it: that passes over most faces of a large
// hull, after the face that is nearest to the ball.
static void offer_faces(const Couple *k, int side, Axis *best) {
    const Convex *c = &k->side[side];
    Ball ball = ball_within(&k->side[1 - side]);
    impVec3 at = mul_t(c->rotation, sub(ball.at, c->at));
    int nearest = 0;
    double most = -HUGE_VAL;
    double slack = TIE * k->size;
    for (int f = 0; f < c->p.face_count; f++) {
        double bound = dot(c->p.face[f].normal, at) - c->p.face[f].offset;
        if (bound > most) {
            most = bound;
            nearest = f;
        }
    }
    offer_face(k, side, nearest, best);
    for (int f = 0; f < c->p.face_count; f++) {
        double bound = dot(c->p.face[f].normal, at) - c->p.face[f].offset - ball.radius;
        if (bound > best->d - slack) {
            offer_face(k, side, f, best);
        }
    }
}

// An edge across a generator: square to the edge, and to the axis as the side of the cylinder or
// cone is. The arc between the normals beside the edge must pass there.
static void offer_generators(const Couple *k, int side, Axis *best) {
    const Convex *c = &k->side[side];
    const Convex *other = &k->side[1 - side];
    double r = other->size[0];
    double h = other->size[1];
    double lean = other->kind == CONVEX_CONE ? -r / sqrt(r * r + h * h) : 0;
    impVec3 axis = mul_t(c->rotation, mul(other->rotation, vec(0, 0, 1)));
    Ball ball = ball_within(other);
    impVec3 at = mul_t(c->rotation, sub(ball.at, c->at));
    for (int i = 0; i < c->p.edge_count; i++) {
        const Edge *e = &c->p.edge[i];
        if (e->left < 0 || e->right < 0) continue;
        impVec3 left = c->p.face[e->left].normal;
        impVec3 right = c->p.face[e->right].normal;
        impVec3 u = e->direction;
        if ((dot(left, axis) - lean) * (dot(right, axis) - lean) > 0) continue;
        impVec3 flat = madd(axis, -dot(axis, u), u);
        double length = norm(flat);
        double cosine = lean / length;
        // parallel, or never so steep
        if (!(fabs(cosine) < 1)) continue;
        flat = scale(1 / length, flat);
        impVec3 q = scale(sqrt(1 - cosine * cosine), cross(u, flat));
        impVec3 m = madd(dot(q, add(left, right)) < 0 ? neg(q) : q, cosine, flat);
        m = scale(1 / norm(m), m);
        // as in offer_faces
        if (dot(m, sub(at, c->p.vertex[e->tail])) - ball.radius <= best->d) continue;
        impVec3 n = mul(c->rotation, side ? m : neg(m));
        Corner w = convex_corner_toward(
            k, n, (Corner){ .a = side ? 0 : e->tail, .b = side ? e->tail : 0 });
        offer(best, n, dot(n, w.w), TIE * k->size);
    }
}

static bool has_generators(const Convex *c) {
    return c->kind == CONVEX_CYLINDER || c->kind == CONVEX_CONE;
}

// Faces, the axes that shapes are symmetric about, and what is square to two of them.
static Axis plain_axes(const Couple *k) {
    Axis best = { .d = -HUGE_VAL };
    for (int side = 0; side < 2; side++) {
        const Convex *c = &k->side[side];
        for (int i = 0; c->kind >= CONVEX_CYLINDER && i < 6; i++) {
            double s = i % 2 ? -1 : 1;
            if (i >= 2 && c->kind != CONVEX_ELLIPSOID) break;
            offer_axis(k,
                       mul(c->rotation, i < 2   ? vec(0, 0, s)
                                        : i < 4 ? vec(0, s, 0)
                                                : vec(s, 0, 0)),
                       &best);
        }
    }
    for (int side = 0; side < 2; side++) {
        if (k->side[side].kind == CONVEX_POLYTOPE) {
            offer_faces(k, side, &best);
            if (has_generators(&k->side[1 - side])) {
                offer_generators(k, side, &best);
            }
        }
    }
    impVec3 n = cross(mul(k->side[0].rotation, vec(0, 0, 1)),
                      mul(k->side[1].rotation, vec(0, 0, 1)));
    double sine = norm(n);
    for (int s = -1; s <= 1 && sine > ALONG; s += 2) {
        offer_axis(k, scale(s / sine, n), &best);
    }
    // a face's corners may be off it
    best.d = dot(best.n, convex_corner_toward(k, best.n, (Corner){ .a = 0 }).w);
    return best;
}

// --- smooth shapes: the expanding polytope -------------------------------------------------------
enum { POINTS = 250, TRIANGLES = 2 * POINTS, TRIES = 4, BRIEF = 12, NOBODY = TRIANGLES };
#define ENOUGH 0x1p-20  // of the depth: polish.c does the rest
#define LEAST  0x1p-40  // of the size
#define OPEN   1e-2     // of the depth, and
// of the size: growth that ends on its bound and leaves more open than both says so
#define OPEN_LEAST 1e-8

typedef struct Triangle {
    uint16_t at[3], next[3];  // next: beyond the edge from at[i] to at[i + 1]
    bool live, gone;
    impVec3 n;
    double d;
} Triangle;  // n out of the polytope; counter-clockwise seen from outside
typedef struct Growth {
    const Couple *k;
    impVec3 w[POINTS];  // of B - A, so that outward is from b to a
    Triangle face[TRIANGLES];
    int count, faces, steps;
    Corner last;
} Growth;
typedef struct Rim {
    uint16_t a, b, beyond;  // an edge, and the face that stays
} Rim;

// the farthest point of B - A along n
static impVec3 grow_toward(Growth *g, impVec3 n) {
    g->last = convex_corner_toward(g->k, n, g->last);
    g->steps++;
    return neg(g->last.w);
}

static void put_triangle(Growth *g, int f, int a, int b, int c) {
    impVec3 n = cross(sub(g->w[b], g->w[a]), sub(g->w[c], g->w[a]));
    double length = norm(n);
    Triangle t = { .at = { (uint16_t)a, (uint16_t)b, (uint16_t)c },
                   .live = true,
                   .n = vec(0, 0, 0),
                   .d = HUGE_VAL };
    // else of no area: closes the surface and nothing else
    if (length > 0) {
        t.n = scale(1 / length, n);
        t.d = dot(t.n, g->w[a]);
    }
    g->face[f] = t;
}

// The farther of the farthest points along n and -n from a plane through w[0].
static impVec3 farther(Growth *g, impVec3 n) {
    impVec3 p = grow_toward(g, n);
    impVec3 q = grow_toward(g, neg(n));
    return fabs(dot(n, sub(p, g->w[0]))) >= fabs(dot(n, sub(q, g->w[0]))) ? p : q;
}

static void begin(Growth *g, const Couple *k) {
    g->k = k;
    g->count = 4;
    g->faces = 4;
    g->steps = 0;
    g->last = (Corner){ .a = 0 };
    // askew to all the axes that shapes have
    impVec3 z = vec(0.48, 0.6, 0.64);
    g->w[0] = grow_toward(g, z);
    g->w[1] = grow_toward(g, neg(z));
    impVec3 d = sub(g->w[1], g->w[0]);
    impVec3 side = perpendicular(scale(1 / norm(d), d));
    g->w[2] = farther(g, side);
    impVec3 n = cross(d, sub(g->w[2], g->w[0]));
    g->w[3] = farther(g, scale(1 / norm(n), n));
    bool up = dot(n, sub(g->w[3], g->w[0])) > 0;
    int one = up ? 1 : 2;
    int two = up ? 2 : 1;
    put_triangle(g, 0, 0, two, one);
    put_triangle(g, 1, 0, one, 3);
    put_triangle(g, 2, one, two, 3);
    put_triangle(g, 3, 0, 3, two);
    const uint16_t next[4][3] = { { 3, 2, 1 }, { 0, 2, 3 }, { 0, 3, 1 }, { 1, 2, 0 } };
    for (int f = 0; f < 4; f++) {
        for (int e = 0; e < 3; e++) {
            g->face[f].next[e] = next[f][e];
        }
    }
}

static int nearest_face(const Growth *g) {
    int best = -1;
    for (int i = 0; i < g->faces; i++) {
        if (g->face[i].live && (best < 0 || g->face[i].d < g->face[best].d)) {
            best = i;
        }
    }
    return best;
}

// Marks the faces that see w, spreading from one of them so that they are one piece; a face that w
// lies in does not see it. Returns how many, in `seen`.
static int mark_visited(Growth *g, impVec3 w, int first, uint16_t *seen) {
    int count = 1;
    seen[0] = (uint16_t)first;
    g->face[first].gone = true;
    for (int i = 0; i < count; i++) {
        for (int e = 0; e < 3; e++) {
            int o = g->face[seen[i]].next[e];
            Triangle *t = &g->face[o];
            if (t->gone || !(dot(t->n, w) - t->d > FLAT * g->k->size)) continue;
            t->gone = true;
            seen[count++] = (uint16_t)o;
        }
    }
    return count;
}

// The border of what is gone: each of its corners starts one edge, or the border is no simple loop.
// -1: so it is.
static int border(const Growth *g, const uint16_t *seen, int count, Rim *rim, uint16_t *starts) {
    int edges = 0;
    for (int i = 0; i < g->count; i++) {
        starts[i] = NOBODY;
    }
    for (int i = 0; i < count; i++) {
        for (int e = 0; e < 3; e++) {
            const Triangle *t = &g->face[seen[i]];
            if (g->face[t->next[e]].gone) continue;
            if (starts[t->at[e]] != NOBODY) return -1;
            starts[t->at[e]] = (uint16_t)edges;
            rim[edges++] = (Rim){ t->at[e], t->at[(e + 1) % 3], t->next[e] };
        }
    }
    for (int i = 0; i < edges; i++) {
        if (starts[rim[i].b] == NOBODY) return -1;
    }
    return edges;
}

// the face beyond the edge to its new neighbour f
static void join(Growth *g, int f, const Rim *r) {
    Triangle *t = &g->face[r->beyond];
    for (int e = 0; e < 3; e++) {
        if (t->at[e] == r->b && t->at[(e + 1) % 3] == r->a) {
            t->next[e] = (uint16_t)f;
        }
    }
}

// Faces that see the new point go; their border is joined to it. False: no room.
static bool insert(Growth *g, impVec3 w, int seen_by) {
    uint16_t seen[TRIANGLES], starts[POINTS], slot[TRIANGLES];
    Rim rim[TRIANGLES];
    int gone = mark_visited(g, w, seen_by, seen);
    int edges = border(g, seen, gone, rim, starts);
    bool room = edges >= 3 && g->count < POINTS && g->faces + edges - gone <= TRIANGLES;
    for (int i = 0; i < gone; i++) {
        g->face[seen[i]].gone = false;
    }
    if (!room) return false;
    g->w[g->count] = w;
    for (int i = 0; i < edges; i++) {
        slot[i] = i < gone ? seen[i] : (uint16_t)(g->faces + i - gone);
    }
    for (int i = 0; i < edges; i++) {
        put_triangle(g, slot[i], rim[i].a, rim[i].b, g->count);
    }
    for (int i = 0; i < edges; i++) {
        int after = slot[starts[rim[i].b]];
        join(g, slot[i], &rim[i]);
        g->face[slot[i]].next[0] = rim[i].beyond;
        g->face[slot[i]].next[1] = (uint16_t)after;
        g->face[after].next[2] = slot[i];
    }
    for (int i = edges; i < gone; i++) {
        g->face[seen[i]].live = false;
    }
    if (edges > gone) {
        g->faces += edges - gone;
    }
    g->count++;
    return true;
}

// No direction parts them by less than the nearest face is away. Grows until that is the best one
// known.
static void grow(Growth *g, Axis *best) {
    for (int i = 0; i < POINTS; i++) {
        int f = nearest_face(g);
        double enough = max2(-ENOUGH * best->d, LEAST * g->k->size);
        if (f < 0 || g->face[f].d >= -best->d - enough) return;
        impVec3 n = g->face[f].n;
        impVec3 w = grow_toward(g, n);
        offer(best, n, -dot(n, w), TIE * g->k->size);
        if (g->face[f].d >= -best->d - enough || !insert(g, w, f)) return;
    }
}

// The best axis made exact, and then the nearest faces while they may be less deep. Features
// smaller than the last pull can hide the way. So they are pulled apart by all lengths in turn, and
// the least overlap that is one counts, if it is no deeper than what was found.
static Judged pull_by_all_lengths(const Couple *k, Judged found) {
    Judged best = found;
    for (double h = 0x1p-36 * k->far; h <= 0x1p-8 * k->size; h *= 4) {
        Nearest near = convex_nearest(k, scale(max2(-found.d, 0) + h, found.n));
        if (!(near.low > 0)) continue;
        Judged j = convex_polish(k, near.n, &near.simplex);
        if (j.good && j.d >= found.low - TIE * k->size && (!best.good || j.d > best.d)) {
            best = j;
        }
    }
    return best;
}

static Judged overlap_of_smooth(const Couple *k) {
    Growth g;
    Axis axis = plain_axes(k);
    begin(&g, k);
    grow(&g, &axis);
    int nearest = nearest_face(&g);
    // no push is shorter
    double proven = nearest < 0 ? HUGE_VAL : g.face[nearest].d;
    Judged best = convex_settle(k, axis.n, axis.d);
    for (int i = 1; i < TRIES; i++) {
        for (int o = 0; o < g.faces; o++) {
            if (dot(g.face[o].n, axis.n) > 0.99 || dot(g.face[o].n, best.n) > 0.99) {
                g.face[o].live = false;
            }
        }
        int f = nearest_face(&g);
        // all that is left is deeper
        if (f < 0 || -g.face[f].d <= best.d) break;
        axis.n = g.face[f].n;
        axis.d = dot(axis.n, convex_corner_toward(k, axis.n, g.last).w);
        Judged j = best.good ? convex_settle_in(k, axis.n, axis.d, BRIEF)
                             : convex_settle(k, axis.n, axis.d);
        if (j.good && (!best.good || j.d > best.d + TIE * k->size)) {
            best = j;
        }
    }
    if (!best.good) {
        best = pull_by_all_lengths(k, best);
    }
    best.steps += g.steps + axis.steps;
    best.unproven = max2(proven, 0) < -(1 - OPEN) * best.d - OPEN_LEAST * k->size;
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
