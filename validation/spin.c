// spin.c -- cases of `impel validate` with method impulse: a rattleback and discs on their rims.
//
// docs/validation/cases.md, with exact ellipsoids and exact, very thin cylinders.
//
// SPDX-License-Identifier: MIT
#include "steps.h"

#include <math.h>

#define G   9.81
#define RAD (STAGE_PI / 180)

static impVec3 cross(impVec3 a, impVec3 b) {
    return (impVec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}
static impQuat times(impQuat a, impQuat b) {
    return (impQuat){ a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w };
}
static impVec3 rotated(impQuat q, impVec3 a) {
    impVec3 v = { q.x, q.y, q.z };
    impVec3 u = cross(v, a);
    impVec3 w = cross(v, u);
    return (impVec3){ a.x + 2 * (q.w * u.x + w.x), a.y + 2 * (q.w * u.y + w.y),
                      a.z + 2 * (q.w * u.z + w.z) };
}

// --- a rattleback --------------------------------------------------------------------------------
// Up in body axes is (-sin t2, cos t2 sin t1, cos t2 cos t1), t1 = t2 = 0.5 deg: turned about x,
// then about y. side: -1 is the body seen in a mirror.
static impBody rattleback(Stage *s, Report *r, double spin, double side, double band) {
    const double a[3] = { 0.2, 0.03, 0.02 };
    const double half = 0.25 * RAD;
    const double skew = -2e-5 * side;
    const impQuat rotation = times((impQuat){ cos(half), 0, sin(half), 0 },
                                   (impQuat){ cos(half), side * sin(half), 0, 0 });
    const impQuat back = { rotation.w, -rotation.x, -rotation.y, -rotation.z };
    impVec3 up = rotated(back, (impVec3){ 0, 0, 1 });
    double h = sqrt(a[0] * a[0] * up.x * up.x + a[1] * a[1] * up.y * up.y +
                    a[2] * a[2] * up.z * up.z);
    // from the middle
    impVec3 low = { -a[0] * a[0] * up.x / h, -a[1] * a[1] * up.y / h, -a[2] * a[2] * up.z / h };
    impVec3 w = rotated(rotation, (impVec3){ 0, 0, spin });
    impVec3 arm = rotated(rotation, (impVec3){ -low.x, -low.y, -0.01 - low.z });
    cli_stage_open(s, r, G, 2, 0, band);
    cli_stage_slope(s, 0);
    impBodyDef def = { .name = "rattleback",
                       .mass = 1,
                       .center_given = true,
                       .center = { 0, 0, -0.01 },
                       .inertia = { { 2e-4, skew, 0 }, { skew, 1.6e-3, 0 }, { 0, 0, 1.7e-3 } },
                       .pose = { { 0, 0, h + s->level }, rotation },
                       .twist = { cross(w, arm), w } };
    return cli_stage_add(s, def,
                         (impShapeDef){ .kind = "ellipsoid", .size = { a[0], a[1], a[2] } });
}

// The spin trembles: by an integration of the rolling ellipsoid of our own it passes zero seven
// times between 2.685 and 2.856 s. rattleback.json's reversals, spin_max and spin_min, which the
// reference repeats, are of the mean of 21 samples 10 ms apart, the first and last 0.15 s left out:
// that of the integration has the same to 2e-4 rad/s. s; rad/s about the vertical; relative
typedef struct Spun {
    double reversal, least, most, last, drift;
} Spun;

static void running_mean(Spun *out, const double *spin, int count) {
    for (int i = 15; i <= count - 15; i++) {
        double mean = 0;
        for (int k = i - 10; k <= i + 10; k++) {
            mean += spin[k] / 21;
        }
        if (mean * spin[0] < 0 && out->reversal == HUGE_VAL) {
            out->reversal = 0.01 * i;
        }
        out->least = fmin(out->least, mean);
        out->most = fmax(out->most, mean);
    }
}

static Spun spin_for(Stage *s, impBody body, double seconds) {
    static double spin[1001];
    // 1000 at most
    const int count = (int)(seconds * 100);
    Spun out = { .reversal = HUGE_VAL, .least = HUGE_VAL, .most = -HUGE_VAL };
    bool good = cli_stage_start(s);
    double e0 = good ? cli_stage_energy(s) : 0;
    for (int i = 0; i <= count && good; i++) {
        good = i == 0 || cli_stage_run(s, 0.01 * i, 0.01);
        if (!good) break;
        spin[i] = cli_stage_twist(s, body).angular.z;
        out.drift = fmax(out.drift, fabs(cli_stage_energy(s) / e0 - 1));
    }
    if (!good) return (Spun){ nan(""), nan(""), nan(""), nan(""), nan("") };
    running_mean(&out, spin, count);
    out.last = spin[count];
    return out;
}

// Two runs, the second in a mirror at y = 0: axial vectors turn round where polar ones do not. The
// farthest they are apart. m; 1; m/s; rad/s
typedef struct Apart {
    double at, axes, linear, angular;
} Apart;

static impVec3 mirror(impVec3 v) { return (impVec3){ v.x, -v.y, v.z }; }

static void compare(const Stage *s, impBody a, const Stage *z, impBody b, Apart *off) {
    const impVec3 x = { 1, 0, 0 };
    const impVec3 up = { 0, 0, 1 };
    impTwist v = cli_stage_twist(s, a);
    impTwist w = cli_stage_twist(z, b);
    impVec3 spin = mirror(w.angular);
    off->at = fmax(off->at, cli_distance(cli_stage_at(s, a), mirror(cli_stage_at(z, b))));
    off->axes = fmax(off->axes,
                     cli_distance(cli_stage_axis(s, a, x), mirror(cli_stage_axis(z, b, x))));
    off->axes = fmax(off->axes,
                     cli_distance(cli_stage_axis(s, a, up), mirror(cli_stage_axis(z, b, up))));
    off->linear = fmax(off->linear, cli_distance(v.linear, mirror(w.linear)));
    off->angular = fmax(off->angular,
                        cli_distance(v.angular, (impVec3){ -spin.x, -spin.y, -spin.z }));
}

// Nothing but rounding differs, which seven seconds of trembling make the larger.
static void mirrored(Report *r, double band) {
    Apart off = { 0 };
    Stage s, z;
    impBody a = rattleback(&s, r, -5, 1, band);
    impBody b = rattleback(&z, r, 5, -1, band);
    bool good = cli_stage_start(&s) && cli_stage_start(&z);
    for (int i = 1; i <= 700 && good; i++) {
        good = cli_stage_run(&s, 0.01 * i, 0.01) && cli_stage_run(&z, 0.01 * i, 0.01);
        if (good) {
            compare(&s, a, &z, b, &off);
        }
    }
    if (!good) {
        off = (Apart){ nan(""), nan(""), nan(""), nan("") };
    }
    cli_report(r, "mirrored, 7 s: position off, worst", "m", 0, off.at, 1e-10);
    cli_report(r, "mirrored, 7 s: axes off, worst", "", 0, off.axes, 1e-9);
    cli_report(r, "mirrored, 7 s: velocity off, worst", "m/s", 0, off.linear, 1e-7);
    cli_report(r, "mirrored, 7 s: spin off, worst", "rad/s", 0, off.angular, 1e-6);
    cli_stage_close(&s);
    cli_stage_close(&z);
}

// A torque -sigma w besides, sigma = 1e-3 N m s, constant over steps of half a millisecond.
// s; rad/s after 5 and 10 s; turns
typedef struct Damped {
    double reversal, half, end;
    int back;
} Damped;

static Damped damped(Report *r, double spin, double band) {
    const double sigma = 1e-3;
    const double h = 5e-4;
    Damped out = { .reversal = HUGE_VAL };
    Stage s;
    impBody body = rattleback(&s, r, spin, 1, band);
    bool good = cli_stage_start(&s);
    double before = spin;
    for (int i = 1; i <= 20000 && good; i++) {
        impVec3 w = cli_stage_twist(&s, body).angular;
        good = cli_stage_push(
            &s, (const double[6]){ 0, 0, 0, -sigma * w.x, -sigma * w.y, -sigma * w.z }, h);
        if (!good) break;
        double now = cli_stage_twist(&s, body).angular.z;
        if (now * spin < 0 && out.reversal == HUGE_VAL) {
            out.reversal = h * i;
        }
        out.back += now * before < 0;
        before = now;
        if (i == 10000) {
            out.half = now;
        }
    }
    out.end = before;
    cli_stage_close(&s);
    return good ? out : (Damped){ nan(""), nan(""), nan(""), -1 };
}

// The values are samples of rattleback.json; a Runge-Kutta integration of the rolling ellipsoid
// with steps of 10 us has the same to 1e-6, and turns at 1.9551 s.
static void with_drag(Report *r, double band) {
    Damped out = damped(r, -5, band);
    cli_report(r, "sigma = 1e-3, spin -5 rad/s: reverses", "s", 1.96, out.reversal, 0.05 * 1.96);
    cli_report(r, "sigma = 1e-3, spin -5 rad/s: turns in 10 s", "", 1, out.back, 0);
    cli_report(r, "sigma = 1e-3, spin -5 rad/s: spin(5)", "rad/s", 0.43150616, out.half,
               0.01 * 0.43150616);
    cli_report(r, "sigma = 1e-3, spin -5 rad/s: spin(10)", "rad/s", 0.03914466, out.end,
               0.01 * 0.03914466);
    out = damped(r, 5, band);
    cli_report(r, "sigma = 1e-3, spin +5 rad/s: turns in 10 s", "", 0, out.back, 0);
    cli_report(r, "sigma = 1e-3, spin +5 rad/s: spin(5)", "rad/s", 0.27641591, out.half,
               0.01 * 0.27641591);
    cli_report(r, "sigma = 1e-3, spin +5 rad/s: spin(10)", "rad/s", 0.01459863, out.end,
               0.01 * 0.01459863);
}

void cli_case_rattleback(Report *r) {
    // 1e-5 and 1e-3 of its height
    const double band = 4e-7;
    const double wide = 4e-5;
    Stage s;
    impBody body = rattleback(&s, r, -5, 1, band);
    Spun out = spin_for(&s, body, 10);
    cli_report(r, "spin -5 rad/s: reverses", "s", 2.81, out.reversal, 0.14);
    cli_report(r, "spin -5 rad/s: reaches", "rad/s", 5.298463, out.most, 0.005);
    cli_report(r, "spin -5 rad/s: spin(10)", "rad/s", 4.6269619, out.last, 0.005);
    cli_report(r, "spin -5 rad/s: energy drift", "relative", 0, out.drift, 1e-3);
    cli_stage_close(&s);
    mirrored(r, band);
    body = rattleback(&s, r, 5, 1, band);
    out = spin_for(&s, body, 10);
    cli_report(r, "spin +5 rad/s: reversals in 10 s", "", 0, out.reversal != HUGE_VAL, 0);
    cli_report(r, "spin +5 rad/s: least in 10 s", "rad/s", 1.318125, out.least, 0.005);
    cli_report(r, "spin +5 rad/s: spin(10)", "rad/s", 1.1785107, out.last, 0.005);
    cli_report(r, "spin +5 rad/s: energy drift", "relative", 0, out.drift, 1e-3);
    cli_stage_close(&s);
    body = rattleback(&s, r, -2, 1, band);
    out = spin_for(&s, body, 4);
    cli_report(r, "spin -2 rad/s: reverses", "s", 2.25, out.reversal, 0.11);
    cli_stage_close(&s);
    body = rattleback(&s, r, -5, 1, wide);
    out = spin_for(&s, body, 7);
    cli_report(r, "band of 40 um: spin -5 rad/s reverses", "s", 2.81, out.reversal, 0.14);
    cli_report(r, "band of 40 um: energy drift", "relative", 0, out.drift, 0.01);
    cli_stage_close(&s);
    with_drag(r, 4e-6);
}

// --- discs on their rims -------------------------------------------------------------------------
// alpha(t), every 0.05 s, of a thin disc that rolls without slip: rolling_disk.json "coin_rolling".
static const double coin_alpha[31] = {
    1.22173047639603,  0.959387414928107, 1.21110913695439,  0.975171115996717, 1.19455137588893,
    0.996960912668838, 1.17277980045706,  1.0234002667132,   1.14675462636583,  1.05294390978238,
    1.1176457937429,   1.08397645408537,  1.08680194519323,  1.11490551835223,  1.05571419170414,
    1.1442292015167,   1.02596916139849,  1.17058437068066,  0.999183581205545, 1.19278359076471,
    0.976913606007948, 1.20984648004389,  0.960538223034148, 1.2210278807892,   0.951127564535448,
    1.22584207087815,  0.949320226028632, 1.22408033677484,  0.955240929154991, 1.21581903371701,
    0.968483616223222,
};

// A disc leaning by alpha (90 deg: upright) that rolls on its rim: turned about x, so that it
// touches at -y.
static impBody disc(Stage *s, Report *r, double mass, double radius, double alpha, impVec3 w,
                    double band) {
    // m
    const double thin = 1e-6;
    impQuat rotation = { cos(alpha / 2), sin(alpha / 2), 0, 0 };
    // from the point that touches to the middle
    impVec3 arm = rotated(rotation, (impVec3){ 0, radius, 0 });
    cli_stage_open(s, r, G, 1, 0, band);
    cli_stage_slope(s, 0);
    impBodyDef def = { .name = "disc",
                       .mass = mass,
                       .pose = { { 0, 0, 0 }, rotation },
                       .twist = { cross(w, arm), w } };
    def.pose.at.z = radius * sin(alpha) + 0.5 * thin * fabs(cos(alpha)) + s->level;
    def.inertia[0][0] = def.inertia[1][1] = mass * radius * radius / 4;
    def.inertia[2][2] = mass * radius * radius / 2;
    return cli_stage_add(s, def, (impShapeDef){ .kind = "cylinder", .size = { radius, thin } });
}

static double lean_of(const Stage *s, impBody body) {
    return acos(fmin(1, fabs(cli_stage_axis(s, body, (impVec3){ 0, 0, 1 }).z)));
}

static void rolling_coin(Report *r) {
    const double alpha = 70 * RAD;
    Stage s;
    impVec3 w = rotated((impQuat){ cos(alpha / 2), sin(alpha / 2), 0, 0 }, (impVec3){ 2, 5, 40 });
    impBody coin = disc(&s, r, 0.00567, 0.01213, alpha, w, 1e-6);
    double worst = 0;
    if (!cli_stage_start(&s)) {
        worst = nan("");
    }
    for (int i = 1; i <= 30 && cli_stage_run(&s, 0.05 * i, 0.01); i++) {
        worst = fmax(worst, fabs(lean_of(&s, coin) - coin_alpha[i]));
    }
    impVec3 at = s.broken ? (impVec3){ nan(""), 0, 0 } : cli_stage_at(&s, coin);
    cli_report(r, "rolling coin: lean off, worst", "deg", 0, worst / RAD, 0.1);
    cli_report(r, "rolling coin: x(1.5)", "m", 0.05969825042087267, at.x, 5e-4);
    cli_report(r, "rolling coin: y(1.5)", "m", 0.09865516985891214, at.y, 5e-4);
    cli_stage_close(&s);
}

// Omega^2 = 4 g / (R sin alpha); the middle stands still, the spin is Omega sin(alpha) along the
// diameter that touches.
static void euler_disc(Report *r, const char *lean, const char *drift, double degrees) {
    const double alpha = degrees * RAD;
    const double radius = 0.0375;
    const double om = sqrt(4 * G / (radius * sin(alpha)));
    Stage s;
    impVec3 w = { 0, -om * sin(alpha) * cos(alpha), -om * sin(alpha) * sin(alpha) };
    impBody body = disc(&s, r, 0.4, radius, alpha, w, 1e-6);
    double worst = 0, away = 0;
    if (!cli_stage_start(&s)) {
        worst = nan("");
    }
    for (int i = 1; i <= 200 && cli_stage_run(&s, 2 * STAGE_PI / om * 20 * i / 200, 0.01); i++) {
        impVec3 at = cli_stage_at(&s, body);
        worst = fmax(worst, fabs(lean_of(&s, body) - alpha));
        away = fmax(away, hypot(at.x, at.y));
    }
    if (s.broken) {
        worst = away = nan("");
    }
    cli_report(r, lean, "deg", 0, worst / RAD, 0.05);
    cli_report(r, drift, "m", 0, away, 1e-4);
    cli_stage_close(&s);
}

// WITHOUT rolling resistance nothing may stop it. By which part of its energy a disc of 30 degrees
// that wobbles a little loses or gains a second: the mean over the last five of fifty turns beside
// that over the first five.
static double decay(Report *r, double band) {
    enum { SAMPLES = 40 };
    const double alpha = 30 * RAD;
    const double radius = 0.0375;
    const double om = sqrt(4 * G / (radius * sin(alpha)));
    const double rotation = 2 * STAGE_PI / om;
    const impVec3 w = { 0, -0.9 * om * sin(alpha) * cos(alpha), -om * sin(alpha) * sin(alpha) };
    double first = 0, last = 0;
    Stage s;
    disc(&s, r, 0.4, radius, alpha, w, band);
    bool good = cli_stage_start(&s);
    for (int i = 1; i <= 10 * SAMPLES && good; i++) {
        good = cli_stage_run(&s, 5 * rotation * i / SAMPLES, 0.125 * rotation);
        if (!good) break;
        if (i <= SAMPLES) {
            first += cli_stage_energy(&s);
        }
        if (i > 9 * SAMPLES) {
            last += cli_stage_energy(&s);
        }
    }
    cli_stage_close(&s);
    return good ? fabs(last / first - 1) / (45 * rotation) : nan("");
}

static void decays(Report *r) {
    const double wide = decay(r, 1e-4);
    const double middle = decay(r, 1e-5);
    const double small = decay(r, 1e-6);
    cli_report(r, "Euler disc, band 1e-4 m: decay", "1/s", 0, wide, 1e-6);
    cli_report(r, "Euler disc, band 1e-5 m: decay beside that", "", 0, middle / wide, 0.2);
    cli_report(r, "Euler disc, band 1e-6 m: decay beside that", "", 0, small / middle, 0.2);
}

void cli_case_disc(Report *r) {
    rolling_coin(r);
    euler_disc(r, "Euler disc, 30 deg: lean, 20 turns", "Euler disc, 30 deg: drift, 20 turns", 30);
    euler_disc(r, "Euler disc, 10 deg: lean, 20 turns", "Euler disc, 10 deg: drift, 20 turns", 10);
    euler_disc(r, "Euler disc, 5 deg: lean, 20 turns", "Euler disc, 5 deg: drift, 20 turns", 5);
    decays(r);
}

// --- by method iterated --------------------------------------------------------------------------
static void spins(Report *r, const void *what, double *out) {
    const double *spin = what;
    Stage s;
    impBody body = rattleback(&s, r, *spin, 1, 4e-5);
    Spun x = spin_for(&s, body, 10);
    out[0] = x.drift;
    out[1] = *spin < 0 ? x.most : x.least;
    out[2] = x.reversal;
    cli_stage_close(&s);
}

static void turns_back(Report *r, const void *what, double *out) {
    double all[3] = { nan(""), nan(""), nan("") };
    spins(r, what, all);
    out[0] = all[1];
    out[1] = all[2];
}

void cli_iterated_rattleback(Report *r) {
    static const double spin[2] = { -5, 5 };
    static const Quantity down[3] = { { "spin -5 rad/s: energy drift", "relative", 0, 0.01 },
                                      { "spin -5 rad/s: reaches", "rad/s", 5.298463,
                                        0.05 * 5.298463 },
                                      { "spin -5 rad/s: reverses", "s", 2.81, 0.05 * 2.81 } };
    static const Quantity up[2] = { { "spin +5 rad/s: energy drift", "relative", 0, 0.01 },
                                    { "spin +5 rad/s: least in 10 s", "rad/s", 1.318125,
                                      0.05 * 1.318125 } };
    // it pitches 16 times a second
    cli_short_steps(r, 5e-4, down, 1, 0.8, spins, &spin[0]);
    cli_steps(r, down + 1, 2, 0.8, turns_back, &spin[0]);
    cli_steps(r, up, 2, 0.8, spins, &spin[1]);
    cli_report_set_step(r, 1e-3);
    mirrored(r, 4e-5);
}

static void rolls(Report *r, const void *what, double *out) {
    const double alpha = 70 * RAD;
    Stage s;
    impVec3 w = rotated((impQuat){ cos(alpha / 2), sin(alpha / 2), 0, 0 }, (impVec3){ 2, 5, 40 });
    impBody coin = disc(&s, r, 0.00567, 0.01213, alpha, w, 1e-6);
    (void)what;
    double worst = 0;
    bool good = cli_stage_start(&s);
    for (int i = 1; i <= 30 && good; i++) {
        good = cli_stage_run(&s, 0.05 * i, 0.01);
        worst = good ? fmax(worst, fabs(lean_of(&s, coin) - coin_alpha[i])) : nan("");
    }
    if (good) {
        out[0] = worst / RAD;
        out[1] = cli_stage_at(&s, coin).x;
        out[2] = cli_stage_at(&s, coin).y;
    }
    cli_stage_close(&s);
}

void cli_iterated_disc(Report *r) {
    static const Quantity coin[3] = { { "rolling coin: lean off, worst", "deg", 0, 0.1 },
                                      { "rolling coin: x(1.5)", "m", 0.05969825042087267, 5e-4 },
                                      { "rolling coin: y(1.5)", "m", 0.09865516985891214, 5e-4 } };
    // longer ones are made in parts
    cli_short_steps(r, 2.5e-4, coin, 3, 0.8, rolls, NULL);
    cli_report_set_step(r, 1e-3);
    euler_disc(r, "Euler disc, 30 deg: lean, 20 turns", "Euler disc, 30 deg: drift, 20 turns", 30);
    euler_disc(r, "Euler disc, 10 deg: lean, 20 turns", "Euler disc, 10 deg: drift, 20 turns", 10);
    euler_disc(r, "Euler disc, 5 deg: lean, 20 turns", "Euler disc, 5 deg: drift, 20 turns", 5);
}
