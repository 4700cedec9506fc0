// output.c -- numbers as text, aligned tables, colours, and the promise that stdout took all of it.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --- numbers -------------------------------------------------------------------------------------
static Number with_digits(double x, int digits) {
    Number n;
    snprintf(n.text, sizeof n.text, "%.*g", digits, x);
    return n;
}

Number cli_exact(double x) {
    for (int digits = 15; digits < 17; digits++) {
        Number n = with_digits(x, digits);
        if (strtod(n.text, NULL) == x) return n;
    }
    return with_digits(x, 17);
}

Number cli_exact_17(double x) { return with_digits(x, 17); }

// -0 is a wonder to people
Number cli_short(double x) { return with_digits(x == 0 ? 0 : x, 6); }

// --- stdout --------------------------------------------------------------------------------------
bool cli_colour(FILE *out) {
    const char *no = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    if (no && no[0]) return false;
    return isatty(fileno(out)) && term && strcmp(term, "dumb") != 0;
}

bool cli_stdout_broken(void) { return ferror(stdout) != 0; }

int cli_finish_stdout(int code) {
    struct stat there;
    bool pipe = fstat(STDOUT_FILENO, &there) == 0 &&
                (S_ISFIFO(there.st_mode) || S_ISSOCK(there.st_mode));
    bool bad = ferror(stdout) != 0;
    errno = 0;
    if (fflush(stdout) != 0) {
        bad = true;
    }
    // a full disk may show only now
    if (fclose(stdout) != 0) {
        bad = true;
    }
    if (!bad) return code;
    // the reader of a pipe may leave when it has seen enough: nothing to tell
    if (!pipe) {
        cli_fail(EXIT_IO, "stdout: %s", errno ? strerror(errno) : "could not be written");
    }
    return code > EXIT_SIGNAL ? code : EXIT_IO;
}

// --- tables --------------------------------------------------------------------------------------
static bool make_room(Table *table, size_t more) {
    if (table->used + more <= table->room) return true;
    size_t room = 2 * table->room + more + 1024;
    char *text = table->broken ? NULL : realloc(table->text, room);
    if (!text) {
        table->broken = true;
        return false;
    }
    table->text = text;
    table->room = room;
    return true;
}

void cli_cell(Table *table, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (length < 0 || !make_room(table, (size_t)length + 1)) return;
    va_start(list, format);
    vsnprintf(table->text + table->used, (size_t)length + 1, format, list);
    va_end(list);
    // names come from files: a control character must not reach the terminal
    for (char *c = table->text + table->used; *c; c++) {
        if ((unsigned char)*c < 32 || *c == 127) {
            *c = '?';
        }
    }
    table->used += (size_t)length + 1;
    table->cells++;
}

// characters, not bytes of UTF-8
static int width_of(const char *cell) {
    int width = 0;
    for (; *cell; cell++) {
        width += ((unsigned char)*cell & 0xC0) != 0x80;
    }
    return width;
}

enum { COLUMNS = 16 };

static void measure(const Table *table, int columns, int width[COLUMNS]) {
    const char *cell = table->text;
    for (size_t i = 0; i < table->cells; i++, cell += strlen(cell) + 1) {
        int w = width_of(cell);
        if (w > width[i % (size_t)columns]) {
            width[i % (size_t)columns] = w;
        }
    }
}

static const char *paint(const char *cell, bool heading) {
    if (heading) return "\033[1m";
    return strcmp(cell, "pass") == 0 ? "\033[32m" : strcmp(cell, "MISS") == 0 ? "\033[31m" : NULL;
}

static void print_cell(const char *cell, const char *colour, FILE *out) {
    if (colour) {
        fprintf(out, "%s%s\033[0m", colour, cell);
    } else {
        fputs(cell, out);
    }
}

// Blanks are owed, and paid only before the next text: no line ends in blanks.
static const char *print_row(const Table *table, const char *cell, const int *width, bool heading,
                             FILE *out) {
    int owed = table->indent;
    for (int c = 0; table->align[c]; c++, cell += strlen(cell) + 1) {
        int gap = width[c] - width_of(cell);
        if (table->align[c] == 'r') {
            owed += gap;
        }
        if (cell[0]) {
            fprintf(out, "%*s", owed, "");
            print_cell(cell, cli_colour(out) ? paint(cell, heading) : NULL, out);
            owed = 0;
        }
        if (table->align[c] != 'r') {
            owed += gap;
        }
        owed += 2;
    }
    fputc('\n', out);
    return cell;
}

void cli_table_empty(Table *table) {
    free(table->text);
    table->text = NULL;
    table->used = table->room = table->cells = 0;
}

bool cli_table_print(Table *table, FILE *out) {
    int columns = (int)strlen(table->align);
    int width[COLUMNS] = { 0 };
    bool whole = !table->broken && columns <= COLUMNS;
    if (whole && table->cells) {
        const char *cell = table->text;
        measure(table, columns, width);
        for (size_t row = 0; row < table->cells / (size_t)columns && !ferror(out); row++) {
            cell = print_row(table, cell, width, table->head && row == 0, out);
        }
    }
    cli_table_empty(table);
    return whole;
}
