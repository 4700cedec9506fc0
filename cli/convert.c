// convert.c -- impel convert: a recording, fed to a sink as a run would be.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

static int feed(Cli *cli, impRecording *from, const SinkKind *kind, void *sink, int64_t *frames,
                double *reached) {
    impState *state = impState_New(impRecording_Model(from));
    impFrame frame;
    int more = 1;
    int code = state ? EXIT_OK : cli_fail(EXIT_LIMIT, "out of memory");
    while (code == EXIT_OK && more == 1) {
        if (cli_caught()) {
            code = EXIT_SIGNAL + cli_caught();
        } else if ((more = impRecording_Next(from, state, &frame, &cli->err)) < 0) {
            code = cli_input_fault(&cli->err);
        } else if (more == 1) {
            code = kind->add(sink, state, &frame);
        }
        *frames += more == 1;
        if (more == 1) {
            *reached = impState_Time(state);
        }
    }
    impState_Free(state);
    return code;
}

// Names come from files: a control character must not reach the terminal.
static void print_plain(char *line) {
    cli_make_plain(line);
    printf("%s\n", line);
}

static void tell(const char *path, const impRunInfo *run, int64_t frames, const impRunEnd *end) {
    char line[700];
    snprintf(line, sizeof line, "%.200s: %lld frames of %.200s by method %.60s, %.40s", path,
             (long long)frames, run->name, run->method, end->status);
    print_plain(line);
}

// How much of the run there is, and why no more.
static void tell_salvaged(double reached, const impRunInfo *run, int64_t frames,
                          const impRunEnd *end) {
    char line[700];
    snprintf(line, sizeof line, "saved: %lld frames, to %s s of %s s; %s", (long long)frames,
             cli_short(reached).text, cli_short(run->end).text,
             end->reason[0] ? end->reason : "nothing is missing");
    print_plain(line);
}

// What is half read is not written: a page of a damaged recording would look like the whole of it.
static int convert(Cli *cli, impRecording *from, const SinkKind *kind, const char *path) {
    Source source = { impRecording_Scene(from), impRecording_Model(from), impRecording_Run(from) };
    int64_t frames = 0;
    double reached = 0;
    void *sink = NULL;
    int code = kind->open(cli, &source, path, &sink);
    if (code) return code;
    code = feed(cli, from, kind, sink, &frames, &reached);
    if (code) {
        kind->abandon(sink);
        return code;
    }
    impRunEnd end = impRecording_End(from);
    code = kind->close(sink, &end);
    if (code || cli->opt.quiet) return code;
    tell(path, &source.run, frames, &end);
    if (cli->opt.salvage) {
        tell_salvaged(reached, &source.run, frames, &end);
    }
    return EXIT_OK;
}

int cli_convert(Cli *cli) {
    const Options *opt = &cli->opt;
    bool named = opt->output != NULL;
    if (opt->arg_count != (named ? 1 : 2))
        return cli_usage("give a recording and the file to write");
    const char *in = opt->args[0];
    const char *out = named ? opt->output : opt->args[1];
    const SinkKind *kind = cli_find_sink(out);
    if (!kind) return EXIT_USAGE;
    int code = opt->salvage ? EXIT_OK : cli_refuse_kind(in, FILE_RECORDING);
    if (code) return code;
    if (!opt->salvage && !cli_ends_with(in, ".rec"))
        return cli_usage("'%s': the name of a recording must end in .rec, or --salvage must say "
                         "that it is a rest of one",
                         in);
    if (cli_same_file(in, out))
        return cli_fail(EXIT_IO, "%s: is the recording itself; it is not overwritten", out);
    if (!opt->force && !cli_may_write(out, false)) return EXIT_IO;
    impRecording *from = (opt->salvage ? impRecording_Salvage : impRecording_Open)(in, &cli->err);
    if (!from) return cli_input_fault(&cli->err);
    code = convert(cli, from, kind, out);
    impRecording_Free(from);
    return code;
}
