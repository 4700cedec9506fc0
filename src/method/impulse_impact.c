// impulse_impact.c -- an ordinary collision, and how it runs on through those that touch.
//
// One point collides at a time, with Coulomb's law at every instant of it (solve/impact.c; Mirtich
// & Canny 1994). What it gives to a body that others hold makes their points approach, and these
// collide next. In a row of leaning dominos such collisions run to and fro: each when its point has
// closed what is left of its gap, some millionths of a metre, a hundred times within microseconds,
// and each with a look at all neighbours. Here they happen at once, the fastest first, among points
// that are in the band, until nothing approaches faster than what is microscopic: the rest is one
// hop's (impulse_microstep.c). Only bodies that were struck are asked for their points, and once.
//
// A collision that bounces is left to its time: only those are run through whose bounce, about
// restitution times approach, is itself microscopic. So a rack of pool balls or a row of marbles is
// struck one by one, as their gaps have it. Points that are equally fast go at once; where they
// share a body the order would decide, and they are stopped together.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

// collisions a point: if it takes more, all that is left is struck together
enum { LONG = 8 };
// a point gives that part of its speed along the normal (solve/microstep.c),
#define GIVE      1e-8
#define GIVE_SIDE 0.1    //   and of that across
#define ENOUGH    1e-4   // of what is microscopic: approach that may be left
#define EXACT     1e-15  // of the fastest

// --- one point -----------------------------------------------------------------------------------
// of both
static double kinetic(const Loop *l, const MicrostepPoint *q) {
    const Island *s = &l->island;
    double sum = contact_kinetic_energy_at(&l->flights.actor[s->member[q->a]], s->body[q->a].v,
                                           s->body[q->a].w);
    return q->b < 0 ? sum
                    : sum + contact_kinetic_energy_at(&l->flights.actor[s->member[q->b]],
                                                      s->body[q->b].v, s->body[q->b].w);
}

static void mark_struck(Island *s, int island_index) {
    if (island_index >= 0 && s->mark[island_index] == IN_ISLAND) {
        s->mark[island_index] = HAS_IMPULSE;
    }
}

bool impulse_impact_in_island(Loop *l, const ContactPoint *t) {
    Island *s = &l->island;
    MicrostepPoint q = contact_microstep_point(l->flights.actor, t, s->island_index[t->a],
                                               s->island_index[t->b]);
    Mat3 k = solve_point_matrix(s->body, &q);
    impImpactDef def = {
        .k = { { k.x.x, k.x.y, k.x.z }, { k.y.x, k.y.y, k.y.z }, { k.z.x, k.z.y, k.z.z } },
        .u = solve_point_velocity(s->body, &q),
        .friction_static = t->law->friction_static,
        .friction_dynamic = t->law->friction_dynamic,
        .restitution = t->law->restitution,
        .law = t->law->law
    };
    impImpact hit;
    impVerdict verdict = solve_impact(&def, &hit, NULL);
    if (verdict != IMP_SOLVED)
        return journal_stop(&l->journal, verdict,
                            "bodies '%s' and '%s': their collision could not be resolved",
                            l->settings.model->body[t->a].name, l->settings.model->body[t->b].name);
    double before = kinetic(l, &q);
    solve_apply_impulse(s->body, &q, hit.p);
    double after = kinetic(l, &q);
    impVec3 u = solve_point_velocity(s->body, &q);
    bool sticks = u.x * u.x + u.y * u.y <= 1e-18 * dot(def.u, def.u);
    impContact record = journal_record(
        t, l->clock.now,
        &(PointImpulse){
            .p = hit.p, .u_before = def.u, .u_after = u, .support_velocity = q.support_velocity });
    record.energy = after - before;
    record.mode = sticks ? IMP_STICKS : IMP_SLIDES;
    l->journal.found.approach = max2(l->journal.found.approach, -u.z - 1e-12 * norm(def.u));
    mark_struck(s, q.a);
    mark_struck(s, q.b);
    journal_book_impulse(&l->journal, t, &q, record.impulse);
    l->journal.events++;
    l->journal.energy_gains += hit.gain;
    return journal_certify(&l->journal, t, hit.p) && impulse_log(&l->journal, &record);
}

