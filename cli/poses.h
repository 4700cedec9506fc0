// poses.h -- what the parts of `impel poses` share (inside cli/): a part, a plan, the blocks of its drops, what they add up to.
//
// The command is poses.c; a part comes from poses_part.c, a plan from poses_plan.c; poses_blocks.c drops it block by block and
// poses_check.c looks whether finer drops end otherwise; poses_journal.c keeps blocks on disk, poses_merge.c puts shards
// together; poses_settle.c runs single trials through the general engine, to rest, and poses_replay.c shows one of them;
// poses_report.c, poses_json.c and poses_page.c tell what came out.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "cli.h"

enum { POSES_BLOCK = 4096 };                  // trials: the unit of results, of --ci, of Ctrl-C and of the journal
enum { POSES_WARNINGS = 16 };

// --- poses_part.c: PART, an STL, an OBJ or a scene with one body -----------------------------------------------------
typedef struct PosesPart {
    const char *path;
    impScene *scene;                          // with the one body; this and the next are NULL in a merged report
    impModel *model;
    impBody body;
    impPart *part;
    impPartReport report;
    impMass mass;
    int rests;                                // poses
    impRest *rest;
    uint64_t hash;                            // of hull, mass properties and poses: is it the same part?
    impPairLaw law;                           // what the scene's materials say; of a mesh the defaults
    const char *law_from;                     // who says it: "the scene"
    double gravity;                           // m/s^2
    bool mesh;                                // a file without units
    double density;                           // kg/m^3, of a mesh; 0: a mass was given
} PosesPart;

// --- poses_plan.c: everything else that decides a result -------------------------------------------------------------
typedef struct PosesPlan {
    impDropDef def;                           // with its defaults filled in
    int64_t drops;                            // asked for; with ci the most
    double ci;                                // 0: not asked for
    bool engine;                              // by the general engine, each trial to rest
    bool fixed_law;                           // mu, e or the law were given as options
    const char *orientation, *surface;        // files; NULL: uniform, a level plane
    uint64_t orientation_hash, surface_hash;  // of their bytes
    impQuat *turns;
    double bias;                              // how far a probability may be off by the method
    uint64_t probe;                           // hash of some trials: is it the same program, to the bit?
} PosesPlan;

// --- poses_blocks.c: trials in blocks --------------------------------------------------------------------------------
typedef struct PosesBlock {                   // trials [first, first + count)
    int64_t first, count;
    int64_t unresolved, failed;
    int64_t impacts;
    uint64_t hash;                            // of its outcomes in the order of the trials
    int64_t *rest;                            // by pose: how many
} PosesBlock;

typedef struct PosesSample { impVec3 down; int32_t rest; } PosesSample;   // start (down in body axes) and end of a trial

// --- what is told ----------------------------------------------------------------------------------------------------
typedef struct PosesCheck {                   // finer drops of the first trials, beside the usual ones
    int64_t drops, unresolved;                // drops 0: there was no check
    int64_t *count;                           // by pose
    int pose;                                 // the one that shifted most, in its sigmas; -1: too few drops to tell of any
    double shift, sigma;                      // its probability by fine drops less that by usual ones; expected by chance
    double level;                             // sigmas that chance explains, with so many poses
    bool beyond;                              // it is more than chance and more than the method's bias
} PosesCheck;

typedef struct PosesMark { int64_t block; uint64_t hash; } PosesMark;

typedef struct PosesResult {
    const PosesPart *part;
    PosesPlan plan;
    impDropDef def;                           // plan.def
    bool settled;                             // by the general engine, trial by trial
    int64_t drops;                            // trials that were asked for and done: a prefix of whole blocks
    int rests;                                // poses
    int64_t *count;                           // by pose
    int64_t unresolved, failed, impacts;
    int64_t first_failed;                     // a trial; -1: none, or not known
    uint64_t hash;
    PosesCheck check;
    int64_t shard, shards;                    // shards 0: all of it
    PosesMark *mark;                          // of a shard: its blocks
    int64_t marks;
    bool interrupted;
    int threads;
    double wall, cpu;                         // s
    double rate;                              // drops a second, of this session; 0: none was made
    int warning_count;
    char warnings[POSES_WARNINGS][240];
    PosesSample *sample;                      // the first of them, for the page
    int samples;
} PosesResult;

