// impulse_sleep_forces.c -- what carries the sleepers: the forces in the points they lie on.
//
// A body asleep is looked at by nobody and nothing collides, so no impulse tells what it presses
// with. Asked for a state, this gathers the sleepers that hold each other, as a microcollision does
// (impulse_microstep.c), and solves the same problem once: the impulses that take away what gravity
// gives in a hop, over the hop's length. It is what the last hop before they fell asleep was, to
// within the slack of the rest test, and a function of the state alone.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

#include <stdlib.h>

// as in impulse_microstep.c: points that are too many share the load; stiffer, for
#define COMPLIANCE_OF_ONE 1e-8
#define SOFT_SIDE         1e-8  //   so much of it would be missing

typedef struct Carry {
    const impModel *m;
    Actor *actor;
    bool *asleep;
    int *island_index, *member;  // in the island; -1: in none yet, -2: in one that is done
    MicrostepBody *body;
    ContactPoint *contact_point;
    MicrostepPoint *point;
    NarrowPhase *narrow_phase;
    MicrostepWorkspace room;
    int members, touches, points_room;
    impContact *out;
    int count, out_room;
    bool full;  // more points than a step has room for
} Carry;

static bool take_room(Carry *c, Arena *arena) {
    size_t n = (size_t)c->m->body_count;
    c->points_room = impulse_point_capacity(c->m);
    c->actor = TAKE(arena, Actor, n);
    c->asleep = TAKE(arena, bool, n);
    c->island_index = TAKE(arena, int, n);
    c->member = TAKE(arena, int, n);
    c->body = TAKE(arena, MicrostepBody, n);
    c->contact_point = TAKE(arena, ContactPoint, c->points_room);
    c->point = TAKE(arena, MicrostepPoint, c->points_room);
    c->narrow_phase = TAKE(arena, NarrowPhase, 1);
    double *solver = TAKE(
        arena, double,
        solve_microstep_workspace_size(impulse_solver_capacity(c->m)) / sizeof(double) + 1);
    if (*arena->full) return false;
    c->room = solve_microstep_workspace(solver, impulse_solver_capacity(c->m));
    return true;
}

static size_t size_of(const impModel *m) {
    size_t n = (size_t)m->body_count;
    size_t points = (size_t)impulse_point_capacity(m);
    return 4096 + n * (sizeof(Actor) + sizeof(bool) + 2 * sizeof(int) + sizeof(MicrostepBody)) +
           points * (sizeof(ContactPoint) + sizeof(MicrostepPoint)) + sizeof(NarrowPhase) +
           solve_microstep_workspace_size(impulse_solver_capacity(m)) + sizeof(double);
}

static void take_places(Carry *c, const double *data) {
    for (int i = 0; i < c->m->body_count; i++) {
        contact_set_actor(&c->actor[i], c->m, i, data);
        c->asleep[i] = method_is_asleep(c->m, &c->actor[i], data);
        c->island_index[i] = -1;
    }
}

// --- an island -----------------------------------------------------------------------------------
static void island_index(Carry *c, int body) {
    if (!c->asleep[body] || c->island_index[body] >= 0) return;
    c->island_index[body] = c->members;
    c->body[c->members] = contact_microstep_body(&c->actor[body]);
    c->member[c->members++] = body;
}

static void add_pair(Carry *c, int i, int k) {
    double band = c->m->run.contact_band;
    const Actor *a = &c->actor[i < k ? i : k];
    const Actor *b = &c->actor[i < k ? k : i];
    if (contact_far_apart(a, b, band)) return;
    contact_narrow_phase(c->m, a, b, NULL, 2 * band, 0, NULL, NULL, c->narrow_phase);
    if (c->narrow_phase->list.nearest.c.distance > band) return;
    int count = contact_points(c->m, c->narrow_phase, band, c->contact_point + c->touches,
                               c->points_room - c->touches);
    if (count < 0) {
        c->full = true;
    }
    if (count <= 0) return;
    island_index(c, k);
    c->touches += count;
}

