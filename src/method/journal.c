// journal.c -- the report of a step with contact: contact log, ledger of impulses and energy,
// certificate, verdict.
//
// By the ledger the audit of momentum and energy explains a step
// (docs/theory/free-flight.md, section "Audit"); the certificate is described in
// docs/theory/microcollisions.md, section 7. Nothing here knows how a method finds its impulses.
//
// SPDX-License-Identifier: MIT
#include "method/journal.h"

#include <string.h>

// Tolerances: docs/theory/microcollisions.md, section 11.
// m/s, by the speed of a fall over the bounding radius: change of the surface speed that is logged
// for drawing, at micro-steps. Test: tests/method/impulse_rolling.c
#define LOGGED_CHANGE 0.05
// 1, of an impulse: a normal impulse below 0 or friction outside the cone by more ends the run.
// Test: tests/method/impulse_scales.c
#define LAW_TOLERANCE 1e-9
// 1, of an impulse: rounding of its place in the cone
#define CONE_ROUNDING 1e-12

const impCertificate method_no_limit = { HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL,
                                         HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL,
                                         HUGE_VAL, HUGE_VAL, HUGE_VAL };

// --- begin and end -------------------------------------------------------------------------------

void journal_take(Journal *journal, const impModel *m, int contact_capacity, Arena *arena) {
    *journal = (Journal){ .model = m, .contact_capacity = contact_capacity };
    journal->contact = TAKE(arena, impContact, contact_capacity);
    // each logged impulse changes the velocities of two bodies at most
    journal->velocity_change = TAKE(arena, impVelocityChange, 2 * contact_capacity);
    journal->logged_rate = TAKE(arena, impVec3, m->sizes.nfree);
    journal->ledger = TAKE(arena, Ledger, m->sizes.nfree + 1);
    journal->text = TAKE(arena, char, SENTENCE);
}

void journal_begin(Journal *journal, double overlap_limit) {
    memset(journal->ledger, 0, sizeof *journal->ledger * ((size_t)journal->model->sizes.nfree + 1));
    // limits of pull and cone grow with the impulses (journal_certify)
    journal->limit = method_no_limit;
    journal->limit.overlap = overlap_limit;
    journal->limit.pull = journal->limit.cone = journal->limit.order = 0;
    journal->gap = HUGE_VAL;
    journal->verdict = IMP_SOLVED;
}

Progress journal_progress(const Journal *journal) {
    Progress out = { .verdict = journal->verdict,
                     .text = journal->stopped ? journal->text : "",
                     .iterations = journal->iterations,
                     .events = journal->events,
                     .gap = journal->gap,
                     .failed = journal->failed,
                     .found = journal->found,
                     .limit = journal->limit };
    if (journal->stopped) return out;
    out.contacts = journal->contact;
    out.contact_count = journal->contact_count;
    out.velocity_changes = journal->velocity_change;
    out.velocity_change_count = journal->velocity_change_count;
    out.ledger = journal->ledger;
    out.sleep_energy = journal->sleep_energy;
    out.scheme_energy = journal->scheme_energy;
    out.energy_gains = journal->energy_gains;
    out.unconverged = journal->unconverged;
    out.uncertified = journal->uncertified;
    return out;
}

bool journal_stop(Journal *journal, impVerdict verdict, const char *format, ...) {
    if (journal->stopped) return false;
    va_list args;
    va_start(args, format);
    print_list(journal->text, SENTENCE, format, args);
    va_end(args);
    journal->stopped = true;
    journal->verdict = verdict;
    return false;
}

// --- contact log ---------------------------------------------------------------------------------

impContact journal_contact(const ContactPoint *contact, double time) {
    return (impContact){ .a = { contact->a },
                         .b = { contact->b },
                         .point = contact->at,
                         .normal = contact->n,
                         .gap = contact->gap,
                         .friction = contact->law->friction_dynamic,
                         .restitution = contact->law->restitution,
                         .feature = contact->feature,
                         .time = time };
}

// The impulse changes the kinetic energy of both bodies by p.(u_before + u_after) / 2, seen from
// the support; where that is prescribed to move, by its work p.v_support besides.
impContact journal_record(const ContactPoint *contact, double time, const PointImpulse *impulse) {
    impContact record = journal_contact(contact, time);
    record.impulse = contact_world(contact, impulse->p);
    record.before = contact_world(contact, impulse->u_before);
    record.after = contact_world(contact, impulse->u_after);
    record.driven = dot(record.impulse, impulse->support_velocity);
    record.energy = 0.5 * dot(impulse->p, add(impulse->u_after, impulse->u_before)) + record.driven;
    return record;
}

bool journal_log(Journal *journal, const impContact *record) {
    if (journal->contact_count >= journal->contact_capacity) {
        const Body *body = journal->model->body;
        return journal_stop(journal, IMP_FULL,
                            "bodies '%s' and '%s': more than %d impulses in one step; a smaller "
                            "one has room for as many, if they do not come at once",
                            body[record->a.i].name, body[record->b.i].name,
                            journal->contact_capacity);
    }
    journal->contact[journal->contact_count++] = *record;
    return true;
}

