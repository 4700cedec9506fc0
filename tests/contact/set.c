// set.c -- the contact set: gaps and normals in closed form against the general closest points, the
// names of points, and what a point does while its bodies move, against queries at the moved poses.
//
// SPDX-License-Identifier: MIT
#include "contact_support.h"

enum { ROOM = 64, SMOOTH_ROOM = 64 };
static NarrowPhase narrow_phase;
static ContactPoint smooth[SMOOTH_ROOM];
static const impVec3 zero = { 0, 0, 0 };

// --- worlds --------------------------------------------------------------------------------------

// Two bodies of one shape each, bodies 1 and 2.
typedef struct Pair {
    impModel *m;
    Extent extent[2];
    Actor a, b;
} Pair;

static const impShapeDef cube = { .kind = "box", .size = { 1, 1, 1 } };
static const impShapeDef brick = { .kind = "box", .size = { 0.6, 1, 1.7 } };
static const impShapeDef slab = { .kind = "box", .size = { 2, 1.4, 0.3 } };
static const impShapeDef ball = { .kind = "sphere", .size = { 0.4 } };
static const impShapeDef marble = { .kind = "sphere", .size = { 0.15 } };
static const impShapeDef ground = { .kind = "plane", .size = { 0.6, 0, 0.8, 0.1 } };

static Pair pair_of(const impShapeDef *a, const impShapeDef *b) {
    static impError err;
    impScene *scene = impScene_New(vec(0, 0, -9.81));
    const impShapeDef *shape[2] = { a, b };
    for (int i = 0; i < 2; i++) {
        impScene_Body(scene,
                      &(impBodyDef){ .fixed = !strcmp(shape[i]->kind, "plane"),
                                     .shapes = shape[i],
                                     .shape_count = 1 },
                      &err);
    }
    Pair pair = { .m = impModel_Build(scene, &err) };
    assert_non_null(pair.m);
    impScene_Free(scene);
    pair.extent[0] = collide_extent(pair.m, 1, 0);
    pair.extent[1] = collide_extent(pair.m, 2, 1);
    return pair;
}

// Free bodies only; a fixed one is where the scene has it.
static Actor placed(const Pair *pair, int body, impVec3 at, impQuat q, impVec3 v, impVec3 w) {
    if (pair->m->body[body].role == IMP_DYNAMIC) return put_body(pair->m, body, at, q, v, w);
    impState *s = impState_New(pair->m);
    Actor a = contact_actor(pair->m, body, s->data);
    impState_Free(s);
    return a;
}

static Closest closest_of(const Pair *pair, const Actor *a, const Actor *b) {
    Placed pa = contact_piece(pair->m, a, 0);
    Placed pb = contact_piece(pair->m, b, 0);
    return collide_closest(&pa, &pb, NULL);
}

static int points_of(const Pair *pair, const Actor *a, const Actor *b, double within,
                     SetPoint *out) {
    SetQuery query = { .narrow_phase = &narrow_phase,
                       .smooth = smooth,
                       .smooth_room = SMOOTH_ROOM };
    int count = contact_set_pair(pair->m, a, b, pair->extent, within, &query, out, ROOM);
    assert_in_range(count, 0, ROOM);
    return count;
}

static int nearest_of(const SetPoint *p, int count) {
    int best = 0;
    for (int i = 1; i < count; i++) {
        best = p[i].gap < p[best].gap ? i : best;
    }
    return best;
}

// --- random poses --------------------------------------------------------------------------------

typedef struct Dice {
    uint64_t seed, next;
} Dice;
static double draw(Dice *d, double low, double high) {
    return low + (high - low) * num_uniform(d->seed, 7, d->next++);
}
static impVec3 draw_vec(Dice *d, double s) {
    double x = draw(d, -s, s);
    double y = draw(d, -s, s);
    return vec(x, y, draw(d, -s, s));
}
static impQuat draw_rotation(Dice *d) {
    for (;;) {
        impQuat q = quat(draw(d, -1, 1), draw(d, -1, 1), draw(d, -1, 1), draw(d, -1, 1));
        double size = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
        if (size < 0.1 || size > 1) continue;
        double f = 1 / sqrt(size);
        return quat(f * q.w, f * q.x, f * q.y, f * q.z);
    }
}

