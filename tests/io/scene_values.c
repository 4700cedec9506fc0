// scene_values.c -- what each key of a scene file means: units, defaults, explicit zeros,
// conventions, warnings.
//
// SPDX-License-Identifier: MIT
#include "scene_support.h"

#define BODY(b) "{\"impel\":1,\"bodies\":[" b "]}"
#define BALL    "\"shape\":{\"sphere\":{\"radius\":0.5}}"

static impModel *with_state(const char *text, impState **out) {
    impModel *model = good(text);
    *out = impState_New(model);
    assert_non_null(*out);
    return model;
}

static void drop(impModel *model, impState *state) {
    impState_Free(state);
    impModel_Free(model);
}

static void near3(impVec3 a, double x, double y, double z, double tolerance) {
    NEAR(a.x, x, tolerance);
    NEAR(a.y, y, tolerance);
    NEAR(a.z, z, tolerance);
}

// --- the top level -------------------------------------------------------------------------------
static void what_is_not_said_has_its_default(void **state) {
    (void)state;
    impModel *m = good("{\"impel\":1,\"materials\":{\"a\":{}}}");
    near3(impModel_Gravity(m), 0, 0, -9.81, 0);
    SAME_TEXT(impModel_About(m), "");
    impPairLaw law = impModel_PairLaw(m, 1, 1);
    NEAR(law.friction_static, 0, 0);
    NEAR(law.restitution, 0, 0);
    assert_int_equal(law.law, IMP_POISSON);
    assert_false(law.listed);
    impRunDef run = impModel_Run(m);
    NEAR(run.duration, 0, 0);
    NEAR(run.dt, 0, 0);
    NEAR(run.contact_band, 1e-4, 0);
    assert_null(run.method);
    assert_int_equal(run.micro, IMP_MICROSTEP);
    assert_int_equal(run.prediction, IMP_EXACT);
    assert_int_equal(run.shock_propagation, 0);
    impModel_Free(m);
}

static void the_top_level_is_read(void **state) {
    (void)state;
    impModel *m = good("{\"$schema\":\"scene.schema.json\",\"impel\":1,\"about\":\"one\","
                       "\"source\":\"two\",\"expect\":\"three\","
                       "\"gravity\":[1,2,3],\"run\":{\"duration\":5,\"method\":\"flight\",\"dt\":0."
                       "25,\"contact_band\":1e-6,"
                       "\"micro\":\"reversal\",\"prediction\":\"runge_kutta\","
                       "\"shock_propagation\":7}}");
    SAME_TEXT(impModel_About(m), "one");
    SAME_TEXT(impModel_Source(m), "two");
    near3(impModel_Gravity(m), 1, 2, 3, 0);
    impRunDef run = impModel_Run(m);
    NEAR(run.duration, 5, 0);
    NEAR(run.dt, 0.25, 0);
    NEAR(run.contact_band, 1e-6, 0);
    SAME_TEXT(run.method, "flight");
    assert_int_equal(run.micro, IMP_REVERSAL);
    assert_int_equal(run.prediction, IMP_RUNGE_KUTTA);
    assert_int_equal(run.shock_propagation, 7);
    impModel_Free(m);
    SAYS(
        "{\"impel\":1,\"run\":{\"shock_propagation\":-1}}",
        "s.json:1:39: run: shock_propagation; got -1; it must be a whole number from 0 to 1000000");
    SAYS("{\"impel\":1,\"run\":{\"micro\":\"reverse\"}}",
         "s.json:1:27: run: micro; got \"reverse\"; it must be \"microstep\" or \"reversal\"; did "
         "you "
         "mean \"reversal\"?");
    SAYS("{\"impel\":1,\n\"run\":{\"micro\":1}}",
         "s.json:2:16: run: micro; got 1; it must be \"microstep\" or \"reversal\"");
    SAYS("{\"impel\":1,\"run\":{\"dt\":0,\"duration\":-1,\"contact_band\":0}}",
         "s.json:1:37: run: duration -1 s; it must be positive\n"
         "s.json:1:24: run: dt 0 s; it must be positive\n"
         "s.json:1:55: run: contact_band 0 m; it must be positive");
    SAYS("{\"impel\":1,\"gravity\":9.81,\"bodies\":{},\"run\":[]}",
         "s.json:1:22: scene: gravity; got 9.81; it must be a list of 3 numbers\n"
         "s.json:1:36: scene: bodies; got {}; it must be a list\n"
         "s.json:1:45: scene: run; got []; it must be an object");
    SAYS("{\"impel\":1,\"gravity\":[0,0,1e7]}",
         "s.json:1:22: scene: gravity [0, 0, 10000000] m/s^2; its size must be at most 1e6");
}

