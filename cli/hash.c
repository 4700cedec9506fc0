// hash.c -- impel hash: run scenes and print the hash of where they end; or compare two traces or
// recordings.
//
// The lines have the form of sha256sum's: 16 hex digits, two blanks, the name as given.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

static void print_hash(const World *w, bool with_step) {
    printf("%016llx  ", (unsigned long long)impState_Hash(w->model, w->state));
    if (with_step) {
        printf("%lld  %s  ", (long long)w->step, cli_exact(impState_Time(w->state)).text);
    }
    printf("%s\n", w->path);
}

static int run_to_end(World *w, int64_t every) {
    while (!cli_world_done(w)) {
        if (cli_caught()) return EXIT_SIGNAL + cli_caught();
        impOutcome outcome = cli_world_step(w);
        if (outcome.verdict != IMP_SOLVED) return cli_world_fault(w, outcome.text, outcome.verdict);
        if (every && w->step % every == 0) {
            print_hash(w, true);
        }
        if (cli_stdout_broken()) return EXIT_IO;
    }
    if (!every) {
        print_hash(w, false);
    } else if (w->step % every) {
        print_hash(w, true);
    }
    return EXIT_OK;
}

static int hash_scene(Cli *cli, const char *path) {
    World world;
    int code = cli_world_open(&world, cli, path);
    if (code) return code;
    for (int i = 0; i < world.note_count && !cli->opt.quiet; i++) {
        cli_note("note", world.notes[i]);
    }
    code = run_to_end(&world, cli->opt.every_steps);
    cli_world_close(&world);
    return code;
}

static int compare_two(Cli *cli, const char *kind, int found) {
    char **args = cli->opt.args;
    if (found != 2 || cli->opt.arg_count != 2)
        return cli_usage("%s are compared two at a time, without scenes", kind);
    return kind[0] == 't' ? cli_trace_difference(cli, args[0], args[1])
                          : cli_recording_difference(cli, args[0], args[1]);
}

int cli_hash(Cli *cli) {
    int traces = 0;
    int recordings = 0;
    int count = cli->opt.arg_count;
    int worst = EXIT_OK;
    for (int i = 0; i < count; i++) {
        traces += cli_ends_with(cli->opt.args[i], ".csv");
    }
    for (int i = 0; i < count; i++) {
        recordings += cli_ends_with(cli->opt.args[i], ".rec");
    }
    if (count == 0) return cli_usage("give scenes to run, or two traces or recordings to compare");
    if (traces) return compare_two(cli, "traces", traces);
    if (recordings == 1 && count == 1) return cli_recording_hash(cli, cli->opt.args[0]);
    if (recordings) return compare_two(cli, "recordings", recordings);
    // one bad scene does not hide the others' hashes
    for (int i = 0; i < count; i++) {
        int code = hash_scene(cli, cli->opt.args[i]);
        if (code >= EXIT_SIGNAL || code == EXIT_IO) return code;
        if (worst == EXIT_OK) {
            worst = code;
        }
    }
    return worst;
}
