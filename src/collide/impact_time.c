// impact_time.c -- a time before which two bodies cannot touch.
//
// Conservative advancement of Mirtich & Canny 1995, section 3, with the bounds of
// docs/theory/collision-detection.md, section 8. Convex bodies a and b are d > 0 apart, n is the
// unit normal from b to a. Keep n FIXED: while the least n.y of a stays above the largest n.y of b,
// n separates them, whatever else they do. Support values change as their support points do
// (Danskin), so that
//
//     gap(t) >= d + n.(v_a - v_b) t + n.(a_a - a_b) t^2/2 - (turn of a) - (turn of b) - (way of
//     prescribed ones)
//
// and the answer is the first time at which the right side falls to the target: the first root of
// d' - A t - B t^2/2, d' = d - target (C.1). What the turning of a body takes away is bounded in
// three ways, of which any may be used for either body; the largest of the times that come out is
// taken, since each is safe:
//
//   (1) rho W t                                   rho: reach of the core about the centre of mass;
//   a ball has none, its
//                                                 spin does not enter. W: the largest |w| of the
//                                                 flight (C2)
//   (2) (W rho' (|n x l| + lean) + wobble rho) t  the spin leans on a figure axis f: w = w_f f +
//   (at most wobble)
//                                                 across. rho': largest distance of the core from
//                                                 that axis; l: direction of the angular momentum,
//                                                 from which f strays by at most `lean`
//   (3) -(least over points r of the core of  n.r + t n.(w x r) - |r| (W^2 + W') t^2/2) + least of
//   n.r
//                                                 second order, from the velocities as they are
//                                                 now; W' bounds |dw/dt|. About a fixed axis l it
//                                                 is |n x l| |l x r| sqrt(W^4 + W'^2) instead of
//                                                 |r| (W^2 + W'): the two parts are square to each
//                                                 other and to l
//
// (3) is a concave function of t. Its root is closed in between by tangents, from above, and
// chords, from below: a chord of a concave function lies under it, so that the lower end is safe
// whenever the search stops.
//
// A caller that asks for little gets more: over a time tau that is short for the spin, the second
// derivative of n.r is what it is now, q.r, but for at most tau |r| (W^3 + 3 W W' + W''), of which
// a third counts in a bound on n.r itself. What (3) or (4) say of a point where that is less is
// replaced by it:
//
//   (5) n.r(t) >= n.r + t n.(w x r) + (q.r - |r| (W^3 + 3 W W' + W'') tau / 3) t^2/2,    q = n x w'
//   + (n.w) w - w^2 n
//
// Without it, bodies that hover, as during a micro-step, would be queried many times.
//
// With n fixed, a pair whose touching face turns seems to close as fast as the far end of that face
// comes: short steps without end for two that slide or roll on each other. So near a contact n
// turns, too, at a constant rate in a plane, as normal_rate.c proposes. Then n'' = -nu^2 n, nu =
// |n'|, and for a point y, seen from the contact and its velocity,
//
//   (4) d2/dt2 (n.y) >= n.y'' - nu^2 |y| - 2 nu |y'|
//
// in place of (3), with |y| and |y'| bounded over a time tau = 0.1 / nu, beyond which nothing is
// said.
//
// Where a prescribed body will be is known. At a time T that is safe it is put there, its
// velocities are taken, its linear acceleration along n is bounded by its motion, and (3) of the
// two says how much longer they are safe (C.4). That is conservative advancement again, but n and
// all that is said of the free body stay. It starts where the bound on the way of the motion ends,
// which sees over many periods of a vibration.
//
// The caller says how much is enough: a time at which the pair is queried anyway, or at which
// another one is due. A time is proved by one value of the concave function there, and no more is
// said of pairs that are safe so long.
//
// Assumed: n separates the two by c->distance; flights go on as they are; the core of a prescribed
// body obeys its motion. Left out: bodies carried by joints, for which the answer
// is 0.
//
// SPDX-License-Identifier: MIT
#include "collide/convex.h"

// of a core looked at one by one; of (3); of the way of a motion
enum { VERTICES = 32, TRIES = 8, HALVINGS = 6 };
// at a prescribed body where it will be
enum { QUERIES = 8 };
#define SAFE      (1 - 1e-9)  // for the rounding of all that follows
#define SWAY      0.1         // rad: how far a normal is taken to turn
#define LONG_TIME 1e9         // s: no query is farther ahead

