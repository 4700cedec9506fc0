// solid_mesh.c -- triangles for every shape that the library knows.
//
// Three ways lead to all of them: a profile that is revolved about z, a convex polytope with a ball
// rolled around it, and faces as they are. Directions come from square roots alone, by halving
// angles: the same bits on every machine.
//
// SPDX-License-Identifier: MIT
#include "solid_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static impVec3 vec(double x, double y, double z) { return (impVec3){ x, y, z }; }
static impVec3 add(impVec3 a, impVec3 b) { return vec(a.x + b.x, a.y + b.y, a.z + b.z); }
static impVec3 madd(impVec3 a, double s, impVec3 b) {
    return vec(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
static double dot(impVec3 a, impVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static impVec3 cross(impVec3 a, impVec3 b) {
    return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static impVec3 unit(impVec3 a) {
    double length = sqrt(dot(a, a));
    return length > 0 ? vec(a.x / length, a.y / length, a.z / length) : vec(0, 0, 1);
}

// --- the lists -----------------------------------------------------------------------------------
// list: the address of a pointer
static bool more(SolidMesh *m, void *list, size_t each, size_t room) {
    void *old, *grown;
    memcpy(&old, list, sizeof old);
    grown = m->broken || room > SIZE_MAX / each ? NULL : realloc(old, each * room);
    if (!grown) {
        m->broken = true;
        return false;
    }
    memcpy(list, &grown, sizeof grown);
    return true;
}

// its number
static uint32_t put_vertex(SolidMesh *m, impVec3 at, impVec3 normal) {
    if (m->vertex_count == m->vertex_room) {
        size_t room = 2 * m->vertex_room + 256;
        if (!more(m, &m->point, 3 * sizeof *m->point, room) ||
            !more(m, &m->normal, 3 * sizeof *m->normal, room))
            return 0;
        m->vertex_room = room;
    }
    float *p = m->point + 3 * m->vertex_count;
    float *n = m->normal + 3 * m->vertex_count;
    p[0] = (float)at.x;
    p[1] = (float)at.y;
    p[2] = (float)at.z;
    n[0] = (float)normal.x;
    n[1] = (float)normal.y;
    n[2] = (float)normal.z;
    return (uint32_t)m->vertex_count++;
}

static void put_triangle(SolidMesh *m, uint32_t a, uint32_t b, uint32_t c) {
    if (m->triangle_count == m->triangle_room) {
        size_t room = 2 * m->triangle_room + 256;
        if (!more(m, &m->corner, 3 * sizeof *m->corner, room)) return;
        m->triangle_room = room;
    }
    uint32_t *corner = m->corner + 3 * m->triangle_count++;
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
}

static void put_quad(SolidMesh *m, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    put_triangle(m, a, b, c);
    put_triangle(m, a, c, d);
}

// --- directions ----------------------------------------------------------------------------------
enum {
    MOST_DETAIL = 3,
    MOST_PIECES = 16 << MOST_DETAIL,
    TURN = 48,
    MOST_TURN = 2 * TURN << MOST_DETAIL
};

// Fills in what lies between at[0] and at[count]; count is a power of two. From b to a it gives the
// same, to the last bit.
static void fill_arc(impVec3 *at, int count) {
    for (int step = count; step > 1; step /= 2) {
        for (int i = 0; i < count; i += step) {
            at[i + step / 2] = unit(add(at[i], at[i + step]));
        }
    }
}

// Into how many pieces an arc is cut, so that none is longer than 15 degrees, or less with more
// detail: a power of two.
static int arc_pieces(impVec3 a, impVec3 b, int detail) {
    double flat = 0.9659;
    double c = dot(a, b);
    int count = 1;
    for (int i = 0; i < detail; i++) {
        flat = sqrt((1 + flat) / 2);
    }
    for (; c < flat && count < MOST_PIECES; count *= 2) {
        c = sqrt((1 + c) / 2);
    }
    return count;
}

// One turn about z in `count` equal steps, 12 times a power of two.
static void fill_circle(impVec3 *at, int count) {
    int quarter = count / 4;
    int third = quarter / 3;
    double tall = sqrt(3.0) / 2;
    at[0] = vec(1, 0, 0);
    at[third] = vec(tall, 0.5, 0);
    at[2 * third] = vec(0.5, tall, 0);
    at[quarter] = vec(0, 1, 0);
    for (int i = 0; i < 3; i++) {
        fill_arc(at + i * third, third);
    }
    for (int i = quarter; i < count; i++) {
        at[i] = vec(-at[i - quarter].y, at[i - quarter].x, 0);
    }
}

// --- revolved ------------------------------------------------------------------------------------
typedef struct Profile {
    double r, z, nr, nz;
} Profile;  // a point beside the axis, and the normal there

// A profile is walked from below upwards. Where it has an edge, it starts again with another
// normal.
typedef struct Lathe {
    SolidMesh *mesh;
    impVec3 stretch;  // of what is made, along its axes
    Profile last;
    uint32_t ring;              // first vertex there
    int turn;                   // steps around
    impVec3 circle[MOST_TURN];  // half steps: even ones at the vertices of a ring
} Lathe;

// On the axis each side has a vertex of its own, with the normal of its middle: a cone's tip has no
// other.
static void start_at(Lathe *l, Profile p) {
    impVec3 s = l->stretch;
    l->last = p;
    l->ring = (uint32_t)l->mesh->vertex_count;
    for (int i = 0; i < l->turn; i++) {
        impVec3 c = l->circle[p.r > 0 ? 2 * i : 2 * i + 1];
        impVec3 at = vec(s.x * p.r * c.x, s.y * p.r * c.y, s.z * p.z);
        put_vertex(l->mesh, at, unit(vec(p.nr * c.x / s.x, p.nr * c.y / s.y, p.nz / s.z)));
    }
}

static void go_to(Lathe *l, Profile p) {
    uint32_t n = (uint32_t)l->turn;
    uint32_t low = l->ring;
    bool from_axis = !(l->last.r > 0);
    bool to_axis = !(p.r > 0);
    start_at(l, p);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t next = (i + 1) % n;
        uint32_t high = l->ring;
        if (from_axis) {
            put_triangle(l->mesh, low + i, high + next, high + i);
        } else if (to_axis) {
            put_triangle(l->mesh, low + i, low + next, high + i);
        } else {
            put_quad(l->mesh, low + i, low + next, high + next, high + i);
        }
    }
}

static void set_lathe(Lathe *l, SolidMesh *mesh, int detail) {
    l->mesh = mesh;
    l->stretch = vec(1, 1, 1);
    l->turn = TURN << detail;
    fill_circle(l->circle, 2 * l->turn);
}

// nz: 1 looks up, -1 down
static void turn_disc(Lathe *l, double r, double z, double nz) {
    Profile middle = { 0, z, 0, nz };
    Profile rim = { r, z, 0, nz };
    start_at(l, nz > 0 ? rim : middle);
    go_to(l, nz > 0 ? middle : rim);
}

static void turn_side(Lathe *l, Profile from, Profile to) {
    start_at(l, from);
    go_to(l, to);
}

// Two half balls, their centres `apart`; 0: a ball.
static void turn_ball(Lathe *l, double r, double apart) {
    int quarter = l->turn / 4;
    for (int i = -quarter; i <= quarter; i++) {
        impVec3 c = l->circle[(2 * i + 2 * l->turn) % (2 * l->turn)];
        Profile p = { r * c.x, r * c.y + (i > 0 ? apart / 2 : -apart / 2), c.x, c.y };
        if (i == -quarter || i == quarter) {
            p.r = p.nr = 0;
        }
        if (i == -quarter) {
            start_at(l, p);
        } else {
            go_to(l, p);
        }
        if (i == 0 && apart > 0) {
            p.z = apart / 2;
            go_to(l, p);
        }
    }
}

static void turn_shape(Lathe *l, const impShapeDef *d) {
    double r = d->size[0];
    double h = d->size[1];
    if (!strcmp(d->kind, "sphere")) {
        turn_ball(l, r, 0);
    }
    if (!strcmp(d->kind, "capsule")) {
        turn_ball(l, r, h);
    }
    if (!strcmp(d->kind, "ellipsoid")) {
        l->stretch = vec(d->size[0], d->size[1], d->size[2]);
        turn_ball(l, 1, 0);
    }
    if (!strcmp(d->kind, "cylinder")) {
        turn_disc(l, r, -h / 2, -1);
        turn_side(l, (Profile){ r, -h / 2, 1, 0 }, (Profile){ r, h / 2, 1, 0 });
        turn_disc(l, r, h / 2, 1);
    }
    if (!strcmp(d->kind, "cone")) {
        double side = sqrt(r * r + h * h);
        turn_disc(l, r, 0, -1);
        turn_side(l, (Profile){ r, 0, h / side, r / side }, (Profile){ 0, h, h / side, r / side });
    }
}

// --- faces ---------------------------------------------------------------------------------------
typedef struct Faces {      // of a hull or a mesh, or those of a box
    const impModel *model;  // NULL: a box
    impBody body;
    int shape;
    const impVec3 *point;
    int point_count;
} Faces;

// NULL: there is none
static const int32_t *face_at(const Faces *f, int face, int *corners) {
    static const int32_t box[6][4] = { { 0, 1, 3, 2 }, { 0, 4, 5, 1 }, { 0, 2, 6, 4 },
                                       { 1, 5, 7, 3 }, { 2, 3, 7, 6 }, { 4, 6, 7, 5 } };
    if (f->model) return impModel_Face(f->model, f->body, f->shape, face, corners);
    *corners = 4;
    return face < 6 ? box[face] : NULL;
}

// of its core; corner i: bits x, y, z
static void box_points(impVec3 *point, const double *size, double radius) {
    double x = size[0] / 2 - radius;
    double y = size[1] / 2 - radius;
    double z = size[2] / 2 - radius;
    for (int i = 0; i < 8; i++) {
        point[i] = vec(i & 4 ? x : -x, i & 2 ? y : -y, i & 1 ? z : -z);
    }
}

static impVec3 face_normal(const Faces *f, const int32_t *corner, int corners) {
    impVec3 sum = vec(0, 0, 0);
    impVec3 from = f->point[corner[0]];
    for (int k = 2; k < corners; k++) {
        impVec3 a = madd(f->point[corner[k - 1]], -1, from);
        impVec3 b = madd(f->point[corner[k]], -1, from);
        sum = add(sum, cross(a, b));
    }
    return unit(sum);
}

// moved outward by the radius
static void put_faces(SolidMesh *m, const Faces *f, double radius) {
    const int32_t *corner;
    int corners;
    for (int i = 0; (corner = face_at(f, i, &corners)) && !m->broken; i++) {
        impVec3 n = face_normal(f, corner, corners);
        uint32_t first = (uint32_t)m->vertex_count;
        for (int k = 0; k < corners; k++) {
            put_vertex(m, madd(f->point[corner[k]], radius, n), n);
        }
        for (uint32_t k = 2; k < (uint32_t)corners; k++) {
            put_triangle(m, first, first + k - 1, first + k);
        }
    }
}

// --- a ball rolled around ------------------------------------------------------------------------
// A half edge runs from its tail along one face; its twin runs back along the other one.
typedef struct Half {
    int32_t tail, head, before, twin, self;
    impVec3 normal;
} Half;
typedef struct Rounding {
    SolidMesh *mesh;
    const impVec3 *point;
    Half *half;
    int32_t *at;  // of each point: one half edge from there, or -1
    int count, detail;
    double radius;
} Rounding;

static int count_halves(const Faces *f) {
    int count = 0;
    int corners;
    for (int i = 0; face_at(f, i, &corners); i++) {
        count += corners;
    }
    return count;
}

static void list_halves(Rounding *r, const Faces *f) {
    const int32_t *corner;
    int corners;
    int n = 0;
    for (int i = 0; (corner = face_at(f, i, &corners)); i++) {
        impVec3 normal = face_normal(f, corner, corners);
        for (int k = 0; k < corners; k++, n++) {
            int32_t before = n + (k ? -1 : corners - 1);
            r->half[n] = (Half){ corner[k], corner[(k + 1) % corners], before, -1, n, normal };
            r->at[corner[k]] = n;
        }
    }
}

// both halves of an edge side by side
static int by_ends(const void *a, const void *b) {
    const Half *h = a;
    const Half *k = b;
    int32_t low_h = h->tail < h->head ? h->tail : h->head;
    int32_t low_k = k->tail < k->head ? k->tail : k->head;
    int32_t high_h = h->tail + h->head - low_h;
    int32_t high_k = k->tail + k->head - low_k;
    if (low_h != low_k) return low_h < low_k ? -1 : 1;
    if (high_h != high_k) return high_h < high_k ? -1 : 1;
    return h->self < k->self ? -1 : 1;
}

static bool find_twins(Rounding *r) {
    Half *sorted = malloc(sizeof *sorted * (size_t)r->count + 1);
    if (!sorted) return false;
    memcpy(sorted, r->half, sizeof *sorted * (size_t)r->count);
    qsort(sorted, (size_t)r->count, sizeof *sorted, by_ends);
    for (int i = 1; i < r->count; i++) {
        const Half *a = &sorted[i - 1];
        const Half *b = &sorted[i];
        if (a->tail == b->head && a->head == b->tail) {
            r->half[a->self].twin = b->self;
            r->half[b->self].twin = a->self;
        }
    }
    free(sorted);
    return true;
}

static uint32_t put_around(const Rounding *r, int32_t point, impVec3 direction) {
    return put_vertex(r->mesh, madd(r->point[point], r->radius, direction), direction);
}

// of their normals; in how many pieces
static int span(const Rounding *r, const Half *a, const Half *b, impVec3 *arc) {
    int n = arc_pieces(a->normal, b->normal, r->detail);
    arc[0] = a->normal;
    arc[n] = b->normal;
    fill_arc(arc, n);
    return n;
}

static void round_edge(Rounding *r, const Half *h) {
    impVec3 arc[MOST_PIECES + 1];
    // each edge once
    if (h->twin < h->self) return;
    int n = span(r, h, &r->half[h->twin], arc);
    uint32_t first = (uint32_t)r->mesh->vertex_count;
    for (int i = 0; i <= n; i++) {
        put_around(r, h->tail, arc[i]);
        put_around(r, h->head, arc[i]);
    }
    for (uint32_t i = first; i < first + 2 * (uint32_t)n; i += 2) {
        put_quad(r->mesh, i, i + 2, i + 3, i + 1);
    }
}

// from the same point, counter-clockwise
static const Half *next_around(const Rounding *r, const Half *h) {
    int32_t twin = r->half[h->before].twin;
    return twin < 0 ? NULL : &r->half[twin];
}

// The part of a corner between one arc of n pieces and its middle, each point of it joined to the
// middle by rows of pieces.
static void round_sector(Rounding *r, int32_t point, const impVec3 *arc, int n, impVec3 middle,
                         int rows) {
    uint32_t first = (uint32_t)r->mesh->vertex_count;
    uint32_t long_way = (uint32_t)rows;
    impVec3 column[MOST_PIECES + 1];
    for (int i = 0; i <= n; i++) {
        column[0] = arc[i];
        column[rows] = middle;
        fill_arc(column, rows);
        for (int row = 0; row <= rows; row++) {
            put_around(r, point, column[row]);
        }
    }
    for (uint32_t i = 0; i < (uint32_t)n; i++) {
        uint32_t a = first + i * (long_way + 1);
        uint32_t b = a + long_way + 1;
        for (uint32_t row = 0; row + 1 < long_way; row++) {
            put_quad(r->mesh, a + row, b + row, b + row + 1, a + row + 1);
        }
        put_triangle(r->mesh, a + long_way - 1, b + long_way - 1, a + long_way);
    }
}

// of the arcs around a point
static bool find_middle(const Rounding *r, const Half *start, impVec3 *middle) {
    impVec3 arc[MOST_PIECES + 1];
    impVec3 sum = vec(0, 0, 0);
    const Half *h = start;
    const Half *next;
    do {
        next = next_around(r, h);
        // no hull is open
        if (!next) return false;
        int n = span(r, h, next, arc);
        for (int i = 0; i < n; i++) {
            sum = add(sum, arc[i]);
        }
        h = next;
    } while (h != start);
    *middle = unit(sum);
    return true;
}

static int count_rows(const Rounding *r, const Half *start, impVec3 middle) {
    const Half *h = start;
    int rows = 1;
    do {
        int n = arc_pieces(h->normal, middle, r->detail);
        rows = n > rows ? n : rows;
        h = next_around(r, h);
    } while (h != start);
    return rows;
}

static void round_corner(Rounding *r, int32_t point) {
    const Half *start = &r->half[r->at[point]];
    const Half *h = start;
    impVec3 arc[MOST_PIECES + 1], middle;
    if (!find_middle(r, start, &middle)) return;
    int rows = count_rows(r, start, middle);
    do {
        const Half *next = next_around(r, h);
        int n = span(r, h, next, arc);
        round_sector(r, point, arc, n, middle, rows);
        h = next;
    } while (h != start);
}

static void put_rounding(SolidMesh *m, const Faces *f, double radius, int detail) {
    Rounding r = {
        .mesh = m, .point = f->point, .count = count_halves(f), .detail = detail, .radius = radius
    };
    r.half = malloc(sizeof *r.half * (size_t)r.count + 1);
    r.at = malloc(sizeof *r.at * (size_t)f->point_count + 1);
    if (!r.half || !r.at) {
        m->broken = true;
    }
    for (int i = 0; r.at && i < f->point_count; i++) {
        r.at[i] = -1;
    }
    if (!m->broken) {
        list_halves(&r, f);
    }
    if (!m->broken && !find_twins(&r)) {
        m->broken = true;
    }
    for (int i = 0; i < r.count && !m->broken; i++) {
        round_edge(&r, &r.half[i]);
    }
    for (int i = 0; i < f->point_count && !m->broken; i++) {
        if (r.at[i] >= 0) {
            round_corner(&r, i);
        }
    }
    free(r.half);
    free(r.at);
}

static void put_polytope(SolidMesh *m, const Faces *f, double radius, int detail) {
    put_faces(m, f, radius);
    if (radius > 0) {
        put_rounding(m, f, radius, detail);
    }
}

// --- every shape ---------------------------------------------------------------------------------
static void put_square(SolidMesh *m, const double *plane, SolidView view) {
    impVec3 n = vec(plane[0], plane[1], plane[2]);
    impVec3 middle = madd(view.center, plane[3] - dot(n, view.center), n);
    // not along the normal
    impVec3 least = fabs(n.x) < 0.5 ? vec(1, 0, 0) : vec(0, 1, 0);
    impVec3 v = unit(cross(n, least));
    impVec3 u = cross(v, n);
    uint32_t corner[4];
    for (int i = 0; i < 4; i++) {
        impVec3 side = madd(middle, i == 1 || i == 2 ? view.half : -view.half, u);
        corner[i] = put_vertex(m, madd(side, i >= 2 ? view.half : -view.half, v), n);
    }
    put_quad(m, corner[0], corner[1], corner[2], corner[3]);
}

bool solid_mesh_make(SolidMesh *mesh, const impModel *model, impBody body, int shape,
                     SolidView view) {
    impShapeDef d;
    impVec3 box[8];
    int detail = view.detail < 0 ? 0 : view.detail > MOST_DETAIL ? MOST_DETAIL : view.detail;
    *mesh = (SolidMesh){ 0 };
    // nothing to draw
    if (!impModel_Shape(model, body, shape, &d)) return true;
    Faces faces = { model, body, shape, d.points, d.point_count };
    if (!strcmp(d.kind, "box")) {
        box_points(box, d.size, d.radius);
        put_polytope(mesh, &(Faces){ .point = box, .point_count = 8 }, d.radius, detail);
    } else if (!strcmp(d.kind, "plane")) {
        put_square(mesh, d.size, view);
    } else if (d.points) {
        put_polytope(mesh, &faces, d.radius, detail);
    } else {
        Lathe lathe = { 0 };
        set_lathe(&lathe, mesh, detail);
        turn_shape(&lathe, &d);
    }
    return !mesh->broken;
}

void solid_mesh_free(SolidMesh *mesh) {
    free(mesh->point);
    free(mesh->normal);
    free(mesh->corner);
    *mesh = (SolidMesh){ 0 };
}
