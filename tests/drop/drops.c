// drops.c -- trials: the same bits however they are done, starts as promised, distributions as an
// independent program has them (docs/reference/drop-tests.md).
//
// SPDX-License-Identifier: MIT
#include "parts_support.h"

static impDrops *drops_of(const Dropped *d) {
    static impError err;
    err.count = 0;
    impDrops *drops = impDrops_New(d->part, &d->def, &err);
    if (!drops) {
        fail_msg("%s", err.message[0].text);
    }
    return drops;
}

static impDropOutcome *run(const Dropped *d, int64_t first, int64_t count, int threads) {
    impDrops *drops = drops_of(d);
    impDropOutcome *out = calloc((size_t)count + 1, sizeof *out);
    assert_non_null(out);
    assert_true(impDrops_Run(drops, first, count, threads, out));
    impDrops_Free(drops);
    return out;
}

static void same_outcomes(const impDropOutcome *a, const impDropOutcome *b, int64_t count,
                          const char *what) {
    for (int64_t i = 0; i < count; i++) {
        if (a[i].family != b[i].family || a[i].rest != b[i].rest || a[i].rolled != b[i].rolled ||
            a[i].hash != b[i].hash || a[i].impacts != b[i].impacts || a[i].time != b[i].time) {
            fail_msg("%s: trial %lld differs: family %d, %d", what, (long long)i, a[i].family,
                     b[i].family);
        }
    }
}

// --- one trial, one result -----------------------------------------------------------------------
static void any_width_threads_and_split(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS_OF_DROPS; kind++) {
        enum { N = 1100 };
        Dropped part = drop_kind(kind);
        part.def.lanes = 1;
        impDropOutcome *one = run(&part, 5000, N, 1);
        const int widths[2] = { 4, 8 };
        // narrower where the machine is
        for (int w = 0; w < 2; w++) {
            part.def.lanes = widths[w];
            impDropOutcome *other = run(&part, 5000, N, 1 + 2 * w);
            same_outcomes(one, other, N, "lanes and threads");
            free(other);
        }
        impDropOutcome *tail = run(&part, 5000 + 777, N - 777, 2);
        same_outcomes(one + 777, tail, N - 777, "begun in the middle");
        free(one);
        free(tail);
        drop_free(&part);
    }
}

static void nothing_and_no_trial(void **state) {
    (void)state;
    Dropped d = drop_brick();
    impDrops *drops = drops_of(&d);
    impDropOutcome out = { .rest = 77 };
    assert_true(impDrops_Run(drops, 0, 0, 1, &out));
    assert_int_equal(out.rest, 77);
    assert_false(impDrops_Run(drops, -1, 1, 1, &out) || impDrops_Run(drops, 0, -1, 1, &out) ||
                 impDrops_Run(drops, 0, 1, 1, NULL));
    impDrops_Free(drops);
    drop_free(&d);
}

// Lengths times a power of two, and heights: the same bits but for the time's unit.
static void scaled_by_two(void **state) {
    (void)state;
    enum { N = 500 };
    Dropped small = drop_brick();
    Dropped large = drop_shape((impShapeDef){ .kind = "box", .size = { 0.64, 1.28, 1.92 } });
    large.def.height = 64 * small.def.height;
    impDropOutcome *a = run(&small, 0, N, 1);
    impDropOutcome *b = run(&large, 0, N, 1);
    for (int i = 0; i < N; i++) {
        assert_int_equal(a[i].rest, b[i].rest);
        assert_true(a[i].hash == b[i].hash);
        NEAR(b[i].time, 8 * a[i].time, 1e-12);
    }
    free(a);
    free(b);
    drop_free(&small);
    drop_free(&large);
}

