// hull.c -- convex hulls: found by qhull where the build has it, or checked as given; always in
// canonical order.
//
// SPDX-License-Identifier: MIT
#include "shape/kinds.h"
#include "shape/solids.h"

#if defined(IMPEL_QHULL)
#define HAVE_QHULL 1
#else
#define HAVE_QHULL 0
#endif

static impError error;  // of the latest build: too large for a stack frame

typedef struct Built {
    Pool pool;
    Geometry g;
    Shape s;
    bool good;
} Built;

static Built build(const impVec3 *points, int count, const int32_t *faces, int ints) {
    Built b = { .s = { .kind = shape_find("hull"), .pose = pose_identity() } };
    error = (impError){ 0 };
    b.good = shape_build_points(&b.s, &b.g, &b.pool, points, count, faces, ints, (Where){ 0 },
                                "hull", &error);
    assert_int_equal(b.good, error.count == 0);
    return b;
}

static void drop(Built *b) { pool_free(&b->pool); }

static void refused(const impVec3 *points, int count, const int32_t *faces, int ints,
                    const char *text) {
    Built b = build(points, count, faces, ints);
    assert_false(b.good);
    SAME_TEXT(error.message[0].text, text);
    drop(&b);
}

static void cube(impVec3 *points) {
    for (int i = 0; i < 8; i++) {
        points[i] = cube_point(i);
    }
}

static int cube_faces(int32_t *ints) {
    for (int q = 0; q < 6; q++) {
        ints[5 * q] = 4;
        for (int k = 0; k < 4; k++) {
            ints[5 * q + 1 + k] = cube_quads[q][k];
        }
    }
    return 30;
}

// What every hull keeps, whoever made it.
static void is_sound(const Built *b, const impVec3 *points, int count, double tolerance) {
    const Shape *s = &b->s;
    const impVec3 *v = b->g.vertex + s->first_vertex;
    int edges = 0;
    for (int f = 0; f < s->face_count; f++) {
        const Face *face = b->g.face + s->first_face + f;
        NEAR(norm(face->normal), 1, 1e-15);
        for (int k = 0; k < face->count; k++) {
            int32_t i = b->g.loop[face->first + k];
            assert_in_range(i, 0, s->vertex_count - 1);
            // starts at its smallest
            assert_true(k == 0 || i > b->g.loop[face->first]);
            NEAR(dot(face->normal, v[i]), face->offset, tolerance);
        }
        edges += face->count;
    }
    for (int f = 0; f < s->face_count && count < 5000; f++) {
        const Face *face = b->g.face + s->first_face + f;
        for (int i = 0; i < count; i++) {
            assert_true(dot(face->normal, points[i]) <= face->offset + 1e-12);
        }
    }
    for (int i = 1; i < s->vertex_count; i++) {
        assert_true(v[i - 1].x < v[i].x ||
                    (v[i - 1].x == v[i].x &&
                     (v[i - 1].y < v[i].y || (v[i - 1].y == v[i].y && v[i - 1].z < v[i].z))));
    }
    assert_int_equal(s->vertex_count - edges / 2 + s->face_count, 2);
}

static bool same_hull(const Built *a, const Built *b) {
    return a->s.vertex_count == b->s.vertex_count && a->s.face_count == b->s.face_count &&
           a->g.loop_count == b->g.loop_count &&
           memcmp(a->g.vertex, b->g.vertex, sizeof(impVec3) * (size_t)a->s.vertex_count) == 0 &&
           memcmp(a->g.loop, b->g.loop, sizeof(int32_t) * (size_t)a->g.loop_count) == 0 &&
           memcmp(a->g.face, b->g.face, sizeof(Face) * (size_t)a->s.face_count) == 0;
}

// --- Faces given ---------------------------------------------------------------------------------

