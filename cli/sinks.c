// sinks.c -- where a run goes, by the ending of its name: a row each. Traces and recordings are
// written by the library.
//
// A sink is fed frame by frame, by a run (record.c) or from a recording (convert.c), and cannot
// tell which.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// one of the two
typedef struct Library {
    Cli *cli;
    impTrace *trace;
    impRecorder *recorder;
} Library;

// What the library opened, or why not.
static int keep(Cli *cli, Library opened, void **out) {
    if (!opened.trace && !opened.recorder) return cli_output_fault(&cli->err);
    Library *sink = malloc(sizeof *sink);
    if (sink) {
        *sink = opened;
        *out = sink;
        return EXIT_OK;
    }
    impTrace_Abandon(opened.trace);
    impRecorder_Abandon(opened.recorder);
    return cli_fail(EXIT_LIMIT, "out of memory");
}

// --- traces --------------------------------------------------------------------------------------
static int open_trace(Cli *cli, const Source *source, const char *path, void **out) {
    return keep(
        cli, (Library){ cli, impTrace_Open(source->model, path, cli->opt.force, &cli->err), NULL },
        out);
}

static int add_to_trace(void *to, const impState *state, const impFrame *frame) {
    Library *sink = to;
    (void)frame;
    return impTrace_Add(sink->trace, state, &sink->cli->err) ? EXIT_OK
                                                             : cli_output_fault(&sink->cli->err);
}

static int close_trace(void *to, const impRunEnd *end) {
    Library *sink = to;
    (void)end;
    int code = impTrace_Close(sink->trace, &sink->cli->err) ? EXIT_OK
                                                            : cli_output_fault(&sink->cli->err);
    free(sink);
    return code;
}

static void abandon_trace(void *to) {
    Library *sink = to;
    impTrace_Abandon(sink->trace);
    free(sink);
}

// --- recordings ----------------------------------------------------------------------------------
static int open_recording(Cli *cli, const Source *s, const char *path, void **out) {
    return keep(
        cli,
        (Library){ cli, NULL,
                   impRecorder_Open(s->scene, s->model, &s->run, path, cli->opt.force, &cli->err) },
        out);
}

static int add_to_recording(void *to, const impState *state, const impFrame *frame) {
    Library *sink = to;
    bool good = impRecorder_Add(sink->recorder, state, frame, &sink->cli->err);
    return good ? EXIT_OK : cli_output_fault(&sink->cli->err);
}

static int close_recording(void *to, const impRunEnd *end) {
    Library *sink = to;
    int code = impRecorder_Close(sink->recorder, end, &sink->cli->err)
                   ? EXIT_OK
                   : cli_output_fault(&sink->cli->err);
    free(sink);
    return code;
}

static void abandon_recording(void *to) {
    Library *sink = to;
    impRecorder_Abandon(sink->recorder);
    free(sink);
}

// --- the table -----------------------------------------------------------------------------------
#define TRACE open_trace, add_to_trace, close_trace, abandon_trace
static const SinkKind csv = { ".csv", true, TRACE }, jsonl = { ".jsonl", true, TRACE };
static const SinkKind rec = { ".rec",           false,           open_recording,
                              add_to_recording, close_recording, abandon_recording };
static const SinkKind *const sinks[] = { &csv, &jsonl, &rec, &cli_sink_page, &cli_sink_glb };
enum { SINKS = (int)(sizeof sinks / sizeof sinks[0]) };

// upper or lower case
bool cli_ends_with(const char *path, const char *ending) {
    size_t n = strlen(path);
    size_t m = strlen(ending);
    for (size_t i = 0; n >= m && i < m; i++) {
        if (tolower((unsigned char)path[n - m + i]) != ending[i]) return false;
    }
    return n >= m;
}

const SinkKind *cli_find_sink(const char *path) {
    for (int i = 0; i < SINKS; i++) {
        if (cli_ends_with(path, sinks[i]->ending)) return sinks[i];
    }
    cli_usage("%s: unknown kind of file; its name must end in .csv, .jsonl, .rec, .html or .glb",
              path);
    return NULL;
}
