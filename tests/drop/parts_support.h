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

// every way through the kernel: the laws, drag, spins, ties, no friction, many corners
enum { KINDS_OF_DROPS = 10 };
Dropped drop_kind(int kind);
impPart *part_or_null(const impBodyDef *body, double noise, Dropped *out, impError *err);
