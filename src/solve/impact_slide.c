// impact_slide.c -- the slide that turns: a series in regularised time, and the last stretch to
// rest in one leap.
//
// docs/theory/frictional-impact.md, section 5; numbers in brackets are its equations. Sliding, s =
// |u_t|, is singular at rest as a function of p_z. With dtau = dp_z / s it is (15): no angle, no
// sine, and a stop at tau = infinity. The right side is homogeneous, so that a state of s = 1
// serves for all, and its only nonlinear term has the square s^2 = x^2 + y^2: the Taylor
// coefficients of (15) follow from one another by convolutions (16) (Moore 1966; Jorba and Zou
// 2005). One series of order ORDER is a step and its own dense output, and does not know of stages:
// they are read off it by finding roots. Near a ray r that attracts, lambda < 0 in (8), the slide
// ends at rest. With u_t = xi (r + z r'), r' at right angles, the flow is (17), and p_z and the
// work still to come follow from (18), regular at z = 0 and with power series without resonance.
// The leap is taken if the series have converged and no event of the stage lies before the stop;
// else the next step comes closer by (15). Assumed: mu > 0 and u_t != 0. Left out: rays that repel,
// which are left by rounding as in nature.
//
// SPDX-License-Identifier: MIT
#include "solve/impact.h"

// Tolerances. Test: tests/solve/impact.c, tests/solve/impact_laws.c.
enum {
    ORDER = 16,       // of the series (16)
    LEAP = 20,        // terms of a leap (18)
    STEPS = 600,      // of a slide
    ROOT_STEPS = 80,  // of Newton's method on an event
    RAY_STEPS = 12,   // of Newton's method on a ray
    SAMPLES = 8,      // of the path, in a step
    DRAWN = 60,       // steps of the path, in a leap
    EVENTS = 4        // of a step
};
// 1, of |K|: a slide that turns less is straight
#define TURNED 1e-14
// 1, of the speed at the start: a slower slip is rest
#define AT_REST 1e-14
// 1, of s: size of the last term of a series
#define TERM 1e-13
// 1, of the sum: size of the last two terms of a leap
#define CONVERGED 1e-15
// 1, of the sum: sum of the sizes of the terms of a leap; more costs digits
#define CANCELLED 8
// rad: angle to a ray within which a leap is tried
#define NEAR_RAY 0.45
// 1 / (mu tr A + |k|): longest step
#define FAR 4.0

// --- the present direction -----------------------------------------------------------------------

// Direction n of u_t, t to its left, and the contact's matrix in them.
typedef struct Frame {
    double x, y;           // n, unit
    double kn, kt;         // k along n and t
    double ann, ant, att;  // A in n and t
} Frame;

// x, y: n, unit
static Frame frame_at(const Hit *hit, double x, double y) {
    Frame f;
    double nx = hit->axx * x + hit->axy * y;
    double ny = hit->axy * x + hit->ayy * y;
    f.x = x;
    f.y = y;
    f.kn = hit->kx * x + hit->ky * y;
    f.kt = hit->ky * x - hit->kx * y;
    f.ann = nx * x + ny * y;
    f.ant = ny * x - nx * y;
    f.att = hit->axx * y * y - 2 * hit->axy * x * y + hit->ayy * x * x;
    return f;
}
// ds/dp_z (7)
static double rate_of_s(const Hit *hit, const Frame *f) { return f->kn - hit->mu * f->ann; }
// s dtheta/dp_z (7)
static double turning(const Hit *hit, const Frame *f) { return f->kt - hit->mu * f->ant; }
// du_z/dp_z (7)
static double rate_of_z(const Hit *hit, const Frame *f) { return hit->kzz - hit->mu * f->kn; }
static double size_of_rates(const Hit *hit) {
    return hit->mu * (hit->axx + hit->ayy) + fabs(hit->kx) + fabs(hit->ky);
}

// --- the series (15), (16) -----------------------------------------------------------------------

