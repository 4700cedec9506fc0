// json.c -- the JSON reader: what it accepts, where it says things stand, and the exact words of
// its refusals.
//
// The rows S1 to S13 are those of the fault list for scenes, of which this file covers the ones
// about syntax. What it accepts is RFC 8259 with comments; the comparison with another reader is in
// json_oracle.c.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "io/json.h"

#include <locale.h>

typedef struct Case {
    const char *text, *message;
} Case;

// One document for the length of one test.
typedef struct Read {
    Pool pool;
    impError err;
    const Json *doc;
    char line[700];
} Read;

static const char *message(Read *r, int i) {
    impError_Print(&r->err, i, r->line, sizeof r->line);
    return r->line;
}

static Read *read_deep(const char *text, size_t length, int max_nesting) {
    // an impError is large for a stack frame
    Read *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->doc = json_parse(&r->pool, text, length, "t", max_nesting, &r->err);
    // NULL and a message, or neither
    assert_int_equal(r->doc == NULL, r->err.count > 0);
    return r;
}

static Read *read_bytes(const char *text, size_t length) { return read_deep(text, length, 0); }

static Read *read_text(const char *text) {
    Read *r = read_bytes(text, strlen(text));
    // shows why
    SAME_TEXT(message(r, 0), "");
    assert_non_null(r->doc);
    return r;
}

static void done(Read *r) {
    pool_free(&r->pool);
    free(r);
}

static void refused_bytes(const char *text, size_t length, const char *words) {
    Read *r = read_bytes(text, length);
    SAME_TEXT(message(r, 0), words);
    done(r);
}

static void refused(const Case *cases, int count) {
    for (int i = 0; i < count; i++) {
        refused_bytes(cases[i].text, strlen(cases[i].text), cases[i].message);
    }
}
#define REFUSED(...) refused((const Case[]){ __VA_ARGS__ }, COUNT(((const Case[]){ __VA_ARGS__ })))

static void accepted(const char *text) {
    Read *r = read_text(text);
    done(r);
}

static const char sample[] =
    "{ \"impel\": 1, // a comment\n"
    "  \"about\": \"\xC3\xA4\xE2\x82\xAC\\u00e9\\ud83d\\ude00 \\\"\\\\\\/\\b\\f\\n\\r\\t\",\n"
    "  \"gravity\": [0, -0.0, -9.81e0], /* two\n"
    "  lines \xC3\xA4 */ \"bodies\": [ { \"name\": \"ball\", \"fixed\": false, \"extra\": null,\n"
    "  \"list\": [[], {}] } ]\n"
    "}\n";

// --- What is read --------------------------------------------------------------------------------
static void values_are_what_is_written(void **state) {
    (void)state;
    Read *r = read_text(sample);
    const JsonNode *root = r->doc->root;
    const JsonNode *gravity = json_find(root, "gravity");
    assert_int_equal(root->kind, JSON_OBJECT);
    assert_int_equal(root->count, 4);
    assert_true(json_find(root, "impel")->number == 1);
    SAME_TEXT(json_find(root, "about")->text,
              "\xC3\xA4\xE2\x82\xAC\xC3\xA9\xF0\x9F\x98\x80 \"\\/\b\f\n\r\t");
    assert_int_equal(gravity->count, 3);
    const JsonNode *y = json_next(json_first(gravity));
    const JsonNode *z = json_next(y);
    // -0.0 keeps its sign
    assert_true(y->number == 0 && 1 / y->number < 0);
    assert_true(z->number == -9.81);
    assert_null(json_next(z));
    const JsonNode *body = json_first(json_find(root, "bodies"));
    assert_int_equal(json_find(body, "fixed")->kind, JSON_BOOL);
    assert_false(json_find(body, "fixed")->truth);
    assert_int_equal(json_find(body, "extra")->kind, JSON_NULL);
    const JsonNode *empty = json_first(json_find(body, "list"));
    assert_int_equal(empty->kind, JSON_ARRAY);
    assert_null(json_first(empty));
    assert_int_equal(json_next(empty)->kind, JSON_OBJECT);
    assert_null(json_first(json_next(empty)));
    assert_null(json_find(root, "nothing"));
    assert_null(json_find(gravity, "nothing"));
    done(r);
}

