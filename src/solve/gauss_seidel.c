// gauss_seidel.c -- sweeps over the rows of a contact problem, one row at a time (Gauss-Seidel),
// plain or with a conjugate direction between sweeps.
//
// Bender & Schmitt 2006, section 3: iterated impulses. A contact row takes the normal impulse that
// ends its approach and then friction, (5) of docs/theory/many-contacts.md; the accumulated
// impulses are projected, not their changes. The conjugate direction is that of Silcowitz-Hansen,
// Niebe & Erleben 2010, section 3 (nonsmooth nonlinear conjugate gradients).
//
// A sweep reads every row and two bodies of each: both are copied into records of a few cache lines
// first, and back in the end.
//
// SPDX-License-Identifier: MIT
#include "solve/solvers.h"

// Sweeps where the caller names no number.
enum { SWEEPS = 200 };
// 1, of the tolerance: the sweeps end when one changes no velocity by more. The natural map, which
// costs as much as a sweep, is computed only then.
#define ENDING_CHANGE 0.1

// A body as sweeps read it; the last one is for rows without a second body, which nothing moves.
typedef struct SweepBody {
    impVec3 v, w;
    double mass_inverse;
    double xx, yy, zz, xy, xz, yz;  // inverse of the inertia, world axes
} SweepBody;

// A contact row as sweeps read it.
typedef struct SweepRow {
    int32_t a, b;
    impVec3 t1, t2, n, arm_a, arm_b;
    impVec3 bias, p;
    double friction;
    double normal_step;             // N s by m/s: 1 / W_nn
    double tangent_step;            // the same: 1 / largest eigenvalue of W_tt
    double coupling_x, coupling_y;  // W_tn: what a normal impulse does to the slip
} SweepRow;

typedef struct Sweeps {
    const Problem *problem;
    SweepBody *body;
    SweepRow *row;
} Sweeps;

static bool take(Sweeps *s, int bodies, int contacts, Arena *scratch) {
    s->body = TAKE(scratch, SweepBody, bodies + 1);
    s->row = TAKE(scratch, SweepRow, contacts);
    return !*scratch->full;
}

// Larger eigenvalue of the tangential block of a matrix.
static double largest_tangent(Mat3 w) {
    double mean = 0.5 * (w.x.x + w.y.y);
    double half = 0.5 * (w.x.x - w.y.y);
    return mean + sqrt(half * half + w.x.y * w.x.y);
}

static void copy_in(Sweeps *s) {
    const Problem *problem = s->problem;
    for (int i = 0; i < problem->body_count; i++) {
        const ProblemBody *body = &problem->body[i];
        const Mat3 *m = &body->inertia_inverse;
        s->body[i] = (SweepBody){ body->v, body->w, body->mass_inverse,
                                  m->x.x,  m->y.y,  m->z.z,
                                  m->x.y,  m->x.z,  m->y.z };
    }
    s->body[problem->body_count] = (SweepBody){ .mass_inverse = 0 };
    for (int i = 0; i < problem->contact_count; i++) {
        const ContactRow *row = &problem->contact[i];
        Mat3 w = problem_contact_matrix(problem, row);
        s->row[i] = (SweepRow){ .a = row->a,
                                .b = row->b < 0 ? problem->body_count : row->b,
                                .t1 = row->t1,
                                .t2 = row->t2,
                                .n = row->n,
                                .arm_a = row->arm_a,
                                .arm_b = row->arm_b,
                                .bias = row->bias,
                                .p = row->p,
                                .friction = row->friction,
                                .normal_step = 1 / w.z.z,
                                .tangent_step = 1 / largest_tangent(w),
                                .coupling_x = w.x.z,
                                .coupling_y = w.y.z };
    }
}

static void copy_out(const Sweeps *s) {
    const Problem *problem = s->problem;
    for (int i = 0; i < problem->body_count; i++) {
        problem->body[i].v = s->body[i].v;
        problem->body[i].w = s->body[i].w;
    }
    for (int i = 0; i < problem->contact_count; i++) {
        problem->contact[i].p = s->row[i].p;
    }
}

// u of a row with its bias, in its frame.
static impVec3 velocity(const Sweeps *s, const SweepRow *row) {
    const SweepBody *a = &s->body[row->a];
    const SweepBody *b = &s->body[row->b];
    impVec3 u = sub(add(a->v, cross(a->w, row->arm_a)), add(b->v, cross(b->w, row->arm_b)));
    return add(vec(dot(row->t1, u), dot(row->t2, u), dot(row->n, u)), row->bias);
}

