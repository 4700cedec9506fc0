// kernel_first.h -- which corner reaches the plane first, and when? (inside drop/; included by
// kernel.h)
//
// A corner's height is taken for a parabola in time. The corner of the last impact is asked first;
// at the time it gives, all heights are those of a plane, and only corners below it can have landed
// before: few of them, most of the time none. Where a part spins so fast that a corner may come
// down and go up again, that is asked, too. Lanes, threads of a GPU and the plain program each have
// their own way through the few, with the same arithmetic for each of them and the same answer.
//
// SPDX-License-Identifier: MIT

// height of corner P: z + vz t - fall t^2/2 + (n + rate t - bend t^2/2).P
typedef struct Paths {
    V z, vz, fall;
    V3 n, rate, bend;
} Paths;
// key: its time; negative: touching now, and its speed
typedef struct First {
    V key, index;
    V3 corner;
} First;

IN_LANES Paths paths_of(const DropTable *t, const DropFlight *f, const Pivot *pivot) {
    Paths p;
    V3 change = inverse_inertia(t, cross3(inertia_times(t, f->m.w), f->m.w));
    p.z = f->m.z;
    p.vz = dot3(f->m.n, f->m.v);
    p.n = f->m.n;
    p.fall = each(1);
    if (t->drag > 0) {
        p.fall = 1.0 + t->drag * p.vz;
        change = v3(change.x - t->spin_drag[0] * f->m.w.x, change.y - t->spin_drag[1] * f->m.w.y,
                    change.z - t->spin_drag[2] * f->m.w.z);
    }
    if (some(pivot->on)) {
        V3 spins = inverse_inertia(t, cross3(pivot->s.at, pivot->force));
        change = pick3(pivot->on, plus3(change, spins), change);
        p.fall = pick(pivot->on, 1.0 - dot3(f->m.n, pivot->force), p.fall);
    }
    p.rate = cross3(f->m.n, f->m.w);
    V3 second = plus3(cross3(p.rate, f->m.w), cross3(f->m.n, change));
    p.bend = v3(each(0) - second.x, each(0) - second.y, each(0) - second.z);
    return p;
}

// under: up^2 + 2 fall gap, gap being none where it is negative
typedef struct Parabola {
    V gap, up, fall, under;
    M down;
} Parabola;
IN_LANES Parabola parabola_of(const Paths *p, V x, V y, V z) {
    Parabola c;
    c.gap = p->z + (p->n.x * x + p->n.y * y + p->n.z * z);
    c.up = p->vz + (p->rate.x * x + p->rate.y * y + p->rate.z * z);
    c.fall = p->fall + (p->bend.x * x + p->bend.y * y + p->bend.z * z);
    c.under = c.up * c.up + 2.0 * c.fall * larger(c.gap, each(0));
    c.down = below(c.up, each(0));
    return c;
}

// A parabola that opens upwards may never come down; or it does, and goes up again.
IN_LANES M dips(const Parabola *c) {
    return both(both(not_m(below(each(0), c->fall)), c->down), not_m(below(c->under, each(0))));
}

IN_LANES M comes_down(const DropTable *t, const Parabola *c) {
    return either(dips(c), both(c->down, below(c->gap, each(t->touching))));
}

// When it lands; negative: it touches now, and comes down so fast; 1e30: never, as far as this
// parabola tells.
IN_LANES V key_of(const DropTable *t, const Parabola *c) {
    V above = larger(c->gap, each(0));
    V root_of = root(larger(c->under, each(0)));
    M now = both(below(c->gap, each(t->touching)), c->down);
    M lands = either(below(each(0), c->fall), dips(c));
    V time = pick(c->down, 2.0 * above, c->up + root_of) / pick(c->down, root_of - c->up, c->fall);
    return pick(now, c->up, pick(both(lands, not_m(below(time, each(0)))), time, each(1e30)));
}

// All heights at the time of the first are those of a plane: z and n then. Lower ones than that
// must be considered.
typedef struct Look {
    V z;
    V3 n;
} Look;
IN_LANES Look look(const DropTable *t, const Paths *p, V key) {
    Look l;
    V at = larger(key, each(0));
    V half = 0.5 * at;
    l.z = p->z + at * (p->vz - half * p->fall) - t->touching;
    l.n = v3(p->n.x + at * (p->rate.x - half * p->bend.x),
             p->n.y + at * (p->rate.y - half * p->bend.y),
             p->n.z + at * (p->rate.z - half * p->bend.z));
    return l;
}

