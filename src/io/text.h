// text.h -- strings and lists of numbers as JSON and CSV write them (inside io/).
//
// SPDX-License-Identifier: MIT
#pragma once
#include "base/base.h"

bool text_json(Output *out, const char *text, impError *err);                              // "quoted"
bool text_csv(Output *out, const char *text, impError *err);                               // quoted where it must be
bool text_numbers(Output *out, const double *value, int count, impError *err);             // [1, 2, 3]
