// impulse_simultaneous.c -- collisions that happen at once, and a ball that rolls from triangle to
// triangle of a dish.
//
// SPDX-License-Identifier: MIT
#include "impulse_support.h"

// One ball meets two, mirrored in y. Without friction: W p = -(1 + e) u, so each gets 2 (1 + e) v c
// / (1 + 2 c^2) / 2.
static void a_ball_between_two_stays_in_the_middle(void **state) {
    (void)state;
    const double c = sqrt(0.75);
    const double e[] = { 0, 0.5, 1 };
    for (int i = 0; i < COUNT(e); i++) {
        Part balls[3] = {
            { .kind = "sphere", .size = { 0.5 }, .at = { -1, 0, 0 }, .v = { 2, 0, 0 }, .mass = 1 },
            { .kind = "sphere", .size = { 0.5 }, .at = { c, 0.51, 0 }, .mass = 1 },
            { .kind = "sphere", .size = { 0.5 }, .at = { c, -0.51, 0 }, .mass = 1 }
        };
        Trial t = trial(&(Setting){ 0, e[i], 1e-6, vec(0, 0, 0), false, 0 }, balls, 3);
        double before = trial_energy(&t);
        trial_run(&t, 1.5, 0.1);
        impVec3 v = trial_twist(&t, 1).linear;
        impVec3 a = trial_twist(&t, 2).linear;
        impVec3 b = trial_twist(&t, 3).linear;
        NEAR(v.y, 0, 1e-15);
        NEAR(a.x - b.x, 0, 1e-15);
        NEAR(a.y + b.y, 0, 1e-15);
        // cosine of the line of centres
        double n = a.x / sqrt(a.x * a.x + a.y * a.y);
        NEAR(v.x, 2 - (1 + e[i]) * 2 * n * n / (1 + 2 * n * n) * 2, 1e-12);
        NEAR(v.x + a.x + b.x, 2, 1e-14);
        if (e[i] == 1) {
            NEAR(trial_energy(&t) / before, 1, 1e-13);
        }
        assert_int_equal(t.collisions, 2);
        trial_free(&t);
    }
}

// spinning, any e and mu
static void rough_ones_create_no_energy(void **state) {
    (void)state;
    for (int i = 0; i < 50; i++) {
        double w = 7.0 * i - 100;
        Part balls[3] = {
            { .kind = "sphere",
              .size = { 0.5 },
              .at = { -1, 0, 0 },
              .v = { 2, 0, 0.3 },
              .w = { w, 5, w / 3 } },
            { .kind = "sphere", .size = { 0.5 }, .at = { 0.8, 0.51, 0 }, .w = { 3, w, 1 } },
            { .kind = "sphere", .size = { 0.5 }, .at = { 0.8, -0.51, 0 }, .w = { 1, 2, -w } }
        };
        Trial t = trial(&(Setting){ 0.03 * i, 0.02 * i, 1e-6, vec(0, 0, 0), false, 0 }, balls, 3);
        double before = trial_energy(&t);
        impMomentum p = impState_Momentum(t.m, t.s);
        trial_run(&t, 1.5, 0.1);
        impMomentum q = impState_Momentum(t.m, t.s);
        assert_true(t.collisions >= 2 && trial_energy(&t) <= before * (1 + 1e-13));
        NEAR(norm(sub(q.linear, p.linear)) / norm(p.linear), 0, 1e-13);
        NEAR(norm(sub(q.angular, p.angular)) / norm(p.angular), 0, 1e-12);
        NEAR(trial_energy(&t) - before, t.traded, 1e-12 * before);
        trial_free(&t);
    }
}

