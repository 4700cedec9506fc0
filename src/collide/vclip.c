// vclip.c -- the closest features of two convex polytopes, by a walk over their boundaries.
//
// V-Clip [Mirtich98], the robust form of the Lin-Canny walk that Mirtich & Canny 1994 (sec. 3)
// build on; the state machine is that of docs/theory/collision-detection.md, section 4. Theorem: if
// x on feature X and y on feature Y are the closest points of X and Y, x lies in the Voronoi region
// of Y and y in that of X, then they are the closest points of the two bodies. Each move of the
// walk goes to a neighbouring feature of lower dimension or shorter distance, so that it ends; from
// the last answer it usually ends at once. Each Voronoi plane is evaluated by one formula from both
// its sides (end planes from the vertex, face planes from the edge's tail), or rounding would send
// the walk to and fro. Compound exclusion is decided by the sign of the derivative of the distance,
// never arbitrarily: that is what keeps EE and EF from cycling. Cores may be points or segments: a
// vertex without edges, an edge without faces.
//
// A move looks at the other polytope's feature in one's own frame; the two frames are joined by one
// relative pose. The walk is bounded; where the bound is hit, the caller is told (fallback) and
// answers by another method.
//
// The answer does not depend on where the walk began: canon.c makes one out of the many of a tie.
// Bodies that touch to within rounding count as overlapping, because there one start sees a gap of
// 0 and another a depth of 0. A gap below 1e-9 of the size has too few digits for one tie to be
// like another, and of faces and edges tilted by less than 1e-9 rad the walk may find one or the
// other: there it is done again from no hint.
//
// SPDX-License-Identifier: MIT
#include "collide/walk.h"

Core collide_core(const Placed *p) {
    const Shape *s = p->shape;
    const Geometry *g = p->g;
    return (Core){ g->vertex + s->first_vertex,
                   g->edge + s->first_edge,
                   g->face + s->first_face,
                   g->loop,
                   g->loop_edge,
                   g->ring,
                   g->ring_first + s->first_ring,
                   s->vertex_count,
                   s->edge_count,
                   s->face_count };
}

Walk collide_walk(const Placed *a, const Placed *b) {
    Walk w;
    // from a's frame to b's: the difference
    // first, or digits are lost far out
    impPose between = pose(unrotate(b->pose.rotation, sub(a->pose.at, b->pose.at)),
                           qmul(conjugate(b->pose.rotation), a->pose.rotation));
    w.body[0].p = collide_core(a);
    w.body[1].p = collide_core(b);
    w.body[0].rotation = rotation(between.rotation);
    w.body[0].at = between.at;
    w.body[1].rotation = transpose(w.body[0].rotation);
    w.body[1].at = neg(mul(w.body[1].rotation, between.at));
    w.kind[0] = w.kind[1] = FEATURE_VERTEX;
    w.id[0] = w.id[1] = 0;
    return w;
}

// --- seeing the other ----------------------------------------------------------------------------
// Vertex v of body i in the frame of the other body.
ALWAYS_IN_LINE impVec3 seen(const Walk *w, int i, int v) {
    const Side *s = &w->body[i];
    return add(mul(s->rotation, s->p.vertex[v]), s->at);
}

ALWAYS_IN_LINE impVec3 away(const Edge *e, int vertex) {
    return e->tail == vertex ? e->direction : neg(e->direction);
}

// Does edge e of body i rise over a plane of the other body with normal n? One formula for all
// callers that ask.
ALWAYS_IN_LINE double slope_of(const Walk *w, int i, const Edge *e, impVec3 n) {
    return dot(mul_t(w->body[i].rotation, n), e->direction);
}

ALWAYS_IN_LINE impVec3 out_of(const Edge *e, int face) {
    return e->left == face ? e->out_left : e->out_right;
}

// A point p of one body is that high over a face of the other and within its borders: rounding
// cannot tell them apart, and nothing that is farther counts as touching in canon.c. Walks that
// went on from here would go round in circles.
ALWAYS_IN_LINE bool touches(const Walk *w, double height, impVec3 p) {
    return fabs(height) <= 1e-15 * (largest(p) + largest(w->body[0].at));
}

