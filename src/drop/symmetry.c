// symmetry.c -- which poses are one, because a rotation maps the part onto itself?
//
// A rotation that takes pose i to pose j takes the normal of i to that of j, and the farthest corner that touches in i to one
// that touches in j at the same distance from the foot of the centre of mass: so there are few candidates. A candidate counts if
// it maps the inertia to itself and the hull into itself, to within rounding of the coordinates. It does the latter if no face is
// overtopped: in the direction of its normal the turned hull reaches no farther than the hull. Corners need not be mapped to
// corners, so that points along a side, which meshes have, change nothing. Mirror images are not looked for: a part and its
// mirror image land differently.
//
// SPDX-License-Identifier: MIT
#include "drop/drop.h"

enum { MOST_CANDIDATES = 256 };

typedef struct Twins {
    const impPart *part;
    double near;                              // m: coordinates this far apart are one
} Twins;

static double depth_along(const impPart *p, int corner, impVec3 d) { return dot(p->corner[corner], d); }

// The corner that is farthest along d: up the edges, from a corner nearby.
static int32_t farthest_corner(const impPart *p, int32_t corner, impVec3 d) {
    const int32_t *first = p->geometry.ring_first + p->hull.first_ring;
    for (int32_t from = -1; from != corner;) {
        from = corner;
        for (int k = first[from]; k < first[from + 1]; k++) {
            const Edge *e = part_edge(p, p->geometry.ring[k]);
            int32_t other = e->tail == from ? e->head : e->tail;
            if (depth_along(p, other, d) > depth_along(p, corner, d)) corner = other;
        }
    }
    return corner;
}

static Mat3 frame_of(impVec3 normal, impVec3 at) {   // columns: across, sideways, normal
    impVec3 x = madd(at, -dot(at, normal), normal);
    x = scale(1 / norm(x), x);
    return transpose(mat3(x, cross(normal, x), normal));
}

static bool same_inertia(const impPart *part, Mat3 r, double near) {
    Mat3 j = turned(r, part->inertia);
    double allowed = max2(1e-5, 2 * near / part->report.reach) * trace(part->inertia);
    return largest(sub(j.x, part->inertia.x)) <= allowed
        && largest(sub(j.y, part->inertia.y)) <= allowed
        && largest(sub(j.z, part->inertia.z)) <= allowed;
}

// The hull turned by r is within the hull.
static bool maps(const Twins *t, Mat3 r) {
    const impPart *p = t->part;
    Mat3 back = transpose(r);
    int32_t corner = 0;
    if (!same_inertia(p, r, t->near)) return false;
    for (int face = 0; face < p->report.faces; face++) {
        impVec3 d = mul(back, part_face(p, face)->normal);
        corner = farthest_corner(p, corner, d);
        if (depth_along(p, corner, d) > p->height[face] + t->near) return false;
    }
    return true;
}

static double off_foot(const impPart *p, const impRest *r, int corner) {
    impVec3 at = p->corner[corner];
    return norm(madd(at, -dot(at, r->normal), r->normal));
}

static bool touches(const Twins *t, const impRest *r, int corner) {
    return depth_along(t->part, corner, r->normal) >= r->height - t->near;
}

// Is there a rotation that takes pose i to pose j?
static bool are_twins(const Twins *t, const impRest *i, const impRest *j) {
    const impPart *p = t->part;
    int mark = part_loop(p, i->face)[0], tried = 0;
    for (int k = 0; k < p->report.corners; k++)
        if (touches(t, i, k) && off_foot(p, i, k) > off_foot(p, i, mark)) mark = k;

    // to every corner that touches in j as far from the foot
    double far = off_foot(p, i, mark);
    Mat3 from = frame_of(i->normal, p->corner[mark]);
    for (int k = 0; k < p->report.corners && tried < MOST_CANDIDATES; k++) {
        if (!touches(t, j, k) || fabs(off_foot(p, j, k) - far) > t->near) continue;
        tried++;
        if (maps(t, mat3_mul(frame_of(j->normal, p->corner[k]), transpose(from)))) return true;
    }
    return false;
}

static int find_twin(const Twins *t, int j) {
    const impRest *rest = t->part->rest;
    for (int i = j - 1; i >= 0; i--) {           // heights rise: those of about this one
        if (rest[i].height < rest[j].height - t->near) break;
        if (rest[i].same_as == i && are_twins(t, &rest[i], &rest[j])) return i;
    }
    return j;
}

void part_find_twins(impPart *part) {
    Twins t = { part, max2(16 * part->report.noise, 1e-6 * part->report.reach) };
    for (int j = 1; j < part->rests; j++) part->rest[j].same_as = find_twin(&t, j);

    // a family is the same as another if their lowest poses are
    for (int j = 1; j < part->families; j++) {
        impFamily *family = &part->family[j];
        int same = part->rest[part->rest[family->lowest].same_as].family;
        if (same < j) family->same_as = part->family[same].same_as;
    }
}
