// poses_facets.c -- the hull of a part for the general engine, with flat sides as single polygons.
//
// An STL file has triangles of 32-bit numbers, so that a flat side with more than three corners
// comes as triangles that are almost in one plane. The general engine would roll a part to and fro
// over their common edges, and never let it sleep. So triangles whose corners all lie within the
// noise of the file of one plane become one polygon, and its corners are moved into that plane.
//
//   merge    Faces are gathered around the largest one as long as their corners lie within the
//            noise of the mean plane of those gathered; then around the next.
//   flatten  Corners x and planes (n, d) are moved by least squares until n . x = d for each corner
//            of each polygon: Newton's method, each step the smallest one in x, n and d (conjugate
//            gradients on J J'). A polyhedron of E edges has E + 6 degrees of freedom (Steinitz),
//            so that there is always such a polyhedron nearby.
//
// Where nothing is merged, or the result is not convex, the hull is left as it is.
//
// SPDX-License-Identifier: MIT
#include "poses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REGROWTHS = 4, NEWTON_STEPS = 8 };
static const double flat = 1e-15;         // of the size: corners off their planes, when done
static const double flat_enough = 2e-14;  // the general engine takes no more for one plane

typedef struct Plane {
    impVec3 normal;
    double offset;
} Plane;

typedef struct Net {  // half edges of the faces
    int points, faces, halves;
    impVec3 *point;                             // 1 in size, about their middle
    int32_t *first;                             // half edge, by face; one more at the end
    int32_t *tail, *head, *next, *twin, *face;  // by half edge
    impVec3 *area;                              // by face: twice its area, along its normal
    int32_t *order, *region, *queue;            // by face: largest first; merged into; scratch
    int32_t *degree, *fresh;                    // by point: edges that stay; new number
    int regions;

    // The merged polygons.
    int corners, count;   // of all polygons together; points that stay
    int32_t *start, *at;  // by polygon: its first corner; by corner: its point
    int32_t *side;        // by corner: its polygon
    impVec3 *x;           // by new point
    Plane *plane;         // by polygon
} Net;

