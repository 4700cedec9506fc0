// point.c -- the points where two bodies touch, each with its frame, its law and its pace.
//
// Of every near pair of pieces the manifold (collide/manifold.c), and the closest point itself
// where no point of the manifold is as near: a coin on its rim touches there and not at the eight
// marks of its rim. A point's pace follows from what brings the two together (microcollisions.md
// sec. 2): below the speed `slow` a collision is a microcollision, and its hop lasts at most `hop`.
// Impulses act on the surface of the body that moves; between two that do, in the middle of the
// gap, or they would make angular momentum.
//
// SPDX-License-Identifier: MIT
#include "contact/contact.h"

#include <string.h>

static ContactMotion other_way(ContactMotion c) {
    static const ContactMotion other[] = { MOVES_WITH_B, MOVES_WITH_A, MOVES_WITH_BOTH, EDGES_CROSS,
                                           ROLLS_ON_B,   ROLLS_ON_A,   RIM_OF_B,        RIM_OF_A };
    return other[c];
}

typedef struct Gather {
    const impModel *m;
    const NarrowPhase *w;
    bool flip;  // body b is the one that moves freely
    const impPairLaw *law;
    Placed piece[2], whole[2];  // of a mesh one triangle, and all of it
    int triangle[2];            // which; < 0: no mesh
    bool crossing;              // the closest features are two edges, of these directions
    impVec3 edge[2];
    bool flat[2];  // a piece with a cap of which all the rim is near,
    bool area;     //   and it lies on a flat
    double within;
    ContactPoint *out;
    int count, room;
} Gather;

// The lowest point of a rim that lies flat runs round it at the slightest turn, and is no lower
// than any other to speak of: where it is now is as good as a corner.
static ContactMotion carrier_of(const Gather *g, const ManifoldPoint *p) {
    if (!g->area) return p->contact_motion;
    if (g->flat[0] && (p->contact_motion == ROLLS_ON_A || p->contact_motion == RIM_OF_A))
        return MOVES_WITH_A;
    if (g->flat[1] && (p->contact_motion == ROLLS_ON_B || p->contact_motion == RIM_OF_B))
        return MOVES_WITH_B;
    return p->contact_motion;
}

