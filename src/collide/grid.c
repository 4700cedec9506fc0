// grid.c -- boxes in a hierarchical spatial hash, and the search for those that overlap.
//
// After Overmars ("Point location in fat subdivisions", 1992), which Mirtich & Canny 1995, section
// 3, follow; the form is that of docs/theory/collision-detection.md, section 3. Level k cuts space
// into cubes of side 2^k m. A box lives on the lowest level whose side is at least its longest one,
// and is listed in the cells it meets there: one or two on each axis, at most 8. Two boxes that
// overlap are found in a cell of their common level, or by one of them, which searches into the
// cells it meets on the level of the other: the smaller one into few, or the larger one, where
// there are few such. The pair counts only in the cell that holds the lowest corner of their
// intersection, hence once. Boxes that fit no level (planes) are kept apart and compared with
// everyone: apart.c.
//
// A body that stays in its cells is not hashed again; where most did not stay the last time, the
// table is made anew, for to take them out one by one would cost more. What a search touches is
// small and near: cells lie in the table by tiles of 8 x 8 x 8, so that a walk over the table is a
// walk through space; records are put in the same order when enough bodies have moved; a record's
// part in the table is one cache line, with the links of its chains and its box in floats, measured
// in sides of its lowest cell and rounded outward, which turns away most of those that do not
// overlap. So the cost of a body hardly grows with their number. A wrong guess costs a comparison,
// never a pair: the truth is the overlap of the exact boxes alone.
//
// Assumed: fewer than 2^28 bodies. All sides are powers of two and cell numbers are monotone in the
// coordinate, also where they saturate; that is all the proof needs, so no rounding can lose a
// pair.
//
// SPDX-License-Identifier: MIT
#include "collide/grid.h"

#include <string.h>

// sides from 2^-24 m, below the smallest shape, to 2^39 m
enum { LEVELS = GRID_LEVELS, LOWEST = -24 };
// a tile has 2^TILE cells on each axis
enum { TILE = 3, TILE_MASK = (1 << TILE) - 1 };
// a body, at least
enum { BUCKETS = 16 };
// how far to call for memory; changes a body before records are sorted
enum { AHEAD = 8, RESORT = 8 };

// --- memory --------------------------------------------------------------------------------------
void *collide_cut(char *memory, size_t *used, size_t count, size_t each) {
    size_t at = *used;
    *used += (count * each + GRID_LINE - 1) / GRID_LINE * GRID_LINE;
    return memory ? memory + at : NULL;
}

void collide_grid_lay_out(Grid *g, char *memory, size_t *used, int bodies, int room) {
    size_t n = (size_t)bodies;
    size_t buckets = 64;
    while (buckets < BUCKETS * n) {
        buckets *= 2;
    }
    *g = (Grid){ .bodies = bodies, .room = room, .mask = buckets - 1 };
    g->given = collide_cut(memory, used, n, sizeof *g->given);
    g->record = collide_cut(memory, used, n, sizeof *g->record);
    g->linked = collide_cut(memory, used, n, sizeof *g->linked);
    g->held = collide_cut(memory, used, n, sizeof *g->held);
    g->bucket = collide_cut(memory, used, buckets, sizeof *g->bucket);
    g->apart = collide_cut(memory, used, n, sizeof *g->apart);
    g->start = collide_cut(memory, used, n + (1 << 3 * TILE) + 2, sizeof *g->start);
    g->key = collide_cut(memory, used, n, sizeof *g->key);
    g->order = collide_cut(memory, used, n, sizeof *g->order);
    g->spare = collide_cut(memory, used, n, GRID_LINE);
    g->found = collide_cut(memory, used, (size_t)room, sizeof *g->found);
}

void collide_grid_init(Grid *g) {
    const Box empty = { vec(HUGE_VAL, HUGE_VAL, HUGE_VAL), vec(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL) };
    for (int i = 0; i < g->bodies; i++) {
        g->given[i] = (Given){ .box = empty };
        g->linked[i] = (Linked){ .body = i, .level = NOWHERE };
        g->held[i] = (Held){ .box = empty };
        g->record[i] = i;
    }
    memset(g->bucket, 0, (size_t)(g->mask + 1) * sizeof *g->bucket);
    // all are to be placed and sorted
    g->moved = g->bodies;
    g->changes = (int64_t)RESORT * g->bodies;
}

