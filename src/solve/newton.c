// newton.c -- Newton's method for a contact problem in the velocities of the bodies: a sequence of
// convex problems, each solved with a sparse Cholesky factor.
//
// Proximal (augmented Lagrangian) form of the contact laws, docs/theory/many-contacts.md section 6.
// With De Saxce's shift s = mu |u_t| and last impulses p' held fixed, the velocities minimise
//
//   psi(v) = |v - v_f|_M^2 / 2 + sum |P_K(x)|^2 / (2 rho),   x = p' - rho (J v + bias + s n)   (8)
//
// a strictly convex function whose gradient is M (v - v_f) - J^T p with p = P_K(x). Outer loop: new
// shifts and impulses. rho = kappa 3 / trace W_cc, so that kappa is a pure number: the larger, the
// fewer outer passes, and the harder each of them (De Saxce & Feng 1998; Rockafellar 1976;
// Acary & Brogliato 2008, chapter 13). M + J^T rho D J is positive definite even where the contact
// forces are not unique, as under a table with four legs.
//
// SPDX-License-Identifier: MIT
#include "solve/solvers.h"

#include <string.h>

enum {
    SIX = 6,
    OUTER = 40,         // passes with new shifts and impulses
    STEPS = 40,         // Newton steps of a pass
    SEARCHES = 12,      // points of a line search
    KAPPAS = 2,         // attempts, each with ten times the last kappa
    BLOCKS_OF_BODY = 8  // room for blocks of the factor, by body ...
};
// ... and at least. Stacks and walls need 2 to 7 a body, heaps of 100 bodies 5.
#define BLOCKS 4096
// 1: first kappa. Larger ones need fewer passes where little slides, and fail where much does.
#define KAPPA 1e4
// 1: passes go on while each leaves at most so much of the natural map
#define CONTRACTION 0.95
// 1, of the tolerance: of the gradient, as a velocity, where a pass ends
#define GRADIENT_TOLERANCE 0.1
// 1, of the slope at its start: a line search ends at a smaller one
#define SLOPE_RATIO 0.1

typedef struct NewtonRow {
    double rho;       // N s by m/s
    impVec3 last;     // p' of (8)
    double shift;     // m/s: s of (8)
    impVec3 x, p, u;  // at the present velocities
    impVec3 change;   // of u along the Newton step
    impVec3 best;     // impulse of the smallest natural map so far
} NewtonRow;
typedef struct NewtonBilateral {
    double rho, last, x, change, best;
} NewtonBilateral;

typedef struct Newton {
    const Problem *problem;
    NewtonRow *row;
    NewtonBilateral *bilateral;
    impVec3 *start;                   // v and w of a pass, two a body
    double *gradient, *step, *spare;  // six a body
    BlockMatrix matrix;
    int steps;  // of all passes
} Newton;

static int block_room(int bodies) {
    return bodies * BLOCKS_OF_BODY > BLOCKS ? bodies * BLOCKS_OF_BODY : BLOCKS;
}

static bool take(Newton *n, int bodies, int contacts, int bilaterals, Arena *scratch) {
    size_t numbers = SIX * (size_t)bodies;
    n->row = TAKE(scratch, NewtonRow, contacts);
    n->bilateral = TAKE(scratch, NewtonBilateral, bilaterals);
    n->start = TAKE(scratch, impVec3, 2 * bodies);
    n->gradient = TAKE(scratch, double, numbers);
    n->step = TAKE(scratch, double, numbers);
    n->spare = TAKE(scratch, double, numbers);
    block_take(&n->matrix, bodies, block_room(bodies), scratch);
    return !*scratch->full;
}

size_t solver_newton_scratch(int bodies, int contacts, int bilaterals) {
    bool full = false;
    Arena counting = arena_counting(&full);
    Newton n = { 0 };
    take(&n, bodies, contacts, bilaterals, &counting);
    return counting.used;
}

// --- psi and its gradient ------------------------------------------------------------------------

static void add_to(double *out, impVec3 linear, impVec3 angular) {
    out[0] += linear.x;
    out[1] += linear.y;
    out[2] += linear.z;
    out[3] += angular.x;
    out[4] += angular.y;
    out[5] += angular.z;
}