// Two bodies at random orientations, a at a signed distance (m) from b.
static void put_at_distance(Pair *pair, Dice *d, double distance) {
    pair->b = placed(pair, 2, draw_vec(d, 0.5), draw_rotation(d), zero, zero);
    pair->a = placed(pair, 1, add(pair->b.x, draw_vec(d, 2)), draw_rotation(d), zero, zero);
    for (int k = 0; k < 30; k++) {
        Closest c = closest_of(pair, &pair->a, &pair->b);
        if (fabs(c.distance - distance) < 1e-14) return;
        pair->a.x = madd(pair->a.x, distance - c.distance, c.normal);
        pair->a.pose.at = pair->a.x;
    }
}

// --- gaps and normals ----------------------------------------------------------------------------

// Least coordinate along n of the corners of a box, or of a ball (centre less radius).
static double least_along(const impModel *m, const Actor *a, impVec3 n) {
    const Shape *s = &m->shape[a->body->first_shape];
    double least = dot(n, a->x) - s->radius;
    if (strcmp(shape_kinds[s->kind].name, "box") != 0) return least;
    impVec3 own = unrotate(a->q, n);
    return least -
           0.5 * (fabs(own.x) * s->size[0] + fabs(own.y) * s->size[1] + fabs(own.z) * s->size[2]);
}

// How far apart the bodies are along n: no pair of convex bodies is nearer than that.
static double separation_along(const Pair *pair, impVec3 n) {
    double of_b = pair->b.body->bounded ? -least_along(pair->m, &pair->b, neg(n))
                                        : dot(n, scale(0.1, vec(0.6, 0, 0.8)));
    return least_along(pair->m, &pair->a, n) - of_b;
}

// How far (m) a place is from the surface of a body.
static double off_surface(const impModel *m, const Actor *a, impVec3 at) {
    const Shape *s = &m->shape[a->body->first_shape];
    impVec3 own = unrotate(a->q, sub(at, a->x));
    if (!a->body->bounded) return fabs(dot(at, vec(0.6, 0, 0.8)) - 0.1);
    if (strcmp(shape_kinds[s->kind].name, "box") != 0) return fabs(norm(own) - s->radius);
    const double over[3] = { fabs(own.x) - 0.5 * s->size[0], fabs(own.y) - 0.5 * s->size[1],
                             fabs(own.z) - 0.5 * s->size[2] };
    return fabs(max2(max2(over[0], over[1]), over[2]));
}

static void check_point(const Pair *pair, const SetPoint *p, double tolerance) {
    impVec3 on_a = madd(add(pair->a.x, p->core_a), -p->radius_a, p->n);
    impVec3 on_b = madd(add(pair->b.x, p->core_b), p->radius_b, p->n);
    NEAR(norm(p->n), 1, 1e-9);
    NEAR(norm(sub(on_a, madd(on_b, p->gap, p->n))), 0, 1e-9);
    NEAR(off_surface(pair->m, &pair->a, on_a), 0, tolerance);
    NEAR(off_surface(pair->m, &pair->b, on_b), 0, tolerance);
    assert_int_equal(p->a, 1);
    assert_int_equal(p->b, 2);
    assert_ptr_equal(p->law, &pair->m->pair[0]);
}

static const double distances[] = { 0.1, 1e-2, 1e-3, 1e-5, -1e-5, -1e-3, -1e-2, -0.1 };

// Balls, and anything on a plane: one answer, exactly.
static void check_exact(const impShapeDef *a, const impShapeDef *b, uint64_t seed) {
    Pair pair = pair_of(a, b);
    Dice d = { seed, 0 };
    SetPoint p[ROOM];
    for (int i = 0; i < 10000; i++) {
        put_at_distance(&pair, &d, distances[i % COUNT(distances)]);
        Closest c = closest_of(&pair, &pair.a, &pair.b);
        int count = points_of(&pair, &pair.a, &pair.b, c.distance + 0.02, p);
        assert_true(count >= 1);
        const SetPoint *nearest = &p[nearest_of(p, count)];
        NEAR(nearest->gap, c.distance, 1e-13);
        NEAR(norm(sub(nearest->n, c.normal)), 0, 1e-13);
        for (int k = 0; k < count; k++) {
            check_point(&pair, &p[k], 1e-13);
            assert_true(p[k].gap <= c.distance + 0.02);
        }
        assert_int_equal(points_of(&pair, &pair.a, &pair.b, c.distance - 1e-9, p), 0);
    }
    impModel_Free(pair.m);
}

static void balls_and_planes_have_their_distances(void **state) {
    (void)state;
    check_exact(&ball, &marble, 1);
    check_exact(&ball, &ground, 2);
    check_exact(&brick, &ground, 3);
    check_exact(&ball, &brick, 4);
    check_exact(&brick, &ball, 5);
}

