// joints.c -- each joint's twist is the rate of change of its pose, and its coordinates at rest are
// the identity.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "joint/joint.h"

static void coordinates_at_rest_are_the_identity(void **state) {
    (void)state;
    for (int i = 0; i < joint_kind_count; i++) {
        double q[7] = { 0 };
        joint_kinds[i].rest(q);
        impPose p = joint_kinds[i].pose(q);
        NEAR(norm(p.at), 0, 0);
        NEAR(p.rotation.w, 1, 0);
    }
}

// q after a short time h at velocity v: quaternions by the exponential map, the rest by addition.
static void advance(const JointKind *k, double *q, const double *v, double h) {
    bool free = !strcmp(k->name, "free");
    bool ball = !strcmp(k->name, "ball");
    for (int i = 0; i < k->nv && !ball && !(free && i >= 3); i++) {
        q[i] += h * v[i];
    }
    if (!free && !ball) return;
    double *rotation = free ? q + 3 : q;
    const double *w = free ? v + 3 : v;
    impVec3 a = vec(h * w[0], h * w[1], h * w[2]);
    impQuat now = qmul(quat_rotation(scale(1 / norm(a), a), norm(a)),
                       quat(rotation[0], rotation[1], rotation[2], rotation[3]));
    rotation[0] = now.w;
    rotation[1] = now.x;
    rotation[2] = now.y;
    rotation[3] = now.z;
}

static void twist_is_the_rate_of_the_pose(void **state) {
    (void)state;
    const double v[6] = { 0.3, -0.7, 0.5, 1.1, -0.4, 0.6 };
    const double h = 1e-5;
    for (int i = 0; i < joint_kind_count; i++) {
        const JointKind *k = &joint_kinds[i];
        double before[7] = { 0 };
        double middle[7] = { 0 };
        double after[7] = { 0 };
        k->rest(before);
        advance(k, before, v, 0.7);
        memcpy(middle, before, sizeof middle);
        memcpy(after, before, sizeof after);
        advance(k, middle, v, h);
        advance(k, after, v, 2 * h);
        impPose a = k->pose(before);
        impPose b = k->pose(after);
        impTwist t = k->twist(middle, v);
        impQuat d = qmul(b.rotation, conjugate(a.rotation));
        NEAR(norm(sub(scale(0.5 / h, sub(b.at, a.at)), t.linear)), 0, 1e-8);
        // sin(angle/2) = |w| h
        NEAR(norm(sub(scale(1 / h, vec(d.x, d.y, d.z)), t.angular)), 0, 1e-8);
    }
}

static void rows_are_found_by_name(void **state) {
    (void)state;
    for (int i = 0; i < joint_kind_count; i++) {
        assert_int_equal(joint_find(joint_kinds[i].name), i);
    }
    assert_int_equal(joint_find("screw"), -1);
    assert_int_equal(joint_find(NULL), -1);
    SAME_TEXT(joint_kinds[JOINT_FREE].name, "free");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordinates_at_rest_are_the_identity),
        cmocka_unit_test(twist_is_the_rate_of_the_pose),
        cmocka_unit_test(rows_are_found_by_name),
    };
    return RUN(tests);
}
