// mover.c -- how bodies move from now on: what the bounds of impact_time.c ask for.
//
// A shape's extent is known once a model is built. A mover is a body's velocities and what can be
// said of its spin for the rest of a flight: the largest |w| (docs/theory/collision-detection.md,
// section 8), a bound on |dw/dt| (C.3), and, where the spin leans on an axis of the figure, how
// little it strays from that. Prescribed bodies have their motion instead (C.4).
//
// Assumed: flights go on as they are. Left out: bodies carried by joints, of which
// nothing is known.
//
// SPDX-License-Identifier: MIT
#include "collide/convex.h"

// A shape of revolution whose axis is that of all the turns, or a plane square to it; but for
// rounding.
static bool turns_onto_itself(const Shape *s, impPose in_world, impVec3 axis, double size) {
    ConvexKind kind = convex_kind(s);
    impVec3 own = kind == CONVEX_PLANE ? vec(s->size[0], s->size[1], s->size[2]) : vec(0, 0, 1);
    bool lathed = kind == CONVEX_SEGMENT || kind == CONVEX_CYLINDER || kind == CONVEX_CONE ||
                  kind == CONVEX_PLANE || (kind == CONVEX_ELLIPSOID && s->size[0] == s->size[1]);
    if (kind == CONVEX_NONE || kind == CONVEX_POLYTOPE) return false;
    if (kind != CONVEX_PLANE && norm(cross(axis, in_world.at)) > 1e-14 * size) return false;
    return kind == CONVEX_POINT ||
           (lathed && norm(cross(axis, rotate(in_world.rotation, own))) <= 1e-14);
}

static const Motion *motions_of(const impModel *m, const Body *b) {
    return m->motion + b->first_motion;
}

Extent collide_extent(const impModel *m, int body, int shape) {
    const Body *b = &m->body[body];
    const Shape *s = &m->shape[shape];
    const ShapeKind *k = &shape_kinds[s->kind];
    bool kinematic = b->role == IMP_KINEMATIC;
    Extent e = { .bounding_radius = HUGE_VAL, .low = vec(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL) };
    e.high = neg(e.low);
    double whole = shape_bounding_radius(s, &m->geometry, kinematic ? vec(0, 0, 0) : b->center);
    if (kinematic) {
        MotionTurning turning = motion_turning(motions_of(m, b), b->motion_count);
        impPose in_world = pose(rotate(b->pose0.rotation, s->pose.at),
                                qmul(b->pose0.rotation, s->pose.rotation));
        e.round = turning.fixed && turns_onto_itself(s, in_world, turning.axis, whole);
    }
    if (!k->bounded) return e;
    double round = whole > s->radius ? 4 * DBL_EPSILON * whole : 0;
    e.bounding_radius = s->radius > 0 ? max2(whole - s->radius, 0) + round : whole;
    const impVec3 r = vec(s->radius, s->radius, s->radius);
    e.high = sub(s->high, r);
    e.low = add(s->low, r);
    return e;
}

void collide_extents(const impModel *m, Extent *out) {
    int done = 0;
    for (int i = 0; i < m->body_count; i++) {
        for (; done < m->body[i].first_shape + m->body[i].shape_count; done++) {
            out[done] = collide_extent(m, i, done);
        }
    }
}

// All but the sample of a motion, which only a prescribed body has.
static void set_mover(Mover *m, const Extent *core, impVec3 x, impVec3 v, impVec3 a, impVec3 w) {
    m->x = x;
    m->v = v;
    m->a = a;
    m->w = w;
    m->w_rate = m->axis = m->steady = vec(0, 0, 0);
    m->w_max = m->w_change = m->w_jerk = m->wobble = m->lean = m->t = 0;
    m->core = *core;
    m->known = true;
    m->m = NULL;
    m->body = -1;
}

// |w_i w_j| <= W^2 / 2 in Euler's equations (C.3).
static double change_bound(const double I[3], double W) {
    double x = fabs(I[1] - I[2]) / I[0];
    double y = fabs(I[2] - I[0]) / I[1];
    double z = fabs(I[0] - I[1]) / I[2];
    return 0.5 * W * W * sqrt(x * x + y * y + z * z);
}

static impVec3 axis_vector(int k) { return vec(k == 0, k == 1, k == 2); }

// Body rates across the axis f of least or largest moment: sum of I_k |I_f - I_k| w_k^2 is
// conserved, as is the angular momentum, so no rate w_k ever exceeds the square root of that sum
// over I_k |I_f - I_k|. Gives the square of the bound on all of them, and of that on the angular
// momentum across; HUGE_VAL where the moment of another axis is the same.
static void wobble_about(const double I[3], impVec3 w, int f, double *rate2, double *momentum2) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        sum += I[k] * fabs(I[f] - I[k]) * component(w, k) * component(w, k);
    }
    *rate2 = *momentum2 = 0;
    for (int k = 0; k < 3; k++) {
        if (k == f) continue;
        double difference = fabs(I[f] - I[k]);
        *rate2 += difference > 0 ? sum / (I[k] * difference) : HUGE_VAL;
        *momentum2 += difference > 0 ? I[k] * sum / difference : HUGE_VAL;
    }
}

// w stays as it is
static void set_steady(Mover *m) {
    double W = norm(m->w);
    m->axis = m->steady = W > 0 ? scale(1 / W, m->w) : vec(0, 0, 1);
    m->w_change = m->w_jerk = m->wobble = m->lean = 0;
    m->w_rate = vec(0, 0, 0);
}

