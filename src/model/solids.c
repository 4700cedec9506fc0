// solids.c -- the shapes of every body, and from them its box, mass, centre and inertia.
//
// Compounds add up: masses, first moments, and inertias about the common centre by the
// parallel-axis theorem. Pieces that overlap count twice, as their masses do. A hull
// that stands for a mesh weighs what the mesh encloses. Given values are checked, not believed: an
// inertia must be symmetric, positive definite, and no moment may exceed the sum of the other two,
// relative to the trace.
//
// SPDX-License-Identifier: MIT
#include "model/model.h"

#include <string.h>

// Far beyond any body, and far enough from the ends of a double for products of three moments.
#define LEAST_MASS 1e-30  // kg
#define HEAVIEST   1e30
#define EASIEST    1e-60  // kg m^2, of a principal moment
#define HARDEST    1e60

// --- shapes --------------------------------------------------------------------------------------
static bool shape_pose(impModel *m, const SceneShape *s, Shape *out, const char *who,
                       impError *err) {
    impPose p = s->def.pose;
    double n = qnorm(p.rotation);
    bool all_zero = p.rotation.w == 0 && p.rotation.x == 0 && p.rotation.y == 0 &&
                    p.rotation.z == 0;
    if (!finite3(p.at) || largest(p.at) > 1e7)
        return fail(err, s->at,
                    "%s: position [%s, %s, %s] m; each coordinate must lie within +-1e7", who,
                    show(p.at.x).text, show(p.at.y).text, show(p.at.z).text);
    if (!all_zero && (!isfinite(n) || !(n > 1e-150)))
        return fail(err, s->at, "%s: orientation of length %s; it must be a unit quaternion", who,
                    show(n).text);
    if (!all_zero && fabs(n - 1) > 1e-6) {
        model_warn(m, s->at, "%s: orientation of length %s; it was normalised", who, show(n).text);
    }
    out->pose = pose(p.at, all_zero ? quat(1, 0, 0, 0) : unit(p.rotation));
    return true;
}

static bool unknown_shape(const char *kind, Where at, const char *who, impError *err) {
    const char *names[32];
    for (int i = 0; i < shape_kind_count; i++) {
        names[i] = shape_kinds[i].name;
    }
    const char *near = nearest(kind, names, shape_kind_count);
    if (near)
        return fail(err, at, "%s: shape \"%s\" is unknown; did you mean \"%s\"?", who, kind, near);
    return fail(err, at, "%s: shape \"%s\" is unknown; see 'impel list shapes'", who, kind);
}

// A plane's normal is made a unit vector; its offset, the distance of n . x = offset, goes with it.
// First by a power of two, since the squares of 1e200 and of 1e-200 are no numbers.
static bool normalise_plane(Shape *s, Where at, const char *who, impError *err) {
    int power;
    frexp(largest(vec(s->size[0], s->size[1], s->size[2])), &power);
    impVec3 n = vec(ldexp(s->size[0], -power), ldexp(s->size[1], -power),
                    ldexp(s->size[2], -power));
    double length = norm(n);
    double offset = ldexp(s->size[3], -power) / length;
    if (!(fabs(offset) <= FARTHEST))
        return fail(err, at, "%s: %s m from the origin; it must lie within +-1e9", who,
                    show(offset).text);
    s->size[0] = n.x / length;
    s->size[1] = n.y / length;
    s->size[2] = n.z / length;
    s->size[3] = offset;
    return true;
}

static bool given_inertia(const SceneBody *b, Mat3 *out) {
    const double(*j)[3] = b->def.inertia;
    bool given = false;
    for (int i = 0; i < 9; i++) {
        given = given || j[i / 3][i % 3] != 0;
    }
    *out = mat3(vec(j[0][0], j[0][1], j[0][2]), vec(j[1][0], j[1][1], j[1][2]),
                vec(j[2][0], j[2][1], j[2][2]));
    return given;
}

// The hull of an open mesh encloses more than the mesh: nothing tells the mass but the user.
static bool check_open_mesh(const SceneBody *b, const MeshHull *found, Where at, const char *who,
                            impError *err) {
    Mat3 inertia;
    if (found->closed || (b->def.mass != 0 && b->def.center_given && given_inertia(b, &inertia)))
        return true;
    if (found->open_edges == 0 && found->crowded_edges == 0)
        return fail(err, at,
                    "%s: encloses no volume, so that it has no mass; "
                    "give the body \"mass\", \"center_of_mass\" and \"inertia\"",
                    who);
    return fail(err, at,
                "%s: bounds no solid (%d edges are open, %d crowded), so that it has no mass; "
                "give the body \"mass\", \"center_of_mass\" and \"inertia\"",
                who, found->open_edges, found->crowded_edges);
}

