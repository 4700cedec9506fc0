// iterated_impact.c -- impacts of a node by iterated impulses, in rounds.
//
// Bender & Schmitt 2006, section 3; docs/theory/iterated.md, section 3. A round takes the points
// that approach fastest now, in a crowd all that approach faster than the threshold; one that an
// impact has made approach belongs to a later round. So five balls in a row pass an impulse on. An
// impact of one pair of bodies, neither of which has another one in the round, is one frictional
// collision (docs/theory/frictional-impact.md); impacts that share a body are solved together:
// compression by accumulated impulses until nothing approaches, then restitution, by Poisson's law
// an impulse e times that of the compression, by Newton's law the velocity -e u_n that the paper
// asks for.
//
// SPDX-License-Identifier: MIT
#include "method/iterated.h"

#include "solve/solve.h"

// Tolerances: docs/theory/iterated.md, section 8.
enum {
    ORDERED_ROUNDS = 100,  // of a node, the fastest first; then all at once
    ROUNDS = 200,          // of a node; then the rest is left to the lasting contacts
    SWEEPS = 400,          // of the points of a round
    GUARDS = 6,            // attempts with a smaller e where Newton's law would create energy:
                           // five halvings, then e = 0
    SWEEPS_AT_END = 30     // of the impacts of a crowd at the end of the step
};
// 1, of the change by the first of these sweeps: they end when one changes velocities by less
#define REDUCTION_AT_END 1e-3
// 1, of the fastest approach of a round: slower ones belong to the next
#define AS_FAST 0.999
// 1, of the approach: points of a pair that are as fast count as simultaneous
#define SIMULTANEOUS 1e-7
// 1: cosine between normals that count as one, less than 1 by so much
#define SAME_NORMAL 1e-12
// 1, of the threshold: the sweeps end when no impulse changes a velocity by more
#define CONVERGED 1e-9
// 1, of the mobility along the other tangent: a smaller one is that of a body held in a plane
#define HELD 1e-12
// 1, of the velocity before: a slip that is smaller has stopped
#define STOPPED 1e-9
// 1, of the energy that all impulses of a round exchange: rounding of their sum
#define ENERGY_ROUNDING 1e-12

// --- impulses in the journal ---------------------------------------------------------------------

// Logs an impulse that changed the velocity at a point, at a time. False: stopped.
static bool log_impact(Iterated *it, const IteratedPoint *p, const IteratedImpact *impact,
                       impVec3 u_after, double time) {
    const ContactRow *row = &impact->row;
    ContactPoint contact = iterated_contact(it, p, row);
    impVec3 u_before = sub(impact->u_before, p->support);
    PointImpulse impulse = { .p = impact->total, .u_before = u_before, .u_after = u_after };
    impulse.support_velocity = contact_world(&contact, p->support);
    impContact record = journal_record(&contact, time, &impulse);
    bool sticks = u_after.x * u_after.x + u_after.y * u_after.y <=
                  STOPPED * STOPPED * dot(u_before, u_before);
    record.mode = sticks ? IMP_STICKS : IMP_SLIDES;
    journal_book(&it->journal, p->set.a, record.impulse, cross(row->arm_a, record.impulse), 0);
    if (row->b >= 0) {
        journal_book(&it->journal, p->set.b, neg(record.impulse),
                     neg(cross(row->arm_b, record.impulse)), 0);
    }
    it->journal.events++;
    return journal_certify(&it->journal, &contact, impact->total) &&
           journal_log(&it->journal, &record);
}

static bool log_impacts(Iterated *it, const IteratedNode *node, int first, int count, double time) {
    for (int i = first; i < first + count; i++) {
        const IteratedImpact *impact = &it->impact[i];
        const IteratedPoint *p = iterated_point(it, node, impact->point);
        if (zero3(impact->total)) continue;
        impVec3 u = sub(problem_contact_velocity(&it->problem, &impact->row), p->support);
        if (!log_impact(it, p, impact, u, time)) return false;
    }
    return true;
}

void iterated_launch_bodies(Iterated *it, const IteratedNode *node, double time) {
    for (int i = 0; i < node->body_count; i++) {
        const ProblemBody *body = &it->problem.body[i];
        Actor *a = &it->bodies.actor[node->body[i]];
        if (zero3(sub(a->v, body->v)) && zero3(sub(a->w, body->w))) continue;
        journal_launch(&it->journal, a, body->v, body->w);
        journal_log_velocity_change(&it->journal, a, time);
    }
}

// --- iterated impulses ---------------------------------------------------------------------------

