// impulse_warm_start.c -- what the points of a pair carried in their last hop: where the solver
// starts in the next.
//
// A hop ends the flight before it and begins the next: a point that carries a steady force F gets
// the impulse F s, with s = dt + (T - T_before) / 2, where dt is the time since its last hop, which
// was to last T_before. So forces are remembered, for each pair those of its last hop, and new
// points and changed forces are left to the solver. An impulse soon after another says little about
// a force: then what was known before stands. A point that is known by another feature now, as when
// of two faces the other one measures the gap, has its load from the place where that was.
//
// Forgotten with each step (the law) and with each pair, and all at once where there is no more
// room.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

// of a pair: who has more starts from nothing
enum { MOST_LOADS = 96 };
#define LONG_ENOUGH 0.5  // of the hop: a span that tells a force

// empty at first: most pairs never hop and have none
static WarmPair *loads_of(Loop *l, int32_t slot) {
    if (!l->queue.pair[slot].warm_started) {
        l->warm_start.pair[slot] = (WarmPair){ 0 };
    }
    l->queue.pair[slot].warm_started = true;
    return &l->warm_start.pair[slot];
}

// points of a pair are one after the other
static int end_of_pair(const Island *s, int first) {
    int end = first + 1;
    while (end < s->point_count && s->slot[end] == s->slot[first]) {
        end++;
    }
    return end;
}

static bool known(const Loop *l, const WarmPair *of) {
    return of->count > 0 && of->era == l->warm_start.era;
}
static double span_of(const Loop *l, const WarmPair *of, double T) {
    return max2(l->clock.now - of->time + 0.5 * (T - of->T), 0);
}

static impVec3 place_in_body(const Loop *l, const ContactPoint *t) {
    const Actor *a = &l->flights.actor[t->a];
    return unrotate(a->q, sub(t->at, a->x));
}

// How far a point is from where a load was: nothing if it has its feature.
static double way_between(const Loop *l, const ContactPoint *t, const WarmPoint *load) {
    if (t->feature == load->feature) return 0;
    return dot(t->n, load->force) >= 0 ? norm(sub(place_in_body(l, t), load->at)) : HUGE_VAL;
}

// A load is carried by the point of its feature now, or else by the nearest, whatever that carries
// itself; and by all that are as near: what was in the middle of an edge is shared by its ends, or
// it would turn what is symmetric.
#define AS_NEAR 1.01
// how many there are
static int give_load(Loop *l, const WarmPoint *load, int first, int end, double span) {
    Island *s = &l->island;
    double least = HUGE_VAL;
    int count = 0;
    for (int i = first; i < end; i++) {
        least = min2(least, way_between(l, &s->contact_point[i], load));
    }
    for (int i = first; i < end; i++) {
        count += least < HUGE_VAL && way_between(l, &s->contact_point[i], load) <= AS_NEAR * least;
    }
    for (int i = first; i < end && count > 0; i++) {
        const ContactPoint *t = &s->contact_point[i];
        if (way_between(l, t, load) > AS_NEAR * least) continue;
        s->point[i].p = madd(
            s->point[i].p, span / count,
            vec(dot(t->t1, load->force), dot(t->t2, load->force), dot(t->n, load->force)));
    }
    return count;
}

// the same the other way round; NULL: there are none
static const WarmPoint *load_of(const Loop *l, const WarmPair *of, const ContactPoint *t) {
    const WarmPoint *best = NULL;
    double least = HUGE_VAL;
    for (int i = 0; known(l, of) && i < of->count; i++) {
        const WarmPoint *load = &l->warm_start.point[of->first + i];
        double way = way_between(l, t, load);
        if (way < least) {
            best = load;
            least = way;
        }
    }
    return best;
}

static int recall_pair(Loop *l, int first, int end, double T) {
    Island *s = &l->island;
    const WarmPair *of = loads_of(l, s->slot[first]);
    int found = 0;
    for (int i = first; i < end; i++) {
        s->point[i].p = vec(0, 0, 0);
    }
    if (!known(l, of)) return 0;
    double span = span_of(l, of, T);
    for (int k = 0; k < of->count; k++) {
        found += give_load(l, &l->warm_start.point[of->first + k], first, end, span);
    }
    return found;
}

