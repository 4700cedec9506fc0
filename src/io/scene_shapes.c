// scene_shapes.c -- the "shape" of a body in a scene file: one, or a list that makes a compound.
//
// Measures are read by the table of kinds, so a new kind needs no line here. Hulls bring points,
// meshes a file, which must lie in the folder of the scene or below unless the caller allows more:
// a scene from a stranger must not read the disk.
//
// SPDX-License-Identifier: MIT
#define _XOPEN_SOURCE 700  // realpath
#include "io/mesh_files.h"
#include "io/scene_files.h"

#include <stdlib.h>
#include <string.h>

// --- points and faces ----------------------------------------------------------------------------
static bool read_points(Reader *r, const JsonNode *node, const char *who, impShapeDef *def) {
    if (!node || !json_check_kind(r->doc, node, who, "points", JSON_ARRAY, r->err)) return false;
    impVec3 *points = POOL_TAKE(&r->pool, impVec3, node->count + 1);
    int i = 0;
    bool ok = true;
    if (!points) return fail_memory(r->err);
    for (const JsonNode *p = json_first(node); p; p = json_next(p), i++) {
        ok = json_get_vec3(r->doc, p, who, "a point", &points[i], r->err) && ok;
    }
    def->points = points;
    def->point_count = i;
    return ok;
}

static bool read_faces(Reader *r, const JsonNode *node, const char *who, impShapeDef *def) {
    size_t ints = 0;
    bool ok = true;
    if (!node) return true;
    if (!json_check_kind(r->doc, node, who, "faces", JSON_ARRAY, r->err)) return false;
    if (!node->count)
        return fail(r->err, read_where(r, node), "%s: faces is an empty list; leave it out", who);
    for (const JsonNode *f = json_first(node); f; f = json_next(f)) {
        if (!json_check_kind(r->doc, f, who, "a face", JSON_ARRAY, r->err)) {
            return false;
        } else {
            ints += 1 + (size_t)f->count;
        }
    }
    int32_t *faces = POOL_TAKE(&r->pool, int32_t, ints + 1);
    int used = 0;
    if (!faces) return fail_memory(r->err);
    for (const JsonNode *f = json_first(node); f; f = json_next(f)) {
        faces[used++] = f->count;
        for (const JsonNode *v = json_first(f); v; v = json_next(v)) {
            int64_t index = 0;
            ok = json_get_int(r->doc, v, who, "an index of a face", 0, def->point_count - 1, &index,
                              r->err) &&
                 ok;
            faces[used++] = (int32_t)index;
        }
    }
    def->faces = faces;
    def->face_ints = used;
    return ok;
}

// A rounding that is written down is one: sharp edges are what is left out.
static bool read_radius(Reader *r, const JsonNode *node, const char *who, double *radius) {
    const JsonNode *given = json_find(node, "radius");
    if (!given) return true;
    if (!json_get_number(r->doc, given, who, "radius", radius, r->err)) return false;
    return *radius != 0 || fail(r->err, read_where(r, given),
                                "%s: radius 0 m; it must be positive, or left out", who);
}

static bool read_hull(Reader *r, const JsonNode *node, const char *who, SceneShape *s) {
    static const char *const keys[] = { "points", "faces", "radius" };
    bool ok = json_check_keys(r->doc, node, who, keys, COUNT(keys), r->err);
    const JsonNode *points = json_need(r->doc, node, who, "points", r->err);
    ok = read_radius(r, node, who, &s->def.radius) && ok;
    return read_points(r, points, who, &s->def) &&
           read_faces(r, json_find(node, "faces"), who, &s->def) && ok;
}

// --- mesh files ----------------------------------------------------------------------------------
static size_t folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

// Names that leave the folder by themselves; links that do are found by resolving both.
static bool stays_inside(const char *name) {
    bool drive = name[0] && name[1] == ':';
    bool scheme = strstr(name, "://") != NULL;
    if (name[0] == '/' || name[0] == '\\' || drive || scheme) return false;
    for (const char *p = name; p; p = strchr(p, '/'), p = p ? p + 1 : NULL) {
        if (p[0] == '.' && p[1] == '.' && (p[2] == '/' || !p[2])) return false;
    }
    return strchr(name, '\\') == NULL;
}

