// impulse_event.c -- a look at a pair: later, or a collision, or a microcollision.
//
// physics.md C.5 with the contact level and tolerance of microcollisions.md sec. 2 and 3. A point
// is due when it is at the level and approaches. If the fastest such point is slower than its
// microscopic speed, all is left to the hop; else that point collides (impulse_impact.c), alone;
// points that arrive as fast to 1e-7 count as one (contact/reduction.c). Pairs that collide at the
// same time: impulse_simultaneous.c.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

// --- books ---------------------------------------------------------------------------------------
// All of late is of one body, at one time, and something that is led has to do with it: nobody
// gives way. Who they are. there is room for more in any log
enum { OF_LATE = 1000 };
static bool is_wedged(const Loop *l, int *body, int *kinematic, int *against) {
    double hardest = -1;
    *body = l->log[l->logged - 1].a.i;
    *kinematic = *against = -1;
    for (int i = l->logged - OF_LATE; i < l->logged; i++) {
        const impContact *c = &l->log[i];
        int other = c->a.i == *body ? c->b.i : c->b.i == *body ? c->a.i : -1;
        if (other < 0 || c->time != l->now) return false;
        if (motion_is_moving(l->m, other)) {
            *kinematic = other;
        } else if (norm(c->impulse) > hardest) {
            hardest = norm(c->impulse);
            *against = other;
        }
    }
    return *kinematic >= 0 && *against >= 0;
}

bool impulse_log(Loop *l, const impContact *c) {
    int body, kinematic, against;
    if (l->logged >= l->room.log && is_wedged(l, &body, &kinematic, &against))
        return impulse_stop(l, IMP_STALLED,
                            "body '%s' is wedged between '%s', which moves as it is told, and "
                            "'%s': time would stand still",
                            l->m->body[body].name, l->m->body[kinematic].name,
                            l->m->body[against].name);
    if (l->logged >= l->room.log && !impulse_log_is_full(l)) return false;
    if (l->logged >= l->room.log)
        return impulse_stop(l, IMP_FULL,
                            "bodies '%s' and '%s': more than %d impulses in one step; a smaller "
                            "one has room for as many, if they do not come at once",
                            l->m->body[c->a.i].name, l->m->body[c->b.i].name, l->room.log);
    l->log[l->logged++] = *c;
    return true;
}

// Two collisions of a body at one time are one turn. There is room: each has two bodies at most,
// and is logged.
void impulse_log_velocity_change(Loop *l, const Actor *a) {
    l->logged_rate[a->body->free] = a->w;
    impVelocityChange velocity_change = {
        .body = { a->index }, .time = l->now, .pose = a->pose, .twist = { a->v, a->w }
    };
    for (int i = l->rotated - 1; i >= 0 && l->velocity_change[i].time == l->now; i--) {
        if (l->velocity_change[i].body.i != a->index) continue;
        l->velocity_change[i] = velocity_change;
        return;
    }
    if (l->rotated < 2 * l->room.log) {
        l->velocity_change[l->rotated++] = velocity_change;
    }
}

// A coin that whirls is turned by a hundred hops between two pictures: who draws it needs some of
// them. The measure is how long its own size takes to fall.
#define OTHERWISE 0.05
void impulse_log_microstep(Loop *l, const Actor *a) {
    impVec3 change = sub(a->w, l->logged_rate[a->body->free]);
    if (dot(change, change) * a->body->bounding_radius >
        OTHERWISE * OTHERWISE * norm(l->m->gravity)) {
        impulse_log_velocity_change(l, a);
    }
}

// of an impulse: what is farther off its law ends the run
#define LAWFUL 1e-9
// of all impulses the worst, of those that are right the largest
static void measure(double *worst, double *limit, double off, double most) {
    off = max2(off, 0);
    if (off < *worst || (off == *worst && most <= *limit)) return;
    *worst = off;
    *limit = most;
}

