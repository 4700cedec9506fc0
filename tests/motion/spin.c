// spin.c -- the exact rotation: against an independent integration, and against the laws it must
// obey.
//
// The reference is classical Runge-Kutta in long double with small steps, which knows nothing of
// elliptic functions.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "motion/spin.h"

static uint64_t draws;
static double uniform(double low, double high) {
    return low + (high - low) * num_uniform(20260101, 1, draws++);
}

// body rates
typedef struct Top {
    long double q[4], w[3];
} Top;

static Top slope(const double *I, const Top *s) {
    const long double *q = s->q;
    const long double *w = s->w;
    return (Top){ { 0.5L * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]),
                    0.5L * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]),
                    0.5L * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]),
                    0.5L * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]) },
                  { ((long double)I[1] - I[2]) / I[0] * w[1] * w[2],
                    ((long double)I[2] - I[0]) / I[1] * w[2] * w[0],
                    ((long double)I[0] - I[1]) / I[2] * w[0] * w[1] } };
}

static Top shift(Top a, long double h, const Top *b) {
    for (int i = 0; i < 4; i++) {
        a.q[i] += h * b->q[i];
    }
    for (int i = 0; i < 3; i++) {
        a.w[i] += h * b->w[i];
    }
    return a;
}

static Top integrate(const double *I, Top s, double T, int steps) {
    long double h = (long double)T / steps;
    for (int i = 0; i < steps; i++) {
        Top a = slope(I, &s);
        Top x = shift(s, h / 2, &a);
        Top b = slope(I, &x);
        x = shift(s, h / 2, &b);
        Top c = slope(I, &x);
        x = shift(s, h, &c);
        Top d = slope(I, &x);
        s = shift(shift(shift(shift(s, h / 6, &a), h / 3, &b), h / 3, &c), h / 6, &d);
    }
    return s;
}

// up to the sign
static double q_off(impQuat q, const long double *p) {
    double values[4] = { q.w, q.x, q.y, q.z };
    double plus = 0;
    double minus = 0;
    for (int i = 0; i < 4; i++) {
        plus = fmax(plus, fabs(values[i] - (double)p[i]));
        minus = fmax(minus, fabs(values[i] + (double)p[i]));
    }
    return fmin(plus, minus);
}

static void random_moments(double I[3]) {
    do {
        for (int i = 0; i < 3; i++) {
            I[i] = uniform(0.2, 1.2);
        }
    } while (I[0] + I[1] < I[2] || I[0] + I[2] < I[1] || I[1] + I[2] < I[0]);
}

// One draw a declarator: arguments are evaluated in any order.
static impVec3 within(double low, double high) {
    double x = uniform(low, high);
    double y = uniform(low, high);
    double z = uniform(low, high);
    return vec(x, y, z);
}
static impQuat random_turn(void) {
    impVec3 u = within(0, 1);
    return num_random_rotation(u.x, u.y, u.z);
}
static const impQuat identity = { 1, 0, 0, 0 };

static void compare(const double I[3], impVec3 wb, double T, int steps, double allowed) {
    impQuat q0 = random_turn();
    impQuat q;
    impVec3 w;
    Spin s = motion_spin(I, identity, q0, rotate(q0, wb));
    Top reference = integrate(I, (Top){ { q0.w, q0.x, q0.y, q0.z }, { wb.x, wb.y, wb.z } }, T,
                              steps);
    motion_spin_at(&s, T, &q, &w);
    impVec3 b = unrotate(q, w);
    NEAR(q_off(q, reference.q), 0, allowed);
    NEAR(b.x, (double)reference.w[0], allowed);
    NEAR(b.y, (double)reference.w[1], allowed);
    NEAR(b.z, (double)reference.w[2], allowed);
}

static void random_bodies(void **state) {
    (void)state;
    for (int i = 0; i < 60; i++) {
        double I[3];
        random_moments(I);
        impVec3 w = within(-2, 2);
        compare(I, w, uniform(1, 6), 6000, 1e-11);
    }
}

