// build.c -- tests of model/build.c: every check of a scene, with its exact words; defaults and
// warnings.
//
// SPDX-License-Identifier: MIT
#include "model/rig.h"

static impBodyDef box(const char *name) {
    impBodyDef def = { .name = name, .shapes = &UNIT_BOX, .shape_count = 1, .mass = 1 };
    return def;
}

// --- I8: orientations ----------------------------------------------------------------------------
static void i8_orientation_of_no_length(void **state) {
    (void)state;
    impBodyDef b = box("b");
    b.pose.rotation = (impQuat){ NO_NUMBER, 0, 0, 0 };
    REFUSED(scene_with(&b), "body 'b': orientation of length nan; it must be a unit quaternion");
    b.pose.rotation = (impQuat){ HUGE_VAL, 0, 0, 0 };
    REFUSED(scene_with(&b), "body 'b': orientation of length inf; it must be a unit quaternion");
    b.pose.rotation = (impQuat){ 0, 1e-200, 0, 0 };
    REFUSED(scene_with(&b), "body 'b': orientation of length 0; it must be a unit quaternion");
    const char *zero =
        "{ \"impel\": 1, \"bodies\": [ { \"name\": \"b\", \"orientation\": [0, 0, 0, 0] } ] }";
    // said in a file, zero is a mistake
    assert_null(impScene_Parse(zero, strlen(zero), "test.json", NULL, &err));
    SAME_TEXT(message(0),
              "test.json:1:57: body 'b': orientation [0, 0, 0, 0]; it must be a unit quaternion");
}

static void i8_orientation_is_normalised_and_reported(void **state) {
    (void)state;
    impBodyDef b = box("b");
    b.pose.rotation = (impQuat){ 0, 0, 1.25, 0 };
    impModel *model = built_with(&b);
    assert_true(warned(model, "body 'b': orientation of length 1.25; it was normalised"));
    SAME_BITS(model->body[1].pose0.rotation.y, 1);
    impModel_Free(model);

    // rounding is not worth a word
    b.pose.rotation = (impQuat){ 1 + 1e-7, 0, 0, 0 };
    model = built_with(&b);
    // that of the material
    assert_int_equal(impModel_WarningCount(model), 1);
    SAME_BITS(model->body[1].pose0.rotation.w, 1);
    impModel_Free(model);

    b.pose.rotation = (impQuat){ 0, 0, 0, 0 };
    model = built_with(&b);
    SAME_BITS(model->body[1].pose0.rotation.w, 1);
    impModel_Free(model);
}

// --- I9, I10: velocities and positions -----------------------------------------------------------
static void i9_velocity_beyond_the_limit(void **state) {
    (void)state;
    const double runs[] = { 1e4, 1e6, 1e8 };
    const double fails[] = { 1.0001e8, 1e300, HUGE_VAL, NO_NUMBER };
    impBodyDef b = box("b");
    for (int i = 0; i < COUNT(runs); i++) {
        b.twist = (impTwist){ { runs[i], 0, 0 }, { 0, runs[i], 0 } };
        impModel *model = built_with(&b);
        // not clamped
        SAME_BITS(model->start[model->layout.v], runs[i]);
        impModel_Free(model);
    }
    for (int i = 0; i < COUNT(fails); i++) {
        char text[200];
        b.twist = (impTwist){ { 0, fails[i], 0 }, { 0, 0, 0 } };
        snprintf(text, sizeof text,
                 "body 'b': velocity [0, %s, 0] m/s; its size must be at most 1e8",
                 show(fails[i]).text);
        REFUSED(scene_with(&b), text);
        b.twist = (impTwist){ { 0, 0, 0 }, { 0, 0, fails[i] } };
        snprintf(text, sizeof text,
                 "body 'b': angular velocity [0, 0, %s] rad/s; its size must be at most 1e8",
                 show(fails[i]).text);
        REFUSED(scene_with(&b), text);
    }
}

static void i10_position_beyond_the_limit(void **state) {
    (void)state;
    impBodyDef b = box("b");
    b.pose.at = (impVec3){ 0, 0, 1e15 };
    REFUSED(scene_with(&b),
            "body 'b': position [0, 0, 1e15] m; each coordinate must lie within +-1e9");
    b.pose.at = (impVec3){ NO_NUMBER, 0, 0 };
    REFUSED(scene_with(&b),
            "body 'b': position [nan, 0, 0] m; each coordinate must lie within +-1e9");
    b.pose.at = (impVec3){ 1e7, 0, 0 };
    impModel_Free(built_with(&b));
}

