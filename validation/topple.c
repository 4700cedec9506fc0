// topple.c -- cases of `impel validate` with method impulse: tipping blocks, a shaking track, a
// rod with a Painleve inconsistency.
//
// docs/validation/cases.md, and the blocks of docs/theory/microcollisions.md, section 6.
//
// SPDX-License-Identifier: MIT
#include "steps.h"

#include <math.h>

#define G   9.81
#define RAD (STAGE_PI / 180)

// rad, about y
static double lean_of(const Stage *s, impBody body) {
    impVec3 up = cli_stage_axis(s, body, (impVec3){ 0, 0, 1 });
    return atan2(up.x, up.z);
}

// --- a block of 0.1 x 0.1 x 0.3 m is hit at its upper edge ---------------------------------------
// The twist is that of a free body after the impact; what the floor does to it is the method's to
// find. rad, in the end
static double pushed(Report *r, double part) {
    const double w0 = sqrt(3 * G / (2 * sqrt(0.025)) * (1 - 0.3 / sqrt(0.1)));
    const double speed = part * w0 * (0.1 / 3) / 0.3;
    Stage s;
    cli_stage_open(&s, r, G, 2, 0, 1e-5);
    cli_stage_slope(&s, 0);
    impBodyDef def = { .name = "block",
                       .mass = 1,
                       .pose.at = { 0, 0, 0.15 + s.level },
                       .twist = { { speed, 0, 0 }, { 0, speed * 0.15 / (0.1 / 12), 0 } } };
    impBody block = cli_stage_add(&s, def,
                                  (impShapeDef){ .kind = "box", .size = { 0.1, 0.1, 0.3 } });
    double lean = cli_stage_start(&s) && cli_stage_run(&s, 4, 0.02) ? lean_of(&s, block) : nan("");
    cli_stage_close(&s);
    return lean;
}

void cli_case_block(Report *r) {
    cli_report(r, "0.99 of the impact: lean in the end", "deg", 0, pushed(r, 0.99) / RAD, 0.01);
    cli_report(r, "1.01 of the impact: lean in the end", "deg", 90, pushed(r, 1.01) / RAD, 0.01);
    // thrown up, a body must not rest at the apex
    Stage s;
    cli_stage_open(&s, r, G, 0.5, 0, 1e-5);
    cli_stage_slope(&s, 0);
    impBodyDef def = { .name = "block",
                       .pose.at = { 0, 0, 0.05 + s.level },
                       .twist.linear = { 0, 0, 0.3 } };
    impBody block = cli_stage_add(&s, def,
                                  (impShapeDef){ .kind = "box", .size = { 0.1, 0.1, 0.1 } });
    if (cli_stage_start(&s) && cli_stage_run(&s, 0.6 / G + 0.001, 0.001)) {
        cli_report(r, "thrown up at 0.3 m/s: back", "s", 0.6 / G, s.hit[0], 1e-9);
        cli_report(r, "thrown up at 0.3 m/s: height then", "m", 0.05, cli_stage_at(&s, block).z,
                   1e-5);
    }
    cli_stage_close(&s);
}

// --- a block of 0.2 x 0.2 x 0.5 m ----------------------------------------------------------------
// The bed turns by 0.1 deg/s from some angle below the critical one; at which angle has the block
// moved against it?
static double bed_angle(Report *r, double mu, double from) {
    impMotionDef motion = { .kind = "spin", .axis = { 0, 1, 0 }, .rate = 0.1 * RAD };
    Stage s;
    cli_stage_open(&s, r, G, mu, 0, 1e-5);
    impBodyDef bed = {
        .name = "bed", .motions = &motion, .motion_count = 1, .pose.rotation = cli_turn_y(from)
    };
    impShapeDef slab = { .kind = "box", .size = { 3, 1, 0.1 }, .pose.at = { 0, 0, -0.05 } };
    cli_stage_add(&s, bed, slab);
    double up = 0.25 + s.level;
    impBodyDef def = { .name = "block",
                       .pose = { { up * sin(from), 0, up * cos(from) }, cli_turn_y(from) } };
    impBody block = cli_stage_add(&s, def,
                                  (impShapeDef){ .kind = "box", .size = { 0.2, 0.2, 0.5 } });
    double angle = nan("");
    if (cli_stage_start(&s)) {
        for (double t = 0; t < 30 && cli_stage_run(&s, t + 0.02, 0.02); t += 0.02) {
            impVec3 at = cli_stage_at(&s, block);
            double now = from + 0.1 * RAD * impState_Time(s.state);
            double slid = at.x * cos(now) - at.z * sin(now);
            angle = now;
            if (fabs(lean_of(&s, block) - now) > 0.02 * RAD || fabs(slid) > 1e-4) break;
            angle = nan("");
        }
    }
    cli_stage_close(&s);
    return angle;
}

