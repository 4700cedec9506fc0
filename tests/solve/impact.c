// impact.c -- one frictional collision against what is known: 40-digit references, closed forms,
// mechanisms, an oracle.
//
// References of docs/validation/cases.md lie in fixtures/. The oracle
// (impact_support.c) is the classical Runge-Kutta method in polar form.
//
// SPDX-License-Identifier: MIT
#include "impact_support.h"

static double off(impVec3 a, impVec3 b, double size) { return largest(sub(a, b)) / size; }

static impImpact solved(const impImpactDef *def) {
    impImpact impact;
    memset(&impact, 0xA5, sizeof impact);
    if (solve_impact(def, &impact, NULL) != IMP_SOLVED) {
        fail_msg("not solved");
    }
    return impact;
}

// --- references ----------------------------------------------------------------------------------
static void phases_agree(const JsonNode *item, const impImpact *impact) {
    static const char *const stages[] = { "compression", "restitution" };
    static const char *const modes[] = { "slide", "stick", "ray" };
    const JsonNode *phase = json_first(json_find(item, "phases"));
    int i = 0;
    for (; phase && i < impact->phase_count; phase = json_next(phase), i++) {
        SAME_TEXT(stages[impact->phases[i].stage], case_text(phase, "stage"));
        SAME_TEXT(modes[impact->phases[i].mode], case_text(phase, "mode"));
        NEAR(impact->phases[i].pz, case_number(phase, "p_z"), 1e-11 * impact->p.z);
    }
    if (phase || i != impact->phase_count) {
        fail_msg("%s: %d phases", case_text(item, "name"), impact->phase_count);
    }
}

static void forty_digits(void **state) {
    (void)state;
    Cases cases = cases_open("collision.json");
    int count = 0;
    for (const JsonNode *item = cases.first; item; item = json_next(item), count++) {
        impImpactDef def = case_def(item);
        impImpact impact = solved(&def);
        impVec3 p = case_vec(item, "p");
        impVec3 u = case_vec(item, "u");
        double e_p = off(impact.p, p, largest(p));
        double e_u = off(impact.u, u, largest(def.u));
        if (!(e_p <= 1e-12 && e_u <= 2e-12)) {
            fail_msg("%s: p off by %.1e, u by %.1e", case_text(item, "name"), e_p, e_u);
        }
        NEAR(impact.energy_change, case_number(item, "energy_change"), 1e-12);
        NEAR(impact.compression, case_number(item, "compression"), 1e-12);
        NEAR(solve_impact_stick_ratio(&def), case_number(item, "stick_ratio"), 1e-14);
        assert_int_equal(impact.gain,
                         def.law == IMP_NEWTON && case_number(item, "energy_change") > 0);
        phases_agree(item, &impact);
    }
    assert_int_equal(count, 26);
    cases_close(&cases);
}

static void outgoing_rates(void **state) {
    (void)state;
    Cases cases = cases_open("collision.json");
    int rays = 0;
    for (const JsonNode *item = cases.first; item; item = json_next(item)) {
        const JsonNode *rate = json_find(item, "outgoing_rate");
        if (!rate || rate->kind == JSON_NULL) continue;
        impImpactDef def = case_def(item);
        NEAR(solve_impact_ray(&def).rate, rate->number, 1e-14);
        rays++;
    }
    assert_true(rays > 3);
    cases_close(&cases);
}

// The file's own matrix, and the one built here from its bodies. The file says that it is good to
// some 1e-9.
static void two_bodies(void **state) {
    (void)state;
    Cases cases = cases_open("collision3d.json");
    int count = 0;
    for (const JsonNode *item = cases.first; item; item = json_next(item), count++) {
        impImpactDef def = case_def(item);
        const JsonNode *m1 = json_first(json_find(item, "m"));
        const JsonNode *m2 = json_next(m1);
        Mat3 k = mat3_add(share_of(m1->number, case_matrix(item, "i1"), case_vec(item, "r1")),
                          share_of(m2->number, case_matrix(item, "i2"), case_vec(item, "r2")));
        for (int built = 0; built < 2; built++) {
            if (built) {
                put_matrix(&def, k);
            }
            impImpact impact = solved(&def);
            impVec3 p = case_vec(item, "p");
            double e_p = off(impact.p, p, largest(p));
            if (!(e_p <= 1e-9)) {
                fail_msg("case %d: p off by %.1e", count, e_p);
            }
            NEAR(off(impact.u, case_vec(item, "u"), largest(def.u)), 0, 1e-9);
            NEAR(impact.energy_change / case_number(item, "energy_change"), 1, 1e-9);
        }
    }
    assert_int_equal(count, 40);
    cases_close(&cases);
}

