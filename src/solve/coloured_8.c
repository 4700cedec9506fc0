// coloured_8.c -- coloured sweeps, eight groups side by side: for AVX-512.
//
// SPDX-License-Identifier: MIT
#include "solve/coloured.h"

#if defined(__x86_64__) && defined(__GNUC__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f")
#endif

#define LANES 8
#include "solve/coloured_kernel.h"

ColourKernel colour_kernel_8(void) {
    return __builtin_cpu_supports("avx512f") ? (ColourKernel)COLOUR_KERNEL
                                             : (ColourKernel){ .lanes = LANES };
}

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#else
ColourKernel colour_kernel_8(void) { return (ColourKernel){ .lanes = 8 }; }
#endif
