// microstep.c -- many touching points at once, without bounce: impulses that obey Signorini's and
// Coulomb's laws on u + c.
//
// The complementarity problem of a closed hop (microcollisions.md sec. 3): at every point, with u
// the velocity after all impulses and c what the coming hop adds to its mean,
//     0 <= p_n  _|_  u_n + c_n >= 0,     |p_t| <= mu p_n,  p_t against u_t + c_t where that slides.
// Solved point by point in a fixed order, each exactly (3x3), over and over (Gauss-Seidel; Jean
// 1999; Bender & Schmitt 2006 iterate impulses the same way). Where more points hold a body than it
// has freedoms the single impulses settle slowly while the bodies' motion is long settled: that is
// what is watched. After some sweeps, which find who slides and who parts, all points are solved
// for at once (microstep_newton.c), or a tower would take thousands.
//
// Points that hold more than a body's freedoms contradict each other by what rounding leaves of
// their gaps, and by what a turn stretches them; strictly, some of them would have to let go.
// `soft` lets a point give under load instead, by that part of the speed its impulse takes away:
// then there is one answer, and it shares the load. What lies under something much heavier takes
// away many times the speed that anybody has; it gives as if it were heavy, too, or it would creep.
//
// One point: the contact opens, sticks, or slides with u_n = 0 in a direction d that is a root of
// u_t(d) x d = 0. There is one coefficient: where a point may stick by more than it slides with
// there are two answers, and who asks knows which one it is.
//
// SPDX-License-Identifier: MIT
#include "solve/microstep_inside.h"

// bodies: fewer are mostly solved by sweeps alone, which are quicker one point after the other
enum { MANY = 4 };
enum {
    SWEEPS = 1000,
    SWEEPS_LEFT = 200,
    CALM_SWEEPS = 3,
    FIRST_TRY = 15,
    NEWTON = 12,
    DIRECTIONS = 16,
    CLOSINGS = 60
};

// --- one point: u is what it would be without this point's own impulse ---------------------------
// direction, impulse, velocity after
typedef struct Slide {
    double x, y, pn, ux, uy;
    bool jams;
} Slide;

static Slide slide_along(const MicrostepPoint *q, impVec3 u, double x, double y) {
    const Mat3 *k = &q->k;
    double mu = q->friction;
    double held = k->z.z - mu * (k->z.x * x + k->z.y * y);
    Slide s = { x, y, 0, 0, 0, !(held > 0) };
    if (s.jams) return s;
    s.pn = -u.z / held;
    s.ux = u.x + s.pn * (k->x.z - mu * (k->x.x * x + k->x.y * y));
    s.uy = u.y + s.pn * (k->y.z - mu * (k->y.x * x + k->y.y * y));
    return s;
}

static double off_line(const Slide *s) { return s->ux * s->y - s->uy * s->x; }
static bool goes_on(const Slide *s) { return s->ux * s->x + s->uy * s->y >= 0; }

static bool on_line(const Slide *s, impVec3 u) {
    return !s->jams && goes_on(s) &&
           fabs(off_line(s)) <= 1e-15 * (fabs(u.x) + fabs(u.y) + fabs(u.z));
}

// Newton's method on the angle of d, from the direction given.
static bool newton_slide(const MicrostepPoint *q, impVec3 u, double x, double y, Slide *out) {
    const Mat3 *k = &q->k;
    double mu = q->friction;
    for (int i = 0; i < NEWTON; i++) {
        Slide s = slide_along(q, u, x, y);
        *out = s;
        if (s.jams || on_line(&s, u)) return !s.jams;
        double held = k->z.z - mu * (k->z.x * x + k->z.y * y);
        double dx = -y;
        double dy = x;
        double dp = s.pn * mu * (k->z.x * dx + k->z.y * dy) / held;
        double gx = dp * (k->x.z - mu * (k->x.x * x + k->x.y * y)) -
                    s.pn * mu * (k->x.x * dx + k->x.y * dy);
        double gy = dp * (k->y.z - mu * (k->y.x * x + k->y.y * y)) -
                    s.pn * mu * (k->y.x * dx + k->y.y * dy);
        double slope = gx * y - gy * x + s.ux * dy - s.uy * dx;
        if (slope == 0) return false;
        double by = -off_line(&s) / slope;
        if (!(fabs(by) < 1)) return false;
        x += by * dx;
        y += by * dy;
        double length = sqrt(x * x + y * y);
        x /= length;
        y /= length;
    }
    return on_line(out, u);
}

