// mat3.h -- 3x3 matrices by rows: rotations, inertias, and the symmetric eigenproblem's frame.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "num/vec.h"

// rows
typedef struct Mat3 {
    impVec3 x, y, z;
} Mat3;

static inline Mat3 mat3(impVec3 x, impVec3 y, impVec3 z) {
    Mat3 m;
    m.x = x;
    m.y = y;
    m.z = z;
    return m;
}
static inline Mat3 mat3_diagonal(double a, double b, double c) {
    return mat3(vec(a, 0, 0), vec(0, b, 0), vec(0, 0, c));
}
static inline impVec3 mul(Mat3 m, impVec3 a) { return vec(dot(m.x, a), dot(m.y, a), dot(m.z, a)); }
// transpose times a
static inline impVec3 mul_t(Mat3 m, impVec3 a) {
    return vec(m.x.x * a.x + m.y.x * a.y + m.z.x * a.z, m.x.y * a.x + m.y.y * a.y + m.z.y * a.z,
               m.x.z * a.x + m.y.z * a.y + m.z.z * a.z);
}
static inline Mat3 transpose(Mat3 m) {
    return mat3(vec(m.x.x, m.y.x, m.z.x), vec(m.x.y, m.y.y, m.z.y), vec(m.x.z, m.y.z, m.z.z));
}
static inline Mat3 mat3_add(Mat3 a, Mat3 b) {
    return mat3(add(a.x, b.x), add(a.y, b.y), add(a.z, b.z));
}
static inline Mat3 mat3_scale(double s, Mat3 a) {
    return mat3(scale(s, a.x), scale(s, a.y), scale(s, a.z));
}
static inline Mat3 mat3_mul(Mat3 a, Mat3 b) {
    return mat3(mul_t(b, a.x), mul_t(b, a.y), mul_t(b, a.z));
}
static inline Mat3 outer(impVec3 a, impVec3 b) {
    return mat3(scale(a.x, b), scale(a.y, b), scale(a.z, b));
}
static inline double trace(Mat3 a) { return a.x.x + a.y.y + a.z.z; }
static inline double determinant(Mat3 a) { return dot(a.x, cross(a.y, a.z)); }
static inline Mat3 skew(impVec3 a) {
    return mat3(vec(0, -a.z, a.y), vec(a.z, 0, -a.x), vec(-a.y, a.x, 0));
}
// R A R^T: a tensor given in the axes that R turns into ours.
static inline Mat3 rotated(Mat3 r, Mat3 a) { return mat3_mul(mat3_mul(r, a), transpose(r)); }
// Inverse by cofactors. The caller knows that m is well away from singular.
static inline Mat3 inverse(Mat3 m) {
    impVec3 a = cross(m.y, m.z);
    impVec3 b = cross(m.z, m.x);
    impVec3 c = cross(m.x, m.y);
    return mat3_scale(1 / dot(m.x, a), transpose(mat3(a, b, c)));
}

// dense.c -- Jacobi's method: moments[] and a rotation whose COLUMNS are the axes, A = R
// diag(moments) R^T. A diagonal A gives the identity and its own diagonal, untouched; moments are
// not sorted. Right-handed always.
Mat3 eigen_symmetric(Mat3 a, double moments[3]);
// Gaussian elimination with pivots; false: singular
bool solve3(Mat3 a, impVec3 b, impVec3 *x);
