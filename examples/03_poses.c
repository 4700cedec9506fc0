// 03_poses.c -- how does a part land? A brick is dropped until each probability is known to half a
// percent; what comes out is the same on every machine.
//
// SPDX-License-Identifier: MIT
#include "impel/impel.h"

#include <stdio.h>

int main(void) {
    static impError err;

    // a part is one body: it moves by its mass and touches by its hull
    impScene *scene = impScene_New((impVec3){ 0, 0, -9.81 });
    impShapeDef box = { .kind = "box", .size = { 0.01, 0.02, 0.03 } };
    impBody brick = impScene_Body(
        scene, &(impBodyDef){ .name = "brick", .shapes = &box, .shape_count = 1 }, &err);
    impModel *model = impModel_Build(scene, &err);
    impPart *part = model ? impPart_New(model, brick, NULL, &err) : NULL;

    // drops with any orientation, from 0.3 m
    impDropTestDef def = {
        .drop = { .seed = 1, .height = 0.3, .friction_dynamic = 0.3, .restitution = 0.3 },
        .drops = 1000000,
        .ci = 0.005,
        .threads = 2
    };
    impDropTest *test = part ? impDropTest_New(part, &def, &err) : NULL;
    if (!test || !impDropTest_Run(test, &err)) {
        fprintf(stderr, "%s\n", err.count ? err.message[0].text : "no memory");
        return 1;
    }

    for (int i = 0; i < impPart_RestCount(part); i++) {
        impRest rest = impPart_Rest(part, i);
        impShare share = impDropTest_Pose(test, i);
        printf("face (%2.0f, %2.0f, %2.0f) down, centre at %2.0f mm: %5.2f %%, 95 %%: %5.2f to "
               "%5.2f\n",
               rest.normal.x, rest.normal.y, rest.normal.z, 1e3 * rest.height,
               100 * share.probability, 100 * share.low, 100 * share.high);
    }
    impDropTestReport report = impDropTest_Report(test);
    printf("%lld drops; %lld of them again, more finely: %s\n", (long long)report.usual.drops,
           (long long)report.check.drops,
           report.check.beyond ? "the method is off" : "no difference beyond chance");

    impDropTest_Free(test);
    impPart_Free(part);
    impModel_Free(model);
    impScene_Free(scene);
}
