// kernel.h -- drops of a convex part on a plane, LANES at a time (inside drop/; included once for each width, and by nvcc).
//
// Nobody asks for x, y and yaw, so the state is the height z of the centre of mass, the direction n of up, the velocity v and
// the spin w, all in the part's principal axes: ten numbers and no quaternion. An iteration is
//     when does a corner reach the plane?   fly there   a collision   is it certain where it will end?
// A corner's height is taken for a parabola: exact for z, to second order in the turning, and asked again after a flight that
// turned too far. Flight: z exactly, w by Runge and Kutta, turning by a Magnus step of fourth order. A resting contact is a
// train of small hops, whose speed is a part of that of all motion, and not less than a least one: some hundred collisions a
// drop, ten of them real. Lanes whose drop is certain are given the next one. Every lane does what a program for one drop
// would, in the same order: the width changes no bit.
//
// SPDX-License-Identifier: MIT
#include "drop/table.h"

#include "drop/lanes.h"

#if defined(__CUDACC__)
#define IN_KERNEL static __host__ __device__ inline
#else
#define IN_KERNEL static inline
#endif

#include "drop/kernel_start.h"

#include "drop/kernel_decide.h"

#include "drop/kernel_search.h"

#include "drop/kernel_impact.h"

enum { LOOK_EVERY = 4 };                      // impacts: how often a certificate is tried

typedef struct Flock {
    V z, hop;                                 // hop: least speed after the next impact
    V3 n, v, w;
    V3 last;                                  // corner of the last impact: it is asked first
    V index;                                  // its number
    V time, impacts, steps, tries;
} Flock;

// --- when ------------------------------------------------------------------------------------------------------------
typedef struct Paths { V z, vz, fall; V3 n, rate, bend; } Paths;   // height of corner P: z + vz t - fall t^2/2 + (n + rate t - bend t^2/2).P
typedef struct First { V key, index; V3 corner; } First;           // key: its time; negative: touching now, and its speed

IN_LANES void put(V *v, int lane, double x) { ((double *)v)[lane] = x; }
IN_LANES double get(const V *v, int lane) { return ((const double *)v)[lane]; }

IN_LANES Paths paths_of(const DropTable *t, const Flock *f) {
    Paths p;
    V3 l = v3(t->moment[0] * f->w.x, t->moment[1] * f->w.y, t->moment[2] * f->w.z), torque = cross3(l, f->w);
    V3 change = v3(torque.x * t->inverse[0], torque.y * t->inverse[1], torque.z * t->inverse[2]);
    p.z = f->z, p.vz = dot3(f->n, f->v), p.n = f->n, p.fall = each(1);
    if (t->drag > 0) {
        p.fall = 1.0 + t->drag * p.vz;
        change = v3(change.x - t->spin_drag[0] * f->w.x, change.y - t->spin_drag[1] * f->w.y, change.z - t->spin_drag[2] * f->w.z);
    }
    p.rate = cross3(f->n, f->w);
    V3 second = plus3(cross3(p.rate, f->w), cross3(f->n, change));
    p.bend = v3(each(0) - second.x, each(0) - second.y, each(0) - second.z);
    return p;
}

// Takes corner P into account: exactly, where `look` below or a fast spin says that it may matter.
IN_LANES void consider(const DropTable *t, const Paths *p, First *first, V x, V y, V z, V index) {
    V gap = p->z + (p->n.x * x + p->n.y * y + p->n.z * z);
    V up = p->vz + (p->rate.x * x + p->rate.y * y + p->rate.z * z);
    V fall = p->fall + (p->bend.x * x + p->bend.y * y + p->bend.z * z);
    V t0 = first->key, above = larger(gap, each(0)), under = up * up + 2.0 * fall * above, root_of = root(larger(under, each(0)));
    M down = below(up, each(0)), now = both(below(gap, each(t->touching)), down);
    V time = pick(down, 2.0 * above, up + root_of) / pick(down, root_of - up, fall);
    // a parabola that opens upwards may never come down
    M lands = pick_m(below(each(0), fall), not_m(nobody()), both(down, not_m(below(under, each(0)))));
    V key = pick(now, up, time);
    M better = both(either(now, both(lands, not_m(below(time, each(0))))), below(key, t0));
    first->key = pick(better, key, t0);
    first->index = pick(better, index, first->index);
    first->corner = pick3(better, v3(x, y, z), first->corner);
}

