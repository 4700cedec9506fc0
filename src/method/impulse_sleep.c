// impulse_sleep.c -- the rest test and falling asleep.
//
// docs/theory/rest-and-sleep.md; numbers in brackets are its equations. After a micro-step each
// body with an impulse is tested: its impulses must balance gravity, (2) to (6), and its centre of
// mass must lie within the hull of the points that carry it (section 4), or it could only roll and
// is balanced even so, (8) and (9). Bodies that lean rest if the points of the whole island leave
// them no motion, (10) and (11). After SLEEP_COUNT such micro-steps of all its bodies an island
// falls asleep (section 8). Waking is in impulse_wake.c.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

#include <string.h>

// Tolerances. Test: tests/method/impulse_sleep.c, where no other is named.
//
// 1, of the weight and of sizes: (4) to (6), and the margin of section 4
#define BALANCE 1e-3
// 1, of g T: slip of compliant points that stick (3)
#define CREEP 1e-5
// 1, of g T: slip and change of the velocities by less friction, among several bodies
#define CREEP_SEVERAL 1e-3
// 1, of the weight: (8), with one point and with several, which are compliant
#define ROLL_BALANCE         1e-6
#define ROLL_BALANCE_SEVERAL 1e-5
// 1, of the weight: upward impulse of peaks under a ball that rests
#define MAX_ON_PEAKS 0.1
// 1, of an impulse: upward part of a point that carries the body
#define UPWARD 0.5
// 1, of the coefficients of friction, for stress that is left: below the 0.99 of the cone of the
// rigidity test (src/solve/microstep_rigidity.c). Test: tests/method/impulse_symmetry.c
#define FRICTION_PART 0.98

// --- balance of one body -------------------------------------------------------------------------

// Sums over the points of a body.
typedef struct Balance {
    impVec3 force;    // N s: of the impulses
    impVec3 torque;   // N m s: of the impulses, about the centre of mass
    int points;       // with an impulse
    double on_peaks;  // N s, upward: of points of the other body that fall away on all sides
    bool is_held;     // all of them stick (3); among several bodies (6) is enough (7)
    bool kinematic;   // one is on a prescribed body that moves (2)
    bool round;       // all normals pass through the centre of mass
} Balance;

// Sticks, or slips by at most `slip`, m/s: on the border of the cone both modes are solutions.
static bool sticks(const MicrostepBody *bodies, const MicrostepPoint *q, double slip) {
    impVec3 u = add(solve_point_velocity(bodies, q), q->c);
    return q->mode == CONTACT_STICK || u.x * u.x + u.y * u.y <= slip * slip;
}

// Adds a point. is_a: the body is body a of the point, else body b. g: gravity, m/s^2.
static void add_point(Balance *b, const MicrostepPoint *q, const ContactPoint *t, bool is_a,
                      impVec3 g) {
    impVec3 p = scale(is_a ? 1 : -1, contact_world(t, q->p));
    impVec3 arm = is_a ? q->arm_a : q->arm_b;
    bool own = t->motion.kind == (is_a ? MOVES_WITH_A : MOVES_WITH_B);
    if (!own || t->motion.radius_other >= 0) {
        b->on_peaks -= dot(p, g) / norm(g);
    }
    if (zero3(q->p)) return;
    b->force = add(b->force, p);
    b->torque = add(b->torque, cross(arm, p));
    b->points++;
    // normals of a ball pass through its centre
    if (norm(cross(arm, t->n)) > 1e-9 * norm(arm)) {
        b->round = false;
    }
}

// speed: g T, m/s.
static Balance balance_of(const Island *island, const impModel *m, int k, double speed) {
    const bool alone = island->body_count == 1;
    Balance b = { .force = vec(0, 0, 0), .torque = vec(0, 0, 0), .is_held = true, .round = true };
    for (int i = 0; i < island->point_count; i++) {
        const MicrostepPoint *q = &island->point[i];
        const ContactPoint *t = &island->contact_point[i];
        if (q->a != k && q->b != k) continue;
        b.kinematic = b.kinematic || (q->a == k && motion_is_moving(m, t->b));
        if (alone && !zero3(q->p)) {
            b.is_held = b.is_held && sticks(island->body, q, CREEP * speed);
        }
        add_point(&b, q, t, q->a == k, m->gravity);
    }
    return b;
}

// --- bodies that stand ---------------------------------------------------------------------------

// The points of a body projected along gravity; ground_only: those on ground alone.
typedef struct SupportView {
    const Island *island;
    int body;
    impVec3 down, e1, e2;
    bool ground_only;
} SupportView;

// The other body at the point is fixed, or rests by itself.
static bool is_on_ground(const Island *island, const MicrostepPoint *q, int body) {
    int other = q->a == body ? q->b : q->a;
    return other < 0 || island->rest.is_ground[other];
}

