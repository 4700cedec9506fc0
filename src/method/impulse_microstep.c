// impulse_microstep.c -- a micro-step: the impulses of one island such that the mean velocities
// over the coming flight obey the contact laws, with that flight.
//
// docs/theory/microcollisions.md, section 3. All bodies that contact points within the band join
// have one duration T (12) and one contact problem (6), (7) (src/solve/microstep.c). What the
// flight adds to the velocity of a point depends on the velocities after the impulses, so the
// problem is solved in passes until these change no more. Friction in time is in
// impulse_friction.c, contacts above and bodies without clearance follow section 9.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

#include <string.h>

// Tolerances.
// 1, of T_c: first flight of a new contact (12). Test: tests/method/impulse_rolling.c
#define FIRST_DURATION 0.25
// 1, of f T / 2: least departure of a point that accelerates away from its support (11). Test:
// tests/method/impulse.c
#define LEAST_DEPARTURE 0.1
// 1: sigma_n of (18), docs/theory/contact-solver.md, in an island of one body. The body rests 2e-6
// of the band lower. Test: tests/solve/microstep.c
#define COMPLIANCE_OF_ONE 1e-6
// 1: sigma_t of (18) in an island of one body. Test: tests/solve/microstep.c
#define COMPLIANCE_ACROSS 1e-7
// 1: both in an island of several bodies. Test: tests/solve/microstep.c
#define COMPLIANCE_OF_MANY 1e-5
// 1, of g_n: largest f of (11), and so the shortest T of a point that rolls. Test:
// tests/method/impulse_rolling.c
#define MAX_FALL 1024
// 1, of a point's own T_c: in a shorter flight a positive gap is not closed. Test:
// tests/method/impulse_sleep.c
#define SHORTENED 0.1
// 1, of g T: change of the velocities between two passes that ends them. Test:
// tests/method/impulse_rolling.c
#define PASS_TOLERANCE 1e-6
// 1, of g T: the same for a single point and for points that roll, which turn for long. Test:
// tests/method/impulse_rolling.c
#define PASS_TOLERANCE_FINE 1e-9
// 1, of the change between passes: tolerance of the solver in the last pass. Test:
// tests/method/impulse_sleep.c
#define SOLVER_SHARE 0.1
// 1, of the same: the finest tolerance of the solver. Coarser ones leave asymmetries in symmetric
// scenes. Test: tests/method/impulse_symmetry.c
#define SOLVER_SHARE_LEAST 1e-3
// 1, of g T: the solver is asked for nothing finer. Test: tests/method/impulse_scales.c
#define SOLVER_ROUNDING 1e-11
// 1, of T: in a slot (section 9). Test: tests/method/impulse_slot.c
#define SHORTENING 0.25
// 1, of g T: change of the velocity of a point by its impulse that shows that a body between two
// walls lacks clearance. Test: tests/method/impulse_slot.c
#define MAX_STRESS 100
enum {
    // passes of a micro-step
    MAX_PASSES = 12,
    // of these, as fine as PASS_TOLERANCE_FINE
    FINE_PASSES = 4,
    // passes in which friction may start a trial, so that five are left for what follows
    TRIAL_PASSES = MAX_PASSES - 5,
    // of the first duration of rolling points
    MAX_HALVINGS = 8,
    // of T in a slot; more while a due point still approaches
    MAX_SHORTENINGS = 2,
    MAX_SHORTENINGS_APPROACH = 6
};

// --- problem -------------------------------------------------------------------------------------
static double full_duration(const Island *s) {
    double T = HUGE_VAL;
    for (int i = 0; i < s->point_count; i++) {
        T = min2(T, s->contact_point[i].micro.duration);
    }
    return T;
}

static double largest_g_n(const Island *s) {
    double g = 0;
    for (int i = 0; i < s->point_count; i++) {
        g = max2(g, s->contact_point[i].micro.g_n);
    }
    return g;
}

