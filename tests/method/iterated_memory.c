// iterated_memory.c -- the contact memory of the method `iterated` is in the state and nowhere
// else: the next state is a function of the model, the state, the input and the step.
//
// SPDX-License-Identifier: MIT
#include "iterated_support.h"

#include <stdio.h>

#define H (1. / 120)

// Cubes in a leaning stack, a ball that comes to it, and one that rolls.
static impScene *scene_of(int capacity) {
    static impError err;
    impScene *scene = iterated_scene(vec(0, 0, -9.81), 0.4, 0.4, 0.2);
    iterated_plane(scene);
    for (int i = 0; i < 6; i++) {
        impQuat turned = quat_rotation(vec(0, 0, 1), 0.3 * i);
        iterated_box(scene, vec(0.1, 0.1, 0.1),
                     pose(vec(0.004 * i, 0.01 * (i % 2), 0.05 + 0.1 * i), turned),
                     iterated_moving(0, 0, 0), 1);
    }
    iterated_ball(scene, 0.05, vec(-0.5, 0, 0.3), vec(2, 0, 1), 1);
    iterated_ball(scene, 0.05, vec(0, 0.5, 0.05), vec(1, 0, 0), 1);
    if (capacity > 0) {
        impScene_Run(scene, &(impRunDef){ .contact_capacity = capacity }, &err);
    }
    return scene;
}

static void same(const Trial *t, const impState *a, const impState *b) {
    char text[400];
    if (impState_Difference(t->m, a, b, text, sizeof text)) {
        fail_msg("%s", text);
    }
    assert_true(impState_Hash(t->m, a) == impState_Hash(t->m, b));
}

static int remembered(const Trial *t) { return (int)t->s->data[t->m->layout.contact_count]; }

// From a state in the midst of things on, copies of it have one future, whatever garbage is in the
// scratch memory and whichever stepper moves them.
static void a_copied_state_has_the_same_future(void **state) {
    (void)state;
    static impError err;
    Trial t = iterated_trial_of(scene_of(0));
    impStepper *other = impStepper_New(t.m, &(impStepperDef){ .method = "iterated" }, &err);
    impState *copy = impState_New(t.m);
    int most = 0;
    for (int start = 0; start < 8; start++) {
        iterated_run(&t, 10, H);
        assert_true(impState_Copy(t.m, copy, t.s));
        impState *kept = t.s;
        for (int i = 0; i < 10; i++) {
            impStepper_Poison(t.stepper, 0xff);
            assert_int_equal(impStep(t.stepper, kept, NULL, H).verdict, IMP_SOLVED);
            impStepper_Poison(other, 0x5a);
            assert_int_equal(impStep(other, copy, NULL, H).verdict, IMP_SOLVED);
            same(&t, kept, copy);
            most = remembered(&t) > most ? remembered(&t) : most;
        }
    }
    assert_true(most >= 20);
    impState_Free(copy);
    impStepper_Free(other);
    trial_free(&t);
}

// The same through SetData, by which snapshots are restored.
static void a_state_is_its_data(void **state) {
    (void)state;
    static impError err;
    Trial t = iterated_trial_of(scene_of(0));
    iterated_run(&t, 15, H);
    impState *copy = impState_New(t.m);
    assert_true(impState_SetData(t.m, copy, impState_Data(t.s), impModel_StateSize(t.m), &err));
    same(&t, t.s, copy);
    iterated_run(&t, 5, H);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(impStep(t.stepper, copy, NULL, H).verdict, IMP_SOLVED);
    }
    same(&t, t.s, copy);
    impState_Free(copy);
    trial_free(&t);
}

// The memory is in the order of (a, b, feature), each once, and carries what the step reports.
static void the_memory_is_in_order(void **state) {
    (void)state;
    Trial t = iterated_trial_of(scene_of(0));
    for (int i = 0; i < 60; i++) {
        iterated_step(&t, NULL, H);
        const double *data = t.s->data + t.m->layout.contacts;
        for (int k = 0; k < remembered(&t); k++) {
            const ContactMemory *c = (const ContactMemory *)(const void *)data + k;
            assert_true(c->a >= 1 && c->a < t.m->body_count);
            assert_true(c->b >= 1 && c->b < t.m->body_count);
            assert_true(norm(c->force) > 0);
            assert_true(c->mode == CONTACT_STICK || c->mode == CONTACT_SLIDE);
            if (k == 0) continue;
            const ContactMemory *last = c - 1;
            const double now[4] = { c->a, c->b, c->feature_high, c->feature_low };
            const double before[4] = { last->a, last->b, last->feature_high, last->feature_low };
            int j = 0;
            while (j < 3 && now[j] == before[j]) {
                j++;
            }
            assert_true(now[j] > before[j]);
        }
    }
    assert_true(remembered(&t) >= 10);
    trial_free(&t);
}