void journal_log_velocity_change(Journal *journal, const Actor *a, double now) {
    journal->logged_rate[a->body->free] = a->w;
    impVelocityChange change = {
        .body = { a->index }, .time = now, .pose = a->pose, .twist = { a->v, a->w }
    };

    // several changes of a body at one time are one: the last
    for (int i = journal->velocity_change_count - 1;
         i >= 0 && journal->velocity_change[i].time == now; i--) {
        if (journal->velocity_change[i].body.i != a->index) continue;
        journal->velocity_change[i] = change;
        return;
    }

    if (journal->velocity_change_count < 2 * journal->contact_capacity) {
        journal->velocity_change[journal->velocity_change_count++] = change;
    }
}

// A whirling coin is turned by a hundred micro-steps between two pictures: a drawing needs those
// after which the speed of its surface, rho |dw|, has changed by LOGGED_CHANGE sqrt(g rho).
void journal_log_visible_change(Journal *journal, const Actor *a, double now) {
    impVec3 change = sub(a->w, journal->logged_rate[a->body->free]);
    double gravity = norm(journal->model->gravity);
    if (dot(change, change) * a->body->bounding_radius > LOGGED_CHANGE * LOGGED_CHANGE * gravity) {
        journal_log_velocity_change(journal, a, now);
    }
}

// --- ledger --------------------------------------------------------------------------------------

void journal_book(Journal *journal, int body, impVec3 impulse, impVec3 angular_impulse,
                  double energy) {
    Ledger *ledger = &journal->ledger[journal->model->body[body].free];
    ledger->impulse = add(ledger->impulse, impulse);
    ledger->impulse_sum += norm(impulse);
    ledger->angular_impulse = add(ledger->angular_impulse, angular_impulse);
    ledger->angular_sum += norm(angular_impulse);
    ledger->energy += energy;
    ledger->energy_sum += fabs(energy);
}

void journal_hold_in_plane(Journal *journal, int body, impVec3 normal, impVec3 force,
                           impVec3 torque) {
    Ledger *l = &journal->ledger[journal->model->body[body].free];
    double along = dot(normal, add(l->impulse, force));
    double about = dot(normal, add(l->angular_impulse, torque));
    l->impulse = madd(l->impulse, -along, normal);
    l->angular_impulse = sub(scale(about, normal), torque);
}

void journal_book_impulse(Journal *journal, const ContactPoint *contact,
                          const MicrostepPoint *point, impVec3 impulse) {
    journal_book(journal, contact->a, impulse, cross(point->arm_a, impulse), 0);
    if (point->b >= 0) {
        journal_book(journal, contact->b, neg(impulse), neg(cross(point->arm_b, impulse)), 0);
    }
}

void journal_launch(Journal *journal, Actor *a, impVec3 v, impVec3 w) {
    Ledger *ledger = &journal->ledger[a->body->free];
    double before = contact_kinetic_energy(a);
    ledger->rate_sum += norm(a->w) + norm(w);
    contact_launch(a, v, w);
    double after = contact_kinetic_energy(a);
    ledger->kinetic_sum += before + after;
    journal_book(journal, a->index, vec(0, 0, 0), vec(0, 0, 0), after - before);
}

// --- certificate ---------------------------------------------------------------------------------

// Keeps the worst violation of all impulses with its limit; of those without one the largest limit.
static void keep_worst(double *worst, double *limit, double violation, double allowed) {
    violation = max2(violation, 0);
    if (violation < *worst || (violation == *worst && allowed <= *limit)) return;
    *worst = violation;
    *limit = allowed;
}

bool journal_certify(Journal *journal, const ContactPoint *contact, impVec3 p) {
    double mu = max2(contact->law->friction_static, contact->law->friction_dynamic);
    double excess = sqrt(p.x * p.x + p.y * p.y) - mu * p.z;
    double size = norm(p);
    double allowed = LAW_TOLERANCE * size;
    keep_worst(&journal->found.cone, &journal->limit.cone, excess - CONE_ROUNDING * size, allowed);
    keep_worst(&journal->found.pull, &journal->limit.pull, -p.z, allowed);
    if (max2(excess, -p.z) <= allowed && finite3(p)) return true;

    bool leaves_cone = excess > -p.z;
    journal->failed = leaves_cone ? "cone" : "pull";
    return journal_stop(
        journal, IMP_UNTRUE,
        "bodies '%s' and '%s': the certificate failed: an impulse of %s N s at "
        "(%s, %s, %s) m %s by %s N s (limit %s N s)",
        journal->model->body[contact->a].name, journal->model->body[contact->b].name,
        show(size).text, show(contact->at.x).text, show(contact->at.y).text,
        show(contact->at.z).text, leaves_cone ? "leaves its friction cone" : "pulls",
        show(max2(excess, -p.z)).text, show(allowed).text);
}
