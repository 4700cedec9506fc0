// local_sweeps.c -- block Gauss-Seidel over the bodies of a contact problem: one contact after the
// other is solved exactly, matrix-free.
//
// Jourdan, Alart & Jean 1998 (NSGS), with the exact local solve of local.c;
// docs/theory/complementarity-solvers.md, section 4. Each row needs its own matrix W_cc and the
// velocities of its two bodies, so that any number of contacts costs only sweeps.
//
// SPDX-License-Identifier: MIT
#include "solve/matrix_problem.h"
#include "solve/solvers.h"

// Sweeps where the caller names no number.
enum { SWEEPS = 2000 };
// 1, of the tolerance: the natural map is computed when a sweep changes no velocity by more
#define ENDING_CHANGE 0.1

// Returns the change of velocity by its own change of impulse, m/s.
static double turn_contact(const Problem *problem, ContactRow *row, Mat3 w) {
    impVec3 u = add(problem_contact_velocity(problem, row), row->bias);
    impVec3 p = local_impulse(w, sub(u, mul(w, row->p)), row->friction);
    impVec3 change = sub(p, row->p);
    if (zero3(change)) return 0;
    row->p = p;
    problem_apply_contact(problem, row, change);
    return largest(mul(w, change));
}

static double turn_bilateral(const Problem *problem, BilateralRow *row) {
    double u = problem_bilateral_velocity(problem, row) + row->bias;
    double change = -u / problem_bilateral_matrix(problem, row);
    row->p += change;
    problem_apply_bilateral(problem, row, change);
    return fabs(u);
}

static double sweep(const Problem *problem, const Mat3 *matrix) {
    double most = 0;
    for (int i = 0; i < problem->bilateral_count; i++) {
        most = max2(turn_bilateral(problem, &problem->bilateral[i]), most);
    }
    for (int i = 0; i < problem->contact_count; i++) {
        most = max2(turn_contact(problem, &problem->contact[i], matrix[i]), most);
    }
    return most;
}

// Returns the number of sweeps.
static int run(const Problem *problem, const SolverOptions *options, const Mat3 *matrix) {
    int most = options->iterations > 0 ? options->iterations : SWEEPS;
    for (int k = 1; k <= most; k++) {
        if (sweep(problem, matrix) <= ENDING_CHANGE * options->tolerance) return k;
    }
    return most;
}

SolverReport solver_local(const Problem *problem, const SolverOptions *options, Arena scratch) {
    Mat3 *matrix = TAKE(&scratch, Mat3, problem->contact_count);
    int sweeps = 0;
    problem_set_velocities(problem);
    if (!*scratch.full) {
        for (int i = 0; i < problem->contact_count; i++) {
            matrix[i] = problem_contact_matrix(problem, &problem->contact[i]);
        }
        sweeps = run(problem, options, matrix);
    }
    problem_set_velocities(problem);
    problem_set_modes(problem);
    double residual = problem_natural_map(problem);
    return (SolverReport){ "local", residual, sweeps, residual <= options->tolerance };
}

size_t solver_local_scratch(int bodies, int contacts, int bilaterals) {
    (void)bodies;
    (void)bilaterals;
    bool full = false;
    Arena counting = arena_counting(&full);
    TAKE(&counting, Mat3, contacts);
    return counting.used;
}
