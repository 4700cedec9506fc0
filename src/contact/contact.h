// contact.h -- the door of contact/: bodies on their way, the points where they touch, and what
// impulses do to them.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "collide/collide.h"
#include "solve/solve.h"

// --- actor.c: a body with a clock of its own -----------------------------------------------------
// Flights can be looked at any time for the same cost, so an actor is moved only when somebody asks
// where it is.
typedef struct Actor {
    _Alignas(CACHE_LINE) const Body *body;  // those of many bodies are in no cache: no line more
                                            // than need be is touched
    int index;                              // of the body in the model
    bool free, asleep;                      // asleep: held at rest until something touches it
    double t;                               // of pose, x, q, v and w
    impPose pose;                           // of the body's frame
    union {
        Flying now;
        struct {
            impVec3 x;
            impQuat q;
            impVec3 v, w;
        };  // centre of mass (prescribed bodies: their origin), axes and twist
    };
    impVec3 pull;        // m/s^2, free: gravity, and the step's force by its mass
    FlightFront flight;  // free; asleep: only t0, since when
    Tumble *tumble;  // its rest, which most never need; whoever lets a free one fly says where it
                     // is
} Actor;
// a free one has no flight yet:
void contact_set_actor(Actor *a, const impModel *m, int body, const double *state);
// nothing of it is written; or zero
Actor contact_actor(const impModel *m, int body, const double *state);
// to where it is at t
void contact_move(const impModel *m, Actor *a, double t);
// flies on from now with this twist
void contact_launch(Actor *a, impVec3 v, impVec3 w);
// asleep where it is
void contact_freeze(Actor *a);
MicrostepBody contact_microstep_body(const Actor *a);
// their spheres, where they stand
bool contact_far_apart(const Actor *a, const Actor *b, double by);
// something pulls it besides gravity
bool contact_is_forced(const impModel *m, const Actor *a);
double contact_kinetic_energy(const Actor *a);  // J
// if it went like that
double contact_kinetic_energy_at(const Actor *a, impVec3 v, impVec3 spin);

// --- narrow_cache.c: what a look at two bodies leaves behind -------------------------------------
// A direction along which two pieces were apart, and what it goes with: in the frame of that body,
// or an edge of each.
typedef enum AxisFrame { AXIS_WORLD, AXIS_OF_A, AXIS_OF_B, AXIS_OF_EDGES } AxisFrame;
typedef struct SeparatingAxis {
    int32_t shape_a, shape_b;  // counted within their bodies
    Feature feature_a, feature_b;
    AxisFrame with;
    double distance;  // when they were last searched
    impVec3 way, other;
} SeparatingAxis;
// of a pair at most
enum { MAX_AXES = 8 };
// They were this far apart, and pieces without a sight so far; and stood so.
typedef struct NarrowCache {
    double apart, sure;
    impVec3 between;
    impQuat turn_a, turn_b;
    int axis_count;
} NarrowCache;
typedef struct NarrowCacheRef {
    const NarrowCache *seen;
    SeparatingAxis *axis_cache;
} NarrowCacheRef;

// --- narrow.c: the pieces of two bodies that are near, and when the next could be ----------------
enum { NEAR_ROOM = 1024, FEW_PIECES = 96 };
typedef struct NarrowPhase {  // of two bodies, at one time
    const Actor *a, *b;
    Near near[NEAR_ROOM];
    NearList list;
    bool flat[NEAR_ROOM];  // these lie on each other with a rim (contact_points)
    double sure;           // pieces that are not in the list are at least this far apart
    bool again;  // by what the last look left behind: what is farther than asked may be a bound
    bool moves;  // the movers are known: of a piece of each
    Mover mover[2];
} NarrowPhase;
Placed contact_piece(const impModel *m, const Actor *a, int i);  // one of its shapes, where it is
// with the features of facets, not of their meshes
Closest contact_on_facets(const Near *n);
// All that are within a distance, and all that could be so in a time `ahead`, as they fly now;
// others may be left out. extents: of all shapes of the model; hints: NULL, or shapes of a times
// shapes of b, zeroed at first. last: NULL, or what a look at these two has left behind.
void contact_narrow_phase(const impModel *m, const Actor *a, const Actor *b, const Extent *extents,
                          double within, double ahead, StartFeature *start_features,
                          const NarrowCacheRef *last, NarrowPhase *out);
// How long no two pieces can come nearer than `level`; those that already are count as being there.
// Who needs no more than `enough` gets some time from there on, if that much can be shown.
double contact_time_bound(const impModel *m, NarrowPhase *w, const Extent *extents, double level,
                          double enough);
// The same, but rims that lie flat may come as near as `flat_level`.
double contact_time_bound_flat(const impModel *m, NarrowPhase *w, const Extent *extents,
                               double level, double flat_level, double enough);

// narrow_cache.c: room: for sights; out: of the last look, if it was by that.
void contact_cache_store(const impModel *m, const NarrowPhase *w, SeparatingAxis *axis_cache,
                         int room, NarrowCache *out);
// at least, as they stand now
double contact_cache_distance(const NarrowCache *s, const Actor *a, const Actor *b);
// way: how far they might get. False: too much has changed, and all must be looked at. out->a,
// out->b are there.
bool contact_narrow_phase_cached(const impModel *m, const NarrowCache *seen,
                                 SeparatingAxis *axis_cache, double within, double way,
                                 StartFeature *start_features, NarrowPhase *out);
// How long at least until they are nearer by d, wherever their nearest points are.
double contact_time_nearer(const impModel *m, const Actor *a, const Actor *b, const Extent *extents,
                           double d);

