// kernel_impact.h -- one frictional collision in every lane, to some digits and without stiffness
// (inside drop/).
//
// Routh's equations as in solve/impact.c, after Mirtich and Canny 1994, section 4: with K = [A k;
// k' kzz] in the frame of the contact, whose first tangent points along k,
//     sliding   du_t/dp = k - mu A u_t/s,   du_z/dp = kzz - mu k.u_t/s,   s = |u_t|,   dtau = dp /
//     s              (1) sticking  u_t = 0,   du_z/dp = kzz - k.A^-1 k,   if |A^-1 k| <= mu_static
// The slide is a Taylor series in tau, a dozen digits fewer than in solve/: some series are a
// collision. Shortcuts:
//   - A slide that certainly ends in compression, and sticks, needs no path: u_t = 0 and u_z = 0
//   say what the impulse is.
//   - A slide that turns by less than `straight` from here on is a straight line, which may stop.
//   - One that is `small` beside the impulse to come is none.
//   - The tangential impulse is what u_t says it is: momentum is exact whatever the series left
//   out.
// Restitution is a store that compression fills: e dp (Poisson) or e^2 |u_z| dp (Stronge).
//
// SPDX-License-Identifier: MIT

enum { IMPACT_PASSES = 200 };

typedef struct Blow {                                // a collision under way
    V axx, axy, ayy, kx, kzz;                        // the matrix; ky = 0
    V hx, hy, slows, unstuck, unconverged, longest;  // of the matrix alone: see `prepare`
    V e, x, y, z, p;                                 // x, y: u_t; z: u_z; p: normal impulse so far
    V store;
    V passes;
    V phase;  // of one that is run elsewhere: 0 over, 1 in compression, 2 in restitution
    M holds;  // friction can hold it, once it is at rest
    M micro;  // a hop: table.h has how fine it is
    M back;   // in restitution
    M going;  // not over
} Blow;

IN_LANES M hold_of(const DropTable *t, const Blow *b) {
    return not_m(below(each(t->hold * t->hold), b->hx * b->hx + b->hy * b->hy));
}

// From the matrix, e, x, y, z and the masks micro and going.
IN_LANES void prepare(const DropTable *t, Blow *b) {
    V by = b->kx / (b->axx * b->ayy - b->axy * b->axy);
    V half = 0.5 * (b->axx - b->ayy);
    // A^-1 k
    b->hx = b->ayy * by;
    b->hy = (each(0) - b->axy) * by;
    b->longest = 3.0 / (t->friction * (b->axx + b->ayy) + b->kx);
    b->holds = hold_of(t, b);
    // -ds/dp is at least this
    b->slows = t->friction * (0.5 * (b->axx + b->ayy) - root(half * half + b->axy * b->axy)) -
               b->kx;
    b->unstuck = 1.0 / (b->kzz - b->kx * b->hx);
    b->unconverged = 1.0 / b->kzz;
    b->p = b->store = b->passes = each(0);
    b->back = no_lane();
}

// `work`: of the normal force, for Stronge's law.
IN_LANES void spend(const DropTable *t, Blow *b, M who, V dp, V work) {
    V fill = t->stronge ? each(0) - b->e * b->e * work : b->e * dp;
    V take = t->stronge ? work : dp;
    b->store = pick(who, b->store + pick(b->back, each(0) - take, fill), b->store);
    b->p = pick(who, b->p + dp, b->p);
}

// dp until restitution is over on a straight line, where u_z rises by az.
IN_LANES V due_back(const DropTable *t, const Blow *b, V az) {
    if (!t->stronge) return b->store;
    // u_z d + az d^2 / 2 = store
    V under = b->z * b->z + 2.0 * az * b->store;
    V to = b->z + root(larger(under, each(0)));
    V d = pick(either(below(under, each(0)), not_m(below(each(0), to))), each(1e30),
               2.0 * b->store / to);
    return pick(below(each(0), b->store), d, each(0));
}

