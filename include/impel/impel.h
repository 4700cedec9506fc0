// impel.h -- rigid bodies that touch.
//
//   scene    what a user writes: names, shapes, joints, materials; edited, from a file or from code
//   model    the scene checked and compiled: constant while time runs, shared between threads
//   state    everything that changes: one flat block per world; copied, kept, compared
//   stepper  a contact method and its scratch memory: one per thread, remembers nothing
//
//   next state = step(model, state, input, h).  Nothing else has a say.
//
// SI units, radians, right-handed axes, quaternions (w, x, y, z). A pose is that of a body's own
// frame, in which its shapes are placed; a twist is the velocity of its centre of mass and its
// angular velocity, both in world axes. A contact normal points from body b to body a; an impulse
// is the one felt by a. Zero is the default of every field of every *Def. A model may be used by
// everyone, a state or a stepper by one thread at a time.
//
// Three kinds of trouble are kept apart. Bad input: a function returns NULL, false or a negative
// index and fills an impError. Hard physics: the step's verdict and certificate, with the state
// before the step kept. Our own bugs: asserts in debug builds. The library never prints, never
// exits and has no mutable globals.
//
// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define IMP_API
#else
#define IMP_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct impVec3 {
    double x, y, z;
} impVec3;
// all zero is read as the identity
typedef struct impQuat {
    double w, x, y, z;
} impQuat;
// of the body's own frame
typedef struct impPose {
    impVec3 at;
    impQuat rotation;
} impPose;
// of the centre of mass, world axes
typedef struct impTwist {
    impVec3 linear, angular;
} impTwist;
// {0} is the world, {-1} is no body
typedef struct impBody {
    int32_t i;
} impBody;
// counted from 0, {-1} is none
typedef struct impJoint {
    int32_t i;
} impJoint;

typedef struct impScene impScene;
typedef struct impModel impModel;
typedef struct impState impState;
typedef struct impStepper impStepper;

// --- Errors --------------------------------------------------------------------------------------
// What went wrong and where: "tower.json:14:9: body 'plank': mass -2 kg; it must be positive". All
// that is wrong is reported at once: the first IMP_MESSAGES as text, the rest as a count. The fault
// is that of the first message.
typedef enum impFault {
    IMP_NO_FAULT,
    IMP_BAD_CALL,   // an argument that no caller should pass
    IMP_BAD_INPUT,  // a scene, mesh or definition that describes nothing real
    IMP_AT_LIMIT,   // memory or a named limit
    IMP_BAD_FILE,   // the file system said no
    IMP_DAMAGED     // a recording that is cut short, changed, or of another version
} impFault;

enum { IMP_MESSAGES = 20 };

typedef struct impMessage {
    char file[120];    // "" where the trouble has no file
    int line, column;  // from 1; 0: unknown (binary files: column is 0, line is 0)
    char text[480];    // "body 'plank': mass -2 kg; it must be positive"
} impMessage;

typedef struct impError {
    impFault fault;
    int count;  // how many troubles there were; only the first IMP_MESSAGES are kept
    impMessage message[IMP_MESSAGES];
} impError;

// Writes message i as "file:line:column: text" into out, always ended by a zero; returns its full
// length.
IMP_API size_t impError_Print(const impError *err, int i, char *out, size_t size);

// --- Scene ---------------------------------------------------------------------------------------
typedef struct impShapeDef {
    const char *kind;       // "sphere", "box", "hull", ...: impCatalogue(IMP_SHAPES)
    double size[4];         // the kind's measures in its own order: radius; full lengths; ...
    impPose pose;           // in the body's frame
    const char *material;   // NULL: that of the body
    const impVec3 *points;  // hull, mesh: vertices
    int point_count;
    const int32_t *faces;  // hull (optional), mesh: for each face its count n, then n indices of
    int face_ints;         //   points, counter-clockwise from outside; face_ints is the total
    double radius;         // box, hull: rounding of edges and corners, m; 0: sharp. A box keeps its
                           //   full lengths; a hull grows by the radius on all sides
    bool as_hull;          // mesh: touches by its convex hull, as dynamic bodies must;
} impShapeDef;             //   its mass is that of the mesh: an open one has none

typedef struct impMotionDef {
    const char *kind;   // "spin", "vibrate", "translate": impCatalogue(IMP_MOTIONS)
    impVec3 axis;       // world axes: spin, or rotation of a vibration; through the body's origin
    double rate;        // spin: rad/s
    impVec3 amplitude;  // vibrate: m, world axes
    double angle;       // vibrate: rad, amplitude of the rotation about axis
    double frequency, phase;  // vibrate: Hz, rad; displacement = amplitude sin(2 pi f t + phase)
    double rotation_frequency, rotation_phase;  // of the rotation; frequency 0: as the translation,
                                                // phase included
    impVec3 velocity;                           // translate: m/s, world axes
} impMotionDef;

typedef struct impBodyDef {
    const char *name;  // unique; NULL: "body.N"
    impPose pose;
    impTwist twist;
    double mass;           // kg; 0: from the shapes and their densities
    bool fixed;            // never moves
    bool center_given;     // use center below, not the one of the shapes
    impVec3 center;        // centre of mass in the body's frame
    double inertia[3][3];  // about the centre of mass, body axes, kg m^2; all zero: from the shapes
    impVec3 plane;         // normal of the plane in which the body moves, world axes; 0 0 0: it
                           // moves freely
    const char *material;  // NULL: frictionless, no bounce, density of water
    const impShapeDef *shapes;
    int shape_count;
    const impMotionDef *motions;  // prescribed motion: the body feels no force
    int motion_count;
} impBodyDef;

