// hop_newton.c -- all points at once by Newton's method: what the sweeps of hop.c approach, reached.
//
// Unknown are the velocities of the bodies. Each point answers them like a spring about the impulse it has (its anchor),
//     z = anchor - D (u + c),   p_n = max(0, z_n),   p_t = z_t, or mu p_n z_t / |z_t| where that is more than it can hold,
// (the projection of Alart & Curnier 1991), and momentum must balance: M (v - v_free) = sum of J^T p(v). The matrix of a
// step, M + sum of J^T D' J, has blocks of six for the bodies and is as sparse as the contacts are: it is factored within
// its envelope. A halved step where momentum would balance worse, and few steps are enough.
// The impulses found are the next anchors (Rockafellar's proximal points, 1976): each round leaves 1/D of the error.
//
// D is what decides. A stiff spring is quick, but makes of what is still off at a point a load that the others cannot
// carry: all modes change, and Newton's method goes round in circles at the corners of the law. So D follows from what is
// off, and grows as that falls; where it was too much after all, the round starts anew with a tenth of it. Leaning bodies
// with much friction, which sweeps never settle, come out this way.
//
// SPDX-License-Identifier: MIT
#include "solve/hop_inside.h"

enum { STEPS = 8, FEW_STEPS = 5, HALVINGS = 6, STEPS_IN_ALL = 150, SIX = 6 };
#define STIFF 1e2          // of a spring at first, times the point's own 1/k,
#define STIFF_NEAR 1e4     //   and at most where the answer is near
#define SOFTEST 1.0
#define STIFFEST 1e9
#define ROUNDING 2e-13     // of the fastest speed: nothing finer can be asked for
#define SHARE 3e-4         // of what a point gives under load: how well points that are too many share it

typedef struct Job {
    HopBody *body;
    HopPoint *point;
    int bodies, points;
    double *matrix;                           // by rows, of each only what is within the envelope; then its factors in place
    double missing[SIX * HOP_BODIES], step[SIX * HOP_BODIES];
    int first[HOP_BODIES], last[HOP_BODIES];  // body: the first and the last one that its rows know of
    int origin[SIX * HOP_BODIES], size;       // where row r has its column c: matrix[origin[r] + c]; all of them
    double stiff;                             // D
    double tolerance;
    int steps;                                // left
} Job;

// --- one point -----------------------------------------------------------------------------------------------------------------
static impVec3 velocity(const Job *j, const HopPoint *q) { return add(hop_velocity(j->body, q), q->c); }

static Mat3 slide_derivative(double x, double y, double mu, double round, double side, double along) {
    return mat3(vec(round * y * y, -round * x * y, along * mu * x), vec(-round * x * y, round * x * x, along * mu * y),
                vec(0, 0, side));
}

// The impulse at velocity u, its mode, and by how much it falls as u grows. A point that gives has softer springs.
static impVec3 answer(const Job *j, const HopPoint *q, impVec3 u, HopMode *mode, Mat3 *slope) {
    double D = j->stiff / q->k.z.z, n = 1 / (1 + D * q->give), t = 1 / (1 + D * q->give_side), mu = q->friction_dynamic;
    impVec3 z = vec(t * (q->p.x - D * u.x), t * (q->p.y - D * u.y), n * (q->p.z - D * u.z));
    if (slope) *slope = mat3_diagonal(0, 0, 0);
    *mode = HOP_OPEN;
    if (!(z.z > 0)) return vec(0, 0, 0);
    double side = sqrt(z.x * z.x + z.y * z.y);
    *mode = side <= q->friction_static * z.z ? HOP_STICK : HOP_SLIDE;
    if (*mode == HOP_STICK) {
        if (slope) *slope = mat3_diagonal(D * t, D * t, D * n);
        return z;
    }
    double x = z.x / side, y = z.y / side, hold = mu * z.z;
    if (slope) *slope = slide_derivative(x, y, mu, D * t * hold / side, D * n, D * n);
    return vec(hold * x, hold * y, z.z);
}

// --- momentum ------------------------------------------------------------------------------------------------------------------
static void add_wrench(double *six, impVec3 p, impVec3 arm, double sign) {
    impVec3 turn = cross(arm, p);
    six[0] += sign * p.x, six[1] += sign * p.y, six[2] += sign * p.z;
    six[3] += sign * turn.x, six[4] += sign * turn.y, six[5] += sign * turn.z;
}

