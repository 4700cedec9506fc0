// gradient.c -- accelerated projected gradient steps on the impulses of a contact problem.
//
// Nesterov 1983; Mazhar, Heyn, Negrut & Tasora 2015 for contact. Needs nothing but products with J
// and M^-1, and converges where the matrix of the contacts is singular. The shift of De Saxce is
// that of the present velocities in every step, docs/theory/many-contacts.md section 5. Each
// impulse is scaled by rho = 3 / trace W_cc, so that bodies of different mass converge alike.
//
// SPDX-License-Identifier: MIT
#include "solve/solvers.h"

// Steps where the caller names no number; the natural map is computed once in so many.
enum { STEPS = 2000, CHECK_EVERY = 16, HALVINGS = 40 };
// the step length grows by this factor after each step
#define GROWTH 1.1

typedef struct GradientRow {
    impVec3 now, last, ahead;  // impulses: of this step, the one before, extrapolated
    impVec3 slope;             // m/s: shifted velocity at `ahead`
    impVec3 best;              // of the smallest natural map so far
    double rho;                // N s by m/s
} GradientRow;
typedef struct GradientBilateral {
    double now, last, ahead, slope, best, rho;
} GradientBilateral;
typedef struct Gradient {
    const Problem *problem;
    GradientRow *row;
    GradientBilateral *bilateral;
    impVec3 *twist;  // v and w at `ahead`, two a body
} Gradient;

static bool take(Gradient *g, int bodies, int contacts, int bilaterals, Arena *scratch) {
    g->row = TAKE(scratch, GradientRow, contacts);
    g->bilateral = TAKE(scratch, GradientBilateral, bilaterals);
    g->twist = TAKE(scratch, impVec3, 2 * bodies);
    return !*scratch->full;
}

static void begin(Gradient *g) {
    const Problem *problem = g->problem;
    for (int i = 0; i < problem->contact_count; i++) {
        const ContactRow *row = &problem->contact[i];
        GradientRow *r = &g->row[i];
        r->now = r->last = r->best = problem_project(row->p, row->friction);
        r->rho = 3 / trace(problem_contact_matrix(problem, row));
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        const BilateralRow *row = &problem->bilateral[i];
        GradientBilateral *r = &g->bilateral[i];
        r->now = r->last = r->best = row->p;
        r->rho = 1 / problem_bilateral_matrix(problem, row);
    }
}

// Extrapolates, and sets the slopes there.
static void look_ahead(Gradient *g, double momentum) {
    const Problem *problem = g->problem;
    for (int i = 0; i < problem->contact_count; i++) {
        GradientRow *r = &g->row[i];
        r->ahead = madd(r->now, momentum, sub(r->now, r->last));
        problem->contact[i].p = r->ahead;
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        GradientBilateral *r = &g->bilateral[i];
        r->ahead = r->now + momentum * (r->now - r->last);
        problem->bilateral[i].p = r->ahead;
    }
    problem_set_velocities(problem);
    for (int i = 0; i < problem->contact_count; i++) {
        const ContactRow *row = &problem->contact[i];
        impVec3 u = add(problem_contact_velocity(problem, row), row->bias);
        u.z += row->friction * sqrt(u.x * u.x + u.y * u.y);
        g->row[i].slope = u;
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        const BilateralRow *row = &problem->bilateral[i];
        g->bilateral[i].slope = problem_bilateral_velocity(problem, row) + row->bias;
    }
    for (int i = 0; i < problem->body_count; i++) {
        g->twist[2 * i] = problem->body[i].v;
        g->twist[2 * i + 1] = problem->body[i].w;
    }
}