// --- how a trial begins --------------------------------------------------------------------------
static void starts(void **state) {
    (void)state;
    const impQuat orientations[2] = { { 2, 0, 0, 0 }, { 0, 0, 3, 0 } };
    Dropped d = drop_l();
    d.def.orientations = orientations;
    d.def.orientation_count = 2;
    d.def.velocity = vec(0, 0, -2);
    d.def.spin_random = 5;
    impDrops *drops = drops_of(&d);
    impVec3 mean = vec(0, 0, 0);
    for (int i = 0; i < 4000; i++) {
        impPose at;
        impTwist twist;
        impDrops_Start(drops, i, &at, &twist);
        NEAR(place(at, d.part->report.center).z, 0.3, 1e-15);
        NEAR(qnorm(at.rotation), 1, 1e-15);
        assert_true((i % 2 ? at.rotation.y : at.rotation.w) == 1);
        assert_true(twist.linear.z == -2 && norm(twist.angular) <= 5);
        mean = madd(mean, 1.0 / 4000, twist.angular);
    }
    // a component of a ball of radius 1 has variance 1/5
    assert_true(largest(mean) < 4 * 5 / sqrt(5.0 * 4000));
    impDrops_Free(drops);
    d.def.orientations = NULL;
    drops = drops_of(&d);
    Mat3 second = mat3_diagonal(0, 0, 0);
    for (int i = 0; i < 20000; i++) {
        impPose at;
        impTwist twist;
        impDrops_Start(drops, i, &at, &twist);
        impVec3 up = unrotate(at.rotation, vec(0, 0, 1));
        second = mat3_add(second, mat3_scale(3.0 / 20000, outer(up, up)));
    }
    NEAR(second.x.x, 1, 0.03);
    NEAR(second.y.y, 1, 0.03);
    NEAR(second.z.z, 1, 0.03);
    NEAR(second.x.y, 0, 0.03);
    impDrops_Free(drops);
    drop_free(&d);
}

static void refusals(void **state) {
    (void)state;
    const impQuat nothing = { 0, 0, 0, 0 };
    const struct {
        impDropDef def;
        const char *says;
    } bad[] = {
        { { .height = 0.01 }, "drop height 0.01 m" },
        { { .restitution = 1.5 }, "restitution 1.5" },
        { { .friction_dynamic = -1 }, "friction -1" },
        { { .friction_dynamic = 0.5, .friction_static = 0.3 }, "static friction 0.3" },
        { { .law = IMP_NEWTON }, "Newton's law" },
        { { .gravity = -9.81 }, "gravity -9.81" },
        { { .drag = -1 }, "drag -1" },
        { { .spin = { INFINITY, 0, 0 } }, "spin" },
        { { .orientations = &nothing, .orientation_count = 1 }, "orientation 0" },
        { { .orientations = &nothing }, "no orientation" },
        { { .restitution = NAN }, "restitution nan" },
    };
    Dropped d = drop_brick();
    for (int i = 0; i < COUNT(bad); i++) {
        static impError err;
        err.count = 0;
        assert_null(impDrops_New(d.part, &bad[i].def, &err));
        if (!strstr(err.message[0].text, bad[i].says)) {
            fail_msg("'%s' does not say '%s'", err.message[0].text, bad[i].says);
        }
    }
    drop_free(&d);
}

// --- distributions -------------------------------------------------------------------------------
// Chi-square of counts against probabilities whose own standard deviations are known; cells under
// 20 are pooled.
static double chi_square(const double *expected, const double *sigma, const int64_t *count,
                         int cells, int64_t n, int *freedom) {
    double sum = 0, pool_expected = 0, pool_count = 0;
    *freedom = -1;
    for (int i = 0; i < cells; i++) {
        double e = expected[i] * (double)n;
        double c = (double)count[i];
        if (e < 20) {
            pool_expected += e;
            pool_count += c;
            continue;
        }
        sum += (c - e) * (c - e) / (e + sigma[i] * sigma[i] * (double)n * (double)n);
        (*freedom)++;
    }
    if (pool_expected > 0) {
        sum += (pool_count - pool_expected) * (pool_count - pool_expected) / (pool_expected + 1);
        (*freedom)++;
    }
    return sum;
}
// The value that chi-square exceeds with probability 0.001, by Wilson and Hilferty.
static double critical(int freedom) {
    double v = 2.0 / (9.0 * freedom);
    double x = 1 - v + 3.0902 * sqrt(v);
    return freedom * x * x * x;
}

static void check_distribution(Dropped d, const impVec3 *normal, const double *expected,
                               const double *half_width, int cells, int64_t n) {
    int64_t count[16] = { 0 };
    double sigma[16];
    impDropOutcome *out = run(&d, 0, n, 2);
    for (int k = 0; k < cells; k++) {
        sigma[k] = half_width[k] / 1.96;
    }
    for (int64_t i = 0; i < n; i++) {
        assert_in_range(out[i].rest, 0, d.part->rests - 1);
        int k = 0;
        // the last cell: all others
        while (k < cells - 1 && norm(sub(d.part->rest[out[i].rest].normal, normal[k])) > 1e-3) {
            k++;
        }
        count[k]++;
    }
    int freedom;
    double chi = chi_square(expected, sigma, count, cells, n, &freedom);
    if (!(chi < critical(freedom))) {
        fail_msg("chi-square %g with %d degrees of freedom", chi, freedom);
    }
    free(out);
    drop_free(&d);
}

