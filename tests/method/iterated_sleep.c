// iterated_sleep.c -- the method `iterated` lets bodies sleep that can stand still, and wakes those
// that something comes to or that lose their support.
//
// SPDX-License-Identifier: MIT
#include "iterated_support.h"

#define H     (1. / 60)
#define LEVEL 5e-6  // m: contact level of cubes of 0.1 m
enum { CUBES = 5 };
static const impVec3 down = { 0, 0, -9.81 };
static const impVec3 cube = { 0.1, 0.1, 0.1 };

static impScene *ground(void) {
    impScene *scene = iterated_scene(down, 0.5, 0.5, 0);
    iterated_plane(scene);
    return scene;
}

// Cubes on each other, bodies 2 to 6.
static impScene *stack(void) {
    impScene *scene = ground();
    for (int i = 0; i < CUBES; i++) {
        iterated_box(scene, cube, iterated_at(0, 0, 0.05 + LEVEL + (0.1 + LEVEL) * i),
                     iterated_moving(0, 0, 0), 1);
    }
    return scene;
}

static void a_stack_falls_asleep_where_it_is(void **state) {
    (void)state;
    Trial t = iterated_trial_of(stack());
    NEAR(iterated_level(&t), LEVEL, 1e-15);
    iterated_run(&t, 30, H);
    assert_int_equal(iterated_count_asleep(&t), CUBES);
    for (int i = 0; i < CUBES; i++) {
        NEAR(trial_at(&t, 2 + i).z, 0.05 + LEVEL + (0.1 + LEVEL) * i, 1e-6);
        assert_true(zero3(trial_twist(&t, 2 + i).linear));
        assert_true(zero3(trial_twist(&t, 2 + i).angular));
    }

    // and does not move by a bit
    impVec3 top = trial_at(&t, 6);
    iterated_run(&t, 600, H);
    assert_true(zero3(sub(trial_at(&t, 6), top)));
    assert_int_equal(iterated_count_asleep(&t), CUBES);
    trial_free(&t);
}

static void a_ball_wakes_a_stack(void **state) {
    (void)state;
    impScene *scene = stack();
    // it comes to the uppermost cube after half a second
    iterated_ball(scene, 0.03, vec(-2.08, 0, 0.45 + 0.5 * 9.81 * 0.25), vec(4, 0, 0), 0.5);
    Trial t = iterated_trial_of(scene);
    iterated_run(&t, 28, H);
    assert_int_equal(iterated_count_asleep(&t), CUBES);
    iterated_run(&t, 4, H);
    assert_int_equal(iterated_count_asleep(&t), 0);
    iterated_run(&t, 15, H);
    assert_true(trial_at(&t, 6).x > 0.02);
    trial_free(&t);
}

// One that was moved away by the caller leaves those above without support.
static void a_stack_falls_when_a_cube_is_taken_out(void **state) {
    (void)state;
    static impError err;
    for (int taken = 0; taken < CUBES - 1; taken++) {
        Trial t = iterated_trial_of(stack());
        iterated_run(&t, 30, H);
        assert_int_equal(iterated_count_asleep(&t), CUBES);
        impPose aside = iterated_at(3, 0, 0.05 + LEVEL);
        impTwist rest = iterated_moving(0, 0, 0);
        assert_true(impState_Set(t.m, t.s, (impBody){ 2 + taken }, aside, rest, &err));
        iterated_run(&t, 60, H);
        for (int i = 0; i < CUBES; i++) {
            double level = i < taken ? i : i - 1;
            if (i == taken) continue;
            NEAR(trial_at(&t, 2 + i).z, 0.05 + 0.1 * level, 1e-3);
        }
        assert_int_equal(iterated_count_asleep(&t), CUBES);
        trial_free(&t);
    }
}

// A shelf that goes down below sleepers: they follow.
static void a_shelf_that_leaves_wakes_what_is_on_it(void **state) {
    (void)state;
    const char *text = "{\"impel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
                       "{\"name\": \"shelf\", \"shape\": {\"box\": {\"size\": [1, 1, 0.1]}}, "
                       "\"motion\": {\"vibrate\": {\"amplitude\": [0, 0, 0.5], \"frequency\": "
                       "0.25, \"phase\": 1.5707963267948966}}},"
                       "{\"name\": \"cube\", \"shape\": {\"box\": {\"size\": [0.1, 0.1, 0.1]}}, "
                       "\"position\": [0, 0, 0.600005]}]}";
    Trial t = iterated_trial_from(text);
    impVec3 low = trial_at(&t, 1);
    double apart = 0;
    for (int i = 0; i < 150; i++) {
        iterated_step(&t, NULL, H);
        low.z = fmin(low.z, trial_at(&t, 1).z);
        apart = fmax(apart, fabs(trial_at(&t, 2).z - trial_at(&t, 1).z - 0.1));
    }
    assert_true(low.z < -0.49);
    NEAR(apart, 0, 1e-4);
    trial_free(&t);
}

