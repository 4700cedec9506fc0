// crowds.c -- `impel validate`: the contact tests of SimBenchmark, and the funnel of Bender &
// Schmitt 2006, by method iterated.
//
// docs/validation/cases.md, section "Method iterated": balls on a plate that is pushed, balls that
// bounce without loss, balls that settle in columns, the beginning of cubes in a funnel.
//
// SPDX-License-Identifier: MIT
#include "stage.h"

#include <math.h>

#define G 9.81

static double worse(double a, double b) { return b <= a ? a : b; }

// --- a plate with 25 balls is pushed along its diagonal ------------------------------------------
// The plate slides, the balls roll on it without slip and take 2/7 of its acceleration,
//
//   a = (150 - 0.4 (10 + 25) g) / (10 + 25 2/7).
enum { SIDE = 5, BALLS = SIDE * SIDE };

static void push_plate(Report *r, double angle, double h, const char *const names[3]) {
    const double radius = 0.5;
    const double a = (150 - 0.4 * 35 * G) / (10 + 25 * 2.0 / 7);
    const double seconds = 4;
    double push[6 * (BALLS + 1)] = { 150 * cos(angle), 150 * sin(angle) };
    impBody ball[BALLS];
    Stage s;
    cli_report_set_step(r, h);
    cli_stage_open(&s, r, G, 0.4, 0, 1e-4);
    cli_stage_material(&s, "ball", 0.8, 0);
    cli_stage_pair(&s, "m", "ball", 0.8, 0);
    cli_stage_pair(&s, "ball", "ball", 0, 0);
    cli_stage_slope(&s, 0);
    impBodyDef def = { .name = "plate", .mass = 10, .pose.at.z = 0.5 + s.level };
    impBody plate = cli_stage_add(&s, def, (impShapeDef){ .kind = "box", .size = { 20, 20, 1 } });
    for (int i = 0; i < BALLS; i++) {
        def = (impBodyDef){ .mass = 1,
                            .material = "ball",
                            .pose.at = { 2.0 * (i % SIDE - 2), 2.0 * (i / SIDE - 2),
                                         1 + radius + 2 * s.level } };
        ball[i] = cli_stage_add(&s, def, (impShapeDef){ .kind = "sphere", .size = { radius } });
    }
    bool good = cli_stage_start(&s);
    for (int k = 0; k < (int)(seconds / h + 0.5) && good; k++) {
        good = cli_stage_push(&s, push, h);
    }
    double worst = 0, aside = 0;
    double forward = nan("");
    if (good) {
        impVec3 v = cli_stage_twist(&s, plate).linear;
        forward = v.x * cos(angle) + v.y * sin(angle);
        aside = fabs(v.y * cos(angle) - v.x * sin(angle));
        for (int i = 0; i < BALLS; i++) {
            v = cli_stage_twist(&s, ball[i]).linear;
            double on = (v.x * cos(angle) + v.y * sin(angle)) / seconds;
            worst = worse(worst, fabs(on - 2.0 / 7 * a));
            aside = worse(aside, fabs(v.y * cos(angle) - v.x * sin(angle)));
        }
    }
    cli_report(r, names[0], "m/s^2", a, forward / seconds, 1e-4);
    cli_report(r, names[1], "m/s^2", 0, good ? worst : nan(""), 1e-4);
    cli_report(r, names[2], "m/s", 0, good ? aside : nan(""), 4e-4);
    cli_stage_close(&s);
}

void cli_iterated_plate(Report *r) {
    static const char *const diagonal[] = { "along the diagonal: acceleration",
                                            "along the diagonal: of the balls, worst off",
                                            "along the diagonal: speed aside, worst" };
    static const char *const other[] = { "at 60 deg: acceleration",
                                         "at 60 deg: of the balls, worst off",
                                         "at 60 deg: speed aside, worst" };
    push_plate(r, STAGE_PI / 4, 1e-3, diagonal);
    push_plate(r, STAGE_PI / 3, 1e-3, other);
}

// --- 49 balls that keep all of their energy ------------------------------------------------------
void cli_iterated_bouncers(Report *r) {
    double worst = 0;
    Stage s;
    cli_report_set_step(r, 1e-3);
    cli_stage_open(&s, r, G, 0, 1, 1e-5);
    cli_stage_slope(&s, 0);
    for (int i = 0; i < 49; i++) {
        impBodyDef def = { .mass = 10, .pose.at = { 0.5 * (i % 7), 0.5 * (i / 7), 5 } };
        cli_stage_add(&s, def, (impShapeDef){ .kind = "sphere", .size = { 0.1 } });
    }
    bool good = cli_stage_start(&s);
    double e0 = good ? cli_stage_energy(&s) : 0;
    cli_report(r, "energy at the start", "J", 24034.5, e0, 1e-6);
    for (int i = 1; i <= 200 && good; i++) {
        good = cli_stage_run(&s, 0.1 * i, 1e-3);
        worst = good ? worse(worst, fabs(cli_stage_energy(&s) / e0 - 1)) : nan("");
    }
    cli_report(r, "energy off, 20 s, worst", "relative", 0, worst, 1e-9);
    cli_report_least(r, "bounces", "", 49 * 9, s.collisions);
    cli_stage_close(&s);
}

// --- 216 balls that settle -----------------------------------------------------------------------
// 6 x 6 x 6, 0.21 m apart, each up to 1 mm aside: Knuth's generator of 64 bits. Columns without
// friction buckle, balls roll off each other. The overlap of what is in contact.
typedef struct Settled {
    double mean, deepest;  // m: overlap of a contact, and of any pair
    double squared;        // J^2: error of the energy, mean
} Settled;

