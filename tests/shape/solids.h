// solids.h -- surfaces to test against: shapes cut into triangles, and small polyhedra.
//
// A surface of revolution is cut into n sectors, and its profile into about n pieces; its integrals
// then miss those of the true solid by a series in 1/n^2, of which combining n and 2n removes the
// first term (Richardson).
//
// SPDX-License-Identifier: MIT
#pragma once
#include "shape/shape.h"
#include "test.h"

// nine numbers a triangle
typedef struct Soup9 {
    double *corner;
    int count;
} Soup9;

static inline void put_corner(double *to, impVec3 v) {
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

static inline void put_triangle9(Soup9 *s, impVec3 a, impVec3 b, impVec3 c) {
    // full at every power of two
    if ((s->count & (s->count - 1)) == 0) {
        s->corner = realloc(s->corner, sizeof(double) * 9 * (s->count ? 2 * (size_t)s->count : 1));
    }
    put_corner(s->corner + 9 * s->count, a);
    put_corner(s->corner + 9 * s->count + 3, b);
    put_corner(s->corner + 9 * s->count + 6, c);
    s->count++;
}

// Profile point (radius x, height z), sector j of n.
static inline impVec3 around(impVec3 rz, int j, int n, impVec3 stretch) {
    SinCos rotation = num_sincos_turns((double)(j % n) / n);
    return vec(rz.x * rotation.cos * stretch.x, rz.x * rotation.sin * stretch.y, rz.z * stretch.z);
}

// profile: from the top of the axis to its bottom.
static inline void put_revolved(Soup9 *s, const impVec3 *profile, int count, int n,
                                impVec3 stretch) {
    for (int i = 0; i + 1 < count; i++) {
        for (int j = 0; j < n; j++) {
            impVec3 a = around(profile[i], j, n, stretch);
            impVec3 b = around(profile[i + 1], j, n, stretch);
            impVec3 c = around(profile[i + 1], j + 1, n, stretch);
            impVec3 d = around(profile[i], j + 1, n, stretch);
            if (profile[i + 1].x > 0) {
                put_triangle9(s, a, b, c);
            }
            if (profile[i].x > 0) {
                put_triangle9(s, a, c, d);
            }
        }
    }
}

static const double cube_points[8][3] = {
    { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 },
    { 0, 0, 1 }, { 1, 0, 1 }, { 1, 1, 1 }, { 0, 1, 1 },
};
static const int32_t cube_quads[6][4] = {
    { 0, 3, 2, 1 }, { 4, 5, 6, 7 }, { 0, 1, 5, 4 }, { 1, 2, 6, 5 }, { 2, 3, 7, 6 }, { 3, 0, 4, 7 },
};

static inline impVec3 cube_point(int i) {
    return vec(cube_points[i][0], cube_points[i][1], cube_points[i][2]);
}

// The unit cube, moved and stretched: 12 triangles.
static inline void put_cube(Soup9 *s, impVec3 at, double size) {
    for (int q = 0; q < 6; q++) {
        impVec3 v[4];
        for (int k = 0; k < 4; k++) {
            v[k] = madd(at, size, cube_point(cube_quads[q][k]));
        }
        put_triangle9(s, v[0], v[1], v[2]);
        put_triangle9(s, v[0], v[2], v[3]);
    }
}

// uniform on the sphere
static inline impVec3 random_direction(uint64_t stream, uint64_t draw) {
    double z = 2 * num_uniform(7, stream, 2 * draw) - 1;
    double r = sqrt(1 - z * z);
    SinCos rotation = num_sincos_turns(num_uniform(7, stream, 2 * draw + 1));
    return vec(r * rotation.cos, r * rotation.sin, z);
}

static inline void near_solid(Solid a, Solid b, double relative) {
    double size = fabs(b.volume);
    double length = norm(b.center) + sqrt(trace(b.inertia) / size);
    NEAR(a.volume, b.volume, relative * size);
    for (int k = 0; k < 3; k++) {
        NEAR(component(a.center, k), component(b.center, k), relative * length);
        impVec3 x = k == 0 ? a.inertia.x : k == 1 ? a.inertia.y : a.inertia.z;
        impVec3 y = k == 0 ? b.inertia.x : k == 1 ? b.inertia.y : b.inertia.z;
        for (int l = 0; l < 3; l++) {
            NEAR(component(x, l), component(y, l), relative * trace(b.inertia));
        }
    }
}
