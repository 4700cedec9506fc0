// gjk.c -- distances of shapes known by their support maps: certificates for thousands of pairs,
// closed forms, bad cases.
//
// A certificate proves a distance without trusting who found it: a point on each surface, that far
// apart, and a direction along which the shapes are separated by as much (oracle_support.h).
// IMPEL_SOAK=N draws N pairs instead of the usual ones.
//
// SPDX-License-Identifier: MIT
#include "oracle_support.h"

#include "collide/convex.h"

#if defined(IMPEL_CCD)
#include <ccd/ccd.h>
#endif

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
// z to x
static impQuat along_x(void) { return quat(sqrt(0.5), 0, sqrt(0.5), 0); }

static void near_vec(impVec3 a, impVec3 b, double tolerance) {
    NEAR(a.x, b.x, tolerance);
    NEAR(a.y, b.y, tolerance);
    NEAR(a.z, b.z, tolerance);
}

// --- certificates --------------------------------------------------------------------------------
static void every_distance_is_certified(void **state) {
    (void)state;
    Draws d = { 1988, 0 };
    int count = soak_count(6000);
    for (int i = 0; i < count; i++) {
        int sa = i % ZOO_SHAPES;
        int sb = (i / ZOO_SHAPES) % ZOO_SHAPES;
        if (!zoo_smooth(sa) && !zoo_smooth(sb)) {
            sa = ZOO_CYLINDER + i % (ZOO_SHAPES - ZOO_CYLINDER);
        }
        Placed a, b;
        char what[40];
        draw_pair(&d, zoo, sa, sb,
                  i % 3 == 0   ? APART_FAR
                  : i % 3 == 1 ? APART_NEAR
                               : APART_TOUCH,
                  &a, &b);
        Closest c = collide_gjk(&a, &b);
        snprintf(what, sizeof what, "%s and %s", zoo_names[sa], zoo_names[sb]);
        oracle_certify(&a, &b, &c, what, i);
    }
}

static void polytopes_as_by_every_pair_of_features(void **state) {
    (void)state;
    Draws d = { 2017, 0 };
    for (int i = 0; i < 400; i++) {
        Placed a, b;
        draw_pair(&d, zoo, i % ZOO_CYLINDER, (i / ZOO_CYLINDER) % ZOO_CYLINDER,
                  i % 2 ? APART_FAR : APART_NEAR, &a, &b);
        Closest c = collide_gjk(&a, &b);
        // cores overlap: overlap.c
        if (c.distance + a.shape->radius + b.shape->radius <= 0) continue;
        NEAR(c.distance, oracle_distance(&a, &b), 1e-12 * zoo_size(&a, &b));
    }
}

// The search is a lower bound by other means; the certificate an upper one.
static void no_direction_separates_better(void **state) {
    (void)state;
    Draws d = { 1963, 0 };
    for (int i = 0; i < 60; i++) {
        Placed a, b;
        draw_pair(&d, zoo, ZOO_CYLINDER + i % 8, (i * 7) % ZOO_SHAPES,
                  i % 2 ? APART_FAR : APART_NEAR, &a, &b);
        Closest c = collide_gjk(&a, &b);
        double off = (oracle_search(&a, &b) - c.distance) / zoo_size(&a, &b);
        if (off > 1e-10) {
            fail_msg("pair %d: a direction separates better by %.1e of the size", i, off);
        }
    }
}

// --- the same under scaling, moving, far away ----------------------------------------------------
static Placed scaled(const Placed *p, const impModel *from, const impModel *to, double s) {
    return (Placed){ &to->shape[p->shape - from->shape], &to->geometry,
                     pose(scale(s, p->pose.at), p->pose.rotation) };
}

static void powers_of_two_change_no_bit(void **state) {
    (void)state;
    const double factors[2] = { 0x1p-9, 0x1p14 };
    for (int f = 0; f < 2; f++) {
        double s = factors[f];
        impModel *other = zoo_build(s);
        Draws d = { 2, 0 };
        for (int i = 0; i < 500; i++) {
            Placed a, b;
            draw_pair(&d, zoo, ZOO_CYLINDER + i % 8, (i / 8) % ZOO_SHAPES, (Apart)(i % APARTS), &a,
                      &b);
            Placed sa = scaled(&a, zoo, other, s);
            Placed sb = scaled(&b, zoo, other, s);
            Closest c = collide_gjk(&a, &b);
            Closest e = collide_gjk(&sa, &sb);
            SAME_BITS(e.distance, s * c.distance);
            SAME_BITS(e.normal.x, c.normal.x);
            SAME_BITS(e.normal.y, c.normal.y);
            SAME_BITS(e.normal.z, c.normal.z);
            SAME_BITS(e.on_a.x, s * c.on_a.x);
            SAME_BITS(e.on_b.z, s * c.on_b.z);
            assert_true(e.feature_a == c.feature_a && e.feature_b == c.feature_b &&
                        e.steps == c.steps);
        }
        impModel_Free(other);
    }
}

