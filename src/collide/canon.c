// canon.c -- one answer out of the many of a tie, and the closest points of two features.
//
// When faces or edges are parallel, many pairs of features are equally close, and which one a walk
// ends at depends on where it began. The law wants one answer. So the parallel features around the
// pair found are looked up, and the answer is the middle of what they share: of the overlap of two
// faces, of an edge over a face, of two edges side by side (docs/theory/collision-detection.md,
// section 4). Without such a tie the pair is reduced to the lowest features that hold the closest
// points, so that a vertex exactly above an edge is that, from whichever side the walk came.
//
// Parallel means to 4.5e-13 rad: rotations are rounded to 1e-15, and a real tilt of that moves the
// answer by less than 1e-12 of the size. A tilt that is more but slight is no tie, yet the walk may
// not have seen it: then the caller is told. The overlap of two faces is cut out corner by corner,
// or, where that would take much room, measured by a sweep over both (`swept`). All is computed in
// the frame of b. Lengths are compared with `grain`, 1e-13 of the coordinates at hand: no absolute
// length appears, so that scaling by a power of two changes no bit.
//
// SPDX-License-Identifier: MIT
#include "collide/walk.h"

#define PARALLEL   0x1p-41  // rad: some 4.5e-13
#define LEAST_TILT 1e-9     // tilts, rad, that the walk may not see
// of an overlap that is cut out corner by corner; larger ones are swept
enum { CORNERS = 96 };

typedef struct Canon {
    Walk *w;
    impVec3 p, q;            // closest points of a and of b, in b's frame
    impVec3 n;               // from b to a
    double d, grain, aside;  // aside: how far p may be from straight above q
    Feature fa, fb;
    impVec3 r[2];  // p - q as b sees it; q - p as a sees it: what each face is held against
    double rr;
    int support[2];  // the face around each feature along whose normal they lie; -1: none
} Canon;

// --- looking around: everything in b's frame -----------------------------------------------------
ALWAYS_IN_LINE impVec3 point(const Walk *w, int i, int v) {
    const Side *s = &w->body[i];
    return i ? s->p.vertex[v] : add(mul(s->rotation, s->p.vertex[v]), s->at);
}
ALWAYS_IN_LINE impVec3 direction(const Walk *w, int i, impVec3 a) {
    return i ? a : mul(w->body[0].rotation, a);
}
ALWAYS_IN_LINE impVec3 edge_direction(const Walk *w, int i, int e) {
    return direction(w, i, w->body[i].p.edge[e].direction);
}
static double edge_length(const Walk *w, int i) { return w->body[i].p.edge[w->id[i]].length; }
ALWAYS_IN_LINE impVec3 face_normal(const Walk *w, int i, int f) {
    return direction(w, i, w->body[i].p.face[f].normal);
}
static impVec3 toward_a(const Walk *w, int i, int f) {
    return i ? face_normal(w, i, f) : neg(face_normal(w, i, f));
}

// The k-th face and the k-th edge at feature i of the walk; -1: none there. Counts by around().
ALWAYS_IN_LINE int around(const Walk *w, int i) {
    const Core *c = &w->body[i].p;
    int id = w->id[i];
    if (w->kind[i] == FEATURE_VERTEX) return c->ring_first[id + 1] - c->ring_first[id];
    return w->kind[i] == FEATURE_EDGE ? 2 : 1;
}
ALWAYS_IN_LINE int face_at(const Walk *w, int i, int k) {
    const Core *c = &w->body[i].p;
    int id = w->id[i];
    if (w->kind[i] == FEATURE_FACE) return id;
    if (w->kind[i] == FEATURE_EDGE) return k ? c->edge[id].right : c->edge[id].left;
    const Edge *e = &c->edge[c->ring[c->ring_first[id] + k]];
    // to the left of the edge as it leaves: each face once
    return e->tail == id ? e->left : e->right;
}
ALWAYS_IN_LINE int edge_at(const Walk *w, int i, int k) {
    const Core *c = &w->body[i].p;
    if (w->kind[i] == FEATURE_EDGE) return k ? -1 : w->id[i];
    return w->kind[i] == FEATURE_VERTEX ? c->ring[c->ring_first[w->id[i]] + k] : -1;
}

