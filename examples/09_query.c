// 09_query.c -- where things are: a ray, a box, distances and closest pairs in one state. Nothing
// is stepped.
//
// SPDX-License-Identifier: MIT
#include "impel/impel.h"

#include <stdio.h>

static const char text[] =
    "{ \"impel\": 1, \"bodies\": [\n"
    "    { \"name\": \"floor\", \"fixed\": true, \"shape\": { \"plane\": { \"normal\": [0, 0, 1] } "
    "} },\n"
    "    { \"name\": \"crate\", \"mass\": 5, \"position\": [2, 0, 0.5],\n"
    "      \"shape\": { \"box\": { \"size\": [1, 1, 1] } } },\n"
    "    { \"name\": \"ball\", \"mass\": 1, \"position\": [2, 0, 2], \"velocity\": [0, 0, -1],\n"
    "      \"shape\": { \"sphere\": { \"radius\": 0.25 } } } ] }\n";

int main(void) {
    impScene *scene = impScene_Parse(text, sizeof text - 1, "room", NULL, NULL);
    impModel *model = impModel_Build(scene, NULL);
    impState *state = impState_New(model);
    if (!state) return 1;

    // a ray along x, half a metre above the floor
    impHit hit;
    if (impCast(model, state, (impVec3){ 0, 0, 0.5 }, (impVec3){ 1, 0, 0 }, 10, &hit)) {
        printf("the ray hits the %s after %.2f m, normal (%.0f, %.0f, %.0f)\n",
               impModel_Name(model, hit.body), hit.distance, hit.normal.x, hit.normal.y,
               hit.normal.z);
    }

    // bodies in a box
    impBody found[4];
    int count = impOverlap(model, state, (impVec3){ 1, -1, 0.8 }, (impVec3){ 3, 1, 1.8 }, found, 4);
    printf("in the box:");
    for (int i = 0; i < count && i < 4; i++) {
        printf(" %s", impModel_Name(model, found[i]));
    }

    // distance and closest points of two bodies
    impVec3 on_ball, on_crate;
    double gap = impDistance(model, state, impModel_Find(model, "ball"),
                             impModel_Find(model, "crate"), &on_ball, &on_crate, NULL);
    printf("\nball and crate are %.2f m apart, between z = %.2f and %.2f m\n", gap, on_crate.z,
           on_ball.z);

    // the nearest pairs, with a time before which they cannot touch
    impNear near[4];
    count = impNearPairs(model, state, 1, near, 4);
    for (int i = 0; i < count && i < 4; i++) {
        printf("%s and %s: %.2f m%s\n", impModel_Name(model, near[i].a),
               impModel_Name(model, near[i].b), near[i].distance,
               near[i].time > 0.2 && near[i].distance > 0 ? ", no contact within 0.2 s" : "");
    }
    impState_Free(state);
    impModel_Free(model);
    impScene_Free(scene);
    return 0;
}
