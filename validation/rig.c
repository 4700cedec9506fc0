// rig.c -- builds the small worlds of the validation cases and looks at them at any time.
//
// SPDX-License-Identifier: MIT
#include "rig.h"

#include <math.h>
#include <string.h>

static impError err;  // static: 12 KB

static bool trouble(Rig *rig, Report *report) {
    char text[sizeof err.message[0].file + sizeof err.message[0].text + 32] = "no memory";
    if (err.count) {
        impError_Print(&err, 0, text, sizeof text);
    }
    cli_report_trouble(report, text);
    cli_rig_close(rig);
    return false;
}

bool cli_rig_open(Rig *rig, Report *report, impVec3 gravity, const impBodyDef *def) {
    *rig = (Rig){ 0 };
    memset(&err, 0, sizeof err);
    impScene *scene = impScene_New(gravity);
    if (scene) {
        rig->body = impScene_Body(scene, def, &err);
    }
    if (scene && rig->body.i > 0) {
        rig->model = impModel_Build(scene, &err);
    }
    impScene_Free(scene);
    if (!rig->model) return trouble(rig, report);
    rig->start = impState_New(rig->model);
    rig->state = impState_New(rig->model);
    // what method impulse does with a body alone is method flight
    bool flies = strcmp(cli_report_method(report), "impulse") == 0;
    rig->stepper = impStepper_New(
        rig->model, &(impStepperDef){ .method = flies ? "flight" : cli_report_method(report) },
        &err);
    return rig->start && rig->state && rig->stepper ? true : trouble(rig, report);
}

void cli_rig_close(Rig *rig) {
    impStepper_Free(rig->stepper);
    impState_Free(rig->state);
    impState_Free(rig->start);
    impModel_Free(rig->model);
    *rig = (Rig){ 0 };
}

bool cli_rig_step(Rig *rig, double h) {
    return impStep(rig->stepper, rig->state, NULL, h).verdict == IMP_SOLVED;
}

bool cli_rig_goto(Rig *rig, double t) {
    impState_Copy(rig->model, rig->state, rig->start);
    return cli_rig_step(rig, t);
}

impPose cli_rig_pose(const Rig *rig) { return impState_Pose(rig->model, rig->state, rig->body); }

impTwist cli_rig_twist(const Rig *rig) { return impState_Twist(rig->model, rig->state, rig->body); }

// Columns of the rotation matrix of q against w: the transpose takes world axes to body axes.
impVec3 cli_rig_spin(const Rig *rig) {
    impQuat q = cli_rig_pose(rig).rotation;
    impVec3 w = cli_rig_twist(rig).angular;
    double xx = q.x * q.x;
    double yy = q.y * q.y;
    double zz = q.z * q.z;
    double xy = q.x * q.y;
    double xz = q.x * q.z;
    double yz = q.y * q.z;
    double wx = q.w * q.x;
    double wy = q.w * q.y;
    double wz = q.w * q.z;
    return (impVec3){
        (1 - 2 * (yy + zz)) * w.x + 2 * (xy + wz) * w.y + 2 * (xz - wy) * w.z,
        2 * (xy - wz) * w.x + (1 - 2 * (xx + zz)) * w.y + 2 * (yz + wx) * w.z,
        2 * (xz + wy) * w.x + 2 * (yz - wx) * w.y + (1 - 2 * (xx + yy)) * w.z,
    };
}

static double above(Rig *rig, int axis, double level, double t) {
    if (!cli_rig_goto(rig, t)) return nan("");
    impVec3 w = cli_rig_spin(rig);
    return (axis == 0 ? w.x : axis == 1 ? w.y : w.z) - level;
}

double cli_rig_crossing(Rig *rig, int axis, double level, double low, double high) {
    double at_low = above(rig, axis, level, low);
    double at_high = above(rig, axis, level, high);
    if (!(at_low * at_high <= 0)) return nan("");
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        double f = above(rig, axis, level, middle);
        if ((f < 0) == (at_low < 0)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5 * (low + high);
}
