// options.c -- one reader of options for all commands: a table of rows, each with a place in
// Options.
//
// --name value, --name=value, -n value, -nvalue; -- ends the options; - alone is a file name. The
// last of two equal options counts. Numbers are plain decimals and the whole text must be one. The
// program never calls setlocale, so that strtod reads a point whatever the environment says.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// COUNT from 1, NATURAL from 0
typedef enum Kind { FLAG, POSITIVE, NOT_NEGATIVE, COUNT, NATURAL, TEXT } Kind;

typedef struct Row {
    const char *name;
    char letter;
    Kind kind;
    unsigned bits;  // of the commands that take it
    size_t place;   // in Options
    const char *value, *about;
    int64_t most;  // COUNT, NATURAL
} Row;

#define AT(field) offsetof(Options, field)
enum {
    RUNS = FOR_RUN | FOR_VIEW,
    SIMULATES = RUNS | FOR_HASH,
    TIMED = SIMULATES | FOR_COMPARE,
    LOADS = TIMED | FOR_INFO,
    READS = LOADS | FOR_POSES,
    MEETS = FOR_IMPACT | FOR_POSES
};
enum { WRITES = FOR_RUN | FOR_IMPACT | FOR_CONVERT | FOR_COMPARE | FOR_POSES };

static const Row rows[] = {
    { "time", 't', NOT_NEGATIVE, TIMED, AT(time), "T",
      "how long, in s (default: the scene's, else 1)", 0 },
    { "dt", 0, POSITIVE, SIMULATES, AT(dt), "H",
      "length of a step, in s (default: the scene's, else 0.001)", 0 },
    { "method", 'm', TEXT, SIMULATES, AT(method), "M", "contact method: see 'impel list methods'",
      0 },
    { "method", 'm', TEXT, FOR_VALIDATE, AT(method), "M",
      "method that is measured: impulse (default), iterated, lcp or all, a matrix", 0 },
    { "methods", 'm', TEXT, FOR_COMPARE, AT(methods), "A,B,...",
      "contact methods, two to six of them or one for several dt; lcp:SCHEME", 0 },
    { "dt", 0, TEXT, FOR_COMPARE, AT(dts), "H[,H...]",
      "length of a step, in s, of all runs or of each", 0 },
    { "band", 0, POSITIVE, TIMED, AT(band), "EPS",
      "contact band, in m (default: the scene's, else 1e-4 of its smallest body)", 0 },
    { "scheme", 0, TEXT, FOR_RUN | FOR_COMPARE, AT(scheme), "NAME",
      "of method lcp: see 'impel list schemes' (default: the scene's, else second-order)", 0 },
    { "directions", 0, COUNT, FOR_RUN | FOR_COMPARE, AT(directions), "K",
      "of friction, even, in schemes with a polyhedral cone (default: the scene's, else 8)", 64 },
    { "prediction", 0, TEXT, TIMED, AT(prediction), "NAME",
      "of contact points, method iterated: exact (default) or runge_kutta", 0 },
    { "shock-propagation", 0, COUNT, TIMED, AT(shock_propagation), "N",
      "method iterated: a pass upwards after N sweeps; no certificate (default: none)", 1000000 },
    { "solver", 0, TEXT, FOR_RUN, AT(solver), "NAME",
      "of contact problems of many bodies: see 'impel list solvers'", 0 },
    { "solver", 0, TEXT, FOR_SOLVE, AT(solver), "NAME",
      "see 'impel list problem_solvers' (default: automatic); all: a table", 0 },
    { "tolerance", 0, POSITIVE, FOR_SOLVE, AT(tolerance), "TOL",
      "of the residual, relative (default 1e-8)", 0 },
    { "directions", 0, COUNT, FOR_SOLVE, AT(directions), "K",
      "of friction, of solver lemke (default 8)", 64 },
    { "tolerance", 0, POSITIVE, FOR_RUN, AT(tolerance), "TOL",
      "of the certificate, relative (default 1e-9)", 0 },
    { "on-violation", 0, TEXT, FOR_RUN, AT(on_violation), "RULE",
      "a step that gets a verdict: stop (default), warn or retry by halves", 0 },
    { "accept", 0, FLAG, FOR_RUN, AT(accept), NULL,
      "what --on-violation warn lets pass is no failure", 0 },
    { "from", 0, NATURAL, FOR_REPLAY, AT(from), "K",
      "step to start from, if it was recorded, else the last before it", INT64_MAX },
    { "threads", 0, NATURAL, TIMED | FOR_REPLAY | FOR_POSES, AT(threads), "N",
      "never changes a result (default 0: one for each core)", 4096 },
    { "seed", 0, COUNT, LOADS, AT(seed), "S", "of repeat blocks that give none (default 1)",
      INT64_MAX },
    { "seed", 0, COUNT, FOR_POSES, AT(seed), "S", "of the trials (default 1)", INT64_MAX },
    { "drops", 'n', COUNT, FOR_POSES, AT(poses.drops), "N", "how many trials (default 10000)",
      1000000000000 },
    { "ci", 0, POSITIVE, FOR_POSES, AT(poses.ci), "W",
      "as many as it takes until every probability is known to +- W", 0 },
    { "drop-height", 0, POSITIVE, FOR_POSES, AT(poses.height), "H",
      "of the centre of mass at the start, in m (default: 0.3, or 1.5 times the reach)", 0 },
    { "density", 0, POSITIVE, FOR_POSES, AT(poses.density), "R",
      "of a mesh, in kg/m^3 (default 1000)", 0 },
    { "mass", 0, POSITIVE, FOR_POSES, AT(poses.mass), "M", "of a mesh, in kg", 0 },
    { "orientation", 0, TEXT, FOR_POSES, AT(poses.orientation), "O",
      "at the start: uniform (default), or a .csv of quaternions w,x,y,z", 0 },
    { "spin", 0, TEXT, FOR_POSES, AT(poses.spin), "W",
      "at the start, in rad/s: x,y,z or random:MAX", 0 },
    { "velocity", 0, TEXT, FOR_POSES, AT(poses.velocity), "V",
      "at the start, in m/s: x,y,z or random:MAX", 0 },
    { "drag", 0, NOT_NEGATIVE, FOR_POSES, AT(poses.drag), "C", "of the air, in 1/s (default 0)",
      0 },
    { "device", 0, TEXT, FOR_POSES, AT(poses.device), "D", "cpu (default) or cuda", 0 },
    { "settle", 0, FLAG, FOR_POSES, AT(poses.settle), NULL,
      "each trial to its very end, by the general engine: slower", 0 },
    { "surface", 0, TEXT, FOR_POSES, AT(poses.surface), "SCENE",
      "drop onto what this scene holds, by the general engine", 0 },
    { "join", 0, TEXT, FOR_POSES, AT(poses.join), "J",
      "poses are one family where no pass between is higher than J of its height (0.01; 0: none)",
      0 },
    { "check", 0, TEXT, FOR_POSES, AT(poses.check), "C",
      "drop some again, more finely: none, quick (default) or full", 0 },
    { "dwell", 0, POSITIVE, FOR_POSES, AT(poses.dwell), "S",
      "how long a pose must last on a surface that moves, in s (default: ten of its cycles)", 0 },
    { "shard", 0, TEXT, FOR_POSES, AT(poses.shard), "I/N",
      "only blocks I, I+N, ...; merge puts shards together", 0 },
    { "journal", 0, TEXT, FOR_POSES, AT(poses.journal), "DIR",
      "keep finished blocks there, so that nothing is done twice", 0 },
    { "resume", 0, FLAG, FOR_POSES, AT(poses.resume), NULL, "go on with a journal that is there",
      0 },
    { "trial", 0, NATURAL, FOR_POSES, AT(poses.trial), "K", "of replay: which one", INT64_MAX },
    { "output", 'o', TEXT, FOR_POSES, AT(output), "FILE",
      ".html: page; .json; .csv: a line per trial; of replay as of run", 0 },
    { "output", 'o', TEXT, FOR_RUN, AT(output), "FILE",
      ".csv, .jsonl: samples; .rec: recording; .html: page; .glb: animation", 0 },
    { "output", 'o', TEXT, FOR_CONVERT, AT(output), "FILE",
      "the file to write, where it is not named after the recording", 0 },
    { "salvage", 0, FLAG, FOR_CONVERT, AT(salvage), NULL,
      "of a file that is not whole, as a killed run leaves it: all whole frames", 0 },
    { "output", 'o', TEXT, FOR_COMPARE, AT(output), "FILE", "the page, .html", 0 },
    { "every", 0, POSITIVE, RUNS | FOR_COMPARE, AT(every), "DT",
      "time between samples, in s (default: every step; else some 60 a second)", 0 },
    { "every", 0, COUNT, FOR_HASH, AT(every_steps), "N", "print the hash every N steps",
      INT64_MAX },
    { "contacts", 0, TEXT, FOR_RUN, AT(contacts), "FILE", "every contact of every step, .csv", 0 },
    { "stats", 0, FLAG, FOR_RUN, AT(stats), NULL,
      "forces, counts and energies of every pair that touched", 0 },
    { "stats-from", 0, NOT_NEGATIVE, FOR_RUN, AT(stats_from), "T0",
      "when what --stats tells begins, in s (default 0)", 0 },
    { "stats-to", 0, NOT_NEGATIVE, FOR_RUN, AT(stats_to), "T1",
      "and when it ends (default: with the run)", 0 },
    { "K", 0, TEXT, FOR_IMPACT, AT(impact.k), "K...",
      "the contact's matrix: Kxx,Kyy,Kzz,Kxy,Kxz,Kyz, in 1/kg", 0 },
    { "u", 0, TEXT, FOR_IMPACT, AT(impact.u), "ux,uy,uz", "velocity of a against b, in m/s", 0 },
    { "mu", 0, TEXT, MEETS, AT(impact.mu), "M", "coefficient of friction", 0 },
    { "mu-static", 0, TEXT, MEETS, AT(impact.mu_static), "S",
      "the same at rest (default: as in sliding)", 0 },
    { "mu-dynamic", 0, TEXT, MEETS, AT(impact.mu_dynamic), "D",
      "the same in sliding: another word for --mu", 0 },
    { "e", 0, TEXT, MEETS, AT(impact.e), "E", "coefficient of restitution, 0 to 1", 0 },
    { "law", 0, TEXT, MEETS, AT(impact.law), "L",
      "of restitution: poisson (default), stronge or newton", 0 },
    { "field", 0, FLAG, FOR_IMPACT, AT(field), NULL,
      "the flow of tangential velocity instead of one collision", 0 },
    { "output", 'o', TEXT, FOR_IMPACT, AT(output), "FILE", "the way of u and p, or the field, .csv",
      0 },
    { "force", 'f', FLAG, WRITES, AT(force), NULL, "output files may replace existing ones", 0 },
    { "scale", 0, POSITIVE, FOR_INFO | FOR_POSES, AT(scale), "K",
      "multiplies a mesh's coordinates (0.001: from mm)", 0 },
    { "all", 'a', FLAG, FOR_INFO, AT(all), NULL, "all bodies, or all pairs, however many", 0 },
    { "pairs", 0, FLAG, FOR_INFO, AT(pairs), NULL, "which bodies are near each other, and by what",
      0 },
    { "list", 'l', FLAG, FOR_VALIDATE, AT(list), NULL, "name the cases and their sources, run none",
      0 },
    { "markdown", 0, FLAG, FOR_VALIDATE, AT(markdown), NULL,
      "the table in Markdown, as documents take it", 0 },
    { "scenes", 0, TEXT, FOR_BENCH, AT(scenes), "DIR",
      "folder of the scenes (default: scenes/table1)", 0 },
    { "only", 0, TEXT, FOR_BENCH, AT(only), "NAME", "run one scene: dominos, coins, ...", 0 },
    { "json", 0, FLAG,
      FOR_ALL & ~(FOR_HASH | FOR_HELP | FOR_CONVERT | FOR_VIEW | FOR_COMPARE | FOR_REPLAY),
      AT(json), NULL, "one JSON object on stdout", 0 },
    { "quiet", 'q', FLAG, TIMED | FOR_BENCH | FOR_CONVERT | FOR_REPLAY | FOR_POSES, AT(quiet), NULL,
      "no summary, no notes, no progress; warnings stay", 0 },
    { "strict", 0, FLAG, READS, AT(strict), NULL, "warnings are errors", 0 },
    { "allow-path", 0, FLAG, READS, AT(allow_path), NULL,
      "mesh files may lie outside the scene's folder", 0 },
    { "max-bodies", 0, COUNT, READS, AT(max_bodies), "N", "refuse scenes with more", 2147483647 },
    { "max-triangles", 0, COUNT, READS, AT(max_triangles), "N", "of all meshes of a scene together",
      2147483647 },
    { "max-nesting", 0, COUNT, READS | FOR_SOLVE, AT(max_nesting), "N",
      "brackets within brackets in a scene file", 2147483647 },
    { "max-file-bytes", 0, COUNT, READS | FOR_SOLVE, AT(max_file_bytes), "N",
      "of any file that is read", (int64_t)1 << 46 },
    { "errors", 0, TEXT, FOR_ALL, AT(errors), "json", "errors as JSON lines on stderr", 0 },
    { "help", 'h', FLAG, FOR_ALL, AT(help), NULL, "this text", 0 },
};
enum { ROWS = (int)(sizeof rows / sizeof rows[0]) };

