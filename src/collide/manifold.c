// manifold.c -- all the points of a contact: where a face lies on a face, an edge on a face, an
// edge along an edge.
//
// docs/theory/collision-detection.md, section 6: of each shape the patch that faces the other, a
// polygon, a segment or a point; the flatter patch is the reference, the other is clipped by its
// sides (Sutherland & Hodgman), and each point that is left has its gap measured along the
// reference normal, which is the normal of the whole manifold. All points within the margin are
// kept: a certificate judges every one of them. Round shapes give the eight rim points of a cap at
// fixed places of the body, the two ends of a side, or one point; none is ever turned into a
// polyhedron for the closest point itself.
//
// Identifiers: a point is named by the vertex, edge or rim point of the incident patch and the side
// that cut it, numbers of the bodies and not of the moment, so that the same touching features have
// the same name from step to step. The reference changes hands only if the other patch is better by
// more than HANDOVER: else it would flip at every step.
//
// SPDX-License-Identifier: MIT
#include "collide/walk.h"

#include <string.h>

// 5 degrees: a face farther from the normal is not lain on
#define COS_FLAT 0.99619469809174555
#define SIN_FLAT 0.08715574274765817
#define HANDOVER 1e-3
// 1: cosine of 1e-5 rad, less than 1 by so much
#define PARALLEL_FACES 5e-11
enum { PATCH = 64, RIM = 8, NOT_CUT = 0xfff, SIDE = 1 << 20 };

typedef struct Patch {
    impVec3 point[PATCH];
    uint32_t id[PATCH];    // of a corner its vertex; of a cut point the edge that was cut: 21 bits
    uint32_t edge[PATCH];  // of the edge to the next corner: its first vertex, or SIDE and a side's
                           // number
    uint16_t side[PATCH];  // which side of the reference cut it; NOT_CUT: none
    int count;
    impVec3 normal;      // of a flat patch, away from its shape
    bool flat, endless;  // endless: a half space
    int face;            // number of the flat patch on its shape
    double roll;         // from its points to what carries them, inward
    bool surface;        // one point of a smooth surface, carried by nothing
    bool rim[2];         // of a line: its ends are points of a circle about the axis
    double axle;         //   and how far within that axis is, side by side with it; < 0: it is not
    bool thinned;        // it has more corners than are here
    impVec3 middle;      // of a disc
    double radius;       // 0: no disc
} Patch;

static void put(Patch *p, impVec3 at, uint32_t id) {
    if (p->count >= PATCH) return;
    p->point[p->count] = at;
    p->id[p->count] = p->edge[p->count] = id;
    p->side[p->count++] = NOT_CUT;
}

// --- patches of polytopes ------------------------------------------------------------------------
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
    impVec3 own = unrotate(p->pose.rotation, toward);
    impVec3 lift = scale(p->shape->radius, toward);
    int face = -1, edge = -1;
    out->roll = out->axle = p->shape->radius;
    double best = COS_FLAT;
    double least = SIN_FLAT;
    for (int k = 0; k < ring_count(&c, f); k++) {
        int g = face_near(&c, f, k);
        int e = edge_near(&c, f, k);
        if (g >= 0 && dot(c.face[g].normal, own) >= best) {
            best = dot(c.face[g].normal, own);
            face = g;
        }
        if (e >= 0 && fabs(dot(c.edge[e].direction, own)) < least) {
            least = fabs(dot(c.edge[e].direction, own));
            edge = e;
        }
    }
    if (face >= 0) {
        const Face *g = &c.face[face];
        out->flat = true;
        out->face = face;
        out->normal = rotate(p->pose.rotation, g->normal);
        // of a face with very many corners some, evenly
        int every = (g->count + PATCH - 1) / PATCH;
        out->thinned = every > 1;
        for (int k = 0; k < g->count; k += every) {
            int v = c.loop[g->first + k];
            put(out, add(place(p->pose, c.vertex[v]), lift), (uint32_t)v);
        }
    } else if (edge >= 0) {
        put(out, add(place(p->pose, c.vertex[c.edge[edge].tail]), lift),
            (uint32_t)c.edge[edge].tail);
        put(out, add(place(p->pose, c.vertex[c.edge[edge].head]), lift),
            (uint32_t)c.edge[edge].head);
    } else {
        put(out, witness, (uint32_t)feature_index(f) & 0xfffff);
    }
}

