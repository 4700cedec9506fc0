// pairs.c -- the table of pairs: mirrored under a swap, the same under a common motion.
// Certificates: distance_soak.c.
//
// SPDX-License-Identifier: MIT
#include "oracle_support.h"

static impModel *zoo;
static impError err;
static const impQuat UPRIGHT = { 1, 0, 0, 0 };

static void same_vec(impVec3 a, impVec3 b) {
    SAME_BITS(a.x, b.x);
    SAME_BITS(a.y, b.y);
    SAME_BITS(a.z, b.z);
}

static void draw_any(Draws *d, int i, Placed *a, Placed *b) {
    draw_pair(d, zoo, i % ZOO_SHAPES, (i / ZOO_SHAPES) % ZOO_SHAPES, (Apart)(i % APARTS), a, b);
}

// --- one answer for both orders, any hint --------------------------------------------------------
static void swapping_mirrors_every_bit(void **state) {
    (void)state;
    Draws d = { 11, 0 };
    for (int i = 0; i < 3000; i++) {
        Placed a, b;
        draw_any(&d, i, &a, &b);
        Closest c = collide_closest(&a, &b, NULL);
        Closest m = collide_closest(&b, &a, NULL);
        SAME_BITS(m.distance, c.distance);
        same_vec(m.normal, neg(c.normal));
        same_vec(m.on_a, c.on_b);
        same_vec(m.on_b, c.on_a);
        assert_true(m.feature_a == c.feature_b && m.feature_b == c.feature_a);
    }
}

static void a_hint_changes_no_bit(void **state) {
    (void)state;
    Draws d = { 12, 0 };
    StartFeature start_feature = { .known = false };
    for (int i = 0; i < 3000; i++) {
        Placed a, b;
        draw_any(&d, i / 4, &a, &b);
        // else that of another pose of other shapes
        if (i % 4 == 0) {
            start_feature = (StartFeature){ .known = false };
        }
        Closest cold = collide_closest(&a, &b, NULL);
        Closest warm = collide_closest(&a, &b, &start_feature);
        SAME_BITS(warm.distance, cold.distance);
        same_vec(warm.normal, cold.normal);
        same_vec(warm.on_a, cold.on_a);
    }
}

// --- a common motion -----------------------------------------------------------------------------
// Where the closest points are unique they move along; where they are not (parallel features), the
// normal and the distance do.
static void a_common_motion_changes_nothing(void **state) {
    (void)state;
    Draws d = { 13, 0 };
    for (int i = 0; i < 2000; i++) {
        Placed a, b;
        draw_pair(&d, zoo, i % ZOO_SHAPES, (i / ZOO_SHAPES) % ZOO_SHAPES,
                  i % 2 ? APART_FAR : APART_NEAR, &a, &b);
        Closest c = collide_closest(&a, &b, NULL);
        impPose move = draw_pose(&d, 1);
        a.pose = pose_mul(move, a.pose);
        b.pose = pose_mul(move, b.pose);
        Closest m = collide_closest(&a, &b, NULL);
        double size = zoo_size(&a, &b);
        NEAR(m.distance, c.distance, 1e-12 * size);
        if (c.distance > 1e-3 * size) {
            NEAR(norm(sub(m.normal, rotate(move.rotation, c.normal))), 0, 1e-10);
        }
    }
}

// --- the cells -----------------------------------------------------------------------------------
static impModel *shapes_of(const impShapeDef *defs, int count) {
    impScene *scene = impScene_New(vec(0, 0, 0));
    for (int i = 0; i < count; i++) {
        impScene_Body(scene, &(impBodyDef){ .fixed = true, .shapes = &defs[i], .shape_count = 1 },
                      &err);
    }
    impModel *m = impModel_Build(scene, &err);
    impScene_Free(scene);
    if (!m) {
        fail_msg("%s", err.message[0].text);
    }
    return m;
}

