// rig.h -- a bench for the cases of `impel validate`: one small model, stepped to any time from its
// start.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "validation.h"

typedef struct Rig {
    impModel *model;
    impState *start, *state;  // start is never stepped
    impStepper *stepper;
    impBody body;  // the last one
} Rig;

// The cases build their worlds in code: one body, gravity. False: told to the report.
bool cli_rig_open(Rig *rig, Report *report, impVec3 gravity, const impBodyDef *def);
void cli_rig_close(Rig *rig);
bool cli_rig_goto(Rig *rig, double t);  // state = start stepped by t at once
bool cli_rig_step(Rig *rig, double h);  // state goes on
impPose cli_rig_pose(const Rig *rig);
impTwist cli_rig_twist(const Rig *rig);
impVec3 cli_rig_spin(const Rig *rig);  // angular velocity in body axes
// The time in [low, high] where spin component `axis` in body axes passes `level`, by bisection.
double cli_rig_crossing(Rig *rig, int axis, double level, double low, double high);
