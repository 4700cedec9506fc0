// contact_support.c -- contact problems that several programs solve.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "contact_support.h"

enum { MOST_BODIES = 400, MOST_ROWS = 2400 };

static ProblemBody bodies[MOST_BODIES];
static ContactRow contacts[MOST_ROWS];
static BilateralRow bilaterals[MOST_ROWS];
Problem contact_problem = { .body = bodies, .contact = contacts, .bilateral = bilaterals };

static void *memory;
static bool full;

Arena contact_scratch(size_t bytes) {
    size_t size = bytes / CACHE_LINE * CACHE_LINE + CACHE_LINE;
    free(memory);
    memory = aligned_alloc(CACHE_LINE, size);
    assert_non_null(memory);
    memset(memory, 0xa5, size);
    full = false;
    return (Arena){ memory, 0, size, &full };
}

static Arena problem_scratch(void) {
    size_t needed = solver_scratch(contact_problem.body_count, contact_problem.contact_count,
                                   contact_problem.bilateral_count);
    size_t judged = sizeof(ProblemBody) * (size_t)contact_problem.body_count + CACHE_LINE;
    return contact_scratch(needed > judged ? needed : judged);
}

SolverReport contact_solve(const char *solver, const SolverOptions *options) {
    SolverReport report = solvers[solver_find(solver)].solve(&contact_problem, options,
                                                             problem_scratch());
    assert_false(full);
    return report;
}

Judgement contact_judge(void) {
    Judgement out = problem_judge(&contact_problem, problem_scratch());
    assert_false(full);
    return out;
}

void contact_clear(void) {
    contact_problem.body_count = 0;
    contact_problem.contact_count = 0;
    contact_problem.bilateral_count = 0;
}

void contact_forget(void) {
    for (int i = 0; i < contact_problem.contact_count; i++) {
        contacts[i].p = vec(0, 0, 0);
        contacts[i].mode = CONTACT_OPEN;
    }
    for (int i = 0; i < contact_problem.bilateral_count; i++) {
        bilaterals[i].p = 0;
    }
}

int contact_add_box(double mass, double x, double y, double z) {
    int i = contact_problem.body_count++;
    Mat3 inertia = mat3_diagonal(mass * (y * y + z * z) / 12, mass * (x * x + z * z) / 12,
                                 mass * (x * x + y * y) / 12);
    bodies[i] = (ProblemBody){ .mass = mass, .mass_inverse = 1 / mass, .inertia = inertia };
    bodies[i].inertia_inverse = inverse(inertia);
    bodies[i].free_v = vec(0, 0, -GRAVITY * STEP);
    return i;
}

ContactRow *contact_add(int a, int b, impVec3 arm_a, impVec3 arm_b, impVec3 n, double mu) {
    ContactRow *row = &contacts[contact_problem.contact_count++];
    *row = (ContactRow){ .a = a, .b = b, .arm_a = arm_a, .arm_b = arm_b, .n = n, .friction = mu };
    row->t1 = perpendicular(n);
    row->t2 = cross(n, row->t1);
    return row;
}

void contact_add_corners(int a, int b, double mu) {
    for (int i = 0; i < 4; i++) {
        double x = i & 1 ? 0.5 : -0.5;
        double y = i & 2 ? 0.5 : -0.5;
        contact_add(a, b, vec(x, y, -0.5), vec(x, y, 0.5), vec(0, 0, 1), mu);
    }
}

void contact_build_tower(int count, double ratio, double mu) {
    contact_clear();
    for (int i = 0; i < count; i++) {
        contact_add_box(count > 1 ? num_exp(num_log(ratio) * i / (count - 1)) : 1, 1, 1, 1);
        contact_add_corners(i, i - 1, mu);
    }
}

static double draw(uint64_t seed, uint64_t *next, double low, double high) {
    return low + (high - low) * num_uniform(seed, 11, (*next)++);
}

static impVec3 draw_vec(uint64_t seed, uint64_t *next, double s) {
    double x = draw(seed, next, -s, s);
    double y = draw(seed, next, -s, s);
    return vec(x, y, draw(seed, next, -s, s));
}

void contact_build_random(uint64_t seed, int most_bodies, double friction) {
    uint64_t next = 0;
    contact_clear();
    int count = 1 + (int)draw(seed, &next, 0, most_bodies);
    for (int i = 0; i < count; i++) {
        double mass = num_exp(draw(seed, &next, -2, 2));
        double x = draw(seed, &next, 0.5, 1.5);
        double y = draw(seed, &next, 0.5, 1.5);
        contact_add_box(mass, x, y, 1);
        bodies[i].free_v = draw_vec(seed, &next, 1);
        bodies[i].free_w = draw_vec(seed, &next, 1);
    }
    for (int i = 0; i < count * 3; i++) {
        int a = (int)draw(seed, &next, 0, count);
        int b = (int)draw(seed, &next, -1, count);
        impVec3 n = draw_vec(seed, &next, 1);
        impVec3 arm_a = draw_vec(seed, &next, 0.5);
        impVec3 arm_b = draw_vec(seed, &next, 0.5);
        double mu = draw(seed, &next, 0, friction);
        if (a == b) continue;
        contact_add(a, b, arm_a, arm_b, scale(1 / norm(n), n), mu);
    }
}

void contact_join(int a, int b, impVec3 arm_a, impVec3 arm_b) {
    for (int i = 0; i < 3; i++) {
        impVec3 e = vec(i == 0, i == 1, i == 2);
        bilaterals[contact_problem.bilateral_count++] =
            (BilateralRow){ .a = a,
                            .b = b,
                            .linear_a = e,
                            .angular_a = cross(arm_a, e),
                            .linear_b = neg(e),
                            .angular_b = neg(cross(arm_b, e)) };
    }
}
