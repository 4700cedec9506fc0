// sphere.c -- all points within a radius of the origin.
//
// Moments: 2/5 m R^2 (any textbook). Nothing is left out: a sphere is exact, never
// faceted.
//
// SPDX-License-Identifier: MIT
#include "shape/kinds.h"

bool shape_sphere_check(const double *size, Where at, const char *who, impError *err) {
    return shape_check_length("radius", size[0], at, who, err);
}

Solid shape_sphere_solid(const Shape *shape, const Geometry *g) {
    (void)g;
    double r = shape->size[0];
    double m = 4.0 / 3 * PI * r * r * r;
    double i = 0.4 * m * r * r;
    return (Solid){ .volume = m, .inertia = mat3_diagonal(i, i, i) };
}

impVec3 shape_sphere_support(const Shape *shape, const Geometry *g, impVec3 direction) {
    (void)g;
    double r = shape->size[0];
    double length = norm(direction);
    if (!(length > 0)) return vec(0, 0, r);
    return vec(r * (direction.x / length), r * (direction.y / length), r * (direction.z / length));
}

double shape_sphere_bounding_radius(const Shape *shape, const Geometry *g, impVec3 from) {
    (void)g;
    return norm(from) + shape->size[0];
}

double shape_sphere_smallest_extent(const Shape *shape, const Geometry *g) {
    (void)g;
    return 2 * shape->size[0];
}
