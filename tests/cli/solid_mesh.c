// solid_mesh.c -- triangles of shapes: closed, outside out, on the surface that the library knows,
// as large as it says.
//
// SPDX-License-Identifier: MIT
#include "../../cli/solid_mesh.c"

#include "test.h"

static const char *const ZOO =
    "{ \"impel\": 1, \"bodies\": ["
    " { \"name\": \"sphere\", \"position\": [10, 0, -50], \"shape\": { \"sphere\": { \"radius\": "
    "0.5 } } },"
    " { \"name\": \"box\", \"position\": [20, 0, -50], \"shape\": { \"box\": { \"size\": [1, 2, 3] "
    "} } },"
    " { \"name\": \"round box\", \"position\": [30, 0, -50], \"shape\": { \"box\": { \"size\": [1, "
    "2, 3], \"radius\": "
    "0.2 } } },"
    " { \"name\": \"capsule\", \"position\": [40, 0, -50], \"shape\": { \"capsule\": { \"radius\": "
    "0.5, \"length\": "
    "1.5 } } },"
    " { \"name\": \"cylinder\", \"position\": [50, 0, -50], \"shape\": { \"cylinder\": { "
    "\"radius\": 0.5, \"height\": "
    "0.3 } } },"
    " { \"name\": \"cone\", \"position\": [60, 0, -50], \"shape\": { \"cone\": { \"radius\": 0.5, "
    "\"height\": 1.2 } } "
    "},"
    " { \"name\": \"ellipsoid\", \"position\": [70, 0, -50], \"shape\": { \"ellipsoid\": { "
    "\"semi_axes\": [0.5, 1, "
    "0.25] } } },"
    " { \"name\": \"hull\", \"position\": [80, 0, -50], \"shape\": { \"hull\": { \"points\": [[0, "
    "0, 0], [2, 0, 0], "
    "[2, 1, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1]],"
    "   \"faces\": [[0, 3, 2, 1], [0, 4, 5, 3], [0, 1, 4], [3, 5, 2], [1, 2, 5, 4]] } } },"
    " { \"name\": \"round hull\", \"position\": [90, 0, -50], \"shape\": { \"hull\": { \"points\": "
    "[[0, 0, 0], [2, 0, "
    "0], [2, 1, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1]],"
    "   \"faces\": [[0, 3, 2, 1], [0, 4, 5, 3], [0, 1, 4], [3, 5, 2], [1, 2, 5, 4]], \"radius\": "
    "0.3 } } },"
    " { \"name\": \"thin hull\", \"position\": [100, 0, -50], \"shape\": { \"hull\": { \"points\": "
    "[[0, 0, 0], [1, 0, "
    "0], [0, 1, 0], [0.2, 0.2, 0.01]],"
    "   \"faces\": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], \"radius\": 0.1 } } },"
    " { \"name\": \"mesh\", \"position\": [110, 0, -50], \"fixed\": true, \"shape\": { \"mesh\": { "
    "\"points\": [[0, 0, "
    "0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],"
    "   \"faces\": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] } } },"
    " { \"name\": \"floor\", \"fixed\": true, \"shape\": { \"plane\": { \"normal\": [0, 3, 4], "
    "\"offset\": 10 } } } ] "
    "}";

static impError err;
static impScene *scene;
static impModel *model;
static impState *start;

static int make_zoo(void **state) {
    (void)state;
    scene = impScene_Parse(ZOO, strlen(ZOO), "zoo.json", NULL, &err);
    model = scene ? impModel_Build(scene, &err) : NULL;
    start = model ? impState_New(model) : NULL;
    if (!start) {
        print_error("%s\n", err.message[0].text);
    }
    return start ? 0 : -1;
}

static int free_zoo(void **state) {
    (void)state;
    impState_Free(start);
    impModel_Free(model);
    impScene_Free(scene);
    return 0;
}

static SolidMesh drawn(int body, int detail) {
    SolidMesh m;
    SolidView view = { { 1, 2, 3 }, 4, detail };
    assert_true(solid_mesh_make(&m, model, (impBody){ body }, 0, view));
    assert_true(m.triangle_count > 0);
    return m;
}

static impVec3 at(const float *list, size_t i) {
    return vec(list[3 * i], list[3 * i + 1], list[3 * i + 2]);
}

