// scene_save.c -- impScene_Save: what is saved reads back as the same scene, and saving that gives
// the same bytes (D4).
//
// Same means: the model's id, which covers names, roles, masses, joints, motions and the whole
// start state; the bits of the state after half a second of flight where flight can move the scene;
// shapes, pairs, run and warnings besides.
//
// SPDX-License-Identifier: MIT
#include "scene_support.h"

#include <errno.h>

static impScene *load(const char *path) {
    impError err;
    impScene *scene = impScene_Load(path, NULL, &err);
    if (!scene) {
        fail_msg("%s: %s", path, err.message[0].text);
    }
    return scene;
}

static impModel *built(const impScene *scene) {
    impError err;
    impModel *model = impModel_Build(scene, &err);
    if (!model) {
        fail_msg("%s", err.message[0].text);
    }
    return model;
}

// 0: flight cannot move it
static uint64_t future(const impModel *m) {
    impError err;
    impStepper *stepper = impStepper_New(m, &(impStepperDef){ .method = "flight" }, &err);
    if (!stepper) return 0;
    impState *s = impState_New(m);
    assert_non_null(s);
    assert_int_equal(impStep(stepper, s, NULL, 0.5).verdict, IMP_SOLVED);
    uint64_t hash = impState_Hash(m, s);
    impState_Free(s);
    impStepper_Free(stepper);
    return hash;
}

static void same_shapes(const impModel *a, const impModel *b) {
    for (int i = 1; i < a->body_count; i++) {
        assert_int_equal(a->body[i].shape_count, b->body[i].shape_count);
        for (int k = 0; k < a->body[i].shape_count; k++) {
            const Shape *x = &a->shape[a->body[i].first_shape + k];
            const Shape *y = &b->shape[b->body[i].first_shape + k];
            assert_int_equal(x->kind, y->kind);
            assert_int_equal(x->material, y->material);
            assert_int_equal(x->vertex_count, y->vertex_count);
            assert_memory_equal(x->size, y->size, sizeof x->size);
            assert_memory_equal(&x->pose, &y->pose, sizeof x->pose);
            if (x->vertex_count) {
                assert_memory_equal(a->geometry.vertex + x->first_vertex,
                                    b->geometry.vertex + y->first_vertex,
                                    sizeof(impVec3) * (size_t)x->vertex_count);
            }
        }
    }
}

static void same_model(const impScene *x, const impScene *y) {
    impModel *a = built(x);
    impModel *b = built(y);
    assert_true(a->id == b->id);
    assert_true(future(a) == future(b));
    same_shapes(a, b);
    SAME_TEXT(a->about, b->about);
    SAME_TEXT(a->source, b->source);
    assert_int_equal(a->material_count, b->material_count);
    for (int i = 0; i < a->material_count; i++) {
        SAME_TEXT(a->material[i].name, b->material[i].name);
        SAME_BITS(a->material[i].density, b->material[i].density);
        for (int k = 0; k < a->material_count; k++) {
            impPairLaw p = impModel_PairLaw(a, i, k);
            impPairLaw q = impModel_PairLaw(b, i, k);
            assert_true(p.friction_static == q.friction_static &&
                        p.friction_dynamic == q.friction_dynamic &&
                        p.restitution == q.restitution && p.law == q.law && p.listed == q.listed);
        }
    }
    assert_true(a->run.duration == b->run.duration && a->run.dt == b->run.dt &&
                a->run.contact_band == b->run.contact_band);
    assert_int_equal(a->run.micro, b->run.micro);
    assert_int_equal(a->run.prediction, b->run.prediction);
    assert_int_equal(a->run.shock_propagation, b->run.shock_propagation);
    assert_int_equal(a->run.contact_capacity, b->run.contact_capacity);
    SAME_TEXT(a->run.method, b->run.method);
    // each warns once for all, and then each for itself
    bool repeats = false;
    for (int i = 0; i < x->body_count; i++) {
        repeats = repeats || x->bodies[i].like >= 0;
    }
    assert_true(repeats ? a->warning_count <= b->warning_count
                        : a->warning_count == b->warning_count);
    for (int i = 0; i < a->joint_count; i++) {
        SAME_TEXT(a->joint[i].name, b->joint[i].name);
        assert_true(
            a->joint[i].kind == b->joint[i].kind && a->joint[i].limited == b->joint[i].limited &&
            a->joint[i].lower == b->joint[i].lower && a->joint[i].upper == b->joint[i].upper);
    }
    impModel_Free(a);
    impModel_Free(b);
}

