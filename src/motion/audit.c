// audit.c -- energy, momentum and angular momentum, and how well a step of free motion kept them.
//
// Sums run over the bodies in their order. Potential energy is -m g . x, zero at the origin. The judge compares before and
// after by the laws themselves and knows nothing of how the step was made (reliability.md 4.1, C2-C4).
//
// SPDX-License-Identifier: MIT
#include "motion/motion.h"

static impVec3 spin_of(const Body *b, const double *q, const double *v) {   // J w in the world
    impQuat turn = quat(q[3], q[4], q[5], q[6]);
    return rotate(turn, mul(b->inertia, unrotate(turn, vec(v[3], v[4], v[5]))));
}

impEnergy motion_energy(const impModel *m, const double *state) {
    impEnergy e = { 0, 0 };
    for (int i = 1; i < m->body_count; i++) {
        const Body *b = &m->body[i];
        if (b->role != IMP_DYNAMIC) continue;
        impTwist t = motion_twist(m, state, i);
        impPose p = motion_pose(m, state, i);
        impVec3 wb = unrotate(p.turn, t.angular);
        e.kinetic += 0.5 * (b->mass * dot(t.linear, t.linear) + dot(wb, mul(b->inertia, wb)));
        e.potential -= b->mass * dot(m->gravity, place(p, b->center));
    }
    return e;
}

impMomentum motion_momentum(const impModel *m, const double *state) {
    impMomentum sum;
    sum.linear = sum.angular = vec(0, 0, 0);
    for (int i = 1; i < m->body_count; i++) {
        const Body *b = &m->body[i];
        if (b->role != IMP_DYNAMIC) continue;
        impTwist t = motion_twist(m, state, i);
        impPose p = motion_pose(m, state, i);
        impVec3 own = rotate(p.turn, mul(b->inertia, unrotate(p.turn, t.angular))), x = place(p, b->center);
        sum.linear = madd(sum.linear, b->mass, t.linear);
        sum.angular = add(sum.angular, add(own, scale(b->mass, cross(x, t.linear))));
    }
    return sum;
}

static double free_energy(const impModel *m, const Body *b, const double *q, const double *v) {
    impVec3 x = vec(q[0], q[1], q[2]), u = vec(v[0], v[1], v[2]), w = vec(v[3], v[4], v[5]);
    return 0.5 * (b->mass * dot(u, u) + dot(w, spin_of(b, q, v))) - b->mass * dot(m->gravity, x);
}

void motion_judge(const impModel *m, const double *before, const double *after, const double *input, impCertificate *out) {
    double h = after[m->layout.time] - before[m->layout.time];
    for (int i = 0; i < m->sizes.nfree; i++) {
        const Body *b = &m->body[m->free_body[i]];
        const double *q0 = before + m->layout.q + b->q, *v0 = before + m->layout.v + b->v;
        const double *q1 = after + m->layout.q + b->q, *v1 = after + m->layout.v + b->v;
        impVec3 force = vec(0, 0, 0), torque = vec(0, 0, 0);
        if (input) force = vec(input[b->v], input[b->v + 1], input[b->v + 2]);
        if (input) torque = vec(input[b->v + 3], input[b->v + 4], input[b->v + 5]);

        impVec3 pull = madd(force, b->mass, m->gravity), change = sub(vec(v1[0], v1[1], v1[2]), vec(v0[0], v0[1], v0[2]));
        out->momentum = max2(out->momentum, norm(madd(scale(b->mass, change), -h, pull)));
        out->spin = max2(out->spin, norm(madd(sub(spin_of(b, q1, v1), spin_of(b, q0, v0)), -h, torque)));
        out->quaternion = max2(out->quaternion, fabs(qnorm(quat(q1[3], q1[4], q1[5], q1[6])) - 1));

        // work of the input: F . dx exactly; of a torque by the mean of the angular velocities, to second order
        impVec3 dx = sub(vec(q1[0], q1[1], q1[2]), vec(q0[0], q0[1], q0[2]));
        impVec3 w = scale(0.5, add(vec(v0[3], v0[4], v0[5]), vec(v1[3], v1[4], v1[5])));
        out->energy += free_energy(m, b, q1, v1) - free_energy(m, b, q0, v0) - dot(force, dx) - h * dot(torque, w);
    }
}

bool motion_finite(const impModel *m, const double *state, int *where) {
    for (int i = 0; i < m->layout.total; i++) {
        if (isfinite(state[i])) continue;
        *where = i;
        return false;
    }
    return true;
}
