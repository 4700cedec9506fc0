// json_oracle.c -- our JSON reader against jansson, on documents that nobody wrote.
//
// Random documents and damaged ones: both readers accept or both refuse, and what they accept is
// equal, numbers bit by bit and also equal to strtod. Known differences, kept out of the way here:
// comments and a byte order mark, which jansson refuses; a carriage return alone, which it accepts;
// nesting, of which it allows 2048 levels and we as many as asked; whole numbers beyond 64 bits,
// which it reads like ours only with JSON_DECODE_INT_AS_REAL; a zero byte just after a number,
// which jansson 2.14 overlooks.
//
// SPDX-License-Identifier: MIT
#include "test.h"

// Both readers have these names. Ours go by another one in this file.
#define JSON_NULL   OUR_NULL
#define JSON_STRING OUR_STRING
#define JSON_ARRAY  OUR_ARRAY
#define JSON_OBJECT OUR_OBJECT
#include "io/json.h"
#undef JSON_NULL
#undef JSON_STRING
#undef JSON_ARRAY
#undef JSON_OBJECT

#include <jansson.h>

enum { DOCUMENTS = 20000, ROOM = 1 << 16 };

// --- Random documents ----------------------------------------------------------------------------
typedef struct Writer {
    char text[ROOM];
    size_t length;
    uint64_t random;
    bool twins;
} Writer;

// splitmix64 [Steele, Lea, Flood 2014]
static unsigned below(Writer *w, unsigned n) {
    uint64_t z = w->random += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (unsigned)((z ^ z >> 31) >> 33) % n;
}

static void put(Writer *w, const char *text) {
    size_t n = strlen(text);
    assert_true(w->length + n < ROOM);
    memcpy(w->text + w->length, text, n);
    w->length += n;
}

static void put_space(Writer *w) {
    static const char *const spaces[] = { "", "", "", "", " ", "\n", "\t ", "\r\n" };
    put(w, spaces[below(w, COUNT(spaces))]);
}

static void put_digits(Writer *w, unsigned most) {
    for (unsigned n = 1 + below(w, most); n; n--) {
        put(w, (const char[]){ (char)('0' + below(w, 10)), 0 });
    }
}

static void put_number(Writer *w) {
    static const char *const edges[] = { "0",
                                         "-0",
                                         "0.0",
                                         "-0.0e0",
                                         "1e308",
                                         "1.7976931348623157e308",
                                         "5e-324",
                                         "2.2250738585072011e-308",
                                         "2.4703282292062327e-324",
                                         "9007199254740993",
                                         "18446744073709551616",
                                         "123456789012345678901234567890",
                                         "1e-400",
                                         "0.1",
                                         "1E5",
                                         "1e+05",
                                         "8.5e-007" };
    if (below(w, 4) == 0) {
        put(w, edges[below(w, COUNT(edges))]);
        return;
    }
    if (below(w, 2)) {
        put(w, "-");
    }
    put(w, (const char[]){ (char)('1' + below(w, 9)), 0 });
    if (below(w, 2)) {
        put_digits(w, 20);
    }
    if (below(w, 2)) {
        put(w, ".");
        put_digits(w, 20);
    }
    if (below(w, 3) == 0) {
        put(w, below(w, 2) ? "e-" : "E");
        put_digits(w, 2);
    }
}

static void put_string(Writer *w) {
    static const char *const parts[] = { "a",
                                         "b",
                                         " ",
                                         "\\n",
                                         "\\\"",
                                         "\\\\",
                                         "\\/",
                                         "\\u0041",
                                         "\\u00e9",
                                         "\\u20AC",
                                         "\\ud83d\\ude00",
                                         "\xC3\xA4",
                                         "\xE2\x82\xAC",
                                         "\xF0\x9F\x98\x80",
                                         "\x7F",
                                         "\\t\\b\\f\\r",
                                         "[,]",
                                         "{:}" };
    put(w, "\"");
    for (unsigned n = below(w, 6); n; n--) {
        put(w, parts[below(w, COUNT(parts))]);
    }
    put(w, "\"");
}

static void put_key(Writer *w, unsigned i) {
    char unique[24];
    snprintf(unique, sizeof unique, "\"%u\"", i);
    // may be the same twice
    if (w->twins && below(w, 8) == 0) {
        put_string(w);
    } else {
        put(w, unique);
    }
}

static void put_value(Writer *w, int depth) {
    static const char *const words[] = { "true", "false", "null" };
    unsigned kind = below(w, depth > 0 ? 8 : 4);
    unsigned count = kind < 4 ? 0 : below(w, below(w, 10) ? 5 : 40);
    put_space(w);
    if (kind < 2) {
        put_number(w);
    } else if (kind == 2) {
        put_string(w);
    } else if (kind == 3) {
        put(w, words[below(w, 3)]);
    } else {
        put(w, kind < 6 ? "[" : "{");
    }
    for (unsigned i = 0; i < count && w->length < ROOM / 2; i++) {
        put(w, i ? "," : "");
        put_space(w);
        if (kind >= 6) {
            put_key(w, i);
            put_space(w);
            put(w, ":");
        }
        put_value(w, depth - 1);
    }
    if (kind >= 4) {
        put_space(w);
        put(w, kind < 6 ? "]" : "}");
    }
    put_space(w);
}

