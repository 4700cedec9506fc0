// rivals_solve.c -- contact problems beside Siconos, where it is installed: CPU time to the same
// residual.
//
// Siconos 4.4 (Acary, Bremond, Huber 2014 and later), its block Gauss-Seidel, ADMM and nonsmooth
// Newton methods with their default options. Each is asked for a residual of 1e-8, and what it
// reaches is measured by one function for all. CPU time is that of all threads, the best of some
// runs; a method that needs more than some seconds has one run.
//
//   rivals_solve [FILE...]          default: scenes/problems
//
// SPDX-License-Identifier: MIT
#include "bench.h"

#include "io/io.h"
#include "rivals/siconos.h"

#include <math.h>

#define TOLERANCE 1e-8
enum { RUNS = 7 };

#if defined(RIVALS_SICONOS)
typedef struct Run {
    SiconosProblem *problem;
    int method, count;
    double *r;
} Run;

static void run(void *context) {
    Run *it = context;
    memset(it->r, 0, sizeof(double) * 3 * (size_t)it->count);
    siconos_solve(it->problem, it->method, TOLERANCE, it->r);
}

// As Siconos has it: the normal first, entries by rows.
static SiconosProblem *problem_of(const MatrixProblem *m) {
    int blocks = m->first[m->count];
    double *q = calloc(3 * (size_t)m->count, sizeof *q);
    double *w = calloc(9 * (size_t)blocks, sizeof *w);
    if (!q || !w) {
        stop("rivals_solve", NULL);
    }
    for (int i = 0; i < m->count; i++) {
        q[3 * i] = m->q[i].z;
        q[3 * i + 1] = m->q[i].x;
        q[3 * i + 2] = m->q[i].y;
    }
    for (int k = 0; k < blocks; k++) {
        const impVec3 rows[3] = { m->block[k].z, m->block[k].x, m->block[k].y };
        for (int row = 0; row < 3; row++) {
            w[9 * k + 3 * row] = rows[row].z;
            w[9 * k + 3 * row + 1] = rows[row].x;
            w[9 * k + 3 * row + 2] = rows[row].y;
        }
    }
    SiconosProblem *out = siconos_open(m->count, m->first, m->column, w, q, m->friction);
    free(q);
    free(w);
    return out;
}

static double residual_of(const MatrixProblem *m, const double *r) {
    impVec3 *p = calloc(2 * (size_t)m->count, sizeof *p);
    if (!p) {
        stop("rivals_solve", NULL);
    }
    for (int i = 0; i < m->count; i++) {
        p[i] = vec(r[3 * i + 1], r[3 * i + 2], r[3 * i]);
    }
    matrix_velocity(m, p, p + m->count);
    double found = matrix_residual(m, p, p + m->count);
    free(p);
    return found;
}

// Returns milliseconds of the fastest that has reached the residual; HUGE_VAL: none has.
static double rivals_of(const MatrixProblem *m) {
    double best = HUGE_VAL;
    Run it = { problem_of(m), 0, m->count, calloc(3 * (size_t)m->count, sizeof(double)) };
    if (!it.problem || !it.r) {
        stop("rivals_solve", NULL);
    }
    for (; siconos_name(it.method); it.method++) {
        double ms = 1e3 * best_of(1, run, &it);
        if (ms < 1000) {
            double again = 1e3 * best_of(RUNS, run, &it);
            ms = again < ms ? again : ms;
        }
        double residual = residual_of(m, it.r);
        printf("  %-24s %10.3f ms   residual %.1e\n", siconos_name(it.method), ms, residual);
        if (residual <= 1.01 * TOLERANCE && ms < best) {
            best = ms;
        }
    }
    free(it.r);
    siconos_close(it.problem);
    return best;
}
#else
static double rivals_of(const MatrixProblem *m) {
    (void)m;
    printf("  Siconos is not installed (Debian: libsiconos-numerics-dev)\n");
    return HUGE_VAL;
}
#endif

typedef struct Own {
    impProblem *problem;
    impProblemReport report;
    impError err;
} Own;

static void solve(void *context) {
    Own *own = context;
    impProblemDef def = { .tolerance = TOLERANCE };
    if (!impProblem_Solve(own->problem, &def, &own->report, &own->err)) {
        stop("rivals_solve", &own->err);
    }
}

// True: one of the others is faster.
static bool compare(const char *path) {
    static Own own;
    own.problem = impProblem_Load(path, NULL, &own.err);
    if (!own.problem) {
        stop(path, &own.err);
    }
    printf("%s, %d contacts\n", path, impProblem_ContactCount(own.problem));
    double ms = 1e3 * best_of(RUNS, solve, &own);
    printf("  %-24s %10.3f ms   residual %.1e\n", "Impel", ms, own.report.residual);
    double others = rivals_of(io_problem_matrix(own.problem));
    bool slower = !own.report.solved || ms > others;
    if (others < HUGE_VAL) {
        printf("  time of the fastest of the others by ours: %.2f  %s\n", others / ms,
               slower ? "MISSED" : "met");
    }
    impProblem_Free(own.problem);
    return slower;
}

int main(int argc, char **argv) {
    const char *const defaults[] = { "scenes/problems/box_stack.json",
                                     "scenes/problems/ball_column.json",
                                     "scenes/problems/unsymmetric.json" };
    bool missed = false;
    for (int i = 1; i < argc; i++) {
        missed |= compare(argv[i]);
    }
    for (int i = 0; argc < 2 && i < 3; i++) {
        missed |= compare(defaults[i]);
    }
    return missed;
}