typedef struct Series {
    double x[ORDER + 1], y[ORDER + 1], s[ORDER + 1];  // u_t and its length, of length 1 at tau = 0
    double z[ORDER + 2], p[ORDER + 2];                // gain of u_z, and p_z
    double w[ORDER + 2];                              // int (gain of u_z) dp_z: only for Stronge
} Series;

static const double inverse_of[ORDER + 2] = {
    0,       1,        1.0 / 2,  1.0 / 3,  1.0 / 4,  1.0 / 5,  1.0 / 6,  1.0 / 7,  1.0 / 8,
    1.0 / 9, 1.0 / 10, 1.0 / 11, 1.0 / 12, 1.0 / 13, 1.0 / 14, 1.0 / 15, 1.0 / 16, 1.0 / 17,
};

// s_n of (16), with s_0 = 1, from the smaller ones.
static double length_term(const Series *t, int n) {
    double x = t->x[0] * t->x[n];
    double y = t->y[0] * t->y[n];
    double s = 0;
    int half = (n + 1) / 2;
    for (int i = 1; i < half; i++) {
        x += t->x[i] * t->x[n - i];
        y += t->y[i] * t->y[n - i];
        s += t->s[i] * t->s[n - i];
    }
    if (n % 2) return x + y - s;
    return x + y - s +
           (t->x[half] * t->x[half] + t->y[half] * t->y[half] - t->s[half] * t->s[half]) / 2;
}

// The coefficients of (15) and (16), from the direction f and |u_t| = 1.
static void expand(const Hit *hit, const Frame *f, Series *t) {
    double mxx = hit->mu * hit->axx;
    double mxy = hit->mu * hit->axy;
    double myy = hit->mu * hit->ayy;
    double mx = hit->mu * hit->kx;
    double my = hit->mu * hit->ky;
    t->x[0] = f->x;
    t->y[0] = f->y;
    t->s[0] = 1;
    t->z[0] = t->p[0] = 0;
    for (int n = 0; n < ORDER; n++) {
        double x = t->x[n];
        double y = t->y[n];
        double s = t->s[n];
        double over = inverse_of[n + 1];
        t->x[n + 1] = (s * hit->kx - (mxx * x + mxy * y)) * over;
        t->y[n + 1] = (s * hit->ky - (mxy * x + myy * y)) * over;
        t->z[n + 1] = (s * hit->kzz - (mx * x + my * y)) * over;
        t->p[n + 1] = s * over;
        t->s[n + 1] = length_term(t, n + 1);
    }
    double x = t->x[ORDER];
    double y = t->y[ORDER];
    double s = t->s[ORDER];
    double over = inverse_of[ORDER + 1];
    t->z[ORDER + 1] = (s * hit->kzz - (mx * x + my * y)) * over;
    t->p[ORDER + 1] = s * over;
}

// The coefficients of the work, by integration of s times the gain of u_z.
static void expand_work(Series *t) {
    t->w[0] = 0;
    for (int n = 0; n <= ORDER; n++) {
        double sum = 0;
        for (int i = 0; i <= n; i++) {
            sum += t->s[i] * t->z[n - i];
        }
        t->w[n + 1] = sum * inverse_of[n + 1];
    }
}

// Where the last term is TERM: the sixteenth root is four square roots, exact for powers of two.
static double step_length(const Hit *hit, const Series *t) {
    double rates = size_of_rates(hit);
    double last = fabs(t->x[ORDER]) + fabs(t->y[ORDER]);
    double before = fabs(t->x[ORDER - 1]) + fabs(t->y[ORDER - 1]);
    if (last < rates * before) {
        last = rates * before;
    }
    double longest = FAR / rates;
    double h = sqrt(sqrt(sqrt(sqrt(TERM / last))));
    // last 0 gives infinity, and that the longest
    return h < longest ? h : longest;
}

// --- values and roots on a step ------------------------------------------------------------------