// --- values --------------------------------------------------------------------------------------
bool cli_read_number(const char *text, double *value) {
    // no hex, inf, nan, blanks
    if (!text[0] || strspn(text, "0123456789+-.eE") != strlen(text)) return false;
    char *end;
    *value = strtod(text, &end);
    return *end == 0 && isfinite(*value);
}

bool cli_read_list(const char *text, int count, double *values) {
    for (int i = 0; i < count; i++) {
        char word[64];
        size_t length = strcspn(text, ",");
        bool last = text[length] == 0;
        if (length >= sizeof word || last != (i == count - 1)) return false;
        memcpy(word, text, length);
        word[length] = 0;
        if (!cli_read_number(word, &values[i])) return false;
        text += length + 1;
    }
    return true;
}

int cli_take(const char *name, const char *text, const char *form, int count, double *values) {
    if (!text) return cli_usage("--%s is missing; write it like --%s %s", name, name, form);
    if (cli_read_list(text, count, values)) return EXIT_OK;
    return cli_usage("--%s '%s'; write it like --%s %s", name, text, name, form);
}

static const char *const laws[] = {
    [IMP_POISSON] = "poisson", [IMP_STRONGE] = "stronge", [IMP_NEWTON] = "newton"
};

const char *cli_law(impLaw law) { return laws[law]; }

