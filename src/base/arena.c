// arena.c -- scratch of a step.
//
// Bump memory after Box3D: an Arena goes down the call tree by value, so what a function took is
// given back when it returns. Each piece starts on a cache line, so that threads do not share one,
// and wide loads are aligned.
//
// Assumed: base lies on a cache line. Lines are counted from base and not from address 0, or else
// whether a step fits would depend on where the system put the block.
//
// SPDX-License-Identifier: MIT
#include "base/base.h"

#include <assert.h>

Arena arena_counting(bool *full) { return (Arena){ .size = SIZE_MAX, .full = full }; }

void *arena_take(Arena *arena, size_t count, size_t each) {
    assert((uintptr_t)arena->base % CACHE_LINE == 0 && arena->used <= arena->size);
    size_t gap = (CACHE_LINE - arena->used % CACHE_LINE) % CACHE_LINE;
    size_t room = arena->size - arena->used;
    if (gap > room || (each > 0 && count > (room - gap) / each)) {
        *arena->full = true;
        return NULL;
    }
    size_t offset = arena->used + gap;
    arena->used = offset + count * each;
    return arena->base ? arena->base + offset : NULL;
}