static bool build_mesh_hull(impModel *m, const SceneBody *b, const SceneShape *s, impRole role,
                            Shape *out, const char *who, impError *err) {
    MeshHull found;
    out->kind = SHAPE_HULL;
    if (!shape_build_mesh_hull(out, &m->geometry, &m->pool, &s->def, s->at, who, &found, err))
        return false;
    return role != IMP_DYNAMIC || check_open_mesh(b, &found, s->at, who, err);
}

// May a shape of this kind be part of such a body?
static bool check_role(const impShapeDef *d, int kind, impRole role, Where at, const char *who,
                       impError *err) {
    bool mesh = !strcmp(shape_kinds[kind].name, "mesh");
    if (d->as_hull && !mesh)
        return fail(err, at, "%s: as_hull is for meshes; a %s has none", who,
                    shape_kinds[kind].name);
    if (role != IMP_DYNAMIC) return true;
    if (!shape_kinds[kind].bounded)
        return fail(err, at,
                    "%s: has no end and no volume; a body of it must be fixed or have a motion",
                    who);
    if (mesh && !d->as_hull)
        return fail(err, at,
                    "%s: a surface of triangles can only be fixed or have a motion; "
                    "a dynamic body needs \"as\": \"hull\" or a compound of convex shapes",
                    who);
    return true;
}

static bool build_geometry(impModel *m, const SceneBody *b, const SceneShape *s, impRole role,
                           Shape *out, const char *who, impError *err) {
    const impShapeDef *d = &s->def;
    bool ok = true;
    if (!strcmp(shape_kinds[out->kind].name, "plane")) {
        ok = normalise_plane(out, s->at, who, err);
    }
    if (d->as_hull) return build_mesh_hull(m, b, s, role, out, who, err);
    if (!shape_kinds[out->kind].points) return ok;
    return shape_build_points(out, &m->geometry, &m->pool, d->points, d->point_count, d->faces,
                              d->face_ints, s->at, who, err) &&
           ok;
}

static bool build_shape(impModel *m, const SceneBody *b, int i, impRole role, impError *err) {
    const SceneShape *s = &b->shapes[i];
    const impShapeDef *d = &s->def;
    char who[240];
    if (b->def.shape_count > 1) {
        print_text(who, sizeof who, "body '%s': shape %d (%s)", b->def.name, i + 1,
                   d->kind ? d->kind : "");
    } else {
        print_text(who, sizeof who, "body '%s': %s", b->def.name, d->kind ? d->kind : "shape");
    }
    int kind = shape_find(d->kind);
    if (kind < 0) return unknown_shape(d->kind ? d->kind : "", s->at, who, err);
    if (!POOL_GROW(&m->pool, m->shape, m->shape_room, m->shape_count)) return fail_memory(err);
    Shape *out = &m->shape[m->shape_count++];
    *out = (Shape){ .kind = kind, .pose = pose_identity() };
    memcpy(out->size, d->size, sizeof out->size);
    const char *material = d->material ? d->material : b->def.material;
    out->material = model_find_material(
        m, material, d->material ? s->material_at : b->at[BODY_MATERIAL], who, err);
    bool ok = out->material >= 0 && shape_pose(m, s, out, who, err);
    if (!check_role(d, kind, role, s->at, who, err)) return false;
    if (!shape_kinds[kind].check(out->size, s->at, who, err)) return false;
    if (!shape_check_radius(out, d->radius, s->at, who, err)) return false;
    out->radius = d->radius;
    ok = build_geometry(m, b, s, role, out, who, err) && ok;
    return ok && shape_build_core(out, &m->geometry, &m->pool, err) &&
           shape_build_tree(out, &m->geometry, &m->pool, err);
}

static void measure(impModel *m, Body *body) {
    body->bounded = body->shape_count > 0;
    body->smallest_extent = 0;
    for (int i = 0; i < body->shape_count; i++) {
        const Shape *s = &m->shape[body->first_shape + i];
        if (!shape_kinds[s->kind].bounded) {
            body->bounded = false;
            continue;
        }
        impVec3 low, high;
        shape_box(s, &m->geometry, &low, &high);
        body->low = i ? lower(body->low, low) : low;
        body->high = i ? upper(body->high, high) : high;
        double thin = shape_kinds[s->kind].smallest_extent(s, &m->geometry);
        if (thin > 0 && (body->smallest_extent == 0 || thin < body->smallest_extent)) {
            body->smallest_extent = thin;
        }
    }
    if (!body->bounded) {
        body->low = body->high = vec(0, 0, 0);
    }
}