// --- numbers of cells ----------------------------------------------------------------------------
static double power_of_two(int exponent) {
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// least e with 2^e >= side, for side >= 0
static int exponent_above(double side) {
    uint64_t bits;
    memcpy(&bits, &side, sizeof bits);
    int e = (int)(bits >> 52) - 1023;
    return bits << 12 ? e + 1 : e;
}

// floor, saturated: monotone in x
static int64_t cell_of(double x, double per_side) {
    const int64_t most = (int64_t)1 << 62;
    double at = x * per_side;
    if (!(at > -(double)most)) return -most;
    if (!(at < (double)most)) return most;
    int64_t cut_off = (int64_t)at;
    return cut_off - (at < (double)cut_off);
}

static double per_side_of(int level) { return power_of_two(-(level + LOWEST)); }

// The cells that a box meets on a level. There are at most two on an axis where the side is at
// least the box's.
typedef struct Span {
    int64_t low[3], high[3];
} Span;

static Span span_of(const Box *box, int level) {
    double p = per_side_of(level);
    return (Span){ { cell_of(box->low.x, p), cell_of(box->low.y, p), cell_of(box->low.z, p) },
                   { cell_of(box->high.x, p), cell_of(box->high.y, p), cell_of(box->high.z, p) } };
}

// span: on the levels of the table only
typedef struct Place {
    int level;
    Span span;
} Place;

// A side that was rounded down may still reach into a third cell: then one level higher.
static void set_place(Place *p, const Box *box) {
    impVec3 sides = sub(box->high, box->low);
    p->level = APART;
    if (box->low.x > box->high.x || box->low.y > box->high.y || box->low.z > box->high.z) {
        p->level = NOWHERE;
    }
    if (p->level == NOWHERE || !finite3(sides)) return;
    int level = exponent_above(largest(sides)) - LOWEST;
    for (level = level < 0 ? 0 : level; level < LEVELS && p->level == APART; level++) {
        p->span = span_of(box, level);
        const int64_t *low = p->span.low;
        const int64_t *high = p->span.high;
        if (high[0] - low[0] < 2 && high[1] - low[1] < 2 && high[2] - low[2] < 2) {
            p->level = level;
        }
    }
}

static int spans_of(const Span *s) {
    return (s->low[0] < s->high[0]) | (s->low[1] < s->high[1]) << 1 | (s->low[2] < s->high[2]) << 2;
}

// Where numbers of cells are no longer exact, the rough box is more than the two cells it could be
// in.
static void roughen(Rough *r, int axis, double low, double high, double per_side, int64_t cell) {
    // 2^52
    const double exact = 4503599627370496.0;
    double l = low * per_side;
    double h = high * per_side;
    bool sure = fabs(l) < exact && fabs(h) < exact;
    r->low[axis] = sure ? (float)(l - (double)cell) - 0x1p-22f : -1;
    r->high[axis] = sure ? (float)(h - (double)cell) + 0x1p-21f : 3;
}

static Rough rough_of(const Box *b, int level, const int64_t *cell) {
    Rough r;
    double p = per_side_of(level);
    roughen(&r, 0, b->low.x, b->high.x, p, cell[0]);
    roughen(&r, 1, b->low.y, b->high.y, p, cell[1]);
    roughen(&r, 2, b->low.z, b->high.z, p, cell[2]);
    return r;
}

// --- the table -----------------------------------------------------------------------------------
static uint64_t mix(uint64_t h) {
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    return h ^ h >> 32;
}

// Three levels at a time share a region of space: the tile of the highest, the 8 below it and the
// 64 below those lie side by side in the table.
static uint32_t *chain_of(const Grid *g, int level, int64_t x, int64_t y, int64_t z) {
    static const uint64_t first[] = { 0, 1, 9 };
    int up = 2 - level % 3;
    uint64_t ux = (uint64_t)x;
    uint64_t uy = (uint64_t)y;
    uint64_t uz = (uint64_t)z;
    uint64_t m = ((uint64_t)1 << up) - 1;
    uint64_t region = mix(
        (ux >> TILE >> up) * 0x9e3779b97f4a7c15u + (uy >> TILE >> up) * 0xbf58476d1ce4e5b9u +
        (uz >> TILE >> up) * 0x94d049bb133111ebu + (uint64_t)(level / 3) * 0xff51afd7ed558ccdu);
    uint64_t tile = region + first[up] +
                    ((ux >> TILE & m) | (uy >> TILE & m) << up | (uz >> TILE & m) << 2 * up);
    uint64_t inner = (ux & TILE_MASK) | (uy & TILE_MASK) << TILE | (uz & TILE_MASK) << 2 * TILE;
    return &g->bucket[(tile << 3 * TILE | inner) & g->mask];
}

static uint32_t link_to(int record, int corner) {
    return 8 * (uint32_t)record + (uint32_t)corner + 1;
}
static int link_record(uint32_t link) { return (int)((link - 1) >> 3); }
static int link_corner(uint32_t link) { return (int)((link - 1) & 7); }
static uint32_t *link_next(const Grid *g, uint32_t link) {
    return &g->linked[link_record(link)].next[link_corner(link)];
}

ALWAYS_IN_LINE void prefetch_record(const Grid *g, uint32_t link) {
    if (link) {
        PREFETCH(&g->linked[link_record(link)]);
    }
}

ALWAYS_IN_LINE void call_for_next(const Grid *g, uint32_t link) {
    if (link) {
        prefetch_record(g, *link_next(g, link));
    }
}

static uint32_t *corner_chain(const Grid *g, int level, const Span *s, int corner) {
    return chain_of(g, level, s->low[0] + (corner & 1), s->low[1] + (corner >> 1 & 1),
                    s->low[2] + (corner >> 2));
}

// A record on its way into the table: its chains are known and called for.
typedef struct Entry {
    int record, level, spans;
    uint32_t *chain[8];
} Entry;

static void set_entry(Entry *e, const Grid *g, int record, int level, const Span *s) {
    e->record = record;
    e->level = level;
    e->spans = spans_of(s);
    for (int k = 0; k < 8; k++) {
        if (k & ~e->spans) continue;
        e->chain[k] = corner_chain(g, level, s, k);
        PREFETCH(e->chain[k]);
    }
}

static void enter_table(Grid *g, const Entry *e) {
    uint32_t *next = g->linked[e->record].next;
    for (int k = 0; k < 8; k++) {
        next[k] = 0;
        if (k & ~e->spans) continue;
        next[k] = *e->chain[k];
        *e->chain[k] = link_to(e->record, k);
    }
    g->occupied |= (uint64_t)1 << e->level;
    g->level_count[e->level]++;
}

static void leave_table(Grid *g, int record, int level, const Span *s) {
    int spans = spans_of(s);
    uint32_t *chain[8];
    // all at once called for, then walked
    for (int k = 0; k < 8; k++) {
        if (k & ~spans) continue;
        chain[k] = corner_chain(g, level, s, k);
        PREFETCH(chain[k]);
    }
    for (int k = 0; k < 8; k++) {
        if (k & ~spans) continue;
        uint32_t self = link_to(record, k);
        uint32_t *at = chain[k];
        while (*at != self) {
            at = link_next(g, *at);
        }
        *at = g->linked[record].next[k];
    }
    if (--g->level_count[level] == 0) {
        g->occupied &= ~((uint64_t)1 << level);
    }
}

// its cells are not kept: the box and the level say them
static void set_place_now(Place *p, const Grid *g, int record) {
    p->level = g->linked[record].level;
    if (p->level != APART && p->level != NOWHERE) {
        p->span = span_of(&g->held[record].box, p->level);
    }
}

// whether it is one of the table
static bool set_level(Grid *g, int record, const Place *p) {
    g->linked[record].level = (int8_t)p->level;
    if (p->level == APART) {
        g->held[record].apart = g->apart_count;
        g->apart[g->apart_count++] = record;
    }
    return p->level != APART && p->level != NOWHERE;
}

static void enter(Grid *g, int record, const Place *p) {
    if (!set_level(g, record, p)) return;
    Entry e;
    set_entry(&e, g, record, p->level, &p->span);
    enter_table(g, &e);
}

static void leave(Grid *g, int record, const Place *p) {
    if (p->level == APART) {
        int last = g->apart[--g->apart_count];
        int at = g->held[record].apart;
        g->apart[at] = last;
        g->held[last].apart = at;
    } else if (p->level != NOWHERE) {
        leave_table(g, record, p->level, &p->span);
    }
}

static bool same_place(const Place *a, const Place *b) {
    int64_t off = 0;
    if (a->level != b->level) return false;
    if (a->level == APART || a->level == NOWHERE) return true;
    for (int k = 0; k < 3; k++) {
        off |= (a->span.low[k] ^ b->span.low[k]) | (a->span.high[k] ^ b->span.high[k]);
    }
    return off == 0;
}

static void set_given_place(Place *p, const Given *given) {
    p->level = APART;
    if (!given->half_space) {
        set_place(p, &given->box);
    }
}

static void hold(Grid *g, int record, const Given *given, const Place *p) {
    Linked *l = &g->linked[record];
    Held *h = &g->held[record];
    h->box = given->box;
    h->half_space = given->half_space;
    l->motion_type = given->motion_type;
    if (p->level != APART && p->level != NOWHERE) {
        l->rough = rough_of(&h->box, p->level, p->span.low);
    }
}

// whether it went to other cells
static bool put(Grid *g, int record, const Given *given) {
    Place old, p;
    set_place_now(&old, g, record);
    set_given_place(&p, given);
    bool moves = !same_place(&old, &p);
    if (moves) {
        leave(g, record, &old);
        enter(g, record, &p);
    }
    hold(g, record, given, &p);
    return moves;
}

void collide_grid_call_for(const Grid *g, int body) {
    int record = g->record[body];
    PREFETCH(&g->given[body]);
    PREFETCH(&g->linked[record]);
    PREFETCH(&g->held[record]);
}

void collide_grid_place(Grid *g, int body) {
    g->changes += put(g, g->record[body], &g->given[body]);
}

// --- records in the order of space ---------------------------------------------------------------
// of its lowest cell; the last is for those outside the table
static int bucket_of(const Grid *g, int record) {
    Place p;
    set_place_now(&p, g, record);
    if (p.level == NOWHERE || p.level == APART) return (int)g->mask;
    return (int)(corner_chain(g, p.level, &p.span, 0) - g->bucket);
}

// By counting, stable: first by the place in the tile, then by the tile.
static void count_by(Grid *g, const int32_t *from, int32_t *to, int shift, int mask) {
    memset(g->start, 0, ((size_t)mask + 2) * sizeof *g->start);
    for (int k = 0; k < g->bodies; k++) {
        g->start[(g->key[k] >> shift & mask) + 1]++;
    }
    for (int k = 0; k <= mask; k++) {
        g->start[k + 1] += g->start[k];
    }
    for (int k = 0; k < g->bodies; k++) {
        to[g->start[g->key[from[k]] >> shift & mask]++] = from[k];
    }
}

static void order_by_bucket(Grid *g) {
    int32_t *first = (int32_t *)g->spare;
    int32_t *second = first + g->bodies;
    for (int k = 0; k < g->bodies; k++) {
        g->key[k] = bucket_of(g, k);
        first[k] = k;
    }
    count_by(g, first, second, 0, (1 << 3 * TILE) - 1);
    count_by(g, second, g->order, 3 * TILE, (int)(g->mask >> 3 * TILE));
}

static void reorder(Grid *g, void *list, size_t each) {
    char *from = list;
    for (int k = 0; k < g->bodies; k++) {
        memcpy(g->spare + (size_t)k * each, from + (size_t)g->order[k] * each, each);
    }
    memcpy(from, g->spare, (size_t)g->bodies * each);
}

static void sort_records(Grid *g) {
    order_by_bucket(g);
    reorder(g, g->linked, sizeof *g->linked);
    reorder(g, g->held, sizeof *g->held);
    for (int k = 0; k < g->bodies; k++) {
        g->record[g->linked[k].body] = k;
    }
    g->changes = 0;
}

// --- all of them ---------------------------------------------------------------------------------
// Bodies come in the order of records, not of numbers: what they stand beside is then near.
ALWAYS_IN_LINE const Given *given_of(const Grid *g, int record) {
    if (record + AHEAD < g->bodies) {
        PREFETCH(&g->given[g->linked[record + AHEAD].body]);
    }
    return &g->given[g->linked[record].body];
}

// how many went to other cells
static int put_all(Grid *g) {
    int moved = 0;
    for (int k = 0; k < g->bodies; k++) {
        moved += put(g, k, given_of(g, k));
    }
    return moved;
}

static void empty_table(Grid *g) {
    memset(g->bucket, 0, (size_t)(g->mask + 1) * sizeof *g->bucket);
    memset(g->level_count, 0, sizeof g->level_count);
    g->occupied = 0;
    g->apart_count = 0;
}

// Where all enter, each waits until a few more are behind it: its chains are there by then.
typedef struct Door {
    int count;
    Entry waits[AHEAD];
} Door;

static void enter_later(Grid *g, Door *d, int record, const Place *p) {
    if (!set_level(g, record, p)) return;
    Entry *e = &d->waits[d->count % AHEAD];
    if (d->count++ >= AHEAD) {
        enter_table(g, e);
    }
    set_entry(e, g, record, p->level, &p->span);
}

// boxes that still wait
static void let_in(Grid *g, const Door *d) {
    for (int k = d->count < AHEAD ? 0 : d->count - AHEAD; k < d->count; k++) {
        enter_table(g, &d->waits[k % AHEAD]);
    }
}

// as they are held
static void enter_all(Grid *g) {
    Door door;
    door.count = 0;
    empty_table(g);
    for (int k = 0; k < g->bodies; k++) {
        Place p;
        set_place_now(&p, g, k);
        enter_later(g, &door, k, &p);
    }
    let_in(g, &door);
}

// By the lowest cell alone: nearly all that change any change that.
static bool goes_elsewhere(const Grid *g, int record, const Place *p) {
    const Box *old = &g->held[record].box;
    if (p->level != g->linked[record].level) return true;
    if (p->level == APART || p->level == NOWHERE) return false;
    double q = per_side_of(p->level);
    return cell_of(old->low.x, q) != p->span.low[0] || cell_of(old->low.y, q) != p->span.low[1] ||
           cell_of(old->low.z, q) != p->span.low[2];
}

// Where most move, a new table costs less than to take each of them out of the old one. enters:
// false if they will be, later.
static int put_all_anew(Grid *g, bool enters) {
    int moved = 0;
    Door door;
    door.count = 0;
    if (enters) {
        empty_table(g);
    }
    for (int k = 0; k < g->bodies; k++) {
        const Given *given = given_of(g, k);
        Place p;
        set_given_place(&p, given);
        moved += goes_elsewhere(g, k, &p);
        hold(g, k, given, &p);
        if (enters) {
            enter_later(g, &door, k, &p);
        } else {
            g->linked[k].level = (int8_t)p.level;
        }
    }
    let_in(g, &door);
    return moved;
}

void collide_grid_place_all(Grid *g) {
    // they will, if they did the last time
    bool anew = g->moved > g->bodies / 2;
    bool sorts = g->changes > (int64_t)RESORT * g->bodies / 2;
    g->moved = anew ? put_all_anew(g, !sorts) : put_all(g);
    g->changes += g->moved;
    if (!sorts) return;
    sort_records(g);
    enter_all(g);
}

// --- the search ----------------------------------------------------------------------------------
// Two boxes may share up to 8 cells; they count where the lowest corner of their intersection lies.
// That cell is, on each axis, the lowest of one of the two: no bit is set in the corner numbers of
// both.
static bool counts_here(int corner, int other) { return (corner & other) == 0; }

// Whether two rough boxes meet in a cell that is, for each, one further than its lowest where its
// corner has a bit.
static inline bool may_overlap(const Rough *a, int corner_a, const Rough *b, int corner_b) {
    float x = (float)((corner_b & 1) - (corner_a & 1));
    float y = (float)((corner_b >> 1 & 1) - (corner_a >> 1 & 1));
    // from b's lowest cell to a's
    float z = (float)((corner_b >> 2) - (corner_a >> 2));
    return !((a->low[0] + x > b->high[0]) | (b->low[0] > a->high[0] + x) |
             (a->low[1] + y > b->high[1]) | (b->low[1] > a->high[1] + y) |
             (a->low[2] + z > b->high[2]) | (b->low[2] > a->high[2] + z));
}

static bool is_in_cell(const Box *box, int corner, double per_side, const int64_t *cell) {
    return cell_of(box->low.x, per_side) + (corner & 1) == cell[0] &&
           cell_of(box->low.y, per_side) + (corner >> 1 & 1) == cell[1] &&
           cell_of(box->low.z, per_side) + (corner >> 2) == cell[2];
}

// A body searches into a cell of its own or another level: for those behind `chain`.
typedef struct Look {
    const uint32_t *chain;
    int64_t cell[3];
    int32_t record, level, corner;
} Look;

static void search_cell(Grid *g, const Look *l) {
    if (!*l->chain) return;
    uint8_t motion_type = g->linked[l->record].motion_type;
    const Box *own = &g->held[l->record].box;
    Rough rough = rough_of(own, l->level, l->cell);
    for (uint32_t link = *l->chain; link; link = *link_next(g, link)) {
        int c = link_record(link);
        int corner = link_corner(link);
        const Linked *other = &g->linked[c];
        if (!counts_here(l->corner, corner) || other->level != l->level ||
            !grid_may_collide(motion_type, other->motion_type))
            continue;
        if (!may_overlap(&rough, 0, &other->rough, corner) || c == l->record) continue;
        const Box *box = &g->held[c].box;
        if (grid_boxes_overlap(own, box) &&
            is_in_cell(box, corner, per_side_of(l->level), l->cell)) {
            grid_emit(g, l->record, c);
        }
    }
}

// Looks wait in a queue, so that the memory they need can be called for while others are still at
// work.
enum { QUEUE = 64 };
typedef struct Queue {
    int count;
    Look look[QUEUE];
} Queue;

static void search_cells(Grid *g, Queue *q) {
    for (int k = 0; k < q->count; k++) {
        prefetch_record(g, *q->look[k].chain);
    }
    for (int k = 0; k < q->count; k++) {
        call_for_next(g, *q->look[k].chain);
    }
    for (int k = 0; k < q->count; k++) {
        search_cell(g, &q->look[k]);
    }
    q->count = 0;
}

static void ask(Grid *g, Queue *q, Look l, int64_t x, int64_t y, int64_t z) {
    if (q->count == QUEUE) {
        search_cells(g, q);
    }
    l.corner = (x > l.cell[0]) | (y > l.cell[1]) << 1 | (z > l.cell[2]) << 2;
    l.chain = chain_of(g, l.level, x, y, z);
    l.cell[0] = x;
    l.cell[1] = y;
    l.cell[2] = z;
    PREFETCH(l.chain);
    q->look[q->count++] = l;
}

static void ask_level(Grid *g, Queue *q, int record, int level) {
    Span s = span_of(&g->held[record].box, level);
    Look l = { .cell = { s.low[0], s.low[1], s.low[2] }, .record = record, .level = level };
    for (int64_t z = s.low[2]; z <= s.high[2]; z++) {
        for (int64_t y = s.low[1]; y <= s.high[1]; y++) {
            for (int64_t x = s.low[0]; x <= s.high[0]; x++) {
                ask(g, q, l, x, y, z);
            }
        }
    }
}

static void ask_levels(Grid *g, Queue *q, int record, uint64_t levels) {
    for (int level = 0; level < LEVELS && levels >> level; level++) {
        if (levels >> level & 1) {
            ask_level(g, q, record, level);
        }
    }
}

// Of two levels the bodies of one look into the other: those that have fewer cells to look into
// there in all. A box meets up to two cells of a side like its own on each axis, more of a smaller
// one, seldom two of a larger one.
static double cells_met(int from, int to) {
    double on_axis = 1 + power_of_two(from - to);
    return on_axis * on_axis * on_axis;
}

// of each level: into which others
static void set_searched_levels(const Grid *g, uint64_t searches[LEVELS]) {
    memset(searches, 0, LEVELS * sizeof *searches);
    for (int low = 0; low < LEVELS && g->occupied >> low; low++) {
        for (int high = low + 1; g->level_count[low] > 0 && high < LEVELS && g->occupied >> high;
             high++) {
            if (g->level_count[high] == 0) continue;
            bool down = g->level_count[high] * cells_met(high, low) <
                        g->level_count[low] * cells_met(low, high);
            searches[down ? high : low] |= (uint64_t)1 << (down ? low : high);
        }
    }
}

// in one chain
static void compare(Grid *g, int a, int corner_a, int b, int corner_b) {
    const Linked *la = &g->linked[a];
    const Linked *lb = &g->linked[b];
    if (la->level != lb->level || !grid_may_collide(la->motion_type, lb->motion_type)) return;
    if (!may_overlap(&la->rough, corner_a, &lb->rough, corner_b)) return;
    const Box *box = &g->held[a].box;
    const Box *other = &g->held[b].box;
    if (!grid_boxes_overlap(box, other)) return;
    double p = per_side_of(la->level);
    int64_t cell[3] = { cell_of(box->low.x, p) + (corner_a & 1),
                        cell_of(box->low.y, p) + (corner_a >> 1 & 1),
                        cell_of(box->low.z, p) + (corner_a >> 2) };
    if (is_in_cell(other, corner_b, p, cell)) {
        grid_emit(g, a, b);
    }
}

// Two of one level are found by the one that comes first in the chain of their cell.
static void find_behind(Grid *g, int record) {
    for (int k = 0; k < 8; k++) {
        for (uint32_t b = g->linked[record].next[k]; b; b = *link_next(g, b)) {
            if (counts_here(k, link_corner(b))) {
                compare(g, record, k, link_record(b), link_corner(b));
            }
        }
    }
}

ALWAYS_IN_LINE void call_for_chains(const Grid *g, int record) {
    if (record >= g->bodies) return;
    for (int k = 0; k < 8; k++) {
        prefetch_record(g, g->linked[record].next[k]);
    }
}

static void find_in_table(Grid *g) {
    uint64_t searches[LEVELS];
    Queue q;
    q.count = 0;
    set_searched_levels(g, searches);
    for (int k = 0; k < g->bodies; k++) {
        int level = g->linked[k].level;
        call_for_chains(g, k + AHEAD);
        if (level == NOWHERE || level == APART) continue;
        find_behind(g, k);
        ask_levels(g, &q, k, searches[level]);
    }
    search_cells(g, &q);
}

void collide_grid_find_all(Grid *g) {
    g->found_count = 0;
    find_in_table(g);
    collide_grid_find_apart(g);
}

// --- one body ------------------------------------------------------------------------------------
// how many to look into for all that is smaller
static double cells_below(const Grid *g, int record) {
    double count = 0;
    for (int level = 0; level < g->linked[record].level; level++) {
        if (!(g->occupied >> level & 1)) continue;
        Span s = span_of(&g->held[record].box, level);
        count += ((double)(s.high[0] - s.low[0]) + 1) * ((double)(s.high[1] - s.low[1]) + 1) *
                 ((double)(s.high[2] - s.low[2]) + 1);
    }
    return count;
}

static void find_on_all_levels(Grid *g, int record) {
    Queue q;
    q.count = 0;
    ask_levels(g, &q, record, g->occupied);
    search_cells(g, &q);
    collide_grid_find_apart_of(g, record);
}

void collide_grid_find_of(Grid *g, int body) {
    int record = g->record[body];
    int level = g->linked[record].level;
    g->found_count = 0;
    if (level == NOWHERE) return;
    if (level == APART || cells_below(g, record) > g->bodies) {
        collide_grid_find_by_asking_all(g, record);
    } else {
        find_on_all_levels(g, record);
    }
}
