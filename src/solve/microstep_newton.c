// microstep_newton.c -- the contact problem of a micro-step by Newton's method, for all points at
// once.
//
// docs/theory/contact-solver.md, section 6; numbers in brackets are its equations. Unknown are the
// velocities of the bodies. Each point answers as a spring of stiffness D about the impulse of the
// last round, projected on the friction cone (15) (Alart & Curnier 1991), and momentum must
// balance (16). A round solves (16) by Newton's method with halved steps (17); its impulses are
// those of the next round (Rockafellar 1976), and D grows as the violation of the laws falls. A
// round that fails is repeated with a tenth of D. Tangential compliance and stiffness go with the
// load of a point, so that the points of a face stick or slide together.
//
// SPDX-License-Identifier: MIT
#include "solve/microstep_inside.h"

// Tolerances. Test: tests/solve/microstep.c, where no other is named.
//
// numbers of a twist
enum { SIX = 6 };
// steps of a round, of a round with a large D, and of all rounds
enum { MAX_STEPS = 8, MAX_STEPS_STIFF = 5, MAX_STEPS_TOTAL = 150 };
// halvings of a step
enum { HALVINGS = 6 };
// 1, of a step: a round whose step is halved to less makes no progress
#define LEAST_STEP 0.1
// rounds in a row that do not halve the violation
enum { IDLE_ROUNDS = 4 };
// 1, of 1 / k_nn: D at first, and at most where the start is close to the solution; its range
#define FIRST_STIFFNESS      1e2
#define FIRST_STIFFNESS_NEAR 1e5
#define LEAST_STIFFNESS      1.0
#define MAX_STIFFNESS        1e9
// 1: least growth of D after a round of two steps, and of one
#define GROWTH_TWO_STEPS 3
#define GROWTH_ONE_STEP  30
// 1, of the violation: tolerance of a round
#define ROUND_TOLERANCE 1e-2
// 1, of the fastest speed: rounding. Test: tests/method/impulse_scales.c
#define ROUNDING 2e-13
// 1, of s_n p_n: accuracy with which redundant points share a load
#define LOAD_TOLERANCE 3e-4
// 1, of the tolerance: violation of a stagnated solution, from which rounds lead away, or which
// they hardly improve. Test: tests/method/impulse_sleep.c
#define STAGNATED      300
#define STAGNATED_IDLE 100
// 1, of the least violation: a round has led away from the solution
#define DIVERGED 4
// 1, of D: the next D after a round that failed, and its bound for the round after that
#define FAILED_STIFFNESS 0.1
#define FAILED_MAX       5
// 1, of D: largest growth after a round, and growth of its bound
#define MAX_GROWTH       100
#define MAX_GROWTH_BOUND 10
// 1, of the fastest approach: least load in the tangential compliance (18)
#define LEAST_LOAD 1e-6
// 1, of the largest load: least load in the tangential stiffness, which goes with the load while D
// is below TANGENTIAL_FULL
#define LEAST_LOAD_TANGENTIAL 0.1
#define TANGENTIAL_FULL       1e5

typedef struct NewtonProblem {
    MicrostepBody *body;
    MicrostepPoint *point;
    int bodies, points;
    MicrostepWorkspace *matrix;
    double *residual, *step;  // by place of elimination
    double stiffness;         // D, times the point's own k
    double approach;          // m/s: the fastest approach without impulses
    double tolerance;
    double best_violation;  // m/s: violation of the best round
    int steps;              // left
} NewtonProblem;

// --- one point -----------------------------------------------------------------------------------

// u + c of a point, m/s.
static impVec3 velocity(const NewtonProblem *j, const MicrostepPoint *q) {
    return add(microstep_velocity(j->body, q), q->c);
}

// Load p_n k_nn, m/s.
static double load_of(const MicrostepPoint *q) { return q->p.z * q->k.z.z; }

static double largest_load(const NewtonProblem *j) {
    double most = 0;
    for (int i = 0; i < j->points; i++) {
        most = max2(most, load_of(&j->point[i]));
    }
    return most;
}

// D of a point along the normal and across it.
static void set_stiffness(NewtonProblem *j) {
    double most = largest_load(j);
    bool by_load = most > 0 && j->stiffness <= TANGENTIAL_FULL;
    for (int i = 0; i < j->points; i++) {
        MicrostepPoint *q = &j->point[i];
        q->work.stiffness_n = j->stiffness / q->k.z.z;
        q->work.stiffness_t = by_load ? q->work.stiffness_n *
                                            min2(1, max2(load_of(q) / most, LEAST_LOAD_TANGENTIAL))
                                      : q->work.stiffness_n;
        q->work.relief_n = 1 / (1 + q->work.stiffness_n * q->work.compliance_n);
        q->work.relief_t = 1 / (1 + q->work.stiffness_t * q->work.compliance_t);
    }
}

