// certificates.c -- random contact problems, thousands in ./dev test and IMPEL_SOAK of them in
// ./dev soak: each solved with the true cone to 1e-10 m/s, as the judge finds.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "contact_support.h"

#define TOLERANCE 1e-10

static int problems(void) {
    const char *soak = getenv("IMPEL_SOAK");
    return soak ? atoi(soak) : 2000;
}

static void each_has_a_certificate(void **state) {
    (void)state;
    int count = problems();
    int slides = 0;
    for (int i = 1; i <= count; i++) {
        SolverOptions options = { .tolerance = TOLERANCE };
        contact_build_random((uint64_t)i, 12, 0.9);
        SolverReport report = contact_solve("exact", &options);
        Judgement found = contact_judge();
        if (!report.solved || found.natural_map > 1.01 * TOLERANCE)
            fail_msg("problem %d: %s, natural map %.3e m/s", i, report.solver, found.natural_map);
        assert_true(found.cone <= 1e-12);
        assert_true(found.pull <= 1e-12);
        // of the shifted velocity, which the slip is a part of
        assert_true(found.penetration <= 2 * TOLERANCE);
        NEAR(found.momentum, 0, 1e-10);
        for (int k = 0; k < contact_problem.contact_count; k++) {
            slides += contact_problem.contact[k].mode == CONTACT_SLIDE;
        }
    }
    assert_true(slides > count);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_has_a_certificate) };
    return RUN(tests);
}
