// cholesky.c -- Cholesky factor of a sparse symmetric matrix of 6x6 blocks, one row of blocks a
// body.
//
// The matrices are those of Newton's method for a contact problem: two bodies have a block if a row
// joins them. Order of elimination by minimum degree (Tinney & Walker 1967); of equal degrees the
// lowest body, so that the order is a function of the pattern. Right-looking factor: once a column
// is done, its products are taken from the columns of its rows (George & Liu 1981, chapter 5).
//
// SPDX-License-Identifier: MIT
#include "solve/solvers.h"

#include <string.h>

enum { SIX = 6, WORD = 64 };

// Words of a row of `neighbours`.
static int words_of(int bodies) { return (bodies + WORD - 1) / WORD; }

void block_take(BlockMatrix *matrix, int body_capacity, int block_capacity, Arena *arena) {
    size_t bits = (size_t)body_capacity * (size_t)words_of(body_capacity);
    *matrix = (BlockMatrix){ .body_capacity = body_capacity, .block_capacity = block_capacity };
    matrix->diagonal = TAKE(arena, double, BLOCK *(size_t)body_capacity);
    matrix->block = TAKE(arena, double, BLOCK *(size_t)block_capacity);
    matrix->place = TAKE(arena, int32_t, body_capacity);
    matrix->first = TAKE(arena, int32_t, body_capacity + 1);
    matrix->row = TAKE(arena, int32_t, block_capacity);
    matrix->degree = TAKE(arena, int32_t, body_capacity);
    matrix->neighbours = TAKE(arena, uint64_t, bits);
}

// --- order and pattern ---------------------------------------------------------------------------

static void join(BlockMatrix *matrix, int words, int a, int b) {
    if (a < 0 || b < 0 || a == b) return;
    matrix->neighbours[(size_t)a * (size_t)words + (size_t)(b / WORD)] |= 1ull << (b % WORD);
    matrix->neighbours[(size_t)b * (size_t)words + (size_t)(a / WORD)] |= 1ull << (a % WORD);
}

static int count_bits(const uint64_t *row, int words) {
    int count = 0;
    for (int i = 0; i < words; i++) {
        for (uint64_t rest = row[i]; rest; rest &= rest - 1) {
            count++;
        }
    }
    return count;
}

// The body of minimum degree among those not yet eliminated (place < 0).
static int least_degree(const BlockMatrix *matrix) {
    int best = -1;
    for (int i = 0; i < matrix->bodies; i++) {
        if (matrix->place[i] >= 0) continue;
        if (best < 0 || matrix->degree[i] < matrix->degree[best]) {
            best = i;
        }
    }
    return best;
}

// Joins all neighbours of a body with each other, takes the body out of their rows, and lists them
// as the rows of its column. False: no room for the blocks.
static bool eliminate(BlockMatrix *matrix, int words, int body) {
    const uint64_t *own = matrix->neighbours + (size_t)body * (size_t)words;
    for (int i = 0; i < matrix->bodies; i++) {
        if (!(own[i / WORD] >> (i % WORD) & 1)) continue;
        if (matrix->blocks == matrix->block_capacity) return false;
        matrix->row[matrix->blocks++] = i;
        uint64_t *other = matrix->neighbours + (size_t)i * (size_t)words;
        for (int k = 0; k < words; k++) {
            other[k] |= own[k];
        }
        other[i / WORD] &= ~(1ull << (i % WORD));
        other[body / WORD] &= ~(1ull << (body % WORD));
        matrix->degree[i] = count_bits(other, words);
    }
    return true;
}

// Rows are listed as bodies while places are being given: turns them into places, ascending.
static void sort_rows(BlockMatrix *matrix) {
    for (int j = 0; j < matrix->bodies; j++) {
        int first = matrix->first[j];
        for (int i = first; i < matrix->first[j + 1]; i++) {
            int32_t place = matrix->place[matrix->row[i]];
            int at = i;
            for (; at > first && matrix->row[at - 1] > place; at--) {
                matrix->row[at] = matrix->row[at - 1];
            }
            matrix->row[at] = place;
        }
    }
}