static const Motion *motions_of(const impModel *m, const Body *b) {
    return m->motion + b->first_motion;
}
static impVec3 axis_vector(int k) { return vec(k == 0, k == 1, k == 2); }

// --- roots ---------------------------------------------------------------------------------------
// First t >= 0 with d - A t - B t^2/2 = 0, d >= 0. By the sign of A, or else a pair that recedes
// from a tiny gap would divide 0 by 0. A root that is nearly double counts as one.
static double first_root(double d, double A, double B) {
    if (B == 0) return A > 0 ? d / A : HUGE_VAL;
    double q2 = A * A + 2 * B * d;
    if (B < 0 && (A <= 0 || q2 < -1e-12 * A * A)) return HUGE_VAL;
    double q = q2 > 0 ? sqrt(q2) : 0;
    if (A < 0) return (q - A) / B;
    return A + q > 0 ? 2 * d / (A + q) : 0;
}

// --- the turning of one body ---------------------------------------------------------------------
typedef struct Half {  // of the pair, n pointing away from the other
    const Mover *m;
    const Placed *s;
    impVec3 n, slant;       // n x w: n.(w x r) = slant.r
    double linear;          // (1) or (2), whichever is less, m/s
    double bend;            // of (3), for an arm of 1 m, m/s^2
    bool kinematic, fixed;  // prescribed; about a fixed axis
    bool turns, curved;     // W > 0; and (3) can be used
    int count;              // vertices, relative to the first one along n; 0: a support map
    double height[VERTICES], rate[VERTICES], far[VERTICES], curve[VERTICES], bends[VERTICES];
    impVec3 q;  // of (5), of which curve is q.r; bends: what (3), (4) or (5) say of a vertex, m/s^2
    double tau;               // of (5); 0: it says nothing
    double base;              // least n.r at the start
    double farthest;          // arm of any point, for the support map
    Convex map;               // seen from what it turns about
    int piece;                // where the map is first searched
    double from;              // time of all this; free bodies: 0
    double way, speed, pull;  // of a prescribed origin along n: since 0, now, and its |way''|
} Half;

static impPose arm_of_shape(const Half *s) {
    return pose(sub(s->s->pose.at, s->m->x), s->s->pose.rotation);
}

// rho'
static double arm_about_axis(const Half *s) {
    const Shape *shape = s->s->shape;
    const impVec3 *v = s->s->g->vertex + shape->first_vertex;
    const impVec3 low = s->m->core.low;
    const impVec3 high = s->m->core.high;
    bool few = shape->core && shape->vertex_count <= VERTICES;
    impPose at = arm_of_shape(s);
    double arm = 0;
    for (int i = 0; i < (few ? shape->vertex_count : 8); i++) {
        impVec3 r = few ? v[i]
                        : vec(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y,
                              i & 4 ? high.z : low.z);
        arm = max2(arm, norm(cross(s->m->axis, place(at, r))));
    }
    return min2(arm, s->m->core.bounding_radius);
}

static double linear_bound(const Half *s) {
    const Mover *m = s->m;
    double plain = m->core.bounding_radius * m->w_max;
    if (plain == 0 || !(m->wobble < m->w_max)) return plain;
    double across = min2(norm(cross(s->n, m->steady)) + m->lean, 1);
    // a plane's arm has no end
    double along = across > 0 ? arm_about_axis(s) * across : 0;
    return min2(plain,
                m->w_max * along + (m->wobble > 0 ? m->wobble * m->core.bounding_radius : 0));
}

// of the core, by its support map
static impVec3 lowest_point(const Half *s, impVec3 up) {
    int piece = s->piece;
    return convex_support(&s->map, neg(up), &piece);
}

