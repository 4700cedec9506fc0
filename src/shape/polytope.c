// polytope.c -- from loops that bound a convex body to a polytope: flat pieces merged, in one
// canonical order, checked.
//
// Closest features walk from face to face, and would walk for ever between two halves of one flat
// side (Mirtich, V-Clip, 1998): coplanar pieces become one polygon. What is
// coplanar is decided by distance, not by angle, since a sliver's angle is noise: pieces are
// gathered around the largest one as long as all their corners lie within `tolerance` of the common
// plane. It is what rounding makes of a flat side,
//     tolerance = 1e-13 of the longest side of the box + 4 ulp of the largest coordinate,
// so that planes and vertices bound one and the same body to the 1e-12 that distances are good for.
// Sides that went through single precision or six printed digits are not flat: they stay the
// triangles that the points span.
//
// Where slivers have no direction to speak of, the faces of so fine a tolerance fail a check below;
// then it is multiplied by ten and the work done again, up to
//     coarse = min(1e-6 of the longest side, 1e-3 of the thickness),
// which is also how flat faces that are given must be. (Faces given as polygons that are not flat
// to rounding are found anew from the points, by hull.c.)
//
// Corners at which fewer than three faces meet are left out. A face's normal is that of Newell's
// formula over its loop; its offset is the largest n . x over all points, so that no point is ever
// outside: by up to the tolerance the planes bound a little more than the vertices span, never
// less. Checked: each edge is used once in each sense, V - E + F = 2, loops are convex and simple,
// loops and planes agree and every point lies inside, each to within four tolerances.
//
// The order is canonical (vertices by x, y, z; each loop from its smallest vertex; faces by their
// loops), so the bits of the result do not depend on how the faces were found, nor in which order.
// Left out: degenerate input; hull.c refuses it before.
//
// SPDX-License-Identifier: MIT
#include "shape/kinds.h"

#include <limits.h>
#include <string.h>

enum { REGROWTHS = 4 };
static const double merge_size = 1e-13, merge_ulps = 4, coarse_size = 1e-6, coarse_thickness = 1e-3,
                    slack = 4;
static const double brute_work = 5e7;  // face-point pairs that are simply all looked at

typedef struct Net {  // half edges of the soup, and its pieces
    const Soup *soup;
    int halves;
    const int32_t *tail;  // the soup's loop
    int32_t *head, *next, *face, *twin;
    impVec3 *area;     // area vector of each piece, twice
    int32_t *by_area;  // pieces, largest first
    double tolerance;
    // of one attempt
    int32_t *region, *queue;  // of each piece; pieces of the region that grows
    int32_t *degree;          // of each point: boundary edges that leave it
    int regions;
} Net;

// --- Pieces and their neighbours -----------------------------------------------------------------

// twice the area vector
static impVec3 newell(const impVec3 *point, const int32_t *loop, int count) {
    impVec3 sum = vec(0, 0, 0);
    impVec3 a = point[loop[0]];
    for (int k = 2; k < count; k++) {
        sum = add(sum, cross(sub(point[loop[k - 1]], a), sub(point[loop[k]], a)));
    }
    return sum;
}

// Of a triangle with a short side: from the two shorter sides, since two long ones that are nearly
// parallel would give the direction of their rounding.
static impVec3 area_vector(const impVec3 *point, const int32_t *loop, int count) {
    if (count != 3) return newell(point, loop, count);
    impVec3 side[3];
    int longest = 0;
    for (int k = 0; k < 3; k++) {
        side[k] = sub(point[loop[(k + 1) % 3]], point[loop[k]]);
    }
    for (int k = 1; k < 3; k++) {
        longest = dot(side[k], side[k]) > dot(side[longest], side[longest]) ? k : longest;
    }
    return cross(side[(longest + 1) % 3], side[(longest + 2) % 3]);
}

static bool larger_piece(const void *context, int32_t i, int32_t j) {
    const impVec3 *area = context;
    return dot(area[i], area[i]) > dot(area[j], area[j]);
}

