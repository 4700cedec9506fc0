// kinds.h -- what the files of shape/ tell each other; the rest of the library sees shape.h only.
//
// Every kind is a file with the same five functions, named shape_<kind>_<what>, which its row in
// kinds.c lists.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "shape/shape.h"

// m; a grain of a tenth of a micrometre: below, doubles still work but
#define SHAPE_SMALLEST 1e-7
// tolerances in metres do not. The largest: an earth's radius
#define SHAPE_LARGEST 1e7

#define DECLARE_SHAPE(kind)                                                                        \
    bool shape_##kind##_check(const double *size, Where at, const char *who, impError *err);       \
    Solid shape_##kind##_solid(const Shape *shape, const Geometry *g);                             \
    impVec3 shape_##kind##_support(const Shape *shape, const Geometry *g, impVec3 direction);      \
    double shape_##kind##_bounding_radius(const Shape *shape, const Geometry *g, impVec3 from);    \
    double shape_##kind##_smallest_extent(const Shape *shape, const Geometry *g);

DECLARE_SHAPE(sphere)
DECLARE_SHAPE(box)
DECLARE_SHAPE(capsule)
DECLARE_SHAPE(cylinder)
DECLARE_SHAPE(cone)
DECLARE_SHAPE(ellipsoid)
DECLARE_SHAPE(plane)
DECLARE_SHAPE(hull)
DECLARE_SHAPE(mesh)

// kinds.c -- one length, and three. A zero direction has no farthest point: every support function
// then answers as for +z, so that the result is a point of the shape whatever is asked.
bool shape_check_length(const char *name, double value, Where at, const char *who, impError *err);
bool shape_check_lengths(const char *name, const double *value, int count, Where at,
                         const char *who, impError *err);

// polyhedron.c -- the lists that hull and mesh share.
impVec3 shape_farthest_vertex(const Shape *shape, const Geometry *g, impVec3 direction);
double shape_vertex_bounding_radius(const Shape *shape, const Geometry *g, impVec3 from);
// list: a T **
bool shape_reserve(Pool *pool, void *list, int *room, int count, int more, size_t each);
bool shape_geometry_reserve(Geometry *g, Pool *pool, int vertices, int loops, int faces);
bool shape_check_points(const impVec3 *points, int count, Where at, const char *who, impError *err);

// rounded.c -- a polytope core with a radius; r = 0 is the core itself, to the last bit.
// corner: that of the core
impVec3 shape_rounded_support(impVec3 corner, double r, impVec3 direction);
// r > 0; edges as features.c makes them
Solid shape_rounded_solid(const Shape *shape, const Geometry *g, Solid core);
bool shape_box_check_radius(const double *size, double radius, Where at, const char *who,
                            impError *err);

// The two builders behind shape_build_points.
typedef struct PointList {
    const impVec3 *points;
    int point_count;
    const int32_t *faces;  // impShapeDef's coding, or NULL
    int face_ints;
} PointList;
bool shape_hull_build(Shape *shape, Geometry *g, Pool *pool, PointList list, Where at,
                      const char *who, impError *err);
bool shape_mesh_build(Shape *shape, Geometry *g, Pool *pool, PointList list, Where at,
                      const char *who, impError *err);

// integrals.c -- the same sums over polygonal faces, each cut into a fan.
Solid shape_integrate_faces(const impVec3 *vertex, const int32_t *loop, const Face *face,
                            int face_count);

// surface.c -- half edges in the order of (lower vertex, higher vertex), equal ones in the order
// they came: two passes of counting sort, so that the work is linear whatever the mesh. order and
// spare hold count, start vertex_count + 1.
void shape_sort_edges(const int32_t *tail, const int32_t *head, int count, int vertex_count,
                      int32_t *order, int32_t *spare, int32_t *start);

// polytope.c -- a convex polytope from loops that bound one.
// closed, oriented, nearly convex; faces may be cut into pieces
typedef struct Soup {
    const impVec3 *point;
    int point_count;
    const int32_t *loop, *first;  // face f: loop[first[f] .. first[f + 1])
    int face_count;
} Soup;
typedef struct Polytope {
    impVec3 *vertex;  // in lexicographic order
    int32_t *loop;
    Face *face;  // face.first counts from the polytope's own loop
    int vertex_count, loop_count, face_count;
} Polytope;
typedef enum PolytopeFlaw {
    POLYTOPE_SOUND,
    POLYTOPE_NO_MEMORY,
    POLYTOPE_OPEN,    // an edge that is not used once in each sense
    POLYTOPE_TANGLED  // not one simple convex piece
} PolytopeFlaw;
typedef struct PolytopeReport {
    PolytopeFlaw flaw;
    int face, edge[2];  // POLYTOPE_OPEN: of the soup, and its points
    double tolerance;   // m: what counted as flat
} PolytopeReport;
// m: how flat faces that are given must be
double shape_polytope_tolerance(const impVec3 *point, int count);
// m: what rounding makes of a flat one
double shape_polytope_finest(const impVec3 *point, int count);
PolytopeReport shape_polytope(Polytope *out, Pool *pool, const Soup *soup);
// smallest of three widths over the largest
double shape_flatness(const impVec3 *point, int count, int *dimension);
