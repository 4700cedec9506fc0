// broad.c -- which pairs of boxes overlap, and what has changed since the last time.
//
// Lifetime of pairs as in docs/theory/collision-detection.md, section 3: all boxes are new at the
// start of an interval, those of two bodies after a collision. grid.c finds the pairs, in no order;
// here they are put in order and compared with those known, each body's in turn: a pair that is
// found again keeps its slot. Every pair is in two lists, of its lower and of its higher body, so
// that the pairs of one body can be renewed without visiting the others.
//
// Nothing is allocated: all memory is one block, counted by the same function that cuts it.
//
// SPDX-License-Identifier: MIT
#include "collide/grid.h"

#include <assert.h>
#include <string.h>

// in the lists of i (0) and j (1); slot + 1, 0: the end
typedef struct Slot {
    int32_t i, j, next[2], prev[2];
} Slot;
// a body's pairs as the lower and as the higher one
typedef struct Ends {
    int32_t first[2];
} Ends;

struct BroadInside {
    Grid grid;
    Ends *ends;
    int32_t *mark, *start;  // by body: its slot + 1 with the one in question, else 0; for counting
    Slot *slot;
    int32_t *unused;
    int unused_count;
    Found *spare;
    BroadPair *pair, *mine;
};
typedef struct BroadInside Inside;

static size_t lay_out(char *memory, Broad *b, Inside *in, int bodies, int room) {
    size_t used = 0;
    size_t n = (size_t)bodies;
    size_t pairs = (size_t)room;
    b->inside = collide_cut(memory, &used, 1, sizeof *in);
    collide_grid_lay_out(&in->grid, memory, &used, bodies, room);
    in->ends = collide_cut(memory, &used, n, sizeof *in->ends);
    in->mark = collide_cut(memory, &used, n, sizeof *in->mark);
    in->start = collide_cut(memory, &used, n + 1, sizeof *in->start);
    in->slot = collide_cut(memory, &used, pairs, sizeof *in->slot);
    in->unused = collide_cut(memory, &used, pairs, sizeof *in->unused);
    in->spare = collide_cut(memory, &used, pairs, sizeof *in->spare);
    in->pair = collide_cut(memory, &used, pairs, sizeof *in->pair);
    in->mine = collide_cut(memory, &used, pairs, sizeof *in->mine);
    b->added = collide_cut(memory, &used, pairs, sizeof *b->added);
    b->removed = collide_cut(memory, &used, pairs, sizeof *b->removed);
    return used;
}

size_t collide_broad_size(int bodies, int room) {
    Broad b;
    Inside in;
    return lay_out(NULL, &b, &in, bodies, room);
}

Broad collide_broad_init(void *memory, int bodies, int room) {
    Broad b = { .bodies = bodies, .room = room };
    Inside in = { .unused_count = 0 };
    assert(memory && (uintptr_t)memory % GRID_LINE == 0 && bodies < 1 << 28);
    lay_out(memory, &b, &in, bodies, room);
    collide_grid_init(&in.grid);
    memset(in.ends, 0, (size_t)bodies * sizeof *in.ends);
    memset(in.mark, 0, (size_t)bodies * sizeof *in.mark);
    // taken from the end: 0 first
    for (int s = room; s-- > 0;) {
        in.unused[in.unused_count++] = s;
    }
    b.pair = in.pair;
    *b.inside = in;
    return b;
}

void collide_broad_set(Broad *b, int body, Box box, MotionType motion_type) {
    b->inside->grid.given[body] = (Given){ .box = box, .motion_type = (uint8_t)motion_type };
}

void collide_broad_set_half_space(Broad *b, int body, impVec3 normal, double offset,
                                  MotionType motion_type) {
    b->inside->grid.given[body] = (Given){ .box = { normal, vec(offset, 0, 0) },
                                           .motion_type = (uint8_t)motion_type,
                                           .half_space = true };
}

