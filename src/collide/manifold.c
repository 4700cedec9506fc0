// manifold.c -- all the points of a contact: where a face lies on a face, an edge on a face, an edge along an edge.
//
// physics.md B.5: of each shape the patch that looks at the other, a polygon, a segment or a point; the flatter patch is the
// reference, the other is clipped by its sides (Sutherland & Hodgman), and each point that is left has its gap measured
// along the reference normal, which is the normal of the whole manifold. All points within the margin are kept: a
// certificate judges every one of them. Round shapes give the eight rim points of a cap at fixed places of the body, the
// two ends of a side, or one point; none is ever turned into a polyhedron for the closest point itself.
//
// Identifiers: a point is named by the vertex, edge or rim point of the incident patch and the side that cut it, numbers
// of the bodies and not of the moment, so that the same touching features have the same name from step to step. The
// reference changes hands only if the other patch is better by more than HANDOVER: else it would flip at every step.
//
// SPDX-License-Identifier: MIT
#include "collide/walk.h"

#include <string.h>

#define COS_FLAT 0.99619469809174555           // 5 degrees: a face farther from the normal is not lain on
#define SIN_FLAT 0.08715574274765817
#define HANDOVER 1e-3
enum { PATCH = 64, RIM = 8, NOT_CUT = 0xfff };

typedef struct Patch {
    impVec3 point[PATCH];
    uint32_t id[PATCH];                       // 20 bits: vertex, or NOT a vertex: see cut()
    uint16_t side[PATCH];                     // which side of the reference cut it; NOT_CUT: none
    int count;
    impVec3 normal;                           // of a flat patch, away from its shape
    bool flat, endless;                       // endless: a half space
    int face;                                 // number of the flat patch on its shape
    double roll;                              // from its points to what carries them, inward
    bool surface;                             // one point of a smooth surface, carried by nothing
} Patch;

static void put(Patch *p, impVec3 at, uint32_t id) {
    if (p->count >= PATCH) return;
    p->point[p->count] = at, p->id[p->count] = id, p->side[p->count++] = NOT_CUT;
}

// --- patches of polytopes -----------------------------------------------------------------------------------------------------
static int ring_count(const Core *c, Feature f) {
    int id = feature_index(f);
    if (feature_kind(f) == FEATURE_VERTEX) return c->ring_first[id + 1] - c->ring_first[id];
    return feature_kind(f) == FEATURE_EDGE ? 2 : 1;
}
static int face_near(const Core *c, Feature f, int k) {
    int id = feature_index(f);
    if (feature_kind(f) == FEATURE_FACE) return id;
    if (feature_kind(f) == FEATURE_EDGE) return k ? c->edge[id].right : c->edge[id].left;
    const Edge *e = &c->edge[c->ring[c->ring_first[id] + k]];
    return e->tail == id ? e->left : e->right;
}
static int edge_near(const Core *c, Feature f, int k) {
    int id = feature_index(f);
    if (feature_kind(f) == FEATURE_EDGE) return k ? -1 : id;
    return feature_kind(f) == FEATURE_VERTEX ? c->ring[c->ring_first[id] + k] : -1;
}

static void core_patch(const Placed *p, Feature f, impVec3 toward, impVec3 witness, Patch *out) {
    Core c = collide_core(p);
    impVec3 own = unrotate(p->pose.turn, toward), lift = scale(p->shape->radius, toward);
    int face = -1, edge = -1;
    out->roll = p->shape->radius;
    double best = COS_FLAT, least = SIN_FLAT;
    for (int k = 0; k < ring_count(&c, f); k++) {
        int g = face_near(&c, f, k), e = edge_near(&c, f, k);
        if (g >= 0 && dot(c.face[g].normal, own) >= best && c.face[g].count <= PATCH) best = dot(c.face[g].normal, own), face = g;
        if (e >= 0 && fabs(dot(c.edge[e].direction, own)) < least) least = fabs(dot(c.edge[e].direction, own)), edge = e;
    }
    if (face >= 0) {
        const Face *g = &c.face[face];
        out->flat = true, out->face = face, out->normal = rotate(p->pose.turn, g->normal);
        for (int k = 0; k < g->count; k++) put(out, place(p->pose, c.vertex[c.loop[g->first + k]]), (uint32_t)c.loop[g->first + k]);
    } else if (edge >= 0) {
        put(out, add(place(p->pose, c.vertex[c.edge[edge].tail]), lift), (uint32_t)c.edge[edge].tail);
        put(out, add(place(p->pose, c.vertex[c.edge[edge].head]), lift), (uint32_t)c.edge[edge].head);
    } else put(out, witness, (uint32_t)feature_index(f) & 0xfffff);
}

