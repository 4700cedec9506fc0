// arena.c -- tests of base/arena.c: cache lines, giving back by value, and the flag.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "base/base.h"

#include <stdalign.h>

static alignas(64) char block[1024];

static Arena fresh(size_t size, bool *full) {
    *full = false;
    return (Arena){ block, 0, size, full };
}

static void pieces_start_on_cache_lines(void **state) {
    (void)state;
    bool full;
    Arena arena = fresh(sizeof block, &full);
    char *a = TAKE(&arena, char, 1);
    double *b = TAKE(&arena, double, 8);
    char *c = TAKE(&arena, char, 65);
    char *d = TAKE(&arena, char, 1);
    assert_ptr_equal(a, block);
    assert_ptr_equal(b, block + 64);
    assert_ptr_equal(c, block + 128);
    assert_ptr_equal(d, block + 256);
    assert_int_equal(arena.used, 257);
    assert_false(full);
}

static void memory_is_left_as_it_was(void **state) {
    (void)state;
    bool full;
    Arena arena = fresh(sizeof block, &full);
    memset(block, 0x5A, sizeof block);
    char *a = TAKE(&arena, char, 1024);
    for (int i = 0; i < 1024; i++) {
        assert_int_equal(a[i], 0x5A);
    }
}

static char *take_in_a_call(Arena scratch) { return TAKE(&scratch, char, 100); }

static void what_a_call_took_is_given_back(void **state) {
    (void)state;
    bool full;
    Arena arena = fresh(sizeof block, &full);
    char *a = take_in_a_call(arena);
    char *b = take_in_a_call(arena);
    assert_ptr_equal(a, b);
    assert_int_equal(arena.used, 0);
}

static void the_last_byte_fits_and_one_more_does_not(void **state) {
    (void)state;
    bool full;
    Arena arena = fresh(200, &full);
    assert_non_null(TAKE(&arena, char, 200));
    assert_false(full);
    arena = fresh(200, &full);
    assert_null(TAKE(&arena, char, 201));
    assert_true(full);
    // a refusal takes nothing
    assert_int_equal(arena.used, 0);
    arena = fresh(200, &full);
    assert_non_null(TAKE(&arena, char, 129));
    // 192..200
    assert_non_null(TAKE(&arena, char, 8));
    // the next line is beyond the end
    assert_null(TAKE(&arena, char, 1));
    assert_true(full);
}

static void the_flag_survives_the_return(void **state) {
    (void)state;
    bool full;
    Arena arena = fresh(64, &full);
    assert_null(take_in_a_call(arena));
    assert_true(full);
}

static void nothing_and_far_too_much(void **state) {
    (void)state;
    bool full;
    Arena arena = fresh(64, &full);
    assert_non_null(TAKE(&arena, double, 0));
    assert_non_null(arena_take(&arena, 5, 0));
    assert_false(full);
    // the product overflows
    assert_null(arena_take(&arena, SIZE_MAX / 2, 4));
    assert_true(full);
    full = false;
    assert_null(TAKE(&arena, double, -1));
    assert_true(full);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_start_on_cache_lines),
        cmocka_unit_test(memory_is_left_as_it_was),
        cmocka_unit_test(what_a_call_took_is_given_back),
        cmocka_unit_test(the_last_byte_fits_and_one_more_does_not),
        cmocka_unit_test(the_flag_survives_the_return),
        cmocka_unit_test(nothing_and_far_too_much),
    };
    return RUN(tests);
}