// Poses on a grid of 2^-20 stay exact when moved by 2^20 m: then nothing but the world's own
// rounding changes.
static double on_grid(double x) { return floor(x * 0x1p20) * 0x1p-20; }

static void far_from_the_origin_nothing_changes(void **state) {
    (void)state;
    Draws d = { 3, 0 };
    impVec3 away = vec(0x1p20, -0x1p21, 0x1p20);
    for (int i = 0; i < 300; i++) {
        Placed a, b;
        draw_pair(&d, zoo, ZOO_CYLINDER + i % 8, (i / 8) % ZOO_SHAPES,
                  i % 2 ? APART_FAR : APART_NEAR, &a, &b);
        a.pose.at = vec(on_grid(a.pose.at.x), on_grid(a.pose.at.y), on_grid(a.pose.at.z));
        b.pose.at = vec(on_grid(b.pose.at.x), on_grid(b.pose.at.y), on_grid(b.pose.at.z));
        Closest here = collide_gjk(&a, &b);
        a.pose.at = add(a.pose.at, away);
        b.pose.at = add(b.pose.at, away);
        Closest there = collide_gjk(&a, &b);
        SAME_BITS(there.distance, here.distance);
        SAME_BITS(there.normal.z, here.normal.z);
        near_vec(sub(there.on_a, away), here.on_a, 0x1p-30);
    }
}

// --- closed forms --------------------------------------------------------------------------------
static void
// the middle of the common area: the whole cap, or the strip over the box
upright_cylinder_on_a_box(void **state) {
    (void)state;
    impModel *box = one_shape("box", 2, 2, 1);
    impModel *bar = one_shape("cylinder", 0.25, 1, 0);
    Placed b = shape_at(box, vec(0, 0, 0), UPRIGHT);
    Placed a = shape_at(bar, vec(0.5, 0.25, 1.125), UPRIGHT);
    Closest c = collide_gjk(&a, &b);
    NEAR(c.distance, 0.125, 1e-16);
    near_vec(c.normal, vec(0, 0, 1), 0);
    near_vec(c.on_a, vec(0.5, 0.25, 0.625), 1e-16);
    near_vec(c.on_b, vec(0.5, 0.25, 0.5), 1e-16);
    assert_int_equal(c.feature_a, feature_of(FEATURE_SMOOTH, 1));
    assert_int_equal(c.feature_b, feature_of(FEATURE_FACE, 3));
    // half of it hangs over: the centre of a half disc is 4 R / (3 pi) inside
    a.pose.at.x = 1;
    c = collide_gjk(&a, &b);
    near_vec(c.on_a, vec(1 - 1 / (3 * PI), 0.25, 0.625), 1e-15);
    // only its rim is above the edge
    a.pose.at.x = 1.25;
    c = collide_gjk(&a, &b);
    near_vec(c.on_a, vec(1, 0.25, 0.625), 1e-15);
    NEAR(c.distance, 0.125, 1e-15);
    // beside: from the rim to the edge
    a.pose.at.x = 1.375;
    c = collide_gjk(&a, &b);
    NEAR(c.distance, 0.125 * sqrt(2), 1e-15);
    near_vec(c.normal, vec(sqrt(0.5), 0, sqrt(0.5)), 1e-14);
    assert_int_equal(c.feature_a, feature_of(FEATURE_SMOOTH, 3));
    impModel_Free(box);
    impModel_Free(bar);
}

static void
// two discs: the middle of the lens; one on the other: the smaller one's middle
cap_on_cap(void **state) {
    (void)state;
    impModel *wide = one_shape("cylinder", 0.5, 1, 0);
    impModel *slim = one_shape("cylinder", 0.25, 1, 0);
    Placed b = shape_at(wide, vec(0, 0, 0), UPRIGHT);
    Placed a = shape_at(wide, vec(0.5, 0, 1.25), UPRIGHT);
    Closest c = collide_gjk(&a, &b);
    NEAR(c.distance, 0.25, 0);
    near_vec(c.on_b, vec(0.25, 0, 0.5), 1e-16);
    a = shape_at(slim, vec(0, 0.125, 1.25), UPRIGHT);
    c = collide_gjk(&a, &b);
    near_vec(c.on_b, vec(0, 0.125, 0.5), 1e-16);
    impModel_Free(wide);
    impModel_Free(slim);
}

// side by side: the middle of the common length
static void parallel_cylinders(void **state) {
    (void)state;
    impModel *bar = one_shape("cylinder", 0.25, 2, 0);
    Placed b = shape_at(bar, vec(0, 0, 0), along_x());
    Placed a = shape_at(bar, vec(1, 0, 1), along_x());
    Closest c = collide_gjk(&a, &b);
    NEAR(c.distance, 0.5, 1e-15);
    near_vec(c.normal, vec(0, 0, 1), 1e-15);
    near_vec(c.on_b, vec(0.5, 0, 0.25), 1e-13);
    assert_int_equal(c.feature_a, feature_of(FEATURE_SMOOTH, 0));
    // crossing at a right angle
    a.pose.rotation = UPRIGHT;
    a.pose.at = vec(0.3, 0.75, 0.1);
    c = collide_gjk(&a, &b);
    NEAR(c.distance, 0.25, 1e-15);
    near_vec(c.on_a, vec(0.3, 0.5, 0), 1e-15);
    impModel_Free(bar);
}

