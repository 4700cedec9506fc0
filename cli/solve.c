// solve.c -- impel solve: a contact problem from a file, by one solver or by all.
//
// docs/reference/contact-problems.md. Files that end in .gz are unpacked where the command was
// built with zlib.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(IMPEL_ZLIB)
#include <zlib.h>
#endif

// One solver's answer and the CPU time that it took.
typedef struct Answer {
    const char *asked;
    impProblemReport report;
    double seconds;
    bool possible;  // not too many contacts for it
} Answer;

enum { ANSWERS = 16, COLUMNS = 7 };

// --- the file ------------------------------------------------------------------------------------
#if defined(IMPEL_ZLIB)
// All of a file, unpacked; to be freed. NULL: said why.
static char *unpack(const char *path, size_t most, size_t *length, int *code) {
    gzFile file = gzopen(path, "rb");
    size_t room = 1 << 16;
    char *text = malloc(room);
    int got = 0;
    *length = 0;
    *code = file ? EXIT_LIMIT : EXIT_INPUT;
    while (file && text) {
        got = gzread(file, text + *length, (unsigned)(room - *length));
        if (got <= 0) break;
        *length += (size_t)got;
        if (*length > most) break;
        if (*length < room) continue;
        room *= 2;
        char *larger = realloc(text, room);
        if (!larger) {
            free(text);
        }
        text = larger;
    }
    bool whole = file && got == 0;
    if (file && gzclose(file) != Z_OK) {
        whole = false;
    }
    if (text && whole) return text;
    if (!file) {
        cli_fail(*code, "%s: cannot be read", path);
    } else if (!text) {
        cli_fail(*code, "out of memory");
    } else if (*length > most) {
        cli_fail(*code, "%s: more than %zu bytes; see --max-file-bytes", path, most);
    } else {
        *code = cli_fail(EXIT_INPUT, "%s: is not a whole gzip file", path);
    }
    free(text);
    return NULL;
}

static impProblem *load_packed(Cli *cli, const char *path, int *code) {
    impLoadDef def = cli_load_def(&cli->opt);
    size_t length = 0;
    char *text = unpack(path, impLimits(&def).max_file_bytes, &length, code);
    if (!text) return NULL;
    impProblem *problem = impProblem_Parse(text, length, path, &def, &cli->err);
    free(text);
    if (!problem) {
        *code = cli_input_fault(&cli->err);
    }
    return problem;
}
#else
static impProblem *load_packed(Cli *cli, const char *path, int *code) {
    (void)cli;
    *code = cli_fail(EXIT_INPUT, "%s: this build has no zlib; unpack the file first", path);
    return NULL;
}
#endif

static impProblem *load(Cli *cli, const char *path, int *code) {
    if (cli_ends_with(path, ".gz")) return load_packed(cli, path, code);
    impLoadDef def = cli_load_def(&cli->opt);
    impProblem *problem = impProblem_Load(path, &def, &cli->err);
    if (!problem) {
        *code = cli_input_fault(&cli->err);
    }
    return problem;
}

// --- solving -------------------------------------------------------------------------------------
static double cpu_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static bool solve(Cli *cli, impProblem *problem, Answer *answer) {
    impProblemDef def = { .solver = answer->asked,
                          .tolerance = cli->opt.tolerance,
                          .directions = (int)cli->opt.directions };
    double start = cpu_seconds();
    answer->possible = impProblem_Solve(problem, &def, &answer->report, &cli->err);
    answer->seconds = cpu_seconds() - start;
    return answer->possible;
}

// All solvers of the table. Returns how many there are.
static int solve_all(Cli *cli, impProblem *problem, Answer *answers) {
    int count = 0;
    impEntry e;
    for (; count < ANSWERS && (e = impCatalogue(IMP_PROBLEM_SOLVERS, count)).name; count++) {
        answers[count].asked = e.name;
        solve(cli, problem, &answers[count]);
    }
    return count;
}

