// lcp_stepping.c -- a step of the printed schemes of the method `lcp`: velocities at the end of the
// step from a complementarity problem, then poses by them.
//
// Stewart & Trinkle 2000, sections 3.1 to 3.4 and 4; Anitescu & Potra 1997;
// docs/theory/time-stepping.md, sections 2 to 5.
//
//   1. Velocities without contact, v_f = v + h M^-1 k.
//   2. Contact points at the pose that v leads to: violated ones, and those active in the last
//   step.
//   3. A complementarity problem for each island: velocities v' at the end of the step.
//   4. Points that v' would violate become rows, too; fixed-point: all rows anew at the pose of v'.
//   5. Impulses in the journal; v' acts over the whole step.
//
// SPDX-License-Identifier: MIT
#include "method/lcp.h"

#include <string.h>

// Tolerances: docs/theory/time-stepping.md, section 8.
enum {
    ACTIVE_ROUNDS = 5,  // solutions with further rows
    FIXED_ROUNDS = 50   // solutions with rows of another pose
};
// 1, of the smallest extent of the bodies: poses that are nearer are the same
#define SAME_POSE 1e-9
// 1, of the larger of g h and half the contact band by the step: natural map of a contact problem
#define RESIDUAL 1e-8
// 1, of the fastest body: a contact problem with a larger residual has no answer
#define UNSOLVED 0.1
// 1, of the smallest extent: a deeper overlap is violated
#define VIOLATED 1e-7

// --- memory --------------------------------------------------------------------------------------

static bool take(Stepping *s, const impModel *m, Arena *arena) {
    if (!iterated_take_arrays(&s->it, m, arena)) return false;
    s->row = s->it.problem.contact;
    s->bilateral = s->it.problem.bilateral;
    s->body = s->it.problem.body;
    s->free_twist = TAKE(arena, impTwist, m->body_count);
    s->twist = TAKE(arena, impTwist, m->body_count);
    s->guess = TAKE(arena, impTwist, m->body_count);
    s->row_count = TAKE(arena, int, m->body_count);
    s->first_bilateral = TAKE(arena, int, m->body_count + 1);
    s->active = TAKE(arena, SteppingKey, s->it.settings.capacity.points);
    s->it.arena = *arena;
    return !*arena->full;
}

size_t stepping_scratch(const impModel *m) {
    bool full = false;
    Arena arena = arena_counting(&full);
    Stepping s = { 0 };
    take(&s, m, &arena);
    return arena.used + CACHE_LINE;
}

// --- 1. velocities without contact ---------------------------------------------------------------

static double smallest_extent(const impModel *m) {
    double least = HUGE_VAL;
    for (int i = 0; i < m->sizes.nfree; i++) {
        least = min2(least, m->body[m->free_body[i]].smallest_extent);
    }
    return least;
}

// The part of a push that a body feels: of one that moves in a plane, that along the plane.
static impVec3 along(const Body *body, impVec3 v) {
    return zero3(body->plane) ? v : madd(v, -dot(v, body->plane), body->plane);
}
// The part of a torque that a body feels: of one that moves in a plane, that about its normal.
static impVec3 about(const Body *body, impVec3 w) {
    return zero3(body->plane) ? w : scale(dot(w, body->plane), body->plane);
}

// v_f of a body, (1).
static void set_free_twist(Stepping *s, int index, const double *input) {
    Iterated *it = &s->it;
    const Actor *a = &it->bodies.actor[index];
    const double h = it->settings.h;
    impVec3 push = scale(h, it->settings.model->gravity);
    impVec3 turn = vec(0, 0, 0);
    if (input) {
        const double *f = input + a->body->v;
        push = madd(push, h / a->body->mass, vec(f[0], f[1], f[2]));
        turn = scale(h, vec(f[3], f[4], f[5]));
    }
    impVec3 held_push = along(a->body, push);
    impVec3 held_turn = about(a->body, turn);
    Mat3 inverse = rotated(rotation(a->q), a->body->inertia_inverse);
    s->free_twist[index].linear = add(a->v, held_push);
    s->free_twist[index].angular = add(a->w, mul(inverse, held_turn));
}

static void begin(Stepping *s, double *state, const double *input, double h) {
    Iterated *it = &s->it;
    const impModel *m = it->settings.model;
    s->state = state;
    iterated_set_times(it, state[m->layout.time], h, input);
    // gaps are asked for as they are printed: bodies touch at 0; the tolerance is that of the band
    it->settings.level = it->settings.touching = 0;
    s->violated = VIOLATED * smallest_extent(m);
    iterated_remember(&it->memory, m, state);
    for (int i = 0; i < m->body_count; i++) {
        Actor *a = &it->bodies.actor[i];
        contact_set_actor(a, m, i, state);
        it->bodies.start[i] = s->free_twist[i] = (impTwist){ a->v, a->w };
        if (a->free) {
            set_free_twist(s, i, input);
        }
    }
}

