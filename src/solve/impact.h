// impact.h -- a collision under way, shared by impact.c and impact_slide.c.
//
// docs/theory/frictional-impact.md, sections 2 to 5; numbers in brackets are its equations.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "solve/solve.h"

typedef struct Hit {
    // the contact's matrix K, m/s by N s: A between tangents, k across, kzz along the normal
    double axx, axy, ayy, kx, ky, kzz;
    double mu, mu_static, e;
    impLaw law;
    double x, y, z;     // m/s: u now
    double px, py, pz;  // N s: p so far
    double speed;       // m/s: the size of u at the start, against which rounding is measured
    double store;       // what restitution may still spend (13): N s (Poisson) or J (Stronge)
    double target;      // m/s, Newton: u_z at which restitution ends
    impStage stage;
    bool finished;  // restitution has ended
    bool stalled;   // a phase took more work than any collision needs
    impImpact *out;
    ImpactPath *path;  // NULL: not sampled
} Hit;

// Counts a piece of one phase, by its p_z, N s, and int u_z dp_z, J: fills or empties the store
// (13).
void solve_spend(Hit *hit, impMode mode, double dp, double work);
// Where u_z is 0: begins the other stage, or finishes if restitution may spend nothing.
void solve_turn(Hit *hit);
// Ends the collision where restitution has spent its store, or by Newton's law has its target.
void solve_finish(Hit *hit);
// Adds a point to the path.
void solve_sample(Hit *hit, impMode mode);
// Goes along a straight line dp = (px, py, 1) dp_z (14), for p_z of at most `stop`, where u_t
// vanishes.
void solve_line(Hit *hit, impMode mode, double px, double py, double stop);
// Slides, u_t != 0, until u_t vanishes or the collision is finished.
void solve_slide(Hit *hit);
