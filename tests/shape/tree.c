// tree.c -- the tree of a mesh: it finds what looking at every triangle finds, and knows who
// borders whom.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "shape/shape.h"

#include <time.h>

typedef struct Built {
    Pool pool;
    Geometry g;
    Shape s;
} Built;
static uint64_t draws;
static double uniform(double low, double high) {
    return low + (high - low) * num_uniform(20260104, 1, draws++);
}
// one draw a declarator: arguments are evaluated in any order
static impVec3 within(double low, double high) {
    double x = uniform(low, high);
    double y = uniform(low, high);
    double z = uniform(low, high);
    return vec(x, y, z);
}
static impVec3 random_vec(double s) { return within(-s, s); }

static Built build(const impVec3 *points, int point_count, const int32_t *faces, int triangles) {
    Built b = { 0 };
    static impError err;
    err = (impError){ 0 };
    b.s = (Shape){ .kind = shape_find("mesh"), .pose = pose_identity() };
    if (!shape_build_points(&b.s, &b.g, &b.pool, points, point_count, faces, 4 * triangles,
                            (Where){ 0 }, "mesh", &err) ||
        !shape_build_tree(&b.s, &b.g, &b.pool, &err)) {
        fail_msg("%s", err.message[0].text);
    }
    return b;
}

// n by n squares of two triangles each, at heights z(x, y)
static Built grid(int n, double side, double (*height)(double x, double y)) {
    impVec3 *p = malloc(sizeof *p * (size_t)((n + 1) * (n + 1)));
    int32_t *f = malloc(sizeof *f * (size_t)(8 * n * n));
    int32_t *to = f;
    for (int i = 0; i <= n; i++) {
        for (int j = 0; j <= n; j++) {
            double x = side * i;
            double y = side * j;
            p[i * (n + 1) + j] = vec(x, y, height ? height(x, y) : 0);
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            int a = i * (n + 1) + j;
            int b = a + n + 1;
            int32_t two[8] = { 3, a, b, b + 1, 3, a, b + 1, a + 1 };
            memcpy(to, two, sizeof two);
            to += 8;
        }
    }
    Built b = build(p, (n + 1) * (n + 1), f, 2 * n * n);
    free(p);
    free(f);
    return b;
}

static Built soup(int triangles, double spread, double size) {
    impVec3 *p = malloc(sizeof *p * (size_t)(3 * triangles));
    int32_t *f = malloc(sizeof *f * (size_t)(4 * triangles));
    for (int i = 0; i < triangles; i++) {
        impVec3 at = random_vec(spread);
        for (int k = 0; k < 3; k++) {
            p[3 * i + k] = add(at, random_vec(size));
            f[4 * i + k + 1] = 3 * i + k;
        }
        f[4 * i] = 3;
    }
    Built b = build(p, 3 * triangles, f, triangles);
    free(p);
    free(f);
    return b;
}

static void corners(const Built *b, int t, impVec3 *low, impVec3 *high) {
    const int32_t *k = shape_triangle(&b->s, &b->g, t);
    const impVec3 *v = b->g.vertex + b->s.first_vertex;
    *low = lower(v[k[0]], lower(v[k[1]], v[k[2]]));
    *high = upper(v[k[0]], upper(v[k[1]], v[k[2]]));
}

static bool meets(const Built *b, int t, impVec3 low, impVec3 high) {
    impVec3 l, h;
    corners(b, t, &l, &h);
    return l.x <= high.x && h.x >= low.x && l.y <= high.y && h.y >= low.y && l.z <= high.z &&
           h.z >= low.z;
}

static void finds_all_in(const Built *b, impVec3 low, impVec3 high) {
    char *seen = calloc((size_t)b->s.face_count, 1);
    TreeCursor at = { 0 };
    for (int t; (t = shape_tree_box(&b->s, &b->g, low, high, &at)) >= 0;) {
        if (seen[t]) {
            fail_msg("triangle %d twice", t);
        }
        seen[t] = 1;
    }
    for (int t = 0; t < b->s.face_count; t++) {
        if (seen[t] != meets(b, t, low, high)) {
            fail_msg("triangle %d: %d, not %d", t, seen[t], meets(b, t, low, high));
        }
    }
    free(seen);
}

static void a_box_meets_those_that_it_meets(void **state) {
    (void)state;
    int counts[] = { 1, 2, 4, 5, 17, 300, 2000 };
    for (int c = 0; c < COUNT(counts); c++) {
        Built b = soup(counts[c], 1, 0.05);
        for (int i = 0; i < 200; i++) {
            impVec3 low = random_vec(1.1);
            impVec3 size = within(0, 0.5);
            finds_all_in(&b, low, add(low, size));
        }
        finds_all_in(&b, vec(-9, -9, -9), vec(9, 9, 9));
        finds_all_in(&b, vec(5, 5, 5), vec(6, 6, 6));
        finds_all_in(&b, vec(HUGE_VAL, 0, 0), vec(-HUGE_VAL, 0, 0));
        pool_free(&b.pool);
    }
}