// The larger eigenvalue of the tangential block of a row's matrix.
static double largest_tangent(Mat3 w) {
    double mean = 0.5 * (w.x.x + w.y.y);
    double half = 0.5 * (w.x.x - w.y.y);
    return mean + sqrt(half * half + w.x.y * w.x.y);
}

static IteratedImpact impact_at(Iterated *it, const IteratedPoint *p, int place) {
    IteratedImpact out = { .point = place, .row = iterated_row(it, p), .group = place };
    Mat3 w = problem_contact_matrix(&it->problem, &out.row);
    out.u_before = problem_contact_velocity(&it->problem, &out.row);
    out.normal_step = 1 / w.z.z;
    out.tangent_step = 1 / largest_tangent(w);
    return out;
}

// Brings one point to its target, with the friction that its normal impulse allows. Returns the
// change of velocity, m/s.
static double iterate(Iterated *it, const IteratedPoint *p, IteratedImpact *impact) {
    ContactRow *row = &impact->row;
    impVec3 u = sub(problem_contact_velocity(&it->problem, row), p->support);
    impVec3 next = row->p;
    next.z = max2(next.z + impact->normal_step * (impact->target - u.z), 0);
    next.x -= impact->tangent_step * u.x;
    next.y -= impact->tangent_step * u.y;
    double limit = row->friction * (next.z + impact->preload);
    double size = sqrt(next.x * next.x + next.y * next.y);
    if (size > limit) {
        next.x *= limit / size;
        next.y *= limit / size;
    }
    impVec3 change = sub(next, row->p);
    if (zero3(change)) return 0;
    row->p = next;
    problem_apply_contact(&it->problem, row, change);
    return max2(fabs(change.z) / impact->normal_step,
                max2(fabs(change.x), fabs(change.y)) / impact->tangent_step);
}

// Sweeps over the impacts until nothing changes.
static void iterate_all(Iterated *it, const IteratedNode *node, int first, int count) {
    for (int k = 0; k < SWEEPS; k++) {
        double most = 0;
        for (int i = first; i < first + count; i++) {
            IteratedImpact *impact = &it->impact[i];
            const IteratedPoint *p = iterated_point(it, node, impact->point);
            most = max2(most, iterate(it, p, impact));
        }
        if (most <= CONVERGED * it->settings.threshold) return;
    }
    it->journal.unconverged++;
}

// Ends a phase: its impulses belong to the total.
static void end_phase(Iterated *it, int first, int count) {
    for (int i = first; i < first + count; i++) {
        it->impact[i].total = add(it->impact[i].total, it->impact[i].row.p);
        it->impact[i].row.p = vec(0, 0, 0);
    }
}

// Compression, then restitution by Poisson's law.
static void by_poisson(Iterated *it, const IteratedNode *node, int first, int count) {
    iterate_all(it, node, first, count);
    end_phase(it, first, count);
    for (int i = first; i < first + count; i++) {
        IteratedImpact *impact = &it->impact[i];
        const IteratedPoint *p = iterated_point(it, node, impact->point);
        impact->preload = p->set.law->restitution * impact->total.z;
        impVec3 restitution = vec(0, 0, impact->preload);
        problem_apply_contact(&it->problem, &impact->row, restitution);
        impact->total = add(impact->total, restitution);
    }
    iterate_all(it, node, first, count);
    end_phase(it, first, count);
}

void iterated_restore(Iterated *it, const IteratedNode *node) {
    Problem *problem = &it->problem;
    for (int i = 0; i < node->body_count; i++) {
        problem->body[i].plane = it->bodies.actor[node->body[i]].body->plane;
    }
    const int count = problem->contact_count;
    bool any = false;
    for (int i = 0; i < count; i++) {
        IteratedPoint *p = iterated_point(it, node, i);
        any = any || p->is_impact;
        it->impact[i] = impact_at(it, p, i);
        it->impact[i].target = -problem->contact[i].bias.z - p->support.z;
    }
    for (int i = 0; i < count && any; i++) {
        IteratedImpact *impact = &it->impact[i];
        const IteratedPoint *p = iterated_point(it, node, i);
        if (!p->is_impact) continue;
        impact->preload = p->rebound * problem->contact[i].p.z;
        impact->total = vec(0, 0, impact->preload);
        problem_apply_contact(problem, &impact->row, impact->total);
    }
    if (!any) return;
    iterate_all(it, node, 0, count);
    end_phase(it, 0, count);
    for (int i = 0; i < count; i++) {
        problem->contact[i].p = add(problem->contact[i].p, it->impact[i].total);
    }
}