static void i10_position_that_loses_digits_is_noted(void **state) {
    (void)state;
    const impShapeDef grain = { .kind = "sphere", .size = { 5e-4 } };
    impBodyDef b = {
        .name = "grain", .shapes = &grain, .shape_count = 1, .pose.at = { 1e7, 0, 0 }
    };
    impModel *model = built_with(&b);
    assert_true(warned(model, "body 'grain': so far out that positions are rounded to "
                              "2.220446049250313e-9 m, more than a "
                              "millionth of its size"));
    impModel_Free(model);
}

// --- I5, I6, S16: sizes that people regret -------------------------------------------------------
static void i5_masses_that_span_too_much_are_noted(void **state) {
    (void)state;
    impScene *scene = empty_scene();
    impBodyDef light = box("feather");
    impBodyDef heavy = box("moon");
    light.mass = 1e-3;
    heavy.mass = 1e10;
    impScene_Body(scene, &light, &err);
    impScene_Body(scene, &heavy, &err);
    impModel *model = built(scene);
    assert_true(warned(
        model, "body 'moon' is 10000000000000 times as heavy as 'feather'; digits will be lost"));
    impModel_Free(model);
}

// Without contacts a ratio of masses means nothing; the stack and the chain come with the methods
// that move them.
static void i6_mass_ratio_of_a_million_builds_and_flies(void **state) {
    (void)state;
    impScene *scene = empty_scene();
    impBodyDef light = box("light");
    impBodyDef heavy = box("heavy");
    heavy.mass = 1e6;
    impScene_Body(scene, &light, &err);
    impScene_Body(scene, &heavy, &err);
    impModel *model = built(scene);
    impStepper *stepper = impStepper_New(model, &(impStepperDef){ .method = "flight" }, &err);
    impState *world = impState_New(model);
    // only that they have no material
    assert_int_equal(impModel_WarningCount(model), 2);
    assert_int_equal(impStep(stepper, world, NULL, 0.1).verdict, IMP_SOLVED);
    impStepper_Free(stepper);
    impState_Free(world);
    impModel_Free(model);
}

static void lengths_that_look_like_millimetres_are_noted(void **state) {
    (void)state;
    const impShapeDef shapes[] = { { .kind = "box", .size = { 2000, 1, 1 } },
                                   { .kind = "sphere", .size = { 2e-5 } } };
    const char *const texts[] = { "body 'b': 2000 m long; lengths are in metres",
                                  "body 'b': only 4e-5 m long; lengths are in metres" };
    for (int i = 0; i < 2; i++) {
        impModel *model = built_with(
            &(impBodyDef){ .name = "b", .shapes = &shapes[i], .shape_count = 1 });
        assert_true(warned(model, texts[i]));
        impModel_Free(model);
    }
}

// --- roles, names, motions -----------------------------------------------------------------------
static void a_body_is_fixed_moved_or_dynamic(void **state) {
    (void)state;
    const impMotionDef spin = { .kind = "spin", .axis = { 0, 0, 2 }, .rate = 3 };
    impBodyDef b = box("b");
    impModel *model = built_with(&b);
    assert_int_equal(impModel_Role(model, (impBody){ 1 }), IMP_DYNAMIC);
    impModel_Free(model);
    b.motions = &spin;
    b.motion_count = 1;
    model = built_with(&b);
    assert_int_equal(impModel_Role(model, (impBody){ 1 }), IMP_KINEMATIC);
    SAME_BITS(model->motion[0].axis.z, 1);
    impModel_Free(model);
    b.fixed = true;
    REFUSED(scene_with(&b), "body 'b': fixed and with a motion; it can only be one of them");
    b.motion_count = 0;
    b.twist.linear.x = 1;
    REFUSED(scene_with(&b),
            "body 'b': a velocity for a body that is fixed; only dynamic bodies have one");
    b.fixed = false;
    b.motion_count = 1;
    REFUSED(
        scene_with(&b),
        "body 'b': a velocity for a body that is moved by a motion; only dynamic bodies have one");
}

