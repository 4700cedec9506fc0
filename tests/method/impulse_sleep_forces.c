// impulse_sleep_forces.c -- the forces of sleepers: they balance the weights, lie in the cones and
// count as time goes by.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "method/iterated_support.h"

#define G   9.81
#define EPS 1e-5

static impContact point[64];

// sum of the forces
static impVec3 on(int count, int body) {
    impVec3 f = vec(0, 0, 0);
    for (int i = 0; i < count; i++) {
        if (point[i].a.i == body) {
            f = add(f, point[i].impulse);
        }
        if (point[i].b.i == body) {
            f = sub(f, point[i].impulse);
        }
    }
    return f;
}

static impVec3 torque_on(int count, int body, impVec3 about) {
    impVec3 f = vec(0, 0, 0);
    for (int i = 0; i < count; i++) {
        impVec3 rotation = cross(sub(point[i].point, about), point[i].impulse);
        if (point[i].a.i == body) {
            f = add(f, rotation);
        }
        if (point[i].b.i == body) {
            f = sub(f, rotation);
        }
    }
    return f;
}

static void inside_cones(int count, double mu) {
    for (int i = 0; i < count; i++) {
        double n = dot(point[i].impulse, point[i].normal);
        assert_true(n > 0 &&
                    norm(madd(point[i].impulse, -n, point[i].normal)) <= mu * n * (1 + 1e-9));
        assert_int_equal(point[i].mode, IMP_RESTS);
    }
}

// Four corners bear a quarter each, and no friction, for nothing asks for it.
static void a_block_on_its_four_corners(void **state) {
    (void)state;
    Part part = { .kind = "box",
                  .size = { 0.008, 0.024, 0.048 },
                  .at = { 0.5, 0, 0.024 + 0.5 * EPS },
                  .rotation = { 1, 0, 0, 0 },
                  .mass = 0.01 };
    Trial t = trial(&(Setting){ 1, 0, EPS, vec(0, 0, -G), true, 0 }, &part, 1);
    trial_run(&t, 1, 0.05);
    assert_int_equal(impSleepingContacts(t.m, t.s, point, COUNT(point)), 4);
    for (int i = 0; i < 4; i++) {
        NEAR(point[i].impulse.z, 0.01 * G / 4, 1e-6 * 0.01 * G);
        NEAR(point[i].impulse.x, 0, 1e-6 * 0.01 * G);
        NEAR(point[i].impulse.y, 0, 1e-6 * 0.01 * G);
    }
    trial_free(&t);
}

static void a_tower_carries_its_weight(void **state) {
    (void)state;
    enum { HIGH = 5 };
    Part part[HIGH];
    for (int i = 0; i < HIGH; i++) {
        part[i] = (Part){ .kind = "box",
                          .size = { 0.2, 0.2, 0.1 },
                          .at = { 0.02 * (i % 2), 0.01 * i, 0.05 + 0.1 * i + EPS * (i + 1) },
                          .rotation = { 1, 0, 0, 0 },
                          .mass = 1 + i };
    }
    Trial t = trial(&(Setting){ 0.4, 0.1, EPS, vec(0, 0, -G), true, 0 }, part, HIGH);
    // nobody sleeps yet
    assert_int_equal(impSleepingContacts(t.m, t.s, point, COUNT(point)), 0);
    trial_run(&t, 2, 0.05);
    int count = impSleepingContacts(t.m, t.s, point, COUNT(point));
    assert_true(count >= 3 * HIGH && count <= COUNT(point));
    inside_cones(count, 0.4);
    for (int i = 0; i < HIGH; i++) {
        double since = -1;
        impBody body = { 2 + i };
        assert_true(impAsleep(t.m, t.s, body, &since) && since > 0 && since < 2);
        impVec3 f = on(count, body.i);
        impVec3 rotation = torque_on(count, body.i, trial_at(&t, body.i));
        NEAR(f.x, 0, 1e-6 * G * (1 + i));
        NEAR(f.y, 0, 1e-6 * G * (1 + i));
        NEAR(f.z, G * (1 + i), 1e-6 * G * (1 + i));
        NEAR(norm(rotation), 0, 1e-4 * G * (1 + i) * 0.1);
    }
    // fewer are written than there are
    assert_int_equal(impSleepingContacts(t.m, t.s, point, 2), count);
    assert_false(impAsleep(t.m, t.s, (impBody){ 1 }, NULL) ||
                 impAsleep(t.m, t.s, (impBody){ 99 }, NULL));
    trial_free(&t);
}

