// scene_repeat.c -- "repeat": many bodies from one definition, on a grid, with random turns and
// jitter.
//
// Bodies are counted with x fastest, then y, then z. Draws of the body with number i come from
// Philox keyed by (seed, i): numbers 0 to 2 make its orientation, 3 to 5 its jitter in x, y and z,
// whether or not they are used. The generator "lcg64" is the one of other engines' benchmark
// scenes: one sequence through all bodies, three draws a body for a random orientation, then one
// for each axis with jitter.
//
// SPDX-License-Identifier: MIT
#include "io/scene_files.h"

// a product that reaches it is only known to be as large
static const int64_t MOST = (int64_t)1 << 52;

typedef struct Repeat {
    int64_t grid[3], count, seed;
    impVec3 step, center, jitter;
    bool turns, lcg;
} Repeat;

static bool read_grid(Reader *r, const JsonNode *node, const char *who, int64_t grid[3]) {
    int i = 0;
    if (!node || !json_check_kind(r->doc, node, who, "grid", JSON_ARRAY, r->err)) return false;
    if (node->count != 3)
        return fail(r->err, read_where(r, node), "%s: a grid of %d numbers; it must have three",
                    who, (int)node->count);
    for (const JsonNode *n = json_first(node); n; n = json_next(n), i++) {
        double x = n->kind == JSON_NUMBER ? n->number : 0;
        if (!(x >= 1) || floor(x) != x)
            return fail(r->err, read_where(r, n),
                        "%s: grid; got %s; it must be a whole number, 1 or more", who,
                        json_show(r->doc, n).text);
        grid[i] = x < (double)MOST ? (int64_t)x : MOST;
    }
    return true;
}

// The product is formed only while it is known to fit: 1e18 bodies are a message, not an
// allocation.
static bool check_count(Reader *r, const JsonNode *node, const char *who, Repeat *p) {
    int64_t room = r->limits.max_bodies - r->scene->body_count + 1;
    int64_t all = 1;
    for (int i = 0; i < 3; i++) {
        all = all > MOST / p->grid[i] ? MOST : all * p->grid[i];
    }
    if (p->count > all)
        return fail(r->err, read_where(r, node),
                    "%s: count %lld of a grid of %lld; it must not exceed it", who,
                    (long long)p->count, (long long)all);
    if (!p->count) {
        p->count = all;
    }
    if (p->count <= room) return true;
    if (p->count < all)
        return fail_as(r->err, IMP_AT_LIMIT, read_where(r, node),
                       "%s: %lld bodies; the limit is %d in all (--max-bodies)", who,
                       (long long)p->count, r->limits.max_bodies);
    return fail_as(r->err, IMP_AT_LIMIT, read_where(r, node),
                   "%s: a grid of %s bodies; the limit is %d in all (--max-bodies)", who,
                   json_show(r->doc, json_find(node, "grid")).text, r->limits.max_bodies);
}

static bool read_keys(Reader *r, const JsonNode *body, const JsonNode *node, const char *who,
                      Repeat *p) {
    static const char *const keys[] = { "grid",   "step", "center",    "orientation",
                                        "jitter", "seed", "generator", "count" };
    static const char *const turns[] = { "random" };
    static const char *const generators[] = { "philox", "lcg64" };
    const JsonNode *rotation = json_find(node, "orientation");
    const JsonNode *center = json_find(node, "center");
    const JsonNode *step = json_need(r->doc, node, who, "step", r->err);
    int generator = 0, word = 0;
    bool ok = json_check_keys(r->doc, node, who, keys, COUNT(keys), r->err);
    ok = read_grid(r, json_need(r->doc, node, who, "grid", r->err), who, p->grid) && ok;
    ok = step && json_get_vec3(r->doc, step, who, "step", &p->step, r->err) && ok;
    ok = json_get_vec3(r->doc, center, who, "center", &p->center, r->err) && ok;
    ok = json_get_vec3(r->doc, json_find(node, "jitter"), who, "jitter", &p->jitter, r->err) && ok;
    ok = json_get_choice(r->doc, rotation, who, "orientation", turns, COUNT(turns), &word,
                         r->err) &&
         ok;
    ok = json_get_int(r->doc, json_find(node, "seed"), who, "seed", 0, ((int64_t)1 << 53) - 1,
                      &p->seed, r->err) &&
         ok;
    ok = json_get_int(r->doc, json_find(node, "count"), who, "count", 1, MOST, &p->count, r->err) &&
         ok;
    ok = json_get_choice(r->doc, json_find(node, "generator"), who, "generator", generators,
                         COUNT(generators), &generator, r->err) &&
         ok;
    p->turns = rotation != NULL;
    p->lcg = generator == 1;
    if (rotation && json_find(body, "orientation")) {
        ok = fail(r->err, read_where(r, rotation),
                  "%s: a random orientation and one of its own; it can only have one", who);
    }
    if (center && json_find(body, "position")) {
        ok = fail(r->err, read_where(r, center),
                  "%s: a center and a position; the grid can only have one", who);
    }
    return ok && check_count(r, node, who, p);
}

static double draw(const Repeat *p, Lcg *lcg, int64_t body, int which) {
    return p->lcg ? num_lcg(lcg) : num_uniform((uint64_t)p->seed, (uint64_t)body, (uint64_t)which);
}

static double jitter(const Repeat *p, Lcg *lcg, int64_t body, int axis) {
    double most = component(p->jitter, axis);
    return most == 0 ? 0 : (2 * draw(p, lcg, body, 3 + axis) - 1) * most;
}

static impPose pose_of(const Repeat *p, Lcg *lcg, int64_t i, impQuat rotation) {
    int64_t at[3] = { i % p->grid[0], i / p->grid[0] % p->grid[1], i / p->grid[0] / p->grid[1] };
    double offset[3];
    double step[3] = { p->step.x, p->step.y, p->step.z };
    if (p->turns) {
        double a = draw(p, lcg, i, 0);
        double b = draw(p, lcg, i, 1);
        double c = draw(p, lcg, i, 2);
        rotation = num_random_rotation(a, b, c);
    }
    for (int k = 0; k < 3; k++) {
        offset[k] = ((double)at[k] - 0.5 * (double)(p->grid[k] - 1)) * step[k] +
                    jitter(p, lcg, i, k);
    }
    return pose(add(p->center, vec(offset[0], offset[1], offset[2])), rotation);
}

bool read_repeat(Reader *r, const JsonNode *body, const char *who) {
    const JsonNode *node = json_find(body, "repeat");
    int first = r->scene->body_count - 1;
    impBodyDef def = r->scene->bodies[first].def;
    Repeat p = { .seed = (int64_t)(r->limits.seed & (((uint64_t)1 << 53) - 1)),
                 .center = def.pose.at };
    if (!json_check_kind(r->doc, node, who, "repeat", JSON_OBJECT, r->err) ||
        !read_keys(r, body, node, who, &p))
        return false;
    Lcg lcg = { (uint64_t)p.seed };
    for (int64_t i = 0; i < p.count; i++) {
        char name[NAME_LENGTH + 32];
        print_text(name, sizeof name, "%s.%lld", def.name, (long long)i);
        impPose place = pose_of(&p, &lcg, i, def.pose.rotation);
        if (i > 0 && !scene_repeat_body(r->scene, first, name, place, r->err)) return false;
        if (i > 0) continue;
        r->scene->bodies[first].def.pose = place;
        r->scene->bodies[first].def.name = pool_text(&r->scene->pool, name);
        if (!r->scene->bodies[first].def.name) return fail_memory(r->err);
    }
    return true;
}
