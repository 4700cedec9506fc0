// impulse_sleep.c -- falling asleep and waking.
//
// The rest test of microcollisions.md sec. 3: the impulse of one microcollision is the certificate
// of an equilibrium, if every point sticks, the impulses balance gravity over the hop in force and
// in torque, the twist is that of the ideal closed hop, and the centre of mass lies well inside the
// points that carry it along gravity, so that no breath of air upsets it. Ten such events in a row,
// for every body of an island, and the island sleeps: its bodies stand still and are looked at by
// nobody but those that move. A ball needs no points around it, but must not lie on a peak. What
// lies on a line and could roll (a cylinder, a capsule, a cone) sleeps if the line reaches to both
// sides of its middle and rolling would neither lift nor lower it. Of both the balance must be a
// hundred times as good: on the slightest slope they roll. What leans, its centre of mass beside
// its points, sleeps if the points of the whole island leave no motion to it
// (solve/microstep_rigidity.c); what stands by itself is ground for it. Bodies on prescribed ones
// that move never sleep. Several bodies that hold each other creep by what their points give, and
// points at the limit of their friction slip with it: that is rest, too, where the balance is ten
// times as good as else.
//
// Waking (physics.md I.5): whatever touches a sleeper wakes it, and with it all sleepers that it
// touches, and theirs.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

#include <string.h>

// --- rest ----------------------------------------------------------------------------------------
#define SLACK 1e-3  // of the weight, and of the size
// of the hop's own speed: what points that give may slide and still stick
#define CREEP 1e-5
// the same among several bodies, all of which give, if they are
#define CREEP_AMONG 1e-3
// balanced so well: then it is no sliding that gathers way
#define STEADY        1e-4
#define BALANCED      1e-6  // the same for what could roll, on one point,
#define BALANCED_MANY 1e-5  //   and on several, which give a little
#define PEAKS         0.1   // of the weight, that a ball may rest on peaks

typedef struct Balance {
    impVec3 force, torque;  // sums of the impulses
    int points;             // that carry
    double on_peaks;        // N s, upward: from points of the other that fall away all around, as a
                            // ball's
    bool sticks, creeps, kinematic, round;  // all of them; at least so; one on a prescribed body
                                            // that moves; all on a ball's surface
} Balance;

// slip: how fast the mean over the hop may slide and still stick; on the border of the cone both
// are one.
static bool sticks(const MicrostepBody *bodies, const MicrostepPoint *q, double slip) {
    impVec3 u = add(solve_point_velocity(bodies, q), q->c);
    return q->mode == CONTACT_STICK || u.x * u.x + u.y * u.y <= slip * slip;
}

static void weigh(Balance *b, const MicrostepPoint *q, const ContactPoint *t, double sign,
                  impVec3 arm, impVec3 g, bool kinematic) {
    impVec3 p = scale(sign, contact_world(t, q->p));
    bool own = t->motion.kind == (sign > 0 ? MOVES_WITH_A : MOVES_WITH_B);
    if (!own || t->motion.radius_other >= 0) {
        b->on_peaks -= dot(p, g) / norm(g);
    }
    if (kinematic) {
        b->kinematic = true;
    }
    if (zero3(q->p)) return;
    b->force = add(b->force, p);
    b->torque = add(b->torque, cross(arm, p));
    b->points++;
    // a ball: every normal passes through its middle
    if (norm(cross(arm, t->n)) > 1e-9 * norm(arm)) {
        b->round = false;
    }
}

// speed: the hop's own
static Balance balance_of(const Loop *l, int k, double speed) {
    const Island *s = &l->island;
    Balance b = { .force = vec(0, 0, 0),
                  .torque = vec(0, 0, 0),
                  .sticks = true,
                  .creeps = s->body_count > 1,
                  .round = true };
    for (int i = 0; i < s->point_count; i++) {
        const MicrostepPoint *q = &s->point[i];
        const ContactPoint *t = &s->contact_point[i];
        if (q->a != k && q->b != k) continue;
        bool kinematic = motion_is_moving(l->settings.model, t->b);
        if (!zero3(q->p)) {
            b.sticks = b.sticks && sticks(s->body, q, CREEP * speed);
            b.creeps = b.creeps && sticks(s->body, q, CREEP_AMONG * speed);
        }
        if (q->a == k) {
            weigh(&b, q, t, 1, q->arm_a, l->settings.model->gravity, kinematic);
        } else {
            weigh(&b, q, t, -1, q->arm_b, l->settings.model->gravity, false);
        }
    }
    return b;
}

