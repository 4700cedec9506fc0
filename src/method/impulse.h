// impulse.h -- shared by the files of the impulse method; the functions of its row of methods.c.
//
// One step is a loop over events. `Loop` is all that it works on, four parts: the world (settings,
// clock, bodies on their flights), the pairs that may touch, the island at work, and the journal. A
// function takes the parts that it reads and writes, or parts of these; `const World *` may move a
// body along its flight, and only `World *` gives it another. The whole is for those who write to
// all four: eleven functions that run a stage of the loop, which are
//
//   impulse_take_arrays, and begin, run_intervals, run_interval of impulse.c
//   impulse_process_pair, and resolve_impact, resolve_microcollision of impulse_event.c
//   impulse_find_simultaneous, impulse_impact_simultaneous, impulse_impact, impulse_microstep
//
// Files call downwards only, in this order:
//
//   impulse.c                       a step: begin, intervals, end
//   impulse_interval.c              one interval: swept boxes, first queries
//   impulse_event.c                 one event: later, an impact or a micro-step
//   impulse_simultaneous.c, impulse_impact.c, impulse_microstep.c, impulse_reversal.c
//   impulse_friction.c, impulse_last_slip.c, impulse_stick_slip.c, impulse_sleep.c,
//   impulse_warm_start.c
//   impulse_island.c
//   impulse_wake.c, impulse_narrow.c, impulse_pairs.c, impulse_queue.c, impulse_cache.c
//   impulse_verdict.c               how a step ends early
//   impulse_memory.c                capacities and arrays
//   journal.c                       contact log, ledger, certificate, verdict
//
// Theory: docs/theory/microcollisions.md; numbers in brackets are its equations.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "method/journal.h"

bool method_impulse_accepts(const impModel *m, impError *err);
size_t method_impulse_scratch(const impModel *m);
Progress method_impulse_step(const impModel *m, double *next, const double *input, double h,
                             Arena scratch, const MethodOptions *options);

// --- parts of a step -----------------------------------------------------------------------------

// Capacities of the arrays of a step: functions of the model alone.
typedef struct Capacity {
    int pairs;          // pairs of bodies whose swept boxes overlap
    int points;         // contact points of an island
    int contacts;       // records of the contact log
    int solver_bodies;  // bodies of an island for which Newton's method has a matrix
} Capacity;

// Constants of a step.
typedef struct Settings {
    const impModel *model;
    double band, level;         // m: contact band and contact level (1)
    double event_tolerance;     // m: the least tolerance of an event (2)
    double gravity_substitute;  // m/s^2: g_0 of (23); 0 where gravity pulls
    Capacity capacity;
} Settings;

// Times of the event loop, s.
typedef struct Clock {
    double now;           // of the event at work
    double interval_end;  // events after it belong to a later interval
    double last_event;    // latest time processed so far, of all intervals
} Clock;

// Bodies on their flights.
typedef struct Flights {
    Actor *actor;           // by body
    Tumble *tumble;         // by body: of flights that tumble
    Extent *extent;         // by shape: its size, for bounds on times of impact
    double *sleep_counter;  // by free body, in the state: micro-steps at rest in a row
    double *waits_until;    // s, by body: its contact points may wait for others until then
    double *lands_at;       // s, by body: end of the flight of its last micro-step, at the latest
    int *woken;             // list of bodies: scratch of impulse_wake
} Flights;

// Two bodies whose swept boxes overlap; its slot is that of the broad phase.
typedef struct Pair {
    double time;        // s: of the next narrow-phase query
    int32_t i, j;       // bodies, i < j
    int32_t stamp;      // of the last island that asked for its points
    int32_t instant;    // ImpactRounds.instant of its last impact
    int32_t rounds;     // impacts at that instant before the last one
    bool cached;        // its slot of the narrow-phase cache is its own
    bool warm_started;  // its slot of the warm start is its own
} Pair;

// A pair in the heap, with all that the order asks for.
typedef struct QueueEntry {
    double time;
    int32_t i, j, slot;
} QueueEntry;

// Pairs of the broad phase, and a heap of those that are due within the interval.
typedef struct PairQueue {
    Broad broad;
    Pair *pair;         // by slot
    QueueEntry *heap;   // earliest first
    int32_t *place;     // by slot: place in the heap; -1: not in it
    int32_t *partners;  // list of slots: result of impulse_partners and impulse_due_by, which each
                        // call, impulse_refresh and waking overwrite; impulse_due_by sorts in its
                        // second half
    int heap_count;
    int32_t prefetched;  // slot of the pair whose memory was prefetched last
} PairQueue;

