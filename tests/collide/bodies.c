// bodies.c -- unions of pieces and meshes: against every triangle, and the plane or brick that a
// mesh stands for.
//
// SPDX-License-Identifier: MIT
#include "meshes.h"

#include <time.h>

enum {
    BALL = 1,
    CAPSULE,
    BRICK,
    HULL,
    CYLINDER,
    CONE,
    ELLIPSOID,
    CROSS,
    HILLS,
    FLOOR,
    CUBE,
    RING,
    SOLID,
    PLANE,
    CONVEX = ELLIPSOID
};

// all lengths times k
static impModel *build(double k) {
    impScene *scene = impScene_New(vec(0, 0, 0));
    Triangles t[4] = { sheet(14, 14, at_hill), sheet(16, 16, at_flat), cube(4),
                       sheet(24, 12, at_ring) };
    impVec3 cloud[12];
    uint64_t kept = draws;
    draws = 999;
    for (int i = 0; i < 12; i++) {
        cloud[i] = scale(k, random_vec(0.4));
    }
    draws = kept;
    for (int i = 0; i < 4; i++) {
        for (int v = 0; v < t[i].points; v++) {
            t[i].point[v] = scale(k, t[i].point[v]);
        }
    }
    impShapeDef shapes[] = {
        { .kind = "sphere", .size = { 0.3 * k } },
        { .kind = "capsule", .size = { 0.15 * k, 0.7 * k } },
        { .kind = "box", .size = { 0.6 * k, 0.4 * k, 0.5 * k } },
        { .kind = "hull", .points = cloud, .point_count = 12 },
        { .kind = "cylinder", .size = { 0.25 * k, 0.6 * k } },
        { .kind = "cone", .size = { 0.3 * k, 0.6 * k } },
        { .kind = "ellipsoid", .size = { 0.2 * k, 0.3 * k, 0.4 * k } },
    };
    impShapeDef cross_of[3] = { shapes[2], shapes[1], shapes[0] };
    cross_of[1].pose.at.x = 0.5 * k;
    cross_of[2].pose.at.y = -0.6 * k;
    for (int i = 0; i < COUNT(shapes); i++) {
        impScene_Body(scene, &(impBodyDef){ .shapes = &shapes[i], .shape_count = 1 }, &err);
    }
    impScene_Body(scene, &(impBodyDef){ .shapes = cross_of, .shape_count = 3 }, &err);
    for (int i = 0; i < 4; i++) {
        impShapeDef mesh = mesh_def(&t[i]);
        impScene_Body(scene, &(impBodyDef){ .fixed = true, .shapes = &mesh, .shape_count = 1 },
                      &err);
    }
    impShapeDef solid = { .kind = "box", .size = { 2 * k, 2 * k, 2 * k } };
    impShapeDef plane = { .kind = "plane", .size = { 0, 0, 1, 0 } };
    impScene_Body(scene, &(impBodyDef){ .fixed = true, .shapes = &solid, .shape_count = 1 }, &err);
    impScene_Body(scene, &(impBodyDef){ .fixed = true, .shapes = &plane, .shape_count = 1 }, &err);
    for (int i = 0; i < 4; i++) {
        free_triangles(&t[i]);
    }
    return model_of(scene);
}

static impModel *model;
static Near room[4096];

static NearList near_list(int a, int b, impPose p, impPose q, double margin) {
    NearList list = { .near = room, .room = COUNT(room) };
    collide_bodies(model, a, b, p, q, margin, NULL, &list);
    return list;
}

// --- oracles -------------------------------------------------------------------------------------
static double point_triangle(impVec3 p, const impVec3 *v) {
    impVec3 n = cross(sub(v[1], v[0]), sub(v[2], v[0]));
    bool inside = true;
    double best = HUGE_VAL;
    for (int i = 0; i < 3; i++) {
        impVec3 u = sub(v[(i + 1) % 3], v[i]);
        impVec3 r = sub(p, v[i]);
        if (dot(cross(n, u), r) < 0) {
            inside = false;
        }
        best = fmin(best, norm(madd(r, -fmax(0, fmin(1, dot(r, u) / dot(u, u))), u)));
    }
    return inside ? fabs(dot(n, sub(p, v[0]))) / norm(n) : best;
}

