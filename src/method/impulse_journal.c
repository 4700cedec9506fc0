// impulse_journal.c -- what a step reports: contact log, ledger of impulses and energy,
// certificate.
//
// The ledger is what the audit of momentum and energy explains a step with (src/motion/audit.c);
// the certificate is described in docs/theory/microcollisions.md, section 7.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

// Tolerances.
// m/s, by the speed of a fall over the bounding radius: change of the surface speed that is logged
// for drawing, at micro-steps. Test: tests/method/impulse_rolling.c
#define LOGGED_CHANGE 0.05
// 1, of an impulse: a normal impulse below 0 or friction outside the cone by more ends the run.
// Test: tests/method/impulse_scales.c
#define LAW_TOLERANCE 1e-9
// 1, of an impulse: rounding of its place in the cone
#define CONE_ROUNDING 1e-12

// --- contact log ---------------------------------------------------------------------------------

impContact impulse_record(const ContactPoint *contact, double time) {
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

void impulse_record_impulse(impContact *record, const ContactPoint *contact, impVec3 p,
                            impVec3 before, impVec3 after, impVec3 drive) {
    record->impulse = contact_world(contact, p);
    record->before = contact_world(contact, before);
    record->after = contact_world(contact, after);
    // work of a kinematic body, and that of the impulse on both
    record->driven = dot(record->impulse, drive);
    record->energy = 0.5 * dot(p, add(after, before)) + record->driven;
}

bool impulse_log(Journal *journal, const impContact *record) {
    if (journal->contact_count >= journal->capacity) return impulse_stop_full_log(journal, record);
    journal->contact[journal->contact_count++] = *record;
    return true;
}

// Two impacts of a body at one time are one change. There is room: each has two bodies at most, and
// is logged.
void impulse_log_velocity_change(Journal *journal, const Actor *a, double now) {
    journal->logged_rate[a->body->free] = a->w;
    impVelocityChange change = {
        .body = { a->index }, .time = now, .pose = a->pose, .twist = { a->v, a->w }
    };
    for (int i = journal->velocity_change_count - 1;
         i >= 0 && journal->velocity_change[i].time == now; i--) {
        if (journal->velocity_change[i].body.i != a->index) continue;
        journal->velocity_change[i] = change;
        return;
    }
    if (journal->velocity_change_count < 2 * journal->capacity) {
        journal->velocity_change[journal->velocity_change_count++] = change;
    }
}

// A whirling coin is turned by a hundred micro-steps between two pictures: a drawing needs some of
// them.
void impulse_log_microstep(Journal *journal, const Actor *a, double now) {
    impVec3 change = sub(a->w, journal->logged_rate[a->body->free]);
    if (dot(change, change) * a->body->bounding_radius >
        LOGGED_CHANGE * LOGGED_CHANGE * norm(journal->model->gravity)) {
        impulse_log_velocity_change(journal, a, now);
    }
}

// --- ledger --------------------------------------------------------------------------------------

void impulse_book(Journal *journal, int body, impVec3 impulse, impVec3 angular_impulse,
                  double energy) {
    Ledger *ledger = &journal->ledger[journal->model->body[body].free];
    ledger->impulse = add(ledger->impulse, impulse);
    ledger->impulse_sum += norm(impulse);
    ledger->angular_impulse = add(ledger->angular_impulse, angular_impulse);
    ledger->angular_sum += norm(angular_impulse);
    ledger->energy += energy;
    ledger->energy_sum += fabs(energy);
}

void impulse_book_point(Journal *journal, const ContactPoint *contact, const MicrostepPoint *point,
                        impVec3 p) {
    impulse_book(journal, contact->a, p, cross(point->arm_a, p), 0);
    if (point->b >= 0) {
        impulse_book(journal, contact->b, neg(p), neg(cross(point->arm_b, p)), 0);
    }
}

void impulse_launch(Journal *journal, Actor *a, impVec3 v, impVec3 w) {
    Ledger *ledger = &journal->ledger[a->body->free];
    double before = contact_kinetic_energy(a);
    ledger->rate_sum += norm(a->w) + norm(w);
    contact_launch(a, v, w);
    double after = contact_kinetic_energy(a);
    ledger->kinetic_sum += before + after;
    impulse_book(journal, a->index, vec(0, 0, 0), vec(0, 0, 0), after - before);
}

// --- certificate ---------------------------------------------------------------------------------

// Keeps the worst violation of all impulses with its limit; of those without one the largest limit.
static void keep_worst(double *worst, double *limit, double violation, double allowed) {
    violation = max2(violation, 0);
    if (violation < *worst || (violation == *worst && allowed <= *limit)) return;
    *worst = violation;
    *limit = allowed;
}

bool impulse_certify(Journal *journal, const ContactPoint *contact, impVec3 p) {
    double mu = max2(contact->law->friction_static, contact->law->friction_dynamic);
    double excess = sqrt(p.x * p.x + p.y * p.y) - mu * p.z;
    double size = norm(p);
    double allowed = LAW_TOLERANCE * size;
    keep_worst(&journal->found.cone, &journal->limit.cone, excess - CONE_ROUNDING * size, allowed);
    keep_worst(&journal->found.pull, &journal->limit.pull, -p.z, allowed);
    if (max2(excess, -p.z) <= allowed && finite3(p)) return true;
    bool leaves_cone = excess > -p.z;
    journal->result.failed = leaves_cone ? "cone" : "pull";
    return impulse_stop(
        journal, IMP_UNTRUE,
        "bodies '%s' and '%s': the certificate failed: an impulse of %s N s at "
        "(%s, %s, %s) m %s by %s N s (limit %s N s)",
        journal->model->body[contact->a].name, journal->model->body[contact->b].name,
        show(size).text, show(contact->at.x).text, show(contact->at.y).text,
        show(contact->at.z).text, leaves_cone ? "leaves its friction cone" : "pulls",
        show(max2(excess, -p.z)).text, show(allowed).text);
}
