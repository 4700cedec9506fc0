// block_lu.c -- LU factor of a sparse matrix of 6x6 blocks whose pattern is symmetric and whose
// values are not, in the order and pattern of cholesky.c.
//
// Right-looking, by columns; no pivots are sought between blocks, for the masses of the bodies make
// the diagonal strong (George & Liu 1981, chapter 5).
//
// SPDX-License-Identifier: MIT
#include "solve/solvers.h"

#include <string.h>

enum { SIX = 6 };

void block_lu_take(BlockLu *lu, int body_capacity, int block_capacity, Arena *arena) {
    block_take(&lu->lower, body_capacity, block_capacity, arena);
    lu->upper = TAKE(arena, double, BLOCK *(size_t)block_capacity);
}

void block_lu_clear(BlockLu *lu) {
    block_clear(&lu->lower);
    memset(lu->upper, 0, sizeof(double) * BLOCK * (size_t)lu->lower.blocks);
}

void block_lu_add(BlockLu *lu, int a, int b, const double *values) {
    const BlockMatrix *m = &lu->lower;
    int row = m->place[a];
    int column = m->place[b];
    double *to;
    if (row == column) {
        to = m->diagonal + (size_t)row * BLOCK;
    } else if (row > column) {
        to = m->block + (size_t)block_find(m, row, column) * BLOCK;
    } else {
        to = lu->upper + (size_t)block_find(m, column, row) * BLOCK;
    }
    for (int i = 0; i < BLOCK; i++) {
        to[i] += values[i];
    }
}

// Replaces a block by its inverse, with pivots within the block. False: it is singular.
static bool invert(double *d) {
    double work[SIX][2 * SIX];
    for (int i = 0; i < SIX; i++) {
        for (int j = 0; j < SIX; j++) {
            work[i][j] = d[SIX * i + j];
            work[i][SIX + j] = i == j;
        }
    }
    for (int k = 0; k < SIX; k++) {
        int pivot = k;
        for (int i = k + 1; i < SIX; i++) {
            if (fabs(work[i][k]) > fabs(work[pivot][k])) {
                pivot = i;
            }
        }
        if (work[pivot][k] == 0) return false;
        for (int j = 0; j < 2 * SIX; j++) {
            double kept = work[k][j];
            work[k][j] = work[pivot][j];
            work[pivot][j] = kept;
        }
        double inverse = 1 / work[k][k];
        for (int j = k; j < 2 * SIX; j++) {
            work[k][j] *= inverse;
        }
        for (int i = 0; i < SIX; i++) {
            double factor = work[i][k];
            if (i == k || factor == 0) continue;
            for (int j = k; j < 2 * SIX; j++) {
                work[i][j] -= factor * work[k][j];
            }
        }
    }
    for (int i = 0; i < SIX; i++) {
        memcpy(d + SIX * i, work[i] + SIX, sizeof(double) * SIX);
    }
    return true;
}

// c := a b, and c := c - a b.
static void product(double *restrict c, const double *restrict a, const double *restrict b) {
    for (int i = 0; i < SIX; i++) {
        double sum[SIX] = { 0 };
        for (int k = 0; k < SIX; k++) {
            double factor = a[SIX * i + k];
            for (int j = 0; j < SIX; j++) {
                sum[j] += factor * b[SIX * k + j];
            }
        }
        memcpy(c + SIX * i, sum, sizeof sum);
    }
}
static void subtract_product(double *restrict c, const double *restrict a,
                             const double *restrict b) {
    for (int i = 0; i < SIX; i++) {
        for (int k = 0; k < SIX; k++) {
            double factor = a[SIX * i + k];
            for (int j = 0; j < SIX; j++) {
                c[SIX * i + j] -= factor * b[SIX * k + j];
            }
        }
    }
}

// Subtracts the products of a finished column and row from what comes later. Rows of the column
// below a row are among those of that row's column, in the same order.
static void update_later(BlockLu *lu, int column) {
    const BlockMatrix *m = &lu->lower;
    int end = m->first[column + 1];
    for (int k = m->first[column]; k < end; k++) {
        int target = m->row[k];
        const double *l_k = m->block + (size_t)k * BLOCK;
        const double *u_k = lu->upper + (size_t)k * BLOCK;
        subtract_product(m->diagonal + (size_t)target * BLOCK, l_k, u_k);
        int at = m->first[target];
        for (int i = k + 1; i < end; i++) {
            while (m->row[at] < m->row[i]) {
                at++;
            }
            subtract_product(m->block + (size_t)at * BLOCK, m->block + (size_t)i * BLOCK, u_k);
            subtract_product(lu->upper + (size_t)at * BLOCK, l_k, lu->upper + (size_t)i * BLOCK);
        }
    }
}

bool block_lu_factor(BlockLu *lu) {
    const BlockMatrix *m = &lu->lower;
    for (int j = 0; j < m->bodies; j++) {
        double *inverse = m->diagonal + (size_t)j * BLOCK;
        if (!invert(inverse)) return false;
        for (int i = m->first[j]; i < m->first[j + 1]; i++) {
            double divided[BLOCK];
            double *l = m->block + (size_t)i * BLOCK;
            product(divided, l, inverse);
            memcpy(l, divided, sizeof divided);
        }
        update_later(lu, j);
    }
    return true;
}

// y := y - a x.
static void subtract_times(double *y, const double *a, const double *x) {
    for (int i = 0; i < SIX; i++) {
        for (int j = 0; j < SIX; j++) {
            y[i] -= a[SIX * i + j] * x[j];
        }
    }
}

void block_lu_solve(const BlockLu *lu, double *x, double *spare) {
    const BlockMatrix *m = &lu->lower;
    for (int i = 0; i < m->bodies; i++) {
        memcpy(spare + (size_t)m->place[i] * SIX, x + (size_t)i * SIX, sizeof(double) * SIX);
    }
    for (int j = 0; j < m->bodies; j++) {
        for (int i = m->first[j]; i < m->first[j + 1]; i++) {
            subtract_times(spare + (size_t)m->row[i] * SIX, m->block + (size_t)i * BLOCK,
                           spare + (size_t)j * SIX);
        }
    }
    for (int j = m->bodies - 1; j >= 0; j--) {
        double *xj = spare + (size_t)j * SIX;
        double right[SIX];
        for (int i = m->first[j]; i < m->first[j + 1]; i++) {
            subtract_times(xj, lu->upper + (size_t)i * BLOCK, spare + (size_t)m->row[i] * SIX);
        }
        const double *inverse = m->diagonal + (size_t)j * BLOCK;
        for (int r = 0; r < SIX; r++) {
            right[r] = 0;
            for (int c = 0; c < SIX; c++) {
                right[r] += inverse[SIX * r + c] * xj[c];
            }
        }
        memcpy(xj, right, sizeof right);
    }
    for (int i = 0; i < m->bodies; i++) {
        memcpy(x + (size_t)i * SIX, spare + (size_t)m->place[i] * SIX, sizeof(double) * SIX);
    }
}
