// cases.c -- the cases of `impel validate`: free flight and prescribed motion against exact
// results.
//
// References are the numbers of docs/validation/cases.md, made by
// two independent methods, or closed forms written out below. A case is a row of the table at the
// end and a function that reports its quantities. The closed forms use the C library's sin and cos
// on purpose: they must not share code with what they judge.
//
// SPDX-License-Identifier: MIT
#include "rig.h"

#include <math.h>
#include <string.h>

static const impVec3 weightless = { 0, 0, 0 };

static impBodyDef free_body(double i1, double i2, double i3, impVec3 spin) {
    return (impBodyDef){ .name = "body",
                         .mass = 1,
                         .twist.angular = spin,
                         .inertia = { { i1, 0, 0 }, { 0, i2, 0 }, { 0, 0, i3 } } };
}

static double distance3(impVec3 a, impVec3 b) {
    return fmax(fabs(a.x - b.x), fmax(fabs(a.y - b.y), fabs(a.z - b.z)));
}

// Largest difference of components; q and -q are one orientation.
static double distance4(impQuat a, impQuat b) {
    double s = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z < 0 ? -1 : 1;
    return fmax(fmax(fabs(a.w - s * b.w), fabs(a.x - s * b.x)),
                fmax(fabs(a.y - s * b.y), fabs(a.z - s * b.z)));
}

// --- a brick tumbles without torque --------------------------------------------------------------
static const impVec3 brick_spin[11] = {
    { 3, 1, 6 },
    { -2.813023920282936, -1.805753184060692, 5.856999366458133 },
    { 2.533004755206804, 2.5247742023807453, 5.6541256105824536 },
    { -2.1811803547756474, -3.1343740524507795, 5.420495777555072 },
    { 1.7790078669648794, 3.624509966781175, 5.186250632733421 },
    { -1.344812033816427, -3.994781550335525, 4.9780809830520125 },
    { 0.8922569840792849, 4.250184130913882, 4.8168403689551225 },
    { -0.4304283251379372, -4.397117400114681, 4.716886571373793 },
    { -0.035025480972836504, 4.440433344688277, 4.686353996822603 },
    { 0.5002051247277219, -4.381731764159863, 4.7276125116399035 },
    { -0.9610670362195373, 4.218863391475895, 4.837447029482404 },
};
static const impQuat brick_turn[11] = {
    { 1, 0, 0, 0 },
    { -0.5164641067388338, 0.2201360585025967, -0.5778113972362191, -0.5924009887072502 },
    { 0.28958962924747345, 0.7221854187110471, 0.3469334441528719, 0.5236633011408038 },
    { 0.01279694134727925, -0.18007001664471128, 0.3575774099839078, -0.9162692962589793 },
    { -0.7852376411822342, 0.22465628599704374, 0.21865152258524137, 0.5339690175503861 },
    { 0.5976128177937164, -0.5322711335853658, 0.5989000577059277, 0.029412263432717144 },
    { -0.7139344603247414, -0.521107201940341, -0.45723116339826375, -0.0984100282704485 },
    { 0.5305482374983023, -0.009144340065928503, -0.09259621279697586, 0.8425324267396808 },
    { 0.2803496553421987, -0.3416104933354597, -0.5299433844775744, -0.7237861223048218 },
    { -0.2800726662908545, 0.6864752079394647, -0.4710261391089898, 0.4779596915611779 },
    { 0.7942741500336964, 0.2519400372124622, 0.3218681105592971, -0.44950607520100117 },
};

static impBodyDef brick(impVec3 spin) { return free_body(0.13 / 12, 0.10 / 12, 0.05 / 12, spin); }

