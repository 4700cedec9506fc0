// lemke.c -- linear complementarity problems without any contact in them: Lemke's method against
// enumeration of all bases, ties that make other rules cycle, scales, rays.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "solve/lcp.h"

enum { MOST = 70, MOST_ENUMERATED = 12 };

static double matrix[MOST * MOST], constant[MOST], answer[MOST];
static int size;
static char memory[1 << 20];

static LcpReport solve(int max_pivots) {
    static char *aligned;
    static bool full;
    if (!aligned) {
        uintptr_t start = (uintptr_t)memory;
        aligned = memory + (CACHE_LINE - start % CACHE_LINE) % CACHE_LINE;
    }
    size_t bytes = lcp_lemke_scratch(size);
    assert_true(bytes + CACHE_LINE <= sizeof memory);
    memset(aligned, 0xa5, bytes);
    full = false;
    Arena scratch = { aligned, 0, bytes, &full };
    LcpReport report = lcp_lemke(size, matrix, constant, answer, max_pivots, scratch);
    assert_false(full);
    return report;
}

static double entry(int i, int j) { return matrix[i * size + j]; }

static void set(int n, const double *m, const double *q) {
    size = n;
    memcpy(matrix, m, (size_t)n * (size_t)n * sizeof *m);
    memcpy(constant, q, (size_t)n * sizeof *q);
}

static double w_of(int i, const double *z) {
    double sum = constant[i];
    for (int j = 0; j < size; j++) {
        sum += entry(i, j) * z[j];
    }
    return sum;
}

// max_i |min(z_i, w_i)| of the problem as it was given.
static double residual(const double *z) {
    double most = 0;
    for (int i = 0; i < size; i++) {
        most = fmax(most, fabs(fmin(z[i], w_of(i, z))));
    }
    return most;
}

static double largest_of(const double *z) {
    double most = 1;
    for (int i = 0; i < size; i++) {
        most = fmax(most, fabs(z[i]));
    }
    return most;
}

// --- the oracle: all bases, one after the other --------------------------------------------------

// z of a basis: the set bits are the z that may be positive. False: it is singular (z is then noise
// of some 1e16), or z or w is negative.
static bool basis_answer(uint32_t basis, double *z) {
    double system[MOST_ENUMERATED * MOST_ENUMERATED], x[MOST_ENUMERATED];
    int index[MOST_ENUMERATED];
    int32_t order[MOST_ENUMERATED];
    int count = 0;
    for (int i = 0; i < size; i++) {
        z[i] = 0;
        if (basis >> i & 1) {
            index[count++] = i;
        }
    }
    for (int i = 0; i < count; i++) {
        x[i] = -constant[index[i]];
        for (int j = 0; j < count; j++) {
            system[i * count + j] = entry(index[i], index[j]);
        }
    }
    if (!dense_factor(count, system, order)) return false;
    dense_solve(count, system, order, x);
    for (int i = 0; i < count; i++) {
        z[index[i]] = x[i];
    }
    double rounding = 1e-9 * largest_of(z);
    for (int i = 0; i < size; i++) {
        if (!(fabs(z[i]) < 1e9)) return false;
        if (!(z[i] >= -rounding) || !(w_of(i, z) >= -rounding)) return false;
    }
    return true;
}

// How many bases give a solution; the distance of z from the nearest of them.
static int enumerate(const double *z, double *nearest_distance) {
    int count = 0;
    *nearest_distance = HUGE_VAL;
    for (uint32_t basis = 0; basis < 1u << size; basis++) {
        double found[MOST_ENUMERATED];
        if (!basis_answer(basis, found)) continue;
        count++;
        double distance = 0;
        for (int i = 0; i < size; i++) {
            distance = fmax(distance, fabs(found[i] - z[i]));
        }
        *nearest_distance = fmin(*nearest_distance, distance);
    }
    return count;
}

// --- random problems -----------------------------------------------------------------------------

static uint64_t seed, next_draw;
static double draw(double low, double high) {
    return low + (high - low) * num_uniform(seed, 21, next_draw++);
}