bool block_order(BlockMatrix *matrix, const Problem *problem) {
    int bodies = problem->body_count;
    if (bodies > matrix->body_capacity) return false;
    int words = words_of(bodies);
    matrix->bodies = bodies;
    matrix->blocks = 0;
    memset(matrix->neighbours, 0, sizeof(uint64_t) * (size_t)bodies * (size_t)words);
    for (int i = 0; i < problem->contact_count; i++) {
        join(matrix, words, problem->contact[i].a, problem->contact[i].b);
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        join(matrix, words, problem->bilateral[i].a, problem->bilateral[i].b);
    }
    for (int i = 0; i < bodies; i++) {
        matrix->place[i] = -1;
        matrix->degree[i] = count_bits(matrix->neighbours + (size_t)i * (size_t)words, words);
    }
    for (int j = 0; j < bodies; j++) {
        int body = least_degree(matrix);
        matrix->first[j] = matrix->blocks;
        if (!eliminate(matrix, words, body)) return false;
        matrix->place[body] = j;
    }
    matrix->first[bodies] = matrix->blocks;
    sort_rows(matrix);
    return true;
}

// --- values --------------------------------------------------------------------------------------

void block_clear(BlockMatrix *matrix) {
    memset(matrix->diagonal, 0, sizeof(double) * BLOCK * (size_t)matrix->bodies);
    memset(matrix->block, 0, sizeof(double) * BLOCK * (size_t)matrix->blocks);
}

