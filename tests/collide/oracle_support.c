// oracle_support.c -- see oracle_support.h.
//
// SPDX-License-Identifier: MIT
#include "oracle_support.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wdouble-promotion"  // to long double is what is wanted here
#endif

typedef struct Long3 {
    long double x, y, z;
} Long3;
static Long3 l3(long double x, long double y, long double z) { return (Long3){ x, y, z }; }
static Long3 wide(impVec3 a) { return l3(a.x, a.y, a.z); }
static Long3 lsub(Long3 a, Long3 b) { return l3(a.x - b.x, a.y - b.y, a.z - b.z); }
static Long3 lmadd(Long3 a, long double s, Long3 b) {
    return l3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
static long double ldot(Long3 a, Long3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static Long3 lcross(Long3 a, Long3 b) {
    return l3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static long double lnorm(Long3 a) { return sqrtl(ldot(a, a)); }
static Long3 lunit(Long3 a) { return lmadd(l3(0, 0, 0), 1 / lnorm(a), a); }

static Long3 lturn(impQuat q, Long3 a, long double sign) {
    Long3 u = l3(sign * q.x, sign * q.y, sign * q.z);
    Long3 c = lcross(u, a);
    Long3 t = l3(2 * c.x, 2 * c.y, 2 * c.z);
    return lmadd(lmadd(a, q.w, t), 1, lcross(u, t));
}
static Long3 lplace(const Placed *p, Long3 own) {
    return lmadd(wide(p->pose.at), 1, lturn(p->pose.rotation, own, 1));
}

// --- the zoo -------------------------------------------------------------------------------------
const char *const zoo_names[ZOO_SHAPES] = { "sphere", "ball",   "capsule", "box",    "plate",
                                            "brick",  "hull",   "tetra",   "prism",  "cloud",
                                            "die",    "domino", "pebble",  "marble", "cylinder",
                                            "coin",   "rod",    "cone",    "hat",    "ellipsoid",
                                            "lens",   "cigar" };
static const impShapeDef zoo_defs[ZOO_SHAPES] = {
    [ZOO_SPHERE] = { .kind = "sphere", .size = { 0.5 } },
    [ZOO_BALL] = { .kind = "sphere", .size = { 0.01 } },
    [ZOO_CAPSULE] = { .kind = "capsule", .size = { 0.2, 0.9 } },
    [ZOO_BOX] = { .kind = "box", .size = { 1, 1, 1 } },
    [ZOO_PLATE] = { .kind = "box", .size = { 1, 0.8, 0.01 } },
    [ZOO_BRICK] = { .kind = "box", .size = { 1, 0.5, 0.25 } },
    [ZOO_HULL] = { .kind = "hull", .point_count = 14 },
    [ZOO_TETRA] = { .kind = "hull", .point_count = 4 },
    [ZOO_PRISM] = { .kind = "hull", .point_count = 14 },
    [ZOO_CLOUD] = { .kind = "hull", .point_count = 90 },
    [ZOO_DIE] = { .kind = "box", .size = { 1, 1, 1 }, .radius = 0.2 },
    [ZOO_DOMINO] = { .kind = "box", .size = { 1, 0.5, 0.1 }, .radius = 0.04 },
    [ZOO_PEBBLE] = { .kind = "hull", .point_count = 14, .radius = 0.1 },
    [ZOO_MARBLE] = { .kind = "hull", .point_count = 4, .radius = 0.4 },
    [ZOO_CYLINDER] = { .kind = "cylinder", .size = { 0.4, 0.7 } },
    [ZOO_COIN] = { .kind = "cylinder", .size = { 0.5, 0.02 } },
    [ZOO_ROD] = { .kind = "cylinder", .size = { 0.02, 1 } },
    [ZOO_CONE] = { .kind = "cone", .size = { 0.4, 0.8 } },
    [ZOO_HAT] = { .kind = "cone", .size = { 0.6, 0.1 } },
    [ZOO_ELLIPSOID] = { .kind = "ellipsoid", .size = { 0.5, 0.35, 0.25 } },
    [ZOO_LENS] = { .kind = "ellipsoid", .size = { 0.5, 0.4, 0.03 } },
    [ZOO_CIGAR] = { .kind = "ellipsoid", .size = { 0.05, 0.06, 0.7 } },
};

static void zoo_points(int shape, impVec3 *p, int count) {
    Draws d = { 77, 0 };
    for (int i = 0; i < count; i++) {
        impVec3 a = draw_vec(&d, 0.5);
        SinCos t = num_sincos_turns((i % 7) / 7.0);
        p[i] = shape == ZOO_PRISM    ? vec(0.5 * t.cos, 0.5 * t.sin, i < 7 ? -0.3 : 0.3)
               : shape == ZOO_CLOUD  ? scale(0.5 / norm(a), a)
               : shape == ZOO_MARBLE ? scale(0.1, a)
                                     : a;
    }
}

impModel *zoo_build(double factor) {
    impError err;
    impScene *scene = impScene_New(vec(0, 0, 0));
    for (int i = 0; i < ZOO_SHAPES; i++) {
        impShapeDef def = zoo_defs[i];
        impVec3 points[100];
        zoo_points(i, points, def.point_count);
        for (int k = 0; k < def.point_count; k++) {
            points[k] = scale(factor, points[k]);
        }
        for (int k = 0; k < 4; k++) {
            def.size[k] *= factor;
        }
        def.radius *= factor;
        if (def.point_count) {
            def.points = points;
        }
        if (impScene_Body(scene, &(impBodyDef){ .shapes = &def, .shape_count = 1 }, &err).i < 0) {
            fail_msg("%s", err.message[0].text);
        }
    }
    impModel *m = impModel_Build(scene, &err);
    if (!m) {
        fail_msg("%s", err.message[0].text);
    }
    impScene_Free(scene);
    return m;
}

Placed zoo_at(const impModel *m, int shape, impPose p) {
    return (Placed){ &m->shape[shape], &m->geometry, p };
}
bool zoo_smooth(int shape) { return shape >= ZOO_CYLINDER; }

static double bounding_radius_of(const Placed *a) {
    return shape_kinds[a->shape->kind].bounding_radius(a->shape, a->g, vec(0, 0, 0));
}
double zoo_size(const Placed *a, const Placed *b) {
    return bounding_radius_of(a) + bounding_radius_of(b);
}

// --- draws ---------------------------------------------------------------------------------------
double draw(Draws *d, double low, double high) {
    return low + (high - low) * num_uniform(d->seed, 31, d->next++);
}

impQuat draw_turn(Draws *d) {
    double u = draw(d, 0, 1);
    double a = draw(d, 0, 1);
    double b = draw(d, 0, 1);
    double c = draw(d, 0, 1);
    double h = sqrt(0.5);
    if (u < 0.15)
        return a < 0.5 ? quat(1, 0, 0, 0) : b < 0.5 ? quat(0.5, 0.5, 0.5, 0.5) : quat(h, 0, h, 0);
    return num_random_rotation(a, b, c);
}
impVec3 draw_vec(Draws *d, double size) {
    double x = draw(d, -size, size);
    double y = draw(d, -size, size);
    double z = draw(d, -size, size);
    return vec(x, y, z);
}
// one after the other: arguments are evaluated in any order
impPose draw_pose(Draws *d, double size) {
    impVec3 at = draw_vec(d, size);
    impQuat rotation = draw_turn(d);
    return pose(at, rotation);
}

double draw_gap(Draws *d, Apart apart, double size) {
    double u = draw(d, 0, 1);
    switch (apart) {
    case APART_FAR: return size * (0.2 + 2 * u);
    case APART_NEAR: return size * 0.1 * u * u * u;
    case APART_TOUCH:
        return size * (u < 0.3 ? 0 : u < 0.5 ? 1e-9 : u < 0.7 ? -1e-9 : u < 0.85 ? 1e-13 : -1e-13);
    case APART_SHALLOW: return -size * 0.02 * u * u;
    default: return -size * u;
    }
}

void draw_poses(Draws *d, Apart apart, Placed *a, Placed *b) {
    impVec3 dir = draw_vec(d, 1);
    double unit_x = draw(d, 0, 1);
    a->pose = pose(vec(0, 0, 0), draw_turn(d));
    b->pose = pose(vec(0, 0, 0), draw_turn(d));
    double size = zoo_size(a, b);
    b->pose.at = scale(size, draw_vec(d, 0.5));
    dir = unit_x < 0.15 ? rotate(b->pose.rotation, vec(0, 0, 1)) : scale(1 / norm(dir), dir);
    if (apart == APART_DEEP) {
        a->pose.at = madd(b->pose.at, 0.5 * draw(d, 0, 1) * size, dir);
        return;
    }
    a->pose.at = b->pose.at;
    // along dir until it has about that gap; exact where dir is normal
    for (int i = 0; i < 3; i++) {
        double gap = oracle_separation(a, b, dir);
        a->pose.at = madd(a->pose.at, (i ? 0 : draw_gap(d, apart, size)) - (i ? 0 : gap), dir);
    }
    if (apart == APART_FAR) return;
    // then by its own distance
    for (int i = 0; i < 2; i++) {
        Closest c = collide_closest(a, b, NULL);
        double want = draw_gap(d, apart, size);
        a->pose.at = madd(a->pose.at, want - c.distance, c.normal);
    }
}

void draw_pair(Draws *d, const impModel *m, int sa, int sb, Apart apart, Placed *a, Placed *b) {
    *a = zoo_at(m, sa, pose_identity());
    *b = zoo_at(m, sb, pose_identity());
    draw_poses(d, apart, a, b);
}

// --- support, in long double and not by the library's maps ---------------------------------------
static long double height_of_core(const Placed *p, Long3 u) {
    long double best = -HUGE_VALL;
    for (int i = 0; i < p->shape->vertex_count; i++) {
        long double along = ldot(u, wide(p->g->vertex[p->shape->first_vertex + i]));
        best = along > best ? along : best;
    }
    return best + p->shape->radius;
}

// of its farthest point above its own origin, n unit
static long double height(const Placed *p, Long3 n) {
    const double *s = p->shape->size;
    Long3 u = lturn(p->pose.rotation, n, -1);
    long double flat = sqrtl(u.x * u.x + u.y * u.y);
    const char *kind = shape_kinds[p->shape->kind].name;
    if (p->shape->core) return height_of_core(p, u);
    if (!strcmp(kind, "cylinder")) return s[0] * flat + 0.5L * s[1] * fabsl(u.z);
    if (!strcmp(kind, "cone")) return fmaxl(s[1] * u.z, s[0] * flat);
    return lnorm(l3(s[0] * u.x, s[1] * u.y, s[2] * u.z));
}

static long double separation(const Placed *a, const Placed *b, Long3 n) {
    Long3 r = lsub(wide(a->pose.at), wide(b->pose.at));
    return ldot(n, r) - height(a, lmadd(l3(0, 0, 0), -1, n)) - height(b, n);
}

double oracle_separation(const Placed *a, const Placed *b, impVec3 n) {
    return (double)separation(a, b, wide(n));
}

// --- surfaces ------------------------------------------------------------------------------------
// signed, of a rectangle
static long double box2(long double x, long double y, long double hx, long double hy) {
    long double dx = fabsl(x) - hx;
    long double dy = fabsl(y) - hy;
    if (dx > 0 && dy > 0) return sqrtl(dx * dx + dy * dy);
    return dx > dy ? dx : dy;
}

static long double off_cone(long double flat, long double z, long double r, long double h) {
    long double length = sqrtl(r * r + h * h);
    long double side = (h * flat + r * (z - h)) / length;
    long double along = (r * (r - flat) + h * z) / length;
    if (z < 0 && flat <= r) return -z;
    if (along < 0) return sqrtl((flat - r) * (flat - r) + z * z);
    if (along > length) return sqrtl(flat * flat + (z - h) * (z - h));
    return side > 0 ? side : fmaxl(side, -z);
}

// first order
static long double off_ellipsoid(const double *a, Long3 x) {
    Long3 s = l3(x.x / a[0], x.y / a[1], x.z / a[2]);
    Long3 g = l3(s.x / a[0], s.y / a[1], s.z / a[2]);
    return 0.5L * (ldot(s, s) - 1) / lnorm(g);
}

static Long3 vertex(const Placed *p, int v) {
    return lplace(p, wide(p->g->vertex[p->shape->first_vertex + v]));
}

static long double point_to_segment(Long3 x, Long3 a, Long3 b) {
    Long3 d = lsub(b, a);
    Long3 r = lsub(x, a);
    long double dd = ldot(d, d);
    long double t = dd > 0 ? ldot(r, d) / dd : 0;
    return lnorm(lmadd(r, -(t < 0 ? 0 : t > 1 ? 1 : t), d));
}

// infinite where the foot is not on the face
static long double point_to_face(const Placed *p, int f, Long3 x) {
    const Face *face = &p->g->face[p->shape->first_face + f];
    Long3 n = lturn(p->pose.rotation, wide(face->normal), 1);
    Long3 first = vertex(p, p->g->loop[face->first]);
    for (int k = 0; k < face->count; k++) {
        Long3 a = vertex(p, p->g->loop[face->first + k]);
        Long3 b = vertex(p, p->g->loop[face->first + (k + 1) % face->count]);
        if (ldot(lcross(n, lsub(b, a)), lsub(x, a)) < 0) return HUGE_VALL;
    }
    return fabsl(ldot(n, lsub(x, first)));
}

// in the world: flat, so it has no inside
static long double off_triangle(const Placed *p, Long3 x) {
    long double least = point_to_face(p, 0, x);
    for (int k = 0; k < 3; k++) {
        least = fminl(least, point_to_segment(x, vertex(p, k), vertex(p, (k + 1) % 3)));
    }
    return least;
}

static long double off_polytope(const Placed *p, Long3 x) {
    long double most = -HUGE_VALL;
    for (int f = 0; f < p->shape->face_count; f++) {
        const Face *face = &p->g->face[p->shape->first_face + f];
        most = fmaxl(most, ldot(wide(face->normal), x) - face->offset);
    }
    return most;
}

// x: in the world
static long double off_rounded(const Placed *p, Long3 own, Long3 x) {
    long double least = HUGE_VALL;
    long double inside = off_polytope(p, own);
    if (inside <= 0) return inside - p->shape->radius;
    for (int f = 0; f < p->shape->face_count; f++) {
        least = fminl(least, point_to_face(p, f, x));
    }
    for (int e = 0; e < p->shape->edge_count; e++) {
        const Edge *edge = &p->g->edge[p->shape->first_edge + e];
        least = fminl(least, point_to_segment(x, vertex(p, edge->tail), vertex(p, edge->head)));
    }
    return least - p->shape->radius;
}

static long double off_surface(const Placed *p, impVec3 at) {
    const double *s = p->shape->size;
    const char *kind = shape_kinds[p->shape->kind].name;
    Long3 x = lturn(p->pose.rotation, lsub(wide(at), wide(p->pose.at)), -1);
    long double flat = sqrtl(x.x * x.x + x.y * x.y);
    long double beyond = fabsl(x.z) - 0.5L * s[1];
    if (!strcmp(kind, "sphere")) return lnorm(x) - s[0];
    if (!strcmp(kind, "capsule"))
        return sqrtl(flat * flat + (beyond > 0 ? beyond * beyond : 0)) - s[0];
    if (!strcmp(kind, "cylinder")) return box2(flat, x.z, s[0], 0.5L * s[1]);
    if (!strcmp(kind, "cone")) return off_cone(flat, x.z, s[0], s[1]);
    if (!strcmp(kind, "ellipsoid")) return off_ellipsoid(s, x);
    if (p->shape->radius > 0) return off_rounded(p, x, wide(at));
    return p->shape->face_count == 2 ? off_triangle(p, wide(at)) : off_polytope(p, x);
}

double oracle_off_surface(const Placed *p, impVec3 at) { return (double)off_surface(p, at); }

Check oracle_check(const Placed *a, const Placed *b, const Closest *c) {
    double size = zoo_size(a, b);
    Long3 r = lsub(wide(c->on_a), wide(c->on_b));
    long double low = separation(a, b, wide(c->normal));
    long double off = lnorm(lmadd(r, -c->distance, wide(c->normal)));
    return (Check){ (double)off / size,
                    (double)fmaxl(fabsl(off_surface(a, c->on_a)), fabsl(off_surface(b, c->on_b))) /
                        size,
                    (double)fmaxl(c->distance - low, 0) / size,
                    (double)fabsl(lnorm(wide(c->normal)) - 1) };
}

Check oracle_check_plane(const Placed *a, const Placed *plane, const Closest *c) {
    const double *s = plane->shape->size;
    Long3 n = lturn(plane->pose.rotation, l3(s[0], s[1], s[2]), 1);
    Long3 at = wide(plane->pose.at);
    long double size = 2 * bounding_radius_of(a);
    long double low = ldot(n, lsub(wide(a->pose.at), at)) - s[3] - height(a, lsub(l3(0, 0, 0), n));
    Long3 off = lmadd(lsub(wide(c->on_a), wide(c->on_b)), -c->distance, wide(c->normal));
    long double level = fabsl(ldot(n, lsub(wide(c->on_b), at)) - s[3]);
    return (Check){ (double)(fmaxl(lnorm(off), fabsl(c->distance - low)) / size),
                    (double)(fmaxl(fabsl(off_surface(a, c->on_a)), level) / size),
                    (double)lnorm(lsub(wide(c->normal), n)),
                    (double)fabsl(lnorm(wide(c->normal)) - 1) };
}

// --- every pair of features ----------------------------------------------------------------------
static long double segments(Long3 a, Long3 b, Long3 c, Long3 d) {
    Long3 u = lsub(b, a);
    Long3 v = lsub(d, c);
    Long3 r = lsub(c, a);
    Long3 n = lcross(u, v);
    long double best = fminl(fminl(point_to_segment(a, c, d), point_to_segment(b, c, d)),
                             fminl(point_to_segment(c, a, b), point_to_segment(d, a, b)));
    long double nn = ldot(n, n);
    if (!(nn > 0)) return best;
    long double s = ldot(lcross(r, v), n) / nn;
    long double t = ldot(lcross(r, u), n) / nn;
    return s > 0 && s < 1 && t > 0 && t < 1 ? fminl(best, fabsl(ldot(r, n)) / sqrtl(nn)) : best;
}

static long double vertices_to_faces(const Placed *a, const Placed *b) {
    long double best = HUGE_VALL;
    for (int v = 0; v < a->shape->vertex_count; v++) {
        for (int f = 0; f < b->shape->face_count; f++) {
            best = fminl(best, point_to_face(b, f, vertex(a, v)));
        }
    }
    return best;
}

static int stretches(const Placed *p) { return p->shape->edge_count ? p->shape->edge_count : 1; }
// an edge, or the point itself
static void stretch(const Placed *p, int e, Long3 *a, Long3 *b) {
    const Edge *edge = &p->g->edge[p->shape->first_edge + e];
    *a = vertex(p, p->shape->edge_count ? edge->tail : 0);
    *b = vertex(p, p->shape->edge_count ? edge->head : 0);
}

double oracle_distance(const Placed *a, const Placed *b) {
    long double best = fminl(vertices_to_faces(a, b), vertices_to_faces(b, a));
    for (int i = 0; i < stretches(a); i++) {
        for (int j = 0; j < stretches(b); j++) {
            Long3 p, q, r, s;
            stretch(a, i, &p, &q);
            stretch(b, j, &r, &s);
            best = fminl(best, segments(p, q, r, s));
        }
    }
    return (double)(best - a->shape->radius - b->shape->radius);
}

static long double both_ways(const Placed *a, const Placed *b, Long3 n) {
    long double length = lnorm(n);
    if (!(length > 1e-9L)) return -HUGE_VALL;
    n = lunit(n);
    return fmaxl(separation(a, b, n), separation(a, b, lmadd(l3(0, 0, 0), -1, n)));
}

static long double along_faces(const Placed *a, const Placed *b, const Placed *of) {
    long double best = -HUGE_VALL;
    for (int f = 0; f < of->shape->face_count; f++) {
        best = fmaxl(best,
                     both_ways(a, b,
                               lturn(of->pose.rotation,
                                     wide(of->g->face[of->shape->first_face + f].normal), 1)));
    }
    return best;
}

double oracle_depth(const Placed *a, const Placed *b) {
    long double best = fmaxl(along_faces(a, b, a), along_faces(a, b, b));
    for (int i = 0; i < a->shape->edge_count; i++) {
        for (int j = 0; j < b->shape->edge_count; j++) {
            Long3 u = lturn(a->pose.rotation, wide(a->g->edge[a->shape->first_edge + i].direction),
                            1);
            Long3 v = lturn(b->pose.rotation, wide(b->g->edge[b->shape->first_edge + j].direction),
                            1);
            best = fmaxl(best, both_ways(a, b, lcross(u, v)));
        }
    }
    return (double)best;
}

// --- search --------------------------------------------------------------------------------------
enum { DIRECTIONS = 6000, STARTS = 4, SECTIONS = 12 };

typedef struct Sight {
    const Placed *a, *b;
    Long3 n, x, y;
} Sight;

static long double at_angle(const Sight *s, long double u, long double v) {
    return separation(s->a, s->b, lunit(lmadd(lmadd(s->n, u, s->x), v, s->y)));
}

// The greatest over v in [-width, width] by golden sections; *at: where.
static long double along_v(const Sight *s, long double u, long double width, long double *at) {
    const long double g = 0.6180339887498948482L;
    long double lo = -width;
    long double hi = width;
    long double p = hi - g * (hi - lo);
    long double q = lo + g * (hi - lo);
    long double fp = at_angle(s, u, p);
    long double fq = at_angle(s, u, q);
    for (int i = 0; i < SECTIONS; i++) {
        if (fp > fq) {
            hi = q;
            q = p;
            fq = fp;
            p = hi - g * (hi - lo);
            fp = at_angle(s, u, p);
        } else {
            lo = p;
            p = q;
            fp = fq;
            q = lo + g * (hi - lo);
            fq = at_angle(s, u, q);
        }
    }
    *at = 0.5L * (lo + hi);
    return fmaxl(fp, fq);
}

static long double along_both(const Sight *s, long double width, Long3 *n) {
    const long double g = 0.6180339887498948482L;
    long double lo = -width;
    long double hi = width;
    long double p = hi - g * (hi - lo);
    long double q = lo + g * (hi - lo);
    long double v;
    long double fp = along_v(s, p, width, &v);
    long double fq = along_v(s, q, width, &v);
    for (int i = 0; i < SECTIONS; i++) {
        if (fp > fq) {
            hi = q;
            q = p;
            fq = fp;
            p = hi - g * (hi - lo);
            fp = along_v(s, p, width, &v);
        } else {
            lo = p;
            p = q;
            fp = fq;
            q = lo + g * (hi - lo);
            fq = along_v(s, q, width, &v);
        }
    }
    along_v(s, 0.5L * (lo + hi), width, &v);
    *n = lunit(lmadd(lmadd(s->n, 0.5L * (lo + hi), s->x), v, s->y));
    return fmaxl(fp, fq);
}

static Sight sight(const Placed *a, const Placed *b, Long3 n) {
    Long3 e = fabsl(n.x) < 0.6L ? l3(1, 0, 0) : l3(0, 1, 0);
    Long3 x = lunit(lcross(n, e));
    return (Sight){ a, b, n, x, lcross(n, x) };
}

// a spiral over the sphere
static Long3 direction(int i) {
    SinCos t = num_sincos_turns(0.6180339887498949 * i);
    double z = 1 - (2 * i + 1.0) / DIRECTIONS;
    double r = sqrt(1 - z * z);
    return l3(r * t.cos, r * t.sin, z);
}

static Long3 best_direction(const Placed *a, const Placed *b, const Long3 *taken, int count) {
    Long3 best = l3(0, 0, 1);
    long double most = -HUGE_VALL;
    for (int i = 0; i < DIRECTIONS; i++) {
        Long3 n = direction(i);
        bool near = false;
        for (int k = 0; k < count; k++) {
            near = near || ldot(n, taken[k]) > 0.9L;
        }
        long double s = near ? -HUGE_VALL : separation(a, b, n);
        if (s > most) {
            most = s;
            best = n;
        }
    }
    return best;
}

double oracle_search(const Placed *a, const Placed *b) {
    Long3 taken[STARTS];
    long double most = -HUGE_VALL;
    for (int i = 0; i < STARTS; i++) {
        Long3 n = taken[i] = best_direction(a, b, taken, i);
        long double f = -HUGE_VALL;
        for (long double width = 0.06L; width > 1e-10L; width *= 0.3L) {
            Sight s = sight(a, b, n);
            Long3 better;
            long double found = along_both(&s, width, &better);
            if (found > f) {
                f = found;
                n = better;
            }
        }
        most = fmaxl(most, f);
        // separated: one hill only
        if (most > 0) break;
    }
    return (double)most;
}

int soak_count(int usual) {
    const char *text = getenv("IMPEL_SOAK");
    return text ? atoi(text) : usual;
}

void oracle_certify(const Placed *a, const Placed *b, const Closest *c, const char *what, int i) {
    Check k = oracle_check(a, b, c);
    if (k.apart <= 1e-10 && k.on <= 1e-10 && k.normal <= 1e-12 && k.unit <= 2e-15 && !c->fallback)
        return;
    fail_msg("%s, pair %d, distance %.3g: points %.1e of the size off, surfaces %.1e, normal %.1e, "
             "unit %.1e, fallback %d",
             what, i, c->distance, k.apart, k.on, k.normal, k.unit, c->fallback);
}
