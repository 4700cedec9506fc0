// impulse_energy.c -- energy by cause, event by event: what each impulse says it changed is what
// has changed.
//
// The log names the energy of every impulse, and impStats says what took it. Here steps are so
// short that nearly all of those in which something happens hold one event; after each of them
// kinetic and potential energy must be those before and what the log says, to 1e-12 of all the
// energy there is (heights are above the floor). What took it must add up to the same.
//
// SPDX-License-Identifier: MIT
#include "impulse_support.h"

static const impVec3 DOWN = { 0, 0, -9.81 };
static impError err;

// steps: in which something happened
typedef struct Closing {
    int events, steps, single;
    double worst, by_cause;
} Closing;

static double off(double change, double said, double of) { return fabs(change - said) / of; }

static double all_of(const impCauses *c) {
    return c->restitution + c->friction + c->microcollision + c->driven + c->sleep_energy;
}

static void one_step(Trial *t, impStats *stats, double h, Closing *c) {
    impEnergy e = impState_Energy(t->m, t->s);
    impCauses had = impStats_Causes(stats);
    impOutcome o = impStep(t->stepper, t->s, NULL, h);
    if (o.verdict != IMP_SOLVED) {
        fail_msg("t = %.6f: %s", impState_Time(t->s), o.text);
    }
    assert_true(impStats_Add(stats, &o));
    impEnergy f = impState_Energy(t->m, t->s);
    impCauses has = impStats_Causes(stats);
    double said = o.sleep_energy;
    double size = 0;
    double change = f.kinetic - e.kinetic + f.potential - e.potential;
    for (int i = 0; i < o.contact_count; i++) {
        said += o.contacts[i].energy;
        size += fabs(o.contacts[i].energy);
    }
    double took = all_of(&has) - all_of(&had);
    double of = e.kinetic + f.kinetic + fabs(e.potential) + size;
    c->worst = fmax(c->worst, off(change, said, of));
    c->events += o.events;
    c->steps += o.events > 0;
    c->single += o.events == 1;
    // differences of such sums are no finer
    of += fabs(had.restitution) + fabs(had.friction) + fabs(had.microcollision) + fabs(had.driven);
    c->by_cause = fmax(c->by_cause, off(change, took, of));
}

static Closing close_books(Trial t, double duration, double h, const char *name) {
    Closing c = { 0 };
    impStats *stats = impStats_New(t.m, 0, 0);
    for (int i = 0; i < (int)(duration / h + 0.5); i++) {
        one_step(&t, stats, h, &c);
    }
    print_message(
        "    %s: %d events in %d steps, %d of them with one; off by %.1e at most, by cause %.1e\n",
        name, c.events, c.steps, c.single, c.worst, c.by_cause);
    assert_true(2 * c.single > c.steps);
    assert_true(c.worst <= 1e-12 && c.by_cause <= 1e-12);
    impStats_Free(stats);
    trial_free(&t);
    return c;
}

// bounces, micro-steps, falls asleep
static void a_ball(void **state) {
    (void)state;
    const Part ball = { .kind = "sphere",
                        .size = { 0.05 },
                        .at = { 0, 0, 0.35 },
                        .v = { 1, 0, 0 },
                        .w = { 5, 20, 9 } };
    Closing c = close_books(trial(&(Setting){ 0.3, 0.6, 1e-5, DOWN, true, 0 }, &ball, 1), 1.5, 2e-4,
                            "a ball");
    assert_true(c.events > 30);
}

// tumble until they lie, and fall asleep
static void bricks(void **state) {
    (void)state;
    int events = 0;
    for (int k = 0; k < 4; k++) {
        const Part brick = { .kind = "box",
                             .size = { 0.03, 0.02, 0.01 },
                             .at = { 0, 0, 0.3 },
                             .rotation = unit(quat(0.8, 0.3 + 0.1 * k, 0.4, -0.33)),
                             .v = { 0.3, 0.1, 0 },
                             .w = { 1, 2, 3 } };
        events += close_books(trial(&(Setting){ 0.3, 0.5, 1e-5, DOWN, true, 0 }, &brick, 1), 1,
                              1e-4, "a brick")
                      .events;
    }
    assert_true(events > 200);
}

