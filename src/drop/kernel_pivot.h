// kernel_pivot.h -- lasting contact at one corner: the part turns about it, or slides on it (inside
// drop/; included by kernel.h).
//
// With the corner at P (body axes, from the centre of mass) the plane's force f there, per mass,
// changes the motion by
//     n' = n x w,   v' = v x w - n + f,   w' = J (Iw x w + P x f),   J = I^-1 (1)
// and the acceleration of the corner is
//     a = a0 + K f,   a0 = -n + J (Iw x w) x P + w x (w x P),   K f = f + J (P x f) x P (2)
// K is constant in body axes. A corner that sticks has a = 0:  f = -K^-1 a0, within the cone of
// static friction. One that slides along the unit vector s has n.a = 0 and f = f_n (n - mu s):  f_n
// = -n.a0 / (n.K (n - mu s)). Where f_n is not positive the corner leaves the plane. Steps are of
// Runge and Kutta, fourth order, no longer than a slide lasts; what they leave of the corner's
// velocity, and of its height, is taken away.
//
// SPDX-License-Identifier: MIT

// of hop: slower than this is at rest, and no time is shorter
#define SLOWEST 1e-3
// time: a part that stands on its corner tips e-fold in one or more
#define LONGEST 0.3
// duration of a hop: time to the next contact within which two corners hold the part
#define SECOND_CONTACT 2.0

typedef struct Support {             // of one step
    V3 at;                           // P
    V kxx, kyy, kzz, kxy, kxz, kyz;  // K
    V ixx, iyy, izz, ixy, ixz, iyz;  // K^-1
    V3 slide;                        // s, where it has none yet
    M slips, started;                // started: s is the direction of its velocity
} Support;

IN_LANES V3 k_times(const Support *s, V3 a) {
    return v3(s->kxx * a.x + s->kxy * a.y + s->kxz * a.z,
              s->kxy * a.x + s->kyy * a.y + s->kyz * a.z,
              s->kxz * a.x + s->kyz * a.y + s->kzz * a.z);
}

IN_LANES V3 k_inverse(const Support *s, V3 a) {
    return v3(s->ixx * a.x + s->ixy * a.y + s->ixz * a.z,
              s->ixy * a.x + s->iyy * a.y + s->iyz * a.z,
              s->ixz * a.x + s->iyz * a.y + s->izz * a.z);
}

IN_LANES V3 velocity_at(const DropMotion *m, V3 at) { return plus3(m->v, cross3(m->w, at)); }
IN_LANES V3 tangent(V3 a, V3 n) { return along3(a, each(0) - dot3(a, n), n); }

// a0
IN_LANES V3 free_acceleration(const DropTable *t, const DropMotion *m, V3 at) {
    V3 gyro = inverse_inertia(t, cross3(inertia_times(t, m->w), m->w));
    V3 a = plus3(cross3(gyro, at), cross3(m->w, cross3(m->w, at)));
    return v3(a.x - m->n.x, a.y - m->n.y, a.z - m->n.z);
}

// f; its normal part may be negative or, in a Painleve configuration, none at all: then it is 0.
IN_LANES V3 support_force(const DropTable *t, const Support *s, const DropMotion *m) {
    V3 a0 = free_acceleration(t, m, s->at);
    V3 stick = scale3(each(-1), k_inverse(s, a0));
    if (!some(s->slips)) return stick;
    V3 u = tangent(velocity_at(m, s->at), m->n);
    V speed = root(dot3(u, u));
    V3 along = pick3(s->started, scale3(1.0 / larger(speed, each(1e-12)), u), s->slide);
    V3 cone = along3(m->n, each(-t->friction), along);
    V give = larger(dot3(m->n, k_times(s, cone)), each(1e-6));
    V normal = larger((each(0) - dot3(m->n, a0)) / give, each(0));
    return pick3(s->slips, scale3(normal, cone), stick);
}

IN_LANES Support support_at(const DropTable *t, V3 at) {
    Support s;
    V jx = each(t->inverse[0]);
    V jy = each(t->inverse[1]);
    V jz = each(t->inverse[2]);
    s.at = at;
    s.kxx = 1.0 + (jy * (at.z * at.z) + jz * (at.y * at.y));
    s.kyy = 1.0 + (jx * (at.z * at.z) + jz * (at.x * at.x));
    s.kzz = 1.0 + (jx * (at.y * at.y) + jy * (at.x * at.x));
    s.kxy = each(0) - jz * (at.x * at.y);
    s.kxz = each(0) - jy * (at.x * at.z);
    s.kyz = each(0) - jx * (at.y * at.z);

    V cx = s.kyy * s.kzz - s.kyz * s.kyz;
    V cy = s.kxz * s.kyz - s.kxy * s.kzz;
    V cz = s.kxy * s.kyz - s.kxz * s.kyy;
    V over = 1.0 / (s.kxx * cx + s.kxy * cy + s.kxz * cz);
    s.ixx = cx * over;
    s.ixy = cy * over;
    s.ixz = cz * over;
    s.iyy = (s.kxx * s.kzz - s.kxz * s.kxz) * over;
    s.iyz = (s.kxy * s.kxz - s.kxx * s.kyz) * over;
    s.izz = (s.kxx * s.kyy - s.kxy * s.kxy) * over;
    return s;
}

