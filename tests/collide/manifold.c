// manifold.c -- how many points, where, how far, and under which name.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "collide/walk.h"

static impError err;
static impModel *model;
enum { CUBE, PLATE, PRISM, CYLINDER, CONE, CAPSULE, BALL, FLOOR, KINDS };

static void build_shapes(void) {
    impScene *scene = impScene_New(vec(0, 0, 0));
    impVec3 prism[12];
    for (int i = 0; i < 6; i++) {
        SinCos c = num_sincos_turns(i / 6.0);
        prism[i] = vec(c.cos, c.sin, -0.5);
        prism[i + 6] = vec(c.cos, c.sin, 0.5);
    }
    impShapeDef defs[KINDS] = {
        { .kind = "box", .size = { 1, 1, 1 } },
        { .kind = "box", .size = { 4, 4, 0.2 } },
        { .kind = "hull", .points = prism, .point_count = 12 },
        { .kind = "cylinder", .size = { 0.5, 1 } },
        { .kind = "cone", .size = { 0.5, 1 } },
        { .kind = "capsule", .size = { 0.2, 1 } },
        { .kind = "sphere", .size = { 0.3 } },
        { .kind = "plane", .size = { 0, 0, 1, 0 } },
    };
    for (int i = 0; i < KINDS; i++) {
        impScene_Body(scene,
                      &(impBodyDef){ .shapes = &defs[i], .shape_count = 1, .fixed = i == FLOOR },
                      &err);
    }
    model = impModel_Build(scene, &err);
    if (!model) {
        fail_msg("%s", err.message[0].text);
    }
    impScene_Free(scene);
}

static Placed at(int shape, double x, double y, double z, impQuat q) {
    return (Placed){ &model->shape[shape], &model->geometry, pose(vec(x, y, z), q) };
}
static impQuat about_z(double turns) { return quat_rotation(vec(0, 0, 1), TAU * turns); }
static const impQuat identity = { 1, 0, 0, 0 };

static Manifold touch(Placed a, Placed b, double margin) {
    Closest c = collide_closest(&a, &b, NULL);
    return collide_manifold(&a, &b, &c, margin, 0);
}

static void count_is(Manifold m, int count, double gap, double tolerance) {
    assert_int_equal(m.count, count);
    assert_false(m.cut);
    for (int i = 0; i < m.count; i++) {
        NEAR(m.point[i].gap, gap, tolerance);
        // all names differ, in their order
        if (i) {
            assert_true(m.point[i].feature > m.point[i - 1].feature);
        }
        assert_true(m.point[i].feature < (uint64_t)1 << 53);
    }
}

static void cube_on_cube_has_four_points(void **state) {
    (void)state;
    Manifold m = touch(at(CUBE, 0, 0, 1.01, identity), at(CUBE, 0, 0, 0, identity), 0.1);
    count_is(m, 4, 0.01, 1e-15);
    NEAR(m.normal.z, 1, 0);
    for (int i = 0; i < 4; i++) {
        NEAR(fabs(m.point[i].at.x) + fabs(m.point[i].at.y), 1, 1e-15);
        NEAR(m.point[i].at.z, 0.505, 1e-15);
    }
}

static void an_offset_cube_has_four_points(void **state) {
    (void)state;
    count_is(touch(at(CUBE, 0.3, -0.2, 1.01, identity), at(CUBE, 0, 0, 0, identity), 0.1), 4, 0.01,
             1e-15);
    count_is(touch(at(CUBE, 0.3, -0.2, -1.01, identity), at(CUBE, 0, 0, 0, identity), 0.1), 4, 0.01,
             1e-15);
}

static void a_cube_turned_by_45_degrees_has_eight(void **state) {
    (void)state;
    count_is(touch(at(CUBE, 0, 0, 1.01, about_z(0.125)), at(CUBE, 0, 0, 0, identity), 0.1), 8, 0.01,
             1e-14);
}

static void every_corner_of_a_prism_on_a_plate(void **state) {
    (void)state;
    count_is(touch(at(PRISM, 0, 0, 0.61, about_z(0.03)), at(PLATE, 0, 0, 0, identity), 0.1), 6,
             0.01, 1e-14);
}

static void a_tilted_cube_keeps_the_points_within_the_margin(void **state) {
    (void)state;
    impQuat tilt = quat_rotation(vec(0, 1, 0), 0.02);
    Manifold all = touch(at(CUBE, 0, 0, 0.62, tilt), at(PLATE, 0, 0, 0, identity), 0.1);
    Manifold near = touch(at(CUBE, 0, 0, 0.62, tilt), at(PLATE, 0, 0, 0, identity), 0.015);
    assert_int_equal(all.count, 4);
    assert_int_equal(near.count, 2);
    for (int i = 0; i < 2; i++) {
        NEAR(near.point[i].gap, 0.52 - 0.5 * sin(0.02) - 0.5 * cos(0.02), 1e-14);
    }
}

