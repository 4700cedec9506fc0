// newton.c -- which bodies can stand still (solver_hold), and the semismooth method on problems
// with known answers.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "solve/solvers.h"

enum { MOST_BODIES = 40, MOST_ROWS = 400 };
#define GRAVITY 9.81
#define STEP    (1. / 60)
// m/s: a body that is left no faster is held
#define HELD (1e-5 * GRAVITY * STEP)

static ProblemBody bodies[MOST_BODIES];
static ContactRow contacts[MOST_ROWS];
static BilateralRow bilaterals[4];
static Problem problem = { .body = bodies, .contact = contacts, .bilateral = bilaterals };

static void *memory;
static bool full;
static Arena scratch(void) {
    size_t size = solver_scratch(problem.body_count, problem.contact_count, 4) / CACHE_LINE *
                      CACHE_LINE +
                  CACHE_LINE;
    free(memory);
    memory = aligned_alloc(CACHE_LINE, size);
    assert_non_null(memory);
    memset(memory, 0xa5, size);
    full = false;
    return (Arena){ memory, 0, size, &full };
}

// --- problems ------------------------------------------------------------------------------------

static void clear(void) {
    problem.body_count = problem.contact_count = problem.bilateral_count = 0;
}

static int add_box(double mass, double x, double y, double z) {
    int i = problem.body_count++;
    Mat3 inertia = mat3_diagonal(mass * (y * y + z * z) / 12, mass * (x * x + z * z) / 12,
                                 mass * (x * x + y * y) / 12);
    bodies[i] = (ProblemBody){ .mass = mass,
                               .mass_inverse = 1 / mass,
                               .inertia = inertia,
                               .inertia_inverse = inverse(inertia),
                               .free_v = vec(0, 0, -GRAVITY * STEP) };
    return i;
}

static void add_contact(int a, int b, impVec3 arm_a, impVec3 arm_b, impVec3 n, double mu) {
    ContactRow *row = &contacts[problem.contact_count++];
    *row = (ContactRow){ .a = a, .b = b, .arm_a = arm_a, .arm_b = arm_b, .n = n, .friction = mu };
    row->t1 = perpendicular(n);
    row->t2 = cross(n, row->t1);
}

// A unit cube on one that is `offset` (m) farther to the left, or on the ground: the four corners
// of the common face.
static int add_cube(int below, double offset, double mu) {
    int i = add_box(1, 1, 1, 1);
    for (int k = 0; k < 4; k++) {
        double x = k & 1 ? 0.5 - offset : -0.5;
        double y = k & 2 ? 0.5 : -0.5;
        add_contact(i, below, vec(x, y, -0.5), vec(x + offset, y, 0.5), vec(0, 0, 1), mu);
    }
    return i;
}

static double fastest(void) {
    double most = 0;
    for (int i = 0; i < problem.body_count; i++) {
        most = fmax(most, problem_speed(&bodies[i]));
    }
    return most;
}

static void hold(void) {
    solver_hold(&problem, HELD, scratch());
    assert_false(full);
}

// The impulses in the rows are in their cones, and what is left of the velocities is theirs.
static void check_certificate(void) {
    impVec3 v[MOST_BODIES];
    for (int i = 0; i < problem.body_count; i++) {
        v[i] = bodies[i].v;
    }
    problem_set_velocities(&problem);
    for (int i = 0; i < problem.body_count; i++) {
        NEAR(norm(sub(bodies[i].v, v[i])), 0, 1e-6);
    }
    for (int i = 0; i < problem.contact_count; i++) {
        impVec3 p = contacts[i].p;
        assert_true(p.z >= 0);
        assert_true(sqrt(p.x * p.x + p.y * p.y) <= contacts[i].friction * p.z + 1e-12);
    }
}

// --- what can stand still ------------------------------------------------------------------------

static void a_table_on_four_legs_stands(void **state) {
    (void)state;
    for (int heavy = 0; heavy < 2; heavy++) {
        clear();
        add_box(heavy ? 1000 : 1, 2, 1, 0.1);
        for (int k = 0; k < 4; k++) {
            add_contact(0, -1, vec(k & 1 ? 0.9 : -0.9, k & 2 ? 0.4 : -0.4, -0.7), vec(0, 0, 0),
                        vec(0, 0, 1), 0.5);
        }
        hold();
        assert_true(fastest() <= HELD);
        check_certificate();
        // without two of its legs, on one side, it tips over
        problem.contact_count = 2;
        hold();
        assert_true(fastest() > 100 * HELD);
    }
}

