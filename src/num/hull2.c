// hull2.c -- the convex hull of points in a plane.
//
// Andrew, "Another efficient algorithm for convex hulls in two dimensions", Information Processing
// Letters 9 (1979): points are sorted from left to right; the lower border is a chain in which
// every corner turns left, and the upper border is the same on the way back. A corner is compared
// with its neighbours in the order of the sort only, so that points nearly in line, which rounding
// puts on either side of it, cannot lead the chain back.
//
// A caller whose points are computed one by one, and not stored, wraps them instead (Jarvis, "On
// the identification of the convex hull of a finite set of points in the plane", Information
// Processing Letters 2, 1973): from a corner, the next corner is the point that has all others on
// the left of the line to it. Of points nearly in line it may take one behind, so such a caller
// merges points nearer than a margin and bounds its steps.
//
// Assumed: coordinates are finite. Points inside a side are no corners, as far as the rounding of
// area2 can tell.
//
// SPDX-License-Identifier: MIT
#include "num/num.h"

#include "base/base.h"

static bool is_before(Vec2 a, Vec2 b) { return a.x != b.x ? a.x < b.x : a.y < b.y; }

static bool before(const void *context, int32_t i, int32_t j) {
    const Vec2 *p = context;
    return is_before(p[i], p[j]);
}

// Adds point i to the chain that starts at corner[from]. Returns how many corners there are.
static int extend(const Vec2 *p, int32_t i, int from, int32_t *corner, int corners) {
    while (corners - from >= 2 &&
           area2(p[corner[corners - 2]], p[corner[corners - 1]], p[i]) <= 0) {
        corners--;
    }
    // equal points are one
    if (corners > 0) {
        Vec2 last = p[corner[corners - 1]];
        if (!is_before(last, p[i]) && !is_before(p[i], last)) return corners;
    }
    corner[corners] = i;
    return corners + 1;
}

int num_hull2(const Vec2 *p, int count, int32_t *corner) {
    int32_t *order = corner + count + 1;
    int corners = 0;
    if (count == 0) return 0;
    for (int32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    sort_stable(order, order + count, count, before, p);

    // the lower border to the right, the upper one back to the left
    for (int i = 0; i < count; i++) {
        corners = extend(p, order[i], 0, corner, corners);
    }
    int rightmost = corners - 1;
    for (int i = count - 2; i >= 0; i--) {
        corners = extend(p, order[i], rightmost, corner, corners);
    }
    // the last corner is the first again
    return corners > 1 ? corners - 1 : corners;
}

bool num_wraps_closer(Vec2 from, Vec2 best, Vec2 p) {
    double left = area2(from, best, p);
    return left < 0 || (left == 0 && norm2(sub2(p, from)) > norm2(sub2(best, from)));
}
