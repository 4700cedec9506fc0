// surface.c -- triangles from a file: welded, counted, turned; and the mesh kind built of them.
//
// SPDX-License-Identifier: MIT
#include "shape/solids.h"

typedef struct Welded {
    Pool pool;
    Surface s;
} Welded;

// frees the soup
static Welded weld(Soup9 *soup) {
    Welded w = { 0 };
    assert_true(shape_weld(&w.s, &w.pool, soup->corner, soup->count, NULL));
    free(soup->corner);
    *soup = (Soup9){ 0 };
    return w;
}

static void drop(Welded *w) { pool_free(&w->pool); }

static void turn9(double *corner) {
    for (int k = 0; k < 3; k++) {
        double second = corner[3 + k];
        corner[3 + k] = corner[6 + k];
        corner[6 + k] = second;
    }
}

static void a_cube_has_eight_vertices(void **state) {
    (void)state;
    Soup9 soup = { 0 };
    put_cube(&soup, vec(0, 0, 0), 1);
    Welded w = weld(&soup);
    assert_int_equal(w.s.vertex_count, 8);
    assert_int_equal(w.s.triangle_count, 12);
    assert_int_equal(w.s.shells, 1);
    assert_int_equal(w.s.bad_edge[0], -1);
    assert_true(w.s.closed && !w.s.flipped && !w.s.mixed);
    NEAR(w.s.area, 6, 1e-15);
    NEAR(w.s.solid.volume, 1, 1e-15);
    drop(&w);
}

static void m9_equal_corners_are_one_vertex_in_order_of_appearance(void **state) {
    (void)state;
    Soup9 soup = { 0 };
    put_triangle9(&soup, vec(0.0, 0, 0), vec(1, 0, 0), vec(0, 1, 0));
    put_triangle9(&soup, vec(1, 0, -0.0), vec(-0.0, -0.0, 0), vec(0, -1, 0));
    Welded w = weld(&soup);
    assert_int_equal(w.s.vertex_count, 4);
    const int32_t expected[6] = { 0, 1, 2, 1, 0, 3 };
    assert_memory_equal(w.s.triangle, expected, sizeof expected);
    SAME_BITS(w.s.vertex[0].x, 0.0);
    drop(&w);
}

static void m9_almost_equal_corners_stay_apart(void **state) {
    (void)state;
    Soup9 soup = { 0 };
    put_cube(&soup, vec(0, 0, 0), 1);
    soup.corner[0] = 1e-300;
    Welded w = weld(&soup);
    assert_int_equal(w.s.vertex_count, 9);
    assert_int_equal(w.s.open_edges, 4);
    assert_false(w.s.closed);
    drop(&w);
}

static void m9_a_triangle_given_twice_crowds_its_edges(void **state) {
    (void)state;
    Soup9 soup = { 0 };
    put_cube(&soup, vec(0, 0, 0), 1);
    put_triangle9(&soup, vec(0, 0, 0), vec(0, 1, 0), vec(1, 1, 0));
    Welded w = weld(&soup);
    assert_int_equal(w.s.crowded_edges, 3);
    assert_false(w.s.closed);
    drop(&w);
}

static void m8_triangles_without_area_are_dropped_and_named(void **state) {
    (void)state;
    Soup9 soup = { 0 };
    put_triangle9(&soup, vec(0, 0, 0), vec(0, 0, 0), vec(0, 0, 0));
    put_cube(&soup, vec(0, 0, 0), 1);
    put_triangle9(&soup, vec(0, 0, 0), vec(0, 1, 0), vec(0, 0, 0));
    // collinear, after rounding
    put_triangle9(&soup, vec(0.1, 0.1, 0.1), vec(0.2, 0.2, 0.2), vec(0.3, 0.3, 0.3));
    for (int i = 0; i < 4; i++) {
        put_triangle9(&soup, vec(5, 5, 5), vec(5, 5, 5), vec(6, 5, 5));
    }
    Welded w = weld(&soup);
    assert_int_equal(w.s.dropped, 7);
    const int first[5] = { 0, 13, 14, 15, 16 };
    assert_memory_equal(w.s.first_dropped, first, sizeof first);
    assert_int_equal(w.s.triangle_count, 12);
    assert_int_equal(w.s.vertex_count, 8);
    assert_int_equal(w.s.shells, 1);
    assert_true(w.s.closed);
    drop(&w);
}

