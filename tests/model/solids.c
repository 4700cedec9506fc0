// solids.c -- tests of model/solids.c: mass, centre and inertia against values made by hand, and
// what is refused.
//
// SPDX-License-Identifier: MIT
#include "model/rig.h"

// x to y to z to x
static const impQuat TILTED = { 0.5, 0.5, 0.5, 0.5 };

static impMass mass_of(const impBodyDef *def) {
    impModel *model = built_with(def);
    impMass mass = impModel_Mass(model, (impBody){ 1 });
    impModel_Free(model);
    return mass;
}

static void near_tensor(double a[3][3], double b[3][3], double tolerance) {
    for (int i = 0; i < 9; i++) {
        NEAR(a[i / 3][i % 3], b[i / 3][i % 3], tolerance);
    }
}

static void diagonal(double out[3][3], double a, double b, double c) {
    memset(out, 0, 9 * sizeof(double));
    out[0][0] = a;
    out[1][1] = b;
    out[2][2] = c;
}

// --- compounds -----------------------------------------------------------------------------------
static void two_halves_are_the_whole_box(void **state) {
    (void)state;
    const impShapeDef whole = { .kind = "box", .size = { 0.6, 0.3, 0.2 } };
    const impShapeDef halves[] = {
        { .kind = "box", .size = { 0.3, 0.3, 0.2 }, .pose.at = { -0.15, 0, 0 } },
        { .kind = "box", .size = { 0.3, 0.3, 0.2 }, .pose.at = { 0.15, 0, 0 } }
    };
    impMass one = mass_of(&(impBodyDef){ .shapes = &whole, .shape_count = 1 });
    impMass two = mass_of(&(impBodyDef){ .shapes = halves, .shape_count = 2 });
    NEAR(one.mass, 36, 36e-15);
    NEAR(two.mass, one.mass, 1e-14 * one.mass);
    NEAR(norm(two.center), 0, 1e-16);
    near_tensor(two.inertia, one.inertia, 1e-14 * one.inertia[2][2]);
    double byhand[3][3];
    diagonal(byhand, 36 * (0.09 + 0.04) / 12, 36 * (0.36 + 0.04) / 12, 36 * (0.36 + 0.09) / 12);
    near_tensor(one.inertia, byhand, 1e-14 * byhand[2][2]);
}

// A half that is turned by a quarter about z and whose sides are swapped is the same half.
static void a_turned_half_is_the_same_half(void **state) {
    (void)state;
    double r = sqrt(0.5);
    const impShapeDef halves[] = {
        { .kind = "box", .size = { 0.3, 0.4, 0.2 }, .pose.at = { -0.15, 0, 0 } },
        { .kind = "box", .size = { 0.4, 0.3, 0.2 }, .pose = { { 0.15, 0, 0 }, { r, 0, 0, r } } }
    };
    const impShapeDef whole = { .kind = "box", .size = { 0.6, 0.4, 0.2 } };
    impMass one = mass_of(&(impBodyDef){ .shapes = &whole, .shape_count = 1 });
    impMass two = mass_of(&(impBodyDef){ .shapes = halves, .shape_count = 2 });
    near_tensor(two.inertia, one.inertia, 1e-14 * one.inertia[2][2]);
}

