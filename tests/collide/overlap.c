// overlap.c -- depths: against all axes, against a search, through zero, one inside the other.
//
// A depth is certified from one side: the direction found does separate after that much. From the
// other side no direction of a dense set, refined, may separate after less.
//
// SPDX-License-Identifier: MIT
#include "oracle_support.h"

#include "collide/convex.h"

static impModel *zoo;
static impError err;

static Placed shape_at(const impModel *m, impVec3 at, impQuat rotation) {
    return (Placed){ &m->shape[0], &m->geometry, pose(at, rotation) };
}

static impModel *one_shape(const char *kind, double a, double b, double c) {
    impScene *scene = impScene_New(vec(0, 0, 0));
    impScene_Body(scene,
                  &(impBodyDef){ .shapes = &(impShapeDef){ .kind = kind, .size = { a, b, c } },
                                 .shape_count = 1 },
                  &err);
    impModel *m = impModel_Build(scene, &err);
    impScene_Free(scene);
    if (!m) {
        fail_msg("%s", err.message[0].text);
    }
    return m;
}

static const impQuat UPRIGHT = { 1, 0, 0, 0 };

static void certify(const Placed *a, const Placed *b, const Closest *c, int i) {
    Check k = oracle_check(a, b, c);
    if (k.apart <= 1e-10 && k.on <= 1e-10 && k.normal <= 1e-12 && k.unit <= 2e-15 && !c->fallback)
        return;
    fail_msg("%s and %s, pair %d, depth %.3g: points %.1e of the size off, surfaces %.1e, normal "
             "%.1e, unit %.1e, "
             "fallback %d",
             shape_kinds[a->shape->kind].name, shape_kinds[b->shape->kind].name, i, -c->distance,
             k.apart, k.on, k.normal, k.unit, c->fallback);
}

// --- all axes ------------------------------------------------------------------------------------
static void polytopes_as_by_all_axes(void **state) {
    (void)state;
    Draws d = { 1996, 0 };
    int count = soak_count(800);
    for (int i = 0; i < count; i++) {
        int sa = i % ZOO_CYLINDER;
        int sb = (i / ZOO_CYLINDER) % ZOO_CYLINDER;
        // closed forms: pairs.c
        if (sa < ZOO_BOX && sb < ZOO_BOX) continue;
        // the oracle is slow
        if (sa == ZOO_CLOUD && sb == ZOO_CLOUD && i % 50) continue;
        Placed a, b;
        draw_pair(&d, zoo, sa, sb, i % 2 ? APART_SHALLOW : APART_DEEP, &a, &b);
        Closest c = collide_overlap(&a, &b);
        double core = c.distance + a.shape->radius + b.shape->radius;
        if (core > 0) continue;
        NEAR(c.distance, oracle_depth(&a, &b), 1e-12 * zoo_size(&a, &b));
        certify(&a, &b, &c, i);
    }
}

static void smooth_ones_as_by_search(void **state) {
    (void)state;
    Draws d = { 2001, 0 };
    int count = soak_count(2400);
    for (int i = 0; i < count; i++) {
        Placed a, b;
        draw_pair(&d, zoo, ZOO_CYLINDER + i % 8, (i / 8) % ZOO_SHAPES,
                  i % 3 ? APART_SHALLOW : APART_DEEP, &a, &b);
        Closest c = collide_gjk(&a, &b);
        certify(&a, &b, &c, i);
        if (i % 60) continue;
        double off = (oracle_search(&a, &b) - c.distance) / zoo_size(&a, &b);
        if (off > 1e-10) {
            fail_msg("pair %d: a direction needs less by %.1e of the size", i, off);
        }
    }
}

// Many edges follow the arcs on the Gauss map instead of trying all pairs; the answer is the same.
static void many_edges(void **state) {
    (void)state;
    Draws d = { 2007, 0 };
    for (int i = 0; i < 10; i++) {
        Placed a, b;
        draw_pair(&d, zoo, ZOO_CLOUD, i % 2 ? ZOO_CLOUD : ZOO_BOX, APART_DEEP, &a, &b);
        assert_true(a.shape->edge_count * b.shape->edge_count > 3000);
        Closest c = collide_overlap(&a, &b);
        NEAR(c.distance, oracle_depth(&a, &b), 1e-12 * zoo_size(&a, &b));
    }
}

