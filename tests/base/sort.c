// sort.c -- tests of base/sort.c against insertion sort, which is stable and too simple to be
// wrong.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "base/base.h"

enum { MOST = 600 };

typedef struct Keys {
    int key[MOST];
    int *comparisons;
} Keys;

static uint32_t next_random(uint32_t *seed) { return *seed = *seed * 1664525u + 1013904223u; }

static bool by_key(const void *context, int32_t i, int32_t j) {
    const Keys *keys = context;
    if (keys->comparisons) {
        ++*keys->comparisons;
    }
    return keys->key[i] < keys->key[j];
}

static void insertion_sort(int32_t *order, int count, const Keys *keys) {
    for (int i = 1; i < count; i++) {
        int32_t item = order[i];
        int k = i;
        for (; k > 0 && keys->key[item] < keys->key[order[k - 1]]; k--) {
            order[k] = order[k - 1];
        }
        order[k] = item;
    }
}

static void shuffle(int32_t *order, int count, uint32_t *seed) {
    for (int i = 0; i < count; i++) {
        order[i] = i;
    }
    for (int i = count - 1; i > 0; i--) {
        int k = (int)((next_random(seed) >> 8) % (uint32_t)(i + 1));
        int32_t swap = order[i];
        order[i] = order[k];
        order[k] = swap;
    }
}

static void as_insertion_sort(void **state) {
    (void)state;
    uint32_t seed = 7;
    for (int count = 0; count <= MOST; count += count < 70 ? 1 : 53) {
        // from all equal to hardly any
        for (uint32_t kinds = 1; kinds <= 4096; kinds *= 8) {
            Keys keys = { 0 };
            int32_t order[MOST + 1], expected[MOST + 1], spare[MOST + 1];
            for (int i = 0; i < count; i++) {
                keys.key[i] = (int)((next_random(&seed) >> 8) % kinds);
            }
            shuffle(order, count, &seed);
            order[count] = spare[count] = -77;
            memcpy(expected, order, sizeof order);
            insertion_sort(expected, count, &keys);
            sort_stable(order, spare, count, by_key, &keys);
            assert_memory_equal(order, expected, (size_t)count * sizeof *order);
            assert_int_equal(order[count], -77);
            assert_int_equal(spare[count], -77);
        }
    }
}

static void equals_keep_their_order(void **state) {
    (void)state;
    const Keys keys = { .key = { 1, 0, 1, 0, 1, 0 } };
    int32_t order[6] = { 5, 4, 3, 2, 1, 0 };
    int32_t spare[6];
    sort_stable(order, spare, 6, by_key, &keys);
    const int32_t expected[6] = { 5, 3, 1, 4, 2, 0 };
    assert_memory_equal(order, expected, sizeof order);
}

static void sorted_input_costs_one_comparison_a_run(void **state) {
    (void)state;
    int comparisons = 0;
    Keys keys = { .comparisons = &comparisons };
    int32_t order[MOST], spare[MOST];
    for (int i = 0; i < MOST; i++) {
        keys.key[i] = order[i] = i;
    }
    sort_stable(order, spare, MOST, by_key, &keys);
    assert_true(comparisons <= MOST);
    for (int i = 0; i < MOST; i++) {
        assert_int_equal(order[i], i);
    }
}

static void nothing_to_sort(void **state) {
    (void)state;
    int32_t one = 3;
    sort_stable(NULL, NULL, 0, by_key, NULL);
    sort_stable(&one, NULL, 1, by_key, NULL);
    assert_int_equal(one, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_insertion_sort),
        cmocka_unit_test(equals_keep_their_order),
        cmocka_unit_test(sorted_input_costs_one_comparison_a_run),
        cmocka_unit_test(nothing_to_sort),
    };
    return RUN(tests);
}
