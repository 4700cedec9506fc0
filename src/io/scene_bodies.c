// scene_bodies.c -- the "bodies" of a scene file: one definition each, with the place of every
// part.
//
// SPDX-License-Identifier: MIT
#include "io/scene_files.h"

#include <string.h>

static bool read_quaternion(Reader *r, const JsonNode *node, const char *who, impQuat *out) {
    double q[4] = { 1, 0, 0, 0 };
    if (!json_get_numbers(r->doc, node, who, "orientation", 4, q, r->err)) return false;
    if (node && q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0)
        return fail(r->err, read_where(r, node),
                    "%s: orientation [0, 0, 0, 0]; it must be a unit quaternion", who);
    if (node) {
        *out = quat(q[0], q[1], q[2], q[3]);
    }
    return true;
}

static bool read_plane(Reader *r, const JsonNode *node, const char *who, impVec3 *out) {
    if (!json_get_vec3(r->doc, node, who, "plane", out, r->err)) return false;
    if (!node || !zero3(*out)) return true;
    return fail(r->err, read_where(r, node),
                "%s: plane [0, 0, 0]; it must be the normal of a plane", who);
}

static bool read_mass(Reader *r, const JsonNode *node, const char *who, double *out) {
    if (!json_get_number(r->doc, node, who, "mass", out, r->err)) return false;
    if (!node || *out > 0) return true;
    return fail(r->err, read_where(r, node), "%s: mass %s kg; it must be positive", who,
                show(*out).text);
}

// Three rows, or three numbers for a diagonal tensor.
static bool read_inertia(Reader *r, const JsonNode *node, const char *who, double out[3][3]) {
    if (!node) return true;
    const JsonNode *first = node->kind == JSON_ARRAY ? json_first(node) : NULL;
    bool zero = true;
    bool ok = true;
    if (first && first->kind == JSON_NUMBER) {
        double d[3] = { 0 };
        if (!json_get_numbers(r->doc, node, who, "inertia", 3, d, r->err)) return false;
        for (int i = 0; i < 3; i++) {
            out[i][i] = d[i];
        }
    } else {
        if (!json_check_kind(r->doc, node, who, "inertia", JSON_ARRAY, r->err)) return false;
        if (node->count != 3)
            return fail(r->err, read_where(r, node), "%s: inertia of %d rows; it must have three",
                        who, (int)node->count);
        int i = 0;
        for (const JsonNode *row = first; row; row = json_next(row), i++) {
            ok = json_get_numbers(r->doc, row, who, "a row of inertia", 3, out[i], r->err) && ok;
        }
    }
    for (int i = 0; i < 9; i++) {
        zero = zero && out[i / 3][i % 3] == 0;
    }
    return ok && (!zero || fail(r->err, read_where(r, node),
                                "%s: inertia is zero; its moments must be positive", who));
}

// --- motions -------------------------------------------------------------------------------------
static bool read_spin(Reader *r, const JsonNode *node, const char *who, impMotionDef *m) {
    static const char *const keys[] = { "axis", "rate" };
    const JsonNode *axis = json_need(r->doc, node, who, "axis", r->err);
    const JsonNode *rate = json_need(r->doc, node, who, "rate", r->err);
    bool ok = json_check_keys(r->doc, node, who, keys, COUNT(keys), r->err);
    ok = json_get_vec3(r->doc, axis, who, "axis", &m->axis, r->err) && ok;
    return json_get_number(r->doc, rate, who, "rate", &m->rate, r->err) && ok && axis && rate;
}

// A definition says "as the translation" by a frequency of 0, so a rotation cannot have that one
// for itself.
static bool read_rotation(Reader *r, const JsonNode *node, const char *who, impMotionDef *m) {
    static const char *const keys[] = { "axis", "amplitude", "frequency", "phase" };
    if (!node) return true;
    if (!json_check_kind(r->doc, node, who, "rotation", JSON_OBJECT, r->err)) return false;
    const JsonNode *axis = json_need(r->doc, node, who, "axis", r->err);
    const JsonNode *phase = json_find(node, "phase");
    const JsonNode *angle = json_need(r->doc, node, who, "amplitude", r->err);
    const JsonNode *own = json_find(node, "frequency");
    bool ok = json_check_keys(r->doc, node, who, keys, COUNT(keys), r->err);
    ok = json_get_vec3(r->doc, axis, who, "rotation axis", &m->axis, r->err) && ok;
    ok = json_get_number(r->doc, angle, who, "rotation amplitude", &m->angle, r->err) && ok;
    ok = json_get_number(r->doc, own, who, "rotation frequency", &m->rotation_frequency, r->err) &&
         ok;
    ok = json_get_number(r->doc, phase, who, "rotation phase", &m->rotation_phase, r->err) && ok;
    if (own && own->kind == JSON_NUMBER && m->rotation_frequency == 0) {
        ok = fail(r->err, read_where(r, own), "%s: rotation frequency 0 Hz; it must be positive",
                  who);
    }
    if (!own && phase) {
        m->rotation_frequency = m->frequency;
        // the definition would add them
        if (m->frequency == 0) {
            m->rotation_phase -= m->phase;
        }
    }
    return ok && axis && angle;
}

