// impulse_interval.c -- an interval of a step: its length, its swept boxes, the first query of each
// pair.
//
// docs/theory/collision-detection.md, section 3. A step is cut into intervals, each with one set of
// swept boxes. Nearly all pairs are due when an interval begins: they are queried one after the
// other in the order of their bodies, as memory has them, and only events within the interval go
// into the heap.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

// Chosen for speed, without influence on the truth of the motion.
//
// intervals in the time in which a body falls by half of its bounding radius, on the average
#define INTERVALS_OF_FALL 3.0
// bounding radii that a body moves in an interval against the common centre of mass, on the average
#define RADII_OF_MOTION 2.5
// 1, of the interval: pairs that are due sooner are queried at its beginning
#define QUERIED_AT_ONCE 1e-3

// The length follows the scene and has no clock of its own: scaled by a power of two, all happens
// in as many intervals. The lengths that single bodies ask for are averaged, so that a tiny or fast
// one among many does not sweep the boxes of all.
double impulse_interval_length(const impModel *m, const Actor *actor) {
    const double g = norm(m->gravity);
    double mass = 0;
    double rate = 0;
    impVec3 momentum = vec(0, 0, 0);
    for (int i = 0; i < m->sizes.nfree; i++) {
        const Actor *a = &actor[m->free_body[i]];
        momentum = madd(momentum, a->body->mass, a->v);
        mass += a->body->mass;
    }
    for (int i = 0; i < m->sizes.nfree; i++) {
        const Actor *a = &actor[m->free_body[i]];
        double radius = a->body->bounding_radius;
        double speed = norm(madd(a->v, -1 / mass, momentum));
        if (a->body->shape_count > 0 && radius > 0) {
            rate += INTERVALS_OF_FALL * sqrt(g / radius) + speed / (RADII_OF_MOTION * radius);
        }
    }
    return rate > 0 ? m->sizes.nfree / rate : HUGE_VAL;
}

// The first query of each pair in the interval, in the order of bodies. A pair that was known in
// the last interval keeps its time: it is a bound for the flights of its two bodies, which go on as
// they were, or else the launch of one of them has made the pair due.
static void start_pairs(Pairs *pairs, const World *world, Journal *journal) {
    const impModel *m = world->settings.model;
    const Clock *clock = &world->clock;
    PairQueue *queue = &pairs->queue;
    const Broad *broad = &queue->broad;
    const double soon = clock->now + QUERIED_AT_ONCE * (clock->interval_end - clock->now);
    for (int k = 0; k < broad->count; k++) {
        Pair *pair = &queue->pair[broad->pair[k].slot];
        if (k + PREFETCH_AHEAD < broad->count) {
            const BroadPair *next = &broad->pair[k + PREFETCH_AHEAD];
            impulse_prefetch_pair(queue, &pairs->cache, next->slot);
            if (next->i != next[-1].i) {
                impulse_prefetch_body(&world->flights, m, next->i);
            }
            impulse_prefetch_body(&world->flights, m, next->j);
        }
        if (pair->time < soon) {
            impulse_start_pair(pairs, world, journal, pair);
        } else {
            impulse_schedule(queue, clock, pair, pair->time);
        }
    }
}

bool impulse_begin_interval(Pairs *pairs, World *world, Journal *journal, double from, double to) {
    world->clock.now = from;
    world->clock.interval_end = to;
    if (!impulse_begin_pairs(pairs, world, journal)) return false;
    start_pairs(pairs, world, journal);
    return true;
}