// The sign of u . (p - q), as far as rounding knows it. A tie is no reason to move.
ALWAYS_IN_LINE double sign_along(const Walk *w, impVec3 u, impVec3 p, impVec3 q) {
    double s = dot(u, sub(p, q));
    double noise = 1e-15 * largest(u) * (largest(p) + largest(q) + largest(w->body[0].at));
    return fabs(s) <= noise ? 0 : s;
}

// slope of an edge that rounding cannot tell from none
#define LEVEL 1e-15

static void go(Walk *w, int i, FeatureKind kind, int id) {
    w->kind[i] = kind;
    w->id[i] = id;
}

// A segment a + l (b - a), cut by half spaces; remembers which neighbour made each end.
typedef struct Clip {
    impVec3 a, b;
    double lo, hi;
    int from, to;  // neighbours behind lo and hi; -1: the segment's own ends
} Clip;

// Keeps the part where the distance s, sa at a and sb at b, is <= 0. False: all of it is outside
// this one plane.
ALWAYS_IN_LINE bool cut(Clip *c, double sa, double sb, int neighbour) {
    if (sa > 0 && sb > 0) return false;
    if (sa > 0) {
        double l = sa / (sa - sb);
        if (l > c->lo) {
            c->lo = l;
            c->from = neighbour;
        }
    } else if (sb > 0) {
        double l = sa / (sa - sb);
        if (l < c->hi) {
            c->hi = l;
            c->to = neighbour;
        }
    }
    return true;
}

ALWAYS_IN_LINE impVec3 along(const Clip *c, double l) { return madd(c->a, l, sub(c->b, c->a)); }

// --- the five kinds of pairs ---------------------------------------------------------------------
// Does the other's vertex leave the region of vertex v of body i? Then the edge that it leaves
// over.
static bool leaves_vertex(Walk *w, int i, impVec3 p) {
    const Core *m = &w->body[i].p;
    int v = w->id[i];
    int best = -1;
    double most = -HUGE_VAL;
    impVec3 from = sub(p, m->vertex[v]);
    for (int k = m->ring_first[v]; k < m->ring_first[v + 1]; k++) {
        double s = dot(from, away(&m->edge[m->ring[k]], v));
        if (s > most) {
            most = s;
            best = m->ring[k];
        }
    }
    w->level[i] = -most;
    if (!(most > 0)) return false;
    go(w, i, FEATURE_EDGE, best);
    return true;
}

static Verdict vertex_vertex(Walk *w) {
    if (leaves_vertex(w, 0, seen(w, 1, w->id[1])) || leaves_vertex(w, 1, seen(w, 0, w->id[0])))
        return WALK_ON;
    return WALK_DONE;
}

static bool leaves_edge(Walk *w, int j, impVec3 p) {
    const Edge *e = &w->body[j].p.edge[w->id[j]];
    impVec3 from = sub(p, w->body[j].p.vertex[e->tail]);
    impVec3 from_head = sub(p, w->body[j].p.vertex[e->head]);
    if (dot(from, e->direction) < 0) {
        go(w, j, FEATURE_VERTEX, e->tail);
    } else if (dot(from_head, e->direction) > 0) {
        go(w, j, FEATURE_VERTEX, e->head);
    } else if (e->left >= 0 && dot(from, e->out_left) < 0) {
        go(w, j, FEATURE_FACE, e->left);
    } else if (e->right >= 0 && dot(from, e->out_right) < 0) {
        go(w, j, FEATURE_FACE, e->right);
    } else {
        return false;
    }
    return true;
}

