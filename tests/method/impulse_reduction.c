// impulse_reduction.c -- what lies and lands flat: where an impact acts on many points, however
// they came about, and the far side of a ceiling.
//
// A body that falls level, without spin, onto something level that does not move is struck under
// its centre of mass and does not turn, whatever the corners of its face and the triangles or
// pieces of the floor are. A ceiling is a ceiling whether it is a sheet or the top of a solid.
//
// SPDX-License-Identifier: MIT
#include "impulse_support.h"

#include <string.h>

static Trial trial_of_text(const char *bodies) {
    static char text[48000];
    impError err;
    snprintf(text, sizeof text,
             "{ \"impel\": 1, \"materials\": { \"m\": { \"friction\": 0.4, \"restitution\": 0.5, "
             "\"density\": 1000 } }, \"bodies\": [ %s ], "
             "\"run\": { \"method\": \"impulse\", \"contact_band\": 1e-5 } }",
             bodies);
    impScene *scene = impScene_Parse(text, strlen(text), "test.json", NULL, &err);
    assert_non_null(scene);
    return trial_of(scene);
}

static void what_lands_flat_stays_where_it_is(void **state) {
    (void)state;
    static const char *const block[] = {
        "\"shape\": { \"box\": { \"size\": [0.1, 0.1, 0.05] } }",
        ("\"shape\": { \"hull\": { \"points\": "
         "[[-0.05,-0.05,-0.025],[0.04,-0.05,-0.025],[0.05,-0.04,-0.025],[0.05,0.04,-0.025],[0.04,0."
         "05,-0.025],[-0.05,0.05,-0.025],"
         "[-0.05,-0.05,0.025],[0.04,-0.05,0.025],[0.05,-0.04,0.025],[0.05,0.04,0.025],[0.04,0.05,0."
         "025],[-0.05,0.05,0.025]] } }"),
        "\"shape\": [ { \"box\": { \"size\": [0.07, 0.1, 0.05] }, \"position\": [-0.015, 0, 0] }, "
        "{ \"box\": { \"size\": [0.03, 0.1, 0.05] }, \"position\": [0.035, 0, 0] } ]",
    };
    static const char *const floor[] = {
        "{ \"plane\": { \"normal\": [0, 0, 1] } }",
        "[ { \"box\": { \"size\": [1.02, 2, 1] }, \"position\": [-0.49, 0, -0.5] }, { \"box\": { "
        "\"size\": [0.98, 2, 1] }, \"position\": [0.51, 0, -0.5] } ]",
        "{ \"mesh\": { \"points\": [[-1,-1,0],[0.02,-1,0],[1,-1,0],[-1,1,0],[0.02,1,0],[1,1,0]], "
        "\"faces\": [[0,1,4],[0,4,3],[1,2,5],[1,5,4]] } }",
    };
    for (int i = 0; i < COUNT(block); i++) {
        for (int k = 0; k < COUNT(floor); k++) {
            char text[2048];
            snprintf(
                text, sizeof text,
                "{ \"name\": \"floor\", \"fixed\": true, \"material\": \"m\", \"shape\": %s }, "
                "{ \"name\": \"block\", \"material\": \"m\", %s, \"position\": [0, 0, 0.1] }",
                floor[k], block[i]);
            Trial t = trial_of_text(text);
            impVec3 from = trial_at(&t, 2);
            // lands after 0.12 s, at 1.2 m/s, and leaves at 0.6
            trial_run(&t, 0.18, 0.01);
            impVec3 to = trial_at(&t, 2);
            if (!(fabs(to.x - from.x) <= 1e-9 && fabs(to.y - from.y) <= 1e-9)) {
                fail_msg("block %d on floor %d: %g, %g m aside", i, k, to.x - from.x,
                         to.y - from.y);
            }
            assert_true(to.z > 0.04 && norm(trial_twist(&t, 2).angular) < 1e-6);
            trial_free(&t);
        }
    }
}

