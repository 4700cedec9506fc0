// query.c -- what users ask about a state: what a ray hits, what lies in a box, distances, which
// body is near which.
//
// Rays and boxes look at every body: these are questions of a person with a mouse, a few a frame.
// The list of near pairs sweeps along x (Baraff 1992), so that a scene of many bodies does not cost
// its square. Nothing here changes a state, and nothing wrong that is asked does more than find
// nothing.
//
// SPDX-License-Identifier: MIT
#include "collide/near.h"

#include <string.h>

static bool fits(const impModel *m, const impState *s) { return m && s && s->model_id == m->id; }
static bool known(const impModel *m, impBody b) { return b.i >= 0 && b.i < m->body_count; }

static Placed piece(const impModel *m, int body, int i, impPose at) {
    const Shape *s = &m->shape[m->body[body].first_shape + i];
    return (Placed){ s, &m->geometry, pose_mul(at, s->pose) };
}

static Box box_of(const Body *b, impPose p) {
    impVec3 most = vec(HUGE_VAL, HUGE_VAL, HUGE_VAL);
    if (!b->bounded) return (Box){ neg(most), most };
    return near_box(p, b->low, b->high);
}

// --- rays ----------------------------------------------------------------------------------------
static bool ray_of(impVec3 from, impVec3 toward, double most, Ray *out) {
    double size = largest(toward);
    if (!finite3(from) || !finite3(toward) || !(size > 0) || !(most > 0)) return false;
    // lengths of 1e200 have squares, too
    impVec3 d = vec(toward.x / size, toward.y / size, toward.z / size);
    *out = (Ray){ from, scale(1 / norm(d), d), most };
    return true;
}

// the ball about its box
static bool may_hit(const Body *b, impPose p, const Ray *ray) {
    if (b->shape_count == 0) return false;
    if (!b->bounded) return true;
    impVec3 middle = place(p, scale(0.5, add(b->low, b->high)));
    impVec3 way = sub(middle, ray->from);
    double radius = 0.5 * norm(sub(b->high, b->low));
    double along = dot(way, ray->along);
    impVec3 across = madd(way, -along, ray->along);
    double slack = radius * (1 + 1e-9) + 1e-12 * norm(way);
    return norm(across) <= slack && along + slack >= 0 && along - slack <= ray->most;
}

bool impCast(const impModel *m, const impState *s, impVec3 from, impVec3 toward, double most,
             impHit *out) {
    Ray ray;
    bool hit = false;
    impHit none = { .body = { -1 } };
    if (out) {
        *out = none;
    }
    if (!fits(m, s) || !ray_of(from, toward, most, &ray)) return false;
    for (int i = 1; i < m->body_count; i++) {
        impPose p = motion_pose(m, s->data, i);
        if (!may_hit(&m->body[i], p, &ray)) continue;
        for (int k = 0; k < m->body[i].shape_count; k++) {
            Placed shape = piece(m, i, k, p);
            RayHit here;
            if (!collide_ray(&shape, &ray, &here) || (hit && !(here.t < ray.most))) continue;
            hit = true;
            ray.most = here.t;
            if (out) {
                *out = (impHit){ { i }, k, here.t, madd(from, here.t, ray.along), here.normal };
            }
        }
    }
    return hit;
}

// --- boxes ---------------------------------------------------------------------------------------
// a box that belongs to no body; numbered like those of shape/features.c
typedef struct Brick {
    Shape shape;
    Geometry g;
    impVec3 vertex[8];
    Edge edge[12];
    Face face[6];
    int32_t loop[24], loop_edge[24], ring[24], ring_first[9];
} Brick;

// and looks for its faces
static void add_edge(Brick *b, int32_t tail, int32_t head) {
    int e = b->shape.edge_count++;
    Edge *edge = &b->edge[e];
    *edge = (Edge){ .tail = tail, .head = head };
    impVec3 way = sub(b->vertex[head], b->vertex[tail]);
    edge->length = norm(way);
    edge->direction = scale(1 / edge->length, way);
    for (int f = 0; f < 6; f++) {
        for (int k = 0; k < 4; k++) {
            int32_t from = b->loop[4 * f + k];
            int32_t to = b->loop[4 * f + (k + 1) % 4];
            if (from == tail && to == head) {
                edge->left = f;
                b->loop_edge[4 * f + k] = e;
            }
            if (from == head && to == tail) {
                edge->right = f;
                b->loop_edge[4 * f + k] = e;
            }
        }
    }
    edge->out_left = cross(edge->direction, b->face[edge->left].normal);
    edge->out_right = cross(b->face[edge->right].normal, edge->direction);
}