// Even and odd powers apart: two chains of half the length.
static double horner(const double *c, int order, double t) {
    double t2 = t * t;
    double even = c[order - order % 2];
    double odd = c[order - 1 + order % 2];
    for (int n = order - order % 2 - 2; n >= 0; n -= 2) {
        even = even * t2 + c[n];
    }
    for (int n = order - 3 + order % 2; n >= 1; n -= 2) {
        odd = odd * t2 + c[n];
    }
    return even + odd * t;
}

typedef struct Step {
    const Hit *hit;
    Series t;
    double s, z, px, py, pz;  // |u_t|, u_z and p at tau = 0
    double end;               // tau
} Step;

// What events are found by, as functions of tau on a step.
typedef enum Quantity {
    SLOPE,    // 1/kg: du_z/dtau, by s at tau = 0
    HEIGHT,   // m/s: u_z
    IMPULSE,  // N s: p_z since tau = 0
    WORK      // J: int u_z dp_z since tau = 0
} Quantity;
// A quantity and its derivative by tau; 0: not known.
typedef struct Value {
    double f, slope;
} Value;

static double slope_at(const Step *k, double tau) {
    const Hit *hit = k->hit;
    double x = horner(k->t.x, ORDER, tau);
    double y = horner(k->t.y, ORDER, tau);
    double s = horner(k->t.s, ORDER, tau);
    return hit->kzz * s - hit->mu * (hit->kx * x + hit->ky * y);
}
static double height_at(const Step *k, double tau) {
    return k->z + k->s * horner(k->t.z, ORDER + 1, tau);
}
static double impulse_at(const Step *k, double tau) {
    return k->s * horner(k->t.p, ORDER + 1, tau);
}
static double work_at(const Step *k, double tau) {
    if (k->hit->law != IMP_STRONGE) return 0;
    return k->s * (k->z * horner(k->t.p, ORDER + 1, tau) + k->s * horner(k->t.w, ORDER + 1, tau));
}

static Value value_at(const Step *k, Quantity what, double tau) {
    // SLOPE stays without a derivative: its root is found by halving, which is rare
    Value v = { 0, 0 };
    switch (what) {
    case SLOPE: v.f = slope_at(k, tau); break;
    case HEIGHT:
        v.f = height_at(k, tau);
        v.slope = k->s * slope_at(k, tau);
        break;
    case IMPULSE:
        v.f = impulse_at(k, tau);
        v.slope = k->s * horner(k->t.s, ORDER, tau);
        break;
    case WORK:
        v.f = work_at(k, tau);
        v.slope = k->s * horner(k->t.s, ORDER, tau) * height_at(k, tau);
        break;
    }
    return v;
}

// An interval of tau, and the values of a quantity at its ends.
typedef struct Interval {
    double low, high;  // tau
    double a, b;
} Interval;

// The tau in (low, high] where a quantity is `level`, which lies between its values there, a and b.
// Newton's steps kept within the bracket, halved where they would leave it.
static double crossing(const Step *k, Quantity what, double level, Interval in) {
    bool rising = in.b > in.a;
    double low = in.low;
    double high = in.high;
    double tau = low + (high - low) * ((level - in.a) / (in.b - in.a));
    for (int i = 0; i < ROOT_STEPS; i++) {
        if (!(tau > low && tau < high)) {
            tau = low + (high - low) / 2;
        }
        // neighbours
        if (!(tau > low && tau < high)) return high;
        Value v = value_at(k, what, tau);
        if (v.f == level) return tau;
        if ((v.f < level) == rising) {
            low = tau;
        } else {
            high = tau;
        }
        double next = v.slope == 0 ? low : tau - (v.f - level) / v.slope;
        // the step after this one would be a millionth of a millionth of it
        if (v.slope != 0 && fabs(next - tau) <= 1e-9 * tau) return next < high ? next : high;
        tau = next;
    }
    return tau;
}

// --- along a step, stage by stage ----------------------------------------------------------------

// A place on a step.
typedef struct Spot {
    double tau;
    double impulse;  // N s: p_z since tau = 0
    double work;     // J: int u_z dp_z since tau = 0; 0 but for Stronge
    double height;   // m/s: u_z
} Spot;