typedef struct impJointDef {
    const char *name, *kind;  // "hinge", "slider", "ball", ...: impCatalogue(IMP_JOINTS)
    impBody parent, child;    // parent {0}: hung from the world
    impVec3 at;               // a point of the joint, world, in the pose of the scene
    impVec3 axis, axis2;      // world axes; axis2 for universal joints. For distance: at2 below
    impVec3 at2;              // distance: the point of the child; at is the point of the parent
    bool limited;
    double lower, upper;  // rad or m, from the pose of the scene
} impJointDef;

typedef struct impMaterialDef {
    const char *name;
    double friction_static, friction_dynamic;
    double restitution;
    double density;  // kg/m^3; 0: 1000
} impMaterialDef;

// of restitution
typedef enum impLaw { IMP_POISSON, IMP_STRONGE, IMP_NEWTON } impLaw;

// overrides the combination mu = sqrt(mu1 mu2), e = min(e1, e2)
typedef struct impPairDef {
    const char *between[2];
    double friction_static, friction_dynamic, restitution;
    impLaw law;
} impPairDef;

// What method impulse does in lasting contact: micro-steps, or the velocity reversal of Mirtich &
// Canny 1994, which creeps.
typedef enum impMicro { IMP_MICROSTEP, IMP_REVERSAL } impMicro;

// How method iterated predicts where contact points get to: by the exact rotation of each body, or,
// for comparison, by one Runge-Kutta step with the angular velocity of the beginning, as Bender &
// Schmitt 2006 do.
typedef enum impPrediction { IMP_EXACT, IMP_RUNGE_KUTTA } impPrediction;

typedef struct impRunDef {  // what the scene proposes; 0 or NULL: not said
    double duration, dt;    // s
    double contact_band;    // m; 0: eps_c of docs/reference/methods.md
    const char *method;
    impMicro micro;
    int contact_capacity;  // contacts that a state of a fixed-step method can hold; 0: by the
                           // number of bodies
    const char *scheme;    // of method lcp: impCatalogue(IMP_SCHEMES); NULL: "second-order"
    int directions;        // of friction in its schemes with a polyhedral cone, even; 0: 8
    impPrediction prediction;
    int shock_propagation;  // of method iterated: a pass upwards through each pile after so many
                            // sweeps (Guendelman, Bridson & Fedkiw 2003); 0: none. It does not
                            // conserve momentum, so that no step has a certificate
} impRunDef;

typedef struct impLoadDef {  // limits are refusals with a name, never truncations
    size_t max_file_bytes;   // 0: 1 GiB
    int max_bodies;          // 0: 1,000,000
    int max_triangles;       // 0: 10,000,000, of all meshes of a scene together
    int max_nesting;         // 0: 64
    bool allow_path;         // mesh files may lie outside the folder of the scene
    bool strict;             // warnings are errors
    uint64_t seed;           // of "repeat" blocks that give none; 0: 1
} impLoadDef;

// zeros replaced by the defaults; NULL: all
IMP_API impLoadDef impLimits(const impLoadDef *def);

IMP_API impScene *impScene_New(impVec3 gravity);  // NULL: no memory
// "-" reads stdin
IMP_API impScene *impScene_Load(const char *path, const impLoadDef *def, impError *err);
IMP_API impScene *impScene_Parse(const char *text, size_t length, const char *name,
                                 const impLoadDef *def,
                                 impError *err);  // meshes are looked for beside name
IMP_API bool impScene_Save(const impScene *scene, const char *path, impError *err);
IMP_API void impScene_About(impScene *scene, const char *about, const char *source);
IMP_API bool impScene_Material(impScene *scene, const impMaterialDef *def, impError *err);
IMP_API bool impScene_Pair(impScene *scene, const impPairDef *def, impError *err);
IMP_API impBody impScene_Body(impScene *scene, const impBodyDef *def, impError *err);
IMP_API impJoint impScene_Joint(impScene *scene, const impJointDef *def, impError *err);
IMP_API bool impScene_Run(impScene *scene, const impRunDef *def, impError *err);
IMP_API void impScene_Free(impScene *scene);

// A surface of triangles from an STL or OBJ file, welded by exact coordinates, checked and
// measured.
typedef struct impMesh impMesh;
typedef struct impMeshReport {
    int vertices, triangles;        // after welding and dropping
    int dropped;                    // triangles of no area
    int open_edges, crowded_edges;  // used once; used more than twice or twice in the same sense
    int shells;                     // connected pieces
    int solids;                     // shells that are no cavities in others; 0: not closed
    bool closed, flipped;       // bounds a solid; was inside out as a whole, and has been turned
    double volume, area;        // m^3, m^2
    impVec3 center, low, high;  // centre of volume, corners of the box
    double inertia[3][3];       // about center, for density 1
} impMeshReport;

IMP_API impMesh *impMesh_Load(const char *path, double scale, const impLoadDef *def, impError *err);
IMP_API impMeshReport impMesh_Report(const impMesh *mesh);
// what was mended; solids apart
IMP_API int impMesh_WarningCount(const impMesh *mesh);
IMP_API const char *impMesh_Warning(const impMesh *mesh, int i);
// report.vertices of them
IMP_API const impVec3 *impMesh_Points(const impMesh *mesh);
// three indices a triangle
IMP_API const int32_t *impMesh_Triangles(const impMesh *mesh);
// The whole of it as a shape of kind "mesh", for bodies that are fixed or have a motion; with
// as_hull set for others, too. Its lists are those of the mesh and live as long.
IMP_API bool impMesh_Shape(impMesh *mesh, impShapeDef *out, impError *err);
IMP_API void impMesh_Free(impMesh *mesh);

// --- Model ---------------------------------------------------------------------------------------
typedef struct impMass {
    double mass;           // kg
    impVec3 center;        // in the body's frame
    double inertia[3][3];  // about the centre of mass, body axes
    double moments[3];     // principal moments
    impQuat axes;          // principal axes against body axes
} impMass;

