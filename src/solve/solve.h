// solve.h -- the door of solve/: pure mathematics, a problem in, impulses out.
//
// Knows base and num, and nothing of bodies, shapes or time: what is solved here can be tested on
// numbers from a file.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "base/base.h"
#include "num/num.h"

// --- impact.c, impact_slide.c: one frictional collision ------------------------------------------
// The way of u through velocity space, for those who want to see it. count goes on beyond capacity.
typedef struct ImpactPath {
    impImpactSample *samples;
    int capacity, count;
} ImpactPath;

// def is assumed good: impImpact_Solve refuses what is not. path may be NULL and never changes the
// result. No memory is taken. IMP_STALLED: more work than any collision needs; IMP_NOT_FINITE: |u|,
// k or friction beyond 1e120, or |u| or k below 1e-120.
impVerdict solve_impact(const impImpactDef *def, impImpact *impact, ImpactPath *path);
impVec3 solve_impact_slope(const impImpactDef *def, double ux, double uy);  // du / dp_z

// The unique direction r, |r| = 1, in which sliding grows out of rest, and its rate lambda = ds /
// dp_z > 0; exists if and only if friction mu cannot hold the contact: |A^-1 k| > mu, with A = k_tt
// and k = k_tz of the contact's matrix.
typedef struct ImpactRay {
    double x, y, rate;
} ImpactRay;
ImpactRay solve_impact_ray(const impImpactDef *def);
double solve_impact_stick_ratio(const impImpactDef *def);  // |A^-1 k|

// --- microstep.c: many touching points at once, without bounce -----------------------------------
// Velocities and impulses of a point are in its own frame: two tangents t1, t2 and the normal n
// from b to a.
typedef enum HopMode { HOP_OPEN, HOP_STICK, HOP_SLIDE } HopMode;
typedef struct HopBody {
    double mass_inverse;
    Mat3 inertia_inverse;  // world axes
    impVec3 v, w;
    double reach;  // m: how far its points are from its middle
    impVec3 last_v, last_w, free_v, free_w, start_v, start_w;  // the solver's own
    double mass;
    Mat3 inertia;
} HopBody;
typedef struct HopPoint {
    int a, b;              // bodies; b = -1: one that no impulse moves, going at `drive` there
    impVec3 arm_a, arm_b;  // from the centres of mass to the point
    impVec3 t1, t2, n, drive;
    double friction;
    bool turns;  // it slides one way and then another: what its friction comes to in all is given,
    double part_x, part_y;      //   as a part of what it could
    impVec3 c;                  // added to the velocity after: the laws hold for the sum
    impVec3 p;                  // N s: a first guess, and the answer
    double soft, soft_side;     // gives by this part of its own k_nn under load: along n, across
                                // (there by that of the fastest approach, times its friction by its
                                // load: microstep_newton.c)
    HopMode mode;               // answer
    Mat3 k, k_inverse;          // filled in
    double give, give_side;     // filled in: m/s by N s;
    double yields;              //   and across, as the answer has it
    impVec3 next, start, best;  // the solver's own
    HopMode start_mode, next_mode, best_mode;
    double spring, spring_side, firm, firm_side;  // a spring's stiffness, along n and across; what
                                                  // is left of it where the point gives
    double way_x, way_y, turn;                    // the way it slides, and how stiff that way is
} HopPoint;
typedef struct HopResult {
    int sweeps;
    double change;  // m/s, of the last sweep
    int jammed;     // a point that no sliding can hold; -1: none
    bool solved;    // to within tolerance,
    bool stuck;     //   or nearly so, and it gets no better
} HopResult;
// Impulses to start from, for one body and three points or more (else the points keep what they
// have).
void solve_hop_guess(const HopBody *bodies, int body_count, HopPoint *points, int count);
// Changes the bodies' velocities by the impulses found, from those in the points, until the laws
// hold to within tolerance (m/s). again: the points were solved for just now, with a c that was a
// little different. room: NULL: slower where many points hold a body, or more bodies hold each
// other than it is for.
typedef struct HopRoom {   // microstep_matrix.c
    int most, most_joins;  // bodies; pairs of them that touch, or do when those between are
                           // eliminated
    int bodies;
    bool shaped;  // for those that are solved now
    double near;  // m/s off the laws: what gets no better is an answer if it is no farther off
    bool stuck;   // the last answer
    double *block, *six[3];   // 36 a block; 6 a body
    int32_t *place, *degree;  // of each body; how many are beside it
    int32_t *first, *after;   // by place: where its joins begin, in after: the later place of each
    uint64_t *beside;         // a bit for every two
} HopRoom;
size_t solve_hop_room_size(int bodies);            // bytes
HopRoom solve_hop_room(void *memory, int bodies);  // aligned as a double is
HopResult solve_hop(HopBody *bodies, int body_count, HopPoint *points, int count, double tolerance,
                    bool again, HopRoom *room);
// microstep_rigidity.c: of points that were solved for, those whose normal impulse is above `least`
// leave no motion to the bodies. stands, by body: it does not move anyhow; NULL: none.
bool solve_hop_holds(HopBody *bodies, int body_count, const HopPoint *points, int count,
                     const bool *stands, double least, HopRoom *room);
// of a against b, in its frame
impVec3 solve_hop_velocity(const HopBody *bodies, const HopPoint *point);
void solve_hop_push(HopBody *bodies, const HopPoint *point, impVec3 p);  // p in its frame
Mat3 solve_hop_matrix(const HopBody *bodies, const HopPoint *point);