// Straight on for `who`, u_t along (rx, ry) growing by `rate`, until the end or the stop, where u_t
// = 0: a mask of these.
IN_LANES M line(const DropTable *t, Blow *b, M who, V rx, V ry, V rate, V az, V stop) {
    M stopped = no_lane();
    V inverse_az = 1.0 / az;
    V never = each(1e30);
    IN_TURN  // compression, restitution; rarely compression again
    for (int stage = 0; stage < 3 && some(who); stage++) {
        // dp until u_z = 0
        V zero = (each(0) - b->z) * inverse_az;
        V due = pick(b->back, due_back(t, b, az), pick(below(each(0), az), zero, never));
        M dips = both(both(who, b->back), both(below(az, each(0)), below(zero, due)));
        due = pick(dips, zero, due);
        M stops = both(who, below(stop, due));
        M ends = both(who, not_m(stops));
        M orientations = both(ends, either(not_m(b->back), dips));
        M over = both(ends, not_m(orientations));
        V d = pick(stops, stop, due);
        spend(t, b, who, d, d * (b->z + 0.5 * az * d));
        b->x = pick(who, b->x + rx * (rate * d), b->x);
        b->x = pick(stops, each(0), b->x);
        b->y = pick(who, b->y + ry * (rate * d), b->y);
        b->y = pick(stops, each(0), b->y);
        b->z = pick(who, b->z + az * d, b->z);
        b->z = pick(orientations, each(0), b->z);
        stop = stop - d;
        b->back = either(both(b->back, not_m(orientations)), both(orientations, not_m(b->back)));
        b->going = both(b->going, not_m(over));
        stopped = either(stopped, stops);
        who = orientations;
    }
    return stopped;
}

// --- which way it goes on ------------------------------------------------------------------------
typedef struct Course {
    V s, over, rx, ry, rate;  // |u_t|, 1 / s, direction of u_t, ds/dp
    M rest, even, bends;      // u_t = 0; straight; or neither: of those that go on
} Course;

IN_LANES void head_for(const Blow *b, Course *c) {
    c->s = root(b->x * b->x + b->y * b->y);
    c->over = 1.0 / larger(c->s, each(1e-300));
    c->rx = b->x * c->over;
    c->ry = b->y * c->over;
}

IN_LANES Course course_of(const DropTable *t, Blow *b) {
    Course c;
    head_for(b, &c);
    // ends stuck: then it does not matter how it got there
    if (!t->stronge) {
        V due = pick(b->back, b->store, (b->hx * b->x + b->hy * b->y - b->z) * b->unstuck);
        M sure = both(both(b->going, b->holds), below(c.s, b->slows * due));
        b->p = pick(sure, b->p + due + pick(b->back, each(0), b->store + b->e * due), b->p);
        b->x = pick(sure, each(0), b->x);
        b->y = pick(sure, each(0), b->y);
        b->going = both(b->going, not_m(sure));
    }
    // normal impulse to come, about
    V left = pick(b->back, due_back(t, b, b->kzz),
                  (each(0) - b->z) * b->unconverged * (1.0 + b->e));
    V small = pick(b->micro, each(t->small[1]), each(t->small[0]));
    V straight = pick(b->micro, each(t->straight[1]), each(t->straight[0]));
    c.rest = both(b->going, not_m(below(small * left, c.s)));
    V ax = b->axx * c.rx + b->axy * c.ry;
    V ay = b->axy * c.rx + b->ayy * c.ry;
    V rar = c.rx * ax + c.ry * ay;
    c.rate = b->kx * c.rx - t->friction * rar;
    V rotation = each(0) - b->kx * c.ry - t->friction * (c.rx * ay - c.ry * ax);
    // how fast the slide turns to the way it ends up in
    V pull = c.rate + t->friction * (b->axx + b->ayy - rar);
    c.even = both(
        both(b->going, not_m(c.rest)),
        below(size(rotation), straight * pick(b->holds, larger(pull, each(0) - c.rate), pull)));
    c.bends = both(b->going, not_m(either(c.rest, c.even)));
    return c;
}