// A A^T with A of `columns` columns.
static void build_symmetric(uint64_t s, int n, int columns) {
    double a[MOST * MOST];
    seed = s;
    next_draw = 0;
    size = n;
    for (int i = 0; i < n * columns; i++) {
        a[i] = draw(-1, 1);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < columns; k++) {
                sum += a[i * columns + k] * a[j * columns + k];
            }
            matrix[i * n + j] = sum;
        }
        constant[i] = draw(-1, 1);
    }
}

// Contacts of one body with friction in two directions each: copositive, and q such that a solution
// exists (the columns of the body's velocities).
static void build_friction(uint64_t s, int contacts, bool with_gap) {
    double a[MOST][3];
    seed = s;
    next_draw = 0;
    size = 4 * contacts;
    memset(matrix, 0, sizeof matrix);
    double v[3] = { draw(-1, 1), draw(-1, 1), draw(-1, 1) };
    for (int c = 0; c < contacts; c++) {
        for (int k = 0; k < 3; k++) {
            a[4 * c][k] = draw(-1, 1);
            a[4 * c + 1][k] = draw(-1, 1);
            a[4 * c + 2][k] = -a[4 * c + 1][k];
            a[4 * c + 3][k] = 0;
        }
    }
    for (int i = 0; i < size; i++) {
        constant[i] = a[i][0] * v[0] + a[i][1] * v[1] + a[i][2] * v[2];
        for (int j = 0; j < size; j++) {
            matrix[i * size + j] = a[i][0] * a[j][0] + a[i][1] * a[j][1] + a[i][2] * a[j][2];
        }
    }
    for (int c = 0; c < contacts; c++) {
        double mu = draw(0, 1);
        matrix[(4 * c + 3) * size + 4 * c] = mu;
        constant[4 * c] += with_gap ? draw(0, 0.3) : 0;
        for (int k = 1; k <= 2; k++) {
            matrix[(4 * c + 3) * size + 4 * c + k] = -1;
            matrix[(4 * c + k) * size + 4 * c + 3] = 1;
        }
    }
}

static void definite_equal_to_enumeration(void **state) {
    (void)state;
    for (uint64_t s = 1; s <= 300; s++) {
        double distance;
        int n = 1 + (int)(s % 10);
        build_symmetric(s, n, n + 2);
        assert_int_equal(solve(0).end, LCP_SOLVED);
        assert_int_equal(enumerate(answer, &distance), 1);
        NEAR(distance, 0, 1e-9);
    }
}

// Positive semidefinite matrices are copositive-plus: Lemke's method solves the problem if and only
// if it has a solution.
static void semidefinite_solved_where_solvable(void **state) {
    (void)state;
    int solvable = 0;
    for (uint64_t s = 1; s <= 300; s++) {
        double distance;
        int n = 2 + (int)(s % 9);
        build_symmetric(s, n, 1 + (int)(s % 4));
        LcpReport report = solve(0);
        int solutions = enumerate(answer, &distance);
        if (!solutions) {
            assert_true(report.end == LCP_RAY);
            continue;
        }
        // an answer of 1e8 has rounding of 1e-8
        bool accurate = largest_of(answer) < 1e6;
        assert_int_equal(report.end, accurate ? LCP_SOLVED : LCP_INACCURATE);
        solvable++;
        NEAR(residual(answer), 0, 1e-10 * largest_of(answer));
        NEAR(distance, 0, 1e-8 * largest_of(answer));
    }
    assert_in_range(solvable, 50, 250);
}

static void friction_equal_to_enumeration(void **state) {
    (void)state;
    for (uint64_t s = 1; s <= 300; s++) {
        double distance;
        build_friction(s, 1 + (int)(s % 3), s & 8);
        LcpReport report = solve(0);
        assert_int_equal(report.end, LCP_SOLVED);
        NEAR(report.residual, 0, 1e-12);
        NEAR(residual(answer), 0, 1e-11);
        assert_true(enumerate(answer, &distance) >= 1);
        NEAR(distance, 0, 1e-8);
    }
}

static void large_problems(void **state) {
    (void)state;
    for (uint64_t s = 1; s <= 40; s++) {
        build_friction(s, 17, s & 1);
        LcpReport report = solve(0);
        assert_int_equal(report.end, LCP_SOLVED);
        NEAR(report.residual, 0, 1e-11);
    }
}

