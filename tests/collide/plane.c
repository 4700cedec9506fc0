// plane.c -- everything over a half space: closed forms, the middle of what lies flat, the
// separation by definition.
//
// SPDX-License-Identifier: MIT
#include "oracle_support.h"

static impModel *zoo, *floors;
static impError err;
enum { FLOOR, WALL, SLOPE, FLOORS };

static void build_floors(void) {
    impScene *scene = impScene_New(vec(0, 0, 0));
    const impShapeDef defs[FLOORS] = { { .kind = "plane", .size = { 0, 0, 1, 0 } },
                                       { .kind = "plane", .size = { 1, 0, 0, -2.5 } },
                                       { .kind = "plane", .size = { 0.36, 0.48, 0.8, 0.25 } } };
    for (int i = 0; i < FLOORS; i++) {
        impScene_Body(scene, &(impBodyDef){ .fixed = true, .shapes = &defs[i], .shape_count = 1 },
                      &err);
    }
    floors = impModel_Build(scene, &err);
    impScene_Free(scene);
    if (!floors) {
        fail_msg("%s", err.message[0].text);
    }
}

static Placed floor_at(int i, impPose p) {
    return (Placed){ &floors->shape[i], &floors->geometry, p };
}
static const impQuat UPRIGHT = { 1, 0, 0, 0 };
static impQuat along_x(void) { return quat(sqrt(0.5), 0, sqrt(0.5), 0); }

static void near_vec(impVec3 a, impVec3 b, double tolerance) {
    NEAR(a.x, b.x, tolerance);
    NEAR(a.y, b.y, tolerance);
    NEAR(a.z, b.z, tolerance);
}

static void over_floor(int shape, impVec3 at, impQuat rotation, double distance, impVec3 on_a,
                       Feature feature) {
    Placed a = zoo_at(zoo, shape, pose(at, rotation));
    Placed b = floor_at(FLOOR, pose_identity());
    Closest c = collide_plane(&a, &b);
    NEAR(c.distance, distance, 1e-15);
    near_vec(c.normal, vec(0, 0, 1), 0);
    near_vec(c.on_a, on_a, 1e-15);
    near_vec(c.on_b, vec(on_a.x, on_a.y, 0), 1e-15);
    assert_int_equal(c.feature_a, feature);
    assert_int_equal(c.feature_b, feature_of(FEATURE_FACE, 0));
    assert_false(c.fallback);
}

static void what_lies_flat_is_met_in_its_middle(void **state) {
    (void)state;
    over_floor(ZOO_SPHERE, vec(1, 2, 3), UPRIGHT, 2.5, vec(1, 2, 2.5),
               feature_of(FEATURE_VERTEX, 0));
    over_floor(ZOO_CAPSULE, vec(1, 2, 3), along_x(), 2.8, vec(1, 2, 2.8),
               feature_of(FEATURE_EDGE, 0));
    over_floor(ZOO_CAPSULE, vec(1, 2, 3), UPRIGHT, 2.35, vec(1, 2, 2.35),
               feature_of(FEATURE_VERTEX, 0));
    over_floor(ZOO_BOX, vec(1, 2, 3), UPRIGHT, 2.5, vec(1, 2, 2.5), feature_of(FEATURE_FACE, 2));
    over_floor(ZOO_BOX, vec(1, 2, 3), quat_rotation(vec(1, 0, 0), PI / 4), 3 - sqrt(0.5),
               vec(1, 2, 3 - sqrt(0.5)), feature_of(FEATURE_EDGE, 2));
    over_floor(ZOO_PRISM, vec(1, 2, 3), UPRIGHT, 2.7, vec(1, 2, 2.7), feature_of(FEATURE_FACE, 1));
    over_floor(ZOO_CYLINDER, vec(1, 2, 3), UPRIGHT, 2.65, vec(1, 2, 2.65),
               feature_of(FEATURE_SMOOTH, 1));
    over_floor(ZOO_CYLINDER, vec(1, 2, 3), quat(0, 1, 0, 0), 2.65, vec(1, 2, 2.65),
               feature_of(FEATURE_SMOOTH, 2));
    over_floor(ZOO_CYLINDER, vec(1, 2, 3), along_x(), 2.6, vec(1, 2, 2.6),
               feature_of(FEATURE_SMOOTH, 0));
    over_floor(ZOO_CONE, vec(1, 2, 3), UPRIGHT, 3, vec(1, 2, 3), feature_of(FEATURE_SMOOTH, 1));
    over_floor(ZOO_CONE, vec(1, 2, 3), quat(0, 1, 0, 0), 2.2, vec(1, 2, 2.2),
               feature_of(FEATURE_SMOOTH, 3));
    over_floor(ZOO_ELLIPSOID, vec(1, 2, 3), UPRIGHT, 2.75, vec(1, 2, 2.75),
               feature_of(FEATURE_SMOOTH, 0));
}

