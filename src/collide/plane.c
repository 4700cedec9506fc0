// plane.c -- a convex shape over a half space, in closed form.
//
// The lowest patch of the shape along the plane's normal decides
// (docs/theory/collision-detection.md, section 4): a point, an edge or generator, a disc or a face
// that lies flat, to 2^-44 of its size; the answer is at its middle. Depth below the plane is the
// same number with the other sign: nothing changes when they touch. All in the plane's own frame,
// so that it may be anywhere.
//
// SPDX-License-Identifier: MIT
#include "collide/convex.h"

Closest collide_plane(const Placed *a, const Placed *plane) {
    const double *s = plane->shape->size;
    impVec3 n = vec(s[0], s[1], s[2]);
    Couple k = convex_couple(a, plane);
    Patch low = convex_patch(&k.side[0], neg(n), FLAT * k.size);
    impVec3 at = convex_middle(&low);
    double d = dot(n, at) - s[3];
    Judged j = { .n = n,
                 .on_a = at,
                 .on_b = madd(at, -d, n),
                 .d = d,
                 .a = low.feature,
                 .b = feature_of(FEATURE_FACE, 0),
                 .steps = 1,
                 .good = true };
    return convex_answer(&k, &j);
}
