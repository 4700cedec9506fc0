// asleep.c -- what sleeping bodies cost: a step of the method `iterated` with many cubes asleep on
// a plane, against one of the same cubes awake.
//
// A ball that rolls on the plane is awake in all runs. The cubes fall asleep within the first
// steps, which are not timed; those that stay awake have an input that no sum notices.
//
//   asleep [CUBES]     100000 if nothing is said
//
// SPDX-License-Identifier: MIT
#include "bench.h"

#include <math.h>

// N
#define UNNOTICED 1e-300
#define STEP      1e-3
enum { CUBES = 100000, SETTLING = 40, TIMED = 20, AWAKE_TIMED = 2 };

typedef struct World {
    impModel *model;
    impState *state;
    impStepper *stepper;
    double *input;  // NULL: none
    int sleepers;
} World;

static impScene *scene_of(int cubes, impError *err) {
    impScene *scene = impScene_New((impVec3){ 0, 0, -9.81 });
    impMaterialDef material = {
        .name = "all", .friction_static = 0.5, .friction_dynamic = 0.5, .density = 1000
    };
    impShapeDef plane = { .kind = "plane", .size = { 0, 0, 1, 0 } };
    impShapeDef cube = { .kind = "box", .size = { 1, 1, 1 } };
    impShapeDef ball = { .kind = "sphere", .size = { 0.3 } };
    if (!scene || !impScene_Material(scene, &material, err)) {
        stop("asleep", err);
    }
    impScene_Body(
        scene,
        &(impBodyDef){ .fixed = true, .material = "all", .shapes = &plane, .shape_count = 1 }, err);
    impScene_Body(scene,
                  &(impBodyDef){ .material = "all",
                                 .shapes = &ball,
                                 .shape_count = 1,
                                 .pose.at = { 0, -10, 0.3 },
                                 .twist.linear = { 1, 0, 0 } },
                  err);
    int side = (int)ceil(sqrt(cubes));
    for (int i = 0; i < cubes; i++) {
        impBodyDef def = { .material = "all",
                           .shapes = &cube,
                           .shape_count = 1,
                           .pose.at = { 1.5 * (i % side), 1.5 * (i / side), 0.5 } };
        impScene_Body(scene, &def, err);
    }
    return scene;
}

static void keep_awake(World *w, int cubes) {
    w->input = calloc((size_t)impModel_Freedoms(w->model), sizeof(double));
    if (!w->input) {
        stop("asleep", NULL);
    }
    for (int i = 0; i < cubes; i++) {
        int freedoms;
        w->input[impModel_BodyFreedom(w->model, (impBody){ i + 3 }, &freedoms) + 2] = UNNOTICED;
    }
}

static World world_of(int cubes, bool awake) {
    impError err = { 0 };
    World w = { 0 };
    impScene *scene = scene_of(cubes, &err);
    w.model = impModel_Build(scene, &err);
    impScene_Free(scene);
    if (!w.model) {
        stop("asleep", &err);
    }
    w.state = impState_New(w.model);
    w.stepper = impStepper_New(w.model, &(impStepperDef){ .method = "iterated" }, &err);
    if (!w.state || !w.stepper) {
        stop("asleep", &err);
    }
    if (awake) {
        keep_awake(&w, cubes);
    }
    return w;
}

static void close_world(World *w) {
    impStepper_Free(w->stepper);
    impState_Free(w->state);
    impModel_Free(w->model);
    free(w->input);
}

static void steps(World *w, int count) {
    for (int i = 0; i < count; i++) {
        impOutcome out = impStep(w->stepper, w->state, w->input, STEP);
        if (out.verdict != IMP_SOLVED) {
            fprintf(stderr, "asleep: %s\n", out.text);
            exit(1);
        }
    }
}

// ms of CPU time of a step
static double cost_of(int cubes, bool awake, int *sleepers) {
    World w = world_of(cubes, awake);
    int timed = awake ? AWAKE_TIMED : TIMED;
    steps(&w, awake ? 2 : SETTLING);
    *sleepers = 0;
    for (int i = 0; i < cubes; i++) {
        *sleepers += impAsleep(w.model, w.state, (impBody){ i + 3 }, NULL);
    }
    double start = cpu_seconds();
    steps(&w, timed);
    double took = 1e3 * (cpu_seconds() - start) / timed;
    close_world(&w);
    return took;
}

int main(int argc, char **argv) {
    int cubes = argc > 1 ? atoi(argv[1]) : CUBES;
    int sleepers, none;
    char what[80];
    double empty = cost_of(0, false, &none);
    double asleep = cost_of(cubes, false, &sleepers);
    double awake = cost_of(cubes, true, &none);
    row("a step with one ball awake", empty, "ms", 0);
    snprintf(what, sizeof what, "the same with %d of %d cubes asleep", sleepers, cubes);
    row(what, asleep, "ms", 0);
    row("a sleeper", 1e6 * (asleep - empty) / cubes, "ns", 0);
    snprintf(what, sizeof what, "a step with %d cubes awake", cubes);
    row(what, awake, "ms", 0);
    int missed = row("cubes asleep, of the time of cubes awake", asleep / awake, "x", 0.05);
    return missed | (sleepers < cubes);
}
