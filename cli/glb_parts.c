// glb_parts.c -- what a .glb file draws: triangles for every distinct shape, a colour for every
// material.
//
// SPDX-License-Identifier: MIT
#include "glb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- colours -------------------------------------------------------------------------------------
// by row; the first is for bodies that name no material
static void choose_colour(GlbMaterial *m) {
    static const double muted[][3] = { { 0.584, 0.584, 0.552 }, { 0.105, 0.202, 0.319 },
                                       { 0.578, 0.141, 0.070 }, { 0.694, 0.371, 0.053 },
                                       { 0.212, 0.356, 0.147 }, { 0.262, 0.144, 0.292 },
                                       { 0.078, 0.323, 0.296 }, { 0.584, 0.456, 0.254 },
                                       { 0.366, 0.069, 0.056 }, { 0.159, 0.212, 0.275 },
                                       { 0.114, 0.195, 0.050 }, { 0.584, 0.198, 0.270 },
                                       { 0.212, 0.445, 0.672 } };
    int count = (int)(sizeof muted / sizeof *muted) - 1;
    int round = m->row > 0 ? (m->row - 1) / count : 0;
    const double *base = muted[m->row > 0 ? 1 + (m->row - 1) % count : 0];
    double dim = 1 / (1 + 0.4 * round);
    double pale = 0.5;
    for (int k = 0; k < 3; k++) {
        double colour = m->still ? 0.5 * (dim * base[k] + pale) : dim * base[k];
        m->colour[k] = floor(1000 * colour + 0.5) / 1000;
    }
}

static int find_material(GlbParts *p, int row, bool still, bool open) {
    for (int i = 0; i < p->material_count; i++) {
        const GlbMaterial *m = &p->material[i];
        if (m->row == row && m->still == still && m->open == open) return i;
    }
    GlbMaterial *m = &p->material[p->material_count];
    *m = (GlbMaterial){ .row = row, .still = still, .open = open };
    choose_colour(m);
    return p->material_count++;
}

// --- shapes --------------------------------------------------------------------------------------
// FNV-1a
static uint64_t stir(uint64_t h, const void *data, size_t bytes) {
    const unsigned char *b = data;
    for (size_t i = 0; i < bytes; i++) {
        h = (h ^ b[i]) * 0x100000001b3u;
    }
    return h;
}

static uint64_t hash_of(const impShapeDef *d, int material) {
    uintptr_t points = (uintptr_t)d->points;
    uint64_t h = stir(0xcbf29ce484222325u, d->kind, strlen(d->kind));
    h = stir(h, d->size, sizeof d->size);
    h = stir(h, &d->radius, sizeof d->radius);
    h = stir(h, &points, sizeof points);
    return stir(h, &material, sizeof material);
}

static bool same_shape(const impShapeDef *a, const impShapeDef *b) {
    return !strcmp(a->kind, b->kind) && !memcmp(a->size, b->size, sizeof a->size) &&
           a->radius == b->radius && a->points == b->points && a->point_count == b->point_count;
}

// each is shown where it is needed
static bool is_plane(const impShapeDef *d) { return !strcmp(d->kind, "plane"); }

// The slot of the same shape and colour, or a free one.
static int32_t *slot_of(GlbParts *p, const impShapeDef *d, int material) {
    size_t at = (size_t)hash_of(d, material) & (p->slots - 1);
    for (;; at = (at + 1) & (p->slots - 1)) {
        if (p->table[at] < 0) return &p->table[at];
        const GlbMesh *m = &p->mesh[p->table[at]];
        if (m->material == material && same_shape(&m->shape, d) && !is_plane(d))
            return &p->table[at];
    }
}