// Closes in on a sign change between two directions less than a right angle apart.
static bool close_in(const MicrostepPoint *q, impVec3 u, Slide a, Slide b, Slide *out) {
    for (int i = 0; i < CLOSINGS; i++) {
        double x = a.x + b.x;
        double y = a.y + b.y;
        double length = sqrt(x * x + y * y);
        Slide m = slide_along(q, u, x / length, y / length);
        *out = m;
        if (m.jams) return false;
        if (on_line(&m, u)) return true;
        if ((off_line(&m) < 0) == (off_line(&a) < 0)) {
            a = m;
        } else {
            b = m;
        }
    }
    return goes_on(out);
}

static bool find_slide(const MicrostepPoint *q, impVec3 u, Slide *out) {
    double size = sqrt(u.x * u.x + u.y * u.y);
    double held = sqrt(q->p.x * q->p.x + q->p.y * q->p.y);
    if (held > 0 && newton_slide(q, u, -q->p.x / held, -q->p.y / held, out) && goes_on(out))
        return true;
    if (size > 0 && newton_slide(q, u, u.x / size, u.y / size, out) && goes_on(out)) return true;
    // an eighth of a half turn
    const double c = 0.92387953251128674;
    const double s = 0.38268343236508978;
    Slide a = slide_along(q, u, 1, 0);
    for (int i = 0; i < DIRECTIONS; i++) {
        Slide b = slide_along(q, u, c * a.x - s * a.y, s * a.x + c * a.y);
        bool change = !a.jams && !b.jams && (off_line(&a) < 0) != (off_line(&b) < 0);
        if (change && close_in(q, u, a, b, out) && goes_on(out)) return true;
        a = b;
    }
    return false;
}

// The impulse of one point. False: no direction of sliding holds it (it jams).
static bool solve_point(MicrostepPoint *q, impVec3 u, impVec3 *p) {
    q->mode = CONTACT_OPEN;
    *p = vec(0, 0, 0);
    if (u.z >= 0) return true;
    if (q->friction_is_given) {
        impVec3 way = vec(q->friction * q->given_x, q->friction * q->given_y, 1);
        double held = dot(q->k.z, way);
        q->mode = CONTACT_SLIDE;
        if (held > 0) {
            *p = scale(-u.z / held, way);
        }
        return held > 0;
    }
    impVec3 stick = neg(mul(q->work.k_inverse, u));
    double most = q->friction * stick.z;
    double side = stick.x * stick.x + stick.y * stick.y;
    if (stick.z > 0 && side <= most * most) {
        q->mode = CONTACT_STICK;
        *p = stick;
        return true;
    }
    q->mode = CONTACT_SLIDE;
    Slide s;
    if (q->friction == 0) {
        *p = vec(0, 0, -u.z / q->k.z.z);
        return true;
    }
    if (!find_slide(q, u, &s)) return false;
    *p = vec(-q->friction * s.pn * s.x, -q->friction * s.pn * s.y, s.pn);
    return true;
}

// --- bodies and points ---------------------------------------------------------------------------
impVec3 solve_point_velocity(const MicrostepBody *bodies, const MicrostepPoint *q) {
    return microstep_velocity(bodies, q);
}

static void push(MicrostepBody *b, impVec3 arm, impVec3 p) {
    b->v = madd(b->v, b->mass_inverse, p);
    b->w = add(b->w, mul(b->inertia_inverse, cross(arm, p)));
}

void solve_apply_impulse(MicrostepBody *bodies, const MicrostepPoint *q, impVec3 p) {
    impVec3 world = microstep_in_world(q, p);
    push(&bodies[q->a], q->arm_a, world);
    if (q->b >= 0) {
        push(&bodies[q->b], q->arm_b, neg(world));
    }
}

// k = sum over both bodies of 1/m - [r] J^-1 [r], in the frame of the contact (Mirtich & Canny
// 1994, eq. 4).
static Mat3 yield_of(const MicrostepBody *b, impVec3 arm) {
    Mat3 r = skew(arm);
    Mat3 turn = mat3_scale(-1, mat3_mul(r, mat3_mul(b->inertia_inverse, r)));
    return mat3_add(mat3_diagonal(b->mass_inverse, b->mass_inverse, b->mass_inverse), turn);
}

