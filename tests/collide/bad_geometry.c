// bad_geometry.c -- rows G3 to G7 and I11 of the fault list: small on large, exact symmetry,
// grazing, bullets, moving together, and bodies that start inside each other.
//
// Times of impact are found as a stepper would: go on by the bound, measure, go on. A search that
// does not end within its steps fails the test.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "collide/collide.h"

static impError err;
static impModel *model;
enum { CUBE, GRAIN, ROD, PAPER, PELLET, BULLET, KINDS };
static const impShapeDef defs[KINDS] = {
    [CUBE] = { .kind = "box", .size = { 1, 1, 1 } },
    [GRAIN] = { .kind = "box", .size = { 1e-6, 1e-6, 1e-6 } },
    [ROD] = { .kind = "box", .size = { 1, 1e-3, 1e-3 } },
    [PAPER] = { .kind = "box", .size = { 2, 2, 1e-6 } },
    [PELLET] = { .kind = "sphere", .size = { 1e-6 } },
    [BULLET] = { .kind = "cone", .size = { 0.005, 0.02 } },
};
static const impVec3 NONE = { 0, 0, 0 };
static const impQuat UPRIGHT = { 1, 0, 0, 0 };

static int set_up(void **state) {
    (void)state;
    impScene *scene = impScene_New(vec(0, 0, 0));
    for (int i = 0; i < KINDS; i++) {
        impBodyDef body = { .shapes = &defs[i], .shape_count = 1, .fixed = i == PAPER };
        if (impScene_Body(scene, &body, &err).i < 0) {
            fail_msg("%s", err.message[0].text);
        }
    }
    model = impModel_Build(scene, &err);
    impScene_Free(scene);
    if (!model) {
        fail_msg("%s", err.message[0].text);
    }
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    impModel_Free(model);
    return 0;
}

static Placed at(int kind, impPose p) {
    return (Placed){ &model->shape[kind], &model->geometry, p };
}

// --- G3: a grain of 1 um on a plate of 1 km ------------------------------------------------------
// The reference is exact: all numbers are powers of two or small multiples of them, so their sums
// are, too.
static void g3_a_grain_on_a_plate_of_1_km(void **state) {
    (void)state;
    const double um = 0x1p-20;
    const double km = 1024;
    const impShapeDef pair[2] = { { .kind = "box", .size = { um, um, um } },
                                  { .kind = "box", .size = { km, km, 1 } } };
    impScene *scene = impScene_New(NONE);
    for (int i = 0; i < 2; i++) {
        impScene_Body(scene, &(impBodyDef){ .shapes = &pair[i], .shape_count = 1 }, &err);
    }
    impModel *m = impModel_Build(scene, &err);
    impScene_Free(scene);
    assert_non_null(m);
    // quarters of its size: upwards is the shortest way out
    for (int gap = -1; gap <= 4; gap++)
    // in the middle, at the rim, over the corner
    {
        for (int place = 0; place < 3; place++) {
            double x = place > 0 ? 0.5 * km : 8;
            double y = place > 1 ? -0.5 * km : -16;
            double z = 0.5 + 0.5 * um + 0.25 * gap * um;
            Placed a = { &m->shape[0], &m->geometry, pose(vec(x, y, z), UPRIGHT) };
            Placed b = { &m->shape[1], &m->geometry, pose_identity() };
            Closest c = collide_closest(&a, &b, NULL);
            SAME_BITS(c.distance, 0.25 * gap * um);
            NEAR(c.normal.z, 1, 0);
            Manifold t = collide_manifold(&a, &b, &c, um, 0);
            assert_true(t.count == 4 && !t.cut);
            for (int k = 0; k < 4; k++) {
                SAME_BITS(t.point[k].gap, 0.25 * gap * um);
                NEAR(fabs(t.point[k].at.x - x), place > 0 ? 0.25 * um : 0.5 * um,
                     place > 0 ? 0.25 * um : 0);
            }
        }
    }
    impModel_Free(m);
}

