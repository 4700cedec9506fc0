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
void cli_iterated_coins(Report *r) { with_step(r, MILLISECOND, cli_case_coins); }
void cli_iterated_pool(Report *r) { with_step(r, MILLISECOND, cli_case_pool); }
void cli_iterated_dish(Report *r) { with_step(r, MILLISECOND, cli_case_dish); }
void cli_iterated_pins(Report *r) { with_step(r, MILLISECOND, cli_case_pins); }
void cli_iterated_slope(Report *r) { with_step(r, 1.0 / 240, cli_case_slope); }
