// impulse_friction.c -- friction in time: whether a contact point has static or dynamic friction
// in a micro-step, and the direction of its friction.
//
// docs/theory/microcollisions.md, section 8. An impulse stands for the time between the middles of
// the flights before and after it (8). The friction of a point that slides acts against its mean
// slip over this time (19). If the slip reverses within it, the friction is the sum of its parts
// in both directions (20). How friction changes slip and load is found by one pass with another
// part of the friction for all points of a group.
//
// SPDX-License-Identifier: MIT
#include "method/impulse_friction.h"

// Tolerances. Test: tests/method/impulse_friction.c, where none is named.
//
// 1, of g T: a slip that counts as none; the point has static friction
#define HELD_SLIP 1e-3
// 1, of g T: slower sliding keeps (7), which brings the point to rest
#define CREEP_SLIP 1e-2

// --- slip in the last flight ---------------------------------------------------------------------
//
// Velocity of a against b at the point, `when` seconds from now.
static impVec3 slip_at(const Loop *l, const ContactPoint *t, double when) {
    const Island *s = &l->island;
    const Actor *a = &l->flights.actor[t->a];
    const Actor *b = &l->flights.actor[t->b];
    const MicrostepBody *ha = &s->before[s->island_index[t->a]];
    const MicrostepBody *hb = b->free ? &s->before[s->island_index[t->b]] : NULL;
    if (when == 0) return t->u;
    ContactPoint point = *t;
    double fall;
    PredictedMotion then_a = contact_predict_motion(l->settings.model, a, ha, 2 * when);
    PredictedMotion then_b = contact_predict_motion(l->settings.model, b, hb, 2 * when);
    return add(t->u,
               contact_predicted_change(a, b, ha, hb, &then_a, &then_b, &point, 2 * when, &fall));
}

static bool is_slow(impVec3 u, double speed) { return u.x * u.x + u.y * u.y <= speed * speed; }

static double flight_start(const Loop *l, const ContactPoint *t) {
    const Actor *a = &l->flights.actor[t->a];
    const Actor *b = &l->flights.actor[t->b];
    return b->free ? max2(a->flight.t0, b->flight.t0) : a->flight.t0;
}

// Corrections of the duration of a flight by Newton's method.
enum { CLOSINGS = 3 };
// Time since the middle of the last flight, for a step of the caller that began within it: the
// duration T that the last micro-step intended satisfies T u_n(T / 2) = left, the contact level
// less the gap at its beginning. A support that shakes makes the point land earlier or later.
// Returns half of the flight where the equation has no solution near it.
static double time_since_closed(const Loop *l, const ContactPoint *t, double flown, double left) {
    double T = flown;
    for (int i = 0; i < CLOSINGS; i++) {
        double u = slip_at(l, t, 0.5 * T - flown).z;
        double closing = 0.5 * T * t->micro.g_n - u;
        // the point does not come back to the level
        if (!(closing > 0) || !(fabs(T * u - left) <= 0.5 * flown * closing)) return 0.5 * flown;
        T += (T * u - left) / closing;
    }
    return flown - 0.5 * T;
}

// Time since the middle of the last flight, where the pair has no micro-step of this step. On a
// support that moves it is between the middle of the intended flight and that of the flown one: at
// rest if the slip vanishes in between, else where the point neither rose nor fell.
static double time_since_flight_middle(const Loop *l, const ContactPoint *t) {
    double flown = l->clock.now - flight_start(l, t);
    double half = 0.5 * flown;
    if (!motion_is_moving(l->settings.model, t->b)) return half;
    impVec3 slip = slip_at(l, t, -half);
    double rise = flown / 6 * (slip_at(l, t, -flown).z + 4 * slip.z + t->u.z);
    double closed_middle = time_since_closed(l, t, flown, l->settings.level - t->gap + rise);
    impVec3 change = sub(slip_at(l, t, -closed_middle), slip);
    double across = change.x * change.x + change.y * change.y;
    double part = across > 0 ? min2(max2(-(slip.x * change.x + slip.y * change.y) / across, 0), 1)
                             : 0;
    return is_slow(madd(slip, part, change), HELD_SLIP * t->micro.threshold)
               ? half + part * (closed_middle - half)
               : time_since_closed(l, t, flown, 0);
}