// Vertex of body i, edge of body j: the edge is cut by the planes around the vertex.
static Verdict vertex_edge(Walk *w, int i) {
    int j = 1 - i;
    int v = w->id[i];
    if (leaves_edge(w, j, seen(w, i, v))) return WALK_ON;
    const Core *m = &w->body[i].p;
    const Edge *e = &w->body[j].p.edge[w->id[j]];
    Clip c = { seen(w, j, e->tail), seen(w, j, e->head), 0, 1, -1, -1 };
    impVec3 here = m->vertex[v];
    impVec3 a = sub(c.a, here);
    impVec3 b = sub(c.b, here);
    impVec3 u = sub(c.b, c.a);
    for (int k = m->ring_first[v]; k < m->ring_first[v + 1]; k++) {
        impVec3 d = away(&m->edge[m->ring[k]], v);
        if (cut(&c, dot(a, d), dot(b, d), m->ring[k])) continue;
        go(w, i, FEATURE_EDGE, m->ring[k]);
        return WALK_ON;
    }
    // D'(l) has the sign of u . (e(l) - v)
    if (c.from >= 0 && sign_along(w, u, along(&c, c.lo), here) > 0) {
        go(w, i, FEATURE_EDGE, c.from);
    } else if (c.to >= 0 && sign_along(w, u, along(&c, c.hi), here) < 0) {
        go(w, i, FEATURE_EDGE, c.to);
    } else if (c.lo > c.hi) {
        go(w, i, FEATURE_EDGE, c.from);
    } else {
        return WALK_DONE;
    }
    return WALK_ON;
}

// The vertex is below the face and no edge leads nearer: the face in front of it that is farthest
// away, or none at all.
static Verdict local_minimum(Walk *w, int j, impVec3 p) {
    const Core *m = &w->body[j].p;
    int best = -1;
    double most = 0;
    for (int f = 0; f < m->face_count; f++) {
        double d = dot(m->face[f].normal, p) - m->face[f].offset;
        if (d > most) {
            most = d;
            best = f;
        }
    }
    if (best < 0) return WALK_INSIDE;
    go(w, j, FEATURE_FACE, best);
    return WALK_ON;
}

// Vertex of body i, face of body j.
static Verdict vertex_face(Walk *w, int i) {
    int j = 1 - i;
    int v = w->id[i];
    int best = -1;
    const Core *m = &w->body[j].p;
    const Core *own = &w->body[i].p;
    const Face *f = &m->face[w->id[j]];
    impVec3 p = seen(w, i, v);
    double most = 0;
    for (int k = 0; k < f->count; k++) {
        int e = m->loop_edge[f->first + k];
        double s = dot(sub(p, m->vertex[m->edge[e].tail]), out_of(&m->edge[e], w->id[j]));
        if (s > most) {
            most = s;
            best = e;
        }
    }
    if (best >= 0) {
        go(w, j, FEATURE_EDGE, best);
        return WALK_ON;
    }
    double d = dot(f->normal, p) - f->offset;
    if (touches(w, d, p)) return WALK_INSIDE;
    // the steepest edge: the first that falls may fall by rounding alone
    double steepest = LEVEL;
    for (int k = own->ring_first[v]; k < own->ring_first[v + 1]; k++) {
        const Edge *e = &own->edge[own->ring[k]];
        double slope = slope_of(w, i, e, f->normal) * (e->tail == v ? 1 : -1);
        double fall = d > 0 ? -slope : slope;
        if (fall > steepest) {
            steepest = fall;
            best = own->ring[k];
        }
    }
    if (best >= 0) {
        go(w, i, FEATURE_EDGE, best);
        return WALK_ON;
    }
    return d > 0 ? WALK_DONE : local_minimum(w, j, p);
}

