// problem.c -- contact problems without any physics around them: every solver against known
// answers, against the others, and the judge against answers spoilt by hand.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "solve/coloured.h"

enum { MOST_BODIES = 400, MOST_ROWS = 2400 };
#define GRAVITY 9.81
#define STEP    (1. / 60)

static ProblemBody bodies[MOST_BODIES];
static ContactRow contacts[MOST_ROWS];
static BilateralRow bilaterals[MOST_ROWS];
static Problem problem = { .body = bodies, .contact = contacts, .bilateral = bilaterals };

// Scratch memory that is as large as the room says it has to be.
static void *memory;
static bool full;
static Arena scratch(void) {
    size_t needed = solver_scratch(problem.body_count, problem.contact_count,
                                   problem.bilateral_count);
    size_t judged = sizeof(ProblemBody) * (size_t)problem.body_count + CACHE_LINE;
    size_t size = (needed > judged ? needed : judged) / CACHE_LINE * CACHE_LINE + CACHE_LINE;
    free(memory);
    memory = aligned_alloc(CACHE_LINE, size);
    assert_non_null(memory);
    memset(memory, 0xa5, size);
    full = false;
    return (Arena){ memory, 0, size, &full };
}

static SolverReport solve(const char *name, double tolerance, int iterations) {
    SolverOptions options = { .tolerance = tolerance, .iterations = iterations };
    SolverReport report = solvers[solver_find(name)].solve(&problem, &options, scratch());
    assert_false(full);
    return report;
}

static Judgement judge(void) {
    Judgement out = problem_judge(&problem, scratch());
    assert_false(full);
    return out;
}

static void forget_impulses(void) {
    for (int i = 0; i < problem.contact_count; i++) {
        contacts[i].p = vec(0, 0, 0);
        contacts[i].mode = CONTACT_OPEN;
    }
    for (int i = 0; i < problem.bilateral_count; i++) {
        bilaterals[i].p = 0;
    }
}

static void clear(void) {
    problem.body_count = problem.contact_count = problem.bilateral_count = 0;
}

static int add_box(double mass, double x, double y, double z) {
    int i = problem.body_count++;
    Mat3 inertia = mat3_diagonal(mass * (y * y + z * z) / 12, mass * (x * x + z * z) / 12,
                                 mass * (x * x + y * y) / 12);
    bodies[i] = (ProblemBody){ .mass = mass, .mass_inverse = 1 / mass, .inertia = inertia };
    bodies[i].inertia_inverse = inverse(inertia);
    bodies[i].free_v = vec(0, 0, -GRAVITY * STEP);
    return i;
}

static ContactRow *add_contact(int a, int b, impVec3 arm_a, impVec3 arm_b, impVec3 n, double mu) {
    ContactRow *row = &contacts[problem.contact_count++];
    *row = (ContactRow){ .a = a, .b = b, .arm_a = arm_a, .arm_b = arm_b, .n = n, .friction = mu };
    row->t1 = perpendicular(n);
    row->t2 = cross(n, row->t1);
    return row;
}

// The four corners of a unit cube a on the cube b below it, or on the ground.
static void add_corners(int a, int b, double mu) {
    for (int i = 0; i < 4; i++) {
        double x = i & 1 ? 0.5 : -0.5;
        double y = i & 2 ? 0.5 : -0.5;
        add_contact(a, b, vec(x, y, -0.5), vec(x, y, 0.5), vec(0, 0, 1), mu);
    }
}

static void build_tower(int count, double ratio) {
    clear();
    for (int i = 0; i < count; i++) {
        add_box(count > 1 ? num_exp(num_log(ratio) * i / (count - 1)) : 1, 1, 1, 1);
        add_corners(i, i - 1, 0.6);
    }
}

// --- answers known by hand -----------------------------------------------------------------------

// Each level carries the weight of all above it, although the share of each corner is not unique.
static void check_levels(double tolerance) {
    int count = problem.body_count;
    double above = 0;
    for (int i = count - 1; i >= 0; i--) {
        above += bodies[i].mass * GRAVITY * STEP;
        double carried = 0;
        for (int k = 0; k < 4; k++) {
            carried += contacts[4 * i + k].p.z;
        }
        NEAR(carried / above, 1, tolerance);
        NEAR(norm(bodies[i].v), 0, tolerance);
    }
}

