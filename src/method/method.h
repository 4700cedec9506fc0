// method.h -- the door of method/: the ways a step can be made. A new one is a file of this room
// and a row in methods.c.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "contact/contact.h"

typedef struct Progress {
    impVerdict verdict;
    const char *text;  // static; "" when solved
    int iterations, events, contact_count;
    const impContact *contacts;                 // in the arena
    const impVelocityChange *velocity_changes;  // the same
    int velocity_change_count;
    const Ledger *ledger;  // of the free bodies, in the arena; NULL: there were no impulses
    double sleep_energy;   // J, of bodies that fell asleep
    double scheme_energy;  // J, by the order of a scheme
    double gap;            // m, smallest of all narrow-phase queries; HUGE_VAL: there was none
    int energy_gains, unconverged;  // impacts that created energy; micro-steps that did not
                                    // converge
    bool uncertified;               // momentum and energy are measured only
    const char *failed;             // IMP_UNTRUE: by which of these; NULL: by none of them
    impCertificate found, limit;    // worst violations that the method found, and their limits:
                                    // overlap, level_violation, approach, pull, cone, slip, order;
                                    // the others are measured by the audit
} Progress;

// What a stepper was made with, for methods that have use for it. Threads change no bit.
typedef struct MethodOptions {
    ThreadPool *thread_pool;
    int solver;      // row of solvers
    int iterations;  // of it, at most; 0: its own number
} MethodOptions;

typedef struct Method {
    const char *name;
    bool (*accepts)(const impModel *m, impError *err);  // a sentence where it cannot move a scene
    size_t (*scratch)(const impModel *m);               // bytes of arena that a step may need
    // Turns `next`, which holds the state at t, into the state at t + h. Reads nothing else that
    // changes.
    Progress (*step)(const impModel *m, double *next, const double *input, double h, Arena scratch,
                     const MethodOptions *options);
    bool contact_memory;  // uses the fields half_kick and contacts of the state
    const char *about, *source;
} Method;

// accepts.c: true if a scene has free bodies only, and none that moves in a plane unless the
// method holds it there; else a sentence for each that is in the way.
bool method_accepts(const impModel *m, const char *method, bool holds_planes, impError *err);

// schemes.c: how the method `lcp` makes a step; by impScheme.
typedef struct Scheme {
    const char *name, *about, *source;
} Scheme;
extern const Scheme schemes[];
extern const int scheme_count;

// sleeper.c: sleep counter of the state from which on a body is asleep.
enum { SLEEP_COUNT = 10 };
// True if a body, as the state has it, is asleep: by its counter, standing still, and where it fell
// asleep.
bool method_is_asleep(const impModel *m, const Actor *a, const double *state);

// journal.c: the limits of a certificate that is measured only.
extern const impCertificate method_no_limit;
// methods.c
extern const Method methods[];
extern const int method_count;
int method_find(const char *name);  // -1: unknown
