// trig.c -- sine, cosine, arc, exponential and logarithm with the same bits on every machine.
//
// The C library's functions differ between systems in the last bit; these use only operations that
// IEEE 754 fixes. Angles are reduced by Cody and Waite's split constants (Software Manual for the
// Elementary Functions, 1980) and, when large or very near a quarter turn, by Payne and Hanek's
// long 2/pi (SIGNUM Newsletter 18, 1983) in integers. exp and log follow Tang's table-driven scheme
// (ACM TOMS 15, 1989 and 16, 1990), atan2 a table of arcs of sixteenths. What matters is carried in
// two doubles by Dekker's error-free steps (Numer. Math. 18, 1971), so one rounding dominates and
// errors stay below 0.8 ulp (tests/num/trig.c measures). Polynomials interpolate at Chebyshev
// nodes; tables and coefficients were made with 300-bit arithmetic for this file. Assumed: round to
// nearest, no contraction to FMA, no excess precision. Left out: exception flags and errno; the
// results are not correctly rounded.
//
// SPDX-License-Identifier: MIT
#include "base/base.h"
#include "num/num.h"

#include <string.h>

#if defined(__GNUC__)
// kept out of the way of what is called often
#define RARE __attribute__((noinline, cold))
#else
#define RARE
#endif

// the unevaluated sum of the two
typedef struct Pair {
    double hi, lo;
} Pair;

// --- bits and error-free steps -------------------------------------------------------------------
static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static double double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
// tells -0 from 0
static bool negative(double x) { return bits_of(x) >> 63; }
// -1022 <= k <= 1023
static double power_of_two(int k) { return double_of((uint64_t)(k + 1023) << 52); }

// The leading 26 bits: products of two heads are exact, and so is x - head(x).
static double head(double x) { return double_of(bits_of(x) & ~(uint64_t)0x7ffffff); }

// a + b exactly, when |a| >= |b| or a = 0.
static Pair sum(double a, double b) {
    double hi = a + b;
    return (Pair){ hi, (a - hi) + b };
}
// c - a b for c near a b, as if rounded once: what a division or a root has left over.
static double left_over(double c, double a, double b) {
    double ah = head(a);
    double al = a - ah;
    double bh = head(b);
    double bl = b - bh;
    return (((c - ah * bh) - ah * bl) - al * bh) - al * bl;
}
static Pair quotient(Pair a, Pair b) {
    double q = a.hi / b.hi;
    return (Pair){ q, (left_over(a.hi, q, b.hi) + (a.lo - q * b.lo)) / b.hi };
}
static double polynomial(const double *c, int count, double x) {
    double p = c[count - 1];
    for (int i = count - 2; i >= 0; i--) {
        p = p * x + c[i];
    }
    return p;
}

static const Pair half_pi = { 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54 };
static const Pair whole_pi = { 0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53 };

// --- sine and cosine of at most an eighth of a turn ----------------------------------------------
// Each takes x + tail, the tail so small that its square does not matter. Written out and split in
// two chains, because every step of a spinning body waits for them.
static double sin_small(double x, double tail) {
    double z = x * x;
    double zz = z * z;
    double low = 0.008333333333333331 + z * -0.0001984126984126506;
    double high = (2.7557319219335453e-06 + z * -2.5052106231157904e-08) +
                  zz * (1.6058531414589008e-10 + z * -7.586685070091169e-13);
    // its sixth apart from the rest: fewer roundings of it
    double cube = x * z;
    return x +
           (cube * -0.16666666666666666 + (cube * z * (low + zz * high) + tail * (1 - 0.5 * z)));
}
// x^2 / 2 is subtracted as an exact square and a remainder: rounding it would cost a quarter ulp.
static double cos_small(double x, double tail) {
    double z = x * x;
    double zz = z * z;
    double h = head(x);
    double square = 0.5 * h * h;
    double rest = 0.5 * (x - h) * (x + h);
    double low = 0.041666666666666664 + z * -0.0013888888888887395;
    double high = (2.4801587298763433e-05 + z * -2.7557317270560326e-07) +
                  zz * (2.0876146024689743e-09 + z * -1.1382614868556182e-11);
    Pair w = sum(1, -square);
    return w.hi + ((w.lo - (rest + x * tail)) + zz * (low + zz * high));
}

