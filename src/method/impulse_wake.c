// impulse_wake.c -- waking: a sleeper that is touched wakes, and with it all sleepers within the
// contact band, and theirs (docs/theory/rest-and-sleep.md, section 9).
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

// Starts a flight from rest. The support of a sleeper is in the ledger until the end of the
// interval: the rest of that is taken back.
static void wake_one(Flights *flights, Journal *journal, const Clock *clock, int body) {
    const impModel *m = journal->model;
    Actor *a = &flights->actor[body];
    double left = clock->interval_end - clock->now;
    contact_move(m, a, clock->now);
    contact_launch(a, vec(0, 0, 0), vec(0, 0, 0));
    flights->sleep_counter[a->body->free] = 0;
    journal_book(journal, body, scale(left * a->body->mass, m->gravity), vec(0, 0, 0), 0);
}

// Within the contact band of each other.
static bool are_in_contact(const Settings *settings, const Actor *a, const Actor *b) {
    double band = settings->band;
    double reach = a->body->bounding_radius + b->body->bounding_radius + band;
    if (norm(sub(a->x, b->x)) > reach) return false;
    Near near = collide_body_distance(settings->model, a->index, b->index, a->pose, b->pose, band);
    return near.c.distance <= band;
}

// The broad phase keeps no pairs of two sleepers, so all sleepers are asked: waking is rare.
static bool wake(World *world, Pairs *pairs, Journal *journal, int body) {
    const impModel *m = world->settings.model;
    Actor *actor = world->flights.actor;
    int *woken = world->flights.woken;
    int count = 0;
    wake_one(&world->flights, journal, &world->clock, body);
    woken[count++] = body;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < m->sizes.nfree; k++) {
            Actor *other = &actor[m->free_body[k]];
            if (!other->asleep || !are_in_contact(&world->settings, &actor[woken[i]], other))
                continue;
            wake_one(&world->flights, journal, &world->clock, other->index);
            woken[count++] = other->index;
        }
    }
    return impulse_refresh(pairs, world, journal, woken, count);
}

bool impulse_wake_both(World *world, Pairs *pairs, Journal *journal, int a, int b) {
    const Actor *actor = world->flights.actor;
    if (actor[a].asleep && !wake(world, pairs, journal, a)) return false;
    return !actor[b].asleep || wake(world, pairs, journal, b);
}