static void m8_collinear_after_rounding(void **state) {
    (void)state;
    Soup9 soup = { 0 };
    int bent = 0;
    for (uint64_t i = 0; i < 50; i++) {
        impVec3 a = random_direction(1, i);
        impVec3 d = random_direction(2, i);
        impVec3 c = add(a, d);
        impVec3 b = madd(a, 0.3 + 0.4 * num_uniform(1, 3, i), d);
        put_triangle9(&soup, a, b, c);
        bent += !zero3(cross(sub(b, a), sub(c, a)));
    }
    Welded w = weld(&soup);
    assert_true(bent > 10);
    assert_int_equal(w.s.dropped, 50);
    drop(&w);
}

static void m8_a_sliver_between_two_triangles_leaves_no_hole(void **state) {
    (void)state;
    Soup9 soup = { 0 };
    put_cube(&soup, vec(0, 0, 0), 1);
    // the bottom's two triangles meet along (0,0,0)-(1,1,0): one of them is cut at the middle, with
    // a sliver between
    Soup9 cut = { 0 };
    for (int i = 0; i < soup.count; i++) {
        const double *c = soup.corner + 9 * i;
        impVec3 a = vec(c[0], c[1], c[2]);
        impVec3 b = vec(c[3], c[4], c[5]);
        impVec3 d = vec(c[6], c[7], c[8]);
        impVec3 m = vec(0.5, 0.5, 0);
        if (i == 0) {
            // a = 0, b = (0,1,0), d = (1,1,0)
            put_triangle9(&cut, a, b, m);
            put_triangle9(&cut, b, d, m);
            put_triangle9(&cut, a, m, d);
        } else {
            put_triangle9(&cut, a, b, d);
        }
    }
    free(soup.corner);
    Welded w = weld(&cut);
    assert_int_equal(w.s.dropped, 1);
    assert_int_equal(w.s.shells, 1);
    assert_true(w.s.closed);
    NEAR(w.s.solid.volume, 1, 1e-15);
    drop(&w);
}

static void m10_a_hole_is_counted_and_its_edge_named(void **state) {
    (void)state;
    Soup9 soup = { 0 };
    put_cube(&soup, vec(0, 0, 0), 1);
    soup.count--;
    Welded w = weld(&soup);
    assert_int_equal(w.s.open_edges, 3);
    assert_false(w.s.closed);
    assert_in_range(w.s.bad_edge[0], 0, 7);
    assert_in_range(w.s.bad_edge[1], 0, 7);
    SAME_BITS(w.s.solid.volume, 0);
    drop(&w);
}

static void m10_three_triangles_on_an_edge(void **state) {
    (void)state;
    Soup9 soup = { 0 };
    for (int i = 0; i < 3; i++) {
        put_triangle9(&soup, vec(0, 0, 0), vec(1, 0, 0), vec(0, i, 1));
    }
    Welded w = weld(&soup);
    assert_int_equal(w.s.crowded_edges, 1);
    assert_int_equal(w.s.open_edges, 6);
    assert_int_equal(w.s.shells, 1);
    drop(&w);
}

static void m10_shells_that_touch_at_a_vertex_are_two(void **state) {
    (void)state;
    Soup9 soup = { 0 };
    put_cube(&soup, vec(0, 0, 0), 1);
    put_cube(&soup, vec(1, 1, 1), 1);
    Welded w = weld(&soup);
    assert_int_equal(w.s.vertex_count, 15);
    assert_int_equal(w.s.shells, 2);
    assert_true(w.s.closed);
    NEAR(w.s.solid.volume, 2, 1e-14);
    drop(&w);
}

static void m11_inside_out_is_turned_as_a_whole(void **state) {
    (void)state;
    Soup9 soup = { 0 }, right = { 0 };
    put_cube(&soup, vec(0, 0, 0), 1);
    put_cube(&right, vec(0, 0, 0), 1);
    for (int i = 0; i < soup.count; i++) {
        turn9(soup.corner + 9 * i);
    }
    Welded w = weld(&soup);
    Welded r = weld(&right);
    assert_true(w.s.closed && w.s.flipped && !w.s.mixed);
    SAME_BITS(w.s.solid.volume, r.s.solid.volume);
    SAME_BITS(w.s.solid.inertia.x.x, r.s.solid.inertia.x.x);
    drop(&w);
    drop(&r);
}