#if defined(__wasi__)
static bool resolves_inside(const char *folder, const char *path, char *resolved, size_t size) {
    // the sandbox resolves nothing outside
    (void)folder;
    (void)path;
    (void)resolved;
    (void)size;
    return true;
}
#else
static bool resolves_inside(const char *folder, const char *path, char *resolved, size_t size) {
    char *home = realpath(folder[0] ? folder : ".", NULL);
    char *real = realpath(path, NULL);
    // a file that is not there gets its own message
    bool inside = true;
    if (home && real) {
        size_t n = strlen(home);
        inside = !strncmp(home, real, n) && (real[n] == '/' || (n && home[n - 1] == '/'));
        print_text(resolved, size, "%s", real);
    }
    free(home);
    free(real);
    return inside;
}
#endif

static char *mesh_path(Reader *r, const JsonNode *node, const char *who, const char *name) {
    char resolved[200] = "";
    size_t n = folder_length(r->scene->file);
    bool own = name[0] == '/' && r->limits.allow_path;
    char *path = pool_print(&r->pool, "%.*s%s", own ? 0 : (int)n, r->scene->file, name);
    char *folder = pool_print(&r->pool, "%.*s", (int)n, r->scene->file);
    if (!path || !folder) {
        fail_memory(r->err);
        return NULL;
    }
    if (r->limits.allow_path) return path;
    print_text(resolved, sizeof resolved, "%s", name);
    if (stays_inside(name) && resolves_inside(folder, path, resolved, sizeof resolved)) return path;
    fail(r->err, read_where(r, node),
         "%s: file \"%s\" lies outside the folder of the scene; allow it with --allow-path", who,
         resolved);
    return NULL;
}

static bool warn_mesh(Reader *r, const JsonNode *node, const char *who, const impMesh *mesh) {
    bool ok = true;
    for (int i = 0; i < impMesh_WarningCount(mesh); i++) {
        ok = scene_warn(r->scene, r->err, read_where(r, node), "%s: %s", who,
                        impMesh_Warning(mesh, i)) &&
             ok;
    }
    return ok;
}

static bool copy_mesh(Reader *r, impMesh *mesh, impShapeDef *def) {
    impShapeDef all;
    if (!io_mesh_shape(mesh, &all, r->err)) return false;
    impVec3 *points = POOL_TAKE(&r->pool, impVec3, all.point_count + 1);
    int32_t *faces = POOL_TAKE(&r->pool, int32_t, (size_t)all.face_ints + 1);
    if (!points || !faces) return fail_memory(r->err);
    memcpy(points, all.points, (size_t)all.point_count * sizeof *points);
    memcpy(faces, all.faces, (size_t)all.face_ints * sizeof *faces);
    def->points = points;
    def->point_count = all.point_count;
    def->faces = faces;
    def->face_ints = all.face_ints;
    return true;
}

static bool check_triangles(Reader *r, const JsonNode *node, const char *who, int more) {
    if (more <= r->limits.max_triangles - r->triangles) return true;
    return fail_as(r->err, IMP_AT_LIMIT, read_where(r, node),
                   "%s: the meshes of the scene have more than %d triangles; "
                   "the limit is --max-triangles",
                   who, r->limits.max_triangles);
}

// What is wrong in a line of a mesh is told with its place there, the rest with the place of its
// name in the scene.
static bool pass_on(Reader *r, const JsonNode *node, const char *who, const impError *own) {
    for (int i = 0; i < own->count && i < IMP_MESSAGES; i++) {
        const impMessage *m = &own->message[i];
        impFault fault = own->fault == IMP_BAD_FILE ? IMP_BAD_INPUT : own->fault;
        if (m->line) {
            fail_as(r->err, fault, (Where){ m->file, m->line, m->column }, "%s: %s", who, m->text);
        } else {
            fail_as(r->err, fault, read_where(r, node), "%s: %s%s%s", who, m->file,
                    m->file[0] ? ": " : "", m->text);
        }
    }
    return false;
}

