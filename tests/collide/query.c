// query.c -- rays against a march along distances, boxes against a body that is one, near pairs
// against all pairs.
//
// SPDX-License-Identifier: MIT
#include "meshes.h"

#define NO_NUMBER ((double)NAN)  // NAN itself is a float
enum {
    PROBE = 1,
    DIE,
    BALL,
    CAPSULE,
    BRICK,
    HULL,
    CYLINDER,
    CONE,
    ELLIPSOID,
    CROSS,
    HILLS,
    CUBE,
    RING,
    PLANE,
    BODIES
};
static const double grain_of_sand = 1e-6;

static impModel *model;
static impState *state;

static int set_up(void **unused) {
    (void)unused;
    impScene *scene = impScene_New(vec(0, 0, -9.81));
    Triangles t[3] = { sheet(14, 14, at_hill), cube(3), sheet(24, 12, at_ring) };
    impVec3 cloud[20];
    for (int i = 0; i < 20; i++) {
        cloud[i] = random_vec(0.5);
    }
    impShapeDef s[] = {
        { .kind = "sphere", .size = { grain_of_sand } },
        { .kind = "box", .size = { 0.5, 0.75, 0.25 } },
        { .kind = "sphere", .size = { 0.3 } },
        { .kind = "capsule", .size = { 0.15, 0.7 } },
        { .kind = "box", .size = { 0.6, 0.4, 0.5 } },
        { .kind = "hull", .points = cloud, .point_count = 20 },
        { .kind = "cylinder", .size = { 0.25, 0.6 } },
        { .kind = "cone", .size = { 0.3, 0.6 } },
        { .kind = "ellipsoid", .size = { 0.2, 0.3, 0.5 } },
    };
    for (int i = 0; i < COUNT(s); i++) {
        impScene_Body(
            scene, &(impBodyDef){ .shapes = &s[i], .shape_count = 1, .pose.at.x = 100.0 + 5 * i },
            &err);
    }
    impShapeDef both[2] = { s[7], s[3] };
    both[1].pose.at.x = 0.6;
    impScene_Body(scene, &(impBodyDef){ .shapes = both, .shape_count = 2, .pose.at.y = 100 }, &err);
    for (int i = 0; i < 3; i++) {
        impShapeDef mesh = mesh_def(&t[i]);
        impScene_Body(
            scene,
            &(impBodyDef){
                .fixed = true, .shapes = &mesh, .shape_count = 1, .pose.at.y = -100.0 - 20 * i },
            &err);
        free_triangles(&t[i]);
    }
    impShapeDef plane = { .kind = "plane", .size = { 0, 0, 1, -50 } };
    impScene_Body(scene, &(impBodyDef){ .fixed = true, .shapes = &plane, .shape_count = 1 }, &err);
    model = model_of(scene);
    state = impState_New(model);
    return 0;
}

static int tear_down(void **unused) {
    (void)unused;
    impState_Free(state);
    impModel_Free(model);
    return 0;
}

static void put(int body, impPose p) {
    impTwist still = { { 0, 0, 0 }, { 0, 0, 0 } };
    if (!impState_Set(model, state, (impBody){ body }, p, still, &err)) {
        fail_msg("%s", err.message[0].text);
    }
}

static impPose shifted(impVec3 by, impPose p) { return pose(add(by, p.at), p.rotation); }
static impPose where(int body) { return impState_Pose(model, state, (impBody){ body }); }

// --- rays ----------------------------------------------------------------------------------------
// A grain of sand goes forward by its distance, again and again: it can only come to rest on the
// surface.
static double march(int body, impVec3 from, impVec3 along, double most) {
    double t = 0;
    for (int i = 0; i < 100000 && t < most; i++) {
        double d = collide_body_distance(model, PROBE, body,
                                         pose(madd(from, t, along), quat(1, 0, 0, 0)), where(body),
                                         HUGE_VAL)
                       .c.distance +
                   grain_of_sand;
        if (d < 1e-10) return t;
        t += d;
    }
    return HUGE_VAL;
}

