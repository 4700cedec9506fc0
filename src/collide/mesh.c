// mesh.c -- a convex shape over a mesh: the triangles near it, one by one, and what each may say.
//
// A triangle is a flat polytope with two faces, so the walks and support maps for convex shapes
// answer for it. But its sides are not edges of the surface, and an answer there may push sideways
// where the surface is flat: the ghost collisions at internal edges
// (docs/theory/collision-detection.md, section 7). So an answer stands only if its closest point is
// the nearest of the whole surface around it: the normal lies in the normal cone of the edge or
// vertex in the mesh, which is one plane for an edge (the neighbour's Voronoi plane) and one for
// each edge around a vertex. No local minimum is lost by this, since a neighbour is nearer then and
// answers itself. An answer that does not stand is `inner` where the surface goes on level or rises
// (for manifolds: see collide.h), and dropped where it falls away.
//
// A shape that crosses the surface, or has come to its back side if the mesh is a solid, is pushed
// out along the normal of the triangle under its deepest point, if nothing of the surface lies
// between. Where no triangle can say that, the shallowest push along the normals of those that it
// crosses answers. A shape whose middle is inside has one more way out: to the point of the surface
// nearest to its middle, which may be on a re-entrant edge where no triangle lies straight above;
// on which side it is, is told by the pseudonormal of Baerentzen & Aanaes 2005. The shortest
// counts.
//
// All is computed in the frame of the mesh. Lengths count as zero below `grain`, which is relative
// to the coordinates.
//
// SPDX-License-Identifier: MIT
#include "collide/near.h"

#include <string.h>

// rad: a neighbour that falls away by less is as good as level
#define LEVEL 1e-3
#define GRAIN 4e-13  // of the coordinates

// --- a triangle as a polytope --------------------------------------------------------------------
static void set_side(Facet *f, int k, impVec3 n) {
    Edge *e = &f->edge[k];
    impVec3 along = sub(f->vertex[(k + 1) % 3], f->vertex[k]);
    *e = (Edge){ .tail = k, .head = (k + 1) % 3, .left = 0, .right = 1, .length = norm(along) };
    e->direction = scale(1 / e->length, along);
    e->out_left = e->out_right = cross(e->direction, n);
}

Placed collide_facet(const Placed *mesh, int triangle, Facet *f) {
    static const int32_t loop[6] = { 0, 1, 2, 0, 2, 1 };
    static const int32_t sides[6] = { 0, 1, 2, 2, 1, 0 };
    static const int32_t ring[6] = { 0, 2, 0, 1, 1, 2 };
    static const int32_t first[4] = { 0, 2, 4, 6 };
    const Face *face = &mesh->g->face[mesh->shape->first_face + triangle];
    const int32_t *corner = shape_triangle(mesh->shape, mesh->g, triangle);
    for (int k = 0; k < 3; k++) {
        f->vertex[k] = mesh->g->vertex[mesh->shape->first_vertex + corner[k]];
    }
    for (int k = 0; k < 3; k++) {
        set_side(f, k, face->normal);
    }
    f->face[0] = (Face){ 0, 3, face->normal, face->offset };
    f->face[1] = (Face){ 3, 3, neg(face->normal), -face->offset };
    memcpy(f->loop, loop, sizeof loop);
    memcpy(f->loop_edge, sides, sizeof sides);
    memcpy(f->ring, ring, sizeof ring);
    memcpy(f->ring_first, first, sizeof first);
    f->g = (Geometry){ .vertex = f->vertex,
                       .loop = f->loop,
                       .face = f->face,
                       .edge = f->edge,
                       .loop_edge = f->loop_edge,
                       .ring = f->ring,
                       .ring_first = f->ring_first };
    f->shape = (Shape){ .kind = SHAPE_HULL,
                        .pose = pose_identity(),
                        .vertex_count = 3,
                        .face_count = 2,
                        .edge_count = 3,
                        .core = true,
                        .material = mesh->shape->material };
    f->shape.low = lower(f->vertex[0], lower(f->vertex[1], f->vertex[2]));
    f->shape.high = upper(f->vertex[0], upper(f->vertex[1], f->vertex[2]));
    return (Placed){ &f->shape, &f->g, mesh->pose };
}

