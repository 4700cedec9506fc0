// stage.c -- see stage.h.
//
// SPDX-License-Identifier: MIT
#include "stage.h"

#include <math.h>
#include <string.h>

static impError err;  // static: 12 KB

static bool broken(Stage *s, const char *what) {
    if (!s->broken) {
        cli_report_trouble(s->report, what);
    }
    s->broken = true;
    return false;
}

static bool refused(Stage *s) {
    char text[sizeof err.message[0].file + sizeof err.message[0].text + 32] = "no memory";
    if (err.count) {
        impError_Print(&err, 0, text, sizeof text);
    }
    return broken(s, text);
}

// --- building ------------------------------------------------------------------------------------
void cli_stage_open(Stage *s, Report *r, double gravity, double friction, double restitution,
                    double band) {
    memset(&err, 0, sizeof err);
    *s = (Stage){ .report = r, .level = 0.5 * band, .least_gap = HUGE_VAL, .most_gap = -HUGE_VAL };
    s->scene = impScene_New((impVec3){ 0, 0, -gravity });
    impScene_Run(s->scene, &(impRunDef){ .contact_band = band }, &err);
    cli_stage_material(s, "m", friction, restitution);
}

void cli_stage_reversal(Stage *s) {
    impScene_Run(s->scene, &(impRunDef){ .contact_band = 2 * s->level, .micro = IMP_REVERSAL },
                 &err);
}

void cli_stage_scheme(Stage *s, impScheme scheme, int directions) {
    impScene_Run(
        s->scene,
        &(impRunDef){ .contact_band = 2 * s->level, .scheme = scheme, .directions = directions },
        &err);
}

void cli_stage_material(Stage *s, const char *name, double friction, double restitution) {
    impMaterialDef def = { name, friction, friction, restitution, 0 };
    impScene_Material(s->scene, &def, &err);
}

void cli_stage_pair(Stage *s, const char *one, const char *two, double friction,
                    double restitution) {
    impScene_Pair(s->scene,
                  &(impPairDef){ { one, two }, friction, friction, restitution, IMP_POISSON },
                  &err);
}

impBody cli_stage_add(Stage *s, impBodyDef def, impShapeDef shape) {
    if (!def.shapes) {
        def.shapes = &shape;
        def.shape_count = 1;
    }
    if (!def.material) {
        def.material = "m";
    }
    return impScene_Body(s->scene, &def, &err);
}

static int ring_face(int32_t *out, int first, int sides, bool upwards) {
    out[0] = sides;
    for (int i = 0; i < sides; i++) {
        out[1 + i] = first + (upwards ? i : sides - 1 - i);
    }
    return 1 + sides;
}

impShapeDef cli_stage_lathe(Lathe t, impVec3 points[LATHE_POINTS], int32_t faces[LATHE_INTS]) {
    int f = 0;
    int n = t.sides;
    for (int k = 0; k < t.rings; k++) {
        for (int i = 0; i < n; i++) {
            double angle = 2 * STAGE_PI * i / n;
            points[k * n + i] = (impVec3){ t.radius[k] * cos(angle), t.radius[k] * sin(angle),
                                           t.z[k] };
        }
    }
    f += ring_face(faces + f, 0, n, false);
    for (int k = 0; k + 1 < t.rings; k++) {
        for (int i = 0; i < n; i++) {
            int a = k * n + i;
            int b = k * n + (i + 1) % n;
            const int32_t side[5] = { 4, a, b, b + n, a + n };
            memcpy(faces + f, side, sizeof side);
            f += 5;
        }
    }
    f += ring_face(faces + f, (t.rings - 1) * n, n, true);
    return (impShapeDef){
        .kind = "hull", .points = points, .point_count = t.rings * n, .faces = faces, .face_ints = f
    };
}

impBody cli_stage_slope(Stage *s, double angle) {
    impShapeDef plane = { .kind = "plane", .size = { sin(angle), 0, cos(angle), 0 } };
    return cli_stage_add(s, (impBodyDef){ .name = "slope", .fixed = true }, plane);
}

bool cli_stage_start(Stage *s) {
    if (err.count == 0) {
        s->model = impModel_Build(s->scene, &err);
    }
    if (!s->model) return refused(s);
    s->state = impState_New(s->model);
    s->stepper = impStepper_New(s->model,
                                &(impStepperDef){ .method = cli_report_method(s->report) }, &err);
    return s->state && s->stepper ? true : refused(s);
}

void cli_stage_close(Stage *s) {
    impStepper_Free(s->stepper);
    impState_Free(s->state);
    impModel_Free(s->model);
    impScene_Free(s->scene);
    *s = (Stage){ 0 };
}

// --- running -------------------------------------------------------------------------------------
// Methods of fixed steps: what touches for long, or arrives slowly, has its impulses at the
// beginning of the step.
static bool is_lasting(const Stage *s, const impContact *c, double begin) {
    return c->micro || (strcmp(cli_report_method(s->report), "impulse") != 0 && c->time <= begin);
}

