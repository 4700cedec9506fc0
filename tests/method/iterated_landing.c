// iterated_landing.c -- flat landings in the method `iterated`: when the corners of a box count as
// one impact, and how precisely impacts that share a body are solved together.
//
// SPDX-License-Identifier: MIT
#include "iterated_support.h"

#define H (1. / 120)
#define G 9.81

// A box at the contact level that comes down at 1 m/s and turns a little, e = 0.5 without friction:
// what it turns after the impact, rad/s.
static double turn_after_landing(double rate) {
    const double band = 1e-5;
    impScene *scene = iterated_scene(vec(0, 0, -G), 0, 0, 0.5);
    iterated_plane(scene);
    iterated_box(scene, vec(0.1, 0.1, 0.1), iterated_at(0, 0, 0.05 + 0.5 * band),
                 (impTwist){ vec(0, 0, -1), vec(0, rate, 0) }, 1);
    static impError err;
    assert_true(impScene_Run(scene, &(impRunDef){ .contact_band = band }, &err));
    Trial t = iterated_trial_of(scene);
    iterated_step(&t, NULL, H);
    double turn = norm(trial_twist(&t, 2).angular);
    trial_free(&t);
    return turn;
}

// Corners that are as fast to 1e-8 are one impact in the middle; of corners that differ by 2e-6 the
// faster ones come first.
static void corners_as_fast_are_one_impact(void **state) {
    (void)state;
    assert_true(turn_after_landing(1e-7) < 1e-6);
    assert_true(turn_after_landing(2e-5) > 0.1);
}

// A plank comes down on two blocks at once, off its middle: two pairs share it, so that their
// impulses are found by sweeps. e = 0.5 at both ends, without friction: it does not turn.
static void impacts_together_are_precise(void **state) {
    (void)state;
    static impError err;
    const double band = 1e-5;
    impScene *scene = iterated_scene(vec(0, 0, -G), 0, 0, 0.5);
    iterated_box(scene, vec(0.1, 0.1, 0.1), iterated_at(-0.4, 0, 0), iterated_moving(0, 0, 0), 0);
    iterated_box(scene, vec(0.1, 0.1, 0.1), iterated_at(0.3, 0, 0), iterated_moving(0, 0, 0), 0);
    iterated_box(scene, vec(1, 0.1, 0.02), iterated_at(0, 0, 0.06 + 0.5 * band),
                 iterated_moving(0, 0, -1), 1);
    assert_true(impScene_Run(scene, &(impRunDef){ .contact_band = band }, &err));
    Trial t = iterated_trial_of(scene);
    impOutcome o = iterated_step(&t, NULL, H);
    assert_true(o.contact_count > 0);
    NEAR(norm(trial_twist(&t, 3).angular), 0, 1e-9);
    trial_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners_as_fast_are_one_impact),
        cmocka_unit_test(impacts_together_are_precise),
    };
    return RUN(tests);
}
