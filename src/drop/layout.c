// layout.c -- a part as the kernel reads it: plain lists in principal axes and units of the reach.
//
// Corners are sorted so that near ones are neighbours, and put into groups with a ball around each: a group that is too high
// is passed over as a whole, so that the cost of large hulls grows slower than their corners.
//
// SPDX-License-Identifier: MIT
#include "drop/drop.h"

enum { GROUP = 16, FLAT = 48 };               // corners of a group; up to so many there is one

// --- corners, near ones together -------------------------------------------------------------------------------------
typedef struct Axis { const impVec3 *at; int axis; } Axis;
static bool along_axis(const void *context, int32_t i, int32_t j) {
    const Axis *a = context;
    return component(a->at[i], a->axis) < component(a->at[j], a->axis);
}

static void halve(const impVec3 *at, int32_t *order, int32_t *spare, int count) {   // by the longest side, over and over
    if (count <= GROUP) return;
    impVec3 low = at[order[0]], high = low;
    for (int i = 1; i < count; i++) low = lower(low, at[order[i]]), high = upper(high, at[order[i]]);
    impVec3 side = sub(high, low);
    Axis a = { at, side.x >= side.y && side.x >= side.z ? 0 : side.y >= side.z ? 1 : 2 };
    sort_stable(order, spare, count, along_axis, &a);
    int half = (count / GROUP + 1) / 2 * GROUP;
    if (half >= count) half = count / 2;
    halve(at, order, spare, half), halve(at, order + half, spare, count - half);
}

typedef struct Groups { int32_t *first; double *x, *y, *z, *r; int count; } Groups;

static bool group_corners(DropTable *t, Pool *pool, const impVec3 *at, int n, impError *err) {
    int room = n > FLAT ? n / GROUP * 2 + 2 : 1;
    Groups g = { POOL_TAKE(pool, int32_t, room + 1), POOL_TAKE(pool, double, room), POOL_TAKE(pool, double, room),
                 POOL_TAKE(pool, double, room), POOL_TAKE(pool, double, room), 0 };
    if (!g.first || !g.x || !g.y || !g.z || !g.r) return fail_memory(err);
    for (int i = 0; i < n;) {
        int end = n <= FLAT || n - i <= GROUP ? n : i + GROUP;
        impVec3 middle = vec(0, 0, 0);
        double r = 0;
        for (int k = i; k < end; k++) middle = madd(middle, 1.0 / (end - i), at[k]);
        for (int k = i; k < end; k++) r = max2(r, norm(sub(at[k], middle)));
        g.first[g.count] = i, g.x[g.count] = middle.x, g.y[g.count] = middle.y, g.z[g.count] = middle.z, g.r[g.count] = r;
        g.count++, i = end;
    }
    g.first[g.count] = n;
    t->groups = g.count, t->group = g.first;
    t->group_x = g.x, t->group_y = g.y, t->group_z = g.z, t->group_r = g.r;
    return true;
}

// --- the part --------------------------------------------------------------------------------------------------------
static DropSpoke spoke_of(const impPart *part, int edge, int corner, const int32_t *place_of) {
    const Edge *e = part_edge(part, edge);
    impVec3 way;
    part_arc(part, edge, &way);
    bool left = dot(part_face(part, e->left)->normal, way) > dot(part_face(part, e->right)->normal, way);
    DropSpoke s = { .other = place_of[e->tail == corner ? e->head : e->tail], .ahead = left ? e->left : e->right,
                    .behind = left ? e->right : e->left };
    way = unrotate(part->axes, way);
    s.way[0] = way.x, s.way[1] = way.y, s.way[2] = way.z;
    return s;
}

static bool lay_out_corners(DropTable *t, Pool *pool, const impPart *part, impError *err) {
    int n = part->report.corners, edges = part->hull.edge_count;
    const int32_t *ring_first = part->geometry.ring_first + part->hull.first_ring, *ring = part->geometry.ring;
    int32_t *order = POOL_TAKE(pool, int32_t, n), *spare = POOL_TAKE(pool, int32_t, n), *spokes = POOL_TAKE(pool, int32_t, n + 1);
    impVec3 *at = POOL_TAKE(pool, impVec3, n), *sorted = POOL_TAKE(pool, impVec3, n);
    double *x = POOL_TAKE(pool, double, n), *y = POOL_TAKE(pool, double, n), *z = POOL_TAKE(pool, double, n), *gate = POOL_TAKE(pool, double, n);
    DropSpoke *spoke = POOL_TAKE(pool, DropSpoke, 2 * edges);
    if (!order || !spare || !spokes || !at || !sorted || !x || !y || !z || !gate || !spoke) return fail_memory(err);
    for (int i = 0; i < n; i++) order[i] = i, at[i] = scale(1 / t->length, unrotate(part->axes, part->corner[i]));
    if (n > FLAT) halve(at, order, spare, n);
    for (int i = 0; i < n; i++) sorted[i] = at[order[i]], spare[order[i]] = i;
    int used = 0;
    for (int i = 0; i < n; i++) {
        int v = order[i];
        x[i] = sorted[i].x, y[i] = sorted[i].y, z[i] = sorted[i].z, spokes[i] = used, gate[i] = 0;
        for (int k = ring_first[v]; k < ring_first[v + 1]; k++) {
            const DropSpoke s = spoke[used++] = spoke_of(part, ring[k], v, spare);
            gate[i] = max2(gate[i], max2(t->barrier[part->sink[s.ahead]], t->barrier[part->sink[s.behind]]));
        }
    }
    spokes[n] = used;
    t->corners = n, t->x = x, t->y = y, t->z = z, t->gate = gate, t->spokes = spokes, t->spoke = spoke;
    return group_corners(t, pool, sorted, n, err);
}

bool part_lay_out(impPart *part, impError *err) {
    DropTable *t = &part->table;
    Pool *pool = &part->pool;
    double *barrier = POOL_TAKE(pool, double, part->rests);
    if (!barrier) return fail_memory(err);
    t->length = part->report.reach;
    t->rests = part->rests, t->sink = part->sink, t->barrier = barrier, t->top = 0;
    for (int i = 0; i < part->rests; i++) {
        const impRest *r = &part->rest[i];
        barrier[i] = r->barrier < HUGE_VAL ? (r->height + r->barrier) / t->length : 1e30;
        t->top = max2(t->top, barrier[i]);
    }
    double unit_of = part->report.mass * t->length * t->length;
    for (int i = 0; i < 3; i++) t->moment[i] = part->moments[i] / unit_of, t->inverse[i] = unit_of / part->moments[i];
    t->axes[0] = part->axes.w, t->axes[1] = part->axes.x, t->axes[2] = part->axes.y, t->axes[3] = part->axes.z;
    return lay_out_corners(t, pool, part, err);
}
