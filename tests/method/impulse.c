// impulse.c -- the impulse method against pencil and paper: bouncing, colliding, resting, sliding,
// rolling, and the law.
//
// The numbers are those of docs/validation/cases.md and of docs/theory/microcollisions.md,
// section 6; each tolerance is the one given there or tighter.
//
// SPDX-License-Identifier: MIT
#include "impulse_support.h"

static const impVec3 DOWN = { 0, 0, -9.81 };
static impVec3 slope(double angle) { return vec(9.81 * sin(angle), 0, -9.81 * cos(angle)); }

// --- one collision -------------------------------------------------------------------------------
// until its arrivals are microscopic; then it lies still
static void a_ball_bounces_by_its_restitution(void **state) {
    (void)state;
    const double e[] = { 0, 0.5, 0.8 };
    const double fall = sqrt(2 * 9.81);
    const double slow = sqrt(2 * 9.81 * 1e-5);
    for (int i = 0; i < COUNT(e); i++) {
        Trial t = trial(&(Setting){ 0.3, e[i], 1e-5, DOWN, true, 0 },
                        &(Part){ .kind = "sphere", .size = { 0.05 }, .at = { 0, 0, 1.05 } }, 1);
        trial_run(&t, 0.46, 0.02);
        if (e[i] > 0) {
            NEAR(trial_twist(&t, 2).linear.z, e[i] * fall - 9.81 * (0.46 - sqrt(2 / 9.81)), 1e-4);
        }
        int arrivals = 0;
        for (double v = fall; v >= slow; v *= e[i]) {
            arrivals++;
        }
        // the last of e = 0.8 is over at 4.05 s
        trial_run(&t, 4, 0.02);
        assert_int_equal(t.collisions, arrivals);
        assert_true(t.micro_steps >= 10 && t.micro_steps <= 16);
        assert_true(trial_asleep(&t, 2));
        NEAR(trial_at(&t, 2).z, 0.05 + 0.5e-5, 1e-10);
        trial_free(&t);
    }
}

static void without_loss_it_bounces_for_ever(void **state) {
    (void)state;
    Trial t = trial(&(Setting){ 0.3, 1, 1e-5, DOWN, true, 0 },
                    &(Part){ .kind = "sphere", .size = { 0.05 }, .at = { 0, 0, 1.05 } }, 1);
    double before = trial_energy(&t);
    trial_run(&t, 100, 0.5);
    assert_true(t.collisions > 100 && t.micro_steps == 0);
    NEAR(trial_energy(&t) / before, 1, 1e-12);
    trial_free(&t);
}

// oblique, spinning, rough: all six sums
static void two_balls_keep_their_momentum(void **state) {
    (void)state;
    const Part balls[2] = { { .kind = "sphere",
                              .size = { 0.1 },
                              .at = { -0.5, 0, 0 },
                              .v = { 3, 0.2, -0.1 },
                              .w = { 5, -20, 9 } },
                            { .kind = "sphere",
                              .size = { 0.2 },
                              .at = { 0.5, 0.1, 0.05 },
                              .v = { -1, 0, 0 },
                              .w = { 0, 7, -30 } } };
    for (int k = 0; k < 3; k++) {
        Trial t = trial(&(Setting){ 0.4, 0.7, 0, vec(0, 0, 0), false, (impLaw)k }, balls, 2);
        impMomentum p = impState_Momentum(t.m, t.s);
        double e = trial_energy(&t);
        trial_run(&t, 1, 0.1);
        impMomentum q = impState_Momentum(t.m, t.s);
        assert_int_equal(t.collisions, 1);
        NEAR(norm(sub(q.linear, p.linear)) / norm(p.linear), 0, 1e-14);
        NEAR(norm(sub(q.angular, p.angular)) / norm(p.angular), 0, 1e-13);
        NEAR(trial_energy(&t) - e, t.traded, 1e-13 * e);
        assert_true(trial_energy(&t) < e);
        trial_free(&t);
    }
}

