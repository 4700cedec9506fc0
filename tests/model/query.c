// query.c -- tests of model/query.c: what a model knows about itself, and what it answers to a
// wrong question.
//
// SPDX-License-Identifier: MIT
#include "model/rig.h"

static const char *const SCENE =
    "{ \"impel\": 1, \"about\": \"a test\", \"source\": \"nobody\", \"gravity\": [0, -1.6, 0],\n"
    "  \"materials\": { \"oak\": { \"friction\": 0.5, \"restitution\": 0.1, \"density\": 700 } },\n"
    "  \"bodies\": [\n"
    "    { \"name\": \"zeta\", \"material\": \"oak\", \"shape\": [ { \"sphere\": { \"radius\": 0.5 "
    "}, \"position\": "
    "[1, 0, 0] },\n"
    "                                                 { \"box\": { \"size\": [2, 2, 2] } } ] },\n"
    "    { \"name\": \"floor\", \"material\": \"oak\", \"fixed\": true, \"shape\": { \"plane\": { "
    "\"normal\": [0, 0, "
    "1], \"offset\": 0 } } },\n"
    "    { \"name\": \"arm\", \"material\": \"oak\", \"shape\": { \"capsule\": { \"radius\": 0.1, "
    "\"length\": 1 } } "
    "},\n"
    "    { \"name\": \"bare\", \"fixed\": true } ],\n"
    "  \"joints\": [ { \"name\": \"elbow\", \"type\": \"ball\", \"parent\": \"zeta\", \"child\": "
    "\"arm\", \"at\": [0, "
    "0, 0.5] } ] }";

static void every_body_is_found_by_name(void **state) {
    (void)state;
    impModel *m = built(parsed(SCENE));
    const char *const names[] = { "world", "zeta", "floor", "arm", "bare" };
    assert_int_equal(impModel_BodyCount(m), COUNT(names));
    for (int i = 0; i < COUNT(names); i++) {
        assert_int_equal(impModel_Find(m, names[i]).i, i);
        SAME_TEXT(impModel_Name(m, (impBody){ i }), names[i]);
    }
    const char *const strangers[] = { "", "a", "zzz", "flo", "floors" };
    for (int i = 0; i < COUNT(strangers); i++) {
        assert_int_equal(impModel_Find(m, strangers[i]).i, -1);
    }
    impModel_Free(m);
}

static void a_thousand_names_are_found(void **state) {
    (void)state;
    impScene *scene = empty_scene();
    for (int i = 1; i <= 1000; i++) {
        impScene_Body(scene, &(impBodyDef){ .fixed = true }, &err);
    }
    impModel *m = built(scene);
    for (int i = 1; i <= 1000; i++) {
        char name[20];
        snprintf(name, sizeof name, "body.%d", i);
        assert_int_equal(impModel_Find(m, name).i, i);
    }
    impModel_Free(m);
}

static void shapes_boxes_and_masses(void **state) {
    (void)state;
    impModel *m = built(parsed(SCENE));
    impVec3 low, high;
    assert_true(impModel_Box(m, (impBody){ 1 }, &low, &high));
    NEAR(low.x, -1, 0);
    NEAR(high.x, 1.5, 1e-15);
    NEAR(high.y, 1, 0);
    assert_true(impModel_Box(m, (impBody){ 3 }, NULL, NULL));
    // a plane has no end
    assert_false(impModel_Box(m, (impBody){ 2 }, &low, &high));
    // no shape
    assert_false(impModel_Box(m, (impBody){ 4 }, &low, &high));
    assert_false(impModel_Box(m, (impBody){ 0 }, &low, &high));
    assert_int_equal(impModel_ShapeCount(m, (impBody){ 1 }), 2);
    SAME_TEXT(impModel_ShapeKind(m, (impBody){ 1 }, 0), "sphere");
    SAME_TEXT(impModel_ShapeKind(m, (impBody){ 1 }, 1), "box");
    // a ball is round by nature
    SAME_BITS(impModel_ShapeRounding(m, (impBody){ 1 }, 0), 0);
    SAME_TEXT(impModel_ShapeKind(m, (impBody){ 2 }, 0), "plane");
    NEAR(impModel_Mass(m, (impBody){ 1 }).mass, 700 * (8 + 3.14159265358979323846 / 6), 1e-11);
    SAME_BITS(impModel_Mass(m, (impBody){ 2 }).mass, 0);
    assert_int_equal(impModel_Role(m, (impBody){ 2 }), IMP_FIXED);
    impModel_Free(m);
}

