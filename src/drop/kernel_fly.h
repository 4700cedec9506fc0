// kernel_fly.h -- free flight for a time h (inside drop/; included by kernel.h).
//
// Height: exact. Spin: Euler's equations by Runge and Kutta, fourth order. Turning: a Magnus step
// of fourth order, from the spin at the beginning, in the middle and at the end. Drag slows the two
// exponentially, height exactly so.
//
// SPDX-License-Identifier: MIT

// w' = J (I w x w), less drag
IN_LANES V3 spin_rate(const DropTable *t, V3 w) {
    V3 rate = inverse_inertia(t, cross3(inertia_times(t, w), w));
    if (t->drag > 0) {
        rate = v3(rate.x - t->spin_drag[0] * w.x, rate.y - t->spin_drag[1] * w.y,
                  rate.z - t->spin_drag[2] * w.z);
    }
    return rate;
}

// a turned by -th, |th| < 0.3: series of sin(th)/th and (1 - cos(th))/th^2.
IN_LANES V3 swung(V3 a, V3 th, V sine, V cosine) {
    V3 once = cross3(th, a);
    V3 twice = cross3(th, once);
    return along3(along3(a, each(0) - sine, once), cosine, twice);
}

// exp(-x), x >= 0, as (exp(-x / 4096))^4096
IN_LANES V exp_of_minus(V x) {
    V y = smaller(x, each(700)) * (1.0 / 4096);
    V sum = 1.0 - y * (1.0 / 4) * (1.0 - y * (1.0 / 5));
    sum = 1.0 - y * (1.0 / 2) * (1.0 - y * (1.0 / 3) * sum);
    sum = 1.0 - y * sum;
    IN_TURN
    for (int i = 0; i < 12; i++) {
        sum = sum * sum;
    }
    return sum;
}

// (1 - exp(-x)) / x and (x - 1 + exp(-x)) / x^2, by series where they would cancel.
IN_LANES void drag_factors(V x, V fade, V *once, V *twice) {
    V tail = 1.0 / 40320 - x * (1.0 / 362880 - x * (1.0 / 3628800));
    tail = 1.0 / 24 - x * (1.0 / 120 - x * (1.0 / 720 - x * (1.0 / 5040 - x * tail)));
    V half = 0.5 - x * (1.0 / 6 - x * tail);
    V over = 1.0 / larger(x, each(0.1));
    M small = below(x, each(0.25));
    *once = pick(small, 1.0 - x * half, (1.0 - fade) * over);
    *twice = pick(small, half, (x - 1.0 + fade) * over * over);
}

// The angle by which the part turns in time h, and its spin then.
IN_LANES V3 turn_in_flight(const DropTable *t, V3 w0, V h, V3 *w1) {
    V3 r0 = spin_rate(t, w0);
    V3 r1 = spin_rate(t, along3(w0, 0.5 * h, r0));
    V3 wm = along3(w0, 0.5 * h, r1);
    V3 r2 = spin_rate(t, wm);
    V3 r3 = spin_rate(t, along3(w0, h, r2));
    V3 slope = plus3(plus3(r0, r3), scale3(each(2), plus3(r1, r2)));
    *w1 = along3(w0, h * (1.0 / 6), slope);

    // w at h / 2, from the slopes: third order
    V3 mid = along3(along3(w0, h * (5.0 / 24), r0), h * (1.0 / 6), plus3(r1, r2));
    mid = along3(mid, h * (-1.0 / 24), r3);
    V3 sum = plus3(plus3(w0, *w1), scale3(each(4), mid));
    return along3(scale3(h * (1.0 / 6), sum), h * h * (1.0 / 12), cross3(w0, *w1));
}

IN_LANES void fly(const DropTable *t, DropMotion *m, V h) {
    V3 w1;
    V3 th = turn_in_flight(t, m->w, h, &w1);
    V q = dot3(th, th);
    V vz = dot3(m->n, m->v);
    V sine = 1.0 - q * (1.0 / 6) *
                       (1.0 - q * (1.0 / 20) * (1.0 - q * (1.0 / 42) * (1.0 - q * (1.0 / 72))));
    V cosine = 0.5 - q * (1.0 / 24) *
                         (1.0 - q * (1.0 / 30) * (1.0 - q * (1.0 / 56) * (1.0 - q * (1.0 / 90))));
    V3 across = along3(m->v, each(0) - vz, m->n);
    V3 n = swung(m->n, th, sine, cosine);
    n = scale3(1.5 - 0.5 * dot3(n, n), n);
    across = swung(across, th, sine, cosine);

    // height: z'' = -1 - drag z'
    V speed = vz - h;
    if (t->drag > 0) {
        V x = t->drag * h;
        V fade = exp_of_minus(x);
        V once;
        V twice;
        drag_factors(x, fade, &once, &twice);
        m->z = m->z + h * (vz * once - h * twice);
        speed = vz * fade - h * once;
        across = scale3(fade, across);
    } else {
        m->z = m->z + h * (vz - 0.5 * h);
    }
    m->n = n;
    m->w = w1;
    m->v = along3(across, speed, n);
    m->time = m->time + h;
}