// Is the centre of mass inside the hull of the points that carry the body, seen along gravity, by a
// margin? Once around the hull, from side to side (gift wrapping): every side has all points on its
// left, and the centre of mass must be there by the margin. What props it from the side does not
// carry it, nor what lies on it: with their points the blocks at its ends would hold a seesaw.
#define UPWARD 0.5  // of the impulse, at least: to carry
// looking down on one body's points;
typedef struct Above {
    const Island *s;
    int body;
    impVec3 down, e1, e2;
    bool ground;
} Above;
// ground: only those on what stands

// what the body touches there
static bool is_ground(const Island *s, const MicrostepPoint *q, int body) {
    int other = q->a == body ? q->b : q->a;
    return other < 0 || s->rest.stands[other];
}

static bool carries(const Above *v, int i) {
    const MicrostepPoint *q = &v->s->point[i];
    if ((q->a != v->body && q->b != v->body) || zero3(q->p) ||
        (v->ground && !is_ground(v->s, q, v->body)))
        return false;
    double down = dot(contact_world(&v->s->contact_point[i], q->p), v->down);
    return (q->a == v->body ? -down : down) > UPWARD * norm(q->p);
}

static Vec2 seen_at(const Above *v, int i) {
    const MicrostepPoint *q = &v->s->point[i];
    impVec3 r = q->a == v->body ? q->arm_a : q->arm_b;
    return vec2(dot(v->e1, r), dot(v->e2, r));
}

static double far_from(Vec2 a, Vec2 b) { return norm2(sub2(b, a)); }

static bool next_corner(const Above *v, Vec2 from, double margin, Vec2 *next) {
    bool any = false;
    for (int i = 0; i < v->s->point_count; i++) {
        if (!carries(v, i)) continue;
        Vec2 p = seen_at(v, i);
        // the same, but for a hair
        if (!(far_from(from, p) > margin)) continue;
        if (!any || num_wraps_closer(from, *next, p)) {
            *next = p;
            any = true;
        }
    }
    return any;
}

static bool held(const Loop *l, int k, impVec3 down, double margin, bool ground) {
    Above v = { &l->island, k, down, perpendicular(down), vec(0, 0, 0), ground };
    Vec2 start = { 0, HUGE_VAL };
    Vec2 at;
    Vec2 next;
    v.e2 = cross(down, v.e1);
    for (int i = 0; i < v.s->point_count; i++) {
        if (!carries(&v, i)) continue;
        Vec2 p = seen_at(&v, i);
        if (p.y < start.y || (p.y == start.y && p.x < start.x)) {
            start = p;
        }
    }
    at = start;
    for (int side = 0; side < v.s->point_count; side++, at = next) {
        if (!next_corner(&v, at, margin, &next)) return false;
        if (area2(at, next, vec2(0, 0)) <= margin * far_from(at, next)) return false;
        // once around
        if (!(far_from(next, start) > margin)) return true;
    }
    return false;
}

// What a point of the body rolls about: the middle of a ball or a rim, a corner itself. False:
// nothing of the body's own.
static bool centre_of(const Loop *l, int i, int k, impVec3 *out) {
    const MicrostepPoint *q = &l->island.point[i];
    const ContactPoint *t = &l->island.contact_point[i];
    bool own = q->a == k;
    impVec3 arm = own ? q->arm_a : q->arm_b;
    impVec3 up = own ? t->n : neg(t->n);
    if (t->motion.kind == (own ? MOVES_WITH_A : MOVES_WITH_B)) {
        *out = madd(arm, t->motion.radius, up);
        return true;
    }
    if (t->motion.kind != (own ? RIM_OF_A : RIM_OF_B)) return false;
    impVec3 axis = rotate(t->motion.surface.pose.rotation, vec(0, 0, 1));
    impVec3 from = sub(t->motion.surface.pose.at, l->flights.actor[l->island.member[k]].x);
    *out = madd(from, dot(axis, sub(arm, from)), axis);
    return true;
}

// A line of contact: do all points roll about one axis through the centre of mass, as a lying
// cylinder's do, so that no turn about it lifts or lowers the body, and does it lie on both sides
// along that axis?
static bool rolls_freely(const Loop *l, int k, impVec3 down, double margin) {
    const Island *s = &l->island;
    impVec3 c;
    impVec3 axis = vec(0, 0, 0);
    for (int i = 0; i < s->point_count; i++) {
        const MicrostepPoint *q = &s->point[i];
        if ((q->a != k && q->b != k) || zero3(q->p)) continue;
        if (!centre_of(l, i, k, &c)) return false;
        if (norm(c) > norm(axis)) {
            axis = c;
        }
    }
    impVec3 flat = madd(axis, -dot(axis, down), down);
    if (!(norm(flat) > margin)) return false;
    double low = 0;
    double high = 0;
    double length = norm(axis);
    double across = norm(flat);
    for (int i = 0; i < s->point_count; i++) {
        const MicrostepPoint *q = &s->point[i];
        if ((q->a != k && q->b != k) || zero3(q->p)) continue;
        centre_of(l, i, k, &c);
        if (norm(cross(c, axis)) > l->settings.band * length) return false;
        double along = dot(flat, q->a == k ? q->arm_a : q->arm_b) / across;
        low = min2(low, along);
        high = max2(high, along);
    }
    return low < -margin && high > margin;
}

