// scene_meshes.c -- mesh files that a scene names: where they may lie, what is said of them, and
// triangles without a file.
//
// Row M17 of the faults: a scene from a stranger must not make us read the disk.
//
// SPDX-License-Identifier: MIT
#define _XOPEN_SOURCE 700  // realpath, symlink
#include "scene_support.h"

#define MESH(m)                                                                                    \
    "{\"impel\":1,\"bodies\":[\n{\"name\":\"a\",\"fixed\":true,\"shape\":{\"mesh\":{" m "}}}]}"

static impModel *load(const char *text, bool allow, impError *err) {
    Path path = write_file("scene.json", text);
    impLoadDef def = { .allow_path = allow };
    impScene *scene = impScene_Load(path.text, &def, err);
    impModel *model = scene ? impModel_Build(scene, err) : NULL;
    impScene_Free(scene);
    unlink(path.text);
    return model;
}

static void refuses(const char *file, const char *told) {
    char text[1000], expected[1000];
    impError err;
    snprintf(text, sizeof text, MESH("\"file\":\"%s\""), file);
    assert_null(load(text, false, &err));
    assert_int_equal(err.count, 1);
    assert_int_equal(err.fault, IMP_BAD_INPUT);
    assert_int_equal(err.message[0].line, 2);
    assert_int_equal(err.message[0].column, 50);
    snprintf(expected, sizeof expected,
             "body 'a': mesh: file \"%s\" lies outside the folder of the scene; allow it with "
             "--allow-path",
             told);
    SAME_TEXT(err.message[0].text, expected);
}

static void m17_meshes_stay_in_the_folder_of_the_scene(void **state) {
    (void)state;
    Path outside = write_file("outside.obj", TETRAHEDRON);
    Path link_path;
    Path inner;
    char real[1000], text[1000];
    impError err;
    refuses("../outside.obj", "../outside.obj");
    refuses("a/../../outside.obj", "a/../../outside.obj");
    refuses("..", "..");
    refuses("/etc/passwd", "/etc/passwd");
    refuses("file:///etc/passwd", "file:///etc/passwd");
    refuses("http://x.org/a.stl", "http://x.org/a.stl");
    refuses("C:\\\\a.stl", "C:\\a.stl");
    refuses("a\\\\..\\\\b.stl", "a\\..\\b.stl");

    // a link out of the folder, by file and by folder: the message names where it leads
    inner = in_folder("inner");
    assert_int_equal(mkdir(inner.text, 0700), 0);
    link_path = in_folder("inner/link.obj");
    assert_int_equal(symlink(outside.text, link_path.text), 0);
    Path scene = write_file("inner/scene.json", MESH("\"file\":\"link.obj\""));
    char *found = realpath(outside.text, NULL);
    assert_non_null(found);
    snprintf(real, sizeof real,
             "body 'a': mesh: file \"%s\" lies outside the folder of the scene; allow it with "
             "--allow-path",
             found);
    free(found);
    assert_null(impScene_Load(scene.text, NULL, &err));
    SAME_TEXT(err.message[0].text, real);

    // the same with leave
    impLoadDef allow = { .allow_path = true };
    impScene *s = impScene_Load(scene.text, &allow, &err);
    assert_non_null(s);
    impScene_Free(s);
    snprintf(text, sizeof text, MESH("\"file\":\"%s\""), outside.text);
    impModel *model = load(text, true, &err);
    assert_non_null(model);
    impModel_Free(model);
    assert_null(load(text, false, &err));
    write_file("inner/scene.json", MESH("\"file\":\"../outside.obj\""));
    s = impScene_Load(scene.text, &allow, &err);
    assert_non_null(s);
    impScene_Free(s);
    empty_folder(folder);
}

