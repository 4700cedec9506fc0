// prediction.c -- what a hop adds to the mean relative velocity at a point: c in the closed hop.
//
// microcollisions.md sec. 3. Where the bodies get to in half the hop and at its end is looked up: a
// free body falls and turns (Euler's equations, fourth order), a prescribed one is where its motion
// says, and the point goes with whatever carries it: a corner, the middle of a ball, the crossing
// of two edges, the lowest point of a smooth surface or of a rim. Along the normal the mean
// velocity is the change of the gap over the hop, so that it ends after T; across it is that of the
// middle, at the place where the point is then. Run backwards, such a hop is again one: no error of
// either has a direction in time, and what rolls for ever neither gains nor loses. A ball on a
// spinning platter gets its Om x v from this without a rule of its own.
//
// Two edges that cross stay lines: the normal is square to both. Where an edge crosses the border
// of a face, it is taken to go half way with each body, and along the normal by the velocity of the
// middle: that differs from the truth in the third order where the bodies do not slip.
//
// SPDX-License-Identifier: MIT
#include "contact/contact.h"

// --- where a body gets to ------------------------------------------------------------------------
// w = J^-1 L, J turned since now
static impVec3 spin_at(const MicrostepBody *h, impVec3 L, impQuat rotation) {
    return rotate(rotation, mul(h->inertia_inverse, unrotate(rotation, L)));
}

// How a free body turns: the rotation vector since now, a1 t + a2 t^2 + a3 t^3 + a4 t^4. With W its
// rates in axes that go with it, W1 to W3 their derivatives by Euler's equations, and the rotation
// vector's own equation, th' = W + th x W / 2 + th x (th x W) / 12: a1 = W, a2 = W1 / 2, a3 = W2 /
// 6 + W x W1 / 12, a4 = (W3 + W x W2) / 24.
typedef struct Turning {
    impVec3 L, a[4];
} Turning;

static Turning turning_of(const Actor *a, const MicrostepBody *h) {
    impVec3 L = rotate(a->q, mul(a->body->inertia, unrotate(a->q, h->w)));
    impVec3 W = h->w;
    impVec3 L1 = cross(L, W);
    impVec3 W1 = mul(h->inertia_inverse, L1);
    impVec3 L2 = add(cross(L1, W), cross(L, W1));
    impVec3 W2 = mul(h->inertia_inverse, L2);
    impVec3 L3 = add(madd(cross(L2, W), 2, cross(L1, W1)), cross(L, W2));
    impVec3 W3 = mul(h->inertia_inverse, L3);
    return (Turning){ L,
                      { W, scale(0.5, W1), madd(scale(1.0 / 6, W2), 1.0 / 12, cross(W, W1)),
                        scale(1.0 / 24, add(W3, cross(W, W2))) } };
}

// exp of half of it: hops turn little
static impQuat turn_after(const Turning *s, double t) {
    impVec3 th = scale(t, madd(s->a[0], t, madd(s->a[1], t, madd(s->a[2], t, s->a[3]))));
    double x = 0.25 * dot(th, th);
    double sine = 0.5 * (1 - x / 6 * (1 - x / 20 * (1 - x / 42)));
    return unit(
        quat(1 - 0.5 * x * (1 - x / 12 * (1 - x / 30)), sine * th.x, sine * th.y, sine * th.z));
}

static Displacement kinematic(const impModel *m, const Actor *a, double t) {
    impPose p;
    impTwist twist;
    motion_kinematic(m, a->index, a->t + t, &p, &twist);
    return (Displacement){ sub(p.at, a->x), twist.linear, twist.angular,
                           qmul(p.rotation, conjugate(a->q)) };
}

PredictedMotion contact_predict_motion(const impModel *m, const Actor *a, const MicrostepBody *h,
                                       double T) {
    PredictedMotion c;
    if (!h) {
        c.half = c.whole = (Displacement){ vec(0, 0, 0), a->v, a->w, quat(1, 0, 0, 0) };
        if (a->body->role == IMP_KINEMATIC) {
            c.half = kinematic(m, a, 0.5 * T);
            c.whole = kinematic(m, a, T);
        }
        return c;
    }
    impVec3 g = a->acceleration;
    Turning s = turning_of(a, h);
    c.half.translation = scale(0.5 * T, madd(h->v, 0.25 * T, g));
    c.half.v = madd(h->v, 0.5 * T, g);
    c.whole.translation = scale(T, madd(h->v, 0.5 * T, g));
    c.whole.v = madd(h->v, T, g);
    c.half.rotation = turn_after(&s, 0.5 * T);
    c.whole.rotation = turn_after(&s, T);
    c.half.w = spin_at(h, s.L, c.half.rotation);
    c.whole.w = spin_at(h, s.L, c.whole.rotation);
    return c;
}