bool impulse_log_impact(Loop *l, const ContactPoint *t, const MicrostepPoint *q) {
    Island *s = &l->island;
    if (zero3(q->p)) return true;
    impVec3 u = solve_point_velocity(s->body, q);
    bool sticks = u.x * u.x + u.y * u.y <= 1e-18 * dot(t->u, t->u);
    impContact record = journal_record(
        t, l->clock.now,
        &(PointImpulse){
            .p = q->p, .u_before = t->u, .u_after = u, .support_velocity = q->support_velocity });
    record.mode = sticks ? IMP_STICKS : IMP_SLIDES;
    journal_book_impulse(&l->journal, t, q, record.impulse);
    l->journal.events++;
    return impulse_log(&l->journal, &record);
}

// --- those that touch the ones that were struck --------------------------------------------------
// Flies on as its seat has it by now: where its points are, and how fast is microscopic there,
// depends on how it goes.
static void launch(Loop *l, int island_index) {
    Island *s = &l->island;
    Actor *a = &l->flights.actor[s->member[island_index]];
    journal_launch(&l->journal, a, s->body[island_index].v, s->body[island_index].w);
    l->flights.sleep_counter[a->body->free] = 0;
    journal_log_velocity_change(&l->journal, a, l->clock.now);
}

static bool flies_so(const Actor *a, const MicrostepBody *b) {
    return zero3(sub(a->v, b->v)) && zero3(sub(a->w, b->w));
}

// false: no room
static bool ask(Loop *l, int island_index) {
    Island *s = &l->island;
    int partners = impulse_partners(&l->queue, s->member[island_index]);
    int begin = s->point_count;
    s->mark[island_index] = POINTS_KNOWN;
    for (int k = 0; k < partners; k++) {
        Pair *p = &l->queue.pair[l->queue.partners[k]];
        if (p->stamp == s->stamp) continue;
        int count = impulse_island_points(l, p);
        if (count < 0) return false;
        if (count == 0) continue;
        impulse_island_add(&l->island, &l->flights, p->i);
        impulse_island_add(&l->island, &l->flights, p->j);
        s->point_count += count;
    }
    s->point_count = begin + contact_reduce_floor(s->contact_point + begin, s->slot + begin,
                                                  s->point_count - begin, l->settings.band);
    for (int i = begin; i < s->point_count; i++) {
        const ContactPoint *t = &s->contact_point[i];
        s->point[i] = contact_microstep_point(l->flights.actor, t, s->island_index[t->a],
                                              s->island_index[t->b]);
    }
    return true;
}

// and how fast all points are by now; false: no room
static bool ask_all(Loop *l) {
    Island *s = &l->island;
    for (int i = 0; i < s->body_count; i++) {
        if (s->mark[i] == HAS_IMPULSE) {
            launch(l, i);
        }
    }
    for (int i = 0; i < s->body_count; i++) {
        if (s->mark[i] == HAS_IMPULSE && !ask(l, i)) return false;
    }
    for (int i = 0; i < s->point_count; i++) {
        s->contact_point[i].u = solve_point_velocity(s->body, &s->point[i]);
    }
    return true;
}

// --- the next ------------------------------------------------------------------------------------
static bool bounces(const ContactPoint *t) {
    return -t->u.z * t->law->restitution >= t->micro.threshold;
}
static bool is_next(const ContactPoint *t) { return -t->u.z >= t->micro.threshold && !bounces(t); }

static bool share_a_body(const MicrostepPoint *p, const MicrostepPoint *q) {
    return p->a == q->a || p->a == q->b || (p->b >= 0 && (p->b == q->a || p->b == q->b));
}

// of two that are as fast: of one pair, along one normal
static bool is_same_blow(const Island *s, int i, int k) {
    return contact_same_pair(&s->contact_point[i], &s->contact_point[k]) &&
           impulse_is_same_normal(&s->contact_point[i], &s->contact_point[k]);
}

// points that are as fast as the fastest: more are left to their time
enum { TIED = 64 };

