// elliptic.c -- elliptic integrals of the first kind and Jacobi's elliptic functions.
//
// K by the arithmetic-geometric mean, F by Carlson's duplication [Carlson95], sn, cn, dn by the
// descending Landen (Gauss) transformation, in which one sine and cosine at the bottom serve all
// three. Every formula is written in m1 = 1 - m and in sums of terms of one sign, so that small
// results keep their relative accuracy: dn at m -> 1, cn near its zeros. m1 = 0 itself is not an
// argument: the motion there never ends a period.
//
// SPDX-License-Identifier: MIT
#include "num/num.h"

static double agm(double a, double b) {
    for (int i = 0; i < 40 && fabs(a - b) > 2.3e-16 * a; i++) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 0.5 * (a + b);
}

double num_ellip_k(double m1) { return 0.5 * PI / agm(1, sqrt(m1)); }

// Carlson's R_F(x, y, z): the variables approach their mean by a factor 4 a round; then a series to
// seventh order.
static double carlson_rf(double x, double y, double z) {
    double mean = (x + y + z) / 3;
    for (int i = 0; i < 600; i++) {
        double spread = max2(fabs(mean - x), max2(fabs(mean - y), fabs(mean - z)));
        if (spread < 2e-3 * mean) break;
        double a = sqrt(x);
        double b = sqrt(y);
        double c = sqrt(z);
        double shift = a * b + a * c + b * c;
        x = 0.25 * (x + shift);
        y = 0.25 * (y + shift);
        z = 0.25 * (z + shift);
        mean = (x + y + z) / 3;
    }
    double dx = 1 - x / mean;
    double dy = 1 - y / mean;
    double dz = -(dx + dy);
    double e2 = dx * dy - dz * dz;
    double e3 = dx * dy * dz;
    return (1 - e2 / 10 + e3 / 14 + e2 * e2 / 24 - 3 * e2 * e3 / 44 - 5 * e2 * e2 * e2 / 208 +
            3 * e3 * e3 / 104 + e2 * e2 * e3 / 16) /
           sqrt(mean);
}

double num_ellip_f(double sin_phi, double cos_phi, double m1) {
    double s2 = sin_phi * sin_phi;
    double c2 = cos_phi * cos_phi;
    double f = sin_phi * carlson_rf(c2, c2 + m1 * s2, 1);
    if (cos_phi >= 0) return f;
    double k = num_ellip_k(m1);
    return sin_phi >= 0 ? 2 * k - f : -2 * k - f;
}

// k' -> 2 sqrt(k') / (1 + k') until k' is 1; the moduli on the way are k1 = (1 - k') / (1 + k').
Landen num_landen(double m1) {
    Landen l;
    double k_prime = sqrt(m1);
    double k_squared = 1 - m1;
    l.count = 0;
    for (int i = 0; i < 16; i++) {
        l.k1[i] = l.k1_rest[i] = 0;
    }
    while (l.count < 16) {
        // k1 = (1 - k') / (1 + k'), where k' is near 1 without
        double sum = 1 + k_prime;
        // the difference
        double k1 = k_prime < 0.5 ? (1 - k_prime) / sum : k_squared / (sum * sum);
        if (k1 < 1e-17) break;
        l.k1[l.count] = k1;
        l.k1_rest[l.count++] = 2 * k_prime / sum;
        k_squared = k1 * k1;
        k_prime = 2 * sqrt(k_prime) / sum;
    }
    return l;
}

Jacobi num_jacobi(const Landen *l, SinCos x) {
    Jacobi j;
    j.sn = x.sin;
    j.cn = x.cos;
    j.dn = 1;
    for (int i = l->count - 1; i >= 0; i--) {
        double k1 = l->k1[i];
        double s2 = k1 * j.sn * j.sn;
        double d = 1 / (1 + s2);
        // 1 - k1 sn^2 as a sum
        double dn = (l->k1_rest[i] + k1 * j.cn * j.cn) * d;
        j.sn = (1 + k1) * j.sn * d;
        j.cn = j.cn * j.dn * d;
        j.dn = dn;
    }
    // nine levels leave some ulps: they would be energy
    double size = 1 / sqrt(j.sn * j.sn + j.cn * j.cn);
    j.sn *= size;
    j.cn *= size;
    return j;
}
