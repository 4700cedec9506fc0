// pool.c -- tests of base/pool.c: zeroed, aligned, apart from each other, and standing still.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "base/base.h"

#include <limits.h>
#include <stdalign.h>

static uint32_t next_random(uint32_t *seed) { return *seed = *seed * 1664525u + 1013904223u; }

// Each piece is filled with its own number; a piece that overlapped another or moved would lose it.
static void pieces_are_zero_aligned_and_apart(void **state) {
    (void)state;
    enum { PIECES = 3000 };
    static unsigned char *piece[PIECES];
    static size_t size[PIECES];
    uint32_t seed = 1;
    Pool pool = { 0 };
    for (int i = 0; i < PIECES; i++) {
        // now and then up to 256 KiB
        size[i] = next_random(&seed) >> (i % 50 == 0 ? 14 : 24);
        piece[i] = pool_take(&pool, size[i], 1);
        assert_non_null(piece[i]);
        assert_int_equal((uintptr_t)piece[i] % alignof(max_align_t), 0);
        for (size_t k = 0; k < size[i]; k++) {
            if (piece[i][k] != 0) {
                fail_msg("piece %d is not zero at %zu", i, k);
            }
        }
        memset(piece[i], i % 251 + 1, size[i]);
    }
    for (int i = 0; i < PIECES; i++) {
        for (size_t k = 0; k < size[i]; k++) {
            if (piece[i][k] != i % 251 + 1) {
                fail_msg("piece %d was overwritten at %zu", i, k);
            }
        }
    }
    pool_free(&pool);
    assert_null(pool.newest);
    assert_int_equal(pool.total, 0);
}

static void lines_start_where_a_cache_line_does(void **state) {
    (void)state;
    Pool pool = { 0 };
    for (size_t i = 0; i < 200; i++) {
        // whatever lies before
        char *piece = pool_take_lines(&pool, i, 40);
        char *other = pool_take(&pool, 24, 1);
        assert_true(piece && other);
        assert_int_equal((uintptr_t)piece % CACHE_LINE, 0);
        for (size_t k = 0; k < 40 * i; k++) {
            assert_int_equal(piece[k], 0);
        }
        memset(piece, 1, 40 * i);
        for (size_t k = 0; k < 24; k++) {
            assert_int_equal(other[k], 0);
        }
    }
    pool_free(&pool);
}

static void nothing_is_not_a_failure(void **state) {
    (void)state;
    Pool pool = { 0 };
    char *a = pool_take(&pool, 0, 8);
    char *b = pool_take(&pool, 8, 0);
    assert_true(a && b && a != b);
    pool_free(&pool);
    // an empty one may be freed again
    pool_free(&pool);
}

static void sizes_that_overflow_are_refused(void **state) {
    (void)state;
    Pool pool = { 0 };
    assert_null(pool_take(&pool, SIZE_MAX, 2));
    assert_null(pool_take(&pool, SIZE_MAX / 8 + 1, 8));
    assert_null(pool_take(&pool, SIZE_MAX, 1));
    assert_null(pool_take(&pool, 1, SIZE_MAX - 40));
    assert_null(POOL_TAKE(&pool, double, -1));
    assert_null(pool_take_lines(&pool, SIZE_MAX / 8, 8));
    assert_null(pool_take_lines(&pool, SIZE_MAX - 50, 1));
    assert_null(pool.newest);
    pool_free(&pool);
}

static void total_is_what_the_system_gave(void **state) {
    (void)state;
    Pool pool = { 0 };
    for (int i = 0; i < 1000; i++) {
        pool_take(&pool, 100, 1);
    }
    assert_in_range(pool.total, 100 * 1000, 4 * 100 * 1000);
    size_t before = pool.total;
    pool_take(&pool, 1 << 20, 1);
    // large pieces waste nothing
    assert_in_range(pool.total - before, 1 << 20, (1 << 20) + 100);
    pool_free(&pool);
}

static void texts(void **state) {
    (void)state;
    Pool pool = { 0 };
    char name[] = "plank";
    char *copy = pool_text(&pool, name);
    char *empty = pool_text(&pool, "");
    name[0] = 'b';
    SAME_TEXT(copy, "plank");
    SAME_TEXT(empty, "");
    SAME_TEXT(pool_print(&pool, "body.%d of %s", 7, copy), "body.7 of plank");
    SAME_TEXT(pool_print(&pool, "%s", ""), "");
    char *wide = pool_print(&pool, "%9000d", 1);
    assert_int_equal(strlen(wide), 9000);
    pool_free(&pool);
}

typedef struct Item {
    double x;
    int number;
} Item;

static void a_list_grows_and_keeps_its_items(void **state) {
    (void)state;
    Pool pool = { 0 };
    Item *items = NULL;
    int capacity = 0;
    for (int count = 0; count < 10000; count++) {
        Item *old = items;
        int old_capacity = capacity;
        assert_true(POOL_GROW(&pool, items, capacity, count));
        assert_true(capacity > count);
        assert_true(count < old_capacity ? items == old : items != old);
        assert_int_equal(items[count].number, 0);
        items[count] = (Item){ count / 2.0, count + 1 };
    }
    for (int i = 0; i < 10000; i++) {
        assert_int_equal(items[i].number, i + 1);
    }
    // doubling, not squaring
    assert_true(pool.total < 4 * 10000 * sizeof(Item) + (1 << 16));
    pool_free(&pool);
}

static void a_list_that_cannot_grow_stays(void **state) {
    (void)state;
    Pool pool = { 0 };
    char one = 7;
    char *list = &one;
    int capacity = INT_MAX;
    assert_false(pool_grow(&pool, &list, &capacity, INT_MAX, 1));
    capacity = 1;
    assert_false(pool_grow(&pool, &list, &capacity, 1, SIZE_MAX / 2));
    assert_ptr_equal(list, &one);
    assert_int_equal(capacity, 1);
    pool_free(&pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_zero_aligned_and_apart),
        cmocka_unit_test(lines_start_where_a_cache_line_does),
        cmocka_unit_test(nothing_is_not_a_failure),
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(total_is_what_the_system_gave),
        cmocka_unit_test(texts),
        cmocka_unit_test(a_list_grows_and_keeps_its_items),
        cmocka_unit_test(a_list_that_cannot_grow_stays),
    };
    return RUN(tests);
}
