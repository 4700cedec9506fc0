// problem.h -- the contact problem of one island of bodies, and the solvers that know it.
//
// Given the velocities that the bodies would have without contact, v_f, find impulses p such that
//
//   v = v_f + M^-1 J^T p                                                                  (1)
//   u = J v + bias                          velocity at each row, with what the step adds to it
//   contact row:    0 <= p_n  |  u_n >= 0,  p_n u_n = 0                                    (2)
//                   |p_t| <= mu p_n, and p_t = -mu p_n u_t / |u_t| where u_t is not 0      (3)
//   bilateral row:  u = 0                                                                 (4)
//
// Nothing here knows what a body or a step is: a problem can come from a file. Derivation, and what
// each solver does: docs/theory/many-contacts.md, sections 3 to 8.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "base/base.h"
#include "num/num.h"

typedef enum ContactMode { CONTACT_OPEN, CONTACT_STICK, CONTACT_SLIDE } ContactMode;

typedef struct ProblemBody {
    double mass, mass_inverse;      // kg, 1/kg
    Mat3 inertia, inertia_inverse;  // about the centre of mass, world axes
    impVec3 free_v, free_w;         // v_f: without the impulses of the problem
    impVec3 v, w;                   // out: with them, (1)
} ProblemBody;

typedef struct ContactRow {
    int a, b;              // bodies; b = -1: no impulse moves it
    impVec3 arm_a, arm_b;  // m: from the centres of mass to the point
    impVec3 t1, t2, n;     // frame: two tangents, and the unit normal from b to a
    double friction;       // coefficient mu
    impVec3 bias;          // m/s, frame; a support that moves is part of it
    impVec3 p;             // N s on a, frame; in: a first guess
    ContactMode mode;      // in: that of the last step; out
} ContactRow;

// u = linear_a.v_a + angular_a.w_a + linear_b.v_b + angular_b.w_b + bias
typedef struct BilateralRow {
    int a, b;  // bodies; -1: no impulse moves it
    impVec3 linear_a, angular_a, linear_b, angular_b;
    double bias;
    double p;  // in: a first guess
} BilateralRow;

typedef struct Problem {
    ProblemBody *body;
    ContactRow *contact;
    BilateralRow *bilateral;
    int body_count, contact_count, bilateral_count;
} Problem;

// --- problem.c: what all solvers ask of a problem ------------------------------------------------
// u of a row without its bias, in its frame; by the velocities v, w of the bodies.
impVec3 problem_contact_velocity(const Problem *problem, const ContactRow *row);
double problem_bilateral_velocity(const Problem *problem, const BilateralRow *row);
// Adds an impulse of a row to v, w of its bodies.
void problem_apply_contact(const Problem *problem, const ContactRow *row, impVec3 p);
void problem_apply_bilateral(const Problem *problem, const BilateralRow *row, double p);
// The matrix W_cc of a contact row: velocity by impulse at its own point, in its frame.
Mat3 problem_contact_matrix(const Problem *problem, const ContactRow *row);
// Its trace.
double problem_contact_trace(const Problem *problem, const ContactRow *row);
double problem_bilateral_matrix(const Problem *problem, const BilateralRow *row);
// Sets v, w of all bodies by (1) from the impulses in the rows, in the order of the rows.
void problem_set_velocities(const Problem *problem);
// Speed of a body, m/s; its rotation counts with the radius of gyration.
double problem_speed(const ProblemBody *body);
// The nearest vector of the cone |p_t| <= mu p_n. Three regions: inside the cone, inside its polar
// cone (the nearest point is the apex), between (the nearest point is on the mantle).
static inline impVec3 problem_project(impVec3 p, double friction) {
    double tangent = sqrt(p.x * p.x + p.y * p.y);
    if (p.z >= 0 && tangent <= friction * p.z) return p;
    if (friction * tangent <= -p.z) return vec(0, 0, 0);
    double normal = (p.z + friction * tangent) / (1 + friction * friction);
    double share = friction * normal / tangent;
    return vec(share * p.x, share * p.y, normal);
}
// Its derivative at x: symmetric, with eigenvalues between 0 and 1.
Mat3 problem_project_derivative(impVec3 x, double mu);
// Sets the modes of all contact rows from their impulses.
void problem_set_modes(const Problem *problem);

// --- judge.c: how far the impulses in the rows are from a solution -------------------------------
// Knows no solver. All of it is measured with the velocities of (1), computed anew in scratch
// memory for as many bodies as the problem has.
typedef struct Judgement {
    double natural_map;  // m/s, worst row: |p - P_K(p - rho (u + mu |u_t| n))| / rho, where rho =
                         // 3 / trace W_cc; bilateral rows: |u|
    int worst_row;       // contact rows first, then bilateral ones; -1: there are no rows
    double penetration;  // m/s, worst: -u_n
    double pull;         // N s, worst: -p_n
    double cone;         // N s, worst: |p_t| - mu p_n
    double complementarity;  // J, worst: p_n u_n of a row that is apart
    double dissipation;      // 1, worst: sine of the angle between p_t and -u_t where it slides
    double slip;             // J, worst: friction dissipates less than it could by mu p_n |u_t| +
                             // p_t.u_t
    double momentum;         // m/s, worst body: v of the problem against (1)
} Judgement;
Judgement problem_judge(const Problem *problem, Arena scratch);
// The natural map alone, with the velocities in the bodies.
double problem_natural_map(const Problem *problem);

// Can these bodies stand still? At rest nothing slips, and whether impulses in the cones hold all
// of them is a convex question: v of each body becomes the velocity that is left, unique and 0
// where impulses hold it. Ends where no body is faster than the tolerance (m/s), or where it gets
// no better. The rows have no bias. Returns the number of Newton steps. (newton.c)
int solver_hold(const Problem *problem, double tolerance, Arena scratch);

// Some sweeps, and then a pass upwards through the pile in which bodies below are as if fixed
// (shock.c). No solver: v and w are not those of (1), momentum is not conserved. Problems without
// bilateral rows only.
void solver_shock(const Problem *problem, int sweeps, double tolerance, Arena scratch);
size_t solver_shock_scratch(int bodies, int contacts);

// --- solvers.c: the table ------------------------------------------------------------------------
typedef struct SolverOptions {
    double tolerance;  // m/s: of the natural map
    int iterations;    // most sweeps, steps or passes; 0: the solver's own
    double reduction;  // 1: sweeps also end where one changes velocities by so much of what the
                       // first one did; 0: not
    int directions;    // of friction, where the cone is a polyhedron; even; 0: 8
    ThreadPool *thread_pool;  // NULL: one thread; no bit of an answer depends on it
} SolverOptions;
typedef struct SolverReport {
    const char *solver;  // name of the one that gave the answer
    double residual;     // m/s: natural map, worst row; of row "lemke" that of (21) of
                         // docs/theory/complementarity-solvers.md
    int iterations;
    bool solved;  // residual <= tolerance
} SolverReport;
typedef struct Solver {
    const char *name;
    // Writes p and mode of all rows and v, w of all bodies; p is always in its cone and (1) holds,
    // solved or not. Where the arena has not enough memory, which sets its flag, p stays.
    SolverReport (*solve)(const Problem *problem, const SolverOptions *options, Arena scratch);
    const char *about, *source;
} Solver;
extern const Solver solvers[];
extern const int solver_count;
int solver_find(const char *name);  // -1: unknown
// Scratch memory, bytes, that a problem of that size needs with any solver, and for the judge.
size_t solver_scratch(int bodies, int contacts, int bilaterals);