// Every triangle once in a leaf of at most four; every box holds what is below; the links skip
// exactly the subtree.
static int check_nodes(const Built *b) {
    const TreeNode *node = b->g.node + b->s.first_node;
    int depth = 0;
    int deepest = 0;
    int *end = malloc(sizeof *end * (size_t)b->s.node_count);
    int *seen = calloc((size_t)b->s.face_count, sizeof *seen);
    for (int i = 0; i < b->s.node_count; i++) {
        while (depth > 0 && end[depth - 1] <= i) {
            depth--;
        }
        assert_true(node[i].next > i && node[i].next <= (depth ? end[depth - 1] : b->s.node_count));
        assert_true(node[i].count <= 4);
        for (int k = 0; k < node[i].count; k++) {
            int t = b->g.leaf[b->s.first_leaf + node[i].first + k];
            impVec3 low, high;
            corners(b, t, &low, &high);
            seen[t]++;
            for (const TreeNode *n = node; n <= &node[i];
                 n = n + 1 <= &node[i] && n->next > i ? n + 1 : node + n->next) {
                if (n->next > i && (largest(sub(lower(low, n->low), n->low)) > 0 ||
                                    largest(sub(upper(high, n->high), n->high)) > 0)) {
                    fail_msg("node %d does not hold triangle %d", (int)(n - node), t);
                }
            }
        }
        if (node[i].count > 0) {
            assert_int_equal(node[i].next, i + 1);
            continue;
        }
        assert_true(node[i].first > i + 1 && node[i].first < node[i].next);
        assert_int_equal(node[i + 1].next, node[i].first);
        assert_int_equal(node[node[i].first].next, node[i].next);
        end[depth++] = node[i].next;
        if (depth > deepest) {
            deepest = depth;
        }
    }
    for (int t = 0; t < b->s.face_count; t++) {
        assert_int_equal(seen[t], 1);
    }
    free(end);
    free(seen);
    return deepest;
}

static double hills(double x, double y) { return 0.3 * num_sin(3 * x) * num_cos(2 * y); }

static void the_nodes_are_in_order(void **state) {
    (void)state;
    Built a = soup(500, 1, 0.1);
    Built b = grid(20, 0.1, hills);
    Built c = soup(300, 0, 1e-3);
    check_nodes(&a);
    check_nodes(&c);
    assert_true(check_nodes(&b) <= 16);
    pool_free(&a.pool);
    pool_free(&b.pool);
    pool_free(&c.pool);
}

static void
// each triangle half the size of the one before: no cut halves
a_spiral_of_sizes_stays_shallow(void **state) {
    (void)state;
    enum { N = 400 };
    static impVec3 p[3 * N];
    static int32_t f[4 * N];
    double x = 1e6;
    for (int i = 0; i < N; i++, x *= 0.93) {
        p[3 * i] = vec(x, 0, 0);
        p[3 * i + 1] = vec(1.01 * x, 0, 0);
        p[3 * i + 2] = vec(x, 0.01 * x, 0);
        int32_t face[4] = { 3, 3 * i, 3 * i + 1, 3 * i + 2 };
        memcpy(f + 4 * i, face, sizeof face);
    }
    Built b = build(p, 3 * N, f, N);
    assert_true(check_nodes(&b) <= 40 + 8);
    pool_free(&b.pool);
}

static void twins_share_a_side_and_run_against_each_other(void **state) {
    (void)state;
    Built b = grid(7, 0.5, hills);
    int open = 0;
    for (int half = 0; half < 3 * b.s.face_count; half++) {
        const int32_t *t = shape_triangle(&b.s, &b.g, half / 3);
        int twin = shape_twin(&b.s, &b.g, half);
        if (twin < 0) {
            assert_int_equal(twin, TWIN_NONE);
            open++;
            continue;
        }
        const int32_t *u = shape_triangle(&b.s, &b.g, twin / 3);
        assert_int_equal(shape_twin(&b.s, &b.g, twin), half);
        assert_int_equal(t[half % 3], u[(twin + 1) % 3 == 0 ? 0 : twin % 3 + 1]);
        assert_int_equal(u[twin % 3], t[half % 3 == 2 ? 0 : half % 3 + 1]);
    }
    assert_int_equal(open, 4 * 7);
    pool_free(&b.pool);
}

static void three_at_an_edge_are_nobodys_twins(void **state) {
    (void)state;
    impVec3 p[5] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 }, { 0, 0, 1 } };
    int32_t f[12] = { 3, 0, 1, 2, 3, 1, 0, 3, 3, 0, 1, 4 };
    Built b = build(p, 5, f, 3);
    assert_int_equal(shape_twin(&b.s, &b.g, 0), TWIN_MANY);
    assert_int_equal(shape_twin(&b.s, &b.g, 3), TWIN_MANY);
    assert_int_equal(shape_twin(&b.s, &b.g, 1), TWIN_NONE);
    pool_free(&b.pool);
}

