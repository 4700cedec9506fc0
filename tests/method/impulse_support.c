// impulse_support.c -- see impulse_support.h.
//
// SPDX-License-Identifier: MIT
#include "impulse_support.h"

static impError err;

Trial trial_of(impScene *scene) {
    Trial t = { .m = impModel_Build(scene, &err), .slowest_gap = HUGE_VAL, .nearest = HUGE_VAL };
    if (!t.m) {
        fail_msg("%s", err.message[0].text);
    }
    t.stepper = impStepper_New(t.m, &(impStepperDef){ .method = "impulse" }, &err);
    if (!t.stepper) {
        fail_msg("%s", err.message[0].text);
    }
    t.s = impState_New(t.m);
    impScene_Free(scene);
    return t;
}

impScene *trial_scene(const Setting *s, const Part *parts, int count) {
    impScene *scene = impScene_New(s->gravity);
    impScene_Material(scene,
                      &(impMaterialDef){ .name = "m",
                                         .friction_static = s->friction,
                                         .friction_dynamic = s->friction,
                                         .restitution = s->restitution },
                      &err);
    if (s->law) {
        impScene_Pair(
            scene, &(impPairDef){ { "m", "m" }, s->friction, s->friction, s->restitution, s->law },
            &err);
    }
    impShapeDef plane = { .kind = "plane", .size = { 0, 0, 1, 0 } };
    if (s->floor) {
        impScene_Body(
            scene,
            &(impBodyDef){ .fixed = true, .material = "m", .shapes = &plane, .shape_count = 1 },
            &err);
    }
    for (int i = 0; i < count; i++) {
        const Part *p = &parts[i];
        impShapeDef shape = { .kind = p->kind, .size = { p->size[0], p->size[1], p->size[2] } };
        impScene_Body(scene,
                      &(impBodyDef){ .pose = { p->at, p->rotation },
                                     .twist = { p->v, p->w },
                                     .mass = p->mass,
                                     .material = "m",
                                     .shapes = &shape,
                                     .shape_count = 1 },
                      &err);
    }
    if (s->band > 0) {
        impScene_Run(scene, &(impRunDef){ .contact_band = s->band }, &err);
    }
    return scene;
}

Trial trial(const Setting *s, const Part *parts, int count) {
    return trial_of(trial_scene(s, parts, count));
}

void trial_run(Trial *t, double duration, double h) {
    int steps = (int)(duration / h + 0.5);
    for (int i = 0; i < steps; i++) {
        impOutcome o = impStep(t->stepper, t->s, NULL, h);
        if (o.verdict != IMP_SOLVED) {
            fail_msg("t = %.6f: %s", impState_Time(t->s), o.text);
        }
        int ordinary = 0;
        t->nearest = fmin(t->nearest, o.gap);
        for (int k = 0; k < o.contact_count; k++) {
            ordinary += !o.contacts[k].micro;
            t->traded += o.contacts[k].energy;
            t->driven += o.contacts[k].driven;
            t->slowest_gap = fmin(t->slowest_gap, o.contacts[k].gap);
            if (!o.contacts[k].micro) {
                t->farthest_gap = fmax(t->farthest_gap, o.contacts[k].gap);
            }
        }
        t->collisions += ordinary;
        t->micro_steps += o.events - ordinary;
        t->query_count += o.iterations;
    }
}

void trial_free(Trial *t) {
    impState_Free(t->s);
    impStepper_Free(t->stepper);
    impModel_Free(t->m);
}

impVec3 trial_at(const Trial *t, int body) {
    return impState_Pose(t->m, t->s, (impBody){ body }).at;
}
impTwist trial_twist(const Trial *t, int body) {
    return impState_Twist(t->m, t->s, (impBody){ body });
}

double trial_energy(const Trial *t) {
    impEnergy e = impState_Energy(t->m, t->s);
    return e.kinetic + e.potential;
}

bool trial_asleep(const Trial *t, int body) {
    return t->s->data[t->m->layout.sleep_counter + t->m->body[body].free] >= 10 &&
           zero3(trial_twist(t, body).linear);
}
