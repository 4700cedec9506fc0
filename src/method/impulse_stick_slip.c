// impulse_stick_slip.c -- motion of a slip under a drive and friction: to rest, held there, sliding
// again, or past rest at a distance.
//
// docs/theory/microcollisions.md, section 8. The impulse of a micro-step stands for the time
// between the middles of two flights. In each half of it one knows by how much the slip would
// change without friction, and by how much friction can change it. From the two halves follow a
// drive a(t) and a friction b(t) that are linear in time. With them the slip along one direction
// has a closed form (20), and so has a slip in the plane if a and b are constant, (21) and (25).
//
// SPDX-License-Identifier: MIT
#include "method/impulse_friction.h"

// Tolerances. Test: tests/method/impulse_friction.c.
// 1, of the other half: in a shorter first half, as after an impact a moment ago, changes are
// rounding
#define SHORT_HALF 1e-3
// 1, of the pressing by gravity: a point with less is between two bodies that fall together, and
// the rates at which its gap closes are rounding
#define LEAST_PRESSING 0.01
// 1: precision of q in (25)
#define Q_PRECISION 1e-12
enum {
    DOUBLINGS = 200,  // to enclose q in (25): beyond any slip that a double can hold
    BISECTIONS = 60   // to Q_PRECISION
};

// --- along a line --------------------------------------------------------------------------------

// The linear rate whose integrals over two halves that follow each other are the given changes.
static Linear rate_of_changes(double time1, double change1, double time2, double change2) {
    if (!(time1 > SHORT_HALF * time2)) {
        return (Linear){ (change1 + change2) / (time1 + time2), 0 };
    }
    double mean1 = change1 / time1;
    double mean2 = change2 / time2;
    double rate = 2 * (mean2 - mean1) / (time1 + time2);
    return (Linear){ mean1 - 0.5 * rate * time1, rate };
}

// The friction b(t): in proportion to how the point is pressed on in each half, which is how much
// faster it approaches at the end of it. Constant if that says nothing, or would make b negative.
static Linear friction_of(const ContactPoint *contact, double T, double duration, double most) {
    const FrictionScratch *friction = &contact->friction;
    Linear constant = { most / duration, 0 };
    double pressing = friction->fall_before + friction->fall_after;
    if (!(friction->fall_before > 0) || !(friction->fall_after > 0) ||
        !(pressing > LEAST_PRESSING * contact->micro.g_n * duration))
        return constant;
    Linear b = rate_of_changes(friction->time_before, most * friction->fall_before / pressing,
                               0.5 * T, most * friction->fall_after / pressing);
    return linear_at(b, 0) > 0 && linear_at(b, duration) > 0 ? b : constant;
}

SlipInterval impulse_slip_interval(const ContactPoint *contact, double T, double change_before,
                                   double change_after, double most, double hold_ratio) {
    double time_before = contact->friction.time_before;
    double duration = time_before + 0.5 * T;
    return (SlipInterval){
        .duration = duration,
        .hold_ratio = hold_ratio,
        .drive = rate_of_changes(time_before, change_before, 0.5 * T, change_after),
        .friction = friction_of(contact, T, duration, most),
    };
}

double impulse_slip_time_to_rest(const SlipInterval *interval, double s0) {
    const Linear *a = &interval->drive;
    const Linear *b = &interval->friction;
    double B = b->start - a->start;
    double square = B * B - 2 * (a->rate - b->rate) * s0;
    if (!(square >= 0) || !(B + sqrt(square) > 0)) return HUGE_VAL;
    return 2 * s0 / (B + sqrt(square));  // (20)
}

// Excess of the drive over the limit of static friction, in a direction (1 or -1) of the line,
// m/s^2. Above 0 the point slides.
static double excess(const SlipInterval *interval, double direction, double time) {
    return direction * linear_at(interval->drive, time) -
           interval->hold_ratio * linear_at(interval->friction, time);
}

// Sign of the drive.
static double drive_direction(const SlipInterval *interval, double time) {
    return linear_at(interval->drive, time) > 0 ? 1 : -1;
}

double impulse_slip_from_rest(const SlipInterval *interval, double from, double *taken) {
    double end = interval->duration;
    double direction = drive_direction(interval, end);

    // it slides at once, or from the zero of the linear excess on, or not at all
    double start = end;
    if (excess(interval, drive_direction(interval, from), from) > 0) {
        start = from;
        direction = drive_direction(interval, from);
    } else if (excess(interval, direction, end) > 0) {
        double excess_from = excess(interval, direction, from);
        double excess_end = excess(interval, direction, end);
        start = from + (end - from) * excess_from / (excess_from - excess_end);
    }

    // static friction takes all of the drive until then, dynamic friction its own value afterwards
    double dynamic = direction * linear_integral(interval->friction, start, end);
    *taken = linear_integral(interval->drive, from, start) + dynamic;
    return linear_integral(interval->drive, start, end) - dynamic;
}

// --- past rest at a distance ---------------------------------------------------------------------

// q = tan(alpha / 2), with alpha the angle between the slip and the x axis.
static double q_of(PlaneSlip slip) {
    return slip.h / (sqrt(slip.x * slip.x + slip.h * slip.h) + slip.x);
}

// h / h0 at q, from (21): h q^c is constant.
static double h_ratio(double q, double q0, double c) { return num_exp(-c * num_log(q / q0)); }

// The time at which the slip has come from q0 to q, in units of h0 / 2 a (25).
static double time_at(double q, double q0, double c) {
    return h_ratio(q, q0, c) * (q / (1 - c) - 1 / (q * (1 + c))) -
           (q0 / (1 - c) - 1 / (q0 * (1 + c)));
}

// Solves (25) for q, which grows with time.
static double q_after(double scaled_time, double q0, double c) {
    double low = q0;
    double high = q0;
    for (int i = 0; i < DOUBLINGS && time_at(high, q0, c) < scaled_time; i++) {
        low = high;
        high *= 2;
    }
    for (int i = 0; i < BISECTIONS && high > low * (1 + Q_PRECISION); i++) {
        double q = 0.5 * (low + high);
        if (time_at(q, q0, c) < scaled_time) {
            low = q;
        } else {
            high = q;
        }
    }
    return low;
}

PlaneSlip impulse_slip_past_rest(PlaneSlip from, double a, double b, double duration) {
    double c = b / a;
    double q0 = q_of(from);
    double q = q_after(2 * a * duration / from.h, q0, c);
    double h = from.h * h_ratio(q, q0, c);
    return (PlaneSlip){ h * (1 - q * q) / (2 * q), h };
}

double impulse_slip_least(PlaneSlip from, double a, double b) {
    return from.h * h_ratio(1, q_of(from), b / a);
}
