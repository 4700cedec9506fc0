// 06_rewind.c -- snapshot and rewind: how fast must a ball be thrown along the floor to be at 2 m
// after one second? It bounces on the way, with friction, so it is tried; each trial starts from a
// copy of the same state.
//
// SPDX-License-Identifier: MIT
#include "impel/impel.h"

#include <stdio.h>

static const char text[] =
    "{ \"impel\": 1,\n"
    "  \"materials\": { \"rubber\": { \"friction\": 0.5, \"restitution\": 0.8 } },\n"
    "  \"bodies\": [\n"
    "    { \"name\": \"floor\", \"fixed\": true, \"material\": \"rubber\",\n"
    "      \"shape\": { \"plane\": { \"normal\": [0, 0, 1] } } },\n"
    "    { \"name\": \"ball\", \"material\": \"rubber\", \"position\": [0, 0, 0.3],\n"
    "      \"shape\": { \"sphere\": { \"radius\": 0.05 } } } ] }\n";

// where the ball is after one second, m
static double thrown(const impModel *model, impStepper *stepper, impState *state, double speed) {
    impBody ball = impModel_Find(model, "ball");
    impTwist twist = { .linear = { speed, 0, 0 } };
    if (!impState_Set(model, state, ball, impState_Pose(model, state, ball), twist, NULL)) return 0;
    for (int i = 0; i < 100; i++) {
        if (impStep(stepper, state, NULL, 0.01).verdict != IMP_SOLVED) return 0;
    }
    return impState_Pose(model, state, ball).at.x;
}

int main(void) {
    impScene *scene = impScene_Parse(text, sizeof text - 1, "throw", NULL, NULL);
    impModel *model = impModel_Build(scene, NULL);
    impStepper *stepper = impStepper_New(model, NULL, NULL);
    impState *start = impState_New(model);
    impState *state = impState_New(model);
    if (!stepper || !start || !state) return 1;

    double slow = 1, fast = 5;
    for (int i = 0; i < 40; i++) {
        double speed = 0.5 * (slow + fast);
        impState_Copy(model, state, start);
        if (thrown(model, stepper, state, speed) < 2) {
            slow = speed;
        } else {
            fast = speed;
        }
    }
    impState_Copy(model, state, start);
    printf("thrown at %.4f m/s it is at ", slow);
    printf("%.4f m", thrown(model, stepper, state, slow));

    // a copy has the same future, to the last bit
    uint64_t hash = impState_Hash(model, state);
    impState_Copy(model, state, start);
    thrown(model, stepper, state, slow);
    printf("; once more: %s\n",
           impState_Hash(model, state) == hash ? "the same bits" : "other bits");

    impState_Free(state);
    impState_Free(start);
    impStepper_Free(stepper);
    impModel_Free(model);
    impScene_Free(scene);
    return 0;
}
