// ties.c -- large faces upon each other: one answer from any start, in the middle of the overlap,
// however many corners.
//
// The middle is compared with that of the polygon cut out corner by corner, in an array of any
// size.
//
// SPDX-License-Identifier: MIT
#include "oracle_support.h"

enum { PLATE, SMALL, PRISMS, CORNERS_MOST = 250, POLYGON = 1024 };
// of the prisms; 0: a box
static const int corners_of[] = { 0, 0, 40, 95, 96, 100, 250 };
enum { SHAPES = COUNT(corners_of) };
static impModel *model;

static impModel *build(void) {
    impScene *scene = impScene_New(vec(0, 0, 0));
    impError err;
    static impVec3 point[2 * CORNERS_MOST];
    for (int i = 0; i < SHAPES; i++) {
        int n = corners_of[i];
        for (int k = 0; k < n; k++) {
            SinCos t = num_sincos_turns((double)k / n);
            point[k] = vec(t.cos, t.sin, -0.5);
            point[n + k] = vec(t.cos, t.sin, 0.5);
        }
        impShapeDef box = { .kind = "box", .size = { i ? 0.3 : 4, i ? 0.2 : 4, 0.2 } };
        impShapeDef hull = { .kind = "hull", .points = point, .point_count = 2 * n };
        assert_true(
            impScene_Body(
                scene, &(impBodyDef){ .fixed = true, .shapes = n ? &hull : &box, .shape_count = 1 },
                &err)
                .i >= 0);
    }
    impModel *m = impModel_Build(scene, &err);
    assert_non_null(m);
    impScene_Free(scene);
    return m;
}

static double top(int i) { return corners_of[i] ? 0.5 : 0.1; }

static Placed put(int i, impVec3 at, impQuat rotation) {
    return (Placed){ &model->shape[i], &model->geometry, pose(at, rotation) };
}

// seen from above
static int outline(int i, impVec3 at, double rotation, double (*p)[2]) {
    int n = corners_of[i] ? corners_of[i] : 4;
    SinCos r = num_sincos_turns(rotation);
    for (int k = 0; k < n; k++) {
        SinCos t = num_sincos_turns((double)k / n);
        double x = t.cos;
        double y = t.sin;
        double w = i == PLATE ? 2 : 0.15;
        double h = i == PLATE ? 2 : 0.1;
        if (!corners_of[i]) {
            x = k == 0 || k == 3 ? w : -w;
            y = k < 2 ? h : -h;
        }
        p[k][0] = at.x + r.cos * x - r.sin * y;
        p[k][1] = at.y + r.sin * x + r.cos * y;
    }
    return n;
}

// to the left of a b
static int cut(double (*p)[2], int n, const double *a, const double *b) {
    static double out[POLYGON][2];
    int m = 0;
    for (int k = 0; k < n; k++) {
        double *c = p[k];
        double *d = p[(k + 1) % n];
        double s = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        double t = (b[0] - a[0]) * (d[1] - a[1]) - (b[1] - a[1]) * (d[0] - a[0]);
        assert_true(m + 2 < POLYGON);
        if (s >= 0) {
            memcpy(out[m++], c, sizeof *out);
        }
        if ((s < 0) == (t < 0)) continue;
        out[m][0] = c[0] + s / (s - t) * (d[0] - c[0]);
        out[m][1] = c[1] + s / (s - t) * (d[1] - c[1]);
        m++;
    }
    memcpy(p, out, sizeof *out * (size_t)m);
    return m;
}

static impVec3 middle_of_overlap(int a, impVec3 at, double rotation, int b) {
    static double p[POLYGON][2], q[POLYGON][2];
    int n = outline(a, at, rotation, p);
    int m = outline(b, vec(0, 0, 0), 0, q);
    for (int k = 0; k < m; k++) {
        n = cut(p, n, q[k], q[(k + 1) % m]);
    }
    double area = 0, x = 0, y = 0;
    for (int k = 1; k + 1 < n; k++) {
        double w = (p[k][0] - p[0][0]) * (p[k + 1][1] - p[0][1]) -
                   (p[k][1] - p[0][1]) * (p[k + 1][0] - p[0][0]);
        area += w;
        x += w * (p[0][0] + p[k][0] + p[k + 1][0]) / 3;
        y += w * (p[0][1] + p[k][1] + p[k + 1][1]) / 3;
    }
    return vec(x / area, y / area, 0);
}

