// query.c -- poses, twists, energy and momentum of a state, for the library's users.
//
// A state of another model, or a body that is not there, gets zeros and the identity: never a
// crash.
//
// SPDX-License-Identifier: MIT
#include "motion/motion.h"

static bool fits(const impModel *m, const impState *s) { return m && s && s->model_id == m->id; }
static bool known(const impModel *m, const impState *s, impBody b) {
    return fits(m, s) && b.i >= 0 && b.i < m->body_count;
}

impPose impState_Pose(const impModel *m, const impState *s, impBody b) {
    return known(m, s, b) ? motion_pose(m, s->data, b.i) : pose_identity();
}

impTwist impState_Twist(const impModel *m, const impState *s, impBody b) {
    impTwist still;
    still.linear = still.angular = vec(0, 0, 0);
    return known(m, s, b) ? motion_twist(m, s->data, b.i) : still;
}

impEnergy impState_Energy(const impModel *m, const impState *s) {
    impEnergy none = { 0, 0 };
    return fits(m, s) ? motion_energy(m, s->data) : none;
}

impMomentum impState_Momentum(const impModel *m, const impState *s) {
    impMomentum none;
    none.linear = none.angular = vec(0, 0, 0);
    return fits(m, s) ? motion_momentum(m, s->data) : none;
}
