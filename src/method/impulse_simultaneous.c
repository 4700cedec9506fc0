// impulse_simultaneous.c -- impacts at the same time: a ball between two others, two feet of an
// arch.
//
// docs/theory/frictional-impact.md, section 10. Pairs that are due within the time in which the
// first closes its event tolerance, and that are impacts, are resolved before any other event.
// Impacts that share no free body are independent. Those that do form a group, resolved by
// Poisson's law for the group: compression (21), restitution (22), or (23) where friction in (22)
// would add energy. All numbers are equations of that page.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

// sweeps of (22); they converge in a few dozen. Test: tests/method/impulse_simultaneous.c
enum { FRICTION_SWEEPS = 200 };

// --- gathering -----------------------------------------------------------------------------------

static void add_impact(Island *island, const Flights *flights, const ContactPoint *t) {
    impulse_island_add(island, flights, t->a);
    impulse_island_add(island, flights, t->b);
    island->contact_point[island->point_count++] = *t;
}

// Points of one pair that are as fast along one normal: one impact. Fixed bodies side by side with
// one law count as one (contact/reduction.c).
static bool is_same_impact(const ContactPoint *t, const ContactPoint *other) {
    return contact_same_pair(t, other) && impulse_is_same_normal(t, other) &&
           impulse_is_as_fast(t, other) && impulse_is_as_fast(other, t);
}

// Replaces the points of one impact by one point at their centre (20).
static void join_impacts(Island *island, const Actor *actor) {
    for (int i = 0; i < island->point_count; i++) {
        int one[IMPACT_POINTS] = { i };
        int count = 1;
        int kept = i + 1;
        for (int k = i + 1; k < island->point_count && count < IMPACT_POINTS; k++) {
            if (is_same_impact(&island->contact_point[i], &island->contact_point[k])) {
                one[count++] = k;
            }
        }
        island->contact_point[i].at = contact_impact_point(actor, island->contact_point, one,
                                                           count);
        for (int k = i + 1, next = 1; k < island->point_count; k++) {
            if (next < count && one[next] == k) {
                next++;
            } else {
                island->contact_point[kept++] = island->contact_point[k];
            }
        }
        island->point_count = kept;
    }
}

int impulse_find_simultaneous(Loop *loop, const Pair *first, const ContactPoint *t, double slack) {
    Island *island = &loop->island;
    World *world = &loop->world;
    Pairs *pairs = &loop->pairs;
    Journal *journal = &loop->journal;
    if (impulse_is_alone(&pairs->queue, &world->clock, first, world->clock.now + slack)) return 1;
    impulse_island_begin(island);
    add_impact(island, &world->flights, t);
    int count = impulse_due_by(&pairs->queue, world->clock.now + slack);
    // impacts beyond the capacity come next
    for (int k = 0; k < count && island->point_count < world->settings.capacity.points; k++) {
        Pair *p = &pairs->queue.pair[pairs->queue.partners[k]];
        ContactPoint other;
        impulse_move_pair(world->settings.model, world->flights.actor, p, world->clock.now);
        if (p == first ||
            impulse_is_apart(world->flights.actor, &pairs->queue, &pairs->cache, p,
                             world->settings.band) ||
            !impulse_has_impact(pairs, world, journal, p, &other))
            continue;
        if (world->flights.actor[p->i].asleep || world->flights.actor[p->j].asleep) {
            impulse_island_clear(island);
            return impulse_wake_both(world, pairs, journal, p->i, p->j) ? 0 : -1;
        }
        add_impact(island, &world->flights, &other);
    }
    int found = island->point_count;
    if (found > 1) {
        join_impacts(island, world->flights.actor);
        return found;
    }
    impulse_island_clear(island);
    return 1;
}

// --- groups --------------------------------------------------------------------------------------

// Impacts that share free bodies, directly or through others. Their indices in contact_point are
// Island.by_group[first] to by_group[first + count - 1]; for the solver they are copied in that
// order to point[first] and on.
typedef struct Group {
    int root;  // island index of the representative body
    int first, count;
} Group;

