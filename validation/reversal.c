// reversal.c -- paper 1's own rule for microcollisions ("micro": "reversal"): what it does to a
// ball, exactly, and how far a block creeps under it.
//
// A point whose velocity is reversed, u -> -u, makes Garwin's superball of a solid one. The speed
// is microscopic only in a band of half a metre: the ball starts at its level, so that it is struck
// at once, and gravity is taken off after. Creep: a block laid on a slope that friction holds goes
// down all the same. The references are documented numbers of this program
// (docs/reference/methods.md), not truths: the truth is 0, and the micro-step has it. An
// independent prototype of the rule crept by 12 mm at half the limit and by 35 mm at 0.95 of it
// (docs/theory/microcollisions.md, section 4).
//
// SPDX-License-Identifier: MIT
#include "stage.h"

#include <math.h>

static const double G = 9.81;

// --- superball -----------------------------------------------------------------------------------
static impTwist struck(Report *r, double friction) {
    const double radius = 0.025;
    const double soon = 1e-6;
    impTwist t = { { nan(""), 0, 0 }, { 0, 0, 0 } };
    Stage s;
    cli_stage_open(&s, r, G, friction, 0.5, 0.5);
    cli_stage_reversal(&s);
    cli_stage_slope(&s, 0);
    impBodyDef def = { .name = "ball",
                       .pose.at = { 0, 0, radius + s.level },
                       .twist.linear = { 2, 0, -3 } };
    impBody ball = cli_stage_add(&s, def, (impShapeDef){ .kind = "sphere", .size = { radius } });
    if (cli_stage_start(&s) && cli_stage_step(&s, soon)) {
        t = cli_stage_twist(&s, ball);
        t.linear.z += G * soon;
    }
    cli_stage_close(&s);
    return t;
}

static void superball(Report *r) {
    impTwist t = struck(r, 0.5);
    cli_report(r, "ball turned round: v_x", "m/s", 6.0 / 7, t.linear.x, 1e-12);
    cli_report(r, "ball turned round: v_z", "m/s", 3, t.linear.z, 1e-12);
    cli_report(r, "ball turned round: w_y", "rad/s", 20.0 / 7 / 0.025, t.angular.y, 1e-12);
    double no = 0.1;
    double yes = 0.3;
    // the friction from which on there is room for it
    for (int i = 0; i < 50; i++) {
        double mu = 0.5 * (no + yes);
        if (fabs(struck(r, mu).linear.z - 3) < 1e-9) {
            yes = mu;
        } else {
            no = mu;
        }
    }
    cli_report(r, "least friction that turns it round", "", 4.0 / 21, yes, 1e-12);
}

// --- creep ---------------------------------------------------------------------------------------
// m in 10 s; events per second
typedef struct Creep {
    double way, rate;
} Creep;

static Creep creep_of(Report *r, double part, bool reversal) {
    const double angle = atan(0.5 * part);
    const double ca = cos(angle);
    const double sa = sin(angle);
    Creep c = { nan(""), nan("") };
    Stage s;
    cli_stage_open(&s, r, G, 0.5, 0.3, 1e-5);
    if (reversal) {
        cli_stage_reversal(&s);
    }
    cli_stage_slope(&s, angle);
    double up = 0.05 + s.level;
    impBodyDef def = { .name = "block", .pose = { { up * sa, 0, up * ca }, cli_turn_y(angle) } };
    impBody block = cli_stage_add(&s, def,
                                  (impShapeDef){ .kind = "box", .size = { 0.3, 0.2, 0.1 } });
    if (cli_stage_start(&s) && cli_stage_run(&s, 10, 0.02)) {
        impVec3 at = cli_stage_at(&s, block);
        c = (Creep){ at.x * ca - at.z * sa, (s.collisions + s.micro_steps) / 10.0 };
    }
    cli_stage_close(&s);
    return c;
}

void cli_case_reversal(Report *r) {
    superball(r);
    cli_report(r, "creep in 10 s at 0.5 of the limit, micro-step", "m", 0,
               creep_of(r, 0.5, false).way, 1e-6);
    Creep half = creep_of(r, 0.5, true);
    Creep most = creep_of(r, 0.95, true);
    cli_report(r, "creep in 10 s at 0.5 of the limit", "m", 0.0108, half.way, 0.0005);
    cli_report(r, "events a second", "", 2370, half.rate, 100);
    cli_report(r, "creep in 10 s at 0.95 of the limit", "m", 0.0230, most.way, 0.0015);
}
