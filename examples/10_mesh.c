// 10_mesh.c -- a mesh from a file: what it holds, and where it lies after a fall. The mass is that
// of the surface with its hollow; on a plane its hull is what touches.
//
// SPDX-License-Identifier: MIT
#include "impel/impel.h"

#include <stdio.h>

int main(int argc, char **argv) {
    static impError err;
    const char *path = argc > 1 ? argv[1] : "scenes/parts/cup.obj";
    impMesh *mesh = impMesh_Load(path, 1, NULL, &err);
    if (!mesh) {
        fprintf(stderr, "%s\n", err.message[0].text);
        return 1;
    }
    impMeshReport report = impMesh_Report(mesh);
    printf("%d vertices, %d triangles, %s, %.2f cm^3\n", report.vertices, report.triangles,
           report.closed ? "closed" : "open", 1e6 * report.volume);

    // dynamic bodies touch by the hull
    impShapeDef shape, plane = { .kind = "plane", .size = { 0, 0, 1, 0 } };
    if (!impMesh_Shape(mesh, &shape, &err)) return 1;
    shape.as_hull = true;
    impScene *scene = impScene_New((impVec3){ 0, 0, -9.81 });
    impMaterialDef clay = { .name = "clay",
                            .friction_static = 0.5,
                            .friction_dynamic = 0.5,
                            .restitution = 0.2,
                            .density = 1900 };
    impBodyDef floor = {
        .name = "floor", .fixed = true, .material = "clay", .shapes = &plane, .shape_count = 1
    };
    impBodyDef part = { .name = "part",
                        .material = "clay",
                        .pose = { { 0, 0, 0.1 }, { 0.95, 0.3, 0.05, 0 } },
                        .shapes = &shape,
                        .shape_count = 1 };
    bool told = impScene_Material(scene, &clay, &err) && impScene_Body(scene, &floor, &err).i > 0;
    impBody body = impScene_Body(scene, &part, &err);
    impModel *model = told && body.i > 0 ? impModel_Build(scene, &err) : NULL;
    impStepper *stepper = model ? impStepper_New(model, NULL, &err) : NULL;
    impState *state = impState_New(model);
    if (!stepper || !state) return 1;

    double since = 0;
    while (!impAsleep(model, state, body, &since) && impState_Time(state) < 20) {
        if (impStep(stepper, state, NULL, 0.01).verdict != IMP_SOLVED) return 1;
    }
    impMass mass = impModel_Mass(model, body);
    double above = impDistance(model, state, body, impModel_Find(model, "floor"), NULL, NULL, NULL);
    printf("%.2f g, %s, %.1f um above the floor\n", 1e3 * mass.mass,
           impAsleep(model, state, body, NULL) ? "at rest" : "still moving", 1e6 * above);

    impState_Free(state);
    impStepper_Free(stepper);
    impModel_Free(model);
    impScene_Free(scene);
    impMesh_Free(mesh);
    return 0;
}
