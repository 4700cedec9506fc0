// poses.c -- impel poses: drop a part many times and tell in which poses it comes to rest.
//
//   part (poses_part.c) -> plan (poses_plan.c) -> test (poses_run.c, impDropTest) -> report, JSON,
//   CSV, page
//
// What is reported depends on the part, the plan and how many blocks there are; not on threads,
// shards, kills or the clock.
//
// SPDX-License-Identifier: MIT
#include "poses.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Poses {
    Cli *cli;
    PosesPart part;
    PosesResult result;
    PosesRun run;
    PosesStage stage;
    impDrops *drops;  // how trials begin
    OutFile csv;
    double began;
} Poses;

void (*cli_poses_joined)(int code);

int cli_poses_threads(const Options *opt) {
    return opt->threads > 0 ? (int)opt->threads : cli_core_count();
}

// --- words ---------------------------------------------------------------------------------------
static int read_shard(const char *text, PosesResult *r) {
    char *end = NULL;
    bool digits = strspn(text, "0123456789/") == strlen(text) && text[0] != '/' &&
                  strlen(text) < 30;
    r->shard = digits ? strtoll(text, &end, 10) : 0;
    r->shards = end && *end == '/' && end[1] ? strtoll(end + 1, &end, 10) : 0;
    if (!digits || *end || r->shards < 1 || r->shard >= r->shards)
        return cli_usage("--shard '%s'; write it like 0/4: which one, from 0, and of how many",
                         text);
    return EXIT_OK;
}

static int check_output(const Options *opt, const PosesResult *r) {
    const char *path = opt->output;
    bool csv = path && cli_ends_with(path, ".csv");
    bool page = path && cli_ends_with(path, ".html");
    if (!path) return EXIT_OK;
    if (!csv && !page && !cli_ends_with(path, ".json"))
        return cli_usage("%s: unknown kind of file; its name must end in .html, .json or .csv",
                         path);
    if (csv && opt->poses.journal)
        return cli_usage(
            "-o %s: a journal keeps blocks, not single trials; leave one of the two out", path);
    if (page && r->shards > 0)
        return cli_usage("-o %s: a page is about all trials, not about a shard", path);
    if (cli_same_file(path, opt->args[0]))
        return cli_fail(EXIT_IO, "%s: is the part itself; it is not overwritten", path);
    if (page && !cli_page_possible()) return EXIT_LIMIT;
    return cli_out_possible(path, opt->force) ? EXIT_OK : EXIT_IO;
}

static int check_words(const Options *opt, PosesResult *r) {
    int code = EXIT_OK;
    if (opt->arg_count != 1)
        return cli_usage(opt->arg_count ? "one part at a time" : "which part?");
    if (opt->poses.trial >= 0)
        return cli_usage("--trial is for 'impel poses replay PART --trial K'");
    if (opt->poses.resume && !opt->poses.journal)
        return cli_usage("--resume goes on with a journal; it needs --journal DIR");
    if (opt->poses.shard) {
        code = read_shard(opt->poses.shard, r);
    }
    if (code == EXIT_OK && r->shards > 0 && opt->poses.ci > 0)
        return cli_usage("--ci looks at all blocks in order; it cannot be shared out with --shard");
    return code ? code : check_output(opt, r);
}

// --- drops ---------------------------------------------------------------------------------------
int cli_poses_drops(PosesResult *r, Cli *cli, impDrops **drops) {
    impDropDef def = r->plan.def;
    impLaw law = def.law;
    // the general engine has the law; starts do not depend on it
    if (law == IMP_NEWTON) {
        def.law = IMP_POISSON;
    }
    *drops = impDrops_New(r->part->part, &def, &cli->err);
    if (!*drops) return cli_input_fault(&cli->err);
    r->plan.def = impDrops_Def(*drops);
    r->plan.def.law = law;
    r->def = r->plan.def;
    r->settled = r->plan.engine;
    return EXIT_OK;
}

static int prepare_stage(Poses *p) {
    PosesResult *r = &p->result;
    if (!r->plan.engine) return EXIT_OK;
    p->run.stage = &p->stage;
    int code = cli_poses_stage(&p->stage, p->cli, &p->part, &r->plan, p->drops);
    if (code) return code;
    if (!p->cli->opt.quiet) {
        cli_note("note", "by the general engine, each trial to rest: far slower than drops on a "
                         "plane that are only "
                         "followed until the pose is certain");
    }
    // with the meshes that it names
    if (r->plan.surface) {
        r->plan.surface_hash = p->stage.surface_hash;
    }
    r->plan.dwell = p->stage.surface.dwell;
    return EXIT_OK;
}