bool impulse_certify(Loop *l, const ContactPoint *t, impVec3 p) {
    double excess = sqrt(p.x * p.x + p.y * p.y) -
                    max2(t->law->friction_static, t->law->friction_dynamic) * p.z;
    double size = norm(p);
    double most = LAWFUL * size;
    measure(&l->found.cone, &l->limit.cone, excess - 1e-12 * size, most);
    measure(&l->found.pull, &l->limit.pull, -p.z, most);
    if (max2(excess, -p.z) <= most && finite3(p)) return true;
    l->end.failed = excess > -p.z ? "cone" : "pull";
    return impulse_stop(l, IMP_UNTRUE,
                        "bodies '%s' and '%s': the certificate failed: an impulse of %s N s at "
                        "(%s, %s, %s) m %s by %s N s (limit %s N s)",
                        l->m->body[t->a].name, l->m->body[t->b].name, show(size).text,
                        show(t->at.x).text, show(t->at.y).text, show(t->at.z).text,
                        excess > -p.z ? "leaves its friction cone" : "pulls",
                        show(max2(excess, -p.z)).text, show(most).text);
}

void impulse_book(Loop *l, int body, impVec3 impulse, impVec3 angular_impulse, double energy) {
    Ledger *b = &l->ledger[l->m->body[body].free];
    b->impulse = add(b->impulse, impulse);
    b->impulse_sum += norm(impulse);
    b->angular_impulse = add(b->angular_impulse, angular_impulse);
    b->angular_sum += norm(angular_impulse);
    b->energy += energy;
    b->energy_sum += fabs(energy);
}

void impulse_launch(Loop *l, Actor *a, impVec3 v, impVec3 w) {
    Ledger *b = &l->ledger[a->body->free];
    double before = contact_kinetic_energy(a);
    b->rate_sum += norm(a->w) + norm(w);
    contact_launch(a, v, w);
    double after = contact_kinetic_energy(a);
    b->kinetic_sum += before + after;
    impulse_book(l, a->index, vec(0, 0, 0), vec(0, 0, 0), after - before);
}

// --- the look ------------------------------------------------------------------------------------
void impulse_narrow_phase(Loop *l, Pair *p, double ahead) {
    Actor *a = &l->actor[p->i];
    Actor *b = &l->actor[p->j];
    contact_move(l->m, a, l->now);
    contact_move(l->m, b, l->now);
    NarrowCacheRef last = { &l->seen[p - l->pair], l->axis_cache + (p - l->pair) * l->axis_count };
    contact_narrow_phase(l->m, a, b, l->extent, 2 * l->band, ahead, impulse_start_features(l, p),
                         p->seen ? &last : NULL, l->narrow_phase);
    double d = l->narrow_phase->list.nearest.c.distance;
    l->found.overlap = max2(l->found.overlap, -d);
    // else it is a bound
    if (!l->narrow_phase->from_cache || d <= 2 * l->band) {
        l->end.gap = min2(l->end.gap, d);
    }
}

// What comes after the frame is looked at then. A little more than that, for clocks round down.
static double rest_of_frame(const Loop *l) {
    return (l->frame_end - l->now) * (1 + 1e-9) + 16 * DBL_EPSILON * fabs(l->frame_end);
}

// What hopped is looked at anew when it lands, with all that is near it: until then is enough,
// unless a look that sees farther serves for the next ones, too (contact/narrow_cache.c).
static double ahead_of(const Loop *l, const Pair *p) {
    double lands_at = max2(l->lands_at[p->i], l->lands_at[p->j]) - l->now;
    double rest = rest_of_frame(l);
    bool anew = p->seen && l->seen[p - l->pair].axis_count == 0;
    return anew && lands_at > 0 ? min2(lands_at, rest) : rest;
}

// Clocks and places are rounded: nothing finer than that can be asked for.
static double closeness(const Loop *l) {
    const NarrowPhase *w = l->narrow_phase;
    double speed = norm(sub(w->a->v, w->b->v));
    double far = max2(largest(w->a->x), largest(w->b->x));
    return max2(l->close, 16 * DBL_EPSILON * max2(l->now * speed, far));
}

#define MUCH 0.1  // of the frame's rest
// of it: then two at the level may come nearer by the tolerance of an event
#define LITTLE 1e-6
static bool due(const ContactPoint *t, double near) {
    return t->gap <= near && t->u.z < -t->u_rounding;
}
static bool arrives(const ContactPoint *t, double near) {
    return t->gap <= near && t->u.z < 1e-9 * t->micro.threshold;
}

