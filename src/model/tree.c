// tree.c -- the tree of joints: parents, coordinates, and the order of q and v.
//
// Every body hangs on one joint of a tree rooted in the world; a body that no joint carries hangs
// there by a free joint of six freedoms, a fixed or prescribed one by none (Mirtich, Hybrid
// simulation, sec. 4). A second joint with the same child closes a loop and is kept beside the
// tree, as is one that carries nothing (distance). A cycle of joints without a root cannot be
// ordered and is refused. Coordinates follow the order of the bodies.
//
// SPDX-License-Identifier: MIT
#include "model/model.h"

#include <string.h>

static bool unit_axis(impVec3 *axis, const char *what, const SceneJoint *s, impError *err) {
    double n = norm(*axis);
    if (!isfinite(n) || !(n > 1e-150))
        return fail(err, s->at, "joint '%s': %s [%s, %s, %s]; it must have a direction",
                    s->def.name, what, show(axis->x).text, show(axis->y).text, show(axis->z).text);
    *axis = scale(1 / n, *axis);
    return true;
}

// Axes of the joint frame: z along axis, x along axis2 or anything across.
static bool joint_frame(const SceneJoint *s, const JointKind *kind, impPose *frame, impError *err) {
    impVec3 z = vec(0, 0, 1);
    impVec3 x = vec(1, 0, 0);
    if (!finite3(s->def.at) || largest(s->def.at) > 1e9)
        return fail(
            err, s->at, "joint '%s': at [%s, %s, %s] m; each coordinate must lie within +-1e9",
            s->def.name, show(s->def.at.x).text, show(s->def.at.y).text, show(s->def.at.z).text);
    if (kind->axis) {
        z = s->def.axis;
        if (!unit_axis(&z, "axis", s, err)) return false;
        x = perpendicular(z);
    }
    if (kind->axis2) {
        x = s->def.axis2;
        if (!unit_axis(&x, "axis2", s, err)) return false;
        if (fabs(dot(x, z)) > 1e-9)
            return fail(err, s->at,
                        "joint '%s': axis2 leans on axis by %s; they must be perpendicular",
                        s->def.name, show(dot(x, z)).text);
    }
    Mat3 rows = mat3(x, cross(z, x), z);
    *frame = pose(s->def.at, quat_of(transpose(rows)));
    return true;
}

static bool check_limits(const SceneJoint *s, const JointKind *kind, impError *err) {
    if (!s->def.limited) return true;
    if (!kind->limits)
        return fail(err, s->at, "joint '%s': a %s has no limits; leave them out", s->def.name,
                    kind->name);
    if (!isfinite(s->def.lower) || !isfinite(s->def.upper) || !(s->def.lower <= s->def.upper))
        return fail(err, s->at, "joint '%s': limits [%s, %s]; the first must not exceed the second",
                    s->def.name, show(s->def.lower).text, show(s->def.upper).text);
    if (s->def.lower > 0 || s->def.upper < 0)
        return fail(err, s->at,
                    "joint '%s': limits [%s, %s]; the pose of the scene, 0, must lie within",
                    s->def.name, show(s->def.lower).text, show(s->def.upper).text);
    return true;
}

static bool check_ends(const impModel *m, const SceneJoint *s, const JointKind *kind,
                       impError *err) {
    int a = s->def.parent.i;
    int b = s->def.child.i;
    if (a < 0 || a >= m->body_count || b < 0 || b >= m->body_count)
        return fail(err, s->at, "joint '%s': its parent or child is no body of the scene",
                    s->def.name);
    if (a == b)
        return fail(err, s->at, "joint '%s': from '%s' to itself; it must tie two bodies",
                    s->def.name, m->body[a].name);
    if (b == 0 && kind->tree)
        return fail(err, s->at, "joint '%s': the world cannot be the child; swap parent and child",
                    s->def.name);
    if (kind->tree && m->body[b].role != IMP_DYNAMIC)
        return fail(err, s->at,
                    "joint '%s': its child '%s' is not dynamic; a joint cannot carry it",
                    s->def.name, m->body[b].name);
    if (!strcmp(kind->name, "free") && a != 0)
        return fail(err, s->at,
                    "joint '%s': a free joint hangs from the world; its parent must be \"world\"",
                    s->def.name);
    return true;
}

static bool set_distance(const impModel *m, const SceneJoint *s, Joint *j, impError *err) {
    impVec3 span = sub(s->def.at2, s->def.at);
    if (!finite3(s->def.at2) || !finite3(s->def.at) || !(norm(span) > 0))
        return fail(err, s->at,
                    "joint '%s': at and at2 are the same point; a distance must be positive",
                    s->def.name);
    j->rest = norm(span);
    j->in_parent = pose_mul(pose_inverse(m->body[j->parent].pose0),
                            pose(s->def.at, quat(1, 0, 0, 0)));
    j->in_child = pose_mul(pose_inverse(m->body[j->child].pose0),
                           pose(s->def.at2, quat(1, 0, 0, 0)));
    return true;
}

