// iterated_node.c -- a node: the impacts of its bodies, their contact problem until the end of the
// step, and what the impulses do.
//
// docs/theory/iterated.md, sections 2 to 5; Bender & Schmitt 2006, sections 3 and 4. A node goes
// through five stages:
//
//   1. impacts of what touches, in rounds
//   2. a row for each point, by what it does until the end of the step
//   3. the contact problem, by the solver that suits the node
//   4. the poses that the answer leads to: rows that miss their gap there are corrected
//   5. its impulses: contact log, ledger, contact memory, new flights; later arrivals
//
// SPDX-License-Identifier: MIT
#include "method/iterated.h"

// Tolerances: docs/theory/iterated.md, section 8.
enum {
    FRICTION_ROUNDS = 4,  // solutions with other coefficients of friction
    LATE_ROUNDS = 2,      // queries at the poses of the end; of a crowd corrections, too
    SWEEPS_AGAIN = 10,    // of a crowd whose rows have been corrected
    END_ROUNDS = 4,       // corrections of the rows by the poses at the end
    LARGE = 400           // bodies: islands that are left to sweeps
};
// 1, of the step: an arrival that comes so late is left to the next step
#define SOON_OVER 1e-5
// 1, of the smaller body's smallest extent: a pair that moves farther in the step is asked again
#define FAST 0.02
// contact bands: a point whose gap at the end is off by more is corrected
#define END_LIMIT 0.25

// --- 3. contact problem --------------------------------------------------------------------------

// True if static friction cannot hold a contact, and dynamic friction is less.
static bool breaks_loose(const Iterated *it, const ContactRow *row, double dynamic) {
    if (row->mode != CONTACT_SLIDE || row->friction <= dynamic) return false;
    impVec3 u = add(problem_contact_velocity(&it->problem, row), row->bias);
    return iterated_slips(it, vec(u.x, u.y, 0));
}

// Counts the contacts that static friction cannot hold; where `slide` they slide with dynamic
// friction from now on.
static int let_slide(Iterated *it, const IteratedNode *node, bool slide) {
    int count = 0;
    for (int i = 0; i < it->problem.contact_count; i++) {
        ContactRow *row = &it->problem.contact[i];
        double dynamic = iterated_point(it, node, it->row_point[i])->set.law->friction_dynamic;
        if (!breaks_loose(it, row, dynamic)) continue;
        count++;
        if (slide) {
            row->friction = dynamic;
            row->p = problem_project(row->p, dynamic);
        }
    }
    return count;
}

static void solve_once(Iterated *it, int iterations) {
    const MethodOptions *asked = it->settings.options;
    SolverOptions options = { .tolerance = it->settings.tolerance,
                              .iterations = asked->iterations > 0 ? asked->iterations : iterations,
                              .thread_pool = asked->thread_pool };
    int sweeps = it->settings.model->run.shock_propagation;
    if (sweeps > 0) {
        solver_shock(&it->problem, sweeps, options.tolerance, it->arena);
        return;
    }
    it->residual = solvers[asked->solver].solve(&it->problem, &options, it->arena).residual;
}

// False: contacts are left that slide with static friction.
static bool solve_rows(Iterated *it, const IteratedNode *node, int iterations) {
    for (int i = 1; i <= FRICTION_ROUNDS; i++) {
        solve_once(it, iterations);
        if (let_slide(it, node, i < FRICTION_ROUNDS) == 0) return true;
    }
    return false;
}

// Keeps the worst that the judge finds in the answer of the node. True: it is a solution.
static bool judge(Iterated *it) {
    impCertificate *worst = &it->journal.found;
    const Judgement found = problem_judge(&it->problem, it->arena);
    worst->residual = max2(worst->residual, found.natural_map);
    worst->approach = max2(worst->approach, found.penetration);
    worst->slip = max2(worst->slip, found.slip);
    worst->complementarity = max2(worst->complementarity, found.complementarity);
    it->journal.limit.residual = it->settings.tolerance;
    return found.natural_map <= it->settings.tolerance;
}

// --- 4. poses at the end -------------------------------------------------------------------------

// How far (m) the surface of a body goes by its rotation.
static double surface_travel_of(const Iterated *it, int body) {
    const Actor *a = &it->bodies.actor[body];
    const SetMotion *m = &it->bodies.motion[body];
    Mat3 turn = m->whole_turn;
    double turned = sqrt(0.5 * (dot(turn.x, turn.x) + dot(turn.y, turn.y) + dot(turn.z, turn.z)));
    return turned * a->body->bounding_radius;
}