// along its generator, the part over the box
static void lying_cylinder_on_a_box(void **state) {
    (void)state;
    impModel *box = one_shape("box", 2, 2, 1);
    impModel *bar = one_shape("cylinder", 0.25, 2, 0);
    Placed b = shape_at(box, vec(0, 0, 0), UPRIGHT);
    Placed a = shape_at(bar, vec(1, 0.5, 1), along_x());
    Closest c = collide_gjk(&a, &b);
    NEAR(c.distance, 0.25, 1e-15);
    near_vec(c.on_b, vec(0.5, 0.5, 0.5), 1e-14);
    assert_int_equal(c.feature_a, feature_of(FEATURE_SMOOTH, 0));
    impModel_Free(box);
    impModel_Free(bar);
}

// apex down, on its base, on its side
static void cones(void **state) {
    (void)state;
    impModel *box = one_shape("box", 2, 2, 1);
    impModel *cone = one_shape("cone", 0.3, 0.4, 0);
    Placed b = shape_at(box, vec(0, 0, 0), UPRIGHT);
    Placed a = shape_at(cone, vec(0.1, 0.2, 1), quat(0, 1, 0, 0));
    Closest c = collide_gjk(&a, &b);
    NEAR(c.distance, 0.1, 1e-16);
    near_vec(c.on_a, vec(0.1, 0.2, 0.6), 1e-16);
    assert_int_equal(c.feature_a, feature_of(FEATURE_SMOOTH, 3));
    a.pose = pose(vec(0.1, 0.2, 0.75), UPRIGHT);
    c = collide_gjk(&a, &b);
    NEAR(c.distance, 0.25, 0);
    near_vec(c.on_a, vec(0.1, 0.2, 0.75), 1e-16);
    assert_int_equal(c.feature_a, feature_of(FEATURE_SMOOTH, 1));
    // lying: the side makes the angle atan(R / H) with the axis, so the axis is turned down by 90
    // degrees less that
    a.pose = pose(vec(0, 0, 1), quat_rotation(vec(0, 1, 0), PI / 2 + num_atan2(0.3, 0.4)));
    c = collide_gjk(&a, &b);
    // the rim is R cos(angle) below the base's middle
    NEAR(c.distance, 1 - 0.5 - 0.3 * 0.8, 1e-15);
    assert_int_equal(c.feature_a, feature_of(FEATURE_SMOOTH, 0));
    // halfway from the rim to the apex
    NEAR(c.on_a.x, (0.3 * 0.6 * -1 + 0.4 * 0.8) / 2, 1e-12);
    impModel_Free(box);
    impModel_Free(cone);
}

static void ellipsoids(void **state) {
    (void)state;
    impModel *egg = one_shape("ellipsoid", 3, 2, 1);
    impModel *ball = one_shape("sphere", 0.5, 0, 0);
    Placed b = shape_at(egg, vec(0, 0, 0), UPRIGHT);
    Placed a = shape_at(ball, vec(0, 0, 2), UPRIGHT);
    Closest c = collide_gjk(&a, &b);
    NEAR(c.distance, 0.5, 1e-16);
    // outward from a point of the surface by 0.75 along its normal, the foot is that point
    impVec3 s = vec(3 * 0.6, 0, 0.8);
    impVec3 n = vec(s.x / 9, 0, s.z);
    n = scale(1 / norm(n), n);
    a.pose.at = madd(s, 0.75, n);
    c = collide_gjk(&a, &b);
    NEAR(c.distance, 0.25, 1e-15);
    near_vec(c.on_b, s, 1e-14);
    near_vec(c.normal, n, 1e-14);
    // two eggs, tangent planes parallel: centres apart by the sum of both support points and a gap
    impQuat rotation = num_random_rotation(0.1, 0.5, 0.3);
    impVec3 t = rotate(rotation, shape_kinds[egg->shape[0].kind].support(
                                     &egg->shape[0], &egg->geometry, unrotate(rotation, neg(n))));
    Placed e = shape_at(egg, sub(madd(s, 0.125, n), t), rotation);
    c = collide_gjk(&e, &b);
    NEAR(c.distance, 0.125, 4e-15);
    near_vec(c.normal, n, 1e-13);
    near_vec(c.on_b, s, 1e-13);
    impModel_Free(egg);
    impModel_Free(ball);
}

