// planes.c -- part of the build: bodies that move in a plane, for planar problems.
//
// Such a body keeps the distance of its centre of mass from the plane through it, and rotates about
// the normal alone. The methods that know it hold it there by three bilateral rows
// (docs/theory/time-stepping.md, section 7). Its normal must be a principal axis: else a rotation
// about it needs a torque that rocks the body.
//
// SPDX-License-Identifier: MIT
#include "model/model.h"

// 1: sine of the angle by which something may be off the normal or the plane
#define OFF_PLANE 1e-9

static bool check_normal(const SceneBody *b, impVec3 normal, impError *err) {
    if (finite3(normal) && largest(normal) > 1e-100 && largest(normal) < 1e100) return true;
    return fail(err, b->at[BODY_PLANE],
                "body '%s': plane [%s, %s, %s]; it must be the normal of a plane, of finite length",
                b->def.name, show(normal.x).text, show(normal.y).text, show(normal.z).text);
}

static bool check_motion(const SceneBody *b, impVec3 n, impError *err) {
    impVec3 v = b->def.twist.linear;
    impVec3 w = b->def.twist.angular;
    bool in_plane = fabs(dot(v, n)) <= OFF_PLANE * norm(v) &&
                    norm(madd(w, -dot(w, n), n)) <= OFF_PLANE * norm(w);
    return in_plane || fail(err, b->at[BODY_PLANE],
                            "body '%s': it moves in a plane, but its velocity leads out of it; "
                            "it may only have one across the normal and a rotation about it",
                            b->def.name);
}

static bool check_axis(const SceneBody *b, const Body *body, impVec3 n, impError *err) {
    impVec3 axis = unrotate(body->pose0.rotation, n);
    impVec3 spin = mul(body->inertia, axis);
    impVec3 across = madd(spin, -dot(spin, axis), axis);
    return norm(across) <= OFF_PLANE * norm(spin) ||
           fail(err, b->at[BODY_PLANE],
                "body '%s': the normal of its plane is no principal axis of its inertia; a "
                "rotation about the normal would need a torque across it",
                b->def.name);
}

bool model_build_planes(impModel *m, const impScene *scene, impError *err) {
    bool ok = true;
    for (int i = 1; i < m->body_count; i++) {
        const SceneBody *b = &scene->bodies[i - 1];
        Body *body = &m->body[i];
        impVec3 normal = b->def.plane;
        if (zero3(normal)) continue;
        if (body->free < 0) {
            ok = fail(err, b->at[BODY_PLANE],
                      "body '%s': a plane for a body that does not move freely", b->def.name);
            continue;
        }
        if (!check_normal(b, normal, err)) {
            ok = false;
            continue;
        }
        impVec3 n = scale(1 / norm(normal), normal);
        ok = check_motion(b, n, err) && ok;
        ok = check_axis(b, body, n, err) && ok;
        body->plane = n;
        m->plane_count++;
    }
    return ok;
}
