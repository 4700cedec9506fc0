// impulse_sleep_forces.c -- contact forces of sleeping bodies.
//
// docs/theory/rest-and-sleep.md, section 10. Nothing collides where bodies sleep, so the contact
// log has no impulses of them. Asked for a state, this gathers the sleepers that contact points
// join and solves the problem of one micro-step with the velocities that gravity gives in T and no
// motion (13). The result is a function of the state alone.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

#include <stdlib.h>

// 1: compliance, (18) of docs/theory/contact-solver.md, along and across the normal: that part of
// the force is missing. Test: tests/method/impulse_sleep_forces.c
#define COMPLIANCE_OF_ONE 1e-8
#define COMPLIANCE_ACROSS 1e-8

// Work of one call: all bodies, and the island at work.
typedef struct SleepingIsland {
    const impModel *m;
    Actor *actor;
    bool *asleep;
    int *island_index;  // by body: its place in the island; -1: in none yet; -2: in one that is
                        // done
    int *member;        // by island index: body
    MicrostepBody *body;
    ContactPoint *contact_point;
    MicrostepPoint *point;
    NarrowPhase *narrow_phase;
    MicrostepWorkspace workspace;
    int body_count, point_count, point_capacity;
    impContact *out;
    int count, out_capacity;
    bool full;  // an island has more points than a step has room for
} SleepingIsland;

// Takes the arrays. Sizes are those of an arena that only counts. False: the arena is full.
static bool take_arrays(SleepingIsland *c, Arena *arena) {
    size_t n = (size_t)c->m->body_count;
    int solver_bodies = impulse_solver_capacity(c->m);
    c->point_capacity = impulse_point_capacity(c->m);
    c->actor = TAKE(arena, Actor, n);
    c->asleep = TAKE(arena, bool, n);
    c->island_index = TAKE(arena, int, n);
    c->member = TAKE(arena, int, n);
    c->body = TAKE(arena, MicrostepBody, n);
    c->contact_point = TAKE(arena, ContactPoint, c->point_capacity);
    c->point = TAKE(arena, MicrostepPoint, c->point_capacity);
    c->narrow_phase = TAKE(arena, NarrowPhase, 1);
    void *solver = TAKE(arena, char, solve_microstep_workspace_size(solver_bodies));
    if (solver) {
        c->workspace = solve_microstep_workspace(solver, solver_bodies);
    }
    return !*arena->full;
}

static void set_bodies(SleepingIsland *c, const double *data) {
    for (int i = 0; i < c->m->body_count; i++) {
        contact_set_actor(&c->actor[i], c->m, i, data);
        c->asleep[i] = method_is_asleep(c->m, &c->actor[i], data);
        c->island_index[i] = -1;
    }
}

// --- island --------------------------------------------------------------------------------------

// Adds a sleeper that is in no island yet.
static void add_body(SleepingIsland *c, int body) {
    if (!c->asleep[body] || c->island_index[body] >= 0) return;
    c->island_index[body] = c->body_count;
    c->body[c->body_count] = contact_microstep_body(&c->actor[body]);
    c->member[c->body_count++] = body;
}

// Adds the contact points of body i of the island with body k, and body k if it is a sleeper.
static void add_pair(SleepingIsland *c, int i, int k) {
    double band = c->m->run.contact_band;
    const Actor *a = &c->actor[i < k ? i : k];
    const Actor *b = &c->actor[i < k ? k : i];
    if (contact_far_apart(a, b, band)) return;
    contact_narrow_phase(c->m, a, b, NULL, 2 * band, 0, NULL, NULL, c->narrow_phase);
    if (c->narrow_phase->list.nearest.c.distance > band) return;
    int count = contact_points(c->m, c->narrow_phase, band, band, c->contact_point + c->point_count,
                               c->point_capacity - c->point_count);
    if (count < 0) {
        c->full = true;
    }
    if (count <= 0) return;
    add_body(c, k);
    c->point_count += count;
}

// Gathers the island of a sleeper.
static void gather(SleepingIsland *c, int first) {
    c->body_count = c->point_count = 0;
    add_body(c, first);
    for (int i = 0, begin = 0; i < c->body_count; i++, begin = c->point_count) {
        for (int k = 0; k < c->m->body_count; k++) {
            bool done = c->island_index[k] >= 0 && c->island_index[k] <= i;
            bool may_carry = c->asleep[k] || !c->actor[k].free;
            if (may_carry && !done && c->m->body[k].shape_count > 0) {
                add_pair(c, c->member[i], k);
            }
        }
        c->point_count = begin + contact_reduce_floor(c->contact_point + begin, NULL,
                                                      c->point_count - begin,
                                                      c->m->run.contact_band);
    }
}

// --- forces --------------------------------------------------------------------------------------