// --- docs/reference/faults.md, row G1
// -------------------------------------------------------------------------- 1e-12 apart, parallel
// faces, on the axis of symmetry
static void g1_nearly_touching_and_degenerate(void **state) {
    (void)state;
    impModel *box = one_shape("box", 1, 1, 1);
    impModel *bar = one_shape("cylinder", 0.5, 1, 0);
    impModel *egg = one_shape("ellipsoid", 0.5, 0.5, 0.5);
    const double gaps[] = { 1e-3, 1e-6, 1e-9, 1e-12, 1e-14, 0, -1e-14, -1e-12, -1e-9, -1e-6 };
    const impModel *models[3] = { box, bar, egg };
    for (int m = 0; m < 9; m++) {
        for (int g = 0; g < COUNT(gaps); g++) {
            Placed b = shape_at(models[m / 3], vec(0, 0, 0), UPRIGHT);
            Placed a = shape_at(models[m % 3], vec(0, 0, 1 + gaps[g]), UPRIGHT);
            Closest c = collide_gjk(&a, &b);
            NEAR(c.distance, a.pose.at.z - 1, 3e-16);
            near_vec(c.normal, vec(0, 0, 1), 1e-9);
            assert_false(c.fallback);
        }
    }
    impModel_Free(box);
    impModel_Free(bar);
    impModel_Free(egg);
}

// a needle over a plate, a grain over a kilometre
static void g3_aspect_ratio_1e6(void **state) {
    (void)state;
    impModel *needle = one_shape("cylinder", 5e-7, 1, 0);
    impModel *plate = one_shape("cylinder", 1, 1e-6, 0);
    impModel *grain = one_shape("ellipsoid", 1e-6, 2e-6, 1e-6);
    impModel *slab = one_shape("box", 1000, 1000, 1);
    Placed b = shape_at(plate, vec(0, 0, 0), UPRIGHT);
    Placed a = shape_at(needle, vec(0.25, 0, 0.25), along_x());
    Closest c = collide_gjk(&a, &b);
    NEAR(c.distance, 0.25 - 1e-6, 1e-15);
    near_vec(c.normal, vec(0, 0, 1), 1e-12);
    a.pose = pose(vec(0.5, 0, 0.6), UPRIGHT);
    NEAR(collide_gjk(&a, &b).distance, 0.6 - 0.5 - 5e-7, 1e-15);
    Draws d = { 6, 0 };
    for (int i = 0; i < 200; i++) {
        a.pose = draw_pose(&d, 2);
        b.pose.rotation = draw_turn(&d);
        c = collide_gjk(&a, &b);
        if (c.distance > 0) {
            oracle_certify(&a, &b, &c, "needle and plate", i);
        }
    }
    b = shape_at(slab, vec(0, 0, -0.5), UPRIGHT);
    a = shape_at(grain, vec(123.25, -77.5, 3e-6), UPRIGHT);
    // rounding of 500 m
    NEAR(collide_gjk(&a, &b).distance, 2e-6, 2e-13);
    impModel_Free(needle);
    impModel_Free(plate);
    impModel_Free(grain);
    impModel_Free(slab);
}

