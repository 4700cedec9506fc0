// poses_page.c -- the page of a drop test: viewer/README.md, "The page of a drop test", is the
// contract.
//
// The part is drawn as it is, by the triangles of its file or of its shapes; what it rests on are
// faces of its hull. Examples are runs as in other pages; what they share, bodies and shapes, is
// said once.
//
// SPDX-License-Identifier: MIT
#include "page.h"
#include "poses_page.h"
#include "solid_mesh.h"

#include <math.h>
#include <stdlib.h>

// of a page
enum { MOST_TRIANGLES = 300000 };

#if defined(IMPEL_PAGE)
extern const unsigned char poses_template[];
extern const unsigned long poses_template_size;
#else
static const unsigned char poses_template[] = "";
static const unsigned long poses_template_size = 0;
#endif

typedef struct Page {
    Cli *cli;
    const PosesResult *result;
    const PosesShown *shown;
    int samples;
    PageBlob data, *run;     // run: of each example
    PosesClass *class;       // a card each
    int classes, *class_of;  // by family
    size_t triangles;
    bool hull_drawn;  // instead of too many triangles
} Page;

// --- the part ------------------------------------------------------------------------------------
typedef struct Skin {
    Bytes point, normal, corner;
    uint32_t points;
    size_t triangles;
} Skin;

static void put_vector(Bytes *to, impVec3 v) {
    float f[3] = { (float)v.x, (float)v.y, (float)v.z };
    cli_bytes(to, f, sizeof f);
}

static impVec3 rotated(impQuat q, const float *v) {
    impQuat p = cli_product(
        cli_product(q, (impQuat){ 0, (double)v[0], (double)v[1], (double)v[2] }),
        (impQuat){ q.w, -q.x, -q.y, -q.z });
    return (impVec3){ p.x, p.y, p.z };
}

// pose: of the shape in its body
static void add_solid(Skin *skin, const SolidMesh *m, impPose pose) {
    for (size_t i = 0; i < m->vertex_count; i++) {
        impVec3 p = rotated(pose.rotation, m->point + 3 * i);
        put_vector(&skin->point, (impVec3){ pose.at.x + p.x, pose.at.y + p.y, pose.at.z + p.z });
        put_vector(&skin->normal, rotated(pose.rotation, m->normal + 3 * i));
    }
    for (size_t i = 0; i < 3 * m->triangle_count; i++) {
        uint32_t corner = skin->points + m->corner[i];
        cli_bytes(&skin->corner, &corner, sizeof corner);
    }
    skin->points += (uint32_t)m->vertex_count;
    skin->triangles += m->triangle_count;
}

static impVec3 minus(impVec3 a, impVec3 b) { return (impVec3){ a.x - b.x, a.y - b.y, a.z - b.z }; }

static impVec3 normal_of(impVec3 a, impVec3 b, impVec3 c) {
    impVec3 u = minus(b, a);
    impVec3 v = minus(c, a);
    impVec3 n = { u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x };
    double length = sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
    return length > 0 ? (impVec3){ n.x / length, n.y / length, n.z / length }
                      : (impVec3){ 0, 0, 1 };
}

static void add_flat(Skin *skin, impVec3 a, impVec3 b, impVec3 c) {
    impVec3 at[3] = { a, b, c };
    impVec3 normal = normal_of(a, b, c);
    for (int i = 0; i < 3; i++, skin->points++) {
        put_vector(&skin->point, at[i]);
        put_vector(&skin->normal, normal);
        cli_bytes(&skin->corner, &skin->points, sizeof skin->points);
    }
    skin->triangles++;
}

// The body of a mesh touches by its hull: what it looks like is in its file.
static bool add_file(Skin *skin, Cli *cli, const char *path) {
    impLoadDef def = cli_load_def(&cli->opt);
    impMesh *mesh = impMesh_Load(path, cli->opt.scale > 0 ? cli->opt.scale : 1, &def, &cli->err);
    if (!mesh) return false;
    const impVec3 *at = impMesh_Points(mesh);
    const int32_t *corner = impMesh_Triangles(mesh);
    for (int i = 0; i < impMesh_Report(mesh).triangles; i++, corner += 3) {
        add_flat(skin, at[corner[0]], at[corner[1]], at[corner[2]]);
    }
    impMesh_Free(mesh);
    return true;
}

