// polish.c -- from a direction that is nearly normal to the exact one, and from there to the points
// of contact.
//
// At the answer the origin's foot on A - B is a mixture of points w_i(n) of active pieces
// (convex.h), all equally high:
//     sum l_i w_i(n) = d n,   sum l_i = 1,   n . w_i(n) = n . w_1(n),   |n| = 1. (1)
// Newton's method on (1) for n, d, the l_i and the turns of rims. Nothing is divided by d, so that
// gap, touch and overlap are one case. The matrix holds - sum l_i H_i - d, with H_i >= 0 how the
// pieces bend; it is regular for d > 0 where the w_i are not in one line, and for d < 0 where the
// overlap is less than the radius of curvature, as it must be at a least overlap. A rim bends
// without bound where n nears its axis (a corner on the border of a cap), so the point on the rim
// is an unknown beside n, not a function of it. Flat caps and faces are tried first: there n is
// simply theirs, with all its digits (judge.c). These are the optimality conditions of the distance
// as a convex programme; nothing is assumed about how n was found, and the result is judged by
// itself.
//
// When they touch or overlap, pulling A away along n makes a gap whose nearest points are well
// known. The least overlap is a fixed point of this, and attracts: with overlap t, pull s and
// radius of curvature r, errors shrink by
//     s / (r + s - t). (2)
//
// SPDX-License-Identifier: MIT
#include "collide/convex.h"

enum { NEWTON = 16, ROUNDS = 8, PULLS = 40, LEVELS = 4, UNKNOWNS = 8 };
#define FAIR     0x1p-34  // a miss that flat rims and flat ellipsoids make of rounding
#define SMALL    0x1p-20  // a share that may be an error of GJK's
#define SINGULAR 0x1p-40  // a pivot that is rounding; all entries are of order 1
#define FINAL    0x1p-54  // a step that would change no digit
#define SHALLOW  0x1p-30  // an overlap that bends nothing
#define ALIKE    0x1p-20  // of the size: what may be flat, before n is exact
#define IN_LINE  0x1p-12  // a sine of pieces that are nearly in one line

// --- Newton's method on (1) ----------------------------------------------------------------------
typedef struct Root {
    Corner on[3];  // active pieces
    double share[3];
    int count;
    impVec3 n;
    impVec3 rim[2];  // unit, from the axis to the farthest point of a's and b's rims
    double d, step;  // step: how far n and the rims moved last
} Root;
typedef struct System {
    double a[UNKNOWNS][UNKNOWNS + 1];
    int size, order[UNKNOWNS];
} System;

static void exchange(double *a, double *b) {
    double t = *a;
    *a = *b;
    *b = t;
}

// Moves the largest entry from (k, k) on to (k, k). False: all that is left is rounding.
static bool pivot(System *s, int k) {
    int row = k, column = k;
    for (int i = k; i < s->size; i++) {
        for (int j = k; j < s->size; j++) {
            if (fabs(s->a[i][j]) > fabs(s->a[row][column])) {
                row = i;
                column = j;
            }
        }
    }
    if (!(fabs(s->a[row][column]) > SINGULAR)) return false;
    for (int j = 0; j <= s->size; j++) {
        exchange(&s->a[k][j], &s->a[row][j]);
    }
    for (int i = 0; i < s->size; i++) {
        exchange(&s->a[i][k], &s->a[i][column]);
    }
    int t = s->order[k];
    s->order[k] = s->order[column];
    s->order[column] = t;
    return true;
}

// Elimination with complete pivoting; unknowns that are not determined do not move.
static void solve(System *s, double *x) {
    int rank = 0;
    for (int i = 0; i < s->size; i++) {
        s->order[i] = i;
        x[i] = 0;
    }
    for (; rank < s->size && pivot(s, rank); rank++) {
        for (int i = rank + 1; i < s->size; i++) {
            double f = s->a[i][rank] / s->a[rank][rank];
            for (int j = rank; j <= s->size; j++) {
                s->a[i][j] -= f * s->a[rank][j];
            }
        }
    }
    for (int i = rank - 1; i >= 0; i--) {
        double sum = s->a[i][s->size];
        for (int j = i + 1; j < rank; j++) {
            sum -= s->a[i][j] * x[s->order[j]];
        }
        x[s->order[i]] = sum / s->a[i][i];
    }
}

