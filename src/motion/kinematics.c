// kinematics.c -- the pose and twist of any body: along the tree of joints, or by its prescribed
// motion.
//
// One walk from the body up to the world, no memory: pose = X(parent) . in_parent . X(joint) .
// in_child^-1. Rotations of a prescribed motion act about the body's origin in world axes, in the
// order in which the motions are listed.
//
// SPDX-License-Identifier: MIT
#include "motion/motion.h"

static MotionSample sample_of(const impModel *m, const Body *b, double t) {
    return motion_sample(m->motion + b->first_motion, b->motion_count, t);
}

static impPose pose_of(const Body *b, const MotionSample *s) {
    return pose(add(b->pose0.at, s->shift), unit(qmul(s->rotation, b->pose0.rotation)));
}

static impPose prescribed_pose(const impModel *m, const Body *b, double t) {
    MotionSample s = sample_of(m, b, t);
    return pose_of(b, &s);
}

static impTwist prescribed_twist(const impModel *m, const Body *b, double t) {
    return sample_of(m, b, t).twist;
}

static impPose free_pose(const Body *b, const double *q) {
    impQuat rotation = quat(q[3], q[4], q[5], q[6]);
    impVec3 x = vec(q[0], q[1], q[2]);
    return pose(zero3(b->center) ? x : sub(x, rotate(rotation, b->center)), rotation);
}

impPose motion_kinematic_pose(const impModel *m, int body, double t) {
    const Body *b = &m->body[body];
    return b->role == IMP_KINEMATIC ? prescribed_pose(m, b, t) : b->pose0;
}

impTwist motion_kinematic_twist(const impModel *m, int body, double t) {
    impTwist still;
    still.linear = still.angular = vec(0, 0, 0);
    return m->body[body].role == IMP_KINEMATIC ? prescribed_twist(m, &m->body[body], t) : still;
}

void motion_kinematic(const impModel *m, int body, double t, impPose *at, impTwist *twist) {
    const Body *b = &m->body[body];
    if (b->role != IMP_KINEMATIC) {
        *at = motion_kinematic_pose(m, body, t);
        *twist = motion_kinematic_twist(m, body, t);
        return;
    }
    MotionSample s = sample_of(m, b, t);
    *at = pose_of(b, &s);
    *twist = s.twist;
}

impPose motion_pose(const impModel *m, const double *state, int body) {
    impPose p = pose_identity();
    for (int i = body; i > 0; i = m->body[i].parent) {
        const Body *b = &m->body[i];
        const double *q = state + m->layout.q + b->q;
        if (b->role == IMP_FIXED) return i == body ? b->pose0 : pose_mul(b->pose0, p);
        if (b->role == IMP_KINEMATIC)
            return pose_mul(prescribed_pose(m, b, state[m->layout.time]), p);
        if (b->free >= 0) return i == body ? free_pose(b, q) : pose_mul(free_pose(b, q), p);
        impPose step = pose_mul(b->in_parent,
                                pose_mul(joint_kinds[b->joint].pose(q), pose_inverse(b->in_child)));
        p = pose_mul(step, p);
    }
    return p;
}

// Going up, `point` and the velocities are always in the frame of the body just reached.
typedef struct Climb {
    impVec3 point, linear, angular;
} Climb;

static Climb over_joint(const Body *b, const double *q, const double *v, Climb c) {
    const JointKind *k = &joint_kinds[b->joint];
    impTwist s = k->twist(q, v);
    impPose step = pose_mul(b->in_parent, pose_mul(k->pose(q), pose_inverse(b->in_child)));
    impVec3 angular = rotate(b->in_parent.rotation, s.angular);
    impVec3 origin = place(b->in_parent, k->pose(q).at);
    Climb up;
    up.point = place(step, c.point);
    up.angular = add(rotate(step.rotation, c.angular), angular);
    up.linear = add(rotate(step.rotation, c.linear), add(rotate(b->in_parent.rotation, s.linear),
                                                         cross(angular, sub(up.point, origin))));
    return up;
}

