// semismooth.c -- the semismooth Newton method for a contact problem, in the velocities of the
// bodies: few steps from a good start.
//
// Alart & Curnier 1991; docs/theory/many-contacts.md, section 7. Each contact row answers the
// velocities v of the next step like a stiff spring about its last impulse p', in the mode that it
// has now:
//
//   open    p = 0
//   stick   p = p' - K u
//   slide   p_n = p'_n - K u_n,   p_t = mu d p_n - (mu p'_n / |u_t|) (1 - d d^T) u_t,
//           d = -u_t / |u_t| at the last velocities                                     (11)
//
// with K = KAPPA / mean of W_cc, and the bodies balance momentum: M (v - v_f) = sum of J^T p. That
// is linear in v. Its matrix is as sparse as the contacts are, and not symmetric where something
// slides. Steps are full; the method ends where the natural map no longer halves, twice excepted.
// The direction of the slip is that of the velocities: with that of p' - rho u_t the method would
// converge linearly only.
//
// SPDX-License-Identifier: MIT
#include "solve/solvers.h"

#include <string.h>

enum {
    SIX = 6,
    STEPS = 16,         // Newton steps
    EXCEPTIONS = 2,     // steps that need not halve the natural map
    BLOCKS_OF_BODY = 8  // room for blocks of the factor, by body ...
};
// ... and at least
#define BLOCKS 4096
// 1, times the row's own 1 / W_cc: stiffness. The larger, the nearer to the law in one step.
#define KAPPA 1e4
// 1, times the row's own 1 / W_cc: velocities count as impulses by so much where modes are chosen
#define MODE_WEIGHT 0.3
// 1, of the tolerance: slower slips have the direction of the friction
#define SLOW 1e-3

typedef struct RowLaw {
    Mat3 a;  // p = b - a u, frame
    impVec3 b;
    double stiffness;  // N s by m/s: 1 / mean of W_cc
    impVec3 best;      // impulse of the smallest natural map so far
} RowLaw;

typedef struct Semismooth {
    const Problem *problem;
    RowLaw *row;
    double *bilateral_best;
    double *right, *spare;  // six a body
    BlockLu lu;
    double tolerance;
} Semismooth;

static int block_room(int bodies) {
    return bodies * BLOCKS_OF_BODY > BLOCKS ? bodies * BLOCKS_OF_BODY : BLOCKS;
}

static bool take(Semismooth *s, int bodies, int contacts, int bilaterals, Arena *scratch) {
    s->row = TAKE(scratch, RowLaw, contacts);
    s->bilateral_best = TAKE(scratch, double, bilaterals);
    s->right = TAKE(scratch, double, SIX *(size_t)bodies);
    s->spare = TAKE(scratch, double, SIX *(size_t)bodies);
    block_lu_take(&s->lu, bodies, block_room(bodies), scratch);
    return !*scratch->full;
}

size_t solver_semismooth_scratch(int bodies, int contacts, int bilaterals) {
    bool full = false;
    Arena counting = arena_counting(&full);
    Semismooth s = { 0 };
    take(&s, bodies, contacts, bilaterals, &counting);
    return counting.used;
}

// --- the law of a row at the last velocities, (11) -----------------------------------------------

static void set_open(RowLaw *r) {
    r->a = mat3_diagonal(0, 0, 0);
    r->b = vec(0, 0, 0);
}

static void set_slide(RowLaw *r, const ContactRow *row, impVec3 u, impVec3 x, double tolerance) {
    double k = KAPPA * r->stiffness;
    double mu = row->friction;
    double slip = sqrt(u.x * u.x + u.y * u.y);
    double wish = sqrt(x.x * x.x + x.y * x.y);
    double load = max2(row->p.z, 0);
    double dx, dy, across;
    if (slip > SLOW * tolerance) {
        dx = -u.x / slip;
        dy = -u.y / slip;
        across = mu * load / slip;
    } else {
        dx = x.x / wish;
        dy = x.y / wish;
        across = k;
    }
    across = min2(across, k);
    r->a = mat3(vec(across * dy * dy, -across * dx * dy, mu * dx * k),
                vec(-across * dx * dy, across * dx * dx, mu * dy * k), vec(0, 0, k));
    r->b = vec(mu * dx * row->p.z, mu * dy * row->p.z, row->p.z);
}