// down the column
static void put3(System *s, int row, int column, impVec3 a) {
    s->a[row][column] = a.x;
    s->a[row + 1][column] = a.y;
    s->a[row + 2][column] = a.z;
}
static void put_row(System *s, int row, impVec3 a, double right) {
    s->a[row][0] = a.x;
    s->a[row][1] = a.y;
    s->a[row][2] = a.z;
    s->a[row][s->size] = right;
}

static bool has_rims(const Couple *k, int side) {
    return k->side[side].kind == CONVEX_CYLINDER || k->side[side].kind == CONVEX_CONE;
}
static impVec3 outward(const Root *r, int side) { return side ? r->n : neg(r->n); }
static int piece_of(const Corner *c, int side) { return side ? c->b : c->a; }

static impVec3 piece_at(const Couple *k, const Root *r, int side, int i) {
    return convex_piece(&k->side[side], piece_of(&r->on[i], side),
                        has_rims(k, side) ? r->rim[side] : outward(r, side));
}

static void move_pieces(const Couple *k, Root *r) {
    for (int i = 0; i < r->count; i++) {
        r->on[i].w = sub(piece_at(k, r, 0, i), piece_at(k, r, 1, i));
    }
}

// A turn of one side's rims about their axis is an unknown of its own, with the equation that n has
// no part along the tangent. Where n is nearly the axis the rim's point is no smooth function of n,
// but all of (1) is of n and the turn.
typedef struct Turn {
    int side;
    impVec3 tangent;
    double radius[3];  // of each active piece; less than 0 on b
} Turn;

static int turns_of(const Couple *k, const Root *r, Turn *rotation) {
    int count = 0;
    for (int side = 0; side < 2; side++) {
        Turn t = { .side = side };
        double most = 0;
        if (!has_rims(k, side)) continue;
        for (int i = 0; i < r->count; i++) {
            double radius = convex_rim(&k->side[side], piece_of(&r->on[i], side));
            t.radius[i] = side ? -radius : radius;
            most = max2(most, radius);
        }
        t.tangent = cross(mul(k->side[side].rotation, vec(0, 0, 1)), r->rim[side]);
        if (most > 0) {
            rotation[count++] = t;
        }
    }
    return count;
}

// How far the i-th piece is from the first: small features near one another (a coin's two rims, a
// grain's corners) must not look like rounding, so that is the unit of its share.
static double span_of(const Couple *k, const Root *r, int i) {
    double length = norm(sub(r->on[i].w, r->on[0].w));
    return length > FLAT * k->size ? length : k->far;
}

static void put_turn(const Couple *k, System *s, const Root *r, const Turn *t, int at) {
    double sum = 0;
    double along = dot(r->n, t->tangent);
    for (int i = 0; i < r->count; i++) {
        sum += r->share[i] * t->radius[i];
    }
    put3(s, 0, at, scale(sum / k->far, t->tangent));
    for (int i = 1; i < r->count; i++) {
        s->a[3 + i][at] = (t->radius[i] - t->radius[0]) / span_of(k, r, i) * along;
    }
    put_row(s, at, t->tangent, -dot(t->tangent, r->n));
    s->a[at][at] = -dot(r->rim[t->side], r->n);
}

// Lengths in units of the coordinates or of their own, so that all entries are of order 1.
static System system_of(const Couple *k, const Root *r, const Turn *rotation, int turns) {
    System s = { .size = 3 + r->count + turns };
    // else a corner's n would fly off
    double unit = 1 / k->far;
    double d = r->d < 0 && r->d > -SHALLOW * k->far ? 0 : r->d;
    Mat3 bend = mat3_add(convex_bend(&k->side[0], neg(r->n)), convex_bend(&k->side[1], r->n));
    Mat3 h = mat3_scale(-unit, mat3_add(bend, mat3_diagonal(d, d, d)));
    impVec3 sum = vec(0, 0, 0);
    for (int i = 0; i < r->count; i++) {
        sum = madd(sum, r->share[i] * unit, r->on[i].w);
    }
    impVec3 off = madd(sum, -r->d * unit, r->n);
    put_row(&s, 0, h.x, -off.x);
    put_row(&s, 1, h.y, -off.y);
    put_row(&s, 2, h.z, -off.z);
    put3(&s, 0, 3, neg(r->n));
    put_row(&s, 3, r->n, 0.5 - 0.5 * dot(r->n, r->n));
    for (int i = 1; i < r->count; i++) {
        impVec3 between = scale(1 / span_of(k, r, i), sub(r->on[i].w, r->on[0].w));
        put3(&s, 0, 3 + i, between);
        put_row(&s, 3 + i, between, -dot(r->n, between));
    }
    for (int i = 0; i < turns; i++) {
        put_turn(k, &s, r, &rotation[i], 3 + r->count + i);
    }
    return s;
}