// --- the slide that turns ------------------------------------------------------------------------
typedef struct Slide {  // (1) from u_t of length 1, in powers of tau
    V x[6], y[6], s[6];
    V p[7], z[7];  // of dp = s, and of the gain of u_z
    V w[7];        // of the gain's own work: only for Stronge
} Slide;

// Powers of tau, so that sums are short chains: processors wait less.
typedef struct Powers {
    V t, t2, t4;
} Powers;
IN_LANES Powers powers(V tau) {
    Powers p;
    p.t = tau;
    p.t2 = tau * tau;
    p.t4 = p.t2 * p.t2;
    return p;
}
// c[0] + ... + c[5] tau^5
IN_LANES V sum5(const V *c, Powers p) {
    return (c[0] + c[1] * p.t) + (c[2] + c[3] * p.t) * p.t2 + (c[4] + c[5] * p.t) * p.t4;
}
// c[1] tau + ... + c[6] tau^6
IN_LANES V sum6(const V *c, Powers p) {
    return ((c[1] + c[2] * p.t) + (c[3] + c[4] * p.t) * p.t2 + (c[5] + c[6] * p.t) * p.t4) * p.t;
}

// One term more: x, y and s = sqrt(x^2 + y^2) of order n from those before, `rest` being the
// products that s^2 still needs.
#define NEXT_TERM(n, rest)                                                                         \
    k.p[n] = k.s[n - 1] * (1.0 / n), k.z[n] = (k.s[n - 1] * b->kzz - mx * k.x[n - 1]) * (1.0 / n); \
    k.x[n] = (k.s[n - 1] * b->kx - (mxx * k.x[n - 1] + mxy * k.y[n - 1])) * (1.0 / n);             \
    k.y[n] = (mxy * k.x[n - 1] + myy * k.y[n - 1]) * (-1.0 / n);                                   \
    k.s[n] = (rx * k.x[n] + ry * k.y[n]) + (rest)
#define PAIR(i, j) (k.x[i] * k.x[j] + k.y[i] * k.y[j] - k.s[i] * k.s[j])

IN_LANES Slide expand(const DropTable *t, const Blow *b, V rx, V ry) {
    Slide k;
    V mxx = t->friction * b->axx;
    V mxy = t->friction * b->axy;
    V myy = t->friction * b->ayy;
    V mx = t->friction * b->kx;
    k.x[0] = rx;
    k.y[0] = ry;
    k.s[0] = each(1);
    k.p[0] = k.z[0] = each(0);
    NEXT_TERM(1, each(0));
    NEXT_TERM(2, 0.5 * PAIR(1, 1));
    NEXT_TERM(3, PAIR(1, 2));
    NEXT_TERM(4, PAIR(1, 3) + 0.5 * PAIR(2, 2));
    NEXT_TERM(5, PAIR(1, 4) + PAIR(2, 3));
    k.p[6] = k.s[5] * (1.0 / 6);
    k.z[6] = (k.s[5] * b->kzz - mx * k.x[5]) * (1.0 / 6);
    if (!t->stronge) return k;
    k.w[0] = k.w[1] = each(0);
    k.w[2] = k.z[1] * (1.0 / 2);
    k.w[3] = (k.z[2] + k.s[1] * k.z[1]) * (1.0 / 3);
    k.w[4] = (k.z[3] + k.s[1] * k.z[2] + k.s[2] * k.z[1]) * (1.0 / 4);
    k.w[5] = (k.z[4] + k.s[1] * k.z[3] + k.s[2] * k.z[2] + k.s[3] * k.z[1]) * (1.0 / 5);
    k.w[6] = (k.z[5] + k.s[1] * k.z[4] + k.s[2] * k.z[3] + k.s[3] * k.z[2] + k.s[4] * k.z[1]) *
             (1.0 / 6);
    return k;
}