static void put(Gather *g, const ManifoldPoint *p, impVec3 n) {
    if (g->count == g->room) {
        g->count = contact_reduce(g->out, g->count, g->within);
    }
    if (g->count >= g->room) {
        g->count = g->room + 1;
        return;
    }
    const Actor *a = g->flip ? g->w->b : g->w->a;
    const Actor *b = g->flip ? g->w->a : g->w->b;
    ContactPoint t = { .a = a->index,
                       .b = b->index,
                       .b_is_fixed = b->body->role == IMP_FIXED,
                       .at = p->at,
                       .n = g->flip ? neg(n) : n,
                       .gap = p->gap,
                       .feature = p->feature,
                       .law = g->law,
                       .motion.radius = p->roll,
                       .motion.radius_other = p->facing,
                       .motion.axis = p->along,
                       .on_flat_rim = g->area };
    ContactMotion contact_motion = carrier_of(g, p);
    if (contact_motion != p->contact_motion) {
        t.motion.radius_other = -1;
    }
    t.motion.kind = g->flip ? other_way(contact_motion) : contact_motion;
    // to both
    bool square = g->crossing && max2(fabs(dot(n, g->edge[0])), fabs(dot(n, g->edge[1]))) <= 1e-9;
    if (t.motion.kind == MOVES_WITH_BOTH && square) {
        t.motion.kind = EDGES_CROSS;
        t.motion.edge_a = g->edge[g->flip];
        t.motion.edge_b = g->edge[!g->flip];
        t.motion.radius = g->piece[g->flip].shape->radius;
        t.motion.radius_other = g->piece[!g->flip].shape->radius;
    }
    if (contact_motion >= ROLLS_ON_A) {
        bool second = contact_motion == ROLLS_ON_B || contact_motion == RIM_OF_B;
        t.motion.surface = g->whole[second];
        t.motion.other = g->whole[!second];
        t.motion.other_triangle = g->triangle[!second];
    }
    const Actor *other = g->flip ? g->w->a : g->w->b;
    // on the one that moves: a ball rolls on its own radius
    if (!other->free) {
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

// Two edges that are nearly parallel cross in one point, and as they turn it runs along them: what
// it does is not what the ends of their common length do, though they may be as near.
static bool crossed_elsewhere(const Manifold *m, const Closest *c, double within) {
    if (feature_kind(c->feature_a) != FEATURE_EDGE || feature_kind(c->feature_b) != FEATURE_EDGE)
        return false;
    impVec3 at = scale(0.5, add(c->on_a, c->on_b));
    for (int i = 0; i < m->count; i++) {
        if (norm(sub(m->point[i].at, at)) <= within) return false;
    }
    return true;
}

#define SAME_WAY 1e-2  // rad: of normals that say the same at one place

// The manifold's point is where the closest one is, which knows better how it moves.
static bool is_said(const ManifoldPoint *p, const ManifoldPoint *closest, double within) {
    return norm(sub(p->at, closest->at)) <= 0.1 * within &&
           (p->contact_motion == MOVES_WITH_BOTH || p->contact_motion == closest->contact_motion);
}

// of edges that cross: nearly parallel ones do so anywhere
#define LEAST_ANGLE 1e-3

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
                  norm(cross(g->edge[0], g->edge[1])) > LEAST_ANGLE;
}

// --- the rim of a cap ----------------------------------------------------------------------------
// A can or a coin that lies flat touches with all of its rim, of which the manifold has eight
// marks. Between them the rim may approach while none of the marks does: that point is taken, too.
// Where all of the rim is in the band, its lowest point would be another one all the time: there
// the marks are enough, for no other point is lower than they are by more than 0.04 of the band.
// the flat that faces that way
static bool cap_of(const Placed *p, impVec3 down, impPose *cap, double *radius) {
    const char *kind = shape_kinds[p->shape->kind].name;
    bool cylinder = !strcmp(kind, "cylinder");
    bool cone = !strcmp(kind, "cone");
    impVec3 own = unrotate(p->pose.rotation, down);
    if ((!cylinder && !cone) || (cone && own.z > 0) || fabs(own.z) < 1 - 0.5e-6) return false;
    *radius = p->shape->size[0];
    *cap = pose_mul(p->pose, pose(vec(0, 0,
                                      cone        ? 0
                                      : own.z > 0 ? 0.5 * p->shape->size[1]
                                                  : -0.5 * p->shape->size[1]),
                                  quat(1, 0, 0, 0)));
    return true;
}

static bool lies_flat(const Placed *p, impVec3 down, double within) {
    impPose cap;
    double radius;
    return cap_of(p, down, &cap, &radius) &&
           2 * radius * norm(cross(rotate(cap.rotation, vec(0, 0, 1)), down)) <= within;
}

// Is it a flat of the other that faces `up`, and is the point, just inside it, over that flat?
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
        faces = faces || dot(f->normal, own_up) >= 1 - 0.5e-6;
    }
    return faces;
}

static impVec3 velocity_at(const Actor *a, impVec3 at) {
    return add(a->v, cross(a->w, sub(at, a->x)));
}

static void put_rim(Gather *g, const Closest *c, int side, double within, double most) {
    impVec3 up = side ? neg(c->normal) : c->normal;
    impVec3 foot = side ? c->on_a : c->on_b;
    impPose cap;
    double radius;
    if (!cap_of(&g->piece[side], neg(up), &cap, &radius)) return;
    impVec3 tilt = cross(up, sub(g->w->a->w, g->w->b->w));
    impVec3 axis = rotate(cap.rotation, vec(0, 0, 1));
    if (side) {
        tilt = neg(tilt);
    }
    tilt = madd(tilt, -dot(tilt, axis), axis);
    if (!(norm(tilt) > 0)) return;
    impVec3 at = madd(cap.at, -radius / norm(tilt), tilt);
    double gap = dot(up, sub(at, foot));
    if (!(gap <= within && gap < most)) return;
    bool comes = dot(c->normal, sub(velocity_at(g->w->a, at), velocity_at(g->w->b, at))) < 0;
    if (!comes || !is_over(&g->piece[!side], up, madd(at, -(gap + 1e-9 * radius), up))) return;
    ManifoldPoint p = { madd(at, -0.5 * gap, up),
                        gap,
                        ((uint64_t)1 << 50) + (uint64_t)side,
                        side ? RIM_OF_B : RIM_OF_A,
                        0,
                        -1,
                        vec(0, 0, 0) };
    put(g, &p, c->normal);
}

