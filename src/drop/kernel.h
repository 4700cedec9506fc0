// kernel.h -- drops of a convex part on a plane, LANES at a time (inside drop/; included once for
// each width, and by nvcc).
//
// Nobody asks for x, y and yaw, so the state is the height z of the centre of mass, the direction n
// of up, the velocity v and the spin w, all in the part's principal axes: ten numbers and no
// quaternion. An iteration is
//     approach   which corner reaches the plane first, and when?            kernel_first.h,
//     kernel_search.h
//                the motion until then: free flight                         kernel_fly.h
//                or about one corner, or about a line through two           kernel_pivot.h,
//                kernel_edge.h
//     impact     one frictional collision                                   kernel_contact.h,
//     kernel_impact.h depart     is it certain where it will end? kernel_decide.h
// A corner's height is taken for a parabola: exact for z, to second order in the turning; what a
// flight misses by its turning is flown once more. Contact that lasts is a train of microcollisions
// ("hops"), whose speed is a part of that of all motion and not less than a least one, until one
// corner or two hold the part. Some groups of lanes go together, so that impacts, which take one
// lane much longer than another, are shared among all lanes (kernel_crowd.h); lanes whose drop is
// certain are given the next one. Every lane does what a program for one drop would, in the same
// order: the width changes no bit.
//
// SPDX-License-Identifier: MIT
#include "drop/table.h"

#include "drop/lanes.h"

#if defined(__CUDACC__)
#define IN_KERNEL static __host__ __device__ inline
// code that is seldom run, and there is much of it
#define IN_KERNEL_ONCE static __host__ __device__ __noinline__
#else
#define IN_KERNEL      static inline
#define IN_KERNEL_ONCE static inline
#endif

// of lanes, whose collisions are done together
enum { GROUPS = LANES > 1 ? 24 : 1 };
// impacts: a family is looked for below the height that the last search needed, and after so many
enum { SEARCH_AGAIN = 40 };

// a time that does not come; a height that nothing reaches
#define NEVER 1e30

// --- state ---------------------------------------------------------------------------------------
typedef struct DropMotion {
    V z;         // height of the centre of mass
    V3 n, v, w;  // direction of up, velocity, spin: in principal axes
    V time;
    V rolled;  // rad that it has turned about level axes since it is confined to a family
} DropMotion;

// LANES drops; every member is of V, so that a lane can be copied
typedef struct DropFlight {
    DropMotion m;
    V3 corner;                   // of the last impact: it is asked first
    V index;                     // its number
    V hop, hop_least, hop_most;  // least speed after the next impact, and its bounds
    V landed;                    // how fast a corner came down on which it had turned
    V band;                      // contact band: a corner so near to the plane touches it
    V impacts, steps, tries;     // tries: impacts since the last search for a family
    V need;                      // apex below which the next search may find more than the last one
    V pass;    // the lowest way out of the family that it is confined to; 0: it is to none
    V home;    // that family; -1: none
    V near;    // below this height the bounds of `hop` are those of the family nearby
    V pivots;  // not 0: it turns about `corner`, or slides on it; 2: from now on
    V tips;    // 1: it tips about the line from `corner` to `other`
    V3 other;
    V other_index;
    V wait;  // impacts until it may tip again
} DropFlight;

IN_LANES void put(V *v, int lane, double x) { ((double *)v)[lane] = x; }
IN_LANES double get(const V *v, int lane) { return ((const double *)v)[lane]; }

IN_LANES V3 inertia_times(const DropTable *t, V3 w) {
    return v3(t->moment[0] * w.x, t->moment[1] * w.y, t->moment[2] * w.z);
}

IN_LANES V3 inverse_inertia(const DropTable *t, V3 a) {
    return v3(t->inverse[0] * a.x, t->inverse[1] * a.y, t->inverse[2] * a.z);
}

IN_LANES void take_motion(M who, const DropMotion *from, DropMotion *to) {
    to->z = pick(who, from->z, to->z);
    to->n = pick3(who, from->n, to->n);
    to->v = pick3(who, from->v, to->v);
    to->w = pick3(who, from->w, to->w);
    to->time = pick(who, from->time, to->time);
    to->rolled = pick(who, from->rolled, to->rolled);
}

IN_LANES V twice_kinetic_energy(const DropTable *t, const DropMotion *m) {
    return dot3(m->v, m->v) + dot3(m->w, inertia_times(t, m->w));
}

#include "drop/kernel_start.h"

#include "drop/kernel_decide.h"

#include "drop/kernel_impact.h"

