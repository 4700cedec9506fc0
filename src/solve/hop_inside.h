// hop_inside.h -- what hop.c and hop_polish.c share (inside solve/).
//
// SPDX-License-Identifier: MIT
#pragma once
#include "solve/solve.h"

// Solves for the points that stick if all do that do not open; else, and where that is no answer, changes nothing.
void hop_polish(HopBody *bodies, int body_count, HopPoint *points, int count, double tolerance, double *room);