static void list_rings(Brick *b) {
    for (int v = 0, at = 0; v < 8; v++) {
        b->ring_first[v] = at;
        for (int e = 0; e < 12; e++) {
            if (b->edge[e].tail == v || b->edge[e].head == v) {
                b->ring[at++] = e;
            }
        }
        b->ring_first[v + 1] = at;
    }
}

static Placed brick(impVec3 low, impVec3 high, Brick *b) {
    static const int32_t loop[24] = { 0, 1, 3, 2, 0, 4, 5, 1, 0, 2, 6, 4,
                                      1, 5, 7, 3, 2, 3, 7, 6, 4, 6, 7, 5 };
    static const double normal[6][3] = { { -1, 0, 0 }, { 0, -1, 0 }, { 0, 0, -1 },
                                         { 0, 0, 1 },  { 0, 1, 0 },  { 1, 0, 0 } };
    impVec3 h = scale(0.5, sub(high, low));
    *b = (Brick){ .shape = { .kind = shape_find("box"),
                             .size = { 2 * h.x, 2 * h.y, 2 * h.z },
                             .vertex_count = 8,
                             .face_count = 6,
                             .core = true,
                             .low = neg(h),
                             .high = h,
                             .pose = pose_identity() } };
    memcpy(b->loop, loop, sizeof loop);
    for (int i = 0; i < 8; i++) {
        b->vertex[i] = vec(i & 4 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 1 ? h.z : -h.z);
    }
    for (int f = 0; f < 6; f++) {
        impVec3 n = vec(normal[f][0], normal[f][1], normal[f][2]);
        b->face[f] = (Face){ 4 * f, 4, n, fabs(n.x) * h.x + fabs(n.y) * h.y + fabs(n.z) * h.z };
    }
    for (int v = 0; v < 8; v++) {
        for (int bit = 1; bit < 8; bit *= 2) {
            if (!(v & bit)) {
                add_edge(b, v, v | bit);
            }
        }
    }
    list_rings(b);
    b->g = (Geometry){ .vertex = b->vertex,
                       .loop = b->loop,
                       .face = b->face,
                       .edge = b->edge,
                       .loop_edge = b->loop_edge,
                       .ring = b->ring,
                       .ring_first = b->ring_first };
    return (Placed){ &b->shape, &b->g, pose(scale(0.5, add(low, high)), quat(1, 0, 0, 0)) };
}

static double wide(double low, double high) {
    return high - low > 0 ? 0 : 1e-12 * (fabs(low) + 1e-3);
}

// A point or a sheet as a box: with a thickness of rounding size.
static Box thickened(Box b) {
    impVec3 by = vec(wide(b.low.x, b.high.x), wide(b.low.y, b.high.y), wide(b.low.z, b.high.z));
    return (Box){ sub(b.low, by), add(b.high, by) };
}

// The part of the box around the body is as good as all of it, and keeps its digits when the box is
// a world wide.
static bool part_around(Box box, Box body, Box *out) {
    double by = 1 + largest(sub(body.high, body.low));
    if (near_gap(box.low, box.high, body.low, body.high) > 0) return false;
    if (isfinite(by)) {
        impVec3 more = vec(by, by, by);
        box.low = upper(box.low, sub(body.low, more));
        box.high = lower(box.high, add(body.high, more));
    }
    impVec3 end = vec(4e9, 4e9, 4e9);
    *out = thickened((Box){ upper(box.low, neg(end)), lower(box.high, end) });
    return true;
}

int impOverlap(const impModel *m, const impState *s, impVec3 low, impVec3 high, impBody *out,
               int room) {
    int count = 0;
    if (!fits(m, s) || !(low.x <= high.x && low.y <= high.y && low.z <= high.z)) return 0;
    for (int i = 1; i < m->body_count; i++) {
        impPose p = motion_pose(m, s->data, i);
        Box part;
        Brick room_for_it;
        if (m->body[i].shape_count == 0 ||
            !part_around((Box){ low, high }, box_of(&m->body[i], p), &part))
            continue;
        Placed shape = brick(part.low, part.high, &room_for_it);
        if (!collide_body_near(m, i, p, &shape, 0)) continue;
        if (out && count < room) {
            out[count].i = i;
        }
        count++;
    }
    return count;
}

// --- distances -----------------------------------------------------------------------------------
double impDistance(const impModel *m, const impState *s, impBody a, impBody b, impVec3 *on_a,
                   impVec3 *on_b, impVec3 *normal) {
    Near n = { .c.distance = HUGE_VAL };
    if (fits(m, s) && known(m, a) && known(m, b) && a.i != b.i) {
        n = collide_body_distance(m, a.i, b.i, motion_pose(m, s->data, a.i),
                                  motion_pose(m, s->data, b.i), HUGE_VAL);
    }
    if (on_a) {
        *on_a = n.c.on_a;
    }
    if (on_b) {
        *on_b = n.c.on_b;
    }
    if (normal) {
        *normal = n.c.normal;
    }
    return n.c.distance;
}

