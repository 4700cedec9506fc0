// part.c -- a body made ready to be dropped: what touches (its hull) and what moves (its mass).
//
// A plane meets a body only at its hull, so holes, pockets and the pieces of a compound matter
// through the mass alone. The centre of mass may lie outside the material, as a ring's does, but
// not outside the hull.
//
// SPDX-License-Identifier: MIT
#include "drop/drop.h"

#include <stdlib.h>
#include <string.h>

// A single polyhedron has its faces already: then no hull is to be found.
static const Shape *own_hull(const impModel *model, const Body *body) {
    const Shape *s = &model->shape[body->first_shape];
    bool polyhedron = body->shape_count == 1 && s->core && s->radius == 0 && s->face_count > 3;
    return polyhedron && strcmp(shape_kinds[s->kind].name, "mesh") != 0 ? s : NULL;
}

static bool copy_faces(const impModel *model, const Shape *s, Pool *scratch, int32_t **faces,
                       int *ints, impError *err) {
    const Geometry *g = &model->geometry;
    *ints = 0;
    for (int f = 0; f < s->face_count; f++) {
        *ints += 1 + g->face[s->first_face + f].count;
    }
    int32_t *out = *faces = POOL_TAKE(scratch, int32_t, *ints);
    if (!out) return fail_memory(err);
    for (int f = 0; f < s->face_count; f++) {
        const Face *face = &g->face[s->first_face + f];
        *out++ = face->count;
        memcpy(out, g->loop + face->first, (size_t)face->count * sizeof *out);
        out += face->count;
    }
    return true;
}

static bool build_hull(impPart *part, const impModel *model, const Body *body, double chord,
                       Pool *scratch, impError *err) {
    Corners c = { .pool = scratch };
    const Shape *own = own_hull(model, body);
    int32_t *faces = NULL;
    int ints = 0;
    char who[120];
    print_text(who, sizeof who, "body '%s': hull", body->name);
    if (!drop_gather(model, body, chord, &c, err)) return false;
    if (own && !copy_faces(model, own, scratch, &faces, &ints, err)) return false;
    part->hull.kind = SHAPE_HULL;
    part->hull.pose = pose_identity();
    part->report.chord = c.chord;
    return shape_build_points(&part->hull, &part->geometry, &part->pool, c.at, c.count, faces, ints,
                              (Where){ 0 }, who, err) &&
           shape_build_core(&part->hull, &part->geometry, &part->pool, err);
}

static bool measure(impPart *part, const Body *body, double noise, impError *err) {
    impPartReport *r = &part->report;
    int n = part->hull.vertex_count;
    r->mass = body->mass;
    r->center = body->center;
    r->corners = n;
    r->faces = part->hull.face_count;
    part->inertia = body->inertia;
    part->axes = body->axes;
    memcpy(part->moments, body->moments, sizeof part->moments);
    part->corner = POOL_TAKE(&part->pool, impVec3, n);
    part->height = POOL_TAKE(&part->pool, double, r->faces);
    if (!part->corner || !part->height) return fail_memory(err);
    for (int i = 0; i < n; i++) {
        impVec3 at = part->geometry.vertex[part->hull.first_vertex + i];
        r->low = i ? lower(r->low, at) : at;
        r->high = i ? upper(r->high, at) : at;
        part->corner[i] = sub(at, body->center);
        r->bounding_radius = max2(r->bounding_radius, norm(part->corner[i]));
    }
    // facets of a smooth shape are no poses
    r->noise = max2(max2(noise, 1e-6 * largest(sub(r->high, r->low))), 1.05 * r->chord);
    for (int f = 0; f < r->faces; f++) {
        part->height[f] = part_face(part, f)->offset -
                          dot(part_face(part, f)->normal, body->center);
        r->inner_radius = f ? min2(r->inner_radius, part->height[f]) : part->height[f];
    }
    if (r->inner_radius > r->noise) return true;
    return fail(err, (Where){ 0 },
                "body '%s': centre of mass (%s, %s, %s) m, %s m %s the nearest face of the hull; "
                "it must lie "
                "inside, or the part can rest nowhere",
                body->name, show(body->center.x).text, show(body->center.y).text,
                show(body->center.z).text, show(fabs(r->inner_radius)).text,
                r->inner_radius < 0 ? "outside" : "within");
}

