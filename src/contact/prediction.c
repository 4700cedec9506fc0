// prediction.c -- change of the mean relative velocity at a contact point by the flight: c of (9)
// and (10).
//
// docs/theory/microcollisions.md, section 3. Displacements of the bodies after T / 2 and T are
// evaluated: a free body falls and rotates by Euler's equations to the fourth order, a prescribed
// one follows its motion. The contact point moves by its contact motion kind: vertex, centre of a
// sphere, crossing of two edges, lowest place of a smooth surface or rim. Along the normal c is
// the change of the gap over the flight (10), across it that of the slip at the middle, at the
// place of the point then (9). A flight run backwards is again one, so no error has a direction in
// time.
//
// Edges that cross stay lines, with the normal of both. A point where an edge crosses the border
// of a face moves half with each body, and its normal velocity is that of the middle, which
// differs from (10) in the third order.
//
// SPDX-License-Identifier: MIT
#include "contact/contact.h"

// --- displacement of a body ----------------------------------------------------------------------

// Angular velocity w = J^-1 L after a rotation.
static impVec3 spin_at(const MicrostepBody *h, impVec3 L, impQuat rotation) {
    return rotate(rotation, mul(h->inertia_inverse, unrotate(rotation, L)));
}

// Rotation vector of a free body, a1 t + a2 t^2 + a3 t^3 + a4 t^4. With W the angular velocity in
// body axes, W1 to W3 its derivatives by Euler's equations, and th' = W + th x W / 2 + th x (th x
// W) / 12: a1 = W, a2 = W1 / 2, a3 = W2 / 6 + W x W1 / 12, a4 = (W3 + W x W2) / 24.
typedef struct RotationSeries {
    impVec3 L, a[4];
} RotationSeries;

static RotationSeries rotation_series(const Actor *a, const MicrostepBody *h) {
    impVec3 L = rotate(a->q, mul(a->body->inertia, unrotate(a->q, h->w)));
    impVec3 W = h->w;
    impVec3 L1 = cross(L, W);
    impVec3 W1 = mul(h->inertia_inverse, L1);
    impVec3 L2 = add(cross(L1, W), cross(L, W1));
    impVec3 W2 = mul(h->inertia_inverse, L2);
    impVec3 L3 = add(madd(cross(L2, W), 2, cross(L1, W1)), cross(L, W2));
    impVec3 W3 = mul(h->inertia_inverse, L3);
    return (RotationSeries){ L,
                             { W, scale(0.5, W1), madd(scale(1.0 / 6, W2), 1.0 / 12, cross(W, W1)),
                               scale(1.0 / 24, add(W3, cross(W, W2))) } };
}

// exp of half the rotation vector, as a series: rotations of a flight are small
static impQuat rotation_after(const RotationSeries *s, double t) {
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
    RotationSeries s = rotation_series(a, h);
    c.half.translation = scale(0.5 * T, madd(h->v, 0.25 * T, g));
    c.half.v = madd(h->v, 0.5 * T, g);
    c.whole.translation = scale(T, madd(h->v, 0.5 * T, g));
    c.whole.v = madd(h->v, T, g);
    c.half.rotation = rotation_after(&s, 0.5 * T);
    c.whole.rotation = rotation_after(&s, T);
    c.half.w = spin_at(h, s.L, c.half.rotation);
    c.whole.w = spin_at(h, s.L, c.whole.rotation);
    return c;
}

// --- displacement of a contact point -------------------------------------------------------------

// Displacements and not places: places far from the origin have fewer digits.
static impVec3 shift(const Displacement *m, impVec3 arm) {
    return add(m->translation, sub(rotate(m->rotation, arm), arm));
}

static impVec3 lowest(const Placed *p, impPose at, impVec3 toward) {
    return place(
        at, shape_kinds[p->shape->kind].support(p->shape, p->g, unrotate(at.rotation, toward)));
}

