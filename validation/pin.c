// pin.c -- `impel validate`: one bowling pin, its mass and how it topples.
//
// Mirtich & Canny 1994, figure 9. The USBC profile is revolved twice: with 10 sides
// and a head in two bands, which makes the 162 facets of the paper's pins and of
// scenes/table1/bowling.json, and with 48 sides of a circle's area and a head in 40 bands, which is
// round to 1e-5 and what the reference numbers belong to.
//
// SPDX-License-Identifier: MIT
#include "pin.h"

#include <math.h>
#include <stdio.h>

#define RAD (STAGE_PI / 180)

static const double density = 764.3028306532076;  // kg/m^3: of the reference
enum {
    PROFILE_POINTS = 14,
    COARSE = 2,
    FINE_SIDES = 40,
    SIDES = 10,
    MANY = 48,
    PIECES = 6,
    RINGS = PROFILE_POINTS + 1 + COARSE
};

// The head is a hemisphere from 13.7265 in on, cut off where it is nearly flat.
static void profile(int bands, double to, double *radius, double *z) {
    static const double heights[PROFILE_POINTS] = {
        0, .75, 2.25, 3.375, 4.5, 5.875, 7.25, 8.625, 9.375, 10, 10.875, 11.75, 12.625, 13.5
    };
    static const double diameters[PROFILE_POINTS] = { 2.031, 2.828, 3.906, 4.510, 4.766,
                                                      4.563, 3.703, 2.472, 1.965, 1.797,
                                                      1.870, 2.094, 2.406, 2.547 };
    for (int k = 0; k < PROFILE_POINTS; k++) {
        radius[k] = 0.5 * diameters[k] * PIN_INCH;
        z[k] = heights[k] * PIN_INCH;
    }
    for (int k = 0; k <= bands; k++) {
        double up = to * k / bands;
        radius[PROFILE_POINTS + k] = 1.2735 * cos(up) * PIN_INCH;
        z[PROFILE_POINTS + k] = (13.7265 + 1.2735 * sin(up)) * PIN_INCH;
    }
}

static impBodyDef pin_def(void) {
    // where the profile is hollow
    static const int cuts[PIECES + 1] = { 0, 7, 8, 9, 10, 11, RINGS - 1 };
    static impVec3 points[PIECES][LATHE_POINTS];
    static int32_t faces[PIECES][LATHE_INTS];
    static impShapeDef piece[PIECES];
    double radius[RINGS], z[RINGS];
    profile(COARSE, 70 * RAD, radius, z);
    for (int i = 0; i < PIECES; i++) {
        int low = cuts[i];
        piece[i] = cli_stage_lathe((Lathe){ cuts[i + 1] - low + 1, SIDES, radius + low, z + low },
                                   points[i], faces[i]);
    }
    return (impBodyDef){ .material = "pin", .shapes = piece, .shape_count = PIECES };
}

impBody cli_pin_add(Stage *s, impPose pose, impTwist twist) {
    impBodyDef def = pin_def();
    def.mass = PIN_MASS;
    def.center_given = true;
    def.center.z = PIN_CENTER;
    def.inertia[0][0] = def.inertia[1][1] = PIN_ACROSS;
    def.inertia[2][2] = PIN_AXIAL;
    def.pose = pose;
    def.twist = twist;
    return cli_stage_add(s, def, (impShapeDef){ 0 });
}

double cli_pin_lean(const Stage *s, impBody pin) {
    return acos(fmin(1, cli_stage_axis(s, pin, (impVec3){ 0, 0, 1 }).z));
}

// --- its mass ------------------------------------------------------------------------------------
typedef struct Solid {
    double mass, center, axial, across;
} Solid;

// as the library does, from its shapes
static Solid weigh(Report *r, impBodyDef def) {
    // of the density of a material that says nothing of it
    const double part = density / 1000;
    Solid out = { nan(""), nan(""), nan(""), nan("") };
    Stage s;
    cli_stage_open(&s, r, PIN_G, 0.2, 0, 1e-5);
    cli_stage_material(&s, "pin", 0.2, 0.6);
    impBody pin = cli_stage_add(&s, def, (impShapeDef){ 0 });
    if (cli_stage_start(&s)) {
        impMass m = impModel_Mass(s.model, pin);
        out = (Solid){ part * m.mass, m.center.z, part * m.inertia[2][2], part * m.inertia[0][0] };
    }
    cli_stage_close(&s);
    return out;
}

static Solid weigh_round(Report *r) {
    enum { ALL = PROFILE_POINTS + FINE_SIDES };
    static impVec3 points[ALL][LATHE_POINTS];
    static int32_t faces[ALL][LATHE_INTS];
    static impShapeDef piece[ALL];
    double radius[ALL + 1], z[ALL + 1];
    profile(FINE_SIDES, 89 * RAD, radius, z);
    // as large as circles
    for (int k = 0; k <= ALL; k++) {
        radius[k] *= sqrt(2 * STAGE_PI / MANY / sin(2 * STAGE_PI / MANY));
    }
    for (int k = 0; k < ALL; k++) {
        piece[k] = cli_stage_lathe((Lathe){ 2, MANY, radius + k, z + k }, points[k], faces[k]);
    }
    return weigh(r, (impBodyDef){ .material = "pin", .shapes = piece, .shape_count = ALL });
}

