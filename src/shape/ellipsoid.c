// ellipsoid.c -- a ball stretched along its own axes, given by its three semi-axes.
//
// Moments: m (b^2 + c^2) / 5. Support: A^2 d / |A d|. The farthest point from an
// arbitrary place has no closed form, so reach is exact from the centre and an upper bound
// elsewhere: the smaller of the enclosing ball's and the enclosing box's.
//
// SPDX-License-Identifier: MIT
#include "shape/kinds.h"

bool shape_ellipsoid_check(const double *size, Where at, const char *who, impError *err) {
    return shape_check_lengths("semi_axes", size, 3, at, who, err);
}

Solid shape_ellipsoid_solid(const Shape *shape, const Geometry *g) {
    (void)g;
    double a = shape->size[0];
    double b = shape->size[1];
    double c = shape->size[2];
    double m = 4.0 / 3 * PI * a * b * c;
    Mat3 i = mat3_diagonal(m * (b * b + c * c) / 5, m * (c * c + a * a) / 5,
                           m * (a * a + b * b) / 5);
    return (Solid){ .volume = m, .inertia = i };
}

impVec3 shape_ellipsoid_support(const Shape *shape, const Geometry *g, impVec3 direction) {
    (void)g;
    const double *a = shape->size;
    impVec3 stretched = vec(a[0] * direction.x, a[1] * direction.y, a[2] * direction.z);
    double length = norm(stretched);
    if (!(length > 0)) return vec(0, 0, a[2]);
    return vec(a[0] * (stretched.x / length), a[1] * (stretched.y / length),
               a[2] * (stretched.z / length));
}

double shape_ellipsoid_bounding_radius(const Shape *shape, const Geometry *g, impVec3 from) {
    (void)g;
    const double *a = shape->size;
    double ball = norm(from) + largest(vec(a[0], a[1], a[2]));
    double box = norm(vec(fabs(from.x) + a[0], fabs(from.y) + a[1], fabs(from.z) + a[2]));
    return ball < box ? ball : box;
}

double shape_ellipsoid_smallest_extent(const Shape *shape, const Geometry *g) {
    (void)g;
    double ab = shape->size[0] < shape->size[1] ? shape->size[0] : shape->size[1];
    return 2 * (ab < shape->size[2] ? ab : shape->size[2]);
}
