// replay.c -- impel replay: steps again from a state of a recording, and compares with the states
// that follow it there.
//
// next state = step(model, state, input, h), so a replay ends in the same bits; where it does not,
// something is broken or the build is another one. A run that ended with a verdict comes to it
// again.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <string.h>

typedef struct Replay {
    Cli *cli;
    const char *path;
    impRecording *recording;
    impState *there, *state;  // as recorded; as stepped
    impFrame frame;
    World clock;  // without a scene: all that steps
    int64_t equal, between, from;
    bool on_border;  // of the frame at hand: only those can be compared
} Replay;

static int next_frame(Replay *r, bool *more) {
    int got = impRecording_Next(r->recording, r->there, &r->frame, &r->cli->err);
    *more = got == 1;
    if (got < 0) return cli_input_fault(&r->cli->err);
    r->on_border = got == 1 && impState_Time(r->there) == cli_time_of(&r->clock, r->frame.step);
    return EXIT_OK;
}

// The last frame at a border of steps that is not after the step asked for; without one the first.
static int find_start(Replay *r) {
    bool more = true;
    bool found = false;
    int64_t wanted = r->cli->opt.from;
    int code = next_frame(r, &more);
    while (code == EXIT_OK && more && (!found || r->frame.step <= wanted)) {
        if (r->on_border) {
            impState_Copy(impRecording_Model(r->recording), r->state, r->there);
            r->from = r->frame.step;
            found = true;
        }
        code = next_frame(r, &more);
    }
    if (code) return code;
    if (!found) return cli_fail(EXIT_INPUT, "%s: no frame in it is at a border of steps", r->path);
    r->clock.step = r->from;
    return EXIT_OK;
}

static int tell_verdict(const Replay *r, const impOutcome *outcome) {
    impRunEnd end = impRecording_End(r->recording);
    char reason[REASON];
    snprintf(reason, sizeof reason, "step %lld: %s", (long long)r->clock.step, outcome->text);
    printf("%s: %s\n",
           end.reason && strcmp(end.reason, reason) == 0 ? "the same verdict" : "a verdict",
           reason);
    return outcome->verdict == IMP_FULL ? EXIT_LIMIT : EXIT_CHECK;
}

static int one_step(Replay *r, bool *stopped) {
    int64_t looks = 0;
    impOutcome outcome = cli_world_step(&r->clock);
    if (outcome.verdict != IMP_SOLVED) {
        *stopped = true;
        return tell_verdict(r, &outcome);
    }
    bool apart = cli_all_apart(&r->clock, impRecording_Model(r->recording), r->state,
                               impStepper_Method(r->clock.insist.stepper), &looks, &outcome);
    if (apart || r->clock.insist.rule == ON_WARN) return EXIT_OK;
    r->clock.step--;
    *stopped = true;
    return tell_verdict(r, &outcome);
}

static int compare(Replay *r) {
    const impModel *model = impRecording_Model(r->recording);
    char text[400];
    if (!r->on_border) {
        r->between++;
        return EXIT_OK;
    }
    if (impState_Difference(model, r->there, r->state, text, sizeof text) == 0) {
        r->equal++;
        return EXIT_OK;
    }
    printf("step %lld, t = %s s: %s\n", (long long)r->clock.step,
           cli_exact_17(impState_Time(r->state)).text, text);
    return EXIT_CHECK;
}

static int step_to_frame(Replay *r, bool *stopped) {
    int code = EXIT_OK;
    while (code == EXIT_OK && r->clock.step < r->frame.step && !cli_caught()) {
        code = one_step(r, stopped);
    }
    if (code == EXIT_OK && cli_caught()) {
        code = EXIT_SIGNAL + cli_caught();
    }
    return code ? code : compare(r);
}

static int replay(Replay *r) {
    bool more = true;
    bool stopped = false;
    int code = find_start(r);
    // else the start was the last frame
    if (code == EXIT_OK) {
        more = impRecording_End(r->recording).status == NULL;
    }
    while (code == EXIT_OK && more) {
        if (r->frame.step >= r->clock.step) {
            code = step_to_frame(r, &stopped);
        }
        if (code == EXIT_OK) {
            code = next_frame(r, &more);
        }
    }
    impRunEnd end = impRecording_End(r->recording);
    bool failed = end.status &&
                  (strcmp(end.status, "violated") == 0 || strcmp(end.status, "stopped") == 0);
    // the one that ended it
    if (code == EXIT_OK && failed) {
        code = one_step(r, &stopped);
    }
    if (code && !stopped) return code;
    if (failed && !stopped)
        return cli_fail(EXIT_CHECK, "%s: the run was %s, '%s'; this build steps on", r->path,
                        end.status, end.reason);
    if (r->equal == 0 && !stopped)
        return cli_fail(EXIT_INPUT,
                        "%s: no frame at a border of steps after step %lld to compare with",
                        r->path, (long long)r->from);
    if (!r->cli->opt.quiet) {
        printf("steps %lld to %lld replayed: %lld frames equal, bit for bit%s\n",
               (long long)r->from, (long long)r->clock.step, (long long)r->equal,
               r->between ? "; those between steps are not compared" : "");
    }
    return code;
}

// by the rules of the run
static int make_clock(Replay *r, const impRunInfo *run) {
    const impModel *model = impRecording_Model(r->recording);
    impStepperDef def = { .method = run->method,
                          .tolerance = run->tolerance,
                          .solver = run->solver,
                          .threads = r->cli->opt.threads > 0 ? (int)r->cli->opt.threads : 1 };
    OnViolation rule = ON_STOP;
    if (run->on_violation && !cli_rule_of(run->on_violation, &rule))
        return cli_fail(EXIT_DAMAGED,
                        "%s: on a violation it did '%s', which this build does not know", r->path,
                        run->on_violation);
    int code = cli_insist_open(&r->clock.insist, r->cli, model, &def, rule);
    r->there = impState_New(model);
    r->state = impState_New(model);
    r->clock.state = r->state;
    r->clock.dt = run->dt;
    r->clock.end = run->end;
    return code || (r->there && r->state) ? code : cli_fail(EXIT_LIMIT, "out of memory");
}

int cli_replay(Cli *cli) {
    static Replay r;
    if (cli->opt.arg_count != 1)
        return cli_usage(cli->opt.arg_count ? "one recording at a time" : "which recording?");
    r = (Replay){ .cli = cli, .path = cli->opt.args[0] };
    int code = cli_refuse_kind(r.path, FILE_RECORDING);
    if (code) return code;
    r.recording = impRecording_Open(r.path, &cli->err);
    if (!r.recording) return cli_input_fault(&cli->err);
    impRunInfo run = impRecording_Run(r.recording);
    code = make_clock(&r, &run);
    if (code == EXIT_OK) {
        code = replay(&r);
    }
    cli_insist_close(&r.clock.insist);
    impState_Free(r.there);
    impState_Free(r.state);
    impRecording_Free(r.recording);
    return code;
}