// --- closed forms --------------------------------------------------------------------------------
static void sphere_case(const JsonNode *item) {
    double m = case_number(item, "m");
    double radius = case_number(item, "R");
    double inertia = 0.4 * m * radius * radius;
    impVec3 v = case_vec(item, "v");
    impVec3 w = case_vec(item, "w");
    impVec3 r = { 0, 0, -radius };
    impImpactDef def = { .u = add(v, cross(w, r)),
                         .friction_dynamic = case_number(item, "mu"),
                         .restitution = case_number(item, "e") };
    put_matrix(&def, share_of(m, mat3_diagonal(inertia, inertia, inertia), r));
    impImpact impact = solved(&def);
    NEAR(off(impact.p, case_vec(item, "p"), 1), 0, 1e-15);
    NEAR(off(madd(v, 1 / m, impact.p), case_vec(item, "v_after"), 1), 0, 1e-14);
    NEAR(off(madd(w, 1 / inertia, cross(r, impact.p)), case_vec(item, "w_after"), 1), 0, 1e-12);
    // no series is needed
    assert_int_equal(impact.steps, 0);
}

// Where a slide stops, the file's numbers come from an integration that ended some 1e-10 early: see
// rod_by_hand.
static void planar_case(const JsonNode *item) {
    impImpactDef def = case_def(item);
    impImpact impact = solved(&def);
    impVec3 p = case_vec(item, "p");
    NEAR(off(impact.p, p, largest(p)), 0, 4e-10);
    NEAR(off(impact.u, case_vec(item, "u"), largest(def.u)), 0, 4e-10);
    assert_int_equal(impact.steps, 0);
}

static void closed_forms(void **state) {
    (void)state;
    Cases cases = cases_open("closed_forms.json");
    int spheres = 0, count = 0;
    for (const JsonNode *item = cases.first; item; item = json_next(item), count++) {
        if (strcmp(case_text(item, "kind"), "sphere") == 0) {
            sphere_case(item);
            spheres++;
        } else {
            planar_case(item);
        }
    }
    assert_int_equal(spheres, 4);
    assert_int_equal(count, 38);
    cases_close(&cases);
}

// The last rod of the file by exact fractions: K = (5/2, -3/2; 5/2), u = (3/5, -1), mu = 1/2, e =
// 3/5, Poisson. It slides: du = (-5/4 - 3/2, 3/4 + 5/2) dp, stops at p = 12/55, u_z = -1 + 13/4 *
// 12/55 = -16/55, slips back with friction +1/2: du = (-1/4, 7/4) dp, is fully compressed after
// another 64/385, and ends at 8/5 of 148/385.
static void rod_by_hand(void **state) {
    (void)state;
    impImpactDef def = { .k = { { 2.5, 0, -1.5 }, { 0, 2.5, 0 }, { -1.5, 0, 2.5 } },
                         .u = { 0.6, 0, -1 },
                         .friction_dynamic = 0.5,
                         .restitution = 0.6 };
    impImpact impact = solved(&def);
    double total = 1.6 * 148 / 385;
    NEAR(impact.compression, 148.0 / 385, 1e-15);
    NEAR(impact.p.z, total, 1e-15);
    NEAR(impact.p.x, -0.5 * 12 / 55 + 0.5 * (total - 12.0 / 55), 1e-15);
    NEAR(impact.u.x, -0.25 * (total - 12.0 / 55), 1e-15);
}