static void nearly_symmetric_bodies(void **state) {
    (void)state;
    for (int i = 0; i < 30; i++) {
        double I[3];
        random_moments(I);
        int a = i % 3;
        int b = (i + 1) % 3;
        I[b] = I[a] * (1 + (i % 2 ? 1 : -1) * pow(10, -2 - i % 14));
        if (I[0] + I[1] < I[2] || I[0] + I[2] < I[1] || I[1] + I[2] < I[0]) continue;
        impVec3 w = within(-2, 2);
        compare(I, w, uniform(1, 5), 6000, 1e-11);
    }
}

// Near the separatrix the motion itself multiplies errors by exp(k t): the allowance is for the
// reference's rounding.
static void near_the_middle_axis(void **state) {
    (void)state;
    for (int i = 0; i < 12; i++) {
        double I[3] = { 1, 0.8, 0.5 };
        double tiny = pow(10, -1 - i % 6);
        double x = tiny * uniform(-1, 1);
        double z = tiny * uniform(-1, 1);
        compare(I, vec(x, 3, z), 4, 8000, 1e-12 / tiny);
    }
}

static void near_steady_spin(void **state) {
    (void)state;
    for (int i = 0; i < 24; i++) {
        double I[3] = { 1, 0.8, 0.5 };
        double tiny = pow(10, -i);
        impVec3 wb = vec(tiny, -tiny, 2);
        if (i % 2) {
            wb = vec(2, tiny, tiny);
        }
        compare(I, wb, 5, 6000, 1e-12);
    }
}

// --- laws ----------------------------------------------------------------------------------------
static impVec3 momentum_of(const double I[3], impQuat q, impVec3 w) {
    impVec3 b = unrotate(q, w);
    return rotate(q, vec(I[0] * b.x, I[1] * b.y, I[2] * b.z));
}
static double energy_of(const double I[3], impQuat q, impVec3 w) {
    impVec3 b = unrotate(q, w);
    return I[0] * b.x * b.x + I[1] * b.y * b.y + I[2] * b.z * b.z;
}

static void energy_and_momentum_for_a_million_seconds(void **state) {
    (void)state;
    for (int i = 0; i < 300; i++) {
        double I[3];
        double t = i % 3 ? uniform(0, 1e6) : 1e6;
        random_moments(I);
        if (i % 5 == 1) {
            I[1] = I[0];
        }
        if (i % 5 == 2) {
            I[2] = I[1] = I[0];
        }
        impQuat q0 = random_turn();
        impQuat axes = i % 2 ? random_turn() : identity;
        impQuat q;
        impVec3 wb = within(-2, 2);
        impVec3 w0 = rotate(qmul(q0, axes), wb);
        impVec3 w;
        Spin s = motion_spin(I, axes, q0, w0);
        motion_spin_at(&s, t, &q, &w);
        impVec3 before = momentum_of(I, qmul(q0, axes), w0);
        impVec3 after = momentum_of(I, qmul(q, axes), w);
        NEAR(norm(sub(after, before)) / norm(before), 0, 3e-14);
        NEAR(energy_of(I, qmul(q, axes), w) / energy_of(I, qmul(q0, axes), w0), 1, 3e-14);
        NEAR(qnorm(q), 1, 3e-16);
    }
}

static void flight_goes_on_from_any_moment(void **state) {
    (void)state;
    for (int i = 0; i < 200; i++) {
        double I[3];
        double t1 = uniform(-5, 5);
        double t2 = uniform(-5, 5);
        random_moments(I);
        if (i % 4 == 1) {
            I[2] = I[1];
        }
        impQuat q0 = random_turn();
        impQuat q1;
        impQuat q2;
        impQuat q3;
        impVec3 w0 = within(-2, 2);
        impVec3 w1;
        impVec3 w2;
        impVec3 w3;
        Spin s = motion_spin(I, identity, q0, w0);
        motion_spin_at(&s, t1, &q1, &w1);
        motion_spin_at(&s, t1 + t2, &q2, &w2);
        Spin later = motion_spin(I, identity, q1, w1);
        motion_spin_at(&later, t2, &q3, &w3);
        NEAR(norm(sub(w2, w3)), 0, 1e-11);
        NEAR(fabs(q2.w * q3.w + q2.x * q3.x + q2.y * q3.y + q2.z * q3.z), 1, 1e-14);
    }
}