static bool load_mesh(Reader *r, const JsonNode *node, const char *who, const char *path,
                      SceneShape *s) {
    impLoadDef limits = r->limits;
    if (!r->mesh_err) {
        r->mesh_err = POOL_TAKE(&r->pool, impError, 1);
    }
    if (!r->mesh_err) return fail_memory(r->err);
    limits.max_triangles -= r->triangles;
    if (!check_triangles(r, node, who, 1)) return false;
    impMesh *mesh = impMesh_Load(path, s->file_scale, &limits, r->mesh_err);
    if (!mesh) return pass_on(r, node, who, r->mesh_err);
    r->triangles += impMesh_Report(mesh).triangles;
    bool ok = warn_mesh(r, node, who, mesh) && copy_mesh(r, mesh, &s->def);
    impMesh_Free(mesh);
    return ok;
}

// Hull or surface? What moves touches by its hull, unless something else is said.
static bool read_way(Reader *r, const JsonNode *node, const char *who, bool moves,
                     impShapeDef *def) {
    static const char *const ways[] = { "hull", "triangles" };
    int way = moves ? 0 : 1;
    if (!json_get_choice(r->doc, json_find(node, "as"), who, "as", ways, COUNT(ways), &way, r->err))
        return false;
    def->as_hull = way == 0;
    return true;
}

// Triangles written down in the scene itself, as impScene_Save does when there is no file to name.
static bool read_triangles(Reader *r, const JsonNode *node, const char *who, SceneShape *s,
                           bool moves) {
    static const char *const keys[] = { "points", "faces", "as" };
    bool ok = json_check_keys(r->doc, node, who, keys, COUNT(keys), r->err);
    const JsonNode *points = json_need(r->doc, node, who, "points", r->err);
    const JsonNode *faces = json_need(r->doc, node, who, "faces", r->err);
    ok = read_way(r, node, who, moves, &s->def) && ok;
    ok = faces && read_points(r, points, who, &s->def) && read_faces(r, faces, who, &s->def) && ok;
    if (!ok || !check_triangles(r, node, who, faces->count)) return false;
    r->triangles += faces->count;
    return true;
}

static bool read_mesh(Reader *r, const JsonNode *node, const char *who, SceneShape *s, bool moves) {
    static const char *const keys[] = { "file", "scale", "as" };
    const char *name = NULL;
    if (json_find(node, "points") && !json_find(node, "file"))
        return read_triangles(r, node, who, s, moves);
    bool ok = json_check_keys(r->doc, node, who, keys, COUNT(keys), r->err);
    const JsonNode *file = json_need(r->doc, node, who, "file", r->err);
    const JsonNode *scale = json_find(node, "scale");
    ok = file && json_get_text(r->doc, file, who, "file", &name, r->err) && ok;
    ok = json_get_number(r->doc, scale, who, "scale", &s->file_scale, r->err) && ok;
    ok = read_way(r, node, who, moves, &s->def) && ok;
    if (scale && scale->kind == JSON_NUMBER && !(s->file_scale > 0)) {
        ok = fail(r->err, read_where(r, scale), "%s: scale %s; it must be positive", who,
                  show(s->file_scale).text);
    }
    if (!ok) return false;
    char *path = mesh_path(r, file, who, name);
    s->file = pool_text(&r->scene->pool, name);
    return path && s->file && load_mesh(r, file, who, path, s);
}

// --- one shape -----------------------------------------------------------------------------------
static bool read_measures(Reader *r, const JsonNode *node, const char *who, const ShapeKind *kind,
                          impShapeDef *def) {
    const char *keys[COUNT(kind->measures) + 1];
    double *size = def->size;
    int count = 0, used = 0;
    bool ok = true;
    for (int i = 0; i < COUNT(kind->measures) && kind->measures[i].name; i++) {
        keys[count++] = kind->measures[i].name;
    }
    if (kind->rounds) {
        keys[count] = "radius";
        ok = read_radius(r, node, who, &def->radius);
    }
    ok = json_check_keys(r->doc, node, who, keys, count + kind->rounds, r->err) && ok;
    for (int i = 0; i < count; i++) {
        const JsonNode *m = json_find(node, keys[i]);
        bool may_lack = !strcmp(keys[i], "offset");
        if (!m && !may_lack) {
            ok = json_need(r->doc, node, who, keys[i], r->err) && ok;
        }
        if (kind->measures[i].count == 1) {
            ok = json_get_number(r->doc, m, who, keys[i], &size[used], r->err) && ok;
        } else {
            ok = json_get_numbers(r->doc, m, who, keys[i], kind->measures[i].count, &size[used],
                                  r->err) &&
                 ok;
        }
        used += kind->measures[i].count;
    }
    return ok;
}

