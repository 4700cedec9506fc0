// drift.c -- what the first half of a hop adds to the relative velocity at a point: c in the closed hop.
//
// microcollisions.md sec. 3. The mean velocity over a hop is, to second order, the velocity at its middle, and that is
// looked up there: the free body falls and turns (Euler), the prescribed one is where its motion says, and the point
// has gone with whatever carries it: a corner, the middle of a ball, the crossing of two edges, the lowest point of a
// smooth surface. A ball on a spinning platter gets its Om x v from this without a rule of its own. Edges that cross
// are taken to go half way with each body; smooth surfaces on smooth ones as on their tangent planes: both differ from
// the truth in the third order where the bodies do not slip.
//
// SPDX-License-Identifier: MIT
#include "contact/contact.h"

typedef struct Middle { impVec3 x, v, w; impQuat turn; } Middle;   // turn: since now

static impVec3 spin_change(const Actor *a, const HopBody *h) {   // dw/dt = J^-1 (J w x w)
    impVec3 L = rotate(a->q, mul(a->body->inertia, unrotate(a->q, h->w)));
    return mul(h->inertia_inverse, cross(L, h->w));
}

static impQuat small_turn(impVec3 w, double T) {
    impVec3 a = scale(0.5 * T, w);
    return unit(quat(1, a.x, a.y, a.z));                          // the tangent for the angle: third order again
}

static Middle middle_of(const impModel *m, const Actor *a, const HopBody *h, double T) {
    double half = 0.5 * T;
    if (h) {
        impVec3 w = madd(h->w, half, spin_change(a, h)), way = scale(half, madd(h->v, 0.5 * half, m->gravity));
        return (Middle){ add(a->x, way), madd(h->v, half, m->gravity), w, small_turn(scale(0.5, add(h->w, w)), half) };
    }
    if (a->free || a->body->role == IMP_FIXED) return (Middle){ a->x, a->v, a->w, quat(1, 0, 0, 0) };
    impPose p = motion_led_pose(m, a->index, a->t + half);
    impTwist t = motion_led_twist(m, a->index, a->t + half);
    return (Middle){ p.at, t.linear, t.angular, qmul(p.turn, conjugate(a->q)) };
}

static impVec3 carried(const Middle *m, impVec3 x, impVec3 point) { return add(m->x, rotate(m->turn, sub(point, x))); }

static impVec3 lowest(const Placed *p, impPose at, impVec3 toward) {
    return place(at, shape_kinds[p->shape->kind].support(p->shape, p->g, unrotate(at.turn, toward)));
}

// Where the point of a smooth surface that is lowest along `toward` gets to: as fast as it starts to go. One that would
// leave its neighbourhood within the hop (a coin that is nearly flat) is taken for the point of the body that it is now.
static impVec3 rolled(const Placed *p, const Middle *m, impVec3 x, impVec3 at, impVec3 now, impVec3 then) {
    const double part = 0x1p-6;
    impQuat turn = unit(quat(1 + (m->turn.w - 1) * part, m->turn.x * part, m->turn.y * part, m->turn.z * part));
    impVec3 way = scale(part, sub(m->x, x)), toward = madd(now, part, sub(then, now));
    impPose soon = pose(add(add(x, way), rotate(turn, sub(p->pose.at, x))), qmul(turn, p->pose.turn));
    impVec3 goes = scale(1 / part, sub(lowest(p, soon, toward), lowest(p, p->pose, now)));
    impVec3 stays = sub(carried(m, x, at), at);
    return norm(sub(goes, stays)) <= 0.25 * norm(sub(at, x)) ? goes : stays;
}

typedef struct Place { impVec3 at, n; } Place;                    // of the point at the middle of the hop

// side: 1 if the corner is a's. up points into its body.
static Place corner_place(const Touch *t, const Middle *own, impVec3 x, const Middle *other, impVec3 y, double side) {
    impVec3 up = scale(side, t->n), then = carried(own, x, madd(t->at, t->roll, up)), n = rotate(other->turn, up);
    if (t->facing >= 0) {
        impVec3 line = sub(then, carried(other, y, madd(t->at, -t->facing, up)));
        n = norm(line) > 0 ? scale(1 / norm(line), line) : up;
    }
    return (Place){ madd(then, -t->roll, n), scale(side, n) };
}

static Place place_of(const Touch *t, const Actor *a, const Actor *b, const Middle *ma, const Middle *mb) {
    Place p = { t->at, t->n };
    switch (t->carrier) {
    case CARRIED_BY_A: return corner_place(t, ma, a->x, mb, b->x, 1);
    case CARRIED_BY_B: return corner_place(t, mb, b->x, ma, a->x, -1);
    case ROLLS_ON_A:
        p.n = rotate(mb->turn, t->n);
        p.at = add(t->at, rolled(&t->surface, ma, a->x, t->at, neg(t->n), neg(p.n)));
        return p;
    case ROLLS_ON_B:
        p.n = rotate(ma->turn, t->n);
        p.at = add(t->at, rolled(&t->surface, mb, b->x, t->at, t->n, p.n));
        return p;
    case CARRIED_BY_BOTH: break;
    }
    p.at = scale(0.5, add(carried(ma, a->x, t->at), carried(mb, b->x, t->at)));
    p.n = scale(0.5, add(rotate(ma->turn, t->n), rotate(mb->turn, t->n)));
    return p;
}

static impVec3 velocity(impVec3 v, impVec3 w, impVec3 arm) { return add(v, cross(w, arm)); }

impVec3 contact_drift(const impModel *m, const Actor *a, const Actor *b, const HopBody *ha, const HopBody *hb,
                      const Touch *t, double T) {
    Middle ma = middle_of(m, a, ha, T), mb = middle_of(m, b, hb, T);
    Place p = place_of(t, a, b, &ma, &mb);
    impVec3 vb = hb ? hb->v : b->v, wb = hb ? hb->w : b->w;
    impVec3 now = sub(velocity(ha->v, ha->w, sub(t->at, a->x)), velocity(vb, wb, sub(t->at, b->x)));
    impVec3 then = sub(velocity(ma.v, ma.w, sub(p.at, ma.x)), velocity(mb.v, mb.w, sub(p.at, mb.x)));
    impVec3 change = sub(then, now);
    return vec(dot(t->t1, change), dot(t->t2, change), dot(p.n, then) - dot(t->n, now));
}
