// coloured_4.c -- coloured sweeps, four groups side by side: for AVX2.
//
// SPDX-License-Identifier: MIT
#include "solve/coloured.h"

#if defined(__x86_64__) && defined(__GNUC__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

#define LANES 4
#include "solve/coloured_kernel.h"

ColourKernel colour_kernel_4(void) {
    return __builtin_cpu_supports("avx2") ? (ColourKernel)COLOUR_KERNEL
                                          : (ColourKernel){ .lanes = LANES };
}

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#else
ColourKernel colour_kernel_4(void) { return (ColourKernel){ .lanes = 4 }; }
#endif
