// heaps.c -- `impel validate`: stacks, arches, heavy on light, by method iterated.
//
// docs/validation/cases.md, section "Method iterated": forces between the boxes of a stack, the
// overhang of blocks, a house of two cards, arches, and what stands for a minute.
//
// SPDX-License-Identifier: MIT
#include "steps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define G            9.81
#define RAD          (STAGE_PI / 180)
#define LENGTH(list) ((int)(sizeof(list) / sizeof(list)[0]))

enum { HEAP_BODIES = 256 };
typedef struct Heap {
    int count;
    impBody body[HEAP_BODIES];
    impVec3 start[HEAP_BODIES];
    double sinks, drifts, turns;  // m, m, rad: since the start, worst
} Heap;

static impShapeDef box_of(double x, double y, double z) {
    return (impShapeDef){ .kind = "box", .size = { x, y, z } };
}

static void put(Stage *s, Heap *h, impBodyDef def, impShapeDef shape) {
    h->start[h->count] = def.pose.at;
    h->body[h->count++] = cli_stage_add(s, def, shape);
}

// fmax that keeps a NaN
static double worse(double a, double b) { return b <= a ? a : b; }

// How far the bodies of a heap are from where they were put: down, aside, and turned out of the
// vertical.
static void moved(const Stage *s, Heap *h) {
    for (int i = 0; i < h->count; i++) {
        impVec3 at = cli_stage_at(s, h->body[i]);
        impVec3 up = cli_stage_axis(s, h->body[i], (impVec3){ 0, 0, 1 });
        h->sinks = worse(h->sinks, fabs(at.z - h->start[i].z));
        h->drifts = worse(h->drifts, hypot(at.x - h->start[i].x, at.y - h->start[i].y));
        h->turns = worse(h->turns, hypot(up.x, up.y));
    }
}

// Runs a heap and reports how far it moved.
static void stands(Stage *s, Heap *h, const char *name, double seconds, double step,
                   double allowed) {
    char text[80];
    cli_report_set_step(s->report, step);
    bool good = cli_stage_start(s) && cli_stage_run(s, seconds, step);
    if (good) {
        moved(s, h);
    } else {
        h->sinks = h->drifts = nan("");
    }
    snprintf(text, sizeof text, "%s: sinks", name);
    cli_report(s->report, text, "m", 0, h->sinks, allowed);
    snprintf(text, sizeof text, "%s: drifts", name);
    cli_report(s->report, text, "m", 0, h->drifts, allowed);
    cli_stage_close(s);
}

// --- what stands ---------------------------------------------------------------------------------
// Boxes of 1 m at their contact levels, each heavier than the one below by a factor.
static void tower(Stage *s, Report *r, Heap *h, int count, double mass, double factor) {
    *h = (Heap){ 0 };
    cli_stage_open(s, r, G, 0.6, 0, 1e-4);
    cli_stage_slope(s, 0);
    for (int i = 0; i < count; i++) {
        impBodyDef def = { .mass = mass, .pose.at.z = 0.5 + s->level + i * (1 + s->level) };
        put(s, h, def, box_of(1, 1, 1));
        mass *= factor;
    }
}

void cli_iterated_tower(Report *r) {
    static Heap h;
    Stage s;
    tower(&s, r, &h, 30, 1, 1);
    stands(&s, &h, "30 boxes, 1/60 s, 60 s", 60, 1.0 / 60, 1e-4);
    // 1000 kg on 1 kg, by equal factors
    tower(&s, r, &h, 10, 1, pow(1000, 1.0 / 9));
    stands(&s, &h, "10 boxes, 1 kg to 1000 kg, 1/60 s, 60 s", 60, 1.0 / 60, 1e-4);
    tower(&s, r, &h, 2, 0.1, 1000);
    stands(&s, &h, "100 kg on 0.1 kg, 1/60 s, 10 s", 10, 1.0 / 60, 1e-4);
}

void cli_iterated_pyramid(Report *r) {
    static Heap h;
    const int rows = 20;
    Stage s;
    h = (Heap){ 0 };
    cli_stage_open(&s, r, G, 0.6, 0, 1e-4);
    cli_stage_slope(&s, 0);
    for (int k = 0; k < rows; k++) {
        for (int i = 0; i < rows - k; i++) {
            impBodyDef def = { .mass = 1 };
            def.pose.at.x = 1.1 * (i - 0.5 * (rows - 1 - k));
            def.pose.at.z = 0.5 + s.level + k * (1 + s.level);
            put(&s, &h, def, box_of(1, 1, 1));
        }
    }
    stands(&s, &h, "20 rows, 1/60 s, 10 s", 10, 1.0 / 60, 1e-4);
}

