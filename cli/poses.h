// poses.h -- what the parts of `impel poses` share (inside cli/): a part, the blocks of its drops, what they add up to.
//
// The command is poses.c; a part comes from poses_part.c; poses_blocks.c drops it block by block; poses_journal.c keeps blocks
// on disk; poses_settle.c runs single trials through the general engine, to rest; poses_report.c, poses_json.c and poses_page.c
// tell what came out.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "cli.h"

enum { POSES_BLOCK = 4096 };                  // trials: the unit of results, of --ci, of Ctrl-C and of the journal

// --- poses_part.c: PART, an STL, an OBJ or a scene with one body -----------------------------------------------------
typedef struct PosesPart {
    const char *path;
    impScene *scene;                          // with the one body
    impModel *model;
    impBody body;
    impPart *part;
    impPartReport report;
    uint64_t hash;                            // of hull, mass properties and poses: is it the same part?
    impPairLaw law;                           // what the scene's materials say; of a mesh the defaults
    double gravity;                           // m/s^2
} PosesPart;

// --- poses_blocks.c: trials in blocks --------------------------------------------------------------------------------
typedef struct PosesBlock {                   // trials [first, first + count)
    int64_t first, count;
    int64_t unresolved, failed;
    int64_t impacts;
    uint64_t hash;                            // of its outcomes in the order of the trials
    int64_t *rest;                            // by pose: how many
} PosesBlock;

typedef struct PosesSample { impVec3 down; int32_t rest; } PosesSample;   // start (down in body axes) and end of a trial

// --- what is told ----------------------------------------------------------------------------------------------------
typedef struct PosesResult {
    const PosesPart *part;
    impDropDef def;                           // with its defaults filled in
    bool settled;                             // by the general engine, trial by trial
    int64_t drops;                            // trials that were asked for and done: a prefix of whole blocks
    int rests;                                // poses
    int64_t *count;                           // by pose
    int64_t unresolved, failed;
    uint64_t hash;
    double wall, cpu;                         // s
    int warning_count;
    char warnings[16][240];
    PosesSample *sample;                      // the first of them, for the page
    int samples;
} PosesResult;

void cli_poses_interval(int64_t count, int64_t of, double *low, double *high);   // 95 %, Wilson 1927

// --- poses_settle.c: one trial by the general engine -----------------------------------------------------------------
// A scene with a level plane at z = 0 (or the one of --surface) and the part, whose hull touches, with the part's own mass
// and the law of the drops. Made once; a trial sets the state to impDrops_Start and steps until the part sleeps.

// --- poses_page.c: the page ------------------------------------------------------------------------------------------
typedef struct PosesExample {                 // a trial made again by the general engine, for the page
    int64_t trial;
    int rest;                                 // by the general engine
    int certified;                            // by the drops; differs where the two disagree
    struct PageRun *run;                      // page.h: the samples of its run
} PosesExample;