static int prepare(Poses *p) {
    Cli *cli = p->cli;
    PosesResult *r = &p->result;
    const Options *opt = &cli->opt;
    double from = cli_wall();
    int code = cli_poses_part(&p->part, cli, opt->args[0], r);
    if (code) return code;
    r->part = &p->part;
    r->first_failed = -1;
    r->threads = cli_poses_threads(opt);
    code = cli_poses_plan(&r->plan, cli, &p->part);
    if (code == EXIT_OK) {
        code = cli_poses_drops(r, cli, &p->drops);
    }
    if (code == EXIT_OK && opt->strict && r->warning_count) {
        code = cli_fail(EXIT_INPUT, "%s: the warning above is an error, with --strict",
                        opt->args[0]);
    }
    r->time.part = cli_wall() - from;
    if (code == EXIT_OK) {
        code = prepare_stage(p);
    }
    p->run.cli = cli;
    p->run.result = r;
    if (code == EXIT_OK) {
        code = cli_poses_test(&p->run);
    }
    r->time.stage = cli_wall() - from - r->time.part;
    return code;
}

// --- out -----------------------------------------------------------------------------------------
int cli_poses_write(const PosesResult *r, const char *path, bool force) {
    OutFile out;
    if (!cli_out_open(&out, path, force)) return EXIT_IO;
    cli_poses_json(r, out.file);
    return cli_out_commit(&out) ? EXIT_OK : EXIT_IO;
}

static int write_files(Poses *p) {
    const Options *opt = &p->cli->opt;
    if (!opt->output) return EXIT_OK;
    if (p->csv.file) return cli_out_commit(&p->csv) ? EXIT_OK : EXIT_IO;
    if (cli_ends_with(opt->output, ".json"))
        return cli_poses_write(&p->result, opt->output, opt->force);
    if (!cli_poses_samples(&p->run)) return cli_fail(EXIT_LIMIT, "out of memory");
    return cli_poses_page(p->cli, &p->result, p->drops, opt->output);
}

static int tell(Poses *p, int code) {
    const Options *opt = &p->cli->opt;
    PosesResult *r = &p->result;
    cli_poses_doubts(r);
    double from = cli_wall();
    int written = write_files(p);
    r->time.page = cli_wall() - from;
    r->time.all = cli_wall() - p->began;
    if (opt->json) {
        cli_poses_json(r, stdout);
    } else if (!opt->quiet && !cli_poses_report(r, stdout)) {
        written = cli_fail(EXIT_LIMIT, "out of memory");
    }
    if (written) return written;
    // those of a shard may be none when it is merged
    bool doubts = opt->strict && r->warning_count && r->shards == 0;
    return code ? code : r->usual.failed ? EXIT_FAILED_TRIALS : doubts ? EXIT_CHECK : EXIT_OK;
}

// --- in between ----------------------------------------------------------------------------------
static int open_csv(Poses *p) {
    const Options *opt = &p->cli->opt;
    if (!opt->output || !cli_ends_with(opt->output, ".csv")) return EXIT_OK;
    if (!cli_out_open(&p->csv, opt->output, opt->force)) return EXIT_IO;
    p->run.csv = p->csv.file;
    p->run.csv_path = opt->output;
    fprintf(p->run.csv, "trial,family,pose,rolled,impacts,time%s\n",
            p->result.plan.engine ? ",x,y,yaw" : "");
    return EXIT_OK;
}

static int drop(Poses *p) {
    const Options *opt = &p->cli->opt;
    PosesRun *run = &p->run;
    int code = EXIT_OK;
    run->bar = !opt->quiet && isatty(STDERR_FILENO);
    if (opt->poses.journal) {
        code = cli_poses_folder(opt->poses.journal, &p->result, opt->poses.resume);
    }
    if (cli_poses_joined) {
        cli_poses_joined(code);
    }
    if (code == EXIT_OK) {
        code = open_csv(p);
    }
    if (code) return code;
    if (opt->output && cli_ends_with(opt->output, ".html")) {
        run->early = calloc(POSES_SAMPLES, sizeof *run->early);
    }
    code = cli_poses_run(run);
    return code == EXIT_OK || code >= EXIT_SIGNAL ? tell(p, code) : code;
}

static int drop_part(Cli *cli) {
    static Poses p;
    p.cli = cli;
    p.began = cli_wall();
    int code = check_words(&cli->opt, &p.result);
    if (code) return code;
    code = prepare(&p);
    if (code == EXIT_OK) {
        code = drop(&p);
    }
    cli_out_abandon(&p.csv);
    free(p.run.early);
    free(p.run.rest);
    if (p.run.stage) {
        cli_poses_stage_free(&p.stage);
    }
    impDropTest_Free(p.run.test);
    impDrops_Free(p.drops);
    cli_poses_result_free(&p.result);
    cli_poses_part_free(&p.part);
    return code;
}

int cli_poses(Cli *cli) {
    const char *word = cli->opt.arg_count ? cli->opt.args[0] : "";
    if (strcmp(word, "replay") == 0) return cli_poses_replay(cli);
    if (strcmp(word, "merge") == 0) return cli_poses_merge(cli);
    if (strcmp(word, "verify") == 0) return cli_poses_verify(cli);
    return drop_part(cli);
}