bool impulse_wake_both(Loop *l, int a, int b) {
    if (l->actor[a].asleep && !impulse_wake(l, a)) return false;
    return !l->actor[b].asleep || impulse_wake(l, b);
}

// --- which of them -------------------------------------------------------------------------------
// of the speed: one after the other, the first of two points would take the blow of both
#define EQUAL 1e-7
// Points that arrive as fast along the same normal are one blow (contact/reduction.c).
bool impulse_as_fast(const ContactPoint *t, const ContactPoint *fastest) {
    return t->u.z <= (1 - EQUAL) * fastest->u.z;
}
bool impulse_same_normal(const ContactPoint *t, const ContactPoint *other) {
    return dot(t->n, other->n) >= 1 - 1e-12;
}

// The fastest of those for which `now` holds.
static ContactPoint fastest(const Loop *l, int count, double near,
                            bool (*now)(const ContactPoint *t, double near)) {
    const ContactPoint *t = l->contact_point;
    int best = -1;
    int tied[IMPACT_POINTS];
    int ties = 0;
    for (int i = 0; i < count; i++) {
        if (now(&t[i], near) && (best < 0 || t[i].u.z < t[best].u.z)) {
            best = i;
        }
    }
    for (int i = 0; i < count && ties < IMPACT_POINTS; i++) {
        if (i == best || (now(&t[i], near) && impulse_as_fast(&t[i], &t[best]) &&
                          impulse_same_normal(&t[i], &t[best]))) {
            tied[ties++] = i;
        }
    }
    ContactPoint out = t[best];
    out.at = contact_impact_point(l->actor, t, tied, ties);
    return out;
}

// How long ago these points last hopped: since the later of the two flights' starts, if they were
// in the band then.
static double age_of(const Loop *l, const ContactPoint *t, double near, int count) {
    double t0 = 0;
    bool known = false;
    const int body[2] = { t->a, t->b };
    for (int i = 0; i < 2; i++) {
        const Actor *a = &l->actor[body[i]];
        if (!a->free) continue;
        t0 = known ? max2(t0, a->flight.t0) : a->flight.t0;
        known = true;
    }
    double age = l->now - t0;
    for (int i = 0; i < count; i++) {
        if (!arrives(&t[i], near)) continue;
        double then = t[i].gap - t[i].u.z * age - 0.5 * t[i].micro.g_n * age * age;
        if (then > l->band) return 0;
    }
    return age;
}

static bool overlap(Loop *l, const Pair *p, double d, double most) {
    impVec3 at = l->narrow_phase->list.nearest.c.on_a;
    l->found.overlap = max2(l->found.overlap, -d);
    l->limit.overlap = most;
    l->end.failed = "overlap";
    return impulse_stop(l, IMP_UNTRUE,
                        "bodies '%s' and '%s': the certificate failed: they overlap by %s m at "
                        "(%s, %s, %s) m (limit %s m)",
                        l->m->body[p->i].name, l->m->body[p->j].name, show(-d).text,
                        show(at.x).text, show(at.y).text, show(at.z).text, show(most).text);
}

// The points of the pair, with their paces. Negative: stopped.
static int touches_of(Loop *l, const Pair *p) {
    int count = contact_points(l->m, l->narrow_phase, l->band, l->contact_point, l->room.touches);
    if (count < 0) {
        impulse_stop(l, IMP_FULL, "bodies '%s' and '%s': more than %d points touch",
                     l->m->body[p->i].name, l->m->body[p->j].name, l->room.touches);
    }
    for (int i = 0; i < count; i++) {
        ContactPoint *t = &l->contact_point[i];
        contact_set_time_scales(l->m, &l->actor[t->a], &l->actor[t->b], l->band,
                                l->gravity_substitute, t);
    }
    return count;
}

typedef enum Case { CASE_LATER, CASE_HOP, CASE_COLLISION } Case;

static Case case_of(const ContactPoint *t, int count, double near) {
    Case worst = CASE_LATER;
    for (int i = 0; i < count; i++) {
        if (!due(&t[i], near)) continue;
        if (-t[i].u.z >= t[i].micro.threshold) return CASE_COLLISION;
        worst = CASE_HOP;
    }
    return worst;
}

