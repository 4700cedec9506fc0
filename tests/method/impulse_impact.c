// impulse_impact.c -- an impact runs on through those that touch: at once where nothing bounces,
// one by one where it does.
//
// A row of equal blocks without bounce goes on as one, at v / n, by the conservation of momentum;
// of a row of marbles that bounce fully only the last one leaves, at v (Newton's cradle).
//
// SPDX-License-Identifier: MIT
#include "impulse_support.h"

enum { ROW = 8 };
static const double BAND = 1e-5, SIZE = 0.05;

// On ice, half a band to nearly a whole one apart: so many of a kind in a row, and one more that
// comes at 1 m/s.
static Trial row_of(const char *kind, double restitution) {
    Part part[ROW + 1];
    bool ball = kind[0] == 's';
    // the first one comes from afar
    double x = -0.05;
    for (int i = 0; i <= ROW;
         x += SIZE + 0.5 * BAND * (1 + 0.3 * (i % 3)) + (i == 0 ? 0.05 : 0), i++) {
        part[i] = (Part){ .kind = kind,
                          .size = { ball ? 0.5 * SIZE : SIZE, SIZE, SIZE },
                          .rotation = { 1, 0, 0, 0 },
                          .mass = 1,
                          .at = { x, 0, 0.5 * SIZE + 0.5 * BAND } };
    }
    part[0].v = vec(1, 0, 0);
    return trial(&(Setting){ 0, restitution, BAND, vec(0, 0, -9.81), true, 0 }, part, ROW + 1);
}

static void a_row_without_bounce_goes_on_as_one(void **state) {
    (void)state;
    Trial t = row_of("box", 0);
    // until just before
    trial_run(&t, 0.04, 0.04);
    int query_count = t.query_count;
    trial_run(&t, 0.02, 0.02);
    // what is microscopic here: 4.4e-3
    for (int i = 0; i <= ROW; i++) {
        NEAR(trial_twist(&t, 2 + i).linear.x, 1.0 / (ROW + 1), 5e-3);
    }
    NEAR(impState_Momentum(t.m, t.s).linear.x, 1, 1e-12);
    print_message("    %d collisions, %d micro-steps, %d looks\n", t.collisions, t.micro_steps,
                  t.query_count - query_count);
    assert_true(t.collisions >= ROW && t.query_count - query_count < 1200);
    trial_free(&t);
}

static void of_a_row_that_bounces_the_last_leaves(void **state) {
    (void)state;
    Trial t = row_of("sphere", 1);
    trial_run(&t, 0.2, 0.02);
    // micro-steps lift them by a hair
    for (int i = 0; i < ROW; i++) {
        NEAR(trial_twist(&t, 2 + i).linear.x, 0, 1e-4);
    }
    NEAR(trial_twist(&t, 2 + ROW).linear.x, 1, 1e-4);
    trial_free(&t);
}

// Two rows beside each other, struck in the middle: neither is first. The impact, at 10 ms, is
// mirrored to rounding, the micro-steps after it as well as they are solved.
static void check_mirror(const Trial *t, double allowed) {
    NEAR(trial_twist(t, 2).linear.y, 0, allowed);
    for (int i = 0; i < 6; i += 2) {
        impTwist a = trial_twist(t, 3 + i);
        impTwist b = trial_twist(t, 4 + i);
        NEAR(a.linear.x - b.linear.x, 0, allowed);
        NEAR(a.linear.y + b.linear.y, 0, allowed);
        NEAR(a.angular.z + b.angular.z, 0, 1e3 * allowed);
        assert_true(a.linear.x > 0.05);
    }
}

static void two_rows_struck_at_once_stay_mirrored(void **state) {
    (void)state;
    Part part[7] = { { .kind = "box",
                       .size = { 0.05, 0.05, 0.05 },
                       .at = { -0.06, 0, 0.025005 },
                       .v = { 1, 0, 0 },
                       .rotation = { 1, 0, 0, 0 },
                       .mass = 1 } };
    for (int i = 0; i < 6; i++) {
        part[1 + i] = (Part){ .kind = "box",
                              .size = { 0.05, 0.05, 0.05 },
                              .at = { (i / 2) * 0.050006, i % 2 ? 0.04 : -0.04, 0.025005 },
                              .rotation = { 1, 0, 0, 0 },
                              .mass = 1 };
    }
    Trial t = trial(&(Setting){ 0, 0, BAND, vec(0, 0, -9.81), true, 0 }, part, 7);
    trial_run(&t, 0.01, 0.01);
    check_mirror(&t, 1e-11);
    trial_run(&t, 0.02, 0.01);
    check_mirror(&t, 1e-7);
    trial_free(&t);
}

