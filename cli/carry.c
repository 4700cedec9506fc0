// carry.c -- the forces that carry sleeping bodies, for --contacts and --stats: one line a point
// and step, mode "rests".
//
// The library tells them for a state (impSleepingContacts). Little changes while the same bodies
// sleep in the same places (what awake bodies bear on them in method iterated), so they are asked
// for again only when these change. A body that fell asleep within
// the step counts from there on; one that was woken, not at all.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// and remembers
static bool has_changed(Carried *c, const World *w) {
    bool changed = !c->known;
    for (int i = 1; i < impModel_BodyCount(w->model); i++) {
        impPose p = { { 0, 0, 0 }, { 0, 0, 0, 0 } };
        if (impAsleep(w->model, w->state, (impBody){ i }, NULL)) {
            p = impState_Pose(w->model, w->state, (impBody){ i });
        }
        if (memcmp(&p, &c->at[i], sizeof p) != 0) {
            changed = true;
        }
        c->at[i] = p;
    }
    return changed;
}

static bool ask(Carried *c, const World *w) {
    int count = impSleepingContacts(w->model, w->state, c->all, c->room);
    if (count > c->room) {
        impContact *more = realloc(c->all, sizeof *more * (size_t)count);
        if (!more) return false;
        c->all = more;
        more = realloc(c->now, sizeof *more * (size_t)count);
        if (!more) return false;
        c->now = more;
        c->room = count;
        count = impSleepingContacts(w->model, w->state, c->all, c->room);
    }
    c->count = count;
    c->known = true;
    return count >= 0;
}

// or from then
static double asleep_since(const World *w, impBody body, double from) {
    double since;
    // the others do not move
    return impAsleep(w->model, w->state, body, &since) ? fmax(since, from) : from;
}

bool cli_carry(Carried *c, const World *w, double from, double to, impOutcome *out) {
    *out = (impOutcome){ .verdict = IMP_SOLVED };
    if (!c->at && !(c->at = calloc((size_t)impModel_BodyCount(w->model), sizeof *c->at)))
        return false;
    if (has_changed(c, w) && !ask(c, w)) return false;
    for (int i = 0; i < c->count; i++) {
        impContact *p = &c->now[i];
        *p = c->all[i];
        double time = fmax(to - fmax(asleep_since(w, p->a, from), asleep_since(w, p->b, from)), 0);
        p->impulse = (impVec3){ time * p->impulse.x, time * p->impulse.y, time * p->impulse.z };
        p->time = to;
    }
    out->contacts = c->now;
    out->contact_count = c->count;
    return true;
}

void cli_carry_free(Carried *c) {
    free(c->at);
    free(c->all);
    free(c->now);
    *c = (Carried){ 0 };
}