static void newton_step(const Couple *k, Root *r) {
    double x[UNKNOWNS];
    Turn rotation[2];
    int turns = turns_of(k, r, rotation);
    System s = system_of(k, r, rotation, turns);
    solve(&s, x);
    impVec3 dn = vec(x[0], x[1], x[2]);
    double way = norm(dn);
    double part = way > 0.25 ? 0.25 / way : 1;
    impVec3 n = madd(r->n, part, dn);
    r->step = way;
    r->n = scale(1 / norm(n), n);
    r->d += part * x[3] * k->far;
    for (int i = 1; i < r->count; i++) {
        double more = part * x[3 + i] * (k->far / span_of(k, r, i));
        r->share[i] += more;
        r->share[0] -= more;
    }
    for (int i = 0; i < turns; i++) {
        double angle = part * x[3 + r->count + i];
        int side = rotation[i].side;
        r->rim[side] = convex_rim_side(&k->side[side],
                                       madd(r->rim[side], angle, rotation[i].tangent));
        r->step = max2(r->step, fabs(angle));
    }
    move_pieces(k, r);
}

// as n says
static void turn_rims(const Couple *k, Root *r) {
    for (int side = 0; side < 2; side++) {
        if (has_rims(k, side)) {
            r->rim[side] = convex_rim_side(&k->side[side], outward(r, side));
        }
    }
}

// with its rims turned as they are
static void find_root_from(const Couple *k, Root *r) {
    move_pieces(k, r);
    r->d = dot(r->n, r->on[0].w);
    double last = 1;
    for (int i = 0; i < NEWTON; i++) {
        Root before = *r;
        newton_step(k, r);
        if (!finite3(r->n)) {
            *r = before;
            return;
        }
        // of the next step the same part is left, or less
        double part = min2(r->step / last, 1);
        if (r->step * part <= FINAL || (r->step < 1e-12 && part > 0.25)) return;
        last = r->step;
    }
}

static void find_root(const Couple *k, Root *r) {
    turn_rims(k, r);
    find_root_from(k, r);
}

// --- which pieces are active ---------------------------------------------------------------------
static Root gather(const Simplex *s, impVec3 n, double least) {
    Root r = { .n = n };
    double sum = 0;
    for (int i = 0; i < s->count; i++) {
        int same = 0;
        if (s->share[i] < least) continue;
        while (same < r.count && (r.on[same].a != s->c[i].a || r.on[same].b != s->c[i].b)) {
            same++;
        }
        if (same == 3) continue;
        if (same == r.count) {
            r.on[r.count++] = s->c[i];
        }
        r.share[same] += s->share[i];
        sum += s->share[i];
    }
    for (int i = 0; i < r.count; i++) {
        r.share[i] /= sum;
    }
    return r;
}

static bool drop_negative(Root *r) {
    int worst = 0;
    for (int i = 1; i < r->count; i++) {
        if (r->share[i] < r->share[worst]) {
            worst = i;
        }
    }
    if (r->count < 2 || r->share[worst] >= -1e-12) return false;
    double share = r->share[worst] / (r->count - 1);
    r->on[worst] = r->on[r->count - 1];
    r->share[worst] = r->share[r->count - 1];
    r->count--;
    for (int i = 0; i < r->count; i++) {
        r->share[i] += share;
    }
    return true;
}

static bool is_among(const Corner *on, int count, const Corner *c) {
    for (int i = 0; i < count; i++) {
        if (on[i].a == c->a && on[i].b == c->b) return true;
    }
    return false;
}

static bool add_lower(const Couple *k, Root *r) {
    Corner c = convex_corner_toward(k, r->n, r->on[0]);
    if (r->count == 3 || dot(r->n, c.w) >= r->d - FLAT * k->size || is_among(r->on, r->count, &c))
        return false;
    r->on[r->count] = c;
    r->share[r->count++] = 0;
    return true;
}

