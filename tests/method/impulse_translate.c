// impulse_translate.c -- walls that go straight on: what they hit, push and carry, and the work
// that takes.
//
// SPDX-License-Identifier: MIT
#include "impulse_support.h"

static impError err;
#define G    9.81
#define EPS  1e-5
#define DOWN vec(0, 0, -G)

// A wall of 0.1 x 2 x 2 m, of ice, whose face is at x = 0 at t = 0: with friction it would bear a
// part of what it pushes.
static void add_wall(impScene *scene, double restitution, impVec3 velocity) {
    const impShapeDef box = { .kind = "box", .size = { 0.1, 2, 2 } };
    const impMotionDef ahead = { .kind = "translate", .velocity = velocity };
    impScene_Material(scene, &(impMaterialDef){ .name = "ice" }, &err);
    impScene_Pair(scene, &(impPairDef){ { "m", "ice" }, 0, 0, restitution, 0 }, &err);
    impScene_Body(scene,
                  &(impBodyDef){ .name = "wall",
                                 .pose.at = { -0.05, 0, 1.01 },
                                 .material = "ice",
                                 .shapes = &box,
                                 .shape_count = 1,
                                 .motions = &ahead,
                                 .motion_count = 1 },
                  &err);
}

// --- impacts
// ---------------------------------------------------------------------------------------
static void a_ball_at_rest_leaves_with_1_plus_e_of_the_speed(void **state) {
    (void)state;
    const double e[] = { 0, 0.3, 0.5, 0.9, 1 };
    const double V[] = { 0.2, 3, 700 };
    for (int i = 0; i < COUNT(e) * COUNT(V); i++) {
        double restitution = e[i % COUNT(e)];
        double speed = V[i / COUNT(e)];
        double out = (1 + restitution) * speed;
        const Part ball = { .kind = "sphere", .size = { 0.05 }, .at = { 0.3, 0, 1 }, .mass = 2 };
        impScene *scene = trial_scene(&(Setting){ 0.4, restitution, EPS, vec(0, 0, 0), false, 0 },
                                      &ball, 1);
        add_wall(scene, restitution, vec(speed, 0, 0));
        Trial t = trial_of(scene);
        trial_run(&t, 0.5 / speed, 0.05 / speed);
        if (restitution > 0) {
            assert_int_equal(t.collisions, 1);
        }
        // without bounce it stays at the wall, in faint micro-steps
        double off = restitution > 0 ? 1e-12 : 1e-8;
        NEAR(trial_twist(&t, 1).linear.x / out, 1, off);
        NEAR(trial_at(&t, 1).x / 0.3, 1 + (1 + restitution) * (0.5 - 0.25) / 0.3, 1e-4);
        // the impulse m (1 + e) V, at the wall's speed
        NEAR(t.driven / (2 * speed * out), 1, off);
        // the change, with that work in it
        NEAR(trial_energy(&t), t.traded, 1e-12 * t.driven);
        trial_free(&t);
    }
}

// A ball of a millimetre, three kilometres away: in one long step as in many.
static void a_fast_wall_passes_nobody(void **state) {
    (void)state;
    for (int steps = 1; steps <= 100; steps *= 10) {
        const Part ball = { .kind = "sphere", .size = { 0.001 }, .at = { 3000, 0, 1 }, .mass = 1 };
        impScene *scene = trial_scene(&(Setting){ 0, 0.5, EPS, vec(0, 0, 0), false, 0 }, &ball, 1);
        add_wall(scene, 0.5, vec(1000, 0, 0));
        Trial t = trial_of(scene);
        trial_run(&t, 4, 4.0 / steps);
        assert_int_equal(t.collisions, 1);
        NEAR(trial_twist(&t, 1).linear.x, 1500, 1e-9);
        trial_free(&t);
    }
}

// --- pushing -------------------------------------------------------------------------------------
// A block of 1 kg that lies on a floor, in front of a wall.
static Trial pushed_block(double friction, double speed) {
    const Part block = { .kind = "box",
                         .size = { 0.3, 0.3, 0.1 },
                         .at = { 0.15 + EPS, 0, 0.05 + 0.5 * EPS },
                         .mass = 1 };
    impScene *scene = trial_scene(&(Setting){ friction, 0, EPS, DOWN, true, 0 }, &block, 1);
    add_wall(scene, 0, vec(speed, 0, 0));
    return trial_of(scene);
}

// N, means; J
typedef struct Push {
    impVec3 on_wall, on_floor;
    double driven, traded;
} Push;

static Push push(Trial *t, double from, double to, double h) {
    Push sum = { 0 };
    impStats *stats = impStats_New(t->m, from, to);
    while (impState_Time(t->s) < to - 0.5 * h) {
        impOutcome o = impStep(t->stepper, t->s, NULL, h);
        if (o.verdict != IMP_SOLVED) {
            fail_msg("t = %.6f: %s", impState_Time(t->s), o.text);
        }
        assert_true(impStats_Add(stats, &o));
        for (int k = 0; k < o.contact_count; k++) {
            sum.driven += o.contacts[k].driven;
            sum.traded += o.contacts[k].energy;
        }
    }
    for (int i = 0; i < impStats_PairCount(stats); i++) {
        impPairStats p = impStats_Pair(stats, i);
        impVec3 on_other = scale((p.a.i == 2 ? -1 : 1) / (to - from), p.impulse);
        if (p.a.i == 3 || p.b.i == 3) {
            sum.on_wall = add(sum.on_wall, on_other);
        } else {
            sum.on_floor = add(sum.on_floor, on_other);
        }
    }
    impStats_Free(stats);
    return sum;
}

