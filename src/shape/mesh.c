// mesh.c -- a surface of triangles as it is: the ground of a scene, or a solid when it is closed.
//
// The triangles go through surface.c like those of a file: equal points become one, triangles of no
// area are dropped, a closed surface that is inside out is turned. Neighbours that disagree about
// outside are refused, since contact normals would flip from triangle to triangle. Open surfaces
// are allowed and have no volume.
//
// A hull may stand for a surface: contact is that of the convex hull, volume, centre and inertia
// are those of the surface.
//
// SPDX-License-Identifier: MIT
#include "shape/kinds.h"

#include <limits.h>
#include <string.h>

static bool check_triangle(const PointList *list, int triangle, Where at, const char *who,
                           impError *err) {
    const int32_t *ints = list->faces + 4 * (size_t)triangle;
    if (ints[0] != 3) {
        return fail(err, at, "%s: face %d has %d points; a mesh is made of triangles", who,
                    triangle, (int)ints[0]);
    }
    for (int k = 1; k <= 3; k++) {
        if (ints[k] >= 0 && ints[k] < list->point_count) continue;
        return fail(err, at, "%s: face %d names point %d; there are %d, counted from 0", who,
                    triangle, (int)ints[k], list->point_count);
    }
    return true;
}

static bool check_list(const PointList *list, Where at, const char *who, impError *err) {
    if (!list->points || list->point_count < 3 || !list->faces) {
        return fail(err, at, "%s: %d points and %d faces; a mesh needs both", who,
                    list->point_count, list->face_ints / 4);
    }
    if (!shape_check_points(list->points, list->point_count, at, who, err)) return false;
    for (int i = 0; 4 * i < list->face_ints - 3; i++) {
        // the coding is lost from here on
        if (!check_triangle(list, i, at, who, err)) return false;
    }
    if (list->face_ints % 4 == 0) return true;
    return fail(err, at, "%s: its faces end within a triangle", who);
}

static double *corners_of(const PointList *list, Pool *scratch) {
    int triangles = list->face_ints / 4;
    double *corner = POOL_TAKE(scratch, double, 9 * (size_t)triangles);
    double *to = corner;
    for (int i = 0; corner && i < triangles; i++) {
        for (int k = 1; k <= 3; k++) {
            impVec3 p = list->points[list->faces[4 * (size_t)i + (size_t)k]];
            *to++ = p.x;
            *to++ = p.y;
            *to++ = p.z;
        }
    }
    return corner;
}

static bool check_surface(const Surface *s, Where at, const char *who, impError *err) {
    if (s->triangle_count == 0)
        return fail(err, at, "%s: none of its %d triangles has an area", who, s->dropped);
    if (!s->mixed) return true;
    return fail(err, at, "%s: neighbouring triangles disagree about which side is outside", who);
}

static Face face_of(const Surface *s, int triangle, int first) {
    const int32_t *t = s->triangle + 3 * (size_t)triangle;
    impVec3 a = s->vertex[t[0]];
    impVec3 n = cross(sub(s->vertex[t[1]], a), sub(s->vertex[t[2]], a));
    n = scale(1 / norm(n), n);
    return (Face){ .first = first, .count = 3, .normal = n, .offset = dot(n, a) };
}

static bool store(Shape *shape, Geometry *g, Pool *pool, const Surface *s) {
    if (!shape_geometry_reserve(g, pool, s->vertex_count, 3 * s->triangle_count, s->triangle_count))
        return false;
    shape->first_vertex = g->vertex_count;
    shape->vertex_count = s->vertex_count;
    shape->first_face = g->face_count;
    shape->face_count = s->triangle_count;
    shape->closed = s->closed;
    memcpy(g->vertex + g->vertex_count, s->vertex, sizeof *s->vertex * (size_t)s->vertex_count);
    memcpy(g->loop + g->loop_count, s->triangle,
           3 * sizeof *s->triangle * (size_t)s->triangle_count);
    for (int i = 0; i < s->triangle_count; i++) {
        g->face[g->face_count + i] = face_of(s, i, g->loop_count + 3 * i);
    }
    g->vertex_count += s->vertex_count;
    g->loop_count += 3 * s->triangle_count;
    g->face_count += s->triangle_count;
    return true;
}

static bool weld_list(Surface *surface, Pool *scratch, const PointList *list, impError *err) {
    double *corner = corners_of(list, scratch);
    return corner ? shape_weld(surface, scratch, corner, list->face_ints / 4, err)
                  : fail_memory(err);
}

bool shape_mesh_build(Shape *shape, Geometry *g, Pool *pool, PointList list, Where at,
                      const char *who, impError *err) {
    if (!check_list(&list, at, who, err)) return false;
    Pool scratch = { 0 };
    Surface surface;
    bool built = weld_list(&surface, &scratch, &list, err) && check_surface(&surface, at, who, err);
    if (built && !store(shape, g, pool, &surface)) {
        built = fail_memory(err);
    }
    pool_free(&scratch);
    return built;
}

// --- A hull that stands for a surface ------------------------------------------------------------

// An open surface keeps a solid of no volume: its hull encloses more than it does.
static bool store_solid(Shape *shape, Geometry *g, Pool *pool, const Surface *s) {
    if (!shape_reserve(pool, &g->solid, &g->solid_room, g->solid_count, 1, sizeof *g->solid))
        return false;
    g->solid[g->solid_count] = s->closed ? s->solid : (Solid){ .volume = 0 };
    g->solid_count++;
    shape->own_solid = g->solid_count;
    return true;
}

bool shape_build_mesh_hull(Shape *shape, Geometry *g, Pool *pool, const impShapeDef *def, Where at,
                           const char *who, MeshHull *found, impError *err) {
    PointList list = { def->points, def->point_count, def->face_ints > 0 ? def->faces : NULL,
                       def->face_ints };
    Pool scratch = { 0 };
    Surface s = { 0 };
    bool built = check_list(&list, at, who, err) && weld_list(&s, &scratch, &list, err);
    if (built && s.triangle_count == 0) {
        built = fail(err, at, "%s: none of its %d triangles has an area", who, s.dropped);
    }
    // the hull of the vertices that carry an area
    PointList corners = { .points = s.vertex, .point_count = s.vertex_count };
    built = built && shape_hull_build(shape, g, pool, corners, at, who, err);
    if (built && !store_solid(shape, g, pool, &s)) {
        built = fail_memory(err);
    }
    *found = (MeshHull){ .closed = s.closed,
                         .open_edges = s.open_edges,
                         .crowded_edges = s.crowded_edges };
    pool_free(&scratch);
    return built;
}

// --- The row in kinds.c --------------------------------------------------------------------------

// its points say it all
bool shape_mesh_check(const double *size, Where at, const char *who, impError *err) {
    (void)size;
    (void)at;
    (void)who;
    (void)err;
    return true;
}

Solid shape_mesh_solid(const Shape *shape, const Geometry *g) {
    if (!shape->closed) return (Solid){ .volume = 0 };
    return shape_integrate_faces(g->vertex + shape->first_vertex, g->loop,
                                 g->face + shape->first_face, shape->face_count);
}

impVec3 shape_mesh_support(const Shape *shape, const Geometry *g, impVec3 direction) {
    return shape_farthest_vertex(shape, g, direction);
}

double shape_mesh_bounding_radius(const Shape *shape, const Geometry *g, impVec3 from) {
    return shape_vertex_bounding_radius(shape, g, from);
}

// of a surface: not known
double shape_mesh_smallest_extent(const Shape *shape, const Geometry *g) {
    (void)shape;
    (void)g;
    return 0;
}