static Spot spot_at(const Step *k, double tau) {
    Spot spot = { tau, impulse_at(k, tau), work_at(k, tau), height_at(k, tau) };
    return spot;
}

// of a series of order ORDER, from 0
static double integral(const double *c, double t) {
    double sum = 0;
    for (int n = ORDER; n >= 0; n--) {
        sum = sum * t + c[n] * inverse_of[n + 1];
    }
    return sum * t;
}

// Sets velocity and impulse of the impact to those at a place of the step.
static void go_to(Hit *hit, const Step *k, Spot to) {
    hit->px = k->px - hit->mu * k->s * integral(k->t.x, to.tau);
    hit->py = k->py - hit->mu * k->s * integral(k->t.y, to.tau);
    hit->pz = k->pz + to.impulse;
    hit->x = k->s * horner(k->t.x, ORDER, to.tau);
    hit->y = k->s * horner(k->t.y, ORDER, to.tau);
    hit->z = to.height;
}

// Adds places between two to the path: a copy walks up to the last one.
static void sample_along(const Hit *hit, const Step *k, Spot from, Spot to) {
    Hit ghost = *hit;
    for (int i = 1; i < SAMPLES && hit->path; i++) {
        go_to(&ghost, k, spot_at(k, from.tau + (to.tau - from.tau) * i / SAMPLES));
        solve_sample(&ghost, IMP_SLIDE);
    }
}

typedef enum Cause {
    STEP_ENDS,    // nothing happens: the end of the series
    STAGE_TURNS,  // u_z passes through 0: from compression to restitution, or back
    ALL_ENDS      // restitution has given back what it has to
} Cause;
typedef struct Event {
    Spot at;
    Cause cause;
} Event;

// The end of restitution between two places, where the store of (13) is empty or Newton's law has
// its target. Assumed: the quantity of the law grows from one place to the other, as u_z > 0
// between them, and u_z itself is monotone.
static Event end_of_restitution(const Hit *hit, const Step *k, Spot from, Spot to) {
    Interval in = { .low = from.tau, .high = to.tau };
    Quantity what = IMPULSE;
    double level = 0;
    switch (hit->law) {
    case IMP_POISSON:
        in.a = from.impulse;
        in.b = to.impulse;
        level = from.impulse + hit->store;
        break;
    case IMP_STRONGE:
        what = WORK;
        in.a = from.work;
        in.b = to.work;
        level = from.work + hit->store;
        break;
    case IMP_NEWTON:
        what = HEIGHT;
        in.a = from.height;
        in.b = to.height;
        level = hit->target;
        break;
    }
    if (!(in.b >= level)) return (Event){ to, STEP_ENDS };
    return (Event){ spot_at(k, crossing(k, what, level, in)), ALL_ENDS };
}

// The first event between two places, where u_z is monotone. At the first of them it is at most 0
// in compression, and at least 0 in restitution.
static Event next_event(const Hit *hit, const Step *k, Spot from, Spot to) {
    Event none = { to, STEP_ENDS };
    Event turn = { to, STAGE_TURNS };
    bool ends_below = to.height < 0;
    Interval in = { from.tau, to.tau, from.height, to.height };
    // u_z stays below 0
    if (hit->stage == IMP_COMPRESSION && ends_below) return none;
    // it stays above
    if (hit->stage == IMP_RESTITUTION && !ends_below) return end_of_restitution(hit, k, from, to);
    // it rises through 0
    turn.at = spot_at(k, crossing(k, HEIGHT, 0, in));
    if (hit->stage == IMP_COMPRESSION) return turn;
    // it falls through 0, unless restitution ends first
    Event end = end_of_restitution(hit, k, from, turn.at);
    return end.cause == ALL_ENDS ? end : turn;
}

