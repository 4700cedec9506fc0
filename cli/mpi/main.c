// main.c -- impel-mpi: `impel poses` shared out among the ranks of MPI.
//
//   mpirun -n 8 impel-mpi poses PART [options]
//
// Rank r of n makes the blocks of --shard r/n that are not in the journal yet, and keeps them in a
// journal of its own in the folder of --journal. When all are done rank 0 merges the folder and
// prints the report of one run. Ranks do not talk otherwise, so that a rank that dies loses its
// unfinished block and nothing else: the same command with --resume goes on, with any number of
// ranks. Whether all is there is for the journal to say, never for mpirun.
//
// SPDX-License-Identifier: MIT
#include "cli/poses.h"

#include <dirent.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static Cli cli;
static int rank, ranks;
static bool told;  // the others know whether rank 0 has the folder

// of rank 0
static void tell_others(int code) {
    if (told) return;
    told = true;
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static int usage(const char *text) { return rank == 0 ? cli_usage("%s", text) : EXIT_USAGE; }

static int check_words(const Options *opt) {
    if (opt->arg_count != 1)
        return usage(
            "one part, and no word before it; 'impel poses' knows merge, verify and replay");
    if (opt->poses.shard) return usage("--shard: the ranks are the shards");
    if (opt->poses.ci > 0)
        return usage("--ci looks at all blocks in order; it cannot be shared out");
    if (opt->output && !cli_ends_with(opt->output, ".json"))
        return usage("-o: ranks together write .json only");
    if (rank == 0 && opt->output && !cli_out_possible(opt->output, opt->force)) return EXIT_IO;
    return EXIT_OK;
}

// Cores are shared by the ranks of one machine.
static void share_cores(Options *opt) {
    MPI_Comm here;
    int count = 1;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &count);
    MPI_Comm_free(&here);
    int each = cli_core_count() / (count > 0 ? count : 1);
    if (opt->threads == 0) {
        opt->threads = each > 0 ? each : 1;
    }
}

// Without --journal a folder that is gone in the end; all ranks must see it, so that it serves one
// machine.
static bool temporary_folder(char *path, size_t size) {
    const char *place = getenv("TMPDIR");
    if (rank == 0) {
        snprintf(path, size, "%s/impel-XXXXXX", place && place[0] ? place : "/tmp");
        if (!mkdtemp(path)) {
            path[0] = 0;
        }
    }
    MPI_Bcast(path, (int)size, MPI_CHAR, 0, MPI_COMM_WORLD);
    return path[0];
}

static void remove_folder(const char *path) {
    DIR *folder = opendir(path);
    char file[900];
    for (struct dirent *one; folder && (one = readdir(folder));) {
        if (one->d_name[0] != '.' &&
            snprintf(file, sizeof file, "%s/%s", path, one->d_name) < (int)sizeof file) {
            unlink(file);
        }
    }
    if (folder) {
        closedir(folder);
    }
    rmdir(path);
}

// One rank's blocks. Rank 0 makes the folder, the others wait for it and compare what they are
// about with its manifest.
static int make_blocks(const Options *asked, const char *folder) {
    char shard[48];
    int code = EXIT_OK;
    snprintf(shard, sizeof shard, "%d/%d", rank, ranks);
    cli.opt = *asked;
    cli.opt.poses.shard = shard;
    cli.opt.poses.journal = folder;
    cli.opt.output = NULL;
    cli.opt.quiet = true;
    cli.opt.json = false;
    if (rank == 0) {
        cli_poses_joined = tell_others;
    } else {
        cli.opt.poses.resume = true;
        MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (code == EXIT_OK) {
        code = cli_poses(&cli);
    }
    // it may have ended before it came to the folder
    if (rank == 0) {
        tell_others(code);
    }
    return code;
}

static int run(int argc, char **argv) {
    char folder[512] = "";
    if (argc < 2 || strcmp(argv[1], "poses") != 0)
        return usage("mpirun -n N impel-mpi poses PART [options]");
    cli.command = cli_find_command("poses");
    cli_name("poses");
    int code = rank == 0 ? cli_parse(&cli, argc - 2, argv + 2) : EXIT_OK;
    // a slip is told once
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (code) return code;
    if (rank != 0) {
        cli_parse(&cli, argc - 2, argv + 2);
    }
    if (cli.opt.help) return rank == 0 ? cli_print_help(cli.command, stdout), EXIT_OK : EXIT_OK;
    code = check_words(&cli.opt);
    MPI_Allreduce(MPI_IN_PLACE, &code, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (code) return code;
    share_cores(&cli.opt);
    Options asked = cli.opt;
    bool temporary = !asked.poses.journal;
    if (temporary && !temporary_folder(folder, sizeof folder))
        return rank == 0 ? cli_fail(EXIT_IO, "no temporary folder could be made") : EXIT_IO;
    if (temporary) {
        asked.poses.resume = true;
    }
    const char *path = temporary ? folder : asked.poses.journal;
    code = make_blocks(&asked, path);
    int worst = code == EXIT_FAILED_TRIALS ? EXIT_OK : code;
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank != 0) return worst;
    if (worst == EXIT_OK) {
        char *words[] = { (char[]){ "merge" }, (char *)path };
        cli.opt = asked;
        cli.opt.args = words;
        cli.opt.arg_count = 2;
        worst = cli_poses_merge(&cli);
    } else if (!temporary && worst > EXIT_SIGNAL) {
        cli_note("note", "finished blocks are in the journal; --resume goes on with them");
    }
    if (temporary) {
        remove_folder(path);
    }
    return worst;
}

int main(int argc, char **argv) {
    cli_hold_streams();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    cli_catch_signals();
    int code = cli_finish_stdout(run(argc, argv));
    MPI_Finalize();
    return code;
}
