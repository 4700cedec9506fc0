// dense.c -- small dense problems: a symmetric tensor's own axes, and three equations.
//
// Jacobi's method (1846) in the cyclic form with Rutishauser's stable rotations (Numer. Math. 9,
// 1966): each turns one off-diagonal element to zero, and they fall quadratically. An element stops
// mattering when it is below rounding next to its two diagonal ones, which makes small moments as
// accurate as large ones (Demmel and Veselic, SIAM J. Matrix Anal. Appl. 13, 1992) and the whole
// free of units. Equations are eliminated with row-scaled partial pivoting (Wilkinson, J. ACM 8,
// 1961). Assumed: entries far enough from overflow that their sums are finite. Left out: anything
// larger than three.
//
// SPDX-License-Identifier: MIT
#include "num/num.h"

// five or six are enough; the bound is for NaN
enum { SWEEPS = 30 };

// symmetric part left, rotation so far
typedef struct Eigen {
    double a[3][3], r[3][3];
} Eigen;

static bool matters(const Eigen *e, int p, int q) {
    double off = fabs(e->a[p][q]);
    return off > 0x1p-54 * sqrt(fabs(e->a[p][p])) * sqrt(fabs(e->a[q][q]));
}
// Turns the plane of axes p and q so that a[p][q] vanishes; k is the third axis.
static void turn_plane(Eigen *e, int p, int q, int k) {
    double off = e->a[p][q];
    double theta = (e->a[q][q] - e->a[p][p]) / (2 * off);
    // the smaller angle; 0 when theta^2 overflows
    double t = 1 / (fabs(theta) + sqrt(theta * theta + 1));
    if (theta < 0) {
        t = -t;
    }
    double c = 1 / sqrt(t * t + 1);
    double s = t * c;
    double tau = s / (1 + c);
    e->a[p][p] -= t * off;
    e->a[q][q] += t * off;
    e->a[p][q] = e->a[q][p] = 0;
    double kp = e->a[k][p];
    double kq = e->a[k][q];
    e->a[k][p] = e->a[p][k] = kp - s * (kq + tau * kp);
    e->a[k][q] = e->a[q][k] = kq + s * (kp - tau * kq);
    for (int i = 0; i < 3; i++) {
        double rp = e->r[i][p];
        double rq = e->r[i][q];
        e->r[i][p] = rp - s * (rq + tau * rp);
        e->r[i][q] = rq + s * (rp - tau * rq);
    }
}
// true: something was turned
static bool sweep(Eigen *e) {
    bool turned_any = false;
    // planes xy, xz, yz
    for (int k = 2; k >= 0; k--) {
        int p = k == 0 ? 1 : 0;
        int q = k == 2 ? 1 : 2;
        if (!matters(e, p, q)) continue;
        turn_plane(e, p, q, k);
        turned_any = true;
    }
    return turned_any;
}

Mat3 eigen_symmetric(Mat3 m, double moments[3]) {
    Eigen e = { { { m.x.x, m.x.y, m.x.z }, { m.x.y, m.y.y, m.y.z }, { m.x.z, m.y.z, m.z.z } },
                { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
    for (int i = 0; i < SWEEPS && sweep(&e); i++) {}
    for (int i = 0; i < 3; i++) {
        moments[i] = e.a[i][i];
    }
    return mat3(vec(e.r[0][0], e.r[0][1], e.r[0][2]), vec(e.r[1][0], e.r[1][1], e.r[1][2]),
                vec(e.r[2][0], e.r[2][1], e.r[2][2]));
}

// equations with their right sides; largest coefficients
typedef struct Rows {
    double a[3][4], size[3];
} Rows;

static void swap_rows(Rows *r, int i, int j) {
    Rows old = *r;
    for (int c = 0; c < 4; c++) {
        r->a[i][c] = old.a[j][c];
        r->a[j][c] = old.a[i][c];
    }
    r->size[i] = old.size[j];
    r->size[j] = old.size[i];
}
// The row from `from` on with the largest entry in a column, relative to its own size.
static int pivot_row(const Rows *r, int column, int from) {
    int best = from;
    for (int i = from + 1; i < 3; i++) {
        if (fabs(r->a[i][column]) / r->size[i] > fabs(r->a[best][column]) / r->size[best]) {
            best = i;
        }
    }
    return best;
}
static double relative(const Rows *r, int row, int column) {
    return fabs(r->a[row][column]) / r->size[row];
}

// False when a pivot is only the rounding error of the column it came from.
static bool eliminate(Rows *r) {
    // the columns' sizes before anything cancels
    double column[3];
    for (int k = 0; k < 3; k++) {
        column[k] = relative(r, pivot_row(r, k, 0), k);
    }
    for (int k = 0; k < 3; k++) {
        swap_rows(r, k, pivot_row(r, k, k));
        if (!(relative(r, k, k) > 0x1p-50 * column[k])) return false;
        for (int i = k + 1; i < 3; i++) {
            double f = r->a[i][k] / r->a[k][k];
            for (int c = k; c < 4; c++) {
                r->a[i][c] -= f * r->a[k][c];
            }
        }
    }
    return true;
}

bool solve3(Mat3 a, impVec3 b, impVec3 *x) {
    Rows r = { { { a.x.x, a.x.y, a.x.z, b.x },
                 { a.y.x, a.y.y, a.y.z, b.y },
                 { a.z.x, a.z.y, a.z.z, b.z } },
               { largest(a.x), largest(a.y), largest(a.z) } };
    if (!(r.size[0] > 0 && r.size[1] > 0 && r.size[2] > 0) || !eliminate(&r)) return false;
    double z = r.a[2][3] / r.a[2][2];
    double y = (r.a[1][3] - r.a[1][2] * z) / r.a[1][1];
    impVec3 found = vec((r.a[0][3] - r.a[0][1] * y - r.a[0][2] * z) / r.a[0][0], y, z);
    if (finite3(found)) {
        *x = found;
    }
    return finite3(found);
}