// --- 3. complementarity problems -----------------------------------------------------------------

// The problem of an island: rows and bodies of all islands are kept, one after the other.
static IteratedNode set_island(Stepping *s, int k) {
    const IteratedIslands *islands = &s->it.islands;
    int body = islands->first_body[k];
    int point = islands->first_point[k];
    s->it.problem = (Problem){ .body = s->body + body,
                               .contact = s->row + point,
                               .bilateral = s->bilateral + s->first_bilateral[k] };
    return (IteratedNode){ .time = s->it.settings.begin,
                           .ahead = s->it.settings.h,
                           .is_first = true,
                           .body = islands->body + body,
                           .point = islands->point + point,
                           .body_count = islands->first_body[k + 1] - body,
                           .point_count = islands->first_point[k + 1] - point };
}

// Solves the problem of an island, without restitution.
static SolverReport solve_island(Stepping *s, const IteratedNode *node) {
    Iterated *it = &s->it;
    const MethodOptions *asked = it->settings.options;
    stepping_set_rows(s, node);
    int solver = asked->solver == 0 ? solver_find("lemke") : asked->solver;
    SolverOptions options = { .tolerance = it->settings.tolerance,
                              .iterations = asked->iterations,
                              .directions = s->directions };
    return solvers[solver].solve(&it->problem, &options, it->arena);
}

// Keeps v' of the bodies of an island, and where its rows end.
static void keep_island(Stepping *s, const IteratedNode *node, int k) {
    const Problem *problem = &s->it.problem;
    s->row_count[k] = problem->contact_count;
    s->first_bilateral[k + 1] = s->first_bilateral[k] + problem->bilateral_count;
    for (int i = 0; i < node->body_count; i++) {
        const ProblemBody *body = &problem->body[i];
        s->twist[node->body[i]] = (impTwist){ body->v, body->w };
    }
}

// What the judge finds goes into the certificate; the residual is that of the cone that was solved
// for.
static void judge_island(Stepping *s) {
    impCertificate *worst = &s->it.journal.found;
    const Judgement found = problem_judge(&s->it.problem, s->it.arena);
    worst->approach = max2(worst->approach, found.penetration);
    worst->slip = max2(worst->slip, found.slip);
    worst->complementarity = max2(worst->complementarity, found.complementarity);
}

// Solves the problems of all islands: v' in s->twist. *residual: m/s, worst natural map;
// *unsolved: islands above the tolerance; both before restitution.
static void solve_islands(Stepping *s, double *residual, int *unsolved) {
    Iterated *it = &s->it;
    const int bodies = it->settings.model->body_count;
    *residual = 0;
    *unsolved = 0;
    // arms are those of the pose of the rows, inertia that of the beginning
    stepping_launch(s, it->bodies.start);
    iterated_find_islands(it);
    memcpy(s->twist, s->free_twist, sizeof *s->twist * (size_t)bodies);
    s->first_bilateral[0] = 0;
    for (int k = 0; k < it->islands.count; k++) {
        IteratedNode node = set_island(s, k);
        SolverReport report = solve_island(s, &node);
        *residual = max2(*residual, report.residual);
        *unsolved += !report.solved;
        judge_island(s);
        iterated_restore(it, &node);
        keep_island(s, &node, k);
    }
}

// --- 2. and 4. active points ---------------------------------------------------------------------

// How far (m) the poses of two sets of twists are apart at the end of the step, at most.
static double apart(const Stepping *s, const impTwist *one, const impTwist *other) {
    const impModel *m = s->it.settings.model;
    double most = 0;
    for (int i = 0; i < m->sizes.nfree; i++) {
        int body = m->free_body[i];
        double speed = norm(sub(one[body].linear, other[body].linear)) +
                       m->body[body].bounding_radius *
                           norm(sub(one[body].angular, other[body].angular));
        most = max2(most, speed * s->it.settings.h);
    }
    return most;
}

// Adds the points that v' would violate, until there are none. False: stopped.
static bool solve_linear(Stepping *s, double *residual, int *unsolved) {
    Iterated *it = &s->it;
    const bool velocity = s->scheme == IMP_VELOCITY;
    const double t = velocity ? it->settings.begin : it->settings.end;
    it->set.point_count = it->set.smooth_count = 0;
    stepping_launch(s, it->bodies.start);
    if (stepping_add_points(s, it->bodies.start, t, velocity ? WANT_NEAR : WANT_ACTIVE) < 0)
        return false;
    solve_islands(s, residual, unsolved);
    for (int i = 0; i < ACTIVE_ROUNDS && !velocity; i++) {
        stepping_note_active(s);
        stepping_launch(s, s->twist);
        int added = stepping_add_points(s, s->twist, it->settings.end, WANT_NEW);
        if (added < 0) return false;
        if (added == 0) return true;
        solve_islands(s, residual, unsolved);
    }
    return true;
}