static void world_triangle(const Placed *mesh, int t, impVec3 *v) {
    const int32_t *k = shape_triangle(mesh->shape, mesh->g, t);
    for (int i = 0; i < 3; i++) {
        v[i] = place(mesh->pose, mesh->g->vertex[mesh->shape->first_vertex + k[i]]);
    }
}

// polytopes, segments and points that do not touch it
static double core_to_triangle(const Placed *a, const impVec3 *v) {
    double best = HUGE_VAL;
    for (int i = 0; i < a->shape->vertex_count; i++) {
        best = fmin(best,
                    point_triangle(place(a->pose, a->g->vertex[a->shape->first_vertex + i]), v));
    }
    for (int e = 0; e < a->shape->edge_count; e++) {
        const Edge *edge = &a->g->edge[a->shape->first_edge + e];
        impVec3 p = place(a->pose, a->g->vertex[a->shape->first_vertex + edge->tail]);
        impVec3 q = place(a->pose, a->g->vertex[a->shape->first_vertex + edge->head]);
        impVec3 x;
        impVec3 y;
        for (int k = 0; k < 3; k++) {
            collide_segments(p, q, v[k], v[(k + 1) % 3], &x, &y);
            best = fmin(best, norm(sub(x, y)));
        }
    }
    for (int f = 0; f < a->shape->face_count; f++) {
        const Face *face = &a->g->face[a->shape->first_face + f];
        for (int k = 2; k < face->count; k++) {
            int loop[3] = { 0, k - 1, k };
            impVec3 w[3];
            for (int i = 0; i < 3; i++) {
                w[i] = place(
                    a->pose,
                    a->g->vertex[a->shape->first_vertex + a->g->loop[face->first + loop[i]]]);
            }
            for (int i = 0; i < 3; i++) {
                best = fmin(best, point_triangle(v[i], w));
            }
        }
    }
    return best - a->shape->radius;
}

static double to_triangle(const Placed *a, const Placed *mesh, int t) {
    impVec3 v[3];
    Facet f;
    world_triangle(mesh, t, v);
    Placed b = collide_facet(mesh, t, &f);
    double d = collide_gjk(a, &b).distance;
    return a->shape->core && d + a->shape->radius > 1e-9 ? core_to_triangle(a, v) : d;
}

static double to_mesh(const Placed *a, const Placed *mesh) {
    double best = HUGE_VAL;
    for (int t = 0; t < mesh->shape->face_count; t++) {
        best = fmin(best, to_triangle(a, mesh, t));
    }
    return best;
}

static void is_an_answer(const Near *n, const Placed *a, const Placed *mesh) {
    impVec3 v[3];
    impVec3 off = sub(sub(n->c.on_a, n->c.on_b), scale(n->c.distance, n->c.normal));
    world_triangle(mesh, n->triangle_b, v);
    NEAR(norm(off), 0, 1e-11);
    NEAR(norm(n->c.normal), 1, 1e-14);
    if (n->inner) return;
    NEAR(point_triangle(n->c.on_b, v), 0, 1e-11);
    NEAR(lowest(a, n->c.normal) - dot(n->c.normal, n->c.on_b), n->c.distance, 1e-10);
}

// --- tests ---------------------------------------------------------------------------------------
static void the_nearest_is_the_nearest_of_all_triangles(void **state) {
    (void)state;
    const char *soak = getenv("IMPEL_SOAK");
    // every triangle by force: slow
    int count = soak ? atoi(soak) / 50 : 140;
    for (int i = 0; i < count; i++) {
        int a = BALL + i % CONVEX;
        int mesh = i % 2 ? HILLS : RING;
        impPose p = random_pose(2.5);
        impPose q = random_pose(1);
        Placed s = placed(model, a, 0, p);
        Placed t = placed(model, mesh, 0, q);
        Near n = collide_body_distance(model, a, mesh, p, q, HUGE_VAL);
        double oracle = to_mesh(&s, &t);
        // crossing, or within the ring: below
        if (oracle <= 1e-9 || n.c.distance <= 0) continue;
        NEAR(n.c.distance, oracle, 1e-11);
        is_an_answer(&n, &s, &t);
        Near m = collide_body_distance(model, mesh, a, q, p, HUGE_VAL);
        SAME_BITS(m.c.distance, n.c.distance);
        SAME_BITS(m.c.normal.x, -n.c.normal.x);
        assert_int_equal(m.triangle_a, n.triangle_b);
        assert_true(n.triangle_a == -1 && m.triangle_b == -1);
    }
}