// (18), with the loads as they are.
static void set_tangential_compliance(NewtonProblem *j) {
    for (int i = 0; i < j->points; i++) {
        MicrostepPoint *q = &j->point[i];
        double load = max2(load_of(q), LEAST_LOAD * j->approach);
        q->work.compliance_t = load > 0 ? q->compliance_tangential * q->k.z.z * (j->approach / load)
                                        : 0;
    }
}

// (15): the impulse at velocity u, its mode, and the factors of its derivative.
static void point_impulse(MicrostepPoint *q, impVec3 u) {
    double D = q->work.stiffness_n;
    double S = q->work.stiffness_t;
    double n = q->work.relief_n;
    double t = q->work.relief_t;
    impVec3 z = vec(t * (q->p.x - S * u.x), t * (q->p.y - S * u.y), n * (q->p.z - D * u.z));
    q->work.next_mode = CONTACT_OPEN;
    q->work.next_p = vec(0, 0, 0);
    if (!(z.z > 0)) return;
    double side = sqrt(z.x * z.x + z.y * z.y);
    double hold = q->friction * z.z;
    q->work.next_mode = CONTACT_STICK;
    q->work.next_p = z;
    if (side <= hold && !q->friction_is_given) return;
    q->work.next_mode = CONTACT_SLIDE;
    if (q->friction_is_given) {
        q->work.slide_x = q->given_x;
        q->work.slide_y = q->given_y;
        q->work.slide_stiffness = 0;
    } else {
        q->work.slide_x = z.x / side;
        q->work.slide_y = z.y / side;
        q->work.slide_stiffness = S * t * hold / side;
    }
    q->work.next_p = vec(hold * q->work.slide_x, hold * q->work.slide_y, z.z);
}

// D' of (17) as terms; returns how many.
static int stiffness_terms(const MicrostepPoint *q, MicrostepStiffness term[3]) {
    double n = q->work.stiffness_n * q->work.relief_n;
    double t = q->work.stiffness_t * q->work.relief_t;
    double mu = q->friction;
    if (q->work.next_mode == CONTACT_SLIDE) {
        impVec3 across = sub(scale(q->work.slide_y, q->t1), scale(q->work.slide_x, q->t2));
        impVec3 pushed = microstep_in_world(q, vec(mu * q->work.slide_x, mu * q->work.slide_y, 1));
        term[0] = (MicrostepStiffness){ scale(n, pushed), q->n };
        term[1] = (MicrostepStiffness){ scale(q->work.slide_stiffness, across), across };
        return 2;
    }
    term[0] = (MicrostepStiffness){ scale(t, q->t1), q->t1 };
    term[1] = (MicrostepStiffness){ scale(t, q->t2), q->t2 };
    term[2] = (MicrostepStiffness){ scale(n, q->n), q->n };
    return 3;
}

// --- momentum ------------------------------------------------------------------------------------

static void add_wrench(double *six, impVec3 p, impVec3 arm, double sign) {
    impVec3 torque = cross(arm, p);
    six[0] += sign * p.x;
    six[1] += sign * p.y;
    six[2] += sign * p.z;
    six[3] += sign * torque.x;
    six[4] += sign * torque.y;
    six[5] += sign * torque.z;
}

