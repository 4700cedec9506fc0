// profile.c -- bodies of revolution that start without spin move in a plane: beside the general
// engine on the exact shapes, and beside polygons of more and more sides.
//
// IMPEL_SOAK=1: ten times as many drops.
//
// SPDX-License-Identifier: MIT
#include "parts_support.h"

// chi-square with 2 degrees of freedom: p = 0.001
static const double LIMIT = 13.8;

static int times(void) { return getenv("IMPEL_SOAK") ? 10 : 1; }

// by what looks down: z 0, z height, the side
enum { DOWN, UP, SIDE, ENDS };
typedef struct Ends {
    double count[ENDS], none, all;
} Ends;

static Ends drop_all(const Dropped *d, int64_t first, int64_t count) {
    static impError err;
    Ends ends = { .all = (double)count };
    impDrops *drops = impDrops_New(d->part, &d->def, &err);
    impDropOutcome *out = calloc((size_t)count, sizeof *out);
    assert_true(drops && out && impDrops_Run(drops, first, count, 2, out));
    for (int64_t i = 0; i < count; i++) {
        if (out[i].family < 0) {
            ends.none++;
            continue;
        }
        double z = d->part->rest[d->part->family[out[i].family].lowest].normal.z;
        ends.count[z < -0.99 ? DOWN : z > 0.99 ? UP : SIDE]++;
    }
    free(out);
    impDrops_Free(drops);
    return ends;
}

static Ends drop_sides(int round, int sides, int64_t first, int64_t count) {
    Dropped d = drop_round(&drop_rounds[round], sides);
    Ends ends = drop_all(&d, first, count);
    drop_free(&d);
    return ends;
}

// --- the general engine --------------------------------------------------------------------------
typedef struct Engine {
    const RoundPart *part;
    Dropped from;  // the same trials
    impDrops *drops;
    impScene *scene;
    impModel *model;
    impState *zero, *state;
    impStepper *stepper;
    impBody body;
    double mass, across, along, low, high;  // low, high: of the ends, from the centre of mass
} Engine;

static const double STEP = 0.005;  // s: events have their own times within it

static Engine engine_of(const RoundPart *r) {
    static impError err;
    Engine e = { .part = r, .from = drop_round(r, 0) };
    e.drops = impDrops_New(e.from.part, &e.from.def, &err);
    e.scene = impScene_New(vec(0, 0, -9.81));
    impShapeDef shape;
    impBodyDef part = drop_round_body(r, 0, &shape);
    impShapeDef plane = { .kind = "plane", .size = { 0, 0, 1, 0 } };
    impBodyDef floor = {
        .name = "floor", .fixed = true, .material = "floor", .shapes = &plane, .shape_count = 1
    };
    impMaterialDef of_part = { .name = "part" };
    impMaterialDef of_floor = { .name = "floor" };
    impPairDef pair = { .between = { "part", "floor" },
                        .friction_static = e.from.def.friction_dynamic,
                        .friction_dynamic = e.from.def.friction_dynamic,
                        .restitution = e.from.def.restitution };
    impRunDef run = { .method = "impulse", .dt = STEP };
    part.material = "part";
    part.pose.at.z = 1;
    assert_true(e.drops && e.scene && impScene_Material(e.scene, &of_part, &err));
    assert_true(impScene_Material(e.scene, &of_floor, &err));
    assert_true(impScene_Body(e.scene, &floor, &err).i > 0);
    e.body = impScene_Body(e.scene, &part, &err);
    assert_true(impScene_Pair(e.scene, &pair, &err) && impScene_Run(e.scene, &run, &err));
    e.model = impModel_Build(e.scene, &err);
    impStepperDef def = { .method = "impulse", .threads = 1 };
    e.stepper = e.model ? impStepper_New(e.model, &def, &err) : NULL;
    assert_non_null(e.stepper);
    e.zero = impState_New(e.model);
    e.state = impState_New(e.model);
    e.mass = part.mass;
    e.across = part.inertia[0][0];
    e.along = part.inertia[2][2];
    e.low = part.center.z;
    e.high = r->height - part.center.z;
    return e;
}

static void engine_free(Engine *e) {
    impStepper_Free(e->stepper);
    impState_Free(e->state);
    impState_Free(e->zero);
    impModel_Free(e->model);
    impScene_Free(e->scene);
    impDrops_Free(e->drops);
    drop_free(&e->from);
}

