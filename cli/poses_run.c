// poses_run.c -- what the command adds to the library's drop test: a bar, rows of CSV, the general
// engine, samples for the page.
//
// SPDX-License-Identifier: MIT
#include "poses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BAR = 30 };

// --- progress ------------------------------------------------------------------------------------
static void hide_bar(const PosesRun *run) {
    if (run->shown > 0) {
        fprintf(stderr, "\r%90s\r", "");
    }
}

static void show_bar(PosesRun *run, const impDropProgress *p) {
    double now = cli_wall();
    double share = p->of > 0 ? (double)p->done / (double)p->of : 1;
    double rate = p->spent > 0 ? (double)p->fresh / p->spent : 0;
    int full = (int)(BAR * (share < 1 ? share : 1));
    if (!run->bar || p->spent < 0.5 || now - run->shown < 0.1) return;
    run->shown = now;
    if (p->checking) {
        fprintf(stderr, "\r%-88s", "the check: some of them again, more finely");
        return;
    }
    fprintf(stderr, "\r[%.*s%*s] %lld drops  %.3g a second  %.0f s left   ", full,
            "##############################", BAR - full, "", (long long)p->done, rate,
            rate > 0 ? (double)(p->of - p->done) / rate : 0);
}

static bool on_progress(void *context, const impDropProgress *p) {
    show_bar(context, p);
    return !cli_caught();
}

// --- outcomes ------------------------------------------------------------------------------------
static int64_t settle_trials(void *context, int64_t first, int64_t count, int threads,
                             impDropOutcome *out) {
    PosesRun *run = context;
    PosesRest *rest = run->rest + first % IMP_BLOCK;
    int64_t done = cli_poses_settle(run->stage, first, count, threads, rest);
    for (int64_t i = 0; i < done; i++) {
        out[i] = rest[i].outcome;
    }
    return done;
}

static void put_row(PosesRun *run, int64_t trial, const impDropOutcome *o) {
    fprintf(run->csv, "%lld,%d,%d,%d,%d,%s", (long long)trial, (int)o->family, (int)o->rest,
            (int)o->rolled, (int)o->impacts, cli_exact_17(o->time).text);
    if (run->rest) {
        PosesPlace at = run->rest[trial % IMP_BLOCK].place;
        fprintf(run->csv, ",%s,%s,%s", cli_exact_17(at.x).text, cli_exact_17(at.y).text,
                cli_exact_17(at.yaw).text);
    }
    fputc('\n', run->csv);
}

static bool on_outcomes(void *context, int64_t first, int64_t count,
                        const impDropOutcome *outcomes) {
    PosesRun *run = context;
    for (int64_t i = 0; i < count; i++) {
        const impDropOutcome *o = &outcomes[i];
        int64_t trial = first + i;
        if (o->family == IMP_FAILED && run->result->first_failed < 0) {
            run->result->first_failed = trial;
        }
        if (run->csv) {
            put_row(run, trial, o);
        }
        if (!run->early || trial != run->earlies || trial >= POSES_SAMPLES) continue;
        run->early[trial] = (PosesEarly){ o->family, o->rest };
        run->earlies++;
    }
    run->csv_failed = run->csv && ferror(run->csv);
    return !run->csv_failed;
}

static double wall(void *context) {
    (void)context;
    return cli_wall();
}

// --- the test ------------------------------------------------------------------------------------
// of a trial of the general engine, and of what it lands on
static uint64_t engine_identity(const PosesRun *run) {
    PosesRest rest;
    const PosesPlan *plan = &run->result->plan;
    uint64_t hash = cli_fnv_number(FNV_START, plan->surface_hash, 8);
    hash = cli_fnv(hash, &plan->dwell, sizeof plan->dwell);
    if (cli_poses_settle(run->stage, 0, 1, 1, &rest) < 1) return hash;
    return cli_fnv_number(hash, rest.outcome.hash, 8);
}