static double volume(const SolidMesh *m) {
    double sum = 0;
    for (size_t t = 0; t < m->triangle_count; t++) {
        const uint32_t *c = m->corner + 3 * t;
        sum += dot(at(m->point, c[0]), cross(at(m->point, c[1]), at(m->point, c[2]))) / 6;
    }
    return sum;
}

// --- closed --------------------------------------------------------------------------------------
typedef struct Side {
    float a[3], b[3];
    int sense;
} Side;  // ends in a fixed order; 1: runs from a to b

static int by_bits(const void *x, const void *y) { return memcmp(x, y, offsetof(Side, sense)); }

static Side side_of(const SolidMesh *m, uint32_t from, uint32_t to) {
    Side s = { .sense = 1 };
    for (int k = 0; k < 3; k++) {
        s.a[k] = m->point[3 * from + (size_t)k] + 0.f;
        s.b[k] = m->point[3 * to + (size_t)k] + 0.f;
    }
    if (memcmp(s.a, s.b, sizeof s.a) > 0) {
        Side rotated = { .sense = -1 };
        memcpy(rotated.a, s.b, sizeof s.a);
        memcpy(rotated.b, s.a, sizeof s.a);
        s = rotated;
    }
    return s;
}

static void edges_are_shared_by_two(void **state) {
    (void)state;
    // a plane has a border
    for (int body = 1; body < impModel_BodyCount(model) - 1; body++) {
        SolidMesh m = drawn(body, 0);
        size_t count = 3 * m.triangle_count;
        Side *side = calloc(count, sizeof *side);
        assert_non_null(side);
        for (size_t i = 0; i < count; i++) {
            side[i] = side_of(&m, m.corner[i], m.corner[i - i % 3 + (i + 1) % 3]);
        }
        qsort(side, count, sizeof *side, by_bits);
        for (size_t i = 0; i < count; i += 2) {
            if (by_bits(&side[i], &side[i + 1]) || side[i].sense + side[i + 1].sense ||
                (i + 2 < count && !by_bits(&side[i], &side[i + 2]))) {
                fail_msg("%s: side %zu of %zu", impModel_Name(model, (impBody){ body }), i, count);
            }
        }
        free(side);
        solid_mesh_free(&m);
    }
}

// --- where it should be --------------------------------------------------------------------------
typedef struct Worst {
    double off, rotated;
} Worst;

// A ray along the normal onto a vertex, moved a little into its triangle, meets the solid there and
// finds that normal.
static void aim_at(const SolidMesh *m, int body, size_t i, Worst *worst) {
    const double into = 1e-5;
    const double away = 0.01;
    const uint32_t *c = m->corner + (i - i % 3);
    impVec3 n = at(m->normal, m->corner[i]);
    impVec3 p = at(m->point, m->corner[i]);
    impVec3 origin;
    impVec3 sum = add(add(at(m->point, c[0]), at(m->point, c[1])), at(m->point, c[2]));
    impHit hit;
    origin = impState_Pose(model, start, (impBody){ body }).at;
    p = add(madd(madd(p, -into, p), into / 3, sum), origin);
    NEAR(sqrt(dot(n, n)), 1, 1e-6);
    if (!impCast(model, start, madd(p, away, n), vec(-n.x, -n.y, -n.z), 2 * away, &hit) ||
        hit.body.i != body) {
        fail_msg("%s: nothing at corner %zu", impModel_Name(model, (impBody){ body }), i);
    }
    worst->off = fmax(worst->off, fabs(hit.distance - away));
    worst->rotated = fmax(worst->rotated,
                          sqrt(dot(madd(hit.normal, -1, n), madd(hit.normal, -1, n))));
}

static void vertices_lie_on_the_surface(void **state) {
    (void)state;
    for (int body = 1; body < impModel_BodyCount(model); body++) {
        SolidMesh m = drawn(body, 0);
        Worst worst = { 0, 0 };
        for (size_t i = 0; i < 3 * m.triangle_count; i++) {
            aim_at(&m, body, i, &worst);
        }
        print_message("%-10s %5zu triangles %5zu vertices, off by %.1e m, normals by %.1e\n",
                      impModel_Name(model, (impBody){ body }), m.triangle_count, m.vertex_count,
                      worst.off, worst.rotated);
        // single precision, and what the vertex was moved
        NEAR(worst.off, 0, 2e-6);
        NEAR(worst.rotated, 0, 2e-4);
        solid_mesh_free(&m);
    }
}

