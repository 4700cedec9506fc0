// joint.h -- the door of joint/: how a body may move against another (joints), or must (motions).
//
// A joint of the tree carries a body: it has coordinates q and velocities v, and gives the pose of
// the child's joint frame in the parent's. Joint frames have their z axis along the joint's axis. A
// joint that closes a loop, and one that ties two bodies without carrying either (distance), has no
// coordinates. A motion is a joint to the world whose coordinates are known functions of time. A
// new kind is a file of this room and a row in joints.c or motions.c.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "base/base.h"
#include "num/num.h"

typedef struct JointKind {
    const char *name;
    int nq, nv;                        // coordinates, freedoms
    bool tree;                         // may carry a body
    bool axis, axis2, limits;          // what it needs or may have
    impPose (*pose)(const double *q);  // of the child's joint frame in the parent's
    impTwist (*twist)(const double *q, const double *v);  // of that frame's origin, in the parent's
                                                          // joint frame
    void (*rest)(double *q);                              // coordinates at rest: identity pose
    const char *about, *source;
} JointKind;

extern const JointKind joint_kinds[];
extern const int joint_kind_count;
// row 0: q is position of the centre of mass and quaternion, v is the twist
enum { JOINT_FREE = 0 };
int joint_find(const char *kind);  // -1: unknown

// --- motions.c: prescribed motions ---------------------------------------------------------------
typedef struct Motion {  // compiled impMotionDef: axis of length 1 or 0
    int kind;
    impVec3 axis, amplitude, velocity;
    double rate, angle, frequency, phase, rotation_frequency, rotation_phase;
} Motion;

// twist of the origin
typedef struct MotionSample {
    impVec3 shift;
    impQuat rotation;
    impTwist twist;
} MotionSample;

typedef struct MotionKind {
    const char *name, *measures;
    bool (*check)(const impMotionDef *def, Where at, const char *who, impError *err);
    MotionSample (*sample)(const Motion *m, double t);
    // While t goes on by T >= 0 the origin moves at most shift() along n (a unit vector), and a
    // point at distance r from the axis at most r turn(): an angle, but never above 2, since no
    // chord is longer than the diameter.
    double (*shift)(const Motion *m, impVec3 n, double T);
    double (*rotation)(const Motion *m, double T);
    // At any time the origin's acceleration along n is at most pull(), |w| spin(), and |dw/dt|
    // spin_change().
    double (*pull)(const Motion *m, impVec3 n);
    double (*spin)(const Motion *m);
    double (*spin_change)(const Motion *m);
    const char *about, *source;
} MotionKind;

extern const MotionKind motion_kinds[];
extern const int motion_kind_count;
int motion_find(const char *kind);
// Several motions of one body: shifts add up, turns follow each other in the order of the list,
// about the moving origin.
MotionSample motion_sample(const Motion *list, int count, double t);
// bounds the origin's acceleration along n
double motion_pull(const Motion *list, int count, impVec3 n);
// Bounds on how they turn, at any time. fixed: all turns, if any, are about one axis that is fixed
// in space.
typedef struct MotionTurning {
    double w, w_change;
    impVec3 axis;
    bool fixed;
} MotionTurning;
MotionTurning motion_turning(const Motion *list, int count);
