// cylinder.c -- a round bar along the z axis with flat ends and the origin in its middle.
//
// Moments: m R^2 / 2 along, m (3 R^2 + H^2) / 12 across. The support map is in
// docs/theory/collision-detection.md, section 2.
//
// SPDX-License-Identifier: MIT
#include "shape/kinds.h"

bool shape_cylinder_check(const double *size, Where at, const char *who, impError *err) {
    bool radius = shape_check_length("radius", size[0], at, who, err);
    return shape_check_length("height", size[1], at, who, err) && radius;
}

Solid shape_cylinder_solid(const Shape *shape, const Geometry *g) {
    (void)g;
    double r = shape->size[0];
    double h = shape->size[1];
    double m = PI * r * r * h;
    double across = m * (3 * r * r + h * h) / 12;
    return (Solid){ .volume = m, .inertia = mat3_diagonal(across, across, m * r * r / 2) };
}

impVec3 shape_cylinder_support(const Shape *shape, const Geometry *g, impVec3 direction) {
    (void)g;
    double flat = sqrt(direction.x * direction.x + direction.y * direction.y);
    double r = shape->size[0];
    double end = direction.z >= 0 ? shape->size[1] / 2 : -shape->size[1] / 2;
    // along the axis the whole end is farthest: its middle
    if (!(flat > 0)) return vec(0, 0, end);
    return vec(r * (direction.x / flat), r * (direction.y / flat), end);
}

// the far side of the far rim
double shape_cylinder_bounding_radius(const Shape *shape, const Geometry *g, impVec3 from) {
    (void)g;
    double flat = sqrt(from.x * from.x + from.y * from.y) + shape->size[0];
    double up = fabs(from.z) + shape->size[1] / 2;
    return sqrt(flat * flat + up * up);
}

// In a direction at angle t to the axis the width is 2 R sin t + H cos t: concave, so smallest at
// one of its ends.
double shape_cylinder_smallest_extent(const Shape *shape, const Geometry *g) {
    (void)g;
    return 2 * shape->size[0] < shape->size[1] ? 2 * shape->size[0] : shape->size[1];
}
