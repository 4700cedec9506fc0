// impact_time.c -- the bound on the time of impact in cases that have names: bullets, feeders,
// platters, walls that come.
//
// Pairs thrown by chance: impact_time_chance.c.
//
// SPDX-License-Identifier: MIT
#include "impact_time_support.h"

static Actor still(int kind) { return (Actor){ .kind = kind, .fixed = pose_identity() }; }

static Actor flying(int kind, impVec3 x, impQuat q, impVec3 v, impVec3 w) {
    Actor a = { .kind = kind, .fixed = pose_identity() };
    a.flight = motion_flight(body_of(&a), model->gravity, 0, (Flying){ x, q, v, w });
    return a;
}

static const impQuat upright = { 1, 0, 0, 0 };
static const impVec3 rest = { 0, 0, 0 };

// Goes on by its bounds until within twice the target of b; returns that time. The gap never falls
// below the target.
static double advance(const Actor *a, const Actor *b, double target, int most, int *steps) {
    double t = 0;
    for (*steps = 0; *steps < most; ++*steps) {
        double gap = closest_at(a, b, t).distance;
        assert_true(gap >= target * (1 - 1e-6));
        if (gap < 2 * target) return t;
        double step = bound_at(a, b, t, target);
        double next = collide_time_after(t, step);
        assert_true(step > 0);
        if (step == HUGE_VAL) return HUGE_VAL;
        assert_true(next > t && (next - t <= step || next - t <= 5 * DBL_EPSILON * t));
        t = next;
    }
    fail_msg("no end after %d steps, at %.9g", most, t);
    return t;
}

static void bullet_and_thin_plate(void **state) {
    (void)state;
    int steps;
    // 1 mm
    Actor wall = still(WALL);
    Actor bullet = flying(CONE, vec(0.1, 0.2, 50), random_turn(), vec(0, 0, -1e4),
                          vec(3000, 200, 100));
    double t = advance(&bullet, &wall, 1e-6, 500, &steps);
    double z = motion_fly(&bullet.flight, t).x.z;
    print_message("    bullet: %d steps\n", steps);
    assert_true(z > 0 && z < 0.4);
}

// thrown at a plate, with a box
static void cube_and_thin_plate(void **state) {
    (void)state;
    int steps;
    Actor wall = still(WALL);
    Actor cube = flying(BOX, vec(0.1, 0.2, 1), random_turn(), vec(0, 0, -200), vec(5, 70, 9));
    double t = advance(&cube, &wall, 1e-6, 300, &steps);
    double z = motion_fly(&cube.flight, t).x.z;
    print_message("    cube at 200 m/s: %d steps\n", steps);
    assert_true(z > 0 && z < 0.2);
}

static void rod_turning_near_a_wall(void **state) {
    (void)state;
    int steps;
    impVec3 g = model->gravity;
    model->gravity = rest;
    Actor plane = still(PLANE);
    Actor rod = flying(NEEDLE, vec(0, 0, 0.4), upright, rest, vec(1e-3, 8, 1e-4));
    double t = advance(&rod, &plane, 1e-6, 300, &steps);
    // half of 1 m, 0.4 m up
    NEAR(num_sin(8 * t), 0.8, 0.02);
    print_message("    rod: %d steps\n", steps);
    model->gravity = g;
}

static void shot_at_the_ceiling(void **state) {
    (void)state;
    impVec3 down = vec(0, 0, -9.81);
    int steps;
    Actor roof = still(WALL);
    for (int spinning = 0; spinning < 2; spinning++) {
        impVec3 w = spinning ? vec(1, 2, 3) : rest;
        // A ball 1 m below the roof reaches 0.1 + v^2 / 2g above its centre: 3.9 m/s is too little,
        // 5 enough
        Actor slow = flying(BALL, vec(0, 0, -1), upright, vec(0, 0, 3.9), w);
        Actor fast = flying(BALL, vec(0, 0, -1), upright, vec(0, 0, 5), w);
        assert_true(bound_at(&slow, &roof, 0, 0) == HUGE_VAL);
        double t = advance(&fast, &roof, 1e-6, 20, &steps);
        double rise = 1 - 0.1 - 0.0005;
        NEAR(5 * t + 0.5 * down.z * t * t, rise, 1e-5);
        assert_true(steps <= 4);
    }
}