static bool take_net(Net *net, const Soup *soup, Pool *scratch) {
    int halves = soup->first[soup->face_count];
    int faces = soup->face_count;
    *net = (Net){ .soup = soup, .halves = halves, .tail = soup->loop };
    net->head = POOL_TAKE(scratch, int32_t, halves);
    net->next = POOL_TAKE(scratch, int32_t, halves);
    net->face = POOL_TAKE(scratch, int32_t, halves);
    net->twin = POOL_TAKE(scratch, int32_t, halves);
    net->area = POOL_TAKE(scratch, impVec3, faces);
    net->by_area = POOL_TAKE(scratch, int32_t, faces);
    net->region = POOL_TAKE(scratch, int32_t, faces);
    net->queue = POOL_TAKE(scratch, int32_t, faces);
    net->degree = POOL_TAKE(scratch, int32_t, soup->point_count);
    return net->head && net->next && net->face && net->twin && net->area && net->by_area &&
           net->region && net->queue && net->degree;
}

static void fill_net(Net *net) {
    const Soup *s = net->soup;
    for (int32_t f = 0; f < s->face_count; f++) {
        int32_t first = s->first[f];
        int32_t end = s->first[f + 1];
        for (int32_t h = first; h < end; h++) {
            net->next[h] = h + 1 < end ? h + 1 : first;
            net->head[h] = s->loop[net->next[h]];
            net->face[h] = f;
        }
        net->area[f] = area_vector(s->point, s->loop + first, end - first);
        net->by_area[f] = f;
    }
    sort_stable(net->by_area, net->queue, s->face_count, larger_piece, net->area);
}

static bool opposite(const Net *net, int32_t a, int32_t b) {
    return net->tail[a] == net->head[b] && net->head[a] == net->tail[b];
}

static bool same_ends(const Net *net, int32_t a, int32_t b) {
    return opposite(net, a, b) || (net->tail[a] == net->tail[b] && net->head[a] == net->head[b]);
}

// Each edge exactly once in each sense, or the report says which is not.
static PolytopeReport find_twins(Net *net, Pool *scratch) {
    int32_t *order = POOL_TAKE(scratch, int32_t, net->halves);
    int32_t *spare = POOL_TAKE(scratch, int32_t, net->halves);
    int32_t *start = POOL_TAKE(scratch, int32_t, (size_t)net->soup->point_count + 1);
    if (!order || !spare || !start) return (PolytopeReport){ .flaw = POLYTOPE_NO_MEMORY };
    shape_sort_edges(net->tail, net->head, net->halves, net->soup->point_count, order, spare,
                     start);
    for (int k = 0; k < net->halves; k += 2) {
        int32_t a = order[k];
        int32_t b = k + 1 < net->halves ? order[k + 1] : a;
        bool third = k + 2 < net->halves && same_ends(net, a, order[k + 2]);
        if (a == b || !opposite(net, a, b) || third) {
            return (
                PolytopeReport){ POLYTOPE_OPEN, net->face[a], { net->tail[a], net->head[a] }, 0 };
        }
        net->twin[a] = b;
        net->twin[b] = a;
    }
    return (PolytopeReport){ .flaw = POLYTOPE_SOUND };
}

// --- Merging -------------------------------------------------------------------------------------

typedef struct Flat {
    impVec3 normal;
    double offset;
} Flat;

static double longest_side(const Net *net, int32_t piece) {
    const Soup *s = net->soup;
    double longest = 0;
    for (int32_t h = s->first[piece]; h < s->first[piece + 1]; h++) {
        impVec3 side = sub(s->point[net->head[h]], s->point[net->tail[h]]);
        if (dot(side, side) > longest) {
            longest = dot(side, side);
        }
    }
    return sqrt(longest);
}

// A piece whose height is within the tolerance has no direction of its own: it lies along an edge,
// and goes with any face that has room for it.
static bool is_sliver(const Net *net, int32_t piece) {
    return norm(net->area[piece]) <= net->tolerance * longest_side(net, piece);
}

