// iterated_support.c -- see iterated_support.h.
//
// SPDX-License-Identifier: MIT
#include "iterated_support.h"

static impError err;

Trial iterated_trial_of(impScene *scene) {
    Trial t = { .m = scene ? impModel_Build(scene, &err) : NULL };
    if (!t.m) {
        fail_msg("%s", err.message[0].text);
    }
    t.stepper = impStepper_New(t.m, &(impStepperDef){ .method = "iterated" }, &err);
    if (!t.stepper) {
        fail_msg("%s", err.message[0].text);
    }
    t.s = impState_New(t.m);
    impScene_Free(scene);
    return t;
}

Trial iterated_trial(const Setting *s, const Part *parts, int count) {
    return iterated_trial_of(trial_scene(s, parts, count));
}

Trial iterated_trial_from(const char *text) {
    return iterated_trial_of(impScene_Parse(text, strlen(text), "test.json", NULL, &err));
}

impOutcome iterated_step(Trial *t, const double *input, double h) {
    impOutcome o = impStep(t->stepper, t->s, input, h);
    if (o.verdict != IMP_SOLVED) {
        fail_msg("t = %.6f: %s", impState_Time(t->s), o.text);
    }
    return o;
}

void iterated_run(Trial *t, int steps, double h) {
    for (int i = 0; i < steps; i++) {
        iterated_step(t, NULL, h);
    }
}

bool iterated_asleep(const Trial *t, int body) {
    return impAsleep(t->m, t->s, (impBody){ body }, NULL);
}

double iterated_level(const Trial *t) { return 0.5 * t->m->run.contact_band; }

// --- scenes --------------------------------------------------------------------------------------

impScene *iterated_scene(impVec3 gravity, double friction_static, double friction_dynamic,
                         double restitution) {
    impScene *scene = impScene_New(gravity);
    impScene_Material(scene,
                      &(impMaterialDef){ .name = "m",
                                         .friction_static = friction_static,
                                         .friction_dynamic = friction_dynamic,
                                         .restitution = restitution },
                      &err);
    return scene;
}

static void add_body(impScene *scene, const impShapeDef *shape, impPose at, impTwist twist,
                     double mass) {
    impScene_Body(scene,
                  &(impBodyDef){ .pose = at,
                                 .twist = twist,
                                 .fixed = mass == 0,
                                 .mass = mass,
                                 .material = "m",
                                 .shapes = shape,
                                 .shape_count = 1 },
                  &err);
}

void iterated_plane(impScene *scene) {
    impShapeDef plane = { .kind = "plane", .size = { 0, 0, 1, 0 } };
    add_body(scene, &plane, iterated_at(0, 0, 0), iterated_moving(0, 0, 0), 0);
}

void iterated_box(impScene *scene, impVec3 size, impPose at, impTwist twist, double mass) {
    impShapeDef box = { .kind = "box", .size = { size.x, size.y, size.z } };
    add_body(scene, &box, at, twist, mass);
}

void iterated_ball(impScene *scene, double radius, impVec3 at, impVec3 v, double mass) {
    impShapeDef ball = { .kind = "sphere", .size = { radius } };
    add_body(scene, &ball, pose(at, quat(1, 0, 0, 0)), (impTwist){ v, vec(0, 0, 0) }, mass);
}

int iterated_count_asleep(const Trial *t) {
    int count = 0;
    for (int i = 0; i < t->m->body_count; i++) {
        count += t->m->body[i].role == IMP_DYNAMIC && iterated_asleep(t, i);
    }
    return count;
}
