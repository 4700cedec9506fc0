// compare.c -- impel compare: one scene by several methods or steps, on one page with one clock.
//
// A step that gets a verdict is taken in halves, and that is told. Each run is taken in as a page's
// run; the page is written when all have ended. A run that is stopped by a verdict is shown as far
// as it came: that is often why one compares.
//
// SPDX-License-Identifier: MIT
#include "page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LIST = 256 };

typedef struct Compared {
    World world;
    PageRun *run;
    char method[64];
    const char *scheme;  // of method lcp, where it was said behind a colon
    double dt, wall;
    bool open;
} Compared;
typedef struct Comparison {
    Cli *cli;
    Compared one[PAGE_MOST_RUNS];
    int count;
} Comparison;

// --- lists ---------------------------------------------------------------------------------------
// at commas; how many there are
static int split(char *text, char **word) {
    int count = 0;
    for (char *at = text; at; count++) {
        char *comma = strchr(at, ',');
        if (comma) {
            *comma = 0;
        }
        if (count < PAGE_MOST_RUNS) {
            word[count] = at;
        }
        at = comma ? comma + 1 : NULL;
    }
    return count;
}

static int read_lists(Comparison *c) {
    const Options *opt = &c->cli->opt;
    static char methods[LONGEST_LIST], steps[LONGEST_LIST];
    char *method[PAGE_MOST_RUNS] = { NULL };
    char *step[PAGE_MOST_RUNS] = { NULL };
    if (!opt->methods && !opt->dts)
        return cli_usage("give --methods A,B or --dt H,H: what is to be compared?");
    snprintf(methods, sizeof methods, "%s", opt->methods ? opt->methods : "");
    snprintf(steps, sizeof steps, "%s", opt->dts ? opt->dts : "0");
    int m = split(methods, method);
    int s = split(steps, step);
    int runs = m > s ? m : s;
    if (runs < 2 || runs > PAGE_MOST_RUNS)
        return cli_usage("%d runs; two to six can be compared", runs);
    if ((m > 1 && m != runs) || (s > 1 && s != runs))
        return cli_usage(
            "%d methods and %d steps; the lists must be equally long, or one of them have one", m,
            s);
    c->count = runs;
    for (int i = 0; i < runs; i++) {
        Compared *one = &c->one[i];
        snprintf(one->method, sizeof one->method, "%s", method[m > 1 ? i : 0]);
        char *colon = strchr(one->method, ':');
        if (colon) {
            *colon = 0;
            one->scheme = colon + 1;
        }
        if (opt->methods && !one->method[0])
            return cli_usage("--methods '%s'; a name is empty", opt->methods);
        const char *text = step[s > 1 ? i : 0];
        if (!cli_read_number(text, &one->dt) || one->dt < 0 || (opt->dts && one->dt == 0))
            return cli_usage("--dt '%s'; it must be a number greater than 0", text);
    }
    return EXIT_OK;
}

// --- runs ----------------------------------------------------------------------------------------
static int open_run(Cli *cli, const Source *source, const char *path, void **sink) {
    (void)cli;
    (void)path;
    *sink = cli_page_run(source);
    return *sink ? EXIT_OK : cli_fail(EXIT_LIMIT, "out of memory");
}
static int add_to_run(void *to, const impState *state, const impFrame *frame) {
    return cli_page_add(to, state, frame) ? EXIT_OK : cli_fail(EXIT_LIMIT, "out of memory");
}
static int close_run(void *to, const impRunEnd *end) {
    cli_page_end(to, end);
    return EXIT_OK;
}
static void abandon_run(void *to) { (void)to; }
const SinkKind cli_sink_taken = { ".html", false, open_run, add_to_run, close_run, abandon_run };

static int run_one(Comparison *c, Compared *one) {
    Cli *cli = c->cli;
    Record record;
    char reason[REASON] = "";
    impRunEnd end = { "complete", reason, 0 };
    if (one->scheme) {
        cli->opt.scheme = one->scheme;
    }
    cli->opt.method = one->method[0] ? one->method : NULL;
    cli->opt.dt = one->dt;
    // one step for all: a method that cannot follow takes it in parts
    cli->opt.on_violation = cli_rule_name(ON_RETRY);
    int code = cli_world_open(&one->world, cli, cli->opt.args[0]);
    if (code) return code;
    one->open = true;
    code = cli_record_open(&record, cli, &one->world, &cli_sink_taken, "");
    if (code) return code;
    one->run = record.sink;
    double began = cli_wall();
    code = cli_record_run(&record, &end, reason, sizeof reason);
    one->wall = cli_wall() - began;
    // name and text of the scene are the record's, and the page outlives it
    one->run->source.run.name = cli_file_of(cli->opt.args[0]);
    one->run->source.run.text = NULL;
    if (one == c->one) {
        one->run->source.run.text = record.text;
        record.text = NULL;
    }
    return cli_record_close(&record, code, &end, &(int64_t){ 0 });
}

// --- output --------------------------------------------------------------------------------------
static double farthest(const Compared *a, const Compared *b, const char **who) {
    double most = 0;
    *who = "";
    for (int i = 1; i < impModel_BodyCount(a->world.model); i++) {
        impVec3 p = impState_Pose(a->world.model, a->world.state, (impBody){ i }).at;
        impVec3 q = impState_Pose(b->world.model, b->world.state, (impBody){ i }).at;
        double d = sqrt((p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y) +
                        (p.z - q.z) * (p.z - q.z));
        if (d > most) {
            most = d;
            *who = impModel_Name(a->world.model, (impBody){ i });
        }
    }
    return most;
}

