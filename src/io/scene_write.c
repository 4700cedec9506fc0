// scene_write.c -- a scene as JSON that reads back as the same scene, laid out as people write it.
//
// The format is docs/reference/scene-format.md. What is not said is left out, numbers have the
// fewest digits that read back to the same bits, and saving what was saved gives the same bytes.
// Bodies of a "repeat" are written one by one. A mesh is named by its file where the scene is saved
// into the folder that the name starts from, else its points are written down, so that a saved
// scene never needs more than itself and what lies beside it. Comments and "about" of single things
// are not kept.
//
// Only a scene that builds is saved. Text is gathered piece by piece; a piece that ends beyond the
// right margin is moved to a line of its own. Each section is handed on as soon as it is whole.
//
// SPDX-License-Identifier: MIT
#define _XOPEN_SOURCE 700  // realpath
#include "io/recording.h"
#include "io/text.h"

#include <stdlib.h>
#include <string.h>

enum { MARGIN = 120, BODY_INDENT = 6, LIST_INDENT = 27, MOTION_INDENT = 18, VIBRATE_INDENT = 31 };

typedef struct Writer {
    const impScene *scene;
    Output *out;
    impError *err;
    char *text;  // not yet handed on
    size_t used, room;
    bool ok, beside;  // beside: mesh files are where their names say
} Writer;

// --- pieces --------------------------------------------------------------------------------------
static bool grow(Writer *w, size_t more) {
    if (w->room - w->used >= more) return true;
    size_t room = 2 * w->room + more + 4096;
    char *larger = realloc(w->text, room);
    if (!larger) return w->ok = fail_memory(w->err);
    w->text = larger;
    w->room = room;
    return true;
}

static void put_bytes(Writer *w, const char *bytes, size_t count) {
    if (!w->ok || !grow(w, count)) return;
    memcpy(w->text + w->used, bytes, count);
    w->used += count;
}

static void put(Writer *w, const char *text) { put_bytes(w, text, strlen(text)); }

static void put_string(Writer *w, const char *text) {
    char one[8];
    if (w->ok && !text_is_utf8(text)) {
        w->ok = fail(w->err, (Where){ w->scene->file, 0, 0 },
                     "\"%s\" is not UTF-8; a scene can only be saved if its names are", text);
    }
    put(w, "\"");
    for (const char *c = text; *c; c++) {
        put(w, text_escape(*c, one));
    }
    put(w, "\"");
}

static void put_number(Writer *w, double value) {
    if (w->ok && !isfinite(value)) {
        w->ok = fail(w->err, (Where){ w->scene->file, 0, 0 },
                     "%s is no number of a scene; it must be finite", show(value).text);
    }
    put(w, show(value).text);
}

static void put_int(Writer *w, int value) {
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    put(w, text);
}

// Makes the ", " at mark a comma and a new line.
static void break_line(Writer *w, size_t mark, int indent) {
    // "\n" takes the place of the blank
    size_t more = (size_t)indent;
    if (!w->ok || w->text[mark] != ',' || !grow(w, more)) return;
    memmove(w->text + mark + 2 + more, w->text + mark + 2, w->used - mark - 2);
    w->text[mark + 1] = '\n';
    memset(w->text + mark + 2, ' ', more);
    w->used += more;
}

// Moves the piece that starts at mark with ", " to a new line if its first line ends beyond the
// margin.
static void fold(Writer *w, size_t mark, int indent) {
    size_t line = mark;
    size_t end = mark;
    if (!w->ok) return;
    while (line > 0 && w->text[line - 1] != '\n') {
        line--;
    }
    while (end < w->used && w->text[end] != '\n') {
        end++;
    }
    if (end - line > MARGIN) {
        break_line(w, mark, indent);
    }
}

// A member begins: with a comma unless it is the first of its object. Returns the mark for fold.
static size_t key(Writer *w, const char *name) {
    size_t mark = w->used;
    bool first = w->ok && w->used > 0 && w->text[w->used - 1] == '{';
    put(w, first ? " " : ", ");
    put_string(w, name);
    put(w, ": ");
    return mark;
}

// on a line of its own
static void key_below(Writer *w, const char *name, int indent) {
    break_line(w, key(w, name), indent);
}

static void put_numbers(Writer *w, const double *value, int count) {
    for (int i = 0; i < count; i++) {
        put(w, i ? ", " : "[");
        put_number(w, value[i]);
    }
    put(w, "]");
}

static void put_vec(Writer *w, impVec3 a) { put_numbers(w, (double[]){ a.x, a.y, a.z }, 3); }

