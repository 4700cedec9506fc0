// base.h -- the door of base/: what a program needs before it knows any physics.
//
// Errors that are sentences, memory that is given back whole, numbers that keep their bits through
// text, one hash, one stable sort, files that are whole or absent, threads that do not change
// results. Nothing here prints, exits or keeps a global.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "impel/impel.h"

#include <float.h>
#include <stdarg.h>
#include <stdio.h>

#if defined(__FAST_MATH__)
#error "impel promises the same bits everywhere: it cannot be built with -ffast-math"
#endif
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0
#error "impel needs double arithmetic in double: build for SSE2, not for x87"
#endif

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

// --- error.c: where a thing was said, and what is wrong with it ----------------------------------
typedef struct Where {
    const char *file;  // NULL: said by a program, not in a file
    int line, column;  // from 1; 0: unknown
} Where;

#if defined(__GNUC__)
#define PRINTF_LIKE(text, rest) __attribute__((format(printf, text, rest)))
#else
#define PRINTF_LIKE(text, rest)
#endif

// Each adds one message and returns false, so that a check ends in `return fail(...)`. err may be
// NULL. Write numbers with show(), never with %g: the C library prints them in the host program's
// locale. IMP_BAD_INPUT
bool fail(impError *err, Where at, const char *format, ...) PRINTF_LIKE(3, 4);
bool fail_as(impError *err, impFault fault, Where at, const char *format, ...) PRINTF_LIKE(4, 5);
// IMP_AT_LIMIT
bool fail_memory(impError *err);
// as snprintf; no %g
size_t print_text(char *out, size_t size, const char *format, ...) PRINTF_LIKE(3, 4);
size_t print_list(char *out, size_t size, const char *format, va_list args) PRINTF_LIKE(3, 0);
// "file:line:column: text"
size_t print_where(Where at, const char *text, char *out, size_t size);
// by edit distance, or NULL
const char *nearest(const char *word, const char *const *words, int count);

// --- number.c: text to double and back, correctly rounded, in no locale --------------------------
// Reads a JSON number (or, loose, one that may start with '+' or lack the digits on one side of the
// point, as OBJ and STL files write) at the start of text. Returns the characters read, 0 when
// there is no number. Overflow gives *value = HUGE_VAL with its sign; underflow gradual.
size_t number_read(const char *text, size_t length, bool unconverged, double *value);
// Both write at most 32 characters with the zero and return the length. Neither is given NaN or
// infinity by us; they write "nan", "inf", "-inf" if they are. the shortest of 15, 16, 17 digits
// that reads back equal
size_t number_write(char out[32], double value);
// 17 significant digits, as traces need
size_t number_write_17(char out[32], double value);
typedef struct Shown {
    char text[32];
} Shown;
// for messages: fail(err, at, "%s kg", show(m).text)
Shown show(double value);

// --- pool.c: memory that grows and is given back whole -------------------------------------------
// What a scene or a model owns. Zeroed; never moves; NULL when the system has no more.
typedef struct Pool {
    struct PoolChunk *newest;
    size_t total;
} Pool;
void *pool_take(Pool *pool, size_t count, size_t each);
// from the start of a cache line
void *pool_take_lines(Pool *pool, size_t count, size_t each);
char *pool_text(Pool *pool, const char *text);  // a copy
char *pool_print(Pool *pool, const char *format, ...) PRINTF_LIKE(2, 3);
// "file:line:column: text"
char *pool_line(Pool *pool, Where at, const char *format, va_list args);
// room for one more
bool pool_grow(Pool *pool, void *list, int *capacity, int count, size_t each);
void pool_free(Pool *pool);
#define POOL_TAKE(pool, T, n) ((T *)pool_take((pool), (size_t)(n), sizeof(T)))
#define POOL_GROW(pool, list, capacity, count)                                                     \
    pool_grow((pool), &(list), &(capacity), (count), sizeof(*(list)))

// --- arena.c: scratch of a step ------------------------------------------------------------------
// Bump memory over one block taken when the stepper was made, handed down by value and so given
// back on return. Full is a flag, which impStep turns into the verdict IMP_FULL. Not zeroed: the
// law says that garbage must not matter.
typedef struct Arena {
    char *base;
    size_t used, size;
    bool *full;
} Arena;
void *arena_take(Arena *arena, size_t count, size_t each);
// An arena without memory: every piece is NULL, and `used` is the size that the pieces need.
Arena arena_counting(bool *full);
#define TAKE(arena, T, n) ((T *)arena_take((arena), (size_t)(n), sizeof(T)))

// Calls for memory that will be needed soon; says nothing about its contents and changes none. gcc
// takes a function that does nothing else for one that does nothing, and drops it: so these are
// always in line.
#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#define ALWAYS_IN_LINE    __attribute__((always_inline)) static inline
#else
#define PREFETCH(address) ((void)(address))
#define ALWAYS_IN_LINE    static inline
#endif
// bytes, of most machines; a wrong guess costs time only
enum { CACHE_LINE = 64 };
ALWAYS_IN_LINE void prefetch(const void *from, size_t bytes) {
    for (size_t at = 0; at < bytes; at += CACHE_LINE) {
        PREFETCH((const char *)from + at);
    }
    PREFETCH((const char *)from + bytes - 1);
}

// --- hash.c: FNV-1a, 64 bits ---------------------------------------------------------------------
#define HASH_START 0xcbf29ce484222325u
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count);
// by bits, low byte first
uint64_t hash_doubles(uint64_t hash, const double *values, size_t count);

// --- sort.c: stable merge sort, the same on every machine ----------------------------------------
// Sorts indices order[0..count) by less(context, i, j); spare holds count more. Equal items keep
// their order.
typedef bool (*Less)(const void *context, int32_t i, int32_t j);
void sort_stable(int32_t *order, int32_t *spare, int count, Less less, const void *context);

// --- file.c: read whole, written whole or not at all ---------------------------------------------
// file_read: regular files and, as "-", standard input; refuses what is larger than limit. *data
// has a zero after its *size bytes and is freed with free().
bool file_read(const char *path, size_t limit, char **data, size_t *size, impError *err);
// A file that appears under its name only when whole: written beside it as name.tmp.PID, synced,
// renamed.
typedef struct Output Output;
// refuses to overwrite unless force
Output *output_open(const char *path, bool force, impError *err);
bool output_write(Output *out, const char *bytes, size_t count, impError *err);
// To the system: a process that is killed then leaves it in the temporary file.
bool output_flush(Output *out, impError *err);
// no numbers with %g
bool output_print(Output *out, impError *err, const char *format, ...) PRINTF_LIKE(3, 4);
// frees out, always
bool output_commit(Output *out, impError *err);
// frees out, leaves no file
void output_abandon(Output *out);

// --- thread.c: many hands, one result ------------------------------------------------------------
// Work is cut into chunks whose results do not depend on the thread. A pool of one works in the
// caller's thread.
typedef struct ThreadPool ThreadPool;
// items [first, last)
typedef void (*Work)(void *context, int first, int last, int worker);
// fewer if the system says no
ThreadPool *thread_pool_new(int threads);
int thread_pool_size(const ThreadPool *thread_pool);
// NULL: in the caller's thread
void thread_pool_run(ThreadPool *thread_pool, int count, int chunk, Work work, void *context);
void thread_pool_free(ThreadPool *thread_pool);