static void members_come_in_order_with_their_keys(void **state) {
    (void)state;
    static const char *const keys[] = { "impel", "about", "gravity", "bodies" };
    int i = 0;
    Read *r = read_text(sample);
    for (const JsonNode *m = json_first(r->doc->root); m; m = json_next(m)) {
        SAME_TEXT(json_key(m), keys[i++]);
    }
    assert_int_equal(i, 4);
    assert_null(json_key(r->doc->root));
    assert_null(json_key(json_first(json_find(r->doc->root, "gravity"))));
    done(r);
}

static void check_where(Where at, int line, int column) {
    SAME_TEXT(at.file, "t");
    assert_int_equal(at.line, line);
    assert_int_equal(at.column, column);
}

// Columns count characters: the text before "é" on its line has two and three byte characters in
// it.
static void positions_count_lines_and_characters(void **state) {
    (void)state;
    Read *r = read_text(sample);
    const JsonNode *root = r->doc->root;
    const JsonNode *gravity = json_find(root, "gravity");
    const JsonNode *bodies = json_find(root, "bodies");
    check_where(json_where(r->doc, root), 1, 1);
    check_where(json_key_where(r->doc, root), 1, 1);
    check_where(json_where(r->doc, json_find(root, "about")), 2, 12);
    check_where(json_key_where(r->doc, json_find(root, "about")), 2, 3);
    check_where(json_where(r->doc, json_next(json_first(gravity))), 3, 18);
    check_where(json_key_where(r->doc, bodies), 4, 14);
    check_where(json_where(r->doc, json_first(bodies)), 4, 26);
    done(r);

    r = read_text("[\"\xC3\xA4\xE2\x82\xAC\", /*\xF0\x9F\x98\x80*/ 7]");
    check_where(json_where(r->doc, json_next(json_first(r->doc->root))), 1, 14);
    done(r);
}

static void any_value_is_a_document(void **state) {
    (void)state;
    static const char *const texts[] = { "1",       "\"x\"",     "null",     "true",     "false",
                                         "[]",      "{}",        " [ ] ",    "-0",       "1E+2",
                                         "[1,2]//", "[1/**/,2]", "/**/1//x", "\"\x7F\"", "1e-999" };
    for (int i = 0; i < COUNT(texts); i++) {
        accepted(texts[i]);
    }
}

// --- Rows of the fault list ----------------------------------------------------------------------
static void S1_an_empty_file_says_so(void **state) {
    (void)state;
    REFUSED({ "", "t:1:1: the file is empty; it must have a JSON object" },
            { " \n\t\r\n ", "t:1:1: the file is empty; it must have a JSON object" },
            { "// nothing\n", "t:1:1: the file is empty; it must have a JSON object" },
            { "/* nothing */ // at all", "t:1:1: the file is empty; it must have a JSON object" },
            { "\xEF\xBB\xBF", "t:1:1: the file is empty; it must have a JSON object" });
}

// Each prefix in a block of its own size, so that AddressSanitizer sees a step too far.
static void S2_every_prefix_is_refused_with_its_position(void **state) {
    (void)state;
    // without the last line feed
    size_t whole = strlen(sample) - 1;
    for (size_t n = 0; n < whole; n++) {
        char *copy = malloc(n + 1);
        assert_non_null(copy);
        memcpy(copy, sample, n);
        char *exact = realloc(copy, n ? n : 1);
        assert_non_null(exact);
        Read *r = read_bytes(exact, n);
        assert_null(r->doc);
        assert_int_equal(r->err.fault, IMP_BAD_INPUT);
        assert_true(r->err.message[0].line >= 1 && r->err.message[0].column >= 1);
        done(r);
        free(exact);
    }
}

static void S2_the_end_of_a_file_names_what_is_open(void **state) {
    (void)state;
    REFUSED(
        { "{\n  \"a\": [1,",
          "t:2:11: the file ends inside the list that starts on line 2, column 8" },
        { "{\"a\"", "t:1:5: the file ends inside the object that starts on line 1, column 1" },
        { "{\"a\":", "t:1:6: the file ends inside the object that starts on line 1, column 1" },
        { "[\n", "t:2:1: the file ends inside the list that starts on line 1, column 1" },
        { "[\"ab", "t:1:2: the string does not end on its line; a closing quote is missing" },
        { "[\"ab\\", "t:1:2: the string does not end on its line; a closing quote is missing" },
        { "[\"ab\n\"]", "t:1:2: the string does not end on its line; a closing quote is missing" },
        { "[1] /* x\n", "t:1:5: the comment has no end; expected */" },
        { "[1 /*/", "t:1:4: the comment has no end; expected */" });
}