// Points that prop the body from the side, and points of bodies that lie on it, do not carry it.
static bool carries(const SupportView *v, int i) {
    const MicrostepPoint *q = &v->island->point[i];
    if ((q->a != v->body && q->b != v->body) || zero3(q->p) ||
        (v->ground_only && !is_on_ground(v->island, q, v->body)))
        return false;
    double down = dot(contact_world(&v->island->contact_point[i], q->p), v->down);
    return (q->a == v->body ? -down : down) > UPWARD * norm(q->p);
}

static Vec2 projection(const SupportView *v, int i) {
    const MicrostepPoint *q = &v->island->point[i];
    impVec3 r = q->a == v->body ? q->arm_a : q->arm_b;
    return vec2(dot(v->e1, r), dot(v->e2, r));
}

static double distance_between(Vec2 a, Vec2 b) { return norm2(sub2(b, a)); }

// The next corner of the hull, by gift wrapping. False: there is no point farther away than the
// margin.
static bool next_corner(const SupportView *v, Vec2 from, double margin, Vec2 *next) {
    bool any = false;
    for (int i = 0; i < v->island->point_count; i++) {
        if (!carries(v, i)) continue;
        Vec2 p = projection(v, i);
        // the same corner, to the margin
        if (!(distance_between(from, p) > margin)) continue;
        if (!any || num_wraps_closer(from, *next, p)) {
            *next = p;
            any = true;
        }
    }
    return any;
}

// The centre of mass is inside the hull of the points that carry the body, by a margin (section 4).
static bool stands_on_hull(const Island *island, int k, impVec3 down, double margin,
                           bool ground_only) {
    SupportView v = { island, k, down, perpendicular(down), vec(0, 0, 0), ground_only };
    Vec2 start = { 0, HUGE_VAL };
    Vec2 at;
    Vec2 next;
    v.e2 = cross(down, v.e1);
    for (int i = 0; i < v.island->point_count; i++) {
        if (!carries(&v, i)) continue;
        Vec2 p = projection(&v, i);
        if (p.y < start.y || (p.y == start.y && p.x < start.x)) {
            start = p;
        }
    }
    at = start;
    for (int side = 0; side < v.island->point_count; side++, at = next) {
        if (!next_corner(&v, at, margin, &next)) return false;
        if (area2(at, next, vec2(0, 0)) <= margin * distance_between(at, next)) return false;
        // the hull is closed
        if (!(distance_between(next, start) > margin)) return true;
    }
    return false;
}

// The centre c_i of (9) about which the body rolls at a point, from its centre of mass. False: the
// point is none of the body's own.
static bool rolling_centre(const Island *island, const Actor *actor, int i, int k, impVec3 *out) {
    const MicrostepPoint *q = &island->point[i];
    const ContactPoint *t = &island->contact_point[i];
    bool own = q->a == k;
    impVec3 arm = own ? q->arm_a : q->arm_b;
    impVec3 up = own ? t->n : neg(t->n);
    if (t->motion.kind == (own ? MOVES_WITH_A : MOVES_WITH_B)) {
        *out = madd(arm, t->motion.radius, up);
        return true;
    }
    if (t->motion.kind != (own ? RIM_OF_A : RIM_OF_B)) return false;
    impVec3 axis = rotate(t->motion.surface.pose.rotation, vec(0, 0, 1));
    impVec3 from = sub(t->motion.surface.pose.at, actor[island->member[k]].x);
    *out = madd(from, dot(axis, sub(arm, from)), axis);
    return true;
}

