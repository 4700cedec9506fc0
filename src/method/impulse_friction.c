// impulse_friction.c -- which friction a point has in a hop: static or dynamic, and against which
// slip.
//
// microcollisions.md sec. 3 has friction act against the mean velocity over the coming hop. An
// impulse stands for the time from the middle of the last hop to that of the next: where a point
// slides, friction acts against the mean of how it slid there and how it will here
// (impulse_microstep.c, set_drifts), and where it turns round in between, first against the one and
// then against the other.
//
// SPDX-License-Identifier: MIT
#include "method/impulse_friction.h"

// of the hop's own speed: a point that slid no faster, as its flight tells, has static friction
#define STILL 1e-3
// one that slid no faster creeps, and is brought to rest where it may be
#define CREEPS 1e-2

// --- how it slid ---------------------------------------------------------------------------------
// that long after now
static impVec3 slip_at(const Loop *l, const ContactPoint *t, double when) {
    const Island *s = &l->island;
    const Actor *a = &l->flights.actor[t->a];
    const Actor *b = &l->flights.actor[t->b];
    const MicrostepBody *ha = &s->before[s->island_index[t->a]];
    const MicrostepBody *hb = b->free ? &s->before[s->island_index[t->b]] : NULL;
    if (when == 0) return t->u;
    ContactPoint seen = *t;
    double fall;
    PredictedMotion then_a = contact_predict_motion(l->settings.model, a, ha, 2 * when);
    PredictedMotion then_b = contact_predict_motion(l->settings.model, b, hb, 2 * when);
    return add(t->u,
               contact_predicted_change(a, b, ha, hb, &then_a, &then_b, &seen, 2 * when, &fall));
}

static bool is_slow(impVec3 u, double speed) { return u.x * u.x + u.y * u.y <= speed * speed; }

static double flown_since(const Loop *l, const ContactPoint *t) {
    const Actor *a = &l->flights.actor[t->a];
    const Actor *b = &l->flights.actor[t->b];
    return b->free ? max2(a->flight.t0, b->flight.t0) : a->flight.t0;
}

// The middle of a flight of which nothing else is known, for a step began meanwhile. Where the
// support shakes it may have landed earlier or later than it should, half of the time T that closed
// it then: T u_n(T / 2) = level - gap, as impulse_microstep.c has it. What sticks stands still
// somewhere between the two; else its middle is where it neither rose nor fell.
enum { CLOSINGS = 3 };
// left: level - gap at its beginning
static double since_closed(const Loop *l, const ContactPoint *t, double flown, double left) {
    double T = flown;
    for (int i = 0; i < CLOSINGS; i++) {
        double u = slip_at(l, t, 0.5 * T - flown).z;
        double falls = 0.5 * T * t->micro.g_n - u;
        // nothing closed it
        if (!(falls > 0) || !(fabs(T * u - left) <= 0.5 * flown * falls)) return 0.5 * flown;
        T += (T * u - left) / falls;
    }
    return flown - 0.5 * T;
}

static double since_middle_of_flight(const Loop *l, const ContactPoint *t) {
    double flown = l->clock.now - flown_since(l, t);
    double half = 0.5 * flown;
    if (!motion_is_moving(l->settings.model, t->b)) return half;
    impVec3 slip = slip_at(l, t, -half);
    double rose = flown / 6 * (slip_at(l, t, -flown).z + 4 * slip.z + t->u.z);
    double closed = since_closed(l, t, flown, l->settings.level - t->gap + rose);
    impVec3 by = sub(slip_at(l, t, -closed), slip);
    double across = by.x * by.x + by.y * by.y;
    double part = across > 0 ? min2(max2(-(slip.x * by.x + slip.y * by.y) / across, 0), 1) : 0;
    return is_slow(madd(slip, part, by), STILL * t->micro.threshold) ? half + part * (closed - half)
                                                                     : since_closed(l, t, flown, 0);
}

