// ray.c -- where a ray enters a shape: closed forms for every kind.
//
// A line is inside a convex shape from one parameter to another. Half spaces and quadrics cut that
// span down one after the other (Kay & Kajiya 1986 for slabs): a brick or hull is its faces, a
// cylinder a quadric between two planes, a capsule the span that its bar and its two balls cover
// together, and so is a rounded brick or hull: prisms on its faces, bars along its edges, balls at
// its corners. The entry is where the span begins, if that is ahead: a ray that starts inside a
// solid, or on its surface, does not see it. An open mesh is seen from both sides, a solid one from
// outside.
//
// The line's parameter is counted from its point nearest to the shape's origin, so that a ray from
// far away keeps its digits: a miss by 1e-9 of the size is a miss from a million sizes away.
// Triangles are watertight after Woop, Benthin & Wald 2013: neighbours decide about their common
// side by one formula, and a ray on it hits both.
//
// SPDX-License-Identifier: MIT
#include "collide/convex.h"

typedef struct Line {
    impVec3 at, along;
} Line;
// empty: in > out; normal: outward, where it enters
typedef struct Span {
    double in, out;
    impVec3 normal;
} Span;

static Span everything(void) { return (Span){ -HUGE_VAL, HUGE_VAL, { 0, 0, 0 } }; }
static Span nothing(void) { return (Span){ HUGE_VAL, -HUGE_VAL, { 0, 0, 0 } }; }
static impVec3 at(const Line *l, double t) { return madd(l->at, t, l->along); }

// what they share
static Span both(Span a, Span b) {
    if (b.in > a.in) {
        a.in = b.in;
        a.normal = b.normal;
    }
    if (b.out < a.out) {
        a.out = b.out;
    }
    return a;
}

// from the first entry to the last exit: of pieces that hang together
static Span cover(Span a, Span b) {
    if (!(b.in <= b.out)) return a;
    if (!(a.in <= a.out)) return b;
    if (b.in < a.in) {
        a.in = b.in;
        a.normal = b.normal;
    }
    if (b.out > a.out) {
        a.out = b.out;
    }
    return a;
}

static Span half_space(const Line *l, impVec3 n, double offset) {
    double speed = dot(n, l->along);
    double ahead = offset - dot(n, l->at);
    if (speed == 0) return ahead >= 0 ? everything() : nothing();
    Span s = everything();
    if (speed < 0) {
        s.in = ahead / speed;
        s.normal = n;
    } else {
        s.out = ahead / speed;
    }
    return s;
}

// a t^2 + 2 b t + c <= 0. The root that would cancel comes from the product of the two.
typedef struct Roots {
    double low, high;
    bool real;
} Roots;
static Roots roots_of(double a, double b, double c) {
    double d = b * b - a * c;
    if (d < 0) return (Roots){ .real = false };
    double q = -(b + (b < 0 ? -sqrt(d) : sqrt(d)));
    double one = a != 0 ? q / a : HUGE_VAL;
    double two = q != 0 ? c / q : one;
    return one < two ? (Roots){ one, two, true } : (Roots){ two, one, true };
}

// --- the kinds, in their own frames --------------------------------------------------------------
static Span ball(const Line *l, impVec3 center, double r) {
    Line own = { sub(l->at, center), l->along };
    double middle = -dot(own.at, own.along);
    impVec3 foot = at(&own, middle);
    double d = r * r - dot(foot, foot);
    if (d < 0) return nothing();
    double half = sqrt(d);
    return (Span){ middle - half, middle + half, scale(1 / r, madd(foot, -half, own.along)) };
}

// endless, about z
static Span bar(const Line *l, double r) {
    double flat = l->along.x * l->along.x + l->along.y * l->along.y;
    double away = l->at.x * l->along.y - l->at.y * l->along.x;
    double c = l->at.x * l->at.x + l->at.y * l->at.y - r * r;
    if (flat == 0) return c <= 0 ? everything() : nothing();
    double d = r * r * flat - away * away;
    if (d < 0) return nothing();
    double middle = -(l->at.x * l->along.x + l->at.y * l->along.y) / flat;
    double half = sqrt(d) / flat;
    impVec3 p = at(l, middle - half);
    return (Span){ middle - half, middle + half, vec(p.x / r, p.y / r, 0) };
}

// along z
static Span slab(const Line *l, double low, double high) {
    return both(half_space(l, vec(0, 0, 1), high), half_space(l, vec(0, 0, -1), -low));
}

static Span cylinder(const Line *l, const double *size) {
    return both(bar(l, size[0]), slab(l, -0.5 * size[1], 0.5 * size[1]));
}

static Span capsule(const Line *l, const double *size) {
    double z = 0.5 * size[1];
    return cover(cover(cylinder(l, size), ball(l, vec(0, 0, -z), size[0])),
                 ball(l, vec(0, 0, z), size[0]));
}

