// contact.c -- cases of `impel validate` with method impulse: blocks that bounce, hold, slide, stop
// and drop.
//
// docs/validation/cases.md and the slopes and drops of docs/theory/microcollisions.md, section 6.
// Closed forms are written out here; they use the C library's functions on purpose.
//
// SPDX-License-Identifier: MIT
#include "steps.h"

#include <math.h>
#include <stdio.h>

#define G            9.81
#define LENGTH(list) ((int)(sizeof(list) / sizeof(list)[0]))

// --- a ball falls 1 m and keeps 0.8 of its speed -------------------------------------------------
static impBody drop_ball(Stage *s, Report *r, double e, double band) {
    cli_stage_open(s, r, G, 0.3, e, band);
    cli_stage_slope(s, 0);
    impBodyDef ball = { .name = "ball", .pose.at = { 0, 0, 1.05 + s->level } };
    return cli_stage_add(s, ball, (impShapeDef){ .kind = "sphere", .size = { 0.05 } });
}

// docs/theory/microcollisions.md, section 6: collisions until a ball arrives slower than sqrt(2 g
// band), and when it lies still. The counts there are those of a band of 20 um, its times are
// rounded (to a millisecond, the longest to 0.1 s) and have two micro-steps more.
static void until_rest(Report *r, double e, int known, double rests, double rounded) {
    const double band = 2e-5;
    const double micro_step = sqrt(2 * band / G);
    char text[64];
    double since = nan("");
    Stage s;
    impBody ball = drop_ball(&s, r, e, band);
    bool good = cli_stage_start(&s) && cli_stage_run(&s, rests + 0.5, 0.05);
    if (good && !impAsleep(s.model, s.state, ball, &since)) {
        since = HUGE_VAL;
    }
    snprintf(text, sizeof text, "e = %g: collisions", e);
    cli_report(r, text, "", known, s.collisions, 0);
    snprintf(text, sizeof text, "e = %g: at rest after", e);
    cli_report(r, text, "s", rests, since, rounded / 2 + 2 * micro_step);
    cli_stage_close(&s);
}

void cli_case_zeno(Report *r) {
    const double e = 0.8;
    const double fall = sqrt(2 / G);
    const double end = fall * (1 + e) / (1 - e);
    Stage s;
    impBody ball = drop_ball(&s, r, e, 1e-5);
    if (cli_stage_start(&s) && cli_stage_run(&s, end + 0.5, 0.05)) {
        double worst = 0;
        double t = fall;
        for (int n = 0; n < 10; n++) {
            worst = fmax(worst, fabs(s.hit[n] - t));
            t += 2 * fall * pow(e, n + 1);
        }
        cli_report(r, "first 10 impacts, worst", "s", 0, worst, 1e-9);
        cli_report(r, "height at rest", "m", 0.05, cli_stage_at(&s, ball).z, 1e-5);
        cli_report(r, "speed half a second after", "m/s", 0,
                   fabs(cli_stage_twist(&s, ball).linear.z), 0);
    }
    cli_stage_close(&s);
    drop_ball(&s, r, e, 1e-3);
    if (cli_stage_start(&s) && cli_stage_run(&s, end + 0.5, 0.05)) {
        cli_report(r, "impacts, band 1 mm", "", 16, s.collisions, 0);
    }
    cli_stage_close(&s);
    // nothing lost: the height of the apex after 200 bounces
    ball = drop_ball(&s, r, 1, 1e-5);
    if (cli_stage_start(&s) && cli_stage_run(&s, 400 * fall, 0.5)) {
        double v = cli_stage_twist(&s, ball).linear.z;
        double z = cli_stage_at(&s, ball).z - 0.05 - s.level;
        cli_report(r, "height after 200 bounces, e = 1", "m", 1, z + v * v / (2 * G), 1e-9);
        // at the apex after the thousandth
        cli_stage_run(&s, 2000 * fall, 0.5);
        v = cli_stage_twist(&s, ball).linear.z;
        z = cli_stage_at(&s, ball).z - 0.05 - s.level;
        cli_report(r, "bounces in 1000 periods, e = 1", "", 1000, s.collisions, 0);
        cli_report(r, "height after 1000 bounces, e = 1", "m", 1, z + v * v / (2 * G), 1e-9);
    }
    cli_stage_close(&s);
    until_rest(r, 0, 1, 0.473, 0.001);
    until_rest(r, 0.5, 8, 1.373, 0.001);
    until_rest(r, 0.8, 25, 4.072, 0.001);
    until_rest(r, 0.95, 106, 17.556, 0.001);
    until_rest(r, 0.999, 5408, 898.6, 0.1);
}

