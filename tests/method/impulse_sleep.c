// impulse_sleep.c -- who may sleep: what lies on a line and could roll, what balances, what lies on
// a prescribed body.
//
// docs/theory/rest-and-sleep.md, sections 3 to 6. A lying cylinder, capsule or cone sleeps on a
// level floor and rolls on the slightest slope; a box on its edge never sleeps. What leans sleeps
// if it is held.
//
// SPDX-License-Identifier: MIT
#include "impulse_support.h"

static const double G = 9.81, R = 0.02, H = 0.1, EPS = 1e-5;
static impError err;
static impVec3 slope(double degrees) {
    return vec(G * sin(degrees * PI / 180), 0, -G * cos(degrees * PI / 180));
}

// Lying along y, dropped from that height and turned up at one end by that angle.
static Trial lying(const char *kind, impVec3 gravity, double drop, double up) {
    bool cone = !strcmp(kind, "cone");
    double half = cone ? atan(R / H) : 0;
    double rotation = PI / 2 + half + up;
    Part part = { .kind = kind,
                  .size = { R, H },
                  .at = { 0, 0, R * cos(half) + 0.5 * EPS + drop + 0.06 * up },
                  .rotation = { cos(rotation / 2), sin(rotation / 2), 0, 0 },
                  .mass = 0.3 };
    return trial(&(Setting){ 0.5, 0.3, EPS, gravity, true, 0 }, &part, 1);
}

static const char *const KINDS[] = { "cylinder", "capsule", "cone" };

static void what_lies_on_a_line_sleeps(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(KINDS); i++) {
        for (int up = 0; up < (i < 2 ? 2 : 1); up++) {
            Trial t = lying(KINDS[i], slope(0), 0.002, 0.1 * up);
            trial_run(&t, 1, 0.05);
            assert_true(trial_asleep(&t, 2));
            int micro_steps = t.micro_steps;
            assert_true(micro_steps < 200);
            trial_run(&t, 1, 0.05);
            assert_int_equal(t.micro_steps, micro_steps);
            if (i < 2) {
                NEAR(trial_at(&t, 2).z, R + 0.5 * EPS, 1e-9);
            }
            trial_free(&t);
        }
    }
}

// a thousandth of a degree
static void on_the_slightest_slope_it_rolls(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(KINDS); i++) {
        Trial t = lying(KINDS[i], slope(0.001), 0, 0);
        trial_run(&t, 1, 0.05);
        assert_false(trial_asleep(&t, 2));
        assert_true(trial_at(&t, 2).x > 0.5 * (0.6 * G * sin(0.001 * PI / 180)) * 0.9);
        trial_free(&t);
    }
}

// 7 / 2 of it goes into its spin
static void a_ball_rolls_too(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        // 1e-3, 1e-4, 1e-5 rad
        double angle = 1e-3 * num_exp(-2.302585092994046 * i);
        Part ball = { .kind = "sphere",
                      .size = { R },
                      .at = { 0, 0, R + 0.5 * EPS },
                      .rotation = { 1, 0, 0, 0 },
                      .mass = 0.3 };
        Trial t = trial(
            &(Setting){ 0.5, 0.3, EPS, vec(G * sin(angle), 0, -G * cos(angle)), true, 0 }, &ball,
            1);
        trial_run(&t, 1, 0.05);
        NEAR(trial_at(&t, 2).x / (0.5 * 5.0 / 7 * G * sin(angle)), 1, 1e-3);
        trial_free(&t);
    }
    Part ball = { .kind = "sphere",
                  .size = { R },
                  .at = { 0, 0, R + 0.5 * EPS + 1e-4 },
                  .rotation = { 1, 0, 0, 0 },
                  .mass = 0.3 };
    Trial t = trial(&(Setting){ 0.5, 0.3, EPS, slope(0), true, 0 }, &ball, 1);
    trial_run(&t, 1, 0.05);
    // on the level it does sleep
    assert_true(trial_asleep(&t, 2));
    trial_free(&t);
}

