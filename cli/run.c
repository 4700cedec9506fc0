// run.c -- impel run: simulate a scene, write samples and contacts, tell how it went.
//
// Whatever ends the run (its time, a signal, a verdict) ends it at a border of steps, and what was
// written until then is kept. What is written never changes what happens: record.c.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

typedef struct Run {
    Cli *cli;
    World world;
    Tally tally;
    Record record;     // its sink NULL: no -o
    OutFile contacts;  // file NULL: no --contacts
    Carried carried;
    Failure failure;
    double began, shown;  // shown: when the progress bar was last drawn
    bool bar;
} Run;

// What made the step, and how well its contacts obey their laws: docs/concepts/certificate.md.
static void tell_solver(const World *w, const impOutcome *outcome) {
    const impCertificate *c = &outcome->certificate;
    char text[300];
    snprintf(text, sizeof text,
             "method %s: looks %d, events %d, impulses %d in that step; residuals: approach %s "
             "m/s, pull %s N s, cone %s N s, slip %s J",
             impStepper_Method(w->insist.stepper), outcome->iterations, outcome->events,
             outcome->contact_count, cli_short(c->approach).text, cli_short(c->pull).text,
             cli_short(c->cone).text, cli_short(c->slip).text);
    if (outcome->verdict == IMP_UNTRUE) {
        cli_note("note", text);
    }
}

static int stop(Run *run, const impOutcome *outcome) {
    run->tally.status = outcome->verdict == IMP_UNTRUE ? "violated" : "stopped";
    snprintf(run->tally.reason, sizeof run->tally.reason, "step %lld: %s",
             (long long)run->world.step, outcome->text);
    int code = cli_world_fault(&run->world, outcome->text, outcome->verdict);
    tell_solver(&run->world, outcome);
    cli_failure_write(&run->failure, run->cli,
                      &(impRunEnd){ run->tally.status, run->tally.reason, 0 });
    return code;
}

// --- contacts ------------------------------------------------------------------------------------
// quoted as RFC 4180 says, where it must be
static void put_name(FILE *out, const char *name) {
    if (!strpbrk(name, ",\"\r\n")) {
        fputs(name, out);
        return;
    }
    fputc('"', out);
    for (; *name; name++) {
        fprintf(out, *name == '"' ? "\"\"" : "%c", *name);
    }
    fputc('"', out);
}

static void put_vec(FILE *out, impVec3 v) {
    fprintf(out, ",%s,%s,%s", cli_exact_17(v.x).text, cli_exact_17(v.y).text,
            cli_exact_17(v.z).text);
}

static void put_contact(FILE *out, const World *w, const impContact *c) {
    static const char *const modes[] = { "opens", "sticks", "slides", "rests" };
    fprintf(out, "%s,", cli_exact_17(c->time).text);
    put_name(out, impModel_Name(w->model, c->a));
    fputc(',', out);
    put_name(out, impModel_Name(w->model, c->b));
    put_vec(out, c->point);
    put_vec(out, c->normal);
    put_vec(out, c->impulse);
    put_vec(out, c->before);
    put_vec(out, c->after);
    fprintf(out, ",%s,%llu,%s,%d", cli_exact_17(c->gap).text, (unsigned long long)c->feature,
            modes[c->mode], c->micro);
    fprintf(out, ",%s,%s\n", cli_exact_17(c->energy).text, cli_exact_17(c->driven).text);
}

static int put_contacts(Run *run, const impOutcome *outcome) {
    if (!run->contacts.file) return EXIT_OK;
    for (int i = 0; i < outcome->contact_count; i++) {
        put_contact(run->contacts.file, &run->world, &outcome->contacts[i]);
    }
    if (!ferror(run->contacts.file)) return EXIT_OK;
    return cli_write_fault(run->contacts.file, run->contacts.path);
}

// --- progress ------------------------------------------------------------------------------------
static void show_progress(Run *run) {
    double now = cli_wall();
    double share = cli_time_of(&run->world, run->world.step) / run->world.end;
    if (!run->bar || now - run->began < 1 || now - run->shown < 0.1) return;
    int full = (int)(40 * share);
    fprintf(stderr, "\r[%.*s%*s] %3d %%  t = %s s  %.0f s left ", full,
            "########################################", 40 - full, "", (int)(100 * share),
            cli_short(impState_Time(run->world.state)).text,
            share > 0 ? (now - run->began) * (1 - share) / share : 0);
    run->shown = now;
}

