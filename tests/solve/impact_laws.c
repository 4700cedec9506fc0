// impact_laws.c -- what holds for every collision: energy, the cone, parting, symmetry, and that it
// always ends.
//
// Random collisions of physical bodies (impact_support.c). 1e5 of them, or IMPEL_SOAK as a number:
// a million is the promise of the issue, and takes some seconds.
//
// SPDX-License-Identifier: MIT
#include "impact_support.h"

typedef struct Tally {
    int64_t count, slides, sticks, stops, resumed, inconsistent, again, energy_gains;
    double energy, cone, book, poisson, steps;
    int most;
} Tally;

static int64_t soak(int64_t usual) {
    const char *text = getenv("IMPEL_SOAK");
    double value = 0;
    if (!text || !number_read(text, strlen(text), false, &value)) return usual;
    return value > (double)usual ? (int64_t)value : usual;
}

// NaN is the worst
static double worse(double a, double b) { return b > a || b != b ? b : a; }

static impVec3 moved(const impImpactDef *d, impVec3 p) {
    return vec(d->u.x + d->k[0][0] * p.x + d->k[0][1] * p.y + d->k[0][2] * p.z,
               d->u.y + d->k[0][1] * p.x + d->k[1][1] * p.y + d->k[1][2] * p.z,
               d->u.z + d->k[0][2] * p.x + d->k[1][2] * p.y + d->k[2][2] * p.z);
}

static void count_modes(Tally *t, const impImpactDef *def, const impImpact *hit) {
    int compressions = 0;
    bool ray = false;
    bool slide = false;
    bool stick = false;
    for (int i = 0; i < hit->phase_count; i++) {
        const impImpactPhase *a = &hit->phases[i];
        ray |= a->mode == IMP_RAY;
        slide |= a->mode == IMP_SLIDE;
        stick |= a->mode == IMP_STICK;
        compressions += a->stage == IMP_COMPRESSION &&
                        (i == 0 || hit->phases[i - 1].stage == IMP_RESTITUTION);
        assert_true(a->pz >= 0);
    }
    t->slides += slide && !stick && !ray;
    t->sticks += stick && !slide;
    t->stops += slide && stick;
    t->resumed += slide && ray;
    t->again += compressions > 1;
    t->inconsistent += slide && solve_impact_slope(def, def->u.x, def->u.y).z < 0;
    if (compressions == 1 && def->law == IMP_POISSON) {
        t->poisson = worse(t->poisson,
                           fabs(hit->p.z / ((1 + def->restitution) * hit->compression) - 1));
    }
}

static void judge(Tally *t, const impImpactDef *def, int64_t i) {
    impImpact hit;
    impVerdict verdict = solve_impact(def, &hit, NULL);
    if (verdict != IMP_SOLVED) {
        fail_msg("hit %lld of law %d: verdict %d", (long long)i, def->law, verdict);
    }
    double mu = def->friction_static > 0 ? def->friction_static : def->friction_dynamic;
    double size = norm(hit.p) * norm(def->u);
    double k = def->k[0][0] + def->k[1][1] + def->k[2][2];
    if (!(hit.u.z >= 0)) {
        fail_msg("hit %lld of law %d: still approaching by %g", (long long)i, def->law, -hit.u.z);
    }
    t->count++;
    t->steps += hit.steps;
    t->most = hit.steps > t->most ? hit.steps : t->most;
    t->energy_gains += hit.gain;
    t->energy = worse(t->energy, hit.energy_change / size);
    t->cone = worse(t->cone,
                    (sqrt(hit.p.x * hit.p.x + hit.p.y * hit.p.y) - mu * hit.p.z) / hit.p.z);
    t->book = worse(t->book,
                    largest(sub(moved(def, hit.p), hit.u)) / (norm(def->u) + k * norm(hit.p)));
    count_modes(t, def, &hit);
}

static void print(const char *law, const Tally *t) {
    print_message("%s: %lld collisions: slide %lld, stick %lld, slide then stick %lld, slide on "
                  "%lld; inconsistent %lld, "
                  "compressed again %lld, gain %lld\n",
                  law, (long long)t->count, (long long)t->slides, (long long)t->sticks,
                  (long long)t->stops, (long long)t->resumed, (long long)t->inconsistent,
                  (long long)t->again, (long long)t->energy_gains);
    print_message("    worst: energy %+.1e of |p||u|, cone %+.1e, u - u0 - Kp %.1e, (1+e) rule "
                  "%.1e; series %.2f, "
                  "most %d\n",
                  t->energy, t->cone, t->book, t->poisson, t->steps / (double)t->count, t->most);
}