// Since the middle of the pair's last hop, even if something hit them meanwhile; one that is fresh
// slides as it does now.
static double since_middle(const Loop *l, int i, double age) {
    const ContactPoint *t = &l->island.contact_point[i];
    double middle = impulse_warm_start_middle(l, l->island.slot[i], flown_since(l, t));
    return middle > -HUGE_VAL ? l->clock.now - middle : age > 0 ? since_middle_of_flight(l, t) : 0;
}

// and how it rose
static impVec3 last_slip(const Loop *l, int i, double age) {
    return slip_at(l, &l->island.contact_point[i], -since_middle(l, i, age));
}

// --- static friction -----------------------------------------------------------------------------
// Where it is more than dynamic both may be answers, one that holds and one that lets go: a point
// that did not slide since its bodies last flew is held by static friction, and one that slips all
// the same lets go for this hop. One that slides is stopped by no more than dynamic friction. What
// sticks stands in the middle of its hop, as the last one closed it (drift.c), and what was put
// there, or woke, at its beginning: both are asked where they were then, so that a support may turn
// and shake as it will. What flies from rest began so in every direction: one that slides has no
// slip, too, at the beginning of some hop, but rises then.
static bool began_at_rest(const Loop *l, const ContactPoint *t, double speed) {
    impVec3 u = slip_at(l, t, flown_since(l, t) - l->clock.now);
    return is_slow(u, speed) && fabs(u.z) <= speed;
}

void impulse_friction_static(Loop *l, double age, double speed) {
    Island *s = &l->island;
    for (int i = 0; i < s->point_count; i++) {
        ContactPoint *t = &s->contact_point[i];
        if (!(t->law->friction_static > t->law->friction_dynamic)) continue;
        t->friction.was_held = is_slow(last_slip(l, i, age), STILL * speed) ||
                               began_at_rest(l, t, STILL * speed);
        if (t->friction.was_held) {
            s->point[i].friction = t->law->friction_static;
        }
    }
}

// --- groups of points ----------------------------------------------------------------------------
static double along(const ContactPoint *t, impVec3 u) {
    return u.x * t->friction.direction.x + u.y * t->friction.direction.y;
}

static double slip_along(const Island *s, int i) {
    const ContactPoint *t = &s->contact_point[i];
    impVec3 mean = add(solve_point_velocity(s->body, &s->point[i]), s->point[i].c);
    // c has it
    if (t->friction.kind == SLIP_CONTINUES || t->friction.kind == SLIP_REVERSES) {
        mean = sub(mean, t->friction.slip_before);
    }
    return along(t, mean);
}

// Points that turn together: those of a body on all that stands, on all that moves as it is told,
// or those of a pair.
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

// Whom friction of a group pushes along, as if nothing turned: what sticks to their bodies moves
// with them, and what sticks to anything else that is fixed, or led, does not move at all. Points
// on one support turn together, whoever of those they are of.
typedef uint32_t Members;  // a bit each: of islands below IMPULSE_LARGE
static bool is_like(const Island *s, int i, int first) {
    const MicrostepPoint *p = &s->point[i];
    const MicrostepPoint *q = &s->point[first];
    return q->b < 0
               ? p->b < 0 && s->contact_point[i].b_is_fixed == s->contact_point[first].b_is_fixed
               : s->slot[i] == s->slot[first];
}

// what does moves, though it sticks
static bool may_roll(const ContactPoint *t) {
    return t->motion.kind >= ROLLS_ON_A || t->motion.radius > 0 || t->motion.radius_other > 0;
}

