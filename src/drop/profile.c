// profile.c -- a body of revolution that starts without spin, as a polygon in a plane.
//
// The part is made of cylinders and cones about one axis, the centre of mass lies on it, and the
// moments across it are equal. If it starts without spin and without horizontal velocity, then all
// motion and all forces at its lowest points lie in the plane of the axis and the vertical, and
// stay there: the mirror image of the motion in this plane is a motion with the same start. What
// touches is the profile, the convex polygon that the plane cuts out of the hull
// [docs/theory/drop-tests.md, section 9]. It is exact, however round the rims are, and a part of a
// few corners.
//
// The table of the profile has the axis as its z axis, and the plane as that of x and z. Poses,
// passes and families are those of the hull, whose circles are polygons of many sides.
//
// SPDX-License-Identifier: MIT
#include "drop/drop.h"

#include <string.h>

// Of the bounding radius, and of the largest moment: axes that agree so nearly are one. It is some
// times what rounding makes of the poses and inertias of a scene.
static const double ONE_AXIS = 1e-12;

// x: distance from the axis; y: height along it
typedef struct Outline {
    impVec3 axis, center;  // body frame
    double tolerance;      // m
    Vec2 *at;
    int count;
} Outline;

// --- is it one? ----------------------------------------------------------------------------------
static bool is_round(const Shape *s) {
    const char *kind = shape_kinds[s->kind].name;
    return strcmp(kind, "cylinder") == 0 || strcmp(kind, "cone") == 0;
}

static impVec3 axis_of(const Shape *s) { return rotate(s->pose.rotation, vec(0, 0, 1)); }

// Both rims of a cylinder, the rim and the apex of a cone.
static bool put_shape(Outline *o, const Shape *s) {
    if (!is_round(s)) return false;
    bool cone = strcmp(shape_kinds[s->kind].name, "cone") == 0;
    impVec3 own = axis_of(s);
    impVec3 from = sub(s->pose.at, o->center);
    double along = dot(from, o->axis);
    double way = dot(own, o->axis);
    double aside = norm(sub(from, scale(along, o->axis)));
    double tilt = norm(cross(own, o->axis)) * (s->size[0] + s->size[1]);
    if (aside > o->tolerance || tilt > o->tolerance) return false;
    double low = along - (cone ? 0 : way * s->size[1] / 2);
    double high = low + way * s->size[1];
    double top = cone ? 0 : s->size[0];
    for (int side = -1; side <= 1; side += 2) {
        o->at[o->count++] = vec2(side * s->size[0], low);
        o->at[o->count++] = vec2(side * top, high);
    }
    return true;
}

// Along the axis, across it. False: not the same for all directions across.
static bool moments_about(const impPart *part, impVec3 axis, double *along, double *across) {
    Mat3 m = part->inertia;
    *along = dot(axis, mul(m, axis));
    *across = (m.x.x + m.y.y + m.z.z - *along) / 2;
    double most = ONE_AXIS * max2(*along, *across);
    const impVec3 basis[3] = { vec(1, 0, 0), vec(0, 1, 0), vec(0, 0, 1) };
    for (int i = 0; i < 3; i++) {
        double part_along = dot(axis, basis[i]);
        impVec3 plain = madd(scale(*across, basis[i]), (*along - *across) * part_along, axis);
        if (norm(sub(mul(m, basis[i]), plain)) > most) return false;
    }
    return true;
}

// --- the table -----------------------------------------------------------------------------------
// The pose to which the part rolls from this direction of down, of any length: that of the face
// that looks there.
static int32_t sink_of(const impPart *part, impVec3 down) {
    int best = 0;
    for (int f = 1; f < part->report.faces; f++) {
        if (dot(part_face(part, f)->normal, down) > dot(part_face(part, best)->normal, down)) {
            best = f;
        }
    }
    return part->sink[best];
}

static DropSpoke spoke_to(int other, int32_t side) {
    return (DropSpoke){ .other = other, .ahead = side, .behind = side };
}

