// poses.h -- what the parts of `impel poses` share (inside cli/): a part, a plan, the blocks of its
// drops, what they add up to.
//
// The command is poses.c; a part comes from poses_part.c, a plan from poses_plan.c. The library
// runs the test (impDropTest); poses_run.c hands it what is the command's own: progress, rows of
// CSV, trials by the general engine (poses_settle.c). poses_surface.c says when a trial on what
// moves is over; poses_folder.c makes the folder of a journal, poses_merge.c adds up shards,
// poses_replay.c shows one trial; poses_classes.c groups what is the same by rotation;
// poses_report.c, poses_json.c and poses_page.c tell what came out.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "cli.h"

// of a page: drops on the sphere
enum { POSES_WARNINGS = 16, POSES_SAMPLES = 20000 };

// --- poses_part.c: PART, an STL, an OBJ or a scene with one body ---------------------------------
typedef struct PosesPart {
    const char *path;
    impScene *scene;  // with the one body; this and the next are NULL in a merged report
    impModel *model;
    impBody body;
    impPart *part;
    impPartReport report;
    impMass mass;
    int rests;  // poses
    impRest *rest;
    int families;
    impFamily *family;
    uint64_t hash;         // of hull, mass properties and poses: is it the same part?
    impPairLaw law;        // what the scene's materials say; of a mesh the defaults
    const char *law_from;  // who says it: "the scene"
    double gravity;        // m/s^2
    bool mesh;             // a file without units
    double density;        // kg/m^3, of a mesh; 0: a mass was given
} PosesPart;

// --- poses_plan.c: everything else that decides a result -----------------------------------------
typedef struct PosesPlan {
    impDropDef def;                           // with its defaults filled in
    int64_t drops;                            // asked for; with ci the most
    double ci;                                // 0: not asked for
    bool engine;                              // by the general engine, each trial to rest
    bool fixed_law;                           // mu, e or the law were given as options
    const char *orientation, *surface;        // files; NULL: uniform, a level plane
    uint64_t orientation_hash, surface_hash;  // of their bytes
    impQuat *orientations;
    impCheck check;
    double check_part;  // of the drops: how many are dropped finely, too
    uint64_t identity;  // of the test: equal, and the blocks of two may be added up
    double dwell;       // s: how long a pose must last on a surface that moves; 0: it does not
} PosesPlan;

// --- output --------------------------------------------------------------------------------------
// start (down in body axes) and end of a trial
typedef struct PosesSample {
    impVec3 down;
    int32_t family, rest;
} PosesSample;

// s, of the wall
typedef struct PosesTime {
    double part, stage, drops, check, page, all;
} PosesTime;

typedef struct PosesResult {
    const PosesPart *part;
    PosesPlan plan;
    impDropDef def;            // plan.def
    bool settled;              // by the general engine, trial by trial
    impDropTally usual, fine;  // a prefix of whole blocks; finer drops of some of the same trials
    bool own_tallies;          // to be freed; else a test's
    impDropCheck check;
    int64_t first_failed;     // a trial; -1: none, or not known
    int64_t shard, shards;    // shards 0: all of it
    const impDropMark *mark;  // of a shard: its blocks
    int64_t marks;
    bool interrupted;
    int threads;
    PosesTime time;
    double cpu;   // s
    double rate;  // drops a second, of this session; 0: none was made
    int warning_count;
    char warnings[POSES_WARNINGS][640];
    PosesSample *sample;  // the first of them, for the page
    int samples;
} PosesResult;

// --- poses_classes.c: families that a rotation makes one -----------------------------------------
typedef struct PosesClass {
    int family;  // the first of them, and its lowest pose
    int pose;
    int families, poses;  // how many
    int64_t count;
    double quasi_static;
} PosesClass;
// class_of_family may be NULL; NULL: no memory
PosesClass *cli_poses_classes(const PosesResult *result, int *count, int *class_of_family);

