// impact_time.c -- a time before which two bodies cannot touch.
//
// Conservative advancement of Mirtich & Canny 1995, section 3, with the bounds of physics.md C. Convex bodies a and b
// are d > 0 apart, n is the unit normal from b to a. Keep n FIXED: while the least n.y of a stays above the largest
// n.y of b, n separates them, whatever else they do. Support values change as their support points do (Danskin), so
// that
//
//     gap(t) >= d + n.(v_a - v_b) t + n.(a_a - a_b) t^2/2 - (turn of a) - (turn of b) - (way of prescribed ones)
//
// and the answer is the first time at which the right side falls to the target: the first root of d' - A t - B t^2/2,
// d' = d - target (C.1). What the turning of a body takes away is bounded in three ways, of which any may be used for
// either body; the largest of the times that come out is taken, since each is safe:
//
//   (1) rho W t                                   rho: reach of the core about the centre of mass; a ball has none, its
//                                                 spin does not enter. W: the largest |w| of the flight (C2)
//   (2) (W rho' (|n x l| + lean) + wobble rho) t  the spin leans on a figure axis f: w = w_f f + (at most wobble)
//                                                 across. rho': largest distance of the core from that axis; l:
//                                                 direction of the angular momentum, from which f strays by at most
//                                                 `lean`
//   (3) -(least over points r of the core of  n.r + t n.(w x r) - |r| (W^2 + W') t^2/2) + least of n.r
//                                                 second order, from the velocities as they are now; W' bounds |dw/dt|
//
// (3) is a concave function of t. Its root is closed in between by tangents, from above, and chords, from below: a
// chord of a concave function lies under it, so that the lower end is safe whenever the search stops.
//
// Assumed: n separates the two by c->distance; flights go on as they are; the core of a prescribed body obeys its
// motion. Left out: bodies carried by joints (physics.md I.3), for which the answer is 0.
//
// SPDX-License-Identifier: MIT
#include "collide/collide.h"

enum { VERTICES = 32, TRIES = 8, HALVINGS = 10 };   // of a core looked at one by one; of (3); of the way of a motion
#define SAFE (1 - 1e-9)                             // for the rounding of all that follows
#define LONG_TIME 1e9                               // s: a motion has done all it can by then

// --- movers ----------------------------------------------------------------------------------------------------------
Extent collide_extent(const impModel *m, int body, int shape) {
    const Body *b = &m->body[body];
    const Shape *s = &m->shape[shape];
    const ShapeKind *k = &shape_kinds[s->kind];
    Extent e = { .reach = HUGE_VAL, .low = vec(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL) };
    e.high = neg(e.low);
    if (!k->bounded) return e;
    double whole = shape_reach(s, &m->geometry, b->center), round = whole > s->radius ? 4 * DBL_EPSILON * whole : 0;
    e.reach = s->radius > 0 ? max2(whole - s->radius, 0) + round : whole;
    for (int i = 0; i < 3; i++) {
        impVec3 axis = vec(i == 0, i == 1, i == 2);
        double high = component(k->support(s, &m->geometry, axis), i) - s->radius;
        double low = component(k->support(s, &m->geometry, neg(axis)), i) + s->radius;
        if (i == 0) e.high.x = high, e.low.x = low;
        if (i == 1) e.high.y = high, e.low.y = low;
        if (i == 2) e.high.z = high, e.low.z = low;
    }
    return e;
}

static Mover at_rest(const Extent *core) {
    const impVec3 zero = vec(0, 0, 0);
    return (Mover){ .x = zero, .v = zero, .a = zero, .w = zero, .axis = zero, .steady = zero, .core = *core,
                    .known = true, .body = -1 };
}

// |w_i w_j| <= W^2 / 2 in Euler's equations (C.3).
static double change_bound(const double I[3], double W) {
    double x = fabs(I[1] - I[2]) / I[0], y = fabs(I[2] - I[0]) / I[1], z = fabs(I[0] - I[1]) / I[2];
    return 0.5 * W * W * sqrt(x * x + y * y + z * z);
}

static impVec3 axis_vector(int k) { return vec(k == 0, k == 1, k == 2); }

