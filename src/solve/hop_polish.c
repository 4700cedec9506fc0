// hop_polish.c -- points that all stick, solved at once: a linear system in between the sweeps of hop.c.
//
// Where every point sticks or is open, the impulses are linear: each point stops in three directions. Where more points
// hold a body than it has freedoms the matrix is singular; a part in 1e10 on its diagonal picks the smallest impulses, and
// a few corrections by the exact residual take the error away (Wilkinson's refinement). The answer counts only if it is
// one: no point pulls, none leaves its cone, none that is open is left approaching. Else all is as before, and the sweeps
// go on.
//
// SPDX-License-Identifier: MIT
#include "solve/hop_inside.h"

enum { REFINEMENTS = 4 };

typedef struct Unknown { int point, axis; } Unknown;
typedef struct Lines { impVec3 e, turn_a, turn_b; int a, b; } Lines;   // an axis, and its moments about both centres

static Lines lines_of(const HopPoint *q, int axis) {
    impVec3 e = axis == 0 ? q->t1 : axis == 1 ? q->t2 : q->n;
    return (Lines){ e, cross(q->arm_a, e), cross(q->arm_b, e), q->a, q->b };
}

static double shared(const HopBody *b, impVec3 e, impVec3 turn, impVec3 f, impVec3 other) {
    return b->mass_inverse * dot(e, f) + dot(turn, mul(b->inertia_inverse, other));
}

// How the velocity along one line answers to an impulse along another.
static double yield_of(const HopBody *bodies, const Lines *x, const Lines *y) {
    double sum = 0;
    if (x->a == y->a) sum += shared(&bodies[x->a], x->e, x->turn_a, y->e, y->turn_a);
    if (x->a == y->b) sum -= shared(&bodies[x->a], x->e, x->turn_a, y->e, y->turn_b);
    if (x->b >= 0 && x->b == y->a) sum -= shared(&bodies[x->b], x->e, x->turn_b, y->e, y->turn_a);
    if (x->b >= 0 && x->b == y->b) sum += shared(&bodies[x->b], x->e, x->turn_b, y->e, y->turn_b);
    return sum;
}

// 0: none, or one slides.
static int list_unknowns(const HopPoint *points, int count, Unknown *list) {
    int n = 0;
    for (int i = 0; i < count; i++) {
        if (points[i].mode == HOP_OPEN) continue;
        if (points[i].mode == HOP_SLIDE) return 0;
        for (int axis = 0; axis < 3; axis++) {
            if (n == HOP_UNKNOWNS) return HOP_UNKNOWNS + 1;
            list[n++] = (Unknown){ i, axis };
        }
    }
    return n;
}

static bool factor(double *g, int n) {                             // Cholesky of the lower triangle, in place
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = g[i * n + j];
            for (int k = 0; k < j; k++) sum -= g[i * n + k] * g[j * n + k];
            if (i == j && !(sum > 0)) return false;
            g[i * n + j] = i == j ? sqrt(sum) : sum / g[j * n + j];
        }
    return true;
}

static void back(const double *g, int n, double *x) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) x[i] -= g[i * n + k] * x[k];
        x[i] /= g[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) x[i] -= g[k * n + i] * x[k];
        x[i] /= g[i * n + i];
    }
}

static void correct(HopBody *bodies, HopPoint *points, const Unknown *list, const double *g, int n, double *x) {
    for (int i = 0; i < n; i++) {
        const HopPoint *q = &points[list[i].point];
        x[i] = -component(add(solve_hop_velocity(bodies, q), q->c), list[i].axis);
    }
    back(g, n, x);
    for (int i = 0; i < n; i++) {
        HopPoint *q = &points[list[i].point];
        impVec3 dp = vec(list[i].axis == 0 ? x[i] : 0, list[i].axis == 1 ? x[i] : 0, list[i].axis == 2 ? x[i] : 0);
        q->p = add(q->p, dp);
        solve_hop_push(bodies, q, dp);
    }
}

static bool is_answer(const HopBody *bodies, const HopPoint *points, int count, double tolerance) {
    for (int i = 0; i < count; i++) {
        const HopPoint *q = &points[i];
        impVec3 u = add(solve_hop_velocity(bodies, q), q->c);
        double most = q->friction_static * q->p.z;
        if (q->mode == HOP_OPEN && u.z < -tolerance) return false;
        if (q->mode == HOP_OPEN) continue;
        if (!(q->p.z >= 0) || q->p.x * q->p.x + q->p.y * q->p.y > most * most || !(largest(u) <= tolerance)) return false;
    }
    return true;
}

static void keep(HopBody *bodies, int body_count, HopPoint *points, int count) {
    for (int i = 0; i < body_count; i++) bodies[i].kept_v = bodies[i].v, bodies[i].kept_w = bodies[i].w;
    for (int i = 0; i < count; i++) points[i].kept = points[i].p;
}

static void put_back(HopBody *bodies, int body_count, HopPoint *points, int count) {
    for (int i = 0; i < body_count; i++) bodies[i].v = bodies[i].kept_v, bodies[i].w = bodies[i].kept_w;
    for (int i = 0; i < count; i++) points[i].p = points[i].kept;
}

void hop_polish(HopBody *bodies, int body_count, HopPoint *points, int count, double tolerance, double *room) {
    Unknown list[HOP_UNKNOWNS];
    double x[HOP_UNKNOWNS], size = 0;
    int n = list_unknowns(points, count, list);
    if (n == 0 || n > HOP_UNKNOWNS) return;
    for (int i = 0; i < n; i++) {
        Lines a = lines_of(&points[list[i].point], list[i].axis);
        for (int j = 0; j <= i; j++) {
            Lines b = lines_of(&points[list[j].point], list[j].axis);
            room[i * n + j] = yield_of(bodies, &a, &b);
        }
        size = max2(size, room[i * n + i]);
    }
    for (int i = 0; i < n; i++) room[i * n + i] += 1e-10 * size;
    if (!factor(room, n)) return;
    keep(bodies, body_count, points, count);
    for (int i = 0; i < REFINEMENTS; i++) correct(bodies, points, list, room, n, x);
    if (!is_answer(bodies, points, count, tolerance)) put_back(bodies, body_count, points, count);
}