static void motions_are_checked(void **state) {
    (void)state;
    impMotionDef m = { .kind = "wobble" };
    impBodyDef b = box("b");
    b.motions = &m;
    b.motion_count = 1;
    REFUSED(scene_with(&b),
            "body 'b': motion \"wobble\" is unknown; it must be spin, vibrate or translate");
    m.kind = NULL;
    REFUSED(scene_with(&b),
            "body 'b': motion \"\" is unknown; it must be spin, vibrate or translate");
    m = (impMotionDef){ .kind = "spin", .rate = 1 };
    REFUSED(scene_with(&b), "body 'b': spin axis [0, 0, 0]; it must have a direction");
    m = (impMotionDef){ .kind = "spin", .axis = { 1, 0, 0 }, .rate = NO_NUMBER };
    REFUSED(scene_with(&b), "body 'b': spin rate nan; it must be a finite number");
    m = (impMotionDef){ .kind = "vibrate", .frequency = -1 };
    REFUSED(scene_with(&b), "body 'b': frequency -1 Hz; it must be from 0 to 1e9");
    m = (impMotionDef){ .kind = "translate", .velocity = { 0, 0, NO_NUMBER } };
    REFUSED(scene_with(&b),
            "body 'b': translation with a velocity that is not finite; each part must be a number");
}

static void names_are_unique(void **state) {
    (void)state;
    impBodyDef a = box("twin");
    impBodyDef w = box("world");
    impBodyDef none = box("");
    impScene *scene = scene_with(&a);
    impScene_Body(scene, &a, &err);
    REFUSED(scene, "body 'twin': the name is taken; names must be unique");
    REFUSED(scene_with(&w), "body 'world': the name belongs to the world itself; choose another");
    REFUSED(scene_with(&none), "body 1: its name is empty; it must have one");
    REFUSED(
        parsed("{ \"impel\": 1, \"bodies\": [\n { \"name\": \"a\", \"fixed\": true },\n { "
               "\"name\": \"a\", "
               "\"fixed\": true } ] }"),
        "test.json:3:2: body 'a': the name is taken by the body at line 2; names must be unique");
}

// --- the scene as a whole ------------------------------------------------------------------------
static void gravity_and_run_are_checked(void **state) {
    (void)state;
    REFUSED(impScene_New((impVec3){ 0, 0, NO_NUMBER }),
            "scene: gravity [0, 0, nan] m/s^2; its size must be at most 1e6");
    REFUSED(impScene_New((impVec3){ 2e6, 0, 0 }),
            "scene: gravity [2000000, 0, 0] m/s^2; its size must be at most 1e6");
    const struct {
        impRunDef run;
        const char *text;
    } cases[] = {
        { { .duration = -1 }, "run: duration -1 s; it must be 0 or more" },
        { { .duration = HUGE_VAL }, "run: duration inf s; it must be 0 or more" },
        { { .dt = -0.5 }, "run: dt -0.5 s; it must be positive" },
        { { .contact_band = NO_NUMBER }, "run: contact_band nan m; it must be positive" },
        { { .micro = (impMicro)7 }, "run: micro 7 is unknown; it must be microstep or reversal" },
        { { .prediction = (impPrediction)2 },
          "run: prediction 2 is unknown; it must be exact or runge_kutta" },
        { { .shock_propagation = -1 },
          "run: shock_propagation -1; it must lie between 0 and 1000000" },
    };
    for (int i = 0; i < COUNT(cases); i++) {
        impScene *scene = empty_scene();
        assert_true(impScene_Run(scene, &cases[i].run, &err));
        REFUSED(scene, cases[i].text);
    }
}

// A block with a plate on it, both 0.1 m wide, in a body that is turned by `turn` about its axes.
static double band_of_plated(double block, double plate, bool fixed, impQuat rotation) {
    impShapeDef piece[] = { { .kind = "box", .size = { 0.1, 0.1, block } },
                            { .kind = "box", .size = { 0.1, 0.1, plate } } };
    impScene *scene = impScene_New((impVec3){ 0, 0, -9.81 });
    piece[1].pose.at = rotate(rotation, vec(0, 0, 0.5 * (block + plate)));
    for (int i = 0; i < 2; i++) {
        piece[i].pose.rotation = rotation;
    }
    impScene_Body(scene, &(impBodyDef){ .fixed = fixed, .shapes = piece, .shape_count = 2 }, &err);
    impModel *m = impModel_Build(scene, &err);
    impScene_Free(scene);
    if (!m) {
        fail_msg("%s", err.message[0].text);
    }
    double band = impModel_Run(m).contact_band;
    impModel_Free(m);
    return band;
}