// Steps from `ahead` down the slope with a step length. Returns by how much the quadratic function
// exceeds its bound, J: not above 0 if the length is short enough.
static double try_length(const Gradient *g, double length) {
    const Problem *problem = g->problem;
    double bound = 0;
    for (int i = 0; i < problem->contact_count; i++) {
        ContactRow *row = &problem->contact[i];
        const GradientRow *r = &g->row[i];
        row->p = problem_project(madd(r->ahead, -length * r->rho, r->slope), row->friction);
        impVec3 change = sub(row->p, r->ahead);
        bound += dot(change, change) / (length * r->rho);
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        const GradientBilateral *r = &g->bilateral[i];
        double change = -length * r->rho * r->slope;
        problem->bilateral[i].p = r->ahead + change;
        bound += change * change / (length * r->rho);
    }
    problem_set_velocities(problem);
    double energy = 0;
    for (int i = 0; i < problem->body_count; i++) {
        const ProblemBody *body = &problem->body[i];
        impVec3 v = sub(body->v, g->twist[2 * i]);
        impVec3 w = sub(body->w, g->twist[2 * i + 1]);
        energy += body->mass * dot(v, v) + dot(w, mul(body->inertia, w));
    }
    return energy - bound;
}

// Accepts the step. True: it goes uphill, and the extrapolation has to start anew.
static bool accept(Gradient *g) {
    const Problem *problem = g->problem;
    double climb = 0;
    for (int i = 0; i < problem->contact_count; i++) {
        GradientRow *r = &g->row[i];
        r->last = r->now;
        r->now = problem->contact[i].p;
        climb += dot(r->slope, sub(r->now, r->last));
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        GradientBilateral *r = &g->bilateral[i];
        r->last = r->now;
        r->now = problem->bilateral[i].p;
        climb += r->slope * (r->now - r->last);
    }
    return climb > 0;
}

static void keep_best(Gradient *g) {
    for (int i = 0; i < g->problem->contact_count; i++) {
        g->row[i].best = g->row[i].now;
    }
    for (int i = 0; i < g->problem->bilateral_count; i++) {
        g->bilateral[i].best = g->bilateral[i].now;
    }
}

// Sets the impulses of the rows: the last ones, or the best.
static void set_impulses(const Gradient *g, bool best) {
    for (int i = 0; i < g->problem->contact_count; i++) {
        g->problem->contact[i].p = best ? g->row[i].best : g->row[i].now;
    }
    for (int i = 0; i < g->problem->bilateral_count; i++) {
        g->problem->bilateral[i].p = best ? g->bilateral[i].best : g->bilateral[i].now;
    }
    problem_set_velocities(g->problem);
}

// Returns the number of steps.
static int descend(Gradient *g, const SolverOptions *options, double *residual) {
    int steps = options->iterations > 0 ? options->iterations : STEPS;
    double theta = 1, momentum = 0, length = 1;
    for (int k = 1; k <= steps; k++) {
        look_ahead(g, momentum);
        for (int i = 0; i < HALVINGS && try_length(g, length) > 0; i++) {
            length *= 0.5;
        }
        bool uphill = accept(g);

        // Nesterov's sequence, from its start again where the last step went uphill
        double next = 0.5 *
                      (sqrt(theta * theta * theta * theta + 4 * theta * theta) - theta * theta);
        momentum = uphill ? 0 : theta * (1 - theta) / (theta * theta + next);
        theta = uphill ? 1 : next;
        length *= GROWTH;

        if (k % CHECK_EVERY && k < steps) continue;
        double found = problem_natural_map(g->problem);
        if (found < *residual) {
            *residual = found;
            keep_best(g);
        }
        if (found <= options->tolerance) return k;
    }
    return steps;
}

SolverReport solver_gradient(const Problem *problem, const SolverOptions *options, Arena scratch) {
    Gradient g = { .problem = problem };
    double residual = HUGE_VAL;
    int steps = 0;
    if (take(&g, problem->body_count, problem->contact_count, problem->bilateral_count, &scratch)) {
        begin(&g);
        set_impulses(&g, true);
        residual = problem_natural_map(problem);
        if (!(residual <= options->tolerance)) {
            steps = descend(&g, options, &residual);
        }
        set_impulses(&g, true);
    }
    problem_set_modes(problem);
    return (SolverReport){ "gradient", residual, steps, residual <= options->tolerance };
}

size_t solver_gradient_scratch(int bodies, int contacts, int bilaterals) {
    bool full = false;
    Arena counting = arena_counting(&full);
    Gradient g = { 0 };
    take(&g, bodies, contacts, bilaterals, &counting);
    return counting.used;
}