// Two that share nothing but the floor, and a third that both carry: both land before anything runs
// on to it.
static void an_arch_lands_on_both_feet(void **state) {
    (void)state;
    const double e[] = { 0, 0.1, 0.5 };
    for (int i = 0; i < COUNT(e); i++) {
        Part part[3] = { { .kind = "box",
                           .size = { 0.05, 0.05, 0.05 },
                           .at = { 0, 0.03, 0.035 },
                           .rotation = { 1, 0, 0, 0 },
                           .mass = 1 },
                         { .kind = "box",
                           .size = { 0.05, 0.05, 0.05 },
                           .at = { 0, -0.03, 0.035 },
                           .rotation = { 1, 0, 0, 0 },
                           .mass = 1 },
                         { .kind = "box",
                           .size = { 0.05, 0.08, 0.05 },
                           .at = { 0, 0, 0.085006 },
                           .rotation = { 1, 0, 0, 0 },
                           .mass = 1 } };
        Trial t = trial(&(Setting){ 0.5, e[i], BAND, vec(0, 0, -9.81), true, 0 }, part, 3);
        trial_run(&t, 0.3, 0.02);
        impVec3 a = trial_at(&t, 2);
        impVec3 b = trial_at(&t, 3);
        NEAR(trial_at(&t, 4).y, 0, 1e-10);
        NEAR(a.y + b.y, 0, 1e-10);
        NEAR(a.z - b.z, 0, 1e-10);
        trial_free(&t);
    }
}

// Two strikers side by side, two blocks, and a bar behind both: nobody is first.
static void two_strikers_at_once(void **state) {
    (void)state;
    Part part[5] = { { .kind = "box",
                       .size = { 0.05, 0.05, 0.05 },
                       .at = { -0.06, 0.04, 0.025005 },
                       .v = { 1, 0, 0 },
                       .rotation = { 1, 0, 0, 0 },
                       .mass = 1 },
                     { .kind = "box",
                       .size = { 0.05, 0.05, 0.05 },
                       .at = { -0.06, -0.04, 0.025005 },
                       .v = { 1, 0, 0 },
                       .rotation = { 1, 0, 0, 0 },
                       .mass = 1 },
                     { .kind = "box",
                       .size = { 0.05, 0.05, 0.05 },
                       .at = { 0, 0.04, 0.025005 },
                       .rotation = { 1, 0, 0, 0 },
                       .mass = 1 },
                     { .kind = "box",
                       .size = { 0.05, 0.05, 0.05 },
                       .at = { 0, -0.04, 0.025005 },
                       .rotation = { 1, 0, 0, 0 },
                       .mass = 1 },
                     { .kind = "box",
                       .size = { 0.05, 0.14, 0.05 },
                       .at = { 0.050006, 0, 0.025005 },
                       .rotation = { 1, 0, 0, 0 },
                       .mass = 2 } };
    Trial t = trial(&(Setting){ 0.3, 0, BAND, vec(0, 0, -9.81), true, 0 }, part, 5);
    trial_run(&t, 0.03, 0.01);
    impTwist bar = trial_twist(&t, 6);
    NEAR(bar.linear.y, 0, 1e-8);
    NEAR(bar.angular.z, 0, 1e-6);
    assert_true(bar.linear.x > 0.2);
    trial_free(&t);
}

// Ten thousand times as heavy, and it comes down on a light one at 1 m/s: one by one the two, and
// the floor, would strike each other some hundred thousand times. Together it is one impact, and
// all of its momentum goes into the floor.
static void a_heavy_one_comes_down_on_a_light_one(void **state) {
    (void)state;
    Part part[2] = { { .kind = "box",
                       .size = { 0.05, 0.05, 0.05 },
                       .at = { 0, 0, 0.025005 },
                       .rotation = { 1, 0, 0, 0 },
                       .mass = 1 },
                     { .kind = "box",
                       .size = { 0.1, 0.1, 0.1 },
                       .at = { 0.001, 0.002, 0.120005 },
                       .v = { 0, 0, -1 },
                       .rotation = { 1, 0, 0, 0 },
                       .mass = 1e4 } };
    Trial t = trial(&(Setting){ 0.3, 0, BAND, vec(0, 0, -9.81), true, 0 }, part, 2);
    double before = trial_energy(&t);
    // it lands after 19 ms
    trial_run(&t, 0.04, 0.02);
    print_message("    %d collisions, %d micro-steps\n", t.collisions, t.micro_steps);
    assert_true(t.collisions > 0 && t.collisions < 2000);
    NEAR(trial_at(&t, 3).z, 0.1, 2 * BAND);
    assert_true(norm(trial_twist(&t, 3).linear) < 0.02 && norm(trial_twist(&t, 2).linear) < 0.02);
    NEAR(trial_energy(&t) - before, t.traded, 1e-9);
    trial_free(&t);
}

