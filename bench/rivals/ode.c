// ode.c -- the Open Dynamics Engine as one of the engines that are compared.
//
// As its manual proposes for large worlds: QuickStep with its 20 iterations and an error reduction
// of 0.2, friction as a pyramid in proportion to the normal force, sweep and prune, contacts found
// anew in each step. Nothing is disabled, as nothing may sleep.
//
// SPDX-License-Identifier: MIT
#include "rivals.h"

#include <ode/ode.h>

#include <stdio.h>
#include <stdlib.h>

_Static_assert(sizeof(dReal) == sizeof(double), "ODE in double precision");

enum { POINTS = 8 };
// m/s: slower impacts do not bounce
#define BOUNCE_SPEED 1e-3

typedef struct Run {
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID *body;  // by body of the world; 0: fixed
    impPose *start;
    int count;
    double h;
    dSurfaceParameters surface;
} Run;

static void add_body(Run *run, int i, const RivalsBody *from) {
    bool sphere = from->radius > 0;
    dGeomID shape = sphere ? dCreateSphere(run->space, from->radius)
                           : dCreateBox(run->space, 2 * from->half.x, 2 * from->half.y,
                                        2 * from->half.z);
    impVec3 at = from->pose.at;
    impQuat q = from->pose.rotation;
    const dQuaternion rotation = { q.w, q.x, q.y, q.z };
    if (from->mass > 0) {
        dMass mass;
        if (sphere) {
            dMassSetSphereTotal(&mass, from->mass, from->radius);
        } else {
            dMassSetBoxTotal(&mass, from->mass, 2 * from->half.x, 2 * from->half.y,
                             2 * from->half.z);
        }
        run->body[i] = dBodyCreate(run->world);
        dBodySetMass(run->body[i], &mass);
        dGeomSetBody(shape, run->body[i]);
    }
    dGeomSetPosition(shape, at.x, at.y, at.z);
    dGeomSetQuaternion(shape, rotation);
}

static void *begin(const RivalsWorld *world) {
    static bool ready;
    if (!ready) {
        dInitODE2(0);
        dAllocateODEDataForThread((unsigned)dAllocateMaskAll);
        ready = true;
    }
    Run *run = calloc(1, sizeof *run);
    dBodyID *body = calloc((size_t)world->count, sizeof(dBodyID));
    impPose *start = calloc((size_t)world->count, sizeof *start);
    if (!run || !body || !start) {
        fprintf(stderr, "rivals: no memory\n");
        exit(1);
    }
    *run = (Run){ .world = dWorldCreate(),
                  .space = dSweepAndPruneSpaceCreate(0, dSAP_AXES_XYZ),
                  .contacts = dJointGroupCreate(0),
                  .body = body,
                  .start = start,
                  .count = world->count,
                  .h = world->h };
    run->surface.mode = dContactApprox1;
    run->surface.mu = world->friction;
    if (world->restitution > 0) {
        run->surface.mode |= dContactBounce;
        run->surface.bounce = world->restitution;
        run->surface.bounce_vel = BOUNCE_SPEED;
    }
    dWorldSetGravity(run->world, 0, 0, -RIVALS_GRAVITY);
    dCreatePlane(run->space, 0, 0, 1, 0);
    for (int i = 0; i < world->count; i++) {
        start[i] = world->body[i].pose;
        add_body(run, i, &world->body[i]);
    }
    return run;
}

static void add_contacts(void *context, dGeomID a, dGeomID b) {
    Run *run = context;
    dBodyID body_a = dGeomGetBody(a);
    dBodyID body_b = dGeomGetBody(b);
    dContact contact[POINTS];
    if (!body_a && !body_b) return;
    int count = dCollide(a, b, POINTS, &contact[0].geom, sizeof contact[0]);
    for (int i = 0; i < count; i++) {
        contact[i].surface = run->surface;
        dJointAttach(dJointCreateContact(run->world, run->contacts, &contact[i]), body_a, body_b);
    }
}

static const char *step(void *context) {
    Run *run = context;
    dSpaceCollide(run->space, run, add_contacts);
    int done = dWorldQuickStep(run->world, run->h);
    dJointGroupEmpty(run->contacts);
    return done ? NULL : "no memory";
}

static void poses(void *context, impPose *pose) {
    Run *run = context;
    for (int i = 0; i < run->count; i++) {
        pose[i] = run->start[i];
        if (run->body[i]) {
            const dReal *at = dBodyGetPosition(run->body[i]);
            const dReal *q = dBodyGetQuaternion(run->body[i]);
            pose[i] = (impPose){ { at[0], at[1], at[2] }, { q[0], q[1], q[2], q[3] } };
        }
    }
}

static void end(void *context) {
    Run *run = context;
    dJointGroupDestroy(run->contacts);
    dSpaceDestroy(run->space);
    dWorldDestroy(run->world);
    free(run->body);
    free(run->start);
    free(run);
}

const RivalsEngine rivals_ode = { .name = "ode",
                                  .settings = "QuickStep, 20 iterations",
                                  .begin = begin,
                                  .step = step,
                                  .poses = poses,
                                  .end = end };
