// kinds.c -- every row of the table: closed forms against surfaces cut into triangles, supports
// against each other.
//
// SPDX-License-Identifier: MIT
#include "shape/solids.h"

// in the order of the table, for the kinds without points
static const double sizes[][4] = {
    { 0.7 },      { 0.3, 0.5, 1.1 }, { 0.2, 0.9 },          { 0.4, 0.6 },
    { 0.3, 0.8 }, { 0.3, 0.5, 0.9 }, { 0, 0.6, 0.8, 0.25 },
};
enum { SPHERE, BOX, CAPSULE, CYLINDER, CONE, ELLIPSOID, PLANE, BOUNDED = PLANE };

static Shape shape_of(int kind) {
    Shape s = { .kind = kind, .pose = pose_identity() };
    memcpy(s.size, sizes[kind], sizeof s.size);
    return s;
}

static void rows_have_names_and_functions(void **state) {
    (void)state;
    static const char *const names[] = { "sphere",    "box",   "capsule", "cylinder", "cone",
                                         "ellipsoid", "plane", "hull",    "mesh" };
    assert_int_equal(shape_kind_count, COUNT(names));
    for (int i = 0; i < shape_kind_count; i++) {
        const ShapeKind *k = &shape_kinds[i];
        SAME_TEXT(k->name, names[i]);
        assert_int_equal(shape_find(names[i]), i);
        assert_true(k->check && k->solid && k->support && k->bounding_radius &&
                    k->smallest_extent && k->about && k->source);
    }
    assert_int_equal(shape_find("torus"), -1);
    assert_int_equal(shape_find(NULL), -1);
}

// --- Mass properties -----------------------------------------------------------------------------

// quarter turns from the top
static impVec3 on_arc(double r, double z, double turns) {
    SinCos t = num_sincos_turns(turns / 4);
    return vec(turns == 0 || turns == 2 ? 0 : r * t.sin, 0, z + r * t.cos);
}

// The profile of a kind, from top to bottom, with about n pieces; all but the box are surfaces of
// revolution.
static int profile_of(int kind, impVec3 *p, int n) {
    const double *s = sizes[kind];
    int count = 0;
    if (kind == SPHERE || kind == ELLIPSOID) {
        double r = kind == SPHERE ? s[0] : 1;
        for (int i = 0; i <= n; i++) {
            p[count++] = on_arc(r, 0, 2.0 * i / n);
        }
    } else if (kind == CAPSULE) {
        for (int i = 0; i <= n / 2; i++) {
            p[count++] = on_arc(s[0], s[1] / 2, 2.0 * i / n);
        }
        for (int i = n / 2; i <= n; i++) {
            p[count++] = on_arc(s[0], -s[1] / 2, 2.0 * i / n);
        }
    } else if (kind == CYLINDER) {
        p[count++] = vec(0, 0, s[1] / 2);
        p[count++] = vec(s[0], 0, s[1] / 2);
        p[count++] = vec(s[0], 0, -s[1] / 2);
        p[count++] = vec(0, 0, -s[1] / 2);
    } else {
        p[count++] = vec(0, 0, s[1]);
        p[count++] = vec(s[0], 0, 0);
        p[count++] = vec(0, 0, 0);
    }
    return count;
}

static Solid cut_into_triangles(int kind, int n) {
    impVec3 profile[300];
    Soup9 soup = { 0 };
    Pool pool = { 0 };
    Surface surface;
    impVec3 stretch = kind == ELLIPSOID ? vec(sizes[kind][0], sizes[kind][1], sizes[kind][2])
                                        : vec(1, 1, 1);
    put_revolved(&soup, profile, profile_of(kind, profile, n), n, stretch);
    assert_true(shape_weld(&surface, &pool, soup.corner, soup.count, NULL));
    assert_true(surface.closed && !surface.flipped);
    Solid solid = surface.solid;
    free(soup.corner);
    pool_free(&pool);
    return solid;
}

// of n and 2n
static Solid richardson(Solid a, Solid b) {
    Solid s = { .volume = (4 * b.volume - a.volume) / 3 };
    s.center = scale(1.0 / 3, sub(scale(4, b.center), a.center));
    s.inertia = mat3_scale(1.0 / 3, mat3_add(mat3_scale(4, b.inertia), mat3_scale(-1, a.inertia)));
    return s;
}