// balanced to 1e-5 of its size
// On the top of another ball, but for a part of the radius; the lesser is balanced as well as (8)
// asks.
static void a_ball_on_a_ball_falls(void **state) {
    (void)state;
    const impShapeDef shape = { .kind = "sphere", .size = { R } };
    const double offset[] = { 2e-5, 2e-7 };
    for (int i = 0; i < COUNT(offset); i++) {
        const impVec3 at = vec(offset[i] * R, 0, 2 * R + 0.5 * EPS);
        const impBodyDef ground = {
            .shapes = &shape, .shape_count = 1, .fixed = true, .material = "m"
        };
        const impBodyDef ball = { .shapes = &shape,
                                  .shape_count = 1,
                                  .mass = 1,
                                  .material = "m",
                                  .pose = pose(at, quat(1, 0, 0, 0)) };
        impScene *scene = trial_scene(&(Setting){ 0.5, 0.3, EPS, slope(0), false, 0 }, NULL, 0);
        impScene_Body(scene, &ground, &err);
        impScene_Body(scene, &ball, &err);
        Trial t = trial_of(scene);
        trial_run(&t, 3, 0.05);
        assert_true(trial_at(&t, 2).z < 0);
        trial_free(&t);
    }
}

// A body at rest whose neighbour is not at rest stays awake, and disturbs no other: here a box
// under a ball that spins for ever.
static void who_waits_wakes_nobody(void **state) {
    (void)state;
    Part part[3] = { { .kind = "box",
                       .size = { 0.1, 0.1, 0.1 },
                       .at = { 0, 0, 0.05 + 0.5 * EPS },
                       .rotation = { 1, 0, 0, 0 },
                       .mass = 1 },
                     { .kind = "sphere",
                       .size = { 0.03 },
                       .at = { 0, 0, 0.13 + EPS },
                       .w = { 0, 0, 5 },
                       .rotation = { 1, 0, 0, 0 },
                       .mass = 0.2 },
                     { .kind = "box",
                       .size = { 0.1, 0.1, 0.1 },
                       .at = { 1, 0, 0.05 + 0.5 * EPS },
                       .rotation = { 1, 0, 0, 0 },
                       .mass = 1 } };
    Trial t = trial(&(Setting){ 0.5, 0.2, EPS, slope(0), true, 0 }, part, 3);
    double first = 0, later = 0;
    trial_run(&t, 0.5, 0.01);
    assert_true(impAsleep(t.m, t.s, (impBody){ 4 }, &first) && !trial_asleep(&t, 3));
    trial_run(&t, 0.5, 0.01);
    assert_true(impAsleep(t.m, t.s, (impBody){ 4 }, &later) && later == first);
    trial_free(&t);
}

// A force pulls like gravity, all through the step: below the limit of friction nothing moves,
// whatever the step.
static void a_force_below_the_limit_moves_nothing(void **state) {
    (void)state;
    Part box = { .kind = "box",
                 .size = { 0.1, 0.1, 0.1 },
                 .at = { 0, 0, 0.05 + 0.5 * EPS },
                 .rotation = { 1, 0, 0, 0 },
                 .mass = 1 };
    const double step[3] = { 1e-3, 1e-2, 0.1 };
    for (int i = 0; i < 3; i++)
    // 2: so little that it might sleep
    {
        for (int k = 0; k < 3; k++) {
            Trial t = trial(&(Setting){ 0.5, 0.2, EPS, slope(0), true, 0 }, &box, 1);
            double force = (k == 2 ? 1e-4 : k ? 1.1 : 0.9) * 0.5 * G;
            double input[6] = { force, 0, 0, 0, 0, 0 };
            for (double time = 0; time < 1 - 1e-9; time += step[i]) {
                impOutcome out = impStep(t.stepper, t.s, input, step[i]);
                if (out.verdict != IMP_SOLVED) {
                    fail_msg("%s", out.text);
                }
            }
            if (k != 1) {
                NEAR(trial_at(&t, 2).x, 0, 2e-6);
            } else {
                NEAR(trial_at(&t, 2).x / (0.5 * 0.1 * 0.5 * G), 1, 2e-3);
            }
            trial_free(&t);
        }
    }
}

