// semismooth.c -- how many contact problems the semismooth method solves from the impulses of one
// that is nearly the same: towers of which some cubes slide.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "solve/solvers.h"

enum { PROBLEMS = 100, LEVELS = 6, ROWS = 4 * LEVELS };
#define FALL      (9.81 / 60)  // m/s, in a step
#define TOLERANCE 1e-8
// 1: pushes of the last step, from whose impulses the method starts
#define LAST 0.8

static ProblemBody bodies[LEVELS];
static ContactRow contacts[ROWS];
static Problem problem = { .body = bodies, .contact = contacts };

static double draw(uint64_t seed, uint64_t *next, double low, double high) {
    return low + (high - low) * num_uniform(seed, 0, (*next)++);
}

// A tower of cubes with random masses and friction, each pushed aside.
static void build(uint64_t seed, double push) {
    uint64_t next = 0;
    problem.body_count = LEVELS;
    problem.contact_count = ROWS;
    for (int i = 0; i < LEVELS; i++) {
        double mass = draw(seed, &next, 0.2, 5);
        double x = draw(seed, &next, -push, push);
        double y = draw(seed, &next, -push, push);
        double friction = draw(seed, &next, 0.1, 0.8);
        Mat3 inertia = mat3_diagonal(mass / 6, mass / 6, mass / 6);
        bodies[i] = (ProblemBody){ .mass = mass,
                                   .mass_inverse = 1 / mass,
                                   .inertia = inertia,
                                   .inertia_inverse = inverse(inertia),
                                   .free_v = vec(x, y, -FALL) };
        for (int k = 0; k < 4; k++) {
            impVec3 arm = vec(k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, -0.5);
            contacts[4 * i + k] = (ContactRow){ .a = i,
                                                .b = i - 1,
                                                .arm_a = arm,
                                                .arm_b = vec(arm.x, arm.y, 0.5),
                                                .t1 = vec(1, 0, 0),
                                                .t2 = vec(0, 1, 0),
                                                .n = vec(0, 0, 1),
                                                .friction = friction };
        }
    }
}

static int count_solved(double push) {
    size_t size = solver_scratch(LEVELS, ROWS, 0) / CACHE_LINE * CACHE_LINE + CACHE_LINE;
    void *memory = aligned_alloc(CACHE_LINE, size);
    assert_non_null(memory);
    int solved = 0, started = 0;
    for (uint64_t seed = 1; seed <= PROBLEMS; seed++) {
        bool full = false;
        build(seed, LAST * push);
        SolverOptions options = { .tolerance = TOLERANCE, .iterations = 20000 };
        Arena scratch = { memory, 0, size, &full };
        started += solver_gradient(&problem, &options, scratch).solved;
        for (int i = 0; i < LEVELS; i++) {
            bodies[i].free_v.x /= LAST;
            bodies[i].free_v.y /= LAST;
        }
        options.iterations = 0;
        solved += solver_semismooth(&problem, &options, scratch).solved;
        assert_false(full);
    }
    free(memory);
    assert_int_equal(started, PROBLEMS);
    return solved;
}

// Where little slides all are solved, where more does a part of them. With velocities of a hundred
// times the weight in the choice of the modes it is 80 and 1.
static void towers_are_solved(void **state) {
    (void)state;
    assert_int_equal(count_solved(0.01), PROBLEMS);
    assert_in_range(count_solved(0.05), PROBLEMS / 4, PROBLEMS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(towers_are_solved),
    };
    return RUN(tests);
}
