// fuzz_recording.c -- any bytes as a recording: refused in words, or read to its end.
//
// Sums would keep the fuzzer out of everything behind them, so they are put right first: what is
// tried is the reader of payloads, with lengths, tags and numbers of any kind.
//
// SPDX-License-Identifier: MIT
#include "io/recording.h"

#include <stdlib.h>
#include <unistd.h>

// Walks over the chunks as far as their lengths lead, and writes the sum behind each.
static void put_sums_right(unsigned char *bytes, size_t size) {
    uint64_t sum = recording_sum(HASH_START, bytes, RECORDING_FRONT);
    for (size_t at = RECORDING_FRONT; at + CHUNK_FRONT <= size;) {
        uint64_t length = bytes_get_64(bytes + at + 8);
        uint64_t left = size - at - CHUNK_FRONT;
        if (length > left || recording_padded((size_t)length) + CHUNK_BACK > left) return;
        size_t inside = CHUNK_FRONT + recording_padded((size_t)length);
        sum = recording_sum(sum, bytes + at, inside);
        bytes_put_64(bytes + at + inside, sum);
        at += inside + CHUNK_BACK;
    }
}

static void read_all(const char *path, bool salvage) {
    // 12 kB, and its contents do not matter
    static impError err;
    impRecording *r = (salvage ? impRecording_Salvage : impRecording_Open)(path, &err);
    if (!r) {
        if (err.count == 0) {
            __builtin_trap();
        }
        return;
    }
    impState *state = impState_New(impRecording_Model(r));
    impFrame frame;
    int more = 1;
    while (state && more == 1) {
        more = impRecording_Next(r, state, &frame, &err);
    }
    if (more < 0 && err.count == 0) {
        __builtin_trap();
    }
    if (more == 0 && !impRecording_End(r).status) {
        __builtin_trap();
    }
    impState_Free(state);
    impRecording_Free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64];
    unsigned char *bytes = malloc(size + 1);
    if (!bytes) return 0;
    memcpy(bytes, data, size);
    if (size >= RECORDING_FRONT) {
        put_sums_right(bytes, size);
    }
    snprintf(path, sizeof path, "/tmp/impel-fuzz-%ld.rec", (long)getpid());
    FILE *file = fopen(path, "wb");
    if (file) {
        fwrite(bytes, 1, size, file);
        fclose(file);
        read_all(path, false);
        read_all(path, true);
        remove(path);
    }
    free(bytes);
    return 0;
}