// --- the pairs -----------------------------------------------------------------------------------
// By counting, first by the higher body, then by the lower: stable, so the second keeps the order
// of the first.
static void count_and_move(const Found *from, Found *to, int count, bool lower, int32_t *start,
                           int bodies) {
    memset(start, 0, ((size_t)bodies + 1) * sizeof *start);
    for (int k = 0; k < count; k++) {
        start[(lower ? from[k].i : from[k].j) + 1]++;
    }
    for (int i = 0; i < bodies; i++) {
        start[i + 1] += start[i];
    }
    for (int k = 0; k < count; k++) {
        to[start[lower ? from[k].i : from[k].j]++] = from[k];
    }
}

static void put_in_order(Broad *b) {
    Inside *in = b->inside;
    int count = (int)in->grid.found_count;
    count_and_move(in->grid.found, in->spare, count, false, in->start, b->bodies);
    count_and_move(in->spare, in->grid.found, count, true, in->start, b->bodies);
}

static void join(Inside *in, int s, int side, int body) {
    Slot *slot = &in->slot[s];
    int32_t *first = &in->ends[body].first[side];
    slot->next[side] = *first;
    slot->prev[side] = 0;
    if (*first) {
        in->slot[*first - 1].prev[side] = s + 1;
    }
    *first = s + 1;
}

static void part(Inside *in, int s, int side, int body) {
    Slot *slot = &in->slot[s];
    if (slot->prev[side]) {
        in->slot[slot->prev[side] - 1].next[side] = slot->next[side];
    } else {
        in->ends[body].first[side] = slot->next[side];
    }
    if (slot->next[side]) {
        in->slot[slot->next[side] - 1].prev[side] = slot->prev[side];
    }
}

// -1: full
static int add_pair(Broad *b, int i, int j) {
    Inside *in = b->inside;
    if (in->unused_count == 0) return -1;
    int s = in->unused[--in->unused_count];
    in->slot[s].i = i;
    in->slot[s].j = j;
    join(in, s, 0, i);
    join(in, s, 1, j);
    b->added[b->added_count++] = (BroadPair){ i, j, s };
    b->count++;
    return s;
}

static void remove_pair(Broad *b, int s) {
    Inside *in = b->inside;
    Slot *slot = &in->slot[s];
    b->removed[b->removed_count++] = (BroadPair){ slot->i, slot->j, s };
    part(in, s, 0, slot->i);
    part(in, s, 1, slot->j);
    in->unused[in->unused_count++] = s;
    b->count--;
}

static int partner(const Slot *slot, int side) { return side ? slot->i : slot->j; }

static void mark_pairs(Inside *in, int body, int side) {
    for (int s = in->ends[body].first[side]; s; s = in->slot[s - 1].next[side]) {
        in->mark[partner(&in->slot[s - 1], side)] = s;
    }
}

static bool by_number(const void *context, int32_t i, int32_t j) {
    (void)context;
    return i < j;
}

// Partners whose mark still stands, behind the count there are already.
static int list_marked(const Broad *b, int body, int side, int32_t *gone, int count) {
    const Inside *in = b->inside;
    for (int s = in->ends[body].first[side]; s; s = in->slot[s - 1].next[side]) {
        int c = partner(&in->slot[s - 1], side);
        if (in->mark[c]) {
            gone[count++] = c;
        }
    }
    return count;
}

static void remove_marked(Broad *b, int32_t *gone, int count) {
    Inside *in = b->inside;
    sort_stable(gone, gone + b->room, count, by_number, NULL);
    for (int k = 0; k < count; k++) {
        remove_pair(b, in->mark[gone[k]] - 1);
        in->mark[gone[k]] = 0;
    }
}