// Body rates across the axis f of least or largest moment: sum of I_k |I_f - I_k| w_k^2 is conserved, as is the angular
// momentum, so no rate w_k ever exceeds the square root of that sum over I_k |I_f - I_k|. Gives the square of the bound
// on all of them, and of that on the angular momentum across; HUGE_VAL where the moment of another axis is the same.
static void wobble_about(const double I[3], impVec3 w, int f, double *rate2, double *momentum2) {
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += I[k] * fabs(I[f] - I[k]) * component(w, k) * component(w, k);
    *rate2 = *momentum2 = 0;
    for (int k = 0; k < 3; k++) {
        if (k == f) continue;
        double difference = fabs(I[f] - I[k]);
        *rate2 += difference > 0 ? sum / (I[k] * difference) : HUGE_VAL;
        *momentum2 += difference > 0 ? I[k] * sum / difference : HUGE_VAL;
    }
}

static void set_steady(Mover *m) {                   // w stays as it is
    double W = norm(m->w);
    m->axis = m->steady = W > 0 ? scale(1 / W, m->w) : vec(0, 0, 1);
    m->w_change = m->wobble = m->lean = 0;
}

static void set_figure_axis(Mover *m, const double I[3], impVec3 w, impQuat turn) {
    int low = I[0] <= I[1] && I[0] <= I[2] ? 0 : I[1] <= I[2] ? 1 : 2;
    int high = I[2] >= I[1] && I[2] >= I[0] ? 2 : I[1] >= I[0] ? 1 : 0, f = low;
    double rate2, momentum2, other_rate2, other_momentum2;
    wobble_about(I, w, low, &rate2, &momentum2);
    wobble_about(I, w, high, &other_rate2, &other_momentum2);
    if (other_rate2 < rate2) rate2 = other_rate2, momentum2 = other_momentum2, f = high;
    impVec3 L = vec(I[0] * w.x, I[1] * w.y, I[2] * w.z);
    double size = norm(L);
    m->axis = rotate(turn, axis_vector(f));
    m->steady = size > 0 ? rotate(turn, scale(1 / size, L)) : m->axis;
    m->wobble = sqrt(rate2) * (1 + 1e-12);
    // f is within the angle of sine s of +-l: no farther than sqrt(2) s while that is below 90 degrees, which 1 covers
    m->lean = size > 0 && momentum2 < size * size ? sqrt(2 * momentum2) / size * (1 + 1e-12) : 1;
}

static void set_spin(Mover *m, const Body *b, impQuat q) {
    impQuat turn = qmul(q, b->axes);
    impVec3 w = unrotate(turn, m->w);
    const double *I = b->moments;
    int zeros = (w.x == 0) + (w.y == 0) + (w.z == 0);
    m->w_most = motion_spin_bound(I, w);
    if (zeros >= 2 || (I[0] == I[1] && I[1] == I[2])) {
        set_steady(m);
        return;
    }
    m->w_change = change_bound(I, m->w_most);
    set_figure_axis(m, I, w, turn);
}

Mover collide_mover(const impModel *m, int body, const Extent *core, const Flying *now) {
    const Body *b = &m->body[body];
    Mover out = at_rest(core);
    if (b->role == IMP_KINEMATIC) out.m = m, out.body = body;
    if (b->role != IMP_DYNAMIC) return out;
    out.known = b->free >= 0;
    if (!out.known) return out;
    out.x = now->x, out.v = now->v, out.a = m->gravity, out.w = now->w;
    set_spin(&out, b, now->q);
    return out;
}

// --- roots -----------------------------------------------------------------------------------------------------------
// First t >= 0 with d - A t - B t^2/2 = 0, d >= 0. By the sign of A, or else a pair that recedes from a tiny gap would
// divide 0 by 0. A root that is nearly double counts as one.
static double first_root(double d, double A, double B) {
    if (B == 0) return A > 0 ? d / A : HUGE_VAL;
    double q2 = A * A + 2 * B * d;
    if (B < 0 && (A <= 0 || q2 < -1e-12 * A * A)) return HUGE_VAL;
    double q = q2 > 0 ? sqrt(q2) : 0;
    if (A < 0) return (q - A) / B;
    return A + q > 0 ? 2 * d / (A + q) : 0;
}

