// json_read.c -- JSON in: what the command itself wrote, manifests and shards, read back strictly.
//
// The whole text becomes a list of values; texts and numbers are decoded in place and ended by a
// zero. Scenes are read by the library, which knows the line of every value; here a file is one of
// ours or is refused.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32 };

typedef struct Reader {
    JsonTree *tree;
    size_t at, end;
    const char *why;
} Reader;

static int32_t give_up(Reader *r, const char *why) {
    if (!r->why) {
        r->why = why;
    }
    return -1;
}

static void skip_blanks(Reader *r) {
    while (r->at < r->end && memchr(" \t\r\n", r->tree->bytes[r->at], 4)) {
        r->at++;
    }
}

static bool take(Reader *r, char c) {
    if (r->at >= r->end || r->tree->bytes[r->at] != c) return false;
    r->at++;
    return true;
}

static int32_t add(Reader *r, JsonKind kind) {
    JsonTree *t = r->tree;
    if (t->count == t->room) {
        int32_t room = t->room < 64 ? 64 : t->room < INT32_MAX / 2 ? 2 * t->room : 0;
        JsonValue *value = room ? realloc(t->value, (size_t)room * sizeof *value) : NULL;
        if (!value) return give_up(r, "out of memory");
        t->value = value;
        t->room = room;
    }
    t->value[t->count] = (JsonValue){ .kind = kind, .child = -1, .next = -1 };
    return t->count++;
}

// --- texts ---------------------------------------------------------------------------------------
static int hex(const char *c) {
    int value = 0;
    for (int i = 0; i < 4; i++) {
        int digit = c[i] >= '0' && c[i] <= '9'                 ? c[i] - '0'
                    : (c[i] | 32) >= 'a' && (c[i] | 32) <= 'f' ? (c[i] | 32) - 'a' + 10
                                                               : -1;
        if (digit < 0) return -1;
        value = 16 * value + digit;
    }
    return value;
}

// Never longer than its escape; half of a pair is kept as it is.
static char *put_utf8(char *to, int code) {
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
        *to++ = (char)(0x80 | (code & 63));
    } else {
        *to++ = (char)(0xE0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 63));
        *to++ = (char)(0x80 | (code & 63));
    }
    return to;
}

static bool read_text(Reader *r, size_t *start) {
    char *b = r->tree->bytes;
    char *to = b + r->at;
    *start = r->at;
    while (r->at < r->end && b[r->at] != '"') {
        char c = b[r->at++];
        if ((unsigned char)c < 32) {
            give_up(r, "a control character in a text");
            return false;
        }
        if (c != '\\') {
            *to++ = c;
            continue;
        }
        char e = r->at < r->end ? b[r->at++] : 0;
        const char *plain = e ? strchr("\"\\/bfnrt", e) : NULL;
        if (plain) {
            *to++ = "\"\\/\b\f\n\r\t"[plain - "\"\\/bfnrt"];
        } else {
            int code = e == 'u' && r->end - r->at >= 4 ? hex(b + r->at) : -1;
            if (code < 1) {
                give_up(r, "an unknown escape in a text");
                return false;
            }
            r->at += 4;
            to = put_utf8(to, code);
        }
    }
    if (r->at >= r->end) {
        give_up(r, "a text without an end");
        return false;
    }
    r->at++;
    // on the closing quote or before it
    *to = 0;
    return true;
}

// --- values --------------------------------------------------------------------------------------
static int32_t read_value(Reader *r, int depth);

static int32_t read_members(Reader *r, int depth, bool object) {
    int32_t self = add(r, object ? JSON_OBJECT : JSON_LIST);
    int32_t last = -1;
    char close = object ? '}' : ']';
    skip_blanks(r);
    if (self < 0 || take(r, close)) return self;
    do {
        size_t key = 0;
        skip_blanks(r);
        if (object && (!take(r, '"') || !read_text(r, &key))) return give_up(r, "a key is missing");
        skip_blanks(r);
        if (object && !take(r, ':')) return give_up(r, "a colon is missing");
        int32_t value = read_value(r, depth + 1);
        if (value < 0) return -1;
        r->tree->value[value].key = key;
        if (last < 0) {
            r->tree->value[self].child = value;
        } else {
            r->tree->value[last].next = value;
        }
        last = value;
        skip_blanks(r);
    } while (take(r, ','));
    return take(r, close) ? self : give_up(r, "a bracket is not closed");
}

// Moved one byte down, onto the blank, bracket, comma or colon before it, so that there is room for
// the zero.
static int32_t read_number(Reader *r) {
    char *b = r->tree->bytes;
    size_t from = r->at;
    while (r->at < r->end && b[r->at] && strchr("0123456789+-.eE", b[r->at])) {
        r->at++;
    }
    if (from == 0 || r->at == from) return give_up(r, "no value where one should be");
    int32_t self = add(r, JSON_NUMBER);
    double value;
    memmove(b + from - 1, b + from, r->at - from);
    b[r->at - 1] = 0;
    if (!cli_read_number(b + from - 1, &value)) return give_up(r, "no number where one should be");
    if (self >= 0) {
        r->tree->value[self].text = from - 1;
    }
    return self;
}

