// set_box.c -- contact points of two boxes, and of a ball and a box, in closed form.
//
// Two boxes: the axis of largest separation among the 15 of the separating axis theorem
// (Gottschalk, Lin & Manocha 1996). If it is normal to a face, the face of the other box that looks
// at it is clipped by its sides (Sutherland & Hodgman 1974); if it is square to two edges, their
// closest points are the contact. Points are named by the corners, edges and sides that make them.
//
// A face is preferred to two edges that are hardly farther apart, and a corner just outside a side
// counts as inside: else a box on a box would change its points at every step.
//
// SPDX-License-Identifier: MIT
#include "contact/contact.h"

// Tolerances: docs/theory/many-contacts.md, section 9.
// 1, of the smaller box's least half length: separation by which edges must exceed a face
#define PREFER_FACE 4e-4
// the same: separation by which a face of b must exceed one of a
#define PREFER_FIRST 1e-6
// the same: a corner so far outside a side counts as inside
#define CLIP_TOLERANCE 2e-4
// 1: squared sine between edges that count as parallel
#define PARALLEL 1e-6

enum { POLYGON = 8, SIDES = 4 };

// --- names ---------------------------------------------------------------------------------------

// Face (axis, sign) of each box, and the code of a clipped point, or two edges (axis, place).
static uint64_t name_of(int kind, int of_a, int of_b, int code) {
    return (uint64_t)kind << 16 | (uint64_t)of_a << 12 | (uint64_t)of_b << 8 | (uint64_t)code;
}

// --- axes ----------------------------------------------------------------------------------------

typedef struct Axes {
    double d[3];     // centre of b less centre of a, in axes of a
    double db[3];    // the same in axes of b
    double r[3][3];  // A_i . B_j
    double abs[3][3];
} Axes;

typedef struct Best {
    double separation;
    int i, j;       // axes; faces: j = -1 of a, i = -1 of b
    double sign;    // the axis times this points from a to b
    double length;  // edges: of the cross product
} Best;

static impVec3 row(const Mat3 *m, int i) { return i == 0 ? m->x : i == 1 ? m->y : m->z; }

static Axes axes_of(const SetBox *a, const SetBox *b) {
    Axes x;
    impVec3 d = sub(b->at, a->at);
    for (int i = 0; i < 3; i++) {
        x.d[i] = dot(row(&a->axes, i), d);
        x.db[i] = dot(row(&b->axes, i), d);
        for (int j = 0; j < 3; j++) {
            x.r[i][j] = dot(row(&a->axes, i), row(&b->axes, j));
            x.abs[i][j] = fabs(x.r[i][j]);
        }
    }
    return x;
}

// The face of largest separation.
static Best best_face(const Axes *x, const SetBox *a, const SetBox *b, double size) {
    Best best = { -HUGE_VAL, 0, -1, 1, 1 };
    for (int i = 0; i < 3; i++) {
        double reach = a->half[i] + x->abs[i][0] * b->half[0] + x->abs[i][1] * b->half[1] +
                       x->abs[i][2] * b->half[2];
        double separation = fabs(x->d[i]) - reach;
        if (separation > best.separation) {
            best = (Best){ separation, i, -1, x->d[i] < 0 ? -1 : 1, 1 };
        }
    }
    for (int j = 0; j < 3; j++) {
        double reach = b->half[j] + x->abs[0][j] * a->half[0] + x->abs[1][j] * a->half[1] +
                       x->abs[2][j] * a->half[2];
        double separation = fabs(x->db[j]) - reach;
        if (separation > best.separation + PREFER_FIRST * size) {
            best = (Best){ separation, -1, j, x->db[j] < 0 ? -1 : 1, 1 };
        }
    }
    return best;
}