static void a_ray_stops_where_a_march_does(void **unused) {
    (void)unused;
    int hits = 0, misses = 0;
    for (int i = 0; i < 1300; i++) {
        int body = BALL + i % (PLANE - BALL + 1);
        int bold = body >= HILLS && body <= RING;
        impPose p = body < HILLS ? random_pose(1) : where(body);
        if (body < HILLS) {
            put(body, p);
        }
        impVec3 center = body == PLANE ? vec(0, 0, -50) : p.at;
        impVec3 from = add(center, random_vec(bold ? 3 : 2));
        impVec3 to = add(center, random_vec(bold ? 1.5 : 0.4));
        impVec3 along = scale(1 / norm(sub(to, from)), sub(to, from));
        impHit hit;
        // starts inside
        if (march(body, from, along, 1e-9) == 0) continue;
        double t = march(body, from, along, 20);
        bool met = impCast(model, state, from, scale(7, along), 20, &hit);
        if (body < HILLS) {
            put(body, pose(vec(100.0 + 5 * body, 0, 0), quat(1, 0, 0, 0)));
        }
        // somebody else, in front
        if (met && hit.body.i != body) continue;
        if (met != (t < HUGE_VAL)) {
            // only where it grazes
            NEAR(march(body, madd(from, met ? hit.distance : t, along), along, 1e-9), 0, 1e-6);
            continue;
        }
        hits += met;
        misses += !met;
        if (!met) continue;
        double steep = -dot(hit.normal, along);
        NEAR(hit.distance, t, 1e-9 / (steep * steep));
        NEAR(norm(hit.normal), 1, 1e-13);
        assert_true(steep > 0);
        NEAR(norm(sub(hit.point, madd(from, hit.distance, along))), 0, 1e-12);
    }
    print_message("%d hits, %d misses\n", hits, misses);
    assert_true(hits > 500 && misses > 100);
}

static bool cast(impVec3 from, impVec3 toward, double most, int body, double distance,
                 impVec3 normal) {
    impHit hit;
    if (!impCast(model, state, from, toward, most, &hit)) return false;
    assert_int_equal(hit.body.i, body);
    NEAR(hit.distance, distance, 1e-12);
    NEAR(largest(sub(hit.normal, normal)), 0, 1e-12);
    return true;
}

static void rays_along_axes(void **unused) {
    (void)unused;
    impVec3 up = vec(0, 0, 1);
    impVec3 down = vec(0, 0, -1);
    impVec3 x = vec(1, 0, 0);
    put(BALL, pose_identity());
    assert_true(cast(vec(0, 0, 5), down, 9, BALL, 4.7, up));
    assert_true(cast(vec(0, 0, 5), vec(0, 0, -1e200), 9, BALL, 4.7, up));
    assert_true(cast(vec(0, 0, 5), vec(0, 0, -1e-200), HUGE_VAL, BALL, 4.7, up));
    assert_false(cast(vec(0, 0, 5), down, 4.6, BALL, 0, up));
    assert_false(cast(vec(0, 0, 5), up, 9, BALL, 0, up));
    assert_false(cast(vec(0.301, 0, 5), down, 9, BALL, 0, up));
    put(BALL, pose(vec(200, 0, 0), quat(1, 0, 0, 0)));
    put(CONE, pose_identity());
    assert_true(cast(vec(0, 0, 5), down, 9, CONE, 4.4, up));
    assert_true(cast(vec(0.1, 0.1, -5), up, 9, CONE, 5, down));
    assert_true(cast(vec(5, 0, 0.3), neg(x), 9, CONE, 4.85, scale(1 / sqrt(1.25), vec(1, 0, 0.5))));
    put(CONE, pose(vec(210, 0, 0), quat(1, 0, 0, 0)));
    put(CYLINDER, pose_identity());
    assert_true(cast(vec(0.1, 0, 5), down, 9, CYLINDER, 4.7, up));
    assert_true(cast(vec(5, 0, 0.1), neg(x), 9, CYLINDER, 4.75, x));
    put(CYLINDER, pose(vec(220, 0, 0), quat(1, 0, 0, 0)));
    put(CAPSULE, pose_identity());
    assert_true(cast(vec(0, 0, 5), down, 9, CAPSULE, 4.5, up));
    assert_true(cast(vec(5, 0, 0.1), neg(x), 9, CAPSULE, 4.85, x));
    put(CAPSULE, pose(vec(230, 0, 0), quat(1, 0, 0, 0)));
    assert_true(cast(vec(0, 0, 5), down, HUGE_VAL, PLANE, 55, up));
    // from within the ground
    assert_false(cast(vec(0, 0, -55), up, HUGE_VAL, PLANE, 0, up));
}

