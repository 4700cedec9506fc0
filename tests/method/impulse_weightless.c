// impulse_weightless.c -- contact where nothing falls: what is microscopic then, and what must not
// be.
//
// Without gravity a micro-step has no pull to go by. What turns presses by its own acceleration,
// and a millionth of the fastest speed is the end of collisions that never quite bounce
// (src/contact/point.c, src/method/impulse.c). Compared with the textbook: a bead that a paddle
// drives, balls in a line that stop each other; what bounces without loss must go on for ever.
//
// SPDX-License-Identifier: MIT
#include "impulse_support.h"

#include <string.h>

static Trial trial_of_text(const char *materials, const char *bodies, double band) {
    static char text[8192];
    impError err;
    snprintf(text, sizeof text,
             "{ \"impel\": 1, \"gravity\": [0, 0, 0], \"materials\": { \"m\": { %s, \"density\": "
             "1000 } }, \"bodies\": [ %s ], "
             "\"run\": { \"method\": \"impulse\", \"contact_band\": %g } }",
             materials, bodies, band);
    impScene *scene = impScene_Parse(text, strlen(text), "test.json", NULL, &err);
    assert_non_null(scene);
    return trial_of(scene);
}

// A paddle that turns at w drives a bead outwards without friction: along it x'' = w^2 x. From x0,
// at w d outwards, with its middle d before the axis, x = x0 cosh wt + d sinh wt, and N = m w^2 (2
// x0 sinh wt + 2 d cosh wt - d) presses all the time.
static void a_paddle_drives_a_bead(void **state) {
    (void)state;
    static const char *const shape[] = { "{ \"sphere\": { \"radius\": 0.02 } }",
                                         "{ \"box\": { \"size\": [0.04, 0.04, 0.04] } }" };
    const double w = 3;
    const double x0 = 0.1;
    const double T = 0.8;
    for (int i = 0; i < COUNT(shape); i++) {
        for (double band = 1e-4; band > 5e-7; band /= 10) {
            double d = 0.03 + band / 2;
            double expected = x0 * cosh(w * T) + d * sinh(w * T);
            char text[1024];
            snprintf(text, sizeof text,
                     "{ \"name\": \"paddle\", \"material\": \"m\", \"shape\": { \"box\": { "
                     "\"size\": [2, 0.02, 0.2] } }, "
                     "\"motion\": { \"spin\": { \"axis\": [0, 0, 1], \"rate\": 3 } } }, { "
                     "\"name\": \"bead\", \"material\": \"m\", \"shape\": %s, "
                     "\"position\": [0.1, %.17g, 0], \"velocity\": [0, 0.3, 0], "
                     "\"angular_velocity\": [0, 0, %d] }",
                     shape[i], d, i ? 3 : 0);
            Trial t = trial_of_text("\"friction\": 0, \"restitution\": 0", text, band);
            trial_run(&t, T, 0.01);
            impVec3 at = trial_at(&t, 2);
            double along = at.x * cos(w * T) + at.y * sin(w * T);
            print_message("    %s, band %g m: %.2e of the way off, %d micro-steps\n",
                          i ? "box" : "ball", band, along / expected - 1, t.micro_steps);
            NEAR(along, expected, band * expected);
            assert_true(t.slowest_gap >= 0 && t.micro_steps + t.collisions < 40 / sqrt(band));
            trial_free(&t);
        }
    }
}

// Three in a line, the outer ones coming in: without bounce they stop each other, and so do those
// whose bounce decays as they close in (inelastic collapse), whatever their masses. Balls and
// boxes; 1e-6 of their speed is left at most.
static void three_in_a_line_stop(void **state) {
    (void)state;
    static const struct {
        double e, outer, inner;
    } of[] = { { 0, 1, 1 }, { 0.05, 1, 1 }, { 0, 10, 0.01 }, { 0.3, 10, 0.01 }, { 0.9, 10, 0.01 } };
    for (int i = 0; i < COUNT(of); i++) {
        for (int box = 0; box < 2; box++) {
            const char *kind = box ? "box" : "sphere";
            double size[3] = { box ? 0.04 : 0.02, 0.04, 0.04 };
            Part part[3] = {
                { .kind = kind, .at = { -0.1, 0, 0 }, .v = { 1, 0, 0 }, .mass = of[i].outer },
                { .kind = kind, .at = { 0, 0, 0 }, .mass = of[i].inner },
                { .kind = kind, .at = { 0.11, 0, 0 }, .v = { -1, 0, 0 }, .mass = of[i].outer }
            };
            for (int k = 0; k < 3; k++) {
                memcpy(part[k].size, size, sizeof size);
            }
            Trial t = trial(&(Setting){ .friction = 0.3, .restitution = of[i].e, .band = 1e-5 },
                            part, 3);
            trial_run(&t, 0.5, 0.01);
            for (int k = 1; k <= 3; k++) {
                if (!(norm(trial_twist(&t, k).linear) <= 1e-6)) {
                    fail_msg("%s, case %d: body %d goes on at %g m/s", kind, i, k,
                             norm(trial_twist(&t, k).linear));
                }
            }
            assert_true(trial_energy(&t) <= 1e-11);
            trial_free(&t);
        }
    }
}

