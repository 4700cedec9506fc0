// impulse_symmetry.c -- a mirrored scene stays mirrored, until chaos; the order of the bodies does
// not change statistics.
//
// Mirrored in the plane of x and z: places and velocities
// change the sign of y, angular velocities those of x and z, quaternions those of x and z; every
// shape here is its own mirror image. Frames of contacts are not mirrored, so that the two differ
// by rounding, which collisions of bodies multiply. Bodies in another order: a pair then has its
// first and second body exchanged, its normal turned round and another place in every sum.
//
// SPDX-License-Identifier: MIT
#include "impulse_support.h"

static const impVec3 DOWN = { 0, 0, -9.81 };

static impVec3 mirror(impVec3 a) { return vec(a.x, -a.y, a.z); }
static impVec3 mirror_spin(impVec3 w) { return vec(-w.x, w.y, -w.z); }
static impQuat mirror_turn(impQuat q) { return quat(q.w, -q.x, q.y, -q.z); }

static Part mirrored(const Part *p) {
    Part m = *p;
    m.at = mirror(p->at);
    m.v = mirror(p->v);
    m.w = mirror_spin(p->w);
    m.rotation = mirror_turn(p->rotation);
    return m;
}

// How far two worlds are from being mirror images, in sizes: places by length, velocities by what a
// length takes to fall.
static double off_mirror(const Trial *t, const Trial *u, int first, int count, double length) {
    double most = 0;
    double speed = sqrt(9.81 * length);
    for (int i = first; i < first + count; i++) {
        impTwist a = trial_twist(t, i);
        impTwist b = trial_twist(u, i);
        most = fmax(most, norm(sub(mirror(trial_at(t, i)), trial_at(u, i))) / length);
        most = fmax(most, norm(sub(mirror(a.linear), b.linear)) / speed);
        most = fmax(most, norm(sub(mirror_spin(a.angular), b.angular)) * length / speed);
    }
    return most;
}

// thrown, until both lie still: 26 to 35 collisions, 27 to 92 micro-steps
static void a_brick_and_its_mirror_image(void **state) {
    (void)state;
    for (int k = 0; k < 8; k++) {
        Part a = { .kind = "box",
                   .size = { 0.03, 0.02, 0.01 },
                   .at = { 0.01, 0.02, 0.3 },
                   .rotation = { 0.8, 0.3 + 0.05 * k, 0.4, -0.33 },
                   .v = { 0.1, 0.3, 0 },
                   .w = { 1, 2, 3 } };
        Part b = mirrored(&a);
        Setting s = { 0.3, 0.5, 1e-5, DOWN, true, 0 };
        Trial t = trial(&s, &a, 1);
        Trial u = trial(&s, &b, 1);
        for (int i = 0; i < 20; i++) {
            trial_run(&t, 0.05, 0.05);
            trial_run(&u, 0.05, 0.05);
            assert_int_equal(t.collisions, u.collisions);
            assert_int_equal(t.micro_steps, u.micro_steps);
            NEAR(off_mirror(&t, &u, 2, 1, 0.02), 0,
                 t.collisions == 0   ? 1e-15
                 : t.collisions == 1 ? 1e-13
                                     : 1e-6);
        }
        assert_true(t.collisions >= 20 && trial_asleep(&t, 2) && trial_asleep(&u, 2));
        trial_free(&t);
        trial_free(&u);
    }
}

// six bodies on each other; islands, ties, one after the other
static void a_heap_and_its_mirror_image(void **state) {
    (void)state;
    enum { N = 6 };
    static const char *const kinds[] = { "sphere", "box", "cylinder" };
    Part a[N], b[N];
    for (int i = 0; i < N; i++) {
        a[i] = (Part){ .kind = kinds[i % 3],
                       .size = { 0.05, 0.07, 0.09 },
                       .at = { 0.03 * i, 0.02 * (i % 2), 0.2 + 0.15 * i },
                       .rotation = { 1, 0.1 * i, 0.2, 0.3 },
                       .w = { 3, 1, i } };
        b[i] = mirrored(&a[i]);
    }
    Setting s = { 0.4, 0.4, 1e-4, DOWN, true, 0 };
    Trial t = trial(&s, a, N);
    Trial u = trial(&s, b, N);
    // 51 collisions and 39 micro-steps
    for (int i = 0; i < 9; i++) {
        trial_run(&t, 0.05, 0.05);
        trial_run(&u, 0.05, 0.05);
        assert_int_equal(t.collisions, u.collisions);
        assert_int_equal(t.micro_steps, u.micro_steps);
        NEAR(off_mirror(&t, &u, 2, N, 0.05), 0, 1e-8);
    }
    assert_true(t.collisions >= 50 && t.micro_steps >= 35);
    trial_free(&t);
    trial_free(&u);
}