// x and p of (8) in all rows, at the velocities of the bodies.
static void evaluate_rows(Newton *n) {
    const Problem *problem = n->problem;
    for (int i = 0; i < problem->contact_count; i++) {
        const ContactRow *row = &problem->contact[i];
        NewtonRow *r = &n->row[i];
        r->u = add(problem_contact_velocity(problem, row), row->bias);
        r->x = madd(r->last, -r->rho, vec(r->u.x, r->u.y, r->u.z + r->shift));
        r->p = problem_project(r->x, row->friction);
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        const BilateralRow *row = &problem->bilateral[i];
        NewtonBilateral *r = &n->bilateral[i];
        r->x = r->last - r->rho * (problem_bilateral_velocity(problem, row) + row->bias);
    }
}

// Gradient of psi, N s and N m s. Returns its size as a velocity, m/s, of the worst body; rotation
// counts with the radius of gyration.
static double set_gradient(Newton *n) {
    const Problem *problem = n->problem;
    for (int i = 0; i < problem->body_count; i++) {
        const ProblemBody *body = &problem->body[i];
        double *g = n->gradient + SIX * (size_t)i;
        memset(g, 0, SIX * sizeof *g);
        add_to(g, scale(body->mass, sub(body->v, body->free_v)),
               mul(body->inertia, sub(body->w, body->free_w)));
    }
    for (int i = 0; i < problem->contact_count; i++) {
        const ContactRow *row = &problem->contact[i];
        impVec3 p = n->row[i].p;
        impVec3 world = madd(madd(scale(p.x, row->t1), p.y, row->t2), p.z, row->n);
        add_to(n->gradient + SIX * (size_t)row->a, neg(world), neg(cross(row->arm_a, world)));
        if (row->b >= 0) {
            add_to(n->gradient + SIX * (size_t)row->b, world, cross(row->arm_b, world));
        }
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        const BilateralRow *row = &problem->bilateral[i];
        double p = -n->bilateral[i].x;
        if (row->a >= 0) {
            add_to(n->gradient + SIX * (size_t)row->a, scale(p, row->linear_a),
                   scale(p, row->angular_a));
        }
        if (row->b >= 0) {
            add_to(n->gradient + SIX * (size_t)row->b, scale(p, row->linear_b),
                   scale(p, row->angular_b));
        }
    }

    double most = 0;
    for (int i = 0; i < problem->body_count; i++) {
        const ProblemBody *body = &problem->body[i];
        const double *g = n->gradient + SIX * (size_t)i;
        double radius = sqrt(trace(body->inertia) * body->mass_inverse / 2);
        impVec3 turn = mul(body->inertia_inverse, vec(g[3], g[4], g[5]));
        most = max2(most, body->mass_inverse * norm(vec(g[0], g[1], g[2])));
        most = max2(most, radius * norm(turn));
    }
    return most;
}

// --- matrix --------------------------------------------------------------------------------------

// Three rows of a Jacobian on one body, and a symmetric 3x3 matrix between them.
typedef struct Jacobian {
    double row[3][SIX];
} Jacobian;

static Jacobian contact_jacobian(const ContactRow *row, impVec3 arm, double sign) {
    const impVec3 axis[3] = { row->t1, row->t2, row->n };
    Jacobian out = { { { 0 } } };
    for (int k = 0; k < 3; k++) {
        add_to(out.row[k], scale(sign, axis[k]), scale(sign, cross(arm, axis[k])));
    }
    return out;
}

// Adds J_i^T D J_j at the place of two bodies.
static void add_product(Newton *n, int i, int j, const Jacobian *ji, const Jacobian *jj, Mat3 d) {
    double block[BLOCK], dj[3][SIX];
    for (int c = 0; c < SIX; c++) {
        impVec3 product = mul(d, vec(jj->row[0][c], jj->row[1][c], jj->row[2][c]));
        dj[0][c] = product.x;
        dj[1][c] = product.y;
        dj[2][c] = product.z;
    }
    for (int r = 0; r < SIX; r++) {
        for (int c = 0; c < SIX; c++) {
            block[SIX * r + c] = ji->row[0][r] * dj[0][c] + ji->row[1][r] * dj[1][c] +
                                 ji->row[2][r] * dj[2][c];
        }
    }
    block_add(&n->matrix, i, j, block);
}

