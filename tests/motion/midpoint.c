// midpoint.c -- the midpoint rule with Cayley's map: its order, what it keeps, and the heavy top
// (docs/theory/free-flight.md).
//
// The top stands on a fixed point, which needs a ball joint in a scene; here its motion about the
// point is integrated as a rotation with the inertia about that point and gravity's torque, kick by
// kick, with either drift.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "motion/motion.h"

static Body body_of(double a, double b, double c) {
    Body body = { .mass = 1,
                  .inertia = mat3_diagonal(a, b, c),
                  .inertia_inverse = mat3_diagonal(1 / a, 1 / b, 1 / c),
                  .moments = { a, b, c },
                  .axes = { 1, 0, 0, 0 } };
    return body;
}

static impVec3 momentum_of(const Body *b, impQuat q, impVec3 w) {
    return rotate(q, mul(b->inertia, unrotate(q, w)));
}

static void keeps_energy_and_momentum(void **state) {
    (void)state;
    Body b = body_of(1, 0.8, 0.5);
    impQuat q = quat(0.5, 0.5, 0.5, -0.5);
    impVec3 w = vec(1, -2, 0.7);
    impVec3 before = momentum_of(&b, q, w);
    double energy = dot(w, before);
    for (int i = 0; i < 20000; i++) {
        motion_midpoint(&b, &q, &w, 0.03);
    }
    // in space, not only its size
    NEAR(norm(sub(momentum_of(&b, q, w), before)), 0, 1e-12);
    NEAR(dot(w, momentum_of(&b, q, w)), energy, 1e-12);
}

static double error_at(double h) {
    Body b = body_of(1, 0.8, 0.5);
    impQuat q0 = quat(1, 0, 0, 0);
    impQuat q = q0;
    impQuat exact;
    impVec3 w0 = vec(1, -2, 0.7);
    impVec3 w = w0;
    impVec3 w_exact;
    int steps = (int)(2 / h + 0.5);
    for (int i = 0; i < steps; i++) {
        motion_midpoint(&b, &q, &w, h);
    }
    Spin s = motion_spin(b.moments, b.axes, q0, w0);
    motion_spin_at(&s, 2, &exact, &w_exact);
    return norm(sub(rotate(q, vec(1, 2, 3)), rotate(exact, vec(1, 2, 3)))) + norm(sub(w, w_exact));
}

static void is_of_second_order(void **state) {
    (void)state;
    double coarse = error_at(0.01);
    double fine = error_at(0.005);
    double finest = error_at(0.0025);
    NEAR(log(coarse / fine) / log(2), 2, 0.02);
    NEAR(log(fine / finest) / log(2), 2, 0.02);
}

// --- the heavy top, cuspidal: m = 0.5, l = 0.1, I1 = 0.0066 about the point
typedef struct HeavyTop {
    impQuat q;
    impVec3 w;
} HeavyTop;

static impVec3 gravity_torque(impQuat q) {
    return cross(scale(0.1, rotate(q, vec(0, 0, 1))), vec(0, 0, -0.5 * 9.81));
}

static void kick(const Body *b, HeavyTop *t, double h) {
    t->w = add(t->w, rotate(t->q, mul(b->inertia_inverse,
                                      unrotate(t->q, scale(h, gravity_torque(t->q))))));
}

static HeavyTop spin_up(double T, int steps, bool exact) {
    Body b = body_of(0.0066, 0.0066, 0.0008);
    HeavyTop t = { quat_rotation(vec(1, 0, 0), 0.5), { 0, 0, 0 } };
    double h = T / steps;
    t.w = rotate(t.q, vec(0, 0, 200));
    for (int i = 0; i < steps; i++) {
        kick(&b, &t, 0.5 * h);
        if (exact) {
            Spin s = motion_spin(b.moments, b.axes, t.q, t.w);
            motion_spin_at(&s, h, &t.q, &t.w);
        } else {
            motion_midpoint(&b, &t.q, &t.w, h);
        }
        kick(&b, &t, 0.5 * h);
    }
    return t;
}

static double nutation(HeavyTop t) { return acos(rotate(t.q, vec(0, 0, 1)).z); }
// of the figure axis about the vertical, from where it started
static double precession(HeavyTop t) {
    impVec3 e = rotate(t.q, vec(0, 0, 1));
    return atan2(e.x, -e.y);
}

// phi(2) = 6.957212 and theta between 0.5 and 0.6799672, to 1e-5 rad.
static void heavy_top_c7(void **state) {
    (void)state;
    HeavyTop a = spin_up(2, 20000, true);
    HeavyTop b = spin_up(2, 40000, false);
    double phi = 6.957212 - 2 * PI;
    NEAR(precession(a), phi, 1e-5);
    NEAR(precession(b), phi, 2e-4);
    // half a nutation: the lowest point
    HeavyTop half = spin_up(0.1681541565914698, 2000, true);
    NEAR(nutation(half), 0.6799671991973011, 1e-6);
    NEAR(nutation(spin_up(2 * 0.1681541565914698, 4000, true)), 0.5, 1e-6);
}

// With the drift exact, only the kicks err: the same step is far more accurate than with the
// midpoint drift.
static void exact_drift_is_the_better_one(void **state) {
    (void)state;
    double phi = 6.957212 - 2 * PI;
    double with_exact = fabs(precession(spin_up(2, 4000, true)) - phi);
    double with_midpoint = fabs(precession(spin_up(2, 4000, false)) - phi);
    assert_true(with_exact < 0.1 * with_midpoint);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_energy_and_momentum),
        cmocka_unit_test(is_of_second_order),
        cmocka_unit_test(heavy_top_c7),
        cmocka_unit_test(exact_drift_is_the_better_one),
    };
    return RUN(tests);
}
