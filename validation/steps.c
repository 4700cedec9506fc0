// steps.c -- see steps.h.
//
// SPDX-License-Identifier: MIT
#include "steps.h"

#include <math.h>

// 1, of the allowed error: errors below it have no order
#define NO_ORDER 0.01
enum { LEVELS = 3 };

// The name of a quantity, with the shortest step where that is not 1 ms.
static void name_of(const Quantity *q, double shortest, char text[96]) {
    if (shortest == 1e-3) {
        snprintf(text, 96, "%s", q->name);
    } else {
        snprintf(text, 96, "%g ms: %s", 1e3 * shortest, q->name);
    }
}

static void report_order(Report *r, const Quantity *q, double order, double shortest,
                         const double error[LEVELS]) {
    char text[128], name[96];
    name_of(q, shortest, name);
    double worst = 0;
    for (int i = 0; i < LEVELS; i++) {
        // keeps a NaN
        worst = error[i] <= worst ? worst : error[i];
    }
    if (worst <= NO_ORDER * q->allowed) {
        snprintf(text, sizeof text, "%s: 4, 2 and 1 %s, worst", name,
                 shortest == 1e-3 ? "ms" : "times that");
        cli_report(r, text, q->unit, 0, worst, NO_ORDER * q->allowed);
        return;
    }
    // the slope of a straight line through the three logarithms
    snprintf(text, sizeof text, "%s: order in h", name);
    cli_report_least(r, text, "", order, 0.5 * log2(error[0] / error[LEVELS - 1]));
}

void cli_short_steps(Report *r, double shortest, const Quantity *quantity, int count, double order,
                     Measure *measure, const void *what) {
    const double step = cli_report_step(r);
    char text[96];
    double value[LEVELS][STEPS_QUANTITIES];
    double error[LEVELS];
    for (int i = 0; i < LEVELS; i++) {
        for (int k = 0; k < count; k++) {
            value[i][k] = nan("");
        }
        cli_report_set_step(r, shortest * (4 >> i));
        measure(r, what, value[i]);
    }
    cli_report_set_step(r, step);
    for (int k = 0; k < count; k++) {
        const Quantity *q = &quantity[k];
        name_of(q, shortest, text);
        cli_report(r, text, q->unit, q->reference, value[LEVELS - 1][k], q->allowed);
        for (int i = 0; i < LEVELS; i++) {
            error[i] = fabs(value[i][k] - q->reference);
        }
        report_order(r, q, order, shortest, error);
    }
}

void cli_steps(Report *r, const Quantity *quantity, int count, double order, Measure *measure,
               const void *what) {
    cli_short_steps(r, 1e-3, quantity, count, order, measure, what);
}
