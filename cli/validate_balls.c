// validate_balls.c -- cases of `impel validate` with method impulse: balls that hit balls.
//
// Catalogue rows P3, P5, P6 and C16. Balls in a line without gaps are struck one by one: what comes of it is what comes
// of gaps that shrink to nothing. Pairs that collide at the same time and share a ball are resolved together, so that a
// break along the axis stays mirrored.
//
// SPDX-License-Identifier: MIT
#include "validate_stage.h"

#include <math.h>
#include <string.h>

#define G 9.81
#define LENGTH(list) ((int)(sizeof(list) / sizeof(list)[0]))

static impShapeDef sphere_of(double radius) { return (impShapeDef){.kind = "sphere", .size = {radius}}; }

// --- P3, C16: balls in line -----------------------------------------------------------------------------------------
typedef struct Chain {
    int count;
    double gap, e, speed;
    double after[5];                          // of the speed
    double done;                              // s: all is over
} Chain;

// The worst difference. order: the bodies are made in this order.
static double chain_off(Report *r, const Chain *c, const double *mass, const int *order, double *energy) {
    const double radius = 0.008;
    impBody ball[5];
    double off = 0;
    Stage s;
    cli_stage_open(&s, r, 0, 0, c->e, 1e-7);
    for (int k = 0; k < c->count; k++) {
        int i = order ? order[k] : k;         // the striker comes from a hundred gaps away
        double gap = 2 * radius + s.level + c->gap, x = i == 0 ? -2 * radius - 1e-3 : (i - 1) * gap;
        impBodyDef def = {.mass = mass ? mass[i] : 0.0054, .pose.at = {x, 0, 0}};
        if (i == 0) def.twist.linear.x = c->speed;
        ball[i] = cli_stage_add(&s, def, sphere_of(radius));
    }
    if (!cli_stage_start(&s)) off = nan("");
    double e0 = s.broken ? 1 : cli_stage_energy(&s);
    if (!cli_stage_run(&s, c->done, 0.05)) off = nan("");
    for (int i = 0; i < c->count && !s.broken; i++)
        off = fmax(off, fabs(cli_stage_twist(&s, ball[i]).linear.x / c->speed - c->after[i]));
    if (energy) *energy = s.broken ? nan("") : cli_stage_energy(&s) / e0 - 1;
    cli_stage_close(&s);
    return off;
}

// The striker rolls, the far one slides and then rolls at 5/7. Gaps of 0.1 mm take 0.24 % off: friction acts in each.
static void on_the_floor(Report *r) {
    const double radius = 0.008;
    impBody ball[5];
    Stage s;
    cli_stage_open(&s, r, G, 0, 1, 1e-7);
    cli_stage_material(&s, "floor", 0.2, 0.5);
    cli_stage_pair(&s, "m", "floor", 0.2, 0.5);
    impShapeDef plane = {.kind = "plane", .size = {0, 0, 1, 0}};
    cli_stage_add(&s, (impBodyDef){.name = "floor", .fixed = true, .material = "floor"}, plane);
    for (int i = 0; i < 5; i++) {
        double x = i == 0 ? -0.05 : (i - 1) * (2 * radius + s.level + 1e-6);
        impBodyDef def = {.mass = 0.0054, .pose.at = {x, 0, radius + s.level}};
        if (i == 0) def.twist = (impTwist){{0.5, 0, 0}, {0, 0.5 / radius, 0}};
        ball[i] = cli_stage_add(&s, def, sphere_of(radius));
    }
    if (cli_stage_start(&s) && cli_stage_run(&s, 0.5, 0.02))
        cli_report(r, "on a floor: the far one rolls at", "m/s", 2.5 / 7, cli_stage_twist(&s, ball[4]).linear.x,
                   3.6e-4);
    cli_stage_close(&s);
}