// angle = quarters pi/2 + hi + lo; mod 4 matters
typedef struct Turned {
    double hi, lo;
    uint64_t quarters;
} Turned;

// By masks: which quarter it is cannot be foreseen, and a wrong guess would cost more than both
// polynomials.
static inline SinCos turned_by(uint64_t quarters, double hi, double lo) {
    uint64_t s = bits_of(sin_small(hi, lo));
    uint64_t c = bits_of(cos_small(hi, lo));
    // odd quarters exchange the two
    uint64_t differ = (s ^ c) & (0 - (quarters & 1));
    uint64_t minus_sin = (quarters & 2) << 62;
    uint64_t minus_cos = ((quarters + 1) & 2) << 62;
    return (SinCos){ double_of(s ^ differ ^ minus_sin), double_of(c ^ differ ^ minus_cos) };
}

// --- reduction by quarter turns ------------------------------------------------------------------
static const double near_limit = 1e5;  // fewer than 2^16 quarter turns
// adding it leaves the nearest integer in the low bits
static const double round_magic = 0x1.8p52;

// Cody and Waite: pi/2 in pieces of 37 bits, whose products with a 16-bit count are exact. Sound
// when |hi| >= 2^-40. hi is not made to absorb lo once more, because the polynomials can start
// earlier this way; lo is below 2^-53.
static inline Turned reduce_near(double x) {
    const double a = 0x1.921fb5444p+0;
    const double b = 0x1.68c234c4cp-39;
    const double c = 0x1.98a2e03707345p-77;
    double shifted = x * 0x1.45f306dc9c883p-1 + round_magic;
    double n = shifted - round_magic;
    double r = x - n * a;
    double w = n * b;
    double hi = r - w;
    double back = hi - r;
    // Knuth's two-sum: r may be smaller than w
    double lo = (r - (hi - back)) - (w + back) - n * c;
    return (Turned){ hi, lo, bits_of(shifted) };
}

// The bits of 2/pi after the point.
static const uint32_t two_over_pi[37] = {
    0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu,
    0xdebbc561u, 0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu,
    0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu,
    0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u,
    0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u,
    0x1f8d5d08u, 0x56033046u,
};
// words of 2/pi that matter: 190 bits and more
enum { WINDOW = 7 };

// 128 bits
typedef struct Wide {
    uint64_t hi, lo;
} Wide;

