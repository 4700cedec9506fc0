// impulse_order.c -- time never goes back: an event that comes before the one before it is
// measured, told, and ends the run.
//
// Nothing in the simulator makes one, so the test does. The linker puts the functions below in
// place of the queue's (cmake/tests.cmake); once, one of them gives a pair a time that is over, or
// begins an interval before the one before it has ended, and finds something to look at there.
//
// SPDX-License-Identifier: MIT
#include "impulse_support.h"

#include "method/impulse.h"

#include <string.h>

static const impVec3 DOWN = { 0, 0, -9.81 };

// which call is the wrong one, and how far it goes back, s
static struct {
    int left;
    double back;
} schedule, interval;
static int intervals;  // that were begun

static bool is_wrong(int *left) { return *left > 0 && --*left == 0; }

void __real_impulse_schedule(PairQueue *queue, const Clock *clock, Pair *pair, double time);
bool __real_impulse_begin_interval(Pairs *pairs, World *world, Journal *journal, double from,
                                   double to);
void __wrap_impulse_schedule(PairQueue *queue, const Clock *clock, Pair *pair, double time);
bool __wrap_impulse_begin_interval(Pairs *pairs, World *world, Journal *journal, double from,
                                   double to);

void __wrap_impulse_schedule(PairQueue *queue, const Clock *clock, Pair *pair, double time) {
    bool wrong = is_wrong(&schedule.left);
    __real_impulse_schedule(queue, clock, pair, wrong ? clock->now - schedule.back : time);
}

bool __wrap_impulse_begin_interval(Pairs *pairs, World *world, Journal *journal, double from,
                                   double to) {
    bool wrong = is_wrong(&interval.left);
    intervals++;
    double begin = wrong ? from - interval.back : from;
    if (!__real_impulse_begin_interval(pairs, world, journal, begin, to)) return false;
    if (wrong) {
        const PairQueue *queue = &pairs->queue;
        Pair *pair = &queue->pair[queue->broad.pair[0].slot];
        __real_impulse_schedule(&pairs->queue, &world->clock, pair, world->clock.now);
    }
    return true;
}

// one that bounces, one that rolls: collisions and micro-steps
static Trial balls(void) {
    const Part parts[2] = {
        { .kind = "sphere", .size = { 0.05 }, .at = { 0, 0, 0.1 } },
        { .kind = "sphere", .size = { 0.05 }, .at = { 1, 0, 0.050005 }, .v = { 0, 0.5, 0 } }
    };
    return trial(&(Setting){ 0.3, 0.5, 1e-5, DOWN, true, 0 }, parts, 2);
}

static impOutcome stopped(Trial *t, double h) {
    uint64_t before = impState_Hash(t->m, t->s);
    impOutcome out = impStep(t->stepper, t->s, NULL, h);
    assert_int_equal(out.verdict, IMP_UNTRUE);
    assert_string_equal(out.failed, "order");
    assert_true(impState_Hash(t->m, t->s) == before);
    assert_non_null(strstr(out.text, " s before the last one (limit 0 s)"));
    return out;
}

static void events_in_order_are_off_by_nothing(void **state) {
    (void)state;
    Trial t = balls();
    intervals = 0;
    for (int i = 0; i < 20; i++) {
        impOutcome out = impStep(t.stepper, t.s, NULL, 0.1);
        assert_int_equal(out.verdict, IMP_SOLVED);
        SAME_BITS(out.certificate.order, 0.0);
        SAME_BITS(out.limit.order, 0.0);
    }
    // so that time went from one to the next, too
    assert_true(intervals > 40);
    trial_free(&t);
}

// Whichever look it is that goes wrong; how far it does is what the certificate says.
static void an_event_before_the_last_one_ends_the_run(void **state) {
    (void)state;
    const double back[] = { 1e-3, 1e-9 };
    for (int k = 1; k <= 12; k++) {
        for (int i = 0; i < COUNT(back); i++) {
            Trial t = balls();
            schedule.left = k;
            schedule.back = back[i];
            impOutcome out = stopped(&t, 0.1);
            assert_int_equal(schedule.left, 0);
            NEAR(out.certificate.order, back[i], 1e-15);
            assert_non_null(strstr(out.text, "bodies "));
            schedule.left = 0;
            // the state before it is as good as ever
            trial_run(&t, 0.1, 0.1);
            trial_free(&t);
        }
    }
}

// The clock of a step is one for all its intervals.
static void an_interval_before_the_last_one_ends_the_run(void **state) {
    (void)state;
    Trial t = balls();
    intervals = 0;
    trial_run(&t, 0.1, 0.1);
    assert_true(intervals >= 3);
    interval.left = 3;
    interval.back = 0.02;
    impOutcome out = stopped(&t, 0.1);
    assert_int_equal(interval.left, 0);
    NEAR(out.certificate.order, 0.02, 1e-15);
    trial_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_in_order_are_off_by_nothing),
        cmocka_unit_test(an_event_before_the_last_one_ends_the_run),
        cmocka_unit_test(an_interval_before_the_last_one_ends_the_run),
    };
    return RUN(tests);
}