// --- where a point gets to -----------------------------------------------------------------------
// Everything is told by its change since now: places far from the origin have fewer digits.
static impVec3 shift(const Displacement *m, impVec3 arm) {
    return add(m->translation, sub(rotate(m->rotation, arm), arm));
}

static impVec3 lowest(const Placed *p, impPose at, impVec3 toward) {
    return place(
        at, shape_kinds[p->shape->kind].support(p->shape, p->g, unrotate(at.rotation, toward)));
}

// Of the circle about the shape's axis, z high and of that radius. One that lies flat is as low
// everywhere: its middle.
static impVec3 lowest_of_rim(impPose at, double z, double radius, impVec3 toward) {
    impVec3 axis = rotate(at.rotation, vec(0, 0, 1));
    impVec3 across = madd(toward, -dot(toward, axis), axis);
    impVec3 middle = madd(at.at, z, axis);
    return norm(across) > 0 ? madd(middle, radius / norm(across), across) : middle;
}

// Where the point of a surface that is lowest goes: from `now` to `then`, the ways down.
static impVec3 roll_shift(const ContactPoint *t, bool rim, const Displacement *m, impVec3 x,
                          impVec3 now, impVec3 then) {
    const Placed *p = &t->motion.surface;
    impPose from = pose(sub(p->pose.at, x), p->pose.rotation);
    impPose to = pose(add(m->translation, rotate(m->rotation, from.at)),
                      qmul(m->rotation, from.rotation));
    if (!rim) return sub(lowest(p, to, then), lowest(p, from, now));
    impVec3 own = unrotate(from.rotation, sub(sub(t->at, x), from.at));
    double radius = sqrt(own.x * own.x + own.y * own.y);
    return sub(lowest_of_rim(to, own.z, radius, then), lowest_of_rim(from, own.z, radius, now));
}

// Of the point, since now. lowest: the gap of the surface, wherever it is.
typedef struct Place {
    impVec3 shift, n;
    double gap, lowest;
} Place;

// side: 1 if the corner is a's. up points into its body.
static Place corner_place(const ContactPoint *t, const Displacement *own, impVec3 x,
                          const Displacement *other, impVec3 y, double side) {
    double round = max2(t->motion.radius_other, 0);
    double apart = t->gap + t->motion.radius + round;
    impVec3 up = scale(side, t->n);
    impVec3 goes = shift(own, sub(madd(t->at, t->motion.radius, up), x));
    impVec3 n = rotate(other->rotation, up);
    impVec3 line = madd(sub(goes, shift(other, sub(madd(t->at, -round, up), y))), apart, up);
    impVec3 axis = rotate(other->rotation, t->motion.axis);
    impVec3 joins = madd(line, -dot(line, axis), axis);
    if (t->motion.radius_other >= 0) {
        n = norm(joins) > 0 ? scale(1 / norm(joins), joins) : up;
    }
    double gap = dot(n, line) - t->motion.radius - round;
    return (Place){ madd(goes, t->motion.radius, sub(up, n)), scale(side, n), gap, gap };
}

// On a tangent plane of the other. side: 1 if a rolls. A point that leaves its neighbourhood (a
// coin that falls flat) is taken for the point of the body that it is now. Beside the body that is,
// not beside its centre: a rattleback's point runs along its flat bottom faster than the centre is
// high.
#define NEIGHBOURHOOD 0.25  // of the body's reach
static Place roll_place(const ContactPoint *t, bool rim, const Displacement *own, impVec3 x,
                        const Displacement *other, impVec3 y, double side, double bounding_radius) {
    impVec3 up = scale(side, t->n);
    impVec3 n = rotate(other->rotation, up);
    impVec3 arm = sub(t->at, x);
    impVec3 goes = roll_shift(t, rim, own, x, neg(up), neg(n));
    impVec3 stays = shift(own, arm);
    impVec3 foot = madd(shift(other, sub(t->at, y)), -t->gap, up);
    bool near = norm(sub(goes, stays)) <= NEIGHBOURHOOD * bounding_radius;
    return (Place){ near ? goes : stays, scale(side, n), dot(n, sub(near ? goes : stays, foot)),
                    dot(n, sub(goes, foot)) };
}

