// state.c -- tests of model/state.c: one flat block that can be kept, compared, edited and put
// back.
//
// SPDX-License-Identifier: MIT
#include "model/rig.h"

static impModel *two_boxes(double mass) {
    impScene *scene = empty_scene();
    impBodyDef a = { .name = "a",
                     .shapes = &UNIT_BOX,
                     .shape_count = 1,
                     .mass = mass,
                     .twist.angular = { 1, 2, 3 } };
    impBodyDef b = { .name = "plank",
                     .mass = 1,
                     .pose.at.z = 5,
                     .inertia = { { 3, 0, 0 }, { 0, 4, 0 }, { 0, 0, 5 } },
                     .center_given = true,
                     .center = { 0.5, 0, 0 },
                     .twist.angular = { 0.1, 4, 0.1 } };
    impScene_Body(scene, &a, &err);
    impScene_Body(scene, &b, &err);
    impScene_Body(scene, &(impBodyDef){ .name = "floor", .fixed = true }, &err);
    return built(scene);
}

static void a_state_starts_as_the_scene_says(void **state) {
    (void)state;
    impModel *m = two_boxes(1);
    impState *s = impState_New(m);
    size_t contacts = CONTACT_MEMORY * (size_t)impModel_Run(m).contact_capacity;
    assert_int_equal(impModel_StateSize(m),
                     (1 + 2 * (7 + 6 + 14 + 1 + 6) + 1 + contacts) * sizeof(double));
    SAME_BITS(impState_Time(s), 0);
    SAME_BITS(impState_Pose(m, s, (impBody){ 2 }).at.z, 5);
    // of the frame, not of the centre of mass
    SAME_BITS(impState_Pose(m, s, (impBody){ 2 }).at.x, 0);
    // which is what q holds
    SAME_BITS(impState_Data(s)[1 + 7], 0.5);
    SAME_BITS(impState_Twist(m, s, (impBody){ 2 }).angular.y, 4);
    impState_Free(s);
    impModel_Free(m);
}

// --- snapshot, rewind ----------------------------------------------------------------------------
static void steps(impStepper *stepper, impState *s, int count) {
    for (int i = 0; i < count; i++) {
        assert_int_equal(impStep(stepper, s, NULL, 0.01 + 0.001 * i).verdict, IMP_SOLVED);
    }
}

static void a_copy_put_back_has_the_same_future(void **state) {
    (void)state;
    impModel *m = two_boxes(1);
    impStepper *stepper = impStepper_New(m, &(impStepperDef){ .method = "flight" }, &err);
    impState *s = impState_New(m);
    impState *kept = impState_New(m);
    steps(stepper, s, 7);
    assert_true(impState_Copy(m, kept, s));
    uint64_t at_copy = impState_Hash(m, s);
    steps(stepper, s, 10);
    uint64_t future = impState_Hash(m, s);
    assert_true(future != at_copy);
    assert_true(impState_Copy(m, s, kept));
    assert_true(impState_Hash(m, s) == at_copy);
    steps(stepper, s, 10);
    assert_true(impState_Hash(m, s) == future);
    steps(stepper, kept, 10);
    assert_int_equal(impState_Difference(m, s, kept, NULL, 0), 0);
    impState_Free(s);
    impState_Free(kept);
    impStepper_Free(stepper);
    impModel_Free(m);
}

static void data_put_back_has_the_same_future(void **state) {
    (void)state;
    // as after a restart of the program
    impModel *m = two_boxes(1);
    impModel *same = two_boxes(1);
    impStepper *stepper = impStepper_New(m, &(impStepperDef){ .method = "flight" }, &err);
    impStepper *other = impStepper_New(same, NULL, &err);
    impState *s = impState_New(m);
    impState *back = impState_New(same);
    steps(stepper, s, 7);
    assert_true(impState_SetData(same, back, impState_Data(s), impModel_StateSize(m), &err));
    steps(stepper, s, 10);
    steps(other, back, 10);
    assert_true(impState_Hash(m, s) == impState_Hash(same, back));
    impState_Free(s);
    impState_Free(back);
    impStepper_Free(stepper);
    impStepper_Free(other);
    impModel_Free(m);
    impModel_Free(same);
}

