// compounds.c -- bodies of many pieces: the same answers, bit by bit and in the same order, as of
// all pairs of pieces.
//
// SPDX-License-Identifier: MIT
#include "meshes.h"

#include <time.h>

enum { PIECES = 60, FEW = 3, SWARM = 1000 };
enum { MANY_A = 1, MANY_B, SOME, HILL, GROUND, PIECE, SWARM_A = PIECE + PIECES, SWARM_B };
static impModel *model;

static impShapeDef any_piece(int i, double spread) {
    static const impShapeDef kind[] = {
        { .kind = "sphere", .size = { 0.1 } },
        { .kind = "capsule", .size = { 0.05, 0.2 } },
        { .kind = "box", .size = { 0.2, 0.1, 0.15 } },
        { .kind = "cylinder", .size = { 0.08, 0.2 } },
        { .kind = "cone", .size = { 0.1, 0.2 } },
        { .kind = "ellipsoid", .size = { 0.05, 0.1, 0.15 } },
    };
    impShapeDef s = kind[i % COUNT(kind)];
    s.pose = random_pose(spread);
    // one far from all others
    if (i == 7) {
        s.pose.at = vec(30, 0, 0);
    }
    return s;
}

static impModel *build(void) {
    impScene *scene = impScene_New(vec(0, 0, 0));
    static impShapeDef a[PIECES], b[PIECES], swarm[SWARM];
    Triangles hills = sheet(14, 14, at_hill);
    impShapeDef mesh = mesh_def(&hills);
    impShapeDef plane = { .kind = "plane", .size = { 0, 0, 1, 0 } };
    for (int i = 0; i < PIECES; i++) {
        a[i] = any_piece(i, 0.6);
        b[i] = any_piece(i, 0.6);
    }
    // twins: of equally near ones the first counts
    b[8] = b[9] = b[2];
    const impBodyDef body[] = { { .shapes = a, .shape_count = PIECES },
                                { .shapes = b, .shape_count = PIECES },
                                { .shapes = b, .shape_count = FEW },
                                { .shapes = &mesh, .shape_count = 1 },
                                { .shapes = &plane, .shape_count = 1 } };
    for (int i = 0; i < COUNT(body); i++) {
        impBodyDef fixed = body[i];
        fixed.fixed = true;
        impScene_Body(scene, &fixed, &err);
    }
    for (int i = 0; i < PIECES; i++) {
        impScene_Body(scene, &(impBodyDef){ .fixed = true, .shapes = &a[i], .shape_count = 1 },
                      &err);
    }
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < SWARM; i++) {
            swarm[i] = (impShapeDef){ .kind = "sphere", .size = { 0.05 }, .pose = random_pose(1) };
        }
        impScene_Body(scene, &(impBodyDef){ .fixed = true, .shapes = swarm, .shape_count = SWARM },
                      &err);
    }
    free_triangles(&hills);
    return model_of(scene);
}

static bool same(const Closest *c, const Closest *e) {
    return memcmp(&c->distance, &e->distance, sizeof c->distance) == 0 &&
           memcmp(&c->normal, &e->normal, sizeof c->normal) == 0 &&
           memcmp(&c->on_a, &e->on_a, sizeof c->on_a) == 0 &&
           memcmp(&c->on_b, &e->on_b, sizeof c->on_b) == 0 && c->feature_a == e->feature_a &&
           c->feature_b == e->feature_b;
}

static Placed part(int body, int i, impPose at) {
    const Shape *s = &model->shape[model->body[body].first_shape + i];
    return (Placed){ s, &model->geometry, pose_mul(at, s->pose) };
}

static Near all_pairs(int a, int b, impPose p, impPose q, double margin, Near *list, int *count) {
    Near best = { .c.distance = HUGE_VAL };
    *count = 0;
    for (int i = 0; i < model->body[a].shape_count; i++) {
        for (int j = 0; j < model->body[b].shape_count; j++) {
            Placed x = part(a, i, p);
            Placed y = part(b, j, q);
            Near n = { .shape_a = i, .shape_b = j, .c = collide_closest(&x, &y, NULL) };
            if (n.c.distance < best.c.distance) {
                best = n;
            }
            if (n.c.distance <= margin) {
                list[(*count)++] = n;
            }
        }
    }
    return best;
}