// Union-find on Island.group, by island index: each body points to another of its group, and the
// root, which has the lowest island index of the group, to itself. With path halving.
static int root_of(Island *island, int island_index) {
    while (island->group[island_index] != island_index) {
        island_index = island->group[island_index] = island->group[island->group[island_index]];
    }
    return island_index;
}

// The lower root of the two bodies of each impact becomes the root of both groups.
static void join_bodies(Island *island) {
    for (int i = 0; i < island->body_count; i++) {
        island->group[i] = i;
    }
    for (int i = 0; i < island->point_count; i++) {
        int index_b = island->island_index[island->contact_point[i].b];
        int a = root_of(island, island->island_index[island->contact_point[i].a]);
        int b = index_b >= 0 ? root_of(island, index_b) : a;
        island->group[a > b ? a : b] = a < b ? a : b;
    }
}

static int root_of_point(Island *island, int i) {
    return root_of(island, island->island_index[island->contact_point[i].a]);
}

// The group of the first point, from *from on, that is in none of the groups before. *from: where
// the search for the next group begins. False: there is no other.
static bool next_group(Island *island, int *from, Group *g) {
    for (; *from < island->point_count; ++*from) {
        bool is_known = false;
        g->root = root_of_point(island, *from);
        g->first += g->count;
        g->count = 0;
        for (int i = 0; i < *from && !is_known; i++) {
            is_known = root_of_point(island, i) == g->root;
        }
        if (is_known) continue;
        for (int i = *from; i < island->point_count; i++) {
            if (root_of_point(island, i) == g->root) {
                island->by_group[g->first + g->count++] = i;
            }
        }
        ++*from;
        return true;
    }
    return false;
}

// --- one group -----------------------------------------------------------------------------------

// The contact point of a point of the solver: both in the order of groups.
static const ContactPoint *contact_of(const Island *island, int point) {
    return &island->contact_point[island->by_group[point]];
}

// Of the bodies of a group with these twists, J.
static double kinetic_energy(Island *island, const Actor *actor, const Group *g,
                             const MicrostepBody *bodies) {
    double sum = 0;
    for (int i = 0; i < island->body_count; i++) {
        if (root_of(island, i) == g->root) {
            sum += contact_kinetic_energy_at(&actor[island->member[i]], bodies[i].v, bodies[i].w);
        }
    }
    return sum;
}

static void restore_bodies(Island *island, const Group *g) {
    for (int i = 0; i < island->body_count; i++) {
        if (root_of(island, i) == g->root) {
            island->body[i] = island->before[i];
        }
    }
}

// Velocity of a prescribed body b, in the frame of the point.
static impVec3 support_velocity(const ContactPoint *t, const MicrostepPoint *q) {
    return vec(dot(t->t1, q->support_velocity), dot(t->t2, q->support_velocity),
               dot(t->n, q->support_velocity));
}

// c_t of (22): changes the friction in q->c by the impulse that stops sliding, to at most mu c_n.
// Returns the change, N s. During restitution MicrostepPoint.c is the impulse c of (22), N s, and
// no velocity: compression is solved, and nothing else asks for it.
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
static void apply_all(Island *island, const Group *g) {
    restore_bodies(island, g);
    for (int i = g->first; i < g->first + g->count; i++) {
        solve_apply_impulse(island->body, &island->point[i], island->point[i].p);
    }
}

// (22): adds the impulses of restitution, which stay in q->c, N s.
static void add_restitution(Island *island, const Group *g) {
    int end = g->first + g->count;
    double limit = 0;
    double change = HUGE_VAL;
    for (int i = g->first; i < end; i++) {
        MicrostepPoint *q = &island->point[i];
        q->c = vec(0, 0, contact_of(island, i)->law->restitution * q->p.z);
        solve_apply_impulse(island->body, q, q->c);
        limit = max2(limit, q->c.z);
    }
    for (int k = 0; k < FRICTION_SWEEPS && change > 1e-15 * limit; k++) {
        change = 0;
        for (int i = g->first; i < end; i++) {
            change = max2(change, add_friction(island->body, &island->point[i]));
        }
    }
    for (int i = g->first; i < end; i++) {
        island->point[i].p = add(island->point[i].p, island->point[i].c);
    }
    apply_all(island, g);
}

