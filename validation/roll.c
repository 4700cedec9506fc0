// roll.c -- cases of `impel validate` with method impulse: balls and cylinders that roll.
//
// docs/validation/cases.md.
//
// SPDX-License-Identifier: MIT
#include "steps.h"

#include <math.h>
#include <string.h>

#define G   9.81
#define RAD (STAGE_PI / 180)

static double size2(impVec3 v) { return sqrt(v.x * v.x + v.y * v.y); }

// --- one billiard ball with side spin ------------------------------------------------------------
static impBody side_spun(Stage *s, Report *r) {
    const double radius = 0.028575;
    cli_stage_open(s, r, G, 0.2, 0.5, 2e-6);
    cli_stage_slope(s, 0);
    impBodyDef def = { .name = "ball",
                       .mass = 0.17,
                       .pose.at = { 0, 0, radius + s->level },
                       .twist = { { 2, 0, 0 }, { 50, -20, 10 } } };
    return cli_stage_add(s, def, (impShapeDef){ .kind = "sphere", .size = { radius } });
}

void cli_case_billiard(Report *r) {
    const double t_roll = 0.42839053094122732;
    Stage s;
    impBody ball = side_spun(&s, r);
    if (cli_stage_start(&s)) {
        cli_report(r, "starts to roll", "s", t_roll, cli_stage_roll(&s, ball, 1, 0.05).time,
                   1e-3 * t_roll);
    }
    cli_stage_close(&s);
    ball = side_spun(&s, r);
    if (cli_stage_start(&s) && cli_stage_run(&s, t_roll / 2, 0.05)) {
        const double a[2] = { -1.7150572495148937, -0.9529022147557473 };
        const double t = t_roll / 2;
        impVec3 at = cli_stage_at(&s, ball);
        cli_report(r, "on its parabola, half way, x", "m", 2 * t + a[0] * t * t / 2, at.x, 1e-5);
        cli_report(r, "on its parabola, half way, y", "m", a[1] * t * t / 2, at.y, 1e-5);
        cli_stage_run(&s, t_roll, 0.05);
        at = cli_stage_at(&s, ball);
        cli_report(r, "x when it starts to roll", "m", 0.6994087404088304, at.x, 1e-5);
        cli_report(r, "y when it starts to roll", "m", -0.0874375672974683, at.y, 1e-5);
        cli_stage_run(&s, 1, 0.05);
        at = cli_stage_at(&s, ball);
        impTwist w = cli_stage_twist(&s, ball);
        cli_report(r, "v_x rolling", "m/s", 1.2652857142857143, w.linear.x, 1e-9);
        cli_report(r, "v_y rolling", "m/s", -0.4082142857142857, w.linear.y, 1e-9);
        cli_report(r, "w_z untouched", "rad/s", 10, w.angular.z, 1e-9);
        cli_report(r, "x(1)", "m", 1.422658035759338, at.x, 1e-5);
        cli_report(r, "y(1)", "m", -0.32077671841681743, at.y, 1e-5);
    }
    cli_stage_close(&s);
}

// --- sliding turns into rolling; rolling down 15 degrees -----------------------------------------
static void roll_down(Report *r, const char *name, impShapeDef shape, double inertia,
                      impQuat rotation) {
    const double angle = 15 * RAD;
    const double radius = 0.1;
    Stage s;
    cli_stage_open(&s, r, G, 0.4, 0, 1e-5);
    cli_stage_slope(&s, angle);
    impBodyDef def = { .name = "roller", .mass = 1, .pose = { { 0, 0, 0 }, rotation } };
    def.pose.at = (impVec3){ (radius + s.level) * sin(angle), 0, (radius + s.level) * cos(angle) };
    def.inertia[0][0] = def.inertia[1][1] = def.inertia[2][2] = inertia;
    impBody body = cli_stage_add(&s, def, shape);
    if (cli_stage_start(&s)) {
        impVec3 from = cli_stage_at(&s, body);
        if (cli_stage_run(&s, 2, 0.05)) {
            cli_report(r, name, "m/s^2", G * sin(angle) / (1 + inertia / (radius * radius)),
                       cli_distance(cli_stage_at(&s, body), from) / 2,
                       1e-3 * G * sin(angle) / (1 + inertia * 100));
        }
    }
    cli_stage_close(&s);
}

