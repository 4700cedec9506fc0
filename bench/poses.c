// poses.c -- drop tests: how many a second, one at a time and in lanes, on two threads, and how the
// cost grows with the hull.
//
// DROP is the hull of 20 points with which other engines were measured on one core: Jolt 1211 drops
// a second, Bullet 749, Box3D 612, MuJoCo 471, ODE 315. L and the brick are small parts dropped
// from 0.3 m; a cup and a washer of 48 sides roll. Hulls of points on one ellipsoid have 131 to
// 5000 corners. CPU time, the best of several runs.
//
// SPDX-License-Identifier: MIT
#include "bench.h"

#include <math.h>

typedef struct Part {
    impScene *scene;
    impModel *model;
    impPart *part;
    impDropDef def;
} Part;

static Part part_of(const impShapeDef *shapes, int count, impDropDef def) {
    static impError err;
    Part p = { .scene = impScene_New((impVec3){ 0, 0, -9.81 }), .def = def };
    impBody body = impScene_Body(
        p.scene, &(impBodyDef){ .name = "part", .shapes = shapes, .shape_count = count }, &err);
    p.model = impModel_Build(p.scene, &err);
    p.part = p.model ? impPart_New(p.model, body, NULL, &err) : NULL;
    if (!p.part) {
        stop("poses", &err);
    }
    return p;
}

// on the ellipsoid 0.5, 0.35, 0.25 m
static Part hull_of(uint64_t seed, int points) {
    static impVec3 at[10000];
    for (int i = 0; i < points; i++) {
        double u[2];
        for (int k = 0; k < 2; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            u[k] = (double)(seed >> 11) / 9007199254740992.0;
        }
        double z = 2 * u[0] - 1;
        double a = 6.283185307179586 * u[1];
        double r = sqrt(1 - z * z);
        at[i] = (impVec3){ 0.5 * r * cos(a), 0.35 * r * sin(a), 0.25 * z };
    }
    return part_of(
        &(impShapeDef){ .kind = "hull", .points = at, .point_count = points }, 1,
        (impDropDef){ .seed = 1, .friction_dynamic = 0.5, .restitution = 0.2, .height = 1 });
}

// A prism of 48 sides with the mass of a cup or a washer: m, kg, and kg m^2 across and along the
// axis.
static Part round_part(double radius, double height, double mass, double middle, double across,
                       double along) {
    static impError err;
    static impVec3 at[96];
    for (int i = 0; i < 48; i++) {
        double a = 6.283185307179586 * i / 48;
        at[2 * i] = (impVec3){ radius * cos(a), radius * sin(a), 0 };
        at[2 * i + 1] = (impVec3){ radius * cos(a), radius * sin(a), height };
    }
    impShapeDef hull = { .kind = "hull", .points = at, .point_count = 96 };
    impBodyDef def = { .name = "part",
                       .mass = mass,
                       .center_given = true,
                       .center = { 0, 0, middle },
                       .shapes = &hull,
                       .shape_count = 1,
                       .inertia = { { across, 0, 0 }, { 0, across, 0 }, { 0, 0, along } } };
    Part p = { .scene = impScene_New((impVec3){ 0, 0, -9.81 }),
               .def = { .seed = 1, .friction_dynamic = 0.3, .restitution = 0.3 } };
    impBody body = impScene_Body(p.scene, &def, &err);
    p.model = impModel_Build(p.scene, &err);
    p.part = p.model ? impPart_New(p.model, body, NULL, &err) : NULL;
    if (!p.part) {
        stop("poses", &err);
    }
    return p;
}

typedef struct Run {
    impDrops *drops;
    int64_t count;
    int threads;
    impDropOutcome *out;
} Run;
static void work(void *context) {
    Run *r = context;
    if (!impDrops_Run(r->drops, 0, r->count, r->threads, r->out)) {
        stop("poses", NULL);
    }
}