// Side i of the polygon leads from corner i to the next one. From a corner the way down along the
// circle of directions ends at a side, so that an arc has the same face at both of its ends.
static bool lay_out_corners(DropTable *t, Pool *pool, const impPart *part, const Outline *o,
                            const int32_t *corner, impError *err) {
    int n = t->corners;
    double *x = POOL_TAKE(pool, double, n + DROP_LIST_ROOM);
    double *y = POOL_TAKE(pool, double, n + DROP_LIST_ROOM);
    double *z = POOL_TAKE(pool, double, n + DROP_LIST_ROOM);
    double *gate = POOL_TAKE(pool, double, n);
    int32_t *spokes = POOL_TAKE(pool, int32_t, n + 1);
    int32_t *sink = POOL_TAKE(pool, int32_t, n);
    DropSpoke *spoke = POOL_TAKE(pool, DropSpoke, 2 * n);
    if (!x || !y || !z || !gate || !spokes || !sink || !spoke) return fail_memory(err);
    impQuat axes = quat(t->axes[0], t->axes[1], t->axes[2], t->axes[3]);
    for (int i = 0; i < n; i++) {
        Vec2 from = o->at[corner[i]];
        Vec2 to = o->at[corner[(i + 1) % n]];
        x[i] = from.x / t->length;
        y[i] = 0;
        z[i] = from.y / t->length;
        sink[i] = sink_of(part, rotate(axes, vec(to.y - from.y, 0, from.x - to.x)));
        spokes[i] = 2 * i;
        spoke[2 * i] = spoke_to((i + 1) % n, i);
        spoke[2 * i + 1] = spoke_to((i + n - 1) % n, (i + n - 1) % n);
    }
    spokes[n] = 2 * n;
    for (int i = 0; i < n; i++) {
        double after = t->exit[t->family[sink[i]]].near;
        gate[i] = max2(after, t->exit[t->family[sink[(i + n - 1) % n]]].near);
    }
    t->faces = n;
    t->x = x;
    t->y = y;
    t->z = z;
    t->gate = gate;
    t->spokes = spokes;
    t->spoke = spoke;
    t->sink = sink;
    return true;
}

// The rotation that takes z to the axis, whose z is not negative.
static void set_axes(DropTable *t, impVec3 axis) {
    impQuat q = unit(quat(1 + axis.z, -axis.y, axis.x, 0));
    t->axes[0] = q.w;
    t->axes[1] = q.x;
    t->axes[2] = q.y;
    t->axes[3] = q.z;
}

static void set_moments(DropTable *t, double unit_of, double along, double across) {
    const double moment[3] = { across, across, along };
    for (int i = 0; i < 3; i++) {
        t->moment[i] = moment[i] / unit_of;
        t->inverse[i] = unit_of / moment[i];
    }
}

// The table of the hull is laid out already; what the two share is not computed again.
static bool lay_out(impPart *part, const Outline *o, double along, double across, Pool *scratch,
                    impError *err) {
    DropTable *t = &part->profile;
    int32_t *corner = POOL_TAKE(scratch, int32_t, 2 * o->count + 1);
    if (!corner) return fail_memory(err);
    *t = part->table;
    t->corners = num_hull2(o->at, o->count, corner);
    t->many = t->corners > FEW_CORNERS;
    t->planar = true;
    set_axes(t, o->axis);
    set_moments(t, part->report.mass * t->length * t->length, along, across);
    if (!lay_out_corners(t, &part->pool, part, o, corner, err)) return false;
    if (!part_lay_out_blocks(t, &part->pool, err)) return false;
    part->has_profile = true;
    return true;
}

bool part_find_profile(impPart *part, const impModel *model, const Body *body, impError *err) {
    Pool scratch = { 0 };
    const Shape *shape = &model->shape[body->first_shape];
    Outline o = { .axis = axis_of(shape),
                  .center = part->report.center,
                  .tolerance = ONE_AXIS * part->report.bounding_radius };
    double along, across;
    if (o.axis.z < 0) {
        o.axis = scale(-1, o.axis);
    }
    o.at = POOL_TAKE(&scratch, Vec2, 4 * (size_t)body->shape_count);
    bool ok = o.at || fail_memory(err);
    bool one = ok && moments_about(part, o.axis, &along, &across);
    for (int i = 0; one && i < body->shape_count; i++) {
        one = put_shape(&o, &shape[i]);
    }
    if (one) {
        ok = lay_out(part, &o, along, across, &scratch, err);
    }
    pool_free(&scratch);
    return ok;
}