#include "drop/kernel_crowd.h"

#include "drop/kernel_fly.h"

#include "drop/kernel_pivot.h"

#include "drop/kernel_search.h"

#include "drop/kernel_first.h"

#include "drop/kernel_edge.h"

#include "drop/kernel_contact.h"

// --- lanes and trials ----------------------------------------------------------------------------
IN_LANES void put3(V3 *to, int lane, const double a[3]) {
    put(&to->x, lane, a[0]);
    put(&to->y, lane, a[1]);
    put(&to->z, lane, a[2]);
}

IN_LANES void put_trial(const DropTable *t, DropFlight *f, int lane, int64_t trial) {
    const double corner[3] = { t->x[0], t->y[0], t->z[0] };
    const double none[3] = { 0, 0, 0 };
    double s[10];
    DropStart start = drop_start(t, trial);
    drop_state(t, &start, s);
    put(&f->m.z, lane, s[0]);
    put3(&f->m.n, lane, s + 1);
    put3(&f->m.v, lane, s + 4);
    put3(&f->m.w, lane, s + 7);
    put(&f->m.time, lane, 0);
    put(&f->m.rolled, lane, 0);

    put3(&f->corner, lane, corner);
    put(&f->index, lane, 0);
    put(&f->hop, lane, t->hop_least);
    put(&f->hop_least, lane, t->hop_least);
    put(&f->hop_most, lane, NEVER);
    put(&f->landed, lane, NEVER);
    put(&f->band, lane, t->touching);
    put(&f->impacts, lane, 0);
    put(&f->steps, lane, 0);
    put(&f->tries, lane, 0);
    put(&f->need, lane, NEVER);
    put(&f->pass, lane, 0);
    put(&f->home, lane, -1);
    put(&f->near, lane, 0);
    put(&f->pivots, lane, 0);
    put(&f->tips, lane, 0);
    put3(&f->other, lane, none);
    put(&f->other_index, lane, 0);
    put(&f->wait, lane, 0);
}

IN_LANES void take_state(const DropFlight *f, int lane, double s[10]) {
    const V *number[10] = { &f->m.z,   &f->m.n.x, &f->m.n.y, &f->m.n.z, &f->m.v.x,
                            &f->m.v.y, &f->m.v.z, &f->m.w.x, &f->m.w.y, &f->m.w.z };
    for (int i = 0; i < 10; i++) {
        s[i] = get(number[i], lane);
    }
}

// --- approach ------------------------------------------------------------------------------------
IN_LANES V height_of(const DropMotion *m, V3 corner) { return m->z + dot3(m->n, corner); }
IN_LANES V rise_of(const DropMotion *m, V3 corner) { return dot3(m->n, velocity_at(m, corner)); }

IN_LANES void move(const DropTable *t, const Pivot *pivot, V h, DropMotion *m) {
    DropMotion flown = *m;
    if (some(not_m(pivot->on))) {
        fly(t, &flown, h);
    }
    if (some(pivot->on)) {
        turn_about(t, pivot, h, m);
    }
    take_motion(not_m(pivot->on), &flown, m);
}

// What is left of a way whose length was predicted: the corner is there, but for its turning.
IN_LANES void land(const DropTable *t, const Pivot *pivot, V3 corner, M lands, V h, DropMotion *m) {
    V gap = height_of(m, corner);
    V up = rise_of(m, corner);
    lands = both(both(lands, below(each(t->touching), size(gap))), below(up, each(-1e-9)));
    if (!some(lands)) return;
    V more = gap / pick(lands, each(0) - up, each(1));
    V most = 0.2 * h;
    DropMotion to = *m;
    move(t, pivot, larger(smaller(more, most), each(0) - most), &to);
    take_motion(lands, &to, m);
}

// The corner of the last impact holds the part alone, if that is so. Many corners only: see
// table.h.
IN_LANES Pivot held_by_corner(const DropTable *t, DropFlight *f, M *begins) {
    Pivot pivot;
    pivot.on = *begins = no_lane();
    if (!t->many) return pivot;
    pivot = pivot_of(t, f, below(each(0), f->pivots));
    *begins = both(pivot.on, below(each(1), f->pivots));
    f->pivots = pick(pivot.on, each(1), each(0));
    return pivot;
}