static void the_rest(void **state) {
    (void)state;
    impModel *m = built(parsed(SCENE));
    int n;
    SAME_BITS(impModel_Gravity(m).y, -1.6);
    SAME_TEXT(impModel_About(m), "a test");
    SAME_TEXT(impModel_Source(m), "nobody");
    assert_int_equal(impModel_MaterialCount(m), 2);
    SAME_TEXT(impModel_MaterialName(m, 0), "(none)");
    SAME_TEXT(impModel_MaterialName(m, 1), "oak");
    assert_int_equal(impModel_JointCount(m), 1);
    SAME_TEXT(impModel_JointName(m, (impJoint){ 0 }), "elbow");
    SAME_TEXT(impModel_JointKind(m, (impJoint){ 0 }), "ball");
    // after zeta's six
    assert_int_equal(impModel_BodyFreedom(m, (impBody){ 3 }, &n), 6);
    assert_int_equal(n, 3);
    assert_int_equal(impModel_WarningCount(m), 0);
    assert_null(impModel_Run(m).method);
    impModel_Free(m);
}

static void motions_come_back_as_they_were_written(void **state) {
    (void)state;
    impModel *m = built(
        parsed("{ \"impel\": 1, \"bodies\": [\n"
               "  { \"name\": \"belt\", \"shape\": { \"sphere\": { \"radius\": 1 } },\n"
               "    \"motion\": { \"translate\": { \"velocity\": [1, 2, 3] } } },\n"
               "  { \"name\": \"bowl\", \"shape\": { \"sphere\": { \"radius\": 1 } },\n"
               "    \"motion\": [ { \"spin\": { \"axis\": [0, 0, 2], \"rate\": -4 } },\n"
               "                { \"vibrate\": { \"amplitude\": [0, 0, 0.5], \"frequency\": 50, "
               "\"phase\": 1,\n"
               "                    \"rotation\": { \"axis\": [0, 0, 1], \"amplitude\": 0.25 } } } "
               "] } ] }"));
    impMotionDef d;
    assert_true(impModel_Motion(m, (impBody){ 1 }, 0, &d));
    SAME_TEXT(d.kind, "translate");
    SAME_BITS(d.velocity.z, 3);
    assert_true(impModel_Motion(m, (impBody){ 2 }, 0, &d));
    SAME_TEXT(d.kind, "spin");
    SAME_BITS(d.axis.z, 1);
    SAME_BITS(d.rate, -4);
    assert_true(impModel_Motion(m, (impBody){ 2 }, 1, &d));
    SAME_BITS(d.frequency, 50);
    // filled in
    SAME_BITS(d.rotation_frequency, 50);
    SAME_BITS(d.rotation_phase, 1);
    SAME_BITS(d.angle, 0.25);
    assert_false(impModel_Motion(m, (impBody){ 1 }, 1, &d));
    assert_false(impModel_Motion(m, (impBody){ 0 }, 0, &d));
    assert_false(impModel_Motion(m, (impBody){ 7 }, 0, &d));
    assert_false(impModel_Motion(m, (impBody){ 1 }, -1, &d));
    assert_false(impModel_Motion(m, (impBody){ 1 }, 0, NULL));
    assert_false(impModel_Motion(NULL, (impBody){ 1 }, 0, &d));
    impModel_Free(m);
}

static void strange_numbers_get_harmless_answers(void **state) {
    (void)state;
    const int strange[] = { -1, 5, 1000000, INT32_MAX, INT32_MIN };
    impModel *m = built(parsed(SCENE));
    for (int i = 0; i < COUNT(strange); i++) {
        impBody b = { strange[i] };
        impJoint j = { strange[i] };
        int n = 7;
        SAME_TEXT(impModel_Name(m, b), "");
        assert_int_equal(impModel_Role(m, b), IMP_FIXED);
        SAME_BITS(impModel_Mass(m, b).mass, 0);
        assert_false(impModel_Box(m, b, NULL, NULL));
        assert_int_equal(impModel_ShapeCount(m, b), 0);
        SAME_TEXT(impModel_ShapeKind(m, b, 0), "");
        SAME_TEXT(impModel_ShapeKind(m, (impBody){ 1 }, strange[i]), "");
        SAME_BITS(impModel_ShapeRounding(m, b, 0), 0);
        SAME_BITS(impModel_ShapeRounding(m, (impBody){ 1 }, strange[i]), 0);
        SAME_TEXT(impModel_MaterialName(m, strange[i]), "");
        SAME_BITS(impModel_PairLaw(m, strange[i], 1).friction_static, 0);
        SAME_BITS(impModel_PairLaw(m, 1, strange[i]).friction_static, 0);
        SAME_TEXT(impModel_JointName(m, j), "");
        SAME_TEXT(impModel_JointKind(m, j), "");
        SAME_TEXT(impModel_Warning(m, strange[i]), "");
        assert_int_equal(impModel_BodyFreedom(m, b, &n), 0);
        assert_int_equal(n, 0);
    }
    impModel_Free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_body_is_found_by_name),
        cmocka_unit_test(a_thousand_names_are_found),
        cmocka_unit_test(shapes_boxes_and_masses),
        cmocka_unit_test(the_rest),
        cmocka_unit_test(motions_come_back_as_they_were_written),
        cmocka_unit_test(strange_numbers_get_harmless_answers),
    };
    return RUN(tests);
}