// 2 cm at 200 m/s, 1 mm thick, one long step
static void a_bullet_does_not_pass_a_plate(void **state) {
    (void)state;
    const Part parts[2] = { { .kind = "box",
                              .size = { 0.02, 0.02, 0.02 },
                              .at = { 0.003, 0.001, 5 },
                              .v = { 0, 0, -200 },
                              .w = { 90, 40, 7 } },
                            { .kind = "box", .size = { 0.3, 0.3, 0.001 }, .mass = 1 } };
    Trial t = trial(&(Setting){ 0.3, 0.5, 0, vec(0, 0, 0), false, 0 }, parts, 2);
    trial_run(&t, 0.1, 0.1);
    assert_true(t.collisions >= 1);
    assert_true(trial_at(&t, 1).z > trial_at(&t, 2).z);
    assert_true(t.nearest >= 0);
    trial_free(&t);
}

// the rest of it: of all looks at any time, in short steps and long ones, none saw a gap below
// 0, and what was declared a collision was within the band.
static void a_bullet_is_never_in_the_plate(void **state) {
    (void)state;
    const double band = 1e-6;
    const double steps[] = { 0.02, 1e-3, 1e-4 };
    double nearest = HUGE_VAL;
    double farthest = 0;
    for (int k = 0; k < 60; k++) {
        const Part parts[2] = { { .kind = "box",
                                  .size = { 0.02, 0.02, 0.02 },
                                  .at = { 0.003 * (k % 7), 0.002 * (k % 5), 1 },
                                  .v = { 0, 0, -200 },
                                  .w = { 30.0 * k, 90, 7.0 * (k % 3) },
                                  .rotation = unit(quat(1, 0.03 * k, 0.1 * (k % 4), 0.05)) },
                                { .kind = "box", .size = { 0.3, 0.3, 0.001 }, .mass = 1 } };
        Trial t = trial(&(Setting){ 0.3, 0.5, band, vec(0, 0, 0), false, 0 }, parts, 2);
        trial_run(&t, 0.02, steps[k % COUNT(steps)]);
        assert_true(t.collisions >= 1 && trial_at(&t, 1).z > trial_at(&t, 2).z);
        nearest = fmin(nearest, t.nearest);
        farthest = fmax(farthest, t.farthest_gap);
        trial_free(&t);
    }
    print_message(
        "    smallest gap of all looks %.3g m, collisions at gaps of up to %.3g m; band %g m\n",
        nearest, farthest, band);
    assert_true(nearest >= 0 && farthest > 0 && farthest <= band);
}

// The platter's disc reaches farther than the post that stands on it, and turns onto itself: only
// the post hits.
static void a_post_on_a_platter_sweeps(void **state) {
    static impError err;
    const impShapeDef platter[2] = {
        { .kind = "cylinder", .size = { 0.5, 0.02 } },
        { .kind = "box", .size = { 0.1, 0.02, 0.2 }, .pose = { { 0.3, 0, 0.12 }, { 1, 0, 0, 0 } } }
    };
    const impMotionDef spin = { .kind = "spin", .axis = { 0, 0, 1 }, .rate = 20 };
    const Part ball = { .kind = "sphere", .size = { 0.03 }, .at = { 0, 0.3, 0.1 } };
    impScene *scene = trial_scene(&(Setting){ 0.1, 0.5, 1e-4, vec(0, 0, 0), false, 0 }, &ball, 1);
    (void)state;
    impScene_Body(scene,
                  &(impBodyDef){ .material = "m",
                                 .shapes = platter,
                                 .shape_count = 2,
                                 .motions = &spin,
                                 .motion_count = 1 },
                  &err);
    Trial t = trial_of(scene);
    trial_run(&t, 0.05, 1.0 / 60);
    assert_int_equal(t.collisions, 0);
    // there at 0.072 s, at 6 m/s; gone half as fast again
    trial_run(&t, 0.05, 1.0 / 60);
    assert_int_equal(t.collisions, 1);
    NEAR(trial_twist(&t, 1).linear.x, -9, 0.3);
    trial_free(&t);
}

