// glb_write.c -- binary glTF 2.0: a header, the scene as JSON, and the numbers.
//
// Node i is body i; the world is the root and turns z up into glTF's y up. A body of one piece in
// its own frame carries the mesh itself, any other has a node for each piece. All numbers lie in
// one buffer, in three views: corners of triangles, vertices, keys. Accessors come in the same
// order: three for each mesh, two for each channel. Equal runs give equal bytes.
//
// SPDX-License-Identifier: MIT
#include "glb.h"

#include <math.h>
#include <string.h>

// glTF's numbers for them
enum { FLOAT = 5126, UNSIGNED = 5125, VERTICES = 34962, CORNERS = 34963 };
enum {
    MAGIC = 0x46546C67,
    JSON_CHUNK = 0x4E4F534A,
    BIN_CHUNK = 0x004E4942,
    HEADER = 12,
    CHUNK_HEADER = 8
};

typedef struct Sizes {
    uint64_t corners, vertices, keys;
} Sizes;  // bytes of the three views

const uint64_t glb_most_bytes = UINT32_MAX;  // its length is a number of 32 bits

static Sizes measure(const GlbFile *f) {
    Sizes s = { 0, 0, 0 };
    for (int i = 0; i < f->parts->mesh_count; i++) {
        s.corners += 12 * (uint64_t)f->parts->mesh[i].solid.triangle_count;
        s.vertices += 24 * (uint64_t)f->parts->mesh[i].solid.vertex_count;
    }
    for (int i = 0; i < f->track_count; i++) {
        s.keys += glb_track_bytes(&f->track[i]);
    }
    return s;
}

static int count_channels(const GlbFile *f) {
    int count = 0;
    for (int i = 0; i < f->track_count; i++) {
        count += glb_moves(&f->track[i].at) + glb_moves(&f->track[i].rotation);
    }
    return count;
}

static const Channel *channel_of(const Track *t, int k) { return k ? &t->rotation : &t->at; }

// --- nodes ---------------------------------------------------------------------------------------
static void put_pose(Json *j, impPose p) {
    cli_json_vec(j, "translation", p.at);
    cli_json_list(j, "rotation",
                  (const double[]){ p.rotation.x, p.rotation.y, p.rotation.z, p.rotation.w }, 4);
}

static bool at_home(impPose p) {
    return p.at.x == 0 && p.at.y == 0 && p.at.z == 0 && p.rotation.x == 0 && p.rotation.y == 0 &&
           p.rotation.z == 0;
}

// one piece, in the body's own frame
static bool is_simple(const GlbFile *f, int body) {
    impShapeDef d;
    impBody b = { body };
    return impModel_ShapeCount(f->source->model, b) == 1 &&
           impModel_Shape(f->source->model, b, 0, &d) && at_home(d.pose);
}

static void put_mesh_of(Json *j, const GlbFile *f, int piece) {
    int mesh = f->parts->piece[piece];
    if (mesh >= 0 && f->parts->mesh[mesh].solid.triangle_count > 0) {
        cli_json_count(j, "mesh", mesh);
    }
}

// Pieces of bodies that are not simple, one after the other behind the bodies.
static int pieces_of(const GlbFile *f, int body) {
    return is_simple(f, body) ? 0 : f->parts->first[body + 1] - f->parts->first[body];
}

static void put_children(Json *j, int first, int count) {
    // glTF knows no empty lists
    if (count == 0) return;
    cli_json_open(j, "children", '[');
    for (int i = 0; i < count; i++) {
        cli_json_count(j, NULL, first + i);
    }
    cli_json_close(j, ']');
}

static void put_root(Json *j, int bodies) {
    const double half = 0.70710678118654752;
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "name", "world");
    cli_json_list(j, "rotation", (const double[]){ -half, 0, 0, half }, 4);
    put_children(j, 1, bodies - 1);
    cli_json_close(j, '}');
}

static void put_body(Json *j, const GlbFile *f, int body, int next) {
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "name", impModel_Name(f->source->model, (impBody){ body }));
    put_pose(j, f->pose[body]);
    if (is_simple(f, body)) {
        put_mesh_of(j, f, f->parts->first[body]);
    }
    put_children(j, next, pieces_of(f, body));
    cli_json_close(j, '}');
}

static void put_piece(Json *j, const GlbFile *f, int body, int shape) {
    char name[320];
    impShapeDef d;
    if (!impModel_Shape(f->source->model, (impBody){ body }, shape, &d)) return;
    snprintf(name, sizeof name, "%s: %s", impModel_Name(f->source->model, (impBody){ body }),
             d.kind);
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "name", name);
    put_pose(j, d.pose);
    put_mesh_of(j, f, f->parts->first[body] + shape);
    cli_json_close(j, '}');
}