// The force of a contact is that of the last step: what lies on the ground weighs on it.
static void forces_are_in_newtons(void **state) {
    (void)state;
    impScene *scene = iterated_scene(vec(0, 0, -9.81), 0.5, 0.5, 0);
    iterated_plane(scene);
    iterated_box(scene, vec(0.1, 0.1, 0.1), iterated_at(0, 0, 0.05), iterated_moving(0, 0, 0), 3);
    Trial t = iterated_trial_of(scene);
    iterated_run(&t, 4, H);
    const void *data = t.s->data + t.m->layout.contacts;
    const ContactMemory *contact = data;
    double sum = 0;
    assert_int_equal(remembered(&t), 4);
    for (int k = 0; k < 4; k++) {
        assert_true(contact[k].mode == CONTACT_STICK);
        NEAR(norm(contact[k].slip), 0, 1e-6);
        sum += contact[k].force.z;
    }
    NEAR(sum, 3 * 9.81, 0.05);
    trial_free(&t);
}

// A capacity that is too small is a verdict with a sentence, and the state stays as it was.
static void a_full_memory_is_a_verdict(void **state) {
    (void)state;
    Trial t = iterated_trial_of(scene_of(12));
    uint64_t before = impState_Hash(t.m, t.s);
    impOutcome o = impStep(t.stepper, t.s, NULL, H);
    assert_int_equal(o.verdict, IMP_FULL);
    SAME_TEXT(o.text,
              "more than 12 contacts at once; run: contact_capacity sets how many there can be");
    assert_true(impState_Hash(t.m, t.s) == before);
    trial_free(&t);

    // what is large enough changes nothing
    Trial enough = iterated_trial_of(scene_of(64));
    Trial much = iterated_trial_of(scene_of(1000));
    iterated_run(&enough, 10, H);
    iterated_run(&much, 10, H);
    for (int i = 2; i < 10; i++) {
        assert_true(zero3(sub(trial_at(&enough, i), trial_at(&much, i))));
    }
    trial_free(&enough);
    trial_free(&much);
}

// What a recording gives back is the state with its contact memory: it goes on to the same bits.
static void a_recording_keeps_the_memory(void **state) {
    (void)state;
    static impError err;
    char path[] = "/tmp/impel_memory_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    impScene *scene = scene_of(0);
    impModel *m = impModel_Build(scene, &err);
    const impRunInfo info = { .name = "t", .text = "{}", .method = "iterated", .dt = H, .end = 1 };
    impRecorder *recorder = impRecorder_Open(scene, m, &info, path, true, &err);
    if (!recorder) {
        fail_msg("%s", err.message[0].text);
    }
    impFrames *frames = impFrames_New(m);
    Trial t = iterated_trial_of(scene);
    for (int i = 0; i < 20; i++) {
        impOutcome o = iterated_step(&t, NULL, H);
        assert_true(impFrames_Step(frames, &o));
        impFrame f = impFrames_Take(frames, t.s);
        assert_true(impRecorder_Add(recorder, t.s, &f, &err));
    }
    assert_true(impRecorder_Close(recorder, &(impRunEnd){ "complete", "", 0 }, &err));

    impRecording *recording = impRecording_Open(path, &err);
    assert_non_null(recording);
    const impModel *same_model = impRecording_Model(recording);
    impState *got = impState_New(same_model);
    impFrame f;
    int count = 0;
    while (impRecording_Next(recording, got, &f, &err) == 1) {
        count++;
    }
    assert_int_equal(count, 20);
    assert_int_equal((int)got->data[same_model->layout.contact_count], remembered(&t));
    impStepper *stepper = impStepper_New(same_model, &(impStepperDef){ .method = "iterated" },
                                         &err);
    for (int i = 0; i < 10; i++) {
        assert_true(impState_Hash(t.m, t.s) == impState_Hash(same_model, got));
        iterated_step(&t, NULL, H);
        assert_int_equal(impStep(stepper, got, NULL, H).verdict, IMP_SOLVED);
    }
    impStepper_Free(stepper);
    impState_Free(got);
    impRecording_Free(recording);
    impFrames_Free(frames);
    impModel_Free(m);
    trial_free(&t);
    remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copied_state_has_the_same_future),
        cmocka_unit_test(a_state_is_its_data),
        cmocka_unit_test(the_memory_is_in_order),
        cmocka_unit_test(forces_are_in_newtons),
        cmocka_unit_test(a_full_memory_is_a_verdict),
        cmocka_unit_test(a_recording_keeps_the_memory),
    };
    return RUN(tests);
}