static void a_cube_with_its_faces(void **state) {
    (void)state;
    impVec3 points[8];
    int32_t ints[30];
    cube(points);
    Built b = build(points, 8, ints, cube_faces(ints));
    assert_true(b.good);
    is_sound(&b, points, 8, 1e-15);
    assert_int_equal(b.s.vertex_count, 8);
    assert_int_equal(b.s.face_count, 6);
    Solid s = shape_solid(&b.s, &b.g);
    NEAR(s.volume, 1, 1e-15);
    NEAR(s.center.x, 0.5, 1e-15);
    NEAR(s.inertia.z.z, 1.0 / 6, 1e-15);
    NEAR(shape_kinds[b.s.kind].smallest_extent(&b.s, &b.g), 1, 1e-15);
    NEAR(shape_bounding_radius(&b.s, &b.g, vec(0, 0, 0)), sqrt(3), 1e-15);
    assert_true(b.s.closed);
    drop(&b);
}

static void triangles_of_a_cube_become_six_squares(void **state) {
    (void)state;
    impVec3 points[8];
    int32_t quads[30], ints[48];
    cube(points);
    for (int q = 0; q < 6; q++) {
        const int32_t *c = cube_quads[q];
        const int32_t two[8] = { 3, c[0], c[1], c[2], 3, c[0], c[2], c[3] };
        memcpy(ints + 8 * q, two, sizeof two);
    }
    Built a = build(points, 8, quads, cube_faces(quads));
    Built b = build(points, 8, ints, 48);
    assert_true(a.good && b.good && same_hull(&a, &b));
    drop(&a);
    drop(&b);
}

static void two_hulls_share_one_geometry(void **state) {
    (void)state;
    impVec3 points[8];
    int32_t ints[30];
    cube(points);
    Built b = build(points, 8, ints, cube_faces(ints));
    Shape second = b.s;
    for (int i = 0; i < 8; i++) {
        points[i] = scale(2, points[i]);
    }
    assert_true(shape_build_points(&second, &b.g, &b.pool, points, 8, ints, 30, (Where){ 0 },
                                   "hull", &error));
    assert_int_equal(second.first_vertex, 8);
    assert_int_equal(second.first_face, 6);
    NEAR(shape_solid(&b.s, &b.g).volume, 1, 1e-15);
    NEAR(shape_solid(&second, &b.g).volume, 8, 1e-14);
    NEAR(shape_kinds[b.s.kind].support(&second, &b.g, vec(1, 1, 1)).x, 2, 0);
    drop(&b);
}

static void faces_that_bound_nothing_convex_are_named(void **state) {
    (void)state;
    impVec3 points[9];
    int32_t ints[30];
    cube(points);
    cube_faces(ints);
    ints[6] = 7;
    ints[7] = 6;
    ints[8] = 5;
    ints[9] = 4;
    refused(points, 8, ints, 30,
            "hull: face 1 is inside out; its points must go counter-clockwise, seen from outside");
    cube_faces(ints);
    refused(points, 8, ints, 25,
            "hull: face 2: the edge of points 4 and 0 is not shared with exactly one other face, "
            "in the opposite sense");
    ints[2] = 8;
    refused(points, 8, ints, 30, "hull: face 0 names point 8; there are 8, counted from 0");
    ints[2] = 2;
    ints[3] = 2;
    refused(points, 8, ints, 30, "hull: face 0 names point 2 twice, or two equal ones");
    cube_faces(ints);
    ints[0] = 2;
    refused(points, 8, ints, 30,
            "hull: face 0 has 2 points; it must have at least 3, all of them in the list");
    ints[0] = 40;
    refused(points, 8, ints, 30,
            "hull: face 0 has 40 points; it must have at least 3, all of them in the list");
    cube_faces(ints);
    points[6].z = 1.5;
    Built bent = build(points, 8, ints, 30);
    assert_false(bent.good);
    assert_non_null(strstr(error.message[0].text, "hull: face 1 is not flat"));
    drop(&bent);
    cube(points);
    points[8] = vec(0.5, 0.5, 2);
    refused(points, 9, ints, 30, "hull: not convex: point 8 lies 1 m outside face 1");
}

