// rests.c -- the poses in which a part stays, how hard they are to leave, and what a slow landing
// would give.
//
// Let h(d) be the height of the centre of mass when the part touches the plane with down d: a
// function on the sphere, whose minima are the stable poses. It is known by the faces of the hull
// (its corners, in the sense of the sphere) and by the arcs between their normals: on the arc of an
// edge h = r cos(angle to the foot), so that the way from face to face climbs to
//     w = r      where the foot of the edge lies between the two normals, strictly
//     w = max h  of the two faces, else [docs/theory/drop-tests.md (3)]
// A flood over faces and arcs by rising w (Kruskal 1956) then says at which height two basins meet:
// the barrier of a pose is where it meets the first other one. Coordinates from files are rounded,
// so that a flat side comes as triangles with poses of their own, shallower than the rounding: a
// basin that is less than `noise` deep where it meets another is none, and goes into the deeper one
// (persistence, by the elder rule). That needs no tolerance of angles and no merging of faces.
//
// Families. A body that rolls over many facets lies on its side long before it lies on one facet.
// Poses belong to one family if the passes between them are low: no higher above the lowest pose of
// the family than the part `join` of its height. The default, 0.01, is between the values that
// follow from rolling. A body with radius of gyration k that rolls over an edge between facets
// which is c higher than they are, at distance r, loses the part
//     f = 8 (c / r) / (1 + kappa),   kappa = k^2 / r^2 (1)
// of its energy (impact about the new edge, small angles), and there are pi / sqrt(2 c / r) such
// edges in a turn. It loses a factor e of its energy in one turn where c / r = (1 + kappa)^2 / 316,
// which is 0.006 to 0.013 for kappa from 0.4 to 1: on lower passes it goes round more than once,
// and where it stops has little to do with how it landed. The barrier of a family is the lowest
// pass out of it; below that energy the family is certain.
//
// Passes lower than twice the gap that drops take for contact are never told apart, so that such
// poses are a family in any case.
//
// Quasi-static: a part that comes down infinitely slowly lies on the face through which its centre
// of mass looks straight down, and rolls over the edge that it overhangs most (Wiegley, Rao,
// Goldberg 1992): solid angles, summed where they roll to.
//
// SPDX-License-Identifier: MIT
#include "drop/drop.h"

static const double LEAST_TOLD_APART = 2e-5;  // of the reach: see `touching` in drops.c

typedef struct Basin {  // a set of faces, by union-find
    int32_t parent;
    int32_t lowest;  // face of least h
    int32_t alone;   // the only pose in it, or -1
    int32_t family;  // the lowest pose of the only family in it, or -1
} Basin;

typedef struct Flood {
    const impPart *part;
    double *pass;     // by edge: w
    Basin *basin;     // by face
    int32_t *into;    // by face: the lowest face of the basin it died into; -1: lives
    double *barrier;  // by face: lowest pass out of the pose
    int32_t *joined;  // by face: another pose of its family, which is lower; -1: it is the lowest
    double *exit;     // by face: lowest pass out of the family whose lowest pose it is
    double *inner;    // by face: highest pass inside that family
} Flood;

double part_arc(const impPart *part, int edge, impVec3 *way) {
    const Edge *e = part_edge(part, edge);
    impVec3 p = part->corner[e->tail];
    impVec3 foot = madd(p, -dot(p, e->direction), e->direction);
    double r = norm(foot);
    *way = scale(1 / r, cross(e->direction, foot));
    return r;
}

static double pass_of(const impPart *part, int edge) {
    const Edge *e = part_edge(part, edge);
    impVec3 way;
    double r = part_arc(part, edge, &way);
    double left = dot(part_face(part, e->left)->normal, way);
    double right = dot(part_face(part, e->right)->normal, way);
    bool between = (left > 0 && right < 0) || (left < 0 && right > 0);
    return between ? r : max2(part->height[e->left], part->height[e->right]);
}

// --- the flood -----------------------------------------------------------------------------------
static bool passes_first(const void *context, int32_t i, int32_t j) {
    return ((const double *)context)[i] < ((const double *)context)[j];
}

static int32_t basin_of(Basin *b, int32_t i) {
    while (b[i].parent != i) {
        i = b[i].parent = b[b[i].parent].parent;
    }
    return i;
}

static bool is_deeper(const Flood *f, int32_t a, int32_t b) {
    int32_t low_a = f->basin[a].lowest;
    int32_t low_b = f->basin[b].lowest;
    double height_a = f->part->height[low_a];
    double height_b = f->part->height[low_b];
    return height_a < height_b || (height_a == height_b && a < b);
}

// Two basins, each a family at most, that meet at a level: one family, if that is low above the
// lowest pose.
static void join_families(Flood *f, Basin *elder, Basin *other, double level) {
    double lowest = f->part->height[elder->lowest];
    double join = max2(f->part->report.join * lowest,
                       LEAST_TOLD_APART * f->part->report.bounding_radius);
    bool low = level - lowest <= join;
    if (low && elder->family >= 0 && other->family >= 0) {
        f->joined[other->family] = elder->family;
        f->inner[elder->family] = level;
        return;
    }
    if (elder->family >= 0) {
        f->exit[elder->family] = level;
    }
    if (other->family >= 0) {
        f->exit[other->family] = level;
    }
    elder->family = -1;
}