// a negative zero was said, too
static bool said(const double *value, int count) {
    for (int i = 0; i < count; i++) {
        if (value[i] != 0 || signbit(value[i])) return true;
    }
    return false;
}

static bool said_vec(impVec3 a) { return said((double[]){ a.x, a.y, a.z }, 3); }

static void key_text(Writer *w, const char *name, const char *value, int indent) {
    if (!value) return;
    size_t mark = key(w, name);
    put_string(w, value);
    fold(w, mark, indent);
}

static void key_number(Writer *w, const char *name, double value, int indent) {
    if (!said(&value, 1)) return;
    size_t mark = key(w, name);
    put_number(w, value);
    fold(w, mark, indent);
}

static void key_vec(Writer *w, const char *name, impVec3 value, int indent) {
    if (!said_vec(value)) return;
    size_t mark = key(w, name);
    put_vec(w, value);
    fold(w, mark, indent);
}

static void key_turn(Writer *w, impQuat q, int indent) {
    bool none = q.w == 0 && q.x == 0 && q.y == 0 && q.z == 0;
    if (none || (q.w == 1 && !said_vec(vec(q.x, q.y, q.z)))) return;
    size_t mark = key(w, "orientation");
    put_numbers(w, (double[]){ q.w, q.x, q.y, q.z }, 4);
    fold(w, mark, indent);
}

static void flush(Writer *w) {
    // wanted as one text
    if (!w->out) return;
    if (w->ok) {
        w->ok = output_write(w->out, w->text, w->used, w->err);
    }
    w->used = 0;
}

// --- shapes --------------------------------------------------------------------------------------
static void put_points(Writer *w, const impShapeDef *d) {
    put(w, " \"points\": [");
    for (int i = 0; i < d->point_count; i++) {
        size_t mark = w->used;
        put(w, i ? ", " : "");
        put_vec(w, d->points[i]);
        if (i) {
            fold(w, mark, LIST_INDENT);
        }
    }
    put(w, "]");
}

// its mark
static size_t put_face(Writer *w, const int32_t *corner, int count, bool first, bool folds) {
    size_t mark = w->used;
    put(w, first ? "[" : ", [");
    for (int k = 0; k < count; k++) {
        size_t at = w->used;
        put(w, k ? ", " : "");
        put_int(w, corner[k]);
        if (k && folds) {
            fold(w, at, LIST_INDENT);
        }
    }
    put(w, "]");
    return mark;
}

static void put_faces(Writer *w, const impShapeDef *d) {
    if (!d->face_ints) return;
    key_below(w, "faces", LIST_INDENT);
    put(w, "[");
    // a scene that builds has whole faces
    for (int i = 0; i < d->face_ints; i += 1 + d->faces[i]) {
        size_t mark = put_face(w, &d->faces[i + 1], d->faces[i], i == 0, false);
        if (w->ok && w->used - mark > MARGIN - LIST_INDENT) {
            w->used = mark;
            put_face(w, &d->faces[i + 1], d->faces[i], i == 0, true);
        } else if (i) {
            fold(w, mark, LIST_INDENT);
        }
    }
    put(w, "]");
}

static void put_measures(Writer *w, const ShapeKind *kind, const double *size) {
    for (int i = 0; i < COUNT(kind->measures) && kind->measures[i].name; i++) {
        key(w, kind->measures[i].name);
        if (kind->measures[i].count == 1) {
            put_number(w, size[0]);
        } else {
            put_numbers(w, size, kind->measures[i].count);
        }
        size += kind->measures[i].count;
    }
}

static void put_shape(Writer *w, const SceneShape *s) {
    const ShapeKind *kind = &shape_kinds[shape_find(s->def.kind)];
    bool file = s->file && w->beside;
    put(w, "{ ");
    put_string(w, file ? "mesh" : kind->name);
    put(w, ": {");
    if (file) {
        key_text(w, "file", s->file, LIST_INDENT);
        if (s->file_scale != 1) {
            key_number(w, "scale", s->file_scale, LIST_INDENT);
        }
        key_text(w, "as", s->def.as_hull ? "hull" : "triangles", LIST_INDENT);
    } else if (kind->points) {
        put_points(w, &s->def);
        put_faces(w, &s->def);
        if (s->def.as_hull) {
            key_text(w, "as", "hull", LIST_INDENT);
        }
    } else {
        put_measures(w, kind, s->def.size);
    }
    key_number(w, "radius", s->def.radius, LIST_INDENT);
    put(w, " }");
    key_vec(w, "position", s->def.pose.at, LIST_INDENT);
    key_turn(w, s->def.pose.rotation, LIST_INDENT);
    key_text(w, "material", s->def.material, LIST_INDENT);
    put(w, " }");
}