static Tally many(impLaw law, const char *name, int64_t count) {
    Tally t = { .energy = -1, .cone = -1 };
    for (int64_t i = 0; i < count; i++) {
        impImpactDef def = random_hit(11, i);
        def.law = law;
        judge(&t, &def, i);
    }
    print(name, &t);
    return t;
}

static void no_gain_no_stall_no_cone_violation(void **state) {
    (void)state;
    int64_t count = soak(100000);
    static const char *const names[] = { "Poisson", "Stronge", "Newton" };
    for (int law = IMP_POISSON; law <= IMP_NEWTON; law++) {
        Tally t = many((impLaw)law, names[law], law == IMP_POISSON ? count : count / 2);
        // that law creates energy, and says so
        if (law != IMP_NEWTON) {
            assert_true(t.energy <= 1e-13 && t.energy_gains == 0);
        } else {
            assert_true(t.energy_gains > 0);
        }
        assert_true(t.cone <= 1e-12 && t.book <= 1e-12 && t.poisson <= 1e-11);
        assert_true(t.most < 200 && t.inconsistent > 0 && t.stops > 0 && t.resumed > 0);
    }
}

// Matrices that no careful scene has: nearly singular, any shape.
static void nearly_singular(void **state) {
    (void)state;
    Tally t = { .energy = -1, .cone = -1 };
    for (int i = 0; i < 20000; i++) {
        double w[9];
        for (int j = 0; j < 9; j++) {
            w[j] = 2 * num_uniform(3, (uint64_t)i, (uint64_t)j) - 1;
        }
        double small = i % 2 ? 1e-6 : 1e-3;
        Mat3 g = mat3(vec(w[0], w[1], w[2]), vec(w[3], w[4], w[5]),
                      scale(small, vec(w[6], w[7], w[8])));
        impImpactDef def = random_hit(13, i);
        put_matrix(&def, mat3_add(mat3_mul(transpose(g), g), mat3_diagonal(1e-9, 1e-9, 1e-9)));
        def.law = i % 3 ? IMP_POISSON : IMP_STRONGE;
        judge(&t, &def, i);
    }
    print("nearly singular", &t);
    assert_true(t.energy <= 1e-10 && t.cone <= 1e-9 && t.book <= 1e-10);
    assert_true(t.again > 0);
}

// P21: at most one direction in which sliding grows, and only if friction cannot hold the contact.
// Between angles where s dth/dp changes sign lies a ray; ds/dp there has a sign.
static int growing_rays(const impImpactDef *def) {
    enum { ANGLES = 360 };
    int rays = 0;
    impVec3 before = { 0 };
    double turn_before = 0;
    for (int i = 0; i <= ANGLES; i++) {
        SinCos t = num_sincos_turns((double)(i % ANGLES) / ANGLES);
        impVec3 slope = solve_impact_slope(def, t.cos, t.sin);
        double rotation = slope.y * t.cos - slope.x * t.sin;
        double grow = slope.x * t.cos + slope.y * t.sin;
        if (i && (rotation > 0) != (turn_before > 0) && grow > 0 && before.x > 0) {
            rays++;
        }
        turn_before = rotation;
        before.x = grow;
    }
    return rays;
}

static void one_growing_direction_at_most(void **state) {
    (void)state;
    int64_t count = soak(100000) / 10;
    int found = 0;
    for (int64_t i = 0; i < count; i++) {
        impImpactDef def = random_hit(17, i);
        double ratio = solve_impact_stick_ratio(&def);
        if (def.friction_dynamic == 0) continue;
        if (growing_rays(&def) > (ratio > def.friction_dynamic ? 1 : 0)) {
            fail_msg("hit %lld", (long long)i);
        }
        if (!(ratio > def.friction_dynamic)) continue;
        ImpactRay r = solve_impact_ray(&def);
        impVec3 slope = solve_impact_slope(&def, r.x, r.y);
        NEAR(r.x * r.x + r.y * r.y, 1, 1e-14);
        double size = def.k[0][0] + def.k[1][1];
        NEAR(slope.y * r.x - slope.x * r.y, 0, 1e-12 * size);
        NEAR(slope.x * r.x + slope.y * r.y, r.rate, 1e-12 * size);
        assert_true(r.rate >= 0);
        found++;
    }
    assert_true(found > count / 20);
}

// Any compiler, any machine, any level of optimisation.
static void same_bits_everywhere(void **state) {
    (void)state;
    uint64_t hash = HASH_START;
    for (int i = 0; i < 20000; i++) {
        impImpactDef def = random_hit(77, i);
        impImpact a;
        def.law = (impLaw)(i % 3);
        assert_int_equal(solve_impact(&def, &a, NULL), IMP_SOLVED);
        const double values[] = { a.p.x, a.p.y, a.p.z,           a.u.x,
                                  a.u.y, a.u.z, a.energy_change, a.compression };
        hash = hash_doubles(hash, values, COUNT(values));
    }
    if (hash != 0x847eb3100672ace8u) {
        fail_msg("the hash is %016llx", (unsigned long long)hash);
    }
}

