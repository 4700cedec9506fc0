// impulse_pairs.c -- pairs of the broad phase: swept boxes of the bodies, and their changes when
// bodies are launched.
//
// One set of swept boxes serves an interval (docs/theory/collision-detection.md, section 3). When
// bodies are launched, their boxes and pairs alone are refreshed, and all their pairs are due for a
// narrow-phase query.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

// A new pair, due now.
static void admit(PairQueue *queue, const PairCache *cache, const impModel *m, double now,
                  const BroadPair *added) {
    Pair *pair = &queue->pair[added->slot];
    *pair = (Pair){ .i = added->i, .j = added->j, .stamp = -1 };
    impulse_clear_start_features(cache, m, queue, pair);
    queue->place[added->slot] = -1;
    pair->time = now;
}

// Takes over the pairs that the last update of the broad phase removed and added.
static void follow_broad_phase(Pairs *pairs, const World *world, bool schedules) {
    PairQueue *queue = &pairs->queue;
    const Clock *clock = &world->clock;
    const Broad *broad = &queue->broad;
    for (int i = 0; i < broad->removed_count; i++) {
        impulse_unschedule(queue, broad->removed[i].slot);
    }
    for (int i = 0; i < broad->added_count; i++) {
        const BroadPair *added = &broad->added[i];
        // twice as far ahead as elsewhere, for little is done with each
        if (i + 2 * PREFETCH_AHEAD < broad->added_count) {
            PREFETCH(&queue->pair[added[2 * PREFETCH_AHEAD].slot]);
            PREFETCH(&queue->place[added[2 * PREFETCH_AHEAD].slot]);
        }
        admit(queue, &pairs->cache, world->settings.model, clock->now, added);
        if (schedules) {
            impulse_schedule(queue, clock, &queue->pair[added->slot], clock->now);
        }
    }
}

// The box that a body sweeps until the end of the interval; a sleeper's box is where it lies.
static void set_box(Broad *broad, const Settings *settings, const Clock *clock, const Actor *a) {
    const impModel *m = settings->model;
    double T = max2(clock->interval_end - a->t, 0);
    double offset;
    impVec3 normal;
    if (a->free) {
        Box box = collide_box_free(a->body, &a->now, a->asleep ? vec(0, 0, 0) : a->acceleration,
                                   a->asleep ? 0 : T, settings->band);
        collide_broad_set(broad, a->index, box, a->asleep ? MOTION_ASLEEP : MOTION_DYNAMIC);
        return;
    }
    MotionType type = motion_is_moving(m, a->index) ? MOTION_KINEMATIC : MOTION_STATIC;
    if (collide_half_space(m, a->index, a->pose, T, settings->band, &normal, &offset)) {
        collide_broad_set_half_space(broad, a->index, normal, offset, type);
    } else {
        Box box = collide_box_kinematic(m, a->index, a->pose, T, settings->band);
        collide_broad_set(broad, a->index, box, type);
    }
}

static bool stop_too_many(Journal *journal, const Settings *settings) {
    return journal_stop(journal, IMP_FULL,
                        "more than %d pairs of bodies are near each other in one interval",
                        settings->capacity.pairs);
}

bool impulse_begin_pairs(Pairs *pairs, const World *world, Journal *journal) {
    const impModel *m = world->settings.model;
    const Flights *flights = &world->flights;
    for (int i = 0; i < m->body_count; i++) {
        if (i + PREFETCH_AHEAD < m->body_count) {
            impulse_prefetch_body(flights, m, i + PREFETCH_AHEAD);
        }
        contact_move(m, &flights->actor[i], world->clock.now);
        set_box(&pairs->queue.broad, &world->settings, &world->clock, &flights->actor[i]);
    }
    if (!collide_broad_update(&pairs->queue.broad)) return stop_too_many(journal, &world->settings);
    follow_broad_phase(pairs, world, false);
    return true;
}

int impulse_partners(PairQueue *queue, int body) {
    const BroadPair *list;
    int count = collide_broad_partners(&queue->broad, body, &list);
    for (int i = 0; i < count; i++) {
        queue->partners[i] = list[i].slot;
    }
    return count;
}

// All pairs of a body are due now.
static void schedule_partners(Pairs *pairs, const World *world, int body) {
    PairQueue *queue = &pairs->queue;
    int count = impulse_partners(queue, body);
    for (int k = 0; k < count; k++) {
        Pair *pair = &queue->pair[queue->partners[k]];
        int partner = pair->i == body ? pair->j : pair->i;
        impulse_prefetch_pair(queue, &pairs->cache, queue->partners[k]);
        impulse_prefetch_body(&world->flights, world->settings.model, partner);
        impulse_schedule(queue, &world->clock, pair, world->clock.now);
    }
}

bool impulse_refresh(Pairs *pairs, const World *world, Journal *journal, const int *bodies,
                     int count) {
    Broad *broad = &pairs->queue.broad;
    for (int i = 0; i < count; i++) {
        set_box(broad, &world->settings, &world->clock, &world->flights.actor[bodies[i]]);
    }
    for (int i = 0; i < count; i++) {
        // -1: of this body alone
        if (!collide_broad_refresh(broad, bodies[i], -1))
            return stop_too_many(journal, &world->settings);
        follow_broad_phase(pairs, world, true);
        schedule_partners(pairs, world, bodies[i]);
    }
    return true;
}

void impulse_prefetch_impact(const Flights *flights, const PairQueue *queue, const Journal *journal,
                             const Pair *pair) {
    const int body[2] = { pair->i, pair->j };
    for (int k = 0; k < 2; k++) {
        const Actor *a = &flights->actor[body[k]];
        collide_broad_prefetch(&queue->broad, body[k]);
        if (!a->free) continue;
        prefetch(&journal->ledger[a->body->free], sizeof *journal->ledger);
        prefetch(&a->body->mass, sizeof(double) + 2 * sizeof(impVec3) + 2 * sizeof(Mat3));
    }
}