// Nothing approaches, and yet time would stand still: a body that was just let go of.
static bool let_go(const ContactPoint *t, int count, double near, double step) {
    for (int i = 0; i < count; i++) {
        if (arrives(&t[i], near) && t[i].micro.threshold > 0 && step <= 1e-9 * t[i].micro.duration)
            return true;
    }
    return false;
}

// HUGE_VAL: none is
static double lowest_flat(const ContactPoint *t, int count) {
    double least = HUGE_VAL;
    for (int i = 0; i < count; i++) {
        if (t[i].on_flat_rim) {
            least = min2(least, t[i].gap);
        }
    }
    return least;
}

// When nothing comes to the level. Two that are lower by a hair, and none of whose points
// approaches, may come nearer by the tolerance of an event, or time would stand still. Rims that
// lie flat are looked at by their points, and may be a little lower between them.
static double time_later(Loop *l, const Pair *p, int count, double near, double close,
                         double ahead) {
    const Actor *a = &l->actor[p->i];
    const Actor *b = &l->actor[p->j];
    double step = contact_time_bound(l->m, l->narrow_phase, l->extent, l->level, ahead);
    double lowest = lowest_flat(l->contact_point, count);
    // else no bound is that fine:
    if (step >= LITTLE * ahead || let_go(l->contact_point, count, near, step)) return step;
    double low = lowest == HUGE_VAL ? min2(l->level, l->narrow_phase->list.nearest.c.distance)
                                    : l->level;
    step = max2(step, contact_time_bound(l->m, l->narrow_phase, l->extent, low - close, ahead));
    if (step >= LITTLE * ahead || lowest == HUGE_VAL) return step;
    double dip = contact_time_bound_flat(l->m, l->narrow_phase, l->extent, l->level - close,
                                         lowest - CONTACT_RIM_SAG * l->band, ahead);
    dip = min2(dip, contact_time_to_approach(l->m, a, b, l->extent, l->band - l->level));
    return max2(step, min2(dip, contact_time_bound_points(l->m, a, b, l->extent, l->contact_point,
                                                          count, l->level)));
}

bool impulse_collides(Loop *l, Pair *p, ContactPoint *t) {
    impulse_narrow_phase(l, p, 0);
    double d = l->narrow_phase->list.nearest.c.distance;
    double close = closeness(l);
    double near = l->level + 2 * close;
    if (d > l->level + close) return false;
    int count = touches_of(l, p);
    if (count <= 0 || case_of(l->contact_point, count, near) != CASE_COLLISION) return false;
    *t = fastest(l, count, near, due);
    return true;
}

// How often this pair collided at this very time before.
static void count_round(Loop *l, Pair *p) {
    if (l->impact_time != l->now) {
        l->instant++;
        l->logged_before = l->logged;
    }
    l->impact_time = l->now;
    p->rounds = p->instant == l->instant ? p->rounds + 1 : 0;
    p->instant = l->instant;
    l->rounds = p->rounds;
}

// Alone, or with all that collide at the same time.
static bool collide_all(Loop *l, Pair *p, const ContactPoint *t, double close) {
    impulse_prefetch_event(l, p);
    // look again, if someone had to be woken
    impulse_schedule(l, p, l->now);
    count_round(l, p);
    if (!impulse_rounds_exceeded(l)) return false;
    int ties = impulse_simultaneous(l, p, t, close / -t->u.z);
    if (ties < 0 || l->stop) return false;
    if (ties == 0) return true;
    return ties == 1 ? impulse_impact(l, t) : impulse_impact_simultaneous(l);
}

// --- microcollisions -----------------------------------------------------------------------------
static bool hop(Loop *l, Pair *p, int count, double near) {
    return impulse_microstep(l, p, count, age_of(l, l->contact_point, near, count), near);
}

static bool reverse(Loop *l, Pair *p, int count, double near) {
    (void)p;
    ContactPoint t = fastest(l, count, near, arrives);
    return impulse_reversal(l, &t);
}