// nothing else is there; both tumble, rough; by each law
static void two_free_bodies(void **state) {
    (void)state;
    const Part part[2] = { { .kind = "box",
                             .size = { 0.1, 0.06, 0.04 },
                             .at = { 0.12, 0, 0.005 },
                             .v = { -0.5, 0, 0 },
                             .w = { 1, -2, 4 },
                             .rotation = unit(quat(0.6, 0.3, 0.5, 0.55)),
                             .mass = 0.24 },
                           { .kind = "box",
                             .size = { 0.09, 0.05, 0.05 },
                             .at = { -0.12, 0, -0.004 },
                             .v = { 0.5, 0, 0 },
                             .w = { -3, 1, 4 },
                             .rotation = unit(quat(0.7, -0.2, 0.4, 0.56)),
                             .mass = 0.225 } };
    const double e[] = { 0, 0.4, 1 };
    int events = 0;
    for (int i = 0; i < 9; i++) {
        events += close_books(
                      trial(&(Setting){ 0.3, e[i % 3], 1e-6, { 0, 0, 0 }, false, (impLaw)(i / 3) },
                            part, 2),
                      0.6, 1e-4, "two free bodies")
                      .events;
    }
    assert_true(events >= 9);
}

// 1 m wide, shaking at 20 Hz
static impScene *with_plate(impScene *scene, impVec3 amplitude, impVec3 axis, double angle) {
    const impShapeDef plate = { .kind = "box", .size = { 1, 1, 0.02 } };
    const impMotionDef shakes = {
        .kind = "vibrate", .amplitude = amplitude, .axis = axis, .angle = angle, .frequency = 20
    };
    impScene_Body(scene,
                  &(impBodyDef){ .pose.at = { 0, 0, -0.01 },
                                 .material = "m",
                                 .shapes = &plate,
                                 .shape_count = 1,
                                 .motions = &shakes,
                                 .motion_count = 1 },
                  &err);
    return scene;
}

// slides to and fro; is thrown; is tilted
static void on_a_support_that_moves(void **state) {
    (void)state;
    const Part block = {
        .kind = "box", .size = { 0.04, 0.03, 0.02 }, .at = { 0.1, 0, 0.010005 }, .mass = 0.1
    };
    const Setting rough = { 0.3, 0.3, 1e-5, DOWN, false, 0 };
    const impVec3 amplitude[] = { { 5e-4, 0, 0 }, { 3e-4, 0, 1.5e-3 }, { 0, 0, 0 } };
    for (int i = 0; i < COUNT(amplitude); i++) {
        impScene *scene = with_plate(trial_scene(&rough, &block, 1), amplitude[i],
                                     vec(0, i == 2, 0), i == 2 ? 0.003 : 0);
        assert_true(close_books(trial_of(scene), 0.5, 1e-4,
                                i == 0   ? "slides on a plate"
                                : i == 1 ? "is thrown by it"
                                         : "is tilted by it")
                        .events > 20);
    }
}

// twelve blocks, each on some of the others
static void a_heap(void **state) {
    (void)state;
    enum { N = 12 };
    Part part[N];
    for (int i = 0; i < N; i++) {
        part[i] = (Part){ .kind = "box",
                          .size = { 0.06, 0.05, 0.04 },
                          .at = { 0.02 * (i % 3 - 1), 0.03 * (i % 2), 0.05 + 0.07 * i },
                          .rotation = unit(quat(1, 0.2 * (i % 4), 0.1 * i, 0.3)),
                          .mass = 0.1 };
    }
    assert_true(close_books(trial(&(Setting){ 0.5, 0.2, 1e-5, DOWN, true, 0 }, part, N), 0.6, 5e-5,
                            "a heap")
                    .events > 300);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball),          cmocka_unit_test(bricks),
        cmocka_unit_test(two_free_bodies), cmocka_unit_test(on_a_support_that_moves),
        cmocka_unit_test(a_heap),
    };
    return RUN(tests);
}
