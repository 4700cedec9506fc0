// lanes.h -- LANES numbers side by side, with the arithmetic of one (inside drop/; included by kernel.h).
//
// V is LANES doubles and M a truth for each of them. + - * / and root() are IEEE 754's in every lane, nothing is fused, nothing
// is summed across lanes: so a lane has the bits that the plain program has. LANES is 1, 4 (AVX2) or 8 (AVX-512); who includes
// this has told the compiler that the instructions are there. With LANES 1 it is the common subset of C17 and C++20.
//
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdint.h>

#if LANES == 8
#include <immintrin.h>
typedef __m512d V;
typedef __mmask8 M;
#define IN_LANES static inline
IN_LANES V each(double x) { return _mm512_set1_pd(x); }
IN_LANES V root(V a) { return _mm512_sqrt_pd(a); }
IN_LANES V size(V a) { return _mm512_abs_pd(a); }
IN_LANES V larger(V a, V b) { return _mm512_max_pd(a, b); }            // a > b ? a : b
IN_LANES V smaller(V a, V b) { return _mm512_min_pd(a, b); }           // a < b ? a : b
IN_LANES M below(V a, V b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
IN_LANES M both(M a, M b) { return (M)(a & b); }
IN_LANES M either(M a, M b) { return (M)(a | b); }
IN_LANES M not_m(M a) { return (M)~a; }
IN_LANES M nobody(void) { return 0; }
IN_LANES bool some(M a) { return a != 0; }
IN_LANES unsigned bits(M a) { return a; }
IN_LANES V pick(M m, V a, V b) { return _mm512_mask_blend_pd(m, b, a); }   // m ? a : b
IN_LANES M pick_m(M m, M a, M b) { return (M)((m & a) | (~m & b)); }
#elif LANES == 4
#include <immintrin.h>
typedef __m256d V;
typedef __m256d M;
#define IN_LANES static inline
IN_LANES V each(double x) { return _mm256_set1_pd(x); }
IN_LANES V root(V a) { return _mm256_sqrt_pd(a); }
IN_LANES V size(V a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
IN_LANES V larger(V a, V b) { return _mm256_max_pd(a, b); }
IN_LANES V smaller(V a, V b) { return _mm256_min_pd(a, b); }
IN_LANES M below(V a, V b) { return _mm256_cmp_pd(a, b, _CMP_LT_OQ); }
IN_LANES M both(M a, M b) { return _mm256_and_pd(a, b); }
IN_LANES M either(M a, M b) { return _mm256_or_pd(a, b); }
IN_LANES M not_m(M a) { return _mm256_xor_pd(a, _mm256_castsi256_pd(_mm256_set1_epi64x(-1))); }
IN_LANES M nobody(void) { return _mm256_setzero_pd(); }
IN_LANES bool some(M a) { return _mm256_movemask_pd(a) != 0; }
IN_LANES unsigned bits(M a) { return (unsigned)_mm256_movemask_pd(a); }
IN_LANES V pick(M m, V a, V b) { return _mm256_blendv_pd(b, a, m); }
IN_LANES M pick_m(M m, M a, M b) { return _mm256_blendv_pd(b, a, m); }
#else
typedef double V;
typedef bool M;
#if defined(__CUDACC__)
#define IN_LANES static __host__ __device__ inline
#else
#define IN_LANES static inline
#endif
IN_LANES V each(double x) { return x; }
IN_LANES V root(V a) { return sqrt(a); }
IN_LANES V size(V a) { return fabs(a); }
IN_LANES V larger(V a, V b) { return a > b ? a : b; }
IN_LANES V smaller(V a, V b) { return a < b ? a : b; }
IN_LANES M below(V a, V b) { return a < b; }
IN_LANES M both(M a, M b) { return a && b; }
IN_LANES M either(M a, M b) { return a || b; }
IN_LANES M not_m(M a) { return !a; }
IN_LANES M nobody(void) { return false; }
IN_LANES bool some(M a) { return a; }
IN_LANES unsigned bits(M a) { return a ? 1u : 0u; }
IN_LANES V pick(M m, V a, V b) { return m ? a : b; }
IN_LANES M pick_m(M m, M a, M b) { return m ? a : b; }
#endif

typedef struct V3 { V x, y, z; } V3;
IN_LANES V3 v3(V x, V y, V z) {
    V3 v;
    v.x = x, v.y = y, v.z = z;
    return v;
}
IN_LANES V dot3(V3 a, V3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
IN_LANES V3 cross3(V3 a, V3 b) { return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
IN_LANES V3 plus3(V3 a, V3 b) { return v3(a.x + b.x, a.y + b.y, a.z + b.z); }
IN_LANES V3 along3(V3 a, V s, V3 b) { return v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z); }   // a + s b
IN_LANES V3 scale3(V s, V3 a) { return v3(s * a.x, s * a.y, s * a.z); }
IN_LANES V3 pick3(M m, V3 a, V3 b) { return v3(pick(m, a.x, b.x), pick(m, a.y, b.y), pick(m, a.z, b.z)); }
