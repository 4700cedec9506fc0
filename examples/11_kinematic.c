// 11_kinematic.c -- a prescribed motion: a block is put on a belt that runs at 1 m/s. Friction
// brings it to the belt's speed in 1 / (mu g) = 0.204 s; the work is the belt's.
//
// SPDX-License-Identifier: MIT
#include "impel/impel.h"

#include <stdio.h>

static const char text[] =
    "{ \"impel\": 1,\n"
    "  \"materials\": { \"rubber\": { \"friction\": 0.5, \"restitution\": 0 } },\n"
    "  \"bodies\": [\n"
    "    { \"name\": \"belt\", \"material\": \"rubber\", \"position\": [0, 0, -0.05],\n"
    "      \"shape\": { \"box\": { \"size\": [10, 1, 0.1] } },\n"
    "      \"motion\": { \"translate\": { \"velocity\": [1, 0, 0] } } },\n"
    "    { \"name\": \"block\", \"material\": \"rubber\", \"mass\": 2,\n"
    "      \"position\": [0, 0, 0.05001], \"shape\": { \"box\": { \"size\": [0.2, 0.2, 0.1] } } }\n"
    "  ] }\n";

int main(void) {
    impScene *scene = impScene_Parse(text, sizeof text - 1, "belt", NULL, NULL);
    impModel *model = impModel_Build(scene, NULL);
    impStepper *stepper = impStepper_New(model, NULL, NULL);
    impState *state = impState_New(model);
    impStats *stats = impStats_New(model, 0, 0);
    impBody block = impModel_Find(model, "block");
    if (!stepper || !state || !stats) return 1;
    for (int i = 1; i <= 40; i++) {
        impOutcome out = impStep(stepper, state, NULL, 0.01);
        if (out.verdict != IMP_SOLVED || !impStats_Add(stats, &out)) return 1;
        if (i % 8 != 0) continue;
        printf("%.2f s  %.2f m/s  at %.3f m\n", impState_Time(state),
               impState_Twist(model, state, block).linear.x,
               impState_Pose(model, state, block).at.x);
    }
    impCauses causes = impStats_Causes(stats);
    printf("work of the belt %.3f J, lost by friction %.3f J\n", causes.driven, -causes.friction);

    impStats_Free(stats);
    impState_Free(state);
    impStepper_Free(stepper);
    impModel_Free(model);
    impScene_Free(scene);
    return 0;
}