static void put_nodes(Json *j, const GlbFile *f) {
    int bodies = impModel_BodyCount(f->source->model);
    int next = bodies;
    cli_json_open(j, "nodes", '[');
    put_root(j, bodies);
    for (int i = 1; i < bodies; i++) {
        put_body(j, f, i, next);
        next += pieces_of(f, i);
    }
    for (int i = 1; i < bodies; i++) {
        for (int k = 0; k < pieces_of(f, i); k++) {
            put_piece(j, f, i, k);
        }
    }
    cli_json_close(j, ']');
}

// --- what is drawn -------------------------------------------------------------------------------
static void put_mesh(Json *j, const GlbMesh *m, int accessor) {
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "name", m->shape.kind);
    cli_json_open(j, "primitives", '[');
    cli_json_open(j, NULL, '{');
    cli_json_open(j, "attributes", '{');
    cli_json_count(j, "POSITION", accessor + 1);
    cli_json_count(j, "NORMAL", accessor + 2);
    cli_json_close(j, '}');
    cli_json_count(j, "indices", accessor);
    cli_json_count(j, "material", m->material);
    cli_json_close(j, '}');
    cli_json_close(j, ']');
    cli_json_close(j, '}');
}

static void put_material(Json *j, const GlbFile *f, const GlbMaterial *m) {
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "name", impModel_MaterialName(f->source->model, m->row));
    if (m->open) {
        cli_json_bool(j, "doubleSided", true);
    }
    cli_json_open(j, "pbrMetallicRoughness", '{');
    cli_json_list(j, "baseColorFactor",
                  (const double[]){ m->colour[0], m->colour[1], m->colour[2], 1 }, 4);
    cli_json_number(j, "metallicFactor", 0.05);
    cli_json_number(j, "roughnessFactor", 0.6);
    cli_json_close(j, '}');
    cli_json_close(j, '}');
}

static void put_materials(Json *j, const GlbFile *f) {
    if (f->parts->mesh_count == 0) return;
    cli_json_open(j, "meshes", '[');
    for (int i = 0; i < f->parts->mesh_count; i++) {
        put_mesh(j, &f->parts->mesh[i], 3 * i);
    }
    cli_json_close(j, ']');
    cli_json_open(j, "materials", '[');
    for (int i = 0; i < f->parts->material_count; i++) {
        put_material(j, f, &f->parts->material[i]);
    }
    cli_json_close(j, ']');
}

// --- how it moves --------------------------------------------------------------------------------
static void put_channel(Json *j, int sampler, int node, int k) {
    cli_json_open(j, NULL, '{');
    cli_json_count(j, "sampler", sampler);
    cli_json_open(j, "target", '{');
    cli_json_count(j, "node", node);
    cli_json_text(j, "path", k ? "rotation" : "translation");
    cli_json_close(j, '}');
    cli_json_close(j, '}');
}

static void put_sampler(Json *j, int accessor) {
    cli_json_open(j, NULL, '{');
    cli_json_count(j, "input", accessor);
    cli_json_count(j, "output", accessor + 1);
    cli_json_text(j, "interpolation", "LINEAR");
    cli_json_close(j, '}');
}

static void put_animation(Json *j, const GlbFile *f) {
    int channels = count_channels(f);
    int sampler = 0;
    if (channels == 0) return;
    cli_json_open(j, "animations", '[');
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "name", "run");
    cli_json_open(j, "channels", '[');
    for (int i = 0; i < f->track_count; i++) {
        for (int k = 0; k < 2; k++) {
            if (glb_moves(channel_of(&f->track[i], k))) {
                put_channel(j, sampler++, f->track[i].body.i, k);
            }
        }
    }
    cli_json_close(j, ']');
    cli_json_open(j, "samplers", '[');
    for (int i = 0; i < channels; i++) {
        put_sampler(j, 3 * f->parts->mesh_count + 2 * i);
    }
    cli_json_close(j, ']');
    cli_json_close(j, '}');
    cli_json_close(j, ']');
}

// --- accessors -----------------------------------------------------------------------------------
typedef struct Cursor {
    int view;
    uint64_t at;
} Cursor;  // where in a view the next one begins

static void open_accessor(Json *j, Cursor *c, int type, const char *shape, uint64_t count,
                          uint64_t each) {
    cli_json_open(j, NULL, '{');
    cli_json_count(j, "bufferView", c->view);
    cli_json_count(j, "byteOffset", (int64_t)c->at);
    cli_json_count(j, "componentType", type);
    cli_json_text(j, "type", shape);
    cli_json_count(j, "count", (int64_t)count);
    c->at += count * each;
}