// A hammer: head of steel, 0.1 x 0.03 x 0.03 m across the end of a handle of wood, 0.02 x 0.02 x
// 0.3 m along z.
//     handle 600 (0.02^2 0.3) = 0.072 kg at z = 0; head 7850 (0.1 0.03^2) = 0.7065 kg at z = 0.165
static void hammer(void **state) {
    (void)state;
    const impShapeDef parts[] = {
        { .kind = "box", .size = { 0.02, 0.02, 0.3 }, .material = "wood" },
        { .kind = "box",
          .size = { 0.1, 0.03, 0.03 },
          .pose.at = { 0, 0, 0.165 },
          .material = "steel" },
    };
    impScene *scene = empty_scene();
    impScene_Material(scene, &(impMaterialDef){ .name = "wood", .density = 600 }, &err);
    impScene_Material(scene, &(impMaterialDef){ .name = "steel", .density = 7850 }, &err);
    impScene_Body(scene, &(impBodyDef){ .name = "hammer", .shapes = parts, .shape_count = 2 },
                  &err);
    impModel *model = built(scene);
    impMass got = impModel_Mass(model, (impBody){ 1 });
    double a = 0.072;
    double b = 0.7065;
    double z = b * 0.165 / (a + b);
    double da = z * z;
    double db = (0.165 - z) * (0.165 - z);
    double xx = a * (0.0004 + 0.09) / 12 + a * da + b * (0.0009 + 0.0009) / 12 + b * db;
    double yy = a * (0.0004 + 0.09) / 12 + a * da + b * (0.01 + 0.0009) / 12 + b * db;
    double zz = a * (0.0004 + 0.0004) / 12 + b * (0.01 + 0.0009) / 12;
    double byhand[3][3];
    diagonal(byhand, xx, yy, zz);
    NEAR(got.mass, a + b, 1e-15);
    NEAR(got.center.z, z, 1e-16);
    NEAR(got.center.x, 0, 0);
    near_tensor(got.inertia, byhand, 1e-16);
    impModel_Free(model);
}

static void a_given_mass_scales_the_inertia(void **state) {
    (void)state;
    impMass m = mass_of(&(impBodyDef){ .shapes = &UNIT_BOX, .shape_count = 1, .mass = 6 });
    double byhand[3][3];
    diagonal(byhand, 1, 1, 1);
    SAME_BITS(m.mass, 6);
    near_tensor(m.inertia, byhand, 1e-15);
}

static void a_shape_off_the_origin_moves_the_centre(void **state) {
    (void)state;
    const impShapeDef ball = { .kind = "sphere", .size = { 0.5 }, .pose.at = { 1, 2, 3 } };
    impMass m = mass_of(&(impBodyDef){ .shapes = &ball, .shape_count = 1, .mass = 2 });
    SAME_BITS(m.center.x, 1);
    SAME_BITS(m.center.z, 3);
    // about its own centre
    NEAR(m.inertia[0][0], 0.4 * 2 * 0.25, 1e-16);
}

// --- given inertia -------------------------------------------------------------------------------
static impBodyDef given(double a, double b, double c) {
    impBodyDef def = { .name = "b", .mass = 1 };
    diagonal(def.inertia, a, b, c);
    return def;
}

static void rebuild(const impMass *m, double out[3][3]) {
    Mat3 r = rotated(rotation(m->axes), mat3_diagonal(m->moments[0], m->moments[1], m->moments[2]));
    const double rows[3][3] = { { r.x.x, r.x.y, r.x.z },
                                { r.y.x, r.y.y, r.y.z },
                                { r.z.x, r.z.y, r.z.z } };
    memcpy(out, rows, sizeof rows);
}

static void a_diagonal_inertia_keeps_its_own_axes(void **state) {
    (void)state;
    const double cases[][3] = { { 3, 4, 5 }, { 5, 4, 3 }, { 2, 2, 2 }, { 1e-9, 2e-9, 2.5e-9 } };
    for (int i = 0; i < COUNT(cases); i++) {
        impBodyDef def = given(cases[i][0], cases[i][1], cases[i][2]);
        impMass m = mass_of(&def);
        SAME_BITS(m.axes.w, 1);
        SAME_BITS(m.axes.x, 0);
        SAME_BITS(m.axes.y, 0);
        SAME_BITS(m.axes.z, 0);
        for (int k = 0; k < 3; k++) {
            SAME_BITS(m.moments[k], cases[i][k]);
        }
    }
}