// The kinetic energy that the impulses have added, J, seen from supports that move, and in
// *exchanged what they have moved.
static double energy_added(Iterated *it, const IteratedNode *node, int first, int count,
                           double *exchanged) {
    double sum = 0;
    *exchanged = 0;
    for (int i = first; i < first + count; i++) {
        const IteratedImpact *impact = &it->impact[i];
        impVec3 u = problem_contact_velocity(&it->problem, &impact->row);
        impVec3 support = iterated_point(it, node, impact->point)->support;
        impVec3 mean = scale(0.5, add(u, impact->u_before));
        double work = dot(impact->total, sub(mean, support));
        sum += work;
        *exchanged += fabs(work);
    }
    return sum;
}

static void undo(Iterated *it, int first, int count) {
    for (int i = first; i < first + count; i++) {
        IteratedImpact *impact = &it->impact[i];
        problem_apply_contact(&it->problem, &impact->row, neg(impact->total));
        impact->total = impact->row.p = vec(0, 0, 0);
    }
}

// Newton's law: velocities as targets. With friction it can create energy, which no collision does:
// then with a smaller coefficient.
static void by_newton(Iterated *it, const IteratedNode *node, int first, int count) {
    double part = 1;
    for (int k = 0; k <= GUARDS; k++) {
        double exchanged;
        for (int i = first; i < first + count; i++) {
            IteratedImpact *impact = &it->impact[i];
            const IteratedPoint *p = iterated_point(it, node, impact->point);
            double approach = impact->u_before.z - p->support.z;
            impact->target = -part * p->set.law->restitution * approach;
        }
        iterate_all(it, node, first, count);
        end_phase(it, first, count);
        if (energy_added(it, node, first, count, &exchanged) <= ENERGY_ROUNDING * exchanged) return;
        it->journal.energy_gains += k == 0;
        if (k == GUARDS) return;
        undo(it, first, count);
        part = k + 1 < GUARDS ? 0.5 * part : 0;
    }
}

// --- a round -------------------------------------------------------------------------------------

// The speed (m/s) at which a point approaches that touches and bounces; else 0.
static double approach_of(const Iterated *it, const IteratedPoint *p) {
    if (!iterated_touches(it, p) || p->set.law->restitution == 0) return 0;
    return max2(-iterated_velocity(it, p).z, 0);
}

// Lists the points that have an impact now: the fastest, or all. Returns their number.
static int list_impacts(Iterated *it, const IteratedNode *node, bool all) {
    int count = 0;
    double fastest = 0;
    for (int i = 0; i < node->point_count; i++) {
        fastest = max2(fastest, approach_of(it, iterated_point(it, node, i)));
    }
    if (fastest < it->settings.threshold) return 0;
    double least = max2(it->settings.threshold, all ? 0 : AS_FAST * fastest);
    for (int i = 0; i < node->point_count; i++) {
        const IteratedPoint *p = iterated_point(it, node, i);
        if (approach_of(it, p) >= least) {
            it->impact[count++] = impact_at(it, p, i);
        }
    }
    return count;
}

static bool is_same_pair(const SetPoint *p, const SetPoint *q) {
    return p->a == q->a && p->b == q->b && dot(p->n, q->n) >= 1 - SAME_NORMAL;
}

// Points of a pair come one after the other in the list: gives them the number of the first, and
// counts the groups of each body.
static void find_groups(Iterated *it, const IteratedNode *node, int count) {
    for (int i = 0; i < node->body_count; i++) {
        it->use_count[i] = 0;
    }
    for (int i = 0; i < count; i++) {
        IteratedImpact *impact = &it->impact[i];
        const SetPoint *p = &iterated_point(it, node, impact->point)->set;
        const IteratedImpact *before = i > 0 ? &it->impact[i - 1] : NULL;
        if (before && is_same_pair(p, &iterated_point(it, node, before->point)->set)) {
            impact->group = before->group;
            continue;
        }
        impact->group = i;
        it->use_count[impact->row.a]++;
        if (impact->row.b >= 0) {
            it->use_count[impact->row.b]++;
        }
    }
}

static bool is_alone(const Iterated *it, const IteratedImpact *impact) {
    return it->use_count[impact->row.a] == 1 &&
           (impact->row.b < 0 || it->use_count[impact->row.b] == 1);
}