// --- symmetry ------------------------------------------------------------------------------------
static void solve_ok(const impImpactDef *def, impImpact *out) {
    assert_int_equal(solve_impact(def, out, NULL), IMP_SOLVED);
}

static void same(impVec3 a, impVec3 b) {
    // -0 + 0 is 0
    SAME_BITS(a.x + 0, b.x + 0);
    SAME_BITS(a.y + 0, b.y + 0);
    SAME_BITS(a.z, b.z);
}

static void mirrored(void **state) {
    (void)state;
    for (int i = 0; i < 3000; i++) {
        impImpactDef def = random_hit(19, i);
        impImpactDef other = def;
        impImpactDef swapped = def;
        impImpact a, b, c;
        other.u.x = -def.u.x;
        other.k[0][1] = other.k[1][0] = -def.k[0][1];
        other.k[0][2] = other.k[2][0] = -def.k[0][2];
        swapped.u.x = def.u.y;
        swapped.u.y = def.u.x;
        swapped.k[0][0] = def.k[1][1];
        swapped.k[1][1] = def.k[0][0];
        swapped.k[0][2] = swapped.k[2][0] = def.k[1][2];
        swapped.k[1][2] = swapped.k[2][1] = def.k[0][2];
        solve_ok(&def, &a);
        solve_ok(&other, &b);
        solve_ok(&swapped, &c);
        same(vec(-b.p.x, b.p.y, b.p.z), a.p);
        same(vec(-b.u.x, b.u.y, b.u.z), a.u);
        // x and y exchanged is a mirror, too; sums of three are not symmetric to the last bit
        NEAR(largest(sub(vec(c.p.y, c.p.x, c.p.z), a.p)) / norm(a.p), 0, 1e-12);
    }
}

static void scaled_by_powers_of_two(void **state) {
    (void)state;
    for (int i = 0; i < 3000; i++) {
        impImpactDef def = random_hit(23, i);
        impImpactDef fast = def;
        impImpactDef light = def;
        impImpact a, b, c;
        fast.u = scale(0x1p7, def.u);
        for (int j = 0; j < 9; j++) {
            light.k[j / 3][j % 3] = 0x1p-5 * def.k[j / 3][j % 3];
        }
        def.law = fast.law = light.law = i % 2 ? IMP_POISSON : IMP_STRONGE;
        solve_ok(&def, &a);
        solve_ok(&fast, &b);
        solve_ok(&light, &c);
        same(b.p, scale(0x1p7, a.p));
        same(b.u, scale(0x1p7, a.u));
        same(c.p, scale(0x1p5, a.p));
        same(c.u, a.u);
    }
}

// The frame of the tangents is a choice: turned by an angle, all turns with it.
static void turned_tangents(void **state) {
    (void)state;
    for (int i = 0; i < 2000; i++) {
        impImpactDef def = random_hit(29, i);
        impImpactDef other = def;
        impImpact a, b;
        Mat3 k = mat3(vec(def.k[0][0], def.k[0][1], def.k[0][2]),
                      vec(def.k[0][1], def.k[1][1], def.k[1][2]),
                      vec(def.k[0][2], def.k[1][2], def.k[2][2]));
        Mat3 frame = rotation(quat_rotation(vec(0, 0, 1), 6 * num_uniform(1, (uint64_t)i, 0)));
        put_matrix(&other, rotated(frame, k));
        other.u = mul(frame, def.u);
        solve_ok(&def, &a);
        solve_ok(&other, &b);
        double size = norm(a.p);
        // planar: rounding may turn a reversal into a near miss
        if (i % 10 == 9) continue;
        NEAR(largest(sub(b.p, mul(frame, a.p))) / size, 0, 1e-9);
    }
}

// --- coefficients --------------------------------------------------------------------------------
// |A^-1 k| = 0.493 of this rod lies between the two: at rest it sticks, moving it slides as if
// there were only dynamic.
static void static_friction_holds_what_dynamic_cannot(void **state) {
    (void)state;
    impImpactDef def = { .k = { { 2.92, 0, 1.44 }, { 0, 4, 0 }, { 1.44, 0, 2.08 } },
                         .u = { 0, 0, -1 },
                         .friction_dynamic = 0.3,
                         .restitution = 0.5 };
    impImpact a, b;
    solve_ok(&def, &a);
    assert_int_equal(a.phases[0].mode, IMP_RAY);
    def.friction_static = 0.5;
    solve_ok(&def, &a);
    assert_int_equal(a.phases[0].mode, IMP_STICK);
    NEAR(a.p.x / a.p.z, -1.44 / 2.92, 1e-15);
    def.friction_static = 0.49;
    solve_ok(&def, &a);
    assert_int_equal(a.phases[0].mode, IMP_RAY);
    def.u.x = 3;
    solve_ok(&def, &a);
    def.friction_static = 0;
    solve_ok(&def, &b);
    same(a.p, b.p);
}

