// formats.c -- the table of file formats, the defaults of the limits, endings of names.
//
// SPDX-License-Identifier: MIT
#include "io/io.h"
#include "test.h"

static void every_format_has_a_row(void **state) {
    (void)state;
    static const char *const names[] = {
        "scene", "stl", "obj", "csv", "jsonl", "rec", "page", "glb"
    };
    assert_int_equal(io_format_count, COUNT(names));
    for (int i = 0; i < io_format_count; i++) {
        const Format *f = &io_formats[i];
        SAME_TEXT(f->name, names[i]);
        assert_true(f->endings[0] == '.' && (f->reads || f->writes) && f->about[0] && f->source[0]);
        SAME_TEXT(impCatalogue(IMP_FORMATS, i).name, names[i]);
    }
    assert_null(impCatalogue(IMP_FORMATS, io_format_count).name);
    assert_true(io_formats[0].reads && io_formats[0].writes);
}

static void zeros_are_replaced_by_the_defaults(void **state) {
    (void)state;
    impLoadDef d = impLimits(NULL);
    impLoadDef mine = { 1, 2, 3, 4, true, true, 5 };
    impLoadDef odd = { .max_bodies = -1, .max_triangles = -1, .max_nesting = -1 };
    assert_true(d.max_file_bytes == (size_t)1 << 30 && d.max_bodies == 1000000 &&
                d.max_triangles == 10000000);
    assert_true(d.max_nesting == 64 && !d.allow_path && !d.strict);
    impLoadDef e = impLimits(&mine);
    assert_true(e.max_file_bytes == 1 && e.max_bodies == 2 && e.max_triangles == 3 &&
                e.max_nesting == 4);
    assert_true(e.allow_path && e.strict && e.seed == 5 && d.seed == 1);
    e = impLimits(&odd);
    assert_true(e.max_bodies == 1000000 && e.max_triangles == 10000000 && e.max_nesting == 64);
}

static void endings_know_no_case(void **state) {
    (void)state;
    assert_true(io_ends_with("a.csv", ".csv"));
    assert_true(io_ends_with("A.CsV", ".csv"));
    assert_true(io_ends_with(".csv", ".csv"));
    assert_false(io_ends_with("csv", ".csv"));
    assert_false(io_ends_with("a.csv.gz", ".csv"));
    assert_false(io_ends_with("", ".csv"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_has_a_row),
        cmocka_unit_test(zeros_are_replaced_by_the_defaults),
        cmocka_unit_test(endings_know_no_case),
    };
    return RUN(tests);
}
