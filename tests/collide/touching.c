// touching.c -- polytopes that touch to the last bit, from any start: the walk ends, and the answer
// is one.
//
// There every comparison of the walk is a coin toss of rounding, and a walk without an end to it
// would go round in circles (it did: about 1 in 3000 walks). IMPEL_SOAK=N draws N pairs instead of
// the usual ones.
//
// SPDX-License-Identifier: MIT
#include "oracle_support.h"

static impModel *zoo;

static Feature any_feature(Draws *d, const Shape *s) {
    int counts[3] = { s->vertex_count, s->edge_count, s->face_count };
    int kind = (int)draw(d, 0, 3);
    if (counts[kind] == 0) {
        kind = FEATURE_VERTEX;
    }
    return feature_of((FeatureKind)kind, (int)draw(d, 0, counts[kind]));
}

static StartFeature any_start(Draws *d, const Placed *a, const Placed *b) {
    Feature fa = any_feature(d, a->shape);
    Feature fb = any_feature(d, b->shape);
    return (StartFeature){ fa, fb, true };
}

static void same_answer(const Closest *c, const Closest *e, int i) {
    if (memcmp(&c->distance, &e->distance, sizeof c->distance) == 0 &&
        memcmp(&c->normal, &e->normal, sizeof c->normal) == 0 &&
        memcmp(&c->on_a, &e->on_a, sizeof c->on_a) == 0 &&
        memcmp(&c->on_b, &e->on_b, sizeof c->on_b) == 0)
        return;
    fail_msg("pair %d: distance %.17g from no hint, %.17g from another start", i, c->distance,
             e->distance);
}

static void the_start_does_not_matter(void **state) {
    (void)state;
    Draws d = { 99, 0 };
    int count = soak_count(20000);
    const Apart kinds[3] = { APART_TOUCH, APART_DEEP, APART_SHALLOW };
    for (int i = 0; i < count; i++) {
        int sa = (int)draw(&d, ZOO_CAPSULE, ZOO_CYLINDER);
        int sb = (int)draw(&d, ZOO_CAPSULE, ZOO_CYLINDER);
        Placed a, b;
        draw_pair(&d, zoo, sa, sb, kinds[i % 3], &a, &b);
        Closest c = collide_closest(&a, &b, NULL);
        assert_false(c.fallback);
        for (int k = 0; k < 4; k++) {
            StartFeature h = any_start(&d, &a, &b);
            Closest e = collide_closest(&a, &b, &h);
            assert_false(e.fallback);
            same_answer(&c, &e, i);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_start_does_not_matter) };
    zoo = zoo_build(1);
    int failed = RUN(tests);
    impModel_Free(zoo);
    return failed;
}
