// tree.c -- tests of model/tree.c: who carries whom, the order of q and v, loops, rings and what is
// refused.
//
// SPDX-License-Identifier: MIT
#include "model/rig.h"

// Bodies a, b, c, ... of one box each, at x = 1, 2, 3, ...
static impScene *row_of(int count) {
    impScene *scene = empty_scene();
    for (int i = 1; i <= count; i++) {
        char name[2] = { (char)('a' + i - 1), 0 };
        impBodyDef b = {
            .name = name, .shapes = &UNIT_BOX, .shape_count = 1, .mass = 1, .pose.at.x = i
        };
        assert_int_equal(impScene_Body(scene, &b, &err).i, i);
    }
    return scene;
}

static impScene *joined(impScene *scene, const char *name, const char *kind, int parent,
                        int child) {
    impJointDef j = { .name = name,
                      .kind = kind,
                      .parent = { parent },
                      .child = { child },
                      .axis = { 0, 0, 1 },
                      .axis2 = { 1, 0, 0 },
                      .at = { child - 0.5, 0, 0 },
                      .at2 = { child, 0, 0 } };
    if (impScene_Joint(scene, &j, &err).i < 0) {
        fail_msg("%s", message(0));
    }
    return scene;
}

static void first_and_count(const impModel *m, int body, int first, int count) {
    int n = -1;
    assert_int_equal(impModel_BodyFreedom(m, (impBody){ body }, &n), first);
    assert_int_equal(n, count);
}

// --- coordinates ---------------------------------------------------------------------------------
static void a_free_body_has_seven_coordinates(void **state) {
    (void)state;
    impBodyDef def = { .name = "b",
                       .shapes = &UNIT_BOX,
                       .shape_count = 1,
                       .mass = 1,
                       .center_given = true,
                       .center = { 0, 0, 0.25 },
                       .pose = { { 1, 2, 3 }, { 0, 1, 0, 0 } },
                       .twist = { { 4, 5, 6 }, { 7, 8, 9 } } };
    impModel *m = built_with(&def);
    // t, q (upside down), v
    // the anchor
    // and no sleep counter
    const double expected[] = { 0, 1, 2,    2.75, 0, 1, 0, 0, 4, 5, 6, 7, 8, 9, 0,
                                1, 2, 2.75, 0,    1, 0, 0, 4, 5, 6, 7, 8, 9, 0 };
    assert_int_equal(impModel_Coordinates(m), 7);
    assert_int_equal(impModel_Freedoms(m), 6);
    assert_int_equal(m->layout.half_kick, COUNT(expected));
    for (int i = 0; i < COUNT(expected); i++) {
        SAME_BITS(m->start[i], expected[i]);
    }
    assert_int_equal(m->body[1].parent, 0);
    impModel_Free(m);
}

static void fixed_and_prescribed_bodies_have_none(void **state) {
    (void)state;
    const impMotionDef spin = { .kind = "spin", .axis = { 0, 0, 1 }, .rate = 1 };
    impScene *scene = scene_with(&(impBodyDef){ .fixed = true });
    impScene_Body(scene, &(impBodyDef){ .motions = &spin, .motion_count = 1 }, &err);
    impModel *m = built(scene);
    assert_int_equal(impModel_Coordinates(m), 0);
    assert_int_equal(impModel_Freedoms(m), 0);
    // time, and that there are no contacts
    assert_int_equal(impModel_StateSize(m), 2 * sizeof(double));
    first_and_count(m, 1, 0, 0);
    impModel_Free(m);
}

static void every_kind_has_its_share_in_order_of_the_bodies(void **state) {
    (void)state;
    const struct {
        const char *kind;
        int nq, nv;
    } kinds[] = { { "hinge", 1, 1 }, { "slider", 1, 1 },    { "ball", 4, 3 },
                  { "weld", 0, 0 },  { "universal", 2, 2 }, { "planar", 3, 3 } };
    impScene *scene = row_of(COUNT(kinds) + 1);
    for (int i = 0; i < COUNT(kinds); i++) {
        joined(scene, kinds[i].kind, kinds[i].kind, 0, i + 1);
    }
    impModel *m = built(scene);
    int q = 0, v = 0;
    for (int i = 0; i < COUNT(kinds); i++) {
        assert_int_equal(m->body[i + 1].q, q);
        first_and_count(m, i + 1, v, kinds[i].nv);
        SAME_TEXT(impModel_JointKind(m, (impJoint){ i }), kinds[i].kind);
        q += kinds[i].nq;
        v += kinds[i].nv;
    }
    // the last one flies
    first_and_count(m, COUNT(kinds) + 1, v, 6);
    assert_int_equal(impModel_Coordinates(m), q + 7);
    assert_int_equal(impModel_JointCount(m), COUNT(kinds));
    assert_int_equal(m->sizes.nfree, 1);
    // the ball's quaternion
    SAME_BITS(m->start[m->layout.q + m->body[3].q], 1);
    impModel_Free(m);
}

