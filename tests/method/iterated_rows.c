// iterated_rows.c -- lasting contacts of the method `iterated`: friction that holds, slides and
// starts to slide; stacks.
//
// SPDX-License-Identifier: MIT
#include "iterated_support.h"

#define H (1. / 60)
static const double g = 9.81;

static Trial block_on_ground(impVec3 gravity, double friction_static, double friction_dynamic,
                             impVec3 v) {
    impScene *scene = iterated_scene(gravity, friction_static, friction_dynamic, 0);
    iterated_plane(scene);
    iterated_box(scene, vec(0.2, 0.2, 0.1), iterated_at(0, 0, 0.05), (impTwist){ v, vec(0, 0, 0) },
                 2);
    return iterated_trial_of(scene);
}

// The ground is the slope, and gravity is inclined: tan(angle) = part * friction.
static void check_slope(double part, double h) {
    const double friction = 0.5;
    double t = part * friction;
    double cosine = 1 / sqrt(1 + t * t);
    impVec3 gravity = vec(g * t * cosine, 0, -g * cosine);
    Trial block = block_on_ground(gravity, friction, friction, vec(0, 0, 0));
    for (int i = 0; i < (int)(10 / h + 0.5); i++) {
        iterated_step(&block, NULL, h);
    }
    double moved = trial_at(&block, 2).x;
    if (part < 1) {
        NEAR(moved, 0, 1e-6);
    } else {
        double expected = 0.5 * (gravity.x + friction * gravity.z) * 100;
        NEAR(moved / expected, 1, 1e-4);
    }
    trial_free(&block);
}

static void a_block_on_a_slope_does_not_creep(void **state) {
    (void)state;
    check_slope(0.5, H);
    check_slope(0.9, H);
    check_slope(0.99, H);
    check_slope(0.99, 1. / 240);
}
static void a_block_on_a_steep_slope_slides(void **state) {
    (void)state;
    check_slope(1.01, H);
    check_slope(1.2, H);
}

// Pushed to and fro below the limit, which wakes it again and again, a block creeps no farther than
// the solver's tolerance allows.
static void a_block_that_is_pushed_to_and_fro_stays(void **state) {
    (void)state;
    Trial t = block_on_ground(vec(0, 0, -g), 0.5, 0.5, vec(0, 0, 0));
    for (int i = 0; i < 600; i++) {
        double input[6] = { i % 2 ? 7 : -7, i % 3 ? 3 : -3 };
        iterated_step(&t, input, H);
    }
    NEAR(norm(vec(trial_at(&t, 2).x, trial_at(&t, 2).y, 0)), 0, 1e-6);
    trial_free(&t);
}

// Distance until a sliding block stops: v^2 / (2 mu g). Its end within the step is not resolved.
static void check_stopping(double v, double h, double tolerance) {
    Trial t = block_on_ground(vec(0, 0, -g), 0.5, 0.5, vec(v * 0.6, v * 0.8, 0));
    for (int i = 0; i < (int)(1.2 / h); i++) {
        iterated_step(&t, NULL, h);
    }
    impVec3 at = trial_at(&t, 2);
    double expected = v * v / (2 * 0.5 * g);
    NEAR(norm(vec(at.x, at.y, 0)) / expected, 1, tolerance);
    NEAR(at.y / at.x, 0.8 / 0.6, 1e-3);
    NEAR(norm(trial_twist(&t, 2).linear), 0, 1e-6);
    trial_free(&t);
}

static void a_sliding_block_stops_where_it_must(void **state) {
    (void)state;
    const double speeds[] = { 3.7, 4, 4.13 };
    for (int i = 0; i < COUNT(speeds); i++) {
        check_stopping(speeds[i], 1. / 60, 1e-3);
        check_stopping(speeds[i], 1. / 240, 1e-4);
    }
}