static void moments_and_axes_give_the_tensor_back(void **state) {
    (void)state;
    const impQuat turns[] = {
        TILTED, { 0.8, 0.6, 0, 0 }, { 0.1, 0.7, 0.1, 0.7 }, { 0.9, -0.1, 0.4, 0.1 }
    };
    for (int i = 0; i < COUNT(turns); i++) {
        Mat3 j = rotated(rotation(unit(turns[i])), mat3_diagonal(0.3, 0.4, 0.6));
        impBodyDef def = {
            .name = "b",
            .mass = 1,
            .inertia = { { j.x.x, j.x.y, j.x.z }, { j.x.y, j.y.y, j.y.z }, { j.x.z, j.y.z, j.z.z } }
        };
        impMass m = mass_of(&def);
        double back[3][3];
        rebuild(&m, back);
        near_tensor(back, def.inertia, 5e-16);
        NEAR(qnorm(m.axes), 1, 1e-15);
        NEAR(m.moments[0] + m.moments[1] + m.moments[2], 1.3, 1e-15);
        NEAR(m.moments[0] * m.moments[1] * m.moments[2], 0.072, 1e-15);
    }
}

// --- I1: mass ------------------------------------------------------------------------------------
static void i1_mass_must_be_positive(void **state) {
    (void)state;
    impBodyDef b = { .name = "plank", .shapes = &UNIT_BOX, .shape_count = 1 };
    const struct {
        double mass;
        const char *text;
    } cases[] = {
        { -2, "body 'plank': mass -2 kg; it must be positive" },
        { -HUGE_VAL, "body 'plank': mass -inf kg; it must be positive" },
        { NO_NUMBER, "body 'plank': mass nan kg; it must lie between 1e-30 and 1e30" },
        { HUGE_VAL, "body 'plank': mass inf kg; it must lie between 1e-30 and 1e30" },
        { 1e-320,
          "body 'plank': mass 9.99988867182683e-321 kg; it must lie between 1e-30 and 1e30" },
        { 1e40, "body 'plank': mass 1e40 kg; it must lie between 1e-30 and 1e30" },
    };
    for (int i = 0; i < COUNT(cases); i++) {
        b.mass = cases[i].mass;
        REFUSED(scene_with(&b), cases[i].text);
    }
    const char *zero = "{ \"impel\": 1, \"bodies\": [ { \"name\": \"b\", \"mass\": 0 } ] }";
    // said in a file, zero is a mistake
    assert_null(impScene_Parse(zero, strlen(zero), "test.json", NULL, &err));
    SAME_TEXT(message(0), "test.json:1:50: body 'b': mass 0 kg; it must be positive");
}

static void i1_a_body_without_volume_needs_a_mass(void **state) {
    (void)state;
    impBodyDef b = { .name = "ghost" };
    REFUSED(scene_with(&b), "body 'ghost': its shapes have no volume to take a mass from; give "
                            "\"mass\" and \"inertia\", or make it fixed");
    b.mass = 1;
    REFUSED(scene_with(&b),
            "body 'ghost': its shapes have no volume to take an inertia from; give \"inertia\"");
    b.fixed = true;
    b.mass = 0;
    // fixed is a flag, not a mass of 0
    impModel_Free(built_with(&b));
}

// --- I3, I4: inertia -----------------------------------------------------------------------------
static void i3_inertia_must_be_symmetric(void **state) {
    (void)state;
    impBodyDef b = given(1, 1, 1);
    b.inertia[0][1] = 0.25;
    REFUSED(scene_with(&b), "body 'b': inertia is not symmetric, by 0.25 kg m^2; entries across "
                            "the diagonal must be equal");
    // rounding of whoever computed it
    b.inertia[0][1] = 0.25 + 1e-12;
    b.inertia[1][0] = 0.25;
    impModel *model = built_with(&b);
    SAME_BITS(model->body[1].inertia.x.y, model->body[1].inertia.y.x);
    impModel_Free(model);
}