static void put_shapes(Writer *w, const SceneBody *b) {
    if (b->def.shape_count == 0) return;
    if (b->def.shape_count == 1 && !b->shapes[0].def.point_count) {
        size_t mark = key(w, "shape");
        put_shape(w, &b->shapes[0]);
        fold(w, mark, BODY_INDENT);
        return;
    }
    key_below(w, "shape", BODY_INDENT);
    put(w, b->def.shape_count > 1 ? "[ " : "");
    for (int i = 0; i < b->def.shape_count; i++) {
        put(w, i ? ",\n                 " : "");
        put_shape(w, &b->shapes[i]);
    }
    put(w, b->def.shape_count > 1 ? " ]" : "");
}

// --- motions -------------------------------------------------------------------------------------
// A rotation without a frequency of its own keeps time with the translation, phase included.
static void put_rotation(Writer *w, const impMotionDef *m) {
    bool given = said_vec(m->axis) ||
                 said((double[]){ m->angle, m->rotation_frequency, m->rotation_phase }, 3);
    bool shares = m->rotation_frequency == 0 && m->rotation_phase == 0;
    if (!given) return;
    key_below(w, "rotation", VIBRATE_INDENT);
    put(w, "{");
    key(w, "axis");
    put_vec(w, m->axis);
    key(w, "amplitude");
    put_number(w, m->angle);
    if (!shares) {
        double own = m->rotation_frequency != 0 ? m->rotation_frequency : m->frequency;
        key_number(w, "frequency", own, VIBRATE_INDENT);
        key(w, "phase");
        put_number(w,
                   m->rotation_frequency != 0 ? m->rotation_phase : m->phase + m->rotation_phase);
    }
    put(w, " }");
}

static void put_spin(Writer *w, const impMotionDef *m) {
    key(w, "axis");
    put_vec(w, m->axis);
    key(w, "rate");
    put_number(w, m->rate);
}

static void put_vibrate(Writer *w, const impMotionDef *m) {
    key_vec(w, "amplitude", m->amplitude, VIBRATE_INDENT);
    key(w, "frequency");
    put_number(w, m->frequency);
    key_number(w, "phase", m->phase, VIBRATE_INDENT);
    put_rotation(w, m);
}

static void put_translate(Writer *w, const impMotionDef *m) {
    key(w, "velocity");
    put_vec(w, m->velocity);
}

static void put_motion(Writer *w, const impMotionDef *m) {
    bool spin = !strcmp(m->kind, "spin");
    bool vibrate = !strcmp(m->kind, "vibrate");
    key_below(w, m->kind, MOTION_INDENT);
    put(w, "{");
    (spin ? put_spin : vibrate ? put_vibrate : put_translate)(w, m);
    put(w, " }");
}

static bool one_kind_twice(const impBodyDef *d) {
    for (int i = 0; i < d->motion_count; i++) {
        for (int j = 0; j < i; j++) {
            if (!strcmp(d->motions[i].kind, d->motions[j].kind)) return true;
        }
    }
    return false;
}

// An object where each kind comes once, else a list of them.
static void put_motions(Writer *w, const impBodyDef *d) {
    bool list = one_kind_twice(d);
    if (d->motion_count == 0) return;
    key_below(w, "motion", BODY_INDENT);
    put(w, list ? "[ {" : "{");
    for (int i = 0; i < d->motion_count; i++) {
        if (i && list) {
            put(w, " },\n                  {");
        }
        put_motion(w, &d->motions[i]);
    }
    put(w, list ? " } ]" : " }");
}

// --- bodies --------------------------------------------------------------------------------------
static void put_inertia(Writer *w, const double j[3][3]) {
    double apart[6] = { j[0][1], j[0][2], j[1][0], j[1][2], j[2][0], j[2][1] };
    bool given = false;
    // zeros of either sign: from the shapes
    for (int i = 0; i < 9; i++) {
        given = given || j[i / 3][i % 3] != 0;
    }
    if (!given) return;
    size_t mark = key(w, "inertia");
    if (!said(apart, 6)) {
        put_numbers(w, (double[]){ j[0][0], j[1][1], j[2][2] }, 3);
    }
    for (int i = 0; said(apart, 6) && i < 3; i++) {
        put(w, i ? ", " : "[");
        put_numbers(w, j[i], 3);
        if (i == 2) {
            put(w, "]");
        }
    }
    fold(w, mark, BODY_INDENT);
}

