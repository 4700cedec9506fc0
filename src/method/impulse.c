// impulse.c -- the impulse method: every contact is a collision, resting ones included.
//
// Mirtich & Canny 1994 and 1995; the simulator of Mirtich's Hybrid simulation. Between events
// bodies fly freely and exactly. Pairs whose swept boxes overlap wait in a heap, each with a time
// before which the two cannot touch; the earliest is queried, with its two bodies moved to that
// time, and gets a later time, an impact or a micro-step. Impacts are resolved one at a time, but
// simultaneous ones that share a body together. Slow contacts of resting, sliding and rolling
// bodies are micro-steps: all contact points of all bodies that touch one another are solved for at
// once, over the flight that follows (docs/theory/microcollisions.md).
//
//   1. Begin: actors from the state, forces and half of the torques of the input.
//   2. For each interval: swept boxes and pairs, then events in the order of time.
//   3. End: half of the torques again, the state, the report.
//
// The state holds the starts of the flights and a sleep counter for each body; all else is made
// anew in each step, so that the result is a function of state and input.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

#include <string.h>

// Tolerances.
enum {
    // intervals of a step: a step that asks for more sweeps farther
    INTERVALS = 1 << 20,
    // narrow-phase queries in an interval, and more for each free body: a sequence that needs more
    // has no end
    QUERIES = 1000000,
    QUERIES_OF_BODY = 10000
};
// 1, of the contact band: location of an event (2). Creep is proportional to it. Held by no test.
#define EVENT_TOLERANCE 1e-6
// 1, of the fastest speed in a scene without gravity: micro threshold (23). Held by no test.
#define MICRO_SPEED 1e-6

bool method_impulse_accepts(const impModel *m, impError *err) {
    return method_accepts(m, "impulse", false, err);
}

// --- 1. begin ------------------------------------------------------------------------------------

static const double *anchor_of(const impModel *m, const double *state, const Body *body) {
    return state + m->layout.anchor + ANCHOR * body->free;
}

// Sets the flight on which the state is: from its anchor if that leads here bit for bit. False: the
// state is on another flight.
static bool continue_flight(const impModel *m, Actor *a, const double *anchor) {
    Flying start = motion_get(anchor + 1, anchor + 8);
    Flying check;
    motion_set_flight(&a->flight, a->tumble, a->body, m->gravity, anchor[0], &start);
    motion_fly_to(&a->flight, a->tumble, a->t, &check);
    return memcmp(&check, &a->now, sizeof check) == 0;
}

static bool has_input(const double *input, const Body *body) {
    for (int i = 0; input && i < 6; i++) {
        if (input[body->v + i] != 0) return true;
    }
    return false;
}

static void wake_all(Flights *flights, const impModel *m) {
    for (int i = 0; i < m->sizes.nfree; i++) {
        Actor *a = &flights->actor[m->free_body[i]];
        if (a->asleep) {
            contact_launch(a, a->v, a->w);
        }
        flights->sleep_counter[i] = 0;
    }
}

// Sets a body as the state has it. True: it was asleep, and the caller moved or pushed it.
static bool set_actor(Flights *flights, const impModel *m, int body, const double *state,
                      const double *input) {
    Actor *a = &flights->actor[body];
    contact_set_actor(a, m, body, state);
    a->tumble = &flights->tumble[body];
    if (!a->free) return false;
    const double *anchor = anchor_of(m, state, a->body);
    a->asleep = method_is_asleep(m, a, state);
    if (a->asleep) {
        a->flight.t0 = anchor[0];
        return has_input(input, a->body);
    }
    if (!continue_flight(m, a, anchor)) {
        contact_launch(a, a->v, a->w);
    }
    return flights->sleep_counter[a->body->free] >= SLEEP_COUNT;
}

// Sets all bodies as the state has them. Wakes all sleepers if the caller disturbed one.
static void set_actors(Flights *flights, const impModel *m, const double *state,
                       const double *input) {
    bool disturbed = false;
    for (int i = 0; i < m->body_count; i++) {
        if (i + PREFETCH_AHEAD < m->body_count) {
            impulse_prefetch_body(flights, m, i + PREFETCH_AHEAD);
        }
        if (set_actor(flights, m, i, state, input)) {
            disturbed = true;
        }
    }
    // the edit may have removed the support of any sleeper
    if (disturbed) {
        wake_all(flights, m);
    }
}