static void the_list_holds_all_that_are_near_in_order(void **state) {
    (void)state;
    int stood = 0, inner = 0;
    for (int i = 0; i < 210; i++) {
        int a = BALL + i % CONVEX;
        double x = uniform(-1.5, 1.5);
        double y = uniform(-1.5, 1.5);
        double z = uniform(0.5, 0.8);
        impPose p = { vec(x, y, z), random_turn() };
        impPose q = pose_identity();
        Placed s = placed(model, a, 0, p);
        Placed t = placed(model, HILLS, 0, q);
        double margin = 0.3;
        NearList list = near_list(a, HILLS, p, q, margin);
        Near far = collide_body_distance(model, a, HILLS, p, q, HUGE_VAL);
        if (to_mesh(&s, &t) <= 1e-9) continue;
        assert_false(list.cut);
        for (int k = 0; k < list.count; k++) {
            is_an_answer(&room[k], &s, &t);
            assert_true(room[k].c.distance <= margin);
            assert_true(k == 0 || room[k].triangle_b > room[k - 1].triangle_b);
            stood += !room[k].inner;
            inner += room[k].inner;
            if (!room[k].inner) {
                NEAR(room[k].c.distance, to_triangle(&s, &t, room[k].triangle_b), 1e-11);
            }
        }
        if (far.c.distance > margin) continue;
        SAME_BITS(list.nearest.c.distance, far.c.distance);
        assert_int_equal(list.nearest.triangle_b, far.triangle_b);
    }
    print_message("%d answers, %d inner\n", stood, inner);
    assert_true(stood > 100 && inner > 10);
}

// Over a flat mesh everything is as over a plane: one distance, one normal, whatever the triangles
// (G10).
static void as_over_a_plane(int a, impPose p, impPose q) {
    Placed s = placed(model, a, 0, p);
    impVec3 up = rotate(q.rotation, vec(0, 0, 1));
    double d = lowest(&s, up) - dot(up, q.at);
    NearList list = near_list(a, FLOOR, p, q, fmax(d, 0) + 0.05);
    int stood = 0;
    NEAR(list.nearest.c.distance, d, 1e-12);
    for (int k = 0; k < list.count; k++) {
        impVec3 off = sub(room[k].c.normal, up);
        if (largest(off) > 1e-12) {
            fail_msg("body %d: triangle %d has normal %g %g %g off, distance %g of %g", a,
                     room[k].triangle_b, off.x, off.y, off.z, room[k].c.distance, d);
        }
        if (room[k].inner) continue;
        NEAR(room[k].c.distance, d, 1e-12);
        stood++;
    }
    assert_true(stood >= 1);
}

static void g10_sliding_over_a_flat_mesh_is_like_sliding_over_a_plane(void **state) {
    (void)state;
    double gaps[] = { 1e-2, 1e-4, 1e-7, 1e-10, 0, -1e-10, -1e-6, -1e-4, -1e-3 };
    for (int a = BALL; a <= CONVEX; a++) {
        for (int g = 0; g < COUNT(gaps); g++) {
            for (int i = 0; i < 12; i++) {
                impPose p = { vec(0, 0, 0), i % 3 ? quat(1, 0, 0, 0) : random_turn() };
                impPose q = pose_identity();
                if (i % 3 == 1) {
                    p.rotation = quat_rotation(vec(0, 0, 1), uniform(0, 6));
                }
                Placed s = placed(model, a, 0, p);
                double x = uniform(-2, 2);
                double y = uniform(-2, 2);
                p.at = vec(x, y, gaps[g] - lowest(&s, vec(0, 0, 1)));
                // upon vertices and edges of the mesh
                if (i % 4 == 0) {
                    p.at.x = 0.5;
                    p.at.y = 0.25;
                }
                // anywhere in the world
                if (i % 2 && gaps[g] > 1e-9) {
                    q = random_pose(2);
                    p = pose_mul(q, p);
                }
                as_over_a_plane(a, p, q);
            }
        }
    }
}

// for the manifold: all that it covers
static void a_barely_tilted_brick_has_its_triangles_too(void **state) {
    (void)state;
    impPose p = { vec(0.1, 0.05, 0.2505), quat_rotation(vec(0, 1, 0), 1e-4) };
    NearList list = near_list(BRICK, FLOOR, p, pose_identity(), 0.01);
    int inner = 0;
    for (int k = 0; k < list.count; k++) {
        NEAR(room[k].c.normal.z, 1, 1e-15);
        inner += room[k].inner;
        assert_int_equal(feature_kind(room[k].local), FEATURE_FACE);
    }
    assert_true(list.count >= 6 && inner >= 4 && inner < list.count);
}

