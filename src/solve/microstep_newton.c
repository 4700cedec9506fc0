// microstep_newton.c -- all points at once by Newton's method: what the sweeps of microstep.c
// approach, reached.
//
// Unknown are the velocities of the bodies. Each point answers them like a spring about the impulse
// it has (its anchor),
//     z = anchor - D (u + c),   p_n = max(0, z_n),   p_t = z_t, or mu p_n z_t / |z_t| where that is
//     more than it can hold,
// (the projection of Alart & Curnier 1991), and momentum must balance: M (v - v_free) = sum of J^T
// p(v). The matrix of a step, M + sum of J^T D' J, is as sparse as the contacts are
// (microstep_matrix.c). A halved step where momentum would balance worse, and few steps are enough.
// The impulses found are the next anchors (Rockafellar's proximal points, 1976): each round leaves
// 1/D of the error.
//
// D is what decides. A stiff spring is quick, but makes of what is still off at a point a load that
// the others cannot carry: all modes change, and Newton's method goes round in circles at the
// corners of the law. So D follows from what is off, and grows as that falls; where it was too much
// after all, the round starts anew with a tenth of it. Leaning bodies with much friction, which
// sweeps never settle, come out this way.
//
// Friction acts where the load is. Two faces touch in up to eight points, some of them with hardly
// any load; if each of them gave alike across, all would bear as much friction, and those would
// slip by a hair at their small cones, a problem of its own with an answer that nobody asked for.
// So a point gives across in proportion to its friction by its load: then all stick, or all slide.
// Heaps of boxes need half to two thirds as many steps for it.
//
// SPDX-License-Identifier: MIT
#include "solve/microstep_inside.h"

enum { STEPS = 8, FEW_STEPS = 5, HALVINGS = 6, STEPS_IN_ALL = 150, SIX = 6 };
// rounds that do not halve what is off: no better comes
enum { IDLE = 4 };
#define STIFF      1e2  // of a spring at first, times the point's own 1/k,
#define STIFF_NEAR 1e5  //   and at most where the answer is near
#define SOFTEST    1.0
#define STIFFEST   1e9
#define EASY       3  // times stiffer, if a round took two steps,
// or one: nobody changes his mode, and points that are too many share their load only by springs
// stiffer than they give
#define STRAIGHT 30
// of what is off: how well a round is solved, for the next one starts elsewhere
#define INNER    1e-2
#define ROUNDING 2e-13  // of the fastest speed: nothing finer can be asked for
// of what a point gives under load: how well points that are too many share it
#define SHARE  3e-4
#define STUCK  300   // times the tolerance: near enough, if rounds lead away from it
#define NEARLY 100   //   or hardly get nearer
#define AWAY   4     // times what was off at best
#define LIGHT  1e-6  // of the blow: no point bears less, for what it gives across,
// nor than that of the largest load, for how stiff its springs across are,
#define LIGHTEST 0.1
#define LATE     1e5  //   as long as they are softer than that: then what it gives decides

typedef struct Job {
    MicrostepBody *body;
    MicrostepPoint *point;
    int bodies, points;
    MicrostepWorkspace *matrix;
    double *missing, *step;  // by place
    double stiff;            // D, times the point's own k
    double blow;             // m/s: the fastest approach, if nothing were done about it
    double tolerance;
    double least;  // m/s off, at best
    int steps;     // left
} Job;

// --- one point -----------------------------------------------------------------------------------
static impVec3 velocity(const Job *j, const MicrostepPoint *q) {
    return add(microstep_velocity(j->body, q), q->c);
}

// m/s
static double load_of(const MicrostepPoint *q) { return q->p.z * q->k.z.z; }

static double largest_load(const Job *j) {
    double most = 0;
    for (int i = 0; i < j->points; i++) {
        most = max2(most, load_of(&j->point[i]));
    }
    return most;
}

// a point that gives has softer ones
static void set_springs(Job *j) {
    double most = largest_load(j);
    bool by_load = most > 0 && j->stiff <= LATE;
    for (int i = 0; i < j->points; i++) {
        MicrostepPoint *q = &j->point[i];
        q->work.stiffness_n = j->stiff / q->k.z.z;
        q->work.stiffness_t = by_load
                                  ? q->work.stiffness_n * min2(1, max2(load_of(q) / most, LIGHTEST))
                                  : q->work.stiffness_n;
        q->work.softening_n = 1 / (1 + q->work.stiffness_n * q->work.compliance_n);
        q->work.softening_t = 1 / (1 + q->work.stiffness_t * q->work.compliance_t);
    }
}

