// random.c -- chance that can be asked again: a draw is a function of (seed, stream, draw).
//
// Philox4x32-10 of Salmon, Moraes, Dror and Shaw (Parallel random numbers: as easy as 1, 2, 3; SC
// 2011): ten rounds of multiplication scramble a 128-bit counter under a 64-bit key, so draws need
// no state and may be made in any order by any thread. Rotations by Shoemake (Uniform random
// rotations, Graphics Gems III, 1992). The linear congruential generator has Knuth's MMIX
// constants; it is here only to build the scenes of other engines' benchmarks. Left out: the other
// two words of each block, and everything cryptographic.
//
// SPDX-License-Identifier: MIT
#include "num/num.h"

double num_uniform(uint64_t seed, uint64_t stream, uint64_t draw) {
    return num_fraction(num_philox(seed, draw, stream));
}

// A point of the sphere in four dimensions: u1 shares it between two circles, u2 and u3 are turns
// on them.
impQuat num_random_rotation(double u1, double u2, double u3) {
    double r = sqrt(1 - u1);
    double s = sqrt(u1);
    SinCos a = num_sincos_turns(u2);
    SinCos b = num_sincos_turns(u3);
    return quat(r * a.sin, r * a.cos, s * b.sin, s * b.cos);
}

double num_lcg(Lcg *lcg) {
    lcg->s = lcg->s * 6364136223846793005u + 1442695040888963407u;
    return num_fraction(lcg->s);
}