static void i3_inertia_must_be_finite(void **state) {
    (void)state;
    const double bad[] = { NO_NUMBER, HUGE_VAL, -HUGE_VAL };
    for (int k = 0; k < 27; k++) {
        impBodyDef b = given(1, 1, 1);
        b.inertia[k / 3 % 3][k % 3] = bad[k / 9];
        REFUSED(scene_with(&b), "body 'b': inertia with a number that is not finite");
    }
}

static void i3_inertia_must_be_positive_definite(void **state) {
    (void)state;
    impBodyDef b = given(1, -1, 1);
    REFUSED(scene_with(&b),
            "body 'b': inertia with principal moments 1, -1, 1 kg m^2; each must be positive");
    b = given(1, 0, 1);
    REFUSED(scene_with(&b),
            "body 'b': inertia with principal moments 1, 0, 1 kg m^2; each must be positive");
    b = given(1, 1, 1);
    // moments 3, -1, 1 about turned axes
    b.inertia[0][1] = b.inertia[1][0] = 2;
    impScene *scene = scene_with(&b);
    assert_null(impModel_Build(scene, &err));
    impScene_Free(scene);
    assert_non_null(strstr(message(0), "body 'b': inertia with principal moments "));
    // whose product is no number
    b = given(1e-70, 1e-70, 1e-70);
    REFUSED(scene_with(&b), "body 'b': inertia with principal moments 1e-70, 1e-70, 1e-70 kg m^2; "
                            "each must lie between 1e-60 and 1e60");
}

static void i4_no_moment_exceeds_the_sum_of_the_others(void **state) {
    (void)state;
    impBodyDef b = given(1, 1, 5);
    REFUSED(scene_with(&b),
            "body 'b': inertia with principal moments 1, 1, 5 kg m^2 belongs to no real body; "
            "the largest must not exceed the sum of the others, 2");
}

// A flat body has A + B = C exactly, and whoever computed it has rounded: a part in 1e9 of the
// trace is forgiven, at any size of the numbers.
static void i4_the_tolerance_is_relative_to_the_trace(void **state) {
    (void)state;
    const double sizes[] = { 1e-12, 1e-3, 1, 1e6 };
    for (int i = 0; i < COUNT(sizes); i++) {
        double s = sizes[i];
        impBodyDef flat = given(s, s, 2 * s);
        impBodyDef rounded = given(s, s, 2 * s * (1 + 1e-10));
        impBodyDef wrong = given(s, s, 2 * s * (1 + 1e-8));
        impModel_Free(built_with(&flat));
        impModel_Free(built_with(&rounded));
        impScene *scene = scene_with(&wrong);
        assert_null(impModel_Build(scene, &err));
        impScene_Free(scene);
        assert_non_null(strstr(message(0), "belongs to no real body"));
    }
}

// --- I7: centre of mass --------------------------------------------------------------------------
static void i7_center_outside_the_shape_is_noted(void **state) {
    (void)state;
    impBodyDef b = { .name = "b",
                     .shapes = &UNIT_BOX,
                     .shape_count = 1,
                     .center_given = true,
                     .center = { 0, 0, 0.6 } };
    diagonal(b.inertia, 1, 1, 1);
    impModel *model = built_with(&b);
    assert_true(warned(model, "body 'b': its centre of mass lies outside its shapes"));
    SAME_BITS(impModel_Mass(model, (impBody){ 1 }).center.z, 0.6);
    impModel_Free(model);
}

static void i7_center_must_be_finite(void **state) {
    (void)state;
    const impMotionDef spin = { .kind = "spin", .axis = { 0, 0, 1 }, .rate = 1 };
    impBodyDef b = { .name = "b",
                     .shapes = &UNIT_BOX,
                     .shape_count = 1,
                     .center_given = true,
                     .center = { 0, NO_NUMBER, 0 } };
    REFUSED(scene_with(&b),
            "body 'b': center_of_mass [0, nan, 0] m; each coordinate must lie within +-1e7");
    b.motions = &spin;
    b.motion_count = 1;
    REFUSED(scene_with(&b),
            "body 'b': center_of_mass [0, nan, 0] m; each coordinate must lie within +-1e7");
    b.motion_count = 0;
    b.center = (impVec3){ 1e300, 0, 0 };
    REFUSED(scene_with(&b),
            "body 'b': center_of_mass [1e300, 0, 0] m; each coordinate must lie within +-1e7");
}

