// impulse_load.c -- what the points of a pair carried in their last hop: where the solver starts in the next.
//
// A hop ends the flight before it and begins the next: a point that carries a steady force F gets the impulse F s, with
// s = dt + (T - T_before) / 2, where dt is the time since its last hop, which was to last T_before. So forces are remembered,
// for each pair those of its last hop, and new points and changed forces are left to the solver. An impulse soon after
// another says little about a force: then what was known before stands. A point that is known by another feature now, as
// when of two faces the other one measures the gap, has its load from the place where that was.
//
// Forgotten with each step (the law) and with each pair, and all at once where there is no more room.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

enum { MOST_LOADS = 96 };                      // of a pair: who has more starts from nothing
#define LONG_ENOUGH 0.5                       // of the hop: a span that tells a force

static Loads *loads_of(Loop *l, int32_t slot) {               // empty at first: most pairs never hop and have none
    if (!l->pair[slot].carried) l->loads[slot] = (Loads){ 0 };
    l->pair[slot].carried = true;
    return &l->loads[slot];
}

static int end_of_pair(const Island *s, int first) {               // points of a pair are one after the other
    int end = first + 1;
    while (end < s->touches && s->slot[end] == s->slot[first]) end++;
    return end;
}

static const Load *find_load(const Loop *l, const Loads *of, uint64_t feature) {
    for (int i = 0; i < of->count; i++)
        if (l->load[of->first + i].feature == feature) return &l->load[of->first + i];
    return NULL;
}

static bool known(const Loop *l, const Loads *of) { return of->count > 0 && of->era == l->era; }
static double span_of(const Loop *l, const Loads *of, double T) { return max2(l->now - of->time + 0.5 * (T - of->T), 0); }

static impVec3 place_in_body(const Loop *l, const Touch *t) {
    const Actor *a = &l->actor[t->a];
    return unrotate(a->q, sub(t->at, a->x));
}

// Which of these points carries a load now: the one of its feature, or else the nearest that has no load of its own.
static int bearer_of(const Loop *l, const Loads *of, const Load *load, int first, int end) {
    const Island *s = &l->island;
    double least = HUGE_VAL;
    int best = -1;
    for (int i = first; i < end; i++)
        if (s->touch[i].feature == load->feature) return i;
    for (int i = first; i < end; i++) {
        double way = norm(sub(place_in_body(l, &s->touch[i]), load->at));
        if (way < least && dot(s->touch[i].n, load->force) >= 0 && !find_load(l, of, s->touch[i].feature)) best = i, least = way;
    }
    return best;
}

static int recall_pair(Loop *l, int first, int end, double T) {
    Island *s = &l->island;
    const Loads *of = loads_of(l, s->slot[first]);
    int found = 0;
    for (int i = first; i < end; i++) s->point[i].p = vec(0, 0, 0);
    if (!known(l, of)) return 0;
    double span = span_of(l, of, T);
    for (int k = 0; k < of->count; k++) {
        const Load *load = &l->load[of->first + k];
        int i = bearer_of(l, of, load, first, end);
        if (i < 0) continue;
        const Touch *t = &s->touch[i];
        impVec3 F = load->force;
        s->point[i].p = madd(s->point[i].p, span, vec(dot(t->t1, F), dot(t->t2, F), dot(t->n, F)));
        found++;
    }
    return found;
}

int impulse_recall(Loop *l, double T) {
    const Island *s = &l->island;
    int found = 0;
    for (int i = 0, end; i < s->touches; i = end) {
        end = end_of_pair(s, i);
        found += recall_pair(l, i, end, T);
    }
    return found;
}

static bool make_room(Loop *l, Loads *of, int count) {
    if (of->era == l->era && count <= of->room) return true;
    if (count > l->room.touches) return false;
    if (l->load_count + count > l->room.touches) l->load_count = 0, l->era++;
    *of = (Loads){ .first = l->load_count, .room = count, .era = l->era };
    l->load_count += count;
    return true;
}

static void remember_pair(Loop *l, int first, int count, double T) {
    const Island *s = &l->island;
    Loads *of = loads_of(l, s->slot[first]);
    double span = known(l, of) ? span_of(l, of, T) : T;
    Load keep[MOST_LOADS];
    bool tells = span >= LONG_ENOUGH * T;
    if (count > MOST_LOADS) return;
    for (int i = 0; i < count; i++) {
        const Touch *t = &s->touch[first + i];
        const Load *old = known(l, of) ? find_load(l, of, t->feature) : NULL;
        impVec3 force = scale(1 / max2(span, LONG_ENOUGH * T), contact_world(t, s->point[first + i].p));
        keep[i] = (Load){ t->feature, tells || !old ? force : old->force, place_in_body(l, t) };
    }
    if (!make_room(l, of, count)) return;
    of->time = l->now, of->T = T, of->count = count;
    for (int i = 0; i < count; i++) l->load[of->first + i] = keep[i];
}

void impulse_remember(Loop *l, double T) {
    const Island *s = &l->island;
    for (int i = 0, end; i < s->touches; i = end) {
        end = end_of_pair(s, i);
        remember_pair(l, i, end - i, T);
    }
}