static void from_inside_nothing_is_seen(void **unused) {
    (void)unused;
    for (int i = 0; i < 300; i++) {
        int body = BALL + i % (ELLIPSOID - BALL + 1);
        put(body, pose(vec(0, 0, body == CONE ? -0.2 : 0), quat(1, 0, 0, 0)));
        impHit hit;
        impVec3 from = random_vec(0.04);
        impVec3 along = random_vec(1);
        assert_false(impCast(model, state, from, along, 5, &hit));
        assert_int_equal(hit.body.i, -1);
        put(body, pose(vec(100.0 + 5 * body, 0, 0), quat(1, 0, 0, 0)));
    }
    // within the cube of triangles
    assert_false(impCast(model, state, vec(0, -120, 0), vec(0, 0.1, 1), 5, NULL));
    assert_true(impCast(model, state, vec(0, -120, 2), vec(0, 0, -1), 5, NULL));
    // out of the ring, and in again
    assert_true(impCast(model, state, vec(1, -140, 0), vec(-1, 0, 0), 5, NULL));
}

static void no_ray_slips_between_triangles(void **unused) {
    (void)unused;
    // at vertices and along edges of the cube
    for (int i = 0; i < 2000; i++) {
        int a = i % 4;
        int b = i / 4 % 4;
        double u = -1 + 2.0 * a / 3;
        double v = -1 + 2.0 * b / 3;
        impVec3 at = vec(0.999 * u, -120 + 0.999 * v, 1);
        impVec3 from = i % 2 ? vec(at.x, at.y, 3) : add(vec(0, -120, 3), random_vec(0.5));
        // exactly on it
        bool diagonal = i % 2 && a == 1;
        if (diagonal) {
            at.x = 0.0625 * b;
            at.y = -120 + at.x;
            from = vec(at.x, at.y, 3);
        } else if (a > 0 && a < 3 && b > 0 && b < 3) {
            at = vec(u, -120 + v, 1);
        }
        impHit hit;
        assert_true(impCast(model, state, from, sub(at, from), 9, &hit));
        assert_int_equal(hit.body.i, CUBE);
        NEAR(hit.normal.z, 1, 1e-15);
    }
}

static void of_equals_the_first(void **unused) {
    (void)unused;
    put(BRICK, pose(vec(0, 0, -0.25), quat(1, 0, 0, 0)));
    put(CYLINDER, pose(vec(0, 0, -0.3), quat(1, 0, 0, 0)));
    assert_true(cast(vec(0, 0, 5), vec(0, 0, -1), 9, BRICK, 5, vec(0, 0, 1)));
    put(BRICK, pose(vec(300, 0, 0), quat(1, 0, 0, 0)));
    put(CYLINDER, pose(vec(310, 0, 0), quat(1, 0, 0, 0)));
}

