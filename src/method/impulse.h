// impulse.h -- what the files of the impulse method share (inside method/), and its row of
// methods.c.
//
// SPDX-License-Identifier: MIT
#pragma once
#include "contact/contact.h"
#include "method/method.h"

bool method_impulse_accepts(const impModel *m, impError *err);
size_t method_impulse_scratch(const impModel *m);
Progress method_impulse_step(const impModel *m, double *next, const double *input, double h,
                             Arena scratch, ThreadPool *thread_pool);

// calm events in a row,
enum { SLEEP_COUNT = 10 };
// of one that waits for those it leans on: it is awake
#define SLEEP_READY (SLEEP_COUNT - 0.5)

// What an event loop knows of a pair of bodies whose boxes overlap: kept in the broad phase's slot.
typedef struct Pair {
    double time;              // it need not be looked at before
    int32_t i, j;             // bodies, i < j
    int32_t stamp;            // of the last island that looked at it
    int32_t instant, rounds;  // it collided last at that Loop.instant, so often
    bool seen, carried;       // what Loop.seen and Loop.loads have of it is its own
} Pair;
// a pair in the heap, with all that its order asks for
typedef struct QueueEntry {
    double time;
    int32_t i, j, slot;
} QueueEntry;

// capacities for one model; hop: bodies that are solved for at once
typedef struct Capacity {
    int pairs, touches, log, hop;
} Capacity;

// What a point carried when it last hopped (impulse_warm_start.c), and those of a pair.
// N, world axes; in the frame of body a
typedef struct WarmPoint {
    uint64_t feature;
    impVec3 force, at;
} WarmPoint;
// of the hop; in Loop.load
typedef struct WarmPair {
    double time, T;
    int32_t first, count, room, era;
} WarmPair;

// LEANS: at rest if all that it leans on is
typedef enum RestState { REST_MOVING, REST_LEANING, REST_ALONE } RestState;

// Island.mark: an impulse moved it; and its points are known
enum { IN_ISLAND, HAS_IMPULSE, POINTS_KNOWN };
typedef struct Island {        // bodies joined by microcontacts, and their points
    int *member;               // bodies
    int *island_index;         // of each body of the model: its place in member, or -1
    int *mark, *group;         // by seat; group: who collide at once
    int *link;                 // two a seat: first of those that turn together (impulse_friction.c)
    int *moved;                // those that an impulse moved,
    RestState *sleep_counter;  //   and how each of them is
    bool *stands;              // by seat: it rests by itself, and on nothing that does not
    MicrostepBody *body, *before, *last;  // after the impulses, before, and after those of the pass
                                          // before
    PredictedMotion *predicted;           // where the hop takes them
    ContactPoint *contact_point;
    int32_t *slot;  // of the pair of each touch
    MicrostepPoint *point;
    int bodies, touches;
    double longest;  // s: of a hop, if it must be shorter than its points ask for
    bool undone;     // some of what was solved for is forgotten (impulse_friction.c)
    int32_t stamp;
    MicrostepWorkspace room;  // of the solver
} Island;

// characters of a verdict
enum { SENTENCE = 400 };

typedef struct Loop {
    const impModel *m;
    Actor *actor;           // one a body
    Tumble *tumble;         // one a body: of the flights of those that do
    double *sleep_counter;  // in the state, one a free body: events in a row that looked like rest
    Extent *extent;         // one a shape
    Broad broad;
    Pair *pair;                   // by slot
    NarrowCache *seen;            // at the last look, by slot;
    SeparatingAxis *axis_cache;   //   and which ways, by slot:
    int axis_count;               //   so many each
    WarmPair *loads;              // of the last hop, by slot:
    WarmPoint *load;              //   all of them,
    int load_count, era;          //   so many; since all were forgotten
    StartFeature *start_feature;  // where searches start, by slot:
    int start_features;           //   so many each
    QueueEntry *heap;             // earliest first
    int32_t *place;               // in the heap, by slot; -1: not there
    int32_t *partners;            // slots of one body's pairs
    int heap_count;
    int32_t prefetched;   // slot of the pair whose memory was last called for
    int *woken;           // room for the bodies that wake at once
    double *waits_until;  // by body: until when its points may wait for others
                          // (impulse_microstep.c);
    double *lands_at;     //   and when it has landed again from its last hop, at the latest, if
                          //   nothing hits it
    Capacity room;
    double now, frame_end;
    double last;                // time of the last event, or look, of all frames
    double band, level, close;  // eps, lev = eps/2, del: microcollisions.md sec. 2
    double gravity_substitute;  // m/s^2: what counts as a pull where there is none; 0: there is
    Island island;
    ContactPoint *contact_point;  // of the pair at work
    NarrowPhase *narrow_phase;
    impContact *log;
    impVelocityChange *velocity_change;  // of collisions, and of hops that changed much: two bodies
                                         // each at most
    impVec3 *logged_rate;                // by free body: its rate as the log knows it
    int logged, rotated;
    int microstep_logged;  // before the hop at work
    Ledger *ledger;
    int query_count, collisions, hops;
    double impact_time;             // time of the last ordinary collision,
    int32_t instant;                //   the count of such times,
    int rounds;                     //   how often the pair at work collided at it before,
    int logged_before;              //   and how much was logged before it
    int energy_gains, unconverged;  // collisions in which Newton's law created energy; hops not
                                    // quite solved
    double sleep_energy;            // J
    int64_t queries_left;           // in this frame
    impCertificate found, limit;
    Progress end;
    bool stop;   // something went wrong: end says what
    char *text;  // SENTENCE characters
} Loop;