int cli_take_law(const char *text, impLaw *law) {
    if (!text) return EXIT_OK;
    for (int i = IMP_POISSON; i <= IMP_NEWTON; i++) {
        if (strcmp(text, laws[i]) == 0) {
            *law = (impLaw)i;
            return EXIT_OK;
        }
    }
    return cli_usage("--law '%s'; it can be poisson, stronge or newton", text);
}

static bool read_count(const char *text, int64_t least, int64_t most, int64_t *value) {
    int64_t n = 0;
    if (!text[0]) return false;
    for (const char *c = text; *c; c++) {
        if (*c < '0' || *c > '9') return false;
        int digit = *c - '0';
        if (n > (most - digit) / 10) return false;
        n = 10 * n + digit;
    }
    *value = n;
    return n >= least;
}

static int set_real(const Row *row, const char *text, double *place) {
    double value;
    if (!cli_read_number(text, &value))
        return cli_usage("--%s '%s' is not a number; write it like 0.001", row->name, text);
    if (row->kind == POSITIVE && !(value > 0))
        return cli_usage("--%s %s; it must be greater than 0", row->name, text);
    if (!(value >= 0)) return cli_usage("--%s %s; it must not be negative", row->name, text);
    *place = value;
    return EXIT_OK;
}

static int set_count(const Row *row, const char *text, int64_t *place) {
    int64_t least = row->kind == COUNT;
    if (read_count(text, least, row->most, place)) return EXIT_OK;
    return cli_usage("--%s '%s'; it must be a whole number from %d to %lld", row->name, text,
                     (int)least, (long long)row->most);
}