static void round_things_on_a_plate(void **state) {
    (void)state;
    impQuat lying = quat_rotation(vec(1, 0, 0), 0.25 * TAU);
    Placed plate = at(PLATE, 0, 0, 0, identity);
    count_is(touch(at(CYLINDER, 0, 0, 0.61, identity), plate, 0.1), 8, 0.01, 1e-9);
    count_is(touch(at(CYLINDER, 0, 0, 0.61, lying), plate, 0.1), 2, 0.01, 1e-9);
    count_is(touch(at(CONE, 0, 0, 0.11, identity), plate, 0.1), 8, 0.01, 1e-9);
    count_is(touch(at(CAPSULE, 0, 0, 0.31, lying), plate, 0.1), 2, 0.01, 1e-12);
    count_is(touch(at(CAPSULE, 0, 0, 0.81, identity), plate, 0.1), 1, 0.01, 1e-12);
    count_is(touch(at(BALL, 0, 0, 0.41, identity), plate, 0.1), 1, 0.01, 1e-12);
}

static void everything_on_an_endless_floor(void **state) {
    (void)state;
    impQuat lying = quat_rotation(vec(1, 0, 0), 0.25 * TAU);
    Placed floor = at(FLOOR, 0, 0, 0, identity);
    count_is(touch(at(CUBE, 7, 5, 0.51, about_z(0.1)), floor, 0.1), 4, 0.01, 1e-14);
    count_is(touch(at(CYLINDER, 0, 0, 0.51, identity), floor, 0.1), 8, 0.01, 1e-12);
    count_is(touch(at(CYLINDER, 0, 0, 0.51, lying), floor, 0.1), 2, 0.01, 1e-12);
    count_is(touch(at(BALL, 0, 0, 0.31, identity), floor, 0.1), 1, 0.01, 1e-15);
    Manifold level_violation = touch(at(CUBE, 0, 0, 0.49, identity), floor, 0.1);
    count_is(level_violation, 4, -0.01, 1e-14);
    NEAR(level_violation.normal.z, 1, 0);
}

static void parallel_edges_have_two_points(void **state) {
    (void)state;
    impQuat on_edge = quat_rotation(vec(0, 1, 0), 0.125 * TAU);
    double half = sqrt(0.5);
    count_is(touch(at(CUBE, 0, 0.3, 2 * half + 0.01, on_edge), at(CUBE, 0, 0, 0, on_edge), 0.1), 2,
             0.01, 1e-13);
}

static void crossing_edges_have_one(void **state) {
    (void)state;
    double half = sqrt(0.5);
    Placed a = at(CUBE, 0, 0, 2 * half + 0.01,
                  qmul(about_z(0.25), quat_rotation(vec(0, 1, 0), 0.125 * TAU)));
    count_is(touch(a, at(CUBE, 0, 0, 0, quat_rotation(vec(0, 1, 0), 0.125 * TAU)), 0.1), 1, 0.01,
             1e-13);
}

// Two cubes turned about z and shifted: no two points have one name, and mirrored roles have as
// many.
static void no_two_points_have_one_name(void **state) {
    (void)state;
    for (int i = 0; i < 2000; i++) {
        double x = 1.2 * num_uniform(5, 1, 3 * (uint64_t)i) - 0.6;
        double y = 1.2 * num_uniform(5, 1, 3 * (uint64_t)i + 1) - 0.6;
        Placed a = at(CUBE, x, y, 1.01, about_z(num_uniform(5, 1, 3 * (uint64_t)i + 2)));
        Placed b = at(CUBE, 0, 0, 0, identity);
        Manifold m = touch(a, b, 0.1);
        for (int k = 1; k < m.count; k++) {
            assert_true(m.point[k - 1].feature < m.point[k].feature);
        }
        assert_int_equal(touch(b, a, 0.1).count, m.count);
    }
}

