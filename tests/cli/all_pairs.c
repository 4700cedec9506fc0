// all_pairs.c -- a state in which a contact was missed is not let pass, whoever missed it.
//
// SPDX-License-Identifier: MIT
#include "../../cli/all_pairs.c"

#include "test.h"

// What it asks the rest of the command line for.
bool cli_has_contacts(const char *method) { return strcmp(method, "flight") != 0; }
bool cli_world_done(const World *w) { return w->step >= 250; }
Number cli_short(double x) {
    Number n;
    snprintf(n.text, sizeof n.text, "%.6g", x);
    return n;
}

// Two balls in a row of twelve overlap by 0.1 m: no stepper has seen them.
static impModel *model;
static impState *state_of_row;

static int make_row(void **unused) {
    (void)unused;
    impError err = { 0 };
    impScene *scene = impScene_New((impVec3){ 0, 0, 0 });
    const impShapeDef ball = { .kind = "sphere", .size = { 0.5 } };
    for (int i = 0; i < 12; i++) {
        char name[8];
        snprintf(name, sizeof name, "ball %d", i);
        double x = 2.0 * i - (i == 7 ? 1.1 : 0);
        impScene_Body(scene,
                      &(impBodyDef){ .name = name,
                                     .pose = { { x, 0, 0 }, { 1, 0, 0, 0 } },
                                     .shapes = &ball,
                                     .shape_count = 1 },
                      &err);
    }
    model = impModel_Build(scene, &err);
    impScene_Free(scene);
    state_of_row = model ? impState_New(model) : NULL;
    return state_of_row ? 0 : -1;
}

static int free_row(void **unused) {
    (void)unused;
    impState_Free(state_of_row);
    impModel_Free(model);
    return 0;
}

static bool apart_at(int64_t step, const char *method, int64_t *looks, impOutcome *out) {
    World clock = { .step = step };
    *looks = 0;
    *out = (impOutcome){ .verdict = IMP_SOLVED, .text = "" };
    return cli_all_apart(&clock, model, state_of_row, method, looks, out);
}

static void an_overlap_is_told(void **unused) {
    (void)unused;
    int64_t looks;
    impOutcome out;
    const int64_t due[] = { 100, 200, 250, 300 };
    for (size_t i = 0; i < sizeof due / sizeof due[0]; i++) {
        assert_false(apart_at(due[i], "impulse", &looks, &out));
        assert_int_equal(looks, 1);
        assert_int_equal(out.verdict, IMP_UNTRUE);
        assert_string_equal(out.text, "a contact was missed: bodies 'ball 6' and 'ball 7' overlap "
                                      "by 0.1 m (limit 5e-05 m)");
    }
}

static void it_is_not_asked_all_the_time(void **unused) {
    (void)unused;
    int64_t looks;
    impOutcome out;
    assert_true(apart_at(1, "impulse", &looks, &out));
    assert_int_equal(looks, 0);
    assert_true(apart_at(199, "impulse", &looks, &out));
    assert_int_equal(looks, 0);
    // which has no contacts
    assert_true(apart_at(100, "flight", &looks, &out));
    assert_int_equal(looks, 0);
    assert_int_equal(out.verdict, IMP_SOLVED);
}

// Two balls of 1 m, whose centres are `apart`, the first of them at x.
static bool two_are_apart(double x, double apart, double band) {
    impError err = { 0 };
    impScene *scene = impScene_New((impVec3){ 0, 0, 0 });
    const impShapeDef ball = { .kind = "sphere", .size = { 0.5 } };
    const char *name[] = { "one", "other" };
    for (int i = 0; i < 2; i++) {
        impScene_Body(scene,
                      &(impBodyDef){ .name = name[i],
                                     .pose = { { x + i * apart, 0, 0 }, { 1, 0, 0, 0 } },
                                     .shapes = &ball,
                                     .shape_count = 1 },
                      &err);
    }
    impScene_Run(scene, &(impRunDef){ .contact_band = band }, &err);
    impModel *m = impModel_Build(scene, &err);
    if (!m) {
        fail_msg("%s", err.message[0].text);
    }
    impState *s = impState_New(m);
    World clock = { .step = 100 };
    impOutcome out = { .verdict = IMP_SOLVED, .text = "" };
    int64_t looks = 0;
    bool apart_enough = cli_all_apart(&clock, m, s, "impulse", &looks, &out);
    impState_Free(s);
    impModel_Free(m);
    impScene_Free(scene);
    return apart_enough;
}

static void touching_is_no_overlap(void **unused) {
    (void)unused;
    assert_true(two_are_apart(1, 1, 1e-4));
    // half the band, as at the start of a scene
    assert_true(two_are_apart(1, 1 - 0.49e-4, 1e-4));
    assert_false(two_are_apart(1, 1 - 0.51e-4, 1e-4));
}

// A band finer than places are known: at 2.7e8 m these are multiples of 6e-8 m.
static void nor_is_what_rounding_makes_of_it(void **unused) {
    (void)unused;
    const double ulp = 0x1p-24;
    assert_true(two_are_apart(0x1p28, 1 - ulp, 1e-8));
    assert_true(two_are_apart(0x1p28, 1 - 8 * ulp, 1e-8));
    assert_false(two_are_apart(0x1p28, 1 - 32 * ulp, 1e-8));
    assert_false(two_are_apart(1, 1 - 8 * ulp, 1e-8));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_overlap_is_told),
        cmocka_unit_test(it_is_not_asked_all_the_time),
        cmocka_unit_test(touching_is_no_overlap),
        cmocka_unit_test(nor_is_what_rounding_makes_of_it),
    };
    return cmocka_run_group_tests(tests, make_row, free_row);
}
