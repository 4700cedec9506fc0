// motions.c -- prescribed motions: where a body must be at time t, whatever pushes it.
//
// A platter spins about a fixed axis through its body's origin; a feeder vibrates along a line and,
// if wished, about an axis; a wall or a piston goes straight on, for ever. Each gives pose and
// velocity at any t, a bound on how far any of its points can get in a given direction while time
// goes on by T, and bounds on its accelerations: without such bounds no time of impact is safe
// (docs/theory/collision-detection.md, section 8). Turns are counted in whole turns before the sine
// is taken: a feeder is as exact after a day as after a second.
//
// SPDX-License-Identifier: MIT
#include "joint/joint.h"

#include <string.h>

static MotionSample at_rest(void) {
    MotionSample s;
    s.shift = s.twist.linear = s.twist.angular = vec(0, 0, 0);
    s.rotation = quat(1, 0, 0, 0);
    return s;
}

static bool check_finite(double value, const char *what, Where at, const char *who, impError *err) {
    return isfinite(value) ||
           fail(err, at, "%s: %s %s; it must be a finite number", who, what, show(value).text);
}

// Prescribed bodies obey the limits of flying ones, so that no pose or twist can overflow and the
// bounds hold.
static bool check_within(double value, double most, const char *what, Where at, const char *who,
                         impError *err) {
    return fabs(value) <= most || fail(err, at, "%s: %s %s; its size must be at most %s", who, what,
                                       show(value).text, show(most).text);
}

// --- spin ----------------------------------------------------------------------------------------
static bool spin_check(const impMotionDef *d, Where at, const char *who, impError *err) {
    if (!finite3(d->axis) || zero3(d->axis))
        return fail(err, at, "%s: spin axis [%s, %s, %s]; it must have a direction", who,
                    show(d->axis.x).text, show(d->axis.y).text, show(d->axis.z).text);
    return check_finite(d->rate, "spin rate", at, who, err) &&
           check_within(d->rate, 1e8, "spin rate in rad/s", at, who, err);
}

// Half the angle as a number of turns, so that its sine and cosine are the quaternion.
static MotionSample spin_sample(const Motion *m, double t) {
    MotionSample s = at_rest();
    SinCos half = num_sincos_turns(m->rate * t / (2 * TAU));
    s.rotation = quat(half.cos, half.sin * m->axis.x, half.sin * m->axis.y, half.sin * m->axis.z);
    s.twist.angular = scale(m->rate, m->axis);
    return s;
}

static double spin_shift(const Motion *m, impVec3 n, double T) {
    (void)m;
    (void)n;
    (void)T;
    return 0;
}
static double spin_turn(const Motion *m, double T) { return min2(fabs(m->rate) * T, 2); }
static double spin_pull(const Motion *m, impVec3 n) {
    (void)m;
    (void)n;
    return 0;
}
static double spin_spin(const Motion *m) { return fabs(m->rate); }
static double spin_spin_change(const Motion *m) {
    (void)m;
    return 0;
}

// --- vibrate -------------------------------------------------------------------------------------
static bool vibrate_check(const impMotionDef *d, Where at, const char *who, impError *err) {
    if (!finite3(d->amplitude) || !finite3(d->axis))
        return fail(
            err, at,
            "%s: vibration with an amplitude or axis that is not finite; each must be a number",
            who);
    if (d->angle != 0 && zero3(d->axis))
        return fail(err, at, "%s: rotation axis [0, 0, 0]; it must have a direction", who);
    if (!(d->frequency >= 0 && d->frequency <= 1e9) ||
        !(d->rotation_frequency >= 0 && d->rotation_frequency <= 1e9))
        return fail(
            err, at, "%s: frequency %s Hz; it must be from 0 to 1e9", who,
            show(d->frequency >= 0 && d->frequency <= 1e9 ? d->rotation_frequency : d->frequency)
                .text);
    return check_finite(d->angle, "rotation amplitude", at, who, err) &&
           check_finite(d->phase, "phase", at, who, err) &&
           check_finite(d->rotation_phase, "phase", at, who, err) &&
           check_within(d->phase, 1e6, "phase in rad", at, who, err) &&
           check_within(d->rotation_phase, 1e6, "phase in rad", at, who, err) &&
           check_within(largest(d->amplitude), 1e9, "amplitude in m", at, who, err) &&
           check_within(d->angle, 1e6, "rotation amplitude in rad", at, who, err) &&
           check_within(TAU * d->frequency * largest(d->amplitude), 1e8,
                        "speed of vibration in m/s", at, who, err) &&
           check_within(TAU * (d->rotation_frequency > 0 ? d->rotation_frequency : d->frequency) *
                            d->angle,
                        1e8, "speed of rotation in rad/s", at, who, err);
}

static SinCos wave(double frequency, double phase, double t) {
    double turns = frequency * t;
    return num_sincos(TAU * (turns - floor(turns)) + phase);
}