int cli_poses_test(PosesRun *run) {
    const Options *opt = &run->cli->opt;
    PosesResult *r = run->result;
    PosesPlan *plan = &r->plan;
    impDropTestDef def = { .drop = plan->def,
                           .drops = plan->drops,
                           .ci = plan->ci,
                           .check = plan->check,
                           .threads = r->threads,
                           .shard = r->shard,
                           .shards = r->shards,
                           .journal = opt->poses.journal,
                           .rank = r->shard,
                           .progress = on_progress,
                           .outcomes = on_outcomes,
                           .clock = wall,
                           .context = run };
    // the general engine has the law; starts do not depend on it
    if (def.drop.law == IMP_NEWTON) {
        def.drop.law = IMP_POISSON;
    }
    if (run->stage) {
        run->rest = calloc(IMP_BLOCK, sizeof *run->rest);
        if (!run->rest) return cli_fail(EXIT_LIMIT, "out of memory");
        def.trials = settle_trials;
        def.identity = engine_identity(run);
    }
    if (cli_caught()) return EXIT_SIGNAL + cli_caught();
    run->test = impDropTest_New(r->part->part, &def, &run->cli->err);
    if (!run->test) return cli_input_fault(&run->cli->err);
    plan->identity = impDropTest_Identity(run->test);
    plan->check_part = impDropTest_CheckPart(run->test);
    return EXIT_OK;
}

static double processor_time(void) {
    struct timespec cpu = { 0 };
#if !defined(__wasi__)
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
#endif
    return (double)cpu.tv_sec + 1e-9 * (double)cpu.tv_nsec;
}

static void note_journal(const PosesRun *run, const impDropTestReport *t) {
    const Options *opt = &run->cli->opt;
    char text[340];
    if (!opt->poses.journal || opt->quiet) return;
    if (t->journal_cut) {
        snprintf(text, sizeof text,
                 "%.200s: %lld bytes at its end, of a record that was not finished, were left out",
                 opt->poses.journal, (long long)t->journal_cut);
        cli_make_plain(text);
        cli_note("note", text);
    }
    if (!opt->poses.resume) return;
    snprintf(text, sizeof text, "%.200s: %lld blocks are there already", opt->poses.journal,
             (long long)t->journal_blocks);
    cli_make_plain(text);
    cli_note("note", text);
}

int cli_poses_run(PosesRun *run) {
    PosesResult *r = run->result;
    impError *err = &run->cli->err;
    bool done = impDropTest_Run(run->test, err);
    impDropTestReport t = impDropTest_Report(run->test);
    hide_bar(run);
    if (!done) return cli_journal_fault(err);
    note_journal(run, &t);
    r->usual = t.usual;
    r->fine = t.fine;
    r->check = t.check;
    r->mark = t.mark;
    r->marks = t.marks;
    r->interrupted = t.interrupted;
    r->time.drops = t.drops_wall;
    r->time.check = t.check_wall;
    r->rate = t.fresh && t.drops_wall > 0 ? (double)t.fresh / t.drops_wall : 0;
    r->cpu = processor_time();
    if (run->csv_failed) return cli_write_fault(run->csv, run->csv_path);
    return r->interrupted ? EXIT_SIGNAL + cli_caught() : EXIT_OK;
}

// --- samples -------------------------------------------------------------------------------------
// Drops that a journal had are made again.
static bool make_early(PosesRun *run, int count) {
    impDropOutcome *o = calloc((size_t)count, sizeof *o);
    bool good = o && impDrops_Run(impDropTest_Drops(run->test), 0, count, run->result->threads, o);
    for (int i = 0; good && i < count; i++) {
        run->early[i] = (PosesEarly){ o[i].family, o[i].rest };
    }
    free(o);
    return good;
}

// Starts and ends of the first trials.
bool cli_poses_samples(PosesRun *run) {
    PosesResult *r = run->result;
    const impDrops *drops = impDropTest_Drops(run->test);
    int count = (int)(r->usual.drops < POSES_SAMPLES ? r->usual.drops : POSES_SAMPLES);
    if (run->stage && run->earlies < count) {
        count = run->earlies;
    }
    if (r->shards > 1 || count == 0) return true;
    r->sample = calloc((size_t)count, sizeof *r->sample);
    bool good = r->sample && run->early && (run->earlies >= count || make_early(run, count));
    for (int i = 0; good && i < count; i++) {
        impPose pose;
        impTwist twist;
        impDrops_Start(drops, i, &pose, &twist);
        // less the third row of its rotation
        impQuat q = pose.rotation;
        PosesSample *s = &r->sample[i];
        s->down = (impVec3){ -2 * (q.x * q.z - q.w * q.y), -2 * (q.y * q.z + q.w * q.x),
                             -(1 - 2 * (q.x * q.x + q.y * q.y)) };
        s->family = run->early[i].family;
        s->rest = run->stage ? -1 : run->early[i].rest;
    }
    r->samples = good ? count : 0;
    return good;
}