static bool unknown_kind(const SceneJoint *s, impError *err) {
    const char *names[32];
    const char *kind = s->def.kind ? s->def.kind : "";
    int count = 0;
    for (; count < joint_kind_count && count < COUNT(names); count++) {
        names[count] = joint_kinds[count].name;
    }
    const char *near = nearest(kind, names, count);
    if (near)
        return fail(err, s->at, "joint '%s': type \"%s\" is unknown; did you mean \"%s\"?",
                    s->def.name, kind, near);
    return fail(err, s->at, "joint '%s': type \"%s\" is unknown; see 'impel list joints'",
                s->def.name, kind);
}

static bool build_joint(impModel *m, const SceneJoint *s, Joint *j, impError *err) {
    int kind = joint_find(s->def.kind);
    if (kind < 0) return unknown_kind(s, err);
    const JointKind *k = &joint_kinds[kind];
    impPose frame = pose_identity();
    if (!check_ends(m, s, k, err) || !check_limits(s, k, err)) return false;
    *j = (Joint){ .name = pool_text(&m->pool, s->def.name),
                  .kind = kind,
                  .parent = s->def.parent.i,
                  .child = s->def.child.i,
                  .closing = !k->tree,
                  .limited = s->def.limited,
                  .lower = s->def.lower,
                  .upper = s->def.upper };
    if (!j->name) return fail_memory(err);
    if (!k->tree) return set_distance(m, s, j, err);
    if (!joint_frame(s, k, &frame, err)) return false;
    j->in_parent = pose_mul(pose_inverse(m->body[j->parent].pose0), frame);
    j->in_child = pose_mul(pose_inverse(m->body[j->child].pose0), frame);
    return true;
}

static bool build_joints(impModel *m, const impScene *scene, int *contact_motion, impError *err) {
    bool ok = true;
    m->joint = POOL_TAKE(&m->pool, Joint, scene->joint_count + 1);
    if (!m->joint) return fail_memory(err);
    for (int i = 0; i < scene->joint_count; i++) {
        Joint *j = &m->joint[m->joint_count];
        if (!build_joint(m, &scene->joints[i], j, err)) {
            ok = false;
            continue;
        }
        // a loop
        if (!j->closing && contact_motion[j->child] >= 0) {
            j->closing = true;
        }
        if (!j->closing) {
            contact_motion[j->child] = m->joint_count;
        }
        m->joint_count++;
    }
    return ok;
}

static bool name_before(const void *context, int32_t i, int32_t j) {
    const impScene *scene = context;
    return strcmp(scene->joints[i].def.name, scene->joints[j].def.name) < 0;
}

static bool check_names(impModel *m, const impScene *scene, impError *err) {
    int n = scene->joint_count;
    int32_t *order = POOL_TAKE(&m->pool, int32_t, 2 * n);
    bool ok = order != NULL || fail_memory(err);
    for (int i = 0; ok && i < n; i++) {
        order[i] = i;
    }
    if (ok) {
        sort_stable(order, order + n, n, name_before, scene);
    }
    for (int i = 1; order && i < n; i++) {
        const SceneJoint *a = &scene->joints[order[i - 1]];
        const SceneJoint *b = &scene->joints[order[i]];
        if (!strcmp(a->def.name, b->def.name)) {
            ok = fail(err, b->at, "joint '%s': the name is taken; names must be unique",
                      b->def.name);
        }
    }
    return ok;
}

static bool tell_ring(const impModel *m, Where at, int first, impError *err) {
    char ring[300] = "";
    size_t used = 0;
    int b = first;
    do {
        size_t n = print_text(ring + used, sizeof ring - used, "%s'%s'", used ? ", " : "",
                              m->body[b].name);
        if (n >= sizeof ring - used) break;
        used += n;
        b = m->body[b].parent;
    } while (b != first);
    return fail(err, at,
                "joints: %s carry each other in a ring; one of them must hang from the world",
                ring);
}

// Follows parents from each body, as far as no walk has gone before. Coming upon its own track is
// a ring without a root.
static bool check_rings(impModel *m, const impScene *scene, const int *contact_motion,
                        impError *err) {
    int *walker = POOL_TAKE(&m->pool, int, m->body_count);
    if (!walker) return fail_memory(err);
    for (int i = 1; i < m->body_count; i++) {
        int at = i;
        for (; at != 0 && walker[at] == 0; at = m->body[at].parent) {
            walker[at] = i;
        }
        if (at != 0 && walker[at] == i)
            return tell_ring(m, scene->joints[contact_motion[at]].at, at, err);
    }
    return true;
}

