// impulse_warm_start.c -- forces of the last micro-step: over which time an impulse is a force, and
// which points get the force of a point that is gone.
//
// docs/theory/contact-solver.md, section 4. The functions are called by themselves, with one pair
// of bodies: a at the origin with its axes along the world's, b fixed below it.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "method/impulse.h"

enum { POINTS = 3, ROOM = 16 };

// s: duration of the micro-steps
static const double T = 0.01;

// All that a warm start reads and writes.
static struct {
    World world;
    Pairs pairs;
    Island island;
    Actor actor[2];
    Pair pair;
    WarmPair warm_pair;
    WarmPoint warm_point[ROOM];
    ContactPoint contact_point[POINTS];
    MicrostepPoint point[POINTS];
    int32_t slot[POINTS];
} s;

static int begin(void **state) {
    (void)state;
    memset(&s, 0, sizeof s);
    s.actor[0].q = quat(1, 0, 0, 0);
    s.world.flights.actor = s.actor;
    s.world.settings.capacity.points = ROOM;
    s.pairs.queue.pair = &s.pair;
    s.pairs.warm_start.pair = &s.warm_pair;
    s.pairs.warm_start.point = s.warm_point;
    s.island.contact_point = s.contact_point;
    s.island.point = s.point;
    s.island.slot = s.slot;
    return 0;
}

// Point i of the island: by feature, at x along an edge.
static void put_point(int i, uint64_t feature, double x) {
    s.contact_point[i] = (ContactPoint){ .b = 1,
                                         .feature = feature,
                                         .at = vec(x, 0, 0),
                                         .t1 = vec(1, 0, 0),
                                         .t2 = vec(0, 1, 0),
                                         .n = vec(0, 0, 1) };
    s.point[i] = (MicrostepPoint){ .friction = 0.5 };
    s.island.point_count = i + 1;
}

// A micro-step with this normal impulse at point 0, N s.
static void store(double now, double impulse) {
    s.world.clock.now = now;
    s.point[0].p = vec(0, 0, impulse);
    impulse_warm_start_store(&s.pairs, &s.island, &s.world, T);
}

// The normal impulse from which a micro-step at a time would start, N s.
static double start(double now, int point) {
    s.world.clock.now = now;
    impulse_warm_start(&s.island, &s.pairs, &s.world, T);
    return s.point[point].p.z;
}

static void an_impulse_is_a_force_times_the_time_between_two(void **state) {
    (void)state;
    put_point(0, 1, 0);
    store(0, 1);
    NEAR(start(0.02, 0), 2, 1e-12);
    // after 18 ms
    store(0.018, 3.6);
    NEAR(start(0.028, 0), 2, 1e-12);
}

// It may be much less than the force would have, or much more.
static void an_impulse_after_a_short_time_leaves_the_former_force(void **state) {
    (void)state;
    put_point(0, 1, 0);
    store(0, 1);
    store(0.001, 1e-6);
    NEAR(start(0.011, 0), 1, 1e-12);
    store(0.002, 5);
    NEAR(start(0.012, 0), 1, 1e-12);
}

// Two ends of an edge are as near to its middle as rounding says.
static void a_force_in_the_middle_of_an_edge_goes_to_both_ends(void **state) {
    (void)state;
    put_point(0, 1, 0);
    store(0, 1);
    put_point(0, 2, 0.1);
    put_point(1, 3, -0.1 * (1 + 1e-12));
    put_point(2, 4, 0.15);
    NEAR(start(0.01, 0), 0.5, 1e-12);
    NEAR(start(0.01, 1), 0.5, 1e-12);
    assert_true(start(0.01, 2) == 0);
}

static void a_force_against_the_normal_is_none(void **state) {
    (void)state;
    put_point(0, 1, 0);
    store(0, 1);
    put_point(0, 2, 0);
    s.contact_point[0].n = vec(0, 0, -1);
    assert_int_equal(impulse_warm_start(&s.island, &s.pairs, &s.world, T), 0);
}

// The normal has rotated by 45 degrees since.
static void an_impulse_starts_in_the_cone(void **state) {
    (void)state;
    const double h = sqrt(0.5);
    put_point(0, 1, 0);
    store(0, 1);
    s.contact_point[0].t1 = vec(h, 0, -h);
    s.contact_point[0].n = vec(h, 0, h);
    NEAR(start(0.01, 0), h, 1e-12);
    NEAR(s.point[0].p.x, -0.5 * h, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_impulse_is_a_force_times_the_time_between_two, begin),
        cmocka_unit_test_setup(an_impulse_after_a_short_time_leaves_the_former_force, begin),
        cmocka_unit_test_setup(a_force_in_the_middle_of_an_edge_goes_to_both_ends, begin),
        cmocka_unit_test_setup(a_force_against_the_normal_is_none, begin),
        cmocka_unit_test_setup(an_impulse_starts_in_the_cone, begin),
    };
    return RUN(tests);
}