static void tower_of_thirty(void **state) {
    (void)state;
    build_tower(30, 1);
    SolverReport report = solve("newton", 1e-8, 0);
    assert_true(report.solved);
    assert_in_range(report.iterations, 1, 12);
    check_levels(1e-6);
    forget_impulses();
    assert_true(solve("automatic", 1e-6, 0).solved);
    check_levels(1e-4);

    // a second time, from the answer
    report = solve("automatic", 1e-6, 0);
    assert_int_equal(report.iterations, 0);
}

static void mass_ratio_of_a_thousand(void **state) {
    (void)state;
    build_tower(10, 1000);
    assert_true(solve("newton", 1e-8, 0).solved);
    check_levels(1e-5);
    forget_impulses();
    assert_true(solve("gradient", 1e-6, 20000).solved);
}

// A cube that slides along a direction in which W_tt is not round: friction is mu m g h, against
// the slip at each corner.
static void sliding_cube(void **state) {
    (void)state;
    const char *const names[] = { "sweeps", "coloured", "conjugate", "newton", "gradient" };
    for (int k = 0; k < COUNT(names); k++) {
        clear();
        add_box(2, 1, 1, 1);
        add_corners(0, -1, 0.3);
        bodies[0].free_v = vec(2.0, 0.7, -GRAVITY * STEP);
        assert_true(solve(names[k], 1e-9, 4000).solved);
        impVec3 lost = scale(bodies[0].mass, sub(bodies[0].v, bodies[0].free_v));
        double weight = bodies[0].mass * GRAVITY * STEP;
        double speed = sqrt(2.0 * 2.0 + 0.7 * 0.7);
        NEAR(lost.x, -0.3 * weight * 2.0 / speed, 1e-6);
        NEAR(lost.y, -0.3 * weight * 0.7 / speed, 1e-6);
        NEAR(norm(bodies[0].w), 0, 1e-6);
        Judgement found = judge();
        NEAR(found.dissipation, 0, 1e-6);
        NEAR(found.cone, 0, 1e-12);
    }
}

// Two boxes joined at a point by three bilateral rows, one of them on the ground without friction:
// the point keeps together, and the solvers agree.
static void joined_boxes(void **state) {
    (void)state;
    const char *const names[] = { "sweeps", "coloured", "conjugate", "newton", "gradient" };
    impVec3 reference[2];
    for (int k = 0; k < COUNT(names); k++) {
        clear();
        add_box(1, 1, 1, 1);
        add_box(3, 0.5, 0.5, 2);
        add_corners(0, -1, 0);
        bodies[1].free_w = vec(1, 0.3, 0);
        const impVec3 arm_a = vec(0.5, 0.5, 0.5);
        const impVec3 arm_b = vec(0, 0, 1);
        for (int i = 0; i < 3; i++) {
            impVec3 e = vec(i == 0, i == 1, i == 2);
            bilaterals[problem.bilateral_count++] =
                (BilateralRow){ .a = 0,
                                .b = 1,
                                .linear_a = e,
                                .angular_a = cross(arm_a, e),
                                .linear_b = neg(e),
                                .angular_b = neg(cross(arm_b, e)) };
        }
        assert_true(solve(names[k], 1e-9, 60000).solved);
        NEAR(judge().natural_map, 0, 1e-9);
        if (k == 0) {
            reference[0] = bodies[1].v;
            reference[1] = bodies[1].w;
        }
        NEAR(norm(sub(bodies[1].v, reference[0])), 0, 1e-6);
        NEAR(norm(sub(bodies[1].w, reference[1])), 0, 1e-6);
    }
}

// --- random problems -----------------------------------------------------------------------------

static double draw(uint64_t seed, uint64_t *next, double low, double high) {
    return low + (high - low) * num_uniform(seed, 11, (*next)++);
}
static impVec3 draw_vec(uint64_t seed, uint64_t *next, double s) {
    double x = draw(seed, next, -s, s);
    double y = draw(seed, next, -s, s);
    return vec(x, y, draw(seed, next, -s, s));
}