// Moves the twists that lead to the pose of the rows by a part of the way to the answer.
static void move_guess(Stepping *s, double part) {
    for (int i = 0; i < s->it.settings.model->body_count; i++) {
        impTwist *guess = &s->guess[i];
        impVec3 linear = sub(s->twist[i].linear, guess->linear);
        impVec3 angular = sub(s->twist[i].angular, guess->angular);
        guess->linear = madd(guess->linear, part, linear);
        guess->angular = madd(guess->angular, part, angular);
    }
}

// Rows of the pose that their own answer leads to, (8), for all points within reach. False:
// stopped.
static bool solve_fixed_point(Stepping *s, double *residual, int *unsolved) {
    Iterated *it = &s->it;
    const int bodies = it->settings.model->body_count;
    const double same = SAME_POSE * smallest_extent(it->settings.model);
    impTwist *guess = s->guess;
    double last = HUGE_VAL;
    memcpy(guess, it->bodies.start, sizeof *guess * (size_t)bodies);
    for (int round = 0; round < FIXED_ROUNDS; round++) {
        it->set.point_count = it->set.smooth_count = 0;
        stepping_launch(s, guess);
        if (stepping_add_points(s, guess, it->settings.end, WANT_NEAR) < 0) return false;
        solve_islands(s, residual, unsolved);
        stepping_note_active(s);
        double change = apart(s, guess, s->twist);
        if (change <= same) return true;
        // where it goes back and forth, half way
        move_guess(s, change < last || round < 2 ? 1 : 0.5);
        last = change;
    }
    it->journal.unconverged++;
    return true;
}

// --- 5. impulses ---------------------------------------------------------------------------------

// Velocity (m/s, frame) of a against b at a point, without its support.
static impVec3 velocity_with(const Stepping *s, const IteratedPoint *p, const impTwist *twist) {
    const impTwist *a = &twist[p->set.a];
    const impTwist *b = &twist[p->set.b];
    impVec3 u = add(a->linear, cross(a->angular, p->arm_a));
    if (s->it.bodies.actor[p->set.b].free) {
        u = sub(u, add(b->linear, cross(b->angular, p->arm_b)));
    }
    u = vec(dot(u, p->t1), dot(u, p->t2), dot(u, p->set.n));
    return sub(u, p->support);
}

// Puts the impulse of a row into contact log, ledger, certificate and contact memory. False:
// stopped.
static bool apply_row(Stepping *s, const IteratedPoint *p, const ContactRow *row) {
    Journal *journal = &s->it.journal;
    ContactPoint contact = iterated_contact(&s->it, p, row);
    PointImpulse impulse = { .p = row->p,
                             .u_before = velocity_with(s, p, s->it.bodies.start),
                             .u_after = velocity_with(s, p, s->twist),
                             .support_velocity = contact_world(&contact, p->support) };
    impContact record = journal_record(&contact, s->it.settings.begin, &impulse);
    record.mode = row->mode == CONTACT_SLIDE ? IMP_SLIDES : IMP_STICKS;
    impVec3 impulse_a = record.impulse;
    journal_book(journal, p->set.a, impulse_a, cross(row->arm_a, impulse_a), 0);
    if (row->b >= 0) {
        journal_book(journal, p->set.b, neg(impulse_a), neg(cross(row->arm_b, impulse_a)), 0);
    }
    journal->events++;
    impVec3 slip = vec(impulse.u_after.x, impulse.u_after.y, 0);
    IteratedContact kept = { .a = p->set.a,
                             .b = p->set.b,
                             .feature = p->set.feature,
                             .mode = row->mode,
                             .impulse = impulse_a,
                             .slip = contact_world(&contact, slip) };
    return iterated_keep(&s->it, &kept) && journal_certify(journal, &contact, row->p) &&
           journal_log(journal, &record);
}

// All impulses of an island. False: stopped.
static bool apply_island(Stepping *s, int k) {
    IteratedNode node = set_island(s, k);
    for (int i = 0; i < s->row_count[k]; i++) {
        const ContactRow *row = &s->it.problem.contact[i];
        if (zero3(row->p)) continue;
        if (!apply_row(s, iterated_point(&s->it, &node, i), row)) return false;
    }
    return true;
}

