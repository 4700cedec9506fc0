// stepping.c -- `impel validate --method lcp`: both examples of Stewart & Trinkle (2000) by their
// own scheme, beside their printed numbers and an independent program.
//
// docs/validation/cases.md, section "Method lcp". The paper leaves open the height from which the
// rod falls (1 m), the arm of its friction (the radius of its ends belongs to it) and the duration
// of the second example (1 s); with these its printed numbers come out.
//
// SPDX-License-Identifier: MIT
#include "stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- a rod in a plane ----------------------------------------------------------------------------

// Steps of the paper's figures, and what the independent program found with them.
typedef struct RodStep {
    double h;                     // s
    double touches, lies, rests;  // s: ends of steps
    double x;                     // m, at the end
    double fastest;               // rad/s
    double back;                  // m/s: least velocity
} RodStep;
static const RodStep rod_steps[] = {
    { 0.02, 0.38, 0.56, 0.60, -0.25527867430986567, 8.009031880031667, -1.4482502791990821 },
    { 0.01, 0.38, 0.56, 0.58, -0.24214163677138098, 8.353350781794145, -1.4047148797347648 },
    { 0.005, 0.385, 0.55, 0.575, -0.2338793840968995, 8.420534677904286, -1.4207817501428834 },
    { 0.0025, 0.385, 0.55, 0.57, -0.23078632847431693, 8.51649760232538, -1.4104409768915969 },
};

// What a run of the rod showed.
typedef struct RodRun {
    double touches, lies, rests, x, fastest, back;
} RodRun;

static impBody add_rod(Stage *s) {
    impBody table = cli_stage_slope(s, 0);
    (void)table;
    impBodyDef def = { .name = "rod",
                       .mass = 1,
                       .pose = { { 0, 0, 1 }, cli_turn_y(STAGE_PI / 3) },
                       .twist = { { 0, 0, 0 }, { 0, -4, 0 } },
                       .plane = { 0, 1, 0 },
                       .inertia = { { 0.002, 0, 0 }, { 0, 0.002, 0 }, { 0, 0, 0.001 } } };
    return cli_stage_add(s, def, (impShapeDef){ .kind = "capsule", .size = { 0.05, 0.5 } });
}

// Both ends of the rod, above the table.
static void heights(const Stage *s, impBody rod, double end[2]) {
    impVec3 axis = cli_stage_axis(s, rod, (impVec3){ 0, 0, 1 });
    double z = cli_stage_at(s, rod).z;
    end[0] = z + 0.25 * axis.z - 0.05;
    end[1] = z - 0.25 * axis.z - 0.05;
}

static RodRun run_rod(Report *r, double h) {
    const double down = 1e-7;
    RodRun out = { .touches = nan(""), .lies = nan(""), .rests = nan(""), .back = HUGE_VAL };
    Stage s;
    cli_stage_open(&s, r, 9.81, 0.6, 0, 1e-6);
    cli_stage_scheme(&s, IMP_FIXED_POINT, 2);
    impBody rod = add_rod(&s);
    int steps = (int)floor(1 / h + 0.5);
    bool ok = cli_stage_start(&s);
    for (int i = 1; ok && i <= steps; i++) {
        double end[2];
        ok = cli_stage_step(&s, h);
        heights(&s, rod, end);
        impTwist t = cli_stage_twist(&s, rod);
        bool lies = end[0] < down && end[1] < down;
        bool moves = fabs(t.linear.x) > down || fabs(t.angular.y) > down;
        if (isnan(out.touches) && (end[0] < down || end[1] < down)) {
            out.touches = i * h;
        }
        if (isnan(out.lies) && lies) {
            out.lies = i * h;
        }
        if (isnan(out.rests) && lies && !moves) {
            out.rests = i * h;
        }
        out.fastest = fmax(out.fastest, -t.angular.y);
        out.back = fmin(out.back, t.linear.x);
        out.x = cli_stage_at(&s, rod).x;
    }
    cli_stage_close(&s);
    return out;
}

static void report_rod(Report *r, const RodStep *step) {
    char text[64];
    RodRun run = run_rod(r, step->h);
    double clock = 1e-9;
    snprintf(text, sizeof text, "h = %g s: first contact", step->h);
    cli_report(r, text, "s", step->touches, run.touches, clock);
    snprintf(text, sizeof text, "h = %g s: both ends down", step->h);
    cli_report(r, text, "s", step->lies, run.lies, clock);
    snprintf(text, sizeof text, "h = %g s: at rest", step->h);
    cli_report(r, text, "s", step->rests, run.rests, clock);
    snprintf(text, sizeof text, "h = %g s: place at 1 s", step->h);
    cli_report(r, text, "m", step->x, run.x, 1e-4);
    snprintf(text, sizeof text, "h = %g s: fastest rotation", step->h);
    cli_report(r, text, "rad/s", step->fastest, run.fastest, 1e-3);
    snprintf(text, sizeof text, "h = %g s: fastest backwards", step->h);
    cli_report(r, text, "m/s", step->back, run.back, 1e-3);
}

