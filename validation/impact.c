// impact.c -- cases of `impel validate` for one frictional collision: docs/validation/cases.md.
//
// The numbers are in validate_impact_data.h. Closed forms and random matrices are made here with
// the C library's own functions: they must not share code with what they judge.
//
// SPDX-License-Identifier: MIT
#include "impact_data.h"
#include "rig.h"

#include <math.h>
#include <string.h>

#define LENGTH(list) ((int)(sizeof(list) / sizeof(list)[0]))

static double size3(impVec3 a) { return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z))); }
static double away3(impVec3 a, impVec3 b) {
    return size3((impVec3){ a.x - b.x, a.y - b.y, a.z - b.z });
}

static impImpactDef def_of(const double k[6], impVec3 u, double mu, double e, impLaw law) {
    return (
        impImpactDef){ .k = { { k[0], k[3], k[4] }, { k[3], k[1], k[5] }, { k[4], k[5], k[2] } },
                       .u = u,
                       .friction_dynamic = mu,
                       .restitution = e,
                       .law = law };
}

static impImpact solve(const double k[6], impVec3 u, double mu, double e, impLaw law) {
    impImpact impact;
    impImpactDef def = def_of(k, u, mu, e, law);
    if (!impImpact_Solve(&def, &impact, NULL)) {
        impact.p.x = impact.u.x = impact.energy_change = nan("");
    }
    return impact;
}

// --- lists of known collisions -------------------------------------------------------------------
static bool same_phases(const impImpact *impact, const char *phases) {
    char text[4 * IMP_PHASES + 1] = "";
    for (int i = 0; i < impact->phase_count; i++) {
        char word[] = "cS ";
        word[0] = "cr"[impact->phases[i].stage];
        word[1] = "STR"[impact->phases[i].mode];
        strcat(text, word);
    }
    size_t length = strlen(phases);
    return strncmp(text, phases, length) == 0 && strcmp(text + length, " ") == 0;
}

static void report_list(Report *r, const Known *list, int count, double allowed) {
    double p = 0, u = 0, energy = 0;
    int wrong = 0;
    for (int i = 0; i < count; i++) {
        const Known *c = &list[i];
        impImpact impact = solve(c->k, c->u, c->mu, c->e, c->law);
        // fmax would forget a NaN
        double off_p = away3(impact.p, c->p) / size3(c->p);
        double off_u = away3(impact.u, c->after) / size3(c->u);
        double off_e = fabs(impact.energy_change / c->energy - 1);
        p = off_p <= p ? p : off_p;
        u = off_u <= u ? u : off_u;
        energy = off_e <= energy ? energy : off_e;
        wrong += !same_phases(&impact, c->phases);
    }
    cli_report(r, "impulse off, worst", "relative", 0, p, allowed);
    cli_report(r, "velocity off, worst", "relative", 0, u, allowed);
    cli_report(r, "energy change off, worst", "relative", 0, energy, 10 * allowed);
    cli_report(r, "cases with other phases", "", 0, wrong, 0);
}

void cli_case_impact(Report *r) {
    report_list(r, published, LENGTH(published), 1e-10);
    // the hard ones by name
    for (int i = 0; i < LENGTH(published); i++) {
        const Known *c = &published[i];
        if (!strstr(c->name, "compression-3d") && !strstr(c->name, "resume") &&
            !strstr(c->name, "kane"))
            continue;
        cli_report(r, c->name, "N s", c->p.z, solve(c->k, c->u, c->mu, c->e, c->law).p.z,
                   1e-10 * c->p.z);
    }
}

void cli_case_impact3d(Report *r) { report_list(r, measured3d, LENGTH(measured3d), 1e-8); }

// Jn = (1 + e) m |un|, Jt = min(mu Jn, 2/7 m |ut|), against ut.
static void sphere(Report *r, const char *name, impVec3 u, double mu, double e) {
    const double m = 0.17;
    const double k[6] = { 3.5 / m, 3.5 / m, 1 / m, 0, 0, 0 };
    double ut = hypot(u.x, u.y);
    double jn = (1 + e) * m * -u.z;
    double jt = fmin(mu * jn, 2.0 / 7 * m * ut);
    impVec3 p = { -jt * u.x / ut, -jt * u.y / ut, jn };
    cli_report(r, name, "N s", 0, away3(solve(k, u, mu, e, IMP_POISSON).p, p), 1e-15);
}

