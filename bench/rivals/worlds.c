// worlds.c -- the four worlds that are compared.
//
//   FUNNEL   1000 cubes with random rotations fall into four slabs that stand at 45 degrees
//   PILE     5000 spheres fall into a box
//   PYRAMID  210 cubes in 20 rows
//   TOWER    30 cubes
//
// SPDX-License-Identifier: MIT
#include "rivals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

static RivalsWorld world_of(int most, double friction, double restitution, double h,
                            double duration) {
    RivalsWorld world = { .friction = friction,
                          .restitution = restitution,
                          .h = h,
                          .duration = duration,
                          .body = calloc((size_t)most, sizeof *world.body) };
    if (!world.body) {
        fprintf(stderr, "rivals: no memory\n");
        exit(1);
    }
    return world;
}

void rivals_free(RivalsWorld *world) {
    free(world->body);
    world->body = NULL;
}

static impPose upright(double x, double y, double z) {
    return (impPose){ { x, y, z }, { 1, 0, 0, 0 } };
}

static void add_box(RivalsWorld *world, impPose pose, impVec3 half, double mass) {
    world->body[world->count++] = (RivalsBody){ .half = half, .mass = mass, .pose = pose };
}

static void add_cube(RivalsWorld *world, impPose pose) {
    add_box(world, pose, (impVec3){ 0.5, 0.5, 0.5 }, 1);
}

// linear congruential generator of 64 bits, the upper 53 as a fraction
static double draw(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

// uniform over all rotations: Shoemake 1992
static impQuat draw_rotation(uint64_t *seed) {
    double share = draw(seed);
    double first = 2 * PI * draw(seed);
    double second = 2 * PI * draw(seed);
    double lower = sqrt(1 - share);
    double upper = sqrt(share);
    return (impQuat){ lower * sin(first), lower * cos(first), upper * sin(second),
                      upper * cos(second) };
}

typedef struct SinCos {
    double sin, cos;
} SinCos;

// The slab's inner face is a square of 20 m by 34 m; its lower edge is 6 m from the axis, 10 m
// high.
static impPose slab_pose(int side) {
    double across = 6 + 10.5 * sqrt(0.5);
    double half_tilt = PI / 8;
    double half_yaw = side * PI / 4;
    SinCos tilt = { sin(half_tilt), cos(half_tilt) };
    SinCos yaw = { sin(half_yaw), cos(half_yaw) };
    impPose pose = { .at.z = 10 + 9.5 * sqrt(0.5) };
    pose.at.x = across * cos(2 * half_yaw);
    pose.at.y = across * sin(2 * half_yaw);
    pose.rotation = (impQuat){ yaw.cos * tilt.cos, -yaw.sin * tilt.sin, yaw.cos * tilt.sin,
                               yaw.sin * tilt.cos };
    return pose;
}

RivalsWorld rivals_funnel(uint64_t seed) {
    enum { SIDE = 10, SLABS = 4 };
    const double pitch = 1.75;
    RivalsWorld world = world_of(SLABS + SIDE * SIDE * SIDE, 0.1, 0.48, 1e-3, 6);
    for (int i = 0; i < SLABS; i++) {
        add_box(&world, slab_pose(i), (impVec3){ 0.5, 17, 10 }, 0);
    }
    for (int n = 0; n < SIDE * SIDE * SIDE; n++) {
        int column = n % SIDE;
        int row = n / SIDE % SIDE;
        int layer = n / SIDE / SIDE;
        impPose pose = { .at = { (column - 4.5) * pitch, (row - 4.5) * pitch,
                                 17.5 + layer * pitch } };
        pose.rotation = draw_rotation(&seed);
        add_cube(&world, pose);
    }
    return world;
}

RivalsWorld rivals_pile(void) {
    enum { SIDE = 16, BALLS = 5000, WALLS = 4 };
    uint64_t seed = 777;
    RivalsWorld world = world_of(WALLS + BALLS, 0.5, 0, 1.0 / 240, 5);
    for (int i = 0; i < WALLS; i++) {
        double at = i < 2 ? 2.5 : -2.5;
        if (i % 2 == 0) {
            add_box(&world, upright(at, 0, 5), (impVec3){ 0.5, 3, 5 }, 0);
        } else {
            add_box(&world, upright(0, at, 5), (impVec3){ 3, 0.5, 5 }, 0);
        }
    }
    for (int n = 0; n < BALLS; n++) {
        double x = (n % SIDE - 7.5) * 0.24 + 0.02 * (draw(&seed) - 0.5);
        double y = (n / SIDE % SIDE - 7.5) * 0.24 + 0.02 * (draw(&seed) - 0.5);
        double z = 0.5 + 0.25 * (n / (SIDE * SIDE));
        world.body[world.count++] =
            (RivalsBody){ .radius = 0.1, .mass = 4.18879, .pose = upright(x, y, z) };
    }
    return world;
}

RivalsWorld rivals_pyramid(void) {
    enum { ROWS = 20 };
    RivalsWorld world = world_of(ROWS * ROWS, 0.6, 0, 1.0 / 60, 10);
    for (int row = 0; row < ROWS; row++) {
        for (int i = 0; i < ROWS - row; i++) {
            add_cube(&world, upright((i - (ROWS - 1 - row) / 2.0) * 1.1, 0, 0.5 + row));
        }
    }
    return world;
}

RivalsWorld rivals_tower(void) {
    enum { ROWS = 30 };
    RivalsWorld world = world_of(ROWS, 0.6, 0, 1.0 / 60, 10);
    for (int row = 0; row < ROWS; row++) {
        add_cube(&world, upright(0, 0, 0.5 + row));
    }
    return world;
}
