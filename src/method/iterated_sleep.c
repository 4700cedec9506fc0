// iterated_sleep.c -- which bodies fall asleep, and which sleepers wake.
//
// docs/theory/iterated.md, section 7. Noise of a contact problem that is solved to a tolerance only
// must not keep a heap awake, so slowness alone makes a body a candidate; whether it may sleep is a
// convex question with a unique answer (solver_hold): can impulses in the friction cones hold it,
// with the help of fixed bodies, sleepers and the other candidates?
//
// A sleeper wakes where something comes to it that moves, or bears on it with a load that matters;
// then all sleepers in contact with it wake, and theirs, as in
// docs/theory/rest-and-sleep.md, section 9.
//
// SPDX-License-Identifier: MIT
#include "method/iterated.h"

// Tolerances: docs/theory/iterated.md, section 8.
enum {
    SLOW_STEPS = 8,     // a candidate has been slow for so many steps
    BACK_OFF = 24,      // steps until a candidate that was not held is asked again ...
    LARGE_ISLAND = 200  // ... in islands of more candidates; in others, SLOW_STEPS
};
// 1, of the speed sqrt(g size): slower is slow
#define SLOW 5e-3
// times that: the same of the surface speed of a ball, which may roll or spin
#define SLOW_SPIN 10
// 1, of the awake bodies of an island: fewer candidates are not asked
#define CANDIDATES 0.2
// 1, of g h: a body that is left no faster is held
#define HELD 1e-5
// 1, of the weight of a sleeper: a load that wakes it
#define WAKING_LOAD 0.3
// 1, of the smaller extent: gap at which a sleeper wakes another one
#define WAKING_EXTENT 0.002
// contact bands beyond the contact level: points that hold a sleeper
#define HOLDING_BANDS 1.0

static double slow_speed(const Iterated *it, const Body *body) {
    return SLOW * sqrt(it->settings.gravity * body->smallest_extent);
}

static double holding_gap(const Iterated *it) {
    return it->settings.level * (1 + 2 * HOLDING_BANDS);
}

// Sleepers that are so near to each other (m) wake together: the certificate of one may rest on a
// point that has opened by more than the holding gap since.
static double waking_gap(const Iterated *it, const Actor *a, const Actor *b) {
    double thin = min2(a->body->smallest_extent, b->body->smallest_extent);
    return max2(holding_gap(it), it->settings.level + WAKING_EXTENT * thin);
}

// --- waking --------------------------------------------------------------------------------------

void iterated_wake(Iterated *it, int body) {
    const impModel *m = it->settings.model;
    Actor *a = &it->bodies.actor[body];
    it->bodies.sleep_counter[a->body->free] = 0;
    if (!a->asleep) return;
    a->free = true;
    contact_launch(a, vec(0, 0, 0), vec(0, 0, 0));
    journal_book(&it->journal, body, scale(it->settings.h * a->body->mass, m->gravity),
                 vec(0, 0, 0), 0);
}

// True if a body that is awake, or led, comes to a sleeper in this step, or leaves it.
static bool disturbs(Iterated *it, const Actor *moving, const Actor *sleeper) {
    double h = it->settings.h;
    double fall = it->settings.gravity * h;
    double speed = norm(moving->v) + norm(moving->w) * moving->body->bounding_radius;
    // before the impulses of its node a free body falls, though it rests
    double quiet = slow_speed(it, sleeper->body) + (moving->free ? fall : 0);
    if (speed <= quiet) return false;
    double near = holding_gap(it);
    int count = iterated_count_points(it, moving, sleeper, near + h * (speed + 0.5 * fall));
    for (int i = 0; i < count; i++) {
        const SetPoint *p = &it->set.found[i];
        impVec3 arm_a, arm_b;
        contact_set_arms(p, false, &arm_a, &arm_b);
        impVec3 u = p->a == moving->index ? add(moving->v, cross(moving->w, arm_a))
                                          : neg(add(moving->v, cross(moving->w, arm_b)));
        bool touches = p->gap <= near && norm(u) > quiet;
        bool arrives = p->gap + h * (dot(p->n, u) - fall) <= near;
        if (touches || (arrives && norm(u) > quiet)) return true;
    }
    return false;
}

static bool is_moving(const Iterated *it, const Actor *a) {
    return a->free || (!a->asleep && motion_is_moving(it->settings.model, a->index));
}

