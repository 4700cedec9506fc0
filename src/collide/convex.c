// convex.c -- convex shapes by their support maps: farthest points, the pieces they belong to, and
// all that is farthest.
//
// The support maps are those of shape/ (docs/theory/collision-detection.md, section 4), by piece. A
// piece's farthest point moves smoothly with the direction. An ellipsoid's derivative is the second
// derivative of the support function, (A^2 - s s^T) / |A u| (Schneider, Convex Bodies, 2.5); a
// rim's has no bound near the axis, so polish.c asks for the rim's side of a direction instead.
// Polytopes of many vertices are climbed along edges: on a convex body that leads to the top.
// Assumed: shapes as model/ builds them.
//
// SPDX-License-Identifier: MIT
#include "collide/convex.h"

#include <string.h>

// an angle that rounding makes of a direction
#define DIRECTION_ROUNDING 0x1p-50
// vertices that are faster looked through than climbed
enum { FEW = 32 };
// pieces of a cylinder
enum { LOWER, UPPER };
// pieces of a cone
enum { RIM, APEX };
// features of a cylinder
enum { SIDE, LOWER_CAP, UPPER_CAP, LOWER_RIM, UPPER_RIM };
// and of a cone
enum { CONE_SIDE, CONE_BASE, CONE_RIM, CONE_APEX };

ConvexKind convex_kind(const Shape *s) {
    static const struct {
        const char *name;
        ConvexKind kind;
    } names[] = {
        { "cylinder", CONVEX_CYLINDER },
        { "cone", CONVEX_CONE },
        { "ellipsoid", CONVEX_ELLIPSOID },
        { "plane", CONVEX_PLANE },
    };
    if (s->core)
        return s->vertex_count == 1 ? CONVEX_POINT
               : s->face_count == 0 ? CONVEX_SEGMENT
                                    : CONVEX_POLYTOPE;
    for (int i = 0; i < COUNT(names); i++) {
        if (strcmp(shape_kinds[s->kind].name, names[i].name) == 0) return names[i].kind;
    }
    return CONVEX_NONE;
}

Convex convex_of(const Shape *s, const Geometry *g, impPose in_frame) {
    Convex c = { .kind = convex_kind(s),
                 .size = s->size,
                 .rotation = rotation(in_frame.rotation),
                 .at = in_frame.at };
    if (s->core) {
        c.p = collide_core(&(Placed){ s, g, in_frame });
    }
    c.radius = s->radius;
    if (c.kind == CONVEX_POINT || c.kind == CONVEX_PLANE) return c;
    impVec3 whole = upper(neg(s->low), s->high);
    c.bounding_radius = c.kind == CONVEX_SEGMENT
                            ? 0.5 * s->size[1]
                            : norm(sub(whole, vec(s->radius, s->radius, s->radius)));
    return c;
}

Couple convex_couple(const Placed *a, const Placed *b) {
    Couple k = { .frame = b->pose };
    impPose between = { unrotate(b->pose.rotation, sub(a->pose.at, b->pose.at)),
                        qmul(conjugate(b->pose.rotation), a->pose.rotation) };
    k.side[0] = convex_of(a->shape, a->g, between);
    k.side[1] = convex_of(b->shape, b->g, pose_identity());
    k.size = k.side[0].bounding_radius + k.side[1].bounding_radius;
    k.far = k.size + norm(between.at);
    return k;
}

// --- farthest points, in the shape's frame -------------------------------------------------------
static int scan_vertices(const Core *p, impVec3 u) {
    int best = 0;
    double most = dot(u, p->vertex[0]);
    for (int i = 1; i < p->vertex_count; i++) {
        double along = dot(u, p->vertex[i]);
        if (along > most) {
            most = along;
            best = i;
        }
    }
    return best;
}

static int other_end(const Edge *e, int v) { return e->tail == v ? e->head : e->tail; }

static int climb(const Core *p, impVec3 u, int from) {
    double most = dot(u, p->vertex[from]);
    for (int steps = 0, best = from; steps < p->vertex_count; steps++) {
        for (int i = p->ring_first[from]; i < p->ring_first[from + 1]; i++) {
            int next = other_end(&p->edge[p->ring[i]], from);
            double along = dot(u, p->vertex[next]);
            if (along > most) {
                most = along;
                best = next;
            }
        }
        if (best == from) break;
        from = best;
    }
    return from;
}

