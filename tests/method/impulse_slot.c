// impulse_slot.c -- bodies with hardly any room: in a slot as narrow as the band, between two
// walls, under a lip.
//
// A micro-step lifts a body by a quarter of the band. Where there is something less far above it,
// the micro-step is shorter, and nobody is pressed by it: a block in a slot slides as far as one on
// the open floor, and one in a shaft falls as if it were alone. A ball that runs under a lip comes
// to a stop there, and time goes on.
//
// SPDX-License-Identifier: MIT
#include "impulse_support.h"

#include <string.h>

static const double BAND = 1e-5, THICK = 0.02;

// Between two planes that are THICK and `clearance` apart, the lower one turned by `slope` about y;
// it moves along it and across.
static Trial in_slot(const char *shape, double friction, double clearance, double slope,
                     double along, double across) {
    static char text[2000];
    impError err;
    double x = sin(slope);
    double z = cos(slope);
    double h = 0.5 * THICK + min2(0.5 * clearance, 0.6 * BAND);
    snprintf(
        text, sizeof text,
        "{ \"impel\": 1, \"materials\": { \"m\": { \"friction\": %.17g, \"restitution\": 0, "
        "\"density\": 1000 } }, \"bodies\": [ "
        "{ \"name\": \"floor\", \"fixed\": true, \"material\": \"m\", \"shape\": { \"plane\": "
        "{ \"normal\": [%.17g, 0, %.17g] } } }, "
        "{ \"name\": \"ceiling\", \"fixed\": true, \"material\": \"m\", \"shape\": { \"plane\": "
        "{ \"normal\": [%.17g, 0, %.17g], \"offset\": %.17g } } }, "
        "{ \"name\": \"part\", \"material\": \"m\", \"shape\": %s, \"position\": [%.17g, 0, "
        "%.17g], \"orientation\": [%.17g, 0, %.17g, 0], "
        "\"velocity\": [%.17g, 0, %.17g] } ], \"run\": { \"method\": \"impulse\", "
        "\"contact_band\": %.17g } }",
        friction, x, z, -x, -z, -(THICK + clearance), shape, h * x, h * z, cos(0.5 * slope),
        sin(0.5 * slope), along * z + across * x, -along * x + across * z, BAND);
    impScene *scene = impScene_Parse(text, strlen(text), "slot.json", NULL, &err);
    assert_non_null(scene);
    return trial_of(scene);
}

static double way_along(const Trial *t, double slope) {
    impVec3 at = trial_at(t, 3);
    return at.x * cos(slope) - at.z * sin(slope);
}

static const char *const flat[] = { "{ \"box\": { \"size\": [0.04, 0.04, 0.02] } }",
                                    "{ \"cylinder\": { \"radius\": 0.02, \"height\": 0.02 } }" };

// v^2 / (2 mu g), and not after a fifth of a millimetre; from 1.3 bands on in as many micro-steps
// as on the open floor
static void a_block_in_a_slot_stops_where_it_should(void **state) {
    (void)state;
    // bands
    const double clearance[] = { 10, 1.01, 1.05, 1.2, 1.3, 1.4, 1.5 };
    for (int i = 0; i < COUNT(flat); i++) {
        int in_the_open = 0;
        for (int k = 0; k < COUNT(clearance); k++) {
            Trial t = in_slot(flat[i], 0.3, clearance[k] * BAND, 0, 0.5, 0);
            trial_run(&t, 0.3, 0.01);
            NEAR(way_along(&t, 0), 0.25 / (2 * 0.3 * 9.81), 2e-6);
            in_the_open = k == 0 ? t.micro_steps : in_the_open;
            assert_true(clearance[k] < 1.3 || t.micro_steps <= in_the_open + 2);
            trial_free(&t);
        }
    }
}

