// gauss_seidel.c -- sweeps over the rows of a contact problem, one row at a time (Gauss-Seidel),
// plain or with a conjugate direction between sweeps.
//
// Bender & Schmitt 2006, section 3: iterated impulses. A contact row takes the normal impulse that
// ends its approach and then friction, (5) of docs/theory/many-contacts.md; the accumulated
// impulses are projected, not their changes. The conjugate direction is that of Silcowitz-Hansen,
// Niebe & Erleben 2010, section 3 (nonsmooth nonlinear conjugate gradients).
//
// SPDX-License-Identifier: MIT
#include "solve/solvers.h"

// Sweeps where the caller names no number.
enum { SWEEPS = 200 };
// 1, of the tolerance: the sweeps end when one changes no velocity by more. The natural map, which
// costs as much as a sweep, is computed only then.
#define ENDING_CHANGE 0.1

// A contact row as sweeps read it.
typedef struct SweepRow {
    impVec3 turn_a[3], turn_b[3];          // arm x e, for e = t1, t2, n
    impVec3 response_a[3], response_b[3];  // I^-1 (arm x e)
    Mat3 w;                                // the matrix of the row
    double normal_step;                    // N s by m/s: 1 / W_nn
    double tangent_step;                   // the same: 1 / largest eigenvalue of W_tt
} SweepRow;

// Larger eigenvalue of the tangential block of a matrix.
static double largest_tangent(Mat3 w) {
    double mean = 0.5 * (w.x.x + w.y.y);
    double half = 0.5 * (w.x.x - w.y.y);
    return mean + sqrt(half * half + w.x.y * w.x.y);
}

static void set_arms(const ProblemBody *body, impVec3 arm, const ContactRow *row, impVec3 *turn,
                     impVec3 *response) {
    const impVec3 axis[3] = { row->t1, row->t2, row->n };
    for (int k = 0; k < 3; k++) {
        turn[k] = cross(arm, axis[k]);
        response[k] = mul(body->inertia_inverse, turn[k]);
    }
}

static void prepare(const Problem *problem, SweepRow *out) {
    for (int i = 0; i < problem->contact_count; i++) {
        const ContactRow *row = &problem->contact[i];
        set_arms(&problem->body[row->a], row->arm_a, row, out[i].turn_a, out[i].response_a);
        if (row->b >= 0) {
            set_arms(&problem->body[row->b], row->arm_b, row, out[i].turn_b, out[i].response_b);
        }
        out[i].w = problem_contact_matrix(problem, row);
        out[i].normal_step = 1 / out[i].w.z.z;
        out[i].tangent_step = 1 / largest_tangent(out[i].w);
    }
}

// u of a row with its bias, in its frame.
static impVec3 velocity(const Problem *problem, const ContactRow *row, const SweepRow *s) {
    const ProblemBody *a = &problem->body[row->a];
    impVec3 v = a->v;
    impVec3 u = vec(dot(s->turn_a[0], a->w), dot(s->turn_a[1], a->w), dot(s->turn_a[2], a->w));
    if (row->b >= 0) {
        const ProblemBody *b = &problem->body[row->b];
        v = sub(v, b->v);
        u = sub(u, vec(dot(s->turn_b[0], b->w), dot(s->turn_b[1], b->w), dot(s->turn_b[2], b->w)));
    }
    u = add(u, vec(dot(row->t1, v), dot(row->t2, v), dot(row->n, v)));
    return add(u, row->bias);
}

static impVec3 combine(const impVec3 *axes, impVec3 p) {
    return madd(madd(scale(p.x, axes[0]), p.y, axes[1]), p.z, axes[2]);
}

static void apply(const Problem *problem, const ContactRow *row, const SweepRow *s, impVec3 p) {
    const impVec3 axis[3] = { row->t1, row->t2, row->n };
    impVec3 world = combine(axis, p);
    ProblemBody *a = &problem->body[row->a];
    a->v = madd(a->v, a->mass_inverse, world);
    a->w = add(a->w, combine(s->response_a, p));
    if (row->b < 0) return;
    ProblemBody *b = &problem->body[row->b];
    b->v = madd(b->v, -b->mass_inverse, world);
    b->w = sub(b->w, combine(s->response_b, p));
}

// The impulse of a row after its turn, (5). The step of friction is a number, not the inverse of
// W_tt: with the inverse the projection on the disc would end at friction against W_tt^-1 u_t
// instead of u_t.
static impVec3 next_impulse(const ContactRow *row, const SweepRow *s, impVec3 u) {
    impVec3 p = row->p;
    p.z = max2(p.z - s->normal_step * u.z, 0);
    double change = p.z - row->p.z;
    p.x -= s->tangent_step * (u.x + s->w.x.z * change);
    p.y -= s->tangent_step * (u.y + s->w.y.z * change);
    double limit = row->friction * p.z;
    double size = sqrt(p.x * p.x + p.y * p.y);
    if (size > limit) {
        p.x *= limit / size;
        p.y *= limit / size;
    }
    return p;
}

