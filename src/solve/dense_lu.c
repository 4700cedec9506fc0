// dense_lu.c -- dense linear systems: Gaussian elimination with row pivots, as factors.
//
// Golub & Van Loan 2013, section 3.4. Rows are exchanged whole, so that solving goes along rows.
//
// SPDX-License-Identifier: MIT
#include "solve/lcp.h"

static int largest_row(int n, const double *a, int column) {
    int best = column;
    for (int i = column + 1; i < n; i++) {
        if (fabs(a[dense_at(n, i, column)]) > fabs(a[dense_at(n, best, column)])) {
            best = i;
        }
    }
    return best;
}

static void exchange_rows(int n, double *a, int i, int j) {
    double *x = a + dense_at(n, i, 0);
    double *y = a + dense_at(n, j, 0);
    for (int k = 0; k < n; k++) {
        double kept = x[k];
        x[k] = y[k];
        y[k] = kept;
    }
}

bool dense_factor(int n, double *a, int32_t *order) {
    for (int k = 0; k < n; k++) {
        int best = largest_row(n, a, k);
        order[k] = best;
        if (best != k) {
            exchange_rows(n, a, k, best);
        }
        const double *pivot = a + dense_at(n, k, 0);
        if (!(fabs(pivot[k]) > 0) || !isfinite(pivot[k])) return false;
        for (int i = k + 1; i < n; i++) {
            double *row = a + dense_at(n, i, 0);
            if (row[k] == 0) continue;
            double part = row[k] / pivot[k];
            row[k] = part;
            for (int j = k + 1; j < n; j++) {
                row[j] -= part * pivot[j];
            }
        }
    }
    return true;
}

void dense_solve(int n, const double *lu, const int32_t *order, double *x) {
    for (int k = 0; k < n; k++) {
        double kept = x[k];
        x[k] = x[order[k]];
        x[order[k]] = kept;
    }
    for (int i = 0; i < n; i++) {
        const double *row = lu + dense_at(n, i, 0);
        double sum = x[i];
        for (int j = 0; j < i; j++) {
            sum -= row[j] * x[j];
        }
        x[i] = sum;
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *row = lu + dense_at(n, i, 0);
        double sum = x[i];
        for (int j = i + 1; j < n; j++) {
            sum -= row[j] * x[j];
        }
        x[i] = sum / row[i];
    }
}
