// scene_repeat.c -- "repeat": order, names, bounds, and the exact draws of both generators.
//
// Both generators are written again here, from docs/reference/scene-format.md and from Salmon et
// al. 2011, with the C library's sine: what the scene reader gives must agree to rounding, and with
// num/ to the last bit.
//
// SPDX-License-Identifier: MIT
#include "scene_support.h"

#define CUBE    "{\"name\":\"c\",\"fixed\":true,\"shape\":{\"box\":{\"size\":[1,1,1]}}"
#define GRID(r) "{\"impel\":1,\"bodies\":[" CUBE ",\"repeat\":{" r "}}]}"

static impPose pose_in(const impModel *m, const impState *s, const char *name) {
    impBody b = impModel_Find(m, name);
    if (b.i < 0) {
        fail_msg("no body %s", name);
    }
    return impState_Pose(m, s, b);
}

static void at(const impModel *m, const impState *s, const char *name, double x, double y,
               double z) {
    impVec3 p = pose_in(m, s, name).at;
    NEAR(p.x, x, 0);
    NEAR(p.y, y, 0);
    NEAR(p.z, z, 0);
}

static impState *start(const impModel *m) {
    impState *s = impState_New(m);
    assert_non_null(s);
    return s;
}

static void x_is_fastest_then_y_then_z(void **state) {
    (void)state;
    impModel *m = good(GRID("\"grid\":[2,3,2],\"step\":[1,10,100],\"center\":[0.5,10,50]"));
    impState *s = start(m);
    assert_int_equal(impModel_BodyCount(m), 13);
    for (int i = 0; i < 12; i++) {
        char name[16];
        snprintf(name, sizeof name, "c.%d", i);
        assert_int_equal(impModel_Find(m, name).i, i + 1);
        at(m, s, name, i % 2, i / 2 % 3 * 10, i / 6 * 100);
    }
    impState_Free(s);
    impModel_Free(m);
}

static void count_takes_the_first_ones(void **state) {
    (void)state;
    impModel *m = good(GRID("\"grid\":[2,2,2],\"count\":5,\"step\":[2,2,2]"));
    impState *s = start(m);
    assert_int_equal(impModel_BodyCount(m), 6);
    // placed as in the whole grid
    at(m, s, "c.4", -1, -1, 1);
    impState_Free(s);
    impModel_Free(m);
    SAYS(GRID("\"grid\":[2,2,2],\"count\":9,\"step\":[1,1,1]"),
         "s.json:1:89: body 'c': count 9 of a grid of 8; it must not exceed it");
    SAYS(GRID("\"grid\":[2,2,2],\"count\":0,\"step\":[1,1,1]"),
         "s.json:1:113: body 'c': count; got 0; it must be a whole number from 1 to "
         "4503599627370496");
}

static void the_rest_of_the_body_is_the_same_for_all(void **state) {
    (void)state;
    impModel *m = good(
        "{\"impel\":1,\"bodies\":[{\"shape\":{\"sphere\":{\"radius\":1}},\"velocity\":[1,2,3],"
        "\"position\":[0,0,9],"
        "\"orientation\":[0,1,0,0],\"repeat\":{\"grid\":[1,1,2],\"step\":[0,0,4]}}]}");
    impState *s = start(m);
    // the position is the centre of the grid
    at(m, s, "body.1.0", 0, 0, 7);
    at(m, s, "body.1.1", 0, 0, 11);
    NEAR(impState_Pose(m, s, (impBody){ 2 }).rotation.x, 1, 0);
    NEAR(impState_Twist(m, s, (impBody){ 2 }).linear.y, 2, 0);
    NEAR(impModel_Mass(m, (impBody){ 2 }).mass, impModel_Mass(m, (impBody){ 1 }).mass, 0);
    impState_Free(s);
    impModel_Free(m);
}

