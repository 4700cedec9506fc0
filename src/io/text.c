// text.c -- strings and lists of numbers as JSON (RFC 8259) and CSV (RFC 4180) write them.
//
// SPDX-License-Identifier: MIT
#include "io/text.h"

#include <string.h>

bool text_json(Output *out, const char *text, impError *err) {
    bool ok = output_write(out, "\"", 1, err);
    for (const char *c = text; ok && *c; c++) {
        unsigned char byte = (unsigned char)*c;
        if (byte == '"' || byte == '\\') ok = output_print(out, err, "\\%c", byte);
        else if (byte < 0x20) ok = output_print(out, err, "\\u%04x", byte);
        else ok = output_write(out, c, 1, err);
    }
    return ok && output_write(out, "\"", 1, err);
}

bool text_csv(Output *out, const char *text, impError *err) {
    if (!strpbrk(text, ",\"\r\n")) return output_write(out, text, strlen(text), err);
    bool ok = output_write(out, "\"", 1, err);
    for (const char *c = text; ok && *c; c++) ok = *c == '"' ? output_write(out, "\"\"", 2, err) : output_write(out, c, 1, err);
    return ok && output_write(out, "\"", 1, err);
}

bool text_numbers(Output *out, const double *value, int count, impError *err) {
    bool ok = output_write(out, "[", 1, err);
    for (int i = 0; ok && i < count; i++) ok = output_print(out, err, "%s%s", i ? ", " : "", show(value[i]).text);
    return ok && output_write(out, "]", 1, err);
}