// True if the pair moves so much that other features may touch at the end.
static bool is_fast(const Iterated *it, const IteratedPoint *p) {
    const SetMotion *a = &it->bodies.motion[p->set.a];
    const SetMotion *b = &it->bodies.motion[p->set.b];
    const Actor *other = &it->bodies.actor[p->set.b];
    double size = it->bodies.actor[p->set.a].body->smallest_extent;
    if (other->free) {
        size = min2(size, other->body->smallest_extent);
    }
    double travel = norm(sub(a->whole_shift, b->whole_shift)) + surface_travel_of(it, p->set.a);
    if (other->body->bounded && other->body->role != IMP_FIXED) {
        travel += surface_travel_of(it, p->set.b);
    }
    return travel > FAST * size;
}

// True if two bodies are apart at the end of the step by more than a distance (m), whatever their
// shapes.
static bool is_apart_at_end(const Iterated *it, const SetPoint *p, double by) {
    const Actor *a = &it->bodies.actor[p->a];
    const Actor *b = &it->bodies.actor[p->b];
    if (!b->body->bounded || b->body->role == IMP_KINEMATIC) return false;
    impVec3 from_a = add(a->x, it->bodies.motion[p->a].whole_shift);
    impVec3 from_b = add(place(b->pose, b->body->center), it->bodies.motion[p->b].whole_shift);
    return norm(sub(from_a, from_b)) > a->body->bounding_radius + b->body->bounding_radius + by;
}

// A body on the flight that the solver has found, at the end of the step.
static Actor at_end(const Iterated *it, int body, Tumble *tumble) {
    Actor a = it->bodies.actor[body];
    if (a.free) {
        const ProblemBody *b = &it->problem.body[it->islands.index[body]];
        a.tumble = tumble;
        contact_launch(&a, b->v, b->w);
    }
    contact_move(it->settings.model, &a, it->settings.end);
    return a;
}

// True if one of these points of a pair arrives later in the step: its node is still to come.
static bool has_arrival(const Iterated *it, const IteratedNode *node, int from, int to) {
    for (int i = from; i < to; i++) {
        if (iterated_point(it, node, i)->row < 0) return true;
    }
    return false;
}

// Gap (m) at the end that is off by more is corrected. In an island that is left to sweeps, what is
// off by less than they have left unsolved is not.
static double end_limit(const Iterated *it, const IteratedNode *node) {
    double band = END_LIMIT * 2 * it->settings.level;
    return node->body_count > LARGE ? max2(band, it->residual * node->ahead) : band;
}

int iterated_overlaps_at_end(Iterated *it, const IteratedPoint *p) {
    const double limit = END_LIMIT * 2 * it->settings.level;
    if (!is_fast(it, p)) return 0;
    Tumble tumble_a, tumble_b;
    Actor a = at_end(it, p->set.a, &tumble_a);
    Actor b = at_end(it, p->set.b, &tumble_b);
    return iterated_count_points(it, &a, &b, it->settings.level - limit);
}

static void set_gaps_at_end(Iterated *it, const IteratedNode *node, int from, int to) {
    for (int i = from; i < to; i++) {
        IteratedPoint *p = iterated_point(it, node, i);
        if (p->set.kind == SET_SMOOTH) {
            p->gap_at_end = iterated_gap_at_end(it, node, p);
        }
    }
}

// Pairs that move much are asked again at the poses of the end: points of other features that touch
// there get rows, too. Returns how many; negative: stopped.
static int add_late_rows(Iterated *it, const IteratedNode *node) {
    const double limit = end_limit(it, node);
    int added = 0;
    for (int i = 0; i < node->point_count;) {
        // points of a pair are consecutive in the node's list
        const IteratedPoint *p = iterated_point(it, node, i);
        int first = i;
        while (i < node->point_count && iterated_point(it, node, i)->pair == p->pair) {
            i++;
        }
        if (is_apart_at_end(it, &p->set, it->settings.level - limit)) continue;
        if (!is_fast(it, p) || has_arrival(it, node, first, i)) continue;
        set_gaps_at_end(it, node, first, i);
        Tumble tumble_a, tumble_b;
        Actor a = at_end(it, p->set.a, &tumble_a);
        Actor b = at_end(it, p->set.b, &tumble_b);
        int before = it->late_count;
        if (iterated_add_late(it, &a, &b, p, i - first, limit) < 0) return -1;
        for (int k = before; k < it->late_count; k++) {
            IteratedPoint *late = iterated_point(it, node, node->point_count + k);
            impVec3 u = iterated_velocity(it, late);
            iterated_predict(it, node, late);
            iterated_add_row(it, node, node->point_count + k, u);
            added++;
        }
    }
    return added;
}

