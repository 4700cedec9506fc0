// gather.c -- corners of a body: of its polyhedra as they are, of its smooth shapes as points on
// them.
//
// A smooth shape becomes a polyhedron whose corners lie on it, so fine that no point of the shape
// is farther from it than the chord asked for: circles as regular polygons, balls as icosahedra
// whose sides are cut into f^2 triangles. The hull of all corners is what touches the plane.
//
// Where no chord is asked for, it is 1e-3 of the size, and circles have more sides than that needs.
// A part that rolls loses about the part 40 / (sides (1 + kappa)) of its energy in a turn over the
// facets of a circle (rests.c (1)), which the true shape does not. Bodies of revolution that start
// without spin touch by their profile instead (profile.c).
//
// SPDX-License-Identifier: MIT
#include "drop/drop.h"

#include <string.h>

// CORNERS: of all circles together, about
enum { FEWEST_SIDES = 12, MOST_SIDES = 720, MOST_CUTS = 40, CORNERS = 4000 };
static const double USUAL_CHORD = 1e-3;  // of the size

static void put_corner(Corners *c, impPose pose, impVec3 a) {
    if (c->starved || !POOL_GROW(c->pool, c->at, c->room, c->count)) {
        c->starved = true;
        return;
    }
    c->at[c->count++] = place(pose, a);
}

// --- circles -------------------------------------------------------------------------------------
static double sagitta(double radius, int sides) { return radius * (1 - num_cos(PI / sides)); }

static int sides_of(double radius, Corners *c, double chord) {
    int sides = c->fewest_sides;
    while (sagitta(radius, sides) > chord && sides < MOST_SIDES) {
        sides += 4;
    }
    c->chord = max2(c->chord, sagitta(radius, sides));
    return sides;
}

static void put_circle(Corners *c, impPose pose, double radius, double z, int sides) {
    for (int i = 0; i < sides; i++) {
        SinCos a = num_sincos_turns((double)i / sides);
        put_corner(c, pose, vec(radius * a.cos, radius * a.sin, z));
    }
}

// --- balls ---------------------------------------------------------------------------------------
static const double golden = 1.6180339887498948482;
// Corners of the 20 triangles, which need not know of each other: points that are equal are one to
// the hull.
static int cuts_of(double radius, Corners *c, double chord) {
    // a triangle's corners are at most 0.8 / cuts rad from its middle
    int cuts = 1;
    while (radius * (1 - num_cos(0.8 / cuts)) > chord && cuts < MOST_CUTS) {
        cuts++;
    }
    c->chord = max2(c->chord, radius * (1 - num_cos(0.8 / cuts)));
    return cuts;
}

static void put_ball(Corners *c, impPose pose, impVec3 middle, impVec3 axes, int cuts) {
    // the corners of an icosahedron are the rectangles of the golden ratio, in three planes
    static const int8_t sign[4][2] = { { -1, -1 }, { -1, 1 }, { 1, -1 }, { 1, 1 } };
    impVec3 corner[12];
    for (int i = 0; i < 4; i++) {
        double a = sign[i][0];
        double b = sign[i][1] * golden;
        corner[i] = vec(0, a, b);
        corner[4 + i] = vec(a, b, 0);
        corner[8 + i] = vec(b, 0, a);
    }
    for (int i = 0; i < 12; i++) {
        for (int j = 0; j < 12; j++) {
            for (int k = 0; k < 12; k++) {
                impVec3 p = corner[i];
                impVec3 q = corner[j];
                impVec3 r = corner[k];
                double pq = norm(sub(p, q));
                double qr = norm(sub(q, r));
                double rp = norm(sub(r, p));
                bool side = i < j && j < k && pq < 2.1 && qr < 2.1 && rp < 2.1;
                for (int a = 0; side && a <= cuts; a++) {
                    for (int b = 0; a + b <= cuts; b++) {
                        impVec3 at = add(add(scale(a, p), scale(b, q)), scale(cuts - a - b, r));
                        double l = norm(at);
                        put_corner(c, pose,
                                   add(middle, vec(axes.x * (at.x / l), axes.y * (at.y / l),
                                                   axes.z * (at.z / l))));
                    }
                }
            }
        }
    }
}

