// impulse_simultaneous.c -- ordinary collisions that happen at once: a ball between two others, two
// feet of an arch.
//
// One after the other (physics.md D.4) the order would decide, and a mirrored scene would not stay
// mirrored. So pairs that are due at the same time, to within the tolerance of an event, collide
// before anything else happens: those that share no body each for itself, the others together, with
// Poisson's law: impulses p that end all approach without bounce (solve/microstep.c, Coulomb's law
// on the velocities at that moment), then e times the normal ones again, with the friction that
// these allow. Points that touch but do not approach have no part in it: a chain of marbles without
// gaps is still struck one by one.
//
// No energy is created: p is dissipative, W p = u' - u, p . u' <= 0, so that (1 + e) p, with
// friction and all, changes the energy by (1 + e) (p . u + (1 + e) / 2 p . W p) <= 0 for e <= 1.
// Where friction in the second part would do worse than that, this is what is taken.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

enum { FRICTION_SWEEPS = 200 };

// --- who -----------------------------------------------------------------------------------------
static void admit(Loop *l, const ContactPoint *t) {
    Island *s = &l->island;
    impulse_island_add(&l->island, &l->flights, t->a);
    impulse_island_add(&l->island, &l->flights, t->b);
    s->contact_point[s->point_count++] = *t;
}

// What lands flat on several that stand side by side lands on one floor (contact/reduction.c): one
// blow.
static bool is_one_blow(const ContactPoint *t, const ContactPoint *other) {
    return contact_same_pair(t, other) && impulse_is_same_normal(t, other) &&
           impulse_is_as_fast(t, other) && impulse_is_as_fast(other, t);
}

