// table.h -- what the kernel of the drops reads: a part, a plane and a law as plain numbers (inside
// drop/).
//
// Lengths in units of the part's reach rho (its farthest corner), times of sqrt(rho / g), masses of
// the part's own: so that gravity is 1, the mass is 1, no corner is farther than 1, and every
// tolerance is a plain number. Axes are the principal ones, the origin is the centre of mass.
// Common subset of C17 and C++20: a GPU reads the same table.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "num/num.h"

// An edge as seen from one of its corners. Directions in which the part can lie on the edge form an
// arc between the normals of its two faces, at right angles to it; `way` points along the arc, away
// from the foot of the centre of mass on one side.
typedef struct DropSpoke {
    int32_t other;          // the corner at its far end
    int32_t ahead, behind;  // faces at the ends of the arc: along `way`, and against it
    double way[3];
} DropSpoke;

// A family of poses, and how fast hops may be in a part that is near it.
typedef struct DropFamily {
    double pass;                 // height of the lowest pass out of it
    double near;                 // a part whose centre of mass stays below this is near it
    double hop_least, hop_most;  // of a part near it
} DropFamily;

// corners in a block of neighbours
enum { RING = 8 };

// With more, edges lead to the first corner faster than a search of all, and lasting contact is
// followed. Parts of fewer that rock on a narrow face, such as plates of some sides, have it
// followed from VERY_FEW_CORNERS on: hops would keep them rocking.
enum { VERY_FEW_CORNERS = 12, FEW_CORNERS = 24 };

typedef struct DropTable {
    int corners, faces, rests, families;
    bool planar;  // the profile of a body of revolution, whose axis is z: all moves in the plane of
                  //   x and z
    bool many;    // so many corners that the first to land is looked for along edges, and that
                  //   lasting contact at one corner is followed: with few, hops cost less
    const double *x, *y, *z;  // [corners]
    const double *gate;       // [corners] the highest `near` of a family that a face of this corner
                              // leads to
    const int32_t *spokes;    // [corners + 1] first spoke of each corner
    const DropSpoke *spoke;
    const int32_t *blocks;   // [corners + 1] first block of each corner
    const double *block;     // RING x, RING y, RING z of the corners at the ends of its spokes, in
                             // their order
    const int32_t *sink;     // [faces] the pose to which it rolls
    const int32_t *family;   // by pose
    const double *barrier;   // by pose: height of the lowest pass out of it
    const DropFamily *exit;  // by family
    double top;              // the highest `near` of all
    double moment[3], inverse[3];        // principal moments, and 1 / those
    double friction, hold, restitution;  // dynamic, static
    bool stronge;
    double drag, spin_drag[3];  // rates of v, and of w about each axis; 0: none
    double stiffest;            // of them all
    // numbers of the method; drops.c says how they are chosen
    double hop_part, hop_least;  // least speed after an impact: part of the speed of all motion;
                                 // and by itself
    double hop_landed;   // at most this part of the speed of the last landing on a corner of a part
                         // that had turned about others,
    double hop_slowest;  // but not less than this
    bool narrow;         // it rolls over facets so narrow that few drops make most of the work
    double hop_band;     // a corner within so many hop heights of the plane counts as touching it
    double rolled;       // rad: a part that has rolled so far, confined to a family, stays in it
    double touching;     // gap that is none
    double slack;        // of heights in a certificate: what touches is so near, what noise is
    // how fine an impact is, [1] for those that only hop:
    double term[2];      // size of a series' fifth term
    double straight[2];  // rad: a slide that will turn less than this does not
    double small[2];     // slip, as part of the normal impulse to come: less is none
    int looks;           // how often a root is improved
    int64_t most;        // iterations
    // how a trial begins
    uint64_t seed;
    double height, velocity[3], spin[3];  // SI, world axes
    double velocity_random, spin_random;
    const double *orientations;  // 4 numbers each; or NULL
    int64_t orientation_count;
    double axes[4];       // principal axes against body axes
    double length, time;  // m, s: the units
} DropTable;

// world; SI
typedef struct DropStart {
    double rotation[4], velocity[3], spin[3];
} DropStart;
typedef struct DropEnd {  // units of the table
    int32_t family, rest, impacts;
    int32_t rolled;  // 1: certain of the family by rolling, not by energy
    double time, state[10];
} DropEnd;