// Overlaps where the step ends. False: stopped, one is too deep.
static bool measure_overlaps(Stepping *s) {
    Iterated *it = &s->it;
    for (int i = 0; i < it->set.broad.count; i++) {
        const IteratedPair *pair = &it->set.pair[it->set.broad.pair[i].slot];
        Actor *a = &it->bodies.actor[pair->i];
        Actor *b = &it->bodies.actor[pair->j];
        if (!a->free && !b->free) continue;
        contact_move(it->settings.model, a, it->settings.end);
        contact_move(it->settings.model, b, it->settings.end);
        int count = iterated_query(it, a, b, 0);
        if (count < 0) return false;
        for (int k = 0; k < count; k++) {
            if (!iterated_check_overlap(it, &it->set.found[k])) return false;
        }
    }
    return true;
}

// v' acts over the whole step: x' = x + h v', and the free rotation that begins with w'.
static void end_body(Stepping *s, double *next, const double *input, int index) {
    Iterated *it = &s->it;
    const impModel *m = it->settings.model;
    Actor *a = &it->bodies.actor[index];
    const Body *body = a->body;
    const impTwist *twist = &s->twist[index];
    impVec3 pull = scale(body->mass, m->gravity);
    if (input) {
        const double *f = input + body->v;
        pull = add(pull, vec(f[0], f[1], f[2]));
    }
    journal_launch(&it->journal, a, twist->linear, twist->angular);
    // gravity and force have acted on the velocity before they acted on the way
    impVec3 change = sub(it->bodies.start[index].linear, twist->linear);
    it->journal.scheme_energy += 0.5 * it->settings.h * dot(pull, change);
    journal_book(&it->journal, index, vec(0, 0, 0), vec(0, 0, 0),
                 -it->settings.h * dot(pull, twist->linear));
    contact_move(m, a, it->settings.end);
    double *anchor = next + m->layout.anchor + ANCHOR * body->free;
    motion_put(a->now, next + m->layout.q + body->q, next + m->layout.v + body->v);
    anchor[0] = it->settings.end;
    motion_put(a->now, anchor + 1, anchor + 8);
    memset(next + m->layout.half_kick + body->v, 0, 6 * sizeof(double));
    next[m->layout.sleep_counter + body->free] = 0;
}

// The impulses of all islands, overlaps at the end, and the state there. False: stopped.
static bool apply(Stepping *s, double *next, const double *input) {
    Iterated *it = &s->it;
    const impModel *m = it->settings.model;
    for (int k = 0; k < it->islands.count; k++) {
        if (!apply_island(s, k)) return false;
    }
    stepping_launch(s, s->twist);
    if (!iterated_find_pairs(it) || !measure_overlaps(s)) return false;
    stepping_launch(s, it->bodies.start);
    for (int i = 0; i < m->sizes.nfree; i++) {
        end_body(s, next, input, m->free_body[i]);
    }
    iterated_book_planes(it, input, it->settings.h);
    next[m->layout.time] = it->settings.end;
    iterated_store(it, next);
    return true;
}

// --- the step ------------------------------------------------------------------------------------

// True if the answer is one. False: stopped, its residual is of the size of the velocities.
static bool is_answer(Stepping *s, double residual) {
    const impModel *m = s->it.settings.model;
    double fastest = s->it.settings.h * s->it.settings.gravity;
    for (int i = 0; i < m->sizes.nfree; i++) {
        int body = m->free_body[i];
        const impTwist *twist = &s->free_twist[body];
        double speed = norm(twist->linear) + m->body[body].bounding_radius * norm(twist->angular);
        fastest = max2(fastest, speed);
    }
    return residual <= UNSOLVED * fastest ||
           journal_stop(&s->it.journal, IMP_STALLED,
                        "the contact problem was not solved: residual %s m/s, where bodies move by "
                        "%s m/s; a smaller step or another solver may solve it",
                        show(residual).text, show(fastest).text);
}

Progress stepping_step(const impModel *m, double *next, const double *input, double h,
                       Arena scratch, const MethodOptions *options, impScheme scheme) {
    enum { DIRECTIONS = 8 };
    Stepping s = { .scheme = scheme };
    Iterated *it = &s.it;
    it->settings.options = options;
    it->settings.residual = RESIDUAL;
    if (!take(&s, m, &scratch))
        return (Progress){ .verdict = IMP_FULL, .text = "", .gap = HUGE_VAL };
    s.directions = m->run.directions > 0 ? m->run.directions : DIRECTIONS;
    journal_begin(&it->journal, iterated_overlap_limit(m));
    begin(&s, next, input, h);
    double residual = 0;
    int unsolved = 0;
    bool good = scheme == IMP_FIXED_POINT ? solve_fixed_point(&s, &residual, &unsolved)
                                          : solve_linear(&s, &residual, &unsolved);
    if (!good || !is_answer(&s, residual) || !apply(&s, next, input))
        return journal_progress(&it->journal);
    it->journal.unconverged += unsolved;
    it->journal.found.residual = max2(it->journal.found.residual, residual);
    return journal_progress(&it->journal);
}