static void brick_at_ten(Report *r, Rig *rig) {
    cli_rig_goto(rig, 10);
    impVec3 w = cli_rig_spin(rig);
    impQuat q = cli_rig_pose(rig).rotation;
    impQuat k = brick_turn[10];
    double s = q.w * k.w < 0 ? -1 : 1;
    cli_report(r, "w1(10)", "rad/s", brick_spin[10].x, w.x, 1e-8);
    cli_report(r, "w2(10)", "rad/s", brick_spin[10].y, w.y, 1e-8);
    cli_report(r, "w3(10)", "rad/s", brick_spin[10].z, w.z, 1e-8);
    cli_report(r, "qw(10)", "", k.w, s * q.w, 1e-8);
    cli_report(r, "qx(10)", "", k.x, s * q.x, 1e-8);
    cli_report(r, "qy(10)", "", k.y, s * q.y, 1e-8);
    cli_report(r, "qz(10)", "", k.z, s * q.z, 1e-8);
}

static void case_brick(Report *r) {
    Rig rig;
    impBodyDef def = brick(brick_spin[0]);
    double spin = 0, rotation = 0;
    if (!cli_rig_open(&rig, r, weightless, &def)) return;
    for (int t = 1; t < 10; t++) {
        cli_rig_goto(&rig, t);
        spin = fmax(spin, distance3(cli_rig_spin(&rig), brick_spin[t]));
        rotation = fmax(rotation, distance4(cli_rig_pose(&rig).rotation, brick_turn[t]));
    }
    cli_report(r, "w off, t = 1..9", "rad/s", 0, spin, 1e-8);
    cli_report(r, "q off, t = 1..9", "", 0, rotation, 1e-8);
    brick_at_ten(r, &rig);
    // w2 falls through 1 at t = 0, and again only one period later
    cli_report(r, "period of w", "s", 2.116425743527597, cli_rig_crossing(&rig, 1, 1, 2.05, 2.18),
               1e-9);
    cli_rig_close(&rig);
}

// --- spin about the middle axis turns over and over ----------------------------------------------
static void case_flip(Report *r) {
    static const double flips[4] = { 1.5278839913039561, 5.04178262026998, 8.555681249199225,
                                     12.069579878240278 };
    static const char *const names[4] = { "flip 1", "flip 2", "flip 3", "flip 4" };
    double found[4];
    Rig rig;
    impBodyDef def = brick((impVec3){ 0.01, 10, 0.01 });
    if (!cli_rig_open(&rig, r, weightless, &def)) return;
    for (int i = 0; i < 4; i++) {
        found[i] = cli_rig_crossing(&rig, 1, 0, flips[i] - 0.5, flips[i] + 0.5);
        // 1e-4 is asked for at the fourth
        cli_report(r, names[i], "s", flips[i], found[i], 1e-7);
    }
    cli_report(r, "period", "s", 7.0277972594042435, found[3] - found[1], 1e-7);
    // 4 K(m) / k with 60 digits (docs/theory/free-flight.md (4)); the numbers above are good to
    // 1e-9
    cli_report(r, "period, 60 digits", "s", 7.02779725867450206, found[3] - found[1], 1e-11);
    cli_rig_close(&rig);
}

// --- a free symmetric top ------------------------------------------------------------------------
static void case_symmetric(Report *r) {
    static const impQuat rotation[7] = {
        { 1, 0, 0, 0 },
        { 0.29466225068489027, 0.10171205924822083, 0.0733836682087372, 0.9473350264109489 },
        { -0.8155779905230901, -0.0249408731398981, -0.07506129544149627, 0.5732157500871574 },
        { -0.7863188896780711, 0.022626604737749897, -0.0720711420268535, -0.6131854458321969 },
        { 0.3416033133980734, -0.1015330065630461, 0.07584741980827409, -0.931260110689893 },
        { 0.9987660157920538, 0.004384874814849684, -7.276338660574576e-05, 0.04946931652259279 },
        { 0.24698329155522075, 0.1017242545907952, 0.07085611611389836, 0.9610571473797734 },
    };
    Rig rig;
    impBodyDef def = free_body(0.02, 0.02, 0.03, (impVec3){ 1, 0, 5 });
    double worst = 0;
    if (!cli_rig_open(&rig, r, weightless, &def)) return;
    for (int i = 0; i < 7; i++) {
        cli_rig_goto(&rig, 0.5 * i);
        worst = fmax(worst, distance4(cli_rig_pose(&rig).rotation, rotation[i]));
    }
    cli_report(r, "q off, t = 0..3", "", 0, worst, 1e-9);
    cli_rig_goto(&rig, 0.5);
    // body rate (I3 - I1) / I1 w3 = 2.5 rad/s: w1 = cos(2.5 t)
    cli_report(r, "w1(0.5)", "rad/s", cos(1.25), cli_rig_spin(&rig).x, 1e-12);
    cli_rig_close(&rig);
}

