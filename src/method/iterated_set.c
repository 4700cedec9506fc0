// iterated_set.c -- the contact set of a step, and the islands that it makes.
//
// docs/theory/many-contacts.md, section 1. Every pair of bodies whose swept boxes overlap is asked
// once, at the beginning of the step, for all points that could touch until its end.
//
// SPDX-License-Identifier: MIT
#include "method/iterated.h"

#include <string.h>

// --- pairs ---------------------------------------------------------------------------------------

static double extent_of(const Actor *a) {
    return a->free || a->asleep ? a->body->smallest_extent : HUGE_VAL;
}

// Margin (m) of the swept box of a body: its share of the gap of points in the set.
static double margin_of(const Iterated *it, const Actor *a) {
    double near = a->free || a->asleep ? ITERATED_NEAR * extent_of(a) : 0;
    return it->settings.level + it->settings.margin + near;
}

// Sets the box of a prescribed body. Returns it; of a half space, all of space.
static Box set_prescribed_box(Iterated *it, int body, double margin, double h) {
    const impModel *m = it->settings.model;
    const Actor *a = &it->bodies.actor[body];
    const impVec3 far = vec(HUGE_VAL, HUGE_VAL, HUGE_VAL);
    MotionType type = motion_is_moving(m, body) ? MOTION_KINEMATIC : MOTION_STATIC;
    double offset;
    impVec3 normal;
    if (collide_half_space(m, body, a->pose, h, margin, &normal, &offset)) {
        collide_broad_set_half_space(&it->set.broad, body, normal, offset, type);
        return (Box){ neg(far), far };
    }
    Box box = collide_box_kinematic(m, body, a->pose, h, margin);
    collide_broad_set(&it->set.broad, body, box, type);
    return box;
}

static Box set_box(Iterated *it, int body) {
    const Actor *a = &it->bodies.actor[body];
    double margin = margin_of(it, a);
    double h = it->settings.end - a->t;
    if (!a->free && !a->asleep) return set_prescribed_box(it, body, margin, h);
    impVec3 pull = a->asleep ? vec(0, 0, 0) : a->acceleration;
    Box box = collide_box_free(a->body, &a->now, pull, a->asleep ? 0 : h, margin);
    collide_broad_set(&it->set.broad, body, box, a->asleep ? MOTION_ASLEEP : MOTION_DYNAMIC);
    return box;
}

static Box joined(Box a, Box b) { return (Box){ lower(a.low, b.low), upper(a.high, b.high) }; }

static bool contains(const Box *a, const Box *b) {
    return a->low.x <= b->low.x && a->low.y <= b->low.y && a->low.z <= b->low.z &&
           a->high.x >= b->high.x && a->high.y >= b->high.y && a->high.z >= b->high.z;
}

void iterated_set_box(Iterated *it, int body) {
    IteratedSet *set = &it->set;
    Box box = set_box(it, body);
    if (set->leaves_out && !contains(&set->moving, &box)) {
        set->outgrown = true;
    }
}

// True if a sleeper may touch what moves, by its bounding sphere.
static bool is_near_moving(const Iterated *it, const Actor *a) {
    const Box *m = &it->set.moving;
    double r = a->body->bounding_radius + margin_of(it, a);
    impVec3 x = a->x;
    return !a->body->bounded ||
           (x.x + r >= m->low.x && x.x - r <= m->high.x && x.y + r >= m->low.y &&
            x.y - r <= m->high.y && x.z + r >= m->low.z && x.z - r <= m->high.z);
}

// The boxes of all bodies, but of sleepers those alone that are where something moves.
static void set_boxes(Iterated *it) {
    IteratedSet *set = &it->set;
    const int bodies = it->settings.model->body_count;
    const impVec3 far = vec(HUGE_VAL, HUGE_VAL, HUGE_VAL);
    const Box empty = { far, neg(far) };
    set->moving = empty;
    set->leaves_out = set->outgrown = false;
    for (int i = 0; i < bodies; i++) {
        const Actor *a = &it->bodies.actor[i];
        set->is_left_out[i] = false;
        if (a->asleep) continue;
        Box box = set_box(it, i);
        if (a->free || motion_is_moving(it->settings.model, i)) {
            set->moving = joined(set->moving, box);
        }
    }
    for (int i = 0; i < bodies; i++) {
        const Actor *a = &it->bodies.actor[i];
        if (!a->asleep) continue;
        if (is_near_moving(it, a)) {
            set_box(it, i);
        } else {
            collide_broad_set(&set->broad, i, empty, MOTION_ASLEEP);
            set->is_left_out[i] = set->leaves_out = true;
        }
    }
}

