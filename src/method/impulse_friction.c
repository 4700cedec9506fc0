// impulse_friction.c -- friction in time: whether a contact point has static or dynamic friction
// in a micro-step, and the direction of its friction.
//
// docs/theory/microcollisions.md, section 8. An impulse stands for the time between the middles of
// the flights before and after it (8). The friction of a point that slides acts against its mean
// slip over this time (19). If the slip reverses within it, the friction is the sum of its parts
// in both directions (20). How friction changes slip and load is found by one pass with another
// part of the friction for all points of a group, (30) to (32).
//
// t: a contact point; q: the same point for the solver.
//
// SPDX-License-Identifier: MIT
#include "method/impulse_friction.h"

// Tolerances. Test: tests/method/impulse_friction.c, where none is named.
//
// 1, of g T: slower sliding keeps (7), which brings the point to rest
#define CREEP_SLIP 1e-2

// --- static friction -----------------------------------------------------------------------------

// A point with mu_s > mu_d has static friction if its slip was 0, to IMPULSE_HELD_SLIP, in the
// middle of its last flight or when the flight of its bodies began. Both are evaluated relative to
// the support where it was at that time. The normal velocity must vanish, too, at the beginning:
// sliding points have no slip at the beginning of some micro-step, but rise then.
static bool began_at_rest(const LastFlights *last, const ContactPoint *t, double speed) {
    double start = impulse_flight_start(last->world->flights.actor, t);
    impVec3 u = impulse_slip_at(last, t, start - last->world->clock.now);
    return impulse_is_slow(u, speed) && fabs(u.z) <= speed;
}

void impulse_friction_static(Island *island, const LastFlights *last, double speed) {
    for (int i = 0; i < island->point_count; i++) {
        ContactPoint *t = &island->contact_point[i];
        if (!(t->law->friction_static > t->law->friction_dynamic)) continue;
        t->friction.was_held = impulse_is_slow(impulse_last_slip(last, i),
                                               IMPULSE_HELD_SLIP * speed) ||
                               began_at_rest(last, t, IMPULSE_HELD_SLIP * speed);
        if (t->friction.was_held) {
            island->point[i].friction = t->law->friction_static;
        }
    }
}

// --- groups of points ----------------------------------------------------------------------------

// Component along the direction of a point.
static double along(const ContactPoint *t, impVec3 u) {
    return u.x * t->friction.direction.x + u.y * t->friction.direction.y;
}

bool impulse_friction_is_centred(const ContactPoint *t) {
    return t->friction.kind == SLIP_CONTINUES;
}

// Predicted slip of a point along its direction, m/s, of the coming flight alone.
static double slip_along(const Island *island, int i) {
    const ContactPoint *t = &island->contact_point[i];
    impVec3 mean = add(solve_point_velocity(island->body, &island->point[i]), island->point[i].c);
    // q->c of these includes slip_before (19)
    if (t->friction.kind == SLIP_CONTINUES || t->friction.kind == SLIP_REVERSES) {
        mean = sub(mean, t->friction.slip_before);
    }
    return along(t, mean);
}

// Links the points whose friction is tried together: those of a body on all that is fixed, those
// on all that is prescribed to move, or those of a pair.
void impulse_friction_groups(Island *island) {
    for (int i = 0; i < 2 * island->body_count; i++) {
        island->friction.link[i] = island->point_count;
    }
    for (int i = island->point_count - 1; i >= 0; i--) {
        ContactPoint *t = &island->contact_point[i];
        const MicrostepPoint *q = &island->point[i];
        int *link = &island->friction.link[2 * q->a + (t->b_is_fixed ? 1 : 0)];
        bool paired = q->b >= 0 && i + 1 < island->point_count &&
                      island->slot[i + 1] == island->slot[i];
        t->friction.next = q->b < 0 ? *link : paired ? i + 1 : island->point_count;
        t->friction.is_head = q->b < 0 || i == 0 || island->slot[i - 1] != island->slot[i];
        if (q->b >= 0) continue;
        if (*link < island->point_count) {
            island->contact_point[*link].friction.is_head = false;
        }
        *link = i;
    }
}

