// poses_plan.c -- the options of `impel poses` that decide a result: how trials begin and what the
// plane does to the part.
//
// Malformed words are a matter of the command line (exit 2); numbers and files that describe no
// drop are bad input (exit 3).
//
// SPDX-License-Identifier: MIT
#include "poses.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_DROPS = 10000, MOST_DROPS_OF_CI = 10000000 };

// --- law -----------------------------------------------------------------------------------------
static int read_law(PosesPlan *plan, const Options *opt, const PosesPart *part) {
    const char *sliding = opt->impact.mu_dynamic ? opt->impact.mu_dynamic : opt->impact.mu;
    const char *at_rest = opt->impact.mu_static;
    impDropDef *d = &plan->def;
    int code = EXIT_OK;
    d->friction_static = part->law.friction_static;
    d->friction_dynamic = part->law.friction_dynamic;
    d->restitution = part->law.restitution;
    d->law = part->law.law;
    if (opt->impact.mu_dynamic && opt->impact.mu)
        return cli_usage("--mu and --mu-dynamic are one thing; give one of them");
    if (sliding) {
        code = cli_take(opt->impact.mu ? "mu" : "mu-dynamic", sliding, "0.3", 1,
                        &d->friction_dynamic);
    }
    if (sliding && !at_rest) {
        d->friction_static = d->friction_dynamic;
    }
    if (!code && at_rest) {
        code = cli_take("mu-static", at_rest, "0.4", 1, &d->friction_static);
    }
    if (!code && opt->impact.e) {
        code = cli_take("e", opt->impact.e, "0.3", 1, &d->restitution);
    }
    if (!code) {
        code = cli_take_law(opt->impact.law, &d->law);
    }
    plan->fixed_law = sliding || at_rest || opt->impact.e || opt->impact.law;
    if (code) return code;
    if (!(d->friction_dynamic >= 0) || !(d->friction_static >= d->friction_dynamic))
        return cli_fail(EXIT_INPUT,
                        "friction %s at rest and %s in sliding; neither may be negative, nor that "
                        "in sliding the larger",
                        cli_exact(d->friction_static).text, cli_exact(d->friction_dynamic).text);
    if (!(d->restitution >= 0 && d->restitution <= 1))
        return cli_fail(EXIT_INPUT, "--e %s; restitution must be from 0 to 1",
                        cli_exact(d->restitution).text);
    return EXIT_OK;
}

// --- start ---------------------------------------------------------------------------------------
static int read_motion(const char *name, const char *text, impVec3 *fixed, double *random) {
    double v[3];
    if (!text) return EXIT_OK;
    if (strncmp(text, "random:", 7) == 0) {
        if (!cli_read_number(text + 7, random) || !(*random >= 0))
            return cli_usage("--%s '%s'; after random: there must be a number, not negative", name,
                             text);
        return EXIT_OK;
    }
    if (!cli_read_list(text, 3, v))
        return cli_usage("--%s '%s'; write it like --%s 1,0,0 or --%s random:5", name, text, name,
                         name);
    *fixed = (impVec3){ v[0], v[1], v[2] };
    return EXIT_OK;
}

bool cli_hash_file(const char *path, uint64_t *hash) {
    unsigned char bytes[4096];
    FILE *file = fopen(path, "rb");
    *hash = FNV_START;
    if (!file) return false;
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, file)) > 0;) {
        *hash = cli_fnv(*hash, bytes, got);
    }
    bool whole = !ferror(file);
    return fclose(file) == 0 && whole;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Copies a line without the blanks around its numbers, with a comma for each separator. NULL: done;