static void a_center_without_inertia_is_noted(void **state) {
    (void)state;
    impBodyDef b = { .name = "b",
                     .shapes = &UNIT_BOX,
                     .shape_count = 1,
                     .center_given = true,
                     .center = { 0, 0, 0.1 } };
    impModel *model = built_with(&b);
    assert_true(warned(model, "body 'b': center_of_mass without inertia; the shapes' inertia about "
                              "their own centre is used"));
    impModel_Free(model);
}

// --- shapes --------------------------------------------------------------------------------------
static void shapes_are_checked(void **state) {
    (void)state;
    const struct {
        impShapeDef shape;
        const char *text;
    } cases[] = {
        { { .kind = "spere" },
          "body 'b': spere: shape \"spere\" is unknown; did you mean \"sphere\"?" },
        { { .kind = "torus" },
          "body 'b': torus: shape \"torus\" is unknown; see 'impel list shapes'" },
        { { 0 }, "body 'b': shape: shape \"\" is unknown; see 'impel list shapes'" },
        { { .kind = "sphere" }, "body 'b': sphere: radius 0 m; it must be positive" },
        { { .kind = "sphere", .size = { NO_NUMBER } },
          "body 'b': sphere: radius nan m; it must be finite" },
        { { .kind = "box", .size = { 1, 1, 1 }, .pose.at = { 1e8, 0, 0 } },
          "body 'b': box: position [100000000, 0, 0] m; each coordinate must lie within +-1e7" },
        { { .kind = "box", .size = { 1, 1, 1 }, .pose.rotation = { 0, NO_NUMBER, 0, 0 } },
          "body 'b': box: orientation of length nan; it must be a unit quaternion" },
        { { .kind = "plane", .size = { 0, 0, 1 } },
          "body 'b': plane: has no end and no volume; a body of it must be fixed or have a "
          "motion" },
    };
    for (int i = 0; i < COUNT(cases); i++) {
        REFUSED(
            scene_with(&(impBodyDef){ .name = "b", .shapes = &cases[i].shape, .shape_count = 1 }),
            cases[i].text);
    }
    const impShapeDef pair[] = { UNIT_BOX, { .kind = "sphere", .size = { -1 } } };
    REFUSED(scene_with(&(impBodyDef){ .name = "b", .shapes = pair, .shape_count = 2 }),
            "body 'b': shape 2 (sphere): radius -1 m; it must be positive");
    const impShapeDef turned_box = { .kind = "box",
                                     .size = { 1, 1, 1 },
                                     .pose.rotation = { 2, 0, 0, 0 } };
    impModel *model = built_with(
        &(impBodyDef){ .name = "b", .shapes = &turned_box, .shape_count = 1 });
    assert_true(warned(model, "body 'b': box: orientation of length 2; it was normalised"));
    impModel_Free(model);
}

static void a_surface_cannot_be_dynamic(void **state) {
    (void)state;
    const impVec3 points[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } };
    const int32_t faces[] = { 3, 0, 1, 2 };
    const impShapeDef mesh = {
        .kind = "mesh", .points = points, .point_count = 3, .faces = faces, .face_ints = 4
    };
    impBodyDef b = { .name = "b", .shapes = &mesh, .shape_count = 1 };
    REFUSED(scene_with(&b), "body 'b': mesh: a surface of triangles can only be fixed or have a "
                            "motion; a dynamic body needs "
                            "\"as\": \"hull\" or a compound of convex shapes");
    b.fixed = true;
    impModel_Free(built_with(&b));
}