static void hide_progress(const Run *run) {
    if (run->shown > 0) {
        fprintf(stderr, "\r%90s\r", "");
    }
}

// --- the run -------------------------------------------------------------------------------------
static int no_memory(const Run *run) {
    hide_progress(run);
    return cli_fail(EXIT_LIMIT, "out of memory");
}

// false: no memory
static bool carry_in_window(Run *run, double from, double to) {
    impOutcome carried;
    from = fmax(from, run->tally.from);
    to = fmin(to, run->tally.to);
    if (!run->tally.pairs || !(from < to)) return true;
    return cli_carry(&run->carried, &run->world, from, to, &carried) &&
           impStats_Add(run->tally.pairs, &carried);
}

static int add_carried(Run *run, double from) {
    impOutcome carried;
    double now = impState_Time(run->world.state);
    if (!carry_in_window(run, from, now)) return no_memory(run);
    if (!cli_carry(&run->carried, &run->world, from, now, &carried)) return no_memory(run);
    if (!impStats_Add(run->tally.stats, &carried)) return no_memory(run);
    return put_contacts(run, &carried);
}

static bool are_apart(Run *run, impOutcome *outcome) {
    const World *w = &run->world;
    return cli_all_apart(w, w->model, w->state, impStepper_Method(w->insist.stepper),
                         &run->tally.pair_checks, outcome);
}

// --- verdicts that are not the end ---------------------------------------------------------------
// one by one; the others are counted
enum { TOLD = 10 };

static void tell_of_step(const Run *run, const char *kind, int64_t count, const char *why,
                         const char *then) {
    char text[700];
    const World *w = &run->world;
    // the last one
    int64_t step = w->step - 1;
    if (count > TOLD + 1) return;
    hide_progress(run);
    if (count == TOLD + 1) {
        snprintf(text, sizeof text, "so it goes on; the summary counts them");
    } else {
        snprintf(text, sizeof text, "step %lld, t = %s s: %s; %s", (long long)step,
                 cli_exact(cli_time_of(w, step)).text, why, then);
    }
    cli_note(kind, text);
}

static void excuse(Run *run, const char *field, const char *why) {
    cli_tally_violation(&run->tally, field);
    tell_of_step(run, "warning", run->tally.violations, why, "the run goes on");
}

static void tell_parts(Run *run, int parts, const char *why) {
    char then[40];
    run->tally.halved++;
    run->tally.parts += parts;
    snprintf(then, sizeof then, "taken in %d parts", parts);
    if (!run->cli->opt.quiet) {
        tell_of_step(run, "note", run->tally.halved, why, then);
    }
}

static void tell_insistence(Run *run) {
    const Insist *in = &run->world.insist;
    if (in->excused) {
        excuse(run, in->off, in->why);
    }
    if (in->parts) {
        tell_parts(run, in->parts, in->why);
    }
}

// a contact that was missed
static void let_pass(Run *run, impOutcome *outcome) {
    excuse(run, "overlap", outcome->text);
    outcome->verdict = IMP_SOLVED;
    outcome->text = "";
}

static int one_step(Run *run) {
    impOutcome outcome;
    cli_failure_keep(&run->failure);
    int code = cli_record_samples(&run->record, &outcome);
    bool forces = run->contacts.file || run->cli->opt.stats;
    if (outcome.verdict != IMP_SOLVED) {
        hide_progress(run);
        return stop(run, &outcome);
    }
    if (code) return code;
    double t = impState_Time(run->world.state);
    outcome = cli_world_step(&run->world);
    if (outcome.verdict == IMP_SOLVED) {
        tell_insistence(run);
    }
    if (outcome.verdict == IMP_SOLVED && !are_apart(run, &outcome)) {
        if (run->world.insist.rule == ON_WARN) {
            let_pass(run, &outcome);
        } else {
            cli_failure_back(&run->failure, &run->world);
        }
    }
    if (outcome.verdict != IMP_SOLVED) {
        hide_progress(run);
        return stop(run, &outcome);
    }
    if (!cli_tally_add(&run->tally, &outcome)) return no_memory(run);
    // reading the clock costs as much as a small step
    if ((run->world.step & 15) == 0) {
        show_progress(run);
    }
    code = put_contacts(run, &outcome);
    if (code == EXIT_OK) {
        code = cli_record_step(&run->record, &outcome);
    }
    if (code || !forces) return code;
    return add_carried(run, t);
}