// The force of a step pulls all the time, as gravity does: flights, micro-steps and bounds on times
// of impact know it. A body under a force starts a new flight, as the last one was without it.
static void apply_forces(Flights *flights, const impModel *m, const double *input) {
    for (int i = 0; input && i < m->sizes.nfree; i++) {
        Actor *a = &flights->actor[m->free_body[i]];
        const double *f = input + a->body->v;
        if (!has_input(input, a->body)) continue;
        a->acceleration = madd(m->gravity, 1 / a->body->mass, vec(f[0], f[1], f[2]));
        contact_launch(a, a->v, a->w);
    }
}

// Half of the torque of a step, as an impulse at its beginning and again at its end. The ledger has
// its change of the energy.
static void apply_half_torque(Journal *journal, Actor *a, const double *input, double h) {
    const double *f = input + a->body->v;
    if (f[3] == 0 && f[4] == 0 && f[5] == 0) return;
    impVec3 half = scale(0.5 * h, vec(f[3], f[4], f[5]));
    Flying now = motion_kick(a->body, a->now, vec(0, 0, 0), half);
    journal_launch(journal, a, now.v, now.w);
}

// Without gravity no speed is microscopic by itself, and bodies that bounce ever less would collide
// for ever (inelastic collapse: McNamara & Young 1992). The substitute makes a part of the fastest
// speed in the scene microscopic, seen from fixed and kinematic bodies, or else from the common
// centre of mass (23).
static double gravity_substitute(const Settings *settings, const Flights *flights) {
    const impModel *m = settings->model;
    double mass = 0, fastest = 0;
    impVec3 momentum = vec(0, 0, 0);
    bool has_ground = false;
    if (!zero3(m->gravity)) return 0;
    for (int i = 0; i < m->body_count; i++) {
        const Actor *a = &flights->actor[i];
        if (!a->free) {
            has_ground = has_ground || a->body->shape_count > 0;
        } else {
            momentum = madd(momentum, a->body->mass, a->v);
            mass += a->body->mass;
        }
    }
    impVec3 common = has_ground || mass == 0 ? vec(0, 0, 0) : scale(1 / mass, momentum);
    for (int i = 0; i < m->sizes.nfree; i++) {
        const Actor *a = &flights->actor[m->free_body[i]];
        double spin = a->body->bounding_radius * norm(a->w);
        fastest = max2(fastest, norm(sub(a->v, common)) + spin);
    }
    return MICRO_SPEED * MICRO_SPEED * fastest * fastest / (2 * settings->band);
}

// Begins a step: settings, clock, bodies, forces, half of the torques.
static void begin(Loop *loop, double *state, const double *input, double h) {
    World *world = &loop->world;
    Journal *journal = &loop->journal;
    const impModel *m = world->settings.model;
    Settings *settings = &world->settings;
    Flights *flights = &world->flights;
    settings->band = m->run.contact_band;
    settings->level = 0.5 * settings->band;
    settings->event_tolerance = EVENT_TOLERANCE * settings->band;
    world->clock.now = world->clock.last_event = state[m->layout.time];
    loop->pairs.queue.prefetched = -1;
    loop->pairs.rounds.time = -HUGE_VAL;
    journal_begin(journal, settings->level);
    for (int i = 0; i < m->body_count; i++) {
        loop->island.island_index[i] = -1;
        flights->waits_until[i] = flights->lands_at[i] = -HUGE_VAL;
    }

    flights->sleep_counter = state + m->layout.sleep_counter;
    set_actors(flights, m, state, input);
    collide_extents(m, flights->extent);
    apply_forces(flights, m, input);
    for (int i = 0; i < m->sizes.nfree; i++) {
        Actor *a = &flights->actor[m->free_body[i]];
        if (input) {
            apply_half_torque(journal, a, input, h);
        }
        journal->logged_rate[i] = a->w;
    }
    settings->gravity_substitute = gravity_substitute(settings, flights);
}

// --- 2. intervals --------------------------------------------------------------------------------

// A sleeper is carried by its supports: the ledger has their impulse for each interval.
static void book_sleepers(Journal *journal, const Flights *flights, const impModel *m, double T) {
    for (int i = 0; i < m->sizes.nfree; i++) {
        const Actor *a = &flights->actor[m->free_body[i]];
        if (a->asleep) {
            impVec3 carried = scale(-T * a->body->mass, m->gravity);
            journal_book(journal, a->index, carried, vec(0, 0, 0), 0);
        }
    }
}