// The other's edge against edge i's end planes, then against its face planes. Moves i if it must.
static bool leaves_edge_region(Walk *w, int i, bool *touch) {
    int j = 1 - i;
    const Core *m = &w->body[i].p;
    const Edge *e = &m->edge[w->id[i]];
    const Edge *other = &w->body[j].p.edge[w->id[j]];
    Clip c = { seen(w, j, other->tail), seen(w, j, other->head), 0, 1, -1, -1 };
    impVec3 tail = m->vertex[e->tail];
    impVec3 head = m->vertex[e->head];
    impVec3 u = sub(c.b, c.a);
    impVec3 d = e->direction;
    if (!cut(&c, -dot(sub(c.a, tail), d), -dot(sub(c.b, tail), d), e->tail)) {
        go(w, i, FEATURE_VERTEX, e->tail);
        return true;
    }
    if (!cut(&c, dot(sub(c.a, head), d), dot(sub(c.b, head), d), e->head)) {
        go(w, i, FEATURE_VERTEX, e->head);
        return true;
    }
    if (c.from >= 0 && sign_along(w, u, along(&c, c.lo), c.from == e->tail ? tail : head) > 0) {
        go(w, i, FEATURE_VERTEX, c.from);
        return true;
    }
    if (c.to >= 0 && sign_along(w, u, along(&c, c.hi), c.to == e->tail ? tail : head) < 0) {
        go(w, i, FEATURE_VERTEX, c.to);
        return true;
    }

    c.from = c.to = -1;
    int faces[2] = { e->left, e->right };
    impVec3 out[2] = { e->out_left, e->out_right };
    for (int k = 0; k < 2; k++) {
        if (faces[k] < 0) continue;
        if (!cut(&c, -dot(sub(c.a, tail), out[k]), -dot(sub(c.b, tail), out[k]), faces[k])) {
            go(w, i, FEATURE_FACE, faces[k]);
            return true;
        }
    }
    // D' toward a face: sign of the height times the slope
    for (int k = 0; k < 2; k++) {
        int f = k ? c.to : c.from;
        if (f < 0) continue;
        impVec3 n = m->face[f].normal;
        impVec3 end = along(&c, k ? c.hi : c.lo);
        double height = dot(n, end) - m->face[f].offset;
        double slope = slope_of(w, j, other, n);
        if (c.lo <= c.hi && touches(w, height, end)) {
            *touch = true;
            return false;
        }
        if ((height > 0 ? slope : -slope) * (k ? -1 : 1) > 0) {
            go(w, i, FEATURE_FACE, f);
            return true;
        }
    }
    if (c.lo > c.hi && c.from >= 0) {
        go(w, i, FEATURE_FACE, c.from);
        return true;
    }
    return false;
}

static Verdict edge_edge(Walk *w) {
    bool touch = false;
    if (leaves_edge_region(w, 0, &touch)) return WALK_ON;
    if (touch) return WALK_INSIDE;
    if (leaves_edge_region(w, 1, &touch)) return WALK_ON;
    return touch ? WALK_INSIDE : WALK_DONE;
}

// The edge of face f that is nearest to the segment c.
static int nearest_edge(const Core *m, const Face *f, const Clip *c) {
    int best = -1;
    double least = HUGE_VAL;
    for (int k = 0; k < f->count; k++) {
        int e = m->loop_edge[f->first + k];
        impVec3 p, q;
        collide_segments(c->a, c->b, m->vertex[m->edge[e].tail], m->vertex[m->edge[e].head], &p,
                         &q);
        double d = dot(sub(p, q), sub(p, q));
        if (d < least) {
            least = d;
            best = e;
        }
    }
    return best;
}

// Edge of body i, face of body j: never the end of a walk.
static Verdict edge_face(Walk *w, int i) {
    int j = 1 - i;
    const Core *m = &w->body[j].p;
    const Edge *e = &w->body[i].p.edge[w->id[i]];
    const Face *f = &m->face[w->id[j]];
    Clip c = { seen(w, i, e->tail), seen(w, i, e->head), 0, 1, -1, -1 };
    bool outside = false;
    for (int k = 0; k < f->count && !outside; k++) {
        const Edge *side = &m->edge[m->loop_edge[f->first + k]];
        impVec3 out = out_of(side, w->id[j]);
        impVec3 base = m->vertex[side->tail];
        outside = !cut(&c, dot(sub(c.a, base), out), dot(sub(c.b, base), out),
                       m->loop_edge[f->first + k]);
    }
    if (outside || c.lo > c.hi) {
        go(w, j, FEATURE_EDGE, nearest_edge(m, f, &c));
        return WALK_ON;
    }
    impVec3 a = along(&c, c.lo);
    impVec3 b = along(&c, c.hi);
    double low = dot(f->normal, a) - f->offset;
    double high = dot(f->normal, b) - f->offset;
    if (touches(w, low, a) || touches(w, high, b) || (low > 0) != (high > 0)) return WALK_INSIDE;
    double slope = slope_of(w, i, e, f->normal);
    if ((low > 0 ? slope : -slope) >= 0) {
        if (c.from >= 0) {
            go(w, j, FEATURE_EDGE, c.from);
        } else {
            go(w, i, FEATURE_VERTEX, e->tail);
        }
    } else {
        if (c.to >= 0) {
            go(w, j, FEATURE_EDGE, c.to);
        } else {
            go(w, i, FEATURE_VERTEX, e->head);
        }
    }
    return WALK_ON;
}