static bool read_vibrate(Reader *r, const JsonNode *node, const char *who, impMotionDef *m) {
    static const char *const keys[] = { "amplitude", "frequency", "phase", "rotation" };
    const JsonNode *rotation = json_find(node, "rotation");
    const JsonNode *frequency = json_find(node, "frequency");
    bool own = json_find(node, "amplitude") == NULL && json_find(rotation, "frequency") != NULL;
    bool ok = own || json_need(r->doc, node, who, "frequency", r->err);
    ok = json_check_keys(r->doc, node, who, keys, COUNT(keys), r->err) && ok;
    ok = json_get_vec3(r->doc, json_find(node, "amplitude"), who, "amplitude", &m->amplitude,
                       r->err) &&
         ok;
    ok = json_get_number(r->doc, frequency, who, "frequency", &m->frequency, r->err) && ok;
    ok = json_get_number(r->doc, json_find(node, "phase"), who, "phase", &m->phase, r->err) && ok;
    return read_rotation(r, rotation, who, m) && ok;
}

static bool read_translate(Reader *r, const JsonNode *node, const char *who, impMotionDef *m) {
    static const char *const keys[] = { "velocity" };
    const JsonNode *velocity = json_need(r->doc, node, who, "velocity", r->err);
    bool ok = json_check_keys(r->doc, node, who, keys, COUNT(keys), r->err);
    return json_get_vec3(r->doc, velocity, who, "velocity", &m->velocity, r->err) && ok && velocity;
}

static bool read_kind(Reader *r, const JsonNode *node, const char *who, impMotionDef *m) {
    if (!strcmp(m->kind, "spin")) return read_spin(r, node, who, m);
    return (!strcmp(m->kind, "vibrate") ? read_vibrate : read_translate)(r, node, who, m);
}

// One object: each member is a motion, and they act in the order in which they are written.
static bool read_motion(Reader *r, const JsonNode *node, const char *who, impMotionDef *list,
                        int *count) {
    static const char *const keys[] = { "spin", "vibrate", "translate" };
    if (!json_check_kind(r->doc, node, who, "motion", JSON_OBJECT, r->err)) return false;
    if (node->count == 0)
        return fail(r->err, read_where(r, node),
                    "%s: motion is empty; it must be spin, vibrate or translate", who);
    if (!json_check_keys(r->doc, node, who, keys, COUNT(keys), r->err)) return false;
    bool ok = true;
    for (const JsonNode *m = json_first(node); m; m = json_next(m)) {
        char own[240];
        impMotionDef *def = &list[(*count)++];
        *def = (impMotionDef){ .kind = json_key(m) };
        print_text(own, sizeof own, "%s: %s", who, def->kind);
        if (!json_check_kind(r->doc, m, who, def->kind, JSON_OBJECT, r->err)) {
            ok = false;
        } else {
            ok = read_kind(r, m, own, def) && ok;
        }
    }
    return ok;
}

// An object, or a list of them where one kind is needed twice or the order matters.
static bool read_motions(Reader *r, const JsonNode *node, const char *who, impBodyDef *def) {
    if (!node) return true;
    bool several = node->kind == JSON_ARRAY;
    bool ok = true;
    size_t most = 1;
    for (const JsonNode *m = several ? json_first(node) : node; m;
         m = several ? json_next(m) : NULL) {
        most += m->kind == JSON_OBJECT ? (size_t)m->count : 0;
    }
    impMotionDef *list = POOL_TAKE(&r->pool, impMotionDef, most);
    if (!list) return fail_memory(r->err);
    if (several && !node->count)
        return fail(r->err, read_where(r, node), "%s: an empty list of motions; leave it out", who);
    for (const JsonNode *m = several ? json_first(node) : node; m;
         m = several ? json_next(m) : NULL) {
        ok = read_motion(r, m, who, list, &def->motion_count) && ok;
    }
    def->motions = def->motion_count ? list : NULL;
    return ok;
}

