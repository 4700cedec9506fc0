// balls.c -- cases of `impel validate` with method impulse: balls that hit balls.
//
// docs/validation/cases.md. Balls in a line without gaps are struck one by one: what comes of
// it is what comes of gaps that shrink to nothing. Pairs that collide at the same time and share a
// ball are resolved together, so that a break along the axis stays mirrored.
//
// SPDX-License-Identifier: MIT
#include "stage.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define G            9.81
#define LENGTH(list) ((int)(sizeof(list) / sizeof(list)[0]))

static impShapeDef sphere_of(double radius) {
    return (impShapeDef){ .kind = "sphere", .size = { radius } };
}

// --- balls in line -------------------------------------------------------------------------------
typedef struct Chain {
    int count;
    double gap, e, speed;
    double after[5];  // of the speed
    double done;      // s: all is over
} Chain;

// ended: s, since the first hit
typedef struct Passed {
    double off, energy, ended;
    int hits;
} Passed;

// off: the worst difference, of each speed itself or, of what should be at rest, of the striker's.
// order: the bodies are made in this order.
static Passed pass_on(Report *r, const Chain *c, const double *mass, const int *order) {
    const double radius = 0.008;
    impBody ball[5];
    Passed out = { .off = nan(""), .energy = nan(""), .ended = nan("") };
    Stage s;
    cli_stage_open(&s, r, 0, 0, c->e, 1e-7);
    for (int k = 0; k < c->count; k++) {
        // the striker comes from 1 mm away
        int i = order ? order[k] : k;
        double gap = 2 * radius + s.level + c->gap;
        double x = i == 0 ? -2 * radius - 1e-3 : (i - 1) * gap;
        impBodyDef def = { .mass = mass ? mass[i] : 0.0054, .pose.at = { x, 0, 0 } };
        if (i == 0) {
            def.twist.linear.x = c->speed;
        }
        ball[i] = cli_stage_add(&s, def, sphere_of(radius));
    }
    double e0 = cli_stage_start(&s) ? cli_stage_energy(&s) : 1;
    if (cli_stage_run(&s, c->done, 0.05)) {
        out = (Passed){ .energy = cli_stage_energy(&s) / e0 - 1,
                        .hits = s.collisions,
                        .ended = nan("") };
        if (s.collisions >= 1 && s.collisions <= 16) {
            out.ended = s.hit[s.collisions - 1] - s.hit[0];
        }
    }
    for (int i = 0; i < c->count && !s.broken; i++) {
        double of = c->after[i] == 0 ? 1 : fabs(c->after[i]);
        out.off = fmax(out.off,
                       fabs(cli_stage_twist(&s, ball[i]).linear.x / c->speed - c->after[i]) / of);
    }
    cli_stage_close(&s);
    return out;
}

// After the last ball was struck and before the first catches up with the second: the striker
// arrives after 2 ms, each gap takes 2 to 3 s/m, and the next collision comes 760 s/m of a gap
// later (e = 0.9; 3100 with e = 0.95).
static void first_pass(Report *r) {
    static const struct {
        const char *name;
        double e, gap;
    } rows[] = { { "e = 0.95, gaps of 0.1 mm, first pass, worst", 0.95, 1e-4 },
                 { "e = 0.95, gaps of 1 um, first pass, worst", 0.95, 1e-6 },
                 { "e = 0.9, gaps of 0.1 mm, first pass, worst", 0.9, 1e-4 },
                 { "e = 0.9, gaps of 1 um, first pass, worst", 0.9, 1e-6 } };
    for (int i = 0; i < LENGTH(rows); i++) {
        Chain c = { 5, rows[i].gap, rows[i].e, 0.5, { 0 }, 2e-3 + 20 * rows[i].gap };
        // each ball keeps (1 - e) / 2 of what it was given
        double v = 1;
        for (int k = 0; k < 5; k++, v *= 0.5 * (1 + c.e)) {
            c.after[k] = k < 4 ? v * 0.5 * (1 - c.e) : v;
        }
        cli_report(r, rows[i].name, "relative", 0, pass_on(r, &c, NULL, NULL).off, 1e-9);
    }
}