// Time since the middle of the last micro-step of the pair, even if another impact hit its bodies
// meanwhile. 0 for a new contact.
static double time_since_middle(const Loop *l, int i, double age) {
    const ContactPoint *t = &l->island.contact_point[i];
    double middle = impulse_warm_start_middle(l, l->island.slot[i], flight_start(l, t));
    return middle > -HUGE_VAL ? l->clock.now - middle
           : age > 0          ? time_since_flight_middle(l, t)
                              : 0;
}

// Velocity at the point in the middle of its last flight.
static impVec3 last_slip(const Loop *l, int i, double age) {
    return slip_at(l, &l->island.contact_point[i], -time_since_middle(l, i, age));
}

// --- static friction -----------------------------------------------------------------------------
// A point with mu_s > mu_d has static friction if its slip was 0, to HELD_SLIP, in the middle of
// its last flight or when the flight of its bodies began. Both are evaluated relative to the
// support where it was at that time. The normal velocity must vanish, too, at the beginning:
// sliding points have no slip at the beginning of some micro-step, but rise then.
static bool began_at_rest(const Loop *l, const ContactPoint *t, double speed) {
    impVec3 u = slip_at(l, t, flight_start(l, t) - l->clock.now);
    return is_slow(u, speed) && fabs(u.z) <= speed;
}

void impulse_friction_static(Loop *l, double age, double speed) {
    Island *s = &l->island;
    for (int i = 0; i < s->point_count; i++) {
        ContactPoint *t = &s->contact_point[i];
        if (!(t->law->friction_static > t->law->friction_dynamic)) continue;
        t->friction.was_held = is_slow(last_slip(l, i, age), HELD_SLIP * speed) ||
                               began_at_rest(l, t, HELD_SLIP * speed);
        if (t->friction.was_held) {
            s->point[i].friction = t->law->friction_static;
        }
    }
}

// --- groups of points ----------------------------------------------------------------------------
static double along(const ContactPoint *t, impVec3 u) {
    return u.x * t->friction.direction.x + u.y * t->friction.direction.y;
}

// Predicted slip of a point along its direction, m/s, of the coming flight alone.
static double slip_along(const Island *s, int i) {
    const ContactPoint *t = &s->contact_point[i];
    impVec3 mean = add(solve_point_velocity(s->body, &s->point[i]), s->point[i].c);
    // q->c of these contains slip_before, (19)
    if (t->friction.kind == SLIP_CONTINUES || t->friction.kind == SLIP_REVERSES) {
        mean = sub(mean, t->friction.slip_before);
    }
    return along(t, mean);
}

// Links the points whose friction is tried together: those of a body on all that is fixed, those
// on all that is prescribed to move, or those of a pair.
void impulse_friction_groups(Loop *l) {
    Island *s = &l->island;
    for (int i = 0; i < 2 * s->body_count; i++) {
        s->friction.link[i] = s->point_count;
    }
    for (int i = s->point_count - 1; i >= 0; i--) {
        ContactPoint *t = &s->contact_point[i];
        const MicrostepPoint *q = &s->point[i];
        int *link = &s->friction.link[2 * q->a + (t->b_is_fixed ? 1 : 0)];
        bool paired = q->b >= 0 && i + 1 < s->point_count && s->slot[i + 1] == s->slot[i];
        t->friction.next = q->b < 0 ? *link : paired ? i + 1 : s->point_count;
        t->friction.is_head = q->b < 0 || i == 0 || s->slot[i - 1] != s->slot[i];
        if (q->b >= 0) continue;
        if (*link < s->point_count) {
            s->contact_point[*link].friction.is_head = false;
        }
        *link = i;
    }
}

static int next_of(const Island *s, int i) { return s->contact_point[i].friction.next; }

// Bodies of a rigid cluster: they stick together and are accelerated as one by the friction of a
// group, rotation neglected (docs/theory/microcollisions.md, section 8). One bit by island index;
// islands are smaller than IMPULSE_LARGE.
typedef uint32_t Members;
// Both points are of the same group or, on fixed or prescribed bodies, of groups on the same kind
// of support.
static bool is_like(const Island *s, int i, int first) {
    const MicrostepPoint *p = &s->point[i];
    const MicrostepPoint *q = &s->point[first];
    return q->b < 0
               ? p->b < 0 && s->contact_point[i].b_is_fixed == s->contact_point[first].b_is_fixed
               : s->slot[i] == s->slot[first];
}

// A sticking contact that rolls holds neither body in place.
static bool may_roll(const ContactPoint *t) {
    return t->motion.kind >= ROLLS_ON_A || t->motion.radius > 0 || t->motion.radius_other > 0;
}