// Two boxes that overlap have the depth of the axis of least overlap, but for the preference of
// faces, and two that are apart their distance where the axis of the closest points is among the
// fifteen.
static void check_boxes(const impShapeDef *a, const impShapeDef *b, double least, uint64_t seed) {
    Pair pair = pair_of(a, b);
    Dice d = { seed, 0 };
    const double preference = 4.1e-4 * least;  // of faces over edges, set_box.c
    const double clipped = 2.1e-4 * least;     // corners outside a side by less count as inside
    SetPoint p[ROOM];
    int compared = 0;
    for (int i = 0; i < 10000; i++) {
        double distance = distances[i % COUNT(distances)];
        put_at_distance(&pair, &d, distance);
        Closest c = closest_of(&pair, &pair.a, &pair.b);
        FeatureKind fa = feature_kind(c.feature_a);
        FeatureKind fb = feature_kind(c.feature_b);
        bool along_axis = distance < 0 || fa == FEATURE_FACE || fb == FEATURE_FACE ||
                          (fa == FEATURE_EDGE && fb == FEATURE_EDGE);
        if (!along_axis || fabs(c.distance - distance) > 1e-12) continue;
        compared++;
        int count = points_of(&pair, &pair.a, &pair.b, distance + 0.02, p);
        assert_true(count >= 1);
        const SetPoint *nearest = &p[nearest_of(p, count)];
        NEAR(nearest->gap, distance, preference + 1e-12);
        NEAR(separation_along(&pair, nearest->n), nearest->gap, 2 * preference);
        for (int k = 0; k < count; k++) {
            // of two that are apart, the crossing of two lines may lie beyond their ends
            check_point(&pair, &p[k], distance < -preference ? clipped : distance + 10 * clipped);
            assert_true(k == 0 || p[k].feature > p[k - 1].feature);
        }
    }
    assert_in_range(compared, 6000, 10000);
    impModel_Free(pair.m);
}

static void boxes_have_their_separation(void **state) {
    (void)state;
    check_boxes(&cube, &cube, 0.5, 11);
    check_boxes(&brick, &slab, 0.15, 12);
    check_boxes(&slab, &brick, 0.15, 13);
}

// --- names ---------------------------------------------------------------------------------------

static void lists_of_names_are_equal(const SetPoint *p, const SetPoint *q, int count) {
    for (int k = 0; k < count; k++) {
        assert_true(p[k].feature == q[k].feature);
        assert_true(k == 0 || p[k].feature > p[k - 1].feature);
    }
}

// A cube on a cube, side on side, shifted or turned on it: its points keep their names when it is
// jiggled.
static void a_cube_on_a_cube_keeps_its_names(void **state) {
    (void)state;
    Pair pair = pair_of(&cube, &cube);
    Dice d = { 21, 0 };
    static const struct {
        double x, y, turn;
        int points;
    } cases[] = { { 0, 0, 0, 4 }, { 0.3, 0, 0, 4 }, { 0.3, -0.2, 0, 4 }, { 0, 0, 0.4, 8 } };
    for (int i = 0; i < COUNT(cases); i++) {
        SetPoint p[ROOM], q[ROOM];
        impVec3 at = vec(cases[i].x, cases[i].y, 1);
        impQuat turned = quat_rotation(vec(0, 0, 1), cases[i].turn);
        pair.a = placed(&pair, 1, at, turned, zero, zero);
        pair.b = placed(&pair, 2, zero, quat(1, 0, 0, 0), zero, zero);
        int count = points_of(&pair, &pair.a, &pair.b, 1e-2, p);
        assert_int_equal(count, cases[i].points);
        for (int k = 0; k < 200; k++) {
            impQuat tilt = quat_rotation(draw_vec(&d, 1), draw(&d, -1e-6, 1e-6));
            pair.a = placed(&pair, 1, add(at, draw_vec(&d, 1e-6)), qmul(tilt, turned), zero, zero);
            assert_int_equal(points_of(&pair, &pair.a, &pair.b, 1e-2, q), count);
            lists_of_names_are_equal(p, q, count);
            for (int j = 0; j < count; j++) {
                NEAR(norm(sub(p[j].core_a, q[j].core_a)), 0, 1e-5);
                NEAR(norm(sub(q[j].n, vec(0, 0, 1))), 0, 1e-5);
            }
        }
    }
    impModel_Free(pair.m);
}