Mat3 solve_point_matrix(const MicrostepBody *bodies, const MicrostepPoint *q) {
    Mat3 k = yield_of(&bodies[q->a], q->arm_a);
    Mat3 frame = mat3(q->t1, q->t2, q->n);
    if (q->b >= 0) {
        k = mat3_add(k, yield_of(&bodies[q->b], q->arm_b));
    }
    k = rotated(frame, k);
    // symmetric to the last bit
    k.y.x = k.x.y;
    k.z.x = k.x.z;
    k.z.y = k.y.z;
    return k;
}

// --- a first guess -------------------------------------------------------------------------------
// One body that many points hold: the twist that would stop them all, in the least-squares sense,
// and of all impulses that give it the smallest; then again, weighted by the normal impulses found,
// so that friction acts where the load is.
enum { EIGHT = 8 };
typedef struct Square {
    double a[EIGHT][EIGHT], b[EIGHT];
} Square;

// Cholesky; the answer is in b
static bool solve_square(Square *s, int n) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = s->a[i][j];
            for (int k = 0; k < j; k++) {
                sum -= s->a[i][k] * s->a[j][k];
            }
            if (i == j && !(sum > 0)) return false;
            s->a[i][j] = i == j ? sqrt(sum) : sum / s->a[j][j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            s->b[i] -= s->a[i][k] * s->b[k];
        }
        s->b[i] /= s->a[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) {
            s->b[i] -= s->a[k][i] * s->b[k];
        }
        s->b[i] /= s->a[i][i];
    }
    return true;
}

// velocity along an axis by twist
static void row_of(const MicrostepPoint *q, int axis, double length, double row[6]) {
    impVec3 e = axis == 0 ? q->t1 : axis == 1 ? q->t2 : q->n;
    impVec3 r = scale(1 / length, cross(q->arm_a, e));
    row[0] = e.x;
    row[1] = e.y;
    row[2] = e.z;
    row[3] = r.x;
    row[4] = r.y;
    row[5] = r.z;
}

static void add_row(Square *s, const double row[6], double weight, double right) {
    for (int i = 0; i < 6; i++) {
        s->b[i] += weight * right * row[i];
        for (int j = 0; j < 6; j++) {
            s->a[i][j] += weight * row[i] * row[j];
        }
    }
}

// sum over points and axes of weight row^T row = wrench: the impulses are weight row . answer.
static bool spread(MicrostepPoint *points, int count, const double wrench[6], double length,
                   bool weighted) {
    Square s = { 0 };
    double row[6];
    double load = 0;
    for (int i = 0; i < count; i++) {
        load = max2(load, points[i].p.z);
    }
    if (weighted && !(load > 0)) return false;
    for (int i = 0; i < count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            double part = weighted ? max2(points[i].p.z, 0) / load : 1;
            row_of(&points[i], axis, length, row);
            add_row(&s, row, part * part, 0);
        }
    }
    for (int i = 0; i < 6; i++) {
        s.b[i] = wrench[i];
        s.a[i][i] *= 1 + 1e-12;
    }
    if (!solve_square(&s, 6)) return false;
    for (int i = 0; i < count; i++) {
        double part = weighted ? max2(points[i].p.z, 0) / load : 1;
        double p[3];
        for (int axis = 0; axis < 3; axis++) {
            row_of(&points[i], axis, length, row);
            p[axis] = 0;
            for (int k = 0; k < 6; k++) {
                p[axis] += part * part * row[k] * s.b[k];
            }
        }
        points[i].p = vec(p[0], p[1], p[2]);
    }
    return true;
}

static bool wrench_to_stop(const MicrostepBody *b, const MicrostepPoint *points, int count,
                           double length, double wrench[6]) {
    Square s = { 0 };
    double row[6];
    for (int i = 0; i < count; i++) {
        impVec3 u = add(solve_point_velocity(b, &points[i]), points[i].c);
        for (int axis = 0; axis < 3; axis++) {
            row_of(&points[i], axis, length, row);
            add_row(&s, row, 1, -component(u, axis));
        }
    }
    for (int i = 0; i < 6; i++) {
        s.a[i][i] *= 1 + 1e-12;
    }
    if (!solve_square(&s, 6)) return false;
    impVec3 turn = mul(inverse(b->inertia_inverse), scale(1 / length, vec(s.b[3], s.b[4], s.b[5])));
    for (int i = 0; i < 3; i++) {
        wrench[i] = s.b[i] / b->mass_inverse;
        wrench[3 + i] = component(turn, i) / length;
    }
    return true;
}

