// impact_api.c -- one collision for callers: what is asked is checked here, what is right is solved
// in solve/impact.c.
//
// Every check is made, so that all that is wrong is said at once. k may differ from its transpose
// by rounding (1e-12 of its size); the half above the diagonal is used.
//
// SPDX-License-Identifier: MIT
#include "solve/solve.h"

#include <string.h>

static const Where nowhere = { NULL, 0, 0 };

// --- checks --------------------------------------------------------------------------------------
static bool symmetric(const double k[3][3]) {
    double size = 0, off = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            size = fabs(k[i][j]) > size ? fabs(k[i][j]) : size;
            off = fabs(k[i][j] - k[j][i]) > off ? fabs(k[i][j] - k[j][i]) : off;
        }
    }
    return off <= 1e-12 * size;
}

// by the pivots of Cholesky's factors
static bool positive_definite(const double k[3][3]) {
    // of the diagonal: below it rounding decides the sign
    const double least = 4e-16;
    double l10 = k[0][1] / k[0][0];
    double l20 = k[0][2] / k[0][0];
    double d1 = k[1][1] - l10 * k[0][1];
    double s = k[1][2] - l10 * k[0][2];
    double d2 = k[2][2] - l20 * k[0][2] - s * s / d1;
    return k[0][0] > 0 && d1 > least * k[1][1] && d2 > least * k[2][2];
}

static bool check_matrix(const double k[3][3], impError *err) {
    for (int i = 0; i < 3; i++) {
        if (!finite3(vec(k[i][0], k[i][1], k[i][2]))) return fail(err, nowhere, "K is not finite");
    }
    if (!symmetric(k)) return fail(err, nowhere, "K is not symmetric");
    if (positive_definite(k)) return true;
    return fail(err, nowhere,
                "K [%s, %s, %s; %s, %s; %s] is not positive definite; no two bodies have such a "
                "matrix",
                show(k[0][0]).text, show(k[0][1]).text, show(k[0][2]).text, show(k[1][1]).text,
                show(k[1][2]).text, show(k[2][2]).text);
}

static bool check_velocity(impVec3 u, impError *err) {
    if (!finite3(u)) return fail(err, nowhere, "u is not finite");
    if (u.z < 0) return true;
    return fail(err, nowhere, "u.z is %s m/s; it must be negative: bodies that part do not collide",
                show(u.z).text);
}

static bool check_friction(const impImpactDef *def, impError *err) {
    double s = def->friction_static;
    double d = def->friction_dynamic;
    if (!(d >= 0 && isfinite(d)))
        return fail(err, nowhere, "friction %s; it must be finite and not negative", show(d).text);
    if (s == 0 || (s >= d && isfinite(s))) return true;
    return fail(err, nowhere, "static friction %s; it must be finite and not below the dynamic %s",
                show(s).text, show(d).text);
}

static bool check(const impImpactDef *def, impError *err) {
    bool good = check_matrix(def->k, err);
    good &= check_velocity(def->u, err);
    good &= check_friction(def, err);
    if (!(def->restitution >= 0 && def->restitution <= 1)) {
        good = fail(err, nowhere, "restitution %s; it must lie between 0 and 1",
                    show(def->restitution).text);
    }
    if ((int)def->law < IMP_POISSON || (int)def->law > IMP_NEWTON) {
        good = fail_as(err, IMP_BAD_CALL, nowhere, "law %d is unknown", (int)def->law);
    }
    return good;
}

// --- answers -------------------------------------------------------------------------------------
static bool solve(const impImpactDef *def, impImpact *impact, ImpactPath *path, impError *err) {
    memset(impact, 0, sizeof *impact);
    if (!check(def, err)) return false;
    // solve/impact.c
    switch (solve_impact(def, impact, path)) {
    case IMP_SOLVED: return true;
    case IMP_NOT_FINITE:
        return fail_as(err, IMP_AT_LIMIT, nowhere, "numbers near the ends of the range of double");
    default: return fail_as(err, IMP_AT_LIMIT, nowhere, "not solved within its bound on work");
    }
}

bool impImpact_Solve(const impImpactDef *def, impImpact *impact, impError *err) {
    if (err) {
        memset(err, 0, sizeof *err);
    }
    if (!def || !impact)
        return fail_as(err, IMP_BAD_CALL, nowhere, "impImpact_Solve: argument %s is NULL",
                       def ? "impact" : "def");
    return solve(def, impact, NULL, err);
}

int impImpact_Path(const impImpactDef *def, impImpactSample *samples, int capacity, impError *err) {
    impImpact impact;
    ImpactPath path = { samples, samples ? capacity : 0, 0 };
    if (err) {
        memset(err, 0, sizeof *err);
    }
    if (!def || capacity < 0) {
        const char *why = def ? "capacity is negative" : "argument def is NULL";
        fail_as(err, IMP_BAD_CALL, nowhere, "impImpact_Path: %s", why);
        return -1;
    }
    return solve(def, &impact, &path, err) ? path.count : -1;
}

impVec3 impImpact_Slope(const impImpactDef *def, double ux, double uy) {
    bool good = def && isfinite(ux) && isfinite(uy) && check_matrix(def->k, NULL) &&
                check_friction(def, NULL);
    return good ? solve_impact_slope(def, ux, uy) : vec(0, 0, 0);
}
