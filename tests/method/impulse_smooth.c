// impulse_smooth.c -- smooth bodies on each other: they roll by the book, and heaps of them come to
// rest.
//
// What rolls without slipping on top of a fixed round body of radius R obeys (R + r)(1 + k) theta''
// = g sin theta, with k = I / (m r^2); without friction k = 0 (any textbook of mechanics). Discs
// that lie on discs, cones, capsules and ellipsoids in a heap must neither stop time nor gain
// energy: a microcollision may raise it by some m g eps (docs/theory/microcollisions.md, section
// 7).
//
// SPDX-License-Identifier: MIT
#include "impulse_support.h"

static const double G = 9.81;
static impError err;

static impScene *scene_of(double friction, double restitution, double band) {
    impScene *s = impScene_New(vec(0, 0, -G));
    impScene_Material(s,
                      &(impMaterialDef){ .name = "m",
                                         .friction_static = friction,
                                         .friction_dynamic = friction,
                                         .restitution = restitution,
                                         .density = 1000 },
                      &err);
    impScene_Run(s, &(impRunDef){ .contact_band = band }, &err);
    return s;
}

static void put(impScene *s, const impShapeDef *shape, impVec3 at, impQuat rotation, bool fixed) {
    impScene_Body(s,
                  &(impBodyDef){ .pose = { at, rotation },
                                 .fixed = fixed,
                                 .material = "m",
                                 .shapes = shape,
                                 .shape_count = 1 },
                  &err);
}

// How far the energy was ever above the least before.
static double rise_of(Trial *t, int steps, double h) {
    double least = trial_energy(t);
    double gain = 0;
    for (int i = 0; i < steps; i++) {
        trial_run(t, h, h);
        double e = trial_energy(t);
        least = fmin(least, e);
        gain = fmax(gain, e - least);
    }
    return gain;
}

// --- rolling on a round body ---------------------------------------------------------------------
typedef struct Roll {
    const char *what;
    impShapeDef below, above;
    double R, r, k, friction, allowed;
    bool lying;
} Roll;

// from rest, by small steps of Runge and Kutta
static double theta_after(const Roll *q, double theta, double seconds) {
    const double h = 1e-4;
    const double c = G / ((q->R + q->r) * (1 + q->k));
    double x = theta;
    double v = 0;
    for (int i = 0; i < (int)(seconds / h + 0.5); i++) {
        double a1 = c * sin(x);
        double a2 = c * sin(x + 0.5 * h * v);
        double a3 = c * sin(x + 0.5 * h * (v + 0.5 * h * a1));
        double a4 = c * sin(x + h * (v + 0.5 * h * a2));
        x += h * (v + h * (a1 + a2 + a3) / 6);
        v += h * (a1 + 2 * a2 + 2 * a3 + a4) / 6;
    }
    return x;
}

static void they_roll_off_round_bodies(void **state) {
    (void)state;
    const impQuat along_y = { 0.70710678118654752, 0.70710678118654752, 0, 0 };
    const impQuat upright = { 1, 0, 0, 0 };
    const double start = 0.2;
    const double seconds = 0.2;
    const double band = 1e-5;
#define SHAPE(name, ...)                                                                           \
    {                                                                                              \
        .kind = name, .size = { __VA_ARGS__ }                                                      \
    }
    const Roll rows[] = {
        { "cylinder on cylinder", SHAPE("cylinder", 0.1, 0.3), SHAPE("cylinder", 0.05, 0.2), 0.1,
          0.05, 0.5, 5, 5e-5, true },
        { "cylinder on capsule", SHAPE("capsule", 0.1, 0.3), SHAPE("cylinder", 0.05, 0.2), 0.1,
          0.05, 0.5, 5, 5e-5, true },
        { "ellipsoid on cylinder", SHAPE("cylinder", 0.1, 0.3),
          SHAPE("ellipsoid", 0.05, 0.05, 0.05), 0.1, 0.05, 0.4, 5, 5e-5, true },
        { "ellipsoid on ellipsoid", SHAPE("ellipsoid", 0.1, 0.1, 0.1),
          SHAPE("ellipsoid", 0.05, 0.05, 0.05), 0.1, 0.05, 0.4, 5, 5e-5, false },
        { "ellipsoid on ice", SHAPE("ellipsoid", 0.1, 0.1, 0.1),
          SHAPE("ellipsoid", 0.05, 0.05, 0.05), 0.1, 0.05, 0, 0, 5e-5, false },
    };
    for (int i = 0; i < COUNT(rows); i++) {
        const Roll *q = &rows[i];
        double far = q->R + q->r + 0.5 * band;
        impScene *s = scene_of(q->friction, 0, band);
        put(s, &q->below, vec(0, 0, 0), q->lying ? along_y : upright, true);
        put(s, &q->above, vec(far * sin(start), 0, far * cos(start)), q->lying ? along_y : upright,
            false);
        Trial t = trial_of(s);
        trial_run(&t, seconds, 0.01);
        impVec3 x = trial_at(&t, 2);
        double found = atan2(x.x, x.z);
        double right = theta_after(q, start, seconds);
        print_message("    %-24s %.6f rad, should be %.6f; %d micro-steps\n", q->what, found, right,
                      t.micro_steps);
        NEAR(found / right, 1, q->allowed);
        NEAR(hypot(x.x, x.z), q->R + q->r, band);
        trial_free(&t);
    }
}