// Bodies that stick to body `island_index`, points like `first` ignored; 0: they stick to a fixed
// or prescribed body.
static Members cluster_of(const Island *s, int first, int island_index) {
    Members with = (Members)1 << island_index;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < s->point_count; i++) {
            const MicrostepPoint *q = &s->point[i];
            if (q->mode != CONTACT_STICK || !(q->p.z > 0) || may_roll(&s->contact_point[i]) ||
                is_like(s, i, first))
                continue;
            Members a = (Members)1 << q->a;
            Members b = q->b < 0 ? 0 : (Members)1 << q->b;
            if ((with & a) && b == 0) return 0;
            if ((with & (a | b)) != 0 && (with & (a | b)) != (a | b)) {
                with |= a | b;
                more = true;
            }
        }
    }
    return with;
}

// Appends the groups of all bodies of the cluster to that of the first point.
static void link_cluster(Island *s, int first) {
    Members with = cluster_of(s, first, s->point[first].a);
    int last = first;
    while (s->contact_point[last].friction.next < s->point_count) {
        last = s->contact_point[last].friction.next;
    }
    for (int i = first + 1; i < s->point_count; i++) {
        if (!s->contact_point[i].friction.is_head || !is_like(s, i, first) ||
            !(with >> s->point[i].a & 1))
            continue;
        s->contact_point[i].friction.is_head = false;
        s->contact_point[last].friction.next = i;
        while (s->contact_point[last].friction.next < s->point_count) {
            last = s->contact_point[last].friction.next;
        }
    }
}

// Inverse mass of a cluster, 1/kg; 0: it does not move.
static double cluster_inverse_mass(const Island *s, Members with) {
    double mass = 0;
    for (int i = 0; i < s->body_count; i++) {
        if (with >> i & 1) {
            mass += 1 / s->body[i].mass_inverse;
        }
    }
    return mass > 0 ? 1 / mass : 0;
}

// The bodies whose points push the cluster, and the inverse mass against their friction, 1/kg.
typedef struct Cluster {
    Members with;
    double inverse_mass;
} Cluster;
static Cluster cluster_pushed(const Island *s, int first) {
    const MicrostepPoint *q = &s->point[first];
    Members a = cluster_of(s, first, q->a);
    Members b = q->b < 0 ? 0 : cluster_of(s, first, q->b);
    if ((a & b) != 0) return (Cluster){ a, 0 };
    return (Cluster){ a | (Members)1 << q->a,
                      cluster_inverse_mass(s, a) + cluster_inverse_mass(s, b) };
}

// The friction of point i acts on the cluster.
static bool is_pushed(const Island *s, int i, int first, Cluster on) {
    return is_like(s, i, first) && (on.with >> s->point[i].a & 1);
}

// Gives the friction of a point: `part` of its limit against its direction, `across` normal to it.
static void set_given_friction(const ContactPoint *t, MicrostepPoint *q, double part,
                               double across) {
    double slip_across = norm(t->friction.slip_across);
    double change = slip_across > 0 ? across / slip_across : 0;
    q->friction_is_given = true;
    q->given_x = -part * t->friction.direction.x - change * t->friction.slip_across.x;
    q->given_y = -part * t->friction.direction.y - change * t->friction.slip_across.y;
}

// Takes back the friction given to a point. The pass is repeated from where it began, since the
// given friction may have had no bound near a Painleve inconsistency.
static void cancel_reversal(Island *s, int i) {
    s->contact_point[i].friction.kind = SLIP_FROM_REST;
    s->point[i].friction_is_given = false;
    s->friction.undone = true;
}

// --- sliding reversal ----------------------------------------------------------------------------
//
// A slip that would reverse within the micro-step comes to rest in between. One pass is solved
// with another part of the friction (a trial); its result and that of the pass before give a
// linear response of slip and load to friction, from which follow the time of rest and the
// impulse, (20), (21) and (25). The trial is made for all reversing points of a group at once.
bool impulse_friction_continues(const ContactPoint *t) {
    return t->friction.kind == SLIP_CONTINUES;
}

// Friction sums over the points of a group that are of one kind, N s.
typedef struct FrictionSum {
    double most, against;               // N s: limit, and component against the direction
    double holds;                       // N s: limit of static friction
    double trial_limit, trial_impulse;  // N s: the same in the trial
    double slower;                      // N s m/s: limit times the decrease of slip since the trial
} FrictionSum;