// else why not.
static const char *plain_line(const char *line, char *plain, size_t size) {
    char separator = 0;
    size_t used = 0;
    for (const char *c = line; *c; c++) {
        if (is_blank(*c)) continue;
        if (used + 1 == size) return "is too long a line";

        // "1,0;0,0" may be four numbers or two with a decimal comma
        bool separates = *c == ',' || *c == ';';
        if (separates && separator && *c != separator)
            return "has both ',' and ';'; a line has one of them between its numbers, and '.' in "
                   "them";
        if (separates) {
            separator = *c;
        }

        // "1 0,0,0,0" is no ten
        bool inside = used > 0 && plain[used - 1] != ',' && !separates;
        if (inside && is_blank(c[-1])) return "has a blank inside a number; write w,x,y,z";
        plain[used++] = separates ? ',' : *c;
    }
    plain[used] = 0;
    return NULL;
}

// "w,x,y,z" or "w;x;y;z", blanks allowed around the numbers. NULL: read; else what is wrong with
// the line.
static const char *read_turn(const char *line, impQuat *q) {
    double v[4];
    char plain[256];
    const char *why = plain_line(line, plain, sizeof plain);
    if (why) return why;
    if (!cli_read_list(plain, 4, v)) return "is not four numbers; write w,x,y,z";
    double norm = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
    if (!(fabs(norm - 1) <= 1e-3)) return "is no quaternion of length 1";
    *q = (impQuat){ v[0] / norm, v[1] / norm, v[2] / norm, v[3] / norm };
    return NULL;
}

static int add_turn(PosesPlan *plan, impQuat q, int64_t *room) {
    if (plan->def.orientation_count == *room) {
        *room = 2 * *room + 256;
        impQuat *orientations = realloc(plan->orientations, (size_t)*room * sizeof *orientations);
        if (!orientations) return cli_fail(EXIT_LIMIT, "out of memory");
        plan->orientations = orientations;
    }
    plan->orientations[plan->def.orientation_count++] = q;
    plan->def.orientations = plan->orientations;
    return EXIT_OK;
}

static int read_turns(PosesPlan *plan, FILE *file) {
    const char *path = plan->orientation;
    char line[512];
    int64_t room = 0;
    int code = EXIT_OK;
    for (int64_t number = 1; code == EXIT_OK && fgets(line, sizeof line, file); number++) {
        impQuat q;
        plan->orientation_hash = cli_fnv(plan->orientation_hash, line, strlen(line));
        size_t length = strcspn(line, "\n");
        bool whole = line[length] == '\n' || feof(file);
        line[length] = 0;
        if (whole && strspn(line, " \t\r") == strlen(line)) continue;
        const char *heading = number == 1 && whole ? strpbrk(line, "wxyzWXYZ") : NULL;
        if (heading && (*heading == 'w' || *heading == 'W')) continue;
        const char *why = !whole    ? "is too long a line, or no text"
                          : heading ? "is a heading of another order; w must come first"
                                    : read_turn(line, &q);
        line[strcspn(line, "\r")] = 0;
        if (why)
            return cli_fail(EXIT_INPUT, "%s:%lld: '%.60s' %s", path, (long long)number, line, why);
        code = add_turn(plan, q, &room);
    }
    if (code) return code;
    if (ferror(file)) return cli_fail(EXIT_INPUT, "%s: %s", path, strerror(errno));
    return plan->def.orientation_count ? EXIT_OK
                                       : cli_fail(EXIT_INPUT, "%s: no orientation in it", path);
}

static int read_orientation(PosesPlan *plan, const char *text) {
    if (!text || strcmp(text, "uniform") == 0) return EXIT_OK;
    plan->orientation = text;
    plan->orientation_hash = FNV_START;
    FILE *file = fopen(text, "r");
    if (!file) return cli_fail(EXIT_INPUT, "%s: %s", text, strerror(errno));
    int code = read_turns(plan, file);
    fclose(file);
    return code;
}

static int read_height(PosesPlan *plan, const Options *opt, const PosesPart *part) {
    double bounding_radius = part->report.bounding_radius;
    plan->def.height = opt->poses.height > 0         ? opt->poses.height
                       : 1.5 * bounding_radius > 0.3 ? 1.5 * bounding_radius
                                                     : 0.3;
    if (plan->def.height > bounding_radius) return EXIT_OK;
    return cli_fail(EXIT_INPUT,
                    "--drop-height %s m; the part reaches %s m from its centre of mass and could "
                    "start in the plane",
                    cli_exact(plan->def.height).text, cli_short(bounding_radius).text);
}

