// iterated_soak.c -- an hour of a resting stack by method `iterated`; in `./dev test` twenty
// seconds.
//
// Five turned cubes on each other. In the first run they fall asleep; in the second a small push at
// one of them after the other, to and fro, keeps all awake, so that each step solves its contact
// problem. What a long run must not do: creep, sink, turn. IMPEL_SOAK_HOURS=H runs H hours of
// simulated time.
//
// SPDX-License-Identifier: MIT
#include "iterated_support.h"

enum { CUBES = 5 };
#define H    0.01
#define SIZE 0.1
#define PUSH 1e-3  // N, a ten-thousandth of a cube's weight

static double seconds(void) {
    const char *text = getenv("IMPEL_SOAK_HOURS");
    return text ? 3600 * atof(text) : 20;
}

static Trial stack(void) {
    impScene *scene = iterated_scene(vec(0, 0, -9.81), 0.5, 0.5, 0);
    iterated_plane(scene);
    for (int i = 0; i < CUBES; i++) {
        impQuat turned = quat_rotation(vec(0, 0, 1), 0.2 * i);
        iterated_box(scene, vec(SIZE, SIZE, SIZE),
                     pose(vec(0.003 * i, 0.002 * (i % 2), (0.5 + i) * SIZE), turned),
                     iterated_moving(0, 0, 0), 1);
    }
    return iterated_trial_of(scene);
}

static void step(Trial *t, int i, bool push) {
    double input[6 * CUBES] = { 0 };
    input[6 * (i % CUBES)] = i / CUBES % 2 ? PUSH : -PUSH;
    iterated_step(t, push ? input : NULL, H);
}

// How far the worst cube has moved or turned since, m.
static double drift(const Trial *t, const impPose *since) {
    double worst = 0;
    for (int i = 0; i < CUBES; i++) {
        impPose now = impState_Pose(t->m, t->s, (impBody){ 2 + i });
        impQuat turn = qmul(now.rotation, conjugate(since[i].rotation));
        double turned = 2 * norm(vec(turn.x, turn.y, turn.z));
        worst = max2(worst, norm(sub(now.at, since[i].at)) + SIZE * turned);
    }
    return worst;
}

static void rests(bool push) {
    Trial t = stack();
    impPose since[CUBES];
    double worst = 0;
    for (int i = 0; i < 200; i++) {
        step(&t, i, push);
    }
    for (int i = 0; i < CUBES; i++) {
        since[i] = impState_Pose(t.m, t.s, (impBody){ 2 + i });
    }
    assert_int_equal(iterated_count_asleep(&t), push ? 0 : CUBES);
    int steps = (int)(seconds() / H);
    for (int i = 200; i < 200 + steps; i++) {
        step(&t, i, push);
        worst = max2(worst, drift(&t, since));
    }
    if (getenv("IMPEL_SOAK_HOURS")) {
        printf("%s: %g s, drift %.3e of the size\n", push ? "awake" : "asleep", seconds(),
               worst / SIZE);
    }
    assert_true(worst < 1e-6 * SIZE);
    trial_free(&t);
}

static void a_stack_stays_asleep(void **state) {
    (void)state;
    rests(false);
}

static void a_stack_stays_awake(void **state) {
    (void)state;
    rests(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_stays_asleep),
        cmocka_unit_test(a_stack_stays_awake),
    };
    return RUN(tests);
}