// --- patches of round shapes ---------------------------------------------------------------------
static void cap_patch(const Placed *p, double z, double radius, impVec3 normal, int face,
                      Patch *out) {
    static const double half = 0.70710678118654752;
    static const double around[RIM][2] = {
        { 1, 0 },  { half, half },   { 0, 1 },  { -half, half },
        { -1, 0 }, { -half, -half }, { 0, -1 }, { half, -half }
    };
    out->flat = true;
    out->face = face;
    out->normal = rotate(p->pose.rotation, normal);
    out->middle = place(p->pose, vec(0, 0, z));
    out->radius = radius;
    for (int k = 0; k < RIM; k++) {
        // counter-clockwise from outside
        int i = normal.z > 0 ? k : RIM - 1 - k;
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
    impVec3 own = unrotate(p->pose.rotation, toward);
    impVec3 u = across(own);
    double r = p->shape->size[0];
    double h = p->shape->size[1];
    if (!strcmp(kind, "cylinder")) {
        if (fabs(own.z) >= COS_FLAT) {
            cap_patch(p, own.z > 0 ? 0.5 * h : -0.5 * h, r, vec(0, 0, own.z > 0 ? 1 : -1),
                      own.z > 0, out);
        } else if (fabs(own.z) <= SIN_FLAT) {
            line_patch(p, vec(r * u.x, r * u.y, -0.5 * h), vec(r * u.x, r * u.y, 0.5 * h), out);
            out->rim[0] = out->rim[1] = true;
            out->axle = r;
        }
    } else if (!strcmp(kind, "cone")) {
        double s = sqrt(r * r + h * h);
        if (own.z <= -COS_FLAT) {
            cap_patch(p, 0, r, vec(0, 0, -1), 0, out);
        } else if (dot(own, vec(u.x * h / s, u.y * h / s, r / s)) >= COS_FLAT) {
            line_patch(p, vec(r * u.x, r * u.y, 0), vec(0, 0, h), out);
            out->rim[0] = true;
            out->axle = -1;
        }
    }
    if (!out->count) {
        put(out, witness, 2 * RIM);
        out->surface = true;
    }
}

static Patch patch_of(const Placed *p, Feature f, impVec3 toward, impVec3 witness) {
    Patch out;
    out.count = 0;
    out.flat = out.endless = out.surface = false;
    out.face = 0;
    out.normal = toward;
    out.roll = out.radius = out.axle = 0;
    out.thinned = out.rim[0] = out.rim[1] = false;
    out.middle = witness;
    if (!shape_kinds[p->shape->kind].bounded) {
        out.flat = out.endless = true;
        put(&out, witness, 0);
    } else if (p->shape->core && feature_kind(f) != FEATURE_SMOOTH) {
        core_patch(p, f, toward, witness, &out);
    } else {
        round_patch(p, toward, witness, &out);
    }
    return out;
}

// --- clipping ------------------------------------------------------------------------------------
// Where an edge of the patch crosses a side of the reference it is named by both: the edge keeps
// its first vertex, and the new edge along the side has the side's number, so that no two points
// have one name.
static void keep(Patch *to, impVec3 at, uint32_t id, uint32_t edge, uint16_t side, bool *cut) {
    if (to->count >= PATCH) {
        *cut = true;
        return;
    }
    to->point[to->count] = at;
    to->id[to->count] = id;
    to->edge[to->count] = edge;
    to->side[to->count++] = side;
}

static void clip(Patch *p, impVec3 base, impVec3 out, int side, bool *cut) {
    Patch kept = *p;
    kept.count = 0;
    // a segment has one edge, a polygon as many as corners
    int edges = p->count == 2 ? 1 : p->count;
    // a corner exactly on the side stays, whatever its last bit
    double grain = 1e-10 * dot(out, out);
    uint32_t along = (uint32_t)SIDE | (uint32_t)side;
    for (int k = 0; k < p->count; k++) {
        impVec3 a = p->point[k];
        impVec3 b = p->point[(k + 1) % p->count];
        double sa = dot(sub(a, base), out);
        double sb = dot(sub(b, base), out);
        if (fabs(sa) <= grain) {
            sa = 0;
        }
        if (fabs(sb) <= grain) {
            sb = 0;
        }
        if (sa <= 0) {
            keep(&kept, a, p->id[k], sa == 0 && sb > 0 ? along : p->edge[k], p->side[k], cut);
        }
        if (k < edges && p->count > 1 && ((sa < 0 && sb > 0) || (sa > 0 && sb < 0))) {
            keep(&kept, madd(a, sa / (sa - sb), sub(b, a)), p->edge[k], sb > 0 ? along : p->edge[k],
                 (uint16_t)side, cut);
        }
    }
    *p = kept;
}

// A line over a disc: what of it is within the circle, seen along the normal.
static void clip_line_by_disc(Patch *line, const Patch *disc) {
    impVec3 a = line->point[0];
    impVec3 way = sub(line->point[1], a);
    impVec3 n = disc->normal;
    impVec3 p = sub(a, disc->middle);
    impVec3 q = madd(p, -dot(p, n), n);
    impVec3 u = madd(way, -dot(way, n), n);
    double uu = dot(u, u);
    double qu = dot(q, u);
    double root = qu * qu - uu * (dot(q, q) - disc->radius * disc->radius);
    double enters = root > 0 ? (-qu - sqrt(root)) / uu : 2;
    double leaves = root > 0 ? (-qu + sqrt(root)) / uu : -1;
    if (!(uu > 0) || !(enters < 1) || !(leaves > 0)) {
        line->count = 0;
        return;
    }
    if (enters > 1e-10) {
        line->point[0] = madd(a, enters, way);
        line->id[0] = line->edge[0];
        line->side[0] = 0;
    }
    if (leaves < 1 - 1e-10) {
        line->point[1] = madd(a, leaves, way);
        line->id[1] = line->edge[0];
        line->side[1] = 1;
    }
}

static void clip_by(Patch *incident, const Patch *reference, bool *cut) {
    if (reference->endless) return;
    if (reference->radius > 0 && incident->count == 2 && !incident->flat) {
        clip_line_by_disc(incident, reference);
        return;
    }
    for (int k = 0; k < reference->count && incident->count > 0; k++) {
        impVec3 a = reference->point[k];
        impVec3 b = reference->point[(k + 1) % reference->count];
        clip(incident, a, cross(sub(b, a), reference->normal), k, cut);
    }
}

// --- the manifold --------------------------------------------------------------------------------
// below 2^53: it fits a double
static uint64_t name_of(int owner, uint32_t id, uint16_t side, int face) {
    return 1 + ((uint64_t)owner | (uint64_t)(side & NOT_CUT) << 1 |
                (uint64_t)(id & 0x1fffff) << 13 | (uint64_t)(face & 0xffff) << 34);
}

typedef struct Carried {
    ContactMotion by;
    double roll, facing;
    impVec3 along;
} Carried;
static Carried held_by(ContactMotion by, double roll, double facing) {
    return (Carried){ by, roll, facing, vec(0, 0, 0) };
}

// over a flat
static Carried carried(const Patch *p, int k, bool by_a) {
    bool line = !p->flat && p->count == 2;
    bool cut = p->side[k] != NOT_CUT;
    if (p->surface) return held_by(by_a ? ROLLS_ON_A : ROLLS_ON_B, 0, -1);
    // what rolls, rolls there, too
    if (cut && line && p->rim[0]) return held_by(by_a ? RIM_OF_A : RIM_OF_B, 0, -1);
    if (cut && !(line && p->roll > 0)) return held_by(MOVES_WITH_BOTH, 0, -1);
    if (p->id[k] >= RIM && p->id[k] <= RIM + 1 && p->rim[p->id[k] - RIM])
        return held_by(by_a ? RIM_OF_A : RIM_OF_B, 0, -1);
    return held_by(by_a ? MOVES_WITH_A : MOVES_WITH_B, p->roll, -1);
}

static void add_point(Manifold *m, impVec3 at, double gap, uint64_t feature, Carried c) {
    if (m->count >= MANIFOLD_POINTS) {
        m->cut = true;
        return;
    }
    int k = m->count++;
    // in the order of names
    for (; k > 0 && m->point[k - 1].feature > feature; k--) {
        m->point[k] = m->point[k - 1];
    }
    m->point[k] = (ManifoldPoint){ at, gap, feature, c.by, c.roll, c.facing, c.along };
}

// Which of two features says where they touch: the sharper one. A corner, a rim, a round side, an
// edge, a flat.
typedef enum Sharpness { SHARP_FLAT, SHARP_EDGE, SHARP_SIDE, SHARP_RIM, SHARP_CORNER } Sharpness;

// smooth features are numbered as in convex.c
static Sharpness sharpness(const Placed *p, Feature f) {
    const char *kind = shape_kinds[p->shape->kind].name;
    int i = feature_index(f);
    if (p->shape->core)
        return feature_kind(f) == FEATURE_VERTEX ? SHARP_CORNER
               : feature_kind(f) == FEATURE_EDGE ? SHARP_EDGE
                                                 : SHARP_FLAT;
    if (!strcmp(kind, "cylinder")) return i == 0 ? SHARP_SIDE : i <= 2 ? SHARP_FLAT : SHARP_RIM;
    if (!strcmp(kind, "cone"))
        return i == 0 ? SHARP_SIDE : i == 1 ? SHARP_FLAT : i == 2 ? SHARP_RIM : SHARP_CORNER;
    return shape_kinds[p->shape->kind].bounded ? SHARP_SIDE : SHARP_FLAT;
}

static Carried carried_alone(const Placed *a, const Placed *b, const Closest *c) {
    Sharpness sa = sharpness(a, c->feature_a);
    Sharpness sb = sharpness(b, c->feature_b);
    double ra = a->shape->radius;
    double rb = b->shape->radius;
    if (sa == SHARP_CORNER) return held_by(MOVES_WITH_A, ra, sb == SHARP_CORNER ? rb : -1);
    if (sb == SHARP_CORNER) return held_by(MOVES_WITH_B, rb, -1);
    if (sa <= SHARP_EDGE && sb <= SHARP_EDGE) return held_by(MOVES_WITH_BOTH, 0, -1);
    bool flat = sa == SHARP_FLAT || sb == SHARP_FLAT;
    return held_by(sa >= sb ? ROLLS_ON_A : ROLLS_ON_B, 0, flat ? -1 : 0);
}

ManifoldPoint collide_point(const Placed *a, const Placed *b, const Closest *c) {
    uint32_t id = (uint32_t)(feature_kind(c->feature_a) << 18) ^
                  (uint32_t)feature_index(c->feature_a);
    Carried by = carried_alone(a, b, c);
    return (ManifoldPoint){ scale(0.5, add(c->on_a, c->on_b)),
                            c->distance,
                            name_of(0, id, NOT_CUT, 0),
                            by.by,
                            by.roll,
                            by.facing,
                            by.along };
}

static void two_lines(Manifold *m, const Patch *a, const Patch *b, const Closest *c,
                      double margin) {
    impVec3 u = sub(a->point[1], a->point[0]);
    impVec3 v = sub(b->point[1], b->point[0]);
    double length = norm(v);
    if (!(length > 0) || norm(cross(u, v)) > SIN_FLAT * norm(u) * length) return;
    Patch over = *a;
    // each point is a corner on its axis
    bool axles = a->axle >= 0 && b->axle >= 0 && a->axle + b->axle > 0;
    Carried by = axles ? (Carried){ MOVES_WITH_A, a->axle, b->axle, scale(1 / length, v) }
                       : held_by(MOVES_WITH_BOTH, 0, -1);
    impVec3 across = cross(c->normal, v);
    double R = a->axle + b->axle;
    clip(&over, b->point[0], neg(v), 0, &m->cut);
    clip(&over, b->point[1], v, 1, &m->cut);
    for (int k = 0; k < over.count; k++) {
        impVec3 r = sub(over.point[k], b->point[0]);
        impVec3 foot = madd(b->point[0], dot(r, v) / (length * length), v);
        double gap = dot(c->normal, sub(over.point[k], foot));
        double beside = dot(across, sub(over.point[k], foot)) / length;
        // they are not quite parallel
        if (axles) {
            gap = sqrt((R + gap) * (R + gap) + beside * beside) - R;
        }
        if (gap <= margin) {
            add_point(m, scale(0.5, add(over.point[k], foot)), gap,
                      name_of(0, over.id[k], over.side[k], 0), by);
        }
    }
    m->normal = c->normal;
}

// true: b's patch
static bool pick_reference(const Patch *a, const Patch *b, const Closest *c, uint32_t last) {
    double aligned_a = a->flat ? -dot(a->normal, c->normal) : -1;
    double aligned_b = b->flat ? dot(b->normal, c->normal) : -1;
    if (!a->flat || !b->flat) return b->flat;
    if (b->endless || a->endless) return b->endless;
    bool was_b = last == 2 + 2 * (uint32_t)b->face;
    bool was_a = last == 1 + 2 * (uint32_t)a->face;
    double favour = was_b ? HANDOVER : was_a ? -HANDOVER : 0;
    if (last == MANIFOLD_PREFERS_B) {
        favour = PARALLEL_FACES;
    }
    return aligned_b + favour >= aligned_a;
}

// --- a disc and a polygon, either on the other: corners within the disc, edges that cross its rim,
// marks of the rim within the polygon. Seen along the reference normal.
typedef struct Lay {
    Manifold *m;
    const Patch *reference, *incident;
    bool on_b;
    double margin;
} Lay;

// the plane of a flat patch
static impVec3 onto(const Patch *p, impVec3 x, impVec3 along) {
    return madd(x, dot(p->normal, sub(p->point[0], x)) / dot(p->normal, along), along);
}

// x on either of the two
static void lay_point(const Lay *l, impVec3 x, uint32_t id, uint16_t side, Carried c) {
    impVec3 n = l->reference->normal;
    impVec3 low = onto(l->reference, x, n);
    impVec3 high = onto(l->incident, x, n);
    double gap = dot(n, sub(high, low));
    if (gap <= l->margin) {
        add_point(l->m, scale(0.5, add(low, high)), gap,
                  name_of(l->on_b, id, side, l->reference->face), c);
    }
}

// is x over the patch?
static bool within(const Patch *p, impVec3 x, impVec3 along) {
    impVec3 y = onto(p, x, along);
    if (p->radius > 0) return norm(sub(y, p->middle)) <= p->radius * (1 + 1e-9);
    for (int k = 0; k < p->count; k++) {
        impVec3 a = p->point[k];
        impVec3 u = sub(p->point[(k + 1) % p->count], a);
        impVec3 out = cross(u, p->normal);
        if (dot(sub(y, a), out) > 1e-10 * dot(out, out)) return false;
    }
    return true;
}

static void cross_rim(const Lay *l, const Patch *disc, impVec3 a, impVec3 b, uint32_t edge) {
    impVec3 n = l->reference->normal;
    impVec3 p = sub(onto(disc, a, n), disc->middle);
    impVec3 u = sub(onto(disc, b, n), onto(disc, a, n));
    double uu = dot(u, u);
    double pu = dot(p, u);
    double q = pu * pu - uu * (dot(p, p) - disc->radius * disc->radius);
    if (!(uu > 0) || !(q > 0)) return;
    for (int k = 0; k < 2; k++) {
        double t = (-pu + (k ? sqrt(q) : -sqrt(q))) / uu;
        if (t > 1e-10 && t < 1 - 1e-10) {
            lay_point(l, madd(a, t, sub(b, a)), edge, (uint16_t)k, held_by(MOVES_WITH_BOTH, 0, -1));
        }
    }
}

static void lay_disc(const Lay *l) {
    const Patch *disc = l->reference->radius > 0 ? l->reference : l->incident;
    const Patch *other = disc == l->reference ? l->incident : l->reference;
    bool disc_on_a = (disc == l->incident) == l->on_b;
    impVec3 n = l->reference->normal;
    for (int k = 0; k < other->count; k++) {
        if (within(disc, other->point[k], n)) {
            lay_point(l, other->point[k], other->id[k], NOT_CUT,
                      held_by(disc_on_a ? MOVES_WITH_B : MOVES_WITH_A, other->roll, -1));
        }
    }
    for (int k = 0; k < other->count; k++) {
        cross_rim(l, disc, other->point[k], other->point[(k + 1) % other->count], other->edge[k]);
    }
    for (int k = 0; k < disc->count; k++) {
        if (within(other, disc->point[k], n)) {
            lay_point(l, disc->point[k], (uint32_t)SIDE | disc->id[k], NOT_CUT,
                      held_by(disc_on_a ? MOVES_WITH_A : MOVES_WITH_B, 0, -1));
        }
    }
}

static void lay_on(Manifold *m, const Patch *reference, const Patch *incident, bool on_b,
                   double margin) {
    Patch over = *incident;
    m->cut = reference->thinned || incident->thinned;
    if (reference->flat && incident->flat && !reference->endless && !incident->endless &&
        (reference->radius > 0 || incident->radius > 0)) {
        m->normal = on_b ? reference->normal : neg(reference->normal);
        m->reference = (on_b ? 2u : 1u) + 2 * (uint32_t)reference->face;
        lay_disc(&(Lay){ m, reference, incident, on_b, margin });
        return;
    }
    clip_by(&over, reference, &m->cut);
    m->normal = on_b ? reference->normal : neg(reference->normal);
    m->reference = (on_b ? 2u : 1u) + 2 * (uint32_t)reference->face;
    for (int k = 0; k < over.count; k++) {
        double gap = dot(reference->normal, sub(over.point[k], reference->point[0]));
        if (gap > margin) continue;
        add_point(m, madd(over.point[k], -0.5 * gap, reference->normal), gap,
                  name_of(on_b ? 1 : 0, over.id[k], over.side[k], reference->face),
                  carried(&over, k, on_b));
    }
}

Manifold collide_manifold(const Placed *a, const Placed *b, const Closest *c, double margin,
                          uint32_t last) {
    Manifold m;
    m.count = 0;
    m.cut = false;
    m.reference = 0;
    m.normal = c->normal;
    Patch pa = patch_of(a, c->feature_a, neg(c->normal), c->on_a);
    Patch pb = patch_of(b, c->feature_b, c->normal, c->on_b);
    if (pa.flat || pb.flat) {
        bool on_b = pick_reference(&pa, &pb, c, last);
        if (on_b) {
            lay_on(&m, &pb, &pa, true, margin);
        } else {
            lay_on(&m, &pa, &pb, false, margin);
        }
    } else if (pa.count == 2 && pb.count == 2) {
        two_lines(&m, &pa, &pb, c, margin);
    }
    if (!m.count) {
        m.point[m.count++] = collide_point(a, b, c);
        m.normal = c->normal;
        m.reference = 0;
    }
    return m;
}