// heights from what it turns about, all in the shape's own frame
static void list_vertices(Half *s, impPose at) {
    const Shape *shape = s->s->shape;
    const impVec3 *v = s->s->g->vertex + shape->first_vertex;
    const impVec3 from = unrotate(at.rotation, at.at);
    impVec3 n = unrotate(at.rotation, s->n);
    impVec3 slant = unrotate(at.rotation, s->slant);
    impVec3 q = unrotate(at.rotation, s->q);
    impVec3 axis = s->fixed ? unrotate(at.rotation, s->m->axis) : s->m->axis;
    s->count = shape->vertex_count;
    for (int i = 0; i < s->count; i++) {
        impVec3 r = add(v[i], from);
        s->height[i] = dot(n, r);
        s->rate[i] = dot(slant, r);
        s->curve[i] = dot(q, r);
        s->far[i] = s->fixed ? norm(cross(axis, r)) : norm(r);
    }
}

static void set_points(Half *s, impPose at) {
    if (s->s->shape->core && s->s->shape->vertex_count <= VERTICES) {
        list_vertices(s, at);
    } else {
        s->map = convex_of(s->s->shape, s->s->g, at);
    }
}

// of an arm of 1 m
static double jerk_of(const Mover *m) {
    double W = m->w_max;
    return W * W * W + 3 * W * m->w_change + m->w_jerk;
}

// (5) beyond an arc of 1 would say less than (3).
static void set_curve(Half *s) {
    const Mover *m = s->m;
    double spin = dot(s->n, m->w);
    if (!(s->tau * m->w_max <= 1) || !isfinite(m->w_jerk)) {
        s->tau = 0;
    }
    s->q = madd(madd(cross(s->n, m->w_rate), spin, m->w), -dot(m->w, m->w), s->n);
}

static void set_bends(Half *s) {
    double third = s->tau > 0 ? s->tau * jerk_of(s->m) / 3 : 0;
    for (int i = 0; i < s->count; i++) {
        s->bends[i] = s->bend * s->far[i];
        if (s->tau > 0) {
            s->bends[i] = min2(s->bends[i], max2(third * s->far[i] - s->curve[i], 0));
        }
    }
}

static void set_turning(Half *s) {
    const Mover *m = s->m;
    const double W = m->w_max;
    s->turns = W > 0 && m->core.bounding_radius > 0;
    if (!s->turns) return;
    double across = norm(cross(s->n, m->axis));
    s->slant = cross(s->n, m->w);
    s->linear = linear_bound(s);
    s->fixed = m->wobble == 0 && m->lean == 0;
    s->bend = s->fixed ? across * sqrt(W * W * W * W + m->w_change * m->w_change)
                       : W * W + m->w_change;
    s->curved = isfinite(s->bend) && isfinite(m->core.bounding_radius) &&
                convex_kind(s->s->shape) != CONVEX_NONE;
    if (!s->curved) return;
    set_curve(s);
    set_points(s, arm_of_shape(s));
    set_bends(s);
    if (s->count == 0) {
        s->farthest = s->fixed ? arm_about_axis(s) : m->core.bounding_radius;
        s->base = dot(s->n, convex_support(&s->map, neg(s->n), &s->piece));
        return;
    }
    s->base = HUGE_VAL;
    for (int i = 0; i < s->count; i++) {
        s->base = min2(s->base, s->height[i]);
    }
    for (int i = 0; i < s->count; i++) {
        s->height[i] -= s->base;
    }
}

// Prescribed bodies are at rest here: see take_along. Leaves the lists alone where not needed.
static void set_half(Half *s, const Mover *m, const Placed *p, impVec3 n, double tau) {
    s->m = m;
    s->s = p;
    s->n = n;
    s->slant = s->q = vec(0, 0, 0);
    s->tau = tau;
    s->linear = s->bend = s->base = s->farthest = s->from = s->way = s->speed = s->pull = 0;
    s->count = s->piece = 0;
    s->turns = s->curved = s->fixed = false;
    s->kinematic = m->body >= 0;
    if (!s->kinematic) {
        set_turning(s);
    }
}

// The least height above the start at time t by (3), as the line and parabola of the point that has
// it: h + r t - b t^2/2.
typedef struct Piece {
    double h, r, b;
} Piece;

static double value(Piece p, double t) { return p.h + t * (p.r - 0.5 * t * p.b); }
// the same, from t on
static Piece later(Piece p, double t) { return (Piece){ value(p, t), p.r - p.b * t, p.b }; }

