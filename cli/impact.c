// impact.c -- impel impact: one frictional collision seen from inside, or the flow of sliding it
// happens in.
//
// After figures 5 and 7 of Mirtich and Canny 1994. Malformed words are a matter of the command line
// (exit 2); numbers that describe no collision are bad input (exit 3), and the library says why.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <math.h>
#include <stdlib.h>

// the field has 2 GRID + 1 points a side
enum { GRID = 10 };

static const char *const stages[] = {
    [IMP_COMPRESSION] = "compression", [IMP_RESTITUTION] = "restitution"
};
static const char *const modes[] = {
    [IMP_SLIDE] = "slide", [IMP_STICK] = "stick", [IMP_RAY] = "ray"
};

// --- reading -------------------------------------------------------------------------------------
static int read_def(const Options *opt, impImpactDef *def) {
    double k[6];
    double u[3] = { 0, 0, -1 };
    int code = cli_take("K", opt->impact.k, "3.5,3.5,1,0,0,0", 6, k);
    if (!code && (opt->impact.u || !opt->field)) {
        code = cli_take("u", opt->impact.u, "1,0,-2", 3, u);
    }
    const char *sliding = opt->impact.mu_dynamic;
    if (!code && sliding && opt->impact.mu)
        return cli_usage("--mu and --mu-dynamic are one thing; give one of them");
    if (!code) {
        code = cli_take(sliding ? "mu-dynamic" : "mu", sliding ? sliding : opt->impact.mu, "0.3", 1,
                        &def->friction_dynamic);
    }
    const char *at_rest = opt->impact.mu_static;
    if (!code && at_rest) {
        code = cli_take("mu-static", at_rest, "0.4", 1, &def->friction_static);
    }
    if (!code && (opt->impact.e || !opt->field)) {
        code = cli_take("e", opt->impact.e, "0.5", 1, &def->restitution);
    }
    if (!code) {
        code = cli_take_law(opt->impact.law, &def->law);
    }
    if (code) return code;
    // to the library that is none given
    if (at_rest && def->friction_static == 0 && def->friction_dynamic > 0)
        return cli_fail(EXIT_INPUT,
                        "static friction 0; it must be finite and not below the dynamic %s",
                        cli_exact(def->friction_dynamic).text);
    def->k[0][0] = k[0];
    def->k[1][1] = k[1];
    def->k[2][2] = k[2];
    def->k[0][1] = def->k[1][0] = k[3];
    def->k[0][2] = def->k[2][0] = k[4];
    def->k[1][2] = def->k[2][1] = k[5];
    def->u = (impVec3){ u[0], u[1], u[2] };
    return EXIT_OK;
}

// --- tables for plotting -------------------------------------------------------------------------
static void print_numbers(FILE *out, const double *values, int count) {
    for (int i = 0; i < count; i++) {
        fprintf(out, "%s%s", i ? "," : "", cli_exact_17(values[i]).text);
    }
    fputc('\n', out);
}

static int write_path(Cli *cli, const impImpactDef *def) {
    OutFile out;
    int count = impImpact_Path(def, NULL, 0, &cli->err);
    if (count < 0) return cli_input_fault(&cli->err);
    impImpactSample *samples = malloc((size_t)count * sizeof *samples);
    if (!samples) return cli_fail(EXIT_LIMIT, "out of memory");
    if (impImpact_Path(def, samples, count, &cli->err) != count ||
        !cli_out_open(&out, cli->opt.output, cli->opt.force)) {
        free(samples);
        return EXIT_IO;
    }
    fprintf(out.file, "stage,mode,ux,uy,uz,px,py,pz\n");
    for (int i = 0; i < count; i++) {
        impVec3 u = samples[i].u;
        impVec3 p = samples[i].p;
        fprintf(out.file, "%s,%s,", stages[samples[i].stage], modes[samples[i].mode]);
        print_numbers(out.file, (const double[]){ u.x, u.y, u.z, p.x, p.y, p.z }, 6);
    }
    free(samples);
    return cli_out_commit(&out) ? EXIT_OK : EXIT_IO;
}

