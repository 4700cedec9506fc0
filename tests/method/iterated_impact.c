// iterated_impact.c -- impacts of the method `iterated`, in rounds: rows of balls, and the energy
// of collisions with friction.
//
// SPDX-License-Identifier: MIT
#include "iterated_support.h"

enum { BALLS = 5 };
#define H      (1. / 60)
#define RADIUS 0.05

// Gap (m) at which balls of this scene touch.
static double level_of_balls(double restitution) {
    impScene *scene = iterated_scene(vec(0, 0, 0), 0, 0, restitution);
    iterated_ball(scene, RADIUS, vec(0, 0, 0), vec(0, 0, 0), 1);
    Trial t = iterated_trial_of(scene);
    double level = iterated_level(&t);
    trial_free(&t);
    return level;
}

// Five touching balls in a row, of which the first `in` come at 1 m/s from a little farther away.
static Trial row(int in, double restitution, double first_mass) {
    double distance = 2 * RADIUS + level_of_balls(restitution);
    impScene *scene = iterated_scene(vec(0, 0, 0), 0.3, 0.3, restitution);
    for (int i = 0; i < BALLS; i++) {
        bool comes = i < in;
        iterated_ball(scene, RADIUS, vec(distance * i - (comes ? 0.0123 : 0), 0, 0),
                      vec(comes, 0, 0), i == 0 ? first_mass : 1);
    }
    return iterated_trial_of(scene);
}

static void check_speeds(Trial *t, const double *expected, double tolerance) {
    for (int i = 0; i < 20; i++) {
        impOutcome o = iterated_step(t, NULL, H);
        assert_int_equal(o.unconverged, 0);
    }
    for (int i = 0; i < BALLS; i++) {
        NEAR(trial_twist(t, 1 + i).linear.x, expected[i], tolerance);
        NEAR(norm(trial_twist(t, 1 + i).angular), 0, 1e-15);
    }
    trial_free(t);
}

static void as_many_balls_leave_as_come(void **state) {
    (void)state;
    for (int in = 1; in < BALLS; in++) {
        double expected[BALLS];
        for (int i = 0; i < BALLS; i++) {
            expected[i] = i >= BALLS - in;
        }
        Trial t = row(in, 1, 1);
        check_speeds(&t, expected, 1e-15);
    }
}

// Collisions of pairs, one after the other, from the left: what a sum over them by hand gives.
static void pairs_one_after_the_other(double *v, const double *mass, double e) {
    for (int k = 0; k < 100000; k++) {
        int at = -1;
        for (int i = 0; i + 1 < BALLS && at < 0; i++) {
            at = v[i] - v[i + 1] > 1e-3 ? i : -1;
        }
        if (at < 0) return;
        double both = mass[at] + mass[at + 1];
        double p = (1 + e) * (v[at] - v[at + 1]) * mass[at] * mass[at + 1] / both;
        v[at] -= p / mass[at];
        v[at + 1] += p / mass[at + 1];
    }
}

// A first ball of three times the mass, without loss: the speeds are those of a sequence of
// collisions, and energy and momentum are what they were.
static void a_heavy_ball_drives_a_row(void **state) {
    (void)state;
    const double mass[BALLS] = { 3, 1, 1, 1, 1 };
    double expected[BALLS] = { 1 };
    pairs_one_after_the_other(expected, mass, 1);
    NEAR(expected[0], 0.0625, 1e-15);
    Trial t = row(1, 1, 3);
    check_speeds(&t, expected, 1e-14);
}

static void a_row_that_loses_a_tenth(void **state) {
    (void)state;
    Trial t = row(1, 0.9, 1);
    iterated_run(&t, 2, H);
    NEAR(trial_twist(&t, 5).linear.x, 0.95 * 0.95 * 0.95 * 0.95, 1e-12);
    // all balls go apart in the end, for which it takes more than one collision each
    const double expected[BALLS] = { 0.0435, 0.0454, 0.0473, 0.0493, 0.8145 };
    double momentum = 0;
    for (int i = 0; i < BALLS; i++) {
        momentum += trial_twist(&t, 1 + i).linear.x;
        NEAR(trial_twist(&t, 1 + i).linear.x, expected[i], 1e-4);
        if (i > 0) {
            assert_true(trial_twist(&t, 1 + i).linear.x >= trial_twist(&t, i).linear.x - 1e-3);
        }
    }
    NEAR(momentum, 1, 1e-14);
    trial_free(&t);
}

