// test.h -- what every test program begins with.
//
// cmocka with the comparisons that physics needs: a failure says which number, what it is, what it
// should be and how far off it is allowed to be. Include this first: cmocka wants its headers in
// this order. cmocka's own fail() is taken away, as the library has one; use fail_msg().
//
//     static void puck_keeps_sliding(void **state) { (void)state; ... NEAR(p.y, -0.3, 1e-9); }
//     int main(void) {
//         const struct CMUnitTest tests[] = { cmocka_unit_test(puck_keeps_sliding) };
//         return RUN(tests);
//     }
//
// SPDX-License-Identifier: MIT
#pragma once
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <math.h>
#include <cmocka.h>
#undef fail
#undef fail_msg
#define fail_msg(...)                                                                              \
    (print_error("%s:%d: ", test_file(__FILE__), __LINE__), print_error(__VA_ARGS__),              \
     print_error("\n"), _fail(__FILE__, __LINE__))

#define NEAR(actual, expected, tolerance)                                                          \
    test_near((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)
#define SAME_BITS(actual, expected)                                                                \
    test_same_bits((actual), (expected), #actual, __FILE__, __LINE__)
#define SAME_TEXT(actual, expected)                                                                \
    test_same_text((actual), (expected), #actual, __FILE__, __LINE__)
#define RUN(tests) cmocka_run_group_tests((tests), NULL, NULL)

static inline const char *test_file(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static inline void test_near(double actual, double expected, double tolerance, const char *what,
                             const char *file, int line) {
    double off = fabs(actual - expected);
    // NaN is neither
    if (actual == expected || off <= tolerance) return;
    print_error("%s:%d: %s is %.12g, not %.12g (off by %.1e, allowed %.1e)\n", test_file(file),
                line, what, actual, expected, off, tolerance);
    _fail(file, line);
}

static inline void test_same_bits(double actual, double expected, const char *what,
                                  const char *file, int line) {
    uint64_t a, b;
    memcpy(&a, &actual, sizeof a);
    memcpy(&b, &expected, sizeof b);
    if (a == b) return;
    print_error("%s:%d: %s is %.17g (%016llx), not %.17g (%016llx)\n", test_file(file), line, what,
                actual, (unsigned long long)a, expected, (unsigned long long)b);
    _fail(file, line);
}

static inline void test_same_text(const char *actual, const char *expected, const char *what,
                                  const char *file, int line) {
    if (actual == expected || (actual && expected && strcmp(actual, expected) == 0)) return;
    print_error("%s:%d: %s is\n    \"%s\", not\n    \"%s\"\n", test_file(file), line, what,
                actual ? actual : "(NULL)", expected ? expected : "(NULL)");
    _fail(file, line);
}
