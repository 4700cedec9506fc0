// error.c -- tests of base/error.c: messages are one line, whole in UTF-8, and never overflow.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "base/base.h"

static char printed[1024];

static const char *print(const impError *err, int i) {
    impError_Print(err, i, printed, sizeof printed);
    return printed;
}

static void a_failure_is_a_sentence(void **state) {
    (void)state;
    impError err = { 0 };
    assert_false(fail(&err, (Where){ "tower.json", 14, 9 },
                      "body '%s': mass %d kg; it must be positive", "plank", -2));
    assert_int_equal(err.count, 1);
    assert_int_equal(err.fault, IMP_BAD_INPUT);
    SAME_TEXT(err.message[0].file, "tower.json");
    assert_int_equal(err.message[0].line, 14);
    assert_int_equal(err.message[0].column, 9);
    SAME_TEXT(print(&err, 0), "tower.json:14:9: body 'plank': mass -2 kg; it must be positive");
}

static void nobody_listens(void **state) {
    (void)state;
    assert_false(fail(NULL, (Where){ 0 }, "%s", "unheard"));
    assert_false(fail_as(NULL, IMP_BAD_FILE, (Where){ 0 }, "unheard"));
    assert_false(fail_memory(NULL));
}

static void unknown_parts_are_left_out(void **state) {
    (void)state;
    const struct {
        Where at;
        const char *text;
    } cases[] = {
        { { "a.json", 3, 4 }, "a.json:3:4: x" },
        { { "a.json", 3, 0 }, "a.json:3: x" },
        { { "a.json", 0, 0 }, "a.json: x" },
        { { "a.json", 0, 4 }, "a.json: x" },
        { { NULL, 3, 4 }, "3:4: x" },
        { { NULL, 0, 0 }, "x" },
        { { "", 0, 0 }, "x" },
        { { NULL, -1, -1 }, "x" },
    };
    for (int i = 0; i < COUNT(cases); i++) {
        char out[64];
        size_t length = print_where(cases[i].at, "x", out, sizeof out);
        SAME_TEXT(out, cases[i].text);
        assert_int_equal(length, strlen(cases[i].text));
    }
}

static void the_first_fault_stays(void **state) {
    (void)state;
    impError err = { 0 };
    fail_memory(&err);
    fail(&err, (Where){ 0 }, "another");
    assert_int_equal(err.fault, IMP_AT_LIMIT);
    assert_int_equal(err.count, 2);
    SAME_TEXT(print(&err, 0), "out of memory; the system has no more to give");
}

static void twenty_are_kept_and_all_are_counted(void **state) {
    (void)state;
    struct {
        impError err;
        char fence[64];
    } s = { 0 };
    memset(s.fence, 0x5A, sizeof s.fence);
    for (int i = 0; i < 1000; i++) {
        fail(&s.err, (Where){ "f", i + 1, 0 }, "trouble %d", i);
    }
    assert_int_equal(s.err.count, 1000);
    SAME_TEXT(print(&s.err, 0), "f:1: trouble 0");
    SAME_TEXT(print(&s.err, IMP_MESSAGES - 1), "f:20: trouble 19");
    SAME_TEXT(print(&s.err, IMP_MESSAGES), "");
    for (size_t i = 0; i < sizeof s.fence; i++) {
        assert_int_equal(s.fence[i], 0x5A);
    }
    s.err.count = INT32_MAX;
    fail(&s.err, (Where){ 0 }, "one too many");
    assert_int_equal(s.err.count, INT32_MAX);
}

static void no_such_message(void **state) {
    (void)state;
    impError err = { 0 };
    SAME_TEXT(print(&err, 0), "");
    SAME_TEXT(print(&err, -1), "");
    SAME_TEXT(print(NULL, 0), "");
    assert_int_equal(impError_Print(&err, 0, NULL, 0), 0);
}

static bool whole_utf8(const char *text) {
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        int more = *c < 0x80                 ? 0
                   : *c >= 0xC2 && *c < 0xE0 ? 1
                   : *c >= 0xE0 && *c < 0xF0 ? 2
                   : *c >= 0xF0              ? 3
                                             : -1;
        if (more < 0) return false;
        for (c++; more > 0; more--, c++) {
            if ((*c & 0xC0) != 0x80) return false;
        }
    }
    return true;
}