// of those that are one with point i
static ContactPoint blow_of(const Loop *l, const int *fast, int count, int i) {
    const Island *s = &l->island;
    ContactPoint t = s->contact_point[i];
    int one[TIED];
    int as_one = 0;
    for (int k = 0; k < count; k++) {
        if (is_same_blow(s, i, fast[k])) {
            one[as_one++] = fast[k];
        }
    }
    t.at = contact_impact_point(l->flights.actor, s->contact_point, one, as_one);
    return t;
}

static bool is_one_of(const Island *s, int i, const int *fast, int count) {
    for (int k = 0; k < count; k++) {
        if (is_same_blow(s, i, fast[k])) return true;
    }
    return false;
}

// Those that are as fast as the fastest, and then what else arrives between the same two. 0: there
// is none, or too many.
static int find_fastest(const Island *s, int fast[TIED]) {
    int best = -1;
    int count = 0;
    int first = 0;
    for (int i = 0; i < s->point_count; i++) {
        if (is_next(&s->contact_point[i]) &&
            (best < 0 || s->contact_point[i].u.z < s->contact_point[best].u.z)) {
            best = i;
        }
    }
    for (int slower = 0; best >= 0 && slower < 2; first = count, slower++) {
        for (int i = 0; i < s->point_count; i++) {
            bool as_fast = impulse_is_as_fast(&s->contact_point[i], &s->contact_point[best]);
            if (!is_next(&s->contact_point[i]) ||
                (slower ? as_fast || !is_one_of(s, i, fast, first) : !as_fast))
                continue;
            if (count == TIED) return 0;
            fast[count++] = i;
        }
    }
    return count;
}

static bool hold_each_other(const Island *s, const int *fast, int count) {
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < i; k++) {
            bool one = is_same_blow(s, fast[i], fast[k]) &&
                       impulse_is_as_fast(&s->contact_point[fast[i]], &s->contact_point[fast[k]]) &&
                       impulse_is_as_fast(&s->contact_point[fast[k]], &s->contact_point[fast[i]]);
            if (!one && share_a_body(&s->point[fast[i]], &s->point[fast[k]])) return true;
        }
    }
    return false;
}

static bool strike_all(Loop *l, const int *fast, int count) {
    const Island *s = &l->island;
    for (int i = 0; i < count; i++) {
        bool done = false;
        for (int k = 0; k < i && !done; k++) {
            done = is_same_blow(s, fast[i], fast[k]);
        }
        if (done) continue;
        ContactPoint t = blow_of(l, fast, count, fast[i]);
        if (!impulse_wake_both(l, t.a, t.b) || !impulse_impact_in_island(l, &t)) return false;
    }
    return true;
}

// --- together ------------------------------------------------------------------------------------
// One by one a heavy body that squeezes a light one against a wall would strike it as many times as
// it is heavier. All that is left is stopped at once instead, without bounce, as a tie is
// (impulse_simultaneous.c).
static void leave_out_those_that_bounce(Island *s) {
    int kept = 0;
    for (int i = 0; i < s->point_count; i++) {
        if (bounces(&s->contact_point[i])) continue;
        s->contact_point[kept] = s->contact_point[i];
        s->slot[kept] = s->slot[i];
        s->point[kept++] = s->point[i];
    }
    s->point_count = kept;
}

static double kinetic_of_all(const Loop *l, const MicrostepBody *bodies) {
    const Island *s = &l->island;
    double sum = 0;
    for (int i = 0; i < s->body_count; i++) {
        sum += contact_kinetic_energy_at(&l->flights.actor[s->member[i]], bodies[i].v, bodies[i].w);
    }
    return sum;
}

// start from no impulse
static void forget(Island *s, int first, int end) {
    for (int i = 0; i < s->body_count; i++) {
        s->body[i] = s->last[i];
    }
    for (int i = first; i < end; i++) {
        s->point[i].p = vec(0, 0, 0);
    }
}

