// solid_mesh.h -- a shape as triangles, for those who draw it.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "impel/impel.h"

// In the shape's own frame, m. Corners are counter-clockwise from outside; a vertex has the normal
// of the surface there, and is there twice where that has an edge. All vertices lie on the true
// surface, triangles of round ones a little inside.
typedef struct SolidMesh {
    float *point, *normal;  // x y z of each vertex
    uint32_t *corner;       // three vertices a triangle
    size_t vertex_count, vertex_room, triangle_count, triangle_room;
    bool broken;  // out of memory
} SolidMesh;

typedef struct SolidView {
    impVec3 center;  // where of a plane, which has no end, a square is shown; in the shape's frame
    double half;     // m: half its side
    int detail;      // 0: as for looking; each more halves the facets of what is round; at most 3
} SolidView;

// false: no memory
bool solid_mesh_make(SolidMesh *mesh, const impModel *model, impBody body, int shape,
                     SolidView view);
void solid_mesh_free(SolidMesh *mesh);
