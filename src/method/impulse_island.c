// impulse_island.c -- islands: bodies joined by contact points within the band, and these points.
//
// docs/theory/microcollisions.md, section 3, from the pair that is due outwards. Contact points
// that approach at their micro threshold or faster have no part in a micro-step: they have impacts
// of their own (impulse_impact.c).
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

// --- bodies --------------------------------------------------------------------------------------

void impulse_island_begin(Island *island) {
    island->body_count = island->point_count = 0;
    island->stamp++;
}

void impulse_island_add(Island *island, const Flights *flights, int body) {
    const Actor *a = &flights->actor[body];
    if (!a->free || island->island_index[body] >= 0) return;
    int k = island->body_count++;
    island->island_index[body] = k;
    island->member[k] = body;
    island->mark[k] = IN_ISLAND;
    island->body[k] = island->before[k] = contact_microstep_body(a);
}

void impulse_island_clear(Island *island) {
    for (int i = 0; i < island->body_count; i++) {
        island->island_index[island->member[i]] = -1;
    }
    island->body_count = island->point_count = 0;
}

// --- contact points ------------------------------------------------------------------------------

int impulse_island_points(Loop *loop, Pair *pair) {
    Island *island = &loop->island;
    const Settings *settings = &loop->settings;
    pair->stamp = island->stamp;
    impulse_move_pair(settings->model, loop->flights.actor, pair, loop->clock.now);
    if (impulse_is_apart(loop->flights.actor, &loop->queue, &loop->cache, pair, settings->band))
        return 0;
    impulse_narrow_phase(loop, pair, 0);
    if (loop->query.narrow_phase->list.nearest.c.distance > settings->band) return 0;
    int first = island->point_count;
    int count = impulse_contact_points(settings, loop->flights.actor, &loop->query,
                                       island->contact_point + first,
                                       settings->capacity.points - first);
    for (int i = 0; i < count; i++) {
        island->slot[first + i] = impulse_slot(&loop->queue, pair);
    }
    return count;
}

// --- the island of a micro-step ------------------------------------------------------------------

// Adds the slow ones of `count` contact points that stand behind those of the island.
static bool add_points(Loop *loop, const Pair *pair, int count) {
    Island *island = &loop->island;
    ContactPoint *contact = island->contact_point + island->point_count;
    int kept = 0;
    if (count < 0)
        return journal_stop(&loop->journal, IMP_FULL, "more than %d points touch at once",
                            loop->settings.capacity.points);
    for (int i = 0; i < count; i++) {
        if (-contact[i].u.z < contact[i].micro.threshold) {
            contact[kept++] = contact[i];
        }
    }
    if (kept == 0) return true;
    if (!impulse_wake_both(loop, pair->i, pair->j)) return false;
    impulse_island_add(island, &loop->flights, pair->i);
    impulse_island_add(island, &loop->flights, pair->j);
    island->point_count += kept;
    return true;
}

static bool add_pair(Loop *loop, Pair *pair) {
    return add_points(loop, pair, impulse_island_points(loop, pair));
}

// The pair that is due was just queried: its contact points are those of the query.
static bool add_first(Loop *loop, Pair *pair, int count) {
    Island *island = &loop->island;
    pair->stamp = island->stamp;
    for (int i = 0; i < count; i++) {
        island->contact_point[i] = loop->query.contact_point[i];
        island->slot[i] = impulse_slot(&loop->queue, pair);
    }
    return add_points(loop, pair, count);
}

// Adds all partners of the i-th body of the island.
static bool add_partners(Loop *loop, int i) {
    const Actor *actor = loop->flights.actor;
    Island *island = &loop->island;
    PairQueue *queue = &loop->queue;
    int count = impulse_partners(queue, island->member[i]);
    for (int k = 0; k < count; k++) {
        Pair *pair = &queue->pair[queue->partners[k]];
        bool sleeper = actor[pair->i].asleep || actor[pair->j].asleep;
        if (pair->stamp == island->stamp) continue;
        if (!add_pair(loop, pair)) return false;
        // a body that woke has new pairs, and waking overwrote the list: list them again
        if (sleeper) {
            count = impulse_partners(queue, island->member[i]);
            k = -1;
        }
    }
    return true;
}

bool impulse_island_gather(Loop *loop, Pair *first, int count) {
    Island *island = &loop->island;
    impulse_island_begin(island);
    if (!add_first(loop, first, count)) return false;
    for (int i = 0, begin = 0; i < island->body_count; i++, begin = island->point_count) {
        if (!add_partners(loop, i)) return false;
        // contact points that this body adds on one floor are reduced to the corners of their hull
        island->point_count = begin + contact_reduce_floor(
                                          island->contact_point + begin, island->slot + begin,
                                          island->point_count - begin, loop->settings.band);
    }
    return true;
}
