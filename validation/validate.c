// validate.c -- impel validate: run the cases, compare what was measured with what is known, print
// the table.
//
// SPDX-License-Identifier: MIT
#include "validation.h"

#include <math.h>
#include <string.h>

// What came of a case by a method.
typedef struct Result {
    int rows, missed;
    double worst;  // error beside what is allowed; HUGE_VAL: beside 0, or not a number
} Result;

typedef struct Row {
    const char *quantity, *unit;
    double reference, measured, error, allowed;
    double part;  // of what is allowed: the error; more than 1: the row fails
    bool pass;
} Row;

struct Report {
    const Case *now;
    const char *method;
    double step;
    bool json, markdown;
    bool matrix;  // table: the rows that failed, with their method
    Table *table;
    Json *out;
    Result here;
    int passed, missed;
};

// Methods that cases are run with, and their names in a matrix.
enum { METHODS = 3 };
static const char *const methods[METHODS] = { "impulse", "iterated", "lcp" };

static void (*function_of(const Case *c, const char *method))(Report *) {
    if (strcmp(method, "impulse") == 0) return c->run;
    return c->lcp && strcmp(method, "lcp") == 0 ? c->lcp : c->iterated;
}

const char *cli_report_method(const Report *r) { return r->method; }
double cli_report_step(const Report *r) { return r->step; }
void cli_report_set_step(Report *r, double h) { r->step = h; }

// --- rows ----------------------------------------------------------------------------------------
static void row_cells(Report *r, const Row *row) {
    Table *t = r->table;
    cli_cell(t, "%s", r->now->name);
    cli_cell(t, "%s", r->matrix ? r->method : r->now->source);
    cli_cell(t, "%s", row->quantity);
    // of what should be 0 only the size matters
    cli_cell(t, "%.12g", row->reference);
    cli_cell(t, row->reference == 0 ? "%.2g" : "%.12g", row->measured);
    cli_cell(t, "%s", row->unit);
    cli_cell(t, "%.2g", row->error);
    cli_cell(t, "%g", row->allowed);
    cli_cell(t, "%s", row->pass ? "pass" : "MISS");
}

static void row_json(Json *j, const Row *row) {
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "quantity", row->quantity);
    cli_json_text(j, "unit", row->unit);
    cli_json_number(j, "reference", row->reference);
    cli_json_number(j, "measured", row->measured);
    cli_json_number(j, "error", row->error);
    cli_json_number(j, "allowed", row->allowed);
    cli_json_bool(j, "pass", row->pass);
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

static void row_markdown(const Report *r, const Row *row) {
    fputs("| ", stdout);
    put_markdown(r->now->about);
    fputs(" | ", stdout);
    put_markdown(row->quantity);
    printf(row->reference == 0 ? " | %.6g | %.2g" : " | %.6g | %.6g", row->reference,
           row->measured);
    printf(" | %s | %.2g | %g | %s |\n", row->unit, row->error, row->allowed,
           row->pass ? "pass" : "**miss**");
}

static void report_row(Report *r, const Row *row) {
    r->passed += row->pass;
    r->missed += !row->pass;
    r->here.rows++;
    r->here.missed += !row->pass;
    if (!(row->part <= r->here.worst)) {
        r->here.worst = isnan(row->part) ? HUGE_VAL : row->part;
    }
    if (r->json) {
        row_json(r->out, row);
    } else if (r->markdown && !r->matrix) {
        row_markdown(r, row);
    } else if (!r->matrix || !row->pass) {
        row_cells(r, row);
    }
}

void cli_report(Report *r, const char *quantity, const char *unit, double reference,
                double measured, double allowed) {
    double error = fabs(measured - reference);
    Row row = { .quantity = quantity,
                .unit = unit,
                .reference = reference,
                .measured = measured,
                .error = error,
                .allowed = allowed,
                .part = error == 0 ? 0 : error / allowed,
                // false for NaN
                .pass = error <= allowed };
    report_row(r, &row);
}

void cli_report_least(Report *r, const char *quantity, const char *unit, double least,
                      double measured) {
    char text[96];
    double error = isnan(measured) ? measured : fmax(0, least - measured);
    snprintf(text, sizeof text, "%s, at least", quantity);
    Row row = { .quantity = text,
                .unit = unit,
                .reference = least,
                .measured = measured,
                .error = error,
                .part = error == 0 ? 0 : 1 + error / (least > 0 ? least : 1),
                .pass = error <= 0 };
    report_row(r, &row);
}

void cli_report_trouble(Report *r, const char *what) {
    cli_fail(EXIT_CHECK, "case %s could not be run: %s", r->now->name, what);
    cli_report(r, "could not be run", "", 0, nan(""), 0);
}

static void begin_case(Report *r, const Case *c) {
    r->now = c;
    r->step = 0;
    r->here = (Result){ 0 };
}