static void inside_out_as_a_whole_is_refused(void **state) {
    (void)state;
    impVec3 points[8];
    int32_t ints[30];
    cube(points);
    cube_faces(ints);
    for (int q = 0; q < 6; q++) {
        int32_t second = ints[5 * q + 2];
        ints[5 * q + 2] = ints[5 * q + 4];
        ints[5 * q + 4] = second;
    }
    Built b = build(points, 8, ints, 30);
    assert_false(b.good);
    assert_int_equal(error.count, 6);
    drop(&b);
}

// Local tests all pass for this one: a star goes round its axis twice.
static void a_star_that_goes_round_twice_is_refused(void **state) {
    (void)state;
    impVec3 points[7] = { { 0, 0, 1 }, { 0, 0, -1 } };
    int32_t ints[40];
    for (int i = 0; i < 5; i++) {
        SinCos t = num_sincos_turns(i / 5.0);
        points[2 + i] = vec(t.cos, t.sin, 0);
        const int32_t two[8] = { 3, 0, 2 + i, 2 + (i + 2) % 5, 3, 1, 2 + (i + 2) % 5, 2 + i };
        memcpy(ints + 8 * i, two, sizeof two);
    }
    Built b = build(points, 7, ints, 40);
    assert_false(b.good);
    drop(&b);
}

// Should whoever finds the faces be wrong, the polytope's own checks say so: a pyramid whose apex
// points inward.
static void a_dented_box_is_no_polytope(void **state) {
    (void)state;
    impVec3 points[9];
    int32_t loop[32], first[10];
    for (int i = 0; i < 8; i++) {
        points[i] = cube_point(i);
    }
    points[8] = vec(0.5, 0.5, 0.7);
    for (int q = 0; q < 6; q++) {
        memcpy(loop + 4 * q, cube_quads[q], 16);
        first[q] = 4 * q;
    }
    // the top is the second one: replaced by four triangles
    memcpy(loop + 4, loop + 20, 16);
    for (int k = 0; k < 4; k++) {
        const int32_t t[3] = { cube_quads[1][k], cube_quads[1][(k + 1) % 4], 8 };
        memcpy(loop + 20 + 3 * k, t, sizeof t);
        first[5 + k] = 20 + 3 * k;
    }
    first[9] = 32;
    Soup soup = { points, 9, loop, first, 9 };
    Polytope out;
    Pool pool = { 0 };
    assert_int_equal(shape_polytope(&out, &pool, &soup).flaw, POLYTOPE_TANGLED);
    // and outward it is one
    points[8].z = 1.3;
    assert_int_equal(shape_polytope(&out, &pool, &soup).flaw, POLYTOPE_SOUND);
    assert_int_equal(out.face_count, 9);
    pool_free(&pool);
}

// --- Points only: M13 to M15 ---------------------------------------------------------------------

static void m13_points_without_volume(void **state) {
    (void)state;
    impVec3 p[8];
    cube(p);
    refused(p, 3, NULL, 0, "hull: 3 points; a hull needs at least 4, not all in one plane");
    refused(NULL, 0, NULL, 0, "hull: 0 points; a hull needs at least 4, not all in one plane");
    for (int i = 0; i < 8; i++) {
        p[i] = vec(1, 2, 3);
    }
    refused(p, 8, NULL, 0, "hull: the 8 points are all equal (dimension 0); a hull needs volume");
    for (int i = 0; i < 8; i++) {
        p[i] = vec(0.1 * i, 0.3 * i, 0.7 * i);
    }
    refused(p, 8, NULL, 0, "hull: the 8 points lie on a line (dimension 1); a hull needs volume");
    for (int i = 0; i < 8; i++) {
        p[i] = madd(scale(0.1 * i, vec(1, 2, 3)), 0.3 * (i * i % 5), vec(-1, 0.1, 0.7));
    }
    refused(p, 8, NULL, 0, "hull: the 8 points lie in a plane (dimension 2); a hull needs volume");
}

static void m13_a_plane_in_single_precision_is_flat(void **state) {
    (void)state;
    impVec3 p[100];
    for (int i = 0; i < 100; i++) {
        double u = num_uniform(1, 1, (uint64_t)i);
        double v = num_uniform(1, 2, (uint64_t)i);
        float x = (float)(0.6 * u + 0.1 * v);
        float y = (float)(0.8 * u - 0.3 * v);
        float z = (float)(0.1 * u + v);
        p[i] = vec((double)x, (double)y, (double)z);
    }
    refused(p, 100, NULL, 0,
            "hull: the 100 points lie in a plane (dimension 2); a hull needs volume");
}

