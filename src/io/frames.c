// frames.c -- what happened between two samples of a run, added up step by step.
//
// SPDX-License-Identifier: MIT
#include "io/io.h"

#include <stdlib.h>
#include <string.h>

struct impFrames {
    const impModel *model;
    impFrame sum;  // its lists are those below
    impContact *contact;
    impVelocityChange *velocity_change;
    int contact_room, velocity_change_room;
};

impFrames *impFrames_New(const impModel *model) {
    if (!model) return NULL;
    impFrames *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->model = model;
    return f;
}

void impFrames_Free(impFrames *f) {
    if (!f) return;
    free(f->contact);
    free(f->velocity_change);
    free(f);
}

// list: address of the pointer
static bool make_room(void *list, int *room, int count, int more, size_t each) {
    if (*room - count >= more) return true;
    if (count > INT32_MAX / 4 || more > INT32_MAX / 4) return false;
    int larger = 2 * (count + more) + 64;
    void *now, *old;
    memcpy(&old, list, sizeof old);
    now = realloc(old, (size_t)larger * each);
    if (!now) return false;
    memcpy(list, &now, sizeof now);
    *room = larger;
    return true;
}

static void add_worst(impCertificate *worst, const impCertificate *now) {
    const double *from = &now->energy;
    double *to = &worst->energy;
    // doubles all, as impel.h lists them
    for (size_t i = 0; i < sizeof *worst / sizeof(double); i++) {
        if (fabs(from[i]) > fabs(to[i])) {
            to[i] = from[i];
        }
    }
}

bool impFrames_Step(impFrames *f, const impOutcome *outcome) {
    // nothing happened
    if (!f || !outcome || outcome->verdict != IMP_SOLVED) return true;
    int count = outcome->contact_count;
    if (!make_room(&f->contact, &f->contact_room, f->sum.contact_count, count, sizeof *f->contact))
        return false;
    if (count) {
        memcpy(f->contact + f->sum.contact_count, outcome->contacts,
               sizeof *f->contact * (size_t)count);
    }
    f->sum.contact_count += count;
    f->sum.contacts += count;
    f->sum.step++;
    f->sum.events += outcome->events;
    add_worst(&f->sum.worst, &outcome->certificate);
    for (int i = 0; i < count; i++) {
        impCauses took = io_causes(&outcome->contacts[i]);
        io_add_causes(&f->sum.causes, &took);
    }
    if (!make_room(&f->velocity_change, &f->velocity_change_room, f->sum.velocity_change_count,
                   outcome->velocity_change_count, sizeof *f->velocity_change))
        return false;
    if (outcome->velocity_change_count) {
        memcpy(f->velocity_change + f->sum.velocity_change_count, outcome->velocity_changes,
               sizeof *f->velocity_change * (size_t)outcome->velocity_change_count);
    }
    f->sum.velocity_change_count += outcome->velocity_change_count;
    f->sum.causes.sleep_energy += outcome->sleep_energy;
    f->sum.causes.scheme_energy += outcome->scheme_energy;
    return true;
}

impFrame impFrames_Take(impFrames *f, const impState *state) {
    impFrame out = { 0 };
    if (!f || !state) return out;
    out = f->sum;
    out.hash = impState_Hash(f->model, state);
    out.energy = impState_Energy(f->model, state);
    out.momentum = impState_Momentum(f->model, state);
    out.contact = f->contact;
    out.velocity_change = f->velocity_change;
    f->sum.contact_count = f->sum.velocity_change_count = 0;
    f->sum.worst = (impCertificate){ 0 };
    return out;
}
