// impulse_scales.c -- from a micrometre to ten kilometres, from cubes to wires and foils a hundred
// thousand times as long as thick: rounding alone never fails the certificate.
//
// A body of each size and slenderness falls askew on a floor, bounces, tumbles and slides. Time
// goes with the root of its size, so that all do the same. Extents below 1e-7 m are refused when a
// scene is built: those pairs are left out. The condition of the inertia is half the square of the
// slenderness, up to 5e9.
//
// SPDX-License-Identifier: MIT
#include "impulse_support.h"

static impError err;
// of 0.005 s for a body of 1 m
enum { STEPS = 200 };

typedef enum Form { WIRE, FOIL, CAPSULE, ASKEW, FORMS } Form;
static const char *const form_names[] = { "wire", "foil", "capsule", "wire askew in its body" };

static double smallest_extent_of(Form form) {
    return form == CAPSULE ? 2e-7 : 1e-7;
}  // m; else a scene is refused

static impShapeDef shape_of(Form form, double length, double thickness) {
    impShapeDef s = { .kind = "box", .size = { thickness, thickness, length } };
    if (form == FOIL) {
        s.size[1] = length;
    }
    if (form == ASKEW)
    // the inertia has entries across its diagonal
    {
        s.pose.rotation = quat(0.7, 0.3, -0.5, 0.2);
    }
    if (form == CAPSULE) {
        s = (impShapeDef){ .kind = "capsule", .size = { thickness / 2, length } };
    }
    return s;
}

// far: of its centre from the origin, in lengths.
static impScene *scene_of(Form form, double length, double slenderness, double far) {
    const impShapeDef plane = { .kind = "plane", .size = { 0, 0, 1, 0 } };
    const impShapeDef shape = shape_of(form, length,
                                       fmax(length / slenderness, smallest_extent_of(form)));
    const impPose start = { { far * length, 0, 0.9 * length }, { 0.8, 0.5, 0.2, 0.3 } };
    impScene *scene = impScene_New(vec(0, 0, -9.81));
    impScene_Material(scene,
                      &(impMaterialDef){ .name = "m",
                                         .friction_static = 0.5,
                                         .friction_dynamic = 0.5,
                                         .restitution = 0.3,
                                         .density = 1000 },
                      &err);
    impScene_Body(
        scene, &(impBodyDef){ .fixed = true, .material = "m", .shapes = &plane, .shape_count = 1 },
        &err);
    impScene_Body(
        scene, &(impBodyDef){ .pose = start, .material = "m", .shapes = &shape, .shape_count = 1 },
        &err);
    return scene;
}

static void run_one(Form form, double length, double slenderness, double far) {
    Trial t = trial_of(scene_of(form, length, slenderness, far));
    int events = 0;
    for (int i = 0; i < STEPS; i++) {
        impOutcome o = impStep(t.stepper, t.s, NULL, 0.005 * sqrt(length));
        if (o.verdict != IMP_SOLVED) {
            fail_msg("%s of %g m, %g times as long as thick, step %d: %s", form_names[form], length,
                     slenderness, i, o.text);
        }
        events += o.events;
    }
    // it touched something
    assert_true(events > 0);
    trial_free(&t);
}

static void rounding_is_no_violation(void **state) {
    (void)state;
    for (Form form = 0; form < FORMS; form++) {
        for (double length = 1e-6; length < 2e4; length *= form == WIRE ? 10 : 100) {
            for (double slenderness = 1; slenderness < 2e5; slenderness *= 10) {
                if (length / slenderness > 0.99 * smallest_extent_of(form)) {
                    run_one(form, length, slenderness, 0);
                }
            }
        }
    }
}

// Ten thousand and a million lengths away, where a coordinate is known to 1e-12 and 1e-10 of the
// length; half the band is 5e-9 and 5e-10 of it.
static void nor_is_that_of_places(void **state) {
    (void)state;
    for (double length = 1e-2; length < 2e2; length *= 100) {
        run_one(WIRE, length, 1e4, 1e4);
        run_one(WIRE, length, 1e5, 1e6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(rounding_is_no_violation),
                                        cmocka_unit_test(nor_is_that_of_places) };
    return RUN(tests);
}
