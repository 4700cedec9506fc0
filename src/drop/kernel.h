// kernel.h -- drops of a convex part on a plane, LANES at a time (inside drop/; included once for each width, and by nvcc).
//
// Nobody asks for x, y and yaw, so the state is the height z of the centre of mass, the direction n of up, the velocity v and
// the spin w, all in the part's principal axes: ten numbers and no quaternion. An iteration is
//     when does a corner reach the plane?   fly there   a collision   is it certain where it will end?
// A corner's height is taken for a parabola: exact for z, to second order in the turning, and asked again after a flight that
// turned too far (kernel_first.h). Flight: z exactly, w by Runge and Kutta, turning by a Magnus step of fourth order. A resting
// contact is a train of small hops, whose speed is a part of that of all motion, and not less than a least one: some hundred
// collisions a drop, ten of them real (kernel_impact.h). Some groups of lanes go together, so that collisions, which take one
// lane much longer than another, are shared among all lanes (kernel_crowd.h); lanes whose drop is certain (kernel_decide.h) are
// given the next one. Every lane does what a program for one drop would, in the same order: the width changes no bit.
//
// SPDX-License-Identifier: MIT
#include "drop/table.h"

#include "drop/lanes.h"

#if defined(__CUDACC__)
#define IN_KERNEL static __host__ __device__ inline
#define IN_KERNEL_ONCE static __host__ __device__ __noinline__   // code that is seldom run, and there is much of it
#else
#define IN_KERNEL static inline
#define IN_KERNEL_ONCE static inline
#endif

#include "drop/kernel_start.h"

#include "drop/kernel_decide.h"

#include "drop/kernel_search.h"

#include "drop/kernel_impact.h"

enum { GROUPS = LANES > 1 ? 24 : 1 };         // of lanes, whose collisions are done together

IN_LANES void put(V *v, int lane, double x) { ((double *)v)[lane] = x; }
IN_LANES double get(const V *v, int lane) { return ((const double *)v)[lane]; }

#include "drop/kernel_crowd.h"

enum { LOOK_AGAIN = 40 };                     // impacts: a certificate is tried below the energy that the last one needed, and after so many

typedef struct Flock {
    V z, hop;                                 // hop: least speed after the next impact
    V3 n, v, w;
    V3 last;                                  // corner of the last impact: it is asked first
    V index;                                  // its number
    V time, impacts, steps, tries;
    V need;                                   // energy below which the last certificate would have held
} Flock;

#include "drop/kernel_first.h"

// --- fly -------------------------------------------------------------------------------------------------------------
IN_LANES V3 spin_rate(const DropTable *t, V3 w) {
    V3 l = v3(t->moment[0] * w.x, t->moment[1] * w.y, t->moment[2] * w.z), torque = cross3(l, w);
    V3 rate = v3(torque.x * t->inverse[0], torque.y * t->inverse[1], torque.z * t->inverse[2]);
    if (t->drag > 0)
        rate = v3(rate.x - t->spin_drag[0] * w.x, rate.y - t->spin_drag[1] * w.y, rate.z - t->spin_drag[2] * w.z);
    return rate;
}

// a turned by -th, |th| < 0.3: series of sin(th)/th and (1 - cos(th))/th^2.
IN_LANES V3 swung(V3 a, V3 th, V sine, V cosine) {
    V3 once = cross3(th, a), twice = cross3(th, once);
    return along3(along3(a, each(0) - sine, once), cosine, twice);
}

IN_LANES V fading(V x) {                      // exp(-x), x >= 0: (exp(-x / 4096))^4096
    V y = smaller(x, each(700)) * (1.0 / 4096), sum = 1.0 - y * (1.0 - y * (1.0 / 2) * (1.0 - y * (1.0 / 3) * (1.0 - y * (1.0 / 4) * (1.0 - y * (1.0 / 5)))));
    IN_TURN for (int i = 0; i < 12; i++) sum = sum * sum;
    return sum;
}

// (1 - exp(-x)) / x and (x - 1 + exp(-x)) / x^2, by series where they would cancel.
IN_LANES void faded(V x, V fade, V *once, V *twice) {
    V tail = 1.0 / 24 - x * (1.0 / 120 - x * (1.0 / 720 - x * (1.0 / 5040 - x * (1.0 / 40320 - x * (1.0 / 362880 - x * (1.0 / 3628800))))));
    V half = 0.5 - x * (1.0 / 6 - x * tail), over = 1.0 / larger(x, each(0.1));
    M small = below(x, each(0.25));
    *once = pick(small, 1.0 - x * half, (1.0 - fade) * over);
    *twice = pick(small, half, (x - 1.0 + fade) * over * over);
}