static void m11_one_turned_triangle_is_a_disagreement(void **state) {
    (void)state;
    Soup9 soup = { 0 };
    put_cube(&soup, vec(0, 0, 0), 1);
    turn9(soup.corner + 9 * 5);
    Welded w = weld(&soup);
    assert_true(w.s.mixed && !w.s.closed && !w.s.flipped);
    assert_int_equal(w.s.crowded_edges, 3);
    drop(&w);
}

static void m12_nested_shells_are_a_signed_sum(void **state) {
    (void)state;
    Soup9 soup = { 0 };
    put_cube(&soup, vec(0, 0, 0), 3);
    put_cube(&soup, vec(1, 1, 1), 1);
    for (int i = 12; i < 24; i++) {
        turn9(soup.corner + 9 * i);
    }
    Welded w = weld(&soup);
    assert_true(w.s.closed);
    NEAR(w.s.solid.volume, 26, 1e-13);
    drop(&w);
}

static void m13_two_sides_of_a_sheet_hold_no_volume(void **state) {
    (void)state;
    Soup9 soup = { 0 };
    put_triangle9(&soup, vec(0, 0, 0.1), vec(1, 0, 0.3), vec(0, 1, 0.7));
    put_triangle9(&soup, vec(0, 0, 0.1), vec(0, 1, 0.7), vec(1, 0, 0.3));
    Welded w = weld(&soup);
    assert_int_equal(w.s.open_edges + w.s.crowded_edges, 0);
    assert_false(w.s.closed);
    drop(&w);
}

static void nothing_is_a_surface_too(void **state) {
    (void)state;
    Soup9 soup = { 0 };
    Welded w = weld(&soup);
    assert_int_equal(w.s.triangle_count, 0);
    assert_false(w.s.closed);
    drop(&w);
}

// one vertex of 200,000 edges
static void m16_a_fan_of_very_many_triangles(void **state) {
    (void)state;
    int n = 200000;
    Soup9 soup = { malloc(sizeof(double) * 18 * (size_t)n), 2 * n };
    for (int i = 0; i < n; i++) {
        SinCos a = num_sincos_turns((double)i / n);
        SinCos b = num_sincos_turns((double)((i + 1) % n) / n);
        const double two[18] = { 0, 0, 1,  a.cos, a.sin, 0, b.cos, b.sin, 0,
                                 0, 0, -1, b.cos, b.sin, 0, a.cos, a.sin, 0 };
        memcpy(soup.corner + 18 * (size_t)i, two, sizeof two);
    }
    Welded w = weld(&soup);
    assert_true(w.s.closed);
    assert_int_equal(w.s.vertex_count, n + 2);
    NEAR(w.s.solid.volume, TAU / 3, 1e-8);
    drop(&w);
}

// --- The kind "mesh" -----------------------------------------------------------------------------

static impError error;  // of the latest build: too large for a stack frame

typedef struct Built {
    Pool pool;
    Geometry g;
    Shape s;
    bool good;
} Built;

static Built build(const impVec3 *points, int count, const int32_t *faces, int ints) {
    Built b = { .s = { .kind = shape_find("mesh"), .pose = pose_identity() } };
    error = (impError){ 0 };
    b.good = shape_build_points(&b.s, &b.g, &b.pool, points, count, faces, ints, (Where){ 0 },
                                "mesh", &error);
    assert_int_equal(b.good, error.count == 0);
    return b;
}

static int cube_mesh(impVec3 *points, int32_t *ints) {
    for (int i = 0; i < 8; i++) {
        points[i] = cube_point(i);
    }
    for (int q = 0; q < 6; q++) {
        const int32_t *c = cube_quads[q];
        const int32_t two[8] = { 3, c[0], c[1], c[2], 3, c[0], c[2], c[3] };
        memcpy(ints + 8 * q, two, sizeof two);
    }
    return 48;
}