// --- a million seconds ---------------------------------------------------------------------------
static void drift(Report *r, const char *energy_name, const char *momentum_name, impBodyDef def) {
    Rig rig;
    if (!cli_rig_open(&rig, r, weightless, &def)) return;
    double e0 = impState_Energy(rig.model, rig.start).kinetic;
    double e = 0;
    double l = 0;
    impVec3 l0 = impState_Momentum(rig.model, rig.start).angular;
    double size = sqrt(l0.x * l0.x + l0.y * l0.y + l0.z * l0.z);
    bool solved = true;
    for (int k = 0; k < 1000 && solved; k++) {
        solved = cli_rig_step(&rig, 1000);
        e = fmax(e, fabs(impState_Energy(rig.model, rig.state).kinetic - e0) / e0);
        l = fmax(l, distance3(impState_Momentum(rig.model, rig.state).angular, l0) / size);
    }
    cli_report(r, energy_name, "relative", 0, solved ? e : nan(""), 1e-12);
    cli_report(r, momentum_name, "relative", 0, solved ? l : nan(""), 1e-12);
    cli_rig_close(&rig);
}

static void case_drift(Report *r) {
    drift(r, "energy, asymmetric", "momentum, asymmetric", brick((impVec3){ 3, 1, 6 }));
    drift(r, "energy, symmetric", "momentum, symmetric",
          free_body(0.02, 0.02, 0.03, (impVec3){ 1, 0.5, 5 }));
    drift(r, "energy, sphere", "momentum, sphere",
          free_body(0.02, 0.02, 0.02, (impVec3){ 1, -2, 5 }));
}

// --- a projectile --------------------------------------------------------------------------------
static double relative3(impVec3 a, impVec3 b) {
    return distance3(a, b) / fmax(fabs(b.x), fmax(fabs(b.y), fabs(b.z)));
}

static void case_projectile(Report *r) {
    const double t = 3.7;
    const impVec3 x0 = { 1, -2, 50 };
    const impVec3 v0 = { 12.5, 3.25, 20 };
    const impVec3 g = { 0.5, 0, -9.81 };
    const impVec3 x = { x0.x + v0.x * t + g.x * t * t / 2, x0.y + v0.y * t,
                        x0.z + v0.z * t + g.z * t * t / 2 };
    const impVec3 v = { v0.x + g.x * t, v0.y, v0.z + g.z * t };
    Rig rig;
    impBodyDef def = brick((impVec3){ 3, 1, 6 });
    def.pose.at = x0;
    def.twist.linear = v0;
    if (!cli_rig_open(&rig, r, g, &def)) return;
    cli_rig_goto(&rig, t);
    cli_report(r, "x(3.7), one step", "relative", 0, relative3(cli_rig_pose(&rig).at, x), 1e-14);
    cli_report(r, "v(3.7), one step", "relative", 0, relative3(cli_rig_twist(&rig).linear, v),
               1e-14);
    impState_Copy(rig.model, rig.state, rig.start);
    for (int k = 0; k < 370; k++) {
        cli_rig_step(&rig, (k == 369 ? t : (k + 1) * 0.01) - k * 0.01);
    }
    cli_report(r, "x(3.7), 370 steps", "relative", 0, relative3(cli_rig_pose(&rig).at, x), 1e-14);
    cli_report(r, "v(3.7), 370 steps", "relative", 0, relative3(cli_rig_twist(&rig).linear, v),
               1e-14);
    cli_rig_close(&rig);
}

