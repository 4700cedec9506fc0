// symmetry.c -- which poses are one, because a rotation maps the part onto itself?
//
// A rotation that takes pose i to pose j takes the normal of i to that of j, and the farthest
// corner that touches in i to one that touches in j at the same distance from the foot of the
// centre of mass: so there are few candidates. A candidate counts if it maps the inertia to itself
// and the hull into itself, to within rounding of the coordinates. It does the latter if no face is
// overtopped: in the direction of its normal the turned hull reaches no farther than the hull.
// Corners need not be mapped to corners, so that points along a side, which meshes have, change
// nothing. Mirror images are not looked for: a part and its mirror image land differently.
//
// SPDX-License-Identifier: MIT
#include "drop/drop.h"

enum { MOST_CANDIDATES = 256 };

typedef struct Twins {
    const impPart *part;
    double near;        // m: coordinates this far apart are one
    int32_t *mark;      // by pose: the corner that touches in it and is farthest from the foot
    int32_t *touching;  // corners that touch in the pose that is compared with others
    int touching_count;
    int32_t start[27];  // the farthest corners along (x, y, z) of -1, 0 and 1: where climbs begin
} Twins;

static double depth_along(const impPart *p, int corner, impVec3 d) {
    return dot(p->corner[corner], d);
}

// The corner that is farthest along d: up the edges, from a corner nearby.
static int32_t farthest_corner(const impPart *p, int32_t corner, impVec3 d) {
    const int32_t *first = p->geometry.ring_first + p->hull.first_ring;
    for (int32_t from = -1; from != corner;) {
        from = corner;
        for (int k = first[from]; k < first[from + 1]; k++) {
            const Edge *e = part_edge(p, p->geometry.ring[k]);
            int32_t other = e->tail == from ? e->head : e->tail;
            if (depth_along(p, other, d) > depth_along(p, corner, d)) {
                corner = other;
            }
        }
    }
    return corner;
}

static int third(double x) { return x < -0.4 ? 0 : x > 0.4 ? 2 : 1; }
static int start_of(impVec3 d) { return third(d.x) + 3 * third(d.y) + 9 * third(d.z); }

static void find_starts(Twins *t) {
    for (int i = 0; i < 27; i++) {
        impVec3 d = vec(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
        t->start[i] = i ? farthest_corner(t->part, t->start[i - 1], d)
                        : farthest_corner(t->part, 0, d);
    }
}

// columns: across, sideways, normal
static Mat3 frame_of(impVec3 normal, impVec3 at) {
    impVec3 x = madd(at, -dot(at, normal), normal);
    x = scale(1 / norm(x), x);
    return transpose(mat3(x, cross(normal, x), normal));
}

static bool same_inertia(const impPart *part, Mat3 r, double near) {
    Mat3 j = rotated(r, part->inertia);
    double allowed = max2(1e-5, 2 * near / part->report.bounding_radius) * trace(part->inertia);
    return largest(sub(j.x, part->inertia.x)) <= allowed &&
           largest(sub(j.y, part->inertia.y)) <= allowed &&
           largest(sub(j.z, part->inertia.z)) <= allowed;
}

// The hull turned by r is within the hull.
static bool maps(const Twins *t, Mat3 r) {
    const impPart *p = t->part;
    Mat3 back = transpose(r);
    if (!same_inertia(p, r, t->near)) return false;
    for (int face = 0; face < p->report.faces; face++) {
        impVec3 d = mul(back, part_face(p, face)->normal);
        int32_t corner = farthest_corner(p, t->start[start_of(d)], d);
        if (depth_along(p, corner, d) > p->height[face] + t->near) return false;
    }
    return true;
}

static double off_foot(const impPart *p, const impRest *r, int corner) {
    impVec3 at = p->corner[corner];
    return norm(madd(at, -dot(at, r->normal), r->normal));
}

static void find_touching(Twins *t, int pose) {
    const impPart *p = t->part;
    const impRest *r = &p->rest[pose];
    t->mark[pose] = part_loop(p, r->face)[0];
    t->touching_count = 0;
    for (int k = 0; k < p->report.corners; k++) {
        if (depth_along(p, k, r->normal) < r->height - t->near) continue;
        t->touching[t->touching_count++] = k;
        if (off_foot(p, r, k) > off_foot(p, r, t->mark[pose])) {
            t->mark[pose] = k;
        }
    }
}

// Is there a rotation that takes pose i to pose j, whose touching corners are listed?
static bool are_twins(const Twins *t, const impRest *i, const impRest *j, int mark) {
    const impPart *p = t->part;
    double far = off_foot(p, i, mark);
    int tried = 0;
    Mat3 from = frame_of(i->normal, p->corner[mark]);
    for (int k = 0; k < t->touching_count && tried < MOST_CANDIDATES; k++) {
        int corner = t->touching[k];
        if (fabs(off_foot(p, j, corner) - far) > t->near) continue;
        tried++;
        if (maps(t, mat3_mul(frame_of(j->normal, p->corner[corner]), transpose(from)))) return true;
    }
    return false;
}

static int find_twin(Twins *t, int j) {
    const impRest *rest = t->part->rest;
    find_touching(t, j);
    // heights rise: those of about this one
    for (int i = j - 1; i >= 0; i--) {
        if (rest[i].height < rest[j].height - t->near) break;
        if (rest[i].same_as == i && are_twins(t, &rest[i], &rest[j], t->mark[i])) return i;
    }
    return j;
}

bool part_find_twins(impPart *part, impError *err) {
    Pool scratch = { 0 };
    Twins t = { .part = part,
                .near = max2(16 * part->report.noise, 1e-6 * part->report.bounding_radius) };
    t.mark = POOL_TAKE(&scratch, int32_t, part->rests);
    t.touching = POOL_TAKE(&scratch, int32_t, part->report.corners);
    bool ok = t.mark && t.touching;
    find_starts(&t);
    for (int j = 0; ok && j < part->rests; j++) {
        part->rest[j].same_as = find_twin(&t, j);
    }
    pool_free(&scratch);
    if (!ok) return fail_memory(err);

    // a family is the same as another if their lowest poses are
    for (int j = 1; j < part->families; j++) {
        impFamily *family = &part->family[j];
        int same = part->rest[part->rest[family->lowest].same_as].family;
        if (same < j) {
            family->same_as = part->family[same].same_as;
        }
    }
    return true;
}
