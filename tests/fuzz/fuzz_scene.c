// fuzz_scene.c -- the scene reader, the builder and one step under libFuzzer: whatever is said,
// nothing breaks.
//
// Checked besides memory: a scene or messages, never both or neither, and the same for a model;
// what builds can be saved, the saved file loads, and saving it again gives the same bytes; a step
// of flight that is solved leaves finite numbers. Mesh files do not exist here: fuzz_stl.c and
// fuzz_obj.c read them. The first byte makes one run in four strict.
//
// SPDX-License-Identifier: MIT
#include "base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool law) {
    if (!law) {
        abort();
    }
}

static void take_a_step(const impModel *model, impError *err) {
    impStepper *stepper = impStepper_New(model, &(impStepperDef){ .method = "flight" }, err);
    impState *state = impState_New(model);
    insist(state != NULL);
    if (stepper) {
        impOutcome out = impStep(stepper, state, NULL, 0.01);
        insist(out.verdict == IMP_SOLVED || out.text[0]);
        const double *value = impState_Data(state);
        for (size_t i = 0; i < impModel_StateSize(model) / sizeof *value; i++) {
            insist(isfinite(value[i]));
        }
    }
    impState_Free(state);
    impStepper_Free(stepper);
}

static char *bytes_of(const char *path, size_t *size) {
    char *text = NULL;
    insist(file_read(path, (size_t)1 << 30, &text, size, NULL));
    return text;
}

static void save_and_load(const impScene *scene, impError *err) {
    char path[60];
    size_t size, again_size;
    snprintf(path, sizeof path, "/tmp/impel_fuzz_%ld.json", (long)getpid());
    insist(impScene_Save(scene, path, err));
    char *text = bytes_of(path, &size);
    impScene *again = impScene_Load(path, NULL, err);
    insist(again && impScene_Save(again, path, err));
    char *same = bytes_of(path, &again_size);
    insist(size == again_size && memcmp(text, same, size) == 0);
    impScene_Free(again);
    free(text);
    free(same);
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    impError *err = calloc(1, sizeof *err);
    impLoadDef def = { .max_bodies = 2000,
                       .max_triangles = 2000,
                       .strict = size > 0 && data[0] % 4 == 1 };
    if (!err) return 0;
    impScene *scene = impScene_Parse((const char *)data, size, "/nowhere/fuzz.json", &def, err);
    insist((scene == NULL) == (err->count > 0));
    impModel *model = scene ? impModel_Build(scene, err) : NULL;
    insist((model == NULL) == (err->count > 0));
    if (model) {
        take_a_step(model, err);
        save_and_load(scene, err);
    }
    impModel_Free(model);
    impScene_Free(scene);
    free(err);
    return 0;
}
