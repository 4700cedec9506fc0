// microstep_rigidity.c -- rigidity test: is there a motion of the bodies, however small, that
// leaves all loaded points where they are?
//
// docs/theory/rest-and-sleep.md, section 6. A point that sticks well inside its cone keeps its
// place, any other its distance only. Each direction that is kept is a spring between the bodies
// (10); a motion that no spring resists leaves a pivot of the elimination that is mass alone (11).
// All bodies of the island at once: two frictionless cards that lean on each other are each held
// by the other, and fall together.
//
// SPDX-License-Identifier: MIT
#include "solve/microstep_inside.h"

enum { SIX = 6 };
// 1, of 1 / k_nn: springs of (10). Test: tests/method/impulse_sleep.c
#define STIFFNESS 1e6
// 1, of its mass: ground. Held by no test.
#define GROUND_MASS 1e12
// 1, of the mass: (11). It allows points that are as near to each other as a thirtieth of the
// body. Test: tests/method/impulse_sleep.c
#define LEAST_PIVOT 1e3
// 1, of the cone: a point that keeps its place. Held by no test.
#define INSIDE_CONE 0.99

// Kept directions of a point as springs; returns how many.
static int stiffness_terms(const MicrostepPoint *q, MicrostepStiffness term[3]) {
    double hold = INSIDE_CONE * q->friction * q->p.z;
    double D = STIFFNESS / q->k.z.z;
    bool keeps_place = q->mode == CONTACT_STICK && q->p.x * q->p.x + q->p.y * q->p.y < hold * hold;
    impVec3 none = vec(0, 0, 0);
    term[0] = (MicrostepStiffness){ scale(D, q->n), q->n };
    term[1] = keeps_place ? (MicrostepStiffness){ scale(D, q->t1), q->t1 }
                          : (MicrostepStiffness){ none, none };
    term[2] = (MicrostepStiffness){ scale(D, q->t2), q->t2 };
    return keeps_place ? 3 : 2;
}

// (11) for all bodies that are no ground.
static bool pivots_are_large(const MicrostepWorkspace *m, const MicrostepBody *bodies,
                             const bool *is_ground) {
    for (int i = 0; i < m->bodies; i++) {
        if (is_ground && is_ground[i]) continue;
        const Mat3 *J = &bodies[i].work.inertia;
        const double own[SIX] = {
            bodies[i].work.mass, bodies[i].work.mass, bodies[i].work.mass, J->x.x, J->y.y, J->z.z
        };
        for (int r = 0; r < SIX; r++) {
            if (!(LEAST_PIVOT * own[r] * m->vector[MICROSTEP_PIVOT][SIX * m->place[i] + r] < 1))
                return false;
        }
    }
    return true;
}

bool solve_microstep_is_rigid(MicrostepBody *bodies, int body_count, const MicrostepPoint *points,
                              int count, const bool *is_ground, double least,
                              MicrostepWorkspace *workspace) {
    MicrostepStiffness term[3];
    double *zero = workspace->vector[MICROSTEP_UPDATE];
    if (!microstep_matrix_shape(workspace, body_count, points, count)) return false;
    for (int i = 0; i < SIX * body_count; i++) {
        zero[i] = 0;
    }
    for (int i = 0; i < body_count; i++) {
        double times = is_ground && is_ground[i] ? GROUND_MASS : 1;
        bodies[i].work.mass = times / bodies[i].mass_inverse;
        bodies[i].work.inertia = mat3_scale(times, inverse(bodies[i].inertia_inverse));
    }
    microstep_matrix_start(workspace, bodies);
    for (int i = 0; i < count; i++) {
        if (points[i].p.z > least) {
            microstep_matrix_add(workspace, &points[i], term, stiffness_terms(&points[i], term));
        }
    }
    return microstep_matrix_solve(workspace, zero) &&
           pivots_are_large(workspace, bodies, is_ground);
}