// --- materials -----------------------------------------------------------------------------------
static void pairs_follow_the_combination_unless_listed(void **state) {
    (void)state;
    impModel *m = good(
        "{\"impel\":1,\"materials\":{\"a\":{\"friction\":0.5,\"restitution\":0.25},"
        "\"b\":{\"friction\":{\"static\":0.5,\"dynamic\":0.125},\"restitution\":0.75},"
        "\"c\":{\"friction\":0.1,\"restitution\":1}},"
        "\"pairs\":[{\"between\":[\"c\",\"a\"],\"friction\":{\"static\":0.9,\"dynamic\":0.8},"
        "\"restitution\":0.1,"
        "\"law\":\"newton\"},{\"between\":[\"b\",\"b\"],\"friction\":0.3,\"restitution\":0.6,"
        "\"law\":\"stronge\"}]}");
    impPairLaw ab = impModel_PairLaw(m, 1, 2);
    impPairLaw ca = impModel_PairLaw(m, 3, 1);
    impPairLaw ac = impModel_PairLaw(m, 1, 3);
    impPairLaw bb = impModel_PairLaw(m, 2, 2);
    SAME_TEXT(impModel_MaterialName(m, 3), "c");
    // sqrt(0.5 0.5)
    NEAR(ab.friction_static, 0.5, 0);
    // sqrt(0.5 0.125)
    NEAR(ab.friction_dynamic, 0.25, 0);
    // the smaller
    NEAR(ab.restitution, 0.25, 0);
    assert_false(ab.listed);
    NEAR(ca.friction_static, 0.9, 0);
    NEAR(ca.friction_dynamic, 0.8, 0);
    NEAR(ca.restitution, 0.1, 0);
    assert_int_equal(ca.law, IMP_NEWTON);
    assert_memory_equal(&ca, &ac, sizeof ca);
    assert_int_equal(bb.law, IMP_STRONGE);
    assert_true(bb.listed);
    impModel_Free(m);
}

static void materials_that_cannot_be(void **state) {
    (void)state;
    SAYS("{\"impel\":1,\"materials\":{\"a\":{\"friction\":{\"static\":0.1}},\"b\":{\"friction\":{"
         "\"static\":0.1,\"dynamc\":0.2}}}}",
         "s.json:1:41: material 'a': \"dynamic\" is missing\n"
         "s.json:1:87: material 'b': unknown key \"dynamc\"; did you mean \"dynamic\"?\n"
         "s.json:1:73: material 'b': \"dynamic\" is missing");
    SAYS("{\"impel\":1,\"materials\":{\"a\":{\"friction\":{\"static\":0.1,\"dynamic\":0.2},"
         "\"restitution\":0}}}",
         "s.json:1:29: material 'a': static friction 0.1 below the dynamic 0.2; it must not be "
         "smaller");
    SAYS("{\"impel\":1,\"materials\":{\"a\":{\"friction\":-0.1,\"restitution\":1.5,\"density\":"
         "1e10}}}",
         "s.json:1:29: material 'a': friction -0.1; it must be 0 or more, and finite\n"
         "s.json:1:29: material 'a': restitution 1.5; it must lie between 0 and 1: more would "
         "create energy\n"
         "s.json:1:29: material 'a': density 10000000000 kg/m^3; it must lie between 1e-6 and 1e9");
    SAYS("{\"impel\":1,\"materials\":{\"a\":{\"density\":0},\"b\":7}}",
         "s.json:1:40: material 'a': density 0 kg/m^3; it must lie between 1e-6 and 1e9\n"
         "s.json:1:47: material 'b': a material; got 7; it must be an object");
    SAYS("{\"impel\":1,\"pairs\":[{\"friction\":1},{\"between\":[\"a\"]},{\"between\":\"ab\"}]}",
         "s.json:1:21: pair: \"between\" is missing\n"
         "s.json:1:47: pair: between 1 materials; it must name two\n"
         "s.json:1:65: pair: between; got \"ab\"; it must be a list");
    SAYS("{\"impel\":1,\"materials\":{\"a\":{\"friction\":0,\"restitution\":0}},\"pairs\":[{"
         "\"between\":[\"a\",\"a\"],\"friction\":0,"
         "\"restitution\":0,\"law\":\"poison\"}]}",
         "s.json:1:126: pair: law; got \"poison\"; it must be \"poisson\", \"stronge\" or "
         "\"newton\"; did you mean \"poisson\"?");
    SAYS("{\"impel\":1,\"materials\":{\"a\":{\"friction\":0,\"restitution\":0}},\"pairs\":[{"
         "\"between\":[\"a\",\"a\"],\"friction\":0,"
         "\"restitution\":0},\n{\"between\":[\"a\",\"a\"],\"friction\":0,\"restitution\":0}]}",
         "s.json:2:1: pair 'a', 'a': listed twice; a pair must be listed once");
}

