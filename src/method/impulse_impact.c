// impulse_impact.c -- an impact of one contact point, and its propagation to bodies in contact.
//
// docs/theory/frictional-impact.md, sections 9, 11 and 12. One point collides at a time, with
// Coulomb's law at every instant (src/solve/impact.c; Mirtich & Canny 1994). Its impulse makes
// other points of the two bodies approach. Among the contact points within the band of the bodies
// hit so far, those that approach faster than their micro threshold and would not rebound faster
// than it are resolved at once, the fastest first (24). The rest is left to the next micro-step,
// rebounding impacts to their own times. Points that are equally fast and share bodies are stopped
// together. Numbers in brackets are equations of docs/theory/frictional-impact.md, where no other
// page is named.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

// Tolerances.
//
// impacts for each point of the island: after more, all that are left are resolved together. Test:
// tests/method/impulse_impact.c
enum { MAX_IMPACTS = 8 };
// 1: sigma of (18), docs/theory/contact-solver.md: one way to share an impulse. Test:
// tests/method/impulse_impact.c
#define COMPLIANCE 1e-8
// 1, of COMPLIANCE: across the normal. Test: tests/method/impulse_impact.c
#define COMPLIANCE_ACROSS 0.1
// 1, of the micro threshold: approach that Newton's method may leave. Test:
// tests/method/impulse_impact.c
#define APPROACH_LEFT 1e-4
// 1, of the fastest approach: tolerance of sweeps. Test: tests/method/impulse_simultaneous.c
#define SWEEP_TOLERANCE 1e-15

// --- one point -----------------------------------------------------------------------------------

// Kinetic energy of one body with its twist in the island, J.
static double kinetic_energy_of(const Island *s, const Actor *actor, int island_index) {
    const MicrostepBody *body = &s->body[island_index];
    return contact_kinetic_energy_at(&actor[s->member[island_index]], body->v, body->w);
}

// Of the bodies of a point.
static double kinetic_energy(const Island *s, const Actor *actor, const MicrostepPoint *q) {
    double sum = kinetic_energy_of(s, actor, q->a);
    return q->b < 0 ? sum : sum + kinetic_energy_of(s, actor, q->b);
}

static void mark_impulse(Island *s, int island_index) {
    if (island_index >= 0 && s->mark[island_index] == IN_ISLAND) {
        s->mark[island_index] = HAS_IMPULSE;
    }
}

