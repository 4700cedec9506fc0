// coloured_kernel.h -- sweeps over bundles of contact rows, LANES groups at a time (inside solve/;
// included by coloured_1.c, coloured_4.c and coloured_8.c with LANES defined).
//
// docs/theory/many-contacts.md: a row's turn is (5), its natural map (16), its matrix that of
// problem.c. The velocities of the two bodies of each lane stay in registers over the rows of a
// group.
//
// SPDX-License-Identifier: MIT
#include "solve/coloured.h"
#include "solve/lanes.h"

typedef struct V3 {
    V x, y, z;
} V3;

// A divisor: 1 in the lanes whose quotient is not used, so that no lane divides by zero.
IN_LANES V divisor(M used, V of) { return pick(used, of, each(1)); }

IN_LANES V3 load3(const ColourVec *from, int lane) {
    return (V3){ load(&from->x[lane]), load(&from->y[lane]), load(&from->z[lane]) };
}
IN_LANES void save3(ColourVec *to, int lane, V3 a) {
    save(&to->x[lane], a.x);
    save(&to->y[lane], a.y);
    save(&to->z[lane], a.z);
}
IN_LANES V3 plus(V3 a, V3 b) { return (V3){ a.x + b.x, a.y + b.y, a.z + b.z }; }
IN_LANES V3 minus(V3 a, V3 b) { return (V3){ a.x - b.x, a.y - b.y, a.z - b.z }; }
IN_LANES V3 times(V s, V3 a) { return (V3){ s * a.x, s * a.y, s * a.z }; }
IN_LANES V along(V3 a, V3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
IN_LANES V3 across(V3 a, V3 b) {
    return (V3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

// --- bodies --------------------------------------------------------------------------------------

typedef struct Inertia {
    V xx, yy, zz, xy, xz, yz;
} Inertia;

// The bodies on one side of LANES groups.
typedef struct Side {
    double *record[LANES];
    V3 v, w;
    V mass_inverse;
    Inertia inertia;  // inverse
} Side;

IN_LANES Inertia load_inertia(const ColourInertia *from, int lane) {
    return (Inertia){ load(&from->xx[lane]), load(&from->yy[lane]), load(&from->zz[lane]),
                      load(&from->xy[lane]), load(&from->xz[lane]), load(&from->yz[lane]) };
}

// Lanes without a body have one of their own that nothing moves.
IN_LANES Side load_side(const Coloured *c, const int32_t *place, const ColourInertia *inertia,
                        int lane, ColourBody *none) {
    Side s;
    V number[RECORD];
    for (int i = 0; i < LANES; i++) {
        int32_t at = place[lane + i];
        s.record[i] = at < 0 ? none->v : c->body[at].v;
    }
    read_records(s.record, number);
    s.v = (V3){ number[0], number[1], number[2] };
    s.w = (V3){ number[3], number[4], number[5] };
    s.mass_inverse = number[6];
    s.inertia = load_inertia(inertia, lane);
    return s;
}

IN_LANES void save_side(const Side *s) {
    const V number[RECORD] = { s->v.x, s->v.y, s->v.z,          s->w.x,
                               s->w.y, s->w.z, s->mass_inverse, each(0) };
    write_records(s->record, number);
}

IN_LANES V3 turned(const Inertia *i, V3 a) {
    return (V3){ i->xx * a.x + i->xy * a.y + i->xz * a.z, i->xy * a.x + i->yy * a.y + i->yz * a.z,
                 i->xz * a.x + i->yz * a.y + i->zz * a.z };
}

IN_LANES void kick(Side *s, V3 impulse, V3 turn) {
    s->v = plus(s->v, times(s->mass_inverse, impulse));
    s->w = plus(s->w, turned(&s->inertia, turn));
}

// --- rows ----------------------------------------------------------------------------------------

typedef struct Arms {
    V3 a, b, t1, t2, n;
} Arms;

IN_LANES Arms load_arms(const ColourBlock *block, int lane) {
    return (Arms){ load3(&block->arm_a, lane), load3(&block->arm_b, lane), load3(&block->t1, lane),
                   load3(&block->t2, lane), load3(&block->n, lane) };
}

// u with its bias, in the frame.
IN_LANES V3 velocity(const ColourBlock *block, const Arms *arms, const Side *a, const Side *b,
                     int lane) {
    V3 u = minus(plus(a->v, across(a->w, arms->a)), plus(b->v, across(b->w, arms->b)));
    V3 frame = { along(arms->t1, u), along(arms->t2, u), along(arms->n, u) };
    return plus(frame, load3(&block->bias, lane));
}

IN_LANES void push(const Arms *arms, V3 p, Side *a, Side *b) {
    V3 world = plus(plus(times(p.x, arms->t1), times(p.y, arms->t2)), times(p.z, arms->n));
    V3 back = times(each(-1), world);
    kick(a, world, across(arms->a, world));
    kick(b, back, across(arms->b, back));
}

// The impulse of a row after its turn, (5).
IN_LANES V3 next_impulse(const ColourBlock *block, V3 p, V3 u, int lane) {
    V3 next = p;
    V step = load(&block->tangent_step[lane]);
    next.z = larger(p.z - load(&block->normal_step[lane]) * u.z, each(0));
    V change = next.z - p.z;
    next.x = p.x - step * (u.x + load(&block->coupling_x[lane]) * change);
    next.y = p.y - step * (u.y + load(&block->coupling_y[lane]) * change);
    V limit = load(&block->friction[lane]) * next.z;
    V square = next.x * next.x + next.y * next.y;
    M slides = below(limit * limit, square);
    if (some(slides)) {
        V part = pick(slides, limit / root(divisor(slides, square)), each(1));
        next.x = next.x * part;
        next.y = next.y * part;
    }
    return next;
}

// Change of velocity by a change of its own impulse, m/s, the largest of normal and slip.
IN_LANES V own_change(const ColourBlock *block, V3 p, int lane) {
    V normal = load(&block->normal_step[lane]);
    V tangent = load(&block->tangent_step[lane]);
    V slip = larger(size(p.x), size(p.y));
    M moves = below(each(0), normal);
    M slips = below(each(0), tangent);
    normal = pick(moves, size(p.z) / divisor(moves, normal), each(0));
    return larger(normal, pick(slips, slip / divisor(slips, tangent), each(0)));
}

// --- passes over bundles -------------------------------------------------------------------------

// Largest number of all lanes.
IN_LANES double most_of(V a) {
    _Alignas(CACHE_LINE) double number[LANES];
    double most = 0;
    save(number, a);
    for (int i = 0; i < LANES; i++) {
        most = number[i] > most ? number[i] : most;
    }
    return most;
}

IN_LANES V sweep_lanes(const Coloured *c, const ColourBundle *bundle, int lane, V most,
                       ColourBody *none, bool *carries) {
    Side a = load_side(c, bundle->a, &bundle->inertia_a, lane, none);
    Side b = load_side(c, bundle->b, &bundle->inertia_b, lane, none);
    for (int k = 0; k < bundle->block_count; k++) {
        ColourBlock *block = &c->block[bundle->first_block + k];
        Arms arms = load_arms(block, lane);
        V3 before = load3(&block->p, lane);
        V3 p = next_impulse(block, before, velocity(block, &arms, &a, &b, lane), lane);
        V3 change = minus(p, before);
        *carries |= some(below(each(0), p.z));
        most = larger(own_change(block, change, lane), most);
        save3(&block->p, lane, p);
        push(&arms, change, &a, &b);
    }
    save_side(&a);
    save_side(&b);
    return most;
}

static double sweep_bundles(const Coloured *c, int first, int last, bool all) {
    ColourBody none = { .mass_inverse = 0 };
    V most = each(0);
    for (int i = first; i < last; i++) {
        ColourBundle *bundle = &c->bundle[i];
        bool carries = false;
        if (bundle->is_idle && !all) continue;
        for (int lane = 0; lane < BUNDLE; lane += LANES) {
            most = sweep_lanes(c, bundle, lane, most, &none, &carries);
        }
        bundle->is_idle = !carries;
    }
    return most_of(most);
}

static void apply_bundles(const Coloured *c, int first, int last) {
    ColourBody none = { .mass_inverse = 0 };
    for (int i = first; i < last; i++) {
        const ColourBundle *bundle = &c->bundle[i];
        for (int lane = 0; lane < BUNDLE; lane += LANES) {
            Side a = load_side(c, bundle->a, &bundle->inertia_a, lane, &none);
            Side b = load_side(c, bundle->b, &bundle->inertia_b, lane, &none);
            for (int k = 0; k < bundle->block_count; k++) {
                const ColourBlock *block = &c->block[bundle->first_block + k];
                Arms arms = load_arms(block, lane);
                push(&arms, load3(&block->p, lane), &a, &b);
            }
            save_side(&a);
            save_side(&b);
        }
    }
}

// The share of one body in the diagonal and in the column of the normal of W_cc, and W_xy.
typedef struct Share {
    V xx, yy, zz, xy, xz, yz;
} Share;

IN_LANES Share share_of(const Side *s, V3 arm, const Arms *arms) {
    V3 arm_t1 = across(arm, arms->t1);
    V3 arm_t2 = across(arm, arms->t2);
    V3 arm_n = across(arm, arms->n);
    V3 turn_t1 = turned(&s->inertia, arm_t1);
    V3 turn_t2 = turned(&s->inertia, arm_t2);
    V3 turn_n = turned(&s->inertia, arm_n);
    return (Share){ along(arm_t1, turn_t1) + s->mass_inverse,
                    along(arm_t2, turn_t2) + s->mass_inverse,
                    along(arm_n, turn_n) + s->mass_inverse,
                    along(arm_t1, turn_t2),
                    along(arm_t1, turn_n),
                    along(arm_t2, turn_n) };
}

IN_LANES void prepare_row(ColourBlock *block, const Side *a, const Side *b, int lane) {
    Arms arms = load_arms(block, lane);
    Share of_a = share_of(a, arms.a, &arms);
    Share of_b = share_of(b, arms.b, &arms);
    V xx = of_a.xx + of_b.xx;
    V yy = of_a.yy + of_b.yy;
    V zz = of_a.zz + of_b.zz;
    V xy = of_a.xy + of_b.xy;
    V half = each(0.5) * (xx - yy);
    V largest = each(0.5) * (xx + yy) + root(half * half + xy * xy);
    M is_row = below(each(0), load(&block->rho[lane]));
    save(&block->normal_step[lane], pick(is_row, each(1) / divisor(is_row, zz), each(0)));
    save(&block->tangent_step[lane], pick(is_row, each(1) / divisor(is_row, largest), each(0)));
    save(&block->coupling_x[lane], pick(is_row, of_a.xz + of_b.xz, each(0)));
    save(&block->coupling_y[lane], pick(is_row, of_a.yz + of_b.yz, each(0)));
    V trace = divisor(is_row, xx + yy + zz);
    save(&block->rho[lane], pick(is_row, each(3) / trace, each(1)));
}

static void prepare_bundles(const Coloured *c, int first, int last) {
    ColourBody none = { .mass_inverse = 0 };
    for (int i = first; i < last; i++) {
        const ColourBundle *bundle = &c->bundle[i];
        for (int lane = 0; lane < BUNDLE; lane += LANES) {
            Side a = load_side(c, bundle->a, &bundle->inertia_a, lane, &none);
            Side b = load_side(c, bundle->b, &bundle->inertia_b, lane, &none);
            for (int k = 0; k < bundle->block_count; k++) {
                prepare_row(&c->block[bundle->first_block + k], &a, &b, lane);
            }
        }
    }
}

// The nearest vector of the cone, problem_project() in lanes.
IN_LANES V3 project(V3 p, V friction) {
    V tangent = root(p.x * p.x + p.y * p.y);
    V normal = (p.z + friction * tangent) / (each(1) + friction * friction);
    V share = friction * normal / divisor(below(each(0), tangent), tangent);
    V3 mantle = { share * p.x, share * p.y, normal };
    M outside = below(friction * p.z, tangent);
    M at_apex = below(friction * tangent, each(0) - p.z);
    V3 out = { pick(outside, mantle.x, p.x), pick(outside, mantle.y, p.y),
               pick(outside, mantle.z, p.z) };
    return (V3){ pick(at_apex, each(0), out.x), pick(at_apex, each(0), out.y),
                 pick(at_apex, each(0), out.z) };
}

IN_LANES V natural_map_of(const ColourBlock *block, V3 u, int lane) {
    V friction = load(&block->friction[lane]);
    V rho = load(&block->rho[lane]);
    V3 p = load3(&block->p, lane);
    V3 shifted = { u.x, u.y, u.z + friction * root(u.x * u.x + u.y * u.y) };
    V3 off = minus(p, project(minus(p, times(rho, shifted)), friction));
    V map = root(along(off, off)) / rho;
    return pick(unlike(map, map), each(HUGE_VAL), map);
}

static double natural_map_of_bundles(const Coloured *c, int first, int last) {
    ColourBody none = { .mass_inverse = 0 };
    V most = each(0);
    for (int i = first; i < last; i++) {
        const ColourBundle *bundle = &c->bundle[i];
        for (int lane = 0; lane < BUNDLE; lane += LANES) {
            Side a = load_side(c, bundle->a, &bundle->inertia_a, lane, &none);
            Side b = load_side(c, bundle->b, &bundle->inertia_b, lane, &none);
            for (int k = 0; k < bundle->block_count; k++) {
                const ColourBlock *block = &c->block[bundle->first_block + k];
                Arms arms = load_arms(block, lane);
                V3 u = velocity(block, &arms, &a, &b, lane);
                most = larger(natural_map_of(block, u, lane), most);
            }
        }
    }
    return most_of(most);
}

#define COLOUR_KERNEL                                                                              \
    { LANES, prepare_bundles, apply_bundles, sweep_bundles, natural_map_of_bundles }
