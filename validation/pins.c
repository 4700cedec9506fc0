// pins.c -- `impel validate`: bowling pins, alone, struck by the ball and in the rack, by method
// impulse.
//
// Mirtich & Canny 1994, figure 9. Pins of 162 facets of the USBC profile as in
// scenes/table1/bowling.json, made of six convex pieces as tools/parts.py cuts them. How the pins
// fall is chaotic: what is compared is how many, how often, and mirrored leaves. How heavy a pin is
// and how it topples is in pin.c.
//
// SPDX-License-Identifier: MIT
#include "pin.h"

#include <math.h>

#define RAD (STAGE_PI / 180)

enum { PINS = 10 };
static const double ball_radius = 0.10795, ball_mass = 6.804, band = 1e-3, rack_step = 0.3048;

// --- the alley -----------------------------------------------------------------------------------
static impBody pin_at(Stage *s, double x, double y) {
    return cli_pin_add(s, (impPose){ { x, y, s->level }, { 1, 0, 0, 0 } }, (impTwist){ 0 });
}

// The deck with the head pin at the origin, x down the lane, and the pit behind it. "m" is what the
// ball is made of. of the ball
static void alley(Stage *s, Report *r, double friction) {
    cli_stage_open(s, r, PIN_G, 0.2, 0.65, band);
    cli_stage_material(s, "pin", 0.2, 0.6);
    cli_stage_material(s, "wood", 0.2, 0.3);
    cli_stage_material(s, "curtain", 0.5, 0);
    cli_stage_pair(s, "m", "pin", friction, 0.65);
    cli_stage_pair(s, "m", "wood", friction, 0);
    cli_stage_pair(s, "m", "curtain", 0.5, 0);
    const impShapeDef deck = { .kind = "box",
                               .size = { 3, 1.0668, 0.1 },
                               .pose.at = { -0.588, 0, -0.05 } };
    const impShapeDef pit[4] = {
        { .kind = "box", .size = { 3, 1.7, 0.1 }, .pose.at = { 0.912, 0, -0.2 } },
        { .kind = "box", .size = { 3, 0.1, 1 }, .pose.at = { 0.912, 0.85, 0.35 } },
        { .kind = "box", .size = { 3, 0.1, 1 }, .pose.at = { 0.912, -0.85, 0.35 } },
        { .kind = "box",
          .size = { 0.1, 1.7, 1 },
          .pose.at = { 2.412, 0, 0.35 },
          .material = "curtain" }
    };
    cli_stage_add(s, (impBodyDef){ .name = "deck", .fixed = true, .material = "wood" }, deck);
    cli_stage_add(
        s,
        (impBodyDef){
            .name = "pit", .fixed = true, .material = "wood", .shapes = pit, .shape_count = 4 },
        deck);
}

// it rolls
static impBody ball_at(Stage *s, double x, double y, double vx, double vy) {
    impBodyDef def = { .name = "ball",
                       .mass = ball_mass,
                       .pose.at = { x, y, ball_radius + s->level },
                       .twist = { { vx, vy, 0 }, { -vy / ball_radius, vx / ball_radius, 0 } } };
    return cli_stage_add(s, def, (impShapeDef){ .kind = "sphere", .size = { ball_radius } });
}

// Rows of 1 to 4, each from y < 0 to y > 0.
static void rack(Stage *s, impBody pin[PINS]) {
    int n = 0;
    for (int row = 0; row < 4; row++) {
        for (int k = 0; k <= row; k++) {
            pin[n++] = pin_at(s, row * rack_step * sqrt(0.75), (k - 0.5 * row) * rack_step);
        }
    }
}

// --- no ball -------------------------------------------------------------------------------------
static void stand(Report *r) {
    impBody pin[PINS];
    impVec3 from[PINS];
    double drift = 0, lean = 0;
    Stage s;
    alley(&s, r, 0.2);
    rack(&s, pin);
    bool good = cli_stage_start(&s);
    for (int i = 0; i < PINS && good; i++) {
        from[i] = cli_stage_at(&s, pin[i]);
    }
    good = good && cli_stage_run(&s, 5, 0.02);
    for (int i = 0; i < PINS && good; i++) {
        drift = fmax(drift, cli_distance(cli_stage_at(&s, pin[i]), from[i]));
        lean = fmax(lean, cli_pin_lean(&s, pin[i]) / RAD);
    }
    cli_report(r, "ten pins left alone for 5 s: drift, worst", "m", 0, good ? drift : nan(""),
               1e-4);
    cli_report(r, "ten pins left alone for 5 s: lean, worst", "deg", 0, good ? lean : nan(""),
               0.05);
    cli_stage_close(&s);
}

// --- one pin, struck in the middle ---------------------------------------------------------------
// The ball meets the belly, 33.5 mm below the pin's centre of mass, at an angle of 3.4 degrees: its
// own centre is lower. So the pin turns as well, and yields more easily than its mass: the
// collision is that of one dimension along the normal n, with 1 / (1/m + (r x n)^2 / I) for the
// mass of the pin. With plain masses, (1 + e) m / (m + M), the ball would lose 31.3 % of its speed
// and not 28.7 %: the formula of a pin that cannot turn, or is struck at its centre. of the ball's
// speed
static double known_loss(double level) {
    const double belly = 4.5 * PIN_INCH;
    const double radius = 0.5 * 4.766 * PIN_INCH;
    const double bounding_radius = ball_radius + level;
    const double nz = (belly + level - bounding_radius) / bounding_radius;
    const double nx = sqrt(1 - nz * nz);
    // (r x n)_y, r = (-radius, 0, belly - center)
    const double rotation = (belly - PIN_CENTER) * nx + radius * nz;
    return 1.65 * nx * nx / (1 / ball_mass + 1 / PIN_MASS + rotation * rotation / PIN_ACROSS) /
           ball_mass;
}