static void meshes_lie_beside_the_scene_or_below(void **state) {
    (void)state;
    impError err;
    impVec3 low, high;
    write_file("tet.obj", TETRAHEDRON);
    impModel *m = load(MESH("\"file\":\"tet.obj\",\"scale\":0.5"), false, &err);
    assert_non_null(m);
    // fixed: the surface itself
    SAME_TEXT(impModel_ShapeKind(m, (impBody){ 1 }, 0), "mesh");
    assert_true(impModel_Box(m, (impBody){ 1 }, &low, &high));
    NEAR(high.x, 0.5, 0);
    impModel_Free(m);
    m = load(MESH("\"file\":\"./tet.obj\",\"as\":\"hull\""), false, &err);
    assert_non_null(m);
    SAME_TEXT(impModel_ShapeKind(m, (impBody){ 1 }, 0), "hull");
    impModel_Free(m);
    m = load("{\"impel\":1,\"bodies\":[{\"shape\":{\"mesh\":{\"file\":\"tet.obj\"}}}]}", false,
             &err);
    assert_non_null(m);
    // moves: convex
    SAME_TEXT(impModel_ShapeKind(m, (impBody){ 1 }, 0), "hull");
    impModel_Free(m);
    Path sub = in_folder("sub");
    assert_int_equal(mkdir(sub.text, 0700), 0);
    write_file("sub/tet.obj", TETRAHEDRON);
    m = load(MESH("\"file\":\"sub/tet.obj\""), false, &err);
    assert_non_null(m);
    impModel_Free(m);
    empty_folder(folder);
}

static void says_of_mesh(const char *text, const char *where, const char *expected) {
    impError err;
    assert_null(load(text, false, &err));
    SAME_TEXT(err.message[0].text, expected);
    assert_non_null(strstr(err.message[0].file, where));
}

static void what_is_wrong_with_a_mesh_is_told(void **state) {
    (void)state;
    char expected[300];
    write_file("bad.obj", "v 0 0 0\nf 1 2 3\n");
    impError err;
    assert_null(load(MESH("\"file\":\"bad.obj\""), false, &err));
    // a place in the mesh
    assert_non_null(strstr(err.message[0].file, "bad.obj"));
    assert_int_equal(err.message[0].line, 2);
    assert_memory_equal(err.message[0].text, "body 'a': mesh: ", 16);
    snprintf(expected, sizeof expected,
             "body 'a': mesh: %s/no.obj: cannot open; No such file or directory; it must be a "
             "readable file",
             folder);
    // a place in the scene
    says_of_mesh(MESH("\"file\":\"no.obj\""), "scene.json", expected);
    snprintf(
        expected, sizeof expected,
        "body 'a': mesh: %s/x.ply: mesh files ending in \".ply\" cannot be read; .stl and .obj can",
        folder);
    says_of_mesh(MESH("\"file\":\"x.ply\""), "scene.json", expected);
    says_of_mesh(MESH(""), "scene.json", "body 'a': mesh: \"file\" is missing");
    says_of_mesh(MESH("\"file\":\"a.obj\",\"scale\":0"), "scene.json",
                 "body 'a': mesh: scale 0; it must be positive");
    says_of_mesh(MESH("\"file\":\"a.obj\",\"as\":\"ball\""), "scene.json",
                 "body 'a': mesh: as; got \"ball\"; it must be \"hull\" or \"triangles\"");
    says_of_mesh(MESH("\"file\":\"a.obj\",\"points\":[]"), "scene.json",
                 "body 'a': mesh: unknown key \"points\"; it may be \"file\", \"scale\" or \"as\"");
    write_file("tet.obj", TETRAHEDRON);
    says_of_mesh("{\"impel\":1,\"bodies\":[{\"name\":\"a\",\"shape\":{\"mesh\":{\"file\":\"tet."
                 "obj\",\"as\":\"triangles\"}}}]}",
                 "scene.json",
                 "body 'a': mesh: a surface of triangles can only be fixed or have a motion; a "
                 "dynamic body needs \"as\": \"hull\" "
                 "or a compound of convex shapes");
    impLoadDef few = { .max_triangles = 6 };
    Path path = write_file("two.json", "{\"impel\":1,\"bodies\":[{\"shape\":[{\"mesh\":{\"file\":"
                                       "\"tet.obj\"}},{\"mesh\":{\"file\":\"tet.obj\"}}]}]}");
    // all meshes together
    assert_null(impScene_Load(path.text, &few, &err));
    assert_int_equal(err.fault, IMP_AT_LIMIT);
    empty_folder(folder);
}

