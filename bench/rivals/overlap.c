// overlap.c -- by how much the bodies of a world overlap, from their poses alone.
//
// Boxes by their 15 separating axes, spheres by the closest point; the ground by the lowest point.
// Candidates come from bounding boxes sorted along x.
//
// SPDX-License-Identifier: MIT
#include "rivals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// 1: edges as parallel as this have no common perpendicular
#define PARALLEL 1e-9

typedef struct Placed {
    int body;
    double axis[3][3];  // axis[i]: the body's i-th axis, world
    double at[3], half[3], radius;
    double low[3], high[3];
} Placed;

struct RivalsJudge {
    const RivalsWorld *world;
    Placed *placed;
};

RivalsJudge *rivals_judge(const RivalsWorld *world) {
    RivalsJudge *judge = malloc(sizeof *judge);
    Placed *placed = calloc((size_t)world->count, sizeof *placed);
    if (!judge || !placed) {
        fprintf(stderr, "rivals: no memory\n");
        exit(1);
    }
    for (int i = 0; i < world->count; i++) {
        placed[i].body = i;
    }
    *judge = (RivalsJudge){ world, placed };
    return judge;
}

void rivals_judge_free(RivalsJudge *judge) {
    free(judge->placed);
    free(judge);
}

static double dot3(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross3(const double *a, const double *b, double *out) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void set_axes(Placed *p, impQuat q) {
    double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    double w = q.w / length;
    double v[3] = { q.x / length, q.y / length, q.z / length };
    for (int i = 0; i < 3; i++) {
        double unit[3] = { i == 0, i == 1, i == 2 };
        double once[3], twice[3];
        cross3(v, unit, once);
        cross3(v, once, twice);
        for (int k = 0; k < 3; k++) {
            p->axis[i][k] = unit[k] + 2 * (w * once[k] + twice[k]);
        }
    }
}

// half of the extent along a direction
static double reach(const Placed *p, const double *direction) {
    double sum = p->radius;
    for (int i = 0; i < 3; i++) {
        sum += p->half[i] * fabs(dot3(p->axis[i], direction));
    }
    return sum;
}

static void place(Placed *p, const RivalsBody *body, impPose pose) {
    const double at[3] = { pose.at.x, pose.at.y, pose.at.z };
    const double half[3] = { body->half.x, body->half.y, body->half.z };
    bool sphere = body->radius > 0;
    p->radius = body->radius;
    set_axes(p, pose.rotation);
    for (int k = 0; k < 3; k++) {
        p->at[k] = at[k];
        p->half[k] = sphere ? 0 : half[k];
    }
    for (int k = 0; k < 3; k++) {
        const double world_axis[3] = { k == 0, k == 1, k == 2 };
        double extent = reach(p, world_axis);
        p->low[k] = at[k] - extent;
        p->high[k] = at[k] + extent;
    }
}

// Lowers the overlap to that along a direction of any length. False: apart there.
static bool lower(const Placed *a, const Placed *b, const double *direction, double *overlap) {
    double length = sqrt(dot3(direction, direction));
    if (length < PARALLEL) return true;
    double between[3];
    for (int k = 0; k < 3; k++) {
        between[k] = b->at[k] - a->at[k];
    }
    double along = reach(a, direction) + reach(b, direction) - fabs(dot3(between, direction));
    *overlap = fmin(*overlap, along / length);
    return along > 0;
}

static double overlap_of_boxes(const Placed *a, const Placed *b) {
    double overlap = HUGE_VAL;
    for (int i = 0; i < 3; i++) {
        if (!lower(a, b, a->axis[i], &overlap)) return 0;
        if (!lower(a, b, b->axis[i], &overlap)) return 0;
    }
    for (int i = 0; i < 9; i++) {
        double normal[3];
        cross3(a->axis[i / 3], b->axis[i % 3], normal);
        if (!lower(a, b, normal, &overlap)) return 0;
    }
    return overlap;
}

static double overlap_of_spheres(const Placed *a, const Placed *b) {
    double between[3];
    for (int k = 0; k < 3; k++) {
        between[k] = b->at[k] - a->at[k];
    }
    return a->radius + b->radius - sqrt(dot3(between, between));
}

static double overlap_in_box(const Placed *sphere, const Placed *box) {
    double between[3], outside = 0, inside = HUGE_VAL;
    for (int k = 0; k < 3; k++) {
        between[k] = sphere->at[k] - box->at[k];
    }
    for (int i = 0; i < 3; i++) {
        double beyond = fabs(dot3(between, box->axis[i])) - box->half[i];
        inside = fmin(inside, -beyond);
        outside += beyond > 0 ? beyond * beyond : 0;
    }
    return sphere->radius + (outside > 0 ? -sqrt(outside) : inside);
}

static double overlap_of(const Placed *a, const Placed *b) {
    if (a->radius > 0 && b->radius > 0) return overlap_of_spheres(a, b);
    if (a->radius > 0) return overlap_in_box(a, b);
    if (b->radius > 0) return overlap_in_box(b, a);
    return overlap_of_boxes(a, b);
}

static int by_low_x(const void *left, const void *right) {
    double a = ((const Placed *)left)->low[0];
    double b = ((const Placed *)right)->low[0];
    return (a > b) - (a < b);
}

static void count(RivalsOverlap *all, double overlap) {
    if (!(overlap > 0)) return;
    all->worst = fmax(all->worst, overlap);
    all->sum += overlap;
    all->pairs++;
}

RivalsOverlap rivals_overlap(RivalsJudge *judge, const impPose *pose) {
    const RivalsWorld *world = judge->world;
    Placed *placed = judge->placed;
    RivalsOverlap all = { 0 };
    for (int i = 0; i < world->count; i++) {
        place(&placed[i], &world->body[placed[i].body], pose[placed[i].body]);
    }
    qsort(placed, (size_t)world->count, sizeof *placed, by_low_x);
    for (int i = 0; i < world->count; i++) {
        const Placed *a = &placed[i];
        bool free_a = world->body[a->body].mass > 0;
        if (free_a) {
            count(&all, -a->low[2]);
        }
        for (int j = i + 1; j < world->count && placed[j].low[0] < a->high[0]; j++) {
            const Placed *b = &placed[j];
            if (b->low[1] > a->high[1] || b->high[1] < a->low[1]) continue;
            if (b->low[2] > a->high[2] || b->high[2] < a->low[2]) continue;
            if (free_a || world->body[b->body].mass > 0) {
                count(&all, overlap_of(a, b));
            }
        }
    }
    return all;
}
