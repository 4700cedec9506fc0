// narrow.c -- bodies of several pieces: the time that is told is never late, whatever is left out
// of the list.
//
// Free compounds against each other and against fixed, shaken and spinning ones, one of which has a
// round piece that reaches farther than those that sweep: the time is compared with the distance of
// all pieces on the way.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "contact/contact.h"

static uint64_t draws;
static double uniform(double low, double high) {
    return low + (high - low) * num_uniform(27, 19, draws++);
}
static double spread(double low, double high) {
    return low * num_exp(uniform(0, 1) * num_log(high / low));
}
// one draw a declarator: arguments and initializers are evaluated in any order
static impQuat random_turn(void) {
    double u = uniform(0, 1);
    double v = uniform(0, 1);
    double w = uniform(0, 1);
    return num_random_rotation(u, v, w);
}
static impVec3 direction(void) { return rotate(random_turn(), vec(0, 0, 1)); }

enum { ELBOW = 1, STAR, TRAY, BENCH, PLATTER, BODIES };
static impModel *model;
static Extent extent[32];
static NarrowPhase narrow_phase;

static impShapeDef at(impShapeDef s, double x, double y, double z) {
    s.pose = pose(vec(x, y, z), quat(1, 0, 0, 0));
    return s;
}

static void add_body(impScene *scene, const impShapeDef *shapes, int count,
                     const impMotionDef *motion, bool fixed) {
    static impError err;
    impBodyDef d = { .shapes = shapes,
                     .shape_count = count,
                     .motions = motion,
                     .motion_count = motion ? 1 : 0,
                     .fixed = fixed };
    if (impScene_Body(scene, &d, &err).i < 0) {
        fail_msg("%s", err.message[0].text);
    }
}

static int make_model(void **unused) {
    static impError err;
    const impShapeDef box = { .kind = "box", .size = { 0.4, 0.2, 0.1 } };
    const impShapeDef post = { .kind = "box", .size = { 0.1, 0.02, 0.3 } };
    const impShapeDef ball = { .kind = "sphere", .size = { 0.1 } };
    const impShapeDef coin = { .kind = "cylinder", .size = { 0.2, 0.03 } };
    const impShapeDef disc = { .kind = "cylinder", .size = { 0.8, 0.02 } };
    const impMotionDef spin = { .kind = "spin", .axis = { 0, 0, 1 }, .rate = 20 };
    const impMotionDef shake = { .kind = "vibrate",
                                 .amplitude = { 0.004, 0, 0.003 },
                                 .frequency = 12 };
    impScene *scene = impScene_New(vec(0, 0, -9.81));
    (void)unused;
    add_body(scene, (impShapeDef[]){ at(box, 0, 0, 0), at(post, 0.15, 0, 0.2) }, 2, NULL, false);
    add_body(scene,
             (impShapeDef[]){ at(ball, 0.3, 0, 0), at(coin, 0, 0, 0.1), at(post, -0.2, 0.1, 0) }, 3,
             NULL, false);
    add_body(scene,
             (impShapeDef[]){ at(box, 0.25, 0, 0), at(box, -0.25, 0, 0), at(post, 0, 0, 0.2) }, 3,
             &shake, false);
    add_body(scene,
             (impShapeDef[]){ at(box, 0.3, 0.2, 0), at(coin, -0.3, 0, 0), at(ball, 0, 0, 0.4) }, 3,
             NULL, true);
    add_body(scene, (impShapeDef[]){ at(disc, 0, 0, 0), at(post, 0.4, 0, 0.2) }, 2, &spin, false);
    model = impModel_Build(scene, &err);
    if (!model) {
        fail_msg("%s", err.message[0].text);
    }
    impScene_Free(scene);
    assert_true(model->shape_count <= COUNT(extent));
    for (int b = 1; b < BODIES; b++) {
        for (int i = 0; i < model->body[b].shape_count; i++) {
            extent[model->body[b].first_shape + i] = collide_extent(model, b,
                                                                    model->body[b].first_shape + i);
        }
    }
    return 0;
}

static int drop_model(void **unused) {
    (void)unused;
    impModel_Free(model);
    return 0;
}

static double gap_of(const Actor *a, const Actor *b) {
    return collide_body_distance(model, a->index, b->index, a->pose, b->pose, HUGE_VAL).c.distance;
}

// Somewhere around the origin, thrown.
static Actor thrown(int body, double far) {
    // no body is thrown again before the last throw is done with
    static Tumble tumble[BODIES];
    impState *s = impState_New(model);
    Actor a = contact_actor(model, body, s->data);
    impState_Free(s);
    if (!a.free) return a;
    a.x = scale(far, direction());
    a.q = random_turn();
    a.tumble = &tumble[body];
    double speed = spread(1e-2, 10);
    double spin = spread(1e-2, 30);
    impVec3 along = direction();
    impVec3 about = direction();
    contact_launch(&a, scale(speed, along), scale(spin, about));
    a.pose = pose(sub(a.x, rotate(a.q, a.body->center)), a.q);
    return a;
}

