// contact_support.h -- contact problems that several programs solve: towers, random bodies.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "solve/problem.h"

#define GRAVITY 9.81
#define STEP    (1. / 60)

// The one problem at a time, with room for many rows.
extern Problem contact_problem;

void contact_clear(void);
// All impulses and modes as if there had been no last step.
void contact_forget(void);
// A box of the mass and lengths, with the velocity that a step of gravity gives it.
int contact_add_box(double mass, double x, double y, double z);
ContactRow *contact_add(int a, int b, impVec3 arm_a, impVec3 arm_b, impVec3 n, double mu);
// The four corners of a unit cube a on the cube b below it, or on the ground.
void contact_add_corners(int a, int b, double mu);
// Cubes on each other, the masses from 1 to `ratio`.
void contact_build_tower(int count, double ratio, double mu);
// Some bodies with some three contacts each, in any directions. Reads (seed, stream 11).
void contact_build_random(uint64_t seed, int most_bodies, double friction);
// Three bilateral rows that keep a point of two bodies together.
void contact_join(int a, int b, impVec3 arm_a, impVec3 arm_b);

// Solves the problem with a row of the table, in scratch memory of the size that the room names.
SolverReport contact_solve(const char *solver, const SolverOptions *options);
Judgement contact_judge(void);
// Zero bytes that are scratch for something else; size rounded up to cache lines.
Arena contact_scratch(size_t bytes);