// --- a plain bounce keeps 5/7 of the sliding; the whole reversal of Garwin's superball would k
void cli_case_superball(Report *r) {
    const double radius = 0.025;
    Stage s;
    cli_stage_open(&s, r, 0, 0.5, 1, 1e-6);
    cli_stage_slope(&s, 0);
    impBodyDef def = { .name = "ball", .pose.at = { 0, 0, 0.1 }, .twist.linear = { 2, 0, -3 } };
    impBody ball = cli_stage_add(&s, def, (impShapeDef){ .kind = "sphere", .size = { radius } });
    if (cli_stage_start(&s) && cli_stage_run(&s, 0.1, 0.1)) {
        impTwist t = cli_stage_twist(&s, ball);
        cli_report(r, "v_x", "m/s", 10.0 / 7, t.linear.x, 1e-12);
        cli_report(r, "v_z", "m/s", 3, t.linear.z, 1e-12);
        cli_report(r, "w_y", "rad/s", 10.0 / 7 / radius, t.angular.y, 1e-10);
    }
    cli_stage_close(&s);
}

// --- a block on a slope --------------------------------------------------------------------------
typedef struct Slope {
    double angle, friction, speed;  // rad; down the slope, m/s
    double size[3];
    int start;  // flat; rocking; dropped from 1 cm with a tilt, or flat
} Slope;

static impBody on_slope(Stage *s, Report *r, const Slope *x) {
    const double *d = x->size;
    const double ca = cos(x->angle);
    const double sa = sin(x->angle);
    const double least = fmin(d[0], fmin(d[1], d[2]));
    cli_stage_open(s, r, G, x->friction, 0.3, 1e-4 * least);
    cli_stage_slope(s, x->angle);
    double up = 0.5 * d[2] + s->level +
                (x->start == 2   ? 0.01 + 0.15 * d[0]
                 : x->start == 3 ? 0.01
                                 : 0);
    impBodyDef def = { .name = "block",
                       .pose = { { up * sa, 0, up * ca }, cli_turn_y(x->angle) },
                       .twist.linear = { x->speed * ca, 0, -x->speed * sa } };
    if (x->start == 1) {
        def.twist.angular = (impVec3){ 0.3, 0.3, 0.3 };
    }
    // turned on by (1, 0.1, 0.05, 0.02), about
    if (x->start == 2) {
        impQuat q = def.pose.rotation;
        impQuat t = { 0.99345, 0.1, 0.05, 0.02 };
        def.pose.rotation = (impQuat){ q.w * t.w - q.y * t.y, q.w * t.x + q.y * t.z,
                                       q.w * t.y + q.y * t.w, q.w * t.z - q.y * t.x };
    }
    return cli_stage_add(s, def, (impShapeDef){ .kind = "box", .size = { d[0], d[1], d[2] } });
}

static double down_slope(const Stage *s, impBody body, double angle) {
    impVec3 at = cli_stage_at(s, body);
    return at.x * cos(angle) - at.z * sin(angle);
}

static void hold(Report *r, const char *name, const double size[3]) {
    static const double parts[] = { 0.5, 0.8, 0.9, 0.95, 0.99 };
    // flat: from t = 0 on, with all micro-steps until it sleeps
    double creep = 0, flat = 0;
    int moving = 0;
    for (int start = 0; start < 3; start++) {
        for (int k = 0; k < LENGTH(parts); k++) {
            Stage s;
            Slope x = { .angle = atan(parts[k] * 0.5), .friction = 0.5, .start = start };
            for (int i = 0; i < 3; i++) {
                x.size[i] = size[i];
            }
            impBody body = on_slope(&s, r, &x);
            bool good = cli_stage_start(&s);
            impVec3 first = good ? cli_stage_at(&s, body) : (impVec3){ 0, 0, 0 };
            // some slide a while first
            if (!good || !cli_stage_run(&s, 4, 0.02)) {
                creep = flat = nan("");
            } else {
                impVec3 from = cli_stage_at(&s, body);
                cli_stage_run(&s, 10, 0.1);
                double all = cli_distance(cli_stage_at(&s, body), first);
                if (start == 0) {
                    flat = all <= flat ? flat : all;
                }
                cli_stage_run(&s, 14, 0.1);
                double way = cli_distance(cli_stage_at(&s, body), from);
                creep = way <= creep ? creep : way;
                moving += way != 0;
            }
            cli_stage_close(&s);
        }
    }
    char text[60];
    snprintf(text, sizeof text, "%s: creep in 10 s, 15 starts", name);
    cli_report(r, text, "m", 0, creep, 1e-6);
    snprintf(text, sizeof text, "%s: creep from 0 to 10 s, put down flat", name);
    cli_report(r, text, "m", 0, flat, 1e-6);
    snprintf(text, sizeof text, "%s: not asleep", name);
    cli_report(r, text, "", 0, moving, 0);
}