// Balanced on its edge but for half a degree: the time until it lies down, and how fast.
static void fall(Report *r) {
    const double b = atan2(0.2, 0.5);
    const double lean = b + 0.5 * RAD;
    const double d = sqrt(0.0725);
    Stage s;
    // no slip: at the end the floor pulls 187 times as hard as it pushes
    cli_stage_open(&s, r, G, 200, 0, 1e-6);
    cli_stage_slope(&s, 0);
    impBodyDef def = { .name = "block",
                       .pose = { { 0, 0, d * cos(0.5 * RAD) + s.level }, cli_turn_y(lean) } };
    impBody block = cli_stage_add(&s, def,
                                  (impShapeDef){ .kind = "box", .size = { 0.2, 0.2, 0.5 } });
    double w = 0;
    if (cli_stage_start(&s)) {
        while (s.collisions == 0 && impState_Time(s.state) < 2) {
            w = cli_stage_twist(&s, block).angular.y;
            if (!cli_stage_step(&s, 1e-4)) break;
        }
    }
    cli_report(r, "fall from 0.5 deg: time", "s", 1.078727, s.hit[0], 2e-3);
    cli_report(r, "fall from 0.5 deg: spin before it lies", "rad/s", 5.861016, w, 0.01);
    cli_stage_close(&s);
}

// it falls back onto its foot and rocks over to the other edge
static void rock(Report *r) {
    const double b = atan2(0.2, 0.5);
    const double lean = 0.5 * b;
    const double d = sqrt(0.0725);
    Stage s;
    cli_stage_open(&s, r, G, 200, 0, 1e-6);
    cli_stage_slope(&s, 0);
    impBodyDef def = { .name = "block",
                       .pose = { { 0, 0, d * cos(b - lean) + s.level }, cli_turn_y(lean) } };
    impBody block = cli_stage_add(&s, def,
                                  (impShapeDef){ .kind = "box", .size = { 0.2, 0.2, 0.5 } });
    double before = 0;
    if (cli_stage_start(&s)) {
        while (s.collisions == 0 && impState_Time(s.state) < 2) {
            before = cli_stage_twist(&s, block).angular.y;
            if (!cli_stage_step(&s, 1e-4)) break;
        }
    }
    double after = s.broken ? nan("") : cli_stage_twist(&s, block).angular.y;
    cli_report(r, "rocking: spin kept", "", 1 - 1.5 * sin(b) * sin(b), after / before, 1e-3);
    cli_stage_close(&s);
}

void cli_case_topple(Report *r) {
    cli_report(r, "tilting bed, mu = 0.8: topples at", "deg", atan2(0.2, 0.5) / RAD,
               bed_angle(r, 0.8, 21 * RAD) / RAD, 0.1);
    cli_report(r, "tilting bed, mu = 0.3: slides at", "deg", atan(0.3) / RAD,
               bed_angle(r, 0.3, 16 * RAD) / RAD, 0.1);
    fall(r);
    rock(r);
}

// --- what friction holds, just -------------------------------------------------------------------
// docs/theory/microcollisions.md, section 6: a block of 0.1 x 0.1 x 0.3 m put down on a slope.
// atan(1/3) = 18.435 degrees is the limit. By how much it has turned against the slope after 5 s.
static double tall(Report *r, double angle, bool *sleeps) {
    Stage s;
    cli_stage_open(&s, r, G, 0.5, 0.3, 1e-5);
    cli_stage_slope(&s, angle);
    double up = 0.15 + s.level;
    double rotated = nan("");
    impBodyDef def = { .name = "block",
                       .pose = { { up * sin(angle), 0, up * cos(angle) }, cli_turn_y(angle) } };
    impBody block = cli_stage_add(&s, def,
                                  (impShapeDef){ .kind = "box", .size = { 0.1, 0.1, 0.3 } });
    *sleeps = false;
    if (cli_stage_start(&s) && cli_stage_run(&s, 5, 0.02)) {
        rotated = lean_of(&s, block) - angle;
        *sleeps = impAsleep(s.model, s.state, block, NULL);
    }
    cli_stage_close(&s);
    return rotated;
}

static void tall_blocks(Report *r) {
    bool sleeps;
    double rotated = tall(r, 18 * RAD, &sleeps);
    cli_report(r, "tall block on 18.0 deg: turned after 5 s", "deg", 0, rotated / RAD, 1e-4);
    cli_report(r, "tall block on 18.0 deg: awake after 5 s", "", 0, !sleeps, 0);
    cli_report(r, "tall block on 18.5 deg: turned after 5 s", "deg", 90,
               tall(r, 18.5 * RAD, &sleeps) / RAD, 0.1);
}