// Sets the points of the island's problem. Returns T, the least full duration.
static double set_points(SleepingIsland *c) {
    double band = c->m->run.contact_band;
    double T = HUGE_VAL;
    for (int i = 0; i < c->point_count; i++) {
        ContactPoint *t = &c->contact_point[i];
        contact_set_time_scales(c->m, &c->actor[t->a], &c->actor[t->b], band, 0, t);
        T = min2(T, t->micro.duration);
    }
    for (int i = 0; i < c->point_count; i++) {
        const ContactPoint *t = &c->contact_point[i];
        MicrostepPoint *q = &c->point[i];
        *q = contact_microstep_point(c->actor, t, c->island_index[t->a],
                                     c->asleep[t->b] ? c->island_index[t->b] : -1);
        q->friction = t->law->friction_static;
        q->support_velocity = vec(0, 0, 0);
        q->c = vec(0, 0, (t->gap - 0.5 * band) / T);
        if (c->point_count > 1) {
            q->compliance = COMPLIANCE_OF_ONE;
            q->compliance_tangential = COMPLIANCE_ACROSS;
        }
    }
    return T;
}

// Writes the impulses of one second of all loaded points, as far as there is room; counts all.
static void write_forces(SleepingIsland *c, double T, double time) {
    for (int i = 0; i < c->point_count; i++) {
        const ContactPoint *t = &c->contact_point[i];
        const MicrostepPoint *q = &c->point[i];
        if (zero3(q->p)) continue;
        if (c->count < c->out_capacity) {
            impContact record = journal_contact(t, time);
            record.restitution = 0;
            record.impulse = scale(1 / T, contact_world(t, q->p));
            record.mode = IMP_RESTS;
            record.micro = true;
            c->out[c->count] = record;
        }
        c->count++;
    }
}

// Solves the problem to `part` of g T. again: from the last solution.
static void solve_balance(SleepingIsland *c, double T, double part, bool again) {
    for (int i = 0; i < c->body_count; i++) {
        c->body[i].v = scale(T, c->m->gravity);
        c->body[i].w = vec(0, 0, 0);
    }
    if (!again) {
        solve_microstep_guess(c->body, c->body_count, c->point, c->point_count);
    }
    solve_microstep(c->body, c->body_count, c->point, c->point_count,
                    part * norm(c->m->gravity) * T, again, &c->workspace);
}

// Solves twice: points that carry nothing in the first solution are left out in the second, whose
// tolerance shows how redundant points share the load by their compliance.
static void solve_island(SleepingIsland *c, int first, double time) {
    gather(c, first);
    double T = set_points(c);
    if (c->point_count > 0 && T < HUGE_VAL) {
        solve_balance(c, T, 1e-9, false);
        for (int i = 0; i < c->point_count; i++) {
            c->point[i].c.z = zero3(c->point[i].p) ? 1e3 * norm(c->m->gravity) * T : 0;
        }
        solve_balance(c, T, 1e-5 * COMPLIANCE_ACROSS, true);
    }
    write_forces(c, T, time);
    for (int i = 0; i < c->body_count; i++) {
        c->island_index[c->member[i]] = -2;
    }
}

// --- public --------------------------------------------------------------------------------------

static bool fits(const impModel *m, const impState *s) { return m && s && s->model_id == m->id; }

bool impAsleep(const impModel *model, const impState *state, impBody body, double *since) {
    if (!fits(model, state) || body.i < 0 || body.i >= model->body_count ||
        model->body[body.i].free < 0)
        return false;
    Actor a = contact_actor(model, body.i, state->data);
    if (!method_is_asleep(model, &a, state->data)) return false;
    if (since) {
        *since = state->data[model->layout.anchor + ANCHOR * a.body->free];
    }
    return true;
}

// Contact forces of all sleeping islands; c has its arrays. Returns how many; negative: no room.
static int solve_all(SleepingIsland *c, const double *state) {
    set_bodies(c, state);
    for (int i = 0; i < c->m->body_count; i++) {
        if (c->asleep[i] && c->island_index[i] == -1) {
            solve_island(c, i, state[c->m->layout.time]);
        }
    }
    return c->full ? -1 : c->count;
}

int impSleepingContacts(const impModel *model, const impState *state, impContact *out, int room) {
    if (!fits(model, state) || (room > 0 && !out)) return 0;
    SleepingIsland c = { .m = model, .out = out, .out_capacity = room };
    bool full = false;
    Arena arena = arena_counting(&full);

    // size by counting, then the memory, which begins on a cache line
    take_arrays(&c, &arena);
    size_t size = arena.used;
    char *block = full ? NULL : malloc(size + CACHE_LINE);
    if (!block) return -1;
    char *base = block + (CACHE_LINE - (uintptr_t)block % CACHE_LINE) % CACHE_LINE;
    arena = (Arena){ .base = base, .size = size, .full = &full };

    int count = take_arrays(&c, &arena) ? solve_all(&c, state->data) : -1;
    free(block);
    return count;
}
