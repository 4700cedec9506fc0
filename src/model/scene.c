// scene.c -- the scene: what a user wrote down, kept as it was said.
//
// Definitions are copied whole, with their strings and lists, so that the caller's may go. Nothing
// is judged here but the call itself: all checks of values happen once, in build.c, where they can
// point at every mistake at once.
//
// SPDX-License-Identifier: MIT
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

static const Where nowhere = { NULL, 0, 0 };

static void clear(impError *err) {
    if (err) {
        memset(err, 0, sizeof *err);
    }
}

static bool bad_call(impError *err, const char *function, const char *argument) {
    return fail_as(err, IMP_BAD_CALL, nowhere, "%s: argument %s is NULL; it must be given",
                   function, argument);
}

// A copy in the scene's pool; *ok turns false when memory is short. NULL stays NULL.
static const char *keep(impScene *scene, const char *text, bool *ok) {
    if (!text) return NULL;
    char *copy = pool_text(&scene->pool, text);
    if (!copy) {
        *ok = false;
    }
    return copy;
}

static void *keep_list(impScene *scene, const void *list, size_t count, size_t each, bool *ok) {
    if (!list || !count) return NULL;
    void *copy = pool_take(&scene->pool, count, each);
    if (!copy) {
        *ok = false;
    } else {
        memcpy(copy, list, count * each);
    }
    return copy;
}

impScene *scene_new(const char *file) {
    impScene *scene = calloc(1, sizeof *scene);
    if (!scene) return NULL;
    bool ok = true;
    scene->file = keep(scene, file, &ok);
    if (ok) return scene;
    impScene_Free(scene);
    return NULL;
}

impScene *impScene_New(impVec3 gravity) {
    impScene *scene = scene_new(NULL);
    if (scene) {
        scene->gravity = gravity;
    }
    return scene;
}

void impScene_Free(impScene *scene) {
    if (!scene) return;
    pool_free(&scene->pool);
    free(scene);
}

void impScene_About(impScene *scene, const char *about, const char *source) {
    if (!scene) return;
    bool ok = true;
    scene->about = keep(scene, about, &ok);
    scene->source = keep(scene, source, &ok);
    scene->about_lost = !ok;
}

bool scene_warn(impScene *scene, impError *err, Where at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *kept = pool_line(&scene->pool, at, format, args);
    va_end(args);
    if (!kept ||
        !POOL_GROW(&scene->pool, scene->warnings, scene->warning_room, scene->warning_count))
        return fail_memory(err);
    scene->warnings[scene->warning_count++] = kept;
    return true;
}

// --- materials and pairs -------------------------------------------------------------------------
SceneMaterial *scene_add_material(impScene *scene, const impMaterialDef *def, Where at,
                                  impError *err) {
    bool ok = true;
    SceneMaterial material = {
        .def = *def, .at = at, .friction_given = true, .restitution_given = true
    };
    material.def.name = keep(scene, def->name, &ok);
    if (!ok ||
        !POOL_GROW(&scene->pool, scene->materials, scene->material_room, scene->material_count)) {
        fail_memory(err);
        return NULL;
    }
    scene->materials[scene->material_count] = material;
    return &scene->materials[scene->material_count++];
}

bool impScene_Material(impScene *scene, const impMaterialDef *def, impError *err) {
    clear(err);
    if (!scene) return bad_call(err, "impScene_Material", "scene");
    if (!def || !def->name) return bad_call(err, "impScene_Material", "def or its name");
    return scene_add_material(scene, def, nowhere, err) != NULL;
}

ScenePair *scene_add_pair(impScene *scene, const impPairDef *def, Where at, impError *err) {
    bool ok = true;
    ScenePair pair = { .def = *def, .at = at, .friction_given = true, .restitution_given = true };
    for (int i = 0; i < 2; i++) {
        pair.def.between[i] = keep(scene, def->between[i], &ok);
    }
    if (!ok || !POOL_GROW(&scene->pool, scene->pairs, scene->pair_room, scene->pair_count)) {
        fail_memory(err);
        return NULL;
    }
    scene->pairs[scene->pair_count] = pair;
    return &scene->pairs[scene->pair_count++];
}

bool impScene_Pair(impScene *scene, const impPairDef *def, impError *err) {
    clear(err);
    if (!scene) return bad_call(err, "impScene_Pair", "scene");
    if (!def || !def->between[0] || !def->between[1])
        return bad_call(err, "impScene_Pair", "def or a name in it");
    return scene_add_pair(scene, def, nowhere, err) != NULL;
}

// --- bodies --------------------------------------------------------------------------------------
static bool keep_shape(impScene *scene, SceneShape *out, const impShapeDef *def, Where at) {
    bool ok = true;
    *out = (SceneShape){ .def = *def, .at = at, .material_at = at, .file_scale = 1 };
    out->def.kind = keep(scene, def->kind, &ok);
    out->def.material = keep(scene, def->material, &ok);
    out->def.points = keep_list(scene, def->points, (size_t)def->point_count, sizeof *def->points,
                                &ok);
    out->def.faces = keep_list(scene, def->faces, (size_t)def->face_ints, sizeof *def->faces, &ok);
    return ok;
}