// --- docs/reference/faults.md, row G8
// -------------------------------------------------------------------------- next to no loss; and a
// drop so small that every arrival is microscopic
static void g8_time_never_stalls(void **state) {
    (void)state;
    const struct {
        double e, z;
        int least;
    } rows[] = { { 0.999999, 0.06, 60 }, { 0.9, 0.05 + 3e-6, 0 }, { 1, 0.05 + 3e-6, 0 } };
    for (int i = 0; i < COUNT(rows); i++) {
        Trial t = trial(&(Setting){ 0.3, rows[i].e, 1e-5, DOWN, true, 0 },
                        &(Part){ .kind = "sphere", .size = { 0.05 }, .at = { 0, 0, rows[i].z } },
                        1);
        trial_run(&t, 6, 0.05);
        NEAR(impState_Time(t.s), 6, 1e-9);
        assert_true(t.collisions >= rows[i].least && t.collisions + t.micro_steps < 2000);
        trial_free(&t);
    }
}

// all are alike, to the last bit
static void g9_a_thousand_impacts_at_one_time(void **state) {
    (void)state;
    enum { N = 1000 };
    static Part balls[N];
    for (int i = 0; i < N; i++) {
        balls[i] = (Part){ .kind = "sphere",
                           .size = { 0.05 },
                           .at = { 0.125 * (i % 40), 0.125 * (i / 40), 0.15 } };
    }
    Trial t = trial(&(Setting){ 0.3, 0.5, 1e-5, DOWN, true, 0 }, balls, N);
    trial_run(&t, 0.16, 0.02);
    assert_int_equal(t.collisions, N);
    for (int i = 1; i < N; i++) {
        SAME_BITS(trial_at(&t, 2 + i).z, trial_at(&t, 2).z);
        SAME_BITS(trial_twist(&t, 2 + i).linear.z, trial_twist(&t, 2).linear.z);
    }
    trial_free(&t);
}

// --- resting, sliding, rolling -------------------------------------------------------------------
static Part block_on_floor(double speed) {
    return (Part){ .kind = "box",
                   .size = { 0.3, 0.2, 0.1 },
                   .at = { 0, 0, 0.05 + 0.5e-5 },
                   .v = { speed, 0, 0 } };
}

// flat, and rocking at 0.3 rad/s about all axes
static void a_block_holds_below_the_limit(void **state) {
    (void)state;
    const double parts[] = { 0.5, 0.8, 0.9, 0.95, 0.99, 0.999 };
    for (int i = 0; i < COUNT(parts); i++) {
        for (int rocking = 0; rocking < (parts[i] < 0.999 ? 2 : 1); rocking++) {
            Part block = block_on_floor(0);
            if (rocking) {
                block.w = vec(0.3, 0.3, 0.3);
            }
            Trial t = trial(&(Setting){ 0.5, 0.3, 1e-5, slope(atan(parts[i] * 0.5)), true, 0 },
                            &block, 1);
            trial_run(&t, 1, 0.02);
            impVec3 at = trial_at(&t, 2);
            trial_run(&t, 10, 0.02);
            NEAR(norm(sub(trial_at(&t, 2), at)), 0, 1e-12);
            assert_true(trial_asleep(&t, 2) && t.micro_steps < 300);
            trial_free(&t);
        }
    }
}

static void above_the_limit_it_slides_as_it_should(void **state) {
    (void)state;
    const struct { double part, off; } rows[] = { { 1.001, 1e-4 }, { 1.01, 1e-5 }, { 1.05, 1e-5 } };
    for (int i = 0; i < COUNT(rows); i++) {
        double angle = atan(rows[i].part * 0.5);
        double a = 9.81 * (sin(angle) - 0.5 * cos(angle));
        Part block = block_on_floor(0);
        Trial t = trial(&(Setting){ 0.5, 0.3, 1e-5, slope(angle), true, 0 }, &block, 1);
        trial_run(&t, 5, 0.05);
        NEAR(trial_at(&t, 2).x / (0.5 * a * 25), 1, rows[i].off);
        trial_free(&t);
    }
}

// 20 degrees, 2 m/s down; and creeps no more
static void it_stops_where_it_should(void **state) {
    (void)state;
    const struct {
        double mu, way;
    } rows[] = { { 0.4, 6.021625 }, { 0.5, 1.594929 }, { 0.7, 0.645650 }, { 0.9, 0.404749 } };
    for (int i = 0; i < COUNT(rows); i++) {
        Part block = block_on_floor(2);
        Trial t = trial(&(Setting){ rows[i].mu, 0.3, 1e-5, slope(20 * PI / 180), true, 0 }, &block,
                        1);
        trial_run(&t, 7, 0.05);
        NEAR(trial_at(&t, 2).x / rows[i].way, 1, 2e-6);
        assert_true(trial_asleep(&t, 2));
        trial_free(&t);
    }
}