// Takes the sleepers in that were left out. False: stopped.
static bool take_in_sleepers(Iterated *it) {
    IteratedSet *set = &it->set;
    set->leaves_out = set->outgrown = false;
    for (int i = 0; i < it->settings.model->body_count; i++) {
        if (!set->is_left_out[i]) continue;
        set->is_left_out[i] = false;
        it->bodies.piece[i] = contact_set_piece(it->settings.model, &it->bodies.actor[i]);
        set_box(it, i);
        if (!collide_broad_refresh(&set->broad, i, -1)) return false;
    }
    return true;
}

// How near (m) points have to be: the way that the bodies can go towards each other in the step.
// Rotation brings a body no farther out than its bounding radius.
static double reach_of(const Iterated *it, const Actor *a, const Actor *b, double h) {
    const Actor *actor[2] = { a, b };
    double turned = 0;
    impVec3 pull = vec(0, 0, 0);
    for (int k = 0; k < 2; k++) {
        const double radius = actor[k]->body->bounding_radius;
        double spin = norm(actor[k]->w);
        if (spin > 0) {
            turned += radius * min2(h * spin, 1);
        }
        if (actor[k]->free) {
            pull = madd(pull, k ? -1 : 1, actor[k]->acceleration);
        }
    }
    double near = ITERATED_NEAR * min2(extent_of(a), extent_of(b));
    double speed = norm(sub(a->v, b->v));
    return it->settings.level + near + turned + h * (speed + 0.5 * h * norm(pull));
}

static bool stop_full(Iterated *it, const char *what, int room) {
    return journal_stop(&it->journal, IMP_FULL, "more than %d %s in one step", room, what);
}

static bool stop_overlap(Iterated *it, const SetPoint *p) {
    const Body *body = it->settings.model->body;
    it->journal.failed = "overlap";
    return journal_stop(&it->journal, IMP_UNTRUE,
                        "bodies '%s' and '%s': the certificate failed: they overlap by %s m (limit "
                        "%s m, a tenth of the smallest extent); a smaller step may follow them",
                        body[p->a].name, body[p->b].name, show(-p->gap).text,
                        show(it->journal.limit.overlap).text);
}

// --- points --------------------------------------------------------------------------------------

// The first tangent of a point with normal n: in the plane in which one of its bodies moves, if
// there is one.
static impVec3 tangent_of(const Iterated *it, const SetPoint *p) {
    impVec3 plane = it->bodies.actor[p->a].body->plane;
    if (zero3(plane)) {
        plane = it->bodies.actor[p->b].body->plane;
    }
    impVec3 along = cross(plane, p->n);
    double size = norm(along);
    return size > 0.5 ? scale(1 / size, along) : perpendicular(p->n);
}

IteratedPoint iterated_make_point(const Iterated *it, const SetPoint *set, int slot) {
    const Actor *b = &it->bodies.actor[set->b];
    IteratedPoint p = { .set = *set, .pair = slot, .row = -1 };
    p.gap = set->gap - it->settings.level;
    p.t1 = tangent_of(it, set);
    p.t2 = cross(set->n, p.t1);
    contact_set_arms(set, b->free, &p.arm_a, &p.arm_b);
    if (!b->free) {
        impVec3 v = add(b->v, cross(b->w, p.arm_b));
        p.support = vec(dot(v, p.t1), dot(v, p.t2), dot(v, set->n));
    }
    p.last = iterated_find(&it->memory, set->a, set->b, set->feature);
    return p;
}

int iterated_query(Iterated *it, const Actor *a, const Actor *b, double within) {
    const IteratedCapacity *capacity = &it->settings.capacity;
    SetQuery query = { .narrow_phase = it->set.narrow_phase,
                       .smooth = it->set.smooth,
                       .smooth_count = it->set.smooth_count,
                       .smooth_room = capacity->smooth };
    int room = capacity->points - it->set.point_count;
    int count = contact_set_pair(it->settings.model, a, b, it->bodies.extent, within, &query,
                                 it->set.found, room);
    it->journal.iterations++;
    if (count < 0) {
        stop_full(it, "contact points", capacity->points);
        return -1;
    }
    it->set.smooth_count = query.smooth_count;
    return count;
}

bool iterated_check_overlap(Iterated *it, const SetPoint *p) {
    it->journal.gap = min2(it->journal.gap, p->gap);
    it->journal.found.overlap = max2(it->journal.found.overlap, -p->gap);
    return -p->gap <= it->journal.limit.overlap || stop_overlap(it, p);
}