static void platter_does_not_matter_along_its_axis(void **state) {
    (void)state;
    Actor platter = still(PLATTER);
    Actor ball = flying(BALL, vec(0.3, 0.1, 0.5), upright, rest, vec(1, 2, 3));
    double drop = 0.5 - 0.1 - 0.025;
    NEAR(bound_at(&ball, &platter, 0, 0), sqrt(2 * drop / 9.81), 1e-6);
    // a round platter turns in its own shape
    Actor aside = flying(BALL, vec(1.5, 0, 0), upright, rest, rest);
    assert_true(bound_at(&aside, &platter, 0, 0) == HUGE_VAL);
    Actor paddle = still(PADDLE);
    Actor over = flying(BALL, vec(0.45, 0, 0.3), upright, vec(-1, 0, 3), rest);
    // its end goes down: only (3) knows
    assert_true(bound_at(&over, &paddle, 0, 0) > 0.02);
}

static void feeder(void **state) {
    (void)state;
    int steps;
    Actor tray = still(TRAY);
    Actor ball = flying(BALL, vec(0.1, 0.1, 0.5), upright, rest, rest);
    double bound = bound_at(&ball, &tray, 0, 0);
    double drop = 0.5 - 0.1 - 0.025;
    // 4 mm up and down cannot cost more
    assert_true(bound > sqrt(2 * (drop - 0.012) / 9.81) * 0.97);
    advance(&ball, &tray, 1e-6, 60, &steps);
    print_message("    onto a feeder: %d steps\n", steps);
}

// A wall that goes straight on is exact: the bound is the time at which it is there, or never.
static void a_wall_that_comes(void **state) {
    (void)state;
    int steps;
    impVec3 g = model->gravity;
    // up, at 2 m/s, and aside, which nobody sees
    Actor press = still(PRESS);
    for (press.t0 = 0; press.t0 < 1e4; press.t0 = 10 * press.t0 + 1) {
        double floor = 2 * press.t0;
        Actor falls = flying(BALL, vec(0.3, 0.1, floor + 1.1), upright, rest, vec(1, 2, 3));
        NEAR(bound_at(&falls, &press, 0, 0), (sqrt(4 + 2 * 9.81) - 2) / 9.81, 1e-8);
        model->gravity = rest;
        Actor waits = flying(BALL, vec(0.3, 0.1, floor + 1.1), upright, rest, vec(1, 2, 3));
        Actor flees = flying(BALL, vec(0.3, 0.1, floor + 1.1), upright, vec(0, 0, 2), rest);
        NEAR(bound_at(&waits, &press, 0, 0), 0.5, 1e-8);
        assert_true(bound_at(&flees, &press, 0, 0) > 1e9 * (1 - 1e-6));
        Actor box = flying(BOX, vec(0.3, 0.1, floor + 1.1), random_turn(), rest, vec(5, 7, 9));
        double t = advance(&box, &press, 1e-6, 60, &steps);
        assert_true(t > 0.4 && t < 0.55);
        model->gravity = g;
    }
}

// docs/reference/faults.md, row G7
static void together_in_one_step(void **state) {
    (void)state;
    impVec3 v = vec(12345.678, -9.1, 7.3);
    Actor a = flying(BOX, vec(0, 0, 0.300001), upright, v, rest);
    Actor b = flying(BOX, rest, upright, v, rest);
    assert_true(bound_at(&a, &b, 0, 1e-7) == HUGE_VAL);
    Actor c = flying(BALL, vec(0, 0, 0.3), upright, v, vec(1, 2, 3));
    Actor d = flying(BALL, rest, upright, v, vec(3, 2, 1));
    // a ball's spin is nobody's business
    assert_true(bound_at(&c, &d, 0, 1e-7) == HUGE_VAL);
}

