// mesh.c -- a surface of triangles from a file: read, scaled, welded, checked, measured.
//
// The format is told by the name's ending; without one (standard input) by the contents. What is
// repaired on the way (triangles dropped, a surface turned outside out) is counted in the report
// and never printed. What cannot be meant is refused: coordinates that are no numbers or beyond 1e7
// m after scaling, a mesh smaller than 1e-7 m, one without any triangle that has an area. Holes and
// crowded edges are reported, not refused: they matter to a solid, not to a floor or to a hull.
//
// SPDX-License-Identifier: MIT
#include "io/mesh_files.h"
#include "io/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct impMesh {
    Pool pool;
    Surface surface;
    impMeshReport report;
    int32_t *faces;  // in impShapeDef's coding, once they were asked for
    const char *warning[3];
    int warning_count;
};

// solids that a warning names
enum { NAMED = 3 };

// --- Triangles -----------------------------------------------------------------------------------

// doubled, within the limit
static int room_for(const Triangles *t, int count) {
    int room = t->room < 1024 ? 1024 : t->room <= INT_MAX / 2 ? 2 * t->room : INT_MAX;
    if (room > t->limit) {
        room = t->limit;
    }
    return room > count ? room : count;
}

bool io_triangles_reserve(Triangles *out, int more, Where at, impError *err) {
    if (more > out->limit - out->count) {
        return fail_as(err, IMP_AT_LIMIT, at, "more than %d triangles (max_triangles)", out->limit);
    }
    if (more <= out->room - out->count) return true;
    int room = more > 1 ? out->count + more : room_for(out, out->count + more);
    if ((size_t)room > SIZE_MAX / (9 * sizeof *out->corner)) return fail_memory(err);
    double *corner = realloc(out->corner, 9 * sizeof *corner * (size_t)room);
    if (!corner) return fail_memory(err);
    out->corner = corner;
    out->room = room;
    return true;
}

bool io_triangles_add(Triangles *out, impVec3 a, impVec3 b, impVec3 c, Where at, impError *err) {
    if (out->count == out->room && !io_triangles_reserve(out, 1, at, err)) return false;
    double *to = out->corner + 9 * (size_t)out->count++;
    to[0] = a.x;
    to[1] = a.y;
    to[2] = a.z;
    to[3] = b.x;
    to[4] = b.y;
    to[5] = b.z;
    to[6] = c.x;
    to[7] = c.y;
    to[8] = c.z;
    return true;
}

// Names without strange bytes, cut between two characters.
void io_triangles_name(Triangles *out, const char *name, size_t length) {
    if (out->name_count == MESH_NAMES) return;
    SolidName *to = &out->name[out->name_count++];
    to->first = out->count;
    size_t most = sizeof to->text - 1;
    size_t count = length < most ? length : most;
    while (count > 0 && count < length && ((unsigned char)name[count] & 0xC0) == 0x80) {
        count--;
    }
    memcpy(to->text, name, count);
    to->text[count] = 0;
    for (size_t i = 0; i < count; i++) {
        if ((unsigned char)to->text[i] < ' ' || to->text[i] == 127) {
            to->text[i] = '?';
        }
    }
    if (!text_is_utf8(to->text)) {
        to->text[0] = 0;
    }
}

void io_triangles_free(Triangles *out) {
    free(out->corner);
    *out = (Triangles){ 0 };
}

Word io_word_at(const Cursor *c) {
    Word word;
    if (c->at >= c->end) return (Word){ "the end of the file" };
    int length = 0;
    while (length < 20 && c->at + length < c->end && c->at[length] > ' ' && c->at[length] < 127) {
        length++;
    }
    if (length == 0 && (*c->at == '\n' || *c->at == '\r')) return (Word){ "the end of the line" };
    if (length == 0) return (Word){ "a strange character" };
    print_text(word.text, sizeof word.text, "\"%.*s\"", length, c->at);
    return word;
}

// --- Which format --------------------------------------------------------------------------------

typedef struct MeshFormat {
    const char *ending;
    MeshReader read;
} MeshFormat;
static const MeshFormat formats[] = { { ".stl", io_stl_read }, { ".obj", io_obj_read } };

