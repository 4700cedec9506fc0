// impulse_mass_ratio.c -- something heavy comes down on something light: it rests there, or a
// verdict names both and their masses.
//
// SPDX-License-Identifier: MIT
#include "impulse_support.h"

#include "method/impulse.h"

#define G 9.81

// A block of 1 kg on the floor, and one of another mass that falls on it from 20 um above.
static Trial pressed(double mass, double restitution) {
    const Part blocks[] = {
        { .kind = "box", .size = { 0.1, 0.1, 0.1 }, .at = { 0, 0, 0.05001 }, .mass = 1 },
        { .kind = "box", .size = { 0.1, 0.1, 0.1 }, .at = { 0, 0, 0.15003 }, .mass = mass },
    };
    return trial(&(Setting){ 0.5, restitution, 1e-5, vec(0, 0, -G), true, 0 }, blocks, 2);
}

// However far apart the masses are: what takes M / m collisions at one time is one stop.
static void a_light_block_bears_a_heavy_one(void **state) {
    (void)state;
    const double restitution[] = { 0, 0.3, 0.9 };
    const double mass[] = { 10, 1e3, 1e5, 1e6 };
    for (int i = 0; i < COUNT(restitution) * COUNT(mass); i++) {
        double M = mass[i % COUNT(mass)];
        Trial t = pressed(M, restitution[i / COUNT(mass)]);
        double before = trial_energy(&t);
        double most = 0;
        trial_run(&t, 0.5, 0.005);
        for (int body = 2; body <= 3; body++) {
            assert_true(trial_asleep(&t, body));
            most = fmax(most, fabs(trial_at(&t, body).z - (body == 2 ? 0.05 : 0.15)));
        }
        // on the floor, and on the other
        assert_true(most < 3e-5);
        assert_true(trial_energy(&t) < before);
        // not M / m
        assert_true(t.collisions < 3000);
        trial_free(&t);
    }
}

// In steps of 5 ms; in shorter ones even that is solved.
static void what_cannot_be_solved_is_told_with_the_masses(void **state) {
    (void)state;
    Trial t = pressed(1e9, 0.3);
    impOutcome o = { .verdict = IMP_SOLVED };
    while (o.verdict == IMP_SOLVED && impState_Time(t.s) < 1) {
        o = impStep(t.stepper, t.s, NULL, 0.005);
    }
    assert_int_equal(o.verdict, IMP_STALLED);
    SAME_TEXT(o.text, "bodies 'body.3' (1000000000 kg) and 'body.2' (1 kg), mass ratio 1000000000: "
                      "30 microcollisions of one step did not converge");
    trial_free(&t);
}

// With a ratio below 100 the rounds have another reason, and go on.
static void rounds_of_like_masses_go_on(void **state) {
    (void)state;
    const double mass[] = { 50, 200 };
    for (int i = 0; i < COUNT(mass); i++) {
        Trial t = pressed(mass[i], 1);
        char text[SENTENCE];
        impContact log[] = { { .a = { 2 }, .b = { 3 }, .time = 3 } };
        Journal journal = { .model = t.m, .contact = log, .contact_count = 1, .text = text };
        ImpactRounds rounds = { .time = 3, .count = 10000 };
        assert_true(impulse_check_rounds(&rounds, &journal) == (mass[i] < 100));
        trial_free(&t);
    }
}

// Without loss the light block is thrown to and fro again and again. Of what was logged at this
// time only counts who is free.
static void so_are_rounds_that_do_not_end(void **state) {
    (void)state;
    Trial t = pressed(1e6, 1);
    char text[SENTENCE];
    impContact log[] = { { .a = { 2 }, .b = { 1 }, .time = 3 },
                         { .a = { 2 }, .b = { 3 }, .time = 3 },
                         { .a = { 2 }, .b = { 1 }, .time = 3 } };
    Journal journal = { .model = t.m, .contact = log, .contact_count = COUNT(log), .text = text };
    ImpactRounds rounds = { .time = 3, .count = 9999 };
    assert_true(impulse_check_rounds(&rounds, &journal));
    rounds.count = 10000;
    rounds.first_contact = 3;
    // nothing was logged at this time
    assert_true(impulse_check_rounds(&rounds, &journal));
    rounds.first_contact = 0;
    assert_false(impulse_check_rounds(&rounds, &journal));
    assert_true(journal.stopped && journal.verdict == IMP_STALLED);
    SAME_TEXT(text, "bodies 'body.3' (1000000 kg) and 'body.2' (1 kg), mass ratio 1000000: "
                    "more than 10000 collisions of a pair at the same time");
    trial_free(&t);
}

// Where there is room for no more impulses: a thousand of them within the time of ten micro-steps
// are a verdict where masses are far apart, and elsewhere a step that is too long.
static void so_are_impulses_without_end(void **state) {
    (void)state;
    enum { MANY = 1000 };
    static impContact log[MANY];
    const double mass[] = { 1e5, 1e7 };
    const double microsteps[] = { 5, 50 };
    for (int i = 0; i < COUNT(mass) * COUNT(microsteps); i++) {
        Trial t = pressed(mass[i % 2], 1);
        char text[SENTENCE];
        double duration = sqrt(2 * t.m->run.contact_band / G);
        double span = microsteps[i / 2] * duration;
        for (int k = 0; k < MANY; k++) {
            log[k] =
                (impContact){ .a = { 2 }, .b = { k % 2 ? 3 : 1 }, .time = 3 + span * k / MANY };
        }
        Journal journal = { .model = t.m,
                            .contact_capacity = MANY,
                            .contact = log,
                            .contact_count = MANY,
                            .text = text };
        bool unlike = mass[i % 2] > 1e6 && microsteps[i / 2] < 10;
        assert_false(
            impulse_log(&journal, &(impContact){ .a = { 2 }, .b = { 1 }, .time = 3 + span }));
        assert_true(journal.stopped);
        assert_int_equal(journal.verdict, unlike ? IMP_STALLED : IMP_FULL);
        trial_free(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_light_block_bears_a_heavy_one),
        cmocka_unit_test(what_cannot_be_solved_is_told_with_the_masses),
        cmocka_unit_test(so_are_rounds_that_do_not_end),
        cmocka_unit_test(rounds_of_like_masses_go_on),
        cmocka_unit_test(so_are_impulses_without_end),
    };
    return RUN(tests);
}
