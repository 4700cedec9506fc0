// broad.c -- the broad phase costs as much for each of 100,000 bodies as for each of 1000.
//
// A loose pile at fixed density, every body moving in every frame; the pairs are kept up to date.
// What is left of growth is the machine's memory: 100,000 bodies do not fit its caches. The goal is
// for bodies numbered along the scene, as scenes number their rows; numbered in no order, every
// look at a neighbour is a cache miss.
//
// SPDX-License-Identifier: MIT
#include "bench.h"

#include "collide/collide.h"

static uint64_t draws;
static double uniform(double low, double high) {
    return low + (high - low) * num_uniform(20260104, 4, draws++);
}
static impVec3 somewhere(double s) {
    double x = uniform(-s, s);
    double y = uniform(-s, s);
    double z = uniform(-s, s);
    return vec(x, y, z);
}
// whole cache lines
static void *lines(size_t bytes) {
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!memory) {
        stop("broad: memory", NULL);
    }
    return memory;
}

typedef struct Crowd {
    int n;
    impVec3 space, *at, *speed;
    double *half;
    Box *box;
    Broad broad;
    void *memory;
} Crowd;

// seconds
static double crowd_frame(Crowd *c) {
    for (int i = 0; i < c->n; i++) {
        impVec3 s = vec(c->half[i], c->half[i], c->half[i]);
        impVec3 *at = &c->at[i];
        *at = add(*at, c->speed[i]);
        bool out = fabs(at->x) > c->space.x || fabs(at->y) > c->space.y || fabs(at->z) > c->space.z;
        if (out) {
            c->speed[i] = neg(c->speed[i]);
        }
        c->box[i] = (Box){ sub(*at, s), add(*at, s) };
    }
    double start = cpu_seconds();
    for (int i = 0; i < c->n; i++) {
        collide_broad_set(&c->broad, i, c->box[i], MOTION_DYNAMIC);
    }
    if (!collide_broad_update(&c->broad)) {
        stop("broad: full", NULL);
    }
    return cpu_seconds() - start;
}

// A loose pile: boxes of sides 0.5 to 1.5, 1.5 m^3 a body; each frame moves every body by some
// 0.05. They fill a channel of 10 m by 10 m, long enough: then the share of those at a wall, who
// have less to do, is the same for all n. Numbered along the channel, as scenes number their rows,
// or in no order at all.
static Crowd crowd_new(int n, bool in_rows) {
    size_t count = (size_t)n;
    Crowd c = { n,
                vec(0.0075 * n, 5, 5),
                malloc(count * sizeof(impVec3)),
                malloc(count * sizeof(impVec3)),
                malloc(count * sizeof(double)),
                malloc(count * sizeof(Box)),
                { 0 },
                lines(collide_broad_size(n, 8 * n)) };
    for (int i = 0; i < n; i++) {
        double along = in_rows ? 2 * (i + 0.5) / n - 1 : uniform(-1, 1);
        double x = uniform(-0.5, 0.5);
        double y = uniform(-5, 5);
        double z = uniform(-5, 5);
        c.at[i] = vec(c.space.x * along + x, y, z);
        c.speed[i] = somewhere(0.05);
        c.half[i] = uniform(0.25, 0.75);
    }
    c.broad = collide_broad_init(c.memory, n, 8 * n);
    for (int i = 0; i < 3; i++) {
        crowd_frame(&c);
    }
    return c;
}

// seconds a body and frame
static double crowd_time(Crowd *c, int frames) {
    double sum = 0;
    for (int i = 0; i < frames; i++) {
        sum += crowd_frame(c);
    }
    return sum / frames / c->n;
}

static void free_crowd(Crowd *c) {
    free(c->at);
    free(c->speed);
    free(c->half);
    free(c->box);
    free(c->memory);
}

static double median(double *t, int count) {
    for (int i = 1; i < count; i++) {
        for (int k = i; k > 0 && t[k] < t[k - 1]; k--) {
            double swap = t[k];
            t[k] = t[k - 1];
            t[k - 1] = swap;
        }
    }
    return t[count / 2];
}

// Other programs share the caches: the sizes take turns, so that they share the trouble; of several
// rounds the best.
static double growth_of(bool in_rows) {
    enum { TURNS = 5, ROUNDS = 4 };
    static const int count[] = { 1000, 10000, 100000 };
    double best[3] = { HUGE_VAL, HUGE_VAL, HUGE_VAL };
    Crowd c[3];
    for (int k = 0; k < 3; k++) {
        c[k] = crowd_new(count[k], in_rows);
    }
    printf("numbered %s: %.2f pairs a body, %.2f changes a frame\n",
           in_rows ? "in rows" : "in no order", 1e-5 * c[2].broad.count,
           1e-5 * (c[2].broad.added_count + c[2].broad.removed_count));
    for (int round = 0; round < ROUNDS; round++) {
        double t[3][TURNS], m[3];
        for (int rotation = 0; rotation < TURNS; rotation++) {
            for (int k = 0; k < 3; k++) {
                t[k][rotation] = crowd_time(&c[k], 100000 / c[k].n);
            }
        }
        for (int k = 0; k < 3; k++) {
            m[k] = median(t[k], TURNS);
        }
        for (int k = 0; k < 3; k++) {
            best[k] = m[k] < best[k] ? m[k] : best[k];
        }
        printf("    %.0f, %.0f, %.0f ns a body and frame: growth from 1e3 to 1e5 bodies %.2f\n",
               1e9 * m[0], 1e9 * m[1], 1e9 * m[2], m[2] / m[0]);
    }
    for (int k = 0; k < 3; k++) {
        free_crowd(&c[k]);
    }
    return best[2] / best[0];
}

int main(void) {
    double rows = growth_of(true);
    double scattered = growth_of(false);
    int missed = row("time a body, 1e5 against 1e3, numbered in rows", rows, "x", 1.5);
    row("the same, numbered in no order", scattered, "x", 0);
    return missed;
}
