// thread.c -- tests of base/thread.c: every item once, the same cuts for any pool, and nobody's
// signals.
//
// To be run under ThreadSanitizer, too.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "base/base.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1000 };

typedef struct Tally {
    int count, chunk, threads;
    int visits[MOST];  // plain: two workers on one item are a race that a sanitizer sees
    atomic_int chunks, wrong;
} Tally;

static void visit(void *context, int first, int last, int worker) {
    Tally *t = context;
    int chunk = t->chunk > 0 ? t->chunk : 1;
    int end = t->count - first > chunk ? first + chunk : t->count;
    if (first % chunk != 0 || last != end || first >= last) {
        atomic_fetch_add(&t->wrong, 1);
    }
    if (worker < 0 || worker >= t->threads) {
        atomic_fetch_add(&t->wrong, 1);
    }
    for (int i = first; i < last; i++) {
        t->visits[i]++;
    }
    atomic_fetch_add(&t->chunks, 1);
}

static void check_pool(ThreadPool *thread_pool, int count, int chunk) {
    static Tally t;
    t = (Tally){ .count = count, .chunk = chunk, .threads = thread_pool_size(thread_pool) };
    thread_pool_run(thread_pool, count, chunk, visit, &t);
    assert_int_equal(atomic_load(&t.wrong), 0);
    for (int i = 0; i < MOST; i++) {
        assert_int_equal(t.visits[i], i < count);
    }
    int whole = chunk > 0 ? chunk : 1;
    assert_int_equal(atomic_load(&t.chunks), count > 0 ? (count - 1) / whole + 1 : 0);
}

static void every_item_once_in_the_same_cuts(void **state) {
    (void)state;
    const int threads[] = { -5, 0, 1, 2, 3, 7, 16 };
    const int counts[] = { -1, 0, 1, 2, 7, 64, 999, MOST };
    const int chunks[] = { -1, 0, 1, 3, 64, MOST, INT32_MAX };
    for (int i = 0; i < COUNT(threads); i++) {
        ThreadPool *thread_pool = thread_pool_new(threads[i]);
        assert_non_null(thread_pool);
        assert_int_equal(thread_pool_size(thread_pool), threads[i] < 1 ? 1 : threads[i]);
        for (int j = 0; j < COUNT(counts); j++) {
            for (int k = 0; k < COUNT(chunks); k++) {
                check_pool(thread_pool, counts[j], chunks[k]);
            }
        }
        thread_pool_free(thread_pool);
    }
}

static void without_a_pool_the_caller_works_alone(void **state) {
    (void)state;
    assert_int_equal(thread_pool_size(NULL), 1);
    check_pool(NULL, 100, 7);
    thread_pool_free(NULL);
}

// The end of the range of int: no index may overflow.
static void far_end(void *context, int first, int last, int worker) {
    (void)worker;
    // one slot a chunk
    long long *sum = context;
    sum[first / (1 << 30)] = (long long)last - first;
}

static void ranges_up_to_the_largest_int(void **state) {
    (void)state;
    for (int threads = 1; threads <= 4; threads += 3) {
        ThreadPool *thread_pool = thread_pool_new(threads);
        long long sum[2] = { 0 };
        thread_pool_run(thread_pool, INT32_MAX, 1 << 30, far_end, sum);
        assert_int_equal(sum[0] + sum[1], INT32_MAX);
        thread_pool_free(thread_pool);
    }
}

// A sum made per chunk and added in order of chunks has the same bits for any number of hands.
typedef struct Sums {
    double part[MOST];
    int chunk;
} Sums;

static void add_up(void *context, int first, int last, int worker) {
    (void)worker;
    Sums *s = context;
    double sum = 0;
    for (int i = first; i < last; i++) {
        sum += 1.0 / (1 + i * 0.37);
    }
    s->part[first / s->chunk] = sum;
}