typedef enum impRole { IMP_DYNAMIC, IMP_FIXED, IMP_KINEMATIC } impRole;

typedef struct impPairLaw {  // what two materials do to each other
    double friction_static, friction_dynamic, restitution;
    impLaw law;
    bool listed;  // from "pairs", not combined
} impPairLaw;

// every check happens here, once
IMP_API impModel *impModel_Build(const impScene *scene, impError *err);
IMP_API void impModel_Free(impModel *model);
// bytes; the same for every state
IMP_API size_t impModel_StateSize(const impModel *model);
// with the world, which is body 0
IMP_API int impModel_BodyCount(const impModel *model);
// {-1} if there is none
IMP_API impBody impModel_Find(const impModel *model, const char *body);
IMP_API const char *impModel_Name(const impModel *model, impBody body);
IMP_API impRole impModel_Role(const impModel *model, impBody body);
IMP_API impMass impModel_Mass(const impModel *model, impBody body);
// body frame;
IMP_API bool impModel_Box(const impModel *model, impBody body, impVec3 *low, impVec3 *high);
// false: unbounded or no shape
IMP_API int impModel_ShapeCount(const impModel *model, impBody body);
IMP_API const char *impModel_ShapeKind(const impModel *model, impBody body, int shape);
// box, hull: m; else 0
IMP_API double impModel_ShapeRounding(const impModel *model, impBody body, int shape);
// A shape as the model has it, in the coding of the scene; points lie in the model, faces are asked
// for one by one: the corners of a hull's or mesh's face, counter-clockwise from outside, as
// indices of the shape's points. NULL: no such face.
IMP_API bool impModel_Shape(const impModel *model, impBody body, int shape, impShapeDef *out);
IMP_API const int32_t *impModel_Face(const impModel *model, impBody body, int shape, int face,
                                     int *corners);
// A prescribed motion of a body, in the coding of the scene, its axis of length 1. False: no such
// motion.
IMP_API bool impModel_Motion(const impModel *model, impBody body, int motion, impMotionDef *out);
// row of the pair table
IMP_API int impModel_ShapeMaterial(const impModel *model, impBody body, int shape);
IMP_API int impModel_MaterialCount(const impModel *model);
IMP_API const char *impModel_MaterialName(const impModel *model, int material);
IMP_API impPairLaw impModel_PairLaw(const impModel *model, int material1, int material2);
// as written; free bodies not counted
IMP_API int impModel_JointCount(const impModel *model);
IMP_API const char *impModel_JointName(const impModel *model, impJoint joint);
IMP_API const char *impModel_JointKind(const impModel *model, impJoint joint);
IMP_API void impModel_JointEnds(const impModel *model, impJoint joint, impBody *parent,
                                impBody *child);
IMP_API int impModel_Coordinates(const impModel *model);  // length of q
// length of v, and of a step's input
IMP_API int impModel_Freedoms(const impModel *model);
// its first index in v
IMP_API int impModel_BodyFreedom(const impModel *model, impBody body, int *count);
// contact_band is filled in
IMP_API impRunDef impModel_Run(const impModel *model);
IMP_API impVec3 impModel_Gravity(const impModel *model);
IMP_API const char *impModel_About(const impModel *model);
IMP_API const char *impModel_Source(const impModel *model);
IMP_API int impModel_WarningCount(const impModel *model);
// "file:line:column: what; why"
IMP_API const char *impModel_Warning(const impModel *model, int i);

// --- State ---------------------------------------------------------------------------------------
// J; of the dynamic bodies
typedef struct impEnergy {
    double kinetic, potential;
} impEnergy;
// N s; N m s about the origin
typedef struct impMomentum {
    impVec3 linear, angular;
} impMomentum;

// as the scene describes it, t = 0
IMP_API impState *impState_New(const impModel *model);
IMP_API void impState_Free(impState *state);
// one memcpy
IMP_API bool impState_Copy(const impModel *model, impState *to, const impState *from);
// FNV-1a of the bits
IMP_API uint64_t impState_Hash(const impModel *model, const impState *state);
IMP_API double impState_Time(const impState *state);
IMP_API impPose impState_Pose(const impModel *model, const impState *state, impBody body);
IMP_API impTwist impState_Twist(const impModel *model, const impState *state, impBody body);
IMP_API bool impState_Set(const impModel *model, impState *state, impBody body, impPose pose,
                          impTwist twist,
                          impError *err);  // of a free dynamic body
IMP_API impEnergy impState_Energy(const impModel *model, const impState *state);
IMP_API impMomentum impState_Momentum(const impModel *model, const impState *state);
// StateSize / 8 doubles
IMP_API const double *impState_Data(const impState *state);
IMP_API bool impState_SetData(const impModel *model, impState *state, const double *data,
                              size_t bytes, impError *err);
IMP_API size_t impState_Difference(const impModel *model, const impState *a, const impState *b,
                                   char *out,
                                   size_t size);  // 0: equal; else "first difference: v[3], body
                                                  // 'plank'"

// --- Step ----------------------------------------------------------------------------------------
typedef struct impStepperDef {
    const char *method;       // NULL: what the scene says, else "impulse"
    double tolerance;         // of the certificate, relative; 0: 1e-9
    int iterations, threads;  // 0: the method's own choice; 1
    const char *solver;       // of contact problems of many bodies; NULL: chosen by island
} impStepperDef;

// how it ends; see impSleepingContacts
typedef enum impContactMode { IMP_OPENS, IMP_STICKS, IMP_SLIDES, IMP_RESTS } impContactMode;

typedef struct impContact {
    impBody a, b;
    impVec3 point, normal;  // normal from b to a
    double gap, friction, restitution;
    impVec3 before, after;  // velocity of a against b at the point, m/s
    impVec3 impulse;        // total over the step, on a, N s
    uint64_t feature;       // the same touching features give the same number
    double time;            // s
    double energy;          // J     change of what moves freely, with the work of what is driven
    double driven;          // J     that work: of a prescribed body on the other
    impContactMode mode;
    bool micro;  // of lasting contact: one point of a micro-step, or of a contact problem
} impContact;