static void closed_forms_agree_with_surface_integrals(void **state) {
    (void)state;
    for (int kind = 0; kind < BOUNDED; kind++) {
        Shape s = shape_of(kind);
        Solid exact = shape_kinds[kind].solid(&s, NULL);
        if (kind == BOX) continue;
        near_solid(richardson(cut_into_triangles(kind, 64), cut_into_triangles(kind, 128)), exact,
                   2e-6);
    }
}

static void box_agrees_with_surface_integrals(void **state) {
    (void)state;
    Shape s = shape_of(BOX);
    Soup9 soup = { 0 };
    Pool pool = { 0 };
    Surface surface;
    put_cube(&soup, vec(-0.5, -0.5, -0.5), 1);
    for (int i = 0; i < 9 * soup.count; i++) {
        soup.corner[i] *= s.size[i % 3];
    }
    assert_true(shape_weld(&surface, &pool, soup.corner, soup.count, NULL));
    near_solid(surface.solid, shape_kinds[BOX].solid(&s, NULL), 1e-15);
    free(soup.corner);
    pool_free(&pool);
}

// The closed forms of textbooks, by numbers: m of density 1.
static void textbook_moments(void **state) {
    (void)state;
    Shape ball = shape_of(SPHERE);
    Shape bar = shape_of(CYLINDER);
    Shape cone = shape_of(CONE);
    Solid s = shape_kinds[SPHERE].solid(&ball, NULL);
    Solid c = shape_kinds[CYLINDER].solid(&bar, NULL);
    Solid k = shape_kinds[CONE].solid(&cone, NULL);
    NEAR(s.inertia.x.x, 0.4 * s.volume * 0.49, 1e-15);
    NEAR(c.volume, PI * 0.16 * 0.6, 1e-15);
    NEAR(c.inertia.z.z, c.volume * 0.16 / 2, 1e-15);
    NEAR(c.inertia.y.y, c.volume * (3 * 0.16 + 0.36) / 12, 1e-15);
    NEAR(k.center.z, 0.2, 1e-15);
    NEAR(k.inertia.x.x, k.volume * (3.0 / 20 * 0.09 + 3.0 / 80 * 0.64), 1e-15);
}

static void a_short_capsule_is_nearly_a_sphere(void **state) {
    (void)state;
    Shape s = { .kind = CAPSULE, .size = { 1, 1e-7 } };
    NEAR(shape_kinds[CAPSULE].solid(&s, NULL).inertia.x.x, 8 * PI / 15, 1e-6);
}

static void a_plane_has_no_volume_and_no_box(void **state) {
    (void)state;
    Shape s = shape_of(PLANE);
    impVec3 low, high;
    SAME_BITS(shape_solid(&s, NULL).volume, 0);
    shape_box(&s, NULL, &low, &high);
    assert_true(low.x == -HUGE_VAL && high.z == HUGE_VAL);
    assert_true(shape_bounding_radius(&s, NULL, vec(0, 0, 0)) == HUGE_VAL);
    NEAR(dot(shape_kinds[PLANE].support(&s, NULL, vec(0, 0.6, 0.8)), vec(0, 0.6, 0.8)), 0.25,
         1e-16);
}

static void pose_moves_and_turns_the_solid(void **state) {
    (void)state;
    Shape s = shape_of(BOX);
    // x to y
    s.pose = pose(vec(1, 2, 3), quat(sqrt(0.5), 0, 0, sqrt(0.5)));
    Solid in_body = shape_solid(&s, NULL);
    Solid own = shape_kinds[BOX].solid(&s, NULL);
    NEAR(in_body.center.y, 2, 0);
    NEAR(in_body.inertia.x.x, own.inertia.y.y, 1e-15);
    NEAR(in_body.inertia.y.y, own.inertia.x.x, 1e-15);
    NEAR(in_body.inertia.x.y, 0, 1e-15);
}

// --- Extents -------------------------------------------------------------------------------------

enum { DIRECTIONS = 2000 };