static Wide wide_product(uint64_t a, uint64_t b) {
    uint64_t ah = a >> 32;
    uint64_t al = (uint32_t)a;
    uint64_t bh = b >> 32;
    uint64_t bl = (uint32_t)b;
    uint64_t low = al * bl;
    uint64_t m = ah * bl + (low >> 32);
    uint64_t n = al * bh + (uint32_t)m;
    return (Wide){ ah * bh + (m >> 32) + (n >> 32), (n << 32) | (uint32_t)low };
}
// 64 bits of a little-endian number, from bit `at` on.
static uint64_t bits_from(const uint32_t *words, int at) {
    int i = at / 32;
    int shift = at % 32;
    uint64_t low = words[i] | (uint64_t)words[i + 1] << 32;
    return shift ? low >> shift | (uint64_t)words[i + 2] << (64 - shift) : low;
}
// mantissa times WINDOW words of 2/pi from `first` on; the two top words are zeros for bits_from to
// look at.
static void times_two_over_pi(uint64_t mantissa, int first, uint32_t product[WINDOW + 4]) {
    uint64_t carry_low = 0, carry_high = 0, before = 0;
    for (int i = 0; i < WINDOW; i++) {
        uint64_t word = two_over_pi[first + WINDOW - 1 - i];
        uint64_t low = word * (uint32_t)mantissa + carry_low;
        // before: the last word times the upper half
        uint64_t high = before + carry_high + (uint32_t)low;
        product[i] = (uint32_t)high;
        carry_low = low >> 32;
        carry_high = high >> 32;
        before = word * (mantissa >> 32);
    }
    before += carry_high + carry_low;
    product[WINDOW] = (uint32_t)before;
    product[WINDOW + 1] = (uint32_t)(before >> 32);
    product[WINDOW + 2] = product[WINDOW + 3] = 0;
}
// A fraction of a quarter turn, in 128 bits, as radians.
static Pair quarter_fraction(Wide f) {
    // pi/2 times 2^127
    const Wide p = { 0xc90fdaa22168c234u, 0xc4c6628b80dc1cd1u };
    int shift = 0;
    for (; shift < 127 && !(f.hi >> 63); shift++) {
        f = (Wide){ f.hi << 1 | f.lo >> 63, f.lo << 1 };
    }
    Wide r = wide_product(f.hi, p.hi);
    uint64_t more = wide_product(f.hi, p.lo).hi;
    uint64_t low = r.lo + more;
    r.hi += low < more;
    more = wide_product(f.lo, p.hi).hi;
    r.lo = low + more;
    r.hi += r.lo < more;
    double unit = power_of_two(-shift);
    double hi = (double)(r.hi >> 11) * 0x1p-52;
    double lo = (double)(r.hi & 0x7ff) * 0x1p-63 + (double)(r.lo >> 11) * 0x1p-116;
    Pair y = sum(hi, lo);
    return (Pair){ y.hi * unit, y.lo * unit };
}
// Payne and Hanek: of 2/pi only the bits matter that give neither whole turns nor less than the
// last digit of the result. x = mantissa 2^exponent with |x| > pi/4 and finite.
RARE static Turned reduce_far(double x) {
    uint64_t bits = bits_of(x);
    uint64_t mantissa = (bits & 0xfffffffffffffu) | 0x10000000000000u;
    int exponent = (int)(bits >> 52 & 0x7ff) - 1075;
    int first = exponent < 2 ? 0 : (exponent - 2) / 32;
    uint32_t product[WINDOW + 4];
    times_two_over_pi(mantissa, first, product);
    int point = 32 * (first + WINDOW) - exponent;
    uint64_t quarters = bits_from(product, point);
    Wide f = { bits_from(product, point - 64), bits_from(product, point - 128) };
    // nearer to the next quarter
    bool up = f.hi >> 63;
    // 1 - f, less a 2^-128 that does not matter
    if (up) {
        f = (Wide){ ~f.hi, ~f.lo };
    }
    quarters += up;
    Pair y = quarter_fraction(f);
    if (up != negative(x)) {
        y = (Pair){ -y.hi, -y.lo };
    }
    return (Turned){ y.hi, y.lo, negative(x) ? 0 - quarters : quarters };
}

SinCos num_sincos(double x) {
    double size = fabs(x);
    // keeps -0
    if (size < 0x1p-28) return (SinCos){ x, 1 };
    if (!(size <= DBL_MAX)) return (SinCos){ x - x, x - x };
    Turned t = reduce_near(x);
    if (size > near_limit || fabs(t.hi) < 0x1p-40) {
        t = reduce_far(x);
    }
    return turned_by(t.quarters, t.hi, t.lo);
}
double num_sin(double x) { return num_sincos(x).sin; }
double num_cos(double x) { return num_sincos(x).cos; }

SinCos num_sincos_turns(double turns) {
    // exact: whole turns do not count
    double size = fabs(turns);
    double f = size - floor(size);
    if (!(size <= DBL_MAX)) return (SinCos){ turns - turns, turns - turns };
    // exact as well, -1/8 <= r <= 1/8
    double n = floor(4 * f + 0.5);
    double r = f - n / 4;
    double hi = r * TAU;
    double lo = r * 0x1.1a62633145c07p-52 - left_over(hi, r, TAU);
    SinCos y = turned_by((uint64_t)n, hi, lo);
    return (SinCos){ negative(turns) ? -y.sin : y.sin, y.cos };
}

