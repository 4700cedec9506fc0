// inject.c -- makes the k-th call of a system function fail; see inject.h.
//
// Pieces of memory taken while armed are remembered in a hash set of addresses (open addressing,
// linear probing, deletion by Knuth's algorithm 6.4 R), so that freeing older ones does not count.
//
// SPDX-License-Identifier: MIT
#include "faults/inject.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { SLOTS = 1 << 18 };

static atomic_bool armed;
static atomic_int calls[FAULT_KINDS], hits;
static struct Plan {
    int k, error;
    bool on;
} plan[FAULT_KINDS];
static size_t most_bytes;

static atomic_flag lock = ATOMIC_FLAG_INIT;
static void *slot[SLOTS];
static int live;

// --- What is alive -------------------------------------------------------------------------------

static void take_lock(void) {
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) {}
}
static void drop_lock(void) { atomic_flag_clear_explicit(&lock, memory_order_release); }

static size_t home(const void *p) {
    return (size_t)(((uint64_t)(uintptr_t)p * 0x9E3779B97F4A7C15u) >> 46) % SLOTS;
}

static void remember(void *p) {
    take_lock();
    if (live >= SLOTS / 2) {
        fprintf(stderr, "inject.c: more than %d pieces alive; raise SLOTS\n", SLOTS / 2);
        abort();
    }
    size_t i = home(p);
    while (slot[i]) {
        i = (i + 1) % SLOTS;
    }
    slot[i] = p;
    live++;
    drop_lock();
}

// Whatever stands behind the hole and would be found there moves into it.
static void close_gap(size_t hole) {
    for (size_t i = (hole + 1) % SLOTS; slot[i]; i = (i + 1) % SLOTS) {
        size_t from_home = (i - home(slot[i])) % SLOTS;
        size_t from_hole = (i - hole) % SLOTS;
        if (from_home < from_hole) continue;
        slot[hole] = slot[i];
        hole = i;
    }
    slot[hole] = NULL;
}

static bool forget(const void *p) {
    take_lock();
    size_t i = home(p);
    while (slot[i] && slot[i] != p) {
        i = (i + 1) % SLOTS;
    }
    bool known = slot[i] != NULL;
    if (known) {
        close_gap(i);
        live--;
    }
    drop_lock();
    return known;
}

// --- Plans ---------------------------------------------------------------------------------------

void inject_start(void) {
    inject_stop();
    for (int i = 0; i < FAULT_KINDS; i++) {
        atomic_store(&calls[i], 0);
        plan[i] = (struct Plan){ 0 };
    }
    atomic_store(&hits, 0);
    memset(slot, 0, sizeof slot);
    live = 0;
    most_bytes = 0;
    atomic_store(&armed, true);
}

void inject_stop(void) { atomic_store(&armed, false); }
void inject_fail(Fault call, int k, int error) { plan[call] = (struct Plan){ k, error, false }; }
void inject_fail_from(Fault call, int k, int error) {
    plan[call] = (struct Plan){ k, error, true };
}
void inject_short_writes(size_t most) { most_bytes = most; }
int inject_calls(Fault call) { return atomic_load(&calls[call]); }
int inject_hits(void) { return atomic_load(&hits); }

int inject_live(void) {
    take_lock();
    int n = live;
    drop_lock();
    return n;
}

static bool fails(Fault call) {
    if (!atomic_load(&armed)) return false;
    const struct Plan *p = &plan[call];
    int n = atomic_fetch_add(&calls[call], 1) + 1;
    if (p->k == 0 || n < p->k || (n > p->k && !p->on)) return false;
    atomic_fetch_add(&hits, 1);
    if (p->error == FAULT_DEATH) {
        _exit(99);
    }
    errno = p->error;
    return true;
}

// --- In place of the real ones -------------------------------------------------------------------

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t each);
void *__real_realloc(void *old, size_t size);
void __real_free(void *p);
int __real_open(const char *path, int flags, ...);
ssize_t __real_read(int fd, void *to, size_t count);
ssize_t __real_write(int fd, const void *from, size_t count);
int __real_fsync(int fd);
int __real_close(int fd);
int __real_rename(const char *from, const char *to);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *),
                          void *argument);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t each);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *p);
int __wrap_open(const char *path, int flags, ...);
ssize_t __wrap_read(int fd, void *to, size_t count);
ssize_t __wrap_write(int fd, const void *from, size_t count);
int __wrap_fsync(int fd);
int __wrap_close(int fd);
int __wrap_rename(const char *from, const char *to);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *),
                          void *argument);

static void *noted(void *p) {
    if (p && atomic_load(&armed)) {
        remember(p);
    }
    return p;
}

void *__wrap_malloc(size_t size) { return fails(FAULT_MEMORY) ? NULL : noted(__real_malloc(size)); }
void *__wrap_calloc(size_t count, size_t each) {
    return fails(FAULT_MEMORY) ? NULL : noted(__real_calloc(count, each));
}

// A piece that a realloc moves stays what it was: counted or not.
void *__wrap_realloc(void *old, size_t size) {
    if (fails(FAULT_MEMORY)) return NULL;
    if (old == NULL) return noted(__real_malloc(size));
    // before: afterwards the address may be another thread's
    bool known = forget(old);
    void *p = __real_realloc(old, size);
    if (known && (p || size > 0)) {
        remember(p ? p : old);
    }
    return p;
}

void __wrap_free(void *p) {
    if (p) {
        forget(p);
    }
    __real_free(p);
}

int __wrap_open(const char *path, int flags, ...) {
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list args;
        va_start(args, flags);
        mode = va_arg(args, mode_t);
        va_end(args);
    }
    return fails(FAULT_OPEN) ? -1 : __real_open(path, flags, mode);
}

static size_t shortened(size_t count) {
    return atomic_load(&armed) && most_bytes > 0 && count > most_bytes ? most_bytes : count;
}

ssize_t __wrap_read(int fd, void *to, size_t count) {
    return fails(FAULT_READ) ? -1 : __real_read(fd, to, shortened(count));
}
ssize_t __wrap_write(int fd, const void *from, size_t count) {
    return fails(FAULT_WRITE) ? -1 : __real_write(fd, from, shortened(count));
}
int __wrap_fsync(int fd) { return fails(FAULT_FSYNC) ? -1 : __real_fsync(fd); }

int __wrap_close(int fd) {
    if (!fails(FAULT_CLOSE)) return __real_close(fd);
    __real_close(fd);
    errno = plan[FAULT_CLOSE].error;
    return -1;
}

int __wrap_rename(const char *from, const char *to) {
    return fails(FAULT_RENAME) ? -1 : __real_rename(from, to);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *),
                          void *argument) {
    return fails(FAULT_THREAD) ? plan[FAULT_THREAD].error
                               : __real_pthread_create(thread, how, run, argument);
}