static void count(Stage *s, const impOutcome *o, double begin) {
    int ordinary = 0;
    for (int i = 0; i < o->contact_count; i++) {
        const impContact *c = &o->contacts[i];
        impVec3 p = c->impulse;
        s->least_gap = fmin(s->least_gap, c->gap);
        s->most_gap = fmax(s->most_gap, c->gap);
        s->most_push = fmax(s->most_push, sqrt(p.x * p.x + p.y * p.y + p.z * p.z));
        if (is_lasting(s, c, begin)) continue;
        if (s->collisions + ordinary < 16) {
            s->hit[s->collisions + ordinary] = c->time;
        }
        ordinary++;
    }
    s->collisions += ordinary;
    s->micro_steps += o->events - ordinary;
    s->unconverged += o->unconverged;
}

static bool take(Stage *s, const double *input, double h, impOutcome *o) {
    if (s->broken || cli_caught()) return false;
    double begin = impState_Time(s->state);
    *o = impStep(s->stepper, s->state, input, h);
    if (o->verdict != IMP_SOLVED) return broken(s, o->text);
    count(s, o, begin);
    return true;
}

bool cli_stage_push(Stage *s, const double *input, double h) {
    impOutcome o;
    return take(s, input, h, &o);
}

bool cli_stage_step(Stage *s, double h) { return cli_stage_push(s, NULL, h); }

bool cli_stage_run(Stage *s, double until, double h) {
    if (s->broken) return false;
    double from = impState_Time(s->state);
    if (cli_report_step(s->report) > 0) {
        h = cli_report_step(s->report);
    }
    int steps = (int)fmax(1, floor((until - from) / h + 0.5));
    for (int i = 1; i <= steps; i++) {
        if (!cli_stage_step(s, from + (until - from) * i / steps - impState_Time(s->state)))
            return false;
    }
    return true;
}

// A micro-step's slip is its mean, which is what it is in the middle: the last two micro-steps that
// plainly slid say when it would end.
typedef struct Slide {
    double begun, slip;         // the micro-step that goes on, s and m/s
    double middle[2], mean[2];  // of the last two that are over, and slid by a fiftieth of the
                                // first
    double first, rolls;        // m/s: slip of the first micro-step; s: when one begins without any
} Slide;

static void follow_slip(Slide *f, const impOutcome *o) {
    for (int i = 0; i < o->contact_count && isnan(f->rolls); i++) {
        const impContact *c = &o->contacts[i];
        // another point of the same micro-step
        if (c->time <= f->begun) continue;
        if (f->slip > 0.02 * f->first) {
            f->middle[0] = f->middle[1];
            f->middle[1] = 0.5 * (f->begun + c->time);
            f->mean[0] = f->mean[1];
            f->mean[1] = f->slip;
        }
        f->begun = c->time;
        f->slip = sqrt(c->after.x * c->after.x + c->after.y * c->after.y);
        if (f->first == 0) {
            f->first = f->slip;
        }
        if (f->slip < 1e-6 * f->first) {
            f->rolls = c->time;
        }
    }
}

Roll cli_stage_roll(Stage *s, impBody body, double until, double h) {
    const Roll none = { .time = nan(""), .at = { nan(""), nan(""), 0 } };
    Slide f = { .begun = -1, .rolls = nan("") };
    impOutcome o;
    while (isnan(f.rolls) && impState_Time(s->state) < until) {
        if (!take(s, NULL, h, &o)) return none;
        follow_slip(&f, &o);
    }
    double end = f.middle[1] + f.mean[1] * (f.middle[1] - f.middle[0]) / (f.mean[0] - f.mean[1]);
    // it ends otherwise, or not at all
    if (!(fabs(f.rolls - end) < 2 * (f.middle[1] - f.middle[0]))) return none;
    impVec3 at = cli_stage_at(s, body);
    impVec3 v = cli_stage_twist(s, body).linear;
    double since = impState_Time(s->state) - end;
    return (Roll){ end, { at.x - since * v.x, at.y - since * v.y, at.z } };
}

// --- looking -------------------------------------------------------------------------------------
impVec3 cli_stage_at(const Stage *s, impBody body) {
    return impState_Pose(s->model, s->state, body).at;
}
impTwist cli_stage_twist(const Stage *s, impBody body) {
    return impState_Twist(s->model, s->state, body);
}

impVec3 cli_stage_axis(const Stage *s, impBody body, impVec3 a) {
    impQuat q = impState_Pose(s->model, s->state, body).rotation;
    // v x a
    double ux = q.y * a.z - q.z * a.y;
    double uy = q.z * a.x - q.x * a.z;
    double uz = q.x * a.y - q.y * a.x;
    return (impVec3){ a.x + 2 * (q.w * ux + q.y * uz - q.z * uy),
                      a.y + 2 * (q.w * uy + q.z * ux - q.x * uz),
                      a.z + 2 * (q.w * uz + q.x * uy - q.y * ux) };
}

double cli_stage_energy(const Stage *s) {
    impEnergy e = impState_Energy(s->model, s->state);
    return e.kinetic + e.potential;
}

impQuat cli_turn_y(double angle) { return (impQuat){ cos(angle / 2), 0, sin(angle / 2), 0 }; }

double cli_distance(impVec3 a, impVec3 b) {
    double x = a.x - b.x;
    double y = a.y - b.y;
    double z = a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}