// EXIT_OK, or the code; said why
int cli_poses_part(PosesPart *part, Cli *cli, const char *path, PosesResult *result);
void cli_poses_part_free(PosesPart *part);
bool cli_poses_is_mesh(const char *path);                              // .stl, .obj
int cli_poses_plan(PosesPlan *plan, Cli *cli, const PosesPart *part);  // the same
void cli_poses_plan_free(PosesPlan *plan);
const char *cli_check_name(impCheck check);  // "quick"
// FNV-1a of its bytes; false: cannot be read
bool cli_hash_file(const char *path, uint64_t *hash);

uint64_t cli_fnv(uint64_t hash, const void *bytes, size_t count);
// low byte first
static inline uint64_t cli_fnv_number(uint64_t hash, uint64_t number, int bytes) {
    for (int i = 0; i < bytes; i++) {
        hash = (hash ^ (number >> 8 * i & 255)) * 0x100000001B3u;
    }
    return hash;
}
static const uint64_t FNV_START = 0xCBF29CE484222325u;

// tells and keeps it
void cli_poses_warn(PosesResult *result, const char *format, ...) PRINTF_LIKE(2, 3);
void cli_poses_doubts(PosesResult *result);  // the warnings that follow from the numbers
bool cli_poses_report(const PosesResult *result, FILE *out);  // false: no memory
void cli_poses_json(const PosesResult *result, FILE *out);
// what of it is known before the first drop; false: no memory or room
bool cli_poses_manifest(const PosesResult *result, FILE *out);
void cli_poses_result_free(PosesResult *result);
// keys of both that must be equal for two to belong together
extern const char *const cli_poses_parameters[];

// --- poses_settle.c: one trial by the general engine ---------------------------------------------
// A scene with a level plane at z = 0 (or the one of --surface) and the part, whose hull touches,
// with the part's own mass and the law of the drops. Made once; a trial sets the state to
// impDrops_Start and steps until the part sleeps. where it came to rest: m, rad
typedef struct PosesPlace {
    double x, y, yaw;
} PosesPlace;
typedef struct PosesRest {  // how a trial ended
    impDropOutcome outcome;
    PosesPlace place;
} PosesRest;
typedef struct PosesSurface {  // how the surface moves
    bool moves;                // some of it is driven
    double cycles;             // s: what its motions take to show all they do; 0: no motion repeats
    double dwell;              // s: so long a pose must last where it moves
    double grace;              // s: so long the part may fly in between
} PosesSurface;
typedef struct PosesStage {
    Cli *cli;
    const PosesPart *part;
    const impDrops *drops;  // how trials begin
    bool level;             // a plane: a pose is certain; else the face that looks down most
    impScene *scene;
    impModel *model;
    impBody body;
    impState *zero;         // before a trial is set
    double dt, most;        // s: of a step, of a trial
    double deadline;        // s of cli_wall: a trial that takes longer is unresolved; 0: none
    uint64_t surface_hash;  // of its file, and of the shapes of all its meshes
    PosesSurface surface;
} PosesStage;
int cli_poses_stage(PosesStage *stage, Cli *cli, const PosesPart *part, const PosesPlan *plan,
                    const impDrops *drops);
void cli_poses_stage_free(PosesStage *stage);
// Trials [first, first + count) in parallel; a signal ends it early. How many were done, in order;
// negative: no memory.
int64_t cli_poses_settle(const PosesStage *stage, int64_t first, int64_t count, int threads,
                         PosesRest *rests);
// Parts of one trial.
// false: err
bool cli_poses_start(const PosesStage *stage, impState *state, int64_t trial, impError *err);
int cli_poses_face_down(const PosesStage *stage, const impState *state);  // the pose it is in

// --- poses_facets.c: the hull of a part for the general engine -----------------------------------
// as an impShapeDef takes it: each face with its count before it
typedef struct PosesHull {
    impVec3 *point;
    int32_t *face;
    int points, ints;
} PosesHull;
// flat sides as one polygon each; false: no memory
bool cli_poses_hull(const PosesPart *part, PosesHull *hull);
void cli_poses_hull_free(PosesHull *hull);

