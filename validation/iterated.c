// iterated.c -- `impel validate --method iterated`: cases whose worlds and rows are those of method
// impulse, with steps of a given length.
//
// docs/validation/cases.md, section "Method iterated". Method impulse finds its own times, so that
// its cases step as is convenient; here the step is the accuracy.
//
// SPDX-License-Identifier: MIT
#include "validation.h"

#define MILLISECOND 1e-3

static void with_step(Report *r, double h, void (*run)(Report *)) {
    cli_report_set_step(r, h);
    run(r);
}

void cli_iterated_bullet(Report *r) { with_step(r, 1.0 / 60, cli_case_bullet); }
void cli_iterated_ramp(Report *r) { with_step(r, MILLISECOND, cli_case_ramp); }
void cli_iterated_rattleback(Report *r) { with_step(r, MILLISECOND, cli_case_rattleback); }
void cli_iterated_prism(Report *r) { with_step(r, MILLISECOND, cli_case_prism); }
void cli_iterated_coins(Report *r) { with_step(r, MILLISECOND, cli_case_coins); }
void cli_iterated_marbles(Report *r) { with_step(r, MILLISECOND, cli_case_marbles); }
void cli_iterated_pool(Report *r) { with_step(r, MILLISECOND, cli_case_pool); }
void cli_iterated_dish(Report *r) { with_step(r, MILLISECOND, cli_case_dish); }
void cli_iterated_block(Report *r) { with_step(r, MILLISECOND, cli_case_block); }
void cli_iterated_topple(Report *r) { with_step(r, MILLISECOND, cli_case_topple); }
void cli_iterated_held(Report *r) { with_step(r, 1.0 / 240, cli_case_held); }
void cli_iterated_conveyor(Report *r) { with_step(r, MILLISECOND, cli_case_conveyor); }
void cli_iterated_dominos(Report *r) { with_step(r, MILLISECOND, cli_case_dominos); }
void cli_iterated_rod(Report *r) { with_step(r, 1e-4, cli_case_rod); }
void cli_iterated_pins(Report *r) { with_step(r, MILLISECOND, cli_case_pins); }
void cli_iterated_slope(Report *r) { with_step(r, 1.0 / 240, cli_case_slope); }
void cli_iterated_stop(Report *r) { with_step(r, 1.0 / 240, cli_case_stop); }
void cli_iterated_roll(Report *r) { with_step(r, MILLISECOND, cli_case_roll); }
void cli_iterated_platter(Report *r) { with_step(r, 1.0 / 240, cli_case_platter); }
void cli_iterated_disc(Report *r) { with_step(r, MILLISECOND, cli_case_disc); }
void cli_iterated_drops(Report *r) { with_step(r, MILLISECOND, cli_case_drops); }
void cli_iterated_bowling(Report *r) { with_step(r, MILLISECOND, cli_case_bowling); }
void cli_iterated_billiard(Report *r) { with_step(r, MILLISECOND, cli_case_billiard); }
void cli_iterated_zeno(Report *r) { with_step(r, MILLISECOND, cli_case_zeno); }
