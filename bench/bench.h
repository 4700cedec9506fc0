// bench.h -- timing that a busy machine cannot spoil: CPU time of this process, the best of several
// runs.
//
// Each program prints rows "what, measured, unit, goal, ok" and ends with 1 if a goal was missed.
// Ratios are taken within one run. The library is used through its public header only.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "impel/impel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Best CPU time of `runs` calls of work(context), in seconds.
static inline double best_of(int runs, void (*work)(void *context), void *context) {
    double best = 1e300;
    for (int i = 0; i < runs; i++) {
        double start = cpu_seconds();
        work(context);
        double took = cpu_seconds() - start;
        if (took < best) {
            best = took;
        }
    }
    return best;
}

// goal 0: no goal, a number to know. Returns 1 when missed.
static inline int row(const char *what, double measured, const char *unit, double goal) {
    int missed = goal > 0 && measured > goal;
    printf("%-58s %10.4g %-5s", what, measured, unit);
    if (goal > 0) {
        printf("  goal %8.4g  %s", goal, missed ? "MISSED" : "met");
    }
    printf("\n");
    return missed;
}

static inline void stop(const char *what, const impError *err) {
    fprintf(stderr, "%s: %s\n", what, err && err->count ? err->message[0].text : "failed");
    exit(1);
}