// The same: a block lies on a platter that spins, 0.1 m from its axis. Friction of 0.5 holds it to
// Omega = sqrt(mu g / r), 7.00 rad/s. Where its middle is after 5 s, in the platter's axes.
static impVec3 on_spinning(Report *r, double omega) {
    const double angle = omega * 5;
    impMotionDef spin = { .kind = "spin", .axis = { 0, 0, 1 }, .rate = omega };
    impVec3 at = { nan(""), 0, 0 };
    Stage s;
    cli_stage_open(&s, r, G, 0.5, 0.3, 1e-6);
    impBodyDef platter = {
        .name = "platter", .motions = &spin, .motion_count = 1, .pose.at = { 0, 0, -0.01 }
    };
    cli_stage_add(&s, platter, (impShapeDef){ .kind = "cylinder", .size = { 0.5, 0.02 } });
    impBodyDef def = { .name = "block",
                       .pose.at = { 0.1, 0, 0.005 + s.level },
                       .twist = { { 0, omega * 0.1, 0 }, { 0, 0, omega } } };
    impBody block = cli_stage_add(&s, def,
                                  (impShapeDef){ .kind = "box", .size = { 0.03, 0.02, 0.01 } });
    if (cli_stage_start(&s) && cli_stage_run(&s, 5, 0.02)) {
        at = cli_stage_at(&s, block);
    }
    cli_stage_close(&s);
    return (impVec3){ at.x * cos(angle) + at.y * sin(angle), at.y * cos(angle) - at.x * sin(angle),
                      at.z };
}

static void spinning(Report *r) {
    // 1e-6 m: the creep that case stop allows
    impVec3 slow = on_spinning(r, 2);
    impVec3 fast = on_spinning(r, 8);
    cli_report(r, "spinning at 2 rad/s: distance after 5 s", "m", 0.1, hypot(slow.x, slow.y), 1e-6);
    cli_report(r, "spinning at 2 rad/s: gone round by", "m", 0, slow.y, 1e-6);
    cli_report(r, "spinning at 8 rad/s: still on the platter", "", 0, !(fast.z < 0), 0);
    slow = on_spinning(r, 0.998 * sqrt(0.5 * G / 0.1));
    fast = on_spinning(r, 1.002 * sqrt(0.5 * G / 0.1));
    cli_report(r, "0.998 of the limit: distance after 5 s", "m", 0.1, hypot(slow.x, slow.y), 1e-6);
    cli_report(r, "1.002 of the limit: still on the platter", "", 0, !(fast.z < 0), 0);
}

void cli_case_held(Report *r) {
    tall_blocks(r);
    spinning(r);
}

// --- a track that shakes -------------------------------------------------------------------------
// Sliding turns round somewhere within a micro-step, 1/90 of the cycle of 40 ms with this band.
// m/s up the track
static double conveyed(Report *r, double amplitude, double track, double shake, double mu) {
    const double along = track + shake;
    impMotionDef motion = { .kind = "vibrate", .frequency = 25 };
    motion.amplitude = (impVec3){ amplitude * cos(along), 0, amplitude * sin(along) };
    Stage s;
    cli_stage_open(&s, r, G, mu, 0, 1e-6);
    impBodyDef def = {
        .name = "track", .motions = &motion, .motion_count = 1, .pose.rotation = cli_turn_y(-track)
    };
    cli_stage_add(
        &s, def, (impShapeDef){ .kind = "box", .size = { 2, 1, 0.1 }, .pose.at = { 0, 0, -0.05 } });
    double up = 0.005 + s.level;
    double v = amplitude * 2 * STAGE_PI * 25;
    impBodyDef part = { .name = "part",
                        .pose = { { -up * sin(track), 0, up * cos(track) }, cli_turn_y(-track) },
                        .twist.linear = { v * cos(along), 0, v * sin(along) } };
    impBody block = cli_stage_add(&s, part,
                                  (impShapeDef){ .kind = "box", .size = { 0.03, 0.02, 0.01 } });
    double speed = nan("");
    // whole cycles
    if (cli_stage_start(&s) && cli_stage_run(&s, 0.4, 0.02)) {
        impVec3 a = cli_stage_at(&s, block);
        if (cli_stage_run(&s, 2.4, 0.02)) {
            impVec3 b = cli_stage_at(&s, block);
            speed = ((b.x - a.x) * cos(track) + (b.z - a.z) * sin(track)) / 2;
        }
    }
    cli_stage_close(&s);
    return speed;
}

