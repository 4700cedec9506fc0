// quat.c -- unit quaternions from matrices and from an axis and an angle.
//
// Of the four ways to read a quaternion off a rotation matrix the one is taken whose divisor is
// largest (Shepperd, Quaternion from rotation matrix, J. Guidance and Control 1, 1978), so that
// nothing cancels at half turns. The result is made unit again: a matrix that is a rotation to
// within rounding gives a quaternion that is one. Assumed: r is nearly a rotation, right-handed.
// Left out: repairing matrices that are not.
//
// SPDX-License-Identifier: MIT
#include "num/num.h"

// Each branch holds 4 w, 4 x, 4 y or 4 z times the quaternion; unit() takes the factor away.
static impQuat scaled_quat(Mat3 r) {
    double xx = r.x.x;
    double yy = r.y.y;
    double zz = r.z.z;
    double all = xx + yy + zz;
    double a = r.z.y - r.y.z;
    double b = r.x.z - r.z.x;
    double c = r.y.x - r.x.y;
    double xy = r.x.y + r.y.x;
    double xz = r.x.z + r.z.x;
    double yz = r.y.z + r.z.y;
    if (all >= xx && all >= yy && all >= zz) return quat(1 + all, a, b, c);
    if (xx >= yy && xx >= zz) return quat(a, 1 + xx - yy - zz, xy, xz);
    if (yy >= zz) return quat(b, xy, 1 - xx + yy - zz, yz);
    return quat(c, xz, yz, 1 - xx - yy + zz);
}

impQuat quat_of(Mat3 r) {
    impQuat q = unit(scaled_quat(r));
    return q.w < 0 ? quat(-q.w, -q.x, -q.y, -q.z) : q;
}

impQuat quat_rotation(impVec3 axis, double angle) {
    SinCos half = num_sincos(0.5 * angle);
    return quat(half.cos, half.sin * axis.x, half.sin * axis.y, half.sin * axis.z);
}