// After all ten collisions. They end 845.94 s/m of a gap after the first one (e = 0.9; 3285.99 with
// e = 0.95), to 1e-8: the last two meet at 0.3 mm/s, and where they touch is known to some
// millionths of the band.
static void all_passes(Report *r) {
    static const double e95[5] = { 0.023259185821533197, 0.02379680905151369, 0.024346768798828158,
                                   0.02490934570312502, 0.9036878906249999 };
    static const double e90[5] = { 0.04352508203125001, 0.045372964843749974, 0.04729664062499999,
                                   0.04929906249999999, 0.81450625 };
    static const struct {
        const char *name;
        double e, gap, allowed, last;
        const double *after;
    } rows[] = { { "e = 0.95, gaps of 0.1 mm", 0.95, 1e-4, 1e-9, 0.3285986872331915, e95 },
                 { "e = 0.95, gaps of 1 um", 0.95, 1e-6, 1e-9, 0.003285986872331944, e95 },
                 { "e = 0.95, no gaps", 0.95, 0, 1e-6, 0, e95 },
                 { "e = 0.9, gaps of 0.1 mm", 0.9, 1e-4, 1e-9, 0.08459449792625981, e90 },
                 { "e = 0.9, gaps of 1 um", 0.9, 1e-6, 1e-9, 0.0008459449792626028, e90 },
                 { "e = 0.9, no gaps", 0.9, 0, 1e-6, 0, e90 } };
    for (int i = 0; i < LENGTH(rows); i++) {
        char text[64];
        Chain c = { 5, rows[i].gap, rows[i].e, 0.5, { 0 }, 1 };
        memcpy(c.after, rows[i].after, sizeof c.after);
        Passed p = pass_on(r, &c, NULL, NULL);
        snprintf(text, sizeof text, "%s, worst", rows[i].name);
        cli_report(r, text, "relative", 0, p.off, rows[i].allowed);
        // method iterated has several collisions of one time in one
        if (strcmp(cli_report_method(r), "iterated") == 0) continue;
        snprintf(text, sizeof text, "%s: collisions", rows[i].name);
        cli_report(r, text, "", 10, p.hits, 0);
        snprintf(text, sizeof text, "%s: the last after", rows[i].name);
        cli_report(r, text, "s", rows[i].last, p.ended, 1e-8 * rows[i].last);
    }
}

// e = 1
static void all_of_it(Report *r) {
    static const struct {
        const char *name;
        double gap;
    } rows[] = { { "e = 1, gaps of 0.1 mm", 1e-4 },
                 { "e = 1, gaps of 1 um", 1e-6 },
                 { "e = 1, no gaps", 0 } };
    for (int i = 0; i < LENGTH(rows); i++) {
        char text[64];
        Chain whole = { 5, rows[i].gap, 1, 0.5, { 0, 0, 0, 0, 1 }, 1 };
        Passed p = pass_on(r, &whole, NULL, NULL);
        snprintf(text, sizeof text, "%s, worst", rows[i].name);
        cli_report(r, text, "of v", 0, p.off, 1e-9);
        snprintf(text, sizeof text, "%s, energy", rows[i].name);
        cli_report(r, text, "relative", 0, p.energy, 1e-12);
    }
}

