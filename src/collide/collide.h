// collide.h -- the door of collide/: which bodies touch, where and when.
//
// A convex shape is a core and a radius: the core of a ball is a point, of a capsule a segment, of
// a box or hull a polytope, with a radius if it is rounded; cylinder, cone and ellipsoid are smooth
// and known by their support maps; a plane is a half space; a mesh is triangles under a tree of
// boxes. Distances are signed: negative is the depth of the overlap, and the sign changes
// continuously. The normal points from b to a; on_a - on_b = distance times normal.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "motion/motion.h"

// --- features: what touches what, as a number that stays the same while they touch ---------------
// A feature is a vertex, edge or face of a polytope, or a region of a smooth shape, in 30 bits and
// 2 of kind.
typedef enum FeatureKind { FEATURE_VERTEX, FEATURE_EDGE, FEATURE_FACE, FEATURE_SMOOTH } FeatureKind;
typedef uint32_t Feature;
static inline Feature feature_of(FeatureKind kind, int index) {
    return (uint32_t)kind << 30 | (uint32_t)index;
}
static inline FeatureKind feature_kind(Feature f) { return (FeatureKind)(f >> 30); }
static inline int feature_index(Feature f) { return (int)(f & 0x3fffffffu); }

typedef struct Placed {  // a shape where it is now
    const Shape *shape;
    const Geometry *g;
    impPose pose;  // of the shape's frame in the world
} Placed;

typedef struct Closest {
    double distance;     // m, signed
    impVec3 normal;      // unit, world, from b to a
    impVec3 on_a, on_b;  // world
    Feature feature_a, feature_b;
    int steps;      // of the walk or iteration
    bool fallback;  // the bounded walk gave up and another method answered (never in tests)
} Closest;

// Where a search may start: the features of the last answer. It saves steps and changes no bit of
// the result.
typedef struct StartFeature {
    Feature a, b;
    bool known;
} StartFeature;

// pairs.c: the closest points of two convex shapes, by the table of pairs. hint may be NULL; it is
// updated.
Closest collide_closest(const Placed *a, const Placed *b, StartFeature *start_feature);
// The same two a moment before or after `near` was found. Where something is smooth the search
// starts from there: many times faster, but the last bits follow from `near`, which must itself
// follow from the state alone.
Closest collide_closest_since(const Placed *a, const Placed *b, const Closest *near);

// vclip.c: polytopes, segments and points (cores; radii added by the caller in pairs.c). False:
// they overlap.
bool collide_vclip(const Placed *a, const Placed *b, StartFeature *start_feature, Closest *out);
// overlap.c: depth and normal of two overlapping shapes, radii included: the axis of least overlap,
// over all axes.
Closest collide_overlap(const Placed *a, const Placed *b);
// gjk.c: any two convex shapes by their support maps, smooth ones included, radii included; signed.
Closest collide_gjk(const Placed *a, const Placed *b);
Closest collide_gjk_since(const Placed *a, const Placed *b, const Closest *near);
// plane.c: anything convex against a half space.
Closest collide_plane(const Placed *a, const Placed *plane);

// --- manifold.c: all the points of a contact -----------------------------------------------------
enum { MANIFOLD_POINTS = 64 };
// What a point goes with while the bodies move: a corner of one of them, at distance `roll` from
// the surface along the normal (0: on it; a ball's corner is its middle), the crossing of an edge
// of each (EDGES_CROSS: whose normal is square to both, as contact/ finds), wherever a smooth
// surface is lowest, or wherever the circle through it about the shape's axis is: the end of a line
// of contact. facing: the corner that a corner meets has that roll, and the normal joins the two; <
// 0: it, or what rolls, meets a flat. along: of two axes side by side, whose corners may slip along
// them.
typedef enum ContactMotion {
    MOVES_WITH_A,
    MOVES_WITH_B,
    MOVES_WITH_BOTH,
    EDGES_CROSS,
    ROLLS_ON_A,
    ROLLS_ON_B,
    RIM_OF_A,
    RIM_OF_B
} ContactMotion;
typedef struct ManifoldPoint {
    impVec3 at;  // middle of the gap, world
    double gap;
    uint64_t feature;
    ContactMotion contact_motion;
    double roll, facing;
    impVec3 along;  // unit, or 0
} ManifoldPoint;
typedef struct Manifold {
    impVec3 normal;  // from b to a, one for all points
    int count;
    bool cut;            // more points than fit: the caller must say so
    uint32_t reference;  // which face measured the gaps: kept while it is as good (hysteresis)
    ManifoldPoint point[MANIFOLD_POINTS];
} Manifold;
// Points with gap <= margin. `last` is the reference of the manifold before, 0 at first.
// MANIFOLD_PREFERS_B instead of it: of two faces that are parallel to 1e-5 rad that of b.
#define MANIFOLD_PREFERS_B 0xffffffffu
Manifold collide_manifold(const Placed *a, const Placed *b, const Closest *c, double margin,
                          uint32_t last);
