// prism.c -- cases of `impel validate` with method impulse: coins that are prisms of N sides.
//
// docs/validation/cases.md and the coins of docs/theory/microcollisions.md, section 6. A prism that
// rolls without slip over an edge lands on the next one, a = 2 pi / N on, and with e = 0 keeps of
// its spin what it has of angular momentum about that edge,
//
//   k = (I + m R^2 cos a) / (I + m R^2) = 1 - (2/3) (1 - cos a)      I = m R^2 / 2,
//
// so that it loses 1 - k^2 of its energy, (2/3) a^2, at every side, and 4 pi / (3 N) a radian. The
// loss is of the first order in 1/N, and so is the way of a coin that leans: the reference's order
// of 2 is that of the shape alone.
//
// SPDX-License-Identifier: MIT
#include "steps.h"

#include <math.h>
#include <stdio.h>

#define G   9.81
#define RAD (STAGE_PI / 180)

static impVec3 points[LATHE_POINTS];
static int32_t faces[LATHE_INTS];

static impShapeDef prism(int sides, double radius, double thick) {
    const double both[2] = { radius, radius };
    const double z[2] = { -0.5 * thick, 0.5 * thick };
    return cli_stage_lathe((Lathe){ 2, sides, both, z }, points, faces);
}

// As a thin disc has it, whatever the sides.
static void disc_inertia(impBodyDef *def, double radius) {
    double square = def->mass * radius * radius;
    def->inertia[0][0] = def->inertia[1][1] = square / 4;
    def->inertia[2][2] = square / 2;
}

// --- upright: what a side costs ------------------------------------------------------------------
// Thick enough to stay upright, slow enough (w^2 R < g) to stay on the floor, fast enough to pass
// every edge: it stands on one at first. How much of its energy a radian costs. When it lands it
// may be anywhere in a micro-step, up to 7e-4 m/s faster or slower than it would be, of 0.14 m/s or
// more: that is 0.5 % of a single loss at most with 32 sides and 1 % with 128.
static double lost_upright(Report *r, int sides) {
    const double radius = 1;
    const double w0 = 2.9;
    const double a = 2 * STAGE_PI / sides;
    double lost = nan("");
    Stage s;
    cli_stage_open(&s, r, G, 1, 0, 1e-7);
    cli_stage_slope(&s, 0);
    // axis along -y
    impBodyDef def = { .mass = 1,
                       .pose = { { 0, 0, radius + s.level }, { sqrt(0.5), sqrt(0.5), 0, 0 } },
                       .twist = { { w0 * radius, 0, 0 }, { 0, w0, 0 } } };
    disc_inertia(&def, radius);
    impBody body = cli_stage_add(&s, def, prism(sides, radius, 1));
    double rotated = 0;
    double before = 0;
    double low = G * (radius * cos(a / 2) + s.level);
    double from = 0;
    bool good = cli_stage_start(&s);
    if (good) {
        from = cli_stage_energy(&s) - low;
    }
    for (int i = 1; i <= 200 && good; i++) {
        good = cli_stage_run(&s, 0.01 * i, 0.01);
        if (!good) break;
        impVec3 x = cli_stage_axis(&s, body, (impVec3){ 1, 0, 0 });
        double now = atan2(-x.z, x.x);
        double by = now - before;
        rotated += by - 2 * STAGE_PI * floor(by / (2 * STAGE_PI) + 0.5);
        before = now;
    }
    if (good) {
        lost = -log((cli_stage_energy(&s) - low) / from) / (a * floor(rotated / a + 0.5));
    }
    cli_stage_close(&s);
    return lost;
}

static void upright(Report *r, int sides) {
    const double a = 2 * STAGE_PI / sides;
    char text[64];
    snprintf(text, sizeof text, "upright, N = %d: energy lost a radian", sides);
    const double rate = -2 * log(1 - 2.0 / 3 * (1 - cos(a))) / a;
    cli_report(r, text, "1/rad", rate, lost_upright(r, sides), 2e-3 * rate);
}

// --- leaning, towards the disc that rolls without slip -------------------------------------------
// Where its centre is after 0.3 s, seen from that of rolling_disk.json "coin_rolling".
static impVec3 leaning(Report *r, int sides) {
    const double alpha = 70 * RAD;
    const double radius = 0.01213;
    const double thin = 1e-6;
    const double c = cos(alpha);
    const double d = sin(alpha);
    const impVec3 w = { 2, 5 * c - 40 * d, 5 * d + 40 * c };
    impVec3 at = { nan(""), 0, 0 };
    Stage s;
    cli_stage_open(&s, r, G, 1, 0, 1e-6);
    cli_stage_slope(&s, 0);
    impBodyDef def = { .mass = 0.00567, .pose.rotation = { cos(alpha / 2), sin(alpha / 2), 0, 0 } };
    def.pose.at.z = radius * d + 0.5 * thin * c + s.level;
    // w x arm, the arm from the point that touches to the middle
    def.twist = (impTwist){
        { w.y * radius * d - w.z * radius * c, -w.x * radius * d, w.x * radius * c }, w
    };
    disc_inertia(&def, radius);
    impBody body = cli_stage_add(&s, def, prism(sides, radius, thin));
    if (cli_stage_start(&s) && cli_stage_run(&s, 0.3, 0.01)) {
        at = cli_stage_at(&s, body);
    }
    cli_stage_close(&s);
    return (impVec3){ at.x + 0.06463011217045231, at.y - 0.10239994925745997,
                      at.z - 0.011181817098373176 };
}