static void S3_every_flipped_bit_is_an_error_or_another_document(void **state) {
    (void)state;
    size_t length = strlen(sample);
    int refusals = 0;
    for (size_t bit = 0; bit < 8 * length; bit++) {
        char *copy = malloc(length);
        assert_non_null(copy);
        memcpy(copy, sample, length);
        copy[bit / 8] = (char)(copy[bit / 8] ^ 1 << bit % 8);
        Read *r = read_bytes(copy, length);
        refusals += r->doc == NULL;
        if (!r->doc) {
            assert_true(r->err.message[0].line >= 1 && r->err.message[0].column >= 1);
        }
        done(r);
        free(copy);
    }
    // no reader is that generous
    assert_true(refusals > (int)length);
}

static void S4_numbers_are_finite(void **state) {
    (void)state;
    REFUSED({ "{\"mass\": NaN}", "t:1:10: \"mass\": NaN is not a number; numbers are finite" },
            { "{\"at\": [0, [nan]]}", "t:1:13: \"at\": nan is not a number; numbers are finite" },
            { "{\"mass\": -Infinity}",
              "t:1:10: \"mass\": -Infinity is not a number; numbers are finite" },
            { "[inf]", "t:1:2: inf is not a number; numbers are finite" },
            { "{\"mass\": 1e999}", "t:1:10: \"mass\": 1e999 is beyond the range of double" },
            { "[-1e999]", "t:1:2: -1e999 is beyond the range of double" });
}

static void S4_all_bad_numbers_are_reported(void **state) {
    (void)state;
    Read *r = read_bytes("{\"a\": NaN,\n\"b\": 1e999, \"c\": [+1]}", 33);
    assert_null(r->doc);
    assert_int_equal(r->err.count, 3);
    SAME_TEXT(message(r, 1), "t:2:6: \"b\": 1e999 is beyond the range of double");
    SAME_TEXT(message(r, 2), "t:2:19: \"c\": +1 is not a number; numbers have no plus sign");
    done(r);
}

static void S5_numbers_are_whole_and_decimal(void **state) {
    (void)state;
    REFUSED(
        { "[0x1F]", "t:1:2: 0x1F is not a number; numbers are decimal" },
        { "{\"mass\": 1,5}", "t:1:10: \"mass\": 1,5 is not a number; the decimal sign is a point" },
        { "[1.0abc]", "t:1:2: 1.0abc is not a number; something follows its digits" },
        { "[+-1]", "t:1:2: +-1 is not a number; numbers have no plus sign" },
        { "[1e]", "t:1:2: 1e is not a number; digits must follow the e" },
        { "[1e+]", "t:1:2: 1e+ is not a number; digits must follow the e" },
        { "[.5]", "t:1:2: .5 is not a number; a digit must stand before the point" },
        { "[-.5]", "t:1:2: -.5 is not a number; a digit must stand before the point" },
        { "[5.]", "t:1:2: 5. is not a number; a digit must stand after the point" },
        { "[01]", "t:1:2: 01 is not a number; numbers do not start with 0" },
        { "[-]", "t:1:2: - is not a number; digits must follow the sign" },
        { "[1.5.2]", "t:1:2: 1.5.2 is not a number; something follows its digits" },
        { "[1-2]", "t:1:2: 1-2 is not a number; something follows its digits" },
        { "[1 2]", "t:1:4: got 2; expected ',' or ']'" });
}

// Where the machine has no such locale there is nothing to test; number.c has no locale in it
// either way.
static void S6_a_locale_with_a_decimal_comma_changes_nothing(void **state) {
    (void)state;
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "es_AR.UTF-8", "es_AR.utf8",
                                         "fr_FR.UTF-8" };
    const char *found = NULL;
    for (int i = 0; i < COUNT(names) && !found; i++) {
        found = setlocale(LC_ALL, names[i]);
    }
    if (!found) {
        skip();
    }
    Read *r = read_text("[0.1, 1.5e3]");
    assert_true(json_first(r->doc->root)->number == 0.1);
    done(r);
    refused_bytes("{\"a\": 1,5}", 10,
                  "t:1:7: \"a\": 1,5 is not a number; the decimal sign is a point");
    setlocale(LC_ALL, "C");
}

