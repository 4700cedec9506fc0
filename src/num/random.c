// random.c -- chance that can be asked again: a draw is a function of (seed, stream, draw).
//
// Philox4x32-10 of Salmon, Moraes, Dror and Shaw (Parallel random numbers: as easy as 1, 2, 3; SC 2011): ten rounds of
// multiplication scramble a 128-bit counter under a 64-bit key, so draws need no state and may be made in any order by
// any thread. Rotations by Shoemake (Uniform random rotations, Graphics Gems III, 1992). The linear congruential
// generator has Knuth's MMIX constants; it is here only to build the scenes of other engines' benchmarks. Left out:
// the other two words of each block, and everything cryptographic.
//
// SPDX-License-Identifier: MIT
#include "num/num.h"

static uint32_t low(uint64_t x) { return (uint32_t)x; }
static uint32_t high(uint64_t x) { return (uint32_t)(x >> 32); }
static double fraction(uint64_t x) { return (double)(x >> 11) * 0x1p-53; }   // the leading 53 bits, in [0, 1)

// The first two of the block's four words, the first one low.
static uint64_t philox(uint64_t key, uint64_t counter_low, uint64_t counter_high) {
    uint32_t c0 = low(counter_low), c1 = high(counter_low), c2 = low(counter_high), c3 = high(counter_high);
    uint32_t k0 = low(key), k1 = high(key);
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xd2511f53u * c0, b = (uint64_t)0xcd9e8d57u * c2;
        c0 = high(b) ^ c1 ^ k0, c1 = low(b);
        c2 = high(a) ^ c3 ^ k1, c3 = low(a);
        k0 += 0x9e3779b9u, k1 += 0xbb67ae85u;                  // Weyl sequences: golden ratio, sqrt(3) - 1
    }
    return (uint64_t)c1 << 32 | c0;
}

double num_uniform(uint64_t seed, uint64_t stream, uint64_t draw) { return fraction(philox(seed, draw, stream)); }

// A point of the sphere in four dimensions: u1 shares it between two circles, u2 and u3 are turns on them.
impQuat num_random_turn(double u1, double u2, double u3) {
    double r = sqrt(1 - u1), s = sqrt(u1);
    SinCos a = num_sincos_turns(u2), b = num_sincos_turns(u3);
    return quat(r * a.sin, r * a.cos, s * b.sin, s * b.cos);
}

double num_lcg(Lcg *lcg) {
    lcg->s = lcg->s * 6364136223846793005u + 1442695040888963407u;
    return fraction(lcg->s);
}