void cli_case_conveyor(Report *r) {
    double small = conveyed(r, 3e-4, 3 * RAD, 25 * RAD, 0.3);
    double large = conveyed(r, 5e-4, 3 * RAD, 25 * RAD, 0.3);
    cli_report(r, "3 deg, 0.3 mm: speed", "m/s", 0.0010322563794235224, small, 2e-5);
    cli_report(r, "3 deg, 0.5 mm: speed", "m/s", 0.0021582099294199125, large, 4.3e-5);
    cli_report(r, "level, 0.4 mm: speed", "m/s", 0.008950765604144291,
               conveyed(r, 4e-4, 0, 20 * RAD, 0.2), 1.7e-4);
}

// --- a slender rod of 1 m and 1 kg on its tip ----------------------------------------------------
// The tip is a little ball whose lowest point is the end of the rod as it stands now. Leaning by
// angle from the floor, its upper end towards -x when tip leads.
static const double tip = 1e-3;

static impBody rod(Stage *s, Report *r, double angle, double mu, double e, double band,
                   impTwist twist) {
    cli_stage_open(s, r, G, mu, e, band);
    cli_stage_slope(s, 0);
    impBodyDef def = { .name = "rod", .mass = 1, .center_given = true, .twist = twist };
    def.pose.at.z = tip + s->level;
    def.center = (impVec3){ -0.5 * cos(angle), 0, 0.5 * sin(angle) - tip };
    // only y counts in the plane
    def.inertia[0][0] = def.inertia[1][1] = def.inertia[2][2] = 1.0 / 12;
    return cli_stage_add(s, def, (impShapeDef){ .kind = "sphere", .size = { tip } });
}

// Sliding at 3 m/s with the tip ahead. A Painleve inconsistency stops the tip at once: K p = -u,
// planar, with u = (3, 0).
static void slide_rod(Report *r, double mu, double band, double *push, double *energy) {
    Stage s;
    rod(&s, r, 63 * RAD, mu, 0, band, (impTwist){ { 3, 0, 0 }, { 0, 0, 0 } });
    *push = *energy = nan("");
    if (cli_stage_start(&s)) {
        double before = cli_stage_energy(&s);
        if (cli_stage_run(&s, 5e-3, 1e-4)) {
            *push = s.most_push;
            *energy = cli_stage_energy(&s) - before;
        }
    }
    cli_stage_close(&s);
}

// The same where it only slides, as the equations of motion have it: the middle is at y[0], turned
// by y[1], at rates y[2] and y[3]. The little ball stays on the floor, its middle at b from that of
// the rod. False: the tip stands or leaves the floor.
static impVec3 to_ball(double angle, double rotated) {
    const double x = 0.5 * cos(angle);
    const double z = tip - 0.5 * sin(angle);
    return (impVec3){ x * cos(rotated) + z * sin(rotated), 0, z * cos(rotated) - x * sin(rotated) };
}

static bool sliding(const double y[4], double angle, double mu, double rate[4]) {
    impVec3 b = to_ball(angle, y[1]);
    double low = b.z - tip;
    double push = (G + y[3] * y[3] * b.z) / (1 + 12 * b.x * (b.x + mu * low));
    rate[0] = y[2];
    rate[1] = y[3];
    rate[2] = -mu * push;
    rate[3] = -12 * (mu * low + b.x) * push;
    return push > 0 && y[2] + y[3] * low > 0;
}

// Runge-Kutta's steps of 1 us for a tenth of a second, or until the tip has all but stopped; the
// time it took.
static double slid(double y[4], double angle, double mu) {
    const double h = 1e-6;
    const double part[4] = { 0, 0.5, 0.5, 1 };
    const double weight[4] = { 1, 2, 2, 1 };
    int n = 0;
    for (bool on = true; on && n < 100000; n++) {
        double k[5][4] = { { 0 } };
        double sum[4] = { 0 };
        double z[4];
        for (int i = 0; i < 4 && on; i++) {
            for (int j = 0; j < 4; j++) {
                z[j] = y[j] + h * part[i] * k[i][j];
            }
            on = sliding(z, angle, mu, k[i + 1]);
            for (int j = 0; j < 4; j++) {
                sum[j] += weight[i] * k[i + 1][j];
            }
        }
        if (!on) break;
        for (int j = 0; j < 4; j++) {
            y[j] += h / 6 * sum[j];
        }
    }
    return n * h;
}

