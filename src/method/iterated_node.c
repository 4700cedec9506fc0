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
    END_ROUNDS = 2        // corrections of the rows by the poses at the end
};
// 1, of the step: an arrival that comes so late is left to the next step
#define SOON_OVER 1e-5
// contact bands: a point that ends deeper than this beyond its row's own aim is corrected
#define END_LIMIT 0.25

// --- 3. contact problem --------------------------------------------------------------------------

// Contacts that static friction cannot hold slide with dynamic friction. Returns how many that were
// not known to.
static int let_slide(Iterated *it, const IteratedNode *node) {
    int changed = 0;
    for (int i = 0; i < it->problem.contact_count; i++) {
        ContactRow *row = &it->problem.contact[i];
        double dynamic = iterated_point(it, node, it->row_point[i])->set.law->friction_dynamic;
        if (row->mode == CONTACT_SLIDE && row->friction > dynamic) {
            row->friction = dynamic;
            row->p = problem_project(row->p, dynamic);
            changed++;
        }
    }
    return changed;
}

static bool solve_rows(Iterated *it, const IteratedNode *node) {
    SolverOptions options = { .tolerance = it->settings.tolerance };
    SolverReport report = { .solved = true };
    for (int i = 0; i < FRICTION_ROUNDS; i++) {
        report = solvers[0].solve(&it->problem, &options, it->arena);
        if (let_slide(it, node) == 0) break;
    }
    return report.solved;
}

// --- 4. poses at the end -------------------------------------------------------------------------

// Corrects the rows whose points end deeper than their bias asks for. Returns how many.
static int correct_rows(Iterated *it, const IteratedNode *node) {
    const IteratedSettings *s = &it->settings;
    double limit = END_LIMIT * 2 * s->level;
    int corrected = 0;
    iterated_set_motions(it, node);
    for (int i = 0; i < it->problem.contact_count; i++) {
        const IteratedPoint *p = iterated_point(it, node, it->row_point[i]);
        if (p->set.kind == SET_SMOOTH) continue;
        ContactRow *row = &it->problem.contact[i];
        double gap = contact_set_gap(&p->set, &it->bodies.motion[p->set.a],
                                     &it->bodies.motion[p->set.b]) -
                     s->level;
        // by the row: the gap that its velocity and its prediction lead to
        double expected = p->gap + node->ahead * (iterated_velocity(it, p).z + p->c.z);
        if (gap >= min2(expected, 0) - limit) continue;
        row->bias.z += (gap - expected) / iterated_span(it, node);
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
    ContactPoint contact = { .a = p->set.a,
                             .b = p->set.b,
                             .at = add(it->bodies.actor[p->set.a].x, row->arm_a),
                             .n = row->n,
                             .t1 = row->t1,
                             .t2 = row->t2,
                             .gap = p->set.gap,
                             .law = p->set.law,
                             .feature = p->set.feature };
    impVec3 u = iterated_velocity(it, p);
    PointImpulse impulse = { .p = row->p, .u_before = velocity_before(it, p), .u_after = u };
    impulse.support_velocity = contact_world(&contact, p->support);
    impContact record = journal_record(&contact, node->time, &impulse);
    record.mode = public_mode(row->mode);
    impVec3 angular_a = cross(row->arm_a, record.impulse);
    impVec3 angular_b = neg(cross(row->arm_b, record.impulse));
    journal_book(journal, p->set.a, record.impulse, angular_a, 0);
    if (row->b >= 0) {
        journal_book(journal, p->set.b, neg(record.impulse), angular_b, 0);
    }
    journal->events++;
    // impulses within the step are no forces that last
    if (node->time > it->settings.begin) {
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

// The velocities before the impulses are those of the flights, which are changed only then. False:
// stopped.
static bool apply_rows(Iterated *it, const IteratedNode *node) {
    for (int i = 0; i < it->problem.contact_count; i++) {
        const ContactRow *row = &it->problem.contact[i];
        if (zero3(row->p)) continue;
        if (!apply_row(it, node, row, iterated_point(it, node, it->row_point[i]))) return false;
    }
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
    iterated_set_bodies(it, node);
    if (!iterated_resolve_impacts(it, node)) return false;
    iterated_set_motions(it, node);
    iterated_set_rows(it, node);
    bool solved = solve_rows(it, node);
    for (int i = 0; i < END_ROUNDS && correct_rows(it, node) > 0; i++) {
        solved = solve_rows(it, node);
    }
    it->journal.unconverged += !solved;
    return true;
}

// The earliest arrival of the points that have no row, by pair.
static void schedule_points(Iterated *it, const IteratedNode *node) {
    for (int i = 0; i < node->point_count; i++) {
        IteratedPoint *p = iterated_point(it, node, i);
        if (p->row >= 0) continue;
        iterated_predict(it, node, p);
        double time = iterated_arrival(it, node, p, iterated_velocity(it, p));
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