// Two at once against one between them: the middle one stays where it is.
static void two_collide_with_one_at_the_same_time(void **state) {
    (void)state;
    impScene *scene = iterated_scene(vec(0, 0, 0), 0, 0, 0.7);
    iterated_ball(scene, RADIUS, vec(-0.2, 0, 0), vec(2, 0, 0), 1);
    iterated_ball(scene, RADIUS, vec(0, 0, 0), vec(0, 0, 0), 1);
    iterated_ball(scene, RADIUS, vec(0.2, 0, 0), vec(-2, 0, 0), 1);
    Trial t = iterated_trial_of(scene);
    iterated_run(&t, 10, H);
    NEAR(trial_twist(&t, 1).linear.x, -1.4, 1e-9);
    NEAR(trial_twist(&t, 2).linear.x, 0, 1e-9);
    NEAR(trial_twist(&t, 3).linear.x, 1.4, 1e-9);
    trial_free(&t);
}

// Bricks that strike each other anyhow: by Poisson's and by Newton's law, no energy is created and
// momentum stays.
static void collisions_create_no_energy(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        uint64_t k = 0;
        Part parts[2];
        for (int i = 0; i < 2; i++) {
            double r[7];
            for (int j = 0; j < 7; j++) {
                r[j] = 2 * num_uniform(seed, 9, k++) - 1;
            }
            parts[i] = (Part){ .kind = "box",
                               .size = { 0.1, 0.12, 0.2 },
                               .at = vec(0.4 * i, 0.04 * r[0], 0.04 * r[1]),
                               .v = vec(i ? -2 : 2, 0.2 * r[2], 0),
                               .w = vec(r[3], r[4], r[5]),
                               .rotation = unit(quat(r[3], r[4], r[5], r[6])),
                               .mass = i ? 1 : 2 };
        }
        Setting s = { .friction = 0.4,
                      .restitution = 0.6,
                      .law = seed % 2 ? IMP_NEWTON : IMP_POISSON };
        Trial t = iterated_trial(&s, parts, 2);
        double energy = trial_energy(&t);
        impMomentum before = impState_Momentum(t.m, t.s);
        bool collided = false;
        for (int i = 0; i < 60; i++) {
            impOutcome o = iterated_step(&t, NULL, 1. / 240);
            collided = collided || o.contact_count > 0;
            double now = trial_energy(&t);
            assert_true(now <= energy * (1 + 1e-12));
            energy = now;
        }
        assert_true(collided);
        impMomentum after = impState_Momentum(t.m, t.s);
        NEAR(norm(sub(after.linear, before.linear)), 0, 1e-13);
        NEAR(norm(sub(after.angular, before.angular)), 0, 1e-13);
        trial_free(&t);
    }
}

// Five balls that touch, e = 0.9: all ten collisions, the fastest first, also where the first one
// comes at the very end of a step (docs/validation/cases.md, marbles).
static void a_row_of_touching_balls_collides_in_order(void **state) {
    (void)state;
    static const double left[5] = { 0.04352508203125001, 0.045372964843749974, 0.04729664062499999,
                                    0.04929906249999999, 0.81450625 };
    const double radius = 0.008;
    for (int late = 0; late < 2; late++) {
        impScene *scene = iterated_scene(vec(0, 0, 0), 0, 0, 0.9);
        impScene_Run(scene, &(impRunDef){ .contact_band = 1e-7 }, NULL);
        double way = late ? 1e-3 : 1.23e-3;
        iterated_ball(scene, radius, vec(-2 * radius - way, 0, 0), vec(0.5, 0, 0), 0.0054);
        for (int i = 0; i < 4; i++) {
            iterated_ball(scene, radius, vec(i * (2 * radius + 5e-8), 0, 0), vec(0, 0, 0), 0.0054);
        }
        Trial t = iterated_trial_of(scene);
        iterated_run(&t, 200, 1e-3);
        for (int i = 0; i < 5; i++) {
            NEAR(trial_twist(&t, 1 + i).linear.x / 0.5 / left[i], 1, 1e-6);
        }
        trial_free(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_balls_leave_as_come),
        cmocka_unit_test(a_heavy_ball_drives_a_row),
        cmocka_unit_test(a_row_that_loses_a_tenth),
        cmocka_unit_test(a_row_of_touching_balls_collides_in_order),
        cmocka_unit_test(two_collide_with_one_at_the_same_time),
        cmocka_unit_test(collisions_create_no_energy),
    };
    return RUN(tests);
}
