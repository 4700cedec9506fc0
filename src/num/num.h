// num.h -- the door of num/: numbers, vectors and functions with the same bits on every machine.
//
// The C library's sin, cos, exp and their kin differ between systems in the last bit, and compilers
// fold them at compile time: nothing that reaches the state calls them. Only +, -, *, /, sqrt,
// fabs, floor and ceil are used, which IEEE 754 fixes.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "num/mat3.h"
#include "num/philox.h"
#include "num/quat.h"
#include "num/vec.h"
#include "num/vec2.h"

#define PI  3.14159265358979323846
#define TAU 6.28318530717958647693

// trig.c -- within 1 ulp of the truth for every finite argument.
typedef struct SinCos {
    double sin, cos;
} SinCos;
SinCos num_sincos(double x);
double num_sin(double x);
double num_cos(double x);
double num_atan2(double y, double x);
double num_acos(double x);
double num_exp(double x);
double num_log(double x);  // x > 0
double num_tanh(double x);
double num_sech(double x);  // 1 / cosh x
// of 2 pi turns: exact reduction, for vibrations and long spins
SinCos num_sincos_turns(double turns);

// elliptic.c -- Legendre's integrals and Jacobi's functions. All take the complementary parameter
// m1 = 1 - m = 1 - k^2, 0 < m1 <= 1, because near the separatrix m rounds to 1 and only m1 still
// knows how near.
typedef struct Jacobi {
    double sn, cn, dn;
} Jacobi;
// moduli of the descent, and 1 - k1
typedef struct Landen {
    int count;
    double k1[16], k1_rest[16];
} Landen;
double num_ellip_k(double m1);  // K(m)
// F(phi | m), -pi < phi <= pi
double num_ellip_f(double sin_phi, double cos_phi, double m1);
Landen num_landen(double m1);
// at u, where x = pi u / (2 K(m))
Jacobi num_jacobi(const Landen *l, SinCos x);

// hull2.c -- convex hulls in a plane.
#define HULL2_ROOM(count) (3 * (count) + 1)
// Writes the numbers of the hull's corners, counter-clockwise from the leftmost one, to `corner`,
// which has room for HULL2_ROOM(count) numbers, and returns how many corners there are: 1 if all
// points are at one place, 2 if they are on one line. Of equal points the first counts.
int num_hull2(const Vec2 *p, int count, int32_t *corner);
// One step of gift wrapping counter-clockwise, for points that are not stored: whether p, and not
// `best`, is the next corner after `from`.
bool num_wraps_closer(Vec2 from, Vec2 best, Vec2 p);

// random.c -- Philox4x32-10 (Salmon et al. 2011): a draw is a function of (seed, stream, draw), in
// any order.
double num_uniform(uint64_t seed, uint64_t stream, uint64_t draw);  // [0, 1), 53 bits
// uniform over rotations (Shoemake 1992)
impQuat num_random_rotation(double u1, double u2, double u3);
// the generator of other engines' benchmarks
typedef struct Lcg {
    uint64_t s;
} Lcg;
double num_lcg(Lcg *lcg);  // next draw in [0, 1)
