// prediction.c -- what a micro-step adds to the mean velocity of two edges that cross: the gap it
// foretells is the one that comes.
//
// Two boxes, edge upon edge, thrown past each other and turning. The mean velocity along the normal
// over T, as the micro-step takes it, against the gap at T by the bodies' own flights and closest
// points.
//
// SPDX-License-Identifier: MIT
#include "contact_support.h"

static uint64_t draws;
static double uniform(double low, double high) {
    return low + (high - low) * num_uniform(31, 7, draws++);
}
static impVec3 any(double size) {
    double x = uniform(-size, size);
    double y = uniform(-size, size);
    double z = uniform(-size, size);
    return vec(x, y, z);
}

static double gap_of(const impModel *m, const Actor *a, const Actor *b) {
    return collide_body_distance(m, 1, 2, a->pose, b->pose, HUGE_VAL).c.distance;
}

static void edges_that_cross_meet_as_foretold(void **state) {
    (void)state;
    static NarrowPhase narrow_phase;
    enum { ROOM = 64 };
    static ContactPoint contact_point[ROOM];
    impModel *m = two_boxes(0.2, 0.1, 0.05);
    // one shape for both
    Extent extent[2] = { collide_extent(m, 1, 0) };
    int tried = 0;
    double worst = 0, moved = 0;
    const double T = 2e-5;
    const double gap = 1e-5;
    for (int i = 0; i < 400; i++) {
        // on an edge along x
        impQuat rotation = qmul(quat_rotation(vec(0, 0, 1), uniform(0.3, 1.2)),
                                quat_rotation(vec(1, 0, 0), uniform(0.5, 1)));
        Actor a = put_body(m, 1, vec(0, 0, 1), rotation, any(0.1), any(4));
        Actor b = put_body(m, 2, vec(0, 0, 0), quat_rotation(vec(1, 0, 0), uniform(0.5, 1)),
                           any(0.1), any(4));
        for (int k = 0; k < 40; k++) {
            a.x.z -= gap_of(m, &a, &b) - gap;
            a.pose.at = a.x;
        }
        contact_launch(&a, a.v, a.w);
        contact_narrow_phase(m, &a, &b, extent, 2e-5, 0, NULL, NULL, &narrow_phase);
        int count = contact_points(m, &narrow_phase, 2e-5, 2e-5, contact_point, ROOM);
        if (count != 1 || contact_point[0].motion.kind != EDGES_CROSS) continue;
        MicrostepBody ha = contact_microstep_body(&a);
        MicrostepBody hb = contact_microstep_body(&b);
        PredictedMotion ca = contact_predict_motion(m, &a, &ha, T);
        PredictedMotion cb = contact_predict_motion(m, &b, &hb, T);
        double fall;
        contact_set_time_scales(m, &a, &b, 2e-5, 0, &contact_point[0]);
        double mean =
            contact_point[0].u.z +
            contact_predicted_change(&a, &b, &ha, &hb, &ca, &cb, &contact_point[0], T, &fall).z;
        Actor later_a = a;
        Actor later_b = b;
        contact_move(m, &later_a, T);
        contact_move(m, &later_b, T);
        double then = gap_of(m, &later_a, &later_b);
        // past the edges
        if (then < 1e-6) continue;
        worst = fmax(worst, fabs(mean - (then - contact_point[0].gap) / T));
        moved = fmax(moved, fabs(mean - contact_point[0].u.z));
        tried++;
    }
    print_message(
        "edges that cross: %d micro-steps, off by %.1e m/s at most, of changes up to %.1e\n", tried,
        worst, moved);
    assert_true(tried > 100);
    assert_true(moved > 5e-5);
    NEAR(worst, 0, 1e-8);
    impModel_Free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(edges_that_cross_meet_as_foretold) };
    return RUN(tests);
}