// by the loads as they are
static void set_sides(Job *j) {
    for (int i = 0; i < j->points; i++) {
        MicrostepPoint *q = &j->point[i];
        double load = max2(load_of(q), LIGHT * j->blow);
        q->work.compliance_t = load > 0 ? q->compliance_tangential * q->k.z.z * (j->blow / load)
                                        : 0;
    }
}

// The next impulse, at velocity u, its mode, and what its slope needs.
static void answer(MicrostepPoint *q, impVec3 u) {
    double D = q->work.stiffness_n;
    double S = q->work.stiffness_t;
    double n = q->work.softening_n;
    double t = q->work.softening_t;
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

// By how much the impulse falls as u grows: how many terms.
static int springs_of(const MicrostepPoint *q, MicrostepStiffness spring[3]) {
    double n = q->work.stiffness_n * q->work.softening_n;
    double t = q->work.stiffness_t * q->work.softening_t;
    double mu = q->friction;
    if (q->work.next_mode == CONTACT_SLIDE) {
        impVec3 across = sub(scale(q->work.slide_y, q->t1), scale(q->work.slide_x, q->t2));
        impVec3 pushed = microstep_in_world(q, vec(mu * q->work.slide_x, mu * q->work.slide_y, 1));
        spring[0] = (MicrostepStiffness){ scale(n, pushed), q->n };
        spring[1] = (MicrostepStiffness){ scale(q->work.slide_stiffness, across), across };
        return 2;
    }
    spring[0] = (MicrostepStiffness){ scale(t, q->t1), q->t1 };
    spring[1] = (MicrostepStiffness){ scale(t, q->t2), q->t2 };
    spring[2] = (MicrostepStiffness){ scale(n, q->n), q->n };
    return 3;
}

// --- momentum ------------------------------------------------------------------------------------
static void add_wrench(double *six, impVec3 p, impVec3 arm, double sign) {
    impVec3 turn = cross(arm, p);
    six[0] += sign * p.x;
    six[1] += sign * p.y;
    six[2] += sign * p.z;
    six[3] += sign * turn.x;
    six[4] += sign * turn.y;
    six[5] += sign * turn.z;
}

// Impulses less the change of momentum, and its size: the square root of twice the kinetic energy
// it would give.
static double find_missing(Job *j) {
    double *missing = j->missing;
    double sum = 0;
    const int *place = j->matrix->place;
    for (int i = 0; i < SIX * j->bodies; i++) {
        missing[i] = 0;
    }
    for (int i = 0; i < j->points; i++) {
        MicrostepPoint *q = &j->point[i];
        answer(q, velocity(j, q));
        if (q->work.next_mode == CONTACT_OPEN) continue;
        impVec3 p = microstep_in_world(q, q->work.next_p);
        add_wrench(missing + SIX * place[q->a], p, q->arm_a, 1);
        if (q->b >= 0) {
            add_wrench(missing + SIX * place[q->b], p, q->arm_b, -1);
        }
    }
    for (int i = 0; i < j->bodies; i++) {
        const MicrostepBody *b = &j->body[i];
        double *f = missing + SIX * place[i];
        impVec3 dv = scale(b->work.mass, sub(b->v, b->work.free_v));
        impVec3 dw = mul(b->work.inertia, sub(b->w, b->work.free_w));
        impVec3 p = sub(vec(f[0], f[1], f[2]), dv);
        impVec3 turn = sub(vec(f[3], f[4], f[5]), dw);
        f[0] = p.x;
        f[1] = p.y;
        f[2] = p.z;
        f[3] = turn.x;
        f[4] = turn.y;
        f[5] = turn.z;
        sum += b->mass_inverse * dot(p, p) + dot(turn, mul(b->inertia_inverse, turn));
    }
    return sqrt(sum);
}

// --- steps ---------------------------------------------------------------------------------------
// from where find_missing was last
static bool find_step(Job *j) {
    MicrostepStiffness spring[3];
    microstep_matrix_start(j->matrix, j->body);
    for (int i = 0; i < j->points; i++) {
        const MicrostepPoint *q = &j->point[i];
        if (q->work.next_mode != CONTACT_OPEN) {
            microstep_matrix_add(j->matrix, q, spring, springs_of(q, spring));
        }
    }
    for (int i = 0; i < SIX * j->bodies; i++) {
        j->step[i] = j->missing[i];
    }
    return microstep_matrix_solve(j->matrix, j->step);
}

static void move(Job *j, double part) {
    for (int i = 0; i < j->bodies; i++) {
        const double *x = j->step + SIX * j->matrix->place[i];
        j->body[i].v = madd(j->body[i].v, part, vec(x[0], x[1], x[2]));
        j->body[i].w = madd(j->body[i].w, part, vec(x[3], x[4], x[5]));
    }
}

// m/s
static double size_of_step(const Job *j) {
    double most = 0;
    for (int i = 0; i < j->bodies; i++) {
        const double *x = j->step + SIX * j->matrix->place[i];
        most = max2(most, max2(largest(vec(x[0], x[1], x[2])),
                               j->body[i].bounding_radius * largest(vec(x[3], x[4], x[5]))));
    }
    return most;
}

// What is missing moves nobody by more than tolerance: springs only help.
static bool is_balanced(const Job *j, double missing, double tolerance) {
    double heaviest = 0;
    for (int i = 0; i < j->bodies; i++) {
        heaviest = max2(heaviest, j->body[i].mass_inverse);
    }
    return missing * sqrt(heaviest) <= tolerance;
}

// Velocities that balance momentum with the springs as they are.
static bool descend(Job *j, double tolerance) {
    set_springs(j);
    double now = find_missing(j);
    int steps = j->stiff > STIFF ? FEW_STEPS : STEPS;
    for (int i = 0; i < steps && j->steps > 0; i++) {
        j->steps--;
        if (!find_step(j)) return false;
        double by = size_of_step(j);
        double part = 1;
        double then;
        if (!isfinite(by)) return false;
        move(j, 1);
        for (int h = 0; !((then = find_missing(j)) < now) && h < HALVINGS; h++) {
            part *= 0.5;
            move(j, -part);
        }
        if (part * by <= tolerance || is_balanced(j, then, tolerance)) return true;
        // stuck
        if (part < 0.1) return false;
        now = then;
    }
    return false;
}

// --- rounds --------------------------------------------------------------------------------------
// velocities by the impulses
static void push_all(Job *j) {
    for (int i = 0; i < j->bodies; i++) {
        j->body[i].v = j->body[i].work.free_v;
        j->body[i].w = j->body[i].work.free_w;
    }
    for (int i = 0; i < j->points; i++) {
        solve_apply_impulse(j->body, &j->point[i], j->point[i].p);
    }
}

// the impulses of these velocities, and theirs
static void anchor(Job *j) {
    for (int i = 0; i < j->points; i++) {
        j->point[i].p = j->point[i].work.next_p;
        j->point[i].mode = j->point[i].work.next_mode;
    }
    push_all(j);
    set_sides(j);
}

// m/s
static double off_the_law(const MicrostepPoint *q, impVec3 u) {
    u = add(u, vec(q->work.compliance_t * q->p.x, q->work.compliance_t * q->p.y,
                   q->work.compliance_n * q->p.z));
    if (q->mode == CONTACT_OPEN) return max2(0, -u.z);
    double slack = SHARE * q->work.compliance_n * q->p.z;
    double hold = sqrt(q->p.x * q->p.x + q->p.y * q->p.y);
    double most = q->friction * q->p.z;
    if (q->friction_is_given)
        return max2(fabs(u.z) - slack,
                    q->k.z.z * largest(sub(vec(q->p.x, q->p.y, 0),
                                           vec(most * q->given_x, most * q->given_y, 0))) -
                        1e-12 * load_of(q));
    // its cone: the friction may have changed
    double beyond = q->k.z.z * (hold - q->friction * q->p.z);
    if (q->mode == CONTACT_STICK) return max2(largest(u) - slack, beyond - 1e-12 * load_of(q));
    if (!(hold > 0)) return max2(fabs(u.z) - slack, -beyond - 1e-12 * load_of(q));
    // it goes this way
    double x = -q->p.x / hold;
    double y = -q->p.y / hold;
    double off = max2(fabs(u.z), max2(fabs(u.x * y - u.y * x), -(u.x * x + u.y * y))) - slack;
    return max2(off, fabs(beyond) - 1e-12 * load_of(q));
}

static double worst_off(const Job *j) {
    double most = 0;
    for (int i = 0; i < j->points; i++) {
        most = max2(most, off_the_law(&j->point[i], velocity(j, &j->point[i])));
    }
    return most;
}

static double fastest(const Job *j) {
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

// So that what is off becomes a tenth of the largest load.
static double stiffness_for(const Job *j, double off) {
    return off > 0 ? 0.1 * largest_load(j) / off : STIFFEST;
}

// the best so far
static void keep(Job *j, double off) {
    j->least = off;
    for (int i = 0; i < j->points; i++) {
        j->point[i].work.best_p = j->point[i].p;
        j->point[i].work.best_mode = j->point[i].mode;
    }
}

static bool is_near(const Job *j, double times) {
    return j->least <= min2(times * j->tolerance, j->matrix->accepted_residual);
}

// true: it is as good as this one gets
static bool take_best(Job *j) {
    for (int i = 0; i < j->points; i++) {
        j->point[i].p = j->point[i].work.best_p;
        j->point[i].mode = j->point[i].work.best_mode;
    }
    push_all(j);
    set_sides(j);
    return j->matrix->stagnated = is_near(j, STUCK);
}

// Near an answer that is one of several the rounds may lead away from it again, slowly and on any
// stiffness, or hardly get nearer, where points hold a stress among themselves: what was found is
// kept.
static bool go_round(Job *j, double stiff) {
    double fast = fastest(j);
    double most = STIFFEST;
    double off = worst_off(j);
    j->stiff = stiff;
    j->tolerance = max2(j->tolerance, ROUNDING * fast);
    // as it is
    if (off <= j->tolerance) return true;
    keep(j, off);
    double mark = off;
    for (int idle = 0; j->steps > 0 && j->stiff >= SOFTEST; idle++) {
        int left = j->steps;
        if (off <= 0.5 * mark) {
            mark = off;
            idle = 0;
        }
        if (is_near(j, STUCK) && off > AWAY * j->least) return take_best(j);
        if (is_near(j, NEARLY) && idle > IDLE) return take_best(j);
        if (!descend(j, max2(0.1 * j->tolerance, INNER * off))) {
            if (j->stiff == SOFTEST) return take_best(j);
            push_all(j);
            j->stiff = max2(SOFTEST, 0.1 * j->stiff);
            most = 5 * j->stiff;
            continue;
        }
        anchor(j);
        off = worst_off(j);
        if (off <= j->tolerance) return true;
        if (off < j->least) {
            keep(j, off);
        }
        bool rounding = off <= 10 * DBL_EPSILON * fast * j->stiff;
        bool straight = left - j->steps <= 1;
        bool easy = left - j->steps <= 2;
        double least = (straight ? STRAIGHT : easy ? EASY : 1) * j->stiff;
        j->stiff = rounding ? j->stiff / 10
                            : min2(min2(most, 100 * j->stiff), max2(stiffness_for(j, off), least));
        most *= 10;
    }
    return take_best(j);
}

// --- all of it -----------------------------------------------------------------------------------
// free velocities; where we came from
static void set_out(Job *j) {
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
        j->blow = max2(j->blow, -velocity(j, &j->point[i]).z);
    }
    for (int i = 0; i < j->bodies; i++) {
        MicrostepBody *b = &j->body[i];
        b->work.free_v = b->v;
        b->work.free_w = b->w;
        b->v = b->work.start_v;
        b->w = b->work.start_w;
    }
    set_sides(j);
}

static void go_back(Job *j) {
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
                      double tolerance, bool near, MicrostepWorkspace *room) {
    room->stagnated = false;
    if (!room->has_pattern && !microstep_matrix_shape(room, body_count, points, count))
        return false;
    Job j = { .body = bodies,
              .point = points,
              .bodies = body_count,
              .points = count,
              .matrix = room,
              .missing = room->vector[MICROSTEP_RESIDUAL],
              .step = room->vector[MICROSTEP_UPDATE],
              .tolerance = tolerance,
              .steps = STEPS_IN_ALL };
    set_out(&j);
    double off = worst_off(&j);
    double stiff = near ? min2(max2(stiffness_for(&j, off), STIFF), STIFF_NEAR) : STIFF;
    if (go_round(&j, stiff)) return true;
    // no farther than the last round that was good
    push_all(&j);
    if (!(worst_off(&j) < off)) {
        go_back(&j);
    }
    return false;
}