static void meshes_that_were_mended_are_warned_of(void **state) {
    (void)state;
    impError err;
    // inside out, one flat
    write_file("out.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\nf 1 1 2\n");
    impModel *m = load(MESH("\"file\":\"out.obj\""), false, &err);
    assert_non_null(m);
    assert_int_equal(impModel_WarningCount(m), 3);
    assert_non_null(
        strstr(impModel_Warning(m, 0),
               "scene.json:2:50: body 'a': mesh: the mesh was inside out; it was turned"));
    assert_non_null(
        strstr(impModel_Warning(m, 1), "body 'a': mesh: triangles of no area were dropped: 1"));
    impModel_Free(m);
    empty_folder(folder);
}

static void triangles_may_stand_in_the_scene(void **state) {
    (void)state;
#define TRIANGLES(f) "\"points\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],\"faces\":" f
    impModel *m = good(MESH(TRIANGLES("[[0,2,1],[0,1,3],[1,2,3],[2,0,3]]")));
    SAME_TEXT(impModel_ShapeKind(m, (impBody){ 1 }, 0), "mesh");
    impModel_Free(m);
    SAYS(MESH("\"points\":[[0,0,0]]"), "s.json:2:42: body 'a': mesh: \"faces\" is missing");
    SAYS(MESH(TRIANGLES("[[0,2,1,3]]")),
         "s.json:2:42: body 'a': mesh: face 0 has 4 points; a mesh is made of triangles");
    SAYS(MESH(TRIANGLES("[[0,2,1]],\"scale\":2")),
         "s.json:2:104: body 'a': mesh: unknown key \"scale\"; it may be \"points\", \"faces\" or "
         "\"as\"");
    impLoadDef three = { .max_triangles = 3 };
    LIMITED(MESH(TRIANGLES("[[0,2,1],[0,1,3],[1,2,3],[2,0,3]]")), &three,
            "s.json:2:42: body 'a': mesh: the meshes of the scene have more than 3 triangles; the "
            "limit is --max-triangles");
}

static impModel *dynamic_mesh(const char *mesh) {
    char text[2000];
    snprintf(text, sizeof text,
             "{\"impel\":1,\"bodies\":[\n{\"name\":\"a\",\"shape\":{\"mesh\":{%s}}}]}", mesh);
    impError err;
    impModel *m = load(text, false, &err);
    if (!m) {
        print_error("%s\n", err.message[0].text);
    }
    assert_non_null(m);
    return m;
}

