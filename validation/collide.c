// collide.c -- cases of `impel validate` about who touches, where and when.
//
// Distances of shapes against closed forms; and the guarantee of paper 1, section 3:
// a body that goes forward only by the bound on its time of impact arrives at the
// first touch, never later, never beyond, however fast and however thin the target. The world is
// flown by method flight, which would let it pass.
//
// SPDX-License-Identifier: MIT
#include "validation.h"

#include <math.h>
#include <string.h>

typedef struct Two {
    impModel *model;
    impState *state;
    impStepper *stepper;
    impBody a, b;
} Two;

static void part(Two *two) {
    impStepper_Free(two->stepper);
    impState_Free(two->state);
    impModel_Free(two->model);
}

static bool meet(Two *two, Report *r, impVec3 gravity, const impBodyDef *a, const impBodyDef *b) {
    // static: 12 KB
    static impError err;
    memset(&err, 0, sizeof err);
    *two = (Two){ 0 };
    impScene *scene = impScene_New(gravity);
    two->a = impScene_Body(scene, a, &err);
    two->b = impScene_Body(scene, b, &err);
    two->model = impModel_Build(scene, &err);
    impScene_Free(scene);
    two->state = impState_New(two->model);
    two->stepper = impStepper_New(two->model, &(impStepperDef){ .method = "flight" }, &err);
    if (two->model && two->state && two->stepper) return true;
    cli_report_trouble(r, err.count ? err.message[0].text : "no memory");
    part(two);
    return false;
}

// --- distances -----------------------------------------------------------------------------------
static void apart(Report *r, const char *what, impShapeDef a, impPose pa, impShapeDef b, impPose pb,
                  double expected, double allowed) {
    Two two;
    impBodyDef one = { .name = "a", .shapes = &a, .shape_count = 1, .pose = pa };
    impBodyDef other = { .name = "b", .shapes = &b, .shape_count = 1, .pose = pb, .fixed = true };
    if (!meet(&two, r, (impVec3){ 0, 0, 0 }, &one, &other)) return;
    cli_report(r, what, "m", expected,
               impDistance(two.model, two.state, two.a, two.b, NULL, NULL, NULL), allowed);
    part(&two);
}

static impPose at(double x, double y, double z) { return (impPose){ { x, y, z }, { 1, 0, 0, 0 } }; }

void cli_case_distance(Report *r) {
    const impShapeDef cube = { .kind = "box", .size = { 1, 1, 1 } };
    const impShapeDef ball = { .kind = "sphere", .size = { 0.3 } };
    const impShapeDef egg = { .kind = "ellipsoid", .size = { 0.3, 0.4, 0.6 } };
    const impShapeDef disc = { .kind = "cylinder", .size = { 0.5, 0.1 } };
    const impShapeDef floor = { .kind = "plane", .size = { 0, 0, 1, 0 } };
    const impShapeDef pill = { .kind = "capsule", .size = { 0.1, 1 } };
    const impShapeDef cone = { .kind = "cone", .size = { 0.5, 1 } };
    const double half = sqrt(0.5);
    const double tilt = 0.3;
    const double n[3] = { sin(0.4) * cos(0.7), sin(0.4) * sin(0.7), cos(0.4) };
    const impQuat on_edge = { cos(3.14159265358979323846 / 8), sin(3.14159265358979323846 / 8), 0,
                              0 };
    const impQuat turn_y = { cos(tilt / 2), 0, sin(tilt / 2), 0 };
    const impShapeDef slope = { .kind = "plane", .size = { n[0], n[1], n[2], 0 } };
    const impPose here = { { 0, 0, 0 }, { 1, 0, 0, 0 } };
    apart(r, "corner to corner of two cubes", cube, at(2, 2, 2), cube, here, sqrt(3), 1e-12);
    apart(r, "edge over face, cube on its edge", cube, (impPose){ { 0, 0, 2 }, on_edge }, cube,
          here, 1.5 - half, 1e-12);
    apart(r, "ball to a corner", ball, at(1, 1, 1), cube, here, sqrt(0.75) - 0.3, 1e-12);
    apart(r, "crossed capsules", pill, (impPose){ { 0, 0, 1 }, { half, half, 0, 0 } }, pill,
          (impPose){ { 0, 0, 0 }, { half, 0, half, 0 } }, 0.8, 1e-12);
    apart(r, "ellipsoid over a sloping plane", egg, at(0, 0, 2), slope, here,
          2 * n[2] - sqrt(0.09 * n[0] * n[0] + 0.16 * n[1] * n[1] + 0.36 * n[2] * n[2]), 1e-12);
    apart(r, "tilted disc, its rim over the floor", disc, (impPose){ { 0, 0, 1 }, turn_y }, floor,
          here, 1 - 0.5 * sin(tilt) - 0.05 * cos(tilt), 1e-12);
    apart(r, "apex of a cone under a ball", cone, here, ball, at(0, 0, 2), 0.7, 1e-10);
    apart(r, "two ellipsoids on their long axes", egg, at(0, 0, 2), egg, here, 0.8, 1e-10);
    apart(r, "cube sunk into a cube", cube, at(0.1, 0.2, 0.9), cube, here, -0.1, 1e-12);
}

