// vclip.c -- the walk over polytopes: against every pair of features, from every start, along
// smooth motions.
//
// The oracle looks at all pairs of vertex and triangle and of edge and edge: exact for bodies that
// do not overlap, and slow. Whether they overlap is decided by all face normals and all cross
// products of edges.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "collide/walk.h"

#include <time.h>

static impError err;
static uint64_t draws;
static double uniform(double low, double high) {
    return low + (high - low) * num_uniform(20260103, 3, draws++);
}
// one draw after the other: the order of arguments is the compiler's
static impQuat random_turn(void) {
    double a = uniform(0, 1);
    double b = uniform(0, 1);
    double c = uniform(0, 1);
    return num_random_rotation(a, b, c);
}
static impVec3 random_vec(double s) {
    double x = uniform(-s, s);
    double y = uniform(-s, s);
    double z = uniform(-s, s);
    return vec(x, y, z);
}

// --- shapes: a segment, a point, boxes, wedges, hulls of random points ---------------------------
enum { BODIES = 10 };
static impModel *model;

static void build_shapes(void) {
    impScene *scene = impScene_New(vec(0, 0, 0));
    impVec3 cloud[3][60];
    int counts[3] = { 5, 20, 60 };
    impShapeDef defs[BODIES] = {
        { .kind = "sphere", .size = { 0.1 } },        { .kind = "capsule", .size = { 0.1, 0.8 } },
        { .kind = "box", .size = { 1, 1, 1 } },       { .kind = "box", .size = { 1, 0.5, 0.2 } },
        { .kind = "box", .size = { 2, 0.02, 0.03 } }, { .kind = "box", .size = { 1, 1, 0.01 } },
    };
    impVec3 prism[14];
    for (int i = 0; i < 7; i++) {
        prism[i] = vec(cos(i * TAU / 7), sin(i * TAU / 7), 0);
        prism[i + 7] = vec(prism[i].x, prism[i].y, 0.3);
    }
    defs[6] = (impShapeDef){ .kind = "hull", .points = prism, .point_count = 14 };
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < counts[k]; i++) {
            impVec3 a = random_vec(1);
            cloud[k][i] = k == 2 ? scale(0.7 / norm(a), a) : a;
        }
        defs[7 + k] = (impShapeDef){ .kind = "hull", .points = cloud[k], .point_count = counts[k] };
    }
    for (int i = 0; i < BODIES; i++) {
        impScene_Body(scene, &(impBodyDef){ .shapes = &defs[i], .shape_count = 1 }, &err);
    }
    model = impModel_Build(scene, &err);
    if (!model) {
        fail_msg("%s", err.message[0].text);
    }
    impScene_Free(scene);
}

static Placed at(int shape, impPose p) {
    return (Placed){ &model->shape[shape], &model->geometry, p };
}
static impPose random_pose(double s) {
    impVec3 x = random_vec(s);
    return pose(x, random_turn());
}
static Placed any_placed(double s) {
    int shape = (int)uniform(0, BODIES);
    return at(shape, random_pose(s));
}

// --- the oracle ----------------------------------------------------------------------------------
static double point_triangle(impVec3 p, impVec3 a, impVec3 b, impVec3 c) {
    impVec3 n = cross(sub(b, a), sub(c, a));
    impVec3 corner[3] = { a, b, c };
    bool inside = true;
    double best = HUGE_VAL;
    for (int i = 0; i < 3; i++) {
        impVec3 u = sub(corner[(i + 1) % 3], corner[i]);
        impVec3 r = sub(p, corner[i]);
        if (dot(cross(n, u), r) < 0) {
            inside = false;
        }
        double t = fmax(0, fmin(1, dot(r, u) / dot(u, u)));
        best = fmin(best, norm(madd(r, -t, u)));
    }
    return inside ? fabs(dot(n, sub(p, a))) / norm(n) : best;
}

static impVec3 world(const Placed *p, int v) {
    return place(p->pose, p->g->vertex[p->shape->first_vertex + v]);
}

