// rivals.h -- worlds of boxes and spheres, the engines that step them, and one measure of overlap.
//
// World and engine are apart: an engine sees a list of bodies and exports poses, and what is
// measured is measured from the poses, by the same functions for all engines. z is up, the ground
// is z = 0, gravity is 9.81 m/s^2.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "impel/impel.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RIVALS_GRAVITY 9.81

// a sphere where the radius is positive, else a box
typedef struct RivalsBody {
    double radius;
    impVec3 half;  // m: half of the lengths of a box
    double mass;   // kg; 0: fixed
    impPose pose;
} RivalsBody;

typedef struct RivalsWorld {
    double friction, restitution;  // of all pairs
    double h, duration;            // s
    int count;
    RivalsBody *body;
} RivalsWorld;

// --- worlds.c ------------------------------------------------------------------------------------
// the world, to be freed with rivals_free
RivalsWorld rivals_funnel(uint64_t seed);
RivalsWorld rivals_pile(void);
RivalsWorld rivals_pyramid(void);
RivalsWorld rivals_tower(void);
void rivals_free(RivalsWorld *world);

// --- overlap.c -----------------------------------------------------------------------------------
// pairs that overlap, with fixed bodies and the ground
typedef struct RivalsOverlap {
    double worst, sum;  // m
    int pairs;
} RivalsOverlap;

typedef struct RivalsJudge RivalsJudge;
RivalsJudge *rivals_judge(const RivalsWorld *world);
RivalsOverlap rivals_overlap(RivalsJudge *judge, const impPose *pose);
void rivals_judge_free(RivalsJudge *judge);

// --- engines -------------------------------------------------------------------------------------
typedef struct RivalsEngine {
    const char *name, *settings;
    void *(*begin)(const RivalsWorld *world);
    // NULL; or why the engine cannot go on
    const char *(*step)(void *run);
    void (*poses)(void *run, impPose *pose);
    // bodies that the engine has put to sleep; NULL: it never does
    int (*asleep)(void *run);
    void (*end)(void *run);
} RivalsEngine;

extern const RivalsEngine rivals_impel, rivals_awake, rivals_ode, rivals_bullet;

#ifdef __cplusplus
}
#endif