// The lower of the two nappes x^2 + y^2 = (k (H - z))^2, within its slab. k = R / H.
static Span cone(const Line *l, const double *size) {
    double k = size[0] / size[1];
    double up = size[1] - l->at.z;
    double dz = l->along.z;
    double flat = l->along.x * l->along.x + l->along.y * l->along.y;
    double a = flat - k * k * dz * dz;
    double b = l->at.x * l->along.x + l->at.y * l->along.y + k * k * up * dz;
    double c = l->at.x * l->at.x + l->at.y * l->at.y - k * k * up * up;
    Roots r = roots_of(a, b, c);
    Span s = everything();
    if (!r.real && a >= 0) return nothing();
    // up and out of it, or into it on the way down
    if (r.real && a > 0) {
        s.in = r.low;
        s.out = r.high;
    } else if (r.real && dz > 0) {
        s.out = r.low;
    } else if (r.real) {
        s.in = a == 0 ? r.low : r.high;
    }
    if (s.in > -HUGE_VAL) {
        impVec3 p = at(l, s.in);
        impVec3 n = vec(p.x, p.y, k * k * (size[1] - p.z));
        double length = norm(n);
        s.normal = length > 0 ? scale(1 / length, n) : vec(0, 0, 1);
    }
    return both(s, slab(l, 0, size[1]));
}

// a unit ball, scaled
static Span ellipsoid(const Line *l, const double *a) {
    impVec3 o = vec(l->at.x / a[0], l->at.y / a[1], l->at.z / a[2]);
    impVec3 d = vec(l->along.x / a[0], l->along.y / a[1], l->along.z / a[2]);
    double dd = dot(d, d);
    double middle = -dot(o, d) / dd;
    impVec3 foot = madd(o, middle, d);
    double rest = 1 - dot(foot, foot);
    if (rest < 0) return nothing();
    double half = sqrt(rest / dd);
    impVec3 p = madd(foot, -half, d);
    impVec3 n = vec(p.x / a[0], p.y / a[1], p.z / a[2]);
    return (Span){ middle - half, middle + half, scale(1 / norm(n), n) };
}

static Span polytope(const Line *l, const Core *c) {
    Span s = everything();
    for (int f = 0; f < c->face_count && s.in <= s.out; f++) {
        s = both(s, half_space(l, c->face[f].normal, c->face[f].offset));
    }
    return s;
}

// A bar about an edge, between planes through its ends. A ray that enters by an end has entered the
// ball there before, so the normal is always that of the round side.
static Span edge_bar(const Line *l, impVec3 from, const Edge *e, double r) {
    impVec3 u = e->direction;
    impVec3 own = sub(l->at, from);
    double along = dot(own, u);
    double speed = dot(l->along, u);
    Line across = { madd(own, -along, u), madd(l->along, -speed, u) };
    double flat = dot(across.along, across.along);
    double middle = flat > 0 ? -dot(across.at, across.along) / flat : 0;
    impVec3 foot = at(&across, middle);
    double d = r * r - dot(foot, foot);
    if (d < 0) return nothing();
    double half = flat > 0 ? sqrt(d / flat) : HUGE_VAL;
    Span round = { middle - half, middle + half, { 0, 0, 0 } };
    Line by_length = { vec(0, 0, along), vec(0, 0, speed) };
    Span s = both(round, slab(&by_length, 0, e->length));
    s.normal = s.in <= s.out ? at(&across, s.in) : u;
    return s;
}

// within the prism on the face
static bool above_face(const Core *c, int f, impVec3 x) {
    const Face *face = &c->face[f];
    for (int k = 0; k < face->count; k++) {
        const Edge *e = &c->edge[c->loop_edge[face->first + k]];
        if (dot(sub(x, c->vertex[e->tail]), e->left == f ? e->out_left : e->out_right) > 0)
            return false;
    }
    return true;
}

// The faces moved out by r enclose it: a ray that misses them misses it, and one that enters over a
// face itself has entered. Else the first of the bars and balls is the entry; they overlap the
// prisms, so no ray slips through a seam.
static Span rounded(const Line *l, const Core *c, double r) {
    Span s = everything();
    int entered = -1;
    for (int f = 0; f < c->face_count && s.in <= s.out; f++) {
        Span cut = half_space(l, c->face[f].normal, c->face[f].offset + r);
        if (cut.in > s.in) {
            entered = f;
        }
        s = both(s, cut);
    }
    if (!(s.in <= s.out)) return nothing();
    if (entered >= 0 && above_face(c, entered, at(l, s.in))) return s;
    s = nothing();
    for (int e = 0; e < c->edge_count; e++) {
        s = cover(s, edge_bar(l, c->vertex[c->edge[e].tail], &c->edge[e], r));
    }
    for (int v = 0; v < c->vertex_count; v++) {
        s = cover(s, ball(l, c->vertex[v], r));
    }
    double length = norm(s.normal);
    if (length > 0) {
        s.normal = scale(1 / length, s.normal);
    }
    return s;
}