// those that bear nothing
static void drop_idle(Root *r) {
    int kept = 0;
    for (int i = 0; i < r->count; i++) {
        if (fabs(r->share[i]) > SMALL) {
            r->share[kept] = r->share[i];
            r->on[kept++] = r->on[i];
        }
    }
    r->count = kept;
}

// Back to where two pieces are equally high, the shortest way.
static impVec3 leveled(const Couple *k, const Root *r, impVec3 n) {
    Root at = *r;
    for (int i = 0; i < LEVELS && r->count == 2; i++) {
        at.n = n;
        turn_rims(k, &at);
        move_pieces(k, &at);
        impVec3 between = sub(at.on[1].w, at.on[0].w);
        impVec3 across = madd(between, -dot(n, between), n);
        double square = dot(across, across);
        // one point
        if (!(square > FLAT * FLAT * k->size * k->size)) return n;
        n = madd(n, -dot(n, between) / square, across);
        n = scale(1 / norm(n), n);
    }
    return n;
}

// An overlap's root may be the deepest way along these pieces, or beyond another piece, or none
// where they do not bend: then the least overlap is uphill from where we came, if that was higher:
// away from a root that is deeper, toward one that is not. Else it is where n misses. n goes to the
// highest place on that way, and the piece that is first met on it is added.
static bool go_uphill(const Couple *k, Root *r, impVec3 *from, const Judged *j, bool back) {
    double most = dot(*from, convex_corner_toward(k, *from, r->on[0]).w);
    bool came = most > j->low + 2 * FLAT * k->size;
    bool met = true;
    bool higher = false;
    if (most > 0 || j->low > 0 || (back && !came)) return false;
    double side = r->d < most ? 1 : -1;
    Root on = *r;
    Root more;
    if (came) {
        drop_idle(&on);
    }
    if (on.count == 0 || on.count == 3) return false;
    if (!came) {
        most = j->low;
        *from = j->n;
    }
    impVec3 start = *from;
    impVec3 gap = sub(j->on_a, j->on_b);
    impVec3 way = came ? scale(side, sub(start, j->n)) : madd(gap, -dot(j->n, gap), j->n);
    double length = norm(way);
    more = on;
    for (double t = 1; length > 0 && t > 0x1p-40; t *= 0.5) {
        impVec3 n = madd(start, t / length, way);
        n = leveled(k, &on, scale(1 / norm(n), n));
        Corner c = convex_corner_toward(k, n, on.on[0]);
        double low = dot(n, c.w);
        met = met && !is_among(on.on, on.count, &c);
        if (met) {
            more.on[on.count] = c;
            more.share[on.count] = 0;
            more.count = on.count + 1;
        }
        if (low > most) {
            most = low;
            *from = n;
            higher = true;
        }
    }
    if (!higher && more.count == on.count) return false;
    more.n = *from;
    *r = more;
    return true;
}

static bool next_pieces(const Couple *k, Root *r, impVec3 *from, const Judged *j) {
    return drop_negative(r) || go_uphill(k, r, from, j, true) || add_lower(k, r) ||
           go_uphill(k, r, from, j, false);
}

// A root's own points are as good as the middle of what is farthest, where n does not tell which
// that is: on a rim whose axis n nearly is, or along a generator.
static Judged judge_root(const Couple *k, const Root *r) {
    Judged j = convex_judge(k, r->n);
    Judged own = j;
    double sum = 0;
    if (j.good) return j;
    own.on_a = own.on_b = vec(0, 0, 0);
    for (int i = 0; i < r->count; i++) {
        sum += max2(r->share[i], 0);
    }
    for (int i = 0; i < r->count; i++) {
        double share = max2(r->share[i], 0) / sum;
        own.on_a = madd(own.on_a, share, piece_at(k, r, 0, i));
        own.on_b = madd(own.on_b, share, piece_at(k, r, 1, i));
    }
    convex_measure(&own);
    own.good = own.miss <= GOOD * k->far && own.d - own.low <= convex_forgiven(k);
    return own.good ? own : j;
}