static void keys_that_contradict_are_refused(void **state) {
    (void)state;
    SAYS(GRID("\"step\":[1,1,1]"), "s.json:1:89: body 'c': \"grid\" is missing");
    SAYS(GRID("\"grid\":[1,1,1]"), "s.json:1:89: body 'c': \"step\" is missing");
    SAYS(GRID("\"grid\":[1,1],\"step\":[1,1,1]"),
         "s.json:1:97: body 'c': a grid of 2 numbers; it must have three");
    SAYS("{\"impel\":1,\"bodies\":[" CUBE ",\"position\":[0,0,0],\"orientation\":[1,0,0,0],"
         "\n\"repeat\":{\"grid\":[1,1,1],\"step\":[1,1,1],"
         "\"orientation\":\"random\",\"center\":[0,0,0]}}]}",
         "s.json:2:55: body 'c': a random orientation and one of its own; it can only have one\n"
         "s.json:2:73: body 'c': a center and a position; the grid can only have one");
    SAYS(GRID("\"grid\":[1,1,1],\"step\":[1,1,1],\"orientation\":\"randm\",\"generator\":"
              "\"mt19937\",\"seed\":-1"),
         "s.json:1:134: body 'c': orientation; got \"randm\"; it must be \"random\"; did you mean "
         "\"random\"?\n"
         "s.json:1:171: body 'c': seed; got -1; it must be a whole number from 0 to "
         "9007199254740991\n"
         "s.json:1:154: body 'c': generator; got \"mt19937\"; it must be \"philox\" or \"lcg64\"");
}

// --- the generators ------------------------------------------------------------------------------
static double lcg(uint64_t *s) {
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return (double)(*s >> 11) / 9007199254740992.0;
}

static double philox(uint64_t seed, uint64_t body, uint64_t which) {
    uint32_t c[4] = { (uint32_t)which, (uint32_t)(which >> 32), (uint32_t)body,
                      (uint32_t)(body >> 32) };
    uint32_t k[2] = { (uint32_t)seed, (uint32_t)(seed >> 32) };
    for (int i = 0; i < 10; i++, k[0] += 0x9E3779B9u, k[1] += 0xBB67AE85u) {
        uint64_t p = 0xD2511F53u * (uint64_t)c[0];
        uint64_t q = 0xCD9E8D57u * (uint64_t)c[2];
        uint32_t n[4] = { (uint32_t)(q >> 32) ^ c[1] ^ k[0], (uint32_t)q,
                          (uint32_t)(p >> 32) ^ c[3] ^ k[1], (uint32_t)p };
        memcpy(c, n, sizeof c);
    }
    return (double)(((uint64_t)c[1] << 32 | c[0]) >> 11) / 9007199254740992.0;
}

static void is_turn(impQuat q, double u1, double u2, double u3) {
    impQuat same = num_random_rotation(u1, u2, u3);
    SAME_BITS(q.w, unit(same).w);
    SAME_BITS(q.z, unit(same).z);
    NEAR(q.w, sqrt(1 - u1) * sin(TAU * u2), 1e-14);
    NEAR(q.x, sqrt(1 - u1) * cos(TAU * u2), 1e-14);
    NEAR(q.y, sqrt(u1) * sin(TAU * u3), 1e-14);
    NEAR(q.z, sqrt(u1) * cos(TAU * u3), 1e-14);
    NEAR(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 1e-15);
}

// A funnel: 1000 cubes, three draws a cube, seed 12345.
static void lcg64_is_the_sequence_of_the_benchmarks(void **state) {
    (void)state;
    impError err;
    uint64_t seed = 12345;
    impScene *scene = impScene_Load(source("scenes/thousand_cubes.json").text, NULL, &err);
    assert_non_null(scene);
    impModel *m = impModel_Build(scene, &err);
    assert_non_null(m);
    impState *s = start(m);
    for (int k = 0, n = 0; k < 10; k++) {
        for (int j = 0; j < 10; j++) {
            for (int i = 0; i < 10; i++, n++) {
                char name[16];
                snprintf(name, sizeof name, "cube.%d", n);
                impPose p = pose_in(m, s, name);
                NEAR(p.at.x, (i - 4.5) * 1.75, 1e-14);
                NEAR(p.at.y, (j - 4.5) * 1.75, 1e-14);
                NEAR(p.at.z, 17.5 + 1.75 * k, 1e-14);
                double u1 = lcg(&seed);
                double u2 = lcg(&seed);
                double u3 = lcg(&seed);
                is_turn(p.rotation, u1, u2, u3);
            }
        }
    }
    impState_Free(s);
    impModel_Free(m);
    impScene_Free(scene);
}