static void m14_coordinates_out_of_all_bounds(void **state) {
    (void)state;
    impVec3 p[8];
    cube(p);
    p[3].y = (double)NAN;
    refused(p, 8, NULL, 0, "hull: point 3 [0, nan, 0] m; it must be finite");
    p[3].y = 1e300;
    Built b = build(p, 8, NULL, 0);
    assert_non_null(
        strstr(error.message[0].text, "coordinates must lie within 1e7 m of the origin"));
    drop(&b);
    for (int i = 0; i < 8; i++) {
        p[i] = scale(1e-9, cube_point(i));
    }
    refused(p, 8, NULL, 0,
            "hull: its points lie within 1e-9 m; a shape must measure at least 1e-7 m");
}

static void without_qhull_points_are_not_enough(void **state) {
    (void)state;
    if (HAVE_QHULL) {
        skip();
    }
    impVec3 p[8];
    cube(p);
    refused(p, 8, NULL, 0, "hull: this build has no qhull: give \"faces\" too");
}

static void points_of_a_cube_in_any_order_give_one_hull(void **state) {
    (void)state;
    if (!HAVE_QHULL) {
        skip();
    }
    impVec3 given[8], p[30];
    int32_t ints[30];
    cube(given);
    Built a = build(given, 8, ints, cube_faces(ints));
    for (uint64_t round = 0; round < 20; round++) {
        // corners, repeated, and points inside, on faces and on edges
        for (int i = 0; i < 30; i++) {
            impVec3 u = vec(num_uniform(2, round, 3 * (uint64_t)i),
                            num_uniform(2, round, 3 * (uint64_t)i + 1), 0.5);
            if (i < 16) {
                p[i] = cube_point((int)((uint64_t)i * 3 + round) % 8);
            } else {
                p[i] = i < 20 ? u : i < 25 ? vec(u.x, 0, u.y) : vec(1, 1, u.x);
            }
        }
        Built b = build(p, 30, NULL, 0);
        assert_true(b.good && same_hull(&a, &b));
        drop(&b);
    }
    drop(&a);
}

static impQuat some_turn(uint64_t i) {
    return num_random_rotation(num_uniform(3, 1, i), num_uniform(3, 2, i), num_uniform(3, 3, i));
}

// how far vertices are from the planes of their faces
static double off_their_planes(const Built *b) {
    double off = 0;
    for (int f = 0; f < b->s.face_count; f++) {
        const Face *face = b->g.face + b->s.first_face + f;
        for (int k = 0; k < face->count; k++) {
            impVec3 v = b->g.vertex[b->s.first_vertex + b->g.loop[face->first + k]];
            off = max2(off, fabs(dot(face->normal, v) - face->offset));
        }
    }
    return off;
}

// Its sides are not flat, and so are no faces: they bend by what single precision did to them.
static void a_turned_box_in_single_precision_is_what_its_points_span(void **state) {
    (void)state;
    if (!HAVE_QHULL) {
        skip();
    }
    for (uint64_t round = 0; round < 200; round++) {
        impVec3 p[8];
        impVec3 size = vec(1, 0.3, 0.02);
        for (int i = 0; i < 8; i++) {
            impVec3 c = cube_point(i);
            impVec3 x = rotate(some_turn(round), vec(c.x * size.x, c.y * size.y, c.z * size.z));
            p[i] = vec((double)(float)x.x, (double)(float)x.y, (double)(float)x.z);
        }
        Built b = build(p, 8, NULL, 0);
        assert_true(b.good);
        assert_int_equal(b.s.vertex_count, 8);
        assert_in_range(b.s.face_count, 6, 12);
        is_sound(&b, p, 8, 1e-14);
        NEAR(shape_solid(&b.s, &b.g).volume, 0.006, 1e-8);
        drop(&b);
    }
}

