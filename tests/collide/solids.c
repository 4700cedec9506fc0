// solids.c -- shapes inside a closed mesh that is not convex: an L-shaped prism, against brute
// force.
//
// A ball is as deep as its middle, by the nearest of all triangles, plus its radius. Other shapes
// are pushed out locally: what is tested is that the sign is right, that the depth grows from zero,
// and that deep inside a way out is found that is no longer than that of a ball around the shape.
//
// SPDX-License-Identifier: MIT
#include "meshes.h"

enum { TINY = 1, SMALL, MIDDLE, LARGE, BRICK, CAPSULE, CYLINDER, ELL, WIDE, TALL };
static const double radius[] = { 0, 1e-3, 0.1, 0.3, 0.7 };
static const double outline[6][2] = { { 0, 0 }, { 2, 0 }, { 2, 1 }, { 1, 1 }, { 1, 2 }, { 0, 2 } };
static Triangles ell;
static impModel *model;

static impVec3 corner(int i, double z) { return vec(outline[i % 6][0], outline[i % 6][1], z); }

static impModel *build(void) {
    impScene *scene = impScene_New(vec(0, 0, 0));
    const int top[4][3] = { { 0, 1, 2 }, { 0, 2, 3 }, { 0, 3, 4 }, { 0, 4, 5 } };
    for (int t = 0; t < 4; t++) {
        put_triangle(&ell, corner(top[t][0], 1), corner(top[t][1], 1), corner(top[t][2], 1));
        put_triangle(&ell, corner(top[t][0], 0), corner(top[t][2], 0), corner(top[t][1], 0));
    }
    for (int i = 0; i < 6; i++) {
        put_quad(&ell, corner(i, 0), corner(i + 1, 0), corner(i + 1, 1), corner(i, 1));
    }
    impShapeDef shape[] = {
        { .kind = "sphere", .size = { radius[TINY] } },
        { .kind = "sphere", .size = { radius[SMALL] } },
        { .kind = "sphere", .size = { radius[MIDDLE] } },
        { .kind = "sphere", .size = { radius[LARGE] } },
        { .kind = "box", .size = { 0.3, 0.2, 0.1 } },
        { .kind = "capsule", .size = { 0.1, 0.2 } },
        { .kind = "cylinder", .size = { 0.1, 0.3 } },
        mesh_def(&ell),
        { .kind = "box", .size = { 2, 1, 1 } },
        { .kind = "box", .size = { 1, 2, 1 } },
    };
    for (int i = 0; i < COUNT(shape); i++) {
        impScene_Body(scene,
                      &(impBodyDef){ .fixed = i >= ELL - 1, .shapes = &shape[i], .shape_count = 1 },
                      &err);
    }
    return model_of(scene);
}

static double to_triangle(impVec3 x, const impVec3 *v) {
    impVec3 n = cross(sub(v[1], v[0]), sub(v[2], v[0]));
    double least = HUGE_VAL;
    bool over = true;
    for (int i = 0; i < 3; i++) {
        impVec3 u = sub(v[(i + 1) % 3], v[i]);
        impVec3 r = sub(x, v[i]);
        if (dot(cross(n, u), r) < 0) {
            over = false;
        }
        double t = dot(r, u) / dot(u, u);
        least = min2(least, norm(madd(r, -max2(0, min2(1, t)), u)));
    }
    return over ? min2(least, fabs(dot(n, sub(x, v[0]))) / norm(n)) : least;
}

// signed: inside is negative
static double depth_of_point(impVec3 x) {
    double d = HUGE_VAL;
    for (int t = 0; t < ell.faces; t++) {
        d = min2(d, to_triangle(x, ell.point + 3 * t));
    }
    bool level = x.z > 0 && x.z < 1 && x.x > 0 && x.y > 0;
    return level && ((x.x < 2 && x.y < 1) || (x.x < 1 && x.y < 2)) ? -d : d;
}

static Near ask(int body, impPose p) {
    return collide_body_distance(model, body, ELL, p, pose_identity(), HUGE_VAL);
}

static void a_ball_is_as_deep_as_its_middle(void **state) {
    (void)state;
    for (int i = 0; i < 20000; i++) {
        int ball = TINY + i % 4;
        double x = uniform(-1, 3);
        double y = uniform(-1, 3);
        double z = uniform(-1, 2);
        impVec3 at = vec(x, y, z);
        if (i % 5 == 0) {
            at = vec(floor(2 * x) / 2, floor(2 * y) / 2, floor(2 * z) / 2);
        }
        // near the re-entrant edge
        if (i % 7 == 0) {
            at = vec(1 - 0.2 * fabs(x) / 3, 1 - 0.2 * fabs(y) / 3, 0.5);
        }
        Near n = ask(ball, pose(at, quat(1, 0, 0, 0)));
        NEAR(n.c.distance, depth_of_point(at) - radius[ball], 1e-12);
        NEAR(norm(sub(sub(n.c.on_a, n.c.on_b), scale(n.c.distance, n.c.normal))), 0, 1e-12);
    }
}

