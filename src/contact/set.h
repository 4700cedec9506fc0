// set.h -- the contact set of fixed-step methods: compact contact points of two bodies, and what
// each of them does while the bodies move.
//
// A point is kept by what carries it on each body, so that its gap and its velocity at any later
// pose of the bodies follow without another narrow-phase query. docs/theory/many-contacts.md,
// sections 1 and 2.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "collide/collide.h"

struct Actor;
struct ContactPoint;
struct NarrowPhase;

typedef enum SetKind {
    SET_CORNER_OF_A,  // a corner or ball centre of a over a face of b, which carries the normal
    SET_CORNER_OF_B,  // the same of b over a face of a
    SET_CENTRES,      // two corners or ball centres: the normal joins them
    SET_EDGES,        // two edges that cross: the normal is square to both
    SET_SMOOTH        // smooth surfaces: contact/prediction.c knows how the point moves
} SetKind;

typedef struct SetPoint {
    int32_t a, b;  // bodies of the model; a is free
    SetKind kind;
    bool slides;       // of bodies with curved surfaces: it may have no place that lasts
    int32_t smooth;    // SET_SMOOTH: place of its ContactPoint in the list beside
    uint64_t feature;  // id that stays while the same features touch
    const impPairLaw *law;
    impVec3 n;                  // unit, from b to a
    double gap;                 // m
    impVec3 core_a, core_b;     // m, world axes, from the centres of the bodies: corner, centre
                                // or place on the face that moves with the body
    double radius_a, radius_b;  // m: from the surface to the core point
    impVec3 edge_a, edge_b;     // SET_EDGES: directions, unit. SET_CENTRES: of at most one
                                // body, along which its core point may slip, else 0
} SetPoint;

// How a body moves during the step: displacement of its centre, rotation less the identity, and
// twist in the middle.
typedef struct SetMotion {
    impVec3 half_shift, whole_shift;  // m
    Mat3 half_turn, whole_turn;
    impVec3 half_v, half_w;  // m/s, rad/s
} SetMotion;

// --- set.c ---------------------------------------------------------------------------------------
// The motion of a body over h (s). Of a free one: with its inverse inertia (world axes) and from a
// twist (m/s, rad/s).
SetMotion contact_set_motion(const impModel *m, const struct Actor *a, const Mat3 *inertia_inverse,
                             impVec3 v, impVec3 w, double h);
// The gap (m) of a point after these motions; SET_SMOOTH is not known here.
double contact_set_gap(const SetPoint *p, const SetMotion *a, const SetMotion *b);
// By how much (m/s, world axes) the velocity of a against b at the point has changed in the middle
// of the motions; va, wa, vb, wb: twists at their beginning.
impVec3 contact_set_velocity_change(const SetPoint *p, const SetMotion *a, const SetMotion *b,
                                    impTwist twist_a, impTwist twist_b);
// Where an impulse acts, from the centres of the bodies, m, world axes: on the surface of a, or in
// the middle of the gap where b is free, too.
void contact_set_arms(const SetPoint *p, bool b_is_free, impVec3 *arm_a, impVec3 *arm_b);
// A point found after the motions, as it was before them: offset is from the centre of b to that of
// a, m, before.
SetPoint contact_set_before(const SetPoint *p, const SetMotion *a, const SetMotion *b,
                            impVec3 offset);

// --- set_pair.c ----------------------------------------------------------------------------------
// A box where it is: centre, axes as rows, half lengths.
typedef struct SetBox {
    impVec3 at;
    Mat3 axes;
    double half[3];
} SetBox;
// The only piece of a body where it is, if its shape has closed forms.
typedef enum SetForm { SET_FORM_OTHER, SET_FORM_BALL, SET_FORM_BOX, SET_FORM_PLANE } SetForm;
typedef struct SetPiece {
    SetForm form;
    SetBox box;     // of a ball the centre alone
    double radius;  // of a ball
    double bounding_radius;
    impVec3 normal;  // of a plane
    double offset;
} SetPiece;
SetPiece contact_set_piece(const impModel *m, const struct Actor *a);
// Memory of a query, and the list of smooth points that it appends to.
typedef struct SetQuery {
    const SetPiece *piece;  // by body of the model, where they are now; NULL: found anew
    struct NarrowPhase *narrow_phase;
    struct ContactPoint *smooth;  // list
    int smooth_count, smooth_room;
} SetQuery;
// Writes the contact points of two bodies with gaps of at most `within` (m), in the order of their
// features. Returns their number; negative: more than room. a, b: where the bodies are now.
int contact_set_pair(const impModel *m, const struct Actor *a, const struct Actor *b,
                     const Extent *extents, double within, SetQuery *query, SetPoint *out,
                     int room);

// --- set_box.c -----------------------------------------------------------------------------------
// Separating axes of two boxes, and the points of the face or edges of least separation, with gaps
// of at most `within`. Sets kind, n, gap, feature, radii, edges, and as core points places in the
// world. Returns the number of points, at most SET_BOX_POINTS.
enum { SET_BOX_CORNERS = 8, SET_BOX_POINTS = 9 };
impVec3 contact_set_box_corner(const SetBox *box, int i);
// A point that was found with the bodies in the other order.
void contact_set_swap(SetPoint *p);
int contact_set_boxes(const SetBox *a, const SetBox *b, double within, SetPoint *out);
// A ball (centre, radius) and a box; 0 or 1 point.
int contact_set_ball_box(impVec3 centre, double radius, const SetBox *b, double within,
                         SetPoint *out);