// --- the turning of one body -----------------------------------------------------------------------------------------
typedef struct Side {                                // of one body, n pointing away from the other
    const Mover *m;
    const Placed *s;
    impVec3 n, slant;                                // n x w: n.(w x r) = slant.r
    double linear;                                   // (1) or (2), whichever is less, m/s
    double bend;                                     // W^2 + W'
    bool turns, curved;                              // W > 0; and (3) can be used
    int count;                                       // vertices, relative to the first one along n; 0: a support map
    double height[VERTICES], rate[VERTICES], far[VERTICES];
    double base;                                     // least n.r, for the support map
} Side;

static impVec3 world_arm(const Side *s, impVec3 point) { return sub(place(s->s->pose, point), s->m->x); }

static double arm_about_axis(const Side *s) {        // rho'
    const Shape *shape = s->s->shape;
    const impVec3 *v = s->s->g->vertex + shape->first_vertex, low = s->m->core.low, high = s->m->core.high;
    bool few = shape->core && shape->vertex_count <= VERTICES;
    double arm = 0;
    for (int i = 0; i < (few ? shape->vertex_count : 8); i++) {
        impVec3 r = few ? v[i] : vec(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z);
        arm = max2(arm, norm(cross(s->m->axis, world_arm(s, r))));
    }
    return min2(arm, s->m->core.reach);
}

static double linear_bound(const Side *s) {
    const Mover *m = s->m;
    double plain = m->core.reach * m->w_most;
    if (plain == 0 || !(m->wobble < m->w_most)) return plain;
    double across = min2(norm(cross(s->n, m->steady)) + m->lean, 1);
    return min2(plain, m->w_most * arm_about_axis(s) * across + m->wobble * m->core.reach);
}

static void list_vertices(Side *s) {
    const Shape *shape = s->s->shape;
    const impVec3 *v = s->s->g->vertex + shape->first_vertex;
    double least = HUGE_VAL;
    s->count = shape->vertex_count;
    for (int i = 0; i < s->count; i++) {
        impVec3 r = world_arm(s, v[i]);
        s->height[i] = dot(s->n, r), s->rate[i] = dot(s->slant, r), s->far[i] = norm(r);
        least = min2(least, s->height[i]);
    }
    for (int i = 0; i < s->count; i++) s->height[i] -= least;
}

static impVec3 lowest_point(const Side *s, impVec3 up) {   // of the core, by its support map
    const Shape *shape = s->s->shape;
    impVec3 down = unrotate(s->s->pose.turn, neg(up));
    return world_arm(s, shape_kinds[shape->kind].support(shape, s->s->g, down));
}

static void set_side(Side *s, const Mover *m, const Placed *p, impVec3 n) {   // leaves the lists alone where not needed
    s->m = m, s->s = p, s->n = n, s->slant = vec(0, 0, 0);
    s->linear = s->bend = s->base = 0, s->count = 0;
    s->turns = m->w_most > 0 && m->core.reach > 0, s->curved = false;
    if (!s->turns) return;
    const ShapeKind *kind = &shape_kinds[p->shape->kind];
    bool few = p->shape->core && p->shape->vertex_count <= VERTICES;
    bool smooth = !p->shape->core && kind->bounded && !kind->points;
    s->slant = cross(n, m->w);
    s->linear = linear_bound(s);
    s->bend = m->w_most * m->w_most + m->w_change;
    s->curved = isfinite(s->bend) && (few || smooth);
    if (s->curved && few) list_vertices(s);
    if (s->curved && smooth) s->base = dot(n, lowest_point(s, n));
}

// The least height above the start at time t by (3), as the line and parabola of the point that has it: h + r t - b
// t^2/2.
typedef struct Piece { double h, r, b; } Piece;

static double value(Piece p, double t) { return p.h + t * (p.r - 0.5 * t * p.b); }

static Piece lowest_piece(const Side *s, double t) {
    if (!s->turns) return (Piece){ 0, 0, 0 };
    if (!s->curved) return (Piece){ 0, -s->linear, 0 };
    if (s->count == 0) {
        impVec3 r = lowest_point(s, madd(s->n, t, s->slant));
        return (Piece){ dot(s->n, r) - s->base, dot(s->slant, r), s->bend * s->m->core.reach };
    }
    Piece best = { 0, 0, 0 };
    for (int i = 0; i < s->count; i++) {
        Piece p = { s->height[i], s->rate[i], s->bend * s->far[i] };
        if (i == 0 || value(p, t) < value(best, t)) best = p;
    }
    return best;
}

// --- two bodies ------------------------------------------------------------------------------------------------------
typedef struct Pair { Side a, b; double d, A, B; } Pair;   // A and B of the centres of mass alone

