// impulse_microstep.c -- a micro-step: the impulses of one island such that the mean velocities
// over the coming flight obey the contact laws, with that flight.
//
// docs/theory/microcollisions.md, section 3. All bodies that contact points within the band join
// have one duration T (12) and one contact problem (6), (7) (src/solve/microstep.c). The
// change of a point's velocity by the flight depends on the velocities after the impulses, so the
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
// 1, of g: a contact is above or below a body if so much of the pull is along its normal (section
// 9). Test: tests/method/impulse_slot.c
#define PULL_ALONG_NORMAL 0.1
// 1, of T: shortening of the duration of a body that lacks clearance (section 9: "T is reduced to a
// quarter and the problem solved again, twice at most (six times in the last case)"). Test:
// tests/method/impulse_slot.c
#define SHORTENING 0.25
// 1, of g T: change of the velocity of a point by its impulse that shows that a body between two
// walls lacks clearance (section 9). Test: tests/method/impulse_slot.c
#define MAX_STRESS 100
// passes of a micro-step. Test: tests/method/impulse_rolling.c
enum { MAX_PASSES = 12 };
// passes, of these the first, that end with PASS_TOLERANCE_FINE. Test:
// tests/method/impulse_rolling.c
enum { FINE_PASSES = 4 };
// passes in which friction may start a trial, so that five are left for what follows. Test:
// tests/method/impulse_friction.c
enum { TRIAL_PASSES = MAX_PASSES - 5 };
// halvings of the first duration of rolling points (12). Test: tests/method/impulse_rolling.c
enum { MAX_HALVINGS = 8 };
// shortenings of the duration of a body that lacks clearance (section 9). Test:
// tests/method/impulse_slot.c
enum { MAX_SHORTENINGS = 2 };
// the same while a due point still approaches: "six times in the last case". Test:
// tests/method/impulse_slot.c
enum { MAX_SHORTENINGS_APPROACH = 6 };

// The passes of a micro-step. Changes and tolerances are parts of g T.
typedef struct Passes {
    LastFlights last;   // of the points of the island
    double near;        // m: distance of points at the level
    double g;           // m/s^2: the largest g_n of the island
    double T;           // s: duration of the pass at work
    double next_T;      // s: duration that the points ask for in it
    double enough;      // 1: change of the velocities that ends the first passes
    double change;      // 1: change of the velocities in the last pass, or of its problem
    double tolerance;   // 1: of the solver in the last pass
    bool is_warm;       // the first pass starts from the forces of the last micro-step
    bool inconsistent;  // the last pass ended in a Painleve inconsistency
    MicrostepResult result;
} Passes;

// --- problem -------------------------------------------------------------------------------------

static double full_duration(const Island *island) {
    double T = HUGE_VAL;
    for (int i = 0; i < island->point_count; i++) {
        T = min2(T, island->contact_point[i].micro.duration);
    }
    return T;
}

static double largest_g_n(const Island *island) {
    double g = 0;
    for (int i = 0; i < island->point_count; i++) {
        g = max2(g, island->contact_point[i].micro.g_n);
    }
    return g;
}

// Sets the points of the solver and the groups of friction.
static void set_points(Island *island, const Actor *actor) {
    double compliance = island->body_count > 1 ? COMPLIANCE_OF_MANY : COMPLIANCE_OF_ONE;
    double across = island->body_count > 1 ? COMPLIANCE_OF_MANY : COMPLIANCE_ACROSS;
    for (int i = 0; i < island->point_count; i++) {
        const ContactPoint *t = &island->contact_point[i];
        island->point[i] = contact_microstep_point(actor, t, island->island_index[t->a],
                                                   island->island_index[t->b]);
        if (island->point_count > 1) {
            island->point[i].compliance = compliance;
            island->point[i].compliance_tangential = across;
        }
        island->contact_point[i].friction.kind = SLIP_NONE;
    }
    impulse_friction_groups(island);
}