// 0: it does not move
static Members stuck_to(const Island *s, int first, int island_index) {
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

// Those of all that stick together, and to nothing else: the first head has them all.
static void link_bunch(Island *s, int first) {
    Members with = stuck_to(s, first, s->point[first].a);
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

// m/s by N s
static double yields_together(const Island *s, Members with) {
    double mass = 0;
    for (int i = 0; i < s->body_count; i++) {
        if (with >> i & 1) {
            mass += 1 / s->body[i].mass_inverse;
        }
    }
    return mass > 0 ? 1 / mass : 0;
}

// with: whose points push them
typedef struct Pushed {
    Members with;
    double yields;
} Pushed;
static Pushed pushed_by(const Island *s, int first) {
    const MicrostepPoint *q = &s->point[first];
    Members a = stuck_to(s, first, q->a);
    Members b = q->b < 0 ? 0 : stuck_to(s, first, q->b);
    if ((a & b) != 0) return (Pushed){ a, 0 };
    return (Pushed){ a | (Members)1 << q->a, yields_together(s, a) + yields_together(s, b) };
}

static bool pushes(const Island *s, int i, int first, Pushed on) {
    return is_like(s, i, first) && (on.with >> s->point[i].a & 1);
}

// of its dynamic friction, against its way, and what is aside
static void set_part(const ContactPoint *t, MicrostepPoint *q, double part, double across) {
    double aside = norm(t->friction.slip_across);
    double by = aside > 0 ? across / aside : 0;
    q->friction_is_given = true;
    q->given_x = -part * t->friction.direction.x - by * t->friction.slip_across.x;
    q->given_y = -part * t->friction.direction.y - by * t->friction.slip_across.y;
}

// what was tried is forgotten: where friction jams it may be without bounds
static void turn_no_more(Island *s, int i) {
    s->contact_point[i].friction.kind = SLIP_FROM_REST;
    s->point[i].friction_is_given = false;
    s->friction.undone = true;
}

// --- turning round -------------------------------------------------------------------------------
// What slid one way and is to slide the other meanwhile comes to rest somewhere between, and
// friction turns with it. Against either of the two alone it would be off by as much as the whole
// of it does in a hop, and a part on a conveyor that shakes would go wrong by that until it next
// turns. So a second part of its friction is tried, which says with the first how it would slide by
// any other: with all of it against the old way it comes to rest after the share s0 / a1 of the
// time, with a1 what it is slowed by in a hop. There it is held, or slides on, and bears the sum of
// what friction did. The parts are those of all points of a group that turn: how they share what
// sticks is a matter of what they give.
bool impulse_friction_continues(const ContactPoint *t) {
    return t->friction.kind == SLIP_CONTINUES;
}

// What friction does at some points of a group, by the way they slid, N s: now, and when it was
// last tried.
typedef struct Rub {
    double most, against;      // it could, and does against that;
    double holds;              // static friction could
    double tried_most, tried;  // it could, and did
    double slower;             // times most: how much slower they slide now, m/s
} Rub;

static Rub rub_of(const Island *s, int first, SlipKind kind) {
    Rub sum = { 0 };
    for (int i = first; i < s->point_count; i = next_of(s, i)) {
        const ContactPoint *t = &s->contact_point[i];
        const MicrostepPoint *q = &s->point[i];
        double most = q->friction * q->p.z;
        if (t->friction.kind != kind) continue;
        sum.most += most;
        sum.against -= along(t, q->p);
        sum.holds += t->law->friction_static * q->p.z;
        sum.tried_most += t->friction.trial_limit;
        sum.tried += t->friction.trial_impulse;
        sum.slower += most * (t->friction.trial_slip - slip_along(s, i));
    }
    return sum;
}

// Both grow with what friction does, P: how they slide less by it, and what it could, most = load +
// grows P. All of it one way is P = most. m/s by N s, N s, -; m/s: all of it against the old way,
// and the new
typedef struct Answer {
    double yields, load, grows, forth, back;
} Answer;
// of P: where it changes the load by more nothing is known
#define COUPLED 0.5
static bool answer_of(const Rub *r, Answer *out) {
    double by = r->against - r->tried;
    if (!(fabs(by) > 0) || !(r->most > 0)) return false;
    *out = (Answer){ .yields = r->slower / r->most / by, .grows = (r->most - r->tried_most) / by };
    out->load = r->most - out->grows * r->against;
    out->forth = out->yields * out->load / (1 - out->grows);
    out->back = out->yields * out->load / (1 + out->grows);
    return fabs(out->grows) <= COUPLED && out->yields > 0 && out->load > 0;
}

// All of it the way that says more.
// true: some are tried, or slide back as they are
static bool try_other_part(Island *s, int first, SlipKind kind, bool tries) {
    Rub now = rub_of(s, first, kind);
    bool any = false;
    for (int i = first; i < s->point_count; i = next_of(s, i)) {
        ContactPoint *t = &s->contact_point[i];
        MicrostepPoint *q = &s->point[i];
        if (t->friction.kind != kind) continue;
        bool tells = tries && now.most > 0 && t->friction.may_reverse;
        if (tells) {
            t->friction.trial_slip = slip_along(s, i);
            t->friction.trial_impulse = -along(t, q->p);
            t->friction.trial_limit = q->friction * q->p.z;
            set_part(t, q, now.against > 0 ? -1 : 1, 0);
        }
        t->friction.kind = tells ? SLIP_TRIAL : SLIP_FROM_REST;
        any = true;
    }
    return any;
}

// of all that friction does: what goes otherwise by as much is given up
#define OTHERWISE 0.1
// of how it slid: what passes rest no farther away goes through it,
#define ASIDE  0.1
#define ALMOST 1e-6  //   and surely does as near as that
// true: it goes round
static bool turn_at_rest(ContactPoint *t, MicrostepPoint *q, double T, double speed,
                         const Rub *of) {
    Answer a;
    if (!answer_of(of, &a)) return false;
    double s0 = along(t, t->friction.slip_before);
    double aside = norm(t->friction.slip_across);
    double free = t->friction.trial_slip + a.yields * of->tried;
    double H = t->friction.time_before + 0.5 * T;
    // rest: what else it gets, evenly
    double past = along(t, sub(t->u, t->friction.slip_before));
    double predicted = along(t, q->c);
    double rest = (free - s0 - past - predicted) / H;
    SlipInterval forth = impulse_slip_interval(t, T, past + rest * t->friction.time_before,
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
    bool passes = aside > ALMOST * s0 && f < b &&
                  impulse_slip_least((PlaneSlip){ s0, aside }, b, f) > STILL * speed;
    // it never is at rest
    if (passes) {
        back.hold_ratio = 1;
    }
    double then = impulse_slip_from_rest(&back, stop, &taken);
    if (then == 0 || (!passes && aside > ASIDE * s0)) return false;
    taken += linear_integral(forth.friction, 0, stop);
    // by how much it is otherwise if nothing grows
    if (passes) {
        PlaneSlip past_rest = impulse_slip_past_rest((PlaneSlip){ s0, aside }, b, f, H);
        taken += (f - b) * (H - s0 / (b + f)) - past_rest.x;
        across = aside - past_rest.h;
    }
    double P = taken / a.yields;
    double most = a.load + a.grows * P;
    double part = P / most;
    double aslant = across / a.yields / most;
    // no more than all of it
    double over = passes ? max2(sqrt(part * part + aslant * aslant), 1) : 1;
    t->friction.trial_slip = free - taken;
    t->friction.trial_limit = a.forth;
    set_part(t, q, part / over, aslant / over);
    return true;
}

// true: some were
static bool turn_tried(Island *s, int first, double T, double speed, bool solved) {
    Rub tried = rub_of(s, first, SLIP_TRIAL);
    bool any = false;
    for (int i = first; i < s->point_count; i = next_of(s, i)) {
        ContactPoint *t = &s->contact_point[i];
        if (t->friction.kind != SLIP_TRIAL) continue;
        any = true;
        t->friction.kind = SLIP_REVERSED;
        if (!solved || !turn_at_rest(t, &s->point[i], T, speed, &tried)) {
            turn_no_more(s, i);
        }
    }
    return any;
}

// true: it went otherwise
static bool give_up_round(Island *s, int first) {
    bool off = false;
    for (int i = first; i < s->point_count; i = next_of(s, i)) {
        const ContactPoint *t = &s->contact_point[i];
        if (t->friction.kind == SLIP_REVERSED &&
            !(fabs(slip_along(s, i) - t->friction.trial_slip) <=
              OTHERWISE * t->friction.trial_limit)) {
            off = true;
        }
    }
    for (int i = first; i < s->point_count && off; i = next_of(s, i)) {
        if (s->contact_point[i].friction.kind == SLIP_REVERSED) {
            turn_no_more(s, i);
        }
    }
    return off;
}

// true: some do
static bool turn_group(Island *s, int first, double T, double speed, bool solved, bool tries) {
    bool off = give_up_round(s, first);
    bool tried = turn_tried(s, first, T, speed, solved);
    for (int i = first; i < s->point_count; i = next_of(s, i)) {
        if (impulse_friction_continues(&s->contact_point[i]) &&
            (s->point[i].mode == CONTACT_STICK || slip_along(s, i) <= 0)) {
            s->contact_point[i].friction.kind = SLIP_REVERSES;
        }
    }
    return try_other_part(s, first, SLIP_REVERSES, tries && solved) || tried || off;
}

bool impulse_friction_reverse(Loop *l, double T, double speed, bool solved, bool tries) {
    Island *s = &l->island;
    bool any = false;
    for (int first = 0; first < s->point_count; first++) {
        if (!s->contact_point[first].friction.is_head) continue;
        if (turn_group(s, first, T, speed, solved, tries)) {
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
            turn_no_more(s, i);
            any = true;
        }
    }
    return any;
}

// --- letting go ----------------------------------------------------------------------------------
// What static friction holds lets go where it drifts by more, somewhere in the hop, and from there
// on bears dynamic friction.
typedef struct Held {                    // of those of a group, by their loads
    impVec3 against;                     // N s
    double most, holds;                  // N s: of dynamic and of static friction
    double slip, slid, past, predicted;  // times m/s: how they slide at the end, and at the
                                         // beginning, and drift in both halves
    bool one_way;                        // that is in the plane of them all
} Held;

static bool is_held(const Island *s, int i) {
    const ContactPoint *t = &s->contact_point[i];
    return t->friction.kind == SLIP_FROM_REST && t->friction.may_reverse &&
           t->law->friction_dynamic > 0 && s->point[i].friction > t->law->friction_dynamic &&
           s->point[i].p.z > 0;
}

static Held held_of(Island *s, int first) {
    Held sum = { .one_way = true };
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
            sum.one_way = false;
        }
        double most = t->law->friction_dynamic * q->p.z;
        sum.holds += t->law->friction_static * q->p.z;
        t->friction.slip_across = vec(0, 0, 0);
        sum.most += most;
        sum.slip += most * slip_along(s, i);
        sum.slid += most * along(t, t->friction.slip_before);
        sum.past += most * along(t, sub(t->u, t->friction.slip_before));
        sum.predicted += most * along(t, q->c);
    }
    return sum;
}

// true: it does
static bool let_group_go(Island *s, int first, double T, double speed) {
    Held of = held_of(s, first);
    if (!(of.most > 0) || !of.one_way) return false;
    const ContactPoint *one = NULL;
    for (int i = first; i < s->point_count && !one; i = next_of(s, i)) {
        if (is_held(s, i)) {
            one = &s->contact_point[i];
        }
    }
    double free = (of.slid + of.past + of.predicted) / of.most;
    double all = (free - of.slip / of.most) * of.most / norm(of.against);
    if (!(all > 0)) return false;
    SlipInterval interval = impulse_slip_interval(one, T, of.past / of.most, of.predicted / of.most,
                                                  all, of.holds / of.most);
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
        set_part(t, &s->point[i], taken / all, 0);
    }
    return true;
}