static bool fits(const Net *net, int32_t piece, Flat flat) {
    const Soup *s = net->soup;
    bool sliver = is_sliver(net, piece);
    double room = sliver ? 2 * net->tolerance : net->tolerance;
    if (!sliver && dot(net->area[piece], flat.normal) <= 0) return false;
    for (int32_t h = s->first[piece]; h < s->first[piece + 1]; h++) {
        if (!(fabs(dot(flat.normal, s->point[s->loop[h]]) - flat.offset) <= room)) return false;
    }
    return true;
}

// The mean plane of the pieces gathered: their area vectors summed, the offset averaged over their
// corners.
static Flat plane_of_queue(const Net *net, int count) {
    impVec3 sum = vec(0, 0, 0);
    double offset = 0;
    int corners = 0;
    for (int k = 0; k < count; k++) {
        sum = add(sum, net->area[net->queue[k]]);
    }
    double length = norm(sum);
    impVec3 n = length > 0 ? scale(1 / length, sum) : sum;
    for (int k = 0; k < count; k++) {
        const Soup *s = net->soup;
        for (int32_t h = s->first[net->queue[k]]; h < s->first[net->queue[k] + 1]; h++, corners++) {
            offset += dot(n, s->point[s->loop[h]]);
        }
    }
    return (Flat){ n, offset / corners };
}

static int gather_neighbours(Net *net, int count, int32_t region, Flat flat) {
    const Soup *s = net->soup;
    for (int k = 0; k < count; k++) {
        int32_t piece = net->queue[k];
        for (int32_t h = s->first[piece]; h < s->first[piece + 1]; h++) {
            int32_t other = net->face[net->twin[h]];
            if (net->region[other] >= 0 || !fits(net, other, flat)) continue;
            net->region[other] = region;
            net->queue[count++] = other;
        }
    }
    return count;
}

static void grow_region(Net *net, int32_t seed, int32_t region) {
    int count = 1;
    net->queue[0] = seed;
    net->region[seed] = region;
    // a wider base, a better plane
    for (int pass = 0, before = 0; pass < REGROWTHS && count > before; pass++) {
        before = count;
        count = gather_neighbours(net, count, region, plane_of_queue(net, count));
    }
}

static bool on_boundary(const Net *net, int32_t half) {
    return net->region[net->face[half]] != net->region[net->face[net->twin[half]]];
}

static void grow_regions(Net *net) {
    net->regions = 0;
    for (int f = 0; f < net->soup->face_count; f++) {
        net->region[f] = -1;
    }
    for (int k = 0; k < net->soup->face_count; k++) {
        if (net->region[net->by_area[k]] < 0) {
            grow_region(net, net->by_area[k], net->regions++);
        }
    }
    memset(net->degree, 0, sizeof *net->degree * (size_t)net->soup->point_count);
    for (int32_t h = 0; h < net->halves; h++) {
        net->degree[net->tail[h]] += on_boundary(net, h);
    }
}

// --- Loops of the merged faces -------------------------------------------------------------------

// the polytope that comes out, still in the soup's numbering
typedef struct Draft {
    int32_t *loop, *first;  // of region r
    int32_t *start;         // a boundary half edge of region r, or -1
    int32_t *boundary;      // how many region r has
    int32_t *seen;          // region that met a point last
    int32_t *fresh;         // point -> vertex, or -1
    int vertices;
} Draft;

static bool take_draft(Draft *d, const Net *net, Pool *scratch) {
    int faces = net->soup->face_count;
    int points = net->soup->point_count;
    d->loop = POOL_TAKE(scratch, int32_t, net->halves);
    d->first = POOL_TAKE(scratch, int32_t, (size_t)faces + 1);
    d->start = POOL_TAKE(scratch, int32_t, faces);
    d->boundary = POOL_TAKE(scratch, int32_t, faces);
    d->seen = POOL_TAKE(scratch, int32_t, points);
    d->fresh = POOL_TAKE(scratch, int32_t, points);
    return d->loop && d->first && d->start && d->boundary && d->seen && d->fresh;
}