// A contact above a body that is alone in its island: its normal is along the pull (section 9).
static bool is_contact_above(const Island *island, const Actor *actor, const ContactPoint *t,
                             double g) {
    return island->body_count == 1 && dot(t->n, actor[t->a].acceleration) > PULL_ALONG_NORMAL * g;
}

// c_n of (24): the fastest approach to a contact above that the body falls back from within T
// without touching it, m/s. d: m, gap less level. f: m/s^2, with which the body falls back.
static double approach_to_contact_above(double d, double f, double T) {
    double rise_speed = sqrt(2 * f * d);
    return rise_speed <= f * T ? rise_speed : d / T + 0.5 * f * T;
}

// c_n of (11), m/s. d: m, gap less level. m: m/s, (10). f: m/s^2, fall of the gap's rate. u_c: m/s.
static double departure(double d, double m, double f, double u_c, double T) {
    return max2(d / T, -u_c) - min2(max2(-m, LEAST_DEPARTURE * 0.5 * f * T), u_c);
}

// Full duration T_c of a point (5); of one that rolls it is shorter by g_n / f.
static double full_duration_of(const ContactPoint *t, double f, double band) {
    double g_n = t->micro.g_n;
    return min2(sqrt(2 * band * g_n) / min2(f, MAX_FALL * g_n), t->micro.longest);
}

// Sets q->c of a point and its duration over the pass. predicted: (9) and (10) for it. fall: m/s^2,
// of the gap's rate over the flight.
static void set_predicted_change(Island *island, const Passes *p, int i, impVec3 predicted,
                                 double fall) {
    const Settings *settings = &p->last.world->settings;
    const double T = p->T;
    ContactPoint *t = &island->contact_point[i];
    impVec3 c = predicted;
    double f = t->motion.kind >= ROLLS_ON_A ? max2(t->micro.g_n, fall) : t->micro.g_n;
    t->friction.fall_after = -c.z;
    if (t->micro.g_n > 0) {
        t->micro.duration = full_duration_of(t, f, settings->band);
    }
    // in a flight that other points shorten, a positive gap at the level is rounding: not closed
    bool is_short = T < SHORTENED * sqrt(2 * settings->band / t->micro.g_n);
    double d = t->gap - settings->level;
    if (t->gap <= p->near && is_short) {
        d = min2(d, 0);
    }
    t->contact_above = t->gap > p->near &&
                       is_contact_above(island, p->last.world->flights.actor, t, p->g) &&
                       c.z > LEAST_DEPARTURE * 0.5 * p->g * T;
    c.z = t->contact_above ? approach_to_contact_above(d, 2 * c.z / T, T)                  // (24)
                           : departure(d, c.z, f, t->micro.threshold, T);                  // (11)
    island->point[i].c = impulse_friction_is_centred(t) ? add(c, t->friction.slip_before)  // (19)
                                                        : c;
}

// Sets q->c of all points from the velocities in body[], by (9) to (11), (24) and (19), and their
// durations over the pass. The fall of a rolling point is evaluated over the whole flight, which is
// the same backwards in time; extrapolated from the start it would change the energy of bodies that
// roll.
static void set_predicted_changes(Island *island, const Passes *p) {
    const impModel *m = p->last.world->settings.model;
    const Actor *actor = p->last.world->flights.actor;
    const double T = p->T;
    // of the last prescribed body
    PredictedMotion kinematic = { 0 };
    int kinematic_body = -1;
    for (int i = 0; i < island->body_count; i++) {
        island->predicted[i] = contact_predict_motion(m, &actor[island->member[i]],
                                                      &island->body[i], T);
    }
    for (int i = 0; i < island->point_count; i++) {
        ContactPoint *t = &island->contact_point[i];
        const MicrostepPoint *q = &island->point[i];
        const MicrostepBody *b = q->b < 0 ? NULL : &island->body[q->b];
        double fall;
        if (!b && kinematic_body != t->b) {
            kinematic = contact_predict_motion(m, &actor[t->b], NULL, T);
            kinematic_body = t->b;
        }
        const PredictedMotion *motion_b = b ? &island->predicted[q->b] : &kinematic;
        impVec3 predicted = contact_predicted_change(
            &actor[t->a], &actor[t->b], &island->body[q->a], b, &island->predicted[q->a], motion_b,
            t, T, &fall);
        set_predicted_change(island, p, i, predicted, fall);
    }
}