// Points from `first` to `end`, from the velocities as they are, which stay in s->last. A few are
// solved by sweeps, to the last digit: what is as fast as something else must be so afterwards.
// False: it jams, or it is not solved.
static bool stop_together(Loop *l, int first, int end, bool few) {
    Island *s = &l->island;
    double least = HUGE_VAL;
    double fastest = 0;
    for (int i = 0; i < s->body_count; i++) {
        s->last[i] = s->body[i];
    }
    for (int i = first; i < end; i++) {
        MicrostepPoint *q = &s->point[i];
        q->p = q->c = vec(0, 0, 0);
        q->compliance = GIVE;
        q->compliance_tangential = GIVE_SIDE * GIVE;
        fastest = max2(fastest, -s->contact_point[i].u.z);
        if (s->contact_point[i].micro.threshold > 0) {
            least = min2(least, s->contact_point[i].micro.threshold);
        }
    }
    MicrostepResult r = { .painleve_point = -1 };
    s->solver.accepted_residual = HUGE_VAL;
    if (few) {
        r = solve_microstep(s->body, s->body_count, s->point + first, end - first, EXACT * fastest,
                            false, NULL);
    }
    if (!r.solved && r.painleve_point < 0) {
        forget(s, first, end);
        r = solve_microstep(s->body, s->body_count, s->point + first, end - first,
                            few ? 1e3 * EXACT * fastest : ENOUGH * least, false, &s->solver);
    }
    // its many small ones leave rounding behind that the books would see
    for (int i = 0; i < s->body_count; i++) {
        s->body[i] = s->last[i];
    }
    if (r.painleve_point >= 0 || !r.solved) return false;
    double most = kinetic_of_all(l, s->last) * (1 + 1e-12);
    for (int i = first; i < end; i++) {
        const MicrostepPoint *q = &s->point[i];
        solve_apply_impulse(s->body, q, q->p);
        most += dot(contact_world(&s->contact_point[i], q->p), q->support_velocity);
    }
    if (kinetic_of_all(l, s->body) <= most) return true;
    for (int i = 0; i < s->body_count; i++) {
        s->body[i] = s->last[i];
    }
    return false;
}

// how many were not known to be struck
static int reach_others(Island *s) {
    int others = 0;
    for (int i = 0; i < s->point_count; i++) {
        const MicrostepPoint *q = &s->point[i];
        const int island_index[2] = { q->a, q->b };
        for (int k = 0; k < 2 && !zero3(q->p); k++) {
            if (island_index[k] >= 0 && s->mark[island_index[k]] == IN_ISLAND) {
                s->mark[island_index[k]] = HAS_IMPULSE;
                others++;
            }
        }
    }
    return others;
}

// that are pushed
static bool wake_all(Loop *l) {
    const Island *s = &l->island;
    for (int i = 0; i < s->point_count; i++) {
        if (!zero3(s->point[i].p) &&
            !impulse_wake_both(l, s->contact_point[i].a, s->contact_point[i].b))
            return false;
    }
    return true;
}

static bool put_down_all(Loop *l, int first, int end) {
    Island *s = &l->island;
    for (int i = first; i < end; i++) {
        if (!journal_certify(&l->journal, &s->contact_point[i], s->point[i].p) ||
            !impulse_log_impact(l, &s->contact_point[i], &s->point[i]))
            return false;
    }
    return true;
}

static bool strike_together(Loop *l, bool bouncing) {
    Island *s = &l->island;
    for (;;) {
        if (!bouncing) {
            leave_out_those_that_bounce(s);
        }
        // left to their time
        if (!stop_together(l, 0, s->point_count, false)) return true;
        if (!wake_all(l)) return false;
        if (reach_others(s) == 0) break;
        // again, with all that hold these
        for (int i = 0; i < s->body_count; i++) {
            s->body[i] = s->last[i];
        }
        if (!ask_all(l)) return true;
    }
    return put_down_all(l, 0, s->point_count);
}

