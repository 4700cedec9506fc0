// iterated.h -- what the files of the method `iterated` share: all contacts of an island at once,
// by impulses at nodes of time and exact flights in between.
//
// Bender & Schmitt 2006; docs/theory/iterated.md. Each island has a node at the beginning of the
// step, for all that touches until its end; bodies that arrive within the step and bounce have
// local nodes at their own time. Files call downwards only, in this order:
//
//   iterated.c          the step: begin, contact set, nodes, events, end
//   iterated_sleep.c    which bodies fall asleep, and which wake
//   iterated_event.c    arrivals within the step, in the order of time
//   iterated_node.c     a node: impacts, contact problem, what its impulses do
//   iterated_impact.c   impacts of a node, in rounds
//   iterated_rows.c     a contact point as a row: what it does until the end of the step
//   iterated_set.c      the contact set, its pairs and islands
//   iterated_memory.c   arrays, and the contact memory in the state
//
// SPDX-License-Identifier: MIT
#pragma once
#include "contact/contact.h"
#include "method/journal.h"
#include "method/method.h"

bool method_iterated_accepts(const impModel *m, impError *err);
size_t method_iterated_scratch(const impModel *m);
Progress method_iterated_step(const impModel *m, double *next, const double *input, double h,
                              Arena scratch, const MethodOptions *options);

// 1, of the smaller body's smallest extent: points that are nearer are in the contact set however
// slow they are, for others may push them together
#define ITERATED_NEAR 0.005

// A step whose contact problems are solved to a residual: 1, of max(g h, level / h).
Progress iterated_make_step(const impModel *m, double *next, const double *input, double h,
                            Arena scratch, const MethodOptions *options, double residual);

// Capacities of the arrays of a step: functions of the model alone.
typedef struct IteratedCapacity {
    int pairs;     // of bodies whose swept boxes overlap
    int points;    // contact points, and rows of a contact problem
    int smooth;    // points on smooth surfaces
    int contacts;  // records of the contact log
    int rows;      // entries of the contact memory
} IteratedCapacity;

// What does not change within a step.
typedef struct IteratedSettings {
    const impModel *model;
    IteratedCapacity capacity;
    double begin, end, h;  // s: of the step
    const double *input;   // forces and torques; NULL: none
    const MethodOptions *options;
    double residual;   // 1, of max(g h, level / h): of contact problems
    double level;      // m: gap at which bodies touch, half of the contact band
    double touching;   // m: a point that is nearer to the level has arrived
    double threshold;  // m/s: a slower approach is not an impact, (3)
    double tolerance;  // m/s: of contact problems
    double gravity;    // m/s^2
    double margin;     // m: by which swept boxes are larger than bodies that fly as they do
} IteratedSettings;

// A flight until the end of the step: what a motion was found for.
typedef struct IteratedFlight {
    double time, ahead;  // s
    impVec3 v, w;
} IteratedFlight;

typedef struct IteratedBodies {
    Actor *actor;            // by body
    Tumble *tumble;          // by body
    Extent *extent;          // by shape
    double *sleep_counter;   // by free body, in the state
    int32_t *woken;          // list of bodies
    impTwist *start;         // m/s, rad/s, by body: at the beginning of the step
    SetPiece *piece;         // by body: at the beginning of the step
    SetMotion *motion;       // by body: until the end of the step
    IteratedFlight *flight;  // by body: that of its motion
    impTwist *kick;          // m/s, rad/s, by body: change by all impulses of lasting contacts
    impTwist *last_kick;     // the same of the last step
} IteratedBodies;

// A contact point of a node.
typedef struct IteratedPoint {
    SetPoint set;
    int32_t pair;          // slot
    int32_t row;           // of the contact problem; -1: an arrival later in the step
    impVec3 t1, t2;        // frame: tangents
    impVec3 arm_a, arm_b;  // m, world axes
    double gap;            // m: beyond the contact level
    impVec3 c;             // m/s, frame: what the flight to the end adds to the velocity
    double gap_at_end;     // m: beyond the contact level, as the bodies fly now
    impVec3 support;       // m/s, frame: of b, if that is not free
    bool is_impact;        // in a crowd: it arrives within the step and bounces
    double rest, rebound;  // s, m/s: an impact: from the arrival to the end, normal velocity there
    const ContactMemory *last;  // NULL: it was not in contact
} IteratedPoint;