// --- Damage --------------------------------------------------------------------------------------
static void damage(Writer *w) {
    static const char bytes[] = "[]{},:\"\\0123456789.eE+-aunltrfsd \n\t\x01\x7F"
                                "\x80\xA0\xBF\xC0\xC3\xE2\xED\xF0\xF4\xFF";
    for (unsigned n = 1 + below(w, 3); n && w->length; n--) {
        size_t at = below(w, (unsigned)w->length);
        size_t rest = w->length - at;
        unsigned how = below(w, 4);
        // change
        if (how == 0) {
            // the zero at the end too
            w->text[at] = bytes[below(w, sizeof bytes)];
        } else if (how == 1) {
            // drop

            memmove(w->text + at, w->text + at + 1, rest - 1);
            w->length--;
        } else if (how == 2 && w->length + 1 < ROOM) {
            // insert

            memmove(w->text + at + 1, w->text + at, rest);
            w->text[at] = bytes[below(w, sizeof bytes)];
            w->length++;
        } else {
            // cut, rarely

            w->length = below(w, 4) ? w->length : at;
        }
    }
}

static bool is_known_difference(const Writer *w) {
    for (size_t i = 0; i < w->length; i++) {
        char c = w->text[i];
        char next = i + 1 < w->length ? w->text[i + 1] : 0;
        if (c == 0 || (c == '/' && (next == '/' || next == '*')) || (c == '\r' && next != '\n'))
            return true;
    }
    return false;
}

// --- Comparison ----------------------------------------------------------------------------------
static void same_number(const Json *doc, const JsonNode *ours, const json_t *theirs) {
    char written[128];
    assert_true(ours->length < sizeof written);
    memcpy(written, doc->text + ours->start, ours->length);
    written[ours->length] = 0;
    SAME_BITS(ours->number, json_real_value(theirs));
    SAME_BITS(ours->number, strtod(written, NULL));
}

static void same_value(const Json *doc, const JsonNode *ours, const json_t *theirs) {
    switch ((JsonKind)ours->kind) {
    case OUR_NULL: assert_true(json_is_null(theirs)); break;
    case JSON_BOOL:
        assert_true(json_is_boolean(theirs) && json_is_true(theirs) == ours->truth);
        break;
    case JSON_NUMBER:
        assert_true(json_is_real(theirs));
        same_number(doc, ours, theirs);
        break;
    case OUR_STRING:
        assert_true(json_is_string(theirs));
        SAME_TEXT(ours->text, json_string_value(theirs));
        break;
    case OUR_ARRAY: {
        size_t i = 0;
        assert_true(json_is_array(theirs) && json_array_size(theirs) == (size_t)ours->count);
        for (const JsonNode *n = json_first(ours); n; n = json_next(n)) {
            same_value(doc, n, json_array_get(theirs, i++));
        }
        assert_int_equal(i, ours->count);
        break;
    }
    case OUR_OBJECT: {
        assert_true(json_is_object(theirs) && json_object_size(theirs) == (size_t)ours->count);
        int i = 0;
        for (const JsonNode *n = json_first(ours); n; n = json_next(n), i++) {
            same_value(doc, n, json_object_get(theirs, json_key(n)));
        }
        assert_int_equal(i, ours->count);
        break;
    }
    }
}

// returns whether both accepted
static bool compare(const Writer *w) {
    Pool pool = { 0 };
    json_error_t trouble;
    const Json *ours = json_parse(&pool, w->text, w->length, "t", 2048, NULL);
    json_t *theirs = json_loadb(w->text, w->length,
                                JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL,
                                &trouble);
    bool accepted = ours != NULL;
    if (accepted != (theirs != NULL)) {
        print_error("we %s this, jansson does not: %s\n%.*s\n", accepted ? "accept" : "refuse",
                    theirs ? "" : trouble.text, (int)w->length, w->text);
    }
    assert_true(accepted == (theirs != NULL));
    if (accepted) {
        same_value(ours, ours->root, theirs);
    }
    json_decref(theirs);
    pool_free(&pool);
    return accepted;
}

static Writer *new_writer(uint64_t seed) {
    Writer *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->random = seed;
    return w;
}

static void random_documents_are_read_alike(void **state) {
    (void)state;
    Writer *w = new_writer(1);
    int accepted = 0;
    for (int i = 0; i < DOCUMENTS; i++) {
        w->length = 0;
        w->twins = i % 4 == 0;
        put_value(w, i % 7);
        bool good = compare(w);
        if (!w->twins) {
            assert_true(good);
        }
        accepted += good;
    }
    assert_true(accepted > DOCUMENTS * 3 / 4 && accepted < DOCUMENTS);
    free(w);
}

static void damaged_documents_are_judged_alike(void **state) {
    (void)state;
    Writer *w = new_writer(2);
    int accepted = 0, refused = 0;
    for (int i = 0; i < DOCUMENTS; i++) {
        w->length = 0;
        put_value(w, i % 5);
        damage(w);
        if (is_known_difference(w)) continue;
        bool good = compare(w);
        accepted += good;
        refused += !good;
    }
    // both sides are put to the test
    assert_true(accepted > DOCUMENTS / 20 && refused > DOCUMENTS / 3);
    free(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_documents_are_read_alike),
        cmocka_unit_test(damaged_documents_are_judged_alike),
    };
    return RUN(tests);
}
