// iterated.c -- the method `iterated` as a whole: what flies, the ledger of a step, symmetry.
//
// SPDX-License-Identifier: MIT
#include "iterated_support.h"

#define H (1. / 60)
static const impVec3 down = { 0, 0, -9.81 };

static uint64_t seed, drawn;
static double draw(double low, double high) {
    return low + (high - low) * num_uniform(seed, 5, drawn++);
}
static impVec3 draw_vec(double s) {
    double x = draw(-s, s);
    double y = draw(-s, s);
    return vec(x, y, draw(-s, s));
}
static impQuat draw_rotation(void) {
    impQuat q = quat(draw(-1, 1), draw(-1, 1), draw(-1, 1), draw(-1, 1));
    return unit(q);
}

// --- without contact -----------------------------------------------------------------------------

static impScene *apart(void) {
    impScene *scene = iterated_scene(down, 0.5, 0.5, 0.3);
    iterated_box(scene, vec(0.1, 0.2, 0.3), iterated_at(0, 0, 10),
                 (impTwist){ vec(1, 0, 2), vec(3, 1, 6) }, 2);
    iterated_box(scene, vec(0.1, 0.2, 0.2), iterated_at(5, 0, 10),
                 (impTwist){ vec(0, 1, 2), vec(0.1, 8, 0.2) }, 1);
    iterated_ball(scene, 0.1, vec(-5, 0, 10), vec(0, 0, 1), 1);
    return scene;
}

static void what_flies_has_the_bits_of_method_flight(void **state) {
    (void)state;
    static impError err;
    Trial t = iterated_trial_of(apart());
    impStepper *flight = impStepper_New(t.m, &(impStepperDef){ .method = "flight" }, &err);
    impState *s = impState_New(t.m);
    for (int i = 0; i < 40; i++) {
        double h = i % 3 ? H : 0.0071;
        iterated_step(&t, NULL, h);
        assert_int_equal(impStep(flight, s, NULL, h).verdict, IMP_SOLVED);
        assert_true(impState_Hash(t.m, t.s) == impState_Hash(t.m, s));
    }
    impState_Free(s);
    impStepper_Free(flight);
    trial_free(&t);
}

static void a_flight_may_be_parted(void **state) {
    (void)state;
    Trial one = iterated_trial_of(apart());
    Trial many = iterated_trial_of(apart());
    iterated_step(&one, NULL, 0.5);
    iterated_run(&many, 512, 1. / 1024);
    assert_true(impState_Hash(one.m, one.s) == impState_Hash(many.m, many.s));
    trial_free(&one);
    trial_free(&many);
}

// A force and a torque on a body that flies: momentum and angular momentum to rounding.
static void input_acts_as_impulses(void **state) {
    (void)state;
    Trial t = iterated_trial_of(apart());
    double input[18] = { 3, -2, 1, 0.05, 0.02, -0.03 };
    impMomentum before = impState_Momentum(t.m, t.s);
    for (int i = 0; i < 30; i++) {
        impOutcome o = iterated_step(&t, input, H);
        assert_true(o.certificate.momentum < 1e-12);
        assert_true(o.certificate.spin < 1e-12);
    }
    impMomentum after = impState_Momentum(t.m, t.s);
    impVec3 gained = sub(after.linear, before.linear);
    NEAR(gained.x, 3 * 0.5, 1e-12);
    NEAR(gained.y, -2 * 0.5, 1e-12);
    NEAR(gained.z, (1 - 4 * 9.81) * 0.5, 1e-11);
    trial_free(&t);
}

// --- the ledger of a step ------------------------------------------------------------------------

// Boxes and balls that fall on each other: whatever happens, each step explains what has become of
// momentum, angular momentum and energy.
static impScene *heap(int count, double restitution) {
    impScene *scene = iterated_scene(down, 0.5, 0.4, restitution);
    iterated_plane(scene);
    for (int i = 0; i < count; i++) {
        impVec3 at = add(vec(0, 0, 0.2 + 0.2 * i), draw_vec(0.03));
        if (i % 2) {
            iterated_ball(scene, 0.05, at, draw_vec(0.3), 1);
        } else {
            iterated_box(scene, vec(0.1, 0.08, 0.12), pose(at, draw_rotation()),
                         (impTwist){ draw_vec(0.3), draw_vec(1) }, 1.5);
        }
    }
    return scene;
}

static void every_step_closes_its_ledger(void **state) {
    (void)state;
    int contacts = 0;
    for (seed = 1; seed <= 4; seed++) {
        drawn = 0;
        Trial t = iterated_trial_of(heap(12, seed % 2 ? 0 : 0.6));
        for (int i = 0; i < 240; i++) {
            impOutcome o = iterated_step(&t, NULL, 1. / 240);
            NEAR(o.certificate.momentum, 0, 1e-12);
            NEAR(o.certificate.spin, 0, 1e-12);
            NEAR(o.certificate.energy, 0, 1e-12);
            NEAR(o.certificate.quaternion, 0, 1e-14);
            NEAR(o.certificate.cone, 0, 1e-12);
            NEAR(o.certificate.pull, 0, 1e-15);
            contacts += o.contact_count;
        }
        trial_free(&t);
    }
    assert_true(contacts > 1000);
}

