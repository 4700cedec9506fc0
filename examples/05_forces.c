// 05_forces.c -- forces of a program's own: a puck on a frictionless floor, drawn to the origin by
// a spring of 4 N/m. Its force is constant over a step, so steps are short.
//
// SPDX-License-Identifier: MIT
#include "impel/impel.h"

#include <stdio.h>

int main(void) {
    static impError err;
    impScene *scene = impScene_New((impVec3){ 0, 0, -9.81 });
    impMaterialDef ice = { .name = "ice" };
    impShapeDef plane = { .kind = "plane", .size = { 0, 0, 1, 0 } };
    impShapeDef disc = { .kind = "cylinder", .size = { 0.05, 0.02 } };
    impBodyDef floor = {
        .name = "floor", .fixed = true, .material = "ice", .shapes = &plane, .shape_count = 1
    };
    impBodyDef puck = { .name = "puck",
                        .material = "ice",
                        .mass = 1,
                        .pose.at = { 1, 0, 0.010001 },
                        .shapes = &disc,
                        .shape_count = 1 };
    bool told = impScene_Material(scene, &ice, &err) && impScene_Body(scene, &floor, &err).i > 0;
    impBody body = impScene_Body(scene, &puck, &err);
    impModel *model = told && body.i > 0 ? impModel_Build(scene, &err) : NULL;
    impStepper *stepper = model ? impStepper_New(model, NULL, &err) : NULL;
    impState *state = impState_New(model);
    if (!stepper || !state) return 1;

    // force and torque of the only free body
    double input[6] = { 0 };
    int first = impModel_BodyFreedom(model, body, NULL);
    for (int i = 0; i <= 3000; i++) {
        double x = impState_Pose(model, state, body).at.x;
        if (i % 500 == 0) {
            printf("%.1f s  x = %5.2f m\n", impState_Time(state), x);
        }
        input[first] = -4 * x;
        if (impStep(stepper, state, input, 0.001).verdict != IMP_SOLVED) return 1;
    }

    impState_Free(state);
    impStepper_Free(stepper);
    impModel_Free(model);
    impScene_Free(scene);
    return 0;
}