// --- arcs ----------------------------------------------------------------------------------------
static const Pair arc_of_sixteenths[17] = {
    { 0, 0 },
    { 0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60 },
    { 0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59 },
    { 0x1.7b97b4bce5b02p-3, 0x1.347b0b4f881cap-58 },
    { 0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57 },
    { 0x1.362773707ebccp-2, -0x1.963a544b672d8p-57 },
    { 0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56 },
    { 0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56 },
    { 0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56 },
    { 0x1.0657e94db30dp-1, -0x1.d5b495f6349e6p-56 },
    { 0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58 },
    { 0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55 },
    { 0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56 },
    { 0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57 },
    { 0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56 },
    { 0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56 },
    { 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55 },
};
// (atan(x) - x) / x^3 in x^2, for |x| < 7/32.
static const double arc_terms[] = {
    -0.3333333333333333,  0.19999999999999865,  -0.1428571428563883,
    0.11111111094911529,  -0.09090907345941689, 0.07692201854620899,
    -0.06662880624199759, 0.058027962617149195, -0.04344069067372822,
};

// atan(small / large), 0 <= small <= large. hi is exact or a table's, so that all rounding is in
// lo.
static Pair arc(double small, double large) {
    if (small == 0) return (Pair){ 0, 0 };
    // left_over must not underflow
    if (large < 0x1p-500) {
        small *= 0x1p+500;
        large *= 0x1p+500;
    }
    double q = small / large;
    if (q < 0x1p-28) return (Pair){ q, 0 };
    double lo = left_over(small, q, large) / large;
    if (q < 7.0 / 32)
        return (Pair){ q, lo + q * (q * q) * polynomial(arc_terms, COUNT(arc_terms), q * q) };
    int k = (int)(16 * q + 0.5);
    // tan(arc - atan a)
    double a = k / 16.0;
    double p = ((q - a) + lo) / (1 + a * q);
    Pair c = arc_of_sixteenths[k];
    return (Pair){ c.hi,
                   c.lo + (p + p * (p * p) * polynomial(arc_terms, COUNT(arc_terms), p * p)) };
}

double num_atan2(double y, double x) {
    if (x != x || y != y) return x + y;
    bool back = negative(x);
    bool steep = fabs(y) > fabs(x);
    bool minus = steep != back;
    double small = steep ? fabs(x) : fabs(y);
    double large = steep ? fabs(y) : fabs(x);
    // infinities: a diagonal or an axis
    if (large > DBL_MAX) {
        small = small > DBL_MAX;
        large = 1;
    }
    Pair base = steep ? half_pi : back ? whole_pi : (Pair){ 0, 0 };
    Pair r = arc(small, large);
    Pair s = sum(base.hi, minus ? -r.hi : r.hi);
    double angle = s.hi + (s.lo + (base.lo + (minus ? -r.lo : r.lo)));
    return negative(y) ? -angle : angle;
}

// (asin(x) - x) / x^3 in x^2, for |x| <= 1/2.
static const double asin_terms[] = {
    0.16666666666666669,  0.07499999999998425,  0.04464285714637338,  0.030381944137085216,
    0.0223721730020056,   0.0173523912659092,   0.013971235301124919, 0.011478952690254084,
    0.010324318288763613, 0.005450878187643681, 0.017419357965078663, -0.014881409393100677,
    0.028778442612774326,
};
// asin(sqrt(z)) for 0 < z <= 1/4: hi the rounded root, lo its remainder and the rest of the arc.
static Pair arc_of_root(double z) {
    double s = sqrt(z);
    double c = left_over(z, s, s) / (2 * s);
    return (Pair){ s, c + s * (z * polynomial(asin_terms, COUNT(asin_terms), z)) };
}
// Beyond [-1, 1] the nearest end: a product of unit vectors may be 1 and a bit.
double num_acos(double x) {
    if (x >= 1) return 0;
    if (x <= -1) return whole_pi.hi;
    // acos x = 2 asin sqrt((1 - x) / 2)
    if (x >= 0.5) {
        Pair r = arc_of_root((1 - x) / 2);
        return 2 * (r.hi + r.lo);
    }
    Pair base = half_pi;
    Pair r = { x, x * (x * x * polynomial(asin_terms, COUNT(asin_terms), x * x)) };
    if (x <= -0.5) {
        base = whole_pi;
        r = arc_of_root((1 + x) / 2);
        r = (Pair){ 2 * r.hi, 2 * r.lo };
    }
    Pair s = sum(base.hi, -r.hi);
    return s.hi + (s.lo + (base.lo - r.lo));
}