// What a joint says at q = 0 is the pose of the scene, however the bodies were turned in it.
static void a_hinge_chain_stands_as_it_was_written(void **state) {
    (void)state;
    impModel *m = built(parsed(
        "{ \"impel\": 1, \"bodies\": ["
        " { \"name\": \"upper\", \"shape\": { \"box\": { \"size\": [1, 0.1, 0.1] } }, "
        "\"position\": [0.5, 0, 2], \"orientation\": [0.8, 0.6, 0, 0] },"
        " { \"name\": \"lower\", \"shape\": { \"box\": { \"size\": [1, 0.1, 0.1] } }, "
        "\"position\": [1.5, 0, 2], \"orientation\": [0.6, 0, 0, 0.8],"
        "   \"velocity\": [0, 0, 0] } ],"
        " \"joints\": [ { \"type\": \"hinge\", \"parent\": \"world\", \"child\": \"upper\", "
        "\"at\": [0, 0, 2], \"axis\": [0, 5, 0] },"
        " { \"type\": \"hinge\", \"parent\": \"upper\", \"child\": \"lower\", \"at\": [1, 0, "
        "2], \"axis\": [0, 0, 1] } ] }"));
    impState *s = impState_New(m);
    impPose upper = impState_Pose(m, s, (impBody){ 1 });
    impPose lower_ = impState_Pose(m, s, (impBody){ 2 });
    assert_int_equal(impModel_Coordinates(m), 2);
    assert_int_equal(m->body[2].parent, 1);
    NEAR(upper.at.x, 0.5, 1e-15);
    NEAR(upper.at.z, 2, 1e-15);
    NEAR(upper.rotation.x, 0.6, 1e-15);
    NEAR(lower_.at.x, 1.5, 1e-15);
    NEAR(fabs(lower_.rotation.z), 0.8, 1e-15);
    impState_Free(s);
    impModel_Free(m);
}

static void a_child_may_come_before_its_parent(void **state) {
    (void)state;
    impModel *m = built(joined(joined(row_of(2), "h", "hinge", 2, 1), "k", "hinge", 0, 2));
    assert_int_equal(m->body[1].parent, 2);
    assert_int_equal(m->body[1].q, 0);
    impModel_Free(m);
}

// --- velocities ----------------------------------------------------------------------------------
static void a_joint_takes_the_velocity_it_allows(void **state) {
    (void)state;
    impScene *scene = empty_scene();
    impBodyDef b = {
        .name = "a", .shapes = &UNIT_BOX, .shape_count = 1, .mass = 1, .pose.at.x = 1
    };
    // 3 rad/s about z through x = 0.5
    b.twist = (impTwist){ { 0, 1.5, 0 }, { 0, 0, 3 } };
    impScene_Body(scene, &b, &err);
    impModel *m = built(joined(scene, "h", "hinge", 0, 1));
    NEAR(m->start[m->layout.v], 3, 1e-15);
    impState *s = impState_New(m);
    NEAR(impState_Twist(m, s, (impBody){ 1 }).linear.y, 1.5, 1e-15);
    impState_Free(s);
    impModel_Free(m);

    b.twist.linear.y = 2;
    scene = joined(scene_with(&b), "h", "hinge", 0, 1);
    assert_null(impModel_Build(scene, &err));
    impScene_Free(scene);
    assert_non_null(
        strstr(message(0), "body 'a': its velocity would break its hinge joint, by 0."));
    assert_non_null(strstr(message(0), " m/s and 0 rad/s; they must agree"));
}

// --- loops and rings -----------------------------------------------------------------------------
// A four-bar linkage: three bars and the ground; the last hinge closes the loop and has no
// coordinate.
static void a_second_joint_closes_a_loop(void **state) {
    (void)state;
    impScene *scene = row_of(3);
    joined(scene, "1", "hinge", 0, 1);
    joined(scene, "2", "hinge", 1, 2);
    joined(scene, "3", "hinge", 2, 3);
    impModel *m = built(joined(scene, "4", "hinge", 0, 3));
    assert_int_equal(impModel_Coordinates(m), 3);
    assert_int_equal(impModel_JointCount(m), 4);
    assert_false(m->joint[2].closing);
    assert_true(m->joint[3].closing);
    impModel_Free(m);
}