// Another corner lands sooner than after a hop: two or more hold the part, and it hops.
IN_LANES M held_by_more(DropFlight *f, M begins, Pivot *pivot, First *first) {
    M other = unlike(first->index, f->index);
    M restarts = both(both(begins, other), below(first->key, SECOND_CONTACT * f->hop));
    pivot->on = both(pivot->on, not_m(restarts));
    f->pivots = pick(restarts, each(0), f->pivots);
    first->index = pick(restarts, f->index, first->index);
    first->corner = pick3(restarts, f->corner, first->corner);
    first->key = pick(restarts, each(0), first->key);
    return restarts;
}

// How long the part moves on: to the first contact, or for a part of the way, as predictions hold
// so long.
IN_LANES V length_of(const DropTable *t, const DropFlight *f, const Pivot *pivot, M restarts,
                     V key) {
    V rate = root(dot3(f->m.w, f->m.w));
    V h = larger(key, SLOWEST * f->hop);
    V angle = rate * h;
    M far = below(each(0.26), angle);
    if (t->drag > 0) {
        h = pick(below(each(0.05), angle), 0.95 * h, h);
    }
    if (t->many) {
        h = pick(pivot->on, smaller(h, pivot->horizon), h);
    }
    if (some(far)) {
        h = pick(far, 0.25 / rate, h);
    }
    if (t->drag > 0) {
        M stiff = both(below(each(0), rate), below(each(1), t->stiffest * h));
        h = pick(stiff, each(1 / t->stiffest), h);
    }
    if (!t->many) return h;
    h = pick(pivot->on, smaller(h, larger(pivot->stop, SLOWEST * f->hop)), h);
    return pick(restarts, each(0), h);
}

// A part that has turned about one corner or two lands on the next one as fast as it will; hops
// stay slow beside that, until a faster impact.
IN_LANES V slow_beside(const DropTable *t, const DropFlight *f, V hop) {
    return smaller(hop, larger(t->hop_landed * f->landed, each(t->hop_slowest)));
}

IN_LANES void lands_on(const DropTable *t, DropFlight *f, M touches, M turned, V up) {
    V down = each(0) - up;
    V landed = pick(turned, down, larger(f->landed, down));
    f->landed = pick(touches, landed, f->landed);
    f->hop = pick(touches, slow_beside(t, f, f->hop), f->hop);
}

// To the next contact, or a part of the way; and the impact there.
IN_LANES void approach(const DropTable *t, DropFlight *f, DropContact *c, Blow *b) {
    M begins;
    M restarts = no_lane();
    Pivot pivot = held_by_corner(t, f, &begins);
    Paths p = paths_of(t, f, &pivot);
    First first = first_contact(t, &p, f, &pivot);
    if (t->many) {
        restarts = held_by_more(f, begins, &pivot, &first);
    }
    Tipping tipping = tip_on(t, f);

    // the motion
    V h = length_of(t, f, &pivot, restarts, first.key);
    M lands = not_m(below(h, first.key));
    move(t, &pivot, h, &f->m);
    if (!(t->drag > 0)) {
        land(t, &pivot, first.corner, lands, h, &f->m);
    }
    f->m.rolled = f->m.rolled + h * root(dot3(p.rate, p.rate));
    f->steps = f->steps + 1.0;
    take_motion(tipping.on, &tipping.m, &f->m);
    first.index = pick(tipping.on, tipping.landing.index, first.index);
    first.corner = pick3(tipping.on, tipping.landing.corner, first.corner);

    // does the corner touch?
    V gap = height_of(&f->m, first.corner);
    V up = rise_of(&f->m, first.corner);
    V slow = SLOWEST * f->hop;
    M touches = both(below(gap, each(t->touching)), below(up, slow));
    touches = both(touches, either(not_m(pivot.on), unlike(first.index, f->index)));
    touches = pick_m(tipping.on, both(tipping.lands, below(up, each(0) - slow)), touches);
    f->tips = pick(tipping.lands, each(0), f->tips);
    f->wait = pick(both(tipping.lands, not_m(touches)), each(TIP_WAIT), f->wait);

    // of all that do, the fastest collides
    M lasting = both(both(touches, below(each(t->touching), f->band)), below(up, -FAST * f->hop));
    if (some(lasting)) {
        fastest_in_band(t, f, lasting, up, &first);
    }
    lands_on(t, f, touches, either(pivot.on, tipping.lands), up);
    c->at = first.corner;
    c->index = first.index;
    c->m = either(touches, restarts);
    c->restarts = restarts;
    // NaN, too
    c->wrong = not_m(below(f->m.z * f->m.z + dot3(f->m.w, f->m.w), each(1e30)));
    prepare_impact(t, f, c, b);
}