static FrictionSum friction_sum(const Island *s, int first, SlipKind kind) {
    FrictionSum sum = { 0 };
    for (int i = first; i < s->point_count; i = next_of(s, i)) {
        const ContactPoint *t = &s->contact_point[i];
        const MicrostepPoint *q = &s->point[i];
        double most = q->friction * q->p.z;
        if (t->friction.kind != kind) continue;
        sum.most += most;
        sum.against -= along(t, q->p);
        sum.holds += t->law->friction_static * q->p.z;
        sum.trial_limit += t->friction.trial_limit;
        sum.trial_impulse += t->friction.trial_impulse;
        sum.slower += most * (t->friction.trial_slip - slip_along(s, i));
    }
    return sum;
}

// Linear response to the friction P along the direction: slip decreases by inverse_mass P, m/s by
// N s; limit = load + load_growth P, N s. forth and back: decrease of slip by the whole limit
// against the direction and along it, m/s.
typedef struct TrialResponse {
    double inverse_mass, load, load_growth, forth, back;
} TrialResponse;
// 1: friction that changes its own limit by a larger part has no usable response
#define MAX_LOAD_GROWTH 0.5
static bool trial_response(const FrictionSum *r, TrialResponse *out) {
    double change = r->against - r->trial_impulse;
    if (!(fabs(change) > 0) || !(r->most > 0)) return false;
    *out = (TrialResponse){ .inverse_mass = r->slower / r->most / change,
                            .load_growth = (r->most - r->trial_limit) / change };
    out->load = r->most - out->load_growth * r->against;
    out->forth = out->inverse_mass * out->load / (1 - out->load_growth);
    out->back = out->inverse_mass * out->load / (1 + out->load_growth);
    return fabs(out->load_growth) <= MAX_LOAD_GROWTH && out->inverse_mass > 0 && out->load > 0;
}

// Starts a trial with the whole friction in the direction that differs more from the present one;
// points that may not reverse keep (7). True: some point of this kind exists.
static bool try_other_part(Island *s, int first, SlipKind kind, bool tries) {
    FrictionSum now = friction_sum(s, first, kind);
    bool any = false;
    for (int i = first; i < s->point_count; i = next_of(s, i)) {
        ContactPoint *t = &s->contact_point[i];
        MicrostepPoint *q = &s->point[i];
        if (t->friction.kind != kind) continue;
        bool tries_point = tries && now.most > 0 && t->friction.may_reverse;
        if (tries_point) {
            t->friction.trial_slip = slip_along(s, i);
            t->friction.trial_impulse = -along(t, q->p);
            t->friction.trial_limit = q->friction * q->p.z;
            set_given_friction(t, q, now.against > 0 ? -1 : 1, 0);
        }
        t->friction.kind = tries_point ? SLIP_TRIAL : SLIP_FROM_REST;
        any = true;
    }
    return any;
}

// 1, of the change by the whole friction: a larger deviation from the estimate cancels the
// reversal. No test fails without it (./dev heuristics)
#define TRIAL_MISMATCH 0.1
// 1, of the slip before: a slip that misses rest by less passes through it
#define CROSS_SLIP 0.1
// 1, of the slip before: one that misses rest by less has no transverse part
#define LEAST_CROSS_SLIP 1e-6
// Sets the friction of a point that reverses, from the response of its group. False: the point
// does not come to rest within the micro-step, or stays there.
static bool reverse_at_rest(ContactPoint *t, MicrostepPoint *q, double T, double speed,
                            const FrictionSum *of) {
    TrialResponse a;
    if (!trial_response(of, &a)) return false;
    double s0 = along(t, t->friction.slip_before);
    double slip_across = norm(t->friction.slip_across);
    double free = t->friction.trial_slip + a.inverse_mass * of->trial_impulse;
    double H = t->friction.time_before + 0.5 * T;
    // the rest of the change, from other impulses, is constant in time
    double change_before = along(t, sub(t->u, t->friction.slip_before));
    double predicted = along(t, q->c);
    double rest = (free - s0 - change_before - predicted) / H;
    SlipInterval forth = impulse_slip_interval(t, T, change_before + rest * t->friction.time_before,
                                               predicted + rest * 0.5 * T, a.forth,
                                               of->holds / of->most);
    SlipInterval back = forth;
    back.friction.start = forth.friction.start * a.back / a.forth;
    back.friction.rate = forth.friction.rate * a.back / a.forth;
    double stop = s0 > 0 ? impulse_slip_time_to_rest(&forth, s0) : HUGE_VAL;
    double taken;
    double across = 0;
    double b = (s0 - free) / H;
    double f = 0.5 * (a.forth + a.back) / H;
    if (!(stop < H)) return false;
    bool passes = slip_across > LEAST_CROSS_SLIP * s0 && f < b &&
                  impulse_slip_least((PlaneSlip){ s0, slip_across }, b, f) > HELD_SLIP * speed;
    // a slip that misses rest at a distance is never held
    if (passes) {
        back.hold_ratio = 1;
    }
    double then = impulse_slip_from_rest(&back, stop, &taken);
    if (then == 0 || (!passes && slip_across > CROSS_SLIP * s0)) return false;
    taken += linear_integral(forth.friction, 0, stop);
    // difference between the plane solution (21) and the line solution (20)
    if (passes) {
        PlaneSlip past_rest = impulse_slip_past_rest((PlaneSlip){ s0, slip_across }, b, f, H);
        taken += (f - b) * (H - s0 / (b + f)) - past_rest.x;
        across = slip_across - past_rest.h;
    }
    double P = taken / a.inverse_mass;
    double most = a.load + a.load_growth * P;
    double part = P / most;
    double part_across = across / a.inverse_mass / most;
    // at most the whole friction
    double scale_down = passes ? max2(sqrt(part * part + part_across * part_across), 1) : 1;
    t->friction.trial_slip = free - taken;
    t->friction.trial_limit = a.forth;
    set_given_friction(t, q, part / scale_down, part_across / scale_down);
    return true;
}