// Along each other they slip without rising: on ice, micro-steps of full length. Corners that were
// joined by more than what is square to the axes would seem to fly apart, and land a hundred times
// as often.
static void a_cylinder_slips_along_another(void **state) {
    (void)state;
    const impQuat along_y = { 0.70710678118654752, 0.70710678118654752, 0, 0 };
    const impShapeDef below = SHAPE("cylinder", 0.1, 0.5);
    const impShapeDef above = SHAPE("cylinder", 0.05, 0.2);
    const double band = 1e-5;
    impScene *s = scene_of(0, 0, band);
    put(s, &below, vec(0, 0, 0), along_y, true);
    impScene_Body(s,
                  &(impBodyDef){ .pose = { { 0, -0.1, 0.15 + 0.5 * band }, along_y },
                                 .twist.linear = { 0, 1, 0 },
                                 .material = "m",
                                 .shapes = &above,
                                 .shape_count = 1 },
                  &err);
    Trial t = trial_of(s);
    trial_run(&t, 0.1, 0.01);
    impVec3 x = trial_at(&t, 2);
    NEAR(x.y, 0, 1e-12);
    NEAR(x.z, 0.15, 1e-5);
    print_message("    %d micro-steps in 0.1 s\n", t.micro_steps);
    // of 1.43 ms, the first ones shorter
    assert_true(t.micro_steps > 60 && t.micro_steps < 90);
    trial_free(&t);
}

// --- what crosses --------------------------------------------------------------------------------
static const impQuat ALONG_Y = { 0.70710678118654752, -0.70710678118654752, 0, 0 },
                     ALONG_X = { 0.70710678118654752, 0, 0.70710678118654752, 0 };

static Trial crossed(const impShapeDef *below, const impShapeDef *above, double height,
                     impQuat rotation, impTwist twist, double friction) {
    const double band = 1e-5;
    impScene *s = scene_of(friction, 0, band);
    put(s, below, vec(0, 0, 0), ALONG_Y, true);
    impScene_Body(s,
                  &(impBodyDef){ .pose = { { 0, 0, height + 0.5 * band }, rotation },
                                 .twist = twist,
                                 .material = "m",
                                 .shapes = above,
                                 .shape_count = 1 },
                  &err);
    return trial_of(s);
}

// lines that pass at their axes, not at their surfaces
static void a_capsule_rocks_on_another_without_gain(void **state) {
    (void)state;
    const impShapeDef below = SHAPE("capsule", 0.1, 0.4);
    const impShapeDef above = SHAPE("capsule", 0.03, 0.4);
    Trial t = crossed(&below, &above, 0.13, ALONG_X, (impTwist){ { 0.06, 0, 0 }, { 0, 2, 0 } }, 5);
    double e = trial_energy(&t);
    trial_run(&t, 10, 0.05);
    // 0.6 m g eps, of 0.04 J that moves; 5e-4 were gained
    NEAR(trial_energy(&t), e, 7e-5);
    trial_free(&t);
}