static void gather(Carry *c, int first) {
    c->members = c->touches = 0;
    island_index(c, first);
    for (int i = 0, begin = 0; i < c->members; i++, begin = c->touches) {
        for (int k = 0; k < c->m->body_count; k++) {
            bool done = c->island_index[k] >= 0 && c->island_index[k] <= i;
            bool carries = c->asleep[k] || !c->actor[k].free;
            if (carries && !done && c->m->body[k].shape_count > 0) {
                add_pair(c, c->member[i], k);
            }
        }
        c->touches = begin + contact_reduce_floor(c->contact_point + begin, NULL,
                                                  c->touches - begin, c->m->run.contact_band);
    }
}

// --- its forces ----------------------------------------------------------------------------------
// the hop's length
static double set_points(Carry *c) {
    double band = c->m->run.contact_band;
    double T = HUGE_VAL;
    for (int i = 0; i < c->touches; i++) {
        ContactPoint *t = &c->contact_point[i];
        contact_set_time_scales(c->m, &c->actor[t->a], &c->actor[t->b], band, 0, t);
        T = min2(T, t->micro.duration);
    }
    for (int i = 0; i < c->touches; i++) {
        const ContactPoint *t = &c->contact_point[i];
        MicrostepPoint *q = &c->point[i];
        *q = contact_microstep_point(c->actor, t, c->island_index[t->a],
                                     c->asleep[t->b] ? c->island_index[t->b] : -1);
        q->friction = t->law->friction_static;
        q->support_velocity = vec(0, 0, 0);
        q->c = vec(0, 0, (t->gap - 0.5 * band) / T);
        if (c->touches > 1) {
            q->compliance = COMPLIANCE_OF_ONE;
            q->compliance_tangential = SOFT_SIDE;
        }
    }
    return T;
}

static void tell(Carry *c, double T, double time) {
    for (int i = 0; i < c->touches; i++) {
        const ContactPoint *t = &c->contact_point[i];
        const MicrostepPoint *q = &c->point[i];
        if (zero3(q->p)) continue;
        if (c->count < c->out_room) {
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

static void balance(Carry *c, double T, double part, bool again) {
    for (int i = 0; i < c->members; i++) {
        c->body[i].v = scale(T, c->m->gravity);
        c->body[i].w = vec(0, 0, 0);
    }
    if (!again) {
        solve_microstep_guess(c->body, c->members, c->point, c->touches);
    }
    solve_microstep(c->body, c->members, c->point, c->touches, part * norm(c->m->gravity) * T,
                    again, &c->room);
}

// Twice: points whose gaps would not close in a hop carry nothing, and the others all there is. The
// second time so well that points that are too many share it as they should, which shows only in
// what they give.
static void carry(Carry *c, int first, double time) {
    gather(c, first);
    double T = set_points(c);
    if (c->touches > 0 && T < HUGE_VAL) {
        balance(c, T, 1e-9, false);
        for (int i = 0; i < c->touches; i++) {
            c->point[i].c.z = zero3(c->point[i].p) ? 1e3 * norm(c->m->gravity) * T : 0;
        }
        balance(c, T, 1e-5 * SOFT_SIDE, true);
    }
    tell(c, T, time);
    for (int i = 0; i < c->members; i++) {
        c->island_index[c->member[i]] = -2;
    }
}

// --- the questions -------------------------------------------------------------------------------
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

int impSleepingContacts(const impModel *model, const impState *state, impContact *out, int room) {
    if (!fits(model, state) || (room > 0 && !out)) return 0;
    bool full = false;
    char *block = malloc(size_of(model) + CACHE_LINE);
    if (!block) return -1;
    Arena arena = { block + (CACHE_LINE - (uintptr_t)block % CACHE_LINE) % CACHE_LINE, 0,
                    size_of(model), &full };
    Carry c = { .m = model, .out = out, .out_room = room };
    if (!take_room(&c, &arena)) {
        free(block);
        return -1;
    }
    take_places(&c, state->data);
    for (int i = 0; i < model->body_count; i++) {
        if (c.asleep[i] && c.island_index[i] == -1) {
            carry(&c, i, state->data[model->layout.time]);
        }
    }
    free(block);
    return c.full ? -1 : c.count;
}