// false
bool impulse_stop(Loop *l, impVerdict verdict, const char *format, ...) PRINTF_LIKE(3, 4);

int impulse_point_capacity(const impModel *m);   // points that an island may have
int impulse_solver_capacity(const impModel *m);  // bodies that are solved for at once
// as the state says; a is there, as it is then
bool impulse_asleep(const impModel *m, const Actor *a, const double *data);

// Calls for the memory of a body that will soon be looked at.
// bodies or pairs: how soon; few shapes are near by themselves
enum { AHEAD = 8, FEW_SHAPES = 64 };
ALWAYS_IN_LINE void impulse_prefetch_body(const Loop *l, int body) {
    const Body *b = &l->m->body[body];
    prefetch(&l->actor[body], sizeof *l->actor);
    prefetch(b, BODY_FRONT);
    if (l->m->shape_count < FEW_SHAPES) return;
    prefetch(&l->m->shape[b->first_shape], SHAPE_FRONT);
    prefetch(&l->extent[b->first_shape], sizeof *l->extent);
}

// impulse_queue.c: pairs and their times
// the earliest pair; NULL: none before the end of the frame
Pair *impulse_first(Loop *l);
bool impulse_alone(const Loop *l, const Pair *p, double time);  // no other pair is due by then
// fills l->partners, in the order of their bodies, with those that are; no more
int impulse_due_by(Loop *l, double time);
// than fit
void impulse_prefetch_next(Loop *l);  // for the memory of the pairs that may be next
// for what a collision of these two needs beyond
void impulse_prefetch_event(const Loop *l, const Pair *p);
void impulse_schedule(Loop *l, Pair *p, double time);
bool impulse_frame(Loop *l, double from, double to);  // boxes, pairs; false: stopped
// these fly anew: boxes, pairs, all their times
bool impulse_refresh(Loop *l, const int *bodies, int count);
// that a pair of this model has room for
int impulse_start_feature_count(const impModel *m, int pairs);
// of its pieces; NULL: there are too many
StartFeature *impulse_start_features(const Loop *l, const Pair *p);
// the same for what looks leave behind
int impulse_axis_count(const impModel *m, int pairs);
int impulse_partners(Loop *l, int body);  // fills l->partners

// impulse_event.c: what happens when two are near
bool impulse_process_pair(Loop *l, Pair *p);  // false: stopped
void impulse_start_pair(Loop *l, Pair *p);    // when a frame begins
// moves both to now and fills l->meeting, as
void impulse_narrow_phase(Loop *l, Pair *p, double ahead);
// contact_narrow_phase does
bool impulse_collides(Loop *l, Pair *p, ContactPoint *t);  // ordinarily, now? Fills t
bool impulse_as_fast(const ContactPoint *t, const ContactPoint *fastest);    // they arrive at once,
bool impulse_same_normal(const ContactPoint *t, const ContactPoint *other);  //   and along one
                                                                             //   normal
bool impulse_wake_both(Loop *l, int a, int b);  // whoever of them sleeps
// flies on with that, its energy booked; the impulse is not
void impulse_launch(Loop *l, Actor *a, impVec3 v, impVec3 w);
bool impulse_log(Loop *l, const impContact *c);
// it was launched by a collision, now
void impulse_log_velocity_change(Loop *l, const Actor *a);
// the same by a hop; only if it turns quite otherwise
void impulse_log_microstep(Loop *l, const Actor *a);
// p in the frame of the touch; false: against its law
bool impulse_certify(Loop *l, const ContactPoint *t, impVec3 p);
void impulse_book(Loop *l, int body, impVec3 impulse, impVec3 velocity_change, double energy);

