// conventions.c -- the conventions of the header's first comment, a test named after each.
//
// (Normal from b to a, and impulse on a, get theirs with the first contacts.)
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "impel/impel.h"

static impError err;

typedef struct Thrown {
    impModel *model;
    impState *state;
    impStepper *stepper;
    impBody body;
} Thrown;

static Thrown throw_body(impVec3 gravity, const impBodyDef *def) {
    Thrown t;
    impScene *scene = impScene_New(gravity);
    t.body = impScene_Body(scene, def, &err);
    t.model = impModel_Build(scene, &err);
    if (!t.model) {
        fail_msg("%s", err.message[0].text);
    }
    t.state = impState_New(t.model);
    t.stepper = impStepper_New(t.model, &(impStepperDef){ .method = "flight" }, &err);
    impScene_Free(scene);
    return t;
}

static void let_go(Thrown t) {
    impStepper_Free(t.stepper);
    impState_Free(t.state);
    impModel_Free(t.model);
}

// A cone's origin is the middle of its base, its centre of mass a quarter of the height above.
static const impShapeDef cone = { .kind = "cone", .size = { 0.1, 0.4 } };

static void quaternions_are_w_first(void **state) {
    (void)state;
    impBodyDef def = {
        .pose.rotation = { 0, 1, 0, 0 }, .shapes = &cone, .shape_count = 1, .pose.at = { 0, 0, 2 }
    };
    // half a turn about x: the apex points down
    Thrown t = throw_body((impVec3){ 0, 0, 0 }, &def);
    impPose p = impState_Pose(t.model, t.state, t.body);
    SAME_BITS(p.rotation.x, 1);
    impMass m = impModel_Mass(t.model, t.body);
    // the first coordinates: the centre of mass
    const double *x = impState_Data(t.state) + 1;
    NEAR(x[2], 2 - m.center.z, 1e-15);
    let_go(t);
}

static void a_pose_is_that_of_the_bodys_own_frame(void **state) {
    (void)state;
    impBodyDef def = { .pose.at = { 1, 2, 3 },
                       .pose.rotation = { 0.6, 0, 0.8, 0 },
                       .shapes = &cone,
                       .shape_count = 1 };
    Thrown t = throw_body((impVec3){ 0, 0, -9.81 }, &def);
    impPose p = impState_Pose(t.model, t.state, t.body);
    NEAR(p.at.x, 1, 1e-15);
    NEAR(p.at.y, 2, 1e-15);
    NEAR(p.at.z, 3, 1e-15);
    let_go(t);
}

// Thrown with a spin, the centre of mass flies straight; the origin does not.
static void a_twist_is_that_of_the_centre_of_mass(void **state) {
    (void)state;
    impBodyDef def = { .twist = { { 1, 0, 0 }, { 0, 5, 0 } }, .shapes = &cone, .shape_count = 1 };
    Thrown t = throw_body((impVec3){ 0, 0, 0 }, &def);
    impStep(t.stepper, t.state, NULL, 0.5);
    const double *x = impState_Data(t.state) + 1;
    NEAR(x[0], 0.5, 1e-15);
    NEAR(x[2], 0.1, 1e-15);
    NEAR(impState_Twist(t.model, t.state, t.body).linear.x, 1, 1e-15);
    assert_true(fabs(impState_Pose(t.model, t.state, t.body).at.x - 0.5) > 0.01);
    let_go(t);
}

// A quarter turn about world x takes body y to world z.
static void angular_velocity_is_in_world_axes(void **state) {
    (void)state;
    double quarter = 1.57079632679489661923;
    impBodyDef def = { .pose.rotation = { 0.8, 0, 0, 0.6 },
                       .twist.angular = { quarter, 0, 0 },
                       .mass = 1,
                       .inertia = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
    Thrown t = throw_body((impVec3){ 0, 0, 0 }, &def);
    impStep(t.stepper, t.state, NULL, 1);
    // (c, s, 0, 0) * (0.8, 0, 0, 0.6)
    impQuat q = impState_Pose(t.model, t.state, t.body).rotation;
    double c = sqrt(0.5);
    NEAR(q.w, 0.8 * c, 1e-15);
    NEAR(q.x, 0.8 * c, 1e-15);
    NEAR(q.y, -0.6 * c, 1e-15);
    NEAR(q.z, 0.6 * c, 1e-15);
    let_go(t);
}

static void lengths_are_full_lengths(void **state) {
    (void)state;
    impShapeDef box = { .kind = "box", .size = { 1, 2, 3 } };
    impBodyDef def = { .shapes = &box, .shape_count = 1, .mass = 12 };
    Thrown t = throw_body((impVec3){ 0, 0, 0 }, &def);
    impVec3 low, high;
    assert_true(impModel_Box(t.model, t.body, &low, &high));
    NEAR(high.z - low.z, 3, 0);
    // m (b^2 + c^2) / 12
    NEAR(impModel_Mass(t.model, t.body).moments[0], 4 + 9, 1e-14);
    let_go(t);
}

static void zero_is_the_default_of_every_field(void **state) {
    (void)state;
    impShapeDef ball = { .kind = "sphere", .size = { 0.1 } };
    impBodyDef def = { .shapes = &ball, .shape_count = 1 };
    Thrown t = throw_body((impVec3){ 0, 0, -9.81 }, &def);
    SAME_TEXT(impModel_Name(t.model, t.body), "body.1");
    NEAR(impModel_Mass(t.model, t.body).mass, 1000 * 4 * 3.14159265358979323846 / 3 * 1e-3, 1e-14);
    SAME_BITS(impState_Pose(t.model, t.state, t.body).rotation.w, 1);
    let_go(t);
}

// A force on the centre of mass and a torque, world axes, in the order of v; L changes by h times
// the torque.
static void input_is_a_force_and_a_torque_in_world_axes(void **state) {
    (void)state;
    impBodyDef def = { .mass = 2,
                       .inertia = { { 1, 0, 0 }, { 0, 2, 0 }, { 0, 0, 2.5 } },
                       .twist.angular = { 1, -2, 0.5 },
                       .pose.rotation = { 0.5, 0.5, 0.5, 0.5 } };
    Thrown t = throw_body((impVec3){ 0, 0, 0 }, &def);
    double input[6] = { 4, 0, 0, 0.3, 0.2, -0.1 };
    double h = 0.01;
    impMomentum before = impState_Momentum(t.model, t.state);
    impOutcome out = { 0 };
    for (int i = 0; i < 100; i++) {
        out = impStep(t.stepper, t.state, input, h);
    }
    impMomentum after = impState_Momentum(t.model, t.state);
    NEAR(after.linear.x, 4, 1e-13);
    // F t^2 / 2 m
    NEAR(impState_Pose(t.model, t.state, t.body).at.x, 1, 1e-13);
    NEAR(after.angular.x - before.angular.x, 0.3, 1e-13);
    NEAR(after.angular.y - before.angular.y, 0.2, 1e-13);
    NEAR(after.angular.z - before.angular.z, -0.1, 1e-13);
    NEAR(out.certificate.spin, 0, 1e-15);
    let_go(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quaternions_are_w_first),
        cmocka_unit_test(a_pose_is_that_of_the_bodys_own_frame),
        cmocka_unit_test(a_twist_is_that_of_the_centre_of_mass),
        cmocka_unit_test(angular_velocity_is_in_world_axes),
        cmocka_unit_test(lengths_are_full_lengths),
        cmocka_unit_test(zero_is_the_default_of_every_field),
        cmocka_unit_test(input_is_a_force_and_a_torque_in_world_axes),
    };
    return RUN(tests);
}
