// canon.c -- one answer out of the many of a tie, and the closest points of two features.
//
// When faces or edges are parallel, many pairs of features are equally close, and which one a walk ends at depends on
// where it began. The law wants one answer. So the parallel features around the pair found are looked up, and the answer
// is the middle of what they share: of the overlap of two faces, of an edge over a face, of two edges side by side
// (physics.md B.4). Without such a tie the pair is reduced to the lowest features that hold the closest points, so that a
// vertex exactly above an edge is that, from whichever side the walk came.
//
// Parallel means to 1e-12 rad: rotations are rounded to 1e-15, and a real tilt of 1e-12 moves the answer by less than 1e-12
// of the size. All is computed in the frame of b. Lengths are compared with `grain`, 1e-13 of the coordinates at hand:
// no absolute length appears, so that scaling by a power of two changes no bit.
//
// SPDX-License-Identifier: MIT
#include "collide/walk.h"

#define PARALLEL 1e-12
enum { CORNERS = 96 };                        // of an overlap of two faces; larger faces keep the answer of the walk

typedef struct Canon {
    Walk *w;
    impVec3 p, q;                             // closest points of a and of b, in b's frame
    impVec3 n;                                // from b to a
    double d, grain, aside;                   // aside: how far p may be from straight above q
    Feature fa, fb;
    impVec3 r[2];                             // p - q as b sees it; q - p as a sees it: what each face is held against
    double rr;
    int support[2];                           // the face around each feature along whose normal they lie; -1: none
} Canon;

// --- looking around: everything in b's frame -------------------------------------------------------------------------------
static impVec3 point(const Walk *w, int i, int v) {
    const Side *s = &w->body[i];
    return i ? s->p.vertex[v] : add(mul(s->turn, s->p.vertex[v]), s->at);
}
static impVec3 direction(const Walk *w, int i, impVec3 a) { return i ? a : mul(w->body[0].turn, a); }
static impVec3 edge_direction(const Walk *w, int i, int e) { return direction(w, i, w->body[i].p.edge[e].direction); }
static impVec3 face_normal(const Walk *w, int i, int f) { return direction(w, i, w->body[i].p.face[f].normal); }
static impVec3 toward_a(const Walk *w, int i, int f) { return i ? face_normal(w, i, f) : neg(face_normal(w, i, f)); }

// The k-th face and the k-th edge at feature i of the walk; -1: none there. Counts by around().
static int around(const Walk *w, int i) {
    const Core *c = &w->body[i].p;
    int id = w->id[i];
    if (w->kind[i] == FEATURE_VERTEX) return c->ring_first[id + 1] - c->ring_first[id];
    return w->kind[i] == FEATURE_EDGE ? 2 : 1;
}
static int face_at(const Walk *w, int i, int k) {
    const Core *c = &w->body[i].p;
    int id = w->id[i];
    if (w->kind[i] == FEATURE_FACE) return id;
    if (w->kind[i] == FEATURE_EDGE) return k ? c->edge[id].right : c->edge[id].left;
    const Edge *e = &c->edge[c->ring[c->ring_first[id] + k]];
    return e->tail == id ? e->left : e->right;                  // to the left of the edge as it leaves: each face once
}
static int edge_at(const Walk *w, int i, int k) {
    const Core *c = &w->body[i].p;
    if (w->kind[i] == FEATURE_EDGE) return k ? -1 : w->id[i];
    return w->kind[i] == FEATURE_VERTEX ? c->ring[c->ring_first[w->id[i]] + k] : -1;
}

// Does p - q lie along n, seen from body i? Then a face of that normal supports the pair. The first line sorts out nearly
// all: it errs by 1e-16 of rr at most.
static bool lies_along(const Canon *c, int i, impVec3 n) {
    double along = dot(c->r[i], n);
    if (c->rr - along * along > 4 * c->grain * c->grain + 1e-14 * c->rr) return false;
    return norm(madd(c->r[i], -along, n)) <= c->aside && along >= -c->grain;
}

static int supporting_face(const Canon *c, int i) {
    const Walk *w = c->w;
    for (int k = 0; k < around(w, i); k++) {
        int f = face_at(w, i, k);
        if (f >= 0 && lies_along(c, i, w->body[i].p.face[f].normal)) return f;
    }
    return -1;
}

static void settle(Canon *c, impVec3 q, impVec3 n, Feature fa, Feature fb) {   // q on b's feature; p straight above
    c->n = n;
    c->q = q;
    c->fa = fa, c->fb = fb;
}

// --- face on face ----------------------------------------------------------------------------------------------------------------
typedef struct Polygon { impVec3 corner[CORNERS]; int count; } Polygon;