typedef struct impVelocityChange {  // an impulse changed a body's velocity
    impBody body;
    double time;
    impPose pose;    // there
    impTwist twist;  // after it
} impVelocityChange;

// How true the step is, measured by the judge whatever the method. All are 0 in a perfect world.
typedef struct impCertificate {
    double energy;           // J     created by the step: change less the work of input
    double momentum;         // N s   change less that of gravity, input and impulses
    double spin;             // N m s the same of each body's angular momentum, worst
    double quaternion;       // 1     worst ||q| - 1|
    double overlap;          // m     deepest penetration seen
    double level_violation;  // m     by how much two bodies were nearer than the contact level
    double approach;         // m/s   fastest contact still closing
    double pull;             // N s   largest negative normal impulse
    double cone;             // N s   largest excess of friction over mu times normal
    double slip;             // J     friction dissipates this much less than it could
    double order;            // s     how much earlier than the one before it an event came
    double residual;         // m/s   how far impulses are from a solution of a contact problem of
                             //       many bodies: its natural map, worst point
    double complementarity;  // J     normal impulse times velocity of a contact that is apart
} impCertificate;

typedef enum impVerdict {
    IMP_SOLVED,
    IMP_STALLED,     // the method gave up within its bound on work
    IMP_FULL,        // a capacity of the model was reached
    IMP_NOT_FINITE,  // a number overflowed
    IMP_UNTRUE,      // the certificate is beyond the tolerance
    IMP_REFUSED      // the call itself was wrong: outcome.text says how
} impVerdict;

typedef struct impOutcome {
    impVerdict verdict;  // anything but IMP_SOLVED: the state is the one before the step
    const char *text;    // one sentence when not solved, else ""; valid until the next step
    const char *failed;  // IMP_UNTRUE: which part of the certificate, by its name below; NULL: none
                         // of it
    impCertificate certificate;
    impCertificate limit;  // of each part where it was worst; of the sum that energy is, their sum.
                           // HUGE_VAL: none, it
                           //   is measured only. Of the residual: beyond it a step is counted in
                           //   `unconverged`
    double sleep_energy;   // J: taken from bodies that fell asleep
    double scheme_energy;  // J: by the printed schemes of method lcp, whose gravity acts on the
                           // velocity before it acts on the way
    double gap;            // m: smallest gap of all narrow-phase queries; HUGE_VAL: there was none
    int iterations, events;
    int energy_gains;  // collisions that created energy: Newton's law with friction can
    int unconverged;   // micro-steps, or nodes, that did not reach the tolerance of their contact
                       // laws or a bound on their work
    int contact_count;
    const impContact *contacts;  // in a fixed order; valid until the stepper's next step
    int velocity_change_count;
    const impVelocityChange *velocity_changes;  // of all collisions, and of microcollisions that
                                                // changed a rotation visibly;
                                                //   in the order of time
} impOutcome;

IMP_API impStepper *impStepper_New(const impModel *model, const impStepperDef *def, impError *err);
IMP_API void impStepper_Free(impStepper *stepper);
IMP_API const char *impStepper_Method(const impStepper *stepper);
// fewer than asked if the system said no
IMP_API int impStepper_Threads(const impStepper *stepper);
// fills the scratch: changes nothing
IMP_API void impStepper_Poison(impStepper *stepper, unsigned char byte);
IMP_API impOutcome impStep(impStepper *stepper, impState *state, const double *input, double h);
IMP_API void impStepMany(impStepper *stepper, impState *const *states, const double *const *inputs,
                         int count, double h, impOutcome *outcomes);  // outcomes carry no contact
                                                                      // lists

// --- Statistics ----------------------------------------------------------------------------------
// What the contacts of many steps add up to, within a window of time. The mean force on a is
// impulse / length of the window. Energies by what changed them: all of them together are the
// change of the dynamic bodies' energy.
typedef struct impCauses {
    double restitution, friction;  // J     of collisions; friction of microcollisions, too
    double microcollision;         // J     normal part of microcollisions: the floor
    double driven;                 // J     work of prescribed bodies
    double sleep_energy;           // J     taken away when bodies fell asleep; in the total only
    double scheme_energy;          // J     by a scheme of first order; in the total only
} impCauses;

typedef struct impPairStats {
    impBody a, b;
    int64_t collisions, micro;         // impulses of each kind
    double first, last;                // s
    impVec3 impulse, angular_impulse;  // N s on a; N m s about the world's origin
    double normal, peak;               // N s: sum of the normal parts; the largest single impulse
    impCauses energy;
} impPairStats;

typedef struct impStats impStats;
// s; to <= from: no end. NULL: no memory
IMP_API impStats *impStats_New(const impModel *model, double from, double to);
// after every step; false: no memory
IMP_API bool impStats_Add(impStats *stats, const impOutcome *outcome);
// Contact forces of sleeping bodies, point by point: nothing collides there, so no outcome lists
// them. `impulse` is what acts in one second, mode IMP_RESTS. Times how long they were asleep in a
// step, it goes into the statistics like any other contact, but is not counted and has no peak. The
// number of points, of which those that fit are written; -1: no memory, or more points than a step
// has room for.
IMP_API int impSleepingContacts(const impModel *model, const impState *state, impContact *out,
                                int room);
// s; or NULL
IMP_API bool impAsleep(const impModel *model, const impState *state, impBody body, double *since);
IMP_API int impStats_PairCount(const impStats *stats);
// in the order of (a, b)
IMP_API impPairStats impStats_Pair(const impStats *stats, int i);
IMP_API impCauses impStats_Causes(const impStats *stats);
IMP_API void impStats_Free(impStats *stats);

