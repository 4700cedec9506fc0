// iterated.c -- the method `iterated`: all contacts of an island at once, by impulses at the
// beginning of the step and exact flights until its end.
//
// Bender & Schmitt 2006, section 4; docs/theory/iterated.md. The velocity in the state is that
// before the impulses at that time; half of the last impulses is kept beside it (model/state.c).
//
//   1. Begin: bodies on their flights, forces and half of the torques of the input.
//   2. Sleepers that something comes to wake; the contact set: all points that could touch until
//   the end of the step; islands.
//   3. A node for each island: impacts, one contact problem, its impulses, new flights.
//   4. Events in the order of time: bodies that arrive within the step and bounce.
//   5. Crowds: the rest of the bounces that are rows.
//   6. Sleep: bodies that have been slow for long, and can stand still.
//   7. End: half of the torques again, the state, the contact memory, what is reported.
//
// SPDX-License-Identifier: MIT
#include "method/iterated.h"

#include <string.h>

// Tolerances: docs/theory/iterated.md, section 8.
// 1, of the contact level: a point that is nearer to it has arrived
#define TOUCHING 1e-3
// 1, of the larger of g h and the contact level by the step: residual of a contact problem
#define RESIDUAL 1e-6
// 1, of the larger of g h and the contact level by the step: approach that is no impact, (3)
#define IMPACT_SPEED 2.0
// 1, of the contact level by the step: the same where nothing falls
#define WEIGHTLESS_SPEED 1e-2
// 1, of the smallest extent of the bodies: deepest overlap that is allowed
#define OVERLAP_LIMIT 0.1
// 1, of the bounding radius: thinner bodies count as so thick there
#define LEAST_EXTENT 0.01
// rad: a body that rolls on a smooth surface turns by no more in one part of a step
#define TURN 0.07
// rad: nor does a body that touches otherwise by more than this
#define TURN_OF_CORNERS 0.3
// parts of a step, at most
enum { PARTS = 64 };

bool method_iterated_accepts(const impModel *m, impError *err) {
    return method_accepts(m, "iterated", true, err);
}

// --- 1. begin ------------------------------------------------------------------------------------

// Sets the flight on which the state is: from its anchor if that leads here bit for bit.
static bool continue_flight(const impModel *m, Actor *a, const double *state) {
    const double *anchor = state + m->layout.anchor + ANCHOR * a->body->free;
    Flying start = motion_get(anchor + 1, anchor + 8);
    Flying check;
    motion_set_flight(&a->flight, a->tumble, a->body, m->gravity, anchor[0], &start);
    motion_fly_to(&a->flight, a->tumble, a->t, &check);
    return memcmp(&check, &a->now, sizeof check) == 0;
}

static bool is_forced(const Body *body, const double *input) {
    const double *f = input ? input + body->v : NULL;
    return f && (f[0] != 0 || f[1] != 0 || f[2] != 0);
}

// A body that moves in a plane feels no force along the normal. True: there is such a force.
static bool hold_in_plane(Actor *a) {
    impVec3 n = a->body->plane;
    double off = dot(a->acceleration, n);
    a->acceleration = madd(a->acceleration, -off, n);
    return off != 0;
}

// The velocity change by the lasting contacts of the last step.
static impTwist last_kick_of(const impModel *m, const Body *body, const double *state) {
    if (body->role != IMP_DYNAMIC) return (impTwist){ vec(0, 0, 0), vec(0, 0, 0) };
    const double *half = state + m->layout.half_kick + body->v;
    return (impTwist){ vec(2 * half[0], 2 * half[1], 2 * half[2]),
                       vec(2 * half[3], 2 * half[4], 2 * half[5]) };
}