// --- G4: a mirrored scene has the mirrored manifold ----------------------------------------------
// in the plane x = 0
static impPose mirrored(impPose p) {
    return pose(vec(-p.at.x, p.at.y, p.at.z),
                quat(p.rotation.w, p.rotation.x, -p.rotation.y, -p.rotation.z));
}

static bool has_point(const Manifold *m, impVec3 x, double gap, double tolerance) {
    for (int i = 0; i < m->count; i++) {
        if (largest(sub(m->point[i].at, x)) <= tolerance &&
            fabs(m->point[i].gap - gap) <= tolerance)
            return true;
    }
    return false;
}

static void compare_mirrored(impPose p, impPose q, double tolerance) {
    Placed a = at(CUBE, p);
    Placed b = at(CUBE, q);
    Placed ma = at(CUBE, mirrored(p));
    Placed mb = at(CUBE, mirrored(q));
    Closest c = collide_closest(&a, &b, NULL);
    Closest mc = collide_closest(&ma, &mb, NULL);
    Manifold m = collide_manifold(&a, &b, &c, 0.1, 0);
    Manifold again = collide_manifold(&a, &b, &c, 0.1, 0);
    Manifold mm = collide_manifold(&ma, &mb, &mc, 0.1, 0);
    assert_memory_equal(m.point, again.point, (size_t)m.count * sizeof *m.point);
    NEAR(mc.distance, c.distance, tolerance);
    NEAR(norm(sub(mm.normal, vec(-m.normal.x, m.normal.y, m.normal.z))), 0, tolerance);
    assert_int_equal(mm.count, m.count);
    for (int i = 0; i < m.count; i++) {
        impVec3 x = m.point[i].at;
        if (!has_point(&mm, vec(-x.x, x.y, x.z), m.point[i].gap, tolerance)) {
            fail_msg("point %d has no image", i);
        }
    }
}

static void g4_a_mirrored_scene_has_the_mirrored_manifold(void **state) {
    (void)state;
    impQuat on_edge = quat_rotation(vec(0, 1, 0), 0.125 * TAU);
    impQuat across = qmul(quat_rotation(vec(0, 0, 1), 0.25 * TAU), on_edge);
    double h = sqrt(0.5);
    // face on face
    compare_mirrored(pose(vec(0, 0, 1.01), UPRIGHT), pose_identity(), 1e-15);
    // not in the middle
    compare_mirrored(pose(vec(0.25, -0.125, 1.01), UPRIGHT), pose_identity(), 1e-15);
    // edge beside edge
    compare_mirrored(pose(vec(1.01, 1.01, 0), UPRIGHT), pose_identity(), 1e-15);
    // corner on corner
    compare_mirrored(pose(vec(1.01, 1.01, 1.01), UPRIGHT), pose_identity(), 1e-15);
    // edges that cross squarely
    compare_mirrored(pose(vec(0, 0, 2 * h + 0.01), across), pose(NONE, on_edge), 1e-14);
    // and that lie on each other
    compare_mirrored(pose(vec(0, 0, 2 * h + 0.01), on_edge), pose(NONE, on_edge), 1e-14);
    // overlapping
    compare_mirrored(pose(vec(0.5, 0, 0.75), UPRIGHT), pose_identity(), 1e-15);
    for (int i = 0; i < 300; i++) {
        double u[8];
        for (int k = 0; k < 8; k++) {
            u[k] = num_uniform(4, (uint64_t)i, (uint64_t)k);
        }
        impPose p = pose(vec(2 * u[0] - 1, 2 * u[1] - 1, 0.9 + u[2]),
                         num_random_rotation(u[3], u[4], u[5]));
        compare_mirrored(p, pose(NONE, i % 2 ? UPRIGHT : num_random_rotation(u[6], u[7], u[0])),
                         1e-12);
    }
}

// --- times ---------------------------------------------------------------------------------------
typedef struct Actor {
    int kind;
    Flight flight;
} Actor;

static Actor thrown(int kind, impVec3 x, impQuat q, impVec3 v, impVec3 w) {
    return (Actor){ kind, motion_flight(&model->body[kind + 1], model->gravity, 0,
                                        (Flying){ x, q, v, w }) };
}