static Feature any_feature(Draws *d, const Shape *s) {
    int counts[3] = { s->vertex_count, s->edge_count, s->face_count };
    int kind = (int)draw(d, 0, 3);
    return feature_of((FeatureKind)kind, (int)draw(d, 0, counts[kind]));
}

static bool same(const Closest *c, const Closest *e) {
    return memcmp(&c->distance, &e->distance, sizeof c->distance) == 0 &&
           memcmp(&c->normal, &e->normal, sizeof c->normal) == 0 &&
           memcmp(&c->on_a, &e->on_a, sizeof c->on_a) == 0 &&
           memcmp(&c->on_b, &e->on_b, sizeof c->on_b) == 0;
}

static void from_any_start(Draws *d, const Placed *a, const Placed *b, const Closest *c,
                           int starts) {
    for (int k = 0; k < starts; k++) {
        Feature fa = any_feature(d, a->shape);
        Feature fb = any_feature(d, b->shape);
        StartFeature h = { fa, fb, true };
        Closest e = collide_closest(a, b, &h);
        if (!same(c, &e)) {
            fail_msg("%.17g m from no hint, %.17g from another; points %g m apart", c->distance,
                     e.distance, norm(sub(c->on_a, e.on_a)));
        }
    }
}

static void large_faces_meet_in_the_middle_of_their_overlap(void **state) {
    (void)state;
    Draws d = { 3, 0 };
    for (int a = PRISMS; a < SHAPES; a++) {
        for (int b = 0; b < SHAPES; b++) {
            for (int k = 0; k < 12; k++) {
                double rotation = k == 0 ? 0 : draw(&d, 0, 1);
                double far = k == 1 ? 0 : b == SMALL ? 0.9 : 1.6;
                impVec3 at = vec(draw(&d, 0, far), draw(&d, -far / 2, far / 2),
                                 top(a) + top(b) + 0.01);
                if (k == 2) {
                    at.x = 0;
                }
                Placed p = put(a, at, quat_rotation(vec(0, 0, 1), TAU * rotation));
                Placed q = put(b, vec(0, 0, 0), quat(1, 0, 0, 0));
                Closest c = collide_closest(&p, &q, NULL);
                impVec3 want = middle_of_overlap(a, at, rotation, b);
                NEAR(c.distance, 0.01, 1e-14);
                NEAR(c.on_a.x, want.x, 1e-11);
                NEAR(c.on_a.y, want.y, 1e-11);
                from_any_start(&d, &p, &q, &c, 40);
            }
        }
    }
}

// Side by side: what they share is a line, or a point.
static void large_faces_that_share_a_line(void **state) {
    (void)state;
    Draws d = { 4, 0 };
    // 100 corners
    int prism = SHAPES - 2;
    Placed p = put(prism, vec(3, 0.25, 0.61), quat(1, 0, 0, 0));
    Placed q = put(PLATE, vec(0, 0, 0), quat(1, 0, 0, 0));
    // a corner over the border
    Closest c = collide_closest(&p, &q, NULL);
    NEAR(c.distance, 0.01, 1e-14);
    NEAR(c.on_a.x, 2, 1e-12);
    NEAR(c.on_a.y, 0.25, 1e-12);
    from_any_start(&d, &p, &q, &c, 200);
    SinCos half = num_sincos_turns(0.005);
    // a side over the border
    p = put(prism, vec(2 + half.cos, 0.25, 0.61), quat_rotation(vec(0, 0, 1), TAU * 0.005));
    c = collide_closest(&p, &q, NULL);
    NEAR(c.distance, 0.01, 1e-14);
    NEAR(c.on_a.x, 2, 1e-12);
    NEAR(c.on_a.y, 0.25, 1e-12);
    from_any_start(&d, &p, &q, &c, 200);
}

// A tilt between what the gap shows (1e-13 rad) and what counts as parallel (4.5e-13), and shapes
// of very unlike sizes.
static void barely_tilted_from_any_start(void **state) {
    (void)state;
    Draws d = { 5, 0 };
    for (int i = 0; i < 300; i++) {
        impQuat rotation = quat_rotation(i % 2 ? vec(1, 0, 0) : vec(0, 1, 0), 4e-13 * (1 + i % 2));
        Placed p = put(i % 3 ? SHAPES - 1 : SMALL,
                       vec(draw(&d, -1, 1), draw(&d, -1, 1), draw(&d, 0.7, 2)), rotation);
        Placed q = put(PLATE, vec(0, 0, 0), quat(1, 0, 0, 0));
        Closest c = collide_closest(&p, &q, NULL);
        from_any_start(&d, &p, &q, &c, 20);
    }
}