static void set_points(Loop *l) {
    Island *s = &l->island;
    double compliance = s->body_count > 1 ? COMPLIANCE_OF_MANY : COMPLIANCE_OF_ONE;
    double across = s->body_count > 1 ? COMPLIANCE_OF_MANY : COMPLIANCE_ACROSS;
    for (int i = 0; i < s->point_count; i++) {
        const ContactPoint *t = &s->contact_point[i];
        s->point[i] = contact_microstep_point(l->flights.actor, t, s->island_index[t->a],
                                              s->island_index[t->b]);
        if (s->point_count > 1) {
            s->point[i].compliance = compliance;
            s->point[i].compliance_tangential = across;
        }
        s->contact_point[i].friction.kind = SLIP_NONE;
    }
    impulse_friction_groups(l);
}

// A contact above a body that is alone in its island: its normal is along the pull (section 9).
static bool is_contact_above(const Loop *l, const ContactPoint *t, double g) {
    return l->island.body_count == 1 &&
           dot(t->n, l->flights.actor[t->a].acceleration) > LEAST_DEPARTURE * g;
}

// (24): the fastest approach to a contact above that the body falls back from within T without
// touching it. left: m, gap less level. fall: m/s^2, with which the body falls back.
static double approach_to_contact_above(double left, double fall, double T) {
    double bounding_radius = sqrt(2 * fall * left);
    return bounding_radius <= fall * T ? bounding_radius : left / T + 0.5 * fall * T;
}

// Sets q->c of all points from the velocities in body[], by (9) to (11) and (24), and their
// duration over T. The fall of a rolling point is evaluated over the whole flight, which is the
// same backwards in time; extrapolated from the start it would change the energy of bodies that
// roll. Where other points shorten the flight, a positive gap at the level is rounding and is not
// closed.
static void set_predicted_changes(Loop *l, double T, double near) {
    Island *s = &l->island;
    double g = largest_g_n(s);
    // of the last prescribed body
    PredictedMotion kinematic = { 0 };
    int kinematic_body = -1;
    for (int i = 0; i < s->body_count; i++) {
        s->predicted[i] = contact_predict_motion(l->settings.model, &l->flights.actor[s->member[i]],
                                                 &s->body[i], T);
    }
    for (int i = 0; i < s->point_count; i++) {
        ContactPoint *t = &s->contact_point[i];
        MicrostepPoint *q = &s->point[i];
        const MicrostepBody *b = q->b < 0 ? NULL : &s->body[q->b];
        double fall;
        if (!b && kinematic_body != t->b) {
            kinematic = contact_predict_motion(l->settings.model, &l->flights.actor[t->b], NULL, T);
            kinematic_body = t->b;
        }
        const PredictedMotion *other = b ? &s->predicted[q->b] : &kinematic;
        impVec3 c = contact_predicted_change(&l->flights.actor[t->a], &l->flights.actor[t->b],
                                             &s->body[q->a], b, &s->predicted[q->a], other, t, T,
                                             &fall);
        t->friction.fall_after = -c.z;
        // duration of a point that rolls: shorter by g_n / f
        fall = t->motion.kind >= ROLLS_ON_A ? max2(t->micro.g_n, fall) : t->micro.g_n;
        if (t->micro.g_n > 0) {
            t->micro.duration = min2(sqrt(2 * l->settings.band * t->micro.g_n) /
                                         min2(fall, MAX_FALL * t->micro.g_n),
                                     t->micro.longest);
        }
        // departure (11), or approach to a contact above (24)
        bool there = t->gap <= near && T < SHORTENED * sqrt(2 * l->settings.band / t->micro.g_n);
        double left = there ? min2(t->gap - l->settings.level, 0) : t->gap - l->settings.level;
        t->contact_above = t->gap > near && is_contact_above(l, t, g) &&
                           c.z > LEAST_DEPARTURE * 0.5 * g * T;
        if (t->contact_above) {
            c.z = approach_to_contact_above(left, 2 * c.z / T, T);
        } else {
            c.z = max2(left / T, -t->micro.threshold) -
                  min2(max2(-c.z, LEAST_DEPARTURE * 0.5 * fall * T), t->micro.threshold);
        }
        q->c = impulse_friction_continues(t) ? add(c, t->friction.slip_before) : c;
    }
}

// Largest change of a velocity since the last pass, m/s.
static double change_of_pass(const Loop *l) {
    const Island *s = &l->island;
    double greatest = 0;
    for (int i = 0; i < s->body_count; i++) {
        double bounding_radius = l->flights.actor[s->member[i]].body->bounding_radius;
        greatest = max2(greatest, largest(sub(s->body[i].v, s->last[i].v)));
        greatest = max2(greatest, bounding_radius * largest(sub(s->body[i].w, s->last[i].w)));
    }
    return greatest;
}