// A plate on four balls at once: all four are as fast, and hold each other by the plate.
static void a_heavy_plate_comes_down_on_four_balls(void **state) {
    (void)state;
    Part part[5] = { { .kind = "box",
                       .size = { 0.5, 0.5, 0.1 },
                       .at = { 0.013, 0, 0.16 },
                       .v = { 0, 0, -1 },
                       .rotation = { 1, 0, 0, 0 },
                       .mass = 1e4 } };
    for (int i = 0; i < 4; i++) {
        part[1 + i] = (Part){ .kind = "sphere",
                              .size = { 0.05 },
                              .at = { i % 2 ? 0.1 : -0.1, i / 2 ? 0.1 : -0.1, 0.050005 },
                              .rotation = { 1, 0, 0, 0 },
                              .mass = 1 };
    }
    Trial t = trial(&(Setting){ 0.3, 0, BAND, vec(0, 0, -9.81), true, 0 }, part, 5);
    // it lands after 10 ms
    trial_run(&t, 0.04, 0.02);
    print_message("    %d collisions, %d micro-steps\n", t.collisions, t.micro_steps);
    assert_true(t.collisions > 8 && t.collisions < 2000);
    NEAR(trial_at(&t, 2).z, 0.15, 3 * BAND);
    assert_true(norm(trial_twist(&t, 2).linear) < 0.02 && norm(trial_twist(&t, 2).angular) < 0.1);
    for (int i = 0; i < 4; i++) {
        NEAR(trial_at(&t, 3 + i).z, 0.05, 2 * BAND);
    }
    trial_free(&t);
}

// Whoever sleeps is woken by the impact that reaches it, and by no other.
static void an_impact_wakes_the_bodies_that_it_reaches(void **state) {
    (void)state;
    Part part[5];
    for (int i = 0; i < 5; i++) {
        part[i] = (Part){ .kind = "box",
                          .size = { SIZE, SIZE, SIZE },
                          .rotation = { 1, 0, 0, 0 },
                          .mass = 1,
                          .at = { i < 3    ? i * (SIZE + 0.6 * BAND)
                                  : i == 3 ? 1
                                           : -0.3,
                                  0, 0.5 * SIZE + 0.5 * BAND } };
    }
    Trial t = trial(&(Setting){ 0.2, 0, BAND, vec(0, 0, -9.81), true, 0 }, part, 5);
    trial_run(&t, 0.5, 0.01);
    for (int i = 0; i < 5; i++) {
        assert_true(trial_asleep(&t, 2 + i));
    }
    impError err;
    impPose there = impState_Pose(t.m, t.s, (impBody){ 6 });
    assert_true(
        impState_Set(t.m, t.s, (impBody){ 6 }, there, (impTwist){ .linear = { 1.5, 0, 0 } }, &err));
    trial_run(&t, 0.25, 0.01);
    for (int i = 0; i < 3; i++) {
        assert_true(trial_at(&t, 2 + i).x > i * SIZE + 0.005);
    }
    NEAR(trial_at(&t, 5).x, 1, 1e-12);
    assert_true(trial_asleep(&t, 5));
    trial_free(&t);
}

// A light ball falls beside a box that sleeps, a heavy one on top of it: the impact from below
// reaches the sleeper when all of it is stopped together. It wakes, with the one that it carries,
// and the ledger know (a step that they do not explain is not taken).
static void a_simultaneous_impact_reaches_a_sleeper(void **state) {
    (void)state;
    const double heavy[] = { 100, 1e4 };
    for (int i = 0; i < COUNT(heavy); i++) {
        Part part[4] = { { .kind = "box",
                           .size = { 0.2, 0.2, 0.2 },
                           .at = { 0.2, 0, 0.100005 },
                           .rotation = { 1, 0, 0, 0 },
                           .mass = 1 },
                         { .kind = "box",
                           .size = { 0.1, 0.1, 0.1 },
                           .at = { 0.22, 0, 0.25001 },
                           .rotation = { 1, 0, 0, 0 },
                           .mass = 1 },
                         { .kind = "sphere",
                           .size = { 0.05 },
                           .at = { 0.0499925, 0, 0.25 },
                           .rotation = { 1, 0, 0, 0 },
                           .mass = 1 },
                         { .kind = "sphere",
                           .size = { 0.05 },
                           .at = { 0.0489925, 0, 0.35000250024999374 },
                           .rotation = { 1, 0, 0, 0 },
                           .mass = heavy[i] } };
        Trial t = trial(&(Setting){ 0, 0, BAND, vec(0, 0, -9.81), true, 0 }, part, 4);
        trial_run(&t, 0.15, 0.01);
        assert_true(trial_asleep(&t, 2) && trial_asleep(&t, 3));
        // the balls land after 0.2 s
        trial_run(&t, 0.15, 0.01);
        assert_true(!trial_asleep(&t, 2) && trial_twist(&t, 2).linear.x > 0.01);
        trial_free(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_without_bounce_goes_on_as_one),
        cmocka_unit_test(of_a_row_that_bounces_the_last_leaves),
        cmocka_unit_test(two_rows_struck_at_once_stay_mirrored),
        cmocka_unit_test(an_arch_lands_on_both_feet),
        cmocka_unit_test(two_strikers_at_once),
        cmocka_unit_test(a_heavy_one_comes_down_on_a_light_one),
        cmocka_unit_test(a_heavy_plate_comes_down_on_four_balls),
        cmocka_unit_test(an_impact_wakes_the_bodies_that_it_reaches),
        cmocka_unit_test(a_simultaneous_impact_reaches_a_sleeper),
    };
    return RUN(tests);
}
