// plane.c -- everything below a plane: solid where normal . x <= offset. The ground of most scenes.
//
// It has no end, hence no mass, no box and no smallest extent; the model makes the normal's length
// 1 and lets only bodies that never fall have one. The support function exists in one direction
// only; in all others the answer is the foot of the origin on the plane, which has no use.
//
// SPDX-License-Identifier: MIT
#include "shape/kinds.h"

bool shape_plane_check(const double *size, Where at, const char *who, impError *err) {
    impVec3 n = vec(size[0], size[1], size[2]);
    bool normal = finite3(n) && !zero3(n);
    bool offset = isfinite(size[3]);
    if (!normal) {
        fail(err, at, "%s: normal [%s, %s, %s]; it must be finite and not zero", who,
             show(n.x).text, show(n.y).text, show(n.z).text);
    }
    if (!offset) {
        fail(err, at, "%s: offset %s m; it must be finite", who, show(size[3]).text);
    }
    return normal && offset;
}

Solid shape_plane_solid(const Shape *shape, const Geometry *g) {
    (void)shape;
    (void)g;
    return (Solid){ .volume = 0 };
}

impVec3 shape_plane_support(const Shape *shape, const Geometry *g, impVec3 direction) {
    (void)g;
    (void)direction;
    return scale(shape->size[3], vec(shape->size[0], shape->size[1], shape->size[2]));
}

double shape_plane_bounding_radius(const Shape *shape, const Geometry *g, impVec3 from) {
    (void)shape;
    (void)g;
    (void)from;
    return HUGE_VAL;
}

double shape_plane_smallest_extent(const Shape *shape, const Geometry *g) {
    (void)shape;
    (void)g;
    return 0;
}
