// lcp.h -- what the files of the method `lcp` share: the printed schemes of Stewart & Trinkle.
//
// Stewart & Trinkle 2000; docs/theory/time-stepping.md. The scheme of everyday use is a step of
// iterated.c with another rule (lcp.c); the others take velocities to the end of the step first and
// let them act over all of it:
//
//   lcp.c              the row of the method: which scheme
//   lcp_stepping.c     a step of a printed scheme
//   lcp_rows.c         contact points of a pose, active ones, as rows; restitution
//
// Bodies, contact set, islands, contact memory and journal are those of iterated.h.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "method/iterated.h"

bool method_lcp_accepts(const impModel *m, impError *err);
size_t method_lcp_scratch(const impModel *m);
Progress method_lcp_step(const impModel *m, double *next, const double *input, double h,
                         Arena scratch, const MethodOptions *options);

// A contact point by its name.
typedef struct SteppingKey {
    int32_t a, b;
    uint64_t feature;
} SteppingKey;

typedef struct Stepping {
    Iterated it;  // its problem is that of the island at work
    impScheme scheme;
    int directions;        // of friction; of the polyhedral cone
    double violated;       // m: a gap below minus this is violated
    const double *state;   // at the beginning of the step
    impTwist *free_twist;  // m/s, rad/s, by body: v_f, without contact
    impTwist *twist;       // by body: v', the answer so far
    impTwist *guess;       // by body: v~ of the fixed-point scheme
    // islands, one after the other: rows and bodies of their problems
    ContactRow *row;
    BilateralRow *bilateral;
    ProblemBody *body;
    int *row_count, *first_bilateral;  // by island
    SteppingKey *active;               // of the last solution, in the order of the points
    int active_count;
} Stepping;

// Which points of a pose become rows.
typedef enum SteppingWanted {
    WANT_ACTIVE,  // violated there, or active in the last step or the last solution
    WANT_NEW,     // violated there, and no row yet
    WANT_NEAR     // all that the bodies could reach within the step
} SteppingWanted;

// --- lcp_stepping.c ------------------------------------------------------------------------------
Progress stepping_step(const impModel *m, double *next, const double *input, double h,
                       Arena scratch, const MethodOptions *options, impScheme scheme);
// Scratch memory of such a step, beyond that of a step of iterated.h, bytes.
size_t stepping_scratch(const impModel *m);

// --- lcp_rows.c ----------------------------------------------------------------------------------
// Puts all bodies where the state has them; free ones fly on with these twists without gravity.
void stepping_launch(Stepping *s, const impTwist *twist);
// Adds the points of the poses at time t that are wanted; the twists of stepping_launch led there.
// Returns how many; negative: stopped.
int stepping_add_points(Stepping *s, const impTwist *twist, double t, SteppingWanted wanted);
// The rows of an island, in it->problem, from its points.
void stepping_set_rows(Stepping *s, const IteratedNode *node);
// Notes which points are rows now.
void stepping_note_active(Stepping *s);
