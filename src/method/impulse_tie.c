// impulse_tie.c -- ordinary collisions that happen at once and share a body: a ball between two others.
//
// One after the other (physics.md D.4) the order would decide, and a mirrored scene would not stay mirrored. So pairs
// that are due at the same time, to within the tolerance of an event, are resolved together, with Poisson's law:
// impulses p that end all approach without bounce (solve/hop.c, Coulomb's law on the velocities at that moment), then
// e times the normal ones again, with the friction that these allow. Points that touch but do not approach have no part
// in it: a chain of marbles without gaps is still struck one by one.
//
// No energy is created: p is dissipative, W p = u' - u, p . u' <= 0, so that (1 + e) p, with friction and all, changes
// the energy by (1 + e) (p . u + (1 + e) / 2 p . W p) <= 0 for e <= 1. Where friction in the second part would do worse
// than that, this is what is taken.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

enum { FRICTION_SWEEPS = 200 };

// --- who ------------------------------------------------------------------------------------------------------------
static bool admit(Loop *l, const Touch *t) {
    Island *s = &l->island;
    if (s->touches >= l->room.touches)
        return impulse_stop(l, IMP_FULL, "more than %d points collide at once", l->room.touches);
    impulse_seat(l, t->a), impulse_seat(l, t->b);
    s->touch[s->touches++] = *t;
    return true;
}

int impulse_ties(Loop *l, const Pair *first, const Touch *t, double slack) {
    Island *s = &l->island;
    s->bodies = s->touches = 0, s->stamp++;
    l->pair[first - l->pair].stamp = s->stamp;
    if (impulse_alone(l, first, l->now + slack)) return 1;
    bool good = admit(l, t);
    for (int i = 0; i < s->bodies && good; i++) {
        int count = impulse_partners(l, s->member[i]);
        for (int k = 0; k < count && good; k++) {
            Pair *p = &l->pair[l->partners[k]];
            Touch other;
            if (p->stamp == s->stamp || p->time > l->now + slack) continue;
            p->stamp = s->stamp;
            if (!impulse_collides(l, p, &other)) continue;
            if (l->actor[p->i].asleep || l->actor[p->j].asleep) return impulse_leave(l), impulse_wake_both(l, p->i, p->j) ? 0 : -1;
            good = admit(l, &other);
        }
    }
    int n = good ? s->touches : -1;
    if (n <= 1) impulse_leave(l);
    return n;
}

// --- what -----------------------------------------------------------------------------------------------------------
static double kinetic(const Loop *l, const HopBody *bodies) {
    double sum = 0;
    for (int i = 0; i < l->island.bodies; i++) {
        Actor a = l->actor[l->island.member[i]];
        a.v = bodies[i].v, a.w = bodies[i].w;
        sum += contact_kinetic(&a);
    }
    return sum;
}

static impVec3 drive_of(const Touch *t, const HopPoint *q) {       // in the frame of the touch
    return vec(dot(t->t1, q->drive), dot(t->t2, q->drive), dot(t->n, q->drive));
}

static void begin(Loop *l) {
    Island *s = &l->island;
    for (int i = 0; i < s->bodies; i++) s->body[i] = s->before[i];
    for (int i = 0; i < s->touches; i++) {
        Touch *t = &s->touch[i];
        s->point[i] = contact_hop_point(l->actor, t, s->seat[t->a], s->seat[t->b]);
        t->u = solve_hop_velocity(s->body, &s->point[i]);
    }
}

// The friction that goes with a normal impulse of c.z: as much as stops sliding, but no more than that allows. Both
// gather in c.
static double add_friction(HopBody *bodies, HopPoint *q) {
    const Mat3 *k = &q->k;
    impVec3 u = solve_hop_velocity(bodies, q), was = q->c;
    double det = k->x.x * k->y.y - k->x.y * k->x.y, most = q->friction_dynamic * q->c.z;
    impVec3 side = vec(was.x - (k->y.y * u.x - k->x.y * u.y) / det, was.y - (k->x.x * u.y - k->x.y * u.x) / det, 0);
    double size = norm(side);
    if (size > most) side = scale(most / size, side);
    q->c = vec(side.x, side.y, was.z);
    solve_hop_push(bodies, q, sub(q->c, was));
    return norm(sub(q->c, was));
}

// All impulses at once and from the start: the solver's many small ones leave rounding behind that the books would see.
static void push_all(Loop *l) {
    Island *s = &l->island;
    for (int i = 0; i < s->bodies; i++) s->body[i] = s->before[i];
    for (int i = 0; i < s->touches; i++) solve_hop_push(s->body, &s->point[i], s->point[i].p);
}

