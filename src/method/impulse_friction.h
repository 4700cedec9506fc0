// impulse_friction.h -- shared by the files of friction in time.
//
// Calls go downwards only: impulse_friction.c, impulse_last_slip.c, impulse_stick_slip.c. Theory:
// docs/theory/microcollisions.md, section 8; numbers in brackets are its equations.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "method/impulse.h"

// --- impulse_last_slip.c: slip in the last flight ------------------------------------------------

// 1, of g T: a slip that counts as none; the point has static friction. Test:
// tests/method/impulse_friction.c
#define IMPULSE_HELD_SLIP 1e-3
// The slip is at most `speed`, m/s.
static inline bool impulse_is_slow(impVec3 u, double speed) {
    return u.x * u.x + u.y * u.y <= speed * speed;
}
// Velocity of a against b at the point at a time `when` from now, m/s, in the frame of the point.
// Negative times are in the past. x and y are those at that time (9); z is the mean rate of the gap
// over a flight of length 2 |when| between now and twice that time (10).
impVec3 impulse_slip_at(const LastFlights *last, const ContactPoint *t, double when);
// Time since the middle of the last micro-step of the pair, s, even if another impact hit its
// bodies meanwhile. 0: the contact is new, as its age says.
double impulse_time_since_middle(const LastFlights *last, int i);
// Velocity at the point in the middle of its last flight, as impulse_slip_at has it; at present if
// the age is 0, as the contact is new.
impVec3 impulse_last_slip(const LastFlights *last, int i);

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

// Drive and friction on the slip of a point, along one direction, between the middles of the
// flights before and after a micro-step. Time is counted from the first of them.
typedef struct SlipInterval {
    double duration;    // s
    double hold_ratio;  // mu_s / mu_d
    Linear drive;       // m/s^2: a(t), growth of the slip without friction
    Linear friction;    // m/s^2: b(t), deceleration by dynamic friction
} SlipInterval;

// The interval of a point for a flight of duration T. Without friction its slip changes by
// `change_before` until now and by `change_after` afterwards, m/s; all of its dynamic friction
// takes `most` from it, m/s.
SlipInterval impulse_slip_interval(const ContactPoint *contact, double T, double change_before,
                                   double change_after, double most, double hold_ratio);
// The time at which a slip s0 > 0, m/s, comes to rest, s (20); HUGE_VAL: it never does.
double impulse_slip_time_to_rest(const SlipInterval *interval, double s0);
// The slip at the end, m/s, of a point that is at rest at a time `from`. *taken:
// decrease of the slip by friction since then, m/s.
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