// --- through zero --------------------------------------------------------------------------------
// Moved along its own normal until it is e apart and e deep, the distance is e and -e. The normal
// stays, but for corners and rims against corners: there it may lean to a face, and the depth is
// less than e.
static void continuous_through_zero(void **state) {
    (void)state;
    Draws d = { 5, 0 };
    int kept = 0;
    for (int i = 0; i < 2000; i++) {
        Placed a, b;
        draw_pair(&d, zoo, ZOO_CYLINDER + i % 8, (i / 8) % ZOO_SHAPES, APART_NEAR, &a, &b);
        Closest far = collide_gjk(&a, &b);
        double size = zoo_size(&a, &b);
        double e = 1e-8 * size;
        impVec3 start = a.pose.at;
        a.pose.at = madd(start, e - far.distance, far.normal);
        Closest over = collide_gjk(&a, &b);
        a.pose.at = madd(start, -e - far.distance, far.normal);
        Closest under = collide_gjk(&a, &b);
        NEAR(over.distance, e, 1e-14 * size);
        assert_true(under.distance >= -e - 1e-14 * size && under.distance < 1e-14 * size);
        if (norm(sub(over.normal, far.normal)) > 1e-6) {
            fail_msg("pair %d: the normal turns by %g", i, norm(sub(over.normal, far.normal)));
        }
        if (under.feature_a != far.feature_a || under.feature_b != far.feature_b) continue;
        kept++;
        NEAR(under.distance, -e, 1e-10 * size);
        NEAR(norm(sub(under.normal, far.normal)), 0, 1e-6);
    }
    assert_true(kept > 1000);
}

// --- one inside the other, concentric ------------------------------------------------------------
static void concentric_ones_have_one_answer(void **state) {
    (void)state;
    const double depths[ZOO_SHAPES] = {
        [ZOO_SPHERE] = 1,   [ZOO_BALL] = 0.02,  [ZOO_CAPSULE] = 0.4,   [ZOO_BOX] = 1,
        [ZOO_PLATE] = 0.01, [ZOO_BRICK] = 0.25, [ZOO_PRISM] = 0.6,     [ZOO_CYLINDER] = 0.7,
        [ZOO_COIN] = 0.02,  [ZOO_ROD] = 0.04,   [ZOO_ELLIPSOID] = 0.5, [ZOO_LENS] = 0.06,
        [ZOO_CIGAR] = 0.1
    };
    for (int s = 0; s < ZOO_SHAPES; s++) {
        for (int rotated = 0; rotated < 2; rotated++) {
            impPose p = pose(vec(1, 2, 3), rotated ? num_random_rotation(0.3, 0.1, 0.8) : UPRIGHT);
            Placed a = zoo_at(zoo, s, p);
            Placed b = a;
            Closest c = collide_closest(&a, &b, NULL);
            Closest again = collide_closest(&a, &b, NULL);
            assert_memory_equal(&c.normal, &again.normal, sizeof c.normal);
            assert_false(c.fallback);
            NEAR(norm(c.normal), 1, 1e-15);
            NEAR(c.distance, oracle_separation(&a, &b, c.normal), 1e-12);
            if (depths[s] > 0) {
                NEAR(c.distance, -depths[s], 1e-12);
            }
        }
    }
}

// off the axis, above the middle: out by the nearest wall
static void a_grain_inside_a_drum(void **state) {
    (void)state;
    impModel *drum = one_shape("cylinder", 1, 4, 0);
    impModel *egg = one_shape("ellipsoid", 0.01, 0.02, 0.03);
    Placed b = shape_at(drum, vec(0, 0, 0), UPRIGHT);
    Placed a = shape_at(egg, vec(0.5, 0, 0.5), UPRIGHT);
    Closest c = collide_gjk(&a, &b);
    NEAR(c.distance, -0.51, 1e-15);
    NEAR(c.normal.x, 1, 1e-15);
    a.pose.at = vec(0.125, 0, 1.5);
    c = collide_gjk(&a, &b);
    NEAR(c.distance, -0.53, 1e-15);
    NEAR(c.normal.z, 1, 0);
    impModel_Free(drum);
    impModel_Free(egg);
}

// The least of several overlaps that are nearly as deep, most of them about one centre.
static void no_plain_axis_needs_less(const Placed *a, const Placed *b, const Closest *c,
                                     const char *what) {
    const Placed *both[2] = { a, b };
    double tolerance = 1e-12 * zoo_size(a, b);
    for (int side = 0; side < 2; side++) {
        const Placed *p = both[side];
        for (int i = 0; i < 6 + p->shape->face_count; i++) {
            impVec3 m = i < 2 ? vec(0, 0, 1) : i < 4 ? vec(0, 1, 0) : vec(1, 0, 0);
            if (i >= 6) {
                m = p->g->face[p->shape->first_face + i - 6].normal;
            }
            m = rotate(p->pose.rotation, i % 2 && i < 6 ? neg(m) : m);
            double off = max2(oracle_separation(a, b, m), oracle_separation(a, b, neg(m))) -
                         c->distance;
            if (off > tolerance) {
                fail_msg("%s: an axis needs less than %g by %.1e", what, -c->distance, off);
            }
        }
    }
}