static void on_the_edge(Report *r, const char *name, double part, double seconds, double allowed) {
    Stage s;
    Slope x = { .angle = atan(part * 0.5), .friction = 0.5, .size = { 0.3, 0.2, 0.1 } };
    double a = fmax(0, G * (sin(x.angle) - 0.5 * cos(x.angle)));
    double way = 0.5 * a * seconds * seconds;
    impBody body = on_slope(&s, r, &x);
    if (cli_stage_start(&s)) {
        double from = down_slope(&s, body, x.angle);
        if (cli_stage_run(&s, seconds, 0.05)) {
            cli_report(r, name, "m", way, down_slope(&s, body, x.angle) - from, allowed);
        }
    }
    cli_stage_close(&s);
}

void cli_case_slope(Report *r) {
    hold(r, "block", (const double[]){ 0.3, 0.2, 0.1 });
    hold(r, "cube", (const double[]){ 0.1, 0.1, 0.1 });
    hold(r, "plate", (const double[]){ 0.3, 0.3, 0.01 });
    on_the_edge(r, "way in 5 s at 0.999 of the limit", 0.999, 5, 1e-6);
    // 0.1 %
    on_the_edge(r, "way in 5 s at 1.001 of the limit", 1.001, 5, 5e-5);
    on_the_edge(r, "way in 5 s at 1.01 of the limit", 1.01, 5, 2.7e-5);
    on_the_edge(r, "way in 5 s at 1.05 of the limit", 1.05, 5, 2.7e-5);
}

// --- a block slides down 20 degrees and stops ----------------------------------------------------
void cli_case_stop(Report *r) {
    static const double friction[] = { 0.4, 0.5, 0.7, 0.9 };
    static const char *const names[] = { "way to stop, mu = 0.4", "way to stop, mu = 0.5",
                                         "way to stop, mu = 0.7", "way to stop, mu = 0.9" };
    double creep = 0;
    double angle = 20 * STAGE_PI / 180;
    for (int k = 0; k < LENGTH(friction); k++) {
        Stage s;
        Slope x = {
            .angle = angle, .friction = friction[k], .speed = 2, .size = { 0.3, 0.2, 0.1 }
        };
        double way = 4 / (2 * G * (friction[k] * cos(angle) - sin(angle)));
        impBody body = on_slope(&s, r, &x);
        if (cli_stage_start(&s)) {
            double from = down_slope(&s, body, angle);
            // 2 m/s at first: it takes way seconds
            cli_stage_run(&s, way + 0.1, 0.05);
            double at = down_slope(&s, body, angle);
            cli_report(r, names[k], "m", way, at - from, 1e-5 * way);
            cli_stage_run(&s, way + 10.1, 0.05);
            creep = fmax(creep, fabs(down_slope(&s, body, angle) - at));
        }
        cli_stage_close(&s);
    }
    cli_report(r, "creep in the next 10 s, worst", "m", 0, creep, 1e-6);
    Stage s;
    Slope x = { .angle = angle, .friction = 0.3, .speed = 2, .size = { 0.3, 0.2, 0.1 } };
    impBody body = on_slope(&s, r, &x);
    double from = cli_stage_start(&s) ? down_slope(&s, body, angle) : 0;
    // from the way: a velocity depends on the phase of the last micro-step
    if (cli_stage_run(&s, 5, 0.05)) {
        cli_report(r, "mu = 0.3 never stops: acceleration", "m/s^2",
                   G * (sin(angle) - 0.3 * cos(angle)),
                   (down_slope(&s, body, angle) - from - 10) / 12.5, 6e-6);
    }
    cli_stage_close(&s);
    x = (Slope){
        .angle = angle, .friction = 0.5, .speed = 2, .size = { 0.3, 0.2, 0.01 }, .start = 3
    };
    // 1 cm along the normal; so thin that its front does not hit at once
    body = on_slope(&s, r, &x);
    double fall = sqrt(2 * 0.01 / (G * cos(angle)));
    double v = 2 + G * sin(angle) * fall;
    if (cli_stage_start(&s) && cli_stage_run(&s, fall + 1e-6, 0.05)) {
        impVec3 u = cli_stage_twist(&s, body).linear;
        cli_report(r, "dropped 1 cm: speed after the first hit", "m/s",
                   v - 0.5 * 1.3 * G * cos(angle) * fall, u.x * cos(angle) - u.z * sin(angle),
                   1e-5);
    }
    cli_stage_close(&s);
}