static double vertices_to_faces(const Placed *a, const Placed *b) {
    double best = HUGE_VAL;
    for (int v = 0; v < a->shape->vertex_count; v++) {
        impVec3 p = world(a, v);
        for (int w = 0; w < b->shape->vertex_count; w++) {
            best = fmin(best, norm(sub(p, world(b, w))));
        }
        for (int f = 0; f < b->shape->face_count; f++) {
            const Face *face = &b->g->face[b->shape->first_face + f];
            const int32_t *loop = b->g->loop + face->first;
            for (int k = 2; k < face->count; k++) {
                best = fmin(best, point_triangle(p, world(b, loop[0]), world(b, loop[k - 1]),
                                                 world(b, loop[k])));
            }
        }
    }
    return best;
}

static double edges_to_edges(const Placed *a, const Placed *b) {
    double best = HUGE_VAL;
    for (int i = 0; i < a->shape->edge_count; i++) {
        for (int j = 0; j < b->shape->edge_count; j++) {
            const Edge *e = &a->g->edge[a->shape->first_edge + i];
            const Edge *f = &b->g->edge[b->shape->first_edge + j];
            impVec3 p, q;
            collide_segments(world(a, e->tail), world(a, e->head), world(b, f->tail),
                             world(b, f->head), &p, &q);
            best = fmin(best, norm(sub(p, q)));
        }
    }
    // a point against a segment
    for (int i = 0; i < a->shape->edge_count; i++) {
        for (int v = 0; v < b->shape->vertex_count; v++) {
            const Edge *e = &a->g->edge[a->shape->first_edge + i];
            impVec3 tail = world(a, e->tail);
            impVec3 u = sub(world(a, e->head), tail);
            impVec3 r = sub(world(b, v), tail);
            best = fmin(best, norm(madd(r, -fmax(0, fmin(1, dot(r, u) / dot(u, u))), u)));
        }
    }
    return best;
}

static double oracle(const Placed *a, const Placed *b) {
    return fmin(fmin(vertices_to_faces(a, b), vertices_to_faces(b, a)),
                fmin(edges_to_edges(a, b), edges_to_edges(b, a)));
}

// least of a over most of b
static double gap_along(const Placed *a, const Placed *b, impVec3 n) {
    double low = HUGE_VAL;
    double high = -HUGE_VAL;
    for (int v = 0; v < a->shape->vertex_count; v++) {
        low = fmin(low, dot(n, world(a, v)));
    }
    for (int v = 0; v < b->shape->vertex_count; v++) {
        high = fmax(high, dot(n, world(b, v)));
    }
    return low - high;
}

// Largest gap over all separating candidates; positive: they are apart.
static double separation(const Placed *a, const Placed *b) {
    double best = -HUGE_VAL;
    const Placed *body[2] = { a, b };
    for (int i = 0; i < 2; i++) {
        for (int f = 0; f < body[i]->shape->face_count; f++) {
            impVec3 n = rotate(body[i]->pose.rotation,
                               body[i]->g->face[body[i]->shape->first_face + f].normal);
            best = fmax(best, gap_along(a, b, i ? n : neg(n)));
        }
    }
    for (int i = 0; i < a->shape->edge_count; i++) {
        for (int j = 0; j < b->shape->edge_count; j++) {
            impVec3 n = cross(
                rotate(a->pose.rotation, a->g->edge[a->shape->first_edge + i].direction),
                rotate(b->pose.rotation, b->g->edge[b->shape->first_edge + j].direction));
            if (norm(n) < 1e-9) continue;
            n = scale(1 / norm(n), n);
            best = fmax(best, fmax(gap_along(a, b, n), gap_along(a, b, neg(n))));
        }
    }
    return best;
}

static double size_of(const Placed *p) { return p->shape->vertex_count > 1 ? 2 : 0.2; }

static void check_answer(const Placed *a, const Placed *b, const Closest *c, double expected) {
    double size = size_of(a) + size_of(b) + norm(a->pose.at) + norm(b->pose.at);
    NEAR(c->distance, expected, 1e-12 * size);
    NEAR(norm(c->normal), 1, 1e-14);
    NEAR(norm(sub(madd(c->on_b, c->distance, c->normal), c->on_a)), 0, 1e-12 * size);
    // the normal separates by the distance
    NEAR(gap_along(a, b, c->normal), c->distance, 1e-12 * size);
}