static void join_floors(Loop *l) {
    Island *s = &l->island;
    for (int i = 0; i < s->point_count; i++) {
        int one[IMPACT_POINTS] = { i };
        int count = 1;
        int kept = i + 1;
        for (int k = i + 1; k < s->point_count && count < IMPACT_POINTS; k++) {
            if (is_one_blow(&s->contact_point[i], &s->contact_point[k])) {
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
    admit(l, t);
    int count = impulse_due_by(&l->queue, l->clock.now + slack);
    // who does not fit comes next
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
        admit(l, &other);
    }
    int found = s->point_count;
    if (found > 1) {
        join_floors(l);
        return found;
    }
    impulse_island_clear(&l->island);
    return 1;
}

// Those that share bodies are a group: the island's points are in the order of groups, and its
// slots tell whose they are. of points
typedef struct Group {
    int name, first, count;
} Group;

static int name_of(Island *s, int island_index) {
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
        int a = name_of(s, s->island_index[s->contact_point[i].a]);
        int b = l->flights.actor[s->contact_point[i].b].free
                    ? name_of(s, s->island_index[s->contact_point[i].b])
                    : a;
        s->group[a > b ? a : b] = a < b ? a : b;
    }
}

static int name_of_touch(Island *s, int i) {
    return name_of(s, s->island_index[s->contact_point[i].a]);
}

// The group of the earliest touch that is in none of those before. False: there is no other.
static bool next_group(Island *s, int *from, Group *g) {
    for (; *from < s->point_count; ++*from) {
        bool known = false;
        g->name = name_of_touch(s, *from);
        g->first += g->count;
        g->count = 0;
        for (int i = 0; i < *from && !known; i++) {
            known = name_of_touch(s, i) == g->name;
        }
        if (known) continue;
        for (int i = *from; i < s->point_count; i++) {
            if (name_of_touch(s, i) == g->name) {
                s->slot[g->first + g->count++] = i;
            }
        }
        ++*from;
        return true;
    }
    return false;
}

// --- what ----------------------------------------------------------------------------------------
static const ContactPoint *touch_of(const Island *s, int point) {
    return &s->contact_point[s->slot[point]];
}

static double kinetic(Loop *l, const Group *g, const MicrostepBody *bodies) {
    Island *s = &l->island;
    double sum = 0;
    for (int i = 0; i < s->body_count; i++) {
        if (name_of(s, i) == g->name) {
            sum += contact_kinetic_energy_at(&l->flights.actor[s->member[i]], bodies[i].v,
                                             bodies[i].w);
        }
    }
    return sum;
}

static void start_anew(Island *s, const Group *g) {
    for (int i = 0; i < s->body_count; i++) {
        if (name_of(s, i) == g->name) {
            s->body[i] = s->before[i];
        }
    }
}

// in the frame of the touch
static impVec3 drive_of(const ContactPoint *t, const MicrostepPoint *q) {
    return vec(dot(t->t1, q->support_velocity), dot(t->t2, q->support_velocity),
               dot(t->n, q->support_velocity));
}

// The friction that goes with a normal impulse of c.z: as much as stops sliding, but no more than
// that allows. Both gather in c.
static double add_friction(MicrostepBody *bodies, MicrostepPoint *q) {
    const Mat3 *k = &q->k;
    impVec3 u = solve_point_velocity(bodies, q);
    impVec3 was = q->c;
    double det = k->x.x * k->y.y - k->x.y * k->x.y;
    double most = q->friction * q->c.z;
    impVec3 side = vec(was.x - (k->y.y * u.x - k->x.y * u.y) / det,
                       was.y - (k->x.x * u.y - k->x.y * u.x) / det, 0);
    double size = norm(side);
    if (size > most) {
        side = scale(most / size, side);
    }
    q->c = vec(side.x, side.y, was.z);
    solve_apply_impulse(bodies, q, sub(q->c, was));
    return norm(sub(q->c, was));
}

// All impulses at once and from the start: the solver's many small ones leave rounding behind that
// the books would see.
static void push_all(Island *s, const Group *g) {
    start_anew(s, g);
    for (int i = g->first; i < g->first + g->count; i++) {
        solve_apply_impulse(s->body, &s->point[i], s->point[i].p);
    }
}

static void bounce(Island *s, const Group *g) {
    int end = g->first + g->count;
    double most = 0;
    double moved = HUGE_VAL;
    for (int i = g->first; i < end; i++) {
        MicrostepPoint *q = &s->point[i];
        q->c = vec(0, 0, touch_of(s, i)->law->restitution * q->p.z);
        solve_apply_impulse(s->body, q, q->c);
        most = max2(most, q->c.z);
    }
    for (int k = 0; k < FRICTION_SWEEPS && moved > 1e-15 * most; k++) {
        moved = 0;
        for (int i = g->first; i < end; i++) {
            moved = max2(moved, add_friction(s->body, &s->point[i]));
        }
    }
    for (int i = g->first; i < end; i++) {
        s->point[i].p = add(s->point[i].p, s->point[i].c);
    }
    push_all(s, g);
}

// The same impulses again, e times, friction and all: proven not to create energy.
static void bounce_safely(Island *s, const Group *g) {
    int end = g->first + g->count;
    double e = 1;
    for (int i = g->first; i < end; i++) {
        e = min2(e, touch_of(s, i)->law->restitution);
    }
    for (int i = g->first; i < end; i++) {
        s->point[i].p = scale(1 + e, sub(s->point[i].p, s->point[i].c));
    }
    push_all(s, g);
}

// Sweeps have the digits that are needed here: two that touch after it would collide again. All at
// once if that takes long.
static bool stop_all(Island *s, const Group *g, double tolerance) {
    MicrostepResult r = solve_microstep(s->body, s->body_count, s->point + g->first, g->count,
                                        tolerance, false, NULL);
    if (r.solved || r.painleve_point >= 0) return r.painleve_point < 0;
    start_anew(s, g);
    // as fine as that gets
    return solve_microstep(s->body, s->body_count, s->point + g->first, g->count, 1e3 * tolerance,
                           false, &s->solver)
               .painleve_point < 0;
}

// false: it jams
static bool resolve(Loop *l, const Group *g) {
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
    // a breath more than no approach: what rounding leaves of it would be a collision again, and
    // again
    for (int i = g->first; i < end; i++) {
        s->point[i].c.z = -4e-15 * fastest;
    }
    if (!stop_all(s, g, 1e-15 * fastest)) {
        start_anew(s, g);
        return false;
    }
    double before = kinetic(l, g, s->before);
    bounce(s, g);
    for (int i = g->first; i < end; i++) {
        before += dot(s->point[i].p, drive_of(touch_of(s, i), &s->point[i]));
    }
    if (kinetic(l, g, s->body) > before * (1 + 1e-14)) {
        bounce_safely(s, g);
    }
    return true;
}

// One that jams as a group collides by its first touch alone: the others are due again.
static bool collide_group(Loop *l, const Group *g) {
    Island *s = &l->island;
    if (g->count == 1 || !resolve(l, g)) return impulse_impact_in_island(l, touch_of(s, g->first));
    for (int i = 0; i < s->body_count; i++) {
        if (name_of(s, i) == g->name) {
            s->mark[i] = HAS_IMPULSE;
        }
    }
    for (int i = g->first; i < g->first + g->count; i++) {
        if (!impulse_log_impact(l, touch_of(s, i), &s->point[i])) return false;
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
