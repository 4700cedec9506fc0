// block_lu.c -- the sparse factors of 6x6 blocks, with values that are symmetric and with such that
// are not, against elimination in a dense matrix.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "solve/solvers.h"

enum { SIX = 6, MOST = 24, ROOM = 400 };

static double dense[SIX * MOST][SIX * MOST];
static ContactRow rows[ROOM];
static BilateralRow bilaterals[ROOM];
static Problem problem = { .contact = rows, .bilateral = bilaterals };

static uint64_t seed, drawn;
static double draw(double low, double high) {
    return low + (high - low) * num_uniform(seed, 13, drawn++);
}

// --- patterns ------------------------------------------------------------------------------------

static void add_pair(int a, int b) {
    if (a == b) return;
    if (problem.contact_count % 3 == 2) {
        bilaterals[problem.bilateral_count++] = (BilateralRow){ .a = a, .b = b };
    } else {
        rows[problem.contact_count++] = (ContactRow){ .a = a, .b = b };
    }
}

// A chain, a ring, a star, all with all, or pairs at random; some with the ground.
static void set_pattern(int kind, int bodies) {
    problem.body_count = bodies;
    problem.contact_count = problem.bilateral_count = 0;
    for (int i = 0; i < bodies; i++) {
        int next = (i + 1) % bodies;
        rows[problem.contact_count++] = (ContactRow){ .a = i, .b = -1 };
        switch (kind) {
        case 0: add_pair(i, next ? next : -1); break;
        case 1: add_pair(next, i); break;
        case 2: add_pair(i, bodies / 2); break;
        case 3:
            for (int j = 0; j < i; j++) {
                add_pair(i, j);
            }
            break;
        default:
            for (int j = 0; j < 2; j++) {
                add_pair(i, (int)draw(0, bodies));
            }
        }
    }
}

// --- matrices ------------------------------------------------------------------------------------

static void add_dense(int a, int b, const double *block) {
    for (int i = 0; i < SIX; i++) {
        for (int j = 0; j < SIX; j++) {
            dense[SIX * a + i][SIX * b + j] += block[SIX * i + j];
        }
    }
}

static void draw_block(double *block, double size) {
    for (int i = 0; i < BLOCK; i++) {
        block[i] = draw(-size, size);
    }
}

// Solves with the dense matrix, with pivots.
static void eliminate(double *x, int n) {
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++) {
            pivot = fabs(dense[i][k]) > fabs(dense[pivot][k]) ? i : pivot;
        }
        for (int j = 0; j < n; j++) {
            double kept = dense[k][j];
            dense[k][j] = dense[pivot][j];
            dense[pivot][j] = kept;
        }
        double kept = x[k];
        x[k] = x[pivot];
        x[pivot] = kept;
        for (int i = k + 1; i < n; i++) {
            double factor = dense[i][k] / dense[k][k];
            for (int j = k; j < n; j++) {
                dense[i][j] -= factor * dense[k][j];
            }
            x[i] -= factor * x[k];
        }
    }
    for (int k = n; k-- > 0;) {
        for (int j = k + 1; j < n; j++) {
            x[k] -= dense[k][j] * x[j];
        }
        x[k] /= dense[k][k];
    }
}

static void *memory;
static bool full;
static Arena arena(void) {
    enum { SIZE = 4 << 20 };
    free(memory);
    memory = aligned_alloc(CACHE_LINE, SIZE);
    assert_non_null(memory);
    memset(memory, 0xa5, SIZE);
    full = false;
    return (Arena){ memory, 0, SIZE, &full };
}

static void compare(const double *found, const double *expected, int n) {
    double largest = 0;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(expected[i]));
    }
    for (int i = 0; i < n; i++) {
        NEAR(found[i] / largest, expected[i] / largest, 1e-11);
    }
}

static void check_lu(int kind, int bodies) {
    double block[BLOCK], x[SIX * MOST], y[SIX * MOST], spare[SIX * MOST];
    Arena memory_of_lu = arena();
    BlockLu lu;
    set_pattern(kind, bodies);
    block_lu_take(&lu, MOST, ROOM, &memory_of_lu);
    assert_false(full);
    assert_true(block_order(&lu.lower, &problem));
    block_lu_clear(&lu);
    memset(dense, 0, sizeof dense);
    for (int i = 0; i < bodies; i++) {
        // the diagonal is strong, as that of masses is
        draw_block(block, 1);
        for (int k = 0; k < SIX; k++) {
            block[SIX * k + k] += draw(1, 2) * 4 * bodies;
        }
        block_lu_add(&lu, i, i, block);
        add_dense(i, i, block);
    }
    for (int i = 0; i < problem.contact_count + problem.bilateral_count; i++) {
        const bool of_contact = i < problem.contact_count;
        int a = of_contact ? rows[i].a : bilaterals[i - problem.contact_count].a;
        int b = of_contact ? rows[i].b : bilaterals[i - problem.contact_count].b;
        if (a < 0 || b < 0) continue;
        draw_block(block, 1);
        block_lu_add(&lu, a, b, block);
        add_dense(a, b, block);
        draw_block(block, 1);
        block_lu_add(&lu, b, a, block);
        add_dense(b, a, block);
    }
    for (int i = 0; i < SIX * bodies; i++) {
        x[i] = y[i] = draw(-1, 1);
    }
    assert_true(block_lu_factor(&lu));
    block_lu_solve(&lu, x, spare);
    eliminate(y, SIX * bodies);
    compare(x, y, SIX * bodies);
}