// The joint's velocities from the two bodies' twists, by least squares over its freedoms; what is
// left over the joint would have to break.
static bool start_velocity(impModel *m, const impScene *scene, int child, double *v,
                           impError *err) {
    const Body *b = &m->body[child];
    const Body *p = &m->body[b->parent];
    const JointKind *k = &joint_kinds[b->joint];
    // not said: it moves with its parent
    if (zero3(b->twist0.linear) && zero3(b->twist0.angular)) return true;
    impPose frame = pose_mul(p->pose0, b->in_parent);
    impTwist carry = p->twist0;
    impVec3 carry_at = place(p->pose0, p->center);
    if (p->role == IMP_KINEMATIC) {
        carry = motion_sample(m->motion + p->first_motion, p->motion_count, 0).twist;
        carry_at = p->pose0.at;
    }
    impVec3 w = sub(b->twist0.angular, carry.angular);
    impVec3 at_child = add(b->twist0.linear,
                           cross(b->twist0.angular, sub(frame.at, place(b->pose0, b->center))));
    impVec3 at_parent = add(carry.linear, cross(carry.angular, sub(frame.at, carry_at)));
    impVec3 linear = unrotate(frame.rotation, sub(at_child, at_parent));
    impVec3 angular = unrotate(frame.rotation, w);
    double q[7] = { 0 };
    double unit_v[6];
    k->rest(q);
    impVec3 left = linear;
    impVec3 left_angular = angular;
    // the columns of every kind are orthonormal at rest
    for (int i = 0; i < k->nv; i++) {
        memset(unit_v, 0, sizeof unit_v);
        unit_v[i] = 1;
        impTwist s = k->twist(q, unit_v);
        v[i] = dot(s.linear, linear) + dot(s.angular, angular);
        left = madd(left, -v[i], s.linear);
        left_angular = madd(left_angular, -v[i], s.angular);
    }
    double speed = norm(linear) + norm(at_parent) + norm(angular) + norm(carry.angular);
    if (norm(left) + norm(left_angular) <= 1e-9 * (1 + speed)) return true;
    return fail(err, scene->bodies[child - 1].at[BODY_VELOCITY],
                "body '%s': its velocity would break its %s joint, by %s m/s "
                "and %s rad/s; they must agree",
                b->name, k->name, show(norm(left)).text, show(norm(left_angular)).text);
}

static bool count_coordinates(impModel *m, impError *err) {
    m->free_body = POOL_TAKE(&m->pool, int, m->body_count);
    if (!m->free_body) return fail_memory(err);
    for (int i = 1; i < m->body_count; i++) {
        Body *b = &m->body[i];
        b->q = m->sizes.nq;
        b->v = m->sizes.nv;
        if (b->role != IMP_DYNAMIC) continue;
        m->sizes.nq += joint_kinds[b->joint].nq;
        m->sizes.nv += joint_kinds[b->joint].nv;
        if (b->joint == JOINT_FREE) {
            b->free = m->sizes.nfree;
            m->free_body[m->sizes.nfree++] = i;
        }
    }
    return true;
}

bool model_build_tree(impModel *m, const impScene *scene, impError *err) {
    int *contact_motion = POOL_TAKE(&m->pool, int, m->body_count);
    if (!contact_motion) return fail_memory(err);
    for (int i = 0; i < m->body_count; i++) {
        contact_motion[i] = -1;
    }
    bool ok = check_names(m, scene, err);
    if (!build_joints(m, scene, contact_motion, err) || !ok) return false;
    for (int i = 1; i < m->body_count; i++) {
        if (contact_motion[i] < 0) continue;
        const Joint *j = &m->joint[contact_motion[i]];
        Body *b = &m->body[i];
        b->joint = j->kind;
        b->parent = j->parent;
        if (j->kind != JOINT_FREE) {
            b->in_parent = j->in_parent;
            b->in_child = j->in_child;
        }
    }
    return check_rings(m, scene, contact_motion, err) && count_coordinates(m, err);
}

bool model_start_tree(impModel *m, const impScene *scene, double *q, double *v, impError *err) {
    bool ok = true;
    for (int i = 1; i < m->body_count; i++) {
        const Body *b = &m->body[i];
        if (b->role != IMP_DYNAMIC || b->free >= 0) continue;
        joint_kinds[b->joint].rest(q + b->q);
        ok = start_velocity(m, scene, i, v + b->v, err) && ok;
    }
    return ok;
}