// The next point of the group; past the last one Island.point_count.
static int next_of(const Island *island, int i) { return island->contact_point[i].friction.next; }

// Bodies of a rigid cluster: they stick together and are accelerated as one by the friction of a
// group, rotation neglected (docs/theory/microcollisions.md, section 8). One bit by island index;
// islands are smaller than IMPULSE_LARGE.
typedef uint32_t Members;

// Both points are of the same group or, on fixed or prescribed bodies, of groups on the same kind
// of support.
static bool is_like(const Island *island, int i, int first) {
    const MicrostepPoint *p = &island->point[i];
    const MicrostepPoint *q = &island->point[first];
    return q->b < 0 ? p->b < 0 && island->contact_point[i].b_is_fixed ==
                                      island->contact_point[first].b_is_fixed
                    : island->slot[i] == island->slot[first];
}

// A sticking contact that rolls holds neither body in place.
static bool may_roll(const ContactPoint *t) {
    return t->motion.kind >= ROLLS_ON_A || t->motion.radius > 0 || t->motion.radius_other > 0;
}

// Bodies that stick to body `island_index`, points like `first` ignored; 0: they stick to a fixed
// or prescribed body.
static Members cluster_of(const Island *island, int first, int island_index) {
    Members with = (Members)1 << island_index;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < island->point_count; i++) {
            const MicrostepPoint *q = &island->point[i];
            if (q->mode != CONTACT_STICK || !(q->p.z > 0) || may_roll(&island->contact_point[i]) ||
                is_like(island, i, first))
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

// The last point of the group in which `i` is.
static int last_of(const Island *island, int i) {
    while (next_of(island, i) < island->point_count) {
        i = next_of(island, i);
    }
    return i;
}

// Appends the groups of all bodies of the cluster to that of the first point.
static void link_cluster(Island *island, int first) {
    Members with = cluster_of(island, first, island->point[first].a);
    int last = last_of(island, first);
    for (int i = first + 1; i < island->point_count; i++) {
        if (!island->contact_point[i].friction.is_head || !is_like(island, i, first) ||
            !(with >> island->point[i].a & 1))
            continue;
        island->contact_point[i].friction.is_head = false;
        island->contact_point[last].friction.next = i;
        last = last_of(island, i);
    }
}

// Inverse mass of a cluster, 1/kg; 0: it does not move.
static double cluster_inverse_mass(const Island *island, Members with) {
    double mass = 0;
    for (int i = 0; i < island->body_count; i++) {
        if (with >> i & 1) {
            mass += 1 / island->body[i].mass_inverse;
        }
    }
    return mass > 0 ? 1 / mass : 0;
}

// The bodies whose points push the cluster, and the inverse mass against their friction, 1/kg.
typedef struct Cluster {
    Members with;
    double inverse_mass;
} Cluster;

static Cluster cluster_pushed(const Island *island, int first) {
    const MicrostepPoint *q = &island->point[first];
    Members a = cluster_of(island, first, q->a);
    Members b = q->b < 0 ? 0 : cluster_of(island, first, q->b);
    if ((a & b) != 0) return (Cluster){ a, 0 };
    return (Cluster){ a | (Members)1 << q->a,
                      cluster_inverse_mass(island, a) + cluster_inverse_mass(island, b) };
}

// The friction of point i acts on the cluster.
static bool is_pushed(const Island *island, int i, int first, Cluster on) {
    return is_like(island, i, first) && (on.with >> island->point[i].a & 1);
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
static void cancel_reversal(Island *island, int i) {
    island->contact_point[i].friction.kind = SLIP_FROM_REST;
    island->point[i].friction_is_given = false;
    island->friction.undone = true;
}

// --- trials --------------------------------------------------------------------------------------

// A slip that would reverse within the micro-step comes to rest in between. One pass is solved
// with another part of the friction (a trial); its result and that of the pass before give a
// linear response of slip and load to friction, (30) to (32), from which follow the time of rest
// and the impulse, (20), (21) and (25). The trial is made for all reversing points of a group at
// once. Test: it_sticks_and_slips_as_it_should in tests/method/impulse_friction.c.

// Friction sums over the points of a group that are of one kind. 1 in (30) and (31) is the pass
// before the trial, 2 the trial.
typedef struct FrictionSum {
    double most;             // N s: limit of dynamic friction, limit_2
    double holds;            // N s: limit of static friction
    double against;          // N s: component against the direction, P_2
    double untried_limit;    // N s: limit_1
    double untried_impulse;  // N s: P_1
    double slower;           // N s m/s: limit_2 times slip_1 - slip_2
} FrictionSum;

static FrictionSum friction_sum(const Island *island, int first, SlipKind kind) {
    FrictionSum sum = { 0 };
    for (int i = first; i < island->point_count; i = next_of(island, i)) {
        const ContactPoint *t = &island->contact_point[i];
        const MicrostepPoint *q = &island->point[i];
        double most = q->friction * q->p.z;
        if (t->friction.kind != kind) continue;
        sum.most += most;
        sum.against -= along(t, q->p);
        sum.holds += t->law->friction_static * q->p.z;
        sum.untried_limit += t->friction.untried_limit;
        sum.untried_impulse += t->friction.untried_impulse;
        sum.slower += most * (t->friction.untried_slip - slip_along(island, i));
    }
    return sum;
}

// Response of the slip and of the limit of friction to the friction P of a group.
typedef struct TrialResponse {
    double inverse_mass;  // m/s by N s: k of (30)
    double limit;         // N s: L of (31), the limit where P is 0
    double limit_growth;  // 1: g of (31)
    double forth, back;   // m/s (32): change of the slip by the whole friction, against the
                          // direction and along it
} TrialResponse;

// 1: friction that changes its own limit by a larger part has no usable response. Test:
// slip_near_an_inconsistency_reverses
#define MAX_LIMIT_GROWTH 0.5

// False: the trial has no usable response.
static bool trial_response(const FrictionSum *sum, TrialResponse *out) {
    double change = sum->against - sum->untried_impulse;
    if (!(fabs(change) > 0) || !(sum->most > 0)) return false;
    out->inverse_mass = sum->slower / sum->most / change;                   // (30)
    out->limit_growth = (sum->most - sum->untried_limit) / change;          // (31)
    out->limit = sum->most - out->limit_growth * sum->against;              // (31)
    out->forth = out->inverse_mass * out->limit / (1 - out->limit_growth);  // (32)
    out->back = out->inverse_mass * out->limit / (1 + out->limit_growth);   // (32)
    return fabs(out->limit_growth) <= MAX_LIMIT_GROWTH && out->inverse_mass > 0 && out->limit > 0;
}

// Starts a trial of the points of one kind, with the whole friction the other way: along the
// direction if it acts against it now, else against it; keeps what the pass before it found. Points
// that may not reverse, or all of them if no trial may start, keep (7). True: some point of this
// kind exists.
static bool start_trial(Island *island, int first, SlipKind kind, bool may_try) {
    FrictionSum now = friction_sum(island, first, kind);
    bool any = false;
    for (int i = first; i < island->point_count; i = next_of(island, i)) {
        ContactPoint *t = &island->contact_point[i];
        MicrostepPoint *q = &island->point[i];
        if (t->friction.kind != kind) continue;
        bool is_tried = may_try && now.most > 0 && t->friction.may_reverse;
        if (is_tried) {
            t->friction.untried_slip = slip_along(island, i);
            t->friction.untried_impulse = -along(t, q->p);
            t->friction.untried_limit = q->friction * q->p.z;
            set_given_friction(t, q, now.against > 0 ? -1 : 1, 0);
        }
        t->friction.kind = is_tried ? SLIP_TRIAL : SLIP_FROM_REST;
        any = true;
    }
    return any;
}

// --- sliding reversal ----------------------------------------------------------------------------

// 1, of the slip before: a slip that misses rest by less passes through it
#define CROSS_SLIP 0.1
// 1, of the slip before: one that misses rest by less has no transverse part
#define LEAST_CROSS_SLIP 1e-6

// A point that is to reverse: its slip, and its drive and friction between the middles of the
// flights.
typedef struct Reversal {
    double s0;                 // m/s: slip before, along the direction
    double h0;                 // m/s: and across it
    double free;               // m/s: slip after, along the direction, without friction (30)
    SlipInterval forth, back;  // with friction against the direction, and along it
} Reversal;

static Reversal reversal_of(const ContactPoint *t, const MicrostepPoint *q, double T,
                            const FrictionSum *sum, const TrialResponse *response) {
    Reversal r = { .s0 = along(t, t->friction.slip_before),
                   .h0 = norm(t->friction.slip_across),
                   .free = t->friction.untried_slip +
                           response->inverse_mass * sum->untried_impulse };
    double time_before = t->friction.time_before;
    double duration = time_before + 0.5 * T;
    double change_before = along(t, sub(t->u, t->friction.slip_before));
    double change_after = along(t, q->c);
    // the rest of the change, from other impulses, is constant in time
    double rest = (r.free - r.s0 - change_before - change_after) / duration;
    r.forth = impulse_slip_interval(t, T, change_before + rest * time_before,
                                    change_after + rest * 0.5 * T, response->forth,
                                    sum->holds / sum->most);
    r.back = r.forth;
    r.back.friction.start = r.forth.friction.start * response->back / response->forth;
    r.back.friction.rate = r.forth.friction.rate * response->back / response->forth;
    return r;
}

// Sets the friction of a point that reverses, from the response of its group. False: the point
// does not come to rest within the micro-step, or stays there.
static bool reverse_at_rest(ContactPoint *t, MicrostepPoint *q, double T, double speed,
                            const FrictionSum *sum) {
    TrialResponse response;
    if (!trial_response(sum, &response)) return false;
    Reversal r = reversal_of(t, q, T, sum, &response);
    double duration = r.forth.duration;
    double stop = r.s0 > 0 ? impulse_slip_time_to_rest(&r.forth, r.s0) : HUGE_VAL;
    if (!(stop < duration)) return false;

    // a slip that misses rest at a distance is never held: a and b of (21), m/s^2
    double drive = (r.s0 - r.free) / duration;
    double friction = 0.5 * (response.forth + response.back) / duration;
    bool passes = r.h0 > LEAST_CROSS_SLIP * r.s0 && friction < drive &&
                  impulse_slip_least((PlaneSlip){ r.s0, r.h0 }, drive, friction) >
                      IMPULSE_HELD_SLIP * speed;
    if (passes) {
        r.back.hold_ratio = 1;
    }

    // decrease of the slip by friction, m/s, along the direction and across it
    double taken;
    double across = 0;
    double then = impulse_slip_from_rest(&r.back, stop, &taken);
    if (then == 0 || (!passes && r.h0 > CROSS_SLIP * r.s0)) return false;
    taken += linear_integral(r.forth.friction, 0, stop);
    if (passes) {
        // difference between the plane solution (21) and the line solution (20)
        PlaneSlip past_rest = impulse_slip_past_rest((PlaneSlip){ r.s0, r.h0 }, drive, friction,
                                                     duration);
        taken += (friction - drive) * (duration - r.s0 / (drive + friction)) - past_rest.x;
        across = r.h0 - past_rest.h;
    }

    // as parts of the limit (31), together at most 1
    double P = taken / response.inverse_mass;
    double most = response.limit + response.limit_growth * P;
    double part = P / most;
    double part_across = across / response.inverse_mass / most;
    double scale_down = passes ? max2(sqrt(part * part + part_across * part_across), 1) : 1;
    set_given_friction(t, q, part / scale_down, part_across / scale_down);
    return true;
}

// Ends the trial of a group. True: there was one.
static bool finish_trials(Island *island, int first, double T, double speed, bool solved) {
    FrictionSum trial = friction_sum(island, first, SLIP_TRIAL);
    bool any = false;
    for (int i = first; i < island->point_count; i = next_of(island, i)) {
        ContactPoint *t = &island->contact_point[i];
        if (t->friction.kind != SLIP_TRIAL) continue;
        any = true;
        t->friction.kind = SLIP_REVERSED;
        if (!solved || !reverse_at_rest(t, &island->point[i], T, speed, &trial)) {
            cancel_reversal(island, i);
        }
    }
    return any;
}

// Reversals of one group after a pass. True: another pass is needed.
static bool reverse_group(Island *island, int first, double T, double speed, bool solved,
                          bool may_try) {
    bool had_trial = finish_trials(island, first, T, speed, solved);
    for (int i = first; i < island->point_count; i = next_of(island, i)) {
        if (impulse_friction_is_centred(&island->contact_point[i]) &&
            (island->point[i].mode == CONTACT_STICK || slip_along(island, i) <= 0)) {
            island->contact_point[i].friction.kind = SLIP_REVERSES;
        }
    }
    return start_trial(island, first, SLIP_REVERSES, may_try && solved) || had_trial;
}

bool impulse_friction_reverse(Island *island, double T, double speed, bool solved, bool may_try) {
    bool any = false;
    for (int first = 0; first < island->point_count; first++) {
        if (!island->contact_point[first].friction.is_head) continue;
        if (reverse_group(island, first, T, speed, solved, may_try)) {
            any = true;
        }
    }
    return any;
}

bool impulse_friction_cancel_given(Island *island) {
    bool any = false;
    for (int i = 0; i < island->point_count; i++) {
        if (island->point[i].friction_is_given) {
            cancel_reversal(island, i);
            any = true;
        }
    }
    return any;
}

// --- breaking away -------------------------------------------------------------------------------

// 1: a direction is in a tangent plane if its part there is shorter than 1 by less. Test: none yet
#define IN_PLANE 1e-6

// Sums over the points of a group that static friction holds. Slips are weighted by the dynamic
// limits mu_d p_n of their points, as these are the shares in the friction of a group that slides:
// the mean slip times this friction is then its work.
typedef struct Held {
    double most, holds;  // N s: limits of dynamic and of static friction
    // along the directions of the points, weighted, N s m/s:
    double slip;           // after the micro-step
    double slip_before;    // in the middle of the last flight
    double change_before;  // since then
    double predicted;      // in the coming flight
} Held;

// Static friction holds the point, and its break-away may be tried.
static bool is_held(const Island *island, int i) {
    const ContactPoint *t = &island->contact_point[i];
    return t->friction.kind == SLIP_FROM_REST && t->friction.may_reverse &&
           t->law->friction_dynamic > 0 && island->point[i].friction > t->law->friction_dynamic &&
           island->point[i].p.z > 0;
}

// The common friction of the held points of a group on their bodies a, reversed: N s, world axes.
static impVec3 reversed_friction(const Island *island, int first) {
    impVec3 sum = vec(0, 0, 0);
    for (int i = first; i < island->point_count; i = next_of(island, i)) {
        const impVec3 p = island->point[i].p;
        if (!is_held(island, i)) continue;
        sum = sub(sum, contact_world(&island->contact_point[i], vec(p.x, p.y, 0)));
    }
    return sum;
}

// Sets the directions of the held points, all along one vector of the world. False: it is not in
// the tangent plane of each of them.
static bool direct_held(Island *island, int first, impVec3 toward) {
    const double size = norm(toward);
    bool in_plane = true;
    for (int i = first; i < island->point_count; i = next_of(island, i)) {
        ContactPoint *t = &island->contact_point[i];
        if (!is_held(island, i)) continue;
        t->friction.direction = scale(1 / size, vec(dot(t->t1, toward), dot(t->t2, toward), 0));
        t->friction.slip_across = vec(0, 0, 0);
        in_plane = in_plane && norm(t->friction.direction) > 1 - IN_PLANE;
    }
    return in_plane;
}

static Held sum_held(const Island *island, int first) {
    Held sum = { 0 };
    for (int i = first; i < island->point_count; i = next_of(island, i)) {
        const ContactPoint *t = &island->contact_point[i];
        const MicrostepPoint *q = &island->point[i];
        if (!is_held(island, i)) continue;
        double most = t->law->friction_dynamic * q->p.z;
        sum.holds += t->law->friction_static * q->p.z;
        sum.most += most;
        sum.slip += most * slip_along(island, i);
        sum.slip_before += most * along(t, t->friction.slip_before);
        sum.change_before += most * along(t, sub(t->u, t->friction.slip_before));
        sum.predicted += most * along(t, q->c);
    }
    return sum;
}

static const ContactPoint *first_held(const Island *island, int first) {
    int i = first;
    while (!is_held(island, i)) {
        i = next_of(island, i);
    }
    return &island->contact_point[i];
}

// A group that is held breaks away at the time at which the drive exceeds static friction. True:
// it does within the micro-step.
static bool release_group(Island *island, int first, double T, double speed) {
    impVec3 against = reversed_friction(island, first);
    if (!(norm(against) > 0) || !direct_held(island, first, against)) return false;
    Held held = sum_held(island, first);
    const ContactPoint *one = first_held(island, first);
    // means over the points, m/s: slip without friction (34), and its decrease by all of dynamic
    // friction (35)
    double free = (held.slip_before + held.change_before + held.predicted) / held.most;
    double all = (free - held.slip / held.most) * held.most / norm(against);
    if (!(all > 0)) return false;
    SlipInterval interval = impulse_slip_interval(one, T, held.change_before / held.most,
                                                  held.predicted / held.most, all,
                                                  held.holds / held.most);
    double taken;
    double then = impulse_slip_from_rest(&interval, 0, &taken);
    if (!(then > IMPULSE_SLIPS * speed)) return false;
    for (int i = first; i < island->point_count; i = next_of(island, i)) {
        ContactPoint *t = &island->contact_point[i];
        if (!is_held(island, i)) continue;
        t->friction.kind = SLIP_REVERSED;
        island->point[i].friction = t->law->friction_dynamic;
        set_given_friction(t, &island->point[i], taken / all, 0);
    }
    return true;
}

// Points that slide in spite of static friction have dynamic friction in the next pass. True: some
// do.
static bool let_slide(Island *island, double speed) {
    bool any = false;
    for (int i = 0; i < island->point_count; i++) {
        MicrostepPoint *q = &island->point[i];
        double dynamic = island->contact_point[i].law->friction_dynamic;
        if (q->mode != CONTACT_SLIDE || !(q->friction > dynamic)) continue;
        if (!impulse_is_slow(add(solve_point_velocity(island->body, q), q->c),
                             IMPULSE_SLIPS * speed)) {
            q->friction = dynamic;
            any = true;
        }
    }
    return any;
}

bool impulse_friction_release(Island *island, double T, double speed, bool may_try) {
    bool any = false;
    for (int first = 0; first < island->point_count && may_try; first++) {
        if (!island->contact_point[first].friction.is_head) continue;
        if (release_group(island, first, T, speed)) {
            any = true;
        }
    }
    return let_slide(island, speed) || any;
}

// --- coming to rest ------------------------------------------------------------------------------

// 1, of the change that friction can make: a slip that is stopped by less is held. The estimate
// neglects rotation, which adds to the change.
#define HOLD_MARGIN 0.9

// True if friction stops the points of a group that stick though they slid, and holds them there.
static bool are_held(const Island *island, int first) {
    double fastest = 0, stops = 0;
    for (int i = first; i < island->point_count; i = next_of(island, i)) {
        if (island->contact_point[i].friction.kind == SLIP_STOPS) {
            fastest = max2(fastest, norm(island->contact_point[i].friction.slip_before));
        }
    }
    if (fastest == 0) return true;
    Cluster on = cluster_pushed(island, first);
    for (int i = 0; i < island->point_count; i++) {
        const MicrostepPoint *q = &island->point[i];
        if (island->contact_point[i].friction.kind == SLIP_STOPS &&
            is_pushed(island, i, first, on)) {
            stops += q->friction * q->p.z - along(&island->contact_point[i], q->p);
        }
    }
    return fastest <= HOLD_MARGIN * on.inverse_mass * stops;
}

// Points of a group that stop: held from rest on, or tried with another part of their friction.
static void settle_stops(Island *island, int first, bool may_try) {
    bool held = are_held(island, first);
    if (!held) {
        start_trial(island, first, SLIP_STOPS, may_try);
    }
    for (int i = first; i < island->point_count && held; i = next_of(island, i)) {
        if (island->contact_point[i].friction.kind == SLIP_STOPS) {
            island->contact_point[i].friction.kind = SLIP_FROM_REST;
        }
    }
}

// Rules by the size of the island (docs/theory/microcollisions.md, section 10): in islands of
// several bodies friction changes the loads of other points, and the linear response of a trial
// says little. Supports that move may make a point reverse again and again, so trials are made
// there up to IMPULSE_LARGE.
static bool may_reverse_on(const impModel *m, int bodies, const ContactPoint *t) {
    return bodies < IMPULSE_MANY || (bodies < IMPULSE_LARGE && motion_is_moving(m, t->b));
}

// 1, of the change by friction: a drive against the slip of at least this part may reverse it.
// Less than 1, since friction changes the slip of a ball by more than its inverse mass says.
#define REVERSAL_SHARE 0.5

// Friction of a group on its cluster, as changes of velocity, m/s.
typedef struct FrictionPush {
    double limit;    // by the largest friction
    impVec3 change;  // by the present one, world axes
} FrictionPush;

// The drive of a point, m/s, frame: the change of its slip without friction (33).
static impVec3 drive_of(const Island *island, int i, const FrictionPush *push) {
    const ContactPoint *t = &island->contact_point[i];
    impVec3 change = vec(dot(t->t1, push->change), dot(t->t2, push->change), 0);
    impVec3 drive = sub(
        sub(add(solve_point_velocity(island->body, &island->point[i]), island->point[i].c), change),
        t->friction.slip_before);
    drive.z = 0;
    return drive;
}

// The direction of the slip in the middle of the last flight.
static impVec3 direction_before(const ContactPoint *t) {
    return scale(1 / norm(t->friction.slip_before), t->friction.slip_before);
}

// True if the drive is enough against the slip to reverse it (33). limit: change of the slip by all
// of the friction, m/s.
static bool may_reverse_by(impVec3 drive, const ContactPoint *t, double limit) {
    return dot(drive, direction_before(t)) < -REVERSAL_SHARE * limit;
}

// Sets the direction of a sliding point, against which its friction counts as positive: opposite to
// the drive if the slip may reverse, else along the slip.
static void set_direction(ContactPoint *t, impVec3 drive) {
    t->friction.direction = t->friction.may_reverse ? scale(-1 / norm(drive), drive)
                                                    : direction_before(t);
    t->friction.slip_across = madd(t->friction.slip_before, -along(t, t->friction.slip_before),
                                   t->friction.direction);
}

// Sets the slip of a point in the middle of its last flight. A held point that slid then was put
// there or woke when the flight began, at rest: the slip is that of the beginning.
static void set_slip_before(ContactPoint *t, const LastFlights *last, int i, double speed) {
    impVec3 then = impulse_last_slip(last, i);
    t->friction.slip_before = vec(then.x, then.y, 0);
    t->friction.time_before = impulse_time_since_middle(last, i);
    t->friction.fall_before = then.z - t->u.z;
    if (!t->friction.was_held || impulse_is_slow(t->friction.slip_before, CREEP_SLIP * speed))
        return;
    t->friction.slip_before = vec(0, 0, 0);
    t->friction.time_before = last->world->clock.now -
                              impulse_flight_start(last->world->flights.actor, t);
    t->friction.fall_before = -t->u.z;
}

// Sets by its slip in the last flight how the friction of a point is found: as `kind` says, or by
// (7).
static void classify_point(Island *island, const LastFlights *last, int i, double speed,
                           const FrictionPush *push, SlipKind kind) {
    ContactPoint *t = &island->contact_point[i];
    set_slip_before(t, last, i, speed);
    bool slow = impulse_is_slow(t->friction.slip_before, CREEP_SLIP * speed);
    bool by_7 = island->body_count >= IMPULSE_LARGE || island->point[i].friction == 0 || slow;
    t->friction.kind = by_7 ? SLIP_FROM_REST : kind;
    if (slow) return;
    impVec3 drive = drive_of(island, i, push);
    t->friction.may_reverse = t->friction.may_reverse && may_reverse_by(drive, t, push->limit);
    set_direction(t, drive);
}

// Sum over all points that push the cluster, also those without a normal impulse yet.
static FrictionPush friction_push(const Island *island, int first) {
    FrictionPush push = { 0 };
    Cluster on = cluster_pushed(island, first);
    for (int i = 0; i < island->point_count; i++) {
        const impVec3 p = island->point[i].p;
        if (island->point[i].mode == CONTACT_OPEN || !is_pushed(island, i, first, on)) continue;
        push.limit += on.inverse_mass * island->point[i].friction * p.z;
        push.change = madd(push.change, on.inverse_mass,
                           contact_world(&island->contact_point[i], vec(p.x, p.y, 0)));
    }
    return push;
}

// A point of a group like this one slides. Then a group that sticks is not tried by itself, as
// each trial takes a pass.
static bool slides_alike(const Island *island, int first) {
    for (int i = 0; i < island->point_count; i++) {
        if (island->point[i].mode == CONTACT_SLIDE && is_like(island, i, first)) return true;
    }
    return false;
}

// Classifies the points of a group that carry an impulse for the first time in this micro-step.
static void classify_group(Island *island, const LastFlights *last, int first, double speed) {
    bool may_reverse = false;
    bool is_loaded = false;
    for (int i = first; i < island->point_count; i = next_of(island, i)) {
        if (island->contact_point[i].friction.kind != SLIP_NONE ||
            island->point[i].mode == CONTACT_OPEN)
            continue;
        may_reverse = may_reverse || may_reverse_on(last->world->settings.model, island->body_count,
                                                    &island->contact_point[i]);
        is_loaded = true;
    }
    if (!is_loaded) return;
    FrictionPush push = may_reverse ? friction_push(island, first) : (FrictionPush){ 0 };
    SlipKind kind = !may_reverse || slides_alike(island, first) ? SLIP_CONTINUES : SLIP_STOPS;
    for (int i = first; i < island->point_count; i = next_of(island, i)) {
        ContactPoint *t = &island->contact_point[i];
        bool waits = !may_reverse && island->point[i].mode != CONTACT_SLIDE;
        if (t->friction.kind != SLIP_NONE || waits) continue;
        t->friction.may_reverse = may_reverse;
        classify_point(island, last, i, speed, &push, kind);
    }
}

static bool is_classified(const Island *island) {
    for (int i = 0; i < island->point_count; i++) {
        if (island->contact_point[i].friction.kind != SLIP_NONE) return true;
    }
    return false;
}

void impulse_friction_directions(Island *island, const LastFlights *last, double speed,
                                 bool may_try) {
    bool clusters = island->body_count < IMPULSE_LARGE && !is_classified(island);
    for (int first = 0; first < island->point_count && clusters; first++) {
        if (island->contact_point[first].friction.is_head && island->point[first].b < 0) {
            link_cluster(island, first);
        }
    }
    for (int first = 0; first < island->point_count; first++) {
        if (island->contact_point[first].friction.is_head) {
            classify_group(island, last, first, speed);
        }
    }
    for (int first = 0; first < island->point_count; first++) {
        if (island->contact_point[first].friction.is_head) {
            settle_stops(island, first, may_try);
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

bool impulse_friction_catch(Island *island, const LastFlights *last, double speed) {
    bool any = false;
    for (int i = 0; i < island->point_count; i++) {
        MicrostepPoint *q = &island->point[i];
        ContactPoint *t = &island->contact_point[i];
        if (q->mode != CONTACT_SLIDE || !(t->law->friction_static > q->friction) ||
            t->friction.was_held)
            continue;
        // reversals decide this by themselves
        if (impulse_friction_is_centred(t) || t->friction.kind == SLIP_TRIAL ||
            t->friction.kind == SLIP_REVERSED)
            continue;
        impVec3 mean = add(solve_point_velocity(island->body, q), q->c);
        impVec3 before = impulse_last_slip(last, i);
        if (!passed_through_rest(before, mean, IMPULSE_HELD_SLIP * speed)) continue;
        q->friction = t->law->friction_static;
        t->friction.was_held = any = true;
    }
    return any;
}