static const JsonNode *kind_of(Reader *r, const JsonNode *node, const char *who, int *kind) {
    const JsonNode *found = NULL;
    for (const JsonNode *m = json_first(node); m; m = json_next(m)) {
        int k = shape_find(json_key(m));
        if (k < 0) continue;
        if (found) {
            fail(r->err, read_where(r, m),
                 "%s: a shape that is both %s and %s; a compound is a list", who, json_key(found),
                 json_key(m));
            return NULL;
        }
        found = m;
        *kind = k;
    }
    if (!found) {
        fail(r->err, read_where(r, node),
             "%s: a shape of no kind; it must be one of 'impel list shapes'", who);
    }
    return found;
}

static bool check_shape_keys(Reader *r, const JsonNode *node, const char *who) {
    const char *keys[40];
    int count = 0;
    for (int i = 0; i < shape_kind_count && count < COUNT(keys) - 3; i++) {
        keys[count++] = shape_kinds[i].name;
    }
    keys[count++] = "position";
    keys[count++] = "orientation";
    keys[count++] = "material";
    return json_check_keys(r->doc, node, who, keys, count, r->err);
}

static bool read_shape(Reader *r, const JsonNode *node, const char *who, bool moves,
                       SceneShape *s) {
    int kind = 0;
    double q[4] = { 0 };
    char own[240];
    const JsonNode *material = json_find(node, "material");
    *s = (SceneShape){ .at = read_where(r, node),
                       .material_at = read_where(r, material ? material : node),
                       .file_scale = 1 };
    if (!json_check_kind(r->doc, node, who, "shape", JSON_OBJECT, r->err)) return false;
    if (!check_shape_keys(r, node, who)) return false;
    const JsonNode *body = kind_of(r, node, who, &kind);
    if (!body || !json_check_kind(r->doc, body, who, json_key(body), JSON_OBJECT, r->err))
        return false;
    s->at = read_where(r, body);
    s->def.kind = shape_kinds[kind].name;
    print_text(own, sizeof own, "%s: %s", who, s->def.kind);
    bool ok = json_get_vec3(r->doc, json_find(node, "position"), who, "position", &s->def.pose.at,
                            r->err);
    const JsonNode *rotation = json_find(node, "orientation");
    ok = json_get_numbers(r->doc, rotation, who, "orientation", 4, q, r->err) && ok;
    if (rotation && ok && q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0) {
        ok = fail(r->err, read_where(r, rotation),
                  "%s: orientation [0, 0, 0, 0]; it must be a unit quaternion", own);
    }
    s->def.pose.rotation = quat(q[0], q[1], q[2], q[3]);
    ok = json_get_text(r->doc, material, who, "material", &s->def.material, r->err) && ok;
    if (!strcmp(s->def.kind, "hull")) return read_hull(r, body, own, s) && ok;
    if (!strcmp(s->def.kind, "mesh")) return read_mesh(r, body, own, s, moves) && ok;
    return read_measures(r, body, own, &shape_kinds[kind], &s->def) && ok;
}

// Shapes go into the scene through its own copying, so that what they point at may go with the
// document.
bool read_shapes(Reader *r, const JsonNode *node, const char *who, bool moves) {
    if (!node) return true;
    bool list = node->kind == JSON_ARRAY;
    bool ok = true;
    int count = list ? node->count : 1;
    int i = 0;
    SceneShape *shapes = POOL_TAKE(&r->pool, SceneShape, count + 1);
    if (!shapes) return fail_memory(r->err);
    if (list && !count)
        return fail(r->err, read_where(r, node), "%s: an empty list of shapes; leave it out", who);
    for (const JsonNode *s = list ? json_first(node) : node; s && i < count;
         s = list ? json_next(s) : NULL, i++) {
        ok = read_shape(r, s, who, moves, &shapes[i]) && ok;
    }
    if (!ok) return false;
    return scene_set_shapes(r->scene, r->scene->body_count - 1, shapes, count, r->err);
}