// --- depart --------------------------------------------------------------------------------------
// of all energy; of the centre of mass where it is highest until the next impact
typedef struct Heights {
    V energy, apex;
} Heights;

IN_LANES Heights heights_of(const DropTable *t, const DropMotion *m) {
    Heights s;
    V up = larger(dot3(m->n, m->v), each(0));
    s.energy = 0.5 * twice_kinetic_energy(t, m) + m->z;
    s.apex = m->z + 0.5 * up * up;
    return s;
}

// What the next iteration begins with, where there was an impact or tipping began.
IN_LANES void remember(const DropTable *t, DropFlight *f, const DropContact *c, const Heights *s) {
    M m = c->m;
    M struck = both(m, not_m(c->tips));
    f->wait = pick(m, larger(f->wait - 1.0, each(0)), f->wait);
    f->tips = pick(m, pick(c->tips, each(1), each(0)), f->tips);
    f->pivots = pick(m, c->pivots, f->pivots);
    f->band = pick(m, c->band, f->band);
    f->corner = pick3(struck, c->at, f->corner);
    f->index = pick(struck, c->index, f->index);
    f->impacts = pick(m, f->impacts + 1.0, f->impacts);

    // far from any family hops have no bounds of its own
    M far = both(m, not_m(below(s->apex, f->near)));
    f->hop_least = pick(far, each(t->hop_least), f->hop_least);
    f->hop_most = pick(far, each(NEVER), f->hop_most);
    V hop = t->hop_part * root(twice_kinetic_energy(t, &f->m));
    hop = slow_beside(t, f, larger(smaller(hop, f->hop_most), f->hop_least));
    f->hop = pick(m, hop, f->hop);
}

// A part that rises above the pass, in flight or in contact, may leave the family that it was
// confined to.
IN_LANES M confined_still(const DropTable *t, DropFlight *f, const Heights *s) {
    M confined = below(each(0), f->pass);
    M leaves = both(confined, not_m(below(s->apex + t->slack, f->pass)));
    f->pass = pick(leaves, each(0), f->pass);
    f->home = pick(leaves, each(-1), f->home);
    f->need = pick(leaves, each(NEVER), f->need);
    confined = both(confined, not_m(leaves));
    f->m.rolled = pick(confined, f->m.rolled, each(0));
    return confined;
}

// After the impact. The mask of those of which it is to be asked now whether they are certain, or
// confined to a family.
IN_LANES M depart(const DropTable *t, DropFlight *f, DropContact *c, const Blow *b, Heights *s) {
    M m = c->m;
    c->wrong = either(c->wrong, b->going);
    apply_impulse(t, &f->m, both(m, not_m(c->tips)), c, b);
    if (some(c->tips)) {
        begin_to_tip(t, f, c->tips, c->at, c->index);
    }
    *s = heights_of(t, &f->m);
    M confined = confined_still(t, f, s);
    remember(t, f, c, s);

    M low = both(both(m, not_m(confined)), below(s->apex, each(t->top)));
    f->tries = pick(low, f->tries + 1.0, f->tries);
    M search = both(low,
                    either(below(s->apex, f->need), not_m(below(f->tries, each(SEARCH_AGAIN)))));
    f->tries = pick(search, each(0), f->tries);
    M certain = either(below(s->energy + t->slack, f->pass), below(each(t->rolled), f->m.rolled));
    return either(search, both(both(m, confined), certain));
}

// Where a lane is: what the certificate and the search for a family read.
IN_LANES Stand stand_of(const DropFlight *f, int lane, const Heights *heights) {
    Stand s;
    s.corner = (int)get(&f->index, lane);
    s.z = get(&f->m.z, lane);
    s.down[0] = -get(&f->m.n.x, lane);
    s.down[1] = -get(&f->m.n.y, lane);
    s.down[2] = -get(&f->m.n.z, lane);
    s.energy = get(&heights->energy, lane);
    s.apex = get(&heights->apex, lane);
    s.rolled = get(&f->m.rolled, lane);
    s.home = (int)get(&f->home, lane);
    return s;
}

// Asks it of one lane.
IN_LANES Sure certainty(const DropTable *t, DropFlight *f, int lane, const Heights *heights) {
    Stand s = stand_of(f, lane, heights);
    Sure sure = decide(t, &s);
    if (sure.family >= 0 || (sure.confined >= 0 && sure.confined == s.home)) return sure;
    put(&f->need, lane, sure.need);
    put(&f->pass, lane, 0);
    put(&f->home, lane, -1);
    if (sure.near < 0) return sure;
    const DropFamily *family = &t->exit[sure.near];
    put(&f->near, lane, family->near);
    put(&f->hop_least, lane, family->hop_least);
    put(&f->hop_most, lane, family->hop_most);
    if (sure.confined < 0) return sure;
    put(&f->pass, lane, family->pass);
    put(&f->home, lane, sure.confined);
    put(&f->m.rolled, lane, 0);
    return sure;
}

