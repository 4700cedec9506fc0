// poses_examples.c -- which trials a page of a drop test shows, and the command that shows any
// other.
//
// For each of the most probable poses one trial that the general engine ends in it, too, and the
// next one, however it ends: drops are chaotic, and where the two disagree the page says so. All of
// it takes less than a second: a trial is settled and then recorded, which takes once or twice as
// long again, and one that would not be recorded in time is left out.
//
// SPDX-License-Identifier: MIT
#include "page.h"
#include "poses_page.h"

#include <stdlib.h>
#include <string.h>

// trials of a class until one agrees
enum { SHOWN_CLASSES = POSES_EXAMPLES / 2, TRIED = 4 };
// s: after this no other trial is begun, and none settled or recorded
static const double patience = 0.5;

// --- the command ---------------------------------------------------------------------------------
static bool is_plain(const char *text) {
    static const char fine[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+./,:=@%";
    return text[0] && text[strspn(text, fine)] == 0;
}

// as a shell reads it back
static void put_word(FILE *out, const char *text) {
    if (is_plain(text)) {
        fprintf(out, " %s", text);
        return;
    }
    fputs(" '", out);
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", out);
        } else {
            fputc(*text, out);
        }
    }
    fputc('\'', out);
}

static void put_text(FILE *out, const char *option, const char *text) {
    if (!text) return;
    fprintf(out, " --%s", option);
    put_word(out, text);
}

static void put_number(FILE *out, const char *option, double value) {
    if (value > 0) {
        fprintf(out, " --%s %s", option, cli_exact(value).text);
    }
}

// NULL: no memory
static char *command_of(const PosesResult *r, const Options *opt) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) return NULL;
    fputs("impel poses replay", out);
    put_word(out, r->part->path);
    fprintf(out, " --seed %llu", (unsigned long long)r->def.seed);
    put_number(out, "scale", opt->scale);
    put_number(out, "density", opt->poses.density);
    put_number(out, "mass", opt->poses.mass);
    put_number(out, "drop-height", opt->poses.height);
    put_text(out, "mu", opt->impact.mu);
    put_text(out, "mu-dynamic", opt->impact.mu_dynamic);
    put_text(out, "mu-static", opt->impact.mu_static);
    put_text(out, "e", opt->impact.e);
    put_text(out, "law", opt->impact.law);
    put_text(out, "orientation", opt->poses.orientation);
    put_text(out, "velocity", opt->poses.velocity);
    put_text(out, "spin", opt->poses.spin);
    put_text(out, "surface", opt->poses.surface);
    put_number(out, "dwell", opt->poses.dwell);
    if (opt->allow_path) {
        fputs(" --allow-path", out);
    }
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}

// --- the examples --------------------------------------------------------------------------------
typedef struct Search {
    const PosesStage *stage;
    const PosesResult *result;
    const impDrops *drops;
    const PosesClass *class;
    int classes;
    const int *class_of;  // by family
    bool certified;       // the drops can say something
    PosesShown *shown;
    double began;
} Search;

static bool goes_on(const Search *s) { return !cli_caught() && cli_wall() - s->began < patience; }

// Of the classes that were not taken yet, the most probable; -1: none.
static int next_class(const Search *s, const int *taken, int count) {
    int best = -1;
    for (int i = 0; i < s->classes; i++) {
        bool there = s->class[i].count == 0;
        for (int k = 0; k < count && !there; k++) {
            there = taken[k] == i;
        }
        if (!there && (best < 0 || s->class[i].count > s->class[best].count)) {
            best = i;
        }
    }
    return best;
}

static bool ends_in(const Search *s, int family, int class) {
    return family >= 0 && s->class_of[family] == class;
}

static int32_t impacts_of(const Search *s, int64_t trial) {
    impDropOutcome o;
    return s->certified && impDrops_Run(s->drops, trial, 1, 1, &o) ? o.impacts : -1;
}

static void keep(const Search *s, PosesExample *e) {
    PosesShown *shown = s->shown;
    shown->impacts[shown->count] = impacts_of(s, e->trial);
    shown->example[shown->count++] = *e;
    e->run = NULL;
}

// One that agrees, if there is one soon, and one other; in the order of their numbers where both
// were made.
static int show_class(const Search *s, int class) {
    PosesExample good = { 0 }, other = { 0 };
    int code = EXIT_OK;
    int tried = 0;
    for (int i = 0; i < s->result->samples && tried < TRIED && !(good.run && other.run) &&
                    code == EXIT_OK && goes_on(s);
         i++) {
        PosesExample e = { 0 };
        if (!ends_in(s, s->result->sample[i].family, class)) continue;
        code = cli_poses_example(s->stage, s->drops, s->certified, i, &e);
        if (code || !e.run) {
            cli_page_free(e.run);
            break;
        }
        bool agrees = ends_in(s, e.family, class);
        tried++;
        s->shown->tried++;
        s->shown->agreed += agrees;
        PosesExample *slot = agrees && !good.run ? &good : !other.run ? &other : NULL;
        if (slot) {
            *slot = e;
        } else {
            cli_page_free(e.run);
        }
    }
    if (good.run) {
        keep(s, &good);
    }
    if (other.run) {
        keep(s, &other);
    }
    return code;
}

static int find_examples(const Search *s) {
    int taken[SHOWN_CLASSES];
    int code = EXIT_OK;
    for (int i = 0; i < SHOWN_CLASSES && code == EXIT_OK && goes_on(s); i++) {
        taken[i] = next_class(s, taken, i);
        if (taken[i] < 0) break;
        code = show_class(s, taken[i]);
    }
    return code;
}

static int add_examples(Search *s, Cli *cli, PosesStage *stage) {
    const PosesResult *r = s->result;
    // the general engine knows no drag
    if (r->def.drag > 0) return EXIT_OK;
    s->shown->command = command_of(r, &cli->opt);
    if (!s->shown->command) return cli_fail(EXIT_LIMIT, "out of memory");
    int code = cli_poses_stage(stage, cli, r->part, &r->plan, s->drops);
    s->began = cli_wall();
    stage->deadline = s->began + patience;
    return code == EXIT_OK ? find_examples(s) : code;
}

int cli_poses_page(Cli *cli, const PosesResult *result, const impDrops *drops, const char *path) {
    PosesShown shown = { 0 };
    PosesStage stage = { 0 };
    int *class_of = malloc(((size_t)result->part->families + 1) * sizeof *class_of);
    int classes = 0;
    PosesClass *class = class_of ? cli_poses_classes(result, &classes, class_of) : NULL;
    Search search = { .stage = &stage,
                      .result = result,
                      .drops = drops,
                      .class = class,
                      .classes = classes,
                      .class_of = class_of,
                      .certified = !result->settled,
                      .shown = &shown };
    int code = class ? add_examples(&search, cli, &stage) : cli_fail(EXIT_LIMIT, "out of memory");
    if (code == EXIT_OK) {
        code = cli_poses_page_write(cli, path, result, &shown);
    }
    for (int i = 0; i < shown.count; i++) {
        cli_page_free(shown.example[i].run);
    }
    cli_poses_stage_free(&stage);
    free(shown.command);
    free(class);
    free(class_of);
    return code;
}