// On a slope, with tan(angle) = part * friction.
static double left_on_slope(double part, double friction) {
    clear();
    add_cube(-1, 0, friction);
    double t = part * friction;
    double cosine = 1 / sqrt(1 + t * t);
    bodies[0].free_v = scale(GRAVITY * STEP * cosine, vec(t, 0, -1));
    hold();
    return fastest();
}

static void a_block_on_a_slope(void **state) {
    (void)state;
    const double friction[] = { 0.1, 0.5, 0.9 };
    for (int i = 0; i < COUNT(friction); i++) {
        assert_true(left_on_slope(0.5, friction[i]) <= HELD);
        assert_true(left_on_slope(0.99, friction[i]) <= HELD);
        check_certificate();
        assert_true(left_on_slope(1.01, friction[i]) > 10 * HELD);
        assert_true(left_on_slope(2, friction[i]) > 1000 * HELD);
    }
    // high friction, and it tips over instead: beyond 45 degrees for a cube
    assert_true(left_on_slope(0.99 / 2, 2) <= HELD);
    assert_true(left_on_slope(1.01 / 2, 2) > 10 * HELD);
}

// Cubes, each shifted by the same length on the one below: a stack of n stands as long as the
// centre of those above each edge is behind it.
static void build_leaning(int count, double offset) {
    clear();
    for (int i = 0; i < count; i++) {
        add_cube(i - 1, i > 0 ? offset : 0, 0.6);
    }
}

static void a_leaning_stack(void **state) {
    (void)state;
    for (int count = 2; count <= 4; count++) {
        // the centre of the upper n - 1 is n / 2 offsets from that of the lowest
        double limit = 1.0 / count;
        build_leaning(count, 0.98 * limit);
        hold();
        assert_true(fastest() <= HELD);
        check_certificate();
        build_leaning(count, 1.02 * limit);
        hold();
        assert_true(fastest() > 10 * HELD);
    }
}

// Of several parts that have nothing to do with each other, just those that fall are faster.
static void only_what_falls_is_left(void **state) {
    (void)state;
    clear();
    bool falls[MOST_BODIES];
    for (int i = 0; i < 12; i++) {
        int first = problem.body_count;
        bool leans = i % 3 == 1;
        add_cube(-1, 0, 0.6);
        add_cube(first, leans ? 0.52 : 0.1, 0.6);
        falls[first] = false;
        falls[first + 1] = leans;
    }
    hold();
    for (int i = 0; i < problem.body_count; i++) {
        assert_int_equal(problem_speed(&bodies[i]) > 10 * HELD, falls[i]);
    }
}

// One that hangs free falls with what gravity gives it, and nothing else moves.
static void what_touches_nothing_falls_freely(void **state) {
    (void)state;
    clear();
    add_cube(-1, 0, 0.5);
    add_box(1, 1, 1, 1);
    hold();
    assert_true(problem_speed(&bodies[0]) <= HELD);
    NEAR(bodies[1].v.z, -GRAVITY * STEP, 1e-15);
}

// --- semismooth ----------------------------------------------------------------------------------

static SolverReport semismooth(double tolerance) {
    SolverOptions options = { .tolerance = tolerance };
    SolverReport report = solver_semismooth(&problem, &options, scratch());
    assert_false(full);
    return report;
}

