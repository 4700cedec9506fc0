// sleeper.c -- which bodies of a state are asleep, for every method.
//
// docs/theory/rest-and-sleep.md, (1): the sleep counter says so, and the anchor of a sleeper
// tells where it lies, so that a body which the caller has moved is awake.
//
// SPDX-License-Identifier: MIT
#include "method/method.h"

#include <string.h>

bool method_is_asleep(const impModel *m, const Actor *a, const double *state) {
    if (!a->free) return false;
    const double *anchor = state + m->layout.anchor + ANCHOR * a->body->free;
    Flying start = motion_get(anchor + 1, anchor + 8);
    return state[m->layout.sleep_counter + a->body->free] >= SLEEP_COUNT && zero3(a->v) &&
           zero3(a->w) && !memcmp(&start, &a->now, sizeof start);
}