// --- another order -------------------------------------------------------------------------------
// 50 balls and cubes in a box without gravity, rough, losing a little: a gas that cools. They start
// alike in all runs; an ensemble of the first order, each place off by less than 1e-9 m, says how
// much chance has in its numbers.
enum { GAS = 50, RUNS = 16, SAMPLES = 40 };

static uint64_t dice;
// Knuth's generator of 64 bits
static double roll(void) {
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (double)(dice >> 11) / 9007199254740992.0;
}

static Part molecule(int i) {
    double x = -0.6 + 0.4 * (i % 4);
    double y = -0.6 + 0.4 * (i / 4 % 4);
    double z = -0.6 + 0.4 * (i / 16);
    return (Part){ .kind = i % 2 ? "box" : "sphere",
                   .size = { i % 2 ? 0.16 : 0.1, 0.16, 0.16 },
                   .at = { x, y, z },
                   .mass = 1,
                   .v = { 4 * roll() - 2, 4 * roll() - 2, 4 * roll() - 2 },
                   .w = { 4 * roll() - 2, 4 * roll() - 2, 4 * roll() - 2 } };
}

// body 1 + k is molecule order[k]
static Trial gas_of(const int *order, double jitter, uint64_t seed) {
    static impError err;
    Part all[GAS], parts[GAS];
    dice = 1;
    for (int i = 0; i < GAS; i++) {
        all[i] = molecule(i);
    }
    dice = seed;
    for (int i = 0; i < GAS; i++) {
        all[i].at = add(all[i].at,
                        scale(jitter, vec(2 * roll() - 1, 2 * roll() - 1, 2 * roll() - 1)));
    }
    for (int i = 0; i < GAS; i++) {
        parts[i] = all[order[i]];
    }
    impScene *scene = trial_scene(&(Setting){ 0.1, 0.95, 1e-5, { 0, 0, 0 }, false, 0 }, parts, GAS);
    for (int k = 0; k < 6; k++) {
        impShapeDef wall = { .kind = "plane", .size = { 0, 0, 0, -0.85 } };
        wall.size[k / 2] = k % 2 ? 1 : -1;
        impScene_Body(
            scene,
            &(impBodyDef){ .fixed = true, .material = "m", .shapes = &wall, .shape_count = 1 },
            &err);
    }
    impScene_Run(scene, &(impRunDef){ .contact_band = 1e-5 }, &err);
    return trial_of(scene);
}

// seed 0: as they are
static void shuffle(int *order, int count, uint64_t seed) {
    dice = seed;
    for (int i = 0; i < count; i++) {
        order[i] = i;
    }
    for (int i = count - 1; i > 0 && seed; i--) {
        int k = (int)(roll() * (i + 1));
        int was = order[i];
        order[i] = order[k];
        order[k] = was;
    }
}

// mean over time; at the end; in all
typedef struct Gas {
    double energy, late, collisions;
} Gas;

static Gas run_gas(Trial *t) {
    Gas g = { 0 };
    double first = trial_energy(t);
    for (int i = 0; i < SAMPLES; i++) {
        trial_run(t, 0.1, 0.1);
        g.energy += trial_energy(t) / first / SAMPLES;
    }
    g.late = trial_energy(t) / first;
    g.collisions = t->collisions;
    return g;
}

typedef struct Sum {
    double n, mean, square;
} Sum;
// Welford 1962
static void count(Sum *s, double x) {
    double d = x - s->mean;
    s->n++;
    s->mean += d / s->n;
    s->square += d * (x - s->mean);
}

