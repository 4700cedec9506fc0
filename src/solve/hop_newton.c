// hop_newton.c -- all points at once by Newton's method: what the sweeps of hop.c approach, reached.
//
// Unknown are the velocities of the bodies. Each point answers them like a spring about the impulse it has (its anchor),
//     z = anchor - D (u + c),   p_n = max(0, z_n),   p_t = z_t, or mu p_n z_t / |z_t| where that is more than it can hold,
// (the projection of Alart & Curnier 1991), and momentum must balance: M (v - v_free) = sum of J^T p(v). The matrix of a
// step, M + sum of J^T D' J, has blocks of six for the bodies and is as sparse as the contacts are: it is factored within
// its envelope. A halved step where momentum would balance worse, and few steps are enough.
// The impulses found are the next anchors (Rockafellar's proximal points, 1976): each round leaves 1/D of the error. A
// stiffer spring where that goes slowly, a softer one where D times rounding shows.
//
// From a bad start the corners of the law send Newton's method round in circles. Then the springs start soft, without
// anchors, and are made stiffer as fast as it can follow. Some problems with much friction wedge and have no answer that
// either finds; the caller goes on sweeping.
//
// SPDX-License-Identifier: MIT
#include "solve/hop_inside.h"

enum { STEPS = 12, HALVINGS = 6, ROUNDS = 12, STEPS_IN_ALL = 150, FEWEST_STEPS = 20, SIX = 6 };
#define STIFF 1e2          // of a spring at first, times the point's own 1/k
#define SOFTEST 1.0
#define STIFFEST 1e9
#define STIFF_ENOUGH 2e4   // where anchors take over
#define FINE 1e-2          // of the tolerance: what is aimed at while it comes quickly