// How far a roller has slipped after 3 s on 15 degrees: the way of its centre less what its rim has
// turned.
static double slipped(Report *r, impShapeDef shape, double inertia, impQuat rotation, double mu) {
    const double angle = 15 * RAD;
    const double radius = 0.1;
    double rolled = 0;
    double before = 0;
    double way = nan("");
    Stage s;
    cli_stage_open(&s, r, G, mu, 0, 1e-5);
    cli_stage_slope(&s, angle);
    impBodyDef def = { .name = "roller", .mass = 1, .pose = { { 0, 0, 0 }, rotation } };
    def.pose.at = (impVec3){ (radius + s.level) * sin(angle), 0, (radius + s.level) * cos(angle) };
    def.inertia[0][0] = def.inertia[1][1] = def.inertia[2][2] = inertia;
    impBody body = cli_stage_add(&s, def, shape);
    bool good = cli_stage_start(&s);
    for (int i = 1; i <= 300 && good; i++) {
        good = cli_stage_run(&s, 0.01 * i, 0.01);
        if (!good) break;
        impVec3 x = cli_stage_axis(&s, body, (impVec3){ 1, 0, 0 });
        double now = atan2(-x.z, x.x);
        double by = now - before;
        rolled += by - 2 * STAGE_PI * floor(by / (2 * STAGE_PI) + 0.5);
        before = now;
    }
    if (good) {
        way = cli_distance(cli_stage_at(&s, body), def.pose.at);
    }
    cli_stage_close(&s);
    return way - radius * rolled;
}

// It slips if friction is less than tan(angle) / (1 + m R^2 / I): by g (sin(angle) - mu cos(angle)
// (1 + m R^2 / I)) t^2 / 2.
static void grip(Report *r, const char *name, impShapeDef shape, double inertia, impQuat rotation) {
    const double least = tan(15 * RAD) / (1 + 0.01 / inertia);
    const double slip = 0.001 * G * sin(15 * RAD) * 4.5;
    char text[64];
    snprintf(text, sizeof text, "%s, 1.001 mu_min: slipped in 3 s", name);
    cli_report(r, text, "m", 0, slipped(r, shape, inertia, rotation, 1.001 * least), 1e-3 * slip);
    snprintf(text, sizeof text, "%s, 0.999 mu_min: slipped in 3 s", name);
    cli_report(r, text, "m", slip, slipped(r, shape, inertia, rotation, 0.999 * least),
               1e-3 * slip);
}

// axis along y
static const impQuat lying = { 0.70710678118654752, 0.70710678118654752, 0, 0 },
                     upright = { 1, 0, 0, 0 };

static impBody slid(Stage *s, Report *r, impShapeDef cylinder) {
    cli_stage_open(s, r, G, 0.2, 0, 1e-5);
    cli_stage_slope(s, 0);
    impBodyDef def = { .name = "roller",
                       .pose = { { 0, 0, 0.1 + s->level }, lying },
                       .twist.linear = { 3, 0, 0 } };
    return cli_stage_add(s, def, cylinder);
}

