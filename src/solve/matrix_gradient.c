// matrix_gradient.c -- accelerated projected gradient steps on the impulses of a contact problem in
// matrix form.
//
// The method of gradient.c, docs/theory/many-contacts.md section 5, with one product by W in a
// step: the velocities of extrapolated impulses are extrapolated, too.
//
// SPDX-License-Identifier: MIT
#include "solve/matrix_problem.h"

// Steps where the caller names no number; the residual is computed once in so many.
enum { STEPS = 20000, CHECK_EVERY = 8, HALVINGS = 40 };
// the step length grows by this factor after each step
#define GROWTH 1.1

typedef struct Gradient {
    const MatrixProblem *m;
    impVec3 *now, *last, *ahead, *best;  // impulses, as in gradient.c
    impVec3 *u_now, *u_last, *u_ahead;   // their velocities
    impVec3 *slope;                      // shifted velocity at `ahead`
    double *rho;
} Gradient;

static bool take(Gradient *g, int count, Arena *scratch) {
    g->now = TAKE(scratch, impVec3, count);
    g->last = TAKE(scratch, impVec3, count);
    g->ahead = TAKE(scratch, impVec3, count);
    g->best = TAKE(scratch, impVec3, count);
    g->u_now = TAKE(scratch, impVec3, count);
    g->u_last = TAKE(scratch, impVec3, count);
    g->u_ahead = TAKE(scratch, impVec3, count);
    g->slope = TAKE(scratch, impVec3, count);
    g->rho = TAKE(scratch, double, count);
    return !*scratch->full;
}

size_t matrix_gradient_scratch(int count, int directions) {
    (void)directions;
    bool full = false;
    Arena counting = arena_counting(&full);
    Gradient g = { 0 };
    take(&g, count, &counting);
    return counting.used;
}

static void begin(Gradient *g) {
    const MatrixProblem *m = g->m;
    for (int i = 0; i < m->count; i++) {
        g->now[i] = problem_project(m->p[i], m->friction[i]);
        g->last[i] = g->best[i] = g->now[i];
        g->rho[i] = 3 / trace(matrix_diagonal(m, i));
    }
    matrix_velocity(m, g->now, g->u_now);
    for (int i = 0; i < m->count; i++) {
        g->u_last[i] = g->u_now[i];
    }
}

static void look_ahead(Gradient *g, double momentum) {
    for (int i = 0; i < g->m->count; i++) {
        g->ahead[i] = madd(g->now[i], momentum, sub(g->now[i], g->last[i]));
        impVec3 u = madd(g->u_now[i], momentum, sub(g->u_now[i], g->u_last[i]));
        g->u_ahead[i] = u;
        u.z += g->m->friction[i] * sqrt(u.x * u.x + u.y * u.y);
        g->slope[i] = u;
        g->last[i] = g->now[i];
        g->u_last[i] = g->u_now[i];
    }
}

// Steps from `ahead` down the slope with a step length. Returns by how much the quadratic function
// exceeds its bound: not above 0 if the length is short enough.
static double try_length(Gradient *g, double length) {
    const MatrixProblem *m = g->m;
    for (int i = 0; i < m->count; i++) {
        impVec3 down = madd(g->ahead[i], -length * g->rho[i], g->slope[i]);
        g->now[i] = problem_project(down, m->friction[i]);
    }
    matrix_velocity(m, g->now, g->u_now);
    double excess = 0;
    for (int i = 0; i < m->count; i++) {
        impVec3 change = sub(g->now[i], g->ahead[i]);
        excess += dot(change, sub(g->u_now[i], g->u_ahead[i]));
        excess -= dot(change, change) / (length * g->rho[i]);
    }
    return excess;
}

// Whether the last step goes uphill, and the extrapolation has to start anew.
static bool uphill(const Gradient *g) {
    double climb = 0;
    for (int i = 0; i < g->m->count; i++) {
        climb += dot(g->slope[i], sub(g->now[i], g->last[i]));
    }
    return climb > 0;
}

static void keep_best(Gradient *g, double found, double *residual) {
    if (!(found < *residual)) return;
    *residual = found;
    for (int i = 0; i < g->m->count; i++) {
        g->best[i] = g->now[i];
    }
}

// Returns the number of steps.
static int descend(Gradient *g, const SolverOptions *options, double *residual) {
    int steps = options->iterations > 0 ? options->iterations : STEPS;
    double theta = 1;
    double momentum = 0;
    double length = 1;
    for (int k = 1; k <= steps; k++) {
        look_ahead(g, momentum);
        for (int i = 0; i < HALVINGS && try_length(g, length) > 0; i++) {
            length *= 0.5;
        }
        // Nesterov's sequence, from its start again where the last step went uphill
        double square = theta * theta;
        double next = 0.5 * (sqrt(square * square + 4 * square) - square);
        bool anew = uphill(g);
        momentum = anew ? 0 : theta * (1 - theta) / (square + next);
        theta = anew ? 1 : next;
        length *= GROWTH;

        if (k % CHECK_EVERY && k < steps) continue;
        keep_best(g, matrix_residual(g->m, g->now, g->u_now), residual);
        if (*residual <= options->tolerance) return k;
    }
    return steps;
}

SolverReport matrix_gradient(const MatrixProblem *m, const SolverOptions *options, Arena scratch) {
    Gradient g = { .m = m };
    SolverReport report = { "gradient", HUGE_VAL, 0, false };
    if (!take(&g, m->count, &scratch)) return report;
    begin(&g);
    report.residual = matrix_residual(m, g.now, g.u_now);
    if (!(report.residual <= options->tolerance)) {
        report.iterations = descend(&g, options, &report.residual);
    }
    for (int i = 0; i < m->count; i++) {
        m->p[i] = g.best[i];
    }
    report.solved = report.residual <= options->tolerance;
    return report;
}
