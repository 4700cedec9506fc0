// point.c -- the points where two bodies touch: each is said once.
//
// Two dominos, one leaning on the face of the other, turned a little about the vertical: the edge
// crosses the border of the face, which the manifold and the closest points both find.
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

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_point_is_said_twice) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