// Pairs that a soak of a million a row found without a true normal: n within 1e-6 of the axis of a
// flat rim, or the deepest way along some pieces a step from the least overlap.
static const struct {
    int sa;
    impPose a;
    int sb;
    impPose b;
} hard[] = {
    {
        ZOO_CYLINDER,
        { { 0x1.5cb73e20b17b4p-1, 0x1.2315e5cfd5acp-6, 0x1.73c8d53f37c18p-1 },
          { 0x1.6a09e667f3bcdp-1, 0x0p+0, 0x0p+0, 0x1.6a09e667f3bcdp-1 } },
        ZOO_COIN,
        { { 0x1.5cb73e20b17b4p-1, -0x1.f6e750d18152ap-1, -0x1.fb52ef9fea8cp-4 },
          { 0x1.6a09e667f3bcdp-1, 0x1.6a09e667f3bcdp-1, 0x0p+0, 0x0p+0 } },
    },
    {
        ZOO_CYLINDER,
        { { 0x1.f8ca14e317572p-2, 0x1.7cdcdfcb22c5cp-1, 0x1.e2350b1fb5e7cp-6 },
          { 0x1.e651fece93993p-1, 0x1.2a4c44cdb1f9ep-3, -0x1.f7573c520bd67p-3,
            -0x1.047bbb787cbcdp-3 } },
        ZOO_ROD,
        { { -0x1.9a866c9e9e324p-2, 0x1.0664da40a1a1p-1, 0x1.8bfef6fed26p-2 },
          { 0x1.a4ea88af6eb6dp-3, -0x1.a92ae9fcae902p-2, -0x1.df4c7c42a554bp-3,
            0x1.b5a1925221d43p-1 } },
    },
    {
        ZOO_COIN,
        { { 0x1.cdf7bf2b21f95p-2, -0x1.0eae8316b3904p-3, 0x1.3254162ea4319p-1 },
          { -0x1.706c2bc6ab824p-4, 0x1.edc2604575411p-7, -0x1.fdaed0aa1cf37p-1,
            0x1.b59427b1f891fp-6 } },
        ZOO_ROD,
        { { 0x0p+0, 0x0p+0, 0x0p+0 }, { 0x1p+0, 0x0p+0, 0x0p+0, 0x0p+0 } },
    },
    {
        ZOO_ROD,
        { { 0x1.34bc1e948d975p-2, 0x1.1785c442b9807p-1, 0x1.a849703d0df34p-2 },
          { -0x1.58f1340dcbe9ep-2, -0x1.2de69731b87c3p-1, 0x1.b834977e546d1p-2,
            -0x1.30a5118828ca1p-1 } },
        ZOO_CYLINDER,
        { { 0x1.a6195b16bf61ep-2, 0x1.d50a34b43e342p-3, -0x1.24ff26d93ab85p-3 },
          { -0x1.8e8ede6ea276cp-2, 0x1.5d8eb2fcab712p-6, 0x1.1148a236d60b8p-2,
            0x1.c3443f7ef2172p-1 } },
    },
    {
        ZOO_CONE,
        { { 0x1.4446a498cdaf2p-2, -0x1.7396ee378cd89p-3, 0x1.3582dcb2e499cp-1 },
          { -0x1.3d870e14cdc8fp-1, 0x1.4adbe31f95c28p-3, 0x1.40aef309e066fp-6,
            -0x1.88e8e74e612e6p-1 } },
        ZOO_ROD,
        { { 0x0p+0, 0x0p+0, 0x0p+0 }, { 0x1p+0, 0x0p+0, 0x0p+0, 0x0p+0 } },
    },
    {
        ZOO_ROD,
        { { 0x1.005e8267596bp-1, -0x1.3b198a520b0cfp-2, -0x1.7dc8ecc64d9aep-6 },
          { 0x1.50d2674ea02c5p-2, -0x1.c21b267808844p-1, 0x1.bc7662790bc32p-6,
            0x1.6019451bd5be8p-2 } },
        ZOO_HAT,
        { { 0x1.c57a140d8144p-2, -0x1.617ae95a714b1p-2, 0x1.b5e333f620b27p-5 },
          { 0x1.1c78eb92ba14ap-4, 0x1.88d92d469b713p-1, 0x1.028a5abfe4bf2p-1,
            0x1.8e87b724838cp-2 } },
    },
    {
        ZOO_ROD,
        { { -0x1.07da09779af4bp-1, -0x1.73675f0c85cd9p-1, -0x1.bd4b6bc034145p-2 },
          { -0x1.a3b1fdfc4ea89p-1, 0x1.1fcf75db2ee9fp-3, -0x1.3c3a85565eec3p-4,
            -0x1.198827b577bebp-1 } },
        ZOO_CONE,
        { { -0x1.57812da047ec7p-7, -0x1.253db2051d3afp-2, 0x1.4508f87ec6125p-2 },
          { -0x1.5ae13f61ec8b2p-2, -0x1.b9e62b3c3135bp-1, 0x1.0ba1744c3bb57p-2,
            0x1.12d1675150d39p-2 } },
    },
    {
        ZOO_CYLINDER,
        { { 0x1.9ecc5e81ed5bfp-2, -0x1.f2ea9211a86f4p-1, 0x1.be7b345da2e34p-2 },
          { -0x1.243ec4d8d029ap-1, -0x1.7dae1a1b1735ap-1, 0x1.6b5b7fbfc6a78p-3,
            0x1.2e073e03f680ep-2 } },
        ZOO_HAT,
        { { 0x1.eea716caecc4p-2, -0x1.96b3e76982f5p-2, 0x1.0363ca49d8fccp-2 },
          { -0x1.3bd7e3a129473p-1, -0x1.72fb79cb610a7p-1, 0x1.16fd880279f6ap-3,
            0x1.1a184c94d5453p-2 } },
    },
    {
        ZOO_PRISM,
        { { -0x1.5f4cd89104541p-1, -0x1.59e529d98dbedp-2, 0x1.28e85c1bc1cefp-1 },
          { 0x1.1614cab020c2p-3, 0x1.84f2a1ac011b8p-1, 0x1.982599d79fb71p-2,
            0x1.fb7b7b30eae75p-2 } },
        ZOO_COIN,
        { { -0x1.ff21b81dcd173p-4, 0x1.e3127782ecacbp-2, 0x1.8bcfcbaf2d187p-2 },
          { -0x1.b47bf9c61ac68p-2, -0x1.a98463bbda29p-1, -0x1.6ae2e8905dd85p-2,
            -0x1.6f9dd9eb30e36p-5 } },
    },
    {
        ZOO_LENS,
        { { -0x1.e65271f6a189cp-4, 0x1.6d37178e971ebp-1, -0x1.d7c9a63e69a66p-2 },
          { -0x1.9d0ee314e3367p-2, -0x1.a8789186f7fd3p-4, -0x1.caec237495beep-1,
            -0x1.37814c138a438p-3 } },
        ZOO_TETRA,
        { { -0x1.913d8fee71bp-6, 0x1.899b0195c165ep-1, -0x1.aee41d1514932p-1 },
          { -0x1.9d0ee314e3367p-2, -0x1.a8789186f7fd3p-4, -0x1.caec237495beep-1,
            -0x1.37814c138a438p-3 } },
    },
    {
        ZOO_CIGAR,
        { { 0x1.4c013a7cf8bcp-8, 0x1.2508aeb1762cp+0, -0x1.5bca16247b1f5p-1 },
          { -0x1.be6e56fcf5eacp-3, 0x1.cb057864b7f84p-1, -0x1.e3558c4de258ep-11,
            0x1.8ae6e05d1fd9ap-2 } },
        ZOO_TETRA,
        { { -0x1.6ecd7cb325738p-2, 0x1.93b15bb83de1ep-1, -0x1.590f4020d3af8p-2 },
          { -0x1.bc1e8ba92fb72p-1, -0x1.11e501fc5861ap-2, 0x1.ad35f7971f6b7p-2,
            0x1.32ec202c4e376p-6 } },
    },
    {
        ZOO_CONE,
        { { -0x1.e48005c018f2fp-6, 0x1.4f41fa9aea8c4p-2, -0x1.534b655d89a2p-1 },
          { 0x1p+0, 0x0p+0, 0x0p+0, 0x0p+0 } },
        ZOO_CONE,
        { { -0x1.e44aa9ed572p-6, 0x1.5011fadf4d0dp-2, -0x1.52ec99438a162p-1 },
          { 0x1p+0, 0x0p+0, 0x0p+0, 0x0p+0 } },
    },
    {
        ZOO_CONE,
        { { 0x1.103f7a46beca9p-1, -0x1.236e1d3635782p-1, 0x1.2f4959ab08123p+0 },
          { -0x1.3de489953e0d5p-1, 0x1.67fbd15da3371p-1, 0x1.5ba4edff1f05p-2,
            0x1.1ede9884af09cp-4 } },
        ZOO_HAT,
        { { 0x1.0a6afcaa97ff8p-2, -0x1.a286999f3f8eep-1, 0x1.ff499ac785984p-1 },
          { -0x1.3de489953e0d5p-1, 0x1.67fbd15da3371p-1, 0x1.5ba4edff1f05p-2,
            0x1.1ede9884af09cp-4 } },
    },
    {
        ZOO_CONE,
        { { -0x1.7e2e1529de938p-3, -0x1.1df4697367674p-1, 0x1.a82c9926c9368p-1 },
          { 0x1.4a4e54f47b512p-1, -0x1.179ff0360a335p-1, 0x1.a1c88368396a1p-2,
            -0x1.615cc3872c809p-2 } },
        ZOO_CONE,
        { { 0x1.26c263fd53a32p-1, -0x1.58e7bce4cab3fp-1, 0x1.3af61b7bf40cp-1 },
          { -0x1.92df2d460b40fp-1, -0x1.81121bfd53e06p-13, 0x1.36087aa9311cbp-1,
            0x1.e7c9ee874d4c5p-4 } },
    },
    {
        ZOO_CONE,
        { { 0x1.3b5bb9b5c21bep-1, -0x1.3247fa10498e6p-3, 0x1.a2a24dd9d307p-2 },
          { 0x1.2c40f7ba82ee2p-5, -0x1.e60a207c69a88p-1, 0x1.6279a56ecec57p-7,
            0x1.3f8aa84b7f3cfp-2 } },
        ZOO_HAT,
        { { 0x1.2b1fa102de142p-1, -0x1.06ff0bf4ac0a3p-4, 0x1.789d7e3db2b4p-2 },
          { -0x1.672d5634e06cap-1, -0x1.0ec6c7cedd40ap-1, 0x1.f33e7bdc3db9fp-4,
            -0x1.d8f451e042c9ep-2 } },
    },
    {
        ZOO_CONE,
        { { -0x1.5da049afe5962p-3, -0x1.340ff93972307p-2, 0x1.f3ab1916c1d86p-3 },
          { 0x1.a7c1e632abdc4p-1, 0x1.03ed850ef95d8p-1, 0x1.db90b285348dep-3,
            0x1.d9914ebfc75c5p-5 } },
        ZOO_HULL,
        { { -0x1.89616615ff326p-2, 0x1.a1537d9c92a54p-4, 0x1.86cc4e67b609ep-1 },
          { -0x1.b48aee78d9babp-2, -0x1.c6925de13b327p-1, -0x1.55910b2dea9c2p-4,
            -0x1.36f3d1b53a86cp-3 } },
    },
};