// --- Queries -------------------------------------------------------------------------------------
// Where things are in a state. A NULL, a state of another model or a number that is not one finds
// nothing.
typedef struct impHit {
    impBody body;
    int shape;              // counted within the body
    double distance;        // m, along the ray
    impVec3 point, normal;  // world; outward from the body
} impHit;

typedef struct impNear {  // the nearest pieces of two bodies
    impBody a, b;
    int shape_a, shape_b;
    char feature_a[32], feature_b[32];  // "face 3", "edge 7", "vertex 0", "rim", "triangle 12", ...
    double distance;                    // m; negative: they overlap by this much
    impVec3 on_a, on_b, normal;         // closest points; normal from b to a
    double time;    // s: they cannot touch earlier, as they fly now; HUGE_VAL: never, < 0: unknown
    bool doubtful;  // the search ended without a proof: the points may be off
} impNear;

// The first body that a ray from `from` meets within `most` metres. Where it starts inside a solid,
// or on its surface, it does not see that solid. Of equally near bodies the first.
IMP_API bool impCast(const impModel *model, const impState *state, impVec3 from, impVec3 toward,
                     double most, impHit *out);
// Bodies that share a point with the box, in order: how many there are; at most `room` of them are
// written.
IMP_API int impOverlap(const impModel *model, const impState *state, impVec3 low, impVec3 high,
                       impBody *out, int room);
// Signed distance of two bodies, closest points and the normal from b to a; each may be NULL.
// HUGE_VAL: no shapes.
IMP_API double impDistance(const impModel *model, const impState *state, impBody a, impBody b,
                           impVec3 *on_a, impVec3 *on_b, impVec3 *normal);
// Pairs of bodies, one of them dynamic, that are nearer than `within` metres (negative: that
// overlap by more): how many there are; the nearest `room` of them are written, by distance. -1: no
// memory.
IMP_API int impNearPairs(const impModel *model, const impState *state, double within, impNear *out,
                         int room);
// Whether a scene starts without bodies inside each other: those that overlap by more than `most`
// metres are named, the deepest first, each where the second of the two is written. A method with
// contacts would stop at once.
IMP_API bool impScene_CheckOverlaps(const impScene *scene, const impModel *model, double most,
                                    impError *err);

// --- Traces --------------------------------------------------------------------------------------
// Samples of a run, written under a temporary name and renamed when closed: a file under its final
// name is whole.
typedef struct impTrace impTrace;
// .csv .jsonl
IMP_API impTrace *impTrace_Open(const impModel *model, const char *path, bool force, impError *err);
IMP_API bool impTrace_Add(impTrace *trace, const impState *state, impError *err);
IMP_API bool impTrace_Close(impTrace *trace, impError *err);  // commits
IMP_API void impTrace_Abandon(impTrace *trace);               // leaves no file

// --- Recordings ----------------------------------------------------------------------------------
// A run as it was: states bit for bit, with what happened between them. docs/reference/recording.md
// says how it is written. Equal runs give equal bytes. A frame is a sample of the state and what
// has happened since the one before.
typedef struct impFrame {
    int64_t step;   // steps made since the start
    uint64_t hash;  // of the state
    impEnergy energy;
    impMomentum momentum;
    impCauses causes;      // J     since the start
    impCertificate worst;  // of the steps since the last frame; of each field the largest in size
    int64_t events, contacts;   // since the start
    const impContact *contact;  // since the last frame, in the order in which they happened
    const impVelocityChange *velocity_change;  // the same
    const impContact *sleeping_contact;  // what carries those that sleep now, in one second: see
                                         // impSleepingContacts
    int contact_count, velocity_change_count, sleeping_contact_count;
} impFrame;

// Adds up steps to frames. Lists of a frame are valid until the next call.
typedef struct impFrames impFrames;
IMP_API impFrames *impFrames_New(const impModel *model);  // NULL: no memory
// after every step; false: no memory
IMP_API bool impFrames_Step(impFrames *frames, const impOutcome *outcome);
// without loads; begins the next
IMP_API impFrame impFrames_Take(impFrames *frames, const impState *state);
IMP_API void impFrames_Free(impFrames *frames);

typedef struct impRunInfo {   // what was run; texts may be NULL
    const char *name, *text;  // of the scene: its file without the folder, and as it was written
    const char *method;
    double dt, end;  // s
    uint64_t seed;
    double tolerance;          // of the certificate; 0: the stepper's own
    const char *on_violation;  // what a verdict does; NULL: it stops the run
    const char *solver;        // of contact problems, as asked for; NULL: chosen by island
} impRunInfo;

typedef struct impRunEnd {        // how it went
    const char *status, *reason;  // "complete", "interrupted", "stopped", "violated"; why
    int64_t frames;               // set by the library
} impRunEnd;

typedef struct impRecorder impRecorder;
IMP_API impRecorder *impRecorder_Open(const impScene *scene, const impModel *model,
                                      const impRunInfo *run, const char *path, bool force,
                                      impError *err);
IMP_API bool impRecorder_Add(impRecorder *recorder, const impState *state, const impFrame *frame,
                             impError *err);
// commits
IMP_API bool impRecorder_Close(impRecorder *recorder, const impRunEnd *end, impError *err);
IMP_API void impRecorder_Abandon(impRecorder *recorder);  // leaves no file

// Reads one frame after the other. What is damaged is refused with IMP_DAMAGED; what was read
// before it was right.
typedef struct impRecording impRecording;
IMP_API impRecording *impRecording_Open(const char *path, impError *err);
// What a killed run has left: frames up to the first chunk that is not whole, and then the end,
// "interrupted".
IMP_API impRecording *impRecording_Salvage(const char *path, impError *err);
// with all its meshes
IMP_API const impScene *impRecording_Scene(const impRecording *recording);
IMP_API const impModel *impRecording_Model(const impRecording *recording);
IMP_API impRunInfo impRecording_Run(const impRecording *recording);
IMP_API int impRecording_Next(impRecording *recording, impState *state, impFrame *frame,
                              impError *err);  // 1: a frame; 0: the end; -1: refused