void cli_case_impact_forms(Report *r) {
    // the ball's spin is part of u = v + w x r
    const double radius = 0.028575;
    sphere(r, "ball sticks, p off", (impVec3){ 1, 0, -2 }, 0.1, 0.9);
    sphere(r, "ball sticks easily, p off", (impVec3){ 1, 0, -2 }, 0.3, 0.9);
    sphere(r, "ball slides and spins, p off", (impVec3){ 2 + 20 * radius, 1 + 30 * radius, -1 },
           0.2, 0.8);
    sphere(r, "ball driven by its spin, p off", (impVec3){ -100 * radius, 0, -3 }, 0.15, 0.7);
    // the list stops its slides some 1e-10 early
    report_list(r, rods, LENGTH(rods), 1e-9);
}

// --- not Garwin's superball, whose tangential velocity is reversed -------------------------------
void cli_case_bounce(Report *r) {
    const double m = 0.05;
    const double k[6] = { 3.5 / m, 3.5 / m, 1 / m, 0, 0, 0 };
    impImpact impact = solve(k, (impVec3){ 2, 0, -3 }, 0.5, 1, IMP_POISSON);
    cli_report(r, "tangential velocity kept", "", 5.0 / 7, 1 + impact.p.x / m / 2, 1e-14);
    cli_report(r, "normal velocity", "m/s", 3, -3 + impact.p.z / m, 1e-14);
}

// --- a uniform rod, tip first: Painleve inconsistency where du_z/dp_z < 0
// -------------------------------------
static impImpactDef rod(double degrees, double mu, double speed) {
    double th = degrees * acos(-1) / 180;
    double c = cos(th);
    double s = sin(th);
    // m = 1, l = 1
    const double k[6] = { 1 + 3 * s * s, 4, 1 + 3 * c * c, 0, 3 * s * c, 0 };
    return def_of(k, (impVec3){ 1, 0, -speed }, mu, 0.5, IMP_POISSON);
}

static double critical_friction(double degrees) {
    double low = 0.1;
    double high = 10;
    for (int i = 0; i < 60; i++) {
        double mu = (low + high) / 2;
        impImpactDef def = rod(degrees, mu, 1);
        if (impImpact_Slope(&def, 1, 0).z > 0) {
            low = mu;
        } else {
            high = mu;
        }
    }
    return low;
}

void cli_case_painleve(Report *r) {
    static const double degrees[] = { 45, 60, 63.434948822922010648, 80 };
    static const char *const names[] = { "mu at 45 deg", "mu at 60 deg", "least mu, 63.43 deg",
                                         "mu at 80 deg" };
    for (int i = 0; i < 4; i++) {
        double th = degrees[i] * acos(-1) / 180;
        double c = cos(th);
        double s = sin(th);
        cli_report(r, names[i], "", (1 + 3 * c * c) / (3 * s * c), critical_friction(degrees[i]),
                   1e-12);
    }
    double least = HUGE_VAL;
    for (int i = 1; i < 90; i++) {
        impImpactDef def = rod(i, 1.3, 1);
        least = fmin(least, impImpact_Slope(&def, 1, 0).z);
    }
    cli_report(r, "inconsistent angles at mu = 1.3", "", 0, least <= 0, 0);
    impImpact impact;
    // grazing
    impImpactDef def = rod(63, 1.5, 1e-9);
    bool solved = impImpact_Solve(&def, &impact, NULL);
    bool inconsistent = solved && impact.p.z > 0.1;
    cli_report(r, "inconsistent from grazing: energy created", "", 0,
               inconsistent ? impact.energy_change > 0 : nan(""), 0);
    cli_report(r, "inconsistent from grazing: approach left", "m/s", 0,
               solved ? fmin(impact.u.z, 0) : nan(""), 0);
}

// --- sliding that grows --------------------------------------------------------------------------
typedef struct Dice {
    uint64_t s;
} Dice;
// Knuth's generator of 64 bits
static double roll(Dice *d) {
    d->s = d->s * 6364136223846793005u + 1442695040888963407u;
    return (double)(d->s >> 11) / 9007199254740992.0;
}