// Ends the trial of a group. True: there was one.
static bool finish_trials(Island *s, int first, double T, double speed, bool solved) {
    FrictionSum trial = friction_sum(s, first, SLIP_TRIAL);
    bool any = false;
    for (int i = first; i < s->point_count; i = next_of(s, i)) {
        ContactPoint *t = &s->contact_point[i];
        if (t->friction.kind != SLIP_TRIAL) continue;
        any = true;
        t->friction.kind = SLIP_REVERSED;
        if (!solved || !reverse_at_rest(t, &s->point[i], T, speed, &trial)) {
            cancel_reversal(s, i);
        }
    }
    return any;
}

// Cancels the reversals of a group whose slip differs from the estimate. True: it did.
static bool cancel_mismatched(Island *s, int first) {
    bool off = false;
    for (int i = first; i < s->point_count; i = next_of(s, i)) {
        const ContactPoint *t = &s->contact_point[i];
        if (t->friction.kind == SLIP_REVERSED &&
            !(fabs(slip_along(s, i) - t->friction.trial_slip) <=
              TRIAL_MISMATCH * t->friction.trial_limit)) {
            off = true;
        }
    }
    for (int i = first; i < s->point_count && off; i = next_of(s, i)) {
        if (s->contact_point[i].friction.kind == SLIP_REVERSED) {
            cancel_reversal(s, i);
        }
    }
    return off;
}

// Reversals of one group after a pass. True: another pass is needed.
static bool reverse_group(Island *s, int first, double T, double speed, bool solved, bool tries) {
    bool off = cancel_mismatched(s, first);
    bool had_trial = finish_trials(s, first, T, speed, solved);
    for (int i = first; i < s->point_count; i = next_of(s, i)) {
        if (impulse_friction_continues(&s->contact_point[i]) &&
            (s->point[i].mode == CONTACT_STICK || slip_along(s, i) <= 0)) {
            s->contact_point[i].friction.kind = SLIP_REVERSES;
        }
    }
    return try_other_part(s, first, SLIP_REVERSES, tries && solved) || had_trial || off;
}

bool impulse_friction_reverse(Loop *l, double T, double speed, bool solved, bool tries) {
    Island *s = &l->island;
    bool any = false;
    for (int first = 0; first < s->point_count; first++) {
        if (!s->contact_point[first].friction.is_head) continue;
        if (reverse_group(s, first, T, speed, solved, tries)) {
            any = true;
        }
    }
    return any;
}

bool impulse_friction_reverse_none(Loop *l) {
    Island *s = &l->island;
    bool any = false;
    for (int i = 0; i < s->point_count; i++) {
        if (s->point[i].friction_is_given) {
            cancel_reversal(s, i);
            any = true;
        }
    }
    return any;
}