static void receding_from_a_tiny_gap(void **state) {
    (void)state;
    Actor plane = still(PLANE);
    Actor ball = flying(BALL, vec(0, 0, 0.1 + 1e-12), upright, vec(0, 0, 0.01), vec(50, 0, 0));
    NEAR(bound_at(&ball, &plane, 0, 0), 2 * 0.01 / 9.81, 1e-7);
    Placed pa = actor_at(&ball, 0);
    Placed pb = actor_at(&plane, 0);
    Mover ma = actor_mover(&ball, 0);
    Mover mb = actor_mover(&plane, 0);
    Closest c = collide_closest(&pa, &pb, NULL);
    // at the target: still not 0
    NEAR(collide_time_bound(&ma, &mb, &pa, &pb, &c, c.distance), 2 * 0.01 / 9.81, 1e-9);
    assert_true(collide_time_bound(&ma, &mb, &pa, &pb, &c, c.distance + 1e-9) == 0);
    // a box that turns slowly while it rises: only the second order knows (C.5)
    Actor box = flying(BOX, vec(0, 0, 0.05 + 1e-12), upright, vec(0, 0, 0.1), vec(0.01, 0.02, 0));
    assert_true(bound_at(&box, &plane, 0, 0) > 0.015);
}

// (2): the rod's length does not enter
static void spinning_about_its_own_axis(void **state) {
    (void)state;
    impVec3 g = model->gravity;
    model->gravity = rest;
    impQuat lying = quat_rotation(vec(0, 1, 0), PI / 2);
    Actor plane = still(PLANE);
    Actor rod = flying(TUBE, vec(0, 0, 0.06), lying, rest, vec(100, 0, 0));
    double plain = 0.01 / (100 * norm(vec(0.05, 0, 0.2)));
    assert_true(bound_at(&rod, &plane, 0, 0) > 2.5 * plain);
    Actor coin = flying(COIN, vec(0, 0, 0.02), upright, rest, vec(0, 0, 100));
    // n along the spin: for ever, but for rounding
    assert_true(bound_at(&coin, &plane, 0, 0) > 1e6);
    model->gravity = g;
}

// What a mover says of the rest of its flight is true of all of it: |w|, |dw/dt|, the axis and how
// far w and it stray.
static void movers_keep_their_promises(void **state) {
    (void)state;
    double nearest_w = 0;
    double nearest_change = 0;
    double nearest_wobble = 0;
    double nearest_lean = 0;
    for (int i = 0; i < 400; i++) {
        Actor a = random_actor(i % FREE_END, 1, 10);
        Mover m = actor_mover(&a, 0);
        Flying start = a.flight.front.start;
        for (int k = 0; k < 200; k++) {
            double t = 30 * k / (200 * m.w_max);
            double h = 1e-4 / m.w_max;
            Flying now = motion_fly(&a.flight, t);
            Flying soon = motion_fly(&a.flight, t + h);
            impVec3 axis = rotate(now.q, unrotate(start.q, m.axis));
            impVec3 along = scale(dot(now.w, axis), axis);
            double change = norm(sub(soon.w, now.w)) / h;
            double stray = norm(sub(now.w, along));
            double off = fmin(norm(sub(axis, m.steady)), norm(add(axis, m.steady)));
            assert_true(norm(now.w) <= m.w_max);
            assert_true(change <= m.w_change + 1e-3 * m.w_max * m.w_max);
            assert_true(stray <= m.wobble + 1e-9 * m.w_max);
            assert_true(off <= m.lean + 1e-9 || m.lean >= 1);
            nearest_w = fmax(nearest_w, norm(now.w) / norm(start.w));
            if (m.w_change > 0) {
                nearest_change = fmax(nearest_change, change / m.w_change);
            }
            if (m.wobble > 1e-6 * m.w_max) {
                nearest_wobble = fmax(nearest_wobble, stray / m.wobble);
            }
            if (m.lean < 1 && m.lean > 1e-6) {
                nearest_lean = fmax(nearest_lean, off / m.lean);
            }
        }
    }
    print_message(
        "    |w| grows up to %.3f times; shares reached: change %.2f, wobble %.3f, lean %.3f\n",
        nearest_w, nearest_change, nearest_wobble, nearest_lean);
    assert_true(nearest_w > 1.1 && nearest_change > 0.2 && nearest_wobble > 0.8 &&
                nearest_lean > 0.5);
}

