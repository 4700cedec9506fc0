// hash.c -- FNV-1a, 64 bits.
//
// Fowler, Noll and Vo's hash (draft-eastlake-fnv): one exclusive or and one product a byte. For
// telling states apart and finding names, not against an adversary. Doubles go in by their bits,
// low byte first, so that machines of either byte order agree; -0 and 0 differ, and so do two NaNs
// of different bits.
//
// SPDX-License-Identifier: MIT
#include "base/base.h"

#include <string.h>

#define FNV_PRIME 0x100000001b3u

static uint64_t hash_byte(uint64_t hash, unsigned char byte) { return (hash ^ byte) * FNV_PRIME; }

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++) {
        hash = hash_byte(hash, byte[i]);
    }
    return hash;
}

uint64_t hash_doubles(uint64_t hash, const double *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        for (int shift = 0; shift < 64; shift += 8) {
            hash = hash_byte(hash, (unsigned char)(bits >> shift & 0xff));
        }
    }
    return hash;
}
