// point.c -- contact points of two bodies: place, frame, gap, material law and time scales.
//
// docs/theory/collision-detection.md, section 6, and docs/theory/microcollisions.md, section 2.
// The contact points of a near pair of pieces are those of its manifold (src/collide/manifold.c)
// and the closest point, where no point of the manifold is as near: a coin on its rim touches
// there and not at the eight marks of its rim. A point lies on the surface of a body that moves on
// a fixed or prescribed one; between two bodies that move freely it lies in the middle of the gap,
// or impulses would change the angular momentum.
//
// SPDX-License-Identifier: MIT
#include "contact/contact.h"

static ContactMotion swapped(ContactMotion c) {
    static const ContactMotion other[] = { MOVES_WITH_B, MOVES_WITH_A, MOVES_WITH_BOTH, EDGES_CROSS,
                                           ROLLS_ON_B,   ROLLS_ON_A,   RIM_OF_B,        RIM_OF_A };
    return other[c];
}

typedef struct Gather {
    const impModel *m;
    const NarrowPhase *query;
    bool flip;  // body b is the free one and becomes body a of the points
    const impPairLaw *law;
    Placed piece[2], whole[2];  // the pieces; of a mesh a triangle, and the mesh
    int triangle[2];            // index of the triangle; < 0: no mesh
    bool crossing;              // the closest features are edges, with these directions
    impVec3 edge[2];
    bool rim_within[2];   // by piece: all of the rim of its cap is within the band
    bool on_flat_rim;     // such a rim lies on a flat
    double within, band;  // m
    ContactPoint *out;
    int count, room;
    bool full;  // there were more points than room
} Gather;

// The lowest point of a rim that lies flat jumps along it at the slightest rotation, and is hardly
// lower than the others: its points move like vertices.
static ContactMotion contact_motion_of(const Gather *g, const ManifoldPoint *p) {
    if (!g->on_flat_rim) return p->contact_motion;
    if (g->rim_within[0] && (p->contact_motion == ROLLS_ON_A || p->contact_motion == RIM_OF_A))
        return MOVES_WITH_A;
    if (g->rim_within[1] && (p->contact_motion == ROLLS_ON_B || p->contact_motion == RIM_OF_B))
        return MOVES_WITH_B;
    return p->contact_motion;
}

// Sets how a point with normal n moves with the bodies.
static void set_motion(const Gather *g, const ManifoldPoint *p, impVec3 n, PointMotion *motion) {
    ContactMotion kind = contact_motion_of(g, p);
    // a rim that lies flat meets a flat
    motion->radius = p->roll;
    motion->radius_other = kind != p->contact_motion ? -1 : p->facing;
    motion->axis = p->along;
    motion->kind = g->flip ? swapped(kind) : kind;
    // the normal is that of both edges
    bool is_common_normal = g->crossing &&
                            max2(fabs(dot(n, g->edge[0])), fabs(dot(n, g->edge[1]))) <= 1e-9;
    if (motion->kind == MOVES_WITH_BOTH && is_common_normal) {
        motion->kind = EDGES_CROSS;
        motion->edge_a = g->edge[g->flip];
        motion->edge_b = g->edge[!g->flip];
        motion->radius = g->piece[g->flip].shape->radius;
        motion->radius_other = g->piece[!g->flip].shape->radius;
    }
    if (kind >= ROLLS_ON_A) {
        bool second = kind == ROLLS_ON_B || kind == RIM_OF_B;
        motion->surface = g->whole[second];
        motion->other = g->whole[!second];
        motion->other_triangle = g->triangle[!second];
    }
}

// Adds a point of the manifold, with normal n. A full list is reduced first.
static void put(Gather *g, const ManifoldPoint *p, impVec3 n) {
    if (g->full) return;
    if (g->count == g->room) {
        g->count = contact_reduce(g->out, g->count, g->band);
        g->full = g->count == g->room;
    }
    if (g->full) return;
    const Actor *a = g->flip ? g->query->b : g->query->a;
    const Actor *b = g->flip ? g->query->a : g->query->b;
    ContactPoint t = { .a = a->index,
                       .b = b->index,
                       .b_is_fixed = b->body->role == IMP_FIXED,
                       .at = p->at,
                       .n = g->flip ? neg(n) : n,
                       .gap = p->gap,
                       .feature = p->feature,
                       .law = g->law,
                       .on_flat_rim = g->on_flat_rim };
    set_motion(g, p, n, &t.motion);
    // on the surface of a, so that a ball rolls on its own radius
    if (!b->free) {
        t.at = madd(t.at, 0.5 * t.gap, t.n);
    }
    t.t1 = perpendicular(t.n);
    t.t2 = cross(t.n, t.t1);
    g->out[g->count++] = t;
}

