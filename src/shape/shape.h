// shape.h -- the door of shape/: what bodies are made of, their volumes and their extents.
//
// A shape is a row of `shape_kinds`, up to four measures, and a pose in its body's frame. Kinds
// that are made of points (hull, mesh) keep them in one Geometry per model: flat lists, indices, no
// pointers from shape to shape. A new kind is a file of this room and a row in kinds.c.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "base/base.h"
#include "num/num.h"

// Convex polyhedra and triangle surfaces share these lists. A face is a loop of vertices,
// counter-clockwise from outside, with its plane: normal . x = offset, normal of length 1, in the
// shape's frame. A mesh has triangles only. loop[first .. first + count)
typedef struct Face {
    int32_t first, count;
    impVec3 normal;
    double offset;
} Face;
// An edge runs along the loop of its left face and against that of its right face. Edges of a
// polytope without faces (a capsule's core) have none: -1. out_left is the unit normal of the edge
// in the plane of the left face, pointing away from it: the Voronoi plane between edge and face
// [Mirtich98].
typedef struct Edge {
    int32_t tail, head, left, right;
    impVec3 direction;  // unit, tail to head
    double length;
    impVec3 out_left, out_right;
} Edge;
// A tree of boxes over the triangles of a mesh, depth first: the first child follows its node, the
// second is `first`, and a search that skips what is below a node goes on at `next`. A leaf holds
// count > 0 triangles, leaf[first .. first + count).
typedef struct TreeNode {
    impVec3 low, high;
    int32_t next, first, count;
} TreeNode;
// of density 1, about the centre of volume, in the shape's frame
typedef struct Solid {
    double volume;  // 0: encloses nothing (plane, open mesh)
    impVec3 center;
    Mat3 inertia;
} Solid;

typedef struct Geometry {
    impVec3 *vertex;
    int32_t *loop;  // indices into vertex, counted from the shape's first_vertex
    Face *face;
    int vertex_count, loop_count, face_count;
    int vertex_room, loop_room, face_room;
    // features.c: what a walk over a polytope needs; all indices count from the shape's own first
    Edge *edge;
    int32_t *loop_edge;          // beside loop: the edge from this vertex of the face to the next
    int32_t *ring, *ring_first;  // edges at each vertex; vertex v's are ring[ring_first[v] ..
                                 // ring_first[v + 1])
    int edge_count, edge_room, ring_count, ring_room, ring_first_count, ring_first_room,
        loop_edge_room;
    // tree.c: what a search over a mesh needs; node and leaf indices count from the shape's own
    // first
    TreeNode *node;
    int32_t *leaf;  // triangles in the order of the tree
    int32_t *twin;  // beside leaf, 3 each: side s of triangle t, from corner s to the next, is
    int node_count, node_room, leaf_count, leaf_room, twin_room;  //   3 t + s; whose other half is
                                                                  //   twin, or TWIN_...
    Solid *solid;  // of hulls that stand for a mesh: the mesh
    int solid_count, solid_room;
} Geometry;
// the border of an open surface; an edge of three or more triangles
enum { TWIN_NONE = -1, TWIN_MANY = -2 };

typedef struct Shape {
    int kind;       // row of shape_kinds
    bool core;      // has a polytope core (point, segment, polytope)
    double radius;  // core plus radius: ball, capsule, rounded box or hull; else 0
    double size[4];
    impPose pose;  // in the body's frame
    int material;
    int first_vertex, vertex_count, first_face, face_count;
    bool closed;                             // mesh: bounds a solid, as shape_build_points found
    int first_edge, edge_count, first_ring;  // of its core, where that is a polytope; first_ring:
                                             // in ring_first
    impVec3 low, high;                       // its box in its own frame; unbounded: infinite
    int first_node, node_count, first_leaf;  // of a mesh's tree; twins start at 3 first_leaf
    int own_solid;  // 1 + its number in Geometry.solid: not that of its kind; 0: none
} Shape;
// what every look at a shape asks for
enum { SHAPE_FRONT = offsetof(Shape, closed) };

typedef struct Measure {
    const char *name;
    int count;
} Measure;

typedef struct ShapeKind {
    const char *name;
    Measure measures[2];           // in the order of size[]; name NULL: no more
    bool points, bounded, rounds;  // made of points; has a finite size; may be given a rounding
    bool (*check)(const double *size, Where at, const char *who, impError *err);  // who: "body
                                                                                  // 'ball': sphere"
    Solid (*solid)(const Shape *shape, const Geometry *g);
    impVec3 (*support)(const Shape *shape, const Geometry *g, impVec3 direction);  // farthest
                                                                                   // point, shape's
                                                                                   // frame
    double (*bounding_radius)(const Shape *shape, const Geometry *g, impVec3 from);  // no point is
                                                                                     // farther from
                                                                                     // `from`
    double (*smallest_extent)(const Shape *shape, const Geometry *g);  // smallest extent, m; 0:
                                                                       // unknown
    const char *about, *source;
    int flat_ends;  // circles of radius size[0] square to z: one at z = 0, or two at -+ size[1] / 2
} ShapeKind;