void cli_case_roll(Report *r) {
    const impShapeDef cylinder = { .kind = "cylinder", .size = { 0.1, 0.2 } };
    const double t_roll = 1 / (0.2 * G);
    Stage s;
    impBody body = slid(&s, r, cylinder);
    if (cli_stage_start(&s)) {
        cli_report(r, "cylinder, starts to roll", "s", t_roll,
                   cli_stage_roll(&s, body, 1, 0.05).time, 1e-3 * t_roll);
    }
    cli_stage_close(&s);
    body = slid(&s, r, cylinder);
    if (cli_stage_start(&s) && cli_stage_run(&s, t_roll, 0.05)) {
        cli_report(r, "cylinder, way when it starts to roll", "m", 2.5 / (0.2 * G),
                   cli_stage_at(&s, body).x, 1e-4);
        cli_stage_run(&s, 1, 0.05);
        cli_report(r, "cylinder, speed rolling", "m/s", 2, cli_stage_twist(&s, body).linear.x,
                   1e-6);
    }
    cli_stage_close(&s);
    roll_down(r, "sphere down 15 deg", (impShapeDef){ .kind = "sphere", .size = { 0.1 } },
              0.4 * 0.01, upright);
    roll_down(r, "cylinder down 15 deg", cylinder, 0.5 * 0.01, lying);
    roll_down(r, "hoop down 15 deg", cylinder, 0.01, lying);
    grip(r, "sphere", (impShapeDef){ .kind = "sphere", .size = { 0.1 } }, 0.4 * 0.01, upright);
    grip(r, "cylinder", cylinder, 0.5 * 0.01, lying);
    grip(r, "hoop", cylinder, 0.01, lying);
}

// --- a ball on a turning platter -----------------------------------------------------------------
// The circle of case B reaches 0.6 m from the axis: the platter of 0.5 m cannot carry
// it: here 0.7 m.
static impBody on_platter(Stage *s, Report *r, double x, double vy, impVec3 w, double band) {
    impMotionDef spin = { .kind = "spin", .axis = { 0, 0, 1 }, .rate = STAGE_PI };
    cli_stage_open(s, r, G, 1, 0.5, band);
    impBodyDef platter = {
        .name = "platter", .motions = &spin, .motion_count = 1, .pose.at = { 0, 0, -0.01 }
    };
    cli_stage_add(s, platter, (impShapeDef){ .kind = "cylinder", .size = { 0.7, 0.02 } });
    impBodyDef def = { .name = "ball",
                       .mass = 0.1,
                       .pose.at = { x, 0, 0.02 + s->level },
                       .twist = { { 0, vy, 0 }, w } };
    return cli_stage_add(s, def, (impShapeDef){ .kind = "sphere", .size = { 0.02 } });
}

// turned: rad; growth: of ln v, 1/s
typedef struct Circle {
    double x, y, radius, rotated, growth;
} Circle;

// Whole turns, seen from the point (x, 0) of the axis.
static Circle circle_of(Stage *s, impBody ball, double x, double seconds) {
    enum { SAMPLES = 700 };
    Circle c = { 0 };
    if (!cli_stage_start(s)) return c;
    double v0 = size2(cli_stage_twist(s, ball).linear);
    double before = 0;
    for (int i = 1; i <= SAMPLES; i++) {
        if (!cli_stage_run(s, seconds * i / SAMPLES, 0.05)) return (Circle){ .x = nan("") };
        impVec3 at = cli_stage_at(s, ball);
        double angle = atan2(at.y, at.x - x);
        double by = angle - before;
        c.rotated += by - 2 * STAGE_PI * floor(by / (2 * STAGE_PI) + 0.5);
        before = angle;
        c.x += at.x / SAMPLES;
        c.y += at.y / SAMPLES;
    }
    c.radius = cli_distance(cli_stage_at(s, ball), (impVec3){ c.x, c.y, 0.02 + s->level });
    c.growth = log(size2(cli_stage_twist(s, ball).linear) / v0) / seconds;
    return c;
}

// Of case B at a tenth and a hundredth of the band. Micro-steps are shorter by the root of that,
// and so is the law of plain micro-steps; what is left comes from how well an event is known, which
// is a part of the band. whole: what grew at the whole band.
static void growth(Report *r, double whole) {
    const double om = STAGE_PI;
    const double rate = 2.0 / 7 * om;
    const double bands[2] = { 4e-6, 4e-7 };
    const double seconds[2] = { 28, 14 };
    static const char *const names[2] = { "B: growth, band 1e-4 of the ball",
                                          "B: growth, band 1e-5 of the ball" };
    double before = fabs(whole);
    double more = 0;
    for (int i = 0; i < 2; i++) {
        Stage s;
        impBody ball = on_platter(&s, r, 0.1, om * 0.1, (impVec3){ 0, 0, 0 }, bands[i]);
        double now = circle_of(&s, ball, -0.25, seconds[i]).growth;
        cli_report(r, names[i], "1/s", 0, now, 1e-3 * 0.5 * rate * rate * sqrt(2 * bands[i] / G));
        more += !(fabs(now) < before);
        before = fabs(now);
        cli_stage_close(&s);
    }
    cli_report(r, "B: smaller bands with no less growth", "", 0, more, 0);
}

