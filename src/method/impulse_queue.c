// impulse_queue.c -- pairs in the order of their times: an indexed heap [Williams 1964].
//
// The order is (time, first body, second body): slots depend on the history of the broad phase,
// times and bodies do not, so neither does the order of events. An entry holds all that the order
// asks for, so that a walk through the heap is a walk through little memory. Pairs that are not due
// within the interval are not in the heap (docs/theory/collision-detection.md, section 3).
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

// Children of each place of the heap: half the levels of a binary heap, and as many comparisons.
enum { CHILDREN = 4 };

static bool comes_before(const QueueEntry *p, const QueueEntry *q) {
    if (p->time != q->time) return p->time < q->time;
    return p->i != q->i ? p->i < q->i : p->j < q->j;
}

static void set_place(PairQueue *queue, int place, const QueueEntry *entry) {
    queue->heap[place] = *entry;
    queue->place[entry->slot] = place;
}

// The earliest child of a place; -1: it has none.
static int earliest_child(const PairQueue *queue, int place) {
    int first = CHILDREN * place + 1;
    int end = first + CHILDREN < queue->heap_count ? first + CHILDREN : queue->heap_count;
    int best = first;
    for (int k = first + 1; k < end; k++) {
        if (comes_before(&queue->heap[k], &queue->heap[best])) {
            best = k;
        }
    }
    return first < end ? best : -1;
}

// Puts an entry at a place, and then up or down to where the order has it.
static void sift(PairQueue *queue, int place, QueueEntry entry) {
    for (int up; place > 0 && comes_before(&entry, &queue->heap[up = (place - 1) / CHILDREN]);
         place = up) {
        set_place(queue, place, &queue->heap[up]);
    }
    for (int down;
         (down = earliest_child(queue, place)) >= 0 && comes_before(&queue->heap[down], &entry);
         place = down) {
        set_place(queue, place, &queue->heap[down]);
    }
    set_place(queue, place, &entry);
}

void impulse_unschedule(PairQueue *queue, int32_t slot) {
    int place = queue->place[slot];
    if (place < 0) return;
    queue->place[slot] = -1;
    QueueEntry last = queue->heap[--queue->heap_count];
    if (place < queue->heap_count) {
        sift(queue, place, last);
    }
}

void impulse_schedule(PairQueue *queue, const Clock *clock, Pair *pair, double time) {
    int32_t slot = impulse_slot(queue, pair);
    pair->time = time;
    if (time >= clock->interval_end) {
        impulse_unschedule(queue, slot);
        return;
    }
    int place = queue->place[slot] < 0 ? queue->heap_count++ : queue->place[slot];
    sift(queue, place, (QueueEntry){ time, pair->i, pair->j, slot });
}

Pair *impulse_first(const PairQueue *queue) {
    return queue->heap_count ? &queue->pair[queue->heap[0].slot] : NULL;
}

bool impulse_is_alone(const PairQueue *queue, const Clock *clock, const Pair *pair, double time) {
    bool known = time < clock->interval_end && queue->heap_count > 0 &&
                 queue->heap[0].slot == pair - queue->pair;
    if (!known) return false;
    int next = earliest_child(queue, 0);
    return next < 0 || queue->heap[next].time > time;
}

// Appends the pairs that are due until a time, from a place of the heap downwards.
static int append_due(PairQueue *queue, int place, double time, int room, int count) {
    if (place >= queue->heap_count || queue->heap[place].time > time || count >= room) return count;
    queue->partners[count++] = queue->heap[place].slot;
    for (int k = 1; k <= CHILDREN; k++) {
        count = append_due(queue, CHILDREN * place + k, time, room, count);
    }
    return count;
}

static bool bodies_come_before(const void *context, int32_t p, int32_t q) {
    const PairQueue *queue = context;
    const Pair *one = &queue->pair[p];
    const Pair *other = &queue->pair[q];
    return one->i != other->i ? one->i < other->i : one->j < other->j;
}

int impulse_due_by(PairQueue *queue, double time) {
    int room = queue->broad.room / 2;
    int count = append_due(queue, 0, time, room, 0);
    // the order of the heap has a history, that of the bodies has none
    sort_stable(queue->partners, queue->partners + room, count, bodies_come_before, queue);
    return count;
}

// Events jump about in space, and the memory of many bodies is in no cache: that of the next query
// is prefetched while this one is at work. The next pair is the earliest below the first one
// of the heap, or was just queried.
void impulse_prefetch_next(PairQueue *queue, const PairCache *cache, const Flights *flights,
                           const impModel *m) {
    int next = earliest_child(queue, 0);
    if (next < 0 || queue->heap[next].slot == queue->prefetched) return;
    const QueueEntry *entry = &queue->heap[next];
    queue->prefetched = entry->slot;
    impulse_prefetch_pair(queue, cache, entry->slot);
    impulse_prefetch_body(flights, m, entry->i);
    impulse_prefetch_body(flights, m, entry->j);
}