// Does p - q lie along n, seen from body i? Then a face of that normal supports the pair. The first
// line sorts out nearly all: it errs by 1e-16 of rr at most.
ALWAYS_IN_LINE bool lies_along(const Canon *c, int i, impVec3 n) {
    double along = dot(c->r[i], n);
    if (c->rr - along * along > 4 * c->grain * c->grain + 1e-14 * c->rr) return false;
    return norm(madd(c->r[i], -along, n)) <= c->aside && along >= -c->grain;
}

// A vertex none of whose edges is anywhere near square to p - q: nothing around it can tie. A face
// that supports would have two such edges, and so would one that is parallel to the other's; that
// is nearly every vertex of nearly every pair.
ALWAYS_IN_LINE bool stands_alone(const Canon *c, int i, bool both) {
    const Walk *w = c->w;
    const Core *core = &w->body[i].p;
    if (w->kind[i] != FEATURE_VERTEX) return false;
    double most = 1e-6 * c->rr + 32 * max2(c->grain * c->grain, c->aside * c->aside);
    // the walk has been round both
    if (both) return w->level[i] * w->level[i] > most;
    for (int k = core->ring_first[w->id[i]]; k < core->ring_first[w->id[i] + 1]; k++) {
        double along = dot(c->r[i], core->edge[core->ring[k]].direction);
        if (along * along <= most) return false;
    }
    return true;
}

static int supporting_face(const Canon *c, int i) {
    const Walk *w = c->w;
    for (int k = 0; k < around(w, i); k++) {
        int f = face_at(w, i, k);
        if (f >= 0 && lies_along(c, i, w->body[i].p.face[f].normal)) return f;
    }
    return -1;
}

static bool are_opposite(const Walk *w, int fa, int fb) {
    impVec3 na = face_normal(w, 0, fa);
    impVec3 nb = face_normal(w, 1, fb);
    return dot(na, nb) < 0 && norm(cross(na, nb)) <= PARALLEL;
}

// Of the other body the face that is parallel to one that supports: a wide gap shows a smaller tilt
// than PARALLEL.
static int opposite_face(const Canon *c, int i) {
    const Walk *w = c->w;
    for (int k = 0; k < around(w, i); k++) {
        int f = face_at(w, i, k);
        if (f >= 0 && are_opposite(w, i ? c->support[0] : f, i ? f : c->support[1])) return f;
    }
    return -1;
}

// q on b's feature; p straight above
static void settle(Canon *c, impVec3 q, impVec3 n, Feature fa, Feature fb) {
    c->n = n;
    c->q = q;
    c->fa = fa;
    c->fb = fb;
}

// --- face on face --------------------------------------------------------------------------------
typedef struct Polygon {
    impVec3 corner[CORNERS];
    int count;
} Polygon;

static bool lay_down(const Walk *w, int i, int f, Polygon *out) {
    const Core *c = &w->body[i].p;
    const Face *face = &c->face[f];
    if (face->count > CORNERS) return false;
    for (int k = 0; k < face->count; k++) {
        out->corner[k] = point(w, i, c->loop[face->first + k]);
    }
    out->count = face->count;
    return true;
}

// Sutherland & Hodgman: the part of the polygon within one side plane, out . (x - base) <= 0.
static bool trim(Polygon *p, impVec3 base, impVec3 out) {
    Polygon kept = { .count = 0 };
    for (int k = 0; k < p->count; k++) {
        impVec3 a = p->corner[k];
        impVec3 b = p->corner[(k + 1) % p->count];
        double sa = dot(sub(a, base), out);
        double sb = dot(sub(b, base), out);
        if (kept.count + 2 > CORNERS) return false;
        if (sa <= 0) {
            kept.corner[kept.count++] = a;
        }
        if ((sa < 0 && sb > 0) || (sa > 0 && sb < 0)) {
            kept.corner[kept.count++] = madd(a, sa / (sa - sb), sub(b, a));
        }
    }
    *p = kept;
    return true;
}

// centre of area; of a degenerate one, of its corners
static impVec3 middle(const Polygon *p, impVec3 n) {
    impVec3 sum = vec(0, 0, 0);
    impVec3 mean = vec(0, 0, 0);
    impVec3 first = p->corner[0];
    double area = 0, span = 0;
    for (int k = 0; k < p->count; k++) {
        impVec3 a = sub(p->corner[k], first);
        impVec3 b = sub(p->corner[(k + 1) % p->count], first);
        double twice = dot(n, cross(a, b));
        area += twice;
        span = max2(span, dot(a, a));
        sum = madd(sum, twice, add(a, b));
        mean = madd(mean, 1.0 / p->count, a);
    }
    return add(first, fabs(area) > 1e-12 * span ? scale(1 / (3 * area), sum) : mean);
}