// Two lines, each with its body: the normal is square to both, and the point is where they pass
// each other. Round edges pass at their axes, `roll` and `facing` within.
static Place crossing_place(const ContactPoint *t, const Displacement *ma, impVec3 x,
                            const Displacement *mb, impVec3 y) {
    impVec3 ea = rotate(ma->rotation, t->motion.edge_a);
    impVec3 eb = rotate(mb->rotation, t->motion.edge_b);
    impVec3 n = cross(ea, eb);
    n = scale((dot(n, t->n) < 0 ? -1 : 1) / norm(n), n);
    double ra = t->motion.radius;
    double rb = t->motion.radius_other;
    impVec3 goes_a = shift(ma, sub(madd(t->at, ra, t->n), x));
    impVec3 goes_b = shift(mb, sub(madd(t->at, -rb, t->n), y));
    impVec3 line = madd(sub(goes_a, goes_b), t->gap + ra + rb, t->n);
    impVec3 rotated = sub(t->n, n);
    double s = -dot(line, cross(eb, n)) / dot(ea, cross(eb, n));
    double r = dot(line, cross(ea, n)) / dot(eb, cross(ea, n));
    double gap = dot(n, line) - ra - rb;
    impVec3 on_a = madd(madd(goes_a, s, ea), ra, rotated);
    impVec3 on_b = madd(madd(goes_b, r, eb), -rb, rotated);
    return (Place){ scale(0.5, add(on_a, on_b)), n, gap, gap };
}

// Something smooth on something that is not flat: where they will be is looked at. A point that
// runs off (two sides that are nearly parallel) goes with both bodies, like one that is held by
// both; how low they get elsewhere is told all the same.
static Placed moved_piece(const Placed *p, const Displacement *m, impVec3 x) {
    return (Placed){ p->shape, p->g,
                     pose(add(add(x, m->translation), rotate(m->rotation, sub(p->pose.at, x))),
                          qmul(m->rotation, p->pose.rotation)) };
}

// As it was asked before in this hop, for almost the same place: the search starts from there.
static Closest look_at(ContactPoint *t, bool end, const Placed *pa, const Placed *pb) {
    StartFeature none = { 0 };
    const Closest *near = t->motion.has_prediction[end]    ? &t->motion.predicted[end]
                          : t->motion.has_prediction[!end] ? &t->motion.predicted[!end]
                                                           : NULL;
    Closest c = near ? collide_closest_since(pa, pb, near) : collide_closest(pa, pb, &none);
    t->motion.predicted[end] = c;
    t->motion.has_prediction[end] = true;
    return c;
}

static Place met_place(ContactPoint *t, const Actor *a, const Actor *b, const Displacement *ma,
                       const Displacement *mb, bool end) {
    bool a_rolls = t->motion.kind == ROLLS_ON_A;
    Facet room;
    Placed other = t->motion.other_triangle < 0
                       ? t->motion.other
                       : collide_facet(&t->motion.other, t->motion.other_triangle, &room);
    Placed pa = moved_piece(a_rolls ? &t->motion.surface : &other, ma, a->x);
    Placed pb = moved_piece(a_rolls ? &other : &t->motion.surface, mb, b->x);
    Closest c = look_at(t, end, &pa, &pb);
    impVec3 middle = b->free ? t->at : madd(t->at, -0.5 * t->gap, t->n);
    impVec3 arm_a = sub(t->at, a->x);
    impVec3 arm_b = sub(t->at, b->x);
    impVec3 goes_a = shift(ma, arm_a);
    impVec3 goes_b = shift(mb, arm_b);
    impVec3 stays = scale(0.5, add(goes_a, goes_b));
    impVec3 goes = sub(scale(0.5, add(c.on_a, c.on_b)), middle);
    impVec3 n = scale(0.5, add(rotate(ma->rotation, t->n), rotate(mb->rotation, t->n)));
    if (norm(sub(goes, stays)) <= NEIGHBOURHOOD * (a_rolls ? a : b)->body->bounding_radius)
        return (Place){ goes, c.normal, c.distance, c.distance };
    double gap = t->gap + dot(n, sub(goes_a, goes_b));
    return (Place){ stays, n, gap, min2(gap, c.distance) };
}