// The place of an impact at all points of a group that are as fast as its fastest: (20) of
// docs/theory/frictional-impact.md.
static IteratedImpact place_of_group(Iterated *it, const IteratedNode *node, int first, int count) {
    ContactPoint *tied = it->tied;
    int order[ITERATED_TIED];
    int ties = 0;
    int fastest = first;
    for (int i = first; i < first + count; i++) {
        if (it->impact[i].u_before.z < it->impact[fastest].u_before.z) {
            fastest = i;
        }
    }
    IteratedImpact out = it->impact[fastest];
    const IteratedPoint *best = iterated_point(it, node, out.point);
    double speed = best->support.z - out.u_before.z;
    for (int i = first; i < first + count; i++) {
        const IteratedPoint *p = iterated_point(it, node, it->impact[i].point);
        if (p->support.z - it->impact[i].u_before.z < (1 - SIMULTANEOUS) * speed) continue;
        if (ties == ITERATED_TIED) {
            it->journal.unconverged++;
            break;
        }
        tied[ties] = (ContactPoint){ .a = p->set.a,
                                     .b = p->set.b,
                                     .at = add(it->bodies.actor[p->set.a].x, p->arm_a),
                                     .n = p->set.n,
                                     .t1 = p->t1,
                                     .t2 = p->t2,
                                     .law = p->set.law };
        order[ties] = ties;
        ties++;
    }
    if (ties < 2) return out;
    IteratedPoint moved = *best;
    impVec3 at = contact_impact_point(it->bodies.actor, tied, order, ties);
    moved.arm_a = sub(at, it->bodies.actor[best->set.a].x);
    moved.arm_b = sub(at, it->bodies.actor[best->set.b].x);
    return impact_at(it, &moved, out.point);
}

// One frictional collision by the law of the pair. False: stopped.
static bool collide(Iterated *it, const IteratedNode *node, IteratedImpact *impact) {
    const IteratedPoint *p = iterated_point(it, node, impact->point);
    const impPairLaw *law = p->set.law;
    Mat3 k = problem_contact_matrix(&it->problem, &impact->row);
    // across the plane of a body nothing slips, and friction of any mobility does nothing there
    if (k.y.y <= HELD * k.x.x) {
        k.y = vec(0, k.x.x, 0);
        k.x.y = k.z.y = 0;
    }
    impImpactDef def = {
        .k = { { k.x.x, k.x.y, k.x.z }, { k.y.x, k.y.y, k.y.z }, { k.z.x, k.z.y, k.z.z } },
        .u = sub(impact->u_before, p->support),
        .friction_static = law->friction_static,
        .friction_dynamic = law->friction_dynamic,
        .restitution = law->restitution,
        .law = law->law
    };
    impImpact result;
    impVerdict verdict = solve_impact(&def, &result, NULL);
    if (verdict != IMP_SOLVED)
        return journal_stop(
            &it->journal, verdict, "bodies '%s' and '%s': their collision could not be resolved",
            it->settings.model->body[p->set.a].name, it->settings.model->body[p->set.b].name);
    problem_apply_contact(&it->problem, &impact->row, result.p);
    impact->total = result.p;
    it->journal.energy_gains += result.gain;
    return true;
}

// Collisions that are alone; the others are moved to the front of the list. Returns how many these
// are; negative: stopped.
static int resolve_alone(Iterated *it, const IteratedNode *node, int count, double time) {
    int left = 0;
    for (int i = 0; i < count;) {
        int of_group = 1;
        while (i + of_group < count && it->impact[i + of_group].group == it->impact[i].group) {
            of_group++;
        }
        if (is_alone(it, &it->impact[i])) {
            IteratedImpact impact = place_of_group(it, node, i, of_group);
            if (!collide(it, node, &impact)) return -1;
            const IteratedPoint *p = iterated_point(it, node, impact.point);
            impVec3 u = sub(problem_contact_velocity(&it->problem, &impact.row), p->support);
            if (!log_impact(it, p, &impact, u, time)) return -1;
        } else {
            for (int k = 0; k < of_group; k++) {
                it->impact[left++] = it->impact[i + k];
            }
        }
        i += of_group;
    }
    return left;
}

static bool resolve_together(Iterated *it, const IteratedNode *node, int count, double time) {
    bool newton = false;
    for (int i = 0; i < count; i++) {
        const IteratedPoint *p = iterated_point(it, node, it->impact[i].point);
        newton = newton || p->set.law->law == IMP_NEWTON;
    }
    if (newton) {
        by_newton(it, node, 0, count);
    } else {
        by_poisson(it, node, 0, count);
    }
    return log_impacts(it, node, 0, count, time);
}