static void a_missing_key_that_matters_is_a_warning(void **state) {
    (void)state;
    WARNS(BODY("{\"name\":\"a\"," BALL "},{\"name\":\"b\"," BALL
               ",\"mass\":1},{\"name\":\"c\",\"fixed\":true," BALL "}"),
          "s.json:1:22: body 'a': no material; frictionless, no bounce, 1000 kg/m^3\n"
          "s.json:1:69: body 'b': no material; frictionless, no bounce\n"
          "s.json:1:125: body 'c': no material; frictionless, no bounce");
    WARNS("{\"impel\":1,\"materials\":{\"a\":{\"restitution\":0},\n\"b\":{\"friction\":0}},"
          "\n\"pairs\":[{\"between\":[\"a\",\"b\"]}]}",
          "s.json:1:29: material 'a': no friction given; it is taken as 0\n"
          "s.json:2:5: material 'b': no restitution given; it is taken as 0\n"
          "s.json:3:10: pair 'a', 'b': no friction given; it is taken as 0\n"
          "s.json:3:10: pair 'a', 'b': no restitution given; it is taken as 0");
    WARNS("{\"impel\":1,\"materials\":{\"a\":{\"friction\":0,\"restitution\":0}},\"bodies\":[{"
          "\"material\":\"a\"," BALL "}]}",
          "");
}

// --- bodies --------------------------------------------------------------------------------------
static void position_is_the_frame_and_velocity_the_centre_of_mass(void **state) {
    (void)state;
    impState *s;
    impModel *m = with_state(
        BODY("{\"name\":\"a\"," BALL
             ",\"mass\":2,\"center_of_mass\":[0.1,0,0],\"inertia\":[1,2,2.5],"
             "\"position\":[1,2,3],\"orientation\":[0,0,0,1],\"velocity\":[4,5,6],"
             "\"angular_velocity\":[7,8,9],\"about\":\"-\"}"),
        &s);
    impBody a = impModel_Find(m, "a");
    near3(impState_Pose(m, s, a).at, 1, 2, 3, 1e-15);
    near3(impState_Twist(m, s, a).linear, 4, 5, 6, 0);
    near3(impState_Twist(m, s, a).angular, 7, 8, 9, 0);
    near3(impModel_Mass(m, a).center, 0.1, 0, 0, 0);
    NEAR(impModel_Mass(m, a).mass, 2, 0);
    NEAR(impModel_Mass(m, a).inertia[1][1], 2, 0);
    drop(m, s);
}

static void inertia_may_be_three_numbers_or_three_rows(void **state) {
    (void)state;
    impModel *m = good(
        BODY("{\"name\":\"a\",\"mass\":1,\"inertia\":[3,4,5]},"
             "{\"name\":\"b\",\"mass\":1,\"inertia\":[[3,0.5,0],[0.5,4,0],[0,0,5]]}"));
    NEAR(impModel_Mass(m, (impBody){ 1 }).inertia[2][2], 5, 0);
    NEAR(impModel_Mass(m, (impBody){ 2 }).inertia[0][1], 0.5, 0);
    impModel_Free(m);
    SAYS(BODY("{\"name\":\"a\",\"mass\":1,\"inertia\":[[1,0,0],[0,1,0]]}"),
         "s.json:1:53: body 'a': inertia of 2 rows; it must have three");
    SAYS(BODY("{\"name\":\"a\",\"mass\":1,\"inertia\":[1,2]}"),
         "s.json:1:53: body 'a': inertia; got [1,2]; it must be a list of 3 numbers");
    SAYS(BODY("{\"name\":\"a\",\"mass\":1,\"inertia\":[[1,0,0],[0,1,0],7]}"),
         "s.json:1:70: body 'a': a row of inertia; got 7; it must be a list of 3 numbers");
}

