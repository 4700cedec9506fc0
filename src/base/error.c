// error.c -- where a thing was said, and what is wrong with it.
//
// An error is a sentence and failing is one line: `return fail(...)`, as in SDL. Names in a
// sentence come from files that anyone may have written, so whatever is stored or printed is one
// line without control characters, whole in UTF-8 and never longer than its room. Texts lose their
// end, file names their beginning: the folder is the part one can guess. Suggestions follow Damerau
// (1964) in its restricted form: a letter is missing, extra, wrong or swapped.
//
// Assumed: an impError was zeroed by its owner, and belongs to one thread at a time.
//
// SPDX-License-Identifier: MIT
#include "base/base.h"

#include <limits.h>
#include <string.h>

// longer words get no suggestion: they are data and no misspelled names
enum { LONGEST_WORD = 63 };

static char printable(char c) {
    unsigned char byte = (unsigned char)c;
    return byte < 0x20 || byte == 0x7f ? '?' : c;
}

static bool inside_character(char c) { return ((unsigned char)c & 0xC0u) == 0x80; }

// Ends the size - 1 bytes in out, the start of a longer text, with "..." after a whole character.
// Text that is not UTF-8 may have no border to find, hence the three steps.
static void end_with_dots(char *out, size_t size) {
    if (size < 4) {
        if (size > 0) {
            out[0] = 0;
        }
        return;
    }
    size_t keep = size - 4;
    for (int i = 0; i < 3 && keep > 0 && inside_character(out[keep]); i++) {
        keep--;
    }
    memcpy(out + keep, "...", 4);
}

// --- One line ------------------------------------------------------------------------------------

// Adds text at position at, which may lie beyond size: positions go on counting when out is full.
static size_t append(char *out, size_t size, size_t at, const char *text) {
    for (; *text; text++, at++) {
        if (at + 1 < size) {
            out[at] = printable(*text);
        }
    }
    return at;
}

static size_t append_number(char *out, size_t size, size_t at, int number) {
    char digits[16];
    snprintf(digits, sizeof digits, "%d:", number);
    return append(out, size, at, digits);
}

size_t print_list(char *out, size_t size, const char *format, va_list args) {
    int length = vsnprintf(out, size, format, args);
    return length < 0 ? 0 : (size_t)length;
}

size_t print_text(char *out, size_t size, const char *format, ...) {
    va_list args;
    va_start(args, format);
    size_t length = print_list(out, size, format, args);
    va_end(args);
    return length;
}

size_t print_where(Where at, const char *text, char *out, size_t size) {
    size_t n = 0;
    if (at.file && at.file[0]) {
        n = append(out, size, n, at.file);
        n = append(out, size, n, ":");
    }
    // a column without its line would be read as a line
    if (at.line > 0) {
        n = append_number(out, size, n, at.line);
    }
    if (at.line > 0 && at.column > 0) {
        n = append_number(out, size, n, at.column);
    }
    if (n > 0) {
        n = append(out, size, n, " ");
    }
    n = append(out, size, n, text ? text : "");

    if (n < size) {
        out[n] = 0;
    } else {
        end_with_dots(out, size);
    }
    return n;
}

size_t impError_Print(const impError *err, int i, char *out, size_t size) {
    if (err == NULL || i < 0 || i >= err->count || i >= IMP_MESSAGES) {
        if (out != NULL && size > 0) {
            out[0] = 0;
        }
        return 0;
    }
    const impMessage *m = &err->message[i];
    return print_where((Where){ m->file, m->line, m->column }, m->text, out,
                       out == NULL ? 0 : size);
}

// --- Failing -------------------------------------------------------------------------------------

static void write_text(char *out, size_t size, const char *format, va_list args) {
    out[0] = 0;
    int length = vsnprintf(out, size, format, args);
    for (char *c = out; *c; c++) {
        *c = printable(*c);
    }
    if (length >= 0 && (size_t)length < size) return;
    // a negative length is a text beyond INT_MAX: what has been written, if anything, is its start
    if (strlen(out) == size - 1) {
        end_with_dots(out, size);
    } else {
        memcpy(out, "...", 4);
    }
}

static void write_file(char *out, size_t size, const char *file) {
    size_t length = strlen(file);
    size_t n = 0;
    if (length >= size) {
        n = append(out, size, 0, "...");
        file += length - (size - 1 - n);
        for (int i = 0; i < 3 && inside_character(*file); i++) {
            file++;
        }
    }
    out[append(out, size, n, file)] = 0;
}

static bool add_message(impError *err, impFault fault, Where at, const char *format, va_list args) {
    if (err == NULL) return false;
    if (err->count == 0) {
        err->fault = fault;
    }
    if (err->count >= 0 && err->count < IMP_MESSAGES) {
        impMessage *m = &err->message[err->count];
        write_file(m->file, sizeof m->file, at.file ? at.file : "");
        m->line = at.line;
        m->column = at.column;
        write_text(m->text, sizeof m->text, format, args);
    }
    if (err->count < INT_MAX) {
        err->count++;
    }
    return false;
}

bool fail(impError *err, Where at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add_message(err, IMP_BAD_INPUT, at, format, args);
    va_end(args);
    return false;
}

bool fail_as(impError *err, impFault fault, Where at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add_message(err, fault, at, format, args);
    va_end(args);
    return false;
}

bool fail_memory(impError *err) {
    return fail_as(err, IMP_AT_LIMIT, (Where){ 0 },
                   "out of memory; the system has no more to give");
}

// --- Did you mean --------------------------------------------------------------------------------

static int smaller(int a, int b) { return a < b ? a : b; }

// 'BOX' is 'box'
static char folded(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

// How many letters to insert, drop, change or swap with their neighbour to make b of a. Both fit
// LONGEST_WORD. Rows i - 2, i - 1 and i of the usual table are kept.
static int distance(const char *a, int a_length, const char *b, int b_length) {
    int rows[3][LONGEST_WORD + 1];
    int *before = rows[0];
    int *above = rows[1];
    int *row = rows[2];
    for (int j = 0; j <= b_length; j++) {
        above[j] = before[j] = j;
    }
    for (int i = 1; i <= a_length; i++) {
        row[0] = i;
        for (int j = 1; j <= b_length; j++) {
            char x = folded(a[i - 1]);
            char y = folded(b[j - 1]);
            row[j] = smaller(smaller(above[j], row[j - 1]) + 1, above[j - 1] + (x != y));
            bool swapped = i > 1 && j > 1 && x == folded(b[j - 2]) && folded(a[i - 2]) == y;
            if (swapped) {
                row[j] = smaller(row[j], before[j - 2] + 1);
            }
        }
        int *spare = before;
        before = above;
        above = row;
        row = spare;
    }
    return above[b_length];
}

// Within a third of the word's letters, at least one, and with a letter in common; the first of
// equals.
const char *nearest(const char *word, const char *const *words, int count) {
    size_t length = strlen(word);
    if (length > LONGEST_WORD) return NULL;
    int n = (int)length;
    int best = n < 5 ? 1 : (n + 1) / 3;
    const char *found = NULL;
    for (int i = 0; i < count; i++) {
        size_t other = words[i] ? strlen(words[i]) : 0;
        if (other == 0 || other > LONGEST_WORD) continue;
        int d = distance(word, n, words[i], (int)other);
        if (d > best || (found && d == best) || d >= (n > (int)other ? n : (int)other)) continue;
        best = d;
        found = words[i];
    }
    return found;
}
