// check.c -- do finer drops end elsewhere? The first trials again, with smaller hops and finer
// impacts.
//
// A drop is chaotic: the same start dropped more finely ends elsewhere, so that the two counts of a
// family are independent samples. With n usual and m fine drops the difference of its two shares
// has
//     sigma^2 = p (1 - p) (1/n + 1/m),    p the share of both together. (1)
// Families that are the same for a rotation of the part are counted together. Only drops that ended
// in a family count on either side. Finer drops may resolve others, of unknown
// families: as much of a shift as their shares of unresolved drops differ by is explained by that.
//
// Of K families one is beyond two sigma by chance more often than not, where K is large. So the
// level is raised until, with chance 1 - FALSE_ALARM, none is (Bonferroni: two sides of the normal
// law with FALSE_ALARM / K). A family with fewer than ten expected fine drops in it or out of it is
// not looked at: the law is not normal there. A shift beyond the level and beyond the tolerance is
// told. The bound is that of 95 % for all families together: the largest |shift| + z sigma, z for
// 0.05 / K, where p of (1) counts two drops more in the family and two out of it (Agresti and Coull
// 1998): families that all drops end in have a bound, too.
//
// How many are dropped finely is decided by impacts, not by the clock, so that a report does not
// depend on how fast the machine is.
//
// SPDX-License-Identifier: MIT
#include "droptest/droptest.h"

enum { LEAST_EXPECTED = 10 };
static const double FALSE_ALARM = 0.0027, OUTSIDE_BOUND = 0.05;

int64_t impCheck_Drops(double check_part, int64_t drops) {
    if (!(check_part > 0)) return 0;
    if (check_part >= 1) return drops;
    return (int64_t)(check_part * (double)drops);
}

// The share of the normal law beyond z on both sides: a series where z is small, a continued
// fraction beyond (Laplace).
static double normal_outside(double z) {
    double density = num_exp(-0.5 * z * z) / sqrt(2 * PI);
    double term = z;
    double sum = z;
    double fraction = z;
    if (z < 3) {
        for (int k = 3; k < 120; k += 2) {
            term *= z * z / k;
            sum += term;
        }
        return 1 - 2 * density * sum;
    }
    for (int k = 60; k > 0; k--) {
        fraction = z + k / fraction;
    }
    return 2 * density / fraction;
}

// z with a share of `outside` beyond it on both sides together.
static double normal_level(double outside) {
    double low = 0;
    double high = 40;
    for (int i = 0; i < 80; i++) {
        double z = (low + high) / 2;
        if (normal_outside(z) > outside) {
            low = z;
        } else {
            high = z;
        }
    }
    return (low + high) / 2;
}

typedef struct Compared {
    double shift, sigma, spread;  // spread: sigma with four drops more
    bool in, normal;              // enough fine drops are expected in it; and out of it
} Compared;

static int64_t resolved(const impDropTally *t) {
    int64_t sum = 0;
    for (int i = 0; i < t->families; i++) {
        sum += t->family[i];
    }
    return sum;
}

// Of a family and of all that are the same.
static int64_t count_of_same(const impDropTally *t, const int *same_as, int family) {
    int64_t sum = 0;
    for (int i = family; i < t->families; i++) {
        if (i == family || (same_as && same_as[i] == family)) {
            sum += t->family[i];
        }
    }
    return sum;
}

static Compared compare_family(const impDropTally *usual, const impDropTally *fine,
                               const int *same_as, int family) {
    Compared c;
    double n = (double)resolved(usual);
    double m = (double)resolved(fine);
    double a = (double)count_of_same(usual, same_as, family);
    double b = (double)count_of_same(fine, same_as, family);
    double p = (a + b) / (n + m);
    double wide = (a + b + 2) / (n + m + 4);
    c.shift = b / m - a / n;
    c.sigma = sqrt(p * (1 - p) * (1 / n + 1 / m));
    c.spread = sqrt(wide * (1 - wide) * (1 / n + 1 / m));
    c.in = p * m >= LEAST_EXPECTED;
    c.normal = c.in && (1 - p) * m >= LEAST_EXPECTED;
    return c;
}

impDropCheck impDropTally_Compare(const impDropTally *usual, const impDropTally *fine,
                                  const int *same_as) {
    impDropCheck c = { .drops = fine->drops,
                       .unresolved = fine->unresolved + fine->failed,
                       .family = -1 };
    double worst = -1;
    int compared = 0, bounded = 0;
    if (resolved(usual) == 0 || resolved(fine) == 0) return c;
    for (int i = 0; i < usual->families; i++) {
        if (same_as && same_as[i] != i) continue;
        Compared f = compare_family(usual, fine, same_as, i);
        bounded += f.in;
        if (!f.normal) continue;
        compared++;
        if (fabs(f.shift) / f.sigma <= worst) continue;
        worst = fabs(f.shift) / f.sigma;
        c.family = i;
        c.shift = f.shift;
        c.sigma = f.sigma;
    }
    if (bounded == 0) return c;

    double z = normal_level(OUTSIDE_BOUND / bounded);
    for (int i = 0; i < usual->families; i++) {
        if (same_as && same_as[i] != i) continue;
        Compared f = compare_family(usual, fine, same_as, i);
        if (f.in) {
            c.bound = max2(c.bound, fabs(f.shift) + z * f.spread);
        }
    }
    if (compared == 0) return c;
    c.level = normal_level(FALSE_ALARM / compared);
    double unconverged = fabs((double)usual->unresolved / (double)usual->drops -
                              (double)fine->unresolved / (double)fine->drops);
    c.beyond = worst > c.level && fabs(c.shift) > IMP_CHECK_TOLERANCE + unconverged;
    return c;
}
