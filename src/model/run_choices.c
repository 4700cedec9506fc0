// run_choices.c -- the choices of a run that have names: a row each, for the reader and the writer
// of scenes and for the checks of the build.
//
// SPDX-License-Identifier: MIT
#include "model/model.h"

#include <string.h>

static const char *const micros[] = { [IMP_MICROSTEP] = "microstep", [IMP_REVERSAL] = "reversal" };
static const char *const predictions[] = {
    [IMP_EXACT] = "exact", [IMP_RUNGE_KUTTA] = "runge_kutta"
};
static const char *const scheme_names[] = { [IMP_SECOND_ORDER] = "second-order",
                                            [IMP_POSITION] = "position",
                                            [IMP_VELOCITY] = "velocity",
                                            [IMP_FIXED_POINT] = "fixed-point" };

const RunChoice run_choices[] = {
    { "micro", offsetof(impRunDef, micro), micros, COUNT(micros) },
    { "prediction", offsetof(impRunDef, prediction), predictions, COUNT(predictions) },
    { "scheme", offsetof(impRunDef, scheme), scheme_names, COUNT(scheme_names) },
};
const int run_choice_count = COUNT(run_choices);

int run_choice_get(const RunChoice *choice, const impRunDef *run) {
    int value;
    memcpy(&value, (const char *)run + choice->place, sizeof value);
    return value;
}

void run_choice_set(const RunChoice *choice, impRunDef *run, int value) {
    memcpy((char *)run + choice->place, &value, sizeof value);
}
