// hull.c -- the convex hull of points, or a convex polyhedron whose faces are given.
//
// Hulls are found by qhull (Barber, Dobkin, Huhdanpaa, "The Quickhull algorithm for convex hulls",
// 1996), where the build has it: only the corner numbers of its triangles are taken, from points
// that are sorted first, and everything else (faces, order, planes, checks) is polytope.c's, so
// that no bit depends on qhull, nor on the order of the points. When its triangles fail the checks,
// it is asked once more with its input joggled, which gives clean triangles of points moved by some
// 1e-11 of their size.
//
// Faces that are given are checked one by one first (flat, right side out, nothing outside),
// because then the message can name the face. Points that are no corners are allowed as long as
// they are inside. Polygons that are flat to a millionth but not to rounding, as in files of few
// digits, are taken for a list of points: qhull finds the triangles that they span. (A build
// without it keeps them, with planes that touch the outermost corner.)
//
// SPDX-License-Identifier: MIT
#include "shape/kinds.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#if defined(IMPEL_QHULL)
#include <libqhull_r/libqhull_r.h>
#endif

typedef struct Hull {  // what the steps of one call hand on
    PointList list;
    Where at;
    const char *who;
    impError *err;
    Pool *scratch;
    impVec3 *point;     // sorted by x, y, z, each once
    int32_t *original;  // number of the first equal point in the list
    int32_t *fresh;     // list -> point
    int point_count;
    int32_t *loop, *first;  // faces in the numbering of point
    int face_count;
    bool starved;  // the last search ended for want of memory
} Hull;

// --- Points --------------------------------------------------------------------------------------

static bool earlier(const void *context, int32_t i, int32_t j) {
    const impVec3 *p = context;
    if (p[i].x != p[j].x) return p[i].x < p[j].x;
    if (p[i].y != p[j].y) return p[i].y < p[j].y;
    return p[i].z < p[j].z;
}