// A small cube near the rim of a cylinder's cap, between two marks of the rim: all its corners
// count; over the rim, where its edges cross it.
static void a_disc_is_round(void **state) {
    (void)state;
    impModel *kept = model;
    impScene *scene = impScene_New(vec(0, 0, 0));
    impShapeDef drum = { .kind = "cylinder", .size = { 1, 1 } };
    impShapeDef dice = { .kind = "box", .size = { 0.04, 0.04, 0.04 } };
    impShapeDef stick = { .kind = "capsule", .size = { 0.1, 3 } };
    impScene_Body(scene, &(impBodyDef){ .shapes = &drum, .shape_count = 1 }, &err);
    impScene_Body(scene, &(impBodyDef){ .shapes = &dice, .shape_count = 1 }, &err);
    impScene_Body(scene, &(impBodyDef){ .shapes = &stick, .shape_count = 1 }, &err);
    model = impModel_Build(scene, &err);
    impScene_Free(scene);
    SinCos t = num_sincos_turns(1.0 / 16);
    for (int swap = 0; swap < 2; swap++) {
        Placed a = at(1, 0.96 * t.cos, 0.96 * t.sin, 0.53, about_z(1.0 / 16));
        Placed b = at(0, 0, 0, 0, identity);
        count_is(swap ? touch(b, a, 0.1) : touch(a, b, 0.1), 4, 0.01, 1e-9);
        a.pose.at = vec(t.cos, t.sin, 0.53);
        // two corners, two crossings
        count_is(swap ? touch(b, a, 0.1) : touch(a, b, 0.1), 4, 0.01, 1e-9);
        a = at(2, 0.95 * t.cos, 0.95 * t.sin, 0.61,
               qmul(about_z(1.0 / 16), quat_rotation(vec(1, 0, 0), TAU / 4)));
        // a stick across it, beyond the straight way between two marks
        Manifold m = swap ? touch(b, a, 0.1) : touch(a, b, 0.1);
        count_is(m, 2, 0.01, 1e-9);
        NEAR(norm(sub(m.point[0].at, m.point[1].at)), 2 * sqrt(1 - 0.95 * 0.95), 1e-9);
        // it may roll
        assert_int_equal(m.point[0].contact_motion, swap ? MOVES_WITH_B : MOVES_WITH_A);
    }
    impModel_Free(model);
    model = kept;
}

// More corners than a manifold has room for: some of them, and it says so.
static void a_face_of_a_hundred_corners(void **state) {
    (void)state;
    impModel *kept = model;
    impVec3 points[200];
    for (int i = 0; i < 200; i++) {
        SinCos t = num_sincos_turns(i / 100.0);
        points[i] = vec(t.cos, t.sin, i < 100 ? 0 : 0.2);
    }
    impScene *scene = impScene_New(vec(0, 0, 0));
    impShapeDef prism = { .kind = "hull", .points = points, .point_count = 200 };
    impShapeDef plane = { .kind = "plane", .size = { 0, 0, 1, 0 } };
    impScene_Body(scene, &(impBodyDef){ .shapes = &prism, .shape_count = 1 }, &err);
    impScene_Body(scene, &(impBodyDef){ .fixed = true, .shapes = &plane, .shape_count = 1 }, &err);
    model = impModel_Build(scene, &err);
    impScene_Free(scene);
    Manifold m = touch(at(0, 0, 0, 0.01, identity), at(1, 0, 0, 0, identity), 0.1);
    assert_true(m.cut && m.count >= 50);
    impModel_Free(model);
    model = kept;
}

// While a cube slides and turns a little on another, the names of its points do not change.
static void names_stay_while_the_features_do(void **state) {
    (void)state;
    Manifold first = touch(at(CUBE, 0.3, 0.2, 1.01, identity), at(PLATE, 0, 0, 0.4, identity), 0.1);
    for (int k = 1; k < 50; k++) {
        Placed a = at(CUBE, 0.3 + 0.01 * k, 0.2 - 0.003 * k, 1.01, about_z(0.001 * k));
        Placed b = at(PLATE, 0, 0, 0.4, identity);
        Manifold m = touch(a, b, 0.1);
        assert_int_equal(m.count, first.count);
        for (int i = 0; i < m.count; i++) {
            assert_true(m.point[i].feature == first.point[i].feature);
        }
    }
}

// Rocking through the flat pose, the reference stays with the face that had it.
static void the_reference_does_not_flip(void **state) {
    (void)state;
    uint32_t last = 0;
    int changes = -1;
    for (int k = 0; k < 200; k++) {
        impQuat tilt = quat_rotation(vec(0, 1, 0), 1e-4 * ((k % 7) - 3));
        Placed a = at(CUBE, 0, 0, 1.01, tilt);
        Placed b = at(CUBE, 0, 0, 0, identity);
        Closest c = collide_closest(&a, &b, NULL);
        Manifold m = collide_manifold(&a, &b, &c, 0.1, last);
        assert_int_equal(m.count, 4);
        if (m.reference != last) {
            changes++;
        }
        last = m.reference;
    }
    assert_int_equal(changes, 0);
}

int main(void) {
    build_shapes();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cube_on_cube_has_four_points),
        cmocka_unit_test(an_offset_cube_has_four_points),
        cmocka_unit_test(a_cube_turned_by_45_degrees_has_eight),
        cmocka_unit_test(every_corner_of_a_prism_on_a_plate),
        cmocka_unit_test(a_tilted_cube_keeps_the_points_within_the_margin),
        cmocka_unit_test(round_things_on_a_plate),
        cmocka_unit_test(everything_on_an_endless_floor),
        cmocka_unit_test(parallel_edges_have_two_points),
        cmocka_unit_test(crossing_edges_have_one),
        cmocka_unit_test(names_stay_while_the_features_do),
        cmocka_unit_test(the_reference_does_not_flip),
        cmocka_unit_test(no_two_points_have_one_name),
        cmocka_unit_test(a_disc_is_round),
        cmocka_unit_test(a_face_of_a_hundred_corners),
    };
    int failed = RUN(tests);
    impModel_Free(model);
    return failed;
}
