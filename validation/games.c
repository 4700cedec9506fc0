// games.c -- `impel validate`: a bowling ball's hook and a row of dominos, by method impulse.
//
// Mirtich & Canny 1994, figure 9, and Mirtich's Hybrid simulation, table 1.
// The ball slides, hooks and rolls, in closed form (its rolling velocity, v0 - 2/7 u0, does not
// depend on friction); scene scenes/table1/bowling.json. The dominos' times between first contacts
// are those of a closed model: no friction among them, no bounce, no slip on the floor; the
// first ten of scenes/table1/dominos.json, and all thirty for the speed that the wave settles to.
//
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>

#include "steps.h"

#define G            9.81
#define LENGTH(list) ((int)(sizeof(list) / sizeof(list)[0]))
#define PINS         18.288  // m: from the foul line to the head pin

#define OILED 12.192  // m: 40 feet
#define RAD   (STAGE_PI / 180)

typedef struct Throw {
    const char *name;
    double oil, wood, t, y, vx, vy, t_roll, x_roll;
} Throw;

static void lane(Stage *s, const Throw *w) {
    cli_stage_material(s, "oil", w->oil, 0);
    cli_stage_material(s, "wood", w->wood, 0);
    cli_stage_pair(s, "m", "oil", w->oil, 0);
    cli_stage_pair(s, "m", "wood", w->wood, 0);
    impBodyDef floor = {
        .name = "oiled", .fixed = true, .material = "oil", .pose.at = { OILED - 7, 0, -0.05 }
    };
    cli_stage_add(s, floor, (impShapeDef){ .kind = "box", .size = { 14, 6, 0.1 } });
    floor = (impBodyDef){
        .name = "dry", .fixed = true, .material = "wood", .pose.at = { OILED + 15, 0, -0.05 }
    };
    // far enough for the slowest to roll
    cli_stage_add(s, floor, (impShapeDef){ .kind = "box", .size = { 30, 6, 0.1 } });
}

static impBody bowled(Stage *s) {
    const double R = 0.10795;
    impBodyDef def = { .name = "ball",
                       .mass = 6.804,
                       .pose.at = { 0, 0, R + s->level },
                       .twist = { { 8, -0.35, 0 }, { -35, 12, 0 } } };
    return cli_stage_add(s, def, (impShapeDef){ .kind = "sphere", .size = { R } });
}

static void throw_ball(Report *r, const Throw *w) {
    char text[64];
    Stage s;
    cli_stage_open(&s, r, G, w->oil, 0, 1e-3);
    lane(&s, w);
    impBody ball = bowled(&s);
    bool good = cli_stage_start(&s);
    while (good && cli_stage_at(&s, ball).x < PINS && impState_Time(s.state) < 4) {
        good = cli_stage_step(&s, 0.01);
    }
    if (good) {
        impVec3 x = cli_stage_at(&s, ball);
        impVec3 v = cli_stage_twist(&s, ball).linear;
        double late = (x.x - PINS) / v.x;
        snprintf(text, sizeof text, "%s: at the pins after", w->name);
        cli_report(r, text, "s", w->t, impState_Time(s.state) - late, 0.002);
        snprintf(text, sizeof text, "%s: to the left by", w->name);
        cli_report(r, text, "m", w->y, x.y - late * v.y, 0.005);
        snprintf(text, sizeof text, "%s: speed along", w->name);
        cli_report(r, text, "m/s", w->vx, v.x, 0.002 * w->vx);
        snprintf(text, sizeof text, "%s: speed across", w->name);
        cli_report(r, text, "m/s", w->vy, v.y, 0.002 * w->vx);
        // 0.2 % of the velocity
        snprintf(text, sizeof text, "%s: entry angle", w->name);
        cli_report(r, text, "deg", atan2(w->vy, w->vx) / RAD, atan2(v.y, v.x) / RAD, 0.002 / RAD);
    }
    cli_stage_close(&s);
}

// After oil the time begins where it ends.
static Roll roll_ball(Report *r, const Throw *w, double band) {
    double from = 0;
    Roll roll = { .time = nan("") };
    Stage s;
    cli_stage_open(&s, r, G, w->oil, 0, band);
    lane(&s, w);
    impBody ball = bowled(&s);
    bool good = cli_stage_start(&s);
    if (w->oil < w->wood) {
        while (good && cli_stage_at(&s, ball).x < OILED) {
            good = cli_stage_step(&s, 0.01);
        }
        if (good) {
            from = impState_Time(s.state) -
                   (cli_stage_at(&s, ball).x - OILED) / cli_stage_twist(&s, ball).linear.x;
        }
    }
    if (good) {
        roll = cli_stage_roll(&s, ball, 7, 0.01);
    }
    roll.time -= from;
    cli_stage_close(&s);
    return roll;
}

