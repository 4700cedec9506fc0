// grid.h -- what broad.c and grid.c tell each other; the rest of the library sees collide.h only.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "collide/collide.h"

// bytes of a cache line
enum { GRID_LEVELS = 64, GRID_LINE = 64 };
// levels of bodies without a box, and of those that fit none
enum { NOWHERE = -1, APART = GRID_LEVELS };

typedef struct Given {            // what the caller said of a body; one line
    _Alignas(GRID_LINE) Box box;  // half space: the normal, and in high.x the offset
    uint8_t motion_type;          // a MotionType
    bool half_space;
} Given;
// a box in sides of a cell, from its lowest corner
typedef struct Rough {
    float low[3], high[3];
} Rough;
typedef struct Linked {  // a body's part in the table; one line
    uint32_t next[8];    // in the chain of each of its cells: 8 record + corner + 1, 0: the end
    Rough rough;         // from its lowest cell
    int32_t body;
    int8_t level;
    uint8_t motion_type;
} Linked;
// the box as it was when the body was last placed; one line
typedef struct Held {
    _Alignas(GRID_LINE) Box box;
    int32_t apart;  // its place in that list
    bool half_space;
} Held;
typedef struct Found {
    int32_t i, j;
} Found;

typedef struct Grid {
    int bodies, room;
    Given *given;     // by body
    int32_t *record;  // by body: the number of its record
    Linked *linked;   // by record, as held
    Held *held;
    uint32_t *bucket;  // the first of each chain
    uint64_t mask;
    uint64_t occupied;  // bit k: level k has bodies
    int level_count[GRID_LEVELS];
    int32_t *apart;  // records that fit no level
    int apart_count;
    int moved;                     // bodies that changed cells when all were last placed
    int64_t changes;               // of cells since the records were put in the order of space
    int32_t *start, *key, *order;  // for sorting
    char *spare;                   // a line each
    Found *found;
    int64_t found_count;  // counts on beyond the room
} Grid;

// memory NULL: only counts
void *collide_cut(char *memory, size_t *used, size_t count, size_t each);
void collide_grid_lay_out(Grid *g, char *memory, size_t *used, int bodies, int room);
void collide_grid_init(Grid *g);
void collide_grid_call_for(const Grid *g, int body);  // its memory
void collide_grid_place(Grid *g, int body);           // where `given` says
void collide_grid_place_all(Grid *g);
void collide_grid_find_all(Grid *g);  // all pairs, each once, in no order
void collide_grid_find_of(Grid *g, int body);
// apart.c: adds the pairs of those that fit no level,
void collide_grid_find_apart(Grid *g);
void collide_grid_find_apart_of(Grid *g, int record);  // those of them with one record,
// and all of one record, without the table
void collide_grid_find_by_asking_all(Grid *g, int record);

// what is no number meets everything
static inline bool grid_boxes_overlap(const Box *a, const Box *b) {
    return !(a->low.x > b->high.x || b->low.x > a->high.x || a->low.y > b->high.y ||
             b->low.y > a->high.y || a->low.z > b->high.z || b->low.z > a->high.z);
}

static inline bool grid_may_collide(uint8_t a, uint8_t b) {
    return a == MOTION_DYNAMIC || b == MOTION_DYNAMIC ||
           (a != b && a + b == MOTION_ASLEEP + MOTION_KINEMATIC);
}

static inline void grid_emit(Grid *g, int one, int two) {
    int a = g->linked[one].body;
    int b = g->linked[two].body;
    if (g->found_count < g->room) {
        g->found[g->found_count] = a < b ? (Found){ a, b } : (Found){ b, a };
    }
    g->found_count++;
}
