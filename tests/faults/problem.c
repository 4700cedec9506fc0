// problem.c -- contact problems from files without memory: each allocation fails in its turn, is
// said, and nothing is kept.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "faults/inject.h"
#include "impel/impel.h"

#include <errno.h>

static const char *const TEXT =
    "{ \"mu\": [0.5, 0.5], \"q\": [-1, 2, 0, -1, 0, 0],"
    "  \"W_indptr\": [0, 2, 3, 4, 6, 7, 8], \"W_indices\": [0, 3, 1, 2, 3, 0, 4, 5],"
    "  \"W_data\": [1, 0.5, 1, 1, 1, 0.5, 1, 1] }";

static impError err;

// Reads and solves. Returns whether all of it went well.
static bool read_and_solve(const char *solver) {
    impProblemReport report;
    impProblemDef def = { .solver = solver };
    impProblem *problem = impProblem_Parse(TEXT, strlen(TEXT), "two.json", NULL, &err);
    bool good = problem && impProblem_Solve(problem, &def, &report, &err);
    if (good) {
        assert_true(report.solved);
    }
    impProblem_Free(problem);
    return good;
}

static void each_allocation_fails(void **state) {
    (void)state;
    impEntry e;
    for (int i = 0; (e = impCatalogue(IMP_PROBLEM_SOLVERS, i)).name; i++) {
        for (int k = 1;; k++) {
            inject_start();
            inject_fail(FAULT_MEMORY, k, ENOMEM);
            bool good = read_and_solve(e.name);
            inject_stop();
            assert_int_equal(inject_live(), 0);
            assert_int_equal(good, inject_hits() == 0);
            if (good) break;
            assert_int_equal(err.fault, IMP_AT_LIMIT);
            assert_true(err.count > 0);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_allocation_fails) };
    return RUN(tests);
}
