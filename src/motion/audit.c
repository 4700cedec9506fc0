// audit.c -- energy, momentum and angular momentum, and how well a step of free motion kept them.
//
// Sums run over the bodies in their order. Potential energy is -m g . x, zero at the origin. The
// judge compares before and after by the laws themselves and knows nothing of how the step was made
// (docs/theory/free-flight.md, section "Audit").
//
// Each limit is a part, the tolerance, of the size of what is compared, and what rounding may make
// of it. For momentum and the potential energy the second is within the first. Of a slender body it
// is not: an error of one rounding of the rate, or of the inertia, is a change of the spin about
// its long axis times the condition k = Imax / Imin of its inertia, which is 6e9 for a wire of 1 m
// and 13 um. See "rounding" below.
//
// SPDX-License-Identifier: MIT
#include "motion/motion.h"

#include <string.h>

// J w in the world
static impVec3 spin_of(const Body *b, const double *q, const double *v) {
    impQuat rotation = quat(q[3], q[4], q[5], q[6]);
    return rotate(rotation, mul(b->inertia, unrotate(rotation, vec(v[3], v[4], v[5]))));
}

impEnergy motion_energy(const impModel *m, const double *state) {
    impEnergy e = { 0, 0 };
    for (int i = 1; i < m->body_count; i++) {
        const Body *b = &m->body[i];
        if (b->role != IMP_DYNAMIC) continue;
        impTwist t = motion_twist(m, state, i);
        impPose p = motion_pose(m, state, i);
        impVec3 wb = unrotate(p.rotation, t.angular);
        e.kinetic += 0.5 * (b->mass * dot(t.linear, t.linear) + dot(wb, mul(b->inertia, wb)));
        e.potential -= b->mass * dot(m->gravity, place(p, b->center));
    }
    return e;
}

impMomentum motion_momentum(const impModel *m, const double *state) {
    impMomentum sum;
    sum.linear = sum.angular = vec(0, 0, 0);
    for (int i = 1; i < m->body_count; i++) {
        const Body *b = &m->body[i];
        if (b->role != IMP_DYNAMIC) continue;
        impTwist t = motion_twist(m, state, i);
        impPose p = motion_pose(m, state, i);
        impVec3 own = rotate(p.rotation, mul(b->inertia, unrotate(p.rotation, t.angular)));
        impVec3 x = place(p, b->center);
        sum.linear = madd(sum.linear, b->mass, t.linear);
        sum.angular = add(sum.angular, add(own, scale(b->mass, cross(x, t.linear))));
    }
    return sum;
}

static double kinetic_energy(const Body *b, const double *q, const double *v) {
    impVec3 u = vec(v[0], v[1], v[2]);
    impVec3 w = vec(v[3], v[4], v[5]);
    return 0.5 * (b->mass * dot(u, u) + dot(w, spin_of(b, q, v)));
}

static double free_energy(const impModel *m, const Body *b, const double *q, const double *v) {
    impVec3 x = vec(q[0], q[1], q[2]);
    return kinetic_energy(b, q, v) - b->mass * dot(m->gravity, x);
}

typedef struct Part {  // what is unexplained, of what size, and its rounding
    double off, of, rounding;
} Part;

// One line of the verdict; false: it is beyond its limit, as a NaN is. The first that is beyond is
// kept.
static bool within(Fault *first, int body, const char *of, const char *unit, double off,
                   double limit) {
    if (fabs(off) <= limit) return true;
    if (!first->of) {
        *first = (Fault){ body, of, unit, off, limit };
    }
    return false;
}

