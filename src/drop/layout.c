// layout.c -- a part as the kernel reads it: plain lists in principal axes and units of the reach.
//
// SPDX-License-Identifier: MIT
#include "drop/drop.h"

// --- the part ------------------------------------------------------------------------------------
static DropSpoke spoke_of(const impPart *part, int edge, int corner) {
    const Edge *e = part_edge(part, edge);
    impVec3 way;
    part_arc(part, edge, &way);
    bool left = dot(part_face(part, e->left)->normal, way) >
                dot(part_face(part, e->right)->normal, way);
    DropSpoke s = { .other = e->tail == corner ? e->head : e->tail,
                    .ahead = left ? e->left : e->right,
                    .behind = left ? e->right : e->left };
    way = unrotate(part->axes, way);
    s.way[0] = way.x;
    s.way[1] = way.y;
    s.way[2] = way.z;
    return s;
}

static double near_of(const impPart *part, const DropTable *t, int32_t face) {
    return t->exit[t->family[part->sink[face]]].near;
}

// Does the part rest, often enough to matter, on faces so narrow that it rocks from side to side on
// them? As narrow as facets over which it would roll: see the report's `join`.
static bool is_narrow(const impPart *part, const impRest *r) {
    static const double NARROW = 0.28;  // of the height: sqrt(8 c / h) at c / h = 0.01
    const Face *f = part_face(part, r->face);
    const int32_t *loop = part_loop(part, r->face);
    double within = r->height - 4 * part->report.noise;
    for (int i = 0; i < f->count; i++) {
        impVec3 from = part->corner[loop[i]];
        impVec3 along = sub(part->corner[loop[(i + 1) % f->count]], from);
        impVec3 across = scale(1 / norm(along), cross(r->normal, along));
        double low = 0;
        double high = 0;
        for (int k = 0; k < part->report.corners; k++) {
            if (!(dot(part->corner[k], r->normal) > within)) continue;
            double at = dot(sub(part->corner[k], from), across);
            low = min2(low, at);
            high = max2(high, at);
        }
        if (high - low < NARROW * r->height) return true;
    }
    return false;
}

static bool rocks(const impPart *part) {
    double share = 0;
    for (int i = 0; i < part->rests; i++) {
        if (is_narrow(part, &part->rest[i])) {
            share += part->rest[i].quasi_static;
        }
    }
    return share > IMP_CHECK_TOLERANCE;
}

static bool lay_out_corners(DropTable *t, Pool *pool, const impPart *part, impError *err) {
    int n = part->report.corners;
    int edges = part->hull.edge_count;
    const int32_t *ring_first = part->geometry.ring_first + part->hull.first_ring;
    const int32_t *ring = part->geometry.ring;
    int32_t *spokes = POOL_TAKE(pool, int32_t, n + 1);
    int room = n + DROP_LIST_ROOM;
    double *x = POOL_TAKE(pool, double, room);
    double *y = POOL_TAKE(pool, double, room);
    double *z = POOL_TAKE(pool, double, room);
    double *gate = POOL_TAKE(pool, double, n);
    DropSpoke *spoke = POOL_TAKE(pool, DropSpoke, 2 * edges);
    if (!spokes || !x || !y || !z || !gate || !spoke) return fail_memory(err);
    int used = 0;
    for (int i = 0; i < n; i++) {
        impVec3 at = scale(1 / t->length, unrotate(part->axes, part->corner[i]));
        x[i] = at.x;
        y[i] = at.y;
        z[i] = at.z;
        spokes[i] = used;
        gate[i] = 0;
        for (int k = ring_first[i]; k < ring_first[i + 1]; k++) {
            const DropSpoke s = spoke[used++] = spoke_of(part, ring[k], i);
            gate[i] = max2(gate[i], max2(near_of(part, t, s.ahead), near_of(part, t, s.behind)));
        }
    }
    spokes[n] = used;
    t->corners = n;
    t->many = n > FEW_CORNERS || (n > VERY_FEW_CORNERS && rocks(part));
    t->x = x;
    t->y = y;
    t->z = z;
    t->gate = gate;
    t->spokes = spokes;
    t->spoke = spoke;
    return true;
}

// Neighbours of each corner side by side, so that one instruction reads several. What is left of a
// block is the corner itself.
bool part_lay_out_blocks(DropTable *t, Pool *pool, impError *err) {
    int32_t *blocks = POOL_TAKE(pool, int32_t, t->corners + 1);
    if (!blocks) return fail_memory(err);
    for (int i = 0; i < t->corners; i++) {
        int spokes = t->spokes[i + 1] - t->spokes[i];
        blocks[i + 1] = blocks[i] + (spokes + RING - 1) / RING;
    }
    double *block = POOL_TAKE(pool, double, 3 * RING * (size_t)blocks[t->corners]);
    if (!block) return fail_memory(err);
    for (int i = 0; i < t->corners; i++) {
        for (int k = 0; k < RING * (blocks[i + 1] - blocks[i]); k++) {
            int spoke = t->spokes[i] + k;
            int other = spoke < t->spokes[i + 1] ? t->spoke[spoke].other : i;
            double *to = block + 3 * RING * (size_t)(blocks[i] + k / RING) + k % RING;
            to[0] = t->x[other];
            to[RING] = t->y[other];
            to[2 * RING] = t->z[other];
        }
    }
    t->blocks = blocks;
    t->block = block;
    return true;
}

#define NO_PASS 1e30  // higher than any energy: nothing gets the part out

// A part is near a family while its centre of mass is no higher above the lowest pose than so many
// times the lowest pass out.
static const double NEAR_FAMILY = 8;

static double in_units(const DropTable *t, double height, double barrier) {
    return barrier < HUGE_VAL ? (height + barrier) / t->length : NO_PASS;
}

static bool lay_out_poses(DropTable *t, Pool *pool, const impPart *part, impError *err) {
    double *barrier = POOL_TAKE(pool, double, part->rests);
    int32_t *family = POOL_TAKE(pool, int32_t, part->rests);
    DropFamily *exit = POOL_TAKE(pool, DropFamily, part->families);
    if (!barrier || !family || !exit) return fail_memory(err);

    for (int i = 0; i < part->rests; i++) {
        const impRest *r = &part->rest[i];
        barrier[i] = in_units(t, r->height, r->barrier);
        family[i] = r->family;
    }
    t->top = 0;
    for (int i = 0; i < part->families; i++) {
        const impFamily *f = &part->family[i];
        exit[i].pass = in_units(t, part->rest[f->lowest].height, f->barrier);
        exit[i].near = in_units(t, part->rest[f->lowest].height, NEAR_FAMILY * f->barrier);
        t->top = max2(t->top, exit[i].near);
    }
    t->rests = part->rests;
    t->families = part->families;
    t->faces = part->report.faces;
    t->sink = part->sink;
    t->barrier = barrier;
    t->family = family;
    t->exit = exit;
    return true;
}

bool part_lay_out(impPart *part, impError *err) {
    DropTable *t = &part->table;
    Pool *pool = &part->pool;
    t->length = part->report.bounding_radius;
    double unit_of = part->report.mass * t->length * t->length;
    for (int i = 0; i < 3; i++) {
        t->moment[i] = part->moments[i] / unit_of;
        t->inverse[i] = unit_of / part->moments[i];
    }
    t->axes[0] = part->axes.w;
    t->axes[1] = part->axes.x;
    t->axes[2] = part->axes.y;
    t->axes[3] = part->axes.z;
    return lay_out_poses(t, pool, part, err) && lay_out_corners(t, pool, part, err) &&
           part_lay_out_blocks(t, pool, err);
}
