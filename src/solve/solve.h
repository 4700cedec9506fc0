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
typedef enum ContactMode { CONTACT_OPEN, CONTACT_STICK, CONTACT_SLIDE } ContactMode;
typedef struct MicrostepBody {
    double mass_inverse;
    Mat3 inertia_inverse;  // world axes
    impVec3 v, w;
    double bounding_radius;  // m: how far its points are from its middle
    impVec3 last_v, last_w, free_v, free_w, start_v, start_w;  // the solver's own
    double mass;
    Mat3 inertia;
} MicrostepBody;
typedef struct MicrostepPoint {
    int a, b;              // bodies; b = -1: one that no impulse moves, going at `drive` there
    impVec3 arm_a, arm_b;  // from the centres of mass to the point
    impVec3 t1, t2, n, drive;
    double friction;
    bool reverses;  // it slides one way and then another: what its friction comes to in all is
                    // given,
    double part_x, part_y;  //   as a part of what it could
    impVec3 c;              // added to the velocity after: the laws hold for the sum
    impVec3 p;              // N s: a first guess, and the answer
    double compliance, compliance_tangential;  // gives by this part of its own k_nn under load:
                                               // along n, across (there by that of the fastest
                                               // approach, times its friction by its load:
                                               // microstep_newton.c)
    ContactMode mode;                          // answer
    Mat3 k, k_inverse;                         // filled in
    double give, give_side;                    // filled in: m/s by N s;
    double yields;                             //   and across, as the answer has it
    impVec3 next, start, best;                 // the solver's own
    ContactMode start_mode, next_mode, best_mode;
    double spring, spring_side, firm, firm_side;  // a spring's stiffness, along n and across; what
                                                  // is left of it where the point gives
    double way_x, way_y, turn;                    // the way it slides, and how stiff that way is
} MicrostepPoint;
typedef struct MicrostepResult {
    int sweeps;
    double change;       // m/s, of the last sweep
    int painleve_point;  // a point that no sliding can hold; -1: none
    bool solved;         // to within tolerance,
    bool stuck;          //   or nearly so, and it gets no better
} MicrostepResult;
// Impulses to start from, for one body and three points or more (else the points keep what they
// have).
void solve_microstep_guess(const MicrostepBody *bodies, int body_count, MicrostepPoint *points,
                           int count);
// Changes the bodies' velocities by the impulses found, from those in the points, until the laws
// hold to within tolerance (m/s). again: the points were solved for just now, with a c that was a
// little different. room: NULL: slower where many points hold a body, or more bodies hold each
// other than it is for.
typedef struct MicrostepWorkspace {  // microstep_matrix.c
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
} MicrostepWorkspace;
size_t solve_microstep_workspace_size(int bodies);                       // bytes
MicrostepWorkspace solve_microstep_workspace(void *memory, int bodies);  // aligned as a double is
MicrostepResult solve_microstep(MicrostepBody *bodies, int body_count, MicrostepPoint *points,
                                int count, double tolerance, bool again, MicrostepWorkspace *room);
// microstep_rigidity.c: of points that were solved for, those whose normal impulse is above `least`
// leave no motion to the bodies. stands, by body: it does not move anyhow; NULL: none.
bool solve_microstep_is_rigid(MicrostepBody *bodies, int body_count, const MicrostepPoint *points,
                              int count, const bool *stands, double least,
                              MicrostepWorkspace *room);
// of a against b, in its frame
impVec3 solve_point_velocity(const MicrostepBody *bodies, const MicrostepPoint *point);
void solve_apply_impulse(MicrostepBody *bodies, const MicrostepPoint *point, impVec3 p);  // p in
                                                                                          // its
                                                                                          // frame
Mat3 solve_point_matrix(const MicrostepBody *bodies, const MicrostepPoint *point);
