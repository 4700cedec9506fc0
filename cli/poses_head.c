// poses_head.c -- what a manifest or a shard says before it counts: part, poses and parameters,
// read back.
//
// SPDX-License-Identifier: MIT
#include "poses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- the same drops? -----------------------------------------------------------------------------
// "0.3", "[1, 0, 0]", "nothing"
static void words_of(const JsonTree *t, int32_t value, char *out, size_t size) {
    size_t used = 0;
    if (value < 0 || t->value[value].kind == JSON_NULL) {
        snprintf(out, size, "nothing");
    } else if (t->value[value].kind == JSON_NUMBER || t->value[value].kind == JSON_TEXT) {
        snprintf(out, size, "%.100s", t->bytes + t->value[value].text);
    } else {
        out[used++] = '[';
        for (int32_t at = cli_json_child(t, value); at >= 0 && used + 40 < size;
             at = cli_json_next(t, at)) {
            used += (size_t)snprintf(out + used, size - used, "%s%.30s", used > 1 ? ", " : "",
                                     t->value[at].kind == JSON_NUMBER ? t->bytes + t->value[at].text
                                                                      : "?");
        }
        snprintf(out + used, size - used, "]");
    }
}

static bool equal(const char *what, const JsonTree *a, int32_t in_a, const char *a_name,
                  const JsonTree *b, int32_t in_b, const char *b_name) {
    char x[200], y[200];
    words_of(a, in_a, x, sizeof x);
    words_of(b, in_b, y, sizeof y);
    if (strcmp(x, y) == 0) return true;
    cli_fail(EXIT_INPUT, "%s: not about the same drops: %s is %s in %s and %s in %s", a_name, what,
             x, a_name, y, b_name);
    return false;
}

bool cli_poses_belong(const JsonTree *a, const char *a_name, const JsonTree *b,
                      const char *b_name) {
    int32_t x = cli_json_find(a, cli_json_find(a, 0, "part"), "hash");
    int32_t y = cli_json_find(b, cli_json_find(b, 0, "part"), "hash");
    if (!equal("the part's hash", a, x, a_name, b, y, b_name)) return false;
    for (int i = 0; cli_poses_parameters[i]; i++) {
        const char *key = cli_poses_parameters[i];
        if (!equal(key, a, cli_json_find(a, 0, key), a_name, b, cli_json_find(b, 0, key), b_name))
            return false;
    }
    return true;
}

// --- reading -------------------------------------------------------------------------------------
typedef struct Head {
    const JsonTree *t;
    bool good;
} Head;

static double real(Head *h, int32_t object, const char *key) {
    double value = cli_json_real(h->t, cli_json_find(h->t, object, key), (double)NAN);
    if (isnan(value)) {
        h->good = false;
        value = 0;
    }
    return value;
}

static int64_t whole(Head *h, int32_t object, const char *key) {
    int64_t value = 0;
    if (!cli_json_whole(h->t, cli_json_find(h->t, object, key), &value)) {
        h->good = false;
    }
    return value;
}

static const char *words(Head *h, int32_t object, const char *key) {
    const char *text = cli_json_words(h->t, cli_json_find(h->t, object, key));
    if (!text) {
        h->good = false;
    }
    return text ? text : "";
}

static void reals(Head *h, int32_t object, const char *key, double *values, int count) {
    int32_t at = cli_json_child(h->t, cli_json_find(h->t, object, key));
    for (int i = 0; i < count; i++, at = cli_json_next(h->t, at)) {
        values[i] = cli_json_real(h->t, at, (double)NAN);
        if (isnan(values[i])) {
            h->good = false;
            values[i] = 0;
        }
    }
}

static impVec3 vec(Head *h, int32_t object, const char *key) {
    double v[3];
    reals(h, object, key, v, 3);
    return (impVec3){ v[0], v[1], v[2] };
}

static uint64_t hash(const char *text) { return strtoull(text, NULL, 16); }

static void read_part(Head *h, PosesPart *p) {
    int32_t part = cli_json_find(h->t, 0, "part");
    p->path = words(h, part, "path");
    p->hash = hash(words(h, part, "hash"));
    p->report = (impPartReport){ .mass = real(h, part, "mass"),
                                 .center = vec(h, part, "center"),
                                 .low = vec(h, part, "low"),
                                 .high = vec(h, part, "high"),
                                 .bounding_radius = real(h, part, "reach"),
                                 .corners = (int)whole(h, part, "corners"),
                                 .faces = (int)whole(h, part, "faces"),
                                 .chord = real(h, part, "chord"),
                                 .noise = real(h, part, "noise"),
                                 .join = real(h, 0, "join") };
    p->mesh = cli_poses_is_mesh(p->path);
    p->density = cli_json_real(h->t, cli_json_find(h->t, part, "density"), 0);
}

static impRest read_pose(Head *h, int32_t pose) {
    double q[4];
    int32_t barrier = cli_json_find(h->t, pose, "barrier");
    impRest rest = { .normal = vec(h, pose, "normal"),
                     .height = real(h, pose, "height"),
                     .margin = real(h, pose, "margin"),
                     .barrier = cli_json_real(h->t, barrier, HUGE_VAL),
                     .quasi_static = real(h, pose, "quasi_static"),
                     .same_as = (int)whole(h, pose, "same_as"),
                     .face = -1,
                     .family = (int)whole(h, pose, "family") };
    reals(h, pose, "orientation", q, 4);
    rest.rotation = (impQuat){ q[0], q[1], q[2], q[3] };
    return rest;
}

