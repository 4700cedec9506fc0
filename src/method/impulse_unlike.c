// impulse_unlike.c -- verdicts on bodies that touch and whose masses are too far apart.
//
// Collisions and microcollisions are found one after the other, or by a solver that knows impulses to some 1e-12 of the
// largest. Where a light body is between a heavy one and something fixed, both need work that grows with the ratio of
// the masses. How far that goes depends on restitution (impulse_blow.c) and on how the light one is held, so no ratio is
// refused by itself: what counts is work without progress, rounds of collisions at one and the same time, or
// microcollisions that are not solved again and again. Then the step ends, and the verdict names the two bodies whose
// masses are farthest apart, while there is time.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

enum { MOST_ROUNDS = 10000 };                 // of one pair at one time: about half a second of work
enum { MOST_UNSOLVED = 30 };                  // microcollisions of one step
#define UNLIKE_ROUNDS 100.0                   // ratio of masses from which these are the reason
#define UNLIKE_HOPS 1e6

typedef struct Unlike {                       // two bodies that touch
    int heavy, light;
    double ratio;                             // of their masses
} Unlike;

static void compare(const Loop *l, int a, int b, Unlike *most) {
    const Actor *p = &l->actor[a], *q = &l->actor[b];
    if (!p->free || !q->free) return;
    bool first = p->body->mass >= q->body->mass;
    double ratio = first ? p->body->mass / q->body->mass : q->body->mass / p->body->mass;
    if (ratio > most->ratio) *most = (Unlike){ first ? a : b, first ? b : a, ratio };
}

static bool stop_unlike(Loop *l, const Unlike *u, const char *why) {
    const Body *heavy = &l->m->body[u->heavy], *light = &l->m->body[u->light];
    return impulse_stop(l, IMP_STALLED, "bodies '%s' of %s kg and '%s' of %s kg: their masses are %s times apart, and %s",
                        heavy->name, show(heavy->mass).text, light->name, show(light->mass).text, show(u->ratio).text, why);
}

bool impulse_rounds_end(Loop *l) {
    Unlike u = { -1, -1, 0 };
    if (l->rounds < MOST_ROUNDS) return true;
    for (int i = l->logged - 1; i >= 0 && l->log[i].time == l->now; i--) compare(l, l->log[i].a.i, l->log[i].b.i, &u);
    if (u.ratio < UNLIKE_ROUNDS) return true;
    return stop_unlike(l, &u, "one bounces to and fro between the other and a third more than 10000 times while no time passes");
}

bool impulse_hops_end(Loop *l) {
    const Island *s = &l->island;
    Unlike u = { -1, -1, 0 };
    if (l->loose < MOST_UNSOLVED) return true;
    for (int i = 0; i < s->touches; i++) compare(l, s->touch[i].a, s->touch[i].b, &u);
    if (u.ratio < UNLIKE_HOPS) return true;
    return stop_unlike(l, &u, "30 microcollisions of one step could not be solved");
}
