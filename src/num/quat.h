// quat.h -- unit quaternions (w, x, y, z) and poses: where a frame is and how it is turned.
//
// rotate(q, a) takes a from the turned frame to the outer one. qmul(p, q) turns by q first, then by
// p, as matrices do.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "num/mat3.h"

static inline impQuat quat(double w, double x, double y, double z) {
    impQuat q;
    q.w = w;
    q.x = x;
    q.y = y;
    q.z = z;
    return q;
}
static inline impQuat qmul(impQuat a, impQuat b) {
    return quat(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w);
}
static inline impQuat conjugate(impQuat q) { return quat(q.w, -q.x, -q.y, -q.z); }
static inline double qnorm(impQuat q) {
    return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}
static inline impQuat unit(impQuat q) {
    double n = qnorm(q);
    return n == 1 ? q : quat(q.w / n, q.x / n, q.y / n, q.z / n);
}
static inline Mat3 rotation(impQuat q) {
    double x = q.x + q.x;
    double y = q.y + q.y;
    double z = q.z + q.z;
    double wx = q.w * x;
    double wy = q.w * y;
    double wz = q.w * z;
    double xx = q.x * x;
    double xy = q.x * y;
    double xz = q.x * z;
    double yy = q.y * y;
    double yz = q.y * z;
    double zz = q.z * z;
    return mat3(vec(1 - (yy + zz), xy - wz, xz + wy), vec(xy + wz, 1 - (xx + zz), yz - wx),
                vec(xz - wy, yz + wx, 1 - (xx + yy)));
}
static inline impVec3 rotate(impQuat q, impVec3 a) {
    impVec3 u = vec(q.x, q.y, q.z);
    impVec3 t = scale(2, cross(u, a));
    return add(madd(a, q.w, t), cross(u, t));
}
static inline impVec3 unrotate(impQuat q, impVec3 a) { return rotate(conjugate(q), a); }
impQuat quat_of(Mat3 r);                            // of a rotation matrix, w >= 0
impQuat quat_rotation(impVec3 axis, double angle);  // axis of length 1

static inline impPose pose(impVec3 at, impQuat rotation) {
    impPose p;
    p.at = at;
    p.rotation = rotation;
    return p;
}
static inline impPose pose_identity(void) { return pose(vec(0, 0, 0), quat(1, 0, 0, 0)); }
static inline impVec3 place(impPose p, impVec3 a) { return add(p.at, rotate(p.rotation, a)); }
static inline impPose pose_mul(impPose a, impPose b) {
    return pose(place(a, b.at), qmul(a.rotation, b.rotation));
}
static inline impPose pose_inverse(impPose a) {
    impQuat q = conjugate(a.rotation);
    return pose(neg(rotate(q, a.at)), q);
}