// Impulses less the change of momentum, and its size: the square root of twice the kinetic energy it would give.
static double find_missing(Job *j) {
    double *f = j->missing, sum = 0;
    for (int i = 0; i < SIX * j->bodies; i++) f[i] = 0;
    for (int i = 0; i < j->points; i++) {
        const HopPoint *q = &j->point[i];
        HopMode mode;
        impVec3 p = answer(j, q, velocity(j, q), &mode, NULL);
        if (mode == HOP_OPEN) continue;
        p = hop_in_world(q, p);
        add_wrench(f + SIX * q->a, p, q->arm_a, 1);
        if (q->b >= 0) add_wrench(f + SIX * q->b, p, q->arm_b, -1);
    }
    for (int i = 0; i < j->bodies; i++, f += SIX) {
        const HopBody *b = &j->body[i];
        impVec3 dv = scale(1 / b->mass_inverse, sub(b->v, b->free_v)), dw = mul(b->inertia, sub(b->w, b->free_w));
        impVec3 p = sub(vec(f[0], f[1], f[2]), dv), turn = sub(vec(f[3], f[4], f[5]), dw);
        f[0] = p.x, f[1] = p.y, f[2] = p.z, f[3] = turn.x, f[4] = turn.y, f[5] = turn.z;
        sum += b->mass_inverse * dot(p, p) + dot(turn, mul(b->inertia_inverse, turn));
    }
    return sqrt(sum);
}

// --- the matrix ----------------------------------------------------------------------------------------------------------------
static int width_of(const Job *j, int body) { return SIX * (j->last[body] - j->first[body] + 1); }
static double *place_of(const Job *j, int r, int c) { return &j->matrix[j->origin[r] + c]; }

// [r]x S and S [r]x, where [r]x w = r x w.
static Mat3 cross_left(impVec3 r, const Mat3 *s) {
    return mat3(sub(scale(r.y, s->z), scale(r.z, s->y)), sub(scale(r.z, s->x), scale(r.x, s->z)), sub(scale(r.x, s->y), scale(r.y, s->x)));
}
static Mat3 cross_right(const Mat3 *s, impVec3 r) { return mat3(cross(s->x, r), cross(s->y, r), cross(s->z, r)); }

static void add_part(double *to, int stride, const Mat3 *m, double sign) {
    const impVec3 row[3] = { m->x, m->y, m->z };
    for (int i = 0; i < 3; i++, to += stride) to[0] += sign * row[i].x, to[1] += sign * row[i].y, to[2] += sign * row[i].z;
}

// A point goes at v + w x r: what its impulse does to body i while k moves is J_i^T S J_k, with J = (1, -[r]x).
static void add_block(Job *j, int i, int k, const Mat3 *S, impVec3 ri, impVec3 rk, double sign) {
    int stride = width_of(j, i);
    double *to = place_of(j, SIX * i, SIX * k), *below = to + 3 * stride;
    Mat3 right = cross_right(S, rk), left = cross_left(ri, S), both = cross_left(ri, &right);
    add_part(to, stride, S, sign), add_part(to + 3, stride, &right, -sign);
    add_part(below, stride, &left, sign), add_part(below + 3, stride, &both, -sign);
}

static void find_envelope(Job *j) {
    for (int i = 0; i < j->bodies; i++) j->first[i] = i;
    for (int i = 0; i < j->points; i++) {
        int a = j->point[i].a, b = j->point[i].b;
        if (b < 0) continue;
        if (a > b && b < j->first[a]) j->first[a] = b;
        if (b > a && a < j->first[b]) j->first[b] = a;
    }
    for (int i = 0; i < j->bodies; i++)
        for (int k = j->first[i]; k <= i; k++) j->last[k] = i;     // those before know less
    j->size = 0;
    for (int r = 0; r < SIX * j->bodies; r++) {
        j->origin[r] = j->size - SIX * j->first[r / SIX];
        j->size += width_of(j, r / SIX);
    }
}

static void start_matrix(Job *j) {                                 // the masses
    for (int i = 0; i < j->size; i++) j->matrix[i] = 0;
    for (int i = 0; i < j->bodies; i++) {
        const HopBody *b = &j->body[i];
        const impVec3 row[3] = { b->inertia.x, b->inertia.y, b->inertia.z };
        for (int r = 0; r < 3; r++) {
            *place_of(j, SIX * i + r, SIX * i + r) = 1 / b->mass_inverse;
            for (int c = 0; c < 3; c++) *place_of(j, SIX * i + 3 + r, SIX * i + 3 + c) = component(row[r], c);
        }
    }
}

static Mat3 to_world(const HopPoint *q, const Mat3 *slope) {
    Mat3 frame = mat3(q->t1, q->t2, q->n);
    return turned(transpose(frame), *slope);
}