// whatever the angle
static void a_cylinder_turns_on_another_as_on_a_point(void **state) {
    (void)state;
    const impShapeDef below = SHAPE("cylinder", 0.1, 0.6);
    const impShapeDef above = SHAPE("cylinder", 0.05, 0.3);
    const double yaws[] = { 0.02, 0.08, 0.5 };
    for (int i = 0; i < COUNT(yaws); i++) {
        impQuat rotation = qmul(quat(cos(yaws[i] / 2), 0, 0, sin(yaws[i] / 2)), ALONG_Y);
        Trial t = crossed(&below, &above, 0.15, rotation, (impTwist){ .angular = { 0, 0, 0.05 } },
                          0.5);
        trial_run(&t, 0.1, 0.01);
        NEAR(trial_twist(&t, 2).angular.z, 0.05, 1e-9);
        trial_free(&t);
    }
}

// the piece it touches is one triangle
static void smooth_bodies_on_the_ridge_of_a_mesh(void **state) {
    (void)state;
    const impVec3 points[] = { { -1, -1, -0.3 }, { 0, -1, 0 },    { 0, 1, 0 },
                               { -1, 1, -0.3 },  { 1, -1, -0.3 }, { 1, 1, -0.3 } };
    const int32_t faces[] = { 3, 0, 1, 2, 3, 0, 2, 3, 3, 1, 4, 5, 3, 1, 5, 2 };
    const impShapeDef ridge = { .kind = "mesh",
                                .points = points,
                                .point_count = 6,
                                .faces = faces,
                                .face_ints = COUNT(faces) };
    const impShapeDef on[] = { SHAPE("ellipsoid", 0.04, 0.03, 0.02),
                               SHAPE("cylinder", 0.03, 0.05) };
    for (int i = 0; i < COUNT(on); i++) {
        impScene *s = scene_of(0.4, 0, 0);
        put(s, &ridge, vec(0, 0, 0), (impQuat){ 1, 0, 0, 0 }, true);
        put(s, &on[i], vec(0.005, 0, 0.06), (impQuat){ 1, 0, 0, 0 }, false);
        Trial t = trial_of(s);
        double e = trial_energy(&t);
        trial_run(&t, 0.4, 0.01);
        assert_true(t.micro_steps > 20 && trial_energy(&t) < e);
        trial_free(&t);
    }
}

// it stands on one piece, and touches another
static void a_can_in_a_corner_that_shakes(void **state) {
    (void)state;
    const impShapeDef corner[] = {
        { .kind = "box", .size = { 0.6, 0.6, 0.02 }, .pose = { { 0, 0, -0.01 }, { 1, 0, 0, 0 } } },
        { .kind = "box", .size = { 0.02, 0.6, 0.2 }, .pose = { { 0.11, 0, 0.1 }, { 1, 0, 0, 0 } } }
    };
    const impShapeDef can = SHAPE("cylinder", 0.03, 0.06);
    const impMotionDef shake = {
        .kind = "vibrate", .axis = { 0, 0, 1 }, .angle = 0.004, .frequency = 20
    };
    impScene *s = scene_of(0.2, 0, 0);
    impScene_Body(s,
                  &(impBodyDef){ .motions = &shake,
                                 .motion_count = 1,
                                 .material = "m",
                                 .shapes = corner,
                                 .shape_count = 2 },
                  &err);
    impScene_Body(s,
                  &(impBodyDef){ .pose = { { 0.069, 0.05, 0.030003 }, { 1, 0, 0, 0 } },
                                 .twist.linear = { 0.3, 0, 0 },
                                 .material = "m",
                                 .shapes = &can,
                                 .shape_count = 1 },
                  &err);
    Trial t = trial_of(s);
    trial_run(&t, 0.1, 0.01);
    assert_true(trial_at(&t, 2).x < 0.0701 && t.micro_steps < 2000);
    trial_free(&t);
}