// The point of the triangle nearest to x, and what it lies on.
static impVec3 nearest_on(const Facet *f, impVec3 x, Feature *feature) {
    double least = HUGE_VAL;
    impVec3 best = x;
    bool over = true;
    for (int k = 0; k < 3; k++) {
        const Edge *e = &f->edge[k];
        impVec3 from = sub(x, f->vertex[k]);
        if (dot(from, e->out_left) <= 0) continue;
        over = false;
        double s = dot(from, e->direction);
        double t = s < 0 ? 0 : s > e->length ? e->length : s;
        impVec3 foot = s > e->length ? f->vertex[e->head] : madd(f->vertex[k], t, e->direction);
        double d = norm(sub(x, foot));
        if (d >= least) continue;
        least = d;
        best = foot;
        *feature = s <= 0           ? feature_of(FEATURE_VERTEX, k)
                   : s >= e->length ? feature_of(FEATURE_VERTEX, e->head)
                                    : feature_of(FEATURE_EDGE, k);
    }
    if (!over) return best;
    double height = dot(f->face[0].normal, sub(x, f->vertex[0]));
    *feature = feature_of(FEATURE_FACE, height < 0);
    return madd(x, -height, f->face[0].normal);
}

// --- one convex shape over one mesh --------------------------------------------------------------
typedef struct Spare {
    Closest c;
    int triangle;
    bool any;
} Spare;
typedef struct Over {
    Placed a, mesh;        // in the frame of the mesh
    impPose frame;         // which is here in the world
    impVec3 low, high;     // box of a
    double radius, grain;  // grain: of the triangle at work
    bool ball, closed;
    StartFeature start_feature;
    Sink *sink;
    double stands_at, behind_at;  // the nearest answer that stood, and the nearest seen from behind
    Spare crossing, behind;       // for want of a better answer: the shallowest of either kind
    impVec3 center;               // some point inside a, when asked for
    bool centered;
} Over;

static Closest ball_over(const Over *o, const Facet *f) {
    impVec3 x = o->a.pose.at;
    impVec3 n = f->face[0].normal;
    Closest c = { .feature_a = feature_of(FEATURE_VERTEX, 0), .steps = 1 };
    impVec3 p = nearest_on(f, x, &c.feature_b);
    impVec3 r = sub(x, p);
    double d = norm(r);
    bool flat = feature_kind(c.feature_b) == FEATURE_FACE;
    if (flat) {
        d = fabs(dot(n, sub(x, f->vertex[0])));
    }
    c.normal = !flat && d > o->grain ? scale(1 / d, r) : dot(n, r) < 0 ? neg(n) : n;
    c.distance = d - o->radius;
    c.on_a = madd(x, -o->radius, c.normal);
    c.on_b = p;
    return c;
}

static impVec3 support(const Over *o, impVec3 u) {
    impVec3 own = unrotate(o->a.pose.rotation, u);
    return place(o->a.pose, shape_kinds[o->a.shape->kind].support(o->a.shape, o->a.g, own));
}

static impVec3 inside_point(Over *o) {
    if (o->centered) return o->center;
    impVec3 sum = vec(0, 0, 0);
    impVec3 axis[3] = { vec(1, 0, 0), vec(0, 1, 0), vec(0, 0, 1) };
    for (int k = 0; k < 3; k++) {
        sum = add(sum, add(support(o, axis[k]), support(o, neg(axis[k]))));
    }
    o->centered = true;
    return o->center = scale(1.0 / 6, sum);
}