void cli_case_marbles(Report *r) {
    static const double e95[5] = {0.023259185821533197, 0.02379680905151369, 0.024346768798828158, 0.02490934570312502,
                                  0.9036878906249999};
    static const double e90[5] = {0.04352508203125001, 0.045372964843749974, 0.04729664062499999, 0.04929906249999999,
                                  0.81450625};
    static const struct { const char *name; double e, gap, allowed; const double *after; } rows[] = {
        {"e = 0.95, gaps of 0.1 mm, worst", 0.95, 1e-4, 1e-9, e95},
        {"e = 0.95, gaps of 1 um, worst", 0.95, 1e-6, 1e-9, e95},
        {"e = 0.95, no gaps, worst", 0.95, 0, 1e-6, e95},
        {"e = 0.9, gaps of 0.1 mm, worst", 0.9, 1e-4, 1e-9, e90},
        {"e = 0.9, gaps of 1 um, worst", 0.9, 1e-6, 1e-9, e90},
        {"e = 0.9, no gaps, worst", 0.9, 0, 1e-6, e90}};
    for (int i = 0; i < LENGTH(rows); i++) {
        Chain c = {5, rows[i].gap, rows[i].e, 0.5, {0}, 1};
        memcpy(c.after, rows[i].after, sizeof c.after);
        cli_report(r, rows[i].name, "of v", 0, chain_off(r, &c, NULL, NULL, NULL), rows[i].allowed);
    }
    double energy;
    Chain whole = {5, 1e-4, 1, 0.5, {0, 0, 0, 0, 1}, 1};
    cli_report(r, "e = 1, worst", "of v", 0, chain_off(r, &whole, NULL, NULL, &energy), 1e-9);
    cli_report(r, "e = 1, energy", "relative", 0, energy, 1e-12);
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    double worst = 0;
    Chain three = {3, 1e-5, 1, 1, {-1.0 / 3, -2.0 / 15, 8.0 / 15}, 0.5};
    for (int i = 0; i < 6; i++)
        worst = fmax(worst, chain_off(r, &three, (const double[]){1, 2, 3}, orders[i], NULL));
    cli_report(r, "1, 2 and 3 kg in any order, worst", "of v", 0, worst, 1e-9);
    on_the_floor(r);
}

// --- P6: pool -------------------------------------------------------------------------------------------------------
static const double pool_radius = 0.028575, pool_mass = 0.17;

static impBody pool_ball(Stage *s, double x, double y, impVec3 v, impVec3 w) {
    impBodyDef def = {.mass = pool_mass, .pose.at = {x, y, pool_radius + s->level}, .twist = {v, w}};
    return cli_stage_add(s, def, sphere_of(pool_radius));
}

static void pool_table(Stage *s, Report *r, double e, double mu_balls, double mu_cloth, double band) {
    cli_stage_open(s, r, mu_cloth >= 0 ? G : 0, mu_balls, e, band);
    cli_stage_material(s, "cloth", 0.2, 0.5);
    cli_stage_pair(s, "m", "cloth", mu_cloth > 0 ? mu_cloth : 0, 0.5);
    impShapeDef plane = {.kind = "plane", .size = {0, 0, 1, 0}};
    if (mu_cloth >= 0) cli_stage_add(s, (impBodyDef){.name = "cloth", .fixed = true, .material = "cloth"}, plane);
}

