// materials.c -- tests of model/materials.c: what two materials do to each other, and which of them
// are none.
//
// SPDX-License-Identifier: MIT
#include "model/rig.h"

static impScene *scene_of(const impMaterialDef *def) {
    impScene *scene = empty_scene();
    assert_true(impScene_Material(scene, def, &err));
    return scene;
}

static void accepted(const impMaterialDef *def) { impModel_Free(built(scene_of(def))); }

static void p1_friction_is_finite_and_not_negative(void **state) {
    (void)state;
    impMaterialDef m = { .name = "m" };
    const double good[] = { 0, 0.5, 1e6 };
    const double bad[] = { -0.1, NO_NUMBER, HUGE_VAL };
    const char *const texts[] = { "-0.1", "nan", "inf" };
    for (int i = 0; i < 3; i++) {
        char text[200];
        m.friction_static = m.friction_dynamic = good[i];
        accepted(&m);
        m.friction_static = m.friction_dynamic = bad[i];
        snprintf(text, sizeof text, "material 'm': friction %s; it must be 0 or more, and finite",
                 texts[i]);
        REFUSED(scene_of(&m), text);
        m.friction_static = 1;
        REFUSED(scene_of(&m), text);
    }
    m.friction_static = 0.2;
    m.friction_dynamic = 0.3;
    REFUSED(scene_of(&m),
            "material 'm': static friction 0.2 below the dynamic 0.3; it must not be smaller");
}

static void p2_restitution_lies_between_0_and_1(void **state) {
    (void)state;
    impMaterialDef m = { .name = "m" };
    const double good[] = { 0, 0.5, 1 };
    const double bad[] = { -1e-9, 1.5, NO_NUMBER };
    const char *const texts[] = { "-1e-9", "1.5", "nan" };
    for (int i = 0; i < 3; i++) {
        char text[200];
        m.restitution = good[i];
        accepted(&m);
        m.restitution = bad[i];
        snprintf(
            text, sizeof text,
            "material 'm': restitution %s; it must lie between 0 and 1: more would create energy",
            texts[i]);
        REFUSED(scene_of(&m), text);
    }
}

static void i2_density_is_that_of_something(void **state) {
    (void)state;
    impMaterialDef m = { .name = "m" };
    const double good[] = { 1e-6, 7850, 1e9 };
    const double bad[] = { -1, 1e30, 1e-9, NO_NUMBER, HUGE_VAL };
    for (int i = 0; i < COUNT(good); i++) {
        m.density = good[i];
        accepted(&m);
    }
    for (int i = 0; i < COUNT(bad); i++) {
        char text[200];
        m.density = bad[i];
        snprintf(text, sizeof text,
                 "material 'm': density %s kg/m^3; it must lie between 1e-6 and 1e9",
                 show(bad[i]).text);
        REFUSED(scene_of(&m), text);
    }
    const char *zero = "{ \"impel\": 1, \"materials\": { \"m\": { \"friction\": 0, "
                       "\"restitution\": 0, \"density\": 0 } } }";
    // said in a file, zero is a mistake
    assert_null(impScene_Parse(zero, strlen(zero), "test.json", NULL, &err));
    assert_non_null(
        strstr(message(0), "material 'm': density 0 kg/m^3; it must lie between 1e-6 and 1e9"));
}

static impScene *steel_and_ice(void) {
    impScene *scene = scene_of(&(impMaterialDef){ "steel", 0.9, 0.4, 0.8, 7850 });
    assert_true(impScene_Material(scene, &(impMaterialDef){ "ice", 0.1, 0.1, 0.3, 917 }, &err));
    return scene;
}

static void same_law(impPairLaw a, impPairLaw b) {
    SAME_BITS(a.friction_static, b.friction_static);
    SAME_BITS(a.friction_dynamic, b.friction_dynamic);
    SAME_BITS(a.restitution, b.restitution);
    assert_int_equal(a.law, b.law);
    assert_int_equal(a.listed, b.listed);
}