// --- one body ------------------------------------------------------------------------------------
static bool read_plain(Reader *r, const JsonNode *node, const char *who, impBodyDef *def) {
    bool ok = json_get_bool(r->doc, json_find(node, "fixed"), who, "fixed", &def->fixed, r->err);
    ok = json_get_text(r->doc, json_find(node, "material"), who, "material", &def->material,
                       r->err) &&
         ok;
    ok = json_get_vec3(r->doc, json_find(node, "position"), who, "position", &def->pose.at,
                       r->err) &&
         ok;
    ok = read_quaternion(r, json_find(node, "orientation"), who, &def->pose.rotation) && ok;
    ok = json_get_vec3(r->doc, json_find(node, "velocity"), who, "velocity", &def->twist.linear,
                       r->err) &&
         ok;
    ok = json_get_vec3(r->doc, json_find(node, "angular_velocity"), who, "angular_velocity",
                       &def->twist.angular, r->err) &&
         ok;
    ok = read_plane(r, json_find(node, "plane"), who, &def->plane) && ok;
    ok = read_mass(r, json_find(node, "mass"), who, &def->mass) && ok;
    def->center_given = json_find(node, "center_of_mass") != NULL;
    ok = json_get_vec3(r->doc, json_find(node, "center_of_mass"), who, "center_of_mass",
                       &def->center, r->err) &&
         ok;
    return read_inertia(r, json_find(node, "inertia"), who, def->inertia) && ok;
}

static void note_places(Reader *r, const JsonNode *node, SceneBody *body) {
    static const struct {
        BodyPart part;
        const char *key;
    } parts[] = {
        { BODY_SHAPE, "shape" },           { BODY_MASS, "mass" },
        { BODY_CENTER, "center_of_mass" }, { BODY_INERTIA, "inertia" },
        { BODY_POSITION, "position" },     { BODY_ORIENTATION, "orientation" },
        { BODY_VELOCITY, "velocity" },     { BODY_SPIN, "angular_velocity" },
        { BODY_MATERIAL, "material" },     { BODY_MOTION, "motion" },
        { BODY_PLANE, "plane" },
    };
    for (int i = 0; i < COUNT(parts); i++) {
        const JsonNode *said = json_find(node, parts[i].key);
        if (said) {
            body->at[parts[i].part] = read_where(r, said);
        }
    }
}

// A body that could not be read stays as one of unit mass where it was and as fast as it was: these
// are checked with the rest of the scene, and nothing follows from the parts that are missing.
static void keep_the_sound_parts(SceneBody *body) {
    const impBodyDef *d = &body->def;
    body->def = (impBodyDef){ .name = d->name,
                              .fixed = d->fixed,
                              .pose = d->pose,
                              .twist = d->twist,
                              .mass = 1,
                              .inertia = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
}

bool read_body(Reader *r, const JsonNode *node) {
    static const char *const keys[] = { "name",
                                        "fixed",
                                        "material",
                                        "shape",
                                        "mass",
                                        "center_of_mass",
                                        "inertia",
                                        "position",
                                        "orientation",
                                        "velocity",
                                        "angular_velocity",
                                        "motion",
                                        "plane",
                                        "repeat",
                                        "about" };
    impBodyDef def = { 0 };
    char who[200];
    if (!json_check_kind(r->doc, node, "bodies", "a body", JSON_OBJECT, r->err)) return false;
    if (r->scene->body_count >= r->limits.max_bodies)
        return fail_as(r->err, IMP_AT_LIMIT, read_where(r, node),
                       "scene: more than %d bodies; the limit is --max-bodies",
                       r->limits.max_bodies);
    bool ok = read_name(r, json_find(node, "name"), "body", &def.name);
    if (def.name) {
        print_text(who, sizeof who, "body '%s'", def.name);
    } else {
        print_text(who, sizeof who, "body %d", r->scene->body_count + 1);
    }
    ok = json_check_keys(r->doc, node, who, keys, COUNT(keys), r->err) &&
         read_note(r, node, who, "about") && ok;
    ok = read_plain(r, node, who, &def) && ok;
    ok = read_motions(r, json_find(node, "motion"), who, &def) && ok;
    SceneBody *body = scene_add_body(r->scene, &def, read_where(r, node), r->err);
    if (!body) return false;
    note_places(r, node, body);
    int first = r->scene->body_count - 1;
    // scene_shapes.c
    ok = read_shapes(r, json_find(node, "shape"), who, !def.fixed && !def.motion_count) && ok;
    if (!ok) {
        keep_the_sound_parts(&r->scene->bodies[first]);
    }
    // scene_repeat.c
    return (!json_find(node, "repeat") || read_repeat(r, node, who)) && ok;
}