// (23): the impulses of compression, p less q->c, 1 + e times instead, which cannot create energy.
static void scale_compression(Island *island, const Group *g) {
    int end = g->first + g->count;
    double e = 1;
    for (int i = g->first; i < end; i++) {
        e = min2(e, contact_of(island, i)->law->restitution);
    }
    for (int i = g->first; i < end; i++) {
        island->point[i].p = scale(1 + e, sub(island->point[i].p, island->point[i].c));
    }
    apply_all(island, g);
}

// (21). Sweeps are accurate to the last digits, so that points without approach stay so; Newton's
// method if they take long. False: Painleve inconsistency.
static bool compress(Island *island, const Group *g, double tolerance) {
    MicrostepResult r = solve_microstep(island->body, island->body_count, island->point + g->first,
                                        g->count, tolerance, false, NULL);
    if (r.solved || r.painleve_point >= 0) return r.painleve_point < 0;
    restore_bodies(island, g);
    // the best that Newton's method reaches
    r = solve_microstep(island->body, island->body_count, island->point + g->first, g->count,
                        1e3 * tolerance, false, &island->solver);
    return r.painleve_point < 0;
}

// Resolves a group. False: Painleve inconsistency; velocities are restored.
static bool resolve_group(Island *island, const Actor *actor, const Group *g) {
    int end = g->first + g->count;
    double fastest = 0;
    for (int i = g->first; i < end; i++) {
        ContactPoint *t = &island->contact_point[island->by_group[i]];
        island->point[i] = contact_microstep_point(actor, t, island->island_index[t->a],
                                                   island->island_index[t->b]);
        t->u = solve_point_velocity(island->body, &island->point[i]);
        if (t->u.x * t->u.x + t->u.y * t->u.y <= 1e-18 * t->u.z * t->u.z) {
            island->point[i].friction = t->law->friction_static;
        }
        fastest = max2(fastest, -t->u.z);
    }
    // a separation of rounding size: an approach left by rounding would be an impact again
    for (int i = g->first; i < end; i++) {
        island->point[i].c.z = -4e-15 * fastest;
    }
    if (!compress(island, g, 1e-15 * fastest)) {
        restore_bodies(island, g);
        return false;
    }
    double before = kinetic_energy(island, actor, g, island->before);
    add_restitution(island, g);
    for (int i = g->first; i < end; i++) {
        before += dot(island->point[i].p,
                      support_velocity(contact_of(island, i), &island->point[i]));
    }
    if (kinetic_energy(island, actor, g, island->body) > before * (1 + 1e-14)) {
        scale_compression(island, g);
    }
    return true;
}

// Resolves a group; if (21) has no solution, only its first impact, and the others are due again.
// False: stopped.
static bool resolve_group_or_first(Island *island, const Flights *flights, Journal *journal,
                                   double now, const Group *g) {
    if (g->count == 1 || !resolve_group(island, flights->actor, g))
        return impulse_impact_in_island(island, flights, journal, now,
                                        contact_of(island, g->first));
    for (int i = 0; i < island->body_count; i++) {
        if (root_of(island, i) == g->root) {
            island->mark[i] = HAS_IMPULSE;
        }
    }
    for (int i = g->first; i < g->first + g->count; i++) {
        if (!impulse_log_impact(island, journal, now, contact_of(island, i), &island->point[i]))
            return false;
    }
    return true;
}

bool impulse_impact_simultaneous(Loop *loop) {
    Island *island = &loop->island;
    World *world = &loop->world;
    Journal *journal = &loop->journal;
    Group g = { 0, 0, 0 };
    int from = 0;
    bool good = true;
    join_bodies(island);
    while (good && next_group(island, &from, &g)) {
        good = resolve_group_or_first(island, &world->flights, journal, world->clock.now, &g);
    }
    good = good && impulse_propagate(island, &loop->pairs, world, journal);
    impulse_island_clear(island);
    return good;
}