static void build_random(uint64_t seed, double friction) {
    uint64_t next = 0;
    clear();
    int count = 2 + (int)draw(seed, &next, 0, 12);
    for (int i = 0; i < count; i++) {
        double mass = num_exp(draw(seed, &next, -2, 2));
        double x = draw(seed, &next, 0.5, 1.5);
        double y = draw(seed, &next, 0.5, 1.5);
        add_box(mass, x, y, 1);
        bodies[i].free_v = draw_vec(seed, &next, 1);
        bodies[i].free_w = draw_vec(seed, &next, 1);
    }
    int rows = count * 3;
    for (int i = 0; i < rows; i++) {
        int a = (int)draw(seed, &next, 0, count);
        int b = (int)draw(seed, &next, -1, count);
        if (a == b) continue;
        impVec3 n = draw_vec(seed, &next, 1);
        n = scale(1 / norm(n), n);
        impVec3 arm_a = draw_vec(seed, &next, 0.5);
        impVec3 arm_b = draw_vec(seed, &next, 0.5);
        add_contact(a, b, arm_a, arm_b, n, draw(seed, &next, 0, friction));
    }
}

// Whatever a solver says of its residual is what the judge finds, and its impulses are in their
// cones, solved or not. Lemke's method speaks of a polyhedral cone, whose normal part is that of
// the judge (tests/solve/polyhedral.c has the rest).
static void reports_are_true(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        for (int k = 0; k < solver_count; k++) {
            build_random(seed, 0.8);
            SolverReport report = solve(solvers[k].name, 1e-7, k == 1 ? 3 : 0);
            Judgement found = judge();
            bool round = strcmp(report.solver, "lemke") != 0;
            if (round) {
                NEAR(report.residual, found.natural_map, 1e-9 + 1e-6 * found.natural_map);
            } else {
                assert_true(found.penetration <= report.residual + 1e-9);
            }
            assert_int_equal(report.solved, report.residual <= 1e-7);
            assert_true(found.cone <= 1e-9);
            assert_true(found.pull <= 1e-12);
            NEAR(found.momentum, 0, 1e-10);
        }
    }
}

// Without friction the velocities are unique: Newton's and the gradient method find the same.
static void solvers_agree(void **state) {
    (void)state;
    int compared = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        impVec3 v[16];
        build_random(seed, 0);
        bool by_newton = solve("newton", 1e-8, 0).solved;
        for (int i = 0; i < problem.body_count; i++) {
            v[i] = bodies[i].v;
        }
        forget_impulses();
        bool by_gradient = solve("gradient", 1e-8, 20000).solved;
        if (!by_newton || !by_gradient) continue;
        compared++;
        for (int i = 0; i < problem.body_count; i++) {
            NEAR(norm(sub(bodies[i].v, v[i])), 0, 1e-5);
        }
    }
    assert_in_range(compared, 50, 60);
}

// --- colours -------------------------------------------------------------------------------------

// A heap of cubes in layers, with four corners to each one below that it overlaps.
static void build_heap(int wide, int layers) {
    clear();
    for (int k = 0; k < layers; k++) {
        for (int i = 0; i < wide; i++) {
            int above = add_box(1 + 0.1 * (i % 7), 1, 1, 1);
            bodies[above].free_v.x = 0.02 * ((i * 5 + k) % 11);
            add_corners(above, k ? above - wide : -1, 0.4);
            if (k && i) {
                add_corners(above, above - wide - 1, 0.4);
            }
        }
    }
}

static uint64_t hash_of_answer(void) {
    uint64_t hash = HASH_START;
    for (int i = 0; i < problem.contact_count; i++) {
        hash = hash_doubles(hash, &contacts[i].p.x, 3);
    }
    for (int i = 0; i < problem.body_count; i++) {
        hash = hash_doubles(hash, &bodies[i].v.x, 3);
        hash = hash_doubles(hash, &bodies[i].w.x, 3);
    }
    return hash;
}

