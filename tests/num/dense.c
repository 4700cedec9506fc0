// dense.c -- a tensor's axes and moments put it together again; three equations are solved or
// refused.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "base/base.h"
#include "num/num.h"

static double uniform(Lcg *s, double low, double high) { return low + (high - low) * num_lcg(s); }
static impVec3 random_vec(Lcg *s) {
    impVec3 a;
    a.x = uniform(s, -1, 1);
    a.y = uniform(s, -1, 1);
    a.z = uniform(s, -1, 1);
    return a;
}
static Mat3 random_rotation(Lcg *s) {
    double a = num_lcg(s);
    double b = num_lcg(s);
    double c = num_lcg(s);
    return rotation(num_random_rotation(a, b, c));
}
static double largest_entry(Mat3 a) { return fmax(largest(a.x), fmax(largest(a.y), largest(a.z))); }
static double apart(Mat3 a, Mat3 b) { return largest_entry(mat3_add(a, mat3_scale(-1, b))); }

// R is a rotation, and R diag(moments) R^T is the tensor, both to rounding.
static void explains(Mat3 a) {
    double m[3];
    double size = largest_entry(a);
    Mat3 r = eigen_symmetric(a, m);
    NEAR(apart(mat3_mul(transpose(r), r), mat3_diagonal(1, 1, 1)), 0, 2e-15);
    NEAR(determinant(r), 1, 3e-15);
    NEAR(apart(rotated(r, mat3_diagonal(m[0], m[1], m[2])), a) / size, 0, 3e-15);
}

static void diagonal_tensors_are_left_alone(void **state) {
    (void)state;
    const impVec3 d[] = { { 1, 2, 3 }, { 3, 2, 1 },  { 0, 0, 0 },      { 1e-300, 1, 1e300 },
                          { 2, 2, 2 }, { -1, 0, 1 }, { 0.1, 0.1, 0.3 } };
    for (int i = 0; i < COUNT(d); i++) {
        double m[3];
        Mat3 r = eigen_symmetric(mat3_diagonal(d[i].x, d[i].y, d[i].z), m);
        SAME_BITS(m[0], d[i].x);
        SAME_BITS(m[1], d[i].y);
        SAME_BITS(m[2], d[i].z);
        NEAR(apart(r, mat3_diagonal(1, 1, 1)), 0, 0);
    }
}

static void random_tensors_are_explained(void **state) {
    (void)state;
    Lcg s = { 1 };
    for (int i = 0; i < 5000; i++) {
        impVec3 d = random_vec(&s);
        impVec3 o = random_vec(&s);
        double scale_by = ldexp(1, (int)floor(uniform(&s, -900, 900)));
        Mat3 a = mat3(vec(d.x, o.x, o.y), vec(o.x, d.y, o.z), vec(o.y, o.z, d.z));
        explains(a);
        if (i % 10 == 0) {
            explains(mat3_scale(scale_by, a));
        }
        // two moments of zero
        if (i % 10 == 1) {
            explains(outer(d, d));
        }
        if (i % 10 == 2) {
            explains(mat3(vec(0, o.x, o.y), vec(o.x, 0, o.z), vec(o.y, o.z, 0)));
        }
        if (i % 10 == 3) {
            explains(mat3(vec(1, 1e-9 * o.x, 0), vec(1e-9 * o.x, 1, 1e-17), vec(0, 1e-17, 1)));
        }
    }
    explains(mat3(vec(2, 1, 1), vec(1, 2, 1), vec(1, 1, 2)));
    explains(mat3(vec(1, 1, 1), vec(1, 1, 1), vec(1, 1, 1)));
}

static void the_bits_do_not_depend_on_units(void **state) {
    (void)state;
    const Mat3 a = { { 4, 1, 2 }, { 1, 3, 0.5 }, { 2, 0.5, 5 } };
    double m[3], n[3];
    Mat3 r = eigen_symmetric(a, m);
    Mat3 q = eigen_symmetric(mat3_scale(0x1p-300, a), n);
    NEAR(apart(r, q), 0, 0);
    for (int i = 0; i < 3; i++) {
        SAME_BITS(n[i], 0x1p-300 * m[i]);
    }
}