// 5/7 of its speed, exactly; spin about the normal untouched
static void a_ball_ends_up_rolling(void **state) {
    (void)state;
    Trial t = trial(&(Setting){ 0.2, 0.5, 2e-6, DOWN, true, 0 },
                    &(Part){ .kind = "sphere",
                             .size = { 0.028575 },
                             .at = { 0, 0, 0.028575 + 1e-6 },
                             .v = { 2, 0, 0 },
                             .w = { 50, -20, 10 } },
                    1);
    trial_run(&t, 0.4283905, 0.4283905 / 20);
    // billiard
    NEAR(trial_at(&t, 2).x, 0.6994087, 2e-6);
    NEAR(trial_at(&t, 2).y, -0.0874376, 2e-6);
    trial_run(&t, 1, 0.05);
    impTwist w = trial_twist(&t, 2);
    NEAR(w.linear.x, 1.2652857142857143, 1e-12);
    NEAR(w.linear.y, -0.4082142857142857, 1e-12);
    NEAR(w.angular.z, 10, 1e-12);
    trial_free(&t);
}

static void a_tower_sleeps_and_wakes(void **state) {
    (void)state;
    Part parts[5];
    for (int i = 0; i < 4; i++) {
        parts[i] = (Part){ .kind = "box",
                           .size = { 0.1, 0.1, 0.1 },
                           .at = { 0.01 * (i % 2), 0, 0.05 + 0.1 * i + 1e-5 * (i + 0.5) } };
    }
    parts[4] =
        (Part){ .kind = "sphere", .size = { 0.03 }, .at = { -1, 0, 0.35 }, .v = { 1, 0, 4.9 } };
    Trial t = trial(&(Setting){ 0.5, 0.2, 1e-5, DOWN, true, 0 }, parts, 5);
    trial_run(&t, 0.5, 0.02);
    for (int i = 0; i < 4; i++) {
        assert_true(trial_asleep(&t, 2 + i));
    }
    impVec3 at = trial_at(&t, 5);
    // the ball comes down on it
    trial_run(&t, 0.6, 0.02);
    assert_true(norm(sub(trial_at(&t, 5), at)) > 1e-6);
    trial_free(&t);
}

// --- the ledger
// ----------------------------------------------------------------------------------- of a tumbling
// brick until it lies still, and no gap below the level
static void energy_is_accounted_for(void **state) {
    (void)state;
    Trial t = trial(&(Setting){ 0.3, 0.3, 1e-5, DOWN, true, 0 },
                    &(Part){ .kind = "box",
                             .size = { 0.03, 0.02, 0.01 },
                             .at = { 0, 0, 0.3 },
                             .rotation = { 0.8, 0.3, 0.4, -0.33 } },
                    1);
    double before = trial_energy(&t);
    trial_run(&t, 0.3, 0.01);
    NEAR(trial_energy(&t) - before, t.traded, 1e-12 * before);
    trial_run(&t, 0.6, 0.01);
    assert_true(trial_asleep(&t, 2));
    assert_true(t.slowest_gap > 0.499e-5);
    trial_free(&t);
}

// --- the law -------------------------------------------------------------------------------------
static Trial busy_world(void) {
    Part parts[6];
    for (int i = 0; i < 6; i++) {
        parts[i] = (Part){ .kind = i % 3 == 0   ? "sphere"
                                   : i % 3 == 1 ? "box"
                                                : "cylinder",
                           .size = { 0.05, 0.07, 0.09 },
                           .at = { 0.03 * i, 0.02 * (i % 2), 0.2 + 0.15 * i },
                           .w = { 3, 1, i } };
    }
    return trial(&(Setting){ 0.4, 0.4, 1e-4, DOWN, true, 0 }, parts, 6);
}