static void S7_crlf_and_a_byte_order_mark_are_accepted(void **state) {
    (void)state;
    Read *r = read_text("\xEF\xBB\xBF{ \"a\":\r\n  7 } // x\r\n");
    check_where(json_where(r->doc, r->doc->root), 1, 1);
    check_where(json_key_where(r->doc, json_find(r->doc->root, "a")), 1, 3);
    check_where(json_where(r->doc, json_find(r->doc->root, "a")), 2, 3);
    done(r);
}

static void S7_other_encodings_are_named(void **state) {
    (void)state;
    REFUSED({ "[1,\r2]", "t:1:4: a lone carriage return; lines end in LF or CR LF" },
            { "[1]\r", "t:1:4: a lone carriage return; lines end in LF or CR LF" },
            { "[\"\xC3\xA4\x80\"]",
              "t:1:4: byte 0x80 is not UTF-8: a continuation byte with nothing to continue" },
            { "[\n\"\xC0\xAF\"]", "t:2:2: byte 0xC0 is not UTF-8: an overlong form" },
            { "[\"\xE0\x80\xAF\"]", "t:1:3: byte 0xE0 is not UTF-8: an overlong form" },
            { "[\"\xF0\x80\x80\xAF\"]", "t:1:3: byte 0xF0 is not UTF-8: an overlong form" },
            { "// \xED\xA0\x80\n1", "t:1:4: byte 0xED is not UTF-8: half of a surrogate pair" },
            { "\"\xF4\x90\x80\x80\"", "t:1:2: byte 0xF4 is not UTF-8: beyond U+10FFFF" },
            { "\"\xF5\x80\x80\x80\"", "t:1:2: byte 0xF5 is not UTF-8: beyond U+10FFFF" },
            { "\"\xFF\"", "t:1:2: byte 0xFF is not UTF-8: a byte that UTF-8 never uses" },
            { "\"\xE2\x82\"", "t:1:2: byte 0xE2 is not UTF-8: a character cut short" },
            { "\"a\xC3", "t:1:3: byte 0xC3 is not UTF-8: a character cut short" });
    refused_bytes("\xFF\xFE{\0}\0", 6, "t:1:1: the file is UTF-16; save it as UTF-8");
    refused_bytes("\xFE\xFF\0{\0}", 6, "t:1:1: the file is UTF-16; save it as UTF-8");
    refused_bytes("{\0}\0", 4, "t:1:1: the file is UTF-16; save it as UTF-8");
    refused_bytes("\0{\0}", 4, "t:1:1: the file is UTF-16; save it as UTF-8");
    refused_bytes("[\"a\0\"]", 6, "t:1:4: a zero byte; the file is not text");
    refused_bytes("[1]\n\0", 5, "t:2:1: a zero byte; the file is not text");
}

static void S7_text_has_no_control_characters(void **state) {
    (void)state;
    REFUSED(
        { "[\"a\tb\"]", "t:1:4: a tab in a string; write \\t" },
        { "[\"\x01\"]", "t:1:3: a control character in a string; write \\u0001" },
        { "[\"\\u0000\"]", "t:1:3: \\u0000 is not allowed; text has no zero characters" },
        { "[\"\\ud800\"]", "t:1:3: \\ud800 is half of a surrogate pair" },
        { "[\"\\uD800\\u0041\"]", "t:1:3: \\uD800 is half of a surrogate pair" },
        { "[\"\\uD800\\uDBFF\"]", "t:1:3: \\uD800 is half of a surrogate pair" },
        { "[\"\\uD800\\uE000\"]", "t:1:3: \\uD800 is half of a surrogate pair" },
        { "[\"\\udc00\"]", "t:1:3: \\udc00 is half of a surrogate pair" },
        { "[\"\\u12g4\"]", "t:1:3: \\u must be followed by four hexadecimal digits" },
        { "[\"\\u12", "t:1:3: \\u must be followed by four hexadecimal digits" },
        { "[\"\\x41\"]", "t:1:3: \\x is not an escape; a backslash is written \\\\" },
        { "[\"C:\\\xC3\xA4\"]", "t:1:5: \\\xC3\xA4 is not an escape; a backslash is written \\\\" },
        { "[\x0C]", "t:1:2: got  ; expected a value" });
}

