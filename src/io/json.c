// json.c -- reads JSON text into a flat list of values that know their line and column.
//
// RFC 8259, with // and /* */ comments and a byte order mark. Assumed: the text outlives the
// document and is shorter than 2 GiB. Left out: writing; text that is not UTF-8, which is refused
// with its position. One pass checks the encoding and counts brackets, commas and colons: there are
// no more values than that, so that one block holds every node. A second pass fills it without
// recursion: while a list is open, its node's `next` leads back to its parent.
//
// The first syntax error ends the reading, since whatever follows would be guesswork. Numbers that
// are none and duplicate keys do not hide what follows, so reading goes on and all of them are
// reported.
//
// SPDX-License-Identifier: MIT
#include "io/json.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

// bytes checked at once; keys compared pair by pair, not sorted
enum { BLOCK = 64, FEW_KEYS = 16 };

typedef struct Parser {
    const char *at, *end;  // still to be read; no zero byte in it
    const char *origin;    // column = at - origin + 1; moves on with each continuation byte
    int line;
    int depth, deepest;
    char *spare;                    // room for decoded text: never longer than as it is written
    JsonNode *nodes, *open, *last;  // open: the list or object being filled; last: its latest value
    int count, capacity;
    int32_t *order;  // scratch to sort the keys of one object
    int order_size;
    bool bad;  // an error that did not end the reading
    Json *doc;
    Pool *pool;
    impError *err;
} Parser;