// Found pairs [from, to) are those of body i as the lower one. Known ones keep their slot, new ones
// wait with -1; pairs whose mark was not wiped out were not found, and end.
static void compare_lower(Broad *b, int i, int from, int to) {
    Inside *in = b->inside;
    mark_pairs(in, i, 0);
    for (int k = from; k < to; k++) {
        int j = in->grid.found[k].j;
        in->pair[k] = (BroadPair){ i, j, in->mark[j] - 1 };
        in->mark[j] = 0;
    }
    int32_t *gone = (int32_t *)in->spare;
    remove_marked(b, gone, list_marked(b, i, 0, gone, 0));
}

bool collide_broad_update(Broad *b) {
    Inside *in = b->inside;
    b->added_count = b->removed_count = 0;
    collide_grid_place_all(&in->grid);
    collide_grid_find_all(&in->grid);
    b->needed = in->grid.found_count;
    if (in->grid.found_count > b->room) return false;
    put_in_order(b);
    int count = (int)in->grid.found_count;
    for (int i = 0, k = 0; i < b->bodies; i++) {
        int from = k;
        int soon = i + 8 < b->bodies ? in->ends[i + 8].first[0] : 0;
        if (soon) {
            PREFETCH(&in->slot[soon - 1]);
        }
        while (k < count && in->grid.found[k].i == i) {
            k++;
        }
        if (k > from || in->ends[i].first[0]) {
            compare_lower(b, i, from, k);
        }
    }
    for (int k = 0; k < count; k++) {
        if (in->pair[k].slot < 0) {
            in->pair[k].slot = add_pair(b, in->pair[k].i, in->pair[k].j);
        }
    }
    return true;
}

// --- one or two bodies ---------------------------------------------------------------------------
void collide_broad_prefetch(const Broad *b, int body) {
    PREFETCH(&b->inside->ends[body]);
    PREFETCH(&b->inside->mark[body]);
    collide_grid_call_for(&b->inside->grid, body);
}

static bool refresh_one(Broad *b, int body) {
    Inside *in = b->inside;
    int32_t *list = (int32_t *)in->spare;
    collide_grid_find_of(&in->grid, body);
    b->needed = in->grid.found_count;
    if (in->grid.found_count > b->room) return false;
    mark_pairs(in, body, 0);
    mark_pairs(in, body, 1);
    int fresh = 0, gone = 0;
    for (int k = 0; k < in->grid.found_count; k++) {
        int c = in->grid.found[k].i == body ? in->grid.found[k].j : in->grid.found[k].i;
        if (in->mark[c]) {
            in->mark[c] = 0;
        } else {
            in->grid.found[fresh++] = (Found){ c, 0 };
        }
    }
    gone = list_marked(b, body, 0, list, list_marked(b, body, 1, list, gone));
    remove_marked(b, list, gone);
    for (int k = 0; k < fresh; k++) {
        list[k] = in->grid.found[k].i;
    }
    sort_stable(list, list + b->room, fresh, by_number, NULL);
    b->needed = (int64_t)b->count + fresh;
    for (int k = 0; k < fresh; k++) {
        if (add_pair(b, list[k] < body ? list[k] : body, list[k] < body ? body : list[k]) < 0)
            return false;
    }
    return true;
}

bool collide_broad_refresh(Broad *b, int body, int other) {
    b->added_count = b->removed_count = 0;
    collide_grid_place(&b->inside->grid, body);
    if (other >= 0) {
        collide_grid_place(&b->inside->grid, other);
    }
    return refresh_one(b, body) && (other < 0 || refresh_one(b, other));
}

int collide_broad_partners(Broad *b, int body, const BroadPair **list) {
    Inside *in = b->inside;
    int32_t *near = (int32_t *)in->spare;
    mark_pairs(in, body, 0);
    mark_pairs(in, body, 1);
    int count = list_marked(b, body, 0, near, list_marked(b, body, 1, near, 0));
    sort_stable(near, near + b->room, count, by_number, NULL);
    for (int k = 0; k < count; k++) {
        int c = near[k];
        in->mine[k] = (BroadPair){ c < body ? c : body, c < body ? body : c, in->mark[c] - 1 };
        in->mark[c] = 0;
    }
    *list = in->mine;
    return count;
}