static void on_a_slope_friction_carries_too(void **state) {
    (void)state;
    double a = 20 * PI / 180;
    Part part = { .kind = "box",
                  .size = { 0.3, 0.2, 0.1 },
                  .at = { 0, 0, 0.05 + EPS },
                  .rotation = { 1, 0, 0, 0 },
                  .mass = 2 };
    Trial t = trial(&(Setting){ 0.5, 0.1, EPS, vec(G * sin(a), 0, -G * cos(a)), true, 0 }, &part,
                    1);
    trial_run(&t, 1, 0.05);
    int count = impSleepingContacts(t.m, t.s, point, COUNT(point));
    assert_int_equal(count, 4);
    inside_cones(count, 0.5);
    NEAR(on(count, 2).x, -2 * G * sin(a), 1e-6);
    NEAR(on(count, 2).z, 2 * G * cos(a), 1e-6);
    // the lower edge carries more
    double low = 0, high = 0;
    for (int i = 0; i < count; i++) {
        *(point[i].point.x > 0 ? &low : &high) += point[i].impulse.z;
    }
    NEAR((low - high) * 0.15, 2 * G * sin(a) * 0.05, 1e-4);
    trial_free(&t);
}

// Into the statistics: means over the whole of a run are the weight, whenever it fell asleep.
static void means_are_weights(void **state) {
    (void)state;
    Part part = { .kind = "box",
                  .size = { 0.3, 0.2, 0.1 },
                  .at = { 0, 0, 0.05 + EPS },
                  .rotation = { 1, 0, 0, 0 },
                  .mass = 2 };
    Trial t = trial(&(Setting){ 0.5, 0.1, EPS, vec(0, 0, -G), true, 0 }, &part, 1);
    impStats *stats = impStats_New(t.m, 0, 0);
    double h = 0.01;
    double T = 1;
    for (int i = 0; i < 100; i++) {
        impOutcome out = impStep(t.stepper, t.s, NULL, h);
        double since = 0;
        double now = impState_Time(t.s);
        assert_int_equal(out.verdict, IMP_SOLVED);
        assert_true(impStats_Add(stats, &out));
        int count = impSleepingContacts(t.m, t.s, point, COUNT(point));
        if (!impAsleep(t.m, t.s, (impBody){ 2 }, &since)) continue;
        for (int k = 0; k < count; k++) {
            point[k].impulse = scale(fmin(h, now - since), point[k].impulse);
        }
        assert_true(impStats_Add(
            stats,
            &(impOutcome){ .verdict = IMP_SOLVED, .contact_count = count, .contacts = point }));
    }
    impPairStats p = impStats_Pair(stats, 0);
    NEAR(p.impulse.z / T, 2 * G, 1e-6 * 2 * G);
    // resting is no event
    assert_true(p.micro > 0 && p.micro < 400);
    // and no impact
    assert_true(p.peak < 0.5 * 2 * G * h);
    impStats_Free(stats);
    trial_free(&t);
}

// --- by method iterated --------------------------------------------------------------------------