// Half a ball: the line of centres is at 30 degrees when they meet, at a distance of two radii and the level.
static void oblique(Report *r) {
    const double deg = 180 / STAGE_PI, d = 2 * pool_radius + 1e-6, x = -d * sqrt(0.75), y = -d / 2;
    Stage s;
    pool_table(&s, r, 1, 0, 0, 2e-6);         // sliding without friction: no spin, the rule of 90 degrees
    impBody cue = pool_ball(&s, x - 0.2, y, (impVec3){1, 0, 0}, (impVec3){0, 0, 0});
    impBody ball = pool_ball(&s, 0, 0, (impVec3){0, 0, 0}, (impVec3){0, 0, 0});
    if (cli_stage_start(&s) && cli_stage_run(&s, 0.5, 0.02)) {
        impVec3 v = cli_stage_twist(&s, cue).linear, u = cli_stage_twist(&s, ball).linear;
        cli_report(r, "oblique: direction of the ball", "deg", 30, atan2(u.y, u.x) * deg, 1e-3);
        cli_report(r, "oblique: speed of the ball", "of v", sqrt(0.75), hypot(u.x, u.y), 1e-5);
        cli_report(r, "oblique: speed of the cue ball", "of v", 0.5, hypot(v.x, v.y), 1e-5);
        cli_report(r, "oblique: angle between them", "deg", 90, (atan2(u.y, u.x) - atan2(v.y, v.x)) * deg, 1e-3);
    }
    cli_stage_close(&s);
    pool_table(&s, r, 1, 0, 0.2, 2e-6);
    cue = pool_ball(&s, x - 0.2, y, (impVec3){1, 0, 0}, (impVec3){0, 1 / pool_radius, 0});
    pool_ball(&s, 0, 0, (impVec3){0, 0, 0}, (impVec3){0, 0, 0});
    if (cli_stage_start(&s) && cli_stage_run(&s, 1.5, 0.02)) {
        impVec3 v = cli_stage_twist(&s, cue).linear;
        cli_report(r, "rolling cue ball: deflection in the end", "deg", 33.670496508315104, -atan2(v.y, v.x) * deg,
                   0.2);
    }
    cli_stage_close(&s);
}

// Rows of 1 to 5 with gaps of 0.01 mm; the cue ball comes along their axis. Ball 0 is the cue ball.
static void rack(Stage *s, impBody ball[16]) {
    const double d = 2 * pool_radius + s->level + 1e-5;
    const impVec3 still = {0, 0, 0};
    int n = 0;
    ball[n++] = pool_ball(s, -0.2, 0, (impVec3){8, 0, 0}, still);
    for (int row = 0; row < 5; row++)
        for (int k = 0; k <= row; k++)
            ball[n++] = pool_ball(s, row * d * sqrt(0.75), (k - 0.5 * row) * d, still, still);
}

static double unmirrored(const Stage *s, const impBody ball[16]) {   // m, worst
    double worst = fabs(cli_stage_at(s, ball[0]).y);
    for (int row = 0, first = 1; row < 5; first += ++row)
        for (int k = 0; k <= row; k++) {
            impVec3 a = cli_stage_at(s, ball[first + k]), b = cli_stage_at(s, ball[first + row - k]);
            worst = fmax(worst, fmax(fabs(a.x - b.x), fabs(a.y + b.y)));
        }
    return worst;
}

void cli_case_pool(Report *r) {
    impBody ball[16];
    Stage s;
    oblique(r);
    pool_table(&s, r, 1, 0, -1, 2e-6);        // floating: nothing but the balls
    rack(&s, ball);
    if (cli_stage_start(&s)) {
        double e = cli_stage_energy(&s), p = impState_Momentum(s.model, s.state).linear.x;
        cli_stage_run(&s, 0.3, 0.01);
        cli_report(r, "break, e = 1, no friction: energy", "relative", 0, cli_stage_energy(&s) / e - 1, 1e-9);
        p = impState_Momentum(s.model, s.state).linear.x / p - 1;
        cli_report(r, "break, e = 1, no friction: momentum", "relative", 0, p, 1e-10);
    }
    cli_stage_close(&s);
    pool_table(&s, r, 0.95, 0.05, 0.2, 2e-6);
    rack(&s, ball);
    if (cli_stage_start(&s) && cli_stage_run(&s, 0.075, 0.005))   // 50 ms from the first hit
        cli_report(r, "break: off the mirror after 50 ms", "m", 0, unmirrored(&s, ball), 1e-6);
    cli_stage_close(&s);
}

// --- P5: balls in a dish --------------------------------------------------------------------------------------------
enum { CELLS = 53 };                          // an odd number: the lowest point is in the middle of a cell

