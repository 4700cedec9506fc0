// 04_contact.c -- contact forces: a block is thrown along a floor, slides to a stop and falls
// asleep. What each step logged adds up to the impulses of the whole run.
//
// SPDX-License-Identifier: MIT
#include "impel/impel.h"

#include <stdio.h>

static const char text[] =
    "{ \"impel\": 1,\n"
    "  \"materials\": { \"wood\": { \"friction\": 0.4, \"restitution\": 0.2 } },\n"
    "  \"bodies\": [\n"
    "    { \"name\": \"floor\", \"fixed\": true, \"material\": \"wood\",\n"
    "      \"shape\": { \"plane\": { \"normal\": [0, 0, 1] } } },\n"
    "    { \"name\": \"block\", \"material\": \"wood\", \"mass\": 2, \"velocity\": [3, 0, 0],\n"
    "      \"position\": [0, 0, 0.05001], \"shape\": { \"box\": { \"size\": [0.4, 0.4, 0.1] } } }\n"
    "  ] }\n";

int main(void) {
    static impError err;
    impScene *scene = impScene_Parse(text, sizeof text - 1, "block", NULL, &err);
    impModel *model = scene ? impModel_Build(scene, &err) : NULL;
    impStepper *stepper = model ? impStepper_New(model, NULL, &err) : NULL;
    impState *state = impState_New(model);
    impStats *stats = impStats_New(model, 0, 0);
    if (!stepper || !state || !stats) return 1;

    // 0.5 s of sliding: mu g = 3.924 m/s^2
    impBody block = impModel_Find(model, "block");
    int sliding = 0, sticking = 0;
    for (int i = 0; i < 50; i++) {
        impOutcome out = impStep(stepper, state, NULL, 0.01);
        if (out.verdict != IMP_SOLVED || !impStats_Add(stats, &out)) return 1;
        for (int k = 0; k < out.contact_count; k++) {
            sliding += out.contacts[k].mode == IMP_SLIDES;
            sticking += out.contacts[k].mode == IMP_STICKS;
        }
    }
    impPairStats pair = impStats_Pair(stats, 0);
    double side = pair.a.i == block.i ? 1 : -1;
    printf("block on floor, 0.5 s: mean force %.2f N along, %.2f N up; %s\n",
           side * pair.impulse.x / 0.5, side * pair.impulse.z / 0.5,
           sliding > 0 && sticking == 0 ? "all points slide" : "some points stick");
    printf("speed %.3f m/s, energy taken by friction %.2f J\n",
           impState_Twist(model, state, block).linear.x, -impStats_Causes(stats).friction);

    // until it sleeps
    double since = 0;
    while (!impAsleep(model, state, block, &since) && impState_Time(state) < 5) {
        if (impStep(stepper, state, NULL, 0.01).verdict != IMP_SOLVED) return 1;
    }
    impContact rest[16];
    int points = impSleepingContacts(model, state, rest, 16);
    double weight = 0;
    for (int i = 0; i < points && i < 16; i++) {
        weight += rest[i].a.i == block.i ? rest[i].impulse.z : -rest[i].impulse.z;
    }
    printf("at rest at x = %.3f m; %d points carry %.2f N\n",
           impState_Pose(model, state, block).at.x, points, weight);

    impStats_Free(stats);
    impState_Free(state);
    impStepper_Free(stepper);
    impModel_Free(model);
    impScene_Free(scene);
    return 0;
}
