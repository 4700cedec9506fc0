// recording.h -- what the writer and the reader of recordings share (inside io/): chunks, their
// sum, and numbers as bytes.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "io/io.h"
#include "io/text.h"

#include <string.h>

#define RECORDING_MAGIC "IMPELREC"
enum {
    RECORDING_VERSION = 4,
    RECORDING_FRONT = 16,  // bytes: magic, version, zero
    CHUNK_FRONT = 16,      // tag, zero, length of the payload
    CHUNK_BACK = 8,        // the sum
    FRAME_NUMBERS = 31,    // of a frame's chunk, before the state
    CONTACT_BYTES = 192,
    VELOCITY_CHANGE_BYTES = 120
};

static inline size_t recording_padded(size_t length) { return (length + 7) / 8 * 8; }

static inline void bytes_put_64(unsigned char *to, uint64_t value) {
    for (int i = 0; i < 8; i++) {
        to[i] = (unsigned char)(value >> 8 * i & 0xff);
    }
}

static inline uint64_t bytes_get_64(const unsigned char *from) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value |= (uint64_t)from[i] << 8 * i;
    }
    return value;
}

// The sum of a chunk goes on from that of the chunk before, so that none can be lost, doubled or
// moved. A word at a time; every step can be undone, so that a single change is never missed.
// count: a multiple of 8
static inline uint64_t recording_sum(uint64_t sum, const unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < count; i += 8) {
        sum = (sum ^ bytes_get_64(bytes + i)) * 0x100000001b3u;
        sum = sum << 29 | sum >> 35;
    }
    return sum;
}

// A row of numbers, read or written one after the other: the same list of fields serves both ways.
// one of them is NULL
typedef struct Numbers {
    unsigned char *to;
    const unsigned char *from;
} Numbers;
static inline void numbers_word(Numbers *n, uint64_t *value) {
    if (n->to) {
        bytes_put_64(n->to, *value);
        n->to += 8;
    } else {
        *value = bytes_get_64(n->from);
        n->from += 8;
    }
}
static inline void numbers_real(Numbers *n, double *value) {
    uint64_t bits;
    memcpy(&bits, value, sizeof bits);
    numbers_word(n, &bits);
    memcpy(value, &bits, sizeof bits);
}
static inline void numbers_vec(Numbers *n, impVec3 *v) {
    numbers_real(n, &v->x);
    numbers_real(n, &v->y);
    numbers_real(n, &v->z);
}
// FRAME_NUMBERS words
void numbers_frame(Numbers *n, impFrame *frame);
void numbers_contact(Numbers *n, impContact *contact);              // CONTACT_BYTES
void numbers_turn(Numbers *n, impVelocityChange *velocity_change);  // VELOCITY_CHANGE_BYTES

// scene_write.c; free() it
char *scene_text(const impScene *scene, size_t *size, impError *err);