// --- near pairs ----------------------------------------------------------------------------------
// as convex.c numbers them
static const char *smooth_name(ConvexKind kind, int index) {
    static const char *const cylinder[] = { "side", "lower cap", "upper cap", "lower rim",
                                            "upper rim" };
    static const char *const cone[] = { "side", "base", "rim", "apex" };
    if (kind == CONVEX_CYLINDER && index < COUNT(cylinder)) return cylinder[index];
    if (kind == CONVEX_CONE && index < COUNT(cone)) return cone[index];
    return kind == CONVEX_PLANE ? "plane" : "surface";
}

static void name_feature(const Shape *s, Feature f, char out[32]) {
    static const char *const names[] = { "vertex", "edge", "face" };
    ConvexKind kind = convex_kind(s);
    FeatureKind what = feature_kind(f);
    int i = feature_index(f);
    if (kind == CONVEX_NONE && what == FEATURE_FACE) {
        print_text(out, 32, "triangle %d", i);
    } else if (kind == CONVEX_NONE && what == FEATURE_EDGE) {
        print_text(out, 32, "triangle %d side %d", i / 3, i % 3);
    } else if (kind == CONVEX_SEGMENT) {
        print_text(out, 32, what == FEATURE_EDGE ? "side" : i ? "upper end" : "lower end");
    } else if ((kind == CONVEX_POLYTOPE || kind == CONVEX_NONE) && what != FEATURE_SMOOTH) {
        print_text(out, 32, "%s %d", names[what], i);
    } else {
        print_text(out, 32, "%s", smooth_name(kind, i));
    }
}

static impNear near_of(const impModel *m, int a, int b, const Near *n) {
    impNear out = { .a = { a },
                    .b = { b },
                    .shape_a = n->shape_a,
                    .shape_b = n->shape_b,
                    .distance = n->c.distance,
                    .on_a = n->c.on_a,
                    .on_b = n->c.on_b,
                    .normal = n->c.normal,
                    .time = -1,
                    .doubtful = n->c.fallback };
    name_feature(&m->shape[m->body[a].first_shape + n->shape_a], n->c.feature_a, out.feature_a);
    name_feature(&m->shape[m->body[b].first_shape + n->shape_b], n->c.feature_b, out.feature_b);
    return out;
}

static bool goes_before(const impNear *a, const impNear *b) {
    if (a->distance != b->distance) return a->distance < b->distance;
    return a->a.i != b->a.i ? a->a.i < b->a.i : a->b.i < b->b.i;
}

// count: of those that came before
static void insert(impNear *list, int room, int count, const impNear *n) {
    int at = count < room ? count : room;
    while (at > 0 && goes_before(n, &list[at - 1])) {
        at--;
    }
    if (at >= room) return;
    int moved = (count < room ? count : room - 1) - at;
    memmove(list + at + 1, list + at, sizeof *list * (size_t)moved);
    list[at] = *n;
}

// --- and when they could touch -------------------------------------------------------------------
typedef struct Two {
    const impModel *m;
    int body[2];
    impPose pose[2];
    Flying now[2];
    double t;
} Two;

static Mover mover_of(const Two *w, int i, int shape) {
    Extent core = collide_extent(w->m, w->body[i], w->m->body[w->body[i]].first_shape + shape);
    return collide_mover(w->m, w->body[i], &core, &w->now[i], w->t);
}

static double time_of_pieces(const Two *w, int i, int j, double least) {
    Placed p = piece(w->m, w->body[0], i, w->pose[0]);
    Placed q = piece(w->m, w->body[1], j, w->pose[1]);
    Mover a = mover_of(w, 0, i);
    Mover b = mover_of(w, 1, j);
    if (!a.known || !b.known) return -1;
    if (convex_kind(p.shape) == CONVEX_NONE || convex_kind(q.shape) == CONVEX_NONE)
        return collide_time_by_speed(&a, &b, least);
    Closest c = collide_closest(&p, &q, NULL);
    return c.distance > 0 ? collide_time_bound(&a, &b, &p, &q, &c, 0) : 0;
}

