// impulse_island.c -- bodies joined by points in the band, and their points: who hops together, and
// whom a blow reaches.
//
// microcollisions.md sec. 3, from the pair that is due outwards. Points that approach faster than
// what is microscopic have no part in a hop: they collide ordinarily (impulse_impact.c).
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

// --- seats ---------------------------------------------------------------------------------------
void impulse_island_add(Loop *l, int body) {
    Island *s = &l->island;
    if (!l->actor[body].free || s->island_index[body] >= 0) return;
    s->island_index[body] = s->bodies;
    s->member[s->bodies] = body;
    s->mark[s->bodies] = IN_ISLAND;
    s->body[s->bodies] = s->before[s->bodies] = contact_microstep_body(&l->actor[body]);
    s->bodies++;
}

void impulse_island_clear(Loop *l) {
    Island *s = &l->island;
    for (int i = 0; i < s->bodies; i++) {
        s->island_index[s->member[i]] = -1;
    }
    s->bodies = s->touches = 0;
}

void impulse_island_begin(Loop *l) {
    l->island.bodies = l->island.touches = 0;
    l->island.stamp++;
}

// --- points --------------------------------------------------------------------------------------
bool impulse_island_is_apart(const Loop *l, const Pair *p) {
    const Actor *a = &l->actor[p->i];
    const Actor *b = &l->actor[p->j];
    if (p->seen && contact_cache_distance(&l->seen[p - l->pair], a, b) > l->band) return true;
    return a->free && b->free && contact_far_apart(a, b, l->band);
}

int impulse_island_points(Loop *l, Pair *p) {
    Island *s = &l->island;
    ContactPoint *list = s->contact_point + s->touches;
    p->stamp = s->stamp;
    contact_move(l->m, &l->actor[p->i], l->now);
    contact_move(l->m, &l->actor[p->j], l->now);
    if (impulse_island_is_apart(l, p)) return 0;
    impulse_narrow_phase(l, p, 0);
    if (l->narrow_phase->list.nearest.c.distance > l->band) return 0;
    int count = contact_points(l->m, l->narrow_phase, l->band, list, l->room.touches - s->touches);
    for (int i = 0; i < count; i++) {
        contact_set_time_scales(l->m, &l->actor[list[i].a], &l->actor[list[i].b], l->band,
                                l->gravity_substitute, &list[i]);
        s->slot[s->touches + i] = (int32_t)(p - l->pair);
    }
    return count;
}

// --- who hops together ---------------------------------------------------------------------------
// found just now; those that are slow
static bool add_points(Loop *l, const Pair *p, int count) {
    Island *s = &l->island;
    ContactPoint *list = s->contact_point + s->touches;
    int kept = 0;
    if (count < 0)
        return impulse_stop(l, IMP_FULL, "more than %d points touch at once", l->room.touches);
    for (int i = 0; i < count; i++) {
        if (-list[i].u.z < list[i].micro.threshold) {
            list[kept++] = list[i];
        }
    }
    if (kept == 0) return true;
    if (!impulse_wake_both(l, p->i, p->j)) return false;
    impulse_island_add(l, p->i);
    impulse_island_add(l, p->j);
    s->touches += kept;
    return true;
}

static bool add_pair(Loop *l, Pair *p) { return add_points(l, p, impulse_island_points(l, p)); }

// it was just looked at: l->touch has them
static bool add_first(Loop *l, Pair *p, int count) {
    Island *s = &l->island;
    p->stamp = s->stamp;
    for (int i = 0; i < count; i++) {
        s->contact_point[i] = l->contact_point[i];
        s->slot[i] = (int32_t)(p - l->pair);
    }
    return add_points(l, p, count);
}

bool impulse_island_gather(Loop *l, Pair *first, int points) {
    Island *s = &l->island;
    impulse_island_begin(l);
    if (!add_first(l, first, points)) return false;
    // all that stands under it is between
    for (int i = 0, begin = 0; i < s->bodies; i++, begin = s->touches) {
        int count = impulse_partners(l, s->member[i]);
        for (int k = 0; k < count; k++) {
            Pair *p = &l->pair[l->partners[k]];
            bool sleeper = l->actor[p->i].asleep || l->actor[p->j].asleep;
            if (p->stamp == s->stamp) continue;
            if (!add_pair(l, p)) return false;
            // one that wakes has new pairs
            if (sleeper) {
                count = impulse_partners(l, s->member[i]);
                k = -1;
            }
        }
        s->touches = begin + contact_reduce_floor(s->contact_point + begin, s->slot + begin,
                                                  s->touches - begin, l->band);
    }
    return true;
}
