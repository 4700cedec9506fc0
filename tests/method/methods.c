// methods.c -- which method is taken: the caller's, else the scene's, else the one with contacts.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "method/method.h"

static impError err;

// A ball 1 m above a floor; it falls through in half a second where nothing touches.
#define BALL                                                                                       \
    "{\"impel\": 1, \"materials\": {\"steel\": {\"friction\": 0.3, \"restitution\": 0.5}}, "       \
    "\"bodies\": ["                                                                                \
    "{\"name\": \"floor\", \"fixed\": true, \"material\": \"steel\","                              \
    " \"shape\": {\"plane\": {\"normal\": [0, 0, 1]}}},"                                           \
    "{\"name\": \"ball\", \"material\": \"steel\", \"shape\": {\"sphere\": {\"radius\": 0.1}},"    \
    " \"position\": [0, 0, 1]}]"

static impModel *model_of(const char *text) {
    impScene *scene = impScene_Parse(text, strlen(text), "scene.json", NULL, &err);
    impModel *model = scene ? impModel_Build(scene, &err) : NULL;
    if (!model) {
        fail_msg("%s", err.message[0].text);
    }
    impScene_Free(scene);
    return model;
}

// The height of the ball after 3 s by the method that def and the scene lead to, which is called
// `name`.
static double height_after(const char *text, const impStepperDef *def, const char *name) {
    impModel *m = model_of(text);
    impStepper *stepper = impStepper_New(m, def, &err);
    if (!stepper) {
        fail_msg("%s", err.message[0].text);
    }
    SAME_TEXT(impStepper_Method(stepper), name);

    // steps of a frame
    impState *state = impState_New(m);
    for (int i = 0; i < 180; i++) {
        assert_int_equal(impStep(stepper, state, NULL, 1.0 / 60).verdict, IMP_SOLVED);
    }
    double z = impState_Pose(m, state, impModel_Find(m, "ball")).at.z;
    impState_Free(state);
    impStepper_Free(stepper);
    impModel_Free(m);
    return z;
}

static void a_ball_lies_on_its_floor_where_nothing_names_a_method(void **state) {
    (void)state;
    NEAR(height_after(BALL "}", NULL, "impulse"), 0.1, 1e-4);
    NEAR(height_after(BALL "}", &(impStepperDef){ .threads = 2 }, "impulse"), 0.1, 1e-4);
    NEAR(height_after(BALL ", \"run\": {\"duration\": 3}}", NULL, "impulse"), 0.1, 1e-4);
}

static void the_scene_and_before_it_the_caller_name_the_method(void **state) {
    (void)state;
    const double fallen = 1 - 0.5 * 9.81 * 9;
    NEAR(height_after(BALL ", \"run\": {\"method\": \"flight\"}}", NULL, "flight"), fallen, 1e-9);
    NEAR(height_after(BALL "}", &(impStepperDef){ .method = "flight" }, "flight"), fallen, 1e-9);
    impStepperDef impulse = { .method = "impulse" };
    NEAR(height_after(BALL ", \"run\": {\"method\": \"flight\"}}", &impulse, "impulse"), 0.1, 1e-4);
}

// A joint is refused by each method; where the method was not asked for, a second line says how it
// came to be taken.
static void a_refusal_says_that_no_method_was_named(void **state) {
    (void)state;
    impModel *m = model_of(
        "{\"impel\": 1, \"bodies\": [{\"name\": \"door\", \"shape\": {\"box\": {\"size\": [1, 1, "
        "1]}}}],"
        " \"joints\": [{\"name\": \"h\", \"type\": \"hinge\", \"parent\": \"world\","
        " \"child\": \"door\", \"axis\": [0, 0, 1]}]}");
    const char *refused =
        "joint 'h': method impulse cannot move a hinge; it knows free bodies only";
    assert_null(impStepper_New(m, NULL, &err));
    assert_int_equal(err.count, 2);
    assert_int_equal(err.fault, IMP_BAD_INPUT);
    SAME_TEXT(err.message[0].text, refused);
    SAME_TEXT(err.message[1].text, "no method is named, so impulse was taken; this build knows "
                                   "flight, impulse, iterated, lcp");

    // one that was asked for
    assert_null(impStepper_New(m, &(impStepperDef){ .method = "impulse" }, &err));
    assert_int_equal(err.count, 1);
    SAME_TEXT(err.message[0].text, refused);
    impModel_Free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_lies_on_its_floor_where_nothing_names_a_method),
        cmocka_unit_test(the_scene_and_before_it_the_caller_name_the_method),
        cmocka_unit_test(a_refusal_says_that_no_method_was_named),
    };
    return RUN(tests);
}