// --- the path ------------------------------------------------------------------------------------
// Looking changes nothing; the path starts at u, ends at the result, never goes back in p_z, and
// obeys u = u0 + K p.
static void the_path_is_the_way(void **state) {
    (void)state;
    static impImpactSample s[4000];
    for (int i = 0; i < 2000; i++) {
        impImpactDef def = random_hit(31, i);
        ImpactPath path = { s, 4000, 0 };
        ImpactPath none = { NULL, 0, 0 };
        impImpact a, b;
        def.law = (impLaw)(i % 3);
        solve_ok(&def, &a);
        assert_int_equal(solve_impact(&def, &b, &path), IMP_SOLVED);
        same(a.p, b.p);
        same(a.u, b.u);
        assert_int_equal(solve_impact(&def, &b, &none), IMP_SOLVED);
        assert_int_equal(none.count, path.count);
        assert_in_range(path.count, 2, 4000);
        same(s[0].u, def.u);
        same(s[path.count - 1].p, a.p);
        for (int j = 1; j < path.count; j++) {
            assert_true(s[j].p.z >= s[j - 1].p.z - 1e-12 * a.p.z);
            NEAR(largest(sub(moved(&def, s[j].p), s[j].u)) / (norm(def.u) + norm(s[j].u)), 0,
                 1e-10);
        }
    }
}

// --- ends of the range ---------------------------------------------------------------------------
static void strange_but_true(void **state) {
    (void)state;
    impImpactDef def = { .k = { { 2.3, 0.15, 0.7 }, { 0.15, 2.9, -0.4 }, { 0.7, -0.4, 1.8 } },
                         .u = { -0.8, 0.3, -1 },
                         .friction_dynamic = 0.25,
                         .restitution = 0.7 };
    const impImpactDef usual = def;
    Tally t = { .energy = -1, .cone = -1 };
    static const double frictions[] = { 0, 1e-300, 1e-12, 1e3, 1e6, 1e9 };
    static const double speeds[] = { 1e-300, 1e-100, 1e-18, 1e-9, 1e9, 1e100 };
    for (int i = 0; i < COUNT(frictions); i++) {
        def.friction_dynamic = frictions[i];
        judge(&t, &def, i);
    }
    for (int i = 0; i < COUNT(speeds); i++) {
        def = usual;
        def.u = scale(speeds[i] < 1e-120 ? 1e-100 : speeds[i], usual.u);
        judge(&t, &def, 100 + i);
        def = usual;
        def.u.z = -speeds[i];
        judge(&t, &def, 200 + i);
        def = usual;
        def.u.x = speeds[i];
        judge(&t, &def, 300 + i);
        def = usual;
        def.u.x = speeds[i];
        def.u.y = 0;
        def.law = IMP_STRONGE;
        judge(&t, &def, 400 + i);
    }
    assert_true(t.energy <= 1e-13);
}

static void beyond_double_is_a_verdict(void **state) {
    (void)state;
    impImpactDef def = { .k = { { 1e200, 0, 0 }, { 0, 2e200, 0 }, { 0, 0, 1e200 } },
                         .u = { 1e200, 1e200, -1e200 },
                         .friction_dynamic = 1e200,
                         .restitution = 0.5 };
    impImpact hit;
    assert_int_equal(solve_impact(&def, &hit, NULL), IMP_NOT_FINITE);
    static impError err;
    assert_false(impImpact_Solve(&def, &hit, &err));
    assert_int_equal(err.fault, IMP_AT_LIMIT);
    SAME_TEXT(err.message[0].text, "numbers near the ends of the range of double");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_gain_no_stall_no_cone_violation),
        cmocka_unit_test(nearly_singular),
        cmocka_unit_test(one_growing_direction_at_most),
        cmocka_unit_test(same_bits_everywhere),
        cmocka_unit_test(mirrored),
        cmocka_unit_test(scaled_by_powers_of_two),
        cmocka_unit_test(turned_tangents),
        cmocka_unit_test(static_friction_holds_what_dynamic_cannot),
        cmocka_unit_test(the_path_is_the_way),
        cmocka_unit_test(strange_but_true),
        cmocka_unit_test(beyond_double_is_a_verdict),
    };
    return RUN(tests);
}
