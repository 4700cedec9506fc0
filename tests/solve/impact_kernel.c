// impact_kernel.c -- the collision inside the kernel of the drops (src/drop/kernel_impact.h),
// against the cases of 40 digits and against the full integrator on a hundred thousand random ones.
// It is here because the references are.
//
// SPDX-License-Identifier: MIT
#include "impact_support.h"

#include <string.h>

#include "drop/drop.h"

#define LANES 1
#include "drop/kernel.h"

// --- one collision in the frame of the kernel ----------------------------------------------------
typedef struct Fineness {
    bool fine;
    int micro;
} Fineness;
static const Fineness real = { false, 0 }, micro = { false, 1 }, fine = { true, 0 };

typedef struct Answer {
    impVec3 p;
    bool done;
} Answer;

static Answer kernel_impact(const impImpactDef *d, Fineness how) {
    double k = sqrt(d->k[0][2] * d->k[0][2] + d->k[1][2] * d->k[1][2]);
    // the first tangent along k
    double c = k > 0 ? d->k[0][2] / k : 1;
    double s = k > 0 ? d->k[1][2] / k : 0;
    double axx = d->k[0][0];
    double axy = d->k[0][1];
    double ayy = d->k[1][1];
    DropTable t = { .friction = d->friction_dynamic,
                    .hold = max2(d->friction_static, d->friction_dynamic),
                    .stronge = d->law == IMP_STRONGE };
    drop_fineness(&t, how.fine);
    Blow b = { .axx = c * c * axx + 2 * c * s * axy + s * s * ayy,
               .axy = (c * c - s * s) * axy + c * s * (ayy - axx),
               .ayy = s * s * axx - 2 * c * s * axy + c * c * ayy,
               .kx = k,
               .kzz = d->k[2][2],
               .e = d->restitution,
               .x = c * d->u.x + s * d->u.y,
               .y = c * d->u.y - s * d->u.x,
               .z = d->u.z,
               .micro = how.micro != 0,
               .going = true };
    double x0 = b.x;
    double y0 = b.y;
    prepare(&t, &b);
    collide(&t, &b);
    Answer a = { vec(0, 0, 0), !b.going };
    double det = b.axx * b.ayy - b.axy * b.axy;
    double dx = b.x - x0 - b.kx * b.p;
    double dy = b.y - y0;
    double px = (b.ayy * dx - b.axy * dy) / det;
    double py = (b.axx * dy - b.axy * dx) / det;
    a.p = vec(c * px - s * py, s * px + c * py, b.p);
    return a;
}

static double error_of(impVec3 p, impVec3 truth) { return norm(sub(p, truth)) / norm(truth); }

// --- the cases -----------------------------------------------------------------------------------
// Poisson and Stronge, with friction; the kernel knows no other. Second compressions have impulses
// of 40 times the ordinary and are the hardest there are.
static void cases(Fineness how, double allowed) {
    Cases file = cases_open("collision.json");
    int count = 0;
    for (const JsonNode *item = file.first; item; item = json_next(item)) {
        impImpactDef def = case_def(item);
        if (def.law == IMP_NEWTON || def.friction_dynamic == 0) continue;
        Answer a = kernel_impact(&def, how);
        double e = error_of(a.p, case_vec(item, "p"));
        bool twice = strncmp(case_text(item, "name"), "second-compression", 18) == 0;
        if (!a.done || !(e < (twice ? 5 * allowed : allowed))) {
            fail_msg("%s: p is off by %g of itself%s", case_text(item, "name"), e,
                     a.done ? "" : ", and not at its end");
        }
        count++;
    }
    cases_close(&file);
    assert_true(count > 20);
}
static void cases_as_real_impacts(void **state) {
    (void)state;
    cases(real, 0.02);
}
static void cases_finely(void **state) {
    (void)state;
    cases(fine, 1e-3);
}

// --- chance --------------------------------------------------------------------------------------
typedef struct Errors {
    double rms, worst;
    int truncated;
} Errors;

static Errors errors_of(Fineness how, impLaw law, double most_friction) {
    Errors e = { 0, 0, 0 };
    int count = 0;
    for (int64_t i = 0; count < 100000; i++) {
        impImpactDef def = random_hit(7, i);
        impImpact truth;
        if (!(def.friction_dynamic > 0) || def.friction_dynamic > most_friction) continue;
        def.law = law;
        if (solve_impact(&def, &truth, NULL) != IMP_SOLVED) continue;
        Answer a = kernel_impact(&def, how);
        double off = error_of(a.p, truth.p);
        e.rms += off * off;
        e.worst = max2(e.worst, off);
        e.truncated += !a.done;
        count++;
    }
    e.rms = sqrt(e.rms / count);
    print_message("rms %.2e, worst %.2e, truncated %d\n", e.rms, e.worst, e.truncated);
    return e;
}

static void random_impacts(void **state) {
    (void)state;
    for (int law = IMP_POISSON; law <= IMP_STRONGE; law++) {
        Errors r = errors_of(real, (impLaw)law, 1);
        Errors m = errors_of(micro, (impLaw)law, 1);
        Errors f = errors_of(fine, (impLaw)law, 1);
        assert_true(r.rms < 5e-3 && m.rms < 2e-2 && f.rms < 1e-3);
        assert_int_equal(r.truncated + m.truncated + f.truncated, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_as_real_impacts),
        cmocka_unit_test(cases_finely),
        cmocka_unit_test(random_impacts),
    };
    return RUN(tests);
}