IMP_API impRunEnd impRecording_End(const impRecording *recording);  // after the end
IMP_API void impRecording_Free(impRecording *recording);

// --- Drop tests ----------------------------------------------------------------------------------
// How a part comes to rest on a level plane. A part is one body: it moves by its mass and touches
// by its hull. It is dropped with random orientations; x, y and yaw never matter, so they are left
// out. A trial depends on (part, definition, number) and on nothing else: the same bits for any
// number of threads, any width of SIMD and any machine.
typedef struct impPart impPart;

typedef struct impPartDef {
    double chord;  // smooth shapes become polyhedra with corners on them, no surface farther than
                   //   this part of the size from the true one; 0: 1e-3, circles have 720 sides,
                   //   and cylinders and cones about one axis that start without spin are exact
    double noise;  // m: how far coordinates may be off, and so how shallow a pose is none. At least
                   //   1e-6 of the size and the chord of smooth shapes: a cylinder has one side
    double join;   // poses are one family where no pass between them is higher above the lowest of
} impPartDef;      //   them than this part of its height; 0: 0.01; negative: each is its own

typedef struct impPartReport {
    double mass;             // kg
    impVec3 center;          // of mass, in the body's frame
    impVec3 low, high;       // corners of its box, body frame
    double bounding_radius;  // m: of the farthest corner from the centre of mass
    double inner_radius;     // m: of the nearest face from the centre of mass
    int corners, faces;      // of the hull
    double chord;  // m: how far the hull's faces may lie inside the true surface; 0: exact
    double noise;  // m
    double join;   // part of the height
} impPartReport;

// a stable pose: a face of the hull on which the part stays
typedef struct impRest {
    impVec3 normal;       // outward, body axes: points down at rest
    double height;        // m: centre of mass above the plane
    double margin;        // m: from the foot of the centre of mass to the nearest edge of the face
    double barrier;       // m: how far the centre must be lifted to leave it; HUGE_VAL: it cannot
    double quasi_static;  // probability if it came down infinitely slowly (Wiegley, Rao, Goldberg
                          // 1992)
    impQuat rotation;     // of the body's frame when it lies so, yaw 0
    int same_as;  // the first pose that is this one for a rotation of the part; itself: none before
    int face;     // of the hull
    int family;
} impRest;

// poses between which the part rolls: only low passes separate them
typedef struct impFamily {
    int lowest;      // its lowest pose
    int members;     // poses
    double inner;    // m: highest pass inside, above the lowest pose; 0: one pose
    double barrier;  // m: lowest pass out of it, above the lowest pose; HUGE_VAL: there is none
    double quasi_static;  // sum over its poses
    int same_as;          // the first family that is this one for a rotation of the part
} impFamily;

IMP_API impPart *impPart_New(const impModel *model, impBody body, const impPartDef *def,
                             impError *err);
IMP_API impPartReport impPart_Report(const impPart *part);
IMP_API int impPart_RestCount(const impPart *part);
// by height, lowest first
IMP_API impRest impPart_Rest(const impPart *part, int rest);
IMP_API int impPart_FamilyCount(const impPart *part);
// by the height of its lowest pose
IMP_API impFamily impPart_Family(const impPart *part, int family);
// the pose below an orientation: down in body axes
IMP_API int impPart_Settle(const impPart *part, impVec3 down);
// of the hull, body frame; report.corners
IMP_API const impVec3 *impPart_Corners(const impPart *part);
// counter-clockwise from outside
IMP_API const int32_t *impPart_Face(const impPart *part, int face, int *corners);
IMP_API void impPart_Free(impPart *part);

typedef struct impDropDef {
    uint64_t seed;
    double height;   // m: centre of mass above the plane; 0: the larger of 0.3 m and 1.5 times the
                     // reach
    double gravity;  // m/s^2; 0: 9.81
    double friction_static, friction_dynamic;  // static 0: as dynamic
    double restitution;
    impLaw law;              // not IMP_NEWTON, which can create energy: then nothing is certain
    impVec3 velocity, spin;  // m/s, rad/s: world axes
    double velocity_random, spin_random;  // added to them: uniform within a ball of this radius
    double drag;  // 1/s: force -drag m v, torque -drag m k^2 w, where m k^2 is the mean moment
    const impQuat *orientations;  // trial i starts with orientations[i mod orientation_count];
                                  // NULL: uniform over all rotations
    int64_t orientation_count;
    bool fine;  // smaller hops and finer impacts, to see what the usual ones cost in accuracy
    int lanes;  // trials side by side in one thread: 1, 4 or 8; 0: the most this machine can
    bool cuda;  // on a GPU, in builds that can: IMP_AT_LIMIT where there is none
} impDropDef;

// no pose was certain within the bound on work; a number overflowed; it fell off the surface
enum { IMP_UNRESOLVED = -1, IMP_FAILED = -2, IMP_LEFT = -3 };

typedef struct impDropOutcome {
    int32_t family;   // in which it will come to rest: certain, as no energy is left to leave it
    int32_t rest;     // the pose, where that is as certain; else IMP_UNRESOLVED
    int32_t impacts;  // until then
    int32_t rolled;   // 1: it was rolling on, confined to the family, and did not stop
    double time;      // s: until then
    uint64_t hash;    // of the motion's bits there
} impDropOutcome;

typedef struct impDrops impDrops;  // constant, may be used by many threads
IMP_API impDrops *impDrops_New(const impPart *part, const impDropDef *def, impError *err);
// with its defaults filled in
IMP_API impDropDef impDrops_Def(const impDrops *drops);
IMP_API bool impDrops_Run(const impDrops *drops, int64_t first, int64_t count, int threads,
                          impDropOutcome *outcomes);