// 1/m + sum over the principal axes a of (a x r)(a x r)' / I: a box hit in a point of its surface.
static void random_body(Dice *d, double k[6]) {
    double q[4];
    double x = 0.05 + roll(d);
    double y = 0.05 + roll(d);
    double z = 0.05 + roll(d);
    double m = x * y * z;
    double n = 0;
    const double square[3] = { y * y + z * z, x * x + z * z, x * x + y * y };
    for (int i = 0; i < 4; i++) {
        q[i] = 2 * roll(d) - 1;
        n += q[i] * q[i];
    }
    // columns are the axes
    const double s = 2 / n;
    const double rotation[3][3] = {
        { 1 - s * (q[2] * q[2] + q[3] * q[3]), s * (q[1] * q[2] - q[0] * q[3]),
          s * (q[1] * q[3] + q[0] * q[2]) },
        { s * (q[1] * q[2] + q[0] * q[3]), 1 - s * (q[1] * q[1] + q[3] * q[3]),
          s * (q[2] * q[3] - q[0] * q[1]) },
        { s * (q[1] * q[3] - q[0] * q[2]), s * (q[2] * q[3] + q[0] * q[1]),
          1 - s * (q[1] * q[1] + q[2] * q[2]) }
    };
    double rx = x * (roll(d) - 0.5);
    double ry = y * (roll(d) - 0.5);
    const double at[3] = { rx, ry, z / 2 };
    double arm[3];
    for (int i = 0; i < 3; i++) {
        arm[i] = rotation[i][0] * at[0] + rotation[i][1] * at[1] + rotation[i][2] * at[2];
    }
    for (int i = 0; i < 6; i++) {
        k[i] = i < 3 ? 1 / m : 0;
    }
    for (int a = 0; a < 3; a++) {
        double inertia = m / 12 * square[a];
        double c[3];
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3;
            int l = (i + 2) % 3;
            c[i] = rotation[j][a] * arm[l] - rotation[l][a] * arm[j];
        }
        k[0] += c[0] * c[0] / inertia;
        k[1] += c[1] * c[1] / inertia;
        k[2] += c[2] * c[2] / inertia;
        k[3] += c[0] * c[1] / inertia;
        k[4] += c[0] * c[2] / inertia;
        k[5] += c[1] * c[2] / inertia;
    }
}

// How sliding turns, and how it grows, with p_z: both are a cos(th - .) + b cos(2 th - .), growing
// + c.
typedef struct Flow {
    double rotation, grow;
} Flow;

static Flow flow(const impImpactDef *def, double th) {
    double c = cos(th);
    double s = sin(th);
    impVec3 slope = impImpact_Slope(def, c, s);
    return (Flow){ slope.y * c - slope.x * s, slope.x * c + slope.y * s };
}

// a + 2 b and a + 4 b: no first or second derivative of the flow is larger.
static void steepest(const impImpactDef *def, double *first, double *second) {
    const double(*k)[3] = def->k;
    const double a = hypot(k[0][2], k[1][2]);
    const double b = def->friction_dynamic * hypot(0.5 * (k[0][0] - k[1][1]), k[0][1]);
    *first = a + 2 * b;
    *second = a + 4 * b;
}

typedef struct Arc {
    double from, to;
    Flow at_from, at_to;
} Arc;

// Rays in an arc on which sliding grows: none if it grows nowhere there or the turning is too far
// from 0 for its length; one if the turning surely goes one way, through 0; else those of both
// halves, however near they are.
static int growing_rays(const impImpactDef *def, Arc whole) {
    enum { DEEP = 60 };
    Arc left[DEEP] = { whole };
    double first, second;
    int rays = 0;
    int n = 1;
    steepest(def, &first, &second);
    while (n) {
        Arc x = left[--n];
        double d = x.to - x.from;
        double rotation = fmin(fabs(x.at_from.rotation), fabs(x.at_to.rotation));
        bool over = (x.at_from.rotation > 0) != (x.at_to.rotation > 0);
        if (fmax(x.at_from.grow, x.at_to.grow) + 0.5 * first * d < 0) continue;
        if (!over && rotation > 0.125 * second * d * d) continue;
        if (over && fmin(x.at_from.grow, x.at_to.grow) - 0.5 * first * d > 0 &&
            fabs(x.at_to.rotation - x.at_from.rotation) > second * d * d) {
            rays++;
            continue;
        }
        // not told apart
        if (n + 2 > DEEP || d < 1e-9) return 2;
        double th = 0.5 * (x.from + x.to);
        Flow middle = flow(def, th);
        left[n++] = (Arc){ x.from, th, x.at_from, middle };
        left[n++] = (Arc){ th, x.to, middle, x.at_to };
    }
    return rays;
}

