// matrix_newton.c -- Newton's method for a contact problem in matrix form, by the convex problems
// of newton.c, with a dense factor.
//
// docs/theory/complementarity-solvers.md, (15) to (17); Rockafellar 1976; De Saxce & Feng 1998. The
// velocities of newton.c are parted as v = v_f + M^-1 J^T y, so that u = W y + q, and psi is
//
//   psi(y) = y.W y / 2 + sum |P_K(x)|^2 / (2 rho),   x = p' - rho (W y + q + s n)
//   gradient W F,   F = y - P_K(x),        Newton step: (1 + rho D W) dy = -F
//
// with shifts s = mu |u_t| and impulses p' of the last pass, D = dP_K(x) and rho = kappa 3 / trace
// W_ii. The matrix is regular where W is not. Where W is not symmetric, no function has that
// gradient; the passes then need not converge. Meant for some hundred contacts.
//
// SPDX-License-Identifier: MIT
#include "solve/matrix_problem.h"

enum {
    MOST = 400,     // contacts: a factor of some seconds
    PASSES = 20,    // with new shifts and impulses, of one kappa
    STEPS = 25,     // Newton steps of a pass
    SEARCHES = 12,  // points of a line search
    KAPPAS = 4
};
// 1: the stiffer, the fewer passes; softer where those do not converge
static const double kappas[KAPPAS] = { 1e6, 1e4, 1e3, 1e2 };
// 1, of the residual at its begin: a pass ends with such a gradient, or ...
#define PASS_TOLERANCE 1e-3
// ... with so much of the tolerance
#define GRADIENT_TOLERANCE 0.1
// 1, times kappa: rounding of a gradient, by |q|
#define GRADIENT_ROUNDING 2e-14
// 1: passes go on while each leaves at most so much of the residual
#define CONTRACTION 0.5
// 1, of the slope at its start: a line search ends at a smaller one
#define SLOPE_RATIO 0.1
// 1, of its bracket: a line search keeps so far from both ends
#define MARGIN 0.05

typedef struct Newton {
    const MatrixProblem *m;
    impVec3 *y, *last, *start, *best;  // y; p'; y at the start of a line search; the best p so far
    impVec3 *u, *x, *p;                // at y
    impVec3 *step, *step_u;            // Newton's, and W times it
    double *shift, *rho;
    double *rest, *right;  // F; right side
    double *matrix;
    int32_t *order;
    double size;  // |q|
    int steps;
} Newton;

static bool take(Newton *n, int count, Arena *scratch) {
    n->y = TAKE(scratch, impVec3, count);
    n->last = TAKE(scratch, impVec3, count);
    n->start = TAKE(scratch, impVec3, count);
    n->best = TAKE(scratch, impVec3, count);
    n->u = TAKE(scratch, impVec3, count);
    n->x = TAKE(scratch, impVec3, count);
    n->p = TAKE(scratch, impVec3, count);
    n->step = TAKE(scratch, impVec3, count);
    n->step_u = TAKE(scratch, impVec3, count);
    n->shift = TAKE(scratch, double, count);
    n->rho = TAKE(scratch, double, count);
    n->rest = TAKE(scratch, double, 3 * count);
    n->right = TAKE(scratch, double, 3 * count);
    n->matrix = TAKE(scratch, double, 9 * (size_t)count * (size_t)count);
    n->order = TAKE(scratch, int32_t, 3 * count);
    return !*scratch->full;
}

size_t matrix_newton_scratch(int count, int directions) {
    (void)directions;
    if (count > MOST) return 0;
    bool full = false;
    Arena counting = arena_counting(&full);
    Newton n = { 0 };
    take(&n, count, &counting);
    return counting.used;
}

// --- F and psi -----------------------------------------------------------------------------------

static impVec3 three(const double *numbers, int i) {
    return vec(numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]);
}

static void set_three(double *numbers, int i, impVec3 value) {
    numbers[3 * i] = value.x;
    numbers[3 * i + 1] = value.y;
    numbers[3 * i + 2] = value.z;
}

// u, x, P_K(x) and F at y.
static void evaluate(Newton *n) {
    const MatrixProblem *m = n->m;
    matrix_velocity(m, n->y, n->u);
    for (int i = 0; i < m->count; i++) {
        impVec3 u = vec(n->u[i].x, n->u[i].y, n->u[i].z + n->shift[i]);
        n->x[i] = madd(n->last[i], -n->rho[i], u);
        n->p[i] = problem_project(n->x[i], m->friction[i]);
        set_three(n->rest, i, sub(n->y[i], n->p[i]));
    }
}

// W times vectors that are not impulses: without q.
static void multiply(const MatrixProblem *m, const impVec3 *x, impVec3 *out) {
    for (int i = 0; i < m->count; i++) {
        impVec3 sum = vec(0, 0, 0);
        for (int k = m->first[i]; k < m->first[i + 1]; k++) {
            sum = add(sum, mul(m->block[k], x[m->column[k]]));
        }
        out[i] = sum;
    }
}

// |W F| by |q|: velocities at the impulses P_K(x) against those at y. step_u is scratch.
static double gradient_size(Newton *n) {
    double sum = 0;
    matrix_velocity(n->m, n->p, n->step_u);
    for (int i = 0; i < n->m->count; i++) {
        impVec3 d = sub(n->step_u[i], n->u[i]);
        sum += dot(d, d);
    }
    return sqrt(sum) / n->size;
}

// --- a step --------------------------------------------------------------------------------------