// Largest change of a velocity since the last pass, m/s.
static double change_of_pass(const Island *island, const Actor *actor) {
    double greatest = 0;
    for (int i = 0; i < island->body_count; i++) {
        double bounding_radius = actor[island->member[i]].body->bounding_radius;
        greatest = max2(greatest, largest(sub(island->body[i].v, island->last[i].v)));
        greatest = max2(greatest,
                        bounding_radius * largest(sub(island->body[i].w, island->last[i].w)));
    }
    return greatest;
}

static bool rolls(const Island *island) {
    for (int i = 0; i < island->point_count; i++) {
        if (island->contact_point[i].motion.kind >= ROLLS_ON_A) return true;
    }
    return false;
}

// (12)
static double duration(const Island *island, double age) {
    double full = full_duration(island);
    return min2(island->longest, min2(full, max2(FIRST_DURATION * full, 2 * age)));
}

// The duration that the points ask for, with their time scales over T. It may only fall if these
// change much with T, as for a coin that falls flat: it would oscillate else.
static double adjusted_duration(const Island *island, double age, double T) {
    double asked = duration(island, age);
    if (asked < T) return max2(asked, 0.5 * T);
    return asked < 1.1 * T ? asked : T;
}

// Finds the duration of the first pass of an island with rolling points, whose time scales depend
// on it.
static void find_first_duration(Island *island, Passes *p) {
    double last = 2 * p->T;
    for (int i = 0; i < MAX_HALVINGS && p->T < last; i++) {
        set_predicted_changes(island, p);
        last = p->T;
        p->T = adjusted_duration(island, p->last.age, p->T);
    }
}

// --- passes --------------------------------------------------------------------------------------

// Starts from the contact forces of the last micro-step. False: none is known.
static bool start_warm(Island *island, Pairs *pairs, const World *world, double T) {
    if (impulse_warm_start(island, pairs, world, T) == 0) return false;
    for (int i = 0; i < island->point_count; i++) {
        solve_apply_impulse(island->body, &island->point[i], island->point[i].p);
    }
    return true;
}

// 1. Start of the first pass, and its duration.
static Passes begin_passes(Island *island, Pairs *pairs, const World *world, const Event *event) {
    const bool has_rolling = rolls(island);
    for (int i = 0; i < island->body_count; i++) {
        island->body[i] = island->before[i];
    }
    Passes p = { .last = { world, pairs, island, event->age },
                 .near = event->near,
                 .g = largest_g_n(island),
                 .T = duration(island, event->age),
                 .change = 1 };
    p.is_warm = island->body_count >= IMPULSE_MANY && !has_rolling &&
                start_warm(island, pairs, world, p.T);
    p.enough = island->point_count > 1 && !has_rolling ? PASS_TOLERANCE : PASS_TOLERANCE_FINE;
    if (has_rolling) {
        find_first_duration(island, &p);
    }
    impulse_friction_static(island, &p.last, p.g * p.T);
    return p;
}

// 2. The problem of a pass from the velocities of the last one, which are kept.
static void set_pass(Island *island, Passes *p, int pass) {
    for (int i = 0; i < island->body_count; i++) {
        island->last[i] = island->body[i];
    }
    for (int i = 0; i < island->point_count; i++) {
        island->contact_point[i].friction.p_before = island->point[i].p;
    }
    if (pass > 0) {
        impulse_friction_directions(island, &p->last, p->g * p->T, pass < TRIAL_PASSES);
    }
    set_predicted_changes(island, p);
    p->next_T = adjusted_duration(island, p->last.age, p->T);
}