IN_LANES void fly(const DropTable *t, Flock *f, V h, V vz) {
    V3 w0 = f->w, r0 = spin_rate(t, w0), r1 = spin_rate(t, along3(w0, 0.5 * h, r0)), wm = along3(w0, 0.5 * h, r1);
    V3 r2 = spin_rate(t, wm), r3 = spin_rate(t, along3(w0, h, r2));
    V3 slope = plus3(plus3(r0, r3), scale3(each(2), plus3(r1, r2)));
    V3 w1 = along3(w0, h * (1.0 / 6), slope), mid = along3(along3(w0, h * (5.0 / 24), r0), h * (1.0 / 6), plus3(r1, r2));
    mid = along3(mid, h * (-1.0 / 24), r3);   // w at h / 2, from the slopes: third order
    V3 sum = plus3(plus3(w0, w1), scale3(each(4), mid)), th = along3(scale3(h * (1.0 / 6), sum), h * h * (1.0 / 12), cross3(w0, w1));
    V q = dot3(th, th);
    V sine = 1.0 - q * (1.0 / 6) * (1.0 - q * (1.0 / 20) * (1.0 - q * (1.0 / 42) * (1.0 - q * (1.0 / 72))));
    V cosine = 0.5 - q * (1.0 / 24) * (1.0 - q * (1.0 / 30) * (1.0 - q * (1.0 / 56) * (1.0 - q * (1.0 / 90))));
    V3 across = along3(f->v, each(0) - vz, f->n);
    V3 n = swung(f->n, th, sine, cosine);
    n = scale3(1.5 - 0.5 * dot3(n, n), n);
    across = swung(across, th, sine, cosine);
    V speed = vz - h;
    if (t->drag > 0) {
        V x = t->drag * h, fade = fading(x), once, twice;      // vz' = -1 - drag vz
        faded(x, fade, &once, &twice);
        f->z = f->z + h * (vz * once - h * twice);
        speed = vz * fade - h * once;
        across = scale3(fade, across);
    } else {
        f->z = f->z + h * (vz - 0.5 * h);
    }
    f->n = n, f->w = w1, f->v = along3(across, speed, n);
    f->time = f->time + h;
}

// --- collide ---------------------------------------------------------------------------------------------------------
IN_LANES V energy_of(const DropTable *t, const Flock *f) {   // of motion, twice
    V spin = t->moment[0] * (f->w.x * f->w.x) + t->moment[1] * (f->w.y * f->w.y) + t->moment[2] * (f->w.z * f->w.z);
    return dot3(f->v, f->v) + spin;
}

typedef struct Touch { V3 at, t1, t2; V index, x0, y0; M m, wrong; } Touch;   // a corner that hits the plane, in the lanes of m

// The collision to come. The first tangent is that of K n.
IN_LANES void meet(const DropTable *t, const Flock *f, Touch *c, Blow *b) {
    V3 at = c->at, u = plus3(f->v, cross3(f->w, at)), lever = cross3(at, f->n);
    V3 give = v3(lever.x * t->inverse[0], lever.y * t->inverse[1], lever.z * t->inverse[2]), k = cross3(give, at);
    V kn = dot3(k, f->n);
    k = along3(k, each(0) - kn, f->n);
    V kk = dot3(k, k);
    // where K n has no tangent, any will do
    V3 other = pick3(below(size(f->n.x), each(0.7)), v3(each(0), f->n.z, each(0) - f->n.y), v3(each(0) - f->n.z, each(0), f->n.x));
    M plain = below(kk, each(1e-24));
    k = pick3(plain, other, k);
    V kx = root(pick(plain, dot3(other, other), kk)), over = 1.0 / kx;
    V3 t1 = scale3(over, k), t2 = cross3(f->n, t1), a1 = cross3(at, t1), a2 = cross3(at, t2);
    V3 b1 = v3(a1.x * t->inverse[0], a1.y * t->inverse[1], a1.z * t->inverse[2]);
    b->axx = 1.0 + dot3(a1, b1), b->axy = dot3(a2, b1);
    b->ayy = 1.0 + (t->inverse[0] * (a2.x * a2.x) + t->inverse[1] * (a2.y * a2.y) + t->inverse[2] * (a2.z * a2.z));
    b->kx = pick(plain, each(0), kx), b->kzz = 1.0 + dot3(lever, give);
    b->x = dot3(u, t1), b->y = dot3(u, t2), b->z = smaller(dot3(u, f->n), -1e-3 * f->hop);
    // a hop is a bounce that the law does not know: after a real impact, one faster than hops are, it may be five times slower
    V down = each(0) - b->z, slowest = larger(pick(below(1.2 * f->hop, down), 0.2 * f->hop, f->hop), each(t->hop_least));
    V up = larger(t->restitution * down, slowest);
    b->e = up / down;
    b->micro = below(t->restitution * down, up), b->going = c->m;
    c->t1 = t1, c->t2 = t2, c->x0 = b->x, c->y0 = b->y;
    prepare(t, b);
    if (t->friction > 0) return;
    b->p = down * (1.0 + b->e) * b->loose, b->going = nobody();
}

