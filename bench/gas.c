// gas.c -- what an event costs in a gas of 125, 1000, 10,648 and 97,336 balls at one density.
//
// Elastic balls without gravity in a box of six planes: nothing but flights and collisions. Each
// event pops a heap, moves two bodies and refreshes their pairs, so its cost may grow with the
// logarithm of their number; that is the goal. Two things stand against it besides: what the caches
// no longer hold, and the walls. In a small box most events are a ball against a wall, which is
// cheaper, and there are three times as many events a ball, which share what a frame of 1/60 s
// costs. The last row, the cost of a ball's motion whatever happens to it, is free of the walls.
// Energy is the check that nothing was missed.
//
// SPDX-License-Identifier: MIT
#include "bench.h"

#include <math.h>

static uint64_t seed = 88172645463325252u;
// xorshift: the scene is the same on every machine
static double uniform(double low, double high) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

typedef struct Gas {
    impModel *model;
    impState *state;
    impStepper *stepper;
    double energy;
} Gas;

static void add_wall(impScene *scene, int axis, double side, double half, impError *err) {
    impShapeDef wall = { .kind = "plane",
                         .size = { axis == 0 ? -side : 0, axis == 1 ? -side : 0,
                                   axis == 2 ? -side : 0, -half } };
    impScene_Body(
        scene,
        &(impBodyDef){ .fixed = true, .material = "steel", .shapes = &wall, .shape_count = 1 },
        err);
}

// side^3 balls of 1 cm on a lattice of 4 cm, jittered
static Gas gas_of(int side) {
    static impError err;
    double half = 0.02 * side;
    impShapeDef ball = { .kind = "sphere", .size = { 0.005 } };
    impScene *scene = impScene_New((impVec3){ 0, 0, 0 });
    impScene_Material(scene, &(impMaterialDef){ .name = "steel", .restitution = 1 }, &err);
    for (int i = 0; i < 6; i++) {
        add_wall(scene, i / 2, i % 2 ? 1 : -1, half, &err);
    }
    for (int i = 0; i < side * side * side; i++) {
        double at[3], v[3];
        int cell[3] = { i % side, i / side % side, i / side / side };
        for (int k = 0; k < 3; k++) {
            at[k] = -half + 0.04 * (cell[k] + 0.5) + uniform(-0.01, 0.01);
            v[k] = uniform(-1, 1);
        }
        impScene_Body(scene,
                      &(impBodyDef){ .material = "steel",
                                     .shapes = &ball,
                                     .shape_count = 1,
                                     .pose.at = { at[0], at[1], at[2] },
                                     .twist.linear = { v[0], v[1], v[2] } },
                      &err);
    }
    impScene_Run(scene, &(impRunDef){ .contact_band = 1e-6 }, &err);
    Gas g = { .model = impModel_Build(scene, &err) };
    impScene_Free(scene);
    if (!g.model) {
        stop("gas", &err);
    }
    g.state = impState_New(g.model);
    g.stepper = impStepper_New(g.model, &(impStepperDef){ .method = "impulse" }, &err);
    if (!g.state || !g.stepper) {
        stop("gas", &err);
    }
    g.energy = impState_Energy(g.model, g.state).kinetic;
    return g;
}

// us; us a ball and 1/60 s; of the energy
typedef struct Cost {
    double event, motion, off;
    int events;
} Cost;

// The best of several runs, each of as many steps as make tens of thousands of events. Steps are of
// 0.1 s: how often one looks is no part of it.
static Cost cost_of(int side) {
    enum { RUNS = 5, FRAMES = 6 };
    Gas g = gas_of(side);
    int n = side * side * side;
    int steps = 100000 / n < 300 ? 100000 / n : 300;
    Cost best = { .event = 1e300, .motion = 1e300 };
    // the first one only warms up
    for (int run = 0; run <= RUNS; run++) {
        int events = 0;
        double start = cpu_seconds();
        for (int i = 0; i < steps; i++) {
            impOutcome out = impStep(g.stepper, g.state, NULL, FRAMES / 60.0);
            if (out.verdict != IMP_SOLVED) {
                fprintf(stderr, "gas: %s\n", out.text);
                exit(1);
            }
            events += out.events;
        }
        double took = 1e6 * (cpu_seconds() - start);
        double motion = took / ((double)n * FRAMES * steps);
        best.events += events;
        if (run > 0 && took / events < best.event) {
            best.event = took / events;
        }
        if (run > 0 && motion < best.motion) {
            best.motion = motion;
        }
    }
    best.off = impState_Energy(g.model, g.state).kinetic / g.energy - 1;
    impStepper_Free(g.stepper);
    impState_Free(g.state);
    impModel_Free(g.model);
    return best;
}

int main(void) {
    enum { SIZES = 4 };
    const int sides[SIZES] = { 5, 10, 22, 46 };
    Cost cost[SIZES];
    char what[80];
    int n = 0;
    for (int i = 0; i < SIZES; i++) {
        n = sides[i] * sides[i] * sides[i];
        cost[i] = cost_of(sides[i]);
        snprintf(what, sizeof what, "an event among %d balls (%d events, energy off %.0e)", n,
                 cost[i].events, cost[i].off);
        row(what, cost[i].event, "us", 0);
    }
    int missed = row("an event among 97336 balls, against 125: as log n",
                     cost[SIZES - 1].event / cost[0].event, "x", log((double)n) / log(125.0));
    row("1/60 s of a ball's motion among 125", cost[0].motion, "us", 0);
    row("the same among 97336, against 125", cost[SIZES - 1].motion / cost[0].motion, "x", 0);
    return missed;
}
