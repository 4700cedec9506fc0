// collide.h -- the door of collide/: who touches, where and when.
//
// A convex shape is a core and a radius: the core of a ball is a point, of a capsule a segment, of a box or hull the
// polytope itself; cylinder, cone and ellipsoid are smooth and known by their support maps; a plane is a half space; a
// mesh is triangles under a tree of boxes. Distances are signed: negative is the depth of the overlap, and the sign
// changes continuously. The normal points from b to a; on_a - on_b = distance times normal.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "motion/motion.h"

// --- features: what touches what, as a number that stays the same while they touch --------------------------------------
// A feature is a vertex, edge or face of a polytope, or a region of a smooth shape, in 30 bits and 2 of kind.
typedef enum FeatureKind { FEATURE_VERTEX, FEATURE_EDGE, FEATURE_FACE, FEATURE_SMOOTH } FeatureKind;
typedef uint32_t Feature;
static inline Feature feature_of(FeatureKind kind, int index) { return (uint32_t)kind << 30 | (uint32_t)index; }
static inline FeatureKind feature_kind(Feature f) { return (FeatureKind)(f >> 30); }
static inline int feature_index(Feature f) { return (int)(f & 0x3fffffffu); }

typedef struct Placed {                       // a shape where it is now
    const Shape *shape;
    const Geometry *g;
    impPose pose;                             // of the shape's frame in the world
} Placed;

typedef struct Closest {
    double distance;                          // m, signed
    impVec3 normal;                           // unit, world, from b to a
    impVec3 on_a, on_b;                       // world
    Feature feature_a, feature_b;
    int steps;                                // of the walk or iteration
    bool fallback;                            // the bounded walk gave up and another method answered (never in tests)
} Closest;

// Where a search may start: the features of the last answer. It saves steps and changes no bit of the result.
typedef struct Hint { Feature a, b; bool known; } Hint;

// pairs.c: the closest points of two convex shapes, by the table of pairs. hint may be NULL; it is updated.
Closest collide_closest(const Placed *a, const Placed *b, Hint *hint);

// vclip.c: polytopes, segments and points (cores; radii added by the caller in pairs.c). False: they overlap.
bool collide_vclip(const Placed *a, const Placed *b, Hint *hint, Closest *out);
// overlap.c: depth and normal of two overlapping cores: the axis of least overlap, over all axes.
Closest collide_overlap(const Placed *a, const Placed *b);
// gjk.c: any two convex shapes by their support maps, smooth ones included, radii included; signed.
Closest collide_gjk(const Placed *a, const Placed *b);
// plane.c: anything convex against a half space.
Closest collide_plane(const Placed *a, const Placed *plane);

// --- manifold.c: all the points of a contact ---------------------------------------------------------------------------------
enum { MANIFOLD_POINTS = 64 };
typedef struct ManifoldPoint { impVec3 at; double gap; uint64_t feature; } ManifoldPoint;   // at: middle, world
typedef struct Manifold {
    impVec3 normal;                           // from b to a, one for all points
    int count;
    bool cut;                                 // more points than fit: the caller must say so
    uint32_t reference;                       // which face measured the gaps: kept while it is as good (hysteresis)
    ManifoldPoint point[MANIFOLD_POINTS];
} Manifold;
// Points with gap <= margin. `last` is the reference of the manifold before, 0 at first.
Manifold collide_manifold(const Placed *a, const Placed *b, const Closest *c, double margin, uint32_t last);

// --- impact_time.c: when they could touch at the earliest (physics.md C) ------------------------------------------------------
typedef struct Mover {                        // how a body moves from now on
    impVec3 x, v, a;                          // centre of mass, velocity, acceleration (gravity or 0)
    impVec3 w;                                // angular velocity now
    double w_most;                            // and at most, for the rest of the flight (motion_spin_bound)
    double w_change;                          // bound on |dw/dt|
    double reach;                             // no point of the core is farther from x
    const impModel *m;                        // prescribed bodies: their motion bounds the way
    int body;                                 // its index when prescribed, else -1
} Mover;
// No gap below `target` before the returned time from now (HUGE_VAL: never, on these flights). Never too late.
double collide_time_bound(const Mover *a, const Mover *b, const Placed *sa, const Placed *sb, const Closest *c, double target);

// --- broad.c: which pairs are worth a look (physics.md D) -----------------------------------------------------------------------
// Boxes [low, high] of n bodies; pairs (i < j) whose boxes overlap, in the order of (i, j).
typedef struct Box { impVec3 low, high; } Box;