static void hard_normals_of_smooth_shapes(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(hard); i++) {
        for (int swap = 0; swap < 2; swap++) {
            Placed a = zoo_at(zoo, hard[i].sa, hard[i].a);
            Placed b = zoo_at(zoo, hard[i].sb, hard[i].b);
            Closest c = swap ? collide_gjk(&b, &a) : collide_gjk(&a, &b);
            if (swap) {
                oracle_certify(&b, &a, &c, "hard normals, the other way round", i);
            } else {
                oracle_certify(&a, &b, &c, "hard normals", i);
            }
            // no overlap that is less
            assert_true(c.distance >= oracle_search(&a, &b) - 1e-12);
        }
    }
}

// --- nearly parallel -----------------------------------------------------------------------------
// Tilts between what counts as flat and what is plainly tilted: the points of both must match all
// the same.
static impQuat tilted(Draws *d, double size) {
    double angle = draw(d, 0, TAU);
    return quat_rotation(vec(num_cos(angle), num_sin(angle), 0), size * draw(d, 1, 10));
}

static void nearly_parallel_shapes_have_matching_points(void **state) {
    (void)state;
    impModel *capsule = one_shape("capsule", 0.2, 0.6, 0);
    impModel *bar = one_shape("cylinder", 0.5, 1, 0);
    impModel *coin = one_shape("cylinder", 0.5, 1e-6, 0);
    impModel *cone = one_shape("cone", 0.5, 1, 0);
    impModel *cube = one_shape("box", 1, 1, 1);
    impModel *needle = one_shape("cylinder", 1e-6, 1, 0);
    const struct {
        const char *what;
        const impModel *a, *b;
        bool beside, lying;
    } pairs[] = {
        { "capsule beside cylinder", capsule, bar, true, false },
        { "cylinder beside cylinder", bar, bar, true, false },
        { "needle beside cylinder", needle, bar, true, false },
        { "cylinder over cylinder", bar, bar, false, false },
        { "cylinder over cube", bar, cube, false, false },
        { "coin over coin", coin, coin, false, false },
        { "cone over coin", cone, coin, false, false },
        { "capsule along coin", capsule, coin, false, true },
        { "cylinder along cube", bar, cube, false, true },
    };
    Draws d = { 44, 0 };
    for (int p = 0; p < COUNT(pairs); p++) {
        for (double tilt = 1e-15; tilt < 1e-4; tilt *= 10) {
            for (int i = 0; i < 20; i++) {
                impVec3 aside = vec(draw(&d, -0.8, 0.8), draw(&d, -0.8, 0.8), 1.25);
                impQuat rotation = pairs[p].lying ? along_x() : UPRIGHT;
                impQuat all = i % 2 ? draw_turn(&d) : UPRIGHT;
                if (pairs[p].beside) {
                    aside = vec(draw(&d, 1.1, 1.5), 0, draw(&d, -1, 1));
                }
                Placed a = shape_at(pairs[p].a, rotate(all, aside),
                                    qmul(all, qmul(tilted(&d, tilt), rotation)));
                Placed b = shape_at(pairs[p].b, vec(0, 0, 0), all);
                Closest c = collide_closest(&a, &b, NULL);
                oracle_certify(&a, &b, &c, pairs[p].what, i);
            }
        }
    }
    impModel_Free(capsule);
    impModel_Free(bar);
    impModel_Free(coin);
    impModel_Free(cone);
    impModel_Free(cube);
    impModel_Free(needle);
}