// Narrow-phase cache: results of the last query of a pair, for its next one. Changes no bit of a
// result.
typedef struct PairCache {
    NarrowCache *narrow;   // by slot: distance at the last query
    SeparatingAxis *axis;  // by slot, axis_count each
    int axis_count;
    StartFeature *start_feature;  // by slot, start_feature_count each: where searches start
    int start_feature_count;
} PairCache;

// The narrow-phase query at work.
typedef struct PairQuery {
    NarrowPhase *narrow_phase;    // near pieces of the two bodies
    ContactPoint *contact_point;  // their contact points
} PairQuery;

// Mean contact force of the last micro-step: N, world axes, at a place of body a, m, body axes.
typedef struct WarmPoint {
    uint64_t feature;
    impVec3 force, at;
} WarmPoint;

// The last micro-step of a pair.
typedef struct WarmPair {
    double time, T;        // s: when it began, and its duration
    int32_t first, count;  // its forces in WarmStart.point
    int32_t room;          // for so many
    int32_t era;           // valid if it is that of the warm start
} WarmPair;

// Contact forces of the last micro-steps, from which the next ones start.
typedef struct WarmStart {
    WarmPair *pair;  // by slot
    WarmPoint *point;
    int point_count;
    int era;  // counts how often all was forgotten
} WarmStart;

// How a body is held after a micro-step (impulse_sleep.c). REST_LEANING: at rest if the island is.
typedef enum RestState { REST_MOVING, REST_LEANING, REST_ALONE } RestState;

// Sleep counters: a body that is ready waits for its island; docs/theory/rest-and-sleep.md,
// section 2.
#define SLEEP_READY (SLEEP_COUNT - 0.5)

// Scratch of the rest test.
typedef struct RestTest {
    RestState *state;  // in the order of Island.moved
    bool *is_ground;   // by island index: it rests by itself and is ground for others
} RestTest;

// Groups of contact points whose friction is tried together (impulse_friction.c).
typedef struct FrictionGroups {
    int *link;    // two by island index: first point of the group on fixed and on kinematic bodies
    bool undone;  // an attempt failed: the pass must be repeated from where it began
} FrictionGroups;

// Island.mark: what impulses have done to a body
enum {
    IN_ISLAND,    // it has had none
    HAS_IMPULSE,  // it has had one: it starts a new flight
    POINTS_KNOWN  // the same, and its contact points are in the island: an impact that propagates
};

// Bodies that are joined by contact points, and these points.
typedef struct Island {
    int body_count, point_count;
    int *member;        // by island index: body
    int *island_index;  // by body: its place in member; -1: none
    int *mark;          // by island index
    int *group;         // by island index: bodies of one simultaneous impact (union-find)
    int *moved;         // list of bodies that got an impulse
    MicrostepBody *body, *before, *last;  // by island index: after the impulses, before them, and
                                          // after those of the last pass
    PredictedMotion *predicted;           // by island index: over the micro-step
    ContactPoint *contact_point;
    MicrostepPoint *point;  // the same points for the solver
    int32_t *slot;          // of the pair of each point
    int32_t *by_group;      // points in the order of their groups (impulse_simultaneous.c)
    int32_t stamp;          // number of the island
    double longest;         // s: upper bound on the duration of the micro-step
    int first_record;       // log index of the first contact of the micro-step
    RestTest rest;
    FrictionGroups friction;
    MicrostepWorkspace solver;
} Island;

// Impacts of pairs at one time, to notice sequences without end.
typedef struct ImpactRounds {
    double time;        // s: of the last impact
    int32_t instant;    // counts such times
    int count;          // impacts of the pair at work at this time before
    int first_contact;  // log index of the first impact at this time
} ImpactRounds;

// --- the parts together --------------------------------------------------------------------------

// What moves, and when.
typedef struct World {
    Settings settings;
    Clock clock;
    Flights flights;
} World;

// Pairs that may touch: when each is due, and what is known of it from its last query, its last
// micro-step and its last impact.
typedef struct Pairs {
    PairQueue queue;
    PairCache cache;
    PairQuery query;
    WarmStart warm_start;
    ImpactRounds rounds;
} Pairs;

typedef struct Loop {
    World world;
    Pairs pairs;
    Island island;
    Journal journal;
} Loop;