// Where nothing else pulls, a force presses a box to a wall, and it comes to rest there.
static void a_force_presses_without_gravity(void **state) {
    (void)state;
    Part box = { .kind = "box",
                 .size = { 0.1, 0.1, 0.1 },
                 .at = { 0, 0, 0.06 },
                 .rotation = { 1, 0, 0, 0 },
                 .mass = 1 };
    Trial t = trial(&(Setting){ 0.5, 0.5, EPS, vec(0, 0, 0), true, 0 }, &box, 1);
    const double input[6] = { 0, 0, -10, 0, 0, 0 };
    for (int i = 0; i < 100; i++) {
        impOutcome out = impStep(t.stepper, t.s, input, 0.01);
        if (out.verdict != IMP_SOLVED) {
            fail_msg("%s", out.text);
        }
    }
    NEAR(trial_at(&t, 2).z, 0.05 + 0.5 * EPS, EPS);
    trial_free(&t);
}

// Hit aside its middle a can rocks on its rim, between the marks that stand for it: time goes on.
static void a_can_that_is_knocked(void **state) {
    (void)state;
    Part part[2] = { { .kind = "cylinder",
                       .size = { 0.05, 0.1 },
                       .at = { 0, 0, 0.0501 },
                       .rotation = { 1, 0, 0, 0 },
                       .mass = 1 },
                     { .kind = "sphere",
                       .size = { 0.04 },
                       .at = { 0.045, 0.02, 0.2 },
                       .rotation = { 1, 0, 0, 0 },
                       .mass = 0.5 } };
    for (int i = 0; i < 8; i++) {
        part[1].at.x = 0.045 - 0.004 * i;
        part[1].at.y = 0.02 + 0.002 * i;
        Trial t = trial(&(Setting){ 0.5, 0.2, EPS, slope(0), true, 0 }, part, 2);
        trial_run(&t, 0.6, 0.01);
        trial_free(&t);
    }
}

// A ram that comes wakes what sleeps in its way and shoves it aside.
static void what_is_led_wakes(void **state) {
    (void)state;
    const impShapeDef box = { .kind = "box", .size = { 0.1, 0.1, 0.1 } };
    const impShapeDef ram = { .kind = "box", .size = { 0.1, 0.3, 0.3 } };
    const impMotionDef stroke = { .kind = "vibrate", .amplitude = { 0.6, 0, 0 }, .frequency = 0.1 };
    impScene *scene = trial_scene(&(Setting){ 0.5, 0.2, EPS, slope(0), true, 0 }, NULL, 0);
    impScene_Body(scene,
                  &(impBodyDef){ .shapes = &box,
                                 .shape_count = 1,
                                 .mass = 1,
                                 .material = "m",
                                 .pose = pose(vec(0, 0, 0.05 + 0.5 * EPS), quat(1, 0, 0, 0)) },
                  &err);
    impScene_Body(scene,
                  &(impBodyDef){ .shapes = &ram,
                                 .shape_count = 1,
                                 .material = "m",
                                 .motions = &stroke,
                                 .motion_count = 1,
                                 .pose = pose(vec(-0.5, 0, 0.2), quat(1, 0, 0, 0)) },
                  &err);
    Trial t = trial_of(scene);
    trial_run(&t, 0.5, 0.01);
    assert_true(trial_asleep(&t, 2));
    // the stroke ends at x = 0.15
    trial_run(&t, 2, 0.01);
    NEAR(trial_at(&t, 2).x, 0.2, 1e-3);
    trial_free(&t);
}

// a = g sin / (1 + I / m r^2)
static void it_rolls_with_the_right_acceleration(void **state) {
    (void)state;
    double ball = 4.0 / 3 * PI * R * R * R;
    double rod = PI * R * R * H;
    double all = ball + rod;
    // of m r^2
    const double inertia[2] = { 0.5, (0.4 * ball + 0.5 * rod) / all };
    for (int i = 0; i < 2; i++) {
        Trial t = lying(KINDS[i], slope(0.5), 0, 0);
        trial_run(&t, 2, 0.05);
        NEAR(trial_at(&t, 2).x / (0.5 * G * sin(0.5 * PI / 180) / (1 + inertia[i]) * 4), 1, 1e-3);
        trial_free(&t);
    }
}