// --- Characters ----------------------------------------------------------------------------------
static bool is_continuation(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// What belongs to one word in the eyes of a reader, right or wrong: 1.5e-3, True, 0x1F, 'name'.
static bool is_wordy(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (unsigned char)c >= 0x80 || c == '.' || c == '-' || c == '+' || c == '_' || c == '\'' ||
           c == '$';
}

static size_t character_length(const char *s, const char *end) {
    const char *next = s + 1;
    while (next < end && is_continuation(*next)) {
        next++;
    }
    return (size_t)(next - s);
}

// Cut, and on one line: a message is one line, and control characters have no business on a
// terminal.
static JsonShown cut(const char *s, size_t length) {
    JsonShown out = { { 0 } };
    const char *end = s + length;
    size_t n = 0;
    for (int i = 0; i < JSON_SHOWN && s < end; i++) {
        size_t size = character_length(s, end);
        bool blank = (unsigned char)*s <= ' ' || *s == 127;
        if (blank) {
            out.text[n++] = ' ';
        } else {
            for (size_t k = 0; k < size && k < 4; k++) {
                out.text[n++] = s[k];
            }
        }
        s += size;
        while (blank && s < end && (unsigned char)*s <= ' ') {
            s++;
        }
    }
    if (s < end) {
        memcpy(out.text + n, "...", 4);
    }
    return out;
}

// --- Encoding ------------------------------------------------------------------------------------
// Why the bytes at s are not UTF-8 [RFC 3629, section 4], or NULL and the length of the character.
static const char *utf8_trouble(const unsigned char *s, size_t left, size_t *length) {
    unsigned c = s[0];
    unsigned second = left > 1 ? s[1] : 0;
    *length = c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    if (c < 0xC0) return "a continuation byte with nothing to continue";
    if (c < 0xC2) return "an overlong form";
    if (c > 0xF4) return c < 0xF8 ? "beyond U+10FFFF" : "a byte that UTF-8 never uses";
    for (size_t i = 1; i < *length; i++) {
        if (i >= left || (s[i] & 0xC0) != 0x80) return "a character cut short";
    }
    if ((c == 0xE0 && second < 0xA0) || (c == 0xF0 && second < 0x90)) return "an overlong form";
    if (c == 0xED && second > 0x9F) return "half of a surrogate pair";
    if (c == 0xF4 && second > 0x8F) return "beyond U+10FFFF";
    return NULL;
}

// Slow, for the one byte in error. Bytes that are not UTF-8 count as one character each.
static Where where_byte(const Parser *p, const char *byte) {
    Where at = { p->doc->file, 1, 1 };
    for (const char *s = p->at; s < byte; s++) {
        if (*s == '\n') {
            at.line++;
            at.column = 1;
        } else if (!is_continuation(*s)) {
            at.column++;
        }
    }
    return at;
}

static bool is_utf16(const char *s, size_t length) {
    if (length < 2) return false;
    bool mark = (s[0] == '\xFF' && s[1] == '\xFE') || (s[0] == '\xFE' && s[1] == '\xFF');
    // plain letters have one zero byte each
    return mark || (!s[0] != !s[1]);
}

static bool check_byte(Parser *p, const char *s, size_t *length) {
    size_t left = (size_t)(p->end - s);
    *length = 1;
    if (*s == '\r' && (left < 2 || s[1] != '\n'))
        return fail(p->err, where_byte(p, s), "a lone carriage return; lines end in LF or CR LF");
    if (*s == 0) return fail(p->err, where_byte(p, s), "a zero byte; the file is not text");
    if ((unsigned char)*s < 0x80) return true;
    const char *trouble = utf8_trouble((const unsigned char *)s, left, length);
    if (!trouble) return true;
    return fail(p->err, where_byte(p, s), "byte 0x%02X is not UTF-8: %s",
                (unsigned)(unsigned char)*s, trouble);
}

static bool is_start(unsigned char c) { return (c == ',') | (c == ':') | (c == '[') | (c == '{'); }

// A loop of constant length without branches, which compilers make wide. Leaves *values alone when
// the block is odd.
static bool is_plain_block(const char *s, int *values) {
    unsigned char odd = 0, starts = 0;
    for (int i = 0; i < BLOCK; i++) {
        unsigned char c = (unsigned char)s[i];
        odd |= (unsigned char)((c >= 0x80) | (c == 0) | (c == '\r'));
        starts = (unsigned char)(starts + is_start(c));
    }
    *values += odd ? 0 : starts;
    return !odd;
}

// The whole text, comments too, so that later code need not check it. Counts what can
// start a value.
static bool check_encoding(Parser *p) {
    if (is_utf16(p->at, (size_t)(p->end - p->at)))
        return fail(p->err, where_byte(p, p->at), "the file is UTF-16; save it as UTF-8");
    if (p->end - p->at >= 3 && memcmp(p->at, "\xEF\xBB\xBF", 3) == 0) {
        p->at += 3;
    }
    p->capacity = 1;
    for (const char *s = p->at; s < p->end;) {
        size_t length = BLOCK;
        bool plain = p->end - s >= BLOCK && is_plain_block(s, &p->capacity);
        if (!plain && !check_byte(p, s, &length)) return false;
        if (!plain) {
            p->capacity += is_start((unsigned char)*s);
        }
        s += length;
    }
    return true;
}

// --- Messages ------------------------------------------------------------------------------------
static Where here(const Parser *p) {
    return (Where){ p->doc->file, p->line, (int)(p->at - p->origin) + 1 };
}

static size_t word_length(const Parser *p) {
    const char *s = p->at;
    while (s < p->end && is_wordy(*s)) {
        s++;
    }
    return (size_t)(s - p->at);
}

// What stands here: a string, a word or a single character.
static JsonShown got(const Parser *p) {
    size_t length = word_length(p);
    if (length == 0) {
        length = character_length(p->at, p->end);
    }
    if (*p->at == '"') {
        const char *s = p->at + 1;
        while (s < p->end && *s != '"' && *s != '\n') {
            s += *s == '\\' && s + 1 < p->end ? 2 : 1;
        }
        length = (size_t)(s - p->at) + (s < p->end && *s == '"');
    }
    return cut(p->at, length);
}

static const char *kind_name(uint8_t kind) { return kind == JSON_OBJECT ? "object" : "list"; }

static bool ends_early(Parser *p) {
    if (!p->open)
        return fail(p->err, (Where){ p->doc->file, 1, 1 },
                    "the file is empty; it must have a JSON object");
    return fail(p->err, here(p), "the file ends inside the %s that starts on line %d, column %d",
                kind_name(p->open->kind), (int)p->open->line, (int)p->open->column);
}

static bool unexpected(Parser *p, const char *expected) {
    if (p->at >= p->end) return ends_early(p);
    return fail(p->err, here(p), "got %s; expected %s", got(p).text, expected);
}

// The key under which a value stands, however deep in lists, as `"mass": `.
typedef struct Label {
    char text[sizeof(JsonShown) + 4];
} Label;
static Label label(const Parser *p, const JsonNode *node) {
    Label out = { { 0 } };
    const JsonNode *parent = p->open;
    while (!node->member && parent) {
        node = parent;
        parent = node->next ? node - node->next : NULL;
    }
    if (!node->member) return out;
    JsonShown key = cut(p->doc->text + node[-1].start, node[-1].length);
    size_t length = strlen(key.text);
    memcpy(out.text, key.text, length);
    memcpy(out.text + length, ": ", 3);
    return out;
}

// --- Blanks and comments -------------------------------------------------------------------------
static void next_line(Parser *p) {
    p->line++;
    p->origin = p->at;
}

static bool skip_comment(Parser *p) {
    Where start = here(p);
    bool block = p->at[1] == '*';
    p->at += 2;
    for (; p->at < p->end; p->at++) {
        if (block && *p->at == '*' && p->at + 1 < p->end && p->at[1] == '/') {
            p->at += 2;
            return true;
        }
        if (!block && *p->at == '\n') return true;
        if (*p->at == '\n') {
            p->line++;
            p->origin = p->at + 1;
        }
        if (is_continuation(*p->at)) {
            p->origin++;
        }
    }
    return !block || fail(p->err, start, "the comment has no end; expected */");
}

static bool skip_blanks(Parser *p) {
    while (p->at < p->end) {
        if (*p->at == '/') {
            bool comment = p->at + 1 < p->end && (p->at[1] == '/' || p->at[1] == '*');
            if (!comment) return unexpected(p, "a comment: // or /*");
            if (!skip_comment(p)) return false;
        } else if (!is_space(*p->at)) {
            return true;
        } else if (*p->at++ == '\n') {
            next_line(p);
        }
    }
    return true;
}

static bool skip_space(Parser *p) {
    // most often
    bool nothing = p->at<p->end && * p->at> ' ' && *p->at != '/';
    return nothing || skip_blanks(p);
}

static char peek(const Parser *p) { return p->at < p->end ? *p->at : 0; }

// --- Strings -------------------------------------------------------------------------------------
static int hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// The unit of \uXXXX at s, or -1.
static int unicode_escape(const char *s, const char *end) {
    if (end - s < 6 || s[0] != '\\' || s[1] != 'u') return -1;
    int unit = 0;
    for (int i = 2; i < 6; i++) {
        int digit = hex_digit(s[i]);
        if (digit < 0) return -1;
        unit = 16 * unit + digit;
    }
    return unit;
}

static char *put_utf8(char *out, unsigned c) {
    if (c < 0x80) {
        *out++ = (char)c;
        return out;
    }
    if (c < 0x800) {
        *out++ = (char)(0xC0 | c >> 6);
    } else if (c < 0x10000) {
        *out++ = (char)(0xE0 | c >> 12);
    } else {
        *out++ = (char)(0xF0 | c >> 18);
        *out++ = (char)(0x80 | (c >> 12 & 63));
    }
    if (c >= 0x800) {
        *out++ = (char)(0x80 | (c >> 6 & 63));
    }
    *out++ = (char)(0x80 | (c & 63));
    return out;
}

static bool read_unicode(Parser *p) {
    int high = unicode_escape(p->at, p->end);
    int low = -1;
    if (high < 0) return fail(p->err, here(p), "\\u must be followed by four hexadecimal digits");
    if (high == 0)
        return fail(p->err, here(p), "\\u0000 is not allowed; text has no zero characters");
    bool pair = high >= 0xD800 && high <= 0xDBFF;
    if (pair) {
        low = unicode_escape(p->at + 6, p->end);
    }
    if ((pair && (low < 0xDC00 || low > 0xDFFF)) || (high >= 0xDC00 && high <= 0xDFFF))
        return fail(p->err, here(p), "%.6s is half of a surrogate pair", p->at);
    unsigned c = pair ? 0x10000u + ((unsigned)(high - 0xD800) << 10) + (unsigned)(low - 0xDC00)
                      : (unsigned)high;
    p->spare = put_utf8(p->spare, c);
    p->at += pair ? 12 : 6;
    return true;
}

static bool read_escape(Parser *p) {
    static const char written[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    if (p->at[1] == 'u') return read_unicode(p);
    const char *found = strchr(written, p->at[1]);
    if (!found)
        return fail(p->err, here(p), "%s is not an escape; a backslash is written \\\\",
                    cut(p->at, 1 + character_length(p->at + 1, p->end)).text);
    *p->spare++ = meant[found - written];
    p->at += 2;
    return true;
}

static void copy_plain(Parser *p) {
    const char *s = p->at;
    const char *end = p->end;
    ptrdiff_t continuations = 0;
    for (; s < end && *s != '"' && *s != '\\' && (unsigned char)*s >= ' '; s++) {
        continuations += is_continuation(*s);
    }
    size_t length = (size_t)(s - p->at);
    memcpy(p->spare, p->at, length);
    p->at = s;
    p->spare += length;
    p->origin += continuations;
}

static bool bad_in_string(Parser *p, Where start) {
    char c = peek(p);
    if (c == 0 || c == '\n' || c == '\r' || c == '\\')
        return fail(p->err, start,
                    "the string does not end on its line; a closing quote is missing");
    if (c == '\t') return fail(p->err, here(p), "a tab in a string; write \\t");
    return fail(p->err, here(p), "a control character in a string; write \\u%04X", (unsigned)c);
}

static bool read_string(Parser *p, JsonNode *node) {
    Where start = here(p);
    node->kind = JSON_STRING;
    node->text = p->spare;
    p->at++;
    for (copy_plain(p); peek(p) == '\\' && p->at + 1 < p->end; copy_plain(p)) {
        if (!read_escape(p)) return false;
    }
    if (peek(p) != '"') return bad_in_string(p, start);
    *p->spare++ = 0;
    p->at++;
    return true;
}

// --- Numbers and words ---------------------------------------------------------------------------
static bool same_word(const char *s, size_t length, const char *word) {
    if (strlen(word) != length) return false;
    for (size_t i = 0; i < length; i++)
    // lower case, for letters
    {
        if ((s[i] | 32) != word[i]) return false;
    }
    return true;
}

static bool is_not_finite(const char *s, size_t length) {
    if (length && (*s == '-' || *s == '+')) {
        s++;
        length--;
    }
    return same_word(s, length, "nan") || same_word(s, length, "inf") ||
           same_word(s, length, "infinity");
}

// Which rule of RFC 8259, section 6, the word breaks.
static const char *number_rule(const char *s, size_t length) {
    const char *end = s + length;
    if (is_not_finite(s, length)) return "numbers are finite";
    if (*s == '+') return "numbers have no plus sign";
    if (*s == '-') {
        s++;
    }
    if (s == end) return "digits must follow the sign";
    if (*s == '.') return "a digit must stand before the point";
    if (end - s > 1 && *s == '0' && (s[1] | 32) == 'x') return "numbers are decimal";
    if (end - s > 1 && *s == '0' && is_digit(s[1])) return "numbers do not start with 0";
    while (s < end && is_digit(*s)) {
        s++;
    }
    if (s < end && *s == '.' && (++s == end || !is_digit(*s)))
        return "a digit must stand after the point";
    while (s < end && is_digit(*s)) {
        s++;
    }
    if (s < end && (*s | 32) == 'e' && (++s == end || ((*s == '+' || *s == '-') && s + 1 == end)))
        return "digits must follow the e";
    return "something follows its digits";
}

// Reported and stepped over: the text after it can be read all the same.
static bool bad_number(Parser *p, const JsonNode *node) {
    size_t length = word_length(p);
    fail(p->err, here(p), "%s%s is not a number; %s", label(p, node).text, cut(p->at, length).text,
         number_rule(p->at, length));
    for (; length; length--, p->at++) {
        p->origin += is_continuation(*p->at);
    }
    p->bad = true;
    return true;
}

static bool read_number(Parser *p, JsonNode *node) {
    size_t length = number_read(p->at, (size_t)(p->end - p->at), false, &node->number);
    node->kind = JSON_NUMBER;
    bool ended = p->at + length == p->end || !is_wordy(p->at[length]);
    if (length == 0 || !ended) return bad_number(p, node);
    if (isinf(node->number)) {
        fail(p->err, here(p), "%s%s is beyond the range of double", label(p, node).text,
             cut(p->at, length).text);
        p->bad = true;
    }
    p->at += length;
    return true;
}

static bool bad_word(Parser *p) {
    static const char *const words[] = { "true", "false", "null" };
    JsonShown word = got(p);
    const char *near = nearest(word.text, words, COUNT(words));
    if (*p->at == '\'' || !near)
        return fail(p->err, here(p), "%s is not a value; text stands in double quotes", word.text);
    return fail(p->err, here(p), "%s is not a value; did you mean %s?", word.text, near);
}

static bool read_word(Parser *p, JsonNode *node) {
    static const struct {
        const char *word;
        size_t length;
        JsonKind kind;
        bool truth;
    } rows[] = {
        { "true", 4, JSON_BOOL, true },
        { "false", 5, JSON_BOOL, false },
        { "null", 4, JSON_NULL, false },
    };
    size_t length = word_length(p);
    for (int i = 0; i < COUNT(rows); i++) {
        if (length != rows[i].length || memcmp(p->at, rows[i].word, length) != 0) continue;
        node->kind = (uint8_t)rows[i].kind;
        node->truth = rows[i].truth;
        p->at += length;
        return true;
    }
    bool numeric = is_not_finite(p->at, length) || *p->at == '+' || *p->at == '-' || *p->at == '.';
    if (numeric) return bad_number(p, node);
    return length ? bad_word(p) : unexpected(p, "a value");
}

// --- Duplicate keys ------------------------------------------------------------------------------
static void twice(Parser *p, const JsonNode *first, const JsonNode *again) {
    Where at = { p->doc->file, again->line, again->column };
    fail(p->err, at, "key %s is given twice, on lines %d and %d",
         cut(p->doc->text + again->start, again->length).text, (int)first->line, (int)again->line);
    p->bad = true;
}

static void check_few_keys(Parser *p, const JsonNode *object) {
    const JsonNode *first = json_first(object);
    for (const JsonNode *b = first; b; b = json_next(b)) {
        const JsonNode *a = first;
        while (a != b && strcmp(a[-1].text, b[-1].text) != 0) {
            a = json_next(a);
        }
        if (a != b) {
            twice(p, a - 1, b - 1);
        }
    }
}

static bool key_less(const void *object, int32_t i, int32_t j) {
    const JsonNode *nodes = object;
    return strcmp(nodes[i].text, nodes[j].text) < 0;
}

static bool make_order(Parser *p, int count) {
    if (count <= p->order_size) return true;
    int size = count < INT_MAX / 4 ? 2 * count : count;
    p->order = POOL_TAKE(p->pool, int32_t, 2 * (size_t)size);
    p->order_size = size;
    return p->order || fail_memory(p->err);
}

// By sorting, not by hashing: no choice of keys makes it slow.
static bool check_many_keys(Parser *p, const JsonNode *object) {
    int count = 0, first = 0;
    if (!make_order(p, object->count)) return false;
    for (const JsonNode *m = json_first(object); m; m = json_next(m)) {
        p->order[count++] = (int32_t)(m - 1 - object);
    }
    sort_stable(p->order, p->order + count, count, key_less, object);
    for (int i = 1; i < count; i++) {
        const JsonNode *a = object + p->order[first];
        const JsonNode *b = object + p->order[i];
        if (strcmp(a->text, b->text) == 0) {
            twice(p, a, b);
        } else {
            first = i;
        }
    }
    return true;
}

// --- Values --------------------------------------------------------------------------------------
static JsonNode *new_node(Parser *p) {
    assert(p->count < p->capacity);
    JsonNode *node = &p->nodes[p->count++];
    node->start = (uint32_t)(p->at - p->doc->text);
    node->line = p->line;
    node->column = (int32_t)(p->at - p->origin) + 1;
    return node;
}

static bool open_list(Parser *p, JsonNode *node) {
    if (++p->depth > p->deepest)
        return fail_as(p->err, IMP_AT_LIMIT, here(p),
                       "more than %d levels of nesting; max_nesting allows no more", p->deepest);
    node->kind = *p->at == '{' ? JSON_OBJECT : JSON_ARRAY;
    // back to the parent, until it is closed
    node->next = p->open ? (int32_t)(node - p->open) : 0;
    p->open = node;
    p->last = NULL;
    p->at++;
    return true;
}

static bool close_list(Parser *p) {
    JsonNode *node = p->open;
    p->at++;
    node->length = (uint32_t)(p->at - p->doc->text) - node->start;
    p->open = node->next ? node - node->next : NULL;
    p->last = node;
    p->depth--;
    node->next = 0;
    if (node->kind != JSON_OBJECT) return true;
    if (node->count > FEW_KEYS) return check_many_keys(p, node);
    check_few_keys(p, node);
    return true;
}

static bool read_scalar(Parser *p, JsonNode *node) {
    char c = *p->at;
    if (c == '"') return read_string(p, node);
    if (is_digit(c) || (c == '-' && p->at + 1 < p->end && is_digit(p->at[1])))
        return read_number(p, node);
    return read_word(p, node);
}

static bool read_value(Parser *p) {
    if (!skip_space(p)) return false;
    if (p->at >= p->end) return ends_early(p);
    JsonNode *node = new_node(p);
    node->member = p->open && p->open->kind == JSON_OBJECT;
    if (p->last) {
        p->last->next = (int32_t)(node - p->last);
    }
    if (p->open) {
        p->open->count++;
    }
    if (*p->at == '[' || *p->at == '{') return open_list(p, node);
    if (!read_scalar(p, node)) return false;
    node->length = (uint32_t)(p->at - p->doc->text) - node->start;
    p->last = node;
    return true;
}

static bool read_key(Parser *p) {
    if (peek(p) != '"') return unexpected(p, "a key in double quotes");
    JsonNode *key = new_node(p);
    if (!read_string(p, key)) return false;
    key->length = (uint32_t)(p->at - p->doc->text) - key->start;
    if (!skip_space(p)) return false;
    if (peek(p) != ':') return unexpected(p, "':' after the key");
    p->at++;
    return true;
}

// "mass": 1,5 -- found where a key should stand, but what is wrong is the number.
static bool is_decimal_comma(const Parser *p, const char *comma) {
    return p->open->kind == JSON_OBJECT && p->last->kind == JSON_NUMBER && p->at == comma + 1 &&
           is_digit(peek(p)) && comma == p->doc->text + p->last->start + p->last->length;
}

static bool read_comma(Parser *p) {
    bool object = p->open->kind == JSON_OBJECT;
    if (peek(p) != ',') return unexpected(p, object ? "',' or '}'" : "',' or ']'");
    Where at = here(p);
    const char *comma = p->at++;
    if (!skip_space(p)) return false;
    if (peek(p) == (object ? '}' : ']'))
        return fail(p->err, at, "a comma after the last %s; remove it",
                    object ? "member" : "element");
    if (!is_decimal_comma(p, comma)) return true;
    size_t length = p->last->length + 1 + word_length(p);
    return fail(p->err, (Where){ at.file, p->last->line, p->last->column },
                "%s%s is not a number; the decimal sign is a point", label(p, p->last).text,
                cut(p->doc->text + p->last->start, length).text);
}

// One element or member of what is open, or its end.
static bool read_item(Parser *p) {
    bool object = p->open->kind == JSON_OBJECT;
    if (!skip_space(p)) return false;
    if (peek(p) == (object ? '}' : ']')) return close_list(p);
    if (p->last && !read_comma(p)) return false;
    return (!object || read_key(p)) && read_value(p);
}

static bool read_document(Parser *p) {
    if (!read_value(p)) return false;
    while (p->open) {
        if (!read_item(p)) return false;
    }
    if (!skip_space(p)) return false;
    if (p->at < p->end) return unexpected(p, "nothing after the end of the document");
    return !p->bad;
}

static bool make_room(Parser *p, const char *file) {
    size_t length = (size_t)(p->end - p->at);
    p->doc->file = file ? pool_text(p->pool, file) : NULL;
    p->nodes = POOL_TAKE(p->pool, JsonNode, p->capacity);
    p->spare = POOL_TAKE(p->pool, char, length + 1);
    return ((p->doc->file || !file) && p->nodes && p->spare) || fail_memory(p->err);
}

const Json *json_parse(Pool *pool, const char *text, size_t length, const char *file,
                       int max_nesting, impError *err) {
    if (length >= INT_MAX) {
        fail_as(err, IMP_AT_LIMIT, (Where){ file, 0, 0 },
                "%zu bytes of JSON; the reader takes fewer than %d", length, INT_MAX);
        return NULL;
    }
    Json *doc = POOL_TAKE(pool, Json, 1);
    if (!doc) {
        fail_memory(err);
        return NULL;
    }
    *doc = (Json){ .text = text, .file = file };
    Parser p = { .at = text,
                 .end = text + length,
                 .line = 1,
                 .deepest = max_nesting > 0 ? max_nesting : JSON_NESTING,
                 .doc = doc,
                 .pool = pool,
                 .err = err };
    if (!check_encoding(&p) || !make_room(&p, file)) return NULL;
    p.origin = p.at;
    if (!read_document(&p)) return NULL;
    doc->root = p.nodes;
    doc->count = p.count;
    return doc;
}

JsonShown json_show(const Json *doc, const JsonNode *node) {
    return cut(doc->text + node->start, node->length);
}

JsonShown json_show_key(const Json *doc, const JsonNode *member) {
    return json_show(doc, member - member->member);
}
