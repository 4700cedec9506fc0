// impulse_microstep.c -- a microcollision: the closed hop of all bodies that hold each other.
//
// microcollisions.md sec. 3. Bodies joined by points in the band, from the pair that is due
// outwards, hop together: one duration T, one complementarity problem (solve/microstep.c) that
// makes the mean velocity over the coming hop vanish where a point sticks and oppose friction where
// it slides. T grows from a quarter of the full hop for points that are new, by doubling; a point's
// age is that of the flights it ends. Accelerations depend on the velocities after, so the problem
// is solved again with those until nothing changes. So does the full hop of a point that rolls: a
// coin that whirls, or falls nearly flat, is pressed to the floor by more than its weight, and hops
// in proportion faster and lower.
//
// Several bodies (left open there): between two free bodies gravity cancels, and nothing brings
// them together again. The one T of the island closes their hop all the same: at its end, the
// lowest body lands and all are looked at anew. A gap that opened meanwhile is closed by the term
// (gap - level) / T, at most a tenth of the band wide.
//
// Nor does the study know of roofs: a body with less than the band above it has no room for a full
// hop, and hops lower (is_squeezed).
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

#include <string.h>

#define KAPPA 0.25  // first hop of a fresh contact, of the full one
// a point that accelerates away must leave this fast all the same
#define FLOOR 0.1
// a point gives that part of its speed along the normal (solve/microstep.c), where one
#define COMPLIANCE_OF_ONE 1e-6
// body hops, and across: a hop lands 2e-6 of the band lower,
#define SOFT_SIDE 1e-7
// or 2e-5, and both ways, where several bodies hold each other
#define COMPLIANCE_OF_MANY 1e-5
// of gravity's pull: what shortens the hop of a point that rolls
#define MOST_FALL 1024
#define SHORT     0.1  // of a point's own full hop
// of the hop's own speed, from one pass to the next: good enough,
#define CHANGE 1e-6
#define FINEST 1e-9  //   and as good as can be, for what rolls for ever;
// of that: how well the last pass is solved at least,
#define FINE 0.1
// and at best: what is left of it makes what is symmetric drift apart
#define FINELY   1e-3
#define ROUNDING 1e-11  // of the hop's own speed: no finer
#define SHORTER  0.25   // of its length: a hop that has no room
#define STRESS   100    // times what a body weighs
enum {
    PASSES = 12,
    FEW_PASSES = 4,
    LAST_TRY = PASSES - 5,
    HALVINGS = 8,
    SHORTENINGS = 2,
    MANY_SHORTENINGS = 6
};

// --- the problem ---------------------------------------------------------------------------------
static double full_hop(const Island *s) {
    double T = HUGE_VAL;
    for (int i = 0; i < s->point_count; i++) {
        T = min2(T, s->contact_point[i].micro.duration);
    }
    return T;
}

static double strongest(const Island *s) {
    double g = 0;
    for (int i = 0; i < s->point_count; i++) {
        g = max2(g, s->contact_point[i].micro.g_n);
    }
    return g;
}

static void set_points(Loop *l) {
    Island *s = &l->island;
    double compliance = s->body_count > 1 ? COMPLIANCE_OF_MANY : COMPLIANCE_OF_ONE;
    double side = s->body_count > 1 ? COMPLIANCE_OF_MANY : SOFT_SIDE;
    for (int i = 0; i < s->point_count; i++) {
        const ContactPoint *t = &s->contact_point[i];
        s->point[i] = contact_microstep_point(l->flights.actor, t, s->island_index[t->a],
                                              s->island_index[t->b]);
        if (s->point_count > 1) {
            s->point[i].compliance = compliance;
            s->point[i].compliance_tangential = side;
        }
        s->contact_point[i].friction.kind = SLIP_NONE;
    }
    impulse_friction_groups(l);
}

// Weight takes a body that hops alone from it.
static bool is_roof(const Loop *l, const ContactPoint *t, double g) {
    return l->island.body_count == 1 && dot(t->n, l->flights.actor[t->a].acceleration) > FLOOR * g;
}