// A cone rolls about its apex, a pendulum on the slope: phi'' = -k sin phi, phi from the way down.
static void a_cone_rolls_about_its_apex(void **state) {
    (void)state;
    double half = atan(R / H);
    double s = sin(half);
    double c = cos(half);
    double cot = c / s;
    // of a generator, by mass
    double about_line = 0.3 * R * R * c * c + (0.6 * H * H + 0.15 * R * R) * s * s;
    double k = G * sin(0.5 * PI / 180) * 0.75 * H * c / (about_line * cot * cot);
    double phi = PI / 2;
    double rate = 0;
    Trial t = lying("cone", slope(0.5), 0, 0);
    impVec3 apex = place(impState_Pose(t.m, t.s, (impBody){ 2 }), vec(0, 0, H));
    trial_run(&t, 2, 0.05);
    for (int i = 0; i < 200000; i++) {
        rate -= 1e-5 * k * sin(phi);
        phi += 1e-5 * rate;
    }
    impVec3 end = place(impState_Pose(t.m, t.s, (impBody){ 2 }), vec(0, 0, H));
    impVec3 to = sub(trial_at(&t, 2), end);
    NEAR(norm(sub(end, apex)), 0, 5e-5);
    NEAR(atan2(fabs(to.y), to.x), fabs(phi), 2e-3);
    trial_free(&t);
}

// exactly balanced, as far as doubles can say
static void on_its_edge_a_box_never_sleeps(void **state) {
    (void)state;
    Part box = { .kind = "box",
                 .size = { 0.1, 0.1, 0.1 },
                 .at = { 0, 0, 0.1 * sqrt(0.5) + 0.5 * EPS },
                 .rotation = { cos(PI / 8), sin(PI / 8), 0, 0 },
                 .mass = 1 };
    Trial t = trial(&(Setting){ 0.5, 0.3, EPS, slope(0), true, 0 }, &box, 1);
    for (int i = 0; i < 20; i++) {
        trial_run(&t, 0.05, 0.05);
        if (trial_at(&t, 2).z > 0.06) {
            assert_false(trial_asleep(&t, 2));
        }
    }
    trial_free(&t);
}

// A box on a plate that spins at that rate.
static Trial carried(double rate) {
    impScene *scene = impScene_New(vec(0, 0, -G));
    impScene_Material(
        scene, &(impMaterialDef){ .name = "m", .friction_static = 0.5, .friction_dynamic = 0.5 },
        &err);
    impShapeDef plate = { .kind = "box", .size = { 1, 1, 0.1 } };
    impShapeDef box = { .kind = "box", .size = { 0.1, 0.1, 0.1 } };
    impMotionDef spin = { .kind = "spin", .axis = { 0, 0, 1 }, .rate = rate };
    impScene_Body(scene,
                  &(impBodyDef){ .pose.at = { 0, 0, -0.05 },
                                 .material = "m",
                                 .shapes = &plate,
                                 .shape_count = 1,
                                 .motions = &spin,
                                 .motion_count = 1 },
                  &err);
    impScene_Body(scene,
                  &(impBodyDef){ .pose.at = { 0.1, 0, 0.05 + 0.5 * EPS },
                                 .mass = 1,
                                 .material = "m",
                                 .shapes = &box,
                                 .shape_count = 1 },
                  &err);
    impScene_Run(scene, &(impRunDef){ .contact_band = EPS }, &err);
    return trial_of(scene);
}

static void on_a_prescribed_body_only_if_it_never_moves(void **state) {
    (void)state;
    Trial t = carried(0);
    trial_run(&t, 1, 0.05);
    assert_true(trial_asleep(&t, 2));
    trial_free(&t);
    t = carried(1e-9);
    trial_run(&t, 1, 0.05);
    assert_false(trial_asleep(&t, 2));
    trial_free(&t);
}