// --- boxes ---------------------------------------------------------------------------------------
static void a_box_overlaps_what_a_body_of_its_size_would(void **unused) {
    (void)unused;
    int found = 0;
    impVec3 half = vec(0.25, 0.375, 0.125);
    for (int i = 0; i < 300; i++) {
        for (int b = BALL; b <= CROSS; b++) {
            put(b, shifted(vec(0, -100, 0), random_pose(1.5)));
        }
        impVec3 at = add(vec(0, i % 3 ? -100 : -120 - 20 * (i % 2), 0), random_vec(1.5));
        impBody out[BODIES];
        int count = impOverlap(model, state, sub(at, half), add(at, half), out, BODIES);
        int next = 0;
        for (int b = PROBE; b < BODIES; b++) {
            if (b == DIE) continue;
            double d = collide_body_distance(model, DIE, b, pose(at, quat(1, 0, 0, 0)), where(b),
                                             HUGE_VAL)
                           .c.distance;
            bool in = next < count && out[next].i == b;
            if (fabs(d) > 1e-9 && in != (d <= 0)) {
                fail_msg("body %d at %g m: %s", b, d, in ? "found" : "not found");
            }
            next += in;
        }
        assert_int_equal(next, count);
        found += count;
        impBody few[1] = { { -7 } };
        assert_int_equal(impOverlap(model, state, sub(at, half), add(at, half), few, 1), count);
        assert_int_equal(few[0].i, count ? out[0].i : -7);
    }
    assert_true(found > 100);
}

static void boxes_of_odd_sizes(void **unused) {
    (void)unused;
    double much = HUGE_VAL;
    impBody out[BODIES];
    assert_int_equal(
        impOverlap(model, state, vec(-much, -much, -much), vec(much, much, much), out, BODIES),
        BODIES - 1);
    assert_int_equal(
        impOverlap(model, state, vec(-much, -much, -much), vec(much, much, -50), out, BODIES), 1);
    assert_int_equal(out[0].i, PLANE);
    put(BALL, pose(vec(0, 50, 0), quat(1, 0, 0, 0)));
    impVec3 at = vec(0, 50.1, 0);
    // a point
    assert_int_equal(impOverlap(model, state, at, at, out, BODIES), 1);
    assert_int_equal(impOverlap(model, state, vec(0, 50.31, 0), vec(0, 50.31, 0), NULL, 0), 0);
    // a sheet
    assert_int_equal(impOverlap(model, state, vec(-5, 50.29, -5), vec(5, 50.29, 5), NULL, 0), 1);
    assert_int_equal(impOverlap(model, state, vec(1, 1, 1), vec(-1, -1, -1), NULL, 0), 0);
    assert_int_equal(impOverlap(model, state, vec(NO_NUMBER, 1, 1), vec(2, 2, 2), NULL, 0), 0);
    // inside the cube
    assert_int_equal(
        impOverlap(model, state, vec(-0.1, -120.1, -0.1), vec(0.1, -119.9, 0.1), out, 4), 1);
    assert_int_equal(out[0].i, CUBE);
}

// --- distances, pairs ----------------------------------------------------------------------------
static void distances_have_a_sign_and_an_order(void **unused) {
    (void)unused;
    put(BALL, pose(vec(0, 0, 2), quat(1, 0, 0, 0)));
    put(BRICK, pose(vec(0, 0, 1), quat(1, 0, 0, 0)));
    impVec3 a, b, n;
    NEAR(impDistance(model, state, (impBody){ BALL }, (impBody){ BRICK }, &a, &b, &n), 0.45, 1e-15);
    NEAR(n.z, 1, 0);
    NEAR(a.z, 1.7, 1e-15);
    NEAR(b.z, 1.25, 1e-15);
    NEAR(impDistance(model, state, (impBody){ BRICK }, (impBody){ BALL }, NULL, NULL, &n), 0.45,
         1e-15);
    NEAR(n.z, -1, 0);
    NEAR(impDistance(model, state, (impBody){ BALL }, (impBody){ PLANE }, NULL, NULL, NULL), 51.7,
         1e-13);
    put(BALL, pose(vec(0, 0, 1.5), quat(1, 0, 0, 0)));
    NEAR(impDistance(model, state, (impBody){ BALL }, (impBody){ BRICK }, NULL, NULL, NULL), -0.05,
         1e-15);
}

