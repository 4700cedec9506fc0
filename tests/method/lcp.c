// lcp.c -- the method `lcp`: printed schemes, restitution, planes, and what a polyhedral cone does.
//
// docs/theory/time-stepping.md. The printed numbers of both examples of Stewart & Trinkle (2000)
// are rows of `impel validate --method lcp`.
//
// SPDX-License-Identifier: MIT
#include "iterated_support.h"

#include <stdio.h>

static impError err;
static const double g = 9.81;

static Trial trial_by_scheme(impScene *scene, impScheme scheme, int directions) {
    impRunDef run = { .scheme = scheme, .directions = directions, .contact_band = 1e-6 };
    impScene_Run(scene, &run, &err);
    Trial t = { .m = impModel_Build(scene, &err) };
    if (!t.m) {
        fail_msg("%s", err.message[0].text);
    }
    t.stepper = impStepper_New(t.m, &(impStepperDef){ .method = "lcp" }, &err);
    if (!t.stepper) {
        fail_msg("%s", err.message[0].text);
    }
    t.s = impState_New(t.m);
    impScene_Free(scene);
    return t;
}

static const impScheme printed[] = { IMP_POSITION, IMP_VELOCITY, IMP_FIXED_POINT };

// --- friction ------------------------------------------------------------------------------------

// A block that slides obliquely stops after v^2 / (2 mu g), in its direction. Returns the angle by
// which it is led aside, rad; *part: of the distance.
static double slide(impScheme scheme, int directions, double angle, double *part) {
    const double v = 2, mu = 0.5, h = 1e-3;
    impScene *scene = iterated_scene(vec(0, 0, -g), mu, mu, 0);
    iterated_plane(scene);
    impTwist twist = { vec(v * num_cos(angle), v * num_sin(angle), 0), vec(0, 0, 0) };
    iterated_box(scene, vec(0.2, 0.2, 0.05), iterated_at(0, 0, 0.025), twist, 1);
    Trial t = trial_by_scheme(scene, scheme, directions);
    iterated_run(&t, 600, h);
    impVec3 at = trial_at(&t, 2);
    *part = norm(vec(at.x, at.y, 0)) / (v * v / (2 * mu * g));
    double aside = fabs(at.y * num_cos(angle) - at.x * num_sin(angle)) / norm(vec(at.x, at.y, 0));
    trial_free(&t);
    return aside;
}

// Half way between two of eight directions: friction of one of them or of a mixture. The round cone
// has none of this.
static void a_polyhedral_cone_has_the_error_of_its_corners(void **state) {
    (void)state;
    const double between = 3.14159265358979323846 / 8;
    double part;
    double aside = slide(IMP_SECOND_ORDER, 0, between, &part);
    NEAR(aside, 0, 1e-6);
    NEAR(part, 1, 1e-4);
    slide(IMP_POSITION, 8, between, &part);
    assert_true(part > 1.02 && part < 1 / num_cos(between) + 0.01);
    slide(IMP_POSITION, 8, 0, &part);
    NEAR(part, 1, 5e-3);
    // between 30 directions hardly anything is left of it
    slide(IMP_POSITION, 30, between, &part);
    NEAR(part, 1, 0.01);
}

static void blocks_on_slopes_stay_by_every_scheme(void **state) {
    (void)state;
    for (int k = 0; k < COUNT(printed); k++) {
        impScene *scene = iterated_scene(vec(3, 0, -g), 0.5, 0.5, 0);
        iterated_plane(scene);
        iterated_box(scene, vec(0.2, 0.2, 0.1), iterated_at(0, 0, 0.05), iterated_moving(0, 0, 0),
                     2);
        Trial t = trial_by_scheme(scene, printed[k], 8);
        iterated_run(&t, 200, 1. / 60);
        NEAR(trial_at(&t, 2).x, 0, 1e-9);
        NEAR(trial_at(&t, 2).z, 0.05, 1e-9);
        trial_free(&t);
    }
}

// --- restitution ---------------------------------------------------------------------------------

// Height of the first bounce from 1 m; of the printed schemes to first order in h.
static double bounce(impScheme scheme, impLaw law, double h) {
    const double e = 0.8, radius = 0.1;
    impScene *scene = iterated_scene(vec(0, 0, -g), 0.3, 0.3, e);
    impPairDef pair = { { "m", "m" }, 0.3, 0.3, e, law };
    impScene_Pair(scene, &pair, &err);
    iterated_plane(scene);
    iterated_ball(scene, radius, vec(0, 0, 1 + radius), vec(0, 0, 0), 1);
    Trial t = trial_by_scheme(scene, scheme, 8);
    double highest = 0;
    bool bounced = false;
    for (double time = 0; time < 0.85; time += h) {
        iterated_step(&t, NULL, h);
        bounced = bounced || trial_twist(&t, 2).linear.z > 0;
        if (bounced) {
            highest = max2(highest, trial_at(&t, 2).z - radius);
        }
    }
    trial_free(&t);
    return highest;
}

