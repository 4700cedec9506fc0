// kernel_4.c -- the drops, 4 side by side: for AVX2.
//
// SPDX-License-Identifier: MIT
#include "drop/drop.h"

#if defined(__x86_64__) && defined(__GNUC__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

#define LANES 4
#include "drop/kernel.h"

bool drop_has_4(void) { return __builtin_cpu_supports("avx2"); }
void drop_run_4(const DropTable *t, int64_t first, int64_t count, DropEnd *ends) { drop_many(t, first, count, ends); }

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#else
bool drop_has_4(void) { return false; }
void drop_run_4(const DropTable *t, int64_t first, int64_t count, DropEnd *ends) { drop_run_1(t, first, count, ends); }
#endif
