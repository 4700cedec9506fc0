// oracle_support.h -- what closest points must satisfy, by other means than the library's: slow,
// simple, in long double.
//
// Three kinds of oracle. A certificate: points on both surfaces that far apart, and a direction
// that separates by as much; together they prove a distance, whoever found it. Every pair of
// features: for polytopes, distance by vertex-face and edge-edge pairs, depth by all axes. A
// search: for any shape, the greatest separation over a dense set of directions, refined by golden
// sections. On x86 long double has 64 bits; elsewhere the tests still hold with what it has.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "test.h"

#include "collide/collide.h"

// --- shapes: all bounded kinds in several proportions --------------------------------------------
enum {
    ZOO_SPHERE,
    ZOO_BALL,
    ZOO_CAPSULE,
    ZOO_BOX,
    ZOO_PLATE,
    ZOO_BRICK,
    ZOO_HULL,
    ZOO_TETRA,
    ZOO_PRISM,
    ZOO_CLOUD,
    ZOO_DIE,  // rounded from here on
    ZOO_DOMINO,
    ZOO_PEBBLE,
    ZOO_MARBLE,
    ZOO_CYLINDER,
    ZOO_COIN,
    ZOO_ROD,
    ZOO_CONE,
    ZOO_HAT,
    ZOO_ELLIPSOID,
    ZOO_LENS,
    ZOO_CIGAR,
    ZOO_SHAPES
};
extern const char *const zoo_names[ZOO_SHAPES];
impModel *zoo_build(double scale);  // lengths times scale; never NULL
Placed zoo_at(const impModel *m, int shape, impPose p);
bool zoo_smooth(int shape);
double zoo_size(const Placed *a, const Placed *b);  // both reaches: what errors are relative to

// --- random poses: a function of the draw --------------------------------------------------------
typedef struct Draws {
    uint64_t seed, next;
} Draws;
double draw(Draws *d, double low, double high);
impQuat draw_turn(Draws *d);  // one in four turned by quarters only: aligned faces
impVec3 draw_vec(Draws *d, double size);
impPose draw_pose(Draws *d, double size);
typedef enum Apart { APART_FAR, APART_NEAR, APART_TOUCH, APART_SHALLOW, APART_DEEP, APARTS } Apart;
double draw_gap(Draws *d, Apart apart, double size);
// Two shapes at random turns, brought to a gap of that sort along a random direction.
void draw_poses(Draws *d, Apart apart, Placed *a, Placed *b);
void draw_pair(Draws *d, const impModel *m, int sa, int sb, Apart apart, Placed *a, Placed *b);

// --- oracles -------------------------------------------------------------------------------------
// least of a less most of b along unit n
double oracle_separation(const Placed *a, const Placed *b, impVec3 n);
// signed distance from its surface; small ones
double oracle_off_surface(const Placed *a, impVec3 x);
// polytopes with radii, not overlapping
double oracle_distance(const Placed *a, const Placed *b);
// of cores with radii: greatest separation
double oracle_depth(const Placed *a, const Placed *b);
// any shapes: the same by search, from below
double oracle_search(const Placed *a, const Placed *b);

typedef struct Check {
    double apart, on, normal, unit;
} Check;  // errors, in units of the size
Check oracle_check(const Placed *a, const Placed *b, const Closest *c);
// fails the test unless it holds
void oracle_certify(const Placed *a, const Placed *b, const Closest *c, const char *what, int i);
// apart: of the distance, too
Check oracle_check_plane(const Placed *a, const Placed *plane, const Closest *c);
int soak_count(int usual);  // from IMPEL_SOAK, else usual