// (9): rolling about the line of contact neither lifts nor lowers the body.
static bool rolls_freely(const Island *island, const Actor *actor, int k, impVec3 down,
                         double margin, double band) {
    impVec3 c;
    impVec3 axis = vec(0, 0, 0);
    for (int i = 0; i < island->point_count; i++) {
        const MicrostepPoint *q = &island->point[i];
        if ((q->a != k && q->b != k) || zero3(q->p)) continue;
        if (!rolling_centre(island, actor, i, k, &c)) return false;
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
    for (int i = 0; i < island->point_count; i++) {
        const MicrostepPoint *q = &island->point[i];
        if ((q->a != k && q->b != k) || zero3(q->p)) continue;
        rolling_centre(island, actor, i, k, &c);
        if (norm(cross(c, axis)) > band * length) return false;
        double along = dot(flat, q->a == k ? q->arm_a : q->arm_b) / across;
        low = min2(low, along);
        high = max2(high, along);
    }
    return low < -margin && high > margin;
}

// (8)
static bool is_balanced_to_roll(const Body *body, const Balance *b, impVec3 g, double T) {
    double weight = body->mass * norm(g) * T;
    double part = b->points > 1 ? ROLL_BALANCE_SEVERAL : ROLL_BALANCE;
    impVec3 across = madd(b->force, -dot(b->force, g) / dot(g, g), g);
    return norm(across) <= part * weight &&
           norm(b->torque) <= part * weight * body->smallest_extent;
}

// (2) to (6): some impulse carries the body, and all of them balance gravity.
static bool is_balanced(const impModel *m, const Actor *a, const Balance *b, double T) {
    const Body *body = a->body;
    impVec3 g = m->gravity;
    double G = norm(g);
    double weight = body->mass * G * T;
    bool may_rest = G > 0 && !contact_is_forced(m, a) && !b->kinematic && b->points > 0;
    if (!may_rest || !b->is_held) return false;                                    // (2), (3)
    if (norm(madd(b->force, body->mass * T, g)) > BALANCE * weight) return false;  // (4)
    if (norm(b->torque) > BALANCE * weight * body->bounding_radius) return false;  // (5)
    return norm(madd(a->v, 0.5 * T, g)) <= BALANCE * G * T &&                      // (6)
           body->bounding_radius * norm(a->w) <= BALANCE * G * T;
}

// How the body k of the island is held after a micro-step, by itself or if the island rests.
static RestState rest_state(const Island *island, const Settings *settings, const Actor *actor,
                            int k, double T) {
    const impModel *m = settings->model;
    const Actor *a = &actor[island->member[k]];
    const Body *body = a->body;
    impVec3 g = m->gravity;
    double G = norm(g);
    double margin = BALANCE * body->smallest_extent;
    Balance b = balance_of(island, m, k, G * T);
    if (!is_balanced(m, a, &b, T)) return REST_MOVING;
    impVec3 down = scale(1 / G, g);
    if (stands_on_hull(island, k, down, margin, false)) return REST_ALONE;
    if (!is_balanced_to_roll(body, &b, g, T)) return REST_LEANING;  // (8)
    bool rests = b.round ? b.on_peaks <= MAX_ON_PEAKS * (body->mass * G * T)
                         : rolls_freely(island, actor, k, down, margin, settings->band);
    return rests ? REST_ALONE : REST_LEANING;
}

// --- the island ----------------------------------------------------------------------------------

// All loaded points of the body are on ground.
static bool touches_ground_only(const Island *island, int k) {
    for (int i = 0; i < island->point_count; i++) {
        const MicrostepPoint *q = &island->point[i];
        if ((q->a == k || q->b == k) && !zero3(q->p) && !is_on_ground(island, q, k)) return false;
    }
    return true;
}

// Bodies that rest by themselves become ground, from the fixed ones upwards (section 6).
static void find_ground(Island *island, const impModel *m, int moved) {
    impVec3 down = scale(1 / norm(m->gravity), m->gravity);
    bool found = true;
    for (int k = 0; k < island->body_count; k++) {
        island->rest.is_ground[k] = false;
    }
    while (found) {
        found = false;
        for (int i = 0; i < moved; i++) {
            int k = island->island_index[island->moved[i]];
            if (island->rest.state[i] != REST_ALONE || island->rest.is_ground[k]) continue;
            double margin = BALANCE * m->body[island->moved[i]].smallest_extent;
            if (touches_ground_only(island, k) || stands_on_hull(island, k, down, margin, true)) {
                island->rest.is_ground[k] = found = true;
            }
        }
    }
}

// Stress that is left (section 6): true if all bodies keep their velocities with less friction.
// Points and velocities of the island are then those of that solution.
static bool rests_with_less_friction(Island *island, const impModel *m, double T) {
    double speed = norm(m->gravity) * T;
    for (int i = 0; i < island->body_count; i++) {
        island->last[i] = island->body[i];
        island->body[i] = island->before[i];
    }
    for (int i = 0; i < island->point_count; i++) {
        island->point[i].friction *= FRICTION_PART;
    }
    MicrostepResult r = solve_microstep(island->body, island->body_count, island->point,
                                        island->point_count, 0.1 * CREEP * speed, true,
                                        &island->solver);
    bool rests = r.solved && r.painleve_point < 0;
    for (int i = 0; i < island->body_count; i++) {
        double rotated = m->body[island->member[i]].bounding_radius *
                         norm(sub(island->body[i].w, island->last[i].w));
        rests = rests && max2(norm(sub(island->body[i].v, island->last[i].v)), rotated) <=
                             CREEP_SEVERAL * speed;
    }
    for (int i = 0; i < island->point_count; i++) {
        MicrostepPoint *q = &island->point[i];
        q->friction /= FRICTION_PART;
        if (zero3(q->p) || q->friction == 0) continue;
        rests = rests &&
                sticks(island->body, q,
                       min2(CREEP_SEVERAL, 0.1 * (1 - FRICTION_PART) * q->friction) * speed);
        q->mode = CONTACT_STICK;
    }
    return rests;
}

// The counters of all bodies that are ground are ready. Asked before rests_with_less_friction,
// which costs a solution: before the ground rests, the island cannot fall asleep anyhow.
static bool standing_are_ready(const Island *island, const impModel *m,
                               const double *sleep_counter) {
    for (int i = 0; i < island->body_count; i++) {
        if (island->rest.is_ground[i] &&
            sleep_counter[m->body[island->member[i]].free] < SLEEP_READY)
            return false;
    }
    return true;
}

static bool is_rigid(Island *island, double least) {
    return solve_microstep_is_rigid(island->body, island->body_count, island->point,
                                    island->point_count, island->rest.is_ground, least,
                                    &island->solver);
}

// True if no body moves and some lean, and (11) holds.
static bool leaning_bodies_rest(Island *island, const impModel *m, const double *sleep_counter,
                                int moved, double T) {
    bool any_leaning = false;
    double lightest = HUGE_VAL;
    for (int i = 0; i < island->body_count; i++) {
        lightest = min2(lightest, m->body[island->member[i]].mass);
    }
    for (int i = 0; i < moved; i++) {
        if (island->rest.state[i] == REST_MOVING) return false;
        any_leaning = any_leaning || island->rest.state[i] == REST_LEANING;
    }
    if (!any_leaning || island->body_count > island->solver.body_capacity) return false;
    find_ground(island, m, moved);
    double least = BALANCE * lightest * norm(m->gravity) * T;
    if (is_rigid(island, least)) return true;
    return island->solver.has_pattern && standing_are_ready(island, m, sleep_counter) &&
           rests_with_less_friction(island, m, T) && is_rigid(island, least);
}

// Puts a body to sleep. The ledger gets the impulse of its supports for the rest of the interval.
static void fall_asleep(Flights *flights, Journal *journal, const Clock *clock, int body) {
    Actor *a = &flights->actor[body];
    impVec3 L = rotate(a->q, mul(a->body->inertia, unrotate(a->q, a->w)));
    double left = clock->interval_end - clock->now;
    journal->sleep_energy -= contact_kinetic_energy(a);
    journal_book(journal, a->index, scale(-a->body->mass, a->v), neg(L),
                 -contact_kinetic_energy(a));
    journal_book(journal, a->index, scale(-left * a->body->mass, journal->model->gravity),
                 vec(0, 0, 0), 0);
    contact_freeze(a);
    flights->sleep_counter[a->body->free] = SLEEP_COUNT;
}

// The flight after the last micro-step is not flown: the log gets the half of its impulses that
// stopped the fall (12).
static void halve_last_impulses(Journal *journal, int first_record) {
    for (int i = first_record; i < journal->contact_count; i++) {
        impContact *c = &journal->contact[i];
        double before = c->energy;
        c->impulse = scale(0.5, c->impulse);
        c->after = scale(0.5, add(c->before, c->after));
        c->driven *= 0.5;
        c->energy = 0.5 * dot(c->impulse, add(c->before, c->after)) + c->driven;
        journal->sleep_energy -= c->energy - before;
    }
}

// Counts the micro-steps at rest of the bodies that the micro-step moved. The others got no impulse
// and fly on, so that this micro-step says nothing of them.
static void count_rests(Island *island, const Settings *settings, Flights *flights, int moved,
                        double T) {
    const impModel *m = settings->model;
    for (int i = 0; i < moved; i++) {
        island->rest.state[i] = rest_state(island, settings, flights->actor,
                                           island->island_index[island->moved[i]], T);
    }
    bool leaning = leaning_bodies_rest(island, m, flights->sleep_counter, moved, T);
    RestState least = leaning ? REST_LEANING : REST_ALONE;
    for (int i = 0; i < moved; i++) {
        double *count = &flights->sleep_counter[m->body[island->moved[i]].free];
        *count = island->rest.state[i] >= least ? min2(*count + 1, SLEEP_READY) : 0;
    }
}

static bool all_are_ready(const Island *island, const impModel *m, const double *sleep_counter) {
    for (int i = 0; i < island->body_count; i++) {
        if (sleep_counter[m->body[island->member[i]].free] < SLEEP_READY) return false;
    }
    return true;
}

void impulse_rest(Island *island, World *world, Journal *journal, int moved, double T) {
    Flights *flights = &world->flights;
    if (moved == 0) return;
    count_rests(island, &world->settings, flights, moved, T);
    if (!all_are_ready(island, world->settings.model, flights->sleep_counter)) return;
    for (int i = 0; i < island->body_count; i++) {
        fall_asleep(flights, journal, &world->clock, island->member[i]);
    }
    halve_last_impulses(journal, island->first_record);
}