// the closest point alone
ManifoldPoint collide_point(const Placed *a, const Placed *b, const Closest *c);

// --- mover.c, impact_time.c: bounds on the time of impact ----------------------------------------
typedef struct Extent {      // of the core of one shape: once per model
    double bounding_radius;  // no point of the core is farther from what the body turns about: its
                             //   centre of mass; of a prescribed body its origin
    impVec3 low, high;       // its box in the shape's own frame
    bool round;  // prescribed: all its turns map the shape onto itself, as a platter's do
} Extent;

typedef struct Mover {  // how a body moves from now on
    impVec3 x;          // what it turns about
    impVec3 v, a;       // velocity of that point, acceleration (gravity or 0); prescribed: 0
    impVec3 w;          // angular velocity now
    double w_max;       // and at most, for the rest of the flight (motion_spin_bound)
    double w_change;    // bound on |dw/dt|
    impVec3 w_rate;     // dw/dt now,
    double w_jerk;      //   and a bound on |d2w/dt2|; HUGE_VAL: neither is known
    // w = (at most w_max) axis + (at most wobble) across it; the axis is fixed in the body and
    // stays within `lean` of `steady`, which is fixed in space. wobble HUGE_VAL: no such axis is
    // known.
    impVec3 axis, steady;
    double wobble, lean;
    Extent core;
    bool known;           // false: carried by a joint, no bound holds: the answer is 0
    const impModel *m;    // prescribed bodies: their motion says where they will be
    int body;             // its index when prescribed and not at rest, else -1
    double t;             // prescribed: the time now
    MotionSample sample;  //   and the motion then
} Mover;
Extent collide_extent(const impModel *m, int body, int shape);  // shape: index in the model
// Those of all shapes of the model. Bodies may share shapes, which then are as the first of these
// bodies has them.
void collide_extents(const impModel *m, Extent *out);
// Free bodies need `now` and fly under the model's gravity; prescribed ones need the time t; fixed
// ones neither. spins: false where no spin of either of the two matters (of balls, and of what
// stands): then that of free ones is left out.
void collide_set_mover(Mover *out, const impModel *m, int body, const Extent *core,
                       const Flying *now, double t, bool spins);
Mover collide_mover(const impModel *m, int body, const Extent *core, const Flying *now, double t);
// No gap below `target` before the returned time from now; HUGE_VAL: never, on these flights. Never
// too late. May be 0.
double collide_time_bound(const Mover *a, const Mover *b, const Placed *sa, const Placed *sb,
                          const Closest *c, double target);
// The same for callers that need no more than `enough`: some time from there on, if that much can
// be shown.
double collide_time_until(const Mover *a, const Mover *b, const Placed *sa, const Placed *sb,
                          const Closest *c, double target, double enough);
// No sooner does a point of one of them, `gap` from a flat of the other and coming at `closing` of
// `speed`, reach that.
double collide_time_of_point(const Mover *a, const Mover *b, impVec3 at, double gap, double closing,
                             double speed);
// The same where no normal is known, as of a mesh: d m are left, and whatever way they go, they go
// at most so fast. And how far they get in T that way; with that d, the time is at least T.
double collide_time_by_speed(const Mover *a, const Mover *b, double d);
double collide_travel_by_speed(const Mover *a, const Mover *b, double T);
// t + step rounded down, and at least 4 ulp(t) after t: clocks have no finer steps.
double collide_time_after(double t, double step);

// --- sweep.c: boxes that contain a body for a time T ---------------------------------------------
// both ends belong to it; low > high on any axis: empty
typedef struct Box {
    impVec3 low, high;
} Box;
Box collide_box_free(const Body *body, const Flying *now, impVec3 gravity, double T, double margin);
// Fixed (T = 0 will do) and prescribed bodies, from their pose now. Without shapes: empty; with a
// plane: unbounded.
Box collide_box_kinematic(const impModel *m, int body, impPose now, double T, double margin);
// A body that is one plane and can only shift is a half space, normal . x <= *offset: less than its
// box. False: no.
bool collide_half_space(const impModel *m, int body, impPose now, double T, double margin,
                        impVec3 *normal, double *offset);