// --- hulls that stand for meshes -----------------------------------------------------------------
// An L of 2 x 2 x 1 m without a quarter: arms of 1 m, volume 3, corners 0 to 5 below and 6 to 11
// above.
static const impVec3 l_points[] = { { 0, 0, 0 }, { 2, 0, 0 }, { 2, 1, 0 }, { 1, 1, 0 },
                                    { 1, 2, 0 }, { 0, 2, 0 }, { 0, 0, 1 }, { 2, 0, 1 },
                                    { 2, 1, 1 }, { 1, 1, 1 }, { 1, 2, 1 }, { 0, 2, 1 } };
enum { L_TRIANGLES = 20 };
static const int32_t l_faces[4 * L_TRIANGLES] = {
    3, 0, 3, 1,  3, 1, 3,  2, 3, 0, 5, 3,  3, 5,  4,  3,                           // below
    3, 6, 7, 9,  3, 7, 8,  9, 3, 6, 9, 11, 3, 11, 9,  10,                          // above
    3, 0, 1, 7,  3, 0, 7,  6, 3, 1, 2, 8,  3, 1,  8,  7,  3, 2, 3, 9, 3, 2, 9, 8,  // round
    3, 3, 4, 10, 3, 3, 10, 9, 3, 4, 5, 11, 3, 4,  11, 10, 3, 5, 0, 6, 3, 5, 6, 11,
};
static const impShapeDef l_mesh = { .kind = "mesh",
                                    .points = l_points,
                                    .point_count = 12,
                                    .faces = l_faces,
                                    .face_ints = COUNT(l_faces),
                                    .as_hull = true };

static void a_hull_weighs_what_its_mesh_encloses(void **state) {
    (void)state;
    const impShapeDef arms[] = {
        { .kind = "box", .size = { 2, 1, 1 }, .pose.at = { 1, 0.5, 0.5 } },
        { .kind = "box", .size = { 1, 1, 1 }, .pose.at = { 0.5, 1.5, 0.5 } }
    };
    impMass arm = mass_of(&(impBodyDef){ .shapes = arms, .shape_count = 2 });
    impModel *model = built_with(&(impBodyDef){ .shapes = &l_mesh, .shape_count = 1 });
    impMass mesh = impModel_Mass(model, (impBody){ 1 });
    NEAR(mesh.mass, 3000, 3e-12);
    NEAR(norm(sub(mesh.center, arm.center)), 0, 1e-15);
    near_tensor(mesh.inertia, arm.inertia, 1e-14 * arm.inertia[2][2]);
    // it touches by its hull, which spans the corner that is missing
    SAME_TEXT(impModel_ShapeKind(model, (impBody){ 1 }, 0), "hull");
    assert_int_equal(model->shape[0].vertex_count, 10);
    assert_int_equal(model->shape[0].face_count, 7);
    impModel_Free(model);
    // its place in the body counts, and other shapes with their own densities
    impShapeDef two[] = { l_mesh, { .kind = "sphere", .size = { 0.1 }, .material = "wood" } };
    two[0].pose = (impPose){ { 1, 2, 3 }, TILTED };
    impScene *scene = empty_scene();
    impScene_Material(scene, &(impMaterialDef){ .name = "wood", .density = 600 }, &err);
    impScene_Material(scene, &(impMaterialDef){ .name = "steel", .density = 7850 }, &err);
    impScene_Body(scene, &(impBodyDef){ .shapes = two, .shape_count = 2, .material = "steel" },
                  &err);
    model = built(scene);
    impMass both = impModel_Mass(model, (impBody){ 1 });
    impModel_Free(model);
    double ball = 600 * 4.0 / 3 * 3.14159265358979323846 * 1e-3;
    NEAR(both.mass, 3 * 7850 + ball, 1e-11);
    impVec3 at = add(vec(1, 2, 3), rotate(TILTED, arm.center));
    NEAR(norm(sub(both.center, scale(3 * 7850 / both.mass, at))), 0, 1e-14);
    // a mass that is given scales the inertia
    impMass given = mass_of(&(impBodyDef){ .shapes = &l_mesh, .shape_count = 1, .mass = 6 });
    NEAR(given.mass, 6, 0);
    NEAR(given.inertia[0][0], 6 / 3000.0 * arm.inertia[0][0], 1e-15);
}