// its bytes; free them
static char *saved_as(const impScene *scene, const char *name) {
    impError err;
    size_t size;
    Path path = in_folder(name);
    if (!impScene_Save(scene, path.text, &err)) {
        fail_msg("%s", err.message[0].text);
    }
    return read_text(path.text, &size);
}

// Saves, loads, saves: equal models, equal bytes, no line too long. Returns the bytes; free them.
static char *round_trip(const impScene *scene) {
    char *first = saved_as(scene, "first.json");
    impScene *again = load(in_folder("first.json").text);
    char *second = saved_as(again, "second.json");
    SAME_TEXT(second, first);
    same_model(scene, again);
    impScene_Free(again);
    free(second);
    return first;
}

static void d4_every_scene_of_the_gallery(void **state) {
    (void)state;
    DIR *dir = opendir(source("scenes").text);
    int count = 0;
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        if (!strstr(e->d_name, ".json")) continue;
        char name[300];
        snprintf(name, sizeof name, "scenes/%.200s", e->d_name);
        impScene *scene = load(source(name).text);
        char *text = round_trip(scene);
        for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
            if (end - line > 125) {
                fail_msg("%s: a line of %d: %.60s", name, (int)(end - line), line);
            }
        }
        free(text);
        impScene_Free(scene);
        count++;
    }
    closedir(dir);
    assert_true(count >= 7);
}

