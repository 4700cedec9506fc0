// box.c -- a brick along its own axes, given by its full lengths, with the origin in its middle.
//
// Moments: m (b^2 + c^2) / 12. A corner is chosen by the signs of the direction, and zero counts as positive, so that
// the answer is one corner and always the same one.
//
// SPDX-License-Identifier: MIT
#include "shape/kinds.h"

bool shape_box_check(const double *size, Where at, const char *who, impError *err) {
    return shape_check_lengths("size", size, 3, at, who, err);
}

Solid shape_box_solid(const Shape *shape, const Geometry *g) {
    (void)g;
    double a = shape->size[0], b = shape->size[1], c = shape->size[2], m = a * b * c;
    Mat3 i = mat3_diagonal(m * (b * b + c * c) / 12, m * (c * c + a * a) / 12, m * (a * a + b * b) / 12);
    return (Solid){.volume = m, .inertia = i};
}

static double toward(double sign, double length) { return sign >= 0 ? length / 2 : -length / 2; }

impVec3 shape_box_support(const Shape *shape, const Geometry *g, impVec3 direction) {
    (void)g;
    return vec(toward(direction.x, shape->size[0]), toward(direction.y, shape->size[1]),
               toward(direction.z, shape->size[2]));
}

double shape_box_reach(const Shape *shape, const Geometry *g, impVec3 from) {   // the farthest corner
    (void)g;
    const double *size = shape->size;
    return norm(vec(fabs(from.x) + size[0] / 2, fabs(from.y) + size[1] / 2, fabs(from.z) + size[2] / 2));
}

double shape_box_thinnest(const Shape *shape, const Geometry *g) {
    (void)g;
    double ab = shape->size[0] < shape->size[1] ? shape->size[0] : shape->size[1];
    return ab < shape->size[2] ? ab : shape->size[2];
}