// --- nothing passes through a thin plate ---------------------------------------------------------
void cli_case_bullet(Report *r) {
    const double band = 1e-6;
    double least = HUGE_VAL;
    double most = 0;
    double gain = 0;
    int through = 0, hits = 0;
    // turned and spinning differently each time
    for (int k = 0; k < 20; k++) {
        Stage s;
        cli_stage_open(&s, r, 0, 0.3, 0.5, band);
        impShapeDef plate = { .kind = "box", .size = { 1, 1, 0.001 } };
        cli_stage_add(&s, (impBodyDef){ .name = "plate", .fixed = true }, plate);
        impBodyDef def = { .name = "cube",
                           .pose = { { 0.01 * k, 0.003 * k, 1 }, { 1, 0.3 * k, 0.1 * k, 0.05 } },
                           .twist = { { 0, 0, -200 }, { 30.0 * k, 90, 7 } } };
        impQuat *q = &def.pose.rotation;
        double n = sqrt(q->w * q->w + q->x * q->x + q->y * q->y + q->z * q->z);
        q->w /= n;
        q->x /= n;
        q->y /= n;
        q->z /= n;
        impBody cube = cli_stage_add(&s, def,
                                     (impShapeDef){ .kind = "box", .size = { 0.02, 0.02, 0.02 } });
        double before = cli_stage_start(&s) ? cli_stage_energy(&s) : 1;
        if (!s.broken && cli_stage_run(&s, 0.1, 0.1)) {
            gain = fmax(gain, cli_stage_energy(&s) / before - 1);
            through += cli_stage_at(&s, cube).z < 0;
            hits += s.collisions > 0;
            least = fmin(least, s.least_gap);
            most = fmax(most, s.most_gap);
        }
        cli_stage_close(&s);
    }
    cli_report(r, "cubes that hit the plate", "", 20, hits, 0);
    cli_report(r, "cubes that passed it", "", 0, through, 0);
    cli_report(r, "deepest overlap", "m", 0, fmax(0, -least), 0);
    cli_report(r, "farthest collision", "m", 0, most, band);
    if (cli_report_step(r) > 0) {
        cli_report(r, "energy gained, worst", "relative", 0, gain, 1e-12);
    }
}

// --- bricks dropped from 0.3 m -------------------------------------------------------------------
typedef struct Dice {
    uint64_t s;
} Dice;
// Knuth's generator of 64 bits
static double roll(Dice *d) {
    d->s = d->s * 6364136223846793005u + 1442695040888963407u;
    return (double)(d->s >> 11) / 9007199254740992.0;
}

// Shoemake 1992
static impQuat any_turn(Dice *d) {
    double u = roll(d);
    double a = 2 * STAGE_PI * roll(d);
    double b = 2 * STAGE_PI * roll(d);
    double p = sqrt(1 - u);
    double q = sqrt(u);
    return (impQuat){ p * sin(a), p * cos(a), q * sin(b), q * cos(b) };
}

enum { DROPS = 200, LAW_DROPS = 50 };
typedef struct Law {
    double e, mu;
} Law;
// m, worst; a drop
typedef struct Landed {
    int awake, unconverged;
    double off, collisions, micro_steps;
} Landed;

