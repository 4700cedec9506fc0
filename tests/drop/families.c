// families.c -- poses between which a part rolls are one family: round parts of any number of
// sides, and faces split by noise.
//
// Round parts have the mass of the true shape, given, so that a polygon of many sides and the shape
// itself differ only in what touches. IMPEL_SOAK=1: more sides and ten times as many drops.
//
// SPDX-License-Identifier: MIT
#include "parts_support.h"

// --- the landscape -------------------------------------------------------------------------------
static void check_rule(const Dropped *d) {
    const impPart *p = d->part;
    int members = 0;
    double share = 0;
    for (int i = 0; i < p->families; i++) {
        const impFamily *f = &p->family[i];
        double height = p->rest[f->lowest].height;
        assert_true(f->inner <= p->report.join * height * (1 + 1e-12));
        assert_true(f->members == 1 ? f->inner == 0 : f->inner > 0);
        assert_true(f->barrier > p->report.join * height || f->members == 1);
        assert_true(f->barrier >= f->inner);
        members += f->members;
        share += f->quasi_static;
    }
    assert_int_equal(members, p->rests);
    NEAR(share, 1, 1e-9);
    for (int i = 0; i < p->rests; i++) {
        assert_true(p->rest[i].height >= p->rest[p->family[p->rest[i].family].lowest].height);
    }
}

static void sides_are_one_family(void **state) {
    (void)state;
    Dropped prism = drop_round(&drop_rounds[0], 48);
    assert_int_equal(prism.part->rests, 50);
    assert_int_equal(prism.part->families, 3);
    check_rule(&prism);
    int side = prism.part->rest[2].family;
    assert_int_equal(prism.part->family[side].members, 48);
    double inner = 0.020 * (1 - num_cos(PI / 48));
    NEAR(prism.part->family[side].inner, inner, 1e-12);
    drop_free(&prism);

    // facets of eight sides are far apart
    Dropped few = drop_round(&drop_rounds[0], 8);
    assert_int_equal(few.part->families, few.part->rests);
    check_rule(&few);
    drop_free(&few);
}

static void joined_as_asked(void **state) {
    (void)state;
    Dropped d = drop_round(&drop_rounds[0], 48);
    const struct {
        double join;
        int families;
    } asked[] = { { -1, 50 }, { 0, 3 }, { 1e-4, 50 }, { 0.3, 3 }, { 1, 2 } };
    for (int i = 0; i < COUNT(asked); i++) {
        impError err = { 0 };
        impPart *part = impPart_New(d.model, (impBody){ 1 }, &(impPartDef){ .join = asked[i].join },
                                    &err);
        assert_non_null(part);
        if (impPart_FamilyCount(part) != asked[i].families) {
            fail_msg("join %g: %d families, not %d", asked[i].join, impPart_FamilyCount(part),
                     asked[i].families);
        }
        impPart_Free(part);
    }
    assert_null(impPart_New(d.model, (impBody){ 1 }, &(impPartDef){ .join = 1.5 }, NULL));
    drop_free(&d);
}

// --- drops ---------------------------------------------------------------------------------------
// by the face that looks down: z 0, z height, the side
typedef struct Ends {
    double down, up, side, none, impacts;
} Ends;

static Ends drop_all(const Dropped *d, int64_t first, int64_t count) {
    static impError err;
    Ends ends = { 0 };
    impDrops *drops = impDrops_New(d->part, &d->def, &err);
    impDropOutcome *out = calloc((size_t)count, sizeof *out);
    assert_true(drops && out && impDrops_Run(drops, first, count, 2, out));
    for (int64_t i = 0; i < count; i++) {
        ends.impacts += out[i].impacts;
        if (out[i].family < 0) {
            ends.none++;
            continue;
        }
        double z = d->part->rest[d->part->family[out[i].family].lowest].normal.z;
        ends.down += z < -0.99;
        ends.up += z > 0.99;
        ends.side += fabs(z) <= 0.99;
    }
    free(out);
    impDrops_Free(drops);
    return ends;
}

static int times(void) { return getenv("IMPEL_SOAK") ? 10 : 1; }

