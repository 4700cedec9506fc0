// interval.c -- how far a probability that was counted may be off by chance.
//
// SPDX-License-Identifier: MIT
#include "droptest/droptest.h"

static const double Z95 = 1.959963984540054;  // two sides of the normal law with 5 % outside

// Wilson (Probable inference, 1927): the p for which the count is 1.96 sigma off.
impShare impShare_Of(int64_t count, int64_t of) {
    double n = (double)of;
    double p = n > 0 ? (double)count / n : 0;
    impShare share = { .count = count, .probability = p, .low = 0, .high = 1, .given = true };
    if (of <= 0) return share;
    double z2 = Z95 * Z95;
    double scale = 1 / (1 + z2 / n);
    double middle = scale * (p + z2 / (2 * n));
    double half = scale * Z95 * sqrt(p * (1 - p) / n + z2 / (4 * n * n));
    share.low = count == 0 || middle - half < 0 ? 0 : middle - half;
    share.high = count == of || middle + half > 1 ? 1 : middle + half;
    return share;
}

double impDropTally_Widest(const impDropTally *tally) {
    double most = 0;
    for (int i = 0; i < tally->families; i++) {
        impShare share = impShare_Of(tally->family[i], tally->drops);
        most = max2(most, (share.high - share.low) / 2);
    }
    return most;
}

impShare impDropTally_Pose(const impDropTally *tally, const impRest *rests,
                           const impFamily *families, int pose) {
    impShare none = { .high = 1 };
    if (pose < 0 || pose >= tally->poses) return none;
    int family = rests[pose].family;
    int root = rests[pose].same_as;
    int64_t certain = 0;
    int64_t ended = tally->family[family];
    bool one = true;
    for (int i = 0; i < tally->poses; i++) {
        if (rests[i].family != family) continue;
        certain += tally->pose[i];
        one = one && rests[i].same_as == root;
    }
    impShare share = impShare_Of(tally->pose[pose], tally->drops);
    share.given = certain == ended;
    if (share.given || !one) return share;

    // by symmetry: none is likelier than another
    int members = families[family].members;
    share = impShare_Of(ended, tally->drops);
    share.count = tally->pose[pose];
    share.probability /= members;
    share.low /= members;
    share.high /= members;
    return share;
}