static void a_pushed_block_goes_with_the_wall_and_rubs_by_mu_m_g(void **state) {
    (void)state;
    const double mu = 0.4;
    const double V = 0.25;
    const double T = 3;
    Trial t = pushed_block(mu, V);
    double before = trial_energy(&t);
    Push p = push(&t, 0.5, T, 0.05);
    print_message("    on the wall %.6f N, on the floor %.6f and %.6f N; %.6f J driven\n",
                  p.on_wall.x, p.on_floor.x, p.on_floor.z, p.driven);
    NEAR(trial_at(&t, 2).x - (0.15 + V * T), 0, 3 * EPS);
    NEAR(trial_twist(&t, 2).linear.x, V, 1e-3 * V);
    NEAR(p.on_wall.x / (-mu * G), 1, 1e-3);
    NEAR(p.on_floor.x / (mu * G), 1, 1e-3);
    NEAR(p.on_floor.z / -G, 1, 1e-3);
    // friction's work, and the impact m V V at the start
    NEAR(p.driven / (mu * G * V * T + V * V), 1, 2e-3);
    NEAR(trial_energy(&t) - before, p.traded, 1e-9);
    assert_false(trial_asleep(&t, 2));
    trial_free(&t);
}

// --- carrying ------------------------------------------------------------------------------------
// A box on a plate that goes at that velocity.
static Trial carried(impVec3 velocity) {
    const impShapeDef plate = { .kind = "box", .size = { 1, 1, 0.1 } };
    const impMotionDef ahead = { .kind = "translate", .velocity = velocity };
    const Part box = { .kind = "box",
                       .size = { 0.1, 0.1, 0.1 },
                       .at = { 0.1, 0, 0.05 + 0.5 * EPS },
                       .v = velocity,
                       .mass = 1 };
    impScene *scene = trial_scene(&(Setting){ 0.5, 0, EPS, DOWN, false, 0 }, &box, 1);
    impScene_Body(scene,
                  &(impBodyDef){ .pose.at = { 0, 0, -0.05 },
                                 .material = "m",
                                 .shapes = &plate,
                                 .shape_count = 1,
                                 .motions = &ahead,
                                 .motion_count = 1 },
                  &err);
    return trial_of(scene);
}

static void what_is_carried_goes_along_and_stays_awake(void **state) {
    (void)state;
    const impVec3 ways[] = { { 0.5, -0.2, 0 }, { 0, 0, 0.5 }, { 0.3, 0, -0.5 }, { 1e-9, 0, 0 } };
    for (int i = 0; i < COUNT(ways); i++) {
        Trial t = carried(ways[i]);
        trial_run(&t, 2, 0.05);
        assert_false(trial_asleep(&t, 1));
        NEAR(norm(sub(trial_at(&t, 1), madd(vec(0.1, 0, 0.05), 2, ways[i]))), 0, 2 * EPS);
        trial_free(&t);
    }
    // as good as fixed
    Trial t = carried(vec(0, 0, 0));
    trial_run(&t, 2, 0.05);
    assert_true(trial_asleep(&t, 1));
    trial_free(&t);
}

// What sleeps in its way is woken; what it leaves behind goes to sleep.
static void it_wakes_what_sleeps_in_its_way(void **state) {
    (void)state;
    const Part block = {
        .kind = "box", .size = { 0.1, 0.1, 0.1 }, .at = { 0.55, 0, 0.05 + 0.5 * EPS }, .mass = 1
    };
    impScene *scene = trial_scene(&(Setting){ 0.5, 0.2, EPS, DOWN, true, 0 }, &block, 1);
    add_wall(scene, 0.2, vec(0.5, 0, 0));
    Trial t = trial_of(scene);
    trial_run(&t, 0.9, 0.05);
    assert_true(trial_asleep(&t, 2));
    NEAR(trial_at(&t, 2).x, 0.55, 1e-9);
    trial_run(&t, 1.1, 0.05);
    assert_false(trial_asleep(&t, 2));
    assert_true(trial_at(&t, 2).x >= 1.05);
    trial_free(&t);

    scene = trial_scene(&(Setting){ 0.5, 0.2, EPS, DOWN, true, 0 },
                        &(Part){ .kind = "box",
                                 .size = { 0.1, 0.1, 0.1 },
                                 .at = { 0.05 + EPS, 0, 0.05 + 0.5 * EPS },
                                 .mass = 1 },
                        1);
    add_wall(scene, 0.2, vec(-0.5, 0, 0));
    t = trial_of(scene);
    trial_run(&t, 1, 0.05);
    assert_true(trial_asleep(&t, 2));
    trial_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_at_rest_leaves_with_1_plus_e_of_the_speed),
        cmocka_unit_test(a_fast_wall_passes_nobody),
        cmocka_unit_test(a_pushed_block_goes_with_the_wall_and_rubs_by_mu_m_g),
        cmocka_unit_test(what_is_carried_goes_along_and_stays_awake),
        cmocka_unit_test(it_wakes_what_sleeps_in_its_way),
    };
    return RUN(tests);
}
