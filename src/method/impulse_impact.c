// impulse_impact.c -- an impact of one contact point, and its propagation to bodies in contact.
//
// docs/theory/frictional-impact.md, sections 9, 11 and 12. One point collides at a time, with
// Coulomb's law at every instant (src/solve/impact.c; Mirtich & Canny 1994). Its impulse makes
// other points of the two bodies approach. Among the contact points within the band of the bodies
// hit so far, those that approach faster than their micro threshold and would not rebound faster
// than it are resolved at once, the fastest first (24). The rest is left to the next micro-step,
// rebounding impacts to their own times. Points that are equally fast and share bodies are stopped
// together.
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
//
// Kinetic energy of the bodies of a point, J.
static double kinetic_energy(const Loop *l, const MicrostepPoint *q) {
    const Island *s = &l->island;
    double sum = contact_kinetic_energy_at(&l->flights.actor[s->member[q->a]], s->body[q->a].v,
                                           s->body[q->a].w);
    return q->b < 0 ? sum
                    : sum + contact_kinetic_energy_at(&l->flights.actor[s->member[q->b]],
                                                      s->body[q->b].v, s->body[q->b].w);
}

static void mark_impulse(Island *s, int island_index) {
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
    double before = kinetic_energy(l, &q);
    solve_apply_impulse(s->body, &q, hit.p);
    double after = kinetic_energy(l, &q);
    impVec3 u = solve_point_velocity(s->body, &q);
    bool sticks = u.x * u.x + u.y * u.y <= 1e-18 * dot(def.u, def.u);
    impContact record = journal_record(
        t, l->clock.now,
        &(PointImpulse){
            .p = hit.p, .u_before = def.u, .u_after = u, .support_velocity = q.support_velocity });
    record.energy = after - before;
    record.mode = sticks ? IMP_STICKS : IMP_SLIDES;
    l->journal.found.approach = max2(l->journal.found.approach, -u.z - 1e-12 * norm(def.u));
    mark_impulse(s, q.a);
    mark_impulse(s, q.b);
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

// --- points of the bodies that were hit ----------------------------------------------------------
//
// Starts a new flight with the velocities in the island: places and micro thresholds of contact
// points depend on them.
static void launch(Loop *l, int island_index) {
    Island *s = &l->island;
    Actor *a = &l->flights.actor[s->member[island_index]];
    journal_launch(&l->journal, a, s->body[island_index].v, s->body[island_index].w);
    l->flights.sleep_counter[a->body->free] = 0;
    journal_log_velocity_change(&l->journal, a, l->clock.now);
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
            launch(l, i);
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
//
// Third row of (24): the impact is left to its own time.
static bool rebounds(const ContactPoint *t) {
    return -t->u.z * t->law->restitution >= t->micro.threshold;
}
// Second row of (24).
static bool is_propagated(const ContactPoint *t) {
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
static ContactPoint combined_impact(const Loop *l, const int *tied, int count, int i) {
    const Island *s = &l->island;
    ContactPoint t = s->contact_point[i];
    int one[MAX_TIED];
    int one_count = 0;
    for (int k = 0; k < count; k++) {
        if (is_same_impact(s, i, tied[k])) {
            one[one_count++] = tied[k];
        }
    }
    t.at = contact_impact_point(l->flights.actor, s->contact_point, one, one_count);
    return t;
}

static bool is_one_of(const Island *s, int i, const int *tied, int count) {
    for (int k = 0; k < count; k++) {
        if (is_same_impact(s, i, tied[k])) return true;
    }
    return false;
}

// The points that are as fast as the fastest, then the slower ones of the same impacts. 0: there
// is none, or too many.
static int find_fastest(const Island *s, int tied[MAX_TIED]) {
    int best = -1;
    int count = 0;
    int first = 0;
    for (int i = 0; i < s->point_count; i++) {
        if (is_propagated(&s->contact_point[i]) &&
            (best < 0 || s->contact_point[i].u.z < s->contact_point[best].u.z)) {
            best = i;
        }
    }
    for (int slower = 0; best >= 0 && slower < 2; first = count, slower++) {
        for (int i = 0; i < s->point_count; i++) {
            bool as_fast = impulse_is_as_fast(&s->contact_point[i], &s->contact_point[best]);
            if (!is_propagated(&s->contact_point[i]) ||
                (slower ? as_fast || !is_one_of(s, i, tied, first) : !as_fast))
                continue;
            if (count == MAX_TIED) return 0;
            tied[count++] = i;
        }
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
    const Island *s = &l->island;
    for (int i = 0; i < count; i++) {
        bool done = false;
        for (int k = 0; k < i && !done; k++) {
            done = is_same_impact(s, tied[i], tied[k]);
        }
        if (done) continue;
        ContactPoint t = combined_impact(l, tied, count, tied[i]);
        if (!impulse_wake_both(l, t.a, t.b) || !impulse_impact_in_island(l, &t)) return false;
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

static double total_kinetic_energy(const Loop *l, const MicrostepBody *bodies) {
    const Island *s = &l->island;
    double sum = 0;
    for (int i = 0; i < s->body_count; i++) {
        sum += contact_kinetic_energy_at(&l->flights.actor[s->member[i]], bodies[i].v, bodies[i].w);
    }
    return sum;
}

// Restores velocities and sets impulses to 0.
static void reset_impulses(Island *s, int first, int end) {
    for (int i = 0; i < s->body_count; i++) {
        s->body[i] = s->last[i];
    }
    for (int i = first; i < end; i++) {
        s->point[i].p = vec(0, 0, 0);
    }
}

// Stops the approach of points `first` to `end` by (21), without restitution; s->last keeps the
// velocities before. A few points are solved by sweeps, to the last digit, so that symmetric ones
// stay symmetric. False: not solved, or it would create energy; velocities are restored.
static bool stop_at_once(Loop *l, int first, int end, bool few) {
    Island *s = &l->island;
    double least = HUGE_VAL;
    double fastest = 0;
    for (int i = 0; i < s->body_count; i++) {
        s->last[i] = s->body[i];
    }
    for (int i = first; i < end; i++) {
        MicrostepPoint *q = &s->point[i];
        q->p = q->c = vec(0, 0, 0);
        q->compliance = COMPLIANCE;
        q->compliance_tangential = COMPLIANCE_ACROSS * COMPLIANCE;
        fastest = max2(fastest, -s->contact_point[i].u.z);
        if (s->contact_point[i].micro.threshold > 0) {
            least = min2(least, s->contact_point[i].micro.threshold);
        }
    }
    MicrostepResult r = { .painleve_point = -1 };
    s->solver.accepted_residual = HUGE_VAL;
    if (few) {
        r = solve_microstep(s->body, s->body_count, s->point + first, end - first,
                            SWEEP_TOLERANCE * fastest, false, NULL);
    }
    if (!r.solved && r.painleve_point < 0) {
        reset_impulses(s, first, end);
        r = solve_microstep(s->body, s->body_count, s->point + first, end - first,
                            few ? 1e3 * SWEEP_TOLERANCE * fastest : APPROACH_LEFT * least, false,
                            &s->solver);
    }
    // the impulses applied at once: the many small ones of the solver leave more rounding
    for (int i = 0; i < s->body_count; i++) {
        s->body[i] = s->last[i];
    }
    if (r.painleve_point >= 0 || !r.solved) return false;
    double limit = total_kinetic_energy(l, s->last) * (1 + 1e-12);
    for (int i = first; i < end; i++) {
        const MicrostepPoint *q = &s->point[i];
        solve_apply_impulse(s->body, q, q->p);
        limit += dot(contact_world(&s->contact_point[i], q->p), q->support_velocity);
    }
    if (total_kinetic_energy(l, s->body) <= limit) return true;
    for (int i = 0; i < s->body_count; i++) {
        s->body[i] = s->last[i];
    }
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
static bool log_all(Loop *l, int first, int end) {
    Island *s = &l->island;
    for (int i = first; i < end; i++) {
        if (!journal_certify(&l->journal, &s->contact_point[i], s->point[i].p) ||
            !impulse_log_impact(l, &s->contact_point[i], &s->point[i]))
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
        if (!stop_at_once(l, 0, s->point_count, false)) return true;
        if (!wake_reached(l)) return false;
        if (mark_reached(s) == 0) break;
        // solve again, with the points of the bodies that were reached
        for (int i = 0; i < s->body_count; i++) {
            s->body[i] = s->last[i];
        }
        if (!update_points(l)) return true;
    }
    return log_all(l, 0, s->point_count);
}

// Stops points that are as fast as the fastest and share bodies; copies of them stand behind the
// island's points. False: stopped. *later: not solved, they are left to their times.
static bool resolve_tied(Loop *l, const int *tied, int count, bool *later) {
    Island *s = &l->island;
    int first = s->point_count;
    int end = first + count;
    *later = end > l->settings.capacity.points;
    for (int i = 0; i < count && !*later; i++) {
        s->contact_point[first + i] = s->contact_point[tied[i]];
        s->point[first + i] = s->point[tied[i]];
        if (!impulse_wake_both(l, s->contact_point[tied[i]].a, s->contact_point[tied[i]].b))
            return false;
    }
    if (*later || !stop_at_once(l, first, end, true)) return *later = true;
    for (int i = first; i < end; i++) {
        mark_impulse(s, s->point[i].a);
        mark_impulse(s, s->point[i].b);
    }
    return log_all(l, first, end);
}

// --- propagation ---------------------------------------------------------------------------------
//
// Propagation ends at micro thresholds: some struck point must have one.
static bool may_propagate(const Loop *l) {
    const Island *s = &l->island;
    bool any = false;
    for (int i = 0; i < s->point_count; i++) {
        any = any || s->contact_point[i].micro.threshold > 0;
    }
    return any && l->settings.model->run.micro == IMP_MICROSTEP;
}

// impacts of a pair at one time after which (25) is not followed any more. Test:
// tests/method/impulse_mass_ratio.c
enum { MAX_ROUNDS = 1000 };
// A light body between a heavy one and a fixed one bounces between them while no time passes. If
// (26) holds, the rounds (25) of impacts end with both bodies stopped, after a multiple of the
// ratio of masses.
static bool rounds_lead_to_rest(const Loop *l) {
    const Island *s = &l->island;
    double lightest = HUGE_VAL;
    double heaviest = 0;
    double e = 0;
    if (l->rounds.count < MAX_ROUNDS || l->rounds.time != l->clock.now) return false;
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

// Resolves impacts until none is left that propagates. False: stopped.
static bool propagate(Loop *l) {
    Island *s = &l->island;
    int tied[MAX_TIED], count;
    bool later = false;
    // all points within the band of the bodies that were hit
    s->point_count = 0;
    s->stamp++;
    // no room: left to their times
    if (!update_points(l)) return true;
    if (rounds_lead_to_rest(l)) return resolve_together(l, true);
    for (int i = 0; (count = find_fastest(s, tied)) > 0; i += count) {
        if (i > MAX_IMPACTS * s->point_count) return resolve_together(l, false);
        bool share = share_bodies(s, tied, count);
        if (share ? !resolve_tied(l, tied, count, &later) : !resolve_each(l, tied, count))
            return false;
        if (later || !update_points(l)) return true;
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
            launch(l, i);
        }
        s->moved[count++] = s->member[i];
    }
    return impulse_refresh(l, s->moved, count);
}

bool impulse_propagate(Loop *l) { return (!may_propagate(l) || propagate(l)) && launch_all(l); }

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
