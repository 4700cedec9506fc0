// impulse_queue.c -- the pairs of the broad phase in a heap, earliest first.
//
// Physics.md D.3, D.4. An indexed heap (Williams 1964) of pair slots, ordered by (time, i, j):
// slots depend on history, times and bodies do not, so neither does the order of events. The heap
// holds all that its order asks for, so that a walk through it is a walk through little memory. Who
// is not due in this frame waits outside. When bodies fly anew their boxes and pairs are refreshed,
// theirs alone, and all their pairs are due for a look. Nearly all pairs are due when a frame
// begins: those are looked at one after the other in the order of their bodies, as memory has them,
// and only what happens within the frame goes into the heap.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

// below each place of the heap: half the steps of two, and no more to compare
enum { WAYS = 4 };
// of a pair; of all together
enum { MOST_HINTS = 64, MAX_START_FEATURES = 1 << 18, MAX_AXES_OF_ALL = 1 << 16 };

static bool before(const QueueEntry *p, const QueueEntry *q) {
    if (p->time != q->time) return p->time < q->time;
    return p->i != q->i ? p->i < q->i : p->j < q->j;
}

static void set_place(Loop *l, int place, const QueueEntry *d) {
    l->heap[place] = *d;
    l->place[d->slot] = place;
}

// -1: nothing is
static int earliest_below(const Loop *l, int place) {
    int first = WAYS * place + 1;
    int end = first + WAYS < l->heap_count ? first + WAYS : l->heap_count;
    int best = first;
    for (int k = first + 1; k < end; k++) {
        if (before(&l->heap[k], &l->heap[best])) {
            best = k;
        }
    }
    return first < end ? best : -1;
}

static void sift(Loop *l, int place, QueueEntry d) {
    for (int up; place > 0 && before(&d, &l->heap[up = (place - 1) / WAYS]); place = up) {
        set_place(l, place, &l->heap[up]);
    }
    for (int down; (down = earliest_below(l, place)) >= 0 && before(&l->heap[down], &d);
         place = down) {
        set_place(l, place, &l->heap[down]);
    }
    set_place(l, place, &d);
}

static void take_out(Loop *l, int32_t slot) {
    int place = l->place[slot];
    if (place < 0) return;
    l->place[slot] = -1;
    QueueEntry last = l->heap[--l->heap_count];
    if (place < l->heap_count) {
        sift(l, place, last);
    }
}

void impulse_schedule(Loop *l, Pair *p, double time) {
    int32_t slot = (int32_t)(p - l->pair);
    p->time = time;
    if (time >= l->frame_end) {
        take_out(l, slot);
    } else {
        sift(l, l->place[slot] < 0 ? l->heap_count++ : l->place[slot],
             (QueueEntry){ time, p->i, p->j, slot });
    }
}

Pair *impulse_first(Loop *l) { return l->heap_count ? &l->pair[l->heap[0].slot] : NULL; }

bool impulse_alone(const Loop *l, const Pair *p, double time) {
    if (time >= l->frame_end || l->heap_count == 0 || l->heap[0].slot != p - l->pair) return false;
    int next = earliest_below(l, 0);
    return next < 0 || l->heap[next].time > time;
}

// from this place of the heap down
static int find_due(const Loop *l, int place, double time, int32_t *slots, int room, int count) {
    if (place >= l->heap_count || l->heap[place].time > time || count >= room) return count;
    slots[count++] = l->heap[place].slot;
    for (int k = 1; k <= WAYS; k++) {
        count = find_due(l, WAYS * place + k, time, slots, room, count);
    }
    return count;
}

static bool bodies_before(const void *loop, int32_t p, int32_t q) {
    const Pair *one = &((const Loop *)loop)->pair[p];
    const Pair *other = &((const Loop *)loop)->pair[q];
    return one->i != other->i ? one->i < other->i : one->j < other->j;
}