static void lu_factors_solve(void **state) {
    (void)state;
    for (seed = 1; seed <= 12; seed++) {
        drawn = 0;
        for (int kind = 0; kind < 5; kind++) {
            check_lu(kind, 1);
            check_lu(kind, 2);
            check_lu(kind, 5);
            check_lu(kind, seed < 4 ? MOST : 11);
        }
    }
}

// Symmetric: a sum of J^T J, with some mass on the diagonal.
static void check_cholesky(int kind, int bodies) {
    double x[SIX * MOST], y[SIX * MOST], spare[SIX * MOST];
    Arena memory_of_matrix = arena();
    BlockMatrix matrix;
    set_pattern(kind, bodies);
    block_take(&matrix, MOST, ROOM, &memory_of_matrix);
    assert_false(full);
    assert_true(block_order(&matrix, &problem));
    block_clear(&matrix);
    memset(dense, 0, sizeof dense);
    for (int i = 0; i < bodies; i++) {
        double block[BLOCK] = { 0 };
        for (int k = 0; k < SIX; k++) {
            block[SIX * k + k] = draw(0.5, 2);
        }
        block_add(&matrix, i, i, block);
        add_dense(i, i, block);
    }
    for (int i = 0; i < problem.contact_count; i++) {
        const int end[2] = { rows[i].a, rows[i].b };
        double j[2][SIX];
        for (int k = 0; k < SIX; k++) {
            j[0][k] = draw(-3, 3);
            j[1][k] = draw(-3, 3);
        }
        for (int p = 0; p < 2; p++) {
            for (int q = 0; q <= p; q++) {
                double block[BLOCK], turned[BLOCK];
                if (end[p] < 0 || end[q] < 0) continue;
                for (int k = 0; k < BLOCK; k++) {
                    block[k] = j[p][k / SIX] * j[q][k % SIX];
                    turned[k] = j[q][k / SIX] * j[p][k % SIX];
                }
                block_add(&matrix, end[p], end[q], block);
                add_dense(end[p], end[q], block);
                if (p == q) continue;
                add_dense(end[q], end[p], turned);
            }
        }
    }
    for (int i = 0; i < SIX * bodies; i++) {
        x[i] = y[i] = draw(-1, 1);
    }
    assert_true(block_factor(&matrix));
    block_solve(&matrix, x, spare);
    eliminate(y, SIX * bodies);
    compare(x, y, SIX * bodies);
}

static void cholesky_factors_solve(void **state) {
    (void)state;
    for (seed = 21; seed <= 32; seed++) {
        drawn = 0;
        for (int kind = 0; kind < 5; kind++) {
            check_cholesky(kind, 1);
            check_cholesky(kind, 2);
            check_cholesky(kind, 7);
            check_cholesky(kind, seed < 24 ? MOST : 12);
        }
    }
}

// A chain fills in nothing, in whatever order its bodies are; all with all need every block.
static void the_order_saves_blocks(void **state) {
    (void)state;
    Arena memory_of_matrix = arena();
    BlockMatrix matrix;
    block_take(&matrix, MOST, ROOM, &memory_of_matrix);
    set_pattern(0, MOST);
    assert_true(block_order(&matrix, &problem));
    assert_int_equal(matrix.blocks, MOST - 1);
    set_pattern(2, MOST);
    assert_true(block_order(&matrix, &problem));
    assert_int_equal(matrix.blocks, MOST - 1);
    set_pattern(1, MOST);
    assert_true(block_order(&matrix, &problem));
    assert_int_equal(matrix.blocks, 2 * MOST - 3);
    set_pattern(3, MOST);
    assert_true(block_order(&matrix, &problem));
    assert_int_equal(matrix.blocks, MOST * (MOST - 1) / 2);

    // no room: refused
    BlockMatrix small;
    block_take(&small, MOST, MOST - 2, &memory_of_matrix);
    set_pattern(0, MOST);
    assert_false(block_order(&small, &problem));
}

static void what_cannot_be_factored_is_refused(void **state) {
    (void)state;
    Arena memory_of_lu = arena();
    BlockLu lu;
    double block[BLOCK] = { 0 };
    set_pattern(0, 2);
    block_lu_take(&lu, MOST, ROOM, &memory_of_lu);
    assert_true(block_order(&lu.lower, &problem));
    block_lu_clear(&lu);
    block_lu_add(&lu, 0, 0, block);
    assert_false(block_lu_factor(&lu));
    for (int k = 0; k < SIX; k++) {
        block[SIX * k + k] = k == 4 ? -1 : 1;
    }
    block_clear(&lu.lower);
    block_add(&lu.lower, 0, 0, block);
    block_add(&lu.lower, 1, 1, block);
    assert_false(block_factor(&lu.lower));
    block_lu_clear(&lu);
    block_lu_add(&lu, 0, 0, block);
    block_lu_add(&lu, 1, 1, block);
    assert_true(block_lu_factor(&lu));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lu_factors_solve),
        cmocka_unit_test(cholesky_factors_solve),
        cmocka_unit_test(the_order_saves_blocks),
        cmocka_unit_test(what_cannot_be_factored_is_refused),
    };
    int failed = RUN(tests);
    free(memory);
    return failed;
}
