// kernel_1.c -- the drops, one at a time: for any machine.
//
// SPDX-License-Identifier: MIT
#include "drop/drop.h"

#define LANES 1
#include "drop/kernel.h"

DropKernel drop_kernel_1(void) { return (DropKernel){ LANES, sizeof(Crowd), drop_many }; }
DropStart drop_begin(const DropTable *t, int64_t trial) { return drop_start(t, trial); }
int drop_settle(const DropTable *t, const double down[3]) {
    return descend(t, climb(t, 0, down), down);
}