// The striker rolls, the far one slides and then rolls at 5/7. Gaps of 0.1 mm take 0.24 % off:
// friction acts in each.
static void on_the_floor(Report *r) {
    const double radius = 0.008;
    impBody ball[5];
    Stage s;
    cli_stage_open(&s, r, G, 0, 1, 1e-7);
    cli_stage_material(&s, "floor", 0.2, 0.5);
    cli_stage_pair(&s, "m", "floor", 0.2, 0.5);
    impShapeDef plane = { .kind = "plane", .size = { 0, 0, 1, 0 } };
    cli_stage_add(&s, (impBodyDef){ .name = "floor", .fixed = true, .material = "floor" }, plane);
    for (int i = 0; i < 5; i++) {
        double x = i == 0 ? -0.05 : (i - 1) * (2 * radius + s.level + 1e-6);
        impBodyDef def = { .mass = 0.0054, .pose.at = { x, 0, radius + s.level } };
        if (i == 0) {
            def.twist = (impTwist){ { 0.5, 0, 0 }, { 0, 0.5 / radius, 0 } };
        }
        ball[i] = cli_stage_add(&s, def, sphere_of(radius));
    }
    if (cli_stage_start(&s) && cli_stage_run(&s, 0.5, 0.02)) {
        cli_report(r, "on a floor: the far one rolls at", "m/s", 2.5 / 7,
                   cli_stage_twist(&s, ball[4]).linear.x, 1e-3 * 2.5 / 7);
    }
    cli_stage_close(&s);
}

// Of five that touch, each k that come together send k away.
static void as_many(Report *r) {
    const double radius = 0.008;
    double worst = 0, energy = 0;
    for (int k = 1; k <= 4; k++) {
        impBody ball[5];
        Stage s;
        cli_stage_open(&s, r, 0, 0, 1, 1e-7);
        for (int i = 0; i < 5; i++) {
            double x = i * (2 * radius + s.level) - (i < k ? 1e-3 : 0);
            impBodyDef def = { .mass = 0.0054, .pose.at = { x, 0, 0 } };
            def.twist.linear.x = i < k ? 0.5 : 0;
            ball[i] = cli_stage_add(&s, def, sphere_of(radius));
        }
        double e0 = cli_stage_start(&s) ? cli_stage_energy(&s) : 1;
        bool good = cli_stage_run(&s, 0.1, 1.0 / 60);
        for (int i = 0; i < 5; i++) {
            double v = good ? cli_stage_twist(&s, ball[i]).linear.x / 0.5 : nan("");
            double off = fabs(v - (i < 5 - k ? 0 : 1));
            // keeps a NaN
            worst = off <= worst ? worst : off;
        }
        energy = good ? fmax(energy, fabs(cli_stage_energy(&s) / e0 - 1)) : nan("");
        cli_stage_close(&s);
    }
    cli_report(r, "e = 1, 1 to 4 of 5 come, 1/60 s: speeds off", "of v", 0, worst, 1e-12);
    cli_report(r, "e = 1, 1 to 4 of 5 come, 1/60 s: energy", "relative", 0, energy, 1e-12);
}