static void gather_piece(Gather *g, const Near *n, double within) {
    const Body *a = g->w->a->body;
    const Body *b = g->w->b->body;
    const Shape *sa = &g->m->shape[a->first_shape + n->shape_a];
    const Shape *sb = &g->m->shape[b->first_shape + n->shape_b];
    Facet room_a, room_b;
    g->piece[0] = (Placed){ sa, &g->m->geometry, pose_mul(g->w->a->pose, sa->pose) };
    g->piece[1] = (Placed){ sb, &g->m->geometry, pose_mul(g->w->b->pose, sb->pose) };
    g->law = &g->m->pair[sa->material * g->m->material_count + sb->material];
    g->whole[0] = g->piece[0];
    g->whole[1] = g->piece[1];
    g->triangle[0] = n->triangle_a;
    g->triangle[1] = n->triangle_b;
    if (n->triangle_a >= 0) {
        g->piece[0] = collide_facet(&g->whole[0], n->triangle_a, &room_a);
    }
    if (n->triangle_b >= 0) {
        g->piece[1] = collide_facet(&g->whole[1], n->triangle_b, &room_b);
    }
    Closest c = contact_on_facets(n);
    find_edges(g, &c);
    g->flat[0] = lies_flat(&g->piece[0], neg(c.normal), within);
    g->flat[1] = lies_flat(&g->piece[1], c.normal, within);
    Manifold m = collide_manifold(&g->piece[0], &g->piece[1], &c, within, 0);
    // laid on a face that is not square to the closest way
    double askew = norm(cross(m.normal, c.normal));
    bool has_it = least_gap(&m) <= c.distance + 1e-7 * within && askew <= 1e-9 &&
                  !crossed_elsewhere(&m, &c, within);
    g->area = (g->flat[0] || g->flat[1]) && m.count >= 3;
    // what is no lower than that is said
    double low = g->area ? least_gap(&m) - CONTACT_RIM_SAG * within : HUGE_VAL;
    bool alone = n->inner || has_it || (g->area && c.distance >= low);
    ManifoldPoint closest;
    if (!alone) {
        closest = collide_point(&g->piece[0], &g->piece[1], &c);
    }
    // nothing is nearer than the nearest
    double least = n->inner ? g->w->list.nearest.c.distance - 0.1 * within : -HUGE_VAL;
    for (int i = 0; i < m.count; i++) {
        if (m.point[i].gap < least) continue;
        bool twice = !alone && askew <= SAME_WAY && is_said(&m.point[i], &closest, within);
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

int contact_points(const impModel *m, NarrowPhase *w, double within, ContactPoint *out, int room) {
    Gather g = { .m = m, .w = w, .flip = !w->a->free, .within = within, .out = out, .room = room };
    for (int i = 0; i < w->list.count; i++) {
        w->on_flat_rim[i] = false;
        if (!(w->list.near[i].c.distance <= within)) continue;
        gather_piece(&g, &w->list.near[i], within);
        w->on_flat_rim[i] = g.area;
    }
    return g.count > room ? -1 : contact_reduce(out, g.count, within);
}

// --- pace ----------------------------------------------------------------------------------------
// How the point of a body is pulled along n while nothing touches it: by gravity and forces, or by
// its prescribed motion.
static double pull_of(const impModel *m, const Actor *a, impVec3 at, impVec3 n, double T) {
    if (a->free) return a->asleep ? 0 : dot(n, a->acceleration);
    if (a->body->role == IMP_FIXED) return 0;
    impTwist later;
    impPose there;
    motion_kinematic(m, a->index, a->t + T, &there, &later);
    // the same point of it: what spins pulls inwards
    impVec3 moved = place(there, place(pose_inverse(a->pose), at));
    impVec3 then = add(later.linear, cross(later.angular, sub(moved, there.at)));
    return (dot(n, then) - dot(n, velocity_at(a, at))) / T;
}

static double strongest_pull(const impModel *m, const Actor *a, impVec3 n) {
    if (a->free || a->body->role == IMP_FIXED) return 0;
    return motion_pull(m->motion + a->body->first_motion, a->body->motion_count, n);
}

static impVec3 turning(const Actor *a, impVec3 at) {
    return cross(a->w, cross(a->w, sub(at, a->x)));
}

// Where nothing pulls, what turns still presses with its corners (of a ball: its middle, which does
// not); `faint` is there for what does not turn. What bounces for ever needs no hop.
static double weightless_pull(const Actor *a, const Actor *b, const ContactPoint *t,
                              double gravity_substitute) {
    bool own = t->motion.kind == MOVES_WITH_A;
    bool others = t->motion.kind == MOVES_WITH_B;
    double in_a = own ? t->motion.radius : others ? max2(t->motion.radius_other, 0) : 0;
    double in_b = others ? t->motion.radius : own ? max2(t->motion.radius_other, 0) : 0;
    if (t->law->restitution >= 1) return 0;
    return max2(gravity_substitute, max2(norm(turning(a, madd(t->at, in_a, t->n))),
                                         norm(turning(b, madd(t->at, -in_b, t->n)))));
}

// A hop without weight may be long: they slide on each other no farther than their surfaces need to
// part by the band.
static double longest_hop(const Actor *a, const Actor *b, const ContactPoint *t, double band) {
    double bounding_radius = min2(a->body->bounding_radius,
                                  b->free ? b->body->bounding_radius : HUGE_VAL);
    double slip2 = t->u.x * t->u.x + t->u.y * t->u.y;
    return slip2 > 0 ? sqrt(2 * band * bounding_radius / slip2) : HUGE_VAL;
}

// Friction acts against where a point goes on the average, the impulse where it is now: the angle
// between the two is half of what the bodies turn about the normal in a hop, and its cosine is
// missing in the torque.
#define TWIST 0.1  // rad: a thousandth is missing
static double longest_twist(const Actor *a, const Actor *b, const ContactPoint *t) {
    double rate = fabs(dot(t->n, sub(a->w, b->w)));
    bool aside = norm(cross(t->n, sub(t->at, a->x))) > 1e-9 * a->body->bounding_radius ||
                 (b->free && norm(cross(t->n, sub(t->at, b->x))) > 1e-9 * b->body->bounding_radius);
    return aside && rate > 0 ? TWIST / rate : HUGE_VAL;
}

void contact_set_time_scales(const impModel *m, const Actor *a, const Actor *b, double band,
                             double gravity_substitute, ContactPoint *t) {
    impVec3 u = sub(velocity_at(a, t->at), velocity_at(b, t->at));
    t->u = vec(dot(t->t1, u), dot(t->t2, u), dot(t->n, u));
    double g = max2(norm(a->acceleration), max2(norm(b->acceleration), strongest_pull(m, b, t->n)));
    t->micro.g_n = t->micro.threshold = 0;
    t->micro.duration = t->micro.longest = HUGE_VAL;
    t->u_rounding = 4 * DBL_EPSILON *
                    (largest(velocity_at(a, t->at)) + largest(velocity_at(b, t->at)));
    if (t->motion.kind < ROLLS_ON_A) {
        t->micro.longest = longest_twist(a, b, t);
    }
    if (g == 0) {
        g = weightless_pull(a, b, t, gravity_substitute);
        t->micro.longest = min2(t->micro.longest, longest_hop(a, b, t, band));
    }
    if (g == 0) return;
    double T = sqrt(2 * band / g);
    double pull = fabs(pull_of(m, a, t->at, t->n, T) - pull_of(m, b, t->at, t->n, T));
    double turn = a->free && b->free ? fabs(dot(t->n, sub(turning(a, t->at), turning(b, t->at))))
                                     : 0;
    t->micro.g_n = max2(max2(pull, 0.1 * g), turn);
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
