// solve.h -- the door of solve/: pure mathematics, a problem in, impulses out.
//
// Knows base and num, and nothing of bodies, shapes or time: its problems can be tested on
// numbers from a file.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "base/base.h"
#include "num/num.h"
#include "solve/matrix_problem.h"
#include "solve/problem.h"

// --- impact.c, impact_slide.c: one frictional collision ------------------------------------------

// The path of u through velocity space, sampled on demand. count goes on beyond capacity.
typedef struct ImpactPath {
    impImpactSample *samples;
    int capacity, count;
} ImpactPath;

// def is assumed good: impImpact_Solve refuses a bad one. path may be NULL and never changes the
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

// --- microstep.c: many contact points at once, without bounce ------------------------------------

// The contact problem of a micro-step, (6) and (7) of docs/theory/microcollisions.md. Velocities
// and impulses of a point are in its own frame: two tangents t1, t2 and the normal n from b to a.
// Scratch of the solver for one body.
typedef struct MicrostepBodyWork {
    impVec3 sweep_v, sweep_w;  // before the last sweep
    impVec3 free_v, free_w;    // without any impulse
    impVec3 start_v, start_w;  // before Newton's method
    double mass;
    Mat3 inertia;
} MicrostepBodyWork;
typedef struct MicrostepBody {
    double mass_inverse;
    Mat3 inertia_inverse;    // world axes
    double bounding_radius;  // m: no point is farther from the centre of mass
    impVec3 v, w;            // in: before all impulses; out: after them
    MicrostepBodyWork work;
} MicrostepBody;

// Scratch of the solver for one point. Stiffness and compliance are those of (15) and (18) in
// docs/theory/contact-solver.md, along n and across.
typedef struct MicrostepPointWork {
    Mat3 k_inverse;
    double compliance_n, compliance_t;  // m/s by N s: s_n, s_t
    double sweep_compliance_t;          // m/s by N s: the tangential one of sweeps
    double stiffness_n, stiffness_t;    // N s by m/s: D
    double relief_n, relief_t;          // 1: 1 / (1 + D s), by which compliance relieves a spring
    double slide_x, slide_y;            // unit: direction of friction where it slides
    double slide_stiffness;             // N s by m/s: across that direction
    impVec3 next_p, start_p, best_p;    // impulses: of this step, before, best so far
    ContactMode next_mode, start_mode, best_mode;
} MicrostepPointWork;
typedef struct MicrostepPoint {
    // The problem.
    int a, b;                  // bodies; b = -1: no impulse moves it
    impVec3 arm_a, arm_b;      // from the centres of mass to the point
    impVec3 t1, t2, n;         // frame
    impVec3 support_velocity;  // m/s: of b at the point, if b = -1
    double friction;           // coefficient mu
    bool friction_is_given;    // friction is (given_x, given_y) mu p_n, wherever it slides to
    double given_x, given_y;
    impVec3 c;                     // m/s: change by the flight; the laws hold for u + c
    double compliance;             // of the point's k_nn: sigma_n of (18)
    double compliance_tangential;  // sigma_t
    // The answer.
    impVec3 p;  // N s; in: a first guess
    ContactMode mode;
    Mat3 k;  // K of (13), with the compliance of sweeps on its diagonal
    MicrostepPointWork work;
} MicrostepPoint;

typedef struct MicrostepResult {
    int sweeps;
    double change;       // m/s: of the last sweep
    int painleve_point;  // a point that no direction of sliding can hold; -1: none
    bool solved;         // to within the tolerance, or stagnated
    bool stagnated;      // near a solution, and further steps lead no nearer
} MicrostepResult;

// First guess (docs/theory/contact-solver.md, section 4), of a single body with three points or
// more: writes points[].p and nothing else, so that the velocities stay those without impulses.
// Other problems keep the impulses they have. If the points can neither all stick within their
// cones nor all slide as they do, or more than eight would have to slide, the impulses are 0.
void solve_microstep_guess(const MicrostepBody *bodies, int body_count, MicrostepPoint *points,
                           int count);

// Room and matrix of Newton's method (microstep_newton.c, microstep_matrix.c).
typedef struct MicrostepWorkspace {
    int body_capacity;
    int pair_capacity;  // pairs of bodies that touch, or that elimination joins
    int bodies;
    bool has_pattern;          // the pattern is that of the bodies and points at work
    double accepted_residual;  // m/s: a stagnated solution counts if it is no farther off the laws
    bool stagnated;            // the last solution
    double *block;             // 36 a block
    double *vector[3];         // 6 a body: MICROSTEP_RESIDUAL and so on
    int32_t *place, *degree;   // by body: place in the order of elimination; number of neighbours
    int32_t *first_pair;       // by place: its first pair in `later`
    int32_t *later;            // by pair: the later one of its two places
    uint64_t *neighbours;      // a bit for every two bodies
} MicrostepWorkspace;
size_t solve_microstep_workspace_size(int bodies);                       // bytes
MicrostepWorkspace solve_microstep_workspace(void *memory, int bodies);  // aligned as a double is

// Solves the contact problem to within tolerance (m/s). Starts from the velocities of the bodies
// and the impulses in the points; writes velocities, impulses and modes. again: the same points
// were solved for just now, with a slightly different c. room: NULL, or the workspace of Newton's
// method; without it, or for more bodies than it has room for, the solver only sweeps.
MicrostepResult solve_microstep(MicrostepBody *bodies, int body_count, MicrostepPoint *points,
                                int count, double tolerance, bool again, MicrostepWorkspace *room);
// microstep_rigidity.c: true if the points whose normal impulse is above `least` (N s) leave the
// bodies no motion. is_ground: by body, it does not move anyhow; NULL: none. Changes
// bodies[].work and room.
bool solve_microstep_is_rigid(MicrostepBody *bodies, int body_count, const MicrostepPoint *points,
                              int count, const bool *is_ground, double least,
                              MicrostepWorkspace *room);
// Velocity (m/s) of a against b at the point, in its frame.
impVec3 solve_point_velocity(const MicrostepBody *bodies, const MicrostepPoint *point);
// Applies an impulse p (N s, frame of the point) to both bodies.
void solve_apply_impulse(MicrostepBody *bodies, const MicrostepPoint *point, impVec3 p);
// K of (13): velocity by impulse, in the frame of the point.
Mat3 solve_point_matrix(const MicrostepBody *bodies, const MicrostepPoint *point);
