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

DropKernel drop_kernel_4(void) {
    return (DropKernel){ LANES, sizeof(Crowd), __builtin_cpu_supports("avx2") ? drop_many : NULL };
}

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#else
DropKernel drop_kernel_4(void) { return (DropKernel){ 4, 0, NULL }; }
#endif
