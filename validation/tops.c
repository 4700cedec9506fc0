// tops.c -- `impel validate`: a tippe top, by method iterated.
//
// A ball of 20 mm whose centre of mass is 0.3 of the radius below its middle, spun about the
// vertical: it stands on its head after a time that depends on friction. Bender & Schmitt 2006,
// figure 5; from a clean start: the point that touches slides by 13 mm/s or more until then, so
// that no regularization of friction has a part in it. docs/validation/cases.md.
//
// SPDX-License-Identifier: MIT
#include "steps.h"

#include <math.h>

#define G 9.81
static const double radius = 0.02, mass = 0.02, eccentric = 0.3;

// Leaning by 0.1 rad, spinning at w about the vertical, its centre of mass at rest.
static impBody top(Stage *s, Report *r, double mu, double w) {
    const double lean = 0.1;
    const double square = mass * radius * radius;
    cli_stage_open(s, r, G, mu, 0, 2e-7);
    cli_stage_slope(s, 0);
    impBodyDef def = { .name = "top",
                       .mass = mass,
                       .center_given = true,
                       .center = { 0, 0, -eccentric * radius },
                       .pose = { { 0, 0, radius + s->level }, cli_turn_y(lean) },
                       .twist.angular = { 0, 0, w } };
    def.inertia[0][0] = def.inertia[1][1] = 131.0 / 350 * square;
    def.inertia[2][2] = 0.4 * square;
    return cli_stage_add(s, def, (impShapeDef){ .kind = "sphere", .size = { radius } });
}

// The cosine of its lean: 1 upright.
static double upright(const Stage *s, impBody body) {
    return cli_stage_axis(s, body, (impVec3){ 0, 0, 1 }).z;
}

// s: when it leans by 90 and by 120 degrees
static void turns_over(Report *r, const void *what, double *out) {
    const double mu = *(const double *)what;
    const double level[2] = { 0, -0.5 };
    double before = 1;
    int n = 0;
    Stage s;
    impBody body = top(&s, r, mu, 100);
    bool good = cli_stage_start(&s);
    while (good && n < 2 && impState_Time(s.state) < 5) {
        good = cli_stage_step(&s, cli_report_step(r));
        if (!good) break;
        double now = upright(&s, body);
        while (n < 2 && now < level[n]) {
            double back = (level[n] - now) / (before - now);
            out[n++] = impState_Time(s.state) - back * cli_report_step(r);
        }
        before = now;
    }
    cli_stage_close(&s);
}

void cli_iterated_tippe(Report *r) {
    static const double mu[3] = { 0.05, 0.1, 0.2 };
    static const Quantity known[3][2] = {
        { { "mu = 0.05: leans by 90 deg", "s", 2.795849, 0.01 * 2.795849 },
          { "mu = 0.05: leans by 120 deg", "s", 3.296685, 0.01 * 3.296685 } },
        { { "mu = 0.1: leans by 90 deg", "s", 1.416602, 0.01 * 1.416602 },
          { "mu = 0.1: leans by 120 deg", "s", 1.671995, 0.01 * 1.671995 } },
        { { "mu = 0.2: leans by 90 deg", "s", 0.751214, 0.01 * 0.751214 },
          { "mu = 0.2: leans by 120 deg", "s", 0.892938, 0.01 * 0.892938 } }
    };
    for (int i = 0; i < 3; i++) {
        cli_steps(r, known[i], 2, 0.8, turns_over, &mu[i]);
    }
    // slower it stays upright: cos 6 deg
    Stage s;
    double least = 1;
    cli_report_set_step(r, 1e-3);
    impBody body = top(&s, r, 0.1, 40);
    bool good = cli_stage_start(&s);
    for (int i = 0; i < 600 && good; i++) {
        good = cli_stage_run(&s, 0.01 * (i + 1), 1e-3);
        least = good ? fmin(least, upright(&s, body)) : nan("");
    }
    cli_report_least(r, "40 rad/s, mu = 0.1, 6 s: cosine of the lean", "", 0.9945, least);
    cli_stage_close(&s);
}
