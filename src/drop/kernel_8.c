// kernel_8.c -- the drops, 8 side by side: for AVX-512.
//
// SPDX-License-Identifier: MIT
#include "drop/drop.h"

#if defined(__x86_64__) && defined(__GNUC__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f")
#endif

#define LANES 8
#include "drop/kernel.h"

bool drop_has_8(void) { return __builtin_cpu_supports("avx512f"); }
void drop_run_8(const DropTable *t, int64_t first, int64_t count, DropEnd *ends) { drop_many(t, first, count, ends); }

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#else
bool drop_has_8(void) { return false; }
void drop_run_8(const DropTable *t, int64_t first, int64_t count, DropEnd *ends) { drop_run_1(t, first, count, ends); }
#endif