// The event at work: the pair that is due, after its query.
typedef struct Event {
    Pair *pair;
    double ahead;      // s: how far the query looks
    double distance;   // m: of the two bodies
    double tolerance;  // m: of the event (2)
    double near;       // m: distance up to which a contact point is at the contact level
    int count;         // contact points in Pairs.query
    double age;        // s: since they last left (12), of a micro-step; 0: the contact is new
} Event;

// Parts from which the slip of contact points in their last flights is found (impulse_last_slip.c).
typedef struct LastFlights {
    const World *world;
    const Pairs *pairs;
    const Island *island;
    double age;  // s: of the contact; 0: it is new
} LastFlights;

// --- impulse_memory.c: capacities and arrays -----------------------------------------------------

// Sets settings.capacity and takes all arrays of a step. False: the arena is full.
bool impulse_take_arrays(Loop *loop, const impModel *m, Arena *arena);

// --- impulse_verdict.c: how a step ends early ----------------------------------------------------

// False: stopped, as a pair of unlike masses had more impacts at one time than any scene needs.
bool impulse_check_rounds(const ImpactRounds *rounds, Journal *journal);
// False: stopped, as too many micro-steps of islands with unlike masses missed their tolerance.
bool impulse_check_unconverged(const Island *island, Journal *journal);
// journal_log; a full log ends the step with the most likely reason. False: stopped.
bool impulse_log(Journal *journal, const impContact *record);
// Stops as a micro-step of the island would create energy, J. False, always.
bool impulse_stop_energy_gain(const Island *island, Journal *journal, double gain);

// --- impulse_cache.c: narrow-phase cache ---------------------------------------------------------

// Sizes of a pair's share of the cache, for a capacity of so many pairs.
int impulse_start_feature_count(const impModel *m, int pairs);
int impulse_axis_count(const impModel *m, int pairs);
// Start features of a pair, one for each two of its shapes; NULL: it has too many shapes.
StartFeature *impulse_start_features(const PairCache *cache, const impModel *m,
                                     const PairQueue *queue, const Pair *pair);
// Forgets them.
void impulse_clear_start_features(const PairCache *cache, const impModel *m, const PairQueue *queue,
                                  const Pair *pair);

// --- impulse_queue.c: pairs in the order of their times ------------------------------------------

static inline int32_t impulse_slot(const PairQueue *queue, const Pair *pair) {
    return (int32_t)(pair - queue->pair);
}
// Sets the time of the pair's next query. After the interval it is not in the heap.
void impulse_schedule(PairQueue *queue, const Clock *clock, Pair *pair, double time);
void impulse_unschedule(PairQueue *queue, int32_t slot);
// The pair that is due first; NULL: none within the interval.
Pair *impulse_first(const PairQueue *queue);
// No other pair is due until then.
bool impulse_is_alone(const PairQueue *queue, const Clock *clock, const Pair *pair, double time);
// Lists in queue->partners, in the order of bodies, the pairs that are due until then, but no more
// than half its length. Returns how many.
int impulse_due_by(PairQueue *queue, double time);

// --- prefetching: of memory that the next events need --------------------------------------------

enum {
    PREFETCH_AHEAD = 8,      // bodies or pairs
    PREFETCHED_SHAPES = 64,  // models with fewer shapes stay in the cache anyhow
};
ALWAYS_IN_LINE void impulse_prefetch_body(const Flights *flights, const impModel *m, int body) {
    const Body *b = &m->body[body];
    prefetch(&flights->actor[body], sizeof *flights->actor);
    prefetch(b, BODY_FRONT);
    if (m->shape_count < PREFETCHED_SHAPES) return;
    prefetch(&m->shape[b->first_shape], SHAPE_FRONT);
    prefetch(&flights->extent[b->first_shape], sizeof *flights->extent);
}
ALWAYS_IN_LINE void impulse_prefetch_pair(const PairQueue *queue, const PairCache *cache,
                                          int32_t slot) {
    prefetch(&queue->pair[slot], sizeof *queue->pair);
    prefetch(&cache->narrow[slot], sizeof *cache->narrow);
}
// Memory of the pair that is due after the first one.
void impulse_prefetch_next(PairQueue *queue, const PairCache *cache, const Flights *flights,
                           const impModel *m);

// --- impulse_pairs.c: pairs of the broad phase ---------------------------------------------------