// Characters of 1 to 4 bytes, shifted byte by byte over the place of the cut.
static void long_texts_are_cut_between_characters(void **state) {
    (void)state;
    const char *letters[] = { "x", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x8C\x8D" };
    for (int k = 0; k < COUNT(letters); k++) {
        for (int shift = 0; shift < 8; shift++) {
            static char name[2000];
            memset(name, 0, sizeof name);
            memset(name, 'a', (size_t)shift);
            while (strlen(name) + 8 < sizeof name) {
                strcat(name, letters[k]);
            }
            impError err = { 0 };
            fail(&err, (Where){ name, 1, 1 }, "%s", name);
            const impMessage *m = &err.message[0];
            assert_true(whole_utf8(m->text) && whole_utf8(m->file));
            assert_in_range(strlen(m->text), sizeof m->text - 4, sizeof m->text - 1);
            assert_in_range(strlen(m->file), sizeof m->file - 4, sizeof m->file - 1);
            SAME_TEXT(m->text + strlen(m->text) - 3, "...");
            // the end of a path tells more
            assert_memory_equal(m->file, "...", 3);
            SAME_TEXT(m->file + strlen(m->file) - strlen(letters[k]), letters[k]);
        }
    }
}

static void exact_fits_are_not_cut(void **state) {
    (void)state;
    impError err = { 0 };
    char text[481] = { 0 }, file[121] = { 0 };
    memset(text, 't', 479);
    memset(file, 'f', 119);
    fail(&err, (Where){ file, 0, 0 }, "%s", text);
    SAME_TEXT(err.message[0].text, text);
    SAME_TEXT(err.message[0].file, file);
    text[479] = 't';
    file[119] = 'f';
    fail(&err, (Where){ file, 0, 0 }, "%s", text);
    SAME_TEXT(err.message[1].text + 475, "t...");
    SAME_TEXT(err.message[1].file + 115, "ffff");
    assert_memory_equal(err.message[1].file, "...f", 4);
}

static void broken_utf8_ends_too(void **state) {
    (void)state;
    char name[2000];
    memset(name, 0x80, sizeof name - 1);
    name[sizeof name - 1] = 0;
    impError err = { 0 };
    fail(&err, (Where){ name, 0, 0 }, "%s", name);
    assert_in_range(strlen(err.message[0].text), 470, 479);
    assert_in_range(strlen(err.message[0].file), 110, 119);
}

static void a_name_with_a_newline_stays_on_the_line(void **state) {
    (void)state;
    impError err = { 0 };
    fail(&err, (Where){ "a\nb.json", 1, 2 }, "body '%s': no", "x\r\n\t\x1b[31m\x7f");
    SAME_TEXT(print(&err, 0), "a?b.json:1:2: body 'x????[31m?': no");
    char out[32];
    print_where((Where){ "c\nd", 0, 0 }, "e\nf", out, sizeof out);
    SAME_TEXT(out, "c?d: e?f");
}

// The length is always the full one; what fits is a start of it, with dots where something is
// missing.
static void printing_into_little_room(void **state) {
    (void)state;
    const char *full = "t\xC3\xBCr.json:14:9: \xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC";
    for (size_t size = 0; size < 40; size++) {
        char out[48];
        memset(out, 0x5A, sizeof out);
        const Where at = { "t\xC3\xBCr.json", 14, 9 };
        size_t length = print_where(at, "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC", out, size);
        assert_int_equal(length, strlen(full));
        for (size_t i = size; i < sizeof out; i++) {
            assert_int_equal(out[i], 0x5A);
        }
        if (size == 0) continue;
        assert_true(strlen(out) < size && whole_utf8(out));
        if (size > length) {
            SAME_TEXT(out, full);
        } else if (size >= 4) {
            SAME_TEXT(out + strlen(out) - 3, "...");
        }
    }
}

static void the_nearest_word(void **state) {
    (void)state;
    const char *const words[] = { "sphere", "box", "capsule", "cylinder",       "hull",
                                  "mesh",   NULL,  "",        "friction_static" };
    const struct {
        const char *word, *found;
    } cases[] = {
        { "sphere", "sphere" },
        { "shpere", "sphere" },
        { "sphre", "sphere" },
        { "spheree", "sphere" },
        { "spere", "sphere" },
        { "bxo", "box" },
        { "bo", "box" },
        { "boxx", "box" },
        { "BOX", "box" },
        { "mehs", "mesh" },
        { "capsul", "capsule" },
        { "mush", "mesh" },
        { "torus", NULL },
        { "", NULL },
        { "x", NULL },
        { "wheel", NULL },
        { "rate", NULL },
        { "cilinder", "cylinder" },
        { "friction-static", "friction_static" },
        { "frictionstatic", "friction_static" },
    };
    for (int i = 0; i < COUNT(cases); i++) {
        SAME_TEXT(nearest(cases[i].word, words, COUNT(words)), cases[i].found);
    }
    assert_null(nearest("sphere", words, 0));
}

static void the_first_of_equals_and_the_closer_of_two(void **state) {
    (void)state;
    const char *const words[] = { "mats", "mass", "mast" };
    SAME_TEXT(nearest("masz", words, 3), "mass");
    SAME_TEXT(nearest("mast", words, 3), "mast");
    const char *const one[] = { "y", "xy" };
    // not 'y', which shares no letter
    SAME_TEXT(nearest("x", one, 2), "xy");
}

static void words_beyond_reason(void **state) {
    (void)state;
    char word[200];
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = 0;
    const char *const words[] = { word, word + 199 - 63 };
    assert_null(nearest(word, words, 2));
    SAME_TEXT(nearest(word + 199 - 62, words, 2), words[1]);
    assert_ptr_equal(nearest(word + 199 - 63, words, 2), words[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_is_a_sentence),
        cmocka_unit_test(nobody_listens),
        cmocka_unit_test(unknown_parts_are_left_out),
        cmocka_unit_test(the_first_fault_stays),
        cmocka_unit_test(twenty_are_kept_and_all_are_counted),
        cmocka_unit_test(no_such_message),
        cmocka_unit_test(long_texts_are_cut_between_characters),
        cmocka_unit_test(exact_fits_are_not_cut),
        cmocka_unit_test(broken_utf8_ends_too),
        cmocka_unit_test(a_name_with_a_newline_stays_on_the_line),
        cmocka_unit_test(printing_into_little_room),
        cmocka_unit_test(the_nearest_word),
        cmocka_unit_test(the_first_of_equals_and_the_closer_of_two),
        cmocka_unit_test(words_beyond_reason),
    };
    return RUN(tests);
}
