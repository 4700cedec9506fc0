// poses_check.c -- the systematic check of every report: the first trials again, with finer hops and impacts.
//
// A drop is chaotic: the same start dropped more finely ends elsewhere, so that the two counts of a pose are independent
// samples. With n usual and m fine drops the difference of its two shares has
//
//   sigma^2 = p (1 - p) (1/n + 1/m),    p the share of both together.
//
// Only drops that ended in a pose count on either side. Finer drops may resolve others, of which nobody knows the poses: as much
// of a shift as their shares of unresolved drops differ by is explained by that.
//
// One pose in 22 is beyond two sigma by chance alone; of K poses, the level is raised so that with chance 1 - 0.0455 none
// is (Bonferroni: two sides of the normal law with 0.0455 / K). A pose with fewer than ten expected fine drops is not
// looked at: the law is not normal there. A shift beyond the level and beyond the bias the method owns up to is a warning.
//
// How many are dropped finely is counted, not timed: a report must not depend on how fast the machine is.
//
// SPDX-License-Identifier: MIT
#include "poses.h"

#include <math.h>

enum { MOST_BLOCKS = 64, LEAST_EXPECTED = 10 };

int64_t cli_poses_check_blocks(int64_t drops) {
    int64_t blocks = (drops + POSES_BLOCK - 1) / POSES_BLOCK, tenth = drops / 10 / POSES_BLOCK;
    if (tenth < 1) return blocks < 1 ? blocks : 1;
    return tenth < MOST_BLOCKS ? tenth : MOST_BLOCKS;
}

// z with a share of `outside` beyond it on both sides together.
static double normal_level(double outside) {
    double low = 0, high = 40;
    for (int i = 0; i < 80; i++) {
        double z = (low + high) / 2;
        if (erfc(z * 0.70710678118654752) > outside) low = z;
        else high = z;
    }
    return (low + high) / 2;
}

static int64_t sum_of(const int64_t *count, int rests) {
    int64_t sum = 0;
    for (int i = 0; i < rests; i++) sum += count[i];
    return sum;
}

void cli_poses_check(PosesResult *r) {
    PosesCheck *c = &r->check;
    double n = (double)sum_of(r->count, r->rests), m = (double)sum_of(c->count, r->rests), worst = -1;
    int looked_at = 0;
    c->pose = -1, c->shift = c->sigma = c->level = 0, c->beyond = false, c->unresolved = c->drops - (int64_t)m;
    if (!(n > 0) || !(m > 0)) return;
    for (int i = 0; i < r->rests; i++) {
        double p = (double)(r->count[i] + c->count[i]) / (n + m), sigma = sqrt(p * (1 - p) * (1 / n + 1 / m));
        double shift = (double)c->count[i] / m - (double)r->count[i] / n;
        if (p * m < LEAST_EXPECTED || !(sigma > 0)) continue;
        looked_at++;
        if (fabs(shift) / sigma > worst) worst = fabs(shift) / sigma, c->pose = i, c->shift = shift, c->sigma = sigma;
    }
    c->level = looked_at ? normal_level(0.0455 / looked_at) : 0;
    double loose = fabs((double)r->unresolved / (double)r->drops - (double)c->unresolved / (double)c->drops);
    c->beyond = c->pose >= 0 && worst > c->level && fabs(c->shift) > r->plan.bias + loose;
}