// the same for all that share it
static Feature over_mesh(const Over *o, int triangle, Feature local) {
    int k = feature_index(local);
    int half = 3 * triangle + k;
    if (feature_kind(local) == FEATURE_FACE) return feature_of(FEATURE_FACE, triangle);
    if (feature_kind(local) == FEATURE_VERTEX)
        return feature_of(FEATURE_VERTEX, shape_triangle(o->mesh.shape, o->mesh.g, triangle)[k]);
    int twin = shape_twin(o->mesh.shape, o->mesh.g, half);
    return feature_of(FEATURE_EDGE, twin >= 0 && twin < half ? twin : half);
}

static void say(Over *o, Closest c, int triangle, bool inner, Feature local) {
    c.feature_b = over_mesh(o, triangle, local);
    c.normal = rotate(o->frame.rotation, c.normal);
    c.on_a = place(o->frame, c.on_a);
    c.on_b = place(o->frame, c.on_b);
    if (!inner) {
        o->stands_at = min2(o->stands_at, c.distance);
    }
    near_put(o->sink, &c, triangle, inner, local);
}

// --- the surface around an edge or a vertex ------------------------------------------------------
static impVec3 corner_of(const Over *o, int half) {
    const Shape *s = o->mesh.shape;
    return o->mesh.g->vertex[s->first_vertex + shape_triangle(s, o->mesh.g, half / 3)[half % 3]];
}
static impVec3 normal_of(const Over *o, int half) {
    return o->mesh.g->face[o->mesh.shape->first_face + half / 3].normal;
}
static int before(int half) { return half % 3 == 0 ? half + 2 : half - 1; }
static int after(int half) { return half % 3 == 2 ? half - 2 : half + 1; }

// The halves that leave one vertex, each once: round by the left, and from a border back to the
// start and by the right.
typedef struct Fan {
    int start, at, steps;
    bool back;
} Fan;

static int next_around(const Over *o, Fan *fan) {
    const Shape *s = o->mesh.shape;
    if (fan->steps++ == 0) return fan->at = fan->start;
    if (fan->steps > s->face_count + 1) return -1;
    if (!fan->back) {
        fan->at = shape_twin(s, o->mesh.g, before(fan->at));
        if (fan->at == fan->start) return -1;
        if (fan->at >= 0) return fan->at;
        fan->back = true;
        fan->at = fan->start;
    }
    int twin = shape_twin(s, o->mesh.g, fan->at);
    if (twin < 0) return -1;
    return fan->at = after(twin);
}

static impVec3 unit_way(impVec3 from, impVec3 to) {
    impVec3 d = sub(to, from);
    return scale(1 / norm(d), d);
}

// How the surface around the closest point sees the normal.
typedef struct View {
    double most;      // how far the normal leans over the surface; <= 0: it is in the cone
    impVec3 way;      // there: along the surface, away from the point
    impVec3 face;     // the face normal, of either side, that is nearest to the normal,
    bool back;        //   and whether that is the back: then the surface is seen from there
    impVec3 outside;  // pseudonormal
} View;

static void see_face(View *v, impVec3 normal, impVec3 n, double angle) {
    impVec3 side = dot(n, normal) < 0 ? neg(n) : n;
    if (zero3(v->face) || dot(side, normal) > dot(v->face, normal)) {
        v->face = side;
        v->back = dot(n, normal) < 0;
    }
    v->outside = madd(v->outside, angle, n);
}

static void see_way(View *v, impVec3 normal, impVec3 way) {
    if (dot(normal, way) > v->most) {
        v->most = dot(normal, way);
        v->way = way;
    }
}

static View see_edge(const Over *o, const Facet *f, int half, impVec3 normal) {
    View v = { .most = -HUGE_VAL };
    int twin = shape_twin(o->mesh.shape, o->mesh.g, half);
    see_face(&v, normal, f->face[0].normal, 1);
    if (twin < 0) return v;
    impVec3 n = normal_of(o, twin);
    see_face(&v, normal, n, 1);
    // into the neighbour
    see_way(&v, normal, cross(f->edge[half % 3].direction, n));
    return v;
}

