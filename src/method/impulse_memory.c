// impulse_memory.c -- capacities of a step and its arrays, all taken at once from the arena.
//
// Each array is named in one place: the size of the scratch memory is found by taking the arrays
// from an arena that only counts.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

// Bodies of an island for which Newton's method has a matrix; larger islands are solved by sweeps.
enum { SOLVER_BODIES = 256 };

static Capacity capacity_of(const impModel *m) {
    int n = m->sizes.nfree;
    return (Capacity){ .pairs = 16 * n + 256,
                       .points = 1024 + 12 * (n < 2000 ? n : 2000),
                       .contacts = 256 * (n < 200 ? n : 200) + 2 * n + 49152,
                       .solver_bodies = n < SOLVER_BODIES ? n : SOLVER_BODIES };
}

static void take_flights(Flights *flights, const impModel *m, Arena *arena) {
    int n = m->body_count;
    flights->actor = TAKE(arena, Actor, n);
    flights->tumble = TAKE(arena, Tumble, n);
    flights->extent = TAKE(arena, Extent, m->shape_count);
    flights->waits_until = TAKE(arena, double, n);
    flights->lands_at = TAKE(arena, double, n);
    flights->woken = TAKE(arena, int, n);
}

// The broad phase lays its arrays out itself in one piece of memory. An arena starts each piece on
// a cache line (base.h), which is as aligned as any of them asks for.
static void take_queue(PairQueue *queue, int bodies, int pairs, Arena *arena) {
    char *broad = TAKE(arena, char, collide_broad_size(bodies, pairs));
    queue->pair = TAKE(arena, Pair, pairs);
    queue->heap = TAKE(arena, QueueEntry, pairs);
    queue->place = TAKE(arena, int32_t, pairs);
    queue->partners = TAKE(arena, int32_t, pairs);
    if (broad) {
        queue->broad = collide_broad_init(broad, bodies, pairs);
    }
}

static void take_cache(PairCache *cache, const impModel *m, int pairs, Arena *arena) {
    cache->start_feature_count = impulse_start_feature_count(m, pairs);
    cache->axis_count = impulse_axis_count(m, pairs);
    cache->narrow = TAKE(arena, NarrowCache, pairs);
    cache->axis = TAKE(arena, SeparatingAxis, (size_t)pairs * (size_t)cache->axis_count);
    cache->start_feature = TAKE(arena, StartFeature,
                                (size_t)pairs * (size_t)cache->start_feature_count);
}

static void take_island(Island *island, int bodies, const Capacity *capacity, Arena *arena) {
    island->member = TAKE(arena, int, bodies);
    island->island_index = TAKE(arena, int, bodies);
    island->mark = TAKE(arena, int, bodies);
    island->group = TAKE(arena, int, bodies);
    island->moved = TAKE(arena, int, bodies);
    island->body = TAKE(arena, MicrostepBody, bodies);
    island->before = TAKE(arena, MicrostepBody, bodies);
    island->last = TAKE(arena, MicrostepBody, bodies);
    island->predicted = TAKE(arena, PredictedMotion, bodies);
    island->contact_point = TAKE(arena, ContactPoint, capacity->points);
    island->point = TAKE(arena, MicrostepPoint, capacity->points);
    island->slot = TAKE(arena, int32_t, capacity->points);
    island->by_group = TAKE(arena, int32_t, capacity->points);
    island->rest.state = TAKE(arena, RestState, bodies);
    island->rest.is_ground = TAKE(arena, bool, bodies);
    island->friction.link = TAKE(arena, int, 2 * bodies);
    void *solver = TAKE(arena, char, solve_microstep_workspace_size(capacity->solver_bodies));
    if (solver) {
        island->solver = solve_microstep_workspace(solver, capacity->solver_bodies);
    }
}

bool impulse_take_arrays(Loop *loop, const impModel *m, Arena *arena) {
    const Capacity capacity = capacity_of(m);
    World *world = &loop->world;
    Pairs *pairs = &loop->pairs;
    world->settings.model = m;
    world->settings.capacity = capacity;
    take_flights(&world->flights, m, arena);
    take_queue(&pairs->queue, m->body_count, capacity.pairs, arena);
    take_cache(&pairs->cache, m, capacity.pairs, arena);
    pairs->warm_start.pair = TAKE(arena, WarmPair, capacity.pairs);
    pairs->warm_start.point = TAKE(arena, WarmPoint, capacity.points);
    pairs->query.contact_point = TAKE(arena, ContactPoint, capacity.points);
    pairs->query.narrow_phase = TAKE(arena, NarrowPhase, 1);
    take_island(&loop->island, m->body_count, &capacity, arena);
    journal_take(&loop->journal, m, capacity.contacts, arena);
    return !*arena->full;
}

size_t method_impulse_scratch(const impModel *m) {
    bool full = false;
    Arena arena = arena_counting(&full);
    Loop loop = { 0 };
    impulse_take_arrays(&loop, m, &arena);
    return arena.used;
}