static bool tell(const Comparison *c) {
    Table t = { .align = "lrrrrrl", .head = true };
    const char *heads[] = { "method",
                            "dt, s",
                            "time, s",
                            "energy, J",
                            "contacts",
                            "CPU, s",
                            "apart from the first at the end" };
    for (int i = 0; i < 7; i++) {
        cli_cell(&t, "%s", heads[i]);
    }
    for (int i = 0; i < c->count; i++) {
        const Compared *one = &c->one[i];
        impEnergy e = impState_Energy(one->world.model, one->world.state);
        const char *who;
        double far = farthest(&c->one[0], one, &who);
        const char *method = impStepper_Method(one->world.insist.stepper);
        cli_cell(&t, "%s%s%s", method, one->scheme ? ":" : "", one->scheme ? one->scheme : "");
        cli_cell(&t, "%s", cli_short(one->world.dt).text);
        cli_cell(&t, "%s", cli_short(impState_Time(one->world.state)).text);
        cli_cell(&t, "%s", cli_short(e.kinetic + e.potential).text);
        cli_cell(&t, "%lld", (long long)one->run->last.contacts);
        cli_cell(&t, "%.2f", one->wall);
        if (i == 0) {
            cli_cell(&t, "%s", "");
        } else {
            cli_cell(&t, "%s m%s%s%s", cli_short(far).text, who[0] ? " (" : "", who,
                     who[0] ? ")" : "");
        }
    }
    if (!cli_table_print(&t, stdout)) return false;
    for (int i = 0; i < c->count; i++) {
        const World *w = &c->one[i].world;
        if (w->in_parts == 0) continue;
        char text[200];
        snprintf(text, sizeof text,
                 "%s: %lld of %lld steps of %s s were taken in parts; a smaller --dt may need none",
                 impStepper_Method(w->insist.stepper), (long long)w->in_parts, (long long)w->step,
                 cli_short(w->dt).text);
        cli_note("note", text);
    }
    return true;
}

// by method with its scheme, and by dt where they differ in it
static void name_runs(Comparison *c) {
    bool steps = false;
    for (int i = 1; i < c->count; i++) {
        steps = steps || c->one[i].world.dt != c->one[0].world.dt;
    }
    for (int i = 0; i < c->count; i++) {
        const Compared *one = &c->one[i];
        char *label = one->run->label;
        const size_t room = sizeof one->run->label;
        const char *method = impStepper_Method(one->world.insist.stepper);
        const char *scheme = one->scheme ? one->scheme : "";
        int used = snprintf(label, room, "%.20s%s%.20s", method, scheme[0] ? ", " : "", scheme);
        if (steps) {
            snprintf(label + used, room - (size_t)used, ", dt %s s", cli_short(one->world.dt).text);
        }
    }
}

static int write_page(Comparison *c) {
    OutFile out;
    PageRun *all[PAGE_MOST_RUNS];
    for (int i = 0; i < c->count; i++) {
        all[i] = c->one[i].run;
    }
    if (!cli_out_open(&out, c->cli->opt.output, c->cli->opt.force)) return EXIT_IO;
    int code = cli_page_write(&out, cli_file_of(c->cli->opt.args[0]), all, c->count);
    if (code) {
        cli_out_abandon(&out);
        return code;
    }
    return cli_out_commit(&out) ? EXIT_OK : EXIT_IO;
}

static int check_output(const Options *opt) {
    if (!opt->output) return EXIT_OK;
    if (!cli_ends_with(opt->output, ".html"))
        return cli_usage("-o %s; a comparison is a page, .html", opt->output);
    if (cli_same_file(opt->output, opt->args[0]))
        return cli_fail(EXIT_IO, "%s: is the scene itself; it is not overwritten", opt->output);
    if (!cli_page_possible()) return EXIT_LIMIT;
    return cli_may_write(opt->output, opt->force) ? EXIT_OK : EXIT_IO;
}

static int compare(Comparison *c) {
    int worst = EXIT_OK;
    for (int i = 0; i < c->count; i++) {
        int code = run_one(c, &c->one[i]);
        if (!c->one[i].run || code >= EXIT_SIGNAL) return code;
        if (worst == EXIT_OK) {
            worst = code;
        }
    }
    name_runs(c);
    int code = c->cli->opt.output ? write_page(c) : EXIT_OK;
    if (code) return code;
    if (!c->cli->opt.quiet && !tell(c)) return cli_fail(EXIT_LIMIT, "out of memory");
    if (c->cli->opt.output && !c->cli->opt.quiet) {
        printf("page: %s\n", c->cli->opt.output);
    }
    return worst;
}

int cli_compare(Cli *cli) {
    static Comparison c;
    if (cli->opt.arg_count != 1)
        return cli_usage(cli->opt.arg_count ? "one scene at a time" : "which scene?");
    c.cli = cli;
    int code = read_lists(&c);
    if (code == EXIT_OK) {
        code = check_output(&cli->opt);
    }
    if (code == EXIT_OK) {
        code = compare(&c);
    }
    for (int i = 0; i < c.count; i++) {
        if (c.one[i].run) {
            free((char *)c.one[i].run->source.run.text);
        }
        cli_page_free(c.one[i].run);
        if (c.one[i].open) {
            cli_world_close(&c.one[i].world);
        }
    }
    return code;
}