static void bounces_have_their_heights_to_first_order(void **state) {
    (void)state;
    for (int k = 0; k < COUNT(printed); k++) {
        for (int law = IMP_POISSON; law <= IMP_NEWTON; law++) {
            NEAR(bounce(printed[k], (impLaw)law, 1e-3), 0.64, 0.01);
            NEAR(bounce(printed[k], (impLaw)law, 1e-4), 0.64, 0.001);
        }
    }
    NEAR(bounce(IMP_SECOND_ORDER, IMP_POISSON, 1e-3), 0.64, 2e-6);
}

// Five balls that touch: impacts at one time are one problem of the printed schemes.
static void impacts_at_one_time_are_one_problem(void **state) {
    (void)state;
    impScene *scene = iterated_scene(vec(0, 0, 0), 0, 0, 1);
    for (int i = 0; i < 5; i++) {
        impVec3 v = vec(i == 0 ? 1 : 0, 0, 0);
        iterated_ball(scene, 0.1, vec(0.2 * i, 0, 0), v, 1);
    }
    Trial t = trial_by_scheme(scene, IMP_POSITION, 8);
    iterated_run(&t, 10, 1e-3);
    NEAR(trial_twist(&t, 1).linear.x, -0.6, 1e-9);
    for (int i = 2; i <= 5; i++) {
        NEAR(trial_twist(&t, i).linear.x, 0.4, 1e-9);
    }
    trial_free(&t);
}

// --- the fixed point -----------------------------------------------------------------------------

static impScene *rod(double angle, impVec3 v, double spin, double friction, double height) {
    impScene *scene = iterated_scene(vec(0, 0, -g), friction, friction, 0);
    iterated_plane(scene);
    double half = 0.5 * angle;
    impShapeDef capsule = { .kind = "capsule", .size = { 0.05, 0.5 } };
    impBodyDef def = { .name = "rod",
                       .mass = 1,
                       .pose = { vec(0, 0, height), quat(num_cos(half), 0, num_sin(half), 0) },
                       .twist = { v, vec(0, spin, 0) },
                       .plane = vec(0, 1, 0),
                       .material = "m",
                       .inertia = { { 0.002, 0, 0 }, { 0, 0.002, 0 }, { 0, 0, 0.001 } },
                       .shapes = &capsule,
                       .shape_count = 1 };
    impScene_Body(scene, &def, &err);
    return scene;
}

// A rod that rotates fast on its tip: rows at q + h v leave overlaps, those of the fixed point
// none.
static void the_fixed_point_leaves_no_overlap(void **state) {
    (void)state;
    double deepest[2] = { 0, 0 };
    for (int k = 0; k < 2; k++) {
        Trial t = trial_by_scheme(rod(1, vec(0, 0, 0), -4, 0.6, 0.25),
                                  k ? IMP_FIXED_POINT : IMP_POSITION, 2);
        for (int i = 0; i < 60; i++) {
            impOutcome o = iterated_step(&t, NULL, 0.005);
            deepest[k] = max2(deepest[k], o.certificate.overlap);
        }
        trial_free(&t);
    }
    assert_true(deepest[0] > 1e-6);
    assert_true(deepest[1] < 1e-9);
}

// --- Painleve ------------------------------------------------------------------------------------

static double draw(int run, int which) { return num_uniform(5, (uint64_t)run, (uint64_t)which); }

// Energy with the velocities of the state, before the impulses at its time.
static double energy_before_impulses(const Trial *t) {
    const Body *b = &t->m->body[2];
    const double *v = t->s->data + t->m->layout.v + b->v;
    impVec3 at = trial_at(t, 2);
    return 0.5 * (b->mass * (v[0] * v[0] + v[2] * v[2]) + 0.002 * v[4] * v[4]) + b->mass * g * at.z;
}

// Work that the normal impulses of a step may do: rows ask for a gap, and a tip that goes round at
// w comes away from its tangent at h w^2 l / 2.
static double work_of_gaps(const impOutcome *o, double spin, double h) {
    double sum = 0;
    for (int i = 0; i < o->contact_count; i++) {
        sum += o->contacts[i].impulse.z;
    }
    const double band = 1e-6;
    return sum * (h * spin * spin * 0.3 + 0.2 * band / h);
}