static Landed drop_bricks(Report *r, int drops, Law law, double seconds, double band) {
    Dice dice = { 7 };
    Landed sum = { 0 };
    for (int k = 0; k < drops; k++) {
        Stage s;
        cli_stage_open(&s, r, G, law.mu, law.e, band);
        cli_stage_slope(&s, 0);
        impBodyDef def = { .name = "brick", .pose = { { 0, 0, 0.3 }, any_turn(&dice) } };
        impBody brick = cli_stage_add(&s, def,
                                      (impShapeDef){ .kind = "box", .size = { 0.03, 0.02, 0.01 } });
        if (cli_stage_start(&s) && cli_stage_run(&s, seconds, 0.05)) {
            double z = cli_stage_at(&s, brick).z - s.level;
            sum.awake += !impAsleep(s.model, s.state, brick, NULL);
            // on one of its faces
            sum.off = fmax(sum.off, fmin(fabs(z - 0.005), fmin(fabs(z - 0.01), fabs(z - 0.015))));
            sum.collisions += (double)s.collisions / drops;
            sum.micro_steps += (double)s.micro_steps / drops;
            sum.unconverged += s.unconverged;
        }
        cli_stage_close(&s);
    }
    return sum;
}

// Other laws of restitution: all rest. What bounces by 0.9 or hardly rubs takes longer.
static void other_laws(Report *r) {
    static const Law laws[] = { { 0, 0.3 },   { 0, 1 },     { 0.6, 0.1 },
                                { 0.6, 0.8 }, { 0.9, 0.5 }, { 0.3, 1.5 } };
    char text[80];
    double off = 0;
    int unconverged = 0;
    for (int i = 0; i < LENGTH(laws); i++) {
        Landed sum = drop_bricks(r, LAW_DROPS, laws[i], 8, 1e-5);
        snprintf(text, sizeof text, "e = %g, mu = %g: of 50 not at rest after 8 s", laws[i].e,
                 laws[i].mu);
        cli_report(r, text, "", 0, sum.awake, 0);
        off = sum.off <= off ? off : sum.off;
        unconverged += sum.unconverged;
    }
    cli_report(r, "these six: height above a face, worst", "m", 0, off, 1e-8);
    cli_report(r, "these six: microcollisions off their laws", "", 0, unconverged, 0);
}

void cli_case_drops(Report *r) {
    const Law law = { 0.3, 0.3 };
    // 1e-3 and 1e-4 of the least side
    Landed coarse = drop_bricks(r, DROPS, law, 3, 1e-5);
    Landed fine = drop_bricks(r, DROPS, law, 3, 1e-6);
    cli_report(r, "of 200 bricks, not at rest after 3 s", "", 0, coarse.awake, 0);
    cli_report(r, "height above a face, worst", "m", 0, coarse.off, 1e-8);
    cli_report(r, "collisions a drop", "", 20.6, coarse.collisions, 2);
    cli_report(r, "microcollisions a drop", "", 90, coarse.micro_steps, 10);
    cli_report(r, "microcollisions off their laws", "", 0, coarse.unconverged + fine.unconverged,
               0);
    cli_report(r, "band 1e-4: not at rest after 3 s", "", 0, fine.awake, 0);
    cli_report(r, "band 1e-4: height above a face, worst", "m", 0, fine.off, 1e-8);
    // single drops have 4.2 more or fewer, and 117: three standard deviations of the mean of 200
    cli_report(r, "band 1e-4: collisions a drop", "", 27.2, fine.collisions, 3 * 4.2 / sqrt(DROPS));
    cli_report(r, "band 1e-4: microcollisions a drop", "", 236, fine.micro_steps,
               3 * 117 / sqrt(DROPS));
    other_laws(r);
}

// --- by method iterated --------------------------------------------------------------------------
// m: height of the apex of the flight that the ball is in
static double apex(const Stage *s, impBody ball) {
    double v = cli_stage_twist(s, ball).linear.z;
    return cli_stage_at(s, ball).z - 0.05 - s->level + v * v / (2 * G);
}

// A ball that falls 1 m and keeps all of its speed, after so many bounces.
static void keeps_height(Report *r, int bounces, double h, const char *name) {
    const double fall = sqrt(2 / G);
    Stage s;
    cli_report_set_step(r, h);
    impBody ball = drop_ball(&s, r, 1, 1e-5);
    double height = nan("");
    if (cli_stage_start(&s) && cli_stage_run(&s, 2 * bounces * fall, 0.05)) {
        height = apex(&s, ball);
    }
    cli_report(r, name, "m", 1, height, 1e-6);
    cli_stage_close(&s);
}