// --- rounding ------------------------------------------------------------------------------------
// u = DBL_EPSILON / 2 is the error of one operation. An impulse p at an arm r changes the rate w by
// M (r x p) with M = R J^-1 R^T, a product of matrices with entries up to 1 / Imin: R has errors of
// 6 u from the quaternion, each product 3 u, J^-1 some 6 u, and sums have three terms, which is
// about 75 u / Imin together; r x p itself is wrong by 3 u |r| |p|. In L = J w that is up to 78 u k
// |r| |p|. The rate is a vector of the world's axes, rounded by u |w| in each of them and by some
// 20 u |w| in the flight and in rotations to the body's axes and back: 40 u Imax |w| in L for each
// flight that begins or ends. So
//     spin:    128 u (k sum (|r x p| + reach |p|) + Imax sum |w|)
// Kinetic energy is w . L / 2, wrong by |L| times the error of w: |w| |L| <= 2 sqrt(k) T. Where J
// has entries across the diagonal these cancel along the easy axis, and the error is Imax u |w|^2
// <= 2 k u T:
//     energy:  128 u (sqrt(k) or k) sum T
// Sums are over the launches of the step, and its begin and end. For bodies that are not slender
// both are below 1e-12 of the size, and say nothing beside the usual tolerance of 1e-9. Another
// tolerance allows as much more or less of rounding: one of 1e-15 is kept by no body,
// round or slender.
#define ROUNDING (64 * DBL_EPSILON)  // 128 u

static double easiest(const Body *b) {
    const double *i = b->moments;
    return min2(i[0], min2(i[1], i[2]));
}

static double hardest(const Body *b) {
    const double *i = b->moments;
    return max2(i[0], max2(i[1], i[2]));
}

static bool is_diagonal(Mat3 j) { return j.x.y == 0 && j.x.z == 0 && j.y.z == 0; }

static double rounding_of_spin(const Body *b, double rotated, double rates) {
    return ROUNDING * (hardest(b) / easiest(b) * rotated + hardest(b) * rates);
}

static double rounding_of_energy(const Body *b, double kinetic) {
    double condition = hardest(b) / easiest(b);
    return ROUNDING * (is_diagonal(b->inertia) ? sqrt(condition) : condition) * kinetic;
}

static double limit_of(Part p, double tolerance) {
    return tolerance * (p.of + p.rounding / MOTION_TOLERANCE);
}

// --- one body ------------------------------------------------------------------------------------
typedef struct Ends {  // of a step, of one free body
    const double *q0, *v0, *q1, *v1;
} Ends;

static impVec3 linear_of(const double *v) { return vec(v[0], v[1], v[2]); }
static impVec3 rate_of(const double *v) { return vec(v[3], v[4], v[5]); }

static Part momentum_part(const impModel *m, const Body *b, const Ends *e, impVec3 force, double h,
                          const Ledger *l) {
    impVec3 v0 = linear_of(e->v0);
    impVec3 v1 = linear_of(e->v1);
    impVec3 pull = madd(force, b->mass, m->gravity);
    impVec3 change = sub(scale(b->mass, sub(v1, v0)), l->impulse);
    double size = b->mass * (norm(v0) + norm(v1)) + h * norm(pull) + l->impulse_sum;
    return (Part){ norm(madd(change, -h, pull)), size, 0 };
}

// An impulse through the centre turns nothing, but for the rounding of its arm.
static Part spin_part(const Body *b, const Ends *e, impVec3 torque, double h, const Ledger *l) {
    impVec3 L0 = spin_of(b, e->q0, e->v0);
    impVec3 L1 = spin_of(b, e->q1, e->v1);
    impVec3 change = sub(sub(L1, L0), l->angular_impulse);
    double arm = b->bounding_radius < HUGE_VAL ? b->bounding_radius : 0;
    double rotated = h * norm(torque) + l->angular_sum + arm * l->impulse_sum;
    double rates = norm(rate_of(e->v0)) + norm(rate_of(e->v1)) + l->rate_sum;
    double off = norm(madd(change, -h, torque));
    double size = norm(L0) + norm(L1) + rotated;
    return (Part){ off, size, rounding_of_spin(b, rotated, rates) };
}

