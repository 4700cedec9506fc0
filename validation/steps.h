// steps.h -- a quantity that is measured with steps of 4, 2 and 1 ms, or shorter ones: is it right
// with the shortest, and does its error vanish with the step?
//
// docs/validation/cases.md, section "Method iterated".
//
// SPDX-License-Identifier: MIT
#pragma once
#include "stage.h"

typedef struct Quantity {
    const char *name, *unit;
    double reference, allowed;  // allowed: of the error with the shortest step
} Quantity;

// Runs the scene once with the step of the report, and writes what it measured, by quantity.
typedef void Measure(Report *r, const void *what, double *out);

enum { STEPS_QUANTITIES = 8 };
// A row for the value with 1 ms and one for the order in h, which must be at least `order`; but an
// error that is below a hundredth of the allowed one with all three steps has no order, and
// its row says that.
void cli_steps(Report *r, const Quantity *quantity, int count, double order, Measure *measure,
               const void *what);
// The same with steps of four, two and one times the shortest (s), which the rows name.
void cli_short_steps(Report *r, double shortest, const Quantity *quantity, int count, double order,
                     Measure *measure, const void *what);