static View see_vertex(const Over *o, int half, impVec3 normal) {
    View v = { .most = -HUGE_VAL };
    Fan fan = { .start = half };
    impVec3 here = corner_of(o, half);
    for (int h = next_around(o, &fan); h >= 0; h = next_around(o, &fan)) {
        impVec3 to = unit_way(here, corner_of(o, after(h)));
        impVec3 from = unit_way(here, corner_of(o, before(h)));
        see_face(&v, normal, normal_of(o, h), num_atan2(norm(cross(to, from)), dot(to, from)));
        see_way(&v, normal, to);
        see_way(&v, normal, from);
    }
    return v;
}

static View see_around(const Over *o, const Facet *f, int triangle, Feature local, impVec3 normal) {
    int half = 3 * triangle + feature_index(local);
    if (feature_kind(local) == FEATURE_EDGE) return see_edge(o, f, half, normal);
    if (feature_kind(local) == FEATURE_VERTEX) return see_vertex(o, half, normal);
    View v = { .most = -HUGE_VAL };
    see_face(&v, normal, f->face[0].normal, 1);
    return v;
}

// --- judging an answer ---------------------------------------------------------------------------
typedef enum Standing { STANDS, BEHIND, INNER, GHOST } Standing;

// Turns the answer to another normal n, at the same point of the triangle and of the core.
static void lean(const Over *o, Closest *c, impVec3 n) {
    impVec3 core = madd(c->on_a, o->radius, c->normal);
    c->normal = n;
    c->on_a = madd(core, -o->radius, n);
    c->distance = dot(n, sub(c->on_a, c->on_b));
}

// Does n point out of the surface: out of the solid, or to the side of a sheet where the shape is?
static bool is_out(Over *o, const Closest *c, impVec3 n, impVec3 outside) {
    return dot(n, o->closed ? outside : sub(inside_point(o), c->on_b)) >= 0;
}

static Standing judge(Over *o, const Facet *f, int triangle, Closest *c) {
    View v = see_around(o, f, triangle, c->feature_b, c->normal);
    double core = c->distance + o->radius;
    if (o->closed && dot(c->normal, v.outside) < 0 && v.most <= 0) return BEHIND;
    bool straight = norm(sub(sub(c->on_a, c->on_b), scale(c->distance, c->normal))) <=
                    1e3 * o->grain;
    if (v.most <= 0) return straight ? STANDS : INNER;
    // to within rounding it does
    if (v.most * fabs(core) <= o->grain && straight) {
        if (!is_out(o, c, v.face, v.outside)) return BEHIND;
        Closest leant = *c;
        lean(o, &leant, v.face);
        // a has more below
        if (dot(v.face, sub(support(o, neg(v.face)), leant.on_a)) < -o->grain) return INNER;
        *c = leant;
        return STANDS;
    }
    // from the side where the shape is, not this triangle's
    impVec3 n = v.back && !o->closed ? f->face[1].normal : f->face[0].normal;
    return dot(v.way, n) >= -LEVEL ? INNER : GHOST;
}

// nothing of the surface within `way` along n
static bool sees(const Over *o, impVec3 from, impVec3 n, double way) {
    Ray ray = { from, n, way - o->grain };
    TreeRay tree = collide_tree_ray(&ray);
    TreeCursor at = { 0 };
    const impVec3 *v = o->mesh.g->vertex + o->mesh.shape->first_vertex;
    for (int t; (t = shape_tree_ray(o->mesh.shape, o->mesh.g, &tree, &at)) >= 0;) {
        const int32_t *k = shape_triangle(o->mesh.shape, o->mesh.g, t);
        double hit;
        if (collide_ray_triangle(&ray, v[k[0]], v[k[1]], v[k[2]], &hit) && hit > o->grain)
            return false;
    }
    return true;
}

