// lemke.c -- Lemke's method for linear complementarity problems, with the lexicographic ratio test.
//
// Lemke 1965; Cottle, Pang & Stone 1992, algorithm 4.4.5 and section 4.9 (lexicographic degeneracy
// resolution); docs/theory/complementarity-solvers.md, (1) to (6). The method follows the solutions
// of
//
//   w = M z + q + e z0,   w >= 0, z >= 0, z0 >= 0,   z_i w_i = 0 of all pairs but one
//
// from large z0 to z0 = 0, by exchanges of one basic variable for one nonbasic one. All of it is
// done on a scaled problem: rows and columns of M are of size 1, q is at most 1.
//
// The dictionary x_B = value - T x_N has a row for each basic variable and a column for each other
// one. It holds the inverse of the basis, too: the column of w_j is column j of the inverse, or a
// unit vector where w_j is basic. So the lexicographic test costs nothing but the comparisons, and
// an exchange costs n^2 products. Its rounding grows from exchange to exchange, so it is computed
// anew from M and q again and again, and the residual of the answer alone says what it is worth.
//
// Left out: sparse factors, and any use of a first guess. Meant for n up to some hundreds.
//
// SPDX-License-Identifier: MIT
#include "solve/lcp.h"

#include <string.h>

enum {
    SCALINGS = 4,        // rounds of scaling
    FRESH_EVERY = 10,    // exchanges between two dictionaries computed anew: so many, and ...
    ROWS_OF_FRESH = 50,  // ... one more for so many rows
    PIVOTS = 100,        // exchanges allowed where the caller names no number: so many, and ...
    PIVOTS_OF_ROW = 8
};
// 1, scaled: a ray with such a residual is rounding
#define RAY_ROUNDING 1e-6
// 1: perturbed paths end where one leaves more than so much of the residual
#define CONTRACTION 0.5

// A way to a solution; where one does not lead there, the next is taken.
typedef struct Path {
    double zero_entry;  // 1, of the largest entry of the driving column: smaller ones count as zero
    double perturbation;  // 1, scaled: on the diagonal, (22)
    int passes;           // most of them, each from the best answer so far
} Path;
static const Path paths[] = {
    { 1e-9, 0, 1 }, { 1e-11, 0, 1 }, { 1e-9, 1e-8, 8 }, { 1e-9, 1e-6, 8 }
};

// 1, the same: after an exchange with a smaller one the dictionary is computed anew
#define SMALL_PIVOT 1e-5
// 1, scaled: variables that come so near to zero reach it together
#define TIE 1e-10

typedef struct Lemke {
    int n, width;                   // width: of a row, n + 1
    double *scaling;                // z = scaling z', w = w' / scaling
    double size;                    // of the scaled q: z' and w' are in units of it
    double *matrix;                 // scaled, n x n
    double *constant;               // scaled
    double *table, *value;          // the dictionary: n rows of n + 1 columns; values of the basic
                                    // variables
    int32_t *basic;                 // by row. Variables: w_i is i, z_i is n + i, z0 is 2 n
    int32_t *nonbasic;              // by column
    int32_t *place;                 // by variable: its row or its column
    bool *in_basis, *wanted;        // by variable; wanted: scratch
    int32_t *tied;                  // rows in the ratio test
    double zero_entry;              // of the path
    double *best;                   // z of the best answer
    double *diagonal, *given;       // of the matrix, and the constant, without perturbation
    double *z, *w;                  // scaled answer
    double *factor, *right, *rest;  // of the refinement
    int32_t *order, *active;
} Lemke;

static bool take(Lemke *l, int n, Arena *scratch) {
    size_t square = (size_t)n * (size_t)n;
    l->n = n;
    l->width = n + 1;
    l->scaling = TAKE(scratch, double, n);
    l->matrix = TAKE(scratch, double, square);
    l->constant = TAKE(scratch, double, n);
    l->table = TAKE(scratch, double, square + (size_t)n);
    l->factor = l->table;
    l->value = TAKE(scratch, double, n);
    l->basic = TAKE(scratch, int32_t, n);
    l->nonbasic = TAKE(scratch, int32_t, n + 1);
    l->place = TAKE(scratch, int32_t, 2 * n + 1);
    l->in_basis = TAKE(scratch, bool, 2 * n + 1);
    l->wanted = TAKE(scratch, bool, 2 * n + 1);
    l->tied = TAKE(scratch, int32_t, n);
    l->best = TAKE(scratch, double, n);
    l->diagonal = TAKE(scratch, double, n);
    l->given = TAKE(scratch, double, n);
    l->z = TAKE(scratch, double, n);
    l->w = TAKE(scratch, double, n);
    l->right = TAKE(scratch, double, n);
    l->rest = TAKE(scratch, double, n);
    l->order = TAKE(scratch, int32_t, n);
    l->active = TAKE(scratch, int32_t, n);
    return !*scratch->full;
}

