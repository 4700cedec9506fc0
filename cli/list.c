// list.c -- impel list: what this build knows, printed from the library's own tables.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <string.h>

static const struct {
    const char *name;
    impShelf shelf;
} shelves[] = {
    { "shapes", IMP_SHAPES },   { "joints", IMP_JOINTS },
    { "motions", IMP_MOTIONS }, { "methods", IMP_METHODS },
    { "schemes", IMP_SCHEMES }, { "formats", IMP_FORMATS },
    { "solvers", IMP_SOLVERS }, { "problem_solvers", IMP_PROBLEM_SOLVERS },
};
enum { SHELVES = (int)(sizeof shelves / sizeof shelves[0]) };

static const char *text(const char *t) { return t ? t : ""; }

static void print_shelf(int i) {
    Table table = { .align = "llll", .head = true };
    cli_cell(&table, "%s", shelves[i].name);
    cli_cell(&table, "measures");
    cli_cell(&table, "about");
    cli_cell(&table, "source");
    impEntry e;
    for (int r = 0; (e = impCatalogue(shelves[i].shelf, r)).name; r++) {
        cli_cell(&table, "%s", e.name);
        cli_cell(&table, "%s", e.measures);
        cli_cell(&table, "%s", text(e.about));
        cli_cell(&table, "%s", text(e.source));
    }
    cli_table_print(&table, stdout);
}

static void json_shelf(Json *j, int i) {
    impEntry e;
    cli_json_open(j, shelves[i].name, '[');
    for (int r = 0; (e = impCatalogue(shelves[i].shelf, r)).name; r++) {
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "name", e.name);
        cli_json_text(j, "measures", e.measures);
        cli_json_text(j, "about", text(e.about));
        cli_json_text(j, "source", text(e.source));
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}

static int find_shelf(const char *name) {
    for (int i = 0; i < SHELVES; i++) {
        if (strcmp(shelves[i].name, name) == 0) return i;
    }
    return -1;
}

static int unknown_shelf(const char *name) {
    const char *names[SHELVES];
    for (int i = 0; i < SHELVES; i++) {
        names[i] = shelves[i].name;
    }
    const char *near = cli_nearest(name, names, SHELVES);
    if (near) return cli_usage("nothing is listed under '%s'; did you mean '%s'?", name, near);
    return cli_usage(
        "nothing is listed under '%s'; it can be shapes, joints, motions, methods, formats, "
        "solvers or problem_solvers",
        name);
}

static void print_shelves(int first, int last) {
    for (int i = first; i <= last; i++) {
        if (i > first) {
            putchar('\n');
        }
        print_shelf(i);
    }
}

static void json_shelves(int first, int last) {
    Json j = { .out = stdout };
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "schema", "impel-list-1");
    cli_json_text(&j, "version", impVersion());
    for (int i = first; i <= last; i++) {
        json_shelf(&j, i);
    }
    cli_json_close(&j, '}');
}

int cli_list(Cli *cli) {
    int first = 0;
    int last = SHELVES - 1;
    if (cli->opt.arg_count > 1) return cli_usage("one list at a time, or all without a name");
    if (cli->opt.arg_count == 1) {
        first = last = find_shelf(cli->opt.args[0]);
        if (first < 0) return unknown_shelf(cli->opt.args[0]);
    }
    if (cli->opt.json) {
        json_shelves(first, last);
    } else {
        print_shelves(first, last);
    }
    return EXIT_OK;
}
