// apart.c -- boxes that fit no level of the grid: half spaces, as planes are, and others without an
// end.
//
// They are compared with everyone, exactly as boxes of the table are with each other. Few are near
// any of them, though, so all that lie side by side are asked for at once: a group whose common box
// is out of a half space has none in it.
//
// SPDX-License-Identifier: MIT
#include "collide/grid.h"

static bool half_space_overlaps(const Held *half, const Box *b) {
    impVec3 n = half->box.low;
    impVec3 deep = vec(n.x > 0 ? b->low.x : b->high.x, n.y > 0 ? b->low.y : b->high.y,
                       n.z > 0 ? b->low.z : b->high.z);
    double x = n.x == 0 ? 0 : n.x * deep.x;
    double y = n.y == 0 ? 0 : n.y * deep.y;
    double z = n.z == 0 ? 0 : n.z * deep.z;
    double slack = 4 * DBL_EPSILON * (fabs(x) + fabs(y) + fabs(z));
    return !(x + y + z - slack > half->box.high.x);
}

static bool meet(const Grid *g, int a, int b) {
    const Held *ha = &g->held[a];
    const Held *hb = &g->held[b];
    const Linked *la = &g->linked[a];
    const Linked *lb = &g->linked[b];
    if (la->level == NOWHERE || lb->level == NOWHERE ||
        !grid_may_collide(la->motion_type, lb->motion_type))
        return false;
    if (ha->half_space) return half_space_overlaps(ha, &hb->box);
    return hb->half_space ? half_space_overlaps(hb, &ha->box)
                          : grid_boxes_overlap(&ha->box, &hb->box);
}

// --- one record ----------------------------------------------------------------------------------
void collide_grid_find_by_asking_all(Grid *g, int record) {
    for (int c = 0; c < g->bodies; c++) {
        if (c != record && meet(g, record, c)) {
            grid_emit(g, record, c);
        }
    }
}

void collide_grid_find_apart_of(Grid *g, int record) {
    for (int k = 0; k < g->apart_count; k++) {
        if (meet(g, g->apart[k], record)) {
            grid_emit(g, record, g->apart[k]);
        }
    }
}

// --- all of them ---------------------------------------------------------------------------------
// Records lie in the order of space, so a few neighbours share a box that is hardly larger than
// theirs.
enum { GROUP = 16 };
// alike: all are in the table, and inside the box
typedef struct Group {
    int first, end;
    bool alike;
    Box box;
} Group;

static Group group_from(const Grid *g, int first) {
    Group out = { first, first + GROUP < g->bodies ? first + GROUP : g->bodies, true,
                  g->held[first].box };
    impVec3 *low = &out.box.low;
    impVec3 *high = &out.box.high;
    for (int c = first; c < out.end; c++) {
        // in the table: of numbers
        const Box *b = &g->held[c].box;
        if (g->linked[c].level == APART || g->linked[c].level == NOWHERE) {
            out.alike = false;
        }
        low->x = min2(low->x, b->low.x);
        low->y = min2(low->y, b->low.y);
        low->z = min2(low->z, b->low.z);
        high->x = max2(high->x, b->high.x);
        high->y = max2(high->y, b->high.y);
        high->z = max2(high->z, b->high.z);
    }
    return out;
}

// That none of them meets it. Products and sums are monotone as they are rounded, and the slack is
// that of the farthest: what is said here of the group's box, half_space_overlaps says of every box
// inside.
static bool is_out_of(const Group *group, const Held *half) {
    const Box *b = &group->box;
    impVec3 n = half->box.low;
    impVec3 deep = vec(n.x > 0 ? b->low.x : b->high.x, n.y > 0 ? b->low.y : b->high.y,
                       n.z > 0 ? b->low.z : b->high.z);
    impVec3 far = vec(max2(-b->low.x, b->high.x), max2(-b->low.y, b->high.y),
                      max2(-b->low.z, b->high.z));
    double slack = 4 * DBL_EPSILON * (fabs(n.x * far.x) + fabs(n.y * far.y) + fabs(n.z * far.z));
    return group->alike && half->half_space &&
           n.x * deep.x + n.y * deep.y + n.z * deep.z - slack > half->box.high.x;
}

static void find_in_group(Grid *g, const Group *group, int apart) {
    for (int c = group->first; c < group->end; c++) {
        if (c != apart && (g->linked[c].level != APART || c > apart) && meet(g, apart, c)) {
            grid_emit(g, apart, c);
        }
    }
}

// In one walk over the records, however many are apart.
void collide_grid_find_apart(Grid *g) {
    for (int first = 0; g->apart_count > 0 && first < g->bodies; first += GROUP) {
        Group group = group_from(g, first);
        for (int k = 0; k < g->apart_count; k++) {
            if (!is_out_of(&group, &g->held[g->apart[k]])) {
                find_in_group(g, &group, g->apart[k]);
            }
        }
    }
}