// Pushed out along the normal of this triangle. True: the deepest point is below the triangle
// itself, and sees it.
static bool push_out(Over *o, const Facet *f, Closest *c) {
    bool back = !is_out(o, &(Closest){ .on_b = f->vertex[0] }, f->face[0].normal,
                        f->face[0].normal);
    impVec3 n = f->face[back].normal;
    impVec3 deep = support(o, neg(n));
    double h = dot(n, sub(deep, f->vertex[0]));
    c->distance = h;
    c->normal = n;
    c->on_a = deep;
    c->on_b = madd(deep, -h, n);
    c->feature_b = feature_of(FEATURE_FACE, back);
    if (h > o->grain) return false;
    for (int k = 0; k < 3; k++) {
        if (dot(sub(deep, f->vertex[k]), f->edge[k].out_left) > o->grain) return false;
    }
    return !o->closed || sees(o, deep, n, -h);
}

static void keep_spare(Spare *s, const Closest *c, int triangle) {
    if (s->any && !(c->distance > s->c.distance) &&
        (c->distance < s->c.distance || triangle > s->triangle))
        return;
    *s = (Spare){ *c, triangle, true };
}

static void say_inner(Over *o, const Facet *f, int triangle, Closest c) {
    bool back = !is_out(o, &c, f->face[0].normal, f->face[0].normal);
    impVec3 n = f->face[back].normal;
    lean(o, &c, n);
    c.distance = dot(n, sub(c.on_a, f->vertex[0]));
    c.on_b = madd(c.on_a, -c.distance, n);
    say(o, c, triangle, true, feature_of(FEATURE_FACE, back));
}

// A point inside has many triangles in front of it from behind, also of the far side of the solid:
// the shallowest way out counts.
static void stay_behind(Over *o, const Facet *f, int triangle, Closest *c) {
    o->behind_at = min2(o->behind_at, c->distance);
    if (o->behind.any && c->distance > -o->behind.c.distance) return;
    if (!push_out(o, f, c)) return;
    keep_spare(&o->behind, c, triangle);
    if (o->sink->shrink) {
        o->sink->limit = min2(o->sink->limit, -o->behind.c.distance);
    }
}

// All of it lies beyond a side of the triangle, or above or below it: most whose boxes meet a long
// or flat shape do.
static bool is_beyond(const Over *o, const Facet *f, double limit) {
    impVec3 n = f->face[0].normal;
    if (dot(n, sub(support(o, neg(n)), f->vertex[0])) > limit ||
        dot(n, sub(f->vertex[0], support(o, n))) > limit)
        return true;
    for (int k = 0; k < 3; k++) {
        impVec3 out = f->edge[k].out_left;
        if (dot(out, sub(support(o, neg(out)), f->vertex[k])) > limit) return true;
    }
    return false;
}

// The same for a ball, by the box of the triangle: of a fine mesh hardly any comes near that meets
// the box of the ball.
static bool is_beyond_ball(const Over *o, int triangle, double limit) {
    const int32_t *corner = shape_triangle(o->mesh.shape, o->mesh.g, triangle);
    const impVec3 *v = o->mesh.g->vertex + o->mesh.shape->first_vertex;
    impVec3 low = lower(v[corner[0]], lower(v[corner[1]], v[corner[2]]));
    impVec3 high = upper(v[corner[0]], upper(v[corner[1]], v[corner[2]]));
    impVec3 x = o->a.pose.at;
    double far = o->radius + limit;
    double grain = GRAIN * (largest(x) + far + largest(low) + largest(high));
    impVec3 off = vec(max2(0, max2(low.x - x.x, x.x - high.x)),
                      max2(0, max2(low.y - x.y, x.y - high.y)),
                      max2(0, max2(low.z - x.z, x.z - high.z)));
    return dot(off, off) > (far + grain) * (far + grain);
}

