// flight.c -- the method without contacts: exact, splittable, believing the state.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "method/method.h"

static impError err;

static impModel *model_of(const char *text) {
    impScene *scene = impScene_Parse(text, strlen(text), "test.json", NULL, &err);
    impModel *model = scene ? impModel_Build(scene, &err) : NULL;
    if (!model) {
        fail_msg("%s", err.message[0].text);
    }
    impScene_Free(scene);
    return model;
}

static const char brick[] =
    "{\"impel\": 1, \"bodies\": [{\"name\": \"b\", \"shape\": {\"box\": {\"size\": [0.1, 0.2, "
    "0.3]}},"
    " \"position\": [0, 0, 1], \"velocity\": [1, 0, 2], \"angular_velocity\": [3, 1, 6]}]}";

static void one_long_step_and_many_short_ones_end_in_the_same_bits(void **state) {
    (void)state;
    impModel *m = model_of(brick);
    impStepper *s = impStepper_New(m, &(impStepperDef){ .method = "flight" }, &err);
    impState *one = impState_New(m);
    impState *many = impState_New(m);
    impStep(s, one, NULL, 1);
    for (int i = 0; i < 1024; i++) {
        impStep(s, many, NULL, 1.0 / 1024);
    }
    assert_true(impState_Hash(m, one) == impState_Hash(m, many));
    impState_Free(one);
    impState_Free(many);
    impStepper_Free(s);
    impModel_Free(m);
}

// Written from outside, the state is believed: it flies on from where it was put, not from its old
// anchor.
static void an_edited_state_is_believed(void **state) {
    (void)state;
    impModel *m = model_of(brick);
    impStepper *s = impStepper_New(m, &(impStepperDef){ .method = "flight" }, &err);
    impState *a = impState_New(m);
    impBody b = { 1 };
    impStep(s, a, NULL, 0.5);
    impPose p = { { 7, 8, 9 }, { 0.6, 0.8, 0, 0 } };
    impTwist t = { { 0, 0, 1 }, { 0, 0, 2 } };
    assert_true(impState_Set(m, a, b, p, t, &err));
    impStep(s, a, NULL, 0.25);
    NEAR(impState_Pose(m, a, b).at.x, 7, 0);
    NEAR(impState_Pose(m, a, b).at.z, 9 + 0.25 - 0.5 * 9.81 / 16, 1e-14);
    impState_Free(a);
    impStepper_Free(s);
    impModel_Free(m);
}

// One unit in the last place of one velocity is a different state, and a new flight.
static void an_anchor_holds_only_bit_for_bit(void **state) {
    (void)state;
    impModel *m = model_of(brick);
    impStepper *s = impStepper_New(m, &(impStepperDef){ .method = "flight" }, &err);
    impState *a = impState_New(m);
    impStep(s, a, NULL, 0.5);
    double t0 = a->data[m->layout.anchor];
    impStep(s, a, NULL, 0.5);
    SAME_BITS(a->data[m->layout.anchor], t0);
    a->data[m->layout.v] = nextafter(a->data[m->layout.v], 10);
    impStep(s, a, NULL, 0.5);
    SAME_BITS(a->data[m->layout.anchor], 1.0);
    impState_Free(a);
    impStepper_Free(s);
    impModel_Free(m);
}

// The torque integrator is of second order.
static double torque_error(double h) {
    impModel *m = model_of(brick);
    impStepper *s = impStepper_New(m, &(impStepperDef){ .method = "flight" }, &err);
    impState *coarse = impState_New(m);
    impState *fine = impState_New(m);
    double input[6] = { 0, 0, 0, 0.4, -0.3, 0.9 };
    for (double t = 0; t < 0.5 - 1e-9; t += h) {
        impStep(s, coarse, input, h);
    }
    for (int i = 0; i < 4096; i++) {
        impStep(s, fine, input, 0.5 / 4096);
    }
    impVec3 a = impState_Twist(m, coarse, (impBody){ 1 }).angular;
    impVec3 b = impState_Twist(m, fine, (impBody){ 1 }).angular;
    impState_Free(coarse);
    impState_Free(fine);
    impStepper_Free(s);
    impModel_Free(m);
    return norm(sub(a, b));
}

static void torques_are_of_second_order(void **state) {
    (void)state;
    NEAR(log(torque_error(1.0 / 64) / torque_error(1.0 / 128)) / log(2), 2, 0.1);
}

static void joints_are_refused_in_a_sentence(void **state) {
    (void)state;
    impModel *m = model_of("{\"impel\": 1, \"bodies\": [{\"name\": \"door\", \"shape\": {\"box\": "
                           "{\"size\": [1, 1, 1]}}}],"
                           " \"joints\": [{\"name\": \"h\", \"type\": \"hinge\", \"parent\": "
                           "\"world\", \"child\": \"door\","
                           " \"at\": [0, 0, 0], \"axis\": [0, 0, 1]}]}");
    assert_null(impStepper_New(m, &(impStepperDef){ .method = "flight" }, &err));
    SAME_TEXT(err.message[0].text,
              "joint 'h': method flight cannot move a hinge; it knows free bodies only");
    assert_int_equal(err.fault, IMP_BAD_INPUT);
    impModel_Free(m);
}

static void an_unknown_method_is_refused_in_a_sentence(void **state) {
    (void)state;
    impModel *m = model_of(brick);
    assert_null(impStepper_New(m, &(impStepperDef){ .method = "magic" }, &err));
    SAME_TEXT(err.message[0].text,
              "method \"magic\" is unknown; this build knows flight, impulse, iterated, lcp");
    impModel_Free(m);
}

// A velocity near the end of double overflows on the way: the verdict says so and the state is the
// one before.
static void overflow_is_a_verdict(void **state) {
    (void)state;
    impModel *m = model_of(brick);
    impStepper *s = impStepper_New(m, &(impStepperDef){ .method = "flight" }, &err);
    impState *a = impState_New(m);
    a->data[m->layout.v] = 1e308;
    uint64_t before = impState_Hash(m, a);
    impOutcome out = impStep(s, a, NULL, 1e3);
    assert_int_equal(out.verdict, IMP_NOT_FINITE);
    SAME_TEXT(out.text, "q[0], body 'b' is no longer finite");
    assert_true(impState_Hash(m, a) == before);
    impState_Free(a);
    impStepper_Free(s);
    impModel_Free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_long_step_and_many_short_ones_end_in_the_same_bits),
        cmocka_unit_test(an_edited_state_is_believed),
        cmocka_unit_test(an_anchor_holds_only_bit_for_bit),
        cmocka_unit_test(torques_are_of_second_order),
        cmocka_unit_test(joints_are_refused_in_a_sentence),
        cmocka_unit_test(an_unknown_method_is_refused_in_a_sentence),
        cmocka_unit_test(overflow_is_a_verdict),
    };
    return RUN(tests);
}
