// poses.c -- cases of `impel validate`: how parts land, beside the distributions of
// docs/validation/cases.md.
//
// docs/validation/cases.md: the L part, a brick and the hull of 20
// points of docs/theory/drop-tests.md, section 7, whose distributions were made there by two
// programs of one law (event-driven, 40,000 drops; converged, 1e7 drops). Counts are judged by
// chi-square, with the references' own uncertainty, against the value that chance exceeds once in a
// thousand times.
//
// SPDX-License-Identifier: MIT
#include "validation.h"

#include <math.h>
#include <stdlib.h>

enum { DROPS = 100000, CELLS = 9 };

// --- chi-square ----------------------------------------------------------------------------------
// exceeded with probability 0.001: Wilson and Hilferty 1931
static double critical(int freedom) {
    double v = 2.0 / (9.0 * freedom);
    double x = 1 - v + 3.0902 * sqrt(v);
    return freedom * x * x * x;
}

typedef struct Chi {
    double sum;
    int freedom;
} Chi;

static Chi chi_square(const double *expected, const double *half_width, const double *count,
                      int cells, double n) {
    Chi chi = { 0, -1 };
    double pool_expected = 0, pool_count = 0;
    for (int i = 0; i < cells; i++) {
        double e = expected[i] * n;
        double own = half_width ? half_width[i] / 1.96 * n : 0;
        if (e < 20) {
            pool_expected += e;
            pool_count += count[i];
        } else {
            chi.sum += (count[i] - e) * (count[i] - e) / (e + own * own);
            chi.freedom++;
        }
    }
    if (pool_expected > 0) {
        chi.sum += (pool_count - pool_expected) * (pool_count - pool_expected) /
                   (pool_expected + 1);
        chi.freedom++;
    }
    return chi;
}

static void report_chi(Report *r, const char *what, Chi chi) {
    cli_report(r, what, "", 0, chi.sum, critical(chi.freedom));
}

// --- parts ---------------------------------------------------------------------------------------
typedef struct Part {
    impScene *scene;
    impModel *model;
    impPart *part;
    impDropDef def;
} Part;

static bool make(Part *p, Report *r, const impShapeDef *shapes, int count, impDropDef def) {
    static impError err;
    err.count = 0;
    *p = (Part){ .scene = impScene_New((impVec3){ 0, 0, -9.81 }), .def = def };
    impBody body =
        p->scene
            ? impScene_Body(p->scene,
                            &(impBodyDef){ .name = "part", .shapes = shapes, .shape_count = count },
                            &err)
            : (impBody){ -1 };
    p->model = body.i > 0 ? impModel_Build(p->scene, &err) : NULL;
    p->part = p->model ? impPart_New(p->model, body, NULL, &err) : NULL;
    if (!p->part) {
        cli_report_trouble(r, err.count ? err.message[0].text : "no memory");
    }
    return p->part != NULL;
}
static void unmake(Part *p) {
    impPart_Free(p->part);
    impModel_Free(p->model);
    impScene_Free(p->scene);
}

static const impDropDef small = {
    .seed = 1, .friction_dynamic = 0.3, .restitution = 0.3, .height = 0.3
};

static bool make_brick(Part *p, Report *r) {
    return make(p, r, &(impShapeDef){ .kind = "box", .size = { 0.01, 0.02, 0.03 } }, 1, small);
}
static bool make_l(Part *p, Report *r) {
    const impShapeDef boxes[2] = {
        { .kind = "box", .size = { 0.04, 0.02, 0.01 }, .pose.at = { 0.02, 0.01, 0.005 } },
        { .kind = "box", .size = { 0.01, 0.02, 0.025 }, .pose.at = { 0.005, 0.01, 0.0225 } }
    };
    return make(p, r, boxes, 2, small);
}
// A linear congruential generator, seed 4242
static bool make_hull(Part *p, Report *r) {
    impVec3 at[20];
    uint64_t s = 4242;
    for (int i = 0; i < 20; i++) {
        double u[2];
        for (int k = 0; k < 2; k++) {
            s = s * 6364136223846793005u + 1442695040888963407u;
            u[k] = (double)(s >> 11) / 9007199254740992.0;
        }
        double z = 2 * u[0] - 1;
        double a = 6.28318530717958647693 * u[1];
        double radius = sqrt(1 - z * z);
        at[i] = (impVec3){ 0.5 * radius * cos(a), 0.35 * radius * sin(a), 0.25 * z };
    }
    return make(
        p, r, &(impShapeDef){ .kind = "hull", .points = at, .point_count = 20 }, 1,
        (impDropDef){ .seed = 1, .friction_dynamic = 0.5, .restitution = 0.2, .height = 1 });
}