// another stepper, garbage in between, from a copy
static void scratch_and_steppers_have_no_say(void **state) {
    (void)state;
    Trial t = busy_world();
    Trial u = busy_world();
    for (int i = 0; i < 60; i++) {
        impStepper_Poison(u.stepper, (unsigned char)(37 * i));
        trial_run(&t, 0.02, 0.02);
        trial_run(&u, 0.02, 0.02);
        assert_true(impState_Hash(t.m, t.s) == impState_Hash(u.m, u.s));
        if (i % 20 != 10) continue;
        impState *copy = impState_New(u.m);
        impState_Copy(u.m, copy, u.s);
        impState_Free(u.s);
        u.s = copy;
    }
    assert_true(t.collisions > 20 && t.micro_steps > 20);
    trial_free(&t);
    trial_free(&u);
}

// A floor and a wall that are planes away from their bodies' origins: what a look leaves behind
// must know where they are.
static void planes_may_be_anywhere(void **state) {
    (void)state;
    static const char text[] =
        "{ \"impel\": 1, \"materials\": { \"m\": { \"friction\": 0.4, \"restitution\": 0.3, "
        "\"density\": 1000 } }, \"bodies\": [ "
        "{ \"name\": \"floor\", \"fixed\": true, \"material\": \"m\", \"shape\": { \"plane\": { "
        "\"normal\": [0, 0, 1], \"offset\": 1 } } }, "
        "{ \"name\": \"box\", \"material\": \"m\", \"shape\": { \"box\": { \"size\": [0.2, 0.1, "
        "0.06] } }, \"position\": [0, 0, 2], \"velocity\": [-1.5, 0, 0], "
        "\"angular_velocity\": [1, 2, 3] }, "
        "{ \"name\": \"wall\", \"fixed\": true, \"material\": \"m\", \"shape\": { \"plane\": { "
        "\"normal\": [1, 0, 0], \"offset\": -0.5 } } } ], "
        "\"run\": { \"method\": \"impulse\", \"contact_band\": 1e-5 } }";
    const double steps[] = { 0.001, 0.02, 0.5 };
    for (int i = 0; i < COUNT(steps); i++) {
        impError err;
        impScene *scene = impScene_Parse(text, strlen(text), "planes.json", NULL, &err);
        assert_non_null(scene);
        Trial t = trial_of(scene);
        trial_run(&t, 3, steps[i]);
        assert_true(trial_at(&t, 2).z > 1.029 && trial_at(&t, 2).z < 1.11 &&
                    trial_at(&t, 2).x > -0.48);
        assert_true(t.collisions > 2);
        trial_free(&t);
    }
}

static void same_vec(impVec3 a, impVec3 b) {
    SAME_BITS(a.x, b.x);
    SAME_BITS(a.y, b.y);
    SAME_BITS(a.z, b.z);
}

// All that a body is: lengths 4, velocities 2, rates 1/2, orientation and sleep counter as they
// are.
static void same_but_larger(const Trial *t, const Trial *u, int body) {
    impPose p = impState_Pose(t->m, t->s, (impBody){ body });
    impPose q = impState_Pose(u->m, u->s, (impBody){ body });
    impTwist v = trial_twist(t, body);
    impTwist w = trial_twist(u, body);
    same_vec(q.at, scale(4, p.at));
    same_vec(w.linear, scale(2, v.linear));
    same_vec(w.angular, scale(0.5, v.angular));
    SAME_BITS(q.rotation.w, p.rotation.w);
    SAME_BITS(q.rotation.x, p.rotation.x);
    SAME_BITS(q.rotation.y, p.rotation.y);
    SAME_BITS(q.rotation.z, p.rotation.z);
    int i = t->m->body[body].free;
    if (i >= 0) {
        SAME_BITS(u->s->data[u->m->layout.sleep_counter + i],
                  t->s->data[t->m->layout.sleep_counter + i]);
    }
}