static void add_contact(Newton *n, const ContactRow *row, const NewtonRow *r) {
    Mat3 derivative = problem_project_derivative(r->x, row->friction);
    if (trace(derivative) == 0) return;
    Mat3 d = mat3_scale(r->rho, derivative);
    Jacobian ja = contact_jacobian(row, row->arm_a, 1);
    add_product(n, row->a, row->a, &ja, &ja, d);
    if (row->b < 0) return;
    Jacobian jb = contact_jacobian(row, row->arm_b, -1);
    add_product(n, row->b, row->b, &jb, &jb, d);
    add_product(n, row->a, row->b, &ja, &jb, d);
}

static void add_bilateral(Newton *n, const BilateralRow *row, double rho) {
    Mat3 d = mat3_diagonal(rho, 0, 0);
    Jacobian ja = { { { 0 } } };
    Jacobian jb = { { { 0 } } };
    add_to(ja.row[0], row->linear_a, row->angular_a);
    add_to(jb.row[0], row->linear_b, row->angular_b);
    if (row->a >= 0) {
        add_product(n, row->a, row->a, &ja, &ja, d);
    }
    if (row->b >= 0) {
        add_product(n, row->b, row->b, &jb, &jb, d);
    }
    if (row->a >= 0 && row->b >= 0) {
        add_product(n, row->a, row->b, &ja, &jb, d);
    }
}

// M + J^T rho D J
static void set_matrix(Newton *n) {
    const Problem *problem = n->problem;
    block_clear(&n->matrix);
    for (int i = 0; i < problem->body_count; i++) {
        const ProblemBody *body = &problem->body[i];
        const Mat3 inertia = body->inertia;
        double block[BLOCK] = { 0 };
        block[0] = block[SIX + 1] = block[2 * SIX + 2] = body->mass;
        const impVec3 rows[3] = { inertia.x, inertia.y, inertia.z };
        for (int k = 0; k < 3; k++) {
            block[SIX * (3 + k) + 3] = rows[k].x;
            block[SIX * (3 + k) + 4] = rows[k].y;
            block[SIX * (3 + k) + 5] = rows[k].z;
        }
        block_add(&n->matrix, i, i, block);
    }
    for (int i = 0; i < problem->contact_count; i++) {
        add_contact(n, &problem->contact[i], &n->row[i]);
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        add_bilateral(n, &problem->bilateral[i], n->bilateral[i].rho);
    }
}

// --- one pass ------------------------------------------------------------------------------------

// Slope of psi along the Newton step at a part of it.
static double slope_at(const Newton *n, double part) {
    const Problem *problem = n->problem;
    double slope = 0;
    for (int i = 0; i < problem->body_count; i++) {
        const ProblemBody *body = &problem->body[i];
        const double *s = n->step + SIX * (size_t)i;
        impVec3 dv = vec(s[0], s[1], s[2]);
        impVec3 dw = vec(s[3], s[4], s[5]);
        impVec3 v = madd(sub(body->v, body->free_v), part, dv);
        impVec3 w = madd(sub(body->w, body->free_w), part, dw);
        slope += body->mass * dot(dv, v) + dot(dw, mul(body->inertia, w));
    }
    for (int i = 0; i < problem->contact_count; i++) {
        const NewtonRow *r = &n->row[i];
        impVec3 x = madd(r->x, -part * r->rho, r->change);
        slope -= dot(r->change, problem_project(x, problem->contact[i].friction));
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        const NewtonBilateral *r = &n->bilateral[i];
        slope -= r->change * (r->x - part * r->rho * r->change);
    }
    return slope;
}

