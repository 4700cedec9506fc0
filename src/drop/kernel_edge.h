// kernel_edge.h -- lasting contact at two corners that stick: the part tips about the line through
// them (inside drop/).
//
// One angle is left, so that the motion is a pendulum's and known in closed form. With the corners
// at P and Q, e the unit vector from P to Q, n the direction of up (all in body axes, n.e = 0) and
// m = n x e, a turn by phi gives
//     n(phi) = n cos(phi) + m sin(phi),   z(phi) = -n(phi).P,   w = omega e,   I_e omega^2 / 2 + z
//     = E               (1) I_e = e.I e + |P x e|^2,   d(omega)/dt = e.(P x n) / I_e (2)
// Another corner C lands where n(phi).(C - P) = 0: at tan(phi) = n.(C - P) / -m.(C - P). The part
// turns back where z(phi) = E. The plane's forces F = f_P + f_Q, and their moment about P, follow
// from (2); along the line the two share alike. Where one of them would pull, or leave its cone of
// friction, the corners are let go.
//
// SPDX-License-Identifier: MIT

// tan of the most that it turns at once: then forces are looked at again
#define STEP_TAN 0.1
// of hop: at most so fast are corners that can hold the part, along the normal,
#define TIP_NORMAL 1.0
#define TIP_SLIP   0.5  //   and along the plane
// impacts: it may tip again only so long after the corners let it go
#define TIP_WAIT 8

typedef struct Line {   // through the two corners, of the lanes that tip
    V3 along, side;     // e; m, turned to where the part goes
    V length, inertia;  // |Q - P|; I_e
    V omega, energy;    // omega along the way it goes, not negative
    V sign;             // of omega about e
    M on;
} Line;

IN_LANES V line_inertia(const DropTable *t, V3 at, V3 along) {
    V3 arm = cross3(at, along);
    return dot3(along, inertia_times(t, along)) + dot3(arm, arm);
}

// Does friction hold a corner that is pushed by f?
IN_LANES M is_held(const DropTable *t, V3 n, V3 f) {
    V normal = dot3(f, n);
    V most = t->hold * normal;
    V3 across = tangent(f, n);
    return both(below(each(0), normal), not_m(below(most * most, dot3(across, across))));
}

// Do both corners push, within their cones? `rate` is d(omega)/dt.
IN_LANES M are_held(const DropTable *t, const DropFlight *f, const Line *s, V omega, V rate) {
    V3 p = f->corner;
    V3 n = f->m.n;
    V3 line = along3(f->other, each(-1), p);
    V3 e = s->along;
    V3 lever = cross3(e, p);
    V3 out = cross3(e, lever);
    V3 weight = cross3(p, n);
    // I_P e
    V3 arm = plus3(inertia_times(t, e), along3(scale3(dot3(p, p), e), each(0) - dot3(p, e), p));
    V3 moment = along3(scale3(rate, arm), omega * omega, cross3(e, arm));
    moment = along3(moment, each(-1), weight);
    V3 force = along3(along3(n, each(0) - rate, lever), each(0) - omega * omega, out);

    // f_Q across the line from the moment about P; along it each has a half
    V3 far = scale3(1.0 / larger(s->length * s->length, each(1e-30)), cross3(moment, line));
    far = along3(far, 0.5 * dot3(force, e) - dot3(far, e), e);
    V3 near = along3(force, each(-1), far);
    return both(is_held(t, n, far), is_held(t, n, near));
}

// How lanes of `on` tip. Those that the corners cannot hold are taken out.
IN_LANES Line line_of(const DropTable *t, const DropFlight *f, M on) {
    Line s;
    V3 line = along3(f->other, each(-1), f->corner);
    s.length = root(dot3(line, line));
    s.along = scale3(1.0 / larger(s.length, each(1e-30)), line);
    s.inertia = line_inertia(t, f->corner, s.along);
    V omega = dot3(f->m.w, s.along);
    V rate = dot3(s.along, cross3(f->corner, f->m.n)) / s.inertia;
    s.on = both(on, are_held(t, f, &s, omega, rate));

    // which way
    M back = pick_m(below(each(0), size(omega)), below(omega, each(0)), below(rate, each(0)));
    s.sign = pick(back, each(-1), each(1));
    s.omega = size(omega);
    s.side = scale3(s.sign, cross3(f->m.n, s.along));
    s.energy = 0.5 * s.inertia * (omega * omega) + f->m.z;
    return s;
}