static void the_layout_is_that_of_the_gallery(void **state) {
    (void)state;
    static const char text[] =
        "{ \"impel\": 1, \"about\": \"all of it\",\n"
        "  \"source\": \"a \\\"test\\\"\",\n"
        "  \"gravity\": [0, 0, -1.62],\n"
        "  \"materials\": { \"oak\": { \"friction\": { \"static\": 0.5, \"dynamic\": 0.4 }, "
        "\"restitution\": 0.1, \"density\": 700 },\n"
        "                 \"ice\": { \"friction\": 0.02 },\n"
        "                 \"wax\": { } },\n"
        "  \"pairs\": [ { \"between\": [\"oak\", \"ice\"], \"friction\": 0.01, \"restitution\": "
        "0.3, \"law\": \"stronge\" },\n"
        "             { \"between\": [\"oak\", \"oak\"], \"friction\": 0.6 } ],\n"
        "  \"bodies\": [\n"
        "    { \"name\": \"floor\", \"fixed\": true, \"material\": \"ice\", \"shape\": { "
        "\"plane\": { \"normal\": [0, 0, 1], \"offset\": -0.5 } } },\n"
        "    { \"name\": \"door\", \"material\": \"oak\", \"shape\": { \"box\": { \"size\": [0.9, "
        "0.04, 2] } }, \"mass\": 10,\n"
        "      \"position\": [0.45, 0, 1] },\n"
        "    { \"name\": \"stone\", \"mass\": 2, \"center_of_mass\": [0, 0, 0], \"inertia\": [[3, "
        "0.5, 0], [0.5, 4, 0], [0, 0, 5]],\n"
        "      \"orientation\": [0, 1, 0, 0], \"velocity\": [1, 0, -0], \"angular_velocity\": [0, "
        "0, 1e-7] },\n"
        "    { \"name\": \"hammer\",\n"
        "      \"shape\": [ { \"capsule\": { \"radius\": 0.01, \"length\": 0.3 }, \"material\": "
        "\"oak\" },\n"
        "                 { \"box\": { \"size\": [0.1, 0.04, 0.04], \"radius\": 0.005 }, "
        "\"position\": [0, 0, 0.17],\n"
        "                           \"orientation\": [0, 0, 0, 1] } ] },\n"
        "    { \"name\": \"feeder\", \"shape\": { \"sphere\": { \"radius\": 1 } },\n"
        "      \"motion\": { \"spin\": { \"axis\": [0, 0, 1], \"rate\": 2 },\n"
        "                  \"vibrate\": { \"amplitude\": [0, 0, 0.001], \"frequency\": 50, "
        "\"phase\": 1,\n"
        "                               \"rotation\": { \"axis\": [0, 0, 1], \"amplitude\": 0.1, "
        "\"frequency\": 25, \"phase\": 2 } } } },\n"
        "    { \"name\": \"rock\",\n"
        "      \"motion\": [ { \"spin\": { \"axis\": [0, 0, 1], \"rate\": 1 } },\n"
        "                  { \"spin\": { \"axis\": [1, 0, 0], \"rate\": 2 } } ] },\n"
        "    { \"name\": \"screw\",\n"
        "      \"motion\": { \"translate\": { \"velocity\": [0, 0, -0.5] },\n"
        "                  \"spin\": { \"axis\": [0, 0, 1], \"rate\": 1 } } },\n"
        "    { \"name\": \"wedge\",\n"
        "      \"shape\": { \"hull\": { \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],\n"
        "                           \"faces\": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], "
        "\"radius\": 0.25 } },\n"
        "      \"position\": [1, 0, 0] } ],\n"
        "  \"joints\": [ { \"name\": \"hinge\", \"type\": \"hinge\", \"parent\": \"world\", "
        "\"child\": \"door\", \"axis\": [0, 0, 1],\n"
        "                \"limits\": [-1.5, 0] },\n"
        "              { \"name\": \"rod\", \"type\": \"distance\", \"parent\": \"door\", "
        "\"child\": \"stone\", \"at\": [0, 0, 1], \"at2\": [0, 0, 2] } ],\n"
        "  \"run\": { \"duration\": 2, \"method\": \"flight\", \"dt\": 0.01, \"contact_band\": "
        "1e-6, \"micro\": \"reversal\",\n"
        "                           \"prediction\": \"runge_kutta\", \"contact_capacity\": 500, "
        "\"shock_propagation\": 10 } }\n";
    impError err;
    impScene *scene = parse(text, NULL, &err);
    if (!scene) {
        fail_msg("%s", err.message[0].text);
    }
    char *saved = round_trip(scene);
    SAME_TEXT(saved, text);
    free(saved);
    impScene_Free(scene);
}

static void a_scene_from_code(void **state) {
    (void)state;
    impError err;
    impScene *scene = impScene_New(vec(0.1, 0, -9.81));
    static const impVec3 points[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1.0 / 3 } };
    static const int32_t faces[] = { 3, 0, 2, 1, 3, 0, 1, 3, 3, 1, 2, 3, 3, 2, 0, 3 };
    const impShapeDef hull = { .kind = "hull", .points = points, .point_count = 4 };
    const impShapeDef mesh = { .kind = "mesh",
                               .points = points,
                               .point_count = 4,
                               .faces = faces,
                               .face_ints = 16,
                               .pose.at.x = 0.1 };
    const impShapeDef ball = { .kind = "sphere", .size = { 0.1 } };
    const impMotionDef twice[] = {
        { .kind = "spin", .axis = { 0, 0, 2 }, .rate = -1 },
        { .kind = "spin", .axis = { 1, 0, 0 }, .rate = 0.5 },
        { .kind = "vibrate",
          .axis = { 0, 1, 0 },
          .angle = 0.3,
          .frequency = 2,
          .phase = 0.1,
          .rotation_phase = 0.2 },
        { .kind = "vibrate",
          .axis = { 0, 1, 0 },
          .angle = 0.3,
          .rotation_frequency = 2,
          .rotation_phase = 0.2 },
        { .kind = "vibrate", .amplitude = { 0, 0, -1e-300 }, .frequency = 1.0 / 3 },
        { .kind = "translate", .velocity = { 1.0 / 3, 0, -1e-300 } },
    };
    assert_non_null(scene);
    assert_true(
        impScene_Body(
            scene, &(impBodyDef){ .shapes = &hull, .shape_count = 1, .pose.at.z = 1.0 / 3 }, &err)
            .i == 1);
    assert_true(impScene_Body(scene,
                              &(impBodyDef){ .name = "a \"b\"\n\\\t\x01\xC3\xA4",
                                             .shapes = &mesh,
                                             .shape_count = 1,
                                             .fixed = true },
                              &err)
                    .i == 2);
    assert_true(impScene_Body(scene,
                              &(impBodyDef){ .shapes = &ball,
                                             .shape_count = 1,
                                             .motions = twice,
                                             .motion_count = COUNT(twice) },
                              &err)
                    .i == 3);
    assert_true(impScene_Joint(scene, &(impJointDef){ .kind = "ball", .child = { 1 } }, &err).i ==
                0);
    free(round_trip(scene));
    impScene_Free(scene);

    // of nothing
    scene = impScene_New(vec(0, 0, 0));
    char *text = round_trip(scene);
    SAME_TEXT(text, "{ \"impel\": 1,\n  \"gravity\": [0, 0, 0] }\n");
    free(text);
    impScene_Free(scene);
}