static void p4_the_rule_for_two_materials_is_symmetric(void **state) {
    (void)state;
    impModel *model = built(steel_and_ice());
    assert_int_equal(impModel_MaterialCount(model), 3);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            same_law(impModel_PairLaw(model, i, j), impModel_PairLaw(model, j, i));
        }
    }
    impPairLaw p = impModel_PairLaw(model, 1, 2);
    // sqrt(0.9 0.1)
    NEAR(p.friction_static, 0.3, 1e-16);
    NEAR(p.friction_dynamic, 0.2, 1e-16);
    SAME_BITS(p.restitution, 0.3);
    assert_int_equal(p.law, IMP_POISSON);
    assert_false(p.listed);
    SAME_BITS(impModel_PairLaw(model, 1, 1).friction_static, 0.9);
    // against a body of no material
    SAME_BITS(impModel_PairLaw(model, 0, 1).friction_static, 0);
    SAME_BITS(impModel_PairLaw(model, 0, 1).restitution, 0);
    impModel_Free(model);
}

static void p4_a_listed_pair_overrides_in_either_order(void **state) {
    (void)state;
    impScene *scene = steel_and_ice();
    impPairDef pair = { { "ice", "steel" }, 0.05, 0.04, 0.9, IMP_STRONGE };
    assert_true(impScene_Pair(scene, &pair, &err));
    impModel *model = built(scene);
    impPairLaw p = impModel_PairLaw(model, 1, 2);
    same_law(p, impModel_PairLaw(model, 2, 1));
    same_law(p, (impPairLaw){ 0.05, 0.04, 0.9, IMP_STRONGE, true });
    assert_false(impModel_PairLaw(model, 1, 1).listed);
    impModel_Free(model);
}

static void pairs_are_checked(void **state) {
    (void)state;
    const struct {
        impPairDef pair;
        const char *text;
    } cases[] = {
        { { { "steel", "icee" }, 0, 0, 0, IMP_POISSON },
          "pair 'steel', 'icee': no material is called \"icee\"; did you mean \"ice\"?" },
        { { { "granite", "ice" }, 0, 0, 0, IMP_POISSON },
          "pair 'granite', 'ice': no material is called \"granite\"; it must be one of "
          "\"materials\"" },
        { { { "steel", "ice" }, -1, -1, 0, IMP_POISSON },
          "pair 'steel', 'ice': friction -1; it must be 0 or more, and finite" },
        { { { "steel", "ice" }, 0, 0, 2, IMP_POISSON },
          "pair 'steel', 'ice': restitution 2; it must lie between 0 and 1: more would create "
          "energy" },
        { { { "steel", "ice" }, 0, 0, 0, (impLaw)3 },
          "pair 'steel', 'ice': law 3 is unknown; it must be poisson, stronge or newton" },
    };
    for (int i = 0; i < COUNT(cases); i++) {
        impScene *scene = steel_and_ice();
        assert_true(impScene_Pair(scene, &cases[i].pair, &err));
        REFUSED(scene, cases[i].text);
    }
    impScene *scene = steel_and_ice();
    impScene_Pair(scene, &(impPairDef){ .between = { "steel", "ice" } }, &err);
    impScene_Pair(scene, &(impPairDef){ .between = { "ice", "steel" } }, &err);
    REFUSED(scene, "pair 'ice', 'steel': listed twice; a pair must be listed once");
}

static void names_are_unique_and_known(void **state) {
    (void)state;
    impScene *scene = steel_and_ice();
    impScene_Material(scene, &(impMaterialDef){ .name = "ice" }, &err);
    REFUSED(scene, "material 'ice': the name is taken; names must be unique");
    REFUSED(scene_with(&(impBodyDef){
                .name = "b", .material = "ice", .shapes = &UNIT_BOX, .shape_count = 1 }),
            "body 'b': box: no material is called \"ice\"; it must be one of \"materials\"");
}

static void what_a_material_does_not_say_is_noted(void **state) {
    (void)state;
    impModel *model = built(
        parsed("{ \"impel\": 1, \"materials\": { \"wax\": { \"density\": 900 } } }"));
    assert_true(
        warned(model, "test.json:1:37: material 'wax': no friction given; it is taken as 0"));
    assert_true(
        warned(model, "test.json:1:37: material 'wax': no restitution given; it is taken as 0"));
    impModel_Free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p1_friction_is_finite_and_not_negative),
        cmocka_unit_test(p2_restitution_lies_between_0_and_1),
        cmocka_unit_test(i2_density_is_that_of_something),
        cmocka_unit_test(p4_the_rule_for_two_materials_is_symmetric),
        cmocka_unit_test(p4_a_listed_pair_overrides_in_either_order),
        cmocka_unit_test(pairs_are_checked),
        cmocka_unit_test(names_are_unique_and_known),
        cmocka_unit_test(what_a_material_does_not_say_is_noted),
    };
    return RUN(tests);
}
