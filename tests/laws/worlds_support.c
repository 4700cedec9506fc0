// worlds_support.c -- every scene of scenes/ with every method that accepts it.
//
// SPDX-License-Identifier: MIT
#include "worlds_support.h"

#include <dirent.h>

static impError err;

bool open_world(World *world, const char *path, const char *method, int threads) {
    *world = (World){ .scene = path, .method = method };
    impScene *scene = impScene_Load(path, NULL, &err);
    world->model = scene ? impModel_Build(scene, &err) : NULL;
    if (!world->model) {
        fail_msg("%s:%d: %s", path, err.message[0].line, err.message[0].text);
    }
    impScene_Free(scene);
    world->stepper = impStepper_New(world->model,
                                    &(impStepperDef){ .method = method, .threads = threads }, &err);
    world->state = impState_New(world->model);
    if (world->stepper) return true;
    close_world(world);
    return false;
}

void close_world(World *world) {
    impStepper_Free(world->stepper);
    impState_Free(world->state);
    impModel_Free(world->model);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}
static int is_scene(const struct dirent *d) {
    size_t n = strlen(d->d_name);
    return n > 5 && !strcmp(d->d_name + n - 5, ".json");
}

int every_world(void (*law)(World *world)) {
    struct dirent **files = NULL;
    int count = scandir(IMPEL_SOURCE "/scenes", &files, is_scene, by_name);
    int worlds = 0;
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        char path[600];
        snprintf(path, sizeof path, IMPEL_SOURCE "/scenes/%s", files[i]->d_name);
        for (int m = 0; impCatalogue(IMP_METHODS, m).name; m++) {
            World world;
            if (!open_world(&world, path, impCatalogue(IMP_METHODS, m).name, 1)) continue;
            law(&world);
            close_world(&world);
            worlds++;
        }
        free(files[i]);
    }
    free(files);
    return worlds;
}
