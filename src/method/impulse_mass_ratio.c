// impulse_mass_ratio.c -- verdicts on bodies that touch and whose masses are too far apart.
//
// Collisions and microcollisions are found one after the other, or by a solver that knows impulses
// to some 1e-12 of the largest. Where a light body is between a heavy one and something fixed, both
// need work that grows with the ratio of the masses. How far that goes depends on restitution
// (impulse_impact.c) and on how the light one is held, so no ratio is refused by itself: what
// counts is work without progress, rounds of collisions at one and the same time, or
// microcollisions that are not solved again and again. Then the step ends, and the verdict names
// the two bodies whose masses are farthest apart, while there is time.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

// Of one pair at one time, and half of all impulses at one time: half a second of work.
enum { MOST_ROUNDS = 10000 };
// microcollisions of one step
enum { MOST_UNSOLVED = 30 };
// impulses; there is room for more in any log
enum { OF_LATE = 1000 };
#define SOON          10.0   // hops: what has OF_LATE impulses within them does not rest
#define UNLIKE_ROUNDS 100.0  // ratio of masses from which these are the reason
#define UNLIKE_HOPS   1e6

typedef struct Unlike {  // two bodies that touch
    int heavy, light;
    double ratio;  // of their masses
} Unlike;

static void compare(const Loop *l, int a, int b, Unlike *most) {
    const Actor *p = &l->actor[a];
    const Actor *q = &l->actor[b];
    if (!p->free || !q->free) return;
    bool first = p->body->mass >= q->body->mass;
    double ratio = first ? p->body->mass / q->body->mass : q->body->mass / p->body->mass;
    if (ratio > most->ratio) {
        *most = (Unlike){ first ? a : b, first ? b : a, ratio };
    }
}

static Unlike unlike_of_log(const Loop *l, int first) {
    Unlike u = { -1, -1, 0 };
    for (int i = first; i < l->logged; i++) {
        compare(l, l->log[i].a.i, l->log[i].b.i, &u);
    }
    return u;
}

static Unlike unlike_of_island(const Loop *l) {
    const Island *s = &l->island;
    Unlike u = { -1, -1, 0 };
    for (int i = 0; i < s->touches; i++) {
        compare(l, s->contact_point[i].a, s->contact_point[i].b, &u);
    }
    return u;
}

static bool stop_unlike(Loop *l, const Unlike *u, impVerdict verdict, const char *why) {
    const Body *heavy = &l->m->body[u->heavy];
    const Body *light = &l->m->body[u->light];
    return impulse_stop(l, verdict, "bodies '%s' (%s kg) and '%s' (%s kg), mass ratio %s: %s",
                        heavy->name, show(heavy->mass).text, light->name, show(light->mass).text,
                        show(u->ratio).text, why);
}

bool impulse_rounds_exceeded(Loop *l) {
    if (l->rounds < MOST_ROUNDS && l->logged - l->logged_before < 2 * MOST_ROUNDS) return true;
    Unlike u = unlike_of_log(l, l->logged_before);
    if (u.ratio < UNLIKE_ROUNDS) return true;
    return stop_unlike(l, &u, IMP_STALLED, "more than 10000 collisions of a pair at the same time");
}

bool impulse_log_is_full(Loop *l) {
    double g = norm(l->m->gravity);
    double past = l->now - l->log[l->logged - OF_LATE].time;
    Unlike u = unlike_of_log(l, l->logged - OF_LATE);
    bool soon = past * sqrt(g) < SOON * sqrt(2 * l->band);
    if (!soon || u.ratio < UNLIKE_HOPS) return true;
    return stop_unlike(l, &u, IMP_STALLED,
                       "1000 impulses in the time of 10 hops, and a step has room for no more");
}

bool impulse_microsteps_failed(Loop *l) {
    if (l->unconverged < MOST_UNSOLVED) return true;
    Unlike u = unlike_of_island(l);
    if (u.ratio < UNLIKE_HOPS) return true;
    return stop_unlike(l, &u, IMP_STALLED, "30 microcollisions of one step did not converge");
}

bool impulse_microstep_gains(Loop *l, double gain) {
    Unlike u = unlike_of_island(l);
    char why[80];
    print_text(why, sizeof why, "a microcollision would create %s J", show(gain).text);
    if (u.ratio >= UNLIKE_HOPS) return stop_unlike(l, &u, IMP_UNTRUE, why);
    return impulse_stop(l, IMP_UNTRUE, "body '%s': %s", l->m->body[l->island.member[0]].name, why);
}
