// iterated_waking.c -- the borders of sleep in the method `iterated`: what is slow enough, what
// wakes with a neighbour, which load wakes a sleeper. Each is crossed to both sides.
//
// SPDX-License-Identifier: MIT
#include "iterated_support.h"

#define H (1. / 120)
#define G 9.81

// A ball of 0.1 m that spins on the spot: a candidate may have ten times 5e-3 sqrt(g d) at its
// surface, 0.0495 m/s.
static bool sleeps_with(double surface_speed) {
    impScene *scene = iterated_scene(vec(0, 0, -G), 0.5, 0.5, 0);
    iterated_plane(scene);
    iterated_ball(scene, 0.05, vec(0, 0, 0.05), vec(0, 0, 0), 1);
    Trial t = iterated_trial_of(scene);
    t.s->data[t.m->layout.v + 5] = surface_speed / 0.05;
    iterated_run(&t, 60, H);
    bool asleep = iterated_asleep(&t, 2);
    trial_free(&t);
    return asleep;
}

static void a_ball_may_spin_slowly(void **state) {
    (void)state;
    assert_true(sleeps_with(0.02));
    assert_false(sleeps_with(0.2));
}

// A cube on a larger one, pushed all the time, so that it stays awake: a load of so many
// weights of the lower one, on four corners.
static bool sleeps_below(double load) {
    impScene *scene = iterated_scene(vec(0, 0, -G), 0.5, 0.5, 0);
    iterated_plane(scene);
    iterated_box(scene, vec(0.2, 0.2, 0.1), iterated_at(0, 0, 0.05), iterated_moving(0, 0, 0), 2);
    iterated_box(scene, vec(0.1, 0.1, 0.1), iterated_at(0, 0, 0.15), iterated_moving(0, 0, 0),
                 2 * load);
    Trial t = iterated_trial_of(scene);
    int asleep = 0;
    for (int i = 0; i < 120; i++) {
        double input[12] = { [6] = i % 2 ? 0.01 : -0.01 };
        iterated_step(&t, input, H);
        asleep += i >= 60 && iterated_asleep(&t, 2);
    }
    trial_free(&t);
    return asleep == 60;
}

static void a_heavy_load_wakes(void **state) {
    (void)state;
    assert_true(sleeps_below(0.05));
    assert_false(sleeps_below(3));
}

// Two cubes that sleep beside each other: one that is hit wakes the other, if it is nearer than
// 0.002 of their size.
static bool wakes_beside(double gap) {
    impScene *scene = iterated_scene(vec(0, 0, -G), 0.5, 0.5, 0);
    iterated_plane(scene);
    iterated_box(scene, vec(0.1, 0.1, 0.1), iterated_at(0, 0, 0.05), iterated_moving(0, 0, 0), 1);
    iterated_box(scene, vec(0.1, 0.1, 0.1), iterated_at(0.1 + gap, 0, 0.05),
                 iterated_moving(0, 0, 0), 1);
    iterated_ball(scene, 0.02, vec(-0.03, 0, 0.5), vec(0, 0, 0), 1e-3);
    Trial t = iterated_trial_of(scene);
    bool together = false;
    bool one = false;
    for (int i = 0; i < 60; i++) {
        bool slept = iterated_asleep(&t, 2) && iterated_asleep(&t, 3);
        iterated_step(&t, NULL, H);
        if (!slept || iterated_asleep(&t, 2)) continue;
        one = true;
        together = together || !iterated_asleep(&t, 3);
    }
    assert_true(one);
    trial_free(&t);
    return together;
}

static void neighbours_wake_together(void **state) {
    (void)state;
    assert_true(wakes_beside(1e-4));
    assert_false(wakes_beside(6e-4));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_may_spin_slowly),
        cmocka_unit_test(a_heavy_load_wakes),
        cmocka_unit_test(neighbours_wake_together),
    };
    return RUN(tests);
}