static void a_needle_over_a_grain_from_any_start(void **state) {
    (void)state;
    Draws d = { 6, 0 };
    impScene *scene = impScene_New(vec(0, 0, 0));
    impError err;
    impShapeDef box[2] = { { .kind = "box", .size = { 1, 1e-6, 1e-6 } },
                           { .kind = "box", .size = { 1e-6, 1e-6, 1e-6 } } };
    for (int i = 0; i < 2; i++) {
        impScene_Body(scene, &(impBodyDef){ .fixed = true, .shapes = &box[i], .shape_count = 1 },
                      &err);
    }
    impModel *m = impModel_Build(scene, &err);
    impScene_Free(scene);
    for (int i = 0; i < 2000; i++) {
        impVec3 at = vec(i % 2 ? draw(&d, -0.3, 0.3) : 0, 0,
                         i % 3 ? draw(&d, 0.1, 1) : draw(&d, 1.01e-6, 2e-6));
        Placed p = { &m->shape[0], &m->geometry,
                     pose(at, quat_rotation(vec(1, 0, 0), draw(&d, 1e-9, 1e-3))) };
        Placed q = { &m->shape[1], &m->geometry, pose_identity() };
        Closest c = collide_closest(&p, &q, NULL);
        from_any_start(&d, &p, &q, &c, 6);
    }
    impModel_Free(m);
}

// Faces and edges tilted by so little that rounding has a say in which corner is the nearest: boxes
// of all proportions.
enum { BOXES = 60 };

static impModel *boxes(Draws *d, double smallest) {
    static impError err;
    impScene *scene = impScene_New(vec(0, 0, 0));
    for (int i = 0; i < BOXES; i++) {
        impShapeDef box = { .kind = "box" };
        for (int k = 0; k < 3; k++) {
            box.size[k] = pow(10, draw(d, smallest, 0));
        }
        impScene_Body(scene, &(impBodyDef){ .fixed = true, .shapes = &box, .shape_count = 1 },
                      &err);
    }
    impModel *m = impModel_Build(scene, &err);
    assert_non_null(m);
    impScene_Free(scene);
    return m;
}

static impVec3 axis_or_any(Draws *d) {
    int k = (int)draw(d, 0, 6);
    double s = k < 3 ? 1 : -1;
    impVec3 any = draw_vec(d, 1);
    if (draw(d, 0, 1) < 0.4) return scale(1 / norm(any), any);
    return vec(k % 3 == 0 ? s : 0, k % 3 == 1 ? s : 0, k % 3 == 2 ? s : 0);
}

static void slightly_tilted_from_any_start(void **state) {
    (void)state;
    Draws d = { 12, 0 };
    for (int family = 0; family < 3; family++) {
        impModel *m = boxes(&d, -1 - 2 * family);
        for (int i = soak_count(6000); i > 0; i--) {
            impVec3 about = axis_or_any(&d);
            impVec3 way = axis_or_any(&d);
            impQuat rotation = quat_rotation(about, pow(10, draw(&d, -14.5, -8)));
            if (draw(&d, 0, 1) < 0.7) {
                rotation = qmul(rotation, quat_rotation(axis_or_any(&d), TAU / 4));
            }
            Placed b = { &m->shape[(int)draw(&d, 0, BOXES)], &m->geometry, pose_identity() };
            impVec3 at = draw_vec(&d, draw(&d, 0, 1) < 0.5 ? 0 : 0.5 * largest(b.shape->high));
            Placed a = { &m->shape[(int)draw(&d, 0, BOXES)], &m->geometry, pose(at, rotation) };
            a.pose.at = madd(a.pose.at, pow(10, draw(&d, -6, 0)) - oracle_separation(&a, &b, way),
                             way);
            Closest c = collide_closest(&a, &b, NULL);
            Check k = oracle_check(&a, &b, &c);
            if (family < 2) {
                assert_true(k.apart <= 1e-12 && k.on <= 1e-12 && k.normal <= 1e-12);
            }
            from_any_start(&d, &a, &b, &c, 6);
        }
        impModel_Free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slightly_tilted_from_any_start),
        cmocka_unit_test(large_faces_meet_in_the_middle_of_their_overlap),
        cmocka_unit_test(large_faces_that_share_a_line),
        cmocka_unit_test(barely_tilted_from_any_start),
        cmocka_unit_test(a_needle_over_a_grain_from_any_start),
    };
    model = build();
    int failed = RUN(tests);
    impModel_Free(model);
    return failed;
}
