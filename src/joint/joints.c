// joints.c -- the joints this library knows: a row each.
//
// Letters and frames as in joint.h: the joint frame's z axis lies along the joint's axis, q = 0 (or
// the identity quaternion) is the pose in which the scene was written down, and twist() is linear
// in v, so that its values for unit v are the columns of the motion subspace [Featherstone08, ch.
// 4]. The closed forms are one line each and therefore share this file; a kind that needs more gets
// a file of its own and a row here.
//
// SPDX-License-Identifier: MIT
#include "joint/joint.h"

#include <string.h>

static const impVec3 z_axis = { 0, 0, 1 };

static impTwist twist(impVec3 linear, impVec3 angular) {
    impTwist t;
    t.linear = linear;
    t.angular = angular;
    return t;
}

// the builder hands in zeros
static void rest_zero(double *q) { (void)q; }
static void rest_free(double *q) { q[3] = 1; }
static void rest_ball(double *q) { q[0] = 1; }

static impPose free_pose(const double *q) {
    return pose(vec(q[0], q[1], q[2]), quat(q[3], q[4], q[5], q[6]));
}
static impTwist free_twist(const double *q, const double *v) {
    (void)q;
    return twist(vec(v[0], v[1], v[2]), vec(v[3], v[4], v[5]));
}

static impPose hinge_pose(const double *q) {
    return pose(vec(0, 0, 0), quat_rotation(z_axis, q[0]));
}
static impTwist hinge_twist(const double *q, const double *v) {
    (void)q;
    return twist(vec(0, 0, 0), vec(0, 0, v[0]));
}

static impPose slider_pose(const double *q) { return pose(vec(0, 0, q[0]), quat(1, 0, 0, 0)); }
static impTwist slider_twist(const double *q, const double *v) {
    (void)q;
    return twist(vec(0, 0, v[0]), vec(0, 0, 0));
}

static impPose ball_pose(const double *q) {
    return pose(vec(0, 0, 0), quat(q[0], q[1], q[2], q[3]));
}
static impTwist ball_twist(const double *q, const double *v) {
    (void)q;
    return twist(vec(0, 0, 0), vec(v[0], v[1], v[2]));
}

static impPose weld_pose(const double *q) {
    (void)q;
    return pose_identity();
}
static impTwist weld_twist(const double *q, const double *v) {
    (void)q;
    (void)v;
    return twist(vec(0, 0, 0), vec(0, 0, 0));
}

// First about z, the axis fixed in the parent; then about x, the axis fixed in the child.
static impPose universal_pose(const double *q) {
    return pose(vec(0, 0, 0), qmul(quat_rotation(z_axis, q[0]), quat_rotation(vec(1, 0, 0), q[1])));
}
static impTwist universal_twist(const double *q, const double *v) {
    SinCos a = num_sincos(q[0]);
    return twist(vec(0, 0, 0), vec(v[1] * a.cos, v[1] * a.sin, v[0]));
}

// Slides in the plane perpendicular to z and turns about z.
static impPose planar_pose(const double *q) {
    return pose(vec(q[0], q[1], 0), quat_rotation(z_axis, q[2]));
}
static impTwist planar_twist(const double *q, const double *v) {
    (void)q;
    return twist(vec(v[0], v[1], 0), vec(0, 0, v[2]));
}

const JointKind joint_kinds[] = {
    // name        nq nv  tree   axis   axis2  limits pose            twist            rest
    { "free", 7, 6, true, false, false, false, free_pose, free_twist, rest_free,
      "no joint at all: six freedoms against the world", "Mirtich, Hybrid simulation, sec. 4" },
    { "hinge", 1, 1, true, true, false, true, hinge_pose, hinge_twist, rest_zero,
      "turns about one axis", "Bender & Schmitt 2006; Mirtich, Hybrid simulation, sec. 4" },
    { "slider", 1, 1, true, true, false, true, slider_pose, slider_twist, rest_zero,
      "slides along one axis", "Mirtich, Hybrid simulation, sec. 4" },
    { "ball", 4, 3, true, false, false, false, ball_pose, ball_twist, rest_ball,
      "turns about one point", "Bender & Schmitt 2006" },
    { "weld", 0, 0, true, false, false, false, weld_pose, weld_twist, rest_zero,
      "holds two bodies together", "-" },
    { "universal", 2, 2, true, true, true, false, universal_pose, universal_twist, rest_zero,
      "turns about axis, fixed in the parent, and axis2, fixed in the child", "-" },
    { "planar", 3, 3, true, true, false, false, planar_pose, planar_twist, rest_zero,
      "slides in the plane across its axis and turns about it", "-" },
    { "distance", 0, 0, false, false, false, false, weld_pose, weld_twist, rest_zero,
      "keeps two points, at and at2, at their distance", "Bender & Schmitt 2006" },
};
const int joint_kind_count = COUNT(joint_kinds);

int joint_find(const char *kind) {
    for (int i = 0; kind && i < joint_kind_count; i++) {
        if (!strcmp(joint_kinds[i].name, kind)) return i;
    }
    return -1;
}
