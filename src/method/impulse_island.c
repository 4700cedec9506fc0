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

int impulse_island_points(Island *island, Pairs *pairs, const World *world, Journal *journal,
                          Pair *pair) {
    const Settings *settings = &world->settings;
    pair->stamp = island->stamp;
    impulse_move_pair(settings->model, world->flights.actor, pair, world->clock.now);
    if (impulse_is_apart(world->flights.actor, &pairs->queue, &pairs->cache, pair, settings->band))
        return 0;
    impulse_narrow_phase(pairs, world, journal, pair, 0);
    if (pairs->query.narrow_phase->list.nearest.c.distance > settings->band) return 0;
    int first = island->point_count;
    int count = impulse_contact_points(settings, world->flights.actor, &pairs->query,
                                       island->contact_point + first,
                                       settings->capacity.points - first);
    for (int i = 0; i < count; i++) {
        island->slot[first + i] = impulse_slot(&pairs->queue, pair);
    }
    return count;
}

// --- the island of a micro-step ------------------------------------------------------------------

// Adds the slow ones of `count` contact points of one pair that stand behind those of the island.
static bool add_points(Island *island, Pairs *pairs, World *world, Journal *journal, int count) {
    ContactPoint *contact = island->contact_point + island->point_count;
    int kept = 0;
    if (count < 0)
        return journal_stop(journal, IMP_FULL, "more than %d points touch at once",
                            world->settings.capacity.points);
    for (int i = 0; i < count; i++) {
        if (-contact[i].u.z < contact[i].micro.threshold) {
            contact[kept++] = contact[i];
        }
    }
    if (kept == 0) return true;
    const Pair *pair = &pairs->queue.pair[island->slot[island->point_count]];
    if (!impulse_wake_both(world, pairs, journal, pair->i, pair->j)) return false;
    impulse_island_add(island, &world->flights, pair->i);
    impulse_island_add(island, &world->flights, pair->j);
    island->point_count += kept;
    return true;
}

static bool add_pair(Island *island, Pairs *pairs, World *world, Journal *journal, Pair *pair) {
    int count = impulse_island_points(island, pairs, world, journal, pair);
    return add_points(island, pairs, world, journal, count);
}

// The pair that is due was just queried: its contact points are those of the query.
static bool add_first(Island *island, Pairs *pairs, World *world, Journal *journal,
                      const Event *event) {
    event->pair->stamp = island->stamp;
    for (int i = 0; i < event->count; i++) {
        island->contact_point[i] = pairs->query.contact_point[i];
        island->slot[i] = impulse_slot(&pairs->queue, event->pair);
    }
    return add_points(island, pairs, world, journal, event->count);
}

// Adds all partners of the i-th body of the island.
static bool add_partners(Island *island, Pairs *pairs, World *world, Journal *journal, int i) {
    const Actor *actor = world->flights.actor;
    PairQueue *queue = &pairs->queue;
    int count = impulse_partners(queue, island->member[i]);
    for (int k = 0; k < count; k++) {
        Pair *pair = &queue->pair[queue->partners[k]];
        bool sleeper = actor[pair->i].asleep || actor[pair->j].asleep;
        if (pair->stamp == island->stamp) continue;
        if (!add_pair(island, pairs, world, journal, pair)) return false;
        // a body that woke has new pairs, and waking overwrote the list: list them again
        if (sleeper) {
            count = impulse_partners(queue, island->member[i]);
            k = -1;
        }
    }
    return true;
}

bool impulse_island_gather(Island *island, Pairs *pairs, World *world, Journal *journal,
                           const Event *event) {
    impulse_island_begin(island);
    if (!add_first(island, pairs, world, journal, event)) return false;
    for (int i = 0, begin = 0; i < island->body_count; i++, begin = island->point_count) {
        if (!add_partners(island, pairs, world, journal, i)) return false;
        // contact points that this body adds on one floor are reduced to the corners of their hull
        island->point_count = begin + contact_reduce_floor(
                                          island->contact_point + begin, island->slot + begin,
                                          island->point_count - begin, world->settings.band);
    }
    return true;
}