// --- one step or a thousand ----------------------------------------------------------------------
static void case_split(Report *r) {
    Rig rig;
    impBodyDef def = brick((impVec3){ 3, 1, 6 });
    def.twist.linear = (impVec3){ 1, 2, 3 };
    if (!cli_rig_open(&rig, r, (impVec3){ 0, 0, -9.81 }, &def)) return;
    for (int k = 0; k < 1000; k++) {
        cli_rig_step(&rig, (k + 1) * 0.001 - k * 0.001);
    }
    size_t doubles = impModel_StateSize(rig.model) / sizeof(double);
    impState *once = impState_New(rig.model);
    int differ = -1;
    if (once && impStep(rig.stepper, once, NULL, 1).verdict == IMP_SOLVED) {
        const double *a = impState_Data(rig.state);
        const double *b = impState_Data(once);
        differ = 0;
        for (size_t i = 0; i < doubles; i++) {
            differ += memcmp(&a[i], &b[i], sizeof(double)) != 0;
        }
    }
    cli_report(r, "numbers that differ", "", 0, differ, 0);
    impState_Free(once);
    cli_rig_close(&rig);
}

// --- prescribed motion ---------------------------------------------------------------------------
static void case_spin(Report *r) {
    const double rate = 3.5;
    const double t = 7.3;
    const double arm = 0.25;
    const double angle = rate * t;
    Rig rig;
    impMotionDef motion = { .kind = "spin", .axis = { 0, 0, 2 }, .rate = rate };
    impShapeDef sphere = { .kind = "sphere", .size = { 0.1 }, .pose.at = { arm, 0, 0 } };
    impBodyDef def = { .name = "platter",
                       .shapes = &sphere,
                       .shape_count = 1,
                       .motions = &motion,
                       .motion_count = 1 };
    if (!cli_rig_open(&rig, r, weightless, &def)) return;
    cli_rig_goto(&rig, t);
    impQuat q = { cos(angle / 2), 0, 0, sin(angle / 2) };
    // of the centre of mass, off the axis
    impVec3 v = { -rate * arm * sin(angle), rate * arm * cos(angle), 0 };
    cli_report(r, "q off", "", 0, distance4(cli_rig_pose(&rig).rotation, q), 1e-14);
    cli_report(r, "v off", "m/s", 0, distance3(cli_rig_twist(&rig).linear, v), 1e-13);
    cli_report(r, "w3", "rad/s", rate, cli_rig_twist(&rig).angular.z, 1e-14);
    cli_rig_close(&rig);
}

static void case_vibrate(Report *r) {
    const double pi = 3.14159265358979323846;
    const double f = 25;
    const double phase = 0.3;
    const double t = 1.2345;
    const double u = 2 * pi * f * t + phase;
    const impVec3 a = { 0.0003, 0, 0.0001 };
    // rad, about y
    const double swing = 0.02;
    Rig rig;
    impMotionDef motion = { .kind = "vibrate",
                            .amplitude = a,
                            .axis = { 0, 1, 0 },
                            .angle = swing,
                            .frequency = f,
                            .phase = phase };
    impShapeDef box = { .kind = "box", .size = { 1, 1, 0.1 } };
    impBodyDef def = { .name = "tray",
                       .pose.at = { 0, 0, 1 },
                       .shapes = &box,
                       .shape_count = 1,
                       .motions = &motion,
                       .motion_count = 1 };
    if (!cli_rig_open(&rig, r, weightless, &def)) return;
    cli_rig_goto(&rig, t);
    impVec3 x = { a.x * sin(u), 0, 1 + a.z * sin(u) };
    impVec3 v = { 2 * pi * f * a.x * cos(u), 0, 2 * pi * f * a.z * cos(u) };
    double half = swing * sin(u) / 2;
    impQuat q = { cos(half), 0, sin(half), 0 };
    cli_report(r, "x off", "m", 0, distance3(cli_rig_pose(&rig).at, x), 1e-15);
    cli_report(r, "v off", "m/s", 0, distance3(cli_rig_twist(&rig).linear, v), 1e-13);
    cli_report(r, "q off", "", 0, distance4(cli_rig_pose(&rig).rotation, q), 1e-14);
    cli_report(r, "w2", "rad/s", 2 * pi * f * swing * cos(u), cli_rig_twist(&rig).angular.y, 1e-12);
    cli_rig_close(&rig);
}

