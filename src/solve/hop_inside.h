// hop_inside.h -- what hop.c and hop_newton.c share (inside solve/).
//
// SPDX-License-Identifier: MIT
#pragma once
#include "solve/solve.h"

impVec3 hop_in_world(const HopPoint *q, impVec3 p);                // from the frame of the contact

// From the impulses in `points` to those that keep the laws to within tolerance (m/s) at every point; false: not found, and
// nothing is changed.
bool hop_newton(HopBody *bodies, int body_count, HopPoint *points, int count, double tolerance, double *room);
