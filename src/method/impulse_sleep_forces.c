// impulse_sleep_forces.c -- contact forces of sleeping bodies.
//
// docs/theory/rest-and-sleep.md, section 10. Nothing collides where bodies sleep, so the contact
// log has no impulses of them. Asked for a state, this gathers the sleepers that contact points
// join and solves the problem of one micro-step with the velocities that gravity, and awake bodies
// that bear on them, give in T (13). The result is a function of the state alone.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

#include <stdlib.h>

// Capacities. Heaps of method iterated are larger than the islands of micro-steps.
enum {
    SOLVER_BODIES = 4096,  // of an island that is solved by Newton's method
    POINTS = 1024,         // of an island, and more for each free body
    POINTS_OF_BODY = 32,
    POINTS_OF_PAIR = 512  // between a sleeper and an awake body
};
// 1: compliance, (18) of docs/theory/contact-solver.md, along and across the normal: that part of
// the force is missing. Test: tests/method/impulse_sleep_forces.c
#define COMPLIANCE_OF_ONE 1e-8
#define COMPLIANCE_ACROSS 1e-8
// 1, of g T: velocity that is left; it shows how redundant points share a load by their compliance
#define BALANCE (1e-5 * COMPLIANCE_ACROSS)
// contact bands: gap of points that may carry. Method iterated puts bodies to sleep on these
#define CARRYING_BANDS 1.5
// contact bands: gap of the points through which awake bodies bore on sleepers in the last step
#define BEARING_BANDS 4.0

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
    SetPoint *pair_point;  // of a sleeper and an awake body
    ContactPoint *smooth;
    impVec3 *load, *moment;  // N, N m, by body: of awake bodies on sleepers
    MicrostepWorkspace workspace;
    int body_count, point_count, point_capacity;
    impContact *out;
    int count, out_capacity;
    bool full;  // an island has more points than a step has room for
} SleepingIsland;

// Takes the arrays. Sizes are those of an arena that only counts. False: the arena is full.
static bool take_arrays(SleepingIsland *c, Arena *arena) {
    size_t n = (size_t)c->m->body_count;
    int free = c->m->sizes.nfree;
    int solver_bodies = free < SOLVER_BODIES ? free : SOLVER_BODIES;
    c->point_capacity = POINTS + POINTS_OF_BODY * free;
    c->actor = TAKE(arena, Actor, n);
    c->asleep = TAKE(arena, bool, n);
    c->island_index = TAKE(arena, int, n);
    c->member = TAKE(arena, int, n);
    c->body = TAKE(arena, MicrostepBody, n);
    c->contact_point = TAKE(arena, ContactPoint, c->point_capacity);
    c->point = TAKE(arena, MicrostepPoint, c->point_capacity);
    c->narrow_phase = TAKE(arena, NarrowPhase, 1);
    c->pair_point = TAKE(arena, SetPoint, POINTS_OF_PAIR);
    c->smooth = TAKE(arena, ContactPoint, POINTS_OF_PAIR);
    c->load = TAKE(arena, impVec3, n);
    c->moment = TAKE(arena, impVec3, n);
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
        c->load[i] = c->moment[i] = vec(0, 0, 0);
    }
}

// --- loads ---------------------------------------------------------------------------------------

// Where a contact of two bodies with this name is, from the centre of the sleeper: a or b. Without
// such a point, its centre.
static impVec3 arm_of(SleepingIsland *c, const ContactMemory *entry, bool sleeper_is_a) {
    Actor a = c->actor[(int)entry->a];
    Actor b = c->actor[(int)entry->b];
    uint64_t feature = (uint64_t)entry->feature_high << 32 | (uint64_t)entry->feature_low;
    SetQuery query = { .narrow_phase = c->narrow_phase,
                       .smooth = c->smooth,
                       .smooth_room = POINTS_OF_PAIR };
    // as the step saw it: a sleeper was fixed then
    b.free = b.free && sleeper_is_a;
    int count = contact_set_pair(c->m, &a, &b, NULL, BEARING_BANDS * c->m->run.contact_band, &query,
                                 c->pair_point, POINTS_OF_PAIR);
    for (int i = 0; i < count; i++) {
        if (c->pair_point[i].feature != feature) continue;
        impVec3 arm_a, arm_b;
        contact_set_arms(&c->pair_point[i], b.free, &arm_a, &arm_b);
        return sleeper_is_a ? arm_a : arm_b;
    }
    return vec(0, 0, 0);
}

// Awake bodies bear on sleepers with the forces of the last step, if the method remembers them.
static void set_loads(SleepingIsland *c, const double *data) {
    const ContactMemory *entry = (const ContactMemory *)(const void *)(data +
                                                                       c->m->layout.contacts);
    int count = (int)data[c->m->layout.contact_count];
    for (int i = 0; i < count; i++) {
        int a = (int)entry[i].a;
        int b = (int)entry[i].b;
        if (a < 0 || a >= c->m->body_count || b < 0 || b >= c->m->body_count) continue;
        bool awake_a = c->actor[a].free && !c->asleep[a];
        bool awake_b = c->actor[b].free && !c->asleep[b];
        if (!(c->asleep[a] && awake_b) && !(awake_a && c->asleep[b])) continue;
        int sleeper = awake_b ? a : b;
        impVec3 force = scale(awake_b ? 1 : -1, entry[i].force);
        impVec3 arm = arm_of(c, &entry[i], awake_b);
        c->load[sleeper] = add(c->load[sleeper], force);
        c->moment[sleeper] = add(c->moment[sleeper], cross(arm, force));
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
    double reach = CARRYING_BANDS * band;
    const Actor *a = &c->actor[i < k ? i : k];
    const Actor *b = &c->actor[i < k ? k : i];
    if (contact_far_apart(a, b, reach)) return;
    contact_narrow_phase(c->m, a, b, NULL, 2 * band, 0, NULL, NULL, c->narrow_phase);
    if (c->narrow_phase->list.nearest.c.distance > reach) return;
    int count = contact_points(c->m, c->narrow_phase, reach, band,
                               c->contact_point + c->point_count,
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
        q->c = vec(0, 0, 0);
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

// Solves the problem of statics: what gravity and awake bodies give in T is balanced.
static void solve_balance(SleepingIsland *c, double T) {
    for (int i = 0; i < c->body_count; i++) {
        MicrostepBody *body = &c->body[i];
        impVec3 rate = madd(c->m->gravity, body->mass_inverse, c->load[c->member[i]]);
        body->v = scale(T, rate);
        body->w = scale(T, mul(body->inertia_inverse, c->moment[c->member[i]]));
    }
    double tolerance = BALANCE * norm(c->m->gravity) * T;
    solve_microstep_guess(c->body, c->body_count, c->point, c->point_count);
    solve_microstep(c->body, c->body_count, c->point, c->point_count, tolerance, false,
                    &c->workspace);
}

static void solve_island(SleepingIsland *c, int first, double time) {
    gather(c, first);
    double T = set_points(c);
    if (c->point_count > 0 && T < HUGE_VAL) {
        solve_balance(c, T);
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
    set_loads(c, state);
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
