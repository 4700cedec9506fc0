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
static double kinetic_energy_of(const Island *island, const Actor *actor, int island_index) {
    const MicrostepBody *body = &island->body[island_index];
    return contact_kinetic_energy_at(&actor[island->member[island_index]], body->v, body->w);
}

// Of the bodies of a point.
static double kinetic_energy(const Island *island, const Actor *actor, const MicrostepPoint *q) {
    double sum = kinetic_energy_of(island, actor, q->a);
    return q->b < 0 ? sum : sum + kinetic_energy_of(island, actor, q->b);
}

static void mark_impulse(Island *island, int island_index) {
    if (island_index >= 0 && island->mark[island_index] == IN_ISLAND) {
        island->mark[island_index] = HAS_IMPULSE;
    }
}

bool impulse_impact_in_island(Island *island, const Flights *flights, Journal *journal, double now,
                              const ContactPoint *t) {
    const Actor *actor = flights->actor;
    MicrostepPoint q = contact_microstep_point(actor, t, island->island_index[t->a],
                                               island->island_index[t->b]);
    Mat3 k = solve_point_matrix(island->body, &q);
    impImpactDef def = {
        .k = { { k.x.x, k.x.y, k.x.z }, { k.y.x, k.y.y, k.y.z }, { k.z.x, k.z.y, k.z.z } },
        .u = solve_point_velocity(island->body, &q),
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
    double before = kinetic_energy(island, actor, &q);
    solve_apply_impulse(island->body, &q, hit.p);
    double after = kinetic_energy(island, actor, &q);
    impVec3 u = solve_point_velocity(island->body, &q);
    bool sticks = u.x * u.x + u.y * u.y <= 1e-18 * dot(def.u, def.u);
    impContact record = journal_record(
        t, now,
        &(PointImpulse){
            .p = hit.p, .u_before = def.u, .u_after = u, .support_velocity = q.support_velocity });
    record.energy = after - before;
    record.mode = sticks ? IMP_STICKS : IMP_SLIDES;
    journal->found.approach = max2(journal->found.approach, -u.z - 1e-12 * norm(def.u));
    mark_impulse(island, q.a);
    mark_impulse(island, q.b);
    journal_book_impulse(journal, t, &q, record.impulse);
    journal->events++;
    journal->energy_gains += hit.gain;
    return journal_certify(journal, t, hit.p) && impulse_log(journal, &record);
}

bool impulse_log_impact(const Island *island, Journal *journal, double now, const ContactPoint *t,
                        const MicrostepPoint *q) {
    if (zero3(q->p)) return true;
    impVec3 u = solve_point_velocity(island->body, q);
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
static void launch(const Island *island, Flights *flights, Journal *journal, double now,
                   int island_index) {
    Actor *a = &flights->actor[island->member[island_index]];
    journal_launch(journal, a, island->body[island_index].v, island->body[island_index].w);
    flights->sleep_counter[a->body->free] = 0;
    journal_log_velocity_change(journal, a, now);
}

static bool has_twist_of(const Actor *a, const MicrostepBody *b) {
    return zero3(sub(a->v, b->v)) && zero3(sub(a->w, b->w));
}

// Adds the contact points of a body that was hit, and their bodies. False: no room.
static bool add_points_of(Island *island, Pairs *pairs, const World *world, Journal *journal,
                          int island_index) {
    int partners = impulse_partners(&pairs->queue, island->member[island_index]);
    int begin = island->point_count;
    island->mark[island_index] = POINTS_KNOWN;
    for (int k = 0; k < partners; k++) {
        Pair *p = &pairs->queue.pair[pairs->queue.partners[k]];
        if (p->stamp == island->stamp) continue;
        int count = impulse_island_points(island, pairs, world, journal, p);
        if (count < 0) return false;
        if (count == 0) continue;
        impulse_island_add(island, &world->flights, p->i);
        impulse_island_add(island, &world->flights, p->j);
        island->point_count += count;
    }
    island->point_count = begin +
                          contact_reduce_floor(island->contact_point + begin, island->slot + begin,
                                               island->point_count - begin, world->settings.band);
    for (int i = begin; i < island->point_count; i++) {
        const ContactPoint *t = &island->contact_point[i];
        island->point[i] = contact_microstep_point(
            world->flights.actor, t, island->island_index[t->a], island->island_index[t->b]);
    }
    return true;
}

// Starts new flights, adds points, and updates the velocities of all points. False: no room.
static bool update_points(Island *island, Pairs *pairs, World *world, Journal *journal) {
    for (int i = 0; i < island->body_count; i++) {
        if (island->mark[i] == HAS_IMPULSE) {
            launch(island, &world->flights, journal, world->clock.now, i);
        }
    }
    for (int i = 0; i < island->body_count; i++) {
        if (island->mark[i] == HAS_IMPULSE && !add_points_of(island, pairs, world, journal, i))
            return false;
    }
    for (int i = 0; i < island->point_count; i++) {
        island->contact_point[i].u = solve_point_velocity(island->body, &island->point[i]);
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
static bool is_same_impact(const Island *island, int i, int k) {
    return contact_same_pair(&island->contact_point[i], &island->contact_point[k]) &&
           impulse_is_same_normal(&island->contact_point[i], &island->contact_point[k]);
}

// points that are as fast as the fastest; if there are more, all are left to their times
enum { MAX_TIED = 64 };

// Points that are as fast as the fastest, then the slower ones of the same impacts.
typedef struct Tied {
    int count;
    int point[MAX_TIED];
} Tied;

// The impact of point i and those that count as one with it, at their centre (20).
static ContactPoint combined_impact(const Island *island, const Actor *actor, const Tied *tied,
                                    int i) {
    ContactPoint t = island->contact_point[i];
    int one[MAX_TIED];
    int one_count = 0;
    for (int k = 0; k < tied->count; k++) {
        if (is_same_impact(island, i, tied->point[k])) {
            one[one_count++] = tied->point[k];
        }
    }
    t.at = contact_impact_point(actor, island->contact_point, one, one_count);
    return t;
}

// The point belongs to the impact of one of the first `count`.
static bool is_one_of(const Island *island, int i, const Tied *tied, int count) {
    for (int k = 0; k < count; k++) {
        if (is_same_impact(island, i, tied->point[k])) return true;
    }
    return false;
}

// The fastest point that propagates; -1: there is none.
static int fastest_point(const Island *island) {
    int best = -1;
    for (int i = 0; i < island->point_count; i++) {
        if (propagates_now(&island->contact_point[i]) &&
            (best < 0 || island->contact_point[i].u.z < island->contact_point[best].u.z)) {
            best = i;
        }
    }
    return best;
}

// Finds the impacts that come next. False: there is none, or there are too many.
static bool find_fastest(const Island *island, Tied *tied) {
    const int best = fastest_point(island);
    tied->count = 0;
    if (best < 0) return false;
    for (int i = 0; i < island->point_count; i++) {
        const ContactPoint *t = &island->contact_point[i];
        if (!propagates_now(t) || !impulse_is_as_fast(t, &island->contact_point[best])) continue;
        if (tied->count == MAX_TIED) return false;
        tied->point[tied->count++] = i;
    }
    const int as_fast = tied->count;
    for (int i = 0; i < island->point_count; i++) {
        const ContactPoint *t = &island->contact_point[i];
        if (!propagates_now(t) || impulse_is_as_fast(t, &island->contact_point[best]) ||
            !is_one_of(island, i, tied, as_fast))
            continue;
        if (tied->count == MAX_TIED) return false;
        tied->point[tied->count++] = i;
    }
    return true;
}

// Some of these impacts share a body.
static bool share_bodies(const Island *island, const Tied *tied) {
    for (int i = 0; i < tied->count; i++) {
        for (int k = 0; k < i; k++) {
            const int p = tied->point[i];
            const int q = tied->point[k];
            bool one = is_same_impact(island, p, q) &&
                       impulse_is_as_fast(&island->contact_point[p], &island->contact_point[q]) &&
                       impulse_is_as_fast(&island->contact_point[q], &island->contact_point[p]);
            if (!one && share_a_body(&island->point[p], &island->point[q])) return true;
        }
    }
    return false;
}

// Resolves impacts that share no body. False: stopped.
static bool resolve_each(Island *island, Pairs *pairs, World *world, Journal *journal,
                         const Tied *tied) {
    for (int i = 0; i < tied->count; i++) {
        if (is_one_of(island, tied->point[i], tied, i)) continue;
        ContactPoint t = combined_impact(island, world->flights.actor, tied, tied->point[i]);
        if (!impulse_wake_both(world, pairs, journal, t.a, t.b) ||
            !impulse_impact_in_island(island, &world->flights, journal, world->clock.now, &t))
            return false;
    }
    return true;
}

// --- several points at once ----------------------------------------------------------------------

// Removes points of the third row of (24) from the island.
static void drop_rebounding(Island *island) {
    int kept = 0;
    for (int i = 0; i < island->point_count; i++) {
        if (rebounds(&island->contact_point[i])) continue;
        island->contact_point[kept] = island->contact_point[i];
        island->slot[kept] = island->slot[i];
        island->point[kept++] = island->point[i];
    }
    island->point_count = kept;
}

// Of all bodies, J.
static double total_kinetic_energy(const Island *island, const Actor *actor) {
    double sum = 0;
    for (int i = 0; i < island->body_count; i++) {
        sum += kinetic_energy_of(island, actor, i);
    }
    return sum;
}

// Keep the velocities of all bodies in Island.last, and take them back from there.
static void save_velocities(Island *island) {
    for (int i = 0; i < island->body_count; i++) {
        island->last[i] = island->body[i];
    }
}
static void restore_velocities(Island *island) {
    for (int i = 0; i < island->body_count; i++) {
        island->body[i] = island->last[i];
    }
}

// Sets the points `first` to `end` as the problem (21), which has no flight: c = 0. *fastest: their
// fastest approach; *least: their least micro threshold, m/s.
static void set_compression(Island *island, int first, int end, double *fastest, double *least) {
    *fastest = 0;
    *least = HUGE_VAL;
    for (int i = first; i < end; i++) {
        MicrostepPoint *q = &island->point[i];
        q->p = q->c = vec(0, 0, 0);
        q->compliance = COMPLIANCE;
        q->compliance_tangential = COMPLIANCE_ACROSS * COMPLIANCE;
        *fastest = max2(*fastest, -island->contact_point[i].u.z);
        if (island->contact_point[i].micro.threshold > 0) {
            *least = min2(*least, island->contact_point[i].micro.threshold);
        }
    }
}

// Stops the approach of points `first` to `end` by (21), without restitution; Island.last keeps the
// velocities before. A few points are solved by sweeps, to the last digit, so that symmetric ones
// stay symmetric. False: not solved, or it would create energy; velocities are restored.
static bool stop_at_once(Island *island, const Actor *actor, int first, int end, bool few) {
    double fastest, least;
    MicrostepPoint *point = island->point + first;
    const int count = end - first;
    save_velocities(island);
    set_compression(island, first, end, &fastest, &least);
    MicrostepResult r = { .painleve_point = -1 };
    island->solver.accepted_residual = HUGE_VAL;
    if (few) {
        r = solve_microstep(island->body, island->body_count, point, count,
                            SWEEP_TOLERANCE * fastest, false, NULL);
    }
    if (!r.solved && r.painleve_point < 0) {
        double tolerance = few ? 1e3 * SWEEP_TOLERANCE * fastest : APPROACH_LEFT * least;
        restore_velocities(island);
        for (int i = 0; i < count; i++) {
            point[i].p = vec(0, 0, 0);
        }
        r = solve_microstep(island->body, island->body_count, point, count, tolerance, false,
                            &island->solver);
    }
    // the impulses applied at once: the many small ones of the solver leave more rounding
    restore_velocities(island);
    if (r.painleve_point >= 0 || !r.solved) return false;
    double limit = total_kinetic_energy(island, actor) * (1 + 1e-12);
    for (int i = first; i < end; i++) {
        const MicrostepPoint *q = &island->point[i];
        solve_apply_impulse(island->body, q, q->p);
        limit += dot(contact_world(&island->contact_point[i], q->p), q->support_velocity);
    }
    if (total_kinetic_energy(island, actor) <= limit) return true;
    restore_velocities(island);
    return false;
}

// Marks the bodies of points with an impulse. Returns how many were not marked before.
static int mark_reached(Island *island) {
    int reached = 0;
    for (int i = 0; i < island->point_count; i++) {
        const MicrostepPoint *q = &island->point[i];
        const int island_index[2] = { q->a, q->b };
        for (int k = 0; k < 2 && !zero3(q->p); k++) {
            if (island_index[k] >= 0 && island->mark[island_index[k]] == IN_ISLAND) {
                island->mark[island_index[k]] = HAS_IMPULSE;
                reached++;
            }
        }
    }
    return reached;
}

// Wakes the bodies of points with an impulse. False: stopped.
static bool wake_reached(const Island *island, Pairs *pairs, World *world, Journal *journal) {
    for (int i = 0; i < island->point_count; i++) {
        if (!zero3(island->point[i].p) &&
            !impulse_wake_both(world, pairs, journal, island->contact_point[i].a,
                               island->contact_point[i].b))
            return false;
    }
    return true;
}

// Logs the impulses of points. False: stopped.
static bool log_all(const Island *island, Journal *journal, double now, int first, int end) {
    for (int i = first; i < end; i++) {
        if (!journal_certify(journal, &island->contact_point[i], island->point[i].p) ||
            !impulse_log_impact(island, journal, now, &island->contact_point[i], &island->point[i]))
            return false;
    }
    return true;
}

// Stops all points of the island at once, and those of the bodies that their impulses reach.
// False: stopped.
static bool resolve_together(Island *island, Pairs *pairs, World *world, Journal *journal,
                             bool rebounding) {
    for (;;) {
        if (!rebounding) {
            drop_rebounding(island);
        }
        // not solved: the impacts are left to their times
        if (!stop_at_once(island, world->flights.actor, 0, island->point_count, false)) return true;
        if (!wake_reached(island, pairs, world, journal)) return false;
        if (mark_reached(island) == 0) break;
        // solve again, with the points of the bodies that were reached
        restore_velocities(island);
        if (!update_points(island, pairs, world, journal)) return true;
    }
    return log_all(island, journal, world->clock.now, 0, island->point_count);
}

// Stops points that are equally fast and share a body at once, without restitution: (21). Works on
// copies behind the island's points, which keep their state. False: the step is stopped. No room or
// no solution: tied->count is 0, and the impacts are left to their own times.
static bool resolve_tied(Island *island, Pairs *pairs, World *world, Journal *journal, Tied *tied) {
    const int first = island->point_count;
    const int end = first + tied->count;
    const bool has_room = end <= world->settings.capacity.points;
    for (int i = 0; has_room && i < tied->count; i++) {
        const ContactPoint *t = &island->contact_point[tied->point[i]];
        island->contact_point[first + i] = *t;
        island->point[first + i] = island->point[tied->point[i]];
        if (!impulse_wake_both(world, pairs, journal, t->a, t->b)) return false;
    }
    if (!has_room || !stop_at_once(island, world->flights.actor, first, end, true)) {
        tied->count = 0;
        return true;
    }
    for (int i = first; i < end; i++) {
        mark_impulse(island, island->point[i].a);
        mark_impulse(island, island->point[i].b);
    }
    return log_all(island, journal, world->clock.now, first, end);
}

// --- propagation ---------------------------------------------------------------------------------

// Propagation ends at micro thresholds: some point that was hit must have one.
static bool may_propagate(const Settings *settings, const Island *island) {
    bool any = false;
    for (int i = 0; i < island->point_count; i++) {
        any = any || island->contact_point[i].micro.threshold > 0;
    }
    return any && settings->model->run.micro == IMP_MICROSTEP;
}

// impacts of a pair at one time after which (25) is not followed any more. Test:
// tests/method/impulse_mass_ratio.c
enum { MAX_ROUNDS = 1000 };

// A light body between a heavy one and a fixed one bounces between them while no time passes. If
// (26) holds, the rounds (25) of impacts end with both bodies stopped, after a multiple of the
// ratio of masses.
static bool rounds_lead_to_rest(const Island *island, const Actor *actor,
                                const ImpactRounds *rounds, double now) {
    double lightest = HUGE_VAL;
    double heaviest = 0;
    double e = 0;
    if (rounds->count < MAX_ROUNDS || rounds->time != now) return false;
    for (int i = 0; i < island->body_count; i++) {
        double mass = actor[island->member[i]].body->mass;
        lightest = min2(lightest, mass);
        heaviest = max2(heaviest, mass);
    }
    for (int i = 0; i < island->point_count; i++) {
        e = max2(e, island->contact_point[i].law->restitution);
    }
    return (1 - e) * (1 - e) * heaviest > 2 * (1 + e) * lightest;  // (26)
}

// Resolves impacts, the fastest first, until none is left that propagates now (24). False: stopped.
static bool propagate(Island *island, Pairs *pairs, World *world, Journal *journal) {
    Tied tied;
    // all points within the band of the bodies that were hit
    island->point_count = 0;
    island->stamp++;
    // no room: left to their times
    if (!update_points(island, pairs, world, journal)) return true;
    if (rounds_lead_to_rest(island, world->flights.actor, &pairs->rounds, world->clock.now))
        return resolve_together(island, pairs, world, journal, true);
    for (int done = 0; find_fastest(island, &tied); done += tied.count) {
        if (done > MAX_IMPACTS * island->point_count)
            return resolve_together(island, pairs, world, journal, false);
        bool good = share_bodies(island, &tied)
                        ? resolve_tied(island, pairs, world, journal, &tied)
                        : resolve_each(island, pairs, world, journal, &tied);
        if (!good) return false;
        if (tied.count == 0 || !update_points(island, pairs, world, journal)) return true;
    }
    return true;
}

// Starts the flights of all bodies that were hit, and reschedules their pairs. False: stopped.
static bool launch_all(Island *island, Pairs *pairs, World *world, Journal *journal) {
    int count = 0;
    for (int i = 0; i < island->body_count; i++) {
        if (island->mark[i] == IN_ISLAND) continue;
        if (!has_twist_of(&world->flights.actor[island->member[i]], &island->body[i]) ||
            island->mark[i] == HAS_IMPULSE) {
            launch(island, &world->flights, journal, world->clock.now, i);
        }
        island->moved[count++] = island->member[i];
    }
    return impulse_refresh(pairs, world, journal, island->moved, count);
}

bool impulse_propagate(Island *island, Pairs *pairs, World *world, Journal *journal) {
    if (may_propagate(&world->settings, island) && !propagate(island, pairs, world, journal))
        return false;
    return launch_all(island, pairs, world, journal);
}

bool impulse_impact(Loop *loop, const ContactPoint *t) {
    Island *island = &loop->island;
    World *world = &loop->world;
    Journal *journal = &loop->journal;
    impulse_island_begin(island);
    impulse_island_add(island, &world->flights, t->a);
    impulse_island_add(island, &world->flights, t->b);
    island->contact_point[island->point_count++] = *t;
    bool good = impulse_impact_in_island(island, &world->flights, journal, world->clock.now, t) &&
                impulse_propagate(island, &loop->pairs, world, journal);
    impulse_island_clear(island);
    return good;
}