// The pair of edges of largest separation, if that exceeds what is given.
static Best best_edges(const Axes *x, const SetBox *a, const SetBox *b, double least) {
    Best best = { least, -1, -1, 1, 1 };
    for (int i = 0; i < 3; i++) {
        int i1 = (i + 1) % 3;
        int i2 = (i + 2) % 3;
        for (int j = 0; j < 3; j++) {
            double square = 1 - x->r[i][j] * x->r[i][j];
            if (square < PARALLEL) continue;
            int j1 = (j + 1) % 3;
            int j2 = (j + 2) % 3;
            // d . (A_i x B_j), with A_i x B_j = A_i1 x A_i2 ... in axes of a
            double way = x->d[i2] * x->r[i1][j] - x->d[i1] * x->r[i2][j];
            double reach = a->half[i1] * x->abs[i2][j] + a->half[i2] * x->abs[i1][j] +
                           b->half[j1] * x->abs[i][j2] + b->half[j2] * x->abs[i][j1];
            double length = sqrt(square);
            double separation = (fabs(way) - reach) / length;
            if (separation > best.separation) {
                best = (Best){ separation, i, j, way < 0 ? -1 : 1, length };
            }
        }
    }
    return best;
}

// --- a face under a face -------------------------------------------------------------------------

typedef struct Corner {
    double u, v, gap;  // in the plane of the reference face, and above it
    int id;            // corner 0..3, or SIDES + SIDES * label + side where an edge was cut
    int label;         // of the edge to the next corner: 0..3 its own, 4.. the side it runs along
} Corner;

static int put_corner(Corner *out, int count, Corner c) {
    if (count < POLYGON) {
        out[count++] = c;
    }
    return count;
}

// Clips by sign * coordinate <= limit, where the coordinate is u (axis 0) or v.
static int clip(const Corner *in, int count, int axis, double sign, double limit, int side,
                double tolerance, Corner *out) {
    int kept = 0;
    for (int k = 0; k < count; k++) {
        const Corner *p = &in[k];
        const Corner *q = &in[k + 1 < count ? k + 1 : 0];
        double dp = sign * (axis ? p->v : p->u) - limit;
        double dq = sign * (axis ? q->v : q->u) - limit;
        bool p_in = dp <= tolerance;
        bool q_in = dq <= tolerance;
        if (p_in) {
            kept = put_corner(out, kept, *p);
        }
        if (p_in == q_in) continue;
        double part = dp / (dp - dq);
        part = part < 0 ? 0 : part > 1 ? 1 : part;
        Corner cut = { p->u + part * (q->u - p->u), p->v + part * (q->v - p->v),
                       p->gap + part * (q->gap - p->gap), SIDES + SIDES * p->label + side,
                       p_in ? SIDES + side : p->label };
        if (p_in && kept > 0) {
            // the edge to the cut keeps its own label
            out[kept - 1].label = p->label;
        }
        kept = put_corner(out, kept, cut);
    }
    return kept;
}

// Points of a face of `on` (axis k, outward sign s) and of the face of `over` that looks at it.
static int face_points(const SetBox *on, int k, double s, const SetBox *over, bool on_is_a,
                       double within, double size, SetPoint *out) {
    int ku = (k + 1) % 3;
    int kv = (k + 2) % 3;
    impVec3 n = scale(s, row(&on->axes, k));
    impVec3 u = row(&on->axes, ku);
    impVec3 v = row(&on->axes, kv);

    // the face of the other box that is most against the normal
    int face = 0;
    double most = -1;
    for (int i = 0; i < 3; i++) {
        double along = fabs(dot(n, row(&over->axes, i)));
        if (along > most + PREFER_FIRST) {
            most = along;
            face = i;
        }
    }
    double t = dot(n, row(&over->axes, face)) > 0 ? -1 : 1;
    int fu = (face + 1) % 3;
    int fv = (face + 2) % 3;
    impVec3 middle = sub(madd(over->at, t * over->half[face], row(&over->axes, face)), on->at);
    impVec3 eu = scale(over->half[fu], row(&over->axes, fu));
    impVec3 ev = scale(over->half[fv], row(&over->axes, fv));
    static const double around[SIDES][2] = { { 1, 1 }, { -1, 1 }, { -1, -1 }, { 1, -1 } };
    Corner corner[POLYGON], spare[POLYGON];
    for (int i = 0; i < SIDES; i++) {
        impVec3 p = madd(madd(middle, around[i][0], eu), around[i][1], ev);
        corner[i] = (Corner){ dot(u, p), dot(v, p), dot(n, p) - on->half[k], i, i };
    }

    double tolerance = CLIP_TOLERANCE * size;
    int count = clip(corner, SIDES, 0, 1, on->half[ku], 0, tolerance, spare);
    count = clip(spare, count, 0, -1, on->half[ku], 1, tolerance, corner);
    count = clip(corner, count, 1, 1, on->half[kv], 2, tolerance, spare);
    count = clip(spare, count, 1, -1, on->half[kv], 3, tolerance, corner);

    int own = 2 * k + (s > 0);
    int other = 2 * face + (t > 0);
    int points = 0;
    for (int i = 0; i < count; i++) {
        const Corner *c = &corner[i];
        if (!(c->gap <= within)) continue;
        impVec3 on_face = madd(madd(madd(on->at, s * on->half[k], row(&on->axes, k)), c->u, u),
                               c->v, v);
        impVec3 above = madd(on_face, c->gap, n);
        out[points++] = (SetPoint){ .kind = on_is_a ? SET_CORNER_OF_B : SET_CORNER_OF_A,
                                    .feature = name_of(on_is_a, on_is_a ? own : other,
                                                       on_is_a ? other : own, c->id),
                                    .n = on_is_a ? neg(n) : n,
                                    .gap = c->gap,
                                    .core_a = on_is_a ? on_face : above,
                                    .core_b = on_is_a ? above : on_face };
    }
    return points;
}

