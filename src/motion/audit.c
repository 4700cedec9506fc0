// audit.c -- energy, momentum and angular momentum, and how well a step of free motion kept them.
//
// Sums run over the bodies in their order. Potential energy is -m g . x, zero at the origin. The judge compares before and
// after by the laws themselves and knows nothing of how the step was made (reliability.md 4.1, C2-C4).
//
// SPDX-License-Identifier: MIT
#include "motion/motion.h"

#include <string.h>

static impVec3 spin_of(const Body *b, const double *q, const double *v) {   // J w in the world
    impQuat turn = quat(q[3], q[4], q[5], q[6]);
    return rotate(turn, mul(b->inertia, unrotate(turn, vec(v[3], v[4], v[5]))));
}

impEnergy motion_energy(const impModel *m, const double *state) {
    impEnergy e = { 0, 0 };
    for (int i = 1; i < m->body_count; i++) {
        const Body *b = &m->body[i];
        if (b->role != IMP_DYNAMIC) continue;
        impTwist t = motion_twist(m, state, i);
        impPose p = motion_pose(m, state, i);
        impVec3 wb = unrotate(p.turn, t.angular);
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
        impVec3 own = rotate(p.turn, mul(b->inertia, unrotate(p.turn, t.angular))), x = place(p, b->center);
        sum.linear = madd(sum.linear, b->mass, t.linear);
        sum.angular = add(sum.angular, add(own, scale(b->mass, cross(x, t.linear))));
    }
    return sum;
}

static double free_energy(const impModel *m, const Body *b, const double *q, const double *v) {
    impVec3 x = vec(q[0], q[1], q[2]), u = vec(v[0], v[1], v[2]), w = vec(v[3], v[4], v[5]);
    return 0.5 * (b->mass * dot(u, u) + dot(w, spin_of(b, q, v))) - b->mass * dot(m->gravity, x);
}

typedef struct Part { double off, of; } Part;                  // what is unexplained, and the size of what it is part of

// One line of the verdict; false: it is beyond its limit, as a NaN is. The first that is beyond is kept.
static bool within(Fault *first, int body, const char *of, const char *unit, double off, double limit) {
    if (fabs(off) <= limit) return true;
    if (!first->of) *first = (Fault){ body, of, unit, off, limit };
    return false;
}

static Part momentum_part(const impModel *m, const Body *b, impVec3 v0, impVec3 v1, impVec3 force, double h,
                          const Ledger *l) {
    impVec3 pull = madd(force, b->mass, m->gravity), change = sub(scale(b->mass, sub(v1, v0)), l->impulse);
    return (Part){ norm(madd(change, -h, pull)), b->mass * (norm(v0) + norm(v1)) + h * norm(pull) + l->pushed };
}

// An impulse through the centre turns nothing, but for the rounding of its arm.
static Part spin_part(const Body *b, impVec3 L0, impVec3 L1, impVec3 torque, double h, const Ledger *l) {
    impVec3 change = sub(sub(L1, L0), l->turn);
    double arm = b->reach < HUGE_VAL ? b->reach : 0;
    return (Part){ norm(madd(change, -h, torque)), norm(L0) + norm(L1) + h * norm(torque) + l->turned + arm * l->pushed };
}

// Work of a force: F . dx exactly. That of a torque is known to second order only, and a body under one is not judged by
// its energy.
static Part energy_part(const impModel *m, const Body *b, const double *q0, const double *v0, const double *q1,
                        const double *v1, impVec3 force, const Ledger *l) {
    impVec3 x0 = vec(q0[0], q0[1], q0[2]), x1 = vec(q1[0], q1[1], q1[2]);
    double e0 = free_energy(m, b, q0, v0), e1 = free_energy(m, b, q1, v1), weight = b->mass * norm(m->gravity);
    impVec3 u0 = vec(v0[0], v0[1], v0[2]), u1 = vec(v1[0], v1[1], v1[2]);
    return (Part){ e1 - e0 - dot(force, sub(x1, x0)) - l->energy,
                   fabs(e0) + fabs(e1) + b->mass * (dot(u0, u0) + dot(u1, u1)) + weight * (norm(x0) + norm(x1)) + l->traded };
}

#define UNIT 1e-12                            // how far the length of a quaternion may be off 1

// Of all bodies the worst, with its own limit; of equals the widest.
static void measure(double *worst, double *limit, double off, double most) {
    if (off < *worst || (off == *worst && most <= *limit)) return;
    *worst = off, *limit = most;
}

bool motion_judge(const impModel *m, const double *before, const double *after, const double *input,
                  const Ledger *books, double tolerance, impCertificate *out, impCertificate *limit, Fault *first) {
    double h = after[m->layout.time] - before[m->layout.time];
    bool good = true;
    Ledger empty;
    memset(&empty, 0, sizeof empty);
    *first = (Fault){ 0 };
    limit->energy = limit->momentum = limit->spin = limit->quaternion = 0;
    for (int i = 0; i < m->sizes.nfree; i++) {
        const Body *b = &m->body[m->free_body[i]];
        const double *q0 = before + m->layout.q + b->q, *v0 = before + m->layout.v + b->v;
        const double *q1 = after + m->layout.q + b->q, *v1 = after + m->layout.v + b->v;
        const Ledger *l = books ? &books[i] : &empty;
        impVec3 force = vec(0, 0, 0), torque = vec(0, 0, 0);
        if (input) force = vec(input[b->v], input[b->v + 1], input[b->v + 2]);
        if (input) torque = vec(input[b->v + 3], input[b->v + 4], input[b->v + 5]);
        Part p = momentum_part(m, b, vec(v0[0], v0[1], v0[2]), vec(v1[0], v1[1], v1[2]), force, h, l);
        Part s = spin_part(b, spin_of(b, q0, v0), spin_of(b, q1, v1), torque, h, l);
        Part e = energy_part(m, b, q0, v0, q1, v1, force, l);
        double length = fabs(qnorm(quat(q1[3], q1[4], q1[5], q1[6])) - 1);
        if (!zero3(torque)) e.off = 0;
        out->energy += e.off, limit->energy += tolerance * e.of;
        measure(&out->momentum, &limit->momentum, p.off, tolerance * p.of);
        measure(&out->spin, &limit->spin, s.off, tolerance * s.of);
        measure(&out->quaternion, &limit->quaternion, length, UNIT);
        int body = m->free_body[i];
        good = within(first, body, "energy", " J", e.off, tolerance * e.of) && good;
        good = within(first, body, "momentum", " N s", p.off, tolerance * p.of) && good;
        good = within(first, body, "spin", " N m s", s.off, tolerance * s.of) && good;
        good = within(first, body, "quaternion", "", length, UNIT) && good;
    }
    return good;
}

bool motion_finite(const impModel *m, const double *state, int *where) {
    for (int i = 0; i < m->layout.total; i++) {
        if (isfinite(state[i])) continue;
        *where = i;
        return false;
    }
    return true;
}