// One sweep over all rows. Returns the largest change of velocity at a row, by its own change of
// impulse, m/s.
static double sweep(const Problem *problem, const SweepRow *work) {
    double most = 0;
    for (int i = 0; i < problem->bilateral_count; i++) {
        BilateralRow *row = &problem->bilateral[i];
        double u = problem_bilateral_velocity(problem, row) + row->bias;
        double change = -u / problem_bilateral_matrix(problem, row);
        row->p += change;
        problem_apply_bilateral(problem, row, change);
        most = max2(most, fabs(u));
    }
    for (int i = 0; i < problem->contact_count; i++) {
        ContactRow *row = &problem->contact[i];
        impVec3 u = velocity(problem, row, &work[i]);
        impVec3 p = next_impulse(row, &work[i], u);
        impVec3 change = sub(p, row->p);
        if (zero3(change)) continue;
        row->p = p;
        apply(problem, row, &work[i], change);
        most = max2(most, largest(mul(work[i].w, change)));
    }
    return most;
}

// --- conjugate direction -------------------------------------------------------------------------

typedef struct Direction {
    impVec3 *contact;  // by contact row: N s
    double *bilateral;
    double length;  // of the last change, squared, by W_cc: J
    bool exists;
} Direction;

// Adds beta times the last direction to the impulses that a sweep has found, where beta is the
// ratio of the lengths of the last two changes; starts again where they grow.
static void follow_direction(const Problem *problem, const SweepRow *work,
                             const impVec3 *contact_before, const double *bilateral_before,
                             Direction *d) {
    // the change by the sweep
    double length = 0;
    for (int i = 0; i < problem->contact_count; i++) {
        impVec3 change = sub(problem->contact[i].p, contact_before[i]);
        length += dot(change, mul(work[i].w, change));
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        double change = problem->bilateral[i].p - bilateral_before[i];
        length += change * change * problem_bilateral_matrix(problem, &problem->bilateral[i]);
    }
    double beta = d->exists && length < d->length ? length / d->length : 0;

    // impulses, velocities and the next direction
    for (int i = 0; i < problem->contact_count; i++) {
        ContactRow *row = &problem->contact[i];
        impVec3 change = sub(row->p, contact_before[i]);
        if (beta > 0) {
            impVec3 p = problem_project(madd(row->p, beta, d->contact[i]), row->friction);
            apply(problem, row, &work[i], sub(p, row->p));
            row->p = p;
            change = madd(change, beta, d->contact[i]);
        }
        d->contact[i] = change;
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        BilateralRow *row = &problem->bilateral[i];
        double change = row->p - bilateral_before[i];
        if (beta > 0) {
            row->p += beta * d->bilateral[i];
            problem_apply_bilateral(problem, row, beta * d->bilateral[i]);
            change += beta * d->bilateral[i];
        }
        d->bilateral[i] = change;
    }
    d->length = length;
    d->exists = true;
}

// --- the solvers ---------------------------------------------------------------------------------

static SolverReport finish(const Problem *problem, const SolverOptions *options, const char *name,
                           int sweeps) {
    problem_set_velocities(problem);
    problem_set_modes(problem);
    double residual = problem_natural_map(problem);
    return (SolverReport){ name, residual, sweeps, residual <= options->tolerance };
}

SolverReport solver_sweeps(const Problem *problem, const SolverOptions *options, Arena scratch) {
    SweepRow *work = TAKE(&scratch, SweepRow, problem->contact_count);
    int most = options->iterations > 0 ? options->iterations : SWEEPS;
    int sweeps = 0;
    problem_set_velocities(problem);
    if (*scratch.full) return finish(problem, options, "sweeps", 0);
    prepare(problem, work);
    while (sweeps < most) {
        double change = sweep(problem, work);
        sweeps++;
        if (change <= ENDING_CHANGE * options->tolerance) break;
    }
    return finish(problem, options, "sweeps", sweeps);
}

SolverReport solver_conjugate(const Problem *problem, const SolverOptions *options, Arena scratch) {
    SweepRow *work = TAKE(&scratch, SweepRow, problem->contact_count);
    impVec3 *before = TAKE(&scratch, impVec3, problem->contact_count);
    double *bilateral_before = TAKE(&scratch, double, problem->bilateral_count);
    Direction direction = { .contact = TAKE(&scratch, impVec3, problem->contact_count),
                            .bilateral = TAKE(&scratch, double, problem->bilateral_count) };
    int most = options->iterations > 0 ? options->iterations : SWEEPS;
    int sweeps = 0;
    problem_set_velocities(problem);
    if (*scratch.full) return finish(problem, options, "conjugate", 0);
    prepare(problem, work);
    while (sweeps < most) {
        for (int i = 0; i < problem->contact_count; i++) {
            before[i] = problem->contact[i].p;
        }
        for (int i = 0; i < problem->bilateral_count; i++) {
            bilateral_before[i] = problem->bilateral[i].p;
        }
        double change = sweep(problem, work);
        sweeps++;
        if (change <= ENDING_CHANGE * options->tolerance || sweeps == most) break;
        follow_direction(problem, work, before, bilateral_before, &direction);
    }
    return finish(problem, options, "conjugate", sweeps);
}

size_t solver_conjugate_scratch(int contacts, int bilaterals) {
    bool full = false;
    Arena counting = arena_counting(&full);
    TAKE(&counting, SweepRow, contacts);
    TAKE(&counting, impVec3, contacts);
    TAKE(&counting, double, bilaterals);
    TAKE(&counting, impVec3, contacts);
    TAKE(&counting, double, bilaterals);
    return counting.used;
}