static bool rolls(const Island *s) {
    for (int i = 0; i < s->point_count; i++) {
        if (s->contact_point[i].motion.kind >= ROLLS_ON_A) return true;
    }
    return false;
}

// (12)
static double duration(const Island *s, double age) {
    double full = full_duration(s);
    return min2(s->longest, min2(full, max2(FIRST_DURATION * full, 2 * age)));
}

// The duration that the points ask for, with their time scales over T. It may only fall if these
// change much with T, as for a coin that falls flat: it would oscillate else.
static double adjusted_duration(const Island *s, double age, double T) {
    double asked = duration(s, age);
    if (asked < T) return max2(asked, 0.5 * T);
    return asked < 1.1 * T ? asked : T;
}

// First duration of an island with rolling points, whose time scales depend on it.
static double first_duration(Loop *l, double age, double near) {
    const Island *s = &l->island;
    double T = duration(s, age);
    double last = 2 * T;
    for (int i = 0; i < MAX_HALVINGS && T < last; i++) {
        set_predicted_changes(l, T, near);
        last = T;
        T = adjusted_duration(s, age, T);
    }
    return T;
}

// Starts from the contact forces of the last micro-step. False: none is known.
static bool start_warm(Loop *l, double T) {
    Island *s = &l->island;
    if (impulse_warm_start(l, T) == 0) return false;
    for (int i = 0; i < s->point_count; i++) {
        solve_apply_impulse(s->body, &s->point[i], s->point[i].p);
    }
    return true;
}

// Solves the passes of a micro-step for a duration of at most s->longest. *length: its duration.
static MicrostepResult solve(Loop *l, double age, double near, double *length) {
    Island *s = &l->island;
    double g = largest_g_n(s);
    MicrostepResult r = { .painleve_point = -1 };
    // start of the first pass
    for (int i = 0; i < s->body_count; i++) {
        s->body[i] = s->before[i];
    }
    bool warm = s->body_count >= IMPULSE_MANY && !rolls(s) && start_warm(l, duration(s, age));
    // 1, of g T: change in the last pass
    double change = 1;
    double enough = s->point_count > 1 && !rolls(s) ? PASS_TOLERANCE : PASS_TOLERANCE_FINE;
    double T = rolls(s) ? first_duration(l, age, near) : duration(s, age);
    impulse_friction_static(l, age, g * T);
    for (int pass = 0; pass < MAX_PASSES && r.painleve_point < 0; pass++) {
        for (int i = 0; i < s->body_count; i++) {
            s->last[i] = s->body[i];
        }
        // state before the pass
        for (int i = 0; i < s->point_count; i++) {
            s->contact_point[i].friction.p_before = s->point[i].p;
        }
        // problem of the pass
        if (pass > 0) {
            impulse_friction_directions(l, age, g * T, pass < TRIAL_PASSES);
        }
        set_predicted_changes(l, T, near);
        double next = adjusted_duration(s, age, T);
        for (int i = 0; i < s->body_count; i++) {
            s->body[i] = s->before[i];
        }
        if (pass == 0 && !warm) {
            solve_microstep_guess(s->body, s->body_count, s->point, s->point_count);
        }
        // a pass is solved no finer than the passes differ
        double part = max2(max2(SOLVER_SHARE_LEAST * enough, SOLVER_ROUNDING),
                           min2(1e-4, 1e-3 * change));
        s->solver.accepted_residual = SOLVER_SHARE * PASS_TOLERANCE * g * T;
        r = solve_microstep(s->body, s->body_count, s->point, s->point_count, part * g * T,
                            pass > 0, &s->solver);
        *length = T;
        change = change_of_pass(l) / (g * T);
        double end = pass < FINE_PASSES ? enough : PASS_TOLERANCE;
        // a small change says little if the solver's tolerance is coarse
        bool is_fine = s->point_count == 1 || part <= SOLVER_SHARE * end;
        bool ends = (is_fine && change <= end) ||
                    (pass > 0 && (!r.solved || (r.stagnated && change <= PASS_TOLERANCE)));
        // before that a slip may be an error of the passes
        bool is_settled = ends || max2(part, change) <= SOLVER_SHARE * IMPULSE_SLIPS;
        // a given friction may be the cause of the inconsistency
        if (r.painleve_point >= 0 && impulse_friction_reverse_none(l)) {
            r.painleve_point = -1;
            ends = false;
        }
        // friction that changes needs another pass
        bool reverses = r.painleve_point < 0 &&
                        impulse_friction_reverse(l, T, g * T, r.solved, pass < TRIAL_PASSES);
        bool slip = r.painleve_point < 0 && is_settled &&
                    impulse_friction_release(l, T, g * T, pass < TRIAL_PASSES);
        bool catches = r.painleve_point < 0 && is_settled && impulse_friction_catch(l, age, g * T);
        // an attempt that failed: back to the beginning of the pass
        for (int i = 0; i < s->body_count && s->friction.undone; i++) {
            s->body[i] = s->last[i];
        }
        for (int i = 0; i < s->point_count && s->friction.undone; i++) {
            s->point[i].p = s->contact_point[i].friction.p_before;
        }
        s->friction.undone = false;
        if (slip || catches || reverses) {
            change = 1;
        } else if (ends)
            break;
        T = next;
    }
    return r;
}

