// impulse_scratch.c -- memory that is touched follows the scene: a step writes to what it needs,
// and nobody to the rest.
//
// The room for impulses, points and pairs is that of the largest step of a scene. It is taken at
// once, when a stepper is made, and the machine gives a page of it when it is first written to.
// Counted are those pages.
//
// SPDX-License-Identifier: MIT
#include "impulse_support.h"

#include <sys/resource.h>
#include <unistd.h>

#define G        9.81
#define MEGABYTE 1048576.0

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS_PAGES false  // a sanitizer has pages of its own for each of ours
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define COUNTS_PAGES false
#endif
#endif
#ifndef COUNTS_PAGES
#define COUNTS_PAGES true
#endif

// bytes of pages that were given to us so far
static double touched(void) {
    struct rusage now;
    assert_int_equal(getrusage(RUSAGE_SELF, &now), 0);
    return (double)now.ru_minflt * (double)sysconf(_SC_PAGESIZE);
}

// A cube that falls on a floor, tumbles and comes to rest.
static Trial cube(void) {
    const Part part = { .kind = "box",
                        .size = { 0.1, 0.1, 0.1 },
                        .at = { 0, 0, 0.3 },
                        .rotation = { 0.8, 0.5, 0.2, 0.3 },
                        .mass = 1 };
    return trial(&(Setting){ 0.5, 0.3, 0, vec(0, 0, -G), true, 0 }, &part, 1);
}

static void one_body_touches_less_than_a_megabyte(void **state) {
    (void)state;
    if (!COUNTS_PAGES) {
        skip();
    }
    // the program's own pages
    Trial warm = cube();
    trial_run(&warm, 0.7, 0.005);
    double before = touched();
    Trial t = cube();
    trial_run(&t, 0.7, 0.005);
    double bytes = touched() - before;
    assert_true(t.collisions + t.micro_steps > 10);
    if (!(bytes <= MEGABYTE)) {
        fail_msg("a cube touches %.0f bytes", bytes);
    }
    trial_free(&warm);
    trial_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_body_touches_less_than_a_megabyte) };
    return RUN(tests);
}
