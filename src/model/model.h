// model.h -- the door of model/: the scene one edits, the model it compiles to, and the state that
// changes.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "base/base.h"
#include "joint/joint.h"
#include "num/num.h"
#include "shape/shape.h"

#include <stdatomic.h>

// --- scene.c: as written down --------------------------------------------------------------------
// Definitions are copied, strings and lists included. Each remembers where its parts were said, so
// that a check made later can point there; a part that was not said points at its object.
typedef enum BodyPart {
    BODY_ITSELF,
    BODY_SHAPE,
    BODY_MASS,
    BODY_CENTER,
    BODY_INERTIA,
    BODY_POSITION,
    BODY_ORIENTATION,
    BODY_VELOCITY,
    BODY_SPIN,
    BODY_MATERIAL,
    BODY_MOTION,
    BODY_PLANE,
    BODY_PARTS
} BodyPart;

typedef struct SceneShape {
    impShapeDef def;
    Where at, material_at;
    const char *file;  // of a mesh, as written; NULL: points given
    double file_scale;
} SceneShape;

typedef struct SceneBody {
    impBodyDef def;  // def.shapes is not used: see shapes
    SceneShape *shapes;
    Where at[BODY_PARTS];
    int like;  // first body of the same "repeat", whose shapes it shares; -1: none
} SceneBody;

typedef struct SceneMaterial {
    impMaterialDef def;
    Where at;
    bool friction_given, restitution_given;
} SceneMaterial;
typedef struct ScenePair {
    impPairDef def;
    Where at;
    bool friction_given, restitution_given;
} ScenePair;
typedef struct SceneJoint {
    impJointDef def;
    Where at;
} SceneJoint;

struct impScene {
    Pool pool;
    const char *about, *source, *file;
    impVec3 gravity;
    Where gravity_at, run_at;
    SceneMaterial *materials;
    ScenePair *pairs;
    SceneBody *bodies;  // bodies[i] is impBody {i + 1}
    SceneJoint *joints;
    int material_count, pair_count, body_count, joint_count;
    int material_room, pair_room, body_room, joint_room;
    impRunDef run;
    bool strict;
    bool about_lost;  // there was no memory for it; the build says so
    const char **warnings;
    int warning_count, warning_room;
};

impScene *scene_new(const char *file);
// last one is valid only
SceneBody *scene_add_body(impScene *scene, const impBodyDef *def, Where at, impError *err);
// until the next
SceneBody *scene_repeat_body(impScene *scene, int like, const char *name, impPose pose,
                             impError *err);
// copied
bool scene_set_shapes(impScene *scene, int body, const SceneShape *shapes, int count,
                      impError *err);
SceneMaterial *scene_add_material(impScene *scene, const impMaterialDef *def, Where at,
                                  impError *err);
ScenePair *scene_add_pair(impScene *scene, const impPairDef *def, Where at, impError *err);
SceneJoint *scene_add_joint(impScene *scene, const impJointDef *def, Where at, impError *err);
bool scene_warn(impScene *scene, impError *err, Where at, const char *format, ...)
    PRINTF_LIKE(4, 5);

// --- build.c: checked and compiled ---------------------------------------------------------------
typedef struct Body {
    // first what is asked for at every look, so that it is on the same cache lines
    _Alignas(CACHE_LINE) impRole role;
    int first_shape, shape_count;  // shared by bodies of one "repeat", and by alike neighbours
    int free;                      // its number among the free bodies; -1: not one of them
    impVec3 center;                // of mass, in its frame
    double bounding_radius;  // no point is farther from the centre of mass (kinematic: from the
                             // origin)
    bool bounded;            // has shapes, all of finite size
    bool round;  // dynamic: its box is that wide on every axis, as a ball's is however it turns
    double moments[3];
    impQuat axes;  // principal axes to body axes
    // then what an impulse asks for
    double mass;
    impVec3 low, high;              // box of its shapes in its frame
    Mat3 inertia, inertia_inverse;  // about the centre of mass, body axes
    int q, v;                       // first index of its coordinates and velocities
    double smallest_extent;         // smallest extent of its smallest shape
    double extent;                  //   or that of the body, if much larger (build.c)
    const char *name;
    int parent, joint;            // the body that carries it (0: the world), row of joint_kinds
    impPose in_parent, in_child;  // of the joint's two frames
    impPose pose0;                // of its frame, at t = 0
    impTwist twist0;
    PieceTree pieces;  // over its shapes, where they are many and none is a plane
    int first_motion, motion_count;
    impVec3 plane;  // unit normal of the plane in which it moves, world axes; 0: it moves freely
    bool flawed;    // while building: its shapes were refused, so that nothing follows from them
} Body;
enum { BODY_FRONT = offsetof(Body, mass) };