void cli_case_platter(Report *r) {
    // 1e-3 of the ball
    const double om = STAGE_PI;
    const double rate = 2.0 / 7 * om;
    const double band = 4e-5;
    const double micro_step = sqrt(2 * band / G);
    Stage s;
    impBody ball = on_platter(&s, r, 0.1, 0, (impVec3){ om * 0.1 / 0.02, 0, 0 }, band);
    if (cli_stage_start(&s) && cli_stage_run(&s, 40, 0.05)) {
        impVec3 at = cli_stage_at(&s, ball);
        cli_report(r, "A: gone in 40 s", "m", 0, hypot(at.x - 0.1, at.y), 1e-9);
    }
    cli_stage_close(&s);
    ball = on_platter(&s, r, 0.1, om * 0.1, (impVec3){ 0, 0, 0 }, band);
    Circle c = circle_of(&s, ball, -0.25, 28);
    cli_report(r, "B: period", "s", 7, 28 * 2 * STAGE_PI / c.rotated, 1e-4);
    cli_report(r, "B: centre, x", "m", -0.25, c.x, 1e-4);
    cli_report(r, "B: centre, y", "m", 0, c.y, 1e-4);
    cli_report(r, "B: radius", "m", 0.35, c.radius, 1e-4);
    // plain micro-steps would grow by rate^2 micro-step / 2: a thousandth of that
    cli_report(r, "B: growth", "1/s", 0, c.growth, 1e-3 * 0.5 * rate * rate * micro_step);
    cli_stage_close(&s);
    growth(r, c.growth);
    ball = on_platter(&s, r, 0.15, 0.05, (impVec3){ (om * 0.15 - 0.05) / 0.02, 0, 0 }, band);
    c = circle_of(&s, ball, 0.15 - 0.05 / rate, 7);
    cli_report(r, "C: centre, x", "m", 0.15 - 0.05 / rate, c.x, 1e-4);
    cli_report(r, "C: radius", "m", 0.05 / rate, c.radius, 1e-4);
    cli_stage_close(&s);
}

// --- by method iterated --------------------------------------------------------------------------
// Where and how fast after 1 s: sliding and rolling are both in it.
static void after_a_second(Report *r, const void *what, double *out) {
    Stage s;
    const impShapeDef cylinder = { .kind = "cylinder", .size = { 0.1, 0.2 } };
    impBody body = what ? slid(&s, r, cylinder) : side_spun(&s, r);
    if (cli_stage_start(&s) && cli_stage_run(&s, 1, 1e-3)) {
        impVec3 at = cli_stage_at(&s, body);
        impVec3 v = cli_stage_twist(&s, body).linear;
        out[0] = at.x;
        out[1] = v.x;
        out[2] = at.y;
        out[3] = v.y;
    }
    cli_stage_close(&s);
}

void cli_iterated_billiard(Report *r) {
    // v0 - 2/7 u0, and where that leads
    static const Quantity known[4] = {
        { "x(1)", "m", 1.422658035759338, 1e-3 * 1.422658 },
        { "v_x rolling", "m/s", 1.2652857142857143, 1e-3 * 1.2652857 },
        { "y(1)", "m", -0.32077671841681743, 1e-3 * 0.3207767 },
        { "v_y rolling", "m/s", -0.4082142857142857, 1e-3 * 0.40821429 }
    };
    cli_steps(r, known, 4, 0.8, after_a_second, NULL);
}