// Spinning on the spot: friction slows it down alike over a plane, over triangles and over tiles,
// and it stays where it is. A box stands on its four corners, r from the middle: w' = -mu m g r /
// J, with J = m (a^2 + b^2) / 12; at an instant within a micro-step to w' T / 2.
static void spin_does_not_see_triangles(void **state) {
    (void)state;
    static const char *const block[] = {
        "\"shape\": { \"box\": { \"size\": [0.1, 0.1, 0.05] } }, \"position\": [0, 0, 0.025005]",
        "\"shape\": { \"cylinder\": { \"radius\": 0.025, \"height\": 0.1 } }, \"orientation\": "
        "[0.7071067811865476, 0, 0.7071067811865476, 0], "
        "\"position\": [0, 0, 0.025005]",
        "\"shape\": { \"capsule\": { \"radius\": 0.025, \"length\": 0.1 } }, \"orientation\": "
        "[0.7071067811865476, 0, 0.7071067811865476, 0], "
        "\"position\": [0, 0, 0.025005]"
    };
    enum { CELLS = 12 };
    static char mesh[32768];
    int n = snprintf(mesh, sizeof mesh, "{ \"mesh\": { \"points\": [");
    for (int i = 0; i <= CELLS; i++) {
        for (int k = 0; k <= CELLS; k++) {
            n += snprintf(mesh + n, sizeof mesh - (size_t)n, "%s[%.4f,%.4f,0]", i + k ? "," : "",
                          0.0217 * i - 0.13, 0.0213 * k - 0.12);
        }
    }
    n += snprintf(mesh + n, sizeof mesh - (size_t)n, "], \"faces\": [");
    for (int i = 0; i < CELLS; i++) {
        for (int k = 0; k < CELLS; k++) {
            int a = i * (CELLS + 1) + k;
            int b = a + CELLS + 1;
            n += snprintf(mesh + n, sizeof mesh - (size_t)n, "%s[%d,%d,%d],[%d,%d,%d]",
                          i + k ? "," : "", a, b, b + 1, a, b + 1, a + 1);
        }
    }
    snprintf(mesh + n, sizeof mesh - (size_t)n, "] } }");
    const char *const floor[] = {
        "{ \"plane\": { \"normal\": [0, 0, 1] } }", mesh,
        "[ { \"box\": { \"size\": [1.02, 2, 1] }, \"position\": [-0.49, 0, -0.5] }, { \"box\": { "
        "\"size\": [0.98, 2, 1] }, \"position\": [0.51, 0, -0.5] } ]"
    };
    for (int i = 0; i < COUNT(block); i++) {
        double spin[COUNT(floor)];
        for (int k = 0; k < COUNT(floor); k++) {
            static char text[40000];
            snprintf(
                text, sizeof text,
                "{ \"name\": \"floor\", \"fixed\": true, \"material\": \"m\", \"shape\": %s }, "
                "{ \"name\": \"block\", \"material\": \"m\", %s, \"angular_velocity\": [0, 0, 20] "
                "}",
                floor[k], block[i]);
            Trial t = trial_of_text(text);
            trial_run(&t, 0.05, 0.01);
            impVec3 at = trial_at(&t, 2);
            spin[k] = trial_twist(&t, 2).angular.z;
            if (!(fabs(at.x) <= 1e-5 && fabs(at.y) <= 1e-5)) {
                fail_msg("block %d on floor %d: %g, %g m aside", i, k, at.x, at.y);
            }
            trial_free(&t);
        }
        print_message("    spin left of 20: %.4f on a plane, %.4f on triangles, %.4f on tiles\n",
                      spin[0], spin[1], spin[2]);
        if (i == 0) {
            NEAR(spin[0], 20 - 0.05 * 0.4 * 9.81 * 0.05 * sqrt(2) / (2 * 0.01 / 12), 0.12);
        }
        for (int k = 1; k < COUNT(floor); k++) {
            NEAR(spin[k], spin[0], 1e-3 * 20);
        }
    }
}