static void kick(SweepBody *body, impVec3 impulse, impVec3 turn) {
    body->v = madd(body->v, body->mass_inverse, impulse);
    body->w = add(body->w, vec(body->xx * turn.x + body->xy * turn.y + body->xz * turn.z,
                               body->xy * turn.x + body->yy * turn.y + body->yz * turn.z,
                               body->xz * turn.x + body->yz * turn.y + body->zz * turn.z));
}

static void apply(const Sweeps *s, const SweepRow *row, impVec3 p) {
    impVec3 world = madd(madd(scale(p.x, row->t1), p.y, row->t2), p.z, row->n);
    kick(&s->body[row->a], world, cross(row->arm_a, world));
    kick(&s->body[row->b], neg(world), cross(world, row->arm_b));
}

// The impulse of a row after its turn, (5). The step of friction is a number, not the inverse of
// W_tt: with the inverse the projection on the disc would end at friction against W_tt^-1 u_t
// instead of u_t.
static impVec3 next_impulse(const SweepRow *row, impVec3 u) {
    impVec3 p = row->p;
    p.z = max2(p.z - row->normal_step * u.z, 0);
    double change = p.z - row->p.z;
    p.x -= row->tangent_step * (u.x + row->coupling_x * change);
    p.y -= row->tangent_step * (u.y + row->coupling_y * change);
    double limit = row->friction * p.z;
    double square = p.x * p.x + p.y * p.y;
    if (square > limit * limit) {
        double part = limit / sqrt(square);
        p.x *= part;
        p.y *= part;
    }
    return p;
}

// Change of velocity by a change of its own impulse, m/s, the largest of normal and slip.
static double own_change(const SweepRow *row, impVec3 p) {
    double normal = fabs(p.z) / row->normal_step;
    return max2(normal, max2(fabs(p.x), fabs(p.y)) / row->tangent_step);
}

// One turn of a bilateral row; its bodies are those of the sweep. Returns |u|.
static double turn_bilateral(const Sweeps *s, BilateralRow *row) {
    double u = row->bias;
    if (row->a >= 0) {
        u += dot(row->linear_a, s->body[row->a].v) + dot(row->angular_a, s->body[row->a].w);
    }
    if (row->b >= 0) {
        u += dot(row->linear_b, s->body[row->b].v) + dot(row->angular_b, s->body[row->b].w);
    }
    double change = -u / problem_bilateral_matrix(s->problem, row);
    row->p += change;
    if (row->a >= 0) {
        kick(&s->body[row->a], scale(change, row->linear_a), scale(change, row->angular_a));
    }
    if (row->b >= 0) {
        kick(&s->body[row->b], scale(change, row->linear_b), scale(change, row->angular_b));
    }
    return fabs(u);
}

// One sweep over all rows. Returns the largest change of velocity at a row, by its own change of
// impulse, m/s.
static double sweep(const Sweeps *s) {
    const Problem *problem = s->problem;
    double most = 0;
    for (int i = 0; i < problem->bilateral_count; i++) {
        most = max2(most, turn_bilateral(s, &problem->bilateral[i]));
    }
    for (int i = 0; i < problem->contact_count; i++) {
        SweepRow *row = &s->row[i];
        impVec3 p = next_impulse(row, velocity(s, row));
        impVec3 change = sub(p, row->p);
        if (zero3(change)) continue;
        row->p = p;
        apply(s, row, change);
        most = max2(most, own_change(row, change));
    }
    return most;
}

// --- conjugate direction -------------------------------------------------------------------------

typedef struct Direction {
    impVec3 *contact, *contact_before;  // by contact row: N s
    double *bilateral, *bilateral_before;
    double length;  // of the last change, squared: J
    bool exists;
} Direction;

static bool take_direction(Direction *d, int contacts, int bilaterals, Arena *scratch) {
    d->contact = TAKE(scratch, impVec3, contacts);
    d->contact_before = TAKE(scratch, impVec3, contacts);
    d->bilateral = TAKE(scratch, double, bilaterals);
    d->bilateral_before = TAKE(scratch, double, bilaterals);
    return !*scratch->full;
}

