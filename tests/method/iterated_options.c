// iterated_options.c -- what a node says of its contact problem: the judge in the certificate, caps
// that are counted, and the two options of a run that change how it is solved.
//
// SPDX-License-Identifier: MIT
#include "iterated_support.h"

#define H (1. / 120)
#define G 9.81

static impError err;

// A tower of cubes of 0.1 m and 1 kg, with a heavy one on top.
static impScene *tower(int count, double top, const impRunDef *run) {
    impScene *scene = iterated_scene(vec(0, 0, -G), 0.5, 0.4, 0);
    iterated_plane(scene);
    for (int i = 0; i < count; i++) {
        iterated_box(scene, vec(0.1, 0.1, 0.1), iterated_at(0, 0, 0.05 + 0.1 * i),
                     iterated_moving(0, 0, 0), i + 1 < count ? 1 : top);
    }
    assert_true(impScene_Run(scene, run, &err));
    return scene;
}

// --- the judge -----------------------------------------------------------------------------------

static Trial by_solver(impScene *scene, const char *solver, int iterations) {
    Trial t = iterated_trial_of(scene);
    impStepper_Free(t.stepper);
    t.stepper = impStepper_New(
        t.m, &(impStepperDef){ .method = "iterated", .solver = solver, .iterations = iterations },
        &err);
    assert_non_null(t.stepper);
    return t;
}

// What one sweep leaves of a tower is in the certificate, and counted; what is solved is not.
static void an_answer_is_judged(void **state) {
    (void)state;
    Trial good = by_solver(tower(8, 1, &(impRunDef){ 0 }), NULL, 0);
    Trial bad = by_solver(tower(8, 1, &(impRunDef){ 0 }), "sweeps", 1);
    impOutcome o = iterated_step(&good, NULL, H);
    double limit = o.limit.residual;
    assert_int_equal(o.unconverged, 0);
    NEAR(limit, 1e-6 * G * H, 1e-15);
    assert_true(o.certificate.residual <= limit);
    assert_true(o.certificate.approach <= 2 * limit);
    assert_true(o.certificate.complementarity <= 1e-6);
    assert_true(o.certificate.slip <= 1e-6);

    o = iterated_step(&bad, NULL, H);
    assert_int_equal(o.unconverged, 1);
    assert_true(o.certificate.residual > 1e-3);
    assert_true(o.certificate.approach > 1e-3);
    SAME_BITS(o.limit.residual, limit);
    trial_free(&good);
    trial_free(&bad);
}

// A wedge that slides while few sweeps solve it: friction that is off, contacts that push apart.
static void friction_is_judged(void **state) {
    (void)state;
    impScene *scene = iterated_scene(vec(0, 0, -G), 0.5, 0.5, 0);
    iterated_plane(scene);
    for (int i = 0; i < 4; i++) {
        iterated_box(scene, vec(0.1, 0.1, 0.1), iterated_at(0, 0, 0.05 + 0.1 * i),
                     (impTwist){ vec(1, 0.5, 0), vec(0, 0, 3) }, i + 1);
    }
    Trial t = by_solver(scene, "sweeps", 2);
    impOutcome o = iterated_step(&t, NULL, H);
    assert_true(o.certificate.slip > 1e-6);
    assert_true(o.certificate.complementarity > 1e-6);
    assert_true(o.certificate.slip < HUGE_VAL && o.certificate.complementarity < HUGE_VAL);
    trial_free(&t);
}

// --- what the log says of a contact --------------------------------------------------------------

// A block that comes down at 1 m/s without bounce lands by a collision; what holds it then are
// lasting contacts, whose mean force is the weight.
static void landings_are_collisions_and_rest_is_none(void **state) {
    (void)state;
    impScene *scene = iterated_scene(vec(0, 0, -G), 0.5, 0.5, 0);
    iterated_plane(scene);
    iterated_box(scene, vec(0.1, 0.1, 0.1), iterated_at(0, 0, 0.05 + 0.001),
                 iterated_moving(0, 0, -1), 2);
    Trial t = iterated_trial_of(scene);
    impStats *stats = impStats_New(t.m, 11.5 * H, 17.5 * H);
    int landings = 0;
    bool pushed = true;
    for (int i = 0; i < 18; i++) {
        double input[6] = { pushed ? 1e-6 : -1e-6 };
        impOutcome o = iterated_step(&t, input, H);
        pushed = !pushed;
        for (int k = 0; k < o.contact_count; k++) {
            landings += !o.contacts[k].micro;
            assert_true(i == 0 || o.contacts[k].micro);
        }
        assert_true(impStats_Add(stats, &o));
    }
    assert_int_equal(landings, 4);
    impPairStats p = impStats_Pair(stats, 0);
    assert_int_equal(p.collisions, 0);
    assert_true(p.micro > 0);
    NEAR(p.impulse.z / (6 * H), 2 * G, 1e-3);
    impStats_Free(stats);
    trial_free(&t);
}

// --- caps ----------------------------------------------------------------------------------------