static double loss(Report *r, double friction) {
    Stage s;
    alley(&s, r, friction);
    impBody ball = ball_at(&s, -0.3, 0, 6, 0);
    pin_at(&s, 0, 0);
    bool good = cli_stage_start(&s);
    while (good && s.collisions == 0 && impState_Time(s.state) < 0.1) {
        good = cli_stage_step(&s, cli_report_step(r) > 0 ? cli_report_step(r) : 1e-4);
    }
    double lost = good && s.collisions ? 1 - cli_stage_twist(&s, ball).linear.x / 6 : nan("");
    cli_stage_close(&s);
    return lost;
}

static void one_pin(Report *r) {
    const double known = known_loss(0.5 * band);
    cli_report(r, "one pin, no friction: the ball loses", "of v", known, loss(r, 0), 1e-6 * known);
    // friction is what differs
    cli_report(r, "one pin: the ball loses", "of v", known, loss(r, 0.2), 0.03 * known);
}

// --- the rack ------------------------------------------------------------------------------------
// m: 0.3 s after the throw
typedef struct Leave {
    bool stands[PINS];
    int down;
    double unmirrored;
} Leave;

static const int mirror_image[PINS] = { 0, 2, 1, 5, 4, 3, 9, 8, 7, 6 };

static double unmirrored(const Stage *s, const impBody pin[PINS]) {
    double worst = 0;
    for (int i = 0; i < PINS; i++) {
        impVec3 a = cli_stage_at(s, pin[i]);
        impVec3 b = cli_stage_at(s, pin[mirror_image[i]]);
        worst = fmax(worst, fmax(fabs(a.x - b.x), fabs(a.y + b.y)));
    }
    return worst;
}

// so far that none gets up again
static int fallen(const Stage *s, const impBody pin[PINS]) {
    int n = 0;
    for (int i = 0; i < PINS; i++) {
        n += cli_pin_lean(s, pin[i]) > 60 * RAD || cli_stage_at(s, pin[i]).z < -0.01;
    }
    return n;
}

// A rolling ball at 6.14 m/s, the speed of all rolling balls of this case, is y to the left where
// it meets the head pin. For 4 s, or until enough pins have fallen.
static Leave throw_at(Report *r, double y, double angle, int enough) {
    const double bounding_radius = ball_radius + 0.5 * 4.766 * PIN_INCH;
    const double x = -sqrt(bounding_radius * bounding_radius - y * y);
    const double v = hypot(6.0844, 0.8295);
    impBody pin[PINS];
    Leave leave = { .unmirrored = nan("") };
    Stage s;
    alley(&s, r, 0.2);
    rack(&s, pin);
    ball_at(&s, x - 0.2, y - 0.2 * tan(angle), v * cos(angle), v * sin(angle));
    bool good = cli_stage_start(&s) && cli_stage_run(&s, 0.3, 0.02);
    if (good) {
        leave.unmirrored = unmirrored(&s, pin);
    }
    for (int i = 4; i <= 40 && good && fallen(&s, pin) < enough; i++) {
        good = cli_stage_run(&s, 0.1 * i, 0.02);
    }
    // what has left the deck is down, whichever way up
    for (int i = 0; i < PINS && good; i++) {
        leave.stands[i] = cli_pin_lean(&s, pin[i]) < 10 * RAD && cli_stage_at(&s, pin[i]).z > -0.01;
        leave.down += !leave.stands[i];
    }
    cli_stage_close(&s);
    return leave;
}

// pins that stand here and not in the mirror
static int differ(const Leave *a, const Leave *b) {
    int n = 0;
    for (int i = 0; i < PINS; i++) {
        n += a->stands[i] != b->stands[mirror_image[i]];
    }
    return n;
}

static void mirrors(Report *r) {
    // m: full hits and thin ones; some leave pins
    static const double aside[] = { 0.02, 0.06, 0.12, 0.14, 0.16 };
    int wrong = 0, stand = 0;
    Leave center = throw_at(r, 0, 0, PINS);
    cli_report(r, "dead centre: off the mirror after 0.3 s", "m", 0, center.unmirrored, 1e-6);
    cli_report(r, "dead centre: all fell, no leave to compare", "", 0, center.down == PINS, 0);
    cli_report(r, "dead centre: pins left, their twins not", "", 0, differ(&center, &center), 0);
    for (int i = 0; i < (int)(sizeof aside / sizeof aside[0]); i++) {
        Leave left = throw_at(r, aside[i], -3 * RAD, PINS);
        Leave right = throw_at(r, -aside[i], 3 * RAD, PINS);
        wrong += differ(&left, &right);
        stand += PINS - left.down;
    }
    cli_report(r, "five throws and their mirrors: leaves differ by", "pins", 0,
               stand ? wrong : nan(""), 0);
}

static void pocket(Report *r) {
    enum { THROWS = 100 };
    int good = 0;
    // within 5 mm
    for (int i = 0; i < THROWS; i++) {
        good += throw_at(r, -0.0635 + 0.005 * ((2.0 * i + 1) / THROWS - 1), 6 * RAD, 9).down >= 9;
    }
    // at least 60 % of them
    cli_report(r, "pocket, 100 throws: 9 pins or 10 fall in", "of them", 1, (double)good / THROWS,
               0.4);
}

void cli_case_pins(Report *r) {
    cli_pin_weighed(r);
    cli_pin_toppled(r);
    stand(r);
    one_pin(r);
    pocket(r);
    mirrors(r);
}