// Two that tumble into each other stay together for a while, and press. What comes out is the same
// for every band, and momentum is kept.
static void two_that_tumble_part_as_they_should(void **state) {
    (void)state;
    for (int rough = 0; rough < 2; rough++) {
        impTwist after[3][2];
        impVec3 start = vec(0, 0, 0);
        for (int i = 0; i < 3; i++) {
            Part part[2] = { { .kind = "box",
                               .size = { 0.1, 0.06, 0.04 },
                               .at = { 0.12, 0, 0.005 },
                               .v = { -0.5, 0, 0 },
                               .w = { 1, -2, 4 },
                               .rotation = { 0.6, 0.3, 0.5, 0.55 },
                               .mass = 0.24 },
                             { .kind = "box",
                               .size = { 0.09, 0.05, 0.05 },
                               .at = { -0.12, 0, -0.004 },
                               .v = { 0.5, 0, 0 },
                               .w = { -3, 1, 4 },
                               .rotation = { 0.7, -0.2, 0.4, 0.56 },
                               .mass = 0.225 } };
            for (int k = 0; k < 2; k++) {
                part[k].rotation = unit(part[k].rotation);
            }
            Trial t = trial(&(Setting){ .friction = rough ? 0.5 : 0.1,
                                        .restitution = 0,
                                        .band = i == 0   ? 1e-5
                                                : i == 1 ? 1e-6
                                                         : 1e-7 },
                            part, 2);
            for (int k = 1; k <= 2; k++) {
                start = add(start, scale(i ? 0 : part[k - 1].mass, trial_twist(&t, k).linear));
            }
            trial_run(&t, 1, 0.01);
            after[i][0] = trial_twist(&t, 1);
            after[i][1] = trial_twist(&t, 2);
            NEAR(norm(sub(madd(scale(0.24, after[i][0].linear), 0.225, after[i][1].linear), start)),
                 0, 1e-15);
            assert_true((rough || t.micro_steps > 5) && t.micro_steps + t.collisions < 4000);
            trial_free(&t);
        }
        for (int k = 0; k < 2; k++) {
            double off[2] = { norm(sub(after[0][k].linear, after[2][k].linear)),
                              norm(sub(after[1][k].linear, after[2][k].linear)) };
            print_message(
                "    friction %g, body %d: %.2e and %.2e m/s off those of the finest band\n",
                rough ? 0.5 : 0.1, k, off[0], off[1]);
            assert_true(off[0] <= 1e-3 && off[1] <= 1e-4);
        }
    }
}

// Nothing is taken from what bounces without loss, however slowly it meets something, and however
// fast it turns.
static void without_loss_nothing_is_microscopic(void **state) {
    (void)state;
    static const char room[] =
        "{ \"name\": \"room\", \"fixed\": true, \"material\": \"m\", \"shape\": [ "
        "{ \"box\": { \"size\": [0.02, 0.4, 0.4] }, \"position\": [0.11, 0, 0] }, { \"box\": { "
        "\"size\": [0.02, 0.4, 0.4] }, \"position\": [-0.11, 0, 0] }, "
        "{ \"box\": { \"size\": [0.4, 0.02, 0.4] }, \"position\": [0, 0.11, 0] }, { \"box\": { "
        "\"size\": [0.4, 0.02, 0.4] }, \"position\": [0, -0.11, 0] }, "
        "{ \"box\": { \"size\": [0.4, 0.4, 0.02] }, \"position\": [0, 0, 0.11] }, { \"box\": { "
        "\"size\": [0.4, 0.4, 0.02] }, \"position\": [0, 0, -0.11] } ] }, "
        "{ \"name\": \"a\", \"material\": \"m\", \"shape\": { \"box\": { \"size\": [0.06, 0.04, "
        "0.03] } }, \"position\": [0.05, 0.01, 0], \"velocity\": [0.2, 0.1, -0.3], "
        "\"angular_velocity\": [9, 8, -7] }, "
        "{ \"name\": \"b\", \"material\": \"m\", \"shape\": { \"cylinder\": { \"radius\": 0.02, "
        "\"height\": 0.05 } }, \"position\": [-0.05, 0, 0.02], \"velocity\": [-0.1, 0.2, 0.1], "
        "\"angular_velocity\": [-6, 8, 5] }";
    Trial t = trial_of_text("\"friction\": 0, \"restitution\": 1", room, 1e-5);
    double before = trial_energy(&t);
    trial_run(&t, 15, 0.02);
    print_message("    %d collisions, %d micro-steps, energy off by %.1e\n", t.collisions,
                  t.micro_steps, trial_energy(&t) / before - 1);
    assert_true(t.collisions > 100 && t.micro_steps == 0);
    NEAR(trial_energy(&t), before, 1e-12 * before);
    trial_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_paddle_drives_a_bead),
        cmocka_unit_test(three_in_a_line_stop),
        cmocka_unit_test(two_that_tumble_part_as_they_should),
        cmocka_unit_test(without_loss_nothing_is_microscopic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