// Of a plane what lies below all that moves and stands, and half as much again.
static SolidView view_of(const GlbExtent *e, impPose body, impPose shape) {
    SolidView view = { .half = 1 };
    impVec3 c = { (e->low.x + e->high.x) / 2, (e->low.y + e->high.y) / 2,
                  (e->low.z + e->high.z) / 2 };
    impVec3 d = { e->high.x - e->low.x, e->high.y - e->low.y, e->high.z - e->low.z };
    if (!e->known) return view;
    c = glb_unrotate(body.rotation, (impVec3){ c.x - body.at.x, c.y - body.at.y, c.z - body.at.z });
    view.center = glb_unrotate(shape.rotation,
                               (impVec3){ c.x - shape.at.x, c.y - shape.at.y, c.z - shape.at.z });
    double length = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    if (length > 0) {
        view.half = 0.75 * length;
    }
    return view;
}

static bool add_mesh(GlbParts *p, const impModel *model, impBody body, int shape, SolidView view,
                     int material) {
    if (p->mesh_count == p->mesh_room) {
        int room = 2 * p->mesh_room + 16;
        GlbMesh *grown = realloc(p->mesh, sizeof *grown * (size_t)room);
        if (!grown) return false;
        p->mesh = grown;
        p->mesh_room = room;
    }
    GlbMesh *m = &p->mesh[p->mesh_count++];
    *m = (GlbMesh){ .material = material };
    impModel_Shape(model, body, shape, &m->shape);
    return solid_mesh_make(&m->solid, model, body, shape, view);
}

static bool add_piece(GlbParts *p, const impModel *model, impBody body, int shape, impPose pose,
                      const GlbExtent *extent) {
    impShapeDef d;
    if (!impModel_Shape(model, body, shape, &d)) return true;
    int row = impModel_ShapeMaterial(model, body, shape);
    int material = find_material(p, row, impModel_Role(model, body) == IMP_FIXED,
                                 !strcmp(d.kind, "mesh"));
    int32_t *slot = slot_of(p, &d, material);
    if (*slot < 0) {
        if (!add_mesh(p, model, body, shape, view_of(extent, pose, d.pose), material)) return false;
        // nothing to be seen
        if (p->mesh[p->mesh_count - 1].solid.triangle_count == 0) {
            p->mesh_count--;
            return true;
        }
        *slot = p->mesh_count - 1;
    }
    p->piece[p->first[body.i] + shape] = *slot;
    return true;
}

// --- all of them ---------------------------------------------------------------------------------
static bool make_lists(GlbParts *p, const impModel *model) {
    int bodies = impModel_BodyCount(model);
    int pieces = 0;
    p->first = malloc(sizeof *p->first * ((size_t)bodies + 1));
    if (!p->first) return false;
    for (int i = 0; i < bodies; i++) {
        p->first[i] = pieces;
        pieces += impModel_ShapeCount(model, (impBody){ i });
    }
    p->first[bodies] = pieces;
    for (p->slots = 16; p->slots < 2 * (size_t)pieces;) {
        p->slots *= 2;
    }
    p->piece = malloc(sizeof *p->piece * ((size_t)pieces + 1));
    p->table = malloc(sizeof *p->table * p->slots);
    p->material = malloc(sizeof *p->material * 4 * ((size_t)impModel_MaterialCount(model) + 1));
    if (!p->piece || !p->table || !p->material) return false;
    for (int i = 0; i < pieces; i++) {
        p->piece[i] = -1;
    }
    for (size_t i = 0; i < p->slots; i++) {
        p->table[i] = -1;
    }
    return true;
}

bool glb_parts_make(GlbParts *p, const impModel *model, const impPose *pose,
                    const GlbExtent *extent) {
    *p = (GlbParts){ 0 };
    bool good = make_lists(p, model);
    for (int i = 0; good && i < impModel_BodyCount(model); i++) {
        for (int k = 0; good && k < impModel_ShapeCount(model, (impBody){ i }); k++) {
            good = add_piece(p, model, (impBody){ i }, k, pose[i], extent);
        }
    }
    free(p->table);
    p->table = NULL;
    return good;
}

void glb_parts_free(GlbParts *p) {
    for (int i = 0; i < p->mesh_count; i++) {
        solid_mesh_free(&p->mesh[i].solid);
    }
    free(p->mesh);
    free(p->material);
    free(p->piece);
    free(p->first);
    free(p->table);
    *p = (GlbParts){ 0 };
}