// Large faces: a line sweeps over both polygons along x, and between two corners the overlap is the
// strip from the higher of the two lower borders to the lower of the two upper ones. Its area and
// moments are summed; nothing is stored, no border has to be told from another, and rounding moves
// a border by a rounding.
typedef struct Sweep {
    const Walk *w;
    int face[2];
    impVec3 x, y;  // x, y and b's normal: right-handed
    double grain;
    double area, mx, my, y0;    // of what was swept: sums about (start, y0)
    double start, end, lo, hi;  // where both are; where both share something, to within grain
} Sweep;
// one of four; its line at work goes from p to q
typedef struct Border {
    int i, at, step, left;
    Vec2 p, q;
} Border;

static int corners(const Sweep *s, int i) { return s->w->body[i].p.face[s->face[i]].count; }

static Vec2 corner_at(const Sweep *s, int i, int k) {
    const Core *c = &s->w->body[i].p;
    impVec3 v = point(s->w, i, c->loop[c->face[s->face[i]].first + k]);
    return vec2(dot(s->x, v), dot(s->y, v));
}

static int next_corner(const Sweep *s, const Border *b) {
    int count = corners(s, b->i);
    int k = b->at + b->step;
    return k < 0 ? count - 1 : k == count ? 0 : k;
}

static void go_on(const Sweep *s, Border *b) {
    b->p = b->q;
    b->at = next_corner(s, b);
    b->left--;
    b->q = corner_at(s, b->i, next_corner(s, b));
}

// to the line that leads on from x, or the last one
static void go_to(const Sweep *s, Border *b, double x) {
    while (b->q.x <= x && b->left > 0) {
        go_on(s, b);
    }
}

static double height_of(const Border *b, double x) {
    double run = b->q.x - b->p.x;
    double t = run > 0 ? (x - b->p.x) / run : 1;
    return b->p.y + max2(0, min2(1, t)) * (b->q.y - b->p.y);
}

// Lower borders run with the loop as b's normal sees it, upper ones against it, from the corner
// that is farthest left.
static void set_out(Sweep *s, int i, Border *lower_one, Border *upper_one, double *least,
                    double *most) {
    int first = 0;
    int count = corners(s, i);
    int with = i ? 1 : -1;
    *least = HUGE_VAL;
    *most = -HUGE_VAL;
    for (int k = 0; k < count; k++) {
        double x = corner_at(s, i, k).x;
        if (x < *least) {
            *least = x;
            first = k;
        }
        *most = max2(*most, x);
    }
    *lower_one = (Border){ .i = i, .at = first, .step = with, .left = count - 1 };
    *upper_one = (Border){ .i = i, .at = first, .step = -with, .left = count - 1 };
    Border *both[2] = { lower_one, upper_one };
    for (int k = 0; k < 2; k++) {
        both[k]->p = corner_at(s, i, first);
        both[k]->q = corner_at(s, i, next_corner(s, both[k]));
    }
}

// A trapezoid from x0 to x1, from l0, l1 up to u0, u1; where it is turned over nothing is shared.
static void add_strip(Sweep *s, double x0, double x1, double l0, double l1, double u0, double u1) {
    double h0 = u0 - l0;
    double h1 = u1 - l1;
    double wide = x1 - x0;
    double slack0 = h0 + s->grain;
    double slack1 = h1 + s->grain;
    if (!(wide >= 0) || (slack0 < 0 && slack1 < 0)) return;
    double from = slack0 < 0 ? x0 + wide * (slack0 / (slack0 - slack1)) : x0;
    double to = slack1 < 0 ? x0 + wide * (slack0 / (slack0 - slack1)) : x1;
    s->lo = min2(s->lo, from);
    s->hi = max2(s->hi, to);
    if (h0 <= 0 && h1 <= 0) return;
    double t = h0 / (h0 - h1);
    double m0 = 0.5 * (l0 + u0) - s->y0;
    double m1 = 0.5 * (l1 + u1) - s->y0;
    if (h0 < 0) {
        x0 += t * wide;
        wide = x1 - x0;
        m0 += t * (m1 - m0);
        h0 = 0;
    } else if (h1 < 0) {
        wide *= t;
        m1 = m0 + t * (m1 - m0);
        h1 = 0;
    }
    double area = 0.5 * wide * (h0 + h1);
    s->area += area;
    s->mx += area * (x0 - s->start) + wide * wide * (h0 + 2 * h1) / 6;
    s->my += wide * (h0 * (2 * m0 + m1) + h1 * (m0 + 2 * m1)) / 6;
}