// C3: a superball's bounce is another rule; this one leaves 5/7 of the tangential velocity.
static void plain_bounce_keeps_five_sevenths(void **state) {
    (void)state;
    double m = 0.05;
    double radius = 0.025;
    double inertia = 0.4 * m * radius * radius;
    impImpactDef def = { .u = { 2, 0, -3 }, .friction_dynamic = 0.5, .restitution = 1 };
    put_matrix(&def, share_of(m, mat3_diagonal(inertia, inertia, inertia), vec(0, 0, -radius)));
    impImpact impact = solved(&def);
    NEAR(2 + impact.p.x / m, 2 * 5.0 / 7, 1e-14);
    NEAR(-3 + impact.p.z / m, 3, 1e-14);
}

// A uniform rod at angle th, sliding tip first, is Painleve inconsistent (du_z/dp_z < 0) if mu > (1
// + 3 c^2) / (3 s c).
static void painleve_rod(void **state) {
    (void)state;
    static const double degrees[] = { 45, 60, 63.434948822922, 80 };
    static const double critical[] = { 1.6667, 1.34715, 4.0 / 3, 2.12553 };
    for (int i = 0; i < 4; i++) {
        SinCos t = num_sincos(degrees[i] * PI / 180);
        double mu = (1 + 3 * t.cos * t.cos) / (3 * t.sin * t.cos);
        NEAR(mu, critical[i], 5e-5);
        impImpactDef def = { .u = { 1, 0, -1e-9 }, .restitution = 0.5 };
        put_matrix(&def, mat3(vec(1 + 3 * t.sin * t.sin, 0, 3 * t.sin * t.cos), vec(0, 4, 0),
                              vec(3 * t.sin * t.cos, 0, 1 + 3 * t.cos * t.cos)));
        def.friction_dynamic = mu * 0.999;
        assert_true(solve_impact_slope(&def, 1, 0).z > 0);
        // grazing: nearly nothing happens
        assert_true(solved(&def).p.z < 1e-4);
        def.friction_dynamic = mu * 1.001;
        assert_true(solve_impact_slope(&def, 1, 0).z < 0);
        impImpact inconsistent = solved(&def);
        assert_true(inconsistent.p.z > 0.1 && inconsistent.energy_change < 0 &&
                    inconsistent.u.z >= 0);
        assert_int_equal(inconsistent.phases[1].mode, IMP_STICK);
    }
}

// --- the oracle ----------------------------------------------------------------------------------
static void oracle_agrees(impLaw law, int count) {
    int series = 0;
    for (int i = 0; i < count; i++) {
        impImpactDef def = random_hit(5, i);
        impVec3 p, u;
        def.law = law;
        if (def.friction_dynamic < 1e-3 || !oracle(&def, &p, &u)) continue;
        impImpact impact = solved(&def);
        series += impact.steps > 0;
        if (!(off(impact.p, p, largest(p)) <= 1e-7 && off(impact.u, u, largest(def.u)) <= 1e-6)) {
            fail_msg("law %d, hit %d: p off by %.1e, u by %.1e", law, i,
                     off(impact.p, p, largest(p)), off(impact.u, u, largest(def.u)));
        }
    }
    assert_true(series > count / 4);
}
static void oracle_agrees_with_poisson(void **state) {
    (void)state;
    oracle_agrees(IMP_POISSON, 400);
}
static void oracle_agrees_with_stronge(void **state) {
    (void)state;
    oracle_agrees(IMP_STRONGE, 400);
}
static void oracle_agrees_with_newton(void **state) {
    (void)state;
    oracle_agrees(IMP_NEWTON, 200);
}

// --- callers -------------------------------------------------------------------------------------
static impError err;

static void refuses(impImpactDef def, const char *text) {
    impImpact impact;
    memset(&err, 0xA5, sizeof err);
    assert_false(impImpact_Solve(&def, &impact, &err));
    assert_int_equal(err.count, 1);
    SAME_TEXT(err.message[0].text, text);
    assert_int_equal(impImpact_Path(&def, NULL, 0, NULL), -1);
}