// Sets a body as the state has it.
static void set_actor(Iterated *it, int body, const double *state, const double *input) {
    const impModel *m = it->settings.model;
    Actor *a = &it->bodies.actor[body];
    contact_set_actor(a, m, body, state);
    a->tumble = &it->bodies.tumble[body];
    it->bodies.flight[body].ahead = -1;
    it->bodies.start[body] = (impTwist){ a->v, a->w };
    it->bodies.kick[body] = (impTwist){ vec(0, 0, 0), vec(0, 0, 0) };
    it->bodies.last_kick[body] = last_kick_of(m, a->body, state);
    a->asleep = method_is_asleep(m, a, state) && !iterated_has_input(it, a->body);
    if (a->asleep) {
        // a sleeper stays where it is, like a fixed body
        a->free = false;
        a->flight.t0 = state[m->layout.anchor + ANCHOR * a->body->free];
        journal_book(&it->journal, body, scale(-it->settings.h * a->body->mass, m->gravity),
                     vec(0, 0, 0), 0);
    }
    if (!a->free) {
        it->bodies.motion[body] = contact_set_motion(m, a, NULL, vec(0, 0, 0), vec(0, 0, 0),
                                                     it->settings.h);
        return;
    }
    bool forced = is_forced(a->body, input);
    if (forced) {
        const double *f = input + a->body->v;
        a->acceleration = madd(m->gravity, 1 / a->body->mass, vec(f[0], f[1], f[2]));
    }
    if (hold_in_plane(a) || forced || !continue_flight(m, a, state)) {
        contact_launch(a, a->v, a->w);
    }
    it->journal.logged_rate[a->body->free] = a->w;
}

typedef struct StepInput {
    Iterated *it;
    const double *state, *input;
} StepInput;

static void set_actors(void *context, int first, int last, int worker) {
    const StepInput *from = context;
    (void)worker;
    for (int i = first; i < last; i++) {
        set_actor(from->it, i, from->state, from->input);
    }
}

// The edit of a sleeper may have removed the support of any other.
static void wake_all(Iterated *it) {
    const impModel *m = it->settings.model;
    for (int i = 0; i < m->sizes.nfree; i++) {
        iterated_wake(it, m->free_body[i]);
    }
}

// Half of the torque of a step, as an impulse at its beginning and again at its end.
static void apply_half_torque(Iterated *it, Actor *a, const double *input, double h) {
    const double *f = input ? input + a->body->v : NULL;
    if (!f || (f[3] == 0 && f[4] == 0 && f[5] == 0)) return;
    impVec3 half = scale(0.5 * h, vec(f[3], f[4], f[5]));
    impVec3 n = a->body->plane;
    if (!zero3(n)) {
        half = scale(dot(half, n), n);
    }
    Flying now = motion_kick(a->body, a->now, vec(0, 0, 0), half);
    journal_launch(&it->journal, a, now.v, now.w);
}

static void set_scales(IteratedSettings *settings, double h) {
    const impModel *m = settings->model;
    double g = norm(m->gravity);
    settings->gravity = g;
    settings->level = 0.5 * m->run.contact_band;
    settings->touching = TOUCHING * settings->level;
    double rate = h > 0 ? settings->level / h : 0;
    settings->tolerance = settings->residual * max2(g * h, rate);
    double fall = max2(IMPACT_SPEED * g * h, sqrt(2 * g * m->run.contact_band));
    settings->threshold = g > 0 ? fall : WEIGHTLESS_SPEED * rate;
}

double iterated_overlap_limit(const impModel *m) {
    double least = HUGE_VAL;
    for (int i = 0; i < m->sizes.nfree; i++) {
        const Body *body = &m->body[m->free_body[i]];
        double thin = max2(body->smallest_extent, LEAST_EXTENT * body->bounding_radius);
        least = min2(least, OVERLAP_LIMIT * thin);
    }
    return least;
}

void iterated_set_times(Iterated *it, double begin, double h, const double *input) {
    it->settings.begin = begin;
    it->settings.end = begin + h;
    it->settings.h = h;
    it->settings.input = input;
    set_scales(&it->settings, h);
}

static void begin(Iterated *it, double *state, const double *input, double h) {
    const impModel *m = it->settings.model;
    iterated_set_times(it, state[m->layout.time], h, input);
    it->bodies.sleep_counter = state + m->layout.sleep_counter;
    iterated_remember(&it->memory, m, state);
    StepInput from = { it, state, input };
    iterated_each(it, m->body_count, set_actors, &from);
    bool disturbed = false;
    for (int i = 0; i < m->sizes.nfree; i++) {
        const Actor *a = &it->bodies.actor[m->free_body[i]];
        disturbed = disturbed || (a->free && it->bodies.sleep_counter[i] >= SLEEP_COUNT);
    }
    if (disturbed) {
        wake_all(it);
    }
    collide_extents(m, it->bodies.extent);
    for (int i = 0; i < m->sizes.nfree; i++) {
        apply_half_torque(it, &it->bodies.actor[m->free_body[i]], input, h);
    }
}