// Sets the swept boxes of all bodies for the interval, and finds their pairs. New pairs are due
// now, but not in the heap yet. False: stopped.
bool impulse_begin_pairs(Pairs *pairs, const World *world, Journal *journal);
// Sets the swept boxes of bodies that were launched, for the rest of the interval, and updates
// their pairs. All pairs of theirs, old and new, are due now. Overwrites queue->partners. False:
// stopped.
bool impulse_refresh(Pairs *pairs, const World *world, Journal *journal, const int *bodies,
                     int count);
// Lists in queue->partners the pairs of a body; returns how many.
int impulse_partners(PairQueue *queue, int body);
// Memory that an impact of the pair needs beyond that of the query.
void impulse_prefetch_impact(const Flights *flights, const PairQueue *queue, const Journal *journal,
                             const Pair *pair);

// --- impulse_narrow.c: narrow-phase queries ------------------------------------------------------

// Moves both bodies of a pair to the time of the event.
void impulse_move_pair(const impModel *m, Actor *actor, const Pair *pair, double now);
// Fills pairs->query.narrow_phase, for times until `ahead` from now.
void impulse_narrow_phase(Pairs *pairs, const World *world, Journal *journal, const Pair *pair,
                          double ahead);
// Wider apart than the band, by bounding spheres and the cache. Both bodies are at the time.
bool impulse_is_apart(const Actor *actor, const PairQueue *queue, const PairCache *cache,
                      const Pair *pair, double band);
// Contact points of the query with their time scales, into `out`. Negative: more than room.
int impulse_contact_points(const Settings *settings, const Actor *actor, const PairQuery *query,
                           ContactPoint *out, int room);
// Event tolerance of the two bodies of the query, m (2).
double impulse_event_tolerance(const Settings *settings, const PairQuery *query, double now);
// Distance up to which a contact point is at the contact level, m. The event tolerance twice: the
// nearest point of a pair is at most the tolerance above the level when its event comes, and points
// that are higher by as much, as other corners of a face that lands flat, count with it.
static inline double impulse_near(const Settings *settings, double tolerance) {
    return settings->level + 2 * tolerance;
}
// At the contact level and approaching beyond rounding: it makes an event.
bool impulse_is_due(const ContactPoint *contact, double near);
// At the contact level and not leaving: it is part of a contact, at rest or not.
bool impulse_is_arriving(const ContactPoint *contact, double near);
// The event that the fastest of the due contact points asks for.
typedef enum EventKind { EVENT_LATER, EVENT_MICROSTEP, EVENT_IMPACT } EventKind;
EventKind impulse_classify(const ContactPoint *contact, int count, double near);
// The fastest of those that satisfy a condition, acting at the centre of all that are as fast along
// the same normal.
typedef bool ContactCondition(const ContactPoint *contact, double near);
ContactPoint impulse_fastest(const Flights *flights, const ContactPoint *contact, int count,
                             double near, ContactCondition *holds);
// As fast as the other, to the tolerance of simultaneous impacts; along the same normal.
bool impulse_is_as_fast(const ContactPoint *contact, const ContactPoint *other);
bool impulse_is_same_normal(const ContactPoint *contact, const ContactPoint *other);
// Stops as a pair has more contact points than an island may have. False, always.
bool impulse_stop_point_capacity(const Settings *settings, Journal *journal, const Pair *pair);
// Whether the pair has an impact now; *out is its point.
bool impulse_has_impact(Pairs *pairs, const World *world, Journal *journal, const Pair *pair,
                        ContactPoint *out);

// --- impulse_wake.c: waking ----------------------------------------------------------------------

// Wakes those of two bodies that sleep, and all sleepers that touch them, and theirs. False:
// stopped.
bool impulse_wake_both(World *world, Pairs *pairs, Journal *journal, int a, int b);

// --- impulse_island.c: bodies joined by contact points -------------------------------------------

void impulse_island_begin(Island *island);
// Adds a body that is free and not in the island.
void impulse_island_add(Island *island, const Flights *flights, int body);
void impulse_island_clear(Island *island);
// Contact points of a pair, written behind those of the island. Returns how many; negative: no
// room.
int impulse_island_points(Island *island, Pairs *pairs, const World *world, Journal *journal,
                          Pair *pair);
// Gathers the island of a micro-step, from the pair that is due and its contact points. False:
// stopped.
bool impulse_island_gather(Island *island, Pairs *pairs, World *world, Journal *journal,
                           const Event *event);

// --- impulse_warm_start.c: contact forces of the last micro-step ---------------------------------