// The answer does not depend on which body is asked first.
static void swapped_bodies_have_the_same_points(void **state) {
    (void)state;
    const impShapeDef *const of_a[] = { &cube, &brick, &ball, &ball, &brick, &ball };
    const impShapeDef *const of_b[] = { &cube, &slab, &marble, &brick, &ground, &ground };
    for (int i = 0; i < COUNT(of_a); i++) {
        Pair pair = pair_of(of_a[i], of_b[i]);
        Dice d = { 31, 0 };
        for (int k = 0; k < 500; k++) {
            SetPoint p[ROOM], q[ROOM];
            put_at_distance(&pair, &d, k % 2 ? -0.02 : -1e-4);
            int count = points_of(&pair, &pair.a, &pair.b, 0.01, p);
            assert_int_equal(points_of(&pair, &pair.b, &pair.a, 0.01, q), count);
            bool free = pair.b.free;
            for (int j = 0; j < count; j++) {
                // other names where both are free: found by its place
                double nearest = HUGE_VAL;
                for (int l = 0; l < count; l++) {
                    impVec3 at = add(pair.a.x, madd(p[j].core_a, -p[j].radius_a, p[j].n));
                    const impVec3 core = free ? q[l].core_b : q[l].core_a;
                    const double radius = free ? -q[l].radius_b : q[l].radius_a;
                    impVec3 other = add(pair.a.x, madd(core, -radius, q[l].n));
                    double off = norm(sub(at, other)) + fabs(p[j].gap - q[l].gap) +
                                 norm(free ? add(p[j].n, q[l].n) : sub(p[j].n, q[l].n));
                    nearest = fmin(nearest, off);
                }
                NEAR(nearest, 0, 1e-9);
            }
        }
        impModel_Free(pair.m);
    }
}

// --- what a point does ---------------------------------------------------------------------------

// Rotation from one orientation to another, less the identity.
static Mat3 turn_between(impQuat from, impQuat to) {
    Mat3 r = rotation(qmul(to, conjugate(from)));
    return mat3_add(r, mat3_diagonal(-1, -1, -1));
}

static SetMotion motion_between(const Actor *from, const Actor *half, const Actor *to) {
    return (SetMotion){ .half_shift = sub(half->x, from->x),
                        .whole_shift = sub(to->x, from->x),
                        .half_turn = turn_between(from->q, half->q),
                        .whole_turn = turn_between(from->q, to->q),
                        .half_v = half->v,
                        .half_w = half->w };
}

typedef struct Flown {
    Actor a, b;
    SetMotion of_a, of_b;
} Flown;

// The bodies of a pair on their flights for h (s).
static Flown fly(const Pair *pair, double h) {
    Flown out = { .a = pair->a, .b = pair->b };
    contact_move(pair->m, &out.a, 0.5 * h);
    contact_move(pair->m, &out.b, 0.5 * h);
    Actor half_a = out.a;
    Actor half_b = out.b;
    contact_move(pair->m, &out.a, h);
    contact_move(pair->m, &out.b, h);
    out.of_a = motion_between(&pair->a, &half_a, &out.a);
    out.of_b = motion_between(&pair->b, &half_b, &out.b);
    return out;
}

static void launch_randomly(Pair *pair, Dice *d, double distance, double speed) {
    put_at_distance(pair, d, distance);
    pair->a = placed(pair, 1, pair->a.x, pair->a.q, draw_vec(d, speed), draw_vec(d, 3));
    pair->b = placed(pair, 2, pair->b.x, pair->b.q, draw_vec(d, speed), draw_vec(d, 3));
}

static const SetPoint *named(const SetPoint *p, int count, const SetPoint *like) {
    for (int i = 0; i < count; i++) {
        if (p[i].feature == like->feature && p[i].kind == like->kind) return &p[i];
    }
    return NULL;
}

static const impShapeDef *const shapes_a[] = { &cube, &brick, &ball, &brick, &ball, &ball };
static const impShapeDef *const shapes_b[] = { &cube, &slab, &marble, &ground, &ground, &brick };

// True if a point is where the sides of two faces cross, or an end that was cut off: such a one
// belongs to no corner, and what carries it is a choice.
static bool is_cut(const SetPoint *p) {
    bool boxes = p->radius_a == 0 && p->radius_b == 0;
    return boxes && p->kind != SET_EDGES && (p->feature & 0xff) >= 4;
}