static void put_bounds(Json *j, const float *value, size_t count, int width, size_t stride) {
    double low[3] = { HUGE_VAL, HUGE_VAL, HUGE_VAL };
    double high[3] = { -HUGE_VAL, -HUGE_VAL, -HUGE_VAL };
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < width; k++) {
            double x = (double)value[stride * i + (size_t)k];
            if (x < low[k]) {
                low[k] = x;
            }
            if (x > high[k]) {
                high[k] = x;
            }
        }
    }
    cli_json_list(j, "min", low, width);
    cli_json_list(j, "max", high, width);
}

static void put_mesh_accessors(Json *j, const SolidMesh *m, Cursor *corners, Cursor *vertices) {
    open_accessor(j, corners, UNSIGNED, "SCALAR", 3 * (uint64_t)m->triangle_count, 4);
    cli_json_close(j, '}');
    open_accessor(j, vertices, FLOAT, "VEC3", m->vertex_count, 12);
    put_bounds(j, m->point, m->vertex_count, 3, 3);
    cli_json_close(j, '}');
    open_accessor(j, vertices, FLOAT, "VEC3", m->vertex_count, 12);
    cli_json_close(j, '}');
}

static void put_key_accessors(Json *j, const Channel *c, Cursor *keys) {
    open_accessor(j, keys, FLOAT, "SCALAR", c->count, 4);
    put_bounds(j, c->keys, c->count, 1, (size_t)c->width + 1);
    cli_json_close(j, '}');
    open_accessor(j, keys, FLOAT, c->width == 3 ? "VEC3" : "VEC4", c->count,
                  4 * (uint64_t)c->width);
    cli_json_close(j, '}');
}

static void put_accessors(Json *j, const GlbFile *f) {
    Cursor corners = { 0, 0 };
    Cursor vertices = { 1, 0 };
    Cursor keys = { f->parts->mesh_count ? 2 : 0, 0 };
    if (f->parts->mesh_count == 0 && count_channels(f) == 0) return;
    cli_json_open(j, "accessors", '[');
    for (int i = 0; i < f->parts->mesh_count; i++) {
        put_mesh_accessors(j, &f->parts->mesh[i].solid, &corners, &vertices);
    }
    for (int i = 0; i < f->track_count; i++) {
        for (int k = 0; k < 2; k++) {
            if (glb_moves(channel_of(&f->track[i], k))) {
                put_key_accessors(j, channel_of(&f->track[i], k), &keys);
            }
        }
    }
    cli_json_close(j, ']');
}

static void put_view(Json *j, uint64_t *offset, uint64_t bytes, int target) {
    if (bytes == 0) return;
    cli_json_open(j, NULL, '{');
    cli_json_count(j, "buffer", 0);
    cli_json_count(j, "byteOffset", (int64_t)*offset);
    cli_json_count(j, "byteLength", (int64_t)bytes);
    if (target == VERTICES) {
        cli_json_count(j, "byteStride", 12);
    }
    if (target) {
        cli_json_count(j, "target", target);
    }
    cli_json_close(j, '}');
    *offset += bytes;
}

static void put_buffer(Json *j, Sizes s) {
    uint64_t offset = 0;
    uint64_t bytes = s.corners + s.vertices + s.keys;
    if (bytes == 0) return;
    cli_json_open(j, "bufferViews", '[');
    put_view(j, &offset, s.corners, CORNERS);
    put_view(j, &offset, s.vertices, VERTICES);
    put_view(j, &offset, s.keys, 0);
    cli_json_close(j, ']');
    cli_json_open(j, "buffers", '[');
    cli_json_open(j, NULL, '{');
    cli_json_count(j, "byteLength", (int64_t)bytes);
    cli_json_close(j, '}');
    cli_json_close(j, ']');
}

// --- the scene -----------------------------------------------------------------------------------
static void put_asset(Json *j) {
    char generator[64];
    snprintf(generator, sizeof generator, "impel %s", impVersion());
    cli_json_open(j, "asset", '{');
    cli_json_text(j, "version", "2.0");
    cli_json_text(j, "generator", generator);
    cli_json_close(j, '}');
}

static void put_if(Json *j, const char *key, const char *text) {
    if (text && text[0]) {
        cli_json_text(j, key, text);
    }
}

