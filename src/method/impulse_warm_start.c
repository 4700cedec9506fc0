// impulse_warm_start.c -- warm starting: contact forces of the last micro-step of a pair, by
// feature id.
//
// docs/theory/contact-solver.md, section 4. Forces and not impulses are stored, since an impulse
// stands for a time between the middles of two flights (29). They are forgotten at the end of a
// step of the caller, as a step is a function of the state, with their pair, and all at once if
// there is no more room.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

// points of a pair: one with more has no warm start
enum { MAX_POINTS = 96 };
// 1, of T: an impulse after a shorter time says little about a force. Test:
// tests/method/impulse_sleep.c
#define LEAST_SPAN 0.5
// 1, of the least distance: points that are as near share a force. Test:
// tests/method/impulse_symmetry.c
#define EQUAL_DISTANCE 1.01
// The stored forces of a pair, none at first: their memory is written where a pair has a
// micro-step.
static WarmPair *warm_pair(WarmStart *warm, PairQueue *queue, int32_t slot) {
    if (!queue->pair[slot].warm_started) {
        warm->pair[slot] = (WarmPair){ 0 };
    }
    queue->pair[slot].warm_started = true;
    return &warm->pair[slot];
}

// One past the last point of the pair of point `first`.
static int end_of_pair(const Island *island, int first) {
    int end = first + 1;
    while (end < island->point_count && island->slot[end] == island->slot[first]) {
        end++;
    }
    return end;
}

static bool is_valid(const WarmStart *warm, const WarmPair *of) {
    return of->count > 0 && of->era == warm->era;
}

// s' of (29), s, for a micro-step of duration T.
static double span_of(const WarmPair *of, double now, double T) {
    return max2(now - of->time + 0.5 * (T - of->T), 0);
}

// Place of a point in the axes of body a, from its centre of mass.
static impVec3 place_in_body(const Actor *actor, const ContactPoint *t) {
    const Actor *a = &actor[t->a];
    return unrotate(a->q, sub(t->at, a->x));
}

// Distance of a point from that of a stored force, m: 0 with the same feature, infinite against
// the force.
static double distance_to(const Actor *actor, const ContactPoint *t, const WarmPoint *stored) {
    if (t->feature == stored->feature) return 0;
    if (!(dot(t->n, stored->force) >= 0)) return HUGE_VAL;
    return norm(sub(place_in_body(actor, t), stored->at));
}

// Adds a stored force to the point with its feature or, without one, to the nearest points: a
// force in the middle of an edge goes in equal parts to both ends. Returns how many points.
static int assign_force(Island *island, const Actor *actor, const WarmPoint *stored, int first,
                        int end, double span) {
    double least = HUGE_VAL;
    int count = 0;
    for (int i = first; i < end; i++) {
        least = min2(least, distance_to(actor, &island->contact_point[i], stored));
    }
    for (int i = first; i < end; i++) {
        count += least < HUGE_VAL &&
                 distance_to(actor, &island->contact_point[i], stored) <= EQUAL_DISTANCE * least;
    }
    for (int i = first; i < end && count > 0; i++) {
        const ContactPoint *t = &island->contact_point[i];
        if (distance_to(actor, t, stored) > EQUAL_DISTANCE * least) continue;
        island->point[i].p = madd(
            island->point[i].p, span / count,
            vec(dot(t->t1, stored->force), dot(t->t2, stored->force), dot(t->n, stored->force)));
    }
    return count;
}

// The stored force of a point; NULL: there is none.
static const WarmPoint *stored_force(const WarmStart *warm, const WarmPair *of, const Actor *actor,
                                     const ContactPoint *t) {
    const WarmPoint *best = NULL;
    double least = HUGE_VAL;
    for (int i = 0; is_valid(warm, of) && i < of->count; i++) {
        const WarmPoint *stored = &warm->point[of->first + i];
        double distance = distance_to(actor, t, stored);
        if (distance < least) {
            best = stored;
            least = distance;
        }
    }
    return best;
}

