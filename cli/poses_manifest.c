// poses_manifest.c -- a journal's manifest, read back: whole, as it was written, or not at all.
//
// Its last value is a sum (FNV-1a) of all the text before it, so that a wrong byte is damage and
// not another run.
//
// SPDX-License-Identifier: MIT
#include "poses.h"

#include <stdlib.h>
#include <string.h>

static const char mark[] = ",\n  \"sum\": \"";

static const char *last_mark(const char *text, size_t length) {
    const size_t long_ = sizeof mark - 1;
    for (size_t at = length >= long_ ? length - long_ + 1 : 0; at-- > 0;) {
        if (memcmp(text + at, mark, long_) == 0) return text + at;
    }
    return NULL;
}

static bool sums_up(const char *text, size_t length) {
    const char *sum = last_mark(text, length);
    char right[40];
    if (!sum) return false;
    int digits = snprintf(right, sizeof right, "%016llx\"\n}\n",
                          (unsigned long long)cli_fnv(FNV_START, text, (size_t)(sum - text)));
    const char *said = sum + sizeof mark - 1;
    return (size_t)(text + length - said) == (size_t)digits &&
           memcmp(said, right, (size_t)digits) == 0;
}

bool cli_manifest_read(JsonTree *tree, const char *path, size_t most, char *why, size_t size) {
    size_t length;
    *tree = (JsonTree){ 0 };
    char *text = cli_read_whole(path, most, &length, why, size);
    if (!text) return false;
    bool good = sums_up(text, length);
    if (!good) {
        snprintf(why, size, "is damaged: its sum is not that of its text");
    }
    good = good && cli_json_parse(tree, text, length, why, size);
    free(text);
    return good;
}