static void a_plate_on_a_block_does_not_make_the_band_as_thin(void **state) {
    (void)state;
    const impQuat straight = quat(1, 0, 0, 0);
    const impQuat askew = quat(0.5, -0.5, 0.1, 0.7);
    // of the plate, a fifth of the body; of the body, whichever way it lies in its axes
    NEAR(band_of_plated(0.08, 0.02, false, straight), 2e-6, 1e-18);
    NEAR(band_of_plated(0.099, 0.001, false, straight), 1e-6, 1e-12);
    NEAR(band_of_plated(0.099, 0.001, false, askew), 1e-6, 1e-12);
    NEAR(band_of_plated(0.0199, 0.0001, false, askew), 2e-7, 1e-12);
    // a hundredth of the plate; and of one that does not move, whose plate may be a wall
    NEAR(band_of_plated(0.09999, 0.00001, false, straight), 1e-7, 1e-18);
    NEAR(band_of_plated(0.099, 0.001, true, straight), 1e-7, 1e-18);
}

static void the_contact_band_is_a_fraction_of_the_smallest_extent(void **state) {
    (void)state;
    const impShapeDef plate = { .kind = "box", .size = { 1, 1, 0.01 } };
    const impShapeDef wire = { .kind = "capsule", .size = { 1e-3, 1 } };
    impScene *scene = scene_with(&(impBodyDef){ .shapes = &plate, .shape_count = 1 });
    impScene_Body(scene, &(impBodyDef){ .shapes = &wire, .shape_count = 1, .fixed = true }, &err);
    impModel *model = built(scene);
    // the wire, though it does not fall
    NEAR(impModel_Run(model).contact_band, 2e-7, 1e-20);
    impModel_Free(model);
    model = built_with(&(impBodyDef){ .shapes = &wire, .shape_count = 1, .fixed = true });
    // and where it is all there is
    NEAR(impModel_Run(model).contact_band, 2e-7, 1e-20);
    impModel_Free(model);
    model = built(empty_scene());
    NEAR(impModel_Run(model).contact_band, 1e-4, 0);
    impModel_Free(model);
}

static void all_mistakes_are_reported_up_to_twenty(void **state) {
    (void)state;
    impScene *scene = empty_scene();
    for (int i = 0; i < 30; i++) {
        impBodyDef b = { .pose.at.x = NO_NUMBER, .fixed = true };
        assert_int_equal(impScene_Body(scene, &b, &err).i, i + 1);
    }
    assert_null(impModel_Build(scene, &err));
    assert_int_equal(err.count, 30);
    SAME_TEXT(message(19),
              "body 'body.20': position [nan, 0, 0] m; each coordinate must lie within +-1e9");
    SAME_TEXT(message(20), "");
    // no words wanted
    assert_null(impModel_Build(scene, NULL));
    impScene_Free(scene);
}

// A shape that is refused does not hide what is wrong with the mass of another body.
static void mistakes_of_every_part_come_together(void **state) {
    (void)state;
    impShapeDef ball = { .kind = "sphere", .size = { -1 } };
    impScene *scene = empty_scene();
    impScene_Body(scene, &(impBodyDef){ .name = "y", .mass = 1, .shapes = &ball, .shape_count = 1 },
                  &err);
    impScene_Body(scene,
                  &(impBodyDef){ .name = "n",
                                 .mass = 1,
                                 .inertia = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 9 } } },
                  &err);
    assert_null(impModel_Build(scene, &err));
    assert_int_equal(err.count, 2);
    assert_non_null(strstr(message(0), "body 'y'"));
    assert_non_null(strstr(message(1), "body 'n': inertia"));
    impScene_Free(scene);
}

static void strict_turns_warnings_into_errors(void **state) {
    (void)state;
    const char *text = "{ \"impel\": 1, \"bodies\": [ { \"name\": \"b\", \"shape\": { \"sphere\": "
                       "{ \"radius\": 1 } } } ] }";
    impScene *scene = impScene_Parse(text, strlen(text), "test.json",
                                     &(impLoadDef){ .strict = true }, &err);
    assert_non_null(scene);
    REFUSED(scene,
            "test.json:1:27: body 'b': no material; frictionless, no bounce, 1000 kg/m^3 (strict)");
}

