// impact_support.c -- reference collisions from JSON, random collisions of physical bodies, and the
// Runge-Kutta oracle.
//
// SPDX-License-Identifier: MIT
#include "impact_support.h"

#ifndef IMPEL_SOURCE
#define IMPEL_SOURCE "."
#endif

// --- files ---------------------------------------------------------------------------------------
Cases cases_open(const char *name) {
    static impError err;
    char path[400];
    Cases cases = { 0 };
    size_t size = 0;
    snprintf(path, sizeof path, "%s/tests/solve/fixtures/%s", IMPEL_SOURCE, name);
    if (!file_read(path, 1 << 20, &cases.text, &size, &err)) {
        fail_msg("%s: %s", path, err.message[0].text);
    }
    cases.doc = json_parse(&cases.pool, cases.text, size, name, 0, &err);
    if (!cases.doc) {
        fail_msg("%s: %s", path, err.message[0].text);
    }
    cases.first = json_first(json_find(cases.doc->root, "cases"));
    assert_non_null(cases.first);
    return cases;
}
void cases_close(Cases *cases) {
    pool_free(&cases->pool);
    free(cases->text);
}

static const JsonNode *need(const JsonNode *item, const char *key) {
    const JsonNode *node = json_find(item, key);
    if (!node) {
        fail_msg("a case without \"%s\"", key);
    }
    return node;
}
double case_number(const JsonNode *item, const char *key) { return need(item, key)->number; }
const char *case_text(const JsonNode *item, const char *key) {
    const JsonNode *node = json_find(item, key);
    return node ? node->text : NULL;
}
static void numbers(const JsonNode *item, const char *key, int count, double *out) {
    const JsonNode *node = json_first(need(item, key));
    for (int i = 0; i < count; i++, node = json_next(node)) {
        if (!node) {
            fail_msg("\"%s\" has too few numbers", key);
        }
        out[i] = node->number;
    }
}
impVec3 case_vec(const JsonNode *item, const char *key) {
    double v[3];
    numbers(item, key, 3, v);
    return vec(v[0], v[1], v[2]);
}
Mat3 case_matrix(const JsonNode *item, const char *key) {
    double v[9];
    numbers(item, key, 9, v);
    return mat3(vec(v[0], v[1], v[2]), vec(v[3], v[4], v[5]), vec(v[6], v[7], v[8]));
}

void put_matrix(impImpactDef *def, Mat3 k) {
    def->k[0][0] = k.x.x;
    def->k[1][1] = k.y.y;
    def->k[2][2] = k.z.z;
    def->k[0][1] = def->k[1][0] = k.x.y;
    def->k[0][2] = def->k[2][0] = k.x.z;
    def->k[1][2] = def->k[2][1] = k.y.z;
}

impImpactDef case_def(const JsonNode *item) {
    impImpactDef def = { .u = case_vec(item, "u0"),
                         .friction_dynamic = case_number(item, "mu"),
                         .restitution = case_number(item, "e") };
    const char *law = case_text(item, "law");
    put_matrix(&def, case_matrix(item, "k"));
    if (law && strcmp(law, "stronge") == 0) {
        def.law = IMP_STRONGE;
    }
    if (law && strcmp(law, "newton") == 0) {
        def.law = IMP_NEWTON;
    }
    return def;
}

// --- chance --------------------------------------------------------------------------------------
Mat3 share_of(double mass, Mat3 inertia, impVec3 r) {
    Mat3 arm = skew(r);
    Mat3 spin = mat3_mul(mat3_mul(arm, inverse(inertia)), arm);
    return mat3_add(mat3_diagonal(1 / mass, 1 / mass, 1 / mass), mat3_scale(-1, spin));
}

typedef struct Dice {
    uint64_t seed, stream, next;
} Dice;
// One roll a declarator or statement: arguments are evaluated in any order.
static double roll(Dice *d) { return num_uniform(d->seed, d->stream, d->next++); }

static Mat3 random_share(Dice *d, bool planar) {
    double x = 0.02 + roll(d);
    double y = 0.02 + roll(d);
    double z = 0.02 + roll(d);
    double m = x * y * z * (0.1 + roll(d));
    double a = roll(d);
    double b = roll(d);
    double c = roll(d);
    double rx = x * (roll(d) - 0.5);
    double ry = planar ? 0 : y * (roll(d) - 0.5);
    impQuat q = planar ? quat_rotation(vec(0, 1, 0), 6 * a) : num_random_rotation(a, b, c);
    impVec3 r = vec(rx, ry, z / 2);
    Mat3 inertia = mat3_diagonal(m / 12 * (y * y + z * z), m / 12 * (x * x + z * z),
                                 m / 12 * (x * x + y * y));
    return rotated(rotation(q), share_of(m, inertia, r));
}