// Those that are equally fast and hold each other, behind all the points. False: stopped. *left: to
// their time.
static bool strike_tied(Loop *l, const int *fast, int count, bool *left) {
    Island *s = &l->island;
    int first = s->point_count;
    int end = first + count;
    *left = end > l->settings.capacity.points;
    for (int i = 0; i < count && !*left; i++) {
        s->contact_point[first + i] = s->contact_point[fast[i]];
        s->point[first + i] = s->point[fast[i]];
        if (!impulse_wake_both(l, s->contact_point[fast[i]].a, s->contact_point[fast[i]].b))
            return false;
    }
    if (*left || !stop_together(l, first, end, true)) return *left = true;
    for (int i = first; i < end; i++) {
        mark_struck(s, s->point[i].a);
        mark_struck(s, s->point[i].b);
    }
    return put_down_all(l, first, end);
}

// --- all of it -----------------------------------------------------------------------------------
// is anything microscopic where it struck?
static bool passes(const Loop *l) {
    const Island *s = &l->island;
    bool any = false;
    for (int i = 0; i < s->point_count; i++) {
        any = any || s->contact_point[i].micro.threshold > 0;
    }
    return any && l->settings.model->run.micro == IMP_MICROSTEP;
}

// A light body that a heavy one presses to a wall with no gap left bounces to and fro between the
// two without any time passing. From velocities w of the light body and v of the heavy one, both
// towards the wall, with masses m and M, one round makes
//     w' = e (v + e w) + v,    v' = v - (m / M) (1 + e) (v + e w).
// For (1 - e)^2 > 2 (m / M) (1 + e) both eigenvalues of this map are real, positive and less than
// 1, the larger about 1 - (m / M) (1 + e) / (1 - e): neither turns round, and M / m rounds and more
// come to nothing but that both stop where they are. So do they here, once there were as many
// rounds as show that nothing else ends it. With less of a ratio, or without loss, the heavy body
// is thrown back after some root of M / m rounds.
enum { ROUNDS = 1000 };
static bool rattles(const Loop *l) {
    const Island *s = &l->island;
    double lightest = HUGE_VAL;
    double heaviest = 0;
    double e = 0;
    if (l->rounds.count < ROUNDS || l->rounds.time != l->clock.now) return false;
    for (int i = 0; i < s->body_count; i++) {
        double mass = l->flights.actor[s->member[i]].body->mass;
        lightest = min2(lightest, mass);
        heaviest = max2(heaviest, mass);
    }
    for (int i = 0; i < s->point_count; i++) {
        e = max2(e, s->contact_point[i].law->restitution);
    }
    return (1 - e) * (1 - e) * heaviest > 2 * (1 + e) * lightest;
}

// false: stopped
static bool go_on(Loop *l) {
    Island *s = &l->island;
    int fast[TIED], count;
    bool left = false;
    // from here on all that is in the band
    s->point_count = 0;
    s->stamp++;
    // left to its time
    if (!ask_all(l)) return true;
    if (rattles(l)) return strike_together(l, true);
    for (int i = 0; (count = find_fastest(s, fast)) > 0; i += count) {
        if (i > LONG * s->point_count) return strike_together(l, false);
        bool tied = hold_each_other(s, fast, count);
        if (tied ? !strike_tied(l, fast, count, &left) : !strike_all(l, fast, count)) return false;
        if (left || !ask_all(l)) return true;
    }
    return true;
}

static bool fly_on(Loop *l) {
    Island *s = &l->island;
    int count = 0;
    for (int i = 0; i < s->body_count; i++) {
        if (s->mark[i] == IN_ISLAND) continue;
        if (!flies_so(&l->flights.actor[s->member[i]], &s->body[i]) || s->mark[i] == HAS_IMPULSE) {
            launch(l, i);
        }
        s->moved[count++] = s->member[i];
    }
    return impulse_refresh(l, s->moved, count);
}

bool impulse_propagate(Loop *l) { return (!passes(l) || go_on(l)) && fly_on(l); }

bool impulse_impact(Loop *l, const ContactPoint *t) {
    Island *s = &l->island;
    impulse_island_begin(&l->island);
    impulse_island_add(&l->island, &l->flights, t->a);
    impulse_island_add(&l->island, &l->flights, t->b);
    s->contact_point[s->point_count++] = *t;
    bool good = impulse_impact_in_island(l, t) && impulse_propagate(l);
    impulse_island_clear(&l->island);
    return good;
}