// Where two lines cross between 0 and 1; 1: they don't.
static double crossing(double a0, double a1, double b0, double b1) {
    double d0 = a0 - b0;
    double d1 = a1 - b1;
    return (d0 < 0 && d1 > 0) || (d0 > 0 && d1 < 0) ? d0 / (d0 - d1) : 1;
}

// b: lower, upper of a; lower, upper of b
static void add_strips(Sweep *s, const Border *b, double x0, double x1) {
    double y0[4];
    double y1[4];
    double cut[4] = { 0, 1, 1, 1 };
    for (int k = 0; k < 4; k++) {
        y0[k] = height_of(&b[k], x0);
        y1[k] = height_of(&b[k], x1);
    }
    double l = crossing(y0[0], y1[0], y0[2], y1[2]);
    double u = crossing(y0[1], y1[1], y0[3], y1[3]);
    cut[1] = min2(l, u);
    cut[2] = max2(l, u);
    for (int k = 0; k < 3; k++) {
        double e[2][2];
        for (int j = 0; j < 2; j++) {
            double t = cut[k + j];
            double y[4];
            for (int i = 0; i < 4; i++) {
                y[i] = t == 1 ? y1[i] : y0[i] + t * (y1[i] - y0[i]);
            }
            e[j][0] = max2(y[0], y[2]);
            e[j][1] = min2(y[1], y[3]);
        }
        double from = x0 + cut[k] * (x1 - x0);
        double to = cut[k + 1] == 1 ? x1 : x0 + cut[k + 1] * (x1 - x0);
        if (cut[k] < 1) {
            add_strip(s, from, to, e[0][0], e[1][0], e[0][1], e[1][1]);
        }
    }
}

static void sweep_over(Sweep *s) {
    Border b[4];
    double least[2], most[2];
    for (int i = 0; i < 2; i++) {
        set_out(s, i, &b[2 * i], &b[2 * i + 1], &least[i], &most[i]);
    }
    double x = s->start = max2(least[0], least[1]);
    s->end = min2(most[0], most[1]);
    s->area = s->mx = s->my = 0;
    s->y0 = b[2].p.y;
    s->lo = HUGE_VAL;
    s->hi = -HUGE_VAL;
    while (x < s->end) {
        double to = s->end;
        for (int k = 0; k < 4; k++) {
            go_to(s, &b[k], x);
            if (b[k].q.x > x) {
                to = min2(to, b[k].q.x);
            }
        }
        add_strips(s, b, x, to);
        x = to;
    }
}

// What a line of constant x shares with both.
static double middle_at(const Sweep *s, double x) {
    double low = -HUGE_VAL;
    double high = HUGE_VAL;
    for (int i = 0; i < 2; i++) {
        double least = HUGE_VAL;
        double most = -HUGE_VAL;
        for (int k = 0; k < corners(s, i); k++) {
            Vec2 p = corner_at(s, i, k);
            Vec2 q = corner_at(s, i, k + 1 < corners(s, i) ? k + 1 : 0);
            if (min2(p.x, q.x) > x + s->grain || max2(p.x, q.x) < x - s->grain) continue;
            bool upright = fabs(q.x - p.x) <= s->grain;
            double t = upright ? 0 : max2(0, min2(1, (x - p.x) / (q.x - p.x)));
            double y = p.y + t * (q.y - p.y);
            least = min2(least, upright ? min2(p.y, q.y) : y);
            most = max2(most, upright ? max2(p.y, q.y) : y);
        }
        low = max2(low, least);
        high = min2(high, most);
    }
    return 0.5 * (low + high);
}

