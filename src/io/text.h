// text.h -- strings and lists of numbers as JSON and CSV write them (inside io/).
//
// SPDX-License-Identifier: MIT
#pragma once
#include "base/base.h"

// as it stands in a JSON string; out holds it if it changed
const char *text_escape(char c, char out[8]);
bool text_is_utf8(const char *text);  // RFC 3629: what a JSON reader takes
// "quoted"
bool text_json(Output *out, const char *text, impError *err);
// quoted where it must be
bool text_csv(Output *out, const char *text, impError *err);
// [1, 2, 3]
bool text_numbers(Output *out, const double *value, int count, impError *err);