// All heights at the time of the first are those of a plane: z and n then. Lower ones than that must be considered.
typedef struct Look { V z; V3 n; } Look;
IN_LANES Look look(const DropTable *t, const Paths *p, V key) {
    Look l;
    V at = larger(key, each(0)), half = 0.5 * at;
    l.z = p->z + at * (p->vz - half * p->fall) - t->touching;
    l.n = v3(p->n.x + at * (p->rate.x - half * p->bend.x), p->n.y + at * (p->rate.y - half * p->bend.y), p->n.z + at * (p->rate.z - half * p->bend.z));
    return l;
}

IN_LANES First first_along_edges(const DropTable *t, const Paths *p, const Flock *f) {
    First first;
    for (int lane = 0; lane < LANES; lane++) {
        Path one;
        one.z = get(&p->z, lane), one.up = get(&p->vz, lane), one.fall = get(&p->fall, lane);
        one.n[0] = get(&p->n.x, lane), one.n[1] = get(&p->n.y, lane), one.n[2] = get(&p->n.z, lane);
        one.rate[0] = get(&p->rate.x, lane), one.rate[1] = get(&p->rate.y, lane), one.rate[2] = get(&p->rate.z, lane);
        one.bend[0] = get(&p->bend.x, lane), one.bend[1] = get(&p->bend.y, lane), one.bend[2] = get(&p->bend.z, lane);
        int corner = (int)get(&f->index, lane);
        put(&first.key, lane, search(t, &one, &corner));
        put(&first.index, lane, corner);
        put(&first.corner.x, lane, t->x[corner]), put(&first.corner.y, lane, t->y[corner]), put(&first.corner.z, lane, t->z[corner]);
    }
    return first;
}

IN_LANES First first_contact(const DropTable *t, const Paths *p, const Flock *f) {
    First first;
    if (t->many) return first_along_edges(t, p, f);
    bool spins = some(not_m(below(dot3(p->bend, p->bend), p->fall * p->fall)));   // a corner may come down and go up again
    first.key = each(1e9), first.index = f->index, first.corner = f->last;
    consider(t, p, &first, f->last.x, f->last.y, f->last.z, f->index);
    Look l = look(t, p, first.key);
    for (int i = 0; i < t->corners; i++) {
        if (!spins && !some(below(l.z + (l.n.x * t->x[i] + l.n.y * t->y[i] + l.n.z * t->z[i]), each(0)))) continue;
        consider(t, p, &first, each(t->x[i]), each(t->y[i]), each(t->z[i]), each((double)i));
        l = look(t, p, first.key);
    }
    return first;
}

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
    for (int i = 0; i < 12; i++) sum = sum * sum;
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

// The corner at P hits the plane in the lanes of m. The first tangent is that of K n.
IN_LANES M hit(const DropTable *t, Flock *f, M m, V3 at) {
    V3 u = plus3(f->v, cross3(f->w, at)), lever = cross3(at, f->n);
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
    Blow b;
    b.axx = 1.0 + dot3(a1, b1), b.axy = dot3(a2, b1);
    b.ayy = 1.0 + (t->inverse[0] * (a2.x * a2.x) + t->inverse[1] * (a2.y * a2.y) + t->inverse[2] * (a2.z * a2.z));
    b.kx = pick(plain, each(0), kx), b.kzz = 1.0 + dot3(lever, give);
    b.mu = each(t->friction);
    V x0 = dot3(u, t1), y0 = dot3(u, t2), z0 = smaller(dot3(u, f->n), -1e-3 * f->hop);
    b.x = x0, b.y = y0, b.z = z0, b.p = b.store = each(0), b.back = nobody(), b.going = m;
    // a hop is a bounce that the law does not know: after a real impact, one faster than hops are, it may be five times slower
    V down = each(0) - z0, slowest = larger(pick(below(1.2 * f->hop, down), 0.2 * f->hop, f->hop), each(t->hop_least));
    V up = larger(t->restitution * down, slowest);
    b.e = up / down;
    M micro = below(t->restitution * down, up);
    b.term = pick(micro, each(t->term[1]), each(t->term[0])), b.straight = pick(micro, each(t->straight[1]), each(t->straight[0]));
    b.small = pick(micro, each(t->small[1]), each(t->small[0]));
    M done = m;
    V px = each(0), py = each(0);
    if (t->friction > 0) {
        done = collide(t, &b);
        V det = 1.0 / (b.axx * b.ayy - b.axy * b.axy), dx = b.x - x0 - b.kx * b.p, dy = b.y - y0;
        px = (b.ayy * dx - b.axy * dy) * det, py = (b.axx * dy - b.axy * dx) * det;
    } else {
        b.p = (each(0) - z0) * (1.0 + b.e) / b.kzz;
    }
    V3 p = along3(along3(scale3(b.p, f->n), px, t1), py, t2), turn = cross3(at, p);
    f->v = pick3(m, plus3(f->v, p), f->v);
    f->w = pick3(m, plus3(f->w, v3(turn.x * t->inverse[0], turn.y * t->inverse[1], turn.z * t->inverse[2])), f->w);
    return both(m, not_m(done));
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
    put(&f->time, lane, 0), put(&f->impacts, lane, 0), put(&f->steps, lane, 0), put(&f->tries, lane, 0);
}