// A rod on the floor that whirls faster than 64 parts of a step can follow is counted.
static void too_fast_a_rotation_is_counted(void **state) {
    (void)state;
    int counted[2];
    for (int k = 0; k < 2; k++) {
        impScene *scene = iterated_scene(vec(0, 0, -G), 0, 0, 0);
        iterated_plane(scene);
        double rate = (k ? 70 : 60) * 0.3 / H;
        iterated_box(scene, vec(0.1, 0.1, 0.1), iterated_at(0, 0, 0.05),
                     (impTwist){ vec(0, 0, 0), vec(0, 0, rate) }, 1);
        Trial t = iterated_trial_of(scene);
        counted[k] = iterated_step(&t, NULL, H).unconverged;
        trial_free(&t);
    }
    assert_int_equal(counted[0], 0);
    assert_int_equal(counted[1], 1);
}

// --- shock propagation ---------------------------------------------------------------------------

// With five sweeps and no warm start to help, a heavy block sinks into a tower; shock propagation
// holds it, and momentum is measured but has no limit.
static void shock_propagation_has_no_certificate(void **state) {
    (void)state;
    const impRunDef run = { .shock_propagation = 5 };
    Trial t = iterated_trial_of(tower(10, 50, &run));
    assert_int_equal(impModel_WarningCount(t.m), 1);
    SAME_TEXT(impModel_Warning(t.m, 0),
              "run: shock_propagation does not conserve momentum; no step of method iterated has a "
              "certificate");
    impOutcome o = iterated_step(&t, NULL, H);
    assert_true(o.limit.momentum == HUGE_VAL && o.limit.spin == HUGE_VAL &&
                o.limit.energy == HUGE_VAL);
    assert_true(o.certificate.momentum > 1e-3);
    assert_int_equal(o.unconverged, 1);

    // the reported velocities have what no impulse explains
    iterated_step(&t, NULL, H);
    for (int i = 0; i < 10; i++) {
        NEAR(trial_twist(&t, 2 + i).linear.z, 0, 1e-3);
    }
    iterated_run(&t, 60, H);
    for (int i = 0; i < 10; i++) {
        impVec3 at = trial_at(&t, 2 + i);
        NEAR(at.z, 0.05 + 0.1 * i + iterated_level(&t) * (i + 1), 2e-5);
        NEAR(norm(trial_twist(&t, 2 + i).linear), 0, 1e-3);
    }
    trial_free(&t);

    // without it every limit is one
    t = iterated_trial_of(tower(10, 50, &(impRunDef){ 0 }));
    o = iterated_step(&t, NULL, H);
    assert_true(o.limit.momentum < HUGE_VAL && o.limit.energy < HUGE_VAL);
    assert_true(o.certificate.momentum <= o.limit.momentum);
    trial_free(&t);
}

static void a_certificate_and_shock_propagation_are_refused(void **state) {
    (void)state;
    Trial t = iterated_trial_of(tower(2, 1, &(impRunDef){ .shock_propagation = 5 }));
    impStepperDef def = { .method = "iterated", .tolerance = 1e-9 };
    assert_null(impStepper_New(t.m, &def, &err));
    SAME_TEXT(err.message[0].text,
              "a certificate to 1e-9 is asked for, and shock_propagation does not conserve "
              "momentum");
    trial_free(&t);
}

// --- prediction ----------------------------------------------------------------------------------

// A body that rolls over a corner, on which it stands from the beginning, gets a little elsewhere
// by the Runge-Kutta step; both keep the laws, and the difference goes with the step. Landings
// would decide more than it does: whether they are fast enough for an event of their own.
static double difference_of_predictions(double h) {
    double at[2];
    for (int k = 0; k < 2; k++) {
        impScene *scene = iterated_scene(vec(0, 0, -G), 0.6, 0.6, 0);
        iterated_plane(scene);
        const double height = 0.1 * sin(1.1) + 0.03 * cos(1.1);
        iterated_box(scene, vec(0.2, 0.1, 0.06),
                     pose(vec(0, 0, height), quat_rotation(vec(0, 1, 0), 1.1)),
                     (impTwist){ vec(0, 0, 0), vec(1, 0.5, 2) }, 1);
        impRunDef run = { .prediction = k ? IMP_RUNGE_KUTTA : IMP_EXACT };
        assert_true(impScene_Run(scene, &run, &err));
        Trial t = iterated_trial_of(scene);
        iterated_run(&t, (int)(0.1 / h + 0.5), h);
        at[k] = trial_at(&t, 2).x;
        trial_free(&t);
    }
    return fabs(at[0] - at[1]);
}

static void predictions_differ_by_the_step(void **state) {
    (void)state;
    double coarse = difference_of_predictions(1. / 100);
    double fine = difference_of_predictions(1. / 800);
    assert_true(coarse > 0 && fine > 0);
    assert_true(coarse < 1e-5);
    assert_true(fine < 0.5 * coarse);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_judged),
        cmocka_unit_test(friction_is_judged),
        cmocka_unit_test(landings_are_collisions_and_rest_is_none),
        cmocka_unit_test(too_fast_a_rotation_is_counted),
        cmocka_unit_test(shock_propagation_has_no_certificate),
        cmocka_unit_test(a_certificate_and_shock_propagation_are_refused),
        cmocka_unit_test(predictions_differ_by_the_step),
    };
    return RUN(tests);
}