// Work of a force: F . dx exactly. That of a torque is known to second order only, and a body under
// one is not judged by its energy.
static Part energy_part(const impModel *m, const Body *b, const Ends *e, impVec3 force,
                        const Ledger *l) {
    impVec3 x0 = linear_of(e->q0);
    impVec3 x1 = linear_of(e->q1);
    impVec3 u0 = linear_of(e->v0);
    impVec3 u1 = linear_of(e->v1);
    double e0 = free_energy(m, b, e->q0, e->v0);
    double e1 = free_energy(m, b, e->q1, e->v1);
    double kinetic = kinetic_energy(b, e->q0, e->v0) + kinetic_energy(b, e->q1, e->v1);
    double weight = b->mass * norm(m->gravity);
    double size = fabs(e0) + fabs(e1) + b->mass * (dot(u0, u0) + dot(u1, u1)) +
                  weight * (norm(x0) + norm(x1)) + l->energy_sum;
    double off = e1 - e0 - dot(force, sub(x1, x0)) - l->energy;
    return (Part){ off, size, rounding_of_energy(b, kinetic + l->kinetic_sum) };
}

#define UNIT 1e-12  // how far the length of a quaternion may be off 1

// Of all bodies the worst, with its own limit; of equals the widest.
static void measure(double *worst, double *limit, double off, double most) {
    if (off < *worst || (off == *worst && most <= *limit)) return;
    *worst = off;
    *limit = most;
}

bool motion_judge(const impModel *m, const double *before, const double *after, const double *input,
                  const Ledger *ledger, double tolerance, impCertificate *out,
                  impCertificate *limit, Fault *first) {
    double h = after[m->layout.time] - before[m->layout.time];
    bool good = true;
    Ledger empty;
    memset(&empty, 0, sizeof empty);
    *first = (Fault){ 0 };
    limit->energy = limit->momentum = limit->spin = limit->quaternion = 0;
    for (int i = 0; i < m->sizes.nfree; i++) {
        const Body *b = &m->body[m->free_body[i]];
        const int q = m->layout.q + b->q;
        const int v = m->layout.v + b->v;
        const Ends ends = { before + q, before + v, after + q, after + v };
        const Ledger *l = ledger ? &ledger[i] : &empty;
        impVec3 force = vec(0, 0, 0);
        impVec3 torque = vec(0, 0, 0);
        if (input) {
            force = vec(input[b->v], input[b->v + 1], input[b->v + 2]);
        }
        if (input) {
            torque = vec(input[b->v + 3], input[b->v + 4], input[b->v + 5]);
        }
        Part p = momentum_part(m, b, &ends, force, h, l);
        Part s = spin_part(b, &ends, torque, h, l);
        Part e = energy_part(m, b, &ends, force, l);
        double most_p = limit_of(p, tolerance);
        double most_s = limit_of(s, tolerance);
        double most_e = limit_of(e, tolerance);
        double length = fabs(qnorm(quat(ends.q1[3], ends.q1[4], ends.q1[5], ends.q1[6])) - 1);
        if (!zero3(torque)) {
            e.off = 0;
        }

        // the worst of all bodies, and the first that is beyond its limit
        out->energy += e.off;
        limit->energy += most_e;
        measure(&out->momentum, &limit->momentum, p.off, most_p);
        measure(&out->spin, &limit->spin, s.off, most_s);
        measure(&out->quaternion, &limit->quaternion, length, UNIT);
        int body = m->free_body[i];
        good = within(first, body, "energy", " J", e.off, most_e) && good;
        good = within(first, body, "momentum", " N s", p.off, most_p) && good;
        good = within(first, body, "spin", " N m s", s.off, most_s) && good;
        good = within(first, body, "quaternion", "", length, UNIT) && good;
    }
    return good;
}

bool motion_finite(const impModel *m, const double *state, int *where) {
    int used = (int)model_state_used(m, state);
    for (int i = 0; i < used; i++) {
        if (isfinite(state[i])) continue;
        *where = i;
        return false;
    }
    return true;
}
