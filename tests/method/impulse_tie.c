// impulse_tie.c -- collisions that happen at once, and a ball that rolls from triangle to triangle of a dish.
//
// SPDX-License-Identifier: MIT
#include "impulse_support.h"

// One ball meets two, mirrored in y. Without friction: W p = -(1 + e) u, so each gets 2 (1 + e) v c / (1 + 2 c^2) / 2.
static void a_ball_between_two_stays_in_the_middle(void **state) {
    (void)state;
    const double c = sqrt(0.75), e[] = { 0, 0.5, 1 };
    for (int i = 0; i < COUNT(e); i++) {
        Part balls[3] = { { .kind = "sphere", .size = { 0.5 }, .at = { -1, 0, 0 }, .v = { 2, 0, 0 }, .mass = 1 },
                          { .kind = "sphere", .size = { 0.5 }, .at = { c, 0.51, 0 }, .mass = 1 },
                          { .kind = "sphere", .size = { 0.5 }, .at = { c, -0.51, 0 }, .mass = 1 } };
        Trial t = trial(&(Setting){ 0, e[i], 1e-6, vec(0, 0, 0), false, 0 }, balls, 3);
        double before = trial_energy(&t);
        trial_run(&t, 1.5, 0.1);
        impVec3 v = trial_twist(&t, 1).linear, a = trial_twist(&t, 2).linear, b = trial_twist(&t, 3).linear;
        NEAR(v.y, 0, 1e-15);
        NEAR(a.x - b.x, 0, 1e-15);
        NEAR(a.y + b.y, 0, 1e-15);
        double n = a.x / sqrt(a.x * a.x + a.y * a.y);              // cosine of the line of centres
        NEAR(v.x, 2 - (1 + e[i]) * 2 * n * n / (1 + 2 * n * n) * 2, 1e-12);
        NEAR(v.x + a.x + b.x, 2, 1e-14);
        if (e[i] == 1) NEAR(trial_energy(&t) / before, 1, 1e-13);
        assert_int_equal(t.collisions, 2);
        trial_free(&t);
    }
}

static void rough_ones_create_no_energy(void **state) {   // spinning, any e and mu
    (void)state;
    for (int i = 0; i < 50; i++) {
        double w = 7.0 * i - 100;
        Part balls[3] = { { .kind = "sphere", .size = { 0.5 }, .at = { -1, 0, 0 }, .v = { 2, 0, 0.3 }, .w = { w, 5, w / 3 } },
                          { .kind = "sphere", .size = { 0.5 }, .at = { 0.8, 0.51, 0 }, .w = { 3, w, 1 } },
                          { .kind = "sphere", .size = { 0.5 }, .at = { 0.8, -0.51, 0 }, .w = { 1, 2, -w } } };
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

// Two triangles that meet in a valley: the next one is near, but not the nearest, until the ball is there.
static void a_valley_of_triangles_is_not_entered(void **state) {
    (void)state;
    impError err;
    impVec3 points[6] = { { -1, -1, 0.04 }, { 0, -1, 0 }, { 1, -1, 0.04 }, { -1, 1, 0.04 }, { 0, 1, 0 }, { 1, 1, 0.04 } };
    int32_t faces[16] = { 3, 0, 1, 4, 3, 0, 4, 3, 3, 1, 2, 5, 3, 1, 5, 4 };
    impScene *scene = impScene_New(vec(0, 0, -9.81));
    impScene_Material(scene, &(impMaterialDef){ .name = "m", .friction_static = 0.5, .friction_dynamic = 0.5 }, &err);
    impShapeDef mesh = { .kind = "mesh", .points = points, .point_count = 6, .faces = faces, .face_ints = 16 };
    impShapeDef ball = { .kind = "sphere", .size = { 0.02 } };
    impScene_Body(scene, &(impBodyDef){ .fixed = true, .material = "m", .shapes = &mesh, .shape_count = 1 }, &err);
    impScene_Body(scene, &(impBodyDef){ .pose.at = { -0.8, 0.1, 0.053 }, .twist.linear = { 2, 0, 0 }, .material = "m",
                                        .shapes = &ball, .shape_count = 1 }, &err);
    impScene_Run(scene, &(impRunDef){ .contact_band = 4e-6 }, &err);
    Trial t = trial_of(scene);
    trial_run(&t, 1, 0.01);
    assert_true(trial_at(&t, 2).x > 0.1 && t.slowest_gap > 1.99e-6);
    trial_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_between_two_stays_in_the_middle),
        cmocka_unit_test(rough_ones_create_no_energy),
        cmocka_unit_test(a_valley_of_triangles_is_not_entered),
    };
    return RUN(tests);
}
