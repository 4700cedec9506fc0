// coins.c -- `impel validate`: eight coins, four rolled on edge and four tossed, by method impulse.
//
// Mirtich & Canny 1994, figure 8, and Mirtich's Hybrid simulation, table 1; the scene
// is scenes/table1/coins_32.json. What is compared is what every run must end with, not where: the
// coins collide with each other, and where they come to lie is unknown. They are prisms of 32
// sides, which lose energy at every side and come to rest; a true disc does not
// (scenes/table1/coins.json; the case "disc").
//
// SPDX-License-Identifier: MIT
#include "stage.h"

#include <math.h>

#define G   9.81
#define RAD (STAGE_PI / 180)

enum { COINS = 8, SIDES = 32 };
static const double coin_radius = 0.01213, coin_thick = 0.00175, coin_mass = 0.00567,
                    coin_band = 3e-5, table_top = 0.01;

static void platform(Stage *s) {
    const impShapeDef post = { .kind = "box", .size = { 0.02, 0.02, 0.02 } };
    cli_stage_add(s, (impBodyDef){ .fixed = true },
                  (impShapeDef){ .kind = "box", .size = { 0.3, 0.3, 0.02 } });
    for (int i = 0; i < 4; i++) {
        cli_stage_add(
            s,
            (impBodyDef){ .fixed = true,
                          .pose.at = { i & 1 ? -0.14 : 0.14, i & 2 ? -0.14 : 0.14, 0.02 } },
            post);
    }
}

// Rolled towards the middle, 85 degrees from lying flat.
static impBodyDef rolled(const Stage *s, double heading) {
    const double lean = 85 * RAD;
    const double c = cos(heading);
    const double d = sin(heading);
    const double rate = 0.5 / coin_radius;
    const double z = table_top + coin_radius * sin(lean) + 0.5 * coin_thick * cos(lean) + s->level;
    return (impBodyDef){ .pose = { { -0.12 * c, -0.12 * d, z },
                                   { cos(lean / 2), -sin(lean / 2) * c, -sin(lean / 2) * d, 0 } },
                         .twist = {
                             { 0.5 * c, 0.5 * d, 0 },
                             { -rate * d * sin(lean), rate * c * sin(lean), rate * cos(lean) } } };
}

static impBodyDef tossed(double heading) {
    const double c = cos(heading);
    const double d = sin(heading);
    return (impBodyDef){ .pose.at = { -0.1 * c, -0.1 * d, 0.11 },
                         .twist = { { 0.8 * c, 0.8 * d, 0 }, { -20 * d, 20 * c, 0 } } };
}

static void coins(Stage *s, impBody coin[COINS]) {
    static impVec3 points[LATHE_POINTS];
    static int32_t faces[LATHE_INTS];
    const double radius[2] = { coin_radius, coin_radius };
    const double z[2] = { -0.5 * coin_thick, 0.5 * coin_thick };
    const impShapeDef prism = cli_stage_lathe((Lathe){ 2, SIDES, radius, z }, points, faces);
    for (int i = 0; i < COINS; i++) {
        impBodyDef def = i < 4 ? rolled(s, i * (90 * RAD + 0.1))
                               : tossed(45 * RAD + (i - 4) * (90 * RAD + 0.07));
        def.mass = coin_mass;
        coin[i] = cli_stage_add(s, def, prism);
    }
}

// J and m: the worst; how many
typedef struct Lies {
    double kinetic, off;
    int away, edge, flat;
} Lies;

// Flat: it leans less than a coin that lies on another, and no other is below it.
static void observe(const Stage *s, impBody coin, Lies *lies) {
    impVec3 at = cli_stage_at(s, coin);
    impVec3 axis = cli_stage_axis(s, coin, (impVec3){ 0, 0, 1 });
    impTwist t = cli_stage_twist(s, coin);
    impVec3 v = t.linear;
    impVec3 w = t.angular;
    double height = at.z - table_top;
    double lean = acos(fmin(1, fabs(axis.z))) / RAD;
    if (height < 0) {
        lies->away++;
        return;
    }
    // all of its spin as if about its axis: that is the larger moment
    double spin = 0.5 * coin_radius * coin_radius * (w.x * w.x + w.y * w.y + w.z * w.z);
    lies->kinetic = fmax(lies->kinetic,
                         0.5 * coin_mass * (v.x * v.x + v.y * v.y + v.z * v.z + spin));
    lies->edge += lean > 45;
    if (lean > 0.5 || height > coin_thick) return;
    lies->flat++;
    lies->off = fmax(lies->off, fabs(height - 0.5 * coin_thick));
}

void cli_case_coins(Report *r) {
    impBody coin[COINS];
    double least = 0, rise = 0;
    Lies lies = { 0 };
    Stage s;
    cli_stage_open(&s, r, G, 0.3, 0.5, coin_band);
    platform(&s);
    coins(&s, coin);
    if (cli_stage_start(&s)) {
        least = cli_stage_energy(&s);
    }
    for (int i = 1; i <= 1000 && cli_stage_run(&s, 0.005 * i, 0.005); i++) {
        double e = cli_stage_energy(&s);
        rise = fmax(rise, e - least);
        least = fmin(least, e);
    }
    for (int i = 0; i < COINS && !s.broken; i++) {
        observe(&s, coin[i], &lies);
    }
    if (s.broken) {
        rise = lies.kinetic = lies.off = nan("");
    }
    cli_report(r, "energy gained", "J", 0, rise, 0.6 * coin_mass * G * coin_band);
    cli_report(r, "kinetic energy of a coin after 5 s, worst", "J", 0, lies.kinetic, 1e-6);
    cli_report(r, "on edge after 5 s", "", 0, lies.edge, 0);
    cli_report(r, "lying flat: height off t/2, worst", "m", 0, lies.flat ? lies.off : nan(""),
               2 * coin_band);
    cli_stage_close(&s);
}
