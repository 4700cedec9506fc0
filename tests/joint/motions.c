// motions.c -- prescribed motions: position and velocity agree, and no point outruns its bound.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "joint/joint.h"

static uint64_t draws;
static double uniform(double low, double high) {
    return low + (high - low) * num_uniform(20260102, 2, draws++);
}

// one draw a declarator: arguments and initializers are evaluated in any order
static impVec3 any_vec(void) {
    double x = uniform(-1, 1);
    double y = uniform(-1, 1);
    double z = uniform(-1, 1);
    return vec(x, y, z);
}

static Motion any_motion(int i) {
    impVec3 axis = any_vec();
    axis = scale(1 / norm(axis), axis);
    if (i % 2)
        return (Motion){ .kind = motion_find("spin"), .axis = axis, .rate = uniform(-20, 20) };
    Motion m = { .kind = motion_find("vibrate"), .axis = axis };
    m.angle = uniform(-0.5, 0.5);
    m.frequency = uniform(0, 30);
    m.amplitude = any_vec();
    m.phase = uniform(-4, 4);
    m.rotation_frequency = uniform(0, 30);
    m.rotation_phase = uniform(-4, 4);
    return m;
}

static Motion any_translation(void) {
    return (Motion){ .kind = motion_find("translate"), .velocity = any_vec() };
}

static void velocity_is_the_rate_of_the_position(void **state) {
    (void)state;
    const double h = 1e-6;
    for (int i = 0; i < 300; i++) {
        Motion m = i < 200 ? any_motion(i) : any_translation();
        const MotionKind *k = &motion_kinds[m.kind];
        double t = uniform(0, 100);
        MotionSample a = k->sample(&m, t - h);
        MotionSample b = k->sample(&m, t);
        MotionSample c = k->sample(&m, t + h);
        impQuat d = qmul(c.rotation, conjugate(a.rotation));
        NEAR(norm(sub(scale(0.5 / h, sub(c.shift, a.shift)), b.twist.linear)), 0, 3e-5);
        NEAR(norm(sub(scale(1 / h, vec(d.x, d.y, d.z)), b.twist.angular)), 0, 3e-5);
    }
}

static void no_point_outruns_its_bound(void **state) {
    (void)state;
    double tightest = HUGE_VAL;
    for (int i = 0; i < 6000; i++) {
        Motion m = i < 5000 ? any_motion(i) : any_translation();
        const MotionKind *k = &motion_kinds[m.kind];
        impVec3 p = any_vec();
        impVec3 n = any_vec();
        n = scale(1 / norm(n), n);
        double t = uniform(0, 10);
        double T = uniform(0, 0.3);
        double arm = norm(cross(m.axis, p));
        MotionSample a = k->sample(&m, t);
        MotionSample b = k->sample(&m, t + T);
        double way = fabs(
            dot(n, sub(add(b.shift, rotate(b.rotation, p)), add(a.shift, rotate(a.rotation, p)))));
        double bound = k->shift(&m, n, T) + arm * norm(cross(m.axis, n)) * k->rotation(&m, T);
        assert_true(way <= bound * (1 + 1e-12) + 1e-15);
        tightest = fmin(tightest, bound / (way + 1e-300));
    }
    // and it is reached: the bound is not idle
    assert_true(tightest < 1.01);
}

// Of one motion or several, now and then with one that goes straight on, which adds nothing: |w|,
// |dw/dt|, the axis where there is one, and the acceleration of the origin.
static void accelerations_stay_within_their_bounds(void **state) {
    (void)state;
    const double h = 1e-6;
    double most_w = 0;
    double most_change = 0;
    double most_pull = 0;
    double most_of_two = 0;
    for (int i = 0; i < 20000; i++) {
        Motion list[4];
        list[0] = any_motion(i);
        list[1] = any_motion(i / 2);
        list[2] = any_motion(i / 4);
        int count = 1 + i % 3;
        if (i % 5 == 0) {
            list[1].axis = list[2].axis = list[0].axis;
        }
        bool fixed = count == 1 || i % 5 == 0;
        if (i % 7 == 0) {
            list[count++] = any_translation();
        }
        MotionTurning all = motion_turning(list, count);
        double t = uniform(0, 10);
        impVec3 n = any_vec();
        n = scale(1 / norm(n), n);
        MotionSample a = motion_sample(list, count, t - h);
        MotionSample b = motion_sample(list, count, t);
        MotionSample c = motion_sample(list, count, t + h);
        double w = norm(b.twist.angular);
        double change = 0.5 * norm(sub(c.twist.angular, a.twist.angular)) / h;
        double pulled = 0.5 * fabs(dot(n, sub(c.twist.linear, a.twist.linear))) / h;
        double pull = motion_pull(list, count, n);
        assert_true(w <= all.w * (1 + 1e-12));
        assert_true(change <= all.w_change * (1 + 1e-6) + 1e-4);
        assert_true(pulled <= pull * (1 + 1e-6) + 1e-4);
        assert_int_equal(all.fixed, fixed);
        if (all.fixed) {
            assert_true(norm(cross(all.axis, b.twist.angular)) <= 1e-12 * all.w);
        }
        most_w = fmax(most_w, w / all.w);
        if (all.w_change > 1) {
            most_change = fmax(most_change, change / all.w_change);
        }
        if (all.w_change > 1 && !all.fixed) {
            most_of_two = fmax(most_of_two, change / all.w_change);
        }
        if (pull > 1) {
            most_pull = fmax(most_pull, pulled / pull);
        }
    }
    // they are reached
    assert_true(most_w > 0.99 && most_change > 0.99 && most_pull > 0.99 && most_of_two > 0.9);
}