// rests.c (1): where one turn of rolling costs about a factor e of the energy
static const double USUAL_JOIN = 0.01;

// Hull and poses, smooth shapes being polyhedra with this chord.
static bool find_poses(impPart *part, const impModel *model, const Body *body, double chord,
                       double noise, impError *err) {
    Pool scratch = { 0 };
    bool ok = build_hull(part, model, body, chord, &scratch, err);
    ok = ok && measure(part, body, noise, err) && part_find_rests(part, err);
    pool_free(&scratch);
    return ok;
}

static bool build(impPart *part, const impModel *model, impBody body, const impPartDef *def,
                  impError *err) {
    const Body *b = &model->body[body.i];
    if (b->role != IMP_DYNAMIC || !b->bounded)
        return fail(err, (Where){ 0 }, "body '%s': %s; a part that is dropped moves and has a size",
                    b->name,
                    b->role != IMP_DYNAMIC ? "fixed or driven" : "no shape of finite size");
    part->report.join = def->join == 0 ? USUAL_JOIN : max2(def->join, 0);
    // 0: the gatherer's own
    double chord = def->chord * norm(sub(b->high, b->low));
    if (!find_poses(part, model, b, chord, def->noise, err)) return false;
    if (!part_find_twins(part, err) || !part_lay_out(part, err)) return false;
    return chord > 0 || part_find_profile(part, model, b, err);
}

impPart *impPart_New(const impModel *model, impBody body, const impPartDef *def, impError *err) {
    impPartDef none = { 0 };
    if (!model || body.i < 1 || body.i >= model->body_count ||
        (def && !(def->chord >= 0 && def->noise >= 0 && def->join <= 1))) {
        fail_as(err, IMP_BAD_CALL, (Where){ 0 },
                "impPart_New: no model, no such body, a chord or noise that is negative, or a join "
                "above 1");
        return NULL;
    }
    impPart *part = calloc(1, sizeof *part);
    if (!part) {
        fail_memory(err);
        return NULL;
    }
    if (build(part, model, body, def ? def : &none, err)) return part;
    impPart_Free(part);
    return NULL;
}

void impPart_Free(impPart *part) {
    if (part) {
        pool_free(&part->pool);
    }
    free(part);
}

impPartReport impPart_Report(const impPart *part) { return part->report; }
int impPart_RestCount(const impPart *part) { return part->rests; }
impRest impPart_Rest(const impPart *part, int rest) {
    impRest none = { .same_as = -1, .face = -1, .family = -1 };
    return rest >= 0 && rest < part->rests ? part->rest[rest] : none;
}
int impPart_FamilyCount(const impPart *part) { return part->families; }
impFamily impPart_Family(const impPart *part, int family) {
    impFamily none = { .lowest = -1, .same_as = -1 };
    return family >= 0 && family < part->families ? part->family[family] : none;
}
const impVec3 *impPart_Corners(const impPart *part) {
    return part->geometry.vertex + part->hull.first_vertex;
}
const int32_t *impPart_Face(const impPart *part, int face, int *corners) {
    *corners = 0;
    if (face < 0 || face >= part->report.faces) return NULL;
    *corners = part_face(part, face)->count;
    return part_loop(part, face);
}

int impPart_Settle(const impPart *part, impVec3 down) {
    impVec3 d = unrotate(part->axes, down);
    double axes[3] = { d.x, d.y, d.z };
    return norm(d) > 0 ? drop_settle(&part->table, axes) : -1;
}
