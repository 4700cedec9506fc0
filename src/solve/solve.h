// solve.h -- the door of solve/: pure mathematics, a problem in, impulses out.
//
// Knows base and num, and nothing of bodies, shapes or time: what is solved here can be tested on numbers from a file.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "base/base.h"
#include "num/num.h"

// --- impact.c, impact_slide.c: one frictional collision -------------------------------------------------------------
// The way of u through velocity space, for those who want to see it. count goes on beyond capacity.
typedef struct ImpactPath { impImpactSample *samples; int capacity, count; } ImpactPath;

// def is assumed good: impImpact_Solve refuses what is not. path may be NULL and never changes the result. No memory is
// taken. IMP_STALLED: more work than any collision needs; IMP_NOT_FINITE: |u|, k or friction
// beyond 1e120, or |u| or k below 1e-120.
impVerdict solve_impact(const impImpactDef *def, impImpact *impact, ImpactPath *path);
impVec3    solve_impact_slope(const impImpactDef *def, double ux, double uy);   // du / dp_z

// The unique direction r, |r| = 1, in which sliding grows out of rest, and its rate lambda = ds / dp_z > 0; exists if
// and only if friction mu cannot hold the contact: |A^-1 k| > mu, with A = k_tt and k = k_tz of the contact's matrix.
typedef struct ImpactRay { double x, y, rate; } ImpactRay;
ImpactRay solve_impact_ray(const impImpactDef *def);
double    solve_impact_stick_ratio(const impImpactDef *def);                   // |A^-1 k|