static Settled settle(Report *r, double e, double up) {
    const double h = 1e-3;
    enum { STEPS = 10000 };
    uint64_t dice = 1;
    double contacts = 0, e0 = 0;
    Settled out = { 0 };
    Stage s;
    cli_stage_open(&s, r, G, 0, e, 1e-6);
    cli_stage_slope(&s, 0);
    for (int i = 0; i < 216; i++) {
        double at[3];
        for (int k = 0; k < 3; k++) {
            dice = dice * 6364136223846793005u + 1442695040888963407u;
            at[k] = 2e-3 * ((double)(dice >> 11) / 9007199254740992.0 - 0.5);
        }
        impBodyDef def = { .mass = 10 };
        def.pose.at.x = 0.21 * (i % 6) + at[0];
        def.pose.at.y = 0.21 * (i / 6 % 6) + at[1];
        def.pose.at.z = 0.105 + 0.21 * (i / 36) + up + at[2];
        cli_stage_add(&s, def, (impShapeDef){ .kind = "sphere", .size = { 0.1 } });
    }
    bool good = cli_stage_start(&s);
    e0 = good ? cli_stage_energy(&s) : 0;
    for (int k = 0; k < STEPS && good; k++) {
        impOutcome o = impStep(s.stepper, s.state, NULL, h);
        good = o.verdict == IMP_SOLVED && !cli_caught();
        for (int i = 0; i < o.contact_count; i++) {
            out.mean += fmax(0, -o.contacts[i].gap);
        }
        contacts += o.contact_count;
        out.deepest = worse(out.deepest, o.certificate.overlap);
        double off = good ? cli_stage_energy(&s) - e0 : 0;
        out.squared += off * off / STEPS;
    }
    out.mean /= fmax(1, contacts);
    cli_stage_close(&s);
    return good ? out : (Settled){ nan(""), nan(""), nan("") };
}

void cli_iterated_columns(Report *r) {
    Settled x = settle(r, 0, 0);
    cli_report(r, "e = 0: overlap, mean of the contacts", "m", 0, x.mean, 1e-5);
    cli_report(r, "e = 0: overlap, worst", "m", 0, x.deepest, 1e-4);
    // the best that is published, by RaiSim
    x = settle(r, 1, 1);
    cli_report(r, "e = 1: mean squared error of the energy", "J^2", 0, x.squared, 8.4);
    cli_report(r, "e = 1: overlap, worst", "m", 0, x.deepest, 1e-4);
}

// --- a thousand cubes fall into a funnel ---------------------------------------------------------
// scenes/funnel.json: a grid of randomly turned cubes above four slabs at 45 degrees. Uniform
// random rotations (Shoemake 1992) by Knuth's generator, three draws a cube.
static double draw(uint64_t *dice) {
    *dice = *dice * 6364136223846793005u + 1442695040888963407u;
    return (double)(*dice >> 11) / 9007199254740992.0;
}

static impQuat random_rotation(uint64_t *dice) {
    double u = draw(dice);
    double a = 2 * STAGE_PI * draw(dice);
    double b = 2 * STAGE_PI * draw(dice);
    return (impQuat){ sqrt(1 - u) * sin(a), sqrt(1 - u) * cos(a), sqrt(u) * sin(b),
                      sqrt(u) * cos(b) };
}

static void add_slab(Stage *s, int quarter) {
    const double part = sqrt(0.5);
    const double out = 6 + 10.5 * part;
    const double tilt = STAGE_PI / 8;
    const double yaw = STAGE_PI / 4 * quarter;
    impBodyDef def = { .fixed = true };
    def.pose.at = (impVec3){ out * cos(2 * yaw), out * sin(2 * yaw), 10 + 9.5 * part };
    def.pose.rotation = (impQuat){ cos(yaw) * cos(tilt), -sin(yaw) * sin(tilt),
                                   cos(yaw) * sin(tilt), sin(yaw) * cos(tilt) };
    cli_stage_add(s, def, (impShapeDef){ .kind = "box", .size = { 1, 34, 20 } });
}

void cli_iterated_funnel(Report *r) {
    enum { EDGE = 10, CUBES = EDGE * EDGE * EDGE, STEPS = 1500 };
    const double h = 1e-3;
    uint64_t dice = 12345;
    double deepest = 0, gain = 0;
    Stage s;
    cli_report_set_step(r, h);
    cli_stage_open(&s, r, G, 0.1, 0.48, 1e-4);
    cli_stage_slope(&s, 0);
    for (int i = 0; i < 4; i++) {
        add_slab(&s, i);
    }
    for (int i = 0; i < CUBES; i++) {
        impBodyDef def = { .mass = 1 };
        def.pose.at = (impVec3){ 1.75 * (i % EDGE - 4.5), 1.75 * (i / EDGE % EDGE - 4.5),
                                 17.5 + 1.75 * (i / EDGE / EDGE) };
        def.pose.rotation = random_rotation(&dice);
        cli_stage_add(&s, def, (impShapeDef){ .kind = "box", .size = { 1, 1, 1 } });
    }
    bool good = cli_stage_start(&s);
    const double e0 = good ? cli_stage_energy(&s) : 0;
    double before = e0;
    for (int k = 0; k < STEPS && good; k++) {
        impOutcome o = impStep(s.stepper, s.state, NULL, h);
        good = o.verdict == IMP_SOLVED && !cli_caught();
        deepest = worse(deepest, o.certificate.overlap);
        double now = good ? cli_stage_energy(&s) : before;
        gain = worse(gain, (now - before) / e0);
        before = now;
    }
    cli_report(r, "overlap, worst of any pair", "m", 0, good ? deepest : nan(""), 6e-3);
    cli_report(r, "energy gained in a step, worst", "relative", 0, good ? gain : nan(""), 1e-6);
    cli_stage_close(&s);
}
