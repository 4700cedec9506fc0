// siconos.c -- Siconos behind plain numbers: its methods with their default options, from the same
// start.
//
// SPDX-License-Identifier: MIT
#include "siconos.h"

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 100000 };

struct SiconosProblem {
    FrictionContactProblem *problem;
    double *u;
};

static const struct {
    const char *name;
    int id;
} methods[] = {
    { "Siconos NSGS", SICONOS_FRICTION_3D_NSGS },
    { "Siconos ADMM", SICONOS_FRICTION_3D_ADMM },
    { "Siconos NSN_AC", SICONOS_FRICTION_3D_NSN_AC },
};
enum { METHODS = (int)(sizeof methods / sizeof methods[0]) };

const char *siconos_name(int method) { return method < METHODS ? methods[method].name : NULL; }

static double *copy(const double *numbers, int count) {
    double *out = malloc(sizeof *out * (size_t)count);
    return out ? memcpy(out, numbers, sizeof *out * (size_t)count) : NULL;
}

// Blocks of 3x3, which its Gauss-Seidel method likes best.
static NumericsMatrix *matrix_of(int contacts, const int32_t *first, const int32_t *column,
                                 const double *w) {
    int size = 3 * contacts;
    NumericsMatrix *sparse = NM_create(NM_SPARSE, size, size);
    NM_triplet_alloc(sparse, 9 * first[contacts]);
    for (int i = 0; i < contacts; i++) {
        for (int k = first[i]; k < first[i + 1]; k++) {
            for (int e = 0; e < 9; e++) {
                NM_entry(sparse, 3 * i + e / 3, 3 * column[k] + e % 3, w[9 * k + e]);
            }
        }
    }
    NumericsMatrix *blocks = NM_create(NM_SPARSE_BLOCK, size, size);
    SBM_from_csparse(3, NM_csc(sparse), blocks->matrix1);
    return blocks;
}

SiconosProblem *siconos_open(int contacts, const int32_t *first, const int32_t *column,
                             const double *w, const double *q, const double *mu) {
    SiconosProblem *out = calloc(1, sizeof *out);
    if (!out) return NULL;
    out->u = calloc(3 * (size_t)contacts, sizeof *out->u);
    out->problem = frictionContactProblem_new_with_data(3, contacts,
                                                        matrix_of(contacts, first, column, w),
                                                        copy(q, 3 * contacts), copy(mu, contacts));
    return out;
}

void siconos_solve(SiconosProblem *problem, int method, double tolerance, double *r) {
    SolverOptions *options = solver_options_create(methods[method].id);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = ITERATIONS;
    memset(problem->u, 0, 3 * sizeof(double) * (size_t)problem->problem->numberOfContacts);
    fc3d_driver(problem->problem, r, problem->u, options);
    solver_options_delete(options);
}

void siconos_close(SiconosProblem *problem) {
    frictionContactProblem_free(problem->problem);
    free(problem->u);
    free(problem);
}