static void numbers_keep_their_bits(void **state) {
    (void)state;
    static const double hard[] = { 5e-324,
                                   2.2250738585072014e-308,
                                   0.1,
                                   1.0 / 3,
                                   12345678.123456789,
                                   9007199254740993.0 / 1e9,
                                   1e-5,
                                   9999999.9999999985,
                                   -0.0,
                                   4.35,
                                   2.5e-17 };
    for (int i = 0; i < COUNT(hard); i++) {
        impError err;
        impScene *scene = impScene_New(vec(0, 0, 0));
        impShapeDef ball = { .kind = "sphere", .size = { 0.1 } };
        impBodyDef def = { .shapes = &ball,
                           .shape_count = 1,
                           .pose.at = { hard[i], 0, 0 },
                           .twist.linear.y = hard[i] };
        assert_true(impScene_Body(scene, &def, &err).i == 1);
        free(saved_as(scene, "x.json"));
        impScene *again = load(in_folder("x.json").text);
        SAME_BITS(again->bodies[0].def.pose.at.x, hard[i]);
        SAME_BITS(again->bodies[0].def.twist.linear.y, hard[i]);
        impScene_Free(again);
        impScene_Free(scene);
    }
}

static void meshes_are_named_beside_and_written_down_elsewhere(void **state) {
    (void)state;
    write_file("tet.obj", TETRAHEDRON);
    Path path = write_file(
        "mesh.json",
        "{\"impel\":1,\"bodies\":[{\"shape\":{\"mesh\":{\"file\":\"tet.obj\",\"scale\":0.1}}},"
        "{\"fixed\":true,\"shape\":{\"mesh\":{\"file\":\"tet.obj\"}}}]}");
    impScene *scene = load(path.text);
    // into the folder of the mesh
    char *text = round_trip(scene);
    assert_non_null(
        strstr(text, "{ \"mesh\": { \"file\": \"tet.obj\", \"scale\": 0.1, \"as\": \"hull\" } }"));
    assert_non_null(strstr(text, "{ \"mesh\": { \"file\": \"tet.obj\", \"as\": \"triangles\" } }"));
    free(text);
    Path other = in_folder("other");
    assert_int_equal(mkdir(other.text, 0700), 0);
    // into another one: nothing to lose
    text = saved_as(scene, "other/mesh.json");
    assert_null(strstr(text, "tet.obj"));
    assert_non_null(strstr(
        text, "{ \"mesh\": { \"points\": [[0, 0, 0], [0, 0.1, 0], [0.1, 0, 0], [0, 0, 0.1]]"));
    // with the mass of the mesh
    assert_non_null(strstr(text, "\"as\": \"hull\" } }"));
    impScene *again = load(in_folder("other/mesh.json").text);
    same_model(scene, again);
    char *second = saved_as(again, "other/again.json");
    SAME_TEXT(second, text);
    free(second);
    free(text);
    impScene_Free(again);
    impScene_Free(scene);
    empty_folder(folder);
}