bool impulse_impact_in_island(Island *s, const Flights *flights, Journal *journal, double now,
                              const ContactPoint *t) {
    const Actor *actor = flights->actor;
    MicrostepPoint q = contact_microstep_point(actor, t, s->island_index[t->a],
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
        return journal_stop(journal, verdict,
                            "bodies '%s' and '%s': their collision could not be resolved",
                            journal->model->body[t->a].name, journal->model->body[t->b].name);
    double before = kinetic_energy(s, actor, &q);
    solve_apply_impulse(s->body, &q, hit.p);
    double after = kinetic_energy(s, actor, &q);
    impVec3 u = solve_point_velocity(s->body, &q);
    bool sticks = u.x * u.x + u.y * u.y <= 1e-18 * dot(def.u, def.u);
    impContact record = journal_record(
        t, now,
        &(PointImpulse){
            .p = hit.p, .u_before = def.u, .u_after = u, .support_velocity = q.support_velocity });
    record.energy = after - before;
    record.mode = sticks ? IMP_STICKS : IMP_SLIDES;
    journal->found.approach = max2(journal->found.approach, -u.z - 1e-12 * norm(def.u));
    mark_impulse(s, q.a);
    mark_impulse(s, q.b);
    journal_book_impulse(journal, t, &q, record.impulse);
    journal->events++;
    journal->energy_gains += hit.gain;
    return journal_certify(journal, t, hit.p) && impulse_log(journal, &record);
}

bool impulse_log_impact(const Island *s, Journal *journal, double now, const ContactPoint *t,
                        const MicrostepPoint *q) {
    if (zero3(q->p)) return true;
    impVec3 u = solve_point_velocity(s->body, q);
    bool sticks = u.x * u.x + u.y * u.y <= 1e-18 * dot(t->u, t->u);
    impContact record = journal_record(
        t, now,
        &(PointImpulse){
            .p = q->p, .u_before = t->u, .u_after = u, .support_velocity = q->support_velocity });
    record.mode = sticks ? IMP_STICKS : IMP_SLIDES;
    journal_book_impulse(journal, t, q, record.impulse);
    journal->events++;
    return impulse_log(journal, &record);
}

// --- points of the bodies that were hit ----------------------------------------------------------

// Starts a new flight with the velocities in the island: places and micro thresholds of contact
// points depend on them.
static void launch(const Island *s, Flights *flights, Journal *journal, double now,
                   int island_index) {
    Actor *a = &flights->actor[s->member[island_index]];
    journal_launch(journal, a, s->body[island_index].v, s->body[island_index].w);
    flights->sleep_counter[a->body->free] = 0;
    journal_log_velocity_change(journal, a, now);
}

static bool has_twist_of(const Actor *a, const MicrostepBody *b) {
    return zero3(sub(a->v, b->v)) && zero3(sub(a->w, b->w));
}

// Adds the contact points of a body that was hit, and their bodies. False: no room.
static bool add_points_of(Loop *l, int island_index) {
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

// Starts new flights, adds points, and updates the velocities of all points. False: no room.
static bool update_points(Loop *l) {
    Island *s = &l->island;
    for (int i = 0; i < s->body_count; i++) {
        if (s->mark[i] == HAS_IMPULSE) {
            launch(s, &l->flights, &l->journal, l->clock.now, i);
        }
    }
    for (int i = 0; i < s->body_count; i++) {
        if (s->mark[i] == HAS_IMPULSE && !add_points_of(l, i)) return false;
    }
    for (int i = 0; i < s->point_count; i++) {
        s->contact_point[i].u = solve_point_velocity(s->body, &s->point[i]);
    }
    return true;
}

// --- order of impacts ----------------------------------------------------------------------------

// Third row of (24): the impact is left to its own time.
static bool rebounds(const ContactPoint *t) {
    return -t->u.z * t->law->restitution >= t->micro.threshold;
}
// Second row of (24): the impact is resolved now.
static bool propagates_now(const ContactPoint *t) {
    return -t->u.z >= t->micro.threshold && !rebounds(t);
}

static bool share_a_body(const MicrostepPoint *p, const MicrostepPoint *q) {
    return p->a == q->a || p->a == q->b || (p->b >= 0 && (p->b == q->a || p->b == q->b));
}

// Of one pair and along one normal; the caller knows that both are as fast.
static bool is_same_impact(const Island *s, int i, int k) {
    return contact_same_pair(&s->contact_point[i], &s->contact_point[k]) &&
           impulse_is_same_normal(&s->contact_point[i], &s->contact_point[k]);
}

// points that are as fast as the fastest; if there are more, all are left to their times
enum { MAX_TIED = 64 };

// The impact of point i and those that count as one with it, at their centre (20).
static ContactPoint combined_impact(const Island *s, const Actor *actor, const int *tied, int count,
                                    int i) {
    ContactPoint t = s->contact_point[i];
    int one[MAX_TIED];
    int one_count = 0;
    for (int k = 0; k < count; k++) {
        if (is_same_impact(s, i, tied[k])) {
            one[one_count++] = tied[k];
        }
    }
    t.at = contact_impact_point(actor, s->contact_point, one, one_count);
    return t;
}

static bool is_one_of(const Island *s, int i, const int *tied, int count) {
    for (int k = 0; k < count; k++) {
        if (is_same_impact(s, i, tied[k])) return true;
    }
    return false;
}

// The fastest point that propagates; -1: there is none.
static int fastest_point(const Island *s) {
    int best = -1;
    for (int i = 0; i < s->point_count; i++) {
        if (propagates_now(&s->contact_point[i]) &&
            (best < 0 || s->contact_point[i].u.z < s->contact_point[best].u.z)) {
            best = i;
        }
    }
    return best;
}

// The points that are as fast as the fastest, then the slower ones of the same impacts. Returns how
// many; 0: there is none, or there are too many.
static int find_fastest(const Island *s, int tied[MAX_TIED]) {
    const int best = fastest_point(s);
    int count = 0;
    if (best < 0) return 0;
    for (int i = 0; i < s->point_count; i++) {
        const ContactPoint *t = &s->contact_point[i];
        if (!propagates_now(t) || !impulse_is_as_fast(t, &s->contact_point[best])) continue;
        if (count == MAX_TIED) return 0;
        tied[count++] = i;
    }
    const int as_fast = count;
    for (int i = 0; i < s->point_count; i++) {
        const ContactPoint *t = &s->contact_point[i];
        if (!propagates_now(t) || impulse_is_as_fast(t, &s->contact_point[best]) ||
            !is_one_of(s, i, tied, as_fast))
            continue;
        if (count == MAX_TIED) return 0;
        tied[count++] = i;
    }
    return count;
}

// Some of these impacts share a body.
static bool share_bodies(const Island *s, const int *tied, int count) {
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < i; k++) {
            bool one = is_same_impact(s, tied[i], tied[k]) &&
                       impulse_is_as_fast(&s->contact_point[tied[i]], &s->contact_point[tied[k]]) &&
                       impulse_is_as_fast(&s->contact_point[tied[k]], &s->contact_point[tied[i]]);
            if (!one && share_a_body(&s->point[tied[i]], &s->point[tied[k]])) return true;
        }
    }
    return false;
}