static void meet(Flood *f, int32_t a, int32_t b, double level) {
    const double *h = f->part->height;
    if (a == b) return;
    if (is_deeper(f, b, a)) {
        int32_t swap = a;
        a = b;
        b = swap;
    }
    Basin *elder = &f->basin[a];
    Basin *other = &f->basin[b];
    other->parent = a;
    if (other->alone >= 0 && level - h[other->lowest] <= f->part->report.noise) {
        f->into[other->lowest] = elder->lowest;
        return;
    }
    if (elder->alone >= 0) {
        f->barrier[elder->alone] = level;
    }
    if (other->alone >= 0) {
        f->barrier[other->alone] = level;
    }
    elder->alone = -1;
    join_families(f, elder, other, level);
}

static bool take_flood(Flood *f, Pool *scratch) {
    int faces = f->part->report.faces;
    int edges = f->part->hull.edge_count;
    f->pass = POOL_TAKE(scratch, double, edges);
    f->basin = POOL_TAKE(scratch, Basin, faces);
    f->into = POOL_TAKE(scratch, int32_t, faces);
    f->barrier = POOL_TAKE(scratch, double, faces);
    f->joined = POOL_TAKE(scratch, int32_t, faces);
    f->exit = POOL_TAKE(scratch, double, faces);
    f->inner = POOL_TAKE(scratch, double, faces);
    return f->pass && f->basin && f->into && f->barrier && f->joined && f->exit && f->inner;
}

static bool flood(Flood *f, Pool *scratch, impError *err) {
    const impPart *part = f->part;
    int faces = part->report.faces;
    int edges = part->hull.edge_count;
    int32_t *order = POOL_TAKE(scratch, int32_t, edges);
    int32_t *spare = POOL_TAKE(scratch, int32_t, edges);
    if (!take_flood(f, scratch) || !order || !spare) return fail_memory(err);
    for (int32_t i = 0; i < faces; i++) {
        f->basin[i] = (Basin){ i, i, i, i };
        f->into[i] = f->joined[i] = -1;
        f->barrier[i] = f->exit[i] = HUGE_VAL;
        f->inner[i] = part->height[i];
    }
    for (int32_t e = 0; e < edges; e++) {
        order[e] = e;
        f->pass[e] = pass_of(part, e);
    }
    sort_stable(order, spare, edges, passes_first, f->pass);
    for (int i = 0; i < edges; i++) {
        const Edge *e = part_edge(part, order[i]);
        meet(f, basin_of(f->basin, e->left), basin_of(f->basin, e->right), f->pass[order[i]]);
    }
    return true;
}

// --- rolling -------------------------------------------------------------------------------------
// Over the edge that the foot of the centre of mass overhangs most; the face itself where there is
// none.
static int32_t rolls_to(const impPart *part, int32_t face) {
    const Face *f = part_face(part, face);
    const int32_t *loop_edge = part->geometry.loop_edge + f->first;
    impVec3 foot = scale(part->height[face], f->normal);
    double worst = 0;
    int32_t to = face;
    for (int i = 0; i < f->count; i++) {
        const Edge *e = part_edge(part, loop_edge[i]);
        int32_t other = e->left == face ? e->right : e->left;
        double beyond = dot(sub(foot, part->corner[e->tail]),
                            e->left == face ? e->out_left : e->out_right);
        if (!(beyond > worst) || !(part->height[other] < part->height[face])) continue;
        worst = beyond;
        to = other;
    }
    return to;
}

// of 4 pi; van Oosterom and Strackee 1983
static double solid_angle(const impPart *part, int face) {
    const int32_t *loop = part_loop(part, face);
    double sum = 0;
    for (int i = 2; i < part_face(part, face)->count; i++) {
        impVec3 a = part->corner[loop[0]];
        impVec3 b = part->corner[loop[i - 1]];
        impVec3 c = part->corner[loop[i]];
        double la = norm(a);
        double lb = norm(b);
        double lc = norm(c);
        double under = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
        sum += 2 * num_atan2(dot(a, cross(b, c)), under);
    }
    return sum / (4 * PI);
}

// --- results of a pose ---------------------------------------------------------------------------
// The corners that touch in a pose.
typedef struct Footprint {
    int32_t *touching;  // their numbers
    Vec2 *at;           // their places, seen along the normal
    int32_t *hull;      // which of them are corners of their hull
} Footprint;