// The middle of the overlap; of one that is but a line or a point, the middle of that. False: there
// is none.
static bool swept(const Walk *w, int fa, int fb, double grain, impVec3 *out) {
    impVec3 n = w->body[1].p.face[fb].normal;
    impVec3 x = perpendicular(n);
    impVec3 y = cross(n, x);
    Sweep one = { .w = w, .face = { fa, fb }, .x = x, .y = y, .grain = grain };
    Sweep two = one;
    sweep_over(&one);
    double wide = one.end - one.start;
    two.x = y;
    two.y = neg(x);
    if (!(one.area > 1e-12 * wide * wide)) {
        sweep_over(&two);
    }
    bool line = !(one.area >
                  1e-12 * max2(wide * wide, (two.end - two.start) * (two.end - two.start)));
    const Sweep *s = line && two.end - two.start > wide ? &two : &one;
    if (s->end - s->start < -grain) return false;
    double lo = max2(s->lo, s->start);
    double hi = min2(s->hi, s->end);
    double at = 0.5 * (lo + hi);
    // no more than a point
    if (s->end - s->start <= grain) {
        at = 0.5 * (s->start + s->end);
    } else if (line && lo > hi)
        return false;
    double px = line ? at : s->start + s->mx / s->area;
    double py = line ? middle_at(s, at) : s->y0 + s->my / s->area;
    const Face *base = &w->body[1].p.face[fb];
    *out = add(scale(px, s->x), add(scale(py, s->y), scale(base->offset, n)));
    return finite3(*out);
}

// Face a cut to the sides of face b. False: that takes more room than there is.
static bool cut_out(const Walk *w, int fa, int fb, Polygon *over) {
    const Core *b = &w->body[1].p;
    const Face *base = &b->face[fb];
    if (!lay_down(w, 0, fa, over)) return false;
    for (int k = 0; k < base->count && over->count > 0; k++) {
        const Edge *e = &b->edge[b->loop_edge[base->first + k]];
        if (!trim(over, b->vertex[e->tail], e->left == fb ? e->out_left : e->out_right))
            return false;
    }
    return true;
}

static bool overlap_of_faces(Canon *c, int fa, int fb) {
    const Walk *w = c->w;
    const Face *base = &w->body[1].p.face[fb];
    const Face *top = &w->body[0].p.face[fa];
    Polygon over;
    impVec3 m;
    if (cut_out(w, fa, fb, &over)) {
        if (over.count == 0) return false;
        m = middle(&over, base->normal);
    } else {
        if (!swept(w, fa, fb, c->grain, &m)) return false;
        impVec3 on = point(w, 0, w->body[0].p.loop[top->first]);
        impVec3 na = face_normal(w, 0, fa);
        // up to face a
        m = madd(m, dot(na, sub(on, m)) / dot(na, base->normal), base->normal);
    }
    double height = dot(base->normal, m) - base->offset;
    c->p = m;
    settle(c, madd(m, -height, base->normal), base->normal, feature_of(FEATURE_FACE, fa),
           feature_of(FEATURE_FACE, fb));
    c->d = height;
    return true;
}

static bool face_on_face(Canon *c) {
    int fa = c->support[0];
    int fb = c->support[1];
    if (fa < 0 && fb < 0) return false;
    if (fa < 0) {
        fa = opposite_face(c, 0);
    } else if (fb < 0) {
        fb = opposite_face(c, 1);
    }
    return fa >= 0 && fb >= 0 && are_opposite(c->w, fa, fb) && overlap_of_faces(c, fa, fb);
}

// --- edge on face, either way round --------------------------------------------------------------
// edge e of body i over face f of the other
static bool edge_over(Canon *c, int i, int e, int f) {
    const Walk *w = c->w;
    const Core *own = &w->body[i].p;
    const Core *other = &w->body[1 - i].p;
    const Face *face = &other->face[f];
    impVec3 a = point(w, i, own->edge[e].tail);
    impVec3 b = point(w, i, own->edge[e].head);
    impVec3 n = face_normal(w, 1 - i, f);
    double lo = 0;
    double hi = 1;
    for (int k = 0; k < face->count; k++) {
        const Edge *side = &other->edge[other->loop_edge[face->first + k]];
        impVec3 out = direction(w, 1 - i, side->left == f ? side->out_left : side->out_right);
        impVec3 base = point(w, 1 - i, side->tail);
        double sa = dot(sub(a, base), out);
        double sb = dot(sub(b, base), out);
        if (sa > 0 && sb > 0) return false;
        if (sa > 0) {
            lo = max2(lo, sa / (sa - sb));
        } else if (sb > 0) {
            hi = min2(hi, sa / (sa - sb));
        }
    }
    if (lo > hi) return false;
    impVec3 m = madd(a, 0.5 * (lo + hi), sub(b, a));
    impVec3 on = point(w, 1 - i, other->loop[face->first]);
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
    // as body i sees it
    impVec3 n = mul_t(w->body[i].rotation, w->body[1 - i].p.face[f].normal);
    for (int k = 0; k < around(w, i); k++) {
        int e = edge_at(w, i, k);
        if (e >= 0 && fabs(dot(w->body[i].p.edge[e].direction, n)) <= PARALLEL &&
            edge_over(c, i, e, f))
            return true;
    }
    return false;
}