// Follows the slide along a step, event by event, and spends its pieces.
static void follow(Hit *hit, const Step *k) {
    Spot here = { 0, 0, 0, k->z };
    Spot last = spot_at(k, k->end);
    for (int i = 0; i < EVENTS && here.tau < last.tau && !hit->finished; i++) {
        Event event = next_event(hit, k, here, last);
        sample_along(hit, k, here, event.at);
        go_to(hit, k, event.at);
        solve_spend(hit, IMP_SLIDE, event.at.impulse - here.impulse, event.at.work - here.work);
        if (event.cause == ALL_ENDS) {
            solve_finish(hit);
        }
        if (event.cause == STAGE_TURNS) {
            event.at.height = 0;
            solve_turn(hit);
        }
        here = event.at;
    }
}

// Ends the step where u_z has an extreme, so that no passage through 0 and back is missed. now:
// du_z/dp_z at its beginning.
static void cut_at_extreme(Step *k, double now) {
    double then = slope_at(k, k->end);
    Interval in = { 0, k->end, now, then };
    if (now * then >= 0 || fabs(now) <= 1e-13 * k->hit->kzz) return;
    k->end = crossing(k, SLOPE, 0, in);
}

// The step of (15) from the present state.
static void make_step(const Hit *hit, const Frame *f, double s, Step *k) {
    k->hit = hit;
    k->s = s;
    k->z = hit->z;
    k->px = hit->px;
    k->py = hit->py;
    k->pz = hit->pz;
    expand(hit, f, &k->t);
    if (hit->law == IMP_STRONGE) {
        expand_work(&k->t);
    }
    k->end = step_length(hit, &k->t);
}

// --- the leap (17), (18) -------------------------------------------------------------------------

static const double root_term[LEAP / 2 + 1] = {
    // of sqrt(1 + z^2) in powers of z^2
    1,
    1.0 / 2,
    -1.0 / 8,
    1.0 / 16,
    -5.0 / 128,
    7.0 / 256,
    -21.0 / 1024,
    33.0 / 2048,
    -429.0 / 32768,
    715.0 / 65536,
    -2431.0 / 262144,
};

typedef struct Leap {
    Frame ray;
    double xi, z;            // u_t = xi (r + z r')
    double rate, kappa;      // lambda of (8) and kappa of (11)
    double alpha[LEAP + 1];  // terms of (17) at z: coefficient times z^n
    double beta[LEAP + 1];   // the same, times z^(n - 1)
    double h[LEAP + 1];      // sqrt(1 + z^2), times z^n
    double stop;             // N s: p_z to come (18)
    double height;           // m/s: u_z at rest (18)
    double work;             // J: int u_z dp_z (18)
} Leap;

// The ray near n: the root z of the turning in direction n + z t, by Newton's method. False: none
// near, or not one that attracts, or where two rays have just met and gone there is only a narrow
// pass that looks like one.
static bool find_near_ray(const Hit *hit, const Frame *f, Leap *leap) {
    double z = 0;
    double mu = hit->mu;
    double d = f->att - f->ann;
    for (int i = 0; i < RAY_STEPS; i++) {
        double h = sqrt(1 + z * z);
        double across = f->kt - z * f->kn;
        double g = h * across - mu * (f->ant + z * d - z * z * f->ant);
        double slope = z / h * across - h * f->kn - mu * (d - 2 * z * f->ant);
        double dz = -g / slope;
        z += dz;
        if (!(fabs(z) < 1)) return false;
        if (fabs(dz) <= 1e-16) break;
    }
    double h = sqrt(1 + z * z);
    double rx = (f->x - z * f->y) / h;
    double ry = (f->y + z * f->x) / h;
    leap->ray = frame_at(hit, rx, ry);
    leap->rate = rate_of_s(hit, &leap->ray);
    leap->kappa = leap->rate + mu * leap->ray.att;
    leap->xi = hit->x * rx + hit->y * ry;
    leap->z = (hit->y * rx - hit->x * ry) / leap->xi;
    bool found = fabs(turning(hit, &leap->ray)) <= 1e-13 * size_of_rates(hit) &&
                 leap->z * turning(hit, f) < 0;
    return found && leap->rate < 0 && leap->kappa > 0;
}