// --- 3. nodes ------------------------------------------------------------------------------------

static IteratedNode node_of_island(const Iterated *it, int k) {
    const IteratedIslands *s = &it->islands;
    return (IteratedNode){ .time = it->settings.begin,
                           .ahead = it->settings.h,
                           .is_first = true,
                           .is_crowd = s->first_body[k + 1] - s->first_body[k] > ITERATED_CROWD,
                           .body = s->body + s->first_body[k],
                           .point = s->point + s->first_point[k],
                           .body_count = s->first_body[k + 1] - s->first_body[k],
                           .point_count = s->first_point[k + 1] - s->first_point[k] };
}

// True if the node of its island lets a body come farther than the contact set has foreseen.
static bool comes_farther(const Iterated *it, const Actor *a) {
    const impTwist *start = &it->bodies.start[a->index];
    double change = norm(sub(a->v, start->linear)) +
                    a->body->bounding_radius * norm(sub(a->w, start->angular));
    return change * it->settings.h > ITERATED_NEAR * a->body->smallest_extent;
}

static bool process_islands(Iterated *it) {
    int32_t *moved = it->bodies.woken;
    int count = 0;
    for (int k = 0; k < it->islands.count; k++) {
        IteratedNode node = node_of_island(it, k);
        if (!iterated_solve_node(it, &node) || !iterated_apply_node(it, &node)) return false;
        it->islands.residual[k] = it->residual;
        for (int i = 0; i < node.body_count; i++) {
            if (comes_farther(it, &it->bodies.actor[node.body[i]])) {
                moved[count++] = node.body[i];
            }
        }
    }
    return iterated_refresh_pairs(it, moved, count, it->settings.begin);
}

static bool finish_crowds(Iterated *it, const double *state) {
    for (int k = 0; k < it->islands.count; k++) {
        IteratedNode node = node_of_island(it, k);
        if (node.is_crowd && !iterated_finish_impacts(it, &node, state)) return false;
    }
    return true;
}

// --- 7. end --------------------------------------------------------------------------------------

static void end_body(Iterated *it, Actor *a, double *state, const double *input, double h) {
    const impModel *m = it->settings.model;
    const Body *body = a->body;
    // asleep for all of the step: the state has it already; one that fell asleep in this step was
    // moved to its end
    if (a->asleep && a->t < it->settings.end) return;
    contact_move(m, a, it->settings.end);
    apply_half_torque(it, a, input, h);
    double *anchor = state + m->layout.anchor + ANCHOR * body->free;
    motion_put(a->now, state + m->layout.q + body->q, state + m->layout.v + body->v);
    anchor[0] = a->flight.t0;
    motion_put(a->asleep ? a->now : a->flight.start, anchor + 1, anchor + 8);
    const impTwist *kick = &it->bodies.kick[a->index];
    double *half_kick = state + m->layout.half_kick + body->v;
    const impVec3 n = body->plane;
    impVec3 half[2] = { scale(0.5, kick->linear), scale(0.5, kick->angular) };
    if (!zero3(n)) {
        half[0] = madd(half[0], -dot(half[0], n), n);
        half[1] = scale(dot(half[1], n), n);
    }
    memcpy(half_kick, half, sizeof half);
}

typedef struct StepOutput {
    Iterated *it;
    double *state;
    const double *input;
    double h;
} StepOutput;

static void end_bodies(void *context, int first, int last, int worker) {
    const StepOutput *to = context;
    const impModel *m = to->it->settings.model;
    (void)worker;
    for (int i = first; i < last; i++) {
        end_body(to->it, &to->it->bodies.actor[m->free_body[i]], to->state, to->input, to->h);
    }
}