// Impulses of the points of a pair from its stored forces. Returns how many points had one.
static int start_pair(Island *island, Pairs *pairs, const World *world, int first, double T) {
    WarmStart *warm = &pairs->warm_start;
    const int end = end_of_pair(island, first);
    const WarmPair *of = warm_pair(warm, &pairs->queue, island->slot[first]);
    int found = 0;
    for (int i = first; i < end; i++) {
        island->point[i].p = vec(0, 0, 0);
    }
    if (!is_valid(warm, of)) return 0;
    double span = span_of(of, world->clock.now, T);
    for (int k = 0; k < of->count; k++) {
        found += assign_force(island, world->flights.actor, &warm->point[of->first + k], first, end,
                              span);
    }
    return found;
}

// Projects an impulse on the cone: the normal may have rotated since.
static void keep_in_cone(MicrostepPoint *q) {
    double across = sqrt(q->p.x * q->p.x + q->p.y * q->p.y);
    double most = q->friction * q->p.z;
    if (!(q->p.z > 0)) {
        q->p = vec(0, 0, 0);
    } else if (across > most) {
        q->p.x *= most / across;
        q->p.y *= most / across;
    }
}

int impulse_warm_start(Island *island, Pairs *pairs, const World *world, double T) {
    int found = 0;
    for (int i = 0; i < island->point_count; i = end_of_pair(island, i)) {
        found += start_pair(island, pairs, world, i, T);
    }
    for (int i = 0; i < island->point_count; i++) {
        keep_in_cone(&island->point[i]);
    }
    return found;
}

// Room for the forces of a pair. False: it has too many points.
static bool reserve(WarmStart *warm, WarmPair *of, int count, int capacity) {
    if (of->era == warm->era && count <= of->room) return true;
    if (count > capacity) return false;
    if (warm->point_count + count > capacity) {
        warm->point_count = 0;
        warm->era++;
    }
    *of = (WarmPair){ .first = warm->point_count, .room = count, .era = warm->era };
    warm->point_count += count;
    return true;
}

static bool has_no_impulse(const Island *island, int first, int count) {
    for (int i = first; i < first + count; i++) {
        if (!zero3(island->point[i].p)) return false;
    }
    return true;
}

// Stores the forces of a pair; an impulse after too short a time leaves the former force.
static void store_pair(Pairs *pairs, const Island *island, const World *world, int first,
                       double T) {
    const int count = end_of_pair(island, first) - first;
    const Actor *actor = world->flights.actor;
    WarmStart *warm = &pairs->warm_start;
    WarmPair *of = warm_pair(warm, &pairs->queue, island->slot[first]);
    bool known = is_valid(warm, of);
    // its micro-step goes on
    if (known && world->clock.now < of->time + of->T && has_no_impulse(island, first, count))
        return;
    double span = known ? span_of(of, world->clock.now, T) : T;
    WarmPoint now[MAX_POINTS];
    bool is_long = span >= LEAST_SPAN * T;
    if (count > MAX_POINTS) return;
    for (int i = 0; i < count; i++) {
        const ContactPoint *t = &island->contact_point[first + i];
        const WarmPoint *before = stored_force(warm, of, actor, t);
        impVec3 force = scale(1 / max2(span, LEAST_SPAN * T),
                              contact_world(t, island->point[first + i].p));
        now[i] = (WarmPoint){ t->feature, is_long || !before ? force : before->force,
                              place_in_body(actor, t) };
    }
    if (!reserve(warm, of, count, world->settings.capacity.points)) return;
    of->time = world->clock.now;
    of->T = T;
    of->count = count;
    for (int i = 0; i < count; i++) {
        warm->point[of->first + i] = now[i];
    }
}

void impulse_warm_start_store(Pairs *pairs, const Island *island, const World *world, double T) {
    for (int i = 0; i < island->point_count; i = end_of_pair(island, i)) {
        store_pair(pairs, island, world, i, T);
    }
}

double impulse_warm_start_middle(const Pairs *pairs, int32_t slot, double since) {
    const WarmStart *warm = &pairs->warm_start;
    const WarmPair *of = &warm->pair[slot];
    bool under_way = pairs->queue.pair[slot].warm_started && is_valid(warm, of) &&
                     of->time <= since && since < of->time + of->T;
    return under_way ? of->time + 0.5 * of->T : -HUGE_VAL;
}