// What the collision left behind.
IN_LANES void part_ways(const DropTable *t, Flock *f, const Touch *c, const Blow *b) {
    V px = each(0), py = each(0);
    if (t->friction > 0) {
        V det = 1.0 / (b->axx * b->ayy - b->axy * b->axy), dx = b->x - c->x0 - b->kx * b->p, dy = b->y - c->y0;
        px = (b->ayy * dx - b->axy * dy) * det, py = (b->axx * dy - b->axy * dx) * det;
    }
    V3 p = along3(along3(scale3(b->p, f->n), px, c->t1), py, c->t2), turn = cross3(c->at, p);
    f->v = pick3(c->m, plus3(f->v, p), f->v);
    f->w = pick3(c->m, plus3(f->w, v3(turn.x * t->inverse[0], turn.y * t->inverse[1], turn.z * t->inverse[2])), f->w);
}

// --- lanes and trials ------------------------------------------------------------------------------------------------
IN_LANES void put_trial(const DropTable *t, Flock *f, int lane, int64_t trial) {
    double s[10];
    DropStart start = drop_start(t, trial);
    drop_state(t, &start, s);
    put(&f->z, lane, s[0]);
    put(&f->n.x, lane, s[1]), put(&f->n.y, lane, s[2]), put(&f->n.z, lane, s[3]);
    put(&f->v.x, lane, s[4]), put(&f->v.y, lane, s[5]), put(&f->v.z, lane, s[6]);
    put(&f->w.x, lane, s[7]), put(&f->w.y, lane, s[8]), put(&f->w.z, lane, s[9]);
    put(&f->last.x, lane, t->x[0]), put(&f->last.y, lane, t->y[0]), put(&f->last.z, lane, t->z[0]);
    put(&f->hop, lane, t->hop_least), put(&f->index, lane, 0);
    put(&f->time, lane, 0), put(&f->impacts, lane, 0), put(&f->steps, lane, 0), put(&f->tries, lane, 0), put(&f->need, lane, 1e30);
}

IN_LANES void take_state(const Flock *f, int lane, double s[10]) {
    s[0] = get(&f->z, lane);
    s[1] = get(&f->n.x, lane), s[2] = get(&f->n.y, lane), s[3] = get(&f->n.z, lane);
    s[4] = get(&f->v.x, lane), s[5] = get(&f->v.y, lane), s[6] = get(&f->v.z, lane);
    s[7] = get(&f->w.x, lane), s[8] = get(&f->w.y, lane), s[9] = get(&f->w.z, lane);
}

// --- an iteration ----------------------------------------------------------------------------------------------------
// To the next contact, or a part of the way.
IN_LANES void approach(const DropTable *t, Flock *f, Touch *c, Blow *b) {
    Paths p = paths_of(t, f);
    First first = first_contact(t, &p, f);
    V rate = root(dot3(f->w, f->w)), h = larger(first.key, 1e-3 * f->hop), angle = rate * h;
    h = pick(below(each(0.05), angle), 0.95 * h, h);
    if (some(below(each(0.26), angle))) h = pick(below(each(0.26), angle), 0.25 / rate, h);
    if (t->drag > 0) h = pick(both(below(each(0), rate), below(each(1), t->stiffest * h)), each(1 / t->stiffest), h);
    fly(t, f, h, p.vz);
    V gap = f->z + dot3(f->n, first.corner);
    V up = dot3(f->n, plus3(f->v, cross3(f->w, first.corner)));
    f->steps = f->steps + 1.0;
    c->at = first.corner, c->index = first.index;
    c->m = both(below(gap, each(t->touching)), below(up, 1e-3 * f->hop));
    c->wrong = not_m(below(f->z * f->z + rate * rate, each(1e12)));   // NaN, too
    meet(t, f, c, b);
}

