// broad.c -- which boxes overlap: a hierarchical spatial hash, kept up to date from frame to frame.
//
// After Overmars ("Point location in fat subdivisions", 1992), whom Mirtich & Canny 1995, section 3, follow; the form is
// that of physics.md D.2 and D.3. Level k cuts space into cubes of side 2^k m. A box lives on the lowest level whose side
// is at least its longest one, and is listed in the cells it meets there: one or two on each axis, at most 8. Two boxes
// that overlap are found from the smaller one, which looks through the cells it meets on its own and every occupied
// higher level; the pair counts only in the cell that holds the lowest corner of their intersection, hence once. Boxes
// that fit no level (planes) are kept apart and compared with everyone.
//
// Cells lie in the table by tiles of 4 x 4 x 4, so that a walk over the table is a walk through space: the boxes around
// one are still in the cache when their turn comes, and the cost of a body hardly grows with the number of bodies. A
// cell's list is a chain of (tag, entry), entry = 8 body + corner; the tag tells cells of one bucket apart without a look
// at the body. A wrong guess costs a comparison, never a pair: the truth is the overlap of boxes alone.
//
// Assumed: fewer than 2^28 bodies. All sides are powers of two and cell numbers are monotone in the coordinate, also
// where they saturate; that is all the proof needs, so no rounding can lose a pair.
//
// SPDX-License-Identifier: MIT
#include "collide/collide.h"

#include <assert.h>
#include <string.h>

enum { LEVELS = 64, LOWEST = -24 };              // sides from 2^-24 m, below the smallest shape, to 2^39 m
enum { NOWHERE = -1, APART = LEVELS };           // levels of bodies without a box, and of those that fit none
#ifndef TILE
#define TILE 3
#endif
enum { TILE_MASK = (1 << TILE) - 1 };
enum { BUCKETS = 8, LINE = 64, AHEAD = 16 };      // buckets a body; cache line; buckets to look ahead

typedef struct Held {                            // one line: what comparing needs
    Box box;                                     // half space: the normal, and in high.x the offset
    int32_t first[2];                            // its pairs as the lower and as the higher body; slot + 1, 0: none
    int8_t level;
    bool still, half_space;
} Held;
typedef struct Cells { int64_t x, y, z; int32_t spans; int32_t apart; } Cells;   // lowest; bit k: two on axis k; place in apart
typedef struct Links { uint64_t next[8]; } Links;
typedef struct Slot { int32_t i, j, next[2], prev[2]; } Slot;                    // in the lists of i (0) and j (1); slot + 1
typedef struct Found { int32_t i, j; } Found;

struct BroadInside {
    Held *held;
    Cells *cells;
    Links *links;
    uint64_t *bucket, mask;
    uint64_t occupied;                           // bit k: level k has bodies
    int level_count[LEVELS];
    int32_t *apart;
    int apart_count;
    int32_t *mark, *start;                       // a body's slot + 1 with the one in question, else 0; for counting
    Slot *slot;
    int32_t *unused;
    int unused_count;
    Found *found, *spare;
    int64_t found_count;                         // counts on beyond the room
    BroadPair *pair, *mine;
};
typedef struct BroadInside Inside;

// --- memory ------------------------------------------------------------------------------------------------------------
static void *cut(char *memory, size_t *used, size_t count, size_t each) {
    size_t at = *used;
    *used += (count * each + LINE - 1) / LINE * LINE;
    return memory ? memory + at : NULL;
}

static size_t bucket_count(int bodies) {
    size_t count = 64;
    while (count < BUCKETS * (size_t)bodies) count *= 2;
    return count;
}

static size_t lay_out(char *memory, Broad *b, Inside *in, int bodies, int room) {
    size_t used = 0, n = (size_t)bodies, pairs = (size_t)room, buckets = bucket_count(bodies);
    b->inside = cut(memory, &used, 1, sizeof *in);
    in->held = cut(memory, &used, n, sizeof *in->held);
    in->cells = cut(memory, &used, n, sizeof *in->cells);
    in->links = cut(memory, &used, n, sizeof *in->links);
    in->bucket = cut(memory, &used, buckets, sizeof *in->bucket);
    in->mask = buckets - 1;
    in->apart = cut(memory, &used, n, sizeof *in->apart);
    in->mark = cut(memory, &used, n, sizeof *in->mark);
    in->start = cut(memory, &used, n + 1, sizeof *in->start);
    in->slot = cut(memory, &used, pairs, sizeof *in->slot);
    in->unused = cut(memory, &used, pairs, sizeof *in->unused);
    in->found = cut(memory, &used, pairs, sizeof *in->found);
    in->spare = cut(memory, &used, pairs, sizeof *in->spare);
    in->pair = cut(memory, &used, pairs, sizeof *in->pair);
    in->mine = cut(memory, &used, pairs, sizeof *in->mine);
    b->added = cut(memory, &used, pairs, sizeof *b->added);
    b->removed = cut(memory, &used, pairs, sizeof *b->removed);
    return used;
}