// Wakes the bodies of a list, and all sleepers that they touch. Returns how many bodies are in the
// list then; negative: stopped.
static int wake_list(Iterated *it, int count) {
    int32_t *woken = it->bodies.woken;
    for (int i = 0; i < count; i++) {
        iterated_wake(it, woken[i]);
        iterated_set_box(it, woken[i]);
    }
    for (int i = 0; i < count; i++) {
        const BroadPair *list;
        if (!iterated_refresh_pairs(it, &woken[i], 1, it->settings.begin)) return -1;
        int partners = collide_broad_partners(&it->set.broad, woken[i], &list);
        for (int k = 0; k < partners; k++) {
            int other = list[k].i == woken[i] ? list[k].j : list[k].i;
            Actor *b = &it->bodies.actor[other];
            if (!b->asleep) continue;
            const Actor *a = &it->bodies.actor[woken[i]];
            if (iterated_count_points(it, a, b, waking_gap(it, a, b)) == 0) continue;
            iterated_wake(it, other);
            woken[count++] = other;
        }
    }
    return count;
}

bool iterated_wake_touched(Iterated *it) {
    int count = 0;
    for (int i = 0; i < it->set.broad.count; i++) {
        const BroadPair *pair = &it->set.broad.pair[i];
        Actor *a = &it->bodies.actor[pair->i];
        Actor *b = &it->bodies.actor[pair->j];
        if (a->asleep == b->asleep) continue;
        Actor *sleeper = a->asleep ? a : b;
        const Actor *other = a->asleep ? b : a;
        if (!is_moving(it, other) || !disturbs(it, other, sleeper)) continue;
        it->bodies.woken[count++] = sleeper->index;
        iterated_wake(it, sleeper->index);
    }
    if (count == 0) return true;
    if (wake_list(it, count) < 0) return false;
    // all pairs in their order, none of them due yet
    return iterated_update_pairs(it);
}

// --- falling asleep ------------------------------------------------------------------------------

// How far a body has come in the step, by time: m/s, rad/s.
static impTwist mean_twist(const Iterated *it, const Actor *a, const double *state) {
    const impModel *m = it->settings.model;
    const double h = it->settings.h;
    Flying was = motion_get(state + m->layout.q + a->body->q, state + m->layout.v + a->body->v);
    impQuat turned = qmul(a->q, conjugate(was.q));
    double sign = turned.w < 0 ? -2 / h : 2 / h;
    return (impTwist){ scale(1 / h, sub(a->x, was.x)),
                       scale(sign, vec(turned.x, turned.y, turned.z)) };
}

static bool is_slow(const Iterated *it, const Actor *a, const double *state) {
    if (iterated_has_input(it, a->body)) return false;
    impTwist mean = mean_twist(it, a, state);
    double speed = slow_speed(it, a->body);
    double surface = a->body->bounding_radius * norm(mean.angular);
    bool turns = surface > (a->body->round ? SLOW_SPIN * speed : speed);
    return norm(mean.linear) <= speed && !turns;
}

// Counts slow steps. Returns how many bodies of an island are candidates.
static int count_slow(Iterated *it, const IteratedNode *node, const double *state) {
    int candidates = 0;
    for (int i = 0; i < node->body_count; i++) {
        Actor *a = &it->bodies.actor[node->body[i]];
        double *count = &it->bodies.sleep_counter[a->body->free];
        contact_move(it->settings.model, a, it->settings.end);
        bool slow = is_slow(it, a, state);
        if (!slow) {
            *count = min2(*count, 0);
        }
        *count = min2(*count + 1, SLOW_STEPS);
        it->islands.index[node->body[i]] = -1;
        candidates += slow && *count >= SLOW_STEPS;
    }
    return candidates;
}

static bool is_candidate(const Iterated *it, int body) {
    const Actor *a = &it->bodies.actor[body];
    return it->bodies.sleep_counter[a->body->free] >= SLOW_STEPS;
}

// The bodies of the candidates, as they would fall in one step.
static void set_candidates(Iterated *it, const IteratedNode *node) {
    Problem *problem = &it->problem;
    const double h = it->settings.h;
    problem->body_count = problem->contact_count = problem->bilateral_count = 0;
    for (int i = 0; i < node->body_count; i++) {
        int body = node->body[i];
        it->islands.index[body] = -1;
        if (!is_candidate(it, body)) continue;
        const Actor *a = &it->bodies.actor[body];
        Mat3 axes = rotation(a->q);
        it->islands.index[body] = problem->body_count;
        problem->body[problem->body_count++] = (ProblemBody){
            .mass = a->body->mass,
            .mass_inverse = 1 / a->body->mass,
            .inertia = rotated(axes, a->body->inertia),
            .inertia_inverse = rotated(axes, a->body->inertia_inverse),
            .free_v = scale(h, a->acceleration),
        };
    }
}