static double size3(impVec3 v) { return cli_distance(v, (impVec3){ 0, 0, 0 }); }

static void towards_the_disc(Report *r) {
    impVec3 few = leaning(r, 32);
    impVec3 more = leaning(r, 64);
    impVec3 most = leaning(r, 128);
    cli_report(r, "leaning, N = 32 and 64: order in 1/N", "", 1, log2(size3(few) / size3(more)),
               0.2);
    cli_report(r, "leaning, N = 64 and 128: order in 1/N", "", 1, log2(size3(more) / size3(most)),
               0.2);
    // what is of the first order taken out: a quarter of what N = 128 is off, 8 mm
    impVec3 none = { 2 * most.x - more.x, 2 * most.y - more.y, 2 * most.z - more.z };
    cli_report(r, "leaning, no sides, from 64 and 128: off", "m", 0, size3(none),
               0.25 * size3(most));
}

// --- thin coins: spun, they lie down -------------------------------------------------------------
// It names neither the lean nor the edge they start with, on which the time of the rest depends,
// but hardly the collisions: those are of the last whirl. Here 20 degrees, on an edge, spun about
// the vertical. They lose by sides, not by micro-steps: the time is twice as long with twice the
// sides, and does not depend on the band (N = 64, bands of 1e-2 to 1e-5 of the
// thickness: 1.26, 1.40, 1.45, 1.47 s). s
typedef struct Spun {
    double rests;
    int collisions;
} Spun;

static Spun spun(Report *r, int sides, double band) {
    const double alpha = 70 * RAD;
    const double radius = 0.01213;
    const double thick = 0.00175;
    Spun out = { nan(""), 0 };
    Stage s;
    cli_stage_open(&s, r, G, 0.3, 0.3, band);
    cli_stage_slope(&s, 0);
    impBodyDef def = { .mass = 0.00567, .pose.rotation = { cos(alpha / 2), sin(alpha / 2), 0, 0 } };
    def.twist.angular.z = 40;
    def.pose.at.z = radius * sin(alpha) + 0.5 * thick * cos(alpha) + s.level;
    impBody body = cli_stage_add(&s, def, prism(sides, radius, thick));
    bool good = cli_stage_start(&s) && cli_stage_run(&s, 3, 0.02);
    if (good && !impAsleep(s.model, s.state, body, &out.rests)) {
        out.rests = HUGE_VAL;
    }
    out.collisions = s.collisions;
    cli_stage_close(&s);
    return out;
}

static void spun_coins(Report *r) {
    static const int sides[3] = { 16, 32, 64 };
    static const int known[3][2] = { { 226, 314 }, { 720, 1023 }, { 2167, 3310 } };
    double before = nan("");
    char text[64];
    for (int i = 0; i < 3; i++) {
        Spun wide = spun(r, sides[i], 1e-3 * 0.00175);
        Spun fine = spun(r, sides[i], 1e-4 * 0.00175);
        snprintf(text, sizeof text, "spun, N = %d: collisions", sides[i]);
        cli_report(r, text, "", known[i][0], wide.collisions, 0.1 * known[i][0]);
        snprintf(text, sizeof text, "spun, N = %d: with a tenth of the band", sides[i]);
        cli_report(r, text, "", known[i][1], fine.collisions, 0.1 * known[i][1]);
        snprintf(text, sizeof text, "spun, N = %d: rests later with that", sides[i]);
        cli_report(r, text, "relative", 0, fine.rests / wide.rests - 1, 0.05);
        snprintf(text, sizeof text, "spun, N = %d: time beside half as many", sides[i]);
        if (i) {
            cli_report(r, text, "", 2, fine.rests / before, 0.2);
        }
        before = fine.rests;
    }
}

void cli_case_prism(Report *r) {
    for (int sides = 32; sides <= 128; sides *= 2) {
        upright(r, sides);
    }
    towards_the_disc(r);
    spun_coins(r);
}

// --- by method iterated --------------------------------------------------------------------------
static void loses(Report *r, const void *what, double *out) {
    (void)what;
    out[0] = lost_upright(r, 16);
    out[1] = lost_upright(r, 32);
}

void cli_iterated_prism(Report *r) {
    double rate[2];
    for (int i = 0; i < 2; i++) {
        double a = 2 * STAGE_PI / (16 << i);
        rate[i] = -2 * log(1 - 2.0 / 3 * (1 - cos(a))) / a;
    }
    const Quantity known[2] = {
        { "upright, N = 16: energy lost a radian", "1/rad", rate[0], 2e-3 * rate[0] },
        { "upright, N = 32: energy lost a radian", "1/rad", rate[1], 2e-3 * rate[1] }
    };
    cli_steps(r, known, 2, 0.8, loses, NULL);
}