static void time_runs_back(void **state) {
    (void)state;
    for (int i = 0; i < 100; i++) {
        double I[3];
        random_moments(I);
        impQuat q0 = random_turn();
        impQuat q1;
        impQuat q2;
        impVec3 w0 = within(-2, 2);
        impVec3 w1;
        impVec3 w2;
        Spin there = motion_spin(I, identity, q0, w0);
        motion_spin_at(&there, 3, &q1, &w1);
        Spin back = motion_spin(I, identity, q1, neg(w1));
        motion_spin_at(&back, 3, &q2, &w2);
        NEAR(norm(add(w2, w0)), 0, 1e-11);
        NEAR(norm(sub(rotate(q2, vec(1, 2, 3)), rotate(q0, vec(1, 2, 3)))), 0, 1e-11);
    }
}

// Each special formula is the limit of the general one: shrink the difference and watch the answers
// meet.
static void special_cases_join_the_general_one(void **state) {
    (void)state;
    impQuat q0 = quat(0.5, 0.5, -0.5, 0.5);
    impQuat q1;
    impQuat q2;
    impVec3 w0 = vec(0.3, -1.1, 2.3);
    impVec3 w1;
    impVec3 w2;
    for (double d = 1e-6; d > 1e-15; d *= 0.1) {
        double round[3] = { 1, 1, 0.7 };
        double almost[3] = { 1 + d, 1, 0.7 };
        double ball[3] = { 1, 1, 1 };
        double nearly[3] = { 1 + d, 1, 1 - d };
        Spin a = motion_spin(round, identity, q0, w0);
        Spin b = motion_spin(almost, identity, q0, w0);
        motion_spin_at(&a, 2, &q1, &w1);
        motion_spin_at(&b, 2, &q2, &w2);
        NEAR(norm(sub(w1, w2)), 0, 20 * d + 1e-13);
        a = motion_spin(ball, identity, q0, w0);
        b = motion_spin(nearly, identity, q0, w0);
        motion_spin_at(&a, 2, &q1, &w1);
        motion_spin_at(&b, 2, &q2, &w2);
        NEAR(norm(sub(w1, w2)), 0, 20 * d + 1e-13);
        NEAR(fabs(q1.w * q2.w + q1.x * q2.x + q1.y * q2.y + q1.z * q2.z), 1, 20 * d + 1e-13);
    }
}

