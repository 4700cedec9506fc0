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

DropKernel drop_kernel_8(void) {
    return (DropKernel){ LANES, sizeof(Crowd),
                         __builtin_cpu_supports("avx512f") ? drop_many : NULL };
}

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#else
DropKernel drop_kernel_8(void) { return (DropKernel){ 8, 0, NULL }; }
#endif