static void set_figure_axis(Mover *m, const double I[3], impVec3 w, impQuat rotation) {
    int low = I[0] <= I[1] && I[0] <= I[2] ? 0 : I[1] <= I[2] ? 1 : 2;
    int high = I[2] >= I[1] && I[2] >= I[0] ? 2 : I[1] >= I[0] ? 1 : 0;
    int f = low;
    double rate2, momentum2, other_rate2, other_momentum2;
    wobble_about(I, w, low, &rate2, &momentum2);
    wobble_about(I, w, high, &other_rate2, &other_momentum2);
    if (other_rate2 < rate2) {
        rate2 = other_rate2;
        momentum2 = other_momentum2;
        f = high;
    }
    impVec3 L = vec(I[0] * w.x, I[1] * w.y, I[2] * w.z);
    double size = norm(L);
    m->axis = rotate(rotation, axis_vector(f));
    m->steady = size > 0 ? rotate(rotation, scale(1 / size, L)) : m->axis;
    m->wobble = sqrt(rate2) * (1 + 1e-12);
    // f is within the angle of sine s of +-l: no farther than sqrt(2) s while that is below 90
    // degrees, which 1 covers
    m->lean = size > 0 && momentum2 < size * size ? sqrt(2 * momentum2) / size * (1 + 1e-12) : 1;
}

// Euler's equations; derived once more, with |w_i' w_j + w_i w_j'| <= W' W and the body's own
// turning.
static void set_rate(Mover *m, const double I[3], impVec3 w, impQuat rotation) {
    double W = m->w_max;
    double change = m->w_change;
    m->w_rate = rotate(rotation,
                       vec((I[1] - I[2]) / I[0] * w.y * w.z, (I[2] - I[0]) / I[1] * w.z * w.x,
                           (I[0] - I[1]) / I[2] * w.x * w.y));
    m->w_jerk = W > 0 ? 2 * change * change / W + W * change : 0;
}

static void set_spin(Mover *m, const Body *b, impQuat q) {
    // all of it is zero
    if (zero3(m->w)) {
        m->axis.z = m->steady.z = 1;
        return;
    }
    impQuat rotation = qmul(q, b->axes);
    impVec3 w = unrotate(rotation, m->w);
    const double *I = b->moments;
    int zeros = (w.x == 0) + (w.y == 0) + (w.z == 0);
    m->w_max = motion_spin_bound(I, w);
    if (zeros >= 2 || (I[0] == I[1] && I[1] == I[2])) {
        set_steady(m);
        return;
    }
    m->w_change = change_bound(I, m->w_max);
    set_rate(m, I, w, rotation);
    set_figure_axis(m, I, w, rotation);
}

static bool shifts(const Motion *list, int count) {
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            if (motion_kinds[list[i].kind].shift(&list[i], axis_vector(k), 1) > 0) return true;
        }
    }
    return false;
}

static void set_kinematic(Mover *out, const impModel *m, int body, double t) {
    const Body *b = &m->body[body];
    const Motion *list = motions_of(m, b);
    MotionTurning turning = motion_turning(list, b->motion_count);
    if (out->core.round) {
        turning.w = turning.w_change = 0;
    }
    // as good as fixed
    if (turning.w == 0 && !shifts(list, b->motion_count)) return;
    out->m = m;
    out->body = body;
    out->t = t;
    out->sample = motion_sample(list, b->motion_count, t);
    out->x = add(b->pose0.at, out->sample.shift);
    if (turning.w > 0) {
        out->w = out->sample.twist.angular;
    }
    out->w_max = turning.w;
    out->w_change = turning.w_change;
    out->w_jerk = turning.w > 0 ? HUGE_VAL : 0;
    out->axis = out->steady = turning.axis;
    out->wobble = turning.fixed ? 0 : HUGE_VAL;
}

void collide_set_mover(Mover *out, const impModel *m, int body, const Extent *core,
                       const Flying *now, double t, bool spins) {
    const Body *b = &m->body[body];
    const impVec3 zero = vec(0, 0, 0);
    if (b->role == IMP_DYNAMIC && b->free >= 0) {
        set_mover(out, core, now->x, now->v, m->gravity, now->w);
        if (spins) {
            set_spin(out, b, now->q);
        }
        return;
    }
    set_mover(out, core, zero, zero, zero, zero);
    if (b->role == IMP_KINEMATIC) {
        set_kinematic(out, m, body, t);
    }
    out->known = b->role != IMP_DYNAMIC;
}

Mover collide_mover(const impModel *m, int body, const Extent *core, const Flying *now, double t) {
    Mover out = { .body = -1 };
    collide_set_mover(&out, m, body, core, now, t, true);
    return out;
}

// --- whatever way they go ------------------------------------------------------------------------
// Of any point of the core, in any direction; v of a free body is left to speed_of_both.
static double speed_of(const Mover *m) {
    if (m->body < 0) return m->w_max > 0 ? m->core.bounding_radius * m->w_max : 0;
    return norm(vec(motion_speed(m->m, m->body, vec(1, 0, 0)),
                    motion_speed(m->m, m->body, vec(0, 1, 0)),
                    motion_speed(m->m, m->body, vec(0, 0, 1))));
}

static double speed_of_both(const Mover *a, const Mover *b) {
    return norm(sub(a->v, b->v)) + speed_of(a) + speed_of(b);
}

double collide_time_by_speed(const Mover *a, const Mover *b, double d) {
    double A = speed_of_both(a, b);
    double B = norm(sub(a->a, b->a));
    double sum = A + sqrt(A * A + 2 * B * d);
    return sum > 0 ? 2 * d / sum * (1 - 1e-9) : HUGE_VAL;
}

double collide_travel_by_speed(const Mover *a, const Mover *b, double T) {
    if (!a->known || !b->known) return HUGE_VAL;
    return T * (speed_of_both(a, b) + 0.5 * T * norm(sub(a->a, b->a))) * (1 + 1e-8);
}
