// impact_support.h -- collisions to solve: from files, from chance, and an oracle that shares
// nothing with the solver.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "test.h"

#include "io/json.h"
#include "solve/solve.h"

// --- files of tests/solve/fixtures/ --------------------------------------------------------------
typedef struct Cases {
    Pool pool;
    char *text;
    const Json *doc;
    const JsonNode *first;
} Cases;
// fails the test when it cannot
Cases cases_open(const char *name);
void cases_close(Cases *cases);
double case_number(const JsonNode *item, const char *key);
const char *case_text(const JsonNode *item, const char *key);  // NULL: not there
impVec3 case_vec(const JsonNode *item, const char *key);
Mat3 case_matrix(const JsonNode *item, const char *key);  // nine numbers by rows
impImpactDef case_def(const JsonNode *item);              // k, u0, mu, e, law

// --- chance --------------------------------------------------------------------------------------
// Two boxes, or one and the ground, of random sizes, attitudes and densities that touch in random
// points of their surfaces. Friction up to 2; a tenth of the collisions starts with no sliding, a
// tenth is planar.
impImpactDef random_hit(uint64_t seed, int64_t i);
void put_matrix(impImpactDef *def, Mat3 k);
Mat3 share_of(double mass, Mat3 inertia, impVec3 r);  // 1/m - [r] J^-1 [r]

// --- the oracle ----------------------------------------------------------------------------------
// The classical Runge-Kutta method on (ln s, theta) of docs/theory/frictional-impact.md, section 2,
// in small steps, events by halving the last one. Good to some 1e-9. False: gave up.
bool oracle(const impImpactDef *def, impVec3 *p, impVec3 *u);
