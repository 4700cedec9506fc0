// vec2.h -- vectors in a plane: two doubles and the verbs between them.
//
// SPDX-License-Identifier: MIT
#pragma once
#include <math.h>

typedef struct Vec2 {
    double x, y;
} Vec2;

static inline Vec2 vec2(double x, double y) {
    Vec2 v;
    v.x = x;
    v.y = y;
    return v;
}
static inline Vec2 sub2(Vec2 a, Vec2 b) { return vec2(a.x - b.x, a.y - b.y); }
static inline Vec2 scale2(double s, Vec2 a) { return vec2(s * a.x, s * a.y); }
static inline Vec2 madd2(Vec2 a, double s, Vec2 b) { return vec2(a.x + s * b.x, a.y + s * b.y); }
static inline double dot2(Vec2 a, Vec2 b) { return a.x * b.x + a.y * b.y; }
static inline double cross2(Vec2 a, Vec2 b) { return a.x * b.y - a.y * b.x; }
static inline double norm2(Vec2 a) { return sqrt(dot2(a, a)); }
// Twice the signed area of the triangle a, b, c: positive if c is to the left of the line from a to
// b.
static inline double area2(Vec2 a, Vec2 b, Vec2 c) { return cross2(sub2(b, a), sub2(c, a)); }
