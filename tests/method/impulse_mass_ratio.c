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

// Without loss the light block is thrown to and fro again and again. Of what was logged at this
// time only counts who is free.
static void so_are_rounds_that_do_not_end(void **state) {
    (void)state;
    Trial t = pressed(1e6, 1);
    char text[SENTENCE];
    Actor actor[4];
    for (int i = 0; i < COUNT(actor); i++) {
        actor[i] = contact_actor(t.m, i, t.s->data);
    }
    impContact log[] = { { .a = { 2 }, .b = { 1 }, .time = 3 },
                         { .a = { 2 }, .b = { 3 }, .time = 3 },
                         { .a = { 2 }, .b = { 1 }, .time = 3 } };
    Loop l = { .m = t.m, .actor = actor, .log = log, .logged = COUNT(log), .now = 3, .text = text };
    l.rounds = 9999;
    assert_true(impulse_rounds_exceeded(&l));
    l.rounds = 10000;
    l.logged_before = 3;
    // nothing was logged at this time
    assert_true(impulse_rounds_exceeded(&l));
    l.logged_before = 0;
    assert_false(impulse_rounds_exceeded(&l));
    assert_true(l.stop && l.end.verdict == IMP_STALLED);
    SAME_TEXT(text, "bodies 'body.3' (1000000 kg) and 'body.2' (1 kg), mass ratio 1000000: "
                    "more than 10000 collisions of a pair at the same time");
    trial_free(&t);
}

// Where there is room for no more impulses: a thousand of them within ten hops are a verdict where
// masses are far apart, and elsewhere a step that is too long.
static void so_are_impulses_without_end(void **state) {
    (void)state;
    enum { MANY = 1000 };
    static impContact log[MANY];
    const double hop = sqrt(2 * 1e-5 / G);
    const double mass[] = { 1e5, 1e7 };
    const double span[] = { 5 * hop, 50 * hop };
    for (int i = 0; i < COUNT(mass) * COUNT(span); i++) {
        Trial t = pressed(mass[i % 2], 1);
        char text[SENTENCE];
        Actor actor[4];
        for (int k = 0; k < COUNT(actor); k++) {
            actor[k] = contact_actor(t.m, k, t.s->data);
        }
        for (int k = 0; k < MANY; k++) {
            log[k] = (impContact){ .a = { 2 },
                                   .b = { k % 2 ? 3 : 1 },
                                   .time = 3 + span[i / 2] * k / MANY };
        }
        Loop l = { .m = t.m,
                   .actor = actor,
                   .log = log,
                   .logged = MANY,
                   .now = 3 + span[i / 2],
                   .band = 1e-5,
                   .text = text };
        bool ends = mass[i % 2] > 1e6 && span[i / 2] < 10 * hop;
        assert_true(impulse_log_is_full(&l) == !ends);
        assert_true(l.stop == ends);
        trial_free(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_light_block_bears_a_heavy_one),
        cmocka_unit_test(what_cannot_be_solved_is_told_with_the_masses),
        cmocka_unit_test(so_are_rounds_that_do_not_end),
        cmocka_unit_test(so_are_impulses_without_end),
    };
    return RUN(tests);
}