static bool read_poses(Head *h, PosesPart *p) {
    int32_t first = cli_json_child(h->t, cli_json_find(h->t, 0, "poses"));
    p->rests = 0;
    for (int32_t at = first; at >= 0; at = cli_json_next(h->t, at)) {
        p->rests++;
    }
    p->rest = malloc(((size_t)p->rests + 1) * sizeof *p->rest);
    if (!p->rest) return false;
    for (int32_t i = 0, at = first; at >= 0; i++, at = cli_json_next(h->t, at)) {
        p->rest[i] = read_pose(h, at);
    }
    return true;
}

static impFamily read_family(Head *h, int32_t family) {
    int32_t barrier = cli_json_find(h->t, family, "barrier");
    impFamily f = { .lowest = (int)whole(h, family, "lowest"),
                    .members = (int)whole(h, family, "members"),
                    .inner = real(h, family, "inner"),
                    .barrier = cli_json_real(h->t, barrier, HUGE_VAL),
                    .quasi_static = real(h, family, "quasi_static"),
                    .same_as = (int)whole(h, family, "same_as") };
    return f;
}

static bool read_families(Head *h, PosesPart *p) {
    int32_t first = cli_json_child(h->t, cli_json_find(h->t, 0, "families"));
    p->families = 0;
    for (int32_t at = first; at >= 0; at = cli_json_next(h->t, at)) {
        p->families++;
    }
    p->family = malloc(((size_t)p->families + 1) * sizeof *p->family);
    if (!p->family) return false;
    for (int32_t i = 0, at = first; at >= 0; i++, at = cli_json_next(h->t, at)) {
        p->family[i] = read_family(h, at);
    }
    for (int i = 0; i < p->families; i++) {
        if (p->family[i].lowest < 0 || p->family[i].lowest >= p->rests ||
            p->family[i].same_as > i) {
            h->good = false;
        }
    }
    for (int i = 0; i < p->rests; i++) {
        if (p->rest[i].family < 0 || p->rest[i].family >= p->families || p->rest[i].same_as > i) {
            h->good = false;
        }
    }
    return true;
}

static void read_plan(Head *h, PosesPlan *plan) {
    impDropDef *d = &plan->def;
    const char *law = words(h, 0, "law");
    const char *orientation = words(h, 0, "orientation");
    const char *surface = words(h, 0, "surface");
    plan->drops = whole(h, 0, "asked");
    plan->ci = cli_json_real(h->t, cli_json_find(h->t, 0, "ci"), 0);
    plan->engine = strcmp(words(h, 0, "method"), "impulse") == 0;
    plan->check_part = real(h, 0, "check_part");
    plan->identity = hash(words(h, 0, "identity"));
    for (int i = IMP_CHECK_QUICK; i <= IMP_CHECK_FULL; i++) {
        if (strcmp(words(h, 0, "check_of"), cli_check_name((impCheck)i)) == 0) {
            plan->check = (impCheck)i;
        }
    }
    plan->orientation = strcmp(orientation, "uniform") ? orientation : NULL;
    plan->surface = strcmp(surface, "plane") ? surface : NULL;
    if (plan->orientation) {
        plan->orientation_hash = hash(words(h, 0, "orientation_hash"));
    }
    if (plan->surface) {
        plan->surface_hash = hash(words(h, 0, "surface_hash"));
    }
    plan->dwell = cli_json_real(h->t, cli_json_find(h->t, 0, "dwell"), 0);
    for (int i = IMP_POISSON; i <= IMP_NEWTON; i++) {
        if (strcmp(law, cli_law((impLaw)i)) == 0) {
            d->law = (impLaw)i;
        }
    }
    d->seed = (uint64_t)whole(h, 0, "seed");
    d->friction_static = real(h, 0, "mu_static");
    d->friction_dynamic = real(h, 0, "mu_dynamic");
    d->restitution = real(h, 0, "e");
    d->height = real(h, 0, "height");
    d->gravity = real(h, 0, "gravity");
    d->drag = real(h, 0, "drag");
    d->velocity = vec(h, 0, "velocity");
    d->velocity_random = real(h, 0, "velocity_random");
    d->spin = vec(h, 0, "spin");
    d->spin_random = real(h, 0, "spin_random");
    if (whole(h, 0, "block") != IMP_BLOCK || plan->drops < 1) {
        h->good = false;
    }
}

bool cli_poses_head(const JsonTree *tree, PosesPart *part, PosesResult *result) {
    Head h = { tree, tree->count > 0 };
    if (!h.good) return false;
    *part = (PosesPart){ 0 };
    read_part(&h, part);
    if (!read_poses(&h, part) || !read_families(&h, part)) return false;
    read_plan(&h, &result->plan);
    result->part = part;
    result->def = result->plan.def;
    result->settled = result->plan.engine;
    return h.good;
}