static double least_gap(const Manifold *m) {
    double least = HUGE_VAL;
    for (int i = 0; i < m->count; i++) {
        least = min2(least, m->point[i].gap);
    }
    return least;
}

// rad: normals that count as equal at one place. Test: tests/contact/point.c
#define SAME_NORMAL_ANGLE 1e-2

// The point of the manifold is where the closest point is, whose contact motion kind is known
// better.
static bool is_same_point(const ManifoldPoint *p, const ManifoldPoint *closest, double within) {
    return norm(sub(p->at, closest->at)) <= 0.1 * within &&
           (p->contact_motion == MOVES_WITH_BOTH || p->contact_motion == closest->contact_motion);
}

// rad: edges that are more parallel have no single crossing. Test: tests/contact/point.c
#define CROSSING_ANGLE 1e-3

bool contact_edge(const Placed *p, Feature f, impVec3 *out) {
    if (feature_kind(f) != FEATURE_EDGE || !p->shape->core ||
        feature_index(f) >= p->shape->edge_count)
        return false;
    *out = rotate(p->pose.rotation, p->g->edge[p->shape->first_edge + feature_index(f)].direction);
    return true;
}

static void find_edges(Gather *g, const Closest *c) {
    g->crossing = contact_edge(&g->piece[0], c->feature_a, &g->edge[0]) &&
                  contact_edge(&g->piece[1], c->feature_b, &g->edge[1]) &&
                  norm(cross(g->edge[0], g->edge[1])) > CROSSING_ANGLE;
}

// --- rims of caps --------------------------------------------------------------------------------

// A cap that lies nearly flat touches with its rim, of which the manifold has eight marks. Between
// them the rim may approach while no mark does: the point that approaches is added, unless all of
// the rim is within the band. There the marks suffice, as no point is lower than they are by more
// than CONTACT_RIM_SAG bands.

// rad: a flat whose normal differs from a direction by less faces that way. Test:
// tests/contact/point.c
#define CAP_TILT 1e-3
// its cosine
#define FACES (1 - 0.5 * CAP_TILT * CAP_TILT)

// The flat end of a cylinder or cone whose outward normal is `out`, to CAP_TILT: the pose of its
// centre, with z along the shape's axis and not outward, and its radius, m. False: there is none.
static bool cap_of(const Placed *p, impVec3 out, impPose *cap, double *radius) {
    int flat_ends = shape_kinds[p->shape->kind].flat_ends;
    impVec3 own = unrotate(p->pose.rotation, out);
    bool above = own.z > 0;
    if (flat_ends == 0 || (flat_ends == 1 && above) || fabs(own.z) < FACES) return false;
    double z = 0;
    if (flat_ends == 2) {
        z = above ? 0.5 * p->shape->size[1] : -0.5 * p->shape->size[1];
    }
    *radius = p->shape->size[0];
    *cap = pose_mul(p->pose, pose(vec(0, 0, z), quat(1, 0, 0, 0)));
    return true;
}

// All of the rim of the cap that faces `down` is within the band: its ends differ by no more.
static bool is_rim_within(const Placed *p, impVec3 down, double within) {
    impPose cap;
    double radius;
    return cap_of(p, down, &cap, &radius) &&
           2 * radius * norm(cross(rotate(cap.rotation, vec(0, 0, 1)), down)) <= within;
}