// All of them sliding as they do now: normal impulses that stop the approach, the smallest ones
// that do.
static bool guess_sliding(const MicrostepBody *body, MicrostepPoint *points, int count) {
    // yield: u_n of i by p_n of j
    double yield[EIGHT][EIGHT];
    double right[EIGHT];
    double size = 0;
    impVec3 way[EIGHT];
    Square s;
    for (int j = 0; j < count; j++) {
        MicrostepPoint *q = &points[j];
        impVec3 u = add(solve_point_velocity(body, q), q->c);
        double slip = sqrt(u.x * u.x + u.y * u.y);
        double mu = q->friction;
        way[j] = slip > 0 ? vec(-mu * u.x / slip, -mu * u.y / slip, 1) : vec(0, 0, 1);
        right[j] = -u.z;
        MicrostepBody one = *body;
        one.v = one.w = vec(0, 0, 0);
        push(&one, q->arm_a, microstep_in_world(q, way[j]));
        for (int i = 0; i < count; i++) {
            yield[i][j] = dot(points[i].n, microstep_velocity_at(&one, points[i].arm_a));
        }
    }
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            s.a[i][j] = 0;
            for (int k = 0; k < count; k++) {
                s.a[i][j] += yield[i][k] * yield[j][k];
            }
            if (i == j) {
                size = max2(size, s.a[i][j]);
            }
        }
    }
    for (int i = 0; i < count; i++) {
        s.a[i][i] += 1e-11 * size;
        s.b[i] = right[i];
    }
    if (!solve_square(&s, count)) return false;
    for (int i = 0; i < count; i++) {
        double p = 0;
        for (int k = 0; k < count; k++) {
            p += yield[k][i] * s.b[k];
        }
        points[i].p = scale(max2(p, 0), way[i]);
    }
    return true;
}

// true: within all cones
static bool guess_sticking(const MicrostepBody *body, MicrostepPoint *points, int count) {
    double wrench[6];
    double length = 0;
    for (int i = 0; i < count; i++) {
        length = max2(length, norm(points[i].arm_a));
    }
    bool good = length > 0 && wrench_to_stop(body, points, count, length, wrench) &&
                spread(points, count, wrench, length, false) &&
                spread(points, count, wrench, length, true);
    for (int i = 0; i < count && good; i++) {
        impVec3 p = points[i].p;
        double most = points[i].friction * p.z;
        good = p.z >= 0 && p.x * p.x + p.y * p.y <= most * most;
    }
    return good;
}

void solve_microstep_guess(const MicrostepBody *bodies, int body_count, MicrostepPoint *points,
                           int count) {
    if (body_count != 1 || count < 3) return;
    if (guess_sticking(bodies, points, count)) return;
    bool good = count <= EIGHT && guess_sliding(bodies, points, count);
    for (int i = 0; i < count; i++) {
        if (!good || !finite3(points[i].p)) {
            points[i].p = vec(0, 0, 0);
        }
    }
}

// --- all of them ---------------------------------------------------------------------------------
// Points of one pair are solved from the same velocities if this is to be fair: one after the
// other, the first end of an edge would take the load of both, and with much friction may keep it,
// for such problems have several answers. A row of dominos would turn aside.
static void sweep(MicrostepBody *bodies, MicrostepPoint *points, int count, bool fair,
                  MicrostepResult *out) {
    for (int first = 0, end; first < count; first = end) {
        for (end = first + 1; fair && end < count && points[end].a == points[first].a &&
                              points[end].b == points[first].b;
             end++) {}
        for (int i = first; i < end; i++) {
            MicrostepPoint *q = &points[i];
            impVec3 u = add(solve_point_velocity(bodies, q), q->c);
            impVec3 old = q->p;
            u = add(u, vec(q->work.sweep_compliance_t * old.x, q->work.sweep_compliance_t * old.y,
                           q->work.compliance_n * old.z));
            if (!solve_point(q, sub(u, mul(q->k, old)), &q->work.next_p)) {
                out->painleve_point = i;
                q->work.next_p = old;
            }
        }
        for (int i = first; i < end; i++) {
            MicrostepPoint *q = &points[i];
            impVec3 change = scale(1.0 / (end - first), sub(q->work.next_p, q->p));
            if (zero3(change)) continue;
            q->p = add(q->p, change);
            solve_apply_impulse(bodies, q, change);
        }
    }
}

