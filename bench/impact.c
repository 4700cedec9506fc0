// impact.c -- one frictional collision: spheres and planar problems below a microsecond, the
// general below five.
//
// Collisions of random boxes of unit density with the ground or with each other, at random points
// of their surfaces, friction 0 to 1.2, restitution 0 to 1. No goal is set for the slowest.
//
// SPDX-License-Identifier: MIT
#include "bench.h"

#include "solve/solve.h"

enum { HITS = 20000 };

typedef struct Hits {
    impImpactDef def[HITS];
    impImpact out;
    double sum;
    int64_t steps;
    int most;
} Hits;

static double draw(int hit, int i) { return num_uniform(7, (uint64_t)hit, (uint64_t)i); }

// One body's share of K: 1/m - [r] J^-1 [r].
static Mat3 share(int hit, int i) {
    double x = 0.05 + draw(hit, i);
    double y = 0.05 + draw(hit, i + 1);
    double z = 0.05 + draw(hit, i + 2);
    double m = x * y * z;
    Mat3 frame = rotation(
        num_random_rotation(draw(hit, i + 3), draw(hit, i + 4), draw(hit, i + 5)));
    impVec3 r = vec(x * (draw(hit, i + 6) - 0.5), y * (draw(hit, i + 7) - 0.5), z / 2);
    Mat3 j = mat3_scale(m / 12, mat3_diagonal(y * y + z * z, x * x + z * z, x * x + y * y));
    Mat3 arm = skew(r);
    Mat3 k = mat3_scale(-1, mat3_mul(mat3_mul(arm, inverse(j)), arm));
    return rotated(frame, mat3_add(mat3_diagonal(1 / m, 1 / m, 1 / m), k));
}

static void put(impImpactDef *def, Mat3 k) {
    def->k[0][0] = k.x.x;
    def->k[1][1] = k.y.y;
    def->k[2][2] = k.z.z;
    def->k[0][1] = def->k[1][0] = k.x.y;
    def->k[0][2] = def->k[2][0] = k.x.z;
    def->k[1][2] = def->k[2][1] = k.y.z;
}

static void general(int i, impImpactDef *def) {
    Mat3 k = share(i, 10);
    if (i % 2) {
        k = mat3_add(k, share(i, 20));
    }
    put(def, k);
    def->u = vec(2 * draw(i, 0) - 1, 2 * draw(i, 1) - 1, -0.01 - draw(i, 2));
    def->friction_dynamic = 1.2 * draw(i, 3);
    def->restitution = draw(i, 4);
}
static void sphere(int i, impImpactDef *def) {
    general(i, def);
    put(def, mat3_diagonal(3.5, 3.5, 1));
}
// a slender rod in the plane of x and z
static void planar(int i, impImpactDef *def) {
    general(i, def);
    SinCos t = num_sincos(3 * draw(i, 5));
    put(def, mat3(vec(1 + 3 * t.sin * t.sin, 0, -3 * t.sin * t.cos), vec(0, 4, 0),
                  vec(-3 * t.sin * t.cos, 0, 1 + 3 * t.cos * t.cos)));
    def->u.y = 0;
}

static void work(void *context) {
    Hits *h = context;
    h->steps = h->most = 0;
    for (int i = 0; i < HITS; i++) {
        if (solve_impact(&h->def[i], &h->out, NULL) != IMP_SOLVED) {
            stop("impact: not solved", NULL);
        }
        h->sum += h->out.p.z;
        h->steps += h->out.steps;
        if (h->out.steps > h->most) {
            h->most = h->out.steps;
        }
    }
}

static double measure(Hits *h, void (*make)(int i, impImpactDef *def), impLaw law) {
    memset(h, 0, sizeof *h);
    for (int i = 0; i < HITS; i++) {
        make(i, &h->def[i]);
        h->def[i].law = law;
    }
    return best_of(7, work, h) / HITS * 1e6;
}

int main(void) {
    Hits *h = malloc(sizeof *h);
    if (!h) {
        stop("impact: memory", NULL);
    }
    int missed = row("sphere", measure(h, sphere, IMP_POISSON), "us", 1);
    missed |= row("planar", measure(h, planar, IMP_POISSON), "us", 1);
    missed |= row("general", measure(h, general, IMP_POISSON), "us", 5);
    missed |= row("series a general collision, mean", (double)h->steps / HITS, "", 0);
    missed |= row("series a general collision, most", h->most, "", 0);
    missed |= row("general, Stronge", measure(h, general, IMP_STRONGE), "us", 5);
    free(h);
    return missed;
}