static void few_are_unresolved(void **state) {
    (void)state;
    const int sides[] = { 8, 48, 512, 16, 128, 12, 24, 32, 64, 96, 256 };
    int tried = getenv("IMPEL_SOAK") ? COUNT(sides) : 3;
    int64_t count = 300 * times();
    for (int k = 0; k < DROP_ROUNDS; k++) {
        for (int i = 0; i < tried; i++) {
            Dropped d = drop_round(&drop_rounds[k], sides[i]);
            Ends ends = drop_all(&d, 0, count);
            if (ends.none > 1e-3 * (double)count) {
                fail_msg("%s of %d sides: %g unresolved", drop_rounds[k].name, sides[i], ends.none);
            }
            drop_free(&d);
        }
    }
}

static double two_counts(double a, double b) {
    return a + b >= 20 ? (a - b) * (a - b) / (a + b) : 0;
}

// A test that can fail: a polygon of 48 sides is not the true shape, as its facets take energy.
static void few_sides_are_another_shape(void **state) {
    (void)state;
    Dropped sides = drop_round(&drop_rounds[0], 48);
    Dropped smooth = drop_round(&drop_rounds[0], 0);
    Ends a = drop_all(&sides, 0, 1500);
    Ends b = drop_all(&smooth, 0, 1500);
    assert_true(two_counts(a.side, b.side) > 30);
    drop_free(&sides);
    drop_free(&smooth);
}

// Hops are slower than facets land, or they would spare a rolling part what its edges cost: shares
// do not depend on how fine the drops are. Tubes that wobble on an end, whose facets land more
// slowly by the sine of the tilt, and plates of few sides, that rock on a narrow rim, too.
static void as_finer_drops(void **state) {
    (void)state;
    static const struct {
        int part, sides;
        int64_t count;
    } tried[] = { { 3, 64, 12000 }, { 3, 128, 24000 }, { 0, 128, 12000 }, { 0, 256, 6000 },
                  { 2, 10, 24000 }, { 2, 14, 8000 },   { 2, 24, 8000 } };
    for (int k = 0; k < COUNT(tried); k++) {
        Dropped d = drop_round(&drop_rounds[tried[k].part], tried[k].sides);
        Ends usual = drop_all(&d, 0, tried[k].count);
        d.def.fine = true;
        Ends fine = drop_all(&d, 0, tried[k].count);
        double n = (double)tried[k].count;
        double shift = (usual.side - fine.side) / n;
        double share = (usual.side + fine.side) / (2 * n);
        double sigma = sqrt(2 * share * (1 - share) / n);
        print_message("%s of %d sides: on its side %.4f, finer drops %.4f\n",
                      drop_rounds[tried[k].part].name, tried[k].sides, usual.side / n,
                      fine.side / n);
        assert_true(fabs(shift) < 0.004 + 2 * sigma);
        drop_free(&d);
    }
}

// --- faces split by noise ------------------------------------------------------------------------
// A brick whose largest face is split by a ridge: two poses whose barrier is 1e-5 of its size, one
// family, and no more work.
static void split_faces_cost_nothing(void **state) {
    (void)state;
    impVec3 point[10];
    int count = 0;
    for (int i = 0; i < 8; i++) {
        point[count++] = vec(i & 1 ? 0.01 : 0, i & 2 ? 0.02 : 0, i & 4 ? 0.03 : 0);
    }
    Dropped plain = drop_points(point, count, 0);
    point[count++] = vec(0.01 + 1.65e-4, 0, 0.015);
    point[count++] = vec(0.01 + 1.65e-4, 0.02, 0.015);
    Dropped split = drop_points(point, count, 0);
    assert_int_equal(plain.part->families, 6);
    assert_int_equal(split.part->rests, 7);
    assert_int_equal(split.part->families, 6);
    double shallowest = 1;
    for (int i = 0; i < 7; i++) {
        shallowest = fmin(shallowest, split.part->rest[i].barrier);
    }
    NEAR(shallowest, 3e-7, 0.5e-7);
    Ends a = drop_all(&plain, 0, 1000);
    Ends b = drop_all(&split, 0, 1000);
    assert_true(a.none == 0 && b.none == 0);
    assert_true(b.impacts < 1.5 * a.impacts);
    drop_free(&plain);
    drop_free(&split);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sides_are_one_family), cmocka_unit_test(joined_as_asked),
        cmocka_unit_test(few_are_unresolved),   cmocka_unit_test(few_sides_are_another_shape),
        cmocka_unit_test(as_finer_drops),       cmocka_unit_test(split_faces_cost_nothing),
    };
    return RUN(tests);
}
