// lcp.h -- the linear complementarity problem, Lemke's method for it, and dense linear systems.
//
// Cottle, Pang & Stone 1992, section 4.4; docs/theory/complementarity-solvers.md, sections 1 and 2.
// Nothing here knows a contact.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "base/base.h"
#include "num/num.h"

typedef enum LcpEnd {
    LCP_SOLVED,      // the residual is at most LCP_RESIDUAL
    LCP_INACCURATE,  // the path came to z0 = 0, or near, but by rounding to no solution
    LCP_RAY,         // the path ended in a ray: there may be no solution
    LCP_PIVOTS       // more pivots than allowed
} LcpEnd;
// 1, scaled: of a solution
#define LCP_RESIDUAL 1e-9

typedef struct LcpReport {
    LcpEnd end;
    int pivots;
    double residual;  // 1: max_i |min(z_i, w_i)| of the answer, scaled; w from M and q
} LcpReport;

// Solves w = M z + q, w >= 0, z >= 0, z.w = 0. M by rows, n x n, dense. z: out; what it had before
// is ignored. max_pivots, of one path; 0: its own bound. (lemke.c)
LcpReport lcp_lemke(int n, const double *M, const double *q, double *z, int max_pivots,
                    Arena scratch);
size_t lcp_lemke_scratch(int n);

// --- dense_lu.c: n x n by rows, pivots by rows ---------------------------------------------------
// Place of an entry of a matrix by rows.
static inline size_t dense_at(int width, int row, int column) {
    return (size_t)row * (size_t)width + (size_t)column;
}
// Replaces the matrix by its factors; order has n numbers. False: a pivot is zero or no number.
bool dense_factor(int n, double *matrix, int32_t *order);
// Solves with the factors, in place.
void dense_solve(int n, const double *factors, const int32_t *order, double *x);