// A micro-step has the friction of the floor it begins on, so that the end of the oil is known to
// half a micro-step: with a band of 1 mm that is 5 cm, 7 ms, and what is left to slide changes by
// up to 4/5 of it. The place has no more than 5 mm: it needs micro-steps of 1.4 ms.
static void rolls(Report *r, const Throw *w) {
    char text[64];
    bool oiled = w->oil < w->wood;
    Roll roll = roll_ball(r, w, 1e-3);
    Roll fine = oiled ? roll_ball(r, w, 1e-5) : roll;
    snprintf(text, sizeof text, "%s: rolls after", w->name);
    cli_report(r, text, "s", w->t_roll, roll.time, 0.002);
    if (oiled) {
        cli_report(r, "the same, band 0.01 mm: rolls after", "s", w->t_roll, fine.time, 0.002);
    }
    snprintf(text, sizeof text, "%s: rolls from", oiled ? "the same, band 0.01 mm" : w->name);
    cli_report(r, text, "m", w->x_roll, fine.at.x, 0.005);
}

// While it slides it is on a parabola. From places 0.4 s apart: a velocity depends on the phase of
// the last micro-step.
static void parabola(Report *r) {
    enum { PLACES = 6 };
    // m/s^2: bowling_ball, mu = 0.04, "accel"
    const double known = 0.20574049302643985;
    const double apart = 0.4;
    double y[PLACES];
    double worst = 0;
    Stage s;
    cli_stage_open(&s, r, G, 0.04, 0, 1e-3);
    lane(&s, &(Throw){ .oil = 0.04, .wood = 0.04 });
    impBody ball = bowled(&s);
    bool good = cli_stage_start(&s);
    for (int i = 0; i < PLACES && good; i++) {
        if ((good = i == 0 || cli_stage_run(&s, apart * i, 0.01))) {
            y[i] = cli_stage_at(&s, ball).y;
        }
    }
    for (int i = 1; i + 1 < PLACES && good; i++) {
        worst = fmax(worst, fabs((y[i - 1] - 2 * y[i] + y[i + 1]) / (apart * apart * known) - 1));
    }
    cli_report(r, "mu = 0.04: y'' off, worst of 2 s", "relative", 0, good ? worst : nan(""), 0.005);
    cli_stage_close(&s);
}

void cli_case_bowling(Report *r) {
    // After the oil it slows down evenly from 7.4734 m/s to 6.0844: the mean of the two times
    // 0.8314 s is the way.
    const double after_oil = 0.8314177983374034;
    const double oil_to = OILED + 0.5 * (7.47344393009096 + 6.0844) * after_oil;
    const Throw throws[] = {
        { "mu = 0.04", 0.04, 0.04, 2.4069917877405547, -0.24645709171468366, 7.195731113953615,
          0.14521567712033356, 5.732950196869711, 40.372581876395884 },
        { "mu = 0.0883", 0.0883039848561469, 0.0883039848561469, 2.596915736570245,
          0.6226105478427162, 6.0844, 0.8295, 2.596915736570245, PINS },
        { "mu = 0.10", 0.10, 0.10, 2.644729491909683, 0.8414001620975169, 6.0844, 0.8295,
          2.2931800787478847, 16.149032750558355 },
        { "mu = 0.20", 0.20, 0.20, 2.825224518487877, 1.667322262364911, 6.0844, 0.8295,
          1.1465900393739423, 8.074516375279178 },
        { "oil for 40 feet", 0.04, 0.20, 2.482863058598795, 0.10072011624038653, 6.0844, 0.8295,
          after_oil, oil_to }
    };
    for (int i = 0; i < LENGTH(throws); i++) {
        throw_ball(r, &throws[i]);
        rolls(r, &throws[i]);
    }
    parabola(r);
}

// --- dominos -------------------------------------------------------------------------------------
enum { PIECES = 30, FEW = 10, KNOWN = 8 };

typedef struct Fall {
    double first[PIECES];  // contact of each with the next, s; < 0: none
    double aside;          // the fastest that any turned out of the row, rad/s
} Fall;

