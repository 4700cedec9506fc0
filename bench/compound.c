// compound.c -- a cube of seven boxes costs at most eight times as much as the same cube in one
// piece.
//
// Cubes fall askew on a floor, or four of them on each other, tumble and come to rest: in one
// piece, and made of seven boxes, in the same program and by turns. The seven boxes fill the cube:
// slices of it; six of its octants and the last two as one; a core with plates around it, thick or
// thin, or plates that overlap at the edges of the cube.
//
// SPDX-License-Identifier: MIT
#include "bench.h"

enum { PIECES = 7, ROUNDS = 3, STARTS = 4 };
#define SIDE 0.1    // m
#define STEP 0.005  // s
#define MOST 8.0    // times as much

typedef enum Cut { WHOLE, SLICES, OCTANTS, PLATES, FOILS, OVERLAPS, CUTS } Cut;
static const char *const cut_names[] = { "in one piece",
                                         "of slices",
                                         "of octants",
                                         "of a core and plates",
                                         "of a core and foils of 0.1 mm",
                                         "of plates that overlap" };
static const double thickness[] = {
    [PLATES] = 0.1 * SIDE, [FOILS] = 0.001 * SIDE, [OVERLAPS] = 0.1 * SIDE
};

typedef struct World {
    const char *name;
    int cubes;
    const char *floor;
    double duration;
} World;
static const World worlds[] = {
    { "one on a plane", 1, "plane", 0.7 },
    { "one on a fixed box", 1, "box", 0.7 },
    { "one on a mesh of 512 triangles", 1, "mesh", 0.7 },
    { "four on each other", 4, "plane", 1.2 },
};
enum { WORLDS = (int)(sizeof worlds / sizeof worlds[0]) };

static void add_box(impShapeDef *piece, int *count, impVec3 size, impVec3 at) {
    piece[*count] = (impShapeDef){ .kind = "box", .size = { size.x, size.y, size.z } };
    piece[*count].pose.at = at;
    ++*count;
}

static void cut_in_plates(impShapeDef *piece, int *count, double thin, bool overlap) {
    double inner = SIDE - 2 * thin;
    double across = overlap ? SIDE : inner;
    add_box(piece, count, (impVec3){ inner, inner, inner }, (impVec3){ 0, 0, 0 });
    for (int k = -1; k <= 1; k += 2) {
        double at = 0.5 * k * (SIDE - thin);
        add_box(piece, count, (impVec3){ SIDE, SIDE, thin }, (impVec3){ 0, 0, at });
        add_box(piece, count, (impVec3){ SIDE, thin, across }, (impVec3){ 0, at, 0 });
        add_box(piece, count, (impVec3){ thin, across, across }, (impVec3){ at, 0, 0 });
    }
}

static int cut_cube(Cut cut, impShapeDef piece[PIECES]) {
    const double half = SIDE / 2;
    const double quarter = SIDE / 4;
    int count = 0;
    if (cut == WHOLE) {
        add_box(piece, &count, (impVec3){ SIDE, SIDE, SIDE }, (impVec3){ 0, 0, 0 });
    }
    for (int i = -3; cut == SLICES && i <= 3; i++) {
        add_box(piece, &count, (impVec3){ SIDE, SIDE, SIDE / 7 }, (impVec3){ 0, 0, i * SIDE / 7 });
    }
    for (int i = 0; cut == OCTANTS && i < PIECES; i++) {
        // with the eighth, above it
        bool both = i == 3;
        impVec3 at = { i & 1 ? quarter : -quarter, i & 2 ? quarter : -quarter,
                       both    ? 0
                       : i & 4 ? quarter
                               : -quarter };
        add_box(piece, &count, (impVec3){ half, half, both ? SIDE : half }, at);
    }
    if (cut >= PLATES) {
        cut_in_plates(piece, &count, thickness[cut], cut == OVERLAPS);
    }
    return count;
}

// along each side of the mesh
enum { CELLS = 16 };
static impShapeDef mesh_of_cells(void) {
    static impVec3 point[(CELLS + 1) * (CELLS + 1)];
    // two triangles a cell: 3, and the numbers of their corners
    static int32_t face[CELLS * CELLS * 8];
    int count = 0;
    for (int i = 0; i <= CELLS; i++) {
        for (int k = 0; k <= CELLS; k++) {
            point[i * (CELLS + 1) + k] = (impVec3){ 0.06 * (i - 8), 0.06 * (k - 8), 0 };
        }
    }
    for (int i = 0; i < CELLS; i++) {
        for (int k = 0; k < CELLS; k++) {
            int a = i * (CELLS + 1) + k;
            int b = a + CELLS + 1;
            const int32_t two[] = { 3, a, b, b + 1, 3, a, b + 1, a + 1 };
            memcpy(face + count, two, sizeof two);
            count += 8;
        }
    }
    return (impShapeDef){ .kind = "mesh",
                          .points = point,
                          .point_count = (CELLS + 1) * (CELLS + 1),
                          .faces = face,
                          .face_ints = count };
}

