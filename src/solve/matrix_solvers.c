// matrix_solvers.c -- the solvers of the contact problem in matrix form: a row each, and the choice
// among them.
//
// docs/theory/complementarity-solvers.md, section 6.
//
// SPDX-License-Identifier: MIT
#include "solve/matrix_problem.h"

#include <string.h>

// The automatic choice, section 6: some gradient steps; where these are slow, Newton's method if
// the problem is small, and sweeps; gradient steps; sweeps. Each starts from the best impulses so
// far.
enum { FIRST_STEPS = 256, NEWTON_CONTACTS = 150 };
// 1: a larger residual after the first steps is slow
#define SLOW 1e-4

typedef SolverReport (*MatrixSolve)(const MatrixProblem *, const SolverOptions *, Arena);

static SolverReport automatic(const MatrixProblem *m, const SolverOptions *options, Arena scratch) {
    SolverOptions own = *options;
    bool given = options->iterations > 0 && options->iterations <= FIRST_STEPS;
    own.iterations = given ? options->iterations : FIRST_STEPS;
    SolverReport report = matrix_gradient(m, &own, scratch);
    if (report.solved || given) return report;
    MatrixSolve rung[4];
    int rungs = 0;
    if (report.residual > SLOW) {
        if (m->count <= NEWTON_CONTACTS) {
            rung[rungs++] = matrix_newton;
        }
        rung[rungs++] = matrix_local;
    }
    rung[rungs++] = matrix_gradient;
    rung[rungs++] = matrix_local;
    int iterations = report.iterations;
    for (int k = 0; k < rungs && !report.solved; k++) {
        report = rung[k](m, options, scratch);
        iterations += report.iterations;
    }
    report.iterations = iterations;
    return report;
}

static size_t automatic_scratch(int count, int directions) {
    size_t most = matrix_gradient_scratch(count, directions);
    size_t local = matrix_local_scratch(count, directions);
    size_t newton = count <= NEWTON_CONTACTS ? matrix_newton_scratch(count, directions) : 0;
    most = local > most ? local : most;
    return newton > most ? newton : most;
}

const MatrixSolver matrix_solvers[] = {
    { "automatic", automatic, "gradient; where that is slow, newton and local", "",
      automatic_scratch },
    { "gradient", matrix_gradient, "accelerated projected gradient",
      "Nesterov 1983; Mazhar, Heyn, Negrut & Tasora 2015", matrix_gradient_scratch },
    { "local", matrix_local, "one contact at a time, exactly, with conjugate directions",
      "Jourdan, Alart & Jean 1998; Bonnefon & Daviet 2011", matrix_local_scratch },
    { "newton", matrix_newton, "Newton's method by convex problems, dense factor",
      "De Saxce & Feng 1998; Rockafellar 1976", matrix_newton_scratch },
    { "lemke", matrix_lemke, "polyhedral cone, Lemke's method",
      "Stewart & Trinkle 1996; Lemke 1965", matrix_lemke_scratch },
};
const int matrix_solver_count = COUNT(matrix_solvers);

int matrix_solver_find(const char *name) {
    for (int i = 0; name && i < matrix_solver_count; i++) {
        if (!strcmp(matrix_solvers[i].name, name)) return i;
    }
    return -1;
}