static void set_block(Newton *n, int i, int j, Mat3 block) {
    const impVec3 row[3] = { block.x, block.y, block.z };
    for (int k = 0; k < 3; k++) {
        double *to = n->matrix + dense_at(3 * n->m->count, 3 * i + k, 3 * j);
        to[0] = row[k].x;
        to[1] = row[k].y;
        to[2] = row[k].z;
    }
}

static void set_matrix(Newton *n) {
    const MatrixProblem *m = n->m;
    size_t numbers = 9 * (size_t)m->count * (size_t)m->count;
    for (size_t k = 0; k < numbers; k++) {
        n->matrix[k] = 0;
    }
    for (int i = 0; i < m->count; i++) {
        Mat3 d = mat3_scale(n->rho[i], problem_project_derivative(n->x[i], m->friction[i]));
        for (int k = m->first[i]; k < m->first[i + 1]; k++) {
            set_block(n, i, m->column[k], mat3_mul(d, m->block[k]));
        }
        for (int k = 0; k < 3; k++) {
            n->matrix[dense_at(3 * m->count, 3 * i + k, 3 * i + k)] += 1;
        }
    }
}

// Slope of psi along the step.
static double slope(const Newton *n) {
    double sum = 0;
    for (int i = 0; i < n->m->count; i++) {
        sum += dot(n->step_u[i], three(n->rest, i));
    }
    return sum;
}

static double slope_at(Newton *n, double length) {
    for (int i = 0; i < n->m->count; i++) {
        n->y[i] = madd(n->start[i], length, n->step[i]);
    }
    evaluate(n);
    return slope(n);
}

// Goes along the step to where the slope is small.
static void search(Newton *n) {
    double first = slope(n);
    double low = 0;
    double high = 1;
    double slope_low = first;
    double slope_high = slope_at(n, 1);
    if (slope_high <= SLOPE_RATIO * fabs(first)) return;
    for (int k = 0; k < SEARCHES; k++) {
        double part = slope_low / (slope_low - slope_high);
        if (!(part > MARGIN && part < 1 - MARGIN)) {
            part = 0.5;
        }
        double length = low + part * (high - low);
        double found = slope_at(n, length);
        if (fabs(found) <= SLOPE_RATIO * fabs(first)) return;
        if (found > 0) {
            high = length;
            slope_high = found;
        } else {
            low = length;
            slope_low = found;
        }
    }
}

// False: the matrix is singular.
static bool newton_step(Newton *n) {
    int count = n->m->count;
    n->steps++;
    set_matrix(n);
    for (int i = 0; i < 3 * count; i++) {
        n->right[i] = -n->rest[i];
    }
    if (!dense_factor(3 * count, n->matrix, n->order)) return false;
    dense_solve(3 * count, n->matrix, n->order, n->right);
    for (int i = 0; i < count; i++) {
        n->start[i] = n->y[i];
        n->step[i] = three(n->right, i);
    }
    multiply(n->m, n->step, n->step_u);
    search(n);
    return true;
}

// --- passes --------------------------------------------------------------------------------------

// Minimises psi until its gradient, by |q|, is small enough.
static void minimise(Newton *n, double enough) {
    evaluate(n);
    for (int k = 0; k < STEPS; k++) {
        if (gradient_size(n) <= enough || !newton_step(n)) return;
    }
}

static void begin_pass(Newton *n) {
    const MatrixProblem *m = n->m;
    matrix_velocity(m, n->best, n->u);
    for (int i = 0; i < m->count; i++) {
        n->last[i] = n->y[i] = n->best[i];
        n->shift[i] = m->friction[i] * sqrt(n->u[i].x * n->u[i].x + n->u[i].y * n->u[i].y);
    }
}

// Passes with one kappa, each from the best impulses so far, until they no longer contract.
// *residual: in and out, of `best`.
static void run_passes(Newton *n, double kappa, double tolerance, double *residual) {
    const MatrixProblem *m = n->m;
    for (int i = 0; i < m->count; i++) {
        n->rho[i] = 3 * kappa / trace(matrix_diagonal(m, i));
    }
    for (int k = 0; k < PASSES; k++) {
        double last = *residual;
        if (!(last > tolerance)) return;
        begin_pass(n);
        double enough = max2(PASS_TOLERANCE * last, GRADIENT_TOLERANCE * tolerance);
        minimise(n, max2(enough, GRADIENT_ROUNDING * kappa));
        matrix_velocity(m, n->p, n->u);
        double found = matrix_residual(m, n->p, n->u);
        if (found < *residual) {
            *residual = found;
            for (int i = 0; i < m->count; i++) {
                n->best[i] = n->p[i];
            }
        }
        if (!(found <= CONTRACTION * last)) return;
    }
}

SolverReport matrix_newton(const MatrixProblem *m, const SolverOptions *options, Arena scratch) {
    Newton n = { .m = m };
    SolverReport report = { "newton", HUGE_VAL, 0, false };
    if (m->count > MOST || !take(&n, m->count, &scratch)) return report;
    double sum = 0;
    for (int i = 0; i < m->count; i++) {
        n.best[i] = problem_project(m->p[i], m->friction[i]);
        sum += dot(m->q[i], m->q[i]);
    }
    n.size = sum > 0 ? sqrt(sum) : 1;
    matrix_velocity(m, n.best, n.u);
    report.residual = matrix_residual(m, n.best, n.u);
    for (int k = 0; k < KAPPAS && report.residual > options->tolerance; k++) {
        run_passes(&n, kappas[k], options->tolerance, &report.residual);
    }
    for (int i = 0; i < m->count; i++) {
        m->p[i] = n.best[i];
    }
    report.iterations = n.steps;
    report.solved = report.residual <= options->tolerance;
    return report;
}