// --- the walk ------------------------------------------------------------------------------------
static Verdict step(Walk *w) {
    FeatureKind a = w->kind[0];
    FeatureKind b = w->kind[1];
    if (a == FEATURE_VERTEX && b == FEATURE_VERTEX) return vertex_vertex(w);
    if (a == FEATURE_EDGE && b == FEATURE_EDGE) return edge_edge(w);
    if (a == FEATURE_VERTEX && b == FEATURE_EDGE) return vertex_edge(w, 0);
    if (a == FEATURE_EDGE && b == FEATURE_VERTEX) return vertex_edge(w, 1);
    if (a == FEATURE_VERTEX && b == FEATURE_FACE) return vertex_face(w, 0);
    if (a == FEATURE_FACE && b == FEATURE_VERTEX) return vertex_face(w, 1);
    if (a == FEATURE_EDGE && b == FEATURE_FACE) return edge_face(w, 0);
    if (a == FEATURE_FACE && b == FEATURE_EDGE) return edge_face(w, 1);
    // two faces: only as a hint
    go(w, 0, FEATURE_VERTEX, w->body[0].p.loop[w->body[0].p.face[w->id[0]].first]);
    return WALK_ON;
}

static bool fits(const Core *p, Feature f) {
    int count = feature_kind(f) == FEATURE_VERTEX ? p->vertex_count
                : feature_kind(f) == FEATURE_EDGE ? p->edge_count
                                                  : p->face_count;
    return feature_kind(f) != FEATURE_SMOOTH && feature_index(f) < count;
}

static int bound_of(const Core *p) { return p->vertex_count + p->edge_count + p->face_count; }

// where a walk is
typedef struct Spot {
    FeatureKind kind[2];
    int id[2];
} Spot;
static Spot spot_of(const Walk *w) {
    return (Spot){ { w->kind[0], w->kind[1] }, { w->id[0], w->id[1] } };
}

// simplest features first, then by number
static int order_of_spots(const Spot *a, const Spot *b) {
    int da = (int)a->kind[0] + (int)a->kind[1];
    int db = (int)b->kind[0] + (int)b->kind[1];
    if (da != db) return da - db;
    if (a->kind[0] != b->kind[0]) return (int)a->kind[0] - (int)b->kind[0];
    return a->id[0] != b->id[0] ? a->id[0] - b->id[0] : a->id[1] - b->id[1];
}

// A walk that comes by its own trace (Brent's algorithm) goes round among features that tie to the
// last bit. The first of them is the answer if its normal says so. One step from a spot is the same
// each time, so the circle closes.
static Verdict out_of_the_circle(Walk *w) {
    Spot start = spot_of(w);
    Spot best = start;
    Spot now;
    do {
        step(w);
        now = spot_of(w);
        if (order_of_spots(&now, &best) < 0) {
            best = now;
        }
    } while (order_of_spots(&now, &start) != 0);
    // nothing is known of these planes
    for (int i = 0; i < 2; i++) {
        go(w, i, best.kind[i], best.id[i]);
        w->level[i] = 0;
    }
    bool face = best.kind[0] == FEATURE_FACE || best.kind[1] == FEATURE_FACE;
    bool vertex = best.kind[0] == FEATURE_VERTEX || best.kind[1] == FEATURE_VERTEX;
    return face && !vertex ? WALK_ON : WALK_DONE;
}