static bool lay_down(const Walk *w, int i, int f, Polygon *out) {
    const Core *c = &w->body[i].p;
    const Face *face = &c->face[f];
    if (face->count > CORNERS) return false;
    for (int k = 0; k < face->count; k++) out->corner[k] = point(w, i, c->loop[face->first + k]);
    out->count = face->count;
    return true;
}

// Sutherland & Hodgman: the part of the polygon within one side plane, out . (x - base) <= 0.
static bool trim(Polygon *p, impVec3 base, impVec3 out) {
    Polygon kept = { .count = 0 };
    for (int k = 0; k < p->count; k++) {
        impVec3 a = p->corner[k], b = p->corner[(k + 1) % p->count];
        double sa = dot(sub(a, base), out), sb = dot(sub(b, base), out);
        if (kept.count + 2 > CORNERS) return false;
        if (sa <= 0) kept.corner[kept.count++] = a;
        if ((sa < 0 && sb > 0) || (sa > 0 && sb < 0)) kept.corner[kept.count++] = madd(a, sa / (sa - sb), sub(b, a));
    }
    *p = kept;
    return true;
}

static impVec3 middle(const Polygon *p, impVec3 n) {   // centre of area; of a degenerate one, of its corners
    impVec3 sum = vec(0, 0, 0), mean = vec(0, 0, 0), first = p->corner[0];
    double area = 0, span = 0;
    for (int k = 0; k < p->count; k++) {
        impVec3 a = sub(p->corner[k], first), b = sub(p->corner[(k + 1) % p->count], first);
        double twice = dot(n, cross(a, b));
        area += twice, span = max2(span, dot(a, a));
        sum = madd(sum, twice, add(a, b));
        mean = madd(mean, 1.0 / p->count, a);
    }
    return add(first, fabs(area) > 1e-12 * span ? scale(1 / (3 * area), sum) : mean);
}

static bool overlap_of_faces(Canon *c, int fa, int fb) {
    const Walk *w = c->w;
    const Core *b = &w->body[1].p;
    const Face *base = &b->face[fb];
    Polygon over;
    if (!lay_down(w, 0, fa, &over)) return false;
    for (int k = 0; k < base->count && over.count > 0; k++) {
        const Edge *e = &b->edge[b->loop_edge[base->first + k]];
        impVec3 out = e->left == fb ? e->out_left : e->out_right;
        if (!trim(&over, b->vertex[e->tail], out)) return false;
    }
    if (over.count == 0) return false;
    impVec3 m = middle(&over, base->normal);
    double height = dot(base->normal, m) - base->offset;
    c->p = m;
    settle(c, madd(m, -height, base->normal), base->normal, feature_of(FEATURE_FACE, fa), feature_of(FEATURE_FACE, fb));
    c->d = height;
    return true;
}

static bool face_on_face(Canon *c) {
    int fa = c->support[0], fb = c->support[1];
    if (fa < 0 || fb < 0) return false;
    impVec3 n = face_normal(c->w, 1, fb), na = face_normal(c->w, 0, fa);
    return dot(na, n) < 0 && norm(cross(na, n)) <= PARALLEL && overlap_of_faces(c, fa, fb);
}

// --- edge on face, either way round ---------------------------------------------------------------------------------------------
static bool edge_over(Canon *c, int i, int e, int f) {   // edge e of body i over face f of the other
    const Walk *w = c->w;
    const Core *own = &w->body[i].p, *other = &w->body[1 - i].p;
    const Face *face = &other->face[f];
    impVec3 a = point(w, i, own->edge[e].tail), b = point(w, i, own->edge[e].head), n = face_normal(w, 1 - i, f);
    double lo = 0, hi = 1;
    for (int k = 0; k < face->count; k++) {
        const Edge *side = &other->edge[other->loop_edge[face->first + k]];
        impVec3 out = direction(w, 1 - i, side->left == f ? side->out_left : side->out_right), base = point(w, 1 - i, side->tail);
        double sa = dot(sub(a, base), out), sb = dot(sub(b, base), out);
        if (sa > 0 && sb > 0) return false;
        if (sa > 0) lo = max2(lo, sa / (sa - sb));
        else if (sb > 0) hi = min2(hi, sa / (sa - sb));
    }
    if (lo > hi) return false;
    impVec3 m = madd(a, 0.5 * (lo + hi), sub(b, a)), on = point(w, 1 - i, other->loop[face->first]);
    double height = dot(n, sub(m, on));
    impVec3 foot = madd(m, -height, n);
    c->p = i ? foot : m;
    settle(c, i ? m : foot, i ? neg(n) : n, feature_of(i ? FEATURE_FACE : FEATURE_EDGE, i ? f : e),
           feature_of(i ? FEATURE_EDGE : FEATURE_FACE, i ? e : f));
    c->d = height;
    return true;
}