static void explicit_zeros_are_not_defaults(void **state) {
    (void)state;
    SAYS(BODY("{\"name\":\"a\"," BALL ",\"mass\":0}"),
         "s.json:1:75: body 'a': mass 0 kg; it must be positive");
    SAYS(BODY("{\"name\":\"a\",\"fixed\":true,\"mass\":-1}"),
         "s.json:1:54: body 'a': mass -1 kg; it must be positive");
    SAYS(BODY("{\"name\":\"a\"," BALL ",\"inertia\":[0,0,0]}"),
         "s.json:1:78: body 'a': inertia is zero; its moments must be positive");
    SAYS(BODY("{\"name\":\"a\"," BALL ",\"inertia\":[[0,0,0],[0,0,0],[0,0,0]]}"),
         "s.json:1:78: body 'a': inertia is zero; its moments must be positive");
    SAYS(BODY("{\"name\":\"a\"," BALL ",\"orientation\":[0,0,0,0]}"),
         "s.json:1:82: body 'a': orientation [0, 0, 0, 0]; it must be a unit quaternion");
    SAYS(BODY("{\"name\":\"a\",\"shape\":{\"sphere\":{\"radius\":1},\"orientation\":[0,0,0,0]}}"),
         "s.json:1:79: body 'a': sphere: orientation [0, 0, 0, 0]; it must be a unit quaternion");
    SAYS(BODY("{\"name\":\"a\",\"shape\":{\"sphere\":{\"radius\":0}}}"),
         "s.json:1:52: body 'a': sphere: radius 0 m; it must be positive");
    impModel *m = good(BODY("{\"name\":\"a\"," BALL ",\"center_of_mass\":[0,0,0]}"));
    near3(impModel_Mass(m, (impBody){ 1 }).center, 0, 0, 0, 0);
    impModel_Free(m);
}

static void bodies_that_cannot_be(void **state) {
    (void)state;
    impError err;
    // neither shape nor mass
    assert_null(build(BODY("{\"name\":\"a\"}"), NULL, &err));
    assert_non_null(strstr(err.message[0].text, "give \"mass\" and \"inertia\", or make it fixed"));
    assert_null(build(BODY("{\"name\":\"a\",\"mass\":1}"), NULL, &err));
    assert_non_null(strstr(err.message[0].text, "give \"inertia\""));
    SAYS(BODY("{\"name\":\"p\",\"shape\":{\"plane\":{\"normal\":[0,0,1]}}}"),
         "s.json:1:51: body 'p': plane: has no end and no volume; a body of it must be fixed or "
         "have a motion");
    SAYS(
        BODY("{\"name\":\"p\",\"fixed\":true,\"velocity\":[1,0,0]}"),
        "s.json:1:58: body 'p': a velocity for a body that is fixed; only dynamic bodies have one");
    SAYS(BODY("{\"name\":\"a\",\"shape\":[]}"),
         "s.json:1:42: body 'a': an empty list of shapes; leave it out");
    SAYS(BODY("{\"name\":\"a\",\"shape\":{\"material\":\"x\"}}"),
         "s.json:1:42: body 'a': a shape of no kind; it must be one of 'impel list shapes'");
    SAYS(BODY("{\"name\":\"a\",\"shape\":{\"box\":{\"size\":[1,1,1]},\"sphere\":{\"radius\":1}}}"),
         "s.json:1:75: body 'a': a shape that is both box and sphere; a compound is a list");
    SAYS(BODY("{\"name\":\"a\",\"shape\":{\"box\":7}}"),
         "s.json:1:49: body 'a': box; got 7; it must be an object");
    SAYS(BODY("{\"name\":\"\",\"fixed\":true}"),
         "s.json:1:22: body 1: its name is empty; it must have one");
    SAYS(BODY("{\"name\":7,\"fixed\":\"yes\",\"position\":[1,2],\"velocity\":[1,\"a\",true]}, 8"),
         "s.json:1:30: body: name; got 7; it must be text in quotes\n"
         "s.json:1:40: body 1: fixed; got \"yes\"; it must be true or false\n"
         "s.json:1:57: body 1: position; got [1,2]; it must be a list of 3 numbers\n"
         "s.json:1:77: body 1: velocity[1]; got \"a\"; it must be a number\n"
         "s.json:1:81: body 1: velocity[2]; got true; it must be a number\n"
         "s.json:1:89: bodies: a body; got 8; it must be an object");
}

