// impulse_simultaneous.c -- impacts at the same time: a ball between two others, two feet of an
// arch.
//
// docs/theory/frictional-impact.md, section 10. Pairs that are due within the time in which the
// first closes its event tolerance, and that are impacts, are resolved before any other event.
// Impacts that share no free body are independent. Those that do form a group, resolved by
// Poisson's law for the group: compression (21), restitution (22), or (23) where friction in (22)
// would add energy.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

// sweeps of (22); they converge in a few dozen. Test: tests/method/impulse_simultaneous.c
enum { FRICTION_SWEEPS = 200 };

// --- gathering -----------------------------------------------------------------------------------
static void add_impact(Loop *l, const ContactPoint *t) {
    Island *s = &l->island;
    impulse_island_add(&l->island, &l->flights, t->a);
    impulse_island_add(&l->island, &l->flights, t->b);
    s->contact_point[s->point_count++] = *t;
}

// Points of one pair that are as fast along one normal: one impact. Fixed bodies side by side with
// one law count as one (contact/reduction.c).
static bool is_same_impact(const ContactPoint *t, const ContactPoint *other) {
    return contact_same_pair(t, other) && impulse_is_same_normal(t, other) &&
           impulse_is_as_fast(t, other) && impulse_is_as_fast(other, t);
}

// Replaces the points of one impact by one point at their centre (20).
static void join_impacts(Loop *l) {
    Island *s = &l->island;
    for (int i = 0; i < s->point_count; i++) {
        int one[IMPACT_POINTS] = { i };
        int count = 1;
        int kept = i + 1;
        for (int k = i + 1; k < s->point_count && count < IMPACT_POINTS; k++) {
            if (is_same_impact(&s->contact_point[i], &s->contact_point[k])) {
                one[count++] = k;
            }
        }
        s->contact_point[i].at = contact_impact_point(l->flights.actor, s->contact_point, one,
                                                      count);
        for (int k = i + 1, next = 1; k < s->point_count; k++) {
            if (next < count && one[next] == k) {
                next++;
            } else {
                s->contact_point[kept++] = s->contact_point[k];
            }
        }
        s->point_count = kept;
    }
}

int impulse_find_simultaneous(Loop *l, const Pair *first, const ContactPoint *t, double slack) {
    Island *s = &l->island;
    if (impulse_is_alone(&l->queue, &l->clock, first, l->clock.now + slack)) return 1;
    impulse_island_begin(&l->island);
    add_impact(l, t);
    int count = impulse_due_by(&l->queue, l->clock.now + slack);
    // impacts beyond the capacity come next
    for (int k = 0; k < count && s->point_count < l->settings.capacity.points; k++) {
        Pair *p = &l->queue.pair[l->queue.partners[k]];
        ContactPoint other;
        contact_move(l->settings.model, &l->flights.actor[p->i], l->clock.now);
        contact_move(l->settings.model, &l->flights.actor[p->j], l->clock.now);
        if (p == first || impulse_is_apart(l, p) || !impulse_has_impact(l, p, &other)) continue;
        if (l->flights.actor[p->i].asleep || l->flights.actor[p->j].asleep) {
            impulse_island_clear(&l->island);
            return impulse_wake_both(l, p->i, p->j) ? 0 : -1;
        }
        add_impact(l, &other);
    }
    int found = s->point_count;
    if (found > 1) {
        join_impacts(l);
        return found;
    }
    impulse_island_clear(&l->island);
    return 1;
}

// Impacts that share free bodies: point indices are island.slot[first] and `count` more.
typedef struct Group {
    int root, first, count;
} Group;

// Union-find on Island.group, with path halving.
static int group_of(Island *s, int island_index) {
    while (s->group[island_index] != island_index) {
        island_index = s->group[island_index] = s->group[s->group[island_index]];
    }
    return island_index;
}

