// iterated_event.c -- arrivals within a step of the method `iterated`: bounces keep their heights,
// and what is fast does not pass through what is thin, however long the step.
//
// SPDX-License-Identifier: MIT
#include "iterated_support.h"

static const impVec3 down = { 0, 0, -9.81 };

// A ball that is dropped from a clearance of 1 m rises to e^2 of each height before; it touches at
// the contact level.
static void check_bounces(double e, double h, int bounces) {
    const double radius = 0.05;
    impScene *scene = iterated_scene(down, 0.3, 0.3, e);
    iterated_plane(scene);
    iterated_ball(scene, radius, vec(0, 0, 1 + radius), vec(0, 0, 0), 1);
    Trial t = iterated_trial_of(scene);
    double height = 1 - iterated_level(&t);
    double before = -1;
    int count = 0;
    for (int i = 0; i * h < 10 && count < bounces; i++) {
        iterated_step(&t, NULL, h);
        double v = trial_twist(&t, 2).linear.z;
        if (v > 0 && before < 0) {
            count++;
            height *= e * e;
            double apex = trial_at(&t, 2).z + v * v / (2 * 9.81) - radius - iterated_level(&t);
            NEAR(apex, height, 1e-12);
        }
        before = v;
    }
    assert_int_equal(count, bounces);
    trial_free(&t);
}

static void bounces_keep_their_heights(void **state) {
    (void)state;
    check_bounces(0.8, 1. / 60, 10);
    check_bounces(0.8, 1. / 240, 10);
    check_bounces(0.8, 1. / 1000, 10);
    check_bounces(0.5, 1. / 60, 3);
    check_bounces(1, 1. / 60, 10);
}

// A bullet and a plate of 1 mm across its path, in weightlessness.
typedef struct Shot {
    bool box;
    double speed, restitution, plate_mass;
    impVec3 spin;
} Shot;

static void check_shot(const Shot *shot) {
    impScene *scene = iterated_scene(vec(0, 0, 0), 0.3, 0.3, shot->restitution);
    iterated_box(scene, vec(0.001, 1, 1), iterated_at(0, 0, 0), iterated_moving(0, 0, 0),
                 shot->plate_mass);
    impPose at = pose(vec(-1, 0.01, 0.02), quat(0.8, 0.36, 0.48, 0));
    if (shot->box) {
        impTwist twist = { vec(shot->speed, 0, 0), shot->spin };
        iterated_box(scene, vec(0.005, 0.005, 0.005), at, twist, 0.01);
    } else {
        iterated_ball(scene, 0.005, at.at, vec(shot->speed, 0, 0), 0.01);
    }
    Trial t = iterated_trial_of(scene);
    impMomentum before = impState_Momentum(t.m, t.s);
    double energy = trial_energy(&t);
    for (int i = 0; i < 6; i++) {
        iterated_step(&t, NULL, 1. / 60);
        // in front of the plate, as the plate moves and turns
        impPose plate = impState_Pose(t.m, t.s, (impBody){ 1 });
        impVec3 own = unrotate(plate.rotation, sub(trial_at(&t, 2), plate.at));
        assert_true(own.x < 0);
        assert_true(impDistance(t.m, t.s, (impBody){ 1 }, (impBody){ 2 }, NULL, NULL, NULL) >
                    -5e-5);
    }
    assert_true(trial_twist(&t, 2).linear.x < 0.1 * shot->speed);
    assert_true(trial_energy(&t) <= energy * (1 + 1e-12));
    if (shot->plate_mass > 0) {
        impVec3 gained = sub(impState_Momentum(t.m, t.s).linear, before.linear);
        NEAR(norm(gained), 0, 1e-13 * shot->speed);
    }
    trial_free(&t);
}

static void bullets_do_not_pass_through_a_plate(void **state) {
    (void)state;
    for (int plate = 0; plate < 2; plate++) {
        for (double speed = 12; speed < 1000; speed *= 1.7) {
            check_shot(&(Shot){ .speed = speed, .restitution = 0.5, .plate_mass = plate });
            check_shot(&(Shot){ .speed = speed, .restitution = 0, .plate_mass = plate });
            check_shot(&(Shot){ .speed = speed,
                                .restitution = 0.5,
                                .plate_mass = plate,
                                .box = true,
                                .spin = vec(1, 2, 3) });
        }
    }
}

