// stats.c -- what the contacts of a run add up to: forces, wrenches, counts and where the energy
// went, pair by pair.
//
// The analysis tool that Mirtich & Canny 1994 (sec. 6) ask for. The mean force
// between two bodies over a window is the sum of their impulses over its length, whatever the
// micro-steps in between; the wrench is taken about the origin of the world. Energy is split by
// what took it: the normal part of a collision is restitution's, the tangential part friction's,
// the normal part of a microcollision the micro-step's, and the work of prescribed bodies their
// own. The parts of one impulse add up to its energy change: p . (u + u') / 2 is exact.
//
// SPDX-License-Identifier: MIT
#include "io/io.h"

#include <stdlib.h>
#include <string.h>

struct impStats {
    const impModel *model;
    double from, to;
    impPairStats *pair;  // in the order of (a, b)
    int count, room;
    impCauses total;
};

impStats *impStats_New(const impModel *model, double from, double to) {
    if (!model) return NULL;
    impStats *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->model = model;
    s->from = from;
    s->to = to > from ? to : HUGE_VAL;
    return s;
}

void impStats_Free(impStats *stats) {
    if (!stats) return;
    free(stats->pair);
    free(stats);
}

static bool goes_before(const impPairStats *p, int a, int b) {
    return p->a.i != a ? p->a.i < a : p->b.i < b;
}

// NULL: no memory
static impPairStats *pair_of(impStats *s, int a, int b) {
    int low = 0;
    int high = s->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (goes_before(&s->pair[middle], a, b)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low < s->count && s->pair[low].a.i == a && s->pair[low].b.i == b) return &s->pair[low];
    if (s->count == s->room) {
        int room = s->room ? 2 * s->room : 64;
        impPairStats *more = realloc(s->pair, sizeof *more * (size_t)room);
        if (!more) return NULL;
        s->pair = more;
        s->room = room;
    }
    memmove(s->pair + low + 1, s->pair + low, sizeof *s->pair * (size_t)(s->count - low));
    s->count++;
    s->pair[low] = (impPairStats){ .a = { a }, .b = { b } };
    return &s->pair[low];
}

impCauses io_causes(const impContact *c) {
    impVec3 mean = scale(0.5, add(c->before, c->after));
    double normal = dot(c->impulse, c->normal) * dot(mean, c->normal);
    double all = dot(c->impulse, mean);
    impCauses e = { .friction = all - normal, .driven = c->driven };
    if (c->micro) {
        e.microcollision = normal;
    } else {
        e.restitution = normal;
    }
    return e;
}

void io_add_causes(impCauses *sum, const impCauses *e) {
    sum->restitution += e->restitution;
    sum->friction += e->friction;
    sum->microcollision += e->microcollision;
    sum->driven += e->driven;
    sum->sleep_energy += e->sleep_energy;
    sum->scheme_energy += e->scheme_energy;
}

static bool add_contact(impStats *s, const impContact *c) {
    impPairStats *p = pair_of(s, c->a.i, c->b.i);
    if (!p) return false;
    impCauses e = io_causes(c);
    double normal = dot(c->impulse, c->normal);
    double size = norm(c->impulse);
    bool event = c->mode != IMP_RESTS;
    if (p->normal == 0) {
        p->first = c->time;
    }
    p->last = c->time;
    p->collisions += event && !c->micro;
    p->micro += event && c->micro;
    p->impulse = add(p->impulse, c->impulse);
    p->angular_impulse = add(p->angular_impulse, cross(c->point, c->impulse));
    p->normal += normal;
    if (event && size > p->peak) {
        p->peak = size;
    }
    io_add_causes(&p->energy, &e);
    io_add_causes(&s->total, &e);
    return true;
}

// Contacts of sleeping bodies are added at the end of their time.
static bool is_within(const impStats *s, const impContact *c) {
    if (c->mode == IMP_RESTS) return c->time > s->from && c->time <= s->to;
    return c->time >= s->from && c->time < s->to;
}

bool impStats_Add(impStats *stats, const impOutcome *outcome) {
    // nothing happened
    if (!stats || !outcome || outcome->verdict != IMP_SOLVED) return true;
    stats->total.sleep_energy += outcome->sleep_energy;
    stats->total.scheme_energy += outcome->scheme_energy;
    for (int i = 0; i < outcome->contact_count; i++) {
        const impContact *c = &outcome->contacts[i];
        if (is_within(stats, c) && !add_contact(stats, c)) return false;
    }
    return true;
}

int impStats_PairCount(const impStats *stats) { return stats ? stats->count : 0; }

impPairStats impStats_Pair(const impStats *stats, int i) {
    if (!stats || i < 0 || i >= stats->count) return (impPairStats){ .a = { -1 }, .b = { -1 } };
    return stats->pair[i];
}

impCauses impStats_Causes(const impStats *stats) { return stats ? stats->total : (impCauses){ 0 }; }