// mu = 1.3 is below the least with a Painleve inconsistency, 4/3, by a little: at 63.4 degrees the
// floor presses 25 times as hard as the rod weighs.
static void below_the_least(Report *r) {
    static const double degrees[] = { 20, 35, 50, 60, 63.434948822922, 67, 75, 85 };
    double way = 0, rotated = 0, created = 0;
    int collisions = 0;
    for (int i = 0; i < 8; i++) {
        const double angle = degrees[i] * RAD;
        const double mu = 1.3;
        double y[4] = { -0.5 * cos(angle), 0, 3, 0 };
        double t = slid(y, angle, mu);
        double before = 0;
        Stage s;
        impBody body = rod(&s, r, angle, mu, 0, 1e-9, (impTwist){ { 3, 0, 0 }, { 0, 0, 0 } });
        bool good = cli_stage_start(&s);
        if (good) {
            before = cli_stage_energy(&s);
            good = cli_stage_run(&s, t, 1e-3);
        }
        double off = good ? fabs(cli_stage_at(&s, body).x - y[0] - to_ball(angle, y[1]).x)
                          : nan("");
        double lean = good ? fabs(lean_of(&s, body) - y[1]) : nan("");
        // the comparisons below keep a NaN
        double gain = good ? cli_stage_energy(&s) - before : nan("");
        way = off <= way ? way : off;
        rotated = lean <= rotated ? rotated : lean;
        created = gain <= created ? created : gain;
        collisions += s.collisions;
        cli_stage_close(&s);
    }
    cli_report(r, "mu = 1.3, 8 angles: collisions", "", 0, collisions, 0);
    cli_report(r, "mu = 1.3, 8 angles: way off, worst", "m", 0, way, 1e-7);
    cli_report(r, "mu = 1.3, 8 angles: turned off, worst", "rad", 0, rotated, 1e-7);
    cli_report(r, "mu = 1.3, 8 angles: energy created", "J", 0, created, 0);
}

void cli_case_rod(Report *r) {
    const double c = cos(63 * RAD);
    const double z = sin(63 * RAD);
    double push, energy, small;
    Stage s;
    impBody body = rod(&s, r, 30 * RAD, 0.2, 0.5, 1e-6, (impTwist){ { 0, 0, -1 }, { 0, 0, 0 } });
    if (cli_stage_start(&s) && cli_stage_run(&s, 1e-5, 1e-5)) {
        impTwist t = cli_stage_twist(&s, body);
        cli_report(r, "dropped without slip: speed of the tip", "m/s", 0.476075442027409,
                   t.linear.x - t.angular.y * 0.5 * sin(30 * RAD), 1e-9);
    }
    cli_stage_close(&s);
    slide_rod(r, 1.5, 1e-6, &push, &energy);
    cli_report(r, "mu = 1.5 inconsistent: impulse", "N s", 0.75 * hypot(1 + 3 * c * c, 3 * z * c),
               push, 1e-3);
    cli_report(r, "mu = 1.5 inconsistent: energy", "J", -1.125 * (1 + 3 * c * c), energy, 1e-3);
    slide_rod(r, 1.5, 1e-8, &small, &energy);
    cli_report(r, "mu = 1.5 inconsistent: impulse, band 1e-8 over 1e-6", "", 1, small / push, 1e-3);
    // what slides is pressed on, not struck: its impulses are as small as the micro-steps, which go
    // with the root of the band
    slide_rod(r, 1.3, 1e-6, &push, &energy);
    cli_report(r, "mu = 1.3 slides: largest impulse", "N s", 0, push, 0.2);
    slide_rod(r, 1.3, 1e-8, &small, &energy);
    cli_report(r, "mu = 1.3 slides: impulse, band 1e-8 over 1e-6", "", 0.1, small / push, 0.02);
    below_the_least(r);
}

// --- by method iterated --------------------------------------------------------------------------
static impBody on_edge(Stage *s, Report *r, double lean) {
    const double b = atan2(0.2, 0.5);
    cli_stage_open(s, r, G, 200, 0, 1e-6);
    cli_stage_slope(s, 0);
    impBodyDef def = { .name = "block",
                       .mass = 1,
                       .pose = { { 0, 0, sqrt(0.0725) * cos(b - lean) + s->level },
                                 cli_turn_y(lean) } };
    return cli_stage_add(s, def, (impShapeDef){ .kind = "box", .size = { 0.2, 0.2, 0.5 } });
}

