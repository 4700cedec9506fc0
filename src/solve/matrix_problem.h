// matrix_problem.h -- the contact problem as a matrix: impulses p such that
//
//   u = W p + q,   and (2), (3) of problem.h for each contact
//
// without any bodies. Libraries of such problems exist, and small problems of bodies become one
// (polyhedral.c). W has blocks of 3x3; it may be singular, and not symmetric where it comes from a
// linearisation. docs/theory/complementarity-solvers.md, sections 3 to 6.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "solve/lcp.h"
#include "solve/problem.h"

typedef struct MatrixProblem {
    int count;              // contacts
    const int32_t *first;   // by contact, and one more: the first block of its row
    const int32_t *column;  // by block: a contact, ascending in a row; the diagonal is there
    const Mat3 *block;      // frames of the contacts: two tangents and the normal
    const impVec3 *q;       // m/s: velocity without impulses
    const double *friction;
    impVec3 *p;  // N s, in: a first guess; out
} MatrixProblem;

// --- matrix_problem.c ----------------------------------------------------------------------------
// u = W p + q; u has `count` vectors.
void matrix_velocity(const MatrixProblem *m, const impVec3 *p, impVec3 *u);
// W_ii.
Mat3 matrix_diagonal(const MatrixProblem *m, int i);
// |p - P_K(p - (u + mu |u_t| n))| / |q|, Euclidean norms over all contacts: the measure of
// published collections of problems. It has units in it: velocities count as impulses, 1 m/s as 1 N
// s. Rounding of large p hides no u: (20).
double matrix_residual(const MatrixProblem *m, const impVec3 *p, const impVec3 *u);

// --- the solvers, a file each: tolerance and residual are those of matrix_residual ---------------
SolverReport matrix_gradient(const MatrixProblem *m, const SolverOptions *options, Arena scratch);
SolverReport matrix_local(const MatrixProblem *m, const SolverOptions *options, Arena scratch);
SolverReport matrix_newton(const MatrixProblem *m, const SolverOptions *options, Arena scratch);
size_t matrix_gradient_scratch(int count, int directions);
size_t matrix_local_scratch(int count, int directions);
size_t matrix_newton_scratch(int count, int directions);

// --- matrix_solvers.c: the table -----------------------------------------------------------------
typedef struct MatrixSolver {
    const char *name;
    // Writes p, in its cones, solved or not. Where the arena has not enough memory, which sets its
    // flag, p stays.
    SolverReport (*solve)(const MatrixProblem *m, const SolverOptions *options, Arena scratch);
    const char *about, *source;
    // bytes; 0: more contacts than it is made for
    size_t (*scratch)(int count, int directions);
} MatrixSolver;
extern const MatrixSolver matrix_solvers[];
extern const int matrix_solver_count;
int matrix_solver_find(const char *name);  // -1: unknown

// --- polyhedral.c: the cone as a polyhedron, and Lemke's method ----------------------------------
// Rows of the linear complementarity problem of so many contacts; 0: more than it is made for.
int polyhedral_rows(int contacts, int directions);
size_t polyhedral_scratch(int rows);
typedef struct PolyhedralReport {
    LcpEnd end;
    int pivots;
    double residual;  // m/s: of the answer in the polyhedral problem that was asked, (21)
} PolyhedralReport;
// Writes p, in its cones. The residual is that of the problem with velocities `asked` in the place
// of q; NULL: with q.
PolyhedralReport polyhedral_solve(const MatrixProblem *m, const impVec3 *asked, int directions,
                                  Arena scratch);
// The residual is that of the polyhedral problem, of |q|.
SolverReport matrix_lemke(const MatrixProblem *m, const SolverOptions *options, Arena scratch);
size_t matrix_lemke_scratch(int count, int directions);

// --- local.c: one contact ------------------------------------------------------------------------
// The impulse p of (2) and (3) for u = w p + q, to rounding.
impVec3 local_impulse(Mat3 w, impVec3 q, double friction);