static void one_direction(Report *r) {
    enum { MATRICES = 100000, ARCS = 12 };
    const double wide = 2 * acos(-1) / ARCS;
    double k[6];
    Dice d = { 1 };
    int several = 0, one = 0;
    for (int i = 0; i < MATRICES; i++) {
        random_body(&d, k);
        impImpactDef def = def_of(k, (impVec3){ 0, 0, -1 }, roll(&d), 0, IMP_POISSON);
        int rays = 0;
        Flow start = flow(&def, 0.1);
        Flow from = start;
        for (int j = 1; j <= ARCS; j++) {
            double th = 0.1 + j * wide;
            Flow to = j < ARCS ? flow(&def, th) : start;
            rays += growing_rays(&def, (Arc){ th - wide, th, from, to });
            from = to;
        }
        several += rays > 1;
        one += rays == 1;
    }
    cli_report(r, "of 1e5 matrices, two growing directions", "", 0, one ? several : nan(""), 0);
}

// --- no spiralling -------------------------------------------------------------------------------
// In a slide the direction turns one way, as the flow at both ends of each piece of it says, and
// past no ray. The turning has no constant part, turn(th) + turn(th + 120 deg) + turn(th + 240 deg)
// = 0: every 240 degrees there is a ray. More than 180 do happen. most: rad, that a slide turned
typedef struct Slides {
    int slides, wrong;
    double most;
} Slides;

static void follow(const impImpactDef *def, Slides *sum) {
    enum { SAMPLES = 1000 };
    static impImpactSample way[SAMPLES];
    int count = impImpact_Path(def, way, SAMPLES, NULL);
    if (count < 1 || count > SAMPLES) {
        sum->wrong++;
    }
    double rotated = 0;
    for (int i = 1; i < count && i < SAMPLES; i++) {
        impVec3 a = way[i - 1].u;
        impVec3 b = way[i].u;
        if (way[i].mode != IMP_SLIDE || hypot(b.x, b.y) < 1e-6 * hypot(def->u.x, def->u.y)) {
            rotated = 0;
            continue;
        }
        double th = atan2(a.y, a.x);
        double by = atan2(a.x * b.y - a.y * b.x, a.x * b.x + a.y * b.y);
        Flow at_a = flow(def, th);
        Flow at_b = flow(def, th + by);
        sum->slides += rotated == 0;
        rotated += by;
        sum->wrong += fabs(by) > 1e-6 &&
                      (by * at_a.rotation < 0 || by * at_b.rotation < 0 || by * rotated < 0);
        sum->most = fmax(sum->most, fabs(rotated));
    }
}

static void no_spirals(Report *r) {
    double k[6];
    Dice d = { 2 };
    Slides sum = { 0 };
    for (int i = 0; i < 10000; i++) {
        random_body(&d, k);
        double th = 2 * acos(-1) * roll(&d);
        double speed = 3 * roll(&d);
        double mu = roll(&d);
        double e = roll(&d);
        impImpactDef def = def_of(k, (impVec3){ speed * cos(th), speed * sin(th), -1 }, mu, e,
                                  IMP_POISSON);
        follow(&def, &sum);
    }
    cli_report(r, "of 1e4 collisions, slides that turn back", "", 0,
               sum.slides ? sum.wrong : nan(""), 0);
    cli_report(r, "most that a slide turns", "deg", 0,
               sum.slides ? sum.most * 180 / acos(-1) : nan(""), 240);
}

void cli_case_growth(Report *r) {
    cli_report(r, "u_x of a rod dropped without slip", "m/s", rods[0].after.x,
               solve(rods[0].k, rods[0].u, rods[0].mu, rods[0].e, rods[0].law).u.x, 1e-12);
    one_direction(r);
    no_spirals(r);
}
