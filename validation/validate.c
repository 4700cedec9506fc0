// validate.c -- impel validate: run the cases, compare what was measured with what is known, print
// the table.
//
// SPDX-License-Identifier: MIT
#include "validation.h"

#include <math.h>
#include <string.h>

struct Report {
    const Case *now;
    bool json, markdown;
    Table *table;
    Json *out;
    int passed, missed, missed_here;
};

static void row_cells(Report *r, const char *quantity, const char *unit, double reference,
                      double measured, double allowed, bool pass) {
    Table *t = r->table;
    char error[32];
    snprintf(error, sizeof error, "%.2g", fabs(measured - reference));
    cli_cell(t, "%s", r->now->name);
    cli_cell(t, "%s", r->now->source);
    cli_cell(t, "%s", quantity);
    // of what should be 0 only the size matters
    cli_cell(t, "%.12g", reference);
    cli_cell(t, reference == 0 ? "%.2g" : "%.12g", measured);
    cli_cell(t, "%s", unit);
    cli_cell(t, "%s", error);
    cli_cell(t, "%g", allowed);
    cli_cell(t, "%s", pass ? "pass" : "MISS");
}

static void row_json(Json *j, const char *quantity, const char *unit, double reference,
                     double measured, double allowed, bool pass) {
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "quantity", quantity);
    cli_json_text(j, "unit", unit);
    cli_json_number(j, "reference", reference);
    cli_json_number(j, "measured", measured);
    cli_json_number(j, "error", fabs(measured - reference));
    cli_json_number(j, "allowed", allowed);
    cli_json_bool(j, "pass", pass);
    cli_json_close(j, '}');
}

// A row of a table in Markdown; a bar in words would end its cell.
static void put_markdown(const char *words) {
    for (; *words; words++) {
        if (*words == '|') {
            fputc('\\', stdout);
        }
        fputc(*words, stdout);
    }
}

static void row_markdown(const Report *r, const char *quantity, const char *unit, double reference,
                         double measured, double allowed, bool pass) {
    fputs("| ", stdout);
    put_markdown(r->now->about);
    fputs(" | ", stdout);
    put_markdown(quantity);
    printf(reference == 0 ? " | %.6g | %.2g" : " | %.6g | %.6g", reference, measured);
    printf(" | %s | %.2g | %g | %s |\n", unit, fabs(measured - reference), allowed,
           pass ? "pass" : "**miss**");
}

void cli_report(Report *r, const char *quantity, const char *unit, double reference,
                double measured, double allowed) {
    // false for NaN
    bool pass = fabs(measured - reference) <= allowed;
    r->passed += pass;
    r->missed += !pass;
    r->missed_here += !pass;
    if (r->json) {
        row_json(r->out, quantity, unit, reference, measured, allowed, pass);
    } else if (r->markdown) {
        row_markdown(r, quantity, unit, reference, measured, allowed, pass);
    } else {
        row_cells(r, quantity, unit, reference, measured, allowed, pass);
    }
}

void cli_report_trouble(Report *r, const char *what) {
    cli_fail(EXIT_CHECK, "case %s could not be run: %s", r->now->name, what);
    cli_report(r, "could not be run", "", 0, nan(""), 0);
}

static void run_case(Report *r, const Case *c) {
    r->now = c;
    r->missed_here = 0;
    if (!r->json) {
        c->run(r);
        return;
    }
    cli_json_open(r->out, NULL, '{');
    cli_json_text(r->out, "name", c->name);
    cli_json_text(r->out, "about", c->about);
    cli_json_text(r->out, "source", c->source);
    cli_json_open(r->out, "rows", '[');
    c->run(r);
    cli_json_close(r->out, ']');
    cli_json_bool(r->out, "pass", r->missed_here == 0);
    cli_json_close(r->out, '}');
}

static const Case *find_case(const char *name) {
    for (int i = 0; i < cli_case_count; i++) {
        if (strcmp(cli_cases[i].name, name) == 0) return &cli_cases[i];
    }
    return NULL;
}

static int check_names(const Options *opt) {
    const char *names[128];
    int count = cli_case_count < 128 ? cli_case_count : 128;
    for (int i = 0; i < count; i++) {
        names[i] = cli_cases[i].name;
    }
    for (int i = 0; i < opt->arg_count; i++) {
        if (find_case(opt->args[i])) continue;
        const char *near = cli_nearest(opt->args[i], names, count);
        if (near) return cli_usage("unknown case '%s'; did you mean '%s'?", opt->args[i], near);
        return cli_usage("unknown case '%s'; 'impel validate --list' names them", opt->args[i]);
    }
    return EXIT_OK;
}