static double sum_with(int threads) {
    static Sums s;
    s = (Sums){ .chunk = 13 };
    ThreadPool *thread_pool = thread_pool_new(threads);
    thread_pool_run(thread_pool, MOST, s.chunk, add_up, &s);
    thread_pool_free(thread_pool);
    double sum = 0;
    for (int i = 0; i < MOST; i++) {
        sum += s.part[i];
    }
    return sum;
}

static void sums_have_the_same_bits(void **state) {
    (void)state;
    double alone = sum_with(1);
    for (int threads = 2; threads <= 16; threads += threads < 4 ? 1 : 4) {
        SAME_BITS(sum_with(threads), alone);
    }
}

static void many_jobs_in_a_row(void **state) {
    (void)state;
    ThreadPool *thread_pool = thread_pool_new(4);
    static Tally t;
    t = (Tally){ .count = 64, .chunk = 4, .threads = 4 };
    for (int i = 0; i < 20000; i++) {
        thread_pool_run(thread_pool, 64, 4, visit, &t);
    }
    assert_int_equal(atomic_load(&t.wrong), 0);
    for (int i = 0; i < 64; i++) {
        assert_int_equal(t.visits[i], 20000);
    }
    thread_pool_free(thread_pool);
}

static void pools_that_come_and_go(void **state) {
    (void)state;
    // some quit before they have begun
    for (int i = 0; i < 300; i++) {
        thread_pool_free(thread_pool_new(i % 6));
    }
    for (int i = 0; i < 100; i++) {
        ThreadPool *thread_pool = thread_pool_new(3);
        check_pool(thread_pool, 50, 1);
        thread_pool_free(thread_pool);
    }
}

// All workers meet here, which they can only if each has a thread of its own; the mask of each is
// looked at.
typedef struct Meeting {
    atomic_int present, masks_wrong;
    int expected;
    pthread_t caller;
} Meeting;

static void meet(void *context, int first, int last, int worker) {
    (void)first;
    (void)last;
    (void)worker;
    Meeting *m = context;
    sigset_t now;
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    const int outside[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGALRM, SIGCHLD, SIGPIPE, SIGQUIT };
    bool caller = pthread_equal(pthread_self(), m->caller);
    for (int i = 0; i < COUNT(outside); i++) {
        if (sigismember(&now, outside[i]) != !caller) {
            atomic_fetch_add(&m->masks_wrong, 1);
        }
    }
    if (!caller && sigismember(&now, SIGSEGV)) {
        atomic_fetch_add(&m->masks_wrong, 1);
    }
    atomic_fetch_add(&m->present, 1);
    const struct timespec millisecond = { .tv_nsec = 1000000 };
    for (int i = 0; i < 20000 && atomic_load(&m->present) < m->expected; i++) {
        nanosleep(&millisecond, NULL);
    }
}

static void workers_are_there_and_block_signals(void **state) {
    (void)state;
    sigset_t mine, before, after;
    sigemptyset(&mine);
    sigaddset(&mine, SIGUSR2);
    pthread_sigmask(SIG_SETMASK, &mine, &before);
    ThreadPool *thread_pool = thread_pool_new(5);
    Meeting m = { .expected = 5, .caller = pthread_self() };
    thread_pool_run(thread_pool, 5, 1, meet, &m);
    assert_int_equal(atomic_load(&m.present), 5);
    assert_int_equal(atomic_load(&m.masks_wrong), 0);
    pthread_sigmask(SIG_SETMASK, &before, &after);
    for (int s = 1; s < 32; s++) {
        if (s != SIGKILL && s != SIGSTOP) {
            assert_int_equal(sigismember(&after, s), s == SIGUSR2);
        }
    }
    thread_pool_free(thread_pool);
}

// 400 KiB of a worker's 512 KiB, touched page by page.
static int deep(int level) {
    // small enough for a compiler that unrolls the recursion
    volatile char frame[4 * 1024];
    for (size_t i = 0; i < sizeof frame; i += 512) {
        frame[i] = (char)level;
    }
    return level == 0 ? frame[0] : deep(level - 1) + frame[512];
}

