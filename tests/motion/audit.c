// audit.c -- the judge: a true step passes, and each kind of untruth is found and named.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "motion/motion.h"

#include <float.h>

static impError err;

typedef struct Trial {
    impModel *model;
    impState *before, *after;
} Trial;

static Trial flown(double h) {
    Trial t;
    impScene *scene = impScene_New(vec(0, 0, -9.81));
    impScene_Body(scene,
                  &(impBodyDef){ .name = "calm",
                                 .mass = 2,
                                 .inertia = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } },
                  &err);
    impScene_Body(scene,
                  &(impBodyDef){ .name = "wild",
                                 .mass = 1,
                                 .inertia = { { 1, 0, 0 }, { 0, 2, 0 }, { 0, 0, 2.5 } },
                                 .pose.at = { 1, 2, 3 },
                                 .twist = { { 3, 2, 1 }, { 1, 4, 2 } } },
                  &err);
    t.model = impModel_Build(scene, &err);
    impScene_Free(scene);
    impStepper *s = impStepper_New(t.model, &(impStepperDef){ .method = "flight" }, &err);
    t.before = impState_New(t.model);
    t.after = impState_New(t.model);
    assert_int_equal(impStep(s, t.after, NULL, h).verdict, IMP_SOLVED);
    impStepper_Free(s);
    return t;
}

static bool judged_by(const Trial *t, impCertificate *c, impCertificate *limit, Fault *fault) {
    *c = *limit = (impCertificate){ 0 };
    return motion_judge(t->model, t->before->data, t->after->data, NULL, NULL, 1e-9, c, limit,
                        fault);
}

static bool judged(const Trial *t, impCertificate *c, Fault *fault) {
    impCertificate limit;
    return judged_by(t, c, &limit, fault);
}

static void drop(Trial t) {
    impState_Free(t.before);
    impState_Free(t.after);
    impModel_Free(t.model);
}

static void a_true_step_passes(void **state) {
    (void)state;
    impCertificate c;
    Fault fault;
    for (double h = 1e-6; h < 1e4; h *= 10) {
        Trial t = flown(h);
        assert_true(judged(&t, &c, &fault));
        drop(t);
    }
}

// A part in 1e6 of one number is found whichever number it is, and the body is named.
static void every_untruth_is_found(void **state) {
    (void)state;
    impCertificate c;
    Fault fault;
    Trial t = flown(0.5);
    const Body *b = &t.model->body[2];
    int v = t.model->layout.v + b->v;
    int q = t.model->layout.q + b->q;
    // x and y have no energy
    int places[] = { v, v + 1, v + 2, v + 3, v + 4, v + 5, q + 2, q + 3, q + 4, q + 5, q + 6 };
    for (int i = 0; i < COUNT(places); i++) {
        double kept = t.after->data[places[i]];
        t.after->data[places[i]] = kept * (1 + 1e-6) + 1e-6;
        assert_false(judged(&t, &c, &fault));
        assert_int_equal(fault.body, 2);
        assert_true(fault.of && fabs(fault.off) > fault.limit && fault.limit > 0);
        t.after->data[places[i]] = kept;
    }
    assert_true(judged(&t, &c, &fault));
    t.after->data[v] = NAN;
    assert_false(judged(&t, &c, &fault));
    drop(t);
}

// Of what is worst the limit is that of the same body: here that of the one that was changed, not
// of the other, nor of both.
static void the_worst_has_its_own_limit(void **state) {
    (void)state;
    impCertificate c, limit;
    Fault fault;
    Trial t = flown(0.5);
    assert_true(judged_by(&t, &c, &limit, &fault));
    assert_true(fabs(c.energy) <= limit.energy && c.momentum <= limit.momentum &&
                c.spin <= limit.spin && c.quaternion <= limit.quaternion);
    for (int body = 1; body <= 2; body++) {
        int v = t.model->layout.v + t.model->body[body].v;
        double kept = t.after->data[v];
        t.after->data[v] += 1e-3;
        assert_false(judged_by(&t, &c, &limit, &fault));
        SAME_TEXT(fault.of, "energy");
        impVec3 v0 = vec(t.before->data[v], t.before->data[v + 1], t.before->data[v + 2]);
        impVec3 v1 = vec(t.after->data[v], t.after->data[v + 1], t.after->data[v + 2]);
        double mass = t.model->body[body].mass;
        NEAR(c.momentum, 1e-3 * mass, 1e-14);
        NEAR(limit.momentum, 1e-9 * mass * (norm(v0) + norm(v1) + 0.5 * 9.81), 1e-22);
        NEAR(limit.quaternion, 1e-12, 0);
        t.after->data[v] = kept;
    }
    drop(t);
}