void cli_iterated_zeno(Report *r) {
    const double e = 0.8;
    const double fall = sqrt(2 / G);
    double worst = 0, late = 0;
    double t = fall;
    Stage s;
    cli_report_set_step(r, 1.0 / 60);
    impBody ball = drop_ball(&s, r, e, 1e-5);
    bool good = cli_stage_start(&s);
    // in the middle of the flight after each
    for (int n = 0; n < 10 && good; n++) {
        double flight = 2 * fall * pow(e, n + 1);
        good = cli_stage_run(&s, t + 0.5 * flight, 0.05);
        worst = fmax(worst, fabs(apex(&s, ball) - pow(e, 2 * n + 2)));
        late = fmax(late, fabs(s.hit[n] - t));
        t += flight;
    }
    good = good && cli_stage_run(&s, fall * (1 + e) / (1 - e) + 0.5, 0.05);
    cli_report(r, "1/60 s: height of the first 10 bounces, worst", "m", 0, good ? worst : nan(""),
               1e-6);
    cli_report(r, "1/60 s: time of the first 10 impacts, worst", "s", 0, good ? late : nan(""),
               1e-9);
    cli_report(r, "1/60 s: height at rest", "m", 0.05, good ? cli_stage_at(&s, ball).z : nan(""),
               1e-5);
    cli_stage_close(&s);
    // shorter steps must not make impacts of a wide band inelastic
    cli_report_set_step(r, 1e-4);
    ball = drop_ball(&s, r, e, 1e-3);
    good = cli_stage_start(&s) && cli_stage_run(&s, 2 * fall, 0.05);
    cli_report(r, "0.1 ms, band 1 mm: height of the first bounce", "m", e * e,
               good ? apex(&s, ball) : nan(""), 1e-6);
    cli_stage_close(&s);
    keeps_height(r, 1000, 1.0 / 60, "e = 1, 1/60 s: height after 1000 bounces");
    keeps_height(r, 1000, 1e-3, "e = 1, 1 ms: height after 1000 bounces");
}

// m: the way of a block that slides down 20 degrees with 2 m/s until it stops
static void way_to_stop(Report *r, const void *what, double *out) {
    const double angle = 20 * STAGE_PI / 180;
    const double friction = *(const double *)what;
    const double way = 4 / (2 * G * (friction * cos(angle) - sin(angle)));
    Slope x = { .angle = angle, .friction = friction, .speed = 2, .size = { 0.3, 0.2, 0.1 } };
    Stage s;
    impBody body = on_slope(&s, r, &x);
    double from = cli_stage_start(&s) ? down_slope(&s, body, angle) : 0;
    if (cli_stage_run(&s, way + 0.1, 0.05)) {
        out[0] = down_slope(&s, body, angle) - from;
    }
    cli_stage_close(&s);
}

void cli_iterated_stop(Report *r) {
    const double friction = 0.5;
    const double angle = 20 * STAGE_PI / 180;
    const double way = 4 / (2 * G * (friction * cos(angle) - sin(angle)));
    const Quantity known = { "way to stop, mu = 0.5, 1 ms", "m", way, 3e-3 * way };
    cli_steps(r, &known, 1, 0.8, way_to_stop, &friction);
    // to 1e-5 of the way, as by method impulse
    cli_report_set_step(r, 1.0 / 240);
    cli_case_stop(r);
}

void cli_iterated_drops(Report *r) {
    static const Law laws[] = { { 0.3, 0.3 }, { 0, 0.3 },   { 0, 1 },    { 0.6, 0.1 },
                                { 0.6, 0.8 }, { 0.9, 0.5 }, { 0.3, 1.5 } };
    const double band = 1e-5;
    char text[80];
    double off = 0;
    int unconverged = 0;
    cli_report_set_step(r, 1.0 / 240);
    for (int i = 0; i < LENGTH(laws); i++) {
        Landed sum = drop_bricks(r, LAW_DROPS, laws[i], 8, band);
        snprintf(text, sizeof text, "e = %g, mu = %g: of 50 not at rest after 8 s", laws[i].e,
                 laws[i].mu);
        cli_report(r, text, "", 0, sum.awake, 0);
        off = sum.off <= off ? off : sum.off;
        unconverged += sum.unconverged;
    }
    cli_report(r, "height above a face, worst", "m", 0, off, band);
    cli_report(r, "contact problems that did not converge", "", 0, unconverged, 0);
}