// Lengths 4, times 2, gravity as it is; steps that are short and long beside what happens.
static void scaled_by_powers_of_two_the_bits_are_the_same(void **state) {
    (void)state;
    const double steps[] = { 0x1p-7, 0x1p-4, 0x1p-2 };
    for (int k = 0; k < COUNT(steps); k++) {
        Part a[3] = { { .kind = "box",
                        .size = { 0.03, 0.02, 0.01 },
                        .at = { 0, 0, 0.3 },
                        .rotation = { 0.8, 0.3, 0.4, -0.33 },
                        .w = { 1, 2, 3 },
                        .mass = 0.5 },
                      { .kind = "box",
                        .size = { 0.05, 0.04, 0.02 },
                        .at = { 0.01, 0.005, 0.1 },
                        .rotation = { 0.6, 0.8, 0, 0 },
                        .w = { 0, 0, 5 },
                        .mass = 1 },
                      { .kind = "sphere",
                        .size = { 0.02 },
                        .at = { 0.03, 0.01, 0.4 },
                        .rotation = { 1, 0, 0, 0 },
                        .mass = 0.25 } };
        Part b[3];
        for (int i = 0; i < COUNT(a); i++) {
            b[i] = a[i];
            for (int x = 0; x < 3; x++) {
                b[i].size[x] *= 4;
            }
            b[i].at = scale(4, a[i].at);
            b[i].w = scale(0.5, a[i].w);
        }
        Trial t = trial(&(Setting){ 0.3, 0.5, 0x1p-16, DOWN, true, 0 }, a, COUNT(a));
        Trial u = trial(&(Setting){ 0.3, 0.5, 0x1p-14, DOWN, true, 0 }, b, COUNT(b));
        for (double at = 0; at < 0.75; at += steps[k]) {
            trial_run(&t, steps[k], steps[k]);
            trial_run(&u, 2 * steps[k], 2 * steps[k]);
            for (int i = 1; i < t.m->body_count; i++) {
                same_but_larger(&t, &u, i);
            }
        }
        assert_true(t.collisions > 5 && t.collisions == u.collisions &&
                    t.micro_steps == u.micro_steps && t.query_count == u.query_count);
        trial_free(&t);
        trial_free(&u);
    }
}

// a sleeper lifted into the air falls
static void a_state_moved_by_hand_is_believed(void **state) {
    (void)state;
    impError err;
    Part block = block_on_floor(0);
    Trial t = trial(&(Setting){ 0.5, 0.3, 1e-5, DOWN, true, 0 }, &block, 1);
    trial_run(&t, 0.2, 0.02);
    assert_true(trial_asleep(&t, 2));
    impState_Set(t.m, t.s, (impBody){ 2 }, pose(vec(0, 0, 1), quat(1, 0, 0, 0)),
                 (impTwist){ { 0, 0, 0 }, { 0, 0, 0 } }, &err);
    trial_run(&t, 0.2, 0.02);
    NEAR(trial_at(&t, 2).z, 1 - 0.5 * 9.81 * 0.04, 1e-12);
    trial_free(&t);
}

// and leaves the state as it was
static void an_overlap_stops_the_run(void **state) {
    (void)state;
    Part block = block_on_floor(0);
    block.at.z = 0.04;
    Trial t = trial(&(Setting){ 0.5, 0.3, 1e-5, DOWN, true, 0 }, &block, 1);
    uint64_t before = impState_Hash(t.m, t.s);
    impOutcome o = impStep(t.stepper, t.s, NULL, 0.01);
    assert_int_equal(o.verdict, IMP_UNTRUE);
    assert_non_null(strstr(o.text, "overlap by"));
    assert_true(impState_Hash(t.m, t.s) == before);
    trial_free(&t);
}

