// json.c -- JSON out: one value after the other, indented, numbers with the fewest digits that read
// back equal.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <math.h>

// Length of the UTF-8 character at text, 0 if there is none: file names may be any bytes.
static int utf8_length(const unsigned char *t) {
    if (t[0] < 0x80) return 1;
    int n = t[0] >= 0xC2 && t[0] < 0xE0   ? 2
            : (t[0] & 0xF0) == 0xE0       ? 3
            : t[0] >= 0xF0 && t[0] < 0xF5 ? 4
                                          : 0;
    for (int i = 1; i < n; i++) {
        if ((t[i] & 0xC0) != 0x80) return 0;
    }
    // too long; half a pair
    if ((t[0] == 0xE0 && t[1] < 0xA0) || (t[0] == 0xED && t[1] > 0x9F)) return 0;
    if ((t[0] == 0xF0 && t[1] < 0x90) || (t[0] == 0xF4 && t[1] > 0x8F)) return 0;
    return n;
}

void cli_make_plain(char *text) {
    for (unsigned char *t = (unsigned char *)text; *t;) {
        int n = utf8_length(t);
        if (n == 0 || t[0] < 32 || t[0] == 127) {
            *t = '?';
        }
        t += n ? n : 1;
    }
}

static int quote_one(FILE *out, const unsigned char *t) {
    int n = utf8_length(t);
    if (n == 0) {
        fputs("\\ufffd", out);
    } else if (t[0] == '"' || t[0] == '\\') {
        fprintf(out, "\\%c", t[0]);
    } else if (t[0] == '\n') {
        fputs("\\n", out);
    } else if (t[0] == '\t') {
        fputs("\\t", out);
    } else if (t[0] < 32 || t[0] == 127) {
        fprintf(out, "\\u%04x", t[0]);
    } else {
        fwrite(t, 1, (size_t)n, out);
    }
    return n ? n : 1;
}

void cli_json_quote(FILE *out, const char *text) {
    const unsigned char *t = (const unsigned char *)text;
    fputc('"', out);
    while (*t) {
        t += quote_one(out, t);
    }
    fputc('"', out);
}

// The comma, the new line and the key before a value.
static void begin(Json *j, const char *key) {
    if (j->depth > 0) {
        fprintf(j->out, "%s\n%*s", j->more ? "," : "", 2 * j->depth, "");
    }
    if (key) {
        cli_json_quote(j->out, key);
        fputs(": ", j->out);
    }
    j->more = true;
}

void cli_json_open(Json *j, const char *key, char bracket) {
    begin(j, key);
    fputc(bracket, j->out);
    j->depth++;
    j->more = false;
}

void cli_json_close(Json *j, char bracket) {
    j->depth--;
    if (j->more) {
        fprintf(j->out, "\n%*s", 2 * j->depth, "");
    }
    fputc(bracket, j->out);
    j->more = true;
    if (j->depth == 0) {
        fputc('\n', j->out);
    }
}

static void number(FILE *out, double value) {
    fputs(isfinite(value) ? cli_exact(value).text : "null", out);
}

void cli_json_text(Json *j, const char *key, const char *text) {
    begin(j, key);
    if (text) {
        cli_json_quote(j->out, text);
    } else {
        fputs("null", j->out);
    }
}

void cli_json_number(Json *j, const char *key, double value) {
    begin(j, key);
    number(j->out, value);
}

void cli_json_count(Json *j, const char *key, int64_t value) {
    begin(j, key);
    fprintf(j->out, "%lld", (long long)value);
}

void cli_json_bool(Json *j, const char *key, bool value) {
    begin(j, key);
    fputs(value ? "true" : "false", j->out);
}

void cli_json_list(Json *j, const char *key, const double *values, int count) {
    begin(j, key);
    fputc('[', j->out);
    for (int i = 0; i < count; i++) {
        if (i) {
            fputs(", ", j->out);
        }
        number(j->out, values[i]);
    }
    fputc(']', j->out);
}

void cli_json_raw(Json *j, const char *key) { begin(j, key); }

void cli_json_vec(Json *j, const char *key, impVec3 v) {
    cli_json_list(j, key, (const double[]){ v.x, v.y, v.z }, 3);
}
