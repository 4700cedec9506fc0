// dish.c -- `impel validate`: balls in a dish of triangles, by method impulse.
//
// Mirtich's Hybrid simulation, table 1. A ball that rolls in a bowl of 0.5 m without
// slip swings like a pendulum; its period from 60 degrees is a quadrature
// (docs/validation/cases.md).
//
// SPDX-License-Identifier: MIT
#include "stage.h"

#include <math.h>
#include <string.h>

#define G 9.81

static impShapeDef sphere_of(double radius) {
    return (impShapeDef){ .kind = "sphere", .size = { radius } };
}

// cells to a side; odd numbers: the lowest point is in the middle of one
enum { COARSE_RINGS = 53, FINE_RINGS = 107 };

// The inside of a sphere of radius 0.5 m about the origin, as far as 75 degrees to each side: twice
// cells^2 triangles.
static impBody dish(Stage *s, int cells) {
    static impVec3 points[(FINE_RINGS + 1) * (FINE_RINGS + 1)];
    static int32_t faces[8 * FINE_RINGS * FINE_RINGS];
    int n = 0, f = 0;
    for (int i = 0; i <= cells; i++) {
        for (int k = 0; k <= cells; k++) {
            double x = tan((150.0 * i / cells - 75) * STAGE_PI / 180);
            double y = tan((150.0 * k / cells - 75) * STAGE_PI / 180);
            double size = 0.5 / sqrt(1 + x * x + y * y);
            points[n++] = (impVec3){ size * x, size * y, -size };
        }
    }
    for (int i = 0; i < cells; i++) {
        for (int k = 0; k < cells; k++) {
            int a = i * (cells + 1) + k;
            int b = a + cells + 1;
            const int32_t two[8] = { 3, a, b, b + 1, 3, a, b + 1, a + 1 };
            memcpy(faces + f, two, sizeof two);
            f += 8;
        }
    }
    impShapeDef mesh = {
        .kind = "mesh", .points = points, .point_count = n, .faces = faces, .face_ints = f
    };
    return cli_stage_add(s, (impBodyDef){ .name = "dish", .fixed = true }, mesh);
}

static impBody in_dish(Stage *s, double angle, double side, int cells) {
    // facets lie up to 0.32 mm inside the sphere
    const double far = 0.48 - 4e-4 * COARSE_RINGS * COARSE_RINGS / (cells * cells);
    impVec3 at = { far * sin(angle) * cos(side), far * sin(angle) * sin(side), -far * cos(angle) };
    return cli_stage_add(s, (impBodyDef){ .mass = 0.1, .pose.at = at }, sphere_of(0.02));
}

// A ball is let go at an angle: a period is the time from one passage of the lowest point to the
// one after the next.
static double dish_period(Report *r, double angle, int cells) {
    const double h = 0.002;
    Stage s;
    cli_stage_open(&s, r, G, 0.6, 0, 4e-6);
    dish(&s, cells);
    impBody ball = in_dish(&s, angle, 0, cells);
    double passed[3] = { 0 };
    double before = 1;
    int n = 0;
    if (!cli_stage_start(&s)) {
        n = 3;
    }
    for (double t = 0; n < 3 && t < 4 && cli_stage_run(&s, t + h, h); t += h) {
        double x = cli_stage_at(&s, ball).x;
        if (x * before < 0) {
            passed[n++] = t + h * fabs(before) / (fabs(before) + fabs(x));
        }
        before = x;
    }
    bool good = n == 3 && !s.broken;
    cli_stage_close(&s);
    return good ? passed[2] - passed[0] : nan("");
}

// Five balls from all sides: nothing gains energy, no ball leaves, and what the facets and they
// themselves take away brings them to rest at the bottom. Most are there after 3 s; but one that
// rolls to and fro beside another, about the line through both its contacts, slips nowhere, and
// only the facets stop it.
static void five(Report *r) {
    Stage s;
    cli_stage_open(&s, r, G, 0.3, 0.5, 4e-5);
    dish(&s, COARSE_RINGS);
    impBody ball[5];
    for (int i = 0; i < 5; i++) {
        ball[i] = in_dish(&s, 0.5 + 0.1 * i, 1.3 * i, COARSE_RINGS);
    }
    double least = 0;
    double rise = 0;
    double low = HUGE_VAL;
    double kinetic = 0;
    if (cli_stage_start(&s)) {
        least = cli_stage_energy(&s);
    }
    for (int i = 1; i <= 200 && cli_stage_run(&s, 0.1 * i, 0.02); i++) {
        double e = cli_stage_energy(&s);
        rise = fmax(rise, e - least);
        least = fmin(least, e);
    }
    for (int i = 0; i < 5 && !s.broken; i++) {
        low = fmin(low, -cli_stage_at(&s, ball[i]).z);
    }
    if (!s.broken) {
        kinetic = impState_Energy(s.model, s.state).kinetic;
    }
    // the floor of the micro-steps: m g band
    cli_report(r, "five balls: energy gained", "J", 0, s.broken ? nan("") : rise,
               5 * 0.1 * G * 4e-5);
    cli_report(r, "five balls: kinetic energy after 20 s", "J", 0, kinetic, 1e-6);
    cli_report(r, "five balls: depth of the highest", "m", 0.48, low, 5e-3);
    cli_stage_close(&s);
}

void cli_case_dish(Report *r) {
    cli_report(r, "period from 60 deg", "s", 1.764832, dish_period(r, STAGE_PI / 3, COARSE_RINGS),
               0.02 * 1.764832);
    // 2 pi sqrt(7/5 0.48 / g) (1 + a^2 / 16 + ...) at 0.25 rad
    cli_report(r, "small oscillation, to second order", "Hz", 0.608093,
               (1 + 0.0625 / 16) / dish_period(r, 0.25, COARSE_RINGS), 0.02 * 0.608093);
    // at each seam a ball loses what it has towards the next facet: more of them, less lost
    cli_report(r, "22898 triangles: period from 60 deg", "s", 1.764832,
               dish_period(r, STAGE_PI / 3, FINE_RINGS), 0.005 * 1.764832);
    cli_report(r, "22898 triangles: small oscillation", "Hz", 0.608093,
               (1 + 0.0625 / 16) / dish_period(r, 0.25, FINE_RINGS), 0.005 * 0.608093);
    five(r);
}