static int32_t read_word(Reader *r, const char *word, JsonKind kind) {
    size_t length = strlen(word);
    if (r->end - r->at < length || memcmp(r->tree->bytes + r->at, word, length) != 0)
        return give_up(r, "an unknown word");
    r->at += length;
    return add(r, kind);
}

static int32_t read_value(Reader *r, int depth) {
    skip_blanks(r);
    if (depth > DEEPEST) return give_up(r, "brackets too deep");
    switch (r->at < r->end ? r->tree->bytes[r->at] : 0) {
    case 't': return read_word(r, "true", JSON_TRUE);
    case 'f': return read_word(r, "false", JSON_FALSE);
    case 'n': return read_word(r, "null", JSON_NULL);
    case '{': r->at++; return read_members(r, depth, true);
    case '[': r->at++; return read_members(r, depth, false);
    case '"': {
        size_t start;
        r->at++;
        if (!read_text(r, &start)) return -1;
        int32_t self = add(r, JSON_TEXT);
        if (self >= 0) {
            r->tree->value[self].text = start;
        }
        return self;
    }
    default: return read_number(r);
    }
}

static bool parse(JsonTree *tree, size_t length, char *why, size_t size) {
    Reader r = { .tree = tree, .end = length };
    int32_t whole = read_value(&r, 0);
    skip_blanks(&r);
    if (whole == 0 && r.at < r.end) {
        give_up(&r, "something follows the value");
    }
    if (r.why) {
        snprintf(why, size, "%s, at byte %zu", r.why, r.at);
    }
    return !r.why;
}

bool cli_json_parse(JsonTree *tree, const char *text, size_t length, char *why, size_t size) {
    *tree = (JsonTree){ .bytes = malloc(length + 1) };
    if (!tree->bytes) {
        snprintf(why, size, "out of memory");
        return false;
    }
    memcpy(tree->bytes, text, length);
    tree->bytes[length] = 0;
    return parse(tree, length, why, size);
}

char *cli_read_whole(const char *path, size_t most, size_t *length, char *why, size_t size) {
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    size_t room = 0;
    *length = 0;
    while (file && *length <= most) {
        if (*length == room) {
            char *more = realloc(bytes, (room = 2 * room + 65536) + 1);
            if (!more) break;
            bytes = more;
        }
        size_t got = fread(bytes + *length, 1, room - *length, file);
        if (got == 0) break;
        *length += got;
    }
    bool whole = file && !ferror(file) && feof(file) && *length <= most;
    if (!file || ferror(file)) {
        snprintf(why, size, "%s", strerror(errno));
    } else if (!whole) {
        snprintf(why, size, "%s", *length > most ? "too large" : "out of memory");
    }
    if (file) {
        fclose(file);
    }
    if (whole) return bytes;
    free(bytes);
    return NULL;
}

bool cli_json_read(JsonTree *tree, const char *path, size_t most, char *why, size_t size) {
    size_t length;
    *tree = (JsonTree){ .bytes = cli_read_whole(path, most, &length, why, size) };
    return tree->bytes && parse(tree, length, why, size);
}

void cli_json_free(JsonTree *tree) {
    free(tree->bytes);
    free(tree->value);
    *tree = (JsonTree){ 0 };
}

// --- looking -------------------------------------------------------------------------------------
int32_t cli_json_child(const JsonTree *t, int32_t value) {
    return value < 0 ? -1 : t->value[value].child;
}
int32_t cli_json_next(const JsonTree *t, int32_t value) {
    return value < 0 ? -1 : t->value[value].next;
}

int32_t cli_json_find(const JsonTree *t, int32_t object, const char *key) {
    if (object < 0 || t->value[object].kind != JSON_OBJECT) return -1;
    int32_t at = t->value[object].child;
    while (at >= 0 && strcmp(t->bytes + t->value[at].key, key) != 0) {
        at = t->value[at].next;
    }
    return at;
}

double cli_json_real(const JsonTree *t, int32_t value, double otherwise) {
    if (value < 0 || t->value[value].kind != JSON_NUMBER) return otherwise;
    return strtod(t->bytes + t->value[value].text, NULL);
}

bool cli_json_whole(const JsonTree *t, int32_t value, int64_t *number) {
    char *end;
    if (value < 0 || t->value[value].kind != JSON_NUMBER) return false;
    errno = 0;
    long long n = strtoll(t->bytes + t->value[value].text, &end, 10);
    *number = n;
    return *end == 0 && errno == 0;
}

const char *cli_json_words(const JsonTree *t, int32_t value) {
    return value < 0 || t->value[value].kind != JSON_TEXT ? NULL : t->bytes + t->value[value].text;
}