IN_LANES DropEnd end_of(const DropFlight *f, int lane, Sure sure) {
    DropEnd end;
    take_state(f, lane, end.state);
    end.family = sure.family;
    end.rest = sure.rest;
    end.rolled = sure.rolled;
    end.impacts = (int32_t)get(&f->impacts, lane);
    end.time = get(&f->m.time, lane);
    return end;
}

// --- all of them ---------------------------------------------------------------------------------
typedef struct Crowd {
    DropFlight f[GROUPS];
    DropContact c[GROUPS];
    Blow b[GROUPS];
    Sharing sharing;
    int64_t trial[GROUPS * LANES];  // -1: none
    int groups;                     // that have any
} Crowd;

// Lanes of a group of which something is to be told after an iteration.
typedef struct Asked {
    unsigned certain, late, wrong;
} Asked;

// True: this lane has come to an end.
IN_LANES bool ended(const DropTable *t, Crowd *c, int g, int lane, Asked asked,
                    const Heights *heights, DropEnd *ends) {
    bool wrong = asked.wrong >> lane & 1u;
    bool late = asked.late >> lane & 1u;
    Sure sure = nothing_sure(wrong ? -2 : -1);
    if (!wrong && (asked.certain >> lane & 1u)) {
        sure = certainty(t, &c->f[g], lane, heights);
    }
    if (sure.family == -1 && !late) return false;
    ends[c->trial[g * LANES + lane]] = end_of(&c->f[g], lane, sure);
    return true;
}

// The last of the crowd moves to where another has left: no group waits for few.
IN_LANES void close_ranks(Crowd *c, int place) {
    int last = c->groups * LANES - 1;
    while (last >= 0 && c->trial[last] < 0) {
        last--;
    }
    if (last > place) {
        const double *from = (const double *)&c->f[last / LANES] + last % LANES;
        double *to = (double *)&c->f[place / LANES] + place % LANES;
        for (size_t i = 0; i < sizeof(DropFlight) / sizeof(double); i += LANES) {
            to[i] = from[i];
        }
        c->trial[place] = c->trial[last];
        c->trial[last] = -1;
        while (last >= 0 && c->trial[last] < 0) {
            last--;
        }
    }
    c->groups = last / LANES + 1;
    if (last < 0) {
        c->groups = 0;
    }
}

// Trials first .. first + count, into ends.
IN_LANES void drop_many(const DropTable *table, int64_t first, int64_t count, DropEnd *ends,
                        void *scratch) {
    // so that the compiler knows that nothing written below changes it
    const DropTable own = *table;
    const DropTable *t = &own;
    Crowd *c = (Crowd *)scratch;
    int64_t next = 0;
    c->groups = count < GROUPS * LANES ? (int)((count + LANES - 1) / LANES) : GROUPS;
    for (int i = 0; i < c->groups * LANES; i++) {
        put_trial(t, &c->f[i / LANES], i % LANES, first + (next < count ? next : 0));
        c->trial[i] = next < count ? next++ : -1;
    }
    while (c->groups > 0) {
        for (int g = 0; g < c->groups; g++) {
            approach(t, &c->f[g], &c->c[g], &c->b[g]);
        }
        collide_all(t, c->b, c->groups, &c->sharing);
        // from behind: a lane that is moved has been processed
        for (int g = c->groups; g-- > 0;) {
            Heights heights;
            Asked asked;
            asked.certain = bits(depart(t, &c->f[g], &c->c[g], &c->b[g], &heights));
            asked.late = bits(not_m(below(c->f[g].steps, each((double)t->most))));
            asked.wrong = bits(c->c[g].wrong);
            unsigned look = asked.certain | asked.late | asked.wrong;
            for (int lane = LANES; look != 0 && lane-- > 0;) {
                int place = g * LANES + lane;
                if (!(look >> lane & 1u) || c->trial[place] < 0) continue;
                if (!ended(t, c, g, lane, asked, &heights, ends)) continue;
                c->trial[place] = -1;
                if (next >= count) {
                    close_ranks(c, place);
                    continue;
                }
                put_trial(t, &c->f[g], lane, first + next);
                c->trial[place] = next++;
            }
        }
    }
}