// Points on edges and faces are off by single precision too, some of them outward: those are
// corners.
static void m15_a_finely_cut_box_in_single_precision_is_what_its_points_span(void **state) {
    (void)state;
    if (!HAVE_QHULL) {
        skip();
    }
    for (uint64_t round = 0; round < 50; round++) {
        impVec3 p[125];
        for (int i = 0; i < 125; i++) {
            impVec3 x = rotate(some_turn(round),
                               vec(0.25 * (i % 5), 0.2 * (i / 5 % 5), 0.05 * (i / 25)));
            p[i] = vec((double)(float)x.x, (double)(float)x.y, (double)(float)x.z);
        }
        Built b = build(p, 125, NULL, 0);
        assert_true(b.good);
        is_sound(&b, p, 125, 1e-14);
        NEAR(shape_solid(&b.s, &b.g).volume, 0.16, 1e-7);
        drop(&b);
    }
}

// however flat
static void planes_and_vertices_are_one_body(void **state) {
    (void)state;
    if (!HAVE_QHULL) {
        skip();
    }
    static impVec3 p[2000];
    for (int power = 0; power < 7; power++) {
        double flat = 1;
        for (int k = 0; k < power; k++) {
            flat /= 10;
        }
        for (int i = 0; i < 2000; i++) {
            impVec3 x = random_direction(9, (uint64_t)(2000 * power + i));
            p[i] = rotate(some_turn((uint64_t)power), vec(x.x, x.y, flat * x.z));
        }
        Built b = build(p, power ? 300 : 2000, NULL, 0);
        assert_true(b.good);
        NEAR(off_their_planes(&b), 0, 1e-12);
        drop(&b);
    }
}

// Six digits, as files have them: a prism of 12 sides, turned, whose polygons are flat to a
// millionth only.
static void given_faces_of_few_digits_are_what_their_points_span(void **state) {
    (void)state;
    if (!HAVE_QHULL) {
        skip();
    }
    impVec3 p[24];
    int32_t ints[2 * 13 + 12 * 5];
    int32_t *to = ints;
    for (int i = 0; i < 24; i++) {
        SinCos t = num_sincos_turns((i % 12) / 12.0);
        impVec3 x = rotate(some_turn(3), vec(t.cos, t.sin, i / 12));
        p[i] = vec(floor(x.x * 1e6 + 0.5) / 1e6, floor(x.y * 1e6 + 0.5) / 1e6,
                   floor(x.z * 1e6 + 0.5) / 1e6);
    }
    *to++ = 12;
    for (int k = 0; k < 12; k++) {
        *to++ = 11 - k;
    }
    *to++ = 12;
    for (int k = 0; k < 12; k++) {
        *to++ = 12 + k;
    }
    for (int k = 0; k < 12; k++) {
        const int32_t quad[5] = { 4, k, (k + 1) % 12, 12 + (k + 1) % 12, 12 + k };
        memcpy(to, quad, sizeof quad);
        to += 5;
    }
    Built a = build(p, 24, ints, (int)(to - ints));
    Built b = build(p, 24, NULL, 0);
    assert_true(a.good && b.good && same_hull(&a, &b));
    assert_int_equal(a.s.vertex_count, 24);
    is_sound(&a, p, 24, 1e-12);
    drop(&a);
    drop(&b);
}

static void g3_thin_plates_and_needles_keep_their_sides(void **state) {
    (void)state;
    if (!HAVE_QHULL) {
        skip();
    }
    for (uint64_t round = 0; round < 40; round++) {
        impVec3 p[8];
        impVec3 size = round % 2 ? vec(1, 1, 1e-6) : vec(1, 1e-6, 1e-6);
        for (int i = 0; i < 8; i++) {
            impVec3 c = cube_point(i);
            p[i] = rotate(some_turn(round), vec(c.x * size.x, c.y * size.y, c.z * size.z));
        }
        Built b = build(p, 8, NULL, 0);
        assert_true(b.good);
        assert_int_equal(b.s.face_count, 6);
        NEAR(shape_kinds[b.s.kind].smallest_extent(&b.s, &b.g), 1e-6, 1e-14);
        drop(&b);
    }
}