static void who_asks_wrongly_finds_nothing(void **unused) {
    (void)unused;
    impVec3 z = vec(0, 0, 0);
    impVec3 up = vec(0, 0, 1);
    impVec3 bad = vec(0, NO_NUMBER, 0);
    impHit hit;
    impNear near;
    impBody body;
    assert_false(impCast(NULL, state, z, up, 1, &hit));
    assert_false(impCast(model, NULL, z, up, 1, &hit));
    assert_false(impCast(model, state, bad, up, 1, &hit) || impCast(model, state, z, bad, 1, &hit));
    assert_false(impCast(model, state, z, z, 1, &hit) ||
                 impCast(model, state, z, up, NO_NUMBER, &hit));
    assert_false(impCast(model, state, z, up, -1, &hit) || impCast(model, state, z, up, 0, &hit));
    assert_int_equal(hit.body.i, -1);
    assert_int_equal(impOverlap(NULL, NULL, z, up, &body, 1), 0);
    assert_true(impDistance(NULL, state, (impBody){ 1 }, (impBody){ 2 }, NULL, NULL, NULL) ==
                HUGE_VAL);
    assert_true(impDistance(model, state, (impBody){ 1 }, (impBody){ 99 }, NULL, NULL, NULL) ==
                HUGE_VAL);
    assert_true(impDistance(model, state, (impBody){ -1 }, (impBody){ 2 }, NULL, NULL, NULL) ==
                HUGE_VAL);
    assert_true(impDistance(model, state, (impBody){ 2 }, (impBody){ 2 }, NULL, NULL, NULL) ==
                HUGE_VAL);
    assert_true(impDistance(model, state, (impBody){ 0 }, (impBody){ 2 }, NULL, NULL, NULL) ==
                HUGE_VAL);
    assert_int_equal(impNearPairs(NULL, state, 1, &near, 1), 0);
    assert_int_equal(impNearPairs(model, state, NO_NUMBER, &near, 1), 0);
    assert_true(impNearPairs(model, state, 1, NULL, 5) >= 0);
}

static void near_pairs_are_those_of_all_pairs(void **unused) {
    (void)unused;
    static impNear list[BODIES * BODIES], few[5];
    for (int i = 0; i < 40; i++) {
        for (int b = PROBE; b <= CROSS; b++) {
            put(b, shifted(vec(0, -100, 0), random_pose(2)));
        }
        // negative: deeper than that
        double within = i % 4 ? uniform(-0.3, 2) : HUGE_VAL;
        int count = impNearPairs(model, state, within, list, COUNT(list));
        int expected = 0;
        for (int a = 1; a < BODIES; a++) {
            for (int b = a + 1; b < BODIES; b++) {
                double d = a > CROSS ? HUGE_VAL
                                     : impDistance(model, state, (impBody){ a }, (impBody){ b },
                                                   NULL, NULL, NULL);
                if (d > within || d == HUGE_VAL) continue;
                expected++;
                bool there = false;
                for (int k = 0; k < count; k++) {
                    if (list[k].a.i != a || list[k].b.i != b) continue;
                    there = true;
                    SAME_BITS(list[k].distance, d);
                    assert_true(list[k].feature_a[0] && list[k].feature_b[0]);
                }
                if (!there) {
                    fail_msg("bodies %d and %d at %g are not in the list", a, b, d);
                }
            }
        }
        assert_int_equal(count, expected);
        for (int k = 1; k < count; k++) {
            assert_true(list[k].distance >= list[k - 1].distance);
        }
        assert_int_equal(impNearPairs(model, state, within, few, 5), count);
        for (int k = 0; k < 5 && k < count; k++) {
            assert_true(few[k].a.i == list[k].a.i && few[k].b.i == list[k].b.i);
        }
    }
}

