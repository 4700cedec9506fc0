// scene_support.h -- what the tests of scenes share: text in, messages out, and a folder that goes
// away again.
//
// A scene given as text is called s.json. Messages are compared whole, one per line, as a user
// would see them.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "test.h"

#include "model/model.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#if !defined(IMPEL_SOURCE)
#define IMPEL_SOURCE "."
#endif

typedef struct Lines {
    char text[IMP_MESSAGES * 620];
} Lines;

// free it
static inline Lines *messages(const impError *err) {
    Lines *all = calloc(1, sizeof *all);
    assert_non_null(all);
    for (int i = 0, used = 0; i < err->count && i < IMP_MESSAGES; i++) {
        if (i) {
            all->text[used++] = '\n';
        }
        used += (int)impError_Print(err, i, all->text + used, sizeof all->text - (size_t)used);
    }
    return all;
}

static inline impScene *parse(const char *text, const impLoadDef *def, impError *err) {
    impScene *scene = impScene_Parse(text, strlen(text), "s.json", def, err);
    assert_int_equal(scene == NULL, err->count > 0);
    return scene;
}

// Reads and builds; NULL when either failed.
static inline impModel *build(const char *text, const impLoadDef *def, impError *err) {
    impScene *scene = parse(text, def, err);
    impModel *model = scene ? impModel_Build(scene, err) : NULL;
    impScene_Free(scene);
    assert_int_equal(model == NULL, err->count > 0);
    return model;
}

static inline impModel *good(const char *text) {
    impError err;
    impModel *model = build(text, NULL, &err);
    if (!model) {
        fail_msg("%s\nin %s", err.message[0].text, text);
    }
    return model;
}

static inline void says_within(const char *text, const impLoadDef *def, impFault fault,
                               const char *expected, const char *file, int line) {
    impError err;
    impModel *model = build(text, def, &err);
    Lines *got = messages(&err);
    test_same_text(got->text, expected, text, file, line);
    free(got);
    assert_null(model);
    assert_int_equal(err.fault, fault);
}
#define SAYS(text, expected)                                                                       \
    says_within((text), NULL, IMP_BAD_INPUT, (expected), __FILE__, __LINE__)
#define LIMITED(text, def, expected)                                                               \
    says_within((text), (def), IMP_AT_LIMIT, (expected), __FILE__, __LINE__)

// The warnings of a scene that builds, one per line.
static inline void warns(const char *text, const char *expected, const char *file, int line) {
    impModel *model = good(text);
    Lines *got = calloc(1, sizeof *got);
    assert_non_null(got);
    for (int i = 0; i < impModel_WarningCount(model); i++) {
        if (i) {
            strcat(got->text, "\n");
        }
        strcat(got->text, impModel_Warning(model, i));
    }
    test_same_text(got->text, expected, text, file, line);
    free(got);
    impModel_Free(model);
}
#define WARNS(text, expected) warns((text), (expected), __FILE__, __LINE__)

// --- files ---------------------------------------------------------------------------------------
static char folder[80];  // of this test program

static inline int make_folder(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/impel_scene_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

// one level of folders, as deep as tests go
static inline void empty_folder(const char *path) {
    char name[400];
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        if (unlink(name) == 0) continue;
        DIR *inner = opendir(name);
        for (struct dirent *f; inner && (f = readdir(inner));) {
            char deeper[700];
            snprintf(deeper, sizeof deeper, "%s/%s", name, f->d_name);
            if (strcmp(f->d_name, ".") && strcmp(f->d_name, "..")) {
                unlink(deeper);
            }
        }
        if (inner) {
            closedir(inner);
        }
        rmdir(name);
    }
    if (dir) {
        closedir(dir);
    }
}

static inline int remove_folder(void **state) {
    (void)state;
    empty_folder(folder);
    return rmdir(folder);
}

typedef struct Path {
    char text[700];
} Path;

static inline Path in_folder(const char *name) {
    Path path;
    snprintf(path.text, sizeof path.text, "%s/%s", folder, name);
    return path;
}

static inline Path write_file(const char *name, const char *text) {
    Path path = in_folder(name);
    FILE *file = fopen(path.text, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    fclose(file);
    return path;
}

// free it
static inline char *read_text(const char *path, size_t *size) {
    impError err = { 0 };
    char *text = NULL;
    if (!file_read(path, (size_t)1 << 30, &text, size, &err)) {
        fail_msg("%s: %s", path, err.message[0].text);
    }
    return text;
}

// a file of the repository
static inline Path source(const char *name) {
    Path path;
    snprintf(path.text, sizeof path.text, "%s/%s", IMPEL_SOURCE, name);
    return path;
}

// A tetrahedron, good as a hull and as a surface.
#define TETRAHEDRON "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