// --- forces in a stack ---------------------------------------------------------------------------
// N: adds up what each body of a stack is given from below; a body is above the one before it
static void add_forces(const Heap *h, const impContact *contact, int count, double seconds,
                       double *force) {
    for (int i = 0; i < count; i++) {
        const impContact *c = &contact[i];
        int upper = c->a.i > c->b.i ? c->a.i : c->b.i;
        double up = c->a.i > c->b.i ? c->impulse.z : -c->impulse.z;
        force[upper - h->body[0].i] += up / seconds;
    }
}

// The mean of one second: while they are awake what is logged, then the forces of sleepers.
static bool carries(Report *r, const Heap *h, Stage *s, double *force) {
    static impContact sleeping[1024];
    const double step = cli_report_step(r);
    const int steps = (int)(1 / step + 0.5);
    memset(force, 0, sizeof *force * (size_t)h->count);
    bool good = cli_stage_start(s);
    for (int k = 0; k < steps && good; k++) {
        impOutcome o = impStep(s->stepper, s->state, NULL, step);
        good = o.verdict == IMP_SOLVED && !cli_caught();
        add_forces(h, o.contacts, o.contact_count, step * steps, force);
        if (o.contact_count > 0 || !good) continue;
        int n = impSleepingContacts(s->model, s->state, sleeping, 1024);
        good = n >= 0 && n <= 1024;
        add_forces(h, sleeping, good ? n : 0, steps, force);
    }
    cli_stage_close(s);
    return good;
}

// Worst interface force off, relative.
static double forces_off(Report *r, int count, double mass, double factor) {
    static Heap h;
    double force[HEAP_BODIES];
    double worst = 0, weight = 0;
    double m = mass * pow(factor, count - 1);
    Stage s;
    tower(&s, r, &h, count, mass, factor);
    bool good = carries(r, &h, &s, force);
    for (int i = count - 1; i >= 0; i--) {
        weight += m * G;
        m /= factor;
        worst = worse(worst, fabs(force[i] / weight - 1));
    }
    return good ? worst : nan("");
}

void cli_iterated_stack(Report *r) {
    cli_report_set_step(r, 1.0 / 240);
    cli_report(r, "10 boxes: forces between them, worst", "relative", 0, forces_off(r, 10, 1, 1),
               5e-3);
    cli_report(r, "10 boxes, 1 kg to 10 kg: forces, worst", "relative", 0,
               forces_off(r, 10, 1, pow(10, 1.0 / 9)), 5e-3);
    cli_report(r, "10 boxes, 10 kg to 1 kg: forces, worst", "relative", 0,
               forces_off(r, 10, 10, pow(0.1, 1.0 / 9)), 5e-3);
}

// --- overhang ------------------------------------------------------------------------------------
// n blocks of 1 m on a table whose edge is at x = 0, the top one out by a part of the harmonic sum:
// does any fall? rad: it has turned by, after 3 s
static double overhang(Report *r, int n, double part) {
    static Heap h;
    Stage s;
    h = (Heap){ 0 };
    cli_stage_open(&s, r, G, 0.6, 0, 1e-5);
    impBodyDef table = { .name = "table", .fixed = true, .pose.at = { -2.5, 0, -0.5 } };
    cli_stage_add(&s, table, box_of(5, 2, 1));
    // the k-th from above is out over the next by 1/(2 k)
    double out = 0;
    for (int k = n; k >= 1; k--) {
        out += part * 0.5 / k;
        impBodyDef def = { .mass = 1 };
        def.pose.at.x = out - 0.5;
        def.pose.at.z = 0.05 + s.level + (n - k) * (0.1 + s.level);
        put(&s, &h, def, box_of(1, 0.5, 0.1));
    }
    cli_report_set_step(r, 1.0 / 240);
    if (cli_stage_start(&s) && cli_stage_run(&s, 3, 1e-3)) {
        moved(&s, &h);
    } else {
        h.turns = nan("");
    }
    cli_stage_close(&s);
    return h.turns;
}

void cli_iterated_overhang(Report *r) {
    char text[64];
    for (int n = 1; n <= 4; n++) {
        snprintf(text, sizeof text, "%d blocks at 0.99 of the limit: turned", n);
        cli_report(r, text, "", 0, overhang(r, n, 0.99), 1e-3);
        snprintf(text, sizeof text, "%d blocks at 1.01 of the limit: turned", n);
        cli_report_least(r, text, "", 0.1, overhang(r, n, 1.01));
    }
}

// --- a house of two cards ------------------------------------------------------------------------
// Half of it: a card at 25 degrees from the vertical leans on a smooth wall, which is the mirror
// plane between the two. How far its middle has come down after 5 s. m
static const double card_angle = 25 * RAD, card_length = 0.09, card_thick = 0.002;