// --- breaking away -------------------------------------------------------------------------------
//
// Sums over the points of a group that static friction holds, weighted by their dynamic limits.
typedef struct Held {
    impVec3 against;     // N s: friction on the bodies a, world axes, reversed
    double most, holds;  // N s: limits of dynamic and of static friction
    double slip, slip_before, change_before, predicted;  // N s m/s: slip after, slip before, and
                                                         // its predicted changes before and after
                                                         // the micro-step
    bool one_direction;  // all points have the direction of the friction in their tangent plane
} Held;

static bool is_held(const Island *s, int i) {
    const ContactPoint *t = &s->contact_point[i];
    return t->friction.kind == SLIP_FROM_REST && t->friction.may_reverse &&
           t->law->friction_dynamic > 0 && s->point[i].friction > t->law->friction_dynamic &&
           s->point[i].p.z > 0;
}

static Held held_of(Island *s, int first) {
    Held sum = { .one_direction = true };
    for (int i = first; i < s->point_count; i = next_of(s, i)) {
        if (is_held(s, i)) {
            sum.against = sub(sum.against, contact_world(&s->contact_point[i],
                                                         vec(s->point[i].p.x, s->point[i].p.y, 0)));
        }
    }
    double size = norm(sum.against);
    for (int i = first; i < s->point_count && size > 0; i = next_of(s, i)) {
        ContactPoint *t = &s->contact_point[i];
        const MicrostepPoint *q = &s->point[i];
        if (!is_held(s, i)) continue;
        t->friction.direction = scale(1 / size,
                                      vec(dot(t->t1, sum.against), dot(t->t2, sum.against), 0));
        if (!(norm(t->friction.direction) > 1 - 1e-6)) {
            sum.one_direction = false;
        }
        double most = t->law->friction_dynamic * q->p.z;
        sum.holds += t->law->friction_static * q->p.z;
        t->friction.slip_across = vec(0, 0, 0);
        sum.most += most;
        sum.slip += most * slip_along(s, i);
        sum.slip_before += most * along(t, t->friction.slip_before);
        sum.change_before += most * along(t, sub(t->u, t->friction.slip_before));
        sum.predicted += most * along(t, q->c);
    }
    return sum;
}

// A group that is held breaks away at the time at which the drive exceeds static friction. True:
// it does within the micro-step.
static bool release_group(Island *s, int first, double T, double speed) {
    Held of = held_of(s, first);
    if (!(of.most > 0) || !of.one_direction) return false;
    const ContactPoint *one = NULL;
    for (int i = first; i < s->point_count && !one; i = next_of(s, i)) {
        if (is_held(s, i)) {
            one = &s->contact_point[i];
        }
    }
    double free = (of.slip_before + of.change_before + of.predicted) / of.most;
    double all = (free - of.slip / of.most) * of.most / norm(of.against);
    if (!(all > 0)) return false;
    SlipInterval interval = impulse_slip_interval(one, T, of.change_before / of.most,
                                                  of.predicted / of.most, all, of.holds / of.most);
    double taken;
    double then = impulse_slip_from_rest(&interval, 0, &taken);
    if (!(then > IMPULSE_SLIPS * speed)) return false;
    for (int i = first; i < s->point_count; i = next_of(s, i)) {
        ContactPoint *t = &s->contact_point[i];
        if (!is_held(s, i)) continue;
        t->friction.kind = SLIP_REVERSED;
        t->friction.trial_slip = then;
        t->friction.trial_limit = all;
        s->point[i].friction = t->law->friction_dynamic;
        set_given_friction(t, &s->point[i], taken / all, 0);
    }
    return true;
}

bool impulse_friction_release(Loop *l, double T, double speed, bool tries) {
    Island *s = &l->island;
    bool any = false;
    for (int first = 0; first < s->point_count && tries; first++) {
        if (!s->contact_point[first].friction.is_head) continue;
        if (release_group(s, first, T, speed)) {
            any = true;
        }
    }
    for (int i = 0; i < s->point_count; i++) {
        MicrostepPoint *q = &s->point[i];
        double dynamic = s->contact_point[i].law->friction_dynamic;
        if (q->mode != CONTACT_SLIDE || !(q->friction > dynamic)) continue;
        if (!is_slow(add(solve_point_velocity(s->body, q), q->c), IMPULSE_SLIPS * speed)) {
            q->friction = dynamic;
            any = true;
        }
    }
    return any;
}