static StartFeature any_start(const Placed *a, const Placed *b) {
    StartFeature h = { .known = true };
    for (int i = 0; i < 2; i++) {
        const Shape *s = i ? b->shape : a->shape;
        int counts[3] = { s->vertex_count, s->edge_count, s->face_count };
        int kind = (int)uniform(0, 3);
        if (counts[kind] == 0) {
            kind = 0;
        }
        *(i ? &h.b : &h.a) = feature_of((FeatureKind)kind, (int)uniform(0, counts[kind]));
    }
    return h;
}

// returns 1 if they were apart
static int compare_pair(const Placed *a, const Placed *b) {
    Closest c, again;
    bool apart = collide_vclip(a, b, NULL, &c);
    assert_false(c.fallback);
    for (int i = 0; i < 3; i++) {
        StartFeature h = any_start(a, b);
        assert_true(collide_vclip(a, b, &h, &again) == apart);
        assert_false(again.fallback);
        again.steps = c.steps;
        // whatever the start, the same bits
        if (apart) {
            assert_memory_equal(&c, &again, sizeof c);
        }
    }
    double gap = separation(a, b);
    if (!apart) {
        assert_true(gap <= 1e-12);
    } else {
        check_answer(a, b, &c, oracle(a, b));
    }
    return apart;
}

static void random_poses(void **state) {
    (void)state;
    const char *soak = getenv("IMPEL_SOAK");
    // the oracle is slow
    int pairs = soak ? atoi(soak) / 10 : 4000;
    int apart = 0;
    for (int i = 0; i < pairs; i++) {
        double near = i % 3 == 0 ? 1.2 : 2.5;
        Placed a = any_placed(near);
        Placed b;
        b = any_placed(near);
        apart += compare_pair(&a, &b);
    }
    assert_true(apart > pairs / 4 && apart < pairs);
}

// The bound on the walk is there for safety: no pair, apart or overlapping, from any start, ever
// needs it.
static void the_fall_back_is_never_taken(void **state) {
    (void)state;
    const char *soak = getenv("IMPEL_SOAK");
    int pairs = soak ? atoi(soak) : 60000;
    int longest = 0;
    int inside = 0;
    for (int i = 0; i < pairs; i++) {
        double near = i % 4 == 0 ? 0.5 : 2;
        Placed a = any_placed(near);
        Placed b;
        b = any_placed(near);
        StartFeature h = any_start(&a, &b);
        Closest c;
        inside += !collide_vclip(&a, &b, i % 2 ? &h : NULL, &c);
        assert_false(c.fallback);
        if (c.steps > longest) {
            longest = c.steps;
        }
    }
    print_message("%d pairs, %d of them overlapping; longest walk %d steps\n", pairs, inside,
                  longest);
}

// Aligned boxes and prisms at lattice offsets: parallel faces and edges, vertices exactly on
// Voronoi planes.
static void aligned_poses(void **state) {
    (void)state;
    const double steps[] = { -2, -1.5, -1, -0.75, -0.5, 0, 0.25, 0.5, 1, 1.25, 2 };
    static const impQuat turns[] = {
        { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0.5, 0.5, 0.5, 0.5 }, { 0.5, -0.5, 0.5, 0.5 }
    };
    int apart = 0;
    for (int i = 0; i < 2500; i++) {
        double x = steps[(int)uniform(0, 11)];
        double y = steps[(int)uniform(0, 11)];
        double z = steps[(int)uniform(0, 11)];
        int sa = 2 + (int)uniform(0, 5);
        int ta = (int)uniform(0, 4);
        int sb = 2 + (int)uniform(0, 5);
        int tb = (int)uniform(0, 4);
        Placed a = at(sa, pose(vec(x, y, z), turns[ta]));
        Placed b = at(sb, pose(vec(0, 0, 0), turns[tb]));
        apart += compare_pair(&a, &b);
    }
    assert_true(apart > 500);
}