// A plank that reaches over the edge of a table, farther than it would stay by itself, with a block
// of that mass on its other end.
static Trial cantilever(double block_mass) {
    impScene *scene = impScene_New(vec(0, 0, -G));
    impScene_Material(
        scene, &(impMaterialDef){ .name = "m", .friction_static = 0.5, .friction_dynamic = 0.5 },
        &err);
    impShapeDef table = { .kind = "box", .size = { 0.5, 0.5, 0.1 } };
    impShapeDef plank = { .kind = "box", .size = { 0.4, 0.1, 0.02 } };
    impShapeDef block = { .kind = "box", .size = { 0.08, 0.08, 0.08 } };
    impScene_Body(scene,
                  &(impBodyDef){ .pose.at = { -0.25, 0, -0.05 },
                                 .fixed = true,
                                 .material = "m",
                                 .shapes = &table,
                                 .shape_count = 1 },
                  &err);
    impScene_Body(scene,
                  &(impBodyDef){ .pose.at = { 0.05, 0, 0.01 + 0.5 * EPS },
                                 .mass = 1,
                                 .material = "m",
                                 .shapes = &plank,
                                 .shape_count = 1 },
                  &err);
    impScene_Body(scene,
                  &(impBodyDef){ .pose.at = { -0.1, 0, 0.06 + EPS },
                                 .mass = block_mass,
                                 .material = "m",
                                 .shapes = &block,
                                 .shape_count = 1 },
                  &err);
    impScene_Run(scene, &(impRunDef){ .contact_band = EPS }, &err);
    return trial_of(scene);
}

// its centre of mass is beside all its points
static void what_is_held_sleeps(void **state) {
    (void)state;
    Trial t = cantilever(5);
    trial_run(&t, 0.5, 0.05);
    assert_true(trial_asleep(&t, 2) && trial_asleep(&t, 3));
    NEAR(trial_at(&t, 2).x, 0.05, 1e-7);
    trial_free(&t);
    // 0.03 N m/g hold what 0.05 pull down
    t = cantilever(0.3);
    for (int i = 0; i < 4; i++) {
        trial_run(&t, 0.05, 0.05);
        assert_false(trial_asleep(&t, 2));
    }
    assert_true(trial_at(&t, 2).z < 0.005);
    trial_free(&t);
}

// Points give a little across, so that rolls that hold each other creep, and some of their points
// slip with it, by less than a thousandth of a micro-step's own speed: that is rest. Two that begin
// to slide are as slow, for a while, and gather way.
static void put_wall(impScene *scene, impVec3 at, impVec3 size, impQuat rotation) {
    const impShapeDef box = { .kind = "box", .size = { size.x, size.y, size.z } };
    impScene_Body(scene,
                  &(impBodyDef){ .fixed = true,
                                 .pose = { at, rotation },
                                 .material = "m",
                                 .shapes = &box,
                                 .shape_count = 1 },
                  &err);
}

static void rolls_in_a_trough_sleep(void **state) {
    (void)state;
    const double h = sqrt(0.5);
    const Part rolls[] = { { .kind = "cylinder",
                             .size = { 0.05, 0.3 },
                             .at = { 0, 0, 0.0502 },
                             .rotation = { h, h, 0, 0 },
                             .mass = 1.6 },
                           { .kind = "cylinder",
                             .size = { 0.05, 0.3 },
                             .at = { 0.06, 0, 0.14 },
                             .rotation = { h, h, 0, 0 },
                             .mass = 1.6 } };
    impScene *scene = trial_scene(&(Setting){ 0.5, 0.1, 8e-6, slope(0), true, 0 }, rolls,
                                  COUNT(rolls));
    put_wall(scene, vec(-0.065, 0, 0.151), vec(0.02, 0.4, 0.3), quat(1, 0, 0, 0));
    put_wall(scene, vec(0.12, 0, 0.151), vec(0.02, 0.4, 0.3), quat(1, 0, 0, 0));
    Trial t = trial_of(scene);
    trial_run(&t, 2, 0.05);
    assert_true(trial_asleep(&t, 2) && trial_asleep(&t, 3));
    trial_free(&t);
}

