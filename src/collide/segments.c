// segments.c -- the closest points of two segments; where they are parallel, the middle of the
// stretch they share.
//
// The minimum of |a + s u - c - t v|^2 over the unit square [Ericson05, 5.1.9]. Parallel means that
// u x v is rounding: then every point of a stretch is closest, and its middle is the answer that
// does not depend on where one began.
//
// SPDX-License-Identifier: MIT
#include "collide/walk.h"

static double within(double s) { return s < 0 ? 0 : s > 1 ? 1 : s; }

static void parallel(impVec3 a, impVec3 u, double uu, impVec3 c, impVec3 v, impVec3 *p,
                     impVec3 *q) {
    impVec3 r = sub(c, a);
    // the other's ends along ab
    double s0 = dot(r, u) / uu;
    double s1 = dot(add(r, v), u) / uu;
    double low = max2(0, min2(s0, s1));
    double high = min2(1, max2(s0, s1));
    double s = low <= high ? 0.5 * (low + high) : (s0 > 1 || s1 > 1 ? 1 : 0);
    *p = madd(a, s, u);
    double vv = dot(v, v);
    *q = madd(c, vv > 0 ? within(dot(sub(*p, c), v) / vv) : 0, v);
}

void collide_segments(impVec3 a, impVec3 b, impVec3 c, impVec3 d, impVec3 *on_ab, impVec3 *on_cd) {
    impVec3 u = sub(b, a);
    impVec3 v = sub(d, c);
    impVec3 r = sub(a, c);
    impVec3 across = cross(u, v);
    double uu = dot(u, u);
    double vv = dot(v, v);
    double uv = dot(u, v);
    double area = dot(across, across);
    if (!(area > 1e-24 * uu * vv)) {
        if (uu > 0) {
            parallel(a, u, uu, c, v, on_ab, on_cd);
        } else {
            *on_ab = a;
            *on_cd = madd(c, vv > 0 ? within(dot(r, v) / vv) : 0, v);
        }
        return;
    }
    // by cross products: nearly parallel ones would lose twice as many digits in (uv * rv - vv *
    // ru) / area
    double ru = dot(r, u);
    double rv = dot(r, v);
    double s = within(dot(cross(v, r), across) / area);
    double t = (uv * s + rv) / vv;
    if (t < 0) {
        t = 0;
        s = within(-ru / uu);
    } else if (t > 1) {
        t = 1;
        s = within((uv - ru) / uu);
    }
    *on_ab = madd(a, s, u);
    *on_cd = madd(c, t, v);
}