// Evaluates the points and the residual of (16) at the velocities of the bodies: writes next_p,
// next_mode and what stiffness_terms asks for of every point, and j->residual by place. Returns the
// square root of twice the energy of the residual, sqrt(J).
static double evaluate_residual(NewtonProblem *j) {
    double *residual = j->residual;
    double sum = 0;
    const int *place = j->matrix->place;
    for (int i = 0; i < SIX * j->bodies; i++) {
        residual[i] = 0;
    }
    for (int i = 0; i < j->points; i++) {
        MicrostepPoint *q = &j->point[i];
        point_impulse(q, velocity(j, q));
        if (q->work.next_mode == CONTACT_OPEN) continue;
        impVec3 p = microstep_in_world(q, q->work.next_p);
        add_wrench(residual + SIX * place[q->a], p, q->arm_a, 1);
        if (q->b >= 0) {
            add_wrench(residual + SIX * place[q->b], p, q->arm_b, -1);
        }
    }
    for (int i = 0; i < j->bodies; i++) {
        const MicrostepBody *b = &j->body[i];
        double *f = residual + SIX * place[i];
        impVec3 dv = scale(b->work.mass, sub(b->v, b->work.free_v));
        impVec3 dw = mul(b->work.inertia, sub(b->w, b->work.free_w));
        impVec3 p = sub(vec(f[0], f[1], f[2]), dv);
        impVec3 torque = sub(vec(f[3], f[4], f[5]), dw);
        f[0] = p.x;
        f[1] = p.y;
        f[2] = p.z;
        f[3] = torque.x;
        f[4] = torque.y;
        f[5] = torque.z;
        sum += b->mass_inverse * dot(p, p) + dot(torque, mul(b->inertia_inverse, torque));
    }
    return sqrt(sum);
}

// --- steps ---------------------------------------------------------------------------------------

// Sets j->step by (17), at the velocities of the last evaluate_residual. False: a pivot is 0.
static bool find_step(NewtonProblem *j) {
    MicrostepStiffness term[3];
    microstep_matrix_start(j->matrix, j->body);
    for (int i = 0; i < j->points; i++) {
        const MicrostepPoint *q = &j->point[i];
        if (q->work.next_mode != CONTACT_OPEN) {
            microstep_matrix_add(j->matrix, q, term, stiffness_terms(q, term));
        }
    }
    for (int i = 0; i < SIX * j->bodies; i++) {
        j->step[i] = j->residual[i];
    }
    return microstep_matrix_solve(j->matrix, j->step);
}

static void move_bodies(NewtonProblem *j, double part) {
    for (int i = 0; i < j->bodies; i++) {
        const double *x = j->step + SIX * j->matrix->place[i];
        j->body[i].v = madd(j->body[i].v, part, vec(x[0], x[1], x[2]));
        j->body[i].w = madd(j->body[i].w, part, vec(x[3], x[4], x[5]));
    }
}

// Size of the step as a velocity, m/s.
static double size_of_step(const NewtonProblem *j) {
    double most = 0;
    for (int i = 0; i < j->bodies; i++) {
        const double *x = j->step + SIX * j->matrix->place[i];
        most = max2(most, max2(largest(vec(x[0], x[1], x[2])),
                               j->body[i].bounding_radius * largest(vec(x[3], x[4], x[5]))));
    }
    return most;
}

// The residual changes no velocity by more than the tolerance: springs only make the change
// smaller.
static bool is_balanced(const NewtonProblem *j, double residual, double tolerance) {
    double largest_inverse_mass = 0;
    for (int i = 0; i < j->bodies; i++) {
        largest_inverse_mass = max2(largest_inverse_mass, j->body[i].mass_inverse);
    }
    return residual * sqrt(largest_inverse_mass) <= tolerance;
}

// Moves the bodies by the step, halved until the residual is smaller. *residual: before, then
// after. Returns the part of the step that was made.
static double search_line(NewtonProblem *j, double *residual) {
    double part = 1;
    double before = *residual;
    move_bodies(j, 1);
    *residual = evaluate_residual(j);
    for (int h = 0; h < HALVINGS && !(*residual < before); h++) {
        part *= 0.5;
        move_bodies(j, -part);
        *residual = evaluate_residual(j);
    }
    return part;
}

// One round (section 6, "Rounds" and "Steps"): velocities that satisfy (16). False: not within its
// steps.
static bool solve_round(NewtonProblem *j, double tolerance) {
    set_stiffness(j);
    double residual = evaluate_residual(j);
    int steps = j->stiffness > FIRST_STIFFNESS ? MAX_STEPS_STIFF : MAX_STEPS;
    for (int i = 0; i < steps && j->steps > 0; i++) {
        j->steps--;
        if (!find_step(j)) return false;
        double size = size_of_step(j);
        if (!isfinite(size)) return false;
        double part = search_line(j, &residual);
        if (part * size <= tolerance || is_balanced(j, residual, tolerance)) return true;
        if (part < LEAST_STEP) return false;
    }
    return false;
}

// --- rounds --------------------------------------------------------------------------------------

// Velocities from the impulses.
static void apply_all(NewtonProblem *j) {
    for (int i = 0; i < j->bodies; i++) {
        j->body[i].v = j->body[i].work.free_v;
        j->body[i].w = j->body[i].work.free_w;
    }
    for (int i = 0; i < j->points; i++) {
        solve_apply_impulse(j->body, &j->point[i], j->point[i].p);
    }
}