extern const ShapeKind shape_kinds[];
extern const int shape_kind_count;
// its row: facets of meshes are made by the million
enum { SHAPE_BOX = 1, SHAPE_HULL = 7 };
int shape_find(const char *kind);  // -1: unknown
// The rounding of a shape, 0 for none: may its kind have one, and of that size?
bool shape_check_radius(const Shape *shape, double radius, Where at, const char *who,
                        impError *err);

// Fills in a shape's polyhedron from points (and faces, in impShapeDef's coding, or NULL): hull.c,
// mesh.c. For a hull the faces are found by qhull or taken as given, merged where coplanar, put in
// canonical order, and checked: convex, closed, all points inside, V - E + F = 2. The shape's pose
// is untouched.
bool shape_build_points(Shape *shape, Geometry *g, Pool *pool, const impVec3 *points,
                        int point_count, const int32_t *faces, int face_ints, Where at,
                        const char *who, impError *err);

// mesh.c -- a hull (shape->kind) that stands for a surface of triangles: it touches by the convex
// hull of the surface and weighs what the surface encloses, which is nothing if it is open.
typedef struct MeshHull {
    bool closed;
    int open_edges, crowded_edges;
} MeshHull;
bool shape_build_mesh_hull(Shape *shape, Geometry *g, Pool *pool, const impShapeDef *def, Where at,
                           const char *who, MeshHull *found, impError *err);

// features.c -- the core of a shape as a polytope with edges and rings: point, segment, box, hull.
// Other kinds have none.
bool shape_build_core(Shape *shape, Geometry *g, Pool *pool, impError *err);

// tree.c -- the box of any shape; of a mesh the tree of its triangles and their neighbours.
bool shape_build_tree(Shape *shape, Geometry *g, Pool *pool, impError *err);
// The same kind of tree over `count` bounded shapes of one body, boxes in the body's frame; leaves
// hold their numbers. node_count 0: there is none
typedef struct PieceTree {
    int first_node, node_count, first_leaf;
} PieceTree;
bool shape_build_pieces(const Shape *shape, int count, Geometry *g, Pool *pool, PieceTree *out,
                        impError *err);
// A walk over the triangles that may matter, without stack or callback: start with { 0 }, go on
// until -1. The box or the reach of the ray may shrink between calls, never grow.
typedef struct TreeCursor {
    int32_t node, in_leaf;
} TreeCursor;
int shape_tree_box(const Shape *mesh, const Geometry *g, impVec3 low, impVec3 high, TreeCursor *at);
// inverse: 1 / direction, by component
typedef struct TreeRay {
    impVec3 from, inverse;
    double most;
} TreeRay;
int shape_tree_ray(const Shape *mesh, const Geometry *g, const TreeRay *ray, TreeCursor *at);
// its 3 vertices
static inline const int32_t *shape_triangle(const Shape *mesh, const Geometry *g, int triangle) {
    return g->loop + g->face[mesh->first_face + triangle].first;
}
static inline int shape_twin(const Shape *mesh, const Geometry *g, int half) {
    return g->twin[3 * mesh->first_leaf + half];
}

// in the BODY's frame: pose applied
Solid shape_solid(const Shape *shape, const Geometry *g);
// in the body's frame
void shape_box(const Shape *shape, const Geometry *g, impVec3 *low, impVec3 *high);
// from in the body's frame
double shape_bounding_radius(const Shape *shape, const Geometry *g, impVec3 from);

// integrals.c -- volume, centre and inertia of a closed surface of triangles, by exact surface
// integrals [Mirtich96], in the form of tetrahedra. Sums are compensated and in the order of the
// list. A surface that is inside out has a negative volume (and inertia); one of no volume at all
// gives zeros.
Solid shape_integrate(const impVec3 *vertex, const int32_t *triangle, int triangle_count);

// surface.c -- triangles as they come from a file: welded by exact bits, degenerate ones dropped,
// edges counted, turned outside-out where consistently inverted.
typedef struct Surface {
    impVec3 *vertex;
    int32_t *triangle;  // three indices each
    int32_t *origin;    // of each triangle its number as given
    int vertex_count, triangle_count;
    int dropped, first_dropped[5];  // triangles of no area
    bool needs_slivers;  // closed by some of those: they are listed behind triangle_count,
    int sliver_count, sliver_vertices;  //   and vertices of theirs alone behind vertex_count
    int open_edges, crowded_edges, shells;
    int bad_edge[2];              // vertices of the first open or crowded edge; -1
    bool closed, flipped, mixed;  // mixed: neighbours disagree about outside
    double area;
    Solid solid;  // when closed
} Surface;
// corner: 9 doubles a triangle. Takes memory from pool.
bool shape_weld(Surface *out, Pool *pool, const double *corner, int triangle_count, impError *err);

// shells.c -- the connected pieces of a closed surface, by their first triangles.
typedef struct Shell {
    int first, triangles;  // its first triangle; how many it has
    double volume;         // negative: inside out
    bool cavity;           // inside out, and inside another shell
    impVec3 low, high;
} Shell;
// Of an open surface there are none.
bool shape_shells(const Surface *s, Pool *pool, Shell **out, int *count, impError *err);