// Time never goes back, neither from one event to the next nor from one interval to the next.
// False: stopped.
static bool check_order(Journal *journal, Clock *clock, const Pair *pair) {
    if (pair->time >= clock->last_event) {
        clock->last_event = pair->time;
        return true;
    }
    journal->found.order = clock->last_event - pair->time;
    journal->failed = "order";
    return journal_stop(journal, IMP_UNTRUE,
                        "bodies '%s' and '%s': the certificate failed: their event came %s s "
                        "before the last one (limit 0 s)",
                        journal->model->body[pair->i].name, journal->model->body[pair->j].name,
                        show(journal->found.order).text);
}

static bool stop_without_end(Journal *journal, const Pair *pair, int64_t queries) {
    return journal_stop(journal, IMP_STALLED,
                        "bodies '%s' and '%s': event limit reached (%lld narrow-phase queries in "
                        "one interval): probable Zeno behaviour",
                        journal->model->body[pair->i].name, journal->model->body[pair->j].name,
                        (long long)queries);
}

// Processes the events of an interval in the order of time. False: stopped.
static bool run_interval(Loop *loop, double from, double to) {
    World *world = &loop->world;
    Pairs *pairs = &loop->pairs;
    Journal *journal = &loop->journal;
    const impModel *m = world->settings.model;
    Clock *clock = &world->clock;
    const int64_t limit = QUERIES + QUERIES_OF_BODY * (int64_t)m->sizes.nfree;
    int64_t queries_left = limit;
    clock->last_event = max2(clock->last_event, from);
    if (!impulse_begin_interval(pairs, world, journal, from, to)) return false;
    book_sleepers(journal, &world->flights, m, to - from);
    for (Pair *pair; (pair = impulse_first(&pairs->queue)) != NULL;) {
        if (queries_left-- <= 0) return stop_without_end(journal, pair, limit);
        if (!check_order(journal, clock, pair)) return false;
        clock->now = pair->time;
        impulse_prefetch_next(&pairs->queue, &pairs->cache, &world->flights, m);
        if (!impulse_process_pair(loop, pair)) return false;
    }
    clock->now = to;
    return true;
}

static void run_intervals(Loop *loop, double t, double h) {
    const World *world = &loop->world;
    double length = impulse_interval_length(world->settings.model, world->flights.actor);
    int count = h > length ? (int)min2(ceil(h / length), INTERVALS) : 1;
    for (int i = 0; i < count && !loop->journal.stopped; i++) {
        double from = i ? t + h * i / count : t;
        double to = i + 1 < count ? t + h * (i + 1) / count : t + h;
        run_interval(loop, from, to);
    }
}

// --- 3. end --------------------------------------------------------------------------------------

// Writes a body into the state at the end of a step.
static void end_body(Journal *journal, const impModel *m, Actor *a, double *state,
                     const double *input, double h) {
    const Body *body = a->body;
    contact_move(m, a, state[m->layout.time] + h);
    if (input) {
        apply_half_torque(journal, a, input, h);
    }
    // the anchor of a sleeper tells where it lies, and since when
    double *anchor = state + m->layout.anchor + ANCHOR * body->free;
    motion_put(a->now, state + m->layout.q + body->q, state + m->layout.v + body->v);
    anchor[0] = a->flight.t0;
    motion_put(a->asleep ? a->now : a->flight.start, anchor + 1, anchor + 8);
}

static Progress end(World *world, Journal *journal, double *state, const double *input, double h) {
    const impModel *m = world->settings.model;
    const Flights *flights = &world->flights;
    for (int i = 0; i < m->sizes.nfree; i++) {
        if (i + PREFETCH_AHEAD < m->sizes.nfree) {
            impulse_prefetch_body(flights, m, m->free_body[i + PREFETCH_AHEAD]);
        }
        end_body(journal, m, &flights->actor[m->free_body[i]], state, input, h);
    }
    state[m->layout.time] = state[m->layout.time] + h;
    return journal_progress(journal);
}

Progress method_impulse_step(const impModel *m, double *next, const double *input, double h,
                             Arena scratch, const MethodOptions *options) {
    Loop loop = { 0 };
    (void)options;
    if (!impulse_take_arrays(&loop, m, &scratch))
        return (Progress){ .verdict = IMP_FULL, .text = "", .gap = HUGE_VAL };
    begin(&loop, next, input, h);
    run_intervals(&loop, next[m->layout.time], h);
    if (loop.journal.stopped) return journal_progress(&loop.journal);
    return end(&loop.world, &loop.journal, next, input, h);
}