// A step that is too long, as the paper says of 1/25 s: the tip is thrown into a rotation that no
// shorter step shows, and the problem has several solutions after that.
static void report_long_step(Report *r) {
    const double h = 0.04, converged = -0.22749;
    RodRun run = run_rod(r, h);
    cli_report(r, "h = 0.04 s: first contact", "s", 0.4, run.touches, 1e-9);
    cli_report(r, "h = 0.04 s: fastest rotation", "rad/s", 19.658376897720025, run.fastest, 1e-3);
    cli_report_least(r, "h = 0.04 s: place at 1 s off the converged one", "m", 0.05,
                     fabs(run.x - converged));
}

// Painleve's phase: after the first contact the tip slides into the table, and no acceleration
// satisfies the laws of contact. The velocities of the converged solution, h = 0.1 ms.
static void report_converged(Report *r) {
    RodRun run = run_rod(r, 1e-4);
    cli_report(r, "converged: first contact", "s", 0.3858, run.touches, 1e-3);
    cli_report(r, "converged: both ends down", "s", 0.5474, run.lies, 1e-3);
    cli_report(r, "converged: at rest", "s", 0.5665, run.rests, 1e-3);
    cli_report(r, "converged: place at 1 s", "m", -0.22749, run.x, 0.0023);
    cli_report(r, "converged: fastest rotation", "rad/s", 8.5524, run.fastest, 0.086);
    cli_report(r, "converged: fastest backwards", "m/s", -1.40639, run.back, 0.014);
}

// The paper's own numbers are those of the beginning of a step of 2.5 ms.
static void report_printed(Report *r) {
    const double h = 0.0025;
    RodRun run = run_rod(r, h);
    cli_report(r, "printed: first contact", "s", 0.383, run.touches - h, 0.0006);
    cli_report(r, "printed: both ends down", "s", 0.548, run.lies - h, 0.0006);
    cli_report(r, "printed: slides after that for", "s", 0.02, run.rests - run.lies, 0.0006);
}

void cli_lcp_falling_rod(Report *r) {
    report_printed(r);
    for (size_t i = 0; i < sizeof rod_steps / sizeof rod_steps[0]; i++) {
        report_rod(r, &rod_steps[i]);
    }
    report_long_step(r);
    report_converged(r);
}

// --- four balls ----------------------------------------------------------------------------------

enum { BALLS = 4, PLACES = 6 * BALLS, FINE_STEPS = 800 };

// Velocities and coordinates by component; rotations are integrals of the angular velocity.
typedef struct BallsRun {
    int steps;
    double (*v)[PLACES], (*q)[PLACES];  // by step, the first at the start
} BallsRun;

static void put_balls(const Stage *s, const impBody ball[BALLS], double h, BallsRun *run, int i) {
    for (int k = 0; k < BALLS; k++) {
        impTwist t = cli_stage_twist(s, ball[k]);
        impVec3 x = cli_stage_at(s, ball[k]);
        double *v = run->v[i] + 6 * k;
        double *q = run->q[i] + 6 * k;
        const double twist[6] = { t.linear.x,  t.linear.y,  t.linear.z,
                                  t.angular.x, t.angular.y, t.angular.z };
        const double place[3] = { x.x, x.y, x.z };
        memcpy(v, twist, sizeof twist);
        memcpy(q, place, sizeof place);
        for (int c = 3; c < 6; c++) {
            q[c] = i == 0 ? 0 : run->q[i - 1][6 * k + c] + h * v[c];
        }
    }
}

static void add_balls(Stage *s, impBody ball[BALLS]) {
    static const char *const names[BALLS] = { "thrown", "first", "second", "third" };
    static const impVec3 at[BALLS] = {
        { 0, 0, 1 }, { 1, 0, 0.1 }, { 1.20001, 0, 0.1 }, { 1.40002, 0, 0.1 }
    };
    cli_stage_slope(s, 0);
    for (int k = 0; k < BALLS; k++) {
        impBodyDef def = { .name = names[k], .mass = 1, .pose = { at[k], { 1, 0, 0, 0 } } };
        if (k == 0) {
            def.twist.linear = (impVec3){ 1.5, 0.1, 0 };
        }
        ball[k] = cli_stage_add(s, def, (impShapeDef){ .kind = "sphere", .size = { 0.1 } });
    }
}

static bool run_balls(Report *r, int steps, BallsRun *run) {
    Stage s;
    impBody ball[BALLS];
    const double h = 1.0 / steps;
    *run = (BallsRun){ .steps = steps };
    run->v = calloc((size_t)steps + 1, sizeof *run->v);
    run->q = calloc((size_t)steps + 1, sizeof *run->q);
    cli_stage_open(&s, r, 9.81, 0.4, 0, 1e-6);
    cli_stage_scheme(&s, IMP_FIXED_POINT, 8);
    add_balls(&s, ball);
    bool ok = run->v && run->q && cli_stage_start(&s);
    if (ok) {
        put_balls(&s, ball, h, run, 0);
    }
    for (int i = 1; ok && i <= steps; i++) {
        ok = cli_stage_step(&s, h);
        put_balls(&s, ball, h, run, i);
    }
    cli_stage_close(&s);
    return ok;
}