impImpactDef random_hit(uint64_t seed, int64_t i) {
    Dice d = { seed, (uint64_t)i, 0 };
    impImpactDef def = { 0 };
    bool planar = i % 10 == 9;
    bool at_rest = i % 10 == 4;
    Mat3 k = random_share(&d, planar);
    if (i % 2) {
        k = mat3_add(k, random_share(&d, planar));
    }
    put_matrix(&def, k);
    double fast = roll(&d);
    double x = 2 * roll(&d) - 1;
    double y = 2 * roll(&d) - 1;
    double z = -roll(&d) - 1e-3;
    fast = i % 3 ? 1 : 20 * fast * fast;
    def.u = vec(fast * x, fast * y, z);
    if (planar) {
        def.u.y = def.k[0][1] = def.k[1][0] = def.k[1][2] = def.k[2][1] = 0;
    }
    if (at_rest) {
        def.u.x = def.u.y = 0;
    }
    def.friction_dynamic = i % 4 == 0 ? 2 * roll(&d) : 0.8 * roll(&d);
    if (i % 37 == 0) {
        def.friction_dynamic = 0;
    }
    def.friction_static = i % 5 == 0 ? def.friction_dynamic * (1 + roll(&d)) : 0;
    def.restitution = i % 4 == 1 ? 1 : i % 4 == 2 ? 0 : roll(&d);
    return def;
}

// --- the oracle ----------------------------------------------------------------------------------
// l = ln s; all may be added and scaled
typedef struct Point {
    double l, th, z, px, py, pz, w;
} Point;

static Point plus(Point a, double h, Point b) {
    Point r = { a.l + h * b.l,   a.th + h * b.th, a.z + h * b.z, a.px + h * b.px,
                a.py + h * b.py, a.pz + h * b.pz, a.w + h * b.w };
    return r;
}

static Point flow(const impImpactDef *d, Point a) {
    double c = cos(a.th);
    double s = sin(a.th);
    double mu = d->friction_dynamic;
    double size = exp(a.l);
    double x = d->k[0][2] - mu * (d->k[0][0] * c + d->k[0][1] * s);
    double y = d->k[1][2] - mu * (d->k[0][1] * c + d->k[1][1] * s);
    double z = d->k[2][2] - mu * (d->k[0][2] * c + d->k[1][2] * s);
    Point r = { x * c + y * s,  y * c - x * s, size * z,  -mu * c * size,
                -mu * s * size, size,          size * a.z };
    return r;
}

static Point stepped(const impImpactDef *d, Point a, double h) {
    Point k1 = flow(d, a);
    Point k2 = flow(d, plus(a, h / 2, k1));
    Point k3 = flow(d, plus(a, h / 2, k2));
    Point k4 = flow(d, plus(a, h, k3));
    Point sum = plus(plus(plus(k1, 2, k2), 2, k3), 1, k4);
    return plus(a, h / 6, sum);
}

typedef struct Chase {
    const impImpactDef *d;
    Point at;
    bool restitution;
    double store, spent;
} Chase;

// What is negative before the stage's event and positive after: its end first, its turning back
// second.
static double to_end(const Chase *c, Point a) {
    double e = c->d->restitution;
    if (!c->restitution) return a.z;
    if (c->d->law == IMP_NEWTON) return a.z + e * c->d->u.z;
    return (c->d->law == IMP_STRONGE ? a.w : a.pz) - c->spent - c->store;
}
static double to_turn(const Chase *c, Point a) { return c->restitution ? -a.z : -1; }

// <= h; above: not in this step
static double when(const Chase *c, double h, double (*f)(const Chase *, Point)) {
    if (f(c, stepped(c->d, c->at, h)) < 0) return 2 * h;
    double low = 0;
    double high = h;
    for (int i = 0; i < 60; i++) {
        double mid = (low + high) / 2;
        if (f(c, stepped(c->d, c->at, mid)) < 0) {
            low = mid;
        } else {
            high = mid;
        }
    }
    return high;
}

