// poses_replay.c -- impel poses replay: one trial again by the general engine, recorded, and beside
// what the drops said.
//
// The two are different integrators of a chaotic motion, so that single trials may end otherwise;
// the shares do not.
//
// SPDX-License-Identifier: MIT
#include "page.h"
#include "poses.h"

#include <stdlib.h>
#include <string.h>

typedef struct Replayed {
    PosesRest rest;       // by the general engine
    impDropOutcome drop;  // by the drops
    bool certified;       // the drops can say something
} Replayed;

// A world that lies on the stage: what is its own is freed here.
static int open_world(World *w, const PosesStage *s, int64_t trial, double end, const char *name) {
    impStepperDef def = { .method = "impulse", .threads = 1 };
    impError *err = &s->cli->err;
    *w = (World){ .path = name, .scene = s->scene, .model = s->model, .dt = s->dt, .end = end };
    int code = cli_insist_open(&w->insist, s->cli, s->model, &def, ON_STOP);
    if (code) return code;
    w->state = impState_New(s->model);
    w->spare = impState_New(s->model);
    if (!w->state || !w->spare) return cli_fail(EXIT_LIMIT, "out of memory");
    return cli_poses_start(s, w->state, trial, err) ? EXIT_OK : cli_input_fault(err);
}

static void close_world(World *w) {
    cli_insist_close(&w->insist);
    impState_Free(w->state);
    impState_Free(w->spare);
}

// Until it has been asleep for half a second; kind NULL: not recorded.
static int play(const PosesStage *s, int64_t trial, double end, const SinkKind *kind,
                const char *path, void **sink) {
    World w;
    Record record = { 0 };
    char name[340];
    char reason[240] = "";
    impRunEnd how = { "complete", reason, 0 };
    snprintf(name, sizeof name, "%.280s, trial %lld", cli_file_of(s->part->path), (long long)trial);
    int code = open_world(&w, s, trial, end, name);
    if (code == EXIT_OK && kind) {
        code = cli_record_open(&record, s->cli, &w, kind, path);
    }
    if (code == EXIT_OK) {
        record.world = &w;
        if (sink) {
            *sink = record.sink;
        }
        code = cli_record_run(&record, &how, reason, sizeof reason);
        code = cli_record_close(&record, code, &how, &(int64_t){ 0 });
    }
    close_world(&w);
    return code;
}

static int settle(const PosesStage *s, int64_t trial, PosesRest *rest, double *end) {
    int64_t done = cli_poses_settle(s, trial, 1, 1, rest);
    if (done < 0) return cli_fail(EXIT_LIMIT, "out of memory");
    if (done == 0) return EXIT_SIGNAL + cli_caught();
    bool over = rest->outcome.family >= 0 || rest->outcome.family == IMP_LEFT;
    *end = over ? rest->outcome.time + s->surface.dwell + 0.5 : s->most;
    return EXIT_OK;
}

int cli_poses_example(const PosesStage *s, const impDrops *drops, bool certified, int64_t trial,
                      PosesExample *example) {
    PosesRest rest;
    impDropOutcome drop = { .family = IMP_UNRESOLVED, .rest = IMP_UNRESOLVED };
    void *sink = NULL;
    double end = 0;
    *example = (PosesExample){ .trial = trial };
    double began = cli_wall();
    int code = settle(s, trial, &rest, &end);
    // to record it takes as long again, at least
    double now = cli_wall();
    if (code || (s->deadline > 0 && now + (now - began) > s->deadline)) return code;
    if (certified && !impDrops_Run(drops, trial, 1, 1, &drop))
        return cli_fail(EXIT_LIMIT, "out of memory");
    example->rest = rest.outcome.rest;
    example->family = rest.outcome.family;
    example->certified = certified ? drop.family : rest.outcome.family;
    code = play(s, trial, end, &cli_sink_taken, "", &sink);
    example->run = sink;
    if (example->run) {
        example->run->source.run.name = cli_file_of(s->part->path);
        example->run->source.run.text = NULL;
    }
    return code;
}

// --- output --------------------------------------------------------------------------------------
static void print_pose(const char *who, const impDropOutcome *o, const PosesPart *part,
                       const char *then) {
    if (o->family == IMP_LEFT) {
        printf("%s: left the surface by %s s\n", who, cli_short(o->time).text);
        return;
    }
    if (o->family < 0) {
        printf("%s: %s\n", who, o->family == IMP_UNRESOLVED ? "unresolved" : "failed");
        return;
    }
    const impFamily *f = &part->family[o->family];
    if (o->rest >= 0) {
        printf("%s: pose %d", who, o->rest);
    } else {
        printf("%s: family of pose %d", who, f->lowest);
    }
    if (o->rest >= 0 && f->members > 1) {
        printf(", of the family of pose %d", f->lowest);
    }
    printf(", %s after %s s and %d impacts\n", then, cli_short(o->time).text, o->impacts);
}

