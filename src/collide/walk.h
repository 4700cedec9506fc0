// walk.h -- what the walk over polytopes and its canonical answer share (inside collide/).
//
// SPDX-License-Identifier: MIT
#pragma once
#include "collide/collide.h"

typedef struct Core {  // the core of one shape, in its own frame
    const impVec3 *vertex;
    const Edge *edge;
    const Face *face;
    const int32_t *loop, *loop_edge, *ring, *ring_first;
    int vertex_count, edge_count, face_count;
} Core;

// into the other's frame: turn x + at
typedef struct Side {
    Core p;
    Mat3 rotation;
    impVec3 at;
} Side;
typedef struct Walk {
    Side body[2];
    FeatureKind kind[2];
    int id[2];
    double level[2];  // two vertices: how far the other is behind the nearest plane of each
} Walk;
typedef enum Verdict { WALK_ON, WALK_DONE, WALK_INSIDE } Verdict;

Core collide_core(const Placed *p);
Walk collide_walk(const Placed *a, const Placed *b);
// canon.c: the answer of a walk that is done: one for all the pairs of features that tie. False:
// they touch. unsure: the gap has lost so many digits, or a tilt is so slight, that another start
// may end with another answer.
bool collide_canon(Walk *w, const Placed *b, Closest *out, bool *unsure);
// segments.c: closest points of two segments; of parallel ones the middle of their overlap.
void collide_segments(impVec3 a, impVec3 b, impVec3 c, impVec3 d, impVec3 *on_ab, impVec3 *on_cd);