static void as_deep_for_a_list_as_for_the_nearest(void **state) {
    (void)state;
    static Near room[200];
    for (int i = 0; i < 2000; i++) {
        int ball = TINY + i % 4;
        impVec3 at = add(vec(1, 1, 0.5), random_vec(0.6));
        NearList list = { .near = room, .room = COUNT(room) };
        collide_bodies(model, ball, ELL, pose(at, quat(1, 0, 0, 0)), pose_identity(), 1e-3, NULL,
                       &list);
        if (list.nearest.c.distance > 0) continue;
        NEAR(list.nearest.c.distance, depth_of_point(at) - radius[ball], 1e-12);
    }
}

// A search for the nearest only is no shallower than one for all: what it found before must not
// hide what is deeper.
static void the_nearest_is_the_deepest_of_the_list(void **state) {
    (void)state;
    static Near room[400];
    for (int i = 0; i < 3000; i++) {
        int body = TINY + i % 7;
        double x = uniform(0, 2);
        double y = uniform(0, 2);
        double z = uniform(0, 1);
        impPose p = pose(vec(x, y, z), random_turn());
        NearList list = { .near = room, .room = COUNT(room) };
        collide_bodies(model, body, ELL, p, pose_identity(), 1, NULL, &list);
        NEAR(ask(body, p).c.distance, list.nearest.c.distance, 0);
    }
}

// The L is the union of two bricks: apart, and told so, exactly where it is apart from both.
static double to_both(int body, impPose p) {
    Placed a = { &model->shape[model->body[body].first_shape], &model->geometry, p };
    Placed wide = { &model->shape[model->body[WIDE].first_shape], &model->geometry,
                    pose(vec(1, 0.5, 0.5), quat(1, 0, 0, 0)) };
    Placed tall = { &model->shape[model->body[TALL].first_shape], &model->geometry,
                    pose(vec(0.5, 1, 0.5), quat(1, 0, 0, 0)) };
    return min2(collide_closest(&a, &wide, NULL).distance,
                collide_closest(&a, &tall, NULL).distance);
}

static void other_shapes_have_the_right_sign_and_a_way_out(void **state) {
    (void)state;
    for (int i = 0; i < 3000; i++) {
        int body = BRICK + i % 3;
        double x = uniform(-0.5, 2.5);
        double y = uniform(-0.5, 2.5);
        double z = uniform(-0.5, 1.5);
        impPose p = pose(vec(x, y, z), random_turn());
        double d = ask(body, p).c.distance;
        double both = to_both(body, p);
        double bounding_radius = 0.2;
        if (both > 1e-9) {
            NEAR(d, both, 1e-9);
        }
        if (both < -1e-9) {
            assert_true(d < 0);
        }
        double middle = depth_of_point(p.at);
        if (middle < -bounding_radius && d < middle - bounding_radius) {
            fail_msg("%g deep; a ball around it would be %g", d, middle - bounding_radius);
        }
    }
}

// along a line through the touch
static void the_depth_grows_from_zero(void **state) {
    (void)state;
    for (int i = 0; i < 600; i++) {
        int body = TINY + i % 7;
        double x = uniform(0.2, 1.5);
        double y = x > 1 ? uniform(0.2, 0.8) : uniform(0.2, 1.5);
        impQuat rotation = random_turn();
        impVec3 in = vec(x, y, 0.5);
        impVec3 way = random_vec(1);
        impVec3 out = madd(in, 4 / norm(way), way);
        // inside, outside
        double lo = 0;
        double hi = 1;
        for (int k = 0; k < 100; k++) {
            double t = 0.5 * (lo + hi);
            if (ask(body, pose(madd(in, t, sub(out, in)), rotation)).c.distance < 0) {
                lo = t;
            } else {
                hi = t;
            }
        }
        for (double step = 1e-9; step < 1e-3; step *= 10) {
            double d = ask(body, pose(madd(in, lo - step, sub(out, in)), rotation)).c.distance;
            if (!(d < 0 && d > -4.01 * step - 1e-12)) {
                fail_msg("body %d: %g m deep after %g m", body, d, 4 * step);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_is_as_deep_as_its_middle),
        cmocka_unit_test(as_deep_for_a_list_as_for_the_nearest),
        cmocka_unit_test(the_nearest_is_the_deepest_of_the_list),
        cmocka_unit_test(other_shapes_have_the_right_sign_and_a_way_out),
        cmocka_unit_test(the_depth_grows_from_zero),
    };
    model = build();
    int failed = RUN(tests);
    impModel_Free(model);
    free_triangles(&ell);
    return failed;
}
