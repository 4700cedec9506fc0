// microstep.c -- the contact problem of a micro-step by sweeps: impulses that obey the laws of
// Signorini and Coulomb on u + c.
//
// docs/theory/contact-solver.md; numbers in brackets are its equations. Blockwise Gauss-Seidel
// (Jean 1999; Bender & Schmitt 2006): points in a fixed order, each solved exactly by section 2
// with the velocities that the others leave, until the velocities of the bodies settle. Where more
// points hold a body than it has degrees of freedom, single impulses settle much later. After some
// sweeps, which show the points that open and those that slide, Newton's method solves for all
// points at once (microstep_newton.c). Compliance (18), (28) makes the impulses of redundant points
// unique, limited below heavy bodies.
//
// There is one coefficient of friction for each point; the caller decides between static and
// dynamic.
//
// SPDX-License-Identifier: MIT
#include "solve/microstep_inside.h"

// Tolerances. Test of all of them: tests/solve/microstep.c.
//
// bodies of an island from which on the first sweeps average the points of a pair
enum { FAIR_BODIES = 4 };
enum {
    // sweeps without Newton's method, and with it
    MAX_SWEEPS = 1000,
    MAX_SWEEPS_WITH_NEWTON = 200,
    // sweeps in a row without a change: settled
    SETTLED_SWEEPS = 3,
    // sweeps before Newton's method
    SWEEPS_BEFORE_NEWTON = 15,
    // steps on the angle of the slip (14)
    ANGLE_STEPS = 12,
    // directions between which the root of (14) is bisected, and steps of the bisection
    DIRECTIONS = 16,
    BISECTIONS = 60
};

// --- one point: u is its velocity without its own impulse ----------------------------------------

// (14) for one direction of the slip.
typedef struct Slide {
    double x, y;        // unit: the direction
    double pn;          // N s: normal impulse
    double ux, uy;      // m/s: slip after it
    bool inconsistent;  // no normal impulse stops the approach
} Slide;

// n.K of a point that slides along (x, y), m/s by N s: u_n grows by so much with its normal
// impulse.
static double inverse_mass_along(const MicrostepPoint *q, double x, double y) {
    return q->k.z.z - q->friction * (q->k.z.x * x + q->k.z.y * y);
}

// (14) for the direction (x, y), where the impulse stops the approach.
static Slide slide_along(const MicrostepPoint *q, impVec3 u, double x, double y) {
    const Mat3 *k = &q->k;
    double mu = q->friction;
    double k_slide = inverse_mass_along(q, x, y);
    Slide s = { x, y, 0, 0, 0, !(k_slide > 0) };
    if (s.inconsistent) return s;
    s.pn = -u.z / k_slide;
    s.ux = u.x + s.pn * (k->x.z - mu * (k->x.x * x + k->x.y * y));
    s.uy = u.y + s.pn * (k->y.z - mu * (k->y.x * x + k->y.y * y));
    return s;
}

// Component of the slip across its direction, and whether it is forward: at a root of (14) the
// first is 0.
static double cross_slip(const Slide *s) { return s->ux * s->y - s->uy * s->x; }
static bool is_forward(const Slide *s) { return s->ux * s->x + s->uy * s->y >= 0; }

static bool is_root(const Slide *s, impVec3 u) {
    return !s->inconsistent && is_forward(s) &&
           fabs(cross_slip(s)) <= 1e-15 * (fabs(u.x) + fabs(u.y) + fabs(u.z));
}

// Newton's method on the angle of the direction, from the one given.
static bool newton_slide(const MicrostepPoint *q, impVec3 u, double x, double y, Slide *out) {
    const Mat3 *k = &q->k;
    double mu = q->friction;
    for (int i = 0; i < ANGLE_STEPS; i++) {
        Slide s = slide_along(q, u, x, y);
        *out = s;
        if (s.inconsistent || is_root(&s, u)) return !s.inconsistent;
        double k_slide = inverse_mass_along(q, x, y);
        double dx = -y;
        double dy = x;
        double dp = s.pn * mu * (k->z.x * dx + k->z.y * dy) / k_slide;
        double gx = dp * (k->x.z - mu * (k->x.x * x + k->x.y * y)) -
                    s.pn * mu * (k->x.x * dx + k->x.y * dy);
        double gy = dp * (k->y.z - mu * (k->y.x * x + k->y.y * y)) -
                    s.pn * mu * (k->y.x * dx + k->y.y * dy);
        double slope = gx * y - gy * x + s.ux * dy - s.uy * dx;
        if (slope == 0) return false;
        double by = -cross_slip(&s) / slope;
        if (!(fabs(by) < 1)) return false;
        x += by * dx;
        y += by * dy;
        double length = sqrt(x * x + y * y);
        x /= length;
        y /= length;
    }
    return is_root(out, u);
}

