// recording.c -- what a recording costs: 1000 marbles, 3 s by method impulse, at 60 frames a
// second.
//
// The goal is 10 % of the simulation's own CPU time, everything in it: states with their hashes,
// every contact, sums, checks, and the file. Both are timed within one run, call by call: two runs
// differ by more than that from each other on a machine that others use, too. The best of three.
//
// SPDX-License-Identifier: MIT
#include "impel/impel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char scene_text[] =
    "{ \"impel\": 1, \"gravity\": [0, 0, -9.81], \"materials\": { \"glass\": { \"friction\": 0.2, "
    "\"restitution\": 0.7 } }, \"bodies\": ["
    "{ \"name\": \"floor\", \"fixed\": true, \"material\": \"glass\", \"shape\": { \"plane\": { "
    "\"normal\": [0, 0, 1] } } },"
    "{ \"name\": \"marble\", \"material\": \"glass\", \"shape\": { \"sphere\": { \"radius\": 0.05 "
    "} }, \"position\": [-2, -2, 1],"
    "  \"repeat\": { \"grid\": [20, 10, 5], \"step\": [0.21, 0.42, 0.4], \"jitter\": [0.05, 0.05, "
    "0.1] } } ],"
    "\"run\": { \"duration\": 3, \"dt\": 0.016666666666666666, \"method\": \"impulse\", "
    "\"contact_band\": 1e-4 } }";

typedef struct Bench {
    impScene *scene;
    impModel *model;
    impStepper *stepper;
    impState *state;
    const char *path;
} Bench;

static double cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int fail(const char *what) {
    fprintf(stderr, "recording: %s\n", what);
    return 1;
}

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

// CPU seconds
typedef struct Spent {
    double stepping, recording;
} Spent;

static bool one_run(Bench *b, Spent *spent) {
    static impError err;
    impState *start = impState_New(b->model);
    impState_Copy(b->model, b->state, start);
    impState_Free(start);
    double h = impModel_Run(b->model).dt;
    double began = cpu();
    impRunInfo run = { .name = "marbles.json",
                       .text = scene_text,
                       .method = "impulse",
                       .dt = h,
                       .end = impModel_Run(b->model).duration,
                       .seed = 1 };
    impRecorder *to = impRecorder_Open(b->scene, b->model, &run, b->path, true, &err);
    impFrames *frames = impFrames_New(b->model);
    bool good = to && frames && record(b, to, frames);
    *spent = (Spent){ 0, cpu() - began };
    for (int i = 0; good && i < (int)(run.end / h + 0.5); i++) {
        double before = cpu();
        impOutcome o = impStep(b->stepper, b->state, NULL, h);
        double between = cpu();
        good = o.verdict == IMP_SOLVED && impFrames_Step(frames, &o) && record(b, to, frames);
        spent->stepping += between - before;
        spent->recording += cpu() - between;
    }
    began = cpu();
    if (to) {
        good = impRecorder_Close(to, NULL, &err) && good;
    }
    spent->recording += cpu() - began;
    impFrames_Free(frames);
    return good;
}

static long size_of(const char *path) {
    FILE *file = fopen(path, "rb");
    long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    if (file) {
        fclose(file);
    }
    return size;
}

int main(int argc, char **argv) {
    Bench b = { .path = argc > 1 ? argv[1] : "bench_recording.tmp.rec" };
    Spent best = { 1, HUGE_VAL };
    Spent now;
    if (!open_bench(&b)) return fail("the scene does not build");
    for (int i = 0; i < 3; i++) {
        if (!one_run(&b, &now)) return fail("a run failed");
        if (now.recording / now.stepping < best.recording / best.stepping) {
            best = now;
        }
    }
    printf("1000 marbles, 3 s       %8.2f s CPU\n", best.stepping);
    printf("their recording         %8.2f s, %.1f MB\n", best.recording,
           (double)size_of(b.path) / 1e6);
    printf("of the simulation       %8.1f %%   goal 10 %%\n", 100 * best.recording / best.stepping);
    remove(b.path);
    impStepper_Free(b.stepper);
    impState_Free(b.state);
    impModel_Free(b.model);
    impScene_Free(b.scene);
    return 0;
}
