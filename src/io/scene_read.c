// scene_read.c -- a scene from JSON: every key known, every value with its place, all mistakes at
// once.
//
// The format is docs/reference/scene-format.md. This file walks the top level: version, gravity,
// materials, pairs, joints, run. Bodies and their shapes are read in scene_bodies.c. Values are
// judged in model/build.c; here only what a definition cannot carry: a word where a number should
// be, an explicit zero where zero means "not said", a name that is not there.
//
// SPDX-License-Identifier: MIT
#include "io/scene_files.h"

#include <stdlib.h>
#include <string.h>

// versions of the format that this program reads
enum { OLDEST = 1, NEWEST = 1 };

bool read_name(Reader *r, const JsonNode *node, const char *who, const char **out) {
    const char *name = NULL;
    if (!json_get_text(r->doc, node, who, "name", &name, r->err)) return false;
    if (name && strlen(name) > NAME_LENGTH)
        return fail_as(r->err, IMP_AT_LIMIT, read_where(r, node),
                       "%s: a name of %zu bytes; at most %d are possible", who, strlen(name),
                       NAME_LENGTH);
    if (name) {
        *out = name;
    }
    return true;
}

// A word on anything: checked to be one, and not kept.
bool read_note(Reader *r, const JsonNode *object, const char *who, const char *key) {
    const char *text;
    return json_get_text(r->doc, json_find(object, key), who, key, &text, r->err);
}

// --- materials and pairs -------------------------------------------------------------------------
static bool read_friction(Reader *r, const JsonNode *node, const char *who, double *fixed,
                          double *sliding) {
    static const char *const keys[] = { "static", "dynamic" };
    if (!node) return true;
    if (node->kind != JSON_OBJECT) {
        bool ok = json_get_number(r->doc, node, who, "friction", fixed, r->err);
        *sliding = *fixed;
        return ok;
    }
    bool ok = json_check_keys(r->doc, node, who, keys, COUNT(keys), r->err);
    const JsonNode *a = json_need(r->doc, node, who, "static", r->err);
    const JsonNode *b = json_need(r->doc, node, who, "dynamic", r->err);
    ok = json_get_number(r->doc, a, who, "static friction", fixed, r->err) && ok;
    return json_get_number(r->doc, b, who, "dynamic friction", sliding, r->err) && ok && a && b;
}

static bool read_material(Reader *r, const JsonNode *node) {
    static const char *const keys[] = { "friction", "restitution", "density", "about" };
    char who[200];
    impMaterialDef def = { .name = json_key(node) };
    print_text(who, sizeof who, "material '%s'", def.name);
    if (!json_check_kind(r->doc, node, who, "a material", JSON_OBJECT, r->err)) return false;
    if (strlen(def.name) > NAME_LENGTH)
        return fail_as(r->err, IMP_AT_LIMIT, json_key_where(r->doc, node),
                       "material: a name of %zu bytes; at most %d are possible", strlen(def.name),
                       NAME_LENGTH);
    const JsonNode *friction = json_find(node, "friction");
    const JsonNode *bounce = json_find(node, "restitution");
    const JsonNode *density = json_find(node, "density");
    bool ok = json_check_keys(r->doc, node, who, keys, COUNT(keys), r->err) &&
              read_note(r, node, who, "about");
    ok = read_friction(r, friction, who, &def.friction_static, &def.friction_dynamic) && ok;
    ok = json_get_number(r->doc, bounce, who, "restitution", &def.restitution, r->err) && ok;
    ok = json_get_number(r->doc, density, who, "density", &def.density, r->err) && ok;
    if (density && density->kind == JSON_NUMBER && def.density == 0) {
        ok = fail(r->err, read_where(r, density),
                  "%s: density 0 kg/m^3; it must lie between 1e-6 and 1e9", who);
    }
    // still a name that bodies may use
    if (!ok) {
        def = (impMaterialDef){ .name = def.name };
    }
    SceneMaterial *material = scene_add_material(r->scene, &def, read_where(r, node), r->err);
    if (material) {
        material->friction_given = friction != NULL;
        material->restitution_given = bounce != NULL;
    }
    return ok && material;
}

static bool read_materials(Reader *r, const JsonNode *list) {
    if (!list) return true;
    bool ok = json_check_kind(r->doc, list, "scene", "materials", JSON_OBJECT, r->err);
    for (const JsonNode *m = ok ? json_first(list) : NULL; m; m = json_next(m)) {
        ok = read_material(r, m) && ok;
    }
    return ok;
}