// A tower of turned blocks, asleep by the other method: each body is balanced.
static void a_tower_of_the_other_method_is_balanced(void **state) {
    (void)state;
    enum { HIGH = 7 };
    impScene *scene = iterated_scene(vec(0, 0, -G), 0.5, 0.5, 0);
    iterated_plane(scene);
    for (int i = 0; i < HIGH; i++) {
        impQuat turned = quat_rotation(vec(0, 0, 1), 0.4 * i);
        iterated_box(scene, vec(0.12, 0.1, 0.08),
                     pose(vec(0.008 * (i % 3), 0.006 * (i % 2), 0.041 + 0.0801 * i), turned),
                     iterated_moving(0, 0, 0), 1 + i % 3);
    }
    Trial t = iterated_trial_of(scene);
    iterated_run(&t, 200, 1. / 120);
    assert_int_equal(iterated_count_asleep(&t), HIGH);
    int count = impSleepingContacts(t.m, t.s, point, COUNT(point));
    assert_in_range(count, 3 * HIGH, COUNT(point));
    inside_cones(count, 0.5);
    for (int i = 0; i < HIGH; i++) {
        double weight = G * (1 + i % 3);
        NEAR(norm(sub(on(count, 2 + i), vec(0, 0, weight))), 0, 1e-6 * weight);
        NEAR(norm(torque_on(count, 2 + i, trial_at(&t, 2 + i))), 0, 1e-6 * weight);
    }
    trial_free(&t);
}

// A light block that is pushed all the time stays awake on a sleeper, which bears it besides its
// own weight, and where it stands.
static void an_awake_body_bears_on_a_sleeper(void **state) {
    (void)state;
    impScene *scene = iterated_scene(vec(0, 0, -G), 0.5, 0.5, 0);
    iterated_plane(scene);
    iterated_box(scene, vec(0.4, 0.2, 0.1), iterated_at(0, 0, 0.05), iterated_moving(0, 0, 0), 2);
    iterated_box(scene, vec(0.1, 0.1, 0.1), iterated_at(0.12, 0, 0.15), iterated_moving(0, 0, 0),
                 0.2);
    Trial t = iterated_trial_of(scene);
    double input[12] = { 0 };
    input[6 + 2] = -0.1;
    for (int i = 0; i < 100; i++) {
        iterated_step(&t, input, 1. / 120);
    }
    assert_true(iterated_asleep(&t, 2) && !iterated_asleep(&t, 3));
    int count = impSleepingContacts(t.m, t.s, point, COUNT(point));
    assert_int_equal(count, 4);
    inside_cones(count, 0.5);
    double above = 0.2 * G + 0.1;
    NEAR(on(count, 2).z, 2 * G + above, 1e-3);
    NEAR(torque_on(count, 2, trial_at(&t, 2)).y, -0.12 * above, 1e-3);
    trial_free(&t);
}

// Four hundred blocks side by side, which touch: more than an island of micro-steps may have.
static void a_field_of_blocks_is_balanced(void **state) {
    (void)state;
    enum { SIDE = 20, ROOM = 8000 };
    static impContact field[ROOM];
    impScene *scene = iterated_scene(vec(0, 0, -G), 0.5, 0.5, 0);
    iterated_plane(scene);
    for (int i = 0; i < SIDE * SIDE; i++) {
        double apart = 0.1 + 0.5 * EPS;
        iterated_box(scene, vec(0.1, 0.1, 0.1),
                     iterated_at(apart * (i % SIDE), apart * (i / SIDE), 0.05 + 0.5 * EPS),
                     iterated_moving(0, 0, 0), 1);
    }
    Trial t = iterated_trial_of(scene);
    iterated_run(&t, 30, 0.01);
    assert_int_equal(iterated_count_asleep(&t), SIDE * SIDE);
    int count = impSleepingContacts(t.m, t.s, field, ROOM);
    assert_in_range(count, 4 * SIDE * SIDE, ROOM);
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += field[i].b.i == 1 ? field[i].impulse.z : 0;
    }
    NEAR(sum / (SIDE * SIDE * G), 1, 1e-6);
    trial_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_on_its_four_corners),
        cmocka_unit_test(a_tower_carries_its_weight),
        cmocka_unit_test(on_a_slope_friction_carries_too),
        cmocka_unit_test(means_are_weights),
        cmocka_unit_test(a_tower_of_the_other_method_is_balanced),
        cmocka_unit_test(an_awake_body_bears_on_a_sleeper),
        cmocka_unit_test(a_field_of_blocks_is_balanced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
