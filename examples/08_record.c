// 08_record.c -- a recording: states to the last bit, written while a ball bounces, read again, and
// continued from one of its frames.
//
// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "impel/impel.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { STEPS = 100, MIDDLE = 60 };

static const char text[] =
    "{ \"impel\": 1,\n"
    "  \"materials\": { \"steel\": { \"friction\": 0.3, \"restitution\": 0.8 } },\n"
    "  \"bodies\": [\n"
    "    { \"name\": \"floor\", \"fixed\": true, \"material\": \"steel\",\n"
    "      \"shape\": { \"plane\": { \"normal\": [0, 0, 1] } } },\n"
    "    { \"name\": \"ball\", \"material\": \"steel\", \"position\": [0, 0, 0.5],\n"
    "      \"angular_velocity\": [0, 20, 0], \"shape\": { \"sphere\": { \"radius\": 0.05 } } } ] "
    "}\n";

static bool record(const impScene *scene, const impModel *model, const char *path, uint64_t *hash) {
    static impError err;
    impRunInfo run = { .name = "ball", .text = text, .method = "impulse", .dt = 0.01, .end = 1 };
    impStepper *stepper = impStepper_New(model, NULL, &err);
    impState *state = impState_New(model);
    impFrames *frames = impFrames_New(model);
    impRecorder *recorder = impRecorder_Open(scene, model, &run, path, true, &err);
    bool good = stepper && state && frames && recorder;
    for (int i = 0; i <= STEPS && good; i++) {
        impFrame frame = impFrames_Take(frames, state);
        good = impRecorder_Add(recorder, state, &frame, &err);
        *hash = frame.hash;
        if (!good || i == STEPS) break;
        impOutcome out = impStep(stepper, state, NULL, 0.01);
        good = out.verdict == IMP_SOLVED && impFrames_Step(frames, &out);
    }
    good = good && impRecorder_Close(recorder, &(impRunEnd){ .status = "complete" }, &err);
    impFrames_Free(frames);
    impState_Free(state);
    impStepper_Free(stepper);
    return good;
}

static bool read_again(const char *path, uint64_t hash) {
    static impError err;
    impRecording *recording = impRecording_Open(path, &err);
    if (!recording) return false;
    const impModel *model = impRecording_Model(recording);
    impStepper *stepper = impStepper_New(model, NULL, &err);
    impState *state = impState_New(model);
    impState *middle = impState_New(model);
    impFrame frame;
    int frames = 0, contacts = 0;
    while (impRecording_Next(recording, state, &frame, &err) == 1) {
        contacts += frame.contact_count;
        if (frames++ == MIDDLE) {
            impState_Copy(model, middle, state);
        }
    }
    printf("%d frames, %d contacts, ends %s\n", frames, contacts,
           frame.hash == hash ? "as recorded" : "otherwise");

    // from the middle on
    printf("from %.2f s on: ", impState_Time(middle));
    for (int i = MIDDLE; i < STEPS; i++) {
        if (impStep(stepper, middle, NULL, 0.01).verdict != IMP_SOLVED) return false;
    }
    printf("%s\n", impState_Hash(model, middle) == hash ? "the same bits" : "other bits");
    impState_Free(middle);
    impState_Free(state);
    impStepper_Free(stepper);
    impRecording_Free(recording);
    return true;
}

int main(void) {
    char folder[] = "/tmp/impel_XXXXXX";
    char path[64];
    uint64_t hash = 0;
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/ball.rec", folder);
    impScene *scene = impScene_Parse(text, sizeof text - 1, "ball", NULL, NULL);
    impModel *model = impModel_Build(scene, NULL);
    bool good = model && record(scene, model, path, &hash) && read_again(path, hash);
    impModel_Free(model);
    impScene_Free(scene);
    remove(path);
    rmdir(folder);
    return good ? 0 : 1;
}
