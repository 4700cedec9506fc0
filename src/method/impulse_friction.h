// impulse_friction.h -- what the files of friction in time share.
//
// Calls go downwards only: impulse_friction.c, impulse_stick_slip.c. Theory:
// docs/theory/microcollisions.md, section 8; numbers in brackets are its equations.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "method/impulse.h"

// --- impulse_stick_slip.c: motion of a slip under a drive and friction ---------------------------

// A quantity that is linear in time.
typedef struct Linear {
    double start;  // at time 0
    double rate;   // by second
} Linear;
static inline double linear_at(Linear f, double time) { return f.start + f.rate * time; }
// Its integral, by the midpoint rule, which is exact here.
static inline double linear_integral(Linear f, double from, double to) {
    return (to - from) * linear_at(f, 0.5 * (from + to));
}

// What acts on the slip of a point, along one direction, between the middles of the flights before
// and after a micro-step. Time is counted from the first of them.
typedef struct SlipInterval {
    double duration;    // s
    double hold_ratio;  // mu_s / mu_d
    Linear drive;       // m/s^2: a(t), how the slip grows without friction
    Linear friction;    // m/s^2: b(t), what dynamic friction takes from it
} SlipInterval;

// The interval of a point for a flight of duration T. Without friction its slip changes by
// `change_before` until now and by `change_after` afterwards, m/s; all of its dynamic friction
// takes `most` from it, m/s.
SlipInterval impulse_slip_interval(const ContactPoint *contact, double T, double change_before,
                                   double change_after, double most, double hold_ratio);
// The time at which a slip s0 > 0, m/s, comes to rest, s (20); HUGE_VAL: it never does.
double impulse_slip_time_to_rest(const SlipInterval *interval, double s0);
// The slip at the end, m/s, of a point that is at rest at a time `from`. *taken: what friction took
// from the slip since then, m/s.
double impulse_slip_from_rest(const SlipInterval *interval, double from, double *taken);

// A slip in the plane of the contact, m/s, where the drive is constant.
typedef struct PlaneSlip {
    double x;  // against the drive
    double h;  // across it
} PlaneSlip;
// The slip after a time, by (21) and (25). Drive a and friction b < a, m/s^2.
PlaneSlip impulse_slip_past_rest(PlaneSlip from, double a, double b, double duration);
// Its least magnitude on the way, m/s: where it is square to the drive.
double impulse_slip_least(PlaneSlip from, double a, double b);