// Painleve inconsistency: no sliding direction has a non-negative normal impulse. Resolves the
// point that approaches fastest as an impact without restitution, with the velocity u + c
// (docs/theory/contact-solver.md, section 8). False: stopped.
static bool resolve_inconsistency(Loop *l) {
    Island *s = &l->island;
    int fastest = 0;
    for (int i = 0; i < s->body_count; i++) {
        s->body[i] = s->before[i];
    }
    for (int i = 0; i < s->point_count; i++) {
        s->point[i].p = vec(0, 0, 0);
        s->point[i].mode = CONTACT_OPEN;
        if (s->contact_point[i].u.z + s->point[i].c.z <
            s->contact_point[fastest].u.z + s->point[fastest].c.z) {
            fastest = i;
        }
    }
    MicrostepPoint *q = &s->point[fastest];
    impVec3 predicted = impulse_friction_continues(&s->contact_point[fastest])
                            ? sub(q->c, s->contact_point[fastest].friction.slip_before)
                            : q->c;
    impImpactDef def = { .k = { { q->k.x.x, q->k.x.y, q->k.x.z },
                                { q->k.y.x, q->k.y.y, q->k.y.z },
                                { q->k.z.x, q->k.z.y, q->k.z.z } },
                         .u = add(s->contact_point[fastest].u, predicted),
                         .friction_static = q->friction,
                         .friction_dynamic = q->friction };
    impImpact hit;
    if (solve_impact(&def, &hit, NULL) != IMP_SOLVED)
        return journal_stop(
            &l->journal, IMP_STALLED,
            "the Painleve inconsistency of bodies '%s' and '%s' could not be resolved",
            l->settings.model->body[s->contact_point[fastest].a].name,
            l->settings.model->body[s->contact_point[fastest].b].name);
    q->p = hit.p;
    q->mode = CONTACT_SLIDE;
    solve_apply_impulse(s->body, q, q->p);
    return true;
}

// True if there is no impulse at all and a point at the level approaches: it would be due again at
// the same time for ever.
static bool leaves_approach(const Loop *l, double near) {
    const Island *s = &l->island;
    bool due = false;
    for (int i = 0; i < s->point_count; i++) {
        if (!zero3(s->point[i].p)) return false;
        due = due || (s->contact_point[i].gap <= near &&
                      s->contact_point[i].u.z < -s->contact_point[i].u_rounding);
    }
    return due;
}

// True if a point at the level approaches after the impulses: it is due again at the same time.
static bool approaches_again(const Loop *l, double near) {
    const Island *s = &l->island;
    for (int i = 0; i < s->point_count; i++) {
        if (s->contact_point[i].gap <= near &&
            solve_point_velocity(s->body, &s->point[i]).z < -s->contact_point[i].u_rounding)
            return true;
    }
    return false;
}

// A support carries the body against the pull.
static bool is_supported(const Loop *l, double g) {
    const Island *s = &l->island;
    for (int i = 0; i < s->point_count; i++) {
        if (dot(s->contact_point[i].n, l->flights.actor[s->contact_point[i].a].acceleration) <
            -LEAST_DEPARTURE * g)
            return true;
    }
    return false;
}