// Resolves impacts that share no body. False: stopped.
static bool resolve_each(Loop *l, const int *tied, int count) {
    Island *s = &l->island;
    for (int i = 0; i < count; i++) {
        bool done = false;
        for (int k = 0; k < i && !done; k++) {
            done = is_same_impact(s, tied[i], tied[k]);
        }
        if (done) continue;
        ContactPoint t = combined_impact(s, l->flights.actor, tied, count, tied[i]);
        if (!impulse_wake_both(l, t.a, t.b) ||
            !impulse_impact_in_island(s, &l->flights, &l->journal, l->clock.now, &t))
            return false;
    }
    return true;
}

// --- several points at once ----------------------------------------------------------------------

static void drop_rebounding(Island *s) {
    int kept = 0;
    for (int i = 0; i < s->point_count; i++) {
        if (rebounds(&s->contact_point[i])) continue;
        s->contact_point[kept] = s->contact_point[i];
        s->slot[kept] = s->slot[i];
        s->point[kept++] = s->point[i];
    }
    s->point_count = kept;
}

// Of all bodies, J.
static double total_kinetic_energy(const Island *s, const Actor *actor) {
    double sum = 0;
    for (int i = 0; i < s->body_count; i++) {
        sum += kinetic_energy_of(s, actor, i);
    }
    return sum;
}

// Keep the velocities of all bodies in Island.last, and take them back from there.
static void save_velocities(Island *s) {
    for (int i = 0; i < s->body_count; i++) {
        s->last[i] = s->body[i];
    }
}
static void restore_velocities(Island *s) {
    for (int i = 0; i < s->body_count; i++) {
        s->body[i] = s->last[i];
    }
}

// Sets the points `first` to `end` as the problem (21), which has no flight: c = 0. *fastest: their
// fastest approach; *least: their least micro threshold, m/s.
static void set_compression(Island *s, int first, int end, double *fastest, double *least) {
    *fastest = 0;
    *least = HUGE_VAL;
    for (int i = first; i < end; i++) {
        MicrostepPoint *q = &s->point[i];
        q->p = q->c = vec(0, 0, 0);
        q->compliance = COMPLIANCE;
        q->compliance_tangential = COMPLIANCE_ACROSS * COMPLIANCE;
        *fastest = max2(*fastest, -s->contact_point[i].u.z);
        if (s->contact_point[i].micro.threshold > 0) {
            *least = min2(*least, s->contact_point[i].micro.threshold);
        }
    }
}

