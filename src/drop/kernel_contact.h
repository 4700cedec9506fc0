// kernel_contact.h -- the corner that collides: the impact's equations, and what it leaves behind
// (inside drop/).
//
// Least speeds. Lasting contact is a train of microcollisions: after an impact the corner rises at
// least with the speed `hop`.
//
// SPDX-License-Identifier: MIT

// of hop: faster than any microcollision falls back: a real impact
#define FAST 1.2
// of hop: a real impact may leave the corner so slow, and no slower
#define SLOWER 0.2

// a corner that collides with the plane, in the lanes of m
typedef struct DropContact {
    V3 at, t1, t2;   // its place in body axes; the tangents of the contact frame
    V index;         // its number
    V x0, y0;        // its tangential velocity before
    V band, pivots;  // of the flight, after it
    M m;
    M restarts;  // it held the part alone, and cannot any more: it hops
    M tips;      // no impact: from here on the part tips about it and the corner before
    M wrong;     // a number overflowed
} DropContact;

// The frame of the contact, whose first tangent is that of K n, and the matrix K in it.
IN_LANES void contact_frame(const DropTable *t, const DropMotion *m, DropContact *c, Blow *b) {
    V3 at = c->at;
    V3 lever = cross3(at, m->n);
    V3 give = inverse_inertia(t, lever);
    V3 k = cross3(give, at);
    k = along3(k, each(0) - dot3(k, m->n), m->n);
    V kk = dot3(k, k);

    // where K n has no tangent, any will do
    V3 flat = v3(each(0), m->n.z, each(0) - m->n.y);
    V3 other = pick3(below(size(m->n.x), each(0.7)), flat, v3(each(0) - m->n.z, each(0), m->n.x));
    M plain = below(kk, each(1e-24));
    k = pick3(plain, other, k);
    V kx = root(pick(plain, dot3(other, other), kk));
    c->t1 = scale3(1.0 / kx, k);
    c->t2 = cross3(m->n, c->t1);

    V3 a1 = cross3(at, c->t1);
    V3 a2 = cross3(at, c->t2);
    V3 b1 = inverse_inertia(t, a1);
    b->axx = 1.0 + dot3(a1, b1);
    b->axy = dot3(a2, b1);
    b->ayy = 1.0 + dot3(a2, inverse_inertia(t, a2));
    b->kx = pick(plain, each(0), kx);
    b->kzz = 1.0 + dot3(lever, give);
}

// The least speed after an impact: that of a microcollision, and after a real impact a fifth of it.
IN_LANES V least_speed(const DropFlight *f, V down) {
    return larger(pick(below(FAST * f->hop, down), SLOWER * f->hop, f->hop),
                  smaller(f->hop_least, f->hop));
}

// The impact to come, of the lanes in which a corner touches.
IN_LANES void prepare_impact(const DropTable *t, const DropFlight *f, DropContact *c, Blow *b) {
    const DropMotion *m = &f->m;
    contact_frame(t, m, c, b);
    V3 u = velocity_at(m, c->at);
    b->x = dot3(u, c->t1);
    b->y = dot3(u, c->t2);
    b->z = smaller(dot3(u, m->n), -SLOWEST * f->hop);
    V down = each(0) - b->z;
    V up = larger(t->restitution * down, least_speed(f, down));
    b->micro = below(t->restitution * down, up);
    b->going = c->m;

    // lasting contact: at one corner, which lands again where it was; or at two
    M lasts = both(b->micro, both(c->m, not_m(c->restarts)));
    M same = both(lasts, not_m(unlike(c->index, f->index)));
    if (!t->many || t->drag > 0) {
        same = no_lane();
    }
    c->pivots = pick(same, each(2), each(0));
    c->tips = may_tip(t, f, lasts, c->at, c->index);
    b->going = both(b->going, not_m(c->tips));

    b->e = pick(same, each(0), up / down);
    c->band = t->touching + pick(b->micro, t->hop_band * 0.5 * up * up, each(0));
    c->x0 = b->x;
    c->y0 = b->y;
    prepare(t, b);
    b->p = pick(c->tips, each(0), b->p);
    if (t->friction > 0) return;
    b->p = down * (1.0 + b->e) * b->unconverged;
    b->going = no_lane();
}

// What the impact left behind: momentum follows from the change of the corner's velocity.
IN_LANES void apply_impulse(const DropTable *t, DropMotion *m, M who, const DropContact *c,
                            const Blow *b) {
    V px = each(0);
    V py = each(0);
    if (t->friction > 0) {
        V det = 1.0 / (b->axx * b->ayy - b->axy * b->axy);
        V dx = b->x - c->x0 - b->kx * b->p;
        V dy = b->y - c->y0;
        px = (b->ayy * dx - b->axy * dy) * det;
        py = (b->axx * dy - b->axy * dx) * det;
    }
    V3 p = along3(along3(scale3(b->p, m->n), px, c->t1), py, c->t2);
    m->v = pick3(who, plus3(m->v, p), m->v);
    m->w = pick3(who, plus3(m->w, inverse_inertia(t, cross3(c->at, p))), m->w);
}
