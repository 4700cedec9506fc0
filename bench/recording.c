// recording.c -- what a recording costs: the same 1000 marbles, 3 s by method impulse, with and without one.
//
// The goal is 10 % of the simulation's own CPU time at 60 frames a second, everything in it: states with their hashes, every
// contact, sums, checks, and the file. Runs of both kinds take turns; the best of each is taken.
//
// SPDX-License-Identifier: MIT
#include "impel/impel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char scene_text[] =
    "{ \"impel\": 1, \"gravity\": [0, 0, -9.81], \"materials\": { \"glass\": { \"friction\": 0.2, \"restitution\": 0.7 } }, \"bodies\": ["
    "{ \"name\": \"floor\", \"fixed\": true, \"material\": \"glass\", \"shape\": { \"plane\": { \"normal\": [0, 0, 1] } } },"
    "{ \"name\": \"marble\", \"material\": \"glass\", \"shape\": { \"sphere\": { \"radius\": 0.05 } }, \"position\": [-2, -2, 1],"
    "  \"repeat\": { \"grid\": [20, 10, 5], \"step\": [0.21, 0.42, 0.4], \"jitter\": [0.05, 0.05, 0.1] } } ],"
    "\"run\": { \"duration\": 3, \"dt\": 0.016666666666666666, \"method\": \"impulse\", \"contact_band\": 1e-4 } }";

typedef struct Bench { impScene *scene; impModel *model; impStepper *stepper; impState *state; const char *path; } Bench;

static double cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int fail(const char *what) { return fprintf(stderr, "recording: %s\n", what), 1; }

static bool open_bench(Bench *b) {
    static impError err;
    b->scene = impScene_Parse(scene_text, strlen(scene_text), "marbles.json", NULL, &err);
    b->model = b->scene ? impModel_Build(b->scene, &err) : NULL;
    b->stepper = b->model ? impStepper_New(b->model, NULL, &err) : NULL;
    b->state = b->model ? impState_New(b->model) : NULL;
    return b->stepper && b->state;
}

static bool record(const Bench *b, impRecorder *to, impFrames *frames) {
    static impError err;
    impFrame frame = impFrames_Take(frames, b->state);
    return impRecorder_Add(to, b->state, &frame, &err);
}

// CPU seconds; negative: something failed.
static double one_run(Bench *b, bool recorded) {
    static impError err;
    impState *start = impState_New(b->model);
    impState_Copy(b->model, b->state, start);
    impState_Free(start);
    double began = cpu(), h = impModel_Run(b->model).dt;
    impRunInfo run = {"marbles.json", scene_text, "impulse", h, impModel_Run(b->model).duration, 1};
    impRecorder *to = recorded ? impRecorder_Open(b->scene, b->model, &run, b->path, true, &err) : NULL;
    impFrames *frames = recorded ? impFrames_New(b->model) : NULL;
    bool good = !recorded || (to && frames && record(b, to, frames));
    for (int i = 0; good && i < (int)(run.end / h + 0.5); i++) {
        impOutcome o = impStep(b->stepper, b->state, NULL, h);
        good = o.verdict == IMP_SOLVED;
        if (good && recorded) good = impFrames_Step(frames, b->state, &o) && record(b, to, frames);
    }
    if (to) good = impRecorder_Close(to, NULL, &err) && good;
    impFrames_Free(frames);
    return good ? cpu() - began : -1;
}

static long size_of(const char *path) {
    FILE *file = fopen(path, "rb");
    long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    if (file) fclose(file);
    return size;
}

int main(int argc, char **argv) {
    Bench b = {.path = argc > 1 ? argv[1] : "bench_recording.tmp.rec"};
    double with = HUGE_VAL, without = HUGE_VAL;
    if (!open_bench(&b)) return fail("the scene does not build");
    for (int i = 0; i < 3; i++) {
        double plain = one_run(&b, false), recorded = one_run(&b, true);
        if (plain < 0 || recorded < 0) return fail("a run failed");
        without = fmin(without, plain), with = fmin(with, recorded);
    }
    printf("1000 marbles, 3 s       %8.2f s CPU, %.1f MB recorded\n", without, (double)size_of(b.path) / 1e6);
    printf("the same, recorded      %8.2f s\n", with);
    printf("recording takes         %8.1f %%   goal 10 %%\n", 100 * (with - without) / without);
    remove(b.path);
    impStepper_Free(b.stepper), impState_Free(b.state), impModel_Free(b.model), impScene_Free(b.scene);
    return 0;
}