static void r2_too_many_bodies_are_refused_before_anything_is_taken(void **state) {
    (void)state;
    impScene *scene = empty_scene();
    // none of which is there
    scene->body_count = 60000000;
    assert_null(impModel_Build(scene, &err));
    SAME_TEXT(message(0), "scene: 60000000 bodies; at most 50000000 are possible");
    assert_int_equal(err.fault, IMP_AT_LIMIT);
    scene->body_count = 0;
    scene->material_count = 5000;
    assert_null(impModel_Build(scene, &err));
    SAME_TEXT(message(0), "scene: 5000 materials; at most 500 are possible");
    assert_int_equal(err.fault, IMP_AT_LIMIT);
    scene->material_count = 0;
    impScene_Free(scene);
}

static void a_null_scene_is_named(void **state) {
    (void)state;
    assert_null(impModel_Build(NULL, &err));
    SAME_TEXT(message(0), "impModel_Build: argument scene is NULL");
    assert_int_equal(err.fault, IMP_BAD_CALL);
}

// A hull of the same points is built once, and what differs in anything is not shared.
static void equal_neighbours_share_their_shapes(void **state) {
    (void)state;
    const impVec3 points[5] = {
        { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 0.5, 0.5, 0.5 }
    };
    const impVec3 others[5] = {
        { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1.5 }, { 0.5, 0.5, 0.5 }
    };
    impShapeDef shapes[] = { { .kind = "hull", .points = points, .point_count = 5 },
                             { .kind = "hull", .points = points, .point_count = 5 },
                             { .kind = "hull", .points = others, .point_count = 5 },
                             { .kind = "hull", .points = others, .point_count = 5, .radius = 0.1 },
                             { .kind = "sphere", .size = { 1 } },
                             { .kind = "sphere", .size = { 1 } },
                             { .kind = "sphere", .size = { 2 } } };
    impScene *scene = impScene_New(vec(0, 0, 0));
    for (int i = 0; i < COUNT(shapes); i++) {
        impScene_Body(scene, &(impBodyDef){ .shapes = &shapes[i], .shape_count = 1, .mass = 1 + i },
                      &err);
    }
    impModel *m = impModel_Build(scene, &err);
    assert_non_null(m);
    const int want[] = { 0, 0, 1, 2, 3, 3, 4 };
    for (int i = 0; i < COUNT(want); i++) {
        assert_int_equal(m->body[1 + i].first_shape, want[i]);
    }
    assert_int_equal(m->shape_count, 5);
    assert_true(m->body[2].mass == 2 && m->body[1].mass == 1);
    impModel_Free(m);
    impScene_Free(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_neighbours_share_their_shapes),
        cmocka_unit_test(i8_orientation_of_no_length),
        cmocka_unit_test(i8_orientation_is_normalised_and_reported),
        cmocka_unit_test(i9_velocity_beyond_the_limit),
        cmocka_unit_test(i10_position_beyond_the_limit),
        cmocka_unit_test(i10_position_that_loses_digits_is_noted),
        cmocka_unit_test(i5_masses_that_span_too_much_are_noted),
        cmocka_unit_test(i6_mass_ratio_of_a_million_builds_and_flies),
        cmocka_unit_test(lengths_that_look_like_millimetres_are_noted),
        cmocka_unit_test(a_body_is_fixed_moved_or_dynamic),
        cmocka_unit_test(motions_are_checked),
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(gravity_and_run_are_checked),
        cmocka_unit_test(a_plate_on_a_block_does_not_make_the_band_as_thin),
        cmocka_unit_test(the_contact_band_is_a_fraction_of_the_smallest_extent),
        cmocka_unit_test(all_mistakes_are_reported_up_to_twenty),
        cmocka_unit_test(mistakes_of_every_part_come_together),
        cmocka_unit_test(strict_turns_warnings_into_errors),
        cmocka_unit_test(r2_too_many_bodies_are_refused_before_anything_is_taken),
        cmocka_unit_test(a_null_scene_is_named),
    };
    return RUN(tests);
}