static void times_are_bounds(void **unused) {
    (void)unused;
    impNear near[8];
    impTwist down = { { 0, 0, -2 }, { 0, 0, 0 } };
    for (int b = PROBE; b <= CROSS; b++) {
        put(b, pose(vec(100.0 * b, 0, 0), quat(1, 0, 0, 0)));
    }
    assert_true(impState_Set(model, state, (impBody){ BALL },
                             pose(vec(0, 0, -49), quat(1, 0, 0, 0)), down, &err));
    assert_true(impState_Set(model, state, (impBody){ BRICK },
                             pose(vec(0.1, -120.2, 1.75), quat(1, 0, 0, 0)), down, &err));
    put(CONE, pose(vec(300, 0, -50.1), quat(1, 0, 0, 0)));
    assert_int_equal(impNearPairs(model, state, 0.8, near, 8), 3);
    double fall = (sqrt(4 + 2 * 9.81 * 0.7) - 2) / 9.81;
    double fall2 = (sqrt(4 + 2 * 9.81 * 0.5) - 2) / 9.81;
    assert_true(near[0].a.i == CONE && near[1].a.i == BRICK && near[2].a.i == BALL);
    NEAR(near[0].time, 0, 0);
    // onto the cube of triangles
    assert_true(near[1].time <= fall2 && near[1].time > 0.9 * fall2);
    // onto the plane
    assert_true(near[2].time <= fall && near[2].time > 0.999 * fall);
    impTwist up = { { 0, 0, 3 }, { 0, 0, 0 } };
    assert_true(impState_Set(model, state, (impBody){ BALL },
                             pose(vec(500, 0, 0), quat(1, 0, 0, 0)), up, &err));
    put(CAPSULE, pose(vec(500, 0, -1.2), quat(1, 0, 0, 0)));
    assert_int_equal(impNearPairs(model, state, 0.8, near, 8), 3);
    // both fall: apart for ever
    assert_true(near[1].a.i == BALL && near[1].b.i == CAPSULE && near[1].time == HUGE_VAL);
}

static void features_have_names(void **unused) {
    (void)unused;
    impNear near[8];
    for (int b = PROBE; b <= CROSS; b++) {
        put(b, pose(vec(100.0 * b, 0, 0), quat(1, 0, 0, 0)));
    }
    put(CYLINDER, pose(vec(0, 0, -49.65), quat(1, 0, 0, 0)));
    put(BALL, pose(vec(0.1, -120.2, 1.31), quat(1, 0, 0, 0)));
    assert_int_equal(impNearPairs(model, state, 0.1, near, 8), 2);
    SAME_TEXT(near[0].feature_a, "surface");
    assert_memory_equal(near[0].feature_b, "triangle ", 9);
    SAME_TEXT(near[1].feature_a, "lower cap");
    SAME_TEXT(near[1].feature_b, "plane");
    NEAR(near[1].distance, 0.05, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ray_stops_where_a_march_does),
        cmocka_unit_test(rays_along_axes),
        cmocka_unit_test(from_inside_nothing_is_seen),
        cmocka_unit_test(no_ray_slips_between_triangles),
        cmocka_unit_test(of_equals_the_first),
        cmocka_unit_test(a_box_overlaps_what_a_body_of_its_size_would),
        cmocka_unit_test(boxes_of_odd_sizes),
        cmocka_unit_test(distances_have_a_sign_and_an_order),
        cmocka_unit_test(who_asks_wrongly_finds_nothing),
        cmocka_unit_test(near_pairs_are_those_of_all_pairs),
        cmocka_unit_test(times_are_bounds),
        cmocka_unit_test(features_have_names),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