// --- telling -------------------------------------------------------------------------------------
static void tell_people(const impProblem *problem, const Answer *answers, int count) {
    double asymmetry = impProblem_Asymmetry(problem);
    printf("%d contacts, asymmetry %s\n", impProblem_ContactCount(problem),
           isfinite(asymmetry) ? cli_short(asymmetry).text : "beyond 1e308");
    Table table = { .align = "llrrrrl", .head = true };
    const char *const head[COLUMNS] = { "solver",     "answer of", "residual", "true cone",
                                        "iterations", "CPU time",  "" };
    for (int i = 0; i < COLUMNS; i++) {
        cli_cell(&table, "%s", head[i]);
    }
    for (int i = 0; i < count; i++) {
        const Answer *a = &answers[i];
        cli_cell(&table, "%s", a->asked);
        if (!a->possible) {
            const char *const none[COLUMNS - 1] = { "", "", "", "", "", "too many contacts" };
            for (int k = 0; k < COLUMNS - 1; k++) {
                cli_cell(&table, "%s", none[k]);
            }
            continue;
        }
        cli_cell(&table, "%s", a->report.solver);
        cli_cell(&table, "%s", cli_short(a->report.residual).text);
        cli_cell(&table, "%s", cli_short(a->report.cone_residual).text);
        cli_cell(&table, "%d", a->report.iterations);
        cli_cell(&table, "%s ms", cli_short(1e3 * a->seconds).text);
        cli_cell(&table, "%s", a->report.solved ? "solved" : "not solved");
    }
    cli_table_print(&table, stdout);
}

static void tell_json(const impProblem *problem, const Answer *answers, int count) {
    Json j = { .out = stdout };
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "schema", "impel-solve-1");
    cli_json_count(&j, "contacts", impProblem_ContactCount(problem));
    if (isfinite(impProblem_Asymmetry(problem))) {
        cli_json_number(&j, "asymmetry", impProblem_Asymmetry(problem));
    }
    cli_json_open(&j, "solvers", '[');
    for (int i = 0; i < count; i++) {
        const Answer *a = &answers[i];
        cli_json_open(&j, NULL, '{');
        cli_json_text(&j, "solver", a->asked);
        cli_json_bool(&j, "possible", a->possible);
        if (a->possible) {
            cli_json_text(&j, "answer_of", a->report.solver);
            cli_json_number(&j, "residual", a->report.residual);
            cli_json_number(&j, "cone_residual", a->report.cone_residual);
            cli_json_count(&j, "iterations", a->report.iterations);
            cli_json_bool(&j, "solved", a->report.solved);
            cli_json_number(&j, "timing", a->seconds);
        }
        cli_json_close(&j, '}');
    }
    cli_json_close(&j, ']');
    cli_json_close(&j, '}');
}

// EXIT_CHECK where none reached the tolerance.
static int verdict(const Answer *answers, int count) {
    for (int i = 0; i < count; i++) {
        if (answers[i].possible && answers[i].report.solved) return EXIT_OK;
    }
    return EXIT_CHECK;
}

int cli_solve(Cli *cli) {
    const char *solver = cli->opt.solver ? cli->opt.solver : "automatic";
    Answer answers[ANSWERS] = { { .asked = solver } };
    int count = 1;
    int code = EXIT_OK;
    if (cli->opt.arg_count != 1) return cli_usage("one contact problem; write impel solve FILE");
    impProblem *problem = load(cli, cli->opt.args[0], &code);
    if (!problem) return code;
    if (strcmp(solver, "all") == 0) {
        count = solve_all(cli, problem, answers);
    } else if (!solve(cli, problem, &answers[0])) {
        impProblem_Free(problem);
        return cli->err.fault == IMP_BAD_CALL ? cli_usage("%s", cli->err.message[0].text)
                                              : cli_input_fault(&cli->err);
    }
    if (cli->opt.json) {
        tell_json(problem, answers, count);
    } else {
        tell_people(problem, answers, count);
    }
    impProblem_Free(problem);
    return verdict(answers, count);
}
