// iterated_rebound.c -- the method `iterated`: where the bounces of a crowd act at the end of the
// step.
//
// docs/theory/iterated.md, (8). Without friction a ball keeps its spin, and what happens to others
// in the same step changes no bounce.
//
// SPDX-License-Identifier: MIT
#include "iterated_support.h"

enum { FIRST = 2 };  // body after the floor

// A layer of balls side by side, which is one island, comes down and bounces within the step.
static void a_ball_without_friction_keeps_its_spin(void **state) {
    (void)state;
    enum { WIDE = 8, BALLS = WIDE * WIDE };
    Part balls[BALLS];
    for (int i = 0; i < BALLS; i++) {
        balls[i] = (Part){ .kind = "sphere",
                           .size = { 0.05 },
                           .at = vec(0.1002 * (i % WIDE), 0.1002 * (i / WIDE), 0.055),
                           .v = vec(0, 0, -1),
                           .w = vec(20, 40, 0),
                           .mass = 1 };
    }
    const Setting setting = {
        .restitution = 0.5, .band = 1e-5, .gravity = { 0, 0, -9.81 }, .floor = true
    };
    Trial t = iterated_trial(&setting, balls, BALLS);
    iterated_step(&t, NULL, 0.01);
    for (int i = 0; i < BALLS; i++) {
        impTwist twist = trial_twist(&t, FIRST + i);
        assert_true(twist.linear.z > 0.3);
        NEAR(twist.angular.x, 20, 1e-9);
        NEAR(twist.angular.y, 40, 1e-9);
        NEAR(twist.angular.z, 0, 1e-9);
    }
    trial_free(&t);
}

// A tilted box that turns comes down on a corner, at the end of a long row of balls. In the same
// step a ball flies past that has just been hit; it touches neither.
static impTwist box_of_crowd(double hit_speed) {
    enum { ROW = 52, BODIES = ROW + 3 };
    Part parts[BODIES] = { 0 };
    parts[0] = (Part){ .kind = "box",
                       .size = { 0.1, 0.1, 0.1 },
                       .at = vec(0, 0, 0.08),
                       .v = vec(0, 0, -0.5),
                       .w = vec(8, 15, 5),
                       .rotation = quat(0.96, 0.2, 0.15, 0.1),
                       .mass = 1 };
    parts[1] = (Part){ .kind = "sphere", .size = { 0.05 }, .at = vec(0.1, 0.1, 0.18), .mass = 1 };
    parts[2] = (Part){ .kind = "sphere",
                       .size = { 0.02 },
                       .at = vec(0.32, 0.1, 0.18),
                       .v = vec(-hit_speed, 0, 0),
                       .mass = 10 };
    for (int i = 0; i < ROW; i++) {
        parts[3 + i] = (Part){
            .kind = "sphere", .size = { 0.02 }, .at = vec(-0.085 - 0.0401 * i, 0, 0.08), .mass = 1
        };
    }
    const Setting setting = { .restitution = 0.5, .band = 1e-5, .floor = true };
    Trial t = iterated_trial(&setting, parts, BODIES);
    iterated_step(&t, NULL, 0.01);
    impTwist box = trial_twist(&t, FIRST);
    // the hit took place, and the box has bounced
    double flies = -trial_twist(&t, FIRST + 1).linear.x;
    assert_true(flies >= hit_speed);
    assert_true(box.linear.z > -0.4);
    trial_free(&t);
    return box;
}

static void what_flies_past_changes_no_bounce(void **state) {
    (void)state;
    impTwist alone = box_of_crowd(0);
    impTwist passed = box_of_crowd(20);
    assert_memory_equal(&alone, &passed, sizeof alone);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_without_friction_keeps_its_spin),
        cmocka_unit_test(what_flies_past_changes_no_bounce),
    };
    return RUN(tests);
}