// However fast it spins, and whatever the band: w' = -mu g r / (J / m), with r and J / m of a disc
// on its rim, and of a box on its corners.
static void a_fast_spin_has_all_its_friction(void **state) {
    (void)state;
    static const struct {
        const char *shape;
        double r, j;
    } of[] = { { "{ \"cylinder\": { \"radius\": 0.05, \"height\": 0.02 } }", 0.05, 0.00125 },
               { "{ \"box\": { \"size\": [0.07, 0.07, 0.02] } }", 0.0494974746830583,
                 0.07 * 0.07 / 6 } };
    static const double band[] = { 1e-4, 1e-5, 1e-6 };
    for (int i = 0; i < COUNT(of); i++) {
        for (int k = 0; k < COUNT(band); k++) {
            for (int w = 300; w <= 3000; w += 900) {
                char text[1024];
                impError err;
                snprintf(text, sizeof text,
                         "{ \"impel\": 1, \"materials\": { \"m\": { \"friction\": 0.4, "
                         "\"restitution\": 0, \"density\": 1000 } }, \"bodies\": [ "
                         "{ \"name\": \"floor\", \"fixed\": true, \"material\": \"m\", \"shape\": "
                         "{ \"plane\": { \"normal\": [0, 0, 1] } } }, { \"name\": \"top\", "
                         "\"material\": \"m\", "
                         "\"shape\": %s, \"position\": [0, 0, %.17g], \"angular_velocity\": [0, 0, "
                         "%d] } ], \"run\": { \"method\": \"impulse\", \"contact_band\": %g } }",
                         of[i].shape, 0.01 + band[k] / 2, w, band[k]);
                impScene *scene = impScene_Parse(text, strlen(text), "top.json", NULL, &err);
                assert_non_null(scene);
                Trial t = trial_of(scene);
                trial_run(&t, 0.1, 0.01);
                double lost = w - trial_twist(&t, 2).angular.z;
                double expected = 0.1 * 0.4 * 9.81 * of[i].r / of[i].j;
                if (!(fabs(lost - expected) <= 0.03 * expected)) {
                    fail_msg("shape %d, band %g, %d rad/s: %g rad/s lost, not %g", i, band[k], w,
                             lost, expected);
                }
                trial_free(&t);
            }
        }
    }
}

// Tiles that are bodies of their own, and lie askew under the block, are one floor: it slides,
// spins, lands and bounces as on a plane.
static void tiles_that_are_bodies_are_one_floor(void **state) {
    (void)state;
    static const char *const block[] = {
        "\"position\": [0, 0, 0.020005], \"velocity\": [0, 0, 0], \"angular_velocity\": [0, 0, 20]",
        ("\"position\": [0, 0, 0.020005], \"velocity\": [0.7, 0.1, 0], "
         "\"angular_velocity\": [0, 0, 3]"),
        "\"position\": [0, 0, 0.06], \"velocity\": [0.5, 0, 0], \"angular_velocity\": [0, 0, 0]"
    };
    static char floor[2][40000];
    strcpy(floor[0], "{ \"name\": \"floor\", \"fixed\": true, \"material\": \"m\", \"shape\": { "
                     "\"plane\": { \"normal\": [0, 0, 1] } } }, ");
    for (int i = -6, n = 0; i < 10; i++) {
        for (int k = -6; k < 7; k++) {
            n += snprintf(floor[1] + n, sizeof floor[1] - (size_t)n,
                          "{ \"name\": \"tile %d %d\", \"fixed\": true, \"material\": \"m\", "
                          "\"shape\": { \"box\": { \"size\": [0.03, 0.03, 0.1] } }, \"position\": "
                          "[%.3f, %.3f, -0.05] }, ",
                          i, k, 0.03 * i + 0.004, 0.03 * k + 0.007);
        }
    }
    for (int i = 0; i < COUNT(block); i++) {
        impVec3 at[2], x[2];
        for (int k = 0; k < 2; k++) {
            static char text[44000];
            snprintf(text, sizeof text,
                     "%s{ \"name\": \"block\", \"material\": \"m\", \"shape\": { \"box\": { "
                     "\"size\": [0.1, 0.06, 0.04] } }, %s }",
                     floor[k], block[i]);
            Trial t = trial_of_text(text);
            int last = impModel_BodyCount(t.m) - 1;
            trial_run(&t, 1, 0.01);
            at[k] = trial_at(&t, last);
            x[k] = rotate(impState_Pose(t.m, t.s, (impBody){ last }).rotation, vec(1, 0, 0));
            trial_free(&t);
        }
        double off = norm(sub(at[0], at[1]));
        double rotated = norm(sub(x[0], x[1]));
        print_message("    block %d: at rest %.2g m and %.2g rad off the plane's\n", i, off,
                      rotated);
        // where micro-steps begin and end is another
        assert_true(off <= 5e-5 && rotated <= 5e-4);
    }
}