// how a trial begins
IMP_API void impDrops_Start(const impDrops *drops, int64_t trial, impPose *pose, impTwist *twist);
IMP_API void impDrops_Free(impDrops *drops);  // before its part

// --- Drop tests: many drops, counted -------------------------------------------------------------
// Trials are run in blocks of IMP_BLOCK, and a result is whole blocks in their order, so that it
// depends neither on threads nor on the clock, and can be taken up again from a journal. A check
// drops some trials again with smaller hops and finer impacts, and compares the probabilities: what
// the usual ones cost in accuracy is stated from that, part by part.
enum { IMP_BLOCK = 4096 };

typedef struct impDropTally {  // what trials added up to; of one block, or of all
    int families, poses;
    int64_t drops, unresolved, failed, left;  // left: the surface
    int64_t rolled;  // certain of their family by rolling on, confined to it, and not by energy
    int64_t impacts;
    uint64_t hash;           // of the outcomes, in the order of the trials
    int64_t *family, *pose;  // by family; by pose, where that was certain too
} impDropTally;

typedef struct impShare {  // of drops that ended in a family, or in a pose
    int64_t count;
    double probability, low, high;  // with its 95 % interval (Wilson 1927)
    bool given;  // of a pose: false where drops of its family ended without being certain of theirs
} impShare;

typedef struct impDropCheck {
    int64_t drops, unresolved;  // fine ones; drops 0: there was no check
    int family;  // the one whose probability shifted most, in its sigmas; -1: too few drops to tell
    double shift, sigma;  // its probability by fine drops less that by usual ones; expected by
                          // chance
    double level;         // sigmas that chance explains, with so many families
    double bound;  // with 95 %, finer drops shift no probability by more than this; 0: too few
    bool beyond;   // the shift is more than chance, and more than IMP_CHECK_TOLERANCE
} impDropCheck;
#define IMP_CHECK_TOLERANCE 0.004

// zeros; false: no memory
IMP_API bool impDropTally_New(impDropTally *tally, int families, int poses);
IMP_API void impDropTally_Free(impDropTally *tally);
// in the order of the blocks
IMP_API void impDropTally_Add(impDropTally *to, const impDropTally *block);
IMP_API impShare impShare_Of(int64_t count, int64_t of);
// half width of the widest interval of a family
IMP_API double impDropTally_Widest(const impDropTally *tally);
// Of a pose: as its count says, or as its family's does, where all poses of that are one for a
// rotation of the part.
IMP_API impShare impDropTally_Pose(const impDropTally *tally, const impRest *rests,
                                   const impFamily *families, int pose);
// same_as: by family, the first that is the same for a rotation of the part; NULL: none is
IMP_API impDropCheck impDropTally_Compare(const impDropTally *usual, const impDropTally *fine,
                                          const int *same_as);

// quick: so many drops that they take at most a quarter of the time; full: all of them
typedef enum impCheck { IMP_CHECK_QUICK, IMP_CHECK_NONE, IMP_CHECK_FULL } impCheck;

typedef struct impDropProgress {
    int64_t done, of;  // trials; with ci, as many as it will probably take
    int64_t fresh;     // of those that are done, in this run
    double spent;      // s
    bool checking;
} impDropProgress;

typedef struct impDropTestDef {
    impDropDef drop;
    int64_t drops;  // trials; with ci the most
    double ci;      // stop where no 95 % interval of a family has a larger half width; 0: not asked
    impCheck check;
    int threads;
    int64_t shard, shards;  // only blocks shard, shard + shards, ...; shards 0: all
    const char *journal;    // folder in which finished blocks are kept, and taken up again; NULL:
                            // none. It must exist
    int64_t rank;           // which of several programs that share the journal this one is
    // trials that something else runs: as many as were done, negative where it cannot go on; NULL:
    // impDrops. Then there is no check
    int64_t (*trials)(void *context, int64_t first, int64_t count, int threads,
                      impDropOutcome *outcomes);
    uint64_t identity;  // of what decides those trials
    bool (*progress)(void *context, const impDropProgress *progress);  // often; false: stop. NULL:
                                                                       // none
    // those of this run, each once, in order; false: stop
    bool (*outcomes)(void *context, int64_t first, int64_t count, const impDropOutcome *outcomes);
    double (*clock)(void *context);  // s, rising: so that progress is told and journals are on disk
                                     // in time; NULL: none
    void *context;
} impDropTestDef;

typedef struct impDropMark {
    int64_t block;
    uint64_t hash;
} impDropMark;

typedef struct impDropTestReport {
    impDropTally usual, fine;  // the test's own
    impDropCheck check;
    double check_part;  // of the trials, that are dropped finely: decided by their impacts, not by
                        // the clock
    bool interrupted;   // progress or outcomes said so
    int64_t fresh;      // trials of this run; the others were in the journal
    int64_t journal_blocks, journal_cut;  // found there; bytes at its end, of a record that a kill
                                          // had cut short
    double drops_wall, check_wall;        // s
    const impDropMark *mark;              // the blocks, in their order
    int64_t marks;
} impDropTestReport;

typedef struct impDropTest impDropTest;
IMP_API impDropTest *impDropTest_New(const impPart *part, const impDropTestDef *def, impError *err);
// equal: their blocks may be added up
IMP_API uint64_t impDropTest_Identity(const impDropTest *test);
IMP_API double impDropTest_CheckPart(const impDropTest *test);
IMP_API const impDrops *impDropTest_Drops(const impDropTest *test);
// true, too, where it was interrupted
IMP_API bool impDropTest_Run(impDropTest *test, impError *err);
IMP_API impDropTestReport impDropTest_Report(const impDropTest *test);
IMP_API impShare impDropTest_Family(const impDropTest *test, int family);
IMP_API impShare impDropTest_Pose(const impDropTest *test, int pose);
IMP_API void impDropTest_Free(impDropTest *test);  // before its part

