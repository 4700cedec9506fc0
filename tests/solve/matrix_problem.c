// matrix_problem.c -- contact problems in matrix form: one contact exactly, stacks and towers whose
// matrices are singular, matrices that are not symmetric, and what each solver reports.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "contact_support.h"
#include "solve/matrix_problem.h"

// --- one contact ---------------------------------------------------------------------------------

static uint64_t next_draw;
static double draw(double low, double high) {
    return low + (high - low) * num_uniform(5, 23, next_draw++);
}
static impVec3 draw_vec(void) {
    double x = draw(-1, 1);
    double y = draw(-1, 1);
    return vec(x, y, draw(-1, 1));
}

// A A^T and some more of the diagonal; or with a part that is not symmetric.
static Mat3 random_matrix(double unsymmetric) {
    Mat3 a = mat3(draw_vec(), draw_vec(), draw_vec());
    Mat3 w = mat3_add(mat3_mul(a, transpose(a)), mat3_diagonal(0.1, 0.1, 0.1));
    return mat3_add(w, mat3_scale(unsymmetric, skew(draw_vec())));
}

// The distance from (14) of the theory of many contacts, with rho = 3 / trace w.
static double natural_map(Mat3 w, impVec3 q, double mu, impVec3 p) {
    double rho = 3 / trace(w);
    impVec3 u = add(mul(w, p), q);
    u.z += mu * sqrt(u.x * u.x + u.y * u.y);
    return norm(sub(p, problem_project(madd(p, -rho, u), mu))) / rho;
}

static void one_contact_exactly(void **state) {
    (void)state;
    int modes[3] = { 0 };
    for (int i = 0; i < 100000; i++) {
        Mat3 w = random_matrix(i % 2 ? 1e-3 : 0);
        impVec3 q = draw_vec();
        double mu = i % 7 ? draw(0, 1.5) : 0;
        impVec3 p = local_impulse(w, q, mu);
        double tangent = sqrt(p.x * p.x + p.y * p.y);
        modes[p.z == 0 ? 0 : tangent < (1 - 1e-9) * mu * p.z ? 1 : 2]++;
        assert_true(tangent <= mu * p.z * (1 + 1e-15));
        NEAR(natural_map(w, q, mu, p), 0, 1e-13 * (1 + trace(w) * norm(p)));
    }
    for (int k = 0; k < 3; k++) {
        assert_true(modes[k] > 3000);
    }
}

// Lengths and units of many sizes.
static void one_contact_of_any_size(void **state) {
    (void)state;
    for (int i = 0; i < 2000; i++) {
        double unit = num_exp(draw(-40, 40));
        double speed = num_exp(draw(-40, 40));
        Mat3 w = mat3_scale(unit, random_matrix(0));
        impVec3 q = scale(speed, draw_vec());
        impVec3 p = local_impulse(w, q, 0.5);
        NEAR(natural_map(w, q, 0.5, p), 0, 1e-13 * (speed + trace(w) * norm(p)));
    }
}

// --- problems of bodies as matrices --------------------------------------------------------------

enum { MOST = 150, MOST_BLOCKS = MOST * MOST };
static int32_t first[MOST + 1], column[MOST_BLOCKS];
static Mat3 block[MOST_BLOCKS];
static impVec3 q[MOST], p[MOST], u[MOST];
static double friction[MOST];
static MatrixProblem matrix = {
    .first = first, .column = column, .block = block, .q = q, .friction = friction, .p = p
};

