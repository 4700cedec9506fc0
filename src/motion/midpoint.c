// midpoint.c -- free rotation by the implicit midpoint rule with Cayley's map.
//
//     I (w1 - w0) = h (I wm) x wm,   wm = (w0 + w1) / 2,   R1 = R0 cay(h wm) (1)
// in body axes (docs/theory/free-flight.md, section "Implicit midpoint rule"). Second order; keeps
// the energy, |L| and the direction of L in space to rounding, because (1) says R1 I w1 = R0 I w0
// exactly when the attitude goes by Cayley's map; with the exponential map L would drift. Method
// flight drifts by spin.c instead, which is more accurate at the same step
// (tests/motion/midpoint.c); this one is for bodies on joints, where there is no closed form, and
// an independent check.
//
// SPDX-License-Identifier: MIT
#include "motion/motion.h"

// Newton on F(w1) = I (w1 - w0) - h (I wm) x wm: dF = I - h/2 ( [I wm]x - [wm]x I ).
static impVec3 solve_midpoint(const Body *body, impVec3 w0, double h) {
    Mat3 I = body->inertia;
    impVec3 w1 = w0;
    for (int i = 0; i < 30; i++) {
        impVec3 wm = scale(0.5, add(w0, w1));
        impVec3 momentum = mul(I, wm);
        impVec3 step;
        impVec3 residual = sub(mul(I, sub(w1, w0)), scale(h, cross(momentum, wm)));
        Mat3 slope = mat3_add(
            I,
            mat3_scale(-0.5 * h, mat3_add(skew(momentum), mat3_scale(-1, mat3_mul(skew(wm), I)))));
        if (!solve3(slope, residual, &step)) return w1;
        w1 = sub(w1, step);
        if (norm(step) <= 4e-16 * norm(w1)) break;
    }
    return w1;
}

void motion_midpoint(const Body *body, impQuat *q, impVec3 *w, double h) {
    impVec3 w0 = unrotate(*q, *w);
    impVec3 w1 = solve_midpoint(body, w0, h);
    impVec3 half = scale(0.25 * h, add(w0, w1));
    *q = unit(qmul(*q, quat(1, half.x, half.y, half.z)));
    *w = rotate(*q, w1);
}