// to 3.5 sigma
static void same(const Sum *a, const Sum *b, const char *what) {
    double sigma = sqrt(a->square / (a->n - 1) / a->n + b->square / (b->n - 1) / b->n);
    if (!(sigma > 0) || fabs(a->mean - b->mean) > 3.5 * sigma) {
        fail_msg("%s: %.6g and %.6g, sigma of the difference %.2g", what, a->mean, b->mean, sigma);
    }
}

// 124 collisions; their number beyond that
static void in_another_order_it_is_the_same_until_chaos(void **state) {
    (void)state;
    int plain[GAS], order[GAS];
    shuffle(plain, GAS, 0);
    for (int k = 0; k < 4; k++) {
        shuffle(order, GAS, 100 + (uint64_t)k);
        Trial t = gas_of(plain, 0, 1);
        Trial u = gas_of(order, 0, 1);
        trial_run(&t, 0.5, 0.1);
        trial_run(&u, 0.5, 0.1);
        assert_true(t.collisions >= 100);
        for (int i = 0; i < GAS; i++) {
            NEAR(norm(sub(trial_at(&u, 1 + i), trial_at(&t, 1 + order[i]))), 0, 1e-9);
        }
        trial_run(&t, 0.5, 0.1);
        trial_run(&u, 0.5, 0.1);
        assert_true(t.collisions >= 200);
        assert_int_equal(t.collisions, u.collisions);
        trial_free(&t);
        trial_free(&u);
    }
}

static void in_another_order_the_statistics_are_the_same(void **state) {
    (void)state;
    Sum energy[2] = { 0 };
    Sum late[2] = { 0 };
    Sum collisions[2] = { 0 };
    int order[GAS];
    for (int k = 0; k < 2 * RUNS; k++) {
        // 1: another order each time
        int which = k % 2;
        shuffle(order, GAS, which ? 100 + (uint64_t)k : 0);
        Trial t = gas_of(order, 1e-9, (uint64_t)k + 1);
        Gas g = run_gas(&t);
        count(&energy[which], g.energy);
        count(&late[which], g.late);
        count(&collisions[which], g.collisions);
        trial_free(&t);
    }
    same(&energy[0], &energy[1], "mean energy");
    same(&late[0], &late[1], "energy at the end");
    same(&collisions[0], &collisions[1], "collisions");
}

// --- a heap in another order ---------------------------------------------------------------------
// Twelve blocks fall into a bin and come to rest on each other. The bodies of the bin are the last,
// or stand among the blocks. Many points are solved to 1e-4 only, by which another order is another
// heap at last; how much heaps differ is said by those whose blocks start up to 2 mm aside. (With
// 1e-9 m they differ less than those of another order: chance must have more to say than the solver
// has.)
enum { HEAP = 12, BIN = 5, HEAPS = 12 };

static Part block(int i) {
    return (Part){ .kind = "box",
                   .size = { 0.06, 0.05, 0.04 },
                   .at = { 0.03 * (i % 3 - 1), 0.03 * (i % 2) - 0.015, 0.06 + 0.08 * i },
                   .rotation = unit(quat(1, 0.2 * (i % 4), 0.1 * i, 0.3)),
                   .mass = 0.1 };
}

// of the bin: its floor, and walls 0.1 m from its middle
static void add_side(impScene *scene, int k) {
    static impError err;
    impShapeDef side = { .kind = "plane", .size = { 0, 0, k == 4, k == 4 ? 0 : -0.1 } };
    if (k < 4) {
        side.size[k / 2] = k % 2 ? 1 : -1;
    }
    impScene_Body(
        scene, &(impBodyDef){ .fixed = true, .material = "m", .shapes = &side, .shape_count = 1 },
        &err);
}

