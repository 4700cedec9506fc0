// matrix_local.c -- block Gauss-Seidel on a contact problem in matrix form: one contact after the
// other is solved exactly, with a conjugate direction between sweeps.
//
// Jourdan, Alart & Jean 1998, with the exact local solve of local.c; the conjugate direction is
// that of Silcowitz-Hansen, Niebe & Erleben 2010. docs/theory/complementarity-solvers.md,
// section 4.
//
// SPDX-License-Identifier: MIT
#include "solve/matrix_problem.h"

// Sweeps where the caller names no number.
enum { SWEEPS = 5000 };

typedef struct Local {
    const MatrixProblem *m;
    impVec3 *p, *before, *direction, *u, *best;
    double length;  // of the last change, squared
    bool exists;    // the direction
} Local;

static bool take(Local *l, int count, Arena *scratch) {
    l->p = TAKE(scratch, impVec3, count);
    l->before = TAKE(scratch, impVec3, count);
    l->direction = TAKE(scratch, impVec3, count);
    l->u = TAKE(scratch, impVec3, count);
    l->best = TAKE(scratch, impVec3, count);
    return !*scratch->full;
}

size_t matrix_local_scratch(int count, int directions) {
    (void)directions;
    bool full = false;
    Arena counting = arena_counting(&full);
    Local l = { 0 };
    take(&l, count, &counting);
    return counting.used;
}

static void sweep(const Local *l) {
    const MatrixProblem *m = l->m;
    for (int i = 0; i < m->count; i++) {
        impVec3 q = m->q[i];
        Mat3 own = mat3_diagonal(1, 1, 1);
        for (int k = m->first[i]; k < m->first[i + 1]; k++) {
            int j = m->column[k];
            if (j == i) {
                own = m->block[k];
            } else {
                q = add(q, mul(m->block[k], l->p[j]));
            }
        }
        l->p[i] = local_impulse(own, q, m->friction[i]);
    }
}

// Adds beta times the last direction to the impulses that a sweep has found, where beta is the
// ratio of the lengths of the last two changes; starts again where they grow.
static void follow_direction(Local *l) {
    const MatrixProblem *m = l->m;
    double length = 0;
    for (int i = 0; i < m->count; i++) {
        impVec3 change = sub(l->p[i], l->before[i]);
        length += dot(change, change) * trace(matrix_diagonal(m, i));
    }
    double beta = l->exists && length < l->length ? length / l->length : 0;
    for (int i = 0; i < m->count; i++) {
        impVec3 change = sub(l->p[i], l->before[i]);
        if (beta > 0) {
            l->p[i] = problem_project(madd(l->p[i], beta, l->direction[i]), m->friction[i]);
            change = madd(change, beta, l->direction[i]);
        }
        l->direction[i] = change;
    }
    l->length = length;
    l->exists = true;
}

static void copy(impVec3 *to, const impVec3 *from, int count) {
    for (int i = 0; i < count; i++) {
        to[i] = from[i];
    }
}

SolverReport matrix_local(const MatrixProblem *m, const SolverOptions *options, Arena scratch) {
    Local l = { .m = m };
    SolverReport report = { "local", HUGE_VAL, 0, false };
    if (!take(&l, m->count, &scratch)) return report;
    int sweeps = options->iterations > 0 ? options->iterations : SWEEPS;
    for (int i = 0; i < m->count; i++) {
        l.p[i] = l.best[i] = problem_project(m->p[i], m->friction[i]);
    }
    for (int k = 0; k <= sweeps; k++) {
        copy(l.before, l.p, m->count);
        if (k > 0) {
            sweep(&l);
        }
        matrix_velocity(m, l.p, l.u);
        double found = matrix_residual(m, l.p, l.u);
        if (found < report.residual) {
            report.residual = found;
            copy(l.best, l.p, m->count);
        }
        report.iterations = k;
        if (found <= options->tolerance) break;
        if (k > 0) {
            follow_direction(&l);
        }
    }
    copy(m->p, l.best, m->count);
    report.solved = report.residual <= options->tolerance;
    return report;
}