static void end(Iterated *it, double *state, const double *input, double h) {
    const impModel *m = it->settings.model;
    StepOutput to = { it, state, input, h };
    iterated_each(it, m->sizes.nfree, end_bodies, &to);
    state[m->layout.time] = it->settings.end;
    iterated_store(it, state);
}

// --- parts of a step -----------------------------------------------------------------------------

// In how many parts the step is to be taken: a contact point of a smooth surface runs round the
// body as it turns, and is predicted over a small rotation only. At most PARTS + 1: too many.
static int parts_of(const Iterated *it) {
    double most = 0;
    for (int i = 0; i < it->set.point_count; i++) {
        const IteratedPoint *point = &it->set.point[i];
        const Actor *a = &it->bodies.actor[point->set.a];
        const Actor *b = &it->bodies.actor[point->set.b];
        bool smooth = point->set.kind == SET_SMOOTH;
        if (!smooth && !iterated_touches(it, point)) continue;
        double spin = max2(a->body->round ? 0 : norm(a->w),
                           b->free && !b->body->round ? norm(b->w) : 0);
        most = max2(most, spin / (smooth ? TURN : TURN_OF_CORNERS));
    }
    double parts = ceil(most * it->settings.h);
    return parts > PARTS ? PARTS + 1 : parts < 1 ? 1 : (int)parts;
}

// Bodies and contact points at the beginning of a part. False: stopped.
static bool find_contacts(Iterated *it, double *state, const double *input, double h) {
    begin(it, state, input, h);
    return iterated_find_pairs(it) && iterated_wake_touched(it) && iterated_find_points(it);
}

// The rest of the part. False: stopped.
static bool finish_part(Iterated *it, double *state, const double *input, double h) {
    iterated_find_islands(it);
    if (!process_islands(it) || !iterated_process_events(it) || !finish_crowds(it, state))
        return false;
    iterated_fall_asleep(it, state);
    end(it, state, input, h);
    return true;
}

void iterated_book_planes(Iterated *it, const double *input, double h) {
    const impModel *m = it->settings.model;
    for (int i = 0; i < m->sizes.nfree && m->plane_count > 0; i++) {
        const Body *body = &m->body[m->free_body[i]];
        if (zero3(body->plane)) continue;
        impVec3 force = scale(h * body->mass, m->gravity);
        impVec3 torque = vec(0, 0, 0);
        if (input) {
            const double *f = input + body->v;
            force = madd(force, h, vec(f[0], f[1], f[2]));
            torque = scale(h, vec(f[3], f[4], f[5]));
        }
        journal_hold_in_plane(&it->journal, m->free_body[i], body->plane, force, torque);
    }
}

Progress iterated_make_step(const impModel *m, double *next, const double *input, double h,
                            Arena scratch, const MethodOptions *options, double residual) {
    Iterated it = { 0 };
    it.settings.options = options;
    it.settings.residual = residual;
    if (!iterated_take_arrays(&it, m, &scratch))
        return (Progress){ .verdict = IMP_FULL, .text = "", .gap = HUGE_VAL };
    const double start = next[m->layout.time];
    journal_begin(&it.journal, iterated_overlap_limit(m));
    it.journal.uncertified = m->run.shock_propagation > 0;
    if (!find_contacts(&it, next, input, h)) return journal_progress(&it.journal);
    int parts = parts_of(&it);
    if (parts == 1) {
        finish_part(&it, next, input, h);
        iterated_book_planes(&it, input, h);
        return journal_progress(&it.journal);
    }
    journal_begin(&it.journal, iterated_overlap_limit(m));
    // what turns too fast for so many is predicted too far
    if (parts > PARTS) {
        parts = PARTS;
        it.journal.unconverged++;
    }
    for (int k = 1; k <= parts; k++) {
        double until = k < parts ? start + h * k / parts : start + h;
        double part = until - next[m->layout.time];
        if (!find_contacts(&it, next, input, part) || !finish_part(&it, next, input, part)) break;
    }
    iterated_book_planes(&it, input, h);
    return journal_progress(&it.journal);
}

Progress method_iterated_step(const impModel *m, double *next, const double *input, double h,
                              Arena scratch, const MethodOptions *options) {
    return iterated_make_step(m, next, input, h, scratch, options, RESIDUAL);
}