// Nothing but balance keeps a body from rolling: it must be as good as hops can tell, across
// gravity. Along it points that give land a little early, and what they carry is off by as much.
static bool balances(const Body *body, const Balance *b, impVec3 g, double T, double part) {
    double weight = body->mass * norm(g) * T;
    impVec3 across = madd(b->force, -dot(b->force, g) / dot(g, g), g);
    return norm(across) <= part * weight &&
           norm(b->torque) <= part * weight * body->smallest_extent;
}

static bool still(const Body *body, const Balance *b, impVec3 g, double T) {
    return balances(body, b, g, T, b->points > 1 ? BALANCED_MANY : BALANCED);
}

static RestState calm_of(const Loop *l, int k, double T) {
    const Actor *a = &l->flights.actor[l->island.member[k]];
    const Body *body = a->body;
    impVec3 g = l->settings.model->gravity;
    double G = norm(g);
    double weight = body->mass * G * T;
    Balance b = balance_of(l, k, G * T);
    if (G == 0 || contact_is_forced(l->settings.model, a) || b.kinematic || b.points == 0)
        return REST_MOVING;
    if (!b.sticks && !(b.creeps && balances(body, &b, g, T, STEADY))) return REST_MOVING;
    if (norm(madd(b.force, body->mass * T, g)) > SLACK * weight) return REST_MOVING;
    if (norm(b.torque) > SLACK * weight * body->bounding_radius) return REST_MOVING;
    if (norm(madd(a->v, 0.5 * T, g)) > SLACK * G * T ||
        body->bounding_radius * norm(a->w) > SLACK * G * T)
        return REST_MOVING;
    impVec3 down = scale(1 / G, g);
    if (held(l, k, down, SLACK * body->smallest_extent, false)) return REST_ALONE;
    if (!still(body, &b, g, T)) return REST_LEANING;
    bool rests = b.round ? b.on_peaks <= PEAKS * weight
                         : rolls_freely(l, k, down, SLACK * body->smallest_extent);
    return rests ? REST_ALONE : REST_LEANING;
}

// What rests by itself is ground for those that lean on it, whether or not each of its points is
// within its cone: on what is fixed, and then on what stands on that. What could roll stands if it
// touches nothing else.
static bool touches_ground_only(const Island *s, int k) {
    for (int i = 0; i < s->point_count; i++) {
        const MicrostepPoint *q = &s->point[i];
        if ((q->a == k || q->b == k) && !zero3(q->p) && !is_ground(s, q, k)) return false;
    }
    return true;
}

static void find_ground(Loop *l, int moved) {
    Island *s = &l->island;
    impVec3 down = scale(1 / norm(l->settings.model->gravity), l->settings.model->gravity);
    bool found = true;
    for (int k = 0; k < s->body_count; k++) {
        s->rest.stands[k] = false;
    }
    while (found) {
        found = false;
        for (int i = 0; i < moved; i++) {
            int k = s->island_index[s->moved[i]];
            if (s->rest.state[i] != REST_ALONE || s->rest.stands[k]) continue;
            double margin = SLACK * l->settings.model->body[s->moved[i]].smallest_extent;
            if (touches_ground_only(s, k) || held(l, k, down, margin, true)) {
                s->rest.stands[k] = found = true;
            }
        }
    }
}