static void keep_impulses(const Sweeps *s, Direction *d) {
    for (int i = 0; i < s->problem->contact_count; i++) {
        d->contact_before[i] = s->row[i].p;
    }
    for (int i = 0; i < s->problem->bilateral_count; i++) {
        d->bilateral_before[i] = s->problem->bilateral[i].p;
    }
}

// The squared length of the change by a sweep.
static double length_of_change(const Sweeps *s, const Direction *d) {
    const Problem *problem = s->problem;
    double length = 0;
    for (int i = 0; i < problem->contact_count; i++) {
        const SweepRow *row = &s->row[i];
        impVec3 c = sub(row->p, d->contact_before[i]);
        length += c.z * c.z / row->normal_step + (c.x * c.x + c.y * c.y) / row->tangent_step;
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        double c = problem->bilateral[i].p - d->bilateral_before[i];
        length += c * c * problem_bilateral_matrix(problem, &problem->bilateral[i]);
    }
    return length;
}

// Adds beta times the last direction to the impulses that a sweep has found, where beta is the
// ratio of the lengths of the last two changes; starts again where they grow.
static void follow_direction(const Sweeps *s, Direction *d) {
    const Problem *problem = s->problem;
    double length = length_of_change(s, d);
    double beta = d->exists && length < d->length ? length / d->length : 0;
    for (int i = 0; i < problem->contact_count; i++) {
        SweepRow *row = &s->row[i];
        impVec3 change = sub(row->p, d->contact_before[i]);
        if (beta > 0) {
            impVec3 p = problem_project(madd(row->p, beta, d->contact[i]), row->friction);
            impVec3 more = sub(p, row->p);
            if (!zero3(more)) {
                apply(s, row, more);
            }
            row->p = p;
            change = madd(change, beta, d->contact[i]);
        }
        d->contact[i] = change;
    }
    for (int i = 0; i < problem->bilateral_count; i++) {
        BilateralRow *row = &problem->bilateral[i];
        double change = row->p - d->bilateral_before[i];
        double more = beta > 0 ? beta * d->bilateral[i] : 0;
        row->p += more;
        if (row->a >= 0) {
            kick(&s->body[row->a], scale(more, row->linear_a), scale(more, row->angular_a));
        }
        if (row->b >= 0) {
            kick(&s->body[row->b], scale(more, row->linear_b), scale(more, row->angular_b));
        }
        d->bilateral[i] = change + more;
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

// Sweeps, with directions in between if there are any. Returns how many.
static int run(const Sweeps *s, const SolverOptions *options, Direction *direction) {
    int most = options->iterations > 0 ? options->iterations : SWEEPS;
    double enough = ENDING_CHANGE * options->tolerance;
    for (int sweeps = 1; sweeps < most; sweeps++) {
        if (direction) {
            keep_impulses(s, direction);
        }
        double change = sweep(s);
        if (sweeps == 1) {
            enough = max2(enough, options->reduction * change);
        }
        if (change <= enough) return sweeps;
        if (direction) {
            follow_direction(s, direction);
        }
    }
    sweep(s);
    return most;
}

SolverReport solver_sweeps(const Problem *problem, const SolverOptions *options, Arena scratch) {
    Sweeps s = { .problem = problem };
    int sweeps = 0;
    problem_set_velocities(problem);
    if (take(&s, problem->body_count, problem->contact_count, &scratch)) {
        copy_in(&s);
        sweeps = run(&s, options, NULL);
        copy_out(&s);
    }
    return finish(problem, options, "sweeps", sweeps);
}

SolverReport solver_conjugate(const Problem *problem, const SolverOptions *options, Arena scratch) {
    Sweeps s = { .problem = problem };
    Direction direction = { .exists = false };
    int sweeps = 0;
    problem_set_velocities(problem);
    if (take(&s, problem->body_count, problem->contact_count, &scratch) &&
        take_direction(&direction, problem->contact_count, problem->bilateral_count, &scratch)) {
        copy_in(&s);
        sweeps = run(&s, options, &direction);
        copy_out(&s);
    }
    return finish(problem, options, "conjugate", sweeps);
}

size_t solver_conjugate_scratch(int bodies, int contacts, int bilaterals) {
    bool full = false;
    Arena counting = arena_counting(&full);
    Sweeps s = { 0 };
    Direction direction = { 0 };
    take(&s, bodies, contacts, &counting);
    take_direction(&direction, contacts, bilaterals, &counting);
    return counting.used;
}