// How fast a point may come up to a roof that is `left` away, which it falls back from by itself,
// without touching it within T.
static double room_below(double left, double fall, double T) {
    double bounding_radius = sqrt(2 * fall * left);
    return bounding_radius <= fall * T ? bounding_radius : left / T + 0.5 * fall * T;
}

// What the hop adds, from the velocities in body[], and how long each point lets it be. A point
// that rolls fast falls faster than gravity pulls: its hop is shorter by as much, and leaves no
// faster than any other. The fall is seen over the hop itself, which is the same backwards: a
// length that followed from its start would let what rolls lose energy. Nor does any other point
// leave faster than what is microscopic: one that falls so hard lands earlier, and one that is too
// low, as a rim may be between its marks, comes up no faster. Where others shorten the hop of a
// point that is there, it has no gap left to close: rounding would let it approach. Where it
// slides, friction acts against the mean of how it slid in the middle of the last hop and how it
// will in that of the next, between which is the time that the impulse stands for: against the next
// alone it would be half a hop ahead of what turns.
static void set_drifts(Loop *l, double T, double near) {
    Island *s = &l->island;
    double g = strongest(s);
    // of the last one that is no body of the hop
    PredictedMotion kinematic = { 0 };
    int whose = -1;
    for (int i = 0; i < s->body_count; i++) {
        s->predicted[i] = contact_predict_motion(l->settings.model, &l->flights.actor[s->member[i]],
                                                 &s->body[i], T);
    }
    for (int i = 0; i < s->point_count; i++) {
        ContactPoint *t = &s->contact_point[i];
        MicrostepPoint *q = &s->point[i];
        const MicrostepBody *b = q->b < 0 ? NULL : &s->body[q->b];
        double fall;
        if (!b && whose != t->b) {
            kinematic = contact_predict_motion(l->settings.model, &l->flights.actor[t->b], NULL, T);
            whose = t->b;
        }
        const PredictedMotion *other = b ? &s->predicted[q->b] : &kinematic;
        impVec3 c = contact_predicted_change(&l->flights.actor[t->a], &l->flights.actor[t->b],
                                             &s->body[q->a], b, &s->predicted[q->a], other, t, T,
                                             &fall);
        t->friction.fall_after = -c.z;
        fall = t->motion.kind >= ROLLS_ON_A ? max2(t->micro.g_n, fall) : t->micro.g_n;
        if (t->micro.g_n > 0) {
            t->micro.duration = min2(sqrt(2 * l->settings.band * t->micro.g_n) /
                                         min2(fall, MOST_FALL * t->micro.g_n),
                                     t->micro.longest);
        }
        bool there = t->gap <= near && T < SHORT * sqrt(2 * l->settings.band / t->micro.g_n);
        double left = there ? min2(t->gap - l->settings.level, 0) : t->gap - l->settings.level;
        t->contact_above = t->gap > near && is_roof(l, t, g) && c.z > FLOOR * 0.5 * g * T;
        if (t->contact_above) {
            c.z = room_below(left, 2 * c.z / T, T);
        } else {
            c.z = max2(left / T, -t->micro.threshold) -
                  min2(max2(-c.z, FLOOR * 0.5 * fall * T), t->micro.threshold);
        }
        q->c = impulse_friction_continues(t) ? add(c, t->friction.slip_before) : c;
    }
}

// of any velocity, m/s
static double change_of_pass(const Loop *l) {
    const Island *s = &l->island;
    double most = 0;
    for (int i = 0; i < s->body_count; i++) {
        double bounding_radius = l->flights.actor[s->member[i]].body->bounding_radius;
        most = max2(most, largest(sub(s->body[i].v, s->last[i].v)));
        most = max2(most, bounding_radius * largest(sub(s->body[i].w, s->last[i].w)));
    }
    return most;
}

static bool rolls(const Island *s) {
    for (int i = 0; i < s->point_count; i++) {
        if (s->contact_point[i].motion.kind >= ROLLS_ON_A) return true;
    }
    return false;
}

static double hop_length(const Island *s, double age) {
    double full = full_hop(s);
    return min2(s->longest, min2(full, max2(KAPPA * full, 2 * age)));
}