// The tau in [low, high] where c, with slope s kz - x mx, has the value level: Newton's method,
// every slope used twice.
IN_LANES V crossing(const Slide *k, const V *c, V kz, V mx, V level, V low, V high, V tau,
                    int looks) {
    IN_TURN
    for (int i = 0; i < looks; i++) {
        tau = smaller(larger(tau, low), high);
        Powers p = powers(tau);
        V slope = kz * sum5(k->s, p) - mx * sum5(k->x, p);
        V over = 1.0 / slope;
        M rises = below(each(0), slope);
        tau = smaller(larger(pick(rises, tau - (sum6(c, p) - level) * over, high), low), high);
        tau = pick(rises, tau - (sum6(c, powers(tau)) - level) * over, tau);
    }
    return smaller(larger(tau, low), high);
}

IN_LANES V work_of(const DropTable *t, const Slide *k, V s, V z, V tau) {
    if (!t->stronge) return each(0);
    return s * (z * sum6(k->p, powers(tau)) + s * sum6(k->w, powers(tau)));
}

// Where u_z falls through 0 again on the way from low to high: rare, so halved.
IN_LANES V falling(const Slide *k, V s, V z, V low, V high) {
    IN_TURN
    for (int i = 0; i < 30; i++) {
        V mid = 0.5 * (low + high);
        M under = below(z + s * sum6(k->z, powers(mid)), each(0));
        high = pick(under, mid, high);
        low = pick(under, low, mid);
    }
    return high;
}

// Where the work of restitution, `done` at `from`, is what the store held: Stronge's law, by
// halving.
IN_LANES V spent(const DropTable *t, const Slide *k, V s, V z, V level, V from, V end) {
    V low = from;
    V high = end;
    IN_TURN
    for (int i = 0; i < 40; i++) {
        V mid = 0.5 * (low + high);
        M under = below(work_of(t, k, s, z, mid), level);
        low = pick(under, mid, low);
        high = pick(under, high, mid);
    }
    return high;
}

// A lane whose slip bends goes on to the end of a series (how far that goes need not be known well,
// so the root is a rough one), or to that of the collision.
IN_LANES void slide(const DropTable *t, Blow *b, const Course *c) {
    M who = c->bends;
    V s = c->s;
    V over_s = c->over;
    V term = pick(b->micro, each(t->term[1]), each(t->term[0]));
    Slide k = expand(t, b, c->rx, c->ry);
    V last = size(k.x[4]) + size(k.y[4]);
    V end = smaller(fourth_root(term, last), b->longest);
    V z = b->z;
    // of s = 1
    V p = sum6(k.p, powers(end));
    V gain = sum6(k.z, powers(end));
    // compression may end on the way
    V level = (each(0) - z) * over_s;
    V from = each(0);
    V done = each(0);
    V work = each(0);
    M orientations = both(both(who, not_m(b->back)), not_m(below(gain, level)));
    if (some(orientations)) {
        V at = crossing(&k, k.z, b->kzz, t->friction * b->kx, level, each(0), end,
                        end * (level / gain), t->looks);
        V dp = sum6(k.p, powers(at));
        work = pick(orientations, work_of(t, &k, s, z, at), work);
        spend(t, b, orientations, s * dp, work);
        from = pick(orientations, at, from);
        done = pick(orientations, dp, done);
        b->back = either(b->back, orientations);
    }
    // and so may restitution
    M back = both(who, b->back);
    M over = no_lane();
    if (some(back)) {
        V left = t->stronge ? work + b->store : done + b->store * over_s;
        V all_of = t->stronge ? work_of(t, &k, s, z, end) : p;
        over = both(back, not_m(below(all_of, left)));
        if (some(over)) {
            V at = t->stronge
                       ? spent(t, &k, s, z, left, from, end)
                       : crossing(&k, k.p, each(1), each(0), left, from, end,
                                  from + (end - from) * ((left - done) / (p - done)), t->looks);
            end = pick(over, at, end);
            p = pick(over, sum6(k.p, powers(at)), p);
            gain = pick(over, sum6(k.z, powers(at)), gain);
        }
        M dips = both(back, below(gain + 1e-9, level));
        if (some(dips)) {
            end = pick(dips, falling(&k, s, z, from, end), end);
            over = both(over, not_m(dips));
            p = sum6(k.p, powers(end));
            gain = sum6(k.z, powers(end));
        }
        spend(t, b, back, s * (p - done), work_of(t, &k, s, z, end) - work);
        b->back = both(b->back, not_m(dips));
        b->going = both(b->going, not_m(over));
    }
    M still = both(who, not_m(back));
    spend(t, b, still, s * p, work_of(t, &k, s, z, end));
    b->x = pick(who, s * sum5(k.x, powers(end)), b->x);
    b->y = pick(who, s * sum5(k.y, powers(end)), b->y);
    b->z = pick(who, z + s * gain, b->z);
    b->passes = pick(who, b->passes + 1.0, b->passes);
}