// Predicts all points again, with the velocities that the solver has found, and corrects the rows
// of those that do something else than was expected. Returns how many.
static int correct_rows(Iterated *it, const IteratedNode *node) {
    const double limit = end_limit(it, node);
    int corrected = 0;
    iterated_set_motions(it, node);
    iterated_predict_gaps(it, node);
    for (int i = 0; i < it->problem.contact_count; i++) {
        IteratedPoint *p = iterated_point(it, node, it->row_point[i]);
        ContactRow *row = &it->problem.contact[i];
        if (row->p.z <= 0 && p->gap_at_end >= -limit) continue;
        double closes = p->gap_at_end - p->gap;
        double expected = node->ahead * (iterated_velocity(it, p).z + p->c.z);
        const bool smooth = p->set.kind == SET_SMOOTH;
        impVec3 before = p->c;
        if (fabs(closes - expected) <= limit && !smooth) continue;
        iterated_predict(it, node, p);
        impVec3 change = sub(p->c, before);
        bool rolls = smooth && iterated_slips(it, vec(change.x, change.y, 0));
        if (fabs(closes - expected) <= limit && !rolls) {
            p->c = before;
            continue;
        }
        row->bias = add(row->bias, change);
        corrected++;
    }
    return corrected;
}

// --- 5. impulses ---------------------------------------------------------------------------------

static impContactMode public_mode(ContactMode mode) {
    return mode == CONTACT_SLIDE ? IMP_SLIDES : mode == CONTACT_STICK ? IMP_STICKS : IMP_OPENS;
}

// Half of what the lasting contacts do to the velocities of a body belongs to the time of the node.
static void add_kick(Iterated *it, const IteratedNode *node, int index, impVec3 impulse,
                     impVec3 angular_impulse) {
    if (index < 0) return;
    const ProblemBody *body = &it->problem.body[index];
    impTwist *kick = &it->bodies.kick[node->body[index]];
    kick->linear = madd(kick->linear, body->mass_inverse, impulse);
    kick->angular = add(kick->angular, mul(body->inertia_inverse, angular_impulse));
}

// Velocity (m/s, frame) of a against b before the impulses of the rows.
static impVec3 velocity_before(const Iterated *it, const IteratedPoint *p) {
    const Actor *a = &it->bodies.actor[p->set.a];
    const Actor *b = &it->bodies.actor[p->set.b];
    impVec3 u = add(a->v, cross(a->w, p->arm_a));
    if (b->free) {
        u = sub(u, add(b->v, cross(b->w, p->arm_b)));
    }
    return sub(vec(dot(u, p->t1), dot(u, p->t2), dot(u, p->set.n)), p->support);
}

static bool apply_row(Iterated *it, const IteratedNode *node, const ContactRow *row,
                      const IteratedPoint *p) {
    Journal *journal = &it->journal;
    ContactPoint contact = iterated_contact(it, p, row);
    impVec3 u = iterated_velocity(it, p);
    PointImpulse impulse = { .p = row->p, .u_before = velocity_before(it, p), .u_after = u };
    impulse.support_velocity = contact_world(&contact, p->support);
    impContact record = journal_record(&contact, node->time, &impulse);
    record.mode = public_mode(row->mode);
    // what lasts, and no landing
    record.micro = !p->is_impact && -impulse.u_before.z < it->settings.threshold;
    impVec3 angular_a = cross(row->arm_a, record.impulse);
    impVec3 angular_b = neg(cross(row->arm_b, record.impulse));
    journal_book(journal, p->set.a, record.impulse, angular_a, 0);
    if (row->b >= 0) {
        journal_book(journal, p->set.b, neg(record.impulse), angular_b, 0);
    }
    journal->events++;
    // impulses within the step are no forces that last
    if (!node->is_first || p->is_impact) {
        return journal_certify(journal, &contact, row->p) && journal_log(journal, &record);
    }
    add_kick(it, node, row->a, record.impulse, angular_a);
    add_kick(it, node, row->b, neg(record.impulse), angular_b);
    impVec3 slip = vec(u.x + p->c.x, u.y + p->c.y, 0);
    IteratedContact kept = { .a = p->set.a,
                             .b = p->set.b,
                             .feature = p->set.feature,
                             .mode = row->mode,
                             .impulse = record.impulse,
                             .slip = contact_world(&contact, slip) };
    if (!iterated_keep(it, &kept)) return false;
    return journal_certify(journal, &contact, row->p) && journal_log(journal, &record);
}

