// iterated_crowd.c -- the method `iterated` with many bodies: no bit depends on the number of
// threads, and sleepers that the broad phase leaves out wake with those that they touch.
//
// SPDX-License-Identifier: MIT
#include "iterated_support.h"

static const impVec3 down = { 0, 0, -9.81 };

// A block of balls that falls apart, which is one large island, and stacks of cubes beside it.
static impScene *crowd(void) {
    enum { WIDE = 10, HIGH = 12, STACKS = 6, CUBES = 4 };
    impScene *scene = iterated_scene(down, 0.4, 0.3, 0.2);
    iterated_plane(scene);
    for (int i = 0; i < WIDE * WIDE * HIGH; i++) {
        int x = i % WIDE;
        int y = i / WIDE % WIDE;
        int z = i / (WIDE * WIDE);
        double aside = 0.0004 * ((i * 7) % 5);
        iterated_ball(scene, 0.05, vec(0.102 * x + aside, 0.102 * y - aside, 0.051 + 0.101 * z),
                      vec(0, 0, -1), 1 + 0.2 * (i % 3));
    }
    for (int i = 0; i < STACKS * CUBES; i++) {
        iterated_box(scene, vec(0.2, 0.2, 0.2),
                     iterated_at(3 + i / CUBES, 0, 0.102 + 0.201 * (i % CUBES)),
                     iterated_moving(0.1, 0, 0), 1);
    }
    return scene;
}

static void threads_change_no_bit(void **state) {
    (void)state;
    enum { STEPS = 25 };
    const int threads[] = { 1, 2, 8 };
    uint64_t hash[STEPS];
    for (int k = 0; k < COUNT(threads); k++) {
        impError err = { 0 };
        Trial t = iterated_trial_of(crowd());
        impStepper_Free(t.stepper);
        impStepperDef def = { .method = "iterated", .threads = threads[k] };
        t.stepper = impStepper_New(t.m, &def, &err);
        for (int i = 0; i < STEPS; i++) {
            iterated_step(&t, NULL, 1. / 240);
            uint64_t now = impState_Hash(t.m, t.s);
            hash[i] = k == 0 ? now : hash[i];
            assert_int_equal(now, hash[i]);
        }
        trial_free(&t);
    }
}

// A row of cubes side by side. What hits the first one is far from the last.
static void a_row_wakes_to_its_end(void **state) {
    (void)state;
    enum { ROW = 12, FIRST = 2 };
    impScene *scene = iterated_scene(down, 0.3, 0.3, 0);
    iterated_plane(scene);
    for (int i = 0; i < ROW; i++) {
        iterated_box(scene, vec(0.1, 0.1, 0.1), iterated_at(0.100005 * i, 0, 0.050005),
                     iterated_moving(0, 0, 0), 1);
    }
    // one more, out of reach of all others
    iterated_box(scene, vec(0.1, 0.1, 0.1), iterated_at(0, 5, 0.050005), iterated_moving(0, 0, 0),
                 1);
    iterated_ball(scene, 0.03, vec(-1.08, 0, 0.05 + 0.5 * 9.81 * 0.25), vec(2, 0, 0), 0.3);
    Trial t = iterated_trial_of(scene);
    iterated_run(&t, 28, 1. / 60);
    assert_int_equal(iterated_count_asleep(&t), ROW + 1);
    iterated_run(&t, 3, 1. / 60);
    for (int i = 0; i < ROW; i++) {
        assert_false(iterated_asleep(&t, FIRST + i));
    }
    assert_true(iterated_asleep(&t, FIRST + ROW));
    trial_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(a_row_wakes_to_its_end),
    };
    return RUN(tests);
}
