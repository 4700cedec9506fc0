// kinds.c -- the shapes this library knows. A new shape is a file of this room and a row here.
//
// Below the table: what holds for every kind, whatever its row says. A shape's pose in its body is
// applied here and nowhere else in this room.
//
// SPDX-License-Identifier: MIT
#include "shape/kinds.h"

#include <string.h>

#define ROW(kind)                                                                                  \
    shape_##kind##_check, shape_##kind##_solid, shape_##kind##_support,                            \
        shape_##kind##_bounding_radius, shape_##kind##_smallest_extent

const ShapeKind shape_kinds[] = {
    // name, measures, made of points, bounded, rounds, functions, about, source, flat ends
    { "sphere",
      { { "radius", 1 } },
      false,
      true,
      false,
      ROW(sphere),
      "all points within a radius of the origin",
      "",
      0 },
    { "box",
      { { "size", 3 } },
      false,
      true,
      true,
      ROW(box),
      "a brick: full lengths along its own axes; with a radius its edges and corners are round",
      "",
      0 },
    { "capsule",
      { { "radius", 1 }, { "length", 1 } },
      false,
      true,
      false,
      ROW(capsule),
      "all points within a radius of a segment along z; length between the centres of its ends",
      "",
      0 },
    { "cylinder",
      { { "radius", 1 }, { "height", 1 } },
      false,
      true,
      false,
      ROW(cylinder),
      "a round bar along z, the origin in its middle",
      "",
      2 },
    { "cone",
      { { "radius", 1 }, { "height", 1 } },
      false,
      true,
      false,
      ROW(cone),
      "a round cone along z, the origin in the middle of its base, the apex at +height",
      "",
      1 },
    { "ellipsoid",
      { { "semi_axes", 3 } },
      false,
      true,
      false,
      ROW(ellipsoid),
      "a ball stretched along its own axes",
      "",
      0 },
    { "plane",
      { { "normal", 3 }, { "offset", 1 } },
      false,
      false,
      false,
      ROW(plane),
      "everything below a plane: solid where normal . x <= offset",
      "",
      0 },
    [SHAPE_HULL] = { "hull",
                     { { NULL, 0 } },
                     true,
                     true,
                     true,
                     ROW(hull),
                     "the convex hull of points, with flat faces merged; with a radius all points "
                     "so near to it",
                     "Barber, Dobkin, Huhdanpaa 1996; Mirtich 1996",
                     0 },
    { "mesh",
      { { NULL, 0 } },
      true,
      true,
      false,
      ROW(mesh),
      "a surface of triangles; has a volume when closed",
      "Mirtich 1996",
      0 },
};
const int shape_kind_count = COUNT(shape_kinds);

int shape_find(const char *kind) {
    for (int i = 0; kind && i < shape_kind_count; i++) {
        if (strcmp(kind, shape_kinds[i].name) == 0) return i;
    }
    return -1;
}

static bool check_named(const char *name, double value, Where at, const char *who, impError *err) {
    if (!isfinite(value))
        return fail(err, at, "%s: %s %s m; it must be finite", who, name, show(value).text);
    if (value <= 0)
        return fail(err, at, "%s: %s %s m; it must be positive", who, name, show(value).text);
    if (value >= SHAPE_SMALLEST && value <= SHAPE_LARGEST) return true;
    return fail(err, at, "%s: %s %s m; it must lie between 1e-7 and 1e7 m", who, name,
                show(value).text);
}

bool shape_check_length(const char *name, double value, Where at, const char *who, impError *err) {
    return check_named(name, value, at, who, err);
}

bool shape_check_lengths(const char *name, const double *value, int count, Where at,
                         const char *who, impError *err) {
    bool good = true;
    for (int i = 0; i < count; i++) {
        char element[40];
        print_text(element, sizeof element, "%s[%d]", name, i);
        if (!check_named(element, value[i], at, who, err)) {
            good = false;
        }
    }
    return good;
}

bool shape_check_radius(const Shape *shape, double radius, Where at, const char *who,
                        impError *err) {
    const ShapeKind *kind = &shape_kinds[shape->kind];
    if (radius == 0) return true;
    if (!kind->rounds)
        return fail(err, at, "%s: rounded by a radius of %s m; only a box or a hull can be", who,
                    show(radius).text);
    if (!check_named("radius", radius, at, who, err)) return false;
    return strcmp(kind->name, "box") != 0 ||
           shape_box_check_radius(shape->size, radius, at, who, err);
}

bool shape_build_points(Shape *shape, Geometry *g, Pool *pool, const impVec3 *points,
                        int point_count, const int32_t *faces, int face_ints, Where at,
                        const char *who, impError *err) {
    PointList list = { points, point_count, face_ints > 0 ? faces : NULL, face_ints };
    bool hull = strcmp(shape_kinds[shape->kind].name, "hull") == 0;
    return (hull ? shape_hull_build : shape_mesh_build)(shape, g, pool, list, at, who, err);
}

Solid shape_solid(const Shape *shape, const Geometry *g) {
    bool given = shape->own_solid > 0;
    Solid own = given ? g->solid[shape->own_solid - 1] : shape_kinds[shape->kind].solid(shape, g);
    own.center = place(shape->pose, own.center);
    own.inertia = rotated(rotation(shape->pose.rotation), own.inertia);
    return own;
}

// along an axis of the body
static double farthest(const Shape *shape, const Geometry *g, impVec3 direction) {
    impVec3 point = shape_kinds[shape->kind].support(shape, g,
                                                     unrotate(shape->pose.rotation, direction));
    return dot(direction, place(shape->pose, point));
}

void shape_box(const Shape *shape, const Geometry *g, impVec3 *low, impVec3 *high) {
    *low = vec(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL);
    *high = neg(*low);
    if (!shape_kinds[shape->kind].bounded) return;
    *high = vec(farthest(shape, g, vec(1, 0, 0)), farthest(shape, g, vec(0, 1, 0)),
                farthest(shape, g, vec(0, 0, 1)));
    *low = vec(-farthest(shape, g, vec(-1, 0, 0)), -farthest(shape, g, vec(0, -1, 0)),
               -farthest(shape, g, vec(0, 0, -1)));
}

double shape_bounding_radius(const Shape *shape, const Geometry *g, impVec3 from) {
    impVec3 own = unrotate(shape->pose.rotation, sub(from, shape->pose.at));
    return shape_kinds[shape->kind].bounding_radius(shape, g, own);
}