// The terms of alpha, beta and h of (17), by the series of h in even powers of z.
static void fill_leap(const Hit *hit, Leap *leap) {
    const Frame *f = &leap->ray;
    double q = hit->mu * f->ant;
    double z = leap->z;
    double power = 1;
    leap->alpha[0] = leap->rate;
    leap->beta[0] = 0;
    leap->h[0] = 1;
    // power is z^(n - 1)
    for (int n = 1; n <= LEAP; n++) {
        bool even = n % 2 == 0;
        double root = even ? root_term[n / 2] : root_term[(n - 1) / 2];
        leap->h[n] = even ? root * power * z : 0;
        leap->alpha[n] = f->kn * leap->h[n];
        leap->beta[n] = (even ? q * root : -f->kn * root) * power;
        power *= z;
    }
    leap->alpha[1] = -q * z;
    leap->beta[1] = -leap->kappa;
    leap->beta[2] += q * z;
}

// X of m alpha X + beta X' = -rhs (18), all as terms at z; returns how many are needed for its sum.
// 0: it does not converge, or, between two rays that nearly meet, only after large terms that
// cancel.
static int leap_series(const Leap *leap, double m, const double *rhs, double *x, double *sum) {
    double sizes = 0;
    *sum = 0;
    for (int n = 0; n <= LEAP; n++) {
        double r = -rhs[n];
        for (int i = 1; i <= n; i++) {
            r -= m * leap->alpha[i] * x[n - i];
        }
        for (int i = 2; i <= n; i++) {
            r -= leap->beta[i] * (n - i + 1) * x[n - i + 1];
        }
        x[n] = r / (m * leap->alpha[0] + n * leap->beta[1]);
        *sum += x[n];
        sizes += fabs(x[n]);
        bool converged = n >= 2 && fabs(x[n]) + fabs(x[n - 1]) <= CONVERGED * fabs(*sum);
        if (converged) return sizes <= CANCELLED * fabs(*sum) ? n + 1 : 0;
    }
    return 0;
}

// The work of (18), which Stronge's law asks for, from the terms of U. False: no convergence.
static bool leap_work(Leap *leap, const double u[LEAP + 1]) {
    double rhs[LEAP + 1] = { 0 };
    double v[LEAP + 1];
    double sum;
    for (int n = 0; n <= LEAP; n++) {
        for (int i = 0; i <= n; i += 2) {
            rhs[n] += leap->h[i] * u[n - i];
        }
    }
    if (!leap_series(leap, 2, rhs, v, &sum)) return false;
    leap->work = leap->height * leap->stop - leap->xi * leap->xi * sum;
    return true;
}

// Sets stop, height and work (18). False: no convergence.
static bool measure_leap(const Hit *hit, Leap *leap) {
    const Frame *f = &leap->ray;
    double p[LEAP + 1] = { 0 };
    double u[LEAP + 1];
    double sum;
    double det = f->ann * f->att - f->ant * f->ant;
    double hold_n = (f->att * f->kn - f->ant * f->kt) / det;
    double hold_t = (f->ann * f->kt - f->ant * f->kn) / det;
    // k_nn - k.A^-1 k: du_z/dp_z while the point sticks
    double sticking_rate = hit->kzz - (hold_n * f->kn + hold_t * f->kt);
    int count = leap_series(leap, 1, leap->h, p, &sum);
    if (count == 0) return false;
    leap->stop = leap->xi * sum;
    leap->height = hit->z + leap->xi * (sticking_rate * sum - hold_n - hold_t * leap->z);
    leap->work = 0;
    if (hit->law != IMP_STRONGE) return true;
    // U, from the terms of p_z that its sum needed
    for (int n = 0; n <= LEAP; n++) {
        u[n] = n < count ? sticking_rate * p[n] : 0;
    }
    u[0] -= hold_n;
    u[1] -= hold_t * leap->z;
    return leap_work(leap, u);
}