static void pieces(Stage *s, impBody *piece, int count, double push) {
    for (int i = 0; i < count; i++) {
        impBodyDef def = { .pose.at = { 0.024 * i, 0, 0.024 + s->level },
                           .material = "piece",
                           .mass = 0.0105984 };
        // about its lower front edge
        if (i == 0) {
            def.twist = (impTwist){ { 0.024 * push, 0, 0.004 * push }, { 0, push, 0 } };
        }
        piece[i] = cli_stage_add(s, def,
                                 (impShapeDef){ .kind = "box", .size = { 0.008, 0.024, 0.048 } });
    }
}

static void find_first(const impOutcome *o, const impBody *piece, int count, double *first) {
    for (int i = 0; i < o->contact_count; i++) {
        for (int k = 0; k + 1 < count; k++) {
            int a = o->contacts[i].a.i;
            int b = o->contacts[i].b.i;
            bool both = (a == piece[k].i && b == piece[k + 1].i) ||
                        (b == piece[k].i && a == piece[k + 1].i);
            if (both && first[k] < 0) {
                first[k] = o->contacts[i].time;
            }
        }
    }
}

static void sidewise(const Stage *s, const impBody *piece, int count, double *aside) {
    for (int i = 0; i < count; i++) {
        impVec3 w = cli_stage_twist(s, piece[i]).angular;
        *aside = fmax(*aside, fmax(fabs(w.x), fabs(w.z)));
    }
}

// Until the hit that is asked for.
static void topple(Report *r, int count, double push, double friction, int hit, Fall *out) {
    impBody piece[PIECES];
    Stage s;
    cli_stage_open(&s, r, G, 1, 0, 8e-6);
    cli_stage_material(&s, "piece", friction, 0);
    cli_stage_pair(&s, "piece", "m", 1, 0);
    cli_stage_slope(&s, 0);
    pieces(&s, piece, count, push);
    *out = (Fall){ .aside = 0 };
    for (int i = 0; i < PIECES; i++) {
        out->first[i] = -1;
    }
    double h = cli_report_step(r) > 0 ? cli_report_step(r) : 0.002;
    bool good = cli_stage_start(&s);
    for (int i = 0; i < 1.2 / h && good && out->first[hit] < 0; i++) {
        impOutcome o = impStep(s.stepper, s.state, NULL, h);
        good = o.verdict == IMP_SOLVED && !cli_caught();
        find_first(&o, piece, count, out->first);
        sidewise(&s, piece, count, &out->aside);
    }
    cli_stage_close(&s);
}

// The wave of thirty, m/s.
static double speed_of(const Fall *f) {
    enum { FROM = 18, TO = 28 };
    return f->first[TO] < 0 ? nan("") : 0.024 * (TO - FROM) / (f->first[TO] - f->first[FROM]);
}

// For any start, and no piece yaws: each is its own mirror image.
static double wave(Report *r, double push, const char *speed, const char *aside) {
    Fall f;
    topple(r, PIECES, push, 0, PIECES - 2, &f);
    cli_report(r, speed, "m/s", 1.23677, speed_of(&f), 0.02 * 1.23677);
    cli_report(r, aside, "rad/s", 0, f.aside, 1e-6);
    return speed_of(&f);
}

// Friction among them makes it slower. The first hit is before there is any, and all later ones
// must be later.
static void slower(Report *r, const Fall *smooth, double speed) {
    Fall rough;
    int early = 0;
    topple(r, PIECES, 8, 0.2, PIECES - 2, &rough);
    for (int i = 1; i < KNOWN; i++) {
        early += !(rough.first[i] > smooth->first[i]);
    }
    cli_report(r, "mu = 0.2: hits no later than without", "", 0, early, 0);
    cli_report(r, "mu = 0.2: speed no less than without", "", 0, !(speed_of(&rough) < speed), 0);
}

void cli_case_dominos(Report *r) {
    static const double known[KNOWN] = { .044394, .065673, .049707, .036757,
                                         .029817, .025937, .023634, .022201 };
    Fall smooth;
    topple(r, FEW, 8, 0, KNOWN - 1, &smooth);
    for (int i = 0; i < KNOWN; i++) {
        char text[48];
        snprintf(text, sizeof text, "from hit %d to hit %d", i, i + 1);
        cli_report(r, i ? text : "until the first hit", "s", known[i],
                   smooth.first[i] - (i ? smooth.first[i - 1] : 0), 0.02 * known[i]);
    }
    double speed = wave(r, 8, "thirty of them: speed", "thirty of them: turned aside");
    wave(r, 3, "pushed by 3 rad/s: speed", "pushed by 3 rad/s: turned aside");
    slower(r, &smooth, speed);
}