static bool keep_body(impScene *scene, SceneBody *body, const impBodyDef *def, Where at) {
    bool ok = true;
    *body = (SceneBody){ .def = *def, .like = -1 };
    for (int i = 0; i < BODY_PARTS; i++) {
        body->at[i] = at;
    }
    body->def.name = def->name ? keep(scene, def->name, &ok)
                               : pool_print(&scene->pool, "body.%d", scene->body_count + 1);
    body->def.material = keep(scene, def->material, &ok);
    body->def.shapes = NULL;
    body->shapes = POOL_TAKE(&scene->pool, SceneShape, def->shape_count);
    for (int i = 0; body->shapes && i < def->shape_count; i++) {
        ok = keep_shape(scene, &body->shapes[i], &def->shapes[i], at) && ok;
    }
    impMotionDef *motions = keep_list(scene, def->motions, (size_t)def->motion_count,
                                      sizeof *def->motions, &ok);
    for (int i = 0; motions && i < def->motion_count; i++) {
        motions[i].kind = keep(scene, motions[i].kind, &ok);
    }
    body->def.motions = motions;
    return ok && body->def.name && body->shapes;
}

SceneBody *scene_add_body(impScene *scene, const impBodyDef *def, Where at, impError *err) {
    SceneBody body;
    if (!keep_body(scene, &body, def, at) ||
        !POOL_GROW(&scene->pool, scene->bodies, scene->body_room, scene->body_count)) {
        fail_memory(err);
        return NULL;
    }
    scene->bodies[scene->body_count] = body;
    return &scene->bodies[scene->body_count++];
}

bool scene_set_shapes(impScene *scene, int body, const SceneShape *shapes, int count,
                      impError *err) {
    bool ok = true;
    SceneShape *kept = POOL_TAKE(&scene->pool, SceneShape, count);
    for (int i = 0; kept && i < count; i++) {
        ok = keep_shape(scene, &kept[i], &shapes[i].def, shapes[i].at) && ok;
        kept[i].material_at = shapes[i].material_at;
        kept[i].file = shapes[i].file;
        kept[i].file_scale = shapes[i].file_scale;
    }
    if (!kept || !ok) return fail_memory(err);
    scene->bodies[body].shapes = kept;
    scene->bodies[body].def.shape_count = count;
    return true;
}

SceneBody *scene_repeat_body(impScene *scene, int like, const char *name, impPose pose,
                             impError *err) {
    bool ok = true;
    SceneBody body = scene->bodies[like];
    body.like = like;
    body.def.name = keep(scene, name, &ok);
    body.def.pose = pose;
    if (!ok || !POOL_GROW(&scene->pool, scene->bodies, scene->body_room, scene->body_count)) {
        fail_memory(err);
        return NULL;
    }
    scene->bodies[scene->body_count] = body;
    return &scene->bodies[scene->body_count++];
}

static bool check_lists(const impBodyDef *def, impError *err) {
    if (def->shape_count < 0 || (def->shape_count > 0 && !def->shapes))
        return fail_as(err, IMP_BAD_CALL, nowhere,
                       "impScene_Body: shape_count %d without shapes; they must agree",
                       def->shape_count);
    if (def->motion_count < 0 || (def->motion_count > 0 && !def->motions))
        return fail_as(err, IMP_BAD_CALL, nowhere,
                       "impScene_Body: motion_count %d without motions; they must agree",
                       def->motion_count);
    for (int i = 0; i < def->shape_count; i++) {
        const impShapeDef *s = &def->shapes[i];
        if (s->point_count < 0 || s->face_ints < 0 || (s->point_count && !s->points) ||
            (s->face_ints && !s->faces))
            return fail_as(err, IMP_BAD_CALL, nowhere,
                           "impScene_Body: shape %d has point_count %d and face_ints %d; each must "
                           "match its list",
                           i + 1, s->point_count, s->face_ints);
    }
    return true;
}

impBody impScene_Body(impScene *scene, const impBodyDef *def, impError *err) {
    impBody none = { -1 };
    impBody body = { -1 };
    clear(err);
    if (!scene || !def) {
        bad_call(err, "impScene_Body", scene ? "def" : "scene");
        return none;
    }
    if (!check_lists(def, err) || !scene_add_body(scene, def, nowhere, err)) return none;
    body.i = scene->body_count;
    return body;
}

// --- joints and the run --------------------------------------------------------------------------
SceneJoint *scene_add_joint(impScene *scene, const impJointDef *def, Where at, impError *err) {
    bool ok = true;
    SceneJoint joint = { .def = *def, .at = at };
    joint.def.kind = keep(scene, def->kind, &ok);
    joint.def.name = def->name ? keep(scene, def->name, &ok)
                               : pool_print(&scene->pool, "joint.%d", scene->joint_count + 1);
    if (!ok || !joint.def.name ||
        !POOL_GROW(&scene->pool, scene->joints, scene->joint_room, scene->joint_count)) {
        fail_memory(err);
        return NULL;
    }
    scene->joints[scene->joint_count] = joint;
    return &scene->joints[scene->joint_count++];
}

impJoint impScene_Joint(impScene *scene, const impJointDef *def, impError *err) {
    impJoint joint = { -1 };
    clear(err);
    if (!scene || !def) {
        bad_call(err, "impScene_Joint", scene ? "def" : "scene");
    } else if (scene_add_joint(scene, def, nowhere, err)) {
        joint.i = scene->joint_count - 1;
    }
    return joint;
}

// The error is cleared only when there is one to report: the reader of scene files collects them in
// one.
bool impScene_Run(impScene *scene, const impRunDef *def, impError *err) {
    bool ok = true;
    if (!scene || !def) {
        clear(err);
        return bad_call(err, "impScene_Run", scene ? "def" : "scene");
    }
    impRunDef run = *def;
    run.method = keep(scene, def->method, &ok);
    if (ok) {
        scene->run = run;
    } else {
        clear(err);
    }
    return ok || fail_memory(err);
}