// Impulses and modes of the round become those of the points.
static void next_round(NewtonProblem *j) {
    for (int i = 0; i < j->points; i++) {
        j->point[i].p = j->point[i].work.next_p;
        j->point[i].mode = j->point[i].work.next_mode;
    }
    apply_all(j);
    set_tangential_compliance(j);
}

// Violation of the laws at a point, m/s (section 7).
static double violation(const MicrostepPoint *q, impVec3 u) {
    u = add(u, vec(q->work.compliance_t * q->p.x, q->work.compliance_t * q->p.y,
                   q->work.compliance_n * q->p.z));
    if (q->mode == CONTACT_OPEN) return max2(0, -u.z);
    double slack = LOAD_TOLERANCE * q->work.compliance_n * q->p.z;
    double hold = sqrt(q->p.x * q->p.x + q->p.y * q->p.y);
    double most = q->friction * q->p.z;
    if (q->friction_is_given)
        return max2(fabs(u.z) - slack,
                    q->k.z.z * largest(sub(vec(q->p.x, q->p.y, 0),
                                           vec(most * q->given_x, most * q->given_y, 0))) -
                        1e-12 * load_of(q));
    // the coefficient may have changed since
    double beyond = q->k.z.z * (hold - q->friction * q->p.z);
    if (q->mode == CONTACT_STICK) return max2(largest(u) - slack, beyond - 1e-12 * load_of(q));
    if (!(hold > 0)) return max2(fabs(u.z) - slack, -beyond - 1e-12 * load_of(q));
    // opposite to the friction
    double x = -q->p.x / hold;
    double y = -q->p.y / hold;
    double violated = max2(fabs(u.z), max2(fabs(u.x * y - u.y * x), -(u.x * x + u.y * y))) - slack;
    return max2(violated, fabs(beyond) - 1e-12 * load_of(q));
}

static double worst_violation(const NewtonProblem *j) {
    double most = 0;
    for (int i = 0; i < j->points; i++) {
        most = max2(most, violation(&j->point[i], velocity(j, &j->point[i])));
    }
    return most;
}

// The fastest motion of the problem, m/s, of which rounding is a part.
static double fastest(const NewtonProblem *j) {
    double most = 0;
    for (int i = 0; i < j->bodies; i++) {
        most = max2(
            most, max2(largest(j->body[i].v), j->body[i].bounding_radius * largest(j->body[i].w)));
    }
    for (int i = 0; i < j->points; i++) {
        most = max2(most, largest(j->point[i].c));
    }
    return most;
}

// The stiffness with which the violation corresponds to a tenth of the largest load.
static double stiffness_for(const NewtonProblem *j, double violated) {
    return violated > 0 ? 0.1 * largest_load(j) / violated : MAX_STIFFNESS;
}

// D of the next round, after one that took so many steps (section 6, "Rounds"); at most `most`.
static double next_stiffness(const NewtonProblem *j, double violated, int steps, double most) {
    double growth = steps <= 1 ? GROWTH_ONE_STEP : 1;
    if (steps == 2) {
        growth = GROWTH_TWO_STEPS;
    }
    return min2(min2(most, MAX_GROWTH * j->stiffness),
                max2(stiffness_for(j, violated), growth * j->stiffness));
}

// Keeps the impulses as the best so far.
static void keep_best(NewtonProblem *j, double violated) {
    j->best_violation = violated;
    for (int i = 0; i < j->points; i++) {
        j->point[i].work.best_p = j->point[i].p;
        j->point[i].work.best_mode = j->point[i].mode;
    }
}

static bool is_close(const NewtonProblem *j, double times) {
    return j->best_violation <= min2(times * j->tolerance, j->matrix->accepted_residual);
}

// Takes the best impulses. True: they count as a stagnated solution.
static bool take_best(NewtonProblem *j) {
    for (int i = 0; i < j->points; i++) {
        j->point[i].p = j->point[i].work.best_p;
        j->point[i].mode = j->point[i].work.best_mode;
    }
    apply_all(j);
    set_tangential_compliance(j);
    return j->matrix->stagnated = is_close(j, STAGNATED);
}