// Sum of the normals around a feature: what "outward" means where the points coincide.
static impVec3 outward(const Walk *w, int i) {
    impVec3 sum = vec(0, 0, 0);
    for (int k = 0; k < around(w, i); k++) {
        int f = face_at(w, i, k);
        if (f >= 0) {
            sum = add(sum, toward_a(w, i, f));
        }
    }
    return sum;
}

static impVec3 touching_normal(const Walk *w) {
    // towards a's origin where there are no faces at all
    impVec3 sum = add(outward(w, 1), outward(w, 0));
    impVec3 line = w->body[0].at;
    if (norm(sum) > 1e-9) return scale(1 / norm(sum), sum);
    return norm(line) > 0 ? scale(1 / norm(line), line) : vec(0, 0, 1);
}

// --- two edges side by side ----------------------------------------------------------------------
static bool edges_beside(Canon *c, int ea, int eb) {
    const Walk *w = c->w;
    const Edge *a = &w->body[0].p.edge[ea];
    const Edge *b = &w->body[1].p.edge[eb];
    impVec3 tail = point(w, 1, b->tail);
    impVec3 u = b->direction;
    double s0 = dot(sub(point(w, 0, a->tail), tail), u);
    double s1 = dot(sub(point(w, 0, a->head), tail), u);
    double lo = max2(0, min2(s0, s1));
    double hi = min2(b->length, max2(s0, s1));
    if (lo > hi || s0 == s1) return false;
    double s = 0.5 * (lo + hi);
    double l = (s - s0) / (s1 - s0);
    impVec3 q = madd(tail, s, u);
    impVec3 p = madd(point(w, 0, a->tail), l, sub(point(w, 0, a->head), point(w, 0, a->tail)));
    impVec3 r = sub(p, q);
    impVec3 across = madd(r, -dot(r, u), u);
    c->p = p;
    c->d = norm(across);
    settle(c, q, c->d > c->grain ? scale(1 / c->d, across) : touching_normal(w),
           feature_of(FEATURE_EDGE, ea), feature_of(FEATURE_EDGE, eb));
    return true;
}

// edge e of body i is perpendicular to p - q
static bool lies_across(const Canon *c, int i, int e) {
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
            if (norm(cross(u, edge_direction(w, 1, eb))) <= PARALLEL && edges_beside(c, ea, eb))
                return true;
        }
    }
    return false;
}

// --- no tie: the lowest features that hold the points --------------------------------------------
// s: how far along the edge the point is
static void reduce_to_vertex(Walk *w, int i, double s, double grain) {
    const Edge *e = &w->body[i].p.edge[w->id[i]];
    if (s <= grain) {
        w->kind[i] = FEATURE_VERTEX;
        w->id[i] = e->tail;
    } else if (s >= e->length - grain) {
        w->kind[i] = FEATURE_VERTEX;
        w->id[i] = e->head;
    }
}

// x: the closest point on body i; own: the same as the body sees it, which sorts out nearly all.
// True: the feature went down.
ALWAYS_IN_LINE bool reduce(Walk *w, impVec3 x, impVec3 own, int i, double grain, double coarse) {
    const Core *c = &w->body[i].p;
    FeatureKind before = w->kind[i];
    if (w->kind[i] == FEATURE_FACE) {
        const Face *f = &c->face[w->id[i]];
        for (int k = 0; k < f->count; k++) {
            int id = c->loop_edge[f->first + k];
            const Edge *e = &c->edge[id];
            impVec3 side = e->left == w->id[i] ? e->out_left : e->out_right;
            if (fabs(dot(sub(own, c->vertex[e->tail]), side)) > coarse) continue;
            if (fabs(dot(sub(x, point(w, i, e->tail)), direction(w, i, side))) > grain) continue;
            w->kind[i] = FEATURE_EDGE;
            w->id[i] = id;
            break;
        }
    }
    if (w->kind[i] != FEATURE_EDGE) return w->kind[i] != before;
    const Edge *e = &c->edge[w->id[i]];
    double s = dot(sub(own, c->vertex[e->tail]), e->direction);
    if (s > coarse && s < e->length - coarse) return w->kind[i] != before;
    reduce_to_vertex(w, i, dot(sub(x, point(w, i, e->tail)), direction(w, i, e->direction)), grain);
    return w->kind[i] != before;
}

