// mesh.c -- impMesh_Load from the outside: formats, scale, report, refusals.
//
// SPDX-License-Identifier: MIT
#include "io/mesh_files.h"
#include "test.h"

#include <unistd.h>

static char folder[64];

static int make_folder(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/impel_mesh_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    // each test removed its own file
    return rmdir(folder);
}

typedef struct Path {
    char text[160];
} Path;

static Path write_file(const char *name, const char *bytes, size_t size) {
    Path path;
    snprintf(path.text, sizeof path.text, "%s/%s", folder, name);
    FILE *file = fopen(path.text, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    return path;
}

static impMesh *load_as(const char *name, const char *text, double by, const impLoadDef *def,
                        impError *err) {
    Path path = write_file(name, text, strlen(text));
    impMesh *mesh = impMesh_Load(path.text, by, def, err);
    unlink(path.text);
    assert_int_equal(mesh == NULL, err->count > 0);
    return mesh;
}

static void refused(const char *name, const char *text, double by, const char *expected) {
    static impError err;
    assert_null(load_as(name, text, by, NULL, &err));
    SAME_TEXT(err.message[0].text, expected);
    assert_non_null(strstr(err.message[0].file, name));
}

#define CUBE       "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
#define CUBE_FACES "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
#define INSIDE_OUT "f 2 3 4 1\nf 8 7 6 5\nf 5 6 2 1\nf 6 7 3 2\nf 7 8 4 3\nf 8 5 1 4\n"

static void a_cube_of_millimetres(void **state) {
    (void)state;
    static impError err;
    impMesh *mesh = load_as("cube.OBJ", CUBE CUBE_FACES, 0.001, NULL, &err);
    impMeshReport r = impMesh_Report(mesh);
    assert_int_equal(r.vertices, 8);
    assert_int_equal(r.triangles, 12);
    assert_int_equal(r.shells, 1);
    assert_true(r.closed && !r.flipped);
    NEAR(r.volume, 1e-9, 1e-24);
    NEAR(r.area, 6e-6, 1e-20);
    NEAR(r.center.x, 0.0005, 1e-18);
    NEAR(r.high.z, 0.001, 0);
    NEAR(r.low.z, 0, 0);
    NEAR(r.inertia[1][1], 1e-15 / 6, 1e-30);
    assert_int_equal(impMesh_Triangles(mesh)[0], 0);
    NEAR(impMesh_Points(mesh)[1].y, 0.001, 0);
    impMesh_Free(mesh);
}

static void contents_decide_where_the_name_does_not(void **state) {
    (void)state;
    static impError err;
    impMesh *mesh = load_as("noname", CUBE CUBE_FACES, 0, NULL, &err);
    assert_int_equal(impMesh_Report(mesh).triangles, 12);
    impMesh_Free(mesh);
    mesh = load_as(
        "noname",
        "solid\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
        "endloop\nendfacet\nendsolid",
        0, NULL, &err);
    assert_int_equal(impMesh_Report(mesh).open_edges, 3);
    impMesh_Free(mesh);
}

static void m4_binary_stl_count_of_zero_and_files_that_break_off(void **state) {
    (void)state;
    char empty[84] = "";
    static impError err;
    Path path = write_file("empty.stl", empty, sizeof empty);
    assert_null(impMesh_Load(path.text, 1, NULL, &err));
    SAME_TEXT(err.message[0].text, "the mesh has no triangles");
    assert_int_equal(err.message[0].line, 0);
    unlink(path.text);
    refused(
        "short.stl", "", 1,
        "no STL file: 0 bytes; text begins with \"solid\", a binary file has at least 84 bytes");
}

static void m7_m18_unknown_endings_are_refused(void **state) {
    (void)state;
    refused("part.ply", "ply\n", 1,
            "mesh files ending in \".ply\" cannot be read; .stl and .obj can");
    refused("part.stl.gz", "x", 1,
            "mesh files ending in \".gz\" cannot be read; .stl and .obj can");
}

static void m8_a_mesh_of_nothing_but_slivers(void **state) {
    (void)state;
    refused("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\nf 1 1 2\n", 1,
            "none of its 2 triangles has an area (0, 1)");
    refused("flat.obj",
            "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\nf 1 2 3\nf 1 2 3\nf 1 2 3\nf 1 2 3\nf 1 2 3\n", 1,
            "none of its 6 triangles has an area (0, 1, 2, 3, 4, ...)");
    refused("none.obj", CUBE, 1, "the mesh has no triangles");
}

static void m8_slivers_are_dropped_and_counted(void **state) {
    (void)state;
    static impError err;
    impMesh *mesh = load_as("a.obj", CUBE CUBE_FACES "f 1 1 2\nf 3 3 3\n", 1, NULL, &err);
    impMeshReport r = impMesh_Report(mesh);
    assert_int_equal(r.dropped, 2);
    assert_true(r.closed);
    impMesh_Free(mesh);
}

static void m9_vertices_are_welded_and_unused_ones_forgotten(void **state) {
    (void)state;
    static impError err;
    impMesh *mesh = load_as("a.obj",
                            "v 0 0 0\nv 9 9 9\nv 1 0 0\nv 0 1 0\nv 0 -0 0\nv 0 0 1\nf 1 3 4\n"
                            "f 5 4 6\n",
                            1, NULL, &err);
    assert_int_equal(impMesh_Report(mesh).vertices, 4);
    NEAR(impMesh_Report(mesh).high.x, 1, 0);
    impMesh_Free(mesh);
}

static void m10_holes_are_reported(void **state) {
    (void)state;
    static impError err;
    impMesh *mesh = load_as("a.obj", CUBE "f 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n",
                            1, NULL, &err);
    impMeshReport r = impMesh_Report(mesh);
    assert_int_equal(r.open_edges, 4);
    assert_false(r.closed);
    assert_true(io_mesh_surface(mesh)->bad_edge[0] >= 0);
    impMesh_Free(mesh);
}

static void m11_inside_out_is_turned_mixed_is_not(void **state) {
    (void)state;
    static impError err;
    impMesh *mesh = load_as("a.obj", CUBE INSIDE_OUT, 1, NULL, &err);
    impMeshReport r = impMesh_Report(mesh);
    assert_true(r.flipped && r.closed);
    NEAR(r.volume, 1, 1e-15);
    impMesh_Free(mesh);
    mesh = load_as("a.obj",
                   CUBE "f 1 2 3 4\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n", 1,
                   NULL, &err);
    r = impMesh_Report(mesh);
    assert_true(!r.flipped && !r.closed && io_mesh_surface(mesh)->mixed);
    assert_int_equal(r.crowded_edges, 4);
    impMesh_Free(mesh);
}

static void m12_overlapping_shells_are_a_signed_sum(void **state) {
    (void)state;
    static impError err;
    impMesh *mesh = load_as(
        "a.obj",
        CUBE CUBE_FACES
        "v .5 .5 .5\nv 1.5 .5 .5\nv 1.5 1.5 .5\nv .5 1.5 .5\nv .5 .5 1.5\n"
        "v 1.5 .5 1.5\nv 1.5 1.5 1.5\nv .5 1.5 1.5\nf 9 12 11 10\nf 13 14 15 16\nf 9 10 14 13\n"
        "f 10 11 15 14\nf 11 12 16 15\nf 12 9 13 16\n",
        1, NULL, &err);
    assert_int_equal(impMesh_Report(mesh).shells, 2);
    NEAR(impMesh_Report(mesh).volume, 2, 1e-14);
    impMesh_Free(mesh);
}

// twelve facets
static int put_box(char *out, size_t size, impVec3 low, impVec3 high, bool inward) {
    static const int corner[12][3] = { { 0, 2, 3 }, { 0, 3, 1 }, { 4, 5, 7 }, { 4, 7, 6 },
                                       { 0, 1, 5 }, { 0, 5, 4 }, { 2, 6, 7 }, { 2, 7, 3 },
                                       { 0, 4, 6 }, { 0, 6, 2 }, { 1, 3, 7 }, { 1, 7, 5 } };
    int used = 0;
    for (int i = 0; i < 12; i++) {
        used += snprintf(out + used, size - (size_t)used, "facet normal 0 0 0\nouter loop\n");
        for (int k = 0; k < 3; k++) {
            int c = corner[i][inward ? 2 - k : k];
            used += snprintf(out + used, size - (size_t)used, "vertex %.9g %.9g %.9g\n",
                             c & 1 ? high.x : low.x, c & 2 ? high.y : low.y,
                             c & 4 ? high.z : low.z);
        }
        used += snprintf(out + used, size - (size_t)used, "endloop\nendfacet\n");
    }
    return used;
}

typedef struct Box {
    const char *name;
    impVec3 low, high;
    bool inward;
} Box;  // name NULL: in the solid before

static void tells_of(const Box *box, int count, int solids, const char *warning) {
    static impError err;
    static char text[100000];
    int used = 0;
    for (int i = 0; i < count; i++) {
        if (box[i].name && i) {
            used += snprintf(text + used, sizeof text - (size_t)used, "endsolid\n");
        }
        if (box[i].name) {
            used += snprintf(text + used, sizeof text - (size_t)used, "solid %s\n", box[i].name);
        }
        used += put_box(text + used, sizeof text - (size_t)used, box[i].low, box[i].high,
                        box[i].inward);
    }
    snprintf(text + used, sizeof text - (size_t)used, "endsolid\n");
    impMesh *mesh = load_as("boxes.stl", text, 0.001, NULL, &err);
    assert_non_null(mesh);
    assert_int_equal(impMesh_Report(mesh).shells, count);
    assert_int_equal(impMesh_Report(mesh).solids, solids);
    assert_int_equal(impMesh_WarningCount(mesh), warning != NULL);
    SAME_TEXT(impMesh_Warning(mesh, 0), warning ? warning : "");
    impMesh_Free(mesh);
}

static void solids_apart_are_told_by_name(void **state) {
    (void)state;
#define APART "solids that are not connected; they move as one body: "
    const Box two[] = { { "left arm ", { 0, 0, 0 }, { 40, 30, 15 }, false },
                        { "right", { 100, 0, 0 }, { 140, 30, 15 }, false } };
    tells_of(two, 1, 1, NULL);
    tells_of(two, 2, 2,
             "the mesh holds 2 " APART "'left arm' (40 x 30 x 15 mm, middle at 20 15 7.5), "
             "'right' (40 x 30 x 15 mm, middle at 120 15 7.5)");
    // without names, and with one name for both
    Box same[] = { two[0], two[1] };
    same[0].name = "";
    same[1].name = NULL;
    const char *numbered = "the mesh holds 2 " APART
                           "solid 1 (40 x 30 x 15 mm, middle at 20 15 7.5), "
                           "solid 2 (40 x 30 x 15 mm, middle at 120 15 7.5)";
    tells_of(same, 2, 2, numbered);
    same[0].name = "part";
    tells_of(same, 2, 2, numbered);
    // a cavity is none, what lies loose in it is one, and so is what was drawn inside out
    const Box nested[] = { { "shell", { 0, 0, 0 }, { 9, 9, 9 }, false },
                           { "room", { 1, 1, 1 }, { 8, 8, 8 }, true },
                           { "clapper", { 3, 3, 3 }, { 4, 4, 4.5 }, false },
                           { "beside", { 20, 0, 0 }, { 22, 2, 2 }, true } };
    tells_of(nested, 2, 1, NULL);
    tells_of(nested, 3, 2,
             "the mesh holds 2 " APART "'shell' (9 x 9 x 9 mm, middle at 4.5 4.5 4.5), "
             "'clapper' (1 x 1 x 1.5 mm, middle at 3.5 3.5 3.75)");
    tells_of(nested, 4, 3,
             "the mesh holds 3 " APART "'shell' (9 x 9 x 9 mm, middle at 4.5 4.5 4.5), "
             "'clapper' (1 x 1 x 1.5 mm, middle at 3.5 3.5 3.75), "
             "'beside', inside out, (2 x 2 x 2 mm, middle at 21 1 1)");
    // more than are named; a name that is too long is cut, one that is no text is left out
    const Box many[] = {
        { "a name of more than forty-three bytes, which is cut", { 0, 0, 0 }, { 1, 1, 1 }, false },
        { "\xFF\xFE", { 2, 0, 0 }, { 3, 1, 1 }, false },
        { "c", { 4, 0, 0 }, { 5, 1, 1 }, false },
        { "d", { 6, 0, 0 }, { 7, 1, 1 }, false },
        { "e", { 8, 0, 0 }, { 9, 1, 1 }, false }
    };
    tells_of(
        many, 5, 5,
        "the mesh holds 5 " APART "'a name of more than forty-three bytes, whic' "
        "(1 x 1 x 1 mm, middle at 0.5 0.5 0.5), solid 2 (1 x 1 x 1 mm, middle at 2.5 0.5 0.5), "
        "'c' (1 x 1 x 1 mm, middle at 4.5 0.5 0.5) and 2 more");
}

static void m13_a_flat_mesh_bounds_nothing(void **state) {
    (void)state;
    static impError err;
    impMesh *mesh = load_as("a.obj", CUBE "f 1 2 3 4\nf 4 3 2 1\n", 1, NULL, &err);
    assert_false(impMesh_Report(mesh).closed);
    SAME_BITS(impMesh_Report(mesh).volume, 0);
    impMesh_Free(mesh);
}

static void m14_coordinates_out_of_all_bounds(void **state) {
    (void)state;
    refused("a.obj", "v 0 0 0\nv 1e8 0 0\nv 0 1 0\nf 2 1 3\n", 1,
            "triangle 0: its corners must lie within 1e7 m of the origin; [100000000, 0, 0] m");
    refused("a.obj", "v 0 0 0\nv 1e-8 0 0\nv 0 1e-9 0\nf 2 1 3\n", 1,
            "the mesh is 1e-8 m across; it must be at least 1e-7 m");
    refused("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 2 1 3\n", 1e9,
            "triangle 0: its corners must lie within 1e7 m of the origin; [1000000000, 0, 0] m");
}

static void m16_limits_have_names(void **state) {
    (void)state;
    static impError err;
    assert_null(load_as("a.obj", CUBE CUBE_FACES, 1, &(impLoadDef){ .max_triangles = 11 }, &err));
    SAME_TEXT(err.message[0].text, "more than 11 triangles (max_triangles)");
    assert_int_equal(err.fault, IMP_AT_LIMIT);
    assert_null(load_as("a.obj", CUBE CUBE_FACES, 1, &(impLoadDef){ .max_file_bytes = 20 }, &err));
    assert_int_equal(err.fault, IMP_AT_LIMIT);
    assert_null(impMesh_Load("/nowhere/a.stl", 1, NULL, &err));
    assert_int_equal(err.fault, IMP_BAD_FILE);
}

static void calls_that_no_caller_should_make(void **state) {
    (void)state;
    static impError err;
    assert_null(impMesh_Load(NULL, 1, NULL, &err));
    assert_int_equal(err.fault, IMP_BAD_CALL);
    assert_null(impMesh_Load("a.stl", -1, NULL, &err));
    SAME_TEXT(err.message[0].text, "impMesh_Load: scale -1; it must be positive");
    assert_null(impMesh_Load("a.stl", (double)NAN, NULL, NULL));
    impMesh_Free(NULL);
    assert_int_equal(impMesh_Report(NULL).vertices, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_of_millimetres),
        cmocka_unit_test(contents_decide_where_the_name_does_not),
        cmocka_unit_test(m4_binary_stl_count_of_zero_and_files_that_break_off),
        cmocka_unit_test(m7_m18_unknown_endings_are_refused),
        cmocka_unit_test(m8_a_mesh_of_nothing_but_slivers),
        cmocka_unit_test(m8_slivers_are_dropped_and_counted),
        cmocka_unit_test(m9_vertices_are_welded_and_unused_ones_forgotten),
        cmocka_unit_test(m10_holes_are_reported),
        cmocka_unit_test(m11_inside_out_is_turned_mixed_is_not),
        cmocka_unit_test(m12_overlapping_shells_are_a_signed_sum),
        cmocka_unit_test(solids_apart_are_told_by_name),
        cmocka_unit_test(m13_a_flat_mesh_bounds_nothing),
        cmocka_unit_test(m14_coordinates_out_of_all_bounds),
        cmocka_unit_test(m16_limits_have_names),
        cmocka_unit_test(calls_that_no_caller_should_make),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
