// contact.h -- the door of contact/: bodies with clocks of their own, the narrow phase of two
// bodies, contact points, contact reduction, and the motion of a contact point in a micro-step.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "collide/collide.h"
#include "contact/set.h"
#include "solve/solve.h"

// --- actor.c: a body with a clock of its own -----------------------------------------------------

// A flight can be evaluated at any time for the same cost, so an actor is advanced only when its
// position is needed. Actors start on a cache line of their own: in a scene of many bodies each
// access is a cache miss, and no line more than needed is read.
typedef struct Actor {
    _Alignas(CACHE_LINE) const Body *body;
    int index;     // of the body in the model
    bool free;     // dynamic: it moves freely between impulses; method iterated: and awake
    bool asleep;   // dynamic, and held at rest until something touches it
    double t;      // s: the time of pose, x, q, v and w
    impPose pose;  // of the body's frame
    union {
        Flying now;
        struct {
            impVec3 x;     // centre of mass, world; of a prescribed body: its origin
            impQuat q;     // of the principal axes; of a prescribed body: of its frame
            impVec3 v, w;  // twist, world axes
        };
    };
    impVec3 acceleration;  // m/s^2: gravity, and of a free body the step's force by its mass
    FlightFront flight;    // of a free body; of a sleeping one only t0, the time since when
    Tumble *tumble;        // the rest of the flight; the caller sets it before contact_launch
} Actor;

// Sets place and twist of a body from the state, at the state's time. The rest is for the caller to
// set: `asleep` is false, `acceleration` is gravity without the step's force, and a free body has
// no flight. `tumble` keeps its value.
void contact_set_actor(Actor *a, const impModel *m, int body, const double *state);
// The same as a value, with `tumble` NULL.
Actor contact_actor(const impModel *m, int body, const double *state);
// Advances (or takes back) the body to time t.
void contact_move(const impModel *m, Actor *a, double t);
// Starts a new flight at a->t with this twist (m/s, rad/s). The body is awake.
void contact_launch(Actor *a, impVec3 v, impVec3 w);
// Puts a free body to sleep where it is: its twist becomes 0.
void contact_freeze(Actor *a);
// The body as the contact solver needs it: inverse mass and inertia, twist, bounding radius.
MicrostepBody contact_microstep_body(const Actor *a);
// True if the bounding spheres of the bodies are more than `by` (m) apart.
bool contact_far_apart(const Actor *a, const Actor *b, double by);
// True if a force other than gravity acts on a free body.
bool contact_is_forced(const impModel *m, const Actor *a);
// Kinetic energy, J: as the body moves now, and as it would with this twist.
double contact_kinetic_energy(const Actor *a);
double contact_kinetic_energy_at(const Actor *a, impVec3 v, impVec3 spin);

// --- narrow_cache.c: results of a narrow-phase query, kept for the next one ----------------------

// A separating axis of two pieces, kept in the frame with which it moves: that of a body whose face
// it is normal to, or one edge of each body, whose cross product it is.
typedef enum AxisFrame { AXIS_WORLD, AXIS_OF_A, AXIS_OF_B, AXIS_OF_EDGES } AxisFrame;
typedef struct SeparatingAxis {
    int32_t shape_a, shape_b;      // the pieces, counted within their bodies
    Feature feature_a, feature_b;  // the closest ones at the last search
    AxisFrame frame;
    double distance;      // m: of the pieces at the last search
    impVec3 direction;    // unit, in `frame`; AXIS_OF_EDGES: the edge of a
    impVec3 direction_b;  // AXIS_OF_EDGES: the edge of b
} SeparatingAxis;
// axes kept of one pair of bodies, at most
enum { MAX_AXES = 8 };

// Distances that a query found between two bodies, and their poses at that time.
typedef struct NarrowCache {
    double distance;         // m: the bodies were at least this far apart
    double others_distance;  // m: so were pieces without an axis in the cache
    impVec3 offset;          // from the centre of a to that of b
    impQuat orientation_a, orientation_b;
    int axis_count;
} NarrowCache;
typedef struct NarrowCacheRef {
    const NarrowCache *cache;
    SeparatingAxis *axes;
} NarrowCacheRef;