static void an_open_mesh_has_no_mass_of_its_own(void **state) {
    (void)state;
    static const char *const told =
        "body 'tray': mesh: bounds no solid (3 edges are open, 0 crowded), so that it has no mass; "
        "give the body \"mass\", \"center_of_mass\" and \"inertia\"";
    impShapeDef open = l_mesh;
    open.face_ints -= 4;
    impBodyDef b = { .name = "tray", .shapes = &open, .shape_count = 1 };
    REFUSED(scene_with(&b), told);
    b.mass = 2;
    REFUSED(scene_with(&b), told);
    b.center_given = true;
    b.center = vec(0.5, 0.5, 0.5);
    REFUSED(scene_with(&b), told);
    diagonal(b.inertia, 1, 1, 1);
    impMass mass = mass_of(&b);
    NEAR(mass.mass, 2, 0);
    NEAR(mass.center.x, 0.5, 0);
    NEAR(mass.inertia[1][1], 1, 0);
    // a neighbour of the same shape is checked for itself
    impScene *scene = scene_with(&b);
    impBodyDef other = {
        .name = "other", .shapes = &open, .shape_count = 1, .center_given = true, .center = b.center
    };
    impScene_Body(scene, &other, NULL);
    assert_null(impModel_Build(scene, &err));
    assert_non_null(strstr(message(0), "body 'other': mesh: bounds no solid"));
    impScene_Free(scene);
    // what does not move has no mass
    impModel_Free(built_with(&(impBodyDef){ .fixed = true, .shapes = &open, .shape_count = 1 }));
    // other shapes beside it do not tell its mass
    const impShapeDef beside[] = { UNIT_BOX, open };
    REFUSED(scene_with(&(impBodyDef){ .name = "b", .shapes = beside, .shape_count = 2 }),
            "body 'b': shape 2 (mesh): bounds no solid (3 edges are open, 0 crowded), so that it "
            "has no mass; "
            "give the body \"mass\", \"center_of_mass\" and \"inertia\"");
}

static void only_a_mesh_stands_as_its_hull(void **state) {
    (void)state;
    impShapeDef box = UNIT_BOX;
    impShapeDef round = l_mesh;
    impShapeDef flat = l_mesh;
    box.as_hull = true;
    REFUSED(scene_with(&(impBodyDef){ .name = "b", .shapes = &box, .shape_count = 1 }),
            "body 'b': box: as_hull is for meshes; a box has none");
    round.radius = 0.1;
    REFUSED(scene_with(&(impBodyDef){ .name = "b", .shapes = &round, .shape_count = 1 }),
            "body 'b': mesh: rounded by a radius of 0.1 m; only a box or a hull can be");
    // its lower side alone
    flat.face_ints = 16;
    REFUSED(scene_with(&(impBodyDef){ .name = "b", .shapes = &flat, .shape_count = 1 }),
            "body 'b': mesh: the 6 points lie in a plane (dimension 2); a hull needs volume");
}

static void near_plane(const double *size, double x, double y, double z, double offset) {
    const impShapeDef plane = { .kind = "plane", .size = { size[0], size[1], size[2], size[3] } };
    impModel *model = built_with(
        &(impBodyDef){ .shapes = &plane, .shape_count = 1, .fixed = true });
    const double *got = model->shape[0].size;
    NEAR(got[0], x, 2e-16);
    NEAR(got[1], y, 2e-16);
    NEAR(got[2], z, 2e-16);
    NEAR(got[3], offset, 1e-15 * fabs(offset));
    assert_false(impModel_Box(model, (impBody){ 1 }, NULL, NULL));
    impModel_Free(model);
}