size_t collide_broad_size(int bodies, int room) {
    Broad b;
    Inside in;
    return lay_out(NULL, &b, &in, bodies, room);
}

Broad collide_broad_init(void *memory, int bodies, int room) {
    Broad b = { .bodies = bodies, .room = room };
    Inside in = { 0 };
    assert(memory && (uintptr_t)memory % LINE == 0 && bodies < 1 << 28);
    lay_out(memory, &b, &in, bodies, room);
    for (int i = 0; i < bodies; i++) in.held[i] = (Held){ .level = NOWHERE };
    memset(in.bucket, 0, (size_t)(in.mask + 1) * sizeof *in.bucket);
    memset(in.mark, 0, (size_t)bodies * sizeof *in.mark);
    for (int s = room; s-- > 0;) in.unused[in.unused_count++] = s;      // taken from the end: 0 first
    b.pair = in.pair;
    *b.inside = in;
    return b;
}

// --- numbers of cells ------------------------------------------------------------------------------------------------------
static double power_of_two(int exponent) {
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int exponent_above(double side) {             // least e with 2^e >= side, for side >= 0
    uint64_t bits;
    memcpy(&bits, &side, sizeof bits);
    int e = (int)(bits >> 52) - 1023;
    return bits << 12 ? e + 1 : e;
}

static int64_t cell_of(double x, double per_side) {   // floor, saturated: monotone in x
    const int64_t most = (int64_t)1 << 62;
    double at = x * per_side;
    if (!(at > -(double)most)) return -most;
    if (!(at < (double)most)) return most;
    int64_t cut_off = (int64_t)at;
    return cut_off - (at < (double)cut_off);
}

static double per_side_of(int level) { return power_of_two(-(level + LOWEST)); }

typedef struct Place { int level; Cells cells; } Place;

static Cells cells_of(Box box, double per_side, bool *fits) {
    Cells c = { cell_of(box.low.x, per_side), cell_of(box.low.y, per_side), cell_of(box.low.z, per_side), 0, 0 };
    int64_t x = cell_of(box.high.x, per_side) - c.x, y = cell_of(box.high.y, per_side) - c.y;
    int64_t z = cell_of(box.high.z, per_side) - c.z;
    c.spans = (x > 0) | (y > 0) << 1 | (z > 0) << 2;
    *fits = x < 2 && y < 2 && z < 2;
    return c;
}

// A side that was rounded down may still reach into a third cell: then one level higher.
static Place place_of(Box box) {
    impVec3 sides = sub(box.high, box.low);
    Place p = { .level = APART };
    if (box.low.x > box.high.x || box.low.y > box.high.y || box.low.z > box.high.z) p.level = NOWHERE;
    if (p.level == NOWHERE || !finite3(sides)) return p;
    int level = exponent_above(largest(sides)) - LOWEST;
    bool fits = false;
    for (level = level < 0 ? 0 : level; level < LEVELS && !fits; level++) {
        p.cells = cells_of(box, per_side_of(level), &fits);
        if (fits) p.level = level;
    }
    return p;
}

// --- the table -----------------------------------------------------------------------------------------------------------------
static uint64_t mix(uint64_t h) {
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    return h ^ h >> 32;
}

typedef struct Cell { uint64_t *chain; uint32_t tag; } Cell;

static Cell cell_at(const Inside *in, int level, int64_t x, int64_t y, int64_t z) {
    uint64_t ux = (uint64_t)x, uy = (uint64_t)y, uz = (uint64_t)z;
    uint64_t tile = mix((ux >> TILE) * 0x9e3779b97f4a7c15u + (uy >> TILE) * 0xbf58476d1ce4e5b9u +
                        (uz >> TILE) * 0x94d049bb133111ebu + (uint64_t)level * 0xff51afd7ed558ccdu);
    uint64_t inner = (ux & TILE_MASK) | (uy & TILE_MASK) << TILE | (uz & TILE_MASK) << 2 * TILE;
    return (Cell){ &in->bucket[(tile << 3 * TILE | inner) & in->mask], (uint32_t)(tile >> 32) };
}

static uint64_t link_to(Cell c, int body, int corner) { return (uint64_t)c.tag << 32 | (uint32_t)(8 * body + corner + 1); }
static uint32_t link_tag(uint64_t link) { return (uint32_t)(link >> 32); }
static int link_body(uint64_t link) { return (int)(((uint32_t)link - 1) >> 3); }
static int link_corner(uint64_t link) { return (int)(((uint32_t)link - 1) & 7); }
static uint64_t *link_next(const Inside *in, uint64_t link) { return &in->links[link_body(link)].next[link_corner(link)]; }

// Calls for memory that will be needed soon; says nothing about its contents.
#if defined(__GNUC__)
#define CALL_FOR(address) __builtin_prefetch(address)
#else
#define CALL_FOR(address) ((void)(address))
#endif

static void call_for_body(const Inside *in, uint64_t link) {
    if (!link) return;
    CALL_FOR(&in->links[link_body(link)]);
    CALL_FOR(&in->held[link_body(link)]);
}

static Cell corner_cell(const Inside *in, int level, const Cells *c, int corner) {
    return cell_at(in, level, c->x + (corner & 1), c->y + (corner >> 1 & 1), c->z + (corner >> 2));
}

static void enter_table(Inside *in, int body, int level, const Cells *c) {
    for (int k = 0; k < 8; k++) {
        if (k & ~c->spans) continue;
        Cell cell = corner_cell(in, level, c, k);
        in->links[body].next[k] = *cell.chain;
        *cell.chain = link_to(cell, body, k);
    }
    in->occupied |= (uint64_t)1 << level;
    in->level_count[level]++;
}

static void leave_table(Inside *in, int body, int level, const Cells *c) {
    for (int k = 0; k < 8; k++) {
        if (k & ~c->spans) continue;
        Cell cell = corner_cell(in, level, c, k);
        uint64_t self = link_to(cell, body, k), *at = cell.chain;
        while (*at != self) at = link_next(in, *at);
        *at = in->links[body].next[k];
    }
    if (--in->level_count[level] == 0) in->occupied &= ~((uint64_t)1 << level);
}

static void enter(Inside *in, int body, const Place *p) {
    Cells *c = &in->cells[body];
    *c = p->cells;
    if (p->level == APART) c->apart = in->apart_count, in->apart[in->apart_count++] = body;
    else if (p->level != NOWHERE) enter_table(in, body, p->level, c);
    in->held[body].level = (int8_t)p->level;
}

static void leave(Inside *in, int body) {
    Cells *c = &in->cells[body];
    int level = in->held[body].level;
    if (level == APART) {
        int last = in->apart[--in->apart_count];
        in->apart[c->apart] = last, in->cells[last].apart = c->apart;
    } else if (level != NOWHERE) {
        leave_table(in, body, level, c);
    }
}

static bool same_place(const Held *h, const Cells *c, const Place *p) {
    if (h->level != p->level) return false;
    return p->level >= LEVELS || p->level < 0 || (c->x == p->cells.x && c->y == p->cells.y && c->z == p->cells.z &&
                                                  c->spans == p->cells.spans);
}

void collide_broad_set(Broad *b, int body, Box box, bool still) {
    Inside *in = b->inside;
    Held *h = &in->held[body];
    Place p = place_of(box);
    if (!same_place(h, &in->cells[body], &p)) {
        leave(in, body);
        enter(in, body, &p);
    }
    h->box = box, h->still = still, h->half_space = false;
}

void collide_broad_set_half_space(Broad *b, int body, impVec3 normal, double offset) {
    Box all = { vec(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL), vec(HUGE_VAL, HUGE_VAL, HUGE_VAL) };
    collide_broad_set(b, body, all, true);
    b->inside->held[body].box = (Box){ normal, vec(offset, 0, 0) };
    b->inside->held[body].half_space = true;
}

// --- the search ------------------------------------------------------------------------------------------------------------------
static bool boxes_meet(const Box *a, const Box *b) {   // what is no number meets everything
    return !(a->low.x > b->high.x || b->low.x > a->high.x || a->low.y > b->high.y || b->low.y > a->high.y ||
             a->low.z > b->high.z || b->low.z > a->high.z);
}

static bool half_space_meets(const Held *half, const Box *b) {
    impVec3 n = half->box.low;
    impVec3 deep = vec(n.x > 0 ? b->low.x : b->high.x, n.y > 0 ? b->low.y : b->high.y, n.z > 0 ? b->low.z : b->high.z);
    double x = n.x == 0 ? 0 : n.x * deep.x, y = n.y == 0 ? 0 : n.y * deep.y, z = n.z == 0 ? 0 : n.z * deep.z;
    double slack = 4 * DBL_EPSILON * (fabs(x) + fabs(y) + fabs(z));
    return !(x + y + z - slack > half->box.high.x);
}

static bool meet(const Held *a, const Held *b) {
    if (a->level == NOWHERE || b->level == NOWHERE || (a->still && b->still)) return false;
    if (a->half_space) return half_space_meets(a, &b->box);
    return b->half_space ? half_space_meets(b, &a->box) : boxes_meet(&a->box, &b->box);
}

static void emit(Inside *in, int room, int a, int c) {
    if (in->found_count < room) in->found[in->found_count] = a < c ? (Found){ a, c } : (Found){ c, a };
    in->found_count++;
}

// Two boxes may share up to 8 cells; they count where the lowest corner of their intersection lies. That cell is, on each
// axis, the lowest of one of the two: no bit is set in the corner numbers of both.
static bool counts_here(int corner, int other) { return (corner & other) == 0; }

static bool same_cell(const Cells *a, int corner_a, const Cells *b, int corner_b) {
    return a->x + (corner_a & 1) == b->x + (corner_b & 1) &&
           a->y + (corner_a >> 1 & 1) == b->y + (corner_b >> 1 & 1) && a->z + (corner_a >> 2) == b->z + (corner_b >> 2);
}

static void compare(Inside *in, int room, uint64_t one, uint64_t two) {   // on one level
    int a = link_body(one), b = link_body(two);
    const Held *ha = &in->held[a], *hb = &in->held[b];
    if (ha->level != hb->level || (ha->still && hb->still) || !boxes_meet(&ha->box, &hb->box)) return;
    if (same_cell(&in->cells[a], link_corner(one), &in->cells[b], link_corner(two))) emit(in, room, a, b);
}

// A body looks into the cells it meets on another level than its own, or on its own when it alone is in question. The
// looks wait in a queue, so that the memory they need can be called for while others are still at work.
enum { QUEUE = 64 };
typedef struct Look { Cell cell; int64_t x, y, z; int32_t body, level, corner; } Look;
typedef struct Queue { int count; Look look[QUEUE]; } Queue;

static void look_into(Inside *in, int room, const Look *l) {
    const Held *self = &in->held[l->body];
    Cells here = { l->x, l->y, l->z, 0, 0 };
    for (uint64_t link = *l->cell.chain; link; link = *link_next(in, link)) {
        if (link_tag(link) != l->cell.tag || !counts_here(l->corner, link_corner(link))) continue;
        int c = link_body(link);
        const Held *h = &in->held[c];
        if (c == l->body || h->level != l->level || (self->still && h->still) || !boxes_meet(&self->box, &h->box)) continue;
        if (same_cell(&here, 0, &in->cells[c], link_corner(link))) emit(in, room, l->body, c);
    }
}

static void look_into_all(Inside *in, int room, Queue *q) {
    for (int k = 0; k < q->count; k++) call_for_body(in, *q->look[k].cell.chain);
    for (int k = 0; k < q->count; k++) look_into(in, room, &q->look[k]);
    q->count = 0;
}

static void ask(Inside *in, int room, Queue *q, Look l) {
    if (q->count == QUEUE) look_into_all(in, room, q);
    l.cell = cell_at(in, l.level, l.x, l.y, l.z);
    CALL_FOR(l.cell.chain);
    q->look[q->count++] = l;
}

typedef struct Span { int64_t low[3], high[3]; } Span;

static Span span_of(const Box *box, int level) {
    double p = per_side_of(level);
    return (Span){ { cell_of(box->low.x, p), cell_of(box->low.y, p), cell_of(box->low.z, p) },
                   { cell_of(box->high.x, p), cell_of(box->high.y, p), cell_of(box->high.z, p) } };
}

static void ask_level(Inside *in, int room, Queue *q, int body, int level) {
    Span s = span_of(&in->held[body].box, level);
    for (int64_t z = s.low[2]; z <= s.high[2]; z++)
        for (int64_t y = s.low[1]; y <= s.high[1]; y++)
            for (int64_t x = s.low[0]; x <= s.high[0]; x++) {
                int corner = (x > s.low[0]) | (y > s.low[1]) << 1 | (z > s.low[2]) << 2;
                ask(in, room, q, (Look){ .x = x, .y = y, .z = z, .body = body, .level = level, .corner = corner });
            }
}

static void ask_levels(Inside *in, int room, Queue *q, int body, int from) {
    for (int level = from; level < LEVELS && in->occupied >> level; level++)
        if (in->occupied >> level & 1) ask_level(in, room, q, body, level);
}

static void find_in_bucket(Inside *in, int room, Queue *q, uint64_t first) {
    for (uint64_t a = first; a; a = *link_next(in, a)) {
        for (uint64_t b = *link_next(in, a); b; b = *link_next(in, b))
            if (link_tag(a) == link_tag(b) && counts_here(link_corner(a), link_corner(b))) compare(in, room, a, b);
        if (link_corner(a) == 0) ask_levels(in, room, q, link_body(a), in->held[link_body(a)].level + 1);
    }
}

static void find_in_table(Inside *in, int room) {
    Queue q;
    q.count = 0;
    for (uint64_t k = 0; k <= in->mask; k++) {
        call_for_body(in, in->bucket[(k + AHEAD) & in->mask]);
        find_in_bucket(in, room, &q, in->bucket[k]);
    }
    look_into_all(in, room, &q);
}

static void find_apart(Broad *b, int a) {
    Inside *in = b->inside;
    for (int c = 0; c < b->bodies; c++) {
        if (c == a || (in->held[c].level == APART && c < a)) continue;
        if (meet(&in->held[a], &in->held[c])) emit(in, b->room, a, c);
    }
}

static void find_all(Broad *b) {
    Inside *in = b->inside;
    in->found_count = 0;
    find_in_table(in, b->room);
    for (int k = 0; k < in->apart_count; k++) find_apart(b, in->apart[k]);
}

static void find_by_looking_at_everyone(Broad *b, int body) {
    Inside *in = b->inside;
    for (int c = 0; c < b->bodies; c++)
        if (c != body && meet(&in->held[body], &in->held[c])) emit(in, b->room, body, c);
}

static double cells_below(const Inside *in, int body) {   // how many to look through for all that is smaller
    double count = 0;
    for (int level = 0; level < in->held[body].level; level++) {
        if (!(in->occupied >> level & 1)) continue;
        Span s = span_of(&in->held[body].box, level);
        count += ((double)(s.high[0] - s.low[0]) + 1) * ((double)(s.high[1] - s.low[1]) + 1) *
                 ((double)(s.high[2] - s.low[2]) + 1);
    }
    return count;
}

static void find_of(Broad *b, int body) {
    Inside *in = b->inside;
    int own = in->held[body].level;
    in->found_count = 0;
    if (own == NOWHERE) return;
    if (own == APART || cells_below(in, body) > b->bodies) {
        find_by_looking_at_everyone(b, body);
        return;
    }
    Queue q;
    q.count = 0;
    ask_levels(in, b->room, &q, body, 0);
    look_into_all(in, b->room, &q);
    for (int k = 0; k < in->apart_count; k++)
        if (meet(&in->held[in->apart[k]], &in->held[body])) emit(in, b->room, body, in->apart[k]);
}

// --- the pairs -------------------------------------------------------------------------------------------------------------------
// By counting, first by the higher body, then by the lower: stable, so the second keeps the order of the first.
static void count_and_move(const Found *from, Found *to, int count, bool lower, int32_t *start, int bodies) {
    memset(start, 0, ((size_t)bodies + 1) * sizeof *start);
    for (int k = 0; k < count; k++) start[(lower ? from[k].i : from[k].j) + 1]++;
    for (int i = 0; i < bodies; i++) start[i + 1] += start[i];
    for (int k = 0; k < count; k++) to[start[lower ? from[k].i : from[k].j]++] = from[k];
}

static void put_in_order(Broad *b) {
    Inside *in = b->inside;
    int count = (int)in->found_count;
    count_and_move(in->found, in->spare, count, false, in->start, b->bodies);
    count_and_move(in->spare, in->found, count, true, in->start, b->bodies);
}

static void join(Inside *in, int s, int side, int body) {
    Slot *slot = &in->slot[s];
    int32_t *first = &in->held[body].first[side];
    slot->next[side] = *first, slot->prev[side] = 0;
    if (*first) in->slot[*first - 1].prev[side] = s + 1;
    *first = s + 1;
}

static void part(Inside *in, int s, int side, int body) {
    Slot *slot = &in->slot[s];
    if (slot->prev[side]) in->slot[slot->prev[side] - 1].next[side] = slot->next[side];
    else in->held[body].first[side] = slot->next[side];
    if (slot->next[side]) in->slot[slot->next[side] - 1].prev[side] = slot->prev[side];
}

static int add_pair(Broad *b, int i, int j) {             // -1: full
    Inside *in = b->inside;
    if (in->unused_count == 0) return -1;
    int s = in->unused[--in->unused_count];
    in->slot[s].i = i, in->slot[s].j = j;
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
    for (int s = in->held[body].first[side]; s; s = in->slot[s - 1].next[side]) in->mark[partner(&in->slot[s - 1], side)] = s;
}

static bool by_number(const void *context, int32_t i, int32_t j) { return (void)context, i < j; }

// Partners whose mark still stands, behind the count there are already.
static int list_marked(const Broad *b, int body, int side, int32_t *gone, int count) {
    const Inside *in = b->inside;
    for (int s = in->held[body].first[side]; s; s = in->slot[s - 1].next[side]) {
        int c = partner(&in->slot[s - 1], side);
        if (in->mark[c]) gone[count++] = c;
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

// Found pairs [from, to) are those of body i as the lower one. Known ones keep their slot, new ones wait with -1; pairs
// whose mark was not wiped out were not found, and end.
static void compare_lower(Broad *b, int i, int from, int to) {
    Inside *in = b->inside;
    mark_pairs(in, i, 0);
    for (int k = from; k < to; k++) {
        int j = in->found[k].j;
        in->pair[k] = (BroadPair){ i, j, in->mark[j] - 1 };
        in->mark[j] = 0;
    }
    int32_t *gone = (int32_t *)in->spare;
    remove_marked(b, gone, list_marked(b, i, 0, gone, 0));
}

bool collide_broad_update(Broad *b) {
    Inside *in = b->inside;
    b->added_count = b->removed_count = 0;
    find_all(b);
    b->needed = in->found_count;
    if (in->found_count > b->room) return false;
    put_in_order(b);
    int count = (int)in->found_count;
    for (int i = 0, k = 0; i < b->bodies; i++) {
        int from = k;
        while (k < count && in->found[k].i == i) k++;
        if (k > from || in->held[i].first[0]) compare_lower(b, i, from, k);
    }
    for (int k = 0; k < count; k++)
        if (in->pair[k].slot < 0) in->pair[k].slot = add_pair(b, in->pair[k].i, in->pair[k].j);
    return true;
}

// --- one or two bodies --------------------------------------------------------------------------------------------------------
static bool refresh_one(Broad *b, int body) {
    Inside *in = b->inside;
    int32_t *list = (int32_t *)in->spare;
    find_of(b, body);
    b->needed = in->found_count;
    if (in->found_count > b->room) return false;
    mark_pairs(in, body, 0);
    mark_pairs(in, body, 1);
    int fresh = 0, gone = 0;
    for (int k = 0; k < in->found_count; k++) {
        int c = in->found[k].i == body ? in->found[k].j : in->found[k].i;
        if (in->mark[c]) in->mark[c] = 0;
        else in->found[fresh++] = (Found){ c, 0 };
    }
    gone = list_marked(b, body, 0, list, list_marked(b, body, 1, list, gone));
    remove_marked(b, list, gone);
    for (int k = 0; k < fresh; k++) list[k] = in->found[k].i;
    sort_stable(list, list + b->room, fresh, by_number, NULL);
    b->needed = (int64_t)b->count + fresh;
    for (int k = 0; k < fresh; k++)
        if (add_pair(b, list[k] < body ? list[k] : body, list[k] < body ? body : list[k]) < 0) return false;
    return true;
}

bool collide_broad_refresh(Broad *b, int body, int other) {
    b->added_count = b->removed_count = 0;
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
