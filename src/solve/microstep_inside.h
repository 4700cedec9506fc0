// microstep_inside.h -- shared by the files of the solver of micro-steps (inside solve/).
//
// SPDX-License-Identifier: MIT
#pragma once
#include "solve/solve.h"

// A solver asks for these a million times a second: in line.
static inline impVec3 microstep_velocity_at(const MicrostepBody *b, impVec3 arm) {
    return add(b->v, cross(b->w, arm));
}
// A vector of the frame of the point in world axes.
static inline impVec3 microstep_in_world(const MicrostepPoint *q, impVec3 p) {
    return madd(madd(scale(p.x, q->t1), p.y, q->t2), p.z, q->n);
}
// Velocity of a against b at the point, in its frame.
static inline impVec3 microstep_velocity(const MicrostepBody *bodies, const MicrostepPoint *q) {
    impVec3 u = microstep_velocity_at(&bodies[q->a], q->arm_a);
    u = sub(u, q->b < 0 ? q->support_velocity : microstep_velocity_at(&bodies[q->b], q->arm_b));
    return vec(dot(q->t1, u), dot(q->t2, u), dot(q->n, u));
}

// microstep_matrix.c: masses and stiffnesses. One term of the stiffness of a point: it pushes by
// the vector `push` for each m/s of the point along `along`, world axes.
typedef struct MicrostepStiffness {
    impVec3 push, along;
} MicrostepStiffness;
// MicrostepWorkspace.vector: residual and step of microstep_newton.c, inverse pivots of
// microstep_matrix.c
enum { MICROSTEP_RESIDUAL, MICROSTEP_UPDATE, MICROSTEP_PIVOT };
// Finds the pattern of the matrix and the order of elimination. False: no room.
bool microstep_matrix_shape(MicrostepWorkspace *m, int bodies, const MicrostepPoint *points,
                            int count);
// Sets the matrix to the masses of the bodies (work.mass, work.inertia).
void microstep_matrix_start(MicrostepWorkspace *m, const MicrostepBody *bodies);
// Adds the stiffness of a point, of two or three terms.
void microstep_matrix_add(MicrostepWorkspace *m, const MicrostepPoint *q,
                          const MicrostepStiffness *term, int terms);
// Solves for x, which is the right side at first, six numbers a place. Overwrites the matrix.
// False: a pivot is 0.
bool microstep_matrix_solve(MicrostepWorkspace *m, double *x);

// Newton's method from the impulses in `points` to impulses that keep the laws to within tolerance
// (m/s) at every point. False: not found; the impulses are then no worse than before. near: the
// start is close to the solution.
bool microstep_newton(MicrostepBody *bodies, int body_count, MicrostepPoint *points, int count,
                      double tolerance, bool near, MicrostepWorkspace *room);