static impModel *round_hull(void) {
    static impVec3 point[600];
    Draws d = { 783, 0 };
    for (int i = 0; i < COUNT(point); i++) {
        impVec3 x = draw_vec(&d, 1);
        point[i] = scale(0.5 / norm(x), x);
    }
    impScene *scene = impScene_New(vec(0, 0, 0));
    impShapeDef hull = { .kind = "hull", .points = point, .point_count = COUNT(point) };
    impScene_Body(scene, &(impBodyDef){ .shapes = &hull, .shape_count = 1 }, &err);
    impModel *m = impModel_Build(scene, &err);
    impScene_Free(scene);
    if (!m) {
        fail_msg("%s", err.message[0].text);
    }
    return m;
}

static void grains_and_needles_in_a_round_hull(void **state) {
    (void)state;
    impModel *hull = round_hull();
    impModel *in[] = { one_shape("ellipsoid", 1e-6, 2e-6, 3e-6), one_shape("cone", 1e-6, 1, 0),
                       one_shape("cylinder", 0.1, 0.3, 0), one_shape("ellipsoid", 0.5, 0.3, 0.4) };
    const char *names[] = { "grain", "needle", "bar", "egg" };
    Draws d = { 12, 0 };
    for (int i = 0; i < 80; i++) {
        Placed a = shape_at(in[i % 4], vec(0, 0, 0), i < 4 ? UPRIGHT : draw_turn(&d));
        Placed b = shape_at(hull, vec(0, 0, 0), i < 4 ? UPRIGHT : draw_turn(&d));
        if (i % 3 == 2) {
            a.pose.at = draw_vec(&d, 0.2);
        }
        Closest c = collide_closest(&a, &b, NULL);
        certify(&a, &b, &c, i);
        no_plain_axis_needs_less(&a, &b, &c, names[i % 4]);
        double off = i % 8 < 2 ? (oracle_search(&a, &b) - c.distance) / zoo_size(&a, &b) : 0;
        if (off > 1e-10) {
            fail_msg("%s %d: a direction needs less by %.1e of the size", names[i % 4], i, off);
        }
    }
    impModel_Free(hull);
    for (int i = 0; i < 4; i++) {
        impModel_Free(in[i]);
    }
}

// out along it or across it, nearly as far
static void thin_ones_about_one_axis(void **state) {
    (void)state;
    impModel *thin[] = { one_shape("cylinder", 1e-6, 1, 0), one_shape("cone", 1e-6, 1, 0),
                         one_shape("ellipsoid", 1e-4, 1e-4, 0.5) };
    impModel *wide[] = { one_shape("cylinder", 0.5, 1e-6, 0), one_shape("cone", 0.5, 1e-6, 0),
                         one_shape("cone", 0.5, 1, 0), one_shape("cylinder", 0.5, 1, 0) };
    for (int i = 0; i < 24; i++) {
        impQuat rotation = i < 12 ? UPRIGHT : num_random_rotation(0.3, 0.1, 0.8);
        Placed a = shape_at(thin[i % 3], vec(0, 0, 0), rotation);
        Placed b = shape_at(wide[i / 3 % 4], vec(0, 0, 0), rotation);
        Closest c = collide_closest(&a, &b, NULL);
        certify(&a, &b, &c, i);
        no_plain_axis_needs_less(&a, &b, &c, "thin and wide");
    }
    for (int i = 0; i < 3; i++) {
        impModel_Free(thin[i]);
    }
    for (int i = 0; i < 4; i++) {
        impModel_Free(wide[i]);
    }
}

