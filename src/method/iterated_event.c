// iterated_event.c -- bodies that arrive within the step, in the order of time.
//
// docs/theory/iterated.md, section 5. A point that arrives faster than the threshold bounces at its
// own time, not at that of the step's beginning: its pair is asked again then, and if it touches,
// the two bodies have a local node. What they touch belongs to that node, and so do the contacts of
// further bodies, as long as these are given a speed that matters. Impulses of the node at the
// beginning stay as they are.
//
// SPDX-License-Identifier: MIT
#include "method/iterated.h"

// Tolerances: docs/theory/iterated.md, section 8.
enum {
    EVENTS = 1000,        // of a step, and more for each free body: a sequence that needs more has
    EVENTS_OF_BODY = 50,  // no end
    RINGS = 64            // how often a local node takes in further bodies
};
// 1, of the smallest extent: a body that comes less far until the end of the step, by the change of
// its velocity, passes nothing on until the next step
#define PASSES_ON 5e-5
// 1, of the threshold: nor does one whose velocity changes by less
#define LEAST_CHANGE 0.05

// --- when ----------------------------------------------------------------------------------------

// Slots depend on history: of two events at one time that of the lower bodies comes first.
static bool is_earlier(const IteratedSet *set, int p, int q) {
    if (set->event[p] != set->event[q]) return set->event[p] < set->event[q];
    const IteratedPair *x = &set->pair[p];
    const IteratedPair *y = &set->pair[q];
    return x->i != y->i ? x->i < y->i : x->j < y->j;
}

// The pair with the earliest event; -1: there is none before the end of the step.
static int first_event(const Iterated *it) {
    int first = -1;
    for (int i = 0; i < it->set.slot_count; i++) {
        if (!(it->set.event[i] < it->settings.end)) continue;
        if (first < 0 || is_earlier(&it->set, i, first)) {
            first = i;
        }
    }
    return first;
}

// --- who -----------------------------------------------------------------------------------------

static void add_body(Iterated *it, IteratedNode *node, int body) {
    IteratedLocal *local = &it->local;
    if (!it->bodies.actor[body].free || it->islands.index[body] >= 0) return;
    it->islands.index[body] = node->body_count;
    local->reaches_on[node->body_count] = false;
    Actor *a = &it->bodies.actor[body];
    contact_move(it->settings.model, a, node->time);
    local->before[node->body_count] = (impTwist){ a->v, a->w };
    local->body[node->body_count++] = body;
}

// Adds the points of a pair, and its bodies if it has any. False: stopped.
static bool add_pair(Iterated *it, IteratedNode *node, int slot) {
    IteratedPair *pair = &it->set.pair[slot];
    if (pair->node == it->node_number) return true;
    int first = it->set.point_count;
    pair->node = it->node_number;
    it->set.event[slot] = HUGE_VAL;
    int count = iterated_add_pair(it, slot, node->time);
    if (count < 0) return false;
    for (int i = 0; i < count; i++) {
        it->local.point[node->point_count++] = first + i;
    }
    if (count > 0) {
        add_body(it, node, pair->i);
        add_body(it, node, pair->j);
    }
    return true;
}

// All contacts of a body that passes impulses on. False: stopped.
static bool reach_on(Iterated *it, IteratedNode *node, int i) {
    const BroadPair *list;
    it->local.reaches_on[i] = true;
    int count = collide_broad_partners(&it->set.broad, it->local.body[i], &list);
    for (int k = 0; k < count; k++) {
        if (!add_pair(it, node, list[k].slot)) return false;
    }
    return true;
}

static void begin_node(Iterated *it, IteratedNode *node, double time) {
    *node = (IteratedNode){ .time = time,
                            .ahead = it->settings.end - time,
                            .body = it->local.body,
                            .point = it->local.point };
    it->node_number++;
    it->set.point_count = it->local.first_point;
    it->set.smooth_count = it->local.first_smooth;
}

static void leave_node(Iterated *it, const IteratedNode *node) {
    for (int i = 0; i < node->body_count; i++) {
        it->islands.index[node->body[i]] = -1;
    }
}

// --- a local node --------------------------------------------------------------------------------

// By how much (m/s) the node changes the velocity of a body's surface.
static double change_of(const Iterated *it, const IteratedNode *node, int i) {
    const ProblemBody *body = &it->problem.body[i];
    const impTwist *before = &it->local.before[i];
    double radius = it->bodies.actor[node->body[i]].body->bounding_radius;
    return norm(sub(body->v, before->linear)) + radius * norm(sub(body->w, before->angular));
}

// What the contact problem of its island has left unsolved (m/s) is nothing that a body passes on.
static double unsolved_at(const Iterated *it, int body) {
    int island = it->islands.number[body];
    return island < 0 ? 0 : it->islands.residual[island];
}

