// set_box.c -- which features two boxes touch by, near the borders at which that changes.
//
// Cubes of 1 m, so that the least half length is 0.5 m. Each border is crossed a little to both
// sides: points of a resting box must stay the same from step to step, and those of one that leans
// must not be those of one that lies.
//
// SPDX-License-Identifier: MIT
#include "contact_support.h"

// m: points that are asked for
#define WITHIN 0.1
#define GAP    1e-4

static SetPoint point[SET_BOX_POINTS];

static SetBox cube_at(impVec3 at, impQuat q) {
    return (SetBox){ at, transpose(rotation(q)), { 0.5, 0.5, 0.5 } };
}

// The points of a cube at a place, turned, above one that is turned, too.
static int points_of(impVec3 at, impQuat qa, impQuat qb) {
    SetBox a = cube_at(at, qa);
    SetBox b = cube_at(vec(0, 0, 0), qb);
    return contact_set_boxes(&a, &b, WITHIN, point);
}

static const impQuat upright = { 1, 0, 0, 0 };

// Two cubes that lean by an angle, one about x, the other about y, touch where two edges cross;
// where they lean by less than the preference of faces, by a face.
static SetKind kind_of_leaning(double angle) {
    impQuat qa = quat_rotation(vec(1, 0, 0), angle);
    impQuat qb = quat_rotation(vec(0, 1, 0), angle);
    assert_true(points_of(vec(-0.2, 0.3, 1 + GAP), qa, qb) > 0);
    return point[0].kind;
}

static void faces_are_preferred_to_edges(void **state) {
    (void)state;
    assert_true(kind_of_leaning(5e-5) != SET_EDGES);
    assert_true(kind_of_leaning(5e-3) == SET_EDGES);
}

// A cube on an equal one, turned about the vertical by an angle: corners that are a little outside
// of the sides below are inside, so that there are four points; else there are eight.
static void corners_just_outside_are_inside(void **state) {
    (void)state;
    const impVec3 above = { 0, 0, 1 + GAP };
    assert_int_equal(points_of(above, quat_rotation(vec(0, 0, 1), 4e-5), upright), 4);
    assert_int_equal(points_of(above, quat_rotation(vec(0, 0, 1), 1e-2), upright), 8);
}

// A cube that leans by an angle stands nearer to the face below than that face to its own by the
// angle times its offset. Which of the two faces owns the points changes there, and not with
// rounding.
static void the_first_face_is_preferred(void **state) {
    (void)state;
    const double offset = 0.1;
    const impVec3 at = { offset, 0, 1 + GAP };
    points_of(at, quat_rotation(vec(0, 1, 0), -5e-8 / offset), upright);
    assert_int_equal(point[0].kind, SET_CORNER_OF_B);
    points_of(at, quat_rotation(vec(0, 1, 0), -5e-6 / offset), upright);
    assert_int_equal(point[0].kind, SET_CORNER_OF_A);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_are_preferred_to_edges),
        cmocka_unit_test(corners_just_outside_are_inside),
        cmocka_unit_test(the_first_face_is_preferred),
    };
    return RUN(tests);
}