// Fills or empties the store at the border of a stage; true: over.
static bool change_stage(Chase *c, bool rotated) {
    double e = c->d->restitution;
    double amount = (c->d->law == IMP_STRONGE ? c->at.w : c->at.pz) - c->spent;
    if (c->restitution && !rotated) return true;
    c->store += c->restitution ? -amount : c->d->law == IMP_STRONGE ? -e * e * amount : e * amount;
    c->spent = c->d->law == IMP_STRONGE ? c->at.w : c->at.pz;
    c->restitution = !c->restitution;
    return c->restitution && e == 0;
}

// From rest: the line of sticking or of the ray, followed by small steps of p_z so as to share no
// formula.
static void from_rest(Chase *c, impVec3 slope, double hx, double hy) {
    for (int i = 0; i < 6; i++) {
        double low = 0;
        double high = 1e9;
        for (int k = 0; k < 200; k++) {
            double d = (low + high) / 2;
            Point a = c->at;
            a.z += slope.z * d;
            a.pz += d;
            a.w += (c->at.z + slope.z * d / 2) * d;
            if (to_end(c, a) < 0) {
                low = d;
            } else {
                high = d;
            }
        }
        Point a = c->at;
        a.z += slope.z * low;
        a.pz += low;
        a.w += (c->at.z + slope.z * low / 2) * low;
        a.px += hx * low;
        a.py += hy * low;
        c->at = a;
        if (change_stage(c, false)) return;
        c->at.z = 0;
    }
}

// The direction that grows, by scanning: s dth/dp = 0 falling, ds/dp > 0.
static double growing_direction(const impImpactDef *d) {
    double best = 0;
    double most = -1e300;
    for (int i = 0; i < 20000; i++) {
        double th = i * TAU / 20000;
        double next = (i + 1) * TAU / 20000;
        Point a = { .th = th };
        Point b = { .th = next };
        if (!(flow(d, a).th >= 0 && flow(d, b).th < 0)) continue;
        for (int k = 0; k < 60; k++) {
            double mid = (th + next) / 2;
            Point m = { .th = mid };
            if (flow(d, m).th >= 0) {
                th = mid;
            } else {
                next = mid;
            }
        }
        Point m = { .th = th };
        if (flow(d, m).l > most) {
            most = flow(d, m).l;
            best = th;
        }
    }
    return best;
}

static void leave_rest(Chase *c) {
    const impImpactDef *d = c->d;
    double det = d->k[0][0] * d->k[1][1] - d->k[0][1] * d->k[0][1];
    double hx = -(d->k[1][1] * d->k[0][2] - d->k[0][1] * d->k[1][2]) / det;
    double hy = -(d->k[0][0] * d->k[1][2] - d->k[0][1] * d->k[0][2]) / det;
    double holds = d->friction_static > 0 ? d->friction_static : d->friction_dynamic;
    if (sqrt(hx * hx + hy * hy) > holds) {
        double th = growing_direction(d);
        hx = -d->friction_dynamic * cos(th);
        hy = -d->friction_dynamic * sin(th);
    }
    impVec3 slope = { 0, 0, d->k[2][2] + d->k[0][2] * hx + d->k[1][2] * hy };
    from_rest(c, slope, hx, hy);
}

bool oracle(const impImpactDef *def, impVec3 *p, impVec3 *u) {
    double s = sqrt(def->u.x * def->u.x + def->u.y * def->u.y);
    double tr = def->k[0][0] + def->k[1][1];
    double h = 0.01 / (def->friction_dynamic * tr + fabs(def->k[0][2]) + fabs(def->k[1][2]));
    Chase c = { def, { log(s), atan2(def->u.y, def->u.x), def->u.z, 0, 0, 0, 0 }, false, 0, 0 };
    bool over = false;
    bool rests = s == 0;
    for (int i = 0; i < 200000 && !over && !rests; i++) {
        double end = when(&c, h, to_end);
        double rotation = when(&c, h, to_turn);
        double dt = end < rotation ? end : rotation;
        c.at = stepped(def, c.at, dt < h ? dt : h);
        if (dt <= h) {
            over = change_stage(&c, rotation < end);
        }
        rests = c.at.l < log(1e-12 * largest(def->u));
    }
    if (rests && !over) {
        leave_rest(&c);
        over = true;
    }
    *p = vec(c.at.px, c.at.py, c.at.pz);
    *u = vec(def->u.x + def->k[0][0] * p->x + def->k[0][1] * p->y + def->k[0][2] * p->z,
             def->u.y + def->k[0][1] * p->x + def->k[1][1] * p->y + def->k[1][2] * p->z,
             def->u.z + def->k[0][2] * p->x + def->k[1][2] * p->y + def->k[2][2] * p->z);
    return over;
}
