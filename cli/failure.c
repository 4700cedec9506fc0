// failure.c -- the last steps before a verdict, kept so that it can be looked at again.
//
// docs/concepts/certificate.md, "When it fails": a run that its certificate or its method ends
// leaves a recording of the states before, from which `impel replay` comes to the same verdict. It
// needs nothing else: the scene is in it.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <string.h>

bool cli_failure_open(Failure *f, const World *w) {
    *f = (Failure){ .world = w };
    for (int i = 0; i < KEPT_STATES; i++) {
        if (!(f->state[i] = impState_New(w->model))) {
            cli_failure_free(f);
            return false;
        }
    }
    return true;
}

void cli_failure_free(Failure *f) {
    for (int i = 0; i < KEPT_STATES; i++) {
        impState_Free(f->state[i]);
    }
    *f = (Failure){ 0 };
}

// before every step
void cli_failure_keep(Failure *f) {
    const World *w = f->world;
    int at = (int)(f->kept++ % KEPT_STATES);
    impState_Copy(w->model, f->state[at], w->state);
    f->step[at] = w->step;
}

// to the state before the last step, which was not good after all
void cli_failure_back(const Failure *f, World *w) {
    int at = (int)((f->kept - 1) % KEPT_STATES);
    impState_Copy(w->model, w->state, f->state[at]);
    w->step = f->step[at];
}

static bool add_states(const Failure *f, impRecorder *to, impError *err) {
    int64_t first = f->kept > KEPT_STATES ? f->kept - KEPT_STATES : 0;
    for (int64_t k = first; k < f->kept; k++) {
        const impState *s = f->state[k % KEPT_STATES];
        const impModel *m = f->world->model;
        impFrame frame = { .step = f->step[k % KEPT_STATES],
                           .hash = impState_Hash(m, s),
                           .energy = impState_Energy(m, s),
                           .momentum = impState_Momentum(m, s) };
        if (!impRecorder_Add(to, s, &frame, err)) return false;
    }
    return true;
}

static void name_of(const char *scene, char *path, size_t size) {
    const char *file = strcmp(scene, "-") ? cli_file_of(scene) : "stdin";
    const char *dot = strrchr(file, '.');
    snprintf(path, size, "%.*s.fail.rec", dot && dot > file ? (int)(dot - file) : (int)strlen(file),
             file);
}

void cli_failure_write(const Failure *f, Cli *cli, const impRunEnd *end) {
    const World *w = f->world;
    char path[300], text[700], name[300];
    snprintf(name, sizeof name, "%s", cli_file_of(w->path));
    cli_make_plain(name);
    impRunInfo run = cli_world_info(w, cli, name, NULL);
    name_of(w->path, path, sizeof path);
    impRecorder *to = f->kept ? impRecorder_Open(w->scene, w->model, &run, path, true, &cli->err)
                              : NULL;
    bool whole = to && add_states(f, to, &cli->err);
    if (to && !whole) {
        impRecorder_Abandon(to);
    }
    whole = whole && impRecorder_Close(to, end, &cli->err);
    if (!whole) {
        size_t used = (size_t)snprintf(text, sizeof text,
                                       "the steps before it could not be kept: ");
        impError_Print(&cli->err, 0, text + used, sizeof text - used);
        if (f->kept) {
            cli_note("note", text);
        }
        return;
    }
    snprintf(text, sizeof text, "the steps before it are in %s; 'impel replay %s' repeats it", path,
             path);
    cli_note("note", text);
}