// Among many corners. Beyond 0.3 rad paths are no parabolas, and no flight goes on for so long.
IN_LANES First first_along_edges(const DropTable *t, const Paths *p, const DropFlight *f,
                                 const Pivot *pivot) {
    First first;
    Parabola last = parabola_of(p, f->corner.x, f->corner.y, f->corner.z);
    V soonest = larger(smaller(key_of(t, &last), each(1e9)), each(0));
    V most = smaller(0.3 / larger(root(dot3(f->m.w, f->m.w)), each(1e-3)), each(1e3));
    first.key = pick(pivot->on, pivot->horizon, soonest);
    first.index = f->index;
    first.corner = f->corner;
    M open = not_m(no_lane());
    IN_TURN
    for (int round = 0; round < SEARCH_ROUNDS && some(open); round++) {
        V at = smaller(first.key, most);
        V half = 0.5 * at;
        V3 up = along3(p->n, at, along3(p->rate, each(0) - half, p->bend));
        V low = climb_all(t, open, first.index, scale3(each(-1), up));
        M itself = both(pivot->on, not_m(unlike(low, f->index)));
        open = both(both(open, unlike(low, first.index)), not_m(itself));
        if (!some(open)) break;
        V3 corner = corner_of(t, low);
        Parabola path = parabola_of(p, corner.x, corner.y, corner.z);
        V key = larger(key_of(t, &path), each(0));
        open = both(open, below(key, first.key));
        first.key = pick(open, key, first.key);
        first.index = pick(open, low, first.index);
        first.corner = pick3(open, corner, first.corner);
    }
    return first;
}

// A corner that is lower than the first when that lands has landed before. A fast spin may have
// taken others down and up again.
IN_LANES void prefer(First *first, V key, V index, V3 corner, M who) {
    M m = both(who, below(key, first->key));
    first->key = pick(m, key, first->key);
    first->index = pick(m, index, first->index);
    first->corner = pick3(m, corner, first->corner);
}

#if LANES > 1
// In a fast spin many lanes need many corners, and the parabola is at hand.
IN_LANES void consider_all(const DropTable *t, const Paths *p, M spins, Look l, First *first) {
    for (int i = 0; i < t->corners; i++) {
        V3 corner = v3(each(t->x[i]), each(t->y[i]), each(t->z[i]));
        Parabola way = parabola_of(p, corner.x, corner.y, corner.z);
        M may = either(below(l.z + dot3(l.n, corner), each(0)), both(spins, comes_down(t, &way)));
        may = both(may, unlike(first->index, each((double)i)));
        if (some(may)) {
            prefer(first, key_of(t, &way), each((double)i), corner, may);
        }
    }
}

// Else few lanes need the same corner: first the lanes that may, then every lane its own, one after
// the other.
IN_LANES void consider_others(const DropTable *t, const Paths *p, M spins, First *first) {
    Look l = look(t, p, first->key);
    // corners of each lane, FEW_CORNERS at most
    Set may = empty();
    if (some(spins)) {
        consider_all(t, p, spins, l, first);
        return;
    }
    for (int i = 0; i < t->corners; i++) {
        M m = below(l.z + (l.n.x * t->x[i] + l.n.y * t->y[i] + l.n.z * t->z[i]), each(0));
        may = add_to(may, both(m, unlike(first->index, each((double)i))), i);
    }
    while (!is_empty(may)) {
        M who;
        V index = take_first(&may, &who);
        Which w = which(index);
        V3 corner = v3(from_list(t->x, t->corners, w), from_list(t->y, t->corners, w),
                       from_list(t->z, t->corners, w));
        Parabola way = parabola_of(p, corner.x, corner.y, corner.z);
        prefer(first, key_of(t, &way), index, corner, who);
    }
}
#else
IN_LANES void consider_one(const DropTable *t, const Paths *p, int i, First *first) {
    Parabola way = parabola_of(p, t->x[i], t->y[i], t->z[i]);
    prefer(first, key_of(t, &way), (double)i, v3(t->x[i], t->y[i], t->z[i]), true);
}
#if defined(__CUDACC__)
// First the lanes that may, then one by one, so that the threads of a warp do it together.
IN_LANES void consider_others(const DropTable *t, const Paths *p, M spins, First *first) {
    Look l = look(t, p, first->key);
    uint64_t may = 0;
    uint64_t last = (uint64_t)1 << (int)first->index;
    IN_FOURS for (int i = 0; i < t->corners; i++) {
        may |= (uint64_t)below(l.z + (l.n.x * t->x[i] + l.n.y * t->y[i] + l.n.z * t->z[i]), 0) << i;
    }
    if (spins) {
        IN_TURN
        for (int i = 0; i < t->corners; i++) {
            Parabola c = parabola_of(p, t->x[i], t->y[i], t->z[i]);
            may |= (uint64_t)comes_down(t, &c) << i;
        }
    }
    IN_TURN
    for (may &= ~last; may != 0; may &= may - 1) {
        consider_one(t, p, lowest_bit(may), first);
    }
}
#else
IN_LANES void consider_others(const DropTable *t, const Paths *p, M spins, First *first) {
    Look l = look(t, p, first->key);
    for (int i = 0; i < t->corners; i++) {
        if (!spins && !below(l.z + (l.n.x * t->x[i] + l.n.y * t->y[i] + l.n.z * t->z[i]), 0))
            continue;
        if (i == (int)first->index) continue;
        consider_one(t, p, i, first);
        l = look(t, p, first->key);
    }
}
#endif
#endif