// --- first touch ---------------------------------------------------------------------------------
typedef struct Touch {
    double time, least;
    int looks;
} Touch;

// Goes forward by the bound alone until the gap is below `close`.
static Touch advance(Two *two, double close) {
    Touch t = { .least = HUGE_VAL };
    for (; t.looks < 20000; t.looks++) {
        impNear near;
        if (impNearPairs(two->model, two->state, HUGE_VAL, &near, 1) < 1) break;
        if (near.distance < t.least) {
            t.least = near.distance;
        }
        t.time = impState_Time(two->state);
        if (near.distance <= close || !(near.time < HUGE_VAL)) break;
        if (impStep(two->stepper, two->state, NULL, near.time).verdict != IMP_SOLVED) break;
    }
    return t;
}

static void first_touch(Report *r, const char *what, impVec3 gravity, impBodyDef a, impBodyDef b,
                        double expected, double close, double allowed) {
    char name[60];
    Two two;
    if (!meet(&two, r, gravity, &a, &b)) return;
    Touch t = advance(&two, close);
    snprintf(name, sizeof name, "%s: overlap", what);
    cli_report(r, name, "m", 0, t.least < 0 ? -t.least : 0, 0);
    snprintf(name, sizeof name, "%s: first touch", what);
    cli_report(r, name, "s", expected, t.time, allowed);
    part(&two);
}

// A thin rod turns about its middle, a wall stands at d: it touches when a sin x + b cos x = d,
// half lengths a and b.
static double needle_time(double a, double b, double d, double w) {
    double low = 0;
    double high = 1.5;
    for (int i = 0; i < 200; i++) {
        double x = 0.5 * (low + high);
        if (a * sin(x) + b * cos(x) < d) {
            low = x;
        } else {
            high = x;
        }
    }
    return low / w;
}

void cli_case_touch(Report *r) {
    const impShapeDef cube = { .kind = "box", .size = { 0.02, 0.02, 0.02 } };
    const impShapeDef plate = { .kind = "box", .size = { 1, 1, 0.001 } };
    const impShapeDef needle = { .kind = "box", .size = { 2, 0.01, 0.02 } };
    const impShapeDef wall = { .kind = "plane", .size = { 0, -1, 0, -0.8 } };
    const impShapeDef ball = { .kind = "sphere", .size = { 0.1 } };
    const impShapeDef ceiling = { .kind = "plane", .size = { 0, 0, -1, -3 } };
    const impVec3 none = { 0, 0, 0 };
    const impVec3 down = { 0, 0, -9.81 };
    const impQuat odd = { 0.8, 0.36, 0.48, 0 };
    impBodyDef target = { .name = "plate", .fixed = true, .shapes = &plate, .shape_count = 1 };
    impBodyDef fast = { .name = "cube",
                        .shapes = &cube,
                        .shape_count = 1,
                        .mass = 1,
                        .pose.at = { 0, 0, 1 },
                        .twist.linear = { 0, 0, -200 } };
    first_touch(r, "cube at 200 m/s", none, fast, target, (1 - 0.01 - 0.0005) / 200, 1e-9, 1e-10);
    fast.twist.linear.z = -1e4;
    fast.pose.rotation = odd;
    fast.twist.angular = (impVec3){ 300, -200, 500 };
    Two two;
    if (meet(&two, r, none, &fast, &target)) {
        Touch t = advance(&two, 1e-9);
        cli_report(r, "tumbling at 1e4 m/s: overlap", "m", 0, t.least < 0 ? -t.least : 0, 0);
        cli_report(r, "tumbling at 1e4 m/s: gap left", "m", 0, t.least, 1e-9);
        part(&two);
    }
    impBodyDef rod = { .name = "needle",
                       .shapes = &needle,
                       .shape_count = 1,
                       .mass = 1,
                       .twist.angular = { 0, 0, 10 } };
    impBodyDef side = { .name = "wall", .fixed = true, .shapes = &wall, .shape_count = 1 };
    first_touch(r, "turning needle", none, rod, side, needle_time(1, 0.005, 0.8, 10), 1e-9, 1e-9);
    impBodyDef shot = {
        .name = "ball", .shapes = &ball, .shape_count = 1, .mass = 1, .twist.linear = { 0, 0, 9 }
    };
    impBodyDef lid = { .name = "ceiling", .fixed = true, .shapes = &ceiling, .shape_count = 1 };
    first_touch(r, "ball to the ceiling", down, shot, lid, (9 - sqrt(81 - 2 * 9.81 * 2.9)) / 9.81,
                1e-9, 1e-9);
}
