// rounded.c -- a convex polytope with a ball rolled around it: all points within a radius of the
// core.
//
// The body is its core K, a prism on every face, a sector of a cylinder along every edge and a
// sector of a ball at every vertex (Steiner's formula [Schneider93, 4.1]). With r the radius, V and
// A the volume and surface of K, n the normal of a face, u, L, m and theta the direction, length,
// middle and outer angle of an edge, Omega the outer solid angle of a vertex v, the pieces and
// their moments add up to
//     volume = V + A r + r^2/2 sum theta L + 4 pi r^3 / 3 (1) int x  = int_K x + r int_dK x dA +
//     r^2/2 sum theta L m + r^3/3 sum Omega v                                   (2) int xx' = int_K
//     xx' + r int_dK xx' dA + r^2 V Id + r^3/3 (2 A Id - sum A_f n n')
//             + r^2/2 sum theta (L mm' + L^3/12 uu') + r^4/8 sum theta L (Id + uu')
//             + r^3/3 sum Omega vv' + 4 pi/15 r^5 Id (3)
// What is missing has vanished by the divergence theorem: over K (int x n' dA = V Id), over each
// face (the out-pointing normals of its edges), and over each cone of normals, whose sides two
// vertices share. Omega is what the angles of the faces at v lack of 2 pi. So no piece needs its
// neighbours, and nothing is cut or iterated. All about the centre of K.
//
// SPDX-License-Identifier: MIT
#include "shape/kinds.h"

static impVec3 outward(double r, impVec3 direction) {
    double length = norm(direction);
    if (!(length > 0)) return vec(0, 0, r);
    return vec(r * (direction.x / length), r * (direction.y / length), r * (direction.z / length));
}

impVec3 shape_rounded_support(impVec3 corner, double r, impVec3 direction) {
    return r > 0 ? add(corner, outward(r, direction)) : corner;
}

// --- sums over faces, edges and vertices ---------------------------------------------------------
typedef struct Steiner {
    const impVec3 *vertex;
    impVec3 center;              // of the core; what follows is counted from there
    double area, length;         // length: sum of theta L
    Mat3 face, normal;           // int_dK xx' dA, sum A nn'
    Mat3 edge, along, vertices;  // sum theta (L mm' + L^3/12 uu'), sum theta L uu', sum Omega vv'
    impVec3 on_faces, on_edges, on_vertices;  // the sums of (2)
} Steiner;

static void put(Mat3 *sum, double weight, impVec3 a) {
    *sum = mat3_add(*sum, mat3_scale(weight, outer(a, a)));
}

static impVec3 corner(const Steiner *s, int32_t v) { return sub(s->vertex[v], s->center); }

// Over a triangle: int x = A s / 3, int xx' = A / 12 (aa' + bb' + cc' + ss') with s = a + b + c.
static void add_triangle(Steiner *s, impVec3 a, impVec3 b, impVec3 c, impVec3 n) {
    double area = 0.5 * dot(n, cross(sub(b, a), sub(c, a)));
    impVec3 sum = add(add(a, b), c);
    s->area += area;
    s->on_faces = madd(s->on_faces, area / 3, sum);
    put(&s->face, area / 12, a);
    put(&s->face, area / 12, b);
    put(&s->face, area / 12, c);
    put(&s->face, area / 12, sum);
    put(&s->normal, area, n);
}

static double angle(impVec3 a, impVec3 b) { return num_atan2(norm(cross(a, b)), dot(a, b)); }

static void add_vertex(Steiner *s, impVec3 v, double solid_angle) {
    s->on_vertices = madd(s->on_vertices, solid_angle, v);
    put(&s->vertices, solid_angle, v);
}

// A face gives its area, and at each corner takes its angle from what that vertex has.
static void add_face(Steiner *s, const Face *f, const int32_t *loop) {
    for (int k = 0; k < f->count; k++) {
        impVec3 at = corner(s, loop[k]);
        impVec3 next = corner(s, loop[(k + 1) % f->count]);
        impVec3 last = corner(s, loop[(k + f->count - 1) % f->count]);
        add_vertex(s, at, -angle(sub(next, at), sub(last, at)));
        if (k >= 2) {
            add_triangle(s, corner(s, loop[0]), last, at, f->normal);
        }
    }
}

static void add_edge(Steiner *s, const Edge *e, impVec3 left, impVec3 right) {
    impVec3 middle = scale(0.5, add(corner(s, e->tail), corner(s, e->head)));
    double theta = angle(left, right);
    double l = e->length;
    s->length += theta * l;
    s->on_edges = madd(s->on_edges, theta * l, middle);
    put(&s->edge, theta * l, middle);
    put(&s->edge, theta * l * l * l / 12, e->direction);
    put(&s->along, theta * l, e->direction);
}

static Steiner sums_of(const Shape *shape, const Geometry *g, impVec3 center) {
    Steiner s = { .vertex = g->vertex + shape->first_vertex, .center = center };
    const Face *face = g->face + shape->first_face;
    const Edge *edge = g->edge + shape->first_edge;
    for (int f = 0; f < shape->face_count; f++) {
        add_face(&s, &face[f], g->loop + face[f].first);
    }
    for (int e = 0; e < shape->edge_count; e++) {
        add_edge(&s, &edge[e], face[edge[e].left].normal, face[edge[e].right].normal);
    }
    for (int v = 0; v < shape->vertex_count; v++) {
        add_vertex(&s, corner(&s, v), TAU);
    }
    return s;
}

// --- the solid -----------------------------------------------------------------------------------
static Mat3 diagonal(double a) { return mat3_diagonal(a, a, a); }

static Mat3 second_moments(const Steiner *s, const Solid *core, double r) {  // (3)
    double r2 = r * r;
    double r3 = r2 * r;
    double r4 = r2 * r2;
    double half = 0.5 * trace(core->inertia);
    // int xx' of the core, from its inertia
    Mat3 c = mat3_add(diagonal(half), mat3_scale(-1, core->inertia));
    c = mat3_add(c, mat3_scale(r, s->face));
    c = mat3_add(c, diagonal(r2 * core->volume + 2 * r3 / 3 * s->area));
    c = mat3_add(c, mat3_scale(-r3 / 3, s->normal));
    c = mat3_add(c, mat3_scale(r2 / 2, s->edge));
    c = mat3_add(c, mat3_scale(r4 / 8, mat3_add(diagonal(s->length), s->along)));
    c = mat3_add(c, mat3_scale(r3 / 3, s->vertices));
    return mat3_add(c, diagonal(4 * PI / 15 * r4 * r));
}

Solid shape_rounded_solid(const Shape *shape, const Geometry *g, Solid core) {
    double r = shape->radius;
    double r2 = r * r;
    double r3 = r2 * r;
    Steiner s = sums_of(shape, g, core.center);
    double volume = core.volume + s.area * r + r2 / 2 * s.length + 4 * PI / 3 * r3;  // (1)
    impVec3 first = scale(r, s.on_faces);                                            // (2)
    first = madd(madd(first, r2 / 2, s.on_edges), r3 / 3, s.on_vertices);
    impVec3 shift = scale(1 / volume, first);
    Mat3 c = mat3_add(second_moments(&s, &core, r), mat3_scale(-volume, outer(shift, shift)));
    Mat3 inertia = mat3_add(diagonal(trace(c)), mat3_scale(-1, c));
    return (Solid){ .volume = volume, .center = add(core.center, shift), .inertia = inertia };
}
