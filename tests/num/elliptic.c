// elliptic.c -- elliptic integrals and functions against known values, quadrature, and their own
// identities.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "num/num.h"

// K at m = 1/2 and m = 0.99 (Abramowitz & Stegun, table 17.1, more digits by the AGM in 60-digit
// arithmetic); K(0) = pi/2; near the separatrix K = ln(4 / sqrt(m1)) + O(m1 log m1).
static void complete_integral(void **state) {
    (void)state;
    NEAR(num_ellip_k(1), 0.5 * PI, 1e-16);
    NEAR(num_ellip_k(0.5), 1.8540746773013719184, 4e-16);
    NEAR(num_ellip_k(0.01), 3.6956373629898746778, 1e-15);
    NEAR(num_ellip_k(1e-30) / log(4e15), 1, 1e-15);
    NEAR(num_ellip_k(1e-40) / log(4e20), 1, 1e-15);
}

// F by Simpson's rule on its definition.
static double quadrature(double phi, double m) {
    int n = 4000;
    double h = phi / n;
    double sum = 0;
    for (int i = 0; i <= n; i++) {
        double s = sin(i * h);
        double weight = i == 0 || i == n ? 1 : i % 2 ? 4 : 2;
        sum += weight / sqrt(1 - m * s * s);
    }
    return sum * h / 3;
}

static void incomplete_integral(void **state) {
    (void)state;
    for (double m = 0; m < 0.99; m += 0.11) {
        for (double phi = -3.1; phi < 3.14; phi += 0.31) {
            NEAR(num_ellip_f(sin(phi), cos(phi), 1 - m), quadrature(phi, m), 1e-12);
        }
    }
}

// Small angles keep their relative accuracy: F(phi) = phi + m phi^3 / 6 + ...
static void incomplete_integral_of_small_angles(void **state) {
    (void)state;
    for (double phi = 1e-3; phi > 1e-200; phi *= 1e-7) {
        NEAR(num_ellip_f(sin(phi), cos(phi), 0.3) / phi, 1 + 0.7 * phi * phi / 6, 1e-13);
    }
}

// sn(F(phi)) = sin phi, and dn^2 = 1 - m sn^2 with relative accuracy, over the whole range of m1.
static void jacobi_inverts_the_integral(void **state) {
    (void)state;
    for (double m1 = 1; m1 > 1e-40; m1 *= 0.03) {
        Landen l = num_landen(m1);
        double K = num_ellip_k(m1);
        for (double phi = -3; phi < 3.1; phi += 0.37) {
            double s = sin(phi);
            double c = cos(phi);
            double u = num_ellip_f(s, c, m1);
            Jacobi j = num_jacobi(&l, num_sincos(0.5 * PI * u / K));
            // du rounds in the last place; du/dphi = 1/dn
            double grow = K / sqrt(c * c + m1 * s * s) * 4e-16;
            NEAR(j.sn, s, 1e-15 + 4 * grow * fabs(c) * sqrt(c * c + m1 * s * s));
            NEAR(j.cn, c, 1e-15 + 8 * grow);
            NEAR(j.dn * j.dn / (j.cn * j.cn + m1 * j.sn * j.sn), 1, 2e-14);
            NEAR(j.sn * j.sn + j.cn * j.cn, 1, 1e-14);
        }
    }
}

static void jacobi_at_known_points(void **state) {
    (void)state;
    Landen l = num_landen(0.5);
    // u = K
    Jacobi j = num_jacobi(&l, num_sincos_turns(0.25));
    NEAR(j.sn, 1, 1e-15);
    NEAR(j.cn, 0, 1e-16);
    NEAR(j.dn, sqrt(0.5), 1e-15);
    // u = K / 2: sn = 1 / sqrt(1 + k')
    j = num_jacobi(&l, num_sincos_turns(0.125));
    NEAR(j.sn, 1 / sqrt(1 + sqrt(0.5)), 1e-15);
    NEAR(j.dn, sqrt(sqrt(0.5)), 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complete_integral),
        cmocka_unit_test(incomplete_integral),
        cmocka_unit_test(incomplete_integral_of_small_angles),
        cmocka_unit_test(jacobi_inverts_the_integral),
        cmocka_unit_test(jacobi_at_known_points),
    };
    return RUN(tests);
}