static int all_steps(Run *run) {
    int code = EXIT_OK;
    while (code == EXIT_OK && !cli_world_done(&run->world) && !cli_caught()) {
        code = one_step(run);
    }
    hide_progress(run);
    if (code == EXIT_OK && !cli_world_done(&run->world)) {
        run->tally.status = "interrupted";
        code = EXIT_SIGNAL + cli_caught();
    }
    return code;
}

static int check_files(const Options *opt, const char *scene) {
    if (opt->output && opt->contacts &&
        (strcmp(opt->output, opt->contacts) == 0 || cli_same_file(opt->output, opt->contacts)))
        return cli_usage("-o and --contacts are the same file, '%s'", opt->output);
    if ((opt->output && cli_same_file(opt->output, scene)) ||
        (opt->contacts && cli_same_file(opt->contacts, scene)))
        return cli_fail(EXIT_IO, "%s: is the scene itself; it is not overwritten", scene);
    if ((opt->stats_from >= 0 || opt->stats_to >= 0) && !opt->stats)
        return cli_usage("--stats-from and --stats-to say when the forces of --stats are told; "
                         "they need --stats");
    if (opt->every > 0 && !opt->output)
        return cli_usage("--every says how often to sample; it needs -o FILE");
    return EXIT_OK;
}

// Of --stats; refused where a mean over it would be one over nothing, or over time that never
// comes.
static int set_window(Run *run) {
    const Options *opt = &run->cli->opt;
    bool from = opt->stats_from >= 0;
    bool to = opt->stats_to >= 0;
    double end = run->world.end;
    run->tally.from = from ? opt->stats_from : 0;
    run->tally.to = to ? opt->stats_to : end;
    if (!from && !to) return EXIT_OK;
    if (to && opt->stats_to > end)
        return cli_usage("--stats-to %s; the run ends at %s s", cli_exact(opt->stats_to).text,
                         cli_exact(end).text);
    if (!(run->tally.from < run->tally.to))
        return cli_usage("what --stats tells is from %s to %s s; it must begin before it ends",
                         cli_exact(run->tally.from).text, cli_exact(run->tally.to).text);
    run->tally.pairs = impStats_New(run->world.model, run->tally.from, run->tally.to);
    return run->tally.pairs ? EXIT_OK : cli_fail(EXIT_LIMIT, "out of memory");
}

static int open_files(Run *run) {
    const Options *opt = &run->cli->opt;
    const SinkKind *kind = opt->output ? cli_find_sink(opt->output) : NULL;
    if (opt->output && !kind) return EXIT_USAGE;
    // devices: the library writes them
    if (opt->output && !opt->force && !cli_may_write(opt->output, false)) return EXIT_IO;
    if (opt->contacts && !cli_out_open(&run->contacts, opt->contacts, opt->force)) return EXIT_IO;
    if (run->contacts.file) {
        fputs("t,a,b,x,y,z,nx,ny,nz,px,py,pz,ux,uy,uz,vx,vy,vz,gap,feature,mode,micro,energy,"
              "driven\n",
              run->contacts.file);
    }
    return kind ? cli_record_open(&run->record, run->cli, &run->world, kind, opt->output) : EXIT_OK;
}

static int close_files(Run *run, int code) {
    impRunEnd end = { run->tally.status, run->tally.reason, 0 };
    run->tally.samples = -1;
    code = cli_record_close(&run->record, code, &end, &run->tally.samples);
    run->tally.output_whole = run->tally.samples >= 0;
    if (!run->contacts.file) return code;
    if (code == EXIT_IO) {
        cli_out_abandon(&run->contacts);
        return code;
    }
    run->tally.contacts_whole = cli_out_commit(&run->contacts);
    return run->tally.contacts_whole ? code : EXIT_IO;
}