static void two_that_begin_to_slide_do_not(void **state) {
    (void)state;
    const double angle = atan(0.5 * 1.0005);
    const double a = G * (sin(angle) - 0.5 * cos(angle));
    const Part blocks[] = { { .kind = "box",
                              .size = { 0.1, 0.1, 0.04 },
                              .at = { 0, 0, 0.02 + 0.5 * EPS },
                              .rotation = { 1, 0, 0, 0 },
                              .mass = 1 },
                            { .kind = "box",
                              .size = { 0.1, 0.1, 0.04 },
                              .at = { 0, 0, 0.06 + EPS },
                              .rotation = { 1, 0, 0, 0 },
                              .mass = 1 } };
    Trial t = trial(&(Setting){ 0.5, 0, EPS, vec(G * sin(angle), 0, -G * cos(angle)), true, 0 },
                    blocks, COUNT(blocks));
    trial_run(&t, 2, 0.05);
    assert_false(trial_asleep(&t, 2) || trial_asleep(&t, 3));
    NEAR(trial_at(&t, 2).x / (0.5 * a * 4), 1, 0.02);
    trial_free(&t);
}

// What rests by itself is ground for what leans, though it could roll: here a roll, on the table
// that bears the plank, which is free as well. One balanced on its edge on such a table has nothing
// to hold it.
#define TABLE                                                                                      \
    {                                                                                              \
        .kind = "box", .size = { 0.5, 0.5, 0.1 }, .at = { -0.25, 0, 0.05 + 0.5 * EPS },            \
        .rotation = { 1, 0, 0, 0 }, .mass = 20                                                     \
    }

static void what_stands_is_ground_for_what_leans(void **state) {
    (void)state;
    const double h = sqrt(0.5);
    const Setting level = { 0.5, 0, EPS, slope(0), true, 0 };
    const Part leaning[] = { TABLE,
                             { .kind = "box",
                               .size = { 0.4, 0.1, 0.02 },
                               .at = { 0.05, 0, 0.11 + EPS },
                               .rotation = { 1, 0, 0, 0 },
                               .mass = 1 },
                             { .kind = "box",
                               .size = { 0.08, 0.08, 0.08 },
                               .at = { -0.1, 0, 0.16 + 1.5 * EPS },
                               .rotation = { 1, 0, 0, 0 },
                               .mass = 5 },
                             { .kind = "cylinder",
                               .size = { 0.03, 0.2 },
                               .at = { -0.4, 0, 0.13 + EPS },
                               .rotation = { h, h, 0, 0 },
                               .mass = 0.5 } };
    const Part balanced[] = { TABLE,
                              { .kind = "box",
                                .size = { 0.1, 0.1, 0.1 },
                                .at = { -0.25, 0, 0.1 + 0.1 * h + EPS },
                                .rotation = { cos(PI / 8), sin(PI / 8), 0, 0 },
                                .mass = 1 } };
    Trial t = trial(&level, leaning, COUNT(leaning));
    trial_run(&t, 0.5, 0.05);
    for (int i = 2; i <= 5; i++) {
        assert_true(trial_asleep(&t, i));
    }
    trial_free(&t);
    t = trial(&level, balanced, COUNT(balanced));
    for (int i = 0; i < 20; i++) {
        trial_run(&t, 0.05, 0.05);
        if (trial_at(&t, 3).z > 0.16) {
            assert_false(trial_asleep(&t, 3));
        }
    }
    trial_free(&t);
}

// What lies on a body does not carry it: a seesaw with a block on each end falls, however well it
// is balanced.
static void what_does_not_carry_holds_nobody(void **state) {
    (void)state;
    const double edge = 0.1 * sqrt(0.5);
    const double off[] = { 0, 1e-5 };
    for (int k = 0; k < 2; k++) {
        const Part parts[] = { { .kind = "box",
                                 .size = { 1, 0.2, 0.02 },
                                 .at = { 0, 0, edge + 0.01 + 0.5 * EPS },
                                 .rotation = { 1, 0, 0, 0 },
                                 .mass = 1 },
                               { .kind = "box",
                                 .size = { 0.1, 0.1, 0.1 },
                                 .at = { -0.4, 0, edge + 0.07 + EPS },
                                 .rotation = { 1, 0, 0, 0 },
                                 .mass = 1 },
                               { .kind = "box",
                                 .size = { 0.1, 0.1, 0.1 },
                                 .at = { 0.4 + off[k], 0, edge + 0.07 + EPS },
                                 .rotation = { 1, 0, 0, 0 },
                                 .mass = 1 } };
        impScene *scene = trial_scene(&(Setting){ 0.5, 0, EPS, slope(0), false, 0 }, parts,
                                      COUNT(parts));
        put_wall(scene, vec(0, 0, 0), vec(0.1, 0.2, 0.1), quat(cos(PI / 8), 0, sin(PI / 8), 0));
        Trial t = trial_of(scene);
        for (int i = 0; i < 20; i++) {
            trial_run(&t, 0.05, 0.05);
            assert_false(trial_asleep(&t, 1));
        }
        if (off[k] > 0) {
            trial_run(&t, 5, 0.05);
            print_message("    a seesaw with a block 10 um off: its plank is at %.3f m after 6 s\n",
                          trial_at(&t, 1).z);
            assert_true(trial_at(&t, 1).z < -0.1);
        }
        trial_free(&t);
    }
}