// --- an edge on an edge --------------------------------------------------------------------------

// The middle of the edge along axis k of a box that is farthest along `toward`; *place: which.
static impVec3 edge_middle(const SetBox *box, int k, impVec3 toward, int *place) {
    impVec3 at = box->at;
    *place = 0;
    for (int i = 1; i < 3; i++) {
        int other = (k + i) % 3;
        bool up = dot(toward, row(&box->axes, other)) > 0;
        at = madd(at, up ? box->half[other] : -box->half[other], row(&box->axes, other));
        *place = 2 * *place + up;
    }
    return at;
}

// The closest points of two edges. None, where the lines are closest beyond the end of an edge.
static int edge_point(const SetBox *a, const SetBox *b, const Best *best, double within,
                      double tolerance, SetPoint *out) {
    impVec3 ea = row(&a->axes, best->i);
    impVec3 eb = row(&b->axes, best->j);
    impVec3 n = scale(-best->sign / best->length, cross(ea, eb));
    int place_a, place_b;
    impVec3 pa = edge_middle(a, best->i, neg(n), &place_a);
    impVec3 pb = edge_middle(b, best->j, n, &place_b);

    // closest points of the two lines
    impVec3 d = sub(pb, pa);
    double c = dot(ea, eb);
    double da = dot(ea, d);
    double db = dot(eb, d);
    double divisor = 1 - c * c;
    double along_a = (da - c * db) / divisor;
    double along_b = (c * da - db) / divisor;
    if (fabs(along_a) > a->half[best->i] + tolerance) return 0;
    if (fabs(along_b) > b->half[best->j] + tolerance) return 0;
    pa = madd(pa, along_a, ea);
    pb = madd(pb, along_b, eb);
    double gap = dot(n, sub(pa, pb));
    if (!(gap <= within)) return 0;
    *out = (SetPoint){ .kind = SET_EDGES,
                       .feature = name_of(2, best->i, best->j, 4 * place_a + place_b),
                       .n = n,
                       .gap = gap,
                       .core_a = pa,
                       .core_b = pb,
                       .edge_a = ea,
                       .edge_b = eb };
    return 1;
}

// --- a ball and a box ----------------------------------------------------------------------------

int contact_set_ball_box(impVec3 centre, double radius, const SetBox *b, double within,
                         SetPoint *out) {
    impVec3 d = sub(centre, b->at);
    impVec3 nearest = b->at;
    double depth = -HUGE_VAL;
    int outside = 0, edge = 0, face = 0, code = 0;
    double side = 1;
    for (int i = 0; i < 3; i++) {
        double own = dot(row(&b->axes, i), d);
        double over = fabs(own) - b->half[i];
        double kept = over > 0 ? (own > 0 ? b->half[i] : -b->half[i]) : own;
        nearest = madd(nearest, kept, row(&b->axes, i));
        code = 3 * code + (over > 0 ? 1 + (own > 0) : 0);
        outside += over > 0;
        edge = over > 0 ? edge : i;
        if (over > depth) {
            depth = over;
            face = i;
            side = own < 0 ? -1 : 1;
        }
    }
    if (depth - radius > within) return 0;
    *out = (SetPoint){ .kind = outside > 1 ? SET_CENTRES : SET_CORNER_OF_A,
                       .feature = (uint64_t)code,
                       .core_a = centre,
                       .radius_a = radius };
    if (outside > 1) {
        // next to an edge, or to a corner
        impVec3 joins = sub(centre, nearest);
        double distance = norm(joins);
        out->gap = distance - radius;
        out->n = scale(1 / distance, joins);
        out->core_b = nearest;
        if (outside == 2) {
            out->edge_b = row(&b->axes, edge);
        }
    } else {
        // over a face, or within, where the nearest face counts
        out->gap = depth - radius;
        out->n = scale(side, row(&b->axes, face));
        out->core_b = madd(centre, -depth, out->n);
    }
    return out->gap <= within;
}