// A rod whose tip slides on the floor, at any angle, friction and speed: there is always a finite
// solution, and no energy is gained.
static void a_sliding_rod_never_gains_energy(void **state) {
    (void)state;
    const int count = getenv("IMPEL_SOAK") ? 10000 : 400;
    const impScheme scheme[] = { IMP_SECOND_ORDER, IMP_POSITION, IMP_VELOCITY, IMP_FIXED_POINT };
    const double h = 1e-3;
    // friction acts against the slip in the middle of a step, whose energy is known at its ends
    const double second_order = 1e-4;
    for (int i = 0; i < count; i++) {
        double friction = 2 * draw(i, 0);
        double angle = 0.05 + 1.45 * draw(i, 1);
        double v = 10 * (draw(i, 2) - 0.5);
        double spin = 4 * (draw(i, 3) - 0.5);
        double height = 0.05 + 0.25 * num_cos(angle) + 1e-6;
        Trial t = trial_by_scheme(rod(angle, vec(v, 0, 0), spin, friction, height), scheme[i % 4],
                                  2);
        double before = energy_before_impulses(&t);
        for (int k = 0; k < 5; k++) {
            double turned = norm(trial_twist(&t, 2).angular);
            impOutcome o = iterated_step(&t, NULL, h);
            double now = energy_before_impulses(&t);
            turned = max2(turned, norm(trial_twist(&t, 2).angular));
            assert_true(isfinite(now));
            double rounding = i % 4 == 0 ? second_order : 1e-9;
            if (now > before + rounding * (1 + before) + work_of_gaps(&o, turned, h)) {
                fail_msg("scheme %d, case %d, step %d: %.9g J, then %.9g J; residual %g m/s",
                         (int)scheme[i % 4], i, k, before, now, o.certificate.residual);
            }
            before = now;
        }
        trial_free(&t);
    }
}

// --- planes --------------------------------------------------------------------------------------

// Pushed and turned out of its plane, a body stays in it; the audit accepts what holds it.
static void a_body_stays_in_its_plane(void **state) {
    (void)state;
    const impScheme scheme[] = { IMP_SECOND_ORDER, IMP_POSITION };
    for (int k = 0; k < COUNT(scheme); k++) {
        Trial t = trial_by_scheme(rod(1, vec(1, 0, 0), -4, 0.4, 0.3), scheme[k], 8);
        double input[6] = { 0.5, 20, 0, 0.3, 0.01, 0.2 };
        for (int i = 0; i < 100; i++) {
            iterated_step(&t, input, 0.005);
            impTwist twist = trial_twist(&t, 2);
            NEAR(trial_at(&t, 2).y, 0, 1e-12);
            NEAR(twist.linear.y, 0, 1e-12);
            NEAR(norm(vec(twist.angular.x, 0, twist.angular.z)), 0, 1e-12);
        }
        trial_free(&t);
    }
}

// Impacts keep a body in its plane, also at a wall that leans out of it: of its speed along the
// normal of the wall, 0.8 of 1 m/s, and in its plane 1 / 0.8^2 of the mobility, half comes back.
static void impacts_keep_a_body_in_its_plane(void **state) {
    (void)state;
    const impScheme scheme[] = { IMP_SECOND_ORDER, IMP_POSITION, IMP_VELOCITY, IMP_FIXED_POINT };
    for (int k = 0; k < 8; k++) {
        impScene *scene = iterated_scene(vec(0, 0, 0), 0, 0, 0.5);
        impPairDef pair = { { "m", "m" }, 0, 0, 0.5, k < 4 ? IMP_POISSON : IMP_NEWTON };
        impScene_Pair(scene, &pair, &err);
        impShapeDef wall = { .kind = "plane", .size = { 0, 0.6, 0.8, 0 } };
        impShapeDef ball = { .kind = "sphere", .size = { 0.1 } };
        impBodyDef fixed = { .fixed = true, .material = "m", .shapes = &wall, .shape_count = 1 };
        impBodyDef def = { .pose = iterated_at(0, 0, 0.3),
                           .twist = iterated_moving(0, 0, -1),
                           .mass = 1,
                           .plane = vec(0, 1, 0),
                           .material = "m",
                           .shapes = &ball,
                           .shape_count = 1 };
        impScene_Body(scene, &fixed, &err);
        impScene_Body(scene, &def, &err);
        Trial t = trial_by_scheme(scene, scheme[k % 4], 8);
        iterated_run(&t, 50, 0.01);
        NEAR(trial_twist(&t, 2).linear.z, 0.5, 1e-8);
        NEAR(trial_at(&t, 2).y, 0, 1e-9);
        trial_free(&t);
    }
}