static void below_it_the_same_formula(void **state) {
    (void)state;
    over_floor(ZOO_SPHERE, vec(1, 2, 0.25), UPRIGHT, -0.25, vec(1, 2, -0.25),
               feature_of(FEATURE_VERTEX, 0));
    over_floor(ZOO_BOX, vec(1, 2, 0.5), UPRIGHT, 0, vec(1, 2, 0), feature_of(FEATURE_FACE, 2));
    over_floor(ZOO_BOX, vec(1, 2, -100), UPRIGHT, -100.5, vec(1, 2, -100.5),
               feature_of(FEATURE_FACE, 2));
    over_floor(ZOO_CYLINDER, vec(1, 2, 0.25), UPRIGHT, -0.1, vec(1, 2, -0.1),
               feature_of(FEATURE_SMOOTH, 1));
}

// Any shape, any pose of both: the distance is the height of the lowest point, by other means.
static void the_lowest_point_decides(void **state) {
    (void)state;
    Draws d = { 4, 0 };
    int count = soak_count(10000);
    for (int i = 0; i < count; i++) {
        Placed a = zoo_at(zoo, i % ZOO_SHAPES, draw_pose(&d, 3));
        Placed b = floor_at(i / ZOO_SHAPES % FLOORS, draw_pose(&d, 3));
        const double *s = b.shape->size;
        impVec3 n = rotate(b.pose.rotation, vec(s[0], s[1], s[2]));
        Closest c = collide_closest(&a, &b, NULL);
        // its top touches the plane
        Placed point = zoo_at(zoo, ZOO_SPHERE, pose(madd(b.pose.at, s[3] - 0.5, n), UPRIGHT));
        double size = zoo_size(&a, &a);
        NEAR(c.distance, oracle_separation(&a, &point, n), 1e-14 * (size + 10));
        NEAR(oracle_off_surface(&a, c.on_a), 0, 1e-14 * (size + 10));
        NEAR(dot(n, sub(c.on_b, b.pose.at)), s[3], 1e-14);
        near_vec(sub(c.on_a, c.on_b), scale(c.distance, n), 1e-14);
        near_vec(c.normal, n, 1e-15);
        Closest m = collide_closest(&b, &a, NULL);
        SAME_BITS(m.distance, c.distance);
        SAME_BITS(m.normal.x, -c.normal.x);
        SAME_BITS(m.on_a.y, c.on_b.y);
        assert_int_equal(m.feature_b, c.feature_a);
    }
}

static void g3_a_grain_on_a_plane_1_km_away(void **state) {
    (void)state;
    impScene *scene = impScene_New(vec(0, 0, 0));
    impScene_Body(
        scene,
        &(impBodyDef){ .shapes = &(impShapeDef){ .kind = "box", .size = { 1e-6, 1e-6, 1e-6 } },
                       .shape_count = 1 },
        &err);
    impModel *m = impModel_Build(scene, &err);
    impScene_Free(scene);
    assert_non_null(m);
    Placed a = { &m->shape[0], &m->geometry, pose(vec(1000, -1000, 0x1p-20), UPRIGHT) };
    Placed b = floor_at(FLOOR, pose_identity());
    Closest c = collide_plane(&a, &b);
    NEAR(c.distance, 0x1p-20 - 5e-7, 1e-21);
    NEAR(c.on_a.x, 1000, 0);
    assert_int_equal(feature_kind(c.feature_a), FEATURE_FACE);
    impModel_Free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_lies_flat_is_met_in_its_middle),
        cmocka_unit_test(below_it_the_same_formula),
        cmocka_unit_test(the_lowest_point_decides),
        cmocka_unit_test(g3_a_grain_on_a_plane_1_km_away),
    };
    zoo = zoo_build(1);
    build_floors();
    int failed = RUN(tests);
    impModel_Free(zoo);
    impModel_Free(floors);
    return failed;
}
