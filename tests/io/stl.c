// stl.c -- STL files, binary and text, whole and broken, read from memory.
//
// SPDX-License-Identifier: MIT
#include "io/mesh_files.h"
#include "test.h"

static impError error;  // of the latest read: too large for a stack frame

typedef struct Read {
    Triangles t;
    bool good;
} Read;

static Read read_stl(const char *bytes, size_t size) {
    Read r = { .t = { .limit = 1000 } };
    // exactly as large as it says, for the sanitizer
    char *copy = malloc(size + 1);
    memcpy(copy, bytes, size);
    char *tight = realloc(copy, size ? size : 1);
    error = (impError){ 0 };
    r.good = io_stl_read(&r.t, tight, size, "a.stl", &error);
    free(tight);
    assert_int_equal(r.good, error.count == 0);
    return r;
}

static void refused(const char *bytes, size_t size, const char *text) {
    char line[700];
    Read r = read_stl(bytes, size);
    assert_false(r.good);
    impError_Print(&error, 0, line, sizeof line);
    SAME_TEXT(line, text);
    io_triangles_free(&r.t);
}

// --- Binary --------------------------------------------------------------------------------------

enum { SIZE_2 = 84 + 2 * 50 };

static void put_float(char *to, float value) { memcpy(to, &value, 4); }

// of two triangles, saying `count`
static void binary(char *file, uint32_t count, const char *header) {
    memset(file, 0, SIZE_2);
    memcpy(file, header, strlen(header));
    memcpy(file + 80, &count, 4);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 9; k++) {
            put_float(file + 84 + 50 * i + 12 + 4 * k, (float)(i + 0.25 * k));
        }
    }
}

static void binary_triangles(void **state) {
    (void)state;
    char file[SIZE_2];
    binary(file, 2, "");
    Read r = read_stl(file, SIZE_2);
    assert_true(r.good);
    assert_int_equal(r.t.count, 2);
    for (int i = 0; i < 18; i++) {
        SAME_BITS(r.t.corner[i], i / 9 + 0.25 * (i % 9));
    }
    io_triangles_free(&r.t);
}

static void m4_binary_stl_count_that_does_not_match_the_size(void **state) {
    (void)state;
    char file[SIZE_2];
    binary(file, 3, "");
    refused(
        file, SIZE_2,
        "a.stl: no STL file: it says, at byte 80, 3 triangles, which take 234 bytes; it has 184");
    binary(file, 1, "");
    refused(
        file, SIZE_2,
        "a.stl: no STL file: it says, at byte 80, 1 triangles, which take 134 bytes; it has 184");
    binary(file, 0, "");
    refused(
        file, SIZE_2,
        "a.stl: no STL file: it says, at byte 80, 0 triangles, which take 84 bytes; it has 184");
    binary(file, 0xffffffffu, "");
    refused(
        file, SIZE_2,
        "a.stl: no STL file: it says, at byte 80, 4294967295 triangles, which take 214748364834 "
        "bytes; it has 184");
}

static void m4_binary_stl_shorter_than_its_header(void **state) {
    (void)state;
    char file[SIZE_2];
    binary(file, 2, "");
    refused(file, 0,
            "a.stl: no STL file: 0 bytes; text begins with \"solid\", a binary file has at least "
            "84 bytes");
    refused(file, 80,
            "a.stl: no STL file: 80 bytes; text begins with \"solid\", a binary file has at least "
            "84 bytes");
    refused(file, 83,
            "a.stl: no STL file: 83 bytes; text begins with \"solid\", a binary file has at least "
            "84 bytes");
}

static void m4_binary_stl_of_no_triangles(void **state) {
    (void)state;
    char file[SIZE_2];
    binary(file, 0, "");
    // a file like any other; impMesh_Load says that it is empty
    Read r = read_stl(file, 84);
    assert_true(r.good);
    assert_int_equal(r.t.count, 0);
    io_triangles_free(&r.t);
}

static void m5_binary_stl_that_begins_with_solid(void **state) {
    (void)state;
    char file[SIZE_2];
    binary(file, 2, "solid made by some program");
    Read r = read_stl(file, SIZE_2);
    assert_true(r.good);
    assert_int_equal(r.t.count, 2);
    io_triangles_free(&r.t);
    refused(
        file, SIZE_2 - 1,
        "a.stl: no STL file: it says, at byte 80, 2 triangles, which take 184 bytes; it has 183");
}

static void binary_vertex_that_is_no_number(void **state) {
    (void)state;
    char file[SIZE_2];
    binary(file, 2, "");
    put_float(file + 84 + 50 + 12 + 16, NAN);
    refused(file, SIZE_2,
            "a.stl: triangle 1, byte 158: vertex [1.75, nan, 2.25]; it must be finite");
    put_float(file + 84 + 12, -INFINITY);
    refused(file, SIZE_2,
            "a.stl: triangle 0, byte 96: vertex [-inf, 0.25, 0.5]; it must be finite");
    Read r = read_stl(file, SIZE_2);
    assert_int_equal(error.count, 2);
    io_triangles_free(&r.t);
}

static void binary_every_prefix_is_refused(void **state) {
    (void)state;
    char file[SIZE_2];
    binary(file, 2, "solid");
    for (size_t size = 0; size < SIZE_2; size++) {
        Read r = read_stl(file, size);
        assert_false(r.good);
        io_triangles_free(&r.t);
    }
}