// Changes of the velocities at all rows along the step: by J, at bodies that move with the step.
static void set_changes(Newton *n) {
    const Problem *problem = n->problem;
    for (int i = 0; i < problem->body_count; i++) {
        ProblemBody *body = &problem->body[i];
        const double *s = n->step + SIX * (size_t)i;
        n->start[2 * i] = body->v;
        n->start[2 * i + 1] = body->w;
        body->v = vec(s[0], s[1], s[2]);
        body->w = vec(s[3], s[4], s[5]);
    }
    for (int i = 0; i < problem->contact_count; i++) {
        n->row[i].change = problem_contact_velocity(problem, &problem->contact[i]);
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        n->bilateral[i].change = problem_bilateral_velocity(problem, &problem->bilateral[i]);
    }
    for (int i = 0; i < problem->body_count; i++) {
        problem->body[i].v = n->start[2 * i];
        problem->body[i].w = n->start[2 * i + 1];
    }
}

// The part of the step where the slope of psi has all but vanished: the whole, or found by false
// position with the Illinois rule. The slope grows along the step, because psi is convex.
static double line_search(const Newton *n) {
    double low = 0, high = 1;
    double slope_low = slope_at(n, 0);
    double slope_high = slope_at(n, 1);
    double enough = SLOPE_RATIO * fabs(slope_low);
    if (slope_high <= enough) return 1;
    for (int i = 0; i < SEARCHES; i++) {
        double part = low + (high - low) * slope_low / (slope_low - slope_high);
        double slope = slope_at(n, part);
        if (fabs(slope) <= enough) return part;
        if (slope < 0) {
            low = part;
            slope_low = slope;
            slope_high *= 0.5;
        } else {
            high = part;
            slope_high = slope;
            slope_low *= 0.5;
        }
    }
    return low > 0 ? low : high;
}

// Adds a part of the step to the velocities.
static void add_step(Newton *n, double part) {
    for (int i = 0; i < n->problem->body_count; i++) {
        ProblemBody *body = &n->problem->body[i];
        const double *s = n->step + SIX * (size_t)i;
        body->v = madd(body->v, part, vec(s[0], s[1], s[2]));
        body->w = madd(body->w, part, vec(s[3], s[4], s[5]));
    }
}

// Minimises psi. False: not within the steps allowed; then the impulses are not to be used, for an
// error in the velocities is one of kappa times as much in the impulses.
static bool minimise(Newton *n, double tolerance, int most) {
    for (int k = 0; k < most; k++) {
        evaluate_rows(n);
        if (set_gradient(n) <= GRADIENT_TOLERANCE * tolerance) return true;
        set_matrix(n);
        if (!block_factor(&n->matrix)) return false;
        for (int i = 0; i < SIX * n->problem->body_count; i++) {
            n->step[i] = -n->gradient[i];
        }
        block_solve(&n->matrix, n->step, n->spare);
        set_changes(n);
        add_step(n, line_search(n));
        n->steps++;
    }
    return false;
}

// --- outer loop ----------------------------------------------------------------------------------

static void begin_pass(Newton *n) {
    const Problem *problem = n->problem;
    for (int i = 0; i < problem->contact_count; i++) {
        const ContactRow *row = &problem->contact[i];
        impVec3 u = add(problem_contact_velocity(problem, row), row->bias);
        n->row[i].last = row->p;
        n->row[i].shift = row->friction * sqrt(u.x * u.x + u.y * u.y);
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        n->bilateral[i].last = problem->bilateral[i].p;
    }
}

static void end_pass(Newton *n) {
    const Problem *problem = n->problem;
    for (int i = 0; i < problem->contact_count; i++) {
        problem->contact[i].p = n->row[i].p;
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        problem->bilateral[i].p = n->bilateral[i].x;
    }
    problem_set_velocities(problem);
}

static void keep_best(Newton *n) {
    for (int i = 0; i < n->problem->contact_count; i++) {
        n->row[i].best = n->problem->contact[i].p;
    }
    for (int i = 0; i < n->problem->bilateral_count; i++) {
        n->bilateral[i].best = n->problem->bilateral[i].p;
    }
}

static void restore_best(Newton *n) {
    for (int i = 0; i < n->problem->contact_count; i++) {
        n->problem->contact[i].p = n->row[i].best;
    }
    for (int i = 0; i < n->problem->bilateral_count; i++) {
        n->problem->bilateral[i].p = n->bilateral[i].best;
    }
    problem_set_velocities(n->problem);
}