static bool add_shapes(Skin *skin, const PosesPart *part) {
    for (int i = 0; i < impModel_ShapeCount(part->model, part->body); i++) {
        SolidMesh mesh;
        impShapeDef def;
        bool made = solid_mesh_make(&mesh, part->model, part->body, i, (SolidView){ .half = 1 });
        if (made && impModel_Shape(part->model, part->body, i, &def)) {
            add_solid(skin, &mesh, def.pose);
        }
        solid_mesh_free(&mesh);
        if (!made) return false;
    }
    return true;
}

static void add_hull(Skin *skin, const PosesPart *part) {
    const impVec3 *at = impPart_Corners(part->part);
    for (int f = 0, n; f < part->report.faces; f++) {
        const int32_t *corner = impPart_Face(part->part, f, &n);
        for (int k = 1; k + 1 < n; k++) {
            add_flat(skin, at[corner[0]], at[corner[k]], at[corner[k + 1]]);
        }
    }
}

static void free_skin(Skin *skin) {
    free(skin->point.at);
    free(skin->normal.at);
    free(skin->corner.at);
    *skin = (Skin){ 0 };
}

static bool pack_skin(Page *page, const PosesPart *part) {
    Skin skin = { 0 };
    bool file = cli_ends_with(part->path, ".stl") || cli_ends_with(part->path, ".obj");
    bool good = (file && add_file(&skin, page->cli, part->path)) || add_shapes(&skin, part);
    page->triangles = skin.triangles;
    if (good && skin.triangles > MOST_TRIANGLES) {
        page->hull_drawn = true;
        free_skin(&skin);
        add_hull(&skin, part);
    }
    good = good && !skin.point.broken && !skin.normal.broken && !skin.corner.broken;
    if (good) {
        cli_page_section(&page->data, "mesh_point", "f32", 4, skin.point.at,
                         3 * (size_t)skin.points);
        cli_page_section(&page->data, "mesh_normal", "f32", 4, skin.normal.at,
                         3 * (size_t)skin.points);
        cli_page_section(&page->data, "mesh_corner", "u32", 4, skin.corner.at, 3 * skin.triangles);
    }
    free_skin(&skin);
    return good;
}

static bool pack_hull(Page *page, const PosesPart *part) {
    Bytes point = { 0 }, face = { 0 };
    size_t words = 0;
    for (int i = 0; i < part->report.corners; i++) {
        put_vector(&point, impPart_Corners(part->part)[i]);
    }
    for (int f = 0, n; f < part->report.faces; f++) {
        const int32_t *corner = impPart_Face(part->part, f, &n);
        cli_bytes(&face, &n, sizeof n);
        cli_bytes(&face, corner, (size_t)n * sizeof *corner);
        words += 1 + (size_t)n;
    }
    bool good = !point.broken && !face.broken;
    if (good) {
        cli_page_section(&page->data, "hull_point", "f32", 4, point.at,
                         3 * (size_t)part->report.corners);
    }
    if (good) {
        cli_page_section(&page->data, "hull_face", "u32", 4, face.at, words);
    }
    free(point.at);
    free(face.at);
    return good;
}

// --- samples -------------------------------------------------------------------------------------
static int16_t rounded(double x) { return (int16_t)floor(32767 * fmax(-1, fmin(1, x)) + 0.5); }

static int card_of(const Page *page, int family) {
    return family >= 0 ? page->class_of[family] : family;
}

static bool pack_samples(Page *page, const PosesResult *r) {
    Bytes down = { 0 }, rest = { 0 };
    page->samples = r->samples;
    for (int i = 0; i < page->samples; i++) {
        const PosesSample *s = &r->sample[i];
        int16_t d[3] = { rounded(s->down.x), rounded(s->down.y), rounded(s->down.z) };
        int32_t card = card_of(page, s->family);
        cli_bytes(&down, d, sizeof d);
        cli_bytes(&rest, &card, sizeof card);
    }
    bool good = !down.broken && !rest.broken;
    if (good) {
        cli_page_section(&page->data, "down", "i16", 2, down.at, 3 * (size_t)page->samples);
    }
    if (good) {
        cli_page_section(&page->data, "rest", "i32", 4, rest.at, (size_t)page->samples);
    }
    free(down.at);
    free(rest.at);
    return good;
}

// --- words ---------------------------------------------------------------------------------------
static void say_hash(Json *j, const char *key, uint64_t hash) {
    char text[24];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    cli_json_text(j, key, text);
}