// The fall of case topple, from 0.5 degrees beyond balance: s and rad/s, where it lies down. The
// lean is followed to 87 degrees; from there the spin grows evenly, to 1e-5 of the time left.
static void falls(Report *r, const void *what, double *out) {
    const double b = atan2(0.2, 0.5);
    const double d = sqrt(0.0725);
    const double rate = G * d * cos(b) / (4 * d * d / 3);
    Stage s;
    impBody block = on_edge(&s, r, b + 0.5 * RAD);
    (void)what;
    bool good = cli_stage_start(&s);
    while (good && impState_Time(s.state) < 2 && lean_of(&s, block) < 87 * RAD) {
        good = cli_stage_step(&s, cli_report_step(r));
    }
    if (good && lean_of(&s, block) >= 87 * RAD) {
        double left = STAGE_PI / 2 - lean_of(&s, block);
        double w = cli_stage_twist(&s, block).angular.y;
        out[1] = sqrt(w * w + 2 * rate * left);
        out[0] = impState_Time(s.state) + (out[1] - w) / rate;
    }
    cli_stage_close(&s);
}

// Which part of its spin a block keeps that falls back onto its foot: from the energies above that
// of the flat block, before and after.
static void rocks(Report *r, const void *what, double *out) {
    const double b = atan2(0.2, 0.5);
    Stage s;
    impBody block = on_edge(&s, r, 0.5 * b);
    (void)what;
    bool good = cli_stage_start(&s);
    double flat = G * (0.25 + s.level);
    double before = good ? cli_stage_energy(&s) - flat : 1;
    while (good && impState_Time(s.state) < 1 && lean_of(&s, block) > -0.05) {
        good = cli_stage_step(&s, cli_report_step(r));
    }
    if (good && lean_of(&s, block) <= -0.05) {
        out[0] = sqrt((cli_stage_energy(&s) - flat) / before);
    }
    cli_stage_close(&s);
}

void cli_iterated_topple(Report *r) {
    const double b = atan2(0.2, 0.5);
    const Quantity fall[2] = { { "fall from 0.5 deg: time", "s", 1.0787273049106674, 2e-3 },
                               { "fall from 0.5 deg: spin", "rad/s", 5.861015730363248, 0.01 } };
    const Quantity kept = { "rocking: spin kept", "", 1 - 1.5 * sin(b) * sin(b), 1e-3 };
    cli_report_set_step(r, 1.0 / 240);
    cli_report(r, "tilting bed, mu = 0.8, 1/240 s: topples at", "deg", b / RAD,
               bed_angle(r, 0.8, 21 * RAD) / RAD, 0.1);
    cli_report(r, "tilting bed, mu = 0.3, 1/240 s: slides at", "deg", atan(0.3) / RAD,
               bed_angle(r, 0.3, 16 * RAD) / RAD, 0.1);
    cli_steps(r, fall, 2, 0.8, falls, NULL);
    // the edge that it leaves has borne it for the whole step: m g h / 2 on the mean
    cli_short_steps(r, 2e-4, &kept, 1, 0.8, rocks, NULL);
}

static void conveys(Report *r, const void *what, double *out) {
    (void)what;
    out[0] = conveyed(r, 3e-4, 3 * RAD, 25 * RAD, 0.3);
    out[1] = conveyed(r, 5e-4, 3 * RAD, 25 * RAD, 0.3);
    out[2] = conveyed(r, 4e-4, 0, 20 * RAD, 0.2);
}

void cli_iterated_conveyor(Report *r) {
    const Quantity known[3] = {
        { "3 deg, 0.3 mm: speed", "m/s", 0.0010322563794235224, 0.02 * 0.0010322564 },
        { "3 deg, 0.5 mm: speed", "m/s", 0.0021582099294199125, 0.02 * 0.00215821 },
        { "level, 0.4 mm: speed", "m/s", 0.008950765604144291, 0.02 * 0.0089507656 }
    };
    // slip starts and stops twice in each of 25 cycles a second, and each time is known to a step
    cli_short_steps(r, 1e-4, known, 3, 0.8, conveys, NULL);
}

// A block on a floor that shakes along itself, with acceleration A sin(2 pi f t) up the slope.
typedef struct Newmark {
    double angle, acceleration, mu;
    double at[2];  // s
} Newmark;

// m: where it is against the floor, up the slope, at each time
static void shaken(Report *r, const void *what, double *out) {
    const Newmark *x = what;
    const double w = 2 * STAGE_PI * 2;
    const double a = x->acceleration / (w * w);
    const impVec3 up = { cos(x->angle), 0, sin(x->angle) };
    impMotionDef motion = { .kind = "vibrate",
                            .frequency = 2,
                            .amplitude = { -a * up.x, 0, -a * up.z } };
    Stage s;
    cli_stage_open(&s, r, G, x->mu, 0, 1e-6);
    impBodyDef def = { .name = "floor",
                       .motions = &motion,
                       .motion_count = 1,
                       .pose.rotation = cli_turn_y(-x->angle) };
    impBody floor = cli_stage_add(
        &s, def, (impShapeDef){ .kind = "box", .size = { 8, 1, 0.1 }, .pose.at.z = -0.05 });
    double high = 0.005 + s.level;
    impBodyDef part = { .name = "block",
                        .pose = { { -high * up.z, 0, high * up.x }, cli_turn_y(-x->angle) },
                        .twist.linear = { -a * w * up.x, 0, -a * w * up.z } };
    impBody block = cli_stage_add(&s, part,
                                  (impShapeDef){ .kind = "box", .size = { 0.03, 0.02, 0.01 } });
    bool good = cli_stage_start(&s);
    for (int i = 0; i < 2 && good; i++) {
        good = cli_stage_run(&s, x->at[i], 1e-3);
        if (!good) break;
        impVec3 at = cli_stage_at(&s, block);
        impVec3 from = cli_stage_at(&s, floor);
        out[i] = (at.x - from.x) * up.x + (at.z - from.z) * up.z;
    }
    cli_stage_close(&s);
}

