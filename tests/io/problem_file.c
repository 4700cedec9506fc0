// problem_file.c -- contact problems from C: what is read is what is solved, and what is refused.
// Files with mistakes are the subject of tests/cli/solve.sh.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "impel/impel.h"

static impError err;
static impProblemReport report;

static impProblem *parse(const char *text) {
    return impProblem_Parse(text, strlen(text), "test.json", NULL, &err);
}

// Two contacts that push each other, columns in any order, normal first: stick, and slide.
static const char *const TWO =
    "{ \"mu\": [0.5, 0.25], \"q\": [-1, 0.05, -0.1, -2, 3, 0],"
    "  \"W_indptr\": [0, 2, 3, 4, 6, 7, 9], \"W_indices\": [3, 0, 1, 2, 3, 0, 4, 5, 1],"
    "  \"W_data\": [0.5, 2, 1, 1, 4, 0.5, 1, 1, 0.125] }";

static void components_keep_their_order(void **state) {
    (void)state;
    double r[6], u[6];
    impProblem *problem = parse(TWO);
    assert_non_null(problem);
    assert_int_equal(impProblem_ContactCount(problem), 2);
    NEAR(impProblem_Asymmetry(problem), 0.125 / 4, 1e-15);
    impProblemDef def = { .tolerance = 1e-14 };
    assert_true(impProblem_Solve(problem, &def, &report, &err));
    assert_true(report.solved);
    impProblem_Answer(problem, r, u);
    impProblem_Answer(problem, NULL, NULL);

    // normals: 2 a + 0.5 b = 1, 0.5 a + 4 b = 2
    double b = 7 / 15.5;
    double a = (1 - 0.5 * b) / 2;
    NEAR(r[0], a, 1e-12);
    NEAR(r[3], b, 1e-12);
    NEAR(u[0], 0, 1e-12);
    // the first sticks
    NEAR(r[1], -0.05, 1e-12);
    NEAR(r[2], 0.1, 1e-12);
    // the second slides against nearly all of its friction; the slip of the first is in its row
    NEAR(r[4] * r[4] + r[5] * r[5], 0.0625 * b * b, 1e-12);
    NEAR(u[4], 3 + r[4], 1e-12);
    NEAR(u[5], r[5] + 0.125 * r[1], 1e-12);
    NEAR(r[4] * u[5] - r[5] * u[4], 0, 1e-12);
    assert_true(r[4] < 0);

    // again: each solve begins with zeros
    impProblemReport again;
    assert_true(impProblem_Solve(problem, &def, &again, &err));
    assert_int_equal(again.iterations, report.iterations);
    SAME_BITS(again.residual, report.residual);
    impProblem_Free(problem);
}

static void refused_calls(void **state) {
    (void)state;
    assert_null(impProblem_Load(NULL, NULL, &err));
    assert_int_equal(err.fault, IMP_BAD_CALL);
    assert_null(impProblem_Parse(NULL, 0, "x", NULL, &err));
    assert_null(impProblem_Parse("{}", 2, NULL, NULL, NULL));
    assert_int_equal(impProblem_ContactCount(NULL), 0);
    NEAR(impProblem_Asymmetry(NULL), 0, 0);
    impProblem_Answer(NULL, NULL, NULL);
    impProblem_Free(NULL);
    impProblem *problem = parse(TWO);
    assert_non_null(problem);
    assert_false(impProblem_Solve(NULL, NULL, &report, &err));
    assert_false(impProblem_Solve(problem, NULL, NULL, &err));
    assert_int_equal(err.fault, IMP_BAD_CALL);
    assert_true(impProblem_Solve(problem, NULL, &report, NULL));
    const impProblemDef bad[] = {
        { .tolerance = -1 }, { .tolerance = NAN }, { .iterations = -1 }, { .directions = -8 },
        { .directions = 3 }, { .directions = 66 }, { .solver = "none" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(impProblem_Solve(problem, &bad[i], &report, &err));
        assert_int_equal(err.fault, IMP_BAD_CALL);
    }
    impProblem_Free(problem);
}

// Lemke's method and Newton's have dense matrices: so many contacts are too many.
static void too_many_contacts(void **state) {
    (void)state;
    enum { CONTACTS = 401, ROWS = 3 * CONTACTS };
    static char text[200000];
    size_t used = (size_t)sprintf(text, "{\"mu\":[0");
    for (int i = 1; i < CONTACTS; i++) {
        used += (size_t)sprintf(text + used, ",0");
    }
    const char *const keys[] = { "q", "W_indptr", "W_indices", "W_data" };
    for (int k = 0; k < 4; k++) {
        used += (size_t)sprintf(text + used, "],\"%s\":[", keys[k]);
        for (int i = 0; i < ROWS + (k == 1); i++) {
            int number = k == 0 ? -1 : k == 3 ? 1 : i;
            used += (size_t)sprintf(text + used, "%s%d", i ? "," : "", number);
        }
    }
    sprintf(text + used, "]}");
    impProblem *problem = parse(text);
    assert_non_null(problem);
    const char *const large[] = { "newton", "lemke" };
    for (int k = 0; k < 2; k++) {
        impProblemDef def = { .solver = large[k] };
        assert_false(impProblem_Solve(problem, &def, &report, &err));
        assert_int_equal(err.fault, IMP_AT_LIMIT);
    }
    assert_true(impProblem_Solve(problem, NULL, &report, &err));
    assert_true(report.solved);
    impProblem_Free(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_keep_their_order),
        cmocka_unit_test(refused_calls),
        cmocka_unit_test(too_many_contacts),
    };
    return RUN(tests);
}