// The first corner to land, as tan of the angle, at most STEP_TAN.
typedef struct Landing {
    V tan, index;
    V3 corner;
} Landing;

IN_LANES Landing landing_among_few(const DropTable *t, const DropFlight *f, const Line *s) {
    Landing l;
    V at = dot3(f->m.n, f->corner);
    V side_at = dot3(s->side, f->corner);
    // tan = high / low
    V high = each(STEP_TAN);
    V low = each(1);
    l.index = f->index;
    l.corner = f->corner;
    IN_TURN
    for (int i = 0; i < t->corners; i++) {
        V3 corner = v3(each(t->x[i]), each(t->y[i]), each(t->z[i]));
        V gap = larger(dot3(f->m.n, corner) - at, each(0));
        V down = side_at - dot3(s->side, corner);
        M first = both(below(each(1e-9), down), below(gap * low, high * down));
        M third = both(unlike(f->index, each((double)i)), unlike(f->other_index, each((double)i)));
        first = both(first, third);
        high = pick(first, gap, high);
        low = pick(first, down, low);
        l.index = pick(first, each((double)i), l.index);
        l.corner = pick3(first, corner, l.corner);
    }
    l.tan = high / low;
    return l;
}

// The lowest corner at the angle of the first one found so far lands before it, if it is below the
// plane: see kernel_search.h.
IN_LANES Landing landing_among_many(const DropTable *t, const DropFlight *f, const Line *s) {
    Landing l;
    l.tan = each(STEP_TAN);
    l.index = f->index;
    l.corner = f->corner;
    M open = s->on;
    IN_TURN
    for (int round = 0; round < SEARCH_ROUNDS && some(open); round++) {
        V3 up = along3(f->m.n, l.tan, s->side);
        V lowest = climb_all(t, open, l.index, scale3(each(-1), up));
        M third = both(unlike(lowest, f->index), unlike(lowest, f->other_index));
        open = both(both(open, unlike(lowest, l.index)), third);
        if (!some(open)) break;
        V3 corner = corner_of(t, lowest);
        V3 d = along3(corner, each(-1), f->corner);
        V gap = larger(dot3(f->m.n, d), each(0));
        V down = each(0) - dot3(s->side, d);
        open = both(open, both(below(each(1e-9), down), below(gap, l.tan * down)));
        l.tan = pick(open, gap / pick(open, down, each(1)), l.tan);
        l.index = pick(open, lowest, l.index);
        l.corner = pick3(open, corner, l.corner);
    }
    return l;
}

// Where it turns back, if it does not get as far as `landing`. On the way z(phi) = z cos + swing
// sin may have its crest, at tan = swing / z, where z is root(z^2 + swing^2).
typedef struct Turn {
    V cosine, sine;
    M back;
} Turn;

IN_LANES Turn turn_to(const DropFlight *f, const Line *s, const Landing *l) {
    Turn rotation;
    V swing = each(0) - dot3(s->side, f->corner);
    V z = f->m.z;
    rotation.cosine = 1.0 / root(1.0 + l->tan * l->tan);
    rotation.sine = l->tan * rotation.cosine;
    V end = z * rotation.cosine + swing * rotation.sine;
    V crest = root(z * z + swing * swing);
    M climbs = both(s->on, below(each(0), swing));
    M over_crest = below(swing, l->tan * z);
    rotation.back = both(climbs, not_m(below(pick(over_crest, crest, end), s->energy)));
    if (!some(rotation.back)) return rotation;
    V over = 1.0 / crest;
    V bounding_radius = smaller(s->energy * over, each(1));
    V missing = root(larger(1.0 - bounding_radius * bounding_radius, each(0)));
    V cosine = over * (z * bounding_radius + swing * missing);
    V sine = over * (swing * bounding_radius - z * missing);
    rotation.cosine = pick(rotation.back, cosine, rotation.cosine);
    rotation.sine = pick(rotation.back, larger(sine, each(0)), rotation.sine);
    return rotation;
}