static impVec3 foot_on_edge(const Walk *w, int i, impVec3 x) {
    const Edge *e = &w->body[i].p.edge[w->id[i]];
    impVec3 tail = point(w, i, e->tail);
    impVec3 u = direction(w, i, e->direction);
    return madd(tail, max2(0, min2(e->length, dot(sub(x, tail), u))), u);
}

static impVec3 foot_on_face(const Walk *w, int i, impVec3 x) {
    const Core *c = &w->body[i].p;
    impVec3 n = face_normal(w, i, w->id[i]);
    return madd(x, -dot(n, sub(x, point(w, i, c->loop[c->face[w->id[i]].first]))), n);
}

ALWAYS_IN_LINE void find_points(const Walk *w, impVec3 *p, impVec3 *q) {
    impVec3 *x[2] = { p, q };
    if (w->kind[0] == FEATURE_EDGE && w->kind[1] == FEATURE_EDGE) {
        const Edge *a = &w->body[0].p.edge[w->id[0]];
        const Edge *b = &w->body[1].p.edge[w->id[1]];
        collide_segments(point(w, 0, a->tail), point(w, 0, a->head), point(w, 1, b->tail),
                         point(w, 1, b->head), p, q);
        return;
    }
    // at least one is a vertex
    int v = w->kind[0] == FEATURE_VERTEX ? 0 : 1;
    *x[v] = point(w, v, w->id[v]);
    if (w->kind[1 - v] == FEATURE_VERTEX) {
        *x[1 - v] = point(w, 1 - v, w->id[1 - v]);
    } else {
        *x[1 - v] = w->kind[1 - v] == FEATURE_EDGE ? foot_on_edge(w, 1 - v, *x[v])
                                                   : foot_on_face(w, 1 - v, *x[v]);
    }
}

// A face along whose normal the points lie: its normal has more digits than a difference.
static bool by_a_face(Canon *c) {
    int i = c->support[1] >= 0 ? 1 : 0;
    if (c->support[i] < 0) return false;
    c->n = toward_a(c->w, i, c->support[i]);
    c->d = dot(c->n, sub(c->p, c->q));
    return true;
}

// lower: a feature went down since the points were found
static void plain(Canon *c, bool lower) {
    Walk *low = c->w;
    if (lower) {
        find_points(low, &c->p, &c->q);
    }
    c->fa = feature_of(low->kind[0], low->id[0]);
    c->fb = feature_of(low->kind[1], low->id[1]);
    impVec3 r = sub(c->p, c->q);
    if (low->kind[0] == FEATURE_EDGE && low->kind[1] == FEATURE_EDGE) {
        impVec3 n = cross(edge_direction(low, 0, low->id[0]), edge_direction(low, 1, low->id[1]));
        double side = dot(n, r);
        double sine = norm(n);
        double size = edge_length(low, 0) + edge_length(low, 1);
        if (fabs(side) <= c->grain * sine) {
            side = dot(n, touching_normal(low));
        }
        // then the difference has more digits than the product of the two directions
        bool wide = !(sine * size > norm(r));
        c->d = wide ? norm(r) : dot(scale((side < 0 ? -1 : 1) / sine, n), r);
        c->n = wide ? scale(1 / c->d, r) : scale((side < 0 ? -1 : 1) / sine, n);
        return;
    }
    if (by_a_face(c)) return;
    c->d = norm(r);
    c->n = c->d > 0.1 * c->grain ? scale(1 / c->d, r) : touching_normal(low);
}

