// set.c -- what a contact point does while its bodies move: gap at the end, velocity in the middle.
//
// docs/theory/many-contacts.md, section 2. Bender & Schmitt 2006, section 4.2, predict where the
// two points of a contact get to within the step; here with the exact rotation of each body, and
// with the normal carried by the face that it belongs to. Their own Runge-Kutta step with a
// constant angular velocity is there for comparison (impRunDef.prediction).
//
// SPDX-License-Identifier: MIT
#include "contact/contact.h"

// Rotation less the identity: small rotations keep their digits.
static Mat3 turn_of(impQuat q) {
    Mat3 r = rotation(q);
    r.x.x -= 1;
    r.y.y -= 1;
    r.z.z -= 1;
    return r;
}

// What one step of the classical Runge-Kutta method for r' = w x r adds to r.
static impVec3 runge_kutta(impVec3 w, double h, impVec3 r) {
    impVec3 k1 = cross(w, r);
    impVec3 k2 = cross(w, madd(r, 0.5 * h, k1));
    impVec3 k3 = cross(w, madd(r, 0.5 * h, k2));
    impVec3 k4 = cross(w, madd(r, h, k3));
    return scale(h / 6, add(madd(k1, 2, k2), madd(k4, 2, k3)));
}

// The same of all vectors: rotation less the identity, (7) of Bender & Schmitt 2006.
static Mat3 runge_kutta_turn(impVec3 w, double h) {
    return transpose(mat3(runge_kutta(w, h, vec(1, 0, 0)), runge_kutta(w, h, vec(0, 1, 0)),
                          runge_kutta(w, h, vec(0, 0, 1))));
}

SetMotion contact_set_motion(const impModel *m, const Actor *a, const Mat3 *inertia_inverse,
                             impVec3 v, impVec3 w, double h) {
    MicrostepBody body;
    // what rests goes nowhere
    if (a->asleep || a->body->role == IMP_FIXED) return (SetMotion){ .half_v = a->v };
    if (a->free) {
        body = (MicrostepBody){ .inertia_inverse = *inertia_inverse, .v = v, .w = w };
    }
    PredictedMotion p = contact_predict_motion(m, a, a->free ? &body : NULL, h);
    if (a->free && m->run.prediction == IMP_RUNGE_KUTTA)
        return (SetMotion){ .half_shift = p.half.translation,
                            .whole_shift = p.whole.translation,
                            .half_turn = runge_kutta_turn(w, 0.5 * h),
                            .whole_turn = runge_kutta_turn(w, h),
                            .half_v = p.half.v,
                            .half_w = w };
    return (SetMotion){ .half_shift = p.half.translation,
                        .whole_shift = p.whole.translation,
                        .half_turn = turn_of(p.half.rotation),
                        .whole_turn = turn_of(p.whole.rotation),
                        .half_v = p.half.v,
                        .half_w = p.half.w };
}

// --- where a point gets to -----------------------------------------------------------------------

// The ends of the gap after the bodies have shifted and turned.
typedef struct Ends {
    impVec3 line;            // m: from the core point of b to that of a
    impVec3 normal;          // unit
    impVec3 core_a, core_b;  // m: from the centres
} Ends;

// The normal after the turns ta, tb (rotations less the identity).
static impVec3 normal_after(const SetPoint *p, impVec3 line, const Mat3 *ta, const Mat3 *tb) {
    impVec3 n = p->n;
    switch (p->kind) {
    case SET_CORNER_OF_A: return add(p->n, mul(*tb, p->n));
    case SET_CORNER_OF_B: return add(p->n, mul(*ta, p->n));
    case SET_EDGES:
        n = cross(add(p->edge_a, mul(*ta, p->edge_a)), add(p->edge_b, mul(*tb, p->edge_b)));
        break;
    case SET_CENTRES: {
        impVec3 a = add(p->edge_a, mul(*ta, p->edge_a));
        impVec3 b = add(p->edge_b, mul(*tb, p->edge_b));
        n = madd(madd(line, -dot(line, a), a), -dot(line, b), b);
        break;
    }
    case SET_SMOOTH: break;
    }
    // the side is kept, even where the centres have passed each other
    double size = norm(n);
    return size > 0 ? scale((dot(n, p->n) < 0 ? -1 : 1) / size, n) : p->n;
}

static Ends ends_after(const SetPoint *p, impVec3 shift_a, const Mat3 *ta, impVec3 shift_b,
                       const Mat3 *tb) {
    impVec3 goes_a = mul(*ta, p->core_a);
    impVec3 goes_b = mul(*tb, p->core_b);
    Ends e = { .core_a = add(p->core_a, goes_a), .core_b = add(p->core_b, goes_b) };
    e.line = madd(add(sub(shift_a, shift_b), sub(goes_a, goes_b)),
                  p->gap + p->radius_a + p->radius_b, p->n);
    e.normal = normal_after(p, e.line, ta, tb);
    return e;
}

static double gap_of(const SetPoint *p, const Ends *e) {
    return dot(e->normal, e->line) - p->radius_a - p->radius_b;
}