// Blocks that journals hold: to be read, or to be merged with those of several programs.
typedef struct impJournal impJournal;
IMP_API impJournal *impJournal_Read(const char *folder, uint64_t identity, int families, int poses,
                                    impError *err);
IMP_API int64_t impJournal_Count(const impJournal *journal, bool fine);
// number of the i-th that is there
IMP_API int64_t impJournal_Block(const impJournal *journal, bool fine, int64_t i);
// of its numbers; or NULL
IMP_API bool impJournal_Find(const impJournal *journal, bool fine, int64_t block,
                             impDropTally *tally);
IMP_API void impJournal_Free(impJournal *journal);
// how many of so many are dropped finely
IMP_API int64_t impCheck_Drops(double check_part, int64_t drops);

// --- One collision -------------------------------------------------------------------------------
// Two bodies meet in a point for no time at all. In the frame of the contact, two tangents and then
// the normal from b to a, the velocity u of a against b changes by k p, where p is the impulse on a
// and k, in 1/kg, is symmetric and positive definite. Coulomb's law holds at every instant of the
// collision; the law of restitution says when it ends.
typedef struct impImpactDef {
    double k[3][3];
    impVec3 u;                                 // m/s; z negative: approaching
    double friction_static, friction_dynamic;  // static 0: as dynamic
    double restitution;                        // 0 to 1
    impLaw law;
} impImpactDef;

typedef enum impStage { IMP_COMPRESSION, IMP_RESTITUTION } impStage;
// ray: sliding on after a stop, in a straight line
typedef enum impMode { IMP_SLIDE, IMP_STICK, IMP_RAY } impMode;
// pz: N s, of this phase
typedef struct impImpactPhase {
    impStage stage;
    impMode mode;
    double pz;
} impImpactPhase;
// more than any collision has
enum { IMP_PHASES = 12 };

typedef struct impImpact {
    impVec3 p, u;          // N s on a; m/s afterwards
    double energy_change;  // J
    double compression;    // N s; normal impulse until u.z first was 0
    bool gain;             // energy was created: Newton's law with friction can
    int steps;             // series that were needed
    int phase_count;
    impImpactPhase phases[IMP_PHASES];
} impImpact;

// p: so far
typedef struct impImpactSample {
    impStage stage;
    impMode mode;
    impVec3 u, p;
} impImpactSample;

IMP_API bool impImpact_Solve(const impImpactDef *def, impImpact *impact, impError *err);
IMP_API int impImpact_Path(const impImpactDef *def, impImpactSample *samples, int capacity,
                           impError *err);
// points of the path of u; returns how many there are,
// -1: refused
// du / dp_z there; zero: refused
IMP_API impVec3 impImpact_Slope(const impImpactDef *def, double ux, double uy);

// --- Contact problems from files -----------------------------------------------------------------
// Impulses r of many contacts such that u = W r + q, where W and q are given: of each contact a
// normal and two tangential components, in this order. 0 <= r_n, u_n >= 0, r_n u_n = 0 and
// Coulomb's law, |r_t| <= mu r_n against the slip u_t. docs/reference/contact-problems.md has the
// format of the files. Each solve starts from r = 0.
typedef struct impProblem impProblem;

typedef struct impProblemDef {
    const char *solver;  // impCatalogue(IMP_PROBLEM_SOLVERS); NULL: "automatic"
    double tolerance;    // of the residual; 0: 1e-8
    int iterations;      // most of them; 0: the solver's own number
    int directions;      // of friction, where the cone is a polyhedron; even, up to 64; 0: 8
} impProblemDef;

typedef struct impProblemReport {
    const char *solver;  // that gave the answer
    double residual;     // 1: |r - P(r - (u + mu |u_t| n))| / |q|, where P is the nearest point of
                         //   the friction cones; velocities count as impulses
    int iterations;
    bool solved;           // residual <= tolerance
    double cone_residual;  // 1: as residual, but of the true cone with any solver; that of solver
                           //   lemke is of its polyhedral problem
} impProblemReport;

IMP_API impProblem *impProblem_Load(const char *path, const impLoadDef *def, impError *err);
IMP_API impProblem *impProblem_Parse(const char *text, size_t length, const char *name,
                                     const impLoadDef *def, impError *err);
IMP_API int impProblem_ContactCount(const impProblem *problem);
// largest |W_ij - W_ji| by largest |W_ij|
IMP_API double impProblem_Asymmetry(const impProblem *problem);
// false: an unknown solver, too many contacts for it, or no memory
IMP_API bool impProblem_Solve(impProblem *problem, const impProblemDef *def,
                              impProblemReport *report, impError *err);
// r and u of the last solve, three numbers a contact
IMP_API void impProblem_Answer(const impProblem *problem, double *impulses, double *velocities);
IMP_API void impProblem_Free(impProblem *problem);

// --- Catalogue: what this build knows ------------------------------------------------------------
typedef enum impShelf {
    IMP_SHAPES,
    IMP_JOINTS,
    IMP_MOTIONS,
    IMP_METHODS,
    IMP_FORMATS,
    IMP_SOLVERS,
    IMP_SCHEMES,
    IMP_PROBLEM_SOLVERS  // of contact problems from files
} impShelf;
typedef struct impEntry {
    const char *name;            // NULL: no such row
    char measures[96];           // what it is given
    const char *about, *source;  // source: the paper it follows
} impEntry;
// rows 0, 1, ... until name is NULL
IMP_API impEntry impCatalogue(impShelf shelf, int row);
IMP_API const char *impVersion(void);

#ifdef __cplusplus
}
#endif