static void g3_flat_to_1e6(void **state) {
    (void)state;
    impModel *flat[4] = { one_shape("box", 1, 1, 1e-6), one_shape("cylinder", 0.5, 1e-6, 0),
                          one_shape("ellipsoid", 0.5, 0.5, 5e-7), one_shape("cone", 0.5, 1e-6, 0) };
    Draws d = { 9, 0 };
    for (int i = 0; i < 320; i++) {
        impQuat rotation = draw_turn(&d);
        impVec3 along = draw_vec(&d, 0.2);
        Placed a = shape_at(flat[i % 4], add(along, draw_vec(&d, 1e-7)), rotation);
        Placed b = shape_at(flat[i / 4 % 4], along, rotation);
        if (i % 3 == 0) {
            b.pose.rotation = draw_turn(&d);
        }
        Closest c = collide_closest(&a, &b, NULL);
        NEAR(c.distance, oracle_separation(&a, &b, c.normal), 1e-12);
        if (b.pose.rotation.w == rotation.w && c.distance < -2.5e-6) {
            fail_msg("pair %d of parallel plates: depth %g", i, -c.distance);
        }
    }
    for (int i = 0; i < 4; i++) {
        impModel_Free(flat[i]);
    }
}

// cubes: aligned, turned by 45 degrees, corner in face
static void g1_deep_and_symmetric(void **state) {
    (void)state;
    impModel *cube = one_shape("box", 1, 1, 1);
    Placed b = shape_at(cube, vec(0, 0, 0), UPRIGHT);
    Placed a = shape_at(cube, vec(0, 0, 0.75), UPRIGHT);
    Closest c = collide_overlap(&a, &b);
    NEAR(c.distance, -0.25, 0);
    NEAR(c.normal.z, 1, 0);
    NEAR(norm(sub(c.on_a, vec(0, 0, 0.25))), 0, 1e-16);
    assert_int_equal(c.feature_a, feature_of(FEATURE_FACE, 2));
    assert_int_equal(c.feature_b, feature_of(FEATURE_FACE, 3));
    // two sides of the faces lie in one plane, and count once
    a.pose.at = vec(0.5, 0, 0.75);
    c = collide_overlap(&a, &b);
    NEAR(c.distance, -0.25, 0);
    NEAR(norm(sub(c.on_a, vec(0.25, 0, 0.25))), 0, 1e-16);
    a.pose = pose(vec(0.25, 0, 0.875), quat_rotation(vec(0, 0, 1), PI / 4));
    c = collide_overlap(&a, &b);
    NEAR(c.distance, -0.125, 1e-16);
    // an edge of each, crossing at right angles: turned by 45 degrees about x and about y
    b.pose.rotation = quat_rotation(vec(1, 0, 0), PI / 4);

    a.pose = pose(vec(0, 0, sqrt(2) - 0.1), quat_rotation(vec(0, 1, 0), PI / 4));
    c = collide_overlap(&a, &b);
    NEAR(c.distance, -0.1, 1e-15);
    NEAR(norm(sub(c.normal, vec(0, 0, 1))), 0, 1e-15);
    NEAR(norm(sub(c.on_b, vec(0, 0, sqrt(0.5)))), 0, 1e-15);
    assert_int_equal(feature_kind(c.feature_a), FEATURE_EDGE);
    impModel_Free(cube);
}

// A corner 1e-9 deep in a cone, beside its rim: the way out is found by pulling them apart far
// enough.
static void a_corner_beside_a_rim(void **state) {
    (void)state;
    Placed a = zoo_at(zoo, ZOO_CONE,
                      pose(vec(-0x1.cdf9d6ad07dc6p-2, -0x1.7d81cbe6c6f26p-4, -0x1.f574ebd96fb39p-2),
                           quat(-0x1.9fd6a71472ba7p-2, 0x1.9146526eec722p-2, 0x1.809d786554416p-2,
                                0x1.786616cbb7a28p-1)));
    Placed b = zoo_at(zoo, ZOO_BRICK, pose_identity());
    Closest c = collide_closest(&a, &b, NULL);
    Check k = oracle_check(&a, &b, &c);
    assert_false(c.fallback);
    assert_true(k.apart <= 1e-10 && k.on <= 1e-10 && k.normal <= 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_corner_beside_a_rim),
        cmocka_unit_test(polytopes_as_by_all_axes),
        cmocka_unit_test(smooth_ones_as_by_search),
        cmocka_unit_test(many_edges),
        cmocka_unit_test(continuous_through_zero),
        cmocka_unit_test(concentric_ones_have_one_answer),
        cmocka_unit_test(a_grain_inside_a_drum),
        cmocka_unit_test(grains_and_needles_in_a_round_hull),
        cmocka_unit_test(thin_ones_about_one_axis),
        cmocka_unit_test(g3_flat_to_1e6),
        cmocka_unit_test(g1_deep_and_symmetric),
    };
    zoo = zoo_build(1);
    int failed = RUN(tests);
    impModel_Free(zoo);
    return failed;
}
