// rounded.c -- boxes and hulls with round edges: rays, manifolds, meshes, and the limits where they
// are other shapes.
//
// Their distances among all kinds are judged by distance_soak.c, gjk.c, overlap.c, plane.c and
// touching.c with the rest of the zoo, their times of impact by impact_time_chance.c.
//
// SPDX-License-Identifier: MIT
#include "oracle_support.h"

#include "meshes.h"

static impModel *zoo;
enum { FIRST = ZOO_DIE, KINDS = ZOO_MARBLE - ZOO_DIE + 1 };
static const impQuat upright = { 1, 0, 0, 0 };

// its greatest coordinate along n
static double top_of(const Placed *p, impVec3 n) {
    impVec3 own = unrotate(p->pose.rotation, n);
    return dot(n, place(p->pose, shape_kinds[p->shape->kind].support(p->shape, p->g, own)));
}

// --- rays ----------------------------------------------------------------------------------------
// A point of the surface with a supporting plane that the ray comes through from outside: there is
// no other entry.
static void is_the_entry(const Placed *p, const Ray *ray, const RayHit *hit) {
    impVec3 x = madd(ray->from, hit->t, ray->along);
    double far = 1 + norm(sub(ray->from, p->pose.at));
    NEAR(oracle_off_surface(p, x), 0, 1e-14 * far);
    NEAR(norm(hit->normal), 1, 1e-14);
    assert_true(dot(hit->normal, ray->along) <= 1e-7);
    NEAR(top_of(p, hit->normal), dot(hit->normal, x), 1e-14 * far);
}

// of the whole line ahead; the distance is convex along it
static double least_off(const Placed *p, const Ray *ray) {
    double low = 0;
    double high = ray->most;
    for (int i = 0; i < 200; i++) {
        double s = low + (high - low) / 3;
        double t = high - (high - low) / 3;
        impVec3 x = madd(ray->from, s, ray->along);
        impVec3 y = madd(ray->from, t, ray->along);
        if (oracle_off_surface(p, x) < oracle_off_surface(p, y)) {
            high = t;
        } else {
            low = s;
        }
    }
    return oracle_off_surface(p, madd(ray->from, low, ray->along));
}

static void rays_enter_where_the_surface_is(void **state) {
    (void)state;
    Draws d = { 5, 0 };
    int hits = 0;
    int misses = 0;
    int count = soak_count(4000);
    for (int i = 0; i < count; i++) {
        impPose at = draw_pose(&d, 1);
        Placed p = zoo_at(zoo, FIRST + i % KINDS, at);
        double far = i % 5 == 0 ? 1000 : 2;
        impVec3 from = madd(at.at, far, draw_vec(&d, 1));
        impVec3 aim = madd(at.at, 0.6, draw_vec(&d, 1));
        if (oracle_off_surface(&p, from) <= 0) continue;
        impVec3 way = sub(aim, from);
        Ray ray = { from, scale(1 / norm(way), way), 4 * far };
        RayHit hit;
        if (collide_ray(&p, &ray, &hit)) {
            is_the_entry(&p, &ray, &hit);
            hits++;
        } else if (far == 2) {
            assert_true(least_off(&p, &ray) > -1e-13);
            misses++;
        }
    }
    assert_true(hits > count / 3 && misses > count / 20);
}

// On the border of a face and the bar beside it, of a bar and the ball at its end: straight down
// the normal, and askew.
static void rays_at_the_seams(void **state) {
    (void)state;
    Draws d = { 6, 0 };
    for (int i = 0; i < 4000; i++) {
        Placed p = zoo_at(zoo, FIRST + i % KINDS, i % 3 ? draw_pose(&d, 1) : pose_identity());
        const Shape *s = p.shape;
        const Edge *e = &p.g->edge[s->first_edge + (int)draw(&d, 0, s->edge_count)];
        impVec3 tail = p.g->vertex[s->first_vertex + e->tail];
        impVec3 head = p.g->vertex[s->first_vertex + e->head];
        impVec3 n = p.g->face[s->first_face + (i % 2 ? e->left : e->right)].normal;
        impVec3 on = i % 4 < 2 ? tail : add(tail, scale(draw(&d, 0, 1), sub(head, tail)));
        impVec3 x = place(p.pose, madd(on, s->radius, n));
        impVec3 out = rotate(p.pose.rotation, n);
        impVec3 to = draw_vec(&d, 1);
        impVec3 away = i % 5 ? out : madd(out, 0.9 / norm(to), to);
        away = scale(1 / norm(away), away);
        Ray ray = { madd(x, 2, away), neg(away), 3 };
        RayHit hit;
        assert_true(collide_ray(&p, &ray, &hit));
        NEAR(hit.t, 2, 2e-14);
        is_the_entry(&p, &ray, &hit);
    }
}

