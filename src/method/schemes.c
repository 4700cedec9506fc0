// schemes.c -- the ways in which the method `lcp` makes a step: a row each.
//
// docs/theory/time-stepping.md, sections 2 to 5.
//
// SPDX-License-Identifier: MIT
#include "method/method.h"

const Scheme schemes[] = {
    [IMP_SECOND_ORDER] = { "second-order",
                           "exact flights, impulses at their ends, round friction cone", "" },
    [IMP_POSITION] = { "position", "gaps at the end of the step, linear; polyhedral cone",
                       "Stewart & Trinkle 2000, eq. 5-12" },
    [IMP_VELOCITY] = { "velocity", "velocities of what touches at the beginning",
                       "Anitescu & Potra 1997" },
    [IMP_FIXED_POINT] = { "fixed-point", "as position, with the gaps of the pose that is reached",
                          "Stewart & Trinkle 2000, sec. 3.4" },
};
const int scheme_count = COUNT(schemes);
