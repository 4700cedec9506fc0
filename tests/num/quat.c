// quat.c -- matrix to quaternion and back, turns about an axis, and the conventions of quat.h.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "base/base.h"
#include "num/num.h"

static impQuat random_quat(Lcg *s) {
    double a = num_lcg(s);
    double b = num_lcg(s);
    double c = num_lcg(s);
    return num_random_rotation(a, b, c);
}
// q and -q are one rotation.
static double apart(impQuat p, impQuat q) {
    double sign = p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z < 0 ? -1 : 1;
    return qnorm(quat(p.w - sign * q.w, p.x - sign * q.x, p.y - sign * q.y, p.z - sign * q.z));
}

static void matrices_come_back_as_quaternions(void **state) {
    (void)state;
    Lcg s = { 1 };
    for (int i = 0; i < 20000; i++) {
        impQuat p = random_quat(&s);
        impQuat q = quat_of(rotation(p));
        NEAR(apart(p, q), 0, 2e-15);
        NEAR(qnorm(q), 1, 3e-16);
        assert_true(q.w >= 0);
    }
}
// At half turns w is 0 or nearly so and the trace is of no help.
static void half_turns_lose_nothing(void **state) {
    (void)state;
    Lcg s = { 3 };
    for (int i = 0; i < 5000; i++) {
        impQuat r = random_quat(&s);
        impQuat p = unit(quat(i % 3 ? 1e-9 * r.w : 0, r.x, r.y, r.z));
        impQuat q = quat_of(rotation(p));
        NEAR(apart(p, q), 0, 2e-15);
        assert_true(q.w >= 0);
    }
    const impQuat exact[] = { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 }, { 0, 0, 0, 1 } };
    for (int i = 0; i < 4; i++) {
        NEAR(apart(quat_of(rotation(exact[i])), exact[i]), 0, 0);
    }
}
static void all_branches_agree_where_they_meet(void **state) {
    (void)state;
    const double h = 0.5;
    const double e = 1e-12;
    for (int i = 0; i < 81; i++) {
        double w = h + e * (i % 3 - 1);
        double x = h + e * (i / 3 % 3 - 1);
        double y = h + e * (i / 9 % 3 - 1);
        impQuat p = unit(quat(w, x, y, h + e * (i / 27 - 1)));
        NEAR(apart(quat_of(rotation(p)), p), 0, 1e-15);
    }
}

// A right-handed quarter turn about z takes x to y.
static void turns_are_right_handed(void **state) {
    (void)state;
    impVec3 y = rotate(quat_rotation(vec(0, 0, 1), PI / 2), vec(1, 0, 0));
    NEAR(y.x, 0, 3e-16);
    NEAR(y.y, 1, 3e-16);
    NEAR(y.z, 0, 0);
    impQuat q = quat_rotation(vec(0, 1, 0), 0);
    SAME_BITS(q.w, 1);
    SAME_BITS(q.x, 0);
    SAME_BITS(q.y, 0);
    SAME_BITS(q.z, 0);
    q = quat_rotation(vec(1, 0, 0), 1);
    NEAR(q.w, 0.87758256189037271612, 1.2e-16);
    NEAR(q.x, 0.47942553860420300027, 6e-17);
}
static void turns_about_one_axis_add_up(void **state) {
    (void)state;
    Lcg s = { 5 };
    for (int i = 0; i < 2000; i++) {
        impVec3 axis = rotate(random_quat(&s), vec(1, 0, 0));
        axis = scale(1 / norm(axis), axis);
        double a = 6 * num_lcg(&s) - 3;
        double b = 6 * num_lcg(&s) - 3;
        NEAR(
            apart(qmul(quat_rotation(axis, a), quat_rotation(axis, b)), quat_rotation(axis, a + b)),
            0, 2e-15);
        NEAR(norm(sub(rotate(quat_rotation(axis, a), axis), axis)), 0, 1e-15);
    }
}
// qmul(p, q) turns by q first; rotation() and rotate() say the same; unrotate() takes it back.
static void quaternions_and_matrices_agree(void **state) {
    (void)state;
    Lcg s = { 7 };
    for (int i = 0; i < 2000; i++) {
        impQuat p = random_quat(&s);
        impQuat q = random_quat(&s);
        impVec3 a = rotate(random_quat(&s), vec(1, 2, 3));
        NEAR(norm(sub(rotate(q, a), mul(rotation(q), a))), 0, 1e-14);
        NEAR(norm(sub(rotate(qmul(p, q), a), rotate(p, rotate(q, a)))), 0, 1e-14);
        NEAR(norm(sub(unrotate(q, rotate(q, a)), a)), 0, 1e-14);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_come_back_as_quaternions),
        cmocka_unit_test(half_turns_lose_nothing),
        cmocka_unit_test(all_branches_agree_where_they_meet),
        cmocka_unit_test(turns_are_right_handed),
        cmocka_unit_test(turns_about_one_axis_add_up),
        cmocka_unit_test(quaternions_and_matrices_agree),
    };
    return RUN(tests);
}
