// polyhedral.c -- the polyhedral friction cone and Lemke's method on contact problems: the error of
// its facets and that the true cone has none, stacks with many ties, bilateral rows, rays.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "contact_support.h"

static Problem *const problem = &contact_problem;

// --- facets --------------------------------------------------------------------------------------

// A point that slides fast over the ground in a direction, turned from t1 by an angle.
static void build_sliding_point(double speed, double angle) {
    contact_clear();
    contact_add_box(2, 1, 1, 1);
    ContactRow *row = contact_add(0, -1, vec(0, 0, 0), vec(0, 0, 0), vec(0, 0, 1), 0.3);
    SinCos a = num_sincos(angle);
    impVec3 slip = add(scale(speed * a.cos, row->t1), scale(speed * a.sin, row->t2));
    problem->body[0].free_v = add(slip, vec(0, 0, -GRAVITY * STEP));
}

// m/s: so fast that friction does not turn the slip
#define FAST 100

// Power of friction against its limit, and the sine between friction and slip.
typedef struct Friction {
    double loss, sine;
} Friction;
static Friction friction_of(const char *solver, int directions, double speed, double angle) {
    build_sliding_point(speed, angle);
    SolverOptions options = { .tolerance = 1e-10, .directions = directions };
    contact_solve(solver, &options);
    const ContactRow *row = &problem->contact[0];
    impVec3 u = problem_contact_velocity(problem, row);
    double slip = sqrt(u.x * u.x + u.y * u.y);
    double power = -(row->p.x * u.x + row->p.y * u.y);
    return (Friction){ 1 - power / (row->friction * row->p.z * slip), contact_judge().dissipation };
}

// The direction of friction is one of k: at most pi / k off, with a loss of at most
// 1 - cos(pi / k).
static void facets_err_as_much_as_they_must(void **state) {
    (void)state;
    const int directions[] = { 4, 8, 16, 64 };
    for (int k = 0; k < COUNT(directions); k++) {
        double half = PI / directions[k];
        double worst_loss = 0;
        double worst_sine = 0;
        for (int i = 0; i <= 64; i++) {
            Friction f = friction_of("lemke", directions[k], FAST, 2 * half * i / 64);
            worst_loss = fmax(worst_loss, f.loss);
            worst_sine = fmax(worst_sine, f.sine);
            assert_true(f.loss >= -1e-12);
        }
        // half way between two directions friction is on an edge, inside the cone
        NEAR(worst_loss, 1 - num_cos(half), 0.02 * (1 - num_cos(half)) + 1e-12);
        NEAR(worst_sine, num_sin(half), 0.05 * num_sin(half));
        assert_true(worst_loss <= 1 - num_cos(half) + 1e-12);
        assert_true(worst_sine <= num_sin(half) + 1e-12);
        NEAR(friction_of("lemke", directions[k], FAST, 0).sine, 0, 1e-12);
    }
    // 8 where no number is given; odd ones are made even
    NEAR(friction_of("lemke", 0, 1, 0.3).sine, friction_of("lemke", 8, 1, 0.3).sine, 0);
    NEAR(friction_of("lemke", 7, 1, 0.3).sine, friction_of("lemke", 8, 1, 0.3).sine, 0);
}

static void true_cone_has_no_facets(void **state) {
    (void)state;
    const char *const names[] = { "local", "exact", "newton", "gradient" };
    for (int k = 0; k < COUNT(names); k++) {
        for (int i = 0; i <= 16; i++) {
            Friction f = friction_of(names[k], 0, 1, 0.1 * i);
            NEAR(f.loss, 0, 1e-9);
            NEAR(f.sine, 0, 1e-7);
        }
    }
}

// --- stacks --------------------------------------------------------------------------------------

static void check_rest(double tolerance) {
    for (int i = 0; i < problem->body_count; i++) {
        NEAR(norm(problem->body[i].v), 0, tolerance);
        NEAR(norm(problem->body[i].w), 0, tolerance);
    }
}

// Symmetric stacks tie in every ratio test, and their impulses are not unique.
static void symmetric_stacks(void **state) {
    (void)state;
    const double ratios[] = { 1, 1000, 1e-3 };
    for (int k = 0; k < COUNT(ratios); k++) {
        for (int count = 1; count <= 7; count++) {
            SolverOptions options = { .tolerance = 1e-9 };
            contact_build_tower(count, ratios[k], 0.5);
            SolverReport report = contact_solve("lemke", &options);
            assert_string_equal(report.solver, "lemke");
            assert_true(report.solved);
            check_rest(1e-9);
        }
    }
}

// A cube at rest on a table that is pushed along x, its corners off by rounding: W has rank 6
// of 12.
static void rounding_of_rest(void **state) {
    (void)state;
    const int directions[] = { 2, 4, 6, 8, 12, 16, 32 };
    for (int k = 0; k < COUNT(directions); k++) {
        for (int s = 1; s <= 40; s++) {
            contact_build_tower(1 + s % 4, 1, 0.5);
            for (int i = 0; i < problem->contact_count; i++) {
                ContactRow *row = &problem->contact[i];
                row->arm_a.x += 1e-11 * num_sin(s + i);
                row->arm_a.y += 1e-11 * num_sin(2 * s + 3 * i);
            }
            problem->body[0].free_v.x = 0.02 * num_sin(0.1 * s);
            SolverOptions options = { .tolerance = 1e-8, .directions = directions[k] };
            SolverReport report = contact_solve("lemke", &options);
            assert_true(report.solved);
            assert_true(contact_judge().penetration <= 1e-8);
        }
    }
}