static void build(Job *j) {
    start_matrix(j);
    for (int i = 0; i < j->points; i++) {
        const HopPoint *q = &j->point[i];
        HopMode mode;
        Mat3 slope;
        answer(j, q, velocity(j, q), &mode, &slope);
        if (mode == HOP_OPEN) continue;
        Mat3 S = to_world(q, &slope);
        add_block(j, q->a, q->a, &S, q->arm_a, q->arm_a, 1);
        if (q->b < 0) continue;
        add_block(j, q->a, q->b, &S, q->arm_a, q->arm_b, -1), add_block(j, q->b, q->a, &S, q->arm_b, q->arm_a, -1);
        add_block(j, q->b, q->b, &S, q->arm_b, q->arm_b, 1);
    }
}

static void subtract(double *restrict from, const double *restrict row, double times, int count) {
    for (int c = 0; c < count; c++) from[c] -= times * row[c];
}

// L U within the envelope, row by row; L has ones on its diagonal. Rows go on no less far than those above them.
static bool factor(Job *j) {
    for (int body = 0; body < j->bodies; body++)
        for (int i = SIX * body; i < SIX * body + SIX; i++) {
            double *row = j->matrix + j->origin[i];
            for (int b = j->first[body]; b <= body; b++) {
                int end = SIX * j->last[b] + SIX, below = b == body ? i : SIX * b + SIX;
                for (int k = SIX * b; k < below; k++) {
                    if (row[k] == 0) continue;
                    const double *above = j->matrix + j->origin[k];
                    row[k] /= above[k];
                    subtract(row + k + 1, above + k + 1, row[k], end - k - 1);
                }
            }
            if (!(fabs(row[i]) > 0)) return false;
        }
    return true;
}

static void solve_step(Job *j) {
    double *x = j->step;
    for (int i = 0; i < SIX * j->bodies; i++) {
        const double *row = j->matrix + j->origin[i];
        double sum = j->missing[i];
        for (int k = SIX * j->first[i / SIX]; k < i; k++) sum -= row[k] * x[k];
        x[i] = sum;
    }
    for (int i = SIX * j->bodies - 1; i >= 0; i--) {
        const double *row = j->matrix + j->origin[i];
        double sum = x[i];
        for (int k = SIX * j->last[i / SIX] + SIX - 1; k > i; k--) sum -= row[k] * x[k];
        x[i] = sum / row[i];
    }
}

// --- steps ---------------------------------------------------------------------------------------------------------------------
static void move(Job *j, double part) {
    const double *x = j->step;
    for (int i = 0; i < j->bodies; i++, x += SIX) {
        j->body[i].v = madd(j->body[i].v, part, vec(x[0], x[1], x[2]));
        j->body[i].w = madd(j->body[i].w, part, vec(x[3], x[4], x[5]));
    }
}

static double size_of_step(const Job *j) {                         // m/s
    const double *x = j->step;
    double most = 0;
    for (int i = 0; i < j->bodies; i++, x += SIX)
        most = max2(most, max2(largest(vec(x[0], x[1], x[2])), j->body[i].reach * largest(vec(x[3], x[4], x[5]))));
    return most;
}

// What is missing moves nobody by more than tolerance: springs only help.
static bool is_balanced(const Job *j, double missing, double tolerance) {
    double heaviest = 0;
    for (int i = 0; i < j->bodies; i++) heaviest = max2(heaviest, j->body[i].mass_inverse);
    return missing * sqrt(heaviest) <= tolerance;
}

// Velocities that balance momentum with the springs as they are.
static bool descend(Job *j, double tolerance) {
    double now = find_missing(j);
    int steps = j->stiff > STIFF ? FEW_STEPS : STEPS, stuck = 0;
    for (int i = 0; i < steps && stuck < 2 && j->steps > 0; i++) {
        j->steps--;
        build(j);
        if (!factor(j)) return false;
        solve_step(j);
        double by = size_of_step(j), part = 1, then;
        if (!isfinite(by)) return false;
        move(j, 1);
        for (int h = 0; !((then = find_missing(j)) < now) && h < HALVINGS; h++) part *= 0.5, move(j, -part);
        if (part * by <= tolerance || is_balanced(j, then, tolerance)) return true;
        stuck = part < 0.1 ? stuck + 1 : 0;
        now = then;
    }
    return false;
}

// --- rounds --------------------------------------------------------------------------------------------------------------------
static void push_all(Job *j) {                                     // velocities by the impulses
    for (int i = 0; i < j->bodies; i++) j->body[i].v = j->body[i].free_v, j->body[i].w = j->body[i].free_w;
    for (int i = 0; i < j->points; i++) solve_hop_push(j->body, &j->point[i], j->point[i].p);
}