// A long thin rod's small moment is as good as its large ones, when the tensor itself says it that
// well.
static void small_moments_stay_accurate(void **state) {
    (void)state;
    const Mat3 a = { { 1e10, 1e2, 0 }, { 1e2, 1, 1e-9 }, { 0, 1e-9, 1e-8 } };
    double m[3];
    eigen_symmetric(a, m);
    double product = m[0] * m[1] * m[2];
    double exact = 1e10 * (1 * 1e-8 - 1e-18) - 1e2 * (1e2 * 1e-8);
    NEAR(product / exact, 1, 2e-15);
    assert_true(m[0] > 0 && m[1] > 0 && m[2] > 0);
}

static void known_moments_come_back(void **state) {
    (void)state;
    Lcg s = { 3 };
    for (int i = 0; i < 500; i++) {
        double m[3];
        eigen_symmetric(rotated(random_rotation(&s), mat3_diagonal(1, 2, 4)), m);
        NEAR(m[0] + m[1] + m[2], 7, 1e-14);
        NEAR(m[0] * m[1] * m[2], 8, 2e-14);
        for (int k = 0; k < 3; k++) {
            NEAR((m[k] - 1) * (m[k] - 2) * (m[k] - 4), 0, 5e-14);
        }
    }
}
static void nan_comes_to_an_end(void **state) {
    (void)state;
    double m[3];
    eigen_symmetric(mat3(vec(1, (double)NAN, 0), vec((double)NAN, 1, 1), vec(0, 1, HUGE_VAL)), m);
}

static void equations_are_solved(void **state) {
    (void)state;
    Lcg s = { 5 };
    for (int i = 0; i < 5000; i++) {
        impVec3 p = random_vec(&s);
        impVec3 q = random_vec(&s);
        impVec3 r = random_vec(&s);
        impVec3 x = random_vec(&s);
        impVec3 found = { 0, 0, 0 };
        Mat3 a = mat3(p, q, r);
        if (fabs(determinant(a)) < 1e-3) continue;
        assert_true(solve3(a, mul(a, x), &found));
        NEAR(norm(sub(mul(a, found), mul(a, x))), 0, 4e-15);
        NEAR(norm(sub(found, x)), 0, 4e-15 / fabs(determinant(a)));
    }
}
// Pivots of zero, and rows and columns in units of their own.
static void awkward_equations_are_solved(void **state) {
    (void)state;
    impVec3 x;
    assert_true(solve3(mat3(vec(0, 0, 2), vec(0, 3, 0), vec(4, 0, 0)), vec(2, 6, 12), &x));
    NEAR(x.x, 3, 0);
    NEAR(x.y, 2, 0);
    NEAR(x.z, 1, 0);
    assert_true(solve3(mat3_diagonal(1, 1e-20, 1e200), vec(1, 2e-20, 3e200), &x));
    NEAR(x.x, 1, 0);
    NEAR(x.y, 2, 1e-15);
    NEAR(x.z, 3, 1e-15);
    assert_true(solve3(mat3(vec(1, 1e-20, 0), vec(1, 2e-20, 0), vec(0, 0, 1)), vec(2, 3, 4), &x));
    NEAR(x.x, 1, 1e-15);
    NEAR(x.y * 1e-20, 1, 1e-15);
    NEAR(x.z, 4, 0);
}
static void singular_equations_are_refused(void **state) {
    (void)state;
    impVec3 x = { 7, 7, 7 };
    const Mat3 singular[] = {
        { { 0, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
        { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } },
        { { 1, 0, 1 }, { 0, 0, 0 }, { 1, 0, 2 } },
        { { 1, 0, 1 }, { 2, 0, 0 }, { 1, 0, 2 } },
        { { 0.1, 0.2, 0.3 }, { 0.4, 0.5, 0.6 }, { 0.7, 0.8, 0.9 } },
        { { (double)NAN, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
        { { 1, 0, 0 }, { 0, HUGE_VAL, 0 }, { 0, 0, 1 } },
    };
    for (int i = 0; i < COUNT(singular); i++) {
        assert_false(solve3(singular[i], vec(1, 2, 3), &x));
        // untouched
        NEAR(x.x, 7, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diagonal_tensors_are_left_alone),
        cmocka_unit_test(random_tensors_are_explained),
        cmocka_unit_test(the_bits_do_not_depend_on_units),
        cmocka_unit_test(small_moments_stay_accurate),
        cmocka_unit_test(known_moments_come_back),
        cmocka_unit_test(nan_comes_to_an_end),
        cmocka_unit_test(equations_are_solved),
        cmocka_unit_test(awkward_equations_are_solved),
        cmocka_unit_test(singular_equations_are_refused),
    };
    return RUN(tests);
}