// By how much (m) two edges have slipped along themselves where the line between their points is
// off the normal: beside = a edge_a - b edge_b.
typedef struct Slips {
    double a, b;
} Slips;

static Slips slips_along(impVec3 beside, impVec3 edge_a, impVec3 edge_b) {
    double c = dot(edge_a, edge_b);
    double along_a = dot(beside, edge_a);
    double along_b = dot(beside, edge_b);
    double square = 1 - c * c;
    return (Slips){ (along_a - c * along_b) / square, (c * along_a - along_b) / square };
}

// Both surfaces at the contact point, from the centres: where the corner or the ball is, and on the
// other body next to it; of two edges where they pass each other.
static void surfaces_of(const SetPoint *p, const Ends *e, const Mat3 *ta, const Mat3 *tb,
                        impVec3 *arm_a, impVec3 *arm_b) {
    double apart = gap_of(p, e) + p->radius_a + p->radius_b;
    impVec3 beside = madd(e->line, -apart, e->normal);
    if (p->kind == SET_EDGES) {
        impVec3 edge_a = add(p->edge_a, mul(*ta, p->edge_a));
        impVec3 edge_b = add(p->edge_b, mul(*tb, p->edge_b));
        Slips slips = slips_along(beside, edge_a, edge_b);
        *arm_a = madd(e->core_a, -slips.a, edge_a);
        *arm_b = madd(e->core_b, -slips.b, edge_b);
        return;
    }
    double share_a = p->kind == SET_CORNER_OF_B ? 1 : 0;
    *arm_a = madd(madd(e->core_a, -p->radius_a, e->normal), -share_a, beside);
    *arm_b = madd(madd(e->core_b, p->radius_b, e->normal), 1 - share_a, beside);
}

double contact_set_gap(const SetPoint *p, const SetMotion *a, const SetMotion *b) {
    Ends e = ends_after(p, a->whole_shift, &a->whole_turn, b->whole_shift, &b->whole_turn);
    return gap_of(p, &e);
}

// Takes a vector back by a rotation, of which `turn` is less the identity.
static impVec3 turned_back(const Mat3 *turn, impVec3 v) { return add(v, mul_t(*turn, v)); }

SetPoint contact_set_before(const SetPoint *p, const SetMotion *a, const SetMotion *b,
                            impVec3 offset) {
    SetPoint out = *p;
    out.core_a = turned_back(&a->whole_turn, p->core_a);
    out.core_b = turned_back(&b->whole_turn, p->core_b);
    out.edge_a = turned_back(&a->whole_turn, p->edge_a);
    out.edge_b = turned_back(&b->whole_turn, p->edge_b);
    out.n = turned_back(p->kind == SET_CORNER_OF_B ? &a->whole_turn : &b->whole_turn, p->n);
    impVec3 line = add(offset, sub(out.core_a, out.core_b));
    Mat3 none = mat3_diagonal(0, 0, 0);
    out.n = normal_after(&out, line, &none, &none);

    // the place on the face below the corner, or next to the other edge
    double apart = dot(out.n, line);
    impVec3 beside = madd(line, -apart, out.n);
    if (p->kind == SET_CORNER_OF_B) {
        out.core_a = sub(out.core_a, beside);
    } else if (p->kind == SET_EDGES) {
        Slips slips = slips_along(beside, out.edge_a, out.edge_b);
        out.core_a = madd(out.core_a, -slips.a, out.edge_a);
        out.core_b = madd(out.core_b, -slips.b, out.edge_b);
    } else {
        out.core_b = add(out.core_b, beside);
    }
    out.gap = apart - p->radius_a - p->radius_b;
    return out;
}

impVec3 contact_set_velocity_change(const SetPoint *p, const SetMotion *a, const SetMotion *b,
                                    impTwist twist_a, impTwist twist_b) {
    impVec3 arm_a, arm_b;
    Ends e = ends_after(p, a->half_shift, &a->half_turn, b->half_shift, &b->half_turn);
    surfaces_of(p, &e, &a->half_turn, &b->half_turn, &arm_a, &arm_b);
    impVec3 then = sub(add(a->half_v, cross(a->half_w, arm_a)),
                       add(b->half_v, cross(b->half_w, arm_b)));
    arm_a = madd(p->core_a, -p->radius_a, p->n);
    arm_b = madd(p->core_b, p->radius_b, p->n);
    impVec3 now = sub(add(twist_a.linear, cross(twist_a.angular, arm_a)),
                      add(twist_b.linear, cross(twist_b.angular, arm_b)));
    return sub(then, now);
}

void contact_set_arms(const SetPoint *p, bool b_is_free, impVec3 *arm_a, impVec3 *arm_b) {
    double share = b_is_free ? 0.5 : 0;
    *arm_a = madd(p->core_a, -(p->radius_a + share * p->gap), p->n);
    *arm_b = madd(p->core_b, p->radius_b + (1 - share) * p->gap, p->n);
}
