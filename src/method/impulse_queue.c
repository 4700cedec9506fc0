// impulse_queue.c -- the pairs of the broad phase in a heap, earliest first.
//
// Physics.md D.3, D.4. An indexed binary heap (Williams 1964) of pair slots, ordered by (time, i, j): slots depend on
// history, times and bodies do not, so neither does the order of events. When bodies fly anew their boxes and pairs are
// refreshed, theirs alone, and all their pairs are due for a look.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

static bool before(const Loop *l, int32_t a, int32_t b) {
    const Pair *p = &l->pair[a], *q = &l->pair[b];
    if (p->time != q->time) return p->time < q->time;
    return p->i != q->i ? p->i < q->i : p->j < q->j;
}

static void set_place(Loop *l, int place, int32_t slot) { l->heap[place] = slot, l->pair[slot].place = place; }

static void sift(Loop *l, int place, int32_t slot) {
    for (int up; place > 0 && before(l, slot, l->heap[up = (place - 1) / 2]); place = up) set_place(l, place, l->heap[up]);
    for (int down = 2 * place + 1; down < l->heap_count; down = 2 * place + 1) {
        if (down + 1 < l->heap_count && before(l, l->heap[down + 1], l->heap[down])) down++;
        if (!before(l, l->heap[down], slot)) break;
        set_place(l, place, l->heap[down]);
        place = down;
    }
    set_place(l, place, slot);
}

void impulse_schedule(Loop *l, Pair *p, double time) {
    int32_t slot = (int32_t)(p - l->pair);
    p->time = time;
    sift(l, p->place < 0 ? l->heap_count++ : p->place, slot);
}

static void take_out(Loop *l, Pair *p) {
    int place = p->place;
    if (place < 0) return;
    p->place = -1;
    int32_t last = l->heap[--l->heap_count];
    if (place < l->heap_count) sift(l, place, last);
}

Pair *impulse_first(Loop *l) {
    Pair *p = l->heap_count ? &l->pair[l->heap[0]] : NULL;
    return p && p->time < l->frame_end ? p : NULL;
}

static void admit(Loop *l, const BroadPair *b) {
    Pair *p = &l->pair[b->slot];
    *p = (Pair){ .i = b->i, .j = b->j, .place = -1, .stamp = -1 };
    impulse_schedule(l, p, l->now);
}

static void follow(Loop *l) {                                     // what the broad phase said last
    for (int i = 0; i < l->broad.removed_count; i++) take_out(l, &l->pair[l->broad.removed[i].slot]);
    for (int i = 0; i < l->broad.added_count; i++) admit(l, &l->broad.added[i]);
}

static void set_box(Loop *l, int body) {
    const Actor *a = &l->actor[body];
    double T = max2(l->frame_end - a->t, 0), offset;
    impVec3 normal;
    Flying now = { a->x, a->q, a->v, a->w };
    if (a->free && a->asleep) collide_broad_set(&l->broad, body, collide_box_free(a->body, &now, vec(0, 0, 0), 0, l->band), true);
    else if (a->free) collide_broad_set(&l->broad, body, collide_box_free(a->body, &now, l->m->gravity, T, l->band), false);
    else if (collide_half_space(l->m, body, a->pose, T, l->band, &normal, &offset))
        collide_broad_set_half_space(&l->broad, body, normal, offset);
    else collide_broad_set(&l->broad, body, collide_box_led(l->m, body, a->pose, T, l->band), true);
}

static bool too_many(Loop *l) {
    return impulse_stop(l, IMP_FULL, "more than %d pairs of bodies are near each other in one frame", l->room.pairs);
}

bool impulse_frame(Loop *l, double from, double to) {
    l->now = from, l->frame_end = to;
    for (int i = 0; i < l->m->body_count; i++) {
        contact_move(l->m, &l->actor[i], from);
        set_box(l, i);
    }
    if (!collide_broad_update(&l->broad)) return too_many(l);
    follow(l);
    return true;
}

int impulse_partners(Loop *l, int body) {
    const BroadPair *list;
    int count = collide_broad_partners(&l->broad, body, &list);
    for (int i = 0; i < count; i++) l->partners[i] = list[i].slot;
    return count;
}

bool impulse_refresh(Loop *l, const int *bodies, int count) {
    for (int i = 0; i < count; i++) set_box(l, bodies[i]);
    for (int i = 0; i < count; i++) {
        if (!collide_broad_refresh(&l->broad, bodies[i], -1)) return too_many(l);
        follow(l);
        int partners = impulse_partners(l, bodies[i]);
        for (int k = 0; k < partners; k++) impulse_schedule(l, &l->pair[l->partners[k]], l->now);
    }
    return true;
}