// of names: without case
static bool same_ending(const char *a, const char *b) {
    for (; *a && *b; a++, b++) {
        char small = *a >= 'A' && *a <= 'Z' ? (char)(*a - 'A' + 'a') : *a;
        if (small != *b) return false;
    }
    return *a == *b;
}

// "": none
static const char *ending_of(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    return dot ? dot : "";
}

static MeshReader reader_by_name(const char *path, impError *err) {
    for (int i = 0; i < COUNT(formats); i++) {
        if (same_ending(ending_of(path), formats[i].ending)) return formats[i].read;
    }
    fail(err, (Where){ path, 0, 0 },
         "mesh files ending in \"%s\" cannot be read; .stl and .obj can", ending_of(path));
    return NULL;
}

static MeshReader reader_by_contents(const char *bytes, size_t size) {
    bool solid = size >= 5 && memcmp(bytes, "solid", 5) == 0;
    return solid || io_stl_is_binary(bytes, size) ? io_stl_read : io_obj_read;
}

// --- The way in ----------------------------------------------------------------------------------

static bool read_triangles(Triangles *out, const char *path, const impLoadDef *def, impError *err) {
    char *bytes;
    size_t size;
    size_t limit = def->max_file_bytes ? def->max_file_bytes : (size_t)1 << 30;
    bool named = ending_of(path)[0] != 0;
    MeshReader read = named ? reader_by_name(path, err) : NULL;
    if (named && !read) return false;
    if (!file_read(path, limit, &bytes, &size, err)) return false;
    if (!read) {
        read = reader_by_contents(bytes, size);
    }
    bool good = read(out, bytes, size, path, err);
    free(bytes);
    return good;
}

static bool scale_triangle(double *corner, int i, double by, const char *path, impError *err) {
    bool good = true;
    for (int k = 0; k < 9; k++) {
        corner[k] *= by;
        if (!(fabs(corner[k]) <= 1e7)) {
            good = false;
        }
    }
    if (good) return true;
    Where at = { path, 0, 0 };
    return fail(err, at,
                "triangle %d: its corners must lie within 1e7 m of the origin; [%s, %s, %s] m", i,
                show(corner[0]).text, show(corner[1]).text, show(corner[2]).text);
}

static bool scale_triangles(Triangles *t, double by, const char *path, impError *err) {
    bool good = true;
    for (int i = 0; i < t->count; i++) {
        if (!scale_triangle(t->corner + 9 * (size_t)i, i, by, path, err)) {
            good = false;
        }
    }
    return good;
}

static bool say_all_flat(const Surface *s, const char *path, impError *err) {
    char list[80] = "";
    size_t length = 0;
    for (int i = 0; i < s->dropped && i < COUNT(s->first_dropped); i++) {
        length += print_text(list + length, sizeof list - length, "%s%d", i ? ", " : "",
                             s->first_dropped[i]);
    }
    return fail(err, (Where){ path, 0, 0 }, "none of its %d triangles has an area (%s%s)",
                s->dropped, list, s->dropped > COUNT(s->first_dropped) ? ", ..." : "");
}

static bool check_surface(const Surface *s, const char *path, impError *err) {
    if (s->triangle_count == 0 && s->dropped > 0) return say_all_flat(s, path, err);
    if (s->triangle_count == 0)
        return fail(err, (Where){ path, 0, 0 }, "the mesh has no triangles");
    impVec3 low = s->vertex[0];
    impVec3 high = low;
    for (int v = 1; v < s->vertex_count; v++) {
        low = lower(low, s->vertex[v]);
        high = upper(high, s->vertex[v]);
    }
    double extent = largest(sub(high, low));
    if (extent >= 1e-7) return true;
    return fail(err, (Where){ path, 0, 0 }, "the mesh is %s m across; it must be at least 1e-7 m",
                show(extent).text);
}

static void put_matrix(double to[3][3], Mat3 m) {
    const impVec3 row[3] = { m.x, m.y, m.z };
    for (int i = 0; i < 3; i++) {
        to[i][0] = row[i].x;
        to[i][1] = row[i].y;
        to[i][2] = row[i].z;
    }
}