static void join_bodies(Loop *l) {
    Island *s = &l->island;
    for (int i = 0; i < s->body_count; i++) {
        s->group[i] = i;
    }
    for (int i = 0; i < s->point_count; i++) {
        int a = group_of(s, s->island_index[s->contact_point[i].a]);
        int b = l->flights.actor[s->contact_point[i].b].free
                    ? group_of(s, s->island_index[s->contact_point[i].b])
                    : a;
        s->group[a > b ? a : b] = a < b ? a : b;
    }
}

static int group_of_point(Island *s, int i) {
    return group_of(s, s->island_index[s->contact_point[i].a]);
}

// The group of the first point that is in none of the groups before. False: there is no other.
static bool next_group(Island *s, int *from, Group *g) {
    for (; *from < s->point_count; ++*from) {
        bool is_known = false;
        g->root = group_of_point(s, *from);
        g->first += g->count;
        g->count = 0;
        for (int i = 0; i < *from && !is_known; i++) {
            is_known = group_of_point(s, i) == g->root;
        }
        if (is_known) continue;
        for (int i = *from; i < s->point_count; i++) {
            if (group_of_point(s, i) == g->root) {
                s->slot[g->first + g->count++] = i;
            }
        }
        ++*from;
        return true;
    }
    return false;
}

// --- one group -----------------------------------------------------------------------------------
//
// The k-th point in the order of groups.
static const ContactPoint *contact_of(const Island *s, int point) {
    return &s->contact_point[s->slot[point]];
}

static double kinetic_energy(Loop *l, const Group *g, const MicrostepBody *bodies) {
    Island *s = &l->island;
    double sum = 0;
    for (int i = 0; i < s->body_count; i++) {
        if (group_of(s, i) == g->root) {
            sum += contact_kinetic_energy_at(&l->flights.actor[s->member[i]], bodies[i].v,
                                             bodies[i].w);
        }
    }
    return sum;
}

static void restore_bodies(Island *s, const Group *g) {
    for (int i = 0; i < s->body_count; i++) {
        if (group_of(s, i) == g->root) {
            s->body[i] = s->before[i];
        }
    }
}

// Velocity of a prescribed body b, in the frame of the point.
static impVec3 support_velocity(const ContactPoint *t, const MicrostepPoint *q) {
    return vec(dot(t->t1, q->support_velocity), dot(t->t2, q->support_velocity),
               dot(t->n, q->support_velocity));
}

// c_t of (22): changes the friction in q->c by what stops sliding, to at most mu c_n. Returns the
// change, N s.
static double add_friction(MicrostepBody *bodies, MicrostepPoint *q) {
    const Mat3 *k = &q->k;
    impVec3 u = solve_point_velocity(bodies, q);
    impVec3 before = q->c;
    double det = k->x.x * k->y.y - k->x.y * k->x.y;
    double limit = q->friction * q->c.z;
    impVec3 friction = vec(before.x - (k->y.y * u.x - k->x.y * u.y) / det,
                           before.y - (k->x.x * u.y - k->x.y * u.x) / det, 0);
    double size = norm(friction);
    if (size > limit) {
        friction = scale(limit / size, friction);
    }
    q->c = vec(friction.x, friction.y, before.z);
    solve_apply_impulse(bodies, q, sub(q->c, before));
    return norm(sub(q->c, before));
}

// Applies all impulses to the velocities before: the many small ones of the solver leave more
// rounding.
static void apply_all(Island *s, const Group *g) {
    restore_bodies(s, g);
    for (int i = g->first; i < g->first + g->count; i++) {
        solve_apply_impulse(s->body, &s->point[i], s->point[i].p);
    }
}

// (22): adds the impulses of restitution.
static void add_restitution(Island *s, const Group *g) {
    int end = g->first + g->count;
    double limit = 0;
    double change = HUGE_VAL;
    for (int i = g->first; i < end; i++) {
        MicrostepPoint *q = &s->point[i];
        q->c = vec(0, 0, contact_of(s, i)->law->restitution * q->p.z);
        solve_apply_impulse(s->body, q, q->c);
        limit = max2(limit, q->c.z);
    }
    for (int k = 0; k < FRICTION_SWEEPS && change > 1e-15 * limit; k++) {
        change = 0;
        for (int i = g->first; i < end; i++) {
            change = max2(change, add_friction(s->body, &s->point[i]));
        }
    }
    for (int i = g->first; i < end; i++) {
        s->point[i].p = add(s->point[i].p, s->point[i].c);
    }
    apply_all(s, g);
}