typedef bool MicroRule(Loop *l, Pair *p, int count, double near);  // the points are in l->touch
static MicroRule *const micro_rules[] = { [IMP_MICROSTEP] = hop, [IMP_REVERSAL] = reverse };

// Where many bodies hold each other and hopped a moment ago, a point may sink a little below the
// level while it waits for others: they hop together then (impulse_microstep.c).
#define DEEPEST 0.5   // of the level
#define A_WHILE 0.01  // of how long it may: less is not worth another look
static bool can_wait(Loop *l, Pair *p, double close, double ahead) {
    double left = max2(l->waits_until[p->i], l->waits_until[p->j]) - l->now;
    double low = DEEPEST * l->level;
    if (!(left > 0) || !(l->narrow_phase->list.nearest.c.distance > low + close)) return false;
    double step = min2(contact_time_bound(l->m, l->narrow_phase, l->extent, low, ahead), left);
    if (!(step > A_WHILE * left)) return false;
    impulse_schedule(l, p, collide_time_after(l->now, step));
    return true;
}

// Two that were well apart and have moved little since need not be looked at: how fast they are
// says enough.
static bool still_apart(Loop *l, Pair *p, double ahead) {
    const NarrowCache *s = &l->seen[p - l->pair];
    Actor *a = &l->actor[p->i];
    Actor *b = &l->actor[p->j];
    if (!p->seen || !(s->distance > 2 * l->band)) return false;
    contact_move(l->m, a, l->now);
    contact_move(l->m, b, l->now);
    double left = contact_cache_distance(s, a, b) - l->level;
    if (!(left > 0.5 * s->distance)) return false;
    double step = contact_time_to_approach(l->m, a, b, l->extent, left);
    if (!(step > MUCH * ahead)) return false;
    impulse_schedule(l, p, collide_time_after(l->now, step));
    return true;
}

static void meet_now(Loop *l, Pair *p, double ahead) {
    impulse_narrow_phase(l, p, ahead);
    contact_cache_store(l->m, l->narrow_phase, l->axis_cache + (p - l->pair) * l->axis_count,
                        l->axis_count, &l->seen[p - l->pair]);
    p->seen = true;
    l->query_count++;
}

// When a frame begins: those that do not touch are told when to come again, the others are looked
// at in their turn.
void impulse_start_pair(Loop *l, Pair *p) {
    double ahead = rest_of_frame(l);
    if (still_apart(l, p, ahead)) return;
    meet_now(l, p, ahead);
    double close = closeness(l);
    double near = l->level + 2 * close;
    bool apart = l->narrow_phase->list.nearest.c.distance > l->level + close;
    impulse_schedule(
        l, p, apart ? collide_time_after(l->now, time_later(l, p, 0, near, close, ahead)) : l->now);
}

bool impulse_process_pair(Loop *l, Pair *p) {
    double ahead = ahead_of(l, p);
    if (still_apart(l, p, ahead)) return true;
    meet_now(l, p, ahead);
    double d = l->narrow_phase->list.nearest.c.distance;
    double close = closeness(l);
    double near = l->level + 2 * close;
    if (d < -(l->level + close)) return overlap(l, p, d, l->level + close);
    l->found.level_violation = max2(l->found.level_violation, l->level - d - 2 * close);
    int count = d <= l->level + close ? touches_of(l, p) : 0;
    if (count < 0) return false;
    Case what = case_of(l->contact_point, count, near);
    if (what == CASE_LATER) {
        double step = time_later(l, p, count, near, close, ahead);
        if (!let_go(l->contact_point, count, near, step)) {
            impulse_schedule(l, p, collide_time_after(l->now, step));
            return true;
        }
        what = CASE_HOP;
    }
    // wake, and look again, before what else it touches is looked at
    if (l->actor[p->i].asleep || l->actor[p->j].asleep)
        return impulse_wake_both(l, p->i, p->j) && impulse_process_pair(l, p);
    if (what == CASE_HOP && can_wait(l, p, close, ahead)) return true;
    if (what == CASE_HOP) return micro_rules[l->m->run.micro](l, p, count, near);
    ContactPoint t = fastest(l, count, near, due);
    return collide_all(l, p, &t, close);
}