// Two triangles that meet in a valley: the next one is near, but not the nearest, until the ball is
// there.
static void a_valley_of_triangles_is_not_entered(void **state) {
    (void)state;
    impError err;
    impVec3 points[6] = { { -1, -1, 0.04 }, { 0, -1, 0 }, { 1, -1, 0.04 },
                          { -1, 1, 0.04 },  { 0, 1, 0 },  { 1, 1, 0.04 } };
    int32_t faces[16] = { 3, 0, 1, 4, 3, 0, 4, 3, 3, 1, 2, 5, 3, 1, 5, 4 };
    impScene *scene = impScene_New(vec(0, 0, -9.81));
    impScene_Material(
        scene, &(impMaterialDef){ .name = "m", .friction_static = 0.5, .friction_dynamic = 0.5 },
        &err);
    impShapeDef mesh = {
        .kind = "mesh", .points = points, .point_count = 6, .faces = faces, .face_ints = 16
    };
    impShapeDef ball = { .kind = "sphere", .size = { 0.02 } };
    impScene_Body(
        scene, &(impBodyDef){ .fixed = true, .material = "m", .shapes = &mesh, .shape_count = 1 },
        &err);
    impScene_Body(scene,
                  &(impBodyDef){ .pose.at = { -0.8, 0.1, 0.053 },
                                 .twist.linear = { 2, 0, 0 },
                                 .material = "m",
                                 .shapes = &ball,
                                 .shape_count = 1 },
                  &err);
    impScene_Run(scene, &(impRunDef){ .contact_band = 4e-6 }, &err);
    Trial t = trial_of(scene);
    trial_run(&t, 1, 0.01);
    assert_true(trial_at(&t, 2).x > 0.1 && t.slowest_gap > 1.99e-6);
    trial_free(&t);
}

// Where nothing pulls, balls that do not bounce stay together: what rounding leaves of their speeds
// is no approach.
static void a_pack_without_bounce_goes_on_together(void **state) {
    (void)state;
    Part part[28];
    for (int i = 0; i < 27; i++) {
        part[i] = (Part){ .kind = "sphere",
                          .size = { 0.05 },
                          .at = { 0.101 * (i % 3), 0.101 * (i / 3 % 3), 0.101 * (i / 9) },
                          .rotation = { 1, 0, 0, 0 },
                          .mass = 1 };
    }
    part[27] = (Part){ .kind = "sphere",
                       .size = { 0.05 },
                       .at = { -0.5, 0.11, 0.09 },
                       .v = { 3, 0, 0 },
                       .rotation = { 1, 0, 0, 0 },
                       .mass = 2 };
    Trial t = trial(&(Setting){ 0.3, 0, 1e-5, vec(0, 0, 0), false, 0 }, part, 28);
    trial_run(&t, 1, 0.01);
    impMomentum p = impState_Momentum(t.m, t.s);
    NEAR(p.linear.x, 6, 1e-9);
    trial_free(&t);
}

// Ten thousand times as heavy: the light one is hit back and forth some ten thousand times, and
// then carries it.
static void heavy_on_light_comes_to_rest(void **state) {
    (void)state;
    Part part[2] = { { .kind = "box",
                       .size = { 0.1, 0.1, 0.1 },
                       .at = { 0, 0, 0.0501 },
                       .rotation = { 1, 0, 0, 0 },
                       .mass = 1 },
                     { .kind = "box",
                       .size = { 0.1, 0.1, 0.1 },
                       .at = { 0, 0, 0.1502 },
                       .rotation = { 1, 0, 0, 0 },
                       .mass = 1e4 } };
    Trial t = trial(&(Setting){ 0.5, 0.2, 1e-5, vec(0, 0, -9.81), true, 0 }, part, 2);
    trial_run(&t, 0.5, 0.01);
    NEAR(trial_at(&t, 3).z, 0.15, 2e-5);
    trial_free(&t);
}

// Impulses through the middle of a ball turn nothing but for rounding: no reason to doubt a step.
static void a_ball_in_a_groove_of_ice(void **state) {
    (void)state;
    static impError err;
    impScene *scene = impScene_New(vec(0, 0, -9.81));
    impScene_Material(scene, &(impMaterialDef){ .name = "ice", .restitution = 0.2 }, &err);
    impShapeDef left = { .kind = "plane", .size = { sqrt(0.5), 0, sqrt(0.5), 0 } };
    impShapeDef right = { .kind = "plane", .size = { -sqrt(0.5), 0, sqrt(0.5), 0 } };
    impShapeDef ball = { .kind = "sphere", .size = { 0.05 } };
    impScene_Body(
        scene, &(impBodyDef){ .fixed = true, .material = "ice", .shapes = &left, .shape_count = 1 },
        &err);
    impScene_Body(
        scene,
        &(impBodyDef){ .fixed = true, .material = "ice", .shapes = &right, .shape_count = 1 },
        &err);
    impScene_Body(
        scene,
        &(impBodyDef){
            .pose.at = { 0.03, 0.33, 0.35 }, .material = "ice", .shapes = &ball, .shape_count = 1 },
        &err);
    Trial t = trial_of(scene);
    trial_run(&t, 2, 0.01);
    NEAR(trial_at(&t, 3).z, 0.05 * sqrt(2), 1e-4);
    trial_free(&t);
}