static double card(Report *r, double mu) {
    const double c = cos(card_angle);
    const double d = sin(card_angle);
    // its middle is so far above its foot, and so far from its ridge
    const double low = 0.5 * (card_length * c + card_thick * d);
    const double far = 0.5 * (card_length * d + card_thick * c);
    Stage s;
    cli_stage_open(&s, r, G, 0, 0, 2e-7);
    cli_stage_material(&s, "floor", mu, 0);
    cli_stage_pair(&s, "m", "floor", mu, 0);
    impShapeDef floor = { .kind = "plane", .size = { 0, 0, 1, 0 } };
    impShapeDef wall = { .kind = "plane", .size = { -1, 0, 0, 0 } };
    cli_stage_add(&s, (impBodyDef){ .name = "floor", .fixed = true, .material = "floor" }, floor);
    cli_stage_add(&s, (impBodyDef){ .name = "wall", .fixed = true }, wall);
    impBodyDef def = { .mass = 0.002,
                       .pose = { { -far - s.level, 0, low + s.level }, cli_turn_y(card_angle) } };
    impBody body = cli_stage_add(&s, def, box_of(card_thick, 0.06, card_length));
    double down = nan("");
    cli_report_set_step(r, 1.0 / 240);
    if (cli_stage_start(&s) && cli_stage_run(&s, 5, 1e-3)) {
        down = def.pose.at.z - cli_stage_at(&s, body).z;
    }
    cli_stage_close(&s);
    return down;
}

void cli_iterated_cards(Report *r) {
    // about the foot, the weight's arm beside that of the push of the wall: tan(25 deg) / 2 less
    // what the thickness takes
    const double arm = 0.5 * (card_length * sin(card_angle) - card_thick * cos(card_angle));
    const double least = arm / (card_length * cos(card_angle));
    cli_report(r, "1.01 of the least friction: comes down", "m", 0, card(r, 1.01 * least), 1e-6);
    cli_report_least(r, "0.99 of the least friction: comes down", "m", 1e-2, card(r, 0.99 * least));
}

// --- arches --------------------------------------------------------------------------------------
enum { VOUSSOIRS = 31 };

static impShapeDef voussoir(double inner, double outer, impVec3 point[8], int32_t face[30]) {
    static const int32_t sides[30] = { 4, 0, 1, 3, 2, 4, 4, 6, 7, 5, 4, 0, 4, 5, 1,
                                       4, 2, 3, 7, 6, 4, 0, 2, 6, 4, 4, 1, 5, 7, 3 };
    const double half = 0.5 * STAGE_PI / VOUSSOIRS;
    for (int i = 0; i < 8; i++) {
        double a = i & 1 ? half : -half;
        double radius = i & 2 ? outer : inner;
        point[i] = (impVec3){ radius * sin(a), i & 4 ? 0.15 : -0.15, radius * cos(a) };
    }
    memcpy(face, sides, sizeof sides);
    return (impShapeDef){
        .kind = "hull", .points = point, .point_count = 8, .faces = face, .face_ints = 30
    };
}

// A semicircle of mean radius 1 m and so thick; how far down its keystone is after 5 s. m
static double arch(Report *r, double thick) {
    impVec3 point[8];
    int32_t face[30];
    Stage s;
    cli_stage_open(&s, r, G, 0.7, 0, 2e-5);
    cli_stage_slope(&s, 0);
    impShapeDef shape = voussoir(1 - 0.5 * thick, 1 + 0.5 * thick, point, face);
    impBody key = { 0 };
    for (int i = 0; i < VOUSSOIRS; i++) {
        double a = ((i + 0.5) / VOUSSOIRS - 0.5) * STAGE_PI;
        // apart by the level: a circle of a larger radius
        double out = s.level * VOUSSOIRS / STAGE_PI;
        impBodyDef def = { .pose = { { out * sin(a), 0, out * cos(a) + 0.5 * s.level },
                                     cli_turn_y(a) } };
        impBody body = cli_stage_add(&s, def, shape);
        if (i == VOUSSOIRS / 2) {
            key = body;
        }
    }
    double down = nan("");
    cli_report_set_step(r, 1.0 / 240);
    if (cli_stage_start(&s)) {
        double from = cli_stage_at(&s, key).z;
        if (cli_stage_run(&s, 3, 1e-3)) {
            down = from - cli_stage_at(&s, key).z;
        }
    }
    cli_stage_close(&s);
    return down;
}

void cli_iterated_arch(Report *r) {
    cli_report(r, "t/R = 0.12: keystone comes down", "m", 0, arch(r, 0.12), 1e-3);
    cli_report_least(r, "t/R = 0.09: keystone comes down", "m", 0.5, arch(r, 0.09));
}