// 3. Solves the problem of a pass, no finer than the passes differ.
static void solve_pass(Island *island, Passes *p, int pass) {
    const double speed = p->g * p->T;
    for (int i = 0; i < island->body_count; i++) {
        island->body[i] = island->before[i];
    }
    if (pass == 0 && !p->is_warm) {
        solve_microstep_guess(island->body, island->body_count, island->point, island->point_count);
    }
    p->tolerance = max2(max2(SOLVER_SHARE_LEAST * p->enough, SOLVER_ROUNDING),
                        min2(1e-4, 1e-3 * p->change));
    island->solver.accepted_residual = SOLVER_SHARE * PASS_TOLERANCE * p->g * p->T;
    p->result = solve_microstep(island->body, island->body_count, island->point,
                                island->point_count, p->tolerance * p->g * p->T, pass > 0,
                                &island->solver);
    p->inconsistent = p->result.painleve_point >= 0;
    p->change = change_of_pass(island, p->last.world->flights.actor) / speed;
}

// 4. The velocities have settled, solved finely enough, or cannot be solved any better: the pass is
// accepted unless friction changes.
static bool is_acceptable(const Island *island, const Passes *p, int pass) {
    double end = pass < FINE_PASSES ? p->enough : PASS_TOLERANCE;
    // a small change says little if the solver's tolerance is coarse
    bool is_fine = island->point_count == 1 || p->tolerance <= SOLVER_SHARE * end;
    if (is_fine && p->change <= end) return true;
    if (pass == 0) return false;
    return !p->result.solved || (p->result.stagnated && p->change <= PASS_TOLERANCE);
}

// 5. Friction in time after a pass. settled: slips are no errors of the passes. True: friction
// changed, which needs another pass.
static bool change_friction(Island *island, const Passes *p, int pass, bool settled) {
    const double speed = p->g * p->T;
    const bool may_try = pass < TRIAL_PASSES;
    if (p->inconsistent) return false;
    bool reverses = impulse_friction_reverse(island, p->T, speed, p->result.solved, may_try);
    bool slips = settled && impulse_friction_release(island, p->T, speed, may_try);
    bool catches = settled && impulse_friction_catch(island, &p->last, speed);
    return reverses || slips || catches;
}

// 6. After an attempt of friction that failed: back to the beginning of the pass.
static void undo_pass(Island *island) {
    for (int i = 0; i < island->body_count; i++) {
        island->body[i] = island->last[i];
    }
    for (int i = 0; i < island->point_count; i++) {
        island->point[i].p = island->contact_point[i].friction.p_before;
    }
    island->friction.undone = false;
}

// Solves the passes of a micro-step for a duration of at most island->longest, until one is
// accepted: its velocities differ from those of the pass before by little enough, and friction
// stays as it was. T of the result is the duration of the last pass.
static Passes solve(Island *island, Pairs *pairs, const World *world, const Event *event) {
    Passes p = begin_passes(island, pairs, world, event);
    for (int pass = 0;; pass++) {
        set_pass(island, &p, pass);
        solve_pass(island, &p, pass);
        bool acceptable = is_acceptable(island, &p, pass);
        bool settled = acceptable || max2(p.tolerance, p.change) <= SOLVER_SHARE * IMPULSE_SLIPS;
        // a given friction may be the cause of the inconsistency
        if (p.inconsistent && impulse_friction_cancel_given(island)) {
            p.inconsistent = acceptable = false;
        }
        bool changed = change_friction(island, &p, pass, settled);
        if (island->friction.undone) {
            undo_pass(island);
        }
        if (changed) {
            p.change = 1;
        }
        bool done = acceptable && !changed;
        if (done || p.inconsistent || pass + 1 == MAX_PASSES) return p;
        p.T = p.next_T;
    }
}

// --- no solution ---------------------------------------------------------------------------------