// The two forms of the theta series meet where they change over, at m = 1/2.
static void both_theta_series_agree_at_the_change(void **state) {
    (void)state;
    double I[3] = { 1, 0.8, 0.5 };
    // body rate about the first axis that gives m = 1/2
    double low = 0.1;
    double high = 3;
    for (int i = 0; i < 200; i++) {
        double middle = 0.5 * (low + high);
        Spin s = motion_spin(I, identity, identity, vec(middle, 1.5, 0.4));
        if (s.front.hyperbolic) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Spin a = motion_spin(I, identity, identity, vec(low, 1.5, 0.4));
    Spin b = motion_spin(I, identity, identity, vec(high, 1.5, 0.4));
    assert_true(a.front.hyperbolic && !b.front.hyperbolic);
    for (double t = -9; t < 9; t += 0.37) {
        impQuat p, q;
        impVec3 w, u;
        motion_spin_at(&a, t, &p, &w);
        motion_spin_at(&b, t, &q, &u);
        NEAR(norm(sub(w, u)), 0, 1e-13);
        NEAR(fabs(p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z), 1, 1e-14);
    }
}

static void steady_rotations_stay(void **state) {
    (void)state;
    double I[3] = { 1, 0.8, 0.5 };
    impVec3 axes[] = { { 2, 0, 0 }, { 0, 2, 0 }, { 0, 0, -2 }, { 0, 0, 0 } };
    for (int i = 0; i < 4; i++) {
        impQuat q;
        impVec3 w;
        Spin s = motion_spin(I, identity, identity, axes[i]);
        motion_spin_at(&s, 1e3, &q, &w);
        assert_memory_equal(&w, &axes[i], sizeof w);
        NEAR(fabs(q.w), fabs(cos(norm(axes[i]) * 500)), 1e-13);
    }
}

// What does not turn has a formula of its own: the bits of the steady one, with a spin that is lost
// in its first square.
static void no_spin_is_a_steady_one(void **state) {
    (void)state;
    double I[3] = { 1, 0.8, 0.5 };
    for (int i = 0; i < 1000; i++) {
        impQuat q0 = random_turn();
        impQuat axes = i % 2 ? random_turn() : identity;
        impQuat q[2];
        impVec3 w;
        Spin none = motion_spin(I, axes, q0, vec(0, 0, 0));
        Spin hardly = motion_spin(I, axes, q0, vec(0, 0, 1e-320));
        motion_spin_at(&none, 0.1 * i, &q[0], &w);
        motion_spin_at(&hardly, 0.1 * i, &q[1], &w);
        assert_int_equal(none.front.kind, SPIN_NONE);
        assert_memory_equal(&q[0], &q[1], sizeof q[0]);
    }
}

// A rate that is nothing but rounding starts the flight within an ulp of a quarter turn of x, where
// theta1 changes sign.
static void a_flight_that_starts_at_a_quarter_turn_goes_on(void **state) {
    (void)state;
    for (int i = 0; i < 200000; i++) {
        double I[3], rate[3];
        random_moments(I);
        for (int k = 0; k < 3; k++) {
            rate[k] = uniform(-1, 1);
        }
        // 5e-15 to 6e-19
        rate[i % 3] = (i % 2 ? -1 : 1) * exp(-uniform(33, 42));
        impVec3 w0 = vec(rate[0], rate[1], rate[2]);
        Spin s = motion_spin(I, identity, identity, w0);
        double t = exp(-uniform(5, 40));
        impQuat q;
        impVec3 w;
        motion_spin_at(&s, t, &q, &w);
        double rotated = 2 * sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
        assert_true(rotated <= 1.1 * motion_spin_bound(I, w0) * t + 1e-14);
    }
}

static void tops_with_known_numbers(void **state) {
    (void)state;
    double brick[3] = { 0.010833333333333334, 0.008333333333333333, 0.0041666666666666675 };
    impQuat q;
    impVec3 w;
    // brick of docs/validation/cases.md
    Spin s = motion_spin(brick, identity, identity, vec(3, 1, 6));
    motion_spin_at(&s, 10, &q, &w);
    impVec3 b = unrotate(q, w);
    NEAR(b.x, -0.9610670362195373, 1e-12);
    NEAR(b.y, 4.218863391475895, 1e-12);
    NEAR(b.z, 4.837447029482404, 1e-12);
    NEAR(fabs(q.w), 0.7942741500, 1e-10);
}

// No speed on the way exceeds the bound, and somewhere it is reached: docs/theory/free-flight.md
// (11).
static void speed_bound_is_exact(void **state) {
    (void)state;
    for (int i = 0; i < 100; i++) {
        double I[3];
        double most = 0;
        random_moments(I);
        impVec3 wb = within(-2, 2);
        Spin s = motion_spin(I, identity, identity, wb);
        double bound = motion_spin_bound(I, wb);
        for (int k = 0; k < 4000; k++) {
            impQuat q;
            impVec3 w;
            motion_spin_at(&s, s.front.kind == SPIN_GENERAL ? k / 4000.0 / s.tumble.rate : k * 0.01,
                           &q, &w);
            most = fmax(most, norm(w));
        }
        assert_true(most <= bound);
        NEAR(most / bound, 1, 1e-5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_bodies),
        cmocka_unit_test(nearly_symmetric_bodies),
        cmocka_unit_test(near_the_middle_axis),
        cmocka_unit_test(near_steady_spin),
        cmocka_unit_test(energy_and_momentum_for_a_million_seconds),
        cmocka_unit_test(flight_goes_on_from_any_moment),
        cmocka_unit_test(time_runs_back),
        cmocka_unit_test(special_cases_join_the_general_one),
        cmocka_unit_test(both_theta_series_agree_at_the_change),
        cmocka_unit_test(steady_rotations_stay),
        cmocka_unit_test(no_spin_is_a_steady_one),
        cmocka_unit_test(a_flight_that_starts_at_a_quarter_turn_goes_on),
        cmocka_unit_test(tops_with_known_numbers),
        cmocka_unit_test(speed_bound_is_exact),
    };
    return RUN(tests);
}
