// text.c -- strings and numbers as JSON and CSV write them.
//
// SPDX-License-Identifier: MIT
#include "io/text.h"
#include "io/json.h"
#include "scene_support.h"

// free it
static char *written(bool (*write)(Output *, const char *, impError *), const char *text) {
    impError err = { 0 };
    size_t size;
    Path path = in_folder("text");
    Output *out = output_open(path.text, true, &err);
    assert_non_null(out);
    assert_true(write(out, text, &err));
    assert_true(output_commit(out, &err));
    return read_text(path.text, &size);
}

static void json(const char *text, const char *expected) {
    char *got = written(text_json, text);
    SAME_TEXT(got, expected);
    impError err = { 0 };
    Pool pool = { 0 };
    const Json *doc = json_parse(&pool, got, strlen(got), NULL, 0, &err);
    assert_non_null(doc);
    // and back
    SAME_TEXT(doc->root->text, text);
    pool_free(&pool);
    free(got);
}

static void strings_of_json(void **state) {
    (void)state;
    json("", "\"\"");
    json("plain", "\"plain\"");
    json("say \"no\" to C:\\", "\"say \\\"no\\\" to C:\\\\\"");
    json("a\tb\nc\r\x01\x1f\x7f", "\"a\\u0009b\\u000ac\\u000d\\u0001\\u001f\x7f\"");
    json("gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80 /", "\"gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80 /\"");
}

static void csv(const char *text, const char *expected) {
    char *got = written(text_csv, text);
    SAME_TEXT(got, expected);
    free(got);
}

static void strings_of_csv(void **state) {
    (void)state;
    csv("plain", "plain");
    csv("two words", "two words");
    csv("a,b", "\"a,b\"");
    csv("say \"no\"", "\"say \"\"no\"\"\"");
    csv("two\nlines", "\"two\nlines\"");
    csv("\r", "\"\r\"");
    csv("", "");
}

static void lists_of_numbers(void **state) {
    (void)state;
    impError err = { 0 };
    size_t size;
    Path path = in_folder("numbers");
    Output *out = output_open(path.text, true, &err);
    assert_true(text_numbers(out, (double[]){ 1, 0.1, -0.0, 1e-7, 1.0 / 3 }, 5, &err));
    assert_true(text_numbers(out, NULL, 0, &err));
    assert_true(output_commit(out, &err));
    char *got = read_text(path.text, &size);
    SAME_TEXT(got, "[1, 0.1, -0, 1e-7, 0.3333333333333333][]");
    free(got);
}

static void utf8_is_told_from_what_is_not(void **state) {
    (void)state;
    static const char *const right[] = { "",
                                         "abc",
                                         "\xC2\x80",
                                         "\xDF\xBF",
                                         "\xE0\xA0\x80",
                                         "\xED\x9F\xBF",
                                         "\xEE\x80\x80",
                                         "\xF0\x90\x80\x80",
                                         "\xF4\x8F\xBF\xBF",
                                         "a\xC3\xA4z" };
    static const char *const wrong[] = { "\x80",
                                         "\xBF",
                                         "\xC0\x80",
                                         "\xC1\xBF",
                                         "\xC3",
                                         "\xC3z",
                                         "\xE0\x9F\xBF",
                                         "\xE2\x82",
                                         "\xED\xA0\x80",
                                         "\xF0\x8F\xBF\xBF",
                                         "\xF4\x90\x80\x80",
                                         "\xF5\x80\x80\x80",
                                         "\xFF",
                                         "\xF0\x90\x80",
                                         "\xE2\x82z" };
    for (int i = 0; i < COUNT(right); i++) {
        assert_true(text_is_utf8(right[i]));
    }
    for (int i = 0; i < COUNT(wrong); i++) {
        assert_false(text_is_utf8(wrong[i]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_of_json),
        cmocka_unit_test(strings_of_csv),
        cmocka_unit_test(lists_of_numbers),
        cmocka_unit_test(utf8_is_told_from_what_is_not),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