// How a corner holds the part now. Those of `on` that it does not press are taken out.
typedef struct Pivot {
    Support s;
    V3 force;
    V stop;     // time until a slide stops, as it slows now
    V horizon;  // how long a step may be: about 0.25 rad, and no longer than LONGEST
    M on;
} Pivot;

IN_LANES Pivot pivot_of(const DropTable *t, const DropFlight *f, M on) {
    Pivot p;
    const DropMotion *m = &f->m;
    p.s = support_at(t, f->corner);
    V3 a0 = free_acceleration(t, m, f->corner);
    V3 stick = scale3(each(-1), k_inverse(&p.s, a0));
    V3 u = tangent(velocity_at(m, f->corner), m->n);
    V3 side = tangent(stick, m->n);
    V normal = dot3(m->n, stick);
    V speed2 = dot3(u, u);
    V side2 = dot3(side, side);

    // does it stick, or which way does it slide?
    V slow = SLOWEST * f->hop_least;
    M rests = below(speed2, slow * slow);
    M holds = both(below(each(0), normal), below(side2, t->hold * t->hold * normal * normal));
    p.s.slips = not_m(both(rests, holds));
    p.s.started = not_m(rests);
    p.s.slide = scale3(-1.0 / larger(root(side2), each(1e-12)), side);

    // how long?
    p.force = support_force(t, &p.s, m);
    V3 a = plus3(a0, k_times(&p.s, p.force));
    // times the speed
    V slows = each(0) - dot3(u, a);
    M stops = both(p.s.started, below(each(0), slows));
    p.stop = pick(stops, speed2 / larger(slows, each(1e-30)), each(NEVER));
    V3 torque = plus3(cross3(inertia_times(t, m->w), m->w), cross3(f->corner, p.force));
    V3 spin = inverse_inertia(t, torque);
    V w2 = dot3(m->w, m->w);
    V faster = root(w2 + 0.5 * root(dot3(spin, spin)));
    p.horizon = smaller(0.5 / larger(root(w2) + faster, each(1e-3)), each(LONGEST));
    p.on = both(on, below(each(0), dot3(m->n, p.force)));
    return p;
}

// --- a step --------------------------------------------------------------------------------------
typedef struct Rates {
    V3 n, v, w;
} Rates;

IN_LANES Rates rates_of(const DropTable *t, const Support *s, const DropMotion *m) {
    Rates r;
    V3 f = support_force(t, s, m);
    r.n = cross3(m->n, m->w);
    r.v = plus3(cross3(m->v, m->w), v3(f.x - m->n.x, f.y - m->n.y, f.z - m->n.z));
    r.w = inverse_inertia(t, plus3(cross3(inertia_times(t, m->w), m->w), cross3(s->at, f)));
    return r;
}

IN_LANES DropMotion after(const DropMotion *m, V h, const Rates *r) {
    DropMotion to = *m;
    to.n = along3(m->n, h, r->n);
    to.v = along3(m->v, h, r->v);
    to.w = along3(m->w, h, r->w);
    return to;
}

// A step of length h, of those that are on.
IN_LANES void turn_about(const DropTable *t, const Pivot *p, V h, DropMotion *m) {
    const Support *s = &p->s;
    Rates a = rates_of(t, s, m);
    DropMotion to = after(m, 0.5 * h, &a);
    Rates b = rates_of(t, s, &to);
    to = after(m, 0.5 * h, &b);
    Rates c = rates_of(t, s, &to);
    to = after(m, h, &c);
    Rates d = rates_of(t, s, &to);
    V sixth = h * (1.0 / 6);
    V third = h * (1.0 / 3);
    to.n = plus3(along3(m->n, sixth, plus3(a.n, d.n)), scale3(third, plus3(b.n, c.n)));
    to.v = plus3(along3(m->v, sixth, plus3(a.v, d.v)), scale3(third, plus3(b.v, c.v)));
    to.w = plus3(along3(m->w, sixth, plus3(a.w, d.w)), scale3(third, plus3(b.w, c.w)));
    to.n = scale3(1.5 - 0.5 * dot3(to.n, to.n), to.n);

    // what is left of the corner's velocity: all of it where it sticks or stops
    V3 u = velocity_at(&to, s->at);
    V3 un = scale3(dot3(u, to.n), to.n);
    M stands = either(not_m(s->slips), both(s->started, not_m(below(h, p->stop))));
    V3 push = scale3(each(-1), k_inverse(s, pick3(stands, u, un)));
    to.v = plus3(to.v, push);
    to.w = plus3(to.w, inverse_inertia(t, cross3(s->at, push)));
    to.z = each(0) - dot3(to.n, s->at);
    to.time = m->time + h;
    take_motion(p->on, &to, m);
}