// --- broad.c: pairs whose boxes overlap ----------------------------------------------------------
// Pairs of bodies i < j that can meet and whose boxes overlap: exactly those, whatever happened
// before. A pair keeps its slot for life, so that the caller can keep things beside it; slots and
// links depend on history and must not reach any result, the orders below do not.
typedef struct BroadPair {
    int32_t i, j, slot;
} BroadPair;
// Pairs of bodies that may collide: one of them moves freely, or is kinematic and the other asleep.
typedef enum MotionType {
    MOTION_DYNAMIC,
    MOTION_STATIC,
    MOTION_ASLEEP,
    MOTION_KINEMATIC
} MotionType;
typedef struct Broad {
    int bodies, room;            // how many bodies and pairs there can be
    int count;                   // pairs now
    const BroadPair *pair;       // in the order of (i, j); after an update, until the next refresh
    BroadPair *added, *removed;  // by the last update, in the order of (i, j), or refresh
    int added_count, removed_count;  //   a slot in `added` may have just been given up in `removed`
    int64_t needed;                  // after a `false`: the room that would have been enough so far
    struct BroadInside *inside;
} Broad;
size_t collide_broad_size(int bodies, int room);  // bytes
// memory: that many, on a cache line
Broad collide_broad_init(void *memory, int bodies, int room);
// A body's box for the time to come. Bodies start without one and then have no pairs. The pairs
// follow with the next update, or refresh of that body.
void collide_broad_set(Broad *b, int body, Box box, MotionType motion_type);
// unbounded
void collide_broad_set_half_space(Broad *b, int body, impVec3 normal, double offset,
                                  MotionType motion_type);
// Brings the pairs up to date with all boxes: O(bodies + pairs). False: more than fit; the pairs
// are those of before.
bool collide_broad_update(Broad *b);
// The same after the boxes of one or two bodies were set, for those only (other: -1, none); changes
// of `body` come first, then those of `other`, each by partner. False: more than fit; some pairs
// are missing then.
bool collide_broad_refresh(Broad *b, int body, int other);
// for the memory that a refresh of it needs
void collide_broad_prefetch(const Broad *b, int body);
// The pairs of one body by partner; the list is good until the next call of anything.
int collide_broad_partners(Broad *b, int body, const BroadPair **list);

// --- mesh.c, bodies.c: bodies as unions of convex pieces and meshes ------------------------------
// A triangle of a mesh as a flat polytope with two faces, front (0) and back (1); sides are
// numbered by their first corner.
typedef struct Facet {
    Shape shape;
    Geometry g;
    impVec3 vertex[3];
    Edge edge[3];
    Face face[2];
    int32_t loop[6], loop_edge[6], ring[6], ring_first[4];
} Facet;
Placed collide_facet(const Placed *mesh, int triangle, Facet *room);  // points into room

// The answer of one pair of pieces. Features of a mesh are numbered over the mesh: vertices, faces
// by triangle, edges by the lower of their halves, 3 triangle + side. `inner`: this triangle has a
// neighbour that is nearer still, and its own closest point, on a border which is none of the
// surface, would push sideways (G10). Such an answer has the normal of the triangle and the gap
// along it, and serves to lay a manifold on the triangle; it is no contact by itself and is
// never the nearest.
typedef struct Near {
    int shape_a, shape_b;        // counted within their bodies
    int triangle_a, triangle_b;  // of a mesh; convex: -1
    bool inner;
    Feature local;  // of the mesh's side, on the Facet: for collide_manifold
    Closest c;
} Near;
typedef struct NearList {
    Near *near;  // given by the caller: room of them, in the order of (shapes, triangles)
    int room, count;
    bool cut;      // there were more: these are the nearest
    Near nearest;  // distance HUGE_VAL: nothing within the margin
} NearList;
// All pairs of pieces nearer than margin. A solid mesh (closed) answers a shape that is inside with
// a negative distance; an open one has two sides. hints: NULL, or shapes of a times shapes of b,
// zeroed at first.
void collide_bodies(const impModel *m, int a, int b, impPose at_a, impPose at_b, double margin,
                    StartFeature *start_features, NearList *out);
// HUGE_VAL: none nearer
Near collide_body_distance(const impModel *m, int a, int b, impPose at_a, impPose at_b,
                           double limit);
// Are any two pieces of a body and one convex shape nearer than margin? (for overlap queries)
bool collide_body_near(const impModel *m, int body, impPose at, const Placed *shape, double margin);

// --- ray.c: where a ray enters a shape. From inside, or on the surface, there is no entry. -------
// along: unit
typedef struct Ray {
    impVec3 from, along;
    double most;
} Ray;
// in the frame of the ray
typedef struct RayHit {
    double t;
    impVec3 normal;
} RayHit;
bool collide_ray(const Placed *shape, const Ray *ray, RayHit *out);
// both sides; watertight
bool collide_ray_triangle(const Ray *ray, impVec3 a, impVec3 b, impVec3 c, double *t);
TreeRay collide_tree_ray(const Ray *ray);