// --- narrow.c: the near pieces of two bodies, and a bound on the time of impact ------------------

enum { NEAR_ROOM = 1024, FEW_PIECES = 96 };
// The result of a narrow-phase query of two bodies at one time.
typedef struct NarrowPhase {
    const Actor *a, *b;
    Near near[NEAR_ROOM];
    NearList list;
    bool on_flat_rim[NEAR_ROOM];  // by piece: its points are those of a rim that lies flat
    double others_distance;       // m: pieces that are not in the list are at least this far apart
    bool from_cache;    // answered by cached axes: distances beyond the asked one are lower bounds
    bool prefers_b;     // of faces that are parallel, contact_points takes that of b
    bool movers_known;  // `mover` holds the motion of each body's fastest piece
    Mover mover[2];
} NarrowPhase;

// One shape of a body, where it is.
Placed contact_piece(const impModel *m, const Actor *a, int i);
// The closest points with the features of the triangles, not of their meshes.
Closest contact_on_facets(const Near *n);
// Finds all pieces within a distance (m), and those that could come so near within a time `ahead`
// (s) as the bodies fly now; other pieces may be left out. extents: of all shapes of the model.
// start_features: NULL, or one for each pair of shapes, zeroed at first; they save time and change
// no bit. last: NULL, or the cache that contact_cache_store filled for this pair. Writes out.
void contact_narrow_phase(const impModel *m, const Actor *a, const Actor *b, const Extent *extents,
                          double within, double ahead, StartFeature *start_features,
                          const NarrowCacheRef *last, NarrowPhase *out);
// A time (s) from now before which no two pieces come nearer than `level` (m); pieces that are
// nearer already count as being there. The search ends as soon as `enough` (s) is proven.
double contact_time_bound(const impModel *m, NarrowPhase *query, const Extent *extents,
                          double level, double enough);
// The same, but rims that lie flat may come as near as `flat_level`.
double contact_time_bound_flat(const impModel *m, NarrowPhase *query, const Extent *extents,
                               double level, double flat_level, double enough);
// A time (s) before which two bodies are not nearer by d (m) than now, without a query.
double contact_time_to_approach(const impModel *m, const Actor *a, const Actor *b,
                                const Extent *extents, double d);

// narrow_cache.c. Writes the separating axes of a query into axis_cache, which has room for `room`,
// and the rest into out. A query that was answered from the cache leaves its axes as they are.
void contact_cache_store(const impModel *m, const NarrowPhase *query, SeparatingAxis *axis_cache,
                         int room, NarrowCache *out);
// A lower bound (m) of the present distance of two bodies.
double contact_cache_distance(const NarrowCache *s, const Actor *a, const Actor *b);
// Answers a query from cached axes; axes of pieces that were searched anew are replaced. travel:
// how far (m) the bodies may approach in the time asked for. False: the bodies moved too much for
// the cache, and all pieces must be searched. out->a and out->b are set before.
bool contact_narrow_phase_cached(const impModel *m, const NarrowCache *cache,
                                 SeparatingAxis *axis_cache, double within, double travel,
                                 StartFeature *start_features, NarrowPhase *out);

// --- point.c: contact points ---------------------------------------------------------------------

// How a contact point moves with the bodies (docs/theory/microcollisions.md, section 3).
typedef struct PointMotion {
    ContactMotion kind;
    double radius;           // m: from the surface to the vertex, centre or axis that moves
    double radius_other;     // m: the same of the vertex it meets; < 0: it meets a flat
    impVec3 axis;            // unit or 0: of two parallel axes, along which the vertices may slip
    impVec3 edge_a, edge_b;  // EDGES_CROSS: directions of the edges, unit
    Placed surface, other;   // ROLLS_ON_*, RIM_OF_*: the surface that rolls, and the piece it meets
    int other_triangle;      // of `other`, if that is a mesh; else < 0
    Closest predicted[2];    // closest points at T / 2 and T, as last searched (prediction.c)
    bool has_prediction[2];
} PointMotion;