// --- the check -----------------------------------------------------------------------------------
static const char *const check_names[] = {
    [IMP_CHECK_QUICK] = "quick", [IMP_CHECK_NONE] = "none", [IMP_CHECK_FULL] = "full"
};

const char *cli_check_name(impCheck check) { return check_names[check]; }

static bool read_check(const char *text, impCheck *check) {
    for (int i = IMP_CHECK_QUICK; i <= IMP_CHECK_FULL; i++) {
        if (strcmp(text, check_names[i]) != 0) continue;
        if (check) {
            *check = (impCheck)i;
        }
        return true;
    }
    return false;
}

// --- all of it -----------------------------------------------------------------------------------
static int check_words(const Options *opt) {
    const char *device = opt->poses.device;
    if (device && strcmp(device, "cpu") != 0 && strcmp(device, "cuda") != 0)
        return cli_usage("--device '%s'; it can be cpu or cuda", device);
    if (opt->poses.ci > 0 && opt->poses.drops > 0)
        return cli_usage("-n and --ci both say how many; give one of them");
    if (opt->poses.check && !read_check(opt->poses.check, NULL))
        return cli_usage("--check '%s'; it can be none, quick or full", opt->poses.check);
    if (opt->poses.dwell > 0 && !opt->poses.surface)
        return cli_usage("--dwell %s; it is for a surface that moves, of --surface",
                         cli_exact(opt->poses.dwell).text);
    if (opt->poses.ci >= 0.5)
        return cli_usage("--ci %s; a half width of 0.5 or more says nothing",
                         cli_exact(opt->poses.ci).text);
    return EXIT_OK;
}

int cli_poses_plan(PosesPlan *plan, Cli *cli, const PosesPart *part) {
    const Options *opt = &cli->opt;
    impDropDef *d = &plan->def;
    *plan = (PosesPlan){ .ci = opt->poses.ci, .surface = opt->poses.surface };
    plan->drops = opt->poses.drops > 0 ? opt->poses.drops
                  : plan->ci > 0       ? MOST_DROPS_OF_CI
                                       : USUAL_DROPS;
    d->seed = (uint64_t)opt->seed;
    d->gravity = part->gravity;
    d->drag = opt->poses.drag;
    // the library says if there is none
    d->cuda = opt->poses.device && strcmp(opt->poses.device, "cuda") == 0;
    int code = check_words(opt);
    if (!code && opt->poses.check) {
        read_check(opt->poses.check, &plan->check);
    }
    if (!code) {
        code = read_law(plan, opt, part);
    }
    if (!code) {
        code = read_motion("spin", opt->poses.spin, &d->spin, &d->spin_random);
    }
    if (!code) {
        code = read_motion("velocity", opt->poses.velocity, &d->velocity, &d->velocity_random);
    }
    if (!code) {
        code = read_height(plan, opt, part);
    }
    if (!code) {
        code = read_orientation(plan, opt->poses.orientation);
    }
    if (code) return code;
    plan->engine = opt->poses.settle || d->law == IMP_NEWTON || plan->surface;
    if (plan->surface && !cli_hash_file(plan->surface, &plan->surface_hash))
        return cli_fail(EXIT_INPUT, "%s: %s", plan->surface, strerror(errno));
    if (plan->engine && d->cuda)
        return cli_usage("--device cuda; the general engine, which --settle, --surface and --law "
                         "newton need, has none");
    if (plan->engine && d->drag > 0)
        return cli_usage("--drag %s; the general engine, which --settle, --surface and --law "
                         "newton need, knows no drag",
                         cli_exact(d->drag).text);
    return EXIT_OK;
}

void cli_poses_plan_free(PosesPlan *plan) {
    free(plan->orientations);
    *plan = (PosesPlan){ 0 };
}
