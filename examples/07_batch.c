// 07_batch.c -- many worlds of one model in one call: seven balls are thrown at seven angles, each
// in a world of its own.
//
// SPDX-License-Identifier: MIT
#include "impel/impel.h"

#include <math.h>
#include <stdio.h>

enum { WORLDS = 7 };

static const char text[] =
    "{ \"impel\": 1,\n"
    "  \"materials\": { \"cork\": { \"friction\": 0.6, \"restitution\": 0.5 } },\n"
    "  \"bodies\": [\n"
    "    { \"name\": \"floor\", \"fixed\": true, \"material\": \"cork\",\n"
    "      \"shape\": { \"plane\": { \"normal\": [0, 0, 1] } } },\n"
    "    { \"name\": \"ball\", \"material\": \"cork\", \"position\": [0, 0, 0.06],\n"
    "      \"shape\": { \"sphere\": { \"radius\": 0.05 } } } ] }\n";

int main(void) {
    impScene *scene = impScene_Parse(text, sizeof text - 1, "throws", NULL, NULL);
    impModel *model = impModel_Build(scene, NULL);
    impStepper *stepper = impStepper_New(model, NULL, NULL);
    impState *world[WORLDS];
    impOutcome out[WORLDS];
    impBody ball = impModel_Find(model, "ball");
    if (!stepper) return 1;

    // 10 to 70 degrees, 5 m/s
    for (int i = 0; i < WORLDS; i++) {
        double angle = (10 + 10 * i) * 3.14159265358979323846 / 180;
        impTwist twist = { .linear = { 5 * cos(angle), 0, 5 * sin(angle) } };
        world[i] = impState_New(model);
        if (!world[i] ||
            !impState_Set(model, world[i], ball, impState_Pose(model, world[i], ball), twist, NULL))
            return 1;
    }
    for (int step = 0; step < 200; step++) {
        impStepMany(stepper, world, NULL, WORLDS, 0.01, out);
        for (int i = 0; i < WORLDS; i++) {
            if (out[i].verdict != IMP_SOLVED) return 1;
        }
    }
    for (int i = 0; i < WORLDS; i++) {
        printf("%d degrees: %.2f m after 2 s\n", 10 + 10 * i,
               impState_Pose(model, world[i], ball).at.x);
        impState_Free(world[i]);
    }
    impStepper_Free(stepper);
    impModel_Free(model);
    impScene_Free(scene);
    return 0;
}
