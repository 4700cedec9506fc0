// motion.h -- the door of motion/: bodies as if nothing touched.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "model/model.h"
#include "motion/spin.h"

// --- flight.c: a free body between two events, at any time for the same cost ---------------------
// centre of mass, axes, twist: 13 doubles
typedef struct Flying {
    impVec3 x;
    impQuat q;
    impVec3 v, w;
} Flying;
// what every flight has; the rest is for bodies that tumble (spin.h)
typedef struct FlightFront {
    double t0;
    Flying start;
    impVec3 g;
    SpinFront spin;
} FlightFront;
typedef struct Flight {
    FlightFront front;
    Tumble tumble;
} Flight;
Flight motion_flight(const Body *body, impVec3 g, double t0, Flying start);
Flying motion_fly(const Flight *flight, double t);
// The same where the two parts are kept apart; the second is touched by those that tumble alone.
void motion_set_flight(FlightFront *f, Tumble *u, const Body *body, impVec3 g, double t0,
                       const Flying *start);
void motion_fly_to(const FlightFront *f, const Tumble *u, double t, Flying *now);
// of a free body, from its coordinates
Flying motion_get(const double *q, const double *v);
void motion_put(Flying f, double *q, double *v);
// N s at the centre of mass; N m s
Flying motion_kick(const Body *body, Flying f, impVec3 impulse, impVec3 angular_impulse);

// --- midpoint.c: one step of free rotation without elliptic functions (for torques that change wit
void motion_midpoint(const Body *body, impQuat *q, impVec3 *w, double h);

// --- kinematics.c: where every body is -----------------------------------------------------------
impPose motion_pose(const impModel *m, const double *state, int body);
impTwist motion_twist(const impModel *m, const double *state, int body);
// fixed and prescribed bodies, at any time
impPose motion_kinematic_pose(const impModel *m, int body, double t);
impTwist motion_kinematic_twist(const impModel *m, int body, double t);
// both for the price of one
void motion_kinematic(const impModel *m, int body, double t, impPose *at, impTwist *twist);
// prescribed: bound on any point's way along n
double motion_travel(const impModel *m, int body, impVec3 n, double T);
// the same per second, for every T
double motion_speed(const impModel *m, int body, impVec3 n);
// kinematic, and not standing still for ever
bool motion_is_moving(const impModel *m, int body);

// --- audit.c: what must be conserved -------------------------------------------------------------
impEnergy motion_energy(const impModel *m, const double *state);
impMomentum motion_momentum(const impModel *m, const double *state);
// Of a step from `before` to `after` under gravity and, where not NULL, the generalised force
// `input` (constant).
#define MOTION_TOLERANCE 1e-9  // the usual one
// False: something is off by more than `tolerance` of a body's own energy, momentum or spin, and
// what rounding makes of them; *first is that body. The ledger, one entry a free body, has the
// impulses of a method: this much of the change is explained.
typedef struct Ledger {
    impVec3 impulse, angular_impulse;             // N s; N m s about the centre of mass
    double energy;                                // J
    double impulse_sum, angular_sum, energy_sum;  // sums of the magnitudes: what rounding is
                                                  // measured against
    double rate_sum;     // rad/s, sum of rates before and after each launch
    double kinetic_sum;  // J, sum of kinetic energies before and after each
} Ledger;
// What a step did wrong: of which body, by how much, and what is allowed.
typedef struct Fault {
    int body;
    const char *of, *unit;
    double off, limit;
} Fault;
bool motion_judge(const impModel *m, const double *before, const double *after, const double *input,
                  const Ledger *ledger, double tolerance, impCertificate *out,
                  impCertificate *limit, Fault *first);
bool motion_finite(const impModel *m, const double *state, int *where);
