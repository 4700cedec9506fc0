// cone.c -- a round cone along the z axis: the origin in the middle of its base, the apex at
// +height.
//
// Centre of volume H/4 above the base; about it 3/10 m R^2 along the axis, m (3/20 R^2 + 3/80 H^2)
// across. The support map is the better of the apex and the rim;
// where both are equally far, the apex.
//
// SPDX-License-Identifier: MIT
#include "shape/kinds.h"

bool shape_cone_check(const double *size, Where at, const char *who, impError *err) {
    bool radius = shape_check_length("radius", size[0], at, who, err);
    return shape_check_length("height", size[1], at, who, err) && radius;
}

Solid shape_cone_solid(const Shape *shape, const Geometry *g) {
    (void)g;
    double r = shape->size[0];
    double h = shape->size[1];
    double m = PI * r * r * h / 3;
    double across = m * (3.0 / 20 * r * r + 3.0 / 80 * h * h);
    return (Solid){ .volume = m,
                    .center = vec(0, 0, h / 4),
                    .inertia = mat3_diagonal(across, across, 0.3 * m * r * r) };
}

impVec3 shape_cone_support(const Shape *shape, const Geometry *g, impVec3 direction) {
    (void)g;
    double flat = sqrt(direction.x * direction.x + direction.y * direction.y);
    double r = shape->size[0];
    double h = shape->size[1];
    if (h * direction.z >= r * flat) return vec(0, 0, h);
    // straight down the whole base is farthest: its middle
    if (!(flat > 0)) return vec(0, 0, 0);
    return vec(r * (direction.x / flat), r * (direction.y / flat), 0);
}

double shape_cone_bounding_radius(const Shape *shape, const Geometry *g, impVec3 from) {
    (void)g;
    double flat = sqrt(from.x * from.x + from.y * from.y) + shape->size[0];
    double rim = sqrt(flat * flat + from.z * from.z);
    double apex = norm(sub(vec(0, 0, shape->size[1]), from));
    return rim > apex ? rim : apex;
}

// With H and R, in a direction at angle t to the axis, the width is max(H cos t, R sin t) + R sin
// t. It is smallest either along the axis or square to the side, where both terms are R H /
// sqrt(R^2 + H^2).
double shape_cone_smallest_extent(const Shape *shape, const Geometry *g) {
    (void)g;
    double r = shape->size[0];
    double h = shape->size[1];
    double across = 2 * r * h / sqrt(r * r + h * h);
    return across < h ? across : h;
}
