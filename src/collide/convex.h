// convex.h -- two convex shapes seen from one of them: what gjk.c, judge.c, polish.c, overlap.c and
// plane.c share (inside collide/).
//
// A convex shape is the hull of pieces, and each piece is a point or a smooth strictly convex curve
// or surface: the vertices of a polytope, the two rims of a cylinder, the rim and the apex of a
// cone, the whole of an ellipsoid. Where the shape is farthest in a direction is a Patch: a point,
// an edge or generator, a disc, or a polygon.
//
// All is said in the frame of b, so that the world's coordinates cost no digits. Cores only: radii
// come at the end.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "collide/walk.h"

typedef enum ConvexKind {
    CONVEX_POINT,
    CONVEX_SEGMENT,
    CONVEX_POLYTOPE,
    CONVEX_CYLINDER,
    CONVEX_CONE,
    CONVEX_ELLIPSOID,
    CONVEX_PLANE,
    CONVEX_NONE
} ConvexKind;

typedef struct Convex {
    ConvexKind kind;
    const double *size;  // measures of the shape
    Core p;              // of points, segments and polytopes
    Mat3 rotation;       // from the shape's frame to the common one
    impVec3 at;
    double radius, bounding_radius;  // reach: of the core, from its origin
} Convex;

typedef struct Couple {
    Convex side[2];  // a, b
    impPose frame;   // of the common frame in the world: that of b
    double size;     // reach of both: what lengths are compared with
    double far;      // and with the way between them: what rounding is compared with
} Couple;

#define FLAT 0x1p-44  // of the size: heights that differ by less are one height

// convex.c
ConvexKind convex_kind(const Shape *shape);
Convex convex_of(const Shape *shape, const Geometry *g, impPose in_frame);
Couple convex_couple(const Placed *a, const Placed *b);
// *piece: in, where to start; out, whose point
impVec3 convex_support(const Convex *c, impVec3 u, int *piece);
impVec3 convex_piece(const Convex *c, int piece, impVec3 u);  // the farthest point of one piece
// an ellipsoid's derivative by u, |u| = 1
Mat3 convex_bend(const Convex *c, impVec3 u);
// the radius of a rim; 0: this is none
double convex_rim(const Convex *c, int piece);
// the part of u in the rims' plane, unit
impVec3 convex_rim_side(const Convex *c, impVec3 u);
// that a feature lies between: one, two; 0: it is
int convex_pieces(const Convex *c, Feature f, int piece[2]);
// flat; < 0: it is none of this
// shape's
impVec3 convex_flat(const Convex *c, Feature f);  // the normal of one that is flat:
bool convex_is_flat(const Shape *s, Feature f);

typedef enum PatchKind { PATCH_POINT, PATCH_SEGMENT, PATCH_DISC, PATCH_POLYGON } PatchKind;
typedef struct Patch {
    PatchKind kind;
    impVec3 at[2];   // point, ends, centre of the disc, a corner of the polygon
    double radius;   // of a disc, or of the rim that the point is on
    impVec3 normal;  // of a disc or polygon
    const Convex *of;
    const Face *face;
    Feature feature;
} Patch;
// all that is farthest along unit u, to `grain`
Patch convex_patch(const Convex *c, impVec3 u, double grain);
impVec3 convex_corner(const Patch *p, int k);  // of a polygon
// a rim's point, nearer to `to` by what u does not tell
impVec3 convex_slide(const Patch *p, impVec3 u, impVec3 to);

// meet.c: the middle of what two patches share, seen along unit n: a point on each, straight above
// one another if they can.
impVec3 convex_middle(const Patch *p);
void convex_common_point(const Patch *a, const Patch *b, impVec3 n, double grain, impVec3 *on_a,
                         impVec3 *on_b);

// gjk.c: the point of A - B nearest to the origin, as a mixture of corners.
typedef struct Corner {
    impVec3 w;
    int a, b;
} Corner;  // a's piece less b's piece
typedef struct Simplex {
    Corner c[4];
    double share[4];
    int count;
} Simplex;
typedef struct Nearest {
    Simplex simplex;
    impVec3 n;   // unit, from b to a: the best separating direction met
    double low;  // they are at least this far apart along n; <= 0: not separated
    int steps;
} Nearest;
// convex.c: the corner of A - B that is lowest along n
Corner convex_corner_toward(const Couple *k, impVec3 n, Corner start);
// with a moved by shift
Nearest convex_nearest(const Couple *k, impVec3 shift);

// judge.c: the answer along a direction, and how good that is.
typedef struct Judged {
    impVec3 n, on_a, on_b;
    double d, miss;  // along n, and across it: 0 where n is a true normal
    double low;      // least of A less most of B along n: d less what FLAT forgave
    Feature a, b;
    int steps;
    bool good;      // miss is rounding
    bool unproven;  // an overlap: a shorter push is not ruled out
} Judged;
#define GOOD 0x1p-42  // of the coordinates: a miss that is rounding
Judged convex_judge(const Couple *k, impVec3 n);
void convex_measure(Judged *j);  // d and miss, of its points
double convex_forgiven(const Couple *k);
bool convex_better(const Couple *k, const Judged *j, const Judged *than);
// caps and faces near n; true: *best is one of them
bool convex_try_flats(const Couple *k, impVec3 n, Judged *best);
// apart by more, and one lies on a flat of the other
bool convex_on_flat(const Couple *k, double least, Judged *out);

// polish.c: the exact answer near a direction.
Judged convex_polish(const Couple *k, impVec3 n, const Simplex *s);
Judged convex_settle(const Couple *k, impVec3 n, double d);  // by pulling them apart along n first
Judged convex_settle_in(const Couple *k, impVec3 n, double d, int pulls);
// the answer next to one in the world; true: it is good
bool convex_follow(const Couple *k, const Closest *near, Judged *out);
Closest convex_answer(const Couple *k, const Judged *j);  // radii added, in the world

// overlap.c
Judged convex_overlap(const Couple *k);

// prescribed: now
static inline impVec3 origin_velocity(const Mover *m) {
    return m->body >= 0 ? m->sample.twist.linear : m->v;
}

// normal_rate.c: rates of c->normal, square to it, that may keep up with what touches.
enum { RATES = 3 };
int collide_normal_rates(const Mover *a, const Mover *b, const Placed *sa, const Placed *sb,
                         const Closest *c, impVec3 out[RATES]);