// A ball that flies by another at 4 cm, one that lands, and one that nobody is near.
static void the_smallest_gap_is_measured(void **state) {
    (void)state;
    Part balls[2] = { { .kind = "sphere",
                        .size = { 0.1 },
                        .at = { -0.5, 0.34 * sqrt(0.5), 0.34 * sqrt(0.5) },
                        .v = { 10, 0, 0 } },
                      { .kind = "sphere", .size = { 0.2 } } };
    Trial t = trial(&(Setting){ 0.5, 0.2, 1e-5, vec(0, 0, 0), false, 0 }, balls, 2);
    double least = impStep(t.stepper, t.s, NULL, 0.01).gap;
    // far away yet
    assert_true(least == HUGE_VAL);
    for (int i = 0; i < 20; i++) {
        least = fmin(least, impStep(t.stepper, t.s, NULL, 0.005).gap);
    }
    assert_true(least >= 0.04 - 1e-12 && least < 0.05 && t.m->run.contact_band < 0.04);
    trial_free(&t);
    t = trial(&(Setting){ 0.5, 0.2, 1e-5, vec(0, 0, -9.81), true, 0 },
              &(Part){ .kind = "sphere", .size = { 0.1 }, .at = { 0, 0, 0.2 } }, 1);
    double lands_at = impStep(t.stepper, t.s, NULL, 0.2).gap;
    // at the contact level, and not beyond
    assert_true(lands_at > 0 && lands_at <= 0.5e-5 * (1 + 1e-5));
    trial_free(&t);
    t = trial(&(Setting){ 0.5, 0.2, 1e-5, vec(0, 0, 0), true, 0 },
              &(Part){ .kind = "sphere", .size = { 0.1 }, .at = { 0, 0, 9 } }, 1);
    assert_true(impStep(t.stepper, t.s, NULL, 0.01).gap == HUGE_VAL);
    assert_true(impStep(t.stepper, t.s, NULL, 0).gap == HUGE_VAL &&
                impStep(t.stepper, t.s, NULL, -1).gap == HUGE_VAL);
    trial_free(&t);
}

// What a step prints of its truth is measured: a start inside the floor shows, and Newton's law is
// told on.
static void certificates_are_measured(void **state) {
    (void)state;
    Part box = { .kind = "box",
                 .size = { 0.1, 0.1, 0.1 },
                 .at = { 0, 0, 0.05 - 2e-6 },
                 .rotation = { 1, 0, 0, 0 },
                 .mass = 1 };
    Trial t = trial(&(Setting){ 0.5, 0.2, 1e-5, vec(0, 0, -9.81), true, 0 }, &box, 1);
    impOutcome out = impStep(t.stepper, t.s, NULL, 0.01);
    assert_int_equal(out.verdict, IMP_SOLVED);
    NEAR(out.certificate.overlap, 2e-6, 1e-9);
    NEAR(out.certificate.level_violation, 7e-6, 1e-9);
    NEAR(out.gap, -2e-6, 1e-9);
    trial_free(&t);
    Part rod = { .kind = "box",
                 .size = { 0.3, 0.004, 0.004 },
                 .at = { 0, 0, 0.16712875716221615 },
                 .v = { -0.88582487747078, 0, -1 },
                 .rotation = { 0.9168549016201102, 0, 0.39922060239318574, 0 },
                 .mass = 0.02 };
    int energy_gains[2];
    for (int law = 0; law < 2; law++) {
        t = trial(&(Setting){ 0.711, 0.974, 1e-6, vec(0, 0, -9.81), true,
                              law ? IMP_NEWTON : IMP_POISSON },
                  &rod, 1);
        energy_gains[law] = 0;
        for (int i = 0; i < 20; i++) {
            energy_gains[law] += impStep(t.stepper, t.s, NULL, 0.01).energy_gains;
        }
        trial_free(&t);
    }
    assert_int_equal(energy_gains[0], 0);
    assert_true(energy_gains[1] > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pack_without_bounce_goes_on_together),
        cmocka_unit_test(heavy_on_light_comes_to_rest),
        cmocka_unit_test(a_ball_in_a_groove_of_ice),
        cmocka_unit_test(the_smallest_gap_is_measured),
        cmocka_unit_test(certificates_are_measured),
        cmocka_unit_test(a_ball_between_two_stays_in_the_middle),
        cmocka_unit_test(rough_ones_create_no_energy),
        cmocka_unit_test(a_valley_of_triangles_is_not_entered),
    };
    return RUN(tests);
}