bool impulse_friction_release(Loop *l, double T, double speed, bool tries) {
    Island *s = &l->island;
    bool any = false;
    for (int first = 0; first < s->point_count && tries; first++) {
        if (!s->contact_point[first].friction.is_head) continue;
        if (let_group_go(s, first, T, speed)) {
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

// --- sliding on ----------------------------------------------------------------------------------
// Points that stick, though they slid: friction stops them. It also holds them where they stop if
// all of it takes as much as they slid by and what else comes. That is at least as much as their
// bodies would get by it if they did not turn.
#define SURELY 0.9
static bool are_held(const Island *s, int first) {
    double fastest = 0, stops = 0;
    for (int i = first; i < s->point_count; i = next_of(s, i)) {
        if (s->contact_point[i].friction.kind == SLIP_STOPS) {
            fastest = max2(fastest, norm(s->contact_point[i].friction.slip_before));
        }
    }
    if (fastest == 0) return true;
    Pushed on = pushed_by(s, first);
    for (int i = 0; i < s->point_count; i++) {
        const MicrostepPoint *q = &s->point[i];
        if (s->contact_point[i].friction.kind == SLIP_STOPS && pushes(s, i, first, on)) {
            stops += q->friction * q->p.z - along(&s->contact_point[i], q->p);
        }
    }
    return fastest <= SURELY * on.yields * stops;
}

static void let_stop(Island *s, int first, bool tries) {
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

// Heaps slide as the study says. Where several hold each other friction changes their loads, and
// what is tried says little, and lets what is symmetric drift apart: unless it is for a support
// that moves, on which they may turn again and again.
static bool may_turn(const Loop *l, const ContactPoint *t) {
    int bodies = l->island.body_count;
    return bodies < IMPULSE_MANY ||
           (bodies < IMPULSE_LARGE && motion_is_moving(l->settings.model, t->b));
}

// Which way its slip changes: what turns round and slides back drifts by as much as friction takes
// away. All else just stops. How it drifts is how it is to slide but for what friction does, as if
// that only pushed its body along: other points may hold it meanwhile. as much: a ball that turns
// gets more of friction than its mass says
#define NEARLY 0.5
// m/s: all of friction, and what it did, world axes
typedef struct Push {
    double rubs;
    impVec3 by;
} Push;
static void set_way(Island *s, int i, const Push *push) {
    ContactPoint *t = &s->contact_point[i];
    impVec3 by = vec(dot(t->t1, push->by), dot(t->t2, push->by), 0);
    impVec3 slid = scale(1 / norm(t->friction.slip_before), t->friction.slip_before);
    impVec3 drift = sub(sub(add(solve_point_velocity(s->body, &s->point[i]), s->point[i].c), by),
                        t->friction.slip_before);
    drift.z = 0;
    if (!(dot(drift, slid) < -NEARLY * push->rubs)) {
        t->friction.may_reverse = false;
    }
    t->friction.direction = t->friction.may_reverse ? scale(-1 / norm(drift), drift) : slid;
    t->friction.slip_across = madd(t->friction.slip_before, -along(t, t->friction.slip_before),
                                   t->friction.direction);
}

static void ask_point(Loop *l, int i, double age, double speed, const Push *push, SlipKind kind) {
    ContactPoint *t = &l->island.contact_point[i];
    impVec3 then = last_slip(l, i, age);
    t->friction.slip_before = vec(then.x, then.y, 0);
    t->friction.time_before = since_middle(l, i, age);
    t->friction.fall_before = then.z - t->u.z;
    bool slow = is_slow(t->friction.slip_before, CREEPS * speed);
    // it was put there
    if (t->friction.was_held && !slow) {
        t->friction.slip_before = vec(0, 0, 0);
        t->friction.time_before = l->clock.now - flown_since(l, t);
        t->friction.fall_before = -t->u.z;
        slow = true;
    }
    t->friction.kind = l->island.body_count >= IMPULSE_LARGE || l->island.point[i].friction == 0 ||
                               slow
                           ? SLIP_FROM_REST
                           : kind;
    if (!slow) {
        set_way(&l->island, i, push);
    }
}

// All of a group at once, also those that bear nothing yet: they turn together, or what is tried
// would say nothing.
static Push push_of(const Island *s, int first) {
    Push push = { 0 };
    Pushed on = pushed_by(s, first);
    for (int i = 0; i < s->point_count; i++) {
        const impVec3 p = s->point[i].p;
        if (s->point[i].mode == CONTACT_OPEN || !pushes(s, i, first, on)) continue;
        push.rubs += on.yields * s->point[i].friction * p.z;
        push.by = madd(push.by, on.yields, contact_world(&s->contact_point[i], vec(p.x, p.y, 0)));
    }
    return push;
}

// One that stops while others that may touch it slide on the same support is asked as they are, or
// each would be tried in another pass.
static bool slide_alike(const Island *s, int first) {
    for (int i = 0; i < s->point_count; i++) {
        if (s->point[i].mode == CONTACT_SLIDE && is_like(s, i, first)) return true;
    }
    return false;
}

static void ask_group(Loop *l, int first, double age, double speed) {
    Island *s = &l->island;
    bool may = false;
    bool bears = false;
    for (int i = first; i < s->point_count; i = next_of(s, i)) {
        if (s->contact_point[i].friction.kind != SLIP_NONE || s->point[i].mode == CONTACT_OPEN)
            continue;
        may = may || may_turn(l, &s->contact_point[i]);
        bears = true;
    }
    if (!bears) return;
    Push push = may ? push_of(s, first) : (Push){ 0 };
    SlipKind kind = !may || slide_alike(s, first) ? SLIP_CONTINUES : SLIP_STOPS;
    for (int i = first; i < s->point_count; i = next_of(s, i)) {
        ContactPoint *t = &s->contact_point[i];
        if (t->friction.kind != SLIP_NONE || (!may && s->point[i].mode != CONTACT_SLIDE)) continue;
        t->friction.may_reverse = may;
        ask_point(l, i, age, speed, &push, kind);
    }
}

static bool asked_before(const Island *s) {
    for (int i = 0; i < s->point_count; i++) {
        if (s->contact_point[i].friction.kind != SLIP_NONE) return true;
    }
    return false;
}

void impulse_friction_directions(Loop *l, double age, double speed, bool tries) {
    Island *s = &l->island;
    bool bunches = s->body_count < IMPULSE_LARGE && !asked_before(s);
    for (int first = 0; first < s->point_count && bunches; first++) {
        if (s->contact_point[first].friction.is_head && s->point[first].b < 0) {
            link_bunch(s, first);
        }
    }
    for (int first = 0; first < s->point_count; first++) {
        if (s->contact_point[first].friction.is_head) {
            ask_group(l, first, age, speed);
        }
    }
    for (int first = 0; first < s->point_count; first++) {
        if (s->contact_point[first].friction.is_head) {
            let_stop(s, first, tries);
        }
    }
}

// Dynamic friction brings a point to rest on its way, and not just where a hop ends: one that would
// slide back by now stood still in between, and is held if static friction can; unless it passed
// by. on a straight way from one to the other
static bool stood_still(impVec3 before, impVec3 now, double speed) {
    double x = now.x - before.x;
    double y = now.y - before.y;
    double past = now.x * before.y - now.y * before.x;
    return now.x * before.x + now.y * before.y <= 0 &&
           past * past <= speed * speed * (x * x + y * y);
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
        // turn_round knows
        if (impulse_friction_continues(t) || t->friction.kind == SLIP_TRIAL ||
            t->friction.kind == SLIP_REVERSED)
            continue;
        impVec3 mean = add(solve_point_velocity(s->body, q), q->c);
        impVec3 before = last_slip(l, i, age);
        if (!stood_still(before, mean, STILL * speed)) continue;
        q->friction = t->law->friction_static;
        t->friction.was_held = any = true;
    }
    return any;
}
