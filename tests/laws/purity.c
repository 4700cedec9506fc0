// purity.c -- the law: next state = step(model, state, input, h), and nothing else has a say.
//
// For every scene and every method that accepts it: the scratch may hold any garbage, the number of
// threads and of steppers does not matter, a copied state has the same future, no time changes
// nothing.
//
// SPDX-License-Identifier: MIT
#include "worlds_support.h"

static const double h = 0.0137;

static impState *copy_of(const World *w, const impState *state) {
    impState *copy = impState_New(w->model);
    assert_true(impState_Copy(w->model, copy, state));
    return copy;
}

static void same(const World *w, const impState *a, const impState *b) {
    char text[400];
    if (impState_Difference(w->model, a, b, text, sizeof text)) {
        fail_msg("%s, %s: %s", w->scene, w->method, text);
    }
}

static void step(impStepper *stepper, impState *state, double dt) {
    impOutcome out = impStep(stepper, state, NULL, dt);
    if (out.verdict != IMP_SOLVED) {
        fail_msg("%s", out.text);
    }
}

static void poison(World *w) {
    impState *a = copy_of(w, w->state);
    impState *b = copy_of(w, w->state);
    for (int i = 0; i < 5; i++) {
        // two copies of one state,
        impStepper_Poison(w->stepper, 0xFF);
        step(w->stepper, a, h);
        // two kinds of garbage,
        impStepper_Poison(w->stepper, 0x5A);
        step(w->stepper, b, h);
        // one future
        same(w, a, b);
    }
    impState_Free(a);
    impState_Free(b);
}

static void threads(World *w) {
    impState *alone = copy_of(w, w->state);
    for (int i = 0; i < 5; i++) {
        step(w->stepper, alone, h);
    }
    for (int n = 2; n <= 8; n *= 2) {
        World many;
        assert_true(open_world(&many, w->scene, w->method, n));
        for (int i = 0; i < 5; i++) {
            step(many.stepper, many.state, h);
        }
        same(w, alone, many.state);
        close_world(&many);
    }
    impState_Free(alone);
}

static void rewind_and_replay(World *w) {
    for (int i = 0; i < 3; i++) {
        step(w->stepper, w->state, h);
    }
    impState *kept = copy_of(w, w->state);
    impState *first = NULL;
    for (int i = 0; i < 4; i++) {
        step(w->stepper, w->state, h);
    }
    first = copy_of(w, w->state);
    assert_true(impState_Copy(w->model, w->state, kept));
    for (int i = 0; i < 4; i++) {
        step(w->stepper, w->state, h);
    }
    same(w, first, w->state);
    impState_Free(kept);
    impState_Free(first);
}

static void no_time(World *w) {
    impState *before = copy_of(w, w->state);
    step(w->stepper, w->state, 0);
    same(w, before, w->state);
    impState_Free(before);
}

static void many_at_once(World *w) {
    enum { N = 3 };
    impState *states[N];
    impState *single = copy_of(w, w->state);
    impOutcome outcomes[N];
    step(w->stepper, single, h);
    for (int i = 0; i < N; i++) {
        states[i] = copy_of(w, w->state);
    }
    impStepMany(w->stepper, states, NULL, N, h, outcomes);
    for (int i = 0; i < N; i++) {
        assert_int_equal(outcomes[i].verdict, IMP_SOLVED);
        same(w, single, states[i]);
        impState_Free(states[i]);
    }
    impState_Free(single);
}

static void scratch_has_no_memory(void **state) {
    (void)state;
    assert_true(every_world(poison) >= 6);
}
static void threads_do_not_matter(void **state) {
    (void)state;
    assert_true(every_world(threads) >= 6);
}
static void a_rewound_state_has_the_same_future(void **state) {
    (void)state;
    assert_true(every_world(rewind_and_replay) >= 6);
}
static void no_time_changes_nothing(void **state) {
    (void)state;
    assert_true(every_world(no_time) >= 6);
}
static void a_batch_is_its_members(void **state) {
    (void)state;
    assert_true(every_world(many_at_once) >= 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scratch_has_no_memory),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(a_rewound_state_has_the_same_future),
        cmocka_unit_test(no_time_changes_nothing),
        cmocka_unit_test(a_batch_is_its_members),
    };
    return RUN(tests);
}