static bool same_by_rotation(const PosesPart *part, int a, int b) {
    return part->family[a].same_as == part->family[b].same_as;
}

static void tell(const Replayed *r, int64_t trial, const PosesPart *part) {
    const impDropOutcome *o = &r->rest.outcome;
    printf("trial %lld of %s\n", (long long)trial, part->path);
    print_pose("general engine", o, part, "at rest");
    if (o->family >= 0) {
        printf("at x %s m, y %s m, yaw %s rad\n", cli_short(r->rest.place.x).text,
               cli_short(r->rest.place.y).text, cli_short(r->rest.place.yaw).text);
    }
    if (!r->certified) return;
    print_pose("drops", &r->drop, part, "certain");
    if (o->family >= 0 && r->drop.family >= 0) {
        puts(o->family == r->drop.family ? "the two agree"
             : same_by_rotation(part, o->family, r->drop.family)
                 ? "the two disagree, on poses that are the same by rotation"
                 : "the two disagree: drops are chaotic, and single ones may differ; probabilities "
                   "do not");
    }
}

static void tell_json(const Replayed *r, int64_t trial, const PosesPart *part) {
    Json j = { .out = stdout };
    const impDropOutcome *o = &r->rest.outcome;
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "schema", "impel.poses.replay/2");
    cli_json_text(&j, "version", impVersion());
    cli_json_text(&j, "part", part->path);
    cli_json_count(&j, "trial", trial);
    cli_json_count(&j, "family", o->family);
    cli_json_count(&j, "pose", o->rest);
    cli_json_count(&j, "impacts", o->impacts);
    cli_json_number(&j, "time", o->time);
    cli_json_number(&j, "x", r->rest.place.x);
    cli_json_number(&j, "y", r->rest.place.y);
    cli_json_number(&j, "yaw", r->rest.place.yaw);
    if (r->certified) {
        cli_json_count(&j, "certified_family", r->drop.family);
        cli_json_count(&j, "certified_pose", r->drop.rest);
        cli_json_number(&j, "certified_time", r->drop.time);
        cli_json_bool(&j, "agree", r->drop.family == o->family);
    }
    cli_json_close(&j, '}');
}

// --- the command ---------------------------------------------------------------------------------
static int replay(Cli *cli, const PosesStage *s, const PosesResult *result, const impDrops *drops) {
    const Options *opt = &cli->opt;
    int64_t trial = opt->poses.trial;
    Replayed r = { .certified = s->level && result->def.law != IMP_NEWTON };
    const SinkKind *kind = opt->output ? cli_find_sink(opt->output) : NULL;
    double end = 0;
    if (opt->output && !kind) return EXIT_USAGE;
    if (opt->output && !opt->force && !cli_may_write(opt->output, false)) return EXIT_IO;
    int code = settle(s, trial, &r.rest, &end);
    if (code) return code;
    if (r.certified && !impDrops_Run(drops, trial, 1, 1, &r.drop))
        return cli_fail(EXIT_LIMIT, "out of memory");
    bool failed = r.rest.outcome.family == IMP_FAILED;
    if (kind || failed) {
        code = play(s, trial, end, kind, opt->output, NULL);
    }
    if (opt->json) {
        tell_json(&r, trial, s->part);
    } else if (!opt->quiet) {
        tell(&r, trial, s->part);
    }
    return code;
}

static int check_words(const Options *opt) {
    if (opt->arg_count != 2)
        return cli_usage(opt->arg_count > 2 ? "one part at a time" : "replay which part?");
    if (opt->poses.trial < 0) return cli_usage("--trial K is missing: which one?");
    if (opt->poses.drag > 0)
        return cli_usage("--drag %s; a replay is by the general engine, which knows no drag",
                         cli_exact(opt->poses.drag).text);
    if (opt->poses.journal || opt->poses.shard)
        return cli_usage("a replay is of one trial; it has no journal and no shards");
    if (opt->output && cli_same_file(opt->output, opt->args[1]))
        return cli_fail(EXIT_IO, "%s: is the part itself; it is not overwritten", opt->output);
    return EXIT_OK;
}

int cli_poses_replay(Cli *cli) {
    static PosesResult result;
    static PosesPart part;
    PosesStage stage = { 0 };
    impDrops *drops = NULL;
    int code = check_words(&cli->opt);
    if (code) return code;
    code = cli_poses_part(&part, cli, cli->opt.args[1], &result);
    result.part = &part;
    if (code == EXIT_OK) {
        code = cli_poses_plan(&result.plan, cli, &part);
    }
    if (code == EXIT_OK) {
        code = cli_poses_drops(&result, cli, &drops);
    }
    if (code == EXIT_OK) {
        code = cli_poses_stage(&stage, cli, &part, &result.plan, drops);
    }
    if (code == EXIT_OK) {
        code = replay(cli, &stage, &result, drops);
    }
    cli_poses_stage_free(&stage);
    impDrops_Free(drops);
    cli_poses_result_free(&result);
    cli_poses_part_free(&part);
    return code;
}