static bool edge_on_face(Canon *c, int i) {
    const Walk *w = c->w;
    int f = c->support[1 - i];
    if (f < 0) return false;
    impVec3 n = mul_t(w->body[i].turn, w->body[1 - i].p.face[f].normal);      // as body i sees it
    for (int k = 0; k < around(w, i); k++) {
        int e = edge_at(w, i, k);
        if (e >= 0 && fabs(dot(w->body[i].p.edge[e].direction, n)) <= PARALLEL && edge_over(c, i, e, f)) return true;
    }
    return false;
}

// Sum of the normals around a feature: what "outward" means where the points coincide.
static impVec3 outward(const Walk *w, int i) {
    impVec3 sum = vec(0, 0, 0);
    for (int k = 0; k < around(w, i); k++) {
        int f = face_at(w, i, k);
        if (f >= 0) sum = add(sum, toward_a(w, i, f));
    }
    return sum;
}

static impVec3 touching_normal(const Walk *w) {
    impVec3 sum = add(outward(w, 1), outward(w, 0)), line = w->body[0].at;              // towards a's origin where there are no faces at all
    if (norm(sum) > 1e-9) return scale(1 / norm(sum), sum);
    return norm(line) > 0 ? scale(1 / norm(line), line) : vec(0, 0, 1);
}

// --- two edges side by side ---------------------------------------------------------------------------------------------------------
static bool edges_beside(Canon *c, int ea, int eb) {
    const Walk *w = c->w;
    const Edge *a = &w->body[0].p.edge[ea], *b = &w->body[1].p.edge[eb];
    impVec3 tail = point(w, 1, b->tail), u = b->direction;
    double s0 = dot(sub(point(w, 0, a->tail), tail), u), s1 = dot(sub(point(w, 0, a->head), tail), u);
    double lo = max2(0, min2(s0, s1)), hi = min2(b->length, max2(s0, s1));
    if (lo > hi || s0 == s1) return false;
    double s = 0.5 * (lo + hi), l = (s - s0) / (s1 - s0);
    impVec3 q = madd(tail, s, u), p = madd(point(w, 0, a->tail), l, sub(point(w, 0, a->head), point(w, 0, a->tail)));
    impVec3 r = sub(p, q), across = madd(r, -dot(r, u), u);
    c->p = p;
    c->d = norm(across);
    settle(c, q, c->d > c->grain ? scale(1 / c->d, across) : touching_normal(w), feature_of(FEATURE_EDGE, ea), feature_of(FEATURE_EDGE, eb));
    return true;
}

static bool lies_across(const Canon *c, int i, int e) {   // edge e of body i is perpendicular to p - q
    return e >= 0 && fabs(dot(c->r[i], c->w->body[i].p.edge[e].direction)) <= c->grain;
}

static bool edge_beside_edge(Canon *c) {
    const Walk *w = c->w;
    for (int i = 0; i < around(w, 0); i++) {
        int ea = edge_at(w, 0, i);
        if (!lies_across(c, 0, ea)) continue;
        impVec3 u = edge_direction(w, 0, ea);
        for (int j = 0; j < around(w, 1); j++) {
            int eb = edge_at(w, 1, j);
            if (!lies_across(c, 1, eb)) continue;
            if (norm(cross(u, edge_direction(w, 1, eb))) <= PARALLEL && edges_beside(c, ea, eb)) return true;
        }
    }
    return false;
}

// --- no tie: the lowest features that hold the points ---------------------------------------------------------------------------
static void reduce_to_vertex(Walk *w, int i, double s, double grain) {   // s: how far along the edge the point is
    const Edge *e = &w->body[i].p.edge[w->id[i]];
    if (s <= grain) w->kind[i] = FEATURE_VERTEX, w->id[i] = e->tail;
    else if (s >= e->length - grain) w->kind[i] = FEATURE_VERTEX, w->id[i] = e->head;
}

static void reduce(Walk *w, impVec3 x, int i, double grain) {   // x: the closest point on body i
    const Core *c = &w->body[i].p;
    if (w->kind[i] == FEATURE_FACE) {
        const Face *f = &c->face[w->id[i]];
        for (int k = 0; k < f->count; k++) {
            int id = c->loop_edge[f->first + k];
            const Edge *e = &c->edge[id];
            impVec3 out = direction(w, i, e->left == w->id[i] ? e->out_left : e->out_right);
            if (fabs(dot(sub(x, point(w, i, e->tail)), out)) > grain) continue;
            w->kind[i] = FEATURE_EDGE, w->id[i] = id;
            break;
        }
    }
    if (w->kind[i] != FEATURE_EDGE) return;
    const Edge *e = &c->edge[w->id[i]];
    reduce_to_vertex(w, i, dot(sub(x, point(w, i, e->tail)), direction(w, i, e->direction)), grain);
}

