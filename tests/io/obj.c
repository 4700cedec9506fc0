// obj.c -- OBJ files, whole and broken, read from memory.
//
// SPDX-License-Identifier: MIT
#include "io/mesh_files.h"
#include "test.h"

static impError error;  // of the latest read: too large for a stack frame

typedef struct Read {
    Triangles t;
    bool good;
} Read;

static Read read_obj(const char *text, size_t size) {
    Read r = { .t = { .limit = 2000000 } };
    // exactly as large as it says, for the sanitizer
    char *tight = malloc(size ? size : 1);
    memcpy(tight, text, size);
    error = (impError){ 0 };
    r.good = io_obj_read(&r.t, tight, size, "a.obj", &error);
    free(tight);
    assert_int_equal(r.good, error.count == 0);
    return r;
}

static void refused(const char *text, const char *expected) {
    char line[700];
    Read r = read_obj(text, strlen(text));
    assert_false(r.good);
    impError_Print(&error, 0, line, sizeof line);
    SAME_TEXT(line, expected);
    io_triangles_free(&r.t);
}

static Read accepted(const char *text, int triangles) {
    Read r = read_obj(text, strlen(text));
    if (!r.good) {
        fail_msg("%s", error.message[0].text);
    }
    assert_int_equal(r.t.count, triangles);
    return r;
}

static void accepts(const char *text, int triangles) {
    Read r = accepted(text, triangles);
    io_triangles_free(&r.t);
}

#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

static void corners_in_all_their_spellings(void **state) {
    (void)state;
    accepts(SQUARE "f 1 2 3\n", 1);
    accepts(SQUARE "f 1/1 2/2 3/3\n", 1);
    accepts(SQUARE "f 1//1 2//2 3//3\n", 1);
    accepts(SQUARE "f 1/1/1 2/2/2 3/3/3 4/4/4\n", 2);
    accepts(SQUARE "f -4 -3 -2 -1\n", 2);
    accepts(SQUARE "f -4//-4 -3//-3 -2//-2", 1);
}

static void a_polygon_is_a_fan(void **state) {
    (void)state;
    Read r = accepted(SQUARE "f 1 2 3 4\n", 2);
    const double expected[18] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0 };
    for (int i = 0; i < 18; i++) {
        SAME_BITS(r.t.corner[i], expected[i]);
    }
    io_triangles_free(&r.t);
}

static void negative_indices_count_back_from_here(void **state) {
    (void)state;
    Read r = accepted(SQUARE "f -4 -3 -2 -1\nv 9 9 9\nf 1 2 3 4\n", 4);
    assert_memory_equal(r.t.corner, r.t.corner + 18, 18 * sizeof(double));
    io_triangles_free(&r.t);
}

static void lines_of_all_habits(void **state) {
    (void)state;
    accepts("\xEF\xBB\xBF# made by hand\r\n\r\nv 0 0 0 1\r\nv\t1 0 0 0.5 0.5 0.5\r\n  v 1 1. .5 # "
            "a corner\r\n"
            "f 1 \\\r\n 2 \\\n3 # tail",
            1);
    accepts("v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\\\n\n", 1);
    accepts("", 0);
    accepts("\n\n#\n", 0);
}

static void m1_face_index_that_names_no_vertex(void **state) {
    (void)state;
    refused(SQUARE "f 0 1 2\n",
            "a.obj:5:3: vertex 0; vertices are counted from 1, or back from -1");
    refused(SQUARE "f 1 2 5\n", "a.obj:5:7: vertex 5; there are 4 so far");
    refused(SQUARE "f 1 2 -5\n", "a.obj:5:7: vertex -5; there are 4 so far");
    refused("f -1 -2 -3\n", "a.obj:1:3: vertex -1; there are 0 so far");
    refused(SQUARE "f 1 2 99999999999999999999\n",
            "a.obj:5:7: vertex 2147483647; there are 4 so far");
    refused(SQUARE "f 1 2 -99999999999999999999\n",
            "a.obj:5:7: vertex -2147483647; there are 4 so far");
}