// What the ground carries is the weight, in the mean over a second.
static void the_ground_carries_the_weight(void **state) {
    (void)state;
    impScene *scene = iterated_scene(down, 0.5, 0.5, 0);
    iterated_plane(scene);
    iterated_box(scene, vec(0.2, 0.1, 0.1), iterated_at(0, 0, 0.05), iterated_moving(0, 0, 0), 3);
    iterated_box(scene, vec(0.1, 0.1, 0.1), iterated_at(0.03, 0, 0.15), iterated_moving(0, 0, 0),
                 2);
    Trial t = iterated_trial_of(scene);
    for (int i = 0; i < 6; i++) {
        impOutcome o = iterated_step(&t, NULL, H);
        double carried = 0;
        double between = 0;
        for (int k = 0; k < o.contact_count; k++) {
            double z = o.contacts[k].impulse.z;
            bool on_ground = o.contacts[k].b.i == 1 || o.contacts[k].a.i == 1;
            *(on_ground ? &carried : &between) += fabs(z);
        }
        // the first impulses end half a step of free fall
        NEAR(carried, (i == 0 ? 0.5 : 1) * 5 * 9.81 * H, 1e-2);
        // and what is reported is the mean of before and after
        NEAR(trial_twist(&t, 2).linear.z, 0, i == 0 ? 0.1 : 1e-3);
        NEAR(between, (i == 0 ? 0.5 : 1) * 2 * 9.81 * H, 1e-2);
    }
    trial_free(&t);
}

// --- symmetry ------------------------------------------------------------------------------------

// A ball strikes a block, and three others fall on each other; mirrored at y = 0, or with its
// bodies in another order, the same happens. (Loads of a block on a block are not unique, and with
// them its friction: such a scene may go on in several ways.)
typedef struct Image {
    double side;   // 1, or -1: mirrored
    bool reverse;  // bodies in reverse order
} Image;
enum { BODIES = 5 };

static void add_body(impScene *scene, int i, double side) {
    static const impVec3 at[BODIES] = { { 0, 0, 0.05 },
                                        { -0.5, 0.01, 0.08 },
                                        { 2, 0, 0.04 },
                                        { 2, 0.03, 0.13 },
                                        { 2.03, 0.01, 0.25 } };
    impVec3 place = vec(at[i].x, at[i].y * side, at[i].z);
    if (i == 0) {
        iterated_box(scene, vec(0.1, 0.1, 0.1), pose(place, quat(1, 0, 0, 0)),
                     iterated_moving(0, 0, 0), 1);
    } else {
        impVec3 v = i == 1 ? vec(3, 0.05 * side, 0.5) : vec(0, 0, 0);
        iterated_ball(scene, 0.04, place, v, 1);
    }
}

static Trial image(const Image *of) {
    impScene *scene = iterated_scene(down, 0.4, 0.4, 0.2);
    iterated_plane(scene);
    for (int k = 0; k < BODIES; k++) {
        add_body(scene, of->reverse ? BODIES - 1 - k : k, of->side);
    }
    return iterated_trial_of(scene);
}

static void check_image(const Image *of) {
    Trial t = image(&(Image){ 1, false });
    Trial other = image(of);
    for (int i = 0; i < 60; i++) {
        iterated_step(&t, NULL, 1. / 120);
        iterated_step(&other, NULL, 1. / 120);
    }
    for (int k = 0; k < BODIES; k++) {
        impVec3 at = trial_at(&t, 2 + k);
        impVec3 there = trial_at(&other, of->reverse ? 1 + BODIES - k : 2 + k);
        there.y *= of->side;
        NEAR(norm(sub(at, there)), 0, 1e-7);
    }
    // something has happened
    assert_true(trial_at(&t, 2).x > 0.05);
    assert_true(trial_at(&t, 6).z < 0.2);
    trial_free(&t);
    trial_free(&other);
}

static void a_mirrored_scene_does_the_same(void **state) {
    (void)state;
    check_image(&(Image){ -1, false });
}
static void the_order_of_bodies_does_not_matter(void **state) {
    (void)state;
    check_image(&(Image){ 1, true });
}

static void joints_are_refused_in_a_sentence(void **state) {
    (void)state;
    static impError err;
    const char *text = "{\"impel\": 1, \"bodies\": [{\"name\": \"door\", \"shape\": {\"box\": "
                       "{\"size\": [1, 1, 1]}}}], \"joints\": [{\"name\": \"h\", \"type\": "
                       "\"hinge\", \"parent\": \"world\", \"child\": \"door\", \"at\": [0, 0, 0], "
                       "\"axis\": [0, 0, 1]}]}";
    impScene *scene = impScene_Parse(text, strlen(text), "test.json", NULL, &err);
    impModel *m = impModel_Build(scene, &err);
    assert_non_null(m);
    assert_null(impStepper_New(m, &(impStepperDef){ .method = "iterated" }, &err));
    SAME_TEXT(err.message[0].text,
              "joint 'h': method iterated cannot move a hinge; it knows free bodies only");
    impScene_Free(scene);
    impModel_Free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_flies_has_the_bits_of_method_flight),
        cmocka_unit_test(a_flight_may_be_parted),
        cmocka_unit_test(input_acts_as_impulses),
        cmocka_unit_test(every_step_closes_its_ledger),
        cmocka_unit_test(the_ground_carries_the_weight),
        cmocka_unit_test(a_mirrored_scene_does_the_same),
        cmocka_unit_test(the_order_of_bodies_does_not_matter),
        cmocka_unit_test(joints_are_refused_in_a_sentence),
    };
    return RUN(tests);
}
