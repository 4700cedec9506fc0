// impulse_blow.c -- an ordinary collision, and how it runs on through those that touch.
//
// One point collides at a time, with Coulomb's law at every instant of it (solve/impact.c; Mirtich & Canny 1994). What it gives to
// a body that others hold makes their points approach, and these collide next. In a row of leaning dominos such collisions run
// to and fro: each when its point has closed what is left of its gap, some millionths of a metre, a hundred times within
// microseconds, and each with a look at all neighbours. Here they happen at once, the fastest first, among points that are in the
// band, until nothing approaches faster than what is microscopic: the rest is one hop's (impulse_hop.c). Only bodies that were
// struck are asked for their points, and once.
//
// A collision that bounces is left to its time: only those are run through whose bounce, restitution times approach, is itself
// microscopic. So a rack of pool balls or a row of marbles is struck one by one, as their gaps have it. Where two points of one body
// approach equally fast the order would decide: they are left to their time, too, which is one (impulse_tie.c).
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

enum { SEATED, STRUCK, ASKED };               // island.moved, by seat: who is there; an impulse moved it; its points are known
enum { MOST = 4096 };                         // collisions at once: the others are left to their time

// --- one point -------------------------------------------------------------------------------------------------------
static double kinetic(const Loop *l, const HopPoint *q) {          // of both
    const Island *s = &l->island;
    double sum = contact_kinetic_at(&l->actor[s->member[q->a]], s->body[q->a].v, s->body[q->a].w);
    return q->b < 0 ? sum : sum + contact_kinetic_at(&l->actor[s->member[q->b]], s->body[q->b].v, s->body[q->b].w);
}

static void strike_body(Loop *l, int seat) {
    if (seat >= 0 && l->island.moved[seat] == SEATED) l->island.moved[seat] = STRUCK;
}

static bool strike(Loop *l, const Touch *t) {
    Island *s = &l->island;
    HopPoint q = contact_hop_point(l->actor, t, s->seat[t->a], s->seat[t->b]);
    Mat3 k = solve_hop_matrix(s->body, &q);
    impImpactDef def = { .k = { { k.x.x, k.x.y, k.x.z }, { k.y.x, k.y.y, k.y.z }, { k.z.x, k.z.y, k.z.z } },
                         .u = solve_hop_velocity(s->body, &q), .friction_static = t->law->friction_static,
                         .friction_dynamic = t->law->friction_dynamic, .restitution = t->law->restitution,
                         .law = t->law->law };
    impImpact hit;
    impVerdict verdict = solve_impact(&def, &hit, NULL);
    if (verdict != IMP_SOLVED)
        return impulse_stop(l, verdict, "bodies '%s' and '%s': their collision could not be resolved",
                            l->m->body[t->a].name, l->m->body[t->b].name);
    double before = kinetic(l, &q);
    solve_hop_push(s->body, &q, hit.p);
    double after = kinetic(l, &q);
    impVec3 p = contact_world(t, hit.p), u = solve_hop_velocity(s->body, &q);
    bool sticks = u.x * u.x + u.y * u.y <= 1e-18 * dot(def.u, def.u);
    impContact c = { .a = { t->a }, .b = { t->b }, .point = t->at, .normal = t->n, .gap = t->gap,
                     .friction = t->law->friction_dynamic, .restitution = t->law->restitution, .impulse = p,
                     .feature = t->feature, .time = l->now, .energy = after - before, .driven = dot(p, q.drive),
                     .mode = sticks ? IMP_STICKS : IMP_SLIDES };
    c.before = contact_world(t, def.u);
    c.after = contact_world(t, u);
    l->found.approach = max2(l->found.approach, -u.z - 1e-12 * norm(def.u));
    strike_body(l, q.a), strike_body(l, q.b);
    impulse_book(l, t->a, p, cross(q.arm_a, p), 0);
    if (q.b >= 0) impulse_book(l, t->b, neg(p), neg(cross(q.arm_b, p)), 0);
    l->collisions++, l->gains += hit.gain;
    return impulse_certify(l, t, hit.p) && impulse_log(l, &c);
}

// --- those that touch the ones that were struck ------------------------------------------------------------------------
static void sit_down(Loop *l, int body) {
    Island *s = &l->island;
    int there = s->bodies;
    impulse_seat(l, body);
    if (s->bodies > there) s->body[there] = s->before[there], s->moved[there] = SEATED;
}