static bool lacks_material(const SceneBody *b) {
    for (int i = 0; !b->def.material && i < b->def.shape_count; i++) {
        if (!b->shapes[i].def.material) return true;
    }
    return false;
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static bool same_bytes(const void *a, const void *b, int count, size_t each) {
    return count == 0 || !memcmp(a, b, (size_t)count * each);
}

static bool same_shape(const impShapeDef *a, const impShapeDef *b) {
    return same_text(a->kind, b->kind) && same_text(a->material, b->material) &&
           a->radius == b->radius && !memcmp(a->size, b->size, sizeof a->size) &&
           !memcmp(&a->pose, &b->pose, sizeof a->pose) && a->point_count == b->point_count &&
           same_bytes(a->points, b->points, a->point_count, sizeof *a->points) &&
           a->as_hull == b->as_hull && a->face_ints == b->face_ints &&
           same_bytes(a->faces, b->faces, a->face_ints, sizeof *a->faces);
}

// Whether mass and inertia are given, on which it depends what an open mesh may be.
static bool same_givens(const SceneBody *a, const SceneBody *b) {
    Mat3 inertia;
    return (a->def.mass != 0) == (b->def.mass != 0) &&
           given_inertia(a, &inertia) == given_inertia(b, &inertia);
}

// Of the same shapes about the same centre, so that one set serves both: a hundred thousand balls
// then ask for the memory of one.
static bool same_shapes(const SceneBody *a, const SceneBody *b) {
    if (a->def.shape_count != b->def.shape_count || a->def.fixed != b->def.fixed) return false;
    if (a->def.motion_count > 0 || b->def.motion_count > 0 ||
        !same_text(a->def.material, b->def.material))
        return false;
    if (a->def.center_given != b->def.center_given ||
        memcmp(&a->def.center, &b->def.center, sizeof a->def.center))
        return false;
    for (int i = 0; i < a->def.shape_count; i++) {
        if (!same_shape(&a->shapes[i].def, &b->shapes[i].def)) return false;
        if (a->shapes[i].def.as_hull && !same_givens(a, b)) return false;
    }
    return true;
}

static void share_shapes(Body *body, const Body *first) {
    body->first_shape = first->first_shape;
    body->shape_count = first->shape_count;
    body->low = first->low;
    body->high = first->high;
    body->bounded = first->bounded;
    body->smallest_extent = first->smallest_extent;
    body->flawed = first->flawed;
}

static bool build_own_shapes(impModel *m, const SceneBody *b, Body *body, impError *err) {
    bool ok = true;
    body->first_shape = m->shape_count;
    for (int j = 0; j < b->def.shape_count; j++) {
        ok = build_shape(m, b, j, body->role, err) && ok;
    }
    body->shape_count = m->shape_count - body->first_shape;
    body->flawed = !ok;
    if (ok) {
        measure(m, body);
    }
    return ok;
}

bool model_build_shapes(impModel *m, const impScene *scene, impError *err) {
    bool ok = true;
    for (int i = 1; i < m->body_count; i++) {
        const SceneBody *b = &scene->bodies[i - 1];
        Body *body = &m->body[i];
        // the shapes of the first of its kind
        if (b->like >= 0) {
            share_shapes(body, &m->body[b->like + 1]);
            continue;
        }
        // mistakes are told for each body, so what has one is not shared
        if (i > 1 && !m->body[i - 1].flawed && same_shapes(b, b - 1)) {
            share_shapes(body, &m->body[i - 1]);
        } else {
            ok = build_own_shapes(m, b, body, err) && ok;
        }
        if (lacks_material(b)) {
            model_warn(m, b->at[BODY_ITSELF], "body '%s': no material; frictionless, no bounce%s",
                       b->def.name,
                       body->role == IMP_DYNAMIC && b->def.mass == 0 ? ", 1000 kg/m^3" : "");
        }
    }
    return ok;
}

// --- mass ----------------------------------------------------------------------------------------
// J about c of a solid whose tensor about its own centre is given: J + m (|d|^2 1 - d d').
static Mat3 about(Mat3 inertia, double mass, impVec3 d) {
    double d2 = dot(d, d);
    Mat3 shift = mat3_add(mat3_diagonal(d2, d2, d2), mat3_scale(-1, outer(d, d)));
    return mat3_add(inertia, mat3_scale(mass, shift));
}

typedef struct Sum {
    double mass;
    impVec3 center;
    Mat3 inertia;
} Sum;

static Sum add_shapes(const impModel *m, const Body *body) {
    Sum sum = { 0 };
    impVec3 first = vec(0, 0, 0);
    for (int i = 0; i < body->shape_count; i++) {
        const Shape *s = &m->shape[body->first_shape + i];
        Solid solid = shape_solid(s, &m->geometry);
        double mass = m->material[s->material].density * solid.volume;
        sum.mass += mass;
        first = madd(first, mass, solid.center);
    }
    if (!(sum.mass > 0)) return sum;
    sum.center = body->shape_count == 1
                     ? shape_solid(&m->shape[body->first_shape], &m->geometry).center
                     : scale(1 / sum.mass, first);
    for (int i = 0; i < body->shape_count; i++) {
        const Shape *s = &m->shape[body->first_shape + i];
        Solid solid = shape_solid(s, &m->geometry);
        double density = m->material[s->material].density;
        double mass = density * solid.volume;
        sum.inertia = mat3_add(sum.inertia, about(mat3_scale(density, solid.inertia), mass,
                                                  sub(solid.center, sum.center)));
    }
    return sum;
}

static bool check_mass(const SceneBody *b, double mass, impError *err) {
    if (mass >= LEAST_MASS && mass <= HEAVIEST) return true;
    if (b->def.mass < 0)
        return fail(err, b->at[BODY_MASS], "body '%s': mass %s kg; it must be positive",
                    b->def.name, show(b->def.mass).text);
    // NaN, too
    if (b->def.mass != 0 || mass != 0)
        return fail(err, b->at[BODY_MASS],
                    "body '%s': mass %s kg; it must lie between 1e-30 and 1e30", b->def.name,
                    show(mass).text);
    return fail(err, b->at[BODY_SHAPE],
                "body '%s': its shapes have no volume to take a mass from; give \"mass\" and "
                "\"inertia\", or make it fixed",
                b->def.name);
}

static bool check_symmetric(const SceneBody *b, Mat3 j, impError *err) {
    if (!finite3(j.x) || !finite3(j.y) || !finite3(j.z))
        return fail(err, b->at[BODY_INERTIA], "body '%s': inertia with a number that is not finite",
                    b->def.name);
    double size = max2(largest(j.x), max2(largest(j.y), largest(j.z)));
    double off = max2(fabs(j.x.y - j.y.x), max2(fabs(j.x.z - j.z.x), fabs(j.y.z - j.z.y)));
    return off <= 1e-9 * size || fail(err, b->at[BODY_INERTIA],
                                      "body '%s': inertia is not symmetric, by %s kg m^2; "
                                      "entries across the diagonal must be equal",
                                      b->def.name, show(off).text);
}

// For the message of a broken triangle inequality: the moments with the largest brought down to the
// sum of the others.
static bool check_moments(const SceneBody *b, const double i[3], impError *err) {
    double top = max2(i[0], max2(i[1], i[2]));
    double low = min2(i[0], min2(i[1], i[2]));
    double sum = i[0] + i[1] + i[2];
    if (!(low > 0) || !isfinite(top))
        return fail(err, b->at[BODY_INERTIA],
                    "body '%s': inertia with principal moments %s, %s, %s kg m^2; "
                    "each must be positive",
                    b->def.name, show(i[0]).text, show(i[1]).text, show(i[2]).text);
    if (low < EASIEST || top > HARDEST)
        return fail(err, b->at[BODY_INERTIA],
                    "body '%s': inertia with principal moments %s, %s, %s kg m^2; "
                    "each must lie between 1e-60 and 1e60",
                    b->def.name, show(i[0]).text, show(i[1]).text, show(i[2]).text);
    if (2 * top - sum <= 1e-9 * sum) return true;
    return fail(err, b->at[BODY_INERTIA],
                "body '%s': inertia with principal moments %s, %s, %s kg m^2 belongs to no real "
                "body; the largest must not exceed the sum of the others, %s",
                b->def.name, show(i[0]).text, show(i[1]).text, show(i[2]).text,
                show(sum - top).text);
}

static bool set_inertia(const SceneBody *b, Body *body, Mat3 j, bool given, impError *err) {
    if (given && !check_symmetric(b, j, err)) return false;
    Mat3 even = mat3_scale(0.5, mat3_add(j, transpose(j)));
    Mat3 axes = eigen_symmetric(even, body->moments);
    if (!check_moments(b, body->moments, err)) return false;
    body->inertia = even;
    body->inertia_inverse = inverse(even);
    body->axes = quat_of(axes);
    return true;
}

static void note_center(impModel *m, const SceneBody *b, const Body *body) {
    impVec3 c = body->center;
    impVec3 low = body->low;
    impVec3 high = body->high;
    if (!body->bounded || !b->def.center_given) return;
    if (c.x < low.x || c.y < low.y || c.z < low.z || c.x > high.x || c.y > high.y || c.z > high.z) {
        model_warn(m, b->at[BODY_CENTER], "body '%s': its centre of mass lies outside its shapes",
                   b->def.name);
    }
}

static bool check_center(const SceneBody *b, impError *err) {
    impVec3 c = b->def.center;
    if (!b->def.center_given || (finite3(c) && largest(c) <= 1e7)) return true;
    return fail(err, b->at[BODY_CENTER],
                "body '%s': center_of_mass [%s, %s, %s] m; each coordinate must lie within +-1e7",
                b->def.name, show(c.x).text, show(c.y).text, show(c.z).text);
}

static bool build_dynamic(impModel *m, const SceneBody *b, Body *body, impError *err) {
    Mat3 inertia;
    bool given = given_inertia(b, &inertia);
    Sum sum = add_shapes(m, body);
    body->mass = b->def.mass != 0 ? b->def.mass : sum.mass;
    if (!check_mass(b, body->mass, err)) return false;
    if (!check_center(b, err)) return false;
    body->center = b->def.center_given ? b->def.center : sum.center;
    note_center(m, b, body);
    if (!given && !(sum.mass > 0))
        return fail(
            err, b->at[BODY_SHAPE],
            "body '%s': its shapes have no volume to take an inertia from; give \"inertia\"",
            b->def.name);
    if (!given && b->def.center_given && !zero3(sub(b->def.center, sum.center))) {
        model_warn(m, b->at[BODY_CENTER],
                   "body '%s': center_of_mass without inertia; the shapes' inertia about their own "
                   "centre is used",
                   b->def.name);
    }
    return set_inertia(b, body, given ? inertia : mat3_scale(body->mass / sum.mass, sum.inertia),
                       given, err);
}

// A prescribed body has no mass that matters, but its velocity is told of its centre all the same.
static bool build_kinematic(const impModel *m, const SceneBody *b, Body *body, impError *err) {
    Sum sum = add_shapes(m, body);
    body->center = b->def.center_given ? b->def.center : sum.mass > 0 ? sum.center : vec(0, 0, 0);
    return check_center(b, err);
}

static void set_bounding_radius(const impModel *m, Body *body) {
    // what it turns about
    impVec3 from = body->role == IMP_DYNAMIC ? body->center : vec(0, 0, 0);
    body->bounding_radius = 0;
    for (int i = 0; body->bounded && i < body->shape_count; i++) {
        body->bounding_radius = max2(
            body->bounding_radius,
            shape_bounding_radius(&m->shape[body->first_shape + i], &m->geometry, from));
    }
}

static bool is_round(const Body *b) {
    impVec3 low = sub(b->center, b->low);
    impVec3 high = sub(b->high, b->center);
    double least = min2(min2(low.x, min2(low.y, low.z)), min2(high.x, min2(high.y, high.z)));
    return b->role == IMP_DYNAMIC && b->bounded &&
           least >= b->bounding_radius * (1 - 4 * DBL_EPSILON);
}

bool model_build_mass(impModel *m, const impScene *scene, impError *err) {
    bool ok = true;
    for (int i = 1; i < m->body_count; i++) {
        const SceneBody *b = &scene->bodies[i - 1];
        Body *body = &m->body[i];
        if (body->flawed) continue;
        // same shapes, same mass
        if (b->like >= 0) {
            const Body *first = &m->body[b->like + 1];
            body->mass = first->mass;
            body->center = first->center;
            body->inertia = first->inertia;
            body->inertia_inverse = first->inertia_inverse;
            body->axes = first->axes;
            body->bounding_radius = first->bounding_radius;
            body->round = first->round;
            memcpy(body->moments, first->moments, sizeof body->moments);
            continue;
        }
        if (body->role == IMP_DYNAMIC) {
            ok = build_dynamic(m, b, body, err) && ok;
        }
        if (body->role == IMP_KINEMATIC) {
            ok = build_kinematic(m, b, body, err) && ok;
        }
        set_bounding_radius(m, body);
        body->round = is_round(body);
    }
    return ok;
}
