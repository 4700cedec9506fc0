// vec.h -- three doubles and the verbs between them.
//
// By value: a line reads like the equation and nothing can alias. Common subset of C17 and C++20,
// so that a GPU compiler takes this file as it is.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "impel/impel.h"

#include <math.h>

// The C library's fmax and fmin may answer +0 or -0 as they like: these do not. Where neither is
// larger, the second.
static inline double max2(double a, double b) { return a > b ? a : b; }
static inline double min2(double a, double b) { return a < b ? a : b; }

static inline impVec3 vec(double x, double y, double z) {
    impVec3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}
static inline impVec3 add(impVec3 a, impVec3 b) { return vec(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline impVec3 sub(impVec3 a, impVec3 b) { return vec(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline impVec3 neg(impVec3 a) { return vec(-a.x, -a.y, -a.z); }
static inline impVec3 scale(double s, impVec3 a) { return vec(s * a.x, s * a.y, s * a.z); }
static inline impVec3 madd(impVec3 a, double s, impVec3 b) {
    return vec(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
static inline double dot(impVec3 a, impVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline impVec3 cross(impVec3 a, impVec3 b) {
    return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double norm(impVec3 a) { return sqrt(dot(a, a)); }
static inline impVec3 lower(impVec3 a, impVec3 b) {
    return vec(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}
static inline impVec3 upper(impVec3 a, impVec3 b) {
    return vec(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}
static inline double component(impVec3 a, int axis) {
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}
// of the magnitudes
static inline double largest(impVec3 a) {
    double x = fabs(a.x);
    double y = fabs(a.y);
    double z = fabs(a.z);
    double xy = x > y ? x : y;
    return xy > z ? xy : z;
}
static inline bool finite3(impVec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }
static inline bool zero3(impVec3 a) { return a.x == 0 && a.y == 0 && a.z == 0; }
// Some unit vector perpendicular to unit a, by the axis that a leans on least.
static inline impVec3 perpendicular(impVec3 a) {
    double x = fabs(a.x);
    double y = fabs(a.y);
    double z = fabs(a.z);
    impVec3 e = x <= y && x <= z ? vec(1, 0, 0) : y <= z ? vec(0, 1, 0) : vec(0, 0, 1);
    impVec3 p = cross(a, e);
    return scale(1 / norm(p), p);
}