// The last leg: onto a body whose own twist is known in the world.
static impTwist onto(impPose p, impVec3 center, impTwist own, Climb c) {
    impVec3 arm = rotate(p.rotation, sub(c.point, center));
    impTwist t;
    t.angular = add(own.angular, rotate(p.rotation, c.angular));
    t.linear = add(own.linear, add(rotate(p.rotation, c.linear), cross(own.angular, arm)));
    return t;
}

// v of the state and the half kick of a fixed-step method; without one the bits are those of v.
static impTwist free_twist(const double *v, const double *half_kick) {
    impTwist own;
    double sum[6];
    for (int i = 0; i < 6; i++) {
        sum[i] = half_kick[i] != 0 ? v[i] + half_kick[i] : v[i];
    }
    own.linear = vec(sum[0], sum[1], sum[2]);
    own.angular = vec(sum[3], sum[4], sum[5]);
    return own;
}

impTwist motion_twist(const impModel *m, const double *state, int body) {
    Climb c;
    c.point = m->body[body].center;
    c.linear = c.angular = vec(0, 0, 0);
    impTwist still;
    still.linear = still.angular = vec(0, 0, 0);
    for (int i = body; i > 0; i = m->body[i].parent) {
        const Body *b = &m->body[i];
        const double *q = state + m->layout.q + b->q;
        const double *v = state + m->layout.v + b->v;
        double t = state[m->layout.time];
        if (b->role == IMP_FIXED) return onto(b->pose0, vec(0, 0, 0), still, c);
        if (b->role == IMP_KINEMATIC)
            return onto(prescribed_pose(m, b, t), vec(0, 0, 0), prescribed_twist(m, b, t), c);
        if (b->free >= 0) {
            impTwist own = free_twist(v, state + m->layout.half_kick + b->v);
            return i == body ? own : onto(free_pose(b, q), b->center, own, c);
        }
        c = over_joint(b, q, v, c);
    }
    return onto(pose_identity(), vec(0, 0, 0), still, c);
}

// --- bounds on prescribed motions ----------------------------------------------------------------
// No point is farther than this from the axis through the body's origin: by the corners of its box,
// and by its reach.
static double arm_about(const Body *b, impVec3 axis) {
    double arm = 0;
    for (int i = 0; i < 8; i++) {
        impVec3 corner = vec(i & 1 ? b->high.x : b->low.x, i & 2 ? b->high.y : b->low.y,
                             i & 4 ? b->high.z : b->low.z);
        arm = max2(arm, norm(cross(axis, rotate(b->pose0.rotation, corner))));
    }
    return b->bounded ? min2(arm, b->bounding_radius) : HUGE_VAL;
}

static bool turns(const Motion *c, double T) { return motion_kinds[c->kind].rotation(c, T) > 0; }

double motion_travel(const impModel *m, int body, impVec3 n, double T) {
    const Body *b = &m->body[body];
    int turning = 0;
    // a plane reaches everywhere
    double way = 0;
    double bounding_radius = b->bounded ? b->bounding_radius : HUGE_VAL;
    for (int i = 0; i < b->motion_count; i++) {
        turning += turns(&m->motion[b->first_motion + i], T);
    }
    for (int i = 0; i < b->motion_count; i++) {
        const Motion *c = &m->motion[b->first_motion + i];
        const MotionKind *k = &motion_kinds[c->kind];
        way += k->shift(c, n, T);
        double across = norm(cross(c->axis, n));
        if (!turns(c, T) || (turning == 1 && across == 0)) continue;
        // a fixed axis: only across it
        // an axis that is itself turned
        way += turning == 1 ? arm_about(b, c->axis) * across * k->rotation(c, T)
                            : bounding_radius * k->rotation(c, T);
    }
    return way;
}

// All bounds are concave in T and 0 at 0, so the slope there bounds them for good.
double motion_speed(const impModel *m, int body, impVec3 n) {
    const double T = 1e-12;
    return motion_travel(m, body, n, T) / T * (1 + 1e-9);
}

bool motion_is_moving(const impModel *m, int body) {
    const impVec3 axis[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    if (m->body[body].role != IMP_KINEMATIC) return false;
    for (int i = 0; i < 3; i++) {
        if (motion_speed(m, body, axis[i]) > 0) return true;
    }
    return false;
}
