// closest.c -- the walk over polytopes does not care how fine they are, as papers 1 and 2 claim.
//
// Two bodies of revolution tumble past each other; each query starts from the features of the last.
// The pin has some 162 facets (ten rings, nine sides), the marble some 5000. The ratio of the two
// is the claim. Then coins, true discs, one above a brick and two past each other: there is no
// walk, each query is a search of its own.
//
// SPDX-License-Identifier: MIT
#include "bench.h"

#include "collide/collide.h"

enum { QUERIES = 20000 };
// bodies
enum { COIN = 2, BRICK = 3 };

typedef struct Pair {
    impModel *model;
    Placed a[QUERIES], b[QUERIES];
    double steps, sum;
} Pair;

static impModel *revolve(int rings, int sides, double belly) {
    static impError err;
    static impVec3 points[6000];
    int count = 0;
    for (int r = 0; r <= rings; r++) {
        double z = -cos(3.14159265358979323846 * r / rings);
        double radius = sqrt(fmax(0, 1 - z * z)) * belly;
        int around = r == 0 || r == rings ? 1 : sides;
        for (int s = 0; s < around; s++) {
            SinCos t = num_sincos_turns((s + 0.5 * (r % 2)) / sides);
            points[count++] = vec(radius * t.cos, radius * t.sin, z);
        }
    }
    impShapeDef hull = { .kind = "hull", .points = points, .point_count = count };
    impScene *scene = impScene_New(vec(0, 0, 0));
    for (int i = 0; i < 2; i++) {
        impScene_Body(scene, &(impBodyDef){ .shapes = &hull, .shape_count = 1 }, &err);
    }
    impModel *model = impModel_Build(scene, &err);
    if (!model) {
        stop("closest", &err);
    }
    impScene_Free(scene);
    return model;
}

// equal shapes are one
static Placed placed(const impModel *m, int body, impPose at) {
    return (Placed){ &m->shape[m->body[body].first_shape], &m->geometry, at };
}

// past each other at a distance, a degree or so between looks
static void tumble(Pair *p) {
    for (int k = 0; k < QUERIES; k++) {
        double t = 10.0 * k / QUERIES;
        impQuat qa = qmul(quat_rotation(vec(0.6, 0, 0.8), 3 * t),
                          quat_rotation(vec(0, 1, 0), 1.1 * t));
        impQuat qb = quat_rotation(vec(0, 0.8, 0.6), -2.3 * t);
        p->a[k] = placed(p->model, 1, pose(vec(2.4, 0.2 * t - 1, 0.1), qa));
        p->b[k] = placed(p->model, 2, pose(vec(0, 0, 0), qb));
    }
}

static void ask(void *context) {
    Pair *p = context;
    StartFeature start_feature = { 0 };
    p->steps = 0;
    for (int k = 0; k < QUERIES; k++) {
        Closest c = collide_closest(&p->a[k], &p->b[k], &start_feature);
        p->steps += c.steps;
        p->sum += c.distance;
    }
}

static double measure(Pair *p, int rings, int sides, double belly, int *faces) {
    p->model = revolve(rings, sides, belly);
    *faces = p->model->shape[0].face_count;
    tumble(p);
    double best = best_of(9, ask, p) / QUERIES * 1e6;
    impModel_Free(p->model);
    return best;
}

static impModel *coins_and_brick(void) {
    static impError err;
    impShapeDef coin = { .kind = "cylinder", .size = { 0.5, 0.07 } };
    impShapeDef brick = { .kind = "box", .size = { 9, 9, 1 } };
    const impShapeDef *shape[3] = { &coin, &coin, &brick };
    impScene *scene = impScene_New(vec(0, 0, 0));
    for (int i = 0; i < 3; i++) {
        impScene_Body(scene, &(impBodyDef){ .shapes = shape[i], .shape_count = 1 }, &err);
    }
    impModel *model = impModel_Build(scene, &err);
    if (!model) {
        stop("closest", &err);
    }
    impScene_Free(scene);
    return model;
}

// the first coin there, turning
static double measure_coins(Pair *p, int other, impVec3 at) {
    p->model = coins_and_brick();
    tumble(p);
    for (int k = 0; k < QUERIES; k++) {
        p->a[k].pose.at = at;
        p->b[k] = placed(p->model, other, other == BRICK ? pose_identity() : p->b[k].pose);
    }
    double best = best_of(9, ask, p) / QUERIES * 1e6;
    impModel_Free(p->model);
    return best;
}

int main(void) {
    Pair *p = malloc(sizeof *p);
    if (!p) {
        stop("closest: memory", NULL);
    }
    int pin_faces, marble_faces;
    double pin = measure(p, 10, 9, 0.35, &pin_faces);
    double pin_steps = p->steps / QUERIES;
    double marble = measure(p, 36, 72, 1, &marble_faces);
    double marble_steps = p->steps / QUERIES;
    printf("pins of %d facets, marbles of %d\n", pin_faces, marble_faces);
    int missed = row("coherent query, pins", pin, "us", 0.3);
    missed |= row("coherent query, marbles", marble, "us", 0.3);
    missed |= row("marbles against pins", marble / pin, "x", 1.5);
    missed |= row("steps a query, pins", pin_steps, "", 3);
    missed |= row("steps a query, marbles", marble_steps, "", 3);
    missed |= row("a coin above a brick", measure_coins(p, BRICK, vec(0.3, -0.2, 1.02)), "us", 2);
    missed |= row("two coins", measure_coins(p, COIN, vec(1.02, 0.1, 0.1)), "us", 10);
    free(p);
    return missed;
}