// A A^T with columns of A of many sizes: condition numbers of some 1e12.
static void ill_conditioned(void **state) {
    (void)state;
    static double a[MOST * MOST];
    for (uint64_t s = 1; s <= 40; s++) {
        seed = s;
        next_draw = 0;
        size = MOST;
        for (int i = 0; i < size * size; i++) {
            a[i] = draw(-1, 1);
        }
        for (int k = 0; k < size; k++) {
            double factor = num_exp(draw(-7, 7));
            for (int i = 0; i < size; i++) {
                a[i * size + k] *= factor;
            }
        }
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < size; j++) {
                matrix[i * size + j] = 0;
                for (int k = 0; k < size; k++) {
                    matrix[i * size + j] += a[i * size + k] * a[j * size + k];
                }
            }
            constant[i] = draw(-1, 1);
        }
        LcpReport report = solve(0);
        bool accurate = report.residual <= LCP_RESIDUAL;
        assert_int_equal(report.end, accurate ? LCP_SOLVED : LCP_INACCURATE);
        NEAR(report.residual, 0, 1e-7);
    }
}

// --- ties ----------------------------------------------------------------------------------------

// All rows tie at the start and again later.
static void ties(void **state) {
    (void)state;
    const double kostreva[] = { 1, 2, 0, 0, 1, 2, 2, 0, 1 };
    const double q[] = { -1, -1, -1 };
    set(3, kostreva, q);
    assert_int_equal(solve(0).end, LCP_SOLVED);
    for (int i = 0; i < 3; i++) {
        NEAR(answer[i], 1. / 3, 1e-15);
    }
}

// Nothing to do; a ray; a bound on the work.
static void ends(void **state) {
    (void)state;
    const double identity[] = { 1, 0, 0, 1 };
    const double positive[] = { 0, 2 };
    const double infeasible[] = { -1, 0, 0, -1 };
    const double negative[] = { -1, -2 };
    set(2, identity, positive);
    LcpReport report = solve(0);
    assert_int_equal(report.end, LCP_SOLVED);
    assert_int_equal(report.pivots, 0);
    SAME_BITS(answer[0], 0);
    set(2, infeasible, negative);
    report = solve(0);
    assert_int_equal(report.end, LCP_RAY);
    assert_true(report.residual > 0.1);
    set(2, identity, negative);
    assert_int_equal(solve(1).end, LCP_PIVOTS);
    report = solve(0);
    assert_int_equal(report.end, LCP_SOLVED);
    SAME_BITS(answer[0], 1);
    SAME_BITS(answer[1], 2);
    set(0, identity, negative);
    assert_int_equal(solve(0).end, LCP_SOLVED);
}

// Units do not matter: rows and columns multiplied by numbers of many sizes.
static void units(void **state) {
    (void)state;
    for (uint64_t s = 1; s <= 60; s++) {
        double reference[MOST], unit[MOST];
        build_symmetric(s, 10, 12);
        assert_int_equal(solve(0).end, LCP_SOLVED);
        memcpy(reference, answer, sizeof reference);
        for (int i = 0; i < size; i++) {
            unit[i] = num_exp(draw(-12, 12));
        }
        for (int i = 0; i < size; i++) {
            constant[i] *= unit[i];
            for (int j = 0; j < size; j++) {
                matrix[i * size + j] *= unit[i] * unit[j];
            }
        }
        assert_int_equal(solve(0).end, LCP_SOLVED);
        for (int i = 0; i < size; i++) {
            NEAR(answer[i] * unit[i], reference[i], 1e-9 * fmax(1, fabs(reference[i])));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definite_equal_to_enumeration),
        cmocka_unit_test(semidefinite_solved_where_solvable),
        cmocka_unit_test(friction_equal_to_enumeration),
        cmocka_unit_test(large_problems),
        cmocka_unit_test(ill_conditioned),
        cmocka_unit_test(ties),
        cmocka_unit_test(ends),
        cmocka_unit_test(units),
    };
    return RUN(tests);
}