static void refuses(impScene *scene, const char *path, impFault fault, const char *text) {
    impError err;
    assert_false(impScene_Save(scene, path, &err));
    SAME_TEXT(err.message[0].text, text);
    assert_int_equal(err.fault, fault);
    assert_false(impScene_Save(scene, path, NULL));
}

static void what_cannot_be_read_back_is_not_saved(void **state) {
    (void)state;
    impError err;
    impShapeDef ball = { .kind = "sphere", .size = { 0.1 } };
    Path path = write_file("old.json", "untouched");
    impScene *scene = impScene_New(vec(0, 0, 0));
    assert_true(
        impScene_Body(scene,
                      &(impBodyDef){ .name = "a", .mass = -1, .shapes = &ball, .shape_count = 1 },
                      &err)
            .i == 1);
    refuses(scene, path.text, IMP_BAD_INPUT, "body 'a': mass -1 kg; it must be positive");
    impScene_Free(scene);
    scene = impScene_New(vec(0, 0, 0));
    assert_true(
        impScene_Body(scene,
                      &(impBodyDef){ .name = "m\xFCller", .shapes = &ball, .shape_count = 1 }, &err)
            .i == 1);
    refuses(scene, path.text, IMP_BAD_INPUT,
            "\"m\xFCller\" is not UTF-8; a scene can only be saved if its names are");
    impScene_Free(scene);
    // a number that the build does not look at
    scene = impScene_New(vec(0, 0, 0));
    assert_true(
        impScene_Body(scene, &(impBodyDef){ .name = "a", .shapes = &ball, .shape_count = 1 }, &err)
            .i == 1);
    assert_true(impScene_Joint(scene,
                               &(impJointDef){ .kind = "ball", .child = { 1 }, .axis2.y = nan("") },
                               &err)
                    .i == 0);
    refuses(scene, path.text, IMP_BAD_INPUT, "nan is no number of a scene; it must be finite");
    impScene_Free(scene);
    size_t size;
    char *text = read_text(path.text, &size);
    // and nothing beside it
    SAME_TEXT(text, "untouched");
    free(text);
    DIR *dir = opendir(folder);
    int files = 0;
    for (struct dirent *e; (e = readdir(dir));) {
        files += strstr(e->d_name, ".tmp.") != NULL;
    }
    closedir(dir);
    assert_int_equal(files, 0);
    scene = impScene_New(vec(0, 0, 0));
    refuses(scene, NULL, IMP_BAD_CALL, "impScene_Save: argument path is NULL; it must be given");
    refuses(NULL, path.text, IMP_BAD_CALL,
            "impScene_Save: argument scene is NULL; it must be given");
    refuses(scene, folder, IMP_BAD_FILE,
            "cannot write; it is a directory; an output must be a new file, or a file and forced");
    // replaces
    assert_true(impScene_Save(scene, path.text, &err));
    impScene_Free(scene);
}

static void strict_scenes_with_warnings_can_be_saved(void **state) {
    (void)state;
    impError err;
    impLoadDef strict = { .strict = true };
    impScene *scene = parse("{\"impel\":1,\"materials\":{\"a\":{}}}", &strict, &err);
    assert_non_null(scene);
    assert_null(impModel_Build(scene, &err));
    free(saved_as(scene, "strict.json"));
    impScene_Free(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(d4_every_scene_of_the_gallery),
        cmocka_unit_test(the_layout_is_that_of_the_gallery),
        cmocka_unit_test(a_scene_from_code),
        cmocka_unit_test(numbers_keep_their_bits),
        cmocka_unit_test(meshes_are_named_beside_and_written_down_elsewhere),
        cmocka_unit_test(what_cannot_be_read_back_is_not_saved),
        cmocka_unit_test(strict_scenes_with_warnings_can_be_saved),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
