// exact.c -- contact problems with the true cone, to a small residual, whatever it costs: a chain
// of the other solvers.
//
// docs/theory/complementarity-solvers.md, section 6. The automatic choice of solvers.c bounds the
// work of a step and gives an answer with a residual; here an answer is wanted whose residual is
// met. Each solver starts where the one before it ended, and the best impulses are the answer.
//
// SPDX-License-Identifier: MIT
#include "solve/solvers.h"

typedef SolverReport (*Solve)(const Problem *, const SolverOptions *, Arena);
typedef struct Rung {
    Solve solve;
    int iterations;   // 0: the solver's own number
    int most_bodies;  // of more it is left out; 0: any number
    bool from_zero;   // begins without impulses
} Rung;
// Newton's methods are quick or fail early. Many passes of the convex one, which need not contract
// on the way, solve what slides on what rests; gradient steps are slow and seldom fail; then
// sweeps. For the few problems that are left there are other starts: no impulses, the polyhedral
// solution.
static const Rung rungs[] = {
    { solver_newton, 0, 400, false },     { solver_semismooth, 0, 400, false },
    { solver_newton, 100, 400, false },   { solver_gradient, 20000, 0, false },
    { solver_newton, 300, 400, false },   { solver_conjugate, 10000, 0, false },
    { solver_local, 10000, 0, false },    { solver_newton, 300, 400, true },
    { solver_polyhedral, 1, 0, false },        { solver_newton, 300, 400, false },
    { solver_semismooth, 0, 400, false }, { solver_gradient, 20000, 0, false },
};

typedef struct Best {
    impVec3 *contact;
    double *bilateral;
    SolverReport report;
} Best;

static bool take(Best *best, int contacts, int bilaterals, Arena *scratch) {
    best->contact = TAKE(scratch, impVec3, contacts);
    best->bilateral = TAKE(scratch, double, bilaterals);
    return !*scratch->full;
}

static void keep(const Problem *problem, const Best *best) {
    for (int i = 0; i < problem->contact_count; i++) {
        best->contact[i] = problem->contact[i].p;
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        best->bilateral[i] = problem->bilateral[i].p;
    }
}

static void forget(const Problem *problem) {
    for (int i = 0; i < problem->contact_count; i++) {
        problem->contact[i].p = vec(0, 0, 0);
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        problem->bilateral[i].p = 0;
    }
}

static void restore(const Problem *problem, const Best *best) {
    for (int i = 0; i < problem->contact_count; i++) {
        problem->contact[i].p = best->contact[i];
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        problem->bilateral[i].p = best->bilateral[i];
    }
    problem_set_velocities(problem);
    problem_set_modes(problem);
}

SolverReport solver_exact(const Problem *problem, const SolverOptions *options, Arena scratch) {
    Best best = { .report = { "last impulses", HUGE_VAL, 0, false } };
    int iterations = 0;
    problem_set_velocities(problem);
    best.report.residual = problem_natural_map(problem);
    best.report.solved = best.report.residual <= options->tolerance;
    if (!take(&best, problem->contact_count, problem->bilateral_count, &scratch))
        return best.report;
    keep(problem, &best);
    for (int k = 0; k < COUNT(rungs) && !best.report.solved; k++) {
        if (rungs[k].most_bodies && problem->body_count > rungs[k].most_bodies) continue;
        if (rungs[k].from_zero) {
            forget(problem);
        }
        SolverOptions own = { .tolerance = options->tolerance, .iterations = rungs[k].iterations };
        SolverReport report = rungs[k].solve(problem, &own, scratch);
        iterations += report.iterations;
        if (report.residual < best.report.residual) {
            best.report = report;
            keep(problem, &best);
        }
    }
    restore(problem, &best);
    best.report.iterations = iterations;
    return best.report;
}