// True if neither the stage nor restitution ends before the stop.
static bool stays_in_stage(const Hit *hit, const Frame *f, const Leap *leap) {
    double rate = rate_of_z(hit, f);
    bool falls = rate < 0;
    // u_z must be monotone on the way
    if (!(rate * rate_of_z(hit, &leap->ray) > 0)) return false;
    // u_z stays below 0
    if (hit->stage == IMP_COMPRESSION) return falls || leap->height < 0;
    // it falls through 0
    if (falls && !(leap->height > 0)) return false;
    // restitution does not come to the velocity that Newton's law asks for, or to the end of the
    // store of (13)
    if (hit->law == IMP_NEWTON) return falls || leap->height < hit->target;
    return (hit->law == IMP_STRONGE ? leap->work : leap->stop) < hit->store;
}

// Adds a leap to the path: a copy walks there by steps.
static void draw_leap(const Hit *hit) {
    Hit ghost = *hit;
    for (int i = 0; i < DRAWN && hit->path; i++) {
        double s = sqrt(ghost.x * ghost.x + ghost.y * ghost.y);
        if (s <= 1e-6 * ghost.speed) return;
        Frame f = frame_at(&ghost, ghost.x / s, ghost.y / s);
        Step k;
        make_step(&ghost, &f, s, &k);
        go_to(&ghost, &k, spot_at(&k, k.end));
        solve_sample(&ghost, IMP_SLIDE);
    }
}

// Worth trying: near a ray, and by a straight line the stop would not come much later than the end
// of the stage.
static bool near_rest(const Hit *hit, const Frame *f, double s) {
    double a = rate_of_s(hit, f);
    double kappa = a + hit->mu * f->att;
    double stop = -s / a;
    if (!(a < 0 && fabs(turning(hit, f)) < NEAR_RAY * kappa)) return false;
    if (hit->stage == IMP_COMPRESSION) return hit->z + 0.5 * rate_of_z(hit, f) * stop < 0;
    return hit->law != IMP_POISSON || stop < 2 * hit->store;
}

// Makes the whole last stretch to rest (18). False: not possible yet.
static bool leap_to_rest(Hit *hit, const Frame *f, double s) {
    Leap leap;
    if (!near_rest(hit, f, s) || !find_near_ray(hit, f, &leap)) return false;
    fill_leap(hit, &leap);
    if (!measure_leap(hit, &leap) || !stays_in_stage(hit, f, &leap)) return false;
    draw_leap(hit);
    // A p_t = -u_t - k p_z, as u_t ends at 0
    double bx = -hit->x - hit->kx * leap.stop;
    double by = -hit->y - hit->ky * leap.stop;
    double det = hit->axx * hit->ayy - hit->axy * hit->axy;
    hit->px += (hit->ayy * bx - hit->axy * by) / det;
    hit->py += (hit->axx * by - hit->axy * bx) / det;
    hit->pz += leap.stop;
    hit->x = hit->y = 0;
    hit->z = leap.height;
    solve_spend(hit, IMP_SLIDE, leap.stop, leap.work);
    return true;
}

// --- the slide -----------------------------------------------------------------------------------

static void slide_straight(Hit *hit, const Frame *f, double s) {
    double a = rate_of_s(hit, f);
    solve_line(hit, IMP_SLIDE, -hit->mu * f->x, -hit->mu * f->y, a < 0 ? -s / a : (double)INFINITY);
}

void solve_slide(Hit *hit) {
    for (int i = 0; i < STEPS && !hit->finished; i++) {
        double s = sqrt(hit->x * hit->x + hit->y * hit->y);
        if (s <= AT_REST * hit->speed) {
            hit->x = hit->y = 0;
            return;
        }
        Frame f = frame_at(hit, hit->x / s, hit->y / s);
        if (fabs(turning(hit, &f)) <= TURNED * size_of_rates(hit)) {
            slide_straight(hit, &f, s);
            return;
        }
        if (leap_to_rest(hit, &f, s)) return;
        Step k;
        make_step(hit, &f, s, &k);
        cut_at_extreme(&k, rate_of_z(hit, &f));
        follow(hit, &k);
        hit->out->steps++;
    }
    hit->stalled = !hit->finished;
}