// --- coming to rest ------------------------------------------------------------------------------
//
// 1, of the change that friction can make: a slip that is stopped by less is held. The estimate
// neglects rotation, which adds to the change.
#define HOLD_MARGIN 0.9
// True if friction stops the points of a group that stick though they slid, and holds them there.
static bool are_held(const Island *s, int first) {
    double fastest = 0, stops = 0;
    for (int i = first; i < s->point_count; i = next_of(s, i)) {
        if (s->contact_point[i].friction.kind == SLIP_STOPS) {
            fastest = max2(fastest, norm(s->contact_point[i].friction.slip_before));
        }
    }
    if (fastest == 0) return true;
    Cluster on = cluster_pushed(s, first);
    for (int i = 0; i < s->point_count; i++) {
        const MicrostepPoint *q = &s->point[i];
        if (s->contact_point[i].friction.kind == SLIP_STOPS && is_pushed(s, i, first, on)) {
            stops += q->friction * q->p.z - along(&s->contact_point[i], q->p);
        }
    }
    return fastest <= HOLD_MARGIN * on.inverse_mass * stops;
}

// Points of a group that stop: held from rest on, or tried with another part of their friction.
static void settle_stops(Island *s, int first, bool tries) {
    bool held = are_held(s, first);
    if (!held) {
        try_other_part(s, first, SLIP_STOPS, tries);
    }
    for (int i = first; i < s->point_count && held; i = next_of(s, i)) {
        if (s->contact_point[i].friction.kind == SLIP_STOPS) {
            s->contact_point[i].friction.kind = SLIP_FROM_REST;
        }
    }
}

// Rules by the size of the island (docs/theory/microcollisions.md, section 10): in islands of
// several bodies friction changes the loads of other points, and the linear response of a trial
// says little. Supports that move may make a point reverse again and again, so trials are made
// there up to IMPULSE_LARGE.
static bool may_reverse_on(const Loop *l, const ContactPoint *t) {
    int bodies = l->island.body_count;
    return bodies < IMPULSE_MANY ||
           (bodies < IMPULSE_LARGE && motion_is_moving(l->settings.model, t->b));
}

// 1, of the change by friction: a drive against the slip of at least this part may reverse it.
// Less than 1, since friction changes the slip of a ball by more than its inverse mass says.
#define REVERSAL_SHARE 0.5
// Friction of a group on its cluster: its limit and its value, as changes of velocity, m/s, world
// axes.
typedef struct FrictionPush {
    double limit;
    impVec3 change;
} FrictionPush;
// Direction of the friction of a point: against the drive, which is the change of its slip without
// friction, if that may reverse the slip; else against the slip.
static void set_direction(Island *s, int i, const FrictionPush *push) {
    ContactPoint *t = &s->contact_point[i];
    impVec3 change = vec(dot(t->t1, push->change), dot(t->t2, push->change), 0);
    impVec3 slip_before = scale(1 / norm(t->friction.slip_before), t->friction.slip_before);
    impVec3 drive = sub(
        sub(add(solve_point_velocity(s->body, &s->point[i]), s->point[i].c), change),
        t->friction.slip_before);
    drive.z = 0;
    if (!(dot(drive, slip_before) < -REVERSAL_SHARE * push->limit)) {
        t->friction.may_reverse = false;
    }
    t->friction.direction = t->friction.may_reverse ? scale(-1 / norm(drive), drive) : slip_before;
    t->friction.slip_across = madd(t->friction.slip_before, -along(t, t->friction.slip_before),
                                   t->friction.direction);
}

static void classify_point(Loop *l, int i, double age, double speed, const FrictionPush *push,
                           SlipKind kind) {
    ContactPoint *t = &l->island.contact_point[i];
    impVec3 then = last_slip(l, i, age);
    t->friction.slip_before = vec(then.x, then.y, 0);
    t->friction.time_before = time_since_middle(l, i, age);
    t->friction.fall_before = then.z - t->u.z;
    bool slow = is_slow(t->friction.slip_before, CREEP_SLIP * speed);
    // its bodies were put there or woke at the beginning of the flight
    if (t->friction.was_held && !slow) {
        t->friction.slip_before = vec(0, 0, 0);
        t->friction.time_before = l->clock.now - flight_start(l, t);
        t->friction.fall_before = -t->u.z;
        slow = true;
    }
    t->friction.kind = l->island.body_count >= IMPULSE_LARGE || l->island.point[i].friction == 0 ||
                               slow
                           ? SLIP_FROM_REST
                           : kind;
    if (!slow) {
        set_direction(&l->island, i, push);
    }
}

