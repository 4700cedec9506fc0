// 03_poses.c -- how does a part land? A brick is dropped 20,000 times; what comes out is the same on every machine.
//
// SPDX-License-Identifier: MIT
#include "impel/impel.h"

#include <stdio.h>
#include <stdlib.h>

int main(void) {
    static impError err;
    enum { N = 20000 };
    impScene *scene = impScene_New((impVec3){0, 0, -9.81});
    impShapeDef box = {.kind = "box", .size = {0.01, 0.02, 0.03}};
    impBody brick = impScene_Body(scene, &(impBodyDef){.name = "brick", .shapes = &box, .shape_count = 1}, &err);
    impModel *model = impModel_Build(scene, &err);
    impPart *part = model ? impPart_New(model, brick, NULL, &err) : NULL;
    impDropDef how = {.seed = 1, .height = 0.3, .friction_dynamic = 0.3, .restitution = 0.3};
    impDrops *drops = part ? impDrops_New(part, &how, &err) : NULL;
    impDropOutcome *outcome = calloc(N, sizeof *outcome);
    if (!drops || !outcome || !impDrops_Run(drops, 0, N, 2, outcome)) {
        fprintf(stderr, "%s\n", err.count ? err.message[0].text : "no memory");
        return 1;
    }
    int count[6] = {0}, impacts = 0;
    for (int i = 0; i < N; i++) count[outcome[i].rest]++, impacts += outcome[i].impacts;
    for (int i = 0; i < impPart_RestCount(part); i++) {
        impRest rest = impPart_Rest(part, i);
        printf("face (%2.0f, %2.0f, %2.0f) down, centre at %2.0f mm: %5.2f %%, quasi-static %5.2f %%\n", rest.normal.x, rest.normal.y,
               rest.normal.z, 1e3 * rest.height, 100.0 * count[i] / N, 100 * rest.quasi_static);
    }
    printf("%d impacts a drop until it was certain\n", impacts / N);
    free(outcome);
    impDrops_Free(drops);
    impPart_Free(part);
    impModel_Free(model);
    impScene_Free(scene);
}
