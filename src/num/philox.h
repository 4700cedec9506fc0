// philox.h -- Philox4x32-10 (Salmon et al. 2011) in line: 128 bits of counter scrambled under a key
// of 64.
//
// In the common subset of C17 and C++20, so that a GPU compiler takes it as it is; random.c says
// more.
//
// SPDX-License-Identifier: MIT
#pragma once
#include <stdint.h>

#if defined(__CUDACC__)
#define PHILOX static __host__ __device__ inline
#else
#define PHILOX static inline
#endif

// The first two of the block's four words, the first one low.
PHILOX uint64_t num_philox(uint64_t key, uint64_t counter_low, uint64_t counter_high) {
    uint32_t c0 = (uint32_t)counter_low;
    uint32_t c1 = (uint32_t)(counter_low >> 32);
    uint32_t c2 = (uint32_t)counter_high;
    uint32_t c3 = (uint32_t)(counter_high >> 32);
    uint32_t k0 = (uint32_t)key;
    uint32_t k1 = (uint32_t)(key >> 32);
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xd2511f53u * c0;
        uint64_t b = (uint64_t)0xcd9e8d57u * c2;
        c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)b;
        c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)a;
        // Weyl sequences: golden ratio, sqrt(3) - 1
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    return (uint64_t)c1 << 32 | c0;
}
// the leading 53 bits, in [0, 1)
PHILOX double num_fraction(uint64_t x) { return (double)(x >> 11) * 0x1p-53; }