static void a_distance_carries_nobody(void **state) {
    (void)state;
    impScene *scene = row_of(2);
    impJointDef rod = { .name = "rod",
                        .kind = "distance",
                        .parent = { 1 },
                        .child = { 2 },
                        .at = { 1, 0, 0 },
                        .at2 = { 2, 3, 4 } };
    impScene_Joint(scene, &rod, &err);
    impModel *m = built(scene);
    assert_int_equal(impModel_Coordinates(m), 14);
    assert_true(m->joint[0].closing);
    NEAR(m->joint[0].rest, sqrt(26), 1e-15);
    NEAR(m->joint[0].in_child.at.y, 3, 0);
    impModel_Free(m);
    scene = row_of(2);
    rod.at2 = rod.at;
    impScene_Joint(scene, &rod, &err);
    REFUSED(scene, "joint 'rod': at and at2 are the same point; a distance must be positive");
}

static void s19_bodies_that_carry_each_other_are_named(void **state) {
    (void)state;
    REFUSED(joined(joined(row_of(2), "1", "hinge", 1, 2), "2", "hinge", 2, 1),
            "joints: 'a', 'b' carry each other in a ring; one of them must hang from the world");
    // a hangs on the ring b, d, c
    impScene *scene = row_of(4);
    joined(scene, "1", "hinge", 2, 1);
    joined(scene, "2", "hinge", 4, 2);
    joined(scene, "3", "hinge", 2, 3);
    joined(scene, "4", "hinge", 3, 4);
    REFUSED(
        scene,
        "joints: 'b', 'd', 'c' carry each other in a ring; one of them must hang from the world");
}

// Names are compared by sorting and rings found by one walk: a long chain costs no more than it has
// links.
static void a_chain_of_ten_thousand_builds(void **state) {
    (void)state;
    enum { LINKS = 10000 };
    impScene *scene = empty_scene();
    const impShapeDef link = { .kind = "sphere", .size = { 0.1 } };
    for (int i = 1; i <= LINKS; i++) {
        impScene_Body(scene, &(impBodyDef){ .shapes = &link, .shape_count = 1, .pose.at.x = i },
                      &err);
        impJointDef j = {
            .kind = "ball", .parent = { i - 1 }, .child = { i }, .at = { i - 0.5, 0, 0 }
        };
        assert_int_equal(impScene_Joint(scene, &j, &err).i, i - 1);
    }
    impModel *m = built(scene);
    assert_int_equal(impModel_Coordinates(m), 4 * LINKS);
    assert_int_equal(impModel_Freedoms(m), 3 * LINKS);
    impModel_Free(m);
}

// --- I12: freedoms are locked by joints ----------------------------------------------------------
// There is no inverse mass of 0 on an axis that a file could spoil: a body that may not turn out of
// its plane hangs on a planar joint, and what a state holds are the three coordinates that are
// left.
static void i12_locked_freedoms_are_joints(void **state) {
    (void)state;
    impModel *m = built(joined(row_of(1), "rail", "planar", 0, 1));
    impState *s = impState_New(m);
    impState *again = impState_New(m);
    const double front[7] = { 0, 0.1, 0.2, 0.3, 1, 2, 3 };
    const size_t size = impModel_StateSize(m);
    double *data = calloc(1, size);
    assert_non_null(data);
    assert_int_equal(m->layout.half_kick, COUNT(front));
    memcpy(data, front, sizeof front);
    assert_true(impState_SetData(m, s, data, size, &err));
    assert_true(impState_SetData(m, again, impState_Data(s), size, &err));
    assert_memory_equal(impState_Data(again), data, size);
    free(data);
    NEAR(impState_Pose(m, s, (impBody){ 1 }).at.z, 0, 0);
    impState_Free(s);
    impState_Free(again);
    impModel_Free(m);
}

// --- refusals ------------------------------------------------------------------------------------
static void refused_joint(impJointDef j, const char *text) {
    impScene *scene = row_of(2);
    // body 3
    impScene_Body(scene, &(impBodyDef){ .name = "wall", .fixed = true }, &err);
    j.name = "j";
    impScene_Joint(scene, &j, &err);
    REFUSED(scene, text);
}