// --- a corner next to an edge or a corner --------------------------------------------------------

void contact_set_swap(SetPoint *p) {
    SetPoint q = *p;
    p->kind = q.kind == SET_CORNER_OF_A   ? SET_CORNER_OF_B
              : q.kind == SET_CORNER_OF_B ? SET_CORNER_OF_A
                                          : q.kind;
    p->n = neg(q.n);
    p->core_a = q.core_b;
    p->core_b = q.core_a;
    p->radius_a = q.radius_b;
    p->radius_b = q.radius_a;
    p->edge_a = q.edge_b;
    p->edge_b = q.edge_a;
}

impVec3 contact_set_box_corner(const SetBox *box, int i) {
    impVec3 at = madd(box->at, i & 1 ? box->half[0] : -box->half[0], box->axes.x);
    at = madd(at, i & 2 ? box->half[1] : -box->half[1], box->axes.y);
    return madd(at, i & 4 ? box->half[2] : -box->half[2], box->axes.z);
}

// The corner of a box that is nearest to the other one. Returns 0 or 1 point.
static int nearest_corner(const SetBox *of, const SetBox *on, bool of_is_a, double within,
                          SetPoint *out) {
    int found = 0;
    for (int i = 0; i < SET_BOX_CORNERS; i++) {
        SetPoint p;
        impVec3 at = contact_set_box_corner(of, i);
        if (!contact_set_ball_box(at, 0, on, within, &p)) continue;
        within = p.gap;
        p.feature = name_of(3 + of_is_a, 0, i, 0) | p.feature;
        *out = p;
        found = 1;
    }
    if (found && !of_is_a) {
        contact_set_swap(out);
    }
    return found;
}

// --- two boxes -----------------------------------------------------------------------------------

// Adds the closest points of two boxes that are nearer by `least` than those found so far: of two
// edges, or a corner of one of them.
static int add_closest(const SetBox *a, const SetBox *b, const Best *edges, double within,
                       double least, SetPoint *out, int count) {
    double nearest = within;
    for (int i = 0; i < count; i++) {
        nearest = min2(nearest, out[i].gap - least);
    }
    SetPoint p;
    int found = 0;
    if (edges->i >= 0 && edge_point(a, b, edges, nearest, 0, &p)) {
        nearest = p.gap;
        found = 1;
        out[count] = p;
    }
    for (int k = 0; k < 2; k++) {
        if (!nearest_corner(k ? b : a, k ? a : b, k == 0, nearest, &p)) continue;
        nearest = p.gap;
        found = 1;
        out[count] = p;
    }
    return count + found;
}

int contact_set_boxes(const SetBox *a, const SetBox *b, double within, SetPoint *out) {
    double size = min2(min2(min2(a->half[0], a->half[1]), a->half[2]),
                       min2(min2(b->half[0], b->half[1]), b->half[2]));
    double tolerance = CLIP_TOLERANCE * size;
    Axes x = axes_of(a, b);
    Best face = best_face(&x, a, b, size);
    if (face.separation > within) return 0;
    double least = face.separation + PREFER_FACE * size;
    Best edges = best_edges(&x, a, b, face.separation);
    if (edges.i >= 0 && edges.separation > within) return 0;
    if (edges.separation > least && edge_point(a, b, &edges, within, tolerance, out)) return 1;
    int count = face.j < 0 ? face_points(a, face.i, face.sign, b, true, within, size, out)
                           : face_points(b, face.j, -face.sign, a, false, within, size, out);
    for (int i = 0; i < count; i++) {
        if (out[i].gap <= least) return count;
    }
    return add_closest(a, b, &edges, within, PREFER_FIRST * size, out, count);
}