// Of two balls, and of a ball over what stands, no spin enters: left out, the times are the same
// bit for bit.
static void the_spin_of_balls_is_left_out(void **state) {
    (void)state;
    int met = 0;
    for (int i = 0; i < 200 * FREE_END * FIXED_END; i++) {
        Actor a = random_actor(i % FREE_END, 1, 10);
        Actor b = random_actor(i / FREE_END % FIXED_END, 1, 10);
        if (extent[a.kind].bounding_radius > 0 ||
            (b.kind < FREE_END && extent[b.kind].bounding_radius > 0))
            continue;
        set_gap(&a, &b, 0.01);
        Placed p = actor_at(&a, 0);
        Placed q = actor_at(&b, 0);
        Closest c = closest_at(&a, &b, 0);
        Mover full_a = actor_mover(&a, 0);
        Mover full_b = actor_mover(&b, 0);
        Mover lean_a;
        Mover lean_b;
        Flying now_b = { .q = { 1, 0, 0, 0 } };
        if (b.kind < FREE_END) {
            now_b = b.flight.front.start;
        }
        collide_set_mover(&lean_a, model, a.kind + 1, &extent[a.kind], &a.flight.front.start, a.t0,
                          false);
        collide_set_mover(&lean_b, model, b.kind + 1, &extent[b.kind], &now_b, b.t0, false);
        double full = collide_time_until(&full_a, &full_b, &p, &q, &c, 0, 1);
        double lean = collide_time_until(&lean_a, &lean_b, &p, &q, &c, 0, 1);
        assert_memory_equal(&full, &lean, sizeof full);
        full = collide_time_by_speed(&full_a, &full_b, 0.1);
        lean = collide_time_by_speed(&lean_a, &lean_b, 0.1);
        assert_memory_equal(&full, &lean, sizeof full);
        met++;
    }
    assert_true(met > 20);
}

static void times_add_up_downwards(void **state) {
    (void)state;
    for (int i = 0; i < 1000; i++) {
        double t = spread(1e-3, 1e6);
        double step = spread(1e-18, 1e3);
        double sum = collide_time_after(t, step);
        assert_true(sum > t);
        assert_true((long double)sum <= (long double)t + (long double)step ||
                    sum - t <= 8 * DBL_EPSILON * t);
        assert_true(sum >= t + step - 2 * DBL_EPSILON * (t + step));
    }
    assert_true(collide_time_after(1, HUGE_VAL) == HUGE_VAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bullet_and_thin_plate),
        cmocka_unit_test(cube_and_thin_plate),
        cmocka_unit_test(rod_turning_near_a_wall),
        cmocka_unit_test(shot_at_the_ceiling),
        cmocka_unit_test(platter_does_not_matter_along_its_axis),
        cmocka_unit_test(feeder),
        cmocka_unit_test(a_wall_that_comes),
        cmocka_unit_test(together_in_one_step),
        cmocka_unit_test(receding_from_a_tiny_gap),
        cmocka_unit_test(spinning_about_its_own_axis),
        cmocka_unit_test(movers_keep_their_promises),
        cmocka_unit_test(the_spin_of_balls_is_left_out),
        cmocka_unit_test(times_add_up_downwards),
    };
    return cmocka_run_group_tests(tests, make_model, drop_model);
}