// Static friction holds a pull at which dynamic friction would not; once it slides, dynamic
// friction counts.
static double speed_after_pull(double force, impVec3 v) {
    Trial t = block_on_ground(vec(0, 0, -10), 0.6, 0.4, v);
    double input[6] = { force };
    for (int i = 0; i < 60; i++) {
        iterated_step(&t, input, H);
    }
    double speed = trial_twist(&t, 2).linear.x;
    trial_free(&t);
    return speed;
}

static void static_friction_exceeds_dynamic(void **state) {
    (void)state;
    // 2 kg at 10 m/s^2: limits 12 and 8 N
    NEAR(speed_after_pull(7.9, vec(0, 0, 0)), 0, 1e-6);
    NEAR(speed_after_pull(8.4, vec(0, 0, 0)), 0, 1e-6);
    NEAR(speed_after_pull(12.1, vec(0, 0, 0)), 0.5 * (12.1 - 8), 1e-3);
    NEAR(speed_after_pull(16, vec(0, 0, 0)), 4, 1e-3);
    NEAR(speed_after_pull(8.4, vec(1, 0, 0)), 1.2, 1e-3);
}

// Thirty cubes on each other, for two seconds.
static void a_tower_of_thirty_stands(void **state) {
    (void)state;
    enum { COUNT_OF_CUBES = 30 };
    impScene *scene = iterated_scene(vec(0, 0, -g), 0.5, 0.5, 0);
    iterated_plane(scene);
    for (int i = 0; i < COUNT_OF_CUBES; i++) {
        iterated_box(scene, vec(0.1, 0.1, 0.1), iterated_at(0, 0, 0.05 + 0.1 * i),
                     iterated_moving(0, 0, 0), 1);
    }
    Trial t = iterated_trial_of(scene);
    double level = iterated_level(&t);
    double input[6 * COUNT_OF_CUBES] = { 0 };
    for (int i = 0; i < 120; i++) {
        // a hand on one of them wakes all, again and again
        input[6] = i % 2 ? 0.01 : -0.01;
        impOutcome o = iterated_step(&t, input, H);
        assert_true(o.certificate.residual < 1e-5);
    }
    for (int i = 0; i < COUNT_OF_CUBES; i++) {
        impVec3 at = trial_at(&t, 2 + i);
        NEAR(norm(vec(at.x, at.y, 0)), 0, 1e-4);
        NEAR(at.z, 0.05 + 0.1 * i + level * (i + 1), 1e-4);
        NEAR(norm(trial_twist(&t, 2 + i).linear), 0, 1e-3);
    }
    trial_free(&t);
}

// A block of a thousand times the mass, on top: it sinks no more than the others.
static void a_heavy_block_on_light_ones(void **state) {
    (void)state;
    impScene *scene = iterated_scene(vec(0, 0, -g), 0.5, 0.5, 0);
    iterated_plane(scene);
    iterated_box(scene, vec(0.1, 0.1, 0.1), iterated_at(0, 0, 0.05), iterated_moving(0, 0, 0), 0.1);
    iterated_box(scene, vec(0.1, 0.1, 0.1), iterated_at(0, 0, 0.15), iterated_moving(0, 0, 0), 100);
    Trial t = iterated_trial_of(scene);
    double input[12] = { 0 };
    for (int i = 0; i < 120; i++) {
        input[6] = i % 2 ? 1 : -1;
        iterated_step(&t, input, H);
    }
    NEAR(trial_at(&t, 2).z, 0.05, 1e-4);
    NEAR(trial_at(&t, 3).z, 0.15, 1e-4);
    NEAR(trial_at(&t, 3).x, 0, 1e-4);
    trial_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_on_a_slope_does_not_creep),
        cmocka_unit_test(a_block_on_a_steep_slope_slides),
        cmocka_unit_test(a_block_that_is_pushed_to_and_fro_stays),
        cmocka_unit_test(a_sliding_block_stops_where_it_must),
        cmocka_unit_test(static_friction_exceeds_dynamic),
        cmocka_unit_test(a_tower_of_thirty_stands),
        cmocka_unit_test(a_heavy_block_on_light_ones),
    };
    return RUN(tests);
}
