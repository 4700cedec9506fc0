// flight.h -- the row of methods.c that flight.c fills.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "method/method.h"

bool method_flight_accepts(const impModel *m, impError *err);
size_t method_flight_scratch(const impModel *m);
Progress method_flight_step(const impModel *m, double *next, const double *input, double h,
                            Arena scratch, const MethodOptions *options);