// Stops the approach of points `first` to `end` by (21), without restitution; Island.last keeps the
// velocities before. A few points are solved by sweeps, to the last digit, so that symmetric ones
// stay symmetric. False: not solved, or it would create energy; velocities are restored.
static bool stop_at_once(Island *s, const Actor *actor, int first, int end, bool few) {
    double fastest, least;
    MicrostepPoint *point = s->point + first;
    const int count = end - first;
    save_velocities(s);
    set_compression(s, first, end, &fastest, &least);
    MicrostepResult r = { .painleve_point = -1 };
    s->solver.accepted_residual = HUGE_VAL;
    if (few) {
        r = solve_microstep(s->body, s->body_count, point, count, SWEEP_TOLERANCE * fastest, false,
                            NULL);
    }
    if (!r.solved && r.painleve_point < 0) {
        double tolerance = few ? 1e3 * SWEEP_TOLERANCE * fastest : APPROACH_LEFT * least;
        restore_velocities(s);
        for (int i = 0; i < count; i++) {
            point[i].p = vec(0, 0, 0);
        }
        r = solve_microstep(s->body, s->body_count, point, count, tolerance, false, &s->solver);
    }
    // the impulses applied at once: the many small ones of the solver leave more rounding
    restore_velocities(s);
    if (r.painleve_point >= 0 || !r.solved) return false;
    double limit = total_kinetic_energy(s, actor) * (1 + 1e-12);
    for (int i = first; i < end; i++) {
        const MicrostepPoint *q = &s->point[i];
        solve_apply_impulse(s->body, q, q->p);
        limit += dot(contact_world(&s->contact_point[i], q->p), q->support_velocity);
    }
    if (total_kinetic_energy(s, actor) <= limit) return true;
    restore_velocities(s);
    return false;
}

// Marks the bodies of points with an impulse. Returns how many were not marked before.
static int mark_reached(Island *s) {
    int reached = 0;
    for (int i = 0; i < s->point_count; i++) {
        const MicrostepPoint *q = &s->point[i];
        const int island_index[2] = { q->a, q->b };
        for (int k = 0; k < 2 && !zero3(q->p); k++) {
            if (island_index[k] >= 0 && s->mark[island_index[k]] == IN_ISLAND) {
                s->mark[island_index[k]] = HAS_IMPULSE;
                reached++;
            }
        }
    }
    return reached;
}

// Wakes the bodies of points with an impulse. False: stopped.
static bool wake_reached(Loop *l) {
    const Island *s = &l->island;
    for (int i = 0; i < s->point_count; i++) {
        if (!zero3(s->point[i].p) &&
            !impulse_wake_both(l, s->contact_point[i].a, s->contact_point[i].b))
            return false;
    }
    return true;
}

// Logs the impulses of points. False: stopped.
static bool log_all(const Island *s, Journal *journal, double now, int first, int end) {
    for (int i = first; i < end; i++) {
        if (!journal_certify(journal, &s->contact_point[i], s->point[i].p) ||
            !impulse_log_impact(s, journal, now, &s->contact_point[i], &s->point[i]))
            return false;
    }
    return true;
}

// Stops all points of the island at once, and those of the bodies that their impulses reach.
// False: stopped.
static bool resolve_together(Loop *l, bool rebounding) {
    Island *s = &l->island;
    for (;;) {
        if (!rebounding) {
            drop_rebounding(s);
        }
        // not solved: the impacts are left to their times
        if (!stop_at_once(s, l->flights.actor, 0, s->point_count, false)) return true;
        if (!wake_reached(l)) return false;
        if (mark_reached(s) == 0) break;
        // solve again, with the points of the bodies that were reached
        restore_velocities(s);
        if (!update_points(l)) return true;
    }
    return log_all(s, &l->journal, l->clock.now, 0, s->point_count);
}

// Stops points that are equally fast and share a body at once, without restitution: (21). Works on
// copies behind the island's points, which keep their state. False: the step is stopped.
// *deferred: there is no room or no solution, and the impacts are left to their own times.
static bool resolve_tied(Loop *l, const int *tied, int count, bool *deferred) {
    Island *s = &l->island;
    const int first = s->point_count;
    const int end = first + count;
    *deferred = end > l->settings.capacity.points;
    if (*deferred) return true;
    for (int i = 0; i < count; i++) {
        s->contact_point[first + i] = s->contact_point[tied[i]];
        s->point[first + i] = s->point[tied[i]];
        if (!impulse_wake_both(l, s->contact_point[tied[i]].a, s->contact_point[tied[i]].b))
            return false;
    }
    *deferred = !stop_at_once(s, l->flights.actor, first, end, true);
    if (*deferred) return true;
    for (int i = first; i < end; i++) {
        mark_impulse(s, s->point[i].a);
        mark_impulse(s, s->point[i].b);
    }
    return log_all(s, &l->journal, l->clock.now, first, end);
}

