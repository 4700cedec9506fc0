// microstep_inside.h -- what the files of the hop share (inside solve/).
//
// SPDX-License-Identifier: MIT
#pragma once
#include "solve/solve.h"

// A solver asks for these a million times a second: in line.
static inline impVec3 hop_velocity_at(const HopBody *b, impVec3 arm) {
    return add(b->v, cross(b->w, arm));
}
// from the frame of the contact
static inline impVec3 hop_in_world(const HopPoint *q, impVec3 p) {
    return madd(madd(scale(p.x, q->t1), p.y, q->t2), p.z, q->n);
}
// of the point, in its frame
static inline impVec3 hop_velocity(const HopBody *bodies, const HopPoint *q) {
    impVec3 u = hop_velocity_at(&bodies[q->a], q->arm_a);
    u = sub(u, q->b < 0 ? q->drive : hop_velocity_at(&bodies[q->b], q->arm_b));
    return vec(dot(q->t1, u), dot(q->t2, u), dot(q->n, u));
}

// microstep_matrix.c: masses and springs. A spring pushes along `by` as much as the point moves
// along `of`, in world axes.
typedef struct HopSpring {
    impVec3 by, of;
} HopSpring;
// of HopRoom.six: two of microstep_newton.c, and one over each pivot
enum { HOP_MISSING, HOP_STEP, HOP_PIVOT };
// false: no room
bool hop_matrix_shape(HopRoom *m, int bodies, const HopPoint *points, int count);
void hop_matrix_start(HopRoom *m, const HopBody *bodies);  // nothing but the masses
// two or three
void hop_matrix_add(HopRoom *m, const HopPoint *q, const HopSpring *spring, int terms);
// from the right side, six a place; false: no pivot. Spoils m
bool hop_matrix_solve(HopRoom *m, double *x);

// From the impulses in `points` to those that keep the laws to within tolerance (m/s) at every
// point; false: not found, and the impulses are no worse than they were. near: it cannot be far.
bool hop_newton(HopBody *bodies, int body_count, HopPoint *points, int count, double tolerance,
                bool near, HopRoom *room);