static void a_ray_from_inside_sees_nothing(void **state) {
    (void)state;
    Draws d = { 7, 0 };
    for (int i = 0; i < 2000; i++) {
        Placed p = zoo_at(zoo, FIRST + i % KINDS, draw_pose(&d, 1));
        impVec3 from = madd(p.pose.at, 0.6, draw_vec(&d, 1));
        impVec3 along = draw_vec(&d, 1);
        Ray ray = { from, scale(1 / norm(along), along), 100 };
        RayHit hit;
        if (oracle_off_surface(&p, from) < -1e-9) {
            assert_false(collide_ray(&p, &ray, &hit));
        }
    }
}

// --- planes and manifolds ------------------------------------------------------------------------
static void a_die_on_a_die_has_four_points(void **state) {
    (void)state;
    Placed a = zoo_at(zoo, ZOO_DIE, pose(vec(0.1, -0.05, 1.01), upright));
    Placed b = zoo_at(zoo, ZOO_DIE, pose_identity());
    Closest c = collide_closest(&a, &b, NULL);
    NEAR(c.distance, 0.01, 1e-15);
    Manifold m = collide_manifold(&a, &b, &c, 0.1, 0);
    assert_int_equal(m.count, 4);
    NEAR(m.normal.z, 1, 0);
    for (int i = 0; i < m.count; i++) {
        NEAR(m.point[i].gap, 0.01, 1e-15);
        NEAR(m.point[i].at.z, 0.505, 1e-15);
        // flat parts only
        assert_true(fabs(m.point[i].at.x) <= 0.4 + 1e-15 && fabs(m.point[i].at.y) <= 0.35 + 1e-15);
    }
}

// Tilted, the deepest of its points is as deep as the two are near.
static void no_point_is_deeper_than_the_distance(void **state) {
    (void)state;
    Draws d = { 8, 0 };
    static impError error;
    impScene *scene = impScene_New(vec(0, 0, 0));
    const impShapeDef defs[2] = { { .kind = "plane", .size = { 0, 0, 1 } },
                                  { .kind = "box", .size = { 4, 4, 0.2 } } };
    for (int i = 0; i < 2; i++) {
        impScene_Body(scene, &(impBodyDef){ .fixed = true, .shapes = &defs[i], .shape_count = 1 },
                      &error);
    }
    impModel *floors = impModel_Build(scene, &error);
    impScene_Free(scene);
    for (int i = 0; i < 2000; i++) {
        Placed b = { &floors->shape[i % 2], &floors->geometry, pose_identity() };
        impVec3 axis = vec(draw(&d, -1, 1), draw(&d, -1, 1), 0);
        impQuat rotation = quat_rotation(scale(1 / norm(axis), axis),
                                         i % 3 ? draw(&d, 0, 0.08) : 0);
        Placed a = zoo_at(zoo, i % 4 < 2 ? ZOO_DIE : ZOO_DOMINO,
                          pose(vec(0.1, 0.2, 0.7), rotation));
        a.pose.at.z += 0.001 - collide_closest(&a, &b, NULL).distance;
        Closest c = collide_closest(&a, &b, NULL);
        Manifold m = collide_manifold(&a, &b, &c, 1, 0);
        double least = HUGE_VAL;
        for (int k = 0; k < m.count; k++) {
            least = min2(least, m.point[k].gap);
        }
        assert_int_equal(m.count, 4);
        NEAR(least, c.distance, 1e-14);
    }
    impModel_Free(floors);
}

// --- meshes --------------------------------------------------------------------------------------
static impModel *with_mesh(Triangles *t) {
    impScene *scene = impScene_New(vec(0, 0, 0));
    impVec3 points[4] = { { 0.2, 0, 0 }, { -0.2, 0.1, 0 }, { 0, -0.2, 0.1 }, { 0, 0.1, 0.3 } };
    impShapeDef mesh = mesh_def(t);
    impShapeDef solid = { .kind = "box", .size = { 2, 2, 2 } };
    impShapeDef round[2] = {
        { .kind = "box", .size = { 0.6, 0.5, 0.4 }, .radius = 0.1 },
        { .kind = "hull", .points = points, .point_count = 4, .radius = 0.15 }
    };
    impScene_Body(scene, &(impBodyDef){ .fixed = true, .shapes = &mesh, .shape_count = 1 }, &err);
    impScene_Body(scene, &(impBodyDef){ .fixed = true, .shapes = &solid, .shape_count = 1 }, &err);
    for (int i = 0; i < 2; i++) {
        impScene_Body(scene, &(impBodyDef){ .shapes = &round[i], .shape_count = 1 }, &err);
    }
    free_triangles(t);
    return model_of(scene);
}

// less than the radius: the core crosses one
static double by_every_triangle(const impModel *m, const Placed *a) {
    const Placed mesh = { &m->shape[0], &m->geometry, pose_identity() };
    double least = HUGE_VAL;
    for (int t = 0; t < m->shape[0].face_count; t++) {
        Facet f;
        Placed b = collide_facet(&mesh, t, &f);
        // above: of all axes, so never more than the distance
        double d = oracle_depth(a, &b);
        least = min2(least, d + a->shape->radius > 1e-6 ||
                                    collide_gjk(a, &b).distance + a->shape->radius > 1e-6
                                ? oracle_distance(a, &b)
                                : -HUGE_VAL);
    }
    return least;
}