size_t lcp_lemke_scratch(int n) {
    bool full = false;
    Arena counting = arena_counting(&full);
    Lemke l = { 0 };
    take(&l, n, &counting);
    return counting.used;
}

// --- scaling -------------------------------------------------------------------------------------

// One round: divides by the root of the largest entry of row and column i. Rows without entries
// keep their size.
static void scale_round(Lemke *l, const double *matrix) {
    int n = l->n;
    double *most = l->right;
    memset(most, 0, (size_t)n * sizeof *most);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double entry = fabs(matrix[dense_at(n, i, j)]) * l->scaling[i] * l->scaling[j];
            most[i] = max2(entry, most[i]);
            most[j] = max2(entry, most[j]);
        }
    }
    for (int i = 0; i < n; i++) {
        if (most[i] > 0) {
            l->scaling[i] /= sqrt(most[i]);
        }
    }
}

// 1 where all are zero.
static double largest_of(const double *numbers, int count) {
    double most = 0;
    for (int i = 0; i < count; i++) {
        most = max2(fabs(numbers[i]), most);
    }
    return most > 0 ? most : 1;
}

static void scale_problem(Lemke *l, const double *matrix, const double *constant) {
    int n = l->n;
    for (int i = 0; i < n; i++) {
        l->scaling[i] = 1;
    }
    for (int k = 0; k < SCALINGS; k++) {
        scale_round(l, matrix);
    }
    for (int i = 0; i < n; i++) {
        l->constant[i] = l->scaling[i] * constant[i];
        for (int j = 0; j < n; j++) {
            size_t at = dense_at(n, i, j);
            l->matrix[at] = l->scaling[i] * matrix[at] * l->scaling[j];
        }
    }
    l->size = largest_of(l->constant, n);
    for (int i = 0; i < n; i++) {
        l->constant[i] /= l->size;
    }
}

// --- the dictionary, (3) -------------------------------------------------------------------------

static void set_place(Lemke *l, int variable, int place, bool in_basis) {
    l->place[variable] = place;
    l->in_basis[variable] = in_basis;
    if (in_basis) {
        l->basic[place] = variable;
    } else {
        l->nonbasic[place] = variable;
    }
}

// The dictionary of the basis w.
static void begin_dictionary(Lemke *l) {
    int n = l->n;
    for (int i = 0; i < n; i++) {
        double *row = l->table + dense_at(l->width, i, 0);
        for (int j = 0; j < n; j++) {
            row[j] = -l->matrix[dense_at(n, i, j)];
        }
        row[n] = -1;
        l->value[i] = l->constant[i];
        set_place(l, i, i, true);
        set_place(l, n + i, i, false);
    }
    set_place(l, 2 * n, n, false);
}

// Exchanges the basic variable of a row for the nonbasic one of a column.
static void exchange(Lemke *l, int row, int column) {
    int width = l->width;
    double *pivot = l->table + dense_at(width, row, 0);
    double part = 1 / pivot[column];
    pivot[column] = 1;
    for (int k = 0; k < width; k++) {
        pivot[k] *= part;
    }
    l->value[row] *= part;
    for (int i = 0; i < l->n; i++) {
        double *other = l->table + dense_at(width, i, 0);
        double factor = other[column];
        if (i == row || factor == 0) continue;
        other[column] = 0;
        for (int k = 0; k < width; k++) {
            other[k] -= factor * pivot[k];
        }
        l->value[i] -= factor * l->value[row];
    }
    int leaves = l->basic[row];
    set_place(l, l->nonbasic[column], row, true);
    set_place(l, leaves, column, false);
}

static void read_answer(Lemke *l) {
    int n = l->n;
    memset(l->z, 0, (size_t)n * sizeof *l->z);
    memset(l->w, 0, (size_t)n * sizeof *l->w);
    for (int i = 0; i < n; i++) {
        int variable = l->basic[i];
        if (variable < n) {
            l->w[variable] = l->value[i];
        } else if (variable < 2 * n) {
            l->z[variable - n] = l->value[i];
        }
    }
}

// The row with the largest entry in a column, of those whose variable w_i is to leave the basis.
static int largest_entry(const Lemke *l, int column, const bool *stays) {
    int best = -1;
    double most = 0;
    for (int i = 0; i < l->n; i++) {
        double entry = fabs(l->table[dense_at(l->width, i, column)]);
        if (stays[l->basic[i]] || entry <= most) continue;
        most = entry;
        best = i;
    }
    return best;
}