// Orientation first, then x, y, z of the jitter, of those axes that have any.
static void lcg64_draws_in_order(void **state) {
    (void)state;
    uint64_t seed = 777;
    impModel *m = good(GRID("\"grid\":[3,1,1],\"step\":[1,0,0],\"orientation\":\"random\","
                            "\"jitter\":[0.25,0,0.5],\"seed\":777,\"generator\":\"lcg64\""));
    impState *s = start(m);
    for (int i = 0; i < 3; i++) {
        impPose p = impState_Pose(m, s, (impBody){ i + 1 });
        double u1 = lcg(&seed);
        double u2 = lcg(&seed);
        double u3 = lcg(&seed);
        is_turn(p.rotation, u1, u2, u3);
        NEAR(p.at.x, i - 1 + (2 * lcg(&seed) - 1) * 0.25, 1e-15);
        NEAR(p.at.y, 0, 0);
        NEAR(p.at.z, (2 * lcg(&seed) - 1) * 0.5, 1e-15);
    }
    impState_Free(s);
    impModel_Free(m);
}

static void philox_draws_belong_to_the_body(void **state) {
    (void)state;
    impModel *m = good(GRID("\"grid\":[5,4,3],\"step\":[2,2,2],\"orientation\":\"random\","
                            "\"jitter\":[0.1,0.2,0],\"seed\":9007199254740991"));
    impModel *fewer = good(GRID("\"grid\":[5,4,3],\"count\":30,\"step\":[2,2,2],\"jitter\":[0,0.2,"
                                "0],\"seed\":9007199254740991"));
    impState *s = start(m);
    impState *t = start(fewer);
    uint64_t seed = 9007199254740991;
    for (int i = 0; i < 60; i++) {
        impPose p = impState_Pose(m, s, (impBody){ i + 1 });
        uint64_t body = (uint64_t)i;
        is_turn(p.rotation, philox(seed, body, 0), philox(seed, body, 1), philox(seed, body, 2));
        NEAR(p.at.x, (i % 5 - 2) * 2 + (2 * philox(seed, body, 3) - 1) * 0.1, 1e-15);
        NEAR(p.at.y, (i / 5 % 4 - 1.5) * 2 + (2 * philox(seed, body, 4) - 1) * 0.2, 1e-15);
        assert_true(fabs(p.at.x - (i % 5 - 2) * 2) <= 0.1 &&
                    fabs(p.at.y - (i / 5 % 4 - 1.5) * 2) <= 0.2);
        // whatever else is drawn
        if (i < 30) {
            SAME_BITS(impState_Pose(fewer, t, (impBody){ i + 1 }).at.y, p.at.y);
        }
    }
    impState_Free(s);
    impState_Free(t);
    impModel_Free(m);
    impModel_Free(fewer);
}

static void the_seed_is_that_of_the_caller_or_one(void **state) {
    (void)state;
    impError err;
    impLoadDef def = { .seed = 99 };
    impModel *b = build(GRID("\"grid\":[1,1,1],\"step\":[0,0,0],\"orientation\":\"random\""), &def,
                        &err);
    impState *t = start(b);
    is_turn(impState_Pose(b, t, (impBody){ 1 }).rotation, philox(99, 0, 0), philox(99, 0, 1),
            philox(99, 0, 2));
    impState_Free(t);
    impModel_Free(b);
    impModel *a = good(GRID("\"grid\":[1,1,1],\"step\":[0,0,0],\"orientation\":\"random\""));
    impState *s = start(a);
    is_turn(impState_Pose(a, s, (impBody){ 1 }).rotation, philox(1, 0, 0), philox(1, 0, 1),
            philox(1, 0, 2));
    impState_Free(s);
    impModel_Free(a);
}

static void long_names_keep_their_number(void **state) {
    (void)state;
    char name[256], text[600], first[300];
    memset(name, 'n', 255);
    name[255] = 0;
    snprintf(text, sizeof text,
             "{\"impel\":1,\"bodies\":[{\"name\":\"%s\",\"fixed\":true,\"repeat\":{\"grid\":[12,1,"
             "1],\"step\":[1,1,1]}}]}",
             name);
    impModel *m = good(text);
    snprintf(first, sizeof first, "%s.11", name);
    assert_int_equal(impModel_Find(m, first).i, 12);
    impModel_Free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(x_is_fastest_then_y_then_z),
        cmocka_unit_test(count_takes_the_first_ones),
        cmocka_unit_test(the_rest_of_the_body_is_the_same_for_all),
        cmocka_unit_test(keys_that_contradict_are_refused),
        cmocka_unit_test(lcg64_is_the_sequence_of_the_benchmarks),
        cmocka_unit_test(lcg64_draws_in_order),
        cmocka_unit_test(philox_draws_belong_to_the_body),
        cmocka_unit_test(the_seed_is_that_of_the_caller_or_one),
        cmocka_unit_test(long_names_keep_their_number),
    };
    return RUN(tests);
}
