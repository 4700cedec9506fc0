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

// A cube that slides on a tower at rest: the passes of Newton's method contract slowly, and 100 of
// them are still quicker than 20000 gradient steps.
static void slides_on_what_rests(void **state) {
    (void)state;
    SolverOptions options = { .tolerance = 1e-8 };
    contact_build_tower(25, 1, 0.6);
    contact_problem.body[24].free_v = vec(0.5, 0.15, -GRAVITY * STEP);
    SolverReport report = contact_solve("exact", &options);
    assert_true(report.solved);
    assert_in_range(report.iterations, 1, 2000);
    NEAR(contact_judge().natural_map, 0, 1.01e-8);
}

// Sweeps and gradient steps need no factor: more than a thousand contacts.
static void thousands_of_contacts(void **state) {
    (void)state;
    const char *const names[] = { "local", "gradient", "exact" };
    for (int k = 0; k < COUNT(names); k++) {
        SolverOptions options = { .tolerance = 1e-8, .iterations = 20000 };
        contact_clear();
        for (int i = 0; i < 390; i++) {
            contact_add_box(1 + i % 3, 1, 1, 1);
            contact_add_corners(i, i % 2 ? i - 1 : -1, 0.4);
            contact_problem.body[i].free_v.x = 0.01 * (i % 7);
        }
        assert_true(contact_solve(names[k], &options).solved);
        NEAR(contact_judge().natural_map, 0, 1.01e-8);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_has_a_certificate),
                                        cmocka_unit_test(slides_on_what_rests),
                                        cmocka_unit_test(thousands_of_contacts) };
    return RUN(tests);
}
