// lanes.h -- LANES numbers side by side, with the arithmetic of one (inside drop/; included by
// kernel.h).
//
// V is LANES doubles and M a truth for each of them. + - * / and root() are IEEE 754's in every
// lane, nothing is fused, nothing is summed across lanes: so a lane has the bits that the plain
// program has. LANES is 1, 4 (AVX2) or 8 (AVX-512); the including file has told the compiler that
// the instructions are there. With LANES 1 it is the common subset of C17 and C++20.
//
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdint.h>
#include <string.h>

// Functions of vectors are always in line: compilers keep some of the larger ones apart, and pass
// vectors through memory.
#if defined(__CUDACC__)
#define IN_LANES static __host__ __device__ inline
#elif defined(__OPTIMIZE__)  // without, each copy would have room of its own on the stack
#define IN_LANES static inline __attribute__((always_inline))
#else
#define IN_LANES static inline
#endif

// bits of 1, less a twentieth of those between 1 and 2: see fourth_root
#define ROOT_OF_ONE 0x3fef333333333333

#if LANES == 8
#include <immintrin.h>
typedef __m512d V;
typedef __mmask8 M;
IN_LANES V each(double x) { return _mm512_set1_pd(x); }
IN_LANES V root(V a) { return _mm512_sqrt_pd(a); }
IN_LANES V size(V a) { return _mm512_abs_pd(a); }
// a > b ? a : b
IN_LANES V larger(V a, V b) { return _mm512_max_pd(a, b); }
// a < b ? a : b
IN_LANES V smaller(V a, V b) { return _mm512_min_pd(a, b); }
// m ? a : b
IN_LANES V pick(M m, V a, V b) { return _mm512_mask_blend_pd(m, b, a); }
IN_LANES M below(V a, V b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
IN_LANES M unlike(V a, V b) { return _mm512_cmp_pd_mask(a, b, _CMP_NEQ_UQ); }
IN_LANES M both(M a, M b) { return (M)(a & b); }
IN_LANES M either(M a, M b) { return (M)(a | b); }
IN_LANES M not_m(M a) { return (M)~a; }
IN_LANES M no_lane(void) { return 0; }
IN_LANES bool some(M a) { return a != 0; }
IN_LANES unsigned bits(M a) { return a; }
IN_LANES V load(const double *from) { return _mm512_loadu_pd(from); }
IN_LANES void save(double *to, V a) { _mm512_storeu_pd(to, a); }
typedef __m512i Set;  // of numbers below 48, one in every lane
IN_LANES Set empty(void) { return _mm512_setzero_si512(); }
IN_LANES bool is_empty(Set s) { return _mm512_test_epi64_mask(s, s) == 0; }
IN_LANES Set add_to(Set s, M who, int i) {
    return _mm512_mask_or_epi64(s, who, s, _mm512_set1_epi64((long long)1 << i));
}
// below 2^52: the digits of a double between 2^52 and 2^53
IN_LANES V of_whole(__m512i n) {
    return _mm512_castsi512_pd(_mm512_or_si512(n, _mm512_set1_epi64(0x4330000000000000))) - 0x1p52;
}
// the least number; 0 for none
IN_LANES V take_first(Set *s, M *who) {
    __m512i first = _mm512_and_si512(*s, _mm512_sub_epi64(_mm512_setzero_si512(), *s));
    __m512i exponent = _mm512_srli_epi64(_mm512_castpd_si512(of_whole(first)), 52);
    *who = _mm512_test_epi64_mask(first, first);
    *s = _mm512_xor_si512(*s, first);
    return pick(*who, of_whole(_mm512_sub_epi64(exponent, _mm512_set1_epi64(1023))), each(0));
}
typedef __m512i Which;  // a place in a list for every lane
IN_LANES Which which(V places) { return _mm512_cvtepi32_epi64(_mm512_cvtpd_epi32(places)); }
// [count], and up to 15 more; instructions that gather are slow
IN_LANES V from_list(const double *list, int count, Which w) {
    V found = _mm512_permutex2var_pd(_mm512_loadu_pd(list), w, _mm512_loadu_pd(list + 8));
    for (int i = 16; i < count; i += 16) {
        found = pick(
            _mm512_cmpge_epi64_mask(w, _mm512_set1_epi64(i)),
            _mm512_permutex2var_pd(_mm512_loadu_pd(list + i), w, _mm512_loadu_pd(list + i + 8)),
            found);
    }
    return found;
}
IN_LANES M pick_m(M m, M a, M b) { return (M)((m & a) | (~m & b)); }
IN_LANES M put_m(M m, int lane, unsigned is) { return (M)((m & ~(1u << lane)) | is << lane); }
// of a / b, none negative, within 5 %: a double's bits are nearly its logarithm
IN_LANES V fourth_root(V a, V b) {
    __m512i quarters = _mm512_sub_epi64(_mm512_srli_epi64(_mm512_castpd_si512(a), 2),
                                        _mm512_srli_epi64(_mm512_castpd_si512(b), 2));
    return _mm512_castsi512_pd(_mm512_add_epi64(quarters, _mm512_set1_epi64(ROOT_OF_ONE)));
}
// Of 8 corners (x, y and z side by side) the farthest along d, if it is farther than best; -1: none
// is.
IN_LANES int farthest(const double *block, const double d[3], double *best) {
    V x = load(block);
    V y = load(block + 8);
    V z = load(block + 16);
    V depth = each(d[0]) * x + each(d[1]) * y + each(d[2]) * z;
    if (!some(below(each(*best), depth))) return -1;
    *best = _mm512_reduce_max_pd(depth);
    return __builtin_ctz(_mm512_cmp_pd_mask(depth, each(*best), _CMP_EQ_OQ));
}
IN_LANES V deal(V old, M who, const double *list) {
    return _mm512_mask_expandloadu_pd(old, who, list);
}
IN_LANES void stow(double *list, M who, V a) {
    _mm512_storeu_pd(list, _mm512_maskz_compress_pd(who, a));
}
#elif LANES == 4
#include <immintrin.h>
typedef __m256d V;
typedef __m256d M;
IN_LANES V each(double x) { return _mm256_set1_pd(x); }
IN_LANES V root(V a) { return _mm256_sqrt_pd(a); }
IN_LANES V size(V a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
IN_LANES V larger(V a, V b) { return _mm256_max_pd(a, b); }
IN_LANES V smaller(V a, V b) { return _mm256_min_pd(a, b); }
IN_LANES M below(V a, V b) { return _mm256_cmp_pd(a, b, _CMP_LT_OQ); }
IN_LANES M unlike(V a, V b) { return _mm256_cmp_pd(a, b, _CMP_NEQ_UQ); }
IN_LANES M both(M a, M b) { return _mm256_and_pd(a, b); }
IN_LANES M either(M a, M b) { return _mm256_or_pd(a, b); }
IN_LANES M not_m(M a) { return _mm256_xor_pd(a, _mm256_castsi256_pd(_mm256_set1_epi64x(-1))); }
IN_LANES M no_lane(void) { return _mm256_setzero_pd(); }
IN_LANES bool some(M a) { return _mm256_movemask_pd(a) != 0; }
IN_LANES unsigned bits(M a) { return (unsigned)_mm256_movemask_pd(a); }
IN_LANES V load(const double *from) { return _mm256_loadu_pd(from); }
IN_LANES void save(double *to, V a) { _mm256_storeu_pd(to, a); }
typedef __m256i Set;  // as with 8 lanes
IN_LANES Set empty(void) { return _mm256_setzero_si256(); }
IN_LANES bool is_empty(Set s) { return _mm256_testz_si256(s, s) != 0; }
IN_LANES Set add_to(Set s, M who, int i) {
    return _mm256_or_si256(
        s, _mm256_and_si256(_mm256_castpd_si256(who), _mm256_set1_epi64x((long long)1 << i)));
}
IN_LANES V of_whole(__m256i n) {
    return _mm256_castsi256_pd(_mm256_or_si256(n, _mm256_set1_epi64x(0x4330000000000000))) - 0x1p52;
}
IN_LANES V take_first(Set *s, M *who) {
    __m256i first = _mm256_and_si256(*s, _mm256_sub_epi64(_mm256_setzero_si256(), *s));
    __m256i exponent = _mm256_srli_epi64(_mm256_castpd_si256(of_whole(first)), 52);
    *who = not_m(_mm256_castsi256_pd(_mm256_cmpeq_epi64(first, _mm256_setzero_si256())));
    *s = _mm256_xor_si256(*s, first);
    return _mm256_and_pd(*who, of_whole(_mm256_sub_epi64(exponent, _mm256_set1_epi64x(1023))));
}
typedef struct Which {
    int32_t lane[4];
} Which;
IN_LANES Which which(V places) {
    Which w;
    _mm_storeu_si128((__m128i *)w.lane, _mm256_cvtpd_epi32(places));
    return w;
}
IN_LANES V from_list(const double *list, int count, Which w) {
    (void)count;
    return _mm256_set_pd(list[w.lane[3]], list[w.lane[2]], list[w.lane[1]], list[w.lane[0]]);
}
IN_LANES V pick(M m, V a, V b) { return _mm256_blendv_pd(b, a, m); }
IN_LANES M pick_m(M m, M a, M b) { return _mm256_blendv_pd(b, a, m); }
IN_LANES M put_m(M m, int lane, unsigned is) {
    int64_t one[4];
    _mm256_storeu_si256((__m256i *)one, _mm256_castpd_si256(m));
    one[lane] = -(int64_t)is;
    return _mm256_castsi256_pd(_mm256_loadu_si256((const __m256i *)one));
}
IN_LANES V depths(const double *block, const double d[3]) {
    return each(d[0]) * load(block) + each(d[1]) * load(block + 8) + each(d[2]) * load(block + 16);
}
IN_LANES int farthest(const double *block, const double d[3], double *best) {
    V low = depths(block, d);
    V high = depths(block + 4, d);
    V most = larger(low, high);
    if (!some(below(each(*best), most))) return -1;
    double each_of[4];
    save(each_of, most);
    double a = each_of[0] > each_of[1] ? each_of[0] : each_of[1];
    double b = each_of[2] > each_of[3] ? each_of[2] : each_of[3];
    *best = a > b ? a : b;
    unsigned at_low = bits(_mm256_cmp_pd(low, each(*best), _CMP_EQ_OQ));
    return at_low ? __builtin_ctz(at_low)
                  : 4 + __builtin_ctz(bits(_mm256_cmp_pd(high, each(*best), _CMP_EQ_OQ)));
}
IN_LANES V fourth_root(V a, V b) {
    __m256i quarters = _mm256_sub_epi64(_mm256_srli_epi64(_mm256_castpd_si256(a), 2),
                                        _mm256_srli_epi64(_mm256_castpd_si256(b), 2));
    return _mm256_castsi256_pd(_mm256_add_epi64(quarters, _mm256_set1_epi64x(ROOT_OF_ONE)));
}
// which lane a lane takes its number from, for every set of lanes: halves of numbers
#define HALVES(a, b, c, d)                                                                         \
    { 2 * a, 2 * a + 1, 2 * b, 2 * b + 1, 2 * c, 2 * c + 1, 2 * d, 2 * d + 1 }
static const int32_t dealing[16][8] = { HALVES(0, 0, 0, 0), HALVES(0, 0, 0, 0), HALVES(0, 0, 0, 0),
                                        HALVES(0, 1, 0, 0), HALVES(0, 0, 0, 0), HALVES(0, 0, 1, 0),
                                        HALVES(0, 0, 1, 0), HALVES(0, 1, 2, 0), HALVES(0, 0, 0, 0),
                                        HALVES(0, 0, 0, 1), HALVES(0, 0, 0, 1), HALVES(0, 1, 0, 2),
                                        HALVES(0, 0, 0, 1), HALVES(0, 0, 1, 2), HALVES(0, 0, 1, 2),
                                        HALVES(0, 1, 2, 3) };
static const int32_t stowing[16][8] = { HALVES(0, 0, 0, 0), HALVES(0, 0, 0, 0), HALVES(1, 0, 0, 0),
                                        HALVES(0, 1, 0, 0), HALVES(2, 0, 0, 0), HALVES(0, 2, 0, 0),
                                        HALVES(1, 2, 0, 0), HALVES(0, 1, 2, 0), HALVES(3, 0, 0, 0),
                                        HALVES(0, 3, 0, 0), HALVES(1, 3, 0, 0), HALVES(0, 1, 3, 0),
                                        HALVES(2, 3, 0, 0), HALVES(0, 2, 3, 0), HALVES(1, 2, 3, 0),
                                        HALVES(0, 1, 2, 3) };
IN_LANES V shuffled(V a, const int32_t way[8]) {
    return _mm256_castps_pd(
        _mm256_permutevar8x32_ps(_mm256_castpd_ps(a), _mm256_loadu_si256((const __m256i *)way)));
}
IN_LANES V deal(V old, M who, const double *list) {
    return pick(who, shuffled(_mm256_loadu_pd(list), dealing[bits(who)]), old);
}
IN_LANES void stow(double *list, M who, V a) {
    _mm256_storeu_pd(list, shuffled(a, stowing[bits(who)]));
}
#else
typedef double V;
typedef bool M;
IN_LANES V each(double x) { return x; }
IN_LANES V root(V a) { return sqrt(a); }
IN_LANES V size(V a) { return fabs(a); }
IN_LANES V larger(V a, V b) { return a > b ? a : b; }
IN_LANES V smaller(V a, V b) { return a < b ? a : b; }
IN_LANES M below(V a, V b) { return a < b; }
IN_LANES M unlike(V a, V b) { return a != b; }
IN_LANES M both(M a, M b) { return a && b; }
IN_LANES M either(M a, M b) { return a || b; }
IN_LANES M not_m(M a) { return !a; }
IN_LANES M no_lane(void) { return false; }
IN_LANES bool some(M a) { return a; }
IN_LANES unsigned bits(M a) { return a ? 1u : 0u; }
IN_LANES V pick(M m, V a, V b) { return m ? a : b; }
IN_LANES M pick_m(M m, M a, M b) { return m ? a : b; }
IN_LANES int farthest(const double *block, const double d[3], double *best) {
    int found = -1;
    for (int i = 0; i < 8; i++) {
        double depth = d[0] * block[i] + d[1] * block[8 + i] + d[2] * block[16 + i];
        if (depth > *best) {
            *best = depth;
            found = i;
        }
    }
    return found;
}
IN_LANES V fourth_root(V a, V b) {
    uint64_t of_a, of_b;
    memcpy(&of_a, &a, 8);
    memcpy(&of_b, &b, 8);
    of_a = (of_a >> 2) - (of_b >> 2) + ROOT_OF_ONE;
    memcpy(&a, &of_a, 8);
    return a;
}
#if defined(__CUDA_ARCH__)
IN_LANES int lowest_bit(uint64_t x) { return __ffsll((long long)x) - 1; }
#else
IN_LANES int lowest_bit(uint64_t x) { return __builtin_ctzll(x); }
#endif
#endif

#if LANES > 1
IN_LANES int count_of(M a) { return __builtin_popcount(bits(a)); }
#endif

#if defined(__CUDACC__)
// a loop that is not unrolled: a GPU waits for code more than for numbers
#define IN_TURN  _Pragma("unroll 1")
#define IN_FOURS _Pragma("unroll 4")
#else
#define IN_TURN
#define IN_FOURS
#endif

typedef struct V3 {
    V x, y, z;
} V3;
IN_LANES V3 v3(V x, V y, V z) {
    V3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}
IN_LANES V dot3(V3 a, V3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
IN_LANES V3 cross3(V3 a, V3 b) {
    return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
IN_LANES V3 plus3(V3 a, V3 b) { return v3(a.x + b.x, a.y + b.y, a.z + b.z); }
// a + s b
IN_LANES V3 along3(V3 a, V s, V3 b) { return v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z); }
IN_LANES V3 scale3(V s, V3 a) { return v3(s * a.x, s * a.y, s * a.z); }
IN_LANES V3 pick3(M m, V3 a, V3 b) {
    return v3(pick(m, a.x, b.x), pick(m, a.y, b.y), pick(m, a.z, b.z));
}