static void over_triangle(Over *o, int triangle) {
    Facet f;
    if (o->ball && is_beyond_ball(o, triangle, max2(o->sink->limit, 0))) return;
    Placed b = collide_facet(&o->mesh, triangle, &f);
    o->grain = GRAIN *
               (largest(o->low) + largest(o->high) + largest(f.shape.low) + largest(f.shape.high));
    if (!o->ball && is_beyond(o, &f, max2(o->sink->limit, 0) + o->grain)) return;
    Closest c = o->ball ? ball_over(o, &f) : collide_closest(&o->a, &b, &o->start_feature);
    // what crosses may be pushed farther than it is deep
    if (!(c.distance <= max2(o->sink->limit, 0))) return;
    bool crosses = c.distance + o->radius <= o->grain;
    Standing s = judge(o, &f, triangle, &c);
    Closest pushed = c;
    if (s == STANDS) {
        say(o, c, triangle, false, c.feature_b);
    } else if (crosses && push_out(o, &f, &pushed)) {
        say(o, pushed, triangle, false, pushed.feature_b);
    } else {
        if (crosses && pushed.distance <= o->grain) {
            keep_spare(&o->crossing, &pushed, triangle);
        } else if (s == BEHIND) {
            stay_behind(o, &f, triangle, &pushed);
        }
        if (s == INNER) {
            say_inner(o, &f, triangle, c);
        }
    }
}

// --- deep inside ---------------------------------------------------------------------------------
typedef struct Foot {
    impVec3 at;
    int triangle;
    Feature local;
    double d;
} Foot;

// The leaf that a straight way down leads to: a first guess, so that the walk for the nearest can
// leave out much.
static const TreeNode *likely_leaf(const Over *o, impVec3 low, impVec3 high) {
    const TreeNode *node = o->mesh.g->node + o->mesh.shape->first_node;
    const TreeNode *n = node;
    while (n->count == 0) {
        const TreeNode *left = n + 1;
        const TreeNode *right = node + n->first;
        n = near_gap(low, high, right->low, right->high) <
                    near_gap(low, high, left->low, left->high)
                ? right
                : left;
    }
    return n;
}

static void search_leaf(const Over *o, const TreeNode *n, impVec3 x, Foot *best) {
    for (int k = 0; k < n->count; k++) {
        Facet f;
        Feature local = 0;
        int triangle = o->mesh.g->leaf[o->mesh.shape->first_leaf + n->first + k];
        collide_facet(&o->mesh, triangle, &f);
        impVec3 at = nearest_on(&f, x, &local);
        double d = norm(sub(x, at));
        if (d < best->d || (d == best->d && triangle < best->triangle)) {
            *best = (Foot){ at, triangle, local, d };
        }
    }
}

static Foot nearest_foot(const Over *o, impVec3 x) {
    Foot best = { .d = HUGE_VAL };
    const TreeNode *node = o->mesh.g->node + o->mesh.shape->first_node;
    search_leaf(o, likely_leaf(o, x, x), x, &best);
    for (int i = 0; i < o->mesh.shape->node_count;) {
        if (near_gap(x, x, node[i].low, node[i].high) > best.d) {
            i = node[i].next;
            continue;
        }
        search_leaf(o, &node[i], x, &best);
        i++;
    }
    return best;
}

// The way out of the solid from the middle of the shape: to the nearest point of the surface, be it
// a face or a re-entrant edge or vertex, and on until all of the shape is beyond the plane there.
static void keep_way_out(Over *o, Spare *best) {
    const Shape *s = o->mesh.shape;
    impVec3 x = inside_point(o);
    if (near_gap(x, x, s->low, s->high) > 0) return;
    Foot foot = nearest_foot(o, x);
    Facet f;
    collide_facet(&o->mesh, foot.triangle, &f);
    View v = see_around(o, &f, foot.triangle, foot.local, f.face[0].normal);
    impVec3 out = sub(foot.at, x);
    // x is outside
    if (dot(out, v.outside) < 0) return;
    bool flat = feature_kind(foot.local) == FEATURE_FACE || !(foot.d > o->grain);
    impVec3 n = flat ? f.face[0].normal : scale(1 / foot.d, out);
    impVec3 deep = support(o, neg(n));
    double d = dot(n, sub(deep, foot.at));
    Feature local = feature_kind(foot.local) == FEATURE_FACE ? feature_of(FEATURE_FACE, 0)
                                                             : foot.local;
    Closest c = {
        .distance = d, .normal = n, .on_a = deep, .on_b = madd(deep, -d, n), .feature_b = local
    };
    keep_spare(best, &c, foot.triangle);
}