// Bisection between two directions less than a right angle apart, between which cross_slip changes
// its sign.
static bool bisect(const MicrostepPoint *q, impVec3 u, Slide a, Slide b, Slide *out) {
    for (int i = 0; i < BISECTIONS; i++) {
        double x = a.x + b.x;
        double y = a.y + b.y;
        double length = sqrt(x * x + y * y);
        Slide m = slide_along(q, u, x / length, y / length);
        *out = m;
        if (m.inconsistent) return false;
        if (is_root(&m, u)) return true;
        if ((cross_slip(&m) < 0) == (cross_slip(&a) < 0)) {
            a = m;
        } else {
            b = m;
        }
    }
    return is_forward(out);
}

// A root of (14): from the last impulse, from u, then between all directions.
static bool find_slide(const MicrostepPoint *q, impVec3 u, Slide *out) {
    double slip = sqrt(u.x * u.x + u.y * u.y);
    double hold = sqrt(q->p.x * q->p.x + q->p.y * q->p.y);
    if (hold > 0 && newton_slide(q, u, -q->p.x / hold, -q->p.y / hold, out) && is_forward(out))
        return true;
    if (slip > 0 && newton_slide(q, u, u.x / slip, u.y / slip, out) && is_forward(out)) return true;
    // cosine and sine of pi / 8
    const double c = 0.92387953251128674;
    const double s = 0.38268343236508978;
    Slide a = slide_along(q, u, 1, 0);
    for (int i = 0; i < DIRECTIONS; i++) {
        Slide b = slide_along(q, u, c * a.x - s * a.y, s * a.x + c * a.y);
        bool change = !a.inconsistent && !b.inconsistent &&
                      (cross_slip(&a) < 0) != (cross_slip(&b) < 0);
        if (change && bisect(q, u, a, b, out) && is_forward(out)) return true;
        a = b;
    }
    return false;
}