static void s10_s19_joints_are_checked(void **state) {
    (void)state;
    const impVec3 z = { 0, 0, 1 };
    refused_joint((impJointDef){ .kind = "screw", .child = { 1 } },
                  "joint 'j': type \"screw\" is unknown; see 'impel list joints'");
    refused_joint((impJointDef){ .child = { 1 } },
                  "joint 'j': type \"\" is unknown; see 'impel list joints'");
    refused_joint((impJointDef){ .kind = "ball", .child = { 9 } },
                  "joint 'j': its parent or child is no body of the scene");
    refused_joint((impJointDef){ .kind = "ball", .parent = { -1 }, .child = { 1 } },
                  "joint 'j': its parent or child is no body of the scene");
    refused_joint((impJointDef){ .kind = "ball", .parent = { 1 }, .child = { 1 } },
                  "joint 'j': from 'a' to itself; it must tie two bodies");
    refused_joint((impJointDef){ .kind = "ball", .parent = { 1 } },
                  "joint 'j': the world cannot be the child; swap parent and child");
    refused_joint((impJointDef){ .kind = "ball", .parent = { 1 }, .child = { 3 } },
                  "joint 'j': its child 'wall' is not dynamic; a joint cannot carry it");
    refused_joint((impJointDef){ .kind = "free", .parent = { 1 }, .child = { 2 } },
                  "joint 'j': a free joint hangs from the world; its parent must be \"world\"");
    refused_joint((impJointDef){ .kind = "hinge", .child = { 1 } },
                  "joint 'j': axis [0, 0, 0]; it must have a direction");
    refused_joint((impJointDef){ .kind = "hinge", .child = { 1 }, .axis = { NO_NUMBER, 0, 0 } },
                  "joint 'j': axis [nan, 0, 0]; it must have a direction");
    refused_joint((impJointDef){ .kind = "ball", .child = { 1 }, .at = { 0, HUGE_VAL, 0 } },
                  "joint 'j': at [0, inf, 0] m; each coordinate must lie within +-1e9");
    refused_joint(
        (impJointDef){ .kind = "universal", .child = { 1 }, .axis = z, .axis2 = { 0, 0.6, 0.8 } },
        "joint 'j': axis2 leans on axis by 0.8; they must be perpendicular");
    refused_joint((impJointDef){ .kind = "ball", .child = { 1 }, .limited = true },
                  "joint 'j': a ball has no limits; leave them out");
    refused_joint(
        (impJointDef){
            .kind = "hinge", .child = { 1 }, .axis = z, .limited = true, .lower = 1, .upper = -1 },
        "joint 'j': limits [1, -1]; the first must not exceed the second");
    refused_joint((impJointDef){ .kind = "hinge",
                                 .child = { 1 },
                                 .axis = z,
                                 .limited = true,
                                 .lower = NO_NUMBER,
                                 .upper = 1 },
                  "joint 'j': limits [nan, 1]; the first must not exceed the second");
    refused_joint(
        (impJointDef){
            .kind = "hinge", .child = { 1 }, .axis = z, .limited = true, .lower = 0.5, .upper = 1 },
        "joint 'j': limits [0.5, 1]; the pose of the scene, 0, must lie within");
    REFUSED(joined(joined(row_of(2), "twin", "ball", 0, 1), "twin", "ball", 0, 2),
            "joint 'twin': the name is taken; names must be unique");
}

static void a_method_refuses_what_it_cannot_move(void **state) {
    (void)state;
    impModel *m = built(joined(row_of(1), "door", "hinge", 0, 1));
    assert_null(impStepper_New(m, &(impStepperDef){ .method = "flight" }, &err));
    SAME_TEXT(message(0),
              "joint 'door': method flight cannot move a hinge; it knows free bodies only");
    assert_int_equal(err.fault, IMP_BAD_INPUT);
    impModel_Free(m);
    m = built(joined(row_of(1), "none", "free", 0, 1));
    impStepper *stepper = impStepper_New(m, NULL, &err);
    assert_non_null(stepper);
    impStepper_Free(stepper);
    impModel_Free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_body_has_seven_coordinates),
        cmocka_unit_test(fixed_and_prescribed_bodies_have_none),
        cmocka_unit_test(every_kind_has_its_share_in_order_of_the_bodies),
        cmocka_unit_test(a_hinge_chain_stands_as_it_was_written),
        cmocka_unit_test(a_child_may_come_before_its_parent),
        cmocka_unit_test(a_joint_takes_the_velocity_it_allows),
        cmocka_unit_test(a_second_joint_closes_a_loop),
        cmocka_unit_test(a_distance_carries_nobody),
        cmocka_unit_test(s19_bodies_that_carry_each_other_are_named),
        cmocka_unit_test(a_chain_of_ten_thousand_builds),
        cmocka_unit_test(i12_locked_freedoms_are_joints),
        cmocka_unit_test(s10_s19_joints_are_checked),
        cmocka_unit_test(a_method_refuses_what_it_cannot_move),
    };
    return RUN(tests);
}