// Nobody stood, or only the far side of a hole: the nearest triangle tells whether the shape is
// inside. Of the ways out the shortest counts.
static void say_what_is_left(Over *o) {
    if (o->stands_at < HUGE_VAL && o->stands_at <= o->behind_at &&
        (o->stands_at <= 0 || !o->crossing.any))
        return;
    Spare best = o->crossing.any ? o->crossing : o->behind;
    if (o->closed) {
        keep_way_out(o, &best);
    }
    if (best.any) {
        say(o, best.c, best.triangle, false, best.c.feature_b);
    }
}

// --- the door ------------------------------------------------------------------------------------
static void guess(Over *o) {
    const TreeNode *n = likely_leaf(o, o->low, o->high);
    for (int k = 0; k < n->count; k++) {
        over_triangle(o, o->mesh.g->leaf[o->mesh.shape->first_leaf + n->first + k]);
    }
}

void near_mesh(const Placed *convex, const Placed *mesh, Sink *sink) {
    Over o = { .frame = mesh->pose,
               .mesh = { mesh->shape, mesh->g, pose_identity() },
               .sink = sink,
               .stands_at = HUGE_VAL,
               .behind_at = HUGE_VAL };
    impPose in_mesh = { unrotate(mesh->pose.rotation, sub(convex->pose.at, mesh->pose.at)),
                        qmul(conjugate(mesh->pose.rotation), convex->pose.rotation) };
    o.a = (Placed){ convex->shape, convex->g, in_mesh };
    o.radius = convex->shape->radius;
    o.closed = mesh->shape->closed;
    o.ball = convex_kind(convex->shape) == CONVEX_POINT;
    Box box = near_box(in_mesh, convex->shape->low, convex->shape->high);
    o.low = box.low;
    o.high = box.high;
    if (sink->shrink) {
        guess(&o);
    }
    TreeCursor at = { 0 };
    for (;;) {
        double by = max2(sink->limit, 0);
        impVec3 margin = vec(by, by, by);
        int triangle = shape_tree_box(mesh->shape, mesh->g, sub(o.low, margin), add(o.high, margin),
                                      &at);
        if (triangle < 0) break;
        over_triangle(&o, triangle);
    }
    say_what_is_left(&o);
}

void near_plane(const Placed *plane, const Placed *mesh, Sink *sink) {
    impVec3 n = rotate(plane->pose.rotation,
                       vec(plane->shape->size[0], plane->shape->size[1], plane->shape->size[2]));
    double least = HUGE_VAL;
    int best = 0;
    for (int half = 0; half < 3 * mesh->shape->face_count; half++) {
        const int32_t *t = shape_triangle(mesh->shape, mesh->g, half / 3);
        impVec3 x = place(mesh->pose, mesh->g->vertex[mesh->shape->first_vertex + t[half % 3]]);
        double d = dot(n, sub(x, plane->pose.at)) - plane->shape->size[3];
        if (d < least) {
            least = d;
            best = half;
        }
    }
    int vertex = shape_triangle(mesh->shape, mesh->g, best / 3)[best % 3];
    impVec3 x = place(mesh->pose, mesh->g->vertex[mesh->shape->first_vertex + vertex]);
    Closest c = { .distance = least,
                  .normal = neg(n),
                  .on_a = madd(x, -least, n),
                  .on_b = x,
                  .feature_a = feature_of(FEATURE_SMOOTH, 0),
                  .feature_b = feature_of(FEATURE_VERTEX, vertex) };
    near_put(sink, &c, best / 3, false, feature_of(FEATURE_VERTEX, best % 3));
}