static void put_body(Writer *w, const SceneBody *b) {
    const impBodyDef *d = &b->def;
    put(w, "{");
    key_text(w, "name", d->name, BODY_INDENT);
    if (d->fixed) {
        key(w, "fixed");
        put(w, "true");
    }
    key_text(w, "material", d->material, BODY_INDENT);
    put_shapes(w, b);
    if (d->mass != 0) {
        key_number(w, "mass", d->mass, BODY_INDENT);
    }
    if (d->center_given) {
        size_t mark = key(w, "center_of_mass");
        put_vec(w, d->center);
        fold(w, mark, BODY_INDENT);
    }
    put_inertia(w, d->inertia);
    key_vec(w, "position", d->pose.at, BODY_INDENT);
    key_turn(w, d->pose.rotation, BODY_INDENT);
    key_vec(w, "velocity", d->twist.linear, BODY_INDENT);
    key_vec(w, "angular_velocity", d->twist.angular, BODY_INDENT);
    key_vec(w, "plane", d->plane, BODY_INDENT);
    put_motions(w, d);
    put(w, " }");
}

static void put_bodies(Writer *w) {
    for (int i = 0; i < w->scene->body_count; i++) {
        put(w, i ? ",\n    " : ",\n  \"bodies\": [\n    ");
        put_body(w, &w->scene->bodies[i]);
        flush(w);
    }
    if (w->scene->body_count) {
        put(w, " ]");
    }
}

// --- the rest ------------------------------------------------------------------------------------
static void put_surface(Writer *w, double fixed, double sliding, bool friction, double restitution,
                        bool bounce) {
    if (friction) {
        key(w, "friction");
        if (fixed == sliding) {
            put_number(w, fixed);
        } else {
            put(w, "{");
            key(w, "static");
            put_number(w, fixed);
            key(w, "dynamic");
            put_number(w, sliding);
            put(w, " }");
        }
    }
    if (!bounce) return;
    key(w, "restitution");
    put_number(w, restitution);
}

static void put_materials(Writer *w) {
    for (int i = 0; i < w->scene->material_count; i++) {
        const SceneMaterial *m = &w->scene->materials[i];
        put(w, i ? ",\n                 " : ",\n  \"materials\": { ");
        put_string(w, m->def.name);
        put(w, ": {");
        put_surface(w, m->def.friction_static, m->def.friction_dynamic, m->friction_given,
                    m->def.restitution, m->restitution_given);
        if (m->def.density != 0) {
            key_number(w, "density", m->def.density, LIST_INDENT);
        }
        put(w, " }");
    }
    if (w->scene->material_count) {
        put(w, " }");
    }
}

static void put_pairs(Writer *w) {
    static const char *const laws[] = {
        [IMP_POISSON] = "poisson", [IMP_STRONGE] = "stronge", [IMP_NEWTON] = "newton"
    };
    for (int i = 0; i < w->scene->pair_count; i++) {
        const ScenePair *p = &w->scene->pairs[i];
        put(w, i ? ",\n             { \"between\": [" : ",\n  \"pairs\": [ { \"between\": [");
        put_string(w, p->def.between[0]);
        put(w, ", ");
        put_string(w, p->def.between[1]);
        put(w, "]");
        put_surface(w, p->def.friction_static, p->def.friction_dynamic, p->friction_given,
                    p->def.restitution, p->restitution_given);
        if (p->def.law != IMP_POISSON) {
            key_text(w, "law", laws[p->def.law], LIST_INDENT);
        }
        put(w, " }");
    }
    if (w->scene->pair_count) {
        put(w, " ]");
    }
}

static const char *body_name(const impScene *scene, impBody body) {
    return body.i == 0 ? "world" : scene->bodies[body.i - 1].def.name;
}

static void put_joint(Writer *w, const impJointDef *d) {
    enum { INDENT = 16 };
    put(w, "{");
    key_text(w, "name", d->name, INDENT);
    key_text(w, "type", d->kind, INDENT);
    key_text(w, "parent", body_name(w->scene, d->parent), INDENT);
    key_text(w, "child", body_name(w->scene, d->child), INDENT);
    key_vec(w, "at", d->at, INDENT);
    key_vec(w, "axis", d->axis, INDENT);
    key_vec(w, "axis2", d->axis2, INDENT);
    key_vec(w, "at2", d->at2, INDENT);
    if (d->limited) {
        size_t mark = key(w, "limits");
        put_numbers(w, (double[]){ d->lower, d->upper }, 2);
        fold(w, mark, INDENT);
    }
    put(w, " }");
}

static void put_joints(Writer *w) {
    for (int i = 0; i < w->scene->joint_count; i++) {
        put(w, i ? ",\n              " : ",\n  \"joints\": [ ");
        put_joint(w, &w->scene->joints[i].def);
        flush(w);
    }
    if (w->scene->joint_count) {
        put(w, " ]");
    }
}

