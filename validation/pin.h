// pin.h -- a bowling pin for the cases of `impel validate`.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "stage.h"

#define PIN_G    9.81
#define PIN_INCH 0.0254
// kg; with the next three those of a round pin
#define PIN_MASS   1.59
#define PIN_CENTER 0.14784204521726318    // m, above its foot
#define PIN_AXIAL  0.0019419932304795531  // kg m^2
#define PIN_ACROSS 0.013512611776063896

// Of 162 facets and material "pin". Its foot is the origin of its pose.
impBody cli_pin_add(Stage *s, impPose pose, impTwist twist);
double cli_pin_lean(const Stage *s, impBody pin);  // rad, from upright
void cli_pin_weighed(Report *r);
void cli_pin_toppled(Report *r);