static void an_axis_along_the_normal_costs_nothing(void **state) {
    (void)state;
    Motion platter = { .kind = motion_find("spin"), .axis = { 0, 0, 1 }, .rate = 3 };
    NEAR(norm(cross(platter.axis, vec(0, 0, 1))) * motion_kinds[platter.kind].rotation(&platter, 5),
         0, 0);
}

// After a day of 50 Hz the phase is as good as in the first second.
static void a_day_does_not_wear_the_phase(void **state) {
    (void)state;
    Motion tray = { .kind = motion_find("vibrate"),
                    .amplitude = { 1, 0, 0 },
                    .frequency = 50,
                    .phase = 0.3,
                    .axis = { 0, 0, 1 } };
    double day = 86400;
    double early = motion_kinds[tray.kind].sample(&tray, 0.0078125).shift.x;
    NEAR(motion_kinds[tray.kind].sample(&tray, day + 0.0078125).shift.x, early, 1e-15);
}

// However far it has gone, it is where it should be to the last bit, and no bound ends.
static void what_goes_straight_on_never_stops(void **state) {
    (void)state;
    Motion wall = { .kind = motion_find("translate"), .velocity = { 0.3, 0, -2 } };
    const MotionKind *k = &motion_kinds[wall.kind];
    for (double t = 1e-3; t < 1e12; t *= 10) {
        SAME_BITS(k->sample(&wall, t).shift.x, 0.3 * t);
        SAME_BITS(k->sample(&wall, t).twist.linear.z, -2);
        NEAR(k->shift(&wall, vec(0, 0, 1), t), 2 * t, 0);
        NEAR(k->shift(&wall, vec(0, 1, 0), t), 0, 0);
    }
}

static void bad_motions_are_refused(void **state) {
    (void)state;
    impError err = { 0 };
    impMotionDef spin = { .kind = "spin", .rate = 1 };
    impMotionDef vibrate = { .kind = "vibrate", .frequency = -2 };
    assert_false(motion_kinds[motion_find("spin")].check(&spin, (Where){ "a.json", 3, 4 },
                                                         "body 'p'", &err));
    SAME_TEXT(err.message[0].text, "body 'p': spin axis [0, 0, 0]; it must have a direction");
    assert_false(motion_kinds[motion_find("vibrate")].check(&vibrate, (Where){ "a.json", 3, 4 },
                                                            "body 'p'", &err));
    SAME_TEXT(err.message[1].text, "body 'p': frequency -2 Hz; it must be from 0 to 1e9");
    spin.axis = vec(0, 0, 1);
    spin.rate = NAN;
    assert_false(
        motion_kinds[motion_find("spin")].check(&spin, (Where){ NULL, 0, 0 }, "body 'p'", &err));
    spin.rate = 1e9;
    assert_false(
        motion_kinds[motion_find("spin")].check(&spin, (Where){ NULL, 0, 0 }, "body 'p'", &err));
    SAME_TEXT(err.message[3].text,
              "body 'p': spin rate in rad/s 1000000000; its size must be at most 100000000");
    vibrate.frequency = 1e6;
    vibrate.amplitude = vec(0, 0, 100);
    assert_false(motion_kinds[motion_find("vibrate")].check(&vibrate, (Where){ NULL, 0, 0 },
                                                            "body 'p'", &err));
    impMotionDef translate = { .kind = "translate", .velocity = { 0, NAN, 0 } };
    assert_false(motion_kinds[motion_find("translate")].check(&translate, (Where){ NULL, 0, 0 },
                                                              "body 'p'", &err));
    SAME_TEXT(
        err.message[5].text,
        "body 'p': translation with a velocity that is not finite; each part must be a number");
    translate.velocity = vec(0, 0, -1e9);
    assert_false(motion_kinds[motion_find("translate")].check(&translate, (Where){ NULL, 0, 0 },
                                                              "body 'p'", &err));
    SAME_TEXT(err.message[6].text,
              "body 'p': velocity in m/s 1000000000; its size must be at most 100000000");
    assert_int_equal(motion_find("wobble"), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocity_is_the_rate_of_the_position),
        cmocka_unit_test(no_point_outruns_its_bound),
        cmocka_unit_test(accelerations_stay_within_their_bounds),
        cmocka_unit_test(an_axis_along_the_normal_costs_nothing),
        cmocka_unit_test(a_day_does_not_wear_the_phase),
        cmocka_unit_test(what_goes_straight_on_never_stops),
        cmocka_unit_test(bad_motions_are_refused),
    };
    return RUN(tests);
}