// --- kinds ---------------------------------------------------------------------------------------
static void gather_sphere(const impModel *m, const Shape *s, double chord, Corners *c) {
    (void)m;
    double r = s->size[0];
    put_ball(c, s->pose, vec(0, 0, 0), vec(r, r, r), cuts_of(r, c, chord));
}
static void gather_ellipsoid(const impModel *m, const Shape *s, double chord, Corners *c) {
    (void)m;
    impVec3 a = vec(s->size[0], s->size[1], s->size[2]);
    put_ball(c, s->pose, vec(0, 0, 0), a, cuts_of(largest(a), c, chord));
}
static void gather_capsule(const impModel *m, const Shape *s, double chord, Corners *c) {
    (void)m;
    double r = s->size[0];
    int cuts = cuts_of(r, c, chord);
    put_ball(c, s->pose, vec(0, 0, s->size[1] / 2), vec(r, r, r), cuts);
    put_ball(c, s->pose, vec(0, 0, -s->size[1] / 2), vec(r, r, r), cuts);
}
static void gather_cylinder(const impModel *m, const Shape *s, double chord, Corners *c) {
    (void)m;
    int sides = sides_of(s->size[0], c, chord);
    put_circle(c, s->pose, s->size[0], s->size[1] / 2, sides);
    put_circle(c, s->pose, s->size[0], -s->size[1] / 2, sides);
}
static void gather_cone(const impModel *m, const Shape *s, double chord, Corners *c) {
    (void)m;
    put_circle(c, s->pose, s->size[0], 0, sides_of(s->size[0], c, chord));
    put_corner(c, s->pose, vec(0, 0, s->size[1]));
}
// Box, hull and mesh: their own corners, or a ball around each where they are rounded.
static void gather_corners(const impModel *m, const Shape *s, double chord, Corners *c) {
    int cuts = s->radius > 0 ? cuts_of(s->radius, c, chord) : 0;
    for (int i = 0; i < s->vertex_count && !c->starved; i++) {
        impVec3 at = m->geometry.vertex[s->first_vertex + i];
        if (cuts) {
            put_ball(c, s->pose, at, vec(s->radius, s->radius, s->radius), cuts);
        } else {
            put_corner(c, s->pose, at);
        }
    }
}

static const struct {
    const char *kind;
    void (*gather)(const impModel *m, const Shape *s, double chord, Corners *c);
} gatherers[] = {
    { "sphere", gather_sphere },     { "box", gather_corners },  { "capsule", gather_capsule },
    { "cylinder", gather_cylinder }, { "cone", gather_cone },    { "ellipsoid", gather_ellipsoid },
    { "hull", gather_corners },      { "mesh", gather_corners },
};

// A cylinder has two circles.
static int usual_sides(const Body *body) {
    int sides = CORNERS / (2 * body->shape_count) / 4 * 4;
    return sides < FEWEST_SIDES ? FEWEST_SIDES : sides < MOST_SIDES ? sides : MOST_SIDES;
}

bool drop_gather(const impModel *model, const Body *body, double chord, Corners *out,
                 impError *err) {
    out->fewest_sides = chord > 0 ? FEWEST_SIDES : usual_sides(body);
    if (!(chord > 0)) {
        chord = USUAL_CHORD * norm(sub(body->high, body->low));
    }
    for (int i = 0; i < body->shape_count; i++) {
        const Shape *s = &model->shape[body->first_shape + i];
        int k = 0;
        while (k < COUNT(gatherers) && strcmp(gatherers[k].kind, shape_kinds[s->kind].name) != 0) {
            k++;
        }
        if (k == COUNT(gatherers))
            return fail(err, (Where){ 0 }, "body '%s': shape %s; a part that is dropped has a size",
                        body->name, shape_kinds[s->kind].name);
        gatherers[k].gather(model, s, chord, out);
    }
    return !out->starved || fail_memory(err);
}