// --- by method iterated --------------------------------------------------------------------------
typedef struct OnLane {
    Throw w;
    bool is_whole;  // one floor instead of two that meet at 40 feet
} OnLane;

// At the pins: time, place to the left, both speeds.
static void at_pins(Report *r, const void *what, double *out) {
    const OnLane *x = what;
    Stage s;
    cli_stage_open(&s, r, G, x->w.oil, 0, 1e-3);
    if (x->is_whole) {
        cli_stage_slope(&s, 0);
    } else {
        lane(&s, &x->w);
    }
    impBody ball = bowled(&s);
    bool good = cli_stage_start(&s);
    while (good && cli_stage_at(&s, ball).x < PINS && impState_Time(s.state) < 4) {
        good = cli_stage_step(&s, cli_report_step(r));
    }
    if (good) {
        impVec3 at = cli_stage_at(&s, ball);
        impVec3 v = cli_stage_twist(&s, ball).linear;
        double late = (at.x - PINS) / v.x;
        out[0] = impState_Time(s.state) - late;
        out[1] = at.y - late * v.y;
        out[2] = v.x;
        out[3] = v.y;
    }
    cli_stage_close(&s);
}

static void bowl(Report *r, const OnLane *x) {
    static const char *const what[4] = { "at the pins after", "to the left by", "speed along",
                                         "speed across" };
    static const char *const units[4] = { "s", "m", "m/s", "m/s" };
    const Throw *w = &x->w;
    const double values[4] = { w->t, w->y, w->vx, w->vy };
    const double allowed[4] = { 0.002, 0.002, 0.002 * w->vx, 0.002 * w->vx };
    char text[4][64];
    Quantity known[4];
    for (int k = 0; k < 4; k++) {
        snprintf(text[k], sizeof text[k], "%s: %s", w->name, what[k]);
        known[k] = (Quantity){ text[k], units[k], values[k], allowed[k] };
    }
    cli_steps(r, known, 4, 0.8, at_pins, x);
}

void cli_iterated_bowling(Report *r) {
    static const Throw sliding = { "mu = 0.04, whole floor",
                                   0.04,
                                   0.04,
                                   2.4069917877405547,
                                   -0.24645709171468366,
                                   7.195731113953615,
                                   0.14521567712033356,
                                   0,
                                   0 };
    static const Throw rolling = { "mu = 0.10, whole floor",
                                   0.10,
                                   0.10,
                                   2.644729491909683,
                                   0.8414001620975169,
                                   6.0844,
                                   0.8295,
                                   0,
                                   0 };
    static const Throw oiled = {
        "oil for 40 feet", 0.04, 0.20, 2.482863058598795, 0.10072011624038653, 6.0844, 0.8295, 0, 0
    };
    OnLane x = { sliding, true };
    bowl(r, &x);
    x.w = rolling;
    bowl(r, &x);
    x = (OnLane){ sliding, false };
    x.w.name = "mu = 0.04";
    bowl(r, &x);
    x.w = rolling;
    x.w.name = "mu = 0.10";
    bowl(r, &x);
    x.w = oiled;
    bowl(r, &x);
}

static void waves(Report *r, const void *what, double *out) {
    Fall f;
    (void)what;
    topple(r, PIECES, 8, 0, PIECES - 2, &f);
    out[0] = speed_of(&f);
}

void cli_iterated_dominos(Report *r) {
    static const Quantity known = { "thirty of them: speed", "m/s", 1.23677, 0.02 * 1.23677 };
    static const double hits[3] = { 0.044394, 0.196531, 0.298120 };
    static const int number[3] = { 1, 4, KNOWN };
    char text[48];
    Fall smooth;
    cli_steps(r, &known, 1, 0.8, waves, NULL);
    cli_report_set_step(r, 1e-3);
    topple(r, FEW, 8, 0, KNOWN - 1, &smooth);
    // what arrives slowly has the time of the step's beginning: no order in h
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "1 ms: time of hit %d", number[i]);
        cli_report(r, text, "s", hits[i], smooth.first[number[i] - 1], 0.02 * hits[i]);
    }
    double speed = wave(r, 8, "1 ms, thirty of them: speed", "1 ms, thirty of them: turned aside");
    wave(r, 3, "1 ms, pushed by 3 rad/s: speed", "1 ms, pushed by 3 rad/s: turned aside");
    slower(r, &smooth, speed);
}