typedef struct Job {
    HopBody *body;
    HopPoint *point;
    int bodies, points;
    double *matrix;                           // by rows, 6 bodies squared; then its factors in place
    double missing[SIX * HOP_BODIES], step[SIX * HOP_BODIES];
    int first[HOP_BODIES], last[HOP_BODIES];  // body: the first and the last one that its rows know of
    double stiff;
    bool anchored;
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
    impVec3 from = j->anchored ? q->p : vec(0, 0, 0);
    impVec3 z = vec(t * (from.x - D * u.x), t * (from.y - D * u.y), n * (from.z - D * u.z));
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
static double *row_of(const Job *j, int r) { return j->matrix + (size_t)r * (size_t)(SIX * j->bodies); }

static void rows_of(const HopPoint *q, impVec3 arm, double sign, double out[3][SIX]) {   // velocity of the point by twist
    const impVec3 axis[3] = { q->t1, q->t2, q->n };
    for (int i = 0; i < 3; i++) {
        impVec3 e = scale(sign, axis[i]), r = cross(arm, e);
        out[i][0] = e.x, out[i][1] = e.y, out[i][2] = e.z, out[i][3] = r.x, out[i][4] = r.y, out[i][5] = r.z;
    }
}

static void add_block(Job *j, int i, int k, double left[3][SIX], double right[3][SIX], const Mat3 *slope) {
    double t[3][SIX];
    for (int c = 0; c < SIX; c++) {
        impVec3 column = mul(*slope, vec(right[0][c], right[1][c], right[2][c]));
        t[0][c] = column.x, t[1][c] = column.y, t[2][c] = column.z;
    }
    for (int r = 0; r < SIX; r++) {
        double *row = row_of(j, SIX * i + r) + SIX * k;
        for (int c = 0; c < SIX; c++) row[c] += left[0][r] * t[0][c] + left[1][r] * t[1][c] + left[2][r] * t[2][c];
    }
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
}

static void start_matrix(Job *j) {                                 // the masses
    for (int i = 0; i < j->bodies; i++) {
        const HopBody *b = &j->body[i];
        const impVec3 row[3] = { b->inertia.x, b->inertia.y, b->inertia.z };
        for (int r = SIX * i; r < SIX * i + SIX; r++)
            for (int c = SIX * j->first[i]; c < SIX * j->last[i] + SIX; c++) row_of(j, r)[c] = 0;
        for (int r = 0; r < 3; r++) {
            row_of(j, SIX * i + r)[SIX * i + r] = 1 / b->mass_inverse;
            for (int c = 0; c < 3; c++) row_of(j, SIX * i + 3 + r)[SIX * i + 3 + c] = component(row[r], c);
        }
    }
}

static void build(Job *j) {
    start_matrix(j);
    for (int i = 0; i < j->points; i++) {
        const HopPoint *q = &j->point[i];
        HopMode mode;
        Mat3 slope;
        double a[3][SIX], b[3][SIX];
        answer(j, q, velocity(j, q), &mode, &slope);
        if (mode == HOP_OPEN) continue;
        rows_of(q, q->arm_a, 1, a);
        add_block(j, q->a, q->a, a, a, &slope);
        if (q->b < 0) continue;
        rows_of(q, q->arm_b, -1, b);
        add_block(j, q->a, q->b, a, b, &slope), add_block(j, q->b, q->a, b, a, &slope), add_block(j, q->b, q->b, b, b, &slope);
    }
}

static void subtract(double *restrict from, const double *restrict row, double times, int count) {
    for (int c = 0; c < count; c++) from[c] -= times * row[c];
}

// L U within the envelope, row by row; L has ones on its diagonal. Rows go on no less far than those above them.
static bool factor(Job *j) {
    for (int i = 0; i < SIX * j->bodies; i++) {
        double *row = row_of(j, i);
        for (int k = SIX * j->first[i / SIX]; k < i; k++) {
            const double *above = row_of(j, k);
            if (row[k] == 0) continue;
            row[k] /= above[k];
            subtract(row + k + 1, above + k + 1, row[k], SIX * j->last[k / SIX] + SIX - k - 1);
        }
        if (!(fabs(row[i]) > 0)) return false;
    }
    return true;
}

static void solve_step(Job *j) {
    double *x = j->step;
    for (int i = 0; i < SIX * j->bodies; i++) {
        const double *row = row_of(j, i);
        x[i] = j->missing[i];
        for (int k = SIX * j->first[i / SIX]; k < i; k++) x[i] -= row[k] * x[k];
    }
    for (int i = SIX * j->bodies - 1; i >= 0; i--) {
        const double *row = row_of(j, i);
        for (int k = SIX * j->last[i / SIX] + SIX - 1; k > i; k--) x[i] -= row[k] * x[k];
        x[i] /= row[i];
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
    for (int i = 0; i < STEPS && j->steps > 0; i++, j->steps--) {
        build(j);
        if (!factor(j)) return false;
        solve_step(j);
        double by = size_of_step(j), part = 1, then;
        if (!isfinite(by)) return false;
        move(j, 1);
        for (int h = 0; !((then = find_missing(j)) < now) && h < HALVINGS; h++) part *= 0.5, move(j, -part);
        if (part * by <= tolerance || is_balanced(j, then, tolerance)) return true;
        now = then;
    }
    return false;
}

// --- rounds --------------------------------------------------------------------------------------------------------------------
static void anchor(Job *j) {                                       // the impulses of these velocities, and theirs
    for (int i = 0; i < j->points; i++) {
        HopPoint *q = &j->point[i];
        q->next = answer(j, q, velocity(j, q), &q->mode, NULL);
    }
    for (int i = 0; i < j->bodies; i++) j->body[i].v = j->body[i].free_v, j->body[i].w = j->body[i].free_w;
    for (int i = 0; i < j->points; i++) {
        HopPoint *q = &j->point[i];
        q->p = q->next;
        solve_hop_push(j->body, q, q->p);
    }
}

static double off_the_law(const HopPoint *q, impVec3 u) {          // m/s
    u = add(u, vec(q->give_side * q->p.x, q->give_side * q->p.y, q->give * q->p.z));
    if (q->mode == HOP_OPEN) return max2(0, -u.z);
    if (q->mode == HOP_STICK) return largest(u);
    double hold = sqrt(q->p.x * q->p.x + q->p.y * q->p.y);
    if (!(hold > 0)) return fabs(u.z);
    double x = -q->p.x / hold, y = -q->p.y / hold;                 // it goes this way
    return max2(fabs(u.z), max2(fabs(u.x * y - u.y * x), -(u.x * x + u.y * y)));
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

static bool go_round(Job *j, double stiff) {
    double last = HUGE_VAL, fast = fastest(j);
    j->anchored = true, j->stiff = stiff;
    for (int i = 0; i < ROUNDS; i++) {
        if (!descend(j, 0.001 * j->tolerance)) return false;
        anchor(j);
        double off = worst_off(j);
        bool rounding = off <= 10 * DBL_EPSILON * fast * j->stiff, slow = off > 0.1 * last;
        if (off <= FINE * j->tolerance || (off <= j->tolerance && (rounding || slow))) return true;
        if (rounding) j->stiff /= 10;
        else if (slow) j->stiff *= 10;
        if (j->stiff > STIFFEST || j->stiff < SOFTEST) return false;
        last = off;
    }
    return false;
}

// Springs without anchors, from soft to stiff, each step as large as the last one allows. The stiffness reached; 0: none.
static double stiffen(Job *j) {
    double reached = 0, by = 3;
    j->anchored = false, j->stiff = SOFTEST;
    while (j->steps > 0 && reached < STIFF_ENOUGH) {
        bool good = descend(j, j->tolerance);
        if (!good && reached == 0) return 0;
        for (int k = 0; k < j->bodies; k++) {
            HopBody *b = &j->body[k];
            if (good) b->kept_v = b->v, b->kept_w = b->w;
            else b->v = b->kept_v, b->w = b->kept_w;
        }
        if (good) reached = j->stiff, by = min2(by * by, 10);
        else by = sqrt(sqrt(by));
        if (by < 1.02) break;
        j->stiff = reached * by;
    }
    j->stiff = reached;
    anchor(j);
    return reached;
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

bool hop_newton(HopBody *bodies, int body_count, HopPoint *points, int count, double tolerance, double *room) {
    Job j = { .body = bodies, .point = points, .bodies = body_count, .points = count, .tolerance = tolerance };
    if (body_count > HOP_BODIES) return false;
    j.steps = body_count <= 8 ? STEPS_IN_ALL : FEWEST_STEPS + 8 * (STEPS_IN_ALL - FEWEST_STEPS) / body_count;   // of many, sweeps take as long
    j.matrix = room;
    set_out(&j);
    find_envelope(&j);
    if (go_round(&j, STIFF)) return true;
    go_back(&j);
    double reached = stiffen(&j);
    if (reached > 0 && go_round(&j, 0.1 * reached)) return true;
    go_back(&j);
    return false;
}