int impulse_due_by(Loop *l, double time) {
    int room = l->room.pairs / 2;
    int count = find_due(l, 0, time, l->partners, room, 0);
    // the heap's own order has a history
    sort_stable(l->partners, l->partners + room, count, bodies_before, l);
    return count;
}

// Events jump about in space, and the memory of many bodies is in no cache: what the next look
// needs is called for while this one is at work. The next pair is the earliest below the first one
// in the heap, or was just looked at.
ALWAYS_IN_LINE void call_for_slot(const Loop *l, int32_t slot) {
    prefetch(&l->pair[slot], sizeof *l->pair);
    prefetch(&l->seen[slot], sizeof *l->seen);
}

void impulse_prefetch_next(Loop *l) {
    int next = earliest_below(l, 0);
    if (next < 0 || l->heap[next].slot == l->prefetched) return;
    const QueueEntry *d = &l->heap[next];
    l->prefetched = d->slot;
    call_for_slot(l, d->slot);
    impulse_prefetch_body(l, d->i);
    impulse_prefetch_body(l, d->j);
}

void impulse_prefetch_event(const Loop *l, const Pair *p) {
    const int body[2] = { p->i, p->j };
    for (int k = 0; k < 2; k++) {
        const Actor *a = &l->actor[body[k]];
        // collide/broad.c
        collide_broad_prefetch(&l->broad, body[k]);
        if (!a->free) continue;
        prefetch(&l->ledger[a->body->free], sizeof *l->ledger);
        prefetch(&a->body->mass, sizeof(double) + 2 * sizeof(impVec3) + 2 * sizeof(Mat3));
    }
}

// --- hints: one for every two pieces of a pair. They change no bit, and who has too many pieces go
int impulse_start_feature_count(const impModel *m, int pairs) {
    int64_t most = 0;
    int64_t most_free = 0;
    int64_t room = MAX_START_FEATURES / pairs;
    bool any = false;
    // else nobody walks
    for (int i = 0; i < m->shape_count; i++) {
        any = any || m->shape[i].edge_count > 0;
    }
    for (int i = 0; i < m->body_count; i++) {
        int64_t count = m->body[i].shape_count;
        if (count > most) {
            most = count;
        }
        if (m->body[i].free >= 0 && count > most_free) {
            most_free = count;
        }
    }
    if (room > MOST_HINTS) {
        room = MOST_HINTS;
    }
    if (room < 1) {
        room = 1;
    }
    return !any ? 0 : (int)(most * most_free < room ? most * most_free : room);
}

int impulse_axis_count(const impModel *m, int pairs) {
    int pieces = impulse_start_feature_count(m, pairs);
    int room = MAX_AXES_OF_ALL / pairs;
    if (room > MAX_AXES) {
        room = MAX_AXES;
    }
    return pieces < room ? pieces : room;
}

static int pieces_of(const Loop *l, const Pair *p) {
    // nobody need be asked
    if (l->start_features == 0) return 0;
    int64_t count = (int64_t)l->m->body[p->i].shape_count * l->m->body[p->j].shape_count;
    return count <= l->start_features ? (int)count : 0;
}

StartFeature *impulse_start_features(const Loop *l, const Pair *p) {
    return pieces_of(l, p) > 0 ? l->start_feature + (p - l->pair) * l->start_features : NULL;
}

// --- pairs ---------------------------------------------------------------------------------------
// due at once
static void admit(Loop *l, const BroadPair *b) {
    Pair *p = &l->pair[b->slot];
    *p = (Pair){ .i = b->i, .j = b->j, .stamp = -1 };
    for (int k = 0, count = pieces_of(l, p); k < count; k++) {
        l->start_feature[b->slot * l->start_features + k] = (StartFeature){ 0 };
    }
    l->place[b->slot] = -1;
    p->time = l->now;
}