// The gap after a motion is what a query at the moved poses finds.
static void gaps_follow_the_bodies(void **state) {
    (void)state;
    int compared = 0;
    for (int i = 0; i < COUNT(shapes_a); i++) {
        Pair pair = pair_of(shapes_a[i], shapes_b[i]);
        Dice d = { 41 + (uint64_t)i, 0 };
        for (int k = 0; k < 400; k++) {
            SetPoint p[ROOM], q[ROOM];
            launch_randomly(&pair, &d, -1e-3, 1);
            int count = points_of(&pair, &pair.a, &pair.b, 0.05, p);
            Flown then = fly(&pair, 0.01);
            int found = points_of(&pair, &then.a, &then.b, 0.2, q);
            for (int j = 0; j < count; j++) {
                const SetPoint *same = named(q, found, &p[j]);
                if (!same || is_cut(same)) continue;
                NEAR(contact_set_gap(&p[j], &then.of_a, &then.of_b), same->gap, 1e-12);
                compared++;
            }
        }
        impModel_Free(pair.m);
    }
    assert_in_range(compared, 1500, 100000);
}

// Found after a motion, and taken back: the point that a query finds before it.
static void a_point_is_taken_back(void **state) {
    (void)state;
    int compared = 0;
    for (int i = 0; i < COUNT(shapes_a); i++) {
        Pair pair = pair_of(shapes_a[i], shapes_b[i]);
        Dice d = { 51 + (uint64_t)i, 0 };
        for (int k = 0; k < 400; k++) {
            SetPoint p[ROOM], q[ROOM];
            launch_randomly(&pair, &d, -1e-3, 1);
            int count = points_of(&pair, &pair.a, &pair.b, 0.05, p);
            Flown then = fly(&pair, 0.01);
            int found = points_of(&pair, &then.a, &then.b, 0.2, q);
            for (int j = 0; j < count; j++) {
                const SetPoint *same = named(q, found, &p[j]);
                if (!same || is_cut(same)) continue;
                SetPoint before = contact_set_before(same, &then.of_a, &then.of_b,
                                                     sub(pair.a.x, pair.b.x));
                NEAR(before.gap, p[j].gap, 1e-12);
                NEAR(norm(sub(before.n, p[j].n)), 0, 1e-9);
                if (p[j].kind == SET_CORNER_OF_A || p[j].kind == SET_CENTRES) {
                    NEAR(contact_set_gap(&before, &then.of_a, &then.of_b), same->gap, 1e-12);
                }
                impVec3 from_b = add(pair.b.x, madd(before.core_b, before.radius_b, before.n));
                impVec3 from_a = add(pair.a.x, madd(before.core_a, -before.radius_a, before.n));
                NEAR(norm(sub(from_a, madd(from_b, before.gap, before.n))), 0, 1e-12);
                compared++;
            }
        }
        impModel_Free(pair.m);
    }
    assert_in_range(compared, 1500, 100000);
}

// Velocity of a against b at a point, as its two surfaces move.
static impVec3 velocity_at(const SetPoint *p, const Actor *a, const Actor *b) {
    impVec3 arm_a = madd(p->core_a, -p->radius_a, p->n);
    impVec3 arm_b = madd(p->core_b, p->radius_b, p->n);
    return sub(add(a->v, cross(a->w, arm_a)), add(b->v, cross(b->w, arm_b)));
}

// The change of velocity in the middle of a motion is what a query there finds. Of two edges the
// point is half way between where it would be on each, and not compared.
static void velocities_follow_the_bodies(void **state) {
    (void)state;
    int compared = 0;
    for (int i = 0; i < COUNT(shapes_a); i++) {
        Pair pair = pair_of(shapes_a[i], shapes_b[i]);
        Dice d = { 61 + (uint64_t)i, 0 };
        for (int k = 0; k < 400; k++) {
            SetPoint p[ROOM], q[ROOM];
            const double h = 0.01;
            launch_randomly(&pair, &d, -1e-3, 1);
            int count = points_of(&pair, &pair.a, &pair.b, 0.05, p);
            Flown whole = fly(&pair, h);
            Flown half = fly(&pair, 0.5 * h);
            int found = points_of(&pair, &half.a, &half.b, 0.2, q);
            for (int j = 0; j < count; j++) {
                const SetPoint *same = named(q, found, &p[j]);
                if (!same || is_cut(same) || p[j].kind == SET_EDGES) continue;
                impVec3 change = contact_set_velocity_change(&p[j], &whole.of_a, &whole.of_b,
                                                             (impTwist){ pair.a.v, pair.a.w },
                                                             (impTwist){ pair.b.v, pair.b.w });
                impVec3 now = velocity_at(&p[j], &pair.a, &pair.b);
                impVec3 then = velocity_at(same, &half.a, &half.b);
                double off = norm(sub(sub(then, now), change));
                NEAR(off, 0, 1e-11);
                compared++;
            }
        }
        impModel_Free(pair.m);
    }
    assert_in_range(compared, 1500, 100000);
}