static void tell_notes(const Run *run) {
    const World *w = &run->world;
    int threads = impStepper_Threads(w->insist.stepper);
    char text[96];
    for (int i = 0; i < w->note_count; i++) {
        cli_note("note", w->notes[i]);
    }
    if (run->cli->opt.threads <= threads) return;
    snprintf(text, sizeof text, "%d threads instead of %lld; the results are the same", threads,
             (long long)run->cli->opt.threads);
    cli_note("note", text);
}

static void tell_warnings(const Run *run) {
    const World *w = &run->world;
    int count = impModel_WarningCount(w->model);
    for (int i = 0; i < count && i < IMP_MESSAGES; i++) {
        cli_note("warning", impModel_Warning(w->model, i));
    }
    if (count > IMP_MESSAGES) {
        fprintf(stderr, "%d warnings; 'impel info' shows them all\n", count);
    }
    if (cli_world_warning(w)) {
        cli_note("warning", cli_world_warning(w));
    }
    if (!run->cli->opt.quiet) {
        tell_notes(run);
    }
}

static void warn_of(int64_t count, const char *one, const char *many) {
    char text[200];
    if (count == 0) return;
    snprintf(text, sizeof text, "%lld %s", (long long)count, count == 1 ? one : many);
    cli_note("warning", text);
}

static void tell_doubts(const Run *run) {
    warn_of(run->tally.energy_gains,
            "collision by Newton's law has created energy; Poisson's and Stronge's never do",
            "collisions by Newton's law have created energy; Poisson's and Stronge's never do");
    warn_of(run->tally.unconverged, "contact solve did not reach the requested tolerance",
            "contact solves did not reach the requested tolerance");
}

static int judge(const Run *run, int code) {
    int64_t count = run->tally.violations;
    if (code || count == 0 || run->cli->opt.accept) return code;
    return cli_fail(
        EXIT_CHECK,
        "%s: the certificate failed in %lld of %lld steps; --accept would let that pass",
        run->world.path, (long long)count, (long long)run->tally.steps);
}

static int tell_result(Run *run, int code) {
    const Options *opt = &run->cli->opt;
    bool whole = true;
    tell_doubts(run);
    if (opt->json) {
        cli_tally_json(&run->tally, &run->world, opt, stdout);
    } else if (!opt->quiet) {
        whole = cli_tally_print(&run->tally, &run->world, opt, stdout);
    }
    return whole || code ? judge(run, code) : cli_fail(EXIT_LIMIT, "out of memory");
}

static int run_world(Run *run) {
    run->tally = (Tally){ .initial = impState_Energy(run->world.model, run->world.state),
                          .status = "complete",
                          .gap = HUGE_VAL };
    int code = set_window(run);
    if (code) return code;
    tell_warnings(run);
    run->tally.stats = impStats_New(run->world.model, 0, 0);
    if (!run->tally.stats || !cli_failure_open(&run->failure, &run->world))
        return cli_fail(EXIT_LIMIT, "out of memory");
    run->began = cli_wall();
    run->bar = !run->cli->opt.quiet && isatty(STDERR_FILENO);
    code = open_files(run);
    if (code) {
        cli_out_abandon(&run->contacts);
        return code;
    }
    code = close_files(run, all_steps(run));
    run->tally.wall = cli_wall() - run->began;
    return tell_result(run, code);
}

int cli_run(Cli *cli) {
    static Run run;
    if (cli->opt.arg_count != 1)
        return cli_usage(cli->opt.arg_count ? "one scene at a time" : "which scene?");
    const char *path = cli->opt.args[0];
    int code = check_files(&cli->opt, path);
    if (code) return code;
    run.cli = cli;
    code = cli_world_open(&run.world, cli, path);
    if (code) return code;
    code = run_world(&run);
    impStats_Free(run.tally.stats);
    impStats_Free(run.tally.pairs);
    cli_carry_free(&run.carried);
    cli_failure_free(&run.failure);
    cli_world_close(&run.world);
    return code;
}