// The inside of a sphere of radius 0.5 m about the origin, as far as 75 degrees to each side: 5618 triangles.
static impBody dish(Stage *s) {
    static impVec3 points[(CELLS + 1) * (CELLS + 1)];
    static int32_t faces[8 * CELLS * CELLS];
    int n = 0, f = 0;
    for (int i = 0; i <= CELLS; i++)
        for (int k = 0; k <= CELLS; k++) {
            double x = tan((150.0 * i / CELLS - 75) * STAGE_PI / 180);
            double y = tan((150.0 * k / CELLS - 75) * STAGE_PI / 180);
            double size = 0.5 / sqrt(1 + x * x + y * y);
            points[n++] = (impVec3){size * x, size * y, -size};
        }
    for (int i = 0; i < CELLS; i++)
        for (int k = 0; k < CELLS; k++) {
            int a = i * (CELLS + 1) + k, b = a + CELLS + 1;
            const int32_t two[8] = {3, a, b, b + 1, 3, a, b + 1, a + 1};
            memcpy(faces + f, two, sizeof two), f += 8;
        }
    impShapeDef mesh = {.kind = "mesh", .points = points, .point_count = n, .faces = faces, .face_ints = f};
    return cli_stage_add(s, (impBodyDef){.name = "dish", .fixed = true}, mesh);
}

static impBody in_dish(Stage *s, double angle, double side) {
    const double far = 0.48 - 4e-4;           // facets lie up to 0.32 mm inside the sphere
    impVec3 at = {far * sin(angle) * cos(side), far * sin(angle) * sin(side), -far * cos(angle)};
    return cli_stage_add(s, (impBodyDef){.mass = 0.1, .pose.at = at}, sphere_of(0.02));
}

// A ball is let go at an angle: a period is the time from one passage of the lowest point to the one after the next.
static double dish_period(Report *r, double angle) {
    const double h = 0.002;
    Stage s;
    cli_stage_open(&s, r, G, 0.6, 0, 4e-6);
    dish(&s);
    impBody ball = in_dish(&s, angle, 0);
    double passed[3] = {0}, before = 1;
    int n = 0;
    if (!cli_stage_start(&s)) n = 3;
    for (double t = 0; n < 3 && t < 4 && cli_stage_run(&s, t + h, h); t += h) {
        double x = cli_stage_at(&s, ball).x;
        if (x * before < 0) passed[n++] = t + h * fabs(before) / (fabs(before) + fabs(x));
        before = x;
    }
    bool good = n == 3 && !s.broken;
    cli_stage_close(&s);
    return good ? passed[2] - passed[0] : nan("");
}

// Five balls from all sides: nothing gains energy, nobody leaves, and what the facets and they themselves take away
// brings them to rest at the bottom.
static void five(Report *r) {
    Stage s;
    cli_stage_open(&s, r, G, 0.3, 0.5, 4e-5);
    dish(&s);
    impBody ball[5];
    for (int i = 0; i < 5; i++) ball[i] = in_dish(&s, 0.5 + 0.1 * i, 1.3 * i);
    double least = 0, rise = 0, low = HUGE_VAL, kinetic = 0;
    if (cli_stage_start(&s)) least = cli_stage_energy(&s);
    for (int i = 1; i <= 80 && cli_stage_run(&s, 0.1 * i, 0.02); i++) {
        double e = cli_stage_energy(&s);
        rise = fmax(rise, e - least), least = fmin(least, e);
    }
    for (int i = 0; i < 5 && !s.broken; i++) low = fmin(low, -cli_stage_at(&s, ball[i]).z);
    if (!s.broken) kinetic = impState_Energy(s.model, s.state).kinetic;
    // the floor of the hops: m g band
    cli_report(r, "five balls: energy gained", "J", 0, s.broken ? nan("") : rise, 5 * 0.1 * G * 4e-5);
    cli_report(r, "five balls: kinetic energy after 8 s", "J", 0, kinetic, 1e-6);
    cli_report(r, "five balls: depth of the highest", "m", 0.48, low, 5e-3);
    cli_stage_close(&s);
}

void cli_case_dish(Report *r) {
    cli_report(r, "period from 60 deg", "s", 1.764832, dish_period(r, STAGE_PI / 3), 0.02 * 1.764832);
    // 2 pi sqrt(7/5 0.48 / g) (1 + a^2 / 16 + ...) at 0.25 rad
    cli_report(r, "small oscillation, to second order", "Hz", 0.608093, (1 + 0.0625 / 16) / dish_period(r, 0.25),
               0.02 * 0.608093);
    five(r);
}