// Painleve inconsistency: no sliding direction has a non-negative normal impulse. Resolves the
// point that approaches fastest as an impact without restitution, with the velocity u + c
// (docs/theory/contact-solver.md, section 8). False: stopped.
static bool resolve_inconsistency(Island *island, Journal *journal) {
    int fastest = 0;
    for (int i = 0; i < island->body_count; i++) {
        island->body[i] = island->before[i];
    }
    for (int i = 0; i < island->point_count; i++) {
        island->point[i].p = vec(0, 0, 0);
        island->point[i].mode = CONTACT_OPEN;
        if (island->contact_point[i].u.z + island->point[i].c.z <
            island->contact_point[fastest].u.z + island->point[fastest].c.z) {
            fastest = i;
        }
    }
    MicrostepPoint *q = &island->point[fastest];
    // without slip_before of (19)
    impVec3 predicted = impulse_friction_is_centred(&island->contact_point[fastest])
                            ? sub(q->c, island->contact_point[fastest].friction.slip_before)
                            : q->c;
    impImpactDef def = { .k = { { q->k.x.x, q->k.x.y, q->k.x.z },
                                { q->k.y.x, q->k.y.y, q->k.y.z },
                                { q->k.z.x, q->k.z.y, q->k.z.z } },
                         .u = add(island->contact_point[fastest].u, predicted),
                         .friction_static = q->friction,
                         .friction_dynamic = q->friction };
    impImpact hit;
    if (solve_impact(&def, &hit, NULL) != IMP_SOLVED)
        return journal_stop(
            journal, IMP_STALLED,
            "the Painleve inconsistency of bodies '%s' and '%s' could not be resolved",
            journal->model->body[island->contact_point[fastest].a].name,
            journal->model->body[island->contact_point[fastest].b].name);
    q->p = hit.p;
    q->mode = CONTACT_SLIDE;
    solve_apply_impulse(island->body, q, q->p);
    return true;
}

// True if there is no impulse at all and a point at the level approaches: it would be due again at
// the same time for ever.
static bool leaves_approach(const Island *island, double near) {
    bool due = false;
    for (int i = 0; i < island->point_count; i++) {
        if (!zero3(island->point[i].p)) return false;
        due = due || (island->contact_point[i].gap <= near &&
                      island->contact_point[i].u.z < -island->contact_point[i].u_rounding);
    }
    return due;
}

// True if a point at the level approaches after the impulses: it is due again at the same time.
static bool approaches_again(const Island *island, double near) {
    for (int i = 0; i < island->point_count; i++) {
        if (island->contact_point[i].gap <= near &&
            solve_point_velocity(island->body, &island->point[i]).z <
                -island->contact_point[i].u_rounding)
            return true;
    }
    return false;
}

// --- clearance -----------------------------------------------------------------------------------

// Some contact is below its body, and can carry it against the pull: its normal points against it.
static bool has_support_below(const Island *island, const Actor *actor, double g) {
    for (int i = 0; i < island->point_count; i++) {
        const ContactPoint *t = &island->contact_point[i];
        if (dot(t->n, actor[t->a].acceleration) < -PULL_ALONG_NORMAL * g) return true;
    }
    return false;
}

// True if a flight of duration T needs more clearance than the body has (section 9): a contact
// above carries an impulse; an impulse on a body that nothing supports is too large; or a due
// point still approaches. Only of a body alone in its island: in a heap other bodies may press on
// it.
static bool lacks_clearance(const Island *island, const Actor *actor, double near, double T) {
    if (island->body_count > 1) return false;
    double g = largest_g_n(island);
    double greatest = has_support_below(island, actor, g) ? HUGE_VAL : MAX_STRESS * g * T;
    for (int i = 0; i < island->point_count; i++) {
        const MicrostepPoint *q = &island->point[i];
        if ((island->contact_point[i].contact_above && q->p.z > 0) || q->p.z * q->k.z.z > greatest)
            return true;
    }
    return approaches_again(island, near);
}

// Solves with a duration of at most `longest`.
static Passes solve_within(Island *island, Pairs *pairs, const World *world, const Event *event,
                           double longest) {
    island->longest = longest;
    set_points(island, world->flights.actor);
    return solve(island, pairs, world, event);
}

