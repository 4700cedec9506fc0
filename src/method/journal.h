// journal.h -- the report of a step with contact, whatever its method: contact log, ledger,
// certificate, verdict.
//
// A method takes the arrays, begins the journal, writes down each impulse that it applies, and
// turns the journal into the Progress that it returns:
//
//   journal_take(&journal, m, capacity, &arena);
//   journal_begin(&journal, overlap_limit);
//   for each impulse p at a contact point:
//       impContact record = journal_record(contact, t, &impulse);      record for the user
//       journal_book_impulse(&journal, contact, point, record.impulse);   momentum, for the audit
//       journal_certify(&journal, contact, p) && journal_log(&journal, &record);
//   for each body whose velocity the impulses changed:
//       journal_launch(&journal, actor, v, w);                         energy, for the audit
//   return journal_progress(&journal);
//
// A function that returns false has ended the step: the journal has the verdict and its sentence.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "contact/contact.h"
#include "method/method.h"

// Length of a verdict's sentence.
enum { SENTENCE = 400 };

typedef struct Journal {
    const impModel *model;

    // contact log
    impContact *contact;
    int contact_count;
    int contact_capacity;

    // changes of velocity, for drawing: by impacts and by some micro-steps
    impVelocityChange *velocity_change;
    int velocity_change_count;
    impVec3 *logged_rate;  // rad/s, by free body: angular velocity that was logged last

    // ledger: by it the audit of energy and momentum explains the step
    Ledger *ledger;        // by free body
    double sleep_energy;   // J, of bodies that fell asleep: negative
    double scheme_energy;  // J, by the order of a scheme

    // counters
    int iterations;    // of the method: narrow-phase queries, sweeps
    int events;        // impacts and micro-steps
    int energy_gains;  // impacts in which Newton's restitution created energy
    int unconverged;   // contact problems that missed their tolerance

    // certificate
    impCertificate found;  // worst violations so far
    impCertificate limit;  // what is allowed
    const char *failed;    // part that is beyond its limit; NULL: none
    bool uncertified;      // the method does not conserve momentum, by request
    double gap;            // m, smallest of all narrow-phase queries; HUGE_VAL: there was none

    // verdict
    bool stopped;
    impVerdict verdict;
    char *text;  // SENTENCE characters
} Journal;

// Takes the arrays, for so many records of the contact log.
void journal_take(Journal *journal, const impModel *m, int contact_capacity, Arena *arena);
// Begins a step with an empty journal. overlap_limit: m, deepest overlap of two bodies that is
// allowed.
void journal_begin(Journal *journal, double overlap_limit);
// The result of the method; of a step that was stopped, only the verdict and the certificate.
Progress journal_progress(const Journal *journal);

// Ends the step with a verdict and a sentence, unless it has ended before. False, always.
bool journal_stop(Journal *journal, impVerdict verdict, const char *format, ...) PRINTF_LIKE(3, 4);

// --- contact log ---------------------------------------------------------------------------------

// An impulse at a contact point, in the frame of the point (t1, t2, n).
typedef struct PointImpulse {
    impVec3 p;                  // N s, on body a
    impVec3 u_before, u_after;  // m/s, of a against b
    impVec3 support_velocity;   // m/s, world axes: of b at the point, if b is prescribed; else 0
} PointImpulse;

// The public record of a contact point at a time, s, without an impulse.
impContact journal_contact(const ContactPoint *contact, double time);
// The same with an impulse and its work; mode and micro are left to the method.
impContact journal_record(const ContactPoint *contact, double time, const PointImpulse *impulse);
// Appends to the contact log. False: stopped, there is no room.
bool journal_log(Journal *journal, const impContact *record);
// Logs that a body has another velocity now.
void journal_log_velocity_change(Journal *journal, const Actor *a, double now);
// The same, if the angular velocity has changed so much since the last time that it is seen.
void journal_log_visible_change(Journal *journal, const Actor *a, double now);

// --- ledger --------------------------------------------------------------------------------------

// Adds to the ledger of a free body: N s; N m s about its centre of mass; J.
void journal_book(Journal *journal, int body, impVec3 impulse, impVec3 angular_impulse,
                  double energy);
// Adds an impulse at a contact point, N s on body a in world axes, to the ledgers of its bodies.
void journal_book_impulse(Journal *journal, const ContactPoint *contact,
                          const MicrostepPoint *point, impVec3 impulse);
// The ledger of a free body that moves in a plane (unit normal): what holds it there takes all
// impulses along the normal and turns across it, also those of a force and torque (N s, N m s).
void journal_hold_in_plane(Journal *journal, int body, impVec3 normal, impVec3 force,
                           impVec3 torque);
// Starts a new flight with this twist; the ledger gets the change of kinetic energy.
void journal_launch(Journal *journal, Actor *a, impVec3 v, impVec3 w);

// --- certificate ---------------------------------------------------------------------------------

// Compares an impulse, N s in the frame of the point, with p_n >= 0 and |p_t| <= mu_s p_n. False:
// stopped, it violates one of them.
bool journal_certify(Journal *journal, const ContactPoint *contact, impVec3 p);