void cli_case_marbles(Report *r) {
    static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                      { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    double worst = 0;
    all_passes(r);
    first_pass(r);
    all_of_it(r);
    Chain three = { 3, 1e-5, 1, 1, { -1.0 / 3, -2.0 / 15, 8.0 / 15 }, 0.5 };
    for (int i = 0; i < 6; i++) {
        worst = fmax(worst, pass_on(r, &three, (const double[]){ 1, 2, 3 }, orders[i]).off);
    }
    cli_report(r, "1, 2 and 3 kg in any order, worst", "relative", 0, worst, 1e-9);
    on_the_floor(r);
}

// --- pool ----------------------------------------------------------------------------------------
static const double pool_radius = 0.028575, pool_mass = 0.17;

static impBody pool_ball(Stage *s, double x, double y, impVec3 v, impVec3 w) {
    impBodyDef def = { .mass = pool_mass,
                       .pose.at = { x, y, pool_radius + s->level },
                       .twist = { v, w } };
    return cli_stage_add(s, def, sphere_of(pool_radius));
}

static void pool_table(Stage *s, Report *r, double e, double mu_balls, double mu_cloth,
                       double band) {
    cli_stage_open(s, r, mu_cloth >= 0 ? G : 0, mu_balls, e, band);
    cli_stage_material(s, "cloth", 0.2, 0.5);
    cli_stage_pair(s, "m", "cloth", mu_cloth > 0 ? mu_cloth : 0, 0.5);
    impShapeDef plane = { .kind = "plane", .size = { 0, 0, 1, 0 } };
    if (mu_cloth >= 0) {
        cli_stage_add(s, (impBodyDef){ .name = "cloth", .fixed = true, .material = "cloth" },
                      plane);
    }
}

// Half a ball: the line of centres is at 30 degrees when they meet, at a distance of two radii and
// the level.
static void oblique(Report *r) {
    const double deg = 180 / STAGE_PI;
    const double d = 2 * pool_radius + 1e-6;
    const double x = -d * sqrt(0.75);
    const double y = -d / 2;
    Stage s;
    // sliding without friction: no spin, the rule of 90 degrees
    pool_table(&s, r, 1, 0, 0, 2e-6);
    impBody cue = pool_ball(&s, x - 0.2, y, (impVec3){ 1, 0, 0 }, (impVec3){ 0, 0, 0 });
    impBody ball = pool_ball(&s, 0, 0, (impVec3){ 0, 0, 0 }, (impVec3){ 0, 0, 0 });
    if (cli_stage_start(&s) && cli_stage_run(&s, 0.5, 0.02)) {
        impVec3 v = cli_stage_twist(&s, cue).linear;
        impVec3 u = cli_stage_twist(&s, ball).linear;
        cli_report(r, "oblique: direction of the ball", "deg", 30, atan2(u.y, u.x) * deg, 1e-3);
        cli_report(r, "oblique: speed of the ball", "of v", sqrt(0.75), hypot(u.x, u.y), 1e-5);
        cli_report(r, "oblique: speed of the cue ball", "of v", 0.5, hypot(v.x, v.y), 1e-5);
        cli_report(r, "oblique: angle between them", "deg", 90,
                   (atan2(u.y, u.x) - atan2(v.y, v.x)) * deg, 1e-3);
    }
    cli_stage_close(&s);
    pool_table(&s, r, 1, 0, 0.2, 2e-6);
    cue = pool_ball(&s, x - 0.2, y, (impVec3){ 1, 0, 0 }, (impVec3){ 0, 1 / pool_radius, 0 });
    pool_ball(&s, 0, 0, (impVec3){ 0, 0, 0 }, (impVec3){ 0, 0, 0 });
    if (cli_stage_start(&s) && cli_stage_run(&s, 1.5, 0.02)) {
        impVec3 v = cli_stage_twist(&s, cue).linear;
        cli_report(r, "rolling cue ball: deflection in the end", "deg", 33.670496508315104,
                   -atan2(v.y, v.x) * deg, 0.2);
    }
    cli_stage_close(&s);
}

// Rows of 1 to 5 with gaps of 0.01 mm; the cue ball comes along their axis. Ball 0 is the cue ball.
static void rack(Stage *s, impBody ball[16]) {
    const double d = 2 * pool_radius + s->level + 1e-5;
    const impVec3 still = { 0, 0, 0 };
    int n = 0;
    ball[n++] = pool_ball(s, -0.2, 0, (impVec3){ 8, 0, 0 }, still);
    for (int row = 0; row < 5; row++) {
        for (int k = 0; k <= row; k++) {
            ball[n++] = pool_ball(s, row * d * sqrt(0.75), (k - 0.5 * row) * d, still, still);
        }
    }
}

// m, worst
static double unmirrored(const Stage *s, const impBody ball[16]) {
    double worst = fabs(cli_stage_at(s, ball[0]).y);
    for (int row = 0, first = 1; row < 5; first += ++row) {
        for (int k = 0; k <= row; k++) {
            impVec3 a = cli_stage_at(s, ball[first + k]);
            impVec3 b = cli_stage_at(s, ball[first + row - k]);
            worst = fmax(worst, fmax(fabs(a.x - b.x), fabs(a.y + b.y)));
        }
    }
    return worst;
}

// What the cloth took and gave after a time, x and y; it is body 1, and fixed.
static impVec3 of_cloth(const impOutcome *o, double after) {
    impVec3 sum = { 0 };
    for (int i = 0; i < o->contact_count; i++) {
        const impContact *c = &o->contacts[i];
        // the impulse is that on a
        int side = c->b.i == 1 ? 1 : c->a.i == 1 ? -1 : 0;
        if (c->time <= after) continue;
        sum.x += side * c->impulse.x;
        sum.y += side * c->impulse.y;
    }
    return sum;
}

// What the reported velocities have besides: by method iterated half of the last impulses at the
// beginning of a step, which stand for those to come.
static impVec3 half_of_last(const Report *r, const impOutcome *o, double begin) {
    if (cli_report_step(r) == 0) return (impVec3){ 0 };
    impVec3 all = of_cloth(o, -1);
    impVec3 later = of_cloth(o, begin);
    return (impVec3){ 0.5 * (all.x - later.x), 0.5 * (all.y - later.y), 0 };
}

static void on_the_cloth(Report *r) {
    impBody ball[16];
    impVec3 sum = { 0 };
    impVec3 half = { 0 };
    double off = nan("");
    Stage s;
    pool_table(&s, r, 0.95, 0.05, 0.2, 2e-6);
    rack(&s, ball);
    bool good = cli_stage_start(&s);
    double p = good ? impState_Momentum(s.model, s.state).linear.x : 0;
    for (int i = 0; i < 30 && good; i++) {
        double begin = impState_Time(s.state);
        impOutcome o = impStep(s.stepper, s.state, NULL, 0.005);
        good = o.verdict == IMP_SOLVED && !cli_caught();
        impVec3 given = of_cloth(&o, -1);
        half = half_of_last(r, &o, begin);
        sum = (impVec3){ sum.x + given.x, sum.y + given.y, 0 };
    }
    impVec3 now = good ? impState_Momentum(s.model, s.state).linear : (impVec3){ 0, 0, 0 };
    if (good) {
        off = hypot(now.x - p - sum.x - half.x, now.y - sum.y - half.y) / p;
    }
    cli_report(r, "break on the cloth: momentum less the cloth's", "relative", 0, off, 1e-10);
    cli_stage_close(&s);
}

void cli_case_pool(Report *r) {
    impBody ball[16];
    Stage s;
    oblique(r);
    // floating: nothing but the balls
    pool_table(&s, r, 1, 0, -1, 2e-6);
    rack(&s, ball);
    if (cli_stage_start(&s)) {
        double e = cli_stage_energy(&s);
        double p = impState_Momentum(s.model, s.state).linear.x;
        cli_stage_run(&s, 0.3, 0.01);
        cli_report(r, "break, e = 1, no friction: energy", "relative", 0,
                   cli_stage_energy(&s) / e - 1, 1e-9);
        p = impState_Momentum(s.model, s.state).linear.x / p - 1;
        cli_report(r, "break, e = 1, no friction: momentum", "relative", 0, p, 1e-10);
    }
    cli_stage_close(&s);
    pool_table(&s, r, 0.95, 0.05, -1, 2e-6);
    rack(&s, ball);
    if (cli_stage_start(&s)) {
        double p = impState_Momentum(s.model, s.state).linear.x;
        cli_stage_run(&s, 0.3, 0.01);
        impVec3 now = impState_Momentum(s.model, s.state).linear;
        double off = hypot(now.x - p, hypot(now.y, now.z)) / p;
        cli_report(r, "break, e = 0.95, mu = 0.05: momentum", "relative", 0,
                   s.broken ? nan("") : off, 1e-10);
    }
    cli_stage_close(&s);
    on_the_cloth(r);
    pool_table(&s, r, 0.95, 0.05, 0.2, 2e-6);
    rack(&s, ball);
    // 50 ms from the first hit
    if (cli_stage_start(&s) && cli_stage_run(&s, 0.075, 0.005)) {
        cli_report(r, "break: off the mirror after 50 ms", "m", 0, unmirrored(&s, ball), 1e-6);
    }
    cli_stage_close(&s);
}

// --- by method iterated --------------------------------------------------------------------------
void cli_iterated_marbles(Report *r) {
    cli_report_set_step(r, 1.0 / 60);
    as_many(r);
    cli_report_set_step(r, 1e-3);
    cli_case_marbles(r);
}