static void m2_faces_of_2_17_1000_and_a_million_corners(void **state) {
    (void)state;
    refused(SQUARE "f 1 2\n", "a.obj:5:2: a face has 2 corners; it needs at least 3");
    refused(SQUARE "f\n", "a.obj:5:2: a face has 0 corners; it needs at least 3");
    const int sizes[] = { 17, 1000, 1000000 };
    for (int s = 0; s < 3; s++) {
        size_t room = 32 + 2 * (size_t)sizes[s];
        char *text = malloc(room);
        size_t length = (size_t)snprintf(text, room, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf");
        for (int i = 0; i < sizes[s]; i++) {
            text[length++] = ' ';
            text[length++] = (char)('1' + i % 3);
        }
        Read r = read_obj(text, length);
        assert_true(r.good);
        assert_int_equal(r.t.count, sizes[s] - 2);
        io_triangles_free(&r.t);
        free(text);
    }
}

static void m3_lines_and_points_carry_no_surface(void **state) {
    (void)state;
    accepts(SQUARE "l 1\np\np 1 2\nl 1 2\nf 1 2 3\n", 1);
}

static void m3_malformed_vertices_and_faces(void **state) {
    (void)state;
    refused("v 1 2\n", "a.obj:1:6: a vertex has 2 numbers; it needs 3, and has at most 7");
    refused("v\n", "a.obj:1:2: a vertex has 0 numbers; it needs 3, and has at most 7");
    refused("v 1 2 3 4 5 6 7 8 9\n",
            "a.obj:1:19: a vertex has 8 or more numbers; it needs 3, and has at most 7");
    refused("v 1 2 nan\n", "a.obj:1:7: expected a number, got \"nan\"");
    refused("v 1 2 1e999\n", "a.obj:1:7: \"1e999\" is too large");
    refused("v 1 2 3,5\n", "a.obj:1:7: expected a number, got \"3,5\"");
    refused(SQUARE "f 1/2/3/4 2 3\n",
            "a.obj:5:3: expected a corner like 1, 1/2, 1//3 or 1/2/3, got \"1/2/3/4\"");
    refused(SQUARE "f 1// 2 3\n",
            "a.obj:5:3: expected a corner like 1, 1/2, 1//3 or 1/2/3, got \"1//\"");
    refused(SQUARE "f 1/ 2 3\n",
            "a.obj:5:3: expected a corner like 1, 1/2, 1//3 or 1/2/3, got \"1/\"");
    refused(SQUARE "f 1 x 3\n",
            "a.obj:5:5: expected a corner like 1, 1/2, 1//3 or 1/2/3, got \"x\"");
    refused(SQUARE "f 1 2.5 3\n",
            "a.obj:5:5: expected a corner like 1, 1/2, 1//3 or 1/2/3, got \"2.5\"");
}

static void every_bad_line_is_reported(void **state) {
    (void)state;
    const char text[] = "v 0 0 0\nv 1 x 0\nv 0 1 0\nf 1 2 3\nf 1 2 4\nwhat\nf 1 2\n";
    Read r = read_obj(text, strlen(text));
    // but not f 1 2 3: the bad vertex is counted
    assert_int_equal(error.count, 4);
    assert_int_equal(error.message[3].line, 7);
    io_triangles_free(&r.t);
}

static void m19_other_files_are_never_opened(void **state) {
    (void)state;
    accepts("mtllib /dev/zero ../../etc/passwd\nusemtl steel\nmaplib x\nusemap y\nshadow_obj "
            "/dev/tty\ntrace_obj z\n" SQUARE "f 1 2 3\n",
            1);
    refused("call other.obj\n",
            "a.obj:1:1: \"call\" is not read here; of surfaces only faces \"f\" are");
}

static void statements_without_a_surface_are_skipped(void **state) {
    (void)state;
    accepts("o part\ng a b c\ns off\nmg 1 0.1\n" SQUARE
            "vt 0 0\nvn 0 0 1\nvp 0.5\nvn nonsense\nf 1 2 3\n",
            1);
    refused("surf 0 1 0 1 1 2 3\n",
            "a.obj:1:1: \"surf\" is not read here; of surfaces only faces \"f\" are");
    refused("V 1 2 3\n", "a.obj:1:1: \"V\" is not read here; of surfaces only faces \"f\" are");
}

static void m16_more_triangles_than_allowed(void **state) {
    (void)state;
    Read r = { .t = { .limit = 2 } };
    const char text[] = SQUARE "f 1 2 3\nf 1 2 3 4\n";
    error = (impError){ 0 };
    assert_false(io_obj_read(&r.t, text, strlen(text), "a.obj", &error));
    SAME_TEXT(error.message[0].text, "more than 2 triangles (max_triangles)");
    assert_int_equal(error.fault, IMP_AT_LIMIT);
    assert_int_equal(error.message[0].line, 6);
    io_triangles_free(&r.t);
}

static void every_prefix_and_every_changed_bit_is_survived(void **state) {
    (void)state;
    const char text[] =
        "# x\nmtllib a\nv 0 0 0\nv 1.5e0 -0 +.5\r\nv 0 1 0 1\nvn 0 0 1\nf 1//1 2//1 \\\n"
        " -1//-1\nf 3 2 1";
    char copy[sizeof text];
    for (size_t size = 0; size <= strlen(text); size++) {
        Read r = read_obj(text, size);
        io_triangles_free(&r.t);
    }
    for (size_t i = 0; i < 8 * strlen(text); i++) {
        memcpy(copy, text, sizeof text);
        copy[i / 8] = (char)(copy[i / 8] ^ (1 << i % 8));
        Read r = read_obj(copy, strlen(text));
        io_triangles_free(&r.t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners_in_all_their_spellings),
        cmocka_unit_test(a_polygon_is_a_fan),
        cmocka_unit_test(negative_indices_count_back_from_here),
        cmocka_unit_test(lines_of_all_habits),
        cmocka_unit_test(m1_face_index_that_names_no_vertex),
        cmocka_unit_test(m2_faces_of_2_17_1000_and_a_million_corners),
        cmocka_unit_test(m3_lines_and_points_carry_no_surface),
        cmocka_unit_test(m3_malformed_vertices_and_faces),
        cmocka_unit_test(every_bad_line_is_reported),
        cmocka_unit_test(m19_other_files_are_never_opened),
        cmocka_unit_test(statements_without_a_surface_are_skipped),
        cmocka_unit_test(m16_more_triangles_than_allowed),
        cmocka_unit_test(every_prefix_and_every_changed_bit_is_survived),
    };
    return RUN(tests);
}