static impMeshReport report_of(const Surface *s) {
    impMeshReport r = { .vertices = s->vertex_count,
                        .triangles = s->triangle_count,
                        .dropped = s->dropped,
                        .open_edges = s->open_edges,
                        .crowded_edges = s->crowded_edges,
                        .shells = s->shells,
                        .closed = s->closed,
                        .flipped = s->flipped,
                        .volume = s->solid.volume,
                        .area = s->area,
                        .center = s->solid.center,
                        .low = s->vertex[0],
                        .high = s->vertex[0] };
    for (int v = 1; v < s->vertex_count; v++) {
        r.low = lower(r.low, s->vertex[v]);
        r.high = upper(r.high, s->vertex[v]);
    }
    put_matrix(r.inertia, s->solid.inertia);
    return r;
}

// --- What a user should know ---------------------------------------------------------------------

static bool warn(impMesh *mesh, const char *text, impError *err) {
    char *kept = pool_text(&mesh->pool, text);
    if (!kept) return fail_memory(err);
    mesh->warning[mesh->warning_count++] = kept;
    return true;
}

// Four digits, of a length in mm.
static Shown short_mm(double metres) {
    double mm = 1e3 * metres;
    double by = 1;
    while (fabs(mm) * by < 1000 && by < 1e12) {
        by *= 10;
    }
    return show(mm == 0 ? 0 : floor(mm * by + 0.5) / by);
}

// "": none
static const char *name_of(const Triangles *t, int triangle) {
    const char *found = "";
    for (int i = 0; i < t->name_count && t->name[i].first <= triangle; i++) {
        found = t->name[i].text;
    }
    return t->name_count == MESH_NAMES && triangle >= t->name[MESH_NAMES - 1].first ? "" : found;
}

static size_t put_solid(char *out, size_t size, const Shell *shell, const char *name, int number) {
    impVec3 extent = sub(shell->high, shell->low);
    impVec3 middle = madd(shell->low, 0.5, extent);
    size_t used = 0;
    if (name[0]) {
        used += print_text(out, size, "'%s'", name);
    } else {
        used += print_text(out, size, "solid %d", number);
    }
    return used + print_text(out + used, size - used, "%s (%s x %s x %s mm, middle at %s %s %s)",
                             shell->volume < 0 ? ", inside out," : "", short_mm(extent.x).text,
                             short_mm(extent.y).text, short_mm(extent.z).text,
                             short_mm(middle.x).text, short_mm(middle.y).text,
                             short_mm(middle.z).text);
}

// Two shells of one "solid NAME" are told apart by their numbers.
static bool is_shared(const Triangles *t, const Surface *s, const Shell *shell, int count,
                      int which) {
    const char *name = name_of(t, s->origin[shell[which].first]);
    for (int i = 0; i < count; i++) {
        if (i == which || shell[i].cavity) continue;
        if (strcmp(name_of(t, s->origin[shell[i].first]), name) == 0) return true;
    }
    return false;
}

static bool warn_of_solids(impMesh *mesh, const Triangles *t, impError *err) {
    Pool scratch = { 0 };
    Shell *shell;
    int count = 0, told = 0;
    const Surface *s = &mesh->surface;
    char text[640];
    bool good = shape_shells(s, &scratch, &shell, &count, err);
    for (int i = 0; i < count; i++) {
        mesh->report.solids += !shell[i].cavity;
    }
    size_t used = print_text(
        text, sizeof text,
        "the mesh holds %d solids that are not connected; they move as one body: ",
        mesh->report.solids);
    for (int i = 0; good && i < count && told < NAMED; i++) {
        if (shell[i].cavity) continue;
        const char *name = is_shared(t, s, shell, count, i) ? ""
                                                            : name_of(t, s->origin[shell[i].first]);
        used += print_text(text + used, sizeof text - used, "%s", told ? ", " : "");
        used += put_solid(text + used, sizeof text - used, &shell[i], name, ++told);
    }
    int more = mesh->report.solids - told;
    if (more > 0) {
        print_text(text + used, sizeof text - used, " and %d more", more);
    }
    pool_free(&scratch);
    return good && (mesh->report.solids < 2 || warn(mesh, text, err));
}

static bool warn_of_all(impMesh *mesh, const Triangles *t, impError *err) {
    const impMeshReport *r = &mesh->report;
    char text[80];
    print_text(text, sizeof text, "triangles of no area were dropped: %d", r->dropped);
    if (r->flipped && !warn(mesh, "the mesh was inside out; it was turned", err)) return false;
    if (r->dropped && !warn(mesh, text, err)) return false;
    mesh->report.solids = r->closed && r->shells < 2;
    return r->shells < 2 || warn_of_solids(mesh, t, err);
}