// Pieces in one line, as of an edge beside a generator. Which two of them the origin's foot lies
// between is a question in the plane of the line and n, and its answer does not depend on small
// differences as that of three pieces does. False: they are not in one line, or the foot is not
// between any.
static bool line_up(const Couple *k, Root *r, impVec3 n) {
    Corner all[9];
    int count = 0;
    impVec3 along = vec(0, 0, 0);
    r->n = n;
    turn_rims(k, r);
    move_pieces(k, r);
    for (int i = 0; i < r->count; i++) {
        for (int j = 0; j < r->count; j++) {
            Corner c = { sub(piece_at(k, r, 0, i), piece_at(k, r, 1, j)), r->on[i].a, r->on[j].b };
            if (!is_among(all, count, &c)) {
                all[count++] = c;
            }
        }
    }
    for (int i = 1; i < count; i++) {
        impVec3 d = sub(all[i].w, all[0].w);
        if (norm(d) > norm(along)) {
            along = d;
        }
    }
    double length = norm(along);
    double least = HUGE_VAL;
    if (!(length > 0)) return false;
    along = scale(1 / length, along);
    for (int i = 1; i < count; i++) {
        if (norm(cross(along, sub(all[i].w, all[0].w))) > IN_LINE * length) return false;
    }
    int low = -1, high = -1;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            double x = dot(along, all[i].w);
            double y = dot(along, all[j].w);
            if (!(x <= 0 && y > 0)) continue;
            double hi = dot(n, sub(all[i].w, all[0].w));
            double hj = dot(n, sub(all[j].w, all[0].w));
            double height = hi + (hj - hi) * (-x / (y - x));
            if (height < least) {
                least = height;
                low = i;
                high = j;
            }
        }
    }
    if (low < 0) return false;
    double x = dot(along, all[low].w);
    double y = dot(along, all[high].w);
    *r = (Root){
        .n = n, .on = { all[low], all[high] }, .count = 2, .share = { y / (y - x), -x / (y - x) }
    };
    return true;
}

// The best of the roots with these pieces, then one less or one more. Returns the n of the first.
static impVec3 follow_roots(const Couple *k, Root r, Judged *best) {
    impVec3 from = r.n, first = r.n;
    for (int round = 0; round < ROUNDS; round++) {
        find_root(k, &r);
        Judged j = judge_root(k, &r);
        if (round == 0) {
            first = r.n;
        }
        if (convex_better(k, &j, best)) {
            *best = j;
        }
        if (best->good || !next_pieces(k, &r, &from, &j)) break;
    }
    return first;
}

static void try_roots(const Couple *k, Root r, Judged *best) {
    impVec3 n = follow_roots(k, r, best);
    if (!best->good && line_up(k, &r, n)) {
        follow_roots(k, r, best);
    }
}

// --- caps that are nearly parallel to what they meet ---------------------------------------------
// Their n is nearly the axis and does not tell where on its rim a cap is farthest. If neither's
// farthest point is over the other, the answer is where the rim crosses the border of the other,
// seen along n: another rim, or an edge.
static void try_crossing(const Couple *k, Root r, Judged *best) {
    find_root_from(k, &r);
    Judged j = judge_root(k, &r);
    if (convex_better(k, &j, best)) {
        *best = j;
    }
}

static impVec3 across(impVec3 a, impVec3 n) { return madd(a, -dot(n, a), n); }

static void cross_rims(const Couple *k, const Patch *p, impVec3 n, Corner on, Judged *best) {
    impVec3 d = across(sub(p[1].at[0], p[0].at[0]), n);
    double way = norm(d);
    double ra = p[0].radius;
    double rb = p[1].radius;
    double x = 0.5 * (way + (ra - rb) * (ra + rb) / way);
    double square = (ra - x) * (ra + x);
    if (!(way > 0) || !(square >= 0)) return;
    d = scale(1 / way, d);
    for (int s = -1; s <= 1; s += 2) {
        impVec3 at = madd(scale(x, d), s * sqrt(square), cross(n, d));
        Root r = { .n = n, .on[0] = on, .share[0] = 1, .count = 1 };
        r.rim[0] = convex_rim_side(&k->side[0], at);
        r.rim[1] = convex_rim_side(&k->side[1], madd(at, -way, d));
        try_crossing(k, r, best);
    }
}