// impulse_simultaneous.c: collisions at the same time
// into the island; how many, t included; 0: one of
int impulse_simultaneous(Loop *l, const Pair *first, const ContactPoint *t, double slack);
// them slept and is awake now; -1: stopped
bool impulse_impact_simultaneous(Loop *l);  // those that impulse_simultaneous found; false: stopped
// what one of several collided with: into log and books
bool impulse_log_simultaneous(Loop *l, const ContactPoint *t, const MicrostepPoint *q);

// impulse_impact.c: an ordinary collision, and whom it reaches
// one collision of bodies that have a seat, by their velocities there; false: stopped
bool impulse_impact_in_island(Loop *l, const ContactPoint *t);
// The touches of the island collided, just now: the blow runs on, then all that were struck fly on.
// False: stopped.
bool impulse_propagate(Loop *l);
// both of it for a single one; false: stopped
bool impulse_impact(Loop *l, const ContactPoint *t);

// impulse_island.c: bodies joined by points in the band
void impulse_island_begin(Loop *l);          // nobody is there
void impulse_island_add(Loop *l, int body);  // a free body that is not there yet
void impulse_island_clear(Loop *l);          // all of them
// how many, after those that are there, not yet counted; negative: no room
int impulse_island_points(Loop *l, Pair *p);
// wider than the band, as far as one knows without a look; both are there
bool impulse_island_is_apart(const Loop *l, const Pair *p);
// All that hop together, from the pair that is due outwards, whose points are in l->touch. False:
// stopped.
bool impulse_island_gather(Loop *l, Pair *first, int points);

// impulse_warm_start.c: what points carried when they last hopped
// sets the impulses of the island's points; how many were known
int impulse_warm_start(Loop *l, double T);
void impulse_warm_start_store(Loop *l, double T);  // the island's points
// of the pair's hop that was going on then; -HUGE_VAL: none is known
double impulse_warm_start_middle(const Loop *l, int32_t slot, double since);

// impulse_friction.c: friction of the island's points. age: as of impulse_microstep; T, speed: of
// the hop, s, and its own, m/s bodies: a heap, whose points wait for each other, and slide by the
// study's rule
enum { IMPULSE_LARGE = 32 };
// bodies: fewer are solved as soon from nothing, which has no history, and what rolls may
enum { IMPULSE_MANY = 4 };
// go another way by now
// of the hop's own speed: what is held and is to slide faster, lets go
#define IMPULSE_SLIPS 1e-4
void impulse_friction_groups(Loop *l);  // who turn together
// those that stood have static friction
void impulse_friction_static(Loop *l, double age, double speed);
// those that were solved for: how they slid, and if that counts
void impulse_friction_directions(Loop *l, double age, double speed, bool tries);
// those that static friction does not hold; true: some do
bool impulse_friction_release(Loop *l, double T, double speed, bool tries);
// those that stood still meanwhile, by static friction; true: some are tried
bool impulse_friction_catch(Loop *l, double age, double speed);
// those that slide back, by what they do then if there is time for tries; true: some do
bool impulse_friction_reverse(Loop *l, double T, double speed, bool solved, bool tries);
bool impulse_friction_reverse_none(Loop *l);  // true: some did
// friction acts against the mean of slid and what comes
bool impulse_friction_continues(const ContactPoint *t);

// impulse_mass_ratio.c: where masses are too far apart for the work to end. False: stopped, with a
// verdict that names them
bool impulse_rounds_exceeded(Loop *l);    // of collisions at one time, Loop.rounds
bool impulse_log_is_full(Loop *l);        // of impulses, where there is room for no more
bool impulse_microsteps_failed(Loop *l);  // of microcollisions not solved; the island is there
bool impulse_microstep_gains(Loop *l, double gain);  // J, more than it may

// impulse_reversal.c: microcollisions by paper 1's own rule
bool impulse_reversal(Loop *l, const ContactPoint *t);

// impulse_microstep.c: microcollisions;  impulse_sleep.c: falling asleep and waking
// The points of the pair are in l->touch. age: how long ago they last hopped; 0: fresh. near: those
// with no wider gap are there
bool impulse_microstep(Loop *l, Pair *p, int count, double age, double near);
// prescribed, and not standing still for ever
bool motion_is_moving(const impModel *m, int body);
bool impulse_rest(Loop *l, int moved, double T);  // moved: how many an impulse moved
bool impulse_wake(Loop *l, int body);             // it, and all asleep that it touches