// The matrix of the rows of contact_problem: velocity of each by a unit impulse at each.
static void set_matrix(void) {
    const Problem *problem = &contact_problem;
    int count = problem->contact_count;
    int blocks = 0;
    matrix.count = count;
    contact_forget();
    problem_set_velocities(problem);
    for (int i = 0; i < count; i++) {
        const ContactRow *row = &problem->contact[i];
        q[i] = add(problem_contact_velocity(problem, row), row->bias);
        friction[i] = row->friction;
        p[i] = vec(0, 0, 0);
    }
    for (int i = 0; i < count; i++) {
        const ContactRow *row = &problem->contact[i];
        first[i] = blocks;
        for (int j = 0; j < count; j++) {
            const ContactRow *other = &problem->contact[j];
            impVec3 effect[3];
            for (int k = 0; k < 3; k++) {
                for (int b = 0; b < problem->body_count; b++) {
                    problem->body[b].v = problem->body[b].w = vec(0, 0, 0);
                }
                problem_apply_contact(problem, other, vec(k == 0, k == 1, k == 2));
                effect[k] = problem_contact_velocity(problem, row);
            }
            Mat3 w = transpose(mat3(effect[0], effect[1], effect[2]));
            if (zero3(w.x) && zero3(w.y) && zero3(w.z)) continue;
            column[blocks] = j;
            block[blocks++] = w;
        }
    }
    first[count] = blocks;
}

static SolverReport solve(const char *name, double tolerance) {
    const MatrixSolver *solver = &matrix_solvers[matrix_solver_find(name)];
    SolverOptions options = { .tolerance = tolerance };
    size_t bytes = solver->scratch(matrix.count, 0);
    Arena scratch = contact_scratch(bytes ? bytes : 1);
    SolverReport report = solver->solve(&matrix, &options, scratch);
    assert_false(*scratch.full);
    matrix_velocity(&matrix, p, u);
    if (strcmp(name, "lemke") != 0) {
        NEAR(report.residual, matrix_residual(&matrix, p, u), 1e-9 * report.residual);
    }
    assert_int_equal(report.solved, report.residual <= tolerance);
    return report;
}

static void forget(void) { memset(p, 0, sizeof p); }

// Cubes on each other: 12 of 30 rows of a cube's corners are enough to carry it, so W is singular.
static void hyperstatic_stack(void **state) {
    (void)state;
    const char *const names[] = { "automatic", "gradient", "local", "newton" };
    for (int k = 0; k < COUNT(names); k++) {
        contact_build_tower(6, 1, 0.6);
        contact_problem.body[5].free_v.x = 0.05;
        set_matrix();
        assert_true(solve(names[k], 1e-10).solved);
        double carried = 0;
        for (int i = 0; i < 4; i++) {
            carried += p[i].z;
        }
        NEAR(carried, 6 * GRAVITY * STEP, 1e-7);
    }
}

// Matrices of linearisations are not symmetric: by a part in a thousand here.
static void make_unsymmetric(void) {
    next_draw = 0;
    for (int i = 0; i < matrix.count; i++) {
        for (int b = first[i]; b < first[i + 1]; b++) {
            if (column[b] != i) continue;
            double size = largest(block[b].x) + largest(block[b].y) + largest(block[b].z);
            block[b] = mat3_add(block[b], mat3_scale(1e-3 * size, skew(draw_vec())));
        }
    }
}

// Balls in a column, each leaning on the next with a slanting normal, and on the ground beside it.
static void build_column(void) {
    contact_clear();
    for (int i = 0; i < 40; i++) {
        contact_add_box(1, 1, 1, 1);
        SinCos a = num_sincos(0.3 * (i % 3));
        impVec3 n = vec(0.4 * a.sin, 0.4 * a.cos, 1);
        impVec3 m = vec(-n.x, -n.y, 0.2);
        n = scale(1 / norm(n), n);
        m = scale(1 / norm(m), m);
        contact_add(i, i - 1, scale(-0.5, n), scale(0.5, n), n, 0.7);
        contact_add(i, -1, scale(-0.5, m), vec(0, 0, 0), m, 0.7);
    }
    set_matrix();
}