// Rows of the points that can hold candidates, with the forces of this step.
static void set_holding_rows(Iterated *it, const IteratedNode *node) {
    Problem *problem = &it->problem;
    const double gap = holding_gap(it) - it->settings.level;
    const int32_t *index = it->islands.index;
    for (int i = 0; i < node->point_count; i++) {
        const IteratedPoint *p = iterated_point(it, node, i);
        const Actor *b = &it->bodies.actor[p->set.b];
        if (p->gap > gap || index[p->set.a] < 0) continue;
        if (b->free && index[p->set.b] < 0) continue;
        if (!b->free && !b->asleep && motion_is_moving(it->settings.model, b->index)) continue;
        ContactRow *row = &problem->contact[problem->contact_count++];
        *row = iterated_row(it, p);
        row->friction = p->set.law->friction_static;
        if (p->last) {
            impVec3 f = scale(it->settings.h, p->last->force);
            impVec3 frame = vec(dot(f, row->t1), dot(f, row->t2), dot(f, row->n));
            row->p = problem_project(frame, row->friction);
        }
    }
}

// Candidates that are not held are none for the next questions. Returns how many.
static int drop_unheld(Iterated *it, const IteratedNode *node, double limit) {
    int dropped = 0;
    for (int i = 0; i < node->body_count; i++) {
        int body = node->body[i];
        int index = it->islands.index[body];
        if (index < 0 || problem_speed(&it->problem.body[index]) <= limit) continue;
        it->bodies.sleep_counter[it->bodies.actor[body].body->free] = 0;
        dropped++;
    }
    return dropped;
}

// All that stay awake are asked again together: bodies that hold each other, and were asked by
// turns, would never be held.
static void restart_counters(Iterated *it, const IteratedNode *node, int candidates) {
    int wait = candidates > LARGE_ISLAND ? BACK_OFF : 0;
    for (int i = 0; i < node->body_count; i++) {
        const Actor *a = &it->bodies.actor[node->body[i]];
        if (a->asleep) continue;
        double *count = &it->bodies.sleep_counter[a->body->free];
        *count = min2(*count, -wait);
    }
}

static void put_to_sleep(Iterated *it, int body) {
    Actor *a = &it->bodies.actor[body];
    impVec3 spin = rotate(a->q, mul(a->body->inertia, unrotate(a->q, a->w)));
    double energy = contact_kinetic_energy(a);
    it->journal.sleep_energy -= energy;
    journal_book(&it->journal, body, scale(-a->body->mass, a->v), neg(spin), -energy);
    contact_freeze(a);
    it->bodies.kick[body] = (impTwist){ vec(0, 0, 0), vec(0, 0, 0) };
    it->bodies.sleep_counter[a->body->free] = SLEEP_COUNT;
}

// Asks again without those that are not held, for these may have helped the others.
static void ask_island(Iterated *it, const IteratedNode *node) {
    enum { ROUNDS = 4 };
    double limit = HELD * it->settings.gravity * it->settings.h;
    for (int k = 0; k < ROUNDS; k++) {
        set_candidates(it, node);
        if (it->problem.body_count == 0) return;
        set_holding_rows(it, node);
        solver_hold(&it->problem, limit, it->arena);
        if (drop_unheld(it, node, limit) > 0) continue;
        for (int i = 0; i < node->body_count; i++) {
            if (it->islands.index[node->body[i]] >= 0) {
                put_to_sleep(it, node->body[i]);
            }
        }
        return;
    }
}

// Sleepers on which an awake body of the island bears heavily wake with the next step.
static void wake_loaded(Iterated *it) {
    const IteratedMemory *memory = &it->memory;
    for (int i = 0; i < memory->count; i++) {
        const IteratedContact *c = &memory->contact[i];
        const Actor *b = &it->bodies.actor[c->b];
        double load = norm(c->impulse);
        double weight = b->body->mass * it->settings.gravity * it->settings.h;
        if (b->asleep && load > WAKING_LOAD * weight && !is_candidate(it, c->a)) {
            it->bodies.sleep_counter[b->body->free] = 0;
        }
    }
}

void iterated_fall_asleep(Iterated *it, double *state) {
    const IteratedIslands *s = &it->islands;
    if (it->settings.gravity == 0) return;
    wake_loaded(it);
    for (int k = 0; k < s->count; k++) {
        IteratedNode node = { .time = it->settings.end,
                              .ahead = it->settings.h,
                              .body = s->body + s->first_body[k],
                              .point = s->point + s->first_point[k],
                              .body_count = s->first_body[k + 1] - s->first_body[k],
                              .point_count = s->first_point[k + 1] - s->first_point[k] };
        int candidates = count_slow(it, &node, state);
        if (candidates == 0 || candidates < CANDIDATES * node.body_count) continue;
        ask_island(it, &node);
        restart_counters(it, &node, candidates);
    }
}