// Passes with one kappa, from the best impulses so far; *residual: of these. As many as the caller
// asks for, or until they no longer contract. False: the convex problem of a pass was not solved.
static bool run_passes(Newton *n, double kappa, const SolverOptions *options, double *residual) {
    const Problem *problem = n->problem;
    bool asked = options->iterations > 0;
    int passes = asked ? options->iterations : OUTER;
    for (int i = 0; i < problem->contact_count; i++) {
        n->row[i].rho = 3 * kappa / trace(problem_contact_matrix(problem, &problem->contact[i]));
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        n->bilateral[i].rho = kappa / problem_bilateral_matrix(problem, &problem->bilateral[i]);
    }
    for (int k = 0; k < passes; k++) {
        begin_pass(n);
        if (!minimise(n, options->tolerance, STEPS)) return false;
        end_pass(n);
        double found = problem_natural_map(problem);
        bool contracts = asked || found <= CONTRACTION * *residual;
        if (found < *residual) {
            *residual = found;
            keep_best(n);
        }
        if (found <= options->tolerance || !contracts) break;
    }
    return true;
}

SolverReport solver_newton(const Problem *problem, const SolverOptions *options, Arena scratch) {
    Newton n = { .problem = problem };
    problem_set_velocities(problem);
    double residual = problem_natural_map(problem);
    bool taken = take(&n, problem->body_count, problem->contact_count, problem->bilateral_count,
                      &scratch);
    if (taken && block_order(&n.matrix, problem)) {
        keep_best(&n);
        double kappa = KAPPA;
        for (int k = 0; k < KAPPAS && !(residual <= options->tolerance); k++) {
            bool good = run_passes(&n, kappa, options, &residual);
            restore_best(&n);
            if (!good) break;
            kappa *= 10;
        }
    }
    problem_set_modes(problem);
    return (SolverReport){ "newton", residual, n.steps, residual <= options->tolerance };
}

// --- at rest -------------------------------------------------------------------------------------

static double fastest(const Problem *problem) {
    double most = 0;
    for (int i = 0; i < problem->body_count; i++) {
        most = max2(most, problem_speed(&problem->body[i]));
    }
    return most;
}

int solver_hold(const Problem *problem, double tolerance, Arena scratch) {
    enum { PASSES = 8 };
    const double softer = 0.1;       // 1, of KAPPA: heaps slide while they are being solved
    const double no_progress = 0.9;  // 1: what does not get slower than that cannot be held
    Newton n = { .problem = problem };
    bool taken = take(&n, problem->body_count, problem->contact_count, problem->bilateral_count,
                      &scratch);
    if (!taken) return 0;
    if (!block_order(&n.matrix, problem)) return 0;
    for (int i = 0; i < problem->contact_count; i++) {
        const ContactRow *row = &problem->contact[i];
        n.row[i].rho = 3 * softer * KAPPA / trace(problem_contact_matrix(problem, row));
        n.row[i].shift = 0;
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        const BilateralRow *row = &problem->bilateral[i];
        n.bilateral[i].rho = softer * KAPPA / problem_bilateral_matrix(problem, row);
    }
    problem_set_velocities(problem);
    double last = HUGE_VAL;
    for (int k = 0; k < PASSES; k++) {
        for (int i = 0; i < problem->contact_count; i++) {
            n.row[i].last = problem->contact[i].p;
        }
        for (int i = 0; i < problem->bilateral_count; i++) {
            n.bilateral[i].last = problem->bilateral[i].p;
        }
        if (!minimise(&n, tolerance, STEPS)) break;
        double found = fastest(problem);
        for (int i = 0; i < problem->contact_count; i++) {
            problem->contact[i].p = n.row[i].p;
        }
        for (int i = 0; i < problem->bilateral_count; i++) {
            problem->bilateral[i].p = n.bilateral[i].x;
        }
        if (found <= tolerance || found > no_progress * last) break;
        last = found;
    }
    return n.steps;
}