// of the hop, or half
static Place place_of(ContactPoint *t, const Actor *a, const Actor *b, const Displacement *ma,
                      const Displacement *mb, bool end) {
    if ((t->motion.kind == ROLLS_ON_A || t->motion.kind == ROLLS_ON_B) &&
        t->motion.radius_other >= 0)
        return met_place(t, a, b, ma, mb, end);
    switch (t->motion.kind) {
    case MOVES_WITH_A: return corner_place(t, ma, a->x, mb, b->x, 1);
    case MOVES_WITH_B: return corner_place(t, mb, b->x, ma, a->x, -1);
    case ROLLS_ON_A:
    case RIM_OF_A:
        return roll_place(t, t->motion.kind == RIM_OF_A, ma, a->x, mb, b->x, 1,
                          a->body->bounding_radius);
    case ROLLS_ON_B:
    case RIM_OF_B:
        return roll_place(t, t->motion.kind == RIM_OF_B, mb, b->x, ma, a->x, -1,
                          b->body->bounding_radius);
    case EDGES_CROSS: return crossing_place(t, ma, a->x, mb, b->x);
    case MOVES_WITH_BOTH: break;
    }
    impVec3 goes = scale(0.5, add(shift(ma, sub(t->at, a->x)), shift(mb, sub(t->at, b->x))));
    return (Place){ goes, scale(0.5, add(rotate(ma->rotation, t->n), rotate(mb->rotation, t->n))),
                    t->gap, t->gap };
}

// --- the drift -----------------------------------------------------------------------------------
static impVec3 velocity(impVec3 v, impVec3 w, impVec3 arm) { return add(v, cross(w, arm)); }

static impVec3 velocity_then(const Actor *a, const Displacement *m, const ContactPoint *t,
                             impVec3 goes) {
    return velocity(m->v, m->w, add(sub(t->at, a->x), sub(goes, m->translation)));
}

// Two cans that rock on each other touch where they cross: that point runs from end to end in some
// microseconds, and farther than their length in a hop that does not know of it. Such a hop would
// land at once, again and again. What is lower by then than the point that was followed is a fall,
// too.
static double fall_of(const ContactPoint *t, const Place *half, const Place *whole, double T) {
    bool met = (t->motion.kind == ROLLS_ON_A || t->motion.kind == ROLLS_ON_B) &&
               t->motion.radius_other >= 0;
    double bend = 8 * half->lowest - 4 * (t->gap + whole->lowest);
    double lower = met ? 8 * (half->gap - half->lowest) : 0;
    return max2(bend, lower) / (T * T);
}

impVec3 contact_predicted_change(const Actor *a, const Actor *b, const MicrostepBody *ha,
                                 const MicrostepBody *hb, const PredictedMotion *ca,
                                 const PredictedMotion *cb, ContactPoint *t, double T,
                                 double *fall) {
    Place half = place_of(t, a, b, &ca->half, &cb->half, false);
    impVec3 vb = hb ? hb->v : b->v;
    impVec3 wb = hb ? hb->w : b->w;
    impVec3 now = sub(velocity(ha->v, ha->w, sub(t->at, a->x)), velocity(vb, wb, sub(t->at, b->x)));
    impVec3 then = sub(velocity_then(a, &ca->half, t, half.shift),
                       velocity_then(b, &cb->half, t, half.shift));
    impVec3 change = sub(then, now);
    // along the normal
    double mean = dot(half.n, then);
    *fall = 0;
    if (t->motion.kind != MOVES_WITH_BOTH) {
        Place whole = place_of(t, a, b, &ca->whole, &cb->whole, true);
        mean = (whole.gap - t->gap) / T;
        *fall = fall_of(t, &half, &whole, T);
    }
    return vec(dot(t->t1, change), dot(t->t2, change), mean - dot(t->n, now));
}