// From impulses like those of a step before, which are off by some percent.
static void a_tower_in_few_steps(void **state) {
    (void)state;
    enum { CUBES = 30 };
    clear();
    for (int i = 0; i < CUBES; i++) {
        add_cube(i - 1, 0, 0.6);
    }
    SolverOptions options = { .tolerance = 1e-9 };
    assert_true(solver_newton(&problem, &options, scratch()).solved);
    for (int i = 0; i < problem.contact_count; i++) {
        contacts[i].p = scale(1 + 0.03 * (i * 7 % 5 - 2), contacts[i].p);
    }
    SolverReport report = semismooth(1e-7);
    assert_true(report.solved);
    assert_in_range(report.iterations, 1, 6);
    for (int i = 0; i < CUBES; i++) {
        double carried = 0;
        for (int k = 0; k < 4; k++) {
            carried += contacts[4 * i + k].p.z;
            assert_int_equal(contacts[4 * i + k].mode, CONTACT_STICK);
        }
        NEAR(carried, (CUBES - i) * GRAVITY * STEP, 1e-5);
    }
    // from the answer: nothing is left to do
    report = semismooth(1e-7);
    assert_true(report.solved);
    assert_int_equal(report.iterations, 0);
}

// A cube that slides, and one that rides on it with friction enough to go along: both lose the
// same.
static void a_cube_that_slides_with_another_on_it(void **state) {
    (void)state;
    const double mu = 0.1;
    clear();
    add_cube(-1, 0, mu);
    add_cube(0, 0, 0.6);
    for (int i = 0; i < 2; i++) {
        bodies[i].free_v = vec(1.2, -0.9, -GRAVITY * STEP);
    }
    SolverReport report = semismooth(1e-9);
    assert_true(report.solved);
    double lost = mu * GRAVITY * STEP;
    for (int i = 0; i < 2; i++) {
        NEAR(bodies[i].v.x, 1.2 - 0.8 * lost, 1e-8);
        NEAR(bodies[i].v.y, -0.9 + 0.6 * lost, 1e-8);
        NEAR(bodies[i].v.z, 0, 1e-8);
        NEAR(norm(bodies[i].w), 0, 1e-8);
    }
    for (int k = 0; k < 4; k++) {
        assert_int_equal(contacts[k].mode, CONTACT_SLIDE);
        assert_int_equal(contacts[4 + k].mode, CONTACT_STICK);
    }
}

// A cube thrown upwards leaves; one thrown at the ground stops there, or where its bias says.
static void open_and_closed(void **state) {
    (void)state;
    clear();
    add_cube(-1, 0, 0.5);
    bodies[0].free_v = vec(0, 0, 1);
    assert_true(semismooth(1e-10).solved);
    NEAR(bodies[0].v.z, 1, 1e-15);
    assert_int_equal(contacts[0].mode, CONTACT_OPEN);
    bodies[0].free_v = vec(0, 0, -3);
    assert_true(semismooth(1e-10).solved);
    NEAR(bodies[0].v.z, 0, 1e-9);
    for (int k = 0; k < 4; k++) {
        contacts[k].bias.z = -0.5;
    }
    assert_true(semismooth(1e-10).solved);
    NEAR(bodies[0].v.z, 0.5, 1e-9);
}

// A ball that starts to slide on the ground: friction mu m g h against the slip, a torque from it.
static void a_ball_that_slides(void **state) {
    (void)state;
    const double radius = 0.5;
    clear();
    add_box(2, 1, 1, 1);
    Mat3 inertia = mat3_scale(0.4 * 2 * radius * radius, mat3_diagonal(1, 1, 1));
    bodies[0].inertia = inertia;
    bodies[0].inertia_inverse = inverse(inertia);
    bodies[0].free_v = vec(1, 0, -GRAVITY * STEP);
    add_contact(0, -1, vec(0, 0, -radius), vec(0, 0, 0), vec(0, 0, 1), 0.3);
    assert_true(semismooth(1e-10).solved);
    double lost = 0.3 * GRAVITY * STEP;
    NEAR(bodies[0].v.x, 1 - lost, 1e-9);
    NEAR(bodies[0].w.y, lost / (0.4 * radius), 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_on_four_legs_stands),
        cmocka_unit_test(a_block_on_a_slope),
        cmocka_unit_test(a_leaning_stack),
        cmocka_unit_test(only_what_falls_is_left),
        cmocka_unit_test(what_touches_nothing_falls_freely),
        cmocka_unit_test(a_tower_in_few_steps),
        cmocka_unit_test(a_cube_that_slides_with_another_on_it),
        cmocka_unit_test(open_and_closed),
        cmocka_unit_test(a_ball_that_slides),
    };
    int failed = RUN(tests);
    free(memory);
    return failed;
}