// Lowest place of a circle about the shape's axis at height z; of one that lies flat the centre.
static impVec3 lowest_of_rim(impPose at, double z, double radius, impVec3 toward) {
    impVec3 axis = rotate(at.rotation, vec(0, 0, 1));
    impVec3 across = madd(toward, -dot(toward, axis), axis);
    impVec3 middle = madd(at.at, z, axis);
    return norm(across) > 0 ? madd(middle, radius / norm(across), across) : middle;
}

// Displacement of the lowest place of a surface, from direction `now` to `then`, both down.
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

// Displacement of a contact point, its normal and gap then. lowest: gap of the surface wherever it
// is.
typedef struct Place {
    impVec3 shift, n;
    double gap, lowest;
} Place;

// A vertex or centre on the other body. side: 1 if it is a's. up points into its body.
static Place corner_place(const ContactPoint *t, const Displacement *own, impVec3 x,
                          const Displacement *other, impVec3 y, double side) {
    double round = max2(t->motion.radius_other, 0);
    double apart = t->gap + t->motion.radius + round;
    impVec3 up = scale(side, t->n);
    impVec3 moved = shift(own, sub(madd(t->at, t->motion.radius, up), x));
    impVec3 n = rotate(other->rotation, up);
    impVec3 line = madd(sub(moved, shift(other, sub(madd(t->at, -round, up), y))), apart, up);
    impVec3 axis = rotate(other->rotation, t->motion.axis);
    impVec3 joins = madd(line, -dot(line, axis), axis);
    if (t->motion.radius_other >= 0) {
        n = norm(joins) > 0 ? scale(1 / norm(joins), joins) : up;
    }
    double gap = dot(n, line) - t->motion.radius - round;
    return (Place){ madd(moved, t->motion.radius, sub(up, n)), scale(side, n), gap, gap };
}

// 1, of the bounding radius: a point that leaves this neighbourhood of the material point, as of a
// coin that falls flat, is followed as the material point. The distance is that from the material
// point and not from the centre: the point of a rattleback runs along its flat bottom. Test:
// tests/method/impulse_rolling.c
#define NEIGHBOURHOOD 0.25

// A smooth surface or rim on a tangent plane of the other body. side: 1 if a's rolls.
static Place roll_place(const ContactPoint *t, bool rim, const Displacement *own, impVec3 x,
                        const Displacement *other, impVec3 y, double side, double bounding_radius) {
    impVec3 up = scale(side, t->n);
    impVec3 n = rotate(other->rotation, up);
    impVec3 arm = sub(t->at, x);
    impVec3 moved = roll_shift(t, rim, own, x, neg(up), neg(n));
    impVec3 moved_with_body = shift(own, arm);
    impVec3 plane_point = madd(shift(other, sub(t->at, y)), -t->gap, up);
    bool near = norm(sub(moved, moved_with_body)) <= NEIGHBOURHOOD * bounding_radius;
    return (Place){ near ? moved : moved_with_body, scale(side, n),
                    dot(n, sub(near ? moved : moved_with_body, plane_point)),
                    dot(n, sub(moved, plane_point)) };
}

// The crossing of two edges, each with its body. Round edges cross at their axes, at distances
// motion.radius and radius_other.
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

// A smooth surface on one that is not flat: the closest points at T / 2 and T are searched.
static Placed moved_piece(const Placed *p, const Displacement *m, impVec3 x) {
    return (Placed){ p->shape, p->g,
                     pose(add(add(x, m->translation), rotate(m->rotation, sub(p->pose.at, x))),
                          qmul(m->rotation, p->pose.rotation)) };
}

// Starts from the closest points of an earlier pass.
static Closest closest_again(ContactPoint *t, bool end, const Placed *pa, const Placed *pb) {
    StartFeature none = { 0 };
    const Closest *near = t->motion.has_prediction[end]    ? &t->motion.predicted[end]
                          : t->motion.has_prediction[!end] ? &t->motion.predicted[!end]
                                                           : NULL;
    Closest c = near ? collide_closest_since(pa, pb, near) : collide_closest(pa, pb, &none);
    t->motion.predicted[end] = c;
    t->motion.has_prediction[end] = true;
    return c;
}