// Of all HEAP + BIN bodies number k is order[k]; where the blocks are is told in place.
static Trial heap_of(const int *order, double jitter, uint64_t seed, int *place) {
    static impError err;
    Part all[HEAP];
    dice = seed;
    for (int i = 0; i < HEAP; i++) {
        all[i] = block(i);
        all[i].at = add(all[i].at,
                        scale(jitter, vec(2 * roll() - 1, 2 * roll() - 1, 2 * roll() - 1)));
    }
    impScene *scene = trial_scene(&(Setting){ 0.4, 0.3, 2e-5, DOWN, false, 0 }, NULL, 0);
    for (int k = 0; k < HEAP + BIN; k++) {
        int i = order[k];
        impShapeDef box = { .kind = "box", .size = { 0.06, 0.05, 0.04 } };
        if (i >= HEAP) {
            add_side(scene, i - HEAP);
        } else {
            impScene_Body(scene,
                          &(impBodyDef){ .pose = { all[i].at, all[i].rotation },
                                         .mass = all[i].mass,
                                         .material = "m",
                                         .shapes = &box,
                                         .shape_count = 1 },
                          &err);
        }
        if (i < HEAP) {
            place[i] = 1 + k;
        }
    }
    return trial_of(scene);
}

static void a_heap_in_another_order_is_the_same_until_chaos(void **state) {
    (void)state;
    int plain[HEAP + BIN], order[HEAP + BIN], at[HEAP], there[HEAP];
    shuffle(plain, HEAP + BIN, 0);
    for (int k = 0; k < 4; k++) {
        shuffle(order, HEAP + BIN, 200 + (uint64_t)k);
        Trial t = heap_of(plain, 0, 1, at);
        Trial u = heap_of(order, 0, 1, there);
        trial_run(&t, 0.2, 0.05);
        trial_run(&u, 0.2, 0.05);
        double most = 0;
        for (int i = 0; i < HEAP; i++) {
            most = fmax(most, norm(sub(trial_at(&t, at[i]), trial_at(&u, there[i]))));
        }
        print_message("    %d collisions, %d micro-steps: %.1e m apart\n", t.collisions,
                      t.micro_steps, most);
        assert_int_equal(t.collisions, u.collisions);
        assert_true(t.collisions >= 20);
        NEAR(most, 0, 1e-9);
        trial_free(&t);
        trial_free(&u);
    }
}

static void in_another_order_a_heap_comes_to_rest_as_well(void **state) {
    (void)state;
    Sum potential[2] = { 0 };
    Sum collisions[2] = { 0 };
    int order[HEAP + BIN];
    int place[HEAP];
    int awake[2] = { 0 };
    for (int k = 0; k < 2 * HEAPS; k++) {
        // 1: another order each time
        int which = k % 2;
        shuffle(order, HEAP + BIN, which ? 300 + (uint64_t)k : 0);
        Trial t = heap_of(order, 2e-3, (uint64_t)(k / 2) + 1, place);
        trial_run(&t, 3, 0.05);
        for (int i = 0; i < HEAP; i++) {
            awake[which] += !trial_asleep(&t, place[i]);
        }
        count(&potential[which], impState_Energy(t.m, t.s).potential);
        count(&collisions[which], t.collisions);
        trial_free(&t);
    }
    for (int i = 0; i < 2; i++) {
        print_message(
            "    %s: potential energy %.4f +- %.4f J, %.0f +- %.0f collisions, %d of %d awake\n",
            i ? "any order" : "one order", potential[i].mean,
            sqrt(potential[i].square / (HEAPS - 1)), collisions[i].mean,
            sqrt(collisions[i].square / (HEAPS - 1)), awake[i], HEAPS * HEAP);
    }
    same(&potential[0], &potential[1], "potential energy");
    same(&collisions[0], &collisions[1], "collisions");
    // few are left, by chance
    assert_true(awake[0] + awake[1] <= HEAPS * HEAP / 10 &&
                abs(awake[0] - awake[1]) <= 3.5 * sqrt(awake[0] + awake[1]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_brick_and_its_mirror_image),
        cmocka_unit_test(a_heap_and_its_mirror_image),
        cmocka_unit_test(in_another_order_it_is_the_same_until_chaos),
        cmocka_unit_test(in_another_order_the_statistics_are_the_same),
        cmocka_unit_test(a_heap_in_another_order_is_the_same_until_chaos),
        cmocka_unit_test(in_another_order_a_heap_comes_to_rest_as_well),
    };
    return RUN(tests);
}