// crossing, or a little apart
static void nearly_parallel_capsules(void **state) {
    (void)state;
    impModel *thick = one_shape("capsule", 0.2, 0.6, 0);
    impModel *thin = one_shape("capsule", 1e-6, 1, 0);
    Draws d = { 45, 0 };
    for (double tilt = 1e-15; tilt < 1e-2; tilt *= 10) {
        for (double away = 1e-16; away < 10; away *= 10) {
            for (int i = 0; i < 10; i++) {
                impQuat all = i % 2 ? draw_turn(&d) : UPRIGHT;
                impVec3 side = away < 1e-15 ? vec(0, 0, 0) : scale(away, draw_vec(&d, 1));
                Placed a = shape_at(i % 3 ? thick : thin,
                                    rotate(all, add(side, vec(0, 0, draw(&d, -0.8, 0.8)))),
                                    qmul(all, tilted(&d, tilt)));
                Placed b = shape_at(thick, vec(0, 0, 0), all);
                Closest c = collide_closest(&a, &b, NULL);
                oracle_certify(&a, &b, &c, "capsules", i);
            }
        }
    }
    impModel_Free(thick);
    impModel_Free(thin);
}

// one micrometre wide, seen square and askew
static void thin_sides(void **state) {
    (void)state;
    impModel *coin = one_shape("cylinder", 0.5, 1e-6, 0);
    impModel *ball = one_shape("sphere", 0.5, 0, 0);
    impModel *egg = one_shape("ellipsoid", 0.5, 0.3, 0.4);
    impModel *cone = one_shape("cone", 0.5, 1, 0);
    impModel *grain = one_shape("box", 1e-6, 1e-6, 1e-6);
    const impModel *other[] = { ball, egg, cone };
    const impQuat turns[] = {
        { 0.5, 0.5, 0.5, 0.5 }, along_x(), UPRIGHT, quat_rotation(vec(1, 0, 0), 0.3)
    };
    Draws d = { 46, 0 };
    for (int m = 0; m < 3; m++) {
        for (int t = 0; t < COUNT(turns); t++) {
            for (int i = 0; i < 30; i++) {
                impVec3 at = i % 2 ? vec(0, 0, draw(&d, -2.5, -1.6)) : scale(2, draw_vec(&d, 1));
                Placed a = shape_at(other[m], at, draw_turn(&d));
                Placed b = shape_at(coin, vec(0, 0, 0), turns[t]);
                Closest c = collide_closest(&a, &b, NULL);
                if (c.distance > 0) {
                    oracle_certify(&a, &b, &c, "by a coin", i);
                }
                b = shape_at(grain, vec(0, 0, 0), turns[t]);
                c = collide_closest(&a, &b, NULL);
                if (c.distance > 0) {
                    oracle_certify(&a, &b, &c, "by a grain", i);
                }
            }
        }
    }
    impModel_Free(coin);
    impModel_Free(ball);
    impModel_Free(egg);
    impModel_Free(cone);
    impModel_Free(grain);
}