void cli_iterated_newmark(Report *r) {
    // it stands between the two slips of a period, and at the end of one
    const Newmark level = { 0, 4, 0.25, { 0.29, 0.54 } };
    const Newmark slope = { 15 * RAD, 6, 0.6, { 0.4, 4.9 } };
    const Quantity known[2] = { { "level: way of the first slip", "m", -0.018617314438214384,
                                  0.002 * 0.0186173 },
                                { "level: way of both slips", "m", 0, 0.002 * 0.0186173 } };
    const Quantity slipped[2] = {
        { "15 deg: way of a period", "m", -0.04321582895455495, 0.002 * 0.04321583 },
        { "15 deg: way of ten periods", "m", -0.4321582895455, 0.002 * 0.4321583 }
    };
    cli_steps(r, known, 2, 0.8, shaken, &level);
    cli_steps(r, slipped, 2, 0.8, shaken, &slope);
}

// Which way and how far a spool has gone in 1 s, pulled by a string that leaves it below, at an
// angle. R = 0.1 m, r = 0.04 m, 1 kg, 0.005 kg m^2, 2 N. m/s^2
static void pulled(Report *r, const void *what, double *out) {
    const double *degrees = what;
    for (int i = 0; i < 4; i++) {
        const double a = degrees[i] * RAD;
        const double pull[6] = { 2 * cos(a), 0, 2 * sin(a), 0, -2 * 0.04, 0 };
        const double half = sqrt(0.5);
        double h = cli_report_step(r);
        Stage s;
        cli_stage_open(&s, r, G, 1, 0, 1e-6);
        cli_stage_slope(&s, 0);
        impBodyDef def = { .name = "spool",
                           .mass = 1,
                           .pose = { { 0, 0, 0.1 + s.level }, { half, half, 0, 0 } } };
        def.inertia[0][0] = def.inertia[1][1] = def.inertia[2][2] = 0.005;
        impBody spool = cli_stage_add(&s, def,
                                      (impShapeDef){ .kind = "cylinder", .size = { 0.1, 0.2 } });
        bool good = cli_stage_start(&s);
        for (int k = 0; k < (int)(1 / h + 0.5) && good; k++) {
            good = cli_stage_push(&s, pull, h);
        }
        out[i] = good ? 2 * cli_stage_at(&s, spool).x : nan("");
        cli_stage_close(&s);
    }
}

void cli_iterated_spool(Report *r) {
    static const double degrees[4] = { 0, 30, 66.42182152179817, 90 };
    static const Quantity known[4] = {
        { "pulled along the floor: acceleration", "m/s^2", 0.8, 8e-4 },
        { "pulled at 30 deg: acceleration", "m/s^2", 0.621367205045918, 8e-4 },
        { "pulled at acos(r / R): acceleration", "m/s^2", 0, 8e-4 },
        { "pulled upwards: acceleration", "m/s^2", -0.5333333333333331, 8e-4 }
    };
    cli_steps(r, known, 4, 0.8, pulled, degrees);
}

// m: how far a block on a platter has gone round, and out, after 5 s
static void carried(Report *r, const void *what, double *out) {
    const double *part = what;
    impVec3 at = on_spinning(r, *part * sqrt(0.5 * G / 0.1));
    out[0] = hypot(at.x, at.y);
    out[1] = at.y;
}

void cli_iterated_held(Report *r) {
    static const Quantity known[2] = { { "0.998 of the limit: distance after 5 s", "m", 0.1, 1e-6 },
                                       { "0.998 of the limit: gone round by", "m", 0, 1e-6 } };
    static const double part = 0.998;
    cli_report_set_step(r, 1.0 / 240);
    tall_blocks(r);
    cli_report(r, "spinning at 8 rad/s: still on the platter", "", 0, !(on_spinning(r, 8).z < 0),
               0);
    cli_report(r, "1.002 of the limit: still on the platter", "", 0,
               !(on_spinning(r, 1.002 * sqrt(0.5 * G / 0.1)).z < 0), 0);
    // the slip is none in the middle of each step: what is left of it goes with the square of the
    // step
    cli_short_steps(r, 2.5e-4, known, 2, 0.8, carried, &part);
}