// A flat of the piece faces `up`, and the point, just inside the piece, is over that flat.
static bool is_over(const Placed *p, impVec3 up, impVec3 at) {
    impPose cap;
    double radius;
    impVec3 own = unrotate(p->pose.rotation, sub(at, p->pose.at));
    impVec3 own_up = unrotate(p->pose.rotation, up);
    bool faces = false;
    if (!shape_kinds[p->shape->kind].bounded) return true;
    if (cap_of(p, up, &cap, &radius)) return own.x * own.x + own.y * own.y <= radius * radius;
    for (int i = 0; p->shape->core && i < p->shape->face_count; i++) {
        const Face *f = &p->g->face[p->shape->first_face + i];
        if (dot(f->normal, own) > f->offset + p->shape->radius) return false;
        faces = faces || dot(f->normal, own_up) >= FACES;
    }
    return faces;
}

static impVec3 velocity_at(const Actor *a, impVec3 at) {
    return add(a->v, cross(a->w, sub(at, a->x)));
}

// Adds the point of the rim that approaches, if it is lower than `most`, m.
static void put_rim(Gather *g, const Closest *c, int side, double within, double most) {
    impVec3 up = side ? neg(c->normal) : c->normal;
    impVec3 point_of_other = side ? c->on_a : c->on_b;
    impPose cap;
    double radius;
    if (!cap_of(&g->piece[side], neg(up), &cap, &radius)) return;
    impVec3 tilt = cross(up, sub(g->query->a->w, g->query->b->w));
    impVec3 axis = rotate(cap.rotation, vec(0, 0, 1));
    if (side) {
        tilt = neg(tilt);
    }
    tilt = madd(tilt, -dot(tilt, axis), axis);
    if (!(norm(tilt) > 0)) return;
    impVec3 at = madd(cap.at, -radius / norm(tilt), tilt);
    double gap = dot(up, sub(at, point_of_other));
    if (!(gap <= within && gap < most)) return;
    bool approaches = dot(c->normal,
                          sub(velocity_at(g->query->a, at), velocity_at(g->query->b, at))) < 0;
    if (!approaches || !is_over(&g->piece[!side], up, madd(at, -(gap + 1e-9 * radius), up))) return;
    ManifoldPoint p = { madd(at, -0.5 * gap, up),
                        gap,
                        ((uint64_t)1 << 50) + (uint64_t)side,
                        side ? RIM_OF_B : RIM_OF_A,
                        0,
                        -1,
                        vec(0, 0, 0) };
    put(g, &p, c->normal);
}

// Places the two pieces of a near pair; of a mesh its triangle, for which `facet` has room.
static void set_pieces(Gather *g, const Near *n, Facet facet[2]) {
    const Body *a = g->query->a->body;
    const Body *b = g->query->b->body;
    const Shape *sa = &g->m->shape[a->first_shape + n->shape_a];
    const Shape *sb = &g->m->shape[b->first_shape + n->shape_b];
    g->piece[0] = (Placed){ sa, &g->m->geometry, pose_mul(g->query->a->pose, sa->pose) };
    g->piece[1] = (Placed){ sb, &g->m->geometry, pose_mul(g->query->b->pose, sb->pose) };
    g->law = &g->m->pair[sa->material * g->m->material_count + sb->material];
    g->whole[0] = g->piece[0];
    g->whole[1] = g->piece[1];
    g->triangle[0] = n->triangle_a;
    g->triangle[1] = n->triangle_b;
    if (n->triangle_a >= 0) {
        g->piece[0] = collide_facet(&g->whole[0], n->triangle_a, &facet[0]);
    }
    if (n->triangle_b >= 0) {
        g->piece[1] = collide_facet(&g->whole[1], n->triangle_b, &facet[1]);
    }
}

// rad: where faces are preferred, a manifold with a normal that differs by no more has the closest
// point, too: of faces that lie on each other and jitter, that is a corner of one or of the other
#define SAME_FACE 1e-5

static double least_radius(const NarrowPhase *query) {
    const Body *a = query->a->body;
    const Body *b = query->b->body;
    double radius = a->bounded ? a->bounding_radius : HUGE_VAL;
    return b->bounded ? min2(radius, b->bounding_radius) : radius;
}