static Flying now_of(const Actor *a, double t) {
    return a->kind == PAPER ? (Flying){ .q = UPRIGHT } : motion_fly(&a->flight, t);
}

static Placed placed_at(const Actor *a, double t) {
    Flying f = now_of(a, t);
    return at(a->kind, pose(sub(f.x, rotate(f.q, model->body[a->kind + 1].center)), f.q));
}

static double gap_at(const Actor *a, const Actor *b, double t) {
    Placed pa = placed_at(a, t);
    Placed pb = placed_at(b, t);
    return collide_closest(&pa, &pb, NULL).distance;
}

static double bound_at(const Actor *a, const Actor *b, double t, double target) {
    Placed pa = placed_at(a, t);
    Placed pb = placed_at(b, t);
    Flying fa = now_of(a, t);
    Flying fb = now_of(b, t);
    Extent ea = collide_extent(model, a->kind + 1, a->kind);
    Extent eb = collide_extent(model, b->kind + 1, b->kind);
    Mover ma = collide_mover(model, a->kind + 1, &ea, &fa, t);
    Mover mb = collide_mover(model, b->kind + 1, &eb, &fb, t);
    Closest c = collide_closest(&pa, &pb, NULL);
    return collide_time_bound(&ma, &mb, &pa, &pb, &c, target);
}

// When the gap falls below twice the target; HUGE_VAL: not before the end. It is never below the
// target.
static double first_contact(const Actor *a, const Actor *b, double target, double end, int most,
                            int *steps) {
    double t = 0;
    for (*steps = 0; *steps < most; ++*steps) {
        double gap = gap_at(a, b, t);
        if (gap < target * (1 - 1e-6)) {
            fail_msg("gap %g at %.17g, after %d steps", gap, t, *steps);
        }
        if (gap < 2 * target) return t;
        double step = bound_at(a, b, t, target);
        double next = collide_time_after(t, step);
        assert_true(next > t);
        if (step == HUGE_VAL || next >= end) return HUGE_VAL;
        t = next;
    }
    fail_msg("no end after %d steps, at %.17g", most, t);
    return t;
}

// A turning rod whose corners come down to `least` above the paper and rise again: two roots that
// are one, or none.
static void g5_a_rod_that_grazes(void **state) {
    (void)state;
    const double target = 1e-6;
    const double spin = 8;
    const double rotation = TAU / spin;
    const double least[] = { 0.5 * target, target, 1.5 * target, 2.5 * target, 10 * target, 1e-3 };
    int steps;
    Actor paper = { .kind = PAPER };
    for (int i = 0; i < COUNT(least); i++) {
        // thick and thin side alike, so that it turns about y for ever; a corner is lowest when the
        // diagonal is upright
        double height = least[i] + 0.5e-6 + 0.5 * sqrt(1 + 1e-6);
        Actor rod = thrown(ROD, vec(0, 0, height), UPRIGHT, NONE, vec(0, spin, 0));
        double t = first_contact(&rod, &paper, target, rotation, 2000, &steps);
        print_message("    grazing at %.1e: %d steps, %s\n", least[i], steps,
                      t < HUGE_VAL ? "touches" : "passes");
        assert_true((t < HUGE_VAL) == (least[i] < 2 * target));
    }
}

static void g6_bullets_and_paper_of_1_um(void **state) {
    (void)state;
    const double speeds[] = { 1, 300, 1e4, 1e6, 1e8 };
    const int kinds[] = { PELLET, BULLET, ROD, GRAIN };
    Actor paper = { .kind = PAPER };
    int steps;
    int longest = 0;
    for (int i = 0; i < COUNT(speeds); i++) {
        for (int k = 0; k < COUNT(kinds); k++) {
            for (int spinning = 0; spinning < 2; spinning++) {
                impVec3 w = spinning ? vec(300, 20, 10) : NONE;
                Actor a = thrown(kinds[k], vec(0.1, 0.2, 5), num_random_rotation(0.3, 0.1, 0.7),
                                 vec(0, 0, -speeds[i]), w);
                double t = first_contact(&a, &paper, 1e-7, 1e3, 2000, &steps);
                if (!(t < HUGE_VAL)) {
                    fail_msg("kind %d at %g m/s goes through", kinds[k], speeds[i]);
                }
                assert_true(now_of(&a, t).x.z > 0);
                NEAR(t, 5 / speeds[i], 0.52 / speeds[i]);
                longest = steps > longest ? steps : longest;
            }
        }
    }
    print_message("    at most %d steps\n", longest);
}

