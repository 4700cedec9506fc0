// judge.c -- how far the impulses of a contact problem are from a solution, in physical units.
//
// Knows no solver. All is measured with velocities that are computed anew from the impulses, (1) of
// docs/theory/many-contacts.md; section 3 there explains each number. The natural map is that of De
// Saxce & Feng 1998: zero if and only if (2) and (3) hold.
//
// SPDX-License-Identifier: MIT
#include "solve/problem.h"

// Natural map of a contact row, m/s.
static double natural_map_of(const Problem *problem, const ContactRow *row, impVec3 u) {
    double rho = 3 / problem_contact_trace(problem, row);
    double slip = sqrt(u.x * u.x + u.y * u.y);
    impVec3 shifted = vec(u.x, u.y, u.z + row->friction * slip);
    impVec3 nearest = problem_project(madd(row->p, -rho, shifted), row->friction);
    return norm(sub(row->p, nearest)) / rho;
}

// Sine of the angle between the friction and the direction against the slip; 1 if it drives.
static double misdirection(impVec3 p, impVec3 u) {
    double product = sqrt((p.x * p.x + p.y * p.y) * (u.x * u.x + u.y * u.y));
    if (product == 0) return 0;
    bool resists = p.x * u.x + p.y * u.y < 0;
    return resists ? min2(fabs(p.x * u.y - p.y * u.x) / product, 1) : 1;
}

// Keeps the worst row; what is no number is worse than all numbers.
static void keep_worst(Judgement *out, double residual, int row) {
    if (residual <= out->natural_map) return;
    out->natural_map = residual == residual ? residual : HUGE_VAL;
    out->worst_row = row;
}

static void judge_contact(const Problem *problem, int i, Judgement *out) {
    const ContactRow *row = &problem->contact[i];
    impVec3 u = add(problem_contact_velocity(problem, row), row->bias);
    keep_worst(out, natural_map_of(problem, row, u), i);
    double friction = sqrt(row->p.x * row->p.x + row->p.y * row->p.y);
    out->penetration = max2(out->penetration, -u.z);
    out->pull = max2(out->pull, -row->p.z);
    out->cone = max2(out->cone, friction - row->friction * row->p.z);
    out->complementarity = max2(out->complementarity, row->p.z * u.z);
    double speed = sqrt(u.x * u.x + u.y * u.y);
    double most = row->friction * max2(row->p.z, 0) * speed;
    out->slip = max2(out->slip, most + row->p.x * u.x + row->p.y * u.y);
    if (row->mode == CONTACT_SLIDE) {
        out->dissipation = max2(out->dissipation, misdirection(row->p, u));
    }
}

static void judge_bilateral(const Problem *problem, int i, Judgement *out) {
    const BilateralRow *row = &problem->bilateral[i];
    double u = problem_bilateral_velocity(problem, row) + row->bias;
    keep_worst(out, fabs(u), problem->contact_count + i);
}

double problem_natural_map(const Problem *problem) {
    Judgement out = { .worst_row = -1 };
    for (int i = 0; i < problem->contact_count; i++) {
        const ContactRow *row = &problem->contact[i];
        impVec3 u = add(problem_contact_velocity(problem, row), row->bias);
        keep_worst(&out, natural_map_of(problem, row, u), i);
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        judge_bilateral(problem, i, &out);
    }
    return out.natural_map;
}

Judgement problem_judge(const Problem *problem, Arena scratch) {
    Judgement out = { .worst_row = -1 };
    ProblemBody *anew = TAKE(&scratch, ProblemBody, problem->body_count);
    if (!anew) {
        out.natural_map = HUGE_VAL;
        return out;
    }

    // the velocities that the impulses cause, beside those that the solver says they cause
    for (int i = 0; i < problem->body_count; i++) {
        anew[i] = problem->body[i];
    }
    Problem again = *problem;
    again.body = anew;
    problem_set_velocities(&again);
    for (int i = 0; i < problem->body_count; i++) {
        out.momentum = max2(out.momentum, norm(sub(anew[i].v, problem->body[i].v)));
    }

    for (int i = 0; i < problem->contact_count; i++) {
        judge_contact(&again, i, &out);
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        judge_bilateral(&again, i, &out);
    }
    return out;
}