static void two_meshes_in_one_geometry(void **state) {
    (void)state;
    Built a = grid(5, 0.5, hills);
    Shape first = a.s;
    impVec3 p[3] = { { 9, 0, 0 }, { 10, 0, 0 }, { 9, 1, 0 } };
    int32_t f[4] = { 3, 0, 1, 2 };
    Shape second = { .kind = shape_find("mesh"), .pose = pose_identity() };
    assert_true(shape_build_points(&second, &a.g, &a.pool, p, 3, f, 4, (Where){ 0 }, "mesh", NULL));
    assert_true(shape_build_tree(&second, &a.g, &a.pool, NULL));
    check_nodes(&a);
    a.s = second;
    check_nodes(&a);
    finds_all_in(&a, vec(9, 0, 0), vec(9, 0, 0));
    assert_int_equal(shape_twin(&second, &a.g, 2), TWIN_NONE);
    SAME_BITS(second.high.x, 10);
    NEAR(first.low.x, 0, 0);
    pool_free(&a.pool);
}

static void a_ray_passes_all_that_it_meets(void **state) {
    (void)state;
    Built b = soup(1000, 1, 0.05);
    for (int i = 0; i < 300; i++) {
        impVec3 from = random_vec(2);
        impVec3 to = i % 3 ? random_vec(1) : add(from, vec(i % 2 ? 1 : -2, 0, 0));
        impVec3 d = sub(to, from);
        double most = i % 5 ? HUGE_VAL : 0.7;
        TreeRay ray = { from, vec(1 / d.x, 1 / d.y, 1 / d.z), most };
        char *seen = calloc((size_t)b.s.face_count, 1);
        TreeCursor at = { 0 };
        for (int t; (t = shape_tree_ray(&b.s, &b.g, &ray, &at)) >= 0;) {
            seen[t]++;
        }
        for (int t = 0; t < b.s.face_count; t++) {
            const int32_t *k = shape_triangle(&b.s, &b.g, t);
            const impVec3 *v = b.g.vertex;
            impVec3 n = cross(sub(v[k[1]], v[k[0]]), sub(v[k[2]], v[k[0]]));
            double s = dot(n, sub(v[k[0]], from)) / dot(n, d);
            impVec3 x = madd(from, s, d);
            bool in = s >= 0 && s <= most;
            for (int c = 0; c < 3; c++) {
                in = in && dot(cross(n, sub(v[k[(c + 1) % 3]], v[k[c]])), sub(x, v[k[c]])) > 0;
            }
            if (seen[t] > 1 || (in && !seen[t])) {
                fail_msg("ray %d: triangle %d seen %d times", i, t, seen[t]);
            }
        }
        free(seen);
    }
    pool_free(&b.pool);
}

static void a_million_triangles_take_about_a_second(void **state) {
    (void)state;
    int n = getenv("IMPEL_LARGE") ? 707 : 120;
    Built b = grid(n, 0.01, hills);
    Pool pool = { 0 };
    Geometry g = b.g;
    Shape s = b.s;
    g.node = NULL;
    g.leaf = g.twin = NULL;
    g.node_count = g.node_room = g.leaf_count = g.leaf_room = g.twin_room = 0;
    clock_t start = clock();
    assert_true(shape_build_tree(&s, &g, &pool, NULL));
    double time = (double)(clock() - start) / CLOCKS_PER_SEC;
    print_message("%d triangles: %.3f s, %d nodes, %.2f s for a million\n", s.face_count, time,
                  s.node_count, time * 1e6 / s.face_count);
    assert_int_equal(s.node_count, b.s.node_count);
    assert_memory_equal(g.leaf, b.g.leaf, sizeof *g.leaf * (size_t)s.face_count);
    pool_free(&pool);
    pool_free(&b.pool);
}

static void every_shape_has_its_box(void **state) {
    (void)state;
    Pool pool = { 0 };
    Geometry g = { 0 };
    Shape box = { .kind = shape_find("box"), .size = { 1, 2, 4 } };
    Shape plane = { .kind = shape_find("plane"), .size = { 0, 0, 1, 0 } };
    Shape cone = { .kind = shape_find("cone"), .size = { 1, 3 } };
    assert_true(shape_build_tree(&box, &g, &pool, NULL) &&
                shape_build_tree(&plane, &g, &pool, NULL));
    assert_true(shape_build_tree(&cone, &g, &pool, NULL));
    SAME_BITS(box.high.z, 2);
    SAME_BITS(box.low.y, -1);
    SAME_BITS(cone.high.z, 3);
    NEAR(cone.low.z, 0, 0);
    assert_true(plane.high.x == HUGE_VAL && plane.low.z == -HUGE_VAL);
    pool_free(&pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_meets_those_that_it_meets),
        cmocka_unit_test(the_nodes_are_in_order),
        cmocka_unit_test(a_spiral_of_sizes_stays_shallow),
        cmocka_unit_test(twins_share_a_side_and_run_against_each_other),
        cmocka_unit_test(three_at_an_edge_are_nobodys_twins),
        cmocka_unit_test(two_meshes_in_one_geometry),
        cmocka_unit_test(a_ray_passes_all_that_it_meets),
        cmocka_unit_test(a_million_triangles_take_about_a_second),
        cmocka_unit_test(every_shape_has_its_box),
    };
    return RUN(tests);
}
