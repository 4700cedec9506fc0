// delassus.c -- a contact problem of bodies as a matrix problem: every row against every other one,
// with the bilateral rows eliminated. And on top of it Lemke's method for bodies.
//
// docs/theory/complementarity-solvers.md, (18) and (19). A column of the matrix is the velocity of
// all rows after a unit impulse at one of them. Dense: meant for small problems.
//
// SPDX-License-Identifier: MIT
#include "solve/matrix_problem.h"
#include "solve/solvers.h"

#include <string.h>

enum {
    LEMKE_ROWS = 300,  // of the linear complementarity problem
    BILATERALS = 90,
    EXACT_BODIES = 400  // where Lemke's method has no answer: of more the automatic choice
};
// 1, of the mean of their diagonal: regularisation of bilateral rows, which may be redundant
#define REDUNDANT 1e-12

typedef struct Delassus {
    const Problem *problem;
    int contacts, bilaterals, rows;  // rows: three a contact, then the bilateral ones
    double *matrix, *velocity;       // of all rows; velocity with the bias
    double *factor;                  // of the bilateral part
    double *solution;                // by contact row: factor^-1 times its column
    int32_t *order;
    int32_t *first, *column;
    Mat3 *block;
    impVec3 *asked, *q, *p;  // asked: q of the problem as it was given
    double *friction;
} Delassus;

static bool take(Delassus *d, int contacts, int bilaterals, Arena *scratch) {
    size_t rows = 3 * (size_t)contacts + (size_t)bilaterals;
    size_t blocks = (size_t)contacts * (size_t)contacts;
    d->contacts = contacts;
    d->bilaterals = bilaterals;
    d->rows = (int)rows;
    d->matrix = TAKE(scratch, double, rows *rows);
    d->velocity = TAKE(scratch, double, rows);
    d->factor = TAKE(scratch, double, bilaterals *bilaterals);
    d->solution = TAKE(scratch, double, bilaterals);
    d->order = TAKE(scratch, int32_t, bilaterals);
    d->first = TAKE(scratch, int32_t, contacts + 1);
    d->column = TAKE(scratch, int32_t, blocks);
    d->block = TAKE(scratch, Mat3, blocks);
    d->asked = TAKE(scratch, impVec3, contacts);
    d->q = TAKE(scratch, impVec3, contacts);
    d->p = TAKE(scratch, impVec3, contacts);
    d->friction = TAKE(scratch, double, contacts);
    return !*scratch->full;
}

// --- all rows ------------------------------------------------------------------------------------

// Velocities of all rows, without bias, one after the other `stride` numbers apart.
static void read_velocities(const Delassus *d, double *out, int stride) {
    for (int i = 0; i < d->contacts; i++) {
        impVec3 u = problem_contact_velocity(d->problem, &d->problem->contact[i]);
        out[dense_at(stride, 3 * i, 0)] = u.x;
        out[dense_at(stride, 3 * i + 1, 0)] = u.y;
        out[dense_at(stride, 3 * i + 2, 0)] = u.z;
    }
    for (int i = 0; i < d->bilaterals; i++) {
        out[dense_at(stride, 3 * d->contacts + i, 0)] = problem_bilateral_velocity(
            d->problem, &d->problem->bilateral[i]);
    }
}

static void stop_bodies(const Problem *problem) {
    for (int i = 0; i < problem->body_count; i++) {
        problem->body[i].v = problem->body[i].w = vec(0, 0, 0);
    }
}

static void set_matrix(const Delassus *d) {
    for (int i = 0; i < d->contacts; i++) {
        for (int k = 0; k < 3; k++) {
            stop_bodies(d->problem);
            problem_apply_contact(d->problem, &d->problem->contact[i], vec(k == 0, k == 1, k == 2));
            read_velocities(d, d->matrix + 3 * i + k, d->rows);
        }
    }
    for (int i = 0; i < d->bilaterals; i++) {
        stop_bodies(d->problem);
        problem_apply_bilateral(d->problem, &d->problem->bilateral[i], 1);
        read_velocities(d, d->matrix + 3 * d->contacts + i, d->rows);
    }
}