static impVec3 foot_on_edge(const Walk *w, int i, impVec3 x) {
    const Edge *e = &w->body[i].p.edge[w->id[i]];
    impVec3 tail = point(w, i, e->tail), u = direction(w, i, e->direction);
    return madd(tail, max2(0, min2(e->length, dot(sub(x, tail), u))), u);
}

static impVec3 foot_on_face(const Walk *w, int i, impVec3 x) {
    const Core *c = &w->body[i].p;
    impVec3 n = face_normal(w, i, w->id[i]);
    return madd(x, -dot(n, sub(x, point(w, i, c->loop[c->face[w->id[i]].first]))), n);
}

static void find_points(const Walk *w, impVec3 *p, impVec3 *q) {
    impVec3 *x[2] = { p, q };
    if (w->kind[0] == FEATURE_EDGE && w->kind[1] == FEATURE_EDGE) {
        const Edge *a = &w->body[0].p.edge[w->id[0]], *b = &w->body[1].p.edge[w->id[1]];
        collide_segments(point(w, 0, a->tail), point(w, 0, a->head), point(w, 1, b->tail), point(w, 1, b->head), p, q);
        return;
    }
    int v = w->kind[0] == FEATURE_VERTEX ? 0 : 1;              // at least one is a vertex
    *x[v] = point(w, v, w->id[v]);
    if (w->kind[1 - v] == FEATURE_VERTEX) *x[1 - v] = point(w, 1 - v, w->id[1 - v]);
    else *x[1 - v] = w->kind[1 - v] == FEATURE_EDGE ? foot_on_edge(w, 1 - v, *x[v]) : foot_on_face(w, 1 - v, *x[v]);
}

// A face along whose normal the points lie: its normal has more digits than a difference.
static bool by_a_face(Canon *c) {
    int i = c->support[1] >= 0 ? 1 : 0;
    if (c->support[i] < 0) return false;
    c->n = toward_a(c->w, i, c->support[i]);
    c->d = dot(c->n, sub(c->p, c->q));
    return true;
}

static void plain(Canon *c) {
    Walk *low = c->w;                                          // the walk is over: its features may go down
    for (int i = 0; i < 2; i++) reduce(low, i ? c->q : c->p, i, c->grain);
    find_points(low, &c->p, &c->q);
    c->fa = feature_of(low->kind[0], low->id[0]), c->fb = feature_of(low->kind[1], low->id[1]);
    impVec3 r = sub(c->p, c->q);
    if (low->kind[0] == FEATURE_EDGE && low->kind[1] == FEATURE_EDGE) {
        impVec3 n = cross(edge_direction(low, 0, low->id[0]), edge_direction(low, 1, low->id[1]));
        double side = dot(n, r);
        if (fabs(side) <= c->grain * norm(n)) side = dot(n, touching_normal(low));
        c->n = scale((side < 0 ? -1 : 1) / norm(n), n);
        c->d = dot(c->n, r);
        return;
    }
    if (by_a_face(c)) return;
    c->d = norm(r);
    c->n = c->d > 0.1 * c->grain ? scale(1 / c->d, r) : touching_normal(low);
}

bool collide_canon(Walk *w, const Placed *b, Closest *out, bool *slim) {
    Canon c = { .w = w, .n = vec(0, 0, 1) };
    find_points(w, &c.p, &c.q);
    c.grain = 1e-13 * (largest(c.p) + largest(c.q) + largest(w->body[0].at));
    c.aside = min2(c.grain, max2(1e-13 * norm(sub(c.p, c.q)), 0.02 * c.grain));   // a tilt of 1e-13, as far as it can be seen
    c.r[1] = sub(c.p, c.q), c.r[0] = neg(mul_t(w->body[0].turn, c.r[1])), c.rr = dot(c.r[1], c.r[1]);
    for (int i = 0; i < 2; i++) c.support[i] = supporting_face(&c, i);
    if (!face_on_face(&c) && !edge_on_face(&c, 0) && !edge_on_face(&c, 1) && !edge_beside_edge(&c)) plain(&c);
    out->distance = c.d;
    out->normal = rotate(b->pose.turn, c.n);
    out->on_a = place(b->pose, c.p);
    out->on_b = place(b->pose, c.q);
    out->feature_a = c.fa, out->feature_b = c.fb;
    *slim = c.d <= 1e4 * c.grain;
    return c.d > c.grain;
}