// --- what is nearly smooth -----------------------------------------------------------------------
// A marble of many facets, several corners of it within the band, loses its speed to them (no
// bounce), and rests. Were it taken to stand on its lowest corner alone, each micro-step would lift
// it anew, and it would roll for ever.
static void a_faceted_marble_slows_down(void **state) {
    (void)state;
    enum { N = 400 };
    static impVec3 points[N];
    // on a spiral
    for (int i = 0; i < N; i++) {
        double z = 1 - (2 * i + 1.0) / N;
        double r = sqrt(1 - z * z);
        double angle = 2.39996322972865332 * i;
        points[i] = scale(0.008, vec(r * cos(angle), r * sin(angle), z));
    }
    const impShapeDef marble = { .kind = "hull", .points = points, .point_count = N };
    const impShapeDef floor = SHAPE("plane", 0, 0, 1, 0);
    impScene *s = scene_of(0.2, 0, 6e-5);
    put(s, &floor, vec(0, 0, 0), (impQuat){ 1, 0, 0, 0 }, true);
    impScene_Body(s,
                  &(impBodyDef){ .pose = { { 0, 0, 0.00805 }, { 1, 0, 0, 0 } },
                                 .twist = { { 0.05, 0, 0 }, { 0, 6.25, 0 } },
                                 .material = "m",
                                 .shapes = &marble,
                                 .shape_count = 1 },
                  &err);
    Trial t = trial_of(s);
    trial_run(&t, 1.5, 0.01);
    print_message("    %d micro-steps; asleep: %d\n", t.micro_steps, trial_asleep(&t, 2));
    assert_true(trial_asleep(&t, 2));
    trial_free(&t);
}

// --- heaps ---------------------------------------------------------------------------------------
// each 4 mm beside the one below
static void discs_on_each_other_come_to_rest(void **state) {
    (void)state;
    enum { N = 5 };
    const impShapeDef disc = SHAPE("cylinder", 0.05, 0.02);
    const impShapeDef floor = SHAPE("plane", 0, 0, 1, 0);
    impScene *s = scene_of(0.5, 0.2, 0);
    put(s, &floor, vec(0, 0, 0), (impQuat){ 1, 0, 0, 0 }, true);
    for (int i = 0; i < N; i++) {
        put(s, &disc, vec(0.004 * i, 0, 0.0101 + 0.0201 * i), (impQuat){ 1, 0, 0, 0 }, false);
    }
    Trial t = trial_of(s);
    trial_run(&t, 1.5, 0.01);
    for (int i = 0; i < N; i++) {
        assert_true(trial_asleep(&t, 2 + i));
        NEAR(trial_at(&t, 2 + i).z, 0.01 + 0.02 * i, 2e-5);
    }
    trial_free(&t);
}

static void a_heap_of_all_kinds_gains_nothing(void **state) {
    (void)state;
    const impShapeDef shapes[] = { SHAPE("cylinder", 0.05, 0.1), SHAPE("capsule", 0.03, 0.1),
                                   SHAPE("cone", 0.05, 0.1), SHAPE("ellipsoid", 0.05, 0.04, 0.03),
                                   SHAPE("box", 0.1, 0.06, 0.04) };
    const impShapeDef floor = SHAPE("plane", 0, 0, 1, 0);
    impScene *s = scene_of(0.5, 0.2, 0);
    put(s, &floor, vec(0, 0, 0), (impQuat){ 1, 0, 0, 0 }, true);
    for (int i = 0; i < COUNT(shapes); i++) {
        put(s, &shapes[i], vec(0.01 * (i % 3), 0.01 * (i % 2), 0.1 + 0.13 * i),
            unit(quat(1, 0.1 * i, 0.3 * (i % 2), 0)), false);
    }
    Trial t = trial_of(s);
    double gain = rise_of(&t, 100, 0.01);
    print_message("    %d collisions, %d micro-steps; at most %.2g J above the least before\n",
                  t.collisions, t.micro_steps, gain);
    assert_true(t.micro_steps > 100);
    // of 9 J; m g eps of all of them is 4e-5
    assert_true(gain <= 1e-5);
    trial_free(&t);
}

// A coin that slaps down flat, so that its rim is a little too low between its marks when a very
// short micro-step is due. Closed within that micro-step, this gap kicked the coin up at half a
// metre a second.
static void a_coin_that_slaps_flat_is_not_kicked(void **state) {
    (void)state;
    const impShapeDef floor = SHAPE("plane", 0, 0, 1, 0);
    const impShapeDef coin = SHAPE("cylinder", 0.0192, 0.0052);
    impScene *s = scene_of(0.5, 0, 1e-5);
    put(s, &floor, vec(0, 0, 0), (impQuat){ 1, 0, 0, 0 }, true);
    impScene_Body(
        s,
        &(impBodyDef){
            .pose = { { 0, 0, 0.002742584066162722 },
                      { 0.9999940337272388, 0.00033831314149405256, -0.0034377396853484963, 0 } },
            .twist = { { 0, 0, -0.29162810027816266 },
                       { -2.541204333264428, 13.346283494611633, -0.4232017328833608 } },
            .material = "m",
            .shapes = &coin,
            .shape_count = 1 },
        &err);
    Trial t = trial_of(s);
    const double mass = 1000 * 3.14159265 * 0.0192 * 0.0192 * 0.0052;
    double gain = rise_of(&t, 20, 1.0 / 60);
    print_message("    at most %.2g m g eps above the least before\n", gain / (mass * G * 1e-5));
    assert_true(gain <= mass * G * 1e-5);
    trial_free(&t);
}