static int farthest_piece(const Convex *c, impVec3 u, int start) {
    switch (c->kind) {
    case CONVEX_SEGMENT: return u.z >= 0;
    case CONVEX_POLYTOPE:
        return c->p.vertex_count <= FEW ? scan_vertices(&c->p, u)
                                        : climb(&c->p, u, start < c->p.vertex_count ? start : 0);
    case CONVEX_CYLINDER: return u.z >= 0 ? UPPER : LOWER;
    case CONVEX_CONE:
        return c->size[1] * u.z >= c->size[0] * sqrt(u.x * u.x + u.y * u.y) ? APEX : RIM;
    default: return 0;
    }
}

// its middle, where u has no side
static impVec3 on_circle(double r, impVec3 u, double z) {
    double flat = sqrt(u.x * u.x + u.y * u.y);
    return flat > 0 ? vec(r * (u.x / flat), r * (u.y / flat), z) : vec(0, 0, z);
}

static impVec3 on_ellipsoid(const double *a, impVec3 u) {
    impVec3 y = vec(a[0] * u.x, a[1] * u.y, a[2] * u.z);
    double length = norm(y);
    return length > 0 ? vec(a[0] * (y.x / length), a[1] * (y.y / length), a[2] * (y.z / length))
                      : vec(0, 0, a[2]);
}

static impVec3 own_point(const Convex *c, int piece, impVec3 u) {
    switch (c->kind) {
    case CONVEX_CYLINDER:
        return on_circle(c->size[0], u, piece == UPPER ? 0.5 * c->size[1] : -0.5 * c->size[1]);
    case CONVEX_CONE: return piece == APEX ? vec(0, 0, c->size[1]) : on_circle(c->size[0], u, 0);
    case CONVEX_ELLIPSOID: return on_ellipsoid(c->size, u);
    default: return c->p.vertex[piece];
    }
}

static impVec3 placed(const Convex *c, impVec3 own) { return add(mul(c->rotation, own), c->at); }

impVec3 convex_support(const Convex *c, impVec3 u, int *piece) {
    impVec3 own = mul_t(c->rotation, u);
    *piece = farthest_piece(c, own, *piece);
    return placed(c, own_point(c, *piece, own));
}

Corner convex_corner_toward(const Couple *k, impVec3 n, Corner start) {
    impVec3 on_a = convex_support(&k->side[0], neg(n), &start.a);
    impVec3 on_b = convex_support(&k->side[1], n, &start.b);
    start.w = sub(on_a, on_b);
    return start;
}

impVec3 convex_piece(const Convex *c, int piece, impVec3 u) {
    return placed(c, own_point(c, piece, mul_t(c->rotation, u)));
}

// --- how they move with the direction ------------------------------------------------------------
double convex_rim(const Convex *c, int piece) {
    return c->kind == CONVEX_CYLINDER || (c->kind == CONVEX_CONE && piece == RIM) ? c->size[0] : 0;
}

impVec3 convex_rim_side(const Convex *c, impVec3 u) {
    impVec3 own = mul_t(c->rotation, u);
    double flat = sqrt(own.x * own.x + own.y * own.y);
    return mul(c->rotation, flat > 0 ? vec(own.x / flat, own.y / flat, 0) : vec(1, 0, 0));
}

static Mat3 bend_ellipsoid(const double *a, impVec3 u) {
    impVec3 s = on_ellipsoid(a, u);
    double h = norm(vec(a[0] * u.x, a[1] * u.y, a[2] * u.z));
    Mat3 square = mat3_diagonal(a[0] * a[0], a[1] * a[1], a[2] * a[2]);
    return h > 0 ? mat3_scale(1 / h, mat3_add(square, outer(neg(s), s))) : square;
}

Mat3 convex_bend(const Convex *c, impVec3 u) {
    if (c->kind != CONVEX_ELLIPSOID) return mat3_diagonal(0, 0, 0);
    return rotated(c->rotation, bend_ellipsoid(c->size, mul_t(c->rotation, u)));
}

// --- features ------------------------------------------------------------------------------------
static int pieces_of_core(const Convex *c, Feature f, int piece[2]) {
    int i = feature_index(f);
    piece[0] = i;
    switch (feature_kind(f)) {
    case FEATURE_VERTEX: return i < c->p.vertex_count ? 1 : -1;
    case FEATURE_EDGE:
        if (i >= c->p.edge_count) return -1;
        piece[0] = c->p.edge[i].tail;
        piece[1] = c->p.edge[i].head;
        return 2;
    case FEATURE_FACE: return i < c->p.face_count ? 0 : -1;
    default: return -1;
    }
}

