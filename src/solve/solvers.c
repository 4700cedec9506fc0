// solvers.c -- the solvers of the contact problem: a row each, and the choice among them.
//
// SPDX-License-Identifier: MIT
#include "solve/solvers.h"

#include <string.h>

// The automatic choice, docs/theory/many-contacts.md section 8.
enum {
    NEWTON_BODIES = 400,  // larger islands are left to sweeps
    FEW_BODIES = 4,       // in smaller ones Newton's method is tried whatever slides
    SWEEPS = 30           // of an island that Newton's method does not solve
};
// 1: share of the closed points that slide, above which Newton's method seldom converges where the
// contact forces are not unique
#define SLIDING_SHARE 0.15
// 1: what sweeps leave of the changes of the first one
#define REDUCTION 1e-3
// points by body: with more of them contact forces are not unique
#define UNIQUE_POINTS 2.5

// How many points are closed, and how many of these slide, by the modes of the last step.
typedef struct Closed {
    int count, sliding;
} Closed;

static Closed closed_points(const Problem *problem) {
    Closed out = { 0, 0 };
    for (int i = 0; i < problem->contact_count; i++) {
        out.sliding += problem->contact[i].mode == CONTACT_SLIDE;
        out.count += problem->contact[i].mode != CONTACT_OPEN;
    }
    return out;
}

// Impulses of all rows, kept beside them.
typedef struct Kept {
    impVec3 *contact;
    double *bilateral;
} Kept;

static void keep(const Problem *problem, Kept *kept) {
    for (int i = 0; i < problem->contact_count; i++) {
        kept->contact[i] = problem->contact[i].p;
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        kept->bilateral[i] = problem->bilateral[i].p;
    }
}

static void restore(const Problem *problem, const Kept *kept) {
    for (int i = 0; i < problem->contact_count; i++) {
        problem->contact[i].p = kept->contact[i];
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        problem->bilateral[i].p = kept->bilateral[i];
    }
    problem_set_velocities(problem);
    problem_set_modes(problem);
}

// From the impulses of the last step: the semismooth Newton method; where little slides, Newton's
// method by convex problems; sweeps. Of these the answer with the smallest natural map.
static SolverReport automatic(const Problem *problem, const SolverOptions *options, Arena scratch) {
    const Closed closed = closed_points(problem);
    bool little_slides = closed.sliding <= SLIDING_SHARE * closed.count;
    bool unique = closed.count <= UNIQUE_POINTS * problem->body_count;
    bool small = problem->body_count <= NEWTON_BODIES;
    SolverOptions own = *options;
    if (!small) {
        own.iterations = options->iterations == 0 ? SWEEPS : options->iterations;
        own.reduction = max2(options->reduction, REDUCTION);
        return solver_coloured(problem, &own, scratch);
    }
    problem_set_velocities(problem);
    double residual = problem_natural_map(problem);
    SolverReport best = { "last impulses", residual, 0, residual <= options->tolerance };
    if (best.solved) {
        problem_set_modes(problem);
        return best;
    }
    Kept start = { TAKE(&scratch, impVec3, problem->contact_count),
                   TAKE(&scratch, double, problem->bilateral_count) };
    Kept kept = { TAKE(&scratch, impVec3, problem->contact_count),
                  TAKE(&scratch, double, problem->bilateral_count) };
    if (*scratch.full) return best;
    keep(problem, &start);
    keep(problem, &kept);

    SolverReport (*rung[3])(const Problem *, const SolverOptions *, Arena) = { 0 };
    int rungs = 0;
    if (little_slides || unique || problem->body_count <= FEW_BODIES) {
        rung[rungs++] = solver_semismooth;
    }
    if (little_slides) {
        rung[rungs++] = solver_newton;
    }
    rung[rungs++] = solver_coloured;
    int iterations = 0;
    for (int k = 0; k < rungs; k++) {
        bool sweeps = k + 1 == rungs;
        if (k > 0) {
            restore(problem, &start);
        }
        own.iterations = sweeps && options->iterations == 0 ? SWEEPS : options->iterations;
        own.reduction = sweeps ? max2(options->reduction, REDUCTION) : 0;
        SolverReport report = rung[k](problem, &own, scratch);
        iterations += report.iterations;
        if (report.residual < best.residual) {
            best = report;
            keep(problem, &kept);
        }
        if (report.solved) break;
    }
    restore(problem, &kept);
    best.iterations = iterations;
    return best;
}

const Solver solvers[] = {
    { "automatic", automatic, "by island: semismooth, newton where little slides, sweeps", "" },
    { "sweeps", solver_sweeps, "one row at a time (projected Gauss-Seidel)",
      "Bender & Schmitt 2006, sec. 3; Moreau 1988" },
    { "coloured", solver_coloured, "sweeps in the order of colours, in lanes and threads",
      "Bender & Schmitt 2006, sec. 3; Fratarcangeli, Tibaldo & Pellacini 2016" },
    { "conjugate", solver_conjugate, "sweeps with a conjugate direction in between",
      "Silcowitz-Hansen, Niebe & Erleben 2010" },
    { "semismooth", solver_semismooth, "Newton's method from the last impulses, sparse LU factor",
      "Alart & Curnier 1991" },
    { "newton", solver_newton, "Newton's method by convex problems, sparse Cholesky factor",
      "De Saxce & Feng 1998; Acary & Brogliato 2008, ch. 13" },
    { "gradient", solver_gradient, "accelerated projected gradient",
      "Nesterov 1983; Mazhar, Heyn, Negrut & Tasora 2015" },
    { "lemke", solver_lemke, "polyhedral cone, Lemke's method; small problems",
      "Stewart & Trinkle 1996; Lemke 1965" },
    { "local", solver_local, "one contact at a time, solved exactly",
      "Jourdan, Alart & Jean 1998; Bonnefon & Daviet 2011" },
    { "exact", solver_exact, "the others in turn, until the tolerance is met", "" },
};
const int solver_count = COUNT(solvers);

int solver_find(const char *name) {
    for (int i = 0; name && i < solver_count; i++) {
        if (!strcmp(solvers[i].name, name)) return i;
    }
    return -1;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

size_t solver_scratch(int bodies, int contacts, int bilaterals) {
    size_t most = solver_newton_scratch(bodies, contacts, bilaterals);
    most = larger(most, solver_gradient_scratch(bodies, contacts, bilaterals));
    most = larger(most, solver_semismooth_scratch(bodies, contacts, bilaterals));
    most = larger(most, solver_coloured_scratch(bodies, contacts, bilaterals));
    most = larger(most, solver_lemke_scratch(bodies, contacts, bilaterals));
    most = larger(most, solver_local_scratch(bodies, contacts, bilaterals));

    // the automatic choice and the row "exact" keep answers beside the solvers
    bool full = false;
    Arena counting = arena_counting(&full);
    TAKE(&counting, impVec3, 2 * contacts);
    TAKE(&counting, double, 2 * bilaterals);
    return counting.used + 4 * CACHE_LINE + most;
}