static void steps_are_bounded_and_few(void **state) {
    (void)state;
    Draws d = { 7, 0 };
    double sum = 0;
    for (int i = 0; i < 1000; i++) {
        Placed a, b;
        draw_pair(&d, zoo, ZOO_CYLINDER + i % 8, (i / 8) % ZOO_SHAPES,
                  i % 2 ? APART_FAR : APART_NEAR, &a, &b);
        sum += collide_gjk(&a, &b).steps;
    }
    assert_true(sum / 1000 < 25);
}

#if defined(IMPEL_CCD)
// --- libccd: do they intersect? ------------------------------------------------------------------
static void ccd_support(const void *object, const ccd_vec3_t *dir, ccd_vec3_t *out) {
    const Placed *p = object;
    impVec3 u = unrotate(p->pose.rotation, vec(ccdVec3X(dir), ccdVec3Y(dir), ccdVec3Z(dir)));
    impVec3 x = place(p->pose, shape_kinds[p->shape->kind].support(p->shape, p->g, u));
    ccdVec3Set(out, x.x, x.y, x.z);
}

static void libccd_agrees_on_who_touches(void **state) {
    (void)state;
    Draws d = { 8, 0 };
    int contradicted = 0;
    for (int i = 0; i < 3000; i++) {
        Placed a, b;
        draw_pair(&d, zoo, i % ZOO_SHAPES, (i / ZOO_SHAPES) % ZOO_SHAPES,
                  i % 2 ? APART_NEAR : APART_SHALLOW, &a, &b);
        Closest c = collide_gjk(&a, &b);
        // its own tolerance
        if (fabs(c.distance) < 1e-4 * zoo_size(&a, &b)) continue;
        ccd_t ccd;
        CCD_INIT(&ccd);
        ccd.support1 = ccd_support;
        ccd.support2 = ccd_support;
        ccd.max_iterations = 1000;
        if ((ccdGJKIntersect(&a, &b, &ccd) != 0) == (c.distance < 0)) continue;
        // then libccd errs: it does, with balls
        NEAR(c.distance, oracle_search(&a, &b), 1e-10 * zoo_size(&a, &b));
        contradicted++;
    }
    assert_true(contradicted < 10);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_distance_is_certified),
        cmocka_unit_test(polytopes_as_by_every_pair_of_features),
        cmocka_unit_test(no_direction_separates_better),
        cmocka_unit_test(powers_of_two_change_no_bit),
        cmocka_unit_test(far_from_the_origin_nothing_changes),
        cmocka_unit_test(upright_cylinder_on_a_box),
        cmocka_unit_test(cap_on_cap),
        cmocka_unit_test(parallel_cylinders),
        cmocka_unit_test(lying_cylinder_on_a_box),
        cmocka_unit_test(cones),
        cmocka_unit_test(ellipsoids),
        cmocka_unit_test(g1_nearly_touching_and_degenerate),
        cmocka_unit_test(g3_aspect_ratio_1e6),
        cmocka_unit_test(hard_normals_of_smooth_shapes),
        cmocka_unit_test(nearly_parallel_shapes_have_matching_points),
        cmocka_unit_test(nearly_parallel_capsules),
        cmocka_unit_test(thin_sides),
        cmocka_unit_test(steps_are_bounded_and_few),
#if defined(IMPEL_CCD)
        cmocka_unit_test(libccd_agrees_on_who_touches),
#endif
    };
    zoo = zoo_build(1);
    int failed = RUN(tests);
    impModel_Free(zoo);
    return failed;
}