// what the broad phase said last
static void follow(Loop *l, bool begins) {
    for (int i = 0; i < l->broad.removed_count; i++) {
        take_out(l, l->broad.removed[i].slot);
    }
    for (int i = 0; i < l->broad.added_count; i++) {
        const BroadPair *b = &l->broad.added[i];
        // little is done with each
        if (i + 2 * AHEAD < l->broad.added_count) {
            PREFETCH(&l->pair[b[2 * AHEAD].slot]);
            PREFETCH(&l->place[b[2 * AHEAD].slot]);
        }
        admit(l, b);
        if (!begins) {
            impulse_schedule(l, &l->pair[b->slot], l->now);
        }
    }
}

static void set_box(Loop *l, int body) {
    const Actor *a = &l->actor[body];
    double T = max2(l->frame_end - a->t, 0);
    double offset;
    impVec3 normal;
    if (a->free) {
        Box box = collide_box_free(a->body, &a->now, a->asleep ? vec(0, 0, 0) : a->acceleration,
                                   a->asleep ? 0 : T, l->band);
        collide_broad_set(&l->broad, body, box, a->asleep ? MOTION_ASLEEP : MOTION_DYNAMIC);
        return;
    }
    MotionType kinematic = motion_is_moving(l->m, body) ? MOTION_KINEMATIC : MOTION_STATIC;
    if (collide_half_space(l->m, body, a->pose, T, l->band, &normal, &offset)) {
        collide_broad_set_half_space(&l->broad, body, normal, offset, kinematic);
    } else {
        collide_broad_set(&l->broad, body, collide_box_kinematic(l->m, body, a->pose, T, l->band),
                          kinematic);
    }
}

static bool too_many(Loop *l) {
    return impulse_stop(l, IMP_FULL,
                        "more than %d pairs of bodies are near each other in one frame",
                        l->room.pairs);
}

#define SOON 1e-3  // of the frame

static void look_at_all(Loop *l) {
    double soon = l->now + SOON * (l->frame_end - l->now);
    for (int k = 0; k < l->broad.count; k++) {
        Pair *p = &l->pair[l->broad.pair[k].slot];
        if (k + AHEAD < l->broad.count) {
            const BroadPair *next = &l->broad.pair[k + AHEAD];
            call_for_slot(l, next->slot);
            if (next->i != next[-1].i) {
                impulse_prefetch_body(l, next->i);
            }
            impulse_prefetch_body(l, next->j);
        }
        // impulse_event.c
        if (p->time < soon) {
            impulse_start_pair(l, p);
        } else {
            impulse_schedule(l, p, p->time);
        }
    }
}

bool impulse_frame(Loop *l, double from, double to) {
    l->now = from;
    l->frame_end = to;
    for (int i = 0; i < l->m->body_count; i++) {
        if (i + AHEAD < l->m->body_count) {
            impulse_prefetch_body(l, i + AHEAD);
        }
        contact_move(l->m, &l->actor[i], from);
        set_box(l, i);
    }
    if (!collide_broad_update(&l->broad)) return too_many(l);
    follow(l, true);
    look_at_all(l);
    return true;
}

int impulse_partners(Loop *l, int body) {
    const BroadPair *list;
    int count = collide_broad_partners(&l->broad, body, &list);
    for (int i = 0; i < count; i++) {
        l->partners[i] = list[i].slot;
    }
    return count;
}

bool impulse_refresh(Loop *l, const int *bodies, int count) {
    for (int i = 0; i < count; i++) {
        set_box(l, bodies[i]);
    }
    for (int i = 0; i < count; i++) {
        if (!collide_broad_refresh(&l->broad, bodies[i], -1)) return too_many(l);
        follow(l, false);
        int partners = impulse_partners(l, bodies[i]);
        for (int k = 0; k < partners; k++) {
            Pair *p = &l->pair[l->partners[k]];
            call_for_slot(l, l->partners[k]);
            impulse_prefetch_body(l, p->i == bodies[i] ? p->j : p->i);
            impulse_schedule(l, p, l->now);
        }
    }
    return true;
}