static bool sort_points(Hull *h) {
    int count = h->list.point_count;
    const impVec3 *p = h->list.points;
    int32_t *order = POOL_TAKE(h->scratch, int32_t, count);
    int32_t *spare = POOL_TAKE(h->scratch, int32_t, count);
    h->point = POOL_TAKE(h->scratch, impVec3, count);
    h->original = POOL_TAKE(h->scratch, int32_t, count);
    h->fresh = POOL_TAKE(h->scratch, int32_t, count);
    if (!order || !spare || !h->point || !h->original || !h->fresh) return fail_memory(h->err);
    for (int32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    sort_stable(order, spare, count, earlier, p);
    for (int k = 0; k < count; k++) {
        int32_t i = order[k];
        if (k == 0 || earlier(p, order[k - 1], i)) {
            h->original[h->point_count] = i;
            // -0 becomes +0
            h->point[h->point_count++] = add(p[i], vec(0, 0, 0));
        }
        h->fresh[i] = h->point_count - 1;
    }
    return true;
}

static bool check_dimension(const Hull *h) {
    static const char *const lie[] = { "are all equal", "lie on a line", "lie in a plane" };
    int dimension;
    shape_flatness(h->point, h->point_count, &dimension);
    if (dimension == 3) return true;
    return fail(h->err, h->at, "%s: the %d points %s (dimension %d); a hull needs volume", h->who,
                h->list.point_count, lie[dimension], dimension);
}

// --- Faces that are given ------------------------------------------------------------------------

static int original(const Hull *h, int32_t point) { return h->original[point]; }

// One face of the list, its count at ints[0]; false: the coding is broken, and so is all that
// follows.
static bool read_face(Hull *h, const int32_t *ints, int left, int face) {
    int count = ints[0];
    if (count < 3 || count > left - 1) {
        return fail(h->err, h->at,
                    "%s: face %d has %d points; it must have at least 3, all of them in the list",
                    h->who, face, count);
    }
    int32_t *loop = h->loop + h->first[face];
    for (int k = 0; k < count; k++) {
        if (ints[1 + k] < 0 || ints[1 + k] >= h->list.point_count) {
            return fail(h->err, h->at, "%s: face %d names point %d; there are %d, counted from 0",
                        h->who, face, (int)ints[1 + k], h->list.point_count);
        }
        loop[k] = h->fresh[ints[1 + k]];
        // longer loops: polytope.c finds it
        for (int before = 0; before < k && count <= 64; before++) {
            if (loop[before] != loop[k]) continue;
            return fail(h->err, h->at, "%s: face %d names point %d twice, or two equal ones",
                        h->who, face, (int)ints[1 + k]);
        }
    }
    h->first[face + 1] = h->first[face] + count;
    return true;
}

static bool read_faces(Hull *h) {
    h->loop = POOL_TAKE(h->scratch, int32_t, h->list.face_ints);
    h->first = POOL_TAKE(h->scratch, int32_t, (size_t)h->list.face_ints + 1);
    if (!h->loop || !h->first) return fail_memory(h->err);
    for (int at = 0; at < h->list.face_ints; at += 1 + h->list.faces[at]) {
        if (!read_face(h, h->list.faces + at, h->list.face_ints - at, h->face_count)) return false;
        h->face_count++;
    }
    return true;
}

typedef struct Side {
    impVec3 normal;
    double offset;
    double above, below;
    int32_t highest;
} Side;

// its plane and how far the points lie on either side of it
static Side side_of(const Hull *h, int face) {
    const int32_t *loop = h->loop + h->first[face];
    int count = h->first[face + 1] - h->first[face];
    impVec3 a = h->point[loop[0]];
    impVec3 sum = vec(0, 0, 0);
    impVec3 mean = vec(0, 0, 0);
    for (int k = 2; k < count; k++) {
        sum = add(sum, cross(sub(h->point[loop[k - 1]], a), sub(h->point[loop[k]], a)));
    }
    for (int k = 0; k < count; k++) {
        mean = add(mean, scale(1.0 / count, sub(h->point[loop[k]], a)));
    }
    Side s = { .normal = scale(1 / norm(sum), sum) };
    s.offset = dot(s.normal, add(a, mean));
    return s;
}

static void add_to_side(Side *s, const Hull *h, int32_t i) {
    double along = dot(s->normal, h->point[i]) - s->offset;
    if (along > s->above) {
        s->above = along;
        s->highest = i;
    }
    if (-along > s->below) {
        s->below = -along;
    }
}

static bool check_face(const Hull *h, int face, double tolerance, bool all_points) {
    Side s = side_of(h, face);
    if (!finite3(s.normal)) return fail(h->err, h->at, "%s: face %d has no area", h->who, face);
    for (int32_t k = h->first[face]; k < h->first[face + 1]; k++) {
        add_to_side(&s, h, h->loop[k]);
    }
    if (s.above > tolerance || s.below > tolerance) {
        return fail(h->err, h->at, "%s: face %d is not flat: its points lie up to %s m off a plane",
                    h->who, face, show(s.above > s.below ? s.above : s.below).text);
    }
    for (int32_t i = 0; i < h->point_count && all_points; i++) {
        add_to_side(&s, h, i);
    }
    if (s.above <= tolerance) return true;
    if (s.below <= tolerance) {
        return fail(
            h->err, h->at,
            "%s: face %d is inside out; its points must go counter-clockwise, seen from outside",
            h->who, face);
    }
    return fail(h->err, h->at, "%s: not convex: point %d lies %s m outside face %d", h->who,
                original(h, s.highest), show(s.above).text, face);
}

static bool take_given_faces(Hull *h) {
    if (!read_faces(h)) return false;
    double tolerance = shape_polytope_tolerance(h->point, h->point_count);
    bool all_points = (double)h->face_count * h->point_count <= 1e8;
    bool good = true;
    for (int f = 0; f < h->face_count; f++) {
        if (!check_face(h, f, tolerance, all_points)) {
            good = false;
        }
    }
    return good;
}

// --- Faces that qhull finds ----------------------------------------------------------------------

#if defined(IMPEL_QHULL)

// Centred and at most 1 in size, so that qhull's absolute constants mean the same for every hull.
// What is lost by rounding is below what counts as flat.
static double *scaled_points(const Hull *h) {
    double *to = POOL_TAKE(h->scratch, double, 3 * (size_t)h->point_count);
    impVec3 low = h->point[0];
    impVec3 high = low;
    for (int i = 1; i < h->point_count; i++) {
        low = lower(low, h->point[i]);
        high = upper(high, h->point[i]);
    }
    impVec3 middle = add(low, scale(0.5, sub(high, low)));
    double size = largest(sub(high, low));
    for (int i = 0; to && i < h->point_count; i++) {
        impVec3 x = sub(h->point[i], middle);
        to[3 * (size_t)i] = x.x / size;
        to[3 * (size_t)i + 1] = x.y / size;
        to[3 * (size_t)i + 2] = x.z / size;
    }
    return to;
}

static double six_volumes(const Hull *h) {
    double sum = 0;
    impVec3 origin = h->point[0];
    for (int f = 0; f < h->face_count; f++) {
        const int32_t *t = h->loop + h->first[f];
        impVec3 a = sub(h->point[t[0]], origin);
        impVec3 b = sub(h->point[t[1]], origin);
        impVec3 c = sub(h->point[t[2]], origin);
        sum += dot(a, cross(b, c));
    }
    return sum;
}

static void swap(int32_t *a, int32_t *b) {
    int32_t kept = *a;
    *a = *b;
    *b = kept;
}

// the joggled copy has the same order
static int32_t point_number(const qhT *qh, const vertexT *vertex) {
    return (int32_t)((vertex->point - qh->first_point) / 3);
}

// Triangles, wound alike by qhull's own flag; outward as a whole by their volume.
static bool copy_facets(Hull *h, qhT *qh) {
    facetT *facet;
    h->loop = POOL_TAKE(h->scratch, int32_t, 3 * (size_t)qh->num_facets);
    h->first = POOL_TAKE(h->scratch, int32_t, (size_t)qh->num_facets + 1);
    h->starved = !h->loop || !h->first;
    if (h->starved) return false;
    h->face_count = 0;
    FORALLfacets {
        int32_t *t = h->loop + 3 * (size_t)h->face_count;
        if (!facet->simplicial || qh_setsize(qh, facet->vertices) != 3 ||
            h->face_count == qh->num_facets)
            return false;
        for (int k = 0; k < 3; k++) {
            t[k] = point_number(qh, SETelemt_(facet->vertices, k, vertexT));
        }
        if (!facet->toporient) {
            swap(t, t + 1);
        }
        h->face_count++;
        h->first[h->face_count] = 3 * h->face_count;
    }
    if (six_volumes(h) >= 0) return true;
    for (int f = 0; f < h->face_count; f++) {
        swap(h->loop + 3 * (size_t)f, h->loop + 3 * (size_t)f + 1);
    }
    return true;
}

// qhull writes its complaints to a FILE and says the rest by its exit code, having caught its own
// longjmp. The FILE is a small buffer in memory that takes what fits: nothing reaches a terminal or
// a disc.
static bool run_qhull(Hull *h, double *points, const char *options) {
    char complaints[4096], command[64];
    qhT *qh = calloc(1, sizeof *qh);
    FILE *sink = fmemopen(complaints, sizeof complaints, "w");
    bool found = false;
    h->starved = !qh || !sink;
    if (!h->starved) {
        int short_left, total_left;
        print_text(command, sizeof command, "%s", options);
        qh_zero(qh, sink);
        int answer = qh_new_qhull(qh, 3, h->point_count, points, False, command, NULL, sink);
        h->starved = answer == qh_ERRmem;
        found = answer == 0 && copy_facets(h, qh);
        qh_freeqhull(qh, !qh_ALL);
        qh_memfreeshort(qh, &short_left, &total_left);
    }
    if (sink) {
        fclose(sink);
    }
    free(qh);
    return found;
}

static bool find_faces(Hull *h, bool joggled) {
    double *points = scaled_points(h);
    h->starved = points == NULL;
    return points && run_qhull(h, points, joggled ? "qhull QJ QR-1 Pp" : "qhull Qt Pp");
}

#endif

// --- All of it -----------------------------------------------------------------------------------

static bool say_flaw(const Hull *h, PolytopeReport report) {
    if (report.flaw == POLYTOPE_NO_MEMORY) return fail_memory(h->err);
    if (report.flaw == POLYTOPE_OPEN) {
        return fail(
            h->err, h->at,
            "%s: face %d: the edge of points %d and %d is not shared with exactly one other "
            "face, in the opposite sense",
            h->who, report.face, original(h, report.edge[0]), original(h, report.edge[1]));
    }
    return fail(h->err, h->at, "%s: its faces do not close around one convex body", h->who);
}

static PolytopeReport polytope_of(const Hull *h, Polytope *out) {
    Soup soup = { h->point, h->point_count, h->loop, h->first, h->face_count };
    return shape_polytope(out, h->scratch, &soup);
}

// Faces in the order of qhull; false: none that pass the checks, or no memory (h->starved).
static bool search(Hull *h, Polytope *out, double *tolerance) {
#if defined(IMPEL_QHULL)
    for (int joggled = 0; joggled < 2; joggled++) {
        bool found = find_faces(h, joggled);
        // no reason to try for another hull
        if (h->starved) return false;
        if (!found) continue;
        PolytopeReport report = polytope_of(h, out);
        *tolerance = report.tolerance;
        h->starved = report.flaw == POLYTOPE_NO_MEMORY;
        if (h->starved || report.flaw == POLYTOPE_SOUND) return !h->starved;
    }
#else
    (void)h;
    (void)out;
    (void)tolerance;
#endif
    return false;
}

// Polygons whose corners lie off a plane are no faces of the body that the corners span: those are
// found anew.
static bool given_polytope(Hull *h, Polytope *out) {
    if (!take_given_faces(h)) return false;
    PolytopeReport report = polytope_of(h, out);
    if (report.flaw != POLYTOPE_SOUND) return say_flaw(h, report);
    Polytope other = { 0 };
    double tolerance = HUGE_VAL;
    bool found = report.tolerance > shape_polytope_finest(h->point, h->point_count) &&
                 search(h, &other, &tolerance);
    if (h->starved) return fail_memory(h->err);
    if (found && tolerance < report.tolerance) {
        *out = other;
    }
    return true;
}

static bool found_polytope(Hull *h, Polytope *out) {
    double tolerance;
    if (search(h, out, &tolerance)) return true;
    if (h->starved) return fail_memory(h->err);
#if defined(IMPEL_QHULL)
    return fail(h->err, h->at,
                "%s: no hull of the %d points was found that passes its checks; give \"faces\" too",
                h->who, h->list.point_count);
#else
    return fail(h->err, h->at, "%s: this build has no qhull: give \"faces\" too", h->who);
#endif
}

static bool store(Shape *shape, Geometry *g, Pool *pool, const Polytope *p) {
    if (!shape_geometry_reserve(g, pool, p->vertex_count, p->loop_count, p->face_count))
        return false;
    shape->first_vertex = g->vertex_count;
    shape->vertex_count = p->vertex_count;
    shape->first_face = g->face_count;
    shape->face_count = p->face_count;
    shape->closed = true;
    memcpy(g->vertex + g->vertex_count, p->vertex, sizeof *p->vertex * (size_t)p->vertex_count);
    memcpy(g->loop + g->loop_count, p->loop, sizeof *p->loop * (size_t)p->loop_count);
    for (int f = 0; f < p->face_count; f++) {
        g->face[g->face_count + f] = p->face[f];
        g->face[g->face_count + f].first += g->loop_count;
    }
    g->vertex_count += p->vertex_count;
    g->loop_count += p->loop_count;
    g->face_count += p->face_count;
    return true;
}

static bool build(Hull *h, Shape *shape, Geometry *g, Pool *pool) {
    Polytope p = { 0 };
    if (!sort_points(h) || !check_dimension(h)) return false;
    if (!(h->list.faces ? given_polytope(h, &p) : found_polytope(h, &p))) return false;
    return store(shape, g, pool, &p) || fail_memory(h->err);
}

bool shape_hull_build(Shape *shape, Geometry *g, Pool *pool, PointList list, Where at,
                      const char *who, impError *err) {
    if (list.point_count < 4 || !list.points) {
        return fail(err, at, "%s: %d points; a hull needs at least 4, not all in one plane", who,
                    list.point_count);
    }
    if (!shape_check_points(list.points, list.point_count, at, who, err)) return false;
    Pool scratch = { 0 };
    Hull h = { .list = list, .at = at, .who = who, .err = err, .scratch = &scratch };
    bool built = build(&h, shape, g, pool);
    pool_free(&scratch);
    return built;
}

// --- The row in kinds.c --------------------------------------------------------------------------

// its points say it all
bool shape_hull_check(const double *size, Where at, const char *who, impError *err) {
    (void)size;
    (void)at;
    (void)who;
    (void)err;
    return true;
}

Solid shape_hull_solid(const Shape *shape, const Geometry *g) {
    Solid core = shape_integrate_faces(g->vertex + shape->first_vertex, g->loop,
                                       g->face + shape->first_face, shape->face_count);
    return shape->radius > 0 ? shape_rounded_solid(shape, g, core) : core;
}

impVec3 shape_hull_support(const Shape *shape, const Geometry *g, impVec3 direction) {
    return shape_rounded_support(shape_farthest_vertex(shape, g, direction), shape->radius,
                                 direction);
}

double shape_hull_bounding_radius(const Shape *shape, const Geometry *g, impVec3 from) {
    return shape_vertex_bounding_radius(shape, g, from) + shape->radius;
}

// between two planes square to unit n
static double width(const Shape *shape, const Geometry *g, impVec3 n) {
    const impVec3 *vertex = g->vertex + shape->first_vertex;
    double low = HUGE_VAL;
    double high = -HUGE_VAL;
    for (int i = 0; i < shape->vertex_count; i++) {
        double along = dot(n, vertex[i]);
        low = along < low ? along : low;
        high = along > high ? along : high;
    }
    return high - low;
}

static impVec3 edge_vector(const Shape *shape, const Geometry *g, const Face *face, int k) {
    const int32_t *loop = g->loop + face->first;
    const impVec3 *vertex = g->vertex + shape->first_vertex;
    return sub(vertex[loop[(k + 1) % face->count]], vertex[loop[k]]);
}

// Between an edge and the edges of later faces; each edge is met twice, which costs time and
// changes nothing.
static double width_between_edges(const Shape *shape, const Geometry *g, int face, impVec3 edge,
                                  double least) {
    for (int f = face + 1; f < shape->face_count; f++) {
        const Face *other = g->face + shape->first_face + f;
        for (int k = 0; k < other->count; k++) {
            impVec3 e = edge_vector(shape, g, other, k);
            impVec3 n = cross(edge, e);
            double length = norm(n);
            // parallel: a face, or no direction at all
            if (length <= 1e-9 * norm(edge) * norm(e)) continue;
            double across = width(shape, g, scale(1 / length, n));
            least = across < least ? across : least;
        }
    }
    return least;
}

// The least width of a polytope lies between a face and a vertex or between two edges. The latter
// are all tried for hulls of up to 64 faces; of larger ones, which are rounder, only faces are
// looked at, and at most some thousands.
double shape_hull_smallest_extent(const Shape *shape, const Geometry *g) {
    double least = HUGE_VAL;
    int stride = 1 + shape->face_count / 4096;
    for (int f = 0; f < shape->face_count; f += stride) {
        const Face *face = g->face + shape->first_face + f;
        double across = width(shape, g, face->normal);
        least = across < least ? across : least;
        for (int k = 0; k < face->count && shape->face_count <= 64; k++) {
            least = width_between_edges(shape, g, f, edge_vector(shape, g, face, k), least);
        }
    }
    return least < HUGE_VAL ? least + 2 * shape->radius : 0;
}