static void a_normal_of_any_length_is_a_direction(void **state) {
    (void)state;
    near_plane((double[]){ 0, 0, 1, 2 }, 0, 0, 1, 2);
    near_plane((double[]){ 0, 3, 4, 10 }, 0, 0.6, 0.8, 2);
    near_plane((double[]){ 0, 3e-200, 4e-200, 0 }, 0, 0.6, 0.8, 0);
    near_plane((double[]){ 0, 3e200, 4e200, 5e200 }, 0, 0.6, 0.8, 1);
    near_plane((double[]){ 5e-324, 0, 0, 0 }, 1, 0, 0, 0);
    const impShapeDef far = { .kind = "plane", .size = { 0, 0, 1e-200, 1 } };
    REFUSED(
        scene_with(&(impBodyDef){ .name = "b", .shapes = &far, .shape_count = 1, .fixed = true }),
        "body 'b': plane: 1e200 m from the origin; it must lie within +-1e9");
}

// Bodies of one "repeat" share shapes and mass, and are as if written one by one.
static void repeated_bodies_share_their_shapes(void **state) {
    (void)state;
    impModel *model = built(
        parsed("{ \"impel\": 1, \"bodies\": [ { \"name\": \"c\", \"shape\": { \"box\": { \"size\": "
               "[1, 2, 3] } },"
               " \"repeat\": { \"grid\": [2, 2, 2], \"step\": [4, 4, 4] } } ] }"));
    assert_int_equal(impModel_BodyCount(model), 9);
    assert_int_equal(model->shape_count, 1);
    for (int i = 1; i <= 8; i++) {
        impMass m = impModel_Mass(model, (impBody){ i });
        NEAR(m.mass, 6000, 1e-9);
        NEAR(m.inertia[0][0], 6000 * 13 / 12.0, 1e-9);
        SAME_BITS(m.axes.w, 1);
        NEAR(model->body[i].bounding_radius, sqrt(14) / 2, 1e-15);
    }
    impModel_Free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_halves_are_the_whole_box),
        cmocka_unit_test(a_turned_half_is_the_same_half),
        cmocka_unit_test(hammer),
        cmocka_unit_test(a_given_mass_scales_the_inertia),
        cmocka_unit_test(a_shape_off_the_origin_moves_the_centre),
        cmocka_unit_test(a_diagonal_inertia_keeps_its_own_axes),
        cmocka_unit_test(moments_and_axes_give_the_tensor_back),
        cmocka_unit_test(i1_mass_must_be_positive),
        cmocka_unit_test(i1_a_body_without_volume_needs_a_mass),
        cmocka_unit_test(i3_inertia_must_be_symmetric),
        cmocka_unit_test(i3_inertia_must_be_finite),
        cmocka_unit_test(i3_inertia_must_be_positive_definite),
        cmocka_unit_test(i4_no_moment_exceeds_the_sum_of_the_others),
        cmocka_unit_test(i4_the_tolerance_is_relative_to_the_trace),
        cmocka_unit_test(i7_center_outside_the_shape_is_noted),
        cmocka_unit_test(i7_center_must_be_finite),
        cmocka_unit_test(a_center_without_inertia_is_noted),
        cmocka_unit_test(shapes_are_checked),
        cmocka_unit_test(a_surface_cannot_be_dynamic),
        cmocka_unit_test(a_hull_weighs_what_its_mesh_encloses),
        cmocka_unit_test(an_open_mesh_has_no_mass_of_its_own),
        cmocka_unit_test(only_a_mesh_stands_as_its_hull),
        cmocka_unit_test(a_normal_of_any_length_is_a_direction),
        cmocka_unit_test(repeated_bodies_share_their_shapes),
    };
    return RUN(tests);
}