static Span span_of(const Placed *p, const Line *l) {
    const Shape *s = p->shape;
    Core core;
    switch (convex_kind(s)) {
    case CONVEX_POINT: return ball(l, vec(0, 0, 0), s->radius);
    case CONVEX_SEGMENT: return capsule(l, s->size);
    case CONVEX_POLYTOPE:
        core = collide_core(p);
        return s->radius > 0 ? rounded(l, &core, s->radius) : polytope(l, &core);
    case CONVEX_CYLINDER: return cylinder(l, s->size);
    case CONVEX_CONE: return cone(l, s->size);
    case CONVEX_ELLIPSOID: return ellipsoid(l, s->size);
    case CONVEX_PLANE: return half_space(l, vec(s->size[0], s->size[1], s->size[2]), s->size[3]);
    default: return nothing();
    }
}

// --- triangles -----------------------------------------------------------------------------------
typedef struct Sheared {
    double x, y, z;
} Sheared;

// The frame in which the ray runs along +z from the origin: z is its largest axis, x and y are
// sheared onto it.
static Sheared shear(const Ray *r, int z, impVec3 p) {
    int x = (z + 1) % 3;
    int y = (z + 2) % 3;
    impVec3 q = sub(p, r->from);
    double dz = component(r->along, z);
    double pz = component(q, z);
    return (Sheared){ component(q, x) - component(r->along, x) / dz * pz,
                      component(q, y) - component(r->along, y) / dz * pz, pz / dz };
}

bool collide_ray_triangle(const Ray *r, impVec3 a, impVec3 b, impVec3 c, double *t) {
    double dx = fabs(r->along.x);
    double dy = fabs(r->along.y);
    double dz = fabs(r->along.z);
    int axis = dx > dy && dx > dz ? 0 : dy > dz ? 1 : 2;
    Sheared p = shear(r, axis, a);
    Sheared q = shear(r, axis, b);
    Sheared s = shear(r, axis, c);
    double u = s.x * q.y - s.y * q.x;
    double v = p.x * s.y - p.y * s.x;
    double w = q.x * p.y - q.y * p.x;
    double sum = u + v + w;
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return false;
    if (sum == 0) return false;
    *t = (u * p.z + v * q.z + w * s.z) / sum;
    return *t > 0 && *t <= r->most;
}

TreeRay collide_tree_ray(const Ray *r) {
    return (TreeRay){ r->from, vec(1 / r->along.x, 1 / r->along.y, 1 / r->along.z), r->most };
}

// Nearest first by distance, then by number, whatever the tree.
static bool ray_mesh(const Shape *s, const Geometry *g, const Ray *ray, RayHit *out) {
    TreeRay tree = collide_tree_ray(ray);
    TreeCursor cursor = { 0 };
    int best = -1;
    const impVec3 *v = g->vertex + s->first_vertex;
    for (int i; (i = shape_tree_ray(s, g, &tree, &cursor)) >= 0;) {
        const int32_t *k = shape_triangle(s, g, i);
        impVec3 n = g->face[s->first_face + i].normal;
        double t;
        double toward = dot(n, ray->along);
        // seen from within
        if (s->closed && toward >= 0) continue;
        if (!collide_ray_triangle(ray, v[k[0]], v[k[1]], v[k[2]], &t)) continue;
        if (best >= 0 && (t > out->t || (t == out->t && i > best))) continue;
        best = i;
        tree.most = t;
        *out = (RayHit){ t, toward > 0 ? neg(n) : n };
    }
    return best >= 0;
}

// --- the door ------------------------------------------------------------------------------------
static bool ray_convex(const Placed *p, const Ray *ray, RayHit *out) {
    double shift = convex_kind(p->shape) == CONVEX_PLANE ? 0 : -dot(ray->from, ray->along);
    Line line = { madd(ray->from, shift, ray->along), ray->along };
    Span s = span_of(p, &line);
    *out = (RayHit){ s.in + shift, s.normal };
    return s.in <= s.out && out->t > 0 && out->t <= ray->most && s.in > -HUGE_VAL;
}

bool collide_ray(const Placed *p, const Ray *ray, RayHit *out) {
    Ray own = { unrotate(p->pose.rotation, sub(ray->from, p->pose.at)),
                unrotate(p->pose.rotation, ray->along), ray->most };
    bool mesh = convex_kind(p->shape) == CONVEX_NONE;
    bool hit = mesh ? ray_mesh(p->shape, p->g, &own, out) : ray_convex(p, &own, out);
    out->normal = rotate(p->pose.rotation, out->normal);
    return hit;
}