static Piece lowest_piece(const Half *s, double t) {
    if (!s->turns) return (Piece){ 0, 0, 0 };
    if (!s->curved) return (Piece){ 0, -s->linear, 0 };
    if (s->count == 0) {
        impVec3 r = lowest_point(s, madd(s->n, t, s->slant));
        return (Piece){ dot(s->n, r) - s->base, dot(s->slant, r), s->bend * s->farthest };
    }
    // values at t
    double then[VERTICES];
    int best = 0;
    for (int i = 0; i < s->count; i++) {
        then[i] = s->height[i] + t * (s->rate[i] - 0.5 * t * s->bends[i]);
    }
    for (int i = 1; i < s->count; i++) {
        if (then[i] < then[best]) {
            best = i;
        }
    }
    return (Piece){ s->height[best], s->rate[best], s->bends[best] };
}

// --- two bodies ----------------------------------------------------------------------------------
typedef struct Pair {
    Half a, b;
    double d, A, B;  // A and B of free centres of mass alone
    double T;        // now
} Pair;

// From T on, the piece that is lowest t later.
static Piece half_piece(const Half *s, double T, double t) {
    Piece p = later(lowest_piece(s, T - s->from + t), T - s->from);
    return (Piece){ p.h + s->way, p.r + s->speed, p.b + s->pull };
}

// the same by (1) or (2)
static Piece half_line(const Half *s, double T) {
    double rotated = s->kinematic && s->curved ? lowest_piece(s, 0).h : -s->linear * T;
    return (Piece){ rotated + s->way, s->speed - s->linear, s->pull };
}

static Piece whole_piece(const Pair *p, double d, double A, double t) {
    Piece a = half_piece(&p->a, p->T, t);
    Piece b = half_piece(&p->b, p->T, t);
    return (Piece){ d + a.h + b.h, -A + a.r + b.r, max2(p->B, 0) + a.b + b.b };
}

static double root_of(Piece p) { return first_root(max2(p.h, 0), -p.r, p.b); }

// First root of the concave function (3), from below. An acceleration that parts the two would make
// it convex: that is left to (1). At a gap of 0 there is no chord to go by: then the middle is
// tried, for a pair that recedes.
static double curved_time(const Pair *p, double d, double A, double enough) {
    Piece start = whole_piece(p, d, A, 0);
    double low = 0;
    double at_low = start.h;
    double high = root_of(start);
    if (!(at_low >= 0)) return 0;
    if (enough < high) {
        Piece there = whole_piece(p, d, A, enough);
        if (value(there, enough) >= 0) return enough;
        high = min2(enough, root_of(there));
    }
    for (int i = 0; i < TRIES && high < HUGE_VAL && high - low > 1e-3 * high; i++) {
        Piece tangent = whole_piece(p, d, A, high);
        double at_high = value(tangent, high);
        if (at_high >= 0) return high;
        double part = at_low > 0 ? at_low / (at_low - at_high) : 0.5;
        // rounding may put a root just beyond
        double probe = low + (high - low) * min2(part, SAFE);
        double at_probe = value(whole_piece(p, d, A, probe), probe);
        high = min2(high, root_of(tangent));
        if (at_probe >= 0) {
            low = probe;
            at_low = at_probe;
        } else {
            high = min2(high, probe);
        }
    }
    return low;
}

// From T on, with a gap d and a speed A as they are without turning and prescribed motions.
static double flight_time(const Pair *p, double d, double A, double enough) {
    Piece a = half_line(&p->a, p->T);
    Piece b = half_line(&p->b, p->T);
    double left = d + a.h + b.h;
    double straight = left >= 0 ? first_root(left, A - a.r - b.r, p->B + a.b + b.b) : 0;
    if (straight >= enough || straight == HUGE_VAL || !(p->a.curved || p->b.curved))
        return straight;
    return max2(straight, curved_time(p, d, A, enough));
}

// --- prescribed motions --------------------------------------------------------------------------
static double way(const Pair *p, double T) {
    double sum = 0;
    if (p->a.kinematic) {
        sum += motion_travel(p->a.m->m, p->a.m->body, p->a.n, T);
    }
    if (p->b.kinematic) {
        sum += motion_travel(p->b.m->m, p->b.m->body, p->b.n, T);
    }
    return sum;
}

