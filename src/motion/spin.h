// spin.h -- torque-free rotation, exact and at any time (used through motion.h).
//
// SPDX-License-Identifier: MIT
#pragma once
#include "num/num.h"

// of the theta series; their nome never exceeds exp(-pi), so four are rounding
enum { SPIN_TERMS = 4 };
typedef enum SpinKind { SPIN_NONE, SPIN_STEADY, SPIN_SYMMETRIC, SPIN_GENERAL } SpinKind;

// What a torque-free flight needs to know, computed once from its start. All but q0 and w0 is in
// principal axes. It has two parts, since of many bodies most tumble seldom: what every spin has,
// and what only few have. That is never written, nor read, where the kind does not need it: memory
// that is not touched costs nothing.
typedef struct SpinFront {
    SpinKind kind;
    bool hyperbolic;  // general, modulus above 1/2: the theta series in the complementary nome
    impQuat q0;       // principal axes to world at the start; without a spin: body axes to world
    impVec3 w0;       // world
    impQuat axes;     // principal to body axes
} SpinFront;

typedef struct Tumble {
    impVec3 axis, axis_body;  // symmetric: L / It in the world; figure axis times its own rate
    // general: Jacobi's functions of x = 2 pi (x0 + rate t) turns, with f, g, h the figure, middle
    // and other axis
    Landen landen;
    int f, g, h;
    double amplitude_f, amplitude_g, amplitude_h;  // of the body rates, signs included
    double moment_f, moment_g, moment_h;
    double x0, rate;  // turns, turns/s
    // the one angle that needs an integral: psi = turning t + sigma (periodic part of x), as a unit
    // complex number
    double turning, sigma;  // rad/s, +-1
    double lean, stretch;   // hyperbolic: psi gains lean per rad of reduced x; X = stretch x
    double c[SPIN_TERMS], s[SPIN_TERMS];  // coefficients of the series
    impQuat before;                       // q0 times the inverse of (Rz(psi) B) at the start
} Tumble;
typedef struct Spin {
    SpinFront front;
    Tumble tumble;
} Spin;

Spin motion_spin(const double moments[3], impQuat axes, impQuat q0, impVec3 w0);
// body axes to world; world
void motion_spin_at(const Spin *spin, double t, impQuat *q, impVec3 *w);
// The same where the two parts are kept apart.
void motion_set_spin(SpinFront *s, Tumble *u, const double moments[3], impQuat axes, impQuat q0,
                     impVec3 w0);
void motion_spin_to(const SpinFront *s, const Tumble *u, double t, impQuat *q, impVec3 *w);
// largest |w| of the flight (C2)
double motion_spin_bound(const double moments[3], impVec3 w_principal);