typedef struct Joint {  // as written
    const char *name;
    int kind, parent, child;
    bool closing;                 // ties two bodies that the tree already carries
    impPose in_parent, in_child;  // distance: the origins are the two points
    double rest;                  // distance
    bool limited;
    double lower, upper;
} Joint;

typedef struct Material {
    const char *name;
    double friction_static, friction_dynamic, restitution, density;
} Material;

// first index of each field; in doubles
typedef struct Layout {
    int time, q, v, anchor, sleep_counter, half_kick, contact_count, contacts, total;
} Layout;
// t0, x, q, v, w of a free body's flight
enum { ANCHOR = 14 };
// ncontacts: capacity of the contact memory
typedef struct Sizes {
    int nq, nv, nfree, ncontacts;
} Sizes;

// What a step of a fixed-step method leaves behind of a contact that lasts. A row of doubles of the
// state: the first contact_count entries of its field `contacts`, in the order of (a, b, feature).
typedef struct ContactMemory {
    double a, b;                       // bodies
    double feature_high, feature_low;  // upper and lower 32 bits
    double mode;                       // ContactMode at the end of the last step
    impVec3 force;                     // N, on a, world axes: mean of the last step
    impVec3 slip;                      // m/s, world axes: mean of the last step
} ContactMemory;
// of a state: 1.5 GB
enum { MOST_CONTACTS = 16000000 };
enum { CONTACT_MEMORY = sizeof(ContactMemory) / sizeof(double) };

// run_choices.c: the choices of a run that have names. The place in impRunDef holds an enum whose
// value 0 is the default.
typedef struct RunChoice {
    const char *key;
    size_t place;
    const char *const *names;
    int count;
} RunChoice;
extern const RunChoice run_choices[];
extern const int run_choice_count;
int run_choice_get(const RunChoice *choice, const impRunDef *run);
void run_choice_set(const RunChoice *choice, impRunDef *run, int value);
enum { MOST_SWEEPS = 1000000 };  // before shock propagation

struct impModel {
    Pool pool;
    uint64_t id;  // hash of the contents: tells states of different models apart
    const char *about, *source;
    impVec3 gravity;
    impRunDef run;
    Body *body;
    int body_count;  // with the world
    Shape *shape;
    int shape_count, shape_room;
    Geometry geometry;
    Motion *motion;
    int motion_count, motion_room;
    Joint *joint;
    int joint_count;
    int *free_body;   // bodies[...] that fly
    int plane_count;  // free bodies that move in a plane
    Material *material;
    int material_count;
    impPairLaw *pair;  // material_count squared
    Sizes sizes;
    Layout layout;
    double *start;  // the state at t = 0
    char **warnings;
    int warning_count, warning_room;
    bool warning_lost;  // there was no memory for it; the build fails
    int32_t *by_name;   // bodies sorted by name
};

// m: positions beyond lose the micrometre (ulp 1.2e-7 m)
#define FARTHEST 1e9
#define FASTEST  1e8  // m/s, rad/s: refused above, never clamped

bool model_warn(impModel *model, Where at, const char *format, ...) PRINTF_LIKE(3, 4);
// NULL: the processor rounds as we need it; else what is wrong
const char *model_arithmetic(void);

// materials.c, solids.c, tree.c: parts of the build. Each reports all it finds wrong and returns
// false if anything was.
bool model_build_materials(impModel *m, const impScene *scene, impError *err);
bool model_build_shapes(impModel *m, const impScene *scene, impError *err);
bool model_build_mass(impModel *m, const impScene *scene, impError *err);
// -1: unknown
int model_find_material(const impModel *m, const char *name, Where at, const char *who,
                        impError *err);
bool model_build_tree(impModel *m, const impScene *scene, impError *err);
// planes.c: bodies that move in a plane
bool model_build_planes(impModel *m, const impScene *scene, impError *err);
// q, v of joints
bool model_start_tree(impModel *m, const impScene *scene, double *q, double *v, impError *err);

// --- state.c: everything that changes ------------------------------------------------------------
// Doubles that say something: all but the unused entries of the contact memory, which are zero.
size_t model_state_used(const impModel *m, const double *data);
// For methods without contact memory: v becomes the velocity at this time, and the memory is empty.
void model_state_forget(const impModel *m, double *data);

struct impState {
    uint64_t model_id;
    size_t count;      // doubles in data
    atomic_flag busy;  // someone is stepping it
    double data[];
};

Layout model_layout(const Sizes *n);
void model_field_at(const impModel *m, int index, char *out, size_t size);  // "v[3], body 'plank'"
// of the body with that number; -1: of none
int model_body_of(const impModel *m, int index);
