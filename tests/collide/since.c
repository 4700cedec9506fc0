// since.c -- closest points a moment later, from those before: as good as from nothing, and mostly
// without a search.
//
// SPDX-License-Identifier: MIT
#include "oracle_support.h"

static impModel *zoo;

static impVec3 small(Draws *d, double by) {
    return vec(draw(d, -by, by), draw(d, -by, by), draw(d, -by, by));
}

static impPose nudged(Draws *d, impPose p, double by) {
    impVec3 rotation = small(d, by);
    return pose(add(p.at, small(d, 0.1 * by)),
                qmul(unit(quat(1, rotation.x, rotation.y, rotation.z)), p.rotation));
}

// Both turned and shifted a little: from the last answer to the next, as good as any, and mostly
// without a search.
static void what_follows_is_certified(void **state) {
    (void)state;
    // by 0.1 another edge is nearest as often as not
    const double by[3] = { 1e-6, 1e-3, 0.1 };
    const double least[3] = { 0.95, 0.95, 0.6 };
    int count = soak_count(6000);
    int followed[3] = { 0 };
    int asked[3] = { 0 };
    Draws d = { 1995, 0 };
    for (int i = 0; i < count; i++) {
        int sa = ZOO_CYLINDER + i % (ZOO_SHAPES - ZOO_CYLINDER);
        int sb = (i / 8) % ZOO_SHAPES;
        int size = i % 3;
        Placed a, b;
        char what[60];
        draw_pair(&d, zoo, sa, sb, i % 2 ? APART_NEAR : APART_FAR, &a, &b);
        Closest c = collide_closest(&a, &b, NULL);
        a.pose = nudged(&d, a.pose, by[size]);
        b.pose = nudged(&d, b.pose, by[size]);
        c = collide_closest_since(&a, &b, &c);
        snprintf(what, sizeof what, "%s and %s, moved by %g", zoo_names[sa], zoo_names[sb],
                 by[size]);
        oracle_certify(&a, &b, &c, what, i);
        asked[size]++;
        followed[size] += c.steps == 0;
    }
    for (int size = 0; size < 3; size++) {
        if (followed[size] < least[size] * asked[size]) {
            fail_msg("moved by %g: %d of %d needed a search", by[size],
                     asked[size] - followed[size], asked[size]);
        }
    }
}

static void a_wrong_start_does_no_harm(void **state) {
    (void)state;
    Draws d = { 1996, 0 };
    Closest last = { .distance = 1,
                     .normal = vec(0, 0, 1),
                     .feature_a = feature_of(FEATURE_EDGE, 1000000),
                     .feature_b = feature_of(FEATURE_FACE, 1000000) };
    // that of quite other shapes, elsewhere
    for (int i = 0; i < 2000; i++) {
        Placed a, b;
        draw_pair(&d, zoo, ZOO_CYLINDER + i % (ZOO_SHAPES - ZOO_CYLINDER), (i / 8) % ZOO_SHAPES,
                  (Apart)(i % 3), &a, &b);
        Closest c = collide_closest_since(&a, &b, &last);
        oracle_certify(&a, &b, &c, "from elsewhere", i);
        last = c;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_follows_is_certified),
        cmocka_unit_test(a_wrong_start_does_no_harm),
    };
    zoo = zoo_build(1);
    int failed = RUN(tests);
    impModel_Free(zoo);
    return failed;
}
