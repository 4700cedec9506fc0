// stats.c -- what contacts add up to: sums by pair in order, energies by cause that close, windows.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "model/model.h"

static impModel *model;
static impError err;

static impContact push(int a, int b, double t, double pn, double pt, double un, double vn,
                       bool micro) {
    impContact c = { .a = { a },
                     .b = { b },
                     .time = t,
                     .normal = { 0, 0, 1 },
                     .point = { 1, 0, 0 },
                     .micro = micro };
    c.impulse = vec(pt, 0, pn);
    c.before = vec(-2, 0, un);
    c.after = vec(-1, 0, vn);
    c.energy = 0.5 * dot(c.impulse, add(c.before, c.after));
    return c;
}

static impOutcome step_of(const impContact *c, int count) {
    return (impOutcome){ .verdict = IMP_SOLVED, .text = "", .contact_count = count, .contacts = c };
}

static void sums_by_pair(void **state) {
    (void)state;
    const impContact c[4] = { push(2, 1, 0.5, 3, 1, -4, 2, false),
                              push(1, 0, 0.5, 5, 0, -1, 0, false),
                              push(2, 1, 0.75, 1, 0.25, -0.1, 0.1, true),
                              push(2, 0, 0.9, 2, 0, -1, 1, false) };
    impStats *s = impStats_New(model, 0, 0);
    impOutcome one = step_of(c, 2);
    impOutcome two = step_of(c + 2, 2);
    two.sleep_energy = -0.125;
    assert_true(impStats_Add(s, &one) && impStats_Add(s, &two));
    assert_int_equal(impStats_PairCount(s), 3);
    // (1, 0), (2, 0), (2, 1)
    impPairStats p = impStats_Pair(s, 2);
    assert_true(p.a.i == 2 && p.b.i == 1 && p.collisions == 1 && p.micro == 1);
    NEAR(p.impulse.z, 4, 0);
    // (1, 0, 0) x (.., 0, 4)
    NEAR(p.angular_impulse.y, -4, 0);
    NEAR(p.normal, 4, 0);
    NEAR(p.peak, sqrt(10), 1e-15);
    NEAR(p.first, 0.5, 0);
    NEAR(p.last, 0.75, 0);
    impCauses e = impStats_Causes(s);
    double all = 0;
    for (int i = 0; i < 4; i++) {
        all += c[i].energy;
    }
    NEAR(e.restitution + e.friction + e.microcollision + e.driven, all, 1e-14);
    NEAR(e.restitution, 3 * -1 + 5 * -0.5 + 0, 1e-15);
    NEAR(e.friction, -1.5 - 0.375, 1e-15);
    NEAR(e.microcollision, 0, 1e-16);
    NEAR(e.sleep_energy, -0.125, 0);
    assert_int_equal(impStats_Pair(s, 3).a.i, -1);
    impStats_Free(s);
}

static void only_within_the_window(void **state) {
    (void)state;
    const impContact c[3] = { push(2, 1, 0.5, 3, 1, -4, 2, false),
                              push(2, 1, 1, 3, 1, -4, 2, false),
                              push(2, 1, 2, 3, 1, -4, 2, false) };
    impStats *s = impStats_New(model, 1, 2);
    impOutcome out = step_of(c, 3);
    assert_true(impStats_Add(s, &out));
    assert_int_equal(impStats_Pair(s, 0).collisions, 1);
    // a step that was not taken
    out.verdict = IMP_STALLED;
    assert_true(impStats_Add(s, &out));
    assert_int_equal(impStats_Pair(s, 0).collisions, 1);
    impStats_Free(s);
}

// The forces of sleepers are told at the end of the time in which they act: the end of a window
// counts, its start does not.
static void what_rests_belongs_to_the_time_before(void **state) {
    (void)state;
    impContact c[3] = { push(2, 1, 1, 3, 0, 0, 0, true), push(2, 1, 1.5, 4, 0, 0, 0, true),
                        push(2, 1, 2, 5, 0, 0, 0, true) };
    for (int i = 0; i < 3; i++) {
        c[i].mode = IMP_RESTS;
    }
    impStats *s = impStats_New(model, 1, 2);
    impOutcome out = step_of(c, 3);
    assert_true(impStats_Add(s, &out));
    NEAR(impStats_Pair(s, 0).normal, 4 + 5, 0);
    assert_int_equal(impStats_Pair(s, 0).micro, 0);
    impStats_Free(s);
}

static void nothing_in_nothing_out(void **state) {
    (void)state;
    assert_null(impStats_New(NULL, 0, 0));
    assert_true(impStats_Add(NULL, NULL));
    assert_int_equal(impStats_PairCount(NULL), 0);
    assert_int_equal(impStats_Pair(NULL, 0).a.i, -1);
    NEAR(impStats_Causes(NULL).friction, 0, 0);
    impStats_Free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(sums_by_pair),
                                        cmocka_unit_test(only_within_the_window),
                                        cmocka_unit_test(what_rests_belongs_to_the_time_before),
                                        cmocka_unit_test(nothing_in_nothing_out) };
    impScene *scene = impScene_New(vec(0, 0, 0));
    model = impModel_Build(scene, &err);
    impScene_Free(scene);
    int failed = RUN(tests);
    impModel_Free(model);
    return failed;
}