static void a_closed_mesh_is_a_solid(void **state) {
    (void)state;
    impVec3 p[8];
    int32_t ints[48];
    Built b = build(p, 8, ints, cube_mesh(p, ints));
    assert_true(b.good && b.s.closed);
    assert_int_equal(b.s.face_count, 12);
    NEAR(shape_solid(&b.s, &b.g).volume, 1, 1e-15);
    NEAR(shape_kinds[b.s.kind].support(&b.s, &b.g, vec(1, 2, 3)).z, 1, 0);
    NEAR(shape_bounding_radius(&b.s, &b.g, vec(0, 0, 0)), sqrt(3), 1e-15);
    SAME_BITS(shape_kinds[b.s.kind].smallest_extent(&b.s, &b.g), 0);
    NEAR(b.g.face[0].normal.z, -1, 0);
    pool_free(&b.pool);
}

static void m10_an_open_mesh_is_a_floor(void **state) {
    (void)state;
    impVec3 p[8];
    int32_t ints[48];
    Built b = build(p, 8, ints, cube_mesh(p, ints) - 4);
    assert_true(b.good && !b.s.closed);
    SAME_BITS(shape_solid(&b.s, &b.g).volume, 0);
    pool_free(&b.pool);
}

static void mesh_refused(const impVec3 *p, int count, const int32_t *ints, int n,
                         const char *text) {
    Built b = build(p, count, ints, n);
    assert_false(b.good);
    SAME_TEXT(error.message[0].text, text);
    pool_free(&b.pool);
}

static void bad_meshes_are_refused(void **state) {
    (void)state;
    impVec3 p[8];
    int32_t ints[48];
    int n = cube_mesh(p, ints);
    int second = ints[2];
    mesh_refused(p, 8, NULL, 0, "mesh: 8 points and 0 faces; a mesh needs both");
    ints[2] = ints[3];
    ints[3] = second;
    // M11
    mesh_refused(p, 8, ints, n,
                 "mesh: neighbouring triangles disagree about which side is outside");
    ints[2] = 8;
    mesh_refused(p, 8, ints, n, "mesh: face 0 names point 8; there are 8, counted from 0");
    ints[2] = -1;
    mesh_refused(p, 8, ints, n, "mesh: face 0 names point -1; there are 8, counted from 0");
    ints[0] = 4;
    mesh_refused(p, 8, ints, n, "mesh: face 0 has 4 points; a mesh is made of triangles");
    cube_mesh(p, ints);
    mesh_refused(p, 8, ints, n - 1, "mesh: its faces end within a triangle");
    const int32_t flat[4] = { 3, 0, 1, 1 };
    // M8
    mesh_refused(p, 8, flat, 4, "mesh: none of its 1 triangles has an area");
    p[5].x = (double)INFINITY;
    mesh_refused(p, 8, ints, n, "mesh: point 5 [inf, 0, 1] m; it must be finite");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_has_eight_vertices),
        cmocka_unit_test(m9_equal_corners_are_one_vertex_in_order_of_appearance),
        cmocka_unit_test(m9_almost_equal_corners_stay_apart),
        cmocka_unit_test(m9_a_triangle_given_twice_crowds_its_edges),
        cmocka_unit_test(m8_triangles_without_area_are_dropped_and_named),
        cmocka_unit_test(m8_collinear_after_rounding),
        cmocka_unit_test(m8_a_sliver_between_two_triangles_leaves_no_hole),
        cmocka_unit_test(m10_a_hole_is_counted_and_its_edge_named),
        cmocka_unit_test(m10_three_triangles_on_an_edge),
        cmocka_unit_test(m10_shells_that_touch_at_a_vertex_are_two),
        cmocka_unit_test(m11_inside_out_is_turned_as_a_whole),
        cmocka_unit_test(m11_one_turned_triangle_is_a_disagreement),
        cmocka_unit_test(m12_nested_shells_are_a_signed_sum),
        cmocka_unit_test(m13_two_sides_of_a_sheet_hold_no_volume),
        cmocka_unit_test(nothing_is_a_surface_too),
        cmocka_unit_test(m16_a_fan_of_very_many_triangles),
        cmocka_unit_test(a_closed_mesh_is_a_solid),
        cmocka_unit_test(m10_an_open_mesh_is_a_floor),
        cmocka_unit_test(bad_meshes_are_refused),
    };
    return RUN(tests);
}