// A cube of 192 triangles is a brick: outside, touching, and for a ball also inside, however deep.
static void a_closed_mesh_is_the_solid_that_it_bounds(void **state) {
    (void)state;
    int deep = 0;
    // triangles one by one may see less than all of the depth, near edges
    double missed = 0;
    for (int i = 0; i < 420; i++) {
        int a = BALL + i % CONVEX;
        impPose p = random_pose(1.6);
        impPose q = random_pose(1);
        p = pose_mul(q, p);
        Placed s = placed(model, a, 0, p);
        Placed solid = placed(model, SOLID, 0, q);
        Near n = collide_body_distance(model, a, CUBE, p, q, HUGE_VAL);
        double d = collide_closest(&s, &solid, NULL).distance;
        if (a == BALL || d > 0) {
            NEAR(n.c.distance, d, 1e-11);
        }
        if (d < -1e-9 && n.c.distance >= 0) {
            fail_msg("body %d: %g, not %g", a, n.c.distance, d);
        }
        if (d < 0 && n.c.distance > d + 1e-10) {
            missed = fmax(missed, n.c.distance - d);
        }
        deep += d < 0;
    }
    assert_true(deep > 50 && missed < 1e-3);
}

static void what_is_sunk_is_pushed_out_of_the_face(void **state) {
    (void)state;
    double depths[] = { 1e-9, 1e-6, 1e-3, 0.05, 0.2 };
    for (int a = BALL; a <= CONVEX; a++) {
        for (int k = 0; k < COUNT(depths); k++) {
            for (int i = 0; i < 20; i++) {
                impPose p = { vec(0, 0, 0), random_turn() };
                Placed s = placed(model, a, 0, p);
                double x = uniform(-0.35, 0.35);
                double y = uniform(-0.35, 0.35);
                p.at = vec(x, y, 1 - depths[k] - lowest(&s, vec(0, 0, 1)));
                NearList list = near_list(a, CUBE, p, pose_identity(), 1e-4);
                NEAR(list.nearest.c.distance, -depths[k], 1e-11);
                NEAR(list.nearest.c.normal.z, 1, 1e-12);
            }
        }
    }
}

static void a_ball_behind_the_surface_is_pushed_out(void **state) {
    (void)state;
    for (int i = 0; i < 50; i++) {
        // its middle is inside, and some of it may be, wholly
        double depth = uniform(0.3, 0.55);
        double x = uniform(-0.4, 0.4);
        double y = uniform(-0.4, 0.4);
        impPose p = { vec(x, y, 1 + 0.3 - depth), random_turn() };
        // wholly inside, near the surface
        if (i % 2) {
            p.at.z = 1 - 0.3 - 0.02;
        }
        NearList list = near_list(BALL, CUBE, p, pose_identity(), 0.1);
        NEAR(list.nearest.c.distance, p.at.z - 0.3 - 1, 1e-12);
        NEAR(list.nearest.c.normal.z, 1, 1e-12);
        SAME_BITS(collide_body_distance(model, BALL, CUBE, p, pose_identity(), HUGE_VAL).c.distance,
                  list.nearest.c.distance);
    }
}

static void the_hole_of_a_ring_is_outside(void **state) {
    (void)state;
    impPose p = pose_identity();
    double hole = collide_body_distance(model, BALL, RING, p, pose_identity(), HUGE_VAL).c.distance;
    assert_true(hole > 0.25 && hole < 0.31);
    p.at = vec(1, 0, 0);
    Near n = collide_body_distance(model, BALL, RING, p, pose_identity(), HUGE_VAL);
    assert_true(n.c.distance < -0.6 && n.c.distance > -0.71);
    p.at = vec(1, 0, 0.75);
    NEAR(collide_body_distance(model, BALL, RING, p, pose_identity(), HUGE_VAL).c.distance, 0.05,
         0.02);
}