// Velocities and the wrench of all contacts of a body do not depend on the order of the rows.
static void order_of_rows(void **state) {
    (void)state;
    const char *const names[] = { "lemke", "exact", "local" };
    for (int k = 0; k < COUNT(names); k++) {
        impVec3 v[3], w[3];
        for (int shift = 0; shift < 12; shift++) {
            SolverOptions options = { .tolerance = 1e-11, .iterations = 20000 };
            contact_build_tower(3, 5, 0.3);
            problem->body[2].free_v = vec(0.9, 0, -GRAVITY * STEP);
            for (int i = 0; i < 12; i++) {
                int j = (5 * i + shift) % 12;
                ContactRow kept = problem->contact[i];
                problem->contact[i] = problem->contact[j];
                problem->contact[j] = kept;
            }
            contact_solve(names[k], &options);
            for (int i = 0; i < 3; i++) {
                if (shift == 0) {
                    v[i] = problem->body[i].v;
                    w[i] = problem->body[i].w;
                }
                // the wrench is the change of momentum: mass and inertia times these
                NEAR(norm(sub(problem->body[i].v, v[i])), 0, 1e-8);
                NEAR(norm(sub(problem->body[i].w, w[i])), 0, 1e-8);
            }
        }
        // the upper cube slides over what rests
        assert_true(v[2].x > 0.5);
    }
}

// --- bilateral rows ------------------------------------------------------------------------------

// Three cubes in a row, joined at two points, on the ground. All slip is along a direction of the
// polyhedron, so that there is no error of facets.
static void build_chain(void) {
    contact_clear();
    for (int i = 0; i < 3; i++) {
        contact_add_box(1 + i, 1, 1, 1);
        contact_add_corners(i, -1, 0.4);
    }
    contact_join(0, 1, vec(0.5, 0, 0), vec(-0.5, 0, 0));
    contact_join(1, 2, vec(0.5, 0, 0), vec(-0.5, 0, 0));
    problem->body[2].free_v.x = 0.4;
    problem->body[0].free_v.z = 0.5;
}

static void joints_by_elimination(void **state) {
    (void)state;
    SolverOptions options = { .tolerance = 1e-9, .directions = 16 };
    build_chain();
    SolverReport report = contact_solve("lemke", &options);
    assert_string_equal(report.solver, "lemke");
    assert_true(report.solved);
    NEAR(contact_judge().natural_map, 0, 1e-9);
    for (int i = 0; i < problem->bilateral_count; i++) {
        const BilateralRow *row = &problem->bilateral[i];
        NEAR(problem_bilateral_velocity(problem, row) + row->bias, 0, 1e-10);
    }
    assert_true(norm(problem->body[2].v) > 0.1);

    // a row twice: the bilateral part is singular
    problem->bilateral[problem->bilateral_count] = problem->bilateral[0];
    problem->bilateral_count++;
    contact_forget();
    assert_true(contact_solve("lemke", &options).solved);
}

// --- rays ----------------------------------------------------------------------------------------

// A body between two fixed walls that both want to push it out: nothing satisfies both.
static void wedged(void **state) {
    (void)state;
    contact_clear();
    contact_add_box(1, 1, 1, 1);
    problem->body[0].free_v = vec(0, 0, -GRAVITY * STEP);
    contact_add(0, -1, vec(-0.5, 0, 0), vec(0, 0, 0), vec(1, 0, 0), 0.5)->bias.z = -0.1;
    contact_add(0, -1, vec(0.5, 0, 0), vec(0, 0, 0), vec(-1, 0, 0), 0.5)->bias.z = -0.1;
    contact_add(0, -1, vec(0, 0, -0.5), vec(0, 0, 0), vec(0, 0, 1), 0.5);
    SolverOptions options = { .tolerance = 1e-9 };
    SolverReport report = contact_solve("lemke", &options);
    assert_string_equal(report.solver, "lemke, without bias");
    assert_false(report.solved);
    NEAR(report.residual, 0.1, 1e-6);
    check_rest(1e-9);
}

static void too_many_rows_are_for_the_true_cone(void **state) {
    (void)state;
    SolverOptions options = { .tolerance = 1e-6 };
    contact_build_tower(8, 1, 0.5);
    SolverReport report = contact_solve("lemke", &options);
    assert_string_equal(report.solver, "exact");
    assert_true(report.solved);
    options.directions = 4;
    contact_forget();
    assert_string_equal(contact_solve("lemke", &options).solver, "lemke");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facets_err_as_much_as_they_must),
        cmocka_unit_test(true_cone_has_no_facets),
        cmocka_unit_test(symmetric_stacks),
        cmocka_unit_test(rounding_of_rest),
        cmocka_unit_test(order_of_rows),
        cmocka_unit_test(joints_by_elimination),
        cmocka_unit_test(wedged),
        cmocka_unit_test(too_many_rows_are_for_the_true_cone),
    };
    return RUN(tests);
}