// Scales that make a collision a microcollision: (3) to (5) of docs/theory/microcollisions.md.
typedef struct MicroScales {
    double g_n;        // m/s^2: acceleration that brings the bodies together
    double threshold;  // m/s: u_c, a slower approach is microscopic
    double duration;   // s: T_c, the full duration of a micro-step
    double longest;    // s: T_max, however weak g_n is
} MicroScales;

// How the friction of a point is found (docs/theory/microcollisions.md, section 8). Moves, and the
// calls of src/method/impulse_friction.c that make them:
//
//   NONE -------- impulse_friction_directions --> CONTINUES, STOPS or FROM_REST
//   STOPS ------- impulse_friction_directions --> TRIAL; FROM_REST if held or not to be tried
//   CONTINUES --- impulse_friction_reverse -----> REVERSES, where it sticks or slides back
//   REVERSES ---- impulse_friction_reverse -----> TRIAL; FROM_REST if not to be tried
//   TRIAL ------- impulse_friction_reverse -----> REVERSED; FROM_REST if the trial has no answer
//   FROM_REST --- impulse_friction_release -----> REVERSED, where static friction lets go
//   REVERSED ---- impulse_friction_cancel_given > FROM_REST
typedef enum SlipKind {
    SLIP_NONE,       // not asked yet
    SLIP_CONTINUES,  // it slid and slides on: (19)
    SLIP_STOPS,      // it slid and sticks: is it held there?
    SLIP_REVERSES,   // it slid and is to slide back
    SLIP_TRIAL,      // another part of its friction is tried
    SLIP_FROM_REST,  // its friction is that of the coming flight alone: (7)
    SLIP_REVERSED    // its friction is given as a part of mu p_n
} SlipKind;
// Scratch of one micro-step: friction in time (src/method/impulse_friction.c).
typedef struct FrictionScratch {
    SlipKind kind;
    bool was_held;        // by static friction in the last flight, or tried in vain
    int next;             // next point of the friction group
    bool is_head;         // first point of its group
    bool may_reverse;     // it may come to rest and slide back within the micro-step
    impVec3 slip_before;  // m/s, frame of the point: slip in the middle of the last flight
    double time_before;   // s: how long ago that was
    double fall_before;   // m/s: how much faster it approaches since then
    double fall_after;    // m/s: and will until the middle of the next flight
    // unit, frame of the point; friction counts as positive against it. Of a point that may
    // reverse: opposite to the drive; of another: along its slip; of a held one: opposite to the
    // friction that holds it
    impVec3 direction;
    impVec3 slip_across;     // m/s: slip_before normal to that
    double untried_impulse;  // N s: friction against the direction in the pass before the trial
    double untried_slip;     // m/s: slip along the direction after that pass
    double untried_limit;    // N s: limit of the friction in it
    impVec3 p_before;        // N s: impulse before the pass
} FrictionScratch;

typedef struct ContactPoint {
    int a, b;  // bodies; a is free
    bool b_is_fixed;
    impVec3 at;         // world
    impVec3 n, t1, t2;  // frame: unit normal from b to a, and tangents
    double gap;         // m
    uint64_t feature;   // id that stays while the features touch
    const impPairLaw *law;
    bool on_flat_rim;   // one of the marks of a rim that lies flat
    impVec3 u;          // m/s: velocity of a against b along t1, t2, n
    double u_rounding;  // m/s: rounding error of u
    PointMotion motion;
    MicroScales micro;
    bool contact_above;  // of a micro-step: the flight takes the point away from b
    FrictionScratch friction;
} ContactPoint;