static void the_hash_sees_every_bit(void **state) {
    (void)state;
    impModel *m = two_boxes(1);
    impState *s = impState_New(m);
    uint64_t before = impState_Hash(m, s);
    // one entry is in use
    s->data[m->layout.contact_count] = 1;
    before = impState_Hash(m, s);
    for (size_t i = 0; i < (size_t)m->layout.contacts + CONTACT_MEMORY; i++) {
        if (i == (size_t)m->layout.contact_count) continue;
        for (int bit = 0; bit < 64; bit += 9) {
            uint64_t bits;
            double old = s->data[i];
            memcpy(&bits, &old, sizeof bits);
            bits ^= (uint64_t)1 << bit;
            memcpy(&s->data[i], &bits, sizeof bits);
            if (impState_Hash(m, s) == before) {
                fail_msg("bit %d of number %zu is not in the hash", bit, i);
            }
            s->data[i] = old;
        }
    }
    assert_true(impState_Hash(m, s) == before);
    assert_true(impState_Hash(NULL, s) == 0 && impState_Hash(m, NULL) == 0);
    impState_Free(s);
    impModel_Free(m);
}

// --- difference ----------------------------------------------------------------------------------
static void differs(const impModel *m, int index, const char *text) {
    char line[200];
    impState *a = impState_New(m);
    impState *b = impState_New(m);
    b->data[index] += 0.25;
    assert_int_equal(impState_Difference(m, a, b, line, sizeof line), strlen(text));
    SAME_TEXT(line, text);
    impState_Free(a);
    impState_Free(b);
}

static void the_difference_names_field_and_body(void **state) {
    (void)state;
    impModel *m = two_boxes(1);
    char line[8] = "old";
    differs(m, 0, "first difference: time[0]: 0, 0.25");
    differs(m, 1 + 9, "first difference: q[9], body 'plank': 5, 5.25");
    differs(m, 1 + 14 + 3, "first difference: v[3], body 'a': 1, 1.25");
    differs(m, 1 + 14 + 12 + 14, "first difference: anchor[14], body 'plank': 0, 0.25");
    impState *a = impState_New(m);
    impState *b = impState_New(m);
    assert_int_equal(impState_Difference(m, a, b, line, sizeof line), 0);
    SAME_TEXT(line, "");
    // a difference of one bit, too
    b->data[1] = -0.0;
    assert_true(impState_Difference(m, a, b, line, sizeof line) > sizeof line);
    // cut, and ended by a zero
    SAME_TEXT(line, "first d");
    assert_true(impState_Difference(m, a, b, NULL, 100) > 0);
    assert_true(impState_Difference(NULL, a, b, NULL, 0) > 0);
    impState_Free(a);
    impState_Free(b);
    impModel_Free(m);
}

// --- states of other models ----------------------------------------------------------------------
static void told(bool well, const char *text) {
    assert_false(well);
    SAME_TEXT(message(0), text);
    assert_int_equal(err.count, 1);
    assert_int_equal(err.fault, IMP_BAD_CALL);
}

static void a2_a_state_of_another_model_is_refused(void **state) {
    (void)state;
    // the same numbers, another meaning
    impModel *m = two_boxes(1);
    impModel *other = two_boxes(2);
    impState *s = impState_New(m);
    impState *theirs = impState_New(other);
    char line[100];
    assert_false(impState_Copy(m, s, theirs));
    assert_false(impState_Copy(m, theirs, s));
    assert_false(impState_Copy(other, theirs, s));
    assert_true(impState_Hash(m, theirs) == 0);
    told(impState_Set(m, theirs, (impBody){ 1 }, (impPose){ 0 }, (impTwist){ 0 }, &err),
         "impState_Set: the state does not belong to the model, or one of them is NULL");
    told(impState_SetData(m, theirs, impState_Data(s), impModel_StateSize(m), &err),
         "impState_SetData: the state does not belong to the model, or one of them is NULL");
    impState_Difference(m, s, theirs, line, sizeof line);
    SAME_TEXT(line, "not two states of this model");
    SAME_BITS(impState_Pose(m, theirs, (impBody){ 2 }).at.z, 0);
    SAME_BITS(impState_Energy(m, theirs).kinetic, 0);
    impState_Free(s);
    impState_Free(theirs);
    impModel_Free(m);
    impModel_Free(other);
}

static uint64_t id_of(const char *text) {
    impModel *m = built(parsed(text));
    uint64_t id = m->id;
    impModel_Free(m);
    return id;
}