// The rim of a side's cap and an edge of the other from e[0] to e[1], with the pieces at its ends.
static void cross_edge(const Couple *k, int side, const Patch *cap, impVec3 n, Corner on,
                       const impVec3 *e, const int *piece, Judged *best) {
    impVec3 way = across(sub(e[1], e[0]), n);
    impVec3 arm = across(sub(e[0], cap->at[0]), n);
    double ww = dot(way, way);
    double aw = dot(arm, way);
    double root = aw * aw - ww * (dot(arm, arm) - cap->radius * cap->radius);
    for (int s = -1; s <= 1 && ww > 0 && root >= 0; s += 2) {
        double t = (s * sqrt(root) - aw) / ww;
        if (!(t >= 0 && t <= 1)) continue;
        Root r = { .n = n, .on = { on, on }, .share = { 1 - t, t }, .count = 2 };
        for (int i = 0; i < 2; i++) {
            *(side ? &r.on[i].a : &r.on[i].b) = piece[i];
        }
        turn_rims(k, &r);
        r.rim[side] = convex_rim_side(&k->side[side], madd(arm, t, way));
        try_crossing(k, r, best);
    }
}

static void cross_border(const Couple *k, int side, const Patch *p, impVec3 n, Corner on,
                         Judged *best) {
    const Patch *cap = &p[side];
    const Patch *o = &p[1 - side];
    const Core *core = &o->of->p;
    if (o->kind == PATCH_SEGMENT) {
        int piece[2] = { 0, 0 };
        int e = feature_index(o->feature);
        impVec3 axis = mul(o->of->rotation, vec(0, 0, 1));
        if (o->of->kind == CONVEX_POLYTOPE) {
            piece[0] = core->edge[e].tail;
            piece[1] = core->edge[e].head;
        } else {
            convex_support(o->of, neg(axis), &piece[0]);
            convex_support(o->of, axis, &piece[1]);
        }
        cross_edge(k, side, cap, n, on, o->at, piece, best);
    }
    for (int i = 0; o->kind == PATCH_POLYGON && i < o->face->count; i++) {
        int next = (i + 1) % o->face->count;
        cross_edge(k, side, cap, n, on, (impVec3[]){ convex_corner(o, i), convex_corner(o, next) },
                   (int[]){ core->loop[o->face->first + i], core->loop[o->face->first + next] },
                   best);
    }
}

static void try_rims(const Couple *k, impVec3 n, Judged *best) {
    double grain = ALIKE * k->size;
    Patch p[2] = { convex_patch(&k->side[0], neg(n), grain), convex_patch(&k->side[1], n, grain) };
    Corner on = convex_corner_toward(k, n, (Corner){ .a = 0 });
    if (p[0].kind == PATCH_DISC && p[1].kind == PATCH_DISC) {
        cross_rims(k, p, n, on, best);
    }
    for (int side = 0; side < 2; side++) {
        if (p[side].kind == PATCH_DISC) {
            cross_border(k, side, p, n, on, best);
        }
    }
}

Judged convex_polish(const Couple *k, impVec3 n, const Simplex *s) {
    Judged best = convex_judge(k, n);
    if (convex_try_flats(k, n, &best)) return best;
    const double least[2] = { 0, SMALL };
    for (int i = 0; i < 2 && !best.good; i++) {
        try_roots(k, gather(s, n, least[i]), &best);
    }
    if (!best.good) {
        try_rims(k, n, &best);
    }
    return best;
}

// --- a moment later ------------------------------------------------------------------------------
// What touched is known, and where: the features say which pieces are active, the points what their
// shares are and how the rims are turned. A few steps of Newton's method, or none where one of them
// is flat. What they find is judged like any other answer; where another feature has taken over it
// is not good, and the search starts anew.
static double part_of(impVec3 x, impVec3 from, impVec3 to) {
    impVec3 way = sub(to, from);
    double square = dot(way, way);
    return square > 0 ? dot(sub(x, from), way) / square : 0;
}

static Root root_at(const Couple *k, impVec3 n, const impVec3 *on, int piece[2][2],
                    const int *count) {
    Root r = { .n = n, .on[0] = { .a = piece[0][0], .b = piece[1][0] }, .share[0] = 1, .count = 1 };
    for (int side = 0; side < 2; side++) {
        if (has_rims(k, side)) {
            r.rim[side] = convex_rim_side(&k->side[side], sub(on[side], k->side[side].at));
        }
    }
    for (int side = 0; side < 2; side++) {
        if (count[side] < 2) continue;
        impVec3 u = has_rims(k, side) ? r.rim[side] : outward(&r, side);
        double part = part_of(on[side], convex_piece(&k->side[side], piece[side][0], u),
                              convex_piece(&k->side[side], piece[side][1], u));
        r.on[r.count] = r.on[0];
        *(side ? &r.on[r.count].b : &r.on[r.count].a) = piece[side][1];
        r.share[r.count++] = part;
        r.share[0] -= part;
    }
    return r;
}