// Out of a heap: a coin whose lowest point is within a hair of one of the marks of its rim, and
// goes down while that goes up. Lower than the level by more than the tolerance, it let no time
// pass.
static void a_coin_whose_mark_goes_up_while_its_rim_goes_down(void **state) {
    (void)state;
    const impShapeDef floor = SHAPE("plane", 0, 0, 1, 0);
    const impShapeDef coin = SHAPE("cylinder", 0.0292, 0.0021);
    impScene *s = scene_of(0.8, 0, 1e-5);
    put(s, &floor, vec(0, 0, 0), (impQuat){ 1, 0, 0, 0 }, true);
    impScene_Body(s,
                  &(impBodyDef){ .pose = { { 0.0611, 0.0602, 0.27 },
                                           { 0.11403335958859151, 0.9801471649465257,
                                             -0.04332324782332385, -0.15630426784405538 } },
                                 .twist.angular = { 1.0109, -1.0167, 4.1555 },
                                 .material = "m",
                                 .shapes = &coin,
                                 .shape_count = 1 },
                  &err);
    Trial t = trial_of(s);
    // as the command makes its steps: it is a matter of a hair
    for (int i = 0; i < 18; i++) {
        trial_run(&t, (i + 1) / 60.0 - i / 60.0, (i + 1) / 60.0 - i / 60.0);
    }
    print_message("    %d looks\n", t.query_count);
    assert_true(t.query_count < 20000);
    trial_free(&t);
}

// Two cans that lie on each other, nearly parallel, and rock: the point where they cross runs from
// end to end in microseconds. A micro-step that does not see that lands at once, again and again.
static void cans_that_rock_on_each_other(void **state) {
    (void)state;
    const double band = 2e-5;
    const double R = 0.01;
    const double angle[] = { 1e-3, 3e-3, 1e-2, 3e-2, 0.1 };
    const impShapeDef can = { .kind = "cylinder", .size = { R, 0.04 } };
    const impQuat along_x = { 0.70710678118654752, 0, 0.70710678118654752, 0 };
    for (int i = 0; i < (int)COUNT(angle); i++) {
        impScene *s = scene_of(0.4, 0, band);
        put(s, &can, vec(0, 0, 0), along_x, true);
        impQuat rotation = qmul(quat(cos(0.5 * angle[i]), 0, 0, sin(0.5 * angle[i])), along_x);
        impScene_Body(s,
                      &(impBodyDef){ .pose = { { 0, 0, 2 * R + 0.5 * band }, rotation },
                                     .twist.angular = { 0, 20, 0 },
                                     .material = "m",
                                     .shapes = &can,
                                     .shape_count = 1 },
                      &err);
        Trial t = trial_of(s);
        trial_run(&t, 0.005, 0.001);
        print_message("    %g rad: %d collisions, %d microcollisions in 5 ms\n", angle[i],
                      t.collisions, t.micro_steps);
        assert_true(t.collisions + t.micro_steps < 30);
        trial_free(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_roll_off_round_bodies),
        cmocka_unit_test(a_cylinder_slips_along_another),
        cmocka_unit_test(a_capsule_rocks_on_another_without_gain),
        cmocka_unit_test(a_cylinder_turns_on_another_as_on_a_point),
        cmocka_unit_test(smooth_bodies_on_the_ridge_of_a_mesh),
        cmocka_unit_test(a_can_in_a_corner_that_shakes),
        cmocka_unit_test(a_faceted_marble_slows_down),
        cmocka_unit_test(cans_that_rock_on_each_other),
        cmocka_unit_test(discs_on_each_other_come_to_rest),
        cmocka_unit_test(a_heap_of_all_kinds_gains_nothing),
        cmocka_unit_test(a_coin_that_slaps_flat_is_not_kicked),
        cmocka_unit_test(a_coin_whose_mark_goes_up_while_its_rim_goes_down),
    };
    return RUN(tests);
}