static MotionSample vibrate_sample(const Motion *m, double t) {
    MotionSample s = at_rest();
    SinCos a = wave(m->frequency, m->phase, t);
    SinCos b = wave(m->rotation_frequency, m->rotation_phase, t);
    s.shift = scale(a.sin, m->amplitude);
    s.twist.linear = scale(TAU * m->frequency * a.cos, m->amplitude);
    s.rotation = quat_rotation(m->axis, m->angle * b.sin);
    s.twist.angular = scale(TAU * m->rotation_frequency * b.cos * m->angle, m->axis);
    return s;
}

static double vibrate_shift(const Motion *m, impVec3 n, double T) {
    return fabs(dot(m->amplitude, n)) * min2(TAU * m->frequency * T, 2);
}
static double vibrate_turn(const Motion *m, double T) {
    return min2(fabs(m->angle) * min2(TAU * m->rotation_frequency * T, 2), 2);
}
static double vibrate_pull(const Motion *m, impVec3 n) {
    double rate = TAU * m->frequency;
    return fabs(dot(m->amplitude, n)) * rate * rate;
}
static double vibrate_spin(const Motion *m) { return fabs(m->angle) * TAU * m->rotation_frequency; }
static double vibrate_spin_change(const Motion *m) {
    return vibrate_spin(m) * TAU * m->rotation_frequency;
}

// --- translate -----------------------------------------------------------------------------------
static bool translate_check(const impMotionDef *d, Where at, const char *who, impError *err) {
    if (!finite3(d->velocity))
        return fail(
            err, at,
            "%s: translation with a velocity that is not finite; each part must be a number", who);
    return check_within(largest(d->velocity), 1e8, "velocity in m/s", at, who, err);
}

static MotionSample translate_sample(const Motion *m, double t) {
    MotionSample s = at_rest();
    s.shift = scale(t, m->velocity);
    s.twist.linear = m->velocity;
    return s;
}

static double translate_shift(const Motion *m, impVec3 n, double T) {
    return fabs(dot(m->velocity, n)) * T;
}
static double translate_turn(const Motion *m, double T) {
    (void)m;
    (void)T;
    return 0;
}
static double translate_pull(const Motion *m, impVec3 n) {
    (void)m;
    (void)n;
    return 0;
}
static double translate_spin(const Motion *m) {
    (void)m;
    return 0;
}

const MotionKind motion_kinds[] = {
    { "spin", "axis, rate (rad/s)", spin_check, spin_sample, spin_shift, spin_turn, spin_pull,
      spin_spin, spin_spin_change,
      "turns at a constant rate about an axis through the body's origin",
      "Mirtich & Canny 1994, fig. 11" },
    { "vibrate", "amplitude (m), frequency (Hz), phase (rad), rotation", vibrate_check,
      vibrate_sample, vibrate_shift, vibrate_turn, vibrate_pull, vibrate_spin, vibrate_spin_change,
      "amplitude sin(2 pi f t + phase) along a line and, as rotation, about an axis",
      "Mirtich, Hybrid simulation, fig. 2" },
    { "translate", "velocity (m/s)", translate_check, translate_sample, translate_shift,
      translate_turn, translate_pull, translate_spin, translate_spin,
      "goes straight on at a constant velocity", "-" },
};
const int motion_kind_count = COUNT(motion_kinds);

int motion_find(const char *kind) {
    for (int i = 0; kind && i < motion_kind_count; i++) {
        if (!strcmp(motion_kinds[i].name, kind)) return i;
    }
    return -1;
}

MotionSample motion_sample(const Motion *list, int count, double t) {
    MotionSample sum = at_rest();
    for (int i = 0; i < count; i++) {
        MotionSample s = motion_kinds[list[i].kind].sample(&list[i], t);
        sum.shift = add(sum.shift, s.shift);
        sum.rotation = qmul(s.rotation, sum.rotation);
        sum.twist.linear = add(sum.twist.linear, s.twist.linear);
        sum.twist.angular = add(s.twist.angular, rotate(s.rotation, sum.twist.angular));
    }
    return sum;
}

double motion_pull(const Motion *list, int count, impVec3 n) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += motion_kinds[list[i].kind].pull(&list[i], n);
    }
    return sum;
}

// Turns that follow each other have w = w_k + R_k w_before, and its derivative is w_k' + w_k x R_k
// w_before + R_k w_before': the middle term is 0 where both axes are one.
MotionTurning motion_turning(const Motion *list, int count) {
    MotionTurning sum = { .axis = vec(0, 0, 1), .fixed = true };
    for (int i = 0; i < count; i++) {
        const MotionKind *k = &motion_kinds[list[i].kind];
        double w = k->spin(&list[i]);
        if (w == 0) continue;
        if (sum.w > 0 && !zero3(cross(sum.axis, list[i].axis))) {
            sum.fixed = false;
        }
        sum.w_change += k->spin_change(&list[i]) + (sum.fixed ? 0 : w * sum.w);
        sum.axis = list[i].axis;
        sum.w += w;
    }
    return sum;
}