static void g7_together_for_ever(void **state) {
    (void)state;
    const double gaps[] = { 1e-9, 1e-6, 1e-3, 1 };
    impVec3 v = vec(12345.678, -9.1, 7.3);
    impVec3 g = model->gravity;
    for (int pull = 0; pull < 2; pull++) {
        for (int i = 0; i < COUNT(gaps); i++) {
            // both fall
            model->gravity = pull ? vec(0, 0, -9.81) : NONE;
            Actor a = thrown(CUBE, vec(0, 0, 1 + gaps[i]), UPRIGHT, v, NONE);
            Actor b = thrown(CUBE, NONE, UPRIGHT, v, NONE);
            // one question, one answer
            assert_true(bound_at(&a, &b, 0, 0.5 * gaps[i]) == HUGE_VAL);
        }
    }
    model->gravity = g;
}

// Thirty balls in a row, each 5 cm in the next, and one that only touches.
static void i11_bodies_that_start_inside_each_other(void **state) {
    (void)state;
    impScene *scene = impScene_New(vec(0, 0, -9.81));
    impShapeDef ball = { .kind = "sphere", .size = { 0.1 } };
    for (int i = 0; i < 31; i++) {
        char name[16];
        snprintf(name, sizeof name, "ball %d", i);
        double at = i < 30 ? 0.15 * i : 0.15 * 29 + 0.2 - 1e-7;
        assert_true(impScene_Body(scene,
                                  &(impBodyDef){ .name = name,
                                                 .shapes = &ball,
                                                 .shape_count = 1,
                                                 .pose = { { at, 0, 0 }, { 1, 0, 0, 0 } } },
                                  &err)
                        .i > 0);
    }
    impModel *row = impModel_Build(scene, &err);
    assert_non_null(row);
    assert_false(impScene_CheckOverlaps(scene, row, 1e-6, &err));
    assert_int_equal(err.fault, IMP_BAD_INPUT);
    assert_int_equal(err.count, 29);
    assert_non_null(strstr(err.message[0].text, "at the start; no more than 1e-6 m is touching"));
    assert_non_null(strstr(err.message[0].text, " by 0.05"));
    assert_false(impScene_CheckOverlaps(scene, row, 0.0499, NULL));
    assert_true(impScene_CheckOverlaps(scene, row, 0.0501, &err));
    assert_int_equal(err.count, 0);
    assert_false(impScene_CheckOverlaps(scene, row, 0, &err));
    assert_int_equal(err.count, 30);
    // another scene's
    assert_false(impScene_CheckOverlaps(scene, model, 1e-6, &err));
    assert_int_equal(err.fault, IMP_BAD_CALL);
    assert_false(impScene_CheckOverlaps(NULL, row, 1e-6, &err) ||
                 impScene_CheckOverlaps(scene, NULL, 1e-6, &err) ||
                 impScene_CheckOverlaps(scene, row, (double)NAN, &err));
    impModel_Free(row);
    impScene_Free(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(g3_a_grain_on_a_plate_of_1_km),
        cmocka_unit_test(g4_a_mirrored_scene_has_the_mirrored_manifold),
        cmocka_unit_test(g5_a_rod_that_grazes),
        cmocka_unit_test(g6_bullets_and_paper_of_1_um),
        cmocka_unit_test(g7_together_for_ever),
        cmocka_unit_test(i11_bodies_that_start_inside_each_other),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