static double speed(const Pair *p) {
    double sum = 0;
    if (p->a.kinematic) {
        sum += motion_speed(p->a.m->m, p->a.m->body, p->a.n);
    }
    if (p->b.kinematic) {
        sum += motion_speed(p->b.m->m, p->b.m->body, p->b.n);
    }
    return sum;
}

// Until T a prescribed body goes at most way(T), so a T is safe if the rest of the gap lasts that
// long (C.4): true up to some T and false after. Its speed gives a first one; the others are closed
// in by halving, on a scale of powers.
static bool lasts(const Pair *p, double T) {
    return flight_time(p, p->d - way(p, T), p->A, T) >= T;
}

static double time_by_way(const Pair *p, double enough) {
    double fast = speed(p);
    double low = flight_time(p, p->d, p->A + fast, enough);
    double most = min2(enough, LONG_TIME);
    if (fast == 0 || low >= most) return low;
    if (lasts(p, most)) return most;
    double high = min2(flight_time(p, p->d, p->A, most), most);
    for (int i = 0; i < HALVINGS && high > 1.01 * low && low > 0; i++) {
        double T = sqrt(low) * sqrt(high);
        if (lasts(p, T)) {
            low = T;
        } else {
            high = T;
        }
    }
    return low;
}

// a prescribed body moves from here on
static void take_along(Half *s) {
    const Body *b = &s->m->m->body[s->m->body];
    s->pull = motion_pull(motions_of(s->m->m, b), b->motion_count, s->n);
    set_turning(s);
}

static void evaluate_at(Half *s, double T) {
    const Mover *m = s->m;
    const Body *b = &m->m->body[m->body];
    MotionSample then = motion_sample(motions_of(m->m, b), b->motion_count, m->t + T);
    s->way = dot(s->n, sub(then.shift, m->sample.shift));
    s->speed = dot(s->n, then.twist.linear);
    if (!s->curved) return;
    impQuat rotation = qmul(then.rotation, conjugate(m->sample.rotation));
    impPose at = arm_of_shape(s);
    s->from = T;
    s->slant = cross(s->n, then.twist.angular);
    set_points(s, pose(rotate(rotation, at.at), qmul(rotation, at.rotation)));
    set_bends(s);
    for (int i = 0; i < s->count; i++) {
        s->height[i] -= s->base;
    }
}

static double led_time(Pair *p, double enough) {
    double T = time_by_way(p, enough);
    if (T >= enough) return T;
    if (p->a.kinematic) {
        take_along(&p->a);
    }
    if (p->b.kinematic) {
        take_along(&p->b);
    }
    for (int i = 0; i < QUERIES && T < LONG_TIME; i++) {
        if (p->a.kinematic) {
            evaluate_at(&p->a, T);
        }
        if (p->b.kinematic) {
            evaluate_at(&p->b, T);
        }
        p->T = T;
        double step = flight_time(p, p->d - T * (p->A + 0.5 * T * p->B), p->A + p->B * T,
                                  enough - T);
        T += step;
        if (T >= enough || !(step > 0.01 * T)) break;
    }
    return T;
}

// A plane that turns has no reach: what counts is how far from its middle the other is. While that
// stays within a ball of twice the distance, no point of it sees the plane come faster than W times
// the ball's radius.
static bool turning_plane(const Half *s) {
    return s->kinematic && !shape_kinds[s->s->shape->kind].bounded &&
           motion_turning(motions_of(s->m->m, &s->m->m->body[s->m->body]),
                          s->m->m->body[s->m->body].motion_count)
                   .w > 0;
}

// of a prescribed body's origin, in any direction
static double fastest_shift(const Mover *m) {
    const Body *b = &m->m->body[m->body];
    double sum = 0;
    double T = 1e-12;
    for (int i = 0; i < b->motion_count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            const Motion *c = &m->m->motion[b->first_motion + i];
            sum += motion_kinds[c->kind].shift(c, axis_vector(axis), T) / T;
        }
    }
    return sum * (1 + 1e-9);
}

