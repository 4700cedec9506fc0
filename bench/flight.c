// flight.c -- how long exact free flight takes: an asymmetric body, at any time.
//
// A step of one body sets the flight up from its anchor, evaluates it twice (once to see that the
// state is on it) and judges the result; all of that counts. The ratio says what a body costs in a
// crowd.
//
// SPDX-License-Identifier: MIT
#include "bench.h"

typedef struct Sky {
    impModel *model;
    impStepper *stepper;
    impState *state;
    double t;
    int steps;
} Sky;

static Sky crowd(int side, double ix, double iy, double iz) {
    static impError err;
    Sky sky = { 0 };
    impScene *scene = impScene_New((impVec3){ 0, 0, -9.81 });
    for (int i = 0; i < side; i++) {
        impScene_Body(scene,
                      &(impBodyDef){ .mass = 1,
                                     .inertia = { { ix, 0, 0 }, { 0, iy, 0 }, { 0, 0, iz } },
                                     .pose.at = { i, 0, 0 },
                                     .twist.angular = { 3, 1 + 1e-3 * i, 6 } },
                      &err);
    }
    sky.model = impModel_Build(scene, &err);
    if (!sky.model) {
        stop("flight", &err);
    }
    sky.stepper = impStepper_New(sky.model, &(impStepperDef){ .method = "flight" }, &err);
    sky.state = impState_New(sky.model);
    impScene_Free(scene);
    return sky;
}

static void fly(void *context) {
    Sky *sky = context;
    // any time, far apart
    for (int i = 0; i < sky->steps; i++) {
        impStep(sky->stepper, sky->state, NULL, 0.37);
    }
}

static double per_body(int count, double ix, double iy, double iz) {
    Sky sky = crowd(count, ix, iy, iz);
    sky.steps = 200000 / count + 1;
    double best = best_of(7, fly, &sky) / sky.steps / count;
    impStepper_Free(sky.stepper);
    impState_Free(sky.state);
    impModel_Free(sky.model);
    return best * 1e6;
}

int main(void) {
    double asymmetric = per_body(1000, 0.13, 0.10, 0.05);
    double alone = per_body(1, 0.13, 0.10, 0.05);
    double symmetric = per_body(1000, 0.13, 0.13, 0.05);
    double ball = per_body(1000, 0.1, 0.1, 0.1);
    int missed = row("asymmetric body, one step to any time (of 1000)", asymmetric, "us", 2);
    missed |= row("asymmetric body, one step to any time (alone)", alone, "us", 2);
    row("symmetric body", symmetric, "us", 0);
    row("ball", ball, "us", 0);
    row("asymmetric against ball", asymmetric / ball, "x", 0);
    return missed;
}
