// thread.c -- many hands, one result.
//
// A thread pool for loops whose items do not depend on each other. Work is cut into chunks of a
// given size and handed out by a counter. The thread that takes a chunk is chance, the chunk is
// not: the cuts do not depend on the number of hands, so a sum made per chunk and added in order
// has the same bits for any.
//
//     caller   open job ---- chunks ---------- close job, wait for those who joined ---- return
//     worker       wake, join ---- chunks -- leave                        (too late: sleeps on)
//
// The caller waits only for workers that joined, so a starved one delays no other. In a child of
// fork() the workers do not exist, and one may have held the lock for ever: there the caller works
// alone and touches nothing of the pool.
//
// Assumed: one thread_pool_run at a time on a pool, none inside work. Work needs less than 512 KiB
// of stack. Workers block the signals that come from outside, which are the host's business; those
// a fault raises in its own thread stay.
//
// SPDX-License-Identifier: MIT
#include "base/base.h"

#include <stdlib.h>

static void run_alone(int count, int chunk, Work work, void *context) {
    for (int first = 0; first < count;) {
        int last = count - first > chunk ? first + chunk : count;
        work(context, first, last, 0);
        first = last;
    }
}

#if defined(__wasi__)

struct ThreadPool {
    int size;
};

ThreadPool *thread_pool_new(int threads) {
    (void)threads;
    ThreadPool *thread_pool = malloc(sizeof *thread_pool);
    if (thread_pool) {
        thread_pool->size = 1;
    }
    return thread_pool;
}

int thread_pool_size(const ThreadPool *thread_pool) { return thread_pool ? thread_pool->size : 1; }

void thread_pool_run(ThreadPool *thread_pool, int count, int chunk, Work work, void *context) {
    (void)thread_pool;
    run_alone(count, chunk > 0 ? chunk : 1, work, context);
}

void thread_pool_free(ThreadPool *thread_pool) { free(thread_pool); }

#else

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

// Sanitizers keep data of their own on the stack: they get more, so that 512 KiB stays a promise
// about our frames.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(SANITIZED)
enum { STACK = 4096 * 1024 };
#else
enum { STACK = 512 * 1024 };
#endif

// spins: some 10 us, the cost of a wake-up
enum { MOST_THREADS = 1024, SPINS = 10000 };

typedef struct Hand {
    ThreadPool *thread_pool;
    pthread_t thread;
    int worker;
} Hand;

struct ThreadPool {
    pthread_mutex_t lock;  // of all that is not atomic
    pthread_cond_t opened, left;
    Work work;
    void *context;
    int count, chunk;
    atomic_llong next;  // chunk to be taken; runs past the end by one a worker
    atomic_uint job;    // number of the latest; atomic to be read without the lock
    atomic_int joined;  // workers in the open job
    bool open, quit;
    pid_t process;  // workers do not follow into a fork
    int hands;      // workers that exist, apart from the caller
    Hand hand[];
};

static void take_chunks(ThreadPool *thread_pool, int worker) {
    for (;;) {
        long long first = atomic_fetch_add_explicit(&thread_pool->next, 1, memory_order_relaxed) *
                          thread_pool->chunk;
        if (first >= thread_pool->count) return;
        long long last = first + thread_pool->chunk < thread_pool->count
                             ? first + thread_pool->chunk
                             : thread_pool->count;
        thread_pool->work(thread_pool->context, (int)first, (int)last, worker);
    }
}

// Steps come in quick succession: the next job is often there before sleeping would have been worth
// it.
static void linger(ThreadPool *thread_pool, unsigned seen) {
    for (int i = 0;
         i < SPINS && atomic_load_explicit(&thread_pool->job, memory_order_relaxed) == seen; i++) {}
}

// Called and returns with the lock held. False: the worker ends.
static bool wait_for_job(ThreadPool *thread_pool, unsigned *seen) {
    while (!thread_pool->quit && (!thread_pool->open || atomic_load(&thread_pool->job) == *seen)) {
        pthread_cond_wait(&thread_pool->opened, &thread_pool->lock);
    }
    *seen = atomic_load(&thread_pool->job);
    return !thread_pool->quit;
}

static void *work_along(void *argument) {
    Hand *hand = argument;
    ThreadPool *thread_pool = hand->thread_pool;
    unsigned seen = 0;
    pthread_mutex_lock(&thread_pool->lock);
    while (wait_for_job(thread_pool, &seen)) {
        atomic_fetch_add(&thread_pool->joined, 1);
        pthread_mutex_unlock(&thread_pool->lock);
        take_chunks(thread_pool, hand->worker);
        pthread_mutex_lock(&thread_pool->lock);
        if (atomic_fetch_sub(&thread_pool->joined, 1) == 1) {
            pthread_cond_signal(&thread_pool->left);
        }
        pthread_mutex_unlock(&thread_pool->lock);
        linger(thread_pool, seen);
        pthread_mutex_lock(&thread_pool->lock);
    }
    pthread_mutex_unlock(&thread_pool->lock);
    return NULL;
}