// us a drop
static double cost(const Part *p, int lanes, int threads, int64_t count, int *width,
                   double *impacts) {
    static impError err;
    impDropDef def = p->def;
    def.lanes = lanes;
    Run r = { impDrops_New(p->part, &def, &err), count, threads,
              calloc((size_t)count, sizeof(impDropOutcome)) };
    if (!r.drops || !r.out) {
        stop("poses", &err);
    }
    *width = impDrops_Def(r.drops).lanes;
    double best = best_of(6, work, &r);
    // a drop has
    *impacts = 0;
    for (int64_t i = 0; i < count; i++) {
        *impacts += (double)r.out[i].impacts / (double)count;
    }
    impDrops_Free(r.drops);
    free(r.out);
    return 1e6 * best / (double)count;
}

int main(void) {
    const impShapeDef two[2] = {
        { .kind = "box", .size = { 0.04, 0.02, 0.01 }, .pose.at = { 0.02, 0.01, 0.005 } },
        { .kind = "box", .size = { 0.01, 0.02, 0.025 }, .pose.at = { 0.005, 0.01, 0.0225 } }
    };
    const impShapeDef box = { .kind = "box", .size = { 0.01, 0.02, 0.03 } };
    impDropDef small = { .seed = 1, .friction_dynamic = 0.3, .restitution = 0.3, .height = 0.3 };
    Part part[3] = { hull_of(4242, 20), part_of(two, 2, small), part_of(&box, 1, small) };
    const char *name[3] = { "DROP, hull of 20 points", "L", "brick" };
    int missed = 0;
    int width;
    int widest;
    double impacts;
    char what[80];
    cost(&part[2], 0, 1, 4096, &widest, &impacts);
    for (int i = 0; i < 3; i++) {
        int64_t count = i == 0 ? 16384 : 65536;
        for (int lanes = 1; lanes <= widest; lanes *= lanes == 1 ? 4 : 2) {
            double us = cost(&part[i], lanes, 1, count, &width, &impacts);
            snprintf(what, sizeof what, "%s, %d in lanes: %.0f drops/s", name[i], width, 1e6 / us);
            missed += row(what, us, "us",
                          i > 0        ? (lanes > 1 ? 10 : 0)
                          : lanes == 1 ? 100
                          : lanes == 4 ? 50
                                       : 25);
        }
    }
    double alone = cost(&part[0], 0, 1, 65536, &width, &impacts);
    double two_threads = cost(&part[0], 0, 2, 65536, &width, &impacts);
    missed += row("two threads, CPU time of a drop against one", two_threads / alone, "x", 1.11);
    // parts that roll: 20,000 a second
    Part rolls[2] = { round_part(0.020, 0.030, 9.17e-3, 11.9e-3, 2.13e-6, 2.68e-6),
                      round_part(0.010, 0.002, 4.54e-4, 1e-3, 1.45e-8, 2.84e-8) };
    for (int i = 0; i < 2; i++) {
        double us = cost(&rolls[i], 0, 1, 8192, &width, &impacts);
        snprintf(what, sizeof what, "%s of 48 sides: %.0f drops/s", i == 0 ? "cup" : "washer",
                 1e6 / us);
        missed += row(what, us, "us", 50);
    }
    // large hulls: 10,000 a second up to 500 corners, 3,000 at 5000
    const struct {
        int corners;
        double us;
    } large[] = { { 131, 100 }, { 266, 100 }, { 466, 100 }, { 1000, 100 }, { 5000, 333 } };
    for (int i = 0; i < 5; i++) {
        Part p = hull_of(77, large[i].corners);
        double us = cost(&p, 0, 1, 2048, &width, &impacts);
        snprintf(what, sizeof what, "hull of %d corners: %.0f drops/s",
                 impPart_Report(p.part).corners, 1e6 / us);
        missed += row(what, us, "us", large[i].us);
    }
    // a finer ellipsoid rolls for longer, so that what grows with the corners is the cost of an
    // impact
    double before = 0;
    for (int points = 10; points <= 10000; points *= 10) {
        Part p = hull_of(77, points);
        double us = cost(&p, 0, 1, points > 100 ? 64 : 2048, &width, &impacts);
        snprintf(what, sizeof what, "hull of %d corners: %.0f drops/s; an impact",
                 impPart_Report(p.part).corners, 1e6 / us);
        row(what, us / impacts, "us", 0);
        if (points > 100) {
            missed += row("  times that of a tenth of the corners", us / impacts / before, "x", 10);
        }
        before = us / impacts;
    }
    return missed > 0;
}