static bool read_pair(Reader *r, const JsonNode *node) {
    static const char *const keys[] = { "between", "friction", "restitution", "law", "about" };
    static const char *const laws[] = { "poisson", "stronge", "newton" };
    impPairDef def = { 0 };
    int law = 0;
    if (!json_check_kind(r->doc, node, "pairs", "a pair", JSON_OBJECT, r->err)) return false;
    bool ok = json_check_keys(r->doc, node, "pair", keys, COUNT(keys), r->err) &&
              read_note(r, node, "pair", "about");
    const JsonNode *between = json_need(r->doc, node, "pair", "between", r->err);
    if (!between || !json_check_kind(r->doc, between, "pair", "between", JSON_ARRAY, r->err))
        return false;
    if (between->count != 2)
        return fail(r->err, read_where(r, between), "pair: between %d materials; it must name two",
                    (int)between->count);
    int i = 0;
    for (const JsonNode *name = json_first(between); name; name = json_next(name), i++) {
        ok = json_get_text(r->doc, name, "pair", "a material", &def.between[i], r->err) && ok;
    }
    const JsonNode *friction = json_find(node, "friction");
    const JsonNode *bounce = json_find(node, "restitution");
    ok = read_friction(r, friction, "pair", &def.friction_static, &def.friction_dynamic) && ok;
    ok = json_get_number(r->doc, bounce, "pair", "restitution", &def.restitution, r->err) && ok;
    ok = json_get_choice(r->doc, json_find(node, "law"), "pair", "law", laws, COUNT(laws), &law,
                         r->err) &&
         ok;
    def.law = (impLaw)law;
    ScenePair *pair = ok ? scene_add_pair(r->scene, &def, read_where(r, node), r->err) : NULL;
    if (pair) {
        pair->friction_given = friction != NULL;
        pair->restitution_given = bounce != NULL;
    }
    return pair != NULL;
}

static bool read_list(Reader *r, const JsonNode *list, const char *what,
                      bool (*read)(Reader *, const JsonNode *)) {
    if (!list) return true;
    bool ok = json_check_kind(r->doc, list, "scene", what, JSON_ARRAY, r->err);
    for (const JsonNode *m = ok ? json_first(list) : NULL; m; m = json_next(m)) {
        ok = read(r, m) && ok;
    }
    return ok;
}

// Room for all bodies at once: a list that grows by doubling would leave its smaller selves behind.
static bool reserve_bodies(Reader *r, const JsonNode *list) {
    int count = list && list->kind == JSON_ARRAY ? list->count : 0;
    if (count > r->limits.max_bodies) {
        count = r->limits.max_bodies;
    }
    if (!count) return true;
    r->scene->bodies = POOL_TAKE(&r->scene->pool, SceneBody, count);
    r->scene->body_room = r->scene->bodies ? count : 0;
    return r->scene->bodies || fail_memory(r->err);
}

// --- joints --------------------------------------------------------------------------------------
static bool name_before(const void *context, int32_t i, int32_t j) {
    const impScene *scene = context;
    return strcmp(scene->bodies[i].def.name, scene->bodies[j].def.name) < 0;
}

static bool sort_names(Reader *r) {
    int n = r->scene->body_count;
    r->by_name = POOL_TAKE(&r->pool, int32_t, 2 * n + 1);
    if (!r->by_name) return fail_memory(r->err);
    for (int i = 0; i < n; i++) {
        r->by_name[i] = i;
    }
    sort_stable(r->by_name, r->by_name + n, n, name_before, r->scene);
    return true;
}