// What 162 facets weigh, by integration along the axis: three points of Gauss to a band, which is
// exact. A regular polygon of n corners at r has the area k r^2 and the polar moment k r^4 (2 +
// cos(2 pi / n)) / 6, k = n sin(2 pi / n) / 2.
static Solid known_facets(void) {
    const double k = 0.5 * SIDES * sin(2 * STAGE_PI / SIDES);
    const double polar = (2 + cos(2 * STAGE_PI / SIDES)) / 6;
    const double at[3] = { -sqrt(0.6), 0, sqrt(0.6) };
    const double weight[3] = { 5.0 / 18, 8.0 / 18, 5.0 / 18 };
    double radius[RINGS];
    double z[RINGS];
    double m[3] = { 0 };
    double axial = 0;
    profile(COARSE, 70 * RAD, radius, z);
    for (int i = 0; i + 1 < RINGS; i++) {
        for (int j = 0; j < 3; j++) {
            double up = 0.5 * (1 + at[j]);
            double x = z[i] + up * (z[i + 1] - z[i]);
            double y = radius[i] + up * (radius[i + 1] - radius[i]);
            double dm = density * k * y * y * weight[j] * (z[i + 1] - z[i]);
            m[0] += dm;
            m[1] += dm * x;
            m[2] += dm * x * x;
            axial += dm * y * y * polar;
        }
    }
    return (Solid){ m[0], m[1] / m[0], axial, m[2] - m[1] * m[1] / m[0] + 0.5 * axial };
}

static void compare(Report *r, const char *name, Solid known, Solid is, double allowed) {
    char text[64];
    snprintf(text, sizeof text, "%s: mass", name);
    cli_report(r, text, "kg", known.mass, is.mass, allowed * known.mass);
    snprintf(text, sizeof text, "%s: centre of mass", name);
    cli_report(r, text, "m", known.center, is.center, allowed * known.center);
    snprintf(text, sizeof text, "%s: moment about the axis", name);
    cli_report(r, text, "kg m^2", known.axial, is.axial, allowed * known.axial);
    snprintf(text, sizeof text, "%s: moment across", name);
    cli_report(r, text, "kg m^2", known.across, is.across, allowed * known.across);
}

void cli_pin_weighed(Report *r) {
    const double foot = 0.5 * 2.031 * PIN_INCH;
    Solid is = weigh_round(r);
    compare(r, "round pin", (Solid){ PIN_MASS, PIN_CENTER, PIN_AXIAL, PIN_ACROSS }, is, 1e-4);
    cli_report(r, "round pin: topples at", "deg", 9.896664999579771, atan2(foot, is.center) / RAD,
               1e-4 * 9.897);
    cli_report(r, "round pin: energy to topple it", "J", 0.03483354554732697,
               is.mass * PIN_G * (hypot(foot, is.center) - is.center), 1e-4 * 0.03483);
    compare(r, "162 facets", known_facets(), weigh(r, pin_def()), 1e-9);
}

// --- how it topples ------------------------------------------------------------------------------
// The foot of 162 facets has corners, as far from the axis as the rim of the round one, and sides,
// nearer by cos(18 deg). It leans over either by an angle from upright, or stands and is given a
// spin about it. What does not topple rocks: it loses 8 % of its energy each time it comes down,
// and needs 12 s. to: rad, its direction
typedef struct Edge {
    const char *name;
    double to, radius;
} Edge;

// rad, in the end
static double topple(Report *r, const Edge *e, double lean, double spin) {
    const double x = cos(e->to);
    const double y = sin(e->to);
    const double half = 0.5 * lean;
    const double d = e->radius;
    impPose pose = { { -d * cos(lean) * x, -d * cos(lean) * y, d * sin(lean) },
                     { cos(half), -sin(half) * y, sin(half) * x, 0 } };
    impTwist twist = { { spin * PIN_CENTER * x, spin * PIN_CENTER * y, spin * d },
                       { -spin * y, spin * x, 0 } };
    Stage s;
    // no slip
    cli_stage_open(&s, r, PIN_G, 1, 0, 1e-5);
    cli_stage_material(&s, "pin", 1, 0);
    cli_stage_slope(&s, 0);
    pose.at.z += s.level;
    impBody pin = cli_pin_add(&s, pose, twist);
    double end = cli_stage_start(&s) && cli_stage_run(&s, 12, 0.02) ? cli_pin_lean(&s, pin)
                                                                    : nan("");
    cli_stage_close(&s);
    return end;
}

static void balance(Report *r, const Edge *e) {
    const double angle = atan2(e->radius, PIN_CENTER);
    const double bounding_radius = hypot(e->radius, PIN_CENTER);
    const double energy = PIN_MASS * PIN_G * (bounding_radius - PIN_CENTER);
    const double about = PIN_ACROSS + PIN_MASS * bounding_radius * bounding_radius;
    const double spin = sqrt(2 * energy / about);
    char text[64];
    snprintf(text, sizeof text, "leans 0.99 of %.4f deg over a %s: ends at", angle / RAD, e->name);
    cli_report(r, text, "deg", 0, topple(r, e, 0.99 * angle, 0) / RAD, 0.05);
    snprintf(text, sizeof text, "leans 1.01 of %.4f deg over a %s: stands", angle / RAD, e->name);
    cli_report(r, text, "", 0, !(topple(r, e, 1.01 * angle, 0) > 60 * RAD), 0);
    snprintf(text, sizeof text, "given 0.99 of %.3f mJ over a %s: ends at", 1000 * energy, e->name);
    cli_report(r, text, "deg", 0, topple(r, e, 0, sqrt(0.99) * spin) / RAD, 0.05);
    snprintf(text, sizeof text, "given 1.01 of %.3f mJ over a %s: stands", 1000 * energy, e->name);
    cli_report(r, text, "", 0, !(topple(r, e, 0, sqrt(1.01) * spin) > 60 * RAD), 0);
}

void cli_pin_toppled(Report *r) {
    const double foot = 0.5 * 2.031 * PIN_INCH;
    balance(r, &(Edge){ "corner", 0, foot });
    balance(r, &(Edge){ "side", STAGE_PI / SIDES, foot * cos(STAGE_PI / SIDES) });
}