void cli_iterated_roll(Report *r) {
    const double t_roll = 1 / (0.2 * G);
    const double way = 2.5 / (0.2 * G) + 2 * (1 - t_roll);
    const Quantity known[2] = { { "cylinder: x(1)", "m", way, 1e-3 * way },
                                { "cylinder: v_x(1)", "m/s", 2, 2e-3 } };
    cli_steps(r, known, 2, 0.8, after_a_second, "a cylinder");
    cli_report_set_step(r, 1e-3);
    cli_case_roll(r);
}

// From the middle of its circle, after 20 s, beside its radius.
static double off_circle(Report *r, double x, double vy, double w, double center, double radius) {
    const double band = 4e-5;
    double off = nan("");
    Stage s;
    impBody ball = on_platter(&s, r, x, vy, (impVec3){ w, 0, 0 }, band);
    if (cli_stage_start(&s) && cli_stage_run(&s, 20, 0.05)) {
        impVec3 at = cli_stage_at(&s, ball);
        off = hypot(at.x - center, at.y) / radius - 1;
    }
    cli_stage_close(&s);
    return off;
}

// rad: after a turn of 7 s, seen from the middle
static void phase_of(Report *r, const void *what, double *out) {
    Stage s;
    impBody ball = on_platter(&s, r, 0.1, STAGE_PI * 0.1, (impVec3){ 0, 0, 0 }, 4e-5);
    (void)what;
    if (cli_stage_start(&s) && cli_stage_run(&s, 7, 0.05)) {
        impVec3 at = cli_stage_at(&s, ball);
        out[0] = atan2(at.y, at.x + 0.25);
    }
    cli_stage_close(&s);
}

void cli_iterated_platter(Report *r) {
    const double om = STAGE_PI;
    const double rate = 2.0 / 7 * om;
    // rad: 10 ms of 7 s
    const Quantity phase = { "B: phase after a turn", "rad", 0, 2 * STAGE_PI * 0.01 / 7 };
    Stage s;
    cli_report_set_step(r, 1.0 / 240);
    impBody ball = on_platter(&s, r, 0.1, 0, (impVec3){ om * 0.1 / 0.02, 0, 0 }, 4e-5);
    if (cli_stage_start(&s) && cli_stage_run(&s, 40, 0.05)) {
        impVec3 at = cli_stage_at(&s, ball);
        cli_report(r, "A: gone in 40 s, 1/240 s", "m", 0, hypot(at.x - 0.1, at.y), 1e-6);
    }
    cli_stage_close(&s);
    cli_report(r, "B: radius off after 20 s, 1/240 s", "relative", 0,
               off_circle(r, 0.1, om * 0.1, 0, -0.25, 0.35), 1e-5);
    cli_report(
        r, "C: radius off after 20 s, 1/240 s", "relative", 0,
        off_circle(r, 0.15, 0.05, (om * 0.15 - 0.05) / 0.02, 0.15 - 0.05 / rate, 0.05 / rate),
        1e-5);
    cli_steps(r, &phase, 1, 0.8, phase_of, NULL);
}

// --- the ramp of figure 1 ------------------------------------------------------------------------
static impBody ramp(Stage *s, Report *r, double band) {
    const double a = 20 * RAD;
    const double x = 1.2 * cos(a);
    const double z = 1.2 * sin(a);
    const impVec3 corners[6] = { { 0, -1, 0 }, { x, -1, 0 }, { x, -1, z },
                                 { 0, 1, 0 },  { x, 1, 0 },  { x, 1, z } };
    const int32_t faces[] = { 3, 0, 1, 2, 3, 3, 5, 4, 4, 0, 3, 4, 1, 4, 1, 4, 5, 2, 4, 0, 2, 5, 3 };
    cli_stage_open(s, r, G, 0.8, 1, band);
    cli_stage_material(s, "floor", 0.8, 0.5);
    cli_stage_material(s, "ramp", 0.8, 0);
    impShapeDef plane = { .kind = "plane", .size = { 0, 0, 1, 0 } };
    cli_stage_add(s, (impBodyDef){ .name = "floor", .fixed = true, .material = "floor" }, plane);
    impShapeDef wedge = {
        .kind = "hull", .points = corners, .point_count = 6, .faces = faces, .face_ints = 23
    };
    cli_stage_add(s, (impBodyDef){ .name = "ramp", .fixed = true, .material = "ramp" }, wedge);
    impBodyDef def = { .name = "ball",
                       .mass = 1,
                       .pose.at = { -2, 0, 0.1 + s->level },
                       .twist = { { 4, 0, 0 }, { 0, 40, 0 } } };
    return cli_stage_add(s, def, (impShapeDef){ .kind = "sphere", .size = { 0.1 } });
}

