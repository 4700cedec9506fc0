// polyhedron.c -- what hulls and meshes share: lists of vertices and faces in one Geometry, and how
// flat a set of points is.
//
// Questions to a list of vertices are answered by testing all of them; callers that ask often
// (collide/) walks along edges instead. Of equally far vertices the first in the list wins.
//
// SPDX-License-Identifier: MIT
#include "shape/kinds.h"

#include <limits.h>
#include <string.h>

impVec3 shape_farthest_vertex(const Shape *shape, const Geometry *g, impVec3 direction) {
    const impVec3 *vertex = g->vertex + shape->first_vertex;
    int best = 0;
    double farthest = -HUGE_VAL;
    if (zero3(direction)) {
        direction = vec(0, 0, 1);
    }
    for (int i = 0; i < shape->vertex_count; i++) {
        double along = dot(direction, vertex[i]);
        if (along > farthest) {
            farthest = along;
            best = i;
        }
    }
    return vertex[best];
}

double shape_vertex_bounding_radius(const Shape *shape, const Geometry *g, impVec3 from) {
    const impVec3 *vertex = g->vertex + shape->first_vertex;
    double farthest = 0;
    for (int i = 0; i < shape->vertex_count; i++) {
        impVec3 arm = sub(vertex[i], from);
        if (dot(arm, arm) > farthest) {
            farthest = dot(arm, arm);
        }
    }
    return sqrt(farthest);
}

// --- Room in a Geometry --------------------------------------------------------------------------

bool shape_reserve(Pool *pool, void *list, int *room, int count, int more, size_t each) {
    if (more <= *room - count) return true;
    if (more > INT_MAX - count) return false;
    int wanted = count + more;
    int twice = *room > INT_MAX / 2 ? INT_MAX : 2 * *room;
    if (twice > wanted) {
        wanted = twice;
    }
    void *old;
    void *fresh = pool_take(pool, (size_t)wanted, each);
    if (!fresh) return false;
    memcpy(&old, list, sizeof old);
    if (count > 0) {
        memcpy(fresh, old, (size_t)count * each);
    }
    memcpy(list, &fresh, sizeof fresh);
    *room = wanted;
    return true;
}

bool shape_geometry_reserve(Geometry *g, Pool *pool, int vertices, int loops, int faces) {
    return shape_reserve(pool, &g->vertex, &g->vertex_room, g->vertex_count, vertices,
                         sizeof *g->vertex) &&
           shape_reserve(pool, &g->loop, &g->loop_room, g->loop_count, loops, sizeof *g->loop) &&
           shape_reserve(pool, &g->face, &g->face_room, g->face_count, faces, sizeof *g->face);
}

// --- Points as they are given --------------------------------------------------------------------

static bool check_point(impVec3 p, int i, Where at, const char *who, impError *err) {
    const char *rule = "it must be finite";
    if (finite3(p) && largest(p) <= SHAPE_LARGEST) return true;
    if (finite3(p)) {
        rule = "coordinates must lie within 1e7 m of the origin";
    }
    return fail(err, at, "%s: point %d [%s, %s, %s] m; %s", who, i, show(p.x).text, show(p.y).text,
                show(p.z).text, rule);
}

static double extent_of(const impVec3 *point, int count) {
    impVec3 low = point[0];
    impVec3 high = point[0];
    for (int i = 1; i < count; i++) {
        low = lower(low, point[i]);
        high = upper(high, point[i]);
    }
    return largest(sub(high, low));
}

// A size of zero is left to the caller, which says more about it.
bool shape_check_points(const impVec3 *points, int count, Where at, const char *who,
                        impError *err) {
    bool good = true;
    for (int i = 0; i < count; i++) {
        if (!check_point(points[i], i, at, who, err)) {
            good = false;
        }
    }
    if (!good || count == 0) return good;
    double extent = extent_of(points, count);
    if (extent == 0 || extent >= SHAPE_SMALLEST) return true;
    return fail(err, at, "%s: its points lie within %s m; a shape must measure at least 1e-7 m",
                who, show(extent).text);
}

typedef enum Span { FROM_POINT, FROM_LINE, FROM_PLANE } Span;

// The farthest of the points from a point a, from a line through a along u, or from a plane through
// a square to u.
static double far_from(Span span, const impVec3 *point, int count, impVec3 a, impVec3 u,
                       int *which) {
    double farthest = -1;
    for (int i = 0; i < count; i++) {
        impVec3 arm = sub(point[i], a);
        double far = span == FROM_POINT  ? norm(arm)
                     : span == FROM_LINE ? norm(cross(arm, u))
                                         : fabs(dot(arm, u));
        if (far > farthest) {
            farthest = far;
            *which = i;
        }
    }
    return farthest;
}

// 2^-22: coordinates of single precision, as in STL files, are off by up to 2^-24 of their size,
// and a few such errors must not pass for a thickness. A plate of a millionth of its length is
// still a solid.
static const double too_flat = 1.0 / (1 << 22);

// Spans a tetrahedron greedily: the farthest point from the first one, from the line, from the
// plane. Its height over its longest side is, up to a small factor, the points' least width over
// their greatest.
double shape_flatness(const impVec3 *point, int count, int *dimension) {
    int b = 0, c = 0, d = 0;
    *dimension = 0;
    double length = far_from(FROM_POINT, point, count, point[0], vec(0, 0, 0), &b);
    if (length == 0) return 0;
    impVec3 along = scale(1 / length, sub(point[b], point[0]));
    *dimension = 1;
    double width = far_from(FROM_LINE, point, count, point[0], along, &c);
    if (width <= too_flat * length) return 0;
    impVec3 normal = cross(along, sub(point[c], point[0]));
    *dimension = 2;
    double height = far_from(FROM_PLANE, point, count, point[0], scale(1 / norm(normal), normal),
                             &d);
    if (height <= too_flat * length) return 0;
    *dimension = 3;
    return height / length;
}
