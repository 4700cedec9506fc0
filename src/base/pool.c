// pool.c -- memory that grows and is given back whole.
//
// The region of Hanson (1990): chunks from the system in a list, requests cut from the newest,
// everything freed at once. So the builder of a scene or a model has one owner and one free, on
// every path. Chunks double up to a mebibyte; a request that would waste much of a chunk gets its
// own, placed behind the newest, which stays in use.
//
// Assumed: one thread at a time. Left out: giving back a part, so a list that grew by pool_grow
// leaves its smaller selves behind, less than its own size in all.
//
// SPDX-License-Identifier: MIT
#include "base/base.h"

#include <limits.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 20, ALIGNMENT = alignof(max_align_t) };

typedef struct PoolChunk {
    struct PoolChunk *older;
    size_t used, size;                  // of bytes
    alignas(max_align_t) char bytes[];  // zero from used on: calloc'ed, never handed out twice
} PoolChunk;

static PoolChunk *add_chunk(Pool *pool, size_t size) {
    if (size > SIZE_MAX - sizeof(PoolChunk)) return NULL;
    PoolChunk *chunk = calloc(1, sizeof(PoolChunk) + size);
    if (chunk == NULL) return NULL;
    chunk->size = size;
    pool->total += sizeof(PoolChunk) + size;
    return chunk;
}

static void *take_alone(Pool *pool, size_t bytes) {
    PoolChunk *chunk = add_chunk(pool, bytes);
    PoolChunk *newest = pool->newest;
    if (chunk == NULL) return NULL;
    chunk->used = bytes;
    chunk->older = newest ? newest->older : NULL;
    *(newest ? &newest->older : &pool->newest) = chunk;
    return chunk->bytes;
}

static PoolChunk *chunk_with_room(Pool *pool, size_t bytes) {
    PoolChunk *newest = pool->newest;
    if (newest && newest->size - newest->used >= bytes) return newest;
    size_t last = newest ? newest->size : FIRST_CHUNK / 2;
    PoolChunk *chunk = add_chunk(pool, last > LARGEST_CHUNK / 2 ? LARGEST_CHUNK : 2 * last);
    if (chunk == NULL) return NULL;
    chunk->older = newest;
    return pool->newest = chunk;
}

void *pool_take(Pool *pool, size_t count, size_t each) {
    if (each > 0 && count > (SIZE_MAX - ALIGNMENT) / each) return NULL;
    size_t bytes = count * each;
    // nothing is not a failure
    if (bytes == 0) {
        bytes = 1;
    }
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes > FIRST_CHUNK / 2) return take_alone(pool, bytes);
    PoolChunk *chunk = chunk_with_room(pool, bytes);
    if (chunk == NULL) return NULL;
    chunk->used += bytes;
    return chunk->bytes + chunk->used - bytes;
}

void *pool_take_lines(Pool *pool, size_t count, size_t each) {
    if (each > 0 && count > (SIZE_MAX - ALIGNMENT - CACHE_LINE) / each) return NULL;
    char *bytes = pool_take(pool, count * each + CACHE_LINE, 1);
    return bytes ? bytes + (CACHE_LINE - (uintptr_t)bytes % CACHE_LINE) % CACHE_LINE : NULL;
}

char *pool_text(Pool *pool, const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = pool_take(pool, size, 1);
    return copy ? memcpy(copy, text, size) : NULL;
}

char *pool_print(Pool *pool, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = length < 0 ? NULL : pool_take(pool, (size_t)length + 1, 1);
    if (text) {
        vsnprintf(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    va_end(args);
    return text;
}

static int grown(int capacity) {
    if (capacity < 8) return 8;
    return capacity > INT_MAX / 2 ? INT_MAX : 2 * capacity;
}

char *pool_line(Pool *pool, Where at, const char *format, va_list args) {
    char text[400], line[560];
    vsnprintf(text, sizeof text, format, args);
    print_where(at, text, line, sizeof line);
    return pool_text(pool, line);
}

// list is the address of a pointer to anything, so it is read and written by its bytes. Nothing
// changes on failure.
bool pool_grow(Pool *pool, void *list, int *capacity, int count, size_t each) {
    if (count < *capacity) return true;
    if (count == INT_MAX) return false;
    int room = grown(*capacity);
    void *old;
    void *fresh = pool_take(pool, (size_t)room, each);
    if (fresh == NULL) return false;
    memcpy(&old, list, sizeof old);
    if (count > 0) {
        memcpy(fresh, old, (size_t)count * each);
    }
    memcpy(list, &fresh, sizeof fresh);
    *capacity = room;
    return true;
}

void pool_free(Pool *pool) {
    for (PoolChunk *chunk = pool->newest, *older; chunk; chunk = older) {
        older = chunk->older;
        free(chunk);
    }
    *pool = (Pool){ 0 };
}