// --- shapes --------------------------------------------------------------------------------------
static void every_shape_has_the_measures_it_says(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double volume;
        impVec3 low, high;
    } rows[] = {
        { "{\"sphere\":{\"radius\":2}}", 32 * PI / 3, { -2, -2, -2 }, { 2, 2, 2 } },
        { "{\"box\":{\"size\":[1,2,3]}}", 6, { -0.5, -1, -1.5 }, { 0.5, 1, 1.5 } },
        { "{\"capsule\":{\"radius\":1,\"length\":2}}",
          2 * PI + 4 * PI / 3,
          { -1, -1, -2 },
          { 1, 1, 2 } },
        { "{\"cylinder\":{\"radius\":1,\"height\":2}}", 2 * PI, { -1, -1, -1 }, { 1, 1, 1 } },
        { "{\"cone\":{\"radius\":1,\"height\":3}}", PI, { -1, -1, 0 }, { 1, 1, 3 } },
        { "{\"ellipsoid\":{\"semi_axes\":[1,2,3]}}", 8 * PI, { -1, -2, -3 }, { 1, 2, 3 } },
        { "{\"hull\":{\"points\":[[0,0,0],[1,0,0],[0,2,0],[0,0,3]],\"faces\":[[0,2,1],[0,1,3],[1,2,"
          "3],[2,0,3]]}}",
          1,
          { 0, 0, 0 },
          { 1, 2, 3 } },
        { "{\"box\":{\"size\":[1,2,3],\"radius\":0.25}}",
          4.75 + PI * (0.28125 + 1.0 / 48),
          { -0.5, -1, -1.5 },
          { 0.5, 1, 1.5 } },
        // 1 + 9 r + r^2/2 (3 pi + sqrt 5 acos(-2/7) + sqrt 10 acos(-3/7) + sqrt 13 acos(-6/7)) +
        // 4/3 pi r^3
        { "{\"hull\":{\"points\":[[0,0,0],[1,0,0],[0,2,0],[0,0,3]],\"faces\":[[0,2,1],[0,1,3],[1,2,"
          "3],[2,0,3]],\"radius\":0.5}}",
          9.68974914728357,
          { -0.5, -0.5, -0.5 },
          { 1.5, 2.5, 3.5 } },
        { "[{\"box\":{\"size\":[1,1,1]}},{\"box\":{\"size\":[1,1,1]},\"position\":[2,0,0],"
          "\"orientation\":[0,1,0,0]}]",
          2,
          { -0.5, -0.5, -0.5 },
          { 2.5, 0.5, 0.5 } },
    };
    for (int i = 0; i < COUNT(rows); i++) {
        char text[400];
        impVec3 low, high;
        snprintf(text, sizeof text, BODY("{\"shape\":%s}"), rows[i].text);
        impModel *m = good(text);
        NEAR(impModel_Mass(m, (impBody){ 1 }).mass, 1000 * rows[i].volume,
             1e-10 * rows[i].volume * 1000);
        assert_true(impModel_Box(m, (impBody){ 1 }, &low, &high));
        near3(low, rows[i].low.x, rows[i].low.y, rows[i].low.z, 1e-12);
        near3(high, rows[i].high.x, rows[i].high.y, rows[i].high.z, 1e-12);
        impModel_Free(m);
    }
    impModel_Free(
        good(BODY("{\"fixed\":true,\"shape\":{\"plane\":{\"normal\":[0,0,2],\"offset\":-1}}}")));
}

static void points_and_faces_are_checked_where_they_stand(void **state) {
    (void)state;
#define HULL(h) BODY("{\"name\":\"a\",\"shape\":{\"hull\":{" h "}}}")
    SAYS(HULL(""), "s.json:1:50: body 'a': hull: \"points\" is missing");
    SAYS(HULL("\"points\":[[0,0,0],[1,0]]"),
         "s.json:1:69: body 'a': hull: a point; got [1,0]; it must be a list of 3 numbers");
    SAYS(HULL("\"points\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],\"faces\":[[0,1,7]]"),
         "s.json:1:108: body 'a': hull: an index of a face; got 7; it must be a whole number from "
         "0 to 3");
    SAYS(HULL("\"points\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],\"faces\":[]"),
         "s.json:1:102: body 'a': hull: faces is an empty list; leave it out");
    SAYS(HULL("\"points\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],\"faces\":[7]"),
         "s.json:1:103: body 'a': hull: a face; got 7; it must be a list");
}