// How far the foot of the centre of mass is within the polygon of all corners that touch: the least
// distance to a side of their hull, seen along the normal.
static double margin_of(const impPart *part, impVec3 normal, double height, Footprint *f) {
    const impVec3 *c = part->corner;
    double within = height - 4 * part->report.noise;
    double margin = HUGE_VAL;
    impVec3 x = perpendicular(normal);
    impVec3 y = cross(normal, x);
    int count = 0;
    for (int i = 0; i < part->report.corners; i++) {
        if (!(dot(c[i], normal) > within)) continue;
        f->touching[count] = i;
        f->at[count++] = vec2(dot(c[i], x), dot(c[i], y));
    }
    int corners = num_hull2(f->at, count, f->hull);
    for (int i = 0; i < corners; i++) {
        impVec3 from = c[f->touching[f->hull[i]]];
        impVec3 along = sub(c[f->touching[f->hull[(i + 1) % corners]]], from);
        margin = min2(margin, dot(cross(along, neg(from)), normal) / norm(along));
    }
    return corners > 1 ? margin : -1;
}

// Turns `normal` down, and is as near to none as that allows; yaw 0 is the one without turning
// about the vertical.
static impQuat lying(impVec3 normal) {
    // cosine of the angle to down
    double c = -normal.z;
    if (c < -1 + 1e-12) return quat(0, 1, 0, 0);
    impVec3 axis = cross(normal, vec(0, 0, -1));
    return unit(quat(1 + c, axis.x, axis.y, axis.z));
}

static bool lower_first(const void *context, int32_t i, int32_t j) {
    const impPart *part = context;
    return part->height[i] < part->height[j];
}

// Poses by height, lowest first. number: by face, which pose it is.
static bool list_rests(impPart *part, const Flood *f, int32_t *number, Pool *scratch,
                       impError *err) {
    int faces = part->report.faces;
    int rests = 0;
    int32_t *order = POOL_TAKE(scratch, int32_t, faces);
    int32_t *spare = POOL_TAKE(scratch, int32_t, faces);
    Footprint feet = { POOL_TAKE(scratch, int32_t, part->report.corners),
                       POOL_TAKE(scratch, Vec2, part->report.corners),
                       POOL_TAKE(scratch, int32_t, HULL2_ROOM(part->report.corners)) };
    if (!order || !spare || !feet.touching || !feet.at || !feet.hull) return fail_memory(err);
    for (int32_t i = 0; i < faces; i++) {
        if (f->into[i] < 0) {
            order[rests++] = i;
        }
    }
    sort_stable(order, spare, rests, lower_first, part);

    part->rest = POOL_TAKE(&part->pool, impRest, rests);
    if (!part->rest) return fail_memory(err);
    part->rests = rests;
    for (int i = 0; i < rests; i++) {
        int32_t face = order[i];
        impRest *r = &part->rest[i];
        number[face] = i;
        r->face = face;
        r->same_as = i;
        r->normal = part_face(part, face)->normal;
        r->height = part->height[face];
        r->barrier = f->barrier[face] - r->height;
        r->margin = margin_of(part, r->normal, r->height, &feet);
        r->rotation = lying(r->normal);
    }
    return true;
}

// The pose that each face rolls to, and with it the share of a landing that is infinitely slow.
static bool find_sinks(impPart *part, const Flood *f, const int32_t *number, impError *err) {
    int faces = part->report.faces;
    part->sink = POOL_TAKE(&part->pool, int32_t, faces);
    if (!part->sink) return fail_memory(err);
    for (int32_t i = 0; i < faces; i++) {
        int32_t at = i;
        int32_t next;
        while ((next = rolls_to(part, at)) != at) {
            at = next;
        }
        while (f->into[at] >= 0) {
            at = f->into[at];
        }
        part->sink[i] = number[at];
        part->rest[number[at]].quasi_static += solid_angle(part, i);
    }
    return true;
}

// Families in the order of their lowest poses.
static bool list_families(impPart *part, const Flood *f, const int32_t *number, impError *err) {
    part->family = POOL_TAKE(&part->pool, impFamily, part->rests);
    if (!part->family) return fail_memory(err);
    for (int i = 0; i < part->rests; i++) {
        impRest *r = &part->rest[i];
        int32_t lowest = r->face;
        while (f->joined[lowest] >= 0) {
            lowest = f->joined[lowest];
        }
        if (lowest == r->face) {
            r->family = part->families++;
            part->family[r->family] = (impFamily){ .lowest = i,
                                                   .same_as = r->family,
                                                   .barrier = f->exit[lowest] - r->height,
                                                   .inner = f->inner[lowest] - r->height };
        }
        r->family = part->rest[number[lowest]].family;
        part->family[r->family].members++;
        part->family[r->family].quasi_static += r->quasi_static;
    }
    return true;
}

bool part_find_rests(impPart *part, impError *err) {
    Pool scratch = { 0 };
    Flood f = { .part = part };
    int32_t *number = POOL_TAKE(&scratch, int32_t, part->report.faces);
    bool ok = (number || fail_memory(err)) && flood(&f, &scratch, err) &&
              list_rests(part, &f, number, &scratch, err) && find_sinks(part, &f, number, err) &&
              list_families(part, &f, number, err);
    pool_free(&scratch);
    return ok;
}