static void m16_more_triangles_than_allowed(void **state) {
    (void)state;
    char file[SIZE_2];
    Read r = { .t = { .limit = 1 } };
    binary(file, 2, "");
    error = (impError){ 0 };
    assert_false(io_stl_read(&r.t, file, SIZE_2, "a.stl", &error));
    SAME_TEXT(error.message[0].text, "more than 1 triangles (max_triangles)");
    assert_int_equal(error.fault, IMP_AT_LIMIT);
    // refused before any memory was taken
    assert_null(r.t.corner);
}

// --- Text ----------------------------------------------------------------------------------------

#define FACET                                                                                      \
    "facet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1 0 0\n  vertex 0 1.5e0 -.5\n "     \
    "endloop\nendfacet\n"
static const char one[] = "solid a name\n" FACET "endsolid a name\n";

static void text_triangles(void **state) {
    (void)state;
    Read r = read_stl(one, strlen(one));
    assert_true(r.good);
    const double expected[9] = { 0, 0, 0, 1, 0, 0, 0, 1.5, -0.5 };
    for (int i = 0; i < 9; i++) {
        SAME_BITS(r.t.corner[i], expected[i]);
    }
    io_triangles_free(&r.t);
}

static void text_of_all_habits(void **state) {
    (void)state;
    const char many[] =
        "\n  SOLID\r\nFacet NORMAL nan nan nan OUTER LOOP VERTEX 0 0 0 VERTEX +1 0 0 VERTEX 0 1E2 "
        "0 "
        "ENDLOOP ENDFACET\r\nENDSOLID\r\nsolid facet normal\nendsolid\nsolid 3\n" FACET FACET
        "endsolid\n\n";
    Read r = read_stl(many, strlen(many));
    assert_true(r.good);
    assert_int_equal(r.t.count, 3);
    NEAR(r.t.corner[7], 100, 0);
    io_triangles_free(&r.t);
}

static void text_refused(const char *text, const char *expected) {
    refused(text, strlen(text), expected);
}

static void m6_text_with_something_missing(void **state) {
    (void)state;
    text_refused("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n",
                 "a.stl:6:1: expected \"vertex\", got the end of the file");
    text_refused("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
                 "0\nendfacet\n",
                 "a.stl:7:1: expected \"endloop\", got \"endfacet\"");
    text_refused("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0\nvertex 1 0 0\n",
                 "a.stl:5:1: expected a number, got \"vertex\"");
    text_refused("solid a\n" FACET, "a.stl:9:1: expected \"endsolid\", got the end of the file");
    text_refused("solid a\nfacet\nouter loop", "a.stl:3:1: expected \"normal\", got \"outer\"");
    text_refused("solid a\nendsolid\nfacet normal",
                 "a.stl:3:1: expected \"solid\" or the end of the file, got \"facet\"");
}

static void text_numbers_that_are_none(void **state) {
    (void)state;
    text_refused("solid a\nfacet normal 0 0 1 outer loop vertex 0 nan 0",
                 "a.stl:2:40: expected a number, got \"nan\"");
    text_refused("solid a\nfacet normal 0 0 1 outer loop vertex 1e999 0 0",
                 "a.stl:2:38: \"1e999\" is too large");
    text_refused("solid a\nfacet normal 0 0 1 outer loop vertex 1,5 0 0",
                 "a.stl:2:38: expected a number, got \"1,5\"");
    text_refused("solid a\nfacet normal 0 0 1 outer loop vertex 1.0abc 0 0",
                 "a.stl:2:38: expected a number, got \"1.0abc\"");
    text_refused("solid a\nfacet normal 0 0 1 outer loop vertex 0x10 0 0",
                 "a.stl:2:38: expected a number, got \"0x10\"");
}

static void text_every_prefix_is_refused_or_whole(void **state) {
    (void)state;
    size_t whole = strlen("solid a name\n" FACET "endsolid");
    for (size_t size = 0; size <= strlen(one); size++) {
        Read r = read_stl(one, size);
        assert_int_equal(r.good, size >= whole);
        io_triangles_free(&r.t);
    }
}

static void every_byte_changed_is_survived(void **state) {
    (void)state;
    char file[sizeof one], bytes[SIZE_2];
    for (size_t i = 0; i < 8 * strlen(one); i++) {
        memcpy(file, one, sizeof one);
        file[i / 8] = (char)(file[i / 8] ^ (1 << i % 8));
        Read r = read_stl(file, strlen(one));
        io_triangles_free(&r.t);
    }
    for (size_t i = 0; i < 8 * SIZE_2; i++) {
        binary(bytes, 2, "solid");
        bytes[i / 8] = (char)(bytes[i / 8] ^ (1 << i % 8));
        Read r = read_stl(bytes, SIZE_2);
        io_triangles_free(&r.t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binary_triangles),
        cmocka_unit_test(m4_binary_stl_count_that_does_not_match_the_size),
        cmocka_unit_test(m4_binary_stl_shorter_than_its_header),
        cmocka_unit_test(m4_binary_stl_of_no_triangles),
        cmocka_unit_test(m5_binary_stl_that_begins_with_solid),
        cmocka_unit_test(binary_vertex_that_is_no_number),
        cmocka_unit_test(binary_every_prefix_is_refused),
        cmocka_unit_test(m16_more_triangles_than_allowed),
        cmocka_unit_test(text_triangles),
        cmocka_unit_test(text_of_all_habits),
        cmocka_unit_test(m6_text_with_something_missing),
        cmocka_unit_test(text_numbers_that_are_none),
        cmocka_unit_test(text_every_prefix_is_refused_or_whole),
        cmocka_unit_test(every_byte_changed_is_survived),
    };
    return RUN(tests);
}