// The end that is certain, by energy alone: the pass out of an end is the way over its rim.
static int certain_end(const Engine *e) {
    impPose p = impState_Pose(e->model, e->state, e->body);
    impTwist t = impState_Twist(e->model, e->state, e->body);
    impVec3 w = unrotate(p.rotation, t.angular);
    double z = p.at.z + rotate(p.rotation, vec(0, 0, e->low)).z;
    double spin = e->across * (w.x * w.x + w.y * w.y) + e->along * w.z * w.z;
    double energy = (0.5 * dot(t.linear, t.linear) + 0.5 * spin / e->mass) / 9.81 + z;
    double r = e->part->radius;
    double over_low = sqrt(r * r + e->low * e->low);
    double over_high = e->part->cone ? HUGE_VAL : sqrt(r * r + e->high * e->high);
    double axis = rotate(p.rotation, vec(0, 0, 1)).z;
    int end = axis > e->low / over_low ? DOWN : -axis > e->high / over_high ? UP : SIDE;
    if (e->part->cone && end == UP) {
        end = SIDE;
    }
    double pass = end == DOWN ? over_low : end == UP ? over_high : min2(over_low, over_high);
    return energy < pass * (1 - 1e-6) ? end : -1;
}

static Ends engine_all(Engine *e, int64_t first, int64_t count) {
    static impError err;
    Ends ends = { .all = (double)count };
    for (int64_t i = first; i < first + count; i++) {
        impPose pose;
        impTwist twist;
        impDrops_Start(e->drops, i, &pose, &twist);
        impState_Copy(e->model, e->state, e->zero);
        assert_true(impState_Set(e->model, e->state, e->body, pose, twist, &err));
        int end = -1;
        for (int k = 0; k * STEP < 5 && end < 0; k++) {
            assert_int_equal(impStep(e->stepper, e->state, NULL, STEP).verdict, IMP_SOLVED);
            end = certain_end(e);
        }
        if (end < 0) {
            ends.none++;
        } else {
            ends.count[end]++;
        }
    }
    return ends;
}

// Two samples of different sizes; ends that are too rare are left out.
static double chi_square(const Ends *a, const Ends *b) {
    double chi = 0;
    for (int i = 0; i < ENDS; i++) {
        double share = (a->count[i] + b->count[i]) / (a->all + b->all);
        if (share * min2(a->all, b->all) < 5) continue;
        double d = a->count[i] / a->all - b->count[i] / b->all;
        chi += d * d / (share * (1 / a->all + 1 / b->all));
    }
    return chi;
}

static void as_the_general_engine(void **state) {
    (void)state;
    for (int k = 0; k < DROP_ROUNDS; k++) {
        Engine e = engine_of(&drop_rounds[k]);
        Ends engine = engine_all(&e, 0, 600 * times());
        Ends kernel = drop_sides(k, 0, 1000000, 20000 * times());
        double chi = chi_square(&engine, &kernel);
        print_message("%s: general engine %.4f %.4f %.4f, kernel %.4f %.4f %.4f; chi-square %.2f\n",
                      drop_rounds[k].name, engine.count[DOWN] / engine.all,
                      engine.count[UP] / engine.all, engine.count[SIDE] / engine.all,
                      kernel.count[DOWN] / kernel.all, kernel.count[UP] / kernel.all,
                      kernel.count[SIDE] / kernel.all, chi);
        assert_true(engine.none == 0 && kernel.none == 0);
        assert_true(chi < LIMIT);
        engine_free(&e);
    }
}

// --- many sides ----------------------------------------------------------------------------------
// The distance of a polygon's shares from the true shape's is as 1 / sqrt(sides)
// [docs/theory/drop-tests.md (11)], so that twice the shares of 512 sides less those of 128 are
// those of the true shape. Chi-square of this difference d of three samples of n drops each, whose
// variance is 4 + 1 + 1 times that of one sample.
static void as_many_sides(void **state) {
    (void)state;
    int64_t n = 1500 * times();
    for (int k = 0; k < DROP_ROUNDS; k++) {
        Ends few = drop_sides(k, 128, 0, n);
        Ends many = drop_sides(k, 512, 1000000, n);
        Ends smooth = drop_sides(k, 0, 2000000, n);
        double chi = 0;
        double far = 0;
        double near = 0;
        for (int i = 0; i < ENDS; i++) {
            double d = 2 * many.count[i] - few.count[i] - smooth.count[i];
            double mean = (4 * many.count[i] + few.count[i] + smooth.count[i]) / 6;
            chi += mean < 20 ? 0 : d * d / (6 * mean);
            far += fabs(few.count[i] - smooth.count[i]) / (double)(2 * n);
            near += fabs(many.count[i] - smooth.count[i]) / (double)(2 * n);
        }
        print_message("%s: %.4f %.4f %.4f of 128 sides, %.4f %.4f %.4f of 512, %.4f %.4f %.4f "
                      "round; distance %.4f, %.4f; chi-square %.2f\n",
                      drop_rounds[k].name, few.count[DOWN] / few.all, few.count[UP] / few.all,
                      few.count[SIDE] / few.all, many.count[DOWN] / many.all,
                      many.count[UP] / many.all, many.count[SIDE] / many.all,
                      smooth.count[DOWN] / smooth.all, smooth.count[UP] / smooth.all,
                      smooth.count[SIDE] / smooth.all, far, near, chi);
        assert_true(chi < LIMIT);
        // four times the sides, half the distance, but for chance
        assert_true(near < 0.67 * far + 3 / sqrt((double)n));
    }
}