// Sets the impulses of the island's points, for a duration T; returns how many forces were known.
int impulse_warm_start(Island *island, Pairs *pairs, const World *world, double T);
// Keeps the forces of the island's points.
void impulse_warm_start_store(Pairs *pairs, const Island *island, const World *world, double T);
// The middle of the micro-step of a pair that was under way at a time, s; -HUGE_VAL: unknown.
double impulse_warm_start_middle(const Pairs *pairs, int32_t slot, double since);

// --- impulse_friction.c: friction in time --------------------------------------------------------

// Islands of so many bodies: contact points wait for one another, friction by (7) alone.
enum { IMPULSE_LARGE = 32 };
// Islands of so many bodies: warm start; friction that reverses only on supports that move.
enum { IMPULSE_MANY = 4 };
// Of g T: a held point that is to slide faster lets go.
#define IMPULSE_SLIPS 1e-4

// Of all functions: T is the duration of the micro-step, s; speed g T, m/s; may_try whether a trial
// may start. True: another pass is needed.

// Links the points whose friction is tried together.
void impulse_friction_groups(Island *island);
// Before the first pass: points that static friction held in the last flight get mu_s.
void impulse_friction_static(Island *island, const LastFlights *last, double speed);
// Before a pass: decides how the friction of points that carry an impulse for the first time is
// found, and sets its direction.
void impulse_friction_directions(Island *island, const LastFlights *last, double speed,
                                 bool may_try);
// After a pass: takes the results of trials, and starts those of points that are to slide back.
bool impulse_friction_reverse(Island *island, double T, double speed, bool solved, bool may_try);
// After a pass that ended in a Painleve inconsistency: takes back all friction that was given.
bool impulse_friction_cancel_given(Island *island);
// After a pass: points that static friction holds, and that would slide all the same, let go.
bool impulse_friction_release(Island *island, double T, double speed, bool may_try);
// After a pass: sliding points that came to rest get mu_s.
bool impulse_friction_catch(Island *island, const LastFlights *last, double speed);
// True if the friction of the point acts against the slip centred on the impulse (19): its q->c
// includes slip_before.
bool impulse_friction_is_centred(const ContactPoint *t);

// --- impulse_last_slip.c: the last flight --------------------------------------------------------

// When the later of the flights of a point's bodies began: the last impulse on either of them, s.
double impulse_flight_start(const Actor *actor, const ContactPoint *t);

// --- impulse_sleep.c: falling asleep -------------------------------------------------------------

// Rest test after a micro-step of duration T, for the first `moved` bodies of Island.moved: counts,
// and puts the island to sleep.
void impulse_rest(Island *island, World *world, Journal *journal, int moved, double T);

// --- impacts and micro-steps. False: stopped -----------------------------------------------------

// impulse_impact.c: an impact of one point.
bool impulse_impact(Loop *loop, const ContactPoint *contact);
// The same among bodies of the island, with their velocities there.
bool impulse_impact_in_island(Island *island, const Flights *flights, Journal *journal, double now,
                              const ContactPoint *contact);
// Logs the impulse of one of several points that collided at once, and adds it to the ledger.
bool impulse_log_impact(const Island *island, Journal *journal, double now,
                        const ContactPoint *contact, const MicrostepPoint *point);
// Impacts that those of the island cause at once; then all bodies that were hit fly on.
bool impulse_propagate(Island *island, Pairs *pairs, World *world, Journal *journal);

// impulse_simultaneous.c: gathers the impacts that happen within `slack` seconds into the island.
// Returns how many; 0: one of the bodies was asleep and is awake now; -1: stopped.
int impulse_find_simultaneous(Loop *loop, const Pair *first, const ContactPoint *contact,
                              double slack);
// Resolves them.
bool impulse_impact_simultaneous(Loop *loop);

// impulse_microstep.c: a micro-step of the island of the pair that is due.
bool impulse_microstep(Loop *loop, const Event *event);
// impulse_reversal.c: a microcollision by velocity reversal.
bool impulse_reversal(World *world, Pairs *pairs, Journal *journal, const ContactPoint *contact);

// impulse_event.c: one event of the queue.
bool impulse_process_pair(Loop *loop, Pair *pair);
// First query of a pair in an interval: sets its time.
void impulse_start_pair(Pairs *pairs, const World *world, Journal *journal, Pair *pair);

// impulse_interval.c: begins an interval: boxes, pairs, first queries.
bool impulse_begin_interval(Pairs *pairs, World *world, Journal *journal, double from, double to);
// Length of an interval, s, for the motion as it is now.
double impulse_interval_length(const impModel *m, const Actor *actor);
