// sinks.c -- where a run goes, by the ending of its name: a row each. Traces and recordings are written by the library.
//
// A sink is fed frame by frame, by a run (record.c) or from a recording (convert.c), and cannot tell which.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct Library { Cli *cli; impTrace *trace; impRecorder *recorder; } Library;   // one of the two

static void *say_no(Library *sink, const impError *err) {
    cli_output_fault(err);
    free(sink);
    return NULL;
}

static Library *new_library(Cli *cli) {
    Library *sink = calloc(1, sizeof *sink);
    if (!sink) cli_fail(EXIT_LIMIT, "out of memory");
    else sink->cli = cli;
    return sink;
}

// --- traces ----------------------------------------------------------------------------------------------------------
static void *open_trace(Cli *cli, const Source *source, const char *path) {
    Library *sink = new_library(cli);
    if (!sink) return NULL;
    sink->trace = impTrace_Open(source->model, path, cli->opt.force, &cli->err);
    return sink->trace ? sink : say_no(sink, &cli->err);
}

static int add_to_trace(void *to, const impState *state, const impFrame *frame) {
    Library *sink = to;
    (void)frame;
    return impTrace_Add(sink->trace, state, &sink->cli->err) ? EXIT_OK : cli_output_fault(&sink->cli->err);
}

static int close_trace(void *to, const impRunEnd *end) {
    Library *sink = to;
    (void)end;
    int code = impTrace_Close(sink->trace, &sink->cli->err) ? EXIT_OK : cli_output_fault(&sink->cli->err);
    free(sink);
    return code;
}

static void abandon_trace(void *to) {
    Library *sink = to;
    impTrace_Abandon(sink->trace);
    free(sink);
}

// --- recordings ------------------------------------------------------------------------------------------------------
static void *open_recording(Cli *cli, const Source *s, const char *path) {
    Library *sink = new_library(cli);
    if (!sink) return NULL;
    sink->recorder = impRecorder_Open(s->scene, s->model, &s->run, path, cli->opt.force, &cli->err);
    return sink->recorder ? sink : say_no(sink, &cli->err);
}

static int add_to_recording(void *to, const impState *state, const impFrame *frame) {
    Library *sink = to;
    bool good = impRecorder_Add(sink->recorder, state, frame, &sink->cli->err);
    return good ? EXIT_OK : cli_output_fault(&sink->cli->err);
}

static int close_recording(void *to, const impRunEnd *end) {
    Library *sink = to;
    int code = impRecorder_Close(sink->recorder, end, &sink->cli->err) ? EXIT_OK : cli_output_fault(&sink->cli->err);
    free(sink);
    return code;
}

static void abandon_recording(void *to) {
    Library *sink = to;
    impRecorder_Abandon(sink->recorder);
    free(sink);
}

// --- the table -------------------------------------------------------------------------------------------------------
#define TRACE open_trace, add_to_trace, close_trace, abandon_trace
static const SinkKind csv = {".csv", true, TRACE}, jsonl = {".jsonl", true, TRACE};
static const SinkKind rec = {".rec", false, open_recording, add_to_recording, close_recording, abandon_recording};
static const SinkKind *const sinks[] = {&csv, &jsonl, &rec, &cli_sink_page, &cli_sink_glb};
enum { SINKS = (int)(sizeof sinks / sizeof sinks[0]) };

bool cli_ends_with(const char *path, const char *ending) {   // upper or lower case
    size_t n = strlen(path), m = strlen(ending);
    for (size_t i = 0; n >= m && i < m; i++)
        if (tolower((unsigned char)path[n - m + i]) != ending[i]) return false;
    return n >= m;
}

const SinkKind *cli_find_sink(const char *path) {
    for (int i = 0; i < SINKS; i++)
        if (cli_ends_with(path, sinks[i]->ending)) return sinks[i];
    cli_usage("%s: unknown kind of file; its name must end in .csv, .jsonl, .rec, .html or .glb", path);
    return NULL;
}