// --- patches of round shapes ----------------------------------------------------------------------------------------------------
static void cap_patch(const Placed *p, double z, double radius, impVec3 normal, int face, Patch *out) {
    static const double half = 0.70710678118654752;
    static const double around[RIM][2] = { { 1, 0 }, { half, half }, { 0, 1 }, { -half, half }, { -1, 0 }, { -half, -half }, { 0, -1 }, { half, -half } };
    out->flat = true, out->face = face, out->normal = rotate(p->pose.turn, normal);
    for (int k = 0; k < RIM; k++) {
        int i = normal.z > 0 ? k : RIM - 1 - k;                // counter-clockwise from outside
        put(out, place(p->pose, vec(radius * around[i][0], radius * around[i][1], z)), (uint32_t)i);
    }
}

static void line_patch(const Placed *p, impVec3 a, impVec3 b, Patch *out) {
    put(out, place(p->pose, a), RIM);
    put(out, place(p->pose, b), RIM + 1);
}

// The direction across the axis, of length 1; the body's own x where there is none.
static impVec3 across(impVec3 d) {
    double n = sqrt(d.x * d.x + d.y * d.y);
    return n > 0 ? vec(d.x / n, d.y / n, 0) : vec(1, 0, 0);
}

static void round_patch(const Placed *p, impVec3 toward, impVec3 witness, Patch *out) {
    const char *kind = shape_kinds[p->shape->kind].name;
    impVec3 own = unrotate(p->pose.turn, toward), u = across(own);
    double r = p->shape->size[0], h = p->shape->size[1];
    if (!strcmp(kind, "cylinder")) {
        if (fabs(own.z) >= COS_FLAT) cap_patch(p, own.z > 0 ? 0.5 * h : -0.5 * h, r, vec(0, 0, own.z > 0 ? 1 : -1), own.z > 0, out);
        else if (fabs(own.z) <= SIN_FLAT) {
            line_patch(p, vec(r * u.x, r * u.y, -0.5 * h), vec(r * u.x, r * u.y, 0.5 * h), out);
            out->roll = r;
        }
    } else if (!strcmp(kind, "cone")) {
        double s = sqrt(r * r + h * h);
        if (own.z <= -COS_FLAT) cap_patch(p, 0, r, vec(0, 0, -1), 0, out);
        else if (dot(own, vec(u.x * h / s, u.y * h / s, r / s)) >= COS_FLAT) line_patch(p, vec(r * u.x, r * u.y, 0), vec(0, 0, h), out);
    }
    if (!out->count) put(out, witness, 2 * RIM), out->surface = true;
}

static Patch patch_of(const Placed *p, Feature f, impVec3 toward, impVec3 witness) {
    Patch out;
    out.count = 0, out.flat = out.endless = out.surface = false, out.face = 0, out.normal = toward, out.roll = 0;
    if (!shape_kinds[p->shape->kind].bounded) out.flat = out.endless = true, put(&out, witness, 0);
    else if (p->shape->core && feature_kind(f) != FEATURE_SMOOTH) core_patch(p, f, toward, witness, &out);
    else round_patch(p, toward, witness, &out);
    return out;
}