// Boxes that fell into a shaft lean on it and on each other, and some points are left at the limit
// of their friction by how they came to rest, not because that much is needed: they hold.
static void a_stress_that_is_left_keeps_nobody_awake(void **state) {
    (void)state;
    const impQuat rotation[2][3] = { { { -0.719503, 0.221944, 0.584855, -0.301662 },
                                       { -0.742344, -0.036604, 0.267009, 0.613426 },
                                       { -0.617829, -0.65695, 0.358707, 0.2409 } },
                                     { { 0.877814, -0.448205, 0.131834, -0.10571 },
                                       { -0.748043, -0.488198, -0.441539, -0.084481 },
                                       { 0.25002, 0.65539, 0.128974, 0.700942 } } };
    for (int k = 0; k < (int)COUNT(rotation); k++) {
        Part box[3];
        for (int i = 0; i < 3; i++) {
            box[i] = (Part){ .kind = "box",
                             .size = { 0.04, 0.03, 0.02 },
                             .at = { 0, 0, 0.04 + 0.06 * i },
                             .rotation = rotation[k][i],
                             .mass = 0.024 };
        }
        impScene *scene = trial_scene(&(Setting){ 0.4, 0.3, 2e-5, slope(0), true, 0 }, box, 3);
        for (int side = -1; side <= 1; side += 2) {
            put_wall(scene, vec(0.045 * side, 0, 0.2), vec(0.02, 0.07, 0.4), quat(1, 0, 0, 0));
            put_wall(scene, vec(0, 0.045 * side, 0.2), vec(0.11, 0.02, 0.4), quat(1, 0, 0, 0));
        }
        Trial t = trial_of(scene);
        trial_run(&t, 3, 1.0 / 60);
        for (int i = 2; i <= 4; i++) {
            assert_true(trial_asleep(&t, i));
        }
        trial_free(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_lies_on_a_line_sleeps),
        cmocka_unit_test(on_the_slightest_slope_it_rolls),
        cmocka_unit_test(a_ball_rolls_too),
        cmocka_unit_test(a_ball_on_a_ball_falls),
        cmocka_unit_test(who_waits_wakes_nobody),
        cmocka_unit_test(a_force_below_the_limit_moves_nothing),
        cmocka_unit_test(a_force_presses_without_gravity),
        cmocka_unit_test(a_can_that_is_knocked),
        cmocka_unit_test(what_is_led_wakes),
        cmocka_unit_test(it_rolls_with_the_right_acceleration),
        cmocka_unit_test(a_cone_rolls_about_its_apex),
        cmocka_unit_test(on_its_edge_a_box_never_sleeps),
        cmocka_unit_test(on_a_prescribed_body_only_if_it_never_moves),
        cmocka_unit_test(what_is_held_sleeps),
        cmocka_unit_test(rolls_in_a_trough_sleep),
        cmocka_unit_test(two_that_begin_to_slide_do_not),
        cmocka_unit_test(what_stands_is_ground_for_what_leans),
        cmocka_unit_test(what_does_not_carry_holds_nobody),
        cmocka_unit_test(a_stress_that_is_left_keeps_nobody_awake),
    };
    return RUN(tests);
}