static void g11_more_than_fit_are_cut_and_the_nearest_stay(void **state) {
    (void)state;
    impPose p = { vec(0.1, 0.2, 0.9), quat_rotation(vec(0, 0.6, 0.8), 0.3) };
    NearList all = near_list(BRICK, HILLS, p, pose_identity(), 0.8);
    NearList few = { .near = room + 2000, .room = 7 };
    collide_bodies(model, BRICK, HILLS, p, pose_identity(), 0.8, NULL, &few);
    assert_true(all.count > 7 && !all.cut);
    assert_true(few.cut && few.count == 7);
    SAME_BITS(few.nearest.c.distance, all.nearest.c.distance);
    for (int k = 1; k < 7; k++) {
        assert_true(few.near[k].triangle_b > few.near[k - 1].triangle_b);
    }
    double farthest = -HUGE_VAL;
    int nearer = 0;
    for (int k = 0; k < 7; k++) {
        farthest = fmax(farthest, few.near[k].c.distance);
    }
    for (int k = 0; k < all.count; k++) {
        nearer += room[k].c.distance < farthest;
    }
    assert_int_equal(nearer, 6);
    NearList none = { .near = NULL, .room = 0 };
    collide_bodies(model, BRICK, HILLS, p, pose_identity(), 0.8, NULL, &none);
    assert_true(none.cut && none.count == 0);
    SAME_BITS(none.nearest.c.distance, all.nearest.c.distance);
}

// a brick of 1 km upon triangles of 1 um
static void g11_a_large_body_upon_tiny_triangles(void **state) {
    (void)state;
    impScene *scene = impScene_New(vec(0, 0, 0));
    Triangles t = sheet(60, 60, at_flat);
    for (int i = 0; i < t.points; i++) {
        t.point[i] = scale(6e-5 / 8, t.point[i]);
    }
    impShapeDef mesh = mesh_def(&t);
    impShapeDef brick = { .kind = "box", .size = { 1000, 1000, 1000 } };
    impScene_Body(scene, &(impBodyDef){ .fixed = true, .shapes = &mesh, .shape_count = 1 }, &err);
    impScene_Body(scene, &(impBodyDef){ .shapes = &brick, .shape_count = 1 }, &err);
    impModel *m = model_of(scene);
    free_triangles(&t);
    double gaps[] = { 1e-3, 0, -1e-3 };
    for (int i = 0; i < 3; i++) {
        impPose p = { vec(3, -7, 500 + gaps[i]), quat(1, 0, 0, 0) };
        NearList list = { .near = room, .room = 64 };
        collide_bodies(m, 2, 1, p, pose_identity(), 1e-2, NULL, &list);
        assert_true(list.cut && list.count == 64);
        NEAR(list.nearest.c.distance, gaps[i], 1e-10);
        for (int k = 0; k < list.count; k++) {
            NEAR(room[k].c.normal.z, 1, 1e-12);
        }
    }
    impModel_Free(m);
}

static void pieces_of_compounds(void **state) {
    (void)state;
    for (int i = 0; i < 200; i++) {
        impPose p = random_pose(1);
        impPose q = random_pose(1);
        NearList list = near_list(CROSS, CROSS, p, q, 0.4);
        StartFeature start_features[9] = { 0 };
        NearList again = { .near = room + 100, .room = 9 };
        double best = HUGE_VAL;
        int count = 0;
        for (int k = 0; k < 9; k++) {
            Placed s = placed(model, CROSS, k / 3, p);
            Placed t = placed(model, CROSS, k % 3, q);
            double d = collide_closest(&s, &t, NULL).distance;
            best = fmin(best, d);
            if (d > 0.4) continue;
            assert_true(room[count].shape_a == k / 3 && room[count].shape_b == k % 3);
            SAME_BITS(room[count].c.distance, d);
            count++;
        }
        assert_int_equal(list.count, count);
        SAME_BITS(collide_body_distance(model, CROSS, CROSS, p, q, HUGE_VAL).c.distance, best);
        for (int r = 0; r < 2; r++) {
            collide_bodies(model, CROSS, CROSS, p, q, 0.4, start_features, &again);
        }
        for (int k = 0; k < count; k++) {
            SAME_BITS(room[100 + k].c.distance, room[k].c.distance);
        }
    }
}