static void find_starts(Draft *d, const Net *net) {
    for (int r = 0; r < net->regions; r++) {
        d->start[r] = -1;
        d->boundary[r] = 0;
    }
    for (int32_t h = 0; h < net->halves; h++) {
        int32_t r = net->region[net->face[h]];
        if (!on_boundary(net, h)) continue;
        d->boundary[r]++;
        if (d->start[r] < 0) {
            d->start[r] = h;
        }
    }
}

// turns around its head, through its own region
static int32_t next_on_boundary(const Net *net, int32_t half) {
    int32_t h = net->next[half];
    while (!on_boundary(net, h)) {
        h = net->next[net->twin[h]];
    }
    return h;
}

// One region's loop: all of its boundary in one round, no point twice, three corners at least.
static bool trace_loop(Draft *d, const Net *net, int32_t r) {
    int32_t end = d->first[r];
    int32_t rounds = 0;
    int32_t h = d->start[r];
    if (h < 0) return false;
    do {
        int32_t v = net->tail[h];
        if (d->seen[v] == r) return false;
        d->seen[v] = r;
        if (net->degree[v] >= 3) {
            d->loop[end++] = v;
        }
        h = next_on_boundary(net, h);
    } while (++rounds < d->boundary[r] && h != d->start[r]);
    d->first[r + 1] = end;
    return h == d->start[r] && rounds == d->boundary[r] && end - d->first[r] >= 3;
}

static bool trace_loops(Draft *d, const Net *net) {
    find_starts(d, net);
    for (int v = 0; v < net->soup->point_count; v++) {
        d->seen[v] = -1;
    }
    for (int32_t r = 0; r < net->regions; r++) {
        if (!trace_loop(d, net, r)) return false;
    }
    return true;
}

// --- Canonical order -----------------------------------------------------------------------------

static bool earlier_point(const void *context, int32_t i, int32_t j) {
    const impVec3 *p = context;
    if (p[i].x != p[j].x) return p[i].x < p[j].x;
    if (p[i].y != p[j].y) return p[i].y < p[j].y;
    return p[i].z < p[j].z;
}

static bool number_vertices(Polytope *out, Draft *d, const Net *net, Pool *pool, Pool *scratch) {
    int points = net->soup->point_count;
    int count = 0;
    int32_t *order = POOL_TAKE(scratch, int32_t, points);
    int32_t *spare = POOL_TAKE(scratch, int32_t, points);
    if (!order || !spare) return false;
    for (int32_t v = 0; v < points; v++) {
        d->fresh[v] = -1;
        if (net->degree[v] >= 3) {
            order[count++] = v;
        }
    }
    sort_stable(order, spare, count, earlier_point, net->soup->point);
    out->vertex = POOL_TAKE(pool, impVec3, count);
    if (!out->vertex) return false;
    out->vertex_count = count;
    for (int32_t k = 0; k < count; k++) {
        out->vertex[k] = net->soup->point[order[k]];
        d->fresh[order[k]] = k;
    }
    return true;
}

static void start_at_smallest(int32_t *to, const int32_t *from, int count) {
    int smallest = 0;
    for (int k = 1; k < count; k++) {
        smallest = from[k] < from[smallest] ? k : smallest;
    }
    for (int k = 0; k < count; k++) {
        to[k] = from[(smallest + k) % count];
    }
}

static bool earlier_loop(const void *context, int32_t i, int32_t j) {
    const Draft *d = context;
    const int32_t *a = d->loop + d->first[i];
    const int32_t *b = d->loop + d->first[j];
    int a_count = d->first[i + 1] - d->first[i];
    int b_count = d->first[j + 1] - d->first[j];
    for (int k = 0; k < a_count && k < b_count; k++) {
        if (a[k] != b[k]) return a[k] < b[k];
    }
    return a_count < b_count;
}