// Solves, and again with shorter durations if the body lacks clearance (section 9).
static Passes solve_with_clearance(Island *island, Pairs *pairs, const World *world,
                                   const Event *event) {
    const Actor *actor = world->flights.actor;
    const double near = event->near;
    Passes p = solve_within(island, pairs, world, event, HUGE_VAL);
    if (p.inconsistent || !lacks_clearance(island, actor, near, p.T)) return p;
    bool approach = approaches_again(island, near);
    int most = approach ? MAX_SHORTENINGS_APPROACH : MAX_SHORTENINGS;
    for (int i = 1; i <= most; i++) {
        p = solve_within(island, pairs, world, event, SHORTENING * p.T);
        if (p.inconsistent) continue;
        if (!lacks_clearance(island, actor, near, p.T)) return p;
        // the further shortenings were for the approach alone
        if (i >= MAX_SHORTENINGS && approach && !approaches_again(island, near)) return p;
    }
    // a shorter duration does not help: the full one
    return solve_within(island, pairs, world, event, HUGE_VAL);
}

// --- certificate and journal ---------------------------------------------------------------------

// Friction acts against the slip of the problem: keeps the worst lack of friction work.
static void certify_slip(Journal *journal, const MicrostepPoint *q, impVec3 u) {
    impVec3 mean = add(u, q->c);
    double across = sqrt(q->p.x * q->p.x + q->p.y * q->p.y);
    double slip = sqrt(mean.x * mean.x + mean.y * mean.y);
    if (q->mode == CONTACT_SLIDE && !q->friction_is_given) {
        journal->found.slip = max2(journal->found.slip, across * slip + q->p.x * mean.x +
                                                            q->p.y * mean.y -
                                                            1e-12 * across * slip);
    }
}

// m g_n eps, summed over the island: a micro-step that creates more energy ends the step (section
// 7). A correct one lifts its bodies by a quarter of the band. Test:
// tests/method/impulse_mass_ratio.c
#define MAX_ENERGY_GAIN 100

// The energy gained, less the work of prescribed bodies, is within its limit. False: stopped.
static bool certify_energy(const Island *island, const Actor *actor, Journal *journal,
                           double band) {
    double gain = 0;
    double lift = 0;
    double kinetic = 0;
    for (int i = 0; i < island->body_count; i++) {
        const Actor *a = &actor[island->member[i]];
        double before = contact_kinetic_energy(a);
        double then = contact_kinetic_energy_at(a, island->body[i].v, island->body[i].w);
        gain += then - before;
        kinetic += before + then;
        lift += a->body->mass * largest_g_n(island) * band;
    }
    for (int i = 0; i < island->point_count; i++) {
        gain -= dot(contact_world(&island->contact_point[i], island->point[i].p),
                    island->point[i].support_velocity);
    }
    if (gain <= MAX_ENERGY_GAIN * lift + 1e-9 * kinetic) return true;
    return impulse_stop_energy_gain(island, journal, gain);
}

// Keeps the worst approach that is left at points at the level.
static void certify_approach(const Island *island, Journal *journal, double near) {
    for (int i = 0; i < island->point_count; i++) {
        if (island->contact_point[i].gap <= near) {
            journal->found.approach = max2(
                journal->found.approach, -solve_point_velocity(island->body, &island->point[i]).z);
        }
    }
}

// Logs the impulses. False: stopped.
static bool log_points(Island *island, Journal *journal, double now) {
    island->first_record = journal->contact_count;
    for (int i = 0; i < island->point_count; i++) {
        const ContactPoint *t = &island->contact_point[i];
        const MicrostepPoint *q = &island->point[i];
        if (zero3(q->p)) continue;
        impVec3 u = solve_point_velocity(island->body, q);
        impContact record = journal_record(
            t, now,
            &(PointImpulse){ .p = q->p,
                             .u_before = t->u,
                             .u_after = u,
                             .support_velocity = q->support_velocity });
        // a micro-step has no restitution
        record.restitution = 0;
        record.mode = q->mode == CONTACT_STICK ? IMP_STICKS : IMP_SLIDES;
        record.micro = true;
        certify_slip(journal, q, u);
        if (!journal_certify(journal, t, q->p) || !impulse_log(journal, &record)) return false;
    }
    return true;
}