static int find_body(const Reader *r, const char *name) {
    int low = 0;
    int high = r->scene->body_count;
    if (!strcmp(name, "world")) return 0;
    while (low < high) {
        int middle = low + (high - low) / 2;
        int order = strcmp(r->scene->bodies[r->by_name[middle]].def.name, name);
        if (order == 0) return r->by_name[middle] + 1;
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return -1;
}

static bool unknown_body(Reader *r, const JsonNode *node, const char *who, const char *name) {
    const char *near = NULL;
    const char *two[2];
    // a message that is only counted needs no suggestion
    bool heard = r->err->count < IMP_MESSAGES;
    // the nearest so far against the next
    for (int i = 0; heard && i < r->scene->body_count; i++) {
        two[0] = near ? near : "world";
        two[1] = r->scene->bodies[i].def.name;
        near = nearest(name, two, 2);
    }
    if (near)
        return fail(r->err, read_where(r, node),
                    "%s: no body is called \"%s\"; did you mean \"%s\"?", who, name, near);
    return fail(r->err, read_where(r, node),
                "%s: no body is called \"%s\"; it must be one of \"bodies\", or \"world\"", who,
                name);
}

static bool read_end(Reader *r, const JsonNode *node, const char *who, const char *what,
                     impBody *out) {
    const char *name = NULL;
    if (!node || !json_get_text(r->doc, node, who, what, &name, r->err)) return false;
    out->i = find_body(r, name);
    return out->i >= 0 || unknown_body(r, node, who, name);
}

static bool read_joint(Reader *r, const JsonNode *node) {
    static const char *const keys[] = { "name", "type",  "parent", "child",  "at",
                                        "axis", "axis2", "at2",    "limits", "about" };
    impJointDef def = { 0 };
    double limits[2] = { 0, 0 };
    char who[200];
    r->joints++;
    if (!json_check_kind(r->doc, node, "joints", "a joint", JSON_OBJECT, r->err)) return false;
    bool ok = read_name(r, json_find(node, "name"), "joint", &def.name);
    if (def.name) {
        print_text(who, sizeof who, "joint '%s'", def.name);
    } else {
        print_text(who, sizeof who, "joint %d", r->joints);
    }
    ok = json_check_keys(r->doc, node, who, keys, COUNT(keys), r->err) &&
         read_note(r, node, who, "about") && ok;
    const JsonNode *type = json_need(r->doc, node, who, "type", r->err);
    const JsonNode *limit = json_find(node, "limits");
    ok = type && json_get_text(r->doc, type, who, "type", &def.kind, r->err) && ok;
    ok = read_end(r, json_need(r->doc, node, who, "parent", r->err), who, "parent", &def.parent) &&
         ok;
    ok = read_end(r, json_need(r->doc, node, who, "child", r->err), who, "child", &def.child) && ok;
    ok = json_get_vec3(r->doc, json_find(node, "at"), who, "at", &def.at, r->err) && ok;
    ok = json_get_vec3(r->doc, json_find(node, "at2"), who, "at2", &def.at2, r->err) && ok;
    ok = json_get_vec3(r->doc, json_find(node, "axis"), who, "axis", &def.axis, r->err) && ok;
    ok = json_get_vec3(r->doc, json_find(node, "axis2"), who, "axis2", &def.axis2, r->err) && ok;
    ok = json_get_numbers(r->doc, limit, who, "limits", 2, limits, r->err) && ok;
    def.limited = limit != NULL;
    def.lower = limits[0];
    def.upper = limits[1];
    return ok && scene_add_joint(r->scene, &def, read_where(r, node), r->err);
}

// --- run and the whole ---------------------------------------------------------------------------
static bool read_positive(Reader *r, const JsonNode *node, const char *what, const char *unit,
                          double *out) {
    if (!json_get_number(r->doc, node, "run", what, out, r->err)) return false;
    if (!node || *out > 0) return true;
    return fail(r->err, read_where(r, node), "run: %s %s %s; it must be positive", what,
                show(*out).text, unit);
}

static bool read_run(Reader *r, const JsonNode *node) {
    static const char *const keys[] = { "duration",         "method", "dt",
                                        "contact_band",     "micro",  "contact_capacity",
                                        "prediction",       "scheme", "directions",
                                        "shock_propagation" };
    impRunDef run = { 0 };
    if (!node) return true;
    if (!json_check_kind(r->doc, node, "scene", "run", JSON_OBJECT, r->err)) return false;
    bool ok = json_check_keys(r->doc, node, "run", keys, COUNT(keys), r->err);
    ok = read_positive(r, json_find(node, "duration"), "duration", "s", &run.duration) && ok;
    ok = read_positive(r, json_find(node, "dt"), "dt", "s", &run.dt) && ok;
    ok = read_positive(r, json_find(node, "contact_band"), "contact_band", "m",
                       &run.contact_band) &&
         ok;
    ok = json_get_text(r->doc, json_find(node, "method"), "run", "method", &run.method, r->err) &&
         ok;
    for (int i = 0; i < run_choice_count; i++) {
        const RunChoice *choice = &run_choices[i];
        int value = 0;
        ok = json_get_choice(r->doc, json_find(node, choice->key), "run", choice->key,
                             choice->names, choice->count, &value, r->err) &&
             ok;
        run_choice_set(choice, &run, value);
    }
    int64_t capacity = 0;
    int64_t sweeps = 0;
    ok = json_get_int(r->doc, json_find(node, "contact_capacity"), "run", "contact_capacity", 1,
                      MOST_CONTACTS, &capacity, r->err) &&
         ok;
    int64_t directions = 0;
    ok = json_get_int(r->doc, json_find(node, "directions"), "run", "directions", 2, 64,
                      &directions, r->err) &&
         ok;
    ok = json_get_int(r->doc, json_find(node, "shock_propagation"), "run", "shock_propagation", 0,
                      MOST_SWEEPS, &sweeps, r->err) &&
         ok;
    run.directions = (int)directions;
    run.contact_capacity = (int)capacity;
    run.shock_propagation = (int)sweeps;
    r->scene->run_at = read_where(r, node);
    return ok && impScene_Run(r->scene, &run, r->err);
}

static bool read_version(Reader *r, const JsonNode *root) {
    int64_t version = 0;
    const JsonNode *node = json_need(r->doc, root, "scene", "impel", r->err);
    if (!node || !json_get_int(r->doc, node, "scene", "impel", 0, 1000000, &version, r->err))
        return false;
    if (version >= OLDEST && version <= NEWEST) return true;
    return fail(r->err, read_where(r, node),
                "scene: the file says version %d; this program reads version %d", (int)version,
                NEWEST);
}

static bool read_scene(Reader *r) {
    static const char *const keys[] = { "impel",   "about",     "source", "expect",
                                        "gravity", "materials", "pairs",  "bodies",
                                        "joints",  "run",       "$schema" };
    const JsonNode *root = r->doc->root;
    const char *about = NULL;
    const char *source = NULL;
    if (!json_check_kind(r->doc, root, "scene", "the file", JSON_OBJECT, r->err)) return false;
    if (!read_version(r, root)) return false;
    bool ok = json_check_keys(r->doc, root, "scene", keys, COUNT(keys), r->err);
    ok = json_get_text(r->doc, json_find(root, "about"), "scene", "about", &about, r->err) && ok;
    ok = json_get_text(r->doc, json_find(root, "source"), "scene", "source", &source, r->err) && ok;
    ok = read_note(r, root, "scene", "expect") && read_note(r, root, "scene", "$schema") && ok;
    impScene_About(r->scene, about, source);
    const JsonNode *gravity = json_find(root, "gravity");
    r->scene->gravity = vec(0, 0, -9.81);
    r->scene->gravity_at = read_where(r, gravity ? gravity : root);
    ok = json_get_vec3(r->doc, gravity, "scene", "gravity", &r->scene->gravity, r->err) && ok;
    ok = read_materials(r, json_find(root, "materials")) && ok;
    ok = read_list(r, json_find(root, "pairs"), "pairs", read_pair) && ok;
    if (!reserve_bodies(r, json_find(root, "bodies"))) return false;
    // scene_bodies.c
    ok = read_list(r, json_find(root, "bodies"), "bodies", read_body) && ok;
    if (!sort_names(r)) return false;
    ok = read_list(r, json_find(root, "joints"), "joints", read_joint) && ok;
    return read_run(r, json_find(root, "run")) && ok;
}

// A scene with mistakes in it is built all the same, to hear of the mistakes that only a build can
// find.
static void report_build_errors(Reader *r) {
    impError *more = POOL_TAKE(&r->pool, impError, 1);
    impScene rest = *r->scene;
    rest.strict = false;
    if (!more || r->err->fault == IMP_AT_LIMIT || r->err->count >= IMP_MESSAGES) return;
    impModel_Free(impModel_Build(&rest, more));
    for (int i = 0; i < more->count && i < IMP_MESSAGES; i++) {
        const impMessage *m = &more->message[i];
        fail_as(r->err, IMP_BAD_INPUT, (Where){ m->file, m->line, m->column }, "%s", m->text);
    }
    if (more->count > IMP_MESSAGES) {
        r->err->count += more->count - IMP_MESSAGES;
    }
}

impScene *impScene_Parse(const char *text, size_t length, const char *name, const impLoadDef *def,
                         impError *err) {
    impError own;
    if (!err) {
        err = &own;
    }
    memset(err, 0, sizeof *err);
    if (!text || !name) {
        fail_as(err, IMP_BAD_CALL, (Where){ NULL, 0, 0 },
                "impScene_Parse: argument %s is NULL; it must be given", text ? "name" : "text");
        return NULL;
    }
    Reader r = { .scene = scene_new(name), .limits = impLimits(def), .err = err };
    bool ok = r.scene != NULL || fail_memory(err);
    if (ok) {
        r.scene->strict = r.limits.strict;
        r.doc = json_parse(&r.pool, text, length, r.scene->file, r.limits.max_nesting, err);
        ok = r.doc != NULL && read_scene(&r);
        if (r.doc && !ok) {
            report_build_errors(&r);
        }
    }
    pool_free(&r.pool);
    if (ok && err->count == 0) return r.scene;
    if (err->count == 0) {
        fail_memory(err);
    }
    impScene_Free(r.scene);
    return NULL;
}

impScene *impScene_Load(const char *path, const impLoadDef *def, impError *err) {
    impError own;
    if (!err) {
        err = &own;
    }
    memset(err, 0, sizeof *err);
    char *text = NULL;
    size_t size = 0;
    if (!path) {
        fail_as(err, IMP_BAD_CALL, (Where){ NULL, 0, 0 },
                "impScene_Load: argument path is NULL; it must be given");
        return NULL;
    }
    if (!file_read(path, impLimits(def).max_file_bytes, &text, &size, err)) return NULL;
    impScene *scene = impScene_Parse(text, size, path, def, err);
    free(text);
    return scene;
}
