// hull2.c -- the hull of points in a plane: all points are left of its sides, its corners are
// points, degenerate sets have one or two corners.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "base/base.h"
#include "num/num.h"

enum { MOST = 64 };

static int hull(const Vec2 *p, int count, int32_t *corner) {
    int corners = num_hull2(p, count, corner);
    assert_true(corners >= 0 && corners <= count);
    return corners;
}

static void no_points_have_no_hull(void **state) {
    int32_t corner[HULL2_ROOM(1)];
    (void)state;
    assert_int_equal(num_hull2(NULL, 0, corner), 0);
}

// Of equal points the first counts.
static void one_place_is_one_corner(void **state) {
    const Vec2 p[3] = { { 2, -1 }, { 2, -1 }, { 2, -1 } };
    int32_t corner[HULL2_ROOM(3)];
    (void)state;
    assert_int_equal(hull(p, 3, corner), 1);
    assert_int_equal(corner[0], 0);
}

static void a_line_has_two_ends(void **state) {
    const Vec2 p[5] = { { 1, 1 }, { 0, 0 }, { 3, 3 }, { 0, 0 }, { 2, 2 } };
    const Vec2 up[3] = { { 1, 2 }, { 1, -1 }, { 1, 0 } };
    int32_t corner[HULL2_ROOM(5)];
    (void)state;
    assert_int_equal(hull(p, 5, corner), 2);
    assert_int_equal(corner[0], 1);
    assert_int_equal(corner[1], 2);
    assert_int_equal(hull(up, 3, corner), 2);
    assert_int_equal(corner[0], 1);
    assert_int_equal(corner[1], 0);
}

// Points on a side are no corners; the order is counter-clockwise from the leftmost, lowest one.
static void points_on_sides_and_inside_are_left_out(void **state) {
    const Vec2 p[9] = { { 1, 1 }, { 2, 0 }, { 0, 2 }, { 1, 0 }, { 2, 2 },
                        { 2, 1 }, { 0, 0 }, { 0, 1 }, { 1, 2 } };
    const int want[4] = { 6, 1, 4, 2 };
    int32_t corner[HULL2_ROOM(9)];
    (void)state;
    assert_int_equal(hull(p, 9, corner), 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(corner[i], want[i]);
    }
}

// Every point is left of every side or on it; every corner turns left; the set of corners does not
// depend on the order of the points.
static void check(const Vec2 *p, int count) {
    int32_t corner[HULL2_ROOM(MOST)], other[HULL2_ROOM(MOST)];
    Vec2 back[MOST];
    int corners = hull(p, count, corner);
    for (int k = 0; k < corners; k++) {
        Vec2 a = p[corner[k]];
        Vec2 b = p[corner[(k + 1) % corners]];
        for (int i = 0; i < count; i++) {
            assert_true(area2(a, b, p[i]) >= -1e-15);
        }
        assert_true(area2(a, b, p[corner[(k + 2) % corners]]) > 0);
    }
    for (int i = 0; i < count; i++) {
        back[i] = p[count - 1 - i];
    }
    assert_int_equal(hull(back, count, other), corners);
    for (int k = 0; k < corners; k++) {
        SAME_BITS(back[other[k]].x, p[corner[k]].x);
        SAME_BITS(back[other[k]].y, p[corner[k]].y);
    }
}

static void random_points_are_enclosed(void **state) {
    Lcg s = { 11 };
    Vec2 p[MOST];
    (void)state;
    for (int trial = 0; trial < 2000; trial++) {
        int count = 3 + (int)(num_lcg(&s) * (MOST - 3));
        for (int i = 0; i < count; i++) {
            p[i].x = 2 * num_lcg(&s) - 1;
            p[i].y = 2 * num_lcg(&s) - 1;
        }
        check(p, count);
    }
}

// A grid has many points that are exactly in line.
static void grids_have_four_corners(void **state) {
    Vec2 p[MOST];
    int32_t corner[HULL2_ROOM(MOST)];
    (void)state;
    for (int i = 0; i < MOST; i++) {
        // 29 and 64 have no common factor: every place once, in no order
        int at = i * 29 % MOST;
        p[i] = vec2(0.25 * (at % 8), 0.5 * (at / 8));
    }
    assert_int_equal(hull(p, MOST, corner), 4);
    check(p, MOST);
}

// Rounding puts points of one line on either side of it: the hull still goes once around.
static void points_nearly_in_line_do_not_lead_back(void **state) {
    Lcg s = { 3 };
    Vec2 p[MOST];
    int32_t corner[HULL2_ROOM(MOST)];
    (void)state;
    for (int trial = 0; trial < 1000; trial++) {
        double angle = TAU * num_lcg(&s);
        Vec2 along = vec2(num_cos(angle), num_sin(angle));
        for (int i = 0; i < MOST; i++) {
            // two sides of a strip
            p[i] = madd2(scale2(num_lcg(&s), along), i % 2, vec2(-along.y, along.x));
        }
        int corners = hull(p, MOST, corner);
        double area = 0;
        for (int k = 1; k + 1 < corners; k++) {
            area += 0.5 * area2(p[corner[0]], p[corner[k]], p[corner[k + 1]]);
        }
        double low[2] = { 1, 1 };
        double high[2] = { 0, 0 };
        for (int i = 0; i < MOST; i++) {
            low[i % 2] = fmin(low[i % 2], dot2(along, p[i]));
            high[i % 2] = fmax(high[i % 2], dot2(along, p[i]));
        }
        NEAR(area, 0.5 * (high[0] - low[0] + high[1] - low[1]), 1e-14);
    }
}

// Points that are computed one by one are wrapped to the same corners.
static void a_step_of_wrapping_needs_no_list(void **state) {
    Lcg s = { 5 };
    Vec2 p[MOST];
    int32_t corner[HULL2_ROOM(MOST)];
    (void)state;
    for (int i = 0; i < MOST; i++) {
        p[i].x = num_lcg(&s);
        p[i].y = num_lcg(&s);
    }
    int corners = hull(p, MOST, corner);
    for (int k = 0; k < corners; k++) {
        Vec2 from = p[corner[k]];
        int next = corner[k] == 0;
        for (int i = 0; i < MOST; i++) {
            if (i != corner[k] && num_wraps_closer(from, p[next], p[i])) {
                next = i;
            }
        }
        assert_int_equal(next, corner[(k + 1) % corners]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_points_have_no_hull),
        cmocka_unit_test(one_place_is_one_corner),
        cmocka_unit_test(a_line_has_two_ends),
        cmocka_unit_test(points_on_sides_and_inside_are_left_out),
        cmocka_unit_test(random_points_are_enclosed),
        cmocka_unit_test(grids_have_four_corners),
        cmocka_unit_test(points_nearly_in_line_do_not_lead_back),
        cmocka_unit_test(a_step_of_wrapping_needs_no_list),
    };
    return RUN(tests);
}