// Tips lanes on to the next landing, to where they turn back, or by STEP_TAN. The mask of those in
// which a corner lands.
IN_LANES M tip(const DropTable *t, const Line *s, const DropFlight *f, DropMotion *m, Landing *l) {
    *l = t->many ? landing_among_many(t, f, s) : landing_among_few(t, f, s);
    Turn rotation = turn_to(f, s, l);
    V3 n = along3(scale3(rotation.cosine, m->n), rotation.sine, s->side);
    n = scale3(1.5 - 0.5 * dot3(n, n), n);
    V z = each(0) - dot3(n, f->corner);
    V omega = root(larger(2.0 * (s->energy - z) / s->inertia, each(0)));
    omega = pick(rotation.back, each(0), omega);
    V angle = rotation.sine * (1.0 + rotation.sine * rotation.sine * (1.0 / 6));
    m->n = n;
    m->z = z;
    m->w = scale3(s->sign * omega, s->along);
    m->v = cross3(f->corner, m->w);
    m->time = m->time + 2.0 * angle / larger(s->omega + omega, each(1e-6));
    m->rolled = m->rolled + angle;
    return both(both(s->on, unlike(l->index, f->index)), not_m(rotation.back));
}

// An iteration of the lanes that tip; those that the corners cannot hold any more are let go.
typedef struct Tipping {
    M on, lands;
    DropMotion m;  // after it
    Landing landing;
} Tipping;

IN_LANES Tipping tip_on(const DropTable *t, DropFlight *f) {
    Tipping s;
    s.on = below(each(0), f->tips);
    s.lands = no_lane();
    s.m = f->m;
    s.landing.index = f->index;
    s.landing.corner = f->corner;
    if (!some(s.on)) return s;
    Line line = line_of(t, f, s.on);
    M let_go = both(s.on, not_m(line.on));
    f->tips = pick(let_go, each(0), f->tips);
    f->wait = pick(let_go, each(TIP_WAIT), f->wait);
    s.on = line.on;
    if (some(s.on)) {
        s.lands = tip(t, &line, f, &s.m, &s.landing);
    }
    return s;
}

// From now on the part tips about the line of the two: what of its motion does not is taken away,
// as the impacts of both would.
IN_LANES void begin_to_tip(const DropTable *t, DropFlight *f, M who, V3 at, V index) {
    const DropMotion *m = &f->m;
    V3 line = along3(at, each(-1), f->corner);
    V3 e = scale3(1.0 / larger(root(dot3(line, line)), each(1e-30)), line);
    V energy = 0.5 * twice_kinetic_energy(t, m) + m->z;
    V inertia = line_inertia(t, f->corner, e);
    // angular momentum about P
    V3 about = plus3(inertia_times(t, m->w), cross3(m->v, f->corner));

    // both corners on the plane; no energy is gained by that
    DropMotion to = *m;
    V3 n = along3(m->n, each(0) - dot3(m->n, e), e);
    to.n = scale3(1.0 / root(dot3(n, n)), n);
    to.z = each(0) - dot3(to.n, f->corner);
    V most = root(larger(2.0 * (energy - to.z) / inertia, each(0)));
    V omega = larger(smaller(dot3(e, about) / inertia, most), each(0) - most);
    to.w = scale3(omega, e);
    to.v = cross3(f->corner, to.w);
    take_motion(who, &to, &f->m);
    f->other = pick3(who, at, f->other);
    f->other_index = pick(who, index, f->other_index);
}

IN_LANES M is_slow(const DropMotion *m, V3 at, V slow, V creep) {
    V3 u = velocity_at(m, at);
    V up = dot3(u, m->n);
    V3 across = along3(u, each(0) - up, m->n);
    return both(below(dot3(across, across), creep * creep), below(up * up, slow * slow));
}

// Can the corner of the last impact and the one that lands now hold the part together? Both are
// slow.
IN_LANES M may_tip(const DropTable *t, const DropFlight *f, M micro, V3 at, V index) {
    if (t->drag > 0 || !(t->friction > 0)) return no_lane();
    V slow = TIP_NORMAL * f->hop;
    V creep = TIP_SLIP * f->hop;
    M near = below(f->m.z + dot3(f->m.n, f->corner), f->band);
    M quiet = both(is_slow(&f->m, at, slow, creep), is_slow(&f->m, f->corner, slow, creep));
    M may = both(both(micro, both(quiet, near)),
                 both(unlike(index, f->index), below(f->wait, each(0.5))));
    if (!some(may)) return may;
    DropFlight as = *f;
    begin_to_tip(t, &as, may, at, index);
    return line_of(t, &as, may).on;
}