static void S9_a_key_given_twice_names_both_lines(void **state) {
    (void)state;
    const char *text = "{ \"a\": 1,\n \"b\": { \"c\": 1, \"c\": 2 },\n \"\\u0061\": 3, \"a\": 4 }";
    Read *r = read_bytes(text, strlen(text));
    assert_null(r->doc);
    assert_int_equal(r->err.count, 3);
    SAME_TEXT(message(r, 0), "t:2:17: key \"c\" is given twice, on lines 2 and 2");
    SAME_TEXT(message(r, 1), "t:3:2: key \"\\u0061\" is given twice, on lines 1 and 3");
    SAME_TEXT(message(r, 2), "t:3:15: key \"a\" is given twice, on lines 1 and 3");
    done(r);
    accepted("[{\"a\":1},{\"a\":1},{\"b\":{\"a\":1},\"a\":{\"b\":1}}]");
}

// Small objects are compared pair by pair, large ones sorted: both sides of the border, each pair
// of places.
static void S9_a_duplicate_is_found_in_objects_of_any_size(void **state) {
    (void)state;
    for (int count = 2; count <= 40; count++) {
        for (int twin = 1; twin < count; twin++) {
            char text[1000], words[100];
            int n = 0;
            int first = count * 7 % twin;
            for (int i = 0; i < count; i++) {
                n += sprintf(text + n, "%s\n\"k%d\": %d", i ? "," : "{", i == twin ? first : i, i);
            }
            n += sprintf(text + n, "}");
            snprintf(words, sizeof words, "t:%d:1: key \"k%d\" is given twice, on lines %d and %d",
                     twin + 2, first, first + 2, twin + 2);
            refused_bytes(text, (size_t)n, words);
        }
    }
}

static void S9_a_hundred_thousand_keys_are_no_trouble(void **state) {
    (void)state;
    enum { KEYS = 100000 };
    char *text = malloc(20 * KEYS);
    char words[100];
    assert_non_null(text);
    size_t n = 0;
    for (int i = 0; i < KEYS; i++) {
        n += (size_t)sprintf(text + n, "%s\"%d\":0", i ? ",\n" : "{", i * 7919 % KEYS);
    }
    n += (size_t)sprintf(text + n, "}");
    Read *r = read_bytes(text, n);
    assert_non_null(r->doc);
    assert_int_equal(r->doc->root->count, KEYS);
    done(r);
    n += (size_t)sprintf(text + n - 1, ",\n\"7919\":0}") - 1;
    snprintf(words, sizeof words, "t:%d:1: key \"7919\" is given twice, on lines 2 and %d",
             KEYS + 1, KEYS + 1);
    refused_bytes(text, n, words);
    free(text);
}

static void S12_a_million_brackets_meet_a_limit(void **state) {
    (void)state;
    enum { DEEP = 1000000 };
    char *text = malloc(2 * DEEP);
    assert_non_null(text);
    memset(text, '[', DEEP);
    memset(text + DEEP, ']', DEEP);
    refused_bytes(text, DEEP, "t:1:65: more than 64 levels of nesting; max_nesting allows no more");
    Read *r = read_deep(text, 2 * DEEP, DEEP - 1);
    assert_null(r->doc);
    assert_int_equal(r->err.fault, IMP_AT_LIMIT);
    assert_int_equal(r->err.message[0].column, DEEP);
    done(r);
    // no recursion: any depth will do
    r = read_deep(text, 2 * DEEP, DEEP);
    assert_non_null(r->doc);
    done(r);
    r = read_deep(text + DEEP - 64, 128, 0);
    assert_non_null(r->doc);
    done(r);
    free(text);
}

static void S12_many_lists_side_by_side_are_not_deep(void **state) {
    (void)state;
    char text[1000];
    size_t n = 0;
    for (int i = 0; i < 200; i++) {
        n += (size_t)sprintf(text + n, "%s[]", i ? "," : "[");
    }
    sprintf(text + n, "]");
    accepted(text);
}

static void measure(const char *text, size_t length) {
    Pool pool = { 0 };
    assert_non_null(json_parse(&pool, text, length, "t", 0, NULL));
    assert_true(pool.total <= 100 * length + (8u << 20));
    pool_free(&pool);
}