// --- the end -------------------------------------------------------------------------------------
// The way out of rest where friction cannot hold: (mu A + rate) r = k, |r| = 1 [solve/impact.c
// (2)]. It is at least |k| - mu Axx, as the mean of 1 / x is not less than 1 / mean, and that is
// all where Axy = 0.
IN_LANES void leave(const DropTable *t, const Blow *b, V *rx, V *ry, V *rate) {
    V lam = larger(b->kx - t->friction * b->axx, each(0));
    V xy = t->friction * b->axy;
    IN_TURN
    for (int i = 0; i < 2 * t->looks; i++) {
        V xx = t->friction * b->axx + lam;
        V yy = t->friction * b->ayy + lam;
        V over = 1.0 / (xx * yy - xy * xy);
        V x = b->kx * yy * over;
        V y = (each(0) - b->kx) * xy * over;
        V q = (yy * x * x - 2.0 * xy * x * y + xx * y * y) * over;
        V square = x * x + y * y;
        V phi = root(square);
        lam = larger(lam + (phi - 1.0) * square / q, lam);
    }
    V yy = t->friction * b->ayy + lam;
    V over = 1.0 / root(yy * yy + xy * xy);
    *rx = yy * over;
    *ry = (each(0) - xy) * over;
    *rate = lam;
}

// A lane that rests or slides straight goes on to the end. A slide that stops and cannot be held
// goes on from rest.
IN_LANES void finish(const DropTable *t, Blow *b, const Course *c) {
    V rx = c->rx;
    V ry = c->ry;
    V rate = c->rate;
    V stuck = b->kzz - b->kx * b->hx;
    V az = b->kzz - t->friction * b->kx * rx;
    V stop = pick(both(c->even, below(rate, each(0))), c->s / (each(0) - rate), each(1e30));
    if (some(c->rest)) {
        M slips = both(c->rest, not_m(b->holds));
        b->x = pick(c->rest, each(0), b->x);
        b->y = pick(c->rest, each(0), b->y);
        rx = pick(c->rest, each(0), rx);
        ry = pick(c->rest, each(0), ry);
        rate = pick(c->rest, each(0), rate);
        az = pick(c->rest, stuck, az);
        if (some(slips)) {
            V qx, qy, qrate;
            leave(t, b, &qx, &qy, &qrate);
            rx = pick(slips, qx, rx);
            ry = pick(slips, qy, ry);
            rate = pick(slips, qrate, rate);
            az = pick(slips, b->kzz - t->friction * b->kx * qx, az);
        }
    }
    M who = either(c->rest, c->even);
    b->passes = pick(who, b->passes + 1.0, b->passes);
    IN_TURN
    for (int stops = 0; stops < 2 && some(who); stops++) {
        // stopped, and held from there on
        who = both(line(t, b, who, rx, ry, rate, az, stop), b->holds);
        rx = ry = rate = each(0);
        az = stuck;
        stop = each(1e30);
    }
}

// The lanes that go on, but for those that took more work than any collision needs.
IN_LANES M unfinished(const Blow *b, M who) {
    return both(who, below(b->passes, each(IMPACT_PASSES)));
}

// Runs collisions to their end: p, x and y are then what they are after it.
IN_LANES void collide(const DropTable *t, Blow *b) {
    while (some(unfinished(b, b->going))) {
        Course c = course_of(t, b);
        while (some(unfinished(b, c.bends))) {
            slide(t, b, &c);
            if (!some(b->going)) return;
            c = course_of(t, b);
        }
        finish(t, b, &c);
    }
}