static void say_part(Json *j, const Page *page) {
    const PosesPart *part = page->result->part;
    const impPartReport *r = &part->report;
    cli_json_open(j, "part", '{');
    cli_json_text(j, "name", cli_file_of(part->path));
    cli_json_number(j, "mass", r->mass);
    cli_json_vec(j, "center", r->center);
    cli_json_vec(j, "low", r->low);
    cli_json_vec(j, "high", r->high);
    cli_json_number(j, "reach", r->bounding_radius);
    cli_json_count(j, "corners", r->corners);
    cli_json_count(j, "faces", r->faces);
    cli_json_count(j, "triangles", (int64_t)page->triangles);
    cli_json_number(j, "chord", r->chord);
    cli_json_number(j, "noise", r->noise);
    say_hash(j, "hash", part->hash);
    cli_json_close(j, '}');
}

static void say_drops(Json *j, const PosesResult *r) {
    const impDropDef *d = &r->def;
    char seed[24];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)d->seed);
    cli_json_open(j, "drops", '{');
    cli_json_count(j, "count", r->usual.drops);
    cli_json_count(j, "unresolved", r->usual.unresolved);
    cli_json_count(j, "failed", r->usual.failed);
    cli_json_count(j, "left", r->usual.left);
    cli_json_count(j, "rolled", r->usual.rolled);
    cli_json_bool(j, "interrupted", r->interrupted);
    cli_json_number(j, "join", r->part->report.join);
    cli_json_bool(j, "settled", r->settled);
    cli_json_bool(j, "fine", d->fine);
    cli_json_text(j, "law", cli_law(d->law));
    cli_json_text(j, "seed", seed);
    cli_json_number(j, "friction_static", d->friction_static);
    cli_json_number(j, "friction_dynamic", d->friction_dynamic);
    cli_json_number(j, "restitution", d->restitution);
    cli_json_number(j, "height", d->height);
    cli_json_number(j, "gravity", d->gravity);
    cli_json_vec(j, "velocity", d->velocity);
    cli_json_vec(j, "spin", d->spin);
    cli_json_number(j, "velocity_random", d->velocity_random);
    cli_json_number(j, "spin_random", d->spin_random);
    cli_json_number(j, "drag", d->drag);
    cli_json_count(j, "turns", d->orientations ? d->orientation_count : 0);
    cli_json_number(j, "wall", r->time.drops);
    cli_json_number(j, "cpu", r->cpu);
    say_hash(j, "hash", r->usual.hash);
    cli_json_close(j, '}');
}

// Poses of a card, or the faces they rest on.
static void say_members(Json *j, const Page *page, int card, bool faces) {
    const PosesPart *part = page->result->part;
    cli_json_open(j, faces ? "faces" : "poses", '[');
    for (int i = 0; i < part->rests; i++) {
        if (card_of(page, part->rest[i].family) == card) {
            cli_json_count(j, NULL, faces ? part->rest[i].face : i);
        }
    }
    cli_json_close(j, ']');
}

static void say_card(Json *j, const Page *page, int card) {
    const PosesResult *r = page->result;
    const PosesClass *class = &page->class[card];
    impRest rest = r->part->rest[class->pose];
    impShare share = impShare_Of(class->count, r->usual.drops);
    bool any = r->usual.drops > 0;
    cli_json_open(j, NULL, '{');
    cli_json_count(j, "id", class->pose);
    cli_json_count(j, "count", class->count);
    cli_json_number(j, "low", any ? share.low : (double)NAN);
    cli_json_number(j, "high", any ? share.high : (double)NAN);
    cli_json_number(j, "quasi_static", class->quasi_static);
    cli_json_vec(j, "normal", rest.normal);
    cli_json_number(j, "height", rest.height);
    cli_json_number(j, "margin", rest.margin);
    cli_json_number(j, "barrier", r->part->family[class->family].barrier);
    cli_json_list(
        j, "turn",
        (const double[]){ rest.rotation.w, rest.rotation.x, rest.rotation.y, rest.rotation.z }, 4);
    cli_json_count(j, "face", rest.face);
    cli_json_count(j, "families", class->families);
    say_members(j, page, card, false);
    say_members(j, page, card, true);
    cli_json_close(j, '}');
}

static void say_thinned(Json *j, const Page *page) {
    char text[160];
    cli_json_open(j, "thinned", '[');
    if (page->samples < page->result->usual.drops) {
        snprintf(text, sizeof text, "the sphere has the first %d of %lld drops", page->samples,
                 (long long)page->result->usual.drops);
        cli_json_text(j, NULL, text);
    }
    if (page->hull_drawn) {
        snprintf(text, sizeof text,
                 "the part is drawn as its hull: a page holds %d triangles, and it has %zu",
                 MOST_TRIANGLES, page->triangles);
        cli_json_text(j, NULL, text);
    }
    cli_json_close(j, ']');
}