static void case_translate(Report *r) {
    const impVec3 v = { 0.75, -2, 0.1 };
    const impVec3 x0 = { 1, 2, 3 };
    const double t = 7.3;
    const double rate = 3.5;
    Rig rig;
    impMotionDef motion[2] = { { .kind = "translate", .velocity = v },
                               { .kind = "spin", .axis = { 0, 0, 1 }, .rate = rate } };
    impShapeDef box = { .kind = "box", .size = { 1, 1, 0.1 } };
    impBodyDef def = { .name = "screw",
                       .pose.at = x0,
                       .shapes = &box,
                       .shape_count = 1,
                       .motions = motion,
                       .motion_count = 2 };
    if (!cli_rig_open(&rig, r, weightless, &def)) return;
    cli_rig_goto(&rig, t);
    impVec3 x = { x0.x + v.x * t, x0.y + v.y * t, x0.z + v.z * t };
    cli_report(r, "x off", "m", 0, distance3(cli_rig_pose(&rig).at, x), 1e-14);
    cli_report(r, "v off", "m/s", 0, distance3(cli_rig_twist(&rig).linear, v), 1e-15);
    cli_report(r, "w3", "rad/s", rate, cli_rig_twist(&rig).angular.z, 1e-14);
    cli_rig_close(&rig);
}

