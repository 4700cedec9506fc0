// 01_throw.c -- throw a brick, ask where it is at any time, and how true the step was.
#include "impel/impel.h"

#include <stdio.h>

static int complain(const impError *why) {
    char line[640];
    for (int i = 0; i < why->count && i < IMP_MESSAGES; i++) {
        impError_Print(why, i, line, sizeof line);
        fprintf(stderr, "%s\n", line);
    }
    return 1;
}

int main(void) {
    static impError why;
    impScene *scene = impScene_New((impVec3){ 0, 0, -9.81 });
    impScene_Material(scene,
                      &(impMaterialDef){ .name = "clay",
                                         .friction_static = 0.5,
                                         .friction_dynamic = 0.4,
                                         .restitution = 0.1,
                                         .density = 1900 },
                      &why);
    impBody brick = impScene_Body(
        scene,
        &(impBodyDef){ .name = "brick",
                       .material = "clay",
                       .pose.at.z = 1,
                       .twist = { { 1, 0, 4 }, { 6, 0.1, 3 } },
                       .shape_count = 1,
                       .shapes = &(impShapeDef){ .kind = "box", .size = { 0.24, 0.115, 0.071 } } },
        &why);
    impModel *model = impModel_Build(scene, &why);
    if (!model) return complain(&why);
    impStepper *stepper = impStepper_New(model, &(impStepperDef){ .method = "flight" }, &why);
    impState *state = impState_New(model);
    if (!stepper || !state) return complain(&why);

    printf("   t s     x m     z m   spin rad/s   energy created J\n");
    for (int i = 0; i <= 8; i++) {
        impPose p = impState_Pose(model, state, brick);
        impVec3 w = impState_Twist(model, state, brick).angular;
        impOutcome step = impStep(stepper, state, NULL, 0.125);
        bool rounding = step.certificate.energy < 1e-12 && step.certificate.energy > -1e-12;
        printf("%6.3f  %6.3f  %6.3f   %10.6f   %s\n", 0.125 * i, p.at.x, p.at.z, w.z,
               rounding ? "rounding only" : "too much");
    }
    impState_Free(state);
    impStepper_Free(stepper);
    impModel_Free(model);
    impScene_Free(scene);
    return 0;
}
