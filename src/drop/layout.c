// layout.c -- a part as the kernel reads it: plain lists in principal axes and units of the reach.
//
// SPDX-License-Identifier: MIT
#include "drop/drop.h"

enum { LIST_ROOM = 15 };                      // numbers behind a list that may be read: see lanes.h

// --- the part --------------------------------------------------------------------------------------------------------
static DropSpoke spoke_of(const impPart *part, int edge, int corner) {
    const Edge *e = part_edge(part, edge);
    impVec3 way;
    part_arc(part, edge, &way);
    bool left = dot(part_face(part, e->left)->normal, way) > dot(part_face(part, e->right)->normal, way);
    DropSpoke s = { .other = e->tail == corner ? e->head : e->tail, .ahead = left ? e->left : e->right,
                    .behind = left ? e->right : e->left };
    way = unrotate(part->axes, way);
    s.way[0] = way.x, s.way[1] = way.y, s.way[2] = way.z;
    return s;
}

static bool lay_out_corners(DropTable *t, Pool *pool, const impPart *part, impError *err) {
    int n = part->report.corners, edges = part->hull.edge_count;
    const int32_t *ring_first = part->geometry.ring_first + part->hull.first_ring, *ring = part->geometry.ring;
    int32_t *spokes = POOL_TAKE(pool, int32_t, n + 1);
    int room = n + LIST_ROOM;
    double *x = POOL_TAKE(pool, double, room), *y = POOL_TAKE(pool, double, room), *z = POOL_TAKE(pool, double, room), *gate = POOL_TAKE(pool, double, n);
    DropSpoke *spoke = POOL_TAKE(pool, DropSpoke, 2 * edges);
    if (!spokes || !x || !y || !z || !gate || !spoke) return fail_memory(err);
    int used = 0;
    for (int i = 0; i < n; i++) {
        impVec3 at = scale(1 / t->length, unrotate(part->axes, part->corner[i]));
        x[i] = at.x, y[i] = at.y, z[i] = at.z, spokes[i] = used, gate[i] = 0;
        for (int k = ring_first[i]; k < ring_first[i + 1]; k++) {
            const DropSpoke s = spoke[used++] = spoke_of(part, ring[k], i);
            gate[i] = max2(gate[i], max2(t->barrier[part->sink[s.ahead]], t->barrier[part->sink[s.behind]]));
        }
    }
    spokes[n] = used;
    t->corners = n, t->many = n > FEW_CORNERS, t->x = x, t->y = y, t->z = z, t->gate = gate, t->spokes = spokes, t->spoke = spoke;
    return true;
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
