// hop_inside.h -- what hop.c and hop_newton.c share (inside solve/).
//
// SPDX-License-Identifier: MIT
#pragma once
#include "solve/solve.h"

// A solver asks for these a million times a second: in line.
static inline impVec3 hop_velocity_at(const HopBody *b, impVec3 arm) { return add(b->v, cross(b->w, arm)); }
static inline impVec3 hop_in_world(const HopPoint *q, impVec3 p) {   // from the frame of the contact
    return madd(madd(scale(p.x, q->t1), p.y, q->t2), p.z, q->n);
}
static inline impVec3 hop_velocity(const HopBody *bodies, const HopPoint *q) {   // of the point, in its frame
    impVec3 u = hop_velocity_at(&bodies[q->a], q->arm_a);
    u = sub(u, q->b < 0 ? q->drive : hop_velocity_at(&bodies[q->b], q->arm_b));
    return vec(dot(q->t1, u), dot(q->t2, u), dot(q->n, u));
}

// From the impulses in `points` to those that keep the laws to within tolerance (m/s) at every point; false: not found, and
// nothing is changed. near: it cannot be far.
bool hop_newton(HopBody *bodies, int body_count, HopPoint *points, int count, double tolerance, bool near, double *room);