static void bad_input_is_a_sentence(void **state) {
    (void)state;
    const impImpactDef good = { .k = { { 3.5, 0, 0 }, { 0, 3.5, 0 }, { 0, 0, 1 } },
                                .u = { 1, 0, -1 },
                                .friction_dynamic = 0.3,
                                .restitution = 0.5 };
    impImpactDef bad = good;
    bad.u.z = 0;
    refuses(bad, "u.z is 0 m/s; it must be negative: bodies that part do not collide");
    bad = good;
    bad.u.x = (double)NAN;
    refuses(bad, "u is not finite");
    bad = good;
    bad.friction_dynamic = -0.1;
    refuses(bad, "friction -0.1; it must be finite and not negative");
    bad = good;
    bad.friction_dynamic = (double)INFINITY;
    refuses(bad, "friction inf; it must be finite and not negative");
    bad = good;
    bad.friction_static = 0.2;
    refuses(bad, "static friction 0.2; it must be finite and not below the dynamic 0.3");
    bad = good;
    bad.restitution = 1.5;
    refuses(bad, "restitution 1.5; it must lie between 0 and 1");
    bad = good;
    bad.k[0][2] = 0.1;
    refuses(bad, "K is not symmetric");
    bad = good;
    bad.k[0][2] = bad.k[2][0] = 2;
    refuses(bad,
            "K [3.5, 0, 2; 3.5, 0; 1] is not positive definite; no two bodies have such a matrix");
    bad = good;
    bad.k[1][1] = (double)NAN;
    refuses(bad, "K is not finite");
    bad = good;
    bad.law = (impLaw)7;
    refuses(bad, "law 7 is unknown");
}

static void all_that_is_wrong_at_once(void **state) {
    (void)state;
    impImpactDef bad = { .u = { 0, 0, 1 }, .friction_dynamic = -1, .restitution = -1 };
    impImpact impact;
    assert_false(impImpact_Solve(&bad, &impact, &err));
    assert_int_equal(err.count, 4);
    assert_false(impImpact_Solve(&bad, &impact, NULL));
    assert_false(impImpact_Solve(NULL, &impact, &err));
    assert_int_equal(err.fault, IMP_BAD_CALL);
    assert_false(impImpact_Solve(&bad, NULL, &err));
    assert_int_equal(impImpact_Path(NULL, NULL, 0, &err), -1);
    assert_int_equal(impImpact_Path(&bad, NULL, -1, &err), -1);
    assert_true(zero3(impImpact_Slope(NULL, 1, 0)) && zero3(impImpact_Slope(&bad, 1, 0)));
}

// u_t turns with k and nobody minds
static void no_friction_at_all(void **state) {
    (void)state;
    impImpactDef def = { .k = { { 2.3, 0.15, 0.7 }, { 0.15, 2.9, -0.4 }, { 0.7, -0.4, 1.8 } },
                         .u = { -0.8, 0.3, -1 },
                         .restitution = 0.7 };
    impImpact impact = solved(&def);
    NEAR(impact.p.z, 1.7 / 1.8, 1e-15);
    NEAR(impact.u.x, -0.8 + 0.7 * 1.7 / 1.8, 1e-15);
    assert_true(impact.p.x == 0 && impact.p.y == 0);
    def.u.x = def.u.y = 0;
    NEAR(solved(&def).p.z, 1.7 / 1.8, 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forty_digits),
        cmocka_unit_test(outgoing_rates),
        cmocka_unit_test(two_bodies),
        cmocka_unit_test(closed_forms),
        cmocka_unit_test(rod_by_hand),
        cmocka_unit_test(plain_bounce_keeps_five_sevenths),
        cmocka_unit_test(painleve_rod),
        cmocka_unit_test(oracle_agrees_with_poisson),
        cmocka_unit_test(oracle_agrees_with_stronge),
        cmocka_unit_test(oracle_agrees_with_newton),
        cmocka_unit_test(bad_input_is_a_sentence),
        cmocka_unit_test(all_that_is_wrong_at_once),
        cmocka_unit_test(no_friction_at_all),
    };
    return RUN(tests);
}