// True if a flight of duration T needs more clearance than the body has (section 9): a contact
// above carries an impulse; an impulse on a body that nothing supports is too large; or a due
// point still approaches. Only of a body alone in its island: in a heap other bodies may press on
// it.
static bool lacks_clearance(const Loop *l, double near, double T) {
    const Island *s = &l->island;
    if (s->body_count > 1) return false;
    double g = largest_g_n(s);
    double greatest = is_supported(l, g) ? HUGE_VAL : MAX_STRESS * g * T;
    for (int i = 0; i < s->point_count; i++) {
        const MicrostepPoint *q = &s->point[i];
        if ((s->contact_point[i].contact_above && q->p.z > 0) || q->p.z * q->k.z.z > greatest)
            return true;
    }
    return approaches_again(l, near);
}

// Solves with a duration of at most `longest`.
static MicrostepResult solve_within(Loop *l, double age, double near, double longest,
                                    double *length) {
    l->island.longest = longest;
    set_points(l);
    return solve(l, age, near, length);
}

// Solves, and again with shorter durations if the body lacks clearance.
static MicrostepResult solve_with_clearance(Loop *l, double age, double near, double *length) {
    MicrostepResult r = solve_within(l, age, near, HUGE_VAL, length);
    if (r.painleve_point >= 0 || !lacks_clearance(l, near, *length)) return r;
    bool approach = approaches_again(l, near);
    for (int i = 1; i <= (approach ? MAX_SHORTENINGS_APPROACH : MAX_SHORTENINGS); i++) {
        r = solve_within(l, age, near, SHORTENING * *length, length);
        if (r.painleve_point >= 0) continue;
        if (!lacks_clearance(l, near, *length) ||
            (i >= MAX_SHORTENINGS && approach && !approaches_again(l, near)))
            return r;
    }
    // a shorter duration does not help: the full one
    return solve_within(l, age, near, HUGE_VAL, length);
}

// --- certificate and journal ---------------------------------------------------------------------
//
// Friction acts against the slip of the problem: keeps the worst lack of friction work.
static void certify_slip(Loop *l, const MicrostepPoint *q, impVec3 u) {
    impVec3 mean = add(u, q->c);
    double across = sqrt(q->p.x * q->p.x + q->p.y * q->p.y);
    double slip = sqrt(mean.x * mean.x + mean.y * mean.y);
    if (q->mode == CONTACT_SLIDE && !q->friction_is_given) {
        l->journal.found.slip = max2(l->journal.found.slip, across * slip + q->p.x * mean.x +
                                                                q->p.y * mean.y -
                                                                1e-12 * across * slip);
    }
}

// m g_n eps, summed over the island: a micro-step that creates more energy ends the step (section
// 7). A correct one lifts its bodies by a quarter of the band. Test:
// tests/method/impulse_mass_ratio.c
#define MAX_ENERGY_GAIN 100
static bool certify_energy(Loop *l) {
    const Island *s = &l->island;
    double gain = 0, lift = 0, kinetic = 0;
    for (int i = 0; i < s->body_count; i++) {
        const Actor *a = &l->flights.actor[s->member[i]];
        double before = contact_kinetic_energy(a);
        double then = contact_kinetic_energy_at(a, s->body[i].v, s->body[i].w);
        gain += then - before;
        kinetic += before + then;
        lift += a->body->mass * largest_g_n(s) * l->settings.band;
    }
    for (int i = 0; i < s->point_count; i++) {
        gain -= dot(contact_world(&s->contact_point[i], s->point[i].p),
                    s->point[i].support_velocity);
    }
    if (gain <= MAX_ENERGY_GAIN * lift + 1e-9 * kinetic) return true;
    return impulse_stop_energy_gain(&l->island, &l->journal, gain);
}

// Keeps the worst approach that is left at points at the level.
static void certify_approach(Loop *l, double near) {
    const Island *s = &l->island;
    for (int i = 0; i < s->point_count; i++) {
        if (s->contact_point[i].gap <= near) {
            l->journal.found.approach = max2(l->journal.found.approach,
                                             -solve_point_velocity(s->body, &s->point[i]).z);
        }
    }
}