// --- which parts, which starts -------------------------------------------------------------------
static bool moves_in_plane(const Dropped *d) {
    static impError err;
    impDrops *drops = impDrops_New(d->part, &d->def, &err);
    assert_non_null(drops);
    bool planar = drop_table(drops).planar;
    impDrops_Free(drops);
    return planar;
}

static void which_starts(void **state) {
    (void)state;
    Dropped d = drop_round(&drop_rounds[TUBE], 0);
    impDropDef plain = d.def;
    assert_true(moves_in_plane(&d));
    d.def.velocity.z = -1;
    d.def.drag = 3;
    assert_true(moves_in_plane(&d));
    for (int i = 0; i < 4; i++) {
        d.def = plain;
        if (i == 0) d.def.velocity.x = 1e-9;
        if (i == 1) d.def.spin.z = 1e-9;
        if (i == 2) d.def.velocity_random = 1e-9;
        if (i == 3) d.def.spin_random = 1e-9;
        assert_false(moves_in_plane(&d));
    }
    drop_free(&d);
    d = drop_round(&drop_rounds[TUBE], 512);
    assert_false(moves_in_plane(&d));
    drop_free(&d);
}

// A stepped shaft with a tip, rotated in the body's frame; `aside` moves its second piece off the
// axis, `tilt` rotates it, `odd` makes its moments unequal. Lengths of some mm.
static bool shaft_moves_in_plane(double aside, double tilt, double odd) {
    impQuat q = unit(quat(0.9, 0.2, -0.3, 0.1));
    impShapeDef piece[3] = { { .kind = "cylinder", .size = { 0.004, 0.020 } },
                             { .kind = "cylinder", .size = { 0.006, 0.005 } },
                             { .kind = "cone", .size = { 0.004, 0.006 } } };
    piece[1].pose.at = rotate(q, vec(aside, 0, 0.003));
    piece[2].pose.at = rotate(q, vec(0, 0, 0.010));
    for (int i = 0; i < 3; i++) {
        piece[i].pose.rotation = q;
    }
    piece[1].pose.rotation = unit(qmul(q, quat(1, tilt / 2, 0, 0)));
    Mat3 frame = rotation(q);
    impBodyDef body = { .name = "shaft",
                        .mass = 0.01,
                        .center_given = true,
                        .center = rotate(q, vec(0, 0, 0.001)),
                        .shapes = piece,
                        .shape_count = 3 };
    const double own[3] = { 4e-7, 4e-7 * (1 + odd), 1e-7 };
    Mat3 rows = transpose(frame);
    const impVec3 axis[3] = { rows.x, rows.y, rows.z };
    for (int k = 0; k < 3; k++) {
        const double a[3] = { axis[k].x, axis[k].y, axis[k].z };
        for (int i = 0; i < 9; i++) {
            body.inertia[i / 3][i % 3] += own[k] * a[i / 3] * a[i % 3];
        }
    }
    Dropped d = { .def = { .seed = 1, .friction_dynamic = 0.3, .restitution = 0.3 } };
    static impError err;
    err.count = 0;
    if (!part_or_null(&body, 0, &d, &err)) {
        fail_msg("%s", err.message[0].text);
    }
    bool planar = moves_in_plane(&d);
    drop_free(&d);
    return planar;
}

static void which_parts(void **state) {
    (void)state;
    assert_true(shaft_moves_in_plane(0, 0, 0));
    assert_false(shaft_moves_in_plane(1e-8, 0, 0));
    assert_false(shaft_moves_in_plane(0, 1e-6, 0));
    assert_false(shaft_moves_in_plane(0, 0, 1e-6));
    Dropped ball = drop_shape((impShapeDef){ .kind = "capsule", .size = { 0.01, 0.02 } });
    assert_false(moves_in_plane(&ball));
    drop_free(&ball);
    // a polyhedron is what was asked for
    Dropped d = drop_round(&drop_rounds[CUP], 0);
    impPart *coarse = impPart_New(d.model, (impBody){ 1 }, &(impPartDef){ .chord = 1e-3 }, NULL);
    assert_non_null(coarse);
    assert_false(coarse->has_profile);
    impPart_Free(coarse);
    drop_free(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_general_engine),
        cmocka_unit_test(as_many_sides),
        cmocka_unit_test(which_starts),
        cmocka_unit_test(which_parts),
    };
    return RUN(tests);
}