// Computes the dictionary anew: from that of the basis w, all variables that belong into the basis
// enter, each in the row where its entry is largest. False: the basis is singular.
static bool refactor(Lemke *l) {
    bool *wanted = l->wanted;
    int variables = 2 * l->n + 1;
    memcpy(wanted, l->in_basis, (size_t)variables * sizeof *wanted);
    begin_dictionary(l);
    for (int k = l->n; k < variables; k++) {
        if (!wanted[k]) continue;
        int row = largest_entry(l, l->place[k], wanted);
        if (row < 0) return false;
        exchange(l, row, l->place[k]);
    }
    return true;
}

// --- the ratio test, (4) and (5) -----------------------------------------------------------------

// Entry (row, j) of the inverse of the basis.
static double inverse_entry(const Lemke *l, int row, int j) {
    if (l->in_basis[j]) return l->place[j] == row ? 1 : 0;
    return l->table[dense_at(l->width, row, l->place[j])];
}

static double largest_of_column(const Lemke *l, int column) {
    double most = 0;
    for (int i = 0; i < l->n; i++) {
        most = max2(fabs(l->table[dense_at(l->width, i, column)]), most);
    }
    return most;
}

// Rows that may leave: with an entry in the driving column that is positive beyond rounding.
static int positive_rows(const Lemke *l, int column, int32_t *rows) {
    double least = l->zero_entry * largest_of_column(l, column);
    int count = 0;
    for (int i = 0; i < l->n; i++) {
        if (l->table[dense_at(l->width, i, column)] > least) {
            rows[count++] = i;
        }
    }
    return count;
}

// Keeps the rows whose number, by their entry in the driving column, is the least or as good as
// that. j: column of the inverse; -1: the values.
static int keep_least(const Lemke *l, int column, int j, int32_t *rows, int count) {
    double least = HUGE_VAL;
    for (int k = 0; k < count; k++) {
        double number = j < 0 ? l->value[rows[k]] : inverse_entry(l, rows[k], j);
        least = min2(number / l->table[dense_at(l->width, rows[k], column)], least);
    }
    int kept = 0;
    for (int k = 0; k < count; k++) {
        double number = j < 0 ? l->value[rows[k]] : inverse_entry(l, rows[k], j);
        double left = number - least * l->table[dense_at(l->width, rows[k], column)];
        if (left <= TIE) {
            rows[kept++] = rows[k];
        }
    }
    return kept;
}

// The row that leaves when the variable of a column enters: the lexicographically least. -1: none
// does, and the path is a ray.
static int leaving_row(Lemke *l, int column) {
    int32_t *rows = l->tied;
    int count = positive_rows(l, column, rows);
    if (count == 0) return -1;
    count = keep_least(l, column, -1, rows, count);
    for (int k = 0; k < count; k++) {
        if (l->basic[rows[k]] == 2 * l->n) return rows[k];
    }
    for (int j = 0; j < l->n && count > 1; j++) {
        count = keep_least(l, column, j, rows, count);
    }
    return rows[0];
}

// The row from which z0 enters: the least q, of equal ones the last, which is the lexicographically
// least of [q, I]. -1: q >= 0.
static int first_row(const Lemke *l) {
    int best = -1;
    double least = 0;
    for (int i = 0; i < l->n; i++) {
        if (l->value[i] < 0 && l->value[i] <= least) {
            least = l->value[i];
            best = i;
        }
    }
    return best;
}

// --- the path ------------------------------------------------------------------------------------

// Exchanges, and computes the dictionary anew where it is due. `since`: exchanges since the last
// time. False: the basis is singular.
static bool exchange_freshly(Lemke *l, int row, int column, int *since) {
    double entry = fabs(l->table[dense_at(l->width, row, column)]);
    bool small = entry < SMALL_PIVOT * largest_of_column(l, column);
    exchange(l, row, column);
    ++*since;
    if (!small && *since < FRESH_EVERY + l->n / ROWS_OF_FRESH) return true;
    *since = 0;
    return refactor(l);
}

// LCP_INACCURATE: the path came to z0 = 0, or its basis is singular.
static LcpEnd follow_path(Lemke *l, int most, int *pivots) {
    int z0 = 2 * l->n;
    int since = 0;
    begin_dictionary(l);
    int row = first_row(l);
    if (row < 0) return LCP_INACCURATE;
    int column = l->place[z0];
    for (int k = 0; k < most; k++) {
        int leaves = l->basic[row];
        ++*pivots;
        if (!exchange_freshly(l, row, column, &since) || leaves == z0) return LCP_INACCURATE;
        column = l->place[leaves < l->n ? leaves + l->n : leaves - l->n];
        row = leaving_row(l, column);
        if (row < 0) return LCP_RAY;
    }
    return LCP_PIVOTS;
}

// --- refinement, (6) -----------------------------------------------------------------------------