// --- vectors -------------------------------------------------------------------------------------
static impVec3 plus(impVec3 a, double k, impVec3 b) {
    return (impVec3){ a.x + k * b.x, a.y + k * b.y, a.z + k * b.z };
}
static double dot(impVec3 a, impVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static impVec3 cross(impVec3 a, impVec3 b) {
    return (impVec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

// --- memory --------------------------------------------------------------------------------------
static void free_net(Net *n) {
    void *all[] = { n->point, n->first, n->tail,  n->head,   n->next,  n->twin,
                    n->face,  n->area,  n->order, n->region, n->queue, n->degree,
                    n->fresh, n->start, n->at,    n->side,   n->x,     n->plane };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        free(all[i]);
    }
}

static bool take_net(Net *n) {
    size_t points = (size_t)n->points + 1;
    size_t faces = (size_t)n->faces + 1;
    size_t halves = (size_t)n->halves + 1;
    int32_t **lists[] = { &n->tail, &n->head, &n->next, &n->twin, &n->face, &n->at, &n->side };
    bool good = true;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        *lists[i] = calloc(halves, sizeof **lists[i]);
        if (!*lists[i]) {
            good = false;
        }
    }
    n->point = calloc(points, sizeof *n->point);
    n->degree = calloc(points, sizeof *n->degree);
    n->fresh = calloc(points, sizeof *n->fresh);
    n->x = calloc(points, sizeof *n->x);
    n->first = calloc(faces, sizeof *n->first);
    n->area = calloc(faces, sizeof *n->area);
    n->order = calloc(faces, sizeof *n->order);
    n->region = calloc(faces, sizeof *n->region);
    n->queue = calloc(faces, sizeof *n->queue);
    n->start = calloc(faces, sizeof *n->start);
    n->plane = calloc(faces, sizeof *n->plane);
    return good && n->point && n->degree && n->fresh && n->x && n->first && n->area && n->order &&
           n->region && n->queue && n->start && n->plane;
}

// --- half edges ----------------------------------------------------------------------------------
typedef struct EdgeKey {
    int32_t low, high, half;
} EdgeKey;

static int by_ends(const void *a, const void *b) {
    const EdgeKey *p = a;
    const EdgeKey *q = b;
    if (p->low != q->low) return p->low < q->low ? -1 : 1;
    if (p->high != q->high) return p->high < q->high ? -1 : 1;
    return p->half < q->half ? -1 : p->half > q->half;
}

// false: no memory, or an open edge
static bool find_twins(Net *n) {
    EdgeKey *key = malloc(((size_t)n->halves + 1) * sizeof *key);
    bool closed = key && n->halves % 2 == 0;
    for (int32_t h = 0; key && h < n->halves; h++) {
        bool up = n->tail[h] < n->head[h];
        key[h] = (EdgeKey){ up ? n->tail[h] : n->head[h], up ? n->head[h] : n->tail[h], h };
    }
    if (key) {
        qsort(key, (size_t)n->halves, sizeof *key, by_ends);
    }
    for (int k = 0; closed && k < n->halves; k += 2) {
        EdgeKey a = key[k];
        EdgeKey b = key[k + 1];
        closed = a.low == b.low && a.high == b.high && n->tail[a.half] == n->head[b.half];
        n->twin[a.half] = b.half;
        n->twin[b.half] = a.half;
    }
    free(key);
    return closed;
}

static void fill_net(Net *n, const PosesPart *p, impVec3 middle, double size) {
    const impVec3 *corner = impPart_Corners(p->part);
    int32_t half = 0;
    for (int i = 0; i < n->points; i++) {
        impVec3 from = plus(corner[i], -1, middle);
        n->point[i] = (impVec3){ from.x / size, from.y / size, from.z / size };
    }
    for (int32_t f = 0; f < n->faces; f++) {
        int count;
        const int32_t *loop = impPart_Face(p->part, f, &count);
        n->first[f] = half;
        for (int k = 0; k < count; k++, half++) {
            n->tail[half] = loop[k];
            n->head[half] = loop[(k + 1) % count];
            n->next[half] = k + 1 < count ? half + 1 : n->first[f];
            n->face[half] = f;
        }

        // Newell's formula, about the first corner.
        impVec3 from = n->point[loop[0]];
        for (int k = 2; k < count; k++) {
            impVec3 a = plus(n->point[loop[k - 1]], -1, from);
            impVec3 b = plus(n->point[loop[k]], -1, from);
            n->area[f] = plus(n->area[f], 1, cross(a, b));
        }
    }
    n->first[n->faces] = half;
}

// --- merging -------------------------------------------------------------------------------------
static double longest_side(const Net *n, int32_t face) {
    double longest = 0;
    for (int32_t h = n->first[face]; h < n->first[face + 1]; h++) {
        impVec3 side = plus(n->point[n->head[h]], -1, n->point[n->tail[h]]);
        if (dot(side, side) > longest) {
            longest = dot(side, side);
        }
    }
    return sqrt(longest);
}

// A face that is no higher than the noise has no direction of its own.
static bool fits(const Net *n, int32_t face, Plane plane, double noise) {
    bool sliver = sqrt(dot(n->area[face], n->area[face])) <= noise * longest_side(n, face);
    if (!sliver && dot(n->area[face], plane.normal) <= 0) return false;
    for (int32_t h = n->first[face]; h < n->first[face + 1]; h++) {
        double off = dot(plane.normal, n->point[n->tail[h]]) - plane.offset;
        if (!(fabs(off) <= (sliver ? 2 : 1) * noise)) return false;
    }
    return true;
}

// of the faces in the queue
static Plane mean_plane(const Net *n, int count) {
    impVec3 sum = { 0, 0, 0 };
    double offset = 0;
    int corners = 0;
    for (int k = 0; k < count; k++) {
        sum = plus(sum, 1, n->area[n->queue[k]]);
    }
    double length = sqrt(dot(sum, sum));
    impVec3 normal = plus((impVec3){ 0, 0, 0 }, length > 0 ? 1 / length : 0, sum);
    for (int k = 0; k < count; k++) {
        int32_t face = n->queue[k];
        for (int32_t h = n->first[face]; h < n->first[face + 1]; h++) {
            offset += dot(normal, n->point[n->tail[h]]);
            corners++;
        }
    }
    return (Plane){ normal, offset / corners };
}

static int gather(Net *n, int count, int32_t region, double noise) {
    Plane plane = mean_plane(n, count);
    for (int k = 0; k < count; k++) {
        int32_t face = n->queue[k];
        for (int32_t h = n->first[face]; h < n->first[face + 1]; h++) {
            int32_t other = n->face[n->twin[h]];
            if (n->region[other] >= 0 || !fits(n, other, plane, noise)) continue;
            n->region[other] = region;
            n->queue[count++] = other;
        }
    }
    return count;
}

typedef struct Sized {
    double area;
    int32_t face;
} Sized;

static int by_size(const void *a, const void *b) {
    const Sized *p = a;
    const Sized *q = b;
    if (p->area != q->area) return p->area > q->area ? -1 : 1;
    return p->face < q->face ? -1 : p->face > q->face;
}

// false: no memory
static bool merge(Net *n, double noise) {
    Sized *sized = malloc(((size_t)n->faces + 1) * sizeof *sized);
    if (!sized) return false;
    for (int32_t f = 0; f < n->faces; f++) {
        sized[f] = (Sized){ dot(n->area[f], n->area[f]), f };
        n->region[f] = -1;
    }
    qsort(sized, (size_t)n->faces, sizeof *sized, by_size);

    // A wider base gives a better plane, so that each region grows a few times.
    for (int k = 0; k < n->faces; k++) {
        int32_t seed = sized[k].face;
        if (n->region[seed] >= 0) continue;
        n->region[seed] = n->regions;
        n->queue[0] = seed;
        int before = 0;
        int count = 1;
        for (int pass = 0; pass < REGROWTHS && count > before; pass++) {
            before = count;
            count = gather(n, count, n->regions, noise);
        }
        n->regions++;
    }
    free(sized);
    return true;
}

// --- polygons ------------------------------------------------------------------------------------
static bool stays(const Net *n, int32_t half) {
    return n->region[n->face[half]] != n->region[n->face[n->twin[half]]];
}

// along the border of its region
static int32_t next_staying(const Net *n, int32_t half) {
    int32_t h = n->next[half];
    while (!stays(n, h)) {
        h = n->next[n->twin[h]];
    }
    return h;
}

// The border of a region as one loop, without corners at which only two polygons meet.
static bool trace(Net *n, int32_t region, int32_t from, int border) {
    int32_t h = from;
    n->start[region] = n->corners;
    do {
        int32_t point = n->tail[h];
        if (n->degree[point] > 2) {
            n->at[n->corners] = n->fresh[point];
            n->side[n->corners] = region;
            n->corners++;
        }
        border--;
        h = next_staying(n, h);
    } while (h != from && border > 0);
    n->start[region + 1] = n->corners;
    return h == from && border == 0 && n->corners - n->start[region] >= 3;
}

// false: some region is no polygon
static bool make_polygons(Net *n) {
    int32_t *from = n->order;
    int32_t *border = n->queue;
    for (int r = 0; r < n->regions; r++) {
        from[r] = -1;
        border[r] = 0;
    }
    for (int32_t h = 0; h < n->halves; h++) {
        int32_t r = n->region[n->face[h]];
        if (!stays(n, h)) continue;
        n->degree[n->tail[h]]++;
        border[r]++;
        if (from[r] < 0) {
            from[r] = h;
        }
    }

    // Points that stay are numbered anew.
    for (int i = 0; i < n->points; i++) {
        if (n->degree[i] <= 2) continue;
        n->fresh[i] = n->count;
        n->x[n->count++] = n->point[i];
    }
    for (int r = 0; r < n->regions; r++) {
        if (from[r] < 0 || !trace(n, r, from[r], border[r])) return false;
    }
    return n->regions >= 4;
}

// --- flattening ----------------------------------------------------------------------------------
typedef struct Step {  // by corner: of conjugate gradients, and lambda
    double *error, *residual, *way, *image, *multiplier;
    impVec3 *move, *rotation;  // J' of something: by point; by polygon, and
    double *shift;             // how far its plane goes
} Step;

static void free_step(Step *s) {
    free(s->error);
    free(s->residual);
    free(s->way);
    free(s->image);
    free(s->multiplier);
    free(s->move);
    free(s->rotation);
    free(s->shift);
}

static bool take_step(Step *s, const Net *n) {
    size_t corners = (size_t)n->corners + 1;
    *s = (Step){ 0 };
    s->error = calloc(corners, sizeof *s->error);
    s->residual = calloc(corners, sizeof *s->residual);
    s->way = calloc(corners, sizeof *s->way);
    s->image = calloc(corners, sizeof *s->image);
    s->multiplier = calloc(corners, sizeof *s->multiplier);
    s->move = calloc((size_t)n->count + 1, sizeof *s->move);
    s->rotation = calloc((size_t)n->regions + 1, sizeof *s->rotation);
    s->shift = calloc((size_t)n->regions + 1, sizeof *s->shift);
    return s->error && s->residual && s->way && s->image && s->multiplier && s->move &&
           s->rotation && s->shift;
}

// How far each corner is off its plane; the farthest.
static double errors(const Net *n, double *error) {
    double worst = 0;
    for (int i = 0; i < n->corners; i++) {
        const Plane *plane = &n->plane[n->side[i]];
        error[i] = dot(plane->normal, n->x[n->at[i]]) - plane->offset;
        if (fabs(error[i]) > worst) {
            worst = fabs(error[i]);
        }
    }
    return worst;
}

// J' of
static void transposed(const Net *n, Step *s, const double *of) {
    memset(s->move, 0, (size_t)n->count * sizeof *s->move);
    memset(s->rotation, 0, (size_t)n->regions * sizeof *s->rotation);
    memset(s->shift, 0, (size_t)n->regions * sizeof *s->shift);
    for (int i = 0; i < n->corners; i++) {
        int32_t at = n->at[i];
        int32_t side = n->side[i];
        s->move[at] = plus(s->move[at], of[i], n->plane[side].normal);
        s->rotation[side] = plus(s->rotation[side], of[i], n->x[at]);
        s->shift[side] -= of[i];
    }
}

// J J' of
static void times_matrix(const Net *n, Step *s, const double *of, double *out) {
    transposed(n, s, of);
    for (int i = 0; i < n->corners; i++) {
        int32_t at = n->at[i];
        int32_t side = n->side[i];
        out[i] = dot(n->plane[side].normal, s->move[at]) + dot(n->x[at], s->rotation[side]);
        out[i] -= s->shift[side];
    }
}

static double product(const double *a, const double *b, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// lambda of J J' lambda = -error, by conjugate gradients.
static void find_multiplier(const Net *n, Step *s) {
    int corners = n->corners;
    for (int i = 0; i < corners; i++) {
        s->multiplier[i] = 0;
        s->residual[i] = -s->error[i];
        s->way[i] = s->residual[i];
    }
    double square = product(s->residual, s->residual, corners);
    double end = 1e-24 * square;
    for (int k = 0; k < 4 * corners && square > end; k++) {
        times_matrix(n, s, s->way, s->image);
        double along = square / product(s->way, s->image, corners);
        for (int i = 0; i < corners; i++) {
            s->multiplier[i] += along * s->way[i];
            s->residual[i] -= along * s->image[i];
        }
        double next = product(s->residual, s->residual, corners);
        for (int i = 0; i < corners; i++) {
            s->way[i] = s->residual[i] + next / square * s->way[i];
        }
        square = next;
    }
}

// Newell's, of the polygons
static void take_planes(Net *n) {
    for (int r = 0; r < n->regions; r++) {
        impVec3 sum = { 0, 0, 0 };
        impVec3 from = n->x[n->at[n->start[r]]];
        int count = n->start[r + 1] - n->start[r];
        const int32_t *loop = n->at + n->start[r];
        for (int k = 2; k < count; k++) {
            impVec3 a = plus(n->x[loop[k - 1]], -1, from);
            sum = plus(sum, 1, cross(a, plus(n->x[loop[k]], -1, from)));
        }
        double offset = 0;
        impVec3 normal = plus((impVec3){ 0, 0, 0 }, 1 / sqrt(dot(sum, sum)), sum);
        for (int k = 0; k < count; k++) {
            offset += dot(normal, n->x[loop[k]]) / count;
        }
        n->plane[r] = (Plane){ normal, offset };
    }
}

// false: corners stay off their planes
static bool flatten(Net *n, Step *s) {
    take_planes(n);
    double worst = errors(n, s->error);
    for (int k = 0; k < NEWTON_STEPS && worst > flat; k++) {
        find_multiplier(n, s);
        transposed(n, s, s->multiplier);
        for (int i = 0; i < n->count; i++) {
            n->x[i] = plus(n->x[i], 1, s->move[i]);
        }
        take_planes(n);
        double now = errors(n, s->error);
        if (!(now < worst)) break;
        worst = now;
    }
    return worst <= flat_enough;
}

// and no corner went far
static bool is_convex(const Net *n, double noise) {
    for (int r = 0; r < n->regions; r++) {
        for (int i = 0; i < n->count; i++) {
            if (dot(n->plane[r].normal, n->x[i]) - n->plane[r].offset > flat_enough) return false;
        }
    }
    for (int i = 0; i < n->points; i++) {
        if (n->degree[i] <= 2) continue;
        impVec3 gone = plus(n->x[n->fresh[i]], -1, n->point[i]);
        if (!(dot(gone, gone) <= 4 * noise * noise)) return false;
    }
    return true;
}

// --- in and out ----------------------------------------------------------------------------------
static bool list_net(const Net *n, PosesHull *hull, impVec3 middle, double size) {
    int32_t *to = malloc((size_t)(n->corners + n->regions) * sizeof *to);
    impVec3 *point = malloc((size_t)n->count * sizeof *point);
    hull->face = to;
    hull->point = point;
    if (!to || !point) return false;
    hull->points = n->count;
    hull->ints = n->corners + n->regions;
    for (int i = 0; i < n->count; i++) {
        point[i] = plus(middle, size, n->x[i]);
    }
    for (int r = 0; r < n->regions; r++) {
        *to++ = n->start[r + 1] - n->start[r];
        for (int k = n->start[r]; k < n->start[r + 1]; k++) {
            *to++ = n->at[k];
        }
    }
    return true;
}

// as it is
static bool list_part(const PosesPart *p, PosesHull *hull) {
    int corners;
    hull->points = p->report.corners;
    hull->ints = 0;
    for (int i = 0; i < p->report.faces; i++) {
        impPart_Face(p->part, i, &corners);
        hull->ints += 1 + corners;
    }
    int32_t *to = malloc(((size_t)hull->ints + 1) * sizeof *to);
    impVec3 *point = malloc(((size_t)hull->points + 1) * sizeof *point);
    hull->face = to;
    hull->point = point;
    if (!to || !point) return false;
    memcpy(point, impPart_Corners(p->part), (size_t)hull->points * sizeof *point);
    for (int i = 0; i < p->report.faces; i++) {
        const int32_t *face = impPart_Face(p->part, i, &corners);
        *to++ = corners;
        for (int k = 0; k < corners; k++) {
            *to++ = face[k];
        }
    }
    return true;
}

void cli_poses_hull_free(PosesHull *hull) {
    free(hull->point);
    free(hull->face);
    *hull = (PosesHull){ 0 };
}

bool cli_poses_hull(const PosesPart *p, PosesHull *hull) {
    const impPartReport *r = &p->report;
    impVec3 box = plus(r->high, -1, r->low);
    impVec3 middle = plus(r->low, 0.5, box);
    double size = fmax(box.x, fmax(box.y, box.z));
    Net n = { .points = r->corners, .faces = r->faces };
    Step s = { 0 };
    *hull = (PosesHull){ 0 };
    for (int i = 0, corners; i < r->faces; i++) {
        impPart_Face(p->part, i, &corners);
        n.halves += corners;
    }

    // The facets of a smooth shape are no flat sides: its noise is their depth, and does not count.
    double noise = r->chord > 0 ? 1e-6 : r->noise / size;
    bool merged = false;
    bool room = take_net(&n);
    if (room) {
        fill_net(&n, p, middle, size);
    }
    if (room && find_twins(&n) && merge(&n, noise) && n.regions < n.faces && make_polygons(&n)) {
        room = take_step(&s, &n);
        merged = room && flatten(&n, &s) && is_convex(&n, noise);
    }
    if (room) {
        room = merged ? list_net(&n, hull, middle, size) : list_part(p, hull);
    }
    free_step(&s);
    free_net(&n);
    if (!room) {
        cli_poses_hull_free(hull);
    }
    return room;
}