// The direction of an edge of a polytope, unit, world. False: the feature is no edge.
bool contact_edge(const Placed *p, Feature f, impVec3 *out);
// A rim that lies flat is a polygon of eight points. Between them its lowest point is lower than
// they are by at most this part of the band: if the ends of a rim differ by the band, eight points
// leave (1 - cos(pi / 8)) / 2 = 0.038 of it.
#define CONTACT_RIM_SAG 4e-2
// Writes the contact points of a query with gaps of at most `within` (m), in the order of pieces
// and features, and query->on_flat_rim for all pieces. Returns how many; negative: more than room.
// band: m, the contact band, within which rims lie flat and points are one.
int contact_points(const impModel *m, NarrowPhase *query, double within, double band,
                   ContactPoint *out, int room);
// A time (s) before which none of these points, on a rim that lies flat, comes to the level (m).
double contact_time_bound_points(const impModel *m, const Actor *a, const Actor *b,
                                 const Extent *extents, const ContactPoint *t, int count,
                                 double level);
// Sets t->u, t->u_rounding and t->micro. gravity_substitute: m/s^2, g_0 of (23) in
// docs/theory/microcollisions.md; it counts where no acceleration acts.
void contact_set_time_scales(const impModel *m, const Actor *a, const Actor *b, double band,
                             double gravity_substitute, ContactPoint *t);
// A vector of the contact frame in world axes.
static inline impVec3 contact_world(const ContactPoint *t, impVec3 a) {
    return madd(madd(scale(a.x, t->t1), a.y, t->t2), a.z, t->n);
}
// True if two points are of the same pair of bodies; fixed bodies with one law count as one.
static inline bool contact_same_pair(const ContactPoint *t, const ContactPoint *of) {
    return t->a == of->a &&
           (t->b == of->b || (t->b_is_fixed && of->b_is_fixed && t->law == of->law));
}
// The point as the contact solver needs it, with dynamic friction. a, b: its bodies as the solver
// counts them; b < 0: no impulse moves it.
MicrostepPoint contact_microstep_point(const Actor *actors, const ContactPoint *t, int a, int b);

// --- reduction.c: contact reduction --------------------------------------------------------------

// Drops points of one plane that lie within the hull of the others. Returns how many are left.
int contact_reduce(ContactPoint *t, int count, double within);
// The same for the points of one body, where several fixed bodies side by side are one floor. slot:
// reordered with the points, or NULL.
int contact_reduce_floor(ContactPoint *t, int32_t *slot, int count, double within);
// most points of one impact
enum { IMPACT_POINTS = 256 };
// The place (world) where an impact acts that arrives at the points contact_point[of[]] at once,
// all of one pair and along one normal: (20) of docs/theory/frictional-impact.md.
impVec3 contact_impact_point(const Actor *actors, const ContactPoint *contact_point, const int *of,
                             int count);

// --- prediction.c: change of the velocity of a point by the flight -------------------------------

// How a body moves from now on: where its centre gets to, its twist then, its rotation since now.
typedef struct Displacement {
    impVec3 translation, v, w;
    impQuat rotation;
} Displacement;
// after T / 2 and after T
typedef struct PredictedMotion {
    Displacement half, whole;
} PredictedMotion;
// The motion of a body over T (s) with the twist of its body in the solver; h NULL: the body is
// none of the solver's, and moves as it does now or as prescribed.
PredictedMotion contact_predict_motion(const impModel *m, const Actor *a, const MicrostepBody *h,
                                       double T);
// c of (9) and (10) in docs/theory/microcollisions.md, in the frame of the point: change of its
// mean velocity by the flight over T. Changes t->motion.predicted. fall: by how much the gap's rate
// falls in the flight, m/s^2; 0 where an edge crosses the border of a face.
impVec3 contact_predicted_change(const Actor *a, const Actor *b, const MicrostepBody *ha,
                                 const MicrostepBody *hb, const PredictedMotion *ca,
                                 const PredictedMotion *cb, ContactPoint *t, double T,
                                 double *fall);