// A ball on a slope, a little below the ridge: the triangles beyond it are behind nothing.
static void a_sheet_is_as_good_a_ceiling_as_a_solid(void **state) {
    (void)state;
    static const char *const contact_above[] = {
        "\"points\": [[0,-1,0],[0,1,0],[1,-1,-0.8],[1,1,-0.8],[-1,-1,-0.8],[-1,1,-0.8]], "
        "\"faces\": [[0,2,3],[0,3,1],[0,1,5],[0,5,4]]",
        "\"points\": "
        "[[0,-1,0],[0,1,0],[1,-1,-0.8],[1,1,-0.8],[-1,-1,-0.8],[-1,1,-0.8],[1,-1,-2],[1,1,-2],[-1,-"
        "1,-2],[-1,1,-2]], \"faces\": "
        "[[0,2,3],[0,3,1],[0,1,5],[0,5,4],[2,6,7],[2,7,3],[4,5,9],[4,9,8],[6,8,9],[6,9,7],[3,7,9],["
        "3,9,5],[3,5,1],[2,0,4],[2,4,8],[2,8,6]]",
    };
    impVec3 at[2];
    for (int i = 0; i < 2; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "{ \"name\": \"ceiling\", \"fixed\": true, \"material\": \"m\", \"shape\": { "
                 "\"mesh\": { %s } } }, "
                 "{ \"name\": \"ball\", \"material\": \"m\", \"shape\": { \"sphere\": { "
                 "\"radius\": 0.02 } }, \"position\": [0.019527, 0, 0.010002] }",
                 contact_above[i]);
        Trial t = trial_of_text(text);
        trial_run(&t, 0.2, 0.002);
        assert_true(t.slowest_gap >= 0);
        at[i] = trial_at(&t, 2);
        trial_free(&t);
    }
    // rolled down, as balls do
    assert_true(at[0].x > 0.05);
    NEAR(norm(sub(at[0], at[1])), 0, 1e-15);
}

// A beam on its edge, across the ridge of a ceiling, turns and slides: two edges, whose normal
// turns with them. A time of impact that does not know the edge of a mesh by its triangle sees
// nothing of that, and ends a hundred times as soon.
static void edges_of_meshes_are_seen_to_turn(void **state) {
    (void)state;
    static const char *const contact_above[] = {
        "\"hull\": { \"points\": "
        "[[0,-1,0],[0,1,0],[1,-1,-0.8],[1,1,-0.8],[-1,-1,-0.8],[-1,1,-0.8]] }",
        "\"mesh\": { \"points\": "
        "[[0,-1,0],[0,1,0],[1,-1,-0.8],[1,1,-0.8],[-1,-1,-0.8],[-1,1,-0.8]], \"faces\": "
        "[[0,2,3],[0,3,1],[0,1,5],[0,5,4]] }",
    };
    int query_count[2];
    for (int i = 0; i < 2; i++) {
        char text[2048];
        snprintf(
            text, sizeof text,
            "{ \"name\": \"ceiling\", \"fixed\": true, \"material\": \"m\", \"shape\": { %s } }, "
            "{ \"name\": \"beam\", \"material\": \"m\", \"shape\": { \"box\": { \"size\": "
            "[0.4, 0.02, 0.02] } }, \"position\": [0, 0, 0.0142], "
            "\"orientation\": [0.9205048534524404, 0.3812856208220297, 0.032733786, "
            "0.0790269], \"velocity\": [0, 0.1, 0], \"angular_velocity\": [0, 0, 3] }",
            contact_above[i]);
        Trial t = trial_of_text(text);
        trial_run(&t, 0.1, 0.01);
        assert_true(t.micro_steps > 20);
        query_count[i] = t.query_count;
        trial_free(&t);
    }
    print_message("    %d looks at a solid, %d at a mesh\n", query_count[0], query_count[1]);
    assert_true(query_count[1] < 3 * query_count[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_lands_flat_stays_where_it_is),
        cmocka_unit_test(spin_does_not_see_triangles),
        cmocka_unit_test(a_fast_spin_has_all_its_friction),
        cmocka_unit_test(tiles_that_are_bodies_are_one_floor),
        cmocka_unit_test(a_sheet_is_as_good_a_ceiling_as_a_solid),
        cmocka_unit_test(edges_of_meshes_are_seen_to_turn),
    };
    return RUN(tests);
}
