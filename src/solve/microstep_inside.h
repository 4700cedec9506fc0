// microstep_inside.h -- what the files of the hop share (inside solve/).
//
// SPDX-License-Identifier: MIT
#pragma once
#include "solve/solve.h"

// A solver asks for these a million times a second: in line.
static inline impVec3 microstep_velocity_at(const MicrostepBody *b, impVec3 arm) {
    return add(b->v, cross(b->w, arm));
}
// from the frame of the contact
static inline impVec3 microstep_in_world(const MicrostepPoint *q, impVec3 p) {
    return madd(madd(scale(p.x, q->t1), p.y, q->t2), p.z, q->n);
}
// of the point, in its frame
static inline impVec3 microstep_velocity(const MicrostepBody *bodies, const MicrostepPoint *q) {
    impVec3 u = microstep_velocity_at(&bodies[q->a], q->arm_a);
    u = sub(u, q->b < 0 ? q->drive : microstep_velocity_at(&bodies[q->b], q->arm_b));
    return vec(dot(q->t1, u), dot(q->t2, u), dot(q->n, u));
}

// microstep_matrix.c: masses and springs. A spring pushes along `by` as much as the point moves
// along `of`, in world axes.
typedef struct MicrostepSpring {
    impVec3 by, of;
} MicrostepSpring;
// of MicrostepWorkspace.six: two of microstep_newton.c, and one over each pivot
enum { MICROSTEP_RESIDUAL, MICROSTEP_UPDATE, MICROSTEP_PIVOT };
// false: no room
bool microstep_matrix_shape(MicrostepWorkspace *m, int bodies, const MicrostepPoint *points,
                            int count);
void microstep_matrix_start(MicrostepWorkspace *m, const MicrostepBody *bodies);  // nothing but the
                                                                                  // masses
// two or three
void microstep_matrix_add(MicrostepWorkspace *m, const MicrostepPoint *q,
                          const MicrostepSpring *spring, int terms);
// from the right side, six a place; false: no pivot. Spoils m
bool microstep_matrix_solve(MicrostepWorkspace *m, double *x);

// From the impulses in `points` to those that keep the laws to within tolerance (m/s) at every
// point; false: not found, and the impulses are no worse than they were. near: it cannot be far.
bool microstep_newton(MicrostepBody *bodies, int body_count, MicrostepPoint *points, int count,
                      double tolerance, bool near, MicrostepWorkspace *room);
