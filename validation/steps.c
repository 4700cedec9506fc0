// steps.c -- see steps.h.
//
// SPDX-License-Identifier: MIT
#include "steps.h"

#include <math.h>

// 1, of the allowed error: errors below it have no order
#define NO_ORDER 0.01
enum { LEVELS = 3 };

static void report_order(Report *r, const Quantity *q, double order, const double error[LEVELS]) {
    char text[96];
    double worst = 0;
    for (int i = 0; i < LEVELS; i++) {
        // keeps a NaN
        worst = error[i] <= worst ? worst : error[i];
    }
    if (worst <= NO_ORDER * q->allowed) {
        snprintf(text, sizeof text, "%s: 4, 2 and 1 ms, worst", q->name);
        cli_report(r, text, q->unit, 0, worst, NO_ORDER * q->allowed);
        return;
    }
    // the slope of a straight line through the three logarithms
    snprintf(text, sizeof text, "%s: order in h", q->name);
    cli_report_least(r, text, "", order, 0.5 * log2(error[0] / error[LEVELS - 1]));
}

void cli_steps(Report *r, const Quantity *quantity, int count, double order, Measure *measure,
               const void *what) {
    const double step = cli_report_step(r);
    double value[LEVELS][STEPS_QUANTITIES];
    double error[LEVELS];
    for (int i = 0; i < LEVELS; i++) {
        for (int k = 0; k < count; k++) {
            value[i][k] = nan("");
        }
        cli_report_set_step(r, 1e-3 * (4 >> i));
        measure(r, what, value[i]);
    }
    cli_report_set_step(r, step);
    for (int k = 0; k < count; k++) {
        const Quantity *q = &quantity[k];
        cli_report(r, q->name, q->unit, q->reference, value[LEVELS - 1][k], q->allowed);
        for (int i = 0; i < LEVELS; i++) {
            error[i] = fabs(value[i][k] - q->reference);
        }
        report_order(r, q, order, error);
    }
}