static void S13_long_names_long_lines_and_many_tokens_need_little_memory(void **state) {
    (void)state;
    enum { SIZE = 10000000 };
    char *text = malloc(SIZE);
    assert_non_null(text);
    // a name that looks like many values
    memset(text, ',', SIZE);
    text[0] = text[SIZE - 1] = '"';
    measure(text, SIZE);
    // a line of five million tokens
    for (int i = 0; i < SIZE; i++) {
        text[i] = i % 2 ? '0' : ',';
    }
    text[0] = '[';
    text[SIZE - 2] = ' ';
    text[SIZE - 1] = ']';
    measure(text, SIZE);
    free(text);
}

static void S13_a_text_of_two_gibibytes_is_refused_unread(void **state) {
    (void)state;
    impError err = { 0 };
    Pool pool = { 0 };
    assert_null(json_parse(&pool, "", (size_t)1 << 31, "t", 0, &err));
    assert_int_equal(err.fault, IMP_AT_LIMIT);
    SAME_TEXT(err.message[0].text,
              "2147483648 bytes of JSON; the reader takes fewer than 2147483647");
    pool_free(&pool);
}

// --- Other syntax --------------------------------------------------------------------------------
static void punctuation_out_of_place_is_named(void **state) {
    (void)state;
    REFUSED({ "[1, 2,]", "t:1:6: a comma after the last element; remove it" },
            { "{\"a\": 1, // x\n}", "t:1:8: a comma after the last member; remove it" },
            { "[,1]", "t:1:2: got ,; expected a value" },
            { "[1,,2]", "t:1:4: got ,; expected a value" },
            { "{,}", "t:1:2: got ,; expected a key in double quotes" },
            { "{\"a\" 1}", "t:1:6: got 1; expected ':' after the key" },
            { "{\"a\":}", "t:1:6: got }; expected a value" },
            { "{\"a\": 1 \"b\": 2}", "t:1:9: got \"b\"; expected ',' or '}'" },
            { "{a: 1}", "t:1:2: got a; expected a key in double quotes" },
            { "{'a': 1}", "t:1:2: got 'a'; expected a key in double quotes" },
            { "[1}", "t:1:3: got }; expected ',' or ']'" },
            { "{\"a\":1]", "t:1:7: got ]; expected ',' or '}'" },
            { "[] []", "t:1:4: got [; expected nothing after the end of the document" },
            { "]", "t:1:1: got ]; expected a value" },
            { "[1 / 2]", "t:1:4: got /; expected a comment: // or /*" },
            { "[\xC2\xA0 1]", "t:1:2: \xC2\xA0 is not a value; text stands in double quotes" });
}

static void words_out_of_place_are_named(void **state) {
    (void)state;
    REFUSED({ "[True]", "t:1:2: True is not a value; did you mean true?" },
            { "[tru", "t:1:2: tru is not a value; did you mean true?" },
            { "[nul]", "t:1:2: nul is not a value; did you mean null?" },
            { "[truefalse]", "t:1:2: truefalse is not a value; text stands in double quotes" },
            { "['text']", "t:1:2: 'text' is not a value; text stands in double quotes" },
            { "{\"a\": ball}", "t:1:7: ball is not a value; text stands in double quotes" });
}

// --- Asking --------------------------------------------------------------------------------------
static void a_wrong_kind_is_named_with_owner_value_and_rule(void **state) {
    (void)state;
    double mass = 3;
    bool fixed = true;
    const char *name = "x";
    impVec3 at = { 1, 2, 3 };
    Read *r = read_text("{\"mass\": \"heavy\", \"fixed\": 1, \"name\": null,\n\"at\": [1, \"b\", "
                        "{}], \"v\": [1, 2]}");
    const JsonNode *root = r->doc->root;
    assert_false(
        json_get_number(r->doc, json_find(root, "mass"), "body 'ball'", "mass", &mass, &r->err));
    assert_false(json_get_bool(r->doc, json_find(root, "fixed"), "", "fixed", &fixed, &r->err));
    assert_false(json_get_text(r->doc, json_find(root, "name"), NULL, "name", &name, &r->err));
    assert_false(json_get_vec3(r->doc, json_find(root, "at"), "body 'ball'", "at", &at, &r->err));
    assert_false(json_get_vec3(r->doc, json_find(root, "v"), NULL, "v", &at, &r->err));
    assert_false(json_check_kind(r->doc, json_find(root, "v"), NULL, "v", JSON_OBJECT, &r->err));
    assert_int_equal(r->err.count, 7);
    SAME_TEXT(message(r, 0), "t:1:10: body 'ball': mass; got \"heavy\"; it must be a number");
    SAME_TEXT(message(r, 1), "t:1:28: fixed; got 1; it must be true or false");
    SAME_TEXT(message(r, 2), "t:1:39: name; got null; it must be text in quotes");
    SAME_TEXT(message(r, 3), "t:2:11: body 'ball': at[1]; got \"b\"; it must be a number");
    SAME_TEXT(message(r, 4), "t:2:16: body 'ball': at[2]; got {}; it must be a number");
    SAME_TEXT(message(r, 5), "t:2:26: v; got [1, 2]; it must be a list of 3 numbers");
    SAME_TEXT(message(r, 6), "t:2:26: v; got [1, 2]; it must be an object");
    assert_true(mass == 3 && fixed && at.x == 1 && at.y == 2 && at.z == 3);
    SAME_TEXT(name, "x");
    done(r);
}

