// all_pairs.c -- no contact missed: now and then all pairs of bodies are looked at, by other means
// than the method's own.
//
// docs/concepts/certificate.md. The event loop queries a pair when its own bounds say so, and its
// certificate covers those queries. Here every hundredth state (of many bodies: every thousandth)
// and the last one are given to impNearPairs, which has no part in the stepping: it sorts all boxes
// anew and searches from nothing. Method flight has no contacts to miss.
//
// Bodies may be as deep in each other as the certificate of the step allows: half the contact band
// with the impulse method, more with one whose contact problems end at a tolerance. To that comes
// what rounding makes of a distance: it is a difference of coordinates, each of them known to an
// ulp of the largest one, DBL_EPSILON / 2 of it, and some sixteen operations lie between the pose
// of a body and a point of its surface.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <float.h>
#include <math.h>

// steps; bodies
enum { OFTEN = 100, SELDOM = 1000, MANY = 2000 };

static bool is_due(const World *w, const impModel *m, const char *method) {
    if (!cli_has_contacts(method)) return false;
    return w->step % (impModel_BodyCount(m) > MANY ? SELDOM : OFTEN) == 0 || cli_world_done(w);
}

#define ROUNDING (16 * DBL_EPSILON)  // of the largest coordinate

// The largest coordinate of any body's box; m. Planes have none: their points are those of the
// bodies on them.
static double farthest_coordinate(const impModel *m, const impState *s) {
    double most = 0;
    for (int i = 0; i < impModel_BodyCount(m); i++) {
        impVec3 low;
        impVec3 high;
        impVec3 at = impState_Pose(m, s, (impBody){ i }).at;
        double bounding_radius = 0;
        if (impModel_Box(m, (impBody){ i }, &low, &high)) {
            bounding_radius = fmax(fabs(low.x), fabs(high.x)) + fmax(fabs(low.y), fabs(high.y)) +
                              fmax(fabs(low.z), fabs(high.z));
        }
        most = fmax(most, fmax(fmax(fabs(at.x), fabs(at.y)), fabs(at.z)) + bounding_radius);
    }
    return most;
}

// How deep (m) the last step allows bodies to be in each other.
static double deepest_allowed(const impModel *m, const impState *s, const impOutcome *outcome) {
    double limit = outcome->limit.overlap;
    double allowed = limit > 0 && limit < HUGE_VAL ? limit : 0.5 * impModel_Run(m).contact_band;
    return allowed + ROUNDING * farthest_coordinate(m, s);
}

bool cli_all_apart(const World *clock, const impModel *m, const impState *s, const char *method,
                   int64_t *looks, impOutcome *outcome) {
    static char text[300];
    impNear nearest;
    if (!is_due(clock, m, method)) return true;
    double deepest = deepest_allowed(m, s, outcome);
    int count = impNearPairs(m, s, -deepest, &nearest, 1);
    if (count >= 0) {
        ++*looks;
    }
    // no memory: not looked at, and not counted
    if (count <= 0) return true;
    const char *a = impModel_Name(m, nearest.a);
    const char *b = impModel_Name(m, nearest.b);
    int end = snprintf(
        text, sizeof text,
        "a contact was missed: bodies '%.80s' and '%.80s' overlap by %s m (limit %s m)", a, b,
        cli_short(-nearest.distance).text, cli_short(deepest).text);
    if (count > 1) {
        snprintf(text + end, sizeof text - (size_t)end, "; so do %d other pairs", count - 1);
    }
    outcome->verdict = IMP_UNTRUE;
    outcome->text = text;
    return false;
}