// Rounds from the stiffness given (the drawing of section 6). Near one of several solutions they
// may lead away again, or hardly get nearer where points hold a stress among themselves: then the
// best impulses are taken.
static bool iterate_rounds(NewtonProblem *j, double stiffness) {
    double fast = fastest(j);
    double most = MAX_STIFFNESS;
    double violated = worst_violation(j);
    j->stiffness = stiffness;
    j->tolerance = max2(j->tolerance, ROUNDING * fast);
    // the start is a solution
    if (violated <= j->tolerance) return true;
    keep_best(j, violated);
    double reference = violated;
    for (int idle = 0; j->steps > 0 && j->stiffness >= LEAST_STIFFNESS; idle++) {
        int left = j->steps;
        if (violated <= 0.5 * reference) {
            reference = violated;
            idle = 0;
        }
        if (is_close(j, STAGNATED) && violated > DIVERGED * j->best_violation) return take_best(j);
        if (is_close(j, STAGNATED_IDLE) && idle > IDLE_ROUNDS) return take_best(j);
        if (!solve_round(j, max2(0.1 * j->tolerance, ROUND_TOLERANCE * violated))) {
            if (j->stiffness == LEAST_STIFFNESS) return take_best(j);
            apply_all(j);
            j->stiffness = max2(LEAST_STIFFNESS, FAILED_STIFFNESS * j->stiffness);
            most = FAILED_MAX * j->stiffness;
            continue;
        }
        next_round(j);
        violated = worst_violation(j);
        if (violated <= j->tolerance) return true;
        if (violated < j->best_violation) {
            keep_best(j, violated);
        }
        bool rounding = violated <= 10 * DBL_EPSILON * fast * j->stiffness;
        j->stiffness = rounding ? j->stiffness / 10
                                : next_stiffness(j, violated, left - j->steps, most);
        most *= MAX_GROWTH_BOUND;
    }
    return take_best(j);
}

// --- the whole -----------------------------------------------------------------------------------

// Masses, velocities without impulses, and the start to which a failure returns.
static void begin(NewtonProblem *j) {
    for (int i = 0; i < j->bodies; i++) {
        MicrostepBody *b = &j->body[i];
        b->work.mass = 1 / b->mass_inverse;
        b->work.inertia = inverse(b->inertia_inverse);
        b->work.start_v = b->v;
        b->work.start_w = b->w;
    }
    for (int i = 0; i < j->points; i++) {
        MicrostepPoint *q = &j->point[i];
        q->work.start_p = q->p;
        q->work.start_mode = q->mode;
        solve_apply_impulse(j->body, q, neg(q->p));
    }
    for (int i = 0; i < j->points; i++) {
        j->approach = max2(j->approach, -velocity(j, &j->point[i]).z);
    }
    for (int i = 0; i < j->bodies; i++) {
        MicrostepBody *b = &j->body[i];
        b->work.free_v = b->v;
        b->work.free_w = b->w;
        b->v = b->work.start_v;
        b->w = b->work.start_w;
    }
    set_tangential_compliance(j);
}

// Takes back the velocities and impulses of the start.
static void restore_start(NewtonProblem *j) {
    for (int i = 0; i < j->bodies; i++) {
        j->body[i].v = j->body[i].work.start_v;
        j->body[i].w = j->body[i].work.start_w;
    }
    for (int i = 0; i < j->points; i++) {
        j->point[i].p = j->point[i].work.start_p;
        j->point[i].mode = j->point[i].work.start_mode;
    }
}

bool microstep_newton(MicrostepBody *bodies, int body_count, MicrostepPoint *points, int count,
                      double tolerance, bool near, MicrostepWorkspace *workspace) {
    workspace->stagnated = false;
    if (!workspace->has_pattern && !microstep_matrix_shape(workspace, body_count, points, count))
        return false;
    NewtonProblem j = { .body = bodies,
                        .point = points,
                        .bodies = body_count,
                        .points = count,
                        .matrix = workspace,
                        .residual = workspace->vector[MICROSTEP_RESIDUAL],
                        .step = workspace->vector[MICROSTEP_UPDATE],
                        .tolerance = tolerance,
                        .steps = MAX_STEPS_TOTAL };
    begin(&j);
    double violated = worst_violation(&j);
    double stiffness = near ? min2(max2(stiffness_for(&j, violated), FIRST_STIFFNESS),
                                   FIRST_STIFFNESS_NEAR)
                            : FIRST_STIFFNESS;
    if (iterate_rounds(&j, stiffness)) return true;
    // no solution: the impulses of the last round, if they are better than the start
    apply_all(&j);
    if (!(worst_violation(&j) < violated)) {
        restore_start(&j);
    }
    return false;
}