static void print_field(const impImpactDef *def, FILE *out) {
    double size = fmax(fabs(def->u.x), fabs(def->u.y));
    if (!(size > 0)) {
        size = 1;
    }
    fprintf(out, "ux,uy,dux,duy,duz\n");
    for (int i = -GRID; i <= GRID; i++) {
        for (int j = -GRID; j <= GRID; j++) {
            double x = size * j / GRID;
            double y = size * i / GRID;
            impVec3 slope = impImpact_Slope(def, x, y);
            print_numbers(out, (const double[]){ x, y, slope.x, slope.y, slope.z }, 5);
        }
    }
}

static int field(Cli *cli, const impImpactDef *def) {
    impImpact unused;
    OutFile out;
    if (cli->opt.json) return cli_usage("--field is a table; it cannot be --json");
    // is it a collision at all?
    if (!impImpact_Solve(def, &unused, &cli->err)) return cli_input_fault(&cli->err);
    if (!cli->opt.output) {
        print_field(def, stdout);
        return EXIT_OK;
    }
    if (!cli_out_open(&out, cli->opt.output, cli->opt.force)) return EXIT_IO;
    print_field(def, out.file);
    return cli_out_commit(&out) ? EXIT_OK : EXIT_IO;
}

// --- telling -------------------------------------------------------------------------------------
static void tell_json(const impImpactDef *def, const impImpact *impact) {
    Json j = { .out = stdout };
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "schema", "impel-impact-1");
    cli_json_text(&j, "law", cli_law(def->law));
    cli_json_vec(&j, "p", impact->p);
    cli_json_vec(&j, "u", impact->u);
    cli_json_number(&j, "energy_change", impact->energy_change);
    cli_json_bool(&j, "energy_created", impact->gain);
    cli_json_number(&j, "compression", impact->compression);
    cli_json_open(&j, "phases", '[');
    for (int i = 0; i < impact->phase_count; i++) {
        cli_json_open(&j, NULL, '{');
        cli_json_text(&j, "stage", stages[impact->phases[i].stage]);
        cli_json_text(&j, "mode", modes[impact->phases[i].mode]);
        cli_json_number(&j, "p_z", impact->phases[i].pz);
        cli_json_close(&j, '}');
    }
    cli_json_close(&j, ']');
    cli_json_close(&j, '}');
}

static void vector_row(Table *t, const char *name, impVec3 v, const char *unit) {
    cli_cell(t, "%s", name);
    cli_cell(t, "%s", cli_exact(v.x).text);
    cli_cell(t, "%s", cli_exact(v.y).text);
    cli_cell(t, "%s", cli_exact(v.z).text);
    cli_cell(t, "%s", unit);
}

static bool tell_people(const impImpact *impact) {
    Table t = { .align = "lrrrl" };
    vector_row(&t, "impulse", impact->p, "N s");
    vector_row(&t, "velocity after", impact->u, "m/s");
    bool whole = cli_table_print(&t, stdout);
    printf("energy change %s J\n", cli_exact(impact->energy_change).text);
    Table phases = { .align = "llrl", .indent = 2 };
    for (int i = 0; i < impact->phase_count; i++) {
        const impImpactPhase *phase = &impact->phases[i];
        cli_cell(&phases, "%s", stages[phase->stage]);
        cli_cell(&phases, "%s", modes[phase->mode]);
        cli_cell(&phases, "%s", cli_exact(phase->pz).text);
        cli_cell(&phases, "N s");
    }
    return cli_table_print(&phases, stdout) && whole;
}

int cli_impact(Cli *cli) {
    impImpactDef def = { 0 };
    impImpact impact;
    if (cli->opt.arg_count)
        return cli_usage("'%s' is no option; a collision is all options", cli->opt.args[0]);
    int code = read_def(&cli->opt, &def);
    if (code) return code;
    if (cli->opt.field) return field(cli, &def);
    if (!impImpact_Solve(&def, &impact, &cli->err)) return cli_input_fault(&cli->err);
    if (cli->opt.output && (code = write_path(cli, &def)) != EXIT_OK) return code;
    if (impact.gain) {
        cli_note("warning",
                 "Newton's law has created energy here; Poisson's and Stronge's never do");
    }
    if (cli->opt.json) {
        tell_json(&def, &impact);
    } else if (!tell_people(&impact))
        return cli_fail(EXIT_LIMIT, "out of memory");
    return EXIT_OK;
}
