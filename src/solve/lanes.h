// lanes.h -- LANES numbers side by side, with the arithmetic of one (inside solve/; included by
// coloured_kernel.h).
//
// V is LANES doubles and M a truth for each of them. + - * / and root() are IEEE 754's in every
// lane, nothing is fused, nothing is summed across lanes: so a lane has the bits that the plain
// program has. LANES is 1, 4 (AVX2) or 8 (AVX-512); the including file has told the compiler that
// the instructions are there.
//
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdbool.h>
#include <string.h>

// Functions of vectors are always in line: compilers keep some of the larger ones apart, and pass
// vectors through memory.
#if defined(__OPTIMIZE__)
#define IN_LANES static inline __attribute__((always_inline))
#else
#define IN_LANES static inline
#endif

// numbers of a record: that of a body
enum { RECORD = 8 };

#if LANES == 8
#include <immintrin.h>
typedef __m512d V;
typedef __mmask8 M;
IN_LANES V each(double x) { return _mm512_set1_pd(x); }
IN_LANES V load(const double *from) { return _mm512_load_pd(from); }
IN_LANES void save(double *to, V a) { _mm512_store_pd(to, a); }
IN_LANES V root(V a) { return _mm512_sqrt_pd(a); }
IN_LANES V size(V a) { return _mm512_abs_pd(a); }
// a > b ? a : b
IN_LANES V larger(V a, V b) { return _mm512_max_pd(a, b); }
// m ? a : b
IN_LANES V pick(M m, V a, V b) { return _mm512_mask_blend_pd(m, b, a); }
IN_LANES M below(V a, V b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
IN_LANES M unlike(V a, V b) { return _mm512_cmp_pd_mask(a, b, _CMP_NEQ_UQ); }
IN_LANES bool some(M a) { return a != 0; }
// Exchanges rows and columns of eight vectors.
IN_LANES void exchange(V r[RECORD]) {
    V t[RECORD], s[RECORD];
    for (int i = 0; i < 4; i++) {
        t[i] = _mm512_unpacklo_pd(r[2 * i], r[2 * i + 1]);
        t[i + 4] = _mm512_unpackhi_pd(r[2 * i], r[2 * i + 1]);
    }
    for (int i = 0; i < 2; i++) {
        s[4 * i] = _mm512_shuffle_f64x2(t[4 * i], t[4 * i + 1], 0x88);
        s[4 * i + 1] = _mm512_shuffle_f64x2(t[4 * i], t[4 * i + 1], 0xdd);
        s[4 * i + 2] = _mm512_shuffle_f64x2(t[4 * i + 2], t[4 * i + 3], 0x88);
        s[4 * i + 3] = _mm512_shuffle_f64x2(t[4 * i + 2], t[4 * i + 3], 0xdd);
    }
    for (int i = 0; i < 2; i++) {
        r[i] = _mm512_shuffle_f64x2(s[4 * i], s[4 * i + 2], 0x88);
        r[i + 4] = _mm512_shuffle_f64x2(s[4 * i], s[4 * i + 2], 0xdd);
        r[i + 2] = _mm512_shuffle_f64x2(s[4 * i + 1], s[4 * i + 3], 0x88);
        r[i + 6] = _mm512_shuffle_f64x2(s[4 * i + 1], s[4 * i + 3], 0xdd);
    }
}
// out[i] has number i of the record of each lane
IN_LANES void read_records(double *const *record, V out[RECORD]) {
    for (int i = 0; i < RECORD; i++) {
        out[i] = load(record[i]);
    }
    exchange(out);
}
IN_LANES void write_records(double *const *record, const V in[RECORD]) {
    V row[RECORD];
    for (int i = 0; i < RECORD; i++) {
        row[i] = in[i];
    }
    exchange(row);
    for (int i = 0; i < RECORD; i++) {
        save(record[i], row[i]);
    }
}
#elif LANES == 4
#include <immintrin.h>
typedef __m256d V;
typedef __m256d M;
IN_LANES V each(double x) { return _mm256_set1_pd(x); }
IN_LANES V load(const double *from) { return _mm256_load_pd(from); }
IN_LANES void save(double *to, V a) { _mm256_store_pd(to, a); }
IN_LANES V root(V a) { return _mm256_sqrt_pd(a); }
IN_LANES V size(V a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
IN_LANES V larger(V a, V b) { return _mm256_max_pd(a, b); }
IN_LANES V pick(M m, V a, V b) { return _mm256_blendv_pd(b, a, m); }
IN_LANES M below(V a, V b) { return _mm256_cmp_pd(a, b, _CMP_LT_OQ); }
IN_LANES M unlike(V a, V b) { return _mm256_cmp_pd(a, b, _CMP_NEQ_UQ); }
IN_LANES bool some(M a) { return _mm256_movemask_pd(a) != 0; }
// Exchanges rows and columns of four vectors.
IN_LANES void exchange(V r[LANES]) {
    V t0 = _mm256_unpacklo_pd(r[0], r[1]);
    V t1 = _mm256_unpackhi_pd(r[0], r[1]);
    V t2 = _mm256_unpacklo_pd(r[2], r[3]);
    V t3 = _mm256_unpackhi_pd(r[2], r[3]);
    r[0] = _mm256_permute2f128_pd(t0, t2, 0x20);
    r[1] = _mm256_permute2f128_pd(t1, t3, 0x20);
    r[2] = _mm256_permute2f128_pd(t0, t2, 0x31);
    r[3] = _mm256_permute2f128_pd(t1, t3, 0x31);
}
IN_LANES void read_records(double *const *record, V out[RECORD]) {
    for (int i = 0; i < LANES; i++) {
        out[i] = load(record[i]);
        out[i + LANES] = load(record[i] + LANES);
    }
    exchange(out);
    exchange(out + LANES);
}
IN_LANES void write_records(double *const *record, const V in[RECORD]) {
    V row[RECORD];
    for (int i = 0; i < RECORD; i++) {
        row[i] = in[i];
    }
    exchange(row);
    exchange(row + LANES);
    for (int i = 0; i < LANES; i++) {
        save(record[i], row[i]);
        save(record[i] + LANES, row[i + LANES]);
    }
}
#else
typedef double V;
typedef bool M;
IN_LANES V each(double x) { return x; }
IN_LANES V load(const double *from) { return *from; }
IN_LANES void save(double *to, V a) { *to = a; }
IN_LANES V root(V a) { return sqrt(a); }
IN_LANES V size(V a) { return fabs(a); }
IN_LANES V larger(V a, V b) { return a > b ? a : b; }
IN_LANES V pick(M m, V a, V b) { return m ? a : b; }
IN_LANES M below(V a, V b) { return a < b; }
IN_LANES M unlike(V a, V b) { return a != b; }
IN_LANES bool some(M a) { return a; }
IN_LANES void read_records(double *const *record, V out[RECORD]) {
    memcpy(out, record[0], RECORD * sizeof(V));
}
IN_LANES void write_records(double *const *record, const V in[RECORD]) {
    memcpy(record[0], in, RECORD * sizeof(V));
}
#endif