static int set(Options *opt, const Row *row, const char *text) {
    void *place = (char *)opt + row->place;
    switch (row->kind) {
    case FLAG: *(bool *)place = true; return EXIT_OK;
    case TEXT: *(const char **)place = text; break;
    case POSITIVE:
    case NOT_NEGATIVE: return set_real(row, text, place);
    case COUNT:
    case NATURAL: return set_count(row, text, place);
    }
    if (row->place == AT(errors) && strcmp(text, "json") != 0 && strcmp(text, "text") != 0)
        return cli_usage("--errors '%s'; it can be text or json", text);
    return text[0] ? EXIT_OK : cli_usage("--%s is empty", row->name);
}

// --- names ---------------------------------------------------------------------------------------
static const Row *find_row(unsigned bit, const char *name, size_t length) {
    for (int i = 0; i < ROWS; i++) {
        if ((rows[i].bits & bit) && strlen(rows[i].name) == length &&
            strncmp(rows[i].name, name, length) == 0)
            return &rows[i];
    }
    return NULL;
}

static const Row *find_letter(unsigned bit, char letter) {
    for (int i = 0; i < ROWS; i++) {
        if ((rows[i].bits & bit) && rows[i].letter == letter) return &rows[i];
    }
    return NULL;
}

static int unknown_option(unsigned bit, const char *name, size_t length) {
    const char *names[ROWS];
    char word[64];
    int count = 0;
    for (int i = 0; i < ROWS; i++) {
        if (rows[i].bits & bit) {
            names[count++] = rows[i].name;
        }
    }
    snprintf(word, sizeof word, "%.*s", length < 63 ? (int)length : 63, name);
    const char *near = cli_nearest(word, names, count);
    if (near) return cli_usage("unknown option '--%s'; did you mean '--%s'?", word, near);
    return cli_usage("unknown option '--%s'", word);
}

