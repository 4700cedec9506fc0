// capsule.c -- all points within a radius of a segment of the z axis, whose middle is the origin.
//
// The length is that of the segment, between the centres of the two half balls. Moments by the
// parallel axis theorem for a half ball, whose centre of volume lies 3/8 R above its flat side
//:
//     J_zz = m_c R^2 / 2 + 2/5 m_b R^2
//     J_xx = m_c (3 R^2 + L^2) / 12 + m_b (2/5 R^2 + L^2 / 4 + 3/8 L R)
// with m_c the cylinder's share and m_b that of both half balls.
//
// SPDX-License-Identifier: MIT
#include "shape/kinds.h"

bool shape_capsule_check(const double *size, Where at, const char *who, impError *err) {
    bool radius = shape_check_length("radius", size[0], at, who, err);
    return shape_check_length("length", size[1], at, who, err) && radius;
}

Solid shape_capsule_solid(const Shape *shape, const Geometry *g) {
    (void)g;
    double r = shape->size[0];
    double l = shape->size[1];
    double cylinder = PI * r * r * l;
    double balls = 4.0 / 3 * PI * r * r * r;
    double along = cylinder * r * r / 2 + 0.4 * balls * r * r;
    double across = cylinder * (3 * r * r + l * l) / 12 +
                    balls * (0.4 * r * r + l * l / 4 + 0.375 * l * r);
    return (Solid){ .volume = cylinder + balls, .inertia = mat3_diagonal(across, across, along) };
}

impVec3 shape_capsule_support(const Shape *shape, const Geometry *g, impVec3 direction) {
    double end = direction.z >= 0 ? shape->size[1] / 2 : -shape->size[1] / 2;
    // a segment plus a ball
    return add(vec(0, 0, end), shape_sphere_support(shape, g, direction));
}

double shape_capsule_bounding_radius(const Shape *shape, const Geometry *g, impVec3 from) {
    (void)g;
    return norm(vec(from.x, from.y, fabs(from.z) + shape->size[1] / 2)) + shape->size[0];
}

double shape_capsule_smallest_extent(const Shape *shape, const Geometry *g) {
    (void)g;
    return 2 * shape->size[0];
}
