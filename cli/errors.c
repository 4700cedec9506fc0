// errors.c -- trouble, told on stderr: one line each, or one JSON object a line with --errors=json.
//
// Every message says who speaks ("impel run: ...") unless it has a place of its own
// ("tower.json:14:9: ...").
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static bool as_json;
static const char *speaker = "";  // " run"

void cli_errors_as_json(bool yes) { as_json = yes; }

void cli_name(const char *command) { speaker = command; }

static void tell_json(const char *kind, const char *text, const impMessage *place) {
    fprintf(stderr, "{\"kind\": \"%s\", ", kind);
    if (place && place->file[0]) {
        fputs("\"file\": ", stderr);
        cli_json_quote(stderr, place->file);
        fprintf(stderr, ", \"line\": %d, \"column\": %d, ", place->line, place->column);
    }
    fputs("\"text\": ", stderr);
    cli_json_quote(stderr, text);
    fputs("}\n", stderr);
}

// names come from files: no control character reaches the terminal
static void tell(const char *kind, char *text) {
    if (!as_json) {
        cli_make_plain(text);
    }
    if (as_json) {
        tell_json(kind, text, NULL);
    } else {
        fprintf(stderr, "impel%s%s: %s\n", speaker[0] ? " " : "", speaker, text);
    }
}

int cli_usage(const char *format, ...) {
    char text[640];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    tell("usage", text);
    if (!as_json) {
        fprintf(stderr, "see 'impel%s%s --help'\n", speaker[0] ? " " : "", speaker);
    }
    return EXIT_USAGE;
}

static const char *kind_of(int code) {
    switch (code) {
    case EXIT_INPUT: return "input";
    case EXIT_CHECK: return "check";
    case EXIT_LIMIT: return "limit";
    case EXIT_IO: return "io";
    case EXIT_FAILED_TRIALS: return "failed";
    case EXIT_DAMAGED: return "damaged";
    case EXIT_USAGE: return "usage";
    default: return "bug";
    }
}

int cli_fail(int code, const char *format, ...) {
    char text[640];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    tell(kind_of(code), text);
    return code;
}

void cli_note(const char *kind, const char *text) {
    if (as_json) {
        tell_json(kind, text, NULL);
    } else {
        fprintf(stderr, "%s: %s\n", kind, text);
    }
}

static void tell_message(const impError *err, int i, int code) {
    char line[sizeof err->message[0].file + sizeof err->message[0].text + 32];
    if (as_json) {
        tell_json(kind_of(code), err->message[i].text, &err->message[i]);
        return;
    }
    impError_Print(err, i, line, sizeof line);
    cli_make_plain(line);
    if (err->message[i].file[0]) {
        fprintf(stderr, "%s\n", line);
    } else {
        tell(NULL, line);
    }
}

static void tell_all(const impError *err, int code) {
    for (int i = 0; i < err->count && i < IMP_MESSAGES; i++) {
        tell_message(err, i, code);
    }
    if (err->count > IMP_MESSAGES && !as_json) {
        fprintf(stderr, "%d errors\n", err->count);
    }
    if (err->count > IMP_MESSAGES && as_json) {
        fprintf(stderr, "{\"kind\": \"count\", \"errors\": %d}\n", err->count);
    }
    if (err->count == 0) {
        tell("bug", (char[]){ "the library failed without a word" });
    }
}

int cli_input_fault(const impError *err) {
    // a scene that cannot be read is bad input to the person who named it
    int code = err->fault == IMP_AT_LIMIT                                  ? EXIT_LIMIT
               : err->fault == IMP_DAMAGED                                 ? EXIT_DAMAGED
               : err->fault == IMP_BAD_INPUT || err->fault == IMP_BAD_FILE ? EXIT_INPUT
                                                                           : EXIT_BUG;
    tell_all(err, code);
    return code;
}

int cli_output_fault(const impError *err) {
    // an output name that no format knows is a slip on the command line
    int code = err->fault == IMP_AT_LIMIT   ? EXIT_LIMIT
               : err->fault == IMP_BAD_FILE ? EXIT_IO
                                            : EXIT_USAGE;
    tell_all(err, code);
    return code;
}

// Levenshtein's distance, over one row of the table; words longer than it are near nothing.
static int distance(const char *a, const char *b) {
    enum { LONGEST = 32 };
    int row[LONGEST + 1];
    int n = (int)strlen(b);
    if (strlen(a) > LONGEST || n > LONGEST) return LONGEST;
    for (int j = 0; j <= n; j++) {
        row[j] = j;
    }
    for (int i = 1; a[i - 1]; i++) {
        int corner = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int up = row[j];
            int best = corner + (a[i - 1] != b[j - 1]);
            if (up + 1 < best) {
                best = up + 1;
            }
            if (row[j - 1] + 1 < best) {
                best = row[j - 1] + 1;
            }
            corner = up;
            row[j] = best;
        }
    }
    return row[n];
}

const char *cli_nearest(const char *word, const char *const *words, int count) {
    const char *best = NULL;
    // farther than that is another word
    int most = (int)strlen(word) / 3 + 1;
    int least = most + 1;
    if (strlen(word) < 2) return NULL;
    for (int i = 0; i < count; i++) {
        int d = distance(word, words[i]);
        if (d < least) {
            least = d;
            best = words[i];
        }
    }
    return best;
}