// --- exponentials --------------------------------------------------------------------------------
static const Pair exp_of_parts[32] = {
    // 2^(j/32)
    { 0x1p+0, 0 },
    { 0x1.059b0d3158574p+0, 0x1.d73e2a475b465p-55 },
    { 0x1.0b5586cf9890fp+0, 0x1.8a62e4adc610bp-54 },
    { 0x1.11301d0125b51p+0, -0x1.6c51039449b3ap-54 },
    { 0x1.172b83c7d517bp+0, -0x1.19041b9d78a76p-55 },
    { 0x1.1d4873168b9aap+0, 0x1.e016e00a2643cp-54 },
    { 0x1.2387a6e756238p+0, 0x1.9b07eb6c70573p-54 },
    { 0x1.29e9df51fdee1p+0, 0x1.612e8afad1255p-55 },
    { 0x1.306fe0a31b715p+0, 0x1.6f46ad23182e4p-55 },
    { 0x1.371a7373aa9cbp+0, -0x1.63aeabf42eae2p-54 },
    { 0x1.3dea64c123422p+0, 0x1.ada0911f09ebcp-55 },
    { 0x1.44e086061892dp+0, 0x1.89b7a04ef80dp-59 },
    { 0x1.4bfdad5362a27p+0, 0x1.d4397afec42e2p-56 },
    { 0x1.5342b569d4f82p+0, -0x1.07abe1db13cadp-55 },
    { 0x1.5ab07dd485429p+0, 0x1.6324c054647adp-54 },
    { 0x1.6247eb03a5585p+0, -0x1.383c17e40b497p-54 },
    { 0x1.6a09e667f3bcdp+0, -0x1.bdd3413b26456p-54 },
    { 0x1.71f75e8ec5f74p+0, -0x1.16e4786887a99p-55 },
    { 0x1.7a11473eb0187p+0, -0x1.41577ee04992fp-55 },
    { 0x1.82589994cce13p+0, -0x1.d4c1dd41532d8p-54 },
    { 0x1.8ace5422aa0dbp+0, 0x1.6e9f156864b27p-54 },
    { 0x1.93737b0cdc5e5p+0, -0x1.75fc781b57ebcp-57 },
    { 0x1.9c49182a3f09p+0, 0x1.c7c46b071f2bep-56 },
    { 0x1.a5503b23e255dp+0, -0x1.d2f6edb8d41e1p-54 },
    { 0x1.ae89f995ad3adp+0, 0x1.7a1cd345dcc81p-54 },
    { 0x1.b7f76f2fb5e47p+0, -0x1.5584f7e54ac3bp-56 },
    { 0x1.c199bdd85529cp+0, 0x1.11065895048ddp-55 },
    { 0x1.cb720dcef9069p+0, 0x1.503cbd1e949dbp-56 },
    { 0x1.d5818dcfba487p+0, 0x1.2ed02d75b3707p-55 },
    { 0x1.dfc97337b9b5fp+0, -0x1.1a5cd4f184b5cp-54 },
    { 0x1.ea4afa2a490dap+0, -0x1.e9c23179c2893p-54 },
    { 0x1.f50765b6e454p+0, 0x1.9d3e12dd8a18bp-54 },
};
// (exp(r) - 1 - r) / r^2, for |r| < ln(2) / 64.
static const double exp_terms[] = {
    0.5, 0.16666666666581015, 0.041666666666559604, 0.008333362483384042, 0.001388892532644039,
};