static void go_deep(void *context, int first, int last, int worker) {
    (void)last;
    (void)worker;
    ((int *)context)[first] = deep(99);
}

static void stacks_are_large_enough(void **state) {
    (void)state;
    int sums[8];
    ThreadPool *thread_pool = thread_pool_new(4);
    thread_pool_run(thread_pool, 8, 1, go_deep, sums);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(sums[i], 99 * 100 / 2);
    }
    thread_pool_free(thread_pool);
}

static void as_many_as_asked_up_to_a_limit(void **state) {
    (void)state;
    // fewer if the system says no
    ThreadPool *thread_pool = thread_pool_new(INT32_MAX);
    assert_in_range(thread_pool_size(thread_pool), 1, 1024);
    check_pool(thread_pool, MOST, 1);
    thread_pool_free(thread_pool);
}

// Forks by another thread while the pool is busy: now and then with the pool's lock held by someone
// left behind.
typedef struct Forks {
    ThreadPool *thread_pool;
    atomic_bool over;
    int failures;
} Forks;

static void *fork_often(void *argument) {
    Forks *f = argument;
    static Tally t;
    for (int i = 0; i < 50; i++) {
        pid_t child = fork();
        if (child == 0) {
            t = (Tally){ .count = 100, .chunk = 1, .threads = 4 };
            thread_pool_run(f->thread_pool, 100, 1, visit, &t);
            thread_pool_free(f->thread_pool);
            _exit(atomic_load(&t.chunks) == 100 ? 0 : 1);
        }
        int status = -1;
        if (waitpid(child, &status, 0) != child || status != 0) {
            f->failures++;
        }
    }
    atomic_store(&f->over, true);
    return NULL;
}

static void a_forked_child_works_alone(void **state) {
    (void)state;
    Forks f = { .thread_pool = thread_pool_new(4) };
    pthread_t forker;
    assert_int_equal(pthread_create(&forker, NULL, fork_often, &f), 0);
    while (!atomic_load(&f.over)) {
        check_pool(f.thread_pool, 100, 1);
    }
    pthread_join(forker, NULL);
    assert_int_equal(f.failures, 0);
    thread_pool_free(f.thread_pool);
}

// The caller is done with its chunk long before the worker is with the other: it must wait, beyond
// its short spin.
typedef struct Slow {
    atomic_int present;
    int done[2];
} Slow;

static void be_slow(void *context, int first, int last, int worker) {
    (void)last;
    Slow *s = context;
    const struct timespec millisecond = { .tv_nsec = 1000000 };
    const struct timespec nap = { .tv_nsec = 30000000 };
    atomic_fetch_add(&s->present, 1);
    for (int i = 0; i < 20000 && atomic_load(&s->present) < 2; i++) {
        nanosleep(&millisecond, NULL);
    }
    if (worker != 0) {
        nanosleep(&nap, NULL);
    }
    s->done[first] = 1;
}

static void the_caller_waits_for_the_slow(void **state) {
    (void)state;
    ThreadPool *thread_pool = thread_pool_new(2);
    for (int i = 0; i < 3; i++) {
        Slow s = { 0 };
        thread_pool_run(thread_pool, 2, 1, be_slow, &s);
        assert_int_equal(atomic_load(&s.present), 2);
        assert_true(s.done[0] && s.done[1]);
    }
    thread_pool_free(thread_pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_once_in_the_same_cuts),
        cmocka_unit_test(without_a_pool_the_caller_works_alone),
        cmocka_unit_test(ranges_up_to_the_largest_int),
        cmocka_unit_test(sums_have_the_same_bits),
        cmocka_unit_test(many_jobs_in_a_row),
        cmocka_unit_test(pools_that_come_and_go),
        cmocka_unit_test(workers_are_there_and_block_signals),
        cmocka_unit_test(stacks_are_large_enough),
        cmocka_unit_test(as_many_as_asked_up_to_a_limit),
        cmocka_unit_test(the_caller_waits_for_the_slow),
        cmocka_unit_test(a_forked_child_works_alone),
    };
    return RUN(tests);
}