// A pair of bodies whose swept boxes overlap.
typedef struct IteratedPair {
    int32_t i, j;
    int32_t node;         // number of the last node that asked for its points
    int32_t point_count;  // at the last query
    double reach;         // m: of that query, which has no points beyond
} IteratedPair;

typedef struct IteratedSet {
    Broad broad;
    Box moving;            // of all bodies that may move: sleepers outside are left out of `broad`
    bool leaves_out;       // some are
    bool outgrown;         // a body may come out of the box: they have to be taken in
    bool *is_left_out;     // by body
    bool *piece_is_known;  // by body
    IteratedPair *pair;    // by slot
    double *event;         // s, by slot: the pair is asked again then; HUGE_VAL: not in this step
    int slot_count;        // slots in use are below
    NarrowPhase *narrow_phase;
    SetPoint *found;       // of one pair
    SetPoint *batch;       // of some pairs, SET_BOX_POINTS each
    int32_t *batch_count;  // by pair of these
    ContactPoint *smooth;  // list: points on smooth surfaces
    int smooth_count;
    IteratedPoint *point;  // list
    int point_count;
} IteratedSet;

// Bodies and points of all islands, one island after the other, each in ascending order.
typedef struct IteratedIslands {
    int count;
    int32_t *first_body, *first_point;  // by island, and one more
    int32_t *body;                      // list: bodies of the model
    int32_t *point;                     // list: places in IteratedSet.point
    int32_t *index;                     // by body of the model: in the node at work; -1: in none
    int32_t *root;                      // by body of the model: union-find
    int32_t *number;                    // by body of the model: of its island
    double *residual;                   // m/s, by island: natural map of its contact problem
} IteratedIslands;

// A node: some bodies and their contact points at a time.
typedef struct IteratedNode {
    double time, ahead;  // s: and until the end of the step
    bool is_first;       // of an island, at the beginning of the step: what its rows do lasts
    bool is_crowd;       // bounces of its points are rows, too
    const int32_t *body, *point;
    int body_count, point_count;
} IteratedNode;

// A contact that carried something in this step.
typedef struct IteratedContact {
    int a, b;
    uint64_t feature;
    ContactMode mode;
    impVec3 impulse, slip;  // N s, m/s: on a, world axes
} IteratedContact;

typedef struct IteratedMemory {
    const ContactMemory *last;  // of the last step, in the state
    int last_count;
    IteratedContact *contact;
    int32_t *order, *spare;
    int count;
} IteratedMemory;

// One frictional impulse of the impact loop.
typedef struct IteratedImpact {
    int32_t point;                     // of the island
    ContactRow row;                    // its impulse is that of the present phase
    impVec3 total;                     // N s, frame: of all phases
    impVec3 u_before;                  // m/s, frame: without support
    double target;                     // m/s: normal velocity that is asked for
    double preload;                    // N s: normal impulse that has been applied already
    double normal_step, tangent_step;  // N s by m/s
    int32_t group;                     // of points of one pair and normal: the first of them
} IteratedImpact;

// bodies of an island: in a larger one, bounces within the step are rows of its contact problem
enum { ITERATED_CROWD = 50 };
// most contact points of one impact
enum { ITERATED_TIED = 64 };

// Lists of a local node.
typedef struct IteratedLocal {
    int32_t *body, *point, *launched;
    impTwist *before;               // by body of the node: before its impulses
    bool *reaches_on;               // by body of the node: all its contacts are in the node
    int first_point, first_smooth;  // places behind the points of the step's beginning
} IteratedLocal;

typedef struct Iterated {
    IteratedSettings settings;
    IteratedBodies bodies;
    IteratedSet set;
    IteratedIslands islands;
    IteratedMemory memory;
    IteratedLocal local;
    Journal journal;

    // the node at work
    Problem problem;
    int32_t *late_point;  // list: points found at the poses of the end
    int late_count;
    int32_t *row_point;  // by row: place in the node's list of points
    IteratedImpact *impact;
    ContactPoint *tied;  // of one impact
    int32_t *use_count;  // by body of the node: impacts of a round
    int node_number;
    double residual;  // m/s: natural map of the last contact problem
    Arena arena;      // for the solvers
} Iterated;

// A point of the node, or, behind those, one that was found at the poses of the end.
static inline IteratedPoint *iterated_point(const Iterated *it, const IteratedNode *node, int i) {
    int place = i < node->point_count ? node->point[i] : it->late_point[i - node->point_count];
    return &it->set.point[place];
}