static bool number_faces(Polytope *out, Draft *d, const Net *net, Pool *pool, Pool *scratch) {
    int total = d->first[net->regions];
    int faces = net->regions;
    int32_t *turned_loop = POOL_TAKE(scratch, int32_t, total);
    int32_t *order = POOL_TAKE(scratch, int32_t, faces);
    int32_t *spare = POOL_TAKE(scratch, int32_t, faces);
    out->loop = POOL_TAKE(pool, int32_t, total);
    out->face = POOL_TAKE(pool, Face, faces);
    if (!turned_loop || !order || !spare || !out->loop || !out->face) return false;
    for (int k = 0; k < total; k++) {
        d->loop[k] = d->fresh[d->loop[k]];
    }
    for (int32_t r = 0; r < faces; r++) {
        start_at_smallest(turned_loop + d->first[r], d->loop + d->first[r],
                          d->first[r + 1] - d->first[r]);
        order[r] = r;
    }
    memcpy(d->loop, turned_loop, sizeof *turned_loop * (size_t)total);
    sort_stable(order, spare, faces, earlier_loop, d);
    for (int k = 0; k < faces; k++) {
        int count = d->first[order[k] + 1] - d->first[order[k]];
        memcpy(out->loop + out->loop_count, d->loop + d->first[order[k]],
               sizeof *out->loop * (size_t)count);
        out->face[out->face_count++] = (Face){ .first = out->loop_count, .count = count };
        out->loop_count += count;
    }
    return true;
}

// --- Planes and checks ---------------------------------------------------------------------------

typedef struct Checks {
    Polytope *p;
    const Soup *soup;
    double tolerance;
    int32_t *side;  // of each place in loop: the face across the edge that starts there
    impVec3 center;
} Checks;

typedef enum Answer { FLAWED, SOUND, NO_MEMORY } Answer;

// Also finds the neighbours that the other checks ask for.
static Answer every_edge_twice(Checks *c, Pool *scratch) {
    Polytope *p = c->p;
    int32_t *first = POOL_TAKE(scratch, int32_t, (size_t)p->face_count + 1);
    for (int f = 0; first && f < p->face_count; f++) {
        first[f] = p->face[f].first;
    }
    if (first) {
        first[p->face_count] = p->loop_count;
    }
    Soup own = { p->vertex, p->vertex_count, p->loop, first, p->face_count };
    Net net;
    c->side = POOL_TAKE(scratch, int32_t, p->loop_count);
    if (!first || !c->side || !take_net(&net, &own, scratch)) return NO_MEMORY;
    fill_net(&net);
    PolytopeFlaw flaw = find_twins(&net, scratch).flaw;
    if (flaw != POLYTOPE_SOUND) return flaw == POLYTOPE_NO_MEMORY ? NO_MEMORY : FLAWED;
    for (int h = 0; h < p->loop_count; h++) {
        c->side[h] = net.face[net.twin[h]];
    }
    return p->vertex_count - p->loop_count / 2 + p->face_count == 2 ? SOUND : FLAWED;
}

static double farthest_along(impVec3 n, const impVec3 *point, int count) {
    double far = -HUGE_VAL;
    for (int i = 0; i < count; i++) {
        far = dot(n, point[i]) > far ? dot(n, point[i]) : far;
    }
    return far;
}

static double loop_along(const Polytope *p, const Face *face, impVec3 n, double *least) {
    double far = -HUGE_VAL;
    *least = HUGE_VAL;
    for (int k = 0; k < face->count; k++) {
        double along = dot(n, p->vertex[p->loop[face->first + k]]);
        far = along > far ? along : far;
        *least = along < *least ? along : *least;
    }
    return far;
}

// From a point, or, with a direction, from the line through it.
static int farthest_corner(const Polytope *p, const Face *face, impVec3 from, impVec3 along) {
    int best = 0;
    double most = -1;
    for (int k = 0; k < face->count; k++) {
        impVec3 arm = sub(p->vertex[p->loop[face->first + k]], from);
        arm = madd(arm, -dot(arm, along), along);
        if (dot(arm, arm) > most) {
            most = dot(arm, arm);
            best = k;
        }
    }
    return p->loop[face->first + best];
}

