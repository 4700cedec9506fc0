// record.c -- a run and the sink it goes to: which moments are sampled, and what happened between
// them.
//
// A sample between two borders of steps is taken from a copy of the state, stepped to that moment
// and thrown away: what is written never changes what happens. Such a sample tells what had
// happened until the last border.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// bytes of a scene that are kept as they were written
enum { LONGEST_TEXT = 1 << 20 };

// --- samples -------------------------------------------------------------------------------------
static int add_sample(Record *r, const impState *state) {
    impFrame frame = impFrames_Take(r->frames, state);
    impOutcome loads;
    double now = impState_Time(state);
    // traces do not tell forces
    if (!r->kind->fine) {
        if (state == r->world->state && !cli_carry(&r->carried, r->world, now, now, &loads))
            return cli_fail(EXIT_LIMIT, "out of memory");
        frame.sleeping_contact = r->carried.all;
        frame.sleeping_contact_count = r->carried.count;
    }
    r->samples++;
    r->sampled = now;
    return r->kind->add(r->sink, state, &frame);
}

static int sample_between(Record *r, double h, impOutcome *outcome) {
    World *w = r->world;
    impState_Copy(w->model, w->spare, w->state);
    *outcome = cli_insist(&w->insist, w->spare, h);
    return outcome->verdict == IMP_SOLVED ? add_sample(r, w->spare) : EXIT_CHECK;
}

int cli_record_samples(Record *r, impOutcome *outcome) {
    World *w = r->world;
    *outcome = (impOutcome){ .verdict = IMP_SOLVED };
    if (!r->sink) return EXIT_OK;
    double t = cli_time_of(w, w->step);
    double next = cli_time_of(w, w->step + 1);
    double near = 1e-9 * w->dt;
    // one step may hold very many of them
    while (!cli_caught()) {
        double s = (double)r->sample * r->every;
        if (s >= next - near) break;
        int code = s <= t + near ? add_sample(r, w->state) : sample_between(r, s - t, outcome);
        if (code) return code;
        r->sample++;
    }
    return EXIT_OK;
}

int cli_record_step(Record *r, const impOutcome *outcome) {
    if (!r->sink || impFrames_Step(r->frames, outcome)) return EXIT_OK;
    return cli_fail(EXIT_LIMIT, "out of memory");
}

// --- the way in and out --------------------------------------------------------------------------
// without its folders
const char *cli_file_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// as the page and the recording want it: UTF-8, no control characters
static void put_name(char *to, size_t size, const char *path) {
    snprintf(to, size, "%s", cli_file_of(path));
    cli_make_plain(to);
}

// NULL: standard input, too long, or not text; nothing depends on it
static char *text_of(const char *path) {
    FILE *file = strcmp(path, "-") ? fopen(path, "rb") : NULL;
    char *text = file ? malloc(LONGEST_TEXT + 1) : NULL;
    size_t length = text ? fread(text, 1, LONGEST_TEXT + 1, file) : 0;
    if (file) {
        fclose(file);
    }
    if (!text || length > LONGEST_TEXT || memchr(text, 0, length)) {
        free(text);
        return NULL;
    }
    text[length] = 0;
    return text;
}

double cli_frame_interval(double end) { return end > 2 ? 1.0 / 60 : end > 0 ? end / 120 : 1; }

// Where not given: at borders of steps if they are close enough, since those cost nothing.
static double usual_interval(const SinkKind *kind, const World *w) {
    double wanted = cli_frame_interval(w->end);
    double steps = floor(wanted / w->dt + 0.5);
    if (kind->fine || steps == 0) return kind->fine || w->dt < 1.5 * wanted ? w->dt : wanted;
    return steps * w->dt;
}

int cli_record_open(Record *r, Cli *cli, World *world, const SinkKind *kind, const char *path) {
    *r = (Record){ .cli = cli, .world = world, .kind = kind, .sampled = -1 };
    r->every = cli->opt.every > 0 ? cli->opt.every : usual_interval(kind, world);
    if (!(world->end / r->every <= 1e14))
        return cli_fail(EXIT_LIMIT, "--every %s s: more than 1e14 samples",
                        cli_exact(r->every).text);
    r->text = kind->fine ? NULL : text_of(world->path);
    r->frames = impFrames_New(world->model);
    if (!r->frames) {
        cli_record_free(r);
        return cli_fail(EXIT_LIMIT, "out of memory");
    }
    put_name(r->name, sizeof r->name, world->path);
    r->source = (Source){ world->scene, world->model,
                          cli_world_info(world, cli, r->name, r->text) };
    int code = kind->open(cli, &r->source, path, &r->sink);
    if (code) {
        cli_record_free(r);
    }
    return code;
}

void cli_record_free(Record *r) {
    impFrames_Free(r->frames);
    cli_carry_free(&r->carried);
    free(r->text);
    *r = (Record){ 0 };
}

// Commits also what a stopped run has written; only a failed write throws it away, and then
// *samples is -1.
int cli_record_close(Record *r, int code, const impRunEnd *end, int64_t *samples) {
    if (!r->sink) return code;
    // the state the run ends in is always the last sample
    if (code != EXIT_IO && r->sampled != impState_Time(r->world->state)) {
        int last = add_sample(r, r->world->state);
        if (last) {
            code = last;
        }
    }
    *samples = -1;
    if (code == EXIT_IO) {
        r->kind->abandon(r->sink);
    } else {
        int closed = r->kind->close(r->sink, end);
        if (closed) {
            code = closed;
        } else {
            *samples = r->samples;
        }
    }
    cli_record_free(r);
    return code;
}

// A run from where the world is to its end; a verdict is told, and why it ended is kept for the
// sink.
int cli_record_run(Record *r, impRunEnd *end, char *reason, size_t size) {
    World *w = r->world;
    while (!cli_world_done(w) && !cli_caught()) {
        impOutcome outcome;
        int code = cli_record_samples(r, &outcome);
        if (code == EXIT_OK) {
            outcome = cli_world_step(w);
        }
        if (outcome.verdict != IMP_SOLVED) {
            end->status = outcome.verdict == IMP_UNTRUE ? "violated" : "stopped";
            snprintf(reason, size, "step %lld: %s", (long long)w->step, outcome.text);
            return cli_world_fault(w, outcome.text, outcome.verdict);
        }
        if (code == EXIT_OK) {
            code = cli_record_step(r, &outcome);
        }
        if (code) return code;
    }
    if (cli_world_done(w)) return EXIT_OK;
    end->status = "interrupted";
    return EXIT_SIGNAL + cli_caught();
}