// What rounding takes from the way between two points: a point of a long edge has the digits of the
// edge, two edges that are nearly parallel cross there or thereabouts, and a short edge far away
// has lost some of its direction.
static double blur_of(const Canon *c) {
    const Walk *w = c->w;
    const Edge *e[2] = { NULL, NULL };
    for (int i = 0; i < 2; i++) {
        if (w->kind[i] == FEATURE_EDGE) {
            e[i] = &w->body[i].p.edge[w->id[i]];
        }
    }
    double longest = max2(e[0] ? e[0]->length : 0, e[1] ? e[1]->length : 0);
    double far = largest(w->body[0].at);
    if (!e[0] || !e[1]) return 2 * DBL_EPSILON * longest;
    double angle = max2(norm(cross(edge_direction(w, 0, w->id[0]), e[1]->direction)), PARALLEL);
    double rotated = 8 * DBL_EPSILON * far / min2(e[0]->length, e[1]->length);
    return rotated * sqrt(c->rr) + 2 * DBL_EPSILON * (longest + far) / angle;
}

// A tilt so small that rounding may have had a say in where the walk ended: from another start it
// may end next door.
static bool nearly_ties(const Canon *c) {
    const Walk *w = c->w;
    double most = LEAST_TILT * sqrt(c->rr) + 4 * max2(c->grain, c->aside);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < around(w, i); k++) {
            int e = edge_at(w, i, k);
            int f = w->kind[i] == FEATURE_EDGE ? face_at(w, i, k) : -1;
            if (w->kind[i] == FEATURE_VERTEX &&
                fabs(dot(c->r[i], w->body[i].p.edge[e].direction)) <= most)
                return true;
            if (f < 0) continue;
            impVec3 n = w->body[i].p.face[f].normal;
            if (norm(madd(c->r[i], -dot(c->r[i], n), n)) <= most) return true;
        }
    }
    return w->kind[0] == FEATURE_EDGE && w->kind[1] == FEATURE_EDGE &&
           norm(cross(edge_direction(w, 0, w->id[0]), edge_direction(w, 1, w->id[1]))) <=
               LEAST_TILT;
}

// the pair the walk ended at: its points, and what they are measured by
static void find_all(Canon *c) {
    Walk *w = c->w;
    find_points(w, &c->p, &c->q);
    c->grain = 1e-13 * (largest(c->p) + largest(c->q) + largest(w->body[0].at));
    c->r[1] = sub(c->p, c->q);
    c->r[0] = neg(mul_t(w->body[0].rotation, c->r[1]));
    c->rr = dot(c->r[1], c->r[1]);
    // a tilt of 1e-13, as far as it can be seen
    c->aside = min2(c->grain, max2(1e-13 * sqrt(c->rr), 0.02 * c->grain));
    c->aside = max2(c->aside, blur_of(c));
}

// the walk is over: its features may go down
static bool reduce_both(Canon *c) {
    Walk *w = c->w;
    double coarse = 2 * max2(c->grain, c->aside);
    bool lower = reduce(w, c->p, mul_t(w->body[0].rotation, sub(c->p, w->body[0].at)), 0, c->aside,
                        coarse);
    return reduce(w, c->q, c->q, 1, c->aside, coarse) || lower;
}

bool collide_canon(Walk *w, const Placed *b, Closest *out, bool *unsure) {
    Canon c = { .w = w, .n = vec(0, 0, 1) };
    find_all(&c);
    bool both = w->kind[0] == FEATURE_VERTEX && w->kind[1] == FEATURE_VERTEX;
    bool lower = reduce_both(&c);
    bool alone[2] = { stands_alone(&c, 0, both), stands_alone(&c, 1, both) };
    for (int i = 0; i < 2; i++) {
        c.support[i] = alone[i] ? -1 : supporting_face(&c, i);
    }
    // all that meets at a vertex is looked at
    bool tie = !alone[0] && !alone[1];
    bool flat = tie && face_on_face(&c);
    *unsure = tie && !flat && nearly_ties(&c);
    if (!tie || (!flat && !edge_on_face(&c, 0) && !edge_on_face(&c, 1) && !edge_beside_edge(&c))) {
        plain(&c, lower);
    }
    out->distance = c.d;
    out->normal = rotate(b->pose.rotation, c.n);
    out->on_a = place(b->pose, c.p);
    out->on_b = place(b->pose, c.q);
    out->feature_a = c.fa;
    out->feature_b = c.fb;
    *unsure = *unsure || c.d <= 1e4 * c.grain;
    return c.d > c.grain;
}