// A point that slid and stopped is left at the limit of its friction, and what points give keeps it
// there, though less would do: a stress between points that nothing asks for. Would all rest as
// well if there were less friction? Then there are impulses well within the cones that hold them,
// and these are asked. The island's points and velocities are not those of the hop any more. times
// the friction: within 0.99 of the cone (microstep_rigidity.c)
#define LESS 0.98
static bool would_rest(Loop *l, double T) {
    Island *s = &l->island;
    double speed = norm(l->settings.model->gravity) * T;
    for (int i = 0; i < s->body_count; i++) {
        s->last[i] = s->body[i];
        s->body[i] = s->before[i];
    }
    for (int i = 0; i < s->point_count; i++) {
        s->point[i].friction *= LESS;
    }
    MicrostepResult r = solve_microstep(s->body, s->body_count, s->point, s->point_count,
                                        0.1 * CREEP * speed, true, &s->solver);
    bool rests = r.solved && r.painleve_point < 0;
    for (int i = 0; i < s->body_count; i++) {
        double rotated = l->flights.actor[s->member[i]].body->bounding_radius *
                         norm(sub(s->body[i].w, s->last[i].w));
        rests = rests &&
                max2(norm(sub(s->body[i].v, s->last[i].v)), rotated) <= CREEP_AMONG * speed;
    }
    for (int i = 0; i < s->point_count; i++) {
        MicrostepPoint *q = &s->point[i];
        q->friction /= LESS;
        if (zero3(q->p) || q->friction == 0) continue;
        rests = rests &&
                sticks(s->body, q, min2(CREEP_AMONG, 0.1 * (1 - LESS) * q->friction) * speed);
        q->mode = CONTACT_STICK;
    }
    return rests;
}

// but for those that lean
static bool all_ready(const Loop *l) {
    const Island *s = &l->island;
    for (int i = 0; i < s->body_count; i++) {
        if (s->rest.stands[i] &&
            l->flights.sleep_counter[l->settings.model->body[s->member[i]].free] < SLEEP_READY)
            return false;
    }
    return true;
}

static bool are_held(Island *s, double least) {
    return solve_microstep_is_rigid(s->body, s->body_count, s->point, s->point_count,
                                    s->rest.stands, least, &s->solver);
}

// Those that lean are at rest if nobody moves and all that do not stand by themselves are held
// together.
static bool leaners_rest(Loop *l, int moved, double T) {
    Island *s = &l->island;
    bool lean = false;
    double lightest = HUGE_VAL;
    for (int i = 0; i < s->body_count; i++) {
        lightest = min2(lightest, l->flights.actor[s->member[i]].body->mass);
    }
    for (int i = 0; i < moved; i++) {
        if (s->rest.state[i] == REST_MOVING) return false;
        lean = lean || s->rest.state[i] == REST_LEANING;
    }
    if (!lean || s->body_count > s->solver.body_capacity) return false;
    find_ground(l, moved);
    double least = SLACK * lightest * norm(l->settings.model->gravity) * T;
    return are_held(s, least) ||
           (s->solver.has_pattern && all_ready(l) && would_rest(l, T) && are_held(s, least));
}

static void fall_asleep(Loop *l, Actor *a) {
    impVec3 L = rotate(a->q, mul(a->body->inertia, unrotate(a->q, a->w)));
    double left = l->clock.interval_end - l->clock.now;
    l->journal.sleep_energy -= contact_kinetic_energy(a);
    journal_book(&l->journal, a->index, scale(-a->body->mass, a->v), neg(L),
                 -contact_kinetic_energy(a));
    journal_book(&l->journal, a->index, scale(-left * a->body->mass, l->settings.model->gravity),
                 vec(0, 0, 0), 0);
    contact_freeze(a);
    l->flights.sleep_counter[a->body->free] = SLEEP_COUNT;
}

// A hop that is not flown: of its impulses only the half that stopped the fall was given, and so
// the log has it. What they did in energy is no longer sleep's.
static void stop_short(Loop *l) {
    for (int i = l->island.first_record; i < l->journal.contact_count; i++) {
        impContact *c = &l->journal.contact[i];
        double was = c->energy;
        c->impulse = scale(0.5, c->impulse);
        c->after = scale(0.5, add(c->before, c->after));
        c->driven *= 0.5;
        c->energy = 0.5 * dot(c->impulse, add(c->before, c->after)) + c->driven;
        l->journal.sleep_energy -= c->energy - was;
    }
}

void impulse_rest(Loop *l, int moved, double T) {
    const Island *s = &l->island;
    for (int i = 0; i < moved; i++) {
        s->rest.state[i] = calm_of(l, s->island_index[s->moved[i]], T);
    }
    bool all = moved > 0;
    bool leaners = leaners_rest(l, moved, T);
    for (int i = 0; i < moved; i++) {
        double *count = &l->flights.sleep_counter[l->settings.model->body[s->moved[i]].free];
        *count = s->rest.state[i] >= (leaners ? REST_LEANING : REST_ALONE)
                     ? min2(*count + 1, SLEEP_READY)
                     : 0;
    }
    for (int i = 0; i < s->body_count; i++) {
        if (l->flights.sleep_counter[l->settings.model->body[s->member[i]].free] < SLEEP_READY) {
            all = false;
        }
    }
    for (int i = 0; all && i < s->body_count; i++) {
        fall_asleep(l, &l->flights.actor[s->member[i]]);
    }
    if (all) {
        stop_short(l);
    }
}