static bool ask(Loop *l, int seat) {
    Island *s = &l->island;
    int partners = impulse_partners(l, s->member[seat]);
    s->moved[seat] = ASKED;
    for (int k = 0; k < partners; k++) {
        Pair *p = &l->pair[l->partners[k]];
        if (p->stamp == s->stamp) continue;
        int count = impulse_find_points(l, p);
        if (count < 0) return false;
        if (count == 0) continue;
        sit_down(l, p->i), sit_down(l, p->j);
        for (int i = s->touches; i < s->touches + count; i++) {
            const Touch *t = &s->touch[i];
            s->point[i] = contact_hop_point(l->actor, t, s->seat[t->a], s->seat[t->b]);
        }
        s->touches += count;
    }
    return true;
}

static bool ask_all(Loop *l) {                                     // fills in the approach of every point that is struck
    Island *s = &l->island;
    for (int i = 0; i < s->bodies; i++)
        if (s->moved[i] == STRUCK && !ask(l, i)) return false;
    for (int i = 0; i < s->touches; i++) s->touch[i].u = solve_hop_velocity(s->body, &s->point[i]);
    return true;
}

// --- the next one ------------------------------------------------------------------------------------------------------
static bool is_next(const Touch *t) { return -t->u.z >= t->slow && -t->u.z * t->law->restitution < t->slow; }

static bool share_a_body(const HopPoint *p, const HopPoint *q) {
    return p->a == q->a || p->a == q->b || (p->b >= 0 && (p->b == q->a || p->b == q->b));
}

// The fastest, or the middle of those of one pair that are as fast. False: none is left, or others that touch the same body are
// as fast.
static bool find_next(const Island *s, Touch *out) {
    int best = -1, tied = 0;
    impVec3 at = vec(0, 0, 0);
    for (int i = 0; i < s->touches; i++)
        if (is_next(&s->touch[i]) && (best < 0 || s->touch[i].u.z < s->touch[best].u.z)) best = i;
    if (best < 0) return false;
    const Touch *first = &s->touch[best];
    for (int i = 0; i < s->touches; i++) {
        const Touch *t = &s->touch[i];
        if (!is_next(t) || t->u.z > (1 - 1e-7) * first->u.z) continue;
        bool one = s->slot[i] == s->slot[best] && dot(t->n, first->n) >= 1 - 1e-12;
        if (!one && share_a_body(&s->point[i], &s->point[best])) return false;
        if (one) at = add(at, t->at), tied++;
    }
    *out = *first;
    if (tied > 1) out->at = scale(1.0 / tied, at);
    return true;
}

static bool fly_on(Loop *l) {
    Island *s = &l->island;
    int count = 0;
    for (int i = 0; i < s->bodies; i++) {
        Actor *a = &l->actor[s->member[i]];
        if (s->moved[i] == SEATED) continue;
        double before = contact_kinetic(a);
        contact_launch(a, s->body[i].v, s->body[i].w);
        impulse_book(l, a->index, vec(0, 0, 0), vec(0, 0, 0), contact_kinetic(a) - before);
        l->calm[a->body->free] = 0;
        impulse_log_turn(l, a);
        s->moved[count++] = a->index;                              // at most i: its own mark is read by now
    }
    return impulse_refresh(l, s->moved, count);
}

static bool run_on(Loop *l) {
    Island *s = &l->island;
    Touch next;
    s->touches = 0, s->stamp++;
    bool good = ask_all(l);
    for (int i = 0; i < MOST && good && find_next(s, &next); i++)
        good = impulse_wake_both(l, next.a, next.b) && strike(l, &next) && ask_all(l);
    return good;
}

bool impulse_run_on(Loop *l, bool on) {
    Island *s = &l->island;
    for (int i = 0; i < s->bodies; i++) s->moved[i] = STRUCK;
    return (!on || run_on(l)) && fly_on(l);
}

bool impulse_collide(Loop *l, const Touch *t) {
    impulse_begin_island(l);
    sit_down(l, t->a), sit_down(l, t->b);
    bool good = strike(l, t) && impulse_run_on(l, t->slow > 0 && l->m->run.micro == IMP_HOP);
    impulse_leave(l);
    return good;
}
