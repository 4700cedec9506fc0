// box.c -- a brick along its own axes, given by its full lengths, with the origin in its middle;
// sharp or rounded.
//
// Moments: m (b^2 + c^2) / 12. A corner is chosen by the signs of the direction, and zero counts as
// positive, so that the answer is one corner and always the same one. Rounded by a radius, the
// lengths are still those of the whole, and the core is shorter by twice the radius; its moments
// are (3) of rounded.c with the sums of a brick.
//
// SPDX-License-Identifier: MIT
#include "shape/kinds.h"

bool shape_box_check(const double *size, Where at, const char *who, impError *err) {
    return shape_check_lengths("size", size, 3, at, who, err);
}

// The core is a box like any other, so it has a least size, too.
bool shape_box_check_radius(const double *size, double radius, Where at, const char *who,
                            impError *err) {
    int least = size[0] <= size[1] && size[0] <= size[2] ? 0 : size[1] <= size[2] ? 1 : 2;
    if (size[least] - 2 * radius >= SHAPE_SMALLEST) return true;
    return fail(
        err, at,
        "%s: radius %s m; it must be less than half of size[%d], %s m, and leave 1e-7 m between",
        who, show(radius).text, least, show(size[least]).text);
}

// int x^2 over a rounded brick whose core has length a along x, and b, c across.
static double along_one(double a, double b, double c, double r) {
    double flat = a * a * a * b * c / 12 + r * (a * a * b * c / 2 + a * a * a * (b + c) / 6) +
                  r * r * a * b * c + r * r * r * (4 * a * (b + c) + 2 * b * c) / 3;
    double round = a * a * a / 12 + a * a * (b + c) / 4 + r * a * a / 3 +
                   r * r * (2 * a + b + c) / 4 + 4 * r * r * r / 15;
    return flat + PI * r * r * round;
}

static Solid rounded(double a, double b, double c, double r) {
    double flat = a * b * c + 2 * r * (a * b + b * c + c * a);
    double round = a + b + c + 4 * r / 3;
    double x = along_one(a, b, c, r);
    double y = along_one(b, c, a, r);
    double z = along_one(c, a, b, r);
    return (Solid){ .volume = flat + PI * r * r * round,
                    .inertia = mat3_diagonal(y + z, z + x, x + y) };
}

Solid shape_box_solid(const Shape *shape, const Geometry *g) {
    (void)g;
    double a = shape->size[0];
    double b = shape->size[1];
    double c = shape->size[2];
    double m = a * b * c;
    double r = shape->radius;
    if (r > 0) return rounded(a - 2 * r, b - 2 * r, c - 2 * r, r);
    Mat3 i = mat3_diagonal(m * (b * b + c * c) / 12, m * (c * c + a * a) / 12,
                           m * (a * a + b * b) / 12);
    return (Solid){ .volume = m, .inertia = i };
}

static double toward(double sign, double half) { return sign >= 0 ? half : -half; }

impVec3 shape_box_support(const Shape *shape, const Geometry *g, impVec3 direction) {
    (void)g;
    double r = shape->radius;
    impVec3 corner = vec(toward(direction.x, shape->size[0] / 2 - r),
                         toward(direction.y, shape->size[1] / 2 - r),
                         toward(direction.z, shape->size[2] / 2 - r));
    return shape_rounded_support(corner, r, direction);
}

// the farthest corner
double shape_box_bounding_radius(const Shape *shape, const Geometry *g, impVec3 from) {
    (void)g;
    const double *size = shape->size;
    double r = shape->radius;
    impVec3 half = vec(size[0] / 2 - r, size[1] / 2 - r, size[2] / 2 - r);
    return norm(vec(fabs(from.x) + half.x, fabs(from.y) + half.y, fabs(from.z) + half.z)) + r;
}

double shape_box_smallest_extent(const Shape *shape, const Geometry *g) {
    (void)g;
    double ab = shape->size[0] < shape->size[1] ? shape->size[0] : shape->size[1];
    return ab < shape->size[2] ? ab : shape->size[2];
}