// Velocities without impulses; with_bias: and with what the step adds.
static void set_velocity(const Delassus *d, bool with_bias) {
    const Problem *problem = d->problem;
    for (int i = 0; i < problem->body_count; i++) {
        problem->body[i].v = problem->body[i].free_v;
        problem->body[i].w = problem->body[i].free_w;
    }
    read_velocities(d, d->velocity, 1);
    if (!with_bias) return;
    for (int i = 0; i < d->contacts; i++) {
        d->velocity[3 * i] += problem->contact[i].bias.x;
        d->velocity[3 * i + 1] += problem->contact[i].bias.y;
        d->velocity[3 * i + 2] += problem->contact[i].bias.z;
    }
    for (int i = 0; i < d->bilaterals; i++) {
        d->velocity[3 * d->contacts + i] += problem->bilateral[i].bias;
    }
}

// --- bilateral rows, (18) ------------------------------------------------------------------------

static bool factor_bilateral(const Delassus *d) {
    int first = 3 * d->contacts;
    double sum = 0;
    for (int i = 0; i < d->bilaterals; i++) {
        sum += d->matrix[dense_at(d->rows, first + i, first + i)];
        for (int j = 0; j < d->bilaterals; j++) {
            d->factor[dense_at(d->bilaterals, i, j)] =
                d->matrix[dense_at(d->rows, first + i, first + j)];
        }
    }
    for (int i = 0; i < d->bilaterals; i++) {
        d->factor[dense_at(d->bilaterals, i, i)] += REDUNDANT * sum / d->bilaterals;
    }
    return dense_factor(d->bilaterals, d->factor, d->order);
}

// factor^-1 times numbers of the bilateral rows that stand `stride` apart.
static void solve_bilateral(const Delassus *d, const double *numbers, int stride) {
    for (int i = 0; i < d->bilaterals; i++) {
        d->solution[i] = numbers[dense_at(stride, i, 0)];
    }
    dense_solve(d->bilaterals, d->factor, d->order, d->solution);
}

// What the bilateral rows do to a contact row, for the solution that was found last.
static double share_of_bilateral(const Delassus *d, int row) {
    double sum = 0;
    for (int i = 0; i < d->bilaterals; i++) {
        sum += d->matrix[dense_at(d->rows, row, 3 * d->contacts + i)] * d->solution[i];
    }
    return sum;
}

// Schur complement: matrix and velocity of the contact rows alone.
static void eliminate_bilateral(const Delassus *d) {
    int first = 3 * d->contacts;
    if (d->bilaterals == 0 || !factor_bilateral(d)) return;
    for (int j = 0; j < first; j++) {
        solve_bilateral(d, d->matrix + dense_at(d->rows, first, j), d->rows);
        for (int i = 0; i < first; i++) {
            d->matrix[dense_at(d->rows, i, j)] -= share_of_bilateral(d, i);
        }
    }
}

static void eliminate_velocity(const Delassus *d) {
    int first = 3 * d->contacts;
    if (d->bilaterals == 0) return;
    solve_bilateral(d, d->velocity + first, 1);
    for (int i = 0; i < first; i++) {
        d->velocity[i] -= share_of_bilateral(d, i);
    }
}

// Impulses of the bilateral rows by those of the contacts, (19).
static void set_bilateral_impulses(const Delassus *d) {
    const Problem *problem = d->problem;
    if (d->bilaterals == 0) return;
    for (int i = 0; i < d->bilaterals; i++) {
        problem->bilateral[i].p = 0;
    }
    problem_set_velocities(problem);
    double *u = d->velocity;
    for (int i = 0; i < d->bilaterals; i++) {
        const BilateralRow *row = &problem->bilateral[i];
        u[i] = problem_bilateral_velocity(problem, row) + row->bias;
    }
    solve_bilateral(d, u, 1);
    for (int i = 0; i < d->bilaterals; i++) {
        problem->bilateral[i].p = -d->solution[i];
    }
}

// --- Lemke's method ------------------------------------------------------------------------------

static MatrixProblem as_matrix(const Delassus *d) {
    for (int i = 0; i < d->contacts; i++) {
        d->first[i] = i * d->contacts;
        d->friction[i] = d->problem->contact[i].friction;
        for (int j = 0; j < d->contacts; j++) {
            const double *at = d->matrix + dense_at(d->rows, 3 * i, 3 * j);
            const double *y = at + d->rows;
            const double *z = y + d->rows;
            d->column[i * d->contacts + j] = j;
            d->block[i * d->contacts + j] = mat3(vec(at[0], at[1], at[2]), vec(y[0], y[1], y[2]),
                                                 vec(z[0], z[1], z[2]));
        }
    }
    d->first[d->contacts] = d->contacts * d->contacts;
    return (MatrixProblem){ .count = d->contacts,
                            .first = d->first,
                            .column = d->column,
                            .block = d->block,
                            .q = d->q,
                            .friction = d->friction,
                            .p = d->p };
}