int convex_pieces(const Convex *c, Feature f, int piece[2]) {
    int i = feature_index(f);
    piece[0] = 0;
    piece[1] = 1;
    switch (c->kind) {
    case CONVEX_ELLIPSOID: return 1;
    case CONVEX_CYLINDER:
        if (i == SIDE) return 2;
        piece[0] = i == UPPER_RIM ? UPPER : LOWER;
        return i == LOWER_RIM || i == UPPER_RIM ? 1 : 0;
    case CONVEX_CONE:
        if (i == CONE_SIDE) return 2;
        piece[0] = i == CONE_APEX ? APEX : RIM;
        return i == CONE_RIM || i == CONE_APEX ? 1 : 0;
    default: return pieces_of_core(c, f, piece);
    }
}

bool convex_is_flat(const Shape *s, Feature f) {
    int i = feature_index(f);
    switch (convex_kind(s)) {
    case CONVEX_POLYTOPE: return feature_kind(f) == FEATURE_FACE;
    case CONVEX_CYLINDER: return i == LOWER_CAP || i == UPPER_CAP;
    case CONVEX_CONE: return i == CONE_BASE;
    case CONVEX_PLANE: return true;
    default: return false;
    }
}

impVec3 convex_flat(const Convex *c, Feature f) {
    int i = feature_index(f);
    if (c->kind == CONVEX_POLYTOPE) return mul(c->rotation, c->p.face[i].normal);
    return mul(c->rotation, vec(0, 0, c->kind == CONVEX_CYLINDER && i == UPPER_CAP ? 1 : -1));
}

// --- all that is farthest ------------------------------------------------------------------------
static Patch point_patch(const Convex *c, impVec3 own, FeatureKind kind, int index) {
    return (Patch){
        .kind = PATCH_POINT, .at[0] = placed(c, own), .of = c, .feature = feature_of(kind, index)
    };
}

static Patch segment_patch(const Convex *c, impVec3 a, impVec3 b, FeatureKind kind, int index) {
    return (Patch){ .kind = PATCH_SEGMENT,
                    .at = { placed(c, a), placed(c, b) },
                    .of = c,
                    .feature = feature_of(kind, index) };
}

static Patch disc_patch(const Convex *c, double z, double normal, int index) {
    return (Patch){ .kind = PATCH_DISC,
                    .at[0] = placed(c, vec(0, 0, z)),
                    .radius = c->size[0],
                    .of = c,
                    .normal = mul(c->rotation, vec(0, 0, normal)),
                    .feature = feature_of(FEATURE_SMOOTH, index) };
}

static Patch rim_patch(const Convex *c, impVec3 u, double z, int index) {
    Patch p = point_patch(c, on_circle(c->size[0], u, z), FEATURE_SMOOTH, index);
    p.radius = c->size[0];
    return p;
}

static Patch cylinder_patch(const Convex *c, impVec3 u, double grain) {
    double r = c->size[0];
    double z = 0.5 * c->size[1];
    double flat = sqrt(u.x * u.x + u.y * u.y);
    bool up = u.z >= 0;
    if (2 * r * flat <= grain)
        return disc_patch(c, up ? z : -z, up ? 1 : -1, up ? UPPER_CAP : LOWER_CAP);
    if (2 * z * fabs(u.z) <= grain)
        return segment_patch(c, on_circle(r, u, -z), on_circle(r, u, z), FEATURE_SMOOTH, SIDE);
    return rim_patch(c, u, up ? z : -z, up ? UPPER_RIM : LOWER_RIM);
}

static Patch cone_patch(const Convex *c, impVec3 u, double grain) {
    double r = c->size[0];
    double h = c->size[1];
    double flat = sqrt(u.x * u.x + u.y * u.y);
    double apex = h * u.z - r * flat;
    if (u.z < 0 && 2 * r * flat <= grain) return disc_patch(c, 0, -1, CONE_BASE);
    if (fabs(apex) <= grain)
        return segment_patch(c, on_circle(r, u, 0), vec(0, 0, h), FEATURE_SMOOTH, CONE_SIDE);
    if (apex > 0) return point_patch(c, vec(0, 0, h), FEATURE_SMOOTH, CONE_APEX);
    return rim_patch(c, u, 0, CONE_RIM);
}