static void faces_meet_in_the_middle_of_their_overlap(void **state) {
    (void)state;
    Placed a = at(2, pose(vec(0.25, 0.5, 1.5), quat(1, 0, 0, 0)));
    Placed b = at(2, pose_identity());
    Closest c;
    assert_true(collide_vclip(&a, &b, NULL, &c));
    NEAR(c.distance, 0.5, 1e-15);
    NEAR(c.on_b.x, 0.125, 1e-15);
    NEAR(c.on_b.y, 0.25, 1e-15);
    NEAR(c.normal.z, 1, 0);
    assert_int_equal(feature_kind(c.feature_a), FEATURE_FACE);
    assert_int_equal(feature_kind(c.feature_b), FEATURE_FACE);
}

static void scaled_by_a_power_of_two_the_bits_are_the_same(void **state) {
    (void)state;
    for (int k = 0; k < 40; k++) {
        impModel *kept = model;
        impShapeDef one[2] = { { .kind = "box", .size = { 1.1, 0.7, 0.3 } },
                               { .kind = "box", .size = { 0.4, 0.9, 1.3 } } };
        impPose pa = random_pose(2);
        impPose pb = random_pose(2);
        Closest c[2];
        bool apart[2];
        for (int s = 0; s < 2; s++) {
            double f = s ? 1024 : 1;
            impScene *scene = impScene_New(vec(0, 0, 0));
            for (int i = 0; i < 2; i++) {
                impShapeDef d = one[i];
                for (int j = 0; j < 3; j++) {
                    d.size[j] *= f;
                }
                impScene_Body(scene, &(impBodyDef){ .shapes = &d, .shape_count = 1 }, &err);
            }
            model = impModel_Build(scene, &err);
            Placed a = at(0, pose(scale(f, pa.at), pa.rotation));
            Placed b = at(1, pose(scale(f, pb.at), pb.rotation));
            apart[s] = collide_vclip(&a, &b, NULL, &c[s]);
            impModel_Free(model);
            impScene_Free(scene);
        }
        model = kept;
        assert_true(apart[0] == apart[1]);
        if (!apart[0]) continue;
        SAME_BITS(c[1].distance, 1024 * c[0].distance);
        SAME_BITS(c[1].on_a.x, 1024 * c[0].on_a.x);
        SAME_BITS(c[1].normal.y, c[0].normal.y);
    }
}

// Along a smooth motion the walk starts where it ended: fewer than three steps a query.
static void coherence_along_a_smooth_motion(void **state) {
    (void)state;
    double steps = 0;
    int queries = 0;
    for (int pair = 0; pair < 40; pair++) {
        impQuat qa = random_turn();
        impQuat qb = random_turn();
        impVec3 wa = random_vec(1);
        impVec3 wb = random_vec(1);
        int sa = 2 + (int)uniform(0, 8);
        int sb = 2 + (int)uniform(0, 8);
        StartFeature start_feature = { 0 };
        for (int k = 0; k < 500; k++) {
            double t = k * 0.002;
            impQuat ta = qmul(quat_rotation(scale(1 / norm(wa), wa), norm(wa) * t), qa);
            impQuat tb = qmul(quat_rotation(scale(1 / norm(wb), wb), norm(wb) * t), qb);
            Placed a = at(sa, pose(vec(3 - t, 0.3, 0), ta));
            Placed b = at(sb, pose(vec(0, 0, 0), tb));
            Closest c;
            if (!collide_vclip(&a, &b, &start_feature, &c) || k == 0) continue;
            steps += c.steps;
            queries++;
        }
    }
    print_message("coherent walk: %.3f steps a query\n", steps / queries);
    assert_true(steps / queries < 3);
}

int main(void) {
    build_shapes();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_poses),
        cmocka_unit_test(the_fall_back_is_never_taken),
        cmocka_unit_test(aligned_poses),
        cmocka_unit_test(faces_meet_in_the_middle_of_their_overlap),
        cmocka_unit_test(scaled_by_a_power_of_two_the_bits_are_the_same),
        cmocka_unit_test(coherence_along_a_smooth_motion),
    };
    int failed = RUN(tests);
    impModel_Free(model);
    return failed;
}