static void no_point_is_beyond_the_support(void **state) {
    (void)state;
    for (int kind = 0; kind < BOUNDED; kind++) {
        Shape s = shape_of(kind);
        for (uint64_t i = 0; i < 200; i++) {
            impVec3 d = random_direction(1, i);
            impVec3 best = shape_kinds[kind].support(&s, NULL, d);
            for (uint64_t j = 0; j < 200; j++) {
                impVec3 other = shape_kinds[kind].support(&s, NULL, random_direction(2, j));
                assert_true(dot(d, other) <= dot(d, best) + 1e-15);
            }
        }
    }
}

static void support_lies_on_the_surface(void **state) {
    (void)state;
    for (uint64_t i = 0; i < DIRECTIONS; i++) {
        impVec3 d = random_direction(3, i);
        Shape ball = shape_of(SPHERE);
        Shape egg = shape_of(ELLIPSOID);
        Shape pill = shape_of(CAPSULE);
        Shape cone = shape_of(CONE);
        NEAR(norm(shape_kinds[SPHERE].support(&ball, NULL, d)), 0.7, 1e-15);
        impVec3 e = shape_kinds[ELLIPSOID].support(&egg, NULL, d);
        impVec3 p = shape_kinds[CAPSULE].support(&pill, NULL, d);
        NEAR(norm(vec(e.x / 0.3, e.y / 0.5, e.z / 0.9)), 1, 1e-15);
        NEAR(norm(sub(p, vec(0, 0, d.z >= 0 ? 0.45 : -0.45))), 0.2, 1e-15);
        impVec3 c = shape_kinds[CONE].support(&cone, NULL, d);
        assert_true(c.z == 0.8 || c.z == 0);
    }
}

static void support_of_no_direction_is_still_a_point(void **state) {
    (void)state;
    for (int kind = 0; kind < BOUNDED; kind++) {
        Shape s = shape_of(kind);
        const impVec3 odd[] = { vec(0, 0, 0), vec(0, 0, -1), vec(5e-324, 0, 0),
                                vec(1e-300, 1e-300, 0) };
        for (int i = 0; i < COUNT(odd); i++) {
            impVec3 p = shape_kinds[kind].support(&s, NULL, odd[i]);
            assert_true(finite3(p));
            assert_true(norm(p) <=
                        shape_kinds[kind].bounding_radius(&s, NULL, vec(0, 0, 0)) + 1e-15);
        }
    }
}

static void reach_is_never_short_and_mostly_exact(void **state) {
    (void)state;
    for (int kind = 0; kind < BOUNDED; kind++) {
        Shape s = shape_of(kind);
        for (uint64_t f = 0; f < 20; f++) {
            impVec3 from = scale(2 * num_uniform(1, 9, f), random_direction(4, f));
            double bounding_radius = shape_bounding_radius(&s, NULL, from);
            double farthest = 0;
            for (uint64_t i = 0; i < DIRECTIONS; i++) {
                double far = norm(
                    sub(shape_kinds[kind].support(&s, NULL, random_direction(5, i)), from));
                farthest = far > farthest ? far : farthest;
            }
            assert_true(farthest <= bounding_radius + 1e-14);
            if (kind != ELLIPSOID) {
                NEAR(farthest, bounding_radius, 0.01);
            }
        }
    }
}

static void reach_of_an_ellipsoid_from_its_centre(void **state) {
    (void)state;
    Shape s = shape_of(ELLIPSOID);
    SAME_BITS(shape_bounding_radius(&s, NULL, vec(0, 0, 0)), 0.9);
}

static void thinnest_is_the_least_width(void **state) {
    (void)state;
    for (int kind = 0; kind < BOUNDED; kind++) {
        Shape s = shape_of(kind);
        double least = HUGE_VAL;
        double smallest_extent = shape_kinds[kind].smallest_extent(&s, NULL);
        for (uint64_t i = 0; i < 100000; i++) {
            impVec3 d = random_direction(6, i);
            impVec3 far = shape_kinds[kind].support(&s, NULL, d);
            impVec3 near = shape_kinds[kind].support(&s, NULL, neg(d));
            double width = dot(d, sub(far, near));
            least = width < least ? width : least;
        }
        assert_true(least >= smallest_extent - 1e-14);
        NEAR(least, smallest_extent, 0.02 * smallest_extent);
    }
}