// --- poses_surface.c: trials on a surface of one's own -------------------------------------------
typedef struct PosesWatch {  // what is known of a trial so far; zeros: nothing
    int pose;                // that it is in
    int certain;             // 1 + the pose that it cannot leave on its support; 0: none
    int rest_steps, steps;   // steps at rest against its support, on end; steps made
    bool moving;             // the support it last touched is driven
    double since, touched;   // s: in this pose since; in contact at
    impVec3 center;          // of mass, and attitude, one step ago
    impQuat rotation;
} PosesWatch;
// EXIT_OK, or the code; said why
int cli_surface_study(PosesStage *stage, const PosesPlan *plan);
// After a step in which the part did not fall asleep. True: the trial is over, in this pose or
// IMP_LEFT, since watch->since.
bool cli_surface_watch(const PosesStage *stage, const impState *state, const impOutcome *outcome,
                       PosesWatch *watch, int *rest);

// --- poses_manifest.c ----------------------------------------------------------------------------
// false: why; free it even so
bool cli_manifest_read(JsonTree *tree, const char *path, size_t most, char *why, size_t size);

// --- poses_head.c: what a manifest or a shard says before it counts ------------------------------
// Is it about the same drops? False: said on what they differ, with both values.
bool cli_poses_belong(const JsonTree *a, const char *a_name, const JsonTree *b, const char *b_name);
// The part, without its shape, and the plan. False: not of our making. What it points to lies in
// the tree.
bool cli_poses_head(const JsonTree *tree, PosesPart *part, PosesResult *result);

// --- poses_folder.c: the folder of a journal, and the manifest in it -----------------------------
// made, or taken up. EXIT_OK, or the code; said why
int cli_poses_folder(const char *folder, const PosesResult *head, bool resume);
int cli_journal_fault(const impError *err);  // says it; the code

// --- poses_run.c ---------------------------------------------------------------------------------
typedef struct PosesEarly {
    int32_t family, rest;
} PosesEarly;
typedef struct PosesRun {
    Cli *cli;
    PosesResult *result;
    impDropTest *test;
    PosesStage *stage;  // NULL: by the drops
    FILE *csv;          // NULL: none
    const char *csv_path;
    PosesRest *rest;    // of a block, by the general engine
    PosesEarly *early;  // ends of the first trials, for the page; NULL: there is none
    int earlies;
    double shown;  // s: when the bar was
    bool bar, csv_failed;
} PosesRun;
// makes run->test of the result's plan. EXIT_OK, or the code; said why
int cli_poses_test(PosesRun *run);
// EXIT_OK, 128 + a signal with a prefix in the result, or a code; said why
int cli_poses_run(PosesRun *run);
bool cli_poses_samples(PosesRun *run);  // for the page; false: no memory

// --- poses_merge.c, poses_replay.c ---------------------------------------------------------------
int cli_poses_merge(Cli *cli);
int cli_poses_verify(Cli *cli);
int cli_poses_replay(Cli *cli);

// --- poses.c -------------------------------------------------------------------------------------
// of its part and plan
int cli_poses_drops(PosesResult *result, Cli *cli, impDrops **drops);
int cli_poses_write(const PosesResult *result, const char *path, bool force);  // .json
int cli_poses_threads(const Options *opt);
// if set: called when the journal is open, or is not (cli/mpi)
extern void (*cli_poses_joined)(int code);

// --- poses_page.c: the page ----------------------------------------------------------------------
// a trial made again by the general engine, for the page
typedef struct PosesExample {
    int64_t trial;
    int family, rest;     // by the general engine
    int certified;        // family by the drops; differs where the two disagree
    struct PageRun *run;  // page.h: the samples of its run
} PosesExample;
// One of them (poses_replay.c); its run is freed with cli_page_free. EXIT_OK, or the code; said
// why.
int cli_poses_example(const PosesStage *stage, const impDrops *drops, bool certified, int64_t trial,
                      PosesExample *example);
// The page of a result with its samples. EXIT_OK, or the code; said why.
int cli_poses_page(Cli *cli, const PosesResult *result, const impDrops *drops, const char *path);