// of any velocity; and remembers
static double change_of_sweep(MicrostepBody *bodies, int count) {
    double most = 0;
    for (int i = 0; i < count; i++) {
        MicrostepBody *b = &bodies[i];
        most = max2(most, max2(largest(sub(b->v, b->work.sweep_v)),
                               b->bounding_radius * largest(sub(b->w, b->work.sweep_w))));
        b->work.sweep_v = b->v;
        b->work.sweep_w = b->w;
    }
    return most;
}

static void set_up(MicrostepBody *bodies, MicrostepPoint *q) {
    q->k = solve_point_matrix(bodies, q);
    q->work.compliance_n = q->compliance * q->k.z.z;
    q->work.sweep_compliance_t = q->compliance_tangential * q->k.z.z;
    q->k.x.x += q->work.sweep_compliance_t;
    q->k.y.y += q->work.sweep_compliance_t;
    q->k.z.z += q->work.compliance_n;
    q->work.k_inverse = inverse(q->k);
}

// What bears more than the blow, as the pass before found, and is much lighter than the heaviest
// body. Not by the load alone: that of what is wedged has no end but for what it gives.
#define HEAVY 20  // times what the heaviest body yields: no point need give more
static void stiffen_loaded(const MicrostepBody *bodies, int body_count, MicrostepPoint *points,
                           int count) {
    double heavy = HUGE_VAL;
    double blow = 0;
    for (int i = 0; i < body_count; i++) {
        heavy = min2(heavy, bodies[i].mass_inverse);
    }
    for (int i = 0; i < count; i++) {
        blow = max2(blow, -(solve_point_velocity(bodies, &points[i]).z + points[i].c.z));
    }
    for (int i = 0; i < count; i++) {
        MicrostepPoint *q = &points[i];
        double k = q->k.z.z;
        double load = q->p.z * k;
        if (load > blow) {
            q->work.compliance_n = min2(q->work.compliance_n,
                                        q->compliance * max2(HEAVY * heavy, k * blow / load));
        }
    }
}

MicrostepResult solve_microstep(MicrostepBody *bodies, int body_count, MicrostepPoint *points,
                                int count, double tolerance, bool again, MicrostepWorkspace *room) {
    MicrostepResult out = { .painleve_point = -1 };
    int sleep_counter = 0;
    int most = room && body_count <= room->body_capacity ? SWEEPS_LEFT : SWEEPS;
    if (room) {
        room->stagnated = false;
    }
    if (room && !again) {
        room->has_pattern = false;
    }
    if (again) {
        stiffen_loaded(bodies, body_count, points, count);
    }
    for (int i = 0; i < count; i++) {
        if (!again) {
            set_up(bodies, &points[i]);
        }
        // from the impulses given
        solve_apply_impulse(bodies, &points[i], points[i].p);
    }
    out.solved = again && room && count > 1 &&
                 microstep_newton(bodies, body_count, points, count, tolerance, true, room);
    change_of_sweep(bodies, body_count);
    while (!out.solved && out.sweeps < most && sleep_counter < CALM_SWEEPS) {
        out.painleve_point = -1;
        sweep(bodies, points, count, room && body_count >= MANY && out.sweeps < FIRST_TRY, &out);
        out.change = change_of_sweep(bodies, body_count);
        out.sweeps++;
        sleep_counter = out.change <= tolerance ? sleep_counter + 1 : 0;
        // exact at once
        if (count == 1) break;
        // slow sweeps look calm, too
        if (room && (out.sweeps == FIRST_TRY || (again && sleep_counter == CALM_SWEEPS))) {
            out.solved = microstep_newton(bodies, body_count, points, count, tolerance, false,
                                          room);
        }
    }
    // by sweeps alone
    for (int i = 0; i < count && !out.solved; i++) {
        points[i].work.compliance_t = points[i].work.sweep_compliance_t;
    }
    out.stagnated = out.solved && room && room->stagnated;
    out.solved = out.solved || count == 1 || sleep_counter == CALM_SWEEPS;
    return out;
}