static void as_all_pairs_of_pieces(void **state) {
    (void)state;
    static Near want[PIECES * PIECES], got[PIECES * PIECES];
    static StartFeature start_features[PIECES * PIECES];
    const int pair[5][2] = { { MANY_A, MANY_B },
                             { MANY_B, MANY_A },
                             { MANY_A, SOME },
                             { SOME, MANY_B },
                             { MANY_A, GROUND } };
    assert_true(model->body[MANY_A].pieces.node_count > 0 &&
                model->body[SOME].pieces.node_count == 0);
    for (int k = 0; k < 100; k++) {
        int a = pair[k % 5][0];
        int b = pair[k % 5][1];
        int count;
        double far = k % 3 ? 1.5 : 4;
        double margin = k % 2 ? 0.02 : 0.3;
        impPose p = random_pose(far);
        impPose q = random_pose(far);
        if (b == GROUND) {
            q = pose_identity();
        }
        Near best = all_pairs(a, b, p, q, margin, want, &count);
        Near n = collide_body_distance(model, a, b, p, q, HUGE_VAL);
        assert_true(same(&best.c, &n.c) && best.shape_a == n.shape_a && best.shape_b == n.shape_b);
        Near within = collide_body_distance(model, a, b, p, q, margin);
        if (best.c.distance <= margin) {
            assert_true(same(&best.c, &within.c));
        } else {
            assert_true(within.c.distance == HUGE_VAL);
        }
        NearList list = { .near = got, .room = COUNT(got) };
        memset(start_features, 0, sizeof start_features);
        collide_bodies(model, a, b, p, q, margin, k % 4 ? start_features : NULL, &list);
        assert_int_equal(list.count, count);
        assert_false(list.cut);
        for (int i = 0; i < count; i++) {
            assert_true(same(&want[i].c, &got[i].c) && want[i].shape_a == got[i].shape_a &&
                        want[i].shape_b == got[i].shape_b);
        }
        if (best.c.distance <= margin) {
            assert_true(same(&best.c, &list.nearest.c));
        }
    }
}

static void pieces_over_a_mesh_are_as_each_of_them(void **state) {
    (void)state;
    static Near one[4000], all[8000];
    for (int k = 0; k < 20; k++) {
        impPose p = random_pose(1.5);
        impPose q = random_pose(0.1);
        NearList list = { .near = all, .room = COUNT(all) };
        collide_bodies(model, MANY_A, HILL, p, q, 0.1, NULL, &list);
        int at = 0;
        double nearest = HUGE_VAL;
        for (int i = 0; i < PIECES; i++) {
            NearList single = { .near = one, .room = COUNT(one) };
            collide_bodies(model, PIECE + i, HILL, p, q, 0.1, NULL, &single);
            for (int j = 0; j < single.count; j++, at++) {
                assert_true(at < list.count && all[at].shape_a == i &&
                            all[at].triangle_b == one[j].triangle_b);
                assert_true(same(&all[at].c, &one[j].c));
            }
            nearest = min2(nearest, single.nearest.c.distance);
        }
        assert_int_equal(at, list.count);
        SAME_BITS(list.nearest.c.distance, nearest);
        if (nearest < HUGE_VAL) {
            SAME_BITS(collide_body_distance(model, MANY_A, HILL, p, q, HUGE_VAL).c.distance,
                      nearest);
        }
    }
}

static void near_one_shape_or_not(void **state) {
    (void)state;
    int yes = 0;
    for (int k = 0; k < 300; k++) {
        impPose p = random_pose(0.5);
        impPose q = random_pose(1);
        Placed s = part(SOME, k % FEW, q);
        double least = HUGE_VAL;
        for (int i = 0; i < PIECES; i++) {
            Placed x = part(MANY_A, i, p);
            least = min2(least, collide_closest(&x, &s, NULL).distance);
        }
        bool near = collide_body_near(model, MANY_A, p, &s, 0.05);
        assert_int_equal(near, least <= 0.05);
        yes += near;
    }
    assert_in_range(yes, 20, 280);
}

static void how_long_it_takes(void **state) {
    (void)state;
    clock_t start = clock();
    double sum = 0;
    for (int k = 0; k < 50; k++) {
        sum += collide_body_distance(model, SWARM_A, SWARM_B, random_pose(0.1),
                                     pose(vec(2.5, 0, 0), random_turn()), HUGE_VAL)
                   .c.distance;
    }
    double us = 1e6 * (double)(clock() - start) / CLOCKS_PER_SEC / 50;
    print_message("%d pieces against %d: %.0f us a distance (mean %.3f m)\n", SWARM, SWARM, us,
                  sum / 50);
    // pair by pair: 7e4 and more
    assert_true(us < 2e4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_all_pairs_of_pieces),
        cmocka_unit_test(pieces_over_a_mesh_are_as_each_of_them),
        cmocka_unit_test(near_one_shape_or_not),
        cmocka_unit_test(how_long_it_takes),
    };
    model = build();
    int failed = RUN(tests);
    impModel_Free(model);
    return failed;
}