static void say_examples(Json *j, const Page *page) {
    const PosesShown *shown = page->shown;
    cli_json_text(j, "command", shown->command);
    cli_json_count(j, "tried", shown->tried);
    cli_json_count(j, "agreed", shown->agreed);
    cli_json_open(j, "examples", '[');
    for (int i = 0; i < shown->count; i++) {
        const PosesExample *e = &shown->example[i];
        cli_json_open(j, NULL, '{');
        cli_json_count(j, "trial", e->trial);
        cli_json_count(j, "rest", card_of(page, e->family));
        cli_json_count(j, "certified", card_of(page, e->certified));
        if (shown->impacts[i] >= 0) {
            cli_json_count(j, "impacts", shown->impacts[i]);
        }
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
    cli_json_open(j, "model", '{');
    if (shown->count) {
        cli_page_json_model(j, shown->example[0].run);
    }
    cli_json_close(j, '}');
    cli_json_open(j, "runs", '[');
    for (int i = 0; i < shown->count; i++) {
        cli_json_open(j, NULL, '{');
        cli_page_json_run(j, shown->example[i].run, &page->run[i]);
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}

static void say_page(Json *j, const void *context) {
    const Page *page = context;
    const PosesResult *r = page->result;
    cli_page_begin(j, "impel-poses", cli_file_of(r->part->path));
    say_part(j, page);
    say_drops(j, r);
    cli_json_open(j, "warnings", '[');
    for (int i = 0; i < r->warning_count; i++) {
        cli_json_text(j, NULL, r->warnings[i]);
    }
    cli_json_close(j, ']');
    say_thinned(j, page);
    cli_json_open(j, "poses", '[');
    for (int i = 0; i < page->classes; i++) {
        say_card(j, page, i);
    }
    cli_json_close(j, ']');
    cli_page_json_sections(j, &page->data);
    say_examples(j, page);
    cli_json_close(j, '}');
}

// --- the page ------------------------------------------------------------------------------------
static bool pack_all(Page *page) {
    const PosesPart *part = page->result->part;
    bool good = pack_skin(page, part) && pack_hull(page, part) &&
                pack_samples(page, page->result) && !page->data.bytes.broken;
    for (int i = 0; i < page->shown->count && good; i++) {
        // the scene of a trial is generated
        page->shown->example[i].run->source.run.text = NULL;
        good = cli_page_pack(page->shown->example[i].run, &page->run[i]);
    }
    return good;
}

static bool put_page(FILE *out, void *context) {
    Page *page = context;
    char id[24];
    bool good = pack_all(page) && cli_page_words(out, say_page, page) &&
                cli_page_blob(out, "data", &page->data.bytes);
    for (int i = 0; i < page->shown->count && good; i++) {
        snprintf(id, sizeof id, "run%d", i);
        good = cli_page_blob(out, id, &page->run[i].bytes);
    }
    return good;
}

int cli_poses_page_write(Cli *cli, const char *path, const PosesResult *result,
                         const PosesShown *shown) {
    OutFile out;
    Page page = { .cli = cli, .result = result, .shown = shown };
    page.run = calloc((size_t)shown->count + 1, sizeof *page.run);
    page.class_of = malloc(((size_t)result->part->families + 1) * sizeof *page.class_of);
    if (page.class_of) {
        page.class = cli_poses_classes(result, &page.classes, page.class_of);
    }
    bool room = page.run && page.class;
    int code = !room                                      ? cli_fail(EXIT_LIMIT, "out of memory")
               : cli_out_open(&out, path, cli->opt.force) ? EXIT_OK
                                                          : EXIT_IO;
    if (code == EXIT_OK) {
        code = cli_page_fill(&out, (PageTemplate){ poses_template, poses_template_size }, put_page,
                             &page);
        if (code != EXIT_OK) {
            cli_out_abandon(&out);
        } else if (!cli_out_commit(&out)) {
            code = EXIT_IO;
        }
    }
    for (int i = 0; i < shown->count && page.run; i++) {
        free(page.run[i].bytes.at);
    }
    free(page.run);
    free(page.data.bytes.at);
    free(page.class);
    free(page.class_of);
    return code;
}
