// impulse_narrow.c -- narrow-phase queries of the event loop: how far apart a pair is now, its
// contact points with their time scales, and the event that they ask for.
//
// docs/theory/microcollisions.md, sections 2 and 3. A contact point is due when it is at the
// contact level, to the tolerance of an event (2), and approaches. If the fastest such point is
// slower than its micro threshold (4), all is left to a micro-step; else that point has an impact.
//
// Due is less than arriving. A point is due if it approaches, beyond rounding: this makes an event.
// It is arriving if it does not leave, so that a point at rest against another is arriving and not
// due: this says which points are those of a contact whose age or let-go is asked for.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

// Tolerances.
// roundings of a double: clocks and places are rounded, so nothing finer can be asked for (2)
#define ROUNDINGS 16
// 1, of the approach: impacts that are as fast count as simultaneous. One after the other, the
// first of two points would take the impulse of both. Test: tests/method/impulse_simultaneous.c
#define SIMULTANEOUS 1e-7
// 1: cosine between normals that count as one, less than 1 by so much
#define SAME_NORMAL 1e-12
// 1, of the micro threshold: a point that leaves no faster still arrives
#define NOT_LEAVING 1e-9

// --- the query -----------------------------------------------------------------------------------

void impulse_move_pair(const impModel *m, Actor *actor, const Pair *pair, double now) {
    contact_move(m, &actor[pair->i], now);
    contact_move(m, &actor[pair->j], now);
}

void impulse_narrow_phase(Pairs *pairs, const World *world, Journal *journal, const Pair *pair,
                          double ahead) {
    const impModel *m = world->settings.model;
    const double within = 2 * world->settings.band;
    const Flights *flights = &world->flights;
    const PairCache *cache = &pairs->cache;
    NarrowPhase *query = pairs->query.narrow_phase;
    int32_t slot = impulse_slot(&pairs->queue, pair);
    impulse_move_pair(m, flights->actor, pair, world->clock.now);
    NarrowCacheRef last = { &cache->narrow[slot], cache->axis + slot * cache->axis_count };
    contact_narrow_phase(m, &flights->actor[pair->i], &flights->actor[pair->j], flights->extent,
                         within, ahead, impulse_start_features(cache, m, &pairs->queue, pair),
                         pair->cached ? &last : NULL, query);

    // the certificate has the deepest overlap, and the smallest gap where it is no mere bound
    double distance = query->list.nearest.c.distance;
    journal->found.overlap = max2(journal->found.overlap, -distance);
    if (!query->from_cache || distance <= within) {
        journal->gap = min2(journal->gap, distance);
    }
}

bool impulse_is_apart(const Actor *actor, const PairQueue *queue, const PairCache *cache,
                      const Pair *pair, double band) {
    const Actor *a = &actor[pair->i];
    const Actor *b = &actor[pair->j];
    const NarrowCache *last = &cache->narrow[impulse_slot(queue, pair)];
    if (pair->cached && contact_cache_distance(last, a, b) > band) return true;
    return a->free && b->free && contact_far_apart(a, b, band);
}

int impulse_contact_points(const Settings *settings, const Actor *actor, const PairQuery *query,
                           ContactPoint *out, int room) {
    int count = contact_points(settings->model, query->narrow_phase, settings->band, settings->band,
                               out, room);
    for (int i = 0; i < count; i++) {
        contact_set_time_scales(settings->model, &actor[out[i].a], &actor[out[i].b], settings->band,
                                settings->gravity_substitute, &out[i]);
    }
    return count;
}

double impulse_event_tolerance(const Settings *settings, const PairQuery *query, double now) {
    const Actor *a = query->narrow_phase->a;
    const Actor *b = query->narrow_phase->b;
    double speed = norm(sub(a->v, b->v));
    double coordinates = max2(largest(a->x), largest(b->x));
    return max2(settings->event_tolerance,
                ROUNDINGS * DBL_EPSILON * max2(now * speed, coordinates));
}

// --- the event of the contact points -------------------------------------------------------------

bool impulse_is_due(const ContactPoint *contact, double near) {
    return contact->gap <= near && contact->u.z < -contact->u_rounding;
}

bool impulse_is_arriving(const ContactPoint *contact, double near) {
    return contact->gap <= near && contact->u.z < NOT_LEAVING * contact->micro.threshold;
}

EventKind impulse_classify(const ContactPoint *contact, int count, double near) {
    EventKind kind = EVENT_LATER;
    for (int i = 0; i < count; i++) {
        if (!impulse_is_due(&contact[i], near)) continue;
        if (-contact[i].u.z >= contact[i].micro.threshold) return EVENT_IMPACT;
        kind = EVENT_MICROSTEP;
    }
    return kind;
}

bool impulse_is_as_fast(const ContactPoint *contact, const ContactPoint *other) {
    return contact->u.z <= (1 - SIMULTANEOUS) * other->u.z;
}

bool impulse_is_same_normal(const ContactPoint *contact, const ContactPoint *other) {
    return dot(contact->n, other->n) >= 1 - SAME_NORMAL;
}

ContactPoint impulse_fastest(const Flights *flights, const ContactPoint *contact, int count,
                             double near, ContactCondition *holds) {
    int best = -1;
    int tied[IMPACT_POINTS];
    int ties = 0;
    for (int i = 0; i < count; i++) {
        if (holds(&contact[i], near) && (best < 0 || contact[i].u.z < contact[best].u.z)) {
            best = i;
        }
    }
    for (int i = 0; i < count && ties < IMPACT_POINTS; i++) {
        if (i == best ||
            (holds(&contact[i], near) && impulse_is_as_fast(&contact[i], &contact[best]) &&
             impulse_is_same_normal(&contact[i], &contact[best]))) {
            tied[ties++] = i;
        }
    }
    ContactPoint out = contact[best];
    out.at = contact_impact_point(flights->actor, contact, tied, ties);
    return out;
}

bool impulse_has_impact(Pairs *pairs, const World *world, Journal *journal, const Pair *pair,
                        ContactPoint *out) {
    ContactPoint *contact = pairs->query.contact_point;
    impulse_narrow_phase(pairs, world, journal, pair, 0);
    const Settings *settings = &world->settings;
    double distance = pairs->query.narrow_phase->list.nearest.c.distance;
    double tolerance = impulse_event_tolerance(settings, &pairs->query, world->clock.now);
    double near = impulse_near(settings, tolerance);
    if (distance > settings->level + tolerance) return false;

    int count = impulse_contact_points(settings, world->flights.actor, &pairs->query, contact,
                                       settings->capacity.points);
    if (count < 0) return impulse_stop_point_capacity(settings, journal, pair);
    if (impulse_classify(contact, count, near) != EVENT_IMPACT) return false;
    *out = impulse_fastest(&world->flights, contact, count, near, impulse_is_due);
    return true;
}

bool impulse_stop_point_capacity(const Settings *settings, Journal *journal, const Pair *pair) {
    const Body *body = settings->model->body;
    return journal_stop(journal, IMP_FULL, "bodies '%s' and '%s': more than %d points touch",
                        body[pair->i].name, body[pair->j].name, settings->capacity.points);
}