// Sum over all points that push the cluster, also those without a normal impulse yet.
static FrictionPush friction_push(const Island *s, int first) {
    FrictionPush push = { 0 };
    Cluster on = cluster_pushed(s, first);
    for (int i = 0; i < s->point_count; i++) {
        const impVec3 p = s->point[i].p;
        if (s->point[i].mode == CONTACT_OPEN || !is_pushed(s, i, first, on)) continue;
        push.limit += on.inverse_mass * s->point[i].friction * p.z;
        push.change = madd(push.change, on.inverse_mass,
                           contact_world(&s->contact_point[i], vec(p.x, p.y, 0)));
    }
    return push;
}

// A point of a group like this one slides. Then a group that sticks is not tried by itself, as
// each trial takes a pass.
static bool slides_alike(const Island *s, int first) {
    for (int i = 0; i < s->point_count; i++) {
        if (s->point[i].mode == CONTACT_SLIDE && is_like(s, i, first)) return true;
    }
    return false;
}

// Classifies the points of a group that carry an impulse for the first time in this micro-step.
static void classify_group(Loop *l, int first, double age, double speed) {
    Island *s = &l->island;
    bool may = false;
    bool is_loaded = false;
    for (int i = first; i < s->point_count; i = next_of(s, i)) {
        if (s->contact_point[i].friction.kind != SLIP_NONE || s->point[i].mode == CONTACT_OPEN)
            continue;
        may = may || may_reverse_on(l, &s->contact_point[i]);
        is_loaded = true;
    }
    if (!is_loaded) return;
    FrictionPush push = may ? friction_push(s, first) : (FrictionPush){ 0 };
    SlipKind kind = !may || slides_alike(s, first) ? SLIP_CONTINUES : SLIP_STOPS;
    for (int i = first; i < s->point_count; i = next_of(s, i)) {
        ContactPoint *t = &s->contact_point[i];
        if (t->friction.kind != SLIP_NONE || (!may && s->point[i].mode != CONTACT_SLIDE)) continue;
        t->friction.may_reverse = may;
        classify_point(l, i, age, speed, &push, kind);
    }
}

static bool is_classified(const Island *s) {
    for (int i = 0; i < s->point_count; i++) {
        if (s->contact_point[i].friction.kind != SLIP_NONE) return true;
    }
    return false;
}

void impulse_friction_directions(Loop *l, double age, double speed, bool tries) {
    Island *s = &l->island;
    bool clusters = s->body_count < IMPULSE_LARGE && !is_classified(s);
    for (int first = 0; first < s->point_count && clusters; first++) {
        if (s->contact_point[first].friction.is_head && s->point[first].b < 0) {
            link_cluster(s, first);
        }
    }
    for (int first = 0; first < s->point_count; first++) {
        if (s->contact_point[first].friction.is_head) {
            classify_group(l, first, age, speed);
        }
    }
    for (int first = 0; first < s->point_count; first++) {
        if (s->contact_point[first].friction.is_head) {
            settle_stops(s, first, tries);
        }
    }
}

// Dynamic friction brings a slip to rest at any time within the micro-step. True if the slip
// passes through rest, to `speed`, on the straight line from `before` to `now`.
static bool passed_through_rest(impVec3 before, impVec3 now, double speed) {
    double x = now.x - before.x;
    double y = now.y - before.y;
    double cross_product = now.x * before.y - now.y * before.x;
    return now.x * before.x + now.y * before.y <= 0 &&
           cross_product * cross_product <= speed * speed * (x * x + y * y);
}

bool impulse_friction_catch(Loop *l, double age, double speed) {
    Island *s = &l->island;
    bool any = false;
    for (int i = 0; i < s->point_count; i++) {
        MicrostepPoint *q = &s->point[i];
        ContactPoint *t = &s->contact_point[i];
        if (q->mode != CONTACT_SLIDE || !(t->law->friction_static > q->friction) ||
            t->friction.was_held)
            continue;
        // reversals decide this by themselves
        if (impulse_friction_continues(t) || t->friction.kind == SLIP_TRIAL ||
            t->friction.kind == SLIP_REVERSED)
            continue;
        impVec3 mean = add(solve_point_velocity(s->body, q), q->c);
        impVec3 before = last_slip(l, i, age);
        if (!passed_through_rest(before, mean, HELD_SLIP * speed)) continue;
        q->friction = t->law->friction_static;
        t->friction.was_held = any = true;
    }
    return any;
}