int iterated_resolve_round(Iterated *it, const IteratedNode *node, bool all) {
    int count = list_impacts(it, node, all);
    if (count == 0) return 0;
    find_groups(it, node, count);
    int left = resolve_alone(it, node, count, node->time);
    if (left < 0) return -1;
    if (left > 0 && !resolve_together(it, node, left, node->time)) return -1;
    return count;
}

bool iterated_resolve_impacts(Iterated *it, const IteratedNode *node) {
    int rounds = 0;
    for (;; rounds++) {
        bool all = node->is_crowd || rounds >= ORDERED_ROUNDS;
        int count = iterated_resolve_round(it, node, all);
        if (count < 0) return false;
        if (count == 0) break;
        if (rounds == ROUNDS) {
            it->journal.unconverged++;
            break;
        }
    }
    if (rounds > 0) {
        iterated_launch_bodies(it, node, node->time);
    }
    return true;
}

// --- the rest of the impacts of a crowd ----------------------------------------------------------

// Where a vector gets to that a body has carried since the pose that it has in `state`.
// bodies.motion would not do: local nodes overwrite it with the motion from their own time on.
static impVec3 carried(const Iterated *it, const Actor *a, const double *state, impVec3 r) {
    const Actor before = contact_actor(it->settings.model, a->index, state);
    return mul(rotation(a->q), mul_t(rotation(before.q), r));
}

// A point where the step has brought it, with the velocity that it is to have, as a row. The body
// carries the core point; from there to the surface it goes along the normal, however a ball spins.
static void add_impact_at_end(Iterated *it, const double *state, IteratedPoint *p, int place) {
    const Actor *a = &it->bodies.actor[p->set.a];
    const Actor *b = &it->bodies.actor[p->set.b];
    impVec3 to_surface = sub(p->arm_a, p->set.core_a);
    p->arm_a = add(carried(it, a, state, p->set.core_a), to_surface);
    p->arm_b = sub(add(a->x, p->arm_a), b->x);
    if (!b->free) {
        impVec3 v = add(b->v, cross(b->w, p->arm_b));
        p->support = vec(dot(v, p->t1), dot(v, p->t2), dot(v, p->set.n));
    }
    int i = it->problem.contact_count++;
    ContactRow row = iterated_row(it, p);
    impVec3 u = problem_contact_velocity(&it->problem, &row);
    it->impact[i] = (IteratedImpact){ .point = place, .row = row, .u_before = u };
    row.bias = sub(vec(0, 0, -p->rebound), p->support);
    it->problem.contact[i] = row;
}

// One contact problem for all of them.
static void solve_at_end(Iterated *it) {
    const SolverOptions options = { .tolerance = it->settings.tolerance,
                                    .iterations = SWEEPS_AT_END,
                                    .reduction = REDUCTION_AT_END,
                                    .thread_pool = it->settings.options->thread_pool };
    SolverReport report = solvers[solver_find("coloured")].solve(&it->problem, &options, it->arena);
    it->journal.unconverged += !report.solved;
    for (int i = 0; i < it->problem.contact_count; i++) {
        it->impact[i].total = it->problem.contact[i].p;
    }
}

// Brings the bodies of a crowd, and what they bounce off, to the end of the step. False: nothing of
// it bounces, and all stays where it is.
static bool move_crowd_to_end(Iterated *it, const IteratedNode *node) {
    bool any = false;
    for (int i = 0; i < node->point_count; i++) {
        const IteratedPoint *p = iterated_point(it, node, i);
        if (!p->is_impact) continue;
        contact_move(it->settings.model, &it->bodies.actor[p->set.b], it->settings.end);
        any = true;
    }
    for (int i = 0; i < node->body_count && any; i++) {
        it->islands.index[node->body[i]] = i;
        contact_move(it->settings.model, &it->bodies.actor[node->body[i]], it->settings.end);
    }
    return any;
}

bool iterated_finish_impacts(Iterated *it, const IteratedNode *node, const double *state) {
    if (!move_crowd_to_end(it, node)) return true;
    iterated_set_bodies(it, node);
    iterated_add_planes(it, node);
    for (int i = 0; i < node->point_count; i++) {
        IteratedPoint *p = iterated_point(it, node, i);
        if (p->is_impact) {
            add_impact_at_end(it, state, p, i);
        }
    }
    solve_at_end(it);
    if (!log_impacts(it, node, 0, it->problem.contact_count, it->settings.end)) return false;
    iterated_launch_bodies(it, node, it->settings.end);
    return true;
}