// docs/validation/cases.md, `poses`: the converged shares
static void brick_distribution(void **state) {
    (void)state;
    const impVec3 normal[] = { { -1, 0, 0 }, { 1, 0, 0 },  { 0, -1, 0 },
                               { 0, 1, 0 },  { 0, 0, -1 }, { 0, 0, 1 } };
    const double expected[] = { .4001, .4001, .0953, .0953, .0047, .0047 };
    const double half_width[] = { .0008, .0008, .0008, .0008, .0002, .0002 };
    check_distribution(drop_brick(), normal, expected, half_width, 6, 20000);
}
static void l_distribution(void **state) {
    (void)state;
    const impVec3 normal[] = {
        { 0, 0, -1 }, { -1, 0, 0 }, { 0, -1, 0 }, { 0, 1, 0 }, { 0.640184, 0, 0.768221 }
    };
    const double expected[] = { .1713, .0932, .3216, .3218, .0922 };
    const double half_width[] = { .001, .001, .001, .001, .001 };
    check_distribution(drop_l(), normal, expected, half_width, 5, 20000);
}
static void hull_distribution(void **state) {
    (void)state;
    const impVec3 normal[] = { { .1175, .0383, .9923 },
                               { .3441, -.0385, -.9382 },
                               { -.1354, .0316, -.9903 },
                               { -.3341, .7280, .5986 },
                               { -.2657, -.8603, -.4351 },
                               { -.1671, -.9857, .0210 },
                               { 0, 0, 0 } };
    const double expected[] = { .4368, .4211, .0548, .0458, .0334, .0076, .0005 };
    const double half_width[] = { .0006, .0008, .0005, .0003, .0004, .0002, .0002 };
    check_distribution(drop_hull(), normal, expected, half_width, 7, 20000);
}

// P10a: so much drag that the part creeps down: the quasi-static shares.
static void overdamped(void **state) {
    (void)state;
    Dropped parts[2] = { drop_brick(), drop_l() };
    for (int p = 0; p < 2; p++) {
        Dropped *d = &parts[p];
        enum { N = 4000 };
        double expected[8];
        double none[8] = { 0 };
        int64_t count[8] = { 0 };
        int freedom;
        d->def.drag = 150;
        impDropOutcome *out = run(d, 0, N, 2);
        for (int i = 0; i < N; i++) {
            assert_true(out[i].rest >= 0);
            count[out[i].rest]++;
        }
        for (int i = 0; i < d->part->rests; i++) {
            expected[i] = d->part->rest[i].quasi_static;
        }
        double chi = chi_square(expected, none, count, d->part->rests, N, &freedom);
        if (!(chi < critical(freedom))) {
            fail_msg("part %d: chi-square %g with %d degrees of freedom", p, chi, freedom);
        }
        free(out);
        drop_free(d);
    }
}

// Next to no drag is none: no formula may cancel.
static void hardly_any_drag(void **state) {
    (void)state;
    Dropped d = drop_brick();
    impDropOutcome *none = run(&d, 0, 300, 1);
    const double drag[3] = { 1e-12, 1e-8, 1e-5 };
    for (int k = 0; k < 3; k++) {
        int same = 0;
        d.def.drag = drag[k];
        impDropOutcome *some_drag = run(&d, 0, 300, 1);
        for (int i = 0; i < 300; i++) {
            same += none[i].rest == some_drag[i].rest;
        }
        if (same < 280) {
            fail_msg("drag %g 1/s: %d of 300 trials end as without", drag[k], same);
        }
        free(some_drag);
    }
    free(none);
    drop_free(&d);
}

// e = 1 without friction keeps its energy: nothing is ever certain, and that is said.
static void never_at_rest(void **state) {
    (void)state;
    Dropped d = drop_brick();
    d.def.restitution = 1;
    d.def.friction_dynamic = 0;
    impDropOutcome *out = run(&d, 0, 8, 1);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(out[i].family, IMP_UNRESOLVED);
    }
    free(out);
    drop_free(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_width_threads_and_split),
        cmocka_unit_test(nothing_and_no_trial),
        cmocka_unit_test(scaled_by_two),
        cmocka_unit_test(starts),
        cmocka_unit_test(refusals),
        cmocka_unit_test(brick_distribution),
        cmocka_unit_test(l_distribution),
        cmocka_unit_test(hull_distribution),
        cmocka_unit_test(overdamped),
        cmocka_unit_test(hardly_any_drag),
        cmocka_unit_test(never_at_rest),
    };
    return RUN(tests);
}
