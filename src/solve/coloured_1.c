// coloured_1.c -- coloured sweeps, one group at a time: for any machine.
//
// SPDX-License-Identifier: MIT
#define LANES 1
#include "solve/coloured_kernel.h"

ColourKernel colour_kernel_1(void) { return (ColourKernel)COLOUR_KERNEL; }