static impScene *scene_of(const World *w, Cut cut, int start) {
    impError err = { 0 };
    impShapeDef piece[PIECES];
    impShapeDef floor = { .kind = "plane", .size = { 0, 0, 1, 0 } };
    const impShapeDef slab = { .kind = "box", .size = { 2, 2, 0.2 }, .pose.at = { 0, 0, -0.1 } };
    const impQuat rotation = { 0.8, 0.5 - 0.1 * start, 0.2, 0.3 + 0.1 * start };
    if (strcmp(w->floor, "box") == 0) {
        floor = slab;
    }
    if (strcmp(w->floor, "mesh") == 0) {
        floor = mesh_of_cells();
    }
    impScene *scene = impScene_New((impVec3){ 0, 0, -9.81 });
    impScene_Material(scene,
                      &(impMaterialDef){ .name = "m",
                                         .friction_static = 0.5,
                                         .friction_dynamic = 0.5,
                                         .restitution = 0.3,
                                         .density = 1000 },
                      &err);
    impScene_Body(
        scene,
        &(impBodyDef){
            .name = "floor", .fixed = true, .material = "m", .shapes = &floor, .shape_count = 1 },
        &err);
    for (int i = 0; i < w->cubes; i++) {
        char name[16];
        snprintf(name, sizeof name, "cube %d", i);
        const impPose at = { { 0.02 * (i % 3), 0.03 * (i % 2), 0.3 + 0.19 * i }, rotation };
        impScene_Body(scene,
                      &(impBodyDef){ .name = name,
                                     .material = "m",
                                     .pose = at,
                                     .shapes = piece,
                                     .shape_count = cut_cube(cut, piece) },
                      &err);
    }
    if (err.count) {
        stop("compound", &err);
    }
    return scene;
}

typedef struct Cost {
    double seconds;
    long looks, events;
} Cost;

static Cost cost_of(const World *w, Cut cut, int start) {
    impError err = { 0 };
    impScene *scene = scene_of(w, cut, start);
    impModel *m = impModel_Build(scene, &err);
    impStepper *stepper = m ? impStepper_New(m, &(impStepperDef){ .method = "impulse" }, &err)
                            : NULL;
    impState *s = stepper ? impState_New(m) : NULL;
    if (!s) {
        stop("compound", &err);
    }
    Cost cost = { 0 };
    double begin = cpu_seconds();
    while (impState_Time(s) < w->duration) {
        impOutcome o = impStep(stepper, s, NULL, STEP);
        if (o.verdict != IMP_SOLVED) {
            stop(o.text, NULL);
        }
        cost.looks += o.iterations;
        cost.events += o.events;
    }
    cost.seconds = cpu_seconds() - begin;
    impState_Free(s);
    impStepper_Free(stepper);
    impModel_Free(m);
    impScene_Free(scene);
    return cost;
}

// The best of several rounds of each start, and the mean over the starts.
static void measure(const World *w, Cost out[CUTS]) {
    for (int cut = 0; cut < CUTS; cut++) {
        out[cut] = (Cost){ 0 };
    }
    for (int start = 0; start < STARTS; start++) {
        Cost best[CUTS];
        for (int k = 0; k < ROUNDS * CUTS; k++) {
            int cut = k % CUTS;
            Cost c = cost_of(w, (Cut)cut, start);
            if (k < CUTS || c.seconds < best[cut].seconds) {
                best[cut] = c;
            }
        }
        for (int cut = 0; cut < CUTS; cut++) {
            out[cut].seconds += best[cut].seconds / STARTS;
            out[cut].looks += best[cut].looks / STARTS;
            out[cut].events += best[cut].events / STARTS;
        }
    }
}

int main(void) {
    int missed = 0;
    for (int k = 0; k < WORLDS; k++) {
        Cost cost[CUTS];
        char what[80];
        measure(&worlds[k], cost);
        printf("%s: %.2f ms, %ld looks, %ld events\n", worlds[k].name, 1e3 * cost[WHOLE].seconds,
               cost[WHOLE].looks, cost[WHOLE].events);
        for (int cut = SLICES; cut < CUTS; cut++) {
            snprintf(what, sizeof what, "  %s (%ld looks, %ld events)", cut_names[cut],
                     cost[cut].looks, cost[cut].events);
            missed += row(what, cost[cut].seconds / cost[WHOLE].seconds, "times", MOST);
        }
    }
    return missed > 0;
}