// Bodies that the node gives a speed that matters, and that come so far by it (1, of the smallest
// extent) until the end of the step, pass impulses on. Returns how many are new; negative: stopped.
static int take_in_more(Iterated *it, IteratedNode *node, double far) {
    int added = 0;
    for (int i = 0; i < node->body_count; i++) {
        double change = change_of(it, node, i);
        double extent = it->bodies.actor[node->body[i]].body->smallest_extent;
        double least = max2(LEAST_CHANGE * it->settings.threshold, unsolved_at(it, node->body[i]));
        bool passes = change > least && change * node->ahead > far * extent;
        if (it->local.reaches_on[i] || !passes) continue;
        if (!reach_on(it, node, i)) return -1;
        added++;
    }
    return added;
}

// Impacts of a local node: after each round those that it has pushed belong to the node, too, so
// that an impulse runs on before slower ones follow. False: stopped.
static bool run_impacts(Iterated *it, IteratedNode *node) {
    for (int k = 0; k < RINGS; k++) {
        iterated_set_bodies(it, node);
        int count = iterated_resolve_round(it, node, false);
        if (count <= 0) return count == 0;
        iterated_launch_bodies(it, node, node->time);
        if (take_in_more(it, node, 0) < 0) return false;
    }
    return true;
}

// Impacts and contact problem of two bodies and of those that they push. False: stopped.
static bool process_local_node(Iterated *it, double time, int i, int j) {
    IteratedNode node;
    begin_node(it, &node, time);
    add_body(it, &node, i);
    add_body(it, &node, j);
    bool good = true;
    for (int k = node.body_count; k-- > 0;) {
        good = good && reach_on(it, &node, k);
    }
    for (int k = 0; good && k < RINGS; k++) {
        if (!run_impacts(it, &node) || !iterated_solve_node(it, &node)) {
            good = false;
            break;
        }
        int added = take_in_more(it, &node, PASSES_ON);
        good = added >= 0;
        it->journal.unconverged += added > 0 && k + 1 == RINGS;
        if (added == 0) break;
    }
    good = good && iterated_apply_node(it, &node);

    // those that come farther now than the set has foreseen may meet others
    int launched = 0;
    for (int k = 0; good && k < node.body_count; k++) {
        double extent = it->bodies.actor[node.body[k]].body->smallest_extent;
        if (change_of(it, &node, k) * node.ahead > ITERATED_NEAR * extent) {
            it->local.launched[launched++] = node.body[k];
        }
    }
    leave_node(it, &node);
    return good && iterated_refresh_pairs(it, it->local.launched, launched, time);
}

// --- an event ------------------------------------------------------------------------------------

// The time (s) from now at which the earliest point of a pair needs a node; HUGE_VAL: none does.
static double next_need(Iterated *it, const IteratedNode *node) {
    double earliest = HUGE_VAL;
    for (int i = 0; i < node->point_count; i++) {
        IteratedPoint *p = iterated_point(it, node, i);
        impVec3 u = iterated_velocity(it, p);
        iterated_predict(it, node, p);
        bool touches = iterated_touches(it, p);
        if (touches && -u.z >= it->settings.threshold) return 0;
        double time = iterated_arrival(it, node, p, u);
        double gap = p->gap + node->ahead * (u.z + p->c.z);
        if (time >= node->ahead && gap < -it->settings.touching) return 0;
        earliest = min2(earliest, time);
    }
    bool comes = earliest < HUGE_VAL || node->point_count == 0;
    return comes || iterated_overlaps_at_end(it, iterated_point(it, node, 0)) == 0 ? earliest : 0;
}

// False: stopped.
static bool process_event(Iterated *it, int slot) {
    const IteratedPair pair = it->set.pair[slot];
    double now = it->set.event[slot];
    IteratedNode node;
    begin_node(it, &node, now);
    if (!add_pair(it, &node, slot)) return false;
    iterated_set_bodies(it, &node);
    iterated_set_motions(it, &node);
    double time = next_need(it, &node);
    leave_node(it, &node);
    if (time > 0) {
        it->set.event[slot] = time < node.ahead ? collide_time_after(now, time) : HUGE_VAL;
        return true;
    }
    return process_local_node(it, now, pair.i, pair.j);
}

bool iterated_process_events(Iterated *it) {
    const impModel *m = it->settings.model;
    int64_t events_left = EVENTS + EVENTS_OF_BODY * (int64_t)m->sizes.nfree;
    it->local.first_point = it->set.point_count;
    it->local.first_smooth = it->set.smooth_count;
    for (int i = 0; i < m->body_count; i++) {
        it->islands.index[i] = -1;
    }
    for (int slot; (slot = first_event(it)) >= 0;) {
        const IteratedPair *pair = &it->set.pair[slot];
        if (events_left-- == 0)
            return journal_stop(&it->journal, IMP_STALLED,
                                "bodies '%s' and '%s': event limit reached in one step (%d and %d "
                                "for each body): probable Zeno behaviour",
                                m->body[pair->i].name, m->body[pair->j].name, (int)EVENTS,
                                (int)EVENTS_OF_BODY);
        if (!process_event(it, slot)) return false;
    }
    return true;
}
