// contact_support.c -- two boxes, placed by hand.
//
// SPDX-License-Identifier: MIT
#include "contact_support.h"

impModel *two_boxes(double x, double y, double z) {
    static impError err;
    impShapeDef box = { .kind = "box", .size = { x, y, z } };
    impScene *scene = impScene_New(vec(0, 0, -9.81));
    for (int i = 0; i < 2; i++) {
        impScene_Body(scene, &(impBodyDef){ .shapes = &box, .shape_count = 1 }, &err);
    }
    impModel *m = impModel_Build(scene, &err);
    assert_non_null(m);
    impScene_Free(scene);
    return m;
}

Actor put_body(const impModel *m, int body, impVec3 at, impQuat rotation, impVec3 v, impVec3 w) {
    // with the world; each is put anew only when it is done with
    static Tumble tumble[3];
    impState *s = impState_New(m);
    Actor a = contact_actor(m, body, s->data);
    impState_Free(s);
    a.x = at;
    a.q = rotation;
    a.pose = pose(at, rotation);
    a.tumble = &tumble[body];
    contact_launch(&a, v, w);
    return a;
}