// Gradient steps come to a halt here: the automatic choice goes on with sweeps.
static void column_of_balls(void **state) {
    (void)state;
    const char *const names[] = { "automatic", "local" };
    for (int unsymmetric = 0; unsymmetric < 2; unsymmetric++) {
        build_column();
        if (unsymmetric) {
            make_unsymmetric();
        }
        for (int k = 0; k < COUNT(names); k++) {
            forget();
            assert_true(solve(names[k], 1e-10).solved);
        }
    }
}

// Newton's method is exact in few steps where little slides: line searches, ends of passes and the
// stiffest kappa are as they must be.
static void newton_in_few_steps(void **state) {
    (void)state;
    contact_build_tower(12, 1, 0.6);
    set_matrix();
    SolverReport report = solve("newton", 1e-8);
    assert_true(report.solved);
    assert_in_range(report.iterations, 1, 10);
    contact_build_tower(4, 1, 0.6);
    contact_problem.body[3].free_v = vec(0.6, 0.2, -GRAVITY * STEP);
    set_matrix();
    report = solve("newton", 1e-10);
    assert_true(report.solved);
    assert_in_range(report.iterations, 1, 100);
}

// Gradient steps where they are quick; Newton's method where they are not.
static void automatic_choice(void **state) {
    (void)state;
    contact_build_tower(3, 1, 0.6);
    set_matrix();
    assert_string_equal(solve("automatic", 1e-10).solver, "gradient");
    contact_build_tower(25, 1, 0.6);
    set_matrix();
    SolverReport report = solve("automatic", 1e-8);
    assert_true(report.solved);
    assert_string_equal(report.solver, "newton");
}

// Lemke's method solves what does not slide; of what slides it says how far it is from the cone.
static void lemke_and_its_facets(void **state) {
    (void)state;
    contact_build_tower(4, 1, 0.6);
    set_matrix();
    assert_true(solve("lemke", 1e-10).solved);
    contact_problem.body[3].free_v = vec(2, 0.7, -GRAVITY * STEP);
    set_matrix();
    SolverReport report = solve("lemke", 1e-10);
    assert_true(report.solved);
    double cone = matrix_residual(&matrix, p, u);
    assert_in_range((int)(1e6 * cone), 100, 500000);
}

// Rounding of large impulses does not hide velocities that penetrate.
static void large_impulses(void **state) {
    (void)state;
    contact_build_tower(1, 1, 0.5);
    set_matrix();
    for (int i = 0; i < matrix.count; i++) {
        p[i] = vec(0, 0, 1e18);
        u[i] = vec(0, 0, -1);
        q[i] = vec(0, 0, -1);
    }
    NEAR(matrix_residual(&matrix, p, u), 1, 1e-9);
    forget();
}

static void nothing_to_do(void **state) {
    (void)state;
    contact_build_tower(2, 1, 0.6);
    set_matrix();
    for (int i = 0; i < matrix.count; i++) {
        q[i] = vec(0.1, 0, 0.2);
    }
    for (int k = 0; k < matrix_solver_count; k++) {
        forget();
        assert_true(solve(matrix_solvers[k].name, 1e-12).solved);
        for (int i = 0; i < matrix.count; i++) {
            NEAR(norm(p[i]), 0, 1e-15);
        }
    }
    matrix.count = 0;
    first[0] = 0;
    for (int k = 0; k < matrix_solver_count; k++) {
        assert_true(solve(matrix_solvers[k].name, 1e-12).solved);
    }
    assert_int_equal(matrix_solver_find("none"), -1);
    assert_int_equal(matrix_solver_find(NULL), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_contact_exactly), cmocka_unit_test(one_contact_of_any_size),
        cmocka_unit_test(large_impulses),      cmocka_unit_test(hyperstatic_stack),
        cmocka_unit_test(column_of_balls),     cmocka_unit_test(newton_in_few_steps),
        cmocka_unit_test(automatic_choice),    cmocka_unit_test(lemke_and_its_facets),
        cmocka_unit_test(nothing_to_do),
    };
    return RUN(tests);
}
