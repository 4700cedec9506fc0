// matrix_problem.c -- the contact problem in matrix form: its velocities and its residual.
//
// docs/theory/complementarity-solvers.md, section 3.
//
// SPDX-License-Identifier: MIT
#include "solve/matrix_problem.h"

void matrix_velocity(const MatrixProblem *m, const impVec3 *p, impVec3 *u) {
    for (int i = 0; i < m->count; i++) {
        // q last: large impulses that cancel must not hide it
        impVec3 sum = vec(0, 0, 0);
        for (int k = m->first[i]; k < m->first[i + 1]; k++) {
            sum = add(sum, mul(m->block[k], p[m->column[k]]));
        }
        u[i] = add(sum, m->q[i]);
    }
}

Mat3 matrix_diagonal(const MatrixProblem *m, int i) {
    int low = m->first[i];
    int high = m->first[i + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (m->column[middle] < i) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return m->block[low];
}

// |p - P_K(p - u)| of a contact; u is shifted. Where p is so much larger that u is lost in the sum,
// the bound of (20).
static double natural_map_of(impVec3 p, impVec3 u, double friction) {
    double plain = norm(sub(p, problem_project(sub(p, u), friction)));
    // what has overflowed is no solution
    if (!isfinite(largest(p)) || !isfinite(largest(u)) || largest(p) > 1e150) return HUGE_VAL;
    double rho = largest(u) > 0 ? largest(p) / largest(u) : 1;
    if (!(rho > 1) || !isfinite(rho)) return plain;
    double bound = norm(sub(p, problem_project(madd(p, -rho, u), friction))) / rho;
    return max2(plain, bound);
}

double matrix_residual(const MatrixProblem *m, const impVec3 *p, const impVec3 *u) {
    double sum = 0;
    double size = 0;
    for (int i = 0; i < m->count; i++) {
        double slip = sqrt(u[i].x * u[i].x + u[i].y * u[i].y);
        impVec3 shifted = vec(u[i].x, u[i].y, u[i].z + m->friction[i] * slip);
        double rest = natural_map_of(p[i], shifted, m->friction[i]);
        sum += rest * rest;
        size += dot(m->q[i], m->q[i]);
    }
    return size > 0 ? sqrt(sum / size) : sqrt(sum);
}
