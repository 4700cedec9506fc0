// polyhedral.c -- contact problems with a polyhedron in place of the friction cone, as linear
// complementarity problems.
//
// Stewart & Trinkle 1996, section 2; docs/theory/complementarity-solvers.md, (7) to (10). Of each
// contact the unknowns are the normal impulse c, shares b_j of friction in k directions d_j, and
// the speed l of sliding:
//
//   u_n >= 0              |  c >= 0
//   d_j.u_t + l >= 0      |  b_j >= 0
//   mu c - sum b_j >= 0   |  l >= 0
//
// The directions are k equal parts of a circle, from t1 on. Impulses are in the true cone, as the
// polyhedron is inside.
//
// SPDX-License-Identifier: MIT
#include "solve/matrix_problem.h"

enum {
    DIRECTIONS = 8,        // where the caller names no number
    MOST_DIRECTIONS = 64,  // of more the difference from the cone is 1e-3
    MOST_ROWS = 1000       // of a matrix: 8 MB
};

typedef struct Polyhedral {
    const MatrixProblem *m;
    int directions, width;  // width: rows of a contact
    int rows;
    impVec3 *axis;  // of c and of b_j, in the frame of a contact
    double *matrix, *constant, *z;
} Polyhedral;

static int even_directions(int directions) {
    int even = directions > 0 ? (directions + 1) / 2 * 2 : DIRECTIONS;
    return even > MOST_DIRECTIONS ? MOST_DIRECTIONS : even;
}

int polyhedral_rows(int contacts, int directions) {
    int width = even_directions(directions) + 2;
    return contacts <= MOST_ROWS / width ? contacts * width : 0;
}

static bool take(Polyhedral *l, int rows, Arena *scratch) {
    l->axis = TAKE(scratch, impVec3, MOST_DIRECTIONS + 1);
    l->matrix = TAKE(scratch, double, (size_t)rows *(size_t)rows);
    l->constant = TAKE(scratch, double, rows);
    l->z = TAKE(scratch, double, rows);
    return !*scratch->full;
}

size_t polyhedral_scratch(int rows) {
    bool full = false;
    Arena counting = arena_counting(&full);
    Polyhedral l = { 0 };
    take(&l, rows, &counting);
    return counting.used + CACHE_LINE + lcp_lemke_scratch(rows);
}

// --- the linear complementarity problem, (8) -----------------------------------------------------

// Opposite directions have the same digits, so that ties of symmetric problems are exact.
static void set_axes(Polyhedral *l) {
    int half = l->directions / 2;
    l->axis[0] = vec(0, 0, 1);
    for (int j = 0; j < half; j++) {
        SinCos a = num_sincos_turns((double)j / l->directions);
        l->axis[1 + j] = vec(a.cos, a.sin, 0);
        l->axis[1 + half + j] = vec(-a.cos, -a.sin, 0);
    }
}

static void set_block(Polyhedral *l, int i, int j, Mat3 w) {
    for (int c = 0; c <= l->directions; c++) {
        impVec3 column = mul(w, l->axis[c]);
        for (int r = 0; r <= l->directions; r++) {
            l->matrix[dense_at(l->rows, i * l->width + r, j * l->width + c)] = dot(l->axis[r],
                                                                                   column);
        }
    }
}

static void set_contact(Polyhedral *l, int i) {
    const MatrixProblem *m = l->m;
    int first = i * l->width;
    int last = first + l->directions + 1;
    for (int k = m->first[i]; k < m->first[i + 1]; k++) {
        set_block(l, i, m->column[k], m->block[k]);
    }
    for (int r = 0; r <= l->directions; r++) {
        l->constant[first + r] = dot(l->axis[r], m->q[i]);
    }
    l->constant[last] = 0;
    l->matrix[dense_at(l->rows, last, first)] = m->friction[i];
    for (int r = 1; r <= l->directions; r++) {
        l->matrix[dense_at(l->rows, first + r, last)] = 1;
        l->matrix[dense_at(l->rows, last, first + r)] = -1;
    }
}

