// parts_support.h -- the parts that are dropped in the tests, as docs/validation/cases.md,
// `poses`, has them.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "test.h"

#include "drop/drop.h"

// A part with the scene and the model it was made of, and how it is dropped in the case `poses`.
typedef struct Dropped {
    impScene *scene;
    impModel *model;
    impPart *part;
    impDropDef def;
} Dropped;

// hull of 20 random points on an ellipsoid: mass 1, e .2, mu .5, from 1 m
Dropped drop_hull(void);
Dropped drop_l(void);      // two boxes: e .3, mu .3, from .3 m
Dropped drop_brick(void);  // 1 x 2 x 3 cm: e .3, mu .3, from .3 m
Dropped drop_points(const impVec3 *points, int count, double noise);  // their hull
Dropped drop_shape(impShapeDef shape);
void drop_free(Dropped *d);

// every way through the kernel: the laws, drag, spins, ties, no friction, many corners, a plane
enum { KINDS_OF_DROPS = 11 };
Dropped drop_kind(int kind);
impPart *part_or_null(const impBodyDef *body, double noise, Dropped *out, impError *err);

// Round parts with the mass of the true shape, given, so that a polygon of many sides and the shape
// itself differ only in what touches.
typedef struct RoundPart {
    const char *name;
    double radius, hole, height, floor;  // m: a hole of this radius, down to the floor; floor 0: a
                                         // tube
    bool cone;
} RoundPart;

enum { CUP, PIN, WASHER, TUBE, CONE, DROP_ROUNDS };
extern const RoundPart drop_rounds[DROP_ROUNDS];
// sides 0: the true shape; `shape` is the only one of the body
impBodyDef drop_round_body(const RoundPart *r, int sides, impShapeDef *shape);
Dropped drop_round(const RoundPart *r, int sides);