// 2^k m, m about 1 to 2
typedef struct Exp {
    Pair m;
    int k;
} Exp;

// Tang: x = (32 k + j) ln(2)/32 + r. |x| < 800.
static Exp exp_parts(double x) {
    const double ln = 0x1.62e42ffp-6;
    const double ln_rest = -0x1.718432a1b0e26p-40;
    double shifted = x * 0x1.71547652b82fep+5 + round_magic;
    double n = shifted - round_magic;
    double a = x - n * ln;
    double b = n * ln_rest;
    double r = a - b;
    int32_t count = (int32_t)n;
    int32_t j = count & 31;
    double p = r + (r * r * polynomial(exp_terms, COUNT(exp_terms), r) + ((a - r) - b));
    Pair t = exp_of_parts[j];
    return (Exp){ sum(t.hi, t.lo + t.hi * p), (count - j) / 32 };
}
// 2^k y in two steps, of which only the last can round or overflow. |k| < 2000.
static double scaled(double y, int k) { return y * power_of_two(k / 2) * power_of_two(k - k / 2); }

double num_exp(double x) {
    if (x != x) return x;
    if (x > 709.8) return HUGE_VAL;
    if (x < -745.2) return 0;
    Exp e = exp_parts(x);
    return scaled(e.m.hi, e.k);
}
// exp(x) as a pair, for 0 <= x < 60.
static Pair exp_pair(double x) {
    Exp e = exp_parts(x);
    return (Pair){ scaled(e.m.hi, e.k), scaled(e.m.lo, e.k) };
}

// (tanh(x) - x) / x^3 in x^2, for |x| < 1/8.
static const double tanh_terms[] = {
    -0.3333333333333333, 0.1333333333332863,    -0.053968253933172776,
    0.02186947895720018, -0.008862052265238375, 0.003524621746509379,
};
double num_tanh(double x) {
    double size = fabs(x);
    double z = x * x;
    if (x != x || size < 0x1p-28) return x;
    if (size < 0.125) return x + x * (z * polynomial(tanh_terms, COUNT(tanh_terms), z));
    if (size > 20) return x < 0 ? -1 : 1;
    // (e - 1) / (e + 1)
    Pair e = exp_pair(2 * size);
    Pair less = sum(e.hi, -1);
    Pair more = sum(e.hi, 1);
    Pair q = quotient((Pair){ less.hi, less.lo + e.lo }, (Pair){ more.hi, more.lo + e.lo });
    return x < 0 ? -(q.hi + q.lo) : q.hi + q.lo;
}
double num_sech(double x) {
    double size = fabs(x);
    if (x != x) return x;
    if (size > 747) return 0;
    // 2 exp(-x), the other exponential is below the last bit
    if (size > 22) {
        Exp e = exp_parts(-size);
        return scaled(e.m.hi, e.k + 1);
    }
    Pair e = exp_pair(size);
    Pair i = quotient((Pair){ 1, 0 }, e);
    Pair d = sum(e.hi, i.hi);
    Pair q = quotient((Pair){ 2, 0 }, (Pair){ d.hi, d.lo + (e.lo + i.lo) });
    return q.hi + q.lo;
}