// (23): the impulses of compression 1 + e times instead, which cannot create energy.
static void scale_compression(Island *s, const Group *g) {
    int end = g->first + g->count;
    double e = 1;
    for (int i = g->first; i < end; i++) {
        e = min2(e, contact_of(s, i)->law->restitution);
    }
    for (int i = g->first; i < end; i++) {
        s->point[i].p = scale(1 + e, sub(s->point[i].p, s->point[i].c));
    }
    apply_all(s, g);
}

// (21). Sweeps are accurate to the last digits, so that points without approach stay so; Newton's
// method if they take long. False: Painleve inconsistency.
static bool compress(Island *s, const Group *g, double tolerance) {
    MicrostepResult r = solve_microstep(s->body, s->body_count, s->point + g->first, g->count,
                                        tolerance, false, NULL);
    if (r.solved || r.painleve_point >= 0) return r.painleve_point < 0;
    restore_bodies(s, g);
    // the best that Newton's method reaches
    return solve_microstep(s->body, s->body_count, s->point + g->first, g->count, 1e3 * tolerance,
                           false, &s->solver)
               .painleve_point < 0;
}

// Resolves a group. False: Painleve inconsistency; velocities are restored.
static bool resolve_group(Loop *l, const Group *g) {
    Island *s = &l->island;
    int end = g->first + g->count;
    double fastest = 0;
    for (int i = g->first; i < end; i++) {
        ContactPoint *t = &s->contact_point[s->slot[i]];
        s->point[i] = contact_microstep_point(l->flights.actor, t, s->island_index[t->a],
                                              s->island_index[t->b]);
        t->u = solve_point_velocity(s->body, &s->point[i]);
        if (t->u.x * t->u.x + t->u.y * t->u.y <= 1e-18 * t->u.z * t->u.z) {
            s->point[i].friction = t->law->friction_static;
        }
        fastest = max2(fastest, -t->u.z);
    }
    // a separation of rounding size: an approach left by rounding would be an impact again
    for (int i = g->first; i < end; i++) {
        s->point[i].c.z = -4e-15 * fastest;
    }
    if (!compress(s, g, 1e-15 * fastest)) {
        restore_bodies(s, g);
        return false;
    }
    double before = kinetic_energy(l, g, s->before);
    add_restitution(s, g);
    for (int i = g->first; i < end; i++) {
        before += dot(s->point[i].p, support_velocity(contact_of(s, i), &s->point[i]));
    }
    if (kinetic_energy(l, g, s->body) > before * (1 + 1e-14)) {
        scale_compression(s, g);
    }
    return true;
}

// Resolves a group; if (21) has no solution, only its first impact, and the others are due again.
// False: stopped.
static bool collide_group(Loop *l, const Group *g) {
    Island *s = &l->island;
    if (g->count == 1 || !resolve_group(l, g))
        return impulse_impact_in_island(l, contact_of(s, g->first));
    for (int i = 0; i < s->body_count; i++) {
        if (group_of(s, i) == g->root) {
            s->mark[i] = HAS_IMPULSE;
        }
    }
    for (int i = g->first; i < g->first + g->count; i++) {
        if (!impulse_log_impact(l, contact_of(s, i), &s->point[i])) return false;
    }
    return true;
}

bool impulse_impact_simultaneous(Loop *l) {
    Group g = { 0, 0, 0 };
    int from = 0;
    bool good = true;
    join_bodies(l);
    while (good && next_group(&l->island, &from, &g)) {
        good = collide_group(l, &g);
    }
    good = good && impulse_propagate(l);
    impulse_island_clear(&l->island);
    return good;
}
