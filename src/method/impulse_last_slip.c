// impulse_last_slip.c -- the slip of a contact point in the middle of its last flight.
//
// docs/theory/microcollisions.md, section 8. The impulse of a micro-step stands for the time
// between the middles of the flights before and after it (8). The middle of the last flight is that
// of the pair's last micro-step, where this step of the caller has one; else it is found from the
// flight.
//
// SPDX-License-Identifier: MIT
#include "method/impulse_friction.h"

impVec3 impulse_slip_at(const LastFlights *last, const ContactPoint *t, double when) {
    const impModel *m = last->world->settings.model;
    const Island *island = last->island;
    const Actor *a = &last->world->flights.actor[t->a];
    const Actor *b = &last->world->flights.actor[t->b];
    const MicrostepBody *ha = &island->before[island->island_index[t->a]];
    const MicrostepBody *hb = b->free ? &island->before[island->island_index[t->b]] : NULL;
    if (when == 0) return t->u;
    ContactPoint point = *t;
    double fall;
    PredictedMotion then_a = contact_predict_motion(m, a, ha, 2 * when);
    PredictedMotion then_b = contact_predict_motion(m, b, hb, 2 * when);
    return add(t->u,
               contact_predicted_change(a, b, ha, hb, &then_a, &then_b, &point, 2 * when, &fall));
}

double impulse_flight_start(const Actor *actor, const ContactPoint *t) {
    const Actor *a = &actor[t->a];
    const Actor *b = &actor[t->b];
    return b->free ? max2(a->flight.t0, b->flight.t0) : a->flight.t0;
}

// Corrections of the duration of a flight by Newton's method.
enum { CLOSINGS = 3 };

// Time since the middle of the intended flight, s: its duration T satisfies T u_n(T / 2) = left, m,
// the contact level less the gap at its beginning. flown: s, since that beginning. Half of `flown`
// where the equation has no solution near it.
static double time_since_closed(const LastFlights *last, const ContactPoint *t, double flown,
                                double left) {
    double T = flown;
    for (int i = 0; i < CLOSINGS; i++) {
        double u = impulse_slip_at(last, t, 0.5 * T - flown).z;
        double closing = 0.5 * T * t->micro.g_n - u;
        // the point does not come back to the level
        if (!(closing > 0) || !(fabs(T * u - left) <= 0.5 * flown * closing)) return 0.5 * flown;
        T += (T * u - left) / closing;
    }
    return flown - 0.5 * T;
}

// The part of `change`, from 0 to 1, that brings a slip nearest to rest.
static double part_to_rest(impVec3 slip, impVec3 change) {
    double across = change.x * change.x + change.y * change.y;
    if (!(across > 0)) return 0;
    return min2(max2(-(slip.x * change.x + slip.y * change.y) / across, 0), 1);
}

// Time since the middle of the last flight, s, where the pair has no micro-step of this step: its
// flight began in an earlier step of the caller. On a support that moves, the flight that was
// intended and the one that was flown have two middles; section 8 says which one is taken.
static double time_since_flight_middle(const LastFlights *last, const ContactPoint *t) {
    const World *world = last->world;
    double flown = world->clock.now - impulse_flight_start(world->flights.actor, t);
    double half = 0.5 * flown;
    if (!motion_is_moving(world->settings.model, t->b)) return half;
    impVec3 slip = impulse_slip_at(last, t, -half);
    // Simpson's rule
    double rise = flown / 6 * (impulse_slip_at(last, t, -flown).z + 4 * slip.z + t->u.z);
    double closed_middle = time_since_closed(last, t, flown, world->settings.level - t->gap + rise);
    impVec3 change = sub(impulse_slip_at(last, t, -closed_middle), slip);
    double part = part_to_rest(slip, change);
    // the slip vanishes between the two middles
    if (impulse_is_slow(madd(slip, part, change), IMPULSE_HELD_SLIP * t->micro.threshold))
        return half + part * (closed_middle - half);
    return time_since_closed(last, t, flown, 0);
}

double impulse_time_since_middle(const LastFlights *last, int i) {
    const Island *island = last->island;
    const ContactPoint *t = &island->contact_point[i];
    double start = impulse_flight_start(last->world->flights.actor, t);
    double middle = impulse_warm_start_middle(last->pairs, island->slot[i], start);
    if (middle > -HUGE_VAL) return last->world->clock.now - middle;
    return last->age > 0 ? time_since_flight_middle(last, t) : 0;
}

impVec3 impulse_last_slip(const LastFlights *last, int i) {
    return impulse_slip_at(last, &last->island->contact_point[i],
                           -impulse_time_since_middle(last, i));
}
