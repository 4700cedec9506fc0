// point.c -- the points where two bodies touch: each is said once; edges that cross; rims.
//
// The first: two dominos, one leaning on the face of the other, turned a little about the vertical:
// the edge crosses the border of the face, which the manifold and the closest points both find.
//
// SPDX-License-Identifier: MIT
#include "contact_support.h"

enum { ROOM = 64 };
static NarrowPhase narrow_phase;
static ContactPoint contact_point[ROOM];

static void no_point_is_said_twice(void **state) {
    (void)state;
    const double band = 8e-6;
    impModel *m = two_boxes(0.008, 0.024, 0.048);
    // one shape for both
    Extent extent[2] = { collide_extent(m, 1, 0) };
    int points = 0;
    for (int i = 0; i < 60; i++) {
        // 0.05 down to 1e-14 rad
        double skew = (i % 2 ? -1 : 1) * num_exp(-(i / 2) - 3.0);
        impQuat lean = qmul(quat_rotation(vec(0, 0, 1), skew), quat_rotation(vec(0, 1, 0), 0.5));
        const impVec3 still = vec(0, 0, 0);
        Actor b = put_body(m, 2, still, quat(1, 0, 0, 0), still, still);
        Actor a = put_body(m, 1, vec(-0.03, 1e-4 * (i % 3), 0), lean, still, still);
        for (int k = 0; k < 30; k++) {
            a.x.x += collide_body_distance(m, 1, 2, a.pose, b.pose, HUGE_VAL).c.distance -
                     0.5 * band;
            a.pose.at = a.x;
        }
        contact_narrow_phase(m, &a, &b, extent, band, 0, NULL, NULL, &narrow_phase);
        int count = contact_points(m, &narrow_phase, band, band, contact_point, ROOM);
        assert_true(count >= 1);
        points += count;
        for (int p = 0; p < count; p++) {
            for (int q = 0; q < p; q++) {
                if (norm(sub(contact_point[p].at, contact_point[q].at)) < 0.01 * band &&
                    dot(contact_point[p].n, contact_point[q].n) > 1 - 1e-6) {
                    fail_msg("skew %g: points %d and %d of %d are one, carriers %d and %d", skew, q,
                             p, count, (int)contact_point[q].motion.kind,
                             (int)contact_point[p].motion.kind);
                }
            }
        }
    }
    // the line has two ends
    assert_true(points >= 90);
    impModel_Free(m);
}

// --- edges that cross ----------------------------------------------------------------------------

static bool has_motion(int count, ContactMotion kind) {
    for (int i = 0; i < count; i++) {
        if (contact_point[i].motion.kind == kind) return true;
    }
    return false;
}

// Two cubes, edge upon edge, which cross at an angle.
static int points_of_edges(const impModel *m, double angle) {
    const double band = 1e-5;
    const impVec3 still = vec(0, 0, 0);
    Extent extent[2] = { collide_extent(m, 1, 0) };
    impQuat on_edge = quat_rotation(vec(1, 0, 0), 0.25 * PI);
    impQuat across = qmul(quat_rotation(vec(0, 0, 1), angle), on_edge);
    Actor b = put_body(m, 2, still, on_edge, still, still);
    Actor a = put_body(m, 1, vec(1e-3, 0, 0.1 * sqrt(2) + 0.5 * band), across, still, still);
    contact_narrow_phase(m, &a, &b, extent, band, 0, NULL, NULL, &narrow_phase);
    return contact_points(m, &narrow_phase, band, band, contact_point, ROOM);
}

// The crossing of parallel edges would run along them at the slightest rotation.
static void nearly_parallel_edges_have_no_crossing(void **state) {
    (void)state;
    impModel *m = two_boxes(0.1, 0.1, 0.1);
    assert_true(has_motion(points_of_edges(m, 0.1), EDGES_CROSS));
    assert_true(has_motion(points_of_edges(m, 2e-3), EDGES_CROSS));
    assert_false(has_motion(points_of_edges(m, 5e-4), EDGES_CROSS));
    assert_false(has_motion(points_of_edges(m, 1e-7), EDGES_CROSS));
    impModel_Free(m);
}

// --- rims ----------------------------------------------------------------------------------------

// A cylinder that stands on a box, tilted by an angle towards a direction, rotating about another.
typedef struct Standing {
    double tilt, towards, about, rate;
} Standing;

static const double BAND = 1e-5, RADIUS = 0.02;

static int points_of_rim(const Standing *of) {
    impError err;
    const impVec3 still = vec(0, 0, 0);
    impShapeDef shapes[2] = { { .kind = "cylinder", .size = { RADIUS, 0.02 } },
                              { .kind = "box", .size = { 0.1, 0.1, 0.1 } } };
    impScene *scene = impScene_New(vec(0, 0, -9.81));
    for (int i = 0; i < 2; i++) {
        impScene_Body(scene, &(impBodyDef){ .shapes = &shapes[i], .shape_count = 1 }, &err);
    }
    impModel *m = impModel_Build(scene, &err);
    assert_non_null(m);
    impScene_Free(scene);
    Extent extent[2] = { collide_extent(m, 1, 0), collide_extent(m, 2, 1) };
    impQuat tilted = quat_rotation(vec(-sin(of->towards), cos(of->towards), 0), of->tilt);
    impVec3 spin = scale(of->rate, vec(-sin(of->about), cos(of->about), 0));
    Actor b = put_body(m, 2, vec(0, 0, -0.05), quat(1, 0, 0, 0), still, still);
    Actor a = put_body(m, 1, vec(0, 0, 0.01 * cos(of->tilt) + RADIUS * sin(of->tilt) + 0.1 * BAND),
                       tilted, still, spin);
    contact_narrow_phase(m, &a, &b, extent, BAND, 0, NULL, NULL, &narrow_phase);
    int count = contact_points(m, &narrow_phase, BAND, BAND, contact_point, ROOM);
    impModel_Free(m);
    return count;
}

// The point that approaches, beside the eight marks of a rim.
static bool has_approaching_point(int count) {
    for (int i = 0; i < count; i++) {
        if (contact_point[i].feature >> 50) return true;
    }
    return false;
}

// All of the rim is within the band: its lowest place is between two marks, and no point of its
// own.
static void eight_marks_stand_for_a_rim_that_lies_flat(void **state) {
    (void)state;
    const double tilt = 0.3 * BAND / RADIUS;
    assert_int_equal(points_of_rim(&(Standing){ tilt, PI / 8, PI / 8 + 0.3, 1 }), 8);
    assert_false(has_motion(8, ROLLS_ON_A));
}

// Part of the rim is beyond the band: it comes down between two marks.
static void the_place_where_a_rim_comes_down_is_a_point(void **state) {
    (void)state;
    const double tilt = 6e-4;
    assert_true(has_approaching_point(points_of_rim(&(Standing){ tilt, PI / 8, PI / 8 + 0.3, 1 })));
    assert_false(
        has_approaching_point(points_of_rim(&(Standing){ tilt, PI / 8, PI / 8 + 0.3, -1 })));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_point_is_said_twice),
        cmocka_unit_test(nearly_parallel_edges_have_no_crossing),
        cmocka_unit_test(eight_marks_stand_for_a_rim_that_lies_flat),
        cmocka_unit_test(the_place_where_a_rim_comes_down_is_a_point)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