IN_LANES void take_state(const Flock *f, int lane, double s[10]) {
    s[0] = get(&f->z, lane);
    s[1] = get(&f->n.x, lane), s[2] = get(&f->n.y, lane), s[3] = get(&f->n.z, lane);
    s[4] = get(&f->v.x, lane), s[5] = get(&f->v.y, lane), s[6] = get(&f->v.z, lane);
    s[7] = get(&f->w.x, lane), s[8] = get(&f->w.y, lane), s[9] = get(&f->w.z, lane);
}

// One iteration of all lanes. Masks: those whose certificate is to be tried now; those that have gone wrong.
IN_LANES M iterate(const DropTable *t, Flock *f, V *energy, M *wrong) {
    Paths p = paths_of(t, f);
    First first = first_contact(t, &p, f);
    V rate = root(dot3(f->w, f->w)), h = larger(first.key, 1e-3 * f->hop), angle = rate * h;
    h = pick(below(each(0.05), angle), 0.95 * h, h);
    if (some(below(each(0.26), angle))) h = pick(below(each(0.26), angle), 0.25 / rate, h);
    if (t->drag > 0) h = pick(both(below(each(0), rate), below(each(1), t->stiffest * h)), each(1 / t->stiffest), h);
    fly(t, f, h, p.vz);
    V gap = f->z + dot3(f->n, first.corner);
    V up = dot3(f->n, plus3(f->v, cross3(f->w, first.corner)));
    M m = both(below(gap, each(t->touching)), below(up, 1e-3 * f->hop));
    f->steps = f->steps + 1.0;
    *wrong = not_m(below(f->z * f->z + rate * rate, each(1e12)));   // NaN, too
    if (!some(m)) return nobody();
    *wrong = either(*wrong, hit(t, f, m, first.corner));
    V motion = energy_of(t, f);
    f->hop = pick(m, larger(t->hop_part * root(motion), each(t->hop_least)), f->hop);
    f->last = pick3(m, first.corner, f->last), f->index = pick(m, first.index, f->index);
    f->impacts = pick(m, f->impacts + 1.0, f->impacts);
    *energy = 0.5 * motion + f->z;
    M low = both(m, below(*energy, each(t->top)));
    f->tries = pick(low, f->tries + 1.0, f->tries);
    M now = both(low, not_m(below(f->tries, each(LOOK_EVERY))));
    f->tries = pick(now, each(0), f->tries);
    return now;
}

// Trials first .. first + count, into ends.
IN_LANES void drop_many(const DropTable *t, int64_t first, int64_t count, DropEnd *ends) {
    Flock f;
    int64_t trial[LANES], next = 0;
    int busy = 0;
    for (int lane = 0; lane < LANES; lane++) {
        put_trial(t, &f, lane, first + (next < count ? next : 0));
        trial[lane] = next < count ? next : -1;
        if (next < count) next++, busy++;
    }
    while (busy > 0) {
        V energy = each(0);
        M wrong, tried = iterate(t, &f, &energy, &wrong), late = not_m(below(f.steps, each((double)t->most)));
        unsigned look = bits(either(either(tried, late), wrong));
        for (int lane = 0; look != 0; lane++, look >>= 1) {
            if (!(look & 1u) || trial[lane] < 0) continue;
            DropEnd *end = &ends[trial[lane]];
            take_state(&f, lane, end->state);
            int rest = -1;
            if (bits(wrong) >> lane & 1u) rest = -2;
            else if (bits(tried) >> lane & 1u) rest = decide(t, (int)get(&f.index, lane), end->state, get(&energy, lane));
            if (rest == -1 && !(bits(late) >> lane & 1u)) continue;
            end->rest = rest, end->impacts = (int32_t)get(&f.impacts, lane), end->time = get(&f.time, lane);
            trial[lane] = next < count ? next : -1;
            if (next < count) put_trial(t, &f, lane, first + next++);
            else busy--;
        }
    }
}