static void planes_and_meshes_are_nobodys_here(void **state) {
    (void)state;
    const impVec3 corner[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    const int32_t faces[16] = { 3, 0, 2, 1, 3, 0, 1, 3, 3, 0, 3, 2, 3, 1, 2, 3 };
    const impShapeDef defs[2] = {
        { .kind = "plane", .size = { 0, 0, 1, 0 } },
        { .kind = "mesh", .points = corner, .point_count = 4, .faces = faces, .face_ints = 16 }
    };
    impModel *m = shapes_of(defs, 2);
    for (int i = 0; i < 4; i++) {
        Placed a = { &m->shape[i / 2], &m->geometry, pose_identity() };
        Placed b = { &m->shape[i % 2], &m->geometry, pose_identity() };
        assert_true(isinf(collide_closest(&a, &b, NULL).distance));
    }
    impModel_Free(m);
}

static void balls_and_capsules(void **state) {
    (void)state;
    Placed a = zoo_at(zoo, ZOO_SPHERE, pose(vec(3, 4, 0), UPRIGHT));
    Placed b = zoo_at(zoo, ZOO_BALL, pose(vec(0, 0, 0), UPRIGHT));
    Closest c = collide_closest(&a, &b, NULL);
    NEAR(c.distance, 4.49, 1e-15);
    NEAR(c.normal.x, 0.6, 2e-16);
    NEAR(norm(c.on_b), 0.01, 1e-15);
    Placed p = zoo_at(zoo, ZOO_CAPSULE, pose(vec(0, 0, 0), UPRIGHT));
    Placed q = zoo_at(zoo, ZOO_CAPSULE, pose(vec(1, 0, 0.45), UPRIGHT));
    // parallel: the middle of the common length
    c = collide_closest(&q, &p, NULL);
    NEAR(c.distance, 0.6, 1e-15);
    NEAR(norm(sub(c.on_b, vec(0.2, 0, 0.225))), 0, 1e-15);
    // crossing in one point: out by both radii, square to both
    q.pose = pose(vec(0, 0, 0), quat(sqrt(0.5), 0, sqrt(0.5), 0));
    c = collide_closest(&q, &p, NULL);
    NEAR(c.distance, -0.4, 1e-15);
    NEAR(fabs(c.normal.y), 1, 1e-15);
    q.pose = p.pose;
    NEAR(collide_closest(&q, &p, NULL).distance, -0.4, 1e-15);
}

static void
// over a face, an edge, a corner; its middle inside; against the oracle
a_ball_and_a_brick(void **state) {
    (void)state;
    Draws d = { 14, 0 };
    for (int i = 0; i < 2000; i++) {
        Placed b = zoo_at(zoo, ZOO_BRICK, draw_pose(&d, 1));
        Placed a = zoo_at(zoo, i % 2 ? ZOO_SPHERE : ZOO_BALL,
                          pose(add(b.pose.at, draw_vec(&d, 0.7)), UPRIGHT));
        Closest c = collide_closest(&a, &b, NULL);
        double core = c.distance + a.shape->size[0];
        NEAR(c.distance, core > 1e-9 ? oracle_distance(&a, &b) : oracle_depth(&a, &b), 1e-14);
    }
}

// --- docs/reference/faults.md, row G4: exact symmetric cases
// ----------------------------------------------------
static void g4_symmetric_cases_have_one_answer(void **state) {
    (void)state;
    Placed b = zoo_at(zoo, ZOO_BOX, pose(vec(0, 0, 0), UPRIGHT));
    Placed a = zoo_at(zoo, ZOO_BOX, pose(vec(0, 0, 1.25), UPRIGHT));
    // face on face
    Closest c = collide_closest(&a, &b, NULL);
    NEAR(c.distance, 0.25, 0);
    NEAR(norm(sub(c.on_b, vec(0, 0, 0.5))), 0, 1e-16);
    // edge beside edge
    a.pose.at = vec(1.25, 1.25, 0);
    c = collide_closest(&a, &b, NULL);
    NEAR(c.distance, 0.25 * sqrt(2), 1e-16);
    NEAR(norm(sub(c.on_b, vec(0.5, 0.5, 0))), 0, 1e-16);
    // corner on corner
    a.pose.at = vec(1.25, 1.25, 1.25);
    c = collide_closest(&a, &b, NULL);
    NEAR(c.distance, 0.25 * sqrt(3), 1e-15);
    // and its mirror image
    a.pose.at = vec(-1.25, -1.25, -1.25);
    Closest m = collide_closest(&a, &b, NULL);
    same_vec(m.normal, neg(c.normal));
    same_vec(m.on_b, neg(c.on_b));
    SAME_BITS(m.distance, c.distance);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(swapping_mirrors_every_bit),
        cmocka_unit_test(a_hint_changes_no_bit),
        cmocka_unit_test(a_common_motion_changes_nothing),
        cmocka_unit_test(planes_and_meshes_are_nobodys_here),
        cmocka_unit_test(balls_and_capsules),
        cmocka_unit_test(a_ball_and_a_brick),
        cmocka_unit_test(g4_symmetric_cases_have_one_answer),
    };
    zoo = zoo_build(1);
    int failed = RUN(tests);
    impModel_Free(zoo);
    return failed;
}