static double time_over_plane(const Pair *p, const Half *plane, const Half *other) {
    const Mover *o = other->m;
    const Body *b = &plane->m->m->body[plane->m->body];
    double W = motion_turning(motions_of(plane->m->m, b), b->motion_count).w;
    double far = norm(sub(o->x, plane->m->x)) + o->core.bounding_radius + p->d;
    double S = fastest_shift(plane->m);
    double B = norm(o->a);
    if (o->body >= 0) {
        S += fastest_shift(o) + motion_turning(motions_of(o->m, &o->m->body[o->body]),
                                               o->m->body[o->body].motion_count)
                                        .w *
                                    o->core.bounding_radius;
    } else {
        S += norm(o->v) + o->w_max * o->core.bounding_radius;
    }
    if (!isfinite(far)) return 0;
    return min2(first_root(p->d, S + 2 * far * W, B), first_root(far, S, B));
}

// --- a normal that turns -------------------------------------------------------------------------
typedef struct Sway {
    impVec3 at, u;  // the contact and its velocity
    double nu, tau;
} Sway;

static void sway_half(Half *s, const Sway *w, impVec3 rate, impVec3 v, double pull) {
    const Mover *m = s->m;
    impVec3 out = sub(m->x, w->at);
    impVec3 drift = sub(v, w->u);
    double rotation = m->w_max * m->w_max + m->w_change;
    double nu = w->nu;
    double tau = w->tau;
    double most = 0;
    s->turns = s->curved = true;
    s->fixed = false;
    s->tau = w->tau;
    s->slant = add(cross(s->n, m->w), rate);
    set_curve(s);
    s->q = add(madd(s->q, -nu * nu, s->n), scale(2, cross(rate, m->w)));
    set_points(s, arm_of_shape(s));
    // of (5): what all points have
    double still = 2 * dot(rate, drift) - nu * nu * dot(s->n, out);
    // the bend of a point at distance `far` from the centre, `y` from the contact, that goes at
    // `speed` from it
    for (int i = 0; i < (s->count ? s->count : 1); i++) {
        double far = s->count ? s->far[i] : m->core.bounding_radius;
        double bent = rotation * far;
        double a = bent + pull + norm(m->a);
        double y = norm(out) + far;
        double speed = norm(drift) + norm(m->w) * far;
        y += tau * (speed + 0.5 * tau * a);
        speed += tau * a;
        double bend = bent + nu * (nu * y + 2 * speed);
        most = max2(most, bend);
        if (!s->count) break;
        double jerk = s->tau > 0 ? nu * (nu * (nu * y + 3 * speed) + 3 * a) + far * jerk_of(m) : 0;
        s->bends[i] = s->tau > 0 ? min2(bend, max2(jerk * s->tau / 3 - s->curve[i] - still, 0))
                                 : bend;
    }
    s->bend = 1;
    s->farthest = most;
    s->base = HUGE_VAL;
    if (s->count == 0) {
        s->base = dot(s->n, convex_support(&s->map, neg(s->n), &s->piece));
    }
    for (int i = 0; i < s->count; i++) {
        s->base = min2(s->base, s->height[i]);
    }
    for (int i = 0; i < s->count; i++) {
        s->height[i] -= s->base;
    }
}

// of a prescribed origin, in any direction
static double pull_of(const Mover *m) {
    if (m->body < 0) return 0;
    const Body *b = &m->m->body[m->body];
    impVec3 most = vec(0, 0, 0);
    most.x = motion_pull(motions_of(m->m, b), b->motion_count, vec(1, 0, 0));
    most.y = motion_pull(motions_of(m->m, b), b->motion_count, vec(0, 1, 0));
    most.z = motion_pull(motions_of(m->m, b), b->motion_count, vec(0, 0, 1));
    return norm(most);
}

static double swayed_time(Pair *p, const Closest *c, impVec3 rate, double enough) {
    const Mover *a = p->a.m;
    const Mover *b = p->b.m;
    impVec3 va = origin_velocity(a);
    impVec3 vb = origin_velocity(b);
    impVec3 u = add(vb, cross(b->w, sub(c->on_b, b->x)));
    Sway w = { c->on_b, u, norm(rate), min2(SWAY / norm(rate), enough) };
    double pull_a = pull_of(a);
    double pull_b = pull_of(b);
    double B = p->B;
    sway_half(&p->a, &w, rate, va, pull_a);
    sway_half(&p->b, &w, neg(rate), vb, pull_b);
    p->T = p->a.from = p->b.from = p->a.way = p->b.way = p->a.speed = p->b.speed = 0;
    p->a.pull = pull_a;
    p->b.pull = pull_b;
    p->B += w.nu * w.tau * norm(sub(a->a, b->a));
    double t = curved_time(p, p->d, -dot(c->normal, sub(va, vb)) - dot(rate, sub(a->x, b->x)),
                           w.tau);
    p->B = B;
    return min2(t, w.tau);
}