static void it_slides_down_as_on_an_open_slope(void **state) {
    (void)state;
    const double clearance[] = { 1.05, 1.2, 1.4, 10 };
    const double slope[] = { 0.5, 1.2 };
    for (int i = 0; i < COUNT(slope); i++) {
        for (int k = 0; k < COUNT(clearance); k++) {
            Trial t = in_slot(flat[k % 2], 0.3, clearance[k] * BAND, slope[i], 0.1, 0);
            trial_run(&t, 0.5, 0.01);
            NEAR(way_along(&t, slope[i]),
                 0.05 + 0.125 * 9.81 * (sin(slope[i]) - 0.3 * cos(slope[i])), 2e-5);
            trial_free(&t);
        }
    }
}

// It comes to a wall at 1 mm/s, now and then. Each time friction takes at most 0.3 of that: of 5
// m/s nearly all is left.
static void between_two_walls_it_falls(void **state) {
    (void)state;
    const double clearance[] = { 1.05, 1.2, 1.4, 10 };
    const double upright = 0.5 * 3.14159265358979323846;
    for (int i = 0; i < COUNT(flat); i++) {
        for (int k = 0; k < COUNT(clearance); k++) {
            Trial t = in_slot(flat[i], 0.3, clearance[k] * BAND, upright, 0.1, 1e-3);
            trial_run(&t, 0.5, 0.01);
            NEAR(way_along(&t, upright), 0.05 + 0.125 * 9.81, 2e-3);
            trial_free(&t);
        }
    }
}

// Runs into the gap between the floor and a lip that leans over it. These stood still in time.
static void a_ball_under_a_lip_stops(void **state) {
    (void)state;
    static const struct {
        double angle, friction, v, x;
    } of[] = {
        { 0.1, 0.1, 2, -0.6 }, { 0.1, 1, 2, -0.6 }, { 0.4, 0.3, 0.3, -0.2 }, { 0.4, 0.3, 2, -0.2 }
    };
    for (int i = 0; i < COUNT(of); i++) {
        static char text[1200];
        impError err;
        snprintf(text, sizeof text,
                 "{ \"impel\": 1, \"materials\": { \"m\": { \"friction\": %.17g, \"restitution\": "
                 "0, \"density\": 1000 } }, \"bodies\": [ "
                 "{ \"name\": \"floor\", \"fixed\": true, \"material\": \"m\", \"shape\": { "
                 "\"plane\": { \"normal\": [0, 0, 1] } } }, "
                 "{ \"name\": \"lip\", \"fixed\": true, \"material\": \"m\", \"shape\": { "
                 "\"plane\": { \"normal\": [%.17g, 0, %.17g] } } }, "
                 "{ \"name\": \"ball\", \"material\": \"m\", \"shape\": { \"sphere\": { "
                 "\"radius\": 0.02 } }, \"position\": [%.17g, 0, 0.020006], "
                 "\"velocity\": [%.17g, 0, 0] } ], \"run\": { \"method\": \"impulse\", "
                 "\"contact_band\": 1e-5 } }",
                 of[i].friction, -sin(of[i].angle), -cos(of[i].angle), of[i].x, of[i].v);
        impScene *scene = impScene_Parse(text, strlen(text), "lip.json", NULL, &err);
        assert_non_null(scene);
        Trial t = trial_of(scene);
        trial_run(&t, 1, 0.01);
        // where it touches both
        double stop = -0.02 / tan(0.5 * of[i].angle);
        print_message("    at %.5f m, both are touched at %.5f m; %d micro-steps\n",
                      trial_at(&t, 3).x, stop, t.micro_steps);
        NEAR(trial_at(&t, 3).x, stop, 1e-3);
        trial_free(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_in_a_slot_stops_where_it_should),
        cmocka_unit_test(it_slides_down_as_on_an_open_slope),
        cmocka_unit_test(between_two_walls_it_falls),
        cmocka_unit_test(a_ball_under_a_lip_stops),
    };
    return RUN(tests);
}
