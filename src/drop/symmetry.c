// symmetry.c -- which poses are one, because a rotation maps the part onto itself?
//
// A rotation that takes pose i to pose j takes the normal of i to that of j, and a corner that touches in i to one that touches
// in j at the same distance from the foot of the centre of mass: so there are as many candidates as corners touch. A candidate
// counts if it maps every corner of the hull to a corner, and the inertia to itself, to within rounding of the coordinates.
// Mirror images are not looked for: a part and its mirror image land differently.
//
// SPDX-License-Identifier: MIT
#include "drop/drop.h"

enum { MOST_CANDIDATES = 256 };

typedef struct Twins {
    const impPart *part;
    double near;                              // m: coordinates this far apart are one
    int32_t *order;                           // corners by depth along the normal of pose j
    double *depth;                            // of corner order[k]
} Twins;

static bool by_depth(const void *context, int32_t i, int32_t j) { return ((const double *)context)[i] < ((const double *)context)[j]; }

static bool has_corner(const Twins *t, impVec3 at, double depth) {
    int low = 0, high = t->part->report.corners;
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (t->depth[mid] < depth - t->near) low = mid + 1;
        else high = mid;
    }
    for (; low < t->part->report.corners && t->depth[low] <= depth + t->near; low++)
        if (largest(sub(t->part->corner[t->order[low]], at)) <= t->near) return true;
    return false;
}

static Mat3 frame_of(impVec3 normal, impVec3 at) {   // columns: across, sideways, normal
    impVec3 x = madd(at, -dot(at, normal), normal);
    x = scale(1 / norm(x), x);
    return transpose(mat3(x, cross(normal, x), normal));
}

static bool same_inertia(const impPart *part, Mat3 r, double near) {
    Mat3 j = turned(r, part->inertia);
    double allowed = max2(1e-5, 2 * near / part->report.reach) * trace(part->inertia);
    return largest(sub(j.x, part->inertia.x)) <= allowed && largest(sub(j.y, part->inertia.y)) <= allowed
        && largest(sub(j.z, part->inertia.z)) <= allowed;
}

static bool maps(const Twins *t, Mat3 r, impVec3 normal_i) {
    const impPart *p = t->part;
    if (!same_inertia(p, r, t->near)) return false;
    for (int i = 0; i < p->report.corners; i++)
        if (!has_corner(t, mul(r, p->corner[i]), dot(p->corner[i], normal_i))) return false;
    return true;
}

static double off_foot(const impPart *p, const impRest *r, int corner) {
    impVec3 at = p->corner[corner];
    return norm(madd(at, -dot(at, r->normal), r->normal));
}

// Is there a rotation that takes pose i to pose j?
static bool are_twins(const Twins *t, const impRest *i, const impRest *j) {
    const impPart *p = t->part;
    const Face *face = part_face(p, i->face);
    int mark = part_loop(p, i->face)[0], tried = 0;
    for (int k = 1; k < face->count; k++)
        if (off_foot(p, i, part_loop(p, i->face)[k]) > off_foot(p, i, mark)) mark = part_loop(p, i->face)[k];
    double far = off_foot(p, i, mark);
    Mat3 from = frame_of(i->normal, p->corner[mark]);
    for (int k = p->report.corners - 1; k >= 0 && t->depth[k] >= j->height - t->near && tried < MOST_CANDIDATES; k--) {
        if (fabs(off_foot(p, j, t->order[k]) - far) > t->near) continue;
        tried++;
        if (maps(t, mat3_mul(frame_of(j->normal, p->corner[t->order[k]]), transpose(from)), i->normal)) return true;
    }
    return false;
}

static void sort_corners(Twins *t, impVec3 normal, double *spare_depth, int32_t *spare) {
    int n = t->part->report.corners;
    for (int i = 0; i < n; i++) t->order[i] = i, spare_depth[i] = dot(t->part->corner[i], normal);
    sort_stable(t->order, spare, n, by_depth, spare_depth);
    for (int i = 0; i < n; i++) t->depth[i] = spare_depth[t->order[i]];
}

bool part_find_twins(impPart *part, impError *err) {
    Pool scratch = { 0 };
    int n = part->report.corners;
    Twins t = { part, max2(16 * part->report.noise, 1e-6 * part->report.reach), POOL_TAKE(&scratch, int32_t, n), POOL_TAKE(&scratch, double, n) };
    double *spare_depth = POOL_TAKE(&scratch, double, n);
    int32_t *spare = POOL_TAKE(&scratch, int32_t, n);
    bool ok = t.order && t.depth && spare_depth && spare;
    for (int j = 1; ok && j < part->rests; j++) {
        impRest *rest = &part->rest[j];
        bool sorted = false;
        for (int i = j - 1; i >= 0 && rest->same_as == j; i--) {   // heights rise: those of about this one
            const impRest *before = &part->rest[i];
            if (before->height < rest->height - t.near) break;
            if (before->same_as != i) continue;
            if (!sorted) sort_corners(&t, rest->normal, spare_depth, spare), sorted = true;
            if (are_twins(&t, before, rest)) rest->same_as = i;
        }
    }
    pool_free(&scratch);
    return ok || fail_memory(err);
}