// Velocities of the contact rows without contact impulses, bilateral rows eliminated.
static void contact_velocities(const Delassus *d, bool with_bias, impVec3 *out) {
    set_velocity(d, with_bias);
    eliminate_velocity(d);
    for (int i = 0; i < d->contacts; i++) {
        out[i] = vec(d->velocity[3 * i], d->velocity[3 * i + 1], d->velocity[3 * i + 2]);
    }
}

// Solves with the bias of the rows or without; the residual is that of the problem as it was asked.
// Writes impulses only where they are a solution.
static LcpEnd attempt(const Delassus *d, bool with_bias, const SolverOptions *options,
                      SolverReport *report, Arena scratch) {
    const Problem *problem = d->problem;
    MatrixProblem m = as_matrix(d);
    contact_velocities(d, true, d->asked);
    contact_velocities(d, with_bias, d->q);
    PolyhedralReport found = polyhedral_solve(&m, d->asked, options->directions, scratch);
    report->solver = with_bias ? "lemke" : "lemke, without bias";
    report->iterations += found.pivots;
    if (found.end != LCP_SOLVED) return found.end;
    for (int i = 0; i < d->contacts; i++) {
        problem->contact[i].p = d->p[i];
    }
    set_bilateral_impulses(d);
    problem_set_velocities(problem);
    problem_set_modes(problem);
    report->residual = found.residual;
    report->solved = found.residual <= options->tolerance;
    return LCP_SOLVED;
}

static bool fits(const Problem *problem, int directions) {
    int rows = polyhedral_rows(problem->contact_count, directions);
    return rows > 0 && rows <= LEMKE_ROWS && problem->bilateral_count <= BILATERALS;
}

// The ladder of section 2, without other solvers: where the problem has no solution, it is solved
// without bias. False: no solution is found, or the problem is too large; impulses are as they
// were.
static bool solve_polyhedral(const Problem *problem, const SolverOptions *options,
                             SolverReport *report, Arena scratch) {
    Delassus d = { .problem = problem };
    *report = (SolverReport){ "lemke", HUGE_VAL, 0, false };
    if (!fits(problem, options->directions)) return false;
    if (!take(&d, problem->contact_count, problem->bilateral_count, &scratch)) return false;
    set_matrix(&d);
    eliminate_bilateral(&d);
    LcpEnd end = attempt(&d, true, options, report, scratch);
    if (end == LCP_RAY) {
        end = attempt(&d, false, options, report, scratch);
    }
    return end == LCP_SOLVED;
}

SolverReport solver_polyhedral(const Problem *problem, const SolverOptions *options,
                               Arena scratch) {
    SolverReport report;
    solve_polyhedral(problem, options, &report, scratch);
    problem_set_velocities(problem);
    problem_set_modes(problem);
    report.residual = problem_natural_map(problem);
    report.solved = report.residual <= options->tolerance;
    return report;
}

SolverReport solver_lemke(const Problem *problem, const SolverOptions *options, Arena scratch) {
    SolverReport report;
    if (solve_polyhedral(problem, options, &report, scratch)) return report;
    int pivots = report.iterations;
    bool small = problem->body_count <= EXACT_BODIES;
    report = small ? solver_exact(problem, options, scratch)
                   : solvers[0].solve(problem, options, scratch);
    report.solver = small ? "exact" : solvers[0].name;
    report.iterations += pivots;
    return report;
}

size_t solver_lemke_scratch(int bodies, int contacts, int bilaterals) {
    (void)bodies;
    bool full = false;
    Arena counting = arena_counting(&full);
    Delassus d = { 0 };
    int most = LEMKE_ROWS / 4;
    take(&d, contacts < most ? contacts : most, bilaterals < BILATERALS ? bilaterals : BILATERALS,
         &counting);
    return counting.used + CACHE_LINE + polyhedral_scratch(LEMKE_ROWS);
}