static Piece whole_piece(const Pair *p, double d, double A, double t) {
    Piece a = lowest_piece(&p->a, t), b = lowest_piece(&p->b, t);
    return (Piece){ d + a.h + b.h, -A + a.r + b.r, max2(p->B, 0) + a.b + b.b };
}

static double root_of(Piece p) { return first_root(max2(p.h, 0), -p.r, p.b); }

// First root of the concave function (3), from below. An acceleration that parts the two would make it convex: that is
// left to (1). At a gap of 0 there is no chord to go by: then the middle is tried, for a pair that recedes.
static double curved_time(const Pair *p, double d, double A) {
    double low = 0, at_low = d, high = root_of(whole_piece(p, d, A, 0));
    for (int i = 0; i < TRIES && high < HUGE_VAL && high - low > 1e-3 * high; i++) {
        Piece tangent = whole_piece(p, d, A, high);
        double at_high = value(tangent, high);
        if (at_high >= 0) return high;
        double probe = at_low > 0 ? low + (high - low) * (at_low / (at_low - at_high)) : 0.5 * (low + high);
        double at_probe = value(whole_piece(p, d, A, probe), probe);
        high = min2(high, root_of(tangent));
        if (at_probe >= 0) low = probe, at_low = at_probe;
        else high = min2(high, probe);
    }
    return low;
}

// With the gap and the speed that are left after prescribed motions have taken theirs.
static double flight_time(const Pair *p, double d, double A) {
    if (!(d >= 0)) return 0;
    double straight = first_root(d, A + p->a.linear + p->b.linear, p->B);
    if (straight == HUGE_VAL || !(p->a.curved || p->b.curved)) return straight;
    return max2(straight, curved_time(p, d, A));
}

static double way(const Pair *p, double T) {
    double sum = 0;
    if (p->a.m->body >= 0) sum += motion_travel(p->a.m->m, p->a.m->body, p->a.n, T);
    if (p->b.m->body >= 0) sum += motion_travel(p->b.m->m, p->b.m->body, p->b.n, T);
    return sum;
}

static double speed(const Pair *p) {
    double sum = 0;
    if (p->a.m->body >= 0) sum += motion_speed(p->a.m->m, p->a.m->body, p->a.n);
    if (p->b.m->body >= 0) sum += motion_speed(p->b.m->m, p->b.m->body, p->b.n);
    return sum;
}

// Until T a prescribed body goes at most way(T), so a T is safe if the rest of the gap lasts that long (C.4): true up
// to some T and false after. Its speed gives a first one; the others are closed in by halving, on a scale of powers.
static double led_time(const Pair *p) {
    double fast = speed(p), low = flight_time(p, p->d, p->A + fast), high = flight_time(p, p->d, p->A);
    if (fast == 0) return low;
    if (flight_time(p, p->d - way(p, LONG_TIME), p->A) >= LONG_TIME) return LONG_TIME;
    high = min2(high, LONG_TIME);
    for (int i = 0; i < HALVINGS && high > 1.01 * low && low > 0; i++) {
        double T = sqrt(low) * sqrt(high);
        if (flight_time(p, p->d - way(p, T), p->A) >= T) low = T;
        else high = T;
    }
    return low;
}

double collide_time_bound(const Mover *a, const Mover *b, const Placed *sa, const Placed *sb, const Closest *c,
                          double target) {
    Pair p;
    p.d = c->distance - target;
    if (!a->known || !b->known || !(p.d >= 0)) return 0;
    set_side(&p.a, a, sa, c->normal);
    set_side(&p.b, b, sb, neg(c->normal));
    p.A = -dot(c->normal, sub(a->v, b->v));
    p.B = -dot(c->normal, sub(a->a, b->a));
    bool led = a->body >= 0 || b->body >= 0;
    return SAFE * (led ? led_time(&p) : flight_time(&p, p.d, p.A));
}

// The rounding error of the sum is itself a number (Knuth, vol. 2, 4.2.2, theorem B).
double collide_time_after(double t, double step) {
    double sum = t + step, part = sum - t, lost = (t - (sum - part)) + (step - part);
    if (lost < 0) sum -= DBL_EPSILON * fabs(sum);
    return max2(sum, t + 4 * DBL_EPSILON * fabs(t));
}