// The length that the points now ask for, from T: their paces were seen over T. Where they change a
// lot with T (a coin that falls flat) it only gets shorter, or it would go up and down for ever.
static double adjust(const Island *s, double age, double T) {
    double asked = hop_length(s, age);
    if (asked < T) return max2(asked, 0.5 * T);
    return asked < 1.1 * T ? asked : T;
}

static double first_length(Loop *l, double age, double near) {
    const Island *s = &l->island;
    double T = hop_length(s, age);
    double last = 2 * T;
    for (int i = 0; i < HALVINGS && T < last; i++) {
        set_drifts(l, T, near);
        last = T;
        T = adjust(s, age, T);
    }
    return T;
}

// From what these points carried when they last hopped, which also says what the hop adds. False:
// nothing is known.
static bool start_known(Loop *l, double T) {
    Island *s = &l->island;
    if (impulse_warm_start(l, T) == 0) return false;
    for (int i = 0; i < s->point_count; i++) {
        solve_apply_impulse(s->body, &s->point[i], s->point[i].p);
    }
    return true;
}

static MicrostepResult solve(Loop *l, double age, double near, double *length) {
    Island *s = &l->island;
    double g = strongest(s);
    MicrostepResult r = { .painleve_point = -1 };
    for (int i = 0; i < s->body_count; i++) {
        s->body[i] = s->before[i];
    }
    bool known = s->body_count >= IMPULSE_MANY && !rolls(s) && start_known(l, hop_length(s, age));
    // of the hop's own speed
    double change = 1;
    double enough = s->point_count > 1 && !rolls(s) ? CHANGE : FINEST;
    double T = rolls(s) ? first_length(l, age, near) : hop_length(s, age);
    impulse_friction_static(l, age, g * T);
    for (int pass = 0; pass < PASSES && r.painleve_point < 0; pass++) {
        for (int i = 0; i < s->body_count; i++) {
            s->last[i] = s->body[i];
        }
        for (int i = 0; i < s->point_count; i++) {
            s->contact_point[i].friction.p_before = s->point[i].p;
        }
        if (pass > 0) {
            impulse_friction_directions(l, age, g * T, pass < LAST_TRY);
        }
        set_drifts(l, T, near);
        double next = adjust(s, age, T);
        for (int i = 0; i < s->body_count; i++) {
            s->body[i] = s->before[i];
        }
        if (pass == 0 && !known) {
            solve_microstep_guess(s->body, s->body_count, s->point, s->point_count);
        }
        // no finer than the passes are by now
        double part = max2(max2(FINELY * enough, ROUNDING), min2(1e-4, 1e-3 * change));
        s->solver.accepted_residual = FINE * CHANGE * g * T;
        r = solve_microstep(s->body, s->body_count, s->point, s->point_count, part * g * T,
                            pass > 0, &s->solver);
        *length = T;
        change = change_of_pass(l) / (g * T);
        double end = pass < FEW_PASSES ? enough : CHANGE;
        // else little change says little
        bool fine = s->point_count == 1 || part <= FINE * end;
        bool ends = (fine && change <= end) ||
                    (pass > 0 && (!r.solved || (r.stagnated && change <= CHANGE)));
        // who slips: before that it may be for how the passes go
        bool tells = ends || max2(part, change) <= FINE * IMPULSE_SLIPS;
        // it was for what was tried
        if (r.painleve_point >= 0 && impulse_friction_reverse_none(l)) {
            r.painleve_point = -1;
            ends = false;
        }
        bool turn = r.painleve_point < 0 &&
                    impulse_friction_reverse(l, T, g * T, r.solved, pass < LAST_TRY);
        bool slip = r.painleve_point < 0 && tells &&
                    impulse_friction_release(l, T, g * T, pass < LAST_TRY);
        bool stop = r.painleve_point < 0 && tells && impulse_friction_catch(l, age, g * T);
        for (int i = 0; i < s->body_count && s->friction.undone; i++) {
            s->body[i] = s->last[i];
        }
        for (int i = 0; i < s->point_count && s->friction.undone; i++) {
            s->point[i].p = s->contact_point[i].friction.p_before;
        }
        s->friction.undone = false;
        if (slip || stop || turn) {
            change = 1;
        } else if (ends)
            break;
        T = next;
    }
    return r;
}