// --- clipping -----------------------------------------------------------------------------------------------------------------------
// Where an edge of the incident patch crosses a side: named by the edge's first point, as seen from the patch, and the side.
static void keep(Patch *to, impVec3 at, uint32_t id, uint16_t side, bool *cut) {
    if (to->count >= PATCH) {
        *cut = true;
        return;
    }
    to->point[to->count] = at, to->id[to->count] = id, to->side[to->count++] = side;
}

static void clip(Patch *p, impVec3 base, impVec3 out, int side, bool *cut) {
    Patch kept = *p;
    kept.count = 0;
    int edges = p->count == 2 ? 1 : p->count;                  // a segment has one edge, a polygon as many as corners
    double grain = 1e-10 * dot(out, out);                      // a corner exactly on the side stays, whatever its last bit
    for (int k = 0; k < p->count; k++) {
        impVec3 a = p->point[k], b = p->point[(k + 1) % p->count];
        double sa = dot(sub(a, base), out), sb = dot(sub(b, base), out);
        if (fabs(sa) <= grain) sa = 0;
        if (fabs(sb) <= grain) sb = 0;
        if (sa <= 0) keep(&kept, a, p->id[k], p->side[k], cut);
        if (k < edges && p->count > 1 && ((sa < 0 && sb > 0) || (sa > 0 && sb < 0)))
            keep(&kept, madd(a, sa / (sa - sb), sub(b, a)), p->id[k], (uint16_t)side, cut);
    }
    *p = kept;
}

static void clip_by(Patch *incident, const Patch *reference, bool *cut) {
    if (reference->endless) return;
    for (int k = 0; k < reference->count && incident->count > 0; k++) {
        impVec3 a = reference->point[k], b = reference->point[(k + 1) % reference->count];
        clip(incident, a, cross(sub(b, a), reference->normal), k, cut);
    }
}

// --- the manifold -------------------------------------------------------------------------------------------------------------------
static uint64_t name_of(int owner, uint32_t id, uint16_t side) {   // below 2^53: states keep it in a double
    return 1 + ((uint64_t)owner | (uint64_t)(side & NOT_CUT) << 1 | (uint64_t)(id & 0xfffff) << 13);
}

typedef struct Carried { Carrier by; double roll, facing; } Carried;
static Carried carried(const Patch *p, int k, bool by_a) {
    if (p->surface) return (Carried){ by_a ? ROLLS_ON_A : ROLLS_ON_B, 0, -1 };
    if (p->side[k] != NOT_CUT) return (Carried){ CARRIED_BY_BOTH, 0, -1 };
    return (Carried){ by_a ? CARRIED_BY_A : CARRIED_BY_B, p->roll, -1 };
}

static void add_point(Manifold *m, impVec3 at, double gap, uint64_t feature, Carried c) {
    if (m->count >= MANIFOLD_POINTS) {
        m->cut = true;
        return;
    }
    int k = m->count++;
    for (; k > 0 && m->point[k - 1].feature > feature; k--) m->point[k] = m->point[k - 1];   // in the order of names
    m->point[k] = (ManifoldPoint){ at, gap, feature, c.by, c.roll, c.facing };
}

static bool at_corner(const Placed *p, Feature f) { return p->shape->core && feature_kind(f) == FEATURE_VERTEX; }
static bool on_surface(const Placed *p, Feature f) { return !p->shape->core && feature_kind(f) == FEATURE_SMOOTH; }

static Carried carried_alone(const Placed *a, const Placed *b, const Closest *c) {
    bool corner_a = at_corner(a, c->feature_a), corner_b = at_corner(b, c->feature_b);
    double ra = a->shape->radius, rb = b->shape->radius;
    if (corner_a) return (Carried){ CARRIED_BY_A, ra, corner_b ? rb : -1 };
    if (corner_b) return (Carried){ CARRIED_BY_B, rb, -1 };
    if (on_surface(a, c->feature_a)) return (Carried){ ROLLS_ON_A, 0, -1 };
    if (on_surface(b, c->feature_b)) return (Carried){ ROLLS_ON_B, 0, -1 };
    return (Carried){ CARRIED_BY_BOTH, 0, -1 };
}