static void box_of_a_turned_shape_is_tight(void **state) {
    (void)state;
    Shape s = shape_of(CYLINDER);
    impVec3 low, high;
    // axis along -y
    s.pose = pose(vec(1, 0, 0), quat_rotation(vec(1, 0, 0), PI / 2));
    shape_box(&s, NULL, &low, &high);
    NEAR(low.x, 0.6, 1e-15);
    NEAR(high.x, 1.4, 1e-15);
    NEAR(low.y, -0.3, 1e-15);
    NEAR(high.z, 0.4, 1e-15);
}

// --- Measures: G2 --------------------------------------------------------------------------------

static void refuses(const char *kind, const double *size, const char *text) {
    static impError err;
    err = (impError){ 0 };
    assert_false(
        shape_kinds[shape_find(kind)].check(size, (Where){ 0 }, "body 'x': shape 0", &err));
    SAME_TEXT(err.message[0].text, text);
    assert_int_equal(err.fault, IMP_BAD_INPUT);
}

static void g2_measures_that_no_shape_has(void **state) {
    (void)state;
    refuses("sphere", (double[4]){ -1 }, "body 'x': shape 0: radius -1 m; it must be positive");
    refuses("sphere", (double[4]){ 0 }, "body 'x': shape 0: radius 0 m; it must be positive");
    refuses("sphere", (double[4]){ (double)NAN },
            "body 'x': shape 0: radius nan m; it must be finite");
    refuses("sphere", (double[4]){ 1e9 },
            "body 'x': shape 0: radius 1000000000 m; it must lie between 1e-7 and 1e7 m");
    refuses("box", (double[4]){ 1, 0, 1 }, "body 'x': shape 0: size[1] 0 m; it must be positive");
    refuses("capsule", (double[4]){ 1, 0 }, "body 'x': shape 0: length 0 m; it must be positive");
    refuses("cylinder", (double[4]){ (double)INFINITY, 1 },
            "body 'x': shape 0: radius inf m; it must be finite");
    refuses("cone", (double[4]){ 1, 0 }, "body 'x': shape 0: height 0 m; it must be positive");
    refuses("ellipsoid", (double[4]){ 1, 2, 1e-8 },
            "body 'x': shape 0: semi_axes[2] 1e-8 m; it must lie between 1e-7 and 1e7 m");
    refuses("plane", (double[4]){ 0, 0, 0, 1 },
            "body 'x': shape 0: normal [0, 0, 0]; it must be finite and not zero");
    refuses("plane", (double[4]){ 0, 0, 1, (double)NAN },
            "body 'x': shape 0: offset nan m; it must be finite");
}

static void g2_every_bad_measure_is_named(void **state) {
    (void)state;
    static impError err;
    err = (impError){ 0 };
    assert_false(shape_kinds[BOX].check((double[4]){ -1, 1, -3 }, (Where){ 0 }, "b", &err));
    assert_int_equal(err.count, 2);
    SAME_TEXT(err.message[1].text, "b: size[2] -3 m; it must be positive");
}

static void good_measures_pass(void **state) {
    (void)state;
    for (int kind = 0; kind <= PLANE; kind++) {
        static impError err;
        err = (impError){ 0 };
        assert_true(shape_kinds[kind].check(sizes[kind], (Where){ 0 }, "b", &err));
        assert_int_equal(err.count, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_names_and_functions),
        cmocka_unit_test(closed_forms_agree_with_surface_integrals),
        cmocka_unit_test(box_agrees_with_surface_integrals),
        cmocka_unit_test(textbook_moments),
        cmocka_unit_test(a_short_capsule_is_nearly_a_sphere),
        cmocka_unit_test(a_plane_has_no_volume_and_no_box),
        cmocka_unit_test(pose_moves_and_turns_the_solid),
        cmocka_unit_test(no_point_is_beyond_the_support),
        cmocka_unit_test(support_lies_on_the_surface),
        cmocka_unit_test(support_of_no_direction_is_still_a_point),
        cmocka_unit_test(reach_is_never_short_and_mostly_exact),
        cmocka_unit_test(reach_of_an_ellipsoid_from_its_centre),
        cmocka_unit_test(thinnest_is_the_least_width),
        cmocka_unit_test(box_of_a_turned_shape_is_tight),
        cmocka_unit_test(g2_measures_that_no_shape_has),
        cmocka_unit_test(g2_every_bad_measure_is_named),
        cmocka_unit_test(good_measures_pass),
    };
    return RUN(tests);
}