// What gives the numbers of a state their meaning makes another model: axes, motions, joints; a
// material does not.
static void a2_models_are_told_apart(void **state) {
    (void)state;
#define DOOR(joint)                                                                                \
    "{ \"impel\": 1, \"bodies\": [ { \"name\": \"d\", \"shape\": { \"box\": { \"size\": [1, 1, "   \
    "1] } } } ],"                                                                                  \
    " \"joints\": [ { \"type\": \"hinge\", \"parent\": \"world\", \"child\": \"d\", " joint        \
    " } ] }"
#define SPUN(motion)                                                                               \
    "{ \"impel\": 1, \"bodies\": [ { \"name\": \"d\", \"motion\": { " motion " } } ] }"
    const char *const texts[] = {
        DOOR("\"axis\": [0, 0, 1]"),
        DOOR("\"axis\": [0, 1, 0]"),
        DOOR("\"axis\": [0, 0, 1], \"at\": [1, 0, 0]"),
        SPUN("\"spin\": { \"axis\": [0, 0, 1], \"rate\": 1 }"),
        SPUN("\"spin\": { \"axis\": [0, 0, 1], \"rate\": 2 }"),
        SPUN("\"vibrate\": { \"frequency\": 1 }"),
        SPUN("\"translate\": { \"velocity\": [0, 0, 0] }"),
        SPUN("\"translate\": { \"velocity\": [1, 0, 0] }"),
        SPUN("\"translate\": { \"velocity\": [0, 1, 0] }"),
        "{ \"impel\": 1 }",
    };
    for (int i = 0; i < COUNT(texts); i++) {
        assert_true(id_of(texts[i]) == id_of(texts[i]));
        for (int j = 0; j < i; j++) {
            if (id_of(texts[i]) == id_of(texts[j])) {
                fail_msg("models %d and %d are not told apart", i, j);
            }
        }
    }
}

// --- editing -------------------------------------------------------------------------------------
static void a_body_can_be_placed_and_pushed(void **state) {
    (void)state;
    impModel *m = two_boxes(1);
    impState *s = impState_New(m);
    // half a turn about z, of length 2
    impPose p = { { 1, 2, 3 }, { 0, 0, 0, 2 } };
    impTwist t = { { 4, 5, 6 }, { 7, 8, 9 } };
    assert_true(impState_Set(m, s, (impBody){ 2 }, p, t, &err));
    impPose got = impState_Pose(m, s, (impBody){ 2 });
    NEAR(got.at.x, 1, 0);
    SAME_BITS(got.rotation.z, 1);
    // the centre is now at the other side
    NEAR(impState_Data(s)[1 + 7], 0.5, 0);
    SAME_BITS(impState_Twist(m, s, (impBody){ 2 }).angular.z, 9);
    p.rotation = (impQuat){ 0, 0, 0, 0 };
    assert_true(impState_Set(m, s, (impBody){ 2 }, p, t, NULL));
    SAME_BITS(impState_Pose(m, s, (impBody){ 2 }).rotation.w, 1);
    impState_Free(s);
    impModel_Free(m);
}

// What is set is believed: the flight starts anew from it, not from the anchor of the old one.
static void a_placed_body_flies_from_there(void **state) {
    (void)state;
    impModel *m = two_boxes(1);
    impStepper *stepper = impStepper_New(m, &(impStepperDef){ .method = "flight" }, &err);
    impState *s = impState_New(m);
    steps(stepper, s, 3);
    assert_true(impState_Set(m, s, (impBody){ 1 }, (impPose){ .at = { 7, 0, 0 } },
                             (impTwist){ .linear = { 2, 0, 0 } }, &err));
    assert_int_equal(impStep(stepper, s, NULL, 0.5).verdict, IMP_SOLVED);
    NEAR(impState_Pose(m, s, (impBody){ 1 }).at.x, 8, 1e-15);
    NEAR(impState_Pose(m, s, (impBody){ 1 }).at.z, -9.81 * 0.125, 1e-14);
    impState_Free(s);
    impStepper_Free(stepper);
    impModel_Free(m);
}