int  cli_poses_part(PosesPart *part, Cli *cli, const char *path, PosesResult *result);   // EXIT_OK, or the code; said why
void cli_poses_part_free(PosesPart *part);
bool cli_poses_is_mesh(const char *path);     // .stl, .obj
int  cli_poses_plan(PosesPlan *plan, Cli *cli, const PosesPart *part);                   // the same
void cli_poses_plan_free(PosesPlan *plan);
bool cli_hash_file(const char *path, uint64_t *hash);                // FNV-1a of its bytes; false: cannot be read

void cli_poses_interval(int64_t count, int64_t of, double *low, double *high);   // 95 %, Wilson 1927
uint64_t cli_fnv(uint64_t hash, const void *bytes, size_t count);
static inline uint64_t cli_fnv_number(uint64_t hash, uint64_t number, int bytes) {   // low byte first
    for (int i = 0; i < bytes; i++) hash = (hash ^ (number >> 8 * i & 255)) * 0x100000001B3u;
    return hash;
}
static const uint64_t FNV_START = 0xCBF29CE484222325u;

void cli_poses_warn(PosesResult *result, const char *format, ...) PRINTF_LIKE(2, 3);     // tells and keeps it
void cli_poses_doubts(PosesResult *result);   // the warnings that follow from the numbers
bool cli_poses_report(const PosesResult *result, FILE *out);         // false: no memory
void cli_poses_json(const PosesResult *result, FILE *out);
bool cli_poses_manifest(const PosesResult *result, FILE *out);       // what of it is known before the first drop; false: no memory or room
void cli_poses_result_free(PosesResult *result);
extern const char *const cli_poses_parameters[];                     // keys of both that must be equal for two to belong together

// --- poses_settle.c: one trial by the general engine -----------------------------------------------------------------
// A scene with a level plane at z = 0 (or the one of --surface) and the part, whose hull touches, with the part's own mass
// and the law of the drops. Made once; a trial sets the state to impDrops_Start and steps until the part sleeps.
typedef struct PosesPlace { double x, y, yaw; } PosesPlace;          // where it came to rest: m, rad
typedef struct PosesRest {                    // how a trial ended
    impDropOutcome outcome;
    PosesPlace place;
} PosesRest;
typedef struct PosesStage {
    Cli *cli;
    const PosesPart *part;
    const impDrops *drops;                    // how trials begin
    bool level;                               // a plane: a pose is certain; else the face that looks down most
    impScene *scene;
    impModel *model;
    impBody body;
    impState *zero;                           // before a trial is set
    double dt, most;                          // s: of a step, of a trial
    uint64_t surface_hash;                    // of its file, and of the shapes of all its meshes
} PosesStage;
int  cli_poses_stage(PosesStage *stage, Cli *cli, const PosesPart *part, const PosesPlan *plan, const impDrops *drops);
void cli_poses_stage_free(PosesStage *stage);
// Trials [first, first + count) in parallel; a signal ends it early. How many were done, in order; negative: no memory.
int64_t cli_poses_settle(const PosesStage *stage, int64_t first, int64_t count, int threads, PosesRest *rests);
// Parts of one trial.
bool cli_poses_start(const PosesStage *stage, impState *state, int64_t trial, impError *err);   // false: err
int  cli_poses_face_down(const PosesStage *stage, const impState *state);       // the pose it is in

// --- poses_manifest.c ------------------------------------------------------------------------------------------------
bool cli_manifest_read(JsonTree *tree, const char *path, size_t most, char *why, size_t size);   // false: why; free it even so