static void set_problem(Polyhedral *l) {
    size_t numbers = (size_t)l->rows * (size_t)l->rows;
    for (size_t k = 0; k < numbers; k++) {
        l->matrix[k] = 0;
    }
    for (int i = 0; i < l->m->count; i++) {
        set_contact(l, i);
    }
}

static void set_impulses(const Polyhedral *l) {
    for (int i = 0; i < l->m->count; i++) {
        const double *z = l->z + (size_t)i * (size_t)l->width;
        impVec3 p = vec(0, 0, 0);
        for (int r = 0; r <= l->directions; r++) {
            p = madd(p, z[r], l->axis[r]);
        }
        l->m->p[i] = problem_project(p, l->m->friction[i]);
    }
}

// --- the residual, (21) --------------------------------------------------------------------------

// w of a row, with other velocities than those of the problem.
static double w_of_row(const Polyhedral *l, int row, double difference) {
    double sum = l->constant[row] + difference;
    for (int j = 0; j < l->rows; j++) {
        sum += l->matrix[dense_at(l->rows, row, j)] * l->z[j];
    }
    return sum;
}

// Worst row of a contact, m/s: the last one has an impulse and a speed exchanged.
static double residual_of_contact(const Polyhedral *l, int i, impVec3 difference) {
    double rho = trace(matrix_diagonal(l->m, i)) / 3;
    int first = i * l->width;
    int last = first + l->directions + 1;
    double most = fabs(min2(l->z[last], rho * w_of_row(l, last, 0)));
    for (int r = 0; r <= l->directions; r++) {
        double w = w_of_row(l, first + r, dot(l->axis[r], difference));
        double found = fabs(min2(w, rho * l->z[first + r]));
        most = found <= most ? most : found;
    }
    return most;
}

static double polyhedral_residual(const Polyhedral *l, const impVec3 *asked) {
    double most = 0;
    for (int i = 0; i < l->m->count; i++) {
        impVec3 difference = asked ? sub(asked[i], l->m->q[i]) : vec(0, 0, 0);
        double found = residual_of_contact(l, i, difference);
        if (!isfinite(found)) return HUGE_VAL;
        most = max2(found, most);
    }
    return most;
}

PolyhedralReport polyhedral_solve(const MatrixProblem *m, const impVec3 *asked, int directions,
                                  Arena scratch) {
    Polyhedral l = { .m = m, .directions = even_directions(directions) };
    PolyhedralReport report = { LCP_PIVOTS, 0, HUGE_VAL };
    l.width = l.directions + 2;
    l.rows = polyhedral_rows(m->count, directions);
    if (m->count == 0) return (PolyhedralReport){ LCP_SOLVED, 0, 0 };
    if (l.rows == 0 || !take(&l, l.rows, &scratch)) return report;
    set_axes(&l);
    set_problem(&l);
    LcpReport found = lcp_lemke(l.rows, l.matrix, l.constant, l.z, 0, scratch);
    set_impulses(&l);
    return (PolyhedralReport){ found.end, found.pivots, polyhedral_residual(&l, asked) };
}

// --- a row of the table of matrix_problem.c ------------------------------------------------------

// Velocity that residuals are measured against.
static double size_of_velocity(const MatrixProblem *m) {
    double sum = 0;
    for (int i = 0; i < m->count; i++) {
        sum += dot(m->q[i], m->q[i]);
    }
    return sum > 0 ? sqrt(sum) : 1;
}

SolverReport matrix_lemke(const MatrixProblem *m, const SolverOptions *options, Arena scratch) {
    PolyhedralReport found = polyhedral_solve(m, NULL, options->directions, scratch);
    double residual = found.residual / size_of_velocity(m);
    bool solved = found.end == LCP_SOLVED && residual <= options->tolerance;
    return (SolverReport){ "lemke", residual, found.pivots, solved };
}

size_t matrix_lemke_scratch(int count, int directions) {
    int rows = polyhedral_rows(count, directions);
    return rows ? polyhedral_scratch(rows) : 0;
}