static void case_json(Json *j, const Case *c) {
    cli_json_text(j, "name", c->name);
    cli_json_text(j, "about", c->about);
    cli_json_text(j, "source", c->source);
}

static void rows_of_case(Report *r, const Case *c) {
    begin_case(r, c);
    if (r->json) {
        cli_json_open(r->out, "rows", '[');
    }
    function_of(c, r->method)(r);
    if (r->json) {
        cli_json_close(r->out, ']');
        cli_json_bool(r->out, "pass", r->here.missed == 0);
    }
}

static void run_case(Report *r, const Case *c) {
    if (r->json) {
        cli_json_open(r->out, NULL, '{');
        case_json(r->out, c);
    }
    rows_of_case(r, c);
    if (r->json) {
        cli_json_close(r->out, '}');
    }
}

// --- which cases ---------------------------------------------------------------------------------
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

static bool applies(const Case *c, const char *method) {
    for (int i = 0; i < METHODS; i++) {
        bool is_asked = strcmp(method, methods[i]) == 0 || strcmp(method, "all") == 0;
        if (is_asked && function_of(c, methods[i])) return true;
    }
    return false;
}

static int check_method(const Options *opt, const char *method) {
    bool known = strcmp(method, "all") == 0;
    for (int i = 0; i < METHODS; i++) {
        known = known || strcmp(method, methods[i]) == 0;
    }
    if (!known) return cli_usage("unknown method '%s'; give impulse, iterated or all", method);
    for (int i = 0; i < opt->arg_count; i++) {
        if (!applies(find_case(opt->args[i]), method))
            return cli_usage("case '%s' does not apply to method %s", opt->args[i], method);
    }
    return EXIT_OK;
}

static bool wanted(const Options *opt, const Case *c, const char *method) {
    if (!applies(c, method)) return false;
    for (int i = 0; i < opt->arg_count; i++) {
        if (strcmp(opt->args[i], c->name) == 0) return true;
    }
    return opt->arg_count == 0;
}

// --- one method ----------------------------------------------------------------------------------
static void run_cases(Report *r, const Options *opt) {
    for (int i = 0; i < cli_case_count && !cli_caught(); i++) {
        if (wanted(opt, &cli_cases[i], r->method)) {
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
    cli_json_text(&j, "method", r->method);
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

// The heads of a table of rows; second: of its second column.
static void table_heads(Table *table, const char *second) {
    static const char *const heads[] = { "quantity", "reference", "measured", "unit",
                                         "error",    "allowed",   "" };
    cli_cell(table, "case");
    cli_cell(table, "%s", second);
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        cli_cell(table, "%s", heads[i]);
    }
}

static bool validate_table(Report *r, const Options *opt) {
    Table table = { .align = "lllrrlrrl", .head = true };
    r->table = &table;
    table_heads(&table, "source");
    run_cases(r, opt);
    bool whole = cli_table_print(&table, stdout);
    printf("%d passed, %d failed\n", r->passed, r->missed);
    return whole;
}

// --- a matrix of cases and methods ---------------------------------------------------------------
static Result result_of(Report *r, const Case *c, const char *method) {
    r->method = method;
    if (!function_of(c, method) || cli_caught()) return (Result){ 0 };
    if (r->json) {
        cli_json_open(r->out, NULL, '{');
        cli_json_text(r->out, "method", method);
    }
    rows_of_case(r, c);
    if (r->json) {
        cli_json_number(r->out, "worst", r->here.worst);
        cli_json_close(r->out, '}');
    }
    return r->here;
}

static void matrix_json(Report *r, const Options *opt) {
    Json j = { .out = stdout };
    r->out = &j;
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "schema", "impel-validate-matrix-1");
    cli_json_text(&j, "version", impVersion());
    cli_json_open(&j, "cases", '[');
    for (int i = 0; i < cli_case_count && !cli_caught(); i++) {
        if (!wanted(opt, &cli_cases[i], "all")) continue;
        cli_json_open(&j, NULL, '{');
        case_json(&j, &cli_cases[i]);
        cli_json_open(&j, "methods", '[');
        for (int k = 0; k < METHODS; k++) {
            result_of(r, &cli_cases[i], methods[k]);
        }
        cli_json_close(&j, ']');
        cli_json_close(&j, '}');
    }
    cli_json_close(&j, ']');
    cli_json_count(&j, "passed", r->passed);
    cli_json_count(&j, "failed", r->missed);
    cli_json_close(&j, '}');
}

// "pass 0.12": the worst error is 0.12 of what is allowed for it.
static void result_text(const Result *x, char *text, size_t size) {
    if (x->rows == 0) {
        snprintf(text, size, "-");
    } else {
        snprintf(text, size, "%s %.2g", x->missed ? "fail" : "pass", x->worst);
    }
}

static void matrix_cells(Report *r, const Case *c, Table *table) {
    char text[32];
    if (r->markdown) {
        printf("| %s |", c->name);
    } else {
        cli_cell(table, "%s", c->name);
    }
    for (int k = 0; k < METHODS; k++) {
        Result x = result_of(r, c, methods[k]);
        result_text(&x, text, sizeof text);
        if (r->markdown) {
            printf(" %s |", text);
        } else {
            cli_cell(table, "%s", text);
        }
    }
    if (r->markdown) {
        putchar('\n');
    }
}

// The matrix, and below it the rows that failed.
static bool matrix_table(Report *r, const Options *opt) {
    char align[METHODS + 2] = "l";
    memset(align + 1, 'l', METHODS);
    Table table = { .align = align, .head = true };
    Table failed = { .align = "lllrrlrrl", .head = true };
    r->table = &failed;
    if (r->markdown) {
        printf("| case |");
    } else {
        cli_cell(&table, "case");
    }
    for (int k = 0; k < METHODS; k++) {
        if (r->markdown) {
            printf(" %s |", methods[k]);
        } else {
            cli_cell(&table, "%s", methods[k]);
        }
    }
    if (r->markdown) {
        printf("\n|---|---|---|\n");
    }
    table_heads(&failed, "method");
    for (int i = 0; i < cli_case_count && !cli_caught(); i++) {
        if (wanted(opt, &cli_cases[i], "all")) {
            matrix_cells(r, &cli_cases[i], &table);
        }
    }
    bool whole = r->markdown || cli_table_print(&table, stdout);
    if (r->missed) {
        putchar('\n');
        if (r->markdown) {
            printf("```\n");
        }
        whole = cli_table_print(&failed, stdout) && whole;
        if (r->markdown) {
            printf("```\n");
        }
    }
    cli_table_empty(&failed);
    printf("\n%d passed, %d failed\n", r->passed, r->missed);
    return whole;
}

// --- the list ------------------------------------------------------------------------------------
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

static void list_json(const char *method) {
    Json j = { .out = stdout };
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "schema", "impel-validate-list-1");
    cli_json_open(&j, "cases", '[');
    for (int i = 0; i < cli_case_count; i++) {
        if (!applies(&cli_cases[i], method)) continue;
        cli_json_open(&j, NULL, '{');
        case_json(&j, &cli_cases[i]);
        scenes_json(&j, cli_cases[i].scenes);
        cli_json_open(&j, "methods", '[');
        for (int k = 0; k < METHODS; k++) {
            if (function_of(&cli_cases[i], methods[k])) {
                cli_json_text(&j, NULL, methods[k]);
            }
        }
        cli_json_close(&j, ']');
        cli_json_close(&j, '}');
    }
    cli_json_close(&j, ']');
    cli_json_close(&j, '}');
}

