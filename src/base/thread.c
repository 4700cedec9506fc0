// thread.c -- many hands, one result.
//
// A crew of sleeping threads, as every engine has one, for loops whose items do not depend on each
// other. Work is cut into chunks of a given size and handed out by a counter. Who does a chunk is
// chance; what a chunk is, is not: the cuts do not depend on the number of hands, so a sum made per
// chunk and added in order has the same bits for any.
//
//     caller   open job ---- chunks ---------- close job, wait for those who joined ---- return
//     worker       wake, join ---- chunks -- leave                        (too late: sleeps on)
//
// The caller waits only for workers that joined, so a starved one delays nobody. In a child of
// fork() the workers do not exist, and one may have held the lock for ever: there the caller works
// alone and touches nothing of the crew.
//
// Assumed: one crew_run at a time on a crew, none inside work. Work needs less than 512 KiB of
// stack. Workers block the signals that come from outside, which are the host's business; those a
// fault raises in its own thread stay.
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

struct Crew {
    int size;
};

Crew *crew_new(int threads) {
    (void)threads;
    Crew *crew = malloc(sizeof *crew);
    if (crew) {
        crew->size = 1;
    }
    return crew;
}

int crew_size(const Crew *crew) { return crew ? crew->size : 1; }

void crew_run(Crew *crew, int count, int chunk, Work work, void *context) {
    (void)crew;
    run_alone(count, chunk > 0 ? chunk : 1, work, context);
}

void crew_free(Crew *crew) { free(crew); }

#else

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

// Sanitizers keep their own books on the stack: they get more, so that 512 KiB stays a promise
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
    Crew *crew;
    pthread_t thread;
    int worker;
} Hand;

struct Crew {
    pthread_mutex_t lock;  // of all that is not atomic
    pthread_cond_t opened, left;
    Work work;
    void *context;
    int count, chunk;
    atomic_llong next;  // chunk to be taken; runs past the end by one a worker
    atomic_uint job;    // number of the latest; atomic for a glance without the lock
    atomic_int joined;  // workers in the open job
    bool open, quit;
    pid_t process;  // workers do not follow into a fork
    int hands;      // workers that exist, apart from the caller
    Hand hand[];
};

static void take_chunks(Crew *crew, int worker) {
    for (;;) {
        long long first = atomic_fetch_add_explicit(&crew->next, 1, memory_order_relaxed) *
                          crew->chunk;
        if (first >= crew->count) return;
        long long last = first + crew->chunk < crew->count ? first + crew->chunk : crew->count;
        crew->work(crew->context, (int)first, (int)last, worker);
    }
}

// Steps come in quick succession: the next job is often there before sleeping would have been worth
// it.
static void linger(Crew *crew, unsigned seen) {
    for (int i = 0; i < SPINS && atomic_load_explicit(&crew->job, memory_order_relaxed) == seen;
         i++) {}
}

// Called and returns with the lock held. False: the crew goes home.
static bool wait_for_job(Crew *crew, unsigned *seen) {
    while (!crew->quit && (!crew->open || atomic_load(&crew->job) == *seen)) {
        pthread_cond_wait(&crew->opened, &crew->lock);
    }
    *seen = atomic_load(&crew->job);
    return !crew->quit;
}

static void *work_along(void *argument) {
    Hand *hand = argument;
    Crew *crew = hand->crew;
    unsigned seen = 0;
    pthread_mutex_lock(&crew->lock);
    while (wait_for_job(crew, &seen)) {
        atomic_fetch_add(&crew->joined, 1);
        pthread_mutex_unlock(&crew->lock);
        take_chunks(crew, hand->worker);
        pthread_mutex_lock(&crew->lock);
        if (atomic_fetch_sub(&crew->joined, 1) == 1) {
            pthread_cond_signal(&crew->left);
        }
        pthread_mutex_unlock(&crew->lock);
        linger(crew, seen);
        pthread_mutex_lock(&crew->lock);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

static void open_job(Crew *crew, int count, int chunk, Work work, void *context) {
    pthread_mutex_lock(&crew->lock);
    assert(!crew->open && atomic_load(&crew->joined) == 0);
    crew->work = work;
    crew->context = context;
    crew->count = count;
    crew->chunk = chunk;
    atomic_store(&crew->next, 0);
    crew->open = true;
    atomic_fetch_add(&crew->job, 1);
    pthread_cond_broadcast(&crew->opened);
    pthread_mutex_unlock(&crew->lock);
}

static void close_job(Crew *crew) {
    // all chunks are taken; the last ones are about to be done
    for (int i = 0; i < SPINS && atomic_load_explicit(&crew->joined, memory_order_relaxed) > 0;
         i++) {}
    pthread_mutex_lock(&crew->lock);
    crew->open = false;
    while (atomic_load(&crew->joined) > 0) {
        pthread_cond_wait(&crew->left, &crew->lock);
    }
    pthread_mutex_unlock(&crew->lock);
}

void crew_run(Crew *crew, int count, int chunk, Work work, void *context) {
    if (chunk < 1) {
        chunk = 1;
    }
    if (crew == NULL || crew->hands == 0 || count <= chunk || crew->process != getpid()) {
        run_alone(count, chunk, work, context);
        return;
    }
    open_job(crew, count, chunk, work, context);
    take_chunks(crew, 0);
    close_job(crew);
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
static void hire(Crew *crew, int wanted) {
    pthread_attr_t attributes;
    sigset_t before;
    if (pthread_attr_init(&attributes) != 0) return;
    // refused: the default will do
    pthread_attr_setstacksize(&attributes, STACK);
    block_outside_signals(&before);
    while (crew->hands < wanted) {
        Hand *hand = &crew->hand[crew->hands];
        *hand = (Hand){ .crew = crew, .worker = crew->hands + 1 };
        if (pthread_create(&hand->thread, &attributes, work_along, hand) != 0) break;
        crew->hands++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

static bool furnish(Crew *crew) {
    if (pthread_mutex_init(&crew->lock, NULL) != 0) return false;
    if (pthread_cond_init(&crew->opened, NULL) == 0) {
        if (pthread_cond_init(&crew->left, NULL) == 0) return true;
        pthread_cond_destroy(&crew->opened);
    }
    pthread_mutex_destroy(&crew->lock);
    return false;
}

Crew *crew_new(int threads) {
    int wanted = threads < 1 ? 0 : threads > MOST_THREADS ? MOST_THREADS - 1 : threads - 1;
    Crew *crew = calloc(1, sizeof(Crew) + (size_t)wanted * sizeof(Hand));
    if (crew == NULL) return NULL;
    if (!furnish(crew)) {
        free(crew);
        return NULL;
    }
    crew->process = getpid();
    hire(crew, wanted);
    return crew;
}

int crew_size(const Crew *crew) { return crew ? crew->hands + 1 : 1; }

static void dismiss(Crew *crew) {
    pthread_mutex_lock(&crew->lock);
    crew->quit = true;
    // ends the lingering
    atomic_fetch_add(&crew->job, 1);
    pthread_cond_broadcast(&crew->opened);
    pthread_mutex_unlock(&crew->lock);
    for (int i = 0; i < crew->hands; i++) {
        pthread_join(crew->hand[i].thread, NULL);
    }
    pthread_cond_destroy(&crew->left);
    pthread_cond_destroy(&crew->opened);
    pthread_mutex_destroy(&crew->lock);
}

void crew_free(Crew *crew) {
    if (crew == NULL) return;
    // a child of fork() has nobody to wait for
    if (crew->process == getpid()) {
        dismiss(crew);
    }
    free(crew);
}

#endif