int impMesh_WarningCount(const impMesh *mesh) { return mesh ? mesh->warning_count : 0; }
const char *impMesh_Warning(const impMesh *mesh, int i) {
    return mesh && i >= 0 && i < mesh->warning_count ? mesh->warning[i] : "";
}

static bool load(impMesh *mesh, const char *path, double by, const impLoadDef *def, impError *err) {
    Triangles t = { .limit = def->max_triangles > 0 ? def->max_triangles : 10000000 };
    bool good = read_triangles(&t, path, def, err) && scale_triangles(&t, by, path, err) &&
                shape_weld(&mesh->surface, &mesh->pool, t.corner, t.count, err) &&
                check_surface(&mesh->surface, path, err);
    if (good) {
        mesh->report = report_of(&mesh->surface);
    }
    good = good && warn_of_all(mesh, &t, err);
    io_triangles_free(&t);
    return good;
}

impMesh *io_mesh_load(const char *path, double scale_by, const impLoadDef *def, impError *err) {
    static const impLoadDef defaults;
    if (!path) {
        fail_as(err, IMP_BAD_CALL, (Where){ 0 }, "impMesh_Load: path is NULL");
        return NULL;
    }
    if (!(scale_by >= 0) || isinf(scale_by)) {
        fail_as(err, IMP_BAD_CALL, (Where){ 0 }, "impMesh_Load: scale %s; it must be positive",
                show(scale_by).text);
        return NULL;
    }
    impMesh *mesh = calloc(1, sizeof *mesh);
    if (!mesh) {
        fail_memory(err);
        return NULL;
    }
    if (load(mesh, path, scale_by > 0 ? scale_by : 1, def ? def : &defaults, err)) return mesh;
    impMesh_Free(mesh);
    return NULL;
}

impMesh *impMesh_Load(const char *path, double scale_by, const impLoadDef *def, impError *err) {
    if (err) {
        *err = (impError){ 0 };
    }
    return io_mesh_load(path, scale_by, def, err);
}

impMeshReport impMesh_Report(const impMesh *mesh) {
    return mesh ? mesh->report : (impMeshReport){ 0 };
}
const impVec3 *impMesh_Points(const impMesh *mesh) { return mesh ? mesh->surface.vertex : NULL; }
const int32_t *impMesh_Triangles(const impMesh *mesh) {
    return mesh ? mesh->surface.triangle : NULL;
}
const Surface *io_mesh_surface(const impMesh *mesh) { return &mesh->surface; }

// All of the surface, with the slivers that close it: welded again it gives the same.
bool io_mesh_shape(impMesh *mesh, impShapeDef *out, impError *err) {
    const Surface *s = &mesh->surface;
    size_t triangles = (size_t)s->triangle_count + (size_t)s->sliver_count;
    if (triangles > INT_MAX / 4)
        return fail_as(err, IMP_AT_LIMIT, (Where){ 0 }, "%zu triangles are too many", triangles);
    if (!mesh->faces) {
        mesh->faces = POOL_TAKE(&mesh->pool, int32_t, 4 * triangles);
    }
    if (!mesh->faces) return fail_memory(err);
    for (size_t i = 0; i < triangles; i++) {
        mesh->faces[4 * i] = 3;
        memcpy(mesh->faces + 4 * i + 1, s->triangle + 3 * i, 3 * sizeof *mesh->faces);
    }
    *out = (impShapeDef){ .kind = "mesh",
                          .points = s->vertex,
                          .point_count = s->vertex_count + s->sliver_vertices,
                          .faces = mesh->faces,
                          .face_ints = (int)(4 * triangles) };
    return true;
}

bool impMesh_Shape(impMesh *mesh, impShapeDef *out, impError *err) {
    if (err) {
        *err = (impError){ 0 };
    }
    if (!mesh || !out) {
        return fail_as(err, IMP_BAD_CALL, (Where){ 0 },
                       "impMesh_Shape: argument %s is NULL; it must be given",
                       mesh ? "out" : "mesh");
    }
    return io_mesh_shape(mesh, out, err);
}

void impMesh_Free(impMesh *mesh) {
    if (!mesh) return;
    pool_free(&mesh->pool);
    free(mesh);
}