// The same bits with any number of lanes that this machine has, and of threads.
static void lanes_and_threads(void **state) {
    (void)state;
    const ColourKernel kernel[] = { colour_kernel_1(), colour_kernel_4(), colour_kernel_8() };
    const int threads[] = { 1, 2, 8 };
    uint64_t first = 0;
    for (int k = 0; k < COUNT(kernel); k++) {
        for (int t = 0; t < COUNT(threads) && kernel[k].sweep; t++) {
            build_heap(40, 7);
            forget_impulses();
            SolverOptions options = { .tolerance = 1e-9, .iterations = 50 };
            options.thread_pool = threads[t] > 1 ? thread_pool_new(threads[t]) : NULL;
            solver_coloured_in(&problem, &options, scratch(), &kernel[k]);
            assert_false(full);
            thread_pool_free(options.thread_pool);
            first = first ? first : hash_of_answer();
            assert_int_equal(hash_of_answer(), first);
        }
    }
}

// A tray with more boxes on it than there are colours of a mask, and one with more than of all.
static void many_colours(void **state) {
    (void)state;
    const int boxes[] = { 100, 380 };
    const char *const by[] = { "coloured", "sweeps" };
    for (int k = 0; k < COUNT(boxes); k++) {
        clear();
        int tray = add_box(50, 40, 40, 1);
        add_corners(tray, -1, 0.5);
        for (int i = 0; i < boxes[k]; i++) {
            int box = add_box(1, 1, 1, 1);
            double x = 0.1 * (i % 20 - 10);
            add_contact(box, tray, vec(0, 0, -0.5), vec(x, 0.1 * (i / 20 - 10), 0.5), vec(0, 0, 1),
                        0.5);
        }
        SolverReport report = solve("coloured", 1e-9, 5000);
        assert_string_equal(report.solver, by[k]);
        assert_true(report.solved);
        NEAR(judge().natural_map, 0, 1e-8);
    }
}

// --- the judge -----------------------------------------------------------------------------------

static void judge_finds_each_fault(void **state) {
    (void)state;
    build_tower(2, 1);
    for (int i = 0; i < problem.contact_count; i++) {
        contacts[i].friction = 0.3;
    }
    bodies[0].free_v = bodies[1].free_v = vec(1, 0, -GRAVITY * STEP);
    assert_true(solve("newton", 1e-9, 0).solved);
    assert_true(judge().natural_map < 1e-9);
    const ContactRow good = contacts[0];

    contacts[0].p.z = -0.1;
    NEAR(judge().pull, 0.1, 1e-12);
    contacts[0] = good;
    contacts[0].p.x += 1;
    assert_true(judge().cone > 0.5);
    contacts[0] = good;
    contacts[0].mode = CONTACT_SLIDE;
    contacts[0].p.x = -good.p.x;
    contacts[0].p.y = -good.p.y;
    NEAR(judge().dissipation, 1, 1e-12);
    contacts[0] = good;
    contacts[0].p.z += 0.5;
    assert_true(judge().complementarity > 0.01);
    assert_true(judge().natural_map > 0.01);
    contacts[0].p.z = 0;
    assert_true(judge().penetration > 0.01);
    contacts[0] = good;
    bodies[1].v.x += 0.25;
    NEAR(judge().momentum, 0.25, 1e-9);
}

static void names(void **state) {
    (void)state;
    for (int i = 0; i < solver_count; i++) {
        assert_int_equal(solver_find(solvers[i].name), i);
    }
    assert_int_equal(solver_find("none"), -1);
    assert_int_equal(solver_find(NULL), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tower_of_thirty),        cmocka_unit_test(mass_ratio_of_a_thousand),
        cmocka_unit_test(sliding_cube),           cmocka_unit_test(joined_boxes),
        cmocka_unit_test(reports_are_true),       cmocka_unit_test(solvers_agree),
        cmocka_unit_test(lanes_and_threads),      cmocka_unit_test(many_colours),
        cmocka_unit_test(judge_finds_each_fault), cmocka_unit_test(names),
    };
    int failed = RUN(tests);
    free(memory);
    return failed;
}