static void never_late(void **unused) {
    const double level = 5e-5;
    const double within = 4 * level;
    long pairs = 0, soon = 0;
    (void)unused;
    for (int k = 0; k < (getenv("IMPEL_SOAK") ? 60000 : 3000); k++) {
        double bounding_radius = spread(0.3, 1);
        double ahead = spread(1e-3, 0.1);
        Actor b = thrown(STAR + k % (BODIES - STAR), 0.2);
        Actor a = thrown(ELBOW, bounding_radius);
        if (!(gap_of(&a, &b) > level)) continue;
        contact_narrow_phase(model, &a, &b, extent, within, ahead, NULL, NULL, &narrow_phase);
        double t = contact_time_bound(model, &narrow_phase, extent, level, ahead);
        assert_true(t > 0);
        pairs++;
        soon += t < ahead;
        for (int i = 1; i <= 40; i++) {
            contact_move(model, &a, fmin(t, ahead) * i / 40);
            contact_move(model, &b, fmin(t, ahead) * i / 40);
            double gap = gap_of(&a, &b);
            if (!(gap >= level - 1e-9)) {
                fail_msg("body %d: gap %g of %g at %g, told %g", b.index, gap, level, a.t, t);
            }
        }
    }
    print_message("    %ld pairs, %ld of them due before the end\n", pairs, soon);
    assert_true(pairs > 1000 && soon > 100);
}

// What was seen a while ago bounds where they are now, and how fast they are when they can be near.
static void nor_without_looking(void **unused) {
    const double level = 5e-5;
    long kept = 0, pairs = 0;
    (void)unused;
    for (int k = 0; k < (getenv("IMPEL_SOAK") ? 60000 : 3000); k++) {
        double bounding_radius = spread(0.3, 1);
        double later = spread(1e-4, 0.1);
        Actor b = thrown(STAR + k % (BODIES - STAR), 0.2);
        Actor a = thrown(ELBOW, bounding_radius);
        contact_narrow_phase(model, &a, &b, extent, 4 * level, later, NULL, NULL, &narrow_phase);
        NarrowCache seen = { 0 };
        contact_cache_store(model, &narrow_phase, NULL, 0, &seen);
        assert_true(seen.distance <= gap_of(&a, &b) + 1e-12);
        contact_move(model, &a, later);
        contact_move(model, &b, later);
        double left = contact_cache_distance(&seen, &a, &b);
        if (seen.distance <= level) continue;
        pairs++;
        assert_true(left <= seen.distance && left <= gap_of(&a, &b) + 1e-12);
        if (left <= level) continue;
        double t = fmin(contact_time_to_approach(model, &a, &b, extent, left - level), 0.1);
        assert_true(t > 0);
        kept++;
        for (int i = 1; i <= 20; i++) {
            contact_move(model, &a, later + t * i / 20);
            contact_move(model, &b, later + t * i / 20);
            assert_true(gap_of(&a, &b) >= level - 1e-9);
        }
    }
    print_message("    %ld pairs, %ld of them still apart\n", pairs, kept);
    assert_true(pairs > 1000 && kept > 300);
}

// One look after the other, each by what the last one left behind: what is near is found as by a
// search of everything, what is farther is at least as far as told, and the time is never late.
static void nor_by_what_the_last_look_left(void **unused) {
    const double level = 5e-5;
    const double within = 4 * level;
    long query_count = 0, again = 0, near = 0;
    SeparatingAxis axis_cache[MAX_AXES];
    (void)unused;
    for (int k = 0; k < (getenv("IMPEL_SOAK") ? 40000 : 2000); k++) {
        double bounding_radius = spread(0.3, 0.6);
        double ahead = spread(1e-3, 0.05);
        double now = 0;
        Actor b = thrown(k % 2 ? TRAY : STAR, 0.2);
        Actor a = thrown(ELBOW, bounding_radius);
        NarrowCache seen = { 0 };
        NarrowCacheRef last = { &seen, axis_cache };
        for (int i = 0; i < 20; i++) {
            double gap = gap_of(&a, &b);
            if (!(gap > level)) break;
            contact_narrow_phase(model, &a, &b, extent, within, ahead, NULL, i ? &last : NULL,
                                 &narrow_phase);
            double logged_rate = fmin(narrow_phase.list.nearest.c.distance,
                                      narrow_phase.others_distance);
            double t = contact_time_bound(model, &narrow_phase, extent, level, ahead);
            if (logged_rate > gap + 1e-12) {
                fail_msg("body %d, look %d: %g apart, told %g", b.index, i, gap, logged_rate);
            }
            if (gap <= within) {
                NEAR(logged_rate, gap, 1e-12);
            }
            contact_cache_store(model, &narrow_phase, axis_cache, MAX_AXES, &seen);
            query_count++;
            again += narrow_phase.from_cache;
            near += gap <= within;
            double step = fmin(t, 0.2 * ahead);
            for (int j = 1; j <= 8; j++) {
                contact_move(model, &a, now + step * j / 8);
                contact_move(model, &b, now + step * j / 8);
                if (!(gap_of(&a, &b) >= level - 1e-9)) {
                    fail_msg("body %d, look %d: gap %g of %g, told %g", b.index, i, gap_of(&a, &b),
                             level, t);
                }
            }
            now += step;
        }
    }
    print_message("    %ld looks, %ld of them by the last one, %ld within reach\n", query_count,
                  again, near);
    assert_true(again > 1000 && near > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(never_late),
                                        cmocka_unit_test(nor_without_looking),
                                        cmocka_unit_test(nor_by_what_the_last_look_left) };
    return cmocka_run_group_tests(tests, make_model, drop_model);
}