// The impulse of one point. False: Painleve inconsistency.
static bool solve_point(MicrostepPoint *q, impVec3 u, impVec3 *p) {
    q->mode = CONTACT_OPEN;
    *p = vec(0, 0, 0);
    // friction of a given direction
    if (u.z >= 0) return true;
    if (q->friction_is_given) {
        impVec3 direction = vec(q->friction * q->given_x, q->friction * q->given_y, 1);
        double k_slide = dot(q->k.z, direction);
        q->mode = CONTACT_SLIDE;
        if (k_slide > 0) {
            *p = scale(-u.z / k_slide, direction);
        }
        return k_slide > 0;
    }
    // sticking
    impVec3 stick = neg(mul(q->work.k_inverse, u));
    double most = q->friction * stick.z;
    double side = stick.x * stick.x + stick.y * stick.y;
    if (stick.z > 0 && side <= most * most) {
        q->mode = CONTACT_STICK;
        *p = stick;
        return true;
    }
    // sliding
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

static void apply(MicrostepBody *b, impVec3 arm, impVec3 p) {
    b->v = madd(b->v, b->mass_inverse, p);
    b->w = add(b->w, mul(b->inertia_inverse, cross(arm, p)));
}

void solve_apply_impulse(MicrostepBody *bodies, const MicrostepPoint *q, impVec3 p) {
    impVec3 world = microstep_in_world(q, p);
    apply(&bodies[q->a], q->arm_a, world);
    if (q->b >= 0) {
        apply(&bodies[q->b], q->arm_b, neg(world));
    }
}

// (13) of one body, in world axes (Mirtich & Canny 1994, eq. 4).
static Mat3 inverse_mass_matrix(const MicrostepBody *b, impVec3 arm) {
    Mat3 r = skew(arm);
    Mat3 rotation_part = mat3_scale(-1, mat3_mul(r, mat3_mul(b->inertia_inverse, r)));
    return mat3_add(mat3_diagonal(b->mass_inverse, b->mass_inverse, b->mass_inverse),
                    rotation_part);
}

Mat3 solve_point_matrix(const MicrostepBody *bodies, const MicrostepPoint *q) {
    Mat3 k = inverse_mass_matrix(&bodies[q->a], q->arm_a);
    Mat3 frame = mat3(q->t1, q->t2, q->n);
    if (q->b >= 0) {
        k = mat3_add(k, inverse_mass_matrix(&bodies[q->b], q->arm_b));
    }
    k = rotated(frame, k);
    // symmetric to the last bit
    k.y.x = k.x.y;
    k.z.x = k.x.z;
    k.z.y = k.y.z;
    return k;
}

// --- start from nothing (section 4) --------------------------------------------------------------

// points for which sliding is guessed, and rows of a small linear system
enum { GUESS_POINTS = 8 };
typedef struct Square {
    double a[GUESS_POINTS][GUESS_POINTS], b[GUESS_POINTS];
} Square;

// Cholesky; the solution replaces b.
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

// Velocity of the point along an axis, as a row over the twist of the body.
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

// Distributes a wrench over the points by least squares: sum over points and axes of weight row^T
// row x = wrench; impulses are weight row . x.
static bool distribute(MicrostepPoint *points, int count, const double wrench[6], double length,
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

// The wrench that stops all points in the least-squares sense.
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
    impVec3 rotation_part = mul(inverse(b->inertia_inverse),
                                scale(1 / length, vec(s.b[3], s.b[4], s.b[5])));
    for (int i = 0; i < 3; i++) {
        wrench[i] = s.b[i] / b->mass_inverse;
        wrench[3 + i] = component(rotation_part, i) / length;
    }
    return true;
}

// All points slide as they do now: the smallest normal impulses that stop the approach.
static bool guess_sliding(const MicrostepBody *body, MicrostepPoint *points, int count) {
    // m/s by N s: u_n of point i by the normal impulse of point j
    double inverse_mass[GUESS_POINTS][GUESS_POINTS];
    double right[GUESS_POINTS];
    double size = 0;
    impVec3 direction[GUESS_POINTS];
    Square s;
    for (int j = 0; j < count; j++) {
        MicrostepPoint *q = &points[j];
        impVec3 u = add(solve_point_velocity(body, q), q->c);
        double slip = sqrt(u.x * u.x + u.y * u.y);
        double mu = q->friction;
        direction[j] = slip > 0 ? vec(-mu * u.x / slip, -mu * u.y / slip, 1) : vec(0, 0, 1);
        right[j] = -u.z;
        MicrostepBody one = *body;
        one.v = one.w = vec(0, 0, 0);
        apply(&one, q->arm_a, microstep_in_world(q, direction[j]));
        for (int i = 0; i < count; i++) {
            inverse_mass[i][j] = dot(points[i].n, microstep_velocity_at(&one, points[i].arm_a));
        }
    }
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            s.a[i][j] = 0;
            for (int k = 0; k < count; k++) {
                s.a[i][j] += inverse_mass[i][k] * inverse_mass[j][k];
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
            p += inverse_mass[k][i] * s.b[k];
        }
        points[i].p = scale(max2(p, 0), direction[i]);
    }
    return true;
}

// Impulses that stop all points, distributed twice, the second time by normal impulses. True: all
// lie in their cones.
static bool guess_sticking(const MicrostepBody *body, MicrostepPoint *points, int count) {
    double wrench[6];
    double length = 0;
    for (int i = 0; i < count; i++) {
        length = max2(length, norm(points[i].arm_a));
    }
    bool good = length > 0 && wrench_to_stop(body, points, count, length, wrench) &&
                distribute(points, count, wrench, length, false) &&
                distribute(points, count, wrench, length, true);
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
    bool good = count <= GUESS_POINTS && guess_sliding(bodies, points, count);
    for (int i = 0; i < count; i++) {
        if (!good || !finite3(points[i].p)) {
            points[i].p = vec(0, 0, 0);
        }
    }
}

// --- sweeps (section 5) --------------------------------------------------------------------------

