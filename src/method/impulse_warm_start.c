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
// 1, of an impulse: normal impulses of a pair that are made equal. Test: tests/golden/hashes.txt
// (scenes/table1/dominos.json, scenes/dish.json); no other test fails without it
#define EQUAL_IMPULSES 1e-3

// The stored forces of a pair, none at first: their memory is written where a pair has a
// micro-step.
static WarmPair *warm_pair(Loop *l, int32_t slot) {
    if (!l->queue.pair[slot].warm_started) {
        l->warm_start.pair[slot] = (WarmPair){ 0 };
    }
    l->queue.pair[slot].warm_started = true;
    return &l->warm_start.pair[slot];
}

// One past the last point of the pair of point `first`.
static int end_of_pair(const Island *s, int first) {
    int end = first + 1;
    while (end < s->point_count && s->slot[end] == s->slot[first]) {
        end++;
    }
    return end;
}

static bool is_valid(const Loop *l, const WarmPair *of) {
    return of->count > 0 && of->era == l->warm_start.era;
}
// s' of (29).
static double span_of(const Loop *l, const WarmPair *of, double T) {
    return max2(l->clock.now - of->time + 0.5 * (T - of->T), 0);
}

static impVec3 place_in_body(const Loop *l, const ContactPoint *t) {
    const Actor *a = &l->flights.actor[t->a];
    return unrotate(a->q, sub(t->at, a->x));
}

// Distance of a point from that of a stored force, m: 0 with the same feature, infinite against
// the force.
static double distance_to(const Loop *l, const ContactPoint *t, const WarmPoint *stored) {
    if (t->feature == stored->feature) return 0;
    return dot(t->n, stored->force) >= 0 ? norm(sub(place_in_body(l, t), stored->at)) : HUGE_VAL;
}

// Adds a stored force to the point with its feature or, without one, to the nearest points: a
// force in the middle of an edge goes in equal parts to both ends. Returns how many points.
static int assign_force(Loop *l, const WarmPoint *stored, int first, int end, double span) {
    Island *s = &l->island;
    double least = HUGE_VAL;
    int count = 0;
    for (int i = first; i < end; i++) {
        least = min2(least, distance_to(l, &s->contact_point[i], stored));
    }
    for (int i = first; i < end; i++) {
        count += least < HUGE_VAL &&
                 distance_to(l, &s->contact_point[i], stored) <= EQUAL_DISTANCE * least;
    }
    for (int i = first; i < end && count > 0; i++) {
        const ContactPoint *t = &s->contact_point[i];
        if (distance_to(l, t, stored) > EQUAL_DISTANCE * least) continue;
        s->point[i].p = madd(
            s->point[i].p, span / count,
            vec(dot(t->t1, stored->force), dot(t->t2, stored->force), dot(t->n, stored->force)));
    }
    return count;
}

// The stored force of a point; NULL: there is none.
static const WarmPoint *stored_force(const Loop *l, const WarmPair *of, const ContactPoint *t) {
    const WarmPoint *best = NULL;
    double least = HUGE_VAL;
    for (int i = 0; is_valid(l, of) && i < of->count; i++) {
        const WarmPoint *stored = &l->warm_start.point[of->first + i];
        double distance = distance_to(l, t, stored);
        if (distance < least) {
            best = stored;
            least = distance;
        }
    }
    return best;
}

// Impulses of the points of a pair from its stored forces. Returns how many points had one.
static int start_pair(Loop *l, int first, int end, double T) {
    Island *s = &l->island;
    const WarmPair *of = warm_pair(l, s->slot[first]);
    int found = 0;
    for (int i = first; i < end; i++) {
        s->point[i].p = vec(0, 0, 0);
    }
    if (!is_valid(l, of)) return 0;
    double span = span_of(l, of, T);
    for (int k = 0; k < of->count; k++) {
        found += assign_force(l, &l->warm_start.point[of->first + k], first, end, span);
    }
    return found;
}

static bool are_equal_impulses(const MicrostepPoint *p, const MicrostepPoint *q) {
    return fabs(p->p.z - q->p.z) <= EQUAL_IMPULSES * p->p.z && dot(p->n, q->n) >= 1 - 1e-12;
}

// Normal impulses of a pair that are nearly equal, in one frame, become equal: the asymmetry that
// the last solution left would grow in a symmetric scene.
static void average_equal_impulses(Island *s, int first, int end) {
    for (int i = first; i < end; i++) {
        impVec3 sum = vec(0, 0, 0);
        int count = 0;
        for (int k = first; k < end; k++) {
            if (are_equal_impulses(&s->point[i], &s->point[k])) {
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

int impulse_warm_start(Loop *l, double T) {
    Island *s = &l->island;
    int found = 0;
    for (int i = 0, end; i < s->point_count; i = end) {
        end = end_of_pair(s, i);
        found += start_pair(l, i, end, T);
        average_equal_impulses(s, i, end);
    }
    for (int i = 0; i < s->point_count; i++) {
        keep_in_cone(&s->point[i]);
    }
    return found;
}

// Room for the forces of a pair. False: it has too many points.
static bool reserve(Loop *l, WarmPair *of, int count) {
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

static bool has_no_impulse(const Island *s, int first, int count) {
    for (int i = first; i < first + count; i++) {
        if (!zero3(s->point[i].p)) return false;
    }
    return true;
}

// Stores the forces of a pair; an impulse after too short a time leaves the former force.
static void store_pair(Loop *l, int first, int count, double T) {
    const Island *s = &l->island;
    WarmPair *of = warm_pair(l, s->slot[first]);
    // its micro-step goes on
    if (is_valid(l, of) && l->clock.now < of->time + of->T && has_no_impulse(s, first, count))
        return;
    double span = is_valid(l, of) ? span_of(l, of, T) : T;
    WarmPoint now[MAX_POINTS];
    bool is_long = span >= LEAST_SPAN * T;
    if (count > MAX_POINTS) return;
    for (int i = 0; i < count; i++) {
        const ContactPoint *t = &s->contact_point[first + i];
        const WarmPoint *before = stored_force(l, of, t);
        impVec3 force = scale(1 / max2(span, LEAST_SPAN * T),
                              contact_world(t, s->point[first + i].p));
        now[i] = (WarmPoint){ t->feature, is_long || !before ? force : before->force,
                              place_in_body(l, t) };
    }
    if (!reserve(l, of, count)) return;
    of->time = l->clock.now;
    of->T = T;
    of->count = count;
    for (int i = 0; i < count; i++) {
        l->warm_start.point[of->first + i] = now[i];
    }
}

void impulse_warm_start_store(Loop *l, double T) {
    const Island *s = &l->island;
    for (int i = 0, end; i < s->point_count; i = end) {
        end = end_of_pair(s, i);
        store_pair(l, i, end - i, T);
    }
}

double impulse_warm_start_middle(const Loop *l, int32_t slot, double since) {
    const WarmPair *of = &l->warm_start.pair[slot];
    bool going = l->queue.pair[slot].warm_started && is_valid(l, of) && of->time <= since &&
                 since < of->time + of->T;
    return going ? of->time + 0.5 * of->T : -HUGE_VAL;
}
