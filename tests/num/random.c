// random.c -- the published answers of Philox, the spread of draws, rotations without a favourite
// direction.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "base/base.h"
#include "num/num.h"

// From the known-answer file of Random123 (kat_vectors, philox4x32 with 10 rounds): the first two
// words of the block, of which num_uniform keeps the leading 53 bits.
static void philox_gives_the_published_answers(void **state) {
    (void)state;
    const struct {
        uint64_t seed, draw, stream;
        uint32_t first, second;
    } rows[] = {
        { 0, 0, 0, 0x6627e8d5u, 0xe169c58du },
        { UINT64_MAX, UINT64_MAX, UINT64_MAX, 0x408f276du, 0x41c83b0eu },
        { 0x299f31d0a4093822u, 0x85a308d3243f6a88u, 0x0370734413198a2eu, 0xd16cfe09u, 0x94fdccebu },
    };
    for (int i = 0; i < COUNT(rows); i++) {
        uint64_t word = (uint64_t)rows[i].second << 32 | rows[i].first;
        SAME_BITS(num_uniform(rows[i].seed, rows[i].stream, rows[i].draw),
                  (double)(word >> 11) / 0x1p53);
    }
}

static void draws_are_functions_of_their_names(void **state) {
    (void)state;
    double a = num_uniform(1, 2, 3);
    SAME_BITS(num_uniform(1, 2, 3), a);
    const double others[] = { num_uniform(1, 3, 2),
                              num_uniform(2, 1, 3),
                              num_uniform(1, 2, 4),
                              num_uniform(0, 2, 3),
                              num_uniform(1, 2 + ((uint64_t)1 << 32), 3),
                              num_uniform(1, 2, 3 + ((uint64_t)1 << 32)),
                              num_uniform(1 + ((uint64_t)1 << 32), 2, 3) };
    for (int i = 0; i < COUNT(others); i++) {
        assert_true(others[i] != a);
    }
}

// Mean 1/2, variance 1/12, neighbours unrelated; allowed: five standard deviations of 100,000
// draws.
static void draws_are_uniform(void **state) {
    (void)state;
    enum { N = 100000 };
    double sum = 0;
    double squares = 0;
    double pairs = 0;
    double last = 0.5;
    int tenth[10] = { 0 };
    for (int i = 0; i < N; i++) {
        double u = num_uniform(42, 7, (uint64_t)i);
        double off = u - 0.5;
        assert_true(u >= 0 && u < 1);
        sum += off;
        squares += off * off;
        pairs += off * (last - 0.5);
        last = u;
        tenth[(int)(10 * u)]++;
    }
    NEAR(sum / N, 0, 5 * sqrt(1.0 / 12 / N));
    NEAR(squares / N, 1.0 / 12, 5 * sqrt(1.0 / 180 / N));
    NEAR(pairs / N, 0, 5.0 / 12 / sqrt(N));
    for (int i = 0; i < 10; i++) {
        NEAR(tenth[i], N / 10.0, 5 * sqrt(N * 0.09));
    }
}

static void random_turns_have_length_one_and_no_favourite(void **state) {
    (void)state;
    enum { N = 20000 };
    impVec3 mean = { 0, 0, 0 };
    double squares = 0;
    for (int i = 0; i < N; i++) {
        uint64_t k = 3 * (uint64_t)i;
        impQuat q = num_random_rotation(num_uniform(1, 0, k), num_uniform(1, 0, k + 1),
                                        num_uniform(1, 0, k + 2));
        NEAR(qnorm(q), 1, 4e-16);
        mean = add(mean, rotate(q, vec(0, 0, 1)));
        squares += q.w * q.w;
    }
    NEAR(norm(mean) / N, 0, 5 / sqrt(N));
    NEAR(squares / N, 0.25, 5 * sqrt(0.0625 / N));
}

// In the order of the scenes' description: w and x on the first circle, y and z on the second.
static void random_turn_keeps_shoemakes_order(void **state) {
    (void)state;
    impQuat q = num_random_rotation(0.36, 0.25, 0.5);
    NEAR(q.w, 0.8, 1e-16);
    NEAR(q.x, 0, 0);
    NEAR(q.y, 0, 0);
    NEAR(q.z, -0.6, 1e-16);
    q = num_random_rotation(0, 0, 0.3);
    NEAR(q.x, 1, 0);
    NEAR(q.w, 0, 0);
    NEAR(q.y, 0, 0);
    NEAR(q.z, 0, 0);
}

// First draws from seed 12345, worked out with whole numbers elsewhere.
static void lcg_is_the_one_of_the_benchmarks(void **state) {
    (void)state;
    Lcg lcg = { 12345 };
    const uint64_t after[] = { 0x1c0d57f10c894254u, 0x43f04a6ece53d613u, 0xe2b8410510668fa6u };
    for (int i = 0; i < COUNT(after); i++) {
        double u = num_lcg(&lcg);
        assert_true(lcg.s == after[i]);
        SAME_BITS(u, (double)(after[i] >> 11) / 0x1p53);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_published_answers),
        cmocka_unit_test(draws_are_functions_of_their_names),
        cmocka_unit_test(draws_are_uniform),
        cmocka_unit_test(random_turns_have_length_one_and_no_favourite),
        cmocka_unit_test(random_turn_keeps_shoemakes_order),
        cmocka_unit_test(lcg_is_the_one_of_the_benchmarks),
    };
    return RUN(tests);
}