// w = M z + q of the scaled problem; returns max_i |min(z_i, w_i)|, infinite where w is no number.
static double set_w(const Lemke *l, const double *z, double *w) {
    double most = 0;
    for (int i = 0; i < l->n; i++) {
        double sum = l->constant[i];
        for (int j = 0; j < l->n; j++) {
            sum += l->matrix[dense_at(l->n, i, j)] * z[j];
        }
        w[i] = sum;
        if (!isfinite(sum)) return HUGE_VAL;
        most = max2(fabs(min2(z[i], sum)), most);
    }
    return most;
}

// Solves for the basic z with a factor of their part of the matrix, in the place of the dictionary,
// with one correction by the remainder. False: the part is singular.
static bool solve_basis(Lemke *l) {
    int n = l->n;
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (l->in_basis[n + i]) {
            l->active[count++] = i;
        }
    }
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            l->factor[dense_at(count, i, j)] = l->matrix[dense_at(n, l->active[i], l->active[j])];
        }
    }
    if (!dense_factor(count, l->factor, l->order)) return false;
    memset(l->right, 0, (size_t)n * sizeof *l->right);
    for (int k = 0; k < 2; k++) {
        set_w(l, l->right, l->w);
        for (int i = 0; i < count; i++) {
            l->rest[i] = -l->w[l->active[i]];
        }
        dense_solve(count, l->factor, l->order, l->rest);
        for (int i = 0; i < count; i++) {
            l->right[l->active[i]] += l->rest[i];
        }
    }
    for (int i = 0; i < n; i++) {
        l->right[i] = max2(l->right[i], 0);
    }
    return true;
}

// The answer of the dictionary, or that of its basis where it is better. Returns its residual.
static double refine(Lemke *l) {
    read_answer(l);
    for (int i = 0; i < l->n; i++) {
        l->z[i] = max2(l->z[i], 0);
    }
    double residual = set_w(l, l->z, l->w);
    if (!solve_basis(l)) return residual;
    double refined = set_w(l, l->right, l->w);
    if (!(refined < residual)) return residual;
    memcpy(l->z, l->right, (size_t)l->n * sizeof *l->z);
    return refined;
}

// --- paths, (22) ---------------------------------------------------------------------------------

// The problem with `perturbation` on the diagonal that the best answer solves if it solves (1).
static void perturb(Lemke *l, double perturbation) {
    for (int i = 0; i < l->n; i++) {
        l->matrix[dense_at(l->n, i, i)] = l->diagonal[i] + perturbation;
        l->constant[i] = l->given[i] - perturbation * l->best[i];
    }
}

// One path and the residual of its answer in the problem without perturbation.
static double take_path(Lemke *l, const Path *path, int most, LcpEnd *end, int *pivots) {
    l->zero_entry = path->zero_entry;
    perturb(l, path->perturbation);
    *end = follow_path(l, most, pivots);
    refine(l);
    perturb(l, 0);
    return set_w(l, l->z, l->w);
}

static void take_passes(Lemke *l, const Path *path, int most, LcpReport *report) {
    for (int k = 0; k < path->passes && report->end != LCP_SOLVED; k++) {
        LcpEnd end;
        double last = report->residual;
        double residual = take_path(l, path, most, &end, &report->pivots);
        if (!(residual < last)) return;
        report->residual = residual;
        memcpy(l->best, l->z, (size_t)l->n * sizeof *l->z);
        if (residual <= LCP_RESIDUAL) {
            report->end = LCP_SOLVED;
        } else if (path == paths) {
            report->end = end;
        }
        if (residual > CONTRACTION * last) return;
    }
}

// The end is that of the first path unless one leads to a solution; the best answer is kept.
static LcpReport follow_paths(Lemke *l, int most) {
    LcpReport report = { LCP_PIVOTS, 0, HUGE_VAL };
    memset(l->best, 0, (size_t)l->n * sizeof *l->best);
    for (int i = 0; i < l->n; i++) {
        l->diagonal[i] = l->matrix[dense_at(l->n, i, i)];
        l->given[i] = l->constant[i];
    }
    for (int k = 0; k < COUNT(paths) && report.end != LCP_SOLVED; k++) {
        take_passes(l, &paths[k], most, &report);
    }
    if (report.end == LCP_RAY && report.residual <= RAY_ROUNDING) {
        report.end = LCP_INACCURATE;
    }
    return report;
}

LcpReport lcp_lemke(int n, const double *M, const double *q, double *z, int max_pivots,
                    Arena scratch) {
    Lemke l = { 0 };
    LcpReport report = { LCP_PIVOTS, 0, HUGE_VAL };
    memset(z, 0, (size_t)n * sizeof *z);
    if (!take(&l, n, &scratch)) return report;
    scale_problem(&l, M, q);
    report = follow_paths(&l, max_pivots > 0 ? max_pivots : PIVOTS + PIVOTS_OF_ROW * n);
    for (int i = 0; i < n; i++) {
        z[i] = l.size * l.scaling[i] * l.best[i];
    }
    return report;
}
