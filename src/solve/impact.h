// impact.h -- a collision under way: what impact.c and impact_slide.c share.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "solve/solve.h"

typedef struct Hit {
    double axx, axy, ayy, kx, ky, kzz;  // the contact's matrix: A between tangents, k across, kzz
                                        // along the normal
    double mu, mu_static, e;
    impLaw law;
    double x, y, z;     // u now
    double px, py, pz;  // p so far
    double speed;       // m/s, the size of u at the start: what is small against it is nothing
    double store;       // what restitution may still spend: N s (Poisson) or J (Stronge)
    double target;      // m/s, Newton: u_z at which it ends
    impStage stage;
    bool over, stalled;
    impImpact *out;
    ImpactPath *path;  // NULL: not sampled
} Hit;

// a piece of one phase: its p_z and int u_z dp_z
void solve_spend(Hit *hit, impMode mode, double dp, double work);
// u_z is 0: the other stage begins, or none
void solve_turn(Hit *hit);
// restitution has spent its store
void solve_finish(Hit *hit);
void solve_sample(Hit *hit, impMode mode);  // one more point of the path
// Along a straight line dp = (px, py, 1) dp_z, for p_z of at most `stop`, where u_t vanishes.
void solve_line(Hit *hit, impMode mode, double px, double py, double stop);
// u_t != 0; until it vanishes or all is over
void solve_slide(Hit *hit);
