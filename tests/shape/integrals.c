// integrals.c -- volume, centre and inertia from surfaces: exact for polyhedra, and stable far from
// the origin.
//
// SPDX-License-Identifier: MIT
#include "shape/solids.h"

static Solid integrate(const Soup9 *s) {
    impVec3 *vertex = malloc(sizeof *vertex * 3 * (size_t)s->count);
    int32_t *triangle = malloc(sizeof *triangle * 3 * (size_t)s->count);
    for (int32_t i = 0; i < 3 * s->count; i++) {
        vertex[i] = vec(s->corner[3 * i], s->corner[3 * i + 1], s->corner[3 * i + 2]);
        triangle[i] = i;
    }
    Solid solid = shape_integrate(vertex, triangle, s->count);
    free(vertex);
    free(triangle);
    return solid;
}

static Solid exact_cube(impVec3 at, double a) {
    double m = a * a * a;
    double i = m * a * a / 6;
    return (Solid){ m, add(at, vec(a / 2, a / 2, a / 2)), mat3_diagonal(i, i, i) };
}

static void a_cube_wherever_it_is(void **state) {
    (void)state;
    const impVec3 places[] = {
        { 0, 0, 0 }, { -0.5, -0.5, -0.5 }, { 3, -7, 11 }, { 1000, 2000, -3000 }
    };
    for (int i = 0; i < COUNT(places); i++) {
        Soup9 s = { 0 };
        put_cube(&s, places[i], 2);
        near_solid(integrate(&s), exact_cube(places[i], 2), 1e-14);
        free(s.corner);
    }
}

static void a_cube_far_away_keeps_its_inertia(void **state) {
    (void)state;
    Soup9 s = { 0 };
    put_cube(&s, vec(1 << 20, 1 << 22, -(1 << 21)), 1);
    Solid solid = integrate(&s);
    NEAR(solid.volume, 1, 1e-15);
    NEAR(solid.inertia.x.x, 1.0 / 6, 1e-15);
    NEAR(solid.inertia.x.y, 0, 1e-15);
    free(s.corner);
}

// By hand: 6 volume = 1, centre at 1/4
static void the_corner_tetrahedron(void **state) {
    (void)state;
    const impVec3 v[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    const int32_t t[12] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
    Solid s = shape_integrate(v, t, 4);
    NEAR(s.volume, 1.0 / 6, 1e-16);
    NEAR(s.center.x, 0.25, 1e-15);
    // 1/60 + 1/60 less twice the centre's 1/96
    NEAR(s.inertia.x.x, 1.0 / 80, 1e-16);
    // -(1/120 - 1/96)
    NEAR(s.inertia.x.y, 1.0 / 480, 1e-16);
}

static void an_inverted_surface_has_negative_volume(void **state) {
    (void)state;
    const impVec3 v[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    const int32_t t[12] = { 0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2 };
    NEAR(shape_integrate(v, t, 4).volume, -1.0 / 6, 1e-16);
}

// M12: nested shells by the signed sum
static void a_cube_less_a_cube_by_its_sign(void **state) {
    (void)state;
    Soup9 s = { 0 };
    put_cube(&s, vec(0, 0, 0), 3);
    int outer = s.count;
    put_cube(&s, vec(1, 1, 1), 1);
    for (int i = 9 * outer; i < 9 * s.count; i += 9) {
        for (int k = 0; k < 3; k++) {
            double second = s.corner[i + 3 + k];
            s.corner[i + 3 + k] = s.corner[i + 6 + k];
            s.corner[i + 6 + k] = second;
        }
    }
    Solid big = exact_cube(vec(0, 0, 0), 3);
    Solid small = exact_cube(vec(1, 1, 1), 1);
    Solid solid = integrate(&s);
    NEAR(solid.volume, 26, 1e-14);
    NEAR(solid.inertia.y.y, big.inertia.y.y - small.inertia.y.y, 1e-13);
    free(s.corner);
}

static void nothing_has_no_volume(void **state) {
    (void)state;
    SAME_BITS(shape_integrate(NULL, NULL, 0).volume, 0);
}

// Plain sums would lose the small one: 6 in 6 * 2^60.
static void a_small_cube_survives_between_two_large_ones(void **state) {
    (void)state;
    Soup9 s = { 0 };
    put_cube(&s, vec(0, 0, 0), 1 << 20);
    put_cube(&s, vec(0, 0, 0), 1);
    put_cube(&s, vec(0, 0, 0), 1 << 20);
    // the third one is the first one's opposite
    for (int i = 9 * 24; i < 9 * 36; i += 9) {
        for (int k = 0; k < 3; k++) {
            double second = s.corner[i + 3 + k];
            s.corner[i + 3 + k] = s.corner[i + 6 + k];
            s.corner[i + 6 + k] = second;
        }
    }
    SAME_BITS(integrate(&s).volume, 1);
    free(s.corner);
}

// Many slabs do not wear the result down.
static void many_triangles_lose_nothing(void **state) {
    (void)state;
    Soup9 s = { .corner = malloc(sizeof(double) * 9 * 120000) };
    for (int i = 0; i < 10000; i++) {
        Soup9 one = { 0 };
        put_cube(&one, vec(0.1 * i, 0, 0), 0.1);
        memcpy(s.corner + 9 * s.count, one.corner, sizeof(double) * 9 * 12);
        s.count += 12;
        free(one.corner);
    }
    Solid solid = integrate(&s);
    // 0.1 i and 0.1 i + 0.1 are rounded, hence not 1e-15
    NEAR(solid.volume, 10, 1e-10);
    NEAR(solid.center.x, 500, 1e-9);
    NEAR(solid.inertia.x.x, 10 * 0.02 / 12, 1e-11);
    NEAR(solid.inertia.y.y / (10 * (1000.0 * 1000 + 0.01) / 12), 1, 1e-11);
    free(s.corner);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_wherever_it_is),
        cmocka_unit_test(a_cube_far_away_keeps_its_inertia),
        cmocka_unit_test(the_corner_tetrahedron),
        cmocka_unit_test(an_inverted_surface_has_negative_volume),
        cmocka_unit_test(a_cube_less_a_cube_by_its_sign),
        cmocka_unit_test(nothing_has_no_volume),
        cmocka_unit_test(a_small_cube_survives_between_two_large_ones),
        cmocka_unit_test(many_triangles_lose_nothing),
    };
    return RUN(tests);
}