// Adds the impulses to the ledger, even after a stop: the bodies fly on with all of them.
static void book_points(const Island *island, Journal *journal) {
    for (int i = 0; i < island->point_count; i++) {
        const ContactPoint *t = &island->contact_point[i];
        const MicrostepPoint *q = &island->point[i];
        impVec3 p = contact_world(t, q->p);
        if (zero3(p)) continue;
        journal_book_impulse(journal, t, q, p);
    }
}

// 1, of T: the flight of a micro-step is over
#define FLIGHT_MARGIN 1.25

// Starts new flights of the bodies with an impulse, and lists them; the flights of the others go
// on, and so do the ages of their points. Returns how many.
static int relaunch(Island *island, Flights *flights, Journal *journal, double now, double T) {
    int count = 0;
    for (int i = 0; i < island->point_count; i++) {
        const MicrostepPoint *q = &island->point[i];
        if (zero3(q->p)) continue;
        island->mark[q->a] = HAS_IMPULSE;
        if (q->b >= 0) {
            island->mark[q->b] = HAS_IMPULSE;
        }
    }
    for (int i = 0; i < island->body_count; i++) {
        Actor *a = &flights->actor[island->member[i]];
        if (island->mark[i] == IN_ISLAND) continue;
        journal_launch(journal, a, island->body[i].v, island->body[i].w);
        journal_log_visible_change(journal, a, now);
        flights->lands_at[island->member[i]] = now + FLIGHT_MARGIN * T;
        island->moved[count++] = island->member[i];
    }
    return count;
}

// 1, of T_c: waiting of the points of large islands for one another (section 10)
#define MAX_WAITING 0.5

// The points of bodies of a large island may wait for one another from now on.
static void set_waiting(const Island *island, Flights *flights, double now) {
    if (island->body_count < IMPULSE_LARGE) return;
    double until = now + MAX_WAITING * full_duration(island);
    for (int i = 0; i < island->body_count; i++) {
        flights->waits_until[island->member[i]] = until;
    }
}

// Takes the solution of the micro-step or, without one, resolves the island as an inconsistency.
// False: stopped.
static bool accept_solution(Island *island, Pairs *pairs, const World *world, Journal *journal,
                            const Passes *p) {
    bool solved = p->result.solved;
    journal->events++;
    // a contact that would be due again at once is resolved as an inconsistency, too
    if (p->inconsistent || (!solved && leaves_approach(island, p->near))) {
        if (!resolve_inconsistency(island, journal)) return false;
    } else {
        impulse_warm_start_store(pairs, island, world, p->T);
        journal->unconverged += !solved;
        certify_approach(island, journal, p->near);
    }
    if (!solved && !impulse_check_unconverged(island, journal)) return false;
    return certify_energy(island, world->flights.actor, journal, world->settings.band);
}

bool impulse_microstep(Loop *loop, const Event *event) {
    Island *island = &loop->island;
    Pairs *pairs = &loop->pairs;
    World *world = &loop->world;
    Journal *journal = &loop->journal;
    if (!impulse_island_gather(island, pairs, world, journal, event)) {
        impulse_island_clear(island);
        return false;
    }
    Passes p = solve_with_clearance(island, pairs, world, event);
    bool good = accept_solution(island, pairs, world, journal, &p) &&
                log_points(island, journal, world->clock.now);
    book_points(island, journal);
    int moved = relaunch(island, &world->flights, journal, world->clock.now, p.T);
    set_waiting(island, &world->flights, world->clock.now);
    if (good) {
        impulse_rest(island, world, journal, moved, p.T);
    }
    // no body got an impulse: all pairs are queried again
    if (moved == 0) {
        moved = island->body_count;
        memcpy(island->moved, island->member, sizeof(int) * (size_t)moved);
    }
    good = good && impulse_refresh(pairs, world, journal, island->moved, moved);
    impulse_island_clear(island);
    return good;
}