ManifoldPoint collide_point(const Placed *a, const Placed *b, const Closest *c) {
    uint32_t id = (uint32_t)(feature_kind(c->feature_a) << 18) ^ (uint32_t)feature_index(c->feature_a);
    Carried by = carried_alone(a, b, c);
    return (ManifoldPoint){ scale(0.5, add(c->on_a, c->on_b)), c->distance, name_of(0, id, NOT_CUT), by.by, by.roll, by.facing };
}

static void two_lines(Manifold *m, const Patch *a, const Patch *b, const Closest *c, double margin) {
    impVec3 u = sub(a->point[1], a->point[0]), v = sub(b->point[1], b->point[0]);
    double length = norm(v);
    if (!(length > 0) || norm(cross(u, v)) > SIN_FLAT * norm(u) * length) return;
    Patch over = *a;
    clip(&over, b->point[0], neg(v), 0, &m->cut);
    clip(&over, b->point[1], v, 1, &m->cut);
    for (int k = 0; k < over.count; k++) {
        impVec3 r = sub(over.point[k], b->point[0]), foot = madd(b->point[0], dot(r, v) / (length * length), v);
        double gap = dot(c->normal, sub(over.point[k], foot));
        if (gap <= margin) add_point(m, scale(0.5, add(over.point[k], foot)), gap, name_of(0, over.id[k], over.side[k]),
                                   carried(&over, k, true));
    }
    m->normal = c->normal;
}

static bool pick_reference(const Patch *a, const Patch *b, const Closest *c, uint32_t last) {   // true: b's patch
    double aligned_a = a->flat ? -dot(a->normal, c->normal) : -1, aligned_b = b->flat ? dot(b->normal, c->normal) : -1;
    if (!a->flat || !b->flat) return b->flat;
    if (b->endless || a->endless) return b->endless;
    bool was_b = last == 2 + 2 * (uint32_t)b->face, was_a = last == 1 + 2 * (uint32_t)a->face;
    double favour = was_b ? HANDOVER : was_a ? -HANDOVER : 0;
    return aligned_b + favour >= aligned_a;
}

static void lay_on(Manifold *m, const Patch *reference, const Patch *incident, bool on_b, double margin) {
    Patch over = *incident;
    clip_by(&over, reference, &m->cut);
    m->normal = on_b ? reference->normal : neg(reference->normal);
    m->reference = (on_b ? 2u : 1u) + 2 * (uint32_t)reference->face;
    for (int k = 0; k < over.count; k++) {
        double gap = dot(reference->normal, sub(over.point[k], reference->point[0]));
        if (gap > margin) continue;
        add_point(m, madd(over.point[k], -0.5 * gap, reference->normal), gap, name_of(on_b ? 1 : 0, over.id[k], over.side[k]),
                  carried(&over, k, on_b));
    }
}

Manifold collide_manifold(const Placed *a, const Placed *b, const Closest *c, double margin, uint32_t last) {
    Manifold m;
    m.count = 0, m.cut = false, m.reference = 0, m.normal = c->normal;
    Patch pa = patch_of(a, c->feature_a, neg(c->normal), c->on_a), pb = patch_of(b, c->feature_b, c->normal, c->on_b);
    if (pa.flat || pb.flat) {
        bool on_b = pick_reference(&pa, &pb, c, last);
        if (on_b) lay_on(&m, &pb, &pa, true, margin);
        else lay_on(&m, &pa, &pb, false, margin);
    } else if (pa.count == 2 && pb.count == 2) {
        two_lines(&m, &pa, &pb, c, margin);
    }
    if (!m.count) m.point[m.count++] = collide_point(a, b, c), m.normal = c->normal, m.reference = 0;
    return m;
}