static void right_kinds_are_read_and_missing_ones_left_alone(void **state) {
    (void)state;
    double mass = 0;
    double q[4] = { 0 };
    double other = 5;
    bool fixed = false;
    const char *name = NULL;
    impVec3 at = { 0 };
    int64_t count = 0;
    Read *r = read_text("{\"m\": 2.5, \"f\": true, \"n\": \"a\", \"at\": [1, 2, 3],"
                        " \"q\": [1, 0, 0, 0.5], \"c\": 1e3}");
    const JsonNode *root = r->doc->root;
    assert_true(json_get_number(r->doc, json_find(root, "m"), NULL, "m", &mass, &r->err));
    assert_true(json_get_bool(r->doc, json_find(root, "f"), NULL, "f", &fixed, &r->err));
    assert_true(json_get_text(r->doc, json_find(root, "n"), NULL, "n", &name, &r->err));
    assert_true(json_get_vec3(r->doc, json_find(root, "at"), NULL, "at", &at, &r->err));
    assert_true(json_get_numbers(r->doc, json_find(root, "q"), NULL, "q", 4, q, &r->err));
    assert_true(json_get_int(r->doc, json_find(root, "c"), NULL, "c", 0, 1000, &count, &r->err));
    assert_true(json_get_number(r->doc, json_find(root, "zzz"), NULL, "zzz", &other, &r->err));
    assert_true(json_get_vec3(r->doc, NULL, NULL, "zzz", &at, &r->err));
    assert_true(mass == 2.5 && fixed && at.x == 1 && at.y == 2 && at.z == 3 && q[3] == 0.5 &&
                count == 1000);
    assert_true(other == 5);
    SAME_TEXT(name, "a");
    assert_int_equal(r->err.count, 0);
    done(r);
}

static void whole_numbers_have_a_range(void **state) {
    (void)state;
    int64_t n = 7;
    Read *r = read_text("[1.5, -1, 1e18, \"3\", 9223372036854775808]");
    for (const JsonNode *e = json_first(r->doc->root); e; e = json_next(e)) {
        assert_false(json_get_int(r->doc, e, "repeat", "count", 0, 1000000, &n, &r->err));
    }
    assert_int_equal(n, 7);
    SAME_TEXT(message(r, 0),
              "t:1:2: repeat: count; got 1.5; it must be a whole number from 0 to 1000000");
    SAME_TEXT(message(r, 3),
              "t:1:17: repeat: count; got \"3\"; it must be a whole number from 0 to 1000000");
    assert_int_equal(r->err.count, 5);
    done(r);
}

static void a_choice_lists_its_words(void **state) {
    (void)state;
    static const char *const laws[] = { "poisson", "stronge", "newton" };
    int law = -1;
    Read *r = read_text("[\"newton\", \"poison\", 5]");
    const JsonNode *first = json_first(r->doc->root);
    const JsonNode *second = json_next(first);
    const JsonNode *third = json_next(second);
    assert_true(json_get_choice(r->doc, first, NULL, "law", laws, 3, &law, &r->err));
    assert_int_equal(law, 2);
    assert_false(json_get_choice(r->doc, second, "pair", "law", laws, 3, &law, &r->err));
    assert_false(json_get_choice(r->doc, third, "pair", "law", laws, 3, &law, &r->err));
    SAME_TEXT(
        message(r, 0),
        "t:1:12: pair: law; got \"poison\"; it must be \"poisson\", \"stronge\" or \"newton\"; "
        "did you mean \"poisson\"?");
    SAME_TEXT(message(r, 1),
              "t:1:22: pair: law; got 5; it must be \"poisson\", \"stronge\" or \"newton\"");
    done(r);
}