// After it. The mask of those whose certificate is to be tried now.
IN_LANES M depart(const DropTable *t, Flock *f, Touch *c, const Blow *b, V *energy) {
    M m = c->m;
    part_ways(t, f, c, b);
    c->wrong = either(c->wrong, b->going);
    V motion = energy_of(t, f);
    f->hop = pick(m, larger(t->hop_part * root(motion), each(t->hop_least)), f->hop);
    f->last = pick3(m, c->at, f->last), f->index = pick(m, c->index, f->index);
    f->impacts = pick(m, f->impacts + 1.0, f->impacts);
    *energy = 0.5 * motion + f->z;
    M low = both(m, below(*energy, each(t->top)));
    f->tries = pick(low, f->tries + 1.0, f->tries);
    M now = both(low, either(below(*energy, f->need), not_m(below(f->tries, each(LOOK_AGAIN)))));
    f->tries = pick(now, each(0), f->tries);
    return now;
}

// --- all of them -----------------------------------------------------------------------------------------------------
typedef struct Crowd {
    Flock f[GROUPS];
    Touch c[GROUPS];
    Blow b[GROUPS];
    Sharing sharing;
    int64_t trial[GROUPS * LANES];            // -1: none
    int groups;                               // that have any
} Crowd;

// True: this lane has come to an end.
IN_LANES bool ended(const DropTable *t, Crowd *c, int g, int lane, M tried, M late, V energy, DropEnd *ends) {
    Flock *f = &c->f[g];
    bool wrong = bits(c->c[g].wrong) >> lane & 1u, over = wrong || (bits(late) >> lane & 1u);
    int rest = wrong ? -2 : -1;
    if (!wrong && (bits(tried) >> lane & 1u)) {
        double stands[4], need;
        stands[0] = get(&f->z, lane), stands[1] = get(&f->n.x, lane), stands[2] = get(&f->n.y, lane), stands[3] = get(&f->n.z, lane);
        rest = decide(t, (int)get(&f->index, lane), stands, get(&energy, lane), &need);
        put(&f->need, lane, need);
    }
    if (rest == -1 && !over) return false;
    DropEnd *end = &ends[c->trial[g * LANES + lane]];
    take_state(f, lane, end->state);
    end->rest = rest, end->impacts = (int32_t)get(&f->impacts, lane), end->time = get(&f->time, lane);
    return true;
}

// The last of the crowd moves to where another has left: no group waits for few.
IN_LANES void close_ranks(Crowd *c, int place) {
    int last = c->groups * LANES - 1;
    while (last >= 0 && c->trial[last] < 0) last--;
    if (last > place) {
        const double *from = (const double *)&c->f[last / LANES] + last % LANES;
        double *to = (double *)&c->f[place / LANES] + place % LANES;
        for (size_t i = 0; i < sizeof(Flock) / sizeof(double); i += LANES) to[i] = from[i];
        c->trial[place] = c->trial[last], c->trial[last] = -1;
        while (last >= 0 && c->trial[last] < 0) last--;
    }
    c->groups = last / LANES + 1;
    if (last < 0) c->groups = 0;
}

// Trials first .. first + count, into ends.
IN_LANES void drop_many(const DropTable *table, int64_t first, int64_t count, DropEnd *ends, void *scratch) {
    const DropTable own = *table, *t = &own;  // so that the compiler knows that nothing written below changes it
    Crowd *c = (Crowd *)scratch;
    int64_t next = 0;
    c->groups = count < GROUPS * LANES ? (int)((count + LANES - 1) / LANES) : GROUPS;
    for (int i = 0; i < c->groups * LANES; i++) {
        put_trial(t, &c->f[i / LANES], i % LANES, first + (next < count ? next : 0));
        c->trial[i] = next < count ? next++ : -1;
    }
    while (c->groups > 0) {
        for (int g = 0; g < c->groups; g++) approach(t, &c->f[g], &c->c[g], &c->b[g]);
        collide_all(t, c->b, c->groups, &c->sharing);
        for (int g = c->groups; g-- > 0;) {       // from behind: who closes ranks has had his turn
            V energy = each(0);
            M tried = depart(t, &c->f[g], &c->c[g], &c->b[g], &energy), late = not_m(below(c->f[g].steps, each((double)t->most)));
            unsigned look = bits(either(either(tried, late), c->c[g].wrong));
            for (int lane = LANES; look != 0 && lane-- > 0;) {
                int place = g * LANES + lane;
                if (!(look >> lane & 1u) || c->trial[place] < 0 || !ended(t, c, g, lane, tried, late, energy, ends)) continue;
                c->trial[place] = -1;
                if (next < count) put_trial(t, &c->f[g], lane, first + next), c->trial[place] = next++;
                else close_ranks(c, place);
            }
        }
    }
}