static bool log_points(Loop *l) {
    Island *s = &l->island;
    s->first_record = l->journal.contact_count;
    for (int i = 0; i < s->point_count; i++) {
        const ContactPoint *t = &s->contact_point[i];
        const MicrostepPoint *q = &s->point[i];
        if (zero3(q->p)) continue;
        impVec3 u = solve_point_velocity(s->body, q);
        impContact record = journal_record(
            t, l->clock.now,
            &(PointImpulse){ .p = q->p,
                             .u_before = t->u,
                             .u_after = u,
                             .support_velocity = q->support_velocity });
        // a micro-step has no restitution
        record.restitution = 0;
        record.mode = q->mode == CONTACT_STICK ? IMP_STICKS : IMP_SLIDES;
        record.micro = true;
        certify_slip(l, q, u);
        if (!journal_certify(&l->journal, t, q->p) || !impulse_log(&l->journal, &record))
            return false;
    }
    return true;
}

static void book_points(Loop *l) {
    Island *s = &l->island;
    for (int i = 0; i < s->point_count; i++) {
        const ContactPoint *t = &s->contact_point[i];
        const MicrostepPoint *q = &s->point[i];
        impVec3 p = contact_world(t, q->p);
        if (zero3(p)) continue;
        journal_book_impulse(&l->journal, t, q, p);
    }
}

// 1, of T: the flight of a micro-step is over
#define FLIGHT_MARGIN 1.25
// Starts new flights of the bodies with an impulse, and lists them; the flights of the others go
// on, and so do the ages of their points. Returns how many.
static int relaunch(Loop *l, double T) {
    Island *s = &l->island;
    int count = 0;
    for (int i = 0; i < s->point_count; i++) {
        const MicrostepPoint *q = &s->point[i];
        if (zero3(q->p)) continue;
        s->mark[q->a] = HAS_IMPULSE;
        if (q->b >= 0) {
            s->mark[q->b] = HAS_IMPULSE;
        }
    }
    for (int i = 0; i < s->body_count; i++) {
        Actor *a = &l->flights.actor[s->member[i]];
        if (s->mark[i] == IN_ISLAND) continue;
        journal_launch(&l->journal, a, s->body[i].v, s->body[i].w);
        journal_log_visible_change(&l->journal, a, l->clock.now);
        l->flights.lands_at[s->member[i]] = l->clock.now + FLIGHT_MARGIN * T;
        s->moved[count++] = s->member[i];
    }
    return count;
}

// 1, of T_c: waiting of the points of large islands for one another (section 10)
#define MAX_WAITING 0.5
static void set_waiting(Loop *l) {
    const Island *s = &l->island;
    double until = l->clock.now + MAX_WAITING * full_duration(s);
    for (int i = 0; i < s->body_count && s->body_count >= IMPULSE_LARGE; i++) {
        l->flights.waits_until[s->member[i]] = until;
    }
}

bool impulse_microstep(Loop *l, Pair *first, int count, double age, double near) {
    Island *s = &l->island;
    if (!impulse_island_gather(l, first, count)) {
        impulse_island_clear(&l->island);
        return false;
    }
    double T = 0;
    MicrostepResult r = solve_with_clearance(l, age, near, &T);
    if (r.painleve_point < 0 && !r.solved && leaves_approach(l, near)) {
        r.painleve_point = 0;
    }
    if (r.painleve_point >= 0 && !resolve_inconsistency(l)) {
        impulse_island_clear(&l->island);
        return false;
    }
    if (r.painleve_point < 0) {
        impulse_warm_start_store(l, T);
    }
    l->journal.events++;
    l->journal.unconverged += r.painleve_point < 0 && !r.solved;
    if (r.painleve_point < 0) {
        certify_approach(l, near);
    }
    bool good = (r.solved || impulse_check_unconverged(&l->island, &l->journal)) &&
                certify_energy(l) && log_points(l);
    book_points(l);
    int moved = relaunch(l, T);
    set_waiting(l);
    if (good) {
        impulse_rest(l, moved, T);
    }
    // no body got an impulse: all pairs are queried again
    if (moved == 0) {
        moved = s->body_count;
        memcpy(s->moved, s->member, sizeof(int) * (size_t)moved);
    }
    good = good && impulse_refresh(l, s->moved, moved);
    impulse_island_clear(&l->island);
    return good;
}