static bool wanted(const Options *opt, const Case *c) {
    for (int i = 0; i < opt->arg_count; i++) {
        if (strcmp(opt->args[i], c->name) == 0) return true;
    }
    return opt->arg_count == 0;
}

static void run_cases(Report *r, const Options *opt) {
    for (int i = 0; i < cli_case_count && !cli_caught(); i++) {
        if (wanted(opt, &cli_cases[i])) {
            run_case(r, &cli_cases[i]);
        }
    }
}

static void validate_json(Report *r, const Options *opt) {
    Json j = { .out = stdout };
    r->out = &j;
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "schema", "impel-validate-1");
    cli_json_text(&j, "version", impVersion());
    cli_json_open(&j, "cases", '[');
    run_cases(r, opt);
    cli_json_close(&j, ']');
    cli_json_count(&j, "passed", r->passed);
    cli_json_count(&j, "failed", r->missed);
    cli_json_close(&j, '}');
}

static void validate_markdown(Report *r, const Options *opt) {
    printf("| case | quantity | reference | measured | unit | error | allowed | |\n");
    printf("|---|---|---|---|---|---|---|---|\n");
    run_cases(r, opt);
    printf("\n%d passed, %d failed\n", r->passed, r->missed);
}

static bool validate_table(Report *r, const Options *opt) {
    static const char *const heads[] = { "case", "source", "quantity", "reference", "measured",
                                         "unit", "error",  "allowed",  "" };
    Table table = { .align = "lllrrlrrl", .head = true };
    r->table = &table;
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        cli_cell(&table, "%s", heads[i]);
    }
    run_cases(r, opt);
    bool whole = cli_table_print(&table, stdout);
    printf("%d passed, %d failed\n", r->passed, r->missed);
    return whole;
}

static void scenes_json(Json *j, const char *names) {
    char path[128];
    cli_json_open(j, "scenes", '[');
    for (size_t n; names && *names; names += n + (names[n] == ' ')) {
        n = strcspn(names, " ");
        snprintf(path, sizeof path, "scenes/%.*s.json", (int)n, names);
        cli_json_text(j, NULL, path);
    }
    cli_json_close(j, ']');
}

static void list_json(void) {
    Json j = { .out = stdout };
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "schema", "impel-validate-list-1");
    cli_json_open(&j, "cases", '[');
    for (int i = 0; i < cli_case_count; i++) {
        cli_json_open(&j, NULL, '{');
        cli_json_text(&j, "name", cli_cases[i].name);
        cli_json_text(&j, "about", cli_cases[i].about);
        cli_json_text(&j, "source", cli_cases[i].source);
        scenes_json(&j, cli_cases[i].scenes);
        cli_json_close(&j, '}');
    }
    cli_json_close(&j, ']');
    cli_json_close(&j, '}');
}

static bool list_table(void) {
    Table table = { .align = "llll", .head = true };
    cli_cell(&table, "case");
    cli_cell(&table, "about");
    cli_cell(&table, "source");
    cli_cell(&table, "scenes");
    for (int i = 0; i < cli_case_count; i++) {
        const Case *c = &cli_cases[i];
        cli_cell(&table, "%s", c->name);
        cli_cell(&table, "%s", c->about);
        cli_cell(&table, "%s", c->source);
        cli_cell(&table, "%s", c->scenes ? c->scenes : "");
    }
    return cli_table_print(&table, stdout);
}

static int list_cases(bool json) {
    if (json) {
        list_json();
        return EXIT_OK;
    }
    return list_table() ? EXIT_OK : cli_fail(EXIT_LIMIT, "out of memory");
}

int cli_validate(Cli *cli) {
    Report report = { .json = cli->opt.json, .markdown = cli->opt.markdown };
    int code = check_names(&cli->opt);
    if (code) return code;
    if (cli->opt.list) return list_cases(cli->opt.json);
    if (cli->opt.json && cli->opt.markdown)
        return cli_usage("--json and --markdown are two forms; give one of them");
    if (cli->opt.json) {
        validate_json(&report, &cli->opt);
    } else if (cli->opt.markdown) {
        validate_markdown(&report, &cli->opt);
    } else if (!validate_table(&report, &cli->opt))
        return cli_fail(EXIT_LIMIT, "out of memory");
    if (cli_caught()) return EXIT_SIGNAL + cli_caught();
    return report.missed ? EXIT_CHECK : EXIT_OK;
}