static void triangles_look_outward(void **state) {
    (void)state;
    for (int body = 1; body < impModel_BodyCount(model); body++) {
        SolidMesh m = drawn(body, 0);
        for (size_t i = 0; i < 3 * m.triangle_count; i++) {
            const uint32_t *c = m.corner + (i - i % 3);
            impVec3 a = at(m.point, c[0]);
            impVec3 b = at(m.point, c[1]);
            impVec3 d = at(m.point, c[2]);
            impVec3 flat = unit(cross(madd(b, -1, a), madd(d, -1, a)));
            if (!(dot(flat, at(m.normal, m.corner[i])) > 0.9)) {
                fail_msg("%s: corner %zu", impModel_Name(model, (impBody){ body }), i);
            }
        }
        solid_mesh_free(&m);
    }
}

// --- how large -----------------------------------------------------------------------------------
static void volumes_converge(void **state) {
    (void)state;
    for (int body = 1; body < impModel_BodyCount(model) - 2; body++) {
        double exact = impModel_Mass(model, (impBody){ body }).mass / 1000;
        double lack[4];
        for (int detail = 0; detail < 4; detail++) {
            SolidMesh m = drawn(body, detail);
            lack[detail] = 1 - volume(&m) / exact;
            solid_mesh_free(&m);
        }
        print_message("%-10s lacks %.1e %.1e %.1e %.1e of its volume\n",
                      impModel_Name(model, (impBody){ body }), lack[0], lack[1], lack[2], lack[3]);
        NEAR(lack[0], 0, 0.02);
        NEAR(lack[3], 0, 2e-4);
        // halved facets lack a quarter; flat ones nothing
        for (int detail = 1; detail < 4; detail++) {
            if (fabs(lack[0]) < 1e-6) {
                NEAR(lack[detail], 0, 1e-6);
            } else {
                NEAR(lack[detail] / lack[detail - 1], 0.25, 0.01);
            }
        }
    }
}

static void a_plane_is_shown_as_a_square(void **state) {
    (void)state;
    SolidMesh m = drawn(impModel_BodyCount(model) - 1, 0);
    impVec3 sum = vec(0, 0, 0);
    assert_int_equal(m.vertex_count, 4);
    for (size_t i = 0; i < 4; i++) {
        NEAR(dot(at(m.point, i), vec(0, 0.6, 0.8)), 2, 1e-6);
        sum = madd(sum, 0.25, at(m.point, i));
    }
    impVec3 foot = madd(vec(1, 2, 3), 2 - dot(vec(1, 2, 3), vec(0, 0.6, 0.8)), vec(0, 0.6, 0.8));
    NEAR(sum.x, foot.x, 1e-6);
    NEAR(sum.y, foot.y, 1e-6);
    NEAR(sum.z, foot.z, 1e-6);
    for (size_t i = 0; i < 4; i++) {
        impVec3 side = madd(at(m.point, (i + 1) % 4), -1, at(m.point, i));
        NEAR(sqrt(dot(side, side)), 8, 1e-5);
    }
    solid_mesh_free(&m);
}

static void what_is_not_there_has_no_triangles(void **state) {
    (void)state;
    SolidMesh m;
    SolidView view = { 0 };
    assert_true(solid_mesh_make(&m, model, (impBody){ 0 }, 0, view));
    assert_int_equal(m.triangle_count, 0);
    assert_true(solid_mesh_make(&m, model, (impBody){ 1 }, 1, view));
    assert_int_equal(m.triangle_count, 0);
    assert_true(solid_mesh_make(&m, NULL, (impBody){ 1 }, 0, view));
    assert_int_equal(m.triangle_count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_are_shared_by_two),
        cmocka_unit_test(vertices_lie_on_the_surface),
        cmocka_unit_test(triangles_look_outward),
        cmocka_unit_test(volumes_converge),
        cmocka_unit_test(a_plane_is_shown_as_a_square),
        cmocka_unit_test(what_is_not_there_has_no_triangles),
    };
    return cmocka_run_group_tests(tests, make_zoo, free_zoo);
}
