// gas.c -- what an event costs in a gas of 100, 1000, 10,000 balls (and, with an argument, 100,000) at one density.
//
// Elastic balls without gravity in a box of six planes: nothing but flights and collisions. Each event pops a heap, moves
// two bodies and refreshes their pairs, so its cost may grow with the logarithm of their number, and with what the
// caches no longer hold. Energy is the check that nothing was missed.
//
// SPDX-License-Identifier: MIT
#include "bench.h"

#include <math.h>

static uint64_t seed = 88172645463325252u;
static double uniform(double low, double high) {         // xorshift: the scene is the same on every machine
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

typedef struct Gas { impModel *model; impState *state; impStepper *stepper; double energy; } Gas;

static void add_wall(impScene *scene, int axis, double side, double half, impError *err) {
    impShapeDef wall = {.kind = "plane", .size = {axis == 0 ? -side : 0, axis == 1 ? -side : 0, axis == 2 ? -side : 0, -half}};
    impScene_Body(scene, &(impBodyDef){.fixed = true, .material = "steel", .shapes = &wall, .shape_count = 1}, err);
}

static Gas gas_of(int side) {                             // side^3 balls of 1 cm on a lattice of 4 cm, jittered
    static impError err;
    double half = 0.02 * side;
    impShapeDef ball = {.kind = "sphere", .size = {0.005}};
    impScene *scene = impScene_New((impVec3){0, 0, 0});
    impScene_Material(scene, &(impMaterialDef){.name = "steel", .restitution = 1}, &err);
    for (int i = 0; i < 6; i++) add_wall(scene, i / 2, i % 2 ? 1 : -1, half, &err);
    for (int i = 0; i < side * side * side; i++) {
        double at[3], v[3];
        int cell[3] = {i % side, i / side % side, i / side / side};
        for (int k = 0; k < 3; k++) at[k] = -half + 0.04 * (cell[k] + 0.5) + uniform(-0.01, 0.01), v[k] = uniform(-1, 1);
        impScene_Body(scene, &(impBodyDef){.material = "steel", .shapes = &ball, .shape_count = 1,
                                           .pose.at = {at[0], at[1], at[2]}, .twist.linear = {v[0], v[1], v[2]}}, &err);
    }
    impScene_Run(scene, &(impRunDef){.contact_band = 1e-6}, &err);
    Gas g = {.model = impModel_Build(scene, &err)};
    impScene_Free(scene);
    if (!g.model) stop("gas", &err);
    g.state = impState_New(g.model);
    g.stepper = impStepper_New(g.model, &(impStepperDef){.method = "impulse"}, &err);
    if (!g.state || !g.stepper) stop("gas", &err);
    g.energy = impState_Energy(g.model, g.state).kinetic;
    return g;
}

static double event_cost(int side, int *events, double *off) {   // microseconds
    Gas g = gas_of(side);
    double best = 1e300;
    *events = 0;
    int steps = 1 + 200 / side;
    for (int i = 0; i < 3 + steps; i++) {
        double start = cpu_seconds();
        impOutcome out = impStep(g.stepper, g.state, NULL, 1.0 / 60);
        double took = cpu_seconds() - start;
        if (out.verdict != IMP_SOLVED) {
            fprintf(stderr, "gas: %s\n", out.text);
            exit(1);
        }
        *events += out.events;
        if (i >= 3 && out.events > 0 && took / out.events < best) best = took / out.events;
    }
    *off = impState_Energy(g.model, g.state).kinetic / g.energy - 1;
    impStepper_Free(g.stepper), impState_Free(g.state), impModel_Free(g.model);
    return 1e6 * best;
}

int main(int argc, char **argv) {
    const int sides[4] = {5, 10, 22, 46};
    double first = 0;
    int missed = 0, runs = argc > 1 && strcmp(argv[1], "large") == 0 ? 4 : 3;
    for (int i = 0; i < runs; i++) {
        int events, n = sides[i] * sides[i] * sides[i];
        double off, cost = event_cost(sides[i], &events, &off);
        char what[80];
        snprintf(what, sizeof what, "an event among %d balls (%d events, energy off %.0e)", n, events, off);
        row(what, cost, "us", 0);
        if (i == 0) first = cost;
        if (i + 1 < runs) continue;
        snprintf(what, sizeof what, "the same, against 125 balls (log n grows %.2f x)", log((double)n) / log(125.0));
        row(what, cost / first, "x", 0);
    }
    return missed;
}