// Static friction of 0.5 holds what rests up to its limit, dynamic friction of 0.3 slows what
// slides, however slowly that began: a box, and a tripod of balls, on slopes. x = v t + g (sin -
// 0.3 cos) t^2 / 2.
static void static_friction_holds_and_dynamic_slows(void **state) {
    (void)state;
    static const struct {
        double slope, v;
        bool holds;
    } of[] = { { 0.4, 0, true },  { 0.49, 0, true },   { 0.499, 0, true },   { 0.502, 0, false },
               { 0.6, 0, false }, { 0.4, 0.5, false }, { 0.4, 1e-3, false }, { 0.25, 0.5, false } };
    static const char *const shape[] = {
        "{ \"box\": { \"size\": [0.2, 0.2, 0.1] }, \"position\": [0, 0, 0.05] }",
        ("{ \"sphere\": { \"radius\": 0.02 }, \"position\": [0.1, 0, 0.02] }, { \"sphere\": { "
         "\"radius\": 0.02 }, \"position\": [-0.05, 0.08, 0.02] }, "
         "{ \"sphere\": { \"radius\": 0.02 }, \"position\": [-0.05, -0.08, 0.02] }")
    };
    for (int i = 0; i < COUNT(of); i++) {
        for (int k = 0; k < COUNT(shape); k++) {
            static char text[2048];
            impError err;
            double c = 1 / sqrt(1 + of[i].slope * of[i].slope);
            double a = 9.81 * c * (of[i].slope - 0.3);
            double stop = a < 0 ? -of[i].v / a : 1;
            snprintf(text, sizeof text,
                     "{ \"impel\": 1, \"gravity\": [%.17g, 0, %.17g], \"materials\": { \"m\": { "
                     "\"friction\": { \"static\": 0.5, \"dynamic\": 0.3 }, "
                     "\"restitution\": 0, \"density\": 1000 } }, \"bodies\": [ { \"name\": "
                     "\"floor\", \"fixed\": true, \"material\": \"m\", \"shape\": { \"plane\": { "
                     "\"normal\": [0, 0, 1] } } }, "
                     "{ \"name\": \"b\", \"material\": \"m\", \"shape\": [ %s ], \"position\": [0, "
                     "0, 5e-6], \"velocity\": [%g, 0, 0] } ], "
                     "\"run\": { \"method\": \"impulse\", \"contact_band\": 1e-5 } }",
                     9.81 * of[i].slope * c, -9.81 * c, shape[k], of[i].v);
            impScene *scene = impScene_Parse(text, strlen(text), "slope.json", NULL, &err);
            assert_non_null(scene);
            Trial t = trial_of(scene);
            double from = trial_at(&t, 2).x;
            double T = fmin(stop, 1);
            double expected = of[i].holds ? 0 : of[i].v * T + 0.5 * a * T * T;
            trial_run(&t, 1, 0.01);
            double x = trial_at(&t, 2).x - from;
            if (!(fabs(x - expected) <= (of[i].holds ? 1e-7 : 2e-4 + 2e-3 * expected))) {
                fail_msg("slope %g, start %g m/s, shape %d: %g m, not %g", of[i].slope, of[i].v, k,
                         x, expected);
            }
            trial_free(&t);
        }
    }
}

// A wall that spins about the vertical, 1 m out, presses a block by w^2 r; friction of 0.5 holds it
// up from w = 4.6 rad/s on. It goes round with the wall, to 2e-6 of its way, and neither climbs nor
// sinks.
static void a_wall_that_spins_holds_a_block(void **state) {
    (void)state;
    for (int w = 5; w <= 30; w += 25) {
        char text[1024];
        impError err;
        snprintf(
            text, sizeof text,
            "{ \"impel\": 1, \"materials\": { \"m\": { \"friction\": 0.5, \"restitution\": 0, "
            "\"density\": 1000 } }, \"bodies\": [ "
            "{ \"name\": \"wall\", \"material\": \"m\", \"shape\": { \"box\": { \"size\": [0.1, 2, "
            "2] }, \"position\": [1.05, 0, 0] }, "
            "\"motion\": { \"spin\": { \"axis\": [0, 0, 1], \"rate\": %d } } }, { \"name\": "
            "\"block\", \"material\": \"m\", \"shape\": { \"box\": { \"size\": [0.1, 0.1, 0.1] } "
            "}, "
            "\"position\": [0.949995, 0, 0], \"velocity\": [0, %.17g, 0], \"angular_velocity\": "
            "[0, 0, %d] } ], \"run\": { \"method\": \"impulse\", \"contact_band\": 1e-5 } }",
            w, 0.949995 * w, w);
        impScene *scene = impScene_Parse(text, strlen(text), "rotor.json", NULL, &err);
        assert_non_null(scene);
        Trial t = trial_of(scene);
        trial_run(&t, 1, 0.01);
        impVec3 at = trial_at(&t, 2);
        impVec3 there = scale(0.949995, vec(cos(w), sin(w), 0));
        print_message("    at %d rad/s: %.1e m higher, %.1e m off, %d micro-steps\n", w, at.z,
                      norm(sub(at, there)), t.micro_steps);
        assert_true(fabs(at.z) <= 3e-6 && norm(sub(at, there)) <= 1e-5 + 2e-6 * w &&
                    t.micro_steps < 1000 * w);
        trial_free(&t);
    }
}