// The file itself, a scene that names it, one that holds its triangles, and a body made in C of it.
static void one_part_has_one_mass(void **state) {
    (void)state;
    // a triangular prism with a dent in its top, so that the hull is larger; its bottom is cut with
    // a sliver in between
    static const char *const dented =
        "v 0 0 0\nv 3 0 0\nv 3 3 0\nv 0 3 0\nv 1.5 1.5 0\nv 1.1 1.7 0.5\n"
        "v 0 0 2\nv 3 0 2\nv 3 3 2\nv 0 3 2\n"
        "f 1 3 2\nf 1 4 5\nf 5 4 3\nf 1 5 3\n"
        "f 1 2 8\nf 1 8 7\nf 2 3 9\nf 2 9 8\nf 3 4 10\nf 3 10 9\nf 4 1 7\nf 4 7 10\n"
        "f 7 8 6\nf 8 9 6\nf 9 10 6\nf 10 7 6\n";
    Path path = write_file("dent.obj", dented);
    impError err;
    impMesh *mesh = impMesh_Load(path.text, 0.01, NULL, &err);
    assert_non_null(mesh);
    impMeshReport report = impMesh_Report(mesh);
    assert_true(report.closed && report.dropped == 1);
    NEAR(report.volume, 13.5e-6, 1e-20);
    impModel *named = dynamic_mesh("\"file\":\"dent.obj\",\"scale\":0.01,\"as\":\"hull\"");
    impMass mass = impModel_Mass(named, (impBody){ 1 });
    SAME_BITS(mass.mass, 1000 * report.volume);
    SAME_BITS(mass.center.x, report.center.x);
    SAME_BITS(mass.center.y, report.center.y);
    SAME_BITS(mass.center.z, report.center.z);
    for (int i = 0; i < 9; i++) {
        SAME_BITS(mass.inertia[i / 3][i % 3], 1000 * report.inertia[i / 3][i % 3]);
    }
    // from C
    impShapeDef shape;
    assert_true(impMesh_Shape(mesh, &shape, &err));
    shape.as_hull = true;
    impScene *scene = impScene_New(vec(0, 0, 0));
    assert_true(
        impScene_Body(scene, &(impBodyDef){ .name = "a", .shapes = &shape, .shape_count = 1 }, &err)
            .i == 1);
    impMesh_Free(mesh);
    impModel *made = impModel_Build(scene, &err);
    assert_non_null(made);
    impMass other = impModel_Mass(made, (impBody){ 1 });
    assert_memory_equal(&other, &mass, sizeof mass);
    // and written down without its file
    Path elsewhere = in_folder("elsewhere");
    assert_int_equal(mkdir(elsewhere.text, 0700), 0);
    assert_true(impScene_Save(scene, in_folder("elsewhere/a.json").text, &err));
    impScene *again = impScene_Load(in_folder("elsewhere/a.json").text, NULL, &err);
    impModel *written = again ? impModel_Build(again, &err) : NULL;
    assert_non_null(written);
    other = impModel_Mass(written, (impBody){ 1 });
    assert_memory_equal(&other, &mass, sizeof mass);
    impModel_Free(written);
    impScene_Free(again);
    impModel_Free(made);
    impScene_Free(scene);
    impModel_Free(named);
    assert_false(impMesh_Shape(NULL, &shape, &err));
    SAME_TEXT(err.message[0].text, "impMesh_Shape: argument mesh is NULL; it must be given");
    empty_folder(folder);
}

static void an_open_file_needs_its_mass_given(void **state) {
    (void)state;
    impError err;
    write_file("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n");
    says_of_mesh(
        "{\"impel\":1,\"bodies\":[{\"name\":\"a\",\"shape\":{\"mesh\":{\"file\":\"open.obj\"}}}]}",
        "scene.json",
        "body 'a': mesh: bounds no solid (3 edges are open, 0 crowded), so that it has no mass; "
        "give the body \"mass\", \"center_of_mass\" and \"inertia\"");
    impModel *m = load(
        "{\"impel\":1,\"bodies\":[{\"name\":\"a\",\"shape\":{\"mesh\":{\"file\":\"open.obj\"}},"
        "\"mass\":2,\"center_of_mass\":[0.2,0.2,0.2],\"inertia\":[0.1,0.1,0.1]}]}",
        false, &err);
    assert_non_null(m);
    NEAR(impModel_Mass(m, (impBody){ 1 }).mass, 2, 0);
    impModel_Free(m);
    empty_folder(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m17_meshes_stay_in_the_folder_of_the_scene),
        cmocka_unit_test(meshes_lie_beside_the_scene_or_below),
        cmocka_unit_test(one_part_has_one_mass),
        cmocka_unit_test(an_open_file_needs_its_mass_given),
        cmocka_unit_test(what_is_wrong_with_a_mesh_is_told),
        cmocka_unit_test(meshes_that_were_mended_are_warned_of),
        cmocka_unit_test(triangles_may_stand_in_the_scene),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