// --- logarithm -----------------------------------------------------------------------------------
// c / 512 is about 1 / m in the j-th 64th of 1 <= m < 2; -log(c / 512) = hi + lo, hi a multiple of
// 2^-42.
typedef struct LogRow {
    double c, hi, lo;
} LogRow;
static const LogRow log_rows[64] = {
    { 508, 0x1.010157588p-7, 0x1.bce251998b506p-44 },
    { 500, 0x1.8492528c9p-6, -0x1.aa0ba325a0c34p-45 },
    { 493, 0x1.35c8bfaa1p-5, 0x1.8357d5ef9eb35p-44 },
    { 485, 0x1.bbcebfc69p-5, -0x1.7bf868c317c2ap-46 },
    { 478, 0x1.1973bd1464p-4, 0x1.566d154f930b3p-44 },
    { 471, 0x1.55e10050ep-4, 0x1.c1d740c53c72ep-47 },
    { 465, 0x1.8a6477a91cp-4, 0x1.c28c0af9bd6dfp-44 },
    { 458, 0x1.c885801bc4p-4, 0x1.646d1c65aacd3p-45 },
    { 452, 0x1.fe89139dbcp-4, 0x1.56594d82f7a82p-44 },
    { 446, 0x1.1aa2b7e24p-3, -0x1.1ac38dde3b366p-44 },
    { 440, 0x1.365fcb015ap-3, -0x1.fd3a0afb9691bp-44 },
    { 434, 0x1.527e5e4a1cp-3, -0x1.4e60b8d4b411dp-44 },
    { 428, 0x1.6f0128b756p-3, 0x1.577390d31ef0fp-44 },
    { 423, 0x1.871213750ep-3, 0x1.328eb42f9af75p-44 },
    { 417, 0x1.a454082e6ap-3, 0x1.60a77c81f7171p-44 },
    { 412, 0x1.bd087383bep-3, -0x1.d4bc4595412b6p-45 },
    { 407, 0x1.d60a17f904p-3, -0x1.5d6e06fc20d39p-44 },
    { 402, 0x1.ef5ade4ddp-3, -0x1.a211565bb8e11p-51 },
    { 397, 0x1.047e60cde8p-2, 0x1.dbdf10d397f3cp-45 },
    { 392, 0x1.1178e8227ep-2, 0x1.1ef78ce2d07f2p-44 },
    { 388, 0x1.1bf99635a7p-2, -0x1.1ac89575c2125p-44 },
    { 383, 0x1.2941afb187p-2, -0x1.210c2b730e28bp-44 },
    { 379, 0x1.3401e12aedp-2, -0x1.17c73556e291dp-44 },
    { 374, 0x1.419b423d5fp-2, -0x1.ce379226de3ecp-44 },
    { 370, 0x1.4c9e09e173p-2, -0x1.e20891b0ad8a4p-45 },
    { 366, 0x1.57bf753c8dp-2, 0x1.fadedee5d40efp-46 },
    { 362, 0x1.630030b3abp-2, -0x1.db623e731aep-45 },
    { 358, 0x1.6e60ee6af2p-2, -0x1.a37a6a0f7749ep-44 },
    { 354, 0x1.79e26687dp-2, -0x1.309c168817444p-44 },
    { 350, 0x1.85855776ddp-2, -0x1.015486666443bp-44 },
    { 347, 0x1.8e55f9b34ap-2, -0x1.1f21d89c89c45p-44 },
    { 343, 0x1.9a355c33bdp-2, 0x1.ae73535438bebp-44 },
    { 340, 0x1.a33440225p-2, -0x1.61cdd40314305p-44 },
    { 336, 0x1.af5295248dp-2, -0x1.17cc552774458p-45 },
    { 333, 0x1.b881aa659cp-2, -0x1.b65ac58ba5c9cp-45 },
    { 329, 0x1.c4e19b8472p-2, 0x1.e0d23293066ap-45 },
    { 326, 0x1.ce42f18064p-2, 0x1.d0d0798270b2ap-44 },
    { 323, 0x1.d7ba7ad9e8p-2, -0x1.3022bb88a325bp-45 },
    { 320, 0x1.e148a1a272p-2, 0x1.b36537e3375b2p-44 },
    { 317, 0x1.eaedd2eacap-2, -0x1.bcf314a1b2d37p-44 },
    { 314, 0x1.f4aa7ee032p-2, -0x1.b4c86a43fad5dp-44 },
    { 311, 0x1.fe7f18eb04p-2, -0x1.60f51ceb37e7ap-45 },
    { 308, 0x1.04360be76p-1, 0x1.d6774030d58c4p-44 },
    { 305, 0x1.0938fae5d9p-1, -0x1.65023ebc627dbp-45 },
    { 302, 0x1.0e4898611dp-1, -0x1.8f599fe1ffa3p-44 },
    { 299, 0x1.1365252bf08p-1, 0x1.930b4c43a97c2p-47 },
    { 297, 0x1.16d4d38c118p-1, 0x1.fa75d42395d88p-45 },
    { 294, 0x1.1c07849ae6p-1, 0x1.cacdeed70e667p-51 },
    { 291, 0x1.2147dba47ap-1, 0x1.c9d579851b8b6p-44 },
    { 289, 0x1.24cfce6f81p-1, -0x1.32cb5b2e5bdd7p-44 },
    { 286, 0x1.2a2786d0ecp-1, 0x1.06d2be797882dp-45 },
    { 284, 0x1.2dbf557b0ep-1, -0x1.7a6e507b9dc11p-46 },
    { 281, 0x1.332f4314ad8p-1, -0x1.a96c3d4e8a818p-47 },
    { 279, 0x1.36d77e9d35p-1, -0x1.4a061506115f9p-48 },
    { 277, 0x1.3a86767257p-1, 0x1.112e01e8919cap-45 },
    { 274, 0x1.4019c2125c8p-1, 0x1.498c367879c5ap-44 },
    { 272, 0x1.43d9ff2f92p-1, 0x1.e267b0b7efae1p-44 },
    { 270, 0x1.47a1527e8ap-1, 0x1.69a4a83594fabp-44 },
    { 267, 0x1.4d59d43fda8p-1, 0x1.d0f65949c0a34p-44 },
    { 265, 0x1.513356668p-1, -0x1.d46359b33c2adp-44 },
    { 263, 0x1.55144fdbccp-1, -0x1.4ec532b35ba3ep-44 },
    { 261, 0x1.58fcddce008p-1, -0x1.9e3900345a85dp-44 },
    { 259, 0x1.5ced1e17c38p-1, -0x1.1d52fdabeaa73p-44 },
    { 257, 0x1.60e52f45788p-1, 0x1.c6ea5e681638dp-46 },
};
// (log(1 + f) - f + f^2/2) / f^3, for |f| < 0.0087 and for |f| < 1/16.
static const double log_terms[] = {
    0.3333333333333348,  -0.25000000000000133, 0.19999999964190696,
    -0.1666666663443824, 0.1428697587360772,   -0.12501135430568983,
};
static const double log_near_terms[] = {
    0.3333333333333333,  -0.2500000000000007,  0.20000000000000068, -0.16666666666303145,
    0.14285714285374973, -0.12500000519873336, 0.11111111596362193, -0.09999696676494745,
    0.0909062597009151,  -0.08410679875532338, 0.07764501444774242,
};