static double time_of(const impModel *m, const double *state, const impNear *n) {
    Two w = { .m = m, .body = { n->a.i, n->b.i }, .t = state[m->layout.time] };
    double least = HUGE_VAL;
    if (n->distance <= 0) return 0;
    for (int k = 0; k < 2; k++) {
        const Body *b = &m->body[w.body[k]];
        w.pose[k] = motion_pose(m, state, w.body[k]);
        if (b->free >= 0) {
            w.now[k] = motion_get(state + m->layout.q + b->q, state + m->layout.v + b->v);
        }
    }
    for (int i = 0; i < m->body[w.body[0]].shape_count; i++) {
        for (int j = 0; j < m->body[w.body[1]].shape_count; j++) {
            least = min2(least, time_of_pieces(&w, i, j, n->distance));
        }
    }
    return least;
}

// --- the list ------------------------------------------------------------------------------------
typedef struct Sweep {
    const impModel *m;
    impPose *pose;
    Box *box;
    int32_t *order, *spare;
    int count;
} Sweep;

static bool starts_first(const void *context, int32_t i, int32_t j) {
    const Box *box = context;
    return box[i].low.x < box[j].low.x;
}

static bool start_sweep(Sweep *w, const impModel *m, const double *state, Pool *scratch) {
    *w = (Sweep){ m,
                  POOL_TAKE(scratch, impPose, m->body_count),
                  POOL_TAKE(scratch, Box, m->body_count),
                  POOL_TAKE(scratch, int32_t, m->body_count),
                  POOL_TAKE(scratch, int32_t, m->body_count),
                  0 };
    if (!w->pose || !w->box || !w->order || !w->spare) return false;
    for (int i = 1; i < m->body_count; i++) {
        if (m->body[i].shape_count == 0) continue;
        w->pose[i] = motion_pose(m, state, i);
        w->box[i] = box_of(&m->body[i], w->pose[i]);
        w->order[w->count++] = i;
    }
    sort_stable(w->order, w->spare, w->count, starts_first, w->box);
    return true;
}

static bool may_be_near(const Sweep *w, int i, int j, double within) {
    if (w->m->body[i].role != IMP_DYNAMIC && w->m->body[j].role != IMP_DYNAMIC) return false;
    if (!w->m->body[i].bounded || !w->m->body[j].bounded) return true;
    return near_gap(w->box[i].low, w->box[i].high, w->box[j].low, w->box[j].high) <= within;
}

static int sweep_pairs(const Sweep *w, double nearer, impNear *out, int room) {
    int count = 0;
    // boxes tell nothing of depths
    double within = max2(nearer, 0);
    for (int p = 0; p < w->count; p++) {
        for (int q = p + 1;
             q < w->count && w->box[w->order[q]].low.x - w->box[w->order[p]].high.x <= within;
             q++) {
            int i = w->order[p];
            int j = w->order[q];
            int a = i < j ? i : j;
            int b = i < j ? j : i;
            if (!may_be_near(w, a, b, within)) continue;
            Near n = collide_body_distance(w->m, a, b, w->pose[a], w->pose[b], within);
            if (!(n.c.distance <= nearer) || n.c.distance == HUGE_VAL) continue;
            impNear near = near_of(w->m, a, b, &n);
            if (room > 0) {
                insert(out, room, count, &near);
            }
            count++;
        }
    }
    return count;
}

int impNearPairs(const impModel *m, const impState *s, double within, impNear *out, int room) {
    Pool scratch = { 0 };
    Sweep w;
    if (!fits(m, s) || isnan(within)) return 0;
    int count = start_sweep(&w, m, s->data, &scratch) ? sweep_pairs(&w, within, out, out ? room : 0)
                                                      : -1;
    for (int i = 0; out && i < count && i < room; i++) {
        out[i].time = time_of(m, s->data, &out[i]);
    }
    pool_free(&scratch);
    return count;
}

bool impScene_CheckOverlaps(const impScene *scene, const impModel *m, double most, impError *err) {
    impNear deepest[IMP_MESSAGES];
    if (err) {
        memset(err, 0, sizeof *err);
    }
    if (!scene || !m || !(most >= 0) || m->body_count != scene->body_count + 1)
        return fail_as(err, IMP_BAD_CALL, (Where){ NULL, 0, 0 },
                       "impScene_Apart: a scene, its model and a length are needed");
    impState *start = impState_New(m);
    int count = start ? impNearPairs(m, start, -most, deepest, IMP_MESSAGES) : -1;
    impState_Free(start);
    if (count < 0) return fail_memory(err);
    for (int i = 0; i < count && i < IMP_MESSAGES; i++) {
        const impNear *n = &deepest[i];
        fail(err, scene->bodies[n->b.i - 1].at[BODY_ITSELF],
             "body '%s': overlaps body '%s' by %s m at the start; no more than %s m is touching",
             m->body[n->b.i].name, m->body[n->a.i].name, show(-n->distance).text, show(most).text);
    }
    if (err && count > IMP_MESSAGES) {
        err->count = count;
    }
    return count == 0;
}