// the block has no room between it and the wall
static void a_ram_that_wedges_is_named(void **state) {
    (void)state;
    static const char text[] =
        "{ \"impel\": 1, \"materials\": { \"m\": { \"friction\": 0.5, \"restitution\": 0.3, "
        "\"density\": 1000 } }, \"bodies\": [ "
        "{ \"name\": \"floor\", \"fixed\": true, \"material\": \"m\", \"shape\": { \"plane\": { "
        "\"normal\": [0, 0, 1] } } }, "
        "{ \"name\": \"wall\", \"fixed\": true, \"material\": \"m\", \"shape\": { \"box\": { "
        "\"size\": [0.1, 0.2, 0.2] } }, \"position\": [0.1, 0, 0.1] }, "
        "{ \"name\": \"ram\", \"material\": \"m\", \"shape\": { \"box\": { \"size\": [0.1, 0.2, "
        "0.2] } }, \"position\": [-0.1001, 0, 0.11], "
        "\"motion\": { \"vibrate\": { \"amplitude\": [0.001, 0, 0], \"frequency\": 5 } } }, "
        "{ \"name\": \"block\", \"material\": \"m\", \"shape\": { \"box\": { \"size\": [0.0999, "
        "0.05, 0.05] } }, \"position\": [-0.00005, 0, 0.025005] } ], "
        "\"run\": { \"method\": \"impulse\", \"contact_band\": 1e-5 } }";
    impError err;
    impScene *scene = impScene_Parse(text, strlen(text), "ram.json", NULL, &err);
    assert_non_null(scene);
    Trial t = trial_of(scene);
    impOutcome o = { .verdict = IMP_SOLVED };
    uint64_t before = 0;
    for (int i = 0; i < 100 && o.verdict == IMP_SOLVED; i++) {
        before = impState_Hash(t.m, t.s);
        o = impStep(t.stepper, t.s, NULL, 0.001);
    }
    assert_int_equal(o.verdict, IMP_STALLED);
    assert_non_null(
        strstr(o.text, "body 'block' is wedged between kinematic body 'ram' and 'wall'"));
    assert_true(impState_Hash(t.m, t.s) == before);
    trial_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(static_friction_holds_and_dynamic_slows),
        cmocka_unit_test(a_wall_that_spins_holds_a_block),
        cmocka_unit_test(a_ram_that_wedges_is_named),
        cmocka_unit_test(a_ball_bounces_by_its_restitution),
        cmocka_unit_test(without_loss_it_bounces_for_ever),
        cmocka_unit_test(two_balls_keep_their_momentum),
        cmocka_unit_test(a_bullet_does_not_pass_a_plate),
        cmocka_unit_test(a_bullet_is_never_in_the_plate),
        cmocka_unit_test(a_post_on_a_platter_sweeps),
        cmocka_unit_test(g8_time_never_stalls),
        cmocka_unit_test(g9_a_thousand_impacts_at_one_time),
        cmocka_unit_test(a_block_holds_below_the_limit),
        cmocka_unit_test(above_the_limit_it_slides_as_it_should),
        cmocka_unit_test(it_stops_where_it_should),
        cmocka_unit_test(a_ball_ends_up_rolling),
        cmocka_unit_test(a_tower_sleeps_and_wakes),
        cmocka_unit_test(energy_is_accounted_for),
        cmocka_unit_test(scratch_and_steppers_have_no_say),
        cmocka_unit_test(scaled_by_powers_of_two_the_bits_are_the_same),
        cmocka_unit_test(planes_may_be_anywhere),
        cmocka_unit_test(a_state_moved_by_hand_is_believed),
        cmocka_unit_test(an_overlap_stops_the_run),
    };
    return RUN(tests);
}