static void put_scene(Json *j, const GlbFile *f) {
    const impRunInfo *run = &f->source->run;
    cli_json_count(j, "scene", 0);
    cli_json_open(j, "scenes", '[');
    cli_json_open(j, NULL, '{');
    put_if(j, "name", run->name);
    cli_json_list(j, "nodes", (const double[]){ 0 }, 1);
    cli_json_open(j, "extras", '{');
    put_if(j, "about", impModel_About(f->source->model));
    put_if(j, "source", impModel_Source(f->source->model));
    put_if(j, "method", run->method);
    cli_json_number(j, "dt", run->dt);
    if (f->end) {
        put_if(j, "status", f->end->status);
        put_if(j, "reason", f->end->reason);
    }
    cli_json_close(j, '}');
    cli_json_close(j, '}');
    cli_json_close(j, ']');
}

static void put_json(const GlbFile *f, FILE *out, Sizes sizes) {
    Json j = { .out = out };
    cli_json_open(&j, NULL, '{');
    put_asset(&j);
    put_scene(&j, f);
    put_nodes(&j, f);
    put_materials(&j, f);
    put_animation(&j, f);
    put_accessors(&j, f);
    put_buffer(&j, sizes);
    cli_json_close(&j, '}');
}

// --- the numbers ---------------------------------------------------------------------------------
// the lowest byte first, on any machine
static void put_word(FILE *out, uint32_t x) {
    for (int shift = 0; shift < 32; shift += 8) {
        putc((int)(x >> shift & 255), out);
    }
}

static void put_floats(FILE *out, const float *value, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &value[i], sizeof bits);
        put_word(out, bits);
    }
}

static void put_keys(FILE *out, const Channel *c) {
    size_t width = (size_t)c->width;
    if (!glb_moves(c)) return;
    for (size_t i = 0; i < c->count; i++) {
        put_floats(out, c->keys + (width + 1) * i, 1);
    }
    for (size_t i = 0; i < c->count; i++) {
        put_floats(out, c->keys + (width + 1) * i + 1, width);
    }
}

static void put_numbers(const GlbFile *f, FILE *out) {
    const GlbParts *p = f->parts;
    for (int i = 0; i < p->mesh_count; i++) {
        for (size_t k = 0; k < 3 * p->mesh[i].solid.triangle_count; k++) {
            put_word(out, p->mesh[i].solid.corner[k]);
        }
    }
    for (int i = 0; i < p->mesh_count; i++) {
        const SolidMesh *m = &p->mesh[i].solid;
        put_floats(out, m->point, 3 * m->vertex_count);
        put_floats(out, m->normal, 3 * m->vertex_count);
    }
    for (int i = 0; i < f->track_count; i++) {
        put_keys(out, &f->track[i].at);
        put_keys(out, &f->track[i].rotation);
    }
}

// --- the file ------------------------------------------------------------------------------------
int glb_too_large(const OutFile *out) {
    return cli_fail(EXIT_LIMIT,
                    "%s: more than 4 GiB, which no .glb file can hold; --every takes fewer samples",
                    out->path);
}

static int put_chunks(const GlbFile *f, OutFile *out, Sizes sizes) {
    uint64_t numbers = sizes.corners + sizes.vertices + sizes.keys;
    for (int i = 0; i < HEADER + CHUNK_HEADER; i++) {
        fputc(0, out->file);
    }
    put_json(f, out->file, sizes);
    long at = ftell(out->file);
    for (; at > 0 && at % 4; at++) {
        fputc(' ', out->file);
    }
    // numbers have four bytes each: nothing to fill up
    uint64_t total = (uint64_t)at + (numbers ? CHUNK_HEADER + numbers : 0);
    if (at < 0) return cli_write_fault(out->file, out->path);
    if (total > glb_most_bytes) return glb_too_large(out);
    if (numbers) {
        put_word(out->file, (uint32_t)numbers);
        put_word(out->file, BIN_CHUNK);
        put_numbers(f, out->file);
    }
    if (fseek(out->file, 0, SEEK_SET)) return cli_write_fault(out->file, out->path);
    put_word(out->file, MAGIC);
    put_word(out->file, 2);
    put_word(out->file, (uint32_t)total);
    put_word(out->file, (uint32_t)(at - HEADER - CHUNK_HEADER));
    put_word(out->file, JSON_CHUNK);
    return EXIT_OK;
}

int glb_write(const GlbFile *f, OutFile *out) {
    Sizes sizes = measure(f);
    if (sizes.corners + sizes.vertices + sizes.keys > glb_most_bytes) return glb_too_large(out);
    int code = put_chunks(f, out, sizes);
    if (code) {
        cli_out_abandon(out);
        return code;
    }
    return cli_out_commit(out) ? EXIT_OK : EXIT_IO;
}
