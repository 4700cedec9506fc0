// shock.c -- shock propagation: what it holds up, what it leaves alone, and what the judge says of
// it.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "solve/problem.h"

enum { CUBES = 20, CORNERS = 4 };
#define FALL      (9.81 / 60)  // m/s, in a step
#define TOLERANCE 1e-9

static ProblemBody bodies[CUBES];
static ContactRow contacts[CORNERS * CUBES];
static Problem problem = { .body = bodies, .contact = contacts };

static void *memory;
static bool full;
static Arena scratch(void) {
    size_t size = solver_shock_scratch(problem.body_count, problem.contact_count);
    size = size / CACHE_LINE * CACHE_LINE + CACHE_LINE;
    free(memory);
    memory = aligned_alloc(CACHE_LINE, size);
    assert_non_null(memory);
    memset(memory, 0xa5, size);
    full = false;
    return (Arena){ memory, 0, size, &full };
}

// A tower of unit cubes that fall, the upper half ten times as heavy. hovers: nothing is below.
static void build(bool hovers) {
    problem.body_count = CUBES;
    problem.contact_count = 0;
    for (int i = 0; i < CUBES; i++) {
        double mass = i < CUBES / 2 ? 1 : 10;
        Mat3 inertia = mat3_diagonal(mass / 6, mass / 6, mass / 6);
        bodies[i] = (ProblemBody){ .mass = mass,
                                   .mass_inverse = 1 / mass,
                                   .inertia = inertia,
                                   .inertia_inverse = inverse(inertia),
                                   .free_v = vec(0, 0, -FALL) };
        for (int k = 0; k < CORNERS; k++) {
            if (i == 0 && hovers) continue;
            impVec3 arm = vec(k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, -0.5);
            contacts[problem.contact_count++] = (ContactRow){ .a = i,
                                                              .b = i - 1,
                                                              .arm_a = arm,
                                                              .arm_b = vec(arm.x, arm.y, 0.5),
                                                              .t1 = vec(1, 0, 0),
                                                              .t2 = vec(0, 1, 0),
                                                              .n = vec(0, 0, 1),
                                                              .friction = 0.5 };
        }
    }
}

static double fastest(void) {
    double most = 0;
    for (int i = 0; i < CUBES; i++) {
        most = max2(most, norm(bodies[i].v));
    }
    return most;
}

// Five sweeps leave the tower falling; with the pass upwards it stands, at the price of momentum
// that comes from nowhere, which the judge finds.
static void the_pass_holds_a_tower(void **state) {
    (void)state;
    build(false);
    SolverOptions options = { .tolerance = TOLERANCE, .iterations = 5 };
    solvers[solver_find("sweeps")].solve(&problem, &options, scratch());
    assert_true(fastest() > 0.1 * FALL);

    build(false);
    solver_shock(&problem, 5, TOLERANCE, scratch());
    assert_false(full);
    Judgement found = problem_judge(&problem, scratch());
    assert_true(fastest() < 1e-6);
    assert_true(found.momentum > 0.1 * FALL);
    assert_true(found.natural_map > 1e-3);
    assert_true(found.cone <= 1e-9 && found.pull <= 0);
}

// Where sweeps have solved the problem the pass changes nothing.
static void a_solved_problem_stays(void **state) {
    (void)state;
    build(false);
    SolverOptions options = { .tolerance = 1e-10 };
    assert_true(solvers[solver_find("newton")].solve(&problem, &options, scratch()).solved);
    solver_shock(&problem, 1, 1e-6, scratch());
    Judgement found = problem_judge(&problem, scratch());
    NEAR(found.momentum, 0, 1e-6);
    NEAR(found.natural_map, 0, 1e-6);
}

// What rests on nothing fixed has no level: only the sweeps act on it.
static void what_nothing_carries_is_left_alone(void **state) {
    (void)state;
    build(true);
    bodies[CUBES - 1].free_v = vec(0, 0, -2);
    solver_shock(&problem, 5, TOLERANCE, scratch());
    NEAR(problem_judge(&problem, scratch()).momentum, 0, 1e-12);
    double momentum = 0;
    for (int i = 0; i < CUBES; i++) {
        momentum += bodies[i].mass * (bodies[i].v.z - bodies[i].free_v.z);
    }
    NEAR(momentum, 0, 1e-10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pass_holds_a_tower),
        cmocka_unit_test(a_solved_problem_stays),
        cmocka_unit_test(what_nothing_carries_is_left_alone),
    };
    return RUN(tests);
}