static void roundings_are_checked_where_they_stand(void **state) {
    (void)state;
#define ROUNDED(b) BODY("{\"name\":\"a\",\"shape\":{\"box\":{\"size\":[1,2,3]," b "}}}")
    impModel *m = good(ROUNDED("\"radius\":0.25"));
    SAME_BITS(impModel_ShapeRounding(m, (impBody){ 1 }, 0), 0.25);
    impModel_Free(m);
    SAYS(ROUNDED("\"radius\":0"),
         "s.json:1:74: body 'a': box: radius 0 m; it must be positive, or left out");
    SAYS(ROUNDED("\"radius\":\"r\""),
         "s.json:1:74: body 'a': box: radius; got \"r\"; it must be a number");
    SAYS(ROUNDED("\"radius\":-0.1"),
         "s.json:1:49: body 'a': box: radius -0.1 m; it must be positive");
    SAYS(ROUNDED("\"radius\":0.5"), "s.json:1:49: body 'a': box: radius 0.5 m; it must be less "
                                    "than half of size[0], 1 m, and leave 1e-7 m between");
    SAYS(HULL("\"points\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],\"radius\":0"),
         "s.json:1:103: body 'a': hull: radius 0 m; it must be positive, or left out");
    SAYS(BODY("{\"name\":\"a\",\"shape\":{\"cone\":{\"radius\":1,\"height\":1,\"rounding\":1}}}"),
         "s.json:1:73: body 'a': cone: unknown key \"rounding\"; it may be \"radius\" or "
         "\"height\"");
}

static void the_material_of_a_shape_goes_before_that_of_the_body(void **state) {
    (void)state;
    impModel *m = good("{\"impel\":1,\"materials\":{\"a\":{\"density\":1},\"b\":{\"density\":10}},"
                       "\"bodies\":[{\"material\":\"a\","
                       "\"shape\":[{\"box\":{\"size\":[1,1,1]}},{\"box\":{\"size\":[1,1,1]},"
                       "\"material\":\"b\"}]}]}");
    NEAR(impModel_Mass(m, (impBody){ 1 }).mass, 11, 1e-12);
    impModel_Free(m);
}

// --- motions -------------------------------------------------------------------------------------
static impPose moved(const char *motion, double t) {
    char text[600];
    impError err;
    impState *s;
    snprintf(text, sizeof text, BODY("{" BALL ",\"position\":[1,0,0],\"motion\":%s}"), motion);
    impModel *m = with_state(text, &s);
    impStepper *stepper = impStepper_New(m, &(impStepperDef){ .method = "flight" }, &err);
    assert_non_null(stepper);
    assert_int_equal(impStep(stepper, s, NULL, t).verdict, IMP_SOLVED);
    impPose p = impState_Pose(m, s, (impBody){ 1 });
    impStepper_Free(stepper);
    drop(m, s);
    return p;
}

static void turned_by(impPose p, impVec3 axis, double angle) {
    impQuat q = quat_rotation(axis, angle);
    NEAR(fabs(p.rotation.w * q.w + p.rotation.x * q.x + p.rotation.y * q.y + p.rotation.z * q.z), 1,
         1e-14);
}

static void motions_are_functions_of_time(void **state) {
    (void)state;
    impVec3 x = vec(1, 0, 0);
    impVec3 z = vec(0, 0, 1);
    impPose p = moved("{\"spin\":{\"axis\":[0,0,2],\"rate\":3}}", 0.25);
    near3(p.at, 1, 0, 0, 1e-15);
    turned_by(p, z, 0.75);
    p = moved("{\"vibrate\":{\"amplitude\":[0,0.5,0],\"frequency\":2,\"phase\":0.3}}", 0.1);
    near3(p.at, 1, 0.5 * sin(TAU * 0.2 + 0.3), 0, 1e-14);
    p = moved("{\"translate\":{\"velocity\":[-2,0.5,0]}}", 0.25);
    near3(p.at, 0.5, 0.125, 0, 1e-15);
#define ROCK(r)                                                                                    \
    "{\"vibrate\":{\"frequency\":2,\"phase\":0.3,\"rotation\":{\"axis\":[1,0,0],\"amplitude\":0."  \
    "2" r "}}}"
    // keeps time with the translation
    turned_by(moved(ROCK(""), 0.1), x, 0.2 * sin(TAU * 0.2 + 0.3));
    turned_by(moved(ROCK(",\"phase\":1"), 0.1), x, 0.2 * sin(TAU * 0.2 + 1));
    turned_by(moved(ROCK(",\"frequency\":5"), 0.1), x, 0.2 * sin(TAU * 0.5));
    turned_by(moved(ROCK(",\"frequency\":5,\"phase\":1"), 0.1), x, 0.2 * sin(TAU * 0.5 + 1));
#define STILL(r)                                                                                   \
    "{\"vibrate\":{\"frequency\":0,\"phase\":0.3,\"rotation\":{\"axis\":[1,0,0],\"amplitude\":0."  \
    "2" r "}}}"
    turned_by(moved(STILL(""), 0.1), x, 0.2 * sin(0.3));
    turned_by(moved(STILL(",\"phase\":1"), 0.1), x, 0.2 * sin(1));
    turned_by(
        moved("{\"vibrate\":{\"rotation\":{\"axis\":[1,0,0],\"amplitude\":0.2,\"frequency\":5}}}",
              0.01),
        x, 0.2 * sin(TAU * 0.05));
}