// --- poses_head.c: what a manifest or a shard says before it counts --------------------------------------------------------
// Is it about the same drops? False: said on what they differ, with both values.
bool cli_poses_belong(const JsonTree *a, const char *a_name, const JsonTree *b, const char *b_name);
// The part, without its shape, and the plan. False: not of our making. What it points to lies in the tree.
bool cli_poses_head(const JsonTree *tree, PosesPart *part, PosesResult *result);

// --- poses_journal.c: finished blocks on disk ------------------------------------------------------------------------
typedef struct Journal Journal;
// The folder, made (or with resume taken up), and the journal of one rank in it, locked. EXIT_OK, or the code; said why.
int  cli_journal_open(Journal **journal, const char *folder, const PosesResult *head, int64_t rank, bool resume);
int  cli_journal_read(Journal **journal, const char *folder, int rests);   // all ranks, to look at only
bool cli_journal_find(const Journal *journal, bool fine, int64_t block, PosesBlock *out);   // fills out->rest
int64_t cli_journal_count(const Journal *journal, bool fine);
int64_t cli_journal_number(const Journal *journal, bool fine, int64_t i);  // of the i-th block that is there
int  cli_journal_add(Journal *journal, bool fine, int64_t number, const PosesBlock *block);
int  cli_journal_close(Journal *journal, int code);                        // code, or EXIT_IO

// --- poses_blocks.c --------------------------------------------------------------------------------------------------
typedef struct PosesRun {
    Cli *cli;
    PosesResult *result;
    impDrops *drops, *fine;                   // fine NULL: no check
    PosesStage *stage;                        // NULL: by the drops
    Journal *journal;                         // NULL: none
    FILE *csv;                                // NULL: none
    const char *csv_path;
    int threads;
    int32_t *early;                           // poses of the first trials by the general engine, for the page; may be NULL
    int earlies;
    // for the bar
    double began, shown;
    int64_t fresh, before;                    // trials of this session; trials that were there
    bool bar, checking;
} PosesRun;
int  cli_poses_run(PosesRun *run);            // EXIT_OK, 128 + a signal with a prefix in the result, or a code; said why
int64_t cli_poses_check_blocks(int64_t drops);                       // how many of the first blocks are dropped finely, too
void cli_poses_check(PosesResult *result);    // what the counts of the check say
bool cli_poses_sharp(const PosesResult *result);                     // --ci is reached
bool cli_poses_add(PosesResult *result, bool fine, int64_t number, const PosesBlock *block);   // in order; false: no memory
bool cli_poses_samples(PosesRun *run);        // for the page; false: no memory

// --- poses_merge.c, poses_replay.c -----------------------------------------------------------------------------------
int  cli_poses_merge(Cli *cli);
int  cli_poses_verify(Cli *cli);
int  cli_poses_replay(Cli *cli);

// --- poses.c -----------------------------------------------------------------------------------------------------------
int  cli_poses_drops(PosesResult *result, Cli *cli, impDrops **drops, impDrops **fine);   // of its part and plan; fine may be NULL
int  cli_poses_write(const PosesResult *result, const char *path, bool force);            // .json
int  cli_poses_threads(const Options *opt);
extern void (*cli_poses_joined)(int code);    // if set: called when the journal is open, or is not (cli/mpi)

// --- poses_page.c: the page ------------------------------------------------------------------------------------------
typedef struct PosesExample {                 // a trial made again by the general engine, for the page
    int64_t trial;
    int rest;                                 // by the general engine
    int certified;                            // by the drops; differs where the two disagree
    struct PageRun *run;                      // page.h: the samples of its run
} PosesExample;
// One of them (poses_replay.c); its run is freed with cli_page_free. EXIT_OK, or the code; said why.
int  cli_poses_example(const PosesStage *stage, const impDrops *drops, bool certified, int64_t trial, PosesExample *example);
// The page of a result with its samples. EXIT_OK, or the code; said why.
int  cli_poses_page(Cli *cli, const PosesResult *result, const impDrops *drops, const char *path);
