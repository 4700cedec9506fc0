// text.c -- strings and lists of numbers as JSON (RFC 8259) and CSV (RFC 4180) write them.
//
// SPDX-License-Identifier: MIT
#include "io/text.h"

#include <string.h>

const char *text_escape(char c, char out[8]) {
    unsigned char byte = (unsigned char)c;
    if (byte == '"' || byte == '\\') {
        snprintf(out, 8, "\\%c", c);
    } else if (byte < 0x20) {
        snprintf(out, 8, "\\u%04x", (unsigned)byte);
    } else {
        snprintf(out, 8, "%c", c);
    }
    return out;
}

// Lengths by the first byte, and for the second the range that leaves out overlong forms,
// surrogates and what lies beyond U+10FFFF (RFC 3629, section 4).
static size_t character(const unsigned char *s) {
    size_t length = s[0] < 0x80   ? 1
                    : s[0] < 0xC2 ? 0
                    : s[0] < 0xE0 ? 2
                    : s[0] < 0xF0 ? 3
                    : s[0] < 0xF5 ? 4
                                  : 0;
    unsigned low = s[0] == 0xE0 ? 0xA0 : s[0] == 0xF0 ? 0x90 : 0x80;
    unsigned high = s[0] == 0xED ? 0x9F : s[0] == 0xF4 ? 0x8F : 0xBF;
    if (length > 1 && (s[1] < low || s[1] > high)) return 0;
    for (size_t i = 2; i < length; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0;
    }
    return length;
}

bool text_is_utf8(const char *text) {
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        size_t length = character(s);
        if (length == 0) return false;
        s += length;
    }
    return true;
}

bool text_json(Output *out, const char *text, impError *err) {
    char one[8];
    bool ok = output_write(out, "\"", 1, err);
    for (const char *c = text; ok && *c; c++) {
        const char *piece = text_escape(*c, one);
        ok = output_write(out, piece, strlen(piece), err);
    }
    return ok && output_write(out, "\"", 1, err);
}

bool text_csv(Output *out, const char *text, impError *err) {
    if (!strpbrk(text, ",\"\r\n")) return output_write(out, text, strlen(text), err);
    bool ok = output_write(out, "\"", 1, err);
    for (const char *c = text; ok && *c; c++) {
        ok = *c == '"' ? output_write(out, "\"\"", 2, err) : output_write(out, c, 1, err);
    }
    return ok && output_write(out, "\"", 1, err);
}

bool text_numbers(Output *out, const double *value, int count, impError *err) {
    bool ok = output_write(out, "[", 1, err);
    for (int i = 0; ok && i < count; i++) {
        ok = output_print(out, err, "%s%s", i ? ", " : "", show(value[i]).text);
    }
    return ok && output_write(out, "]", 1, err);
}