// One sweep. fair: points of one pair are solved from the same velocities, and the changes
// averaged. One after the other, the first end of an edge would take the load of both, which with
// much friction is a solution, too, and a row of dominos would yaw.
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

// Largest change of a velocity since the last call, m/s.
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

// K and compliance of a point.
static void set_up(MicrostepBody *bodies, MicrostepPoint *q) {
    q->k = solve_point_matrix(bodies, q);
    q->work.compliance_n = q->compliance * q->k.z.z;
    q->work.sweep_compliance_t = q->compliance_tangential * q->k.z.z;
    q->k.x.x += q->work.sweep_compliance_t;
    q->k.y.y += q->work.sweep_compliance_t;
    q->k.z.z += q->work.compliance_n;
    q->work.k_inverse = inverse(q->k);
}

// 1, of the inverse mass of the heaviest body: cap of the compliance below it (section 3). Test:
// tests/method/impulse_friction.c
#define MASS_CAP 20

// Caps the compliance of points whose load in the pass before, p_n k_nn, is above `approach`, the
// fastest approach, m/s (section 3):
//
//   s_n = min( sigma_n k_nn, sigma_n max( 20 / heaviest mass, k_nn approach / load ) )
static void cap_compliance(const MicrostepBody *bodies, int body_count, MicrostepPoint *points,
                           int count) {
    double heaviest_inverse = HUGE_VAL;
    double approach = 0;
    for (int i = 0; i < body_count; i++) {
        heaviest_inverse = min2(heaviest_inverse, bodies[i].mass_inverse);
    }
    for (int i = 0; i < count; i++) {
        approach = max2(approach, -(solve_point_velocity(bodies, &points[i]).z + points[i].c.z));
    }
    for (int i = 0; i < count; i++) {
        MicrostepPoint *q = &points[i];
        double k = q->k.z.z;
        double load = q->p.z * k;
        if (load > approach) {
            q->work.compliance_n = min2(q->work.compliance_n,
                                        q->compliance *
                                            max2(MASS_CAP * heaviest_inverse, k * approach / load));
        }
    }
}

MicrostepResult solve_microstep(MicrostepBody *bodies, int body_count, MicrostepPoint *points,
                                int count, double tolerance, bool again, MicrostepWorkspace *room) {
    MicrostepResult out = { .painleve_point = -1 };
    // sweeps without a change, in a row
    int settled_sweeps = 0;
    int most = room && body_count <= room->body_capacity ? MAX_SWEEPS_WITH_NEWTON : MAX_SWEEPS;
    if (room) {
        room->stagnated = false;
    }
    if (room && !again) {
        room->has_pattern = false;
    }
    if (again) {
        cap_compliance(bodies, body_count, points, count);
    }
    // start from the impulses given
    for (int i = 0; i < count; i++) {
        if (!again) {
            set_up(bodies, &points[i]);
        }
        solve_apply_impulse(bodies, &points[i], points[i].p);
    }
    out.solved = again && room && count > 1 &&
                 microstep_newton(bodies, body_count, points, count, tolerance, true, room);
    change_of_sweep(bodies, body_count);
    while (!out.solved && out.sweeps < most && settled_sweeps < SETTLED_SWEEPS) {
        out.painleve_point = -1;
        sweep(bodies, points, count,
              room && body_count >= FAIR_BODIES && out.sweeps < SWEEPS_BEFORE_NEWTON, &out);
        out.change = change_of_sweep(bodies, body_count);
        out.sweeps++;
        settled_sweeps = out.change <= tolerance ? settled_sweeps + 1 : 0;
        // a single point is exact at once
        if (count == 1) break;
        // slow sweeps look settled, too
        bool asks_newton = out.sweeps == SWEEPS_BEFORE_NEWTON ||
                           (again && settled_sweeps == SETTLED_SWEEPS);
        if (room && asks_newton) {
            out.solved = microstep_newton(bodies, body_count, points, count, tolerance, false,
                                          room);
        }
    }
    // result of sweeps alone
    for (int i = 0; i < count && !out.solved; i++) {
        points[i].work.compliance_t = points[i].work.sweep_compliance_t;
    }
    out.stagnated = out.solved && room && room->stagnated;
    out.solved = out.solved || count == 1 || settled_sweeps == SETTLED_SWEEPS;
    return out;
}