static void set_law(Semismooth *s, int i) {
    const ContactRow *row = &s->problem->contact[i];
    RowLaw *r = &s->row[i];
    impVec3 u = add(problem_contact_velocity(s->problem, row), row->bias);
    impVec3 x = madd(row->p, -MODE_WEIGHT * r->stiffness, u);
    if (x.z <= 0) {
        set_open(r);
    } else if (x.x * x.x + x.y * x.y <= row->friction * row->friction * x.z * x.z) {
        double k = KAPPA * r->stiffness;
        r->a = mat3_diagonal(k, k, k);
        r->b = row->p;
    } else {
        set_slide(r, row, u, x, s->tolerance);
    }
}

// --- the linear system ---------------------------------------------------------------------------

static void add_to(double *six, impVec3 linear, impVec3 angular) {
    six[0] += linear.x;
    six[1] += linear.y;
    six[2] += linear.z;
    six[3] += angular.x;
    six[4] += angular.y;
    six[5] += angular.z;
}

// J of a row on one body: three rows of six.
typedef struct Jacobian {
    double row[3][SIX];
} Jacobian;

static Jacobian jacobian_of(const ContactRow *row, impVec3 arm, double sign) {
    const impVec3 axis[3] = { row->t1, row->t2, row->n };
    Jacobian out = { { { 0 } } };
    for (int k = 0; k < 3; k++) {
        add_to(out.row[k], scale(sign, axis[k]), scale(sign, cross(arm, axis[k])));
    }
    return out;
}

// Adds J_i^T a J_j.
static void add_product(Semismooth *s, int i, int j, const Jacobian *ji, const Jacobian *jj,
                        const Mat3 *a) {
    double block[BLOCK], aj[3][SIX];
    for (int c = 0; c < SIX; c++) {
        impVec3 column = mul(*a, vec(jj->row[0][c], jj->row[1][c], jj->row[2][c]));
        aj[0][c] = column.x;
        aj[1][c] = column.y;
        aj[2][c] = column.z;
    }
    for (int r = 0; r < SIX; r++) {
        for (int c = 0; c < SIX; c++) {
            block[SIX * r + c] = ji->row[0][r] * aj[0][c] + ji->row[1][r] * aj[1][c] +
                                 ji->row[2][r] * aj[2][c];
        }
    }
    block_lu_add(&s->lu, i, j, block);
}

static void add_contact(Semismooth *s, int i) {
    const ContactRow *row = &s->problem->contact[i];
    const RowLaw *r = &s->row[i];
    if (r->a.z.z == 0) return;

    // right side: J^T (b - a bias)
    impVec3 p = sub(r->b, mul(r->a, row->bias));
    impVec3 world = madd(madd(scale(p.x, row->t1), p.y, row->t2), p.z, row->n);
    add_to(s->right + SIX * (size_t)row->a, world, cross(row->arm_a, world));
    Jacobian ja = jacobian_of(row, row->arm_a, 1);
    add_product(s, row->a, row->a, &ja, &ja, &r->a);
    if (row->b < 0) return;
    add_to(s->right + SIX * (size_t)row->b, neg(world), neg(cross(row->arm_b, world)));
    Jacobian jb = jacobian_of(row, row->arm_b, -1);
    add_product(s, row->b, row->b, &jb, &jb, &r->a);
    add_product(s, row->a, row->b, &ja, &jb, &r->a);
    add_product(s, row->b, row->a, &jb, &ja, &r->a);
}

static void add_bilateral(Semismooth *s, const BilateralRow *row) {
    double k = KAPPA / problem_bilateral_matrix(s->problem, row);
    double p = row->p - k * row->bias;
    Mat3 a = mat3_diagonal(k, 0, 0);
    Jacobian ja = { { { 0 } } };
    Jacobian jb = { { { 0 } } };
    add_to(ja.row[0], row->linear_a, row->angular_a);
    add_to(jb.row[0], row->linear_b, row->angular_b);
    if (row->a >= 0) {
        add_to(s->right + SIX * (size_t)row->a, scale(p, row->linear_a), scale(p, row->angular_a));
        add_product(s, row->a, row->a, &ja, &ja, &a);
    }
    if (row->b >= 0) {
        add_to(s->right + SIX * (size_t)row->b, scale(p, row->linear_b), scale(p, row->angular_b));
        add_product(s, row->b, row->b, &jb, &jb, &a);
    }
    if (row->a >= 0 && row->b >= 0) {
        add_product(s, row->a, row->b, &ja, &jb, &a);
        add_product(s, row->b, row->a, &jb, &ja, &a);
    }
}