static void S8_unknown_keys_are_reported_with_the_nearest_known(void **state) {
    (void)state;
    static const char *const known[] = { "friction", "restitution", "density" };
    Read *r = read_text("{ \"fricton\": 1, \"density\": 2,\n  \"zzz\": 3 }");
    assert_false(json_check_keys(r->doc, r->doc->root, "material 'steel'", known, 3, &r->err));
    assert_int_equal(r->err.count, 2);
    SAME_TEXT(message(r, 0),
              "t:1:3: material 'steel': unknown key \"fricton\"; did you mean \"friction\"?");
    SAME_TEXT(
        message(r, 1),
        "t:2:3: material 'steel': unknown key \"zzz\"; it may be \"friction\", \"restitution\" "
        "or \"density\"");
    assert_null(json_need(r->doc, r->doc->root, "material 'steel'", "friction", &r->err));
    SAME_TEXT(message(r, 2), "t:1:1: material 'steel': \"friction\" is missing");
    assert_non_null(json_need(r->doc, r->doc->root, "material 'steel'", "density", &r->err));
    done(r);
}

static void a_shown_value_is_one_short_line(void **state) {
    (void)state;
    Read *r = read_text(
        "[[1,\n   2],"
        "\"\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4"
        "0123456789012345678901234567890123456789\"]");
    const JsonNode *list = json_first(r->doc->root);
    SAME_TEXT(json_show(r->doc, list).text, "[1, 2]");
    SAME_TEXT(json_show(r->doc, json_next(list)).text,
              "\"\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4"
              "01234567890123456789012345678...");
    done(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_what_is_written),
        cmocka_unit_test(members_come_in_order_with_their_keys),
        cmocka_unit_test(positions_count_lines_and_characters),
        cmocka_unit_test(any_value_is_a_document),
        cmocka_unit_test(S1_an_empty_file_says_so),
        cmocka_unit_test(S2_every_prefix_is_refused_with_its_position),
        cmocka_unit_test(S2_the_end_of_a_file_names_what_is_open),
        cmocka_unit_test(S3_every_flipped_bit_is_an_error_or_another_document),
        cmocka_unit_test(S4_numbers_are_finite),
        cmocka_unit_test(S4_all_bad_numbers_are_reported),
        cmocka_unit_test(S5_numbers_are_whole_and_decimal),
        cmocka_unit_test(S6_a_locale_with_a_decimal_comma_changes_nothing),
        cmocka_unit_test(S7_crlf_and_a_byte_order_mark_are_accepted),
        cmocka_unit_test(S7_other_encodings_are_named),
        cmocka_unit_test(S7_text_has_no_control_characters),
        cmocka_unit_test(S8_unknown_keys_are_reported_with_the_nearest_known),
        cmocka_unit_test(S9_a_key_given_twice_names_both_lines),
        cmocka_unit_test(S9_a_duplicate_is_found_in_objects_of_any_size),
        cmocka_unit_test(S9_a_hundred_thousand_keys_are_no_trouble),
        cmocka_unit_test(S12_a_million_brackets_meet_a_limit),
        cmocka_unit_test(S12_many_lists_side_by_side_are_not_deep),
        cmocka_unit_test(S13_long_names_long_lines_and_many_tokens_need_little_memory),
        cmocka_unit_test(S13_a_text_of_two_gibibytes_is_refused_unread),
        cmocka_unit_test(punctuation_out_of_place_is_named),
        cmocka_unit_test(words_out_of_place_are_named),
        cmocka_unit_test(a_wrong_kind_is_named_with_owner_value_and_rule),
        cmocka_unit_test(right_kinds_are_read_and_missing_ones_left_alone),
        cmocka_unit_test(whole_numbers_have_a_range),
        cmocka_unit_test(a_choice_lists_its_words),
        cmocka_unit_test(a_shown_value_is_one_short_line),
    };
    return RUN(tests);
}
