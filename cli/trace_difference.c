// trace_difference.c -- the first difference of two traces, by their text: 17 digits keep every
// bit.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct Side {
    const char *path;
    FILE *file;
    char *line;
    size_t room;
    long number;  // of the line, from 1
} Side;

static bool open_side(Side *side, const char *path) {
    *side = (Side){ .path = path, .file = fopen(path, "r") };
    return side->file != NULL;
}

static void close_side(Side *side) {
    if (side->file) {
        fclose(side->file);
    }
    free(side->line);
}

// 1: a line, 0: the end, -1: could not be read
static int next_line(Side *side) {
    ssize_t length = getline(&side->line, &side->room, side->file);
    if (length < 0) return feof(side->file) ? 0 : -1;
    while (length > 0 && (side->line[length - 1] == '\n' || side->line[length - 1] == '\r')) {
        side->line[--length] = 0;
    }
    side->number++;
    return 1;
}

// The field at *text, which moves behind it; a quoted one keeps its quotes. NULL when there is
// none.
static char *next_field(char **text) {
    char *start = *text;
    char *c = start;
    bool quoted = false;
    if (!start) return NULL;
    for (; *c && (quoted || *c != ','); c++) {
        if (*c == '"') {
            quoted = !quoted;
        }
    }
    *text = *c ? c + 1 : NULL;
    *c = 0;
    return start;
}

static void tell_difference(Side *a, Side *b, char *header) {
    char *left = a->line;
    char *right = b->line;
    char *names = header;
    char *time = NULL;
    char *body = NULL;
    for (int i = 0; left || right; i++) {
        char *name = next_field(&names);
        char *x = next_field(&left);
        char *y = next_field(&right);
        if (i == 0) {
            time = x;
        }
        if (i == 1) {
            body = x;
        }
        if (x && y && strcmp(x, y) == 0) continue;
        printf("first difference: line %ld, t = %s, body '%s', %s\n", a->number, time ? time : "?",
               body ? body : "?", name ? name : "a field without a name");
        printf("  %s: %s\n  %s: %s\n", a->path, x ? x : "nothing", b->path, y ? y : "nothing");
        return;
    }
}

static int tell_columns(const Side *a, const Side *b) {
    printf("the traces have different columns\n  %s: %s\n  %s: %s\n", a->path, a->line, b->path,
           b->line);
    return EXIT_CHECK;
}

static int tell_lengths(const Side *shorter, const Side *longer) {
    printf("%s ends after line %ld, %s goes on\n", shorter->path, shorter->number, longer->path);
    return EXIT_CHECK;
}

// Reads a line of both. *code is what is to be said when either has none, or EXIT_OK when both end
// together.
static bool next_lines(Side *a, Side *b, int *code) {
    int more_a = next_line(a);
    int why = errno;
    int more_b = next_line(b);
    if (more_a < 0) {
        *code = cli_fail(EXIT_INPUT, "%s: %s", a->path, strerror(why));
    } else if (more_b < 0) {
        *code = cli_fail(EXIT_INPUT, "%s: %s", b->path, strerror(errno));
    } else if (more_a != more_b) {
        *code = more_a ? tell_lengths(b, a) : tell_lengths(a, b);
    }
    return more_a == 1 && more_b == 1;
}

static int compare_lines(Side *a, Side *b) {
    int code = EXIT_OK;
    if (!next_lines(a, b, &code)) return code;
    if (strcmp(a->line, b->line) != 0) return tell_columns(a, b);
    char *header = strdup(a->line);
    if (!header) return cli_fail(EXIT_LIMIT, "out of memory");
    while (code == EXIT_OK && next_lines(a, b, &code)) {
        if (strcmp(a->line, b->line) == 0) continue;
        tell_difference(a, b, header);
        code = EXIT_CHECK;
    }
    free(header);
    return code;
}

int cli_trace_difference(Cli *cli, const char *first, const char *second) {
    Side a = { 0 }, b = { 0 };
    int code = cli_refuse_kind(first, FILE_TRACE);
    if (code == EXIT_OK) {
        code = cli_refuse_kind(second, FILE_TRACE);
    }
    if (code) return code;
    if (!open_side(&a, first)) {
        code = cli_fail(EXIT_INPUT, "%s: %s", first, strerror(errno));
    } else if (!open_side(&b, second)) {
        code = cli_fail(EXIT_INPUT, "%s: %s", second, strerror(errno));
    } else {
        code = compare_lines(&a, &b);
    }
    if (code == EXIT_OK && !cli->opt.quiet) {
        printf("equal\n");
    }
    close_side(&a);
    close_side(&b);
    return code;
}