// Adds the contact points of a near pair of pieces: those of the manifold, the closest point unless
// it is one of them, and points of rims.
static void gather_piece(Gather *g, const Near *n) {
    const double within = g->within;
    const double band = g->band;
    Facet facet[2];
    set_pieces(g, n, facet);
    Closest c = contact_on_facets(n);
    find_edges(g, &c);
    g->rim_within[0] = is_rim_within(&g->piece[0], neg(c.normal), band);
    g->rim_within[1] = is_rim_within(&g->piece[1], c.normal, band);
    bool prefers_b = g->query->prefers_b;
    Manifold m = collide_manifold(&g->piece[0], &g->piece[1], &c, within,
                                  prefers_b ? MANIFOLD_PREFERS_B : 0);
    // the manifold lies on a face whose normal differs from that of the closest points
    double askew = norm(cross(m.normal, c.normal));
    double off = prefers_b ? askew * least_radius(g->query) : 0;
    bool has_it = least_gap(&m) <= c.distance + 1e-7 * band + off &&
                  askew <= (prefers_b ? SAME_FACE : 1e-9);
    g->on_flat_rim = (g->rim_within[0] || g->rim_within[1]) && m.count >= 3;
    // the marks of a flat rim stand for points that are not lower than this
    double low = g->on_flat_rim ? least_gap(&m) - CONTACT_RIM_SAG * band : HUGE_VAL;
    bool alone = n->inner || has_it || (g->on_flat_rim && c.distance >= low);
    ManifoldPoint closest;
    if (!alone) {
        closest = collide_point(&g->piece[0], &g->piece[1], &c);
    }
    // no point of an inner triangle is nearer than the nearest piece
    double least = n->inner ? g->query->list.nearest.c.distance - 0.1 * band : -HUGE_VAL;
    for (int i = 0; i < m.count; i++) {
        if (m.point[i].gap < least) continue;
        bool twice = !alone && askew <= SAME_NORMAL_ANGLE &&
                     is_same_point(&m.point[i], &closest, band);
        if (m.point[i].gap <= within && !twice) {
            put(g, &m.point[i], m.normal);
        }
    }
    if (!alone) {
        put(g, &closest, c.normal);
    }
    if (!n->inner) {
        put_rim(g, &c, 0, within, low);
        put_rim(g, &c, 1, within, low);
    }
}

int contact_points(const impModel *m, NarrowPhase *query, double within, double band,
                   ContactPoint *out, int room) {
    Gather g = { .m = m,
                 .query = query,
                 .flip = !query->a->free,
                 .within = within,
                 .band = band,
                 .out = out,
                 .room = room };
    for (int i = 0; i < query->list.count; i++) {
        query->on_flat_rim[i] = false;
        if (!(query->list.near[i].c.distance <= within)) continue;
        gather_piece(&g, &query->list.near[i]);
        query->on_flat_rim[i] = g.on_flat_rim;
    }
    return g.full ? -1 : contact_reduce(out, g.count, band);
}

// --- time scales ---------------------------------------------------------------------------------

// Acceleration along n of the point of a body while nothing touches it, m/s^2: of a prescribed
// body the mean over T.
static double acceleration_along(const impModel *m, const Actor *a, impVec3 at, impVec3 n,
                                 double T) {
    if (a->free) return a->asleep ? 0 : dot(n, a->acceleration);
    if (a->body->role == IMP_FIXED) return 0;
    impTwist later;
    impPose there;
    motion_kinematic(m, a->index, a->t + T, &there, &later);
    // the same material point
    impVec3 moved = place(there, place(pose_inverse(a->pose), at));
    impVec3 then = add(later.linear, cross(later.angular, sub(moved, there.at)));
    return (dot(n, then) - dot(n, velocity_at(a, at))) / T;
}

static double largest_acceleration(const impModel *m, const Actor *a, impVec3 n) {
    if (a->free || a->body->role == IMP_FIXED) return 0;
    return motion_pull(m->motion + a->body->first_motion, a->body->motion_count, n);
}

static impVec3 centripetal(const Actor *a, impVec3 at) {
    return cross(a->w, cross(a->w, sub(at, a->x)));
}