int block_find(const BlockMatrix *matrix, int row, int column) {
    int low = matrix->first[column];
    int high = matrix->first[column + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (matrix->row[middle] < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void block_add(BlockMatrix *matrix, int a, int b, const double *values) {
    int row = matrix->place[a];
    int column = matrix->place[b];
    if (row >= column) {
        double *to = row == column
                         ? matrix->diagonal + (size_t)row * BLOCK
                         : matrix->block + (size_t)block_find(matrix, row, column) * BLOCK;
        for (int i = 0; i < BLOCK; i++) {
            to[i] += values[i];
        }
        return;
    }
    double *to = matrix->block + (size_t)block_find(matrix, column, row) * BLOCK;
    for (int i = 0; i < SIX; i++) {
        for (int j = 0; j < SIX; j++) {
            to[SIX * j + i] += values[SIX * i + j];
        }
    }
}

// --- factor --------------------------------------------------------------------------------------

// Cholesky factor L of a 6x6 block, in its lower triangle.
static bool factor_diagonal(double *d) {
    for (int j = 0; j < SIX; j++) {
        for (int i = j; i < SIX; i++) {
            double sum = d[SIX * i + j];
            for (int k = 0; k < j; k++) {
                sum -= d[SIX * i + k] * d[SIX * j + k];
            }
            if (i > j) {
                d[SIX * i + j] = sum / d[SIX * j + j];
            } else if (sum > 0) {
                d[SIX * j + j] = sqrt(sum);
            } else {
                return false;
            }
        }
    }
    return true;
}

// B := B L^-T, for the factor L of the diagonal block of the column.
static void divide_by_diagonal(double *b, const double *l) {
    for (int i = 0; i < SIX; i++) {
        for (int j = 0; j < SIX; j++) {
            double sum = b[SIX * i + j];
            for (int k = 0; k < j; k++) {
                sum -= b[SIX * i + k] * l[SIX * j + k];
            }
            b[SIX * i + j] = sum / l[SIX * j + j];
        }
    }
}

// C := C - A B^T.
static void subtract_product(double *restrict c, const double *restrict a,
                             const double *restrict b) {
    double transposed[BLOCK];
    for (int i = 0; i < SIX; i++) {
        for (int j = 0; j < SIX; j++) {
            transposed[SIX * j + i] = b[SIX * i + j];
        }
    }
    for (int i = 0; i < SIX; i++) {
        for (int k = 0; k < SIX; k++) {
            double factor = a[SIX * i + k];
            for (int j = 0; j < SIX; j++) {
                c[SIX * i + j] -= factor * transposed[SIX * k + j];
            }
        }
    }
}

// Subtracts the products of a finished column from the columns of its rows. The rows of the column
// below a row are among those of that row's column, in the same order.
static void update_later(BlockMatrix *matrix, int column) {
    int end = matrix->first[column + 1];
    for (int k = matrix->first[column]; k < end; k++) {
        int target = matrix->row[k];
        const double *l_k = matrix->block + (size_t)k * BLOCK;
        subtract_product(matrix->diagonal + (size_t)target * BLOCK, l_k, l_k);
        int at = matrix->first[target];
        for (int i = k + 1; i < end; i++) {
            while (matrix->row[at] < matrix->row[i]) {
                at++;
            }
            subtract_product(matrix->block + (size_t)at * BLOCK, matrix->block + (size_t)i * BLOCK,
                             l_k);
        }
    }
}

bool block_factor(BlockMatrix *matrix) {
    for (int j = 0; j < matrix->bodies; j++) {
        double *diagonal = matrix->diagonal + (size_t)j * BLOCK;
        if (!factor_diagonal(diagonal)) return false;
        for (int i = matrix->first[j]; i < matrix->first[j + 1]; i++) {
            divide_by_diagonal(matrix->block + (size_t)i * BLOCK, diagonal);
        }
        update_later(matrix, j);
    }
    return true;
}

// --- solve ---------------------------------------------------------------------------------------

// x := L^-1 x for a diagonal block.
static void forward_diagonal(const double *l, double *x) {
    for (int i = 0; i < SIX; i++) {
        for (int k = 0; k < i; k++) {
            x[i] -= l[SIX * i + k] * x[k];
        }
        x[i] /= l[SIX * i + i];
    }
}

// x := L^-T x for a diagonal block.
static void backward_diagonal(const double *l, double *x) {
    for (int i = SIX - 1; i >= 0; i--) {
        for (int k = i + 1; k < SIX; k++) {
            x[i] -= l[SIX * k + i] * x[k];
        }
        x[i] /= l[SIX * i + i];
    }
}

void block_solve(const BlockMatrix *matrix, double *x, double *spare) {
    int bodies = matrix->bodies;
    for (int i = 0; i < bodies; i++) {
        memcpy(spare + (size_t)matrix->place[i] * SIX, x + (size_t)i * SIX, sizeof(double) * SIX);
    }
    for (int j = 0; j < bodies; j++) {
        double *xj = spare + (size_t)j * SIX;
        forward_diagonal(matrix->diagonal + (size_t)j * BLOCK, xj);
        for (int i = matrix->first[j]; i < matrix->first[j + 1]; i++) {
            const double *b = matrix->block + (size_t)i * BLOCK;
            double *xi = spare + (size_t)matrix->row[i] * SIX;
            for (int r = 0; r < SIX; r++) {
                for (int c = 0; c < SIX; c++) {
                    xi[r] -= b[SIX * r + c] * xj[c];
                }
            }
        }
    }
    for (int j = bodies - 1; j >= 0; j--) {
        double *xj = spare + (size_t)j * SIX;
        for (int i = matrix->first[j]; i < matrix->first[j + 1]; i++) {
            const double *b = matrix->block + (size_t)i * BLOCK;
            const double *xi = spare + (size_t)matrix->row[i] * SIX;
            for (int r = 0; r < SIX; r++) {
                for (int c = 0; c < SIX; c++) {
                    xj[c] -= b[SIX * r + c] * xi[r];
                }
            }
        }
        backward_diagonal(matrix->diagonal + (size_t)j * BLOCK, xj);
    }
    for (int i = 0; i < bodies; i++) {
        memcpy(x + (size_t)i * SIX, spare + (size_t)matrix->place[i] * SIX, sizeof(double) * SIX);
    }
}