// Items that a thread takes at once, and pairs whose points are found at once.
enum { ITERATED_CHUNK = 64, ITERATED_BATCH = 256 };
// Work on items that do not depend on each other, on the threads of the stepper: no bit depends on
// their number.
static inline void iterated_each(const Iterated *it, int count, Work work, void *context) {
    bool many = count >= 4 * ITERATED_CHUNK;
    thread_pool_run(many ? it->settings.options->thread_pool : NULL, count, ITERATED_CHUNK, work,
                    context);
}
// What such work knows: the step, and its node if there is one.
typedef struct IteratedWork {
    Iterated *it;
    const IteratedNode *node;
} IteratedWork;

// True if all that moves of a pair belongs to a crowd: a local node for each of its arrivals would
// cost more than the step.
static inline bool iterated_within_crowd(const Iterated *it, int a, int b) {
    const IteratedIslands *s = &it->islands;
    const int body[2] = { a, b };
    for (int i = 0; i < 2; i++) {
        if (!it->bodies.actor[body[i]].free) continue;
        int k = s->number[body[i]];
        if (k < 0 || s->first_body[k + 1] - s->first_body[k] <= ITERATED_CROWD) return false;
    }
    return true;
}

// --- iterated_memory.c ---------------------------------------------------------------------------
// Takes all arrays. False: the arena is too small.
bool iterated_take_arrays(Iterated *it, const impModel *m, Arena *arena);
// Begins with the contact memory of a state.
void iterated_remember(IteratedMemory *memory, const impModel *m, const double *state);
// The contact of the last step with this feature; NULL: there was none.
const ContactMemory *iterated_find(const IteratedMemory *memory, int a, int b, uint64_t feature);
// Adds what a contact carried. False: stopped, the contact memory is full.
bool iterated_keep(Iterated *it, const IteratedContact *contact);
// Writes the contact memory into the state at the end of the step.
void iterated_store(Iterated *it, double *state);

// --- iterated.c ----------------------------------------------------------------------------------
// Sets the times, the input and the scales of a step.
void iterated_set_times(Iterated *it, double begin, double h, const double *input);
// Deepest overlap that is allowed, m.
double iterated_overlap_limit(const impModel *m);
// At the end of a step: what holds bodies in their planes has an entry in the ledger.
void iterated_book_planes(Iterated *it, const double *input, double h);

// --- iterated_set.c ------------------------------------------------------------------------------
// Finds the points of two bodies where they are, with gaps of at most `within` (m), in set.found.
// Returns their number; negative: stopped.
int iterated_query(Iterated *it, const Actor *a, const Actor *b, double within);
// A point that a query has found, with frame, arms, support and contact memory.
IteratedPoint iterated_make_point(const Iterated *it, const SetPoint *set, int slot);
// Certifies a gap. False: stopped, the overlap is too deep.
bool iterated_check_overlap(Iterated *it, const SetPoint *p);
// Finds all pairs of the boxes as they are; none is due. False: stopped.
bool iterated_update_pairs(Iterated *it);
// Sets all boxes and finds all pairs. False: stopped.
bool iterated_find_pairs(Iterated *it);
// Finds all contact points that come into question until the end of the step. False: stopped.
bool iterated_find_points(Iterated *it);
// Sets the box of a body for the rest of the step.
void iterated_set_box(Iterated *it, int body);
// Bodies that points join are an island.
void iterated_find_islands(Iterated *it);
// Appends the points of a pair whose bodies are at a time, which could touch until the end. Returns
// their number; negative: stopped.
int iterated_add_pair(Iterated *it, int slot, double time);
// The number of points of two bodies with gaps of at most `within` (m).
int iterated_count_points(Iterated *it, const Actor *a, const Actor *b, double within);
// Points of two bodies, deeper than `limit` below the contact level where they are at the end of
// the step; as they are now. Appends those that the pair's points do not have. Returns how many;
// negative: stopped.
int iterated_add_late(Iterated *it, const Actor *a, const Actor *b, const IteratedPoint *of_pair,
                      int count, double limit);
// Sets the boxes of bodies anew that fly otherwise from a time on; new pairs are due then. False:
// stopped.
bool iterated_refresh_pairs(Iterated *it, const int32_t *bodies, int count, double time);