const Case cli_cases[] = {
    { "brick", "an asymmetric body without torque, ten seconds", "Landau-Lifshitz 37", case_brick,
      "tumbling_brick", case_brick, NULL },
    { "flip", "spin about the middle axis: the Dzhanibekov effect", "Landau-Lifshitz 37", case_flip,
      "dzhanibekov", case_flip, NULL },
    { "symmetric", "a symmetric body without torque, three seconds", "Landau-Lifshitz 33",
      case_symmetric, "precession", case_symmetric, NULL },
    { "drift", "energy and angular momentum kept for 1e6 s", "conservation", case_drift,
      "tumbling_brick", case_drift, NULL },
    { "projectile", "a tumbling body thrown under gravity", "closed form", case_projectile,
      "thrown_brick", case_projectile, NULL },
    { "split", "one step of 1 s or a thousand of 1 ms: same bits", "the law", case_split, NULL,
      case_split, NULL },
    { "spin", "prescribed rotation, centre of mass off the axis", "closed form", case_spin,
      "feeders", case_spin, NULL },
    { "vibrate", "prescribed vibration, translation and rotation", "closed form", case_vibrate,
      "feeders", case_vibrate, NULL },
    { "translate", "prescribed translation, with a spin on top", "closed form", case_translate,
      "pusher", case_translate, NULL },
    { "distance", "shapes of every kind, apart and overlapping", "closed form", cli_case_distance,
      NULL, NULL, NULL },
    { "touch", "forward by the bound alone: the first touch, not beyond", "Mirtich-Canny 3",
      cli_case_touch, "bullet", NULL, NULL },
    { "impact", "26 frictional collisions in 40 digits, all laws", "Mirtich-Canny 4",
      cli_case_impact, NULL, NULL, NULL },
    { "impact3d", "40 random collisions of two bodies", "Mirtich-Canny 4", cli_case_impact3d, NULL,
      NULL, NULL },
    { "impact-forms", "balls and slender rods in closed form", "Routh", cli_case_impact_forms,
      "dropped_rod", NULL, NULL },
    { "bounce", "a plain bounce keeps 5/7 of the sliding", "closed form", cli_case_bounce,
      "bounce_with_friction", NULL, NULL },
    { "painleve", "a sliding rod with a Painleve inconsistency", "Painleve 1895", cli_case_painleve,
      "painleve_rod", NULL, NULL },
    { "growth", "sliding grows in one direction at most", "Mirtich-Canny 4.4", cli_case_growth,
      NULL, NULL, NULL },
    { "zeno", "a ball bounces until it lies still", "closed form", cli_case_zeno, "bouncing_ball",
      cli_iterated_zeno, NULL },
    { "superball", "a plain bounce in the event loop", "closed form", cli_case_superball,
      "bounce_with_friction", cli_case_superball, NULL },
    { "reversal", "paper 1's own microcollisions, with their creep", "Mirtich-Canny 4.5",
      cli_case_reversal, "superball slope_reversal", NULL, NULL },
    { "slope", "blocks on slopes near the limit of friction", "Mirtich-Canny 4.5", cli_case_slope,
      "slope", cli_iterated_slope, NULL },
    { "stop", "a block slides down 20 degrees and stops", "Bender-Schmitt 4", cli_case_stop,
      "sliding_block", cli_iterated_stop, NULL },
    { "bullet", "2 cm cubes at 200 m/s against a plate of 1 mm", "Mirtich-Canny 3", cli_case_bullet,
      "bullet", cli_iterated_bullet, NULL },
    { "drops", "bricks dropped in any orientation lie still", "Mirtich-Canny 4.5", cli_case_drops,
      "brick_drops", cli_iterated_drops, NULL },
    { "billiard", "a ball with side spin slides, then rolls", "closed form", cli_case_billiard,
      "billiard", cli_iterated_billiard, NULL },
    { "roll", "sliding turns into rolling; rolling down a slope", "closed form", cli_case_roll,
      "rolling_cylinder", cli_iterated_roll, NULL },
    { "platter", "a ball on a turning platter goes in circles", "Mirtich-Canny, figure 11",
      cli_case_platter, "platter platter_still table1/ball_on_platter", cli_iterated_platter,
      NULL },
    { "ramp", "a ball up a ramp, through the air and on", "Mirtich-Canny, figure 1", cli_case_ramp,
      "ramp table1/ramp", cli_iterated_ramp, NULL },
    { "rattleback", "a celt reverses its spin, one way only", "Hybrid simulation, table 1",
      cli_case_rattleback, "rattleback table1/rattleback", cli_iterated_rattleback, NULL },
    { "disc", "a coin rolls on its rim, Euler's disc whirls", "Mirtich-Canny, figure 8",
      cli_case_disc, "rolling_coin euler_disc", cli_iterated_disc, NULL },
    { "prism", "coins of N sides lose as 1/N what discs keep", "closed form", cli_case_prism,
      "rolling_prism", cli_iterated_prism, NULL },
    { "coins", "eight coins rolled and tossed come to rest", "Mirtich-Canny, figure 8",
      cli_case_coins, "table1/coins_32", cli_iterated_coins, NULL },
    { "marbles", "a chain of marbles, one collision after the other", "Mirtich-Canny, figure 10",
      cli_case_marbles, "marbles marbles_lossy three_balls table1/chain_of_balls table1/marbles",
      cli_iterated_marbles, NULL },
    { "pool", "two balls, and the break of fifteen", "Hybrid simulation, table 1", cli_case_pool,
      "pool_oblique pool_break table1/pool_break", cli_iterated_pool, NULL },
    { "dish", "balls in a dish of triangles", "Hybrid simulation, table 1", cli_case_dish,
      "dish table1/balls_in_dish", cli_iterated_dish, NULL },
    { "block", "a block is pushed over, or not", "Hybrid simulation, 4.2", cli_case_block,
      "pushed_block pushed_block_stays", cli_iterated_block, NULL },
    { "topple", "tilting bed, fall about an edge, rocking", "Housner 1963", cli_case_topple,
      "tilting_bed falling_block rocking_block", cli_iterated_topple, NULL },
    { "held", "a tall block on a slope, a flat one on a platter", "Mirtich-Canny 4.5",
      cli_case_held, "tall_block block_on_platter", cli_iterated_held, NULL },
    { "conveyor", "a block on a vibrating track creeps up", "Hybrid simulation, figure 2",
      cli_case_conveyor, "conveyor", cli_iterated_conveyor, NULL },
    { "bowling", "a ball hooks down the lane", "Mirtich-Canny, figure 9", cli_case_bowling,
      "table1/bowling", cli_iterated_bowling, NULL },
    { "pins", "pins stand, are struck, and fall", "Mirtich-Canny, figure 9", cli_case_pins,
      "table1/bowling", cli_iterated_pins, NULL },
    { "dominos", "dominos fall, one by one", "Hybrid simulation, table 1", cli_case_dominos,
      "table1/dominos", cli_iterated_dominos, NULL },
    { "poses", "how parts land, beside two other programs", "Hybrid simulation, 2.4",
      cli_case_poses, NULL, NULL, NULL },
    { "creep", "so much drag that parts land quasi-statically", "Wiegley-Rao-Goldberg 1992",
      cli_case_creep, NULL, NULL, NULL },
    { "rod", "a rod that slides on its tip, or is inconsistent", "Painleve 1895", cli_case_rod,
      "dropped_rod painleve_rod", cli_iterated_rod, NULL },
    { "newmark", "a block on a floor that shakes, in steps", "Newmark 1965", NULL, NULL,
      cli_iterated_newmark, NULL },
    { "spool", "a spool pulled by its string, either way", "closed form", NULL, NULL,
      cli_iterated_spool, NULL },
    { "tippe", "a top that stands on its head", "Bender-Schmitt 4", NULL, NULL, cli_iterated_tippe,
      NULL },
    { "tower", "towers, heavy on light", "closed form", NULL, NULL, cli_iterated_tower, NULL },
    { "pyramid", "a pyramid of 210 boxes", "closed form", NULL, NULL, cli_iterated_pyramid, NULL },
    { "stack", "forces between the boxes of a stack", "closed form", NULL, NULL, cli_iterated_stack,
      NULL },
    { "overhang", "blocks out over an edge", "closed form", NULL, NULL, cli_iterated_overhang,
      NULL },
    { "cards", "half of a house of two cards", "closed form", NULL, NULL, cli_iterated_cards,
      NULL },
    { "arch", "arches of 31 stones, thick and thin", "Milankovitch 1907", NULL, NULL,
      cli_iterated_arch, NULL },
    { "plate", "a plate with 25 balls is pushed", "SimBenchmark", NULL, NULL, cli_iterated_plate,
      NULL },
    { "bouncers", "49 balls bounce without loss", "SimBenchmark", NULL, NULL, cli_iterated_bouncers,
      NULL },
    { "columns", "216 balls settle in columns", "SimBenchmark", NULL, NULL, cli_iterated_columns,
      NULL },
    { "funnel", "a thousand cubes fall into a funnel", "Bender-Schmitt 4", NULL, "funnel",
      cli_iterated_funnel, NULL },
    { "falling-rod", "a rod falls on its tip and slaps down", "Stewart-Trinkle 4.1", NULL,
      "falling_rod", NULL, cli_lcp_falling_rod },
    { "four-balls", "a ball is thrown at a row of three", "Stewart-Trinkle 4.2", NULL, "four_balls",
      NULL, cli_lcp_four_balls },
};
const int cli_case_count = (int)(sizeof cli_cases / sizeof cli_cases[0]);