static void free_balls(BallsRun *run) {
    free(run->v);
    free(run->q);
}

static double farthest(const double *a, const double *b) {
    double most = 0;
    for (int c = 0; c < PLACES; c++) {
        most = fmax(most, fabs(a[c] - b[c]));
    }
    return most;
}

// Integral of the largest difference of a component, velocities being constant in each step.
static double velocity_error(const BallsRun *coarse, const BallsRun *fine) {
    int part = fine->steps / coarse->steps;
    double sum = 0;
    for (int i = 1; i <= fine->steps; i++) {
        sum += farthest(coarse->v[(i + part - 1) / part], fine->v[i]);
    }
    return sum / fine->steps;
}

static double position_error(const BallsRun *coarse, const BallsRun *fine) {
    int part = fine->steps / coarse->steps;
    double most = 0;
    for (int i = 0; i <= coarse->steps; i++) {
        most = fmax(most, farthest(coarse->q[i], fine->q[i * part]));
    }
    return most;
}

// Of all components the largest total variation.
static double variation(const BallsRun *run) {
    double most = 0;
    for (int c = 0; c < PLACES; c++) {
        double sum = 0;
        for (int i = 1; i <= run->steps; i++) {
            sum += fabs(run->v[i][c] - run->v[i - 1][c]);
        }
        most = fmax(most, sum);
    }
    return most;
}

// A row of the paper's table 1, and what the independent program found.
typedef struct BallsRow {
    int steps;
    double velocity[2], position[2], variation[2];
    double allowed;  // 1, of an error
} BallsRow;
static const BallsRow balls_rows[] = {
    { 50, { 0.5050, 0.4957 }, { 0.2505, 0.2509 }, { 19.4046, 19.4110 }, 0.03 },
    { 100, { 0.3523, 0.3507 }, { 0.2015, 0.2008 }, { 19.1728, 19.1754 }, 0.03 },
    { 200, { 0.1657, 0.1649 }, { 0.0838, 0.0831 }, { 19.1702, 19.1698 }, 0.03 },
    { 400, { 0.0700, 0.0650 }, { 0.0298, 0.0331 }, { 19.0862, 19.0870 }, 0.12 },
};
static const char *const by[2] = { "printed", "independent" };

static void report_balls(Report *r, const BallsRow *row, const BallsRun *fine) {
    BallsRun run;
    char text[96];
    if (run_balls(r, row->steps, &run)) {
        for (int k = 0; k < 2; k++) {
            snprintf(text, sizeof text, "h = %g s, %s: velocity error", 1.0 / row->steps, by[k]);
            cli_report(r, text, "m", row->velocity[k], velocity_error(&run, fine),
                       row->allowed * row->velocity[k]);
            snprintf(text, sizeof text, "h = %g s, %s: position error", 1.0 / row->steps, by[k]);
            cli_report(r, text, "m", row->position[k], position_error(&run, fine),
                       row->allowed * row->position[k]);
            snprintf(text, sizeof text, "h = %g s, %s: variation", 1.0 / row->steps, by[k]);
            cli_report(r, text, "m/s", row->variation[k], variation(&run),
                       5e-4 * row->variation[k]);
        }
    }
    free_balls(&run);
}

void cli_lcp_four_balls(Report *r) {
    static const double last[BALLS][3] = { { 0.9062056203532162, 0.15792479191991785, 0.1 },
                                           { 1.055909171190086, -0.01444086066015212, 0.1 },
                                           { 1.2657410751853637, -0.01658467144483799, 0.1 },
                                           { 1.4681068480434991, 0.002990478640486482, 0.1 } };
    BallsRun fine;
    if (run_balls(r, FINE_STEPS, &fine)) {
        for (size_t i = 0; i < sizeof balls_rows / sizeof balls_rows[0]; i++) {
            report_balls(r, &balls_rows[i], &fine);
        }
        cli_report(r, "h = 0.00125 s, printed: variation", "m/s", 19.0690, variation(&fine),
                   5e-4 * 19.0690);
        for (int k = 0; k < BALLS; k++) {
            static const char *const who[BALLS] = { "thrown", "first", "second", "third" };
            char text[64];
            double off = 0;
            for (int c = 0; c < 3; c++) {
                off = fmax(off, fabs(fine.q[FINE_STEPS][6 * k + c] - last[k][c]));
            }
            snprintf(text, sizeof text, "h = 0.00125 s: %s ball off, 1 s", who[k]);
            cli_report(r, text, "m", 0, off, 1e-3);
        }
    }
    free_balls(&fine);
}
