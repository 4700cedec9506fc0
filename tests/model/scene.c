// scene.c -- tests of model/scene.c: what was said is kept, whatever the caller does with his words
// afterwards.
//
// SPDX-License-Identifier: MIT
#include "model/rig.h"

static void everything_is_copied(void **state) {
    (void)state;
    char name[] = "ball";
    char kind[] = "hull";
    char material[] = "rubber";
    char spin[] = "spin";
    impVec3 points[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    int32_t faces[16] = { 3, 0, 2, 1, 3, 0, 1, 3, 3, 0, 3, 2, 3, 1, 2, 3 };
    impShapeDef shape = {
        .kind = kind, .points = points, .point_count = 4, .faces = faces, .face_ints = 16
    };
    impMotionDef motion = { .kind = spin, .axis = { 0, 0, 1 }, .rate = 2 };
    impBodyDef def = { .name = name,
                       .material = material,
                       .shapes = &shape,
                       .shape_count = 1,
                       .motions = &motion,
                       .motion_count = 1 };
    impScene *scene = empty_scene();
    assert_true(
        impScene_Material(scene, &(impMaterialDef){ .name = material, .density = 900 }, &err));
    assert_int_equal(impScene_Body(scene, &def, &err).i, 1);
    memset(name, 'x', 4);
    memset(kind, 'x', 4);
    memset(material, 'x', 6);
    memset(spin, 'x', 4);
    memset(points, 0, sizeof points);
    memset(faces, 0, sizeof faces);
    memset(&shape, 0, sizeof shape);
    memset(&motion, 0, sizeof motion);
    memset(&def, 0, sizeof def);

    impModel *model = built(scene);
    assert_int_equal(impModel_Find(model, "ball").i, 1);
    SAME_TEXT(impModel_ShapeKind(model, (impBody){ 1 }, 0), "hull");
    SAME_TEXT(impModel_MaterialName(model, 1), "rubber");
    NEAR(model->motion[0].rate, 2, 0);
    NEAR(shape_solid(&model->shape[0], &model->geometry).volume, 1.0 / 6, 1e-15);
    impModel_Free(model);
}

static void bodies_count_from_one_and_joints_from_zero(void **state) {
    (void)state;
    impScene *scene = empty_scene();
    impBodyDef body = { .shapes = &UNIT_BOX, .shape_count = 1 };
    for (int i = 1; i <= 20; i++) {
        assert_int_equal(impScene_Body(scene, &body, &err).i, i);
    }
    for (int i = 0; i < 20; i++) {
        impJointDef joint = { .kind = "free", .child = { i + 1 } };
        assert_int_equal(impScene_Joint(scene, &joint, &err).i, i);
    }
    impModel *model = built(scene);
    SAME_TEXT(impModel_Name(model, (impBody){ 0 }), "world");
    SAME_TEXT(impModel_Name(model, (impBody){ 20 }), "body.20");
    SAME_TEXT(impModel_JointName(model, (impJoint){ 0 }), "joint.1");
    impModel_Free(model);
}

static void about_and_run_are_kept(void **state) {
    (void)state;
    impScene *scene = empty_scene();
    impScene_About(scene, "first", "nowhere");
    impScene_About(scene, "a thing", NULL);
    assert_true(impScene_Run(
        scene, &(impRunDef){ .duration = 2, .dt = 0.5, .contact_band = 1e-3, .method = "flight" },
        &err));
    impModel *model = built(scene);
    impRunDef run = impModel_Run(model);
    SAME_TEXT(impModel_About(model), "a thing");
    SAME_TEXT(impModel_Source(model), "");
    SAME_TEXT(run.method, "flight");
    NEAR(run.duration, 2, 0);
    NEAR(run.dt, 0.5, 0);
    NEAR(run.contact_band, 1e-3, 0);
    impModel_Free(model);
}

// --- wrong calls ---------------------------------------------------------------------------------
static void told(bool well, const char *text) {
    assert_false(well);
    SAME_TEXT(message(0), text);
    assert_int_equal(err.count, 1);
    assert_int_equal(err.fault, IMP_BAD_CALL);
}

static void null_is_named(void **state) {
    (void)state;
    impScene *s = empty_scene();
    // as it may lie on a caller's stack
    memset(&err, 0xA5, sizeof err);
    told(impScene_Material(NULL, &(impMaterialDef){ .name = "a" }, &err),
         "impScene_Material: argument scene is NULL; it must be given");
    told(impScene_Material(s, NULL, &err),
         "impScene_Material: argument def or its name is NULL; it must be given");
    told(impScene_Material(s, &(impMaterialDef){ 0 }, &err),
         "impScene_Material: argument def or its name is NULL; it must be given");
    told(impScene_Pair(NULL, &(impPairDef){ .between = { "a", "b" } }, &err),
         "impScene_Pair: argument scene is NULL; it must be given");
    told(impScene_Pair(s, &(impPairDef){ .between = { "a" } }, &err),
         "impScene_Pair: argument def or a name in it is NULL; it must be given");
    told(impScene_Body(NULL, &(impBodyDef){ 0 }, &err).i >= 0,
         "impScene_Body: argument scene is NULL; it must be given");
    told(impScene_Body(s, NULL, &err).i >= 0,
         "impScene_Body: argument def is NULL; it must be given");
    told(impScene_Joint(NULL, &(impJointDef){ 0 }, &err).i >= 0,
         "impScene_Joint: argument scene is NULL; it must be given");
    told(impScene_Joint(s, NULL, &err).i >= 0,
         "impScene_Joint: argument def is NULL; it must be given");
    memset(&err, 0xA5, sizeof err);
    told(impScene_Run(NULL, &(impRunDef){ 0 }, &err),
         "impScene_Run: argument scene is NULL; it must be given");
    told(impScene_Run(s, NULL, &err), "impScene_Run: argument def is NULL; it must be given");
    impScene_Free(s);
}

static void lists_agree_with_their_counts(void **state) {
    (void)state;
    impScene *s = empty_scene();
    impShapeDef hull = { .kind = "hull", .point_count = 4 };
    told(impScene_Body(s, &(impBodyDef){ .shape_count = 2 }, &err).i >= 0,
         "impScene_Body: shape_count 2 without shapes; they must agree");
    told(impScene_Body(s, &(impBodyDef){ .shape_count = -1 }, &err).i >= 0,
         "impScene_Body: shape_count -1 without shapes; they must agree");
    told(impScene_Body(s, &(impBodyDef){ .motion_count = 1 }, &err).i >= 0,
         "impScene_Body: motion_count 1 without motions; they must agree");
    told(impScene_Body(s, &(impBodyDef){ .shapes = &hull, .shape_count = 1 }, &err).i >= 0,
         "impScene_Body: shape 1 has point_count 4 and face_ints 0; each must match its list");
    assert_int_equal(s->body_count, 0);
    impScene_Free(s);
}

// A refused call leaves no trace, neither in the scene nor in the error of the next call.
static void after_a_refusal_all_is_well(void **state) {
    (void)state;
    impScene *scene = empty_scene();
    impScene_Body(scene, &(impBodyDef){ .shape_count = 2 }, &err);
    assert_int_equal(err.count, 1);
    assert_int_equal(
        impScene_Body(scene, &(impBodyDef){ .shapes = &UNIT_BOX, .shape_count = 1 }, &err).i, 1);
    assert_int_equal(err.count, 0);
    impModel_Free(built(scene));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_copied),
        cmocka_unit_test(bodies_count_from_one_and_joints_from_zero),
        cmocka_unit_test(about_and_run_are_kept),
        cmocka_unit_test(null_is_named),
        cmocka_unit_test(lists_agree_with_their_counts),
        cmocka_unit_test(after_a_refusal_all_is_well),
    };
    return RUN(tests);
}