static void scaled_by_a_power_of_two_the_bits_are_the_same(void **state) {
    (void)state;
    impModel *kept = model;
    impModel *large = build(64);
    for (int i = 0; i < 140; i++) {
        int a = BALL + i % CONVEX;
        int mesh = i % 2 ? HILLS : CUBE;
        impPose p = random_pose(1.4);
        impPose q = random_pose(1);
        impPose p2 = pose(scale(64, p.at), p.rotation);
        impPose q2 = pose(scale(64, q.at), q.rotation);
        Near n = collide_body_distance(kept, a, mesh, p, q, HUGE_VAL);
        Near m = collide_body_distance(large, a, mesh, p2, q2, HUGE_VAL);
        if (a > HULL && n.c.distance <= 0) continue;
        SAME_BITS(m.c.distance, 64 * n.c.distance);
        SAME_BITS(m.c.normal.y, n.c.normal.y);
        SAME_BITS(m.c.on_b.x, 64 * n.c.on_b.x);
        assert_int_equal(m.triangle_b, n.triangle_b);
    }
    impModel_Free(large);
}

static void meshes_and_planes_for_those_who_ask(void **state) {
    (void)state;
    impPose up = { vec(0, 0, 1.5), quat(1, 0, 0, 0) };
    impPose o = pose_identity();
    Near n = collide_body_distance(model, RING, PLANE, up, o, HUGE_VAL);
    NEAR(n.c.distance, 1.1, 1e-12);
    NEAR(n.c.normal.z, 1, 0);
    n = collide_body_distance(model, PLANE, RING, o, up, HUGE_VAL);
    NEAR(n.c.distance, 1.1, 1e-12);
    NEAR(n.c.normal.z, -1, 0);
    n = collide_body_distance(model, CUBE, RING, o, pose(vec(0, 0, 1.9), quat(1, 0, 0, 0)),
                              HUGE_VAL);
    NEAR(n.c.distance, 0.5, 1e-12);
    NEAR(n.c.normal.z, -1, 1e-12);
    assert_true(n.triangle_a >= 0 && n.triangle_b >= 0);
    assert_true(collide_body_distance(model, PLANE, PLANE, o, up, HUGE_VAL).c.distance == HUGE_VAL);
    // the world has no shape
    assert_true(collide_body_distance(model, 0, BALL, o, up, HUGE_VAL).c.distance == HUGE_VAL);
    assert_true(collide_body_distance(model, CUBE, BALL, o, pose(vec(9, 0, 0), quat(1, 0, 0, 0)), 7)
                    .c.distance == HUGE_VAL);
}

static void how_long_it_takes(void **state) {
    (void)state;
    int kinds[] = { BALL, BRICK, CYLINDER };
    int laps = 500;
    for (int k = 0; k < 3; k++) {
        clock_t start = clock();
        int count = 0;
        for (int i = 0; i < laps; i++) {
            impPose p = pose_identity();
            Placed s = placed(model, kinds[k], 0, p);
            p.at = vec(num_sin(0.01 * i), num_cos(0.01 * i), 0.001 - lowest(&s, vec(0, 0, 1)));
            count += near_list(kinds[k], FLOOR, p, pose_identity(), 0.01).count;
        }
        double us = 1e6 * (double)(clock() - start) / CLOCKS_PER_SEC / laps;
        print_message("%s over a mesh: %.2f us, %.1f answers\n",
                      shape_kinds[model->shape[model->body[kinds[k]].first_shape].kind].name, us,
                      (double)count / laps);
    }
}

static int set_up(void **state) {
    (void)state;
    model = build(1);
    assert_true(model->shape[model->body[CUBE].first_shape].closed &&
                model->shape[model->body[RING].first_shape].closed);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    impModel_Free(model);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_is_the_nearest_of_all_triangles),
        cmocka_unit_test(the_list_holds_all_that_are_near_in_order),
        cmocka_unit_test(g10_sliding_over_a_flat_mesh_is_like_sliding_over_a_plane),
        cmocka_unit_test(a_barely_tilted_brick_has_its_triangles_too),
        cmocka_unit_test(a_closed_mesh_is_the_solid_that_it_bounds),
        cmocka_unit_test(what_is_sunk_is_pushed_out_of_the_face),
        cmocka_unit_test(a_ball_behind_the_surface_is_pushed_out),
        cmocka_unit_test(the_hole_of_a_ring_is_outside),
        cmocka_unit_test(g11_more_than_fit_are_cut_and_the_nearest_stay),
        cmocka_unit_test(g11_a_large_body_upon_tiny_triangles),
        cmocka_unit_test(pieces_of_compounds),
        cmocka_unit_test(scaled_by_a_power_of_two_the_bits_are_the_same),
        cmocka_unit_test(meshes_and_planes_for_those_who_ask),
        cmocka_unit_test(how_long_it_takes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