// f = x - 1 exactly. As in cos_small, the square is subtracted without rounding.
static double log_near_one(double f) {
    double h = head(f);
    double square = 0.5 * h * h;
    double rest = 0.5 * (f - h) * (f + h);
    Pair u = sum(f, -square);
    return u.hi +
           (u.lo + (f * f * f * polynomial(log_near_terms, COUNT(log_near_terms), f) - rest));
}
double num_log(double x) {
    if (!(x > 0)) return x == 0 ? -HUGE_VAL : (double)NAN;
    if (x > DBL_MAX) return x;
    if (fabs(x - 1) < 0.0625) return log_near_one(x - 1);
    int k = -1023;
    if (x < DBL_MIN) {
        x *= 0x1p+54;
        k -= 54;
    }
    uint64_t bits = bits_of(x);
    k += (int)(bits >> 52);
    double m = double_of((bits & 0xfffffffffffffu) | 0x3ff0000000000000u);
    double h = head(m);
    const LogRow *row = &log_rows[bits >> 46 & 63];
    // rounded once
    double c = row->c / 512;
    double r = (h * c - 1) + (m - h) * c;
    // exact: both are multiples of 2^-42
    double hi = k * 0x1.62e42fefa38p-1 + row->hi;
    double lo = k * 0x1.ef35793c7673p-45 + row->lo;
    return hi + (r + (lo + r * r * (r * polynomial(log_terms, COUNT(log_terms), r) - 0.5)));
}
