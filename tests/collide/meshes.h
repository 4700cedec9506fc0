// meshes.h -- surfaces to collide with: hills, flat floors, a cube and a ring cut into triangles.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "test.h"

#include "collide/near.h"

static impError err;
static uint64_t draws;
static inline double uniform(double low, double high) {
    return low + (high - low) * num_uniform(20260104, 2, draws++);
}
// One draw a declarator: arguments and initializers are evaluated in any order.
static inline impQuat random_turn(void) {
    double a = uniform(0, 1);
    double b = uniform(0, 1);
    double c = uniform(0, 1);
    return num_random_rotation(a, b, c);
}
static inline impVec3 random_vec(double s) {
    double x = uniform(-s, s);
    double y = uniform(-s, s);
    double z = uniform(-s, s);
    return vec(x, y, z);
}
static inline impPose random_pose(double s) {
    impVec3 at = random_vec(s);
    impQuat rotation = random_turn();
    return pose(at, rotation);
}

typedef struct Triangles {
    impVec3 *point;
    int32_t *face;
    int points, faces;
} Triangles;

static inline void put_triangle(Triangles *t, impVec3 a, impVec3 b, impVec3 c) {
    impVec3 corner[3] = { a, b, c };
    t->point = realloc(t->point, sizeof *t->point * (size_t)(t->points + 3));
    t->face = realloc(t->face, sizeof *t->face * (size_t)(4 * t->faces + 4));
    t->face[4 * t->faces] = 3;
    for (int k = 0; k < 3; k++) {
        t->face[4 * t->faces + k + 1] = t->points;
        t->point[t->points++] = corner[k];
    }
    t->faces++;
}

static inline void put_quad(Triangles *t, impVec3 a, impVec3 b, impVec3 c, impVec3 d) {
    put_triangle(t, a, b, c);
    put_triangle(t, a, c, d);
}

static inline void free_triangles(Triangles *t) {
    free(t->point);
    free(t->face);
    *t = (Triangles){ 0 };
}

typedef impVec3 (*Place2)(double u, double v);

// counter-clockwise seen from where u x v points
static inline Triangles sheet(int n, int m, Place2 at) {
    Triangles t = { 0 };
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            double u = (double)i / n;
            double v = (double)j / m;
            double u1 = (i + 1.0) / n;
            double v1 = (j + 1.0) / m;
            put_quad(&t, at(u, v), at(u1, v), at(u1, v1), at(u, v1));
        }
    }
    return t;
}

static inline impVec3 at_flat(double u, double v) { return vec(8 * u - 4, 8 * v - 4, 0); }
static inline impVec3 at_hill(double u, double v) {
    double x = 6 * u - 3;
    double y = 6 * v - 3;
    return vec(x, y, 0.4 * num_sin(2 * x) * num_cos(1.5 * y));
}
// a torus; u and v close
static inline impVec3 at_ring(double u, double v) {
    SinCos a = num_sincos_turns(u == 1 ? 0 : u);
    SinCos b = num_sincos_turns(v == 1 ? 0 : v);
    double r = 1 + 0.4 * b.cos;
    return vec(r * a.cos, r * a.sin, 0.4 * b.sin);
}

// of the cube from -1 to 1
static inline impVec3 cube_side(int side, double u, double v) {
    u = 2 * u - 1;
    v = 2 * v - 1;
    impVec3 p = side % 2 ? vec(u, v, 1) : vec(v, u, -1);
    return side / 2 == 0 ? p : side / 2 == 1 ? vec(p.y, p.z, p.x) : vec(p.z, p.x, p.y);
}

// each side n by n
static inline Triangles cube(int n) {
    Triangles t = { 0 };
    for (int side = 0; side < 6; side++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double u = (double)i / n;
                double v = (double)j / n;
                double u1 = (i + 1.0) / n;
                double v1 = (j + 1.0) / n;
                put_quad(&t, cube_side(side, u, v), cube_side(side, u1, v), cube_side(side, u1, v1),
                         cube_side(side, u, v1));
            }
        }
    }
    return t;
}

static inline impShapeDef mesh_def(const Triangles *t) {
    return (impShapeDef){ .kind = "mesh",
                          .points = t->point,
                          .point_count = t->points,
                          .faces = t->face,
                          .face_ints = 4 * t->faces };
}

static inline impModel *model_of(impScene *scene) {
    impModel *m = impModel_Build(scene, &err);
    impScene_Free(scene);
    if (!m) {
        fail_msg("%s", err.message[0].text);
    }
    return m;
}

static inline Placed placed(const impModel *m, int body, int shape, impPose p) {
    const Shape *s = &m->shape[m->body[body].first_shape + shape];
    return (Placed){ s, &m->geometry, pose_mul(p, s->pose) };
}

// Least of the shape along a unit vector.
static inline double lowest(const Placed *p, impVec3 n) {
    impVec3 s = shape_kinds[p->shape->kind].support(p->shape, p->g,
                                                    unrotate(p->pose.rotation, neg(n)));
    return dot(n, place(p->pose, s));
}