static void over_hills_the_nearest_triangle_answers(void **state) {
    (void)state;
    Triangles hills = sheet(10, 10, at_hill);
    impModel *m = with_mesh(&hills);
    int apart = 0;
    for (int i = 0; i < 300; i++) {
        impPose p = random_pose(1.5);
        p.at.z = 0.2 + fabs(p.at.z);
        Placed a = { &m->shape[2 + i % 2], &m->geometry, p };
        Near n = collide_body_distance(m, 3 + i % 2, 1, p, pose_identity(), HUGE_VAL);
        double truth = by_every_triangle(m, &a);
        // the core crosses the surface
        if (truth + a.shape->radius < 1e-6) continue;
        NEAR(n.c.distance, truth, 1e-12);
        NEAR(norm(sub(sub(n.c.on_a, n.c.on_b), scale(n.c.distance, n.c.normal))), 0, 1e-12);
        NEAR(oracle_off_surface(&a, n.c.on_a), 0, 1e-12);
        apart++;
    }
    assert_true(apart > 100);
    impModel_Free(m);
}

static void a_cube_of_triangles_is_a_box(void **state) {
    (void)state;
    Triangles t = cube(3);
    impModel *m = with_mesh(&t);
    int touching = 0;
    for (int i = 0; i < 600; i++) {
        impPose p = random_pose(1.6);
        Placed a = { &m->shape[2 + i % 2], &m->geometry, p };
        Placed b = { &m->shape[1], &m->geometry, pose_identity() };
        Closest box = collide_closest(&a, &b, NULL);
        // a surface pushes out by the triangles it sees
        if (box.distance < -0.9 * a.shape->radius) continue;
        Near n = collide_body_distance(m, 3 + i % 2, 1, p, pose_identity(), HUGE_VAL);
        NEAR(n.c.distance, box.distance, 1e-12);
        touching += box.distance < 0;
    }
    assert_true(touching > 20);
    impModel_Free(m);
}

// --- other shapes --------------------------------------------------------------------------------
// A box of which hardly a core is left is a ball, or a capsule; of two ways to say one shape both
// give one answer.
static void limits_are_the_shapes_they_become(void **state) {
    (void)state;
    double e = 1e-6;
    impVec3 p[8];
    for (int i = 0; i < 8; i++) {
        p[i] = vec(i & 4 ? 0.3 : -0.3, i & 2 ? 0.2 : -0.2, i & 1 ? 0.1 : -0.1);
    }
    impScene *scene = impScene_New(vec(0, 0, 0));
    const impShapeDef defs[] = {
        { .kind = "box", .size = { 0.6 + e, 0.6 + e, 0.6 + e }, .radius = 0.3 },
        { .kind = "sphere", .size = { 0.3 } },
        { .kind = "box", .size = { 0.6 + e, 0.6 + e, 1.4 }, .radius = 0.3 },
        { .kind = "capsule", .size = { 0.3, 0.8 } },
        { .kind = "box", .size = { 0.8, 0.6, 0.4 }, .radius = 0.1 },
        { .kind = "hull", .points = p, .point_count = 8, .radius = 0.1 }
    };
    impScene_Body(scene, &(impBodyDef){ .shapes = defs, .shape_count = COUNT(defs) }, &err);
    impModel *m = model_of(scene);
    Draws d = { 9, 0 };
    for (int i = 0; i < 3000; i++) {
        Placed other = zoo_at(zoo, i % ZOO_SHAPES, draw_pose(&d, 0.2));
        impPose at = draw_pose(&d, 1);
        int k = 2 * (i / ZOO_SHAPES % 3);
        Placed a = { &m->shape[k], &m->geometry, at };
        Placed b = { &m->shape[k + 1], &m->geometry, at };
        Closest x = collide_closest(&a, &other, NULL);
        Closest y = collide_closest(&b, &other, NULL);
        NEAR(x.distance, y.distance, k < 4 ? 2 * e : 1e-12);
        RayHit s, t;
        impVec3 way = sub(other.pose.at, madd(at.at, 3, vec(0.6, 0, 0.8)));
        Ray ray = { madd(at.at, 3, vec(0.6, 0, 0.8)), scale(1 / norm(way), way), 9 };
        bool hit = collide_ray(&a, &ray, &s);
        bool same = collide_ray(&b, &ray, &t);
        // a root of e where it grazes
        if (hit && same) {
            NEAR(s.t, t.t, k < 4 ? 2e-3 : 1e-12);
        }
    }
    impModel_Free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_enter_where_the_surface_is),
        cmocka_unit_test(rays_at_the_seams),
        cmocka_unit_test(a_ray_from_inside_sees_nothing),
        cmocka_unit_test(a_die_on_a_die_has_four_points),
        cmocka_unit_test(no_point_is_deeper_than_the_distance),
        cmocka_unit_test(over_hills_the_nearest_triangle_answers),
        cmocka_unit_test(a_cube_of_triangles_is_a_box),
        cmocka_unit_test(limits_are_the_shapes_they_become),
    };
    zoo = zoo_build(1);
    int failed = RUN(tests);
    impModel_Free(zoo);
    return failed;
}