static bool list_table(const char *method) {
    Table table = { .align = "llll", .head = true };
    cli_cell(&table, "case");
    cli_cell(&table, "about");
    cli_cell(&table, "source");
    cli_cell(&table, "scenes");
    for (int i = 0; i < cli_case_count; i++) {
        const Case *c = &cli_cases[i];
        if (!applies(c, method)) continue;
        cli_cell(&table, "%s", c->name);
        cli_cell(&table, "%s", c->about);
        cli_cell(&table, "%s", c->source);
        cli_cell(&table, "%s", c->scenes ? c->scenes : "");
    }
    return cli_table_print(&table, stdout);
}

static int list_cases(const char *method, bool json) {
    if (json) {
        list_json(method);
        return EXIT_OK;
    }
    return list_table(method) ? EXIT_OK : cli_fail(EXIT_LIMIT, "out of memory");
}

int cli_validate(Cli *cli) {
    const Options *opt = &cli->opt;
    const char *method = opt->method ? opt->method : "impulse";
    Report report = { .method = method,
                      .json = opt->json,
                      .markdown = opt->markdown,
                      .matrix = strcmp(method, "all") == 0 };
    int code = check_names(opt);
    if (code == EXIT_OK) {
        code = check_method(opt, method);
    }
    if (code) return code;
    if (opt->list) return list_cases(method, opt->json);
    if (opt->json && opt->markdown)
        return cli_usage("--json and --markdown are two forms; give one of them");
    bool whole = true;
    if (opt->json && report.matrix) {
        matrix_json(&report, opt);
    } else if (opt->json) {
        validate_json(&report, opt);
    } else if (report.matrix) {
        whole = matrix_table(&report, opt);
    } else if (opt->markdown) {
        validate_markdown(&report, opt);
    } else {
        whole = validate_table(&report, opt);
    }
    if (!whole) return cli_fail(EXIT_LIMIT, "out of memory");
    if (cli_caught()) return EXIT_SIGNAL + cli_caught();
    return report.missed ? EXIT_CHECK : EXIT_OK;
}