// No direction of sliding holds some point: it jams, which a collision can (physics.md E.3). The
// fastest point collides alone, without bounce, its velocity taken with what the hop adds.
static bool jam(Loop *l) {
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
    impVec3 adds = impulse_friction_continues(&s->contact_point[fastest])
                       ? sub(q->c, s->contact_point[fastest].friction.slip_before)
                       : q->c;
    impImpactDef def = { .k = { { q->k.x.x, q->k.x.y, q->k.x.z },
                                { q->k.y.x, q->k.y.y, q->k.y.z },
                                { q->k.z.x, q->k.z.y, q->k.z.z } },
                         .u = add(s->contact_point[fastest].u, adds),
                         .friction_static = q->friction,
                         .friction_dynamic = q->friction };
    impImpact hit;
    if (solve_impact(&def, &hit, NULL) != IMP_SOLVED)
        return journal_stop(&l->journal, IMP_STALLED,
                            "bodies '%s' and '%s' jam and cannot be resolved",
                            l->settings.model->body[s->contact_point[fastest].a].name,
                            l->settings.model->body[s->contact_point[fastest].b].name);
    q->p = hit.p;
    q->mode = CONTACT_SLIDE;
    solve_apply_impulse(s->body, q, q->p);
    return true;
}

// Not solved, and nothing is done about a point that is there and approaches: it would be due again
// and again.
static bool does_nothing(const Loop *l, double near) {
    const Island *s = &l->island;
    bool due = false;
    for (int i = 0; i < s->point_count; i++) {
        if (!zero3(s->point[i].p)) return false;
        due = due || (s->contact_point[i].gap <= near &&
                      s->contact_point[i].u.z < -s->contact_point[i].u_rounding);
    }
    return due;
}

// a point that is there gives way: it is due again, and no time passes
static bool stands_still(const Loop *l, double near) {
    const Island *s = &l->island;
    for (int i = 0; i < s->point_count; i++) {
        if (s->contact_point[i].gap <= near &&
            solve_point_velocity(s->body, &s->point[i]).z < -s->contact_point[i].u_rounding)
            return true;
    }
    return false;
}

static bool is_carried(const Loop *l, double g) {
    const Island *s = &l->island;
    for (int i = 0; i < s->point_count; i++) {
        if (dot(s->contact_point[i].n, l->flights.actor[s->contact_point[i].a].acceleration) <
            -FLOOR * g)
            return true;
    }
    return false;
}

// A body in a slot, or under a lip, has no room for its hop: what lifts it from below presses it
// against what is above, with a force that nobody gave, and friction with it. Between two walls
// that nothing presses it to, the force alone tells. A shorter hop is lower; but not for ever, for
// what is wedged has such a force. Asked of bodies that hop alone: in a heap it may be others that
// press.
static bool is_squeezed(const Loop *l, double near, double T) {
    const Island *s = &l->island;
    if (s->body_count > 1) return false;
    double g = strongest(s);
    double most = is_carried(l, g) ? HUGE_VAL : STRESS * g * T;
    for (int i = 0; i < s->point_count; i++) {
        const MicrostepPoint *q = &s->point[i];
        if ((s->contact_point[i].contact_above && q->p.z > 0) || q->p.z * q->k.z.z > most)
            return true;
    }
    return stands_still(l, near);
}

static MicrostepResult solve_no_longer(Loop *l, double age, double near, double longest,
                                       double *length) {
    l->island.longest = longest;
    set_points(l);
    return solve(l, age, near, length);
}

static MicrostepResult solve_to_leave(Loop *l, double age, double near, double *length) {
    MicrostepResult r = solve_no_longer(l, age, near, HUGE_VAL, length);
    if (r.painleve_point >= 0 || !is_squeezed(l, near, *length)) return r;
    bool still = stands_still(l, near);
    for (int i = 1; i <= (still ? MANY_SHORTENINGS : SHORTENINGS); i++) {
        r = solve_no_longer(l, age, near, SHORTER * *length, length);
        if (r.painleve_point >= 0) continue;
        if (!is_squeezed(l, near, *length) || (i >= SHORTENINGS && still && !stands_still(l, near)))
            return r;
    }
    // it is not for its length
    return solve_no_longer(l, age, near, HUGE_VAL, length);
}