// Appends what a query of a pair has found. Returns its number; negative: stopped.
static int append_points(Iterated *it, int slot, const SetPoint *list, int count) {
    it->journal.iterations++;
    if (count < 0 || count > it->settings.capacity.points - it->set.point_count) {
        stop_full(it, "contact points", it->settings.capacity.points);
        return -1;
    }
    it->set.pair[slot].point_count = count;
    for (int i = 0; i < count; i++) {
        const SetPoint *found = &list[i];
        it->set.point[it->set.point_count++] = iterated_make_point(it, found, slot);
        if (!iterated_check_overlap(it, found)) return -1;
    }
    return count;
}

// True if a pair needs no query; else *within is how near (m) points have to be.
static bool is_out_of_reach(const Iterated *it, const Actor *a, const Actor *b, double time,
                            double *within) {
    *within = reach_of(it, a, b, it->settings.end - time);
    return (!a->free && !b->free) || contact_far_apart(a, b, *within);
}

int iterated_add_pair(Iterated *it, int slot, double time) {
    const IteratedCapacity *capacity = &it->settings.capacity;
    const IteratedPair *pair = &it->set.pair[slot];
    Actor *a = &it->bodies.actor[pair->i];
    Actor *b = &it->bodies.actor[pair->j];
    contact_move(it->settings.model, a, time);
    contact_move(it->settings.model, b, time);
    double within;
    it->set.pair[slot].point_count = 0;
    bool out_of_reach = is_out_of_reach(it, a, b, time, &within);
    it->set.pair[slot].reach = within;
    if (out_of_reach) return 0;
    SetQuery query = { .piece = time == it->settings.begin ? it->bodies.piece : NULL,
                       .narrow_phase = it->set.narrow_phase,
                       .smooth = it->set.smooth,
                       .smooth_count = it->set.smooth_count,
                       .smooth_room = capacity->smooth };
    int count = contact_set_pair(it->settings.model, a, b, it->bodies.extent, within, &query,
                                 it->set.found, capacity->points - it->set.point_count);
    it->set.smooth_count = query.smooth_count;
    return append_points(it, slot, it->set.found, count);
}

int iterated_count_points(Iterated *it, const Actor *a, const Actor *b, double within) {
    SetQuery query = { .narrow_phase = it->set.narrow_phase,
                       .smooth = it->set.smooth + it->set.smooth_count,
                       .smooth_room = it->settings.capacity.smooth - it->set.smooth_count };
    if (contact_far_apart(a, b, within)) return 0;
    int count = contact_set_pair(it->settings.model, a, b, it->bodies.extent, within, &query,
                                 it->set.found, it->settings.capacity.points);
    it->journal.iterations++;
    // no room for them: there are some
    return count < 0 ? 1 : count;
}

// True if the row of a point has what touches at the end: the same feature, which on a smooth
// surface may have run farther than predicted, and be elsewhere by more than `limit`.
static bool is_known(const Iterated *it, const SetPoint *p, const IteratedPoint *of_pair, int count,
                     double limit) {
    for (int i = 0; i < count; i++) {
        if (of_pair[i].set.feature != p->feature) continue;
        if (of_pair[i].set.kind != SET_SMOOTH || p->kind != SET_SMOOTH) return true;
        double off = p->gap - it->settings.level - of_pair[i].gap_at_end;
        if (fabs(off) <= limit) return true;
    }
    return false;
}

int iterated_add_late(Iterated *it, const Actor *a, const Actor *b, const IteratedPoint *of_pair,
                      int count, double limit) {
    const IteratedCapacity *capacity = &it->settings.capacity;
    SetQuery query = { .narrow_phase = it->set.narrow_phase,
                       .smooth = it->set.smooth + it->set.smooth_count,
                       .smooth_room = capacity->smooth - it->set.smooth_count };
    int found = contact_set_pair(it->settings.model, a, b, it->bodies.extent,
                                 it->settings.level - limit, &query, it->set.found,
                                 capacity->points - it->set.point_count);
    int added = 0;
    it->journal.iterations++;
    if (found < 0) {
        stop_full(it, "contact points", capacity->points);
        return -1;
    }
    for (int i = 0; i < found; i++) {
        SetPoint *p = &it->set.found[i];
        if (is_known(it, p, of_pair, count, limit)) continue;
        // where a smooth surface touches at the end, it is a corner over a face in this step
        if (p->kind == SET_SMOOTH) {
            p->kind = SET_CORNER_OF_A;
            p->feature = ~p->feature;
        }
        const Actor *first = &it->bodies.actor[p->a];
        const Actor *second = &it->bodies.actor[p->b];
        SetPoint before = contact_set_before(p, &it->bodies.motion[p->a], &it->bodies.motion[p->b],
                                             sub(first->x, second->x));
        it->late_point[it->late_count++] = it->set.point_count;
        it->set.point[it->set.point_count++] = iterated_make_point(it, &before, of_pair->pair);
        added++;
    }
    return added;
}

