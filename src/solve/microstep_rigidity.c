// microstep_rigidity.c -- are bodies held: is there no motion, however small, that leaves all
// points that bear a load where they are?
//
// A point that sticks well inside its cone keeps its place; one that slides, or is on the border of
// its cone, keeps its distance and no more. Where every motion of the bodies goes against some of
// them, all bear a load and none is at its limit, a small push of any kind is answered by a small
// change of the impulses: the balance is a firm one, whatever shape the support has (a ladder on
// its wall, dominos on each other). All bodies at once, for each may be held by others that are
// not: two cards without friction between them are each held by the other and fall together.
//
// Asked by springs at the points, SPRING times as stiff as the bodies are heavy: a motion that none
// of them minds has a pivot (microstep_matrix.c) that is mass alone. A body that stands anyhow is
// as heavy as the ground.
//
// SPDX-License-Identifier: MIT
#include "solve/microstep_inside.h"

enum { SIX = 6 };
#define SPRING 1e6
#define GROUND 1e12  // times its mass
// times the mass: points no nearer to each other than a thirtieth of the body
#define FIRM   1e3
#define INSIDE 0.99  // of the cone

static int springs_of(const MicrostepPoint *q, MicrostepStiffness spring[3]) {
    double hold = INSIDE * q->friction * q->p.z;
    double D = SPRING / q->k.z.z;
    bool keeps = q->mode == CONTACT_STICK && q->p.x * q->p.x + q->p.y * q->p.y < hold * hold;
    impVec3 none = vec(0, 0, 0);
    spring[0] = (MicrostepStiffness){ scale(D, q->n), q->n };
    spring[1] = keeps ? (MicrostepStiffness){ scale(D, q->t1), q->t1 }
                      : (MicrostepStiffness){ none, none };
    spring[2] = (MicrostepStiffness){ scale(D, q->t2), q->t2 };
    return keeps ? 3 : 2;
}

static bool is_firm(const MicrostepWorkspace *m, const MicrostepBody *bodies, const bool *stands) {
    for (int i = 0; i < m->bodies; i++) {
        if (stands && stands[i]) continue;
        const Mat3 *J = &bodies[i].work.inertia;
        const double own[SIX] = {
            bodies[i].work.mass, bodies[i].work.mass, bodies[i].work.mass, J->x.x, J->y.y, J->z.z
        };
        for (int r = 0; r < SIX; r++) {
            if (!(FIRM * own[r] * m->vector[MICROSTEP_PIVOT][SIX * m->place[i] + r] < 1))
                return false;
        }
    }
    return true;
}

bool solve_microstep_is_rigid(MicrostepBody *bodies, int body_count, const MicrostepPoint *points,
                              int count, const bool *stands, double least,
                              MicrostepWorkspace *room) {
    MicrostepStiffness spring[3];
    double *nothing = room->vector[MICROSTEP_UPDATE];
    if (!microstep_matrix_shape(room, body_count, points, count)) return false;
    for (int i = 0; i < SIX * body_count; i++) {
        nothing[i] = 0;
    }
    for (int i = 0; i < body_count; i++) {
        double times = stands && stands[i] ? GROUND : 1;
        bodies[i].work.mass = times / bodies[i].mass_inverse;
        bodies[i].work.inertia = mat3_scale(times, inverse(bodies[i].inertia_inverse));
    }
    microstep_matrix_start(room, bodies);
    for (int i = 0; i < count; i++) {
        if (points[i].p.z > least) {
            microstep_matrix_add(room, &points[i], spring, springs_of(&points[i], spring));
        }
    }
    return microstep_matrix_solve(room, nothing) && is_firm(room, bodies, stands);
}