static void set_system(Semismooth *s) {
    const Problem *problem = s->problem;
    block_lu_clear(&s->lu);
    for (int i = 0; i < problem->body_count; i++) {
        const ProblemBody *body = &problem->body[i];
        const impVec3 rows[3] = { body->inertia.x, body->inertia.y, body->inertia.z };
        double block[BLOCK] = { 0 };
        block[0] = block[SIX + 1] = block[2 * SIX + 2] = body->mass;
        for (int k = 0; k < 3; k++) {
            block[SIX * (3 + k) + 3] = rows[k].x;
            block[SIX * (3 + k) + 4] = rows[k].y;
            block[SIX * (3 + k) + 5] = rows[k].z;
        }
        block_lu_add(&s->lu, i, i, block);
        double *right = s->right + SIX * (size_t)i;
        memset(right, 0, SIX * sizeof *right);
        add_to(right, scale(body->mass, body->free_v), mul(body->inertia, body->free_w));
    }
    for (int i = 0; i < problem->contact_count; i++) {
        set_law(s, i);
        add_contact(s, i);
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        add_bilateral(s, &problem->bilateral[i]);
    }
}

// --- a step --------------------------------------------------------------------------------------

// The impulses at the velocities found, in their cones, and the velocities that these cause.
static void take_over(Semismooth *s) {
    const Problem *problem = s->problem;
    for (int i = 0; i < problem->body_count; i++) {
        const double *x = s->right + SIX * (size_t)i;
        problem->body[i].v = vec(x[0], x[1], x[2]);
        problem->body[i].w = vec(x[3], x[4], x[5]);
    }
    for (int i = 0; i < problem->contact_count; i++) {
        ContactRow *row = &problem->contact[i];
        const RowLaw *r = &s->row[i];
        impVec3 u = add(problem_contact_velocity(problem, row), row->bias);
        impVec3 p = sub(r->b, mul(r->a, u));
        p.z = max2(p.z, 0);
        double limit = row->friction * p.z;
        double size = sqrt(p.x * p.x + p.y * p.y);
        if (size > limit) {
            p.x *= limit / size;
            p.y *= limit / size;
        }
        row->p = p;
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        BilateralRow *row = &problem->bilateral[i];
        double u = problem_bilateral_velocity(problem, row) + row->bias;
        row->p -= KAPPA / problem_bilateral_matrix(problem, row) * u;
    }
    problem_set_velocities(problem);
}

static void keep_best(Semismooth *s) {
    for (int i = 0; i < s->problem->contact_count; i++) {
        s->row[i].best = s->problem->contact[i].p;
    }
    for (int i = 0; i < s->problem->bilateral_count; i++) {
        s->bilateral_best[i] = s->problem->bilateral[i].p;
    }
}

static void restore_best(const Semismooth *s) {
    for (int i = 0; i < s->problem->contact_count; i++) {
        s->problem->contact[i].p = s->row[i].best;
    }
    for (int i = 0; i < s->problem->bilateral_count; i++) {
        s->problem->bilateral[i].p = s->bilateral_best[i];
    }
    problem_set_velocities(s->problem);
}

// Returns the number of steps.
static int run_steps(Semismooth *s, const SolverOptions *options, double *residual) {
    int steps = options->iterations > 0 ? options->iterations : STEPS;
    int exceptions = EXCEPTIONS;
    double last = *residual;
    for (int k = 1; k <= steps; k++) {
        set_system(s);
        if (!block_lu_factor(&s->lu)) return k;
        block_lu_solve(&s->lu, s->right, s->spare);
        take_over(s);
        double found = problem_natural_map(s->problem);
        if (found < *residual) {
            *residual = found;
            keep_best(s);
        }
        if (found <= options->tolerance) return k;
        if (!(found <= 0.5 * last) && exceptions-- == 0) return k;
        last = found;
    }
    return steps;
}

SolverReport solver_semismooth(const Problem *problem, const SolverOptions *options,
                               Arena scratch) {
    Semismooth s = { .problem = problem, .tolerance = options->tolerance };
    int steps = 0;
    problem_set_velocities(problem);
    double residual = problem_natural_map(problem);
    bool taken = take(&s, problem->body_count, problem->contact_count, problem->bilateral_count,
                      &scratch);
    if (taken && residual > options->tolerance && block_order(&s.lu.lower, problem)) {
        for (int i = 0; i < problem->contact_count; i++) {
            s.row[i].stiffness = 3 / trace(problem_contact_matrix(problem, &problem->contact[i]));
        }
        keep_best(&s);
        steps = run_steps(&s, options, &residual);
        restore_best(&s);
    }
    problem_set_modes(problem);
    return (SolverReport){ "semismooth", residual, steps, residual <= options->tolerance };
}