// Takes over the pairs that the broad phase has removed and added; new ones are due now.
static void follow_broad_phase(Iterated *it, double time) {
    IteratedSet *set = &it->set;
    for (int i = 0; i < set->broad.removed_count; i++) {
        set->event[set->broad.removed[i].slot] = HUGE_VAL;
    }
    for (int i = 0; i < set->broad.added_count; i++) {
        const BroadPair *added = &set->broad.added[i];
        while (set->slot_count <= added->slot) {
            set->event[set->slot_count++] = HUGE_VAL;
        }
        set->pair[added->slot] = (IteratedPair){ .i = added->i, .j = added->j, .node = -1 };
        set->event[added->slot] = time;
    }
}

// Bodies that fly otherwise now may touch where they were out of reach: these pairs are due.
static void reschedule_pairs(Iterated *it, int body, double time) {
    const BroadPair *list;
    int count = collide_broad_partners(&it->set.broad, body, &list);
    for (int k = 0; k < count; k++) {
        Actor *a = &it->bodies.actor[list[k].i];
        Actor *b = &it->bodies.actor[list[k].j];
        if (!a->free && !b->free) continue;
        // in a crowd only those that have no points yet
        bool has_points = it->set.pair[list[k].slot].point_count > 0;
        if (has_points && iterated_within_crowd(it, a->index, b->index)) continue;
        contact_move(it->settings.model, a, time);
        contact_move(it->settings.model, b, time);
        double reach = reach_of(it, a, b, it->settings.end - time);
        if (reach <= it->set.pair[list[k].slot].reach || contact_far_apart(a, b, reach)) continue;
        double *event = &it->set.event[list[k].slot];
        *event = min2(*event, time);
    }
}

bool iterated_refresh_pairs(Iterated *it, const int32_t *bodies, int count, double time) {
    for (int i = 0; i < count; i++) {
        iterated_set_box(it, bodies[i]);
    }
    if (it->set.outgrown && !take_in_sleepers(it))
        return stop_full(it, "pairs of bodies near each other", it->settings.capacity.pairs);
    for (int i = 0; i < count; i++) {
        if (!collide_broad_refresh(&it->set.broad, bodies[i], -1))
            return stop_full(it, "pairs of bodies near each other", it->settings.capacity.pairs);
        follow_broad_phase(it, time);
    }
    for (int i = 0; i < count; i++) {
        reschedule_pairs(it, bodies[i], time);
    }
    return true;
}

bool iterated_update_pairs(Iterated *it) {
    if (!collide_broad_update(&it->set.broad))
        return stop_full(it, "pairs of bodies near each other", it->settings.capacity.pairs);
    follow_broad_phase(it, HUGE_VAL);
    for (int i = 0; i < it->set.slot_count; i++) {
        it->set.event[i] = HUGE_VAL;
    }
    return true;
}

bool iterated_find_pairs(Iterated *it) {
    it->set.smooth_count = 0;
    set_boxes(it);
    return iterated_update_pairs(it);
}

static void set_pieces(void *context, int first, int last, int worker) {
    const IteratedWork *w = context;
    (void)worker;
    for (int i = first; i < last; i++) {
        if (w->it->set.is_left_out[i]) continue;
        w->it->bodies.piece[i] = contact_set_piece(w->it->settings.model, &w->it->bodies.actor[i]);
    }
}

// Pairs of a batch that need no query, and those without a closed form.
enum { OUT_OF_REACH = -1, OTHER_FORM = -2 };

typedef struct Batch {
    Iterated *it;
    const BroadPair *pair;
} Batch;

static int query_in_closed_form(const Batch *batch, int k) {
    const Iterated *it = batch->it;
    const SetPiece *piece = it->bodies.piece;
    const Actor *a = &it->bodies.actor[batch->pair[k].i];
    const Actor *b = &it->bodies.actor[batch->pair[k].j];
    double within;
    bool out_of_reach = is_out_of_reach(it, a, b, it->settings.begin, &within);
    it->set.pair[batch->pair[k].slot].reach = within;
    if (out_of_reach) return OUT_OF_REACH;
    if (piece[a->index].form == SET_FORM_OTHER || piece[b->index].form == SET_FORM_OTHER)
        return OTHER_FORM;
    SetQuery query = { .piece = piece };
    return contact_set_pair(it->settings.model, a, b, it->bodies.extent, within, &query,
                            &it->set.batch[SET_BOX_POINTS * k], SET_BOX_POINTS);
}