// --- what it did ---------------------------------------------------------------------------------
// Friction acts against the slip that set_drifts says: what it takes less than it could, but for
// the solver's tolerance.
static void certify_slip(Loop *l, const MicrostepPoint *q, impVec3 u) {
    impVec3 mean = add(u, q->c);
    double side = sqrt(q->p.x * q->p.x + q->p.y * q->p.y);
    double slip = sqrt(mean.x * mean.x + mean.y * mean.y);
    if (q->mode == CONTACT_SLIDE && !q->friction_is_given) {
        l->journal.found.slip = max2(l->journal.found.slip, side * slip + q->p.x * mean.x +
                                                                q->p.y * mean.y -
                                                                1e-12 * side * slip);
    }
}

// A hop lifts its bodies by a part of the band (microcollisions.md sec. 7), and takes more than
// that where it is long. One that gives a hundred times as much has gone wrong.
#define MOST_LIFTS 100
static bool certify_energy(Loop *l) {
    const Island *s = &l->island;
    double gain = 0, lift = 0, kinetic = 0;
    for (int i = 0; i < s->body_count; i++) {
        const Actor *a = &l->flights.actor[s->member[i]];
        double before = contact_kinetic_energy(a);
        double then = contact_kinetic_energy_at(a, s->body[i].v, s->body[i].w);
        gain += then - before;
        kinetic += before + then;
        lift += a->body->mass * strongest(s) * l->settings.band;
    }
    for (int i = 0; i < s->point_count; i++) {
        gain -= dot(contact_world(&s->contact_point[i], s->point[i].p),
                    s->point[i].support_velocity);
    }
    if (gain <= MOST_LIFTS * lift + 1e-9 * kinetic) return true;
    return impulse_stop_energy_gain(&l->island, &l->journal, gain);
}

// Points that are there must not approach.
static void certify_leaving(Loop *l, double near) {
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
        // a micro-step ends every approach: no restitution
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

// Only those that an impulse moved fly anew: the others' hops go on as they are, and so do their
// ages. Lists them.
#define LANDED 1.25  // of its length: a hop is over
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
        l->flights.lands_at[s->member[i]] = l->clock.now + LANDED * T;
        s->moved[count++] = s->member[i];
    }
    return count;
}

// In a heap that settles somebody collides every few microseconds, and what that moved lands on its
// neighbours at once: all would hop anew for each of them, and the cost would grow with the square
// of their number. So the points of many bodies wait for each other (can_wait in impulse_event.c),
// up to a part of a hop.
#define PATIENCE 0.5  // of the full hop
static void be_patient(Loop *l) {
    const Island *s = &l->island;
    double until = l->clock.now + PATIENCE * full_hop(s);
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
    MicrostepResult r = solve_to_leave(l, age, near, &T);
    if (r.painleve_point < 0 && !r.solved && does_nothing(l, near)) {
        r.painleve_point = 0;
    }
    if (r.painleve_point >= 0 && !jam(l)) {
        impulse_island_clear(&l->island);
        return false;
    }
    if (r.painleve_point < 0) {
        impulse_warm_start_store(l, T);
    }
    l->journal.events++;
    l->journal.unconverged += r.painleve_point < 0 && !r.solved;
    if (r.painleve_point < 0) {
        certify_leaving(l, near);
    }
    bool good = (r.solved || impulse_check_unconverged(&l->island, &l->journal)) &&
                certify_energy(l) && log_points(l);
    book_points(l);
    int moved = relaunch(l, T);
    be_patient(l);
    if (good) {
        impulse_rest(l, moved, T);
    }
    // look again, later
    if (moved == 0) {
        moved = s->body_count;
        memcpy(s->moved, s->member, sizeof(int) * (size_t)moved);
    }
    good = good && impulse_refresh(l, s->moved, moved);
    impulse_island_clear(&l->island);
    return good;
}