// (23): a rotating body presses with its corners; of a rounded corner the centre counts. A
// material with e = 1 has no microscopic speed.
static double weightless_pull(const Actor *a, const Actor *b, const ContactPoint *t,
                              double gravity_substitute) {
    bool own = t->motion.kind == MOVES_WITH_A;
    bool others = t->motion.kind == MOVES_WITH_B;
    double in_a = own ? t->motion.radius : others ? max2(t->motion.radius_other, 0) : 0;
    double in_b = others ? t->motion.radius : own ? max2(t->motion.radius_other, 0) : 0;
    if (t->law->restitution >= 1) return 0;
    return max2(gravity_substitute, max2(norm(centripetal(a, madd(t->at, in_a, t->n))),
                                         norm(centripetal(b, madd(t->at, -in_b, t->n)))));
}

// (22): without gravity the bodies slide no farther than their surfaces part by the band.
static double longest_slide(const Actor *a, const Actor *b, const ContactPoint *t, double band) {
    double bounding_radius = min2(a->body->bounding_radius,
                                  b->free ? b->body->bounding_radius : HUGE_VAL);
    double slip2 = t->u.x * t->u.x + t->u.y * t->u.y;
    return slip2 > 0 ? sqrt(2 * band * bounding_radius / slip2) : HUGE_VAL;
}

// rad: T_max of (5) limits the rotation about the normal in one flight. Friction acts against the
// mean slip, the impulse at the present place: the cosine of half the angle, 1e-3, is missing in
// the torque. Test: tests/method/impulse_reduction.c
#define MAX_TWIST 0.1

// Time in which the bodies rotate against each other about the normal by so much, s.
static double longest_twist(const Actor *a, const Actor *b, const ContactPoint *t) {
    double rate = fabs(dot(t->n, sub(a->w, b->w)));
    bool aside = norm(cross(t->n, sub(t->at, a->x))) > 1e-9 * a->body->bounding_radius ||
                 (b->free && norm(cross(t->n, sub(t->at, b->x))) > 1e-9 * b->body->bounding_radius);
    return aside && rate > 0 ? MAX_TWIST / rate : HUGE_VAL;
}

void contact_set_time_scales(const impModel *m, const Actor *a, const Actor *b, double band,
                             double gravity_substitute, ContactPoint *t) {
    impVec3 u = sub(velocity_at(a, t->at), velocity_at(b, t->at));
    t->u = vec(dot(t->t1, u), dot(t->t2, u), dot(t->n, u));
    double g = max2(norm(a->acceleration),
                    max2(norm(b->acceleration), largest_acceleration(m, b, t->n)));
    t->micro.g_n = t->micro.threshold = 0;
    t->micro.duration = t->micro.longest = HUGE_VAL;
    t->u_rounding = 4 * DBL_EPSILON *
                    (largest(velocity_at(a, t->at)) + largest(velocity_at(b, t->at)));
    if (t->motion.kind < ROLLS_ON_A) {
        t->micro.longest = longest_twist(a, b, t);
    }
    if (g == 0) {
        g = weightless_pull(a, b, t, gravity_substitute);
        t->micro.longest = min2(t->micro.longest, longest_slide(a, b, t, band));
    }
    if (g == 0) return;
    double T = sqrt(2 * band / g);
    double pull = fabs(acceleration_along(m, a, t->at, t->n, T) -
                       acceleration_along(m, b, t->at, t->n, T));
    double rotation_part = a->free && b->free
                               ? fabs(dot(t->n, sub(centripetal(a, t->at), centripetal(b, t->at))))
                               : 0;
    t->micro.g_n = max2(max2(pull, 0.1 * g), rotation_part);
    t->micro.threshold = sqrt(2 * t->micro.g_n * band);
    t->micro.duration = min2(sqrt(2 * band / t->micro.g_n), t->micro.longest);
}

MicrostepPoint contact_microstep_point(const Actor *actors, const ContactPoint *t, int a, int b) {
    const Actor *one = &actors[t->a];
    const Actor *two = &actors[t->b];
    MicrostepPoint q = { .a = a,
                         .b = b,
                         .arm_a = sub(t->at, one->x),
                         .arm_b = sub(t->at, two->x),
                         .t1 = t->t1,
                         .t2 = t->t2,
                         .n = t->n,
                         .friction = t->law->friction_dynamic };
    q.support_velocity = b < 0 ? velocity_at(two, t->at) : vec(0, 0, 0);
    return q;
}