static void query_batch(void *context, int first, int last, int worker) {
    const Batch *batch = context;
    (void)worker;
    for (int k = first; k < last; k++) {
        batch->it->set.batch_count[k] = query_in_closed_form(batch, k);
    }
}

// Points of some pairs: queries in closed form by all threads, then lists in the order of pairs.
// False: stopped.
static bool add_batch(Iterated *it, const BroadPair *pair, int count) {
    IteratedSet *set = &it->set;
    Batch batch = { it, pair };
    iterated_each(it, count, query_batch, &batch);
    for (int k = 0; k < count; k++) {
        int found = set->batch_count[k];
        set->pair[pair[k].slot].point_count = 0;
        if (found == OUT_OF_REACH) continue;
        int added = found == OTHER_FORM
                        ? iterated_add_pair(it, pair[k].slot, it->settings.begin)
                        : append_points(it, pair[k].slot, &set->batch[SET_BOX_POINTS * k], found);
        if (added < 0) return false;
    }
    return true;
}

bool iterated_find_points(Iterated *it) {
    IteratedSet *set = &it->set;
    IteratedWork work = { it, NULL };
    set->point_count = set->smooth_count = 0;
    iterated_each(it, it->settings.model->body_count, set_pieces, &work);
    for (int i = 0; i < set->broad.count; i += ITERATED_BATCH) {
        int left = set->broad.count - i;
        int count = left < ITERATED_BATCH ? left : ITERATED_BATCH;
        if (!add_batch(it, &set->broad.pair[i], count)) return false;
    }
    return true;
}

// --- islands -------------------------------------------------------------------------------------

static int32_t root_of(int32_t *root, int32_t body) {
    while (root[body] != body) {
        root[body] = root[root[body]];
        body = root[body];
    }
    return body;
}

// The root of an island is its lowest body, so that islands are in the order of these.
static void join(int32_t *root, int32_t a, int32_t b) {
    a = root_of(root, a);
    b = root_of(root, b);
    if (a < b) {
        root[b] = a;
    } else {
        root[a] = b;
    }
}

static void join_bodies(Iterated *it) {
    IteratedIslands *s = &it->islands;
    for (int i = 0; i < it->settings.model->body_count; i++) {
        s->root[i] = i;
        s->number[i] = s->index[i] = -1;
    }
    for (int i = 0; i < it->set.point_count; i++) {
        const SetPoint *p = &it->set.point[i].set;
        s->index[p->a] = 0;
        if (it->bodies.actor[p->b].free) {
            s->index[p->b] = 0;
            join(s->root, p->a, p->b);
        }
    }
}

// Lists bodies and points island by island: counted first, then placed.
void iterated_find_islands(Iterated *it) {
    IteratedIslands *s = &it->islands;
    const int bodies = it->settings.model->body_count;
    join_bodies(it);
    s->count = 0;
    for (int i = 0; i < bodies; i++) {
        if (s->index[i] < 0) continue;
        int root = root_of(s->root, i);
        if (s->number[root] < 0) {
            s->first_body[s->count] = s->first_point[s->count] = 0;
            s->number[root] = s->count++;
        }
        s->number[i] = s->number[root];
        s->first_body[s->number[i]]++;
    }
    for (int i = 0; i < it->set.point_count; i++) {
        s->first_point[s->number[it->set.point[i].set.a]]++;
    }

    // ends of the ranges, which placing backwards turns into their beginnings
    int body = 0, point = 0;
    for (int k = 0; k < s->count; k++) {
        body = s->first_body[k] += body;
        point = s->first_point[k] += point;
    }
    s->first_body[s->count] = body;
    s->first_point[s->count] = point;
    for (int i = bodies; i-- > 0;) {
        if (s->index[i] >= 0) {
            s->body[--s->first_body[s->number[i]]] = i;
        }
    }
    for (int i = it->set.point_count; i-- > 0;) {
        s->point[--s->first_point[s->number[it->set.point[i].set.a]]] = i;
    }
    for (int k = 0; k < s->count; k++) {
        for (int i = s->first_body[k]; i < s->first_body[k + 1]; i++) {
            s->index[s->body[i]] = i - s->first_body[k];
        }
    }
}
