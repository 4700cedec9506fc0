// coloured.h -- contact rows in the order of colours, as coloured.c lays them out and its kernels
// in lanes sweep over them (inside solve/).
//
// docs/theory/many-contacts.md, section 11. A group is up to four rows of one pair of bodies.
// Groups of one colour share no body that moves, so they can be solved side by side with the bits
// of one after the other. A bundle is eight groups of one colour; the layout, and with it the order
// of all sums, does not depend on how many lanes a kernel has.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "solve/problem.h"

enum { BUNDLE = 8, GROUP_ROWS = 4 };

// A body as sweeps read it, on a cache line of its own: v, w, inverse mass.
typedef struct ColourBody {
    _Alignas(CACHE_LINE) double v[3];
    double w[3];
    double mass_inverse, unused;
} ColourBody;

// A vector, and an inverse inertia, for each lane.
typedef struct ColourVec {
    double x[BUNDLE], y[BUNDLE], z[BUNDLE];
} ColourVec;
typedef struct ColourInertia {
    double xx[BUNDLE], yy[BUNDLE], zz[BUNDLE], xy[BUNDLE], xz[BUNDLE], yz[BUNDLE];
} ColourInertia;

// One row of each group of a bundle, a group in each lane. Lanes without a row have zeros, so that
// no impulse arises.
typedef struct ColourBlock {
    _Alignas(CACHE_LINE) ColourVec t1;
    ColourVec t2, n, arm_a, arm_b, bias, p;
    double friction[BUNDLE];
    double normal_step[BUNDLE];   // N s by m/s: 1 / W_nn
    double tangent_step[BUNDLE];  // the same: 1 / largest eigenvalue of W_tt
    double coupling_x[BUNDLE];    // W_tn: what a normal impulse does to the slip
    double coupling_y[BUNDLE];
    double rho[BUNDLE];  // N s by m/s: 3 / trace W_cc; before `prepare`: 1 where a row is
} ColourBlock;

typedef struct ColourBundle {
    _Alignas(CACHE_LINE) ColourInertia inertia_a, inertia_b;
    int32_t a[BUNDLE], b[BUNDLE];  // places of bodies; -1: none that an impulse moves
    int32_t first_block, block_count;
    bool is_idle;  // at its last turn nothing in it carried an impulse
} ColourBundle;

typedef struct Coloured {
    ColourBody *body;
    ColourBundle *bundle;
    ColourBlock *block;
    int32_t *first_bundle;  // by colour, and one more
    int colour_count;
} Coloured;

// What a machine's lanes can do with bundles [first, last).
typedef struct ColourKernel {
    int lanes;
    // Sets the matrices of all rows.
    void (*prepare)(const Coloured *c, int first, int last);
    // Adds the impulses of all rows to their bodies.
    void (*apply)(const Coloured *c, int first, int last);
    // A turn of each row; of bundles that are idle only if `all`. Returns the largest change of a
    // velocity by the row's own impulse, m/s.
    double (*sweep)(const Coloured *c, int first, int last, bool all);
    // The largest natural map, m/s; HUGE_VAL for what is no number.
    double (*natural_map)(const Coloured *c, int first, int last);
} ColourKernel;

// The solver with a kernel of the caller's choice.
SolverReport solver_coloured_in(const Problem *problem, const SolverOptions *options, Arena scratch,
                                const ColourKernel *kernel);

// coloured_1.c, coloured_4.c, coloured_8.c; `sweep` is NULL where the machine has no such lanes.
ColourKernel colour_kernel_1(void);
ColourKernel colour_kernel_4(void);
ColourKernel colour_kernel_8(void);
