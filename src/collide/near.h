// near.h -- what bodies.c and mesh.c share (inside collide/): where answers go.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "collide/convex.h"

typedef struct Sink {
    NearList *list;
    double limit;          // answers farther than this are of no use
    bool shrink;           // only the nearest counts: the limit follows it
    bool flip;             // the mesh is body a: answers come the wrong way round
    int shape_a, shape_b;  // of the pair at work, counted within the bodies
    int triangle_a;  // a mesh against a mesh: the triangle that plays the convex shape; else -1
} Sink;
// c: from the mesh (or b) to the convex shape (or a); triangle: of the mesh, -1: none
void near_put(Sink *sink, const Closest *c, int triangle, bool inner, Feature local);
Box near_box(impPose p, impVec3 low, impVec3 high);  // around a turned box
// of two boxes; 0: they meet
double near_gap(impVec3 low, impVec3 high, impVec3 low2, impVec3 high2);

// mesh.c: a convex shape, and a plane, against a mesh
void near_mesh(const Placed *convex, const Placed *mesh, Sink *sink);
void near_plane(const Placed *plane, const Placed *mesh, Sink *sink);  // answers: the mesh is b