static void bounce(Loop *l) {
    Island *s = &l->island;
    double most = 0, moved = HUGE_VAL;
    for (int i = 0; i < s->touches; i++) {
        HopPoint *q = &s->point[i];
        q->c = vec(0, 0, s->touch[i].law->restitution * q->p.z);
        solve_hop_push(s->body, q, q->c);
        most = max2(most, q->c.z);
    }
    for (int k = 0; k < FRICTION_SWEEPS && moved > 1e-15 * most; k++) {
        moved = 0;
        for (int i = 0; i < s->touches; i++) moved = max2(moved, add_friction(s->body, &s->point[i]));
    }
    for (int i = 0; i < s->touches; i++) s->point[i].p = add(s->point[i].p, s->point[i].c);
    push_all(l);
}

// The same impulses again, e times, friction and all: proven not to create energy.
static void bounce_safely(Loop *l) {
    Island *s = &l->island;
    double e = 1;
    for (int i = 0; i < s->touches; i++) e = min2(e, s->touch[i].law->restitution);
    for (int i = 0; i < s->touches; i++) s->point[i].p = scale(1 + e, sub(s->point[i].p, s->point[i].c));
    push_all(l);
}

// Sweeps have the digits that are needed here: two that touch after it would collide again. All at once if that takes long.
static bool stop_all(Loop *l, double tolerance) {
    Island *s = &l->island;
    HopResult r = solve_hop(s->body, s->bodies, s->point, s->touches, tolerance, false, NULL);
    if (r.solved || r.jammed >= 0) return r.jammed < 0;
    for (int i = 0; i < s->bodies; i++) s->body[i] = s->before[i];
    return solve_hop(s->body, s->bodies, s->point, s->touches, 1e3 * tolerance, false, &s->room).jammed < 0;   // as fine as that gets
}

static bool resolve(Loop *l) {                                     // false: it jams
    Island *s = &l->island;
    double fastest = 0;
    begin(l);
    for (int i = 0; i < s->touches; i++) fastest = max2(fastest, -s->touch[i].u.z);
    // a breath more than no approach: what rounding leaves of it would be a collision again, and again
    for (int i = 0; i < s->touches; i++) s->point[i].c.z = -4e-15 * fastest;
    if (!stop_all(l, 1e-15 * fastest)) return false;
    double before = kinetic(l, s->before);
    bounce(l);
    for (int i = 0; i < s->touches; i++) before += dot(s->point[i].p, drive_of(&s->touch[i], &s->point[i]));
    if (kinetic(l, s->body) > before * (1 + 1e-14)) bounce_safely(l);
    return true;
}

// --- what it did ----------------------------------------------------------------------------------------------------
static bool put_down(Loop *l, int i) {
    Island *s = &l->island;
    const Touch *t = &s->touch[i];
    const HopPoint *q = &s->point[i];
    if (zero3(q->p)) return true;
    impVec3 u = solve_hop_velocity(s->body, q), p = contact_world(t, q->p);
    double driven = dot(p, q->drive);
    bool sticks = u.x * u.x + u.y * u.y <= 1e-18 * dot(t->u, t->u);
    impContact c = { .a = { t->a }, .b = { t->b }, .point = t->at, .normal = t->n, .gap = t->gap,
                     .friction = t->law->friction_dynamic, .restitution = t->law->restitution,
                     .before = contact_world(t, t->u), .after = contact_world(t, u), .impulse = p, .feature = t->feature,
                     .time = l->now, .energy = 0.5 * dot(q->p, add(u, t->u)) + driven, .driven = driven,
                     .mode = sticks ? IMP_STICKS : IMP_SLIDES };
    impulse_book(l, t->a, p, cross(q->arm_a, p), 0);
    if (q->b >= 0) impulse_book(l, t->b, neg(p), neg(cross(q->arm_b, p)), 0);
    l->collisions++;
    return impulse_log(l, &c);
}

bool impulse_collide_ties(Loop *l, bool *jams) {
    Island *s = &l->island;
    *jams = !resolve(l);
    if (*jams) return impulse_leave(l), true;
    bool good = true;
    for (int i = 0; i < s->touches; i++) good = put_down(l, i) && good;
    good = good && impulse_run_on(l, l->m->run.micro == IMP_HOP);
    impulse_leave(l);
    return good;
}