bool convex_follow(const Couple *k, const Closest *near, Judged *out) {
    const Feature feature[2] = { near->feature_a, near->feature_b };
    impVec3 n = unrotate(k->frame.rotation, near->normal);
    impVec3 on[2] = { unrotate(k->frame.rotation, sub(near->on_a, k->frame.at)),
                      unrotate(k->frame.rotation, sub(near->on_b, k->frame.at)) };
    int piece[2][2], count[2];
    on[0] = madd(on[0], k->side[0].radius, n);
    on[1] = madd(on[1], -k->side[1].radius, n);
    for (int side = 0; side < 2; side++) {
        count[side] = convex_pieces(&k->side[side], feature[side], piece[side]);
    }
    for (int side = 1; side >= 0; side--) {
        if (count[side] != 0) continue;
        impVec3 m = convex_flat(&k->side[side], feature[side]);
        *out = convex_judge(k, side ? m : neg(m));
        if (out->good) return true;
    }
    if (count[0] <= 0 || count[1] <= 0) return false;
    Root r = root_at(k, n, on, piece, count);
    find_root_from(k, &r);
    *out = judge_root(k, &r);
    return out->good;
}

// --- touching and overlapping --------------------------------------------------------------------
// Where the overlap is nearly the radius of curvature (the axis of a cylinder almost through a
// corner) pulling turns n too slowly, and Newton's method may look for the deepest way instead. The
// way across that n misses is the slope of d.
static impVec3 uphill(const Couple *k, const Judged *j) {
    impVec3 r = sub(j->on_a, j->on_b);
    impVec3 across = madd(r, -dot(j->n, r), j->n);
    impVec3 best = j->n;
    double most = j->low;
    double length = norm(across);
    for (double t = 0.5; length > 0 && t > 1e-4; t *= 0.5) {
        impVec3 n = madd(j->n, t / length, across);
        n = scale(1 / norm(n), n);
        double low = dot(n, convex_corner_toward(k, n, (Corner){ .a = 0 }).w);
        if (low > most) {
            most = low;
            best = n;
        }
    }
    return best;
}

Judged convex_settle_in(const Couple *k, impVec3 n, double d, int pulls) {
    Judged best = convex_judge(k, n);
    // no farther than it missed, or small features are passed by
    double bounding_radius = 2 * best.miss;
    int steps = 0;
    for (int i = 0; i < pulls && !best.good; i++) {
        double margin = max2(min2(bounding_radius, 0x1p-10 * k->size), 0x1p-34 * k->far);
        double pull = max2(-d, 0) + margin;
        Nearest near = convex_nearest(k, scale(pull, n));
        steps += near.steps;
        // too near to tell
        if (!(near.low > 0)) {
            bounding_radius = 16 * margin;
            continue;
        }
        Judged j = convex_polish(k, near.n, &near.simplex);
        if (convex_better(k, &j, &best)) {
            best = j;
        }
        n = near.n;
        d = near.low - pull;
        bounding_radius = 2 * j.miss;
        if (d < 0 && i % 4 == 3) {
            n = uphill(k, &j);
        }
    }
    best.steps += steps;
    return best;
}

Judged convex_settle(const Couple *k, impVec3 n, double d) {
    return convex_settle_in(k, n, d, PULLS);
}

Closest convex_answer(const Couple *k, const Judged *j) {
    double ra = k->side[0].radius;
    double rb = k->side[1].radius;
    impVec3 n = rotate(k->frame.rotation, j->n);
    // two turns leave it some roundings off unit length
    return (Closest){ .distance = j->d - ra - rb,
                      .normal = scale(1 / norm(n), n),
                      .on_a = place(k->frame, madd(j->on_a, -ra, j->n)),
                      .on_b = place(k->frame, madd(j->on_b, rb, j->n)),
                      .feature_a = j->a,
                      .feature_b = j->b,
                      .steps = j->steps,
                      .fallback = !(j->miss <= FAIR * k->far) || j->unproven };
}