static bool may_sway(const Half *s) {
    return isfinite(s->m->core.bounding_radius) && convex_kind(s->s->shape) != CONVEX_NONE;
}

static double longer(Pair *p, const Closest *c, double t, double enough) {
    impVec3 rate[RATES];
    // two balls have nothing that a fixed normal could miss
    bool turning = p->a.turns || p->b.turns || p->a.kinematic || p->b.kinematic;
    if (t >= enough || !turning || !may_sway(&p->a) || !may_sway(&p->b)) return t;
    // normal_rate.c
    int count = collide_normal_rates(p->a.m, p->b.m, p->a.s, p->b.s, c, rate);
    for (int i = 0; i < count && t < enough; i++) {
        if (!zero3(rate[i]) && t < SWAY / norm(rate[i])) {
            t = max2(t, swayed_time(p, c, rate[i], enough));
        }
    }
    return t;
}

// A point of one of them, over a flat of the other whose normal turns with it: |d2/dt2 gap| <=
// |y''| + 2 W |y'| + W^2 |y|, seen from the point of the flat that is under it now, for a time in
// which that turns little.
double collide_time_of_point(const Mover *a, const Mover *b, impVec3 at, double gap, double closing,
                             double speed) {
    double W = max2(a->w_max, b->w_max);
    double tau = W > 0 ? 0.1 / W : 1;
    double turn_a = (a->w_max * a->w_max + a->w_change) * norm(sub(at, a->x));
    double turn_b = (b->w_max * b->w_max + b->w_change) * norm(sub(at, b->x));
    double bend = norm(sub(a->a, b->a)) + pull_of(a) + pull_of(b) + turn_a + turn_b;
    bend += 2 * W * (speed + tau * bend) + W * W * (gap + tau * (speed + 0.5 * tau * bend));
    if (!a->known || !b->known || !isfinite(bend)) return 0;
    return SAFE * min2(tau, first_root(max2(gap, 0), closing, bend));
}

double collide_time_until(const Mover *a, const Mover *b, const Placed *sa, const Placed *sb,
                          const Closest *c, double target, double enough) {
    Pair p;
    enough *= 2 - SAFE * SAFE;
    p.d = c->distance - target;
    p.T = 0;
    if (!a->known || !b->known || !(p.d >= 0)) return 0;
    set_half(&p.a, a, sa, c->normal, enough);
    set_half(&p.b, b, sb, neg(c->normal), enough);
    p.A = -dot(c->normal, sub(a->v, b->v));
    p.B = -dot(c->normal, sub(a->a, b->a));
    bool kinematic = p.a.kinematic || p.b.kinematic;
    if (turning_plane(&p.a)) return SAFE * time_over_plane(&p, &p.a, &p.b);
    if (turning_plane(&p.b)) return SAFE * time_over_plane(&p, &p.b, &p.a);
    double t = kinematic ? led_time(&p, enough) : flight_time(&p, p.d, p.A, enough);
    return SAFE * longer(&p, c, min2(t, max2(p.a.tau, p.b.tau) > 0 ? enough : HUGE_VAL), enough);
}

double collide_time_bound(const Mover *a, const Mover *b, const Placed *sa, const Placed *sb,
                          const Closest *c, double target) {
    return collide_time_until(a, b, sa, sb, c, target, HUGE_VAL);
}

// The rounding error of the sum is itself a number (Knuth, vol. 2, 4.2.2, theorem B).
double collide_time_after(double t, double step) {
    // never: no arithmetic with infinity
    if (!(step < LONG_TIME * LONG_TIME)) return HUGE_VAL;
    double sum = t + step;
    double part = sum - t;
    double lost = (t - (sum - part)) + (step - part);
    if (lost < 0) {
        sum -= DBL_EPSILON * fabs(sum);
    }
    return max2(sum, t + 4 * DBL_EPSILON * fabs(t));
}
