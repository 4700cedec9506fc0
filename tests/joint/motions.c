// motions.c -- prescribed motions: position and velocity agree, and no point outruns its bound (physics.md C.4).
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "joint/joint.h"

static uint64_t draws;
static double uniform(double low, double high) { return low + (high - low) * num_uniform(20260102, 2, draws++); }

static Motion any_motion(int i) {
    impVec3 axis = vec(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
    axis = scale(1 / norm(axis), axis);
    if (i % 2) return (Motion){ .kind = motion_find("spin"), .axis = axis, .rate = uniform(-20, 20) };
    return (Motion){ .kind = motion_find("vibrate"), .axis = axis, .angle = uniform(-0.5, 0.5), .frequency = uniform(0, 30),
                     .amplitude = vec(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)), .phase = uniform(-4, 4),
                     .turn_frequency = uniform(0, 30), .turn_phase = uniform(-4, 4) };
}

static void velocity_is_the_rate_of_the_position(void **state) {
    (void)state;
    const double h = 1e-6;
    for (int i = 0; i < 200; i++) {
        Motion m = any_motion(i);
        const MotionKind *k = &motion_kinds[m.kind];
        double t = uniform(0, 100);
        MotionSample a = k->sample(&m, t - h), b = k->sample(&m, t), c = k->sample(&m, t + h);
        impQuat d = qmul(c.turn, conjugate(a.turn));
        NEAR(norm(sub(scale(0.5 / h, sub(c.shift, a.shift)), b.twist.linear)), 0, 3e-5);
        NEAR(norm(sub(scale(1 / h, vec(d.x, d.y, d.z)), b.twist.angular)), 0, 3e-5);
    }
}

static void no_point_outruns_its_bound(void **state) {
    (void)state;
    double tightest = HUGE_VAL;
    for (int i = 0; i < 5000; i++) {
        Motion m = any_motion(i);
        const MotionKind *k = &motion_kinds[m.kind];
        impVec3 p = vec(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)), n = vec(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
        n = scale(1 / norm(n), n);
        double t = uniform(0, 10), T = uniform(0, 0.3), arm = norm(cross(m.axis, p));
        MotionSample a = k->sample(&m, t), b = k->sample(&m, t + T);
        double way = fabs(dot(n, sub(add(b.shift, rotate(b.turn, p)), add(a.shift, rotate(a.turn, p)))));
        double bound = k->shift(&m, n, T) + arm * norm(cross(m.axis, n)) * k->turn(&m, T);
        assert_true(way <= bound * (1 + 1e-12) + 1e-15);
        tightest = fmin(tightest, bound / (way + 1e-300));
    }
    assert_true(tightest < 1.01);                                  // and it is reached: the bound is not idle
}

static void an_axis_along_the_normal_costs_nothing(void **state) {
    (void)state;
    Motion platter = { .kind = motion_find("spin"), .axis = { 0, 0, 1 }, .rate = 3 };
    NEAR(norm(cross(platter.axis, vec(0, 0, 1))) * motion_kinds[platter.kind].turn(&platter, 5), 0, 0);
}

// After a day of 50 Hz the phase is as good as in the first second.
static void a_day_does_not_wear_the_phase(void **state) {
    (void)state;
    Motion tray = { .kind = motion_find("vibrate"), .amplitude = { 1, 0, 0 }, .frequency = 50, .phase = 0.3, .axis = { 0, 0, 1 } };
    double day = 86400, early = motion_kinds[tray.kind].sample(&tray, 0.0078125).shift.x;
    NEAR(motion_kinds[tray.kind].sample(&tray, day + 0.0078125).shift.x, early, 1e-15);
}

static void bad_motions_are_refused(void **state) {
    (void)state;
    impError err = { 0 };
    impMotionDef spin = { .kind = "spin", .rate = 1 }, vibrate = { .kind = "vibrate", .frequency = -2 };
    assert_false(motion_kinds[motion_find("spin")].check(&spin, (Where){ "a.json", 3, 4 }, "body 'p'", &err));
    SAME_TEXT(err.message[0].text, "body 'p': spin axis [0, 0, 0]; it must have a direction");
    assert_false(motion_kinds[motion_find("vibrate")].check(&vibrate, (Where){ "a.json", 3, 4 }, "body 'p'", &err));
    SAME_TEXT(err.message[1].text, "body 'p': frequency -2 Hz; it must be from 0 to 1e9");
    spin.axis = vec(0, 0, 1), spin.rate = NAN;
    assert_false(motion_kinds[motion_find("spin")].check(&spin, (Where){ NULL, 0, 0 }, "body 'p'", &err));
    spin.rate = 1e9;
    assert_false(motion_kinds[motion_find("spin")].check(&spin, (Where){ NULL, 0, 0 }, "body 'p'", &err));
    SAME_TEXT(err.message[3].text, "body 'p': spin rate in rad/s 1000000000; its size must be at most 100000000");
    vibrate.frequency = 1e6, vibrate.amplitude = vec(0, 0, 100);
    assert_false(motion_kinds[motion_find("vibrate")].check(&vibrate, (Where){ NULL, 0, 0 }, "body 'p'", &err));
    assert_int_equal(motion_find("wobble"), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocity_is_the_rate_of_the_position), cmocka_unit_test(no_point_outruns_its_bound),
        cmocka_unit_test(an_axis_along_the_normal_costs_nothing), cmocka_unit_test(a_day_does_not_wear_the_phase),
        cmocka_unit_test(bad_motions_are_refused),
    };
    return RUN(tests);
}