// A long and narrow loop has lost digits of its normal: it is made square to the loop's length and
// to its width.
static impVec3 sharpened(const Polytope *p, const Face *face, impVec3 n) {
    impVec3 none = vec(0, 0, 0);
    impVec3 a = p->vertex[farthest_corner(p, face, p->vertex[p->loop[face->first]], none)];
    impVec3 length = sub(p->vertex[farthest_corner(p, face, a, none)], a);
    impVec3 u = scale(1 / norm(length), length);
    impVec3 arm = sub(p->vertex[farthest_corner(p, face, a, u)], a);
    impVec3 width = madd(arm, -dot(arm, u), u);
    impVec3 square = cross(u, width);
    square = scale((dot(square, n) < 0 ? -1 : 1) / norm(square), square);
    return madd(square, -dot(square, u), u);
}

// how far the loop is from flat
static double spread(const Polytope *p, const Face *face, impVec3 n) {
    double least;
    double most = loop_along(p, face, n, &least);
    return most - least;
}

// Normal and offset of one face; how far its deepest corner lies below is what merging cost, and
// must be small.
static bool set_plane(const Checks *c, Face *face, bool brute) {
    const Polytope *p = c->p;
    double least, ignored;
    impVec3 n = newell(p->vertex, p->loop + face->first, face->count);
    face->normal = n = scale(1 / norm(n), n);
    if (!finite3(n)) return false;
    if (spread(p, face, n) > 0.1 * c->tolerance) {
        impVec3 sharp = sharpened(p, face, n);
        if (spread(p, face, sharp) < spread(p, face, n)) {
            face->normal = n = sharp;
        }
    }
    face->offset = loop_along(p, face, n, &least);
    // a convex body bends away from its neighbours first
    for (int k = 0; k < face->count && !brute; k++) {
        double near = loop_along(p, p->face + c->side[face->first + k], n, &ignored);
        face->offset = near > face->offset ? near : face->offset;
    }
    if (brute) {
        face->offset = farthest_along(n, c->soup->point, c->soup->point_count);
    }
    return face->offset - least <= slack * c->tolerance && face->offset > dot(n, c->center);
}

static bool loop_is_convex(const Checks *c, const Face *face) {
    const int32_t *loop = c->p->loop + face->first;
    for (int k = 0; k < face->count; k++) {
        impVec3 a = c->p->vertex[loop[k]];
        impVec3 b = c->p->vertex[loop[(k + 1) % face->count]];
        impVec3 d = c->p->vertex[loop[(k + 2) % face->count]];
        double rotation = dot(face->normal, cross(sub(b, a), sub(d, b)));
        // b lies that deep inside the line a d
        if (rotation < -slack * c->tolerance * norm(sub(d, a))) return false;
    }
    return true;
}

// 1 on the plane of the face, less inside
static double share(const Checks *c, int face, impVec3 arm) {
    const Face *f = c->p->face + face;
    return dot(f->normal, arm) / (f->offset - dot(f->normal, c->center));
}

// The face that the ray from the centre to a point goes through: uphill from face to face, which on
// a convex body leads to the top. Then no other plane is nearer to the point.
static int face_toward(const Checks *c, int face, impVec3 arm) {
    for (int steps = 0; steps < c->p->face_count; steps++) {
        const Face *f = c->p->face + face;
        int best = face;
        double most = share(c, face, arm);
        for (int k = 0; k < f->count; k++) {
            int other = c->side[f->first + k];
            double its = share(c, other, arm);
            if (its > most) {
                most = its;
                best = other;
            }
        }
        if (best == face) break;
        face = best;
    }
    return face;
}

static bool all_points_inside(const Checks *c) {
    int face = 0;
    for (int i = 0; i < c->soup->point_count; i++) {
        impVec3 x = c->soup->point[i];
        face = face_toward(c, face, sub(x, c->center));
        if (dot(c->p->face[face].normal, x) > c->p->face[face].offset + slack * c->tolerance)
            return false;
    }
    return true;
}

