// solvers.h -- the solvers of the contact problem (problem.h), as the table in solvers.c and the
// automatic choice know them, and the sparse matrix of Newton's method.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "solve/problem.h"

// gauss_seidel.c
SolverReport solver_sweeps(const Problem *problem, const SolverOptions *options, Arena scratch);
SolverReport solver_conjugate(const Problem *problem, const SolverOptions *options, Arena scratch);
// of both; the second needs more
size_t solver_conjugate_scratch(int bodies, int contacts, int bilaterals);

// coloured.c. Where the problem needs too many colours: plain sweeps.
SolverReport solver_coloured(const Problem *problem, const SolverOptions *options, Arena scratch);
size_t solver_coloured_scratch(int bodies, int contacts, int bilaterals);

// newton.c. Unsolved, with the impulses as they were, where the factor does not fit into `fill`
// blocks, or where the convex problem has not been solved with any kappa.
SolverReport solver_newton(const Problem *problem, const SolverOptions *options, Arena scratch);
size_t solver_newton_scratch(int bodies, int contacts, int bilaterals);

// semismooth.c
SolverReport solver_semismooth(const Problem *problem, const SolverOptions *options, Arena scratch);
size_t solver_semismooth_scratch(int bodies, int contacts, int bilaterals);

// gradient.c
SolverReport solver_gradient(const Problem *problem, const SolverOptions *options, Arena scratch);
size_t solver_gradient_scratch(int bodies, int contacts, int bilaterals);

// local_sweeps.c
SolverReport solver_local(const Problem *problem, const SolverOptions *options, Arena scratch);
size_t solver_local_scratch(int bodies, int contacts, int bilaterals);

// exact.c. Its scratch memory: two cache lines and the impulses of all rows more than the others'.
SolverReport solver_exact(const Problem *problem, const SolverOptions *options, Arena scratch);

// delassus.c. Polyhedral cone. The residual of the report is that of the polyhedral problem as it
// was asked, m/s; the natural map, which is that of the true cone, need not become small. Where the
// path ends in a ray, the problem without bias is solved. Where that gives no solution, and where
// the problem is too large, the row "exact", or of very many bodies the automatic choice: the
// report names it, its residual is the natural map.
SolverReport solver_lemke(const Problem *problem, const SolverOptions *options, Arena scratch);
// The same without other solvers: a start for them. The residual is the natural map.
SolverReport solver_polyhedral(const Problem *problem, const SolverOptions *options, Arena scratch);
size_t solver_lemke_scratch(int bodies, int contacts, int bilaterals);

// --- cholesky.c: sparse symmetric matrices of 6x6 blocks, one row of blocks a body ---------------
// Lower triangle by columns, in an order of elimination of minimum degree. Blocks are stored by
// rows: entry (i, j) of a block is block[6 * i + j].
enum { BLOCK = 36 };
typedef struct BlockMatrix {
    int body_capacity, block_capacity;
    int bodies, blocks;    // blocks below the diagonal
    double *diagonal;      // by place
    double *block;         // by block
    int32_t *place;        // by body: its place in the order of elimination
    int32_t *first;        // by place, and one more: the first block of its column
    int32_t *row;          // by block: the place of its row, ascending in a column
    int32_t *degree;       // scratch of the ordering
    uint64_t *neighbours;  // a bit for every two bodies: scratch of the ordering
} BlockMatrix;
// Takes the arrays.
void block_take(BlockMatrix *matrix, int body_capacity, int block_capacity, Arena *arena);
// Orders the bodies of a problem and finds the pattern of the factor. False: it has more blocks
// than there is room for.
bool block_order(BlockMatrix *matrix, const Problem *problem);
void block_clear(BlockMatrix *matrix);
// Adds a 6x6 block at (a, b) and its transpose at (b, a); a and b are two bodies that a row joins,
// or one body.
void block_add(BlockMatrix *matrix, int a, int b, const double *values);
// Replaces the matrix by its Cholesky factor. False: it is not positive definite.
bool block_factor(BlockMatrix *matrix);
// Solves with the factor, in place; x has six numbers a body.
void block_solve(const BlockMatrix *matrix, double *x, double *spare);
// The number of the block at a row and a column (places, row > column), by bisection.
int block_find(const BlockMatrix *matrix, int row, int column);

// --- block_lu.c: the same pattern with values that are not symmetric -----------------------------
typedef struct BlockLu {
    BlockMatrix lower;  // diagonal and lower triangle
    double *upper;      // by block: that above the diagonal, at its row's and column's places
                        // exchanged
} BlockLu;
void block_lu_take(BlockLu *lu, int body_capacity, int block_capacity, Arena *arena);
void block_lu_clear(BlockLu *lu);
// Adds a 6x6 block at (a, b).
void block_lu_add(BlockLu *lu, int a, int b, const double *values);
// Replaces the matrix by its factors. False: a pivot block is singular.
bool block_lu_factor(BlockLu *lu);
void block_lu_solve(const BlockLu *lu, double *x, double *spare);