// --- point.c: single points ----------------------------------------------------------------------
// impulse_friction.c
typedef enum SlipKind {
    SLIP_NONE,
    SLIP_ONE_WAY,
    SLIP_STOPS,
    SLIP_TURNS_BACK,
    SLIP_TRIED,
    SLIP_FROM_REST,
    SLIP_REVERSED
} SlipKind;
typedef struct ContactPoint {
    int a, b;               // bodies; a is free
    impVec3 at, n, t1, t2;  // n from b to a
    double gap;
    uint64_t feature;
    const impPairLaw *law;
    ContactMotion contact_motion;  // of a and b as they stand here
    double roll, facing;
    impVec3 along;
    bool flat;           // one of a rim that lies flat
    bool stands;         // b is fixed
    bool contact_above;  // of a hop: it is apart, and what pulls takes it farther
    bool was_held;       //   it may be held by static friction, or was in vain;
    int next;            //   the next of those that turn with it;
    bool heads;          //   it is the first of them;
    bool may_turn;       //   where within a hop its friction changes is asked for;
    SlipKind slip;       //   how that is found;
    impVec3 slid;  //   how it slid in the middle of the last hop, in its own frame, where it did
                   //   not just come there,
    double since, fell;  //   how long ago that was, s, and how much faster it comes down since,
                         //   m/s;
    double falls;        //   and will until the middle of the next;
    impVec3 way, aside;  //   against which way its slip changes, or is let go, unit, and how it
                         //   slid across that;
    double tried, tried_slip, tried_most;  //   SLIP_TRIED: friction that was tried, how it slid
                                           //   then, and all it could have been, N s; after
    impVec3 kept;  //   that how it is to slide, and what all would do, m/s; and its impulse before
                   //   a pass
    Placed surface, against;  // ROLLS_ON_*, RIM_OF_*: whose, and what the other is;
    int triangle;             //   of that, if it is a mesh; else < 0
    Closest there[2];         //   and where they were seen to be, half a hop and a hop later
                              //   (prediction.c)
    bool seen[2];
    impVec3 edge_a, edge_b;  // EDGES_CROSS: their directions, unit
    impVec3 u;               // velocity of a against b: t1, t2, n
    double g_n, slow, hop;  // m/s^2 that brings them together; micro below this speed; longest hop,
    double longest;         //   however weak that is
    double grain;           // m/s: what rounding may make of no speed at all
} ContactPoint;
// its direction, unit, world; false: it is none
bool contact_edge(const Placed *p, Feature f, impVec3 *out);
// How far a rim that lies flat may be lower between its points than they are, of `within`: it is a
// polygon then. Eight points of a rim whose ends differ by `within` leave it (1 - cos(pi / 8)) / 2
// = 0.038 of that at most: its lowest point, which runs round it at some metres a millisecond, is
// never asked for.
#define CONTACT_RIM_SAG 4e-2
// Points nearer than `within`, in the order of pieces and features. Negative: more than fit.
int contact_points(const impModel *m, NarrowPhase *w, double within, ContactPoint *out, int room);
// No sooner does one of these points, of two that lie on each other, come to the level.
double contact_time_of_points(const impModel *m, const Actor *a, const Actor *b,
                              const Extent *extents, const ContactPoint *t, int count,
                              double level);
// u, g_n, slow, hop. faint: what counts as a pull where there is none, m/s^2
void contact_set_time_scales(const impModel *m, const Actor *a, const Actor *b, double band,
                             double gravity_substitute, ContactPoint *t);
// from the frame of a touch
static inline impVec3 contact_world(const ContactPoint *t, impVec3 a) {
    return madd(madd(scale(a.x, t->t1), a.y, t->t2), a.z, t->n);
}
// Between the same two; all that stands side by side, with one law, counts as one.
static inline bool contact_same_two(const ContactPoint *t, const ContactPoint *of) {
    return t->a == of->a && (t->b == of->b || (t->stands && of->stands && t->law == of->law));
}
// reduction.c: without those that others hold up: how many are left.
int contact_reduce(ContactPoint *t, int count, double within);
// The same for the points of one body, where several that stand side by side are one floor. slot:
// goes with them, or NULL.
int contact_reduce_floor(ContactPoint *t, int32_t *slot, int count, double within);
// Where a blow acts that arrives at these of the touches at once, all of one pair and along one
// normal.
enum { IMPACT_POINTS = 256 };
impVec3 contact_impact_point(const Actor *actors, const ContactPoint *contact_point, const int *of,
                             int count);
// a, b: among the hop's bodies; with dynamic friction
MicrostepPoint contact_microstep_point(const Actor *actors, const ContactPoint *t, int a, int b);

// --- prediction.c: what a hop adds to the mean velocity at a point -------------------------------
// way and turn: since now
typedef struct Displacement {
    impVec3 way, v, w;
    impQuat rotation;
} Displacement;
// after T / 2 and T
typedef struct PredictedMotion {
    Displacement half, whole;
} PredictedMotion;
// With the twist as it is in the hop's body; h NULL: it is no body of the hop.
PredictedMotion contact_predict_motion(const impModel *m, const Actor *a, const MicrostepBody *h,
                                       double T);
// In the frame of the touch. fall: how fast the gap's rate falls during the hop, m/s^2; 0 where
// edges cross.
impVec3 contact_predicted_change(const Actor *a, const Actor *b, const MicrostepBody *ha,
                                 const MicrostepBody *hb, const PredictedMotion *ca,
                                 const PredictedMotion *cb, ContactPoint *t, double T,
                                 double *fall);