// --- propagation ---------------------------------------------------------------------------------

// Propagation ends at micro thresholds: some point that was hit must have one.
static bool may_propagate(const Settings *settings, const Island *s) {
    bool any = false;
    for (int i = 0; i < s->point_count; i++) {
        any = any || s->contact_point[i].micro.threshold > 0;
    }
    return any && settings->model->run.micro == IMP_MICROSTEP;
}

// impacts of a pair at one time after which (25) is not followed any more. Test:
// tests/method/impulse_mass_ratio.c
enum { MAX_ROUNDS = 1000 };

// A light body between a heavy one and a fixed one bounces between them while no time passes. If
// (26) holds, the rounds (25) of impacts end with both bodies stopped, after a multiple of the
// ratio of masses.
static bool rounds_lead_to_rest(const Island *s, const Actor *actor, const ImpactRounds *rounds,
                                double now) {
    double lightest = HUGE_VAL;
    double heaviest = 0;
    double e = 0;
    if (rounds->count < MAX_ROUNDS || rounds->time != now) return false;
    for (int i = 0; i < s->body_count; i++) {
        double mass = actor[s->member[i]].body->mass;
        lightest = min2(lightest, mass);
        heaviest = max2(heaviest, mass);
    }
    for (int i = 0; i < s->point_count; i++) {
        e = max2(e, s->contact_point[i].law->restitution);
    }
    return (1 - e) * (1 - e) * heaviest > 2 * (1 + e) * lightest;  // (26)
}

// Resolves impacts, the fastest first, until none is left that propagates now (24). False: stopped.
static bool propagate(Loop *l) {
    Island *s = &l->island;
    int tied[MAX_TIED], count;
    bool deferred = false;
    // all points within the band of the bodies that were hit
    s->point_count = 0;
    s->stamp++;
    // no room: left to their times
    if (!update_points(l)) return true;
    if (rounds_lead_to_rest(s, l->flights.actor, &l->rounds, l->clock.now))
        return resolve_together(l, true);
    for (int i = 0; (count = find_fastest(s, tied)) > 0; i += count) {
        if (i > MAX_IMPACTS * s->point_count) return resolve_together(l, false);
        bool good = share_bodies(s, tied, count) ? resolve_tied(l, tied, count, &deferred)
                                                 : resolve_each(l, tied, count);
        if (!good) return false;
        if (deferred || !update_points(l)) return true;
    }
    return true;
}

// Starts the flights of all bodies that were hit, and reschedules their pairs. False: stopped.
static bool launch_all(Loop *l) {
    Island *s = &l->island;
    int count = 0;
    for (int i = 0; i < s->body_count; i++) {
        if (s->mark[i] == IN_ISLAND) continue;
        if (!has_twist_of(&l->flights.actor[s->member[i]], &s->body[i]) ||
            s->mark[i] == HAS_IMPULSE) {
            launch(s, &l->flights, &l->journal, l->clock.now, i);
        }
        s->moved[count++] = s->member[i];
    }
    return impulse_refresh(l, s->moved, count);
}

bool impulse_propagate(Loop *l) {
    if (may_propagate(&l->settings, &l->island) && !propagate(l)) return false;
    return launch_all(l);
}

bool impulse_impact(Loop *l, const ContactPoint *t) {
    Island *s = &l->island;
    impulse_island_begin(&l->island);
    impulse_island_add(&l->island, &l->flights, t->a);
    impulse_island_add(&l->island, &l->flights, t->b);
    s->contact_point[s->point_count++] = *t;
    bool good = impulse_impact_in_island(s, &l->flights, &l->journal, l->clock.now, t) &&
                impulse_propagate(l);
    impulse_island_clear(&l->island);
    return good;
}
