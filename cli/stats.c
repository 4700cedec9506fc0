// stats.c -- what the contacts of a run add up to: energy by cause in every summary, forces pair by
// pair with --stats.
//
// Forces are means over a window, the whole run unless --stats-from and --stats-to say otherwise.
// Of a run that ends before its time the window ends with it.
//
// SPDX-License-Identifier: MIT
#include "cli.h"

#include <math.h>

static const impStats *pairs_of(const Tally *tally) {
    return tally->pairs ? tally->pairs : tally->stats;
}

static double window_end(const Tally *tally, const World *world) {
    return fmin(tally->to, impState_Time(world->state));
}

static double per_second(const Tally *tally, const World *world) {
    double length = window_end(tally, world) - tally->from;
    return length > 0 ? 1 / length : 0;
}

// --- for people ----------------------------------------------------------------------------------
// pairs; --json has them all
enum { SHOWN = 40 };

// parts in 1e12 are rounding
static double whole(double x, impVec3 of) {
    return fabs(x) < 1e-12 * (fabs(of.x) + fabs(of.y) + fabs(of.z)) ? 0 : x;
}

static void cell_vec(Table *t, impVec3 v, double by) {
    cli_cell(t, "%s %s %s", cli_short(whole(v.x, v) * by).text, cli_short(whole(v.y, v) * by).text,
             cli_short(whole(v.z, v) * by).text);
}

static void pair_row(Table *t, const impModel *model, const impPairStats *p, double by) {
    cli_cell(t, "%s", impModel_Name(model, p->a));
    cli_cell(t, "%s", impModel_Name(model, p->b));
    cli_cell(t, "%lld", (long long)p->collisions);
    cli_cell(t, "%lld", (long long)p->micro);
    cli_cell(t, "%s", cli_short(p->normal * by).text);
    cell_vec(t, p->impulse, by);
    cell_vec(t, p->angular_impulse, by);
    cli_cell(t, "%s", cli_short(p->peak).text);
    cli_cell(t, "%.3g",
             p->energy.restitution + p->energy.friction + p->energy.microcollision +
                 p->energy.driven);
}

static void say_window(const Tally *tally, const World *world, FILE *out) {
    double to = window_end(tally, world);
    fprintf(out, "forces are means over %s s", cli_short(fmax(to - tally->from, 0)).text);
    if (tally->pairs) {
        fprintf(out, ", from %s to %s", cli_short(tally->from).text, cli_short(to).text);
    }
    fputc('\n', out);
}

bool cli_stats_print(const Tally *tally, const World *world, FILE *out) {
    static const char *const heads[] = { "body a",
                                         "body b",
                                         "collisions",
                                         "micro",
                                         "normal N",
                                         "mean force on a N",
                                         "torque about 0 N m",
                                         "peak N s",
                                         "energy J" };
    Table t = { .align = "llrrrllrr", .head = true };
    const impStats *stats = pairs_of(tally);
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        cli_cell(&t, "%s", heads[i]);
    }
    int count = impStats_PairCount(stats);
    for (int i = 0; i < count && i < SHOWN; i++) {
        impPairStats p = impStats_Pair(stats, i);
        pair_row(&t, world->model, &p, per_second(tally, world));
    }
    say_window(tally, world, out);
    bool good = cli_table_print(&t, out);
    if (count > SHOWN) {
        fprintf(out, "... and %d more pairs; --json has them all\n", count - SHOWN);
    }
    return good;
}

// --- for programs --------------------------------------------------------------------------------
void cli_causes_json(Json *j, const impCauses *e) {
    cli_json_number(j, "restitution", e->restitution);
    cli_json_number(j, "friction", e->friction);
    cli_json_number(j, "microcollisions", e->microcollision);
    cli_json_number(j, "driven", e->driven);
    cli_json_number(j, "sleep", e->sleep_energy);
    cli_json_number(j, "scheme", e->scheme_energy);
}

static impVec3 scaled(impVec3 v, double by) { return (impVec3){ v.x * by, v.y * by, v.z * by }; }

void cli_stats_json(Json *j, const Tally *tally, const World *world) {
    const impStats *stats = pairs_of(tally);
    double by = per_second(tally, world);
    // s: what the pairs below are of
    cli_json_open(j, "window", '{');
    cli_json_number(j, "from", tally->from);
    cli_json_number(j, "to", window_end(tally, world));
    cli_json_close(j, '}');
    cli_json_open(j, "pairs", '[');
    for (int i = 0; i < impStats_PairCount(stats); i++) {
        impPairStats p = impStats_Pair(stats, i);
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "a", impModel_Name(world->model, p.a));
        cli_json_text(j, "b", impModel_Name(world->model, p.b));
        cli_json_count(j, "collisions", p.collisions);
        cli_json_count(j, "micro", p.micro);
        cli_json_number(j, "first", p.first);
        cli_json_number(j, "last", p.last);
        cli_json_vec(j, "impulse", p.impulse);
        cli_json_vec(j, "angular_impulse", p.angular_impulse);
        // means
        cli_json_vec(j, "force", scaled(p.impulse, by));
        cli_json_vec(j, "torque", scaled(p.angular_impulse, by));
        cli_json_number(j, "normal", p.normal);
        cli_json_number(j, "peak", p.peak);
        cli_json_open(j, "energy", '{');
        cli_causes_json(j, &p.energy);
        cli_json_close(j, '}');
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}