// Rotations act in the order in which they are written, each about world axes.
static void motions_add_up_in_their_order(void **state) {
    (void)state;
    impQuat about_z = quat_rotation(vec(0, 0, 1), 0.5);
    impQuat about_x = quat_rotation(vec(1, 0, 0), 0.25);
    impPose p = moved(
        "[{\"spin\":{\"axis\":[0,0,1],\"rate\":1}},{\"spin\":{\"axis\":[1,0,0],\"rate\":0.5}}]",
        0.5);
    impQuat expected = qmul(about_x, about_z);
    NEAR(p.rotation.w, expected.w, 1e-14);
    NEAR(p.rotation.y, expected.y, 1e-14);
    p = moved("[{\"spin\":{\"axis\":[0,0,1],\"rate\":1},\"vibrate\":{\"amplitude\":[1,0,0],"
              "\"frequency\":1}},"
              "{\"vibrate\":{\"amplitude\":[0,1,0],\"frequency\":0.5}}]",
              0.25);
    near3(p.at, 2, sin(PI / 4), 0, 1e-14);
    p = moved("{\"translate\":{\"velocity\":[0,0,8]},\"spin\":{\"axis\":[0,0,1],\"rate\":1},"
              "\"vibrate\":{\"amplitude\":[1,0,0],\"frequency\":1}}",
              0.25);
    near3(p.at, 2, 0, 2, 1e-14);
    turned_by(p, vec(0, 0, 1), 0.25);
}

static void motions_that_cannot_be(void **state) {
    (void)state;
#define MOVED(m) BODY("{\"name\":\"a\",\"motion\":" m "}")
    SAYS(MOVED("{}"),
         "s.json:1:43: body 'a': motion is empty; it must be spin, vibrate or translate");
    SAYS(MOVED("[]"), "s.json:1:43: body 'a': an empty list of motions; leave it out");
    SAYS(MOVED("7"), "s.json:1:43: body 'a': motion; got 7; it must be an object");
    SAYS(MOVED("{\"spin\":{\"rate\":1,\"speed\":2}}"),
         "s.json:1:51: body 'a': spin: \"axis\" is missing\n"
         "s.json:1:61: body 'a': spin: unknown key \"speed\"; it may be \"axis\" or \"rate\"");
    SAYS(MOVED("{\"spin\":{\"axis\":[0,0,0],\"rate\":1}}"),
         "s.json:1:43: body 'a': spin axis [0, 0, 0]; it must have a direction");
    SAYS(MOVED("{\"vibrate\":{\"amplitude\":[1,0,0]}}"),
         "s.json:1:54: body 'a': vibrate: \"frequency\" is missing");
    SAYS(MOVED("{\"vibrate\":{\"frequency\":1,\"rotation\":{\"axis\":[0,0,1]}}}"),
         "s.json:1:80: body 'a': vibrate: \"amplitude\" is missing");
    SAYS(MOVED("{\"vibrate\":{\"frequency\":1,\"rotation\":{\"axis\":[0,0,1],\"amplitude\":1,"
               "\"frequency\":0}}}"),
         "s.json:1:122: body 'a': vibrate: rotation frequency 0 Hz; it must be positive");
    SAYS(MOVED("{\"translate\":{}}"), "s.json:1:56: body 'a': translate: \"velocity\" is missing");
    SAYS(MOVED("{\"translate\":{\"velocity\":[1,2],\"axis\":3}}"),
         "s.json:1:74: body 'a': translate: unknown key \"axis\"; it may be \"velocity\"\n"
         "s.json:1:68: body 'a': translate: velocity; got [1,2]; it must be a list of 3 numbers");
    SAYS(MOVED("{\"translate\":{\"velocity\":[0,2e8,0]}}"),
         "s.json:1:43: body 'a': velocity in m/s 200000000; its size must be at most 100000000");
    SAYS(
        BODY("{\"name\":\"a\",\"fixed\":true,\"motion\":{\"spin\":{\"axis\":[0,0,1],\"rate\":1}}}"),
        "s.json:1:56: body 'a': fixed and with a motion; it can only be one of them");
}