// --- iterated_rows.c -----------------------------------------------------------------------------
// True if the caller pushes or turns a body in this step.
bool iterated_has_input(const Iterated *it, const Body *body);
// The bodies of a node as the solvers need them, with the velocities of their flights.
void iterated_set_bodies(Iterated *it, const IteratedNode *node);
// Bilateral rows of the bodies of a node that move in a plane; until then single impulses keep them
// there.
void iterated_add_planes(Iterated *it, const IteratedNode *node);
// The motion of all bodies of the node until the end of the step, as the solvers have them.
void iterated_set_motions(Iterated *it, const IteratedNode *node);
// Sets what the points of a node do until the end of the step, if its lasting contacts do what they
// did in the last one.
void iterated_predict_all(Iterated *it, const IteratedNode *node);
// Sets what a point does until the end of the step.
void iterated_predict(Iterated *it, const IteratedNode *node, IteratedPoint *point);
// Sets the gaps at the end of the step of the points of all rows.
void iterated_predict_gaps(Iterated *it, const IteratedNode *node);
// The gap (m) beyond the contact level that a point comes to at the end of the step.
double iterated_gap_at_end(Iterated *it, const IteratedNode *node, const IteratedPoint *point);
// The time (s) over which the rows of a node close gaps.
double iterated_span(const Iterated *it, const IteratedNode *node);
// The row of a point without bias and impulse.
ContactRow iterated_row(const Iterated *it, const IteratedPoint *point);
// The point with the frame and the place of its row, as the journal takes it.
ContactPoint iterated_contact(const Iterated *it, const IteratedPoint *point,
                              const ContactRow *row);
// Velocity (m/s, frame) of a against b at a point, as the solvers have the bodies.
impVec3 iterated_velocity(const Iterated *it, const IteratedPoint *point);
// True if a mean slip (m/s) is one, and not what a contact problem leaves unsolved.
bool iterated_slips(const Iterated *it, impVec3 slip);
// True if the point is at the contact level.
bool iterated_touches(const Iterated *it, const IteratedPoint *point);
// The time (s) from the node until a point that does not touch yet arrives and bounces, or has to
// be predicted anew because the bodies rotate; HUGE_VAL: never. Needs iterated_predict.
double iterated_arrival(Iterated *it, const IteratedNode *node, const IteratedPoint *point,
                        impVec3 u);
// Adds the row of a point: `place` in the node's list.
void iterated_add_row(Iterated *it, const IteratedNode *node, int place, impVec3 u);
// Rows, with bias and warm start, of all points but those that arrive later and bounce.
void iterated_set_rows(Iterated *it, const IteratedNode *node);

// --- iterated_impact.c ---------------------------------------------------------------------------
// One round of impacts of points that touch, of the fastest or of all. Returns how many these are;
// negative: stopped.
int iterated_resolve_round(Iterated *it, const IteratedNode *node, bool all);
// Bodies of the node that have another velocity start new flights.
void iterated_launch_bodies(Iterated *it, const IteratedNode *node, double time);
// Impacts of points that touch, in rounds. False: stopped.
bool iterated_resolve_impacts(Iterated *it, const IteratedNode *node);
// Poisson's second problem, of method lcp: rows of impacts have the impulse of the compression, of
// which `rebound` times as much follows; the others keep their laws. Adds to the impulses of the
// rows.
void iterated_restore(Iterated *it, const IteratedNode *node);
// Brings the bodies of a crowd to the end of the step and gives its bounces the velocity w of (8).
// state: at the beginning of the step. False: stopped.
bool iterated_finish_impacts(Iterated *it, const IteratedNode *node, const double *state);

// --- iterated_node.c -----------------------------------------------------------------------------
// Impacts of a node, and its contact problem; the impulses of impacts are applied. False: stopped.
bool iterated_solve_node(Iterated *it, const IteratedNode *node);
// How many points of the pair of a point overlap at the end of the step, if it moves much until
// then.
int iterated_overlaps_at_end(Iterated *it, const IteratedPoint *point);
// Applies the impulses of the contact problem, and sets when pairs of the node arrive. False:
// stopped.
bool iterated_apply_node(Iterated *it, const IteratedNode *node);

// --- iterated_sleep.c ----------------------------------------------------------------------------
// Wakes one body: it flies on from rest.
void iterated_wake(Iterated *it, int body);
// Wakes the sleepers that something moving comes to, and theirs. Needs the pairs of the broad
// phase. False: stopped.
bool iterated_wake_touched(Iterated *it);
// Counts how long bodies have been slow, and lets those fall asleep that can stand still. state: at
// the beginning of the step.
void iterated_fall_asleep(Iterated *it, double *state);

// --- iterated_event.c ----------------------------------------------------------------------------
// Arrivals within the step, in the order of time. False: stopped.
bool iterated_process_events(Iterated *it);