static void known_polyhedra(void **state) {
    (void)state;
    if (!HAVE_QHULL) {
        skip();
    }
    const impVec3 tetra[4] = { { 1, 1, 1 }, { 1, -1, -1 }, { -1, 1, -1 }, { -1, -1, 1 } };
    Built b = build(tetra, 4, NULL, 0);
    assert_int_equal(b.s.face_count, 4);
    NEAR(shape_solid(&b.s, &b.g).volume, 8.0 / 3, 1e-15);
    // between opposite edges: a / sqrt 2, a = sqrt 8
    NEAR(shape_kinds[b.s.kind].smallest_extent(&b.s, &b.g), 2, 1e-15);
    drop(&b);
    impVec3 dodeca[20];
    double phi = (1 + sqrt(5)) / 2;
    for (int i = 0; i < 8; i++) {
        dodeca[i] = vec(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
    }
    for (int i = 0; i < 4; i++) {
        double x = (i & 1 ? 1 : -1) / phi;
        double y = (i & 2 ? 1 : -1) * phi;
        dodeca[8 + i] = vec(0, x, y);
        dodeca[12 + i] = vec(x, y, 0);
        dodeca[16 + i] = vec(y, 0, x);
    }
    b = build(dodeca, 20, NULL, 0);
    assert_int_equal(b.s.face_count, 12);
    assert_int_equal(b.s.vertex_count, 20);
    is_sound(&b, dodeca, 20, 1e-14);
    double edge = 2 / phi;
    NEAR(shape_solid(&b.s, &b.g).volume, (15 + 7 * sqrt(5)) / 4 * edge * edge * edge, 1e-13);
    drop(&b);
}

static void a_prism_of_a_thousand_sides_has_two_large_faces(void **state) {
    (void)state;
    if (!HAVE_QHULL) {
        skip();
    }
    static impVec3 p[2000];
    for (int i = 0; i < 2000; i++) {
        SinCos t = num_sincos_turns((i / 2) / 1000.0);
        p[i] = rotate(some_turn(5), vec(t.cos, t.sin, i % 2));
    }
    Built b = build(p, 2000, NULL, 0);
    assert_true(b.good);
    assert_int_equal(b.s.face_count, 1002);
    is_sound(&b, p, 2000, 1e-12);
    NEAR(shape_solid(&b.s, &b.g).volume, 500 * num_sin(TAU / 1000), 1e-9);
    drop(&b);
}

// --- M15: sets that make hull programs run for ever ----------------------------------------------

static void m15_near_coplanar_points_of_every_noise(void **state) {
    (void)state;
    if (!HAVE_QHULL) {
        skip();
    }
    static impVec3 p[600];
    for (uint64_t round = 0; round < 60; round++) {
        double noise = 1;
        // 1 to 1e-19
        for (uint64_t k = 0; k < round % 20; k++) {
            noise /= 10;
        }
        // on the sides of a box, nearly
        for (uint64_t i = 0; i < 600; i++) {
            double u[3];
            for (uint64_t k = 0; k < 3; k++) {
                u[k] = num_uniform(4, round, 4 * i + k);
            }
            u[i % 3] = (i / 3 % 2 ? 1 : 0) + noise * (num_uniform(4, round, 4 * i + 3) - 0.5);
            p[i] = rotate(some_turn(round), vec(u[0], u[1], u[2]));
        }
        Built b = build(p, 600, NULL, 0);
        assert_true(b.good);
        is_sound(&b, p, 600, 1e-10);
        drop(&b);
    }
}

static void m15_a_grid_and_a_fractal(void **state) {
    (void)state;
    if (!HAVE_QHULL) {
        skip();
    }
    static impVec3 p[4096];
    for (int i = 0; i < 4096; i++) {
        p[i] = vec(i & 15, i >> 4 & 15, i >> 8);
    }
    Built b = build(p, 4096, NULL, 0);
    assert_int_equal(b.s.face_count, 6);
    assert_int_equal(b.s.vertex_count, 8);
    drop(&b);
    // Sierpinski's tetrahedron, six levels
    for (int i = 0; i < 4096; i++) {
        impVec3 at = vec(0, 0, 0);
        double half = 1;
        for (int k = 0, bits = i; k < 6; k++, bits >>= 2, half /= 2) {
            int corner = bits & 3;
            int x = corner & 1 ? 1 : -1;
            int y = corner & 2 ? 1 : -1;
            at = madd(at, half / 2, vec(x, y, x * y));
        }
        p[i] = at;
    }
    b = build(p, 4096, NULL, 0);
    assert_true(b.good);
    assert_int_equal(b.s.face_count, 4);
    drop(&b);
}

static void m15_a_sphere_of_a_hundred_thousand_points(void **state) {
    (void)state;
    if (!HAVE_QHULL) {
        skip();
    }
    int count = 100000;
    impVec3 *p = malloc(sizeof *p * (size_t)count);
    for (int i = 0; i < count; i++) {
        p[i] = random_direction(8, (uint64_t)i);
    }
    Built b = build(p, count, NULL, 0);
    assert_true(b.good);
    is_sound(&b, p, count, 1e-12);
    NEAR(shape_solid(&b.s, &b.g).volume, 4 * PI / 3, 1e-3);
    drop(&b);
    free(p);
}

static void hulls_of_many_random_sets_are_sound(void **state) {
    (void)state;
    if (!HAVE_QHULL) {
        skip();
    }
    static impVec3 p[300];
    for (uint64_t round = 0; round < 300; round++) {
        int count = 4 + (int)(round % 290);
        // on a coarse lattice, so that much is coplanar
        for (uint64_t i = 0; i < (uint64_t)count; i++) {
            double grid = (double)(1 + round % 7);
            double x[3];
            for (uint64_t k = 0; k < 3; k++) {
                x[k] = floor(grid * 2 * num_uniform(5, round, 3 * i + k)) / grid;
            }
            p[i] = vec(x[0], x[1], x[2]);
            if (round % 2) {
                p[i] = rotate(some_turn(round), p[i]);
            }
        }
        Built b = build(p, count, NULL, 0);
        if (b.good) {
            is_sound(&b, p, count, 1e-12);
        } else {
            assert_non_null(strstr(error.message[0].text, "dimension"));
        }
        drop(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_with_its_faces),
        cmocka_unit_test(triangles_of_a_cube_become_six_squares),
        cmocka_unit_test(two_hulls_share_one_geometry),
        cmocka_unit_test(faces_that_bound_nothing_convex_are_named),
        cmocka_unit_test(inside_out_as_a_whole_is_refused),
        cmocka_unit_test(a_star_that_goes_round_twice_is_refused),
        cmocka_unit_test(a_dented_box_is_no_polytope),
        cmocka_unit_test(m13_points_without_volume),
        cmocka_unit_test(m13_a_plane_in_single_precision_is_flat),
        cmocka_unit_test(m14_coordinates_out_of_all_bounds),
        cmocka_unit_test(without_qhull_points_are_not_enough),
        cmocka_unit_test(points_of_a_cube_in_any_order_give_one_hull),
        cmocka_unit_test(a_turned_box_in_single_precision_is_what_its_points_span),
        cmocka_unit_test(m15_a_finely_cut_box_in_single_precision_is_what_its_points_span),
        cmocka_unit_test(planes_and_vertices_are_one_body),
        cmocka_unit_test(given_faces_of_few_digits_are_what_their_points_span),
        cmocka_unit_test(g3_thin_plates_and_needles_keep_their_sides),
        cmocka_unit_test(known_polyhedra),
        cmocka_unit_test(a_prism_of_a_thousand_sides_has_two_large_faces),
        cmocka_unit_test(m15_near_coplanar_points_of_every_noise),
        cmocka_unit_test(m15_a_grid_and_a_fractal),
        cmocka_unit_test(m15_a_sphere_of_a_hundred_thousand_points),
        cmocka_unit_test(hulls_of_many_random_sets_are_sound),
    };
    return RUN(tests);
}