// Does the normal of c, n in b's frame, separate the two by the distance? If not, v is the pair of
// vertices that says so.
static bool separates(const Walk *w, const Closest *c, impVec3 n, int v[2]) {
    impVec3 own = mul_t(w->body[0].rotation, n);
    double low = HUGE_VAL;
    double high = -HUGE_VAL;
    for (int k = 0; k < w->body[0].p.vertex_count; k++) {
        double x = dot(own, w->body[0].p.vertex[k]);
        if (x < low) {
            low = x;
            v[0] = k;
        }
    }
    for (int k = 0; k < w->body[1].p.vertex_count; k++) {
        double x = dot(n, w->body[1].p.vertex[k]);
        if (x > high) {
            high = x;
            v[1] = k;
        }
    }
    double apart = low + dot(n, w->body[0].at) - high;
    double size = fabs(low) + fabs(high) + largest(w->body[0].at);
    return apart >= c->distance - 1e-13 * size;
}

// a longer walk is watched for circles; and begun again so often
enum { USUAL_STEPS = 32, STARTS = 16 };

static Verdict walk_to_the_end(Walk *w, int *steps, bool *circle) {
    int most = 50 + 4 * (bound_of(&w->body[0].p) + bound_of(&w->body[1].p));
    int mark = USUAL_STEPS;
    Spot before = spot_of(w);
    Spot now;
    Verdict verdict = WALK_ON;
    *circle = false;
    for (int i = 0; verdict == WALK_ON && i < most; i++) {
        verdict = step(w);
        ++*steps;
        if (i < USUAL_STEPS || verdict != WALK_ON) continue;
        now = spot_of(w);
        *circle = order_of_spots(&now, &before) == 0;
        if (*circle) return out_of_the_circle(w);
        if (i >= mark) {
            mark *= 2;
            before = now;
        }
    }
    return verdict;
}

// Where bodies lie exactly askew of each other, features far from the closest ones can tie, too:
// the circle's answer is wrong then, and the walk begins anew at the vertices that prove it.
static Verdict walk_out(Walk *w, const Placed *b, Closest *out, Spot *end, bool *apart,
                        bool *unsure) {
    for (int i = 0; i < STARTS; i++) {
        bool circle;
        int v[2] = { 0, 0 };
        Verdict verdict = walk_to_the_end(w, &out->steps, &circle);
        *end = spot_of(w);
        if (verdict != WALK_DONE) return verdict;
        *apart = collide_canon(w, b, out, unsure);
        if (!circle || !*apart || separates(w, out, unrotate(b->pose.rotation, out->normal), v))
            return WALK_DONE;
        go(w, 0, FEATURE_VERTEX, v[0]);
        go(w, 1, FEATURE_VERTEX, v[1]);
    }
    return WALK_ON;
}

bool collide_vclip(const Placed *a, const Placed *b, StartFeature *start_feature, Closest *out) {
    Walk w = collide_walk(a, b);
    bool hinted = start_feature && start_feature->known && fits(&w.body[0].p, start_feature->a) &&
                  fits(&w.body[1].p, start_feature->b);
    bool apart = false;
    bool unsure = false;
    if (hinted) {
        go(&w, 0, feature_kind(start_feature->a), feature_index(start_feature->a));
        go(&w, 1, feature_kind(start_feature->b), feature_index(start_feature->b));
    }
    *out = (Closest){ 0 };
    Spot end;
    Verdict verdict = walk_out(&w, b, out, &end, &apart, &unsure);
    if (start_feature) {
        *start_feature = (StartFeature){ feature_of(end.kind[0], end.id[0]),
                                         feature_of(end.kind[1], end.id[1]), true };
    }
    out->fallback = verdict == WALK_ON;
    // no digits to spare for a start
    if (verdict == WALK_DONE && unsure && hinted) return collide_vclip(a, b, NULL, out);
    return verdict == WALK_DONE && apart;
}