static bool lies_flat(const Convex *c, int f, impVec3 u, double least) {
    const Face *face = &c->p.face[f];
    for (int k = 0; k < face->count; k++) {
        if (dot(u, c->p.vertex[c->p.loop[face->first + k]]) < least) return false;
    }
    return true;
}

// Of the faces at vertex v that lie flat, the one that is most so; -1: none.
static int flat_face(const Convex *c, int v, impVec3 u, double least) {
    int best = -1;
    double most = 0.99;
    for (int i = c->p.ring_first[v]; i < c->p.ring_first[v + 1]; i++) {
        const Edge *e = &c->p.edge[c->p.ring[i]];
        // each face once
        int f = e->tail == v ? e->left : e->right;
        if (f < 0) continue;
        double along = dot(u, c->p.face[f].normal);
        if (along > most && lies_flat(c, f, u, least)) {
            most = along;
            best = f;
        }
    }
    return best;
}

static int flat_edge(const Convex *c, int v, impVec3 u, double least) {
    int best = -1;
    for (int i = c->p.ring_first[v]; i < c->p.ring_first[v + 1]; i++) {
        int e = c->p.ring[i];
        double along = dot(u, c->p.vertex[other_end(&c->p.edge[e], v)]);
        if (along >= least && (best < 0 || along > least)) {
            least = along;
            best = e;
        }
    }
    return best;
}

static Patch polytope_patch(const Convex *c, impVec3 u, double grain) {
    int v = farthest_piece(c, u, 0);
    double least = dot(u, c->p.vertex[v]) - grain;
    int f = flat_face(c, v, u, least);
    int e = f < 0 ? flat_edge(c, v, u, least) : -1;
    if (f >= 0) {
        const Face *face = &c->p.face[f];
        return (Patch){ .kind = PATCH_POLYGON,
                        .at[0] = placed(c, c->p.vertex[c->p.loop[face->first]]),
                        .of = c,
                        .normal = mul(c->rotation, face->normal),
                        .face = face,
                        .feature = feature_of(FEATURE_FACE, f) };
    }
    if (e < 0) return point_patch(c, c->p.vertex[v], FEATURE_VERTEX, v);
    return segment_patch(c, c->p.vertex[c->p.edge[e].tail], c->p.vertex[c->p.edge[e].head],
                         FEATURE_EDGE, e);
}

static Patch own_patch(const Convex *c, impVec3 u, double grain) {
    switch (c->kind) {
    case CONVEX_POINT: return point_patch(c, c->p.vertex[0], FEATURE_VERTEX, 0);
    case CONVEX_CYLINDER: return cylinder_patch(c, u, grain);
    case CONVEX_CONE: return cone_patch(c, u, grain);
    case CONVEX_ELLIPSOID: return point_patch(c, on_ellipsoid(c->size, u), FEATURE_SMOOTH, 0);
    default: return polytope_patch(c, u, grain);
    }
}

Patch convex_patch(const Convex *c, impVec3 u, double grain) {
    return own_patch(c, mul_t(c->rotation, u), grain);
}

impVec3 convex_corner(const Patch *p, int k) {
    const Core *core = &p->of->p;
    return placed(p->of, core->vertex[core->loop[p->face->first + k]]);
}

// Directions that differ by rounding have farthest points on a rim that differ by that over the
// sine of the direction's angle to the axis: any of them is farthest. `to` is seen along u.
impVec3 convex_slide(const Patch *p, impVec3 u, impVec3 to) {
    if (p->kind != PATCH_POINT || !(p->radius > 0)) return p->at[0];
    const Convex *c = p->of;
    impVec3 own_u = mul_t(c->rotation, u);
    impVec3 at = mul_t(c->rotation, sub(p->at[0], c->at));
    impVec3 way = sub(to, p->at[0]);
    impVec3 across = mul_t(c->rotation, madd(way, -dot(u, way), u));
    double flat = sqrt(own_u.x * own_u.x + own_u.y * own_u.y);
    double most = DIRECTION_ROUNDING / flat;
    double r = p->radius;
    double rotation = (at.x * across.y - at.y * across.x) / (r * r);
    rotation = rotation < -most ? -most : rotation > most ? most : rotation;
    impVec3 e = vec(at.x - rotation * at.y, at.y + rotation * at.x, 0);
    return placed(c, on_circle(r, e, at.z));
}