static void put_run(Writer *w) {
    const impRunDef *run = &w->scene->run;
    bool chooses = false;
    for (int i = 0; i < run_choice_count; i++) {
        chooses = chooses || run_choice_get(&run_choices[i], run) != 0;
    }
    if (!run->method && run->duration == 0 && run->dt == 0 && run->contact_band == 0 && !chooses &&
        run->contact_capacity == 0 && run->shock_propagation == 0 && run->directions == 0)
        return;
    put(w, ",\n  \"run\": {");
    if (run->duration != 0) {
        key_number(w, "duration", run->duration, LIST_INDENT);
    }
    key_text(w, "method", run->method, LIST_INDENT);
    if (run->dt != 0) {
        key_number(w, "dt", run->dt, LIST_INDENT);
    }
    if (run->contact_band != 0) {
        key_number(w, "contact_band", run->contact_band, LIST_INDENT);
    }
    for (int i = 0; i < run_choice_count; i++) {
        int value = run_choice_get(&run_choices[i], run);
        if (value != 0) {
            key_text(w, run_choices[i].key, run_choices[i].names[value], LIST_INDENT);
        }
    }
    if (run->contact_capacity != 0) {
        key_number(w, "contact_capacity", run->contact_capacity, LIST_INDENT);
    }
    if (run->directions != 0) {
        key_number(w, "directions", run->directions, LIST_INDENT);
    }
    if (run->shock_propagation != 0) {
        key_number(w, "shock_propagation", run->shock_propagation, LIST_INDENT);
    }
    put(w, " }");
}

static void put_scene(Writer *w) {
    put(w, "{ \"impel\": 1");
    if (w->scene->about) {
        put(w, ", \"about\": ");
        put_string(w, w->scene->about);
    }
    if (w->scene->source) {
        put(w, ",\n  \"source\": ");
        put_string(w, w->scene->source);
    }
    put(w, ",\n  \"gravity\": ");
    put_vec(w, w->scene->gravity);
    put_materials(w);
    put_pairs(w);
    put_bodies(w);
    put_joints(w);
    put_run(w);
    put(w, " }\n");
    flush(w);
}

// --- the way in ----------------------------------------------------------------------------------
#if defined(__wasi__)
static bool same_folder(const char *a, const char *b) { return !strcmp(a, b); }
#else
static bool same_folder(const char *a, const char *b) {
    char *x = realpath(a, NULL);
    char *y = realpath(b, NULL);
    bool same = x && y && !strcmp(x, y);
    free(x);
    free(y);
    return same;
}
#endif

static char *folder_of(Pool *pool, const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? pool_print(pool, "%.*s", (int)(slash - path) + 1, path) : pool_text(pool, ".");
}

static bool lies_beside(const impScene *scene, const char *path, bool *beside, impError *err) {
    Pool pool = { 0 };
    char *from = folder_of(&pool, scene->file ? scene->file : "");
    char *to = folder_of(&pool, path);
    bool ok = from && to;
    *beside = ok && same_folder(from, to);
    pool_free(&pool);
    return ok || fail_memory(err);
}

// A file that cannot be loaded would be no help. Warnings are none of its business, however strict
// the scene is.
static bool builds(const impScene *scene, impError *err) {
    impScene plain = *scene;
    plain.strict = false;
    impModel *model = impModel_Build(&plain, err);
    impModel_Free(model);
    return model != NULL;
}

// With the points of all its meshes, so that it needs nothing beside it.
char *scene_text(const impScene *scene, size_t *size, impError *err) {
    Writer w = { .scene = scene, .err = err, .ok = true };
    put_scene(&w);
    *size = w.used;
    if (w.ok) return w.text;
    free(w.text);
    return NULL;
}

bool impScene_Save(const impScene *scene, const char *path, impError *err) {
    impError own;
    if (!err) {
        err = &own;
    }
    memset(err, 0, sizeof *err);
    if (!scene || !path)
        return fail_as(err, IMP_BAD_CALL, (Where){ NULL, 0, 0 },
                       "impScene_Save: argument %s is NULL; it must be given",
                       scene ? "path" : "scene");
    Writer w = { .scene = scene, .err = err, .ok = true };
    if (!builds(scene, err) || !lies_beside(scene, path, &w.beside, err)) return false;
    w.out = output_open(path, true, err);
    if (!w.out) return false;
    put_scene(&w);
    free(w.text);
    if (w.ok) return output_commit(w.out, err);
    output_abandon(w.out);
    return false;
}
