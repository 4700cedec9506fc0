// rig.h -- small scenes for the tests of model/, and their errors as one line of text.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "test.h"

#include "model/model.h"

#define NO_NUMBER ((double)NAN)  // NAN itself is a float

static const impShapeDef UNIT_BOX = { .kind = "box", .size = { 1, 1, 1 } };
static impError err;

static inline const char *message(int i) {
    static char line[700];
    impError_Print(&err, i, line, sizeof line);
    return line;
}

static inline impScene *empty_scene(void) {
    impScene *scene = impScene_New((impVec3){ 0, 0, -9.81 });
    assert_non_null(scene);
    return scene;
}

static inline impScene *scene_with(const impBodyDef *def) {
    impScene *scene = empty_scene();
    if (impScene_Body(scene, def, &err).i != 1) {
        fail_msg("%s", message(0));
    }
    return scene;
}

static inline impScene *parsed(const char *text) {
    impScene *scene = impScene_Parse(text, strlen(text), "test.json", NULL, &err);
    if (!scene) {
        fail_msg("%s", message(0));
    }
    return scene;
}

// The scene is the caller's no more.
static inline impModel *built(impScene *scene) {
    impModel *model = impModel_Build(scene, &err);
    impScene_Free(scene);
    if (!model) {
        fail_msg("%s", message(0));
    }
    assert_int_equal(err.count, 0);
    return model;
}

static inline impModel *built_with(const impBodyDef *def) { return built(scene_with(def)); }

// The build fails with this one sentence and no other.
#define REFUSED(scene, text) test_refused((scene), (text), __FILE__, __LINE__)
static inline void test_refused(impScene *scene, const char *text, const char *file, int line) {
    impModel *model = impModel_Build(scene, &err);
    impScene_Free(scene);
    if (model) {
        impModel_Free(model);
        print_error("%s:%d: built, and should be refused: %s\n", test_file(file), line, text);
        _fail(file, line);
    }
    test_same_text(message(0), text, "the message", file, line);
    if (err.count == 1 && err.fault == IMP_BAD_INPUT) return;
    print_error("%s:%d: %d messages, fault %d; the second is \"%s\"\n", test_file(file), line,
                err.count, err.fault, message(1));
    _fail(file, line);
}

static inline bool warned(const impModel *model, const char *text) {
    for (int i = 0; i < impModel_WarningCount(model); i++) {
        if (strcmp(impModel_Warning(model, i), text) == 0) return true;
    }
    for (int i = 0; i < impModel_WarningCount(model); i++) {
        print_error("    %s\n", impModel_Warning(model, i));
    }
    return false;
}