// Loads of a pair that are nearly equal become equal: what is left of the last solutions would make
// two ends of an edge, which share their load in one way among several, drift apart.
#define EQUAL 1e-3
// in one frame
static bool are_equal(const MicrostepPoint *p, const MicrostepPoint *q) {
    return fabs(p->p.z - q->p.z) <= EQUAL * p->p.z && dot(p->n, q->n) >= 1 - 1e-12;
}

static void level_out(Island *s, int first, int end) {
    for (int i = first; i < end; i++) {
        impVec3 sum = vec(0, 0, 0);
        int count = 0;
        for (int k = first; k < end; k++) {
            if (are_equal(&s->point[i], &s->point[k])) {
                sum = add(sum, s->point[k].p);
                count++;
            }
        }
        s->point[i].work.next_p = count > 0 ? scale(1.0 / count, sum) : s->point[i].p;
    }
    for (int i = first; i < end; i++) {
        s->point[i].p = s->point[i].work.next_p;
    }
}

// its normal has turned since
static void keep_in_cone(MicrostepPoint *q) {
    double side = sqrt(q->p.x * q->p.x + q->p.y * q->p.y);
    double most = q->friction * q->p.z;
    if (!(q->p.z > 0)) {
        q->p = vec(0, 0, 0);
    } else if (side > most) {
        q->p.x *= most / side;
        q->p.y *= most / side;
    }
}

int impulse_warm_start(Loop *l, double T) {
    Island *s = &l->island;
    int found = 0;
    for (int i = 0, end; i < s->point_count; i = end) {
        end = end_of_pair(s, i);
        found += recall_pair(l, i, end, T);
        level_out(s, i, end);
    }
    for (int i = 0; i < s->point_count; i++) {
        keep_in_cone(&s->point[i]);
    }
    return found;
}

static bool make_room(Loop *l, WarmPair *of, int count) {
    if (of->era == l->warm_start.era && count <= of->room) return true;
    if (count > l->settings.capacity.points) return false;
    if (l->warm_start.point_count + count > l->settings.capacity.points) {
        l->warm_start.point_count = 0;
        l->warm_start.era++;
    }
    *of = (WarmPair){ .first = l->warm_start.point_count, .room = count, .era = l->warm_start.era };
    l->warm_start.point_count += count;
    return true;
}

static bool is_idle(const Island *s, int first, int count) {
    for (int i = first; i < first + count; i++) {
        if (!zero3(s->point[i].p)) return false;
    }
    return true;
}

static void remember_pair(Loop *l, int first, int count, double T) {
    const Island *s = &l->island;
    WarmPair *of = loads_of(l, s->slot[first]);
    // its own hop goes on
    if (known(l, of) && l->clock.now < of->time + of->T && is_idle(s, first, count)) return;
    double span = known(l, of) ? span_of(l, of, T) : T;
    WarmPoint keep[MOST_LOADS];
    bool tells = span >= LONG_ENOUGH * T;
    if (count > MOST_LOADS) return;
    for (int i = 0; i < count; i++) {
        const ContactPoint *t = &s->contact_point[first + i];
        const WarmPoint *old = load_of(l, of, t);
        impVec3 force = scale(1 / max2(span, LONG_ENOUGH * T),
                              contact_world(t, s->point[first + i].p));
        keep[i] = (WarmPoint){ t->feature, tells || !old ? force : old->force,
                               place_in_body(l, t) };
    }
    if (!make_room(l, of, count)) return;
    of->time = l->clock.now;
    of->T = T;
    of->count = count;
    for (int i = 0; i < count; i++) {
        l->warm_start.point[of->first + i] = keep[i];
    }
}

void impulse_warm_start_store(Loop *l, double T) {
    const Island *s = &l->island;
    for (int i = 0, end; i < s->point_count; i = end) {
        end = end_of_pair(s, i);
        remember_pair(l, i, end - i, T);
    }
}

double impulse_warm_start_middle(const Loop *l, int32_t slot, double since) {
    const WarmPair *of = &l->warm_start.pair[slot];
    bool going = l->queue.pair[slot].warm_started && known(l, of) && of->time <= since &&
                 since < of->time + of->T;
    return going ? of->time + 0.5 * of->T : -HUGE_VAL;
}