static void open_job(ThreadPool *thread_pool, int count, int chunk, Work work, void *context) {
    pthread_mutex_lock(&thread_pool->lock);
    assert(!thread_pool->open && atomic_load(&thread_pool->joined) == 0);
    thread_pool->work = work;
    thread_pool->context = context;
    thread_pool->count = count;
    thread_pool->chunk = chunk;
    atomic_store(&thread_pool->next, 0);
    thread_pool->open = true;
    atomic_fetch_add(&thread_pool->job, 1);
    pthread_cond_broadcast(&thread_pool->opened);
    pthread_mutex_unlock(&thread_pool->lock);
}

static void close_job(ThreadPool *thread_pool) {
    // all chunks are taken; the last ones are about to be done
    for (int i = 0;
         i < SPINS && atomic_load_explicit(&thread_pool->joined, memory_order_relaxed) > 0; i++) {}
    pthread_mutex_lock(&thread_pool->lock);
    thread_pool->open = false;
    while (atomic_load(&thread_pool->joined) > 0) {
        pthread_cond_wait(&thread_pool->left, &thread_pool->lock);
    }
    pthread_mutex_unlock(&thread_pool->lock);
}

void thread_pool_run(ThreadPool *thread_pool, int count, int chunk, Work work, void *context) {
    if (chunk < 1) {
        chunk = 1;
    }
    if (thread_pool == NULL || thread_pool->hands == 0 || count <= chunk ||
        thread_pool->process != getpid()) {
        run_alone(count, chunk, work, context);
        return;
    }
    open_job(thread_pool, count, chunk, work, context);
    take_chunks(thread_pool, 0);
    close_job(thread_pool);
}

static void block_outside_signals(sigset_t *before) {
    sigset_t all;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

// A thread is born with the mask of its parent: ours is lent for the births and put back.
static void hire(ThreadPool *thread_pool, int wanted) {
    pthread_attr_t attributes;
    sigset_t before;
    if (pthread_attr_init(&attributes) != 0) return;
    // refused: the default will do
    pthread_attr_setstacksize(&attributes, STACK);
    block_outside_signals(&before);
    while (thread_pool->hands < wanted) {
        Hand *hand = &thread_pool->hand[thread_pool->hands];
        *hand = (Hand){ .thread_pool = thread_pool, .worker = thread_pool->hands + 1 };
        if (pthread_create(&hand->thread, &attributes, work_along, hand) != 0) break;
        thread_pool->hands++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

static bool furnish(ThreadPool *thread_pool) {
    if (pthread_mutex_init(&thread_pool->lock, NULL) != 0) return false;
    if (pthread_cond_init(&thread_pool->opened, NULL) == 0) {
        if (pthread_cond_init(&thread_pool->left, NULL) == 0) return true;
        pthread_cond_destroy(&thread_pool->opened);
    }
    pthread_mutex_destroy(&thread_pool->lock);
    return false;
}

ThreadPool *thread_pool_new(int threads) {
    int wanted = threads < 1 ? 0 : threads > MOST_THREADS ? MOST_THREADS - 1 : threads - 1;
    ThreadPool *thread_pool = calloc(1, sizeof(ThreadPool) + (size_t)wanted * sizeof(Hand));
    if (thread_pool == NULL) return NULL;
    if (!furnish(thread_pool)) {
        free(thread_pool);
        return NULL;
    }
    thread_pool->process = getpid();
    hire(thread_pool, wanted);
    return thread_pool;
}

int thread_pool_size(const ThreadPool *thread_pool) {
    return thread_pool ? thread_pool->hands + 1 : 1;
}

static void dismiss(ThreadPool *thread_pool) {
    pthread_mutex_lock(&thread_pool->lock);
    thread_pool->quit = true;
    // ends the lingering
    atomic_fetch_add(&thread_pool->job, 1);
    pthread_cond_broadcast(&thread_pool->opened);
    pthread_mutex_unlock(&thread_pool->lock);
    for (int i = 0; i < thread_pool->hands; i++) {
        pthread_join(thread_pool->hand[i].thread, NULL);
    }
    pthread_cond_destroy(&thread_pool->left);
    pthread_cond_destroy(&thread_pool->opened);
    pthread_mutex_destroy(&thread_pool->lock);
}

void thread_pool_free(ThreadPool *thread_pool) {
    if (thread_pool == NULL) return;
    // a child of fork() has no workers to wait for
    if (thread_pool->process == getpid()) {
        dismiss(thread_pool);
    }
    free(thread_pool);
}

#endif