static impVec3 mean(const impVec3 *point, int count) {
    impVec3 sum = vec(0, 0, 0);
    for (int i = 0; i < count; i++) {
        sum = add(sum, point[i]);
    }
    return scale(1.0 / count, sum);
}

static Answer check(Polytope *p, const Net *net, Pool *scratch) {
    Checks c = { .p = p,
                 .soup = net->soup,
                 .tolerance = net->tolerance,
                 .center = mean(p->vertex, p->vertex_count) };
    bool brute = (double)p->face_count * net->soup->point_count <= brute_work;
    Answer edges = every_edge_twice(&c, scratch);
    if (edges != SOUND) return edges;
    for (int f = 0; f < p->face_count; f++) {
        if (!set_plane(&c, p->face + f, brute) || !loop_is_convex(&c, p->face + f)) return FLAWED;
    }
    return brute || all_points_inside(&c) ? SOUND : FLAWED;
}

// --- All of it -----------------------------------------------------------------------------------

// longest side of the box, largest coordinate
typedef struct Extent {
    double size, far;
} Extent;

static Extent extent_of(const impVec3 *point, int count) {
    impVec3 low = point[0];
    impVec3 high = low;
    for (int i = 1; i < count; i++) {
        low = lower(low, point[i]);
        high = upper(high, point[i]);
    }
    return (Extent){ largest(sub(high, low)), max2(largest(low), largest(high)) };
}

double shape_polytope_tolerance(const impVec3 *point, int count) {
    int dimension;
    double size = extent_of(point, count).size;
    double thickness = shape_flatness(point, count, &dimension) * size;
    return min2(coarse_size * size, coarse_thickness * thickness);
}

double shape_polytope_finest(const impVec3 *point, int count) {
    Extent e = extent_of(point, count);
    return min2(merge_size * e.size + merge_ulps * DBL_EPSILON * e.far,
                shape_polytope_tolerance(point, count));
}

static Answer attempt(Polytope *out, Pool *pool, Net *net, Pool *scratch) {
    Draft draft = { 0 };
    *out = (Polytope){ 0 };
    if (!take_draft(&draft, net, scratch)) return NO_MEMORY;
    grow_regions(net);
    if (net->regions < 4 || !trace_loops(&draft, net)) return FLAWED;
    if (!number_vertices(out, &draft, net, pool, scratch)) return NO_MEMORY;
    if (!number_faces(out, &draft, net, pool, scratch)) return NO_MEMORY;
    return check(out, net, scratch);
}

static PolytopeReport build(Polytope *out, Pool *pool, const Soup *soup, Pool *scratch) {
    Net net;
    if (!take_net(&net, soup, scratch)) return (PolytopeReport){ .flaw = POLYTOPE_NO_MEMORY };
    fill_net(&net);
    PolytopeReport report = find_twins(&net, scratch);
    double coarse = shape_polytope_tolerance(soup->point, soup->point_count);
    net.tolerance = shape_polytope_finest(soup->point, soup->point_count);
    while (report.flaw == POLYTOPE_SOUND) {
        Pool inner = { 0 };
        Answer answer = attempt(out, pool, &net, &inner);
        pool_free(&inner);
        report.tolerance = net.tolerance;
        if (answer == SOUND) return report;
        if (answer == NO_MEMORY) {
            report.flaw = POLYTOPE_NO_MEMORY;
        }
        if (!(net.tolerance < coarse)) break;
        net.tolerance = min2(10 * net.tolerance, coarse);
    }
    if (report.flaw == POLYTOPE_SOUND) {
        report.flaw = POLYTOPE_TANGLED;
    }
    return report;
}

PolytopeReport shape_polytope(Polytope *out, Pool *pool, const Soup *soup) {
    Pool scratch = { 0 };
    PolytopeReport report = build(out, pool, soup, &scratch);
    pool_free(&scratch);
    return report;
}