static void i9_i10_set_refuses_what_a_scene_may_not_say(void **state) {
    (void)state;
    const impPose here = { { 0, 0, 0 }, { 1, 0, 0, 0 } };
    const impTwist still = { { 0, 0, 0 }, { 0, 0, 0 } };
    const struct {
        int body;
        impPose p;
        impTwist t;
        const char *text;
    } cases[] = {
        { 0, here, still, "impState_Set: body 0; it must be one of the model's" },
        { 4, here, still, "impState_Set: body 4; it must be one of the model's" },
        { -1, here, still, "impState_Set: body -1; it must be one of the model's" },
        { 3, here, still, "impState_Set: body 'floor' does not fly freely" },
        { 2,
          { { NO_NUMBER, 0, 0 }, { 1, 0, 0, 0 } },
          still,
          "impState_Set: body 'plank': a pose or twist that is not finite" },
        { 2,
          { { 0, 0, 0 }, { NO_NUMBER, 0, 0, 0 } },
          still,
          "impState_Set: body 'plank': a pose or twist that is not finite" },
        { 2,
          here,
          { { 0, HUGE_VAL, 0 }, { 0, 0, 0 } },
          "impState_Set: body 'plank': a pose or twist that is not finite" },
        { 2,
          here,
          { { 0, 0, 0 }, { 0, 0, NO_NUMBER } },
          "impState_Set: body 'plank': a pose or twist that is not finite" },
        { 2,
          { { 0, -1e15, 0 }, { 1, 0, 0, 0 } },
          still,
          "impState_Set: body 'plank': position 1e15 m out; each coordinate must lie within "
          "+-1e9" },
        { 2,
          here,
          { { 1e300, 0, 0 }, { 0, 0, 0 } },
          "impState_Set: body 'plank': inf m/s and 0 rad/s; each must be at most 1e8" },
        { 2,
          here,
          { { 3, 0, 4 }, { 0, 2e8, 0 } },
          "impState_Set: body 'plank': 5 m/s and 200000000 rad/s; each must be at most 1e8" },
    };
    impModel *m = two_boxes(1);
    impState *s = impState_New(m);
    uint64_t before = impState_Hash(m, s);
    for (int i = 0; i < COUNT(cases); i++) {
        told(impState_Set(m, s, (impBody){ cases[i].body }, cases[i].p, cases[i].t, &err),
             cases[i].text);
        assert_true(impState_Hash(m, s) == before);
    }
    impState_Free(s);
    impModel_Free(m);
}

static void a6_data_must_have_the_size_and_be_finite(void **state) {
    (void)state;
    impModel *m = two_boxes(1);
    impState *s = impState_New(m);
    size_t size = impModel_StateSize(m);
    uint64_t before = impState_Hash(m, s);
    double *data = malloc(size);
    assert_non_null(data);
    char text[120];
    memcpy(data, impState_Data(s), size);
    snprintf(text, sizeof text, "impState_SetData: %zu bytes; a state of this model has %zu",
             size - 8, size);
    told(impState_SetData(m, s, data, size - 8, &err), text);
    snprintf(text, sizeof text, "impState_SetData: 0 bytes; a state of this model has %zu", size);
    told(impState_SetData(m, s, data, 0, &err), text);
    told(impState_SetData(m, s, NULL, size, &err),
         "impState_SetData: the state does not belong to the model, or one of them is NULL");
    data[1 + 14 + 8] = NO_NUMBER;
    told(impState_SetData(m, s, data, size, &err),
         "impState_SetData: v[8], body 'plank' is nan; it must be finite");
    memcpy(data, impState_Data(s), size);
    // w of the plank's quaternion
    data[1 + 7 + 3] = 1.5;
    told(impState_SetData(m, s, data, size, &err),
         "impState_SetData: body 'plank': orientation of length 1.5; it must be a unit quaternion");
    data[1 + 7 + 3] = 0;
    told(impState_SetData(m, s, data, size, &err),
         "impState_SetData: body 'plank': orientation of length 0; it must be a unit quaternion");
    memcpy(data, impState_Data(s), size);
    data[m->layout.contact_count] = 0.5;
    told(impState_SetData(m, s, data, size, &err),
         "impState_SetData: contact_count is 0.5; it must be a whole number from 0 to 112");
    assert_true(impState_Hash(m, s) == before);
    free(data);
    impState_Free(s);
    impModel_Free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_starts_as_the_scene_says),
        cmocka_unit_test(a_copy_put_back_has_the_same_future),
        cmocka_unit_test(data_put_back_has_the_same_future),
        cmocka_unit_test(the_hash_sees_every_bit),
        cmocka_unit_test(the_difference_names_field_and_body),
        cmocka_unit_test(a2_a_state_of_another_model_is_refused),
        cmocka_unit_test(a2_models_are_told_apart),
        cmocka_unit_test(a_body_can_be_placed_and_pushed),
        cmocka_unit_test(a_placed_body_flies_from_there),
        cmocka_unit_test(i9_i10_set_refuses_what_a_scene_may_not_say),
        cmocka_unit_test(a6_data_must_have_the_size_and_be_finite),
    };
    return RUN(tests);
}