// A point that leaves its neighbourhood, as of sides that are nearly parallel, moves with both
// bodies; `lowest` has the gap elsewhere all the same.
static Place searched_place(ContactPoint *t, const Actor *a, const Actor *b, const Displacement *ma,
                            const Displacement *mb, bool end) {
    bool a_rolls = t->motion.kind == ROLLS_ON_A;
    Facet room;
    Placed other = t->motion.other_triangle < 0
                       ? t->motion.other
                       : collide_facet(&t->motion.other, t->motion.other_triangle, &room);
    Placed pa = moved_piece(a_rolls ? &t->motion.surface : &other, ma, a->x);
    Placed pb = moved_piece(a_rolls ? &other : &t->motion.surface, mb, b->x);
    Closest c = closest_again(t, end, &pa, &pb);
    impVec3 middle = b->free ? t->at : madd(t->at, -0.5 * t->gap, t->n);
    impVec3 arm_a = sub(t->at, a->x);
    impVec3 arm_b = sub(t->at, b->x);
    impVec3 goes_a = shift(ma, arm_a);
    impVec3 goes_b = shift(mb, arm_b);
    impVec3 moved_with_body = scale(0.5, add(goes_a, goes_b));
    impVec3 moved = sub(scale(0.5, add(c.on_a, c.on_b)), middle);
    impVec3 n = scale(0.5, add(rotate(ma->rotation, t->n), rotate(mb->rotation, t->n)));
    if (norm(sub(moved, moved_with_body)) <=
        NEIGHBOURHOOD * (a_rolls ? a : b)->body->bounding_radius)
        return (Place){ moved, c.normal, c.distance, c.distance };
    double gap = t->gap + dot(n, sub(goes_a, goes_b));
    return (Place){ moved_with_body, n, gap, min2(gap, c.distance) };
}

// end: after T, not T / 2.
static Place place_of(ContactPoint *t, const Actor *a, const Actor *b, const Displacement *ma,
                      const Displacement *mb, bool end) {
    if ((t->motion.kind == ROLLS_ON_A || t->motion.kind == ROLLS_ON_B) &&
        t->motion.radius_other >= 0)
        return searched_place(t, a, b, ma, mb, end);
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
    impVec3 moved = scale(0.5, add(shift(ma, sub(t->at, a->x)), shift(mb, sub(t->at, b->x))));
    return (Place){ moved, scale(0.5, add(rotate(ma->rotation, t->n), rotate(mb->rotation, t->n))),
                    t->gap, t->gap };
}

// --- velocity ------------------------------------------------------------------------------------

static impVec3 velocity(impVec3 v, impVec3 w, impVec3 arm) { return add(v, cross(w, arm)); }

static impVec3 velocity_then(const Actor *a, const Displacement *m, const ContactPoint *t,
                             impVec3 moved) {
    return velocity(m->v, m->w, add(sub(t->at, a->x), sub(moved, m->translation)));
}

// Fall of the gap's rate over the flight, f of (11). The crossing of two lying cylinders that rock
// on each other runs along them within microseconds, so a part of the surface that is lower at T /
// 2 than the point that was followed counts, too.
static double fall_of(const ContactPoint *t, const Place *half, const Place *whole, double T) {
    bool searched = (t->motion.kind == ROLLS_ON_A || t->motion.kind == ROLLS_ON_B) &&
                    t->motion.radius_other >= 0;
    double curvature = 8 * half->lowest - 4 * (t->gap + whole->lowest);
    double lower = searched ? 8 * (half->gap - half->lowest) : 0;
    return max2(curvature, lower) / (T * T);
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
    // along the normal (10)
    double mean = dot(half.n, then);
    *fall = 0;
    if (t->motion.kind != MOVES_WITH_BOTH) {
        Place whole = place_of(t, a, b, &ca->whole, &cb->whole, true);
        mean = (whole.gap - t->gap) / T;
        *fall = fall_of(t, &half, &whole, T);
    }
    return vec(dot(t->t1, change), dot(t->t2, change), mean - dot(t->n, now));
}
