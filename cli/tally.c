// tally.c -- what a run adds up, and how it is told: as an aligned page for people, as one object
// for programs.
//
// The object has the schema impel-run-2. Only `timing` in it may differ between two runs of the
// same scene and options, whatever the number of threads.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

typedef struct Field {
    const char *name, *unit, *about;
    size_t at;
} Field;
#define FIELD(name, unit, about)                                                                   \
    { #name, unit, about, offsetof(impCertificate, name) }
static const Field fields[] = {
    FIELD(energy, "J", "created by a step"),
    FIELD(momentum, "N s", "not accounted for"),
    FIELD(spin, "N m s", "of one body, not accounted for"),
    FIELD(quaternion, "", "off length 1"),
    FIELD(overlap, "m", "deepest penetration"),
    FIELD(level_violation, "m", "nearer than the contact level"),
    FIELD(approach, "m/s", "fastest contact still closing"),
    FIELD(pull, "N s", "largest normal impulse that pulls"),
    FIELD(cone, "N s", "friction beyond its cone"),
    FIELD(slip, "J", "friction dissipates too little by"),
    FIELD(order, "s", "an event before the one before it"),
    FIELD(residual, "m/s", "contact problem not solved by"),
    FIELD(complementarity, "J", "impulse of a contact that is apart"),
};
enum { FIELDS = (int)(sizeof fields / sizeof fields[0]) };
_Static_assert((int)FIELDS == (int)CERTIFICATE_FIELDS, "every field of a certificate has a row");

static double value_of(const impCertificate *c, int i) {
    return *(const double *)((const char *)c + fields[i].at);
}

void cli_certificate_add(impCertificate *worst, const impCertificate *now) {
    for (int i = 0; i < FIELDS; i++) {
        if (fabs(value_of(now, i)) > fabs(value_of(worst, i))) {
            *(double *)((char *)worst + fields[i].at) = value_of(now, i);
        }
    }
}

// The limit is the one of the step in which it was worst; of equals, as where nothing ever was off,
// the widest.
static void add_limits(impCertificate *worst, impCertificate *limit, const impOutcome *now) {
    for (int i = 0; i < FIELDS; i++) {
        double had = fabs(value_of(worst, i));
        double has = fabs(value_of(&now->certificate, i));
        double most = value_of(&now->limit, i);
        if (has > had || (has == had && most > value_of(limit, i))) {
            *(double *)((char *)limit + fields[i].at) = most;
        }
    }
    cli_certificate_add(worst, &now->certificate);
}

void cli_outcome_add(impOutcome *sum, const impOutcome *part) {
    add_limits(&sum->certificate, &sum->limit, part);
}

bool cli_tally_add(Tally *tally, const impOutcome *outcome) {
    add_limits(&tally->worst, &tally->limit, outcome);
    tally->gap = fmin(tally->gap, outcome->gap);
    tally->steps++;
    tally->events += outcome->events;
    tally->energy_gains += outcome->energy_gains;
    tally->unconverged += outcome->unconverged;
    tally->contacts += outcome->contact_count;
    tally->iterations += outcome->iterations;
    return impStats_Add(tally->stats, outcome) && impStats_Add(tally->pairs, outcome);
}

void cli_tally_violation(Tally *tally, const char *field) {
    tally->violations++;
    for (int i = 0; i < FIELDS; i++) {
        tally->beyond[i] += strcmp(fields[i].name, field) == 0;
    }
}

// --- for programs --------------------------------------------------------------------------------
static void json_bodies(Json *j, const World *world) {
    int count = impModel_BodyCount(world->model);
    cli_json_open(j, "bodies", '[');
    for (int i = 1; i < count; i++) {
        impPose pose = impState_Pose(world->model, world->state, (impBody){ i });
        impTwist twist = impState_Twist(world->model, world->state, (impBody){ i });
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "name", impModel_Name(world->model, (impBody){ i }));
        cli_json_vec(j, "position", pose.at);
        cli_json_list(
            j, "orientation",
            (const double[]){ pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z },
            4);
        cli_json_vec(j, "velocity", twist.linear);
        cli_json_vec(j, "angular_velocity", twist.angular);
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}

static void json_balance(Json *j, const Tally *tally, const World *world) {
    impEnergy e = impState_Energy(world->model, world->state);
    impMomentum p = impState_Momentum(world->model, world->state);
    cli_json_open(j, "energy", '{');
    cli_json_number(j, "kinetic", e.kinetic);
    cli_json_number(j, "potential", e.potential);
    cli_json_number(j, "total", e.kinetic + e.potential);
    cli_json_number(j, "initial", tally->initial.kinetic + tally->initial.potential);
    impCauses by = impStats_Causes(tally->stats);
    // by cause; flight has none
    cli_json_open(j, "dissipation", '{');
    if (tally->contacts > 0) {
        cli_causes_json(j, &by);
    }
    cli_json_close(j, '}');
    cli_json_close(j, '}');
    cli_json_open(j, "momentum", '{');
    cli_json_vec(j, "linear", p.linear);
    cli_json_vec(j, "angular", p.angular);
    cli_json_close(j, '}');
}

static void json_certificate(Json *j, const Tally *tally, const World *world) {
    cli_json_open(j, "certificate", '{');
    for (int i = 0; i < FIELDS; i++) {
        cli_json_number(j, fields[i].name, value_of(&tally->worst, i));
    }
    // of the steps in which these were; null: measured only
    cli_json_open(j, "limits", '{');
    for (int i = 0; i < FIELDS; i++) {
        cli_json_number(j, fields[i].name, value_of(&tally->limit, i));
    }
    cli_json_close(j, '}');
    // null: no bodies were near
    cli_json_number(j, "gap", tally->gap);
    cli_json_count(j, "looks_at_all_pairs", tally->pair_checks);
    cli_json_number(j, "tolerance", world->tolerance > 0 ? world->tolerance : CLI_TOLERANCE);
    // that did not stop the run
    cli_json_open(j, "violations", '{');
    cli_json_count(j, "steps", tally->violations);
    for (int i = 0; i < FIELDS; i++) {
        if (tally->beyond[i]) {
            cli_json_count(j, fields[i].name, tally->beyond[i]);
        }
    }
    cli_json_close(j, '}');
    cli_json_close(j, '}');
    cli_json_open(j, "counts", '{');
    cli_json_count(j, "steps", tally->steps);
    cli_json_count(j, "steps_in_parts", tally->halved);
    cli_json_count(j, "parts", tally->parts);
    cli_json_count(j, "events", tally->events);
    cli_json_count(j, "contacts", tally->contacts);
    cli_json_count(j, "iterations", tally->iterations);
    cli_json_close(j, '}');
}

void cli_certificate_json(Json *j, const char *key, const impCertificate *worst) {
    cli_json_open(j, key, '[');
    for (int i = 0; i < FIELDS; i++) {
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "name", fields[i].name);
        cli_json_text(j, "unit", fields[i].unit);
        cli_json_text(j, "about", fields[i].about);
        cli_json_number(j, "value", value_of(worst, i));
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}

static void json_warnings(Json *j, const World *world) {
    int count = impModel_WarningCount(world->model);
    cli_json_open(j, "warnings", '[');
    for (int i = 0; i < count; i++) {
        cli_json_text(j, NULL, impModel_Warning(world->model, i));
    }
    for (int i = 0; i < world->note_count; i++) {
        cli_json_text(j, NULL, world->notes[i]);
    }
    if (cli_world_warning(world)) {
        cli_json_text(j, NULL, cli_world_warning(world));
    }
    cli_json_close(j, ']');
}

static void json_heading(Json *j, const Tally *tally, const World *world, const Options *opt) {
    char hash[24];
    snprintf(hash, sizeof hash, "%016llx",
             (unsigned long long)impState_Hash(world->model, world->state));
    cli_json_text(j, "schema", "impel-run-2");
    cli_json_text(j, "version", impVersion());
    cli_json_text(j, "scene", world->path);
    cli_json_text(j, "method", impStepper_Method(world->insist.stepper));
    cli_json_count(j, "seed", opt->seed);
    cli_json_text(j, "status", tally->status);
    if (tally->reason[0]) {
        cli_json_text(j, "reason", tally->reason);
    }
    cli_json_number(j, "time", impState_Time(world->state));
    cli_json_count(j, "steps", tally->steps);
    cli_json_number(j, "dt", world->dt);
    cli_json_text(j, "hash", hash);
}

void cli_tally_json(const Tally *tally, const World *world, const Options *opt, FILE *out) {
    Json j = { .out = out };
    cli_json_open(&j, NULL, '{');
    json_heading(&j, tally, world, opt);
    json_bodies(&j, world);
    json_balance(&j, tally, world);
    json_certificate(&j, tally, world);
    if (opt->stats) {
        cli_stats_json(&j, tally, world);
    }
    json_warnings(&j, world);
    cli_json_open(&j, "timing", '{');
    // microseconds are enough
    cli_json_number(&j, "wall_s", round(tally->wall * 1e6) / 1e6);
    cli_json_count(&j, "threads", impStepper_Threads(world->insist.stepper));
    cli_json_close(&j, '}');
    cli_json_close(&j, '}');
}

// --- for people ----------------------------------------------------------------------------------
static void line(Table *t, const char *what, const char *value, const char *unit,
                 const char *more) {
    cli_cell(t, "%s", what);
    cli_cell(t, "%s", value);
    cli_cell(t, "%s", unit);
    cli_cell(t, "%s", more);
}

static void print_roles(Table *t, const World *world) {
    int count[3] = { 0 };
    int all = impModel_BodyCount(world->model);
    char roles[96], total[16];
    for (int i = 1; i < all; i++) {
        count[impModel_Role(world->model, (impBody){ i })]++;
    }
    snprintf(roles, sizeof roles, "%d dynamic, %d fixed, %d kinematic", count[IMP_DYNAMIC],
             count[IMP_FIXED], count[IMP_KINEMATIC]);
    snprintf(total, sizeof total, "%d", all - 1);
    line(t, "bodies", total, "", roles);
}

static void print_time(Table *t, const Tally *tally, const World *world) {
    char steps[96];
    snprintf(steps, sizeof steps, "%lld steps of %s s%s%s", (long long)tally->steps,
             cli_exact(world->dt).text, tally->status[0] == 'c' ? "" : ", ",
             tally->status[0] == 'c' ? "" : tally->status);
    line(t, "time", cli_exact(impState_Time(world->state)).text, "s", steps);
    if (tally->halved == 0) return;
    char halved[32];
    snprintf(halved, sizeof halved, "%lld", (long long)tally->halved);
    snprintf(steps, sizeof steps, "of these steps, in %lld parts together",
             (long long)tally->parts);
    line(t, "  halved", halved, "", steps);
}

static void print_energy(Table *t, const Tally *tally, const World *world) {
    impEnergy e = impState_Energy(world->model, world->state);
    double total = e.kinetic + e.potential;
    double initial = tally->initial.kinetic + tally->initial.potential;
    char change[96];
    snprintf(change, sizeof change, "initially %s, change %+.2g", cli_short(initial).text,
             total - initial);
    line(t, "energy", cli_short(total).text, "J", change);
    line(t, "  kinetic", cli_short(e.kinetic).text, "J", "");
    line(t, "  potential", cli_short(e.potential).text, "J", "");
    if (tally->contacts == 0) return;
    impCauses by = impStats_Causes(tally->stats);
    line(t, "  by restitution", cli_short(by.restitution).text, "J",
         "of what the contacts changed");
    line(t, "  by friction", cli_short(by.friction).text, "J", "");
    line(t, "  by micro-steps", cli_short(by.microcollision).text, "J",
         "normal part of microcollisions");
    if (by.driven != 0) {
        line(t, "  by motions", cli_short(by.driven).text, "J", "work of prescribed bodies");
    }
    if (by.sleep_energy != 0) {
        line(t, "  by sleep", cli_short(by.sleep_energy).text, "J", "taken from bodies at rest");
    }
    if (by.scheme_energy != 0) {
        line(t, "  by the scheme", cli_short(by.scheme_energy).text, "J",
             "of first order in the step");
    }
}

static void print_vector(Table *t, const char *what, impVec3 v, const char *unit) {
    char parts[112];
    snprintf(parts, sizeof parts, "[%s, %s, %s]", cli_short(v.x).text, cli_short(v.y).text,
             cli_short(v.z).text);
    line(t, what, cli_short(sqrt(v.x * v.x + v.y * v.y + v.z * v.z)).text, unit, parts);
}

static void worst_row(Table *t, const char *name, const char *value, const char *limit,
                      const char *unit, const char *about) {
    cli_cell(t, "%s", name);
    cli_cell(t, "%s", value);
    cli_cell(t, "%s", limit);
    cli_cell(t, "%s", unit);
    cli_cell(t, "%s", about);
}

// Of a run that failed at its first step there are no limits yet.
static bool print_worst(const Tally *tally, FILE *out) {
    Table t = { .align = "lrrll" };
    worst_row(&t, "worst of all steps", "", "limit", "", "0 in a perfect world");
    for (int i = 0; i < FIELDS; i++) {
        char name[32], value[32], limit[32], about[120];
        int64_t beyond = tally->beyond[i];
        double most = value_of(&tally->limit, i);
        snprintf(name, sizeof name, "  %s", fields[i].name);
        snprintf(value, sizeof value, "%.3g", value_of(&tally->worst, i));
        snprintf(limit, sizeof limit, "%.3g", most);
        snprintf(about, sizeof about, "%s; beyond its limit in %lld step%s", fields[i].about,
                 (long long)beyond, beyond == 1 ? "" : "s");
        worst_row(&t, name, value, isfinite(most) && tally->steps ? limit : "-", fields[i].unit,
                  beyond ? about : fields[i].about);
    }
    return cli_table_print(&t, out);
}

static void print_gap(Table *t, const Tally *tally) {
    char value[32], about[80];
    snprintf(value, sizeof value, "%.3g", tally->gap);
    snprintf(about, sizeof about, "smallest gap of any pair; all pairs checked %lld time%s",
             (long long)tally->pair_checks, tally->pair_checks == 1 ? "" : "s");
    if (isfinite(tally->gap)) {
        line(t, "gap", value, "m", about);
    }
}

bool cli_tally_print(const Tally *tally, const World *world, const Options *opt, FILE *out) {
    impMomentum p = impState_Momentum(world->model, world->state);
    const char *about = impModel_About(world->model);
    Table t = { .align = "lrll" };
    fprintf(out, "%s%s%s\n", world->path, about && about[0] ? ": " : "", about ? about : "");
    char seed[40], count[24];
    snprintf(seed, sizeof seed, "seed %lld", (long long)opt->seed);
    line(&t, "method", impStepper_Method(world->insist.stepper), "", seed);
    print_time(&t, tally, world);
    print_roles(&t, world);
    snprintf(count, sizeof count, "%lld", (long long)tally->contacts);
    line(&t, "contacts", count, "", "of all steps together");
    print_gap(&t, tally);
    print_energy(&t, tally, world);
    print_vector(&t, "momentum", p.linear, "N s");
    print_vector(&t, "angular momentum", p.angular, "N m s");
    bool whole = cli_table_print(&t, out);
    whole = print_worst(tally, out) && whole;
    if (opt->stats) {
        whole = whole && cli_stats_print(tally, world, out);
    }
    fprintf(out, "hash %016llx\n", (unsigned long long)impState_Hash(world->model, world->state));
    // a file that could not be written is no result
    if (tally->output_whole) {
        fprintf(out, "samples: %s (%lld)\n", opt->output, (long long)tally->samples);
    }
    if (tally->contacts_whole) {
        fprintf(out, "contacts: %s\n", opt->contacts);
    }
    return whole;
}