// Of a slender body the spin is known as well as the condition of its inertia lets it, 1e8 here:
// that much is let pass, and ten times as much is not.
static void a_slender_body_is_judged_by_what_rounding_leaves(void **state) {
    (void)state;
    const double thin = 1e-8;
    const double rotated = 2;
    const double rates = 3 + 5;
    impScene *scene = impScene_New(vec(0, 0, 0));
    impScene_Body(scene,
                  &(impBodyDef){ .name = "wire",
                                 .mass = 1,
                                 .inertia = { { thin, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
                                 .twist.angular = { 3, 0, 0 } },
                  &err);
    impModel *m = impModel_Build(scene, &err);
    impScene_Free(scene);
    impState *s = impState_New(m);
    const double of = 2 * 3 * thin + rotated;
    const double limit = 1e-9 * of + 64 * DBL_EPSILON * (1 / thin * rotated + (3 + 3 + rates));
    const double part[] = { 0.9, 1.1 };
    for (int i = 0; i < COUNT(part); i++) {
        Ledger ledger = { .angular_impulse = vec(0, part[i] * limit, 0),
                          .angular_sum = rotated,
                          .rate_sum = rates };
        impCertificate c = { 0 };
        impCertificate most = { 0 };
        Fault fault;
        bool good = motion_judge(m, s->data, s->data, NULL, &ledger, 1e-9, &c, &most, &fault);
        assert_true(good == (part[i] < 1));
        NEAR(most.spin, limit, 1e-12 * limit);
    }
    impState_Free(s);
    impModel_Free(m);
}

static void a_tolerance_out_of_range_is_refused(void **state) {
    (void)state;
    Trial t = flown(0.1);
    assert_null(impStepper_New(t.model, &(impStepperDef){ .tolerance = NAN }, &err));
    SAME_TEXT(err.message[0].text, "impStepper_New: tolerance nan, 0 iterations, 0 threads; a "
                                   "tolerance lies between 0 and 1, and "
                                   "none may be negative");
    assert_null(impStepper_New(t.model, &(impStepperDef){ .threads = -3 }, &err));
    drop(t);
}

// A tolerance that no arithmetic meets: the step is refused and the state is the one before.
static void an_untrue_step_is_not_taken(void **state) {
    (void)state;
    Trial t = flown(0.1);
    impStepperDef def = { .method = "flight", .tolerance = 1e-30 };
    impStepper *s = impStepper_New(t.model, &def, &err);
    uint64_t before = impState_Hash(t.model, t.after);
    impOutcome out = { 0 };
    for (int i = 0; i < 20 && out.verdict == IMP_SOLVED; i++) {
        out = impStep(s, t.after, NULL, 0.0731 + 0.01 * i);
        before = out.verdict == IMP_SOLVED ? impState_Hash(t.model, t.after) : before;
    }
    assert_int_equal(out.verdict, IMP_UNTRUE);
    assert_non_null(strstr(out.text, "the certificate failed: energy is off by "));
    assert_non_null(strstr(out.text, " J (limit "));
    assert_non_null(strstr(out.text, "; nothing touched it"));
    SAME_TEXT(out.failed, "energy");
    assert_true(fabs(out.certificate.energy) > out.limit.energy && out.limit.energy > 0);
    // nothing of flight touches, and there are no events
    assert_true(out.limit.overlap == HUGE_VAL && out.limit.order == HUGE_VAL);
    assert_true(impState_Hash(t.model, t.after) == before);
    impStepper_Free(s);
    drop(t);
}

// Rates of 1e-200 rad/s square to nothing: still a state, without a division of zero by zero.
static void hardly_turning_is_turning(void **state) {
    (void)state;
    double moments[3] = { 1, 1.5, 2 };
    impQuat q;
    impVec3 w;
    Spin s = motion_spin(moments, quat(1, 0, 0, 0), quat(1, 0, 0, 0), vec(1e-200, 2e-200, 3e-200));
    motion_spin_at(&s, 10, &q, &w);
    NEAR(qnorm(q), 1, 1e-15);
    NEAR(w.z, 3e-200, 1e-201);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_true_step_passes),
        cmocka_unit_test(every_untruth_is_found),
        cmocka_unit_test(the_worst_has_its_own_limit),
        cmocka_unit_test(a_slender_body_is_judged_by_what_rounding_leaves),
        cmocka_unit_test(a_tolerance_out_of_range_is_refused),
        cmocka_unit_test(an_untrue_step_is_not_taken),
        cmocka_unit_test(hardly_turning_is_turning),
    };
    return RUN(tests);
}