// Counts by pose, those without one in the cell after the last.
static bool drop(const Part *p, Report *r, int64_t n, double *count) {
    static impError err;
    err.count = 0;
    impDrops *drops = impDrops_New(p->part, &p->def, &err);
    impDropOutcome *out = drops ? calloc((size_t)n, sizeof *out) : NULL;
    bool ok = out && impDrops_Run(drops, 0, n, 1, out);
    int rests = impPart_RestCount(p->part);
    for (int i = 0; i <= rests; i++) {
        count[i] = 0;
    }
    for (int64_t i = 0; ok && i < n; i++) {
        count[out[i].rest >= 0 ? out[i].rest : rests]++;
    }
    if (!ok) {
        cli_report_trouble(r, err.count ? err.message[0].text : "no memory");
    }
    free(out);
    impDrops_Free(drops);
    return ok;
}

// --- dropped -------------------------------------------------------------------------------------
// References by height of the pose, lowest first.
static const double hull_known[CELLS] = { .4368, .4211, .0548, .0458, .0334,
                                          .0001, .0076, .0003, .0001 };
static const double hull_width[CELLS] = { .0006, .0008, .0005, .0003, .0004,
                                          .0001, .0002, .0001, .0001 };
// sides, base, back, slope
static const double l_known[5] = { .3217, .3217, .1713, .0932, .0922 },
                    l_width[5] = { .001, .001, .001, .001, .001 };
static const double brick_known[6] = { .4001, .4001, .0953, .0953, .0047, .0047 },
                    brick_width[6] = { .0008, .0008, .0008, .0008, .0002, .0002 };

void cli_case_poses(Report *r) {
    Part p;
    double count[64], other[64];
    if (make_hull(&p, r) && drop(&p, r, DROPS, count)) {
        report_chi(r, "hull of 20 points, 1e5 drops: chi-square",
                   chi_square(hull_known, hull_width, count, CELLS, DROPS));
        cli_report(r, "hull: unresolved", "1", 0, count[CELLS] / DROPS, 0.002);
    }
    unmake(&p);
    if (make_brick(&p, r) && drop(&p, r, DROPS, count)) {
        report_chi(r, "brick, 1e5 drops: chi-square",
                   chi_square(brick_known, brick_width, count, 6, DROPS));
    }
    unmake(&p);
    if (make_l(&p, r) && drop(&p, r, DROPS, count)) {
        report_chi(r, "L part, 1e5 drops: chi-square",
                   chi_square(l_known, l_width, count, 5, DROPS));
        cli_report(r, "L part: one side less the other, in sigmas", "", 0,
                   (count[0] - count[1]) / sqrt(count[0] + count[1]), 3);
        p.def.seed = 2;
        if (drop(&p, r, DROPS, other)) {
            double both[5];
            double twice = 0;
            for (int i = 0; i < 5; i++) {
                both[i] = (count[i] + other[i]) / (2.0 * DROPS);
                twice += (count[i] - other[i]) * (count[i] - other[i]) / (2 * both[i] * DROPS);
            }
            report_chi(r, "L part, two seeds: chi-square", (Chi){ twice, 4 });
        }
        p.def.fine = true;
        if (drop(&p, r, DROPS / 5, other)) {
            double usual[5], none[5];
            for (int i = 0; i < 5; i++) {
                usual[i] = count[i] / DROPS;
                none[i] = 1.96 * sqrt(usual[i] / DROPS);
            }
            report_chi(r, "L part, hops and tolerances finer: chi-square",
                       chi_square(usual, none, other, 5, DROPS / 5));
        }
    }
    unmake(&p);
}

// --- so much drag that it creeps down: the quasi-static shares -----------------------------------
static void creep(Report *r, Part *p, const char *what) {
    enum { N = 20000 };
    double count[64], expected[64];
    int rests = impPart_RestCount(p->part);
    p->def.drag = 150;
    if (!drop(p, r, N, count)) return;
    for (int i = 0; i < rests; i++) {
        expected[i] = impPart_Rest(p->part, i).quasi_static;
    }
    report_chi(r, what, chi_square(expected, NULL, count, rests, N));
}

void cli_case_creep(Report *r) {
    Part p;
    if (make_brick(&p, r)) {
        creep(r, &p, "brick, 2e4 drops at 150/s: chi-square");
    }
    unmake(&p);
    if (make_l(&p, r)) {
        const double share[5] = { 0.24505732152931914, 0.24505732152931922, 0.18396221817347286,
                                  0.1411775623425956, 0.1847455764252932 };
        for (int i = 0; i < 5; i++) {
            cli_report(r, "L part: quasi-static share", "1", share[i],
                       impPart_Rest(p.part, i).quasi_static, 1e-9);
        }
        creep(r, &p, "L part, 2e4 drops at 150/s: chi-square");
    }
    unmake(&p);
}