// When bouncing on the floor ends: the first microcollision after it has landed. What would be left
// then of an endless series takes 2 e u / (g (1 - e)) at most, u = sqrt(2 g band): 1.3 ms with this
// band.
static double bounced_until(Report *r) {
    double end = nan("");
    Stage s;
    ramp(&s, r, 2e-6);
    bool good = cli_stage_start(&s) && cli_stage_run(&s, 1.3, 0.01);
    while (good && isnan(end) && impState_Time(s.state) < 2.5) {
        impOutcome o = impStep(s.stepper, s.state, NULL, 0.01);
        good = o.verdict == IMP_SOLVED && !cli_caught();
        for (int i = 0; i < o.contact_count && isnan(end); i++) {
            if (o.contacts[i].micro) {
                end = o.contacts[i].time;
            }
        }
    }
    cli_stage_close(&s);
    return end;
}

void cli_case_ramp(Report *r) {
    const double up = 3.8276932022454524 -
                      5.0 / 7 * G * sin(20 * RAD) * (0.7 - 0.49559182548228836);
    // method iterated knows slow arrivals, and those that do not bounce, to a step
    bool is_timed = strcmp(cli_report_method(r), "iterated") != 0;
    Stage s;
    impBody ball = ramp(&s, r, 2e-5);
    if (cli_stage_start(&s) && cli_stage_run(&s, 0.5, 0.005)) {
        if (is_timed) {
            cli_report(r, "hits the ramp", "s", 0.49559182548228836, s.hit[0], 2e-3);
        }
        cli_stage_run(&s, 0.7, 0.005);
        impVec3 v = cli_stage_twist(&s, ball).linear;
        cli_report(r, "speed on the ramp, 0.7 s", "m/s", up, v.x / cos(20 * RAD), 7e-3);
        cli_stage_run(&s, 1, 0.005);
        // its path back to where it was above the end of the ramp
        impVec3 x = cli_stage_at(&s, ball);
        double edge = 1.2 * cos(20 * RAD) - (0.1 + s.level) * sin(20 * RAD);
        cli_report(r, "leaves the ramp", "s", 0.8420722216031404,
                   1 - (x.x - edge) / cli_stage_twist(&s, ball).linear.x, 2e-3);
        cli_report(r, "in flight: speed forward", "m/s", 2.9973238270975 * cos(20 * RAD),
                   cli_stage_twist(&s, ball).linear.x, 6e-3);
        cli_stage_run(&s, 1.3, 0.005);
        double landed = s.hit[s.collisions > 16 ? 15 : s.collisions > 0 ? s.collisions - 1 : 0];
        cli_report(r, "lands", "s", 1.2521297530195294, landed, 2e-3);
        impVec3 at = cli_stage_at(&s, ball);
        double vx = cli_stage_twist(&s, ball).linear.x;
        cli_report(r, "lands at", "m", 2.2483820352700166, at.x - vx * (1.3 - landed), 5e-3);
        cli_report(r, "speed after the first bounce", "m/s", 2.8682090094773556, vx, 5.7e-3);
        cli_stage_run(&s, 1.8632447903808844, 0.005);
        if (is_timed) {
            cli_report(r, "ends to bounce", "s", 1.8632447903808844, bounced_until(r), 2e-3);
        }
        cli_report(r, "where it ends to bounce", "m", 4.001187691256946, cli_stage_at(&s, ball).x,
                   5e-3);
        cli_stage_run(&s, 2.5, 0.005);
        cli_report(r, "rolls on at", "m/s", 2.8682090094773556, cli_stage_twist(&s, ball).linear.x,
                   5.7e-3);
    }
    cli_stage_close(&s);
}