// A plank over the edge of a block: it sleeps where its centre is above the block, and tips over
// where it is beyond the edge by 10 um.
static void check_overhang(double beyond, bool stands) {
    impScene *scene = ground();
    iterated_box(scene, cube, iterated_at(0, 0, 0.05), iterated_moving(0, 0, 0), 0);
    iterated_box(scene, vec(1, 0.1, 0.02), iterated_at(0.05 + beyond, 0, 0.11 + LEVEL),
                 iterated_moving(0, 0, 0), 1);
    Trial t = iterated_trial_of(scene);
    iterated_run(&t, 30, H);
    assert_int_equal(iterated_count_asleep(&t), stands);
    iterated_run(&t, 600, H);
    impPose plank = impState_Pose(t.m, t.s, (impBody){ 3 });
    double end = place(plank, vec(0.5, 0, 0)).z;
    assert_true(stands ? end > 0.1099 : end < 0.02);
    trial_free(&t);
}

static void a_plank_tips_over_an_edge(void **state) {
    (void)state;
    check_overhang(-1e-3, true);
    check_overhang(-1e-5, true);
    check_overhang(1e-5, false);
    check_overhang(1e-3, false);
}

static void a_rolling_ball_does_not_sleep(void **state) {
    (void)state;
    impScene *scene = ground();
    iterated_ball(scene, 0.05, vec(0, 0, 0.05 + LEVEL), vec(0.5, 0, 0), 1);
    Trial t = iterated_trial_of(scene);
    iterated_run(&t, 300, H);
    assert_int_equal(iterated_count_asleep(&t), 0);
    // 5/7 of the speed once it rolls
    NEAR(trial_twist(&t, 2).linear.x, 0.5 * 5 / 7, 1e-5);
    NEAR(trial_twist(&t, 2).angular.y, 0.5 * 5 / 7 / 0.05, 1e-2);
    trial_free(&t);
}

// Bodies that sleep are not asked for contacts.
static void a_thousand_sleepers_cost_nothing(void **state) {
    (void)state;
    enum { SLEEPERS = 1000 };
    impScene *scene = ground();
    for (int i = 0; i < SLEEPERS; i++) {
        iterated_box(scene, cube, iterated_at(0.15 * (i % 40), 0.15 * (i / 40), 0.05 + LEVEL),
                     iterated_moving(0, 0, 0), 1);
    }
    Trial t = iterated_trial_of(scene);
    iterated_run(&t, 12, H);
    assert_int_equal(iterated_count_asleep(&t), SLEEPERS);
    for (int i = 0; i < 20; i++) {
        impOutcome o = iterated_step(&t, NULL, H);
        assert_int_equal(o.iterations, 0);
        assert_int_equal(o.contact_count, 0);
        NEAR(o.certificate.momentum, 0, 1e-15);
        NEAR(o.certificate.energy, 0, 0);
    }
    trial_free(&t);
}

// Falling asleep takes away the energy that is left, and the ledger says so.
static void sleep_is_in_the_ledger(void **state) {
    (void)state;
    impScene *scene = stack();
    Trial t = iterated_trial_of(scene);
    static impError err;
    impPose at = impState_Pose(t.m, t.s, (impBody){ 6 });
    impState_Set(t.m, t.s, (impBody){ 6 }, at, iterated_moving(1e-3, 0, 0), &err);
    for (int i = 0; i < 30; i++) {
        impOutcome o = iterated_step(&t, NULL, H);
        NEAR(o.certificate.energy, 0, 1e-12);
        NEAR(o.certificate.momentum, 0, 1e-12);
        assert_true(o.sleep_energy <= 0);
    }
    assert_int_equal(iterated_count_asleep(&t), CUBES);
    trial_free(&t);
}

// Two planks that lean on each other, one of which has been slow for longer: neither stands without
// the other, so they are asked together in the end.
static void planks_that_lean_on_each_other_fall_asleep(void **state) {
    (void)state;
    const double lean = 0.3;
    impScene *scene = iterated_scene(vec(0, 0, -9.81), 0.6, 0.6, 0);
    iterated_plane(scene);
    for (int side = -1; side <= 1; side += 2) {
        // the upper inner edges meet
        double x = 0.25 * sin(lean) + 0.01 * cos(lean);
        double z = 0.25 * cos(lean) + 0.01 * sin(lean);
        impQuat q = quat(cos(0.5 * lean), 0, -side * sin(0.5 * lean), 0);
        iterated_box(scene, vec(0.02, 0.3, 0.5), pose(vec(side * x, 0, z), q),
                     iterated_moving(0, 0, 0), 1);
    }
    Trial t = iterated_trial_of(scene);
    iterated_run(&t, 4, 1. / 240);
    t.s->data[t.m->layout.sleep_counter] = -3;
    iterated_run(&t, 60, 1. / 240);
    assert_int_equal(iterated_count_asleep(&t), 2);
    trial_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_falls_asleep_where_it_is),
        cmocka_unit_test(a_ball_wakes_a_stack),
        cmocka_unit_test(a_stack_falls_when_a_cube_is_taken_out),
        cmocka_unit_test(a_shelf_that_leaves_wakes_what_is_on_it),
        cmocka_unit_test(a_plank_tips_over_an_edge),
        cmocka_unit_test(a_rolling_ball_does_not_sleep),
        cmocka_unit_test(a_thousand_sleepers_cost_nothing),
        cmocka_unit_test(planks_that_lean_on_each_other_fall_asleep),
        cmocka_unit_test(sleep_is_in_the_ledger),
    };
    return RUN(tests);
}