static void anchor(Job *j) {                                       // the impulses of these velocities, and theirs
    for (int i = 0; i < j->points; i++) {
        HopPoint *q = &j->point[i];
        q->next = answer(j, q, velocity(j, q), &q->mode, NULL);
    }
    for (int i = 0; i < j->points; i++) j->point[i].p = j->point[i].next;
    push_all(j);
}

static double off_the_law(const HopPoint *q, impVec3 u) {          // m/s
    u = add(u, vec(q->give_side * q->p.x, q->give_side * q->p.y, q->give * q->p.z));
    if (q->mode == HOP_OPEN) return max2(0, -u.z);
    double slack = SHARE * q->give * q->p.z;
    if (q->mode == HOP_STICK) return largest(u) - slack;
    double hold = sqrt(q->p.x * q->p.x + q->p.y * q->p.y);
    if (!(hold > 0)) return fabs(u.z) - slack;
    double x = -q->p.x / hold, y = -q->p.y / hold;                 // it goes this way
    return max2(fabs(u.z), max2(fabs(u.x * y - u.y * x), -(u.x * x + u.y * y))) - slack;
}

static double worst_off(const Job *j) {
    double most = 0;
    for (int i = 0; i < j->points; i++) most = max2(most, off_the_law(&j->point[i], velocity(j, &j->point[i])));
    return most;
}

static double fastest(const Job *j) {
    double most = 0;
    for (int i = 0; i < j->bodies; i++)
        most = max2(most, max2(largest(j->body[i].v), j->body[i].reach * largest(j->body[i].w)));
    for (int i = 0; i < j->points; i++) most = max2(most, largest(j->point[i].c));
    return most;
}

// So that what is off becomes a tenth of the largest load.
static double stiffness_for(const Job *j, double off) {
    double load = 0;
    for (int i = 0; i < j->points; i++) load = max2(load, j->point[i].p.z * j->point[i].k.z.z);
    return off > 0 ? 0.1 * load / off : STIFFEST;
}

static bool go_round(Job *j, double stiff) {
    double fast = fastest(j), most = STIFFEST;
    j->stiff = stiff, j->tolerance = max2(j->tolerance, ROUNDING * fast);
    while (j->steps > 0 && j->stiff >= SOFTEST) {
        if (!descend(j, 0.1 * j->tolerance)) {
            if (j->stiff == SOFTEST) return false;
            push_all(j);
            j->stiff = max2(SOFTEST, 0.1 * j->stiff), most = 5 * j->stiff;
            continue;
        }
        anchor(j);
        double off = worst_off(j);
        if (off <= j->tolerance) return true;
        bool rounding = off <= 10 * DBL_EPSILON * fast * j->stiff;
        j->stiff = rounding ? j->stiff / 10 : min2(min2(most, 100 * j->stiff), max2(stiffness_for(j, off), j->stiff));
        most *= 10;
    }
    return false;
}

// --- all of it -----------------------------------------------------------------------------------------------------------------
static void set_out(Job *j) {                                      // free velocities; where we came from
    for (int i = 0; i < j->bodies; i++) {
        HopBody *b = &j->body[i];
        b->inertia = inverse(b->inertia_inverse);
        b->start_v = b->v, b->start_w = b->w;
    }
    for (int i = 0; i < j->points; i++) {
        HopPoint *q = &j->point[i];
        q->start = q->p, q->start_mode = q->mode;
        solve_hop_push(j->body, q, neg(q->p));
    }
    for (int i = 0; i < j->bodies; i++) {
        HopBody *b = &j->body[i];
        b->free_v = b->v, b->free_w = b->w, b->v = b->start_v, b->w = b->start_w;
    }
}

static void go_back(Job *j) {
    for (int i = 0; i < j->bodies; i++) j->body[i].v = j->body[i].start_v, j->body[i].w = j->body[i].start_w;
    for (int i = 0; i < j->points; i++) j->point[i].p = j->point[i].start, j->point[i].mode = j->point[i].start_mode;
}

bool hop_newton(HopBody *bodies, int body_count, HopPoint *points, int count, double tolerance, bool near, double *room) {
    if (body_count > HOP_BODIES) return false;
    Job j = { .body = bodies, .point = points, .bodies = body_count, .points = count, .matrix = room, .tolerance = tolerance,
              .steps = STEPS_IN_ALL };
    set_out(&j);
    find_envelope(&j);
    double stiff = near ? min2(max2(stiffness_for(&j, worst_off(&j)), STIFF), STIFF_NEAR) : STIFF;
    if (go_round(&j, stiff)) return true;
    go_back(&j);
    return false;
}