// A ball with e = 1 gains no energy by its bounces, and a step of the fixed point that throws it
// far keeps its row.
static void bounces_create_no_energy(void **state) {
    (void)state;
    for (int k = 0; k < COUNT(printed); k++) {
        impScene *scene = iterated_scene(vec(0, 0, -g), 0, 0, 1);
        iterated_plane(scene);
        iterated_ball(scene, 0.1, vec(0, 0, 1), vec(0, 0, 0), 1);
        Trial t = trial_by_scheme(scene, printed[k], 8);
        double traded = 0;
        for (int i = 0; i < 500; i++) {
            impOutcome o = iterated_step(&t, NULL, 0.01);
            for (int c = 0; c < o.contact_count; c++) {
                traded += o.contacts[c].energy;
            }
        }
        NEAR(traded, 0, 1e-9);
        assert_true(trial_at(&t, 2).z > 0.1);
        trial_free(&t);
    }
}

// One sweep leaves a tower of boxes unsolved: that is a verdict, and the state stays.
static void an_answer_that_is_none_is_a_verdict(void **state) {
    (void)state;
    impScene *scene = iterated_scene(vec(0, 0, -g), 0.5, 0.5, 0);
    iterated_plane(scene);
    for (int i = 0; i < 12; i++) {
        iterated_box(scene, vec(0.1, 0.1, 0.1), iterated_at(0, 0, 0.05 + 0.1 * i),
                     iterated_moving(0, 0, 0), i == 11 ? 1000 : 1);
    }
    Trial t = trial_by_scheme(scene, IMP_POSITION, 8);
    impStepper_Free(t.stepper);
    impStepperDef def = { .method = "lcp", .solver = "sweeps", .iterations = 1 };
    t.stepper = impStepper_New(t.m, &def, &err);
    impOutcome o = impStep(t.stepper, t.s, NULL, 0.01);
    assert_int_equal(o.verdict, IMP_STALLED);
    assert_non_null(strstr(o.text, "the contact problem was not solved"));
    NEAR(impState_Time(t.s), 0, 0);
    trial_free(&t);
}

static void expect_refusal(impScene *scene, const char *method, const char *words) {
    memset(&err, 0, sizeof err);
    impModel *m = impModel_Build(scene, &err);
    impStepper *s = m ? impStepper_New(m, &(impStepperDef){ .method = method }, &err) : NULL;
    assert_null(s);
    if (!strstr(err.message[0].text, words)) {
        fail_msg("%s", err.message[0].text);
    }
    impModel_Free(m);
    impScene_Free(scene);
}

static void what_cannot_be_held_is_refused(void **state) {
    (void)state;
    expect_refusal(rod(1, vec(0, 1, 0), 0, 0.5, 1), "lcp", "its velocity leads out of it");
    expect_refusal(rod(1, vec(0, 0, 0), 0, 0.5, 1), "impulse", "cannot hold it in a plane");
    expect_refusal(rod(1, vec(0, 0, 0), 0, 0.5, 1), "flight", "cannot hold it in a plane");
    impScene *scene = rod(1, vec(0, 0, 0), 0, 0.5, 1);
    impScene_Run(scene, &(impRunDef){ .scheme = (impScheme)7 }, &err);
    expect_refusal(scene, "lcp", "scheme 7 is unknown");
    scene = rod(1, vec(0, 0, 0), 0, 0.5, 1);
    impScene_Run(scene, &(impRunDef){ .directions = 7 }, &err);
    expect_refusal(scene, "lcp", "7 directions of friction");
    scene = iterated_scene(vec(0, 0, -g), 0.5, 0.5, 0);
    impShapeDef box = { .kind = "box", .size = { 0.1, 0.2, 0.3 } };
    impBodyDef def = { .name = "brick", .plane = vec(1, 1, 0), .shapes = &box, .shape_count = 1 };
    impScene_Body(scene, &def, &err);
    expect_refusal(scene, "lcp", "no principal axis");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_polyhedral_cone_has_the_error_of_its_corners),
        cmocka_unit_test(blocks_on_slopes_stay_by_every_scheme),
        cmocka_unit_test(bounces_have_their_heights_to_first_order),
        cmocka_unit_test(impacts_at_one_time_are_one_problem),
        cmocka_unit_test(the_fixed_point_leaves_no_overlap),
        cmocka_unit_test(a_sliding_rod_never_gains_energy),
        cmocka_unit_test(a_body_stays_in_its_plane),
        cmocka_unit_test(impacts_keep_a_body_in_its_plane),
        cmocka_unit_test(bounces_create_no_energy),
        cmocka_unit_test(an_answer_that_is_none_is_a_verdict),
        cmocka_unit_test(what_cannot_be_held_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