// --- words ---------------------------------------------------------------------------------------
typedef struct Words {
    char **at;
    int count, next;
} Words;

static int take_value(Options *opt, const Row *row, const char *attached, Words *words) {
    if (row->kind == FLAG && attached) return cli_usage("--%s takes no value", row->name);
    if (row->kind == FLAG) return set(opt, row, NULL);
    if (!attached && words->next == words->count)
        return cli_usage("--%s needs a value: %s", row->name, row->value);
    return set(opt, row, attached ? attached : words->at[words->next++]);
}

static int take_long(Cli *cli, const char *word, Words *words) {
    const char *name = word + 2;
    const char *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const Row *row = find_row(cli->command->bit, name, length);
    if (!row) return unknown_option(cli->command->bit, name, length);
    return take_value(&cli->opt, row, equals ? equals + 1 : NULL, words);
}

static int take_letters(Cli *cli, const char *word, Words *words) {
    for (const char *c = word + 1; *c; c++) {
        const Row *row = find_letter(cli->command->bit, *c);
        if (!row) return cli_usage("unknown option '-%c'", *c);
        if (row->kind != FLAG) return take_value(&cli->opt, row, c[1] ? c + 1 : NULL, words);
        set(&cli->opt, row, NULL);
    }
    return EXIT_OK;
}

int cli_parse(Cli *cli, int argc, char **argv) {
    Words words = { argv, argc, 0 };
    bool options_over = false;
    cli->opt = (Options){
        .time = -1, .stats_from = -1, .stats_to = -1, .seed = 1, .poses.trial = -1, .args = argv
    };
    while (words.next < words.count) {
        char *word = argv[words.next++];
        int code = EXIT_OK;
        // never past next
        if (options_over || word[0] != '-' || !word[1]) {
            argv[cli->opt.arg_count++] = word;
        } else if (strcmp(word, "--") == 0) {
            options_over = true;
        } else if (word[1] == '-') {
            code = take_long(cli, word, &words);
        } else {
            code = take_letters(cli, word, &words);
        }
        if (code) return code;
    }
    return EXIT_OK;
}

// --- what is printed from the table --------------------------------------------------------------
void cli_print_options(unsigned bit, FILE *out) {
    Table table = { .align = "ll", .indent = 2 };
    for (int i = 0; i < ROWS; i++) {
        const Row *r = &rows[i];
        if (!(r->bits & bit)) continue;
        char letter[] = "-x, ";
        letter[1] = r->letter;
        cli_cell(&table, "%s--%s %s", r->letter ? letter : "    ", r->name,
                 r->value ? r->value : "");
        cli_cell(&table, "%s", r->about);
    }
    cli_table_print(&table, out);
}

static void limit_row(Table *t, const char *name, double standard, const char *option,
                      const char *about) {
    cli_cell(t, "%s", name);
    cli_cell(t, "%.0f", standard);
    cli_cell(t, "%s", option);
    cli_cell(t, "%s", about);
}

void cli_print_limits(FILE *out) {
    impLoadDef standard = impLimits(NULL);
    Table t = { .align = "lrll", .head = true };
    cli_cell(&t, "limit");
    cli_cell(&t, "default");
    cli_cell(&t, "option");
    cli_cell(&t, "of");
    limit_row(&t, "bodies", standard.max_bodies, "--max-bodies", "in a scene, repeats counted out");
    limit_row(&t, "triangles", standard.max_triangles, "--max-triangles",
              "of all meshes of a scene together");
    limit_row(&t, "nesting", standard.max_nesting, "--max-nesting",
              "brackets within brackets in a scene file");
    limit_row(&t, "file bytes", (double)standard.max_file_bytes, "--max-file-bytes",
              "of any file that is read");
    limit_row(&t, "steps", 1e14, "", "of one run; beyond it time could not be told exactly");
    limit_row(&t, "threads", 4096, "--threads", "asked for; fewer are used if the system says no");
    limit_row(&t, "messages", IMP_MESSAGES, "", "errors shown as text; the rest are counted");
    cli_table_print(&t, out);
}

impLoadDef cli_load_def(const Options *opt) {
    return (impLoadDef){
        .max_file_bytes = (size_t)opt->max_file_bytes,
        .max_bodies = (int)opt->max_bodies,
        .max_triangles = (int)opt->max_triangles,
        .max_nesting = (int)opt->max_nesting,
        .allow_path = opt->allow_path,
        .strict = opt->strict,
        .seed = (uint64_t)opt->seed,
    };
}
