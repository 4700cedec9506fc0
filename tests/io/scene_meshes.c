// scene_meshes.c -- mesh files that a scene names: where they may lie, what is said of them, and triangles without a file.
//
// Row M17 of the faults: a scene from a stranger must not make us read the disk.
//
// SPDX-License-Identifier: MIT
#define _XOPEN_SOURCE 700                    // realpath, symlink
#include "scene_support.h"

#define MESH(m) "{\"impel\":1,\"bodies\":[\n{\"name\":\"a\",\"fixed\":true,\"shape\":{\"mesh\":{" m "}}}]}"

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
    snprintf(expected, sizeof expected, "body 'a': mesh: file \"%s\" lies outside the folder of the scene; allow it with --allow-path", told);
    SAME_TEXT(err.message[0].text, expected);
}

static void m17_meshes_stay_in_the_folder_of_the_scene(void **state) {
    (void)state;
    Path outside = write_file("outside.obj", TETRAHEDRON), link_path, inner;
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
    snprintf(real, sizeof real, "body 'a': mesh: file \"%s\" lies outside the folder of the scene; allow it with --allow-path", found);
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
    SAME_TEXT(impModel_ShapeKind(m, (impBody){ 1 }, 0), "mesh");        // fixed: the surface itself
    assert_true(impModel_Box(m, (impBody){ 1 }, &low, &high));
    NEAR(high.x, 0.5, 0);
    impModel_Free(m);
    m = load(MESH("\"file\":\"./tet.obj\",\"as\":\"hull\""), false, &err);
    assert_non_null(m);
    SAME_TEXT(impModel_ShapeKind(m, (impBody){ 1 }, 0), "hull");
    impModel_Free(m);
    m = load("{\"impel\":1,\"bodies\":[{\"shape\":{\"mesh\":{\"file\":\"tet.obj\"}}}]}", false, &err);
    assert_non_null(m);
    SAME_TEXT(impModel_ShapeKind(m, (impBody){ 1 }, 0), "hull");        // moves: convex
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
    assert_non_null(strstr(err.message[0].file, "bad.obj"));             // a place in the mesh
    assert_int_equal(err.message[0].line, 2);
    assert_memory_equal(err.message[0].text, "body 'a': mesh: ", 16);
    snprintf(expected, sizeof expected, "body 'a': mesh: %s/no.obj: cannot open; No such file or directory; it must be a readable file", folder);
    says_of_mesh(MESH("\"file\":\"no.obj\""), "scene.json", expected);   // a place in the scene
    snprintf(expected, sizeof expected, "body 'a': mesh: %s/x.ply: mesh files ending in \".ply\" cannot be read; .stl and .obj can", folder);
    says_of_mesh(MESH("\"file\":\"x.ply\""), "scene.json", expected);
    says_of_mesh(MESH(""), "scene.json", "body 'a': mesh: \"file\" is missing");
    says_of_mesh(MESH("\"file\":\"a.obj\",\"scale\":0"), "scene.json", "body 'a': mesh: scale 0; it must be positive");
    says_of_mesh(MESH("\"file\":\"a.obj\",\"as\":\"ball\""), "scene.json",
                 "body 'a': mesh: as; got \"ball\"; it must be \"hull\" or \"triangles\"");
    says_of_mesh(MESH("\"file\":\"a.obj\",\"points\":[]"), "scene.json",
                 "body 'a': mesh: unknown key \"points\"; it may be \"file\", \"scale\" or \"as\"");
    write_file("tet.obj", TETRAHEDRON);
    says_of_mesh("{\"impel\":1,\"bodies\":[{\"name\":\"a\",\"shape\":{\"mesh\":{\"file\":\"tet.obj\",\"as\":\"triangles\"}}}]}", "scene.json",
                 "body 'a': mesh: a surface of triangles can only be fixed or have a motion; a dynamic body needs \"as\": \"hull\" "
                 "or a compound of convex shapes");
    impLoadDef few = { .max_triangles = 6 };
    Path path = write_file("two.json", "{\"impel\":1,\"bodies\":[{\"shape\":[{\"mesh\":{\"file\":\"tet.obj\"}},{\"mesh\":{\"file\":\"tet.obj\"}}]}]}");
    assert_null(impScene_Load(path.text, &few, &err));                   // all meshes together
    assert_int_equal(err.fault, IMP_AT_LIMIT);
    empty_folder(folder);
}

static void meshes_that_were_mended_are_warned_of(void **state) {
    (void)state;
    impError err;
    write_file("out.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\nf 1 1 2\n");   // inside out, one flat
    impModel *m = load(MESH("\"file\":\"out.obj\""), false, &err);
    assert_non_null(m);
    assert_int_equal(impModel_WarningCount(m), 3);
    assert_non_null(strstr(impModel_Warning(m, 0), "scene.json:2:50: body 'a': mesh: the mesh was inside out; it was turned"));
    assert_non_null(strstr(impModel_Warning(m, 1), "body 'a': mesh: triangles of no area were dropped: 1"));
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
    SAYS(MESH(TRIANGLES("[[0,2,1,3]]")), "s.json:2:42: body 'a': mesh: face 0 has 4 points; a mesh is made of triangles");
    SAYS(MESH(TRIANGLES("[[0,2,1]],\"scale\":2")),
         "s.json:2:104: body 'a': mesh: unknown key \"scale\"; it may be \"points\" or \"faces\"");
    impLoadDef three = { .max_triangles = 3 };
    LIMITED(MESH(TRIANGLES("[[0,2,1],[0,1,3],[1,2,3],[2,0,3]]")), &three,
            "s.json:2:42: body 'a': mesh: the meshes of the scene have more than 3 triangles; the limit is --max-triangles");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m17_meshes_stay_in_the_folder_of_the_scene),
        cmocka_unit_test(meshes_lie_beside_the_scene_or_below),
        cmocka_unit_test(what_is_wrong_with_a_mesh_is_told),
        cmocka_unit_test(meshes_that_were_mended_are_warned_of),
        cmocka_unit_test(triangles_may_stand_in_the_scene),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
