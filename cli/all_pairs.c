// all_pairs.c -- no contact missed: now and then all pairs of bodies are looked at, by other means than the method's own.
//
// reliability.md 4.1, C5 and C7. The event loop looks at pairs when its own bounds say so, and its certificate knows of those. Here every
// hundredth state (of many bodies: every thousandth) and the last one are given to impNearPairs, which has no part in the stepping: it
// sorts all boxes anew and searches from nothing. Whatever overlaps there was missed. Method flight has no contacts to miss.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

enum { OFTEN = 100, SELDOM = 1000, MANY = 2000 };   // steps; bodies

static bool is_due(const World *w, const impModel *m, const char *method) {
    if (!cli_has_contacts(method)) return false;
    return w->step % (impModel_BodyCount(m) > MANY ? SELDOM : OFTEN) == 0 || cli_world_done(w);
}

bool cli_all_apart(const World *clock, const impModel *m, const impState *s, const char *method, int64_t *looks, impOutcome *outcome) {
    static char text[300];
    impNear nearest;
    if (!is_due(clock, m, method)) return true;
    int count = impNearPairs(m, s, 0, &nearest, 1);
    if (count >= 0) ++*looks;
    if (count <= 0) return true;                              // no memory: not looked at, and not counted
    int end = snprintf(text, sizeof text, "a contact was missed: bodies '%.80s' and '%.80s' overlap by %s m", impModel_Name(m, nearest.a),
                       impModel_Name(m, nearest.b), cli_short(-nearest.distance).text);
    if (count > 1) snprintf(text + end, sizeof text - (size_t)end, "; so do %d other pairs", count - 1);
    outcome->verdict = IMP_UNTRUE, outcome->text = text;
    return false;
}