// Shock propagation gives bodies velocities that no impulse explains: the reported ones have half
// of that, too.
static void add_shock(Iterated *it, const IteratedNode *node) {
    if (it->settings.model->run.shock_propagation == 0 || !node->is_first) return;
    Arena scratch = it->arena;
    Problem explained = it->problem;
    explained.body = TAKE(&scratch, ProblemBody, node->body_count);
    if (!explained.body) return;
    for (int i = 0; i < node->body_count; i++) {
        explained.body[i] = it->problem.body[i];
    }
    problem_set_velocities(&explained);
    for (int i = 0; i < node->body_count; i++) {
        const ProblemBody *body = &it->problem.body[i];
        impTwist *kick = &it->bodies.kick[node->body[i]];
        kick->linear = add(kick->linear, sub(body->v, explained.body[i].v));
        kick->angular = add(kick->angular, sub(body->w, explained.body[i].w));
    }
}

// The velocities before the impulses are those of the flights, which are changed only then. False:
// stopped.
static bool apply_rows(Iterated *it, const IteratedNode *node) {
    for (int i = 0; i < it->problem.contact_count; i++) {
        const ContactRow *row = &it->problem.contact[i];
        if (zero3(row->p)) continue;
        if (!apply_row(it, node, row, iterated_point(it, node, it->row_point[i]))) return false;
    }
    add_shock(it, node);
    for (int i = 0; i < node->body_count; i++) {
        const ProblemBody *body = &it->problem.body[i];
        Actor *a = &it->bodies.actor[node->body[i]];
        if (zero3(sub(a->v, body->v)) && zero3(sub(a->w, body->w))) continue;
        journal_launch(&it->journal, a, body->v, body->w);
    }
    return true;
}

// --- the node ------------------------------------------------------------------------------------

bool iterated_solve_node(Iterated *it, const IteratedNode *node) {
    it->late_count = 0;
    iterated_set_bodies(it, node);
    if (!iterated_resolve_impacts(it, node)) return false;
    iterated_predict_all(it, node);
    iterated_set_rows(it, node);
    bool good = solve_rows(it, node, 0);
    const int rounds = node->is_crowd ? LATE_ROUNDS : END_ROUNDS;
    for (int i = 0; i < rounds; i++) {
        int changed = correct_rows(it, node);
        int added = i < LATE_ROUNDS ? add_late_rows(it, node) : 0;
        if (added < 0) return false;
        if (changed + added == 0) break;
        good = solve_rows(it, node, node->is_crowd ? SWEEPS_AGAIN : 0) && i + 1 < rounds;
    }
    good = judge(it) && good;
    it->journal.unconverged += !good;
    return true;
}

// The earliest arrival of the points that have no row, by pair.
static void schedule_points(Iterated *it, const IteratedNode *node) {
    for (int i = 0; i < node->point_count; i++) {
        IteratedPoint *p = iterated_point(it, node, i);
        if (p->row >= 0) continue;
        iterated_predict(it, node, p);
        impVec3 u = iterated_velocity(it, p);
        double time = iterated_arrival(it, node, p, u);
        // its velocity has changed, and it would come slowly now: it needs a row
        if (time >= node->ahead && p->gap + node->ahead * (u.z + p->c.z) < -it->settings.touching) {
            time = 0;
        }
        if (time >= node->ahead - SOON_OVER * it->settings.h) continue;
        double *event = &it->set.event[p->pair];
        *event = min2(*event, collide_time_after(node->time, time));
    }
}

bool iterated_apply_node(Iterated *it, const IteratedNode *node) {
    if (!apply_rows(it, node)) return false;
    iterated_set_motions(it, node);
    schedule_points(it, node);
    return true;
}