// --- the issue's own example ---------------------------------------------------------------------
static Path copy_file(const char *from, const char *name) {
    size_t size;
    char *bytes = read_text(source(from).text, &size);
    Path path = in_folder(name);
    FILE *file = fopen(path.text, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    free(bytes);
    return path;
}

static void the_example_of_the_format_builds(void **state) {
    (void)state;
    impError err;
    Path path = copy_file("tests/io/format_example.json", "format_example.json");
    copy_file("scenes/parts/bracket.stl", "bracket.stl");
    impScene *scene = impScene_Load(path.text, NULL, &err);
    if (!scene) {
        fail_msg("%s", err.message[0].text);
    }
    impModel *m = impModel_Build(scene, &err);
    if (!m) {
        fail_msg("%s", err.message[0].text);
    }
    assert_int_equal(impModel_BodyCount(m), 1008);
    assert_int_equal(impModel_JointCount(m), 1);
    NEAR(impModel_Mass(m, impModel_Find(m, "top")).mass, 0.02, 0);
    assert_int_equal(impModel_ShapeCount(m, impModel_Find(m, "part")), 2);
    assert_null(impStepper_New(m, &(impStepperDef){ .method = "flight" }, &err));
    SAME_TEXT(err.message[0].text,
              "joint 'hinge': method flight cannot move a hinge; it knows free bodies only");
    impModel_Free(m);
    // over itself
    assert_true(impScene_Save(scene, path.text, &err));
    impScene_Free(scene);
    scene = impScene_Load(path.text, NULL, &err);
    assert_non_null(scene);
    impScene_Free(scene);
}

// What can only be found by a build is told together with what the reader finds, also of one and
// the same body.
static void all_mistakes_of_one_body(void **state) {
    (void)state;
    SAYS("{\"impel\":1,\"bodies\":[{\"name\":\"a\",\"mass\":-2,\"position\":[1e99,0,0],"
         "\n\"velocity\":[1e99,0,0]}]}",
         "s.json:1:41: body 'a': mass -2 kg; it must be positive\n"
         "s.json:1:55: body 'a': position [1e99, 0, 0] m; each coordinate must lie within +-1e9\n"
         "s.json:2:12: body 'a': velocity [1e99, 0, 0] m/s; its size must be at most 1e8");
}

static void mistakes_in_joints_come_with_the_others(void **state) {
    (void)state;
    SAYS("{\"impel\":1,\"bodies\":[{\"name\":\"a\",\"mass\":-2}],\n\"joints\":[{\"name\":\"j\","
         "\"type\":\"hinge\","
         "\"parent\":\"world\",\"child\":\"a\",\"axis\":[0,0,0]}]}",
         "s.json:1:41: body 'a': mass -2 kg; it must be positive\n"
         "s.json:2:11: joint 'j': axis [0, 0, 0]; it must have a direction");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_mistakes_of_one_body),
        cmocka_unit_test(mistakes_in_joints_come_with_the_others),
        cmocka_unit_test(what_is_not_said_has_its_default),
        cmocka_unit_test(the_top_level_is_read),
        cmocka_unit_test(pairs_follow_the_combination_unless_listed),
        cmocka_unit_test(materials_that_cannot_be),
        cmocka_unit_test(a_missing_key_that_matters_is_a_warning),
        cmocka_unit_test(position_is_the_frame_and_velocity_the_centre_of_mass),
        cmocka_unit_test(inertia_may_be_three_numbers_or_three_rows),
        cmocka_unit_test(explicit_zeros_are_not_defaults),
        cmocka_unit_test(bodies_that_cannot_be),
        cmocka_unit_test(every_shape_has_the_measures_it_says),
        cmocka_unit_test(points_and_faces_are_checked_where_they_stand),
        cmocka_unit_test(roundings_are_checked_where_they_stand),
        cmocka_unit_test(the_material_of_a_shape_goes_before_that_of_the_body),
        cmocka_unit_test(motions_are_functions_of_time),
        cmocka_unit_test(motions_add_up_in_their_order),
        cmocka_unit_test(motions_that_cannot_be),
        cmocka_unit_test(the_example_of_the_format_builds),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