IN_LANES First first_contact(const DropTable *t, const Paths *p, const DropFlight *f,
                             const Pivot *pivot) {
    First first;
    if (t->many) return first_along_edges(t, p, f, pivot);
    // a corner may come down and go up again
    M spins = not_m(below(dot3(p->bend, p->bend), p->fall * p->fall));
    Parabola last = parabola_of(p, f->corner.x, f->corner.y, f->corner.z);
    first.key = smaller(key_of(t, &last), each(1e9));
    first.index = f->index;
    first.corner = f->corner;
    consider_others(t, p, spins, &first);
    return first;
}

// --- the corner that collides --------------------------------------------------------------------
// Where contact lasts and a face comes down about an edge, all its corners land at one time, and
// rigid bodies leave open which collides first. Here it is the one that approaches fastest, of all
// within the contact band: some hop heights, since hops lift them by that. The general engine has
// the same rule. `who` has one in the band already.
IN_LANES void fastest_of_few(const DropTable *t, const DropFlight *f, M who, V up, First *first) {
    V3 rate = cross3(f->m.n, f->m.w);
    V vz = dot3(f->m.n, f->m.v);
    IN_TURN
    for (int i = 0; i < t->corners; i++) {
        V3 corner = v3(each(t->x[i]), each(t->y[i]), each(t->z[i]));
        V speed = vz + dot3(rate, corner);
        M near = both(who, below(f->m.z + dot3(f->m.n, corner), f->band));
        M faster = both(near, below(speed, up));
        up = pick(faster, speed, up);
        first->index = pick(faster, each((double)i), first->index);
        first->corner = pick3(faster, corner, first->corner);
    }
}

IN_LANES void fastest_of_many(const DropTable *t, const DropFlight *f, M who, First *first) {
    V3 rate = cross3(f->m.n, f->m.w);
    V vz = dot3(f->m.n, f->m.v);
    for (int lane = 0; lane < LANES; lane++) {
        if (!(bits(who) >> lane & 1u)) continue;
        Plane one;
        one.z = get(&f->m.z, lane);
        one.up = get(&vz, lane);
        one.n[0] = get(&f->m.n.x, lane);
        one.n[1] = get(&f->m.n.y, lane);
        one.n[2] = get(&f->m.n.z, lane);
        one.rate[0] = get(&rate.x, lane);
        one.rate[1] = get(&rate.y, lane);
        one.rate[2] = get(&rate.z, lane);
        int corner = fastest(t, &one, get(&f->band, lane), (int)get(&first->index, lane));
        put(&first->index, lane, corner);
    }
    first->corner = pick3(who, corner_of(t, first->index), first->corner);
}

IN_LANES void fastest_in_band(const DropTable *t, const DropFlight *f, M who, V up, First *first) {
    if (t->many) {
        fastest_of_many(t, f, who, first);
    } else {
        fastest_of_few(t, f, who, up, first);
    }
}
