// impel.c -- the method `iterated` as one of the engines that are compared.
//
// Twice: as it is, and with all bodies kept awake, as the other engines have them: a body with an
// input does not sleep, and the force is so small that no sum notices it.
//
// SPDX-License-Identifier: MIT
#include "rivals.h"

#include <stdio.h>
#include <stdlib.h>

// N
#define UNNOTICED 1e-300

typedef struct Run {
    impModel *model;
    impState *state;
    impStepper *stepper;
    double *input;  // NULL: none
    double h;
    int count;
    char why[600];
} Run;

static void refuse(const impError *err) {
    fprintf(stderr, "rivals: impel: %s\n", err->count ? err->message[0].text : "no memory");
    exit(1);
}

// body 0 is the world, body 1 the ground
static impBody body_of(int i) { return (impBody){ i + 2 }; }

static void add_body(impScene *scene, const RivalsBody *body, impError *err) {
    bool sphere = body->radius > 0;
    impShapeDef shape = { .kind = sphere ? "sphere" : "box", .size = { body->radius } };
    if (!sphere) {
        shape.size[0] = 2 * body->half.x;
        shape.size[1] = 2 * body->half.y;
        shape.size[2] = 2 * body->half.z;
    }
    impBodyDef def = { .fixed = body->mass == 0,
                       .mass = body->mass,
                       .pose = body->pose,
                       .material = "all",
                       .shapes = &shape,
                       .shape_count = 1 };
    if (impScene_Body(scene, &def, err).i < 0) {
        refuse(err);
    }
}

static impScene *scene_of(const RivalsWorld *world, impError *err) {
    impScene *scene = impScene_New((impVec3){ 0, 0, -RIVALS_GRAVITY });
    impShapeDef plane = { .kind = "plane", .size = { 0, 0, 1, 0 } };
    impMaterialDef material = { .name = "all",
                                .friction_static = world->friction,
                                .friction_dynamic = world->friction,
                                .restitution = world->restitution };
    impBodyDef ground = { .fixed = true, .material = "all", .shapes = &plane, .shape_count = 1 };
    if (!scene || !impScene_Material(scene, &material, err) ||
        impScene_Body(scene, &ground, err).i < 0) {
        refuse(err);
    }
    for (int i = 0; i < world->count; i++) {
        add_body(scene, &world->body[i], err);
    }
    return scene;
}

static void *begin(const RivalsWorld *world) {
    impError err = { 0 };
    Run *run = calloc(1, sizeof *run);
    if (!run) {
        refuse(&err);
    }
    impScene *scene = scene_of(world, &err);
    run->model = impModel_Build(scene, &err);
    impScene_Free(scene);
    if (!run->model) {
        refuse(&err);
    }
    run->state = impState_New(run->model);
    run->stepper = impStepper_New(run->model, &(impStepperDef){ .method = "iterated" }, &err);
    if (!run->state || !run->stepper) {
        refuse(&err);
    }
    run->h = world->h;
    run->count = world->count;
    return run;
}

static void *begin_awake(const RivalsWorld *world) {
    Run *run = begin(world);
    run->input = calloc((size_t)impModel_Freedoms(run->model), sizeof(double));
    if (!run->input) {
        refuse(&(impError){ 0 });
    }
    for (int i = 0; i < run->count; i++) {
        int freedoms;
        int first = impModel_BodyFreedom(run->model, body_of(i), &freedoms);
        if (freedoms == 6) {
            run->input[first + 2] = UNNOTICED;
        }
    }
    return run;
}

static const char *step(void *context) {
    Run *run = context;
    impOutcome out = impStep(run->stepper, run->state, run->input, run->h);
    if (out.verdict == IMP_SOLVED) return NULL;
    snprintf(run->why, sizeof run->why, "t = %.4f s: %s", impState_Time(run->state), out.text);
    return run->why;
}

static void poses(void *context, impPose *pose) {
    Run *run = context;
    for (int i = 0; i < run->count; i++) {
        pose[i] = impState_Pose(run->model, run->state, body_of(i));
    }
}

static int asleep(void *context) {
    Run *run = context;
    int sleepers = 0;
    for (int i = 0; i < run->count; i++) {
        sleepers += impAsleep(run->model, run->state, body_of(i), NULL);
    }
    return sleepers;
}

static void end(void *context) {
    Run *run = context;
    impStepper_Free(run->stepper);
    impState_Free(run->state);
    impModel_Free(run->model);
    free(run->input);
    free(run);
}

const RivalsEngine rivals_impel = { .name = "impel",
                                    .settings = "method iterated, its own tolerances",
                                    .begin = begin,
                                    .step = step,
                                    .poses = poses,
                                    .asleep = asleep,
                                    .end = end };

const RivalsEngine rivals_awake = { .name = "awake",
                                    .settings = "the same, where no body may sleep",
                                    .begin = begin_awake,
                                    .step = step,
                                    .poses = poses,
                                    .asleep = asleep,
                                    .end = end };