// The slopes of case rod: way and angle off the equations of motion. mu = 1.3 presses a sliding rod
// up to 25 times as hard as it weighs.
static void slides_on(Report *r, const void *what, double *out) {
    const double angle = *(const double *)what;
    double y[4] = { -0.5 * cos(angle), 0, 3, 0 };
    double t = slid(y, angle, 1.3);
    Stage s;
    impBody body = rod(&s, r, angle, 1.3, 0, 1e-9, (impTwist){ { 3, 0, 0 }, { 0, 0, 0 } });
    if (cli_stage_start(&s) && cli_stage_run(&s, t, 1e-3)) {
        out[0] = cli_stage_at(&s, body).x - y[0] - to_ball(angle, y[1]).x;
        out[1] = lean_of(&s, body) - y[1];
    }
    cli_stage_close(&s);
}

void cli_iterated_rod(Report *r) {
    static const double angles[3] = { 35 * RAD, 60 * RAD, 75 * RAD };
    static const char *const names[3][2] = {
        { "mu = 1.3, 35 deg: way off", "mu = 1.3, 35 deg: turned off" },
        { "mu = 1.3, 60 deg: way off", "mu = 1.3, 60 deg: turned off" },
        { "mu = 1.3, 75 deg: way off", "mu = 1.3, 75 deg: turned off" }
    };
    const double c = cos(63 * RAD);
    const double z = sin(63 * RAD);
    double push, energy;
    Stage s;
    cli_report_set_step(r, 1e-5);
    impBody body = rod(&s, r, 30 * RAD, 0.2, 0.5, 1e-6, (impTwist){ { 0, 0, -1 }, { 0, 0, 0 } });
    if (cli_stage_start(&s) && cli_stage_run(&s, 1e-5, 1e-5)) {
        impTwist t = cli_stage_twist(&s, body);
        cli_report(r, "dropped without slip: speed of the tip", "m/s", 0.476075442027409,
                   t.linear.x - t.angular.y * 0.5 * sin(30 * RAD), 1e-9);
    }
    cli_stage_close(&s);
    slide_rod(r, 1.5, 1e-6, &push, &energy);
    cli_report(r, "mu = 1.5 inconsistent, 10 us: impulse", "N s",
               0.75 * hypot(1 + 3 * c * c, 3 * z * c), push, 1e-3);
    cli_report(r, "mu = 1.5 inconsistent, 10 us: energy", "J", -1.125 * (1 + 3 * c * c), energy,
               1e-3);
    // a thousandth of the 0.3 m and 0.2 rad that it slides and turns
    for (int i = 0; i < 3; i++) {
        const Quantity known[2] = { { names[i][0], "m", 0, 3e-4 },
                                    { names[i][1], "rad", 0, 2e-4 } };
        cli_steps(r, known, 2, 0.8, slides_on, &angles[i]);
    }
}

void cli_iterated_block(Report *r) {
    cli_report_set_step(r, 1.0 / 240);
    cli_report(r, "0.99 of the impact: lean in the end", "deg", 0, pushed(r, 0.99) / RAD, 0.01);
    cli_report(r, "1.01 of the impact: lean in the end", "deg", 90, pushed(r, 1.01) / RAD, 0.01);
    // thrown up, a body must not rest at the apex
    Stage s;
    cli_stage_open(&s, r, G, 0.5, 0, 1e-5);
    cli_stage_slope(&s, 0);
    impBodyDef def = { .name = "block",
                       .pose.at = { 0, 0, 0.05 + s.level },
                       .twist.linear = { 0, 0, 0.3 } };
    impBody block = cli_stage_add(&s, def,
                                  (impShapeDef){ .kind = "box", .size = { 0.1, 0.1, 0.1 } });
    if (cli_stage_start(&s) && cli_stage_run(&s, 0.05, 0.001)) {
        cli_report(r, "thrown up at 0.3 m/s: height after 50 ms", "m",
                   0.05 + s.level + 0.3 * 0.05 - 0.5 * G * 0.0025, cli_stage_at(&s, block).z, 1e-9);
        cli_stage_run(&s, 0.2, 0.001);
        cli_report(r, "thrown up at 0.3 m/s: height after 0.2 s", "m", 0.05,
                   cli_stage_at(&s, block).z, 1e-5);
    }
    cli_stage_close(&s);
}