// A cube that comes down on a plate with 420 rad/s, and is hit by it at one corner after the other
// within a step: none comes through.
static void corners_of_a_fast_cube_do_not_come_through(void **state) {
    (void)state;
    for (int k = 0; k < 20; k++) {
        impScene *scene = iterated_scene(vec(0, 0, 0), 0.3, 0.3, 0.5);
        iterated_box(scene, vec(1, 1, 0.001), iterated_at(0, 0, 0), iterated_moving(0, 0, 0), 0);
        impQuat q = unit(quat(1, 0.3 * k, 0.1 * k, 0.05));
        impTwist twist = { vec(0, 0, -200), vec(30 * k, 90, 7) };
        iterated_box(scene, vec(0.02, 0.02, 0.02), pose(vec(0.01 * k, 0.003 * k, 1), q), twist,
                     0.008);
        Trial t = iterated_trial_of(scene);
        for (int i = 0; i < 6; i++) {
            impOutcome o = iterated_step(&t, NULL, 1. / 60);
            assert_true(o.certificate.overlap <= 0);
        }
        assert_true(trial_twist(&t, 2).linear.z > 0);
        trial_free(&t);
    }
}

// Bricks that fall on a floor in any orientation land on it, whether they bounce or not: with 4 ms
// steps they come down by a third of their length in each.
static void check_bricks(double restitution, double friction) {
    for (int k = 0; k < 60; k++) {
        impScene *scene = iterated_scene(vec(0, 0, -9.81), friction, friction, restitution);
        iterated_plane(scene);
        // the first one hits with one corner, and then with one that was out of reach until then
        impQuat q = unit(k ? quat(sin(k + 1.), cos(2. * k), sin(3. * k), cos(5. * k + 1))
                           : quat(-0.0219, -0.7819, -0.6201, -0.0592));
        iterated_box(scene, vec(0.03, 0.02, 0.01), pose(vec(0, 0, 0.3), q),
                     iterated_moving(0, 0, 0), 0.01);
        Trial t = iterated_trial_of(scene);
        for (int i = 0; i < 240; i++) {
            impOutcome o = iterated_step(&t, NULL, 1. / 240);
            assert_true(o.certificate.overlap < 5e-4);
        }
        trial_free(&t);
    }
}

static void tumbling_bricks_land_on_a_floor(void **state) {
    (void)state;
    check_bricks(0, 0.3);
    check_bricks(0, 1);
    check_bricks(0.9, 0.5);
}

// One of three balls in a row arrives in the middle of a step, and so does the next: each
// collision at its time.
static void a_struck_ball_strikes_the_next_in_the_same_step(void **state) {
    (void)state;
    const double e = 0.5;
    const double v = 20;
    impScene *scene = iterated_scene(vec(0, 0, 0), 0, 0, e);
    iterated_ball(scene, 0.02, vec(-0.14, 0, 0), vec(v, 0, 0), 1);
    iterated_ball(scene, 0.02, vec(0, 0, 0), vec(0, 0, 0), 1);
    iterated_ball(scene, 0.02, vec(0.06, 0, 0), vec(0, 0, 0), 1);
    Trial t = iterated_trial_of(scene);
    impOutcome o = iterated_step(&t, NULL, 1. / 60);
    assert_true(o.contact_count >= 2);
    double first = (0.1 - iterated_level(&t)) / v;
    double struck = (1 + e) / 2 * v;
    double second = first + (0.02 - iterated_level(&t)) / struck;
    NEAR(o.contacts[0].time, first, 1e-12);
    NEAR(o.contacts[1].time, second, 1e-12);
    NEAR(trial_twist(&t, 3).linear.x, (1 + e) / 2 * struck, 1e-12);
    double left = 1. / 60 - second;
    NEAR(trial_at(&t, 3).x, 0.06 + left * trial_twist(&t, 3).linear.x, 1e-12);
    trial_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounces_keep_their_heights),
        cmocka_unit_test(bullets_do_not_pass_through_a_plate),
        cmocka_unit_test(corners_of_a_fast_cube_do_not_come_through),
        cmocka_unit_test(tumbling_bricks_land_on_a_floor),
        cmocka_unit_test(a_struck_ball_strikes_the_next_in_the_same_step),
    };
    return RUN(tests);
}