// The predicted motion of a free body is its flight, but for the fifth order of the time in its
// rotation.
static double motion_error(double h) {
    Pair pair = pair_of(&brick, &brick);
    Dice d = { 71, 0 };
    double worst = 0;
    for (int k = 0; k < 20; k++) {
        launch_randomly(&pair, &d, 1, 1);
        Flown then = fly(&pair, h);
        Mat3 inverse_now = rotated(rotation(pair.a.q), pair.a.body->inertia_inverse);
        SetMotion m = contact_set_motion(pair.m, &pair.a, &inverse_now, pair.a.v, pair.a.w, h);
        NEAR(norm(sub(m.whole_shift, then.of_a.whole_shift)), 0, 1e-13);
        NEAR(norm(sub(m.half_shift, then.of_a.half_shift)), 0, 1e-13);
        NEAR(norm(sub(m.half_v, then.of_a.half_v)), 0, 1e-13);
        impVec3 corner = vec(0.3, 0.5, 0.85);
        worst = max2(worst,
                     norm(sub(mul(m.whole_turn, corner), mul(then.of_a.whole_turn, corner))));
    }
    impModel_Free(pair.m);
    return worst;
}

static void a_motion_is_the_flight(void **state) {
    (void)state;
    double coarse = motion_error(0.04);
    double fine = motion_error(0.02);
    assert_true(fine < 1e-8);
    NEAR(num_log(coarse / fine) / num_log(2), 5, 0.2);
}

// --- the Runge-Kutta step ------------------------------------------------------------------------

static double largest_entry(Mat3 m) {
    double of_x = max2(fabs(m.x.x), max2(fabs(m.x.y), fabs(m.x.z)));
    double of_y = max2(fabs(m.y.x), max2(fabs(m.y.y), fabs(m.y.z)));
    double of_z = max2(fabs(m.z.x), max2(fabs(m.z.y), fabs(m.z.z)));
    return max2(of_x, max2(of_y, of_z));
}

// How far the Runge-Kutta rotation is off the exact one, largest entry.
static double off_by(const impShapeDef *shape, double h) {
    const impVec3 w = { 2, -3, 5 };
    SetMotion motion[2];
    Pair pair = pair_of(shape, &ground);
    for (int k = 0; k < 2; k++) {
        pair.m->run.prediction = k ? IMP_RUNGE_KUTTA : IMP_EXACT;
        Actor a = placed(&pair, 1, vec(0, 0, 3), quat_rotation(vec(1, 0, 0), 0.4), zero, w);
        Mat3 inverse_now = rotated(rotation(a.q), a.body->inertia_inverse);
        motion[k] = contact_set_motion(pair.m, &a, &inverse_now, zero, w, h);
    }
    assert_true(zero3(sub(motion[0].whole_shift, motion[1].whole_shift)));
    SAME_BITS(motion[1].half_w.x, w.x);
    Mat3 difference = mat3_add(motion[1].whole_turn, mat3_scale(-1, motion[0].whole_turn));
    impModel_Free(pair.m);
    return largest_entry(difference);
}

// Of a cube, whose angular velocity is constant, by the fifth power of the step: that is the order
// of the rule. Of a brick by its square: the angular velocity at the beginning is not that of the
// step.
static void runge_kutta_has_its_order(void **state) {
    (void)state;
    double cube_ratio = off_by(&cube, 0.04) / off_by(&cube, 0.02);
    double brick_ratio = off_by(&brick, 0.02) / off_by(&brick, 0.01);
    NEAR(cube_ratio, 32, 1.5);
    NEAR(brick_ratio, 4, 0.3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_and_planes_have_their_distances),
        cmocka_unit_test(boxes_have_their_separation),
        cmocka_unit_test(a_cube_on_a_cube_keeps_its_names),
        cmocka_unit_test(swapped_bodies_have_the_same_points),
        cmocka_unit_test(gaps_follow_the_bodies),
        cmocka_unit_test(a_point_is_taken_back),
        cmocka_unit_test(velocities_follow_the_bodies),
        cmocka_unit_test(a_motion_is_the_flight),
        cmocka_unit_test(runge_kutta_has_its_order),
    };
    return RUN(tests);
}
